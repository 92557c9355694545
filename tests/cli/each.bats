#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfnorm --each: g(r) of successive parts of a trajectory in one table.
load helper

PDB=examples/water/water.pdb WATER=examples/water/water.dcd

water() {
    trjcat -t "$PDB" "$@" "$WATER"
}

# layer VALUE: prints the rows of standard input whose first column has this value, without this column
layer() {
    awk -F '\t' -v at="$1" '!/^#/ && $1 == at' | cut -f 2-
}

@test "each curve: equals that of its frames alone, with errors, totals and contributions" {
    local first
    water -f :42 --by element >"$T/trjf"
    rdfhist -e cpu -r 9 -b 30 -B 2 -p '*:*' -x residue "$T/trjf" >"$T/rdfh"
    for options in '' '-c' '-e blocks -n gromacs -b 3' '--total neutron --form fz -p O:O --split --excluded in' \
        '--edges log:5 -p O:H --excluded only'; do
        [[ $options != *log* ]] || options="$options --range 2.1:"
        # shellcheck disable=SC2086 # words
        rdfnorm --each 5 $options "$T/rdfh" >"$T/all.tsv" 2>"$T/err"
        [[ $(grep -v '^#' "$T/all.tsv" | cut -f 1 | uniq | tr '\n' ' ') == '4.5 14.5 24.5 34.5 40.5 ' ]]
        for first in 0 10 20 30; do
            water -f $first:$((first + 10)) --by element | rdfhist -e cpu -r 9 -b 30 -B 2 -p '*:*' -x residue >"$T/part"
            # shellcheck disable=SC2086
            same <(rdfnorm $options "$T/part" 2>/dev/null | grep -v '^#') <(layer $((first + 4)).5 <"$T/all.tsv") ||
                { echo "$options, from $first"; return 1; }
        done
    done
}

@test "--each and rdfplot --map: a map against time, in a file and in the terminal" {
    water -g 'O=name OW' | rdfhist -e cpu -B 1 -r 9 -b 30 >"$T/rdfh"
    rdfnorm --each 10 "$T/rdfh" | rdfplot --map >"$T/text"
    grep -q 'time / ps' "$T/text"
    rdfnorm --each 10 "$T/rdfh" | rdfplot --map -o "$T/map.svg"
    grep -q '>time / ps<' "$T/map.svg"
    rdfnorm --each 10 "$T/rdfh" | rdfplot --waterfall -o "$T/fall.svg"
    grep -q '</svg>' "$T/fall.svg"
    rdfnorm --each 10 "$T/rdfh" | has -x '# each: 13 curves of 10 records; the last one may have fewer'
}

@test "one record for each curve has no errors; a last curve of one record has the error nan" {
    water -f :5 -g 'O=name OW' | rdfhist -e cpu -B 1 -r 9 -b 30 >"$T/rdfh"
    rdfnorm --each 1 "$T/rdfh" | has -x $'# time\tr\tg(O:O)\tn(O:O)'
    rdfnorm --each 2 --total number "$T/rdfh" >"$T/two.tsv"
    grep -qx $'# time\tr\tg(number)\tse(number)\tg(O:O)\tse(O:O)\tn(O:O)' "$T/two.tsv"
    [[ $(awk '$1 == 4 { print $4, $6 }' "$T/two.tsv" | sort -u) == 'nan nan' ]]
    [[ $(awk '$1 == 0.5 && $2 > 3 { print $4, $6 }' "$T/two.tsv" | grep -c nan) == 0 ]]
    # More records than there are: one curve, with its time.
    rdfnorm --each 99 "$T/rdfh" | grep -v '^#' | cut -f 1 | sort -u | same <(echo 2) -
}

@test "unknown times, and times that do not ascend: the numbers of the frames, with a note" {
    water -f :6 -g all=all --to dcd -o "$T/a.dcd"
    trjcat -t "$PDB" -g 'O=name OW' "$T/a.dcd" "$WATER" 2>/dev/null | rdfhist -e cpu -B 3 -r 9 -b 30 >"$T/rdfh"
    rdfnorm --each 1 "$T/rdfh" >"$T/tsv" 2>"$T/err"
    [[ $(<"$T/err") \
        == 'rdfnorm: note: the times of the frames are unknown or do not ascend: the first column is the number of the frame' ]]
    grep -q $'^# frame\tr\t' "$T/tsv"
    [[ $(grep -v '^#' "$T/tsv" | cut -f 1 | uniq | head -4 | tr '\n' ' ') == '1 4 7 10 ' ]]
    rdfplot --map -o "$T/map.svg" "$T/tsv"
    water -f :4 -g 'O=name OW' --to xyz -o "$T/w.xyz"
    sed -i 's/ time=[^ ]*//; s/ step=[^ ]*//' "$T/w.xyz"
    trjcat "$T/w.xyz" | rdfhist -e cpu -B 1 -r 9 -b 30 | rdfnorm --each 2 2>/dev/null | grep -v '^#' | cut -f 1 | uniq |
        same <(printf '0.5\n2.5\n') -
}

