#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# densmap: counts equal those of numpy and MDAnalysis, and densities equal sums in float64; the bytes do not depend on
# the number of threads or on the division of the frames; weights, results, and errors.
load helper

# stream CELL [OPTION...]: writes $T/x.trjf, a stream of random atoms
stream() {
    mkdcd --atoms 300 --frames 3 --cell "$@" | trjcat - 2>/dev/null >"$T/x.trjf"
}

# numpy_agrees KERNEL [WIDTH]: compares $T/x.npy with the frames of $T/x.trjf
numpy_agrees() {
    run_python tests/helpers/decode_frames.py "$T/x.trjf" >"$T/x.txt"
    run_python tests/helpers/density.py "$1" "$T/x.txt" "$T/x.npy" "${@:2}"
}

# to_numpy OPTION...: writes the mean of the raw sums to $T/x.npy
to_numpy() {
    densmap -e cpu -o "$T/x.trjg" "$@" "$T/x.trjf"
    mapconv --totals -o "$T/x.npy" "$T/x.trjg" 2>/dev/null
}

# values FILE: prints the values of a map, and the totals of a map that has them. The file may be -.
values() {
    local file=$1
    [ "$file" != - ] || { file=$T/stdin.trjg && cat >"$file"; }
    mapconv --totals --to npy -o "$T/values.npy" "$file" 2>/dev/null ||
        mapconv --to npy -o "$T/values.npy" "$file" 2>/dev/null
    tail -c +129 "$T/values.npy" | od -An -v -t f8 -w8
}

# The atoms of a fixed small system, with elements.
system() {
    cat >"$T/a.pdb" <<'END'
CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1
ATOM      1  C   ALA A   1       5.000   5.000   5.000  1.00  0.00           C
ATOM      2  O   ALA A   1      12.000   5.000   5.000  1.00  0.00           O
ATOM      3  S   ALA A   1       5.000  12.000  12.000  1.00  0.00           S
END
    trjcat -t "$T/a.pdb" "$@" "$T/a.pdb" 2>/dev/null
}

cells() {
    printf '%s\n' 17,17,17 12,15,19 16,17,18,70,80,65 17,17,17,70.53,109.47,70.53 17,17,17,60,60,90
}

@test "counts in cubic, orthorhombic and triclinic cells: those of numpy" {
    need_python_module numpy
    local cell
    while read -r cell; do
        stream "$cell"
        to_numpy -g 1.1
        [[ $(numpy_agrees count) == 'counts 900' ]]
    done < <(cells)
}

@test "counts in cells that change, at fractional points: those of numpy" {
    need_python_module numpy
    local cell
    while read -r cell; do
        stream "$cell" --breathe 0.05
        to_numpy -g 1.1 --fractional
        [[ $(numpy_agrees count) == 'counts 900' ]]
    done < <(cells)
}

@test "atoms on the borders of cells: counted in the bins of numpy" {
    need_python_module numpy
    # Multiples of 0.05 and 1/8, in steps of 0.1 and 0.25: many are on borders; some of these are not exact in float32.
    awk "$AWK_RANDOM"'BEGIN { seed = 3; n = 20000; print n "\n"
        for (i = 0; i < n; i++) { f = i % 2 ? 0.05 : 0.125
            printf "O %.3f %.3f %.3f\n", f * int(random() * 200) - 2, f * int(random() * 200), f * int(random() * 200) } }' >"$T/x.xyz"
    local size
    for size in 10,10,10 30,30,30 12.3,10.1,17; do
        trjcat --cell "$size" "$T/x.xyz" 2>/dev/null >"$T/x.trjf"
        to_numpy -g 0.1
        [[ $(numpy_agrees count) == 'counts 20000' ]]
        to_numpy -g 0.25
        [[ $(numpy_agrees count) == 'counts 20000' ]]
    done
    trjcat -P none "$T/x.xyz" 2>/dev/null >"$T/x.trjf"
    to_numpy --origin=-0.7,0.3,1.1 --points 70,80,90 --steps 0.1,0.1,0.1
    numpy_agrees count
    to_numpy --origin=-0.7,0.35,1.15 --points 70,80,90 --steps 0.1,0.07,0.1
    numpy_agrees count
}

