#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The patches as such: their style, their bytes, their way by mail
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"

scratch=$WORK/test-series
rm -rf "$scratch"
mkdir -p "$scratch"

# checkpatch ARGUMENT...: the import has no history to look a commit up in, and
# older kernels do not know the form of Assisted-by
ignore=UNKNOWN_COMMIT_ID
[ "$BASE" = "$newest" ] || ignore=$ignore,BAD_SIGN_OFF
checkpatch()
{
	(cd "$TREE" && scripts/checkpatch.pl --strict --no-signoff --quiet \
		--ignore "$ignore" "$@")
}

series | while read -r patch files; do
	check "checkpatch $patch" checkpatch "$PATCHES/$patch"
	for file in $files; do
		check "checkpatch $file" checkpatch -f "$TOP/$file"
	done
done

regenerates()
{
	"$TOP/lab/format.sh" "$scratch/format" &&
		diff -r -x files "$scratch/format" "$PATCHES" &&
		(cd "$scratch/format/files" && find . -type f -exec cmp {} "$TOP/{}" \;)
}
if [ -n "${KSRC:-}" ]; then
	skip 'patches regenerate byte for byte' 'the blobs of KSRC may differ'
elif [ "$(labgit log -1 --format=%s base)" != "Import $package $pinned" ]; then
	skip 'patches regenerate byte for byte' "the blobs of a newer release than $pinned may differ"
else
	silent 'patches regenerate byte for byte' regenerates
fi

# A tree as a reviewer has it, of the directories that the series touches
pristine()
{
	rm -rf "$scratch/tree"
	labgit worktree prune
	labgit worktree add -q --no-checkout --detach "$scratch/tree" base
	TREE=$scratch/tree
	dirs=$(labgit diff --name-only base series | xargs -n 1 dirname | sort -u | grep -vx '[.]')
	# shellcheck disable=SC2086 # a list of words
	labgit sparse-checkout set $dirs
	labgit checkout -q
}

same_tree()
{
	[ "$(labgit rev-parse 'HEAD^{tree}')" = "$(labgit rev-parse 'series^{tree}')" ]
}

round_trip()
{
	"$TOP/lab/mbox.sh" &&
		mkdir "$scratch/b4" &&
		HOME=$scratch git config --global user.name lab &&
		HOME=$scratch git config --global user.email lab@localhost &&
		HOME=$scratch b4 am -C -m "$BUILD/series.mbx" -o "$scratch/b4" &&
		pristine && labgit am -q "$scratch/b4"/*.mbx && same_tree
}
if [ "$BASE" != "$newest" ]; then
	skip 'mbox: b4 am, git am give the tree that is tested' "the series that is mailed is that for $newest"
elif [ -f "${COVER:-$TOP/cover}/v1.txt" ]; then
	check 'mbox: b4 am, git am give the tree that is tested' round_trip
else
	skip 'mbox: b4 am, git am give the tree that is tested' 'no cover letter yet'
fi
labgit worktree prune
