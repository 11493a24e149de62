#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# build.sh base|patched [DIRECTORY/]: build one of the two kernels, in the object tree
# that they share, and keep its image; or no more of it than a directory. Base first,
# so that the second is a small step.
set -eu
. "${0%/*}/lib.sh"

case ${1:-} in
base) branch=base ;;
patched) branch=series ;;
*) die "usage: build.sh base|patched [DIRECTORY/]" ;;
esac
target=${2:-bzImage}
out=$WORK/$1$variant
obj=$TREE/$OBJ
fragments=$(fragments)

# shellcheck disable=SC2086 # a list of words
stamp=$({
	labgit ls-tree -r "$branch" | grep -vE '	(tools/testing/|Documentation/|MAINTAINERS$)'
	cat $fragments
	gcc --version
} | sum)
if [ "$target" = bzImage ] && [ "$(cat "$out/stamp" 2>/dev/null)" = "$stamp" ]; then
	say "$1$variant kernel $(cat "$out/release"): built already"
	exit 0
fi

mkdir -p "$out" "$obj"
labgit checkout -q "$branch"
trap 'labgit checkout -q series' EXIT
# shellcheck disable=SC2086
config=$(cat $fragments | sum)
if [ "$(cat "$obj/config.stamp" 2>/dev/null)" != "$config" ]; then
	say "Configuring"
	logged "$WORK/config.log" kmake O="$OBJ" tinyconfig
	# shellcheck disable=SC2086
	(cd "$TREE" && logged "$WORK/merge.log" \
		scripts/kconfig/merge_config.sh -m -O "$OBJ" "$OBJ/.config" $fragments)
	logged "$WORK/config.log" kmake O="$OBJ" olddefconfig
fi

# Kconfig drops what it cannot have, and says nothing
# shellcheck disable=SC2086
dropped=$(sed -n '/^CONFIG_/p' $fragments |
	awk -F= '{ last[$1] = $2 } END { for (o in last) if (last[o] != "n") print o "=" last[o] }' |
	grep -vxFf "$obj/.config" || :)
[ -z "$dropped" ] || die "the kernel's configuration did not take all of lab/kconfig" \
	"Dropped:" "$dropped" "A dependency is missing, or the option has another name in this kernel"
echo "$config" >"$obj/config.stamp"

say "Building $target of the $1$variant kernel with $cc, $JOBS jobs; the log is ${out#"$TOP"/}/build.log"
logged "$out/build.log" kmake -j"$JOBS" O="$OBJ" LOCALVERSION="-$1$variant" "$target"
[ "$target" = bzImage ] || exit 0
cp "$obj/arch/x86/boot/bzImage" "$obj/.config" "$out"
cp "$obj/include/config/kernel.release" "$out/release"
echo "$stamp" >"$out/stamp"