@test "counts of water: those of MDAnalysis" {
    need_python_module numpy MDAnalysis
    local water=examples/water/water
    trjcat -P none -t $water.pdb -g 'O=name OW' $water.dcd 2>/dev/null >"$T/x.trjf"
    to_numpy --origin=-2.75,-2.75,-2.75 --points 54,50,52 --steps 0.5,0.5,0.5
    /usr/bin/python3 -W ignore tests/helpers/density.py mdanalysis $water.pdb $water.dcd 'name OW' "$T/x.npy" >"$T/out"
    awk '{ exit !($1 == "counts" && $2 > 20000) }' "$T/out"
}

@test "cic, balls and Gaussians: equal to float64 sums at random points, with the correct integral" {
    need_python_module numpy
    local cell
    while read -r cell; do
        stream "$cell"
        densmap -e cpu -k cic -g 1.1 -o "$T/x.npy" "$T/x.trjf" 2>/dev/null
        [[ $(numpy_agrees cic) == 'cic agrees' ]]
        densmap -e cpu -k ball --radius 2.3 -g 0.7 -o "$T/x.npy" "$T/x.trjf" 2>/dev/null
        [[ $(numpy_agrees ball 2.3) == 'ball agrees' ]]
        densmap -e cpu --sigma 1.3 -g 0.9 -o "$T/x.npy" "$T/x.trjf" 2>/dev/null
        [[ $(numpy_agrees gauss 1.3) == 'gauss agrees' ]]
    done < <(cells)
}

@test "a fixed lattice in a periodic cell: contains the periodic images" {
    need_python_module numpy
    local lattice=("--origin=-9.3,2.1,5" --points "17,21,13" --steps "1.5,0,0,0.3,1.7,0,-0.4,0.2,1.9")
    stream 16,17,18,70,80,65
    densmap -e cpu -k cic "${lattice[@]}" -o "$T/x.npy" "$T/x.trjf" 2>/dev/null
    [[ $(numpy_agrees cic) == 'cic agrees' ]]
    densmap -e cpu --sigma 1.2 "${lattice[@]}" -o "$T/x.npy" "$T/x.trjf" 2>/dev/null
    [[ $(numpy_agrees gauss 1.2) == 'gauss agrees' ]]
}

@test "any number of threads, and frames in several runs in any order: the same values" {
    mkdcd --atoms 20000 --frames 5 --cell 40,40,40,70,80,65 >"$T/x.dcd"
    trjcat "$T/x.dcd" 2>/dev/null >"$T/x.trjf"
    trjcat -f :2 "$T/x.dcd" 2>/dev/null >"$T/a.trjf"
    trjcat -f 2: "$T/x.dcd" 2>/dev/null >"$T/b.trjf"
    local kernel
    for kernel in '-k count' '-k cic' '-k ball --radius 1.5' '--sigma 1.1'; do
        # shellcheck disable=SC2086
        kernel() { densmap -e cpu -g 1.3 $kernel "$@" 2>/dev/null; }
        kernel -j 1 -o "$T/x.trjg" "$T/x.trjf"
        values "$T/x.trjg" >"$T/expected"
        [[ $(wc -l <"$T/expected") -gt 20000 ]]
        kernel -j 7 "$T/x.trjf" | mapsum | values - | same "$T/expected" -
        kernel -B 1 "$T/x.trjf" | mapsum | values - | same "$T/expected" -
        kernel -o "$T/a.trjg" "$T/a.trjf"
        kernel -o "$T/b.trjg" "$T/b.trjf"
        mapsum "$T/a.trjg" "$T/b.trjg" | values - | same "$T/expected" -
        cat "$T/b.trjg" "$T/a.trjg" | mapsum | values - | same "$T/expected" -
        fails 3 'occurs twice' mapsum "$T/x.trjg" "$T/a.trjg"
    done
}

@test "the same command with 1 and with 7 threads: the same file" {
    stream 17,17,17
    densmap -e cpu -g 1 -j 1 -o "$T/a.dx" "$T/x.trjf" 2>/dev/null
    densmap -e cpu -g 1 -j 7 -o "$T/b.dx" "$T/x.trjf" 2>/dev/null
    sed 's/-j 7/-j 1/; s/b\.dx/a.dx/' "$T/b.dx" | cmp - "$T/a.dx"
}

