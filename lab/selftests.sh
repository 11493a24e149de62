#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Build the kselftests that lab/tests names into build/$BASE/tests: static, of the
# tree with the series, by its own makefiles. One set is for all bases, that of
# the newest, which has the tests of the series; the others have a link to it.
set -eu
. "${0%/*}/lib.sh"

tests=$WORK/tests
if [ "$BASE" != "$newest" ]; then
	for part in assemble selftests; do
		env -u KSRC -u PATCHES BASE="$newest" "$TOP/lab/$part.sh"
	done
	rm -rf "$tests"
	ln -s "$BUILD/$newest/tests" "$tests"
	exit 0
fi
programs=$(awk '!/^#/ && NF { print $2 }' "$TOP/lab/tests" | sort -u)
stamp=$({
	echo "$programs"
	labgit rev-parse series:tools/testing series:include
} | sum)
[ "$(cat "$tests/stamp" 2>/dev/null)" != "$stamp" ] || exit 0

say "Building the tests"
rm -rf "$tests"
labgit checkout -q series
logged "$WORK/headers.log" kmake O="$OBJ" headers
for program in $programs; do
	source=$TREE/tools/testing/selftests/${program%/*}
	[ -d "$source" ] || die "lab/tests: base $BASE has no $program" "Looked for: $source"
	mkdir -p "$tests/${program%/*}"
	logged "$WORK/selftests.log" make -C "$source" OUTPUT="$tests/${program%/*}" \
		KHDR_INCLUDES="-isystem $TREE/$OBJ/usr/include" LDFLAGS=-static "$tests/$program"
	strip "$tests/$program"
done
# What the makefiles leave in the source
labgit clean -fdxq tools/testing
echo "$stamp" >"$tests/stamp"
