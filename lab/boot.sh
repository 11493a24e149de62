#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Boot a kernel in QEMU and run a job, a shell script, in it.
usage='usage: boot.sh -k bzImage -j job -o outdir [-t seconds] [-m MiB] [-c cpus]
	[-d ext4|ext2|xfs|xfs16k|btrfs]... [-i NAME.ext4] [-e NAME=VALUE]... [-S]
-d: a fresh file system, mounted at /mnt/NAME; -i: a disk image, at /mnt/NAME too,
which keeps nothing that is written to it; -e: for the job; -S: a shell
The job'\''s output is outdir/result, the console outdir/console.
Exit status: 0 the job passed; 1 it failed, or the kernel complained; 3 no answer'
set -eu
. "${0%/*}/lib.sh"
PATH=$PATH:/usr/sbin:/sbin

seconds=60 memory=2048 cpus=2 disks='' shell=0 kernel='' job='' out='' env='' disk_image=''
while getopts k:j:o:t:m:c:d:i:e:S option; do
	case $option in
	k) kernel=$OPTARG ;;
	j) job=$OPTARG ;;
	o) out=$OPTARG ;;
	t) seconds=$OPTARG ;;
	m) memory=$OPTARG ;;
	c) cpus=$OPTARG ;;
	d) disks="$disks $OPTARG" ;;
	i) disk_image=$OPTARG ;;
	e) env="$env
export ${OPTARG%%=*}='${OPTARG#*=}'" ;;
	S) shell=1 ;;
	*) die "$usage" ;;
	esac
done
if [ -z "$kernel" ] || [ -z "$job" ] || [ -z "$out" ]; then
	die "$usage"
fi
[ -r "$kernel" ] || die "no kernel at $kernel" "Build it first: make build"
[ -r "$job" ] || die "no job at $job"

# The guest's TSC is the host's. Its rate is told, not measured: an emulated
# timer that fires late would leave the guest without a fine clock.
tsc=$(awk '/^cpu MHz/ { printf "%d", $4 * 1000; exit }' /proc/cpuinfo)

accel=$("$TOP/lab/accel.sh" "$kernel")
case $accel in
kvm) scale=1; machine='-accel kvm -cpu host' ;;
*) scale=6; machine='-accel tcg,thread=multi -cpu max' ;;
esac
randmaps=
if [ "$CLOCK" = sim ]; then
	# The guest's clock counts instructions; that takes one CPU and no KVM, and
	# addresses that are the same in each boot: a random stack or heap is some
	# page table more or less, up to 1.5 % of the start of a program
	randmaps=norandmaps
	accel='tcg with a simulated clock' scale=20 cpus=1 tsc=1000000
	machine='-accel tcg,thread=single -icount shift=0,sleep=off -cpu max'
fi
[ "$DEBUG" = 0 ] || scale=$((scale * 4))
limit=$((seconds * scale))

rm -rf "$out"
mkdir -p "$out"
mkfs()
{
	image=$1
	shift
	truncate -s 10G "$image"
	"$@" "$image" >"$out/mkfs.log" 2>&1 ||
		die "the disk image could not be made: $* $image" "$(tail -n 3 "$out/mkfs.log")"
}
drives=
for disk in $disks; do
	image=$out/$disk.img
	case $disk in
	# All of it made now: the kernel would go on with it during the job
	ext4) mkfs "$image" mkfs.ext4 -q -F -N 20000 -E lazy_itable_init=0,lazy_journal_init=0 ;;
	ext2) mkfs "$image" mkfs.ext2 -q -F -N 20000 ;;
	xfs) mkfs "$image" mkfs.xfs -q ;;
	xfs16k) mkfs "$image" mkfs.xfs -q -b size=16k ;;
	btrfs) mkfs "$image" mkfs.btrfs -q ;;
	*) die "-d $disk: no such file system" "There is: ext4, ext2, xfs, xfs16k, btrfs" ;;
	esac
	drives="$drives -drive if=none,id=$disk,file=$image,format=raw,cache=unsafe
		-device virtio-blk-pci,drive=$disk,serial=$disk"
