# SPDX-License-Identifier: GPL-2.0-only
# Tell what came of the cases: reads the plan (plan.awk, mode=plan), then the result
# of the base kernel, then that of the patched one. Prints a table of each group
# and a verdict of each case, a summary, and ends with 1 if a condition is not met.
# With -v csv=FILE: a line for each run of each case goes there, too, -v repeated=FILE:
# what was run more than once as a table of the 0-day robot.

BEGIN {
	FS = "\t"
	nr_metrics = split("majflt minflt reads kib avg inside outside refaults resident lost use_majflt ms mbs insns", metrics, " ")
	for (i = 1; i <= nr_metrics; i++)
		is_metric[metrics[i]]
	is_metric["usec"]
	is_metric["touched"]
}

FNR == 1 {
	file++
	kernel = file == 2 ? "base" : "patched"
}

file == 1 {
	n = ++nr_cases
	group[n] = $1
	title[$1] = $2
	number[n] = $3
	run[n] = $4
	control[n] = $5
	times[n] = $6
	must[n] = $7
	known[n] = $8
	next
}

# A result: the run, and KEY=VALUE of all settings and metrics
{
	nr_pairs = split($2, pairs, " ")
	for (i = 1; i <= nr_pairs; i++) {
		at = index(pairs[i], "=")
		key = substr(pairs[i], 1, at - 1)
		if (key in is_metric)
			measured[kernel, $1, key] = substr(pairs[i], at + 1) + 0
	}
	if ((kernel, $1, "reads") in measured) {
		measured[kernel, $1, "avg"] = measured[kernel, $1, "reads"] ? \
			measured[kernel, $1, "kib"] / measured[kernel, $1, "reads"] : 0
		usec = measured[kernel, $1, "usec"]
		measured[kernel, $1, "ms"] = usec / 1000
		# Where the device is the subject; where it takes no time, an instruction
		# is a nanosecond
		faults = measured[kernel, $1, "majflt"] + measured[kernel, $1, "minflt"]
		if ($1 ~ /dev=ram/ && faults)
			measured[kernel, $1, "insns"] = usec * 1000 / faults
		else if ($1 ~ /dev=/ && usec)
			measured[kernel, $1, "mbs"] = measured[kernel, $1, "kib"] * 1024 / usec
	}
}

# Of one run, or of the seeds of it: times as medians, all else as means
function metric(kernel, run, times, name,    i, j, n, sum, list, x, key)
{
	if (times == 1)
		return (kernel, run, name) in measured ? measured[kernel, run, name] : ""
	for (i = 1; i <= times; i++) {
		key = run " seed=" i
		if ((kernel, key, name) in measured) {
			x = measured[kernel, key, name]
			sum += x
			for (j = n++; j && list[j] > x + 0; j--)
				list[j + 1] = list[j]
			list[j + 1] = x + 0
		}
	}
	if (!n)
		return ""
	return name ~ /^(usec|ms|insns)$/ ? list[int((n + 1) / 2)] : sum / n
}

# The median of what the patched kernel took by what the base took, of the same seed
function paired(run, times, name,    i, j, n, list, x, key)
{
	for (i = 1; i <= times; i++) {
		key = run " seed=" i
		if (!(("base", key, name) in measured) || !(("patched", key, name) in measured))
			continue
		x = measured["patched", key, name] / measured["base", key, name]
		for (j = n++; j && list[j] > x; j--)
			list[j + 1] = list[j]
		list[j + 1] = x
	}
	return list[int((n + 1) / 2)]
}

function bytes(s,    unit)
{
	unit = substr(s, length(s))
	return s * (unit == "G" ? 1073741824 : unit == "M" ? 1048576 : unit == "K" ? 1024 : 1)
}

