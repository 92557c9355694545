#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mapconv: conversion of maps between formats. Other programs read what it writes in map_formats.bats.
load helper

write_dx() { # FACTOR: the values 0 to 23 times FACTOR on 2 x 3 x 4 points
    printf 'object 1 class gridpositions counts 2 3 4\norigin 1 2 3\ndelta 1 0 0\ndelta 0 2 0\ndelta 0 0 3\n'
    printf 'object 2 class gridconnections counts 2 3 4\n'
    printf 'object 3 class array type double rank 0 items 24 data follows\n'
    seq 0 "$1" $((23 * $1)) | paste -d ' ' - - -
}

fact() { awk -F '\t' -v key="$1" '$1 == key { print substr($0, length(key) + 2) }'; }

# facts_of FILE: prints what all formats contain
facts_of() { mapinfo "$1" | grep -E '^(points|step|min|max|mean|sigma|integral)'; }

@test "from each format into each other one: the same map" {
    local from to
    write_dx 1 >"$T/x.dx"
    facts_of "$T/x.dx" >"$T/expected"
    for from in trjg dx mrc npy; do
        mapconv "$T/x.dx" -o "$T/a.$from" 2>/dev/null
        facts_of "$T/a.$from" | same "$T/expected" -
        for to in trjg dx mrc npy; do
            mapconv "$T/a.$from" -o "$T/b.$to" 2>/dev/null
            facts_of "$T/b.$to" | same "$T/expected" -
        done
        mapconv "$T/a.$from" -o "$T/b.cube"
        mapinfo "$T/b.cube" | grep -E $'^(points|min|max|mean|max_index)\t' |
            same - <(mapinfo "$T/x.dx" | grep -E $'^(points|min|max|mean|max_index)\t')
        mapconv "$T/b.cube" --to trjg | mapinfo - | fact max | same - <(echo 23)
    done
}

@test "standard input and output: a grid stream by default, --to selects another format" {
    write_dx 1 >"$T/a.dx"
    mapconv <"$T/a.dx" | mapinfo - | has -x $'format\ttrjg'
    mapconv --to mrc <"$T/a.dx" 2>/dev/null | mapinfo - | has -x $'max\t23'
    mapconv --to dx "$T/a.dx" | mapconv | mapconv - --to cube | mapinfo - | has -x $'mean\t11.5'
    mapconv -z 9 "$T/a.dx" | mapinfo - | has -x $'max_index\t1 2 3'
}

@test "records of a stream: all, one, or one file for each" {
    local k
    for k in 1 2 3; do
        write_dx $k >"$T/$k.dx"
        mapconv "$T/$k.dx"
    done >"$T/all.trjg"
    [[ $(mapinfo "$T/all.trjg" | fact records) == 3 ]]
    mapinfo "$T/all.trjg" | fact maps | sed 's/.* max \([0-9]*\),.*/\1/' | paste -s -d , | same - <(echo 23,46,69)
    mapconv "$T/all.trjg" -o "$T/again.trjg"
    [[ $(mapinfo "$T/again.trjg" | fact records) == 3 ]]
    mapconv --record 1 "$T/all.trjg" -o "$T/one.dx"
    [[ $(mapinfo "$T/one.dx" | fact max) == 46 ]]
    mapinfo --record 2 "$T/all.trjg" | has -x $'max\t69'
    mapconv "$T/all.trjg" -o "$T/m.%05d.dx"
    [[ $(for k in 0 1 2; do mapinfo "$T/m.0000$k.dx" | fact max; done | paste -s -d ,) == 23,46,69 ]]
    mapconv --record 1 "$T/all.trjg" -o "$T/n%d.npy" 2>"$T/err"
    [[ -e $T/n1.npy && -e $T/n1.json && ! -e $T/n0.npy ]]
    grep -qx "mapconv: $T/n1.npy: note: the lattice is in the file n1.json, in the folder of the map" "$T/err"
    fails 3 'contains several maps, but the format dx stores one map in a file; select one with --record' \
        mapconv "$T/all.trjg" -o "$T/none.dx"
    [[ ! -e $T/none.dx ]]
    fails 2 '--record 3: the file contains 3 records' mapconv --record 3 "$T/all.trjg" -o "$T/none.dx"
    mapinfo --at 2,6,12 "$T/all.trjg" | cut -f 1,5 | same - <(printf '# record\tvalue\n0\t23\n1\t46\n2\t69\n')
}

