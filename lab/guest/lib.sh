# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For the jobs that run in the guest: . /lab/lib.sh

# simdisk MIB: an ext4 file system on a disk whose speed is a timer of the
# guest's own clock (80 us, 3,000 MB/s); prints where it is mounted
simdisk()
{
	disk=/sys/kernel/config/nullb/nullb0
	mkdir "$disk" || return
	for setting in size="$1" blocksize=512 memory_backed=1 irqmode=2 \
		       completion_nsec=80000 mbps=3000; do
		echo "${setting#*=}" >"$disk/${setting%%=*}" || return
	done
	echo 1 >"$disk/power" || return
	mkfs.ext4 -q -E nodiscard /dev/nullb0 >&2 || return
	mkdir -p /mnt/sim
	mount -t ext4 /dev/nullb0 /mnt/sim || return
	echo /mnt/sim
}

# set_ra DIRECTORY KIB: the readahead of the file system mounted at DIRECTORY
set_ra()
{
	echo "$2" >"/sys/class/bdi/$(awk -v at="$1" '$5 == at { print $3 }' \
		/proc/self/mountinfo)/read_ahead_kb"
}

drop_caches()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
}
