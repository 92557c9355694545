#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfnorm: every number is compared with one that awk computes from the counts.
load helper

# Formulas as awk functions; pi is computed by awk.
formulas='
function shell(low, high) { return 4 / 3 * atan2(0, -1) * (high ^ 3 - low ^ 3) }
function differ(a, b, relative) { d = a - b; if (d < 0) d = -d; return d > relative * (a < 0 ? -a : a) + 1e-15 }
'

# Writes $T/trjf: a gas in three groups, whose cell varies, in 10 frames.
gas() {
    mkdcd --atoms 400 --frames 10 --cell 25,26,27,80,85,95 --breathe 0.08 --seed 3 >"$T/dcd"
    trjcat -g 'A=index 0 to 199' -g 'B=index 150 to 299' -g 'C=index 300 to 399' "$T/dcd" >"$T/trjf"
}

# Prints the volumes of the gas, computed from the arguments of mkdcd.
volumes() {
    awk 'BEGIN { rad = atan2(0, -1) / 180; a = cos(80 * rad); b = cos(85 * rad); c = cos(95 * rad)
        for (f = 0; f < 10; f++) printf "%.17g\n",
            25 * 26 * 27 * sqrt(1 - a * a - b * b - c * c + 2 * a * b * c) * (1 + 0.08 * sin(f)) ^ 3 }'
}

# check PAIRS NA ORDER DENSITY-SUM [RDFNORM OPTION...]: compares g and n of the one pair in $T/rdfh (10 frames)
check() {
    local pairs=$1 atoms=$2 order=$3 density=$4
    shift 4
    paste <(rdfnorm "$@" "$T/rdfh" | rows) <(rdfnorm --counts "$T/rdfh" | rows) |
        awk -v pairs="$pairs" -v atoms="$atoms" -v order="$order" -v density="$density" "$formulas"'
        { sum += $6; g = $6 / (pairs * density * shell($4, $5)); n = order * sum / (10 * atoms)
          if (differ(g, $2, 1e-9) || differ(n, $3, 1e-9) || differ(($4 + $5) / 2, $1, 1e-9)) { print g, n, $0
          bad = 1 } }
        END { exit bad || NR != 40 || sum < 1000 }'
}

@test "g(r) and n(r) of a group with itself, of two groups and of overlapping groups: equal the formulas" {
    gas
    local inverse
    inverse=$(volumes | awk '{ s += 1 / $1 } END { printf "%.17g", s }')
    rdfhist -B 0 -e cpu -p A:A -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    check $((200 * 199 / 2)) 200 2 "$inverse"
    rdfhist -B 0 -e cpu -p A:C -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    check $((200 * 100)) 200 1 "$inverse"
    rdfhist -B 0 -e cpu -p A:B -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    check $((200 * 150 - 50)) 200 1 "$inverse"
    rdfhist -B 0 -e cpu -p B:A -b 40 -r 11 --rmin 3 "$T/trjf" >"$T/rdfh"
    check $((200 * 150 - 50)) 150 1 "$inverse"
}

@test "conventions of other programs, and a given volume: equal the formulas" {
    gas
    local inverse mean
    inverse=$(volumes | awk '{ s += 1 / $1 } END { printf "%.17g", s }')
    mean=$(volumes | awk '{ s += $1 } END { printf "%.17g", 100 / s }')
    rdfhist -B 0 -e cpu -p A:A -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    check $((200 * 199 / 2)) 200 2 "$inverse" --norm density
    check $((200 * 199 / 2)) 200 2 "$mean" --norm mdanalysis
    check $((200 * 200 / 2)) 200 2 "$inverse" --norm gromacs
    check $((200 * 199 / 2)) 200 2 "$(awk 'BEGIN { printf "%.17g", 10 / 12345.5 }')" --volume 12345.5
    check $((200 * 200 / 2)) 200 2 "$(awk 'BEGIN { printf "%.17g", 10 / 12345.5 }')" --volume 12345.5 --norm gromacs
    rdfhist -B 0 -e cpu -p A:B -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    check $((200 * 150)) 200 1 "$inverse" --norm gromacs
    check $((200 * 150)) 200 1 "$mean" --norm mdanalysis
}

@test "-n vmd: the mean of g(r) of the frames; records of several frames are rejected" {
    gas
    local f v
    rdfhist -B 0 -e cpu -p A:A -b 40 -r 11 "$T/trjf" >"$T/one.rdfh"
    fails 3 'rdfhist -B 1' rdfnorm --norm vmd "$T/one.rdfh"
    rdfhist -e cpu -p A:A -b 40 -r 11 -B 1 "$T/trjf" | rdfnorm --norm vmd | rows | cut -f 2 >"$T/g"
    f=0
    for v in $(volumes); do
        trjcat -f "$f" "$T/trjf" | rdfhist -B 0 -e cpu -p A:A -b 40 -r 11 | rdfnorm --counts | rows |
            awk -v v="$v" "$formulas"'{ printf "%.17g\n", $3 * v / (200 * 199 / 2) / shell($1, $2) }' >"$T/g$f"
        f=$((f + 1))
    done
    paste "$T/g" "$T"/g? | awk "$formulas"'{ s = 0; for (i = 2; i <= 11; i++) s += $i / 10
        if (differ(s, $1, 1e-9)) { print s, $0; bad = 1 } } END { exit bad || NR != 40 }'
    # In a constant volume any record is accepted, and the result equals that of the default.
    mkdcd --atoms 300 --frames 4 --cell 20,20,20 | trjcat - | rdfhist -B 0 -e cpu -b 40 >"$T/rdfh"
    rdfnorm --norm vmd "$T/rdfh" | rows >"$T/vmd"
    rdfnorm "$T/rdfh" | rows >"$T/density"
    same "$T/density" "$T/vmd"
}

@test "slab: shells are cut off at its faces" {
    mkdcd --atoms 300 --frames 10 --cell 20,21,6 >"$T/dcd"
    trjcat -P xy "$T/dcd" | rdfhist -B 0 -e cpu -b 40 -r 10 >"$T/rdfh"
    # The fraction of a sphere within a slab, averaged over its centre, integrated by the midpoint rule.
    paste <(rdfnorm "$T/rdfh" | rows) <(rdfnorm --counts "$T/rdfh" | rows) | awk "$formulas"'
        function share(r, h) { return r <= h ? 1 - r / (2 * h) : h / (2 * r) }
        { v = 0; for (i = 0; i < 1000; i++) { r = $4 + (i + 0.5) / 1000 * ($5 - $4); v += r * r * share(r, 6) }
          v *= 4 * atan2(0, -1) * ($5 - $4) / 1000
          g = $6 / (10 * (300 * 299 / 2) / (20 * 21 * 6) * v)
          if (differ(g, $2, 1e-6)) { print g, $0; bad = 1 } } END { exit bad || NR != 40 }'
}