@test "streams joined by cat: different maps cannot be added" {
    write_dx 1 >"$T/a.dx"
    sed 's/^origin 1/origin 2/' "$T/a.dx" >"$T/b.dx"
    { mapconv "$T/a.dx" && mapconv "$T/b.dx"; } >"$T/both.trjg"
    fails 3 'the origin, the steps or the periods of the lattice differ' mapinfo "$T/both.trjg"
}

@test "--origin: each choice, and a note gives the words that were used" {
    write_dx 1 >"$T/a.dx"
    mapconv "$T/a.dx" -o "$T/a.mrc"
    poke "$T/a.mrc" 16 05 00 00 00 # NSTART of the columns
    [[ $(mapinfo "$T/a.mrc" | fact origin) == '1 2 3' ]]
    [[ $(mapinfo --origin nstart "$T/a.mrc" | fact origin | cut -d ' ' -f 1) == 5 ]]
    [[ $(mapinfo --origin sum "$T/a.mrc" | fact origin | cut -d ' ' -f 1) == 6 ]]
    mapconv --origin nstart "$T/a.mrc" -o "$T/b.dx"
    [[ $(mapinfo "$T/b.dx" | fact origin | cut -d ' ' -f 1) == 5 ]]
    mapconv "$T/a.mrc" -o "$T/b.dx" 2>"$T/err"
    grep -qx "mapconv: $T/a.mrc: note: the position of the map is taken from ORIGIN; NSTART gives a different one" "$T/err"
}

@test "a damaged input: no output is left, and an existing file does not change" {
    local format
    write_dx 1 >"$T/a.dx"
    for format in trjg mrc npy cube; do
        mapconv "$T/a.dx" -o "$T/a.$format" 2>/dev/null
    done
    for format in dx trjg mrc npy cube; do
        head -c -40 "$T/a.$format" >"$T/cut.$format"
        cp "$T/a.json" "$T/cut.json"
        echo old >"$T/out.dx"
        fails 3 '; ' mapconv "$T/cut.$format" -o "$T/out.dx"
        [[ $(<"$T/out.dx") == old ]]
    done
}

@test "mrc: a note if programs that add ORIGIN and NSTART read another position, and --no-nstart" {
    write_dx 1 | awk '/^origin/ { $0 = "origin 10 20 30" } { print }' >"$T/a.dx"
    mapconv "$T/a.dx" -o "$T/a.mrc" 2>"$T/err"
    grep -q 'note: the position of the map is in ORIGIN and in NSTART, which GridDataFormats and MDAnalysis add' \
        "$T/err"
    mapconv --no-nstart "$T/a.dx" -o "$T/b.mrc" 2>"$T/err"
    run ! grep NSTART "$T/err"
    [[ $(od -An -t d4 -j 16 -N 12 "$T/b.mrc" | tr -s ' ') == ' 0 0 0' ]]
    [[ $(od -An -t d4 -j 16 -N 12 "$T/a.mrc" | tr -s ' ') != ' 0 0 0' ]]
    [[ $(mapinfo "$T/b.mrc" | fact origin) == '10 20 30' ]]
    fails 2 '--no-nstart applies to mrc, not to dx' mapconv --no-nstart "$T/a.dx" -o "$T/c.dx"
    run_python -c 'import gridData' 2>/dev/null || return 0
    run_python -c "import gridData
assert abs(gridData.Grid('$T/b.mrc').origin - [10, 20, 30]).max() < 1e-5"
}

