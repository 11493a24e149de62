#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Write build/series.mbx, the series as it would be mailed. Nothing is sent.
# SIGNOFF=1 adds the sign-off of the person who runs it.
set -eu
. "${0%/*}/lib.sh"

[ "$BASE" = "$newest" ] || die "the series that is mailed is that for $newest, whose cover letter there is" \
	"One for $BASE goes by its files: git am patches/$BASE/0*.patch"

version=$(version)
cover=$COVER/v$version.txt
if [ ! -f "$cover" ] || [ ! -f "$COVER/change-id" ]; then
	die "there is no cover letter" "Looked for: cover/v1.txt (the subject, an empty line, the text), cover/change-id"
fi
if [ "$base_commit" = - ] && [ -n "${KSRC:-}" ]; then
	base_commit=$(labgit log -1 --format=%s base | sed -n 's/^Import commit //p')
fi

# The cover letter comes from who sends it: the person who signs off, else the
# author of the patches
who=$(labgit log -1 --format='%an <%ae>' series)
signoff=
if [ "${SIGNOFF:-0}" = 1 ]; then
	signoff=--signoff
	who=$(git var GIT_COMMITTER_IDENT) || die "SIGNOFF=1: git does not know who you are" \
		"Tell it: git config --global user.name and user.email"
fi
name=${who%% <*} email=${who#*<}
email=${email%%>*}

reroll=
[ "$version" = 1 ] || reroll=--reroll-count=$version
mail=$WORK/mail
rm -rf "$mail"
labgit config branch.series.description "$(cat "$cover")"
# shellcheck disable=SC2086 # options or none
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
GIT_COMMITTER_NAME=$name GIT_COMMITTER_EMAIL=$email \
	git -C "$TREE" format-patch -q --numbered --thread --full-index --no-signature \
	--cover-letter --cover-from-description=subject \
	$reroll $signoff -o "$mail" base..series
set -- "$mail"/*0000-cover-letter.patch
{
	echo ---
	[ "$base_commit" = - ] || echo "base-commit: $base_commit"
	echo "change-id: $(cat "$COVER/change-id")"
	echo
} >>"$1"
# A header is one line: b4 0.12 stops at a folded one
awk '
	/^From [0-9a-f]+ Mon Sep 17 00:00:00 2001$/ { head = 1 }
	head && /^[ \t]/ { sub(/^[ \t]+/, " "); printf "%s", $0; next }
	NR > 1 { print "" }
	/^$/ { head = 0 }
	{ printf "%s", $0 }
	END { print "" }' "$mail"/*.patch >"$BUILD/series.mbx"
say "Written to ${BUILD#"$TOP"/}/series.mbx: $(grep -c '^From [0-9a-f]\{40\} ' "$BUILD/series.mbx") mails"
if [ "$base_commit" = - ]; then
	say "NOTICE: without a base-commit: the table in bases has none for $tag. Give BASE_COMMIT=<the commit of $tag>"
fi
