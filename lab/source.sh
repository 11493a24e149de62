#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Make build/$BASE/linux, a git tree whose branch "base" is one commit: the base
# kernel, of Debian's source package or of the caller's tree in KSRC. Author and
# date are fixed, so that the commit has the same hash on every machine.
set -eu
. "${0%/*}/lib.sh"

# is_kernel DIR
is_kernel()
{
	grep -qs '^PATCHLEVEL = ' "$1/Makefile" &&
		[ -f "$1/mm/filemap.c" ] && [ -f "$1/scripts/kconfig/merge_config.sh" ]
}

is_git()
{
	[ "$(git -C "$KSRC" rev-parse --show-cdup 2>/dev/null)" = "" ] &&
		git -C "$KSRC" rev-parse -q --verify HEAD >/dev/null 2>&1
}

from=package
if [ -n "${KSRC:-}" ]; then
	is_kernel "$KSRC" || die "KSRC=$KSRC: this is no kernel tree" \
		"Looked for: Makefile, mm/filemap.c, scripts/kconfig/merge_config.sh" \
		"Give the top of one, or no KSRC to have Debian's package fetched"
	if is_git; then
		from=git
		name="commit $(git -C "$KSRC" rev-parse HEAD)"
		GIT_OPTIONAL_LOCKS=0 git -C "$KSRC" diff --quiet HEAD ||
			say "NOTICE: changes in $KSRC that are not committed are left out"
	else
		from=files
		name="files $(find "$KSRC" -name .git -prune -o -type f -printf '%P %s %T@\n' |
			sort | sum)"
	fi
else
	"$TOP/lab/fetch.sh"
	name="$package $(dpkg-deb -f "$BUILD/cache/$BASE.deb" Version)"
fi
subject="Import $name"

if [ -d "$TREE" ]; then
	[ "$(labgit log -1 --format=%s base)" != "$subject" ] || exit 0
	"$TOP/lab/edited.sh" || die "the base changed, but the branch series in $TREE has changes of its own" \
		"Save them (make refresh, or move the tree away) and come again"
	say "The base changed: importing it anew"
fi

# Under a name of its own until it is whole
target=$TREE
TREE=$WORK/import
rm -rf "$TREE"
mkdir -p "$TREE"

say "Unpacking $name into ${target#"$TOP"/}"
case $from in
package)
	dpkg-deb --fsys-tarfile "$BUILD/cache/$BASE.deb" |
		tar -xO --wildcards './usr/src/*.tar.xz' | tar -xJ -C "$TREE" --strip-components=1 ;;
git)
	git -C "$KSRC" archive HEAD | tar -x -C "$TREE" ;;
files)
	tar -c -C "$KSRC" --exclude=./.git . | tar -x -C "$TREE" ;;
esac
is_kernel "$TREE" || die "$name did not unpack to a kernel tree" \
	"Remove $BUILD/cache and come again"

# Debian's addition to .gitignore hides every file at the top
if [ -f "$TREE/.gitignore" ]; then
	sed -i '/^# Debian packaging/,$d' "$TREE/.gitignore"
fi

say "Importing it into git"
labgit init -q -b base
# One who works there need not wait until its files are packed
labgit config gc.auto 0
printf '/obj/\n/obj-debug/\n' >>"$TREE/.git/info/exclude"
# Of a plain directory take what it would keep itself; of a release all
force=--force
[ "$from" != files ] || force=
# shellcheck disable=SC2086 # an option or none
labgit add --all $force .
GIT_AUTHOR_DATE='2000-01-01 00:00:00 +0000' GIT_COMMITTER_DATE='2000-01-01 00:00:00 +0000' \
	labgit commit -q -m "$subject"
[ "$from" != files ] || labgit clean -dffqx
rm -rf "$target" "$WORK/assembled"
mv "$TREE" "$target"