@test "npy: a file with the name of the second file that contains no lattice is not replaced" {
    write_dx 1 >"$T/a.dx"
    echo '{"title": "mine"}' >"$T/a.json"
    fails 3 'a.json: "origin" or "steps" is missing; this file exists and would be replaced' \
        mapconv "$T/a.dx" -o "$T/a.npy"
    grep -q mine "$T/a.json"
    [[ ! -e $T/a.npy ]]
    : >"$T/a.json"
    mapconv "$T/a.dx" -o "$T/a.npy"
    mapconv "$T/a.dx" -o "$T/a.npy"
    mapinfo "$T/a.npy" | has -x $'points\t2 3 4'
}

@test "a format that contradicts the name, and a map that the format cannot represent, are rejected" {
    write_dx 1 | sed 's/^delta 1 0 0/delta 0 1 0/; s/^delta 0 2 0/delta 2 0 0/' >"$T/left.dx"
    fails 3 'rotated or left-handed' mapconv "$T/left.dx" -o "$T/a.mrc"
    fails 2 "the format 'dx' contradicts the name" mapconv --to dx "$T/left.dx" -o "$T/a.mrc"
    fails 2 '--compress applies to grid streams' mapconv -z 3 "$T/left.dx" -o "$T/a.dx"
    [[ ! -e $T/a.mrc && ! -e $T/a.dx ]]
}

# sparing KB COMMAND...: runs the command with a limit on its address space
sparing() {
    (
        sanitized || ulimit -v "$1"
        "${@:2}"
    )
}

@test "2^40 points in a small file of any format: rejected without memory for them" {
    write_dx 1 >"$T/a.dx"
    mapconv "$T/a.dx" -o "$T/a.mrc"
    poke "$T/a.mrc" 0 00 40 00 00 00 40 00 00 00 10 00 00 # 16384 columns, 16384 rows, 4096 sections
    printf 't\nc\n0 0 0 0\n10000 1 0 0\n10000 0 1 0\n10000 0 0 1\n1 2\n' >"$T/b.cube"
    sed 's/counts 2 3 4/counts 10000 10000 10000/; s/items 24/items 1000000000000/' "$T/a.dx" >"$T/b.dx"
    local file
    for file in a.mrc b.cube b.dx; do
        sparing 300000 fails 3 '' mapconv "$T/$file" -o "$T/none.trjg" || { echo "$file"; return 1; }
        # A pipe, whose size is unknown: a plane of at most 256 MiB
        mkfifo "$T/pipe.$file"
        cat "$T/$file" >"$T/pipe.$file" &
        sparing 1500000 fails 3 '' mapconv "$T/pipe.$file" -o "$T/none.trjg" || { echo "$file, pipe"; return 1; }
        wait
    done
}

@test "names of outputs with an unknown ending: rejected by every filter of maps, unless the format is given" {
    write_dx 1 >"$T/a.dx"
    mapconv "$T/a.dx" -o "$T/a.trjg"
    mkdcd --atoms 5 --frames 2 --cell 9,9,9 | trjcat - 2>/dev/null >"$T/x.trjf"
    mkdir "$T/place"
    local wrong="x.foo: unknown ending '.foo'; use one of .trjg, .dx, .mrc, .cube, .npy" name
    fails 2 "$wrong" mapconv "$T/a.dx" -o "$T/place/x.foo"
    fails 2 "$wrong" mapmath 2*a "$T/a.dx" -o "$T/place/x.foo"
    fails 2 "$wrong" mapsum "$T/a.trjg" -o "$T/place/x.foo"
    fails 2 "$wrong" densmap -g 3 "$T/x.trjf" -o "$T/place/x.foo"
    fails 2 "--stderr-map: $T/place/$wrong" densmap -g 3 -B 1 "$T/x.trjf" -o "$T/place/x.dx" \
        --stderr-map "$T/place/x.foo"
    for name in dx.gz trjg.zst foo.xz; do
        fails 2 "x.$name: compressed files are not written; leave the last ending out" \
            mapconv --to dx "$T/a.dx" -o "$T/place/x.$name"
    done
    [[ -z $(ls -A "$T/place") ]]
    mapconv --to dx "$T/a.dx" -o "$T/x.foo"
    mapinfo "$T/x.foo" | has -x $'format\tdx'
    mapconv "$T/a.dx" -o "$T/map"
    mapinfo "$T/map" | has -x $'format\ttrjg'
}

