#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The checks that need neither a kernel nor the network
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"
cd "$TOP"

files=$(git ls-files --cached --others --exclude-standard 2>/dev/null |
	while read -r file; do [ ! -f "$file" ] || echo "$file"; done)
[ -n "$files" ] || files=$(find . -path ./build -prune -o -path ./.git -prune -o -type f -printf '%P\n')

# files_but PATTERN: our files but those
files_but()
{
	echo "$files" | grep -vE "$1"
}

scripts()
{
	echo "$files" | while read -r file; do
		case $file in
		tools/*) ;;
		*.sh|*.job) echo "$file" ;;
		*) ! head -n 1 "$file" | grep -q '^#!.*sh$' || echo "$file" ;;
		esac
	done
}

no_spdx()
{
	files_but '^(results|cover)/|\.patch$' | while read -r file; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0' || echo "$file"
	done
}

# What no file may hold: names of archive hosts, paths of one machine
not_here()
{
	echo "$files" | xargs grep -nEI 'debian[.](org|net)|(^|[^a-z.$])/(work|home|root)/'
}

# subjects and tags of the patches, over all bases
patch_text()
{
	for patch in patches/*/*.patch; do
		[ -f "$patch" ] || continue
		subject=$(git mailinfo /dev/null /dev/null <"$patch" | sed -n 's/^Subject: //p')
		[ "${#subject}" -le 75 ] || echo "$patch: the subject is longer than 75 characters"
		! grep -q '^Signed-off-by:' "$patch" || echo "$patch: a Signed-off-by is a person's to give"
		grep -q '^Assisted-by: LLM' "$patch" || echo "$patch: no Assisted-by: LLM"
	done
}

series_files()
{
	for series in patches/*/series; do
		PATCHES=${series%/series}
		series | tr ' ' '\n' | while read -r file; do
			[ -f "$file" ] || [ -f "$PATCHES/$file" ] || echo "$series: no $file"
		done
		for patch in "$PATCHES"/*.patch; do
			series | grep -q "^${patch##*/}" || echo "$patch: not in $series"
		done
	done
}

readme()
{
	make -s help | sed -n '1,/^Settings/s/^  \([a-z-]*\) .*/\1/p' | while read -r target; do
		grep -q "make $target" README.md || echo "README.md: no make $target"
	done
}

# shellcheck disable=SC2046 # a list of words
check 'shellcheck' shellcheck $(scripts)
silent 'each file has an SPDX line' no_spdx
silent 'no host names, no paths of one machine' not_here
silent 'patches: subject, Assisted-by, no Signed-off-by' patch_text
silent 'series files name what is there' series_files
silent 'README.md names each target' readme
silent 'README.md and the cover letter have the numbers of results/' lab/report.sh --check
[ "$failures" = 0 ]
