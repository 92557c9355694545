#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Profiles of trjstat: those of numpy, for slabs, cylinders and spheres, at edges and boundaries, in cells of any shape.
# shellcheck shell=bash disable=SC2154
load helper

# profile STREAM OPTION...: prints the rows of a profile
profile() {
    trjstat -i "$1" --profile "${@:2}" | rows
}

# agrees RELATIVE ABSOLUTE FILE < ROWS: fails unless both have the same numbers, to within these tolerances
agrees() {
    awk -F '[ \t]+' -v e="$1" -v a="$2" -v file="$3" '
        { if ((getline line <file) <= 0) { print "too many rows"; exit bad = 1 }
            if (split(line, want, /[ \t]+/) != NF) { print "columns: " NF " in " $0; exit bad = 1 }
            for (i = 1; i <= NF; i++) {
                d = $i - want[i]; size = want[i] < 0 ? -want[i] : want[i]
                if ($i == want[i]) continue
                if (d <= e * size + a && -d <= e * size + a) continue
                print FNR ": " $i ", not " want[i]
                exit bad = 1
            } }
        END { exit bad || !NR || (getline line <file) > 0 }'
}

# frames CELL ATOM...: prints a frame of atoms "X Y Z", with the nine numbers of the vectors of the cell
frame() {
    printf '%d\nLattice="%s" Properties=species:S:1:pos:R:3\n' $(($# - 1)) "$1"
    printf 'N %s\n' "${@:2}"
}

water() { # ENSEMBLE OPTION...
    local data=$SHARED/data-observables
    trjcat -t "$data/spce216.tpr" --carry mass,charge -g 'O=name OW' -g all=all "${@:2}" "$data/spce216-$1.xtc"
}

@test "slabs of the cell of each frame: counts and densities of water are those of numpy" {
    need_shared
    for ensemble in nvt npt; do
        water $ensemble -o "$T/$ensemble.trjf"
        trjstat -i "$T/$ensemble.trjf" --profile z -b 20 'number(O)' 'mass(all)' >"$T/$ensemble.tsv"
        # z, mass density, density and count of O; the file has the cells in float32.
        awk '!/^#/ && $1 != "z"' "$SHARED/reference-observables/spce-$ensemble-profile.tsv" >"$T/want"
        rows "$T/$ensemble.tsv" | cut -f 1,2,4,5 | awk '{ print $1, $4, $2, $3 }' | agrees 3e-7 0 "$T/want"
    done
    has 'mean length of the cell along the normal, 18.625' <"$T/npt.tsv"
    has '# error of number_density(O): records are frames; ' <"$T/npt.tsv"
    # The sum over the slabs is what the cell contains.
    profile "$T/npt.trjf" x -b 7 'number(O)' 'charge(all)' | awk -F '\t' '{ n += $4; q += $5 }
        END { exit !(n == 216 * 201 && q < 1e-12 && q > -1e-12) }'
}

@test "spheres, cylinders and slabs about a point: densities and orientations are those of numpy" {
    need_shared
    need_python_module numpy
    water npt --whole -f 0:201:8 -o "$T/water.trjf"
    trjcat -t "$SHARED/data-observables/spce216.tpr" --whole -f 0:201:8 -o "$T/water.xyz" \
        "$SHARED/data-observables/spce216-npt.xtc" 2>"$T/note"
    run_python - "$T" <<'P'
import sys, numpy as np
T = sys.argv[1]
def frames():
    with open(T + '/water.xyz') as f:
        while (line := f.readline()):
            n, cell = int(line), f.readline().split('"')[1].split()
            yield float(cell[0]), np.array([f.readline().split()[1:4] for _ in range(n)], float).reshape(-1, 3, 3)
all = list(frames())
n, R, c = 8, 8.8, np.array([5., 6, 17])
e = np.linspace(0, R, n + 1)
m, q = np.array([15.9994, 1.008, 1.008]), np.array([-0.8476, 0.4238, 0.4238])
def bins(r, low=0.):
    b = np.floor((r - low) / (R - low) * n).astype(int)
    return np.where((b >= 0) & (b < n), b, n)
out = {}
for shape in ('sphere', 'cylinder:y', 'z'):
    density, count = np.zeros(n), np.zeros(n)
    sums = np.zeros((2, 3, n + 1)) # of dipoles and of vectors O -> H
    for L, x in all:
        def radial(p):
            d = p - c
            d -= L * np.round(d / L)
            if shape == 'cylinder:y': d[:, 1] = 0
            if shape == 'z': return d[:, 2], np.array([[0, 0, 1.]] * len(d))
            r = np.sqrt((d ** 2).sum(1))
            return r, d / r[:, None]
        low = -R if shape == 'z' else 0.
        volume = {'sphere': 4 * np.pi / 3 * (e[1:] ** 3 - e[:-1] ** 3), 'z': L * L * 2 * R / n,
                  'cylinder:y': np.pi * (e[1:] ** 2 - e[:-1] ** 2) * L}[shape]
        r, _ = radial(x[:, 0])
        h = np.bincount(bins(r, low), minlength=n + 1)[:n]
        density += h / volume / len(all)
        count += h
        com = (m[None, :, None] * x).sum(1) / m.sum()
        for k, (p, v) in enumerate(((com, (q[None, :, None] * x).sum(1)), (x[:, 0], x[:, 2] - x[:, 0]))):
            r, direction = radial(p)
            cos = (v * direction).sum(1) / np.sqrt((v ** 2).sum(1))
            for i, w in enumerate((cos * 0 + 1, cos, (3 * cos ** 2 - 1) / 2)):
                sums[k, i] += np.bincount(bins(r, low), w, n + 1)
    low = -R if shape == 'z' else 0.
    middle = low + (R - low) * (np.arange(n) + 0.5) / n
    with open(T + '/' + shape, 'w') as f:
        for b in range(n):
            d, v = sums[0, :, b], sums[1, :, b]
            print(*('%.10g' % y for y in (middle[b], density[b], count[b], d[1] / d[0], d[2] / d[0], d[0], v[1] / v[0],
                                          v[2] / v[0], v[0])), file=f)
P
    for shape in sphere cylinder:y z; do
        profile "$T/water.trjf" $shape --about 5,6,17 --extent 8.8 -b 8 'number(O)' 'dipole(all)' \
            'vector(O, name HW2)' | cut -f 1,2,4,5,7,9,10,12,14 | agrees 2e-6 1e-6 "$T/$shape"
    done
}

@test "skew cells: the nearest image of each atom counts, and slabs follow the vectors of the cell" {
    need_python_module numpy
    # Vectors 20 0 0, 8 18 0 and -9 7 15 in any orientation of the axes; half of the shortest vector is 9.42.
    run_python - "$T" <<'P'
import sys, itertools, numpy as np
T = sys.argv[1]
rng = np.random.default_rng(5)
h = np.array([[20., 0, 0], [8, 18, 0], [-9, 7, 15]])
x = np.round(rng.random((3000, 3)) @ h + [30, -20, 7], 3)
with open(T + '/x.xyz', 'w') as f:
    print(len(x), 'Lattice="%s" Properties=species:S:1:pos:R:3' % ' '.join(map(str, h.ravel())), sep='\n', file=f)
    for p in x: print('N %.3f %.3f %.3f' % tuple(p), file=f)
x = x.astype('f4').astype(float)
shift = np.array(list(itertools.product(range(-4, 5), repeat=3)), float)
c, n, R = np.array([3., 4, 5]), 6, 8.4
d = x - c
d -= np.round(d @ np.linalg.inv(h)) @ h
all = d[:, None] + shift @ h
r = np.sqrt((all ** 2).sum(2)).min(1)
u = h[2] / np.sqrt(h[2] @ h[2])
across = all - (all @ u)[..., None] * u
rho = np.sqrt((across ** 2).sum(2)).min(1)
s = (x @ np.linalg.inv(h))[:, 1] % 1
with open(T + '/want', 'w') as f:
    for k, edges in ((r, (0, R)), (rho, (0, R)), (s, (0, 1))):
        print(*np.histogram(k, n, edges)[0], sep='\n', file=f)
with open(T + '/volume', 'w') as f:
    e = np.linspace(0, R, n + 1)
    V = abs(np.linalg.det(h))
    for v in (*(4 * np.pi / 3 * (e[1:] ** 3 - e[:-1] ** 3)),
              *(np.pi * (e[1:] ** 2 - e[:-1] ** 2) * np.sqrt(h[2] @ h[2])), *[V / n] * n): print('%.12g' % v, file=f)
P
    trjcat "$T/x.xyz" -g all=all -o "$T/x.trjf"
    for shape in sphere cylinder:z; do
        profile "$T/x.trjf" $shape --about 3,4,5 --extent 8.4 -b 6 'number(all)' || echo failed
    done >"$T/got"
    profile "$T/x.trjf" y -b 6 'number(all)' >>"$T/got"
    cut -f 4 "$T/got" | agrees 0 0 "$T/want"
    paste "$T/want" "$T/volume" | awk '{ printf "%.12g\n", $1 / $2 }' >"$T/density"
    cut -f 2 "$T/got" | agrees 1e-7 0 "$T/density"
    # The largest radius is half of the shortest vector of the lattice, which a reduced cell contains.
    trjstat -i "$T/x.trjf" --profile sphere --about 3,4,5 'number(all)' | has 'up to half of the cell: at least 9.4'
}

@test "edges of bins and boundaries of the cell: no atom is lost by rounding, and halves of bins add up" {
    local cell='10 0 0 0 10 0 0 0 10'
    frame "$cell" '0 0 0' '0 0 10' '0 0 -10' '0 0 -1e-9' '0 0 9.9999999' '0 0 2.5' '0 0 2.4999' '0 0 7.5' '0 0 -2.5' \
        '0 0 20' '0 0 -1e-20' '0 0 5' >"$T/x.xyz"
    trjcat "$T/x.xyz" -g all=all -o "$T/x.trjf"
    # An atom at an edge is in the bin above it; an atom at the upper end of the cell is in the first one.
    profile "$T/x.trjf" z -b 4 'number(all)' | cut -f 4 | tr '\n' ' ' >"$T/got"
    [ "$(cat "$T/got")" = '7 1 1 3 ' ]
    for bins in 1 2 3 4 5 6 7 10 14 20 1000; do
        profile "$T/x.trjf" z -b $bins 'number(all)' | awk -F '\t' '{ n += $4 } END { exit n != 12 }'
        profile "$T/x.trjf" z --about 0,0,0 -b $bins 'number(all)' | awk -F '\t' '{ n += $4 } END { exit n != 12 }'
    done
    # 0.1, 0.2 ... are not exact in binary numbers, and cells of other lengths have other rounding errors.
    for length in 7.3 18.8038 11.1; do
        awk -v l=$length 'BEGIN {
            printf "81\nLattice=\"%s 0 0 0 %s 0 0 0 %s\" Properties=species:S:1:pos:R:3\n", l, l, l
            for (i = -40; i <= 40; i++) printf "N 0 0 %.9f\n", i * l / 20 }' | trjcat - -g all=all -o "$T/y.trjf"
        for about in '' 0,0,0 0,0,1.3; do
            for bins in 1 5 10 20 40; do
                profile "$T/y.trjf" z ${about:+--about "$about"} -b $bins 'number(all)' | cut -f 4 >"$T/$bins"
                awk '{ n += $1 } END { exit n != 81 }' "$T/$bins"
            done
            for bins in 5 10 20; do
                awk 'NR % 2 { n = $1; next } { print n + $1 }' "$T/$((2 * bins))" | cmp - "$T/$bins"
            done
        done
    done
}

@test "a group as the centre: the profile moves with it, also across a boundary, and a bilayer may be divided" {
    local z
    for z in 3 9 -4 0.5; do # a protein of four atoms in a plane, and water 2 above it
        frame '10 0 0 0 10 0 0 0 10' "1 1 $z" "2 1 $z" "9 9 $z" "5 5 $z" "5 5 $(awk "BEGIN { print $z + 2.1 }")"
    done >"$T/x.xyz"
    trjcat "$T/x.xyz" -g all=all -o "$T/x.trjf"
    profile "$T/x.trjf" z --about 'cog(index 0:3)' -b 10 'number(index 4)' >"$T/got"
    awk -F '\t' '$4 != ($1 == 2.5 ? 4 : 0) || ($4 && $2 != 0.01) { print; exit bad = 1 }
        END { exit bad || NR != 10 }' "$T/got"
    # A sphere requires that the group is whole.
    run -3 trjstat -i "$T/x.trjf" --profile sphere --about 'cog(index 0:3)' 'number(index 4)'
    [[ $output == *'--about: '*'more than half of the cell apart'* ]]
    profile "$T/x.trjf" sphere --about 3 -b 10 'number(index 4)' | awk -F '\t' '$4 { print $1, $4 }' >"$T/got"
    [ "$(cat "$T/got")" = '2.25 4' ]
    # Head groups alone have a centre in the bilayer and another one in the water.
    frame '10 0 0 0 10 0 0 0 60' '1 1 10' '1 5 10' '1 1 50' '5 1 50' >"$T/heads.xyz"
    trjcat "$T/heads.xyz" -g all=all -o "$T/heads.trjf"
    run -3 trjstat -i "$T/heads.trjf" --profile z --about 'cog(all)' 'number(all)'
    [[ $output == *"--about: 'all' has no atom within 5 Angstrom of its centre"* ]]
}

@test "a cell that changes: bins beyond half of the smallest cell are left out, and an extent beyond it is an error" {
    frame '10 0 0 0 10 0 0 0 10' '1 1 1' '3 3 3' >"$T/x.xyz"
    frame '8 0 0 0 8 0 0 0 8' '1 1 1' '3 3 3' >>"$T/x.xyz"
    trjcat "$T/x.xyz" -g all=all -o "$T/x.trjf"
    for shape in sphere cylinder:z; do
        trjstat -i "$T/x.trjf" --profile $shape --about 0 -b 10 'number(all)' >"$T/got"
        [ "$(rows "$T/got" | wc -l)" = 8 ]
        has 'left out, because beyond half of the smallest cell: 2 of 10 bins' <"$T/got"
        run -3 trjstat -i "$T/x.trjf" --profile $shape --about 0 --extent 4.5 'number(all)'
        [[ $output == *'frame 1: '*'--extent: 4.5 Angstrom is more than half of the cell, 4 Angstrom'* ]]
        profile "$T/x.trjf" $shape --about 0 --extent 4 -b 4 'number(all)' | awk 'END { exit NR != 4 }'
    done
    profile "$T/x.trjf" z --about 0 -b 10 'number(all)' | awk -F '\t' 'NR == 1 && $1 != -3.5 { exit bad = 1 }
        END { exit bad || NR != 8 }'
    # Densities are means over frames of those in each frame's own cell: (1/500 + 1/256)/2.
    profile "$T/x.trjf" z -b 2 'number(all)' |
        awk -F '\t' 'NR == 1 { exit !($1 == 2.25 && $2 == 0.00590625 && $4 == 4) }'
}

@test "a bilayer without atoms in a frame: rejected, instead of all lipids in the lower leaflet" {
    frame '10 0 0 0 10 0 0 0 30' '1 1 1' '3 3 3' '5 5 20' >"$T/x.xyz"
    trjcat "$T/x.xyz" -g all=all -o "$T/x.trjf"
    run -3 trjstat -i "$T/x.trjf" 'area_per_lipid(index 0 1, index 0 and within 1 of index 2)'
    [[ $output == *"has no atom in this frame"* ]]
}

@test "a recipe: requests the masses and charges that profiles and their centres require, and checks expressions" {
    need_shared
    recipe() { # KEYS
        printf 'trjrun: 1\nstages:\n  w: {tool: trjcat, files: %s, topology: %s, group: [O=name OW, all=all]%s}\n' \
            "$(realpath "$SHARED/data-observables/spce216-nvt.xtc")" \
            "$(realpath "$SHARED/data-observables/spce216.tpr")" ', whole: true, frames: ":3"' >"$T/r.yaml"
        printf '  p: {tool: trjstat, from: w, %s, output: p.tsv}\n' "$1" >>"$T/r.yaml"
    }
    recipe "profile: sphere, about: 'com(resid 1)', bins: 5, observables: [number(O), 'dipole(index 3 to 8)']"
    trjrun "$T/r.yaml" 2>"$T/err" || { cat "$T/err" && false; }
    [ "$(rows "$T/p.tsv" | wc -l)" = 5 ]
    grep -q -- '--carry .*mass' "$T/p.tsv"
    for keys in "profile: z, observables: 'rg(O)'" "profile: z, about: 'com(', observables: 'number(O)'" \
        "profile: w, observables: 'number(O)'" "observables: 'number(O)'"; do
        recipe "$keys"
        run -3 trjrun --check "$T/r.yaml"
    done
}

@test "profiles: the same table for any number of threads" {
    need_shared
    water nvt --whole -o "$T/water.trjf"
    for threads in 1 2 5; do
        trjstat -j $threads -i "$T/water.trjf" --profile sphere --about 'com(resid 1)' 'number(O)' 'mass(all)' \
            'charge(all)' 'dipole(index 3:647)' | rows >"$T/$threads"
    done
    cmp "$T/1" "$T/2" && cmp "$T/1" "$T/5"
}

@test "profiles: invalid options and frames are rejected; rdfplot draws the table" {
    frame '10 0 0 0 10 0 0 0 10' '1 1 1' '3 3 3' >"$T/x.xyz"
    trjcat --carry element "$T/x.xyz" -g 'D=within 5 of index 0' -g all=all -o "$T/x.trjf"
    trjcat -P none "$T/x.xyz" -g all=all -o "$T/none.trjf"
    rejects() { # STATUS WORDS OPTION...
        run -"$1" trjstat -i "$T/${stream:-x}.trjf" "${@:3}"
        [[ $output == *"$2"* && $(wc -l <<<"$output") -le 2 ]] || { echo "$output" && false; }
    }
    rejects 2 "'cylinder:w'" --profile cylinder:w 'number(all)'
    rejects 2 '--profile sphere requires a centre; add --about' --profile sphere 'number(all)'
    rejects 2 '--profile requires an expression' --profile z
    rejects 2 "unknown function 'rg'" --profile z 'rg(all)'
    rejects 2 'apply to --profile only' --about 0 'cog(all)'
    rejects 2 '--bins applies to --hist, --hist2d and --profile only' -b 10 'cog(all)'
    rejects 2 "--bins: invalid number '0'" --profile z -b 0 'number(all)'
    rejects 2 '--temperature applies to --hist and --hist2d only' --profile z -T 300 'number(all)'
    rejects 2 '--profile applies to frames, and --merge reads tables' --profile z --merge 'number(all)'
    rejects 2 'have different outputs' --profile z --rmsf all 'number(all)'
    rejects 2 '--extent is the distance from a centre' --profile z --extent 5 'number(all)'
    rejects 2 '--about: 1e15,0,0 is beyond 1e+08 Angstrom' --profile z --about 1e15,0,0 'number(all)'
    rejects 2 'the name ends with .npy' --profile z 'number(all)' -o "$T/p.npy"
    rejects 2 '--extent: invalid value -1' --profile z --about 0 --extent -1 'number(all)'
    rejects 2 '--about: ' --profile z --about all 'number(all)'
    rejects 2 '--profile and --merge do not print' --profile z --summary 'number(all)'
    rejects 2 'a profile contains all columns of vector' --profile z 'vector.P1(index 0, index 1)'
    rejects 2 'vector 0 is from atom 0 to atom 0' --profile z 'vector(index 0, index 0)'
    rejects 3 'mass' --profile z 'mass(all)'
    rejects 3 'vector 0 is at the centre' --profile sphere --about 0 'vector(index 0, index 1)'
    # A group that changes is counted as it is in each frame.
    [ "$(profile "$T/x.trjf" z -b 2 'number(D)' | cut -f 4 | tr '\n' ' ')" = '2 0 ' ]
    stream=none
    rejects 2 'no periodic boundary limits the distance from the centre; add --extent' \
        --profile sphere --about 0 'number(all)'
    [ "$(profile "$T/none.trjf" sphere --about 0 --extent 4 -b 2 'number(all)' | cut -f 4 | tr '\n' ' ')" = '1 1 ' ]
    sed 's/^Lattice="[^"]*" //' "$T/x.xyz" | trjcat - -g all=all -o "$T/none.trjf"
    rejects 3 'unknown' --profile z 'number(all)'
    rejects 3 'cell vector c is unknown' --profile cylinder:z --about 0 --extent 2 'number(all)'
    trjstat --profile z --list | has '^mass(group=ATOMS)	mass_density g/cm^3	'
    need gnuplot
    trjstat -i "$T/x.trjf" --profile z -b 5 'number(all)' 'number(index 0)' | rdfplot -o "$T/x.svg"
    grep -q 'number density' "$T/x.svg"
}
