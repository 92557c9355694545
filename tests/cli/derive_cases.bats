#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every quantity of rdfderive for each kind of cell and group: the correct number for an ideal gas, or an error with its
# reason; and excluded pairs, whose parts are compared with formulas evaluated from coordinates.
load helper

# derive OPTION...: prints the rows of the table for $T/rdfh
derive() {
    rdfderive "$@" "$T/rdfh" | curve_rows
}

# within FIELD EXPECTED ERRORS: the last row has the expected value in this field, within a number of its errors. The
# next field contains the error.
within() {
    awk -v f="$1" -v w="$2" -v e="$3" '{ last = $0 } END { $0 = last; print $f, "+-", $(f + 1), "expected", w
        exit !($(f + 1) > 0 && ($f - w) ^ 2 <= (e * $(f + 1)) ^ 2) }'
}

# Writes $T/rdfh, ten records of 300 random points, new in each of 40 frames, in a cell of the given kind, and sets
# $inverse to <1/V>.
gas() {
    local cell=22,23,24 breathe=0 periodic=xyz angles=90,90,90
    case $1 in *npt*) breathe=0.06 ;; esac
    case $1 in *skew*) angles=75,80,100 ;; esac
    case $1 in slab) periodic=xy ;; open) periodic=none ;; esac
    mkdcd --atoms 300 --frames 40 --cell "$cell,$angles" --breathe $breathe --seed 11 >"$T/dcd"
    trjcat -P $periodic -g "A=${2-index 0 to 99}" -g 'B=all' "$T/dcd" |
        rdfhist -e cpu -p B:B -p A:B -b 200 -r "${3-10}" -B 4 >"$T/rdfh"
    inverse=$(awk -v angles="$angles" -v breathe=$breathe 'BEGIN { split(angles, d, ",")
        for (i in d) c[i] = cos(d[i] * atan2(0, -1) / 180)
        v = 22 * 23 * 24 * sqrt(1 - c[1] ^ 2 - c[2] ^ 2 - c[3] ^ 2 + 2 * c[1] * c[2] * c[3])
        for (f = 0; f < 40; f++) s += 1 / (v * (1 + breathe * sin(f)) ^ 3) / 40; printf "%.15g", s }')
}

# In an ideal gas in a periodic cell each atom has 299 others at the density <1/V> around it; Debye's sum gives S(q) of
# the sphere of 10 A. A group of 100 of the 300 atoms has the same density around it, and 100/300 of it from its own
# atoms.
ideal() {
    local v
    v=$(awk -v i="$inverse" 'BEGIN { printf "%.12g", 4000 / 3 * atan2(0, -1) * i }')
    derive -q n | within 2 "$(awk -v v="$v" 'BEGIN { print 299 * v }')" 4
    derive -q n | within 4 "$(awk -v v="$v" 'BEGIN { print 299 * v }')" 4
    derive -q n | within 6 "$(awk -v v="$v" 'BEGIN { print 299 * v / 3 }')" 4
    derive -q pmf -T 300 | awk '$1 > 4 { n += 2; s += ($2 / $3) ^ 2 + ($4 / $5) ^ 2 }
        END { print "pmf", s / n; exit !(s / n < 2 && s / n > 0.5) }'
    derive -q sq --qmin 1.5 --qmax 10 --dq 0.31 |
        awk '{ n++; s += (($2 - 1) / $3) ^ 2 } END { print "sq", s / n; exit !(n == 28 && s / n < 2 && s / n > 0.4) }'
    derive -q kb | within 6 0 4
    derive -q s2 --corrected | within 2 0 4
    derive -q debye --qmin 0.2 --qmax 0.2 | within 2 \
        "$(awk -v i="$inverse" 'BEGIN { print 1 + 299 * i * 16 * atan2(1, 1) * (sin(2) - 2 * cos(2)) / 0.008 }')" 4
    fails 3 'no significant maximum of shell 1' rdfderive -q shells "$T/rdfh"
}

@test "ideal gas, constant volume or pressure, rectangular or skew cell: all quantities are correct" {
    local kind
    for kind in nvt npt skew skew-npt; do
        gas $kind
        echo "$kind: 1/V = $inverse"
        ideal
    done
}

