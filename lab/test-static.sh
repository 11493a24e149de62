#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each patch by itself: the objects it is about compile with W=1 and under
# sparse, and with W=1 for 32 bits, a kernel that is as small as can be; and draw
# no warning that the base does not draw
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"

out=$WORK/test-static
rm -rf "$out"
mkdir -p "$out"

objects=$(labgit diff --name-only base series -- '*.c' ':!tools' ':!Documentation' |
	sed 's/c$/o/')
if [ -z "$objects" ]; then
	skip 'W=1 and sparse' 'the series changes no C file of the kernel'
	exit 0
fi

# warnings COMMIT: all that the compiler and sparse say of the objects, without
# the line numbers, which every patch moves
warnings()
{
	labgit checkout -q "$1"
	# shellcheck disable=SC2086 # a list of words
	{
		(cd "$TREE/$OBJ" && rm -f $objects)
		(cd "$small" && rm -f $objects)
		kmake -s -j"$JOBS" O="$OBJ" W=1 C=2 $objects &&
			kmake -s -j"$JOBS" ARCH=i386 O="$small" W=1 $objects
	} >"$out/log" 2>&1 || { cat "$out/log"; return 1; }
	grep -E 'warning|error' "$out/log" | sed -E 's/:[0-9]+(:[0-9]+)?:/:/' | sort -u
}

new_warnings()
{
	warnings "$1" >"$out/new" || { cat "$out/new"; return; }
	comm -13 "$out/base" "$out/new"
}

trap 'labgit checkout -q series' EXIT
small=$WORK/i386
mkdir -p "$small"
labgit checkout -q base
logged "$out/config.log" kmake ARCH=i386 O="$small" tinyconfig
warnings base >"$out/base" || { cat "$out/base"; exit 1; }
for commit in $(labgit rev-list --reverse base..series -- '*.[ch]' ':!tools' ':!Documentation'); do
	silent "W=1 and sparse: $(labgit log -1 --format=%s "$commit")" new_warnings "$commit"
done
