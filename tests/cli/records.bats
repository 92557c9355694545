#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Records, bins and errors without an option: what rdfhist and rdfnorm do by default.
load helper

fact() {
    awk -F '\t' -v key="$1" '$1 == key { print substr($0, length(key) + 2) }' "${2:-/dev/stdin}"
}

# frames_of_record N: prints the number of frames of a record in a stream of N frames, by the rule of rdfhist(1)
frames_of_record() {
    local l=1
    while ((64 * l < $1)); do l=$((2 * l)); done
    echo $l
}

# same_records L OPTION...: the default records of the stream $T/trjf are those of -B L. Errors of single records differ
# if a boundary does.
same_records() {
    local l=$1
    shift
    rdfhist -e cpu "$@" -o "$T/default.rdfh" "$T/trjf"
    rdfhist -e cpu -B "$l" "$@" -o "$T/given.rdfh" "$T/trjf"
    rdfhist -e cpu -B 0 "$@" -o "$T/one.rdfh" "$T/trjf"
    same <(rdfnorm -e records "$T/default.rdfh" | grep -v '^# provenance') \
        <(rdfnorm -e records "$T/given.rdfh" | grep -v '^# provenance')
    same <(rdfnorm -c "$T/default.rdfh" | rows) <(rdfnorm -c "$T/one.rdfh" | rows)
}

@test "records by default: 33 to 64, with boundaries that depend on the number of frames alone" {
    mkdcd --atoms 30 --frames 1000 --cell 11,12,13 --seed 5 >"$T/dcd"
    local n l
    for n in 1 31 32 33 63 64 65 127 128 129 1000; do
        trjcat -f ":$n" "$T/dcd" >"$T/trjf"
        l=$(frames_of_record "$n")
        same_records "$l" -b 20 -r 6
        [[ $(trjinfo "$T/default.rdfh" | fact records) == $(((n + l - 1) / l)) ]]
        rdfnorm "$T/one.rdfh" | has -x "# frames: $n in 1 record"
        rdfhist -e reference -b 20 -r 6 "$T/trjf" | rdfnorm -e records | rows |
            same - <(rdfnorm -e records "$T/default.rdfh" | rows)
        for j in 1 4; do rdfhist -e cpu -j $j -b 20 -r 6 "$T/trjf" | cmp - "$T/default.rdfh"; done
    done
}

@test "records by default, two sources, excluded pairs, dynamic groups, --lag: the counts are those of -B" {
    trjcat -t examples/water/water.pdb -g 'A=name OW and within 6 of index 0' -g 'O=name OW' -g 'H=name HW*' \
        -f :90 examples/water/water.dcd >"$T/trjf"
    same_records 2 -r 9 -b 30 -x residue -p O:H -p H:H
    same_records 2 -r 9 -b 30 -p A:O -p A:A
    same_records 2 -r 9 -b 30 -p O:O -p O:H --lag 3
    rdfnorm --self -c "$T/default.rdfh" | rows | same - <(rdfnorm --self -c "$T/one.rdfh" | rows)
    mkdcd --atoms 40 --frames 50 --cell 20,20,20 --seed 1 >"$T/a.dcd"
    mkdcd --atoms 40 --frames 50 --cell 20,20,20 --seed 2 >"$T/b.dcd"
    trjcat "$T/a.dcd" "$T/b.dcd" >"$T/trjf"
    same_records 2 -r 9 -b 30
    # 99 frames, in records that span both files
    trjcat -f 1: "$T/a.dcd" "$T/b.dcd" >"$T/trjf"
    same_records 2 -r 9 -b 30
    trjinfo "$T/default.rdfh" | has 'frames 49, first 1, last 49$'
}