@test "slab of varying thickness: normalised frame by frame, or rejected" {
    mkdcd --atoms 300 --frames 5 --cell 20,21,6 --breathe 0.1 >"$T/dcd"
    trjcat -P xy "$T/dcd" >"$T/trjf"
    rdfhist -B 0 -e cpu -b 20 -r 10 "$T/trjf" >"$T/rdfh"
    fails 3 'thickness*-B 1' rdfnorm "$T/rdfh"
    rdfhist -e cpu -b 20 -r 10 -B 1 "$T/trjf" | rdfnorm | rows | cut -f 2 >"$T/g"
    for f in 0 1 2 3 4; do trjcat -f $f "$T/trjf" | rdfhist -B 0 -e cpu -b 20 -r 10 | rdfnorm | rows |
        cut -f 2 >"$T/g$f"; done
    paste "$T/g" "$T"/g? | awk "$formulas"'{ if (differ(($2 + $3 + $4 + $5 + $6) / 5, $1, 1e-8)) { print; bad = 1 } }
        END { exit bad || NR != 20 }'
}

@test "standard errors over records: weighted by their frames" {
    gas
    local block first n
    for block in 1 5 3; do # 10, 2 and 4 records, the last of those short
        rdfhist -e cpu -p A:B -b 40 -r 11 -B "$block" "$T/trjf" | rdfnorm | rows | cut -f 2,3 >"$T/g"
        rm -f "$T"/g[0-9]
        n=0
        for ((first = 0; first < 10; first += block)); do
            trjcat -f "$first:$((first + block < 10 ? first + block : 10))" "$T/trjf" |
                rdfhist -B 0 -e cpu -p A:B -b 40 -r 11 |
                rdfnorm | rows | cut -f 2 >"$T/g$n"
            n=$((n + 1))
        done
        paste "$T/g" "$T"/g[0-9] | awk -v block="$block" "$formulas"'
            { n = NF - 2; s = share = 0
              for (i = 0; i < n; i++) { left = 10 - i * block; w = (left < block ? left : block) / 10; share += w * w
              s += w * w * ($(i + 3) - $1) ^ 2 }
              e = sqrt(s / (1 - share))
              if (differ(e, $2, 6e-4)) { print e, $0; bad = 1 } some += e > 0 }
            END { exit bad || NR != 40 || some < 20 }'
    done
    # One record gives no column of errors.
    rdfhist -B 0 -e cpu -p A:B -b 40 -r 11 "$T/trjf" | rdfnorm | rows |
        awk 'NF != 3 { bad = 1 } END { exit bad || NR != 40 }'
}

@test "--counts: prints edges and integers; the header contains units, groups, columns and provenance" {
    gas
    rdfhist -B 0 -e reference -p A:A -p A:C -b 4 -r 10 --rmin 2 "$T/trjf" >"$T/rdfh"
    rdfnorm --counts "$T/rdfh" >"$T/table"
    rows "$T/table" | cut -f 1,2 >"$T/edges"
    printf '%s\t%s\n' 2 4 4 6 6 8 8 10 >"$T/expected"
    same "$T/expected" "$T/edges"
    rows "$T/table" | awk -F '\t' 'NF != 4 || $3 !~ /^[0-9]+$/ || $4 !~ /^[0-9]+$/ { exit 1 }'
    grep -qx "# r_lo	r_hi	count(A:A)	count(A:C)" "$T/table"
    grep -q '^# group A: 200 atoms$' "$T/table"
    grep -q '^# frames: 10 in 1 record$' "$T/table"
    grep -q '^# volume: mean [0-9.]*, from [0-9.]* to [0-9.]* Angstrom^3$' "$T/table"
    [[ $(grep -c '^# provenance: ' "$T/table") == 3 ]]
    grep -q '^# provenance: trjcat [0-9.]*: trjcat -g '"'A=index 0 to 199'" "$T/table"
    grep -q '^# provenance: rdfhist [0-9.]*: rdfhist -B 0 -e reference -p A:A -p A:C -b 4 -r 10 --rmin 2 ' "$T/table"
    grep -q '^# provenance: rdfnorm [0-9.]*: rdfnorm -c ' "$T/table"
    rdfnorm "$T/rdfh" | has -x "# r	g(A:A)	n(A:A)	g(A:C)	n(A:C)"
    # The mean volume is that of the cells.
    volumes | awk -v header="$(sed -n 's/^# volume: mean \([0-9.]*\),.*/\1/p' "$T/table")" \
        "$formulas"'{ s += $1 / 10 } END { exit differ(s, header, 1e-9) }'
}

@test "order of frames and records: changes no digit" {
    gas
    rdfhist -B 0 -e cpu -p A:A -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    trjcat -f 5: "$T/trjf" >"$T/late.trjf"
    trjcat -f :5 "$T/trjf" >"$T/early.trjf"
    trjcat "$T/late.trjf" "$T/early.trjf" | rdfhist -B 0 -e cpu -p A:A -b 40 -r 11 | rdfnorm | rows >"$T/a"
    rdfnorm "$T/rdfh" | rows >"$T/b"
    same "$T/b" "$T/a"
}

# parts BLOCK RDFHIST-OPTION...: counts $T/dcd as a whole and in two parts, the second from frame 6
parts() {
    local block=$1 way
    shift
    trjcat "$T/dcd" | rdfhist -e cpu -b 50 -B "$block" "$@" >"$T/whole.rdfh"
    trjcat -f :6 "$T/dcd" | rdfhist -e cpu -b 50 -B "$block" "$@" >"$T/part1.rdfh"
    trjcat -f 6: "$T/dcd" | rdfhist -e cpu -b 50 -B "$block" "$@" >"$T/part2.rdfh"
    for way in density mdanalysis gromacs; do
        rdfnorm --norm "$way" "$T/whole.rdfh" | grep -v '^# provenance' >"$T/whole"
        cat "$T/part1.rdfh" "$T/part2.rdfh" | rdfnorm --norm "$way" | grep -v '^# provenance' >"$T/parts"
        rdfnorm --norm "$way" "$T/part2.rdfh" "$T/part1.rdfh" | grep -v '^# provenance' >"$T/files"
        if ((block)); then
            cmp "$T/whole" "$T/parts"
        else # with one record and two records, the headers differ, and there are errors
            diff <(rows "$T/whole") <(rows "$T/parts" | cut -f 1,2,4)
        fi
        rows "$T/parts" | cut -f 1,2,4 >"$T/a"
        rows "$T/files" | cut -f 1,2,4 >"$T/b"
        same "$T/a" "$T/b"
    done
    cmp <(counts "$T/whole.rdfh") <(cat "$T/part1.rdfh" "$T/part2.rdfh" | counts)
}

