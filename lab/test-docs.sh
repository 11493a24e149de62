#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The page for administrators: each command in it works in the guest and prints
# what the page says, and the page makes no warning in the kernel's documentation.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"

page=Documentation/admin-guide/mm/readahead.rst
out=$WORK/test-docs$variant
rm -rf "$out"
mkdir -p "$out"

# examples PAGE: the lines of its literal blocks. "# " is the prompt before a
# command, which may go on in the next line; other lines are what it prints.
examples()
{
	awk '/^[^ ]/ { inside = /::$/; next }
		inside && /^    / { print substr($0, 5) }' "$1" |
		sed -e ':a' -e '/\\$/{' -e 'N; s/\\\n *//; ta' -e '}'
}

# run PAGE DIRECTORY: its commands in the guest, which must all succeed
run()
{
	{
		cat "$TOP/lab/guest/docs.job"
		examples "$1" | sed -n "s/'/'\\\\''/g; s/^# \(.*\)/run '\1'/p"
	} >"$out/job"
	"$TOP/lab/boot.sh" -k "$WORK/patched$variant/bzImage" -j "$out/job" -o "$2" \
		-t 100 -d ext4 || { status=$?; cat "$2/result"; return $status; }
}

# same PAGE DIRECTORY: what they printed is what the page says, line by line; "..."
# in the page is for any text
same()
{
	examples "$1" >"$out/examples"
	awk 'NR == FNR { said[++n] = $0; next }
		{
			text = said[FNR]
			gsub(/[][\\.^$*+?(){}|\/]/, "\\\\&", text)
			gsub(/\\\.\\\.\\\./, ".*", text)
			if ($0 !~ "^" text "$") {
				print "the page: " said[FNR] "\nthe guest: " $0
				exit wrong = 1
			}
		}
		END {
			if (!wrong && n != FNR)
				print "the page has " n " lines, the guest printed " FNR
			exit wrong || n != FNR
		}' "$out/examples" "$2/result"
}

check 'the page: its commands work' run "$TREE/$page" "$out/guest"
check 'the page: they print what it says' same "$TREE/$page" "$out/guest"

# That these checks find what they are for
sed '0,/^    [^# ]/s/^    [^# ]/&0/' "$TREE/$page" >"$out/wrong.rst"
refused 'a page with another figure' 1 'the page: 10 major' same "$out/wrong.rst" "$out/guest"
sed '0,/^    # cd /s//&\/nowhere/' "$TREE/$page" >"$out/wrong.rst"
refused 'a page with a command that fails' 1 "can't cd to /nowhere" run "$out/wrong.rst" "$out/wrong"

# What make htmldocs says of the page and of the index that names it
warnings()
{
	kmake O="$OBJ" SPHINXDIRS=admin-guide/mm BUILDDIR="$out/html" htmldocs \
		>"$out/htmldocs.log" 2>&1 || tail -n 20 "$out/htmldocs.log"
	[ -s "$out/html/admin-guide/mm/readahead.html" ] || echo "there is no readahead.html"
	grep -E 'admin-guide/mm/(readahead|index)\.rst' "$out/htmldocs.log"
}
if command -v sphinx-build >/dev/null; then
	silent 'the page: make htmldocs does not warn' warnings
else
	skip 'the page: make htmldocs does not warn' 'there is no sphinx-build'
fi
