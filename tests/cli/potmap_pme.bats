#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# potmap --method pme: Madelung constants, Ewald energies, independence of alpha, charges on the mesh, and merging.
load helper

setup_file() {
    has 'FFTW *[0-9]' <(potmap --version) || export WITHOUT_FFTW=1
}

need_fftw() {
    [[ -z ${WITHOUT_FFTW:-} ]] || skip 'built without FFTW'
}

# salt: writes the frame stream $T/salt.trjf of a cell of NaCl with 8 ions and an edge of 5.64 Å
salt() {
    local i=0 x y z
    for x in 0 2.82; do
        for y in 0 2.82; do
            for z in 0 2.82; do
                printf 'ATOM  %5d  X   RES     1    %8.3f%8.3f%8.3f %7.4f %6.4f\n' $((++i)) "$x" "$y" "$z" \
                    "$([[ $x$y$z =~ ^(000|02.822.82|2.8202.82|2.822.820)$ ]] && echo 1 || echo -1)" 1
            done
        done
    done >"$T/salt.pqr"
    trjcat --cell 5.64,5.64,5.64 -t "$T/salt.pqr" --carry charge -o "$T/salt.trjf" "$T/salt.pqr" 2>/dev/null
}

# within A B D: |A - B| <= D, of awk expressions
within() {
    awk "BEGIN { d = ($1) - ($2); exit !(d <= $3 && -d <= $3) }" || { echo "$1 is not $2"; return 1; }
}

info() { # FILE KEY
    mapinfo "$1" | awk -F '\t' -v key="$2" '$1 == key { print $2 }'
}

@test "the potential at ions of NaCl is that of the Madelung constant" {
    need_fftw
    salt
    # With this alpha, the real-space part of the nearest ion is erfc(5.64) / 2.82 = 5e-16.
    potmap --method pme -g 0.0705 --alpha 2 --order 8 --units e/A --max-charge 1 -o "$T/m.trjg" "$T/salt.trjf"
    [[ $(info "$T/m.trjg" points) == '80 80 80' ]]
    within "$(info "$T/m.trjg" max) - 4 / sqrt(3.14159265358979324)" '-1.747564594633 / 2.82' 2e-8
    within "$(mapinfo --at 2.82,0,0 "$T/m.trjg" | rows | awk '{ print $NF }')" "-($(info "$T/m.trjg" max))" 1e-9
}

# crystal NAME: writes the frame stream $T/crystal.trjf of a cell with an edge of 4 A, whose ions are at points that
# float32 represents
crystal() {
    awk -v name="$1" '
        function lattice(x, y, z, q, i) {
            for (i = 0; i < 4; i++)
                printf "ATOM %d X RES 1 %d %d %d %d 1\n", ++n, (x + (i == 2 || i == 3) * 2) % 4,
                    (y + (i == 1 || i == 3) * 2) % 4, (z + (i == 1 || i == 2) * 2) % 4, q
        }
        BEGIN {
            lattice(0, 0, 0, name == "CaF2" ? 2 : 1)
            if (name == "NaCl") lattice(2, 0, 0, -1)
            if (name == "ZnS" || name == "CaF2") lattice(1, 1, 1, -1)
            if (name == "CaF2") lattice(3, 3, 3, -1)
            if (name == "CsCl") { lattice(2, 2, 2, 1); lattice(1, 1, 1, -1); lattice(3, 3, 3, -1) }
        }' >"$T/crystal.pqr"
    trjcat --cell 4,4,4 -t "$T/crystal.pqr" --carry charge -o "$T/crystal.trjf" "$T/crystal.pqr" 2>/dev/null
}

# The highest potential is that of cations, the lowest that of anions. The energy of a formula unit times the shortest
# distance is the constant. That of CaF2 is 4 times that of ZnS less sqrt(3)/2 of that of NaCl (tests/unit/test_pme.c).
@test "four crystals: Madelung constants to 1e-8 for several alphas" {
    need_fftw
    local name anions distance constant alpha max min self
    while read -r name anions distance constant; do
        crystal "$name"
        for alpha in 3 3.6; do # with these, the real-space part of the nearest ion is less than 1e-12
            potmap --method pme -g 0.0625 --alpha $alpha --order 8 --units e/A --max-charge 2 -o "$T/m.trjg" \
                "$T/crystal.trjf"
            max=$(info "$T/m.trjg" max) min=$(info "$T/m.trjg" min)
            self=$(awk "BEGIN { printf \"%.15g\", 2 * $alpha / sqrt(3.14159265358979324) }")
            within "-$distance / 2 * $anions * ($max - $anions * $self - ($min + $self))" "$constant" 1e-8
        done
    done <<'E2'
NaCl 1 2 1.747564594633
CsCl 1 sqrt(3) 1.762674773071
ZnS 1 sqrt(3) 1.638055053389
CaF2 2 sqrt(3) 5.038784879850
E2
}