@test "parts counted separately and joined by cat: equal the whole, byte by byte except for provenance" {
    mkdcd --atoms 300 --frames 12 --cell 20,21,22 --breathe 0.05 >"$T/dcd"
    parts 1 -r 9
    parts 2 -r 9
    parts 3 -r 9
    parts 0 -r 9
    # If all frames are equal, the default of rmax is equal, too.
    mkdcd --atoms 300 --frames 12 --cell 20,21,22 >"$T/dcd"
    parts 6
}

@test "parts of a real trajectory: add up to the whole" {
    need_shared
    ln -s "$PWD/$DATA/dcd/lj.dcd" "$T/dcd"
    parts 2
    parts 0
}

@test "no periods, one period, or mixed ones: g(r) is rejected; counts and a given volume are accepted" {
    mkdcd --atoms 100 --frames 2 --cell 20,20,20 >"$T/dcd"
    trjcat -P none "$T/dcd" >"$T/none.trjf"
    trjcat "$T/dcd" >"$T/all.trjf"
    rdfhist -B 0 -e cpu -r 8 -b 10 -o "$T/none.rdfh" "$T/none.trjf"
    rdfhist -B 0 -e cpu -r 8 -b 10 -o "$T/rod.rdfh" <(trjcat -P y "$T/dcd")
    trjcat <(trjcat -f 0 "$T/none.trjf") <(trjcat -f 1 "$T/all.trjf") |
        rdfhist -B 0 -e cpu -r 8 -b 10 -o "$T/mixed.rdfh"
    fails_cleanly 3 'fewer than two directions*--volume*--counts' rdfnorm "$T/none.rdfh"
    fails_cleanly 3 'fewer than two directions*--volume*--counts' rdfnorm "$T/rod.rdfh"
    fails_cleanly 3 'periodicity*--volume*--counts' rdfnorm "$T/mixed.rdfh"
    for kind in none rod mixed; do
        rdfnorm --counts "$T/$kind.rdfh" | rows | awk '{ s += $3 } END { exit s < 100 || NR != 10 }'
        paste <(rdfnorm --volume 8000 "$T/$kind.rdfh" | rows) <(rdfnorm -c "$T/$kind.rdfh" | rows) | awk "$formulas"'
            differ($6 / (2 * 100 * 99 / 2 / 8000 * shell($4, $5)), $2, 1e-9) { print; bad = 1 }
            END { exit bad || NR != 10 }'
    done
    fails 2 'rmax*not periodic' rdfhist -B 0 -e cpu "$T/none.trjf"
}

# wide N FIRST LAST: adds N rows of the fine counts in $T/fine (r_lo, r_hi, counts ...) at a time, from FIRST to LAST
wide() {
    awk -v n="$1" -v first="$2" -v last="$3" 'NR < first || NR > last { next }
        (NR - first) % n == 0 { low = $1; for (i = 3; i <= NF; i++) s[i] = 0 }
        { for (i = 3; i <= NF; i++) s[i] += $i }
        (NR - first) % n == n - 1 { printf "%s\t%s", low, $2; for (i = 3; i <= NF; i++) printf "\t%d", s[i]
        print "" }' "$T/fine"
}

@test "wider bins and parts of the range: equal a new count with these bins" {
    gas
    rdfhist -B 0 -e cpu -p A:A -p A:C -b 240 -r 12 "$T/trjf" >"$T/rdfh"
    rdfnorm -c "$T/rdfh" | rows >"$T/fine"
    local n way
    for n in 1 2 3 5 8 240; do
        rdfnorm -c -b "$n" "$T/rdfh" | rows | same <(wide "$n" 1 240) -
        rdfhist -B 0 -e cpu -p A:A -p A:C -b $((240 / n)) -r 12 "$T/trjf" >"$T/counted.rdfh"
        for way in density gromacs number radial none; do
            diff <(rdfnorm -n "$way" -b "$n" "$T/rdfh" | rows) <(rdfnorm -n "$way" "$T/counted.rdfh" | rows)
        done
    done
    rdfnorm -c -b 4 -r 2.5:9.5 "$T/rdfh" | rows | same <(wide 4 51 190) -
    rdfnorm -c -r :3 "$T/rdfh" | rows | same <(wide 1 1 60) -
    rdfnorm -c -r 3: "$T/rdfh" | rows | same <(wide 1 61 240) -
    # A part of the range equals rows of the whole, including n(r).
    diff <(rdfnorm -r 3:9 "$T/rdfh" | rows) <(rdfnorm "$T/rdfh" | rows | sed -n 61,180p)
    fails_cleanly 2 'rdfh: rebin: 240 bins are not a multiple of 7; the nearest numbers that divide them are 6 and 8' \
        rdfnorm -b 7 "$T/rdfh"
    fails_cleanly 2 'rdfh: range: 3.01 *the nearest are 3 and 3.05' rdfnorm -r 3.01: "$T/rdfh"
    fails_cleanly 2 "--range: invalid range '3': expected LOW:HIGH*" rdfnorm -r 3 "$T/rdfh"
    fails 2 '*whole number*' rdfnorm -b 0 "$T/rdfh"
}

# merged EDGE...: the table of counts $T/fine merged between these edges
merged() {
    awk -v edges="$*" 'BEGIN { n = split(edges, e, " ") }
        { for (k = 1; k < n; k++) if ($1 >= e[k] - 1e-9 && $2 <= e[k + 1] + 1e-9)
            for (i = 3; i <= NF; i++) s[k, i] += $i }
        END { for (k = 1; k < n; k++) { printf "%s\t%s", e[k], e[k + 1]
            for (i = 3; i <= NF; i++) printf "\t%d", s[k, i]; print "" } }' "$T/fine"
}

