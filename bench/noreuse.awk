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

# One file for both, and streams through mappings with advice
/table=others/ {
	key = sprintf("%-8s %-5s %-9s %-10s %-7s", v["lru"], v["same"] ? "one" : "two",
		v["method"], v["advice"], v["map"])
	if (!(key in more))
		more_keys[++nr_more] = key
	more[key]
	lost[key, side] = v["lost"]
	refaults[key, side] = v["refaults"]
	majflt[key, side] = v["majflt"]
	use_majflt[key, side] = v["use_majflt"]
	next
}

/table=advice/ {
	if (!v["behind"]) {
		key = sprintf("%-8s %-5s %-9s", v["lru"], v["use"], v["method"])
		if (!(key in once))
			once_keys[++nr_once] = key
		once[key]
		time[key, v["advice"], side] = v["usec"]
	}
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
	print "file in use     stream,     its time with noreuse / without"
	print "LRU      by    by read once     base  patched"
	for (n = 1; n <= nr_once; n++) {
		k = once_keys[n]
		printf "%s     %7.4f  %7.4f\n", k,
			time[k, "noreuse", "base"] / time[k, "none", "base"],
			time[k, "noreuse", "patched"] / time[k, "none", "patched"]
	}
	print ""
	print "                                              of the file in use, pages                             major faults"
	print "                stream               mapped    lost                major faults    refaults of both    of the stream"
	print "LRU      files  by     advice     MADV_        base patched     base patched     base patched     base patched"
	for (n = 1; n <= nr_more; n++) {
		k = more_keys[n]
		printf "%s  %7d %7d  %7d %7d  %7d %7d  %7d %7d\n", k,
			lost[k, "base"], lost[k, "patched"],
			use_majflt[k, "base"], use_majflt[k, "patched"],
			refaults[k, "base"], refaults[k, "patched"],
			majflt[k, "base"], majflt[k, "patched"]
	}
	print ""
	print "cached pages, one descriptor       base, ms  patched, ms    ratio"
	for (n = 1; n <= nr_hot; n++) {
		k = hot_keys[n]
		printf "%s  %10.2f   %10.2f  %7.4f\n", k, usec[k, "base"] / 1000,
			usec[k, "patched"] / 1000, usec[k, "patched"] / usec[k, "base"]
	}
}
