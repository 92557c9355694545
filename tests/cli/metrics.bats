# SPDX-License-Identifier: MIT
# Lateral distances, distances along an axis, angles, and layers: rdfhist --metric, --dz, --angle, --layers.
# shellcheck shell=bash disable=SC2154
load helper

shapes=(cube brick hexagonal tilted symmetric)

# make_shape NAME: makes $T/NAME.xyz and its frame stream $T/NAME.trjf with the groups A and B
make_shape() {
    run_python tests/helpers/metric_counts.py make "$1" 3 100 >"$T/$1.xyz"
    trjcat -g 'A=name A' -g 'B=name B' "$T/$1.xyz" >"$T/$1.trjf"
}

# same_counts SHAPE OPTIONS METRIC AXIS WINDOW SECOND PAIR LAYERS: compares rdfhist with brute force
same_counts() {
    local engine shape=$1 options=$2 expected=$T/expected
    shift 2
    run_python tests/helpers/metric_counts.py "${@:1:4}" 7 28 "$5" "$6" <"$T/$shape.xyz" >"$expected"
    for engine in cpu reference; do
        # shellcheck disable=SC2086
        rdfhist -e $engine -r 7 -b 28 $options "$T/$shape.trjf" 2>/dev/null | rdfnorm --counts |
            rows | cut -f $((${4} > 1 ? 5 : 3))- | diff -q "$expected" - || {
            echo "$shape: $options, engine $engine"
            return 1
        }
    done
}

@test "lateral distances within a window of heights: equal brute force in cells of every shape" {
    need_python_module numpy
    local shape
    for shape in "${shapes[@]}"; do
        make_shape "$shape"
        same_counts "$shape" '-p A:A --metric xy --dz 2' plane z 2 1 AA 0
        same_counts "$shape" '-p A:B --metric xz --dz 9' plane y 9 1 AB 0
        same_counts "$shape" '-p A:A --metric yz --dz 6:12' plane x 6 12 AA 0
    done
}

@test "lateral distances of all heights, and distances along an axis: equal brute force" {
    need_python_module numpy
    local shape
    for shape in cube brick hexagonal; do
        make_shape "$shape"
        same_counts "$shape" '-p A:A --metric xy' plane z inf 1 AA 0
        same_counts "$shape" '-p A:B --metric z' axis z inf 1 AB 0
    done
    make_shape tilted
    same_counts tilted '-p A:A --metric z' axis z inf 1 AA 0
}

@test "angles with an axis: equal brute force, a group with itself in both orders" {
    need_python_module numpy
    local shape
    for shape in "${shapes[@]}"; do
        make_shape "$shape"
        same_counts "$shape" '-p A:A --angle z:6' angle z 0 6 AA 0
        same_counts "$shape" '-p A:B --angle x:5' angle x 0 5 AB 0
    done
}

@test "layers: pairs within each layer equal brute force" {
    need_python_module numpy
    local shape
    for shape in "${shapes[@]}"; do
        make_shape "$shape"
        same_counts "$shape" '-p A:B --layers z:3 --metric xy --dz 4' plane z 4 1 AB 3
        same_counts "$shape" '-p A:A --layers y:4 --angle y:2' angle y 0 2 AA 4
    done
}

