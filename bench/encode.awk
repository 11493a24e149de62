# SPDX-License-Identifier: GPL-2.0-only
# Print a table of two results of encode.job, the base's first.

/^encode / {
	delete v
	for (i = 2; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
	side = FILENAME == ARGV[1] ? "base" : "patched"
	key = sprintf("%-8s %-6s %-8s", v["lru"], v["way"], v["mark"])
	if (!(key in seen))
		keys[++nr] = key
	seen[key]
	lost[key, side] = v["lost"]
	refaults[key, side] = v["refaults"]
	activated[key, side] = v["activated"]
	fps[key, side] = v["fps"]
}

END {
	print ""
	print "                         of the file in use  of both files, pages                   frames per"
	print "         clip            lost, pages         refaulted         activated again     second"
	print "LRU      by     advice     base  patched       base  patched      base  patched     base  patched"
	for (n = 1; n <= nr; n++) {
		k = keys[n]
		printf "%s %7d  %7d    %7d  %7d   %7d  %7d  %7.2f  %7.2f\n", k,
			lost[k, "base"], lost[k, "patched"],
			refaults[k, "base"], refaults[k, "patched"],
			activated[k, "base"], activated[k, "patched"],
			fps[k, "base"], fps[k, "patched"]
	}
}