@test "periodic axes: kept by trjg and npy; a note reports their loss in other formats; --periodic declares them" {
    write_dx 1 >"$T/a.dx"
    mapconv -P xz "$T/a.dx" -o "$T/a.trjg" 2>"$T/notes"
    mapconv "$T/a.trjg" -o "$T/a.npy" 2>>"$T/notes"
    same "$T/notes" <(echo "mapconv: $T/a.npy: note: the lattice is in the file a.json, in the folder of the map")
    local format
    for format in trjg npy; do mapinfo "$T/a.$format" | has -x $'cell_periodic\txz'; done
    for format in dx mrc cube; do
        mapconv "$T/a.trjg" -o "$T/b.$format" 2>"$T/notes"
        [[ $(grep -c 'periodic' "$T/notes") == 1 ]]
        grep -qx "mapconv: $T/b.$format: note: $format does not state which axes are periodic; write trjg or npy, or \
declare them when the file is read: mapconv --periodic xz" "$T/notes"
        mapconv "$T/b.$format" --to trjg 2>"$T/notes" | mapinfo - | has -x $'cell_periodic\tnone'
        (($(grep -c periodic "$T/notes") == 0))
        mapconv --periodic xz "$T/b.$format" --to trjg 2>/dev/null | mapinfo - | has -x $'cell_periodic\txz'
    done
    mapconv -P none "$T/a.trjg" -o "$T/b.dx" 2>"$T/notes"
    [[ ! -s $T/notes ]]
    mapmath a "$T/a.trjg" -o "$T/c.dx" 2>"$T/notes"
    grep -q '^mapmath: note: dx does not state which axes are periodic' "$T/notes"
    # The cell of MRC is the period, as programs for crystals expect: MX, MY, MZ, the lengths, and ISPG
    mapconv -P xyz "$T/a.dx" -o "$T/p.mrc" 2>/dev/null
    [[ $(od -An -v -t d4 -j 28 -N 12 "$T/p.mrc" | xargs) == '2 3 4' ]]
    [[ $(od -An -v -t f4 -j 40 -N 12 "$T/p.mrc" | xargs) == '2 6 12' ]]
    [[ $(od -An -v -t d4 -j 88 -N 4 "$T/p.mrc" | xargs) == 1 ]]
}

@test "atoms of cube files: kept by cube and trjg, by arithmetic, and through pipes; counted by mapinfo" {
    cat >"$T/a.cube" <<'END'
water
from another program
    3   -1.000000    0.000000    0.500000
    1    1.000000    0.000000    0.000000
    1    0.000000    1.000000    0.000000
    2    0.000000    0.000000    1.000000
    8    8.000000    0.000000    0.000000    0.221665
    1    1.000000    0.000000    1.430901   -0.886659
    1    1.000000    0.000000   -1.430901   -0.886659
  5.00000E-01  1.50000E+00
END
    mapconv "$T/a.cube" | mapconv -o "$T/b.cube"
    tail -n +3 "$T/a.cube" | same - <(tail -n +3 "$T/b.cube")
    [[ $(sed -n 2p "$T/b.cube") == "Written by trjpipe "*"; values are samples at the points; lengths are in bohr" ]]
    mapinfo "$T/a.cube" | has -x $'atoms\t3'
    mapconv "$T/a.cube" -o "$T/a.trjg"
    mapinfo "$T/a.trjg" | has -x $'atoms\t3'
    mapmath '2 * a' "$T/a.cube" -o "$T/c.cube"
    sed -n 3,9p "$T/a.cube" | same - <(sed -n 3,9p "$T/c.cube")
    [[ $(tail -n 1 "$T/c.cube") == '  1.00000E+00  3.00000E+00' ]]
    mapconv "$T/a.cube" -o "$T/a.mrc" 2>/dev/null # other formats have no atoms
    run ! grep '^atoms' <(mapinfo "$T/a.mrc")
}
