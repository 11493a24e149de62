# SPDX-License-Identifier: GPL-2.0-only
# Print a table of results of exec.job, the base's first, one for each kernel.
# Counts are those of one start.

{
	delete v
	for (i = 1; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
	side = FILENAME
	if (!(side in label)) {
		sides[++nr_sides] = side
		n = split(side, path, "/")
		label[side] = n > 1 ? path[n - 1] : side
	}
}

/^exec=/ {
	key = sprintf("%-24s %5d", v["exec"], v["ra_kb"])
	if (!(key in seen))
		keys[++nr_keys] = key
	seen[key]
	reads[key, side] = v["reads"] / v["runs"]
	majflt[key, side] = v["majflt"] / v["runs"]
	kib[key, side] = v["kib"] / v["runs"]
	cached[key, side] = v["cached"] / v["runs"]
}

/^cost=/ {
	key = sprintf("%-24s %5d", v["cost"], v["ra_kb"])
	if (!(key in seen))
		costs[++nr_costs] = key
	seen[key]
	usec[key, side] = v["usec"]
}

function columns(name,    i, s)
{
	for (i = 1; i <= nr_sides; i++)
		s = s sprintf(" %8s", name ? (i == 1 ? name : "") : label[sides[i]])
	return s "  "
}

function row(values, key,    i, s)
{
	for (i = 1; i <= nr_sides; i++)
		s = s ((key, sides[i]) in values ? sprintf(" %8.2f", values[key, sides[i]]) : "        -")
	return s "  "
}

END {
	if (nr_keys) {
		print ""
		print sprintf("%-30s", "") columns("majflt") columns("reads") columns("KiB") columns("cached")
		print sprintf("%-30s", "program                    KiB") \
			columns("") columns("") columns("") columns("")
	}
	for (n = 1; n <= nr_keys; n++)
		print keys[n] row(majflt, keys[n]) row(reads, keys[n]) row(kib, keys[n]) \
			row(cached, keys[n])

	if (nr_costs) {
		print ""
		print sprintf("%-30s", "time, ms; and ratio to the first") columns("")
	}
	for (n = 1; n <= nr_costs; n++) {
		line = costs[n]
		for (i = 1; i <= nr_sides; i++)
			line = line ((costs[n], sides[i]) in usec ? sprintf(" %8.1f", usec[costs[n], sides[i]] / 1000) : "        -")
		for (i = 2; i <= nr_sides; i++)
			if ((costs[n], sides[i]) in usec && (costs[n], sides[1]) in usec)
				line = line sprintf("  %7.4f", usec[costs[n], sides[i]] / usec[costs[n], sides[1]])
		print line
	}
}
