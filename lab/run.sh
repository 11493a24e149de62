#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run.sh [JOB]: run bench/JOB.job in the base and in the patched kernel, and
# print the report of both under the environment it was measured in.
set -eu
. "${0%/*}/lib.sh"

name=${1:-compare}
job=$TOP/bench/$name.job
[ -r "$job" ] || die "no job $job"
# A job that measures something of its own has a table of its own
table=$TOP/bench/$name.awk
[ -r "$table" ] || table=$TOP/bench/report.awk
out=$WORK/$name$variant
mkdir -p "$out"
measure()
{
	say "Running $name in the $1 kernel $(cat "$WORK/$1$variant/release") ($("$TOP/lab/accel.sh" "$WORK/$1$variant/bzImage"), $CLOCK clock)"
	"$TOP/lab/boot.sh" -k "$WORK/$1$variant/bzImage" -j "$job" -o "$out/$1" \
		-t 300 -d ext4 -d xfs -e KERNEL="$1"
}
if [ "$CLOCK" = sim ]; then
	# A clock that counts instructions does not mind company
	measure base & base=$!
	measure patched || { kill "$base"; exit 1; }
	wait "$base"
else
	measure base
	measure patched
fi

results=$TOP/results
[ -z "${KSRC:-}" ] || results=$WORK
mkdir -p "$results"
suffix=
[ "$CLOCK" = wall ] || suffix=-$CLOCK
report=$results/$name-$BASE$suffix$variant.txt
[ "$name" != compare ] || report=$results/run-$BASE$suffix$variant.txt
{
	"$TOP/lab/env.sh" "$out/base" "$out/patched"
	awk -f "$table" "$out/base/result" "$out/patched/result"
} >"$out/report"
cp "$out/report" "$report"
cat "$report"
say "Written to ${report#"$TOP"/}"