@test "Gaussians too narrow for the steps: a note with the error of the integral, which is not exceeded" {
    local sigma
    mkdcd --atoms 343 --frames 1 --cell 20,21,22 >"$T/x.dcd"
    trjcat "$T/x.dcd" >"$T/x.trjf"
    for sigma in 0.3 0.5 0.65; do
        densmap -e cpu --sigma $sigma -g 1 -o "$T/x.dx" "$T/x.trjf" 2>"$T/err"
        grep -q "note: the Gaussians, of width $sigma Å, are too narrow for the steps of the lattice, 1 Å: " "$T/err"
        mapinfo "$T/x.dx" | awk -v bound="$(grep -o 'by up to [^ ]* %;' "$T/err" | cut -d ' ' -f 4)" '
            $1 == "integral" {
                error = ($2 / 343 - 1) ^ 2
                print $2, bound
                exit !(error < (1.1 * bound / 100 + 1e-5) ^ 2)
            }'
    done
    densmap -e cpu --sigma 0.67 -g 1 -o "$T/x.dx" "$T/x.trjf" 2>"$T/err"
    run ! grep 'too narrow' "$T/err"
    mapinfo "$T/x.dx" | awk '$1 == "integral" { print; exit !(($2 / 343 - 1) ^ 2 < 0.001 ^ 2) }'
}

@test "weights: sums of atomic numbers and masses are correct, and missing properties are rejected" {
    system --carry mass >"$T/x.trjf"
    densmap -w Z -g 1 "$T/x.trjf" 2>/dev/null | mapinfo - >"$T/info"
    awk '$1 == "integral" { z = $2 } $1 == "quantity" { q = $0 } END { print z, q
        exit !(z == 30 && q ~ /density/) }' "$T/info"
    densmap -w mass -g 1 "$T/x.trjf" 2>/dev/null | mapinfo - >"$T/info"
    awk '$1 == "integral" { m = $2 } $1 == "unit" { u = $2 " " $3 } END { print m, u
        exit !(m > 60.069 && m < 60.071 && u ~ /u A/) }' "$T/info"
    densmap -w mass --sigma 1.5 -m -g 1 "$T/x.trjf" 2>/dev/null | mapinfo - >"$T/info"
    grep -q '^unit	u A^-3$' "$T/info"
    awk '$1 == "integral" { print $2; exit !($2 > 60.06 && $2 < 60.08) }' "$T/info"
    fails_cleanly 3 'contains no property charge; run trjcat with --carry charge' densmap -w charge -g 1 \
        "$T/x.trjf"
    trjcat "$T/a.pdb" 2>/dev/null >"$T/plain.trjf"
    fails_cleanly 3 'the element of atom 0 is unknown; add trjcat --carry element, or a topology' densmap -w Z -g 1 \
        "$T/plain.trjf"
    fails_cleanly 2 'neither 1, mass, charge or Z nor a property' densmap -w hue -g 1 "$T/x.trjf"
    fails_cleanly 3 'exceeds the largest weight, 10; set a larger one with --max-weight' \
        densmap -w mass --max-weight 10 -g 1 "$T/x.trjf"
}

@test "widths: conventions of resolutions, and radii of elements" {
    system >"$T/x.trjf"
    local name factor
    while read -r name factor; do
        densmap --resolution 10 --sigma-factor "$name" -g 1 "$T/x.trjf" 2>/dev/null >"$T/a.trjg"
        densmap --resolution 10 --sigma-factor "$factor" -g 1 "$T/x.trjf" 2>/dev/null >"$T/b.trjg"
        values "$T/a.trjg" >"$T/a"
        values "$T/b.trjg" | same "$T/a" -
    done <<<$'situs 0.187\ntempy 0.356\nchimerax 0.22507907903927651\nfwhm 0.42466090014400953'
    # The height of a Gaussian is its weight, and the width is a multiple of the radius (carbon: 1.7).
    densmap -k gauss --radius 'vdw*0.5' -g 1 "$T/x.trjf" 2>/dev/null >"$T/a.trjg"
    mapinfo --at 5,5,5 --at 6,5,5 --at 12,5,5 "$T/a.trjg" | rows | awk '
        function near(x, low, high) { return x > low && x < high }
        { v[++n] = $NF }
        END { print v[n-2], v[n-1], v[n]
            exit !(near(v[n-2], 0.9999, 1.0001) && near(v[n-1], 0.5, 0.5012) && near(v[n], 0.9999, 1.0001)) }'
}

