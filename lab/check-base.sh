#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a bump of the base would meet, without a build: say which release the
# archive has now, and for each patch whether it applies to that, is applied
# already or conflicts. Of a kernel tree in KSRC, the same. Fails where not all
# apply. The files that the patches change are kept in build/$BASE/check.
set -eu
. "${0%/*}/lib.sh"

[ -f "$PATCHES/series" ] || die "no series for base $BASE" "Looked for: $PATCHES/series"
TREE=$WORK/check
touched=$(series | while read -r patch _; do
	sed -n 's,^--- a/,,p' "$PATCHES/$patch"
done | sort -u)

if [ -n "${KSRC:-}" ]; then
	version="files of $KSRC"
else
	"$TOP/lab/fetch.sh" --newest
	deb=$BUILD/cache/$BASE-newest.deb
	version=$(dpkg-deb -f "$deb" Version)
	say "The series is for $package $pinned; the archive has $version"
fi

stamp=$(echo "$version" "$touched" | sum)
if [ -n "${KSRC:-}" ] || [ "$(cat "$TREE/.git/stamp" 2>/dev/null)" != "$stamp" ]; then
	rm -rf "$TREE"
	mkdir -p "$TREE"
	cd "$TREE"
	if [ -n "${KSRC:-}" ]; then
		for file in $touched; do
			mkdir -p "$(dirname "$file")"
			cp "$KSRC/$file" "$file" 2>/dev/null || :
		done
	else
		# one that is gone from the kernel is a conflict, below
		# shellcheck disable=SC2046 # a list of words
		dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards './usr/src/*.tar.xz' |
			tar -xJ --strip-components=1 --wildcards --no-wildcards-match-slash \
			$(echo "$touched" | sed 's,^,*/,') 2>"$WORK/tar.log" || :
		[ -f mm/filemap.c ] || die "$version did not unpack to a kernel tree" \
			"Remove $deb and come again"
	fi
	labgit init -q -b base
	labgit add --all .
	labgit commit -q --allow-empty -m "$version"
	echo "$stamp" >.git/stamp
fi
labgit reset -q --hard
labgit clean -fdxq

# Those that are in it already are taken out, from the last on, as the first may
# have been changed by those after it; then each has its turn.
already=$(series | sed '1!G; h; $!d' | while read -r patch _; do
	! labgit apply --reverse "$PATCHES/$patch" 2>/dev/null || echo "$patch"
done)
series | while read -r patch _; do
	if ! labgit apply "$PATCHES/$patch" 2>"$WORK/apply.log"; then
		echo "conflict         $patch"
		sed 's/^/    /' "$WORK/apply.log"
	elif echo "$already" | grep -qxF "$patch"; then
		echo "already applied  $patch"
	else
		echo "applies          $patch"
	fi
done | tee "$WORK/check.log"
count()
{
	grep -c "^$1 " "$WORK/check.log" || :
}
applies=$(count applies)
say "$applies apply, $(count 'already applied') are applied already, $(count conflict) conflict"
[ "$applies" = "$(series | wc -l)" ]
