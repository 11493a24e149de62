#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Remove what was built and fetched: all of it, or that of BASE or KSRC where one
# is given
set -eu
one=${BASE:-}${KSRC:-}
. "${0%/*}/lib.sh"
[ $# = 0 ] || die "clean.sh takes no arguments: $*" "Give BASE=... for the build of one base"

if [ -n "$one" ]; then
	say "Removing $WORK"
	rm -rf "$WORK"
	[ -n "${KSRC:-}" ] || rm -f "$BUILD/cache/$BASE.deb" "$BUILD/cache/$BASE-"*.deb \
		"$BUILD/cache/${package}_"* "$BUILD/cache/${config_package}_"*
else
	say "Removing $BUILD"
	rm -rf "$BUILD"
fi