@test "a system in two dimensions: a note names --metric xy, which counts no images across the plane" {
    local file=$SHARED/cases/01-flat-box.lammpstrj n
    [[ -e $file ]] || skip 'no folder shared/cases beside the checkout'
    trjcat "$file" -o "$T/flat.trjf" 2>/dev/null
    rdfhist -e cpu -r 7 -b 35 -o "$T/h" "$T/flat.trjf" 2>"$T/err"
    grep -q 'note: all atoms have the same z, and the cell is thin along z: *.*two dimensions, add --metric xy$' "$T/err"
    rdfhist -e cpu -r 7 -b 35 --metric xy -o "$T/h" "$T/flat.trjf" 2>"$T/err"
    run ! grep 'two dimensions' "$T/err"
    # A hexagonal lattice: 6 atoms in the first shell, 18 in the first three.
    n=$(rdfnorm --counts "$T/h" | sed -n 's/^# group all: \([0-9]*\) atoms.*/\1/p')
    rdfnorm --counts "$T/h" | rows | awk -v n="$n" '$2 <= 4.0001 { first += 2 * $3 } $2 <= 6.4001 { three += 2 * $3 }
        END { print n, first / n, three / n; exit !(first == 6 * n && three == 18 * n) }'
    # The same along another axis, and a slab of atoms of several heights.
    printf '4\nLattice="9 0 0 0 1 0 0 0 9" Properties=species:S:1:pos:R:3\nX 0 .5 0\nX 3 .5 0\nX 0 1.5 4\nX 3 0.5 4\n' >"$T/y.xyz"
    trjcat "$T/y.xyz" 2>/dev/null | rdfhist -e cpu -r 4 -b 4 -o "$T/h" 2>"$T/err"
    grep -q 'all atoms have the same y, .* add --metric xz' "$T/err"
    sed 's/1.5 4/1.6 4/' "$T/y.xyz" | trjcat - 2>/dev/null | rdfhist -e cpu -r 4 -b 4 -o "$T/h" 2>"$T/err"
    run ! grep 'two dimensions' "$T/err"
    # A cell without a third vector, as HOOMD writes it in two dimensions.
    printf '2\nLattice="9 0 0 0 9 0 0 0 0" Properties=species:S:1:pos:R:3\nX 0 0 0\nX 3 0 0\n' >"$T/flat.xyz"
    fails_cleanly 3 'cell vector c is zero; *two dimensions, add -P xy, and count with rdfhist --metric xy; *--cell' \
        trjcat "$T/flat.xyz"
    trjcat -P xy "$T/flat.xyz" | rdfhist -e cpu --metric xy -r 4 -b 4 | counts | same <(printf '0\n0\n0\n1\n') -
    trjcat -P xy "$T/flat.xyz" | rdfhist -e cpu -r 4 -b 4 -o "$T/h" 2>"$T/err"
    grep -q 'note: all atoms have the same z, and the cell has no height along z: *.*two dimensions, add --metric xy$' \
        "$T/err"
    fails_cleanly 3 'frames have no volume; *two dimensions count with rdfhist --metric' rdfnorm "$T/h"
}

@test "a cell so small that atoms see their own images: a note gives the distance from which these are missing" {
    local file=$SHARED/cases/03-small-cell.xyz
    [[ -e $file ]] || skip 'no folder shared/cases beside the checkout'
    trjcat "$file" 2>/dev/null | rdfhist -e cpu -r 9 -b 30 -o "$T/h" 2>"$T/err"
    # The shortest vector of the lattice, by brute force.
    awk -F '"' 'NR == 2 {
        split($2, h, " ")
        least = 1e9
        for (i = -4; i <= 4; i++) for (j = -4; j <= 4; j++) for (k = -4; k <= 4; k++) {
            r = 0
            for (c = 1; c <= 3; c++) r += (i * h[c] + j * h[c + 3] + k * h[c + 6])^2
            if ((i || j || k) && r < least) least = r
        }
        printf "from %.6g Å on, the pairs of an atom with its own images are missing: in a small cell, add --own-images\n",
            sqrt(least) }' "$file" >"$T/expected"
    grep -qFf "$T/expected" "$T/err" || { cat "$T/err" "$T/expected"; return 1; }
}

