#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make build/$BASE/initrd: busybox, our init, the tests and the workloads, all
# static. (mke2fs, for disks that the guest makes, and the encoder that a job runs
# come with their libraries.)
set -eu
. "${0%/*}/lib.sh"

PATH=$PATH:/usr/sbin:/sbin
root=$WORK/root
rm -rf "$root"
mkdir -p "$root/bin" "$root/lab" "$root/proc" "$root/sys" "$root/dev" \
	"$root/tmp" "$root/mnt" "$root/etc"
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$TOP/lab/guest/init" "$root/init"
cp "$TOP/lab/guest/lib.sh" "$TOP/lab/tests" "$root/lab"
: >"$root/etc/mtab"

# with_libraries PROGRAM NAME: into the guest, to be called by NAME there, which
# busybox must not have a command of its own for
with_libraries()
{
	for file in "$1" $(ldd "$1" | grep -o '/[^ ]*'); do
		mkdir -p "$root$(dirname "$file")"
		cp -L "$file" "$root$file"
	done
	ln -s "$1" "$root/lab/$2"
}
with_libraries "$(command -v mke2fs)" mkfs.ext4
# for bench/encode.job
if encoder=$(command -v SvtAv1EncApp); then
	with_libraries "$encoder" SvtAv1EncApp
fi

for source in "$TOP"/bench/*.c; do
	[ -f "$source" ] || continue
	program=${source##*/}
	gcc -static -O2 -Wall -Wextra -pthread -o "$root/lab/${program%.c}" "$source" ||
		die "bench/$program does not compile" "See above"
done
for script in "$TOP"/bench/*.sh "$TOP"/bench/*.job; do
	[ ! -f "$script" ] || cp "$script" "$root/lab"
done
[ ! -d "$WORK/tests" ] || cp -R "$WORK/tests/." "$root/lab"

(cd "$root" && find . | sort | cpio --quiet -o -H newc -R 0:0) >"$WORK/initrd.new"
mv "$WORK/initrd.new" "$WORK/initrd"
