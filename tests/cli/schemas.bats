#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Kaitai descriptions in schemas/ alone read the streams; their content is compared with the bytes of the trajectory
# and with the output of the tools.
load helper

WATER=examples/water/water.dcd
ATOMS=1029 FRAMES=128
MODULES=$PWD/.build/node/node_modules

need_kaitai() {
    local module
    need node
    for module in kaitai-struct-compiler kaitai-struct yaml; do
        [[ -d $MODULES/$module ]] || skip "npm package $module is not in .build/node"
    done
}

# parse KIND FILE [COORDINATES]: writes the content of a stream to $T/facts, one fact on each line
parse() {
    NODE_PATH=$MODULES node tests/helpers/kaitai.js "$@" >"$T/facts"
}

facts() { # WORD...: prints the lines that begin with these words, without them
    sed -n "s/^$* //p" "$T/facts"
}

# dcd_bytes FIRST COUNT: prints the coordinates of frames in water.dcd, all x, then all y, then all z
dcd_bytes() {
    local axis frame=$((56 + 3 * (8 + 4 * ATOMS))) start
    start=$(($(stat -c %s "$WATER") - FRAMES * frame))
    for ((i = $1; i < $1 + $2; i++)); do
        for axis in 0 1 2; do
            tail -c "+$((start + i * frame + 56 + axis * (8 + 4 * ATOMS) + 4 + 1))" "$WATER" |
                head -c $((4 * ATOMS)) || true # SIGPIPE
        done
    done
}

# dcd_cell FRAME: prints the cell of a frame in water.dcd, whose edges are the 1st, 3rd and 6th of six doubles
dcd_cell() {
    local frame=$((56 + 3 * (8 + 4 * ATOMS)))
    od -An -v -w48 -t f8 -j $(($(stat -c %s "$WATER") - (FRAMES - $1) * frame + 4)) -N 48 "$WATER" |
        awk '{ print $1, 0, 0, 0, $3, 0, 0, 0, $6 }'
}

# places_agree FILE: checks that the positions of all blocks agree with their headers and with the index
places_agree() {
    borders "$1" | head -n -1 | same <(facts at | cut -d ' ' -f 2) -
    [[ $(facts bytes) == $(stat -c %s "$1") ]]
    awk '$1 == "block" { type[$2] = $3 } $1 == "at" { at[$2] = $3 }
        $1 == "place" { t = type[$4]; if (t == "FRMX" || t == "FRMZ") t = "FRAM"
            if (t != $2 || at[$4] != $5) { print "no", $2, "there:", $0; bad = 1 } places++ }
        $1 == "end" { if (type[$3] != "END!" || type[$4] != "INDX" || at[$4] != $5) { print "end:", $0; bad = 1 } }
        $1 == "block" && $3 ~ /^(SRCE|FRAM|FRMX|FRMZ)$/ { listed++ }
        END { exit bad || !places || places != listed }' "$T/facts"
}

@test "uncompressed frame stream: contains the floats, cells, groups and totals of the file" {
    need_kaitai
    trjcat -z 0 "$WATER" >"$T/trjf"
    parse frame "$T/trjf" "$T/xyz"
    dcd_bytes 0 "$FRAMES" >"$T/expected"
    [[ $(stat -c %s "$T/expected") == $((12 * ATOMS * FRAMES)) ]]
    cmp "$T/expected" "$T/xyz"
    [[ $(facts version) == '1 1' && $(facts atoms) == "$ATOMS of $ATOMS" ]]
    [[ $(facts group) == "all $ATOMS $(seq -s ' ' 0 $((ATOMS - 1)))" ]]
    [[ $(facts source) == [0-9a-f]*" $WATER" && $(facts provenance) == trjcat\ *": trjcat -z 0 $WATER" ]]
    [[ $(facts end | cut -d ' ' -f 1) == "$FRAMES" ]]
    same <(facts frame | cut -d ' ' -f 1-4,6) <(seq 0 $((FRAMES - 1)) | awk '{ print 0, $1, 7, 500 * $1, 1 }')
    facts frame | awk '{ t = $5 - NR + 1; if (t > 1e-5 || t < -1e-5) { print "time", $0; bad = 1 } } END { exit bad }'
    paste -d ' ' <(for i in 0 1 127; do dcd_cell "$i"; done) <(facts frame | cut -d ' ' -f 7- | sed -n '1p;2p;128p') |
        awk '{ for (k = 1; k <= 9; k++) if ($k != $(k + 9)) { print; bad = 1 } } END { exit bad || NR != 3 }'
    places_agree "$T/trjf"
    run -1 grep -q ' zstd ' "$T/facts"
}

