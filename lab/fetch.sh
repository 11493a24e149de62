#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Fetch the base kernel's source package into build/cache. Ends with $BASE.deb, a link.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"

cache=$BUILD/cache
link=$cache/$BASE.deb

next="Or use a kernel tree that you have: KSRC=/path/to/linux"
command -v apt-get >/dev/null || die "no apt here to fetch $package with" "$next"

if [ -e "$link" ]; then
	version=$(dpkg-deb -f "$link" Version)
	file=$(readlink "$link")
	if dpkg --compare-versions "$version" ge "$pinned" &&
	   (cd "$cache" && sha256sum --quiet -c "$file.sha256"); then
		exit 0
	fi
	rm -f "$link"
fi

# shellcheck disable=SC2016 # it is for apt to expand
archive=$(targets '$(REPO_URI)' | awk '$1 == "Debian" { print $2; exit }')
[ -n "$archive" ] ||
	die "this machine's apt knows no archive of Debian" \
	"Asked: apt-get indextargets (an apt-get update may be due)" "$next"

apt=$cache/apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
for suite in $(echo "$suites" | tr ',' ' '); do
	echo "deb [signed-by=$keyring] $archive $suite main"
done >"$apt/sources.list"

say "Looking for $package $pinned in $suites"
# One suite that a mirror lacks is no failure while another has the package
private apt-get update || :
versions=$(private apt-cache madison "$package" | awk -F' *[|] *' '{ print $2 }')

version=
for v in $versions; do
	if [ "$v" = "$pinned" ]; then
		version=$v
		break
	elif dpkg --compare-versions "$v" gt "${version:-$pinned}"; then
		version=$v
	fi
done
[ -n "$version" ] ||
	die "base $BASE: $package $pinned is gone from the archive" \
	"Looked in: $suites" "Found: ${versions:-nothing}" \
	"Move the pin in the file bases (CONTRIBUTING.md says how)." "$next"
[ "$version" = "$pinned" ] ||
	say "NOTICE: $pinned is gone; taking $version, newer than the series was made on"

# Not apt-get download, which starts anew after a break
say "Fetching $package $version"
private apt-get install --download-only --reinstall --no-install-recommends -y \
	"$package=$version" ||
	die "$package $version could not be fetched" \
	"Run the command again: the download goes on where it stopped" "$next"
file=$(basename "$apt/archives/${package}_"*.deb)
mv "$apt/archives/$file" "$cache"
rm -rf "$apt/archives"
cd "$cache"
private apt-cache show "$package=$version" |
	awk -v file="$file" '$1 == "SHA256:" { print $2 "  " file }' >"$file.sha256"
sha256sum --quiet -c "$file.sha256" || die "$cache/$file is broken" "Remove it and come again"
ln -sfn "$file" "$link"
