#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# accel.sh bzImage: print the accelerator, kvm or tcg. /dev/kvm may exist, open
# and make a machine and still run no guest, so what counts is a boot that
# answered. The finding is kept for this host and its kernel.
set -eu
. "${0%/*}/lib.sh"

if [ -n "${ACCEL:-}" ]; then
	echo "$ACCEL"
	exit 0
fi
if [ ! -w /dev/kvm ] || ! grep -qwE 'vmx|svm' /proc/cpuinfo; then
	echo tcg
	exit 0
fi

host=$(uname -nr)
if [ -e "$BUILD/accel" ]; then
	read -r found on <"$BUILD/accel"
	if [ "$on" = "$host" ]; then
		echo "$found"
		exit 0
	fi
fi
found=tcg
mkdir -p "$BUILD/probe"
echo true >"$BUILD/probe.job"
if ACCEL=kvm CLOCK=wall "$TOP/lab/boot.sh" -k "$1" -j "$BUILD/probe.job" -o "$BUILD/probe" \
	-t 15 -m 512 >"$BUILD/probe.log" 2>&1; then
	found=kvm
else
	say "NOTICE: KVM is there but a probe boot with it did not answer ($BUILD/probe.log)" >&2
fi
echo "$found $host" >"$BUILD/accel"
echo "$found"
