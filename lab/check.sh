# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Sourced by the scripts that check: a line a check, "ok - NAME" or "not ok -
# NAME" with what was said in lines that start with #.

failures=0

ok()
{
	echo "ok - $1"
}

# not_ok NAME [OUTPUT]
not_ok()
{
	echo "not ok - $1"
	[ -z "${2:-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
	failures=$((failures + 1))
}

skip()
{
	echo "ok - $1 # SKIP $2"
}

# check NAME COMMAND...: it must succeed
check()
{
	name=$1
	shift
	if output=$("$@" 2>&1 </dev/null); then
		ok "$name"
	else
		not_ok "$name" "$output"
	fi
}

# silent NAME COMMAND...: it must find nothing to print
silent()
{
	name=$1
	shift
	output=$("$@" 2>&1 </dev/null) || :
	if [ -z "$output" ]; then
		ok "$name"
	else
		not_ok "$name" "$output"
	fi
}

# refused NAME STATUS TEXT COMMAND...: it must end with that status, and say TEXT
refused()
{
	name=$1 status=$2 text=$3 rc=0
	shift 3
	output=$("$@" 2>&1 </dev/null) || rc=$?
	if [ "$rc" != "$status" ]; then
		not_ok "$name" "status $rc where $status was due
$output"
	elif ! printf '%s\n' "$output" | grep -q -e "$text"; then
		not_ok "$name" "nothing like \"$text\" in
$output"
	else
		ok "$name"
	fi
}
