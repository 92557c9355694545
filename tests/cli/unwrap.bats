#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjcat --unwrap: mean square displacements that numpy computed, flips of the cell, molecules across boundaries, steps
# of about half a cell, several inputs, image flags, and what rejects unwrapped positions.
load helper

OBSERVABLES=$SHARED/data-observables
REFERENCE=$SHARED/reference-observables

# fact KEY: prints the values of a key in a table of trjinfo
fact() {
    awk -F '\t' -v key="$1" '$1 == key { print substr($0, length(key) + 2) }'
}

# msd XYZ: prints the mean square displacements at lags 1, 10 and 200
msd() {
    awk 'BEGIN { f = i = 0 }
        NF == 1 { atoms = $1 }
        NF == 4 { x[f, i] = $2; y[f, i] = $3; z[f, i++] = $4; if (i == atoms) { f++; i = 0 } }
        END {
            split("1 10 200", lags)
            for (k = 1; k <= 3; k++) {
                sum = 0
                for (t = lags[k]; t < f; t++)
                    for (i = 0; i < atoms; i++) {
                        dx = x[t, i] - x[t - lags[k], i]
                        dy = y[t, i] - y[t - lags[k], i]
                        dz = z[t, i] - z[t - lags[k], i]
                        sum += dx * dx + dy * dy + dz * dz
                    }
                printf "%.7g ", sum / (f - lags[k]) / atoms
            }
        }' "$1"
}

# reference FILE COLUMN: prints the values at the same lags
reference() {
    awk -F '\t' -v name="$2" '/^#/ { next } !column { for (k = 1; k <= NF; k++) if ($k == name) column = k; next }
        $1 == 1 || $1 == 10 || $1 == 200 { printf "%s ", $column }' "$REFERENCE/$1"
}

# agree TOLERANCE NUMBERS NUMBERS: two lists agree within a relative tolerance
agree() {
    echo "got $2, expected $3"
    awk -v most="$1" -v a="$2" -v b="$3" 'BEGIN {
        n = split(a, x, " ")
        if (!n || n != split(b, y, " ")) exit 1
        for (i = 1; i <= n; i++) if ((x[i] - y[i]) ^ 2 > (most * y[i]) ^ 2) exit 1
    }'
}

need_observables() {
    [[ -f $OBSERVABLES/walk-npt.xyz && -f $REFERENCE/walk-npt-msd.tsv ]] ||
        skip 'no folder shared/ with the data beside the checkout'
}

# xyz EDGE FRAME...: prints frames of a cube, each with the positions of one FRAME: 'x y z, x y z'
xyz() {
    local edge=$1 frame
    shift
    for frame; do
        awk -v edge="$edge" -v text="$frame" 'BEGIN {
            n = split(text, atom, ",")
            printf "%d\nLattice=\"%s 0 0 0 %s 0 0 0 %s\" pbc=\"T T T\"\n", n, edge, edge, edge
            for (i = 1; i <= n; i++) print "C", atom[i]
        }'
    done
}

# positions FILE: prints the positions of an XYZ file, without names
positions() {
    awk 'NF == 4 { printf "%g %g %g, ", $2, $3, $4 }' "$1"
}

