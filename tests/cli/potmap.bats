#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# potmap: potentials of charges at points and on lattices agree with closed forms and sums in float64; units, means,
# and errors.
load helper

# charges LINE...: writes $T/q.pqr with an atom for each line "X Y Z CHARGE RADIUS", and its frame stream $T/q.trjf
charges() {
    local i=0 line
    for line; do
        # shellcheck disable=SC2086 # the words of the line
        printf 'ATOM  %5d  C   RES     1    %8.3f%8.3f%8.3f %7.4f %6.4f\n' $((++i)) $line
    done >"$T/q.pqr"
    trjcat -P none -t "$T/q.pqr" --carry charge,radius -o "$T/q.trjf" "$T/q.pqr" 2>/dev/null
}

# at X Y Z OPTION...: prints the potential at a point
at() {
    echo "$1 $2 $3" >"$T/p.xyz"
    potmap --points "$T/p.xyz" "${@:4}" "$T/q.trjf" 2>/dev/null | rows | cut -f 4
}

# near VALUE EXPRESSION: a number agrees with an awk expression to 1e-6 of it
near() {
    awk -v a="$1" "BEGIN { b = $2; d = a - b; if (d < 0) d = -d; m = b < 0 ? -b : b; exit !(d <= 1e-6 * m) }" ||
        { echo "$1 is not $2"; return 1; }
}

@test "one charge: q/r in every unit, with every Coulomb constant" {
    charges '1 2 3 -0.5 1.5'
    near "$(at 4 6 3 --method direct --units e/A)" '-0.5 / 5'
    near "$(at 4 6 3 --method direct --units kcal/mol/e)" '-332.06371 * 0.1'
    near "$(at 4 6 3 --method direct --units kcal/mol/e --coulomb amber)" '-18.2223 ^ 2 * 0.1'
    near "$(at 4 6 3 --method direct --units kcal/mol/e --coulomb charmm)" '-332.0716 * 0.1'
    near "$(at 4 6 3 --method direct --units kcal/mol/e --coulomb namd)" '-332.0636 * 0.1'
    near "$(at 4 6 3 --method direct --units kJ/mol/e --coulomb gromacs)" '-1389.35458 * 0.1'
    near "$(at 4 6 3 --method direct --units V)" '-14.3996455 * 0.1'
    near "$(at 4 6 3 --method direct -T 300)" '-0.1 * 332.06371 * 4.184 / (8.31446261815324e-3 * 300)'
    near "$(at 4 6 3 --method direct --units e/A --dielectric 4)" '-0.1 / 4'
    near "$(at 4 6 3 --method direct --units e/A --dielectric 4r)" '-0.1 / 20'
    near "$(at 4 6 3 --method direct --units e/A --exact)" '-0.1'
}

@test "softening: plummer, gauss and clip; without it, a point on an atom is an error" {
    charges '0 0 0 1 1.5'
    near "$(at 3 0 0 --method direct --units e/A --soften plummer:4)" '1 / 5'
    near "$(at 0 0 0 --method direct --units e/A --soften plummer:4)" '1 / 4'
    near "$(at 0 0 1 --method direct --units e/A --soften clip:2)" '1 / 2'
    near "$(at 0 0 4 --method direct --units e/A --soften clip:2)" '1 / 4'
    # erf(1) = 0.84270079
    near "$(at 0 2 0 --method direct --units e/A --soften gauss:1.414213562373095)" '0.8427007929497149 / 2'
    near "$(at 0 0 0 --method direct --units e/A --soften gauss:2)" 'sqrt(2 / 3.14159265358979) / 2'
    echo 0 0 0 >"$T/p.xyz"
    fails 3 'atom 0*--soften' potmap --method direct --points "$T/p.xyz" "$T/q.trjf"
}

