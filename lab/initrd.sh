#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make build/$BASE/initrd: busybox, our init, the tests and the workloads, all
# static. (What makes file systems there comes with its libraries.) The programs of
# others come on a disk, see image.sh.
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
for mkfs in ext4 xfs btrfs; do
	with_libraries "$(command -v mkfs.$mkfs)" mkfs.$mkfs
done
with_libraries "$(command -v mksquashfs)" mksquashfs
# which its threads open as they end
cp -L "$(gcc -print-file-name=libgcc_s.so.1)" "$root/lib/x86_64-linux-gnu"
# for the page of lab/test-docs.sh, and modprobe for the modules of make deb
for program in xfs_io fincore mountpoint modprobe; do
	if file=$(command -v "$program"); then
		with_libraries "$file" "$program"
	fi
done
# for the encoder of bench/programs.job
gcc -shared -fPIC -DPRELOAD -O2 -Wall -Wextra -o "$root/lab/marked.so" "$TOP/bench/marked.c" ||
	die "bench/marked.c does not compile" "See above"

gcc -static -O2 -Wall -Wextra -pthread -o "$root/lab/reader" "$TOP"/bench/reader/*.c ||
	die "bench/reader does not compile" "See above"
for source in "$TOP"/bench/*.c; do
	[ -f "$source" ] || continue
	program=${source##*/}
	gcc -static -O2 -Wall -Wextra -pthread -o "$root/lab/${program%.c}" "$source" ||
		die "bench/$program does not compile" "See above"
done
cp "$TOP/bench/cases" "$TOP/bench/plan.awk" "$TOP/bench/devices" "$root/lab"

# elf OUTPUT PAD OPTION...: one of the programs that bench/cases starts
elf()
{
	elf=$root/lab/programs/$1 pad=$2
	shift 2
	gcc -O2 -s "-DPAD=$pad" -o "$elf" "$TOP/bench/elf.c" "$@" ||
		die "bench/elf.c does not compile" "See above"
}
elf_programs()
{
	small='-DNOLIBC -ffreestanding -nostdlib'
	mkdir -p "$root/lab/programs/libraries"
	for kib in 20 40 100 250 1024; do
		# in three parts, beside what each has
		pad=$(((kib - 14) * 1024 / 3))
		elf "dynamic-$kib" "$pad" -no-pie -fno-pie
		elf "dynamic-pie-$kib" "$pad" -pie -fPIE
		# shellcheck disable=SC2086 # a list of words
		elf "static-$kib" "$pad" $small -static -no-pie -fno-pie
		# shellcheck disable=SC2086 # a list of words
		elf "static-pie-$kib" "$pad" $small -static-pie -fPIE
	done
	elf static-libc 8192 -static
	# text and rodata in one segment; segments for pages of 64 KiB
	elf joined-100 28672 -Wl,-z,noseparate-code
	elf padded-100 28672 -Wl,-z,max-page-size=65536
	libraries=
	for n in $(seq 20); do
		elf "libraries/lib$n.so" 8192 -DLIBRARY -shared -fPIC
		libraries="$libraries -l:lib$n.so"
	done
	# shellcheck disable=SC2086,SC2016 # a list of words; the linker's ORIGIN
	elf libraries/main 8192 -L "$root/lab/programs/libraries" \
		-Wl,--no-as-needed $libraries '-Wl,-rpath,$ORIGIN'
}
elf_programs
[ ! -d "$WORK/tests" ] || cp -R "$WORK/tests/." "$root/lab"

(cd "$root" && find . | sort | cpio --quiet -o -H newc -R 0:0) >"$WORK/initrd.new"
mv "$WORK/initrd.new" "$WORK/initrd"