@test "free edges: merged counts, n(r), totals, errors, droplets, boxes and records equal those of equal bins" {
    gas
    rdfhist -B 1 -e cpu -p '*:*' -b 240 -r 12 "$T/trjf" >"$T/rdfh"
    rdfnorm -c "$T/rdfh" | rows >"$T/fine"
    printf '# edges\n0.5 2 2.05\n\n4.5 12 # the last\n' >"$T/edges"
    rdfnorm -c --edges "$T/edges" "$T/rdfh" | rows | same <(merged 0.5 2 2.05 4.5 12) -
    # With edges at equal distances, the table is that of --rebin, with the edges instead of the middle.
    awk 'BEGIN { for (k = 0; k <= 30; k++) print k * 0.4 }' >"$T/equal"
    local options
    for options in '--total number' '-e blocks' '-n vmd' '--droplet 40' '--box 50,55,60' '--plane z --thickness 9' \
        '--excluded in' '-n cpptraj' '--norm plane --plane z'; do
        # shellcheck disable=SC2086 # several options
        diff <(rdfnorm -b 8 $options "$T/rdfh" | rows | cut -f 2-) \
            <(rdfnorm --edges "$T/equal" $options "$T/rdfh" | rows | cut -f 3-)
    done
    # The total is the sum of the pairs with their weights, and n(r) at an edge does not depend on the bins.
    rdfnorm "$T/rdfh" | rows | awk -F '\t' '$1 < 4.5 { n = $4 } END { print n }' |
        same - <(rdfnorm --edges "$T/edges" "$T/rdfh" | rows | awk -F '\t' '$2 == 4.5 { print $5 }')
    rdfnorm --edges "$T/edges" "$T/rdfh" | grep -x '# r_lo	r_hi	g(A:A)	.*'
    rdfplot -o "$T/x.svg" <(rdfnorm --edges "$T/edges" "$T/rdfh") || [[ $? == 4 ]]
}

@test "logarithmic edges: the nearest edges of the histogram, with the largest shift in a note" {
    gas
    rdfhist -B 0 -e cpu -p A:A -b 1200 -r 12 "$T/trjf" >"$T/rdfh"
    rdfnorm -c "$T/rdfh" | rows >"$T/fine"
    local edges shift
    edges=$(awk 'BEGIN { for (k = 0; k <= 20; k++) printf "%.10g ", int(100 * 2 * 6 ^ (k / 20) + 0.5) / 100 }')
    shift=$(awk 'BEGIN { for (k = 0; k <= 20; k++) { r = 2 * 6 ^ (k / 20); d = int(100 * r + 0.5) / 100 - r
        if (d < 0) d = -d; if (d > most) most = d } printf "%.4g", most }')
    # shellcheck disable=SC2086 # several edges
    rdfnorm -c --range 2: --edges log:20 "$T/rdfh" 2>"$T/note" | rows | same <(merged $edges) -
    grep -F "logarithmic edges were moved to the nearest edges of the histogram, by at most $shift Angstrom" "$T/note"
    # Edges that are edges of the histogram are not moved.
    rdfnorm --range 1.5:12 --edges log:3 "$T/rdfh" 2>&1 >/dev/null | same - /dev/null
    fails_cleanly 2 'rdfh: edges: logarithmic bins cannot begin at 0; give the first edge with --range LOW:' \
        rdfnorm --edges log:5 "$T/rdfh"
    fails_cleanly 2 'rdfh: edges: 400 logarithmic bins from 0.5 to 12 *give at most log:181, or*' \
        rdfnorm --range 0.5: --edges log:400 "$T/rdfh"
    rdfnorm --range 0.5: --edges log:181 "$T/rdfh" >"$T/table"
}

@test "free edges that are invalid: rejected with file, line and the nearest edges" {
    gas
    rdfhist -B 0 -e cpu -p A:A -b 240 -r 12 "$T/trjf" >"$T/rdfh"
    printf '1\n3.02\n' >"$T/edges"
    fails_cleanly 2 'rdfh: edges: 3.02 *the nearest are 3 and 3.05' rdfnorm --edges "$T/edges" "$T/rdfh"
    printf '1\n13\n' >"$T/edges"
    fails_cleanly 2 'rdfh: edges: 13 Å is outside the histogram; give a range from 0 to 12' \
        rdfnorm --edges "$T/edges" "$T/rdfh"
    printf '1\n1.00001\n' >"$T/edges"
    fails_cleanly 2 'rdfh: edges: 1 and 1.00001 Å are the same edge*' rdfnorm --edges "$T/edges" "$T/rdfh"
    printf '1\n3 2\n' >"$T/edges"
    fails_cleanly 3 "edges: line 2: edge 2 is not above the previous edge, 3" rdfnorm --edges "$T/edges" "$T/rdfh"
    printf '1 x\n' >"$T/edges"
    fails_cleanly 3 "edges: line 1: expected an edge in Angstrom, found 'x'" rdfnorm --edges "$T/edges" "$T/rdfh"
    printf '1\n' >"$T/edges"
    fails_cleanly 3 'edges: 1 edges of bins, expected at least 2*' rdfnorm --edges "$T/edges" "$T/rdfh"
    fails_cleanly 2 "--edges: invalid value 'log:0': expected log:N*" rdfnorm --edges log:0 "$T/rdfh"
    printf '1 2\n' >"$T/edges"
    fails_cleanly 2 '--edges and --rebin: *' rdfnorm --edges "$T/edges" -b 2 "$T/rdfh"
    fails_cleanly 2 '--edges and --range: *' rdfnorm --edges "$T/edges" -r 2: "$T/rdfh"
    fails_cleanly 1 '*no.such*' rdfnorm --edges "$T/no.such" "$T/rdfh"
}

# quantity NA ORDER MEASURE-OF-A-BIN RDFNORM-OPTION...: c n_k / (10 NA measure), measure an awk expression of low, high
quantity() {
    local atoms=$1 order=$2 measure=$3
    shift 3
    paste <(rdfnorm "$@" "$T/rdfh" | rows) <(rdfnorm --counts "$T/rdfh" | rows) |
        awk -v atoms="$atoms" -v order="$order" "$formulas"'
        { low = $4; high = $5
        x = order * $6 / (10 * atoms * ('"$measure"')); if (differ(x, $2, 1e-9)) { print x, $0; bad = 1 } sum += x }
        END { exit bad || NR != 40 || !(sum > 0) }'
}