@test "mdh with softening: plummer and clip replace r in the exponential, too; gauss replaces only 1/r" {
    charges '0 0 0 2 1.5'
    local exact factor='2 / 78.54 / (1 + 1.5 / 8)'
    for exact in '' --exact; do
        local mdh=(--method mdh --units e/A --debye 8 --inside ok ${exact:+"$exact"})
        near "$(at 3 0 0 "${mdh[@]}" --soften plummer:4)" "$factor * exp(-(5 - 1.5) / 8) / 5"
        near "$(at 0 0 0 "${mdh[@]}" --soften plummer:4)" "$factor * exp(-(4 - 1.5) / 8) / 4"
        near "$(at 0 0 9 "${mdh[@]}" --soften plummer:12)" "$factor * exp(-(15 - 1.5) / 8) / 15"
        near "$(at 0 0 1 "${mdh[@]}" --soften clip:4)" "$factor * exp(-(4 - 1.5) / 8) / 4"
        near "$(at 0 0 6 "${mdh[@]}" --soften clip:4)" "$factor * exp(-(6 - 1.5) / 8) / 6"
        near "$(at 0 2 0 "${mdh[@]}" --soften gauss:1.414213562373095)" \
            "$factor * exp(-(2 - 1.5) / 8) * 0.8427007929497149 / 2"
    done
}

@test "mdh: the closed form of one ion; without screening, the potential of the method direct" {
    charges '0 0 0 2 1.5'
    # The Bjerrum length is 7.1354 Å in water of 298.15 K, and the Debye length of 0.15 mol/l 7.857 Å.
    near "$(at 6 0 0 --method mdh --units e/A --debye 8)" '2 / 78.54 * exp(-4.5 / 8) / (1 + 1.5 / 8) / 6'
    near "$(at 6 0 0 --method mdh --units e/A --debye 8 --dielectric 1)" '2 * exp(-4.5 / 8) / (1 + 1.5 / 8) / 6'
    near "$(at 6 0 0 --method mdh --units e/A --ions 1:0:2,-1:0:2)" '2 / 78.54 / 6'
    l=$(at 6 0 0 --method mdh --units e/A --ions 1:0.15:2.0,-1:0.15:2.0)
    awk -v v="$l" 'BEGIN { k = 1 / 7.8566; w = 2 / 78.54 * exp(-4.5 * k) / (1 + 1.5 * k) / 6
                           d = v / w - 1; exit !(d < 1e-4 && d > -1e-4) }'
    echo 1 0 0 >"$T/p.xyz"
    fails 3 'within the radius*--inside ok' potmap --method mdh --debye 8 --points "$T/p.xyz" "$T/q.trjf"
    near "$(at 1 0 0 --method mdh --units e/A --debye 8 --dielectric 1 --inside ok)" \
        '2 * exp(0.5 / 8) / (1 + 1.5 / 8)'
}

@test "lattices: a box about the atoms, a box of --dime, and an origin with steps" {
    charges '1 2 3 1 1' '5 2 3 -1 1'
    potmap --method direct --around --grid 2.5 --pad 5 -o "$T/a.trjg" "$T/q.trjf" 2>/dev/null
    mapinfo "$T/a.trjg" | has '^points	7 5 5$'
    potmap --method direct --dime 9,8,7 --pad 4 -o "$T/b.trjg" "$T/q.trjf" 2>/dev/null
    mapinfo "$T/b.trjg" | has '^points	9 8 7$'
    mapinfo --at 3,2,3.0001 "$T/a.trjg" >/dev/null || true
    potmap --method direct --dime 5,5,5 --glen 8,8,8 --center 3,2,9 -o "$T/c.trjg" "$T/q.trjf" 2>/dev/null
    mapinfo "$T/c.trjg" | has '^origin	-1 -2 5$'
    potmap --method direct --origin -1,-2,5 --dime 5,5,5 --steps 2,2,2 -o "$T/d.trjg" "$T/q.trjf" 2>/dev/null
    mapconv -o "$T/c.npy" "$T/c.trjg" 2>/dev/null
    mapconv -o "$T/d.npy" "$T/d.trjg" 2>/dev/null
    same "$T/c.npy" "$T/d.npy"
}

