#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The simulated clock: two boots of one kernel tell the same times, to 0.1 %
set -eu
export CLOCK=sim
. "${0%/*}/lib.sh"
. "${0%/*}/check.sh"

out=$WORK/test-clock
rm -rf "$out"
mkdir -p "$out"
cat >"$out/job" <<'EOS'
. /lab/lib.sh
# Long enough that one read more, as where ext4 puts the file elsewhere, is little;
# and slower than the disk, whose bandwidth comes in ticks of 20 ms
simdisk nvme ext4 320 || exit 1
for dir in up down; do
	for advice in normal seq; do
		echo "$dir.$advice $(/lab/reader at=$at size=256M advice=$advice dir=$dir)" || exit 1
	done
done
EOS
# boot NUMBER
boot()
{
	"$TOP/lab/boot.sh" -k "$WORK/patched$variant/bzImage" -j "$out/job" -o "$out/$1" -t 60
}
# agree: each line of the first boot with that of the second
agree()
{
	awk 'FNR == 1 { file++ }
	{ sub(/.*usec=/, "", $NF) }
	file == 1 { first[$1] = $NF; runs++; next }
	{
		off = first[$1] ? ($NF - first[$1]) / first[$1] : 1
		printf "%s: %d us, %d us, %+.4f %%\n", $1, first[$1], $NF, 100 * off
		if (off > 0.001 || off < -0.001)
			bad++
		both++
	}
	END { exit bad || !both || both != runs }' "$out/1/result" "$out/2/result"
}
boot 1 & first=$!
check "a boot with the simulated clock" boot 2
if wait "$first"; then
	check "two boots with the simulated clock agree to 0.1 %" agree
else
	not_ok "two boots with the simulated clock agree to 0.1 %" "the other boot failed"
fi
