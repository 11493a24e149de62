# SPDX-License-Identifier: GPL-2.0-only
# Of the logs build/test-BASE.log, or what make report keeps of them,
# results/BASE/tests.txt: a line a check, a column a base. A check that some base
# does not have is "-" there. Patches go by their subjects, since the
# number of one may differ between bases.
FNR == 1 {
	base = FILENAME
	gsub(/.*test-|\.log$|\/tests\.txt$/, "", base)
	sub(/.*\//, "", base)
	bases[++columns] = base
}
/^(not )?ok - / {
	result = /^not/ ? "FAIL" : / # SKIP / ? "skip" : "pass"
	name = $0
	sub(/^(not )?ok - /, "", name)
	sub(/ # SKIP .*/, "", name)
	sub(/checkpatch 0[0-9]*-/, "checkpatch ", name)
	if (!(name in seen)) {
		seen[name] = 1
		names[++rows] = name
	}
	# the worst of two that have the same name
	if (cell[name, base] != "FAIL")
		cell[name, base] = result
	count[result, base]++
}
END {
	row("")
	for (c = 1; c <= columns; c++)
		printf " %5s", bases[c]
	print ""
	for (r = 1; r <= rows; r++) {
		row(names[r])
		for (c = 1; c <= columns; c++) {
			result = cell[names[r], bases[c]]
			printf " %5s", result == "" ? "-" : result
		}
		print ""
	}
	sum("pass", "passed")
	sum("FAIL", "failed")
	sum("skip", "skipped")
}
function sum(result, name)
{
	row(name)
	for (c = 1; c <= columns; c++)
		printf " %5d", count[result, bases[c]]
	print ""
}
function row(name)
{
	printf "%-90.90s", name
}
