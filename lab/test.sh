#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# test.sh [PART...]: all the checks or some, and one line of what came of them. What
# has to be built for them is built first.
set -eu
. "${0%/*}/lib.sh"

log=$BUILD/test-$BASE.log
mkdir -p "$BUILD"
[ $# != 0 ] || set -- lint assemble test-series 'build base' 'build patched' selftests initrd \
	test-harness test-clock test-static test-docs test-guest test-bases
for part; do
	# What is not of a base is checked once
	case $part:$BASE in
	*:"$newest") ;;
	lint:*|test-harness:*|test-clock:*|test-docs:*|test-bases:*) continue ;;
	esac
	# shellcheck disable=SC2086 # the words of a command
	"$TOP"/lab/${part%% *}.sh ${part#"${part%% *}"} 2>&1 || case $part in
	lint) ;; # it counts by its lines
	test-*) echo "not ok - $part.sh ended early" ;;
	*)
		echo "not ok - $part.sh: see above; the checks after it were not run"
		break ;;
	esac
done | tee "$log"

passed=$(grep -c '^ok - ' "$log") || :
failed=$(grep -c '^not ok - ' "$log") || :
skipped=$(grep -c '^ok - .* # SKIP ' "$log") || :
echo "$((passed - skipped)) passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
