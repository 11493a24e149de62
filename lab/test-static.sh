#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each patch by itself: the objects it is about compile with W=1 and under sparse,
# and with W=1 for other machines: of 32 bits, without an MMU, with pages of 64 KiB;
# and draw no warning that the base does not draw
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"

out=$WORK/test-static
rm -rf "$out"
mkdir -p "$out"

objects=$(labgit diff --name-only base series -- '*.c' ':!tools' ':!Documentation' |
	sed 's/c$/o/')
if [ -z "$objects" ]; then
	skip 'W=1 and sparse' 'the series changes no C file of the kernel'
	exit 0
fi

# other MACHINE ARGUMENT...: make for it, in an object tree of its own
other()
{
	machine=$1
	shift
	case $machine in
	i386) set -- ARCH=i386 "$@" ;;
	nommu) set -- ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- CC="${cc%gcc}riscv64-linux-gnu-gcc" "$@" ;;
	64k) set -- ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- CC="${cc%gcc}aarch64-linux-gnu-gcc" "$@" ;;
	esac
	kmake O="$WORK/static/$machine" "$@"
}

# compile OBJECT...: for this machine, with sparse, and for the others
compile()
{
	(cd "$TREE/$OBJ" && rm -f "$@")
	kmake -s -j"$JOBS" O="$OBJ" W=1 C=2 "$@" || return
	for name in $machines; do
		# what a machine without an MMU does not build does not compile for it
		case $name in
		nommu) built=$(printf '%s\n' "$@" | grep -vxE 'mm/(memory|rmap)\.o') ;;
		*) built=$* ;;
		esac
		[ -n "$built" ] || continue
		# shellcheck disable=SC2086 # a list of words
		(cd "$WORK/static/$name" && rm -f $built)
		# shellcheck disable=SC2086
		other "$name" -s -j"$JOBS" W=1 $built || return
	done
}

# warnings COMMIT: all that the compiler and sparse say of the objects, without
# the line numbers, which every patch moves
warnings()
{
	labgit checkout -q "$1"
	# shellcheck disable=SC2086 # a list of words
	compile $objects >"$out/log" 2>&1 || { cat "$out/log"; return 1; }
	grep -E 'warning|error' "$out/log" | sed -E 's/:[0-9]+(:[0-9]+)?:/:/' | sort -u
}

new_warnings()
{
	warnings "$1" >"$out/new" || { cat "$out/new"; return; }
	comm -13 "$out/base" "$out/new"
}

trap 'labgit checkout -q series' EXIT
machines='i386 nommu 64k'
labgit checkout -q base
mkdir -p "$WORK/static/i386" "$WORK/static/nommu" "$WORK/static/64k"
logged "$out/config.log" other i386 tinyconfig
logged "$out/config.log" other nommu nommu_virt_defconfig
printf 'CONFIG_%s=y\n' ARM64_64K_PAGES TRANSPARENT_HUGEPAGE MEMCG >"$out/64k.config"
logged "$out/config.log" other 64k KCONFIG_ALLCONFIG="$out/64k.config" allnoconfig
warnings base >"$out/base" || { cat "$out/base"; exit 1; }
for commit in $(labgit rev-list --reverse base..series -- '*.[ch]' ':!tools' ':!Documentation'); do
	silent "W=1, sparse, i386, no MMU, 64K pages: $(labgit log -1 --format=%s "$commit")" new_warnings "$commit"
done
