#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# report.sh [--check]: take what make bench CLOCK=sim, make bench JOB=programs and,
# where it was run, make bench found into results/$BASE, draw its pictures, and put
# its numbers into the tables of README.md and the cover letter. With --check nothing
# is written: say which of those texts do not have the numbers of results/$BASE.
# Of a base that is not the newest it takes what make bench CLOCK=sim found, of some
# cases or all, where that was run, and that is all. Of each base it takes what make
# test found, and makes results/matrix.txt of what all of them have.
set -eu
. "${0%/*}/lib.sh"

results=$TOP/results/$BASE
scratch=$WORK/report
tab='	'
rm -rf "$scratch"
mkdir -p "$scratch"

# check_run NAME: whether that run was of all cases, and of the series as it is
check_run()
{
	from=$WORK/$1
	[ -e "$from/table" ] || die "there is no table of a complete run in ${from#"$TOP"/}" \
		"Make it first: make bench, with CLOCK=sim and with JOB=programs (of an older base: make bench CLOCK=sim)"
	tree=$(labgit rev-parse --short=12 'series^{tree}')
	grep -q "tree $tree\$" "$from/environment" ||
		die "${from#"$TOP"/} is of another series than that of patches/$BASE" "Run it again"
	case $1:$BASE in
	cases-*:"$newest")
		awk -v mode=plan -v clock="${1#*-}" -f "$TOP/bench/plan.awk" "$TOP/bench/cases" |
			cmp -s - "$from/plan" ||
			die "${from#"$TOP"/} is not of all that bench/cases lists" "Run it again, without CASES"
		;;
	esac
}

# take NAME
take()
{
	check_run "$1"
	mkdir -p "$results"
	cat "$WORK/$1/environment" "$WORK/$1/table" >"$results/$1.txt"
	cp "$WORK/$1/csv" "$results/$1.csv"
	[ ! -s "$WORK/$1/repeated" ] || cp "$WORK/$1/repeated" "$results/$1-repeated.txt"
}

# tested: whether the log of make test is of all its parts; make deb-boot leaves less
tested()
{
	log=$BUILD/test-$BASE.log
	grep -qs '^ok - checkpatch ' "$log" && grep -q '^ok - base: mincore' "$log"
}

# take_tests: the checks of make test, and the matrix of all bases
take_tests()
{
	mkdir -p "$results"
	grep -E '^(not )?ok - ' "$log" >"$results/tests.txt"
	set --
	names=$(awk '!/^#/ && NF { print $1 }' "$BASES")
	for name in $names; do
		[ ! -e "$TOP/results/$name/tests.txt" ] || set -- "$@" "$TOP/results/$name/tests.txt"
	done
	awk -f "$TOP/lab/matrix.awk" "$@" >"$TOP/results/matrix.txt"
}

