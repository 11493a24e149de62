# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034
# Sourced by the scripts of lab/: the settings, checked, and what they share.

# die SUMMARY [LINE...]: what failed, then what was tried and what to do next
die()
{
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	shift
	for line; do
		printf '    %s\n' "$line" >&2
	done
	exit 2
}

say()
{
	printf '== %s\n' "$*"
}

# logged FILE COMMAND...: run with its output in FILE, show that it is alive,
# and end where it fails with the last lines that it wrote
logged()
{
	log=$1
	shift
	{
		if "$@" 2>&1; then :; else echo "$?" >"$log.failed"; fi
	} | tee "$log" | awk 'NR % 100 == 0 { printf "   %5d lines; %s\n", NR, $0; fflush() }'
	[ -e "$log.failed" ] || return 0
	rm "$log.failed"
	tail -n 20 "$log" >&2
	die "failed: $*" "Its last lines are above, all of it is in $log"
}

# The build trees are the lab's own: neither the settings nor the hooks of the
# user's git may change a commit, whose hash is the same on every machine.
labgit()
{
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
	GIT_COMMITTER_NAME='mmap readahead lab' GIT_COMMITTER_EMAIL=lab@localhost \
	GIT_AUTHOR_NAME='mmap readahead lab' GIT_AUTHOR_EMAIL=lab@localhost \
		git -c core.attributesFile=/dev/null -c core.excludesFile=/dev/null \
		-c gc.auto=0 -c advice.detachedHead=false -C "$TREE" "$@"
}

# Our settings would be settings of the kernel's makefiles, too
kmake()
{
	env -u BASE -u DEBUG -u KSRC -u BUILD -u PATCHES -u TREE \
		make -C "$TREE" ARCH=x86 HOSTCC="$cc" CC="$cc" \
		KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970' \
		KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=localhost "$@"
}

sum()
{
	sha256sum | cut -d' ' -f1
}

# fragments: those of the kernel's configuration; a later one overrides
fragments()
{
	for fragment in guest "$BASE" debug; do
		fragment=$TOP/lab/kconfig/$fragment.config
		case $fragment:$DEBUG in
		*/debug.config:0) ;;
		*) [ ! -f "$fragment" ] || echo "$fragment" ;;
		esac
	done
}

# series: the patches of the series file, comments left out
series()
{
	sed 's/[[:space:]]*#.*//; /^[[:space:]]*$/d' "$PATCHES/series"
}

# version: the newest of the series, the N of its cover letter vN
version()
{
	n=1
	while [ -f "$COVER/v$((n + 1)).txt" ]; do
		n=$((n + 1))
	done
	echo "$n"
}

case $0 in
/*) TOP=${0%/*}/.. ;;
*) TOP=$PWD/${0%/*}/.. ;;
esac
TOP=$(cd "${LAB_TOP:-$TOP}" && pwd)
export LC_ALL=C
umask 022
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE || :

BASE=${BASE:-7.3}
BUILD=${BUILD:-$TOP/build}
PATCHES=${PATCHES:-$TOP/patches/$BASE}
COVER=${COVER:-$TOP/cover}
JOBS=${JOBS:-$(nproc)}
CLOCK=${CLOCK:-wall}
DEBUG=${DEBUG:-0}

BASES=${BASES:-$TOP/bases}
base=$(awk -v base="$BASE" '$1 == base { print; exit }' "$BASES")
[ -n "$base" ] || die "BASE=$BASE: no such base kernel" \
	"There is: $(awk '!/^#/ { printf "%s ", $1 }' "$BASES")(the table is in the file bases)"
read -r _ package pinned suites tag base_commit <<EOF
$base
EOF
base_commit=${BASE_COMMIT:-$base_commit}
# Debian's own configurations of it
config_package=linux-config-${package#linux-source-}
# The first of the table is the newest, and has the tests and the documents
newest=$(awk '!/^#/ && NF { print $1; exit }' "$BASES")

case $JOBS in
''|0*|*[!0-9]*) die "JOBS=$JOBS: not a number of jobs" "Give JOBS=2 or the like, or none for one a processor" ;;
esac
case $CLOCK in
wall|sim) ;;
*) die "CLOCK=$CLOCK: no such clock" "There is: wall (the host's), sim (one that counts instructions)" ;;
esac
case ${ACCEL:-} in
''|kvm|tcg) ;;
*) die "ACCEL=$ACCEL: no such accelerator" "There is: kvm, tcg; or none, to have it chosen" ;;
esac

WORK=$BUILD/$BASE
case ${KSRC:-} in
'') ;;
/*) WORK=$BUILD/ksrc-$(printf '%s' "$KSRC" | cksum | cut -d' ' -f1) ;;
*) die "KSRC=$KSRC: not an absolute path" "Give KSRC=/path/to/linux" ;;
esac
TREE=$WORK/linux

case $DEBUG in
0) OBJ=obj variant= ;;
1) OBJ=obj-debug variant=-debug ;;
*) die "DEBUG=$DEBUG: neither 0 nor 1" "Give DEBUG=1 for kernels that check themselves" ;;
esac
cc=gcc
if command -v ccache >/dev/null; then cc='ccache gcc'; fi
