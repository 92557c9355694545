#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Output of trjcat, printed bit by bit by trjdump (tests/helpers).
load helper

make_dcd() {
    mkdcd --atoms 50 --frames 10 --cell 20,21,22,70,80,95 --breathe 0.05 >"$T/a.dcd"
    mkdcd --atoms 50 --frames 4 --cell 20,21,22,70,80,95 --seed 9 >"$T/b.dcd"
    mkdcd --atoms 50 --frames 7 --cell 20,21,22,70,80,95 --seed 10 >"$T/c.dcd"
}

# Prints frames and coordinates of standard input, without the header and the names of sources.
frames() {
    trjdump | sed -n '/^frame/,$p' | sed 's/ of [^ ]* step/ step/'
}

# Prints a line such as "a 3" for each frame: its file and its number.
places() {
    trjdump | sed -n 's|^frame \([0-9]*\) of .*/\([^ /]*\)\.dcd step.*|\2 \1|p'
}

@test "coordinates: are the bits of the file, with cell, step and time" {
    make_dcd
    trjcat "$T/a.dcd" | trjdump >"$T/dump"
    # x, y, z of frame 3 are records of 4 + 200 + 4 bytes after the 56 bytes of the cell.
    for axis in 0 1 2; do
        od -An -v -t x4 -w4 -j $((196 + 3 * 680 + 56 + 208 * axis + 4)) -N 200 "$T/a.dcd" | tr -d ' ' >"$T/$axis"
    done
    paste -d ' ' "$T/0" "$T/1" "$T/2" >"$T/expected"
    sed -n '/^frame 3 /,/^frame 4 /p' "$T/dump" | grep -v '^frame' >"$T/got"
    same "$T/expected" "$T/got"
    trjdump <"$T/a.dcd" | sed 's/ of [^ ]* step/ step/' >"$T/expected"
    sed -n '/^frame/,$p' "$T/dump" | sed 's/ of [^ ]* step/ step/' >"$T/got"
    same "$T/expected" "$T/got"
    # The cell of frame 3: a along x, b in the xy plane.
    grep '^frame 3 ' "$T/dump" | awk '{ s = 1 + 0.05 * sin(3); r = atan2(0, -1) / 180
        ax = 20 * s; bx = 21 * s * cos(95 * r); by = 21 * s * sin(95 * r); cx = 22 * s * cos(80 * r)
        for (i = 1; i <= NF; i++) if ($i == "cell") at = i
        d = ($(at + 1) - ax) ^ 2 + $(at + 2) ^ 2 + $(at + 3) ^ 2 + ($(at + 4) - bx) ^ 2
        d += ($(at + 5) - by) ^ 2 + $(at + 6) ^ 2 + ($(at + 7) - cx) ^ 2
        len = sqrt($(at + 7) ^ 2 + $(at + 8) ^ 2 + $(at + 9) ^ 2) - 22 * s
        exit !(d < 1e-20 && len < 1e-10 && len > -1e-10 && $0 ~ / step 40 / && $0 ~ / unit 1 periodic 7 /) }'
}

