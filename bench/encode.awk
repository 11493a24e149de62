# SPDX-License-Identifier: GPL-2.0-only
# Print a table of two results of encode.job, the base's first.

/^encode / {
	delete v
	for (i = 2; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
	side = FILENAME == ARGV[1] ? "base" : "patched"
	key = sprintf("%-8s %-8s", v["lru"], v["advice"])
	if (!(key in seen))
		keys[++nr] = key
	seen[key]
	refaults[key, side] = v["refaults"]
	fps[key, side] = v["fps"]
}

END {
	print ""
	print "LRU      advice        refaults        frames per second"
	print "                    base  patched        base  patched"
	for (n = 1; n <= nr; n++) {
		k = keys[n]
		printf "%s %7d  %7d     %7.2f  %7.2f\n", k, refaults[k, "base"],
			refaults[k, "patched"], fps[k, "base"], fps[k, "patched"]
	}
}
