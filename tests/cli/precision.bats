#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjcat --precision: coordinates within the bound, its record in the stream, and streams that were rounded before.
load helper

WATER=examples/water/water.dcd

# fact KEY [FILE]: prints its value in a table
fact() {
    awk -F '\t' -v key="$1" '$1 == key { print substr($0, length(key) + 2) }' "${2:-/dev/stdin}"
}

# coordinates FILE: one coordinate a line, as decimals
coordinates() {
    trjcat --to xyz --decimals 9 -t examples/water/water.pdb "$1" 2>"$T/notes" |
        awk 'NF == 4 { print $2; print $3; print $4 }'
}

@test "each coordinate is within the bound, and the stream is smaller" {
    local bound
    coordinates $WATER >"$T/exact"
    trjcat -z 6 $WATER >"$T/whole.trjf"
    for bound in 0.005 0.02 0.3; do
        trjcat --precision $bound $WATER >"$T/rounded.trjf"
        coordinates "$T/rounded.trjf" | paste "$T/exact" - | awk -v bound=$bound '
            { d = $1 < $2 ? $2 - $1 : $1 - $2; if (d > most) most = d }
            END { exit !(most <= bound + 1e-8 && most > bound / 4) }'
        (($(stat -c %s "$T/rounded.trjf") * 4 < $(stat -c %s "$T/whole.trjf") * 3))
    done
}

@test "a larger bound gives a smaller stream, also if the coordinates were rounded before" {
    local bound file bytes before
    trjcat $WATER -o "$T/a.xtc"
    for file in $WATER "$T/a.xtc"; do
        before=$((1 << 30))
        for bound in 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1; do
            trjcat --precision $bound -o "$T/rounded.trjf" "$file"
            bytes=$(stat -c %s "$T/rounded.trjf")
            # Two bounds can have the same step; the provenance may then differ in length.
            ((bytes < before + 100)) || { echo "$file, $bound: $bytes bytes after $before"; return 1; }
            before=$bytes
        done
    done
}

@test "the precision is recorded, copied by trjcat, and visible in later stages" {
    trjcat --precision 0.01 $WATER -o "$T/a.trjf"
    [[ $(trjinfo "$T/a.trjf" | fact precision) == 0.01 ]]
    [[ $(trjcat -f 2:4 "$T/a.trjf" | trjinfo - | fact precision) == 0.01 ]]
    trjcat -f 2:4 "$T/a.trjf" | trjcat -t examples/water/water.pdb -g 'O=name OW' - | trjinfo - >"$T/facts"
    [[ $(fact precision "$T/facts") == 0.01 ]]
    [[ $(trjcat $WATER | trjinfo - | fact precision) == '' ]]
    rdfhist -r 5 "$T/a.trjf" 2>/dev/null | trjinfo - | has '^provenance.*--precision 0.01'
    rdfhist -r 5 "$T/a.trjf" 2>/dev/null | rdfnorm | has -- '--precision 0.01'
}

@test "the precision is recorded in histograms, and in the comments of tables made from them" {
    local options
    trjcat --precision 0.01 -f :8 $WATER -o "$T/a.trjf"
    trjcat --precision 0.05 -f 8:16 $WATER -o "$T/b.trjf"
    trjcat -f 16:24 $WATER -o "$T/c.trjf"
    for options in '' '--lag 1'; do
        # shellcheck disable=SC2086 # an option and its value
        for part in a b c; do rdfhist -e cpu $options -r 5 -b 20 "$T/$part.trjf" -o "$T/$part.rdfh"; done
        [[ $(trjinfo "$T/a.rdfh" | fact precision) == 0.01 && $(trjinfo "$T/c.rdfh" | fact precision) == '' ]]
        rdfnorm "$T/a.rdfh" | has -x '# precision: coordinates were rounded, each by at most 0.01 Angstrom'
        # The largest of several streams
        cat "$T"/{a,b,c}.rdfh >"$T/all.rdfh"
        [[ $(trjinfo "$T/all.rdfh" | fact precision) == 0.05 ]]
        rdfnorm "$T"/{a,b,c}.rdfh | has '^# precision: .* at most 0.05 Angstrom'
        rdfnorm "$T/c.rdfh" >"$T/c.tsv"
        run ! grep '^# precision' "$T/c.tsv"
    done
    rdfhist -e cpu -r 5 -b 20 "$T/a.trjf" | rdfderive -q n | has '^# precision: .* at most 0.01 Angstrom'
}

@test "rounded coordinates are not rounded again, and a format that rounds them reports it" {
    trjcat --precision 0.01 $WATER -o "$T/a.trjf"
    fails 2 "$T/a.trjf: its coordinates have already been rounded, to within 0.01 Å; leave --precision out" \
        trjcat --precision 0.01 "$T/a.trjf"
    fails 2 "$T/a.trjf: its coordinates have already been rounded, to within 0.01 Å; leave --precision out" \
        trjcat --precision 0.02 $WATER "$T/a.trjf"
    run -0 --separate-stderr trjcat "$T/a.trjf" -o "$T/a.xtc"
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == 'trjcat: note: coordinates were rounded to within 0.01 Å before, which xtc does not record' ]]
}

@test "streams of several precisions: the largest is recorded, and its stream must be the first" {
    trjcat --precision 0.01 -f 0:2 $WATER -o "$T/a.trjf"
    trjcat --precision 0.05 -f 2:4 $WATER -o "$T/b.trjf"
    trjcat -f 4:6 $WATER -o "$T/c.trjf"
    [[ $(trjcat "$T/b.trjf" "$T/a.trjf" "$T/c.trjf" 2>/dev/null | trjinfo - | fact precision) == 0.05 ]]
    local rounded='its coordinates are rounded to within 0.05 Å, those of the first input to within 0.01 Å'
    fails 3 "$T/b.trjf: $rounded; give this input first" trjcat "$T/a.trjf" "$T/b.trjf"
}

@test "XTC: packed coordinates are decoded and rounded; centres are rounded, too" {
    trjcat -f 0:3 $WATER -o "$T/a.xtc"
    [[ $(trjcat --precision 0.05 "$T/a.xtc" | trjinfo - | fact precision) == 0.05 ]]
    trjcat --precision 0.05 -t examples/water/water.pdb -g 'c=com(name OW)' "$T/a.xtc" >"$T/c.trjf"
    [[ $(trjinfo "$T/c.trjf" | fact precision) == 0.05 ]]
}

@test "other formats, and bounds that are not positive: rejected" {
    fails 2 '--precision applies to frame streams, not to dcd; leave it out' trjcat --precision 0.1 $WATER -o "$T/x.dcd"
    fails 2 '--precision: -1 Å; give a positive length' trjcat --precision -1 $WATER
}