@test "given density, number densities and neighbours, without a volume: equal the formulas" {
    gas
    local pair order cell
    for pair in A:A=2 A:C=1; do
        order=${pair#*=}
        for cell in xyz xy none; do
            trjcat -P "$cell" "$T/trjf" | rdfhist -B 0 -e cpu -p "${pair%=*}" -b 40 -r 11 >"$T/rdfh"
            quantity 200 "$order" '0.02 * shell(low, high)' -d 0.02
            quantity 200 "$order" 'shell(low, high)' -n number
            quantity 200 "$order" 'high - low' -n radial
            quantity 200 "$order" 1 -n none
        done
    done
    # The increments of n(r) add up to it.
    rdfnorm -n none "$T/rdfh" | rows |
        awk "$formulas"'{ s += $2; if (differ(s, $3, 1e-8)) { print; bad = 1 } } END { exit bad || s < 10 }'
    rdfnorm -n none "$T/rdfh" | has '^# r	atoms(A:C)	n(A:C)$'
    rdfnorm -n number "$T/rdfh" | has '^# r	number(A:C)	n(A:C)$'
    rdfnorm -n radial "$T/rdfh" | has '^# r	radial(A:C)	n(A:C)$'
    rdfnorm -d .02 "$T/rdfh" | has '^# norm: density, with a density of 0.02 per Angstrom^3$'
    fails_cleanly 2 'density: has no effect with --norm vmd*' rdfnorm -d 0.02 -n vmd "$T/rdfh"
    fails_cleanly 2 '*give one of them' rdfnorm -d 0.02 -v 1000 "$T/rdfh"
    fails_cleanly 2 'volume: has no effect with --norm radial*' rdfnorm -v 1000 -n radial "$T/rdfh"
}

# cpptraj RHO MASK2 MASK1 SAME TWICE FRAMES OPTION...: compares g(r) of $T/rdfh with -n cpptraj OPTION... with the
# formula of Action_Radial.cpp, from the raw counts. MASK2 (A) and MASK1 (B) are numbers of atoms, SAME is the number of
# ordered pairs that are not counted, TWICE is 2 for one mask.
cpptraj() {
    local rho=$1 n2=$2 n1=$3 same=$4 twice=$5 frames=$6
    shift 6
    paste <(rdfnorm -n cpptraj "$@" "$T/rdfh" | rows) <(rdfnorm -c "$T/rdfh" | rows) |
        awk -v rho="$rho" -v n1="$n1" -v n2="$n2" -v same="$same" -v twice="$twice" -v frames="$frames" "$formulas"'
            { density = rho * (n1 * n2 - same) / n1; x = twice * $6 / (frames * shell($4, $5) * density)
              if (differ(x, $2, 1e-9)) { print x, $0; bad = 1 } sum += x }
            END { exit bad || NR != 40 || !(sum > 0) }'
}

@test "cpptraj, one mask, disjoint masks and masks with common atoms: g(r) follows the formula of its source" {
    gas
    rdfhist -e cpu -B 0 -p A:A -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    cpptraj 0.033456 200 200 200 2 10
    cpptraj 0.02 200 200 200 2 10 -d 0.02
    rdfhist -e cpu -B 0 -p A:C -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    cpptraj 0.033456 200 100 0 1 10
    cpptraj 0.02 200 100 0 1 10 -d 0.02
    rdfhist -e cpu -B 0 -p A:B -b 40 -r 11 "$T/trjf" >"$T/rdfh" # 50 atoms are in both
    cpptraj 0.033456 200 150 50 1 10
    rdfhist -e cpu -B 0 -p B:A -b 40 -r 11 "$T/trjf" >"$T/rdfh"
    cpptraj 0.033456 150 200 50 1 10
    # n(A:B) is its intrdf: the counts divided by frames and by the atoms of its second mask, A.
    paste <(rdfnorm -n cpptraj "$T/rdfh" | rows) <(rdfnorm -c "$T/rdfh" | rows) |
        awk "$formulas"'{ s += $6; if (differ(s / (10 * 150), $3, 1e-9)) { print; bad = 1 } }
        END { exit bad || NR != 40 }'
}

@test "cpptraj nointramol: pairs of one molecule are neither counted nor expected" {
    cd examples/water
    local pair
    for pair in O:O H:H O:H; do
        trjcat -f :4 -t water.pdb -g 'O=name OW' -g 'H=name HW*' water.dcd |
            rdfhist -e cpu -B 0 -p $pair -x residue -b 40 -r 9 >"$T/rdfh"
        # An atom with itself, and with the other hydrogen, are pairs of one molecule.
        case $pair in
        O:O) cpptraj 0.033456 343 343 343 2 4 ;;
        H:H) cpptraj 0.033456 686 686 1372 2 4 ;;
        O:H) cpptraj 0.033456 343 686 686 1 4 ;;
        esac
    done
    # With --excluded in, only pairs of an atom with itself are not counted, as without nointramol.
    paste <(rdfnorm -n cpptraj --excluded in "$T/rdfh" | rows) <(rdfnorm -n number --excluded in "$T/rdfh" | rows) |
        awk "$formulas"'differ($5 / 0.033456, $2, 1e-8) { print; bad = 1 } END { exit bad || NR != 40 }'
}

@test "atoms in a plane: normalised by rings, the limit of a thin slab; 1 for a gas" {
    mkdcd --atoms 400 --frames 10 --cell 40,41,0.01 | trjcat -P xy - | rdfhist -B 0 -e cpu -b 10 -r 15 >"$T/rdfh"
    paste <(rdfnorm -n plane "$T/rdfh" | rows) <(rdfnorm -c "$T/rdfh" | rows) <(rdfnorm "$T/rdfh" | rows) |
        awk "$formulas"'
        { g = $6 / (10 * 400 * 399 / 2 / (40 * 41) * atan2(0, -1) * ($5 ^ 2 - $4 ^ 2))
          # In a slab of thickness h, a sphere keeps a ring and loses two caps: the shell volume has the terms 5/6 pi
          # h^3 and pi h^3. The counts of a gas are Poisson distributed.
          if (differ(g, $2, 1e-9) || differ($2, $8, 1e-4) || differ(1, $2, 5 / sqrt($6))) { print g, $0; bad = 1 } }
        END { exit bad || NR != 10 }'
    fails_cleanly 2 'volume: has no effect with --norm plane*' rdfnorm -n plane -v 100 "$T/rdfh"
    mkdcd --atoms 100 --cell 20,20,20 | trjcat - | rdfhist -B 0 -e cpu -b 10 >"$T/rdfh"
    fails_cleanly 3 'two directions do not define a plane*--periodic' rdfnorm -n plane "$T/rdfh"
}

