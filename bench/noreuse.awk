# SPDX-License-Identifier: GPL-2.0-only
# Print a table of two results of noreuse.job, the base's first.

/usec=/ {
	delete v
	for (i = 1; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
	side = FILENAME == ARGV[1] ? "base" : "patched"
}

/resident=/ {
	key = sprintf("%-8s %-5s %-9s %5d   %-10s", v["lru"], v["use"], v["method"], v["behind"], v["advice"])
	if (!(key in seen))
		keys[++nr_keys] = key
	seen[key]
	resident[key, side] = v["resident"]
	lost[key, side] = v["lost"]
	usec[key, side] = v["usec"]
}

/hotpath=/ {
	key = sprintf("%-6s %3d threads   %-8s", v["hotpath"], v["threads"], v["advice"])
	if (!(key in hot))
		hot_keys[++nr_hot] = key
	hot[key]
	usec[key, side] = v["usec"]
}

END {
	print ""
	print "file in use     stream    again                stayed, %         lost, pages     stream, ms"
	print "LRU      by    by          MiB   advice        base patched     base  patched     base patched"
	for (n = 1; n <= nr_keys; n++) {
		k = keys[n]
		printf "%s  %6.1f  %6.1f  %7d  %7d  %7.1f %7.1f\n", k,
			resident[k, "base"], resident[k, "patched"],
			lost[k, "base"], lost[k, "patched"],
			usec[k, "base"] / 1000, usec[k, "patched"] / 1000
	}
	print ""
	print "cached pages, one descriptor       base, ms  patched, ms    ratio"
	for (n = 1; n <= nr_hot; n++) {
		k = hot_keys[n]
		printf "%s  %10.2f   %10.2f  %7.4f\n", k, usec[k, "base"] / 1000,
			usec[k, "patched"] / 1000, usec[k, "patched"] / usec[k, "base"]
	}
}