@test "--own-images: the unit cell has the g(r) and the 162 neighbours of the supercell; brute force for two groups" {
    local file=$SHARED/cases/03-small-cell.xyz name atoms engine
    if [[ -e $file ]]; then
        for name in small-cell:5 supercell:135; do
            atoms=${name#*:} name=${name%:*}
            trjcat "$SHARED/cases/03-$name.xyz" 2>/dev/null | rdfhist -e cpu -r 9 -b 30 --own-images -o "$T/$name.rdfh" 2>"$T/err"
            run ! grep 'own images' "$T/err"
            rdfnorm "$T/$name.rdfh" | rows | cut -f 1-2 >"$T/$name"
            rdfnorm --counts "$T/$name.rdfh" | rows | awk -v n="$atoms" \
                '{ sum += 2 * $3 } END { print sum / n; exit sum != 162 * n }'
        done
        paste "$T/small-cell" "$T/supercell" | awk '{ d = $2 - $4 } d * d > 1e-12 { bad = 1 } END { exit bad }'
        fails 3 'own images are counted in one stream only' rdfnorm "$T/small-cell.rdfh" \
            <(trjcat "$file" 2>/dev/null | rdfhist -e cpu -r 9 -b 30 2>/dev/null)
    fi
    printf '3\nLattice="4 0 0 1 4 0 0 0 5" Properties=species:S:1:pos:R:3\nX 0 0 0\nX 1 2 3\nX 2 1 1\n' >"$T/x.xyz"
    trjcat -g A=all -g 'B=index 0 1' -g 'C=index 1' "$T/x.xyz" >"$T/x.trjf"
    awk 'BEGIN {
        split("0 0 0 1 2 3 2 1 1", x)
        for (i = 0; i < 3; i++) for (j = 0; j < 3; j++)
            for (a = -6; a <= 6; a++) for (b = -6; b <= 6; b++) for (c = -6; c <= 6; c++) {
                if (i == j && !a && !b && !c) continue
                dx = x[3 * j + 1] - x[3 * i + 1] + 4 * a + b
                dy = x[3 * j + 2] - x[3 * i + 2] + 4 * b
                dz = x[3 * j + 3] - x[3 * i + 3] + 5 * c
                k = int(sqrt(dx * dx + dy * dy + dz * dz) / 0.75)
                aa[k] += 0.5
                if (j < 2) ab[k]++
                if (i < 2 && j == 1) bc[k]++
            }
        for (k = 0; k < 12; k++) print aa[k] + 0, ab[k] + 0, bc[k] + 0
    }' | tr ' ' '\t' >"$T/expected"
    for engine in cpu reference; do
        rdfhist -e $engine -r 9 -b 12 -B 1 --own-images -p A:A -p A:B -p B:C "$T/x.trjf" 2>/dev/null | counts |
            same "$T/expected" -
    done
    rdfhist -e cpu -r 9 -b 12 --own-images -p A:A "$T/x.trjf" -o "$T/x.rdfh" 2>/dev/null
    trjinfo "$T/x.rdfh" | has '^own_images.counted$'
    fails 3 'count a supercell without rdfhist --own-images' rdfderive -q kb "$T/x.rdfh"
    fails_cleanly 2 '--own-images: applies to distances in space of all pairs; leave out --lag' \
        rdfhist -r 9 --own-images --metric xy "$T/x.trjf"
    trjcat -g 'A=x > 0.5' "$T/x.xyz" >"$T/dynamic.trjf"
    fails_cleanly 2 '--own-images: the atoms of group A change from frame to frame' \
        rdfhist -r 9 --own-images "$T/dynamic.trjf"
}

@test "layers in a skew cell: parallel to the other vectors; a vector that is not periodic has no effect" {
    awk "$AWK_RANDOM"'BEGIN {
        seed = 6
        print "300\nLattice=\"20 0 0 7 18 0 5 -6 16\" Properties=species:S:1:pos:R:3"
        for (i = 0; i < 300; i++)
            printf "X %.4f %.4f %.4f\n", 60 * random() - 20, 60 * random() - 20, 60 * random() - 20
    }' >"$T/skew.xyz"
    # The row of the reciprocal cell: b x c / V; with periodic b and c, c without its component along b; along c alone.
    local periodic row
    for periodic in xyz:0,0,0.0625 yz:-0.0181,-0.0083,0.0489 z:0.015773,-0.018927,0.050473; do
        row=${periodic#*:}
        if [[ $periodic == yz:* ]]; then
            row=$(awk 'BEGIN { b = 7 * 7 + 18 * 18; d = (5 * 7 - 6 * 18) / b
                x = 5 - d * 7; y = -6 - d * 18; z = 16; n = x * x + y * y + z * z
                printf "%.12g,%.12g,%.12g", x / n, y / n, z / n }')
        elif [[ $periodic == z:* ]]; then
            row=$(awk 'BEGIN { n = 5 * 5 + 6 * 6 + 16 * 16; printf "%.12g,%.12g,%.12g", 5 / n, -6 / n, 16 / n }')
        fi
        awk -v row="$row" 'BEGIN { split(row, g, ",") }
            NR > 2 { s = g[1] * $2 + g[2] * $3 + g[3] * $4; s -= int(s); if (s < 0) s++; n[int(4 * s)]++ }
            END { for (i = 0; i < 4; i++) print n[i] }' "$T/skew.xyz" >"$T/expected"
        trjcat -P "${periodic%%:*}" -g A=all "$T/skew.xyz" 2>/dev/null |
            rdfhist -e cpu -r 4 -b 4 --layers z:4 -o "$T/h" 2>/dev/null
        rdfnorm --counts "$T/h" | sed -n 's/^# group A@z[1-4]: on average \([0-9.]*\) of 300 atoms/\1/p' >"$T/got"
        same "$T/expected" "$T/got" || { echo "$periodic"; rdfnorm --counts "$T/h" | grep '^#'; return 1; }
    done
}

