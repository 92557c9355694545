#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# potmap: each invalid call prints one message, with the cause, the expected and the found value, and leaves no file.
load helper

# Makes $T/pair.trjf (two charges without a cell), $T/box.trjf (60 charges in a cell, 3 frames), and a list of points.
setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR
    mkdir "$T/place"
    random_charges box 60 3 20,22,24,90,90,90
    printf 'ATOM 1 NA NA 1 0 0 0 1 1.4\nATOM 2 CL CL 2 4 0 0 -1 1.8\n' >"$T/pair.pqr"
    trjcat -P none -t "$T/pair.pqr" --carry charge,radius -o "$T/pair.trjf" "$T/pair.pqr" 2>/dev/null
    printf '2 1 0\n2 -1 0\n' >"$T/points.xyz"
}

# Removes the note about the frames of $T/box.trjf from the messages.
without_note() {
    sed -i '/^potmap: note: the frames are periodic, but --method direct has no periodic images/d' "$T/err"
}

# rejects STATUS MESSAGE ARGUMENT...: `potmap -e cpu ARGUMENT...` ends with this status, prints only the line "potmap:
# MESSAGE" (a glob), and leaves no file in its folder, $T/place. Standard input is $T/in, or empty.
rejects() {
    local status=$1 message=$2 got=0 in=$T/in
    shift 2
    [[ -e $in ]] || in=/dev/null
    (cd "$T/place" && potmap -e cpu "$@" <"$in" >../out 2>../err) || got=$?
    without_note
    # shellcheck disable=SC2053 # a pattern
    if [[ $got != "$status" || $(<"$T/err") != "potmap: "$message || -n $(ls -A "$T/place") ]]; then
        printf '%q ' potmap "$@"
        printf '\nstatus %s, files: %s; expected status %s and: %s\n' "$got" "$(ls -A "$T/place")" "$status" "$message"
        cat "$T/err"
        return 1
    fi
}

@test "numbers out of range: the message gives the option, the value and the range" {
    local direct=(--method direct -g 1)
    echo O 1 >"$T/radii"
    rejects 2 "--soften: invalid value 'clip:1e300': expected *length from 1e-06 to 1e+08 Angstrom, or none" \
        "${direct[@]}" --soften clip:1e300
    rejects 2 "--dielectric: invalid value '1e9': expected 0.001 to 1e+06, or 4r" "${direct[@]}" --dielectric 1e9
    rejects 2 '--temperature: invalid value 0: expected above 0, and at most 1e+06 K' "${direct[@]}" -T 0
    rejects 2 '--max-charge: invalid value 0: expected 1e-06 to 1e+06 e' "${direct[@]}" --max-charge 0
    rejects 2 '--debye: invalid value 0: expected a length of at least 0.001 Angstrom' --method mdh -g 1 --debye 0
    rejects 2 '--ions and --debye: each defines the Debye length; give only one' \
        --method mdh -g 1 --debye 8 --ions 1:0.1:2,-1:0.1:2
    rejects 2 '--ions: ion of charge 1: concentration 150 mol/l *expected 0 to 100 mol/l*' \
        --method mdh -g 1 --ions 1:150:2,-1:150:2
    rejects 3 '*invalid radius 1 Å: expected at most 20 Debye lengths of 0.01 Å; increase --debye, or *' \
        --method mdh -g 1 --debye 0.01 --inside ok --radii "$T/radii" "$T/box.trjf"
}

@test "options of pme and fast out of range, or without effect on the result: rejected" {
    rejects 2 '--order: invalid value 5: expected 4, 6 or 8' --method pme --tolerance 1e-3 --order 5
    rejects 2 '--alpha: invalid value 0: expected 0.001 to 1000 1/Å' --method pme --tolerance 1e-3 --alpha 0
    rejects 2 '--grid: invalid value -1: expected a length in Angstrom' --method pme --tolerance 1e-3 -g -1
    rejects 2 '--cutoff: invalid value 0: expected 0.001 to 1e+06 Angstrom' --method pme -g 1 --full -r 0
    rejects 2 '--dump charge: cannot be combined with *--exact*; leave them out' \
        --method pme -g 1 --dump charge --exact
    rejects 2 '--tolerance: invalid value 0.5: expected 1e-09 to 0.1' --method fast -g 1 --tolerance 0.5 "$T/box.trjf"
}