@test "ideal gas in a slab: quantities that need no bulk are correct, S(q), G and s2 are rejected" {
    gas slab
    local h n
    # In a slab a sphere of radius r < h contains 4 pi (r^3/3 - r^4/(8h)) of it on average; c is the third vector, 24 A.
    h=24
    n=$(awk -v i="$inverse" -v h=$h \
        'BEGIN { printf "%.10g", 299 * i * 16 * atan2(1, 1) * (1000 / 3 - 10000 / (8 * h)) }')
    derive -q n | within 2 "$n" 4
    derive -q n | within 6 "$(awk -v n="$n" 'BEGIN { print n / 3 }')" 4
    derive -q pmf -T 300 | awk '$1 > 4 { n += 2; s += ($2 / $3) ^ 2 + ($4 / $5) ^ 2 }
        END { print "pmf", s / n; exit !(s / n < 2 && s / n > 0.5) }'
    derive -q debye --qmin 0.2 --qmax 0.2 |
        within 2 "$(awk -v i="$inverse" \
        -v h=$h 'BEGIN { for (r = 0.0005; r < 10; r += 0.001) 
            s += 0.001 * 16 * atan2(1, 1) * r * r * (1 - r / 2 / h) * sin(0.2 * r) / (0.2 * r)
        print 1 + 299 * i * s }')" 4
    local q
    for q in sq kb s2; do fails 3 \
        "frames are periodic in two directions only, but --quantity $q requires a bulk system; give its volume with --volume" \
        rdfderive -q $q "$T/rdfh"; done
    fails 3 'no significant maximum of shell 1' rdfderive -q shells "$T/rdfh"
}

@test "ideal gas without periods: n counts all neighbours, S(0) is their number, densities are required elsewhere" {
    gas open 'index 0 to 99' 41
    derive -q n | tail -n 1 | awk '{ print; exit !($2 == 299 && $4 == 299 && ($6 - 299 / 3) ^ 2 < 1e-12) }'
    derive -q debye --qmax 0 | awk '{ print; exit !($2 == 300) }'
    local q
    for q in sq kb s2 shells 'pmf -T 300'; do
        # shellcheck disable=SC2086
        fails 3 'frames periodic in fewer than two directions have no uniform density; if the system is' \
            rdfderive -q $q "$T/rdfh"
    done
}

@test "dynamic group: neighbours in both directions and w have correct errors; other quantities are rejected" {
    gas npt 'x < 11'
    local v q i j
    v=$(awk -v i="$inverse" 'BEGIN { printf "%.12g", 4000 / 3 * atan2(0, -1) * i }')
    # An atom of A has 299 other atoms around it, wherever A is. An atom of all has fewer atoms of A around it, by the
    # ratio of the group sizes.
    derive -q n | within 4 "$(awk -v v="$v" 'BEGIN { print 299 * v }')" 4
    rdfderive -q n "$T/rdfh" | sed -n 's/^# group A: on average \([0-9.]*\) of .*/\1/p' |
        awk '{ print; exit !($1 > 130 && $1 < 170) }'
    derive -q n | tail -n 1 | awk -v size="$(rdfderive -q n "$T/rdfh" | sed \
        -n 's/^# group A: on average \([0-9.]*\) of .*/\1/p')" '{ print; exit !(($6 - $4 * size / 300) ^ 2 < 1e-12) }'
    derive -q pmf -T 300 | awk '$1 > 4 { n++; s += ($4 / $5) ^ 2 }
        END { print s / n; exit !(s / n < 2 && s / n > 0.5) }'
    for q in sq debye kb s2; do
        fails 3 \
            "a dynamic group has no constant size, which --quantity $q requires; use selections that do not depend on coordinates" \
            rdfderive -q $q "$T/rdfh"; done
    # The errors of n(A:B) and n(B:A) equal those of the jackknife over records.
    for i in 0 1 2 3; do trjcat -g 'A=x < 11' -g 'B=all' -f $((i * 10)):$((i * 10 + 10)) "$T/dcd" |
        rdfhist -B 0 -e cpu -p A:B -b 20 -r 10 >"$T/$i.rdfh"; done
    for i in 0 1 2 3; do
        for j in 0 1 2 3; do [[ $i == "$j" ]] || cat "$T/$j.rdfh"; done | rdfderive -q n | rows | tail -n 1 | cut -f 2,4
    done | awk '{ n++; a += $1; aa += $1 * $1; b += $2; bb += $2 * $2 }
        END { printf "%.3g %.3g\n", sqrt((n - 1) / n * (aa - a * a / n)), sqrt((n - 1) / n * (bb - b * b / n)) }' \
            >"$T/expected"
    cat "$T"/?.rdfh | rdfderive -q n | rows | tail -n 1 | awk '{ printf "%.3g %.3g\n", $3, $5 }' | same "$T/expected" -
}

