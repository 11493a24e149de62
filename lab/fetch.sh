#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# fetch.sh [--newest|--config]: fetch the base kernel's source package into
# build/cache. Ends with a link, $BASE.deb, to the pinned version, or to the newest
# where that is gone; with --newest with $BASE-newest.deb, to what the archive has
# now. --config is for the package of Debian's own configurations, $BASE-config.deb.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"

cache=$BUILD/cache
apt=$cache/apt
next="Or use a kernel tree that you have: KSRC=/path/to/linux"
newest_wanted='' link=$cache/$BASE.deb arch=all
case ${1:-} in
'') ;;
--newest) newest_wanted=1 link=$cache/$BASE-newest.deb ;;
--config) package=$config_package link=$cache/$BASE-config.deb arch=amd64 ;;
*) die "usage: fetch.sh [--newest|--config]" ;;
esac

command -v apt-get >/dev/null || die "no apt here to fetch $package with" "$next"

# whole FILE: in the cache, and as the archive has it
whole()
{
	[ -e "$cache/$1" ] && (cd "$cache" && sha256sum --quiet -c "$1.sha256")
}

if [ -e "$link" ] && [ -z "$newest_wanted" ]; then
	version=$(dpkg-deb -f "$link" Version)
	if dpkg --compare-versions "$version" ge "$pinned" && whole "$(readlink "$link")"; then
		exit 0
	fi
	rm -f "$link"
fi

# archive SUITE: where the machine's own sources have Debian's suites of that kind
archive()
{
	label=Debian
	case $1 in
	*-security) label=Debian-Security ;;
	esac
	# shellcheck disable=SC2016 # it is for apt to expand
	targets '$(REPO_URI)' | awk -v label="$label" '$1 == label { print $2; exit }'
}

mkdir -p "$apt/lists/partial" "$apt/archives/partial"
for suite in $(echo "$suites" | tr ',' ' '); do
	uri=$(archive "$suite")
	if [ -n "$uri" ]; then
		echo "deb [signed-by=$keyring] $uri $suite main"
	fi
done >"$apt/sources.list"
[ -s "$apt/sources.list" ] ||
	die "this machine's apt knows no archive of Debian" \
	"Asked: apt-get indextargets (an apt-get update may be due)" "$next"

say "Looking for $package $pinned in $suites"
status=$apt/status
: >"$status"
# One suite that a mirror lacks is no failure while another has the package
private apt-get -qq update || :
versions=$(private apt-cache madison "$package" | awk -F' *[|] *' '{ print $2 }')

version=
for v in $versions; do
	if [ "$v" = "$pinned" ] && [ -z "$newest_wanted" ]; then
		version=$v
		break
	elif dpkg --compare-versions "$v" ge "$pinned" &&
	     dpkg --compare-versions "$v" gt "${version:-0}"; then
		version=$v
	fi
done
[ -n "$version" ] ||
	die "base $BASE: $package $pinned is gone from the archive" \
	"Looked in: $suites" "Found: ${versions:-nothing}" \
	"Move the pin in the file bases (CONTRIBUTING.md says how)." "$next"
[ "$version" = "$pinned" ] || [ -n "$newest_wanted" ] ||
	say "NOTICE: $pinned is gone; taking $version, newer than the series was made on"

file=${package}_${version}_$arch.deb
if ! whole "$file"; then
	# What it depends on passes for installed, not to be fetched as well
	private apt-cache show "$package=$version" | sed -n 's/^Depends: //p' | tr ',|' '\n' |
		awk '{ sub(/:.*/, "", $1); print "Package: " $1 "\nVersion: 999\nArchitecture: amd64\nStatus: install ok installed\n" }' >"$status"
	say "Fetching $package $version"
	# Not apt-get download, which starts anew after a break
	private apt-get -q install --download-only --reinstall --no-install-recommends -y \
		"$package=$version" ||
		die "$package $version could not be fetched" \
		"Run the command again: the download goes on where it stopped" "$next"
	mv "$apt/archives/$file" "$cache"
	rm -rf "$apt/archives"
	private apt-cache show "$package=$version" |
		awk -v file="$file" '$1 == "SHA256:" { print $2 "  " file }' >"$cache/$file.sha256"
	whole "$file" || die "$cache/$file is broken" "Remove it and come again"
fi
ln -sfn "$file" "$link"
