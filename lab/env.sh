#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Print what a table was measured in: the heading of each file in results/.
set -eu
. "${0%/*}/lib.sh"

accel=$("$TOP/lab/accel.sh" "$WORK/base$variant/bzImage")
disk='virtio-blk, raw sparse files'
cpus='2 CPUs'
if [ "$CLOCK" = sim ]; then
	disk="null_blk in memory: bench/devices; nvme where no other is named"
	accel='tcg, the clock counts instructions'
	cpus='1 CPU'
fi
cat <<EOF
kernel       $(cat "$WORK/base$variant/release"), $(cat "$WORK/patched$variant/release")
base         $(labgit log -1 --format=%s base | sed 's/^Import //')
series       $(series | wc -l) patches, tree $(labgit rev-parse --short=12 'series^{tree}')
config       tinyconfig, $(fragments | sed "s,^$TOP/,," | paste -sd ' ')
compiler     $(gcc --version | head -n 1)
disk         $disk; ext4 unless named, 4 KiB blocks, large folios
guest        $(qemu-system-x86_64 --version | head -n 1 | sed 's/ (.*//'), $accel, $cpus, 2048 MiB
EOF
