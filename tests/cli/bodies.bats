#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Axes of molecules: angles with them (rdfhist --body), and maps about molecules (densmap --body).
# shellcheck shell=bash disable=SC2154
load helper

groups=(-g 'P=name P' -g 'Q=name Q' -g 'R=name R' -g 'M=name P Q R S' -g 'X=name X')

bodies() {
    run_python tests/helpers/body_counts.py "$@"
}

# make_shape NAME: makes $T/NAME.gro and its frame stream $T/NAME.trjf
make_shape() {
    bodies make "$1" 2 15 >"$T/$1.gro"
    bodies psf 15 >"$T/mol.psf"
    trjcat -t "$T/mol.psf" --carry mass "${groups[@]}" "$T/$1.gro" >"$T/$1.trjf"
}

# same_counts SHAPE AXES AXIS SECOND A B: compares rdfhist -x residue with brute force, for all pairs and those excluded
same_counts() {
    local engine part
    bodies counts "${2%:M}" "$3" "$4" 6 24 "$5" "$6" <"$T/$1.gro" >"$T/expected"
    for engine in cpu reference; do
        rdfhist -e $engine -r 6 -b 24 -p "$5:$6" -x residue --angle "$3:$4" --body "$2" "$T/$1.trjf" \
            >"$T/$engine.rdfh" 2>"$T/err"
        for part in in only; do
            rdfnorm --counts --excluded $part "$T/$engine.rdfh" | rows | cut -f 5 >"$T/$part"
        done
        paste "$T/in" "$T/only" | diff -q "$T/expected" - || {
            echo "$*, engine $engine"
            return 1
        }
    done
}

@test "angles with axes of molecules: equal brute force in cells of every shape, for every kind of axes" {
    need_python_module numpy
    local shape
    for shape in cube brick hexagonal tilted narrow; do
        make_shape "$shape"
        same_counts "$shape" P:Q:R y 5 P X
        same_counts "$shape" bisector:R:P:Q x 7 Q P
    done
    same_counts narrow principal:M z 5 R X
    same_counts narrow principal:M x 5 P P
    # More images than atoms: an atom in both groups does not count with its own images.
    rdfhist -r 15 -b 5 -p P:M --angle z:3 --body P:Q:R "$T/narrow.trjf" 2>/dev/null | rdfnorm --counts | rows >"$T/cpu"
    rdfhist -e reference -r 15 -b 5 -p P:M --angle z:3 --body P:Q:R "$T/narrow.trjf" 2>/dev/null |
        rdfnorm --counts | rows | diff "$T/cpu" -
}

@test "angles with axes of molecules: threads and instruction sets do not matter" {
    need_python_module numpy
    make_shape tilted
    local isa threads
    count() {
        rdfhist "$@" -r 6 -b 300 -p P:X -p M:M --angle z:40 --body P:Q:R "$T/tilted.trjf" 2>/dev/null |
            rdfnorm --counts | rows
    }
    count -e reference >"$T/expected"
    for isa in plain avx2 avx512; do
        for threads in 1 3; do
            TRJPIPE_ISA=$isa count -e cpu -j $threads >"$T/got" || continue # this CPU has no such instructions
            same "$T/expected" "$T/got"
        done
    done
    [[ -s $T/expected ]]
}

@test "angles with axes of molecules: uniform atoms have g = 1, and segments add up" {
    need_python_module numpy
    bodies make tilted 40 60 >"$T/gas.gro"
    trjcat "${groups[@]}" "$T/gas.gro" >"$T/gas.trjf"
    rdfhist -r 6 -b 6 -p P:X --angle x:4 --body P:Q:R "$T/gas.trjf" 2>/dev/null >"$T/gas.rdfh"
    rdfnorm "$T/gas.rdfh" | rows | awk '$2 > 1 { n++; s += $3; if ($3 < 0.85 || $3 > 1.15) bad = 1 }
        END { exit bad || s / n < 0.99 || s / n > 1.01 }'
    rdfnorm --counts "$T/gas.rdfh" | rows >"$T/whole"
    local part
    for part in 1 2; do
        trjcat "${groups[@]}" --segment $part/2 "$T/gas.gro" 2>/dev/null |
            rdfhist -r 6 -b 6 -p P:X --angle x:4 --body P:Q:R 2>/dev/null >"$T/$part.rdfh"
    done
    rdfnorm --counts "$T/1.rdfh" "$T/2.rdfh" | rows | diff "$T/whole" -
    trjcat "${groups[@]}" --segment 2/2 "$T/gas.gro" 2>/dev/null |
        rdfhist -r 6 -b 6 -p P:X --angle x:4 --body P:R:Q 2>/dev/null >"$T/other.rdfh"
    fails 3 'expected the axes P:Q:R of molecules, found P:R:Q' rdfnorm "$T/1.rdfh" "$T/other.rdfh"
    trjinfo "$T/1.rdfh" >"$T/info"
    has $'metric\tdistance, and cosine of the angle with x of the molecule of A in 4 bins' "$T/info"
    has $'body\tP:Q:R' "$T/info"
}