@test "the Ewald energy of cpptraj's test of 64 ions" {
    need_fftw
    local data=$SHARED/data-maps/charge
    [[ -f $data/nacl.box.parm7 ]] || skip 'no folder shared/data-maps beside the checkout'
    trjcat -t "$data/nacl.box.parm7" --carry charge "$data/nacl.box.rst7" 2>/dev/null |
        potmap --method pme -g 0.0705 --alpha 2 --order 8 --units e/A --max-charge 1 -o "$T/m.trjg"
    # cpptraj prints -6584.7751 kcal/mol, with a tolerance of 1e-6; 332.0522 is its Coulomb constant.
    within "64 / 2 * 332.0522 * ($(info "$T/m.trjg" max) - 4 / sqrt(3.14159265358979324))" -6584.7751 0.01
}

# largest EXPRESSION MAP...: prints the largest magnitude
largest() {
    mapmath "abs($1)" "${@:2}" -o "$T/largest.trjg"
    info "$T/largest.trjg" max
}

@test "the mean of three frames is that of three records with a frame each" {
    need_fftw
    random_charges x 300 3 20,22,24,70,80,100
    potmap --method pme -g 1 --units e/A --mean -o "$T/mean.trjg" "$T/x.trjf"
    potmap --method pme -g 1 --each -o "$T/each.trjg" "$T/x.trjf"
    mapsum --mean -o "$T/sum.trjg" "$T/each.trjg"
    within "$(largest 'a - b' "$T/mean.trjg" "$T/sum.trjg")" 0 4e-12
    within "$(info "$T/mean.trjg" mean)" 0 1e-12
}

@test "charges on the mesh: their sum, and the same bytes for any number of threads" {
    random_charges x 9000 3 40,42,44,70,80,100
    local order
    for order in 4 6 8; do
        potmap --method pme --dump charge --order $order -g 1.5 -j 1 -o "$T/1.trjg" "$T/x.trjf"
        TRJPIPE_ISA=plain potmap --method pme --dump charge --order $order -g 1.5 -j 3 -o "$T/3.trjg" "$T/x.trjf"
        mapsum "$T/1.trjg" --mean -o "$T/1.npy"
        mapsum "$T/3.trjg" --mean -o "$T/3.npy"
        cmp "$T/1.npy" "$T/3.npy"
        mapsum "$T/1.trjg" --mean -o "$T/m.trjg"
        within "$(info "$T/m.trjg" mean) * $(info "$T/m.trjg" values)" 0 1e-6
    done
}

@test "the full potential does not depend on alpha" {
    need_fftw
    random_charges x 60 1 12,13,14,90,100,90
    potmap --method pme --full -r 12 --alpha 0.45 -g 0.5 --units e/A -o "$T/a.trjg" "$T/x.trjf"
    potmap --method pme --full -r 10 --alpha 0.55 -g 0.5 --units e/A -o "$T/b.trjg" "$T/x.trjf"
    (($(info "$T/a.trjg" max | awk '{ print ($1 > 0.5) }')))
    within "$(largest '(a - b) / (abs(a) + 1)' "$T/a.trjg" "$T/b.trjg")" 0 2e-6
}

@test "the full potential in float64 does not depend on alpha to 1e-10" {
    need_fftw
    random_charges x 60 1 12,13,14,90,100,90
    potmap --method pme --full --exact -r 18 --alpha 0.36 -g 0.25 --units e/A -o "$T/a.trjg" "$T/x.trjf"
    potmap --method pme --full --exact -r 16 --alpha 0.4 -g 0.25 --units e/A -o "$T/b.trjg" "$T/x.trjf"
    within "$(largest '(a - b) / (abs(a) + 1)' "$T/a.trjg" "$T/b.trjg")" 0 1e-10
    fails_cleanly 2 '--exact: applies to the real-space part*add --full' potmap --method pme --exact -g 1 "$T/x.trjf"
}