@test "points: no lattice, several lattices, boxes without volume and too many points are rejected" {
    local direct=(--method direct) box=$T/box.trjf
    rejects 2 'no points: give a lattice with --grid, --dime or --like, or a list with --points; *' "${direct[@]}"
    rejects 2 '--grid, --like, and --origin with --dime and --steps: give only one' \
        "${direct[@]}" -g 1 --origin 0,0,0 "$box"
    rejects 2 "--glen: invalid value '-5,1,1': expected lengths above 0" \
        "${direct[@]}" --dime 3,3,3 --glen -5,1,1 "$box"
    rejects 2 "--dime: invalid value '1,3,3': a box has at least 2 points along each axis" \
        "${direct[@]}" --dime 1,3,3 "$box"
    rejects 2 "--dime: invalid value '3,0,3': expected three whole numbers from 1 to 2^30" \
        "${direct[@]}" --dime 3,0,3 "$box"
    rejects 2 '--dime: the atoms lie in a plane, so that the box has no volume; increase --pad' \
        "${direct[@]}" --dime 3,3,3 --pad 0 "$T/pair.trjf"
    rejects 2 'the box of --dime: invalid lattice of 1000000000 x *at most 2^40 in total' \
        "${direct[@]}" --dime 1e9,1e9,1e9 "$box"
    rejects 2 "--steps: invalid value '-1,1,1': expected lengths above 0" \
        "${direct[@]}" --origin 0,0,0 --dime 3,3,3 --steps -1,1,1 "$box"
    rejects 2 '--origin, --dime and --steps: steps of the lattice: cell vectors lie in one plane' \
        "${direct[@]}" --origin 0,0,0 --dime 3,3,3 --steps 1,0,0,2,0,0,0,0,1 "$box"
    rejects 2 '--origin, --dime and --steps: *the origin is 1e+09 0 0 Å, expected magnitudes of at most 1e+08 Å' \
        "${direct[@]}" --origin 1e9,0,0 --dime 3,3,3 --steps 1,1,1 "$box"
}

@test "standard input as the frame stream and as the file of an option: rejected" {
    local option
    cp "$T/box.trjf" "$T/in"
    for option in '--method direct --like' '--method direct --points' '--method mdh --debye 8 -g 1 --radii' \
        '--method mdh -o f --apbs'; do
        # shellcheck disable=SC2086 # options are words
        rejects 2 "--${option##*--}: standard input is the frame stream; give a file" $option -
    done
    rejects 2 '--kernel: standard input is the frame stream; give a file' --method cutoff -r 5 -k table:- -g 1
    fails 2 '--like: standard input is the frame stream; give a file' densmap --like -
    fails 2 '--like: standard input is the frame stream; give a file' ligmap -l Xe --like -
    fails 2 '--map: standard input is the frame stream; give a file' mapcc --map - --resolution 6
    # If the frames come from a file, an option can read standard input.
    potmap --method direct --points - "$T/pair.trjf" <"$T/points.xyz" 2>/dev/null | rows | wc -l | has -x 2
}

@test "pme without a cell, and atoms that are too far away: the message gives the cause and a remedy" {
    potmap --version | has 'FFTW *[0-9]' || skip 'this build lacks FFTW'
    local option far cell
    for option in '-g 1' '--tolerance 1e-3' '--around -g 1'; do
        # shellcheck disable=SC2086 # options are words
        rejects 3 'the method pme requires a cell that is periodic*first frame has none; set one with trjcat --cell *' \
            --method pme $option "$T/pair.trjf"
    done
    far=1900671690 cell='f8:0 f8:0 f8:0 f8:0 f8:0 f8:0 f8:0 f8:0 f8:0' # the float32 1e30
    mkstream frame 'HEAD r u8:1 u8:1' 'GRPS r u4:1 t:all u8:1 u4:0' 'PROP - u4:1 u4:0 t:charge t:e t:test f8:1' \
        'SRCE r t:run.dcd u8:5' "FRAM r u4:1 u4:0 u4:0 u4:0 u8:0 u8:0 f8:0 f8:1 $cell u4:$far u4:0 u4:0" >"$T/far.trjf"
    for option in '--around -g 1' '--dime 3,3,3'; do
        # shellcheck disable=SC2086
        rejects 3 'the first frame: atom 0: the coordinate 1e+30 Å is not finite, or farther than 1e+08 Å *' \
            --method direct $option "$T/far.trjf"
    done
    rejects 2 '*frame 0: steps of 1e-05 Å would require a cutoff of *, which is out of range; use --method direct' \
        --method fast --origin 0,0,0 --dime 5,5,5 --steps 1e-5,1e-5,1e-5 "$T/box.trjf"
}

