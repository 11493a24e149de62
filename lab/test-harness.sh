#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The lab itself: each thing that can go wrong must end in its message and status
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"

lab=$TOP/lab
scratch=$WORK/test-harness
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/linux/mm" "$scratch/linux/scripts/kconfig" \
	"$scratch/patches"

# with SETTING... COMMAND...: in a build directory of its own
with()
{
	env -u KSRC BUILD="$scratch/build" "$@"
}

# Settings
refused 'BASE that is not in the table' 2 'no such base kernel' with BASE=2.4 "$lab/tools.sh"
refused 'JOBS that is no number' 2 'not a number of jobs' with JOBS=many "$lab/tools.sh"
refused 'JOBS=0' 2 'not a number of jobs' with JOBS=0 "$lab/tools.sh"
refused 'ACCEL that does not exist' 2 'no such accelerator' with ACCEL=xen "$lab/tools.sh"
refused 'CLOCK that does not exist' 2 'no such clock' with CLOCK=sun "$lab/tools.sh"
refused 'DEBUG that is no switch' 2 'neither 0 nor 1' with DEBUG=maybe "$lab/tools.sh"
refused 'KSRC that is no kernel' 2 'this is no kernel tree' with KSRC="$scratch" "$lab/assemble.sh"
refused 'KSRC that is not absolute' 2 'not an absolute path' with KSRC=linux "$lab/assemble.sh"
refused 'make hands settings on, and the status' 2 'no such clock' make -s -C "$TOP" build CLOCK=sun

refused 'CONFIG that is not absolute' 2 'not an absolute path' with CONFIG=.config "$lab/deb.sh"
refused 'CONFIG that is no configuration' 2 'no configuration of' with CONFIG="$lab/deb.sh" "$lab/deb.sh"
refused 'fetch of what there is not' 2 'usage: fetch.sh' with "$lab/fetch.sh" --all
refused 'a kernel of make deb that is not there' 1 'Build it: make build, make deb' \
	with "$lab/test.sh" 'test-guest deb'
refused 'mbox of a base without a cover letter' 2 'the series that is mailed is that for' with BASE=7.2 "$lab/mbox.sh"

# Cases
refused 'a group that bench/cases has not' 2 'no group T99' with CASES='T11 T99' "$lab/run.sh"
# plan LINE: of a file of cases with that line
plan()
{
	printf '[a] b\n%s\n' "$1" >"$scratch/cases"
	awk -v mode=plan -v clock=wall -f "$TOP/bench/plan.awk" "$scratch/cases"
}
refused 'a case without a condition' 1 'the case has no must' plan 'dir=up'
refused 'a case with a word that is no setting' 1 'neither KEY=VALUE nor' plan 'down must majflt<=1'
# verdict CONDITION: of a run with 3 major faults where the base has 2
verdict()
{
	plan "dir=up must $1" >"$scratch/plan" || return
	for majflt in 2 3; do
		printf 'dir=up\tdev=- fs=ext4 majflt=%s reads=1 kib=65536 usec=1000\n' $majflt >"$scratch/$majflt"
	done
	awk -v clock=sim -f "$TOP/bench/cases.awk" "$scratch/plan" "$scratch/2" "$scratch/3"
}
check 'conditions that hold' verdict 'majflt<=3 majflt<=1.5*base majflt<=base+1 kib=file usec<=1000'
refused 'a condition that does not hold' 1 'FAIL majflt<=1.4[*]base (2.8)' verdict 'majflt<=1.4*base'
refused 'a metric that was not measured' 1 'FAIL outside=0' verdict 'outside=0'
check 'a condition that is known not to hold' verdict 'majflt<=base known majflt for a reason'
reader=$scratch/reader
gcc -O1 -pthread -o "$reader" "$TOP"/bench/reader/*.c
refused 'a key that reader has not' 2 'no such key' "$reader" at=/tmp speed=1
refused 'a number that is none' 2 'is no number' "$reader" at=/tmp size=many
refused 'a part behind the file' 2 'ends behind the file' "$reader" at=/tmp map=64M:4K

# A missing tool, where nothing can be installed and where an ordinary user can
for tool in awk nproc cut sed sha256sum cksum dirname tr cat; do
	ln -s "$(command -v $tool)" "$scratch/bin"
done
printf '#!/bin/sh\necho 1000\n' >"$scratch/bin/id"
chmod +x "$scratch/bin/id"
refused 'missing tool, no apt' 2 'packages: .*qemu-system-x86' \
	with PATH="$scratch/bin" "$lab/tools.sh"
refused 'programs for the guest, no apt' 2 'no apt here to fetch the programs' \
	with PATH="$scratch/bin" "$lab/image.sh"
ln -s /bin/true "$scratch/bin/apt-get"
refused 'missing tool, no root' 2 'sudo apt-get install.*qemu-system-x86' \
	with PATH="$scratch/bin" "$lab/tools.sh"

# A base that is gone
awk -v OFS='\t' '!/^#/ { $3 = "999-1"; $4 = "trixie-backports" } { print }' \
	"$TOP/bases" >"$scratch/bases"
if apt-get indextargets 2>/dev/null | grep -q '^Label: Debian$'; then
	refused 'base that is gone' 2 'is gone from the archive' \
		with BASES="$scratch/bases" "$lab/fetch.sh"
else
	skip 'base that is gone' 'no Debian archive here'
fi

# Patches, on a kernel tree of three files
echo 'PATCHLEVEL = 3' >"$scratch/linux/Makefile"
echo one >"$scratch/linux/mm/filemap.c"
: >"$scratch/linux/scripts/kconfig/merge_config.sh"
cat >"$scratch/patches/0001-change.patch" <<'EOF'
From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: A <a@localhost>
Date: Sat, 1 Jan 2000 00:00:00 +0000
Subject: [PATCH] change

Assisted-by: LLM
---
diff --git a/mm/filemap.c b/mm/filemap.c
--- a/mm/filemap.c
+++ b/mm/filemap.c
@@ -1 +1 @@
-one
+two
EOF
echo 0001-change.patch >"$scratch/patches/series"

assemble()
{
	with KSRC="$scratch/linux" PATCHES="$scratch/patches" "$lab/assemble.sh"
}
tree()
{
	git -C "$scratch"/build/ksrc-*/linux -c user.name=A -c user.email=a@localhost "$@"
}
check 'a patch that applies' assemble
tree commit -q --amend -m 'another message'
check 'an edited branch is used as it is' assemble
echo '# changed' >>"$scratch/patches/series"
refused 'edited branch and changed patches' 2 'both the patches and the branch' assemble
rm -rf "$scratch/build"
echo two >"$scratch/linux/mm/filemap.c"
refused 'a patch that is in the base already' 2 'is already applied' assemble
echo three >"$scratch/linux/mm/filemap.c"
refused 'a patch that does not apply' 2 'does not apply' assemble
refused 'nothing is left to build after that' 128 'single revision' tree rev-parse --verify series

