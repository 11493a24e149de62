# SPDX-License-Identifier: GPL-2.0-only
# Print a table of two results of a job of bench/, the base's first. Of runs that
# were repeated counts are means and times medians.

# what mapwalk was told to do, in short
function what(v,    s)
{
	if (v["pattern"] == "random")
		s = v["count"] " random"
	else if (v["pattern"] == "runs")
		s = v["count"] " runs of " v["blocks"]
	else
		s = v["dir"]
	if (v["pattern"] == "chunk")
		s = "chunks, inside " s
	if (v["stride"] > 1)
		s = s " by " v["stride"]
	if (v["threads"] > 1)
		s = s ", " v["threads"] (v["own"] == 1 ? " own" : " threads")
	if (v["lru"])
		s = s ", " v["lru"]
	return s
}

/majflt=/ {
	delete v
	for (i = 1; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
	key = v["ra_kb"] "\t" v["advice"] "\t" v["size"] / 1048576 "\t" what(v)
	if (!(key in seen))
		keys[++nr_keys] = key
	seen[key]
	cell = key "\t" (FILENAME == ARGV[1] ? "base" : "patched")
	majflt[cell] = majflt[cell] " " v["majflt"]
	kib[cell] = kib[cell] " " v["kib"]
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

function mean(list,    t, n, i, sum)
{
	n = split(list, t, " ")
	for (i = 1; i <= n; i++)
		sum += t[i]
	return sum / n
}

# change of the patched kernel against the base, in percent
function change(b, p)
{
	return b ? sprintf("%+7.2f%%", 100 * (p - b) / b) : "-"
}

END {
	print ""
	print "                                             major faults              KiB read              time, ms"
	print "advice    KiB  MiB  reader                    base patched      base  patched   change       base  patched"
	for (n = 1; n <= nr_keys; n++) {
		split(keys[n], k, "\t")
		b = keys[n] "\tbase"
		p = keys[n] "\tpatched"
		if (!(b in majflt) || !(p in majflt))
			b = p in majflt ? p : b
		printf "%-7s %5d %4d  %-22s ", k[2], k[1], k[3], k[4]
		if (!(p in majflt) || b == p) {
			printf "%8s %7.0f  %8s %8.0f %8s   %8s %8.1f\n", "-", mean(majflt[b]),
				"-", mean(kib[b]), "-", "-", median(times[b]) / 1000
			continue
		}
		printf "%8.0f %7.0f  %8.0f %8.0f %8s   %8.1f %8.1f\n",
			mean(majflt[b]), mean(majflt[p]), mean(kib[b]), mean(kib[p]),
			change(mean(kib[b]), mean(kib[p])),
			median(times[b]) / 1000, median(times[p]) / 1000
	}

	head = "\ntime, down : up         KiB      base  patched"
	for (n = 1; n <= nr_keys; n++) {
		split(keys[n], k, "\t")
		if (k[4] !~ /^up/)
			continue
		other = k[4]
		sub(/^up/, "down", other)
		other = k[1] "\t" k[2] "\t" k[3] "\t" other
		if (!((other "\tpatched") in times))
			continue
		if (head)
			print head
		head = ""
		label = k[4]
		sub(/^up,? ?/, "", label)
		line = sprintf("%-7s %-12s %6d  ", k[2], label, k[1])
		for (i = 1; i <= 2; i++) {
			side = i == 1 ? "\tbase" : "\tpatched"
			line = line ((other side) in times ? sprintf(" %8.3f",
				median(times[other side]) / median(times[keys[n] side])) : "        -")
		}
		print line
	}
}