@test "--charges: RESIDUE:ATOM takes precedence over the name of an atom, and this over an element" {
    printf 'ATOM %d %s %s 1 %d 0 0 0 1\n' 1 OD1 ASP 0 2 OD1 ASN 4 3 C ASN 8 >"$T/table.pqr"
    trjcat -P none -t "$T/table.pqr" --carry name,resname -o "$T/names.trjf" "$T/table.pqr" 2>/dev/null
    printf '# e\nASP:OD1 -0.8 # of this residue\nOD1 -0.5\n\nC 0.25\n' >"$T/charges"
    printf 'ATOM %d C C 1 %d 0 0 %s 1\n' 1 0 -0.8 2 4 -0.5 3 8 0.25 >"$T/same.pqr"
    trjcat -P none -t "$T/same.pqr" --carry charge -o "$T/same.trjf" "$T/same.pqr" 2>/dev/null
    local at=(--origin "-3,1,1" --dime "6,5,4" --steps "2,0.9,0.9")
    potmap --method direct "${at[@]}" --charges "$T/charges" -o "$T/a.dx" "$T/names.trjf" 2>/dev/null
    potmap --method direct "${at[@]}" -o "$T/b.dx" "$T/same.trjf" 2>/dev/null
    cmp "$T/a.dx" "$T/b.dx"
    # OpenDX and cube files contain the error bound in a comment.
    local bound
    bound=$(potmap --method direct "${at[@]}" --mean "$T/same.trjf" --to trjg 2>/dev/null | mapinfo - |
        awk '$1 == "error_bound" { printf "%.3g", 1.005 * $2 }')
    grep -q "^# .*; error bound before rounding $bound\$" "$T/a.dx"
    potmap --method direct "${at[@]}" -o "$T/b.cube" "$T/same.trjf" 2>/dev/null
    sed -n 2p "$T/b.cube" | has "; error bound before rounding $bound\$"
}

@test "faces: the values of the whole map on the six faces, and 0 inside" {
    charges '1 2 3 1 1' '5 2 3 -1 1' '3 3 4 0.4 1.5'
    lattice=(--method mdh --debye 8 --dime "9,8,7" --pad 6)
    potmap "${lattice[@]}" --inside ok -o "$T/whole.npy" "$T/q.trjf" 2>/dev/null
    potmap "${lattice[@]}" --faces --stats -o "$T/faces.npy" "$T/q.trjf" 2>"$T/stats"
    has '1 frames of 3 atoms at 294 points' "$T/stats" # 9 * 8 * 7 - 7 * 6 * 5
    potmap "${lattice[@]}" --inside ok --stats -o "$T/all.npy" "$T/q.trjf" 2>"$T/stats"
    has '1 frames of 3 atoms at 504 points' "$T/stats"
    need_python_module numpy
    run_python -c "
import numpy
whole, faces = numpy.load('$T/whole.npy'), numpy.load('$T/faces.npy')
assert abs(faces[1:-1, 1:-1, 1:-1]).max() == 0
whole[1:-1, 1:-1, 1:-1] = 0
assert abs(whole).max() > 0 and abs(whole - faces).max() <= 1e-6 * abs(whole).max()"
}

# in_cell ATOMS CELL: writes two frames of charges at random positions, a net charge among them, as a frame stream
# $T/q.trjf and as text $T/x.txt
in_cell() {
    mkdcd --atoms "$1" --frames 2 --cell "$2" >"$T/a.dcd"
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
        printf "ATOM  %5d  C   RES     1    %8.3f%8.3f%8.3f %7.4f %6.4f\n", i + 1, 0, 0, 0, \
            (i * 7 % 13 - 6) / 10, 1 }' \
        >"$T/a.pqr"
    trjcat -t "$T/a.pqr" --carry charge -o "$T/q.trjf" "$T/a.dcd" 2>/dev/null
    run_python tests/helpers/decode_frames.py "$T/q.trjf" >"$T/x.txt"
}

@test "cells of every shape: direct, cutoff, and the parts of Ewald sums agree with sums in float64 at random points" {
    need_python_module numpy
    local cell
    for cell in 17,19,21,90,90,90 17,19,21,90,105,90 17,19,21,70,80,65 18,18,21,90,90,120 \
        20,20,20,109.4712206,109.4712206,109.4712206 20,20,20,60,60,90; do
        in_cell 90 "$cell"
        check() { # BOUND KIND PARAMETER OPTION...: the bound, method and parameter of potential.py
            potmap -e cpu --units e/A -o "$T/x.npy" "${@:4}" "$T/q.trjf" 2>/dev/null
            # shellcheck disable=SC2086 # no parameter
            run_python tests/helpers/potential.py "$T/x.txt" "$T/x.npy" "$1" "$2" $3
        }
        check 1e-6 direct '' --method direct -g 1.1
        check 1e-6 cutoff 13 --method cutoff -k rodrigues -r 13 -g 1.1
        ! potmap --version | has 'FFTW *[0-9]' || {
            check 3e-8 pme 0.27 --method pme --alpha 0.27 --max-charge 1 -g 0.9
            check 3e-8 full 0.33 --method pme --full --exact --alpha 0.3 -r 20 --max-charge 1 -g 0.8
        }
    done
}

