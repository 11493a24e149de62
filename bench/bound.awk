# SPDX-License-Identifier: GPL-2.0-only
# Print a table of results of bound.job, the base's first, one for each kernel:
# sums over the places of a case. Then each single run in which the last kernel
# has a page outside of what is mapped, or more than 1.1 times the base's faults.

/outside=/ {
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
	reader = v["pattern"] == "walk" ? v["dir"] : v["pattern"]
	key = sprintf("%-8s %5d %-7s %-12s %-7s", v["fs"], v["ra_kb"], v["advice"],
		      v["case"], reader)
	if (!(key in seen))
		keys[++nr_keys] = key
	seen[key]
	majflt[key, side] += v["majflt"]
	reads[key, side] += v["reads"]
	kib[key, side] += v["kib"]
	outside[key, side] += v["outside"]

	run = key sprintf(" at %s", v["at"])
	if (side == sides[1])
		first[run] = v["majflt"]
	count[run, side] = v["majflt"]
	beside[run, side] = v["outside"]
	if (!(run in known))
		runs[++nr_runs] = run
	known[run]
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
		s = s ((key, sides[i]) in values ? sprintf(" %8d", values[key, sides[i]]) : "        -")
	return s "  "
}

END {
	print ""
	print sprintf("%-43s", "") columns("majflt") columns("reads") columns("KiB") columns("outside")
	print sprintf("%-43s", "fs         KiB advice  case         reader") \
		columns("") columns("") columns("") columns("")
	for (n = 1; n <= nr_keys; n++)
		print keys[n] row(majflt, keys[n]) row(reads, keys[n]) row(kib, keys[n]) \
			row(outside, keys[n])

	last = sides[nr_sides]
	for (n = 1; n <= nr_runs; n++) {
		run = runs[n]
		if (!((run, last) in count) || !(run in first))
			continue
		nr_both++
		# squashfs reads whole blocks
		if (beside[run, last] && run !~ /^squashfs/)
			out[++nr_out] = sprintf("%s: outside %d -> %d", run,
						beside[run, sides[1]], beside[run, last])
		if (count[run, last] > 1.1 * first[run])
			more[++nr_more] = sprintf("%s: major faults %d -> %d", run,
						  first[run], count[run, last])
	}
	printf "\n%s: %d of %d runs with pages cached outside, %d with more than 1.1 x the base's major faults\n",
		label[last], nr_out, nr_both, nr_more
	for (n = 1; n <= nr_out; n++)
		print out[n]
	for (n = 1; n <= nr_more; n++)
		print more[n]
}