@test "layers: A:A and * make pairs within each layer; A@z1:A makes pairs with each layer" {
    need_python_module numpy
    make_shape cube
    trjcat -g 'A=name A' -g 'B=name B' -g 'S=index 3' "$T/cube.xyz" >"$T/three.trjf"
    columns() {
        rdfhist -r 4 -b 2 --layers z:2 "$@" "$T/three.trjf" 2>"$T/err" | rdfnorm --counts | grep '^# r_lo' | cut -f 3-
    }
    [[ $(columns -p 'B:A') == $'count(B@z1:A@z1)\tcount(B@z2:A@z2)' ]]
    [[ $(columns -p 'A@z2:B') == $'count(A@z2:B@z1)\tcount(A@z2:B@z2)' ]]
    [[ $(columns -p 'A@z1:A@z2') == 'count(A@z1:A@z2)' ]]
    # As without layers, * omits pairs of groups without a pair of atoms, and those that are also given by name.
    columns -p '*:*' | tr '\t' '\n' | sort >"$T/any"
    printf 'count(%s)\n' A@z{1,2}:A@z{1,2} A@z{1,2}:B@z{1,2} A@z{1,2}:S@z{1,2} B@z{1,2}:B@z{1,2} B@z{1,2}:S@z{1,2} |
        grep -v '1:.@z2\|2:.@z1' | sort | diff "$T/any" -
    has 'group S@z2 is a single atom' "$T/err"
    columns -p '*:*' -p 'A:A' | tr '\t' '\n' | sort | diff "$T/any" -
    run -2 rdfhist -r 4 --layers z:2 -p A:A -p A:A "$T/three.trjf"
    # Texts that overlap count the common pairs once.
    columns -p A:A -p A@z1:A >"$T/both"
    columns -p A:A -p A@z1:A@z2 | diff "$T/both" -
    # Layers along another axis are other groups.
    rdfhist -r 4 -b 2 --layers z:2 -p A:A "$T/three.trjf" >"$T/z.rdfh"
    trjcat -f 1: -g 'A=name A' -g 'B=name B' -g 'S=index 3' "$T/cube.xyz" |
        rdfhist -r 4 -b 2 --layers x:2 -p A:A >"$T/x.rdfh"
    run -3 rdfnorm "$T/z.rdfh" "$T/x.rdfh"
    run -3 rdfcmp "$T/z.rdfh" "$T/x.rdfh"
    run -2 rdfhist -r 4 --layers z:2 -p A@z3:A "$T/three.trjf"
    [[ $output == *"no group 'A@z3' in the stream, which has A@z1, A@z2, B@z1"* ]]
}

@test "errors of a second coordinate: the comment describes the longest blocks of all bins" {
    need_python_module numpy
    # Only pairs along x are correlated: the same atoms in four successive frames.
    run_python - >"$T/slow.xyz" <<'PYTHON'
import numpy as np

random = np.random.default_rng(5)
for frame in range(128):
    if frame % 8 == 0:
        pairs = int(random.integers(5, 50))
    lines = []
    for k in range(100):
        along = [1, 0, 0] if k < pairs else [0, 0, random.choice([-1, 1])]
        lines += ["A %g 0 %g" % (30 * k + 5 * j * along[0], 5 * j * along[2]) for j in (0, 1)]
    print(200)
    print('Lattice="3000 0 0 0 30 0 0 0 30" Properties=species:S:1:pos:R:3', *lines, sep="\n")
PYTHON
    trjcat -g 'A=all' "$T/slow.xyz" | rdfhist -r 6 -b 2 -B 1 --angle x:3 2>/dev/null | rdfnorm 2>/dev/null >"$T/table"
    has '^# error A:A, longest of 3: blocks of [1-9][0-9]* records, statistical inefficiency' "$T/table"
}

# Prints the mean of g over bins from $1 to $2 of a table, by columns r and g.
mean_g() {
    rows | awk -v low="$1" -v high="$2" -v r="${3:-1}" -v g="${4:-2}" '$r > low && $r < high { n++; sum += $g }
        END { printf "%.3f\n", sum / n }'
}