@test "mean, relative density and standard error: equal to those of mapsum" {
    stream 17,17,17
    densmap -e cpu -g 1 -B 1 -o "$T/raw.trjg" "$T/x.trjf" 2>/dev/null
    densmap -e cpu -g 1 -B 1 --stderr-map "$T/error.npy" --relative 0.05 -o "$T/mean.npy" "$T/x.trjf" 2>/dev/null
    mapsum --mean "$T/raw.trjg" | mapmath 'a / 0.05' -o "$T/a.npy" 2>/dev/null
    mapsum --stderr "$T/raw.trjg" | mapmath 'a / 0.05' -o "$T/b.npy" 2>/dev/null
    need_python_module numpy
    run_python -c "
import numpy
for a, b in (('a', 'mean'), ('b', 'error')):
    a, b = (numpy.load('$T/%s.npy' % name) for name in (a, b))
    assert abs(a).max() > 0 and abs(a - b).max() <= 1e-12 * abs(a).max(), (abs(a).max(), abs(b).max())"
    densmap -e cpu -g 1 --each "$T/x.trjf" 2>/dev/null | mapinfo - | has '^records	3$'
    # The same frames twice: a mean is rejected, as mapsum rejects the sums.
    trjcat "$T/x.trjf" "$T/x.trjf" >"$T/twice.trjf"
    fails 3 'occurs twice' densmap -e cpu -g 1 -o "$T/twice.dx" "$T/twice.trjf"
}

@test "a number in the name of the output: one file for each frame, with the values of its record" {
    stream 17,17,17
    densmap -e cpu -g 1 --each -o "$T/each.trjg" "$T/x.trjf" 2>/dev/null
    mapconv -o "$T/converted.%d.npy" "$T/each.trjg" 2>/dev/null
    densmap -e cpu -g 1 -o "$T/frame.%03d.npy" "$T/x.trjf" 2>/dev/null
    [[ -e $T/frame.002.npy && ! -e $T/frame.003.npy ]]
    values "$T/converted.2.npy" >"$T/a"
    values "$T/frame.002.npy" | same "$T/a" -
    fails 2 'the name has a number*leave out --block' densmap -g 1 -B 2 -o "$T/x.%d.dx" "$T/x.trjf"
    fails 2 'a grid stream has the maps of all frames in one file' densmap -g 1 -o "$T/x.%d.trjg" "$T/x.trjf"
}

@test "a dynamic group: only its members in each frame contribute" {
    system -g 'O=element O' -g 'N=(within 8 of element C) and not element C' >"$T/x.trjf"
    densmap --of N -g 1 "$T/x.trjf" 2>/dev/null | mapinfo - >"$T/info"
    grep -q '^integral	1$' "$T/info"
    fails_cleanly 2 'the stream has 2 groups; choose one with --of' densmap -g 1 "$T/x.trjf"
    fails_cleanly 2 "--of: the stream has no group 'X'; it has O and others" densmap --of X -g 1 "$T/x.trjf"
}

@test "--like: the lattice of a map gives the same map" {
    stream 17,18,19,70,80,65
    densmap -e cpu -g 1.5 --sigma 1 -o "$T/a.trjg" "$T/x.trjf" 2>/dev/null
    densmap -e cpu --like "$T/a.trjg" --sigma 1 -o "$T/b.trjg" "$T/x.trjf" 2>/dev/null
    values "$T/a.trjg" >"$T/a"
    values "$T/b.trjg" | same "$T/a" -
}

@test "cells that change: rejected with the number of the frame, unless points are fractional" {
    stream 17,17,17 --breathe 0.05
    fails_cleanly 3 'frame 1*the cell differs from that of the lattice*--fractional' densmap -g 1 "$T/x.trjf"
    densmap -g 1 --fractional "$T/x.trjf" 2>/dev/null | mapinfo - | has '^integral	300$'
}