@test "invalid kernels: the message gives the parameter or the file, and the cause" {
    local cutoff=(--method cutoff -r 5 -g 3 "$T/box.trjf")
    table() { # ROWS MESSAGE
        printf '%b' "$1" >"$T/table"
        rejects 3 "--kernel: $T/table: $2" "${cutoff[@]}" -k "table:$T/table"
    }
    rejects 2 "--kernel: unknown kernel 'coulomb': expected rodrigues, shift, *" "${cutoff[@]}" -k coulomb
    rejects 2 "--kernel: invalid kernel 'rf': expected rf:EPS" "${cutoff[@]}" -k rf
    rejects 2 '--kernel: EPS of rf: invalid value -1: expected 1 to 1e+09, or 0 for infinity' "${cutoff[@]}" -k rf:-1
    rejects 2 '--kernel: ALPHA of erfc: invalid value 0: expected 1e-06 to 1000' "${cutoff[@]}" -k erfc:0
    rejects 2 '--cutoff: invalid value -5: expected 0.001 to 1e+06' "${cutoff[@]}" -k shift -r -5
    rejects 1 '--kernel: missing: No such file or directory' "${cutoff[@]}" -k table:missing
    table '0 1\n6 0\n' "unclear whether *; name the columns in a line before the rows, such as '# r f', *"
    table '# r f\n0 1\n' 'contains 1 rows of numbers, expected at least 2'
    table '# r f\n0 1\n6 0\n5 1\n' 'line 4: 5 is not above the first column of the previous row, 6; *'
    table '# r f\n0 1\n2 nan\n6 0\n' 'row 1 of the table, 2 nan: expected increasing distances *, and finite values'
    table '# r f\n-1 1\n6 0\n' 'row 0 of the table, -1 1: expected increasing distances of at least 0, *'
    table '# r f\n0 1\n2 0\n' 'the table ends at 2 Angstrom, before the cutoff, 5; use a shorter --cutoff'
}

@test "--points and --apbs: invalid lists, and file names that do not fit the output" {
    local points=(--method direct "$T/pair.trjf" --points)
    list() { # LINES MESSAGE
        printf '%b' "$1" >"$T/list"
        rejects 3 "--points: $T/list: $2" "${points[@]}" "$T/list"
    }
    list '' 'the file has no points; write lines of three coordinates in Å'
    list '1 2\n' 'line 1: expected three coordinates in Å, found 2 fields'
    list '1 2 3\n1 2 3 4 5 6\n' 'line 2: expected three coordinates in Å, found 5 or more fields'
    rejects 1 '--points: missing: No such file or directory' "${points[@]}" missing
    rejects 2 '--output map.dx: --points writes a table, not a map; use another ending, such as .tsv' \
        "${points[@]}" "$T/points.xyz" -o map.dx
    rejects 2 '--output: a.%d.tsv: only one file is written; leave the number out of its name' \
        "${points[@]}" "$T/points.xyz" --each -o a.%d.tsv
    rejects 2 '--apbs writes three files for each frame; *--each*' \
        --method mdh --apbs "$T/template" -o f --each "$T/pair.trjf"
    rejects 2 "--apbs writes three files for each frame; give their name without an ending, such as -o 'frame.%*" \
        --method mdh --apbs "$T/template" -o f.dx "$T/pair.trjf"
}

