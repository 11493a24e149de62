# SPDX-License-Identifier: GPL-2.0-only
# The pictures of results/, from what lab/report.sh took out of the tables:
# gnuplot -e "data='DIRECTORY'; version='7.3.4'" bench/pictures.gp
set terminal svg size 900,420 font "sans-serif,13" background "white"
set style line 1 lc rgb "#c0392b" lw 2 pt 5 ps 0.5
set style line 2 lc rgb "#e67e22" lw 2 pt 7 ps 0.5
set style line 3 lc rgb "#8e44ad" lw 2 pt 9 ps 0.6
set style line 4 lc rgb "#1e8449" lw 2 pt 4 ps 0.7
set style line 5 lc rgb "#2e86c1" lw 2 pt 6 ps 0.7
set style line 6 lc rgb "#17202a" lw 2 pt 8 ps 0.7
set style line 9 lc rgb "#999999" lw 1 dt 2
set border 3
set tics nomirror out
set grid ytics lc rgb "#dddddd"
set datafile separator whitespace

set output data."/ra.svg"
set terminal svg size 900,430 font "sans-serif,13" background "white"
set multiplot layout 1,2 margins 0.10,0.98,0.19,0.91 spacing 0.11 \
	title "64 MiB read downwards through a mapping, cold; a disk of 80 us and 3,000 MB/s"
set logscale x 2
set logscale y 10
set xlabel "read\\_ahead\\_kb (KiB)"
set xrange [14:36000]
set xtics (16, 64, 256, 1024, 4096, 16384)
set format y "%.0f"
set ylabel "major faults" offset 1,0
set yrange [0.7:90000]
unset key
# at the lines, which those of the series share
set label 1 version.", MADV\\_SEQUENTIAL" at 18, 32000 textcolor ls 2
set label 2 version.", MADV\\_HUGEPAGE" at 18, 60 textcolor ls 3
set label 3 version.", MADV\\_NORMAL" at 190, 1100 textcolor ls 1
set label 4 "with the series, each of the three" at 18, 1.6 textcolor ls 6
name(n) = word("normal seq huge", n)
plot for [n=1:3] data."/ra-base-".name(n) using 1:2 with linespoints ls n, \
     for [n=1:3] data."/ra-patched-".name(n) using 1:2 with linespoints ls n+3
set ylabel "MB/s" offset 1,0
set yrange [1:5000]
unset for [n=1:4] label n
set label "the disk" at 20, 3000 offset 0,0.5 textcolor rgb "#777777"
plot for [n=1:3] data."/ra-base-".name(n) using 1:3 with linespoints ls n, \
     for [n=1:3] data."/ra-patched-".name(n) using 1:3 with linespoints ls n+3, \
     3000 ls 9
unset multiplot

reset
set terminal svg size 900,440 font "sans-serif,13" background "white"
set bmargin 5
set border 3
set tics nomirror out
set grid ytics lc rgb "#dddddd"
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set boxwidth 0.9
set datafile separator "\t"
set key outside top center horizontal samplen 1.5
base = "#c0392b"
patched = "#1e8449"

set output data."/ratio.svg"
set title "How much longer a walk down takes than the same walk up, by advice and read\\_ahead\\_kb"
set ylabel "time down / time up"
set logscale y 10
set yrange [0.5:300]
set format y "%g"
set xtics noenhanced font ",10"
plot data."/ratio" using 2:xtic(1) lc rgb base title version, \
     "" using 3 lc rgb patched title "with the series", \
     1 with lines lc rgb "#555555" dt 2 notitle, \
     "" using ($0 - 0.17):($2 * 1.3):(sprintf("%.3g", $2)) with labels font ",11" notitle, \
     "" using ($0 + 0.17):($3 * 1.3):(sprintf("%.2f", $3)) with labels font ",11" notitle

set output data."/outside.svg"
set title "Pages that come into the page cache although nobody maps them, read\\_ahead\\_kb 4096"
set ylabel "pages of 4 KiB"
unset logscale y
set yrange [0:*]
set format y "%.0f"
plot data."/outside" using 2:xtic(1) lc rgb base title version, \
     "" using 3 lc rgb patched title "with the series", \
     "" using ($0 - 0.17):2:2 with labels font ",11" offset 0,0.7 notitle, \
     "" using ($0 + 0.17):3:3 with labels font ",11" offset 0,0.7 notitle

set output data."/resident.svg"
set title "What stays of 24 MiB in use beside a stream with POSIX\\_FADV\\_NOREUSE, in 64 MiB"
set ylabel "least part resident (%)"
set yrange [0:110]
set ytics 0, 20, 100
plot data."/resident" using 2:xtic(1) lc rgb base title version, \
     "" using 3 lc rgb patched title "with the series", \
     "" using ($0 - 0.17):2:(sprintf("%.0f", $2)) with labels font ",11" offset 0,0.7 notitle, \
     "" using ($0 + 0.17):3:(sprintf("%.0f", $3)) with labels font ",11" offset 0,0.7 notitle
