#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Succeed when the branch "series" is as it was made from the patches.
set -eu
. "${0%/*}/lib.sh"

[ -e "$WORK/assembled" ] || exit 0
read -r _ head <"$WORK/assembled"
[ "$(labgit rev-parse series)" = "$head" ] &&
	[ -z "$(labgit status --porcelain --untracked-files=no)" ]