@test "dynamic groups: each curve has the members of its frames, and is nan without a pair" {
    # Atom 1 comes within 4 Angstrom of atom 0 in frames 2 and 3 only.
    awk 'BEGIN { for (f = 0; f < 4; f++) { print 3
        print "Lattice=\"20 0 0 0 20 0 0 0 20\" Properties=species:S:1:pos:R:3"
        print "A 0 0 0"; print "B", f < 2 ? 8 : 3, "0 0"; print "B 0 0 3" } }' >"$T/x.xyz"
    trjcat -P xyz -g 'N=name B and within 4 of index 0' "$T/x.xyz" 2>/dev/null |
        rdfhist -e cpu -B 1 -r 9 -b 9 2>/dev/null >"$T/rdfh"
    rdfnorm --each 2 "$T/rdfh" >"$T/tsv" 2>"$T/err"
    [[ $(awk '$1 == 0.5 { print $3 }' "$T/tsv" | sort -u) == nan ]]
    awk '$1 == 2.5 && $2 == 4.5 && $3 > 0 { found = 1 } END { exit !found }' "$T/tsv"
}

@test "streams of several files: records in their order; a frame that is counted twice is rejected" {
    water -f :10 -g 'O=name OW' | rdfhist -e cpu -B 2 -r 9 -b 30 >"$T/a"
    water -f 10:20 -g 'O=name OW' | rdfhist -e cpu -B 2 -r 9 -b 30 >"$T/b"
    same <(rdfnorm --each 5 "$T/a" "$T/b" | grep -v '^#') <(rdfnorm --each 5 <(cat "$T/a" "$T/b") | grep -v '^#')
    [[ $(rdfnorm --each 5 "$T/a" "$T/b" | grep -v '^#' | cut -f 1 | uniq | tr '\n' ' ') == '4.5 14.5 ' ]]
    fails 3 'is counted twice' rdfnorm --each 5 "$T/a" "$T/a"
}

@test "counts with a lag: one lag against time" {
    water -f :21 -g 'O=name OW' | rdfhist -e cpu -B 5 --lag 1 -r 9 -b 30 >"$T/rdfh"
    water -f 5:11 -g 'O=name OW' | rdfhist -e cpu -B 5 --lag 1 -r 9 -b 30 >"$T/part"
    same <(rdfnorm --self "$T/part" | grep -v '^#') <(rdfnorm --self --each 1 "$T/rdfh" | layer 7)
    # One of several lags.
    water -f :21 -g 'O=name OW' >"$T/trjf"
    rdfhist -e cpu --lag 1,2,4 -r 9 -b 30 "$T/trjf" >"$T/lags"
    rdfhist -e cpu --lag 2 -r 9 -b 30 "$T/trjf" >"$T/rdfh"
    same <(rdfnorm --each 6 "$T/rdfh" | rows) <(rdfnorm --each 6 --lag 2 "$T/lags" | rows)
    fails 3 '--each: counts have several lags; select one with --lag' rdfnorm --each 6 --lag 2,4 "$T/lags"
}

@test "counts and options without a series of curves: rejected with the reason" {
    water -f :4 -g 'O=name OW' >"$T/trjf"
    rdfhist -e cpu -B 1 -r 5 -b 10 --neighbours 3 "$T/trjf" >"$T/rdfh"
    fails 2 '--each and --covariance' rdfnorm --each 2 --covariance "$T/rdfh"
    fails 2 '--follow and --each' rdfnorm --each 2 --follow "$T/rdfh"
    fails 2 '--each applies to g(r); leave it out' rdfnorm --each 2 --neighbours numbers "$T/rdfh"
    fails 2 "--each: '0'*1" rdfnorm --each 0 "$T/rdfh"
    fails_cleanly 3 'are in no group that is counted' rdfnorm --each 2 --total neutron "$T/rdfh"
    rdfhist -e cpu -B 1 -r 5 -b 10 --angle z:4 "$T/trjf" >"$T/angle"
    fails 3 'counts by height or angle cannot be printed as a series of curves' rdfnorm --each 2 "$T/angle"
    skhist -e cpu --qmax 1 "$T/trjf" >"$T/waves" 2>/dev/null
    fails 2 '--each applies to streams of rdfhist, not to those of skhist; leave it out' rdfnorm --each 2 "$T/waves"
    fails 2 '--lag applies to streams of rdfhist, not to those of skhist; leave it out' rdfnorm --lag 2 "$T/waves"
}