# What a condition of the case compares with; "" where that is not there
function limit(n, name, of,    factor, plus, size)
{
	factor = 1
	plus = 0
	if (match(of, /[+].*/)) {
		plus = substr(of, RSTART + 1)
		of = substr(of, 1, RSTART - 1)
	}
	if (match(of, /^[0-9.]+[*]/)) {
		factor = substr(of, 1, RLENGTH - 1)
		of = substr(of, RLENGTH + 1)
	}
	if (of == "base")
		of = metric("base", run[n], times[n], name)
	else if (of == "vs")
		of = metric("patched", control[n], times[n], name)
	else if (of == "either")
		of = max(metric("base", run[n], times[n], name), metric("patched", control[n], times[n], name))
	else if (of == "file") {
		size = "64M"
		if (match(run[n], /size=[^ ]*/))
			size = substr(run[n], RSTART + 5, RLENGTH - 5)
		of = bytes(size) / 1024
	} else if (of in is_metric)
		of = metric("patched", run[n], times[n], of)
	return of == "" ? "" : factor * of + plus
}

# "pass", or what is not met
function verdict(n,    known_metrics, conditions, nr, i, c, name, op, of, than, got, bad, excused)
{
	known_metrics = known[n]
	sub(/ .*/, ",", known_metrics)
	nr = split(must[n], conditions, " ")
	for (i = 1; i <= nr; i++) {
		c = conditions[i]
		match(c, /[<>]?=/)
		name = substr(c, 1, RSTART - 1)
		op = substr(c, RSTART, RLENGTH)
		if (name == "usec" && clock != "sim")
			continue
		got = metric("patched", run[n], times[n], name)
		of = substr(c, RSTART + RLENGTH)
		than = limit(n, name, of)
		# Seeds are more unlike each other than the kernels are
		if (name == "usec" && times[n] > 1 && of ~ /base$/ && got != "" && than != "")
			got = paired(run[n], times[n], name) * metric("base", run[n], times[n], name)
		if (got != "" && than != "" &&
		    (op == "<=" ? got <= than : op == ">=" ? got >= than : got == than))
			continue
		if (got != "" && than != "")
			c = c sprintf(" (%.6g)", than)
		if (got != "" && index("," known_metrics, "," name ","))
			excused = excused " " c
		else
			bad = bad " " c
	}
	if (bad != "") {
		fails++
		return "FAIL" bad
	}
	if (excused != "") {
		excuses++
		return "known:" excused
	}
	passes++
	return "pass"
}

function cell(kernel, run, times, name,    v)
{
	v = metric(kernel, run, times, name)
	if (v == "")
		return "-"
	return sprintf(name ~ /^(avg|ms|resident)$/ ? "%.1f" : "%.0f", v)
}

# The settings that all cases from @first to @last have, and those they have not
function common_settings(first, last,    n, i, nr, s, count, order)
{
	split("", is_common)
	for (n = first; n <= last; n++) {
		nr = split(run[n], s, " ")
		for (i = 1; i <= nr; i++)
			count[s[i]]++
	}
	nr = split(run[first], s, " ")
	for (i = 1; i <= nr; i++)
		if (count[s[i]] == last - first + 1 && last > first) {
			is_common[s[i]]
			order = order " " s[i]
		}
	return order
}

function own_settings(n,    nr, i, s, text)
{
	nr = split(run[n], s, " ")
	for (i = 1; i <= nr; i++)
		if (!(s[i] in is_common))
			text = text (text == "" ? "" : " ") s[i]
	return text
}

function max(a, b)
{
	return a > b ? a : b
}

# A pair of columns for each metric that is not 0 in all of the group
function table(first, last,    n, i, name, wide, width, b, p, line, head)
{
	printf "\n[%s] %s", group[first], title[group[first]]
	line = common_settings(first, last)
	print line == "" ? "" : ":" line
	wide = 0
	for (n = first; n <= last; n++)
		wide = max(wide, length(own_settings(n)))
	for (i = 1; i <= nr_metrics; i++) {
		name = metrics[i]
		width[name] = 0
		for (n = first; n <= last; n++) {
			b = cell("base", run[n], times[n], name)
			p = cell("patched", run[n], times[n], name)
			if (b + 0 || p + 0)
				width[name] = max(width[name], max(length(b), length(p)))
		}
		if (width[name]) {
			width[name] = max(width[name], int((length(name) + 1) / 2))
			head = head sprintf("  %-*s", 2 * width[name] + 1, name)
		}
	}
	printf "%4s %-*s%s\n", "", wide, "", head
	for (n = first; n <= last; n++) {
		line = sprintf("%4d %-*s", number[n], wide, own_settings(n))
		for (i = 1; i <= nr_metrics; i++)
			if (width[metrics[i]])
				line = line sprintf("  %*s %*s", width[metrics[i]],
					cell("base", run[n], times[n], metrics[i]), width[metrics[i]],
					cell("patched", run[n], times[n], metrics[i]))
		print line "  " verdicts[n]
	}
}

