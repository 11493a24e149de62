#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shell.sh [base|patched]: a shell in the guest, on this terminal
set -eu
. "${0%/*}/lib.sh"

kernel=${1:-patched}
case $kernel in
base|patched) ;;
*) die "KERNEL=$kernel: no such kernel" "There is: base, patched" ;;
esac
say "The $kernel kernel; a file system is at /mnt/ext4. Leave with exit, or at once with Ctrl-a x"
exec "$TOP/lab/boot.sh" -S -k "$WORK/$kernel$variant/bzImage" -j /dev/null -o "$WORK/shell" -d ext4
