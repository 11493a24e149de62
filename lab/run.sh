#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run.sh [JOB]: run bench/JOB.job in the base and in the patched kernel, and
# print the table of both under the environment it was measured in. Ends with 1
# where the table says that something does not hold.
set -eu
. "${0%/*}/lib.sh"

name=${1:-cases}
job=$TOP/bench/$name.job
[ -r "$job" ] || die "no job $job"
out=$WORK/$name-$CLOCK$variant
mkdir -p "$out"
rm -f "$out/csv" "$out/repeated"
plan=
if [ "$name" = cases ]; then
	plan=$out/plan
	awk -v mode=plan -v clock="$CLOCK" -v select="${CASES:-}" -f "$TOP/bench/plan.awk" \
		"$TOP/bench/cases" >"$plan" || die "CASES=${CASES:-}: see above"
fi

# A disk of programs, for the jobs that say they need it
image=
if grep -q "^# needs: image$" "$job"; then
	"$TOP/lab/image.sh"
	image=$BUILD/image/programs.ext4
fi

# measure KERNEL: a run that fails in it is told by the table
measure()
{
	say "Running $name in the $1 kernel $(cat "$WORK/$1$variant/release") ($("$TOP/lab/accel.sh" "$WORK/$1$variant/bzImage"), $CLOCK clock)"
	"$TOP/lab/boot.sh" -k "$WORK/$1$variant/bzImage" -j "$job" -o "$out/$1" \
		-t 1200 -d ext4 -d xfs -d btrfs ${image:+-i "$image"} -e KERNEL="$1" -e CASES="${CASES:-}"
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

"$TOP/lab/env.sh" >"$out/environment"
table=$TOP/bench/$name.awk
[ -r "$table" ] || exit 0
status=0
# shellcheck disable=SC2086 # none or one
awk -v clock="$CLOCK" -v csv="$out/csv" -v repeated="$out/repeated" -f "$table" $plan \
	"$out/base/result" "$out/patched/result" >"$out/table" || status=$?
cat "$out/environment" "$out/table"
say "That is in ${out#"$TOP"/}: environment, table, csv, repeated"
exit $status