@test "walkers in a cell that changes: mean square displacements of both ways, as numpy computed them" {
    need_observables
    for way in toroidal:msd fraction:scaled; do
        trjcat --unwrap "${way%:*}" "$OBSERVABLES/walk-npt.xyz" -o "$T/u.xyz" 2>"$T/notes"
        agree 1e-6 "$(msd "$T/u.xyz")" "$(reference walk-npt-msd.tsv "${way#*:}")"
        has 'note: --unwrap: atoms are unwrapped one by one, because not all bonds are known' <"$T/notes"
    done
    agree 1e-3 "$(msd "$T/u.xyz")" '1.502 15.09 315.7'
    trjcat --unwrap fraction "$OBSERVABLES/walk-npt.xyz" 2>/dev/null | trjinfo - | fact movements >"$T/movements"
    local mean
    mean=$(awk -F '"' '/Lattice/ { split($2, h, " "); sum += h[1]; n++ } END { printf "%.10g", sum / n }' \
        "$OBSERVABLES/walk-npt.xyz")
    has "^unwrap, way fraction, units atoms, mean_cell $mean.* 0 0 0 $mean.* 0 0 0 $mean" <"$T/movements"
}

@test "water: centres of mass and molecules are followed, and bonds keep their lengths" {
    need_observables
    local run=$OBSERVABLES/spce216
    trjcat -t "$run.tpr" -g 'W=com(all)' "$run-nvt.xtc" 2>/dev/null | trjcat --unwrap toroidal - 2>/dev/null |
        trjdump | awk '/^frame/ { print "216"; print "" } NF == 3 { print "C", $0 }' >"$T/com.xyz"
    (($(wc -l <"$T/com.xyz") == 201 * 218))
    agree 1e-4 "$(msd "$T/com.xyz")" "$(reference spce-nvt-msd.tsv msd)"
    for way in toroidal fraction; do
        trjcat -t "$run.tpr" --unwrap $way "$run-npt.xtc" -o "$T/u.xyz" 2>"$T/notes"
        [[ ! -s $T/notes ]]
        awk 'NF == 4 { if (n++ % 3 == 0) { x = $2; y = $3; z = $4; next }
                d = sqrt(($2 - x) ^ 2 + ($3 - y) ^ 2 + ($4 - z) ^ 2); if (d < 0.97 || d > 1.03) exit 1 }
            END { exit n != 201 * 648 }' "$T/u.xyz"
    done
    trjcat -t "$run.tpr" --unwrap toroidal "$run-npt.xtc" -f :2 | trjinfo - | fact movements >"$T/movements"
    [[ $(<"$T/movements") == $'whole\nunwrap, way toroidal, units molecules' ]]
    # Molecules are followed although only one of their atoms is written.
    trjcat -t "$run.tpr" -g 'O=name OW' --unwrap fraction "$run-npt.xtc" -o "$T/o.xyz"
    cmp <(awk 'NF == 4 && $1 ~ /O/' "$T/u.xyz") <(awk 'NF == 4' "$T/o.xyz")
}

@test "a molecule that crosses boundaries stays whole, in a constant cell with both ways; atoms keep their images" {
    printf '%s\n' 'x' '' '3 atoms' '1 bonds' '1 atom types' '1 bond types' '0 10 xlo xhi' '0 10 ylo yhi' \
        '0 10 zlo zhi' '' Masses '' '1 1' '' 'Atoms # bond' '' '1 1 1 0 0 0' '2 1 1 0 0 0' '3 2 1 0 0 0' '' Bonds '' \
        '1 1 1 2' >"$T/m.data"
    xyz 10 '7 5 5, 8 5 5, 1 1 1' '9 5 5, 0 5 5, 9 1 1' '1 5 5, 2 5 5, 7 1 1' '4 5 5, 5 5 5, 5 1 1' >"$T/m.xyz"
    for way in toroidal fraction; do
        trjcat -t "$T/m.data" --unwrap $way "$T/m.xyz" -o "$T/u.xyz" 2>/dev/null
        [[ $(positions "$T/u.xyz") == '7 5 5, 8 5 5, 1 1 1, 9 5 5, 10 5 5, -1 1 1, 11 5 5, 12 5 5, -3 1 1, '`
            `'14 5 5, 15 5 5, -5 1 1, ' ]]
    done
    # Atom 0 leads at the start, and the molecule is broken.
    xyz 10 '1 5 5, 9.5 5 5, 1 1 1' '0 5 5, 8.5 5 5, 1 1 1' '8 5 5, 6.5 5 5, 1 1 1' >"$T/b.xyz"
    trjcat -t "$T/m.data" --unwrap toroidal "$T/b.xyz" -o "$T/u.xyz"
    [[ $(positions "$T/u.xyz") == '1 5 5, -0.5 5 5, 1 1 1, 0 5 5, -1.5 5 5, 1 1 1, -2 5 5, -3.5 5 5, 1 1 1, ' ]]
    trjcat --unwrap toroidal "$T/b.xyz" -o "$T/u.xyz" 2>/dev/null
    [[ $(positions "$T/u.xyz") == '1 5 5, 9.5 5 5, 1 1 1, 0 5 5, 8.5 5 5, 1 1 1, -2 5 5, 6.5 5 5, 1 1 1, ' ]]
    # In a direction that is not periodic, nothing is moved.
    xyz 10 '1 1 1' '9 9 9' >"$T/c.xyz"
    trjcat -P yz --unwrap toroidal "$T/c.xyz" -o "$T/u.xyz" 2>/dev/null
    [[ $(positions "$T/u.xyz") == '1 1 1, 9 -1 -1, ' ]]
}