@test "molecules with axis x along z of the cell: the counts are those of --angle z" {
    need_python_module numpy
    run_python - >"$T/aligned.gro" <<'PYTHON'
import numpy as np

random = np.random.default_rng(3)
print("aligned\n400")
for m in range(100):
    x = random.random(3) * 3
    for k, d in enumerate(([0, 0, 0], [0, 0, 0.125], [0.0625, 0, 0.03125], [0, 0.2, 0.1])):
        print("%5dMOL  %5s%5d%12.7f%12.7f%12.7f" % (m + 1, "PQRX"[k], 4 * m + k + 1, *(np.round(x * 2**14) / 2**14 + d)))
print("3 3 3")
PYTHON
    trjcat "${groups[@]:0:6}" -g 'X=name X' "$T/aligned.gro" >"$T/aligned.trjf"
    rdfhist -r 9 -b 30 -p P:X --angle z:21 "$T/aligned.trjf" 2>/dev/null | rdfnorm --counts | rows >"$T/cell"
    rdfhist -r 9 -b 30 -p P:X --angle x:21 --body P:Q:R "$T/aligned.trjf" 2>/dev/null | rdfnorm --counts | rows |
        diff "$T/cell" -
}

@test "maps about molecules: equal brute force in cells of every shape, for every engine and number of threads" {
    need_python_module numpy
    local shape axes of engine
    for shape in cube hexagonal tilted narrow; do
        make_shape "$shape"
        for axes in P:Q:R principal:M; do
            for of in X Q; do
                bodies map "${axes%:M}" 9 1.1 $of <"$T/$shape.gro" >"$T/expected"
                for engine in cpu reference; do
                    densmap --body $axes --of $of --grid 1.1 --size 9 -e $engine "$T/$shape.trjf" 2>/dev/null \
                        >"$T/$engine.trjg"
                    mapconv -o "$T/map.npy" "$T/$engine.trjg" 2>/dev/null
                    run_python -c 'import sys, numpy as np
counts = np.load(sys.argv[1]).transpose(2, 1, 0).ravel() * 30 * 1.1**3
assert np.abs(counts - np.loadtxt(sys.argv[2])).max() < 1e-9, np.abs(counts - np.loadtxt(sys.argv[2])).max()' \
                        "$T/map.npy" "$T/expected" || { echo "$shape $axes $of $engine"; return 1; }
                done
            done
        done
    done
    for threads in 1 3; do
        densmap -j $threads --body P:Q:R --of X --grid 0.5 "$T/narrow.trjf" -o "$T/$threads.npy" 2>/dev/null
    done
    cmp "$T/1.npy" "$T/3.npy"
}

@test "a frame that is rotated with its cell: equal counts, except for pairs that rounding moves across an edge" {
    need_python_module numpy
    local shape degrees axes engine options
    # about SHAPE AXES ENGINE: the counts of all pairs and voxels, one a line
    about() {
        rdfhist -e "$3" -r 6 -b 24 -p P:X -p M:M --angle y:5 --body "$2" "$T/$1.trjf" 2>/dev/null |
            rdfnorm --counts | rows | cut -f 3-
        densmap -e "$3" --body "$2" --of X --grid 1.1 --size 9 -o "$T/map.npy" "$T/$1.trjf" 2>/dev/null
        run_python -c 'import sys, numpy as np
for v in np.load(sys.argv[1]).ravel() * 30 * 1.1**3: print("%.0f" % v)' "$T/map.npy"
    }
    for shape in tilted narrow; do
        make_shape "$shape"
        for degrees in 120 37; do
            bodies turn $degrees <"$T/$shape.gro" >"$T/turned.gro"
            trjcat -t "$T/mol.psf" --carry mass "${groups[@]}" "$T/turned.gro" >"$T/turned.trjf"
            for options in 'P:Q:R cpu' 'bisector:R:P:Q reference' 'principal:M cpu'; do
                read -r axes engine <<<"$options"
                about "$shape" "$axes" "$engine" >"$T/expected"
                about turned "$axes" "$engine" >"$T/got"
                # 37 degrees round positions to 1e-6 Angstrom, so that few pairs cross an edge.
                paste "$T/expected" "$T/got" | awk -v most=$((degrees == 120 ? 0 : 4)) '
                    { for (k = 1; k <= NF / 2; k++) { d = $k - $(k + NF / 2); n += d < 0 ? -d : d; all += $k } }
                    END { if (n > most || all < 5000) { print n " of " all " differ"; exit 1 } }' ||
                    { echo "$shape $degrees $options" && return 1; }
            done
        done
    done
}