@test "--charges and --radii: invalid files, atoms without a line, and a kernel without charges are rejected" {
    local at=(--origin "-3,-3,-3" --dime "5,5,5" --steps "0.9,0.9,0.9")
    trjcat -P none -t "$T/pair.pqr" --carry name,resname -o "$T/names.trjf" "$T/pair.pqr" 2>/dev/null
    file() { # LINES MESSAGE
        printf '%b' "$1" >"$T/table"
        rejects 3 "--charges $T/table: $2" --method direct "${at[@]}" --charges "$T/table" "$T/names.trjf"
    }
    file '' 'contains no charges'
    file 'NA one\n' 'line 1: expected a name and a charge from -1e+06 to 1e+06 e'
    file 'NA 1\nNA 2\n' "line 2: 'NA' occurs twice; remove one line"
    file 'NA 1\n' 'has no line for atom 1 (CL); add one with its name or element'
    rejects 3 "--charges $T/table: 'NA' is the name of an atom, but the stream contains no names of atoms; run *" \
        --method direct "${at[@]}" --charges "$T/table" "$T/pair.trjf"
    trjcat -P none -t "$T/pair.pqr" --carry name -o "$T/name.trjf" "$T/pair.pqr" 2>/dev/null
    echo NA:NA 1 >"$T/table"
    rejects 3 "--charges $T/table: 'NA:NA' is the name of an atom in a residue, but *; run trjcat with --carry *" \
        --method direct "${at[@]}" --charges "$T/table" "$T/name.trjf"
    rejects 2 '--charges: the kernel count has no charges; leave it out' \
        --method cutoff -k count -r 5 "${at[@]}" --charges "$T/table" "$T/names.trjf"
    rejects 1 '--radii: amber: No such file or directory; give bondi or mbondi, or the name of a file' \
        --method mdh --debye 8 "${at[@]}" --radii amber "$T/pair.trjf"
    rejects 3 '*no property charge; *; the method mdh requires --carry charge,radius, or --radii' \
        --method mdh --debye 8 "${at[@]}" "$T/names.trjf"
}

@test "cells that change, and points on atoms: the message names a remedy for the method" {
    potmap --version | has 'FFTW *[0-9]' || skip 'this build lacks FFTW'
    random_charges other 60 1 20,22,25,90,90,90
    cat "$T/box.trjf" >"$T/in"
    trjcat -o "$T/both.trjf" "$T/box.trjf" "$T/other.trjf" 2>/dev/null
    rejects 3 '*frame 3: the cell differs from that of the first frame; add --fractional to move the points *cell' \
        --method pme -g 2 "$T/both.trjf"
    rejects 3 '*frame 3: the cell differs *; add --fractional *, or give a fixed lattice (--origin, --steps)' \
        --method cutoff -k shift -r 5 -g 2 "$T/both.trjf"
    potmap --method pme -g 2 --fractional "$T/both.trjf" >"$T/out" 2>"$T/err"
    # Runs over parts of such frames: the second one needs the lattice of the first one.
    potmap --method cutoff -k shift -r 5 -g 2 --fractional -o "$T/a.trjg" "$T/box.trjf" 2>/dev/null
    potmap --method cutoff -k shift -r 5 -g 2 --fractional -o "$T/b.trjg" "$T/other.trjf" 2>/dev/null
    fails 3 'give the first map to the other runs by --like, in place of --grid' mapsum "$T/a.trjg" "$T/b.trjg"
    potmap --method cutoff -k shift -r 5 --like "$T/a.trjg" --fractional -o "$T/b.trjg" "$T/other.trjf" 2>/dev/null
    mapsum "$T/a.trjg" "$T/b.trjg" -o "$T/sum.trjg"
    potmap --method cutoff -k shift -r 5 -g 2 --fractional -o "$T/all.trjg" "$T/both.trjf" 2>/dev/null
    mapmath 'abs(a - b)' "$T/sum.trjg" "$T/all.trjg" -o "$T/difference.npy" 2>/dev/null
    mapinfo "$T/difference.npy" | awk '$1 == "max" { found = $2 == 0 } END { exit !found }'
    trjcat -t "$T/pair.pqr" --cell 20,20,20 --carry charge -o "$T/cell.trjf" "$T/pair.pqr" 2>/dev/null
    rejects 3 '*is infinite; choose points farther from the atom, or for the method pme leave out --full' \
        --method pme --full -g 1 "$T/cell.trjf"
}

