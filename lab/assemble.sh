#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# assemble.sh [--reset]: make the branch "series" of build/$BASE/linux, the base
# and on it the patches of patches/$BASE, each with the new files that its line
# in the series names. Commits made there by hand are left alone but for --reset.
set -eu
. "${0%/*}/lib.sh"

[ -f "$PATCHES/series" ] || die "no series for base $BASE" "Looked for: $PATCHES/series"
for file in $(series); do
	[ -f "$PATCHES/$file" ] || [ -f "$TOP/$file" ] ||
		die "the series of base $BASE names a file that is not there: $file" \
		"It is in $PATCHES/series; looked for it there and in $TOP"
done
[ "${1:-}" != --reset ] || rm -f "$WORK/assembled"
"$TOP/lab/source.sh"

# What the branch is made of, to know whether it is still that
stamp=$({
	labgit rev-parse base
	for file in series $(series); do
		cat "$PATCHES/$file" 2>/dev/null || cat "$TOP/$file"
	done
} | sum)
old=
[ ! -e "$WORK/assembled" ] || read -r old _ <"$WORK/assembled"

if ! "$TOP/lab/edited.sh"; then
	[ "$old" = "$stamp" ] ||
		die "both the patches and the branch series in $TREE were changed" \
		"To keep the branch: make refresh. To keep the patches: make reset"
	[ -z "$(labgit status --porcelain --untracked-files=no)" ] ||
		die "changes in $TREE are not committed" \
		"Commit them there (git commit --amend, say) and come again, or drop them: make reset"
	say "NOTICE: the branch series is taken as edited; make refresh writes it into the patches"
	exit 0
fi
[ "$old" != "$stamp" ] || exit 0

# failed PATCH OUTCOME ADVICE
failed()
{
	labgit am --abort >/dev/null 2>&1 || :
	die "$1 $2 (base $BASE: $(labgit log -1 --format=%s base | sed 's/^Import //'))" \
	"Tried: git am, after $(labgit rev-list --count base..HEAD) patches that applied. Nothing was built." "$3"
}

# apply PATCH FILE...
apply()
{
	patch=$PATCHES/$1
	if labgit apply --check "$patch" 2>"$WORK/apply.log"; then
		:
	elif labgit apply --reverse --check "$patch" 2>/dev/null; then
		failed "$1" "is already applied" \
			"The base has this change: take the patch out of $PATCHES/series"
	else
		cat "$WORK/apply.log" >&2
		failed "$1" "does not apply" \
			"Rebase it (CONTRIBUTING.md): $TREE is at the patch before it; git am --reject $patch"
	fi
	labgit am -q --committer-date-is-author-date "$patch" ||
		failed "$1" "is no patch for git am" "See the message of git above"
	shift
	[ $# != 0 ] || return 0
	for file; do
		mkdir -p "$TREE/${file%/*}"
		cp "$TOP/$file" "$TREE/$file"
	done
	labgit add "$@"
	GIT_COMMITTER_DATE=$(labgit log -1 --format=%aI) labgit commit -q --amend --no-edit
}

say "Applying $(series | wc -l) patches to base $BASE"
rm -f "$WORK/assembled"
labgit am --abort >/dev/null 2>&1 || :
labgit checkout -q --force --detach base
series | while read -r patch files; do
	say "    $patch"
	# shellcheck disable=SC2086 # a list of words
	apply "$patch" $files
done
labgit checkout -q -B series
echo "$stamp $(labgit rev-parse HEAD)" >"$WORK/assembled"