@test "a lattice of a skew cell: agrees with sums in float64; the same bytes for any number of threads and engine" {
    need_python_module numpy
    in_cell 300 17,19,21,70,80,65
    steps=1.3,0.2,0,0.1,1.9,0.3,0,0.2,1.1
    potmap -e cpu --method direct --origin -3,2,1 --dime 17,9,11 --steps $steps --units e/A -o "$T/x.npy" "$T/q.trjf" \
        2>/dev/null
    run_python tests/helpers/potential.py "$T/x.txt" "$T/x.npy" 1e-6 direct
    for options in '-j 1' '-j 3' '--each'; do
        # shellcheck disable=SC2086 # options are words
        potmap -e cpu --method direct --origin -3,2,1 --dime 17,9,11 --steps $steps $options "$T/q.trjf" 2>/dev/null |
            mapsum --mean - | mapconv --to npy -o "$T/y.npy" - 2>/dev/null
        same "$T/x.npy" "$T/y.npy"
    done
}

@test "means, standard errors and one file for each frame" {
    # A charge that moves along x in four frames.
    for x in 1 2 4 3; do printf '1\n\nNA %s 2 3\n' $x; done >"$T/m.xyz"
    charges '1 2 3 1 1'
    trjcat -P none -t "$T/q.pqr" --carry charge -o "$T/q.trjf" "$T/m.xyz" 2>/dev/null
    lattice=(--method direct --origin "6,3,3" --dime "4,4,4" --steps "1,1,1")
    potmap "${lattice[@]}" -o "$T/f.%02d.dx" "$T/q.trjf" 2>/dev/null
    [[ -s $T/f.03.dx && ! -e $T/f.04.dx ]]
    potmap "${lattice[@]}" --units kT/e -B 1 --stderr-map "$T/e.npy" -o "$T/m.npy" "$T/q.trjf" 2>/dev/null
    potmap "${lattice[@]}" "$T/q.trjf" 2>/dev/null | mapinfo - | has '^unit	e/A'
    echo 7 3 5 >"$T/p.xyz"
    points=(potmap --method direct --points "$T/p.xyz" "$T/q.trjf")
    "${points[@]}" --each 2>/dev/null | rows | cut -f 4 >"$T/each"
    "${points[@]}" -B 1 2>/dev/null | rows | cut -f 4,5 >"$T/mean"
    awk 'NR == FNR { n++; s += $1; q += $1 ^ 2; next }
         { m = s / n; e = sqrt((q / n - m ^ 2) / (n - 1)); a = $1 / m - 1; b = $2 / e - 1
           exit !(n == 4 && a ^ 2 < 1e-16 && b ^ 2 < 1e-7) }' "$T/each" "$T/mean"
    near "$(sed -n 3p "$T/each")" '332.0637133 * 4.184 / (8.31446261815324e-3 * 298.15) / sqrt(9 + 1 + 4)'
    need_python_module numpy
    run_python -c "
import numpy
frames = [[float(word) for line in open('$T/f.%02d.dx' % i) if line[0] in '-0123456789' for word in line.split()]
          for i in range(4)]
mean, error = numpy.load('$T/m.npy').reshape(-1), numpy.load('$T/e.npy').reshape(-1)
frames = numpy.array(frames)
assert abs(frames.mean(0) / mean - 1).max() < 1e-6
assert abs(frames.std(0, ddof=1) / 2 / error - 1).max() < 1e-4"
}