@test "normalisation: uniform atoms have g = 1 for every metric, in every cell" {
    need_python_module numpy
    local shape options g
    for shape in "${shapes[@]}"; do
        run_python tests/helpers/metric_counts.py make "$shape" 40 400 >"$T/gas.xyz"
        trjcat -g 'A=all' "$T/gas.xyz" >"$T/gas.trjf"
        for options in '--metric xy --dz 1.5' '--metric xz --dz 4' '--angle z:1' '--metric yz --dz 3:1' \
            '--metric xy --layers z:1 --dz 2'; do
            # shellcheck disable=SC2086
            g=$(rdfhist -r 8 -b 80 $options "$T/gas.trjf" 2>/dev/null | rdfnorm | mean_g 1 8)
            awk -v g="$g" 'BEGIN { exit !(g > 0.99 && g < 1.01) }' || {
                echo "$shape $options: $g"
                return 1
            }
        done
        for options in '--angle y:4' '--metric xy --dz 4:4'; do
            # shellcheck disable=SC2086
            g=$(rdfhist -r 8 -b 80 $options "$T/gas.trjf" 2>/dev/null | rdfnorm | mean_g 1 8 2 3)
            awk -v g="$g" 'BEGIN { exit !(g > 0.99 && g < 1.01) }' || {
                echo "$shape $options: $g"
                return 1
            }
        done
    done
}

@test "cells: components of vectors that are rounding errors do not change the counts or g(r)" {
    need_python_module numpy
    make_shape brick
    sed 's/Lattice="9 0 0 0 11 0 0 0 15"/Lattice="9 3e-16 0 -2e-16 11 7e-16 5e-16 6e-16 15"/' "$T/brick.xyz" >"$T/noise.xyz"
    run ! cmp -s "$T/brick.xyz" "$T/noise.xyz"
    trjcat -g 'A=name A' -g 'B=name B' "$T/noise.xyz" >"$T/noise.trjf"
    local options shape
    for options in '--metric xy' '--metric xz' '--metric xz --dz 2' '--metric yz --dz 20' '--metric y' '--metric z'; do
        for shape in brick noise; do
            # shellcheck disable=SC2086
            rdfhist -r 4 -b 8 $options "$T/$shape.trjf" 2>/dev/null | rdfnorm | rows >"$T/$shape.g"
        done
        same "$T/brick.g" "$T/noise.g"
    done
    # In other cells, the density profile across the plane is not used, and a note states this.
    make_shape tilted
    rdfhist -r 4 --metric xz --dz 2 "$T/tilted.trjf" 2>&1 >"$T/rdfh" |
        has 'takes the density across this plane as uniform$'
    rdfhist -r 4 --metric xy --dz 2 "$T/tilted.trjf" 2>&1 >"$T/rdfh" | run ! has 'uniform'
}

@test "metrics: merged segments equal the whole, and other metrics are rejected" {
    need_python_module numpy
    make_shape tilted
    local part
    rdfhist --angle z:3 -r 5 -B 1 "$T/tilted.trjf" 2>/dev/null | rdfnorm --counts | rows >"$T/whole"
    for part in 1 2 3; do
        trjcat -g 'A=name A' -g 'B=name B' --segment $part/3 "$T/tilted.xyz" 2>/dev/null |
            rdfhist --angle z:3 -r 5 -B 1 2>/dev/null >"$T/$part.rdfh"
    done
    rdfnorm --counts "$T"/[123].rdfh | rows | diff "$T/whole" -
    rdfhist --angle x:3 -r 5 -B 1 "$T/tilted.trjf" 2>/dev/null >"$T/other.rdfh"
    run -3 rdfnorm "$T/1.rdfh" "$T/other.rdfh"
    [[ $output == *'expected the metric distance, and cosine of the angle with z in 3 bins, found '* ]]
    run -3 rdfderive -q sq "$T/1.rdfh"
    [[ $output == *'count without rdfhist --metric and --angle'* ]]
    run -2 rdfnorm -n gromacs "$T/1.rdfh"
    [[ $output == *'applies to distances in space'* ]]
    trjinfo "$T/1.rdfh" | has -P '^metric\tdistance, and cosine of the angle with z in 3 bins$'
}

