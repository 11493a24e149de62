# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# For the jobs that run in the guest: . /lab/lib.sh

nullb=/sys/kernel/config/nullb/nullb0

# simdisk NAME FS MIB: a file system on the disk of that name in bench/devices, whose
# speed is a timer of the guest's own clock; its directory is put into $at
simdisk()
{
	at=/mnt/sim
	read -r _ latency rate depth _ <<-EOF
		$(grep "^$1[[:space:]]" /lab/devices)
	EOF
	[ -n "$depth" ] || { echo "simdisk: there is no device $1" >&2; return 1; }
	mkdir $nullb $at || return
	mode=2
	[ "$latency" != 0 ] || mode=0
	for setting in size="$3" blocksize=512 memory_backed=1 irqmode=$mode \
		       completion_nsec=${latency}000 mbps="$rate" hw_queue_depth="$depth"; do
		echo "${setting#*=}" >"$nullb/${setting%%=*}" || return
	done
	echo 1 >$nullb/power || return
	case $2 in
	# All of it made now: the kernel would go on with it at a random time
	ext4) mkfs.ext4 -q -N 20000 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 /dev/nullb0 ;;
	xfs) mkfs.xfs -q -K /dev/nullb0 ;;
	btrfs) mkfs.btrfs -q -K /dev/nullb0 ;;
	esac >&2 || return
	mount -t "$2" /dev/nullb0 $at
}

# no_simdisk: take it away again, and what it held of the memory
no_simdisk()
{
	[ -d $nullb ] || return 0
	umount /mnt/sim && echo 0 >$nullb/power && rmdir $nullb /mnt/sim
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

# older SINCE RELEASE: is the kernel of that release older? "-" is older than all
older()
{
	[ "$1" != - ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" != "$1" ]
}