@test "options that contradict one another, and streams without charges: errors with a remedy" {
    charges '1 2 3 1 1'
    local x=$T/q.trjf
    fails 2 'no method: give --method direct' potmap # before it waits for input
    fails_cleanly 2 'no method: give --method direct' potmap --around -g 1 "$x"
    fails_cleanly 2 'no points: give a lattice with --grid' potmap --method direct "$x"
    fails_cleanly 2 '--ions and --debye: cannot be combined with --method direct' \
        potmap --method direct --debye 8 --around -g 1 "$x"
    fails_cleanly 2 'requires the ions of the solvent' potmap --method mdh --around -g 1 "$x"
    fails_cleanly 2 'the ions have a charge of 0.15 e mol/l in all' \
        potmap --method mdh --ions 1:0.15:2 --around -g 1 "$x"
    fails_cleanly 2 '--ions' potmap --method mdh --ions 1:0.15 --around -g 1 "$x"
    fails_cleanly 2 "--soften: invalid value 'plummer'" potmap --method direct --soften plummer --around -g 1 "$x"
    fails_cleanly 2 "--dielectric: invalid value '0'" potmap --method direct --dielectric 0 --around -g 1 "$x"
    fails_cleanly 2 'no cell that is periodic' potmap --method direct -g 1 "$x"
    fails_cleanly 2 '--around requires the steps' potmap --method direct --around "$x"
    fails_cleanly 2 '--pad is for the box' potmap --method direct --pad 3 --like "$T/a.dx" "$x"
    fails_cleanly 3 'the charge 1 e exceeds the largest charge, 0.5 e' \
        potmap --method direct --max-charge 0.5 --around -g 1 "$x"
    trjcat -P none "$T/q.pqr" -o "$T/none.trjf" 2>/dev/null
    fails_cleanly 3 '--carry charge' potmap --method direct --around -g 1 "$T/none.trjf"
    echo 'a b c' >"$T/p.xyz"
    fails 3 "p.xyz: line 1: 'a' is not a coordinate" potmap --method direct --points "$T/p.xyz" "$x"
    printf '2\n\nA 1 2 3\n' >"$T/p.xyz"
    fails 3 'the file ends after 1 of 2 points' potmap --method direct --points "$T/p.xyz" "$x"
}

@test "cutoff: closed forms of one charge, also beyond half of the cell; energies and numbers of atoms" {
    printf 'CRYST1   10.000   11.000   12.000  90.00  90.00  90.00 P 1           1\n%s\n' \
        'ATOM      1  C   RES     1       1.000   2.000   3.000  0.5000 1.5000' >"$T/q.pqr"
    trjcat -t "$T/q.pqr" --cell 10,11,12 --carry charge -o "$T/q.trjf" "$T/q.pqr" 2>/dev/null
    value() { # KERNEL CUTOFF: the value at 4, 6, 3
        potmap --method cutoff --kernel "$1" -r "$2" --mean --units e/A --origin 4,6,3 --dime 1,1,1 --steps 1,1,1 \
            "${@:3}" "$T/q.trjf" 2>/dev/null | mapinfo - | sed -n 's/^mean	//p'
    }
    near "$(at 4 6 3 --method cutoff --kernel rodrigues -r 6 --units e/A)" '0.5 * (1 - 25 / 36) ^ 2 / 5'
    near "$(value rodrigues 6)" '0.5 * (1 - 25 / 36) ^ 2 / 5'
    near "$(value shift 6)" '0.5 * (1 / 5 - 2 / 6 + 5 / 36)'
    near "$(value rf:78.5 6)" '0.5 * (1 / 5 + 77.5 / 158 / 216 * 25 - 3 * 78.5 / 158 / 6)'
    near "$(value yukawa:0.1 6)" '0.5 * exp(-0.5) / 5'
    near "$(value erfc:0.2 6)" '0.5 * 0.15729920705028513 / 5'
    # The cell is 11 Angstrom long along y: an image is at a distance of sqrt(9 + 49) Angstrom.
    near "$(value shift 7.7)" '0.5 * (1 / 5 - 4 / 7.7 + (5 + sqrt(58)) / 7.7 ^ 2 + 1 / sqrt(58))'
    potmap --method cutoff --kernel count -r 7.7 --origin 4,6,3 --dime 1,1,1 --steps 1,1,1 "$T/q.trjf" 2>/dev/null |
        mapinfo - >"$T/info"
    grep -q '^mean	2$' "$T/info"
    grep -q '^quantity	number of atoms within the cutoff$' "$T/info"
    fails_cleanly 2 'give --kernel and --cutoff' potmap --method cutoff -r 8 -g 1 "$T/q.trjf"
    fails_cleanly 2 '--temperature: the values are not an electrostatic potential' \
        potmap --method cutoff --kernel count -r 8 -g 1 --units V "$T/q.trjf"
}

