#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The water example runs unchanged and gives the values of water. The examples of the manual pages run.
load helper
WATER=examples/water

setup_file() {
    # Without gnuplot run.sh writes the table and fails at the figure.
    "$WATER/run.sh" "$BATS_FILE_TMPDIR/water" >"$BATS_FILE_TMPDIR/log" 2>&1 || ! command -v gnuplot
}

table() {
    rows "$BATS_FILE_TMPDIR/water/gr.tsv"
}

# at R COLUMN: prints the value in the row of the bin that ends at R
at() {
    table | awk -v r="$1" -v column="$2" '$1 > r - 0.05 && $1 < r { print $column }'
}

@test "water: the table is that of all frames in 8 records, with errors" {
    grep -qx '# frames: 128 in 8 records' "$BATS_FILE_TMPDIR/water/gr.tsv"
    grep -qx '# group O: 343 atoms' "$BATS_FILE_TMPDIR/water/gr.tsv"
    grep -qx '# group H: 686 atoms' "$BATS_FILE_TMPDIR/water/gr.tsv"
    [[ $(grep '^#' "$BATS_FILE_TMPDIR/water/gr.tsv" | tail -n 1 | tr '\t' ' ') == \
        '# r g(O:O) se(O:O) n(O:O) g(O:H) se(O:H) n(O:H) g(H:H) se(H:H) n(H:H)' ]]
    [[ $(table | wc -l) == 200 ]]
}

@test "water: the density is that of the liquid" {
    # A water molecule has 18.01528 u; 1 u/A^3 is 1.66053907 g/cm^3.
    awk '/^# volume: mean/ { density = 343 * 18.01528 * 1.66053907 / $4; print density; seen = 1 }
        END { exit !(seen && density > 0.998 && density < 1.000) }' "$BATS_FILE_TMPDIR/water/gr.tsv"
}

@test "water: the first peak and minimum of O-O have the known position and height" {
    table | awk '$2 > high { high = $2; peak = $1 } END { print peak, high
        exit !(peak > 2.70 && peak < 2.80 && high > 3.0 && high < 3.2) }'
    table | awk '$1 > 2.8 && $1 < 4 && (!low || $2 < low) { low = $2; r = $1 } END { print r, low
        exit !(r > 3.2 && r < 3.45 && low > 0.75 && low < 0.85) }'
}

@test "water: O-H and H-H have their peaks within the molecule and between molecules" {
    # An oxygen has its two hydrogens in the two bins at 1 A; a hydrogen has the other one at 1.633 A.
    [[ $(at 0.95 7) == 0 && $(at 1.05 7) == 2 && $(at 1.3 7) == 2 ]]
    at 1.55 10 | awk '{ exit !($1 < 0.001) }'
    at 1.65 10 | awk '{ exit !($1 > 0.999 && $1 < 1.01) }'
    table | awk '$1 > 1.5 && $1 < 2.4 && $5 > high { high = $5; peak = $1 } END { print peak, high
        exit !(peak > 1.7 && peak < 1.85 && high > 1.5 && high < 1.7) }'
    table | awk '$1 > 1.8 && $1 < 3 && $8 > high { high = $8; peak = $1 } END { print peak, high
        exit !(peak > 2.3 && peak < 2.5 && high > 1.3 && high < 1.45) }'
}

@test "water: beyond 9 Angstrom all curves are 1 within 2 %, with errors between 0 and 0.02" {
    table | awk '$1 > 9 { for (i = 2; i <= 8; i += 3) {
            n++
            if ($i < 0.98 || $i > 1.02) { print; bad = 1 }
            if (!($(i + 1) > 0 && $(i + 1) < 0.02)) { print; bad = 1 } } }
        END { exit bad || n != 60 }'
}

@test "water: the coordination number at the first minimum is that of the reference engine's counts" {
    local pairs
    trjcat -t "$WATER/water.pdb" -g 'O=name OW' "$WATER/water.dcd" >"$T/oo.trjf"
    pairs=$(rdfhist -e reference -b 200 -r 10 "$T/oo.trjf" | counts | head -n 66 | awk '{ n += $1 } END { print n }')
    awk -v n="$(at 3.3 4)" -v pairs="$pairs" 'BEGIN {
        expected = sprintf("%.10g", 2 * pairs / (128 * 343)); print n, expected
        exit !(n == expected && n > 4.3 && n < 4.6) }'
}