@test "records by default: fewer if the counts would need more than 64 MB" {
    mkdcd --atoms 10 --frames 65 --cell 20,20,20 --seed 5 | trjcat - >"$T/trjf"
    local bins most
    for bins in 125000=33 125001=17 2000000=3 4000000=2 4000001=1; do
        most=${bins#*=}
        rdfhist -e cpu -r 9 -b "${bins%=*}" "$T/trjf" >"$T/rdfh"
        [[ $(trjinfo "$T/rdfh" | fact records) == "$most" ]]
    done
    # Records of dynamic groups also contain sums for each pair: 392 bytes of a pair with one bin, instead of 8.
    local groups=() g
    for ((g = 0; g < 100; g++)); do groups+=(-g "g$g=x > -1000"); done
    mkdcd --atoms 10 --frames 65 --cell 20,20,20 --seed 5 | trjcat "${groups[@]}" - |
        rdfhist -e cpu -r 9 -b 1 -p '*:*' >"$T/rdfh"
    [[ $(trjinfo "$T/rdfh" | fact records) == 17 ]]
}

@test "errors by default: block errors if records are correlated, else record errors" {
    # Sixteen random configurations, each repeated in 32 frames: records are of 8 frames, and four of them are equal.
    repeated_configurations >"$T/x.xyz"
    trjcat "$T/x.xyz" >"$T/trjf"
    rdfhist -e cpu -b 24 -r 6 "$T/trjf" >"$T/rdfh"
    rdfnorm "$T/rdfh" >"$T/gr"
    has '^# frames: 512 in 64 records$' <"$T/gr"
    local blocks
    blocks=$(sed -n 's/^# error all:all: blocks of \([0-9]*\) records, statistical inefficiency .*/\1/p' "$T/gr")
    ((blocks >= 8))
    # The error is that of such records; on average it is what the 16 configurations give, and twice that of 64 records.
    rdfhist -e cpu -b 24 -r 6 -B $((8 * blocks)) "$T/trjf" | rdfnorm -e records | rows | same - <(rows "$T/gr")
    paste <(rows "$T/gr" | cut -f 3) <(rdfhist -e cpu -b 24 -r 6 -B 32 "$T/trjf" | rdfnorm -e records | rows |
        cut -f 3) <(rdfnorm -e records "$T/rdfh" | rows | cut -f 3) |
        awk '$2 > 0 { n++; a += $1 ^ 2; b += $2 ^ 2; c += $3 ^ 2 }
        END { print n, sqrt(a / b), sqrt(a / c); exit !(n > 15 && a / b > 0.5 && a / b < 1.6 && a / c > 2) }'
    # Independent frames have no correlation, and the errors are those of records.
    mkdcd --atoms 60 --frames 512 --cell 12,12,12 --seed 9 | trjcat - | rdfhist -e cpu -b 24 -r 6 >"$T/free.rdfh"
    rdfnorm "$T/free.rdfh" | has '^# error all:all: records, which show no correlation; [0-9]* independent blocks$'
    same <(rdfnorm "$T/free.rdfh" | rows) <(rdfnorm -e records "$T/free.rdfh" | rows)
    mkdcd --atoms 60 --frames 6 --cell 12,12,12 | trjcat - | rdfhist -e cpu -b 24 -r 6 | rdfnorm |
        has '^# error all:all: records, too few to detect correlation; [0-9]* blocks$'
}

@test "default bins: 0.05 Å wide, up to the last multiple below half the cell; narrower in small cells" {
    local cell width rmax count
    while read -r cell width rmax count; do
        mkdcd --atoms 10 --cell "$cell" | trjcat - >"$T/trjf"
        rdfhist -e cpu "$T/trjf" | rdfnorm -c | rows >"$T/rows"
        # Edges are printed as exact decimal numbers.
        awk -v w="$width" -v n="$count" \
            -v last="$rmax" '$1 != sprintf("%.10g", (NR - 1) * w) || $2 != sprintf("%.10g", NR * w) { print; bad = 1 }
            END { exit bad || NR != n || $2 != last }' "$T/rows"
    done <<'END'
40,41,42 0.05 20 400
41,39.33,42 0.05 19.65 393
10,30,30 0.05 5 100
9.99,30,30 0.02 4.98 249
3.91,4,4 0.01 1.95 195
1.9,4,4 0.005 0.95 190
3e6,4e6,4e6 0.5 1500000 3000000
END
    mkdcd --atoms 10 --cell 41,39.33,42 | trjcat - >"$T/trjf"
    # If only one of both options is given, the other has its own default.
    rdfhist -e cpu -b 100 "$T/trjf" | rdfnorm -c | rows |
        awk '{ d = $2 - 0.19665 * NR } d * d > 1e-12 { exit 1 } END { exit NR != 100 }'
    rdfhist -e cpu -r 9 "$T/trjf" | rdfnorm -c | rows |
        awk '$2 != sprintf("%.10g", NR * 0.05) { exit 1 } END { exit !(NR == 180 && $2 == 9) }'
    rdfhist -e cpu -r 9.01 "$T/trjf" | rdfnorm -c | rows | awk 'END { exit !(NR == 181 && $2 == 9.01) }'
    rdfhist -e cpu -r 4 "$T/trjf" | rdfnorm -c | rows | awk 'END { exit !(NR == 200 && $2 == 4) }'
    rdfhist -e cpu --rmin 2.01 "$T/trjf" | rdfnorm -c | rows |
        awk '$1 != sprintf("%.10g", 2.01 + (NR - 1) * 0.05) { exit 1 } END { exit !(NR == 353 && $2 == 19.66) }'
    fails 2 'rmax: invalid value 19.665: expected a distance above rmin' rdfhist -e cpu --rmin 20 "$T/trjf"
    trjcat -P none "$T/trjf" >"$T/none.trjf"
    fails 2 '--rmax: the first frame is not periodic*; if the system is periodic, give its cell*, otherwise the' \
        rdfhist -e cpu "$T/none.trjf"
}

@test "replicas at constant pressure: the message gives the -r and -b with which their counts can be added" {
    local cell
    for cell in 20.17 19.93 19.61 20.31; do mkdcd --atoms 50 --seed "${cell#*.}" --cell $cell,$cell,$cell | trjcat - |
        rdfhist -e cpu >"$T/$cell.rdfh"; done
    fails 3 \
        '*20.31.rdfh: cannot be added to the previous records: expected 201 bins over \[0, 10.05) Å, found 203 over \[0, 10.15); count each stream with rdfhist -r 9.8 -b 196' \
        rdfnorm "$T/20.17.rdfh" "$T/20.31.rdfh" "$T/19.61.rdfh" "$T/19.93.rdfh"
    cat "$T/20.17.rdfh" "$T/20.31.rdfh" "$T/19.61.rdfh" "$T/19.93.rdfh" >"$T/all"
    fails 3 'all: cannot*-r 9.8 -b 196' rdfnorm "$T/all"
    fails 3 '*-r 9.8 -b 196' rdfderive -q n "$T/all"
    # With these options all counts can be added, and the smallest replica need not be counted again.
    for cell in 20.17 19.93 20.31; do mkdcd --atoms 50 --seed "${cell#*.}" --cell $cell,$cell,$cell | trjcat - |
        rdfhist -e cpu -r 9.8 -b 196 >"$T/$cell.rdfh"; done
    rdfnorm "$T"/*.rdfh | has '^# frames: 4 in 4 records$'
}

@test "segments: a missing one is reported by every tool that adds their results" {
    local k
    for k in 1 2 3 4; do
        trjcat --segment $k/4 -f :16 -t examples/water/water.pdb -g 'O=name OW' -o "$T/$k.trjf" examples/water/water.dcd
        rdfhist -e cpu -r 6 -b 12 -B 1 -o "$T/seg.$k.rdfh" "$T/$k.trjf"
        densmap -e cpu --origin 0,0,0 --points 4,4,4 --steps 5,5,5 -o "$T/seg.$k.trjg" "$T/$k.trjf" 2>/dev/null
    done
    local missing="note: segment 3 of 4 is missing (trjcat --segment); add the results of all"
    rdfnorm "$T"/seg.[124].rdfh 2>"$T/err" >"$T/out"
    has "^rdfnorm: $missing" "$T/err"
    rdfderive -q n "$T"/seg.[124].rdfh 2>"$T/err" >"$T/out"
    has "^rdfderive: $missing" "$T/err"
    mapsum -o "$T/sum.trjg" "$T"/seg.[124].trjg 2>"$T/err"
    has "^mapsum: $missing" "$T/err"
    cat "$T"/seg.[124].rdfh >"$T/three.rdfh"
    rdfnorm "$T/seg.3.rdfh" 2>/dev/null >"$T/seg.3.tsv"
    rdfcmp "$T/three.rdfh" "$T/seg.3.tsv" 2>"$T/err" >"$T/out"
    has "^rdfcmp: $missing" "$T/err"
    rdfcmp "$T/three.rdfh" "$T/seg.3.rdfh" 2>"$T/err" >"$T/out"
    if grep 'missing' "$T/err"; then return 1; fi # segments of one run are compared with each other
    rdfnorm "$T"/seg.?.rdfh 2>"$T/err" >"$T/out"
    mapsum -o "$T/sum.trjg" "$T"/seg.?.trjg 2>>"$T/err"
    [[ ! -s $T/err ]]
}

@test "notes: pairs of different groups that are not counted, no pair at all, and more than one atom per cubic Å" {
    mkdcd --atoms 30 --frames 2 --cell 30,30,30 >"$T/dcd"
    trjcat -g 'A=index 0 to 9' -g 'B=index 10 to 19' -g 'C=index 20 to 29' "$T/dcd" >"$T/trjf"
    rdfhist -e cpu -r 9 -b 9 "$T/trjf" 2>"$T/err" >"$T/rdfh"
    has "^rdfhist: note: A:B and 2 other pairs of different groups are not counted: .* add -p '\*:\*'" "$T/err"
    rdfhist -e cpu -r 9 -b 9 -p A:B "$T/trjf" 2>"$T/err" >"$T/rdfh"
    [[ ! -s $T/err ]]
    rdfhist -e cpu -r 0.01 -b 9 -p A:B "$T/trjf" 2>"$T/err" >"$T/rdfh"
    has '^rdfhist: note: no pair of atoms was counted: no distance is between 0 and 0.01 Å; give a larger -r' "$T/err"
    trjcat -c 3,3,3 "$T/dcd" | rdfhist -e cpu -r 1 -b 9 2>"$T/err" >"$T/rdfh"
    has '^rdfhist: note: the first frame has 30 atoms in 27 Å^3, 1.11 per Å^3, .* in nm' "$T/err"
}