@test "droplet: g(r) = 1 up to its diameter for points with uniform density in a sphere" {
    awk "$AWK_RANDOM"'BEGIN { seed = 3; for (f = 0; f < 40; f++) { print 500; print "gas"
        for (i = 0; i < 500; i++) { do { x = 20 * random() - 10; y = 20 * random() - 10
        z = 20 * random() - 10 } while (x * x + y * y + z * z >= 100)
            printf "X %.6f %.6f %.6f\n", x, y, z } } }' >"$T/x.xyz"
    trjcat "$T/x.xyz" | rdfhist -B 0 -e cpu -b 50 -r 25 >"$T/rdfh"
    # With 20000 points, each bin has the density near the surface to some percent; without the correction g falls to 0
    # there.
    rdfnorm --droplet 10 -r :20 -b 4 "$T/rdfh" >"$T/table"
    rows "$T/table" | awk '$1 < 18 && ($2 < 0.97 || $2 > 1.03) { print; bad = 1 } $1 < 18 { n++ }
        END { exit bad || n != 9 }'
    rdfnorm -v 4188.790205 -r :20 -b 4 "$T/rdfh" | rows | awk '$1 == 15 && $2 > 0.2 { exit 1 }'
    grep -q '^# norm: density, in a sphere of radius 10 Angstrom$' "$T/table"
    paste <(rdfnorm --droplet 10 -r :20 "$T/rdfh" | rows) <(rdfnorm -c -r :20 "$T/rdfh" | rows) | awk "$formulas"'
        function c(r) { return r ^ 3 - 9 / 16 * r ^ 4 + r ^ 6 / 32 }
        { g = $6 / (40 * 500 * 499 / 2 * (c($5 / 10) - c($4 / 10))); if (differ(g, $2, 1e-8)) { print g, $0
        bad = 1 } } END { exit bad || NR != 40 }'
    fails_cleanly 2 'droplet: its diameter is 20*beyond 24.5; give a range*' rdfnorm --droplet 10 "$T/rdfh"
    fails_cleanly 2 '*give one of them' rdfnorm --droplet 10 -v 5 "$T/rdfh"
    fails_cleanly 2 'droplet: has no effect with --norm number*' rdfnorm --droplet 10 -n number "$T/rdfh"
    fails_cleanly 2 '--droplet: invalid value 0: expected a radius*' rdfnorm --droplet 0 "$T/rdfh"
}

# Other programs bin float32 distances, mdtraj in nm: a few pairs near an edge may be in the next bin. The volumes
# differ by a factor of two, so that <1/V> and 1/<V> differ by 7 %, which is 70 of a thousand counts.
@test "mdtraj and MDAnalysis: g(r), density and counts agree in a varying cell" {
    need_python_module mdtraj
    need_python_module MDAnalysis
    mkdcd --atoms 600 --frames 12 --cell 30,31,32 --breathe 0.12 --seed 5 | trjcat - -o "$T/x.xtc"
    trjcat -g 'A=index 0 to 249' -g 'B=index 250 to 599' "$T/x.xtc" |
        rdfhist -B 0 -e cpu -p A:A -p A:B -b 24 -r 12 >"$T/rdfh"
    /usr/bin/python3 -W ignore - "$T/x.xtc" >"$T/peers" <<'PYTHON'
import sys
import mdtraj, MDAnalysis, numpy as np
from MDAnalysis.analysis.rdf import InterRDF
top = mdtraj.Topology()
chain = top.add_chain()
for i in range(600):
    top.add_atom("Ar", mdtraj.element.argon, top.add_residue("AR", chain))
t = mdtraj.load_xtc(sys.argv[1], top=top)
a, b = np.arange(250), np.arange(250, 600)
u = MDAnalysis.Universe.empty(600, trajectory=False)
u.load_new(sys.argv[1])
A, B = u.atoms[:250], u.atoms[250:]
columns = [mdtraj.compute_rdf(t, top.select_pairs(a, c), r_range=(0, 1.2), n_bins=24)[1] for c in (a, b)]
for norm in "rdf", "density", "none":
    for g, block in (A, (1, 1)), (B, None):
        columns.append(InterRDF(A, g, nbins=24, range=(0, 12), exclusion_block=block, norm=norm).run().results.rdf)
for row in zip(*columns):
    print(*("%.10g" % x for x in row))
PYTHON
    # N_A is 250, and there are 12 frames: InterRDF divides by N_A in norm rdf only, and by frames in all.
    paste <(rdfnorm -c "$T/rdfh" | rows | cut -f 3,4) \
        <(rdfnorm -n mdtraj "$T/rdfh" | rows | cut -f 2,4) <(rdfnorm -n mdanalysis "$T/rdfh" | rows | cut -f 2,4) \
        <(rdfnorm -n number "$T/rdfh" | rows | awk '{ print 250 * $2, 250 * $4 }') \
        <(rdfnorm -n none "$T/rdfh" | rows | awk '{ print 250 * $2, 250 * $4 }') "$T/peers" | awk '
        { for (i = 0; i < 8; i++) { count = $(1 + i % 2); ours = $(3 + i); theirs = $(11 + i); n++
            off = ours ? (theirs / ours - 1) * count : theirs; if (off < 0) off = -off; if (off > most) most = off
            if (off > 5) { print "line", NR, "curve", i, ours, theirs, count; bad = 1 } }
          if ($1 > 1000 && $2 > 1000) large++ }
        END { print "at most", most, "counts off"; exit bad || n != 24 * 8 || large < 12 }'
}

# gmx rdf centres its bins on multiples of their width and prints three decimals, per nm^3 and per nm; its norm `none`
# is the radial density. A pair that float32 puts on the other side of an edge is 1 of some hundred counts.
@test "gmx rdf: number densities, radial densities and g(r) agree in a varying cell" {
    need gmx
    mkdcd --atoms 600 --frames 12 --cell 30,31,32 --breathe 0.12 --seed 5 | trjcat - -o "$T/x.xtc"
    { echo gas && echo 600 && for i in {1..600}; do
        printf '%5dAR      AR%5d%8.3f%8.3f%8.3f\n' "$i" "$i" 0 0 0; done && echo 3 3.1 3.2; } >"$T/x.gro"
    { echo '[ A ]' && seq 1 250 && echo '[ B ]' && seq 251 600; } >"$T/x.ndx"
    trjcat -g 'A=index 0 to 249' -g 'B=index 250 to 599' "$T/x.xtc" |
        rdfhist -B 0 -e cpu -p A:B --rmin 0.25 -r 11.75 -b 23 >"$T/rdfh"
    local norm
    for norm in number_density:number:1000 none:radial:10 rdf:gromacs:1; do
        timeout 120 gmx -nobackup rdf -f "$T/x.xtc" -s "$T/x.gro" -n "$T/x.ndx" -ref A -sel B -norm "${norm%%:*}" \
            -bin 0.05 -rmax 1.2 \
            -o "$T/${norm%%:*}.xvg" -xvg none >"$T/notes" 2>&1 || skip 'this gmx makes no g(r) of it'
        paste <(tail -n +2 "$T/${norm%%:*}.xvg" | head -n 23) \
            <(rdfnorm -n "$(cut -d : -f 2 <<<"$norm")" "$T/rdfh" | rows) \
            <(counts "$T/rdfh") | awk -v unit="${norm##*:}" '
            { d = $2 - $4 * unit; if (d < 0) d = -d; r = 10 * $1 - $3
              if (d > 0.00051 + 2 * $4 * unit / $6 || r > 1e-6 || -r > 1e-6) { print; bad = 1 } }
              END { exit bad || NR != 23 }'
    done
}