# The minimum-image convention in awk, on the bytes of the file, so that no code of trjpipe is used for the expected
# value.
@test "water: oxygens within 3.3 Angstrom in the first and the last frame, counted by od and awk" {
    local atoms=1029 frames=128 bytes size frame at pairs
    bytes=$((8 + 48 + 3 * (8 + 4 * atoms))) size=$(stat -L -c %s "$WATER/water.dcd")
    for frame in 0 $((frames - 1)); do
        at=$((size - (frames - frame) * bytes + 4))
        pairs=$({
            od -An -v -w48 -t f8 -j "$at" -N 48 "$WATER/water.dcd"
            for axis in 0 1 2; do
                od -An -v -w4 -t f4 -j $((at + 48 + 4 + 4 + axis * (8 + 4 * atoms))) -N $((4 * atoms)) \
                    "$WATER/water.dcd"
            done
        } | awk -v atoms="$atoms" '
            NR == 1 { side[0] = $1; side[1] = $3; side[2] = $6; next }
            { k = NR - 2; if (k % atoms % 3 == 0) x[int(k / atoms), k % atoms / 3] = $1 }
            END { for (i = 0; i < atoms / 3; i++) for (j = 0; j < i; j++) {
                      r2 = 0
                      for (k = 0; k < 3; k++) {
                          d = x[k, i] - x[k, j]; d -= side[k] * sprintf("%.0f", d / side[k]); r2 += d * d }
                      n += r2 < 3.3 * 3.3 }
                  print n }')
        [[ $pairs -gt 600 && $pairs == "$(trjcat -f "$frame" -t "$WATER/water.pdb" -g 'O=name OW' "$WATER/water.dcd" |
            rdfhist -e cpu -b 1 -r 3.3 | counts)" ]]
    done
}

@test "water: the figure has three curves and three bands of errors" {
    need gnuplot
    local svg=$BATS_FILE_TMPDIR/water/gr.svg name
    for name in O:O O:H H:H; do grep -q ">$name<" "$svg"; done
    [[ $(grep -o "rgb([^)]*)' fill-opacity" "$svg" | sort -u | wc -l) == 3 ]]
    [[ $(tail -n 2 "$svg") == *'</svg>'* ]]
}

@test "water: run.sh finds the tools in ../../bin from any folder, and writes to out" {
    need gnuplot
    mkdir -p "$T/copy/examples" "$T/copy/bin"
    cp -r "$WATER" "$T/copy/examples/water"
    rm -rf "$T/copy/examples/water/out"
    cp "$TRJPIPE_BIN"/* "$T/copy/bin/" 2>/dev/null || true
    (cd / && PATH=/usr/bin:/bin "$T/copy/examples/water/run.sh") >"$T/printed" 2>/dev/null
    [[ $(cd "$T/copy/examples/water" && ls out) == $'gr.svg\ngr.tsv' ]]
    rows "$T/copy/examples/water/out/gr.tsv" >"$T/here"
    table >"$T/there"
    same "$T/there" "$T/here"
    [[ $(cat "$T/printed") == \
        $(printf '%s\n' "$T/copy/examples/water/out/gr.tsv" "$T/copy/examples/water/out/gr.svg") ]]
}

@test "water: run.sh fails if a stage fails" {
    cp -r "$WATER" "$T/water"
    head -c 100000 "$WATER/water.dcd" >"$T/water/water.dcd"
    run ! "$T/water/run.sh" "$T/out"
    [[ $output == *'trjcat: water.dcd: frame 8: byte 100000: truncated in the x record'* ]]
    [[ ! -e $T/out/gr.tsv && ! -e $T/out/gr.svg ]]
}

# page_examples PAGE: prints the commands in the section EXAMPLES as a script
page_examples() {
    awk '/^\.Sh / { on = /EXAMPLES/ } on && /^\.Ed/ { code = 0 } on && code; on && /^\.Bd -literal/ { code = 1 }' "$1" |
        sed 's/\\(aq/'\''/g; s/\\(ha/^/g; s/\\-/-/g; s/\\e/\\/g'
}

@test "manual pages: the examples run" {
    local page
    for page in filters/*.[17] schemas/*.5; do
        # The commands of these pages run in docs.bats and orbmap.bats.
        [[ $page != filters/trjfaq.7 && $page != filters/trjcluster.7 && $page != filters/orbmap.1 ]] || continue
        page_examples "$page" >"$T/script"
        ! grep -q rdfplot "$T/script" || command -v gnuplot || continue
        rm -rf "$T/water"
        cp -r "$WATER" "$T/water"
        if [[ $page == filters/rdfplot.1 ]]; then
            cp -r examples/protein-study "$T"
        elif [[ $page == filters/mapcc.1 ]]; then
            rm -rf "$T/water"
            cp -r examples/cryo-em "$T/water"
            cp -r examples/protein "$T"
            mapcc --version | has FFTW || sed -i '/--fsc/d' "$T/script"
        elif [[ $page == filters/ligmap.1 ]]; then
            lj_topology 300
            mv "$T/lj.psf" "$T/water/sys.psf"
            mv "$T/lj.par" "$T/water/par.prm"
            mkdcd --atoms 300 --frames 8 --cell 26,26,26 >"$T/water/run.dcd"
        elif [[ $page == filters/map* || $page == schemas/trjg.5 ]]; then
            mkgrid counts 1 0 8 8 8 8 >"$T/water/first.trjg"
            mkgrid counts 2 0 9 9 9 >"$T/water/second.trjg"
            mkgrid counts:6 3 0 8 | mapmath a -o "$T/water/other.dx"
        elif [[ $page == filters/surf.1 ]]; then
            trjcat -f 0:3 -t "$T/water/water.pdb" -g 'O=name OW' "$T/water/water.dcd" >"$T/frames.trjf"
            densmap -e cpu --sigma 0.7 -g 0.8 --fractional --relative 0.0334 -o "$T/water/density.dx" "$T/frames.trjf"
            mapmath '10 * a - 10' "$T/water/density.dx" -o "$T/water/potential.dx"
            mapmath 'a - 1' "$T/water/density.dx" -o "$T/water/homo.cube"
            densmap -e cpu -k gauss --radius 'vdw*0.5' -g 0.8 --fractional --each "$T/frames.trjf" \
                >"$T/water/frames.trjg"
        elif [[ $page == filters/ionplace.1 ]]; then
            printf 'ATOM %d %s ALA 1 %s 1.8\n' 1 N '12 12 12 -2.6' 2 C '13.5 12 12 0.6' >"$T/water/protein.pqr"
            printf '%s\n' '12 12 12 -18.54' '13.5 12 12 4.28' | awk -v set='25 1' -f tests/helpers/charges.awk \
                >"$T/water/pot.dx"
        fi
        [[ $(grep -c . "$T/script") -gt 2 ]]
        # In the locale C gnuplot prints a warning that the degree sign is missing.
        (cd "$T/water" && LC_ALL=C.UTF-8 bash -e -o pipefail "$T/script") >"$T/out" 2>"$T/err" || { cat "$T/script" "$T/err"; return 1; }
        # No file is empty, and standard error has only the lines of the engine and the statistics, notes of filters of
        # maps, of potentials and of waves, those of trjcat on masses and bonds that the files lack, and the notes of
        # trjstat and trjcorr on few frames.
        [[ -z $(find "$T/water" -size 0) ]]
        run grep -vE -e '^(rdfhist|densmap|mapcc|potmap|ligmap|ionplace): (engine|stats: )' \
            -e '^(densmap|map[a-z]*|rdfderive|skhist|potmap|ligmap|ionplace|surf): .*note: ' \
            -e '^trjcat: .*note: (masses are guessed|--unwrap: atoms are unwrapped one by one)' \
            -e '^trjstat: note: fewer than 50 effective frames' -e '^trjcorr: note: ' "$T/err"
        [[ -z $output ]] || { echo "$output"; return 1; }
    done
}