@test "standard errors and records: the message gives what is missing, or why the mean is written" {
    local map=(--method direct --origin "0,0,0" --dime "3,3,3" --steps "3,3,3")
    trjcat -f 0 -o "$T/one.trjf" "$T/box.trjf" 2>/dev/null
    rejects 3 '--stderr-map: standard errors require at least 2 records, found 1; give more frames' \
        "${map[@]}" --stderr-map e.dx -o m.dx "$T/one.trjf"
    rejects 3 '--block: standard errors require at least 2 blocks of records, found 1; *' \
        --method direct --points "$T/points.xyz" -B 3 "$T/box.trjf"
    rejects 2 '--stderr-map: e.%d.dx: only one file is written; leave the number out of its name' \
        "${map[@]}" --stderr-map e.%d.dx -o m.dx "$T/box.trjf"
    rejects 2 '--each *, not a mean, which an option that converts the unit requires; *' \
        "${map[@]}" --units V --each "$T/box.trjf"
    rejects 2 '--block *, but the mean is written, which an option that converts the unit requires; *' \
        "${map[@]}" --units V -B 1 "$T/box.trjf"
    [[ ! -w /dev/full ]] || rejects 1 '/dev/full: No space left on device' \
        "${map[@]}" --stderr-map /dev/full -o m.dx "$T/box.trjf"
}

@test "a frame that occurs twice: rejected in a mean, also at points; --each lists both" {
    local points=(--method direct --points "$T/points.xyz" "$T/twice.trjf")
    trjcat -o "$T/twice.trjf" "$T/box.trjf" "$T/box.trjf" 2>/dev/null
    rejects 3 'frame 0 of *x.dcd occurs twice *; give it once' "${points[@]}" -o table.tsv
    rejects 3 'frame 0 of *x.dcd occurs twice *; give it once' --method direct -g 3 -o map.dx "$T/twice.trjf"
    [[ $(potmap "${points[@]}" --each 2>/dev/null | rows | wc -l) == 12 ]]
}

@test "engine: auto reports its choice, a named engine does not" {
    local map=(potmap --method direct --origin "0,0,0" --dime "3,3,3" --steps "3,3,3" "$T/box.trjf")
    "${map[@]}" -j 1 -o "$T/a.trjg" 2>"$T/err"
    grep -qxE 'potmap: engine (cpu, threads 1|cuda, GPUs [0-9]+)' "$T/err"
    without_note
    [[ $(wc -l <"$T/err") == 1 ]]
    "${map[@]}" -e cpu -o "$T/b.trjg" 2>"$T/err"
    without_note
    [[ ! -s $T/err ]]
}

@test "a pipeline with trjcat: one message, of the program where the error occurs" {
    local q=(--carry charge "$T/x.dcd")
    # pipeline STATUS MESSAGE OPTION...: trjcat with the options, and potmap, which ends with the status
    pipeline() {
        local status=$1 message=$2 got=0
        shift 2
        trjcat "$@" 2>"$T/err" | potmap -e cpu --method direct -g 3 -o "$T/place/a.dx" 2>>"$T/err" || got=$?
        # shellcheck disable=SC2053 # a pattern
        [[ $got == "$status" && $(<"$T/err") == $message && -z $(ls -A "$T/place") ]] || { cat "$T/err"; return 1; }
    }
    pipeline 3 'trjcat: missing: No such file or directory' missing
    pipeline 3 "trjcat: --carry: unknown property 'chrage', did you mean 'charge'? *" \
        -t "$T/x.pqr" --carry chrage "$T/x.dcd"
    pipeline 3 'trjcat: *x.dcd: 60 atoms, but the topology *pair.pqr has 2; *' -t "$T/pair.pqr" "${q[@]}"
    pipeline 3 'potmap: the stream contains no property charge; run trjcat with --carry charge *' \
        -t "$T/x.pqr" "$T/x.dcd"
    pipeline 3 'trjcat: no frames: *; change --frames or --time' -t "$T/x.pqr" -f 9: "${q[@]}"
}
