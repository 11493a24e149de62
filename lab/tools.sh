#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# tools.sh [test|report|deb|JOB]: check that each command we need is there, for the
# tests, the pictures, the packages or a job of bench/; install what is missing, or say how.
set -eu
. "${0%/*}/lib.sh"

# command:package of Debian 12; a file where the package has no command
needed='
gcc:gcc make:make ld:binutils flex:flex bison:bison bc:bc cpio:cpio xz:xz-utils
git:git perl:perl ccache:ccache
/usr/include/libelf.h:libelf-dev /usr/lib/x86_64-linux-gnu/libc.a:libc6-dev
qemu-system-x86_64:qemu-system-x86 busybox:busybox-static
mkfs.ext4:e2fsprogs mkfs.xfs:xfsprogs mkfs.btrfs:btrfs-progs mksquashfs:squashfs-tools'
case ${1:-} in
report) needed="$needed gnuplot:gnuplot-nox" ;;
test)
	needed="$needed shellcheck:shellcheck sparse:sparse b4:b4
		riscv64-linux-gnu-gcc:gcc-riscv64-linux-gnu aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu
		fincore:util-linux-extra mountpoint:util-linux
		sphinx-build:python3-sphinx /usr/lib/python3/dist-packages/yaml:python3-yaml"
	;;
deb)
	# what the kernel's own control file asks for
	needed="$needed dpkg-buildpackage:dpkg-dev dh:debhelper fakeroot:fakeroot
		rsync:rsync kmod:kmod python3:python3
		/usr/include/openssl/ssl.h:libssl-dev /usr/include/elfutils/libdw.h:libdw-dev"
	;;
programs) needed="$needed /usr/share/keyrings/debian-archive-keyring.gpg:debian-archive-keyring" ;;
esac

# there COMMAND|FILE
there()
{
	case $1 in
	/*) [ -e "$1" ] ;;
	# the dynamic busybox does not run in an empty initramfs
	busybox) path=$(command -v busybox) && ! ldd "$path" >/dev/null 2>&1 ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

PATH=$PATH:/usr/sbin:/sbin
missing=
for pair in $needed; do
	there "${pair%%:*}" || missing="$missing ${pair#*:}"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
	die "commands are missing; Debian has them in these packages:$missing" \
	"There is no apt-get here: install them as your system does, and come again"
elif [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	sudo=sudo
else
	die "packages are missing:$missing" "Install them and come again:" "sudo $install"
fi
say "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of words
$sudo $install || { $sudo apt-get update && $sudo $install; } ||
	die "the packages could not be installed:$missing" "Tried: $sudo $install"