@test "metrics: invalid values and combinations are rejected with a remedy" {
    need_python_module numpy
    make_shape tilted
    local options expected
    while IFS='|' read -r options expected; do
        # shellcheck disable=SC2086
        run -2 rdfhist $options "$T/tilted.trjf"
        [[ $output == *"$expected"* ]] || {
            echo "$options: $output"
            return 1
        }
    done <<'END'
--metric xy --dz 0|--dz: invalid value '0'
--metric xy --dz 2:0|--dz: invalid value '2:0'
--metric xy --dz 1e9|--dz: invalid value 1e+09: expected a height above 0 and up to 1e+08 Angstrom
--dz 2|--dz: requires a plane
--angle z|--angle: invalid value 'z'
--angle q:3|--angle: invalid value 'q:3'
--angle z:3 --metric xy|--angle: applies to distances in space
--layers z|--layers: invalid value 'z'
--metric xy --lag 1|--lag: cannot be combined
--metric xy -x residue|--exclude: cannot be combined
--metric xy --neighbours 3|require distances in space
--angle z:2 --triplet A:A:A -r 4|require distances in space
--angle z:9000000 -r 5 -b 9|expected at most 10000000
END
    run -3 rdfhist --metric xy "$T/tilted.trjf"
    [[ $output == *'tilted.trjf: frame 0: cell vector '*'give a window of heights with --dz'* ]]
    run -3 rdfhist --metric xy --dz 1e7 -r 4 "$T/tilted.trjf"
    # No pair is within this window, so that g(r) is undefined.
    rdfhist --metric xy --dz 1e-9 -r 4 -b 2 "$T/tilted.trjf" 2>/dev/null | rdfnorm | rows | cut -f 2 | diff - <(
        printf 'nan\nnan\n'
    )
    [[ $output == *'rmax 4 Å within the window of heights reaches '*'; give a smaller -r or --dz, or correct'* ]]
    run -3 rdfhist --metric x "$T/tilted.trjf"
    [[ $output == *'two periodic cell vectors have a component along x'* ]]
    trjcat --periodic xy -g 'A=name A' "$T/tilted.xyz" >"$T/slab.trjf"
    run -3 rdfhist --layers z:3 "$T/slab.trjf"
    [[ $output == *'is not periodic along z'* ]]
}

@test "dipoles in a field: cosines have Boltzmann's distribution, and their mean is Langevin's function" {
    need_python_module numpy
    run_python - >"$T/dipoles.xyz" <<'PYTHON'
import numpy as np

# 1000 dipoles of length 1 on a lattice, with energy -2 kT cos(theta) in a field along y.
random = np.random.default_rng(11)
lattice = np.array(np.meshgrid(*[np.arange(10) * 4.0] * 3)).reshape(3, -1).T
for frame in range(20):
    u = random.random(1000)
    cosine = np.log(np.exp(-2) + u * (np.exp(2) - np.exp(-2))) / 2
    phi, sine = 2 * np.pi * random.random(1000), np.sqrt(1 - cosine**2)
    d = np.stack([sine * np.cos(phi), cosine, sine * np.sin(phi)], axis=1)
    print(2000)
    print('Lattice="40 0 0 0 40 0 0 0 40" Properties=species:S:1:pos:R:3')
    for a, b in zip(lattice, lattice + d):
        print("A", *("%.6f" % x for x in a))
        print("B", *("%.6f" % x for x in b))
PYTHON
    trjcat -g 'A=name A' -g 'B=name B' "$T/dipoles.xyz" | rdfhist -p A:B -r 1.2 -b 1 --angle y:20 2>/dev/null |
        rdfnorm -n none | rows >"$T/cosines"
    # Numbers in a bin: the integral of 2 exp(2 c) / (exp(2) - exp(-2)); errors of 20,000 dipoles.
    awk 'function f(c) { return (exp(2 * c) - exp(-2)) / (exp(2) - exp(-2)) }
        { e = f($1 + 0.05) - f($1 - 0.05); mean += $1 * $3; all += $3; if (($3 - e)^2 > 25 * e / 20000) bad = 1 }
        END { langevin = (exp(2) + exp(-2)) / (exp(2) - exp(-2)) - 1 / 2
            exit bad || all < 0.9999 || all > 1.0001 || (mean - langevin)^2 > 0.02^2 }' "$T/cosines"
}