# of GROUP RUN METRIC KERNEL: the number that the case has there
of()
{
	awk -v start="$1," -v run=",$4,case,\"$2\"," -v name="$3" '
		NR == 1 { n = split($0, names, ","); next }
		index($0, start) == 1 && index($0, run) {
			line = $0
			sub(/.*",/, "", line)
			split(line, v, ",")
			# the first six of the names are those of the case itself
			for (i = 7; i <= n; i++)
				if (names[i] == name) {
					print v[i - 6]
					found = 1
					exit
				}
		}
		END { exit !found }' "$results/cases-sim.csv" ||
		die "results/$BASE/cases-sim.csv has no $3 of $1: $2 ($4)" \
		"bench/cases was changed: change lab/report.sh with it"
}

# pair FORMAT GROUP RUN METRIC: what the base and the series have, in FORMAT
pair()
{
	b=$(of "$2" "$3" "$4" base) && p=$(of "$2" "$3" "$4" patched) || exit
	# shellcheck disable=SC2059 # the caller's format
	printf "$1" "$(commas "$b")" "$(commas "$p")"
}

commas()
{
	echo "$1" | sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta'
}

# put FILE START: a paragraph of FILE, that which starts so, is to be what is on the
# standard input
put()
{
	cat >"$scratch/new"
	awk -v start="$2" -v new="$scratch/new" '
		index($0, start) == 1 && !inside {
			inside = 1
			count++
			while ((getline line <new) > 0)
				print line
		}
		/^[ \t]*$/ { inside = 0 }
		!inside { print }
		END { exit count != 1 }' "$scratch/${1##*/}" >"$scratch/put" ||
		die "$1 has no one paragraph that starts with: $2" "lab/report.sh puts numbers there"
	mv "$scratch/put" "$scratch/${1##*/}"
}

readme()
{
	version=$(sed -n 's/^kernel *\([^-]*\)-.*/\1/p' "$results/cases-sim.txt")
	{
		printf '| advice          | %s  | with the series | the same walk upwards |\n' "$version"
		echo '|-----------------|-------:|----------------:|----------------------:|'
		whole_walks | while IFS=$tab read -r name _ run; do
			printf '| %-15s | %6s | %15s | %21s |\n' "$name" \
				"$(commas "$(of walk "$run dir=down" majflt base)")" \
				"$(commas "$(of walk "$run dir=down" majflt patched)")" \
				"$(commas "$(of walk "$run dir=up" majflt patched)")"
		done
	} | put README.md '| advice '
	{
		printf '| what is read                                         | %s | with the series |\n' "$version"
		echo '|------------------------------------------------------|------:|----------------:|'
		outside_rows | while IFS=$tab read -r name group run; do
			pair "$(printf '| %-52s | %%5s | %%15s |\\n' "$name")" "$group" "$run" outside
		done
	} | put README.md '| what is read '
	{
		printf '| stream by   | each part read                | %s   | with the series |\n' "$version"
		echo '|-------------|-------------------------------|--------:|----------------:|'
		noreuse_rows | while IFS=$tab read -r name part group run; do
			pair "$(printf '| %-11s | %-29s | %%7s | %%15s |\\n' "$name" "$part")" "$group" "$run" lost
		done
	} | put README.md '| stream by '
}

outside_rows()
{
	cat <<-'EOS'
	1 MiB of a 64 MiB file, mapped at 3 MiB + 4 KiB	T18	size=64M advice=huge map=3076K:1M pattern=random count=50 ra=4096
	a program of 100 KiB with a payload of 32 MiB behind	payload	kind=start program=static-100 payload=32M ra=4096
	four segments of 512 KiB, 48 KiB of padding between	T2	size=4M map=0:512K,560K:512K,1120K:512K,1680K:512K ra=4096 advice=normal dir=up
	the last 64 KiB of a 64 MiB file, mapped alone	T15	size=64M pattern=footer map=65472K:64K ra=4096
	EOS
}

noreuse_rows()
{
	stream='kind=stream size=256M mem=64M lru=classic use=mmap'
	cat <<-EOS
	read(2)	once	T6	$stream method=read fadvise=noreuse behind=0
	sendfile(2)	once	T6	$stream method=sendfile fadvise=noreuse behind=0
	sendfile(2)	again, 4 MiB later	T6	$stream method=sendfile fadvise=noreuse behind=4M
	read(2)	again, 1 MiB later	noreuse	$stream method=read fadvise=noreuse behind=1M
	io_uring	again, 1 MiB later	noreuse	$stream method=uring fadvise=noreuse behind=1M
	sendfile(2)	of that very file	noreuse	kind=stream size=256M mem=64M lru=classic method=sendfile same=yes fadvise=noreuse
	EOS
}

# more_bytes NAME GROUP RUN: what the patched kernel reads more, in percent
more_bytes()
{
	change=$(echo "$(of "$2" "$3" kib base) $(of "$2" "$3" kib patched)" |
		awk '{ printf "%+.1f %%", 100 * ($2 - $1) / $1 }')
	printf '\t%-40s%8s\n' "$1" "$change"
}

# ratio RUN RUN KERNEL: of the times of two cases of the group walk
ratio()
{
	echo "$(of walk "$1" ms "$3") $(of walk "$2" ms "$3")" | awk '{ printf "%.3f", $1 / $2 }'
}

# whole_walks: the advice, and the settings of a walk that goes with it
whole_walks()
{
	for ra in ${1:-128}; do
		cat <<-EOS
			MADV_NORMAL	$ra	advice=normal ra=$ra size=256M
			MADV_SEQUENTIAL	$ra	advice=seq ra=$ra size=64M
			MADV_HUGEPAGE	$ra	advice=huge ra=$ra size=256M
		EOS
	done
}

cover()
{
	{
		printf '\t%-16s%8s%8s%10s\n' '' before after ascending
		whole_walks | while IFS=$tab read -r name _ run; do
			printf '\t%-16s%8s%8s%10s\n' "$name" \
				"$(commas "$(of walk "$run dir=down" majflt base)")" \
				"$(commas "$(of walk "$run dir=down" majflt patched)")" \
				"$(commas "$(of walk "$run dir=up" majflt patched)")"
		done
	} | put cover/v1.txt "$(printf '\t%-16s%8s' '' before)"
	{
		printf '\t%-19s%5s%8s%8s\n' 'down : up' KiB before after
		whole_walks '128 1024 8192' | while IFS=$tab read -r name ra run; do
			printf '\t%-19s%5s%8s%8s\n' "$name" "$ra" \
				"$(ratio "$run dir=down" "$run dir=up" base)" \
				"$(ratio "$run dir=down" "$run dir=up" patched)"
		done
	} | put cover/v1.txt "$(printf '\tdown : up')"
	{
		printf '\t%-19s%5s%13s%13s\n' '8 threads' KiB before after
		for row in 'MADV_NORMAL normal 128' 'MADV_NORMAL normal 1024' 'MADV_SEQUENTIAL seq 128' \
			   'MADV_HUGEPAGE huge 128' 'MADV_HUGEPAGE huge 1024'; do
			read -r name advice ra <<-EOS
				$row
			EOS
			own="advice=$advice ra=$ra dir=up"
			printf '\t%-19s%5s%13s%13s\n' "$name" "$ra" "$(threads base "$own")" "$(threads patched "$own")"
		done
	} | put cover/v1.txt "$(printf '\t8 threads')"
	{
		printf '\t%-52s%9s%8s\n' 'what is read' before after
		outside_rows | while IFS=$tab read -r name group run; do
			pair "$(printf '\\t%-52s%%9s%%8s\\n' "$name")" "$group" "$run" outside
		done
	} | put cover/v1.txt "$(printf '\twhat is read')"
	{
		printf '\t%-22s%6s%14s%14s\n' 'cold starts' KiB before after
		while IFS=$tab read -r name count group run; do
			for ra in 128 4096; do
				at=$(echo "$run" | sed "s/ra=/ra=$ra/")
				printf '\t%-22s%6s%14s%14s\n' "$name" $ra \
					"$(starts "$group" "$at" "$count" base)" \
					"$(starts "$group" "$at" "$count" patched)"
				name=
			done
		done <<-EOS
			dynamic, 100 KiB	200	T1	kind=start program=dynamic-100 ra= count=200
			static, 250 KiB	50	start	kind=start program=static-250 ra= count=50
			20 shared libraries	20	start	kind=start program=libraries ra= count=20
		EOS
	} | put cover/v1.txt "$(printf '\tcold starts')"
	{
		printf '\t%-12s%-24s%8s%8s\n' 'stream by' 'each part read' before after
		noreuse_rows | while IFS=$tab read -r name part group run; do
			pair "$(printf '\\t%-12s%-24s%%8s%%8s\\n' "$name" "$part")" "$group" "$run" lost
		done
	} | put cover/v1.txt "$(printf '\tstream by')"
	{
		printf '\t%-50s%8s%8s\n' program before after
		while read -r row; do
			printf '\t%-50s%8s%8s\n' "$row" \
				"$(commas "$(program "$row" majflt base)")" \
				"$(commas "$(program "$row" majflt patched)")"
		done <<-EOS
			safetensors, last to first, memmove, normal
			safetensors, last to first, memmove, huge
			safetensors, shuffled, memcpy, 8 threads, normal
			sqlite3, mmap_size, ORDER BY rowid DESC
			sqlite3, mmap_size, ORDER BY rowid
			fio mmap, backwards, bs=4k, hint 0
			fio mmap, backwards, bs=4k, hint sequential
			clang-14 --version, 128 KiB
			gdb on sqlite3, 128 KiB
			tac, by read(2)
		EOS
	} | put cover/v1.txt "$(printf '\tprogram')"
	{
		random='size=256M pattern=random count='
		more_bytes '1 % random touches, MADV_NORMAL' random "${random}655 advice=normal ra=128"
		more_bytes '5 %' random "${random}3277 advice=normal ra=128"
		more_bytes '5 % with 8 threads' random "${random}3277 advice=normal ra=128 threads=8"
		more_bytes '1 %, MADV_SEQUENTIAL' random "${random}655 advice=seq ra=128"
		more_bytes '5 %' random "${random}3277 advice=seq ra=128"
		more_bytes '5 % with 8 threads' random "${random}3277 advice=seq ra=128 threads=8"
		more_bytes '1 %, MADV_HUGEPAGE' random "${random}655 advice=huge ra=128"
		more_bytes '5 %' random "${random}3277 advice=huge ra=128"
		for blocks in 1 2 3; do
			more_bytes "100 backward runs of $blocks x 16 KiB, _HUGEPAGE" runs \
				"size=256M pattern=runs count=100 blocks=$blocks advice=huge ra=128"
		done
	} | put cover/v1.txt "$(printf '\t1 %% random touches')"
	{
		printf '\t%-26s%22s%20s\n' 'down 256 MiB in steps of' 'major faults' 'MiB read'
		for stride in 3 5 6 12 14 15; do
			run="size=256M stride=$stride advice=normal ra=128 dir=down"
			printf '\t%12s%14s%11s%11s%10s%10s\n' $stride '' \
				"$(commas "$(of stride "$run" majflt base)")" "$(commas "$(of stride "$run" majflt patched)")" \
				$(($(of stride "$run" kib base) / 1024)) $(($(of stride "$run" kib patched) / 1024))
		done
	} | put cover/v1.txt "$(printf '\tdown 256 MiB in steps of')"
	{
		printf '\t%-24s%8s%18s%22s\n' 'holes in the file' KiB 'major faults' 'KiB read'
		for ra in 128 4096; do
			holes "four segments, upwards" $ra T2 \
				"size=4M map=0:512K,560K:512K,1120K:512K,1680K:512K ra=$ra advice=normal dir=up" 1
			holes "padded program" $ra start "kind=start program=padded-100 ra=$ra count=50" 50
		done
	} | put cover/v1.txt "$(printf '\tholes in the file')"
	{
		printf '\t%-30s%6s%14s%14s\n' '256 MiB, cold' KiB 'before, ms' 'after, ms'
		for ra in 128 1024; do
			at="dev=nvme size=256M"
			elapsed 'MADV_NORMAL, upwards' $ra "$at advice=normal ra=$ra dir=up"
			elapsed 'MADV_NORMAL, downwards' $ra "$at advice=normal ra=$ra dir=down"
			elapsed 'read(2)' $ra "$at pattern=read ra=$ra"
			elapsed 'MADV_WILLNEED' $ra "$at pattern=willneed ra=$ra"
			elapsed 'MADV_POPULATE_READ' $ra "$at pattern=populate ra=$ra"
		done
	} | put cover/v1.txt "$(printf '\t256 MiB, cold')"
}

# program ROW METRIC KERNEL: of make bench JOB=programs
program()
{
	awk -F '"' -v row="$1" -v kernel="$3" -v name="$2" '
		NR == 1 { n = split($0, names, ","); next }
		$2 == row {
			split($3, v, ",")
			for (i = 1; i <= n && v[2] == kernel; i++)
				if (names[i] == name) {
					print v[i]
					found = 1
					exit
				}
		}
		END { exit !found }' "$results/programs-wall.csv" ||
		die "results/$BASE/programs-wall.csv has no $2 of: $1 ($3)" \
		"bench/programs.job was changed: change lab/report.sh with it"
}

# threads KERNEL RUN: major faults through one descriptor, and through eight
threads()
{
	shared="size=256M threads=8 own=no $2" own="size=256M threads=8 own=yes $2"
	echo "$(of shared "$shared" majflt "$1") ($(of shared "$own" majflt "$1"))"
}

# holes NAME KIB GROUP RUN COUNT
holes()
{
	echo "$(of "$3" "$4" majflt base) $(of "$3" "$4" majflt patched) $(of "$3" "$4" kib base) $(of "$3" "$4" kib patched)" |
		awk -v name="$1" -v ra="$2" -v count="$5" '
			{ printf "\t%-24s%8s%9g%9g%11d%11d\n", name, ra, $1 / count, $2 / count, $3 / count, $4 / count }'
}

# elapsed NAME KIB RUN
elapsed()
{
	printf '\t%-30s%6s%14s%14s\n' "$1" "$2" "$(of device "$3" ms base)" "$(of device "$3" ms patched)"
}

# starts GROUP RUN COUNT KERNEL: reads and major faults of each of COUNT starts
starts()
{
	echo "$(of "$1" "$2" reads "$4") $(of "$1" "$2" majflt "$4")" |
		awk -v count="$3" '{ printf "%g, %g", $1 / count, $2 / count }'
}

pictures()
{
	for advice in normal seq huge; do
		for kernel in base patched; do
			for ra in 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768; do
				run="size=64M advice=$advice dir=down ra=$ra"
				printf '%s %s ' $ra "$(of ra "$run" majflt $kernel)"
				echo "$(of ra "$run" kib $kernel) $(of ra "$run" ms $kernel)" |
					awk '{ printf "%.1f\n", $1 * 1.024 / $2 }'
			done >"$scratch/ra-$kernel-$advice"
		done
	done
	whole_walks '128 1024 8192' | sort -s -k 1,1 | while IFS=$tab read -r name ra run; do
		printf '"%s\\n%s"\t%s\t%s\n' "${name#MADV_}" "$ra" \
			"$(ratio "$run dir=down" "$run dir=up" base)" \
			"$(ratio "$run dir=down" "$run dir=up" patched)"
	done >"$scratch/ratio"
	outside_rows | while IFS=$tab read -r name group run; do
		printf '"%s"\t%s\t%s\n' "$(echo "$name" | fold -s -w 19 | sed 's/ *$//' | paste -s -d '~' |
			sed 's/~/\\n/g')" "$(of "$group" "$run" outside base)" "$(of "$group" "$run" outside patched)"
	done >"$scratch/outside"
	noreuse_rows | while IFS=$tab read -r name part group run; do
		pair "\"$name\\\\n$(echo "$part" | sed 's/, /,\\\\n/')\"\t%s\t%s\n" "$group" "$run" resident
	done >"$scratch/resident"
	gnuplot -e "data='$scratch'; version='$version'" "$TOP/bench/pictures.gp" ||
		die "gnuplot could not draw bench/pictures.gp" "See above; its data are in $scratch"
	cp "$scratch"/*.svg "$results"
}

if [ "${1:-}" = --check ]; then
	[ -e "$results/cases-sim.csv" ] || exit 0
else
	if tested; then
		take_tests
		say "results/matrix.txt has the checks of $BASE now"
	else
		say "NOTICE: without the checks: ${log#"$TOP"/} is not of a complete make test"
	fi
	if [ "$BASE" != "$newest" ]; then
		# the checks alone will do
		[ ! -e "$WORK/cases-sim/table" ] && tested && exit 0
		take cases-sim
		say "results/$BASE has the numbers now"
		exit 0
	fi
	take cases-sim
	take programs-wall
	# Its counts are the same but for what the disk takes at a time
	if [ -e "$WORK/cases-wall/table" ]; then
		take cases-wall
	else
		say "NOTICE: without cases-wall: make bench was not run without CLOCK=sim"
	fi
fi
cp "$TOP/README.md" "$TOP/cover/v1.txt" "$scratch"
readme
cover
if [ "${1:-}" = --check ]; then
	status=0
	for file in README.md cover/v1.txt; do
		cmp -s "$TOP/$file" "$scratch/${file##*/}" || {
			echo "$file: not the numbers of results/$BASE"
			diff "$TOP/$file" "$scratch/${file##*/}" || :
			status=1
		}
	done
	exit $status
fi
pictures
cp "$scratch/README.md" "$TOP/README.md"
cp "$scratch/v1.txt" "$TOP/cover/v1.txt"
say "results/$BASE, README.md and cover/v1.txt have the numbers now; look at the pictures and at git diff"
