# SPDX-License-Identifier: GPL-2.0-only
# Expand the file bench/cases. With -v mode=plan, a line a case, its fields between
# tabs: group, its title, number, run, control run, times, conditions, what is known. With mode=runs,
# a line a run: what the job is to start in a kernel, each run once, those that
# share a file system and a file together. Settings: clock, kernel, select (groups;
# all where it is empty).

BEGIN {
	FS = "[ \t]+"
	if (clock == "")
		clock = "wall"
	nr_wanted = split(select, names, /[ ,]+/)
	for (i = 1; i <= nr_wanted; i++)
		if (names[i] != "")
			wanted[names[i]]
}

function fail(text)
{
	print FILENAME ":" FNR ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

/^#/ || /^[ \t]*$/ {
	next
}

/^\[/ {
	group = $1
	gsub(/[][]/, "", group)
	title = $0
	sub(/^[^ ]* */, "", title)
	number = 0
	known_groups = known_groups " " group
	seen_group[group]
	if (mode == "groups")
		print group "\t" title
	next
}

# Put @value into @run as that key's; or take the key out of it
function with(run, setting,    key, pos)
{
	key = setting
	sub(/=.*/, "=", key)
	pos = match(" " run, " " key "[^ ]*")
	if (pos)
		return substr(run, 1, pos - 1) setting substr(run, pos + RLENGTH - 1)
	return run " " setting
}

function without(run, key)
{
	sub("(^| )" key "=[^ ]*", "", run)
	sub(/^ /, "", run)
	return run
}

function value(run, key, otherwise,    pos)
{
	if (!match(" " run, " " key "=[^ ]*"))
		return otherwise
	return substr(run, RSTART + length(key) + 1, RLENGTH - length(key) - 2)
}

function add_run(run,    key)
{
	if (run in have)
		return
	have[run]
	key = value(run, "dev", "-") " " value(run, "fs", "ext4") " " value(run, "size", "64M")
	if (!(key in place))
		places[++nr_places] = key
	place[key] = place[key] run "\n"
}

# A case without braces
function one(run, control, must, known,    n, i, settings, seed, times, only)
{
	if (value(run, "clock", clock) != clock)
		return
	number++
	times = value(run, "times", 1) + 0
	only = value(run, "only", kernel)
	run = without(without(without(run, "clock"), "times"), "only")
	if (control != "") {
		n = split(control, settings, " ")
		control = run
		for (i = 1; i <= n; i++)
			control = with(control, settings[i])
	}
	# The simulated clock has the same answer each time. Chance has not, nor have
	# instructions, where a timer's are one in a hundred.
	if (clock == "sim" && run !~ /pattern=(random|runs|shuffled)|dev=ram/)
		times = 1
	if (mode == "plan")
		print group "\t" title "\t" number "\t" run "\t" control "\t" times "\t" must "\t" known
	if (mode != "runs" || only != kernel)
		return
	for (i = 1; i <= times; i++) {
		seed = times > 1 ? " seed=" i : ""
		add_run(run seed)
		if (control != "")
			add_run(control seed)
	}
}

# The first pair of braces; its choices are cases of their own
function expand(run, control, must, known,    n, i, choices, head, tail)
{
	if (!match(run, /[{][^{}]*[}]/)) {
		one(run, control, must, known)
		return
	}
	head = substr(run, 1, RSTART - 1)
	tail = substr(run, RSTART + RLENGTH)
	n = split(substr(run, RSTART + 1, RLENGTH - 2), choices, ",")
	for (i = 1; i <= n; i++)
		expand(head choices[i] tail, control, must, known)
}

{
	if (nr_wanted && !(group in wanted))
		next
	split("", part)
	part["run"] = part["vs"] = part["must"] = part["known"] = ""
	where = "run"
	for (i = 1; i <= NF; i++) {
		if ($i == "")
			continue
		if ($i == "vs" || $i == "must" || $i == "known") {
			where = $i
			continue
		}
		if (where != "known" && $i !~ /^[a-z]+[<>]?=/)
			fail("'" $i "' is neither KEY=VALUE nor a condition")
		part[where] = part[where] (part[where] == "" ? "" : " ") $i
	}
	if (part["must"] == "")
		fail("the case has no must")
	expand(part["run"], part["vs"], part["must"], part["known"])
}

END {
	if (failed)
		exit 1
	for (name in wanted)
		if (!(name in seen_group)) {
			print "there is no group " name " in " FILENAME ":" known_groups >"/dev/stderr"
			exit 1
		}
	for (i = 1; i <= nr_places; i++)
		printf "%s", place[places[i]]
}