@test "every dialect of DCD: the same frames" {
    local options=(--atoms 30 --frames 4 --seed 5 --cell "20,21,22")
    mkdcd "${options[@]}" | trjcat - | frames >"$T/expected"
    [[ $(wc -l <"$T/expected") == 124 ]]
    while read -r -a more; do
        mkdcd "${options[@]}" "${more[@]}" | trjcat - | frames >"$T/got"
        same "$T/expected" "$T/got" || { echo "${more[@]}"; return 1; }
    done <<'END'
--endian be
--marker 8
--endian be --marker 8
--4d
--4d --endian be --marker 8
--cellform deg
--charmm 22
END
    # A shape matrix is a square root, which is rounded: the cell agrees to 12 digits.
    mkdcd "${options[@]}" --charmm 36 --cellform shape | trjcat - | frames |
        awk '/^frame/ { for (i = NF - 8; i <= NF; i++) $i = sprintf("%.12g", $i + 0) } 1' >"$T/got"
    same "$T/expected" "$T/got"
    # Fixed atoms keep their coordinates of frame 0.
    mkdcd "${options[@]}" --fixed 10 >"$T/fixed.dcd"
    trjcat "$T/fixed.dcd" | frames >"$T/expected"
    trjcat - <"$T/fixed.dcd" | frames >"$T/got"
    same "$T/expected" "$T/got"
    for f in 0 1 2 3; do sed -n "/^frame $f /,/^frame $((f + 1)) /p" "$T/got" | grep -v ^frame >"$T/f$f"; done
    for f in 1 2 3; do [[ $(paste -d '\n' "$T/f0" "$T/f$f" | awk 'NR % 2 { a = $0; next }
        a == $0' | wc -l) == 10 ]]; done
    # A frame read by random access equals the one that is read in sequence.
    trjcat -f 2 "$T/fixed.dcd" | frames >"$T/got"
    sed -n '/^frame 2 /,/^frame 3 /p' "$T/expected" | sed '/^frame 3 /d' >"$T/two"
    same "$T/two" "$T/got"
}

@test "several inputs, files and a pipe: joined in order" {
    make_dcd
    trjcat "$T/a.dcd" "$T/b.dcd" "$T/c.dcd" >"$T/all.trjf"
    places <"$T/all.trjf" | tr '\n' ',' >"$T/got"
    [[ $(<"$T/got") == 'a 0,a 1,a 2,a 3,a 4,a 5,a 6,a 7,a 8,a 9,b 0,b 1,b 2,b 3,c 0,c 1,c 2,c 3,c 4,c 5,c 6,' ]]
    for file in a b c; do trjcat "$T/$file.dcd" | frames; done >"$T/expected"
    frames <"$T/all.trjf" >"$T/got"
    same "$T/expected" "$T/got"
    # shellcheck disable=SC2002 # it is to be a pipe
    cat "$T/b.dcd" | trjcat "$T/a.dcd" - "$T/c.dcd" | frames >"$T/got"
    same "$T/expected" "$T/got"
}

@test "frame ranges with stride, within a file, across files, from a pipe: the selected frames" {
    make_dcd
    local range first stop step all
    mapfile -t all < <(trjcat "$T/a.dcd" "$T/b.dcd" "$T/c.dcd" | places)
    [[ ${#all[@]} == 21 ]]
    while read -r range first stop step; do
        for ((i = first; i < stop && i < 21; i += step)); do echo "${all[i]}"; done >"$T/expected"
        trjcat -f "$range" "$T/a.dcd" "$T/b.dcd" "$T/c.dcd" 2>"$T/notes" | places >"$T/got"
        same "$T/expected" "$T/got" || { echo "-f $range"; return 1; }
        # A frame stream, and a pipe as first file, give the same.
        trjcat "$T/a.dcd" "$T/b.dcd" "$T/c.dcd" | trjcat -f "$range" - 2>"$T/notes" | places >"$T/got"
        same "$T/expected" "$T/got" || { echo "-f $range of a stream"; return 1; }
        trjcat "$T/a.dcd" "$T/b.dcd" "$T/c.dcd" -o "$T/all.trjf"
        trjcat -f "$range" "$T/all.trjf" 2>"$T/notes" | places >"$T/got"
        same "$T/expected" "$T/got" || { echo "-f $range of a stream in a file"; return 1; }
        trjcat -f "$range" - "$T/b.dcd" "$T/c.dcd" <"$T/a.dcd" 2>"$T/notes" | frames >"$T/got"
        trjcat -f "$range" "$T/a.dcd" "$T/b.dcd" "$T/c.dcd" 2>"$T/notes" | frames >"$T/expected"
        same "$T/expected" "$T/got" || { echo "-f $range from a pipe"; return 1; }
    done <<'END'
0 0 1 1
9 9 10 1
10 10 11 1
20 20 21 1
3: 3 21 1
:3 0 3 1
::4 0 21 4
1::3 1 21 3
8:12 8 12 1
5:19:7 5 19 7
12:: 12 21 1
2:100:9 2 21 9
: 0 21 1
END
}

@test "range that ends after the input: a note" {
    make_dcd
    trjcat -f 3:25 "$T/a.dcd" 2>"$T/notes" | places >"$T/got"
    [[ $(wc -l <"$T/got") == 7 && $(<"$T/notes") == *'note: frames up to 25 '*'10'* ]]
}

@test "frame streams as input: copied unchanged, and joined" {
    make_dcd
    trjcat -g 'A=index 3 to 20' -g 'B=index 10 to 40' "$T/a.dcd" >"$T/a.trjf"
    trjcat -g 'A=index 3 to 20' -g 'B=index 10 to 40' "$T/b.dcd" >"$T/b.trjf"
    trjdump <"$T/a.trjf" | grep -v '^provenance' >"$T/expected"
    trjcat "$T/a.trjf" | trjdump | grep -v '^provenance' >"$T/got"
    same "$T/expected" "$T/got"
    trjcat "$T/a.trjf" | trjcat - | trjcat -z 5 - | trjdump | grep -v '^provenance' >"$T/got"
    same "$T/expected" "$T/got"
    trjcat -g 'A=index 3 to 20' -g 'B=index 10 to 40' "$T/a.dcd" "$T/b.dcd" "$T/a.dcd" | trjdump |
        grep -v '^provenance' >"$T/expected"
    trjcat "$T/a.trjf" "$T/b.trjf" "$T/a.trjf" | trjdump | grep -v '^provenance' >"$T/got"
    same "$T/expected" "$T/got"
    # One line of provenance for each program.
    trjcat "$T/a.trjf" | trjcat -z 5 - | trjdump | grep '^provenance' >"$T/got"
    [[ $(wc -l <"$T/got") == 3 && $(tail -n 1 "$T/got") == "provenance trjcat $TRJPIPE_VERSION: trjcat -z 5 -" ]]
}

@test "compression at every level: the same frames, smaller if the data are compressible" {
    mkdcd --atoms 1000 --frames 20 --kind lattice >"$T/a.dcd"
    trjcat "$T/a.dcd" >"$T/0.trjf"
    trjdump <"$T/0.trjf" | grep -v '^provenance' >"$T/expected"
    for level in 1 3 9 19; do
        trjcat --compress "$level" "$T/a.dcd" >"$T/z.trjf"
        trjdump <"$T/z.trjf" | grep -v '^provenance' >"$T/got"
        same "$T/expected" "$T/got"
        (($(stat -c %s "$T/z.trjf") * 10 < $(stat -c %s "$T/0.trjf")))
    done
}

@test "atoms of the stream: the union of the groups, whose indices refer to it" {
    make_dcd
    trjcat -g 'A=index 40 3 5' -g 'B=index 5 to 8 or index 49' -f 2 "$T/a.dcd" | trjdump >"$T/dump"
    # The union is 3 5 6 7 8 40 49.
    printf '%s\n' 'atoms 7 of 50' 'group A 0 1 5' 'group B 1 2 3 4 6' >"$T/expected"
    head -n 3 "$T/dump" >"$T/got"
    same "$T/expected" "$T/got"
    trjcat -f 2 "$T/a.dcd" | trjdump | sed '1,/^frame/d' | sed -n '4p;6,9p;41p;50p' >"$T/expected"
    sed '1,/^frame/d' "$T/dump" >"$T/got"
    same "$T/expected" "$T/got"
    # Without -g there is one group of all atoms.
    trjcat "$T/a.dcd" | trjdump | sed -n 1,2p >"$T/got"
    printf '%s\n' 'atoms 50 of 50' "group all$(printf ' %d' {0..49})" >"$T/expected"
    same "$T/expected" "$T/got"
    # A stream of all atoms may be grouped later; one of some atoms may not.
    trjcat "$T/a.dcd" | trjcat -g 'A=index 40 3 5' -g 'B=index 5 to 8 or index 49' -f 2 - | trjdump |
        grep -v '^provenance' >"$T/got"
    grep -v '^provenance' "$T/dump" >"$T/expected"
    same "$T/expected" "$T/got"
    trjcat -g 'A=index 3' -o "$T/some.trjf" "$T/a.dcd"
    fails_cleanly 2 'some.trjf: contains 1 of the 50 atoms*' trjcat -g 'A=index 0' "$T/some.trjf"
}

@test "groups by names of a topology, PDB or PSF: the right atoms" {
    need_shared
    trjcat -f 0 -t "$DATA/multi/cobrotoxin.pdb" -g 'CA=name CA' -g 'OW=name OW' \
        -g 'all=all' "$DATA/multi/cobrotoxin.dcd" | trjdump >"$T/dump"
    for group in CA OW; do
        sed -n "s/^group $group //p" "$T/dump" | tr ' ' '\n' >"$T/got"
        same "$REFERENCE/cobro_CA_OW.sel$([[ $group == CA ]] && echo A || echo B).txt" "$T/got"
    done
    trjcat -f 0 -t "$DATA/dcd/tip125_tric_C36.psf" -g 'O=name OH2' -g 'all=all' "$DATA/dcd/tip125_tric_C36.dcd" |
        trjdump |
        sed -n 's/^group O //p' | tr ' ' '\n' >"$T/got"
    same "$REFERENCE/tip125_OO.selA.txt" "$T/got"
}

@test "--cell and --periodic: replace the cell and its periods" {
    make_dcd
    trjcat -c 30,40,50 -f 0 "$T/a.dcd" | trjdump | has ' periodic 7 cell 30 0 0 0 40 0 0 0 50$'
    trjcat -c 30,40,50,90,90,60 -f 0 "$T/a.dcd" | trjdump | grep '^frame' |
        awk '{ exit !($(NF - 8) == 30 && $(NF - 5) - 20 < 1e-12 && 20 - $(NF - 5) < 1e-12 &&
        $(NF - 4) ^ 2 - 1200 < 1e-9 && 1200 - $(NF - 4) ^ 2 < 1e-9 && $NF == 50) }'
    local word bits
    while read -r word bits; do
        trjcat -P "$word" -f 0 "$T/a.dcd" | trjdump | has " periodic $bits cell "
    done <<<'none 0
x 1
y 2
z 4
xy 3
xz 5
yz 6
xyz 7'
    mkdcd --cellform none --charmm 0 >"$T/none.dcd"
    trjcat "$T/none.dcd" | trjdump | has ' periodic 0 cell 0 0 0 0 0 0 0 0 0$'
    fails_cleanly 3 'none.dcd: frame 0: *not periodic*xy*' trjcat -P xy "$T/none.dcd"
    trjcat -P xy -c 30,30,30 "$T/none.dcd" | trjdump | has ' periodic 3 cell 30 0 0 0 30 0 0 0 30$'
    # A direction that is not periodic remains so.
    trjcat -P xy "$T/a.dcd" >"$T/slab.trjf"
    fails_cleanly 3 'slab.trjf: frame 0: *' trjcat -P xyz "$T/slab.trjf"
    trjcat -P x "$T/slab.trjf" | trjdump | has ' periodic 1 '
    # A slab in a file whose cell has no height needs --periodic only.
    mkdcd --atoms 20 --cell 20,20,20 >"$T/flat.dcd"
    poke "$T/flat.dcd" $((196 + 4 + 40)) 00 00 00 00 00 00 00 00
    fails_cleanly 3 'flat.dcd: frame 0: *cell*zero*' trjcat "$T/flat.dcd"
    trjcat -P xy "$T/flat.dcd" | trjdump | has ' periodic 3 '
}

@test "header with a wrong number of frames: a note, and all frames are read" {
    need_shared
    trjcat "$DATA/dcd/adk_dims.dcd" 2>"$T/notes" | trjdump | grep -c '^frame' >"$T/got"
    [[ $(<"$T/got") == 98 && $(<"$T/notes") \
        == "trjcat: $DATA/dcd/adk_dims.dcd: note: "*'header gives 500 frames, file contains 98' ]]
    trjcat "$DATA/dcd/nset_zero.dcd" 2>"$T/notes" | trjdump | grep -c '^frame' >"$T/got"
    [[ $(<"$T/got") == 2 && ! -s $T/notes ]]
    trjcat "$DATA/dcd/mda-test.dcd" 2>"$T/notes" | trjdump | grep -c '^frame' >"$T/got"
    [[ $(<"$T/got") == 5 ]]
}

@test "cell in only some of the frames: read, and each frame keeps its periods" {
    need_shared
    trjcat "$DATA/dcd/short_nopbc.dcd" | trjdump | sed -n 's/.* periodic \([0-9]\) .*/\1/p' | tr '\n' ' ' >"$T/got"
    [[ $(<"$T/got") == '0 7 ' ]]
    trjcat "$DATA/dcd/short_nopbc.dcd" | rdfhist -e cpu -r 5 -b 10 | rdfnorm -c | has '^# frames: 2 '
}

@test "rdfhist, default rmax: half the smallest width of the first cell" {
    mkdcd --atoms 100 --cell 20,20,20,60,60,90 --frames 2 --breathe 0.1 | trjcat - | rdfhist -e cpu -b 10 |
        rdfnorm -c | rows | tail -n 1 | cut -f 2 >"$T/got"
    # The rhombic dodecahedron: widths 20 / sqrt 2 across each pair of faces.
    awk '{ d = $1 - 20 / sqrt(2) / 2; exit !(d < 1e-8 && d > -1e-8) }' "$T/got"
}

@test "rdfhist -B: one record for each N frames, and one for the rest" {
    make_dcd
    trjcat "$T/a.dcd" "$T/b.dcd" >"$T/all.trjf"
    while read -r block records; do
        rdfhist -e cpu -r 5 -b 10 -B "$block" "$T/all.trjf" | rdfnorm -c >"$T/table"
        grep -qx "# frames: 14 in $records records\?" "$T/table"
        rows "$T/table" >"$T/rows$block"
        same "$T/rows1" "$T/rows$block"
    done <<<'1 14
0 1
3 5
7 2
14 1
100 1'
}

@test "rdfhist --stats: gives the numbers of frames, pairs and resolved pairs" {
    make_dcd
    export TRJPIPE_POWERCAP=$T/none # energies: energy.bats
    trjcat "$T/a.dcd" | rdfhist -e reference --stats -r 5 -b 10 2>"$T/err" | counts |
        awk '{ s += $1 } END { print s }' >"$T/sum"
    grep -q "^rdfhist: stats: engine reference, threads 1$" "$T/err"
    grep -q "^rdfhist: stats: frames 10, atoms 50, pairs $((10 * 50 * 49 / 2)), .* counted $(<"$T/sum")$" "$T/err"
    [[ $(grep -c '^rdfhist: stats: ' "$T/err") == 4 ]]
    # The engine that `auto` selects is named.
    trjcat "$T/a.dcd" | rdfhist -r 5 -b 10 2>"$T/err" >"$T/out"
    grep -q '^rdfhist: engine [a-z]*, [a-zA-Z]* [0-9]*$' "$T/err"
}

@test "--help, --version and --options: printed by every tool" {
    local tool letter name kind
    for tool in trjcat rdfhist rdfnorm rdfplot; do
        $tool --help >"$T/help" 2>"$T/err"
        [[ ! -s $T/err && $(head -n 1 "$T/help") == "usage: $tool [OPTION]... "* ]]
        $tool -h >"$T/h"
        same "$T/help" "$T/h"
        $tool --version >"$T/version" 2>"$T/err"
        [[ ! -s $T/err && $(<"$T/version") == "$tool $TRJPIPE_VERSION "* ]]
        $tool -V >"$T/V"
        same "$T/version" "$T/V"
        $tool --options >"$T/options" 2>"$T/err"
        [[ ! -s $T/err ]]
        while IFS=$'\t' read -r letter name kind _; do
            [[ $kind =~ ^(flag|print|count|real|text|list|choice)$ ]]
            grep -qE "^  $([[ $letter == - ]] && echo '   ' || echo "-$letter,") --$name( |$)" "$T/help" ||
                { echo "$tool --help: no --$name"; return 1; }
        done <"$T/options"
        for name in help options version; do cut -f 2 "$T/options" | has -x "$name"; done
        awk -F '\t' 'NF != 10 { exit 1 }' "$T/options"
        # Each option of the help is in the table.
        [[ $(grep -cE '^  (-[A-Za-z],|   ) --' "$T/help") == $(wc -l <"$T/options") ]]
    done
    # The help contains the current defaults.
    rdfhist --help | has -- '--rmin R .*(default: 0)'
    rdfhist --options | awk -F '\t' \
        '$2 == "bins" && $1 == "b" && $5 == "" && $7 ~ /default: bins of 0.05/ { found = 1 } END { exit !found }'
    rdfhist --options | awk -F '\t' '$2 == "engine" && $5 == "auto" && $6 ~ /reference/ { found = 1 }
        END { exit !found }'
}

@test "provenance: options by their letters, without --output; with --digest also the inputs" {
    cp examples/water/water.dcd "$T/a b.dcd"
    cp examples/water/water.pdb "$T/w.pdb"
    cd "$T"
    trjcat --frames=:2 -gO='name OW' --out x.trjf -tw.pdb 'a b.dcd'
    trjdump <x.trjf | grep '^provenance' >got
    [[ $(cat got) == "provenance trjcat $TRJPIPE_VERSION: trjcat -f :2 -g 'O=name OW' -t w.pdb 'a b.dcd'" ]]
    # The same work writes the same bytes to any output.
    trjcat -f :2 -g 'O=name OW' -t w.pdb 'a b.dcd' | cmp - x.trjf
    trjcat --digest -f :2 -g 'O=name OW' -t w.pdb 'a b.dcd' -o x.trjf
    trjdump <x.trjf | grep '^provenance' >got
    [[ $(wc -l <got) == 3 ]]
    sed -n 1p got | has -x "provenance trjcat $TRJPIPE_VERSION: trjcat --digest -f :2 -g 'O=name OW' -t w.pdb 'a b.dcd'"
    sed -n 2p got | has -xE 'provenance input xxh3:[0-9a-f]{32} w.pdb'
    sed -n 3p got | has -xE "provenance input xxh3:[0-9a-f]{32} 'a b.dcd'"
    # Input from a pipe is not a file; the same bytes have the same digest, other bytes have another one.
    trjcat --digest -f :2 - <'a b.dcd' | trjdump | grep -c '^provenance' | grep -x 1
    digest=$(sed -n 's/.*\(xxh3:[0-9a-f]*\) .a b.dcd.$/\1/p' got)
    cp 'a b.dcd' c.dcd
    trjcat --digest -f 0 c.dcd | trjdump | has -x "provenance input $digest c.dcd"
    poke c.dcd 1500000 01
    trjcat --digest -f 0 c.dcd | trjdump | has -v "$digest c.dcd"
    trjcat --digest -f 0 c.dcd | trjdump | has -x "provenance input $digest c.dcd" && return 1
    # rdfhist and rdfnorm record their input if it is a file.
    rdfhist --digest -e cpu -r 5 x.trjf -o x.rdfh
    rdfnorm --digest x.rdfh >x.tsv
    grep -xE '# provenance: input xxh3:[0-9a-f]{32} x.trjf' x.tsv
    grep -xE '# provenance: input xxh3:[0-9a-f]{32} x.rdfh' x.tsv
}

@test "XTC and TRR: the same frames from a pipe, skipped or selected" {
    need_shared
    local file range
    for file in xtc/tip3p_300K_1ATM.xtc xtc/mda-test.xtc xtc/faux2023magic.xtc trr/triclinic_trajectory_double.trr; do
        trjcat "$DATA/$file" 2>"$T/notes" >"$T/all.trjf"
        frames <"$T/all.trjf" >"$T/expected"
        # shellcheck disable=SC2002 # it is to be a pipe
        cat "$DATA/$file" | trjcat - 2>"$T/notes" | frames >"$T/got"
        same "$T/expected" "$T/got"
        for range in 4 1::2; do
            trjcat -f "$range" "$T/all.trjf" | frames >"$T/expected"
            trjcat -f "$range" "$DATA/$file" 2>"$T/notes" | frames >"$T/got"
            same "$T/expected" "$T/got"
            # shellcheck disable=SC2002
            { cat "$DATA/$file" || true; } | trjcat -f "$range" - 2>"$T/notes" | frames >"$T/got"
            same "$T/expected" "$T/got"
        done
    done
}

@test "TRR: frames without positions are skipped, with a note, and one without a box has no cell" {
    need_shared
    trjcat "$DATA/trr/triclinic_trajectory.trr" 2>"$T/err" | trjdump >"$T/dump"
    [[ $(grep -c ^frame "$T/dump") == 5 &&
        $(<"$T/err") == *'triclinic_trajectory.trr: note: 8 frames without positions are skipped' ]]
    trjcat -f 4 "$DATA/trr/triclinic_trajectory.trr" 2>"$T/err" | trjdump | has '^frame 4 '
    trjcat "$DATA/trr/cell_shapes.trr" | trjdump | grep ^frame >"$T/dump"
    [[ $(grep -c 'unit 10 periodic 7 ' "$T/dump") == 2 &&
        $(sed -n 3p "$T/dump") == *'unit 10 periodic 0 cell 0 0 0 0 0 0 0 0 0' ]]
    # The cosine of 90 degrees is exactly zero.
    [[ $(sed -n 1p "$T/dump") == *' cell 11.230000257492065 0 0 0 22.339999675750732 0 0 0 33.450000286102295' ]]
}

@test "topology among the trajectories: one note, which explains how to use it for names alone" {
    gro() { printf \
        'one\n2\n    1SOL     OW    1   0.%s00   0.000   0.000\n    1SOL    HW1    2   0.100   0.000   0.000\n3 3 3\n' \
        "$1"; }
    gro 1 >"$T/top.gro"
    { gro 2 && gro 3; } >"$T/two.gro"
    trjcat "$T/two.gro" -o "$T/run.xtc" 2>"$T/notes"
    trjcat "$T/top.gro" -o "$T/other.dcd" 2>"$T/notes"
    trjcat "$T/top.gro" -o "$T/top.pdb" 2>"$T/notes"
    notes() {
        trjcat "$@" 2>"$T/notes" >"$T/out" || return 1
        same <(grep 'its one frame' "$T/notes") <(printf '%s' "${note:+$note$'\n'}")
    }
    local start="trjcat: $T/top.gro: note: its one frame is read as part of the trajectory; "
    start+='to use it only for atom names, '
    note="${start}give it with -t" notes "$T/top.gro" "$T/run.xtc"
    note="${start}give it with -t" notes "$T/top.gro" "$T/run.xtc" "$T/run.xtc" "$T/top.gro"
    note="${start}give it with -t" notes "$T/run.xtc" "$T/top.gro"
    note="${start}leave it out: -t gives them" notes -t "$T/top.pdb" -g 'O=name OW' "$T/top.gro" "$T/run.xtc"
    # A suggested topology, and files that are not topologies.
    note='' notes -t "$T/top.gro" -g 'O=name OW' "$T/run.xtc"
    note='' notes -f 1: "$T/top.gro" "$T/run.xtc"
    note='' notes -f 0 "$T/top.gro" "$T/run.xtc"
    note='' notes "$T/two.gro" "$T/run.xtc"
    note='' notes "$T/top.gro"
    note='' notes "$T/top.gro" "$T/two.gro" "$T/top.gro"
    note='' notes "$T/top.gro" "$T/top.pdb"
    note='' notes "$T/run.xtc" "$T/other.dcd"
}
