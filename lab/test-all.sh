#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Run test.sh for each base, and print what came of each check: a matrix, which is in
# build/matrix then
set -eu
. "${0%/*}/lib.sh"

[ -z "${KSRC:-}" ] || die "test-all is for the bases of the table, not for KSRC" \
	"Give make test KSRC=..."
bases=$(awk '!/^#/ && NF { print $1 }' "$BASES")
status=0
set --
for BASE in $bases; do
	[ -f "$TOP/patches/$BASE/series" ] || continue
	say "Base $BASE"
	# not the last command of a pipe, but what it says itself is its status
	env BASE="$BASE" PATCHES="$TOP/patches/$BASE" "$TOP/lab/test.sh" || status=1
	set -- "$@" "$BUILD/test-$BASE.log"
done
echo
awk -f "$TOP/lab/matrix.awk" "$@" | tee "$BUILD/matrix"
exit "$status"
