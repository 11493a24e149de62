#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# format.sh DIR: write the branch "series" as patches, their series file and, in
# DIR/files, the new files that they carry. A commit to the kernel itself gets a
# number. One to tests and documents only has none, and the files that it adds
# stay out of its patch. The bytes depend on nothing but the commits.
set -eu
. "${0%/*}/lib.sh"

out=$1
rm -rf "$out"
mkdir -p "$out/files"
sed -n '/^#/!q; p' "$PATCHES/series" >"$out/series"

format()
{
	labgit format-patch -q -1 --always --zero-commit --full-index --no-signature \
		--no-numbered --no-signoff --diff-algorithm=myers -o "$out" "$@"
}

number=0
for commit in $(labgit rev-list --reverse base..series); do
	files=
	if [ -n "$(labgit diff-tree -r --name-only "$commit^" "$commit" -- . \
		   ':!tools/testing' ':!Documentation' ':!MAINTAINERS')" ]; then
		number=$((number + 1))
		format --start-number "$number" "$commit"
		name=$(cd "$out" && echo "$(printf %04d "$number")"-*.patch)
	else
		files=$(labgit diff-tree -r --name-only --diff-filter=A "$commit^" "$commit")
		set -- .
		for file in $files; do
			set -- "$@" ":!$file"
			mkdir -p "$out/files/$(dirname "$file")"
			labgit show "series:$file" >"$out/files/$file"
			case $(labgit ls-tree series "$file") in
			100755*) chmod 755 "$out/files/$file" ;;
			esac
		done
		format --start-number 0 "$commit" -- "$@"
		name=$(cd "$out" && echo 0000-*.patch)
		mv "$out/$name" "$out/${name#0000-}"
		name=${name#0000-}
	fi
	# shellcheck disable=SC2086 # a list of words
	echo "$name" $files >>"$out/series"
done