@test "maps about molecules: the numbers within a distance are those of rdfhist" {
    need_python_module numpy
    make_shape tilted
    densmap --body P:Q:R --of X --grid 0.05 --size 3.1 -o "$T/map.npy" "$T/tilted.trjf" 2>/dev/null
    rdfhist -r 1.5 -b 1 -p P:X --angle x:1 --body P:Q:R "$T/tilted.trjf" 2>/dev/null | rdfnorm --counts | rows |
        cut -f 3 >"$T/count"
    # The share of a voxel that is within a sphere is not known: one bound uses the voxels that are entirely inside, the
    # other one all voxels that the sphere touches.
    run_python - "$T/map.npy" "$(cat "$T/count")" <<'PYTHON'
import sys
import numpy as np

counts, pairs = np.load(sys.argv[1]) * 0.05**3 * 30, int(sys.argv[2])
at = (np.arange(counts.shape[0]) - counts.shape[0] // 2) * 0.05
r = np.sqrt(at[:, None, None] ** 2 + at[:, None] ** 2 + at**2)
low, high = counts[r < 1.5 - 0.05].sum(), counts[r < 1.5 + 0.05].sum()
assert counts.sum() > 0 and low - 1e-6 <= pairs <= high + 1e-6, (low, pairs, high)
PYTHON
}

@test "maps about molecules: segments add up, and the mean is per molecule" {
    need_python_module numpy
    make_shape cube
    densmap --body P:Q:R --of X --grid 1 --size 8 --mean -o "$T/whole.npy" "$T/cube.trjf" 2>/dev/null
    local part
    for part in 1 2; do
        trjcat "${groups[@]}" --segment $part/2 "$T/cube.gro" 2>/dev/null |
            densmap --body P:Q:R --of X --grid 1 --size 8 2>/dev/null >"$T/$part.trjg"
    done
    mapsum --mean "$T/1.trjg" "$T/2.trjg" -o "$T/sum.npy" 2>/dev/null
    cmp "$T/whole.npy" "$T/sum.npy"
    mapinfo "$T/1.trjg" >"$T/info"
    has $'^weight\t15$' "$T/info"
}

@test "water: two acceptors and two donors of hydrogen bonds, at the angles of a tetrahedron" {
    need_python_module numpy
    trjcat -t examples/water/water.pdb -g 'O=name OW' -g 'H=name HW1 HW2' examples/water/water.dcd >"$T/water.trjf"
    rdfhist -r 3 -b 1 -p O:O --angle x:10 --body bisector:O:H:H "$T/water.trjf" 2>/dev/null | rdfnorm -n none | rows \
        >"$T/water.tsv"
    # Most neighbours within 3 Angstrom are at cosines from 0.4 to 0.8 and below -0.4; there are few between these.
    awk '{ n += $3; if ($1 > 0.4 && $1 < 0.8) a += $3; if ($1 < -0.4) d += $3; if ($1 > -0.2 && $1 < 0.2) m += $3 }
        END { exit !(a > 0.35 * n && d > 0.35 * n && m < 0.1 * n) }' "$T/water.tsv"
    densmap --of O --body bisector:O:H:H --grid 0.5 --size 8 --relative 0.0334 -o "$T/about.npy" "$T/water.trjf" \
        2>/dev/null
    run_python - "$T/about.npy" <<'PYTHON'
import sys
import numpy as np

g = np.load(sys.argv[1])  # [x][y][z], points -4 to 4
at = (np.arange(17) - 8) * 0.5
x, y, z = np.meshgrid(at, at, at, indexing="ij")
r = np.sqrt(x * x + y * y + z * z)
first = (r > 2.4) & (r < 3.3)


def lobe(direction):
    """Returns the mean of g in the first shell, within 25 degrees of a direction."""
    cosine = (x * direction[0] + y * direction[1] + z * direction[2]) / np.maximum(r, 1e-9)
    return g[first & (cosine > np.cos(np.radians(25)))].mean()


a = np.radians(54.7)
acceptors = [lobe((np.cos(a), s * np.sin(a), 0)) for s in (1, -1)]
donors = [lobe((-np.cos(a), 0, s * np.sin(a))) for s in (1, -1)]
between = [lobe((np.cos(a), 0, s * np.sin(a))) for s in (1, -1)]
between += [lobe((-np.cos(a), s * np.sin(a), 0)) for s in (1, -1)]
print(acceptors, donors, between)
assert min(acceptors) > 3 * max(between) and min(donors) > 2 * max(between)
assert abs(acceptors[0] / acceptors[1] - 1) < 0.1 and abs(donors[0] / donors[1] - 1) < 0.1
assert g[r < 2].max() == 0
PYTHON
}

@test "axes of molecules: invalid descriptions, molecules and lattices are rejected with a remedy" {
    need_python_module numpy
    make_shape cube
    local options expected tool
    while IFS='|' read -r tool options expected; do
        # shellcheck disable=SC2086
        fails "${tool#*:}" "$expected" "${tool%:*}" $options "$T/cube.trjf"
    done <<'END'
rdfhist:2|--body P:Q:R|--body: requires an axis and bins; add --angle
rdfhist:2|--angle x:3 --body P:Q|--body: invalid value 'P:Q': expected the groups of three atoms
rdfhist:2|--angle x:3 --body P:Q:|--body: invalid value 'P:Q:'
rdfhist:2|--angle x:3 --body axis:P:Q:R|--body: invalid value 'axis:P:Q:R'
rdfhist:2|--angle x:3 --body P:Q:R:S:T|--body: invalid value
rdfhist:2|--angle x:3 --body P:Q:R --metric xy|--angle: applies to distances in space
rdfhist:2|--angle x:3 --body P:Q:R --lag 1|--lag: cannot be combined
rdfhist:2|-r 5 --angle x:3 --body P:Q:Z|the stream has no group Z; add it with trjcat -g 'Z=...'
rdfhist:3|-r 5 -p X:P --angle x:3 --body P:Q:R|atom 4 of group X is in no molecule with the axes P:Q:R
rdfhist:3|-r 5 -p P:X --angle x:3 --body P:Q:X|group X has 0 atoms of the molecule of atom 0, expected 1
rdfhist:3|-r 5 -p P:X --angle x:3 --body P:P:Q|group P has 1 atom of the molecule of atom 0, expected 2
rdfhist:3|-r 5 -p P:X --angle x:3 --body M:Q:R|group M has 4 atoms of the molecule of atom 0, expected 1
rdfhist:3|-r 5 -p P:X --angle x:3 --body principal:P|the molecule of atom 0 has no axes: two principal moments
densmap:2|--of X --body P:Q|--body: invalid value 'P:Q'
densmap:2|--of X --body P:Q:R --grid 1 -e cuda|use -e cpu
densmap:2|--of X --body P:Q:R --grid 1 -k cic|--body: counts atoms; use --kernel count
densmap:2|--of X --body P:Q:R --grid 1 --weight mass|--body: counts atoms
densmap:2|--of X --body P:Q:R --grid 1 --fractional|cannot be combined with --fractional
densmap:2|--of X --body P:Q:R --grid 1 --size -1|--size: invalid value -1
densmap:2|--of X --body P:Q:R --origin 0,0,0 --points 2,2,2 --steps 1,0,0,0.1,1,0,0,0,1|with steps along x, y and z
densmap:2|--of X --grid 1 --size 4|--size: applies to a --grid with --body
densmap:3|--of X --body P:Q:R --grid 100 --size 10000|images of each atom
END
}

@test "axes of molecules: atoms on a line or at one position, unknown molecules and masses, dynamic groups: rejected" {
    printf 'line\n    4\n' >"$T/line.gro"
    printf '    1MOL    %s%5d   %s   0.100   0.100\n' P 1 0.100 Q 2 0.200 R 3 0.300 S 4 0.100 >>"$T/line.gro"
    printf '   2.0   2.0   2.0\n' >>"$T/line.gro"
    local names=(-g 'P=name P' -g 'Q=name Q' -g 'R=name R' -g 'S=name S')
    trjcat "${names[@]}" "$T/line.gro" >"$T/line.trjf"
    fails 3 'the molecule of atom 0 has no axes: its three atoms lie on a line' \
        rdfhist -r 5 -p P:Q --angle x:3 --body P:Q:R "$T/line.trjf"
    fails 3 'the molecule of atom 0 has no axes: two of its three atoms are at the same position' \
        densmap --of P --grid 1 --body P:S:R "$T/line.trjf"
    fails 3 'the stream contains no property mass; run trjcat with --carry mass' \
        densmap --of P --grid 1 --body principal:P "$T/line.trjf"
    trjcat -g 'P=name P' -g 'Q=name Q and within 5 of name P' -g 'R=name R' "$T/line.gro" >"$T/moving.trjf"
    fails 2 'the members of group Q change' rdfhist -r 5 -p P:R --angle x:3 --body P:Q:R "$T/moving.trjf"
    printf '%s\n' 3 'Lattice="9 0 0 0 9 0 0 0 9"' 'P 1 1 1' 'Q 2 1 1' 'R 1 2 1' >"$T/none.xyz"
    trjcat "${names[@]:0:6}" "$T/none.xyz" >"$T/none.trjf"
    fails 3 'the stream has neither bonds nor residues, so that molecules are unknown; give trjcat a topology' \
        rdfhist -r 4 -p P:Q --angle x:3 --body P:Q:R "$T/none.trjf"
}