# The rms error of the map, relative to the rms of the full sum: the published comparison of 1 A with order 4 and of 2 A
# with order 8.
@test "the reciprocal potential of 600 random charges: rms errors of the orders, against full sums in float64" {
    need_fftw
    need_python_module numpy
    run_python tests/helpers/pme_error.py make "$T/c.pqr"
    trjcat --cell 24,24,24 -t "$T/c.pqr" --carry charge -o "$T/c.trjf" "$T/c.pqr"
    local step order error
    while read -r step order error; do
        potmap --method pme -g "$step" --order "$order" --alpha 0.2575 --units e/A --max-charge 4 -o "$T/m.npy" \
            "$T/c.trjf" 2>/dev/null
        within "$(run_python tests/helpers/pme_error.py error "$T/c.pqr" "$T/m.npy")" "$error" "0.02 * $error"
    done <<'E2'
1 4 3.33e-5
1 6 4.31e-7
1 8 1.17e-8
2 4 8.42e-4
2 6 8.67e-5
2 8 2.09e-5
E2
}

@test "--full --exact: the real-space part in float64, compared with Ewald sums" {
    need_fftw
    random_charges x 20 1 8,9,8.5,90,100,90
    local map="potmap --method pme --full --alpha 0.5 --order 8 -r 13 -g 0.4 --units e/A"
    $map -e reference -o "$T/ewald.trjg" "$T/x.trjf"
    $map -o "$T/fast.trjg" "$T/x.trjf"
    $map --exact -o "$T/exact.trjg" "$T/x.trjf"
    (($(info "$T/ewald.trjg" max | awk '{ print ($1 > 0.5) }')))
    within "$(largest '(a - b) / (abs(a) + 1)' "$T/fast.trjg" "$T/ewald.trjg")" 0 1e-6
    within "$(largest '(a - b) / (abs(a) + 1)' "$T/exact.trjg" "$T/ewald.trjg")" 0 5e-9
    run ! within "$(largest '(a - b) / (abs(a) + 1)' "$T/fast.trjg" "$T/ewald.trjg")" 0 5e-9
}

@test "invalid input: a slab without vacuum, an odd order, no periodic cell, points" {
    need_fftw
    random_charges x 300 1 20,22,24,90,90,90
    fails 3 'vacuum' potmap --method pme -g 1 --surface slab:z "$T/x.trjf"
    fails 2 'order' potmap --method pme -g 1 --order 5 "$T/x.trjf"
    trjcat -P none -t "$T/x.pqr" --carry charge -o "$T/none.trjf" "$T/x.dcd" 2>/dev/null
    fails 3 'requires a cell that is periodic*set one with trjcat --cell' potmap --method pme -g 1 "$T/none.trjf"
    echo 1 2 3 >"$T/p.xyz"
    fails 2 --points potmap --method pme --points "$T/p.xyz" "$T/x.trjf"
}

# parameters NOTE: prints the options of the lattice and the method in a note about a tolerance
parameters() {
    sed -n 's/.*, with \(--dime .*\)/\1/p' "$1"
}

@test "--tolerance: a note gives the measured error, and options that give the same map" {
    need_fftw
    random_charges x 600 1 20,22,24,90,90,90
    local tolerance given
    for tolerance in 1e-3 1e-6; do
        potmap --method pme --tolerance $tolerance --units e/A -o "$T/a.trjg" "$T/x.trjf" 2>"$T/note"
        awk -v t=$tolerance '/^potmap: note: relative rms error of .* [0-9]+ points of the first frame, with --dime/ {
            exit !($7 <= 0.8 * t && $7 > t / 100) }' "$T/note"
        read -ra given <<<"$(parameters "$T/note")"
        potmap --method pme "${given[@]}" --units e/A -o "$T/b.trjg" "$T/x.trjf"
        [[ $(largest 'a - b' "$T/a.trjg" "$T/b.trjg") == 0 ]]
    done
}

@test "--tolerance with --full: alpha follows from the cutoff, and --exact from the error of float32" {
    need_fftw
    random_charges x 300 1 20,22,24,90,90,90
    potmap --method pme --tolerance 1e-3 --full --units e/A -o "$T/f.trjg" "$T/x.trjf" 2>"$T/note"
    grep -q -- '--alpha 0.[0-9]* --cutoff 12$' "$T/note"
    potmap --method pme --tolerance 1e-8 --full --units e/A -o "$T/f.trjg" "$T/x.trjf" 2>"$T/note"
    grep -q -- '--cutoff 12 --exact$' "$T/note"
    # A large charge: the rounding errors of the mesh also exceed their share, and those of float32 must not hide this.
    mkdcd --atoms 40 --frames 1 --cell 15,14.3,13.7,75.3,98.4,77.9 >"$T/x.dcd"
    awk 'BEGIN {
        for (i = 1; i <= 40; i++)
            printf "ATOM  %5d  O   WAT  %4d    %8.3f%8.3f%8.3f %7.4f %6.4f\n", i, i, 0, 0, 0, \
                i == 1 ? -5 : sin(i * i), 1
    }' >"$T/x.pqr"
    trjcat -t "$T/x.pqr" --carry charge -o "$T/y.trjf" "$T/x.dcd" 2>/dev/null
    potmap --method pme --tolerance 1e-10 --full --units e/A -o "$T/f.trjg" "$T/y.trjf" 2>"$T/note"
    grep -q ' error of [0-9.]*e-11 .* --exact$' "$T/note"
}