@test "group within another one: neighbours of the common atoms are correct in both directions" {
    mkdcd --atoms 300 --frames 40 --cell 22,23,24 --seed 3 >"$T/dcd"
    trjcat -g 'A=index 0 to 49' -g 'B=index 0 to 199' "$T/dcd" | rdfhist -e cpu -p A:B -b 20 -r 10 -B 4 >"$T/rdfh"
    # 50 x 200 pairs, without the 50 of an atom with itself
    derive -q n | within 2 "$(awk 'BEGIN { print 199 * 4000 / 3 * atan2(0, -1) / (22 * 23 * 24) }')" 4
    derive -q n | within 4 "$(awk 'BEGIN { print 199 / 4 * 4000 / 3 * atan2(0, -1) / (22 * 23 * 24) }')" 4
    # S of both groups is that of their common atoms, 50/sqrt(50 * 200).
    derive -q sq --qmin 2 --qmax 10 --dq 0.31 |
        awk '{ n++; s += (($2 - 0.5) / $3) ^ 2 } END { print s / n; exit !(s / n > 0.4 && s / n < 2) }'
}

@test "lattice: six neighbours in the first shell, fewer at faces and without periods, also for dynamic groups" {
    # In a cubic lattice of 12 x 12 x 12, one in twelve atoms is at a given face of a slab, and six times as many are at
    # the faces of a cube in empty space.
    mkdcd --kind lattice --atoms 1728 --frames 2 --cell 36,36,36 >"$T/dcd"
    trjcat "$T/dcd" | rdfhist -B 0 -e cpu -b 75 -r 5 >"$T/rdfh"
    derive -q shells --reach 0.1 | awk '{ print; exit !(($3 - 3) ^ 2 < 0.04 ^ 2 && $2 == 1 && $7 == 6 && $8 == 6) }'
    trjcat -P xy "$T/dcd" | rdfhist -B 0 -e cpu -b 75 -r 5 >"$T/rdfh"
    derive -q shells --reach 0.1 | awk '{ print; exit !(($3 - 3) ^ 2 < 0.04 ^ 2 && ($7 - 6 + 2 / 12) ^ 2 < 1e-12) }'
    trjcat -P none "$T/dcd" | rdfhist -B 0 -e cpu -b 75 -r 5 >"$T/rdfh"
    derive -q shells --reach 0.1 -v 46656 |
        awk '{ print; exit !(($3 - 3) ^ 2 < 0.04 ^ 2 && ($7 - 6 + 6 / 12) ^ 2 < 1e-12) }'
    trjcat -g 'A=index 0 to 11 or x < 10' -g 'B=all' "$T/dcd" | rdfhist -B 0 -e cpu -p A:B -b 75 -r 5 >"$T/rdfh"
    derive -q shells --reach 0.1 | awk '{ print; exit !(($3 - 3) ^ 2 < 0.04 ^ 2 && $7 == 6 && $8 > 0 && $8 < 6) }'
}