@test "options that contradict one another: usage errors with a remedy" {
    stream 17,17,17
    local x=$T/x.trjf
    fails_cleanly 2 'no lattice, or more than one: give one of --grid' densmap "$x"
    fails_cleanly 2 'no lattice, or more than one' densmap -g 1 --like "$T/a.dx" "$x"
    fails_cleanly 2 'belong together' densmap --origin 0,0,0 --points 3,3,3 "$x"
    fails_cleanly 2 "--points: invalid value '3,2.5,3': expected three whole numbers" \
        densmap --origin 0,0,0 --points 3,2.5,3 --steps 1,1,1 "$x"
    fails_cleanly 2 '--steps: invalid value' densmap --origin 0,0,0 --points 3,3,3 --steps 1,1 "$x"
    fails_cleanly 2 '--kernel gauss requires a width' densmap -k gauss -g 1 "$x"
    fails_cleanly 2 '--kernel gauss requires a width' densmap --sigma 1 --resolution 5 -g 1 "$x"
    fails_cleanly 2 '--kernel ball requires a radius' densmap -k ball -g 1 "$x"
    fails_cleanly 2 '--radius is for --kernel ball and gauss' densmap --radius 2 -g 1 "$x"
    printf 'ATOM      1  H   ALA     1       1.000   2.000   3.000  0.1000 0.0000\n' >"$T/zero.pqr"
    trjcat -P none -t "$T/zero.pqr" --carry radius -o "$T/zero.trjf" "$T/zero.pqr"
    fails_cleanly 3 'the radius of atom 0 is 0 Angstrom, but Gaussians require radii above 0; leave such atoms out' \
        densmap -k gauss --radius 'radius*1' --origin 0,0,0 --points 5,5,5 --steps 1,1,1 "$T/zero.trjf"
    fails_cleanly 2 'are for --kernel gauss, not for cic' densmap -k cic --sigma 2 -g 1 "$x"
    fails_cleanly 2 '--sigma-factor applies to --resolution' densmap --sigma 2 --sigma-factor situs -g 1 "$x"
    fails_cleanly 2 "--sigma-factor: invalid factor 'vmd': expected chimerax, situs, tempy, fwhm" \
        densmap --resolution 5 --sigma-factor vmd -g 1 "$x"
    fails_cleanly 2 '--each and --block: give only one' densmap --each -B 2 -g 1 "$x"
    fails 2 '--stderr-map and --output have the same name' densmap --stderr-map "$T/e.dx" -o "$T/e.dx" -g 1 "$x"
    fails 2 '--block ends records of sums, but the mean is written' densmap -B 2 -o "$T/e.dx" -g 1 "$x"
    fails_cleanly 2 '--relative: invalid value 0' densmap --relative 0 -g 1 "$x"
    [[ ! -e $T/e.dx ]]
    trjcat -P none "$x" >"$T/none.trjf"
    fails_cleanly 2 'no cell that is periodic in three directions' densmap -g 1 "$T/none.trjf"
    fails_cleanly 2 '--grid: invalid value 1e-09' densmap -g 1e-9 "$x"
    fails_cleanly 3 '--grid: invalid lattice of 17000 x 17000 x 17000 points' densmap -g 0.001 "$x"
}

@test "engine reference: the same counts, clouds and balls, and Gaussians within the error bound" {
    local cell lattice kernel
    for cell in 20,21,22 20,21,22,70,80,65 20,21,22,30,30,30; do
        stream "$cell"
        for lattice in '-g 1' '--origin -3,4,5.5 --points 20,37,31 --steps 0.9,0.8,1.1'; do
            for kernel in '-k count' '-k cic' '-k ball --radius 2.2'; do
                # shellcheck disable=SC2086
                densmap -e cpu $kernel $lattice -o "$T/a.npy" "$T/x.trjf" 2>/dev/null
                # shellcheck disable=SC2086
                densmap -e reference $kernel $lattice -o "$T/b.npy" "$T/x.trjf" 2>/dev/null
                cmp "$T/a.npy" "$T/b.npy"
            done
            # shellcheck disable=SC2086
            densmap -e cpu --sigma 1.3 $lattice "$T/x.trjf" 2>/dev/null >"$T/a.trjg"
            # shellcheck disable=SC2086
            densmap -e reference --sigma 1.3 $lattice "$T/x.trjf" 2>/dev/null >"$T/b.trjg"
            mapmath 'abs(a - b)' "$T/a.trjg" "$T/b.trjg" -o "$T/d.trjg"
            mapinfo "$T/d.trjg" "$T/a.trjg" | awk '$1 == "max" { v[++n] = $2 } END { print v[1], v[2]
                exit !(n == 2 && v[1] > 0 && v[1] < 3e-6 * v[2]) }'
        done
    done
}

@test "frames of several files: all sources are in the output, and a frame given twice is rejected" {
    mkdcd --atoms 50 --frames 2 --cell 9,9,9 --seed 1 >"$T/a.dcd"
    mkdcd --atoms 50 --frames 3 --cell 9,9,9 --seed 2 >"$T/b.dcd"
    trjcat "$T/a.dcd" "$T/b.dcd" 2>/dev/null >"$T/x.trjf"
    densmap -g 1 -o "$T/ab.trjg" "$T/x.trjf" 2>/dev/null
    mapinfo "$T/ab.trjg" >"$T/info"
    [[ $(grep '^sources' "$T/info" | grep -oE '[ab]\.dcd' | sort -u | tr '\n' ' ') == 'a.dcd b.dcd ' ]]
    grep -q '^frames	5$' "$T/info"
    values "$T/ab.trjg" >"$T/expected"
    densmap -g 1 -B 2 "$T/x.trjf" 2>/dev/null | mapsum | values - | same "$T/expected" -
    trjcat "$T/a.dcd" "$T/a.dcd" 2>/dev/null | densmap -g 1 2>/dev/null >"$T/aa.trjg"
    fails 3 'give it once' mapsum "$T/aa.trjg"
}