@test "cutoff: more images of atoms than memory can hold are an error before they are computed" {
    mkdcd --atoms 3000 --frames 1 --cell 30,30,30 | trjcat -o "$T/many.trjf" - 2>/dev/null
    fails_cleanly 3 'about 7.27e+09 images of atoms reach the lattice*use a shorter cutoff' \
        potmap -e cpu --method cutoff --kernel count -r 2000 -g 10 "$T/many.trjf"
    fails_cleanly 3 'images of an atom could reach the lattice' \
        potmap -e cpu --method cutoff --kernel count -r 9000 -g 10 "$T/many.trjf"
}

@test "pme: a Gaussian charge, the choice of a tolerance, and the charges on the mesh" {
    potmap --version | has FFTW || skip 'this build lacks FFTW'
    printf 'CRYST1   20.000   21.000   22.000  90.00  90.00  90.00 P 1           1\n%s\n%s\n' \
        'ATOM      1  C   RES     1       1.000   2.000   3.000  0.5000 1.5000' \
        'ATOM      2  C   RES     1       9.000  12.000  14.000 -0.5000 1.5000' >"$T/q.pqr"
    trjcat -t "$T/q.pqr" --cell 20,21,22 --carry charge -o "$T/q.trjf" "$T/q.pqr" 2>/dev/null
    potmap --method pme -g 1 --dump charge "$T/q.trjf" | mapinfo - >"$T/info"
    grep -q '^unit	e$' "$T/info"
    grep -q '^quantity	charge on the mesh$' "$T/info"
    # The full potential does not depend on alpha, nor does the reciprocal one on the order of fine meshes.
    for alpha in 0.25 0.3; do
        potmap --method pme --full --alpha $alpha -r 20 -g 0.7 --units e/A -o "$T/$alpha.npy" "$T/q.trjf" 2>/dev/null
    done
    mapmath 'abs(a - b)' "$T/0.25.npy" "$T/0.3.npy" -o "$T/d.npy" 2>/dev/null
    mapinfo "$T/d.npy" | awk '$1 == "max" { exit !($2 < 2e-7) }'
    potmap --method pme --tolerance 1e-5 --units e/A -o "$T/t.npy" "$T/q.trjf" 2>"$T/err"
    grep -q 'relative rms error .* points of the first frame' "$T/err"
    fails_cleanly 2 '--cutoff: applies to the real-space part' potmap --method pme -r 10 -g 1 "$T/q.trjf"
    fails_cleanly 2 "--surface: invalid value 'slab:w'" potmap --method pme --surface slab:w -g 1 "$T/q.trjf"
    fails_cleanly 2 '--order: invalid value 5: expected 4, 6 or 8' potmap --method pme --order 5 -g 1 "$T/q.trjf"
}

@test "--apbs: APBS solves each frame as with its own boundary condition mdh, and the energy of the Born ion" {
    need apbs
    need_shared
    charge=$SHARED/data-maps/charge
    [[ -d $charge ]] || skip 'no folder shared/data-maps'
    template() { # NAME EXTRA
        printf '%s\n' "read mol pqr $1.pqr end" 'elec name s mg-manual' "$2" 'mol 1 lpbe bcfl mdh' \
            'ion charge 1 conc 0.15 radius 2.0' 'ion charge -1 conc 0.15 radius 2.0' \
            'pdie 1.0 sdie 78.54 chgm spl2 srfm smol srad 1.4 swin 0.3 sdens 10.0 temp 298.15' \
            'calcenergy total calcforce no write pot dx pot end' 'print elecEnergy s end' quit
    }
    cp "$charge/1a63.pqr" "$charge/ion.pqr" "$T"
    cd "$T"
    for name in 1a63 ion; do
        extra='dime 65 65 65 glen 80 80 80 gcent mol 1'
        [[ $name == 1a63 ]] || extra='dime 65 65 65 glen 20 20 20 gcent mol 1'
        template $name "$extra" >$name.in
        trjcat -P none -t $name.pqr --carry charge,radius $name.pqr 2>/dev/null |
            potmap --method mdh --apbs $name.in -o "$name.%02d"
        apbs $name.in >$name.own 2>&1
        mv pot*.dx own.dx
        apbs $name.00.in >$name.ours 2>&1
        mv pot*.dx ours.dx
        # The largest difference, relative to the largest potential.
        paste own.dx ours.dx | awk -v name=$name '/^[-0-9]/ {
            for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d < 0) d = -d; if (d > most) most = d
                v = $i < 0 ? -$i : $i; if (v > large) large = v } }
            END { if (!(large > 1 && most <= 1e-7 * large)) { print name, most, large; exit 1 } }'
        energy=$(sed -n 's/.*Global net ELEC energy = \([^ ]*\) .*/\1/p' $name.ours)
        near "$energy" "$(sed -n 's/.*Global net ELEC energy = \([^ ]*\) .*/\1/p' $name.own)"
    done
}