# dimers OPTION...: writes $T/rdfh, ten records of 200 dimers of length 1.5 with random positions and directions, new in
# each of 30 frames; their pairs are excluded. With a bin width of 9.966777/1000, 1.5 is the centre of a bin. OPTION...
# are those of rdfhist.
dimers() {
    awk "$AWK_RANDOM"'BEGIN { seed = 8; pi = atan2(0, -1); for (f = 0; f < 30; f++) { print 400
        print "Lattice=\"20 0 0 0 21 0 0 0 22\" Properties=species:S:1:pos:R:3"
        for (m = 0; m < 200; m++) { x = 20 * random(); y = 21 * random(); z = 22 * random(); c = 2 * random() - 1
        s = sqrt(1 - c * c); t = 2 * pi * random()
            print "C", x, y, z; print "N", x + 1.5 * s * cos(t), y + 1.5 * s * sin(t), z + 1.5 * c } } }' >"$T/xyz"
    for ((i = 0; i < 400; i += 2)); do echo $i $((i + 1)); done >"$T/pairs"
    trjcat -g 'C=name C' -g 'N=name N' -g 'all=all' "$T/xyz" |
        rdfhist -e cpu -x "pairs:$T/pairs" -B 3 -p C:N -p all:all "$@" >"$T/rdfh"
}

@test "excluded pairs of a gas of dimers: one neighbour, its sin(qd)/(qd), and nothing else" {
    dimers -b 1000 -r 9.966777
    # The values n of the parts add up, and a dimer has one bond.
    paste <(derive -q n --excluded in) <(derive -q n) <(derive -q n --excluded only) |
        awk '($2 - $9 - $16) ^ 2 + ($6 - $13 - $20) ^ 2 > 1e-14 || $16 != ($1 > 1.5) { print; bad = 1 }
        END { exit bad || NR != 1000 }'
    derive -q n | within 2 "$(awk 'BEGIN { print 199 / (20 * 21 * 22) * 4 / 3 * atan2(0, -1) * 9.966777 ^ 3 }')" 4
    # The excluded pairs alone give sin(qd)/(qd), plus 1 for a group with itself; the other pairs give 0, also at small
    # q; all pairs give the sum.
    derive -q sq --excluded only --qmax 12 --dq 0.4 | awk '{ x = 1.5 * $1; w = x ? sin(x) / x : 1
        if (($2 - w) ^ 2 > 2e-4 ^ 2 || ($4 - 1 - w) ^ 2 > 2e-4 ^ 2) { print; bad = 1 } } END { exit bad || NR != 31 }'
    derive -q sq --excluded out --qmin 0.1 --qmax 12 --dq 0.4 |
        awk '{ n += 2; a = ($2 / $3) ^ 2; b = ($4 / $5) ^ 2; s += a + b; if (a > 16 || b > 16) { print; bad = 1 } }
        END { print s / n; exit bad || s / n > 2 || s / n < 0.4 }'
    local q option
    for q in sq debye; do for option in '' '--atoms 400' '-w lorch'; do
        [[ $q != debye || $option != -w* ]] || continue
        for w in in out only; do
            # shellcheck disable=SC2086
            derive -q $q $option --excluded $w --qmax 12 --dq 0.4 >"$T/$w"
        done
        paste "$T/in" "$T/out" "$T/only" |
            awk '{ for (i = 2; i <= 4; i += 2) if (($i - $(i + 5) - $(i + 10)) ^ 2 > (1e-9 * (1 + $i * $i)) ^ 2) { print
            bad = 1 } } END { exit bad || NR != 31 }'
        # For structure factors the default is all pairs.
        # shellcheck disable=SC2086
        derive -q $q $option --qmax 12 --dq 0.4 | same "$T/in" -
    done; done
    # The other quantities exclude pairs within a molecule by default; G, s2 and w are then zero.
    derive -q kb --corrected | within 6 0 4
    derive -q kb --corrected | within 12 0 4
    derive -q s2 --corrected | within 2 0 4
    same <(derive -q s2) <(derive -q s2 --excluded out)
    derive -q pmf -T 300 | awk '$1 > 4 { n++; s += ($2 / $3) ^ 2 }
        END { print s / n; exit !(s / n < 2 && s / n > 0.5) }'
    rdfderive -q sq "$T/rdfh" | has '^# excluded pairs: pairs:.*, counted with the others$'
    rdfderive -q sq --excluded only "$T/rdfh" | has '^# excluded pairs: pairs:.*, only these$'
    rdfderive -q kb "$T/rdfh" | has '^# excluded pairs: pairs:.*, left out$'
    # Without an exclusion, S(q) differs only because a molecule excludes itself from its surroundings, a relative
    # effect of 1/N in a sphere, which is negligible except at small q.
    trjcat -g 'C=name C' -g 'N=name N' -g 'all=all' "$T/xyz" | rdfhist -e cpu -B 3 -p C:N -p all:all -b 1000 \
        -r 9.966777 | rdfderive -q sq --qmax 12 --dq 0.4 | rows >"$T/plain"
    derive -q sq --qmax 12 --dq 0.4 | paste - "$T/plain" | awk '$1 >= 2 && ($4 - $9) ^ 2 > 0.012 ^ 2 { print
        bad = 1 } !$1 { print; wrong = $9 < $4 - 0.3 } END { exit bad || !wrong }'
}