@test "errors by name: have the columns and comments of the method; too few records are reported" {
    gas
    rdfhist -e cpu -p A:A -p A:C -b 20 -r 11 -B 1 "$T/trjf" >"$T/rdfh"
    rdfnorm "$T/rdfh" | rows >"$T/default"
    rdfnorm -e records "$T/rdfh" | rows | same "$T/default" -
    rdfnorm -e none "$T/rdfh" | rows | same <(cut -f 1,2,4,5,7 "$T/default") -
    # Ten records form blocks of one or two; blocks of one record have the errors of records.
    rdfnorm -e blocks -b 20 "$T/rdfh" >"$T/blocks" 2>"$T/notes"
    [[ $(grep -c '^# error A:[AC]: blocks of [12] records*, statistical inefficiency [0-9.]* records' "$T/blocks") \
        == 2 ]]
    rows "$T/blocks" | cut -f 1,2,4,5,7 | same <(rdfnorm -e none -b 20 "$T/rdfh" | rows) -
    trjcat -f :3 "$T/trjf" | rdfhist -e cpu -p A:A -b 20 -r 11 -B 1 -o "$T/three.rdfh"
    rdfnorm -e blocks "$T/three.rdfh" >"$T/blocks" 2>"$T/notes"
    grep -q '^rdfnorm: note: A:A: too few records.*-B' "$T/notes"
    grep -q '^# error A:A: blocks of 1 record, .*too few records; [0-9.]* blocks$' "$T/blocks"
    rows "$T/blocks" | same <(rdfnorm "$T/three.rdfh" | rows) -
    # All draws of ten records of equal length: the plain error, with 1/M instead of 1/(M-1).
    rdfnorm -e bootstrap "$T/rdfh" | rows | paste "$T/default" - |
        awk '{ d = $10 - $3 * sqrt(0.9); if (d > 1e-3 * $3 || -d > 1e-3 * $3) { print; bad = 1 } n += $3 > 0 }
        END { exit bad || n < 15 }'
    fails_cleanly 2 "--error: 'jackknife' is not one of auto, records, blocks, bootstrap, none" \
        rdfnorm -e jackknife "$T/rdfh"
}

# A table of three columns: r, g, n, with comments that name the columns.
table() {
    mkdcd --atoms 300 --frames 3 --cell 20,21,22 | trjcat - | rdfhist -B 0 -e cpu -b 50 | rdfnorm -o "$T/gr.tsv"
    rows "$T/gr.tsv" | awk '{ printf "%.6g %.6g %.6g\n", $1, $2, $3 }' >"$T/expected"
}

@test "gnuplot: reads the table unchanged" {
    need gnuplot
    table
    gnuplot -e "set table '$T/table'; plot '$T/gr.tsv' using (sprintf('%.6g %.6g %.6g', \$1, \$2, \$3)) with table"
    sed 's/^ *//; s/ *$//' "$T/table" >"$T/read"
    same "$T/expected" "$T/read"
}

@test "pandas: reads the table unchanged" {
    need_python_module pandas
    table
    run_python -c "
import sys, pandas
for row in pandas.read_csv(sys.argv[1], sep='\t', comment='#', header=None).itertuples(index=False):
    print('%.6g %.6g %.6g' % tuple(row))" "$T/gr.tsv" >"$T/read"
    same "$T/expected" "$T/read"
}

@test "R: reads the table unchanged" {
    need Rscript
    table
    # shellcheck disable=SC2016 # the dollars are those of R
    Rscript -e 'x <- read.table(commandArgs(TRUE)[1]); cat(sprintf("%.6g %.6g %.6g\n", x$V1, x$V2, x$V3), sep = "")' \
        "$T/gr.tsv" >"$T/read"
    same "$T/expected" "$T/read"
}

# atoms X,Y,Z...: a frame without a cell
atoms() {
    local at
    printf '%s\natoms\n' $#
    for at; do echo "X ${at//,/ }"; done
}

@test "--droplet and --box smaller than the body: rejected where the counts prove it" {
    # Pairs 3, 3 and 6 Å apart.
    atoms 0,0,0 3,0,0 6,0,0 >"$T/x.xyz"
    trjcat "$T/x.xyz" >"$T/trjf"
    rdfhist -e cpu -r 8 -b 8 -o "$T/8.rdfh" "$T/trjf"
    fails_cleanly 3 \
        'droplet: atoms of all:all are outside: 1 pairs are 6 Å apart or more, but its diameter is 4 Å; give a larger one' \
        rdfnorm --droplet 2 -r :4 "$T/8.rdfh"
    fails_cleanly 3 \
        'box: atoms of all:all are outside: 1 pairs are 6 Å apart or more, but its diagonal is 5 Å; give a larger one' \
        rdfnorm --box 3,4,0.000001 -r :4 "$T/8.rdfh"
    rdfnorm --droplet 3 -r :6 "$T/8.rdfh" | has '^# norm: density, in a sphere of radius 3'
    rdfnorm --box 6,1,1 -r :6 "$T/8.rdfh" | has '^# norm: density, in a box'
    # One pair is beyond all bins, which extend beyond the body.
    rdfhist -e cpu -r 5 -b 5 -o "$T/5.rdfh" "$T/trjf"
    fails 3 'all:all are outside: 1 of 3 pairs are beyond rmax, 5 Å, but its diameter is 4 Å' \
        rdfnorm --droplet 2 -r :4 "$T/5.rdfh"
    rdfnorm --droplet 2.6 -r :4 "$T/5.rdfh" >"$T/table" # 5.2 Å cannot be disproved
    # A tetrahedron with edges of 6 Å: the squares of its 6 pairs of at least 5 Å add up to at least 150 Å^2, and a
    # sphere allows at most 4^2 (D / 2)^2.
    atoms 0,0,0 6,0,0 3,5.196152,0 3,1.732051,4.898979 >"$T/x.xyz"
    trjcat "$T/x.xyz" | rdfhist -e cpu -r 5 -b 5 -o "$T/t.rdfh"
    fails 3 'the mean square of their distances requires a diameter of at least 6.12372* Å, but its diameter is 6 Å' \
        rdfnorm --droplet 3 "$T/t.rdfh"
    rdfnorm --droplet 3.1 "$T/t.rdfh" >"$T/table"
    # Images beyond the body prove nothing: a pair at 3 Å has images from 17 Å on in a cell of 20 Å.
    atoms 0,0,0 3,0,0 >"$T/x.xyz"
    trjcat --cell 20,20,20 "$T/x.xyz" | rdfhist -e cpu -r 30 -b 60 -o "$T/p.rdfh" 2>/dev/null
    rdfnorm --droplet 1.5 -r :3 "$T/p.rdfh" >"$T/table"
    fails 3 '1 pairs are 3 Å apart or more, but its diameter is 2 Å' rdfnorm --droplet 1 -r :2 "$T/p.rdfh"
    # Excluded pairs alone are not all pairs.
    echo '0 1' >"$T/list"
    trjcat "$T/trjf" | rdfhist -e cpu -r 8 -b 8 -x "pairs:$T/list" -o "$T/x.rdfh"
    rdfnorm --droplet 3.5 -r :7 --excluded only "$T/x.rdfh" >"$T/table"
    rdfnorm --droplet 3.5 -r :7 "$T/x.rdfh" >"$T/table"
}