# deviation A B: prints the rms of A - B, relative to that of A
deviation() {
    local map rms=()
    mapmath 'a - b' "$1" "$2" -o "$T/difference.trjg"
    for map in "$T/difference.trjg" "$1"; do
        mapmath 'a * a' "$map" -o "$T/square.trjg"
        rms+=("$(mapinfo "$T/square.trjg" | awk -F '\t' '$1 == "mean" { print sqrt($2) }')")
    done
    awk -v d="${rms[0]}" -v all="${rms[1]}" 'BEGIN { print d / all }'
}

@test "fast: the map of direct, to the tolerance, also for charges outside of a skew lattice" {
    has 'FFTW *[0-9]' <(potmap --version) || skip 'built without FFTW'
    random_charges q 500 3 20,20,20
    local lattice tolerance
    for lattice in '--origin -5.01,-5,-5 --dime 31,31,31 --steps 1,1,1' \
        '--origin 3,4,5 --dime 9,13,11 --steps 0.9,0.1,0,-0.2,0.8,0,0.1,0.1,1'; do
        # shellcheck disable=SC2086 # several options
        potmap --method direct --exact $lattice --units e/A --dielectric 2 -o "$T/direct.trjg" "$T/q.trjf" 2>/dev/null
        for tolerance in 1e-3 1e-6; do
            # shellcheck disable=SC2086
            potmap --method fast --tolerance $tolerance $lattice --units e/A --dielectric 2 -o "$T/fast.trjg" \
                "$T/q.trjf" 2>"$T/note"
            has 'relative rms deviation from direct sums' "$T/note"
            awk -v d="$(deviation "$T/direct.trjg" "$T/fast.trjg")" -v t=$tolerance 'BEGIN { exit !(d > 0 && d < t) }'
        done
    done
}

@test "fast: the same map for any number of threads and from the engine reference; invalid input" {
    has 'FFTW *[0-9]' <(potmap --version) || skip 'built without FFTW'
    random_charges q 300 2 20,20,20
    local lattice=(--origin "-5.01,-5,-5" --dime "20,20,20" --steps "1.5,1.5,1.5" --units e/A)
    potmap --method fast -j 1 "${lattice[@]}" -o "$T/1.npy" "$T/q.trjf" 2>/dev/null
    potmap --method fast -j 3 "${lattice[@]}" -o "$T/3.npy" "$T/q.trjf" 2>/dev/null
    cmp "$T/1.npy" "$T/3.npy"
    potmap --method fast "${lattice[@]}" -o "$T/a.trjg" "$T/q.trjf" 2>/dev/null
    potmap --method fast -e reference "${lattice[@]}" -o "$T/b.trjg" "$T/q.trjf" 2>/dev/null
    awk -v d="$(deviation "$T/a.trjg" "$T/b.trjg")" 'BEGIN { exit !(d < 1e-6) }'
    fails 2 '--tolerance: invalid value 1e-12: expected 1e-09' \
        potmap --method fast --tolerance 1e-12 "${lattice[@]}" "$T/q.trjf"
    fails 2 '--fractional' potmap --method fast --fractional -g 1 "$T/q.trjf"
    fails 2 '--soften: cannot be combined' potmap --method fast --soften clip:1 "${lattice[@]}" "$T/q.trjf"
    fails 2 'requires --method direct' potmap --method fast --dielectric 4r "${lattice[@]}" "$T/q.trjf"
    echo 1 2 3 >"$T/p.xyz"
    fails 2 'requires --method direct' potmap --method fast --points "$T/p.xyz" "$T/q.trjf"
    fails 3 'use --method direct' \
        potmap --method fast --origin 0.01,0,0 --dime 9,9,9 --steps 0.01,0.01,0.01 "$T/q.trjf"
    charges '1 2 3 -0.5 1.5'
    fails 3 'atom 0*the potential is infinite' \
        potmap --method fast --origin 1,2,3 --dime 9,9,9 --steps 1,1,1 "$T/q.trjf"
}