@test "fractional points in several runs: --like gives later runs the lattice of the first one" {
    mkdcd --atoms 50 --frames 4 --cell 9,9,9 --breathe 0.05 >"$T/x.dcd"
    trjcat -f :2 "$T/x.dcd" 2>/dev/null | densmap -g 1 --fractional -o "$T/a.trjg" 2>/dev/null
    trjcat -f 2: "$T/x.dcd" 2>/dev/null | densmap --like "$T/a.trjg" --fractional -o "$T/b.trjg" 2>/dev/null
    trjcat "$T/x.dcd" 2>/dev/null | densmap -g 1 --fractional 2>/dev/null | mapsum | values - >"$T/expected"
    mapsum "$T/b.trjg" "$T/a.trjg" | values - | same "$T/expected" -
}

@test "Gaussians: the header has their error bound, which float64 sums confirm; sums and means keep it, others do not" {
    local cell=20,21,22,70,80,65 bound largest
    bound_of() { mapinfo "$1" | awk -F '\t' '$1 == "error_bound" { print $2 }'; }
    mkdcd --atoms 300 --frames 4 --cell "$cell" --seed 3 | trjcat - 2>/dev/null >"$T/x.trjf"
    densmap -e cpu --sigma 1.2 -g 1 -B 2 "$T/x.trjf" 2>/dev/null >"$T/a.trjg"
    densmap -e reference --sigma 1.2 -g 1 -B 2 "$T/x.trjf" 2>/dev/null >"$T/b.trjg"
    bound=$(bound_of "$T/a.trjg")
    mapsum --mean "$T/a.trjg" -o "$T/mean.trjg"
    [[ $(bound_of "$T/mean.trjg") == "$bound" ]]
    mapsum --mean "$T/b.trjg" | mapmath 'abs(a - b)' "$T/mean.trjg" - -o "$T/d.trjg"
    largest=$(mapinfo "$T/d.trjg" | awk '$1 == "max" { print $2 }')
    awk "BEGIN { exit !($largest > 0 && $largest < $bound && $bound < 1e-3) }"
    [[ -z $(bound_of "$T/d.trjg") ]]
    mapsum --stderr "$T/a.trjg" -o "$T/e.trjg"
    [[ -z $(bound_of "$T/e.trjg") ]]
    mapmath '2 * a' "$T/mean.trjg" -o "$T/f.trjg"
    [[ -z $(bound_of "$T/f.trjg") ]]
    mapconv "$T/mean.trjg" -o "$T/g.npy" 2>/dev/null
    [[ $(bound_of "$T/g.npy") == "$bound" ]]
    densmap --sigma 1.2 -g 1 -B 2 --relative 0.5 --stderr-map "$T/s.trjg" -o "$T/r.trjg" "$T/x.trjf" 2>/dev/null
    awk "BEGIN { r = $(bound_of "$T/r.trjg") / $bound; exit !(r > 1.999 && r < 2.001) }"
    [[ -z $(bound_of "$T/s.trjg") ]]
    # Twice the atoms: the stream after this one has a larger bound.
    mkdcd --atoms 600 --frames 1 --cell "$cell" --seed 4 | trjcat - 2>/dev/null |
        densmap --sigma 1.2 -g 1 2>/dev/null >"$T/large.trjg"
    cat "$T/large.trjg" "$T/a.trjg" | mapsum | mapinfo - | has -x "error_bound	$(bound_of "$T/large.trjg")"
    cat "$T/a.trjg" "$T/large.trjg" | mapsum | mapinfo - | has -x "error_bound	$(bound_of "$T/large.trjg")"
    cat "$T/large.trjg" "$T/a.trjg" | mapconv >"$T/both.trjg"
    cat "$T/a.trjg" "$T/large.trjg" >"$T/both.trjg"
    fails 3 'record 2: the error bound * differs from that of earlier records' mapconv "$T/both.trjg" -o "$T/o.trjg"
    densmap -g 1 "$T/x.trjf" 2>/dev/null >"$T/count.trjg"
    [[ -z $(bound_of "$T/count.trjg") ]]
}
