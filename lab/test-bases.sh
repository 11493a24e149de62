#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The bases that are not the one under test: their series apply, and mm/ compiles.
# All else of them is for make test BASE=NAME.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"

# of BASE COMMAND: one of the scripts here
of()
{
	env -u KSRC -u PATCHES DEBUG=0 BASE="$1" sh -c "$2"
}

awk '!/^#/ && NF { print $1 }' "$BASES" | while read -r base; do
	if [ "$base" = "$BASE" ] || [ ! -f "$TOP/patches/$base/series" ]; then
		continue
	fi
	say "Applying the series for $base, compiling mm/"
	check "$base: the series applies" of "$base" "$TOP/lab/assemble.sh"
	check "$base: mm/ compiles" of "$base" "$TOP/lab/build.sh patched mm/"
done
