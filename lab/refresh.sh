#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Write the branch "series" back into patches/$BASE, and the new files of its
# commits to their places in this repository.
set -eu
. "${0%/*}/lib.sh"

[ -z "${KSRC:-}" ] || die "refresh is for a base of the table, not for KSRC" \
	"The index lines of the patches name the files of $package"
[ -d "$TREE" ] || die "there is no tree to take the patches from" "Make it: make edit"
[ -z "$(labgit status --porcelain --untracked-files=no)" ] ||
	die "changes in $TREE are not committed" "Commit them there and come again"
[ "$(labgit merge-base base series)" = "$(labgit rev-parse base)" ] ||
	die "the branch series in $TREE is not on top of base" "Rebase it there: git rebase base series"
if labgit log --format=%B base..series | grep '^Signed-off-by:' >&2; then
	die "a commit of the branch series carries a sign-off" \
	"The patches here have none: a person adds theirs, make mbox SIGNOFF=1"
fi

out=$WORK/refresh
"$TOP/lab/format.sh" "$out"

# Only what differs is written
(cd "$out/files" && find . -type f) | while read -r file; do
	mkdir -p "$TOP/$(dirname "$file")"
	cmp -s "$out/files/$file" "$TOP/$file" || cp "$out/files/$file" "$TOP/$file"
done
for patch in "$PATCHES"/*.patch; do
	[ -e "$out/${patch##*/}" ] || rm -f "$patch"
done
for file in "$out"/*.patch "$out/series"; do
	cmp -s "$file" "$PATCHES/${file##*/}" || cp "$file" "$PATCHES"
done
say "$(series | wc -l) patches in ${PATCHES#"$TOP"/}"

# The branch as the patches make it
rm -f "$WORK/assembled"
"$TOP/lab/assemble.sh"