@test "toroidal in a constant cell: frames in which no atom crosses a boundary keep every bit, packed frames too" {
    need_observables
    trjcat "$OBSERVABLES/spce216-nvt.xtc" -f :2 | trjdump | grep -v '^provenance' >"$T/plain"
    trjcat --unwrap toroidal "$OBSERVABLES/spce216-nvt.xtc" -f :2 2>/dev/null | trjdump | grep -v '^provenance' \
        >"$T/unwrapped"
    diff "$T/plain" "$T/unwrapped" >"$T/diff" || :
    local changed
    changed=$(grep -c '^>' "$T/diff") # atoms that cross a boundary within 1 ps
    ((changed > 0 && changed < 100))
}

@test "a cell that flips, with static atoms: the atoms do not move, with both ways" {
    awk 'BEGIN { for (t = 0; t < 9; t++) {
        tilt = int(t / 3) % 2 ? -6 : 6
        print "ITEM: TIMESTEP\n" 100 * t "\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS xy xz yz pp pp pp"
        print (tilt < 0 ? tilt : 0), (tilt < 0 ? 12 : 12 + tilt), tilt "\n0 12 0\n0 12 0\nITEM: ATOMS id type x y z"
        split("1 2 3 9 11 6 7 7 1", x)
        for (i = 0; i < 3; i++) {
            s = (x[3 * i + 1] - tilt * x[3 * i + 2] / 12) / 12
            printf "%d 1 %g %g %g\n", i + 1, x[3 * i + 1] - 12 * (s >= 0 ? int(s) : -int(1 - s)), x[3 * i + 2], x[3 * i + 3]
        } } }' >"$T/flips.lammpstrj"
    trjcat "$T/flips.lammpstrj" -o "$T/wrapped.xyz" 2>/dev/null
    (($(awk 'NF == 4' "$T/wrapped.xyz" | sort -u | wc -l) > 3))
    for way in toroidal fraction; do
        trjcat --unwrap $way "$T/flips.lammpstrj" -o "$T/u.xyz" 2>/dev/null
        awk 'NF == 4 { printf "%.4f %.4f %.4f\n", $2, $3, $4 }' "$T/u.xyz" | sort -u >"$T/places"
        (($(wc -l <"$T/places") == 3))
    done
}

@test "image flags: the positions of the dump with unwrapped coordinates, also for few frames and from a stream" {
    local folder=$SHARED/data-formats/lammps-image name
    [[ -d $folder ]] || skip 'no folder shared/ with dumps beside the checkout'
    for frames in : ::3; do
        trjcat -f $frames --unwrap flags "$folder/made_tri_xu.lammpstrj" -o "$T/xu.xyz" 2>/dev/null
        for name in made_tri_image made_tri_scaled_image; do
            trjcat -f $frames --unwrap flags "$folder/$name.lammpstrj" -o "$T/u.xyz" 2>/dev/null
            paste <(awk 'NF == 4' "$T/xu.xyz") <(awk 'NF == 4' "$T/u.xyz") | awk '
                { for (k = 2; k < 5; k++) if (($k - $(k + 4)) ^ 2 > 1e-8) exit 1 } END { exit NR < 50 }'
        done
    done
    trjcat --carry image "$folder/made_tri_image.lammpstrj" -o "$T/i.trjf" 2>/dev/null
    trjcat --unwrap flags "$T/i.trjf" -o "$T/s.trjf" 2>/dev/null
    trjcat --unwrap flags "$folder/made_tri_image.lammpstrj" -o "$T/f.trjf" 2>/dev/null
    same <(bare_frames <"$T/f.trjf") <(bare_frames <"$T/s.trjf")
    trjinfo "$T/s.trjf" | fact movements | has '^unwrap, way flags, units atoms, mean_cell '
    trjinfo "$T/s.trjf" | fact frame_data | same - /dev/null
    # A constant cell: position plus flags.
    printf '%s\n' 'ITEM: TIMESTEP' 0 'ITEM: NUMBER OF ATOMS' 2 'ITEM: BOX BOUNDS pp pp pp' '0 10' '0 10' '0 10' \
        'ITEM: ATOMS id type x y z ix iy iz' '1 1 9.5 5 5 3 0 0' '2 1 2 2 2 0 0 -1' >"$T/m.lammpstrj"
    trjcat --unwrap flags "$T/m.lammpstrj" -o "$T/u.xyz" 2>/dev/null
    [[ $(positions "$T/u.xyz") == '39.5 5 5, 2 2 -8, ' ]]
}