@test "excluded pairs, not separable or with images: rejected; beyond rmax, none or all: a note or an error" {
    local q
    dimers -b 100 -r 9
    for q in kb s2 shells; do
        fails 2 "--excluded only: $q requires a g(r) that tends to 1" rdfderive -q $q --excluded only "$T/rdfh"; done
    # Beyond half of the cell, images of the other atom of a dimer are within rmax.
    dimers -b 100 -r 22
    for q in 'sq' 'sq --excluded only' 'debye --excluded only'; do
        # shellcheck disable=SC2086
        fails 3 'C:N: 6000 excluded pairs were counted * times, as images are within rmax' rdfderive -q $q "$T/rdfh"
    done
    rdfderive -q sq --excluded out "$T/rdfh" >"$T/table"
    # rmax is smaller than the bond.
    dimers -b 100 -r 1.4
    rdfderive -q sq --excluded only "$T/rdfh" 2>&1 >"$T/table" |
        has 'C:N: 6000 of 6000 excluded pairs are beyond rmax and not in the sum'
    [[ -z $(rdfderive -q sq --excluded out "$T/rdfh" 2>&1 >"$T/table") ]]
    # The counts have no excluded pairs, or only excluded pairs: a single molecule has S(q) of its own, and no
    # surroundings.
    gas nvt
    fails 3 'no pairs are excluded in these counts' rdfderive -q n --excluded only "$T/rdfh"
    trjcat -f :1 -g 'one=index 0 1' "$T/xyz" | rdfhist -B 0 -e cpu -x "pairs:$T/pairs" -b 1000 -r 9.966777 >"$T/rdfh"
    for q in n sq; do fails 3 'all pairs of groups one and one are excluded' \
        rdfderive -q $q --excluded out "$T/rdfh"; done
    derive -q sq --qmax 4 --dq 0.5 | awk '{ x = 1.5 * $1; w = 1 + (x ? sin(x) / x : 1); print
        if (($2 - w) ^ 2 > 2e-4 ^ 2) bad = 1 } END { exit bad || NR != 9 }'
}

