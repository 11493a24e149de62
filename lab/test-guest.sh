#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# test-guest.sh [base|patched|deb]...: the kselftests of lab/tests in those kernels,
# of which deb is that of make deb; without one in both that make test is about
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"
. "$TOP/lab/guest/lib.sh"

[ $# != 0 ] || set -- patched base
for kernel; do
	out=$WORK/test-guest/$kernel$variant
	if ! release=$(cat "$WORK/$kernel$variant/release" 2>/dev/null); then
		not_ok "$kernel$variant: there is a kernel" "Build it: make build, make deb"
		continue
	fi
	# An older kernel may not know the file system of a test that it skips
	disks=$(grep -v '^#' "$TOP/lab/tests" | while read -r _ _ directory since _; do
		older "$since" "$release" || echo "-d ${directory#/mnt/}"
	done | sort -u)
	# shellcheck disable=SC2086 # a list of words
	check "$kernel$variant: the kernel runs the tests and does not complain" \
		"$TOP/lab/boot.sh" -k "$WORK/$kernel$variant/bzImage" -j "$TOP/lab/guest/selftests.job" \
		-o "$out" -t 300 $disks -e KERNEL="$kernel"
	grep -v '^#' "$TOP/lab/tests" | while read -r name _ _ _ base patched _; do
		[ "$kernel" = base ] && expected=$base || expected=$patched
		status=$(sed -n "s/^== $name //p" "$out/result")
		# what a test that failed had printed, and what was skipped
		why=$(awk -v end="== $name" '
			/^== / { if (index($0, end " ") == 1) exit; all = ""; next }
			/^#  RUN/ { said = "" }
			{ said = said $0 "\n" }
			/^not ok/ { all = all said; said = "" }
			/# SKIP/ { all = all $0 "\n" }
			END { printf "%s", all }' "$out/result")
		case ${expected:--}:$status in
		-:*) ;;
		pass:0) ok "$kernel$variant: $name" ;;
		fail:1) ok "$kernel$variant: $name fails, as it should without the series" ;;
		*:4) skip "$kernel$variant: $name" "${why:-by itself}" ;;
		*) not_ok "$kernel$variant: $name" "status ${status:-none}, where it should $expected; all of it is $out/result
$why" ;;
		esac
	done
done