@test "a step of about half a cell: rejected with its frame, if the atom or its molecule is written" {
    xyz 10 '1 1 1, 2 2 2' '1 1 1, 6.4 2 2' '1 1 1, 1.8 2 2' >"$T/a.xyz"
    fails_cleanly 3 'a.xyz: frame 2: --unwrap: atom 1 (counted from 0) has moved by 0.46 of a cell vector since the' \
        trjcat --unwrap toroidal "$T/a.xyz"
    fails_cleanly 3 'a.xyz: frame 2: --unwrap: atom 1 ' trjcat --unwrap fraction "$T/a.xyz"
    [[ $(trjcat --unwrap toroidal -f ::2 "$T/a.xyz" --to xyz 2>/dev/null | tail -1) == 'C 1.8 2 2' ]]
    trjcat --unwrap toroidal -f :2 "$T/a.xyz" 2>&1 >"$T/u.trjf" |
        has 'the largest displacement from frame to frame is 0.44 of a cell vector'
    [[ $(trjcat --unwrap toroidal -g 'A=index 0' "$T/a.xyz" 2>/dev/null | trjinfo - | fact frames) == 3* ]]
}

@test "several inputs, strides and threads: one series, whose frames do not depend on threads or on reading in parts" {
    need_observables
    local walk=$OBSERVABLES/walk-npt.xyz water=$OBSERVABLES/spce216-npt.xtc
    for way in toroidal fraction; do
        trjcat --unwrap $way "$walk" -o "$T/all.trjf" 2>/dev/null
        split -l $((32 * 200)) "$walk" "$T/part."
        trjcat --unwrap $way "$T"/part.a? -o "$T/parts.trjf" 2>/dev/null
        positions_of() { trjdump <"$1" | grep -vE '^(frame|source|provenance)'; }
        same <(positions_of "$T/all.trjf") <(positions_of "$T/parts.trjf")
        trjcat -j 5 --unwrap $way -f 7:90:2 --time 20: "$water" 2>/dev/null | bare_frames >"$T/five"
        trjcat -j 1 --unwrap $way -f 7:90:2 --time 20: "$water" 2>/dev/null | bare_frames >"$T/one"
        same "$T/one" "$T/five"
        [[ $(grep -c '^frame' "$T/one") == 35 ]]
        trjcat --repeated drop --unwrap $way -f :400 "$water" "$water" -o "$T/twice.trjf" 2>/dev/null
        trjcat --unwrap $way "$water" -o "$T/once.trjf" 2>/dev/null
        same <(bare_frames <"$T/once.trjf") <(bare_frames <"$T/twice.trjf")
    done
    # The start of another simulation.
    fails_cleanly 3 'spce216-npt.xtc: frame 0: --unwrap: atom' \
        trjcat --unwrap toroidal "$OBSERVABLES/spce216-nvt.xtc" "$OBSERVABLES/spce216-npt.xtc"
    # The bound of rounded positions: lengths are scaled to the mean cell.
    trjcat --precision 0.01 -f :3 "$walk" -o "$T/rounded.trjf"
    [[ $(trjcat --unwrap toroidal "$T/rounded.trjf" 2>/dev/null | trjinfo - | fact precision) == 0.01 ]]
    [[ $(trjcat --unwrap fraction "$T/rounded.trjf" 2>/dev/null | trjinfo - | fact precision) == 0.02 ]]
    # The frames that are selected determine the mean cell.
    trjcat --unwrap fraction -f 3:5 "$walk" 2>/dev/null | trjinfo - | fact movements | has "mean_cell $(
        awk -F '"' '/Lattice/ { split($2, h, " "); if (++n == 4 || n == 5) sum += h[1] }
            END { printf "%.8g", sum / 2 }' "$walk")"
}

