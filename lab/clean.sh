#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Remove what was built: all of it, or that of BASE or KSRC where one is given
set -eu
one=${BASE:-}${KSRC:-}
. "${0%/*}/lib.sh"

if [ -n "$one" ]; then
	say "Removing $WORK"
	rm -rf "$WORK"
else
	say "Removing $BUILD"
	rm -rf "$BUILD"
fi
