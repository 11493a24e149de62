#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make build/image/programs.ext4, a disk of the programs of bench/packages for the
# guest: the packages and what they depend on, unpacked, none of their scripts run.
# They are of the release that this machine's apt is set up for. And a journal of
# 40 MB, since what writes one wants more of a kernel than our guest has.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"
PATH=$PATH:/usr/sbin:/sbin

dir=$BUILD/image
image=$dir/programs.ext4
apt=$dir/apt
root=$dir/root
packages=$(sed 's/[[:space:]]*#.*//; /^$/d' "$TOP/bench/packages")

stamp=$(cat "$TOP/bench/packages" "$TOP/lab/image.sh" | sum)
[ ! -e "$image" ] || [ "$(cat "$dir/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
command -v apt-get >/dev/null ||
	die "no apt here to fetch the programs with" "Every other job of bench/ does without them"
rm -rf "$dir/stamp" "$image" "$root"
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$root"

# room: there must be enough
room()
{
	echo "In $dir there are $(df -Pm "$dir" | awk 'END { print $4 }') MiB left; 3,000 are needed"
}

# failed WHAT: after a message of what did it
failed()
{
	rm -f "$image.new"
	die "$1" "See the message above. $(room)" "Then run the command again: what was fetched is kept"
}

# shellcheck disable=SC2016 # it is for apt to expand
targets '$(REPO_URI) $(CODENAME) $(COMPONENT)' |
	awk -v keyring="$keyring" '$NF == "main" {
		print "deb [arch=amd64 signed-by=" keyring "] " $2, $3, $4 }' >"$apt/sources.list"
[ -s "$apt/sources.list" ] ||
	die "this machine's apt knows no archive of Debian" \
	"Asked: apt-get indextargets (an apt-get update may be due)" \
	"Every other job of bench/ does without the image"

# As if nothing were installed, so that nothing is left out
status=$dir/status
: >"$status"
say "Fetching the programs for the guest: $(echo "$packages" | tr '\n' ' ')"
private apt-get update || :
# a fetch that was broken off may have been of other versions
private apt-get autoclean -qq || :
# shellcheck disable=SC2086 # a list of words
private apt-get install --download-only --no-install-recommends -y $packages ||
	die "the programs of bench/packages could not be fetched" \
	"Tried: $(awk '{ print $4, $5 }' "$apt/sources.list" | tr '\n' ';')" \
	"$(room)" \
	"Run the command again: the download goes on where it stopped"

say "Unpacking $(find "$apt/archives" -name '*.deb' | wc -l) packages"
for deb in "$apt"/archives/*.deb; do
	dpkg-deb -x "$deb" "$root" || failed "${deb##*/} could not be unpacked"
	dpkg-deb -f "$deb" Package Version | awk '{ printf "%s ", $2 } END { print "" }'
done >"$dir/versions"
for package in $packages; do
	grep "^$package " "$dir/versions"
done >"$root/versions"
# What their scripts would have made; and where the job puts its data
mkdir -p "$root/dev" "$root/proc" "$root/tmp" "$root/data" "$root/lab"
[ -e "$root/bin/sh" ] || ln -s dash "$root/bin/sh"
ldconfig -r "$root"
rm -rf "$root/usr/share/doc" "$root/usr/share/man" "$root/usr/share/locale"

say "Making a disk of them"
# journal: what a server of 20 services may have logged
journal()
{
	awk 'BEGIN {
		for (i = 0; i < 60000; i++) {
			printf "__REALTIME_TIMESTAMP=1700000%09d\n", i * 1000
			printf "__MONOTONIC_TIMESTAMP=%d\n", i * 1000 + 1
			print "_BOOT_ID=0123456789abcdef0123456789abcdef\n_HOSTNAME=guest\nPRIORITY=6"
			print "SYSLOG_IDENTIFIER=service" i % 20
			printf "MESSAGE=request %d served in %d us; %0350d\n\n", i, i % 977, i
		}
	}'
}
lib=lib/x86_64-linux-gnu
journal | "$root/$lib/ld-linux-x86-64.so.2" \
	--library-path "$root/$lib:$root/usr/$lib:$root/usr/$lib/systemd:$root/lib/systemd" \
	"$root/lib/systemd/systemd-journal-remote" -o "$root/log.journal" - ||
	failed "the journal could not be written"

mke2fs -q -t ext4 -F -E lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0 \
	-d "$root" "$image.new" 3G >"$dir/mkfs.log" || failed "the disk could not be made"
e2fsck -fn "$image.new" >"$dir/fsck.log" 2>&1 ||
	failed "the disk that was made is not whole, see $dir/fsck.log"
mv "$image.new" "$image"
echo "$stamp" >"$dir/stamp"
rm -rf "$root" "$apt/archives"