@test "filters that use periodic images, and options that would move atoms to images, reject unwrapped positions" {
    xyz 10 '1 1 1, 2 2 2, 3 3 4' '2 1 1, 3 2 2, 3 3 3' >"$T/a.xyz"
    trjcat --unwrap toroidal "$T/a.xyz" -o "$T/u.trjf" 2>/dev/null
    for filter in 'rdfhist -r 4' 'rdfhist --lag 1 -r 4' 'skhist -q 3' 'densmap -o /dev/null'; do
        # shellcheck disable=SC2086 # several words
        fails 3 'u.trjf: its atoms were unwrapped (trjcat --unwrap), so that their periodic images are not' \
            $filter "$T/u.trjf"
    done
    fails 3 'u.trjf: its atoms were unwrapped (trjcat --unwrap), *; leave --unwrap out' trjstat -i "$T/u.trjf" cell
    fails_cleanly 2 '--unwrap: its atoms were unwrapped before' trjcat --unwrap toroidal "$T/u.trjf"
    fails_cleanly 2 '--whole: its atoms were unwrapped before' trjcat --whole "$T/u.trjf"
    fails_cleanly 2 '--centre: its atoms were unwrapped before' trjcat --centre all "$T/u.trjf"
    fails_cleanly 3 'cannot be joined with other inputs; use --unwrap where' trjcat "$T/u.trjf" "$T/u.trjf"
    fails_cleanly 3 'its atoms were not moved in the same way' trjcat "$T/a.xyz" "$T/u.trjf"
    fails_cleanly 2 '--group: dynamic groups and centres are computed with periodic images' \
        trjcat -g 'A=within 3 of index 0' "$T/u.trjf"
    fails_cleanly 2 '--group: dynamic groups and centres are computed with periodic images' \
        trjcat -g 'A=within 3 of index 0' --unwrap toroidal "$T/a.xyz"
    # In two steps, the groups are those of the wrapped positions.
    trjcat -g 'A=within 3 of index 0' "$T/a.xyz" 2>/dev/null | trjcat --unwrap toroidal - 2>/dev/null | trjinfo - |
        has 'way toroidal'
    trjcat --fit all "$T/u.trjf" | trjinfo - | fact movements | has '^fit, '
    trjcat --unwrap toroidal --fit all "$T/a.xyz" 2>/dev/null | trjinfo - | fact movements | cut -d , -f 1 >"$T/one"
    [[ $(<"$T/one") == $'unwrap\nfit' ]]
    trjcat --fit all "$T/a.xyz" 2>/dev/null -o "$T/fitted.trjf"
    fails_cleanly 3 '--unwrap: each frame was moved by trjcat --fit, so that displacements' \
        trjcat --unwrap toroidal "$T/fitted.trjf"
}

@test "invalid requests are rejected with a remedy" {
    xyz 10 '1 1 1, 2 2 2' '2 1 1, 3 2 2' >"$T/a.xyz"
    printf '2\n\nC 1 1 1\nC 2 2 2\n' >"$T/free.xyz"
    fails_cleanly 2 '--unwrap and --centre: moves atoms' trjcat --unwrap toroidal --centre all "$T/a.xyz"
    fails_cleanly 2 '--unwrap and --segment: atoms are followed' trjcat --unwrap toroidal --segment 1/2 "$T/a.xyz"
    fails_cleanly 2 '--unwrap and --salvage: atoms are followed' trjcat --unwrap toroidal --salvage "$T/a.xyz"
    fails_cleanly 2 '--unwrap and --carry image: unwrapped' trjcat --unwrap toroidal --carry image "$T/a.xyz"
    fails_cleanly 2 '--unwrap and --cell: image flags' trjcat --unwrap flags -c 9,9,9 "$T/a.xyz"
    fails_cleanly 2 '--unwrap: not available if the number of atoms changes' \
        trjcat --open auto --unwrap toroidal "$T/a.xyz"
    fails_cleanly 2 'image flags are not read from files of the format xyz' trjcat --unwrap flags "$T/a.xyz"
    trjcat "$T/a.xyz" -o "$T/a.trjf"
    fails_cleanly 2 '--unwrap flags: the stream contains no image flags' trjcat --unwrap flags "$T/a.trjf"
    fails_cleanly 3 'free.xyz: frame 0: --unwrap: no cell vector is periodic' trjcat --unwrap toroidal "$T/free.xyz"
    xyz 10 '1 1 1, 2 2 2' | sed 's/"T T T"/"T T F"/' | cat "$T/a.xyz" - >"$T/b.xyz"
    fails_cleanly 3 'frame 2: --unwrap: the periodic directions differ' trjcat --unwrap toroidal "$T/b.xyz"
    for way in fraction flags; do
        fails 2 "--unwrap $way: - is not a file, but is read twice, to find the mean cell first; give a file" \
            trjcat --unwrap $way - <"$T/a.trjf"
    done
    trjcat --unwrap toroidal - <"$T/a.trjf" 2>/dev/null | trjinfo - | has 'way toroidal'
}
