#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# each.sh [FROM]: each patch of the series, from that number on, by itself on
# those before it: the kernel builds, boots, does not complain and passes the
# tests that the base passes. Prints the major faults of a walk down 256 MiB, so
# that one sees which patch does what.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"

from=${1:-1}
case $from in
*[!0-9]*) die "FROM=$from: not the number of a patch" "Give FROM=3 or the like, or none for all" ;;
esac
out=$WORK/each$variant
rm -rf "$out"
mkdir -p "$out"

# build COMMIT DIRECTORY
build()
{
	labgit checkout -q "$1"
	kmake -j"$JOBS" O="$TREE/$OBJ" LOCALVERSION=-each bzImage >"$2/build.log" 2>&1 ||
		{ tail -n 20 "$2/build.log"; return 1; }
	cp "$TREE/$OBJ/arch/x86/boot/bzImage" "$2"
}

# passed DIRECTORY: every test gave the status 0, or 4 for skipped
passed()
{
	grep -q '^== ' "$1/result" || { echo "no test ran, see $1/result"; return 1; }
	! grep '^== ' "$1/result" | grep -Ev ' [04]$'
}

trap 'labgit checkout -q series' EXIT
number=0
for commit in $(labgit rev-list --reverse base..series -- '*.[ch]' ':!tools' ':!Documentation'); do
	number=$((number + 1))
	[ "$number" -ge "$from" ] || continue
	subject=$(labgit log -1 --format=%s "$commit")
	dir=$out/$number
	mkdir -p "$dir"
	say "$number $subject"
	check "builds: $subject" build "$commit" "$dir"
	[ -e "$dir/bzImage" ] || continue
	check "boots: $subject" "$TOP/lab/boot.sh" -k "$dir/bzImage" \
		-j "$TOP/lab/guest/selftests.job" -o "$dir/guest" -t 120 -d ext4 -d xfs -e KERNEL=each
	check "passes: $subject" passed "$dir/guest"
	sed -n 's/.*advice=\([a-z]*\) .*majflt=\([0-9]*\).*/   \1: \2 major faults down 256 MiB/p' "$dir/guest/result"
done
[ "$number" -ge "$from" ] || die "FROM=$from: the series has $number patches of the kernel"
[ "$failures" = 0 ]