@test "compressed frame stream of two sources: contains their frames, groups and residues" {
    need_kaitai
    need zstd
    cp "$WATER" "$T/water.dcd"
    printf x >>"$T/water.dcd" # a different source, although its frames are the same
    trjcat -z 5 -t examples/water/water.pdb -g 'OW=name OW' -g 'few=index 7 0 1 2' -f 126:131 \
        "$WATER" "$T/water.dcd" >"$T/trjf"
    parse frame "$T/trjf"
    [[ $(facts atoms) == "346 of $ATOMS" ]]
    [[ $(facts group few) == '4 0 1 2 5' && $(facts group OW) == '343 0 3 4 6 '* ]]
    [[ $(facts residues) == '0 0 0 1 2 2 '* ]]
    same <(facts frame | cut -d ' ' -f 1,2) <(printf '%s\n' '0 126' '0 127' '1 0' '1 1' '1 2')
    [[ $(facts source | cut -d ' ' -f 1 | sort -u | wc -l) == 2 ]]
    [[ $(facts source | cut -d ' ' -f 2) == "$WATER"$'\n'"$T/water.dcd" ]]
    [[ $(facts end | cut -d ' ' -f 1) == 5 ]]
    grep -q '^block .* FRMZ required ' "$T/facts"
    places_agree "$T/trjf"
    facts frame >"$T/compressed"
    trjcat -z 0 "$T/trjf" >"$T/plain.trjf"
    parse frame "$T/plain.trjf"
    same "$T/compressed" <(facts frame)
}

@test "two histogram streams in one file: contain set-ups, records, counts and totals" {
    need_kaitai
    need zstd
    trjcat -t examples/water/water.pdb -g 'OW=name OW' -g 'few=index 0 to 5' -f 10:20:3 "$WATER" |
        rdfhist -e cpu -B 3 -b 300 -r 7.5 --rmin 0.5 -p OW:OW -p OW:few >"$T/a.rdfh"
    trjcat -t examples/water/water.pdb -g 'OW=name OW' -g 'few=index 0 to 5' -f 30:32 "$WATER" |
        rdfhist -e cpu -B 0 -b 300 -r 7.5 --rmin 0.5 -p OW:OW -p OW:few >"$T/b.rdfh"
    cat "$T/a.rdfh" "$T/b.rdfh" >"$T/both.rdfh"
    parse histogram "$T/both.rdfh"
    [[ $(facts version) == $'1 1\n1 1' ]]
    [[ $(facts bins | sort -u) == '0.5 7.5 300' ]]
    [[ $(facts group | sort -u) == $'OW 343\nfew 6' ]]
    [[ $(facts pair | sort -u) == $'0 0 58653\n0 1 2056' ]] # 343 * 342 / 2; 343 * 6 - 2 atoms in both
    [[ $(facts provenance) == trjcat*$'\nrdfhist '* ]]
    [[ $(facts record) == $'3 3 7 7\n1 1 7 7\n2 2 7 7' ]]
    [[ $(facts run) == $'0 10 3 3\n0 19 1 1\n0 30 1 2' ]]
    [[ $(facts height) == $'0 0\n0 0\n0 0' ]]
    [[ $(facts block 7) == 'RECO required zstd '* ]]
    # rdfnorm prints the sums of the counts over the records, for each pair; the totals are the sums over the bins.
    facts counts | awk '{ for (i = 1; i <= NF; i++) sum[i] += $i }
        END { for (i = 1; i <= 300; i++) print sum[i] "\t" sum[i + 300]; exit NF != 600 }' >"$T/sums"
    counts "$T/both.rdfh" | same "$T/sums" -
    facts counts | awk '{ sum = 0; for (i = 1; i <= NF; i++) sum += $i; print sum }' >"$T/totals"
    same <(facts end) <(awk '{ n[NR] = $1 } END { print 2, 4, n[1] + n[2]; print 1, 2, n[3] }' "$T/totals")
    awk '{ exit !($1 > 1000) }' "$T/totals"
    # The volumes are those of the cells in the file.
    for i in 10 13 16 19 30 31; do dcd_cell "$i"; done | awk '{ print $1 * $5 * $9 }' OFMT=%.17g >"$T/volumes"
    paste -d ' ' <(facts volume) <(awk '{ v += $1; w += 1 / $1 }
        { if (!low || $1 < low) low = $1; if ($1 > high) high = $1 }
        NR == 3 || NR == 4 || NR == 6 { print v, w, low, high; v = w = low = high = 0 }' OFMT=%.17g "$T/volumes") |
        awk '{ for (k = 1; k <= 4; k++) { d = $k / $(k + 4) - 1; if (d > 1e-12 || d < -1e-12) { print; bad = 1 } } }
            END { exit bad || NR != 3 }'
}

@test "slab: its record contains two periodic directions and the thickness" {
    need_kaitai
    trjcat -P xy -f 5:6 "$WATER" | rdfhist -e cpu -b 10 -r 5 >"$T/rdfh"
    parse histogram "$T/rdfh"
    [[ $(facts record) == '1 1 3 3' ]]
    paste -d ' ' <(facts height) <(dcd_cell 5 | awk '{ print $9 }') |
        awk '{ d = $1 / $3 - 1; exit !($1 == $2 && d < 1e-12 && d > -1e-12) }'
    paste -d ' ' <(facts spacing) <(dcd_cell 5) | awk '{ for (k = 0; k < 3; k++) { d = $(1 + 2 * k) / $(7 + 4 * k) - 1
        if ($(1 + 2 * k) != $(2 + 2 * k) || d > 1e-12 || d < -1e-12) exit 1 } }'
}