@test "slab normalised over the height of the cell: marked in the header" {
    mkdcd --atoms 100 --frames 2 --cell 20,20,22 | trjcat -P xy - | rdfhist -e cpu -r 8 -b 4 >"$T/rdfh"
    rdfnorm "$T/rdfh" | has \
        '^# norm: density, in a slab over the whole height of the cell, 22 Angstrom; see --thickness$'
    rdfderive -q pmf -T 300 "$T/rdfh" |
        has '^# slab: g(r) is normalised over the whole height of the cell, 22 Angstrom$'
    rdfderive -q pmf -T 300 -v 8000 "$T/rdfh" >"$T/table"
    rdfderive -q n "$T/rdfh" >>"$T/table"
    [[ $(grep -c '^# slab' "$T/table") == 0 ]]
    rdfnorm --thickness 21 "$T/rdfh" | has '^# norm: density, in a slab of 21 Angstrom$'
    rdfnorm -n number "$T/rdfh" | has '^# norm: number$'
    rdfnorm -n plane "$T/rdfh" | has '^# norm: plane$'
    mkdcd --atoms 100 --frames 4 --cell 20,20,20 --breathe 0.1 | trjcat -P xy - | rdfhist -e cpu -B 1 -r 8 -b 4 |
        rdfnorm |
        has '^# norm: density, in a slab over the whole height of the cell, 20 to 21.8[0-9]* Angstrom; '
    mkdcd --atoms 100 --frames 2 --cell 20,20,22 | trjcat - | rdfhist -e cpu -r 8 -b 4 | rdfnorm |
        has '^# norm: density$'
}

@test "--interval: Student's t for the independent blocks times the standard error; nan if their number is unknown" {
    gas
    rdfhist -e cpu -p A:A -b 20 -r 11 -B 1 "$T/trjf" >"$T/rdfh"
    rdfnorm -e records --interval 95 "$T/rdfh" >"$T/table"
    has '^# r	g(A:A)	se(A:A)	ci95(A:A)	n(A:A)$' "$T/table"
    # 97.5 % of Student's distribution with 9 degrees of freedom are below 2.262157.
    rows "$T/table" | awk '$3 > 0 { n++; d = $4 / $3 / 2.262157 - 1; if (d * d > 1e-6) bad = 1 } END { exit bad || n < 15 }'
    rows "$T/table" | cut -f 1-3,5 | same - <(rdfnorm -e records "$T/rdfh" | rows)
    # There are too few records to detect correlation.
    rdfnorm --interval 95 "$T/rdfh" 2>"$T/err" | rows | cut -f 4 | sort -u | same - <(echo nan)
    has '^rdfnorm: note: --interval: too few records to find their correlation: confidence intervals are nan;' "$T/err"
    rdfderive -q n --interval 95 "$T/rdfh" >"$T/table" 2>"$T/err"
    has '^rdfderive: note: --interval: too few records' "$T/err"
    has '^# r	n(A:A)	se_n(A:A)	ci95_n(A:A)$' "$T/table"
    rows "$T/table" | cut -f 4 | sort -u | same - <(echo nan)
    trjcat -g 'O=name OW' -t examples/water/water.pdb examples/water/water.dcd >"$T/water.trjf"
    rdfhist -e cpu -r 6 -b 30 -B 2 "$T/water.trjf" | rdfderive -q n --interval 99 >"$T/table"
    local blocks
    blocks=$(sed -n 's/^# errors: .*; \([0-9.]*\) independent blocks$/\1/p' "$T/table")
    [[ $blocks == 32 ]]
    rows "$T/table" | awk '$3 > 0 { n++; d = $4 / $3 / 2.744042 - 1; if (d * d > 1e-6) bad = 1 } END { exit bad || n < 5 }'
    skhist -e cpu -q 2 -b 4 -B 2 "$T/water.trjf" | rdfnorm -e records --interval 90 >"$T/table"
    has "^# error O:O: records, assumed to be independent; 6[34][.0-9]* blocks\$" "$T/table"
    has '^# q	vectors	S(O:O)	se(O:O)	ci90(O:O)$' "$T/table"
    rows "$T/table" | awk '$4 > 0 { n++; d = $5 / $4 / 1.669402 - 1; if (d * d > 1e-6) bad = 1 } END { exit bad || !n }'
    local value
    for value in 0 0.95 100 -5; do
        fails_cleanly 2 '--interval: invalid value' rdfnorm --interval "$value" "$T/rdfh"
        fails_cleanly 2 '--interval: invalid value' rdfderive -q n --interval "$value" "$T/rdfh"
    done
    fails_cleanly 2 '--interval requires errors' rdfnorm -e none --interval 95 "$T/rdfh"
    fails_cleanly 2 '--interval and --counts' rdfnorm -c --interval 95 "$T/rdfh"
    fails_cleanly 2 '--interval: has no effect on --to other formats' \
        rdfderive -q pdf --total number --to gr --interval 95 "$T/rdfh"
    rdfhist -e cpu -p A:A -b 20 -r 11 -B 0 "$T/trjf" >"$T/one.rdfh"
    fails_cleanly 3 '--interval: one record has no errors' rdfnorm --interval 95 "$T/one.rdfh"
    fails_cleanly 3 '--interval: one record has no errors' rdfderive -q n --interval 95 "$T/one.rdfh"
}