@test "excluded pairs of water: both parts of S(q) agree with numpy" {
    need_python_module MDAnalysis
    # All rigid bonds lie in one bin of 0.001 A, at most 0.0005 from its centre, which gives 5e-4 in sin(qr)/(qr). The
    # distances of the other pairs are binned in float32 by numpy.
    trjcat -f :4 -t examples/water/water.pdb -g 'O=name OW' -g 'H=name HW*' examples/water/water.dcd |
        rdfhist -B 0 -e cpu -x residue -b 9000 -r 9 -p O:H -p H:H >"$T/rdfh" 2>/dev/null
    /usr/bin/python3 -W ignore - >"$T/expected" <<'EOP'
import numpy as np
import MDAnalysis as mda
from MDAnalysis.lib.distances import distance_array
u = mda.Universe('examples/water/water.pdb', 'examples/water/water.dcd')
O, H = u.select_atoms('name OW'), u.select_atoms('name HW*')
q = np.arange(0, 12.01, 0.5)
edges = np.linspace(0, 9, 9001)
middle = (edges[1:] + edges[:-1]) / 2
shell = 4 / 3 * np.pi * np.diff(edges ** 3)
def parts(A, B):
    inside, hist, inverse, own = np.zeros(len(q)), np.zeros(9000), 0, np.array_equal(A.indices, B.indices)
    for ts in u.trajectory[:4]:
        inverse += 1 / ts.volume / 4
        d = distance_array(A.positions, B.positions, box=ts.dimensions)
        same = A.resindices[:, None] == B.resindices[None, :]
        pairs = d[same & (d > 1e-6)]
        inside += [np.sinc(x * pairs / np.pi).sum() / np.sqrt(len(A) * len(B)) / 4 for x in q]
        hist += np.histogram(d[~same], edges)[0] / 4
    g = hist / shell / (~same).sum() / inverse
    rest = [np.sqrt(len(A) * len(B)) * inverse * (shell * (g - 1) * np.sinc(x * middle / np.pi)).sum() for x in q]
    return own + inside, np.array(rest)
a, b = parts(O, H), parts(H, H)
for row in zip(q, a[0] + a[1], b[0] + b[1], a[0], b[0], a[1], b[1]):
    print(*row)
EOP
    paste -d ' ' <(derive -q sq --qmax 12 --dq 0.5) <(derive -q sq --excluded only --qmax 12 --dq 0.5) \
        <(derive -q sq --excluded out --qmax 12 --dq 0.5) "$T/expected" | tr '\t' ' ' |
        awk 'function far(a, b, by) { return a - b > by || b - a > by }
        far($2, $11, 1e-3) || far($3, $12, 1e-3) || far($5, $13, 1e-3) || far($6, $14, 1e-3) || far($8, $15, 1e-5) ||
        far($9, $16, 1e-5) || $1 != $10 { print; bad = 1 }
            END { exit bad || NR != 25 }'
}

@test "layered crystal: shells and errors do not depend on rmax" {
    # Two square layers 2 A apart with displacements of 0.2 A, in a slab of 4 A: each atom has shells of 5 atoms at 2 A
    # and of 8 at 2.83 A.
    awk "$AWK_RANDOM"'function gauss() { return 0.2 * sqrt(-2 * log(1 - random())) * cos(8 * atan2(1, 1) * random()) }
        BEGIN { seed = 2; for (t = 0; t < 16; t++) { print 288
        print "Lattice=\"24 0 0 0 24 0 0 0 4\" Properties=species:S:1:pos:R:3"
            for (i = 0; i < 12; i++) for (j = 0; j < 12; j++) for (k = 0; k < 2; k++) printf "X %.5f %.5f %.5f\n",
                2 * i + gauss(), 2 * j + gauss(), 1 + 2 * k + gauss() } }' \
                >"$T/x.xyz"
    local rmax
    for rmax in 8 48; do
        # Few pairs are near, and the noise of the distant majority must not affect their errors.
        trjcat -P xy "$T/x.xyz" | rdfhist -e cpu -r $rmax -b $((rmax * 25)) -B 4 | rdfderive -q shells --shells 2 |
            rows | tee "$T/$rmax"
    done
    same "$T/8" "$T/48"
    awk '{ d = $3 - 2 * sqrt($2); if (d > 0.05 || d < -0.05) bad = 1 } END { exit bad || NR != 2 }' "$T/8"
}

@test "dynamic groups with pairs in a single record: the error is infinite, and nothing is rejected" {
    local f x
    for f in 0 1 2 3; do
        x=$((f == 1 ? 2 : 10))
        printf '%s\n' 4 'Properties=species:S:1:pos:R:3 Lattice="30 0 0 0 30 0 0 0 30"' 'O 0 0 0' "H $x 0 0" 'H 0 0 3' \
            'O 4 4 4'
    done >"$T/x.xyz"
    trjcat -g 'A=(within 2.5 of index 0) and not index 0' -g 'B=index 0 3' "$T/x.xyz" |
        rdfhist -e cpu -r 8 -b 8 -p A:B -B 1 >"$T/rdfh"
    rdfderive -q n "$T/rdfh" | rows | tail -n 1 >"$T/n"
    [[ $(cat "$T/n") == "$(printf '8\t2\tinf\t0.25\tinf')" ]]
    rdfderive -q pmf -T 300 "$T/rdfh" | rows |
        awk '$3 != "inf" || ($2 != "inf") != (NR == 3 || NR == 7) { print; bad = 1 } END { exit bad || NR != 8 }'
}