done
if [ -n "$disk_image" ]; then
	[ -r "$disk_image" ] || die "no disk image at $disk_image"
	name=$(basename "$disk_image" .ext4)
	drives="$drives -drive if=none,id=$name,file=$disk_image,format=raw,snapshot=on,cache=unsafe
		-device virtio-blk-pci,drive=$name,serial=$name"
fi

# Without ACPI the guest finds one CPU a socket, the first
smp=cpus=$cpus,sockets=$cpus

# The job is a second archive behind the first, and the modules of a kernel that
# has some are a third; the kernel unpacks all
mkdir "$out/job.d"
cp "$job" "$out/job.d/job"
echo "export ACCEL='$accel' CLOCK=$CLOCK CPUS=$cpus SHELL_JOB=$shell$env" >"$out/job.d/job.env"
(cd "$out/job.d" && printf 'job\njob.env\n' | cpio --quiet -o -H newc -R 0:0) |
	cat "$WORK/initrd" - >"$out/initrd"
modules=$(dirname "$kernel")/modules
if [ -d "$modules" ]; then
	(cd "$modules" && find . | cpio --quiet -o -H newc -R 0:0) >>"$out/initrd"
fi

console="file:$out/console"
[ "$shell" = 0 ] || console=mon:stdio limit=86400
# A sign of life now and then, for as long as this shell is there
alive()
{
	while sleep 30 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
		printf '   %s\n' "$(tail -n 1 "$out/console" | tr -d '\r')" >&2
	done
}
boot()
{
	: >"$out/console"
	: >"$out/status"
	watcher=
	[ "$shell" = 1 ] || { alive & watcher=$!; }
	rc=0
	# shellcheck disable=SC2086 # lists of words
	# TMPDIR: for what is written to a disk image
	TMPDIR=$out timeout --foreground -k 10 "$limit" qemu-system-x86_64 $machine -smp "$smp" -m "$memory" \
		-nodefaults -display none -no-reboot -kernel "$kernel" -initrd "$out/initrd" \
		-append "console=ttyS0 panic=-1 oops=panic null_blk.nr_devices=0 rdinit=/init $randmaps ${tsc:+tsc_early_khz=$tsc tsc=reliable}" -serial "$console" \
		-device virtio-serial-pci \
		-chardev "file,id=result,path=$out/result" -device virtserialport,chardev=result,name=result \
		-chardev "file,id=status,path=$out/status" -device virtserialport,chardev=status,name=status \
		$drives 2>"$out/qemu.log" || rc=$?
	[ -z "$watcher" ] || kill "$watcher" 2>/dev/null || :
}
boot
# An emulated kernel may, once in a long while, trip over the code that it
# patches as it starts. That is no answer yet: the job has not begun.
if [ "$shell$rc" = 00 ] && [ ! -s "$out/status" ]; then
	echo "${0##*/}: the virtual machine stopped before the job began; once more" >&2
	boot
fi
rm -rf "$out/job.d" "$out/initrd" "$out"/*.img "$out"/vl.*
[ "$shell" = 0 ] || exit 0

tr -d '\r' <"$out/console" >"$out/console.txt" && mv "$out/console.txt" "$out/console"
status=$(sed '/^started$/d' "$out/status")
case $status:$rc in
:124|:137) lost="no answer within $limit s ($seconds s, times $scale with $accel)" ;;
:*) lost="the virtual machine stopped and gave no status" ;;
*) lost= ;;
esac
if [ -n "$lost" ]; then
	printf '%s: %s\n' "${0##*/}" "$lost" >&2
	echo "    The last of its console; all of it is $out/console:" >&2
	tail -q -n 20 "$out/qemu.log" "$out/console" | sed 's/^/    | /' >&2
	exit 3
fi

# What the kernel complains of fails the run, whatever the job says
if grep -v '^#' "$TOP/lab/splats.deny" | grep -E -f - "$out/console" >"$out/splats" &&
   grep -v '^#' "$TOP/lab/splats.allow" | grep -v -E -f - "$out/splats"; then
	echo "boot.sh: the kernel complained, see above and $out/console" >&2
	exit 1
fi
[ "$status" = 0 ] || { echo "boot.sh: the job failed, status $status; see $out/result" >&2; exit 1; }
