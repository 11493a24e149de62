# SPDX-License-Identifier: GPL-2.0-only
# Print a table of two results of programs.job, the base's first: medians of the
# turns, and whether a row is as the series says: "fewer" major faults, or as many;
# "same" is 2 % or 2 of major faults and of KiB, which is for readers that the
# series leaves alone; "known" to take more. Of the encoder: pages "lost" of the file
# in use, not more.

/^[a-z0-9-]+ [0-9]/ && FILENAME == ARGV[1] {
	versions = versions (versions ? ", " : "") $1 " " $2
}

/^(row|encode)=/ {
	delete v
	row = $0
	sub(/^[a-z]*=/, "", row)
	sub(/ expect=.*/, "", row)
	for (i = 1; i <= NF; i++) {
		split($i, pair, "=")
		v[pair[1]] = pair[2]
	}
	side = FILENAME == ARGV[1] ? "base" : "patched"
	if (!(row in expect)) {
		if (/^row/)
			rows[++nr_rows] = row
		else
			encodes[++nr_encodes] = row
		expect[row] = v["expect"]
	}
	for (field in v)
		values[row, side, field] = values[row, side, field] " " v[field]
}

function median(row, side, field,    t, n, i, j, x)
{
	n = split(values[row, side, field], t, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && t[j - 1] + 0 > t[j] + 0; j--) {
			x = t[j]; t[j] = t[j - 1]; t[j - 1] = x
		}
	return t[int((n + 1) / 2)]
}

# same within 2 %, or 2
function near(b, p)
{
	return p - b <= 2 && b - p <= 2 || p <= b * 1.02 && p >= b * 0.98
}

function both(row, field, width, scale)
{
	return sprintf(" %*.*f %*.*f ", width, scale > 1 ? 1 : 0, median(row, "base", field) / scale,
		       width, scale > 1 ? 1 : 0, median(row, "patched", field) / scale)
}

function verdict(row,    good)
{
	if (!((row, "base", "expect") in values) || !((row, "patched", "expect") in values))
		return "not run"
	if (expect[row] == "-")
		return ""
	if (expect[row] ~ /^(fewer|known)$/)
		good = median(row, "patched", "majflt") <= median(row, "base", "majflt")
	else if (expect[row] == "lost")
		good = median(row, "patched", "lost") <= median(row, "base", "lost")
	else
		good = near(median(row, "base", "majflt"), median(row, "patched", "majflt")) &&
		       near(median(row, "base", "kib"), median(row, "patched", "kib"))
	if (expect[row] == "known")
		return good ? "fewer" : "known: more"
	return expect[row] (good ? "" : ": NO")
}

function write_csv(    n, i, side, row)
{
	print "row,kernel,majflt,reads,kib,ms,lost,refaults,fps" >csv
	for (n = 1; n <= nr_rows + nr_encodes; n++)
		for (i = 1; i <= 2; i++) {
			row = n <= nr_rows ? rows[n] : encodes[n - nr_rows]
			side = i == 1 ? "base" : "patched"
			printf "\"%s\",%s,%s,%s,%s,%.1f,%s,%s,%s\n", row, side, \
				median(row, side, "majflt"), median(row, side, "reads"), \
				median(row, side, "kib"), median(row, side, "usec") / 1000, \
				median(row, side, "lost"), median(row, side, "refaults"), \
				median(row, side, "fps") >csv
		}
	close(csv)
}

function count(found)
{
	if (found ~ /NO$|not run/)
		bad++
	else if (found ~ /^known/)
		excused++
	else if (found != "")
		held++
	return found
}

END {
	print "programs     " versions
	print ""
	printf "%-52s %-16s %-16s %-18s %-20s\n", "", "  major faults", "  reads", "  KiB", "  time, ms"
	printf "%-52s %7s %7s  %7s %7s  %8s %8s  %9s %9s\n", "what runs, cold",
		"base", "patched", "base", "patched", "base", "patched", "base", "patched"
	for (n = 1; n <= nr_rows; n++) {
		row = rows[n]
		line = sprintf("%-52s", row) both(row, "majflt", 7, 1) both(row, "reads", 7, 1) \
			both(row, "kib", 8, 1) both(row, "usec", 9, 1000) " " count(verdict(row))
		sub(/ *$/, "", line)
		print line
	}

	if (nr_encodes) {
		print ""
		print "                               of the file in use  of both files, pages                     frames per"
		print "SVT-AV1:                       lost, pages         refaulted         activated again        second"
		print "LRU, clip by, advice             base  patched       base  patched      base  patched     base  patched"
	}
	for (n = 1; n <= nr_encodes; n++) {
		row = encodes[n]
		line = sprintf("%-28s", row) both(row, "lost", 8, 1) "  " both(row, "refaults", 8, 1) \
			both(row, "activated", 8, 1) \
			sprintf("  %7.2f  %7.2f", median(row, "base", "fps"), median(row, "patched", "fps")) \
			"  " count(verdict(row))
		sub(/ *$/, "", line)
		print line
	}
	print ""
	printf "%d rows hold, %d do not, %d are known not to\n", held, bad, excused
	if (csv != "")
		write_csv()
	exit bad > 0
}