@test "--tolerance: values out of range or out of reach, and options of the lattice, are rejected" {
    need_fftw
    random_charges x 60 1 20,22,24,90,90,90
    fails 2 'invalid tolerance' potmap --method pme --tolerance 0.5 "$T/x.trjf"
    fails 2 'tolerance chooses the mesh' potmap --method pme --tolerance 1e-4 --dime 10,10,10 "$T/x.trjf"
    fails 2 'use a larger tolerance' potmap --method pme --tolerance 1e-10 --order 4 --alpha 1 "$T/x.trjf"
}

@test "an alpha for which the reciprocal part is almost 0: --tolerance names it, and the mesh is not called coarse" {
    need_fftw
    random_charges x 60 1 20,22,24,90,90,90
    fails 2 'the reciprocal part is almost 0 for alpha 0.01 1/' \
        potmap --method pme --tolerance 1e-3 --alpha 0.01 "$T/x.trjf"
    potmap --method pme --alpha 0.01 --grid 1 --units e/A -o "$T/x.trjg" "$T/x.trjf" 2>"$T/note"
    run ! grep coarse "$T/note"
}

@test "--tolerance: without charges in the first frame, the note states that the error is not measured" {
    need_fftw
    random_charges x 60 2 20,22,24,90,90,90
    trjcat -t "$T/x.pqr" --carry charge -g 'none=(within 0.001 of index 0) and (not index 0)' -o "$T/e.trjf" "$T/x.dcd"
    for full in '' --full; do
        potmap --method pme --tolerance 1e-3 $full --of none --units e/A -o "$T/e.trjg" "$T/e.trjf" 2>"$T/note"
        grep -qE 'rms error of [1-9.]+e-0[4-9] expected for random charges, because the first frame has no charges, with' \
            "$T/note"
    done
}

@test "--tolerance with a cutoff far beyond the cell: the message of the real-space part, without sums over all images" {
    need_fftw
    random_charges x 60 1 20,22,24,90,90,90
    fails 3 'images of an atom could reach the lattice' \
        potmap --method pme --tolerance 1e-3 --full --alpha 1 --cutoff 100000 "$T/x.trjf"
}

@test "--dime divides the cell for the method pme, also with --fractional" {
    need_fftw
    random_charges x 60 1 20,22,24,90,100,90
    potmap --method pme --dime 20,22,24 --units e/A -o "$T/a.trjg" "$T/x.trjf"
    potmap --method pme -g 1 --units e/A -o "$T/b.trjg" "$T/x.trjf"
    [[ $(largest 'a - b' "$T/a.trjg" "$T/b.trjg") == 0 ]]
    potmap --method pme --dime 20,22,24 --fractional --units e/A -o "$T/b.trjg" "$T/x.trjf"
    [[ $(largest 'a - b' "$T/a.trjg" "$T/b.trjg") == 0 ]]
    fails 2 'leave out the other options of the lattice' potmap --method pme --dime 9,9,9 --pad 3 "$T/x.trjf"
    trjcat -P none -t "$T/x.pqr" --carry charge -o "$T/none.trjf" "$T/x.dcd" 2>/dev/null
    fails 3 'requires a cell that is periodic' potmap --method pme --dime 9,9,9 "$T/none.trjf"
}

@test "reciprocal parts with different alpha are different quantities, which mapsum does not add" {
    need_fftw
    random_charges x 60 1 20,22,24,90,90,90
    potmap --method pme -g 1 --alpha 0.3 -o "$T/a.trjg" "$T/x.trjf"
    potmap --method pme -g 1 --alpha 0.4 -o "$T/b.trjg" "$T/x.trjf"
    [[ $(info "$T/a.trjg" quantity) == 'reciprocal part of the electrostatic potential, alpha 0.3 1/A' ]]
    fails 3 'expected the quantity' mapsum -o "$T/sum.trjg" "$T/a.trjg" "$T/b.trjg"
    potmap --method pme --full -g 1 --alpha 0.3 -o "$T/a.trjg" "$T/x.trjf"
    [[ $(info "$T/a.trjg" quantity) == 'electrostatic potential' ]]
}
