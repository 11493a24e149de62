# SPDX-License-Identifier: GPL-2.0-only
# Print a table of two results of compare.job, the base's first. Times are
# medians; what was run once is its own median.

/majflt=/ {
	delete v
	for (i = 1; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
	side = FILENAME == ARGV[1] ? "base" : "patched"
	key = v["ra_kb"] " " v["advice"] " " v["size"] / 1048576
	if (!(key in seen))
		keys[++nr_keys] = key
	seen[key]
	cell = key " " v["dir"] " " side
	majflt[cell] = v["majflt"]
	mib[cell] = v["kib"] / 1024
	times[cell] = times[cell] " " v["usec"]
}

function median(list,    t, n, i, j, x)
{
	n = split(list, t, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && t[j - 1] + 0 > t[j] + 0; j--) {
			x = t[j]; t[j] = t[j - 1]; t[j - 1] = x
		}
	return t[int((n + 1) / 2)]
}

function row(key, dir,    k, b, p, tb, tp)
{
	split(key, k, " ")
	b = key " " dir " base"
	p = key " " dir " patched"
	tb = median(times[b])
	tp = median(times[p])
	printf "%-7s %5d %5d  %-4s %8d %8d  %6.1f %6.1f  %8.1f %8.1f %7.3f\n",
		k[2], k[1], k[3], dir, majflt[b], majflt[p], mib[b], mib[p],
		tb / 1000, tp / 1000, tp / tb
}

END {
	print ""
	print "                              major faults     MiB read          time, ms       patched"
	print "advice     KiB   MiB           base  patched    base patched     base  patched  : base"
	for (n = 1; n <= nr_keys; n++) {
		row(keys[n], "up")
		row(keys[n], "down")
	}
	print ""
	print "time down : up      KiB      base  patched"
	for (n = 1; n <= nr_keys; n++) {
		split(keys[n], k, " ")
		b = keys[n] " "
		printf "%-16s %6d  %8.3f %8.3f\n", k[2], k[1],
			median(times[b "down base"]) / median(times[b "up base"]),
			median(times[b "down patched"]) / median(times[b "up patched"])
	}
}