function csv_line(n, kernel, role, run,    i, line)
{
	if (run == "" || metric(kernel, run, times[n], "usec") == "")
		return
	line = group[n] "," number[n] "," kernel "," role ",\"" run "\",\"" verdicts[n] "\""
	for (i = 1; i <= nr_metrics; i++)
		line = line "," (metric(kernel, run, times[n], metrics[i]) == "" ? "" : \
			cell(kernel, run, times[n], metrics[i]))
	print line >csv
}

# A line for each kernel and case, and for its control run
function write_csv(    n, i, line)
{
	line = "group,number,kernel,role,run,verdict"
	for (i = 1; i <= nr_metrics; i++)
		line = line "," metrics[i]
	print line >csv
	for (n = 1; n <= nr_cases; n++) {
		csv_line(n, "base", "case", run[n])
		csv_line(n, "patched", "case", run[n])
		csv_line(n, "base", "control", control[n])
		csv_line(n, "patched", "control", control[n])
	}
	close(csv)
}

# The standard deviation in percent of the mean; "" where there is none
function deviation(kernel, run, times, name, mean,    i, n, x, sum)
{
	for (i = 1; i <= times; i++)
		if ((kernel, run " seed=" i, name) in measured) {
			x = measured[kernel, run " seed=" i, name] - mean
			sum += x * x
			n++
		}
	return n > 1 && mean ? sprintf("\302\261%3.0f%%", 100 * sqrt(sum / (n - 1)) / mean) : "     "
}

# As the 0-day robot prints it, of what was run more than once
function write_repeated(    n, i, name, b, p, head)
{
	for (n = 1; n <= nr_cases; n++) {
		if (times[n] == 1)
			continue
		if (group[n] != head)
			printf "%s%s: %s\n\n%16s %17s %19s\n%s\n%16s %17s %19s\n%16s %17s %19s\n", \
				head == "" ? "" : "\n", group[n], title[group[n]], \
				"base", "", "patched", \
				"---------------- -------------------------------------", \
				"%stddev", "%change    ", "%stddev", "\\  ", "|       ", "\\  " >repeated
		head = group[n]
		print "  " run[n] >repeated
		for (i = 1; i <= nr_metrics; i++) {
			name = metrics[i]
			b = metric("base", run[n], times[n], name)
			p = metric("patched", run[n], times[n], name)
			if (b == "" || p == "" || (!b && !p))
				continue
			printf "%10.6g %s %9s %14.6g %s        %s\n", b, \
				deviation("base", run[n], times[n], name, b), \
				b ? sprintf("%+.1f%%", 100 * (p - b) / b) : "", p, \
				deviation("patched", run[n], times[n], name, p), name >repeated
		}
	}
	close(repeated)
}

END {
	print "\nOf each pair of columns the first is the base, the second the patched kernel."
	print "Times (ms) are medians of the runs, all else is means; avg is the KiB of a read,"
	print "inside and outside are the pages cached of what is mapped and of the rest of the"
	print "file; resident is the least part (%) of a file in use that stayed, lost the pages"
	print "of it that did not, use_majflt the faults that its user had for them; mbs is MB/s,"
	print "insns the instructions for each fault, on a disk that takes no time."
	for (n = 1; n <= nr_cases; n++)
		verdicts[n] = verdict(n)
	for (first = 1; first <= nr_cases; first = last + 1) {
		for (last = first; last < nr_cases && group[last + 1] == group[first]; )
			last++
		table(first, last)
	}
	if (csv != "")
		write_csv()
	if (repeated != "")
		write_repeated()
	printf "\n%d cases: %d pass, %d fail, %d are known not to hold\n", \
		nr_cases, passes, fails, excuses
	exit fails > 0
}
