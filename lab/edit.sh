#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Show where the series can be changed, and how; in a terminal, go there.
set -eu
. "${0%/*}/lib.sh"

labgit checkout -q series
labgit log --oneline base..series
cat <<EOF

The branch "series" of $TREE
Change a commit there (git rebase -i base, git commit --amend) or add one on top,
then: make refresh
EOF
if [ -t 0 ] && [ -t 1 ]; then
	cd "$TREE"
	exec "${SHELL:-/bin/sh}"
fi
