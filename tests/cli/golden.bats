#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Golden files: streams of earlier versions in tests/data/golden, with every type of block, are read by the tools and by
# readers that were written from schemas/*.md alone. tests/data/golden/make adds files.
load helper

GOLDEN=tests/data/golden
export PYTHONDONTWRITEBYTECODE=1

# Prints the lines of a text that trjdump prints, too.
dumped() {
    grep -vE '^(RESI|MOLE|ELEM|SITE|ATOM|BOND|PREC|PROP|MOVE|OPEN|FAIL|VARY|SEGM) ' "$1"
}

@test "golden frame streams: the tools read what was written" {
    local file
    for file in "$GOLDEN"/*.trjf; do
        [[ $file != */failed.trjf ]] || continue
        trjdump <"$file" | same <(dumped "$file.txt") - || { echo "$file"; return 1; }
        trjinfo --check "$file" >"$T/info"
        [[ $file == */segment.trjf ]] || trjcat "$file" | bare_frames | same <(bare_frames <"$file") -
    done
    fails 3 'the program that wrote this stream failed: trjcat: truncated.dcd: frame 6: byte 50000: truncated' \
        trjcat "$GOLDEN/failed.trjf"
    fails 3 'it contains frames of the next segment' trjcat "$GOLDEN/segment.trjf"
}

@test "golden histogram streams: the tools read what was written" {
    local file counts
    for file in "$GOLDEN"/*.rdfh; do
        counts=--counts
        [[ $file != */waves.rdfh && $file != */vectors.rdfh ]] || counts= # sums, no counts
        rdfnorm $counts "$file" | rows | same "$file.tsv" - || { echo "$file"; return 1; }
        rdfnorm "$file" >"$T/norm"
    done
}

# npy_order FILE.txt: prints the values of the points in the order of NumPy, where axis 0 is slowest
npy_order() {
    awk '$1 == "points" { for (k = 0; k < 3; k++) n[k] = $(2 + k) }
        $1 == "point" { sub(/^point /, ""); point[count++] = $0 }
        END { for (i = 0; i < n[0]; i++) for (j = 0; j < n[1]; j++) for (k = 0; k < n[2]; k++)
            print point[i + n[0] * (j + n[1] * k)] }' "$1" | tr ' ' '\n'
}

@test "golden grid streams: the tools read what was written" {
    local file
    for file in "$GOLDEN"/{orbitals,compressed}.trjg; do
        mapconv "$file" -o "$T/map.npy"
        paste <(npy_order "$file.txt") <(od -An -v -w8 -t f8 -j 128 "$T/map.npy") |
            awk '$1 != $2 { print; exit bad = 1 } END { exit bad || NR != 72 }' || { echo "$file"; return 1; }
        # A cube file has the atoms and the numbers of the orbitals.
        mapconv "$file" -o "$T/map.cube"
        [[ $(awk 'NR == 3 { print $1 } NR == 19 { $1 = $1; print }' "$T/map.cube") == $'-12\n3 21 22 1' ]]
    done
    mapinfo "$GOLDEN/frames.trjg" | has -x $'records\t4'
    mapsum "$GOLDEN/frames.trjg" | mapmath --totals -e 'a * 4' | mapinfo - | awk -v counted="$(awk '$1 == "point" { n += $2 }
        END { print n }' "$GOLDEN/frames.trjg.txt")" '$1 == "integral" { exit !($2 == counted && $2 == 32) }'
}

@test "golden streams: readers written from the specifications alone read what was written" {
    need python3 zstd
    local file
    for file in "$GOLDEN"/*.trjf; do
        tests/helpers/decode_frames.py --blocks "$file" | same "$file.txt" - || { echo "$file"; return 1; }
    done
    for file in "$GOLDEN"/*.rdfh; do
        tests/helpers/decode_histograms.py "$file" | same "$file.txt" - || { echo "$file"; return 1; }
    done
    for file in "$GOLDEN"/*.trjg; do
        tests/helpers/decode_grids.py "$file" | same "$file.txt" - || { echo "$file"; return 1; }
    done
}

# described FILE: prints the types of blocks in the tables of a specification
# shellcheck disable=SC2016 # the backticks are in the text
described() {
    sed -nE 's/^\| `([A-Z!]{4})` +\| (yes|no) .*/\1/p' "$1"
}

@test "golden streams: contain each type of block of the specifications" {
    need python3
    local kind type
    for kind in frame:trjf histogram:rdfh grid:trjg; do
        for type in $(described "schemas/${kind%:*}_stream.md"); do
            # A failure is written in the same way into all kinds of streams.
            [[ $type == FAIL && $kind != frame:trjf ]] || cat "$GOLDEN"/*."${kind#*:}" | has -a "$type" ||
                { echo "no ${kind%:*} stream with $type: add one to $GOLDEN/make"; return 1; }
        done
    done
    [[ $(described schemas/frame_stream.md | wc -l) -ge 16 && $(described schemas/histogram_stream.md | wc -l) -ge 10 ]]
}

# agree TYPE OPERAND...: trjcat writes a stream with this type of blocks, which is read with equal results by the tools
# and by the reader written from the specifications
agree() {
    trjcat "${@:2}" >"$T/trjf" 2>"$T/notes"
    grep -qa "$1" "$T/trjf" || { echo "${*:2}: no $1"; return 1; }
    trjdump <"$T/trjf" >"$T/expected"
    tests/helpers/decode_frames.py "$T/trjf" | same "$T/expected" - || { echo "${*:2}"; return 1; }
}

@test "packed coordinates of real XTC files: the reader written from the specification agrees" {
    need_shared
    need python3 zstd
    local name
    for name in adk_oplsaa argon_dodecahedron cell_shapes faux2023magic large_diff large_step ten_atoms \
        tip3p_300K_1ATM xyz_random_walk; do
        agree FRMX -f :5 "$DATA/xtc/$name.xtc"
    done
}

@test "compressed coordinates: the reader written from the specification agrees" {
    need python3 zstd
    local ions=examples/ions/ions water=examples/water/water
    trjcat --to xtc $ions.dcd -o "$T/ions.xtc"
    agree FRMZ -z 1 $ions.dcd
    agree FRMZ -z 3 "$T/ions.xtc"
    agree FRMZ -z 3 -t $ions.pdb "$T/ions.xtc"
    agree FRMZ -z 9 -f :20 -t $water.pdb $water.dcd
    agree FRMZ -z 3 -t $ions.pdb -g 'near=name OW and within 4 of name NA' -g 'com=com(name OW)' $ions.dcd
    agree FRMZ --precision 0.01 $ions.dcd
    mkdcd --atoms 500 --frames 20 --cell 30,30,30 >"$T/random.dcd"
    agree FRMZ -z 3 "$T/random.dcd"
}

@test "compressed coordinates of real XTC files: the reader written from the specification agrees" {
    need_shared
    need python3 zstd
    local name
    for name in adk_oplsaa cell_shapes faux2023magic large_step ten_atoms tip3p_300K_1ATM; do
        agree FRMZ -z 3 -f :3 "$DATA/xtc/$name.xtc"
    done
    agree FRMZ -z 3 -f :3 -t "$DATA/xtc/tip3p_300K_1ATM.pdb" "$DATA/xtc/tip3p_300K_1ATM.xtc"
    agree FRMZ -z 3 -f :3 -t "$DATA/xtc/adk_oplsaa.gro" "$DATA/xtc/adk_oplsaa.xtc"
}