# The same of check-base, with a patch on top that changes what the first one did
sed 's/^-one/-two/; s/^+two/+four/' "$scratch/patches/0001-change.patch" >"$scratch/patches/0002-again.patch"
printf '0001-change.patch\n0002-again.patch\n' >"$scratch/patches/series"
check_base()
{
	echo "$1" >"$scratch/linux/mm/filemap.c"
	with KSRC="$scratch/linux" PATCHES="$scratch/patches" "$lab/check-base.sh"
}
check 'check-base: patches that apply' check_base one
refused 'check-base: one that is in the base already' 1 '^already applied  0001' check_base two
refused 'check-base: the one after it applies' 1 '^applies          0002' check_base two
refused 'check-base: one that was changed by the next' 1 '^already applied  0001' check_base four
refused 'check-base: a conflict' 1 '^conflict         0001' check_base three
refused 'check-base: their sum' 1 '0 apply, 0 are applied already, 2 conflict' check_base three
refused 'check-base: a base without a series' 2 'no series for base' \
	with PATCHES="$scratch/none" "$lab/check-base.sh"
echo 0002-gone.patch >"$scratch/patches/series"
refused 'a patch that is not there' 2 'not there' assemble

# A virtual machine, well and unwell
# boot JOB [OPTION...]
boot()
{
	echo "$1" >"$scratch/job"
	shift
	env CLOCK=wall "$lab/boot.sh" -k "$WORK/base$variant/bzImage" -j "$scratch/job" -o "$scratch/vm" -m 512 "$@"
}
# shellcheck disable=SC2016 # it is for the guest to expand
sent()
{
	boot 'echo "$WORD"' -e WORD=hello && grep -qx hello "$scratch/vm/result"
}
check 'a job that passes, its output comes back' sent
refused 'a job that fails' 1 'the job failed, status 7' boot 'exit 7'
refused 'a splat' 1 'the kernel complained' boot 'echo "WARNING: made up" >/dev/kmsg'
refused 'a machine that never answers' 3 'no answer within' boot 'sleep 100000' -t 3
refused 'a kernel that panics' 3 'Kernel panic' boot 'echo c >/proc/sysrq-trigger'
refused 'a machine that stops' 3 'gave no status' boot 'reboot -f'
refused 'a disk of no known kind' 2 'no such file system' boot true -d fat
refused 'a disk image that is not there' 2 'no disk image at' boot true -i /nonexistent
refused 'a kernel that is not there' 2 'no kernel at' "$lab/boot.sh" -k /nonexistent -j "$scratch/job" -o "$scratch/vm"
rm -rf "$scratch"