@test "bonds, atom numbers and excluded pairs: are in the blocks that the schemas describe" {
    need_kaitai
    need_shared
    trjcat -z 3 -f 0 -t "$DATA/dcd/tip125_tric_C36.psf" -g 'H=name H1 or name H2' \
        "$DATA/dcd/tip125_tric_C36.dcd" >"$T/trjf"
    parse frame "$T/trjf"
    [[ $(facts numbers) == "$(for ((i = 0; i < 375; i += 3)); do echo "$((i + 1)) $((i + 2))"; done |
        paste -s -d ' ')" ]]
    # Each oxygen is bonded to two hydrogens and is numbered after all of them; in this topology, the two hydrogens are
    # bonded, too.
    {
        echo 125
        for ((i = 0; i < 250; i += 2)); do
            printf '%s\n' $i-$((i + 1)) $((250 + i / 2))-$i $((250 + i / 2))-$((i + 1))
        done
    } | sort |
        same - <(facts bonds | tr ' ' '\n' | sort)
    rdfhist -e cpu -x bonds:2 -b 60 -r 6 "$T/trjf" 2>/dev/null >"$T/rdfh"
    parse histogram "$T/rdfh"
    [[ $(facts exclusion) == 'bonds:2 125' ]]
    # The counts of all pairs precede those of excluded pairs.
    facts counts | tr ' ' '\n' | same - <(counts --excluded in "$T/rdfh" && counts --excluded only "$T/rdfh")
}

@test "lag: the histogram contains the counts of pairs and of displacements" {
    need_kaitai
    trjcat -f :6 -t examples/water/water.pdb -g 'O=name OW' -g 'H=name HW*' "$WATER" |
        rdfhist -e cpu -B 0 --lag 2 -b 20 -r 5 -p O:O -p O:H >"$T/rdfh"
    parse histogram "$T/rdfh"
    [[ $(facts pair) == $'0 0 117306\n0 1 235298' ]]
    facts lag | awk '{ d = $2 - 2; exit !($1 == 2 && d * d < 1e-10 && $3 == 343 && $4 == 0) }'
    # A record contains the counts, the longest step (shown here as the bits of a float64 between 0 and 1/2), the number
    # of atoms in both groups, and the counts of their displacements.
    facts counts | tr ' ' '\n' >"$T/numbers"
    same <(counts "$T/rdfh" | cut -f 1 && counts "$T/rdfh" | cut -f 2) <(head -n 40 "$T/numbers")
    sed -n 41p "$T/numbers" | awk '{ exit !($1 > 4e18 && $1 < 4.6027e18) }'
    [[ $(sed -n 42,43p "$T/numbers" | paste -s -d ' ') == '1372 0' ]]
    same <(counts --self "$T/rdfh" && printf '0\n%.0s' {1..20}) <(tail -n +44 "$T/numbers")
}

@test "other stream, truncated stream or other version: does not parse" {
    need_kaitai
    trjcat -z 0 -f 0:1 "$WATER" >"$T/trjf"
    run -1 --separate-stderr parse histogram "$T/trjf"
    head -c 5000 "$T/trjf" >"$T/cut"
    run -1 --separate-stderr parse frame "$T/cut"
    poke "$T/trjf" 8 02
    run -1 --separate-stderr parse frame "$T/trjf"
}

@test "elements: the streams contain those of atoms and of groups" {
    need_kaitai
    need zstd
    trjcat -z 3 -t examples/water/water.pdb -f 3 -g 'few=index 4 to 9' -g 'O=element O' "$WATER" >"$T/trjf"
    parse frame "$T/trjf"
    # The stream contains atoms 0, 3, 4, 5, 6, 7, 8, 9, 12, 15, ...
    [[ $(facts elements) == "'' 8 8 1 1 8 1 1 8 8 8 "* && $(facts elements | wc -w) == $((1 + 343 + 4)) ]]
    rdfhist -e cpu -b 60 -r 6 "$T/trjf" >"$T/rdfh"
    parse histogram "$T/rdfh"
    [[ $(facts composition) == "$ATOMS '' 1*4+8*2 8*343" ]]
}

@test "FAIL block before the first frame and after some: the schema describes it" {
    need_kaitai
    (trjcat "$T/missing" >"$T/none.trjf") 2>/dev/null || true
    parse frame "$T/none.trjf"
    [[ $(facts failure) == "trjcat 1 $T/missing: No such file or directory" && $(facts block | wc -l) == 1 ]]
    head -c 1000000 "$WATER" >"$T/cut.dcd"
    (trjcat "$T/cut.dcd" | tee "$T/some.trjf" | rdfhist -e cpu -B 4 >"$T/some.rdfh") 2>/dev/null || true
    parse frame "$T/some.trjf"
    [[ $(facts failure) == "trjcat 3 $T/cut.dcd: frame "* && $(facts frame | wc -l) -gt 0 && -z $(facts end) ]]
    parse histogram "$T/some.rdfh"
    [[ $(facts failure) == "trjcat 3 $T/cut.dcd: frame "* && $(facts record | wc -l) -gt 0 && -z $(facts end) ]]
}

@test "two grid streams in one file: contain lattices, records, values and totals" {
    need_kaitai
    need zstd
    {
        printf 'object 1 class gridpositions counts 2 3 4\norigin 1 2 3\ndelta 0.5 0 0\ndelta 0 2 0\ndelta 1 0 3\n'
        printf 'object 2 class gridconnections counts 2 3 4\n'
        printf 'object 3 class array type double rank 0 items 24 data follows\n'
        seq 0 23
    } >"$T/a.dx"
    mapconv "$T/a.dx" -o "$T/a.npy" 2>/dev/null
    sed -i 's/"quantity": ""/"quantity": "charge density"/; s/"unit": ""/"unit": "e A^-3"/
        s/samples/means/; s/"periodic": .*/"periodic": [0, 1, 1],/' "$T/a.json"
    mapconv "$T/a.npy" -o "$T/a.trjg"
    mapconv -z 3 "$T/a.npy" -o "$T/b.trjg"
    cat "$T/a.trjg" "$T/b.trjg" >"$T/both.trjg"
    parse grid "$T/both.trjg"
    [[ $(facts version) == $'1 0\n1 0' && $(facts points) == $'2 3 4\n2 3 4' ]]
    [[ $(facts vector | head -n 4 | paste -s -d ,) == '1 2 3,0.5 0 0,0 2 0,1 0 3' ]]
    [[ $(facts values | sort -u) == "6 'charge density' 'e A^-3' 1 1 1 0 0" ]]
    [[ $(facts record) == $'0 0 0\n0 0 0' && $(facts end) == $'1 0 1\n1 0 1' ]]
    [[ $(facts slab) == $'0 4 0\n0 4 1' && $(facts provenance) == mapconv\ * ]]
    # The values of the dx file, whose axis 2 is fastest; in the second stream, as byte planes.
    facts bytes | head -n 1 | fold -w 2 | sed 's/^/\\x/' | tr -d '\n' | xargs -0 printf '%b' | od -An -v -w8 -t f8 |
        tr -d ' ' | same - <(for k in 0 1 2 3; do for j in 0 1 2; do for i in 0 1; do
            echo $((12 * i + 4 * j + k)); done; done; done)
    facts bytes | fold -w 2 | awk 'NR <= 192 { a[NR] = $1 } NR > 192 { b[NR - 192] = $1 }
        END { for (i = 0; i < 24; i++) for (k = 0; k < 8; k++) if (a[8 * i + k + 1] != b[24 * k + i + 1]) exit 1
            exit NR != 384 }'
}

@test "golden streams: the schemas describe each block" {
    need_kaitai
    need zstd
    local file
    for file in tests/data/golden/*.trjf; do
        parse frame "$file" "$T/xyz" || { echo "$file"; return 1; }
        [[ $(facts bytes) == $(stat -c %s "$file") ]]
        # Indices and steps of all frames, and coordinates that are not packed
        [[ $file == */failed.trjf ]] ||
            same <(facts frame | cut -d ' ' -f 2,4) \
                <(grep '^frame ' "$file.txt" | cut -d ' ' -f 2,6)
        if grep -q '^block .* FRAM ' "$T/facts"; then
            same <(od -An -v -w4 -t x4 "$T/xyz" | tr -d ' ' | sort) \
                <(grep -E '^[0-9a-f]{8} ' "$file.txt" | tr ' ' '\n' | sort)
        fi
    done
    parse frame tests/data/golden/packed.trjf
    [[ $(grep -c '^packed 1000 ' "$T/facts") == 2 ]]
    parse frame tests/data/golden/precision.trjf
    [[ $(facts precision) == 0.01 ]]
    for file in tests/data/golden/*.rdfh; do
        parse histogram "$file" || { echo "$file"; return 1; }
        same <(facts record | cut -d ' ' -f 1,2) <(sed -n 's/^record //p' "$file.txt")
    done
    for file in tests/data/golden/*.trjg; do
        parse grid "$file" || { echo "$file"; return 1; }
        same <(facts points) <(sed -n 's/^points //p' "$file.txt")
        same <(facts slab) <(sed -n 's/^slab //p' "$file.txt")
        same <(facts orbitals) <(sed -n 's/^orbitals //p' "$file.txt")
        paste -d ' ' <(facts atom) <(sed -n 's/^atom //p' "$file.txt") | awk '{ n++
            for (k = 1; k <= 5; k++) if ($k != $(k + 5)) { print; exit bad = 1 } } END { exit bad || NF && NF != 10 }'
    done
    [[ $(facts orbitals) == '21 22 1' && $(facts atom | wc -l) == 12 ]]
    parse histogram tests/data/golden/plain.rdfh # in other streams, more numbers follow the counts
    same <(facts counts) <(sed -n 's/^counts //p' tests/data/golden/plain.rdfh.txt)
}

@test "distances from surfaces: the histogram contains the counts of atoms and of points" {
    need_kaitai
    local file=tests/data/golden/surface.rdfh
    parse histogram $file
    [[ $(facts surfaces) == '2 6' ]]
    # The last numbers of a record; points have 16 bytes.
    sed -n "s/^surface //p; s/^points //p" $file.txt | tail -n 4 | awk 'NR < 3 { print }
        NR > 2 { for (i = 1; i <= NF; i++) print $i, 0 }' | tr ' ' '\n' >"$T/expected"
    [[ $(wc -l <"$T/expected") == 64 ]]
    facts counts | tail -n 1 | tr " " "\n" | tail -n 64 | same "$T/expected" -
}
