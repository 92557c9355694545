#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfhist --lag: the Van Hove correlation function, compared with numpy, physics, mdtraj, and other ways to count it.
load helper

PDB=examples/water/water.pdb WATER=examples/water/water.dcd

need_numpy() {
    need_python_module numpy
}

van_hove() {
    run_python tests/helpers/van_hove.py "$@"
}

# Prints the counts of histogram streams: the distinct part, then the self part, one column for each pair.
both_parts() {
    paste <(counts "$@") <(counts --self "$@")
}

# walk KIND: writes a random walk in that cell to $T/KIND.xyz
walk() {
    van_hove make "$1" 11 30 7 >"$T/$1.xyz"
}

@test "every cell, engine and lag: the integers of a float64 brute force, for wrapped frames and any images" {
    need_numpy
    local kind lag directions periodic isa
    for kind in cubic triclinic breathing slab free; do
        walk $kind
        case $kind in
        slab) directions=xy periodic=(-P xy) ;;
        free) directions=none periodic=() ;;
        *) directions=xyz periodic=(-P xyz) ;;
        esac
        trjcat "${periodic[@]}" -t "$T/$kind.xyz" -g 'A=index 0 to 19' -g 'B=index 10 to 29' "$T/$kind.xyz" \
            >"$T/trjf" 2>/dev/null
        for lag in 1 4; do
            van_hove count "$T/$kind.xyz" $lag 9 40 $directions 0:20 0:20 >"$T/aa"
            van_hove count "$T/$kind.xyz" $lag 9 40 $directions 0:20 10:30 >"$T/ab"
            paste "$T/aa" "$T/ab" | awk -v OFS='\t' '{ print $1, $3, $2, $4; d += $3; s += $4 }
                END { exit !(d > 100 && s > 50) }' >"$T/expected"
            for isa in reference plain avx2 avx512; do
                if [[ $isa == reference ]]; then
                    rdfhist -B 0 -e reference --lag $lag -r 9 -b 40 -p A:A -p A:B "$T/trjf" >"$T/rdfh"
                else
                    TRJPIPE_ISA=$isa rdfhist -e cpu -j 2 --lag $lag -r 9 -b 40 -p A:A -p A:B -B 3 "$T/trjf" \
                        >"$T/rdfh" 2>"$T/err" ||
                        { grep -q TRJPIPE_ISA= "$T/err" && continue; }
                fi
                both_parts "$T/rdfh" | same "$T/expected" - || { echo "$kind, lag $lag, $isa"; return 1; }
            done
        done
    done
}

@test "segments that overlap by the lag: add up to the whole, and no earlier frame counts twice" {
    trjcat -f :20 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -B 0 -e cpu --lag 3 -r 9 -b 30 >"$T/all"
    # The earlier frames are 0 to 8.
    trjcat -f :12 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -e cpu --lag 3 -r 9 -b 30 -B 4 >"$T/a"
    trjcat -f 9:20 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -B 0 -e cpu --lag 3 -r 9 -b 30 >"$T/b"
    cat "$T/a" "$T/b" >"$T/ab"
    same <(both_parts "$T/all") <(both_parts "$T/ab")
    rdfnorm "$T/a" "$T/b" | has '^# frames: 17 in 4 records$'
    rdfnorm "$T/a" "$T/b" | has '^# lag: 3 frames, 3 ps; distinct part$'
    rdfnorm --self "$T/a" "$T/b" | has '^# lag: 3 frames, 3 ps; self part$'
    trjcat -f 8:20 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -B 0 -e cpu --lag 3 -r 9 -b 30 >"$T/c"
    fails 3 'frame 8 of *water.dcd is counted twice' rdfnorm "$T/a" "$T/c"
    trjcat -f 40::2 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -B 0 -e cpu --lag 3 -r 9 -b 30 >"$T/c"
    fails 3 'expected a lag of 3 ps, found 6 ps' rdfnorm "$T/a" "$T/c"
    trjcat -f 40: -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -B 0 -e cpu -r 9 -b 30 >"$T/c"
    fails 3 'expected a lag of 3 frames, found 0' rdfnorm "$T/a" "$T/c"
}

@test "frozen crystal: the distinct part is g(r), in both orders, and no atom moves" {
    need_numpy
    van_hove make triclinic 1 30 5 >"$T/one.xyz"
    for ((i = 0; i < 6; i++)); do cat "$T/one.xyz"; done >"$T/frozen.xyz"
    trjcat -P xyz -t "$T/frozen.xyz" -g 'A=index 0 to 24' -g 'B=index 20 to 29' "$T/frozen.xyz" >"$T/trjf" 2>/dev/null
    rdfhist -B 0 -e cpu -p A:A -p A:B -b 50 -r 12 "$T/trjf" >"$T/still"
    rdfhist -B 0 -e cpu -p A:A -p A:B -b 50 -r 12 --lag 2 "$T/trjf" >"$T/rdfh"
    paste <(counts "$T/still") <(counts "$T/rdfh") |
        awk '{ if ($1 * 2 / 6 != $3 / 4 || $2 / 6 != $4 / 4) { print; exit 1 } }'
    local norm
    for norm in density mdanalysis gromacs number radial none; do
        same <(rdfnorm -n $norm "$T/still" | rows) <(rdfnorm -n $norm "$T/rdfh" | rows)
    done
    [[ $(counts --self "$T/rdfh" | paste -s -d ' ') == "100"$'\t'"20$(printf ' 0\t0%.0s' {1..49})" ]]
}

@test "drifting crystal: all atoms have the same displacement over many cells, and the lattice is unchanged" {
    need_numpy
    # A simple lattice of 1.25 A moves by (0.75, 0, 1) in each frame, 1.25 A along the diagonal of a face, and in four
    # frames by half of the cell. All numbers are exact.
    run_python - >"$T/drift.xyz" <<'EOF'
import numpy as np
n = np.array(list(np.ndindex(8, 8, 8))) * 1.25
for t in range(60):
    x = (n + t * np.array([0.75, 0, 1])) % 10
    print(512)
    print('Lattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3')
    for i, r in enumerate(x):
        print('A', *r)
EOF
    trjcat -P xyz -t "$T/drift.xyz" -g all=all "$T/drift.xyz" 2>/dev/null >"$T/trjf"
    # Within 65 A an atom has a thousand images: 35 atoms in all parts of the cell are followed.
    trjcat -P xyz -t "$T/drift.xyz" -g "some=index $(seq -s ' ' 0 15 511)" "$T/drift.xyz" 2>/dev/null >"$T/some.trjf"
    local lag
    for lag in 1 4 50; do # 1.25, 5 and 62.5 A; the edges are multiples of 0.25 A
        rdfhist -B 0 -e cpu --lag $lag -b 260 -r 65 "$T/some.trjf" 2>/dev/null >"$T/rdfh"
        counts --self "$T/rdfh" |
            awk -v k=$((lag * 5)) -v n=$((35 * (60 - lag))) '$1 != (NR - 1 == k ? n : 0) { print NR, $0; exit 1 }'
    done
    # In 4 frames the lattice moves by (3, 0, 4), which is (0.5, 0, 0.25) modulo the lattice; brute force up to 5 A.
    rdfhist -B 0 -e cpu --lag 4 -b 20 -r 5 "$T/trjf" | counts >"$T/got"
    run_python - >"$T/expected" <<'EOF'
import numpy as np
n = np.array(list(np.ndindex(17, 17, 17))) - 8
d = n * 1.25 + np.array([3, 0, 4]) % 1.25
moved = np.array([3, 0, 4]) // 1.25
own = ((n - moved) % 8 == 0).all(axis=1)
r2 = (d[~own] ** 2).sum(axis=1)
for k in range(20):
    print(512 * 56 * np.count_nonzero((r2 >= (k * .25) ** 2) & (r2 < ((k + 1) * .25) ** 2)))
EOF
    same "$T/expected" "$T/got"
    # The same trajectory unwrapped.
    rdfhist -B 0 -e cpu --lag 7 -b 100 -r 25 "$T/trjf" >"$T/wrapped"
    awk 'NF == 4 { t = int(n / 512); i = n++ % 512
                   print $1, int(i / 64) * 1.25 + t * 0.75, int(i / 8) % 8 * 1.25, i % 8 * 1.25 + t; next }
                   { print }' "$T/drift.xyz" >"$T/free.xyz"
    trjcat -P xyz -t "$T/drift.xyz" -g all=all "$T/free.xyz" 2>/dev/null |
        rdfhist -B 0 -e cpu --lag 7 -b 100 -r 25 >"$T/unwrapped"
    same <(both_parts "$T/wrapped") <(both_parts "$T/unwrapped")
}

@test "random walk: the self part is a Gaussian of variance 6Dt, the distinct part is 1" {
    need_numpy
    # 400 independent walkers with steps of 0.8 A along each axis, in a cell of 12 A: in 9 frames s^2 = 9 0.64, 6Dt = 3
    # s^2.
    run_python - >"$T/walk.xyz" <<'EOF'
import numpy as np
rng = np.random.default_rng(11)
x = rng.uniform(0, 12, (400, 3))
for t in range(109):
    print(400)
    print('Lattice="12 0 0 0 12 0 0 0 12" Properties=species:S:1:pos:R:3')
    for r in x % 12:
        print('A %.6f %.6f %.6f' % tuple(r))
    x += 0.8 * rng.standard_normal(x.shape)
EOF
    trjcat -P xyz "$T/walk.xyz" 2>/dev/null | rdfhist -e cpu --lag 9 -b 60 -r 12 -B 9 >"$T/rdfh"
    rdfnorm --self "$T/rdfh" >"$T/gs"
    rows "$T/gs" >"$T/rows"
    run_python - "$T/rows" <<'EOF'
import sys
import numpy as np
from math import erf, sqrt, pi, exp
r, g, se, n = np.loadtxt(sys.argv[1]).T
s2 = 9 * 0.64
edge = np.arange(61) * 0.2
inside = np.array([erf(e / sqrt(2 * s2)) - sqrt(2 / pi / s2) * e * exp(-e * e / 2 / s2) for e in edge])
shell = 4 / 3 * pi * np.diff(edge ** 3)
# 40000 windows, of which 9 in a row share steps, are at least as good as 4444 independent ones. In bins of 20 or more
# all are within 4.5 errors, and the mean deviation is at most one.
expected = np.diff(inside)
z = ((g * shell - expected) / np.sqrt(expected / 4444))[expected * 4444 > 20]
assert len(z) > 20 and abs(z).max() < 4.5 and 0.05 < (z ** 2).mean() < 1.7, z
# The fraction of atoms within r is within four errors, of which the largest is at 1/2.
assert abs(n - inside[1:]).max() < 4 / sqrt(4 * 4444), abs(n - inside[1:]).max()
# The mean square displacement is 6Dt = 3 s2, with a relative error of sqrt(2/3/4444).
msd = (g * shell * r ** 2).sum()
assert abs(msd / (3 * s2) - 1) < 4 * sqrt(2 / 3 / 4444), msd
assert abs((g * shell).sum() - n[-1]) < 1e-8 and n[-1] > 0.9995
EOF
    grep -q '^# step: at most 0\.[23][0-9]* of the cell from frame to frame$' "$T/gs"
    # 4 pi r^2 G_s and the fraction in each bin are the same numbers in other units.
    paste "$T/rows" <(rdfnorm --self -n radial "$T/rdfh" | rows) <(rdfnorm --self -n none "$T/rdfh" | rows) | awk '
        { lo = (NR - 1) * 0.2; hi = NR * 0.2; s = 4 / 3 * 3.14159265358979 * (hi ^ 3 - lo ^ 3); share = $2 * s
          if ((d = share - $10) * d > 1e-18 || (d = share / 0.2 - $6) * d > 1e-18 || $4 != $8 || $4 != $12) { print
          exit 1 } }'
    # Walkers are independent: g is 1 within five errors of the pairs of 12 independent configurations.
    rdfnorm "$T/rdfh" | rows | awk '{ pairs = 400 * 399 * 12 * 4.18879 * (($1 + .1) ^ 3 - ($1 - .1) ^ 3) / 1728
        if (NR > 3 && (d = $2 - 1) * d > 25 / pairs) { print; exit 1 } }'
}

@test "gmx vanhove: 4 pi r^2 G_s agrees for atoms that cross the faces of the cell" {
    need gmx
    need_numpy
    # 500 walkers move in steps of 0.00001 nm, which an XTC of 5 decimals can store; both programs follow them from
    # frame to frame.
    run_python - >"$T/walk.xyz" <<'EOF'
import numpy as np
rng = np.random.default_rng(3)
cell = np.array([12.0, 13, 14])
x = rng.uniform(0, 12, (500, 3))
for t in range(25):
    print(500)
    print('Lattice="%g 0 0 0 %g 0 0 0 %g" Properties=species:S:1:pos:R:3 time=%d time_unit=ps' % (*cell, t))
    for r in x % cell:
        print("O %.4f %.4f %.4f" % tuple(r))
    x += 0.7 * rng.standard_normal(x.shape)
EOF
    trjcat -P xyz -g all=all "$T/walk.xyz" >"$T/trjf"
    trjcat --decimals 5 -o "$T/walk.xtc" "$T/trjf"
    awk 'BEGIN { print "walkers\n500"
        for (i = 1; i <= 500; i++) printf "%5dW    %5s%5d%8.3f%8.3f%8.3f\n", i, "O", i, 0, 0, 0
        print "1.2 1.3 1.4" }' >"$T/walk.gro"
    (cd "$T" && timeout 120 gmx -nobackup vanhove -f walk.xtc -s walk.gro -or r.xvg -xvg none -fr 4 -nr 2 -rbin 0.02 \
        <<<0 >gmx.log 2>&1) ||
        skip 'this gmx makes no Van Hove function of it'
    # GROMACS has bins around 0, 0.02 nm, ..., and adds up steps in float32, which moves atoms near an edge to another
    # bin: at most three of up to 900 in a bin. (The counts are compared with numpy above, exactly.) It prints six
    # digits.
    local lag
    for lag in 4 8; do
        rdfhist -B 0 -e cpu --lag $lag --rmin 0.1 -r 10.1 -b 50 "$T/trjf" | rdfnorm --self -n radial | rows |
            cut -f 1,2 >"$T/ours"
        awk -v column=$((lag / 4 + 1)) '$1 > 0 { print $1 * 10, $column / 10 }' "$T/r.xvg" |
            head -n 50 | paste "$T/ours" - |
            awk -v lag=$lag '{ d = $2 - $4; e = $1 - $3; off = 3.1 / (500 * (25 - lag) * 0.2) + 1e-5 * $2; s += $4 * 0.2
                if (NF == 4 && (d > off || d < -off || e > 1e-4 || e < -1e-4)) { print lag, $0; bad = 1 } n += NF == 4 }
                END { print lag, n, s; exit bad || n < 30 || s < 0.98 }'
    done
}

@test "mdtraj.compute_rdf_t: g_d(r,t) agrees in a constant cell" {
    need_python_module mdtraj
    walk cubic
    trjcat -P xyz --to dcd -t "$T/cubic.xyz" -g 'A=index 0 to 29' "$T/cubic.xyz" >"$T/walk.dcd" 2>/dev/null
    trjcat "$T/walk.dcd" 2>/dev/null | rdfhist -B 0 -e cpu --lag 4 -b 20 -r 4.7 >"$T/rdfh"
    rdfnorm "$T/rdfh" | rows | cut -f 2 >"$T/g"
    counts "$T/rdfh" >"$T/counts"
    /usr/bin/python3 -W ignore - "$T/walk.dcd" "$T/g" "$T/counts" <<'EOF'
import sys
import numpy as np, mdtraj
top = mdtraj.Topology()
chain = top.add_chain()
for i in range(30):
    top.add_atom('A', mdtraj.element.argon, top.add_residue('A', chain))
t = mdtraj.load(sys.argv[1], top=top)
pairs = np.array([(i, j) for i in range(30) for j in range(30) if i != j])
r, g = mdtraj.compute_rdf_t(t, pairs, [[k, k + 4] for k in range(7)], r_range=(0, 0.47), n_bins=20,
                         n_concurrent_pairs=len(pairs), self_correlation=False)
g, mine, counts = g.mean(axis=0), np.loadtxt(sys.argv[2]), np.loadtxt(sys.argv[3])
# In float32 a pair near an edge may be in the next bin; in other bins the tolerance is 1e-5.
assert (abs(g - mine) * counts <= (1e-5 * counts + 2) * mine).all(), (g, mine)
assert np.count_nonzero(abs(g - mine) <= 1e-5 * mine) > 15, g / mine - 1
EOF
}

@test "dynamic groups: have the members of each of the two frames" {
    local f k a
    local near='near=name OW and within 6 of index 0'
    trjcat -f :7 -t "$PDB" -g "$near" -g 'O=name OW' "$WATER" >"$T/trjf"
    rdfhist -B 0 -e cpu --lag 2 -b 20 -r 9 -p near:near -p near:O -p O:near "$T/trjf" >"$T/rdfh"
    for ((f = 0; f < 5; f++)); do # the same counts as with fixed groups
        for k in 0 2; do
            trjcat -f $((f + k)) -t "$PDB" -g "$near" -g 'all=all' "$WATER" | trjdump |
                sed -n 's/^in near //p' >"$T/near.$k"
        done
        trjcat -f $f:$((f + 3)) -t "$PDB" -g "A=index $(cat "$T/near.0")" -g "B=index $(cat "$T/near.2")" \
            -g 'O=name OW' "$WATER" |
            rdfhist -B 0 -e reference --lag 2 -b 20 -r 9 -p A:B -p A:O -p O:B >"$T/fixed.$f"
        both_parts "$T/fixed.$f" >"$T/parts.$f"
        rdfnorm -c "$T/fixed.$f" | sed \
            -n 's/^# group [AB]: \([0-9]*\) atoms/\1/p; s/^# volume: mean \([0-9.]*\),.*/\1/p' | paste -s >>"$T/sizes"
    done
    cat "$T"/parts.? | awk -v OFS='\t' '{ k = (NR - 1) % 20; for (i = 1; i <= 6; i++) n[k, i] += $i }
        END { for (k = 0; k < 20; k++) print n[k, 1], n[k, 2], n[k, 3], n[k, 4], n[k, 5], n[k, 6] }' >"$T/expected"
    both_parts "$T/rdfh" | same "$T/expected" -
    (($(cut -f 1 "$T/sizes" | sort -u | wc -l) > 1))
    # n(r) is around the members of A in the earlier frame; the self part has the members at both times.
    a=$(awk '{ a += $1 } END { print a }' "$T/sizes")
    rdfnorm "$T/rdfh" | rows | cut -f 3 | paste - <(cut -f 1 "$T/expected") |
        awk -v a="$a" '{ s += $2; d = $1 - s / a; if (d * d > 1e-16) { print; exit 1 } }'
    rdfnorm --self "$T/rdfh" | rows | tail -n 1 | awk '{ exit !($3 == 1 && $5 == 1 && $7 == 1) }'
    # g is normalised by the pairs and the volume of each frame.
    rdfnorm "$T/rdfh" | rows | cut -f 1,4 | paste - <(cut -f 2 "$T/expected") | awk -v pairs="$(awk '{ s += $1 * 342 / $3 } END { printf "%.17g", s }' "$T/sizes")" '
        { lo = $1 - 0.225; hi = $1 + 0.225; g = $3 / (pairs * 4 / 3 * 3.14159265358979 * (hi ^ 3 - lo ^ 3)); d = g - $2
          if (d * d > 1e-12 * (1 + g)) { print g, $0; exit 1 } }'
}

@test "varying volume: pairs, <1/V> of the earlier frames and g(r,t) in both orders equal the formulas" {
    need_numpy
    local sum
    walk breathing
    trjcat -P xyz "$T/breathing.xyz" 2>/dev/null >"$T/trjf"
    rdfhist -e cpu --lag 3 -b 10 -r 5 -B 2 "$T/trjf" >"$T/rdfh"
    counts "$T/rdfh" >"$T/counts"
    sum=$(grep -o 'Lattice="[^"]*"' "$T/breathing.xyz" | head -8 | tr -d '"' | sed 's/Lattice=//' |
        awk '{ s += 1 / ($1 * $5 * $9) } END { printf "%.17g", s }')
    rdfnorm -e none "$T/rdfh" | rows | paste - "$T/counts" | awk -v s="$sum" '
        { lo = (NR - 1) * 0.5; hi = NR * 0.5; n += $4
          g = $4 / (30 * 29 * s * 4 / 3 * 3.14159265358979 * (hi ^ 3 - lo ^ 3)); d = g - $2; e = n / 8 / 30 - $3
          if (d * d > 1e-16 || e * e > 1e-16) { print g, $0; exit 1 } }'
    # gmx rdf has N^2 pairs.
    paste <(rdfnorm -e none "$T/rdfh" | rows) <(rdfnorm -e none -n gromacs "$T/rdfh" | rows) |
        awk '{ d = $2 * 29 / 30 - $5; if (d * d > 1e-16) { print; exit 1 } }'
    rdfhist -e cpu --lag 3 -b 10 -r 5 -B 1 "$T/trjf" | rdfnorm -n vmd | has '^# norm: vmd$'
}

@test "excluded pairs: excluded at all times" {
    local x=(-e cpu --lag 3 -b 30 -r 9 -p O:O -p O:H -p H:H) i
    trjcat -f :6 -t "$PDB" -g 'O=name OW' -g 'H=name HW*' "$WATER" >"$T/trjf"
    rdfhist "${x[@]}" "$T/trjf" >"$T/plain"
    rdfhist "${x[@]}" -x residue "$T/trjf" >"$T/rdfh"
    both_parts "$T/plain" | same - <(both_parts --excluded in "$T/rdfh")
    rdfnorm "$T/rdfh" | sed -n 's/^# excluded of //p' | paste -s -d , |
        grep -qx 'O:O: 0 of 117306 pairs,O:H: 686 of 235298 pairs,H:H: 686 of 469910 pairs'
    for ((i = 0; i < 1029; i += 3)); do
        printf '%d %d\n%d %d\n%d %d\n' $i $((i + 1)) $((i + 2)) $i $((i + 2)) $((i + 1))
    done >"$T/list"
    rdfhist "${x[@]}" -x "pairs:$T/list" "$T/trjf" | counts --excluded only | same - <(counts --excluded only "$T/rdfh")
    # Within a single molecule all pairs are excluded; over all molecules they add up, here for the first and the last.
    for i in 1 343; do
        trjcat -f :6 -t "$PDB" -g "O=name OW and resid $i" -g "H=name HW* and resid $i" "$WATER" |
            rdfhist "${x[@]}" -x residue >"$T/one.$i"
        counts --excluded only "$T/one.$i" | same - <(counts --excluded in "$T/one.$i")
        counts --excluded only "$T/one.$i" | awk '{ a += $1; b += $2; c += $3 } END { exit a != 0 || b != 6 || c != 6 }'
    done
    trjcat -f :6 -t "$PDB" -g "O=name OW and resid 1 343" -g "H=name HW* and resid 1 343" "$WATER" |
        rdfhist "${x[@]}" -x residue | counts --excluded only |
        same - <(paste <(counts --excluded only "$T/one.1") <(counts --excluded only "$T/one.343") |
            awk -v OFS='\t' '{ print $1 + $4, $2 + $5, $3 + $6 }')
    fails 3 'are excluded (residue)' rdfnorm "$T/one.1"
}

@test "single atom: has a self part; two groups without common atoms have none" {
    trjcat -f :6 -t "$PDB" -g 'one=index 0' -g 'O=name OW' -g 'H=name HW*' "$WATER" >"$T/trjf"
    rdfhist -B 0 -e cpu --lag 2 -b 10 -r 9 "$T/trjf" >"$T/rdfh"
    counts --self "$T/rdfh" | awk '{ n += $1 } END { exit n != 4 }'
    rdfnorm "$T/rdfh" 2>&1 | has 'note: one:one: no two different atoms: there is no g(r)'
    trjcat -f :6 -t "$PDB" -g 'one=index 0' "$WATER" | rdfhist -B 0 -e cpu --lag 2 -b 10 -r 9 >"$T/one"
    fails 3 'groups one and one contain no pair of different atoms; give --self' rdfnorm "$T/one"
    rdfhist -B 0 -e cpu --lag 2 -b 10 -r 9 -p O:H -p one:O -p O:O "$T/trjf" >"$T/rdfh"
    rdfnorm --self "$T/rdfh" | has -P '^# r\tGs\(one:O\)\tn\(one:O\)\tGs\(O:O\)\tn\(O:O\)$'
    counts --self "$T/rdfh" | awk '{ a += $1; b += $2 } END { exit a != 4 || b != 4 * 343 }'
    rdfhist -B 0 -e cpu --lag 2 -b 10 -r 9 -p O:H "$T/trjf" >"$T/rdfh"
    fails 3 'contains no self part, as no pair of groups has common atoms; leave --self out' rdfnorm --self "$T/rdfh"
}

@test "unevenly spaced frames: no pairs across the gap, and a note reports it" {
    local lag=(-e cpu --lag 2 -r 9 -b 30)
    trjcat -f :5 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist "${lag[@]}" >"$T/a"
    trjcat -f 7:12 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist "${lag[@]}" >"$T/b"
    trjcat --to dcd -f :5 -g all=all "$WATER" >"$T/a.dcd"
    trjcat --to dcd -f 7:12 -g all=all "$WATER" >"$T/b.dcd"
    trjcat -t "$PDB" -g 'O=name OW' "$T/a.dcd" "$T/b.dcd" >"$T/trjf"
    rdfhist "${lag[@]}" "$T/trjf" >"$T/rdfh" 2>"$T/err"
    [[ $(<"$T/err") == \
        'rdfhist: note: 1 of 10 frames do not follow the previous frame at the most common interval, '* ]]
    same <(both_parts "$T/rdfh") <(both_parts "$T/a" "$T/b")
    fails 3 'no two frames are 5 frames apart: of 10, at most 5 in sequence are evenly spaced; give a smaller --lag' \
        rdfhist -B 0 -e cpu --lag 5 -r 9 "$T/trjf"
    fails 3 'no two frames are 1000000000 frames apart: of 10, at most 5' \
        rdfhist -B 0 -e cpu --lag 1000000000 -r 9 "$T/trjf"
    fails 2 "--lag: '1000000001' is not a whole number from 0 to 1000000000" \
        rdfhist -B 0 --lag 1000000001 -r 9 "$T/trjf"
    fails 2 "--lag: '-1'" rdfhist -B 0 --lag=-1 -r 9 "$T/trjf"
    # Files that continue the previous one form one series.
    trjcat --to dcd -f 5:12 -g all=all "$WATER" >"$T/c.dcd"
    trjcat -t "$PDB" -g 'O=name OW' "$T/a.dcd" "$T/c.dcd" | rdfhist "${lag[@]}" | both_parts_of_pipe >"$T/joined"
    trjcat -f :12 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist "${lag[@]}" | both_parts_of_pipe | same "$T/joined" -
    # Files with unknown times are separate series.
    need_numpy
    walk cubic
    van_hove make cubic 11 30 8 >"$T/other.xyz"
    trjcat -P xyz "$T/cubic.xyz" 2>/dev/null | rdfhist "${lag[@]}" >"$T/one"
    rdfnorm "$T/one" | has '^# lag: 2 frames; distinct part$'
    trjcat -P xyz "$T/other.xyz" 2>/dev/null | rdfhist "${lag[@]}" >"$T/two"
    trjcat -P xyz "$T/cubic.xyz" "$T/other.xyz" 2>/dev/null | rdfhist "${lag[@]}" 2>"$T/err" >"$T/both"
    grep -q 'note: 1 of .* frames do not follow the previous frame' "$T/err"
    same <(both_parts "$T/one" "$T/two") <(both_parts "$T/both")
}

both_parts_of_pipe() {
    cat >"$T/of.pipe"
    both_parts "$T/of.pipe"
}

@test "counts with a lag, unsupported quantities and options: rejected with the reason" {
    need_numpy
    local norm
    walk cubic
    walk slab
    trjcat -P xyz "$T/cubic.xyz" 2>/dev/null >"$T/trjf"
    rdfhist -B 0 -e cpu --lag 2 -r 4 -b 20 "$T/trjf" >"$T/rdfh"
    fails 3 'counts of atoms at two times cannot be used; count without rdfhist --lag' rdfderive -q n "$T/rdfh"
    # rdfcmp compares one lag of several.
    rdfhist -B 0 -e cpu --lag 1,2 -r 4 -b 20 "$T/trjf" >"$T/lags"
    fails 3 'counts of atoms at two times cannot be used; count without rdfhist --lag' rdfderive -q n "$T/lags"
    fails 3 'counts with the lags 1 and 2; select one of them with --lag' rdfcmp "$T/lags" "$T/rdfh"
    rdfcmp --lag 2 "$T/lags" "$T/rdfh" | grep '^g' >"$T/of_lags"
    rdfcmp "$T/rdfh" "$T/rdfh" | grep '^g' | same - "$T/of_lags"
    fails 2 'lags: --lag: no counts with a lag of 3 frames in the input, which has 1, 2; give one' \
        rdfcmp --lag 3 "$T/lags" "$T/lags"
    fails 2 'rdfh: --lag: no counts with a lag of 1 frame in the input, which has 2; give' \
        rdfcmp --lag 1 "$T/lags" "$T/rdfh"
    for norm in gromacs mdanalysis vmd mdtraj cpptraj plane; do
        fails 2 'norm: the self part is a density; use --norm density, number, radial or none' \
            rdfnorm --self -n $norm "$T/rdfh"
    done
    fails 2 '--self: --volume, --density, --droplet, --box and --total have no effect; leave them out' \
        rdfnorm --self -v 1000 "$T/rdfh"
    fails 2 '--self: --volume, --density, --droplet, --box and --total have no effect; leave them out' \
        rdfnorm --self -d 1 "$T/rdfh"
    fails 2 '--self: --volume, --density, --droplet, --box and --total have no effect; leave them out' \
        rdfnorm --self --droplet 9 "$T/rdfh"
    rdfhist -B 0 -e cpu -r 4 -b 20 "$T/trjf" >"$T/still"
    fails 3 'contains no self part; count with rdfhist --lag' rdfnorm --self "$T/still"
    # Atoms with random positions in each frame cannot be followed, but the distinct part is known.
    mkdcd --atoms 200 --frames 5 >"$T/random.dcd"
    trjcat "$T/random.dcd" | rdfhist -B 0 -e cpu --lag 1 -r 9 -b 20 >"$T/wild"
    fails 3 'of the cell between two frames, so that its direction is ambiguous; use frames that are closer in time' \
        rdfnorm --self "$T/wild"
    rdfnorm "$T/wild" | rows | awk 'NR > 10 && ($2 < 0.8 || $2 > 1.2) { print; exit 1 }'
    # The cell is inserted in the middle.
    { cat "$T/cubic.xyz" && sed 's/Lattice="[^"]*"//' "$T/cubic.xyz"; } >"$T/mixed.xyz"
    trjcat "$T/mixed.xyz" 2>/dev/null >"$T/trjf"
    fails 3 \
        'frame 11: --lag: the periodic directions differ from those of the frame before; set them with trjcat --periodic' \
        rdfhist -B 0 -e cpu --lag 2 -r 4 "$T/trjf"
    # g(r,t) is rejected where g(r) is; the self part needs no volume.
    trjcat -P x "$T/slab.xyz" 2>/dev/null | rdfhist -B 0 -e cpu --lag 2 -r 4 -b 20 >"$T/rod"
    fails 3 'no uniform density' rdfnorm "$T/rod"
    walk free
    trjcat "$T/free.xyz" 2>/dev/null | rdfhist -B 0 -e cpu --lag 2 -r 4 -b 20 >"$T/free"
    fails 3 '9 of 9 frames have no volume' rdfnorm "$T/free"
    rdfnorm --self "$T/free" | rows | tail -n 1 | awk '{ exit !($3 > 0.9) }'
    run ! grep -q '^# step' <(rdfnorm --self "$T/free")
}

# several LAGS RDFHIST-OPTION...: counts the frames of $T/trjf with all lags in one run, and in a run for each lag, and
# compares all tables of rdfnorm
several() {
    local lags=$1 lag part
    shift
    rdfhist -e cpu -r 9 -b 30 --lag "$lags" "$@" "$T/trjf" >"$T/all" 2>"$T/err"
    rdfnorm "$T/all" | grep -v '^#' | cut -f 1 | uniq | wc -l >"$T/curves"
    for lag in ${lags//,/ }; do
        rdfhist -e cpu -r 9 -b 30 --lag "$lag" "$@" "$T/trjf" >"$T/one" 2>"$T/err"
        for part in '' --self --counts; do
            # shellcheck disable=SC2086 # no word if it is empty
            same <(rdfnorm $part "$T/one" | grep -v '^# provenance') \
                <(rdfnorm $part --lag "$lag" "$T/all" | grep -v '^# provenance') ||
                { echo "$lags, $lag: $part"; return 1; }
        done
    done
}

@test "several lags in one run: the same records as a run for each lag, for any frames, groups and exclusions" {
    # 128 frames are two batches.
    trjcat -t "$PDB" -g 'O=name OW' "$WATER" >"$T/trjf"
    several 1,3,5
    several 2,70,127 -B 0
    several 1,64 -j 1
    # A gap between frames in the middle of a batch, dynamic groups, several pairs, excluded pairs.
    trjcat --to dcd -f :41 -g all=all "$WATER" >"$T/a.dcd"
    trjcat --to dcd -f 50: -g all=all "$WATER" >"$T/b.dcd"
    trjcat -t "$PDB" -g 'N=name OW and within 6 of index 0' -g 'H=name HW1 HW2 and resid < 40' "$T/a.dcd" \
        "$T/b.dcd" >"$T/trjf"
    several 1,7,40 -p N:N -p N:H -p H:H -x residue
    grep -q 'note: 1 of .* frames do not follow the previous frame' "$T/err"
}

@test "several lags in one run: engines give the same bytes" {
    local threads
    trjcat -f :30 -t "$PDB" -g 'O=name OW' "$WATER" >"$T/trjf"
    rdfhist -e reference -r 6 -b 20 --lag 1,2,9 "$T/trjf" | both_parts_of_pipe >"$T/expected"
    for threads in 1 2 3; do
        rdfhist -e cpu -j $threads -r 6 -b 20 --lag 1,2,9 "$T/trjf" | both_parts_of_pipe | same "$T/expected" -
    done
}

@test "several lags: one table with the time, or with the lag if times are unknown; --lag selects lags" {
    trjcat -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -e cpu --lag log:1:50:4 --lag 2 -r 9 -b 30 >"$T/rdfh"
    # 1, 50^(1/3), 50^(2/3), 50
    rdfnorm --self "$T/rdfh" >"$T/all.tsv"
    [[ $(grep -v '^#' "$T/all.tsv" | cut -f 1 | uniq | tr '\n' ' ') == '1 2 4 14 50 ' ]]
    [[ $(grep '^# [a-z]*'$'\t' "$T/all.tsv") == $'# time\tr\tGs(O:O)\tse(O:O)\tn(O:O)' ]]
    grep -q '^# columns: lag in ps; middle of the bin in Angstrom; ' "$T/all.tsv"
    grep -qx '# lag: 14 frames, 14 ps; self part' "$T/all.tsv"
    rdfplot --map -o "$T/all.svg" "$T/all.tsv"
    rdfnorm --self --lag 14 --lag 50 "$T/rdfh" | grep -v '^#' | same <(awk '$1 == 14 || $1 == 50' "$T/all.tsv") -
    rdfnorm --self --lag 14 "$T/rdfh" | grep -v '^#' | same <(awk '$1 == 14' "$T/all.tsv" | cut -f 2-) -
    # Streams of several runs are added by their lags.
    trjcat -f :64 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -e cpu --lag 4 -r 9 -b 30 >"$T/a"
    trjcat -f 60: -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -e cpu --lag 2,4 -r 9 -b 30 >"$T/b"
    rdfnorm -c --lag 4 "$T/a" "$T/b" | rows | same <(rdfnorm -c --lag 4 "$T/rdfh" | rows) -
    trjcat -g 'O=name OW' "$PDB" "$PDB" "$PDB" "$PDB" 2>/dev/null >"$T/trjf"
    trjcat -t "$PDB" -f :5 -g 'O=name OW' "$WATER" --to xyz -o "$T/w.xyz"
    sed -i 's/ time=[^ ]*//; s/ step=[^ ]*//' "$T/w.xyz"
    trjcat "$T/w.xyz" | rdfhist -e cpu --lag 1,2 -r 9 -b 30 | rdfnorm >"$T/lags.tsv"
    grep -q $'^# lag\tr\t' "$T/lags.tsv"
    grep -q '^# columns: lag in frames; ' "$T/lags.tsv"
    trjinfo "$T/rdfh" | has -x $'by_lag\t14, lag_time 14, frames 114'
}

@test "several lags: streams whose groups, pairs, exclusions or bins differ are rejected, in any order" {
    local other
    trjcat -f :9 -t "$PDB" -g 'O=name OW' -g 'H=name HW1 HW2' "$WATER" >"$T/trjf"
    rdfhist -e cpu -r 6 -b 20 -p O:O -p O:H --lag 1 "$T/trjf" >"$T/rdfh"
    rdfhist -e cpu -r 6 -b 20 -p O:O --lag 2 "$T/trjf" >"$T/fewer pairs"
    rdfhist -e cpu -r 6 -b 20 -p H:H -p O:H --lag 2 "$T/trjf" >"$T/other pairs"
    rdfhist -e cpu -r 6 -b 20 -p O:O -p O:H -x residue --lag 2 "$T/trjf" >"$T/exclusions"
    rdfhist -e cpu -r 6 -b 30 -p O:O -p O:H --lag 2 "$T/trjf" >"$T/bins"
    trjcat -f :9 -t "$PDB" -g 'O=name OW and index < 99' -g 'H=name HW1 HW2' "$WATER" |
        rdfhist -e cpu -r 6 -b 20 -p O:O -p O:H --lag 2 >"$T/groups"
    for other in 'fewer pairs' 'other pairs' exclusions bins groups; do
        fails_cleanly 3 'cannot be added to the previous records' rdfnorm "$T/rdfh" "$T/$other"
        fails_cleanly 3 'cannot be added to the previous records' rdfnorm -c "$T/$other" "$T/rdfh"
        fails 3 'cannot be added to the previous records' trjinfo <(cat "$T/rdfh" "$T/$other")
    done
    rdfhist -e cpu -r 6 -b 20 -p O:O -p O:H "$T/trjf" >"$T/no lag"
    fails_cleanly 3 'expected a lag of 1 frames, found 0' rdfnorm "$T/rdfh" "$T/no lag"
    fails 3 'expected a lag of 1 frames, found 0' trjinfo <(cat "$T/rdfh" "$T/no lag")
}

@test "several lags of runs with other times between frames: in the order of their times, which differ" {
    trjcat -t "$PDB" -f :60 -g 'O=name OW' "$WATER" | rdfhist -e cpu -r 9 -b 30 --lag 2,10 >"$T/fine"
    trjcat -t "$PDB" -f :60:10 -g 'O=name OW' "$WATER" | rdfhist -e cpu -r 9 -b 30 --lag 1 >"$T/coarse"
    rdfnorm --lag 1,2 "$T/coarse" "$T/fine" >"$T/tsv"
    [[ $(rows "$T/tsv" | cut -f 1 | uniq | tr '\n' ' ') == '2 10 ' ]]
    same <(rdfnorm "$T/coarse" | rows) <(rows "$T/tsv" | awk '$1 == 10' | cut -f 2-)
    fails_cleanly 3 'lags of 1 and 10 frames have the same time, 10 ps' rdfnorm "$T/coarse" "$T/fine"
}

@test "several lags: options that cannot be combined with them are rejected" {
    trjcat -f :9 -t "$PDB" -g 'O=name OW' "$WATER" >"$T/trjf"
    rdfhist -e cpu -r 6 -b 20 --lag 1,3 "$T/trjf" >"$T/rdfh"
    fails 2 '--block and several lags: only the default records' rdfhist --lag 1,2 -B 4 "$T/trjf"
    fails 2 '--every and several lags: only the default records' rdfhist --lag 1,2 --every 4 "$T/trjf"
    fails 2 '--lag: 0 among other lags' rdfhist --lag 0,1 "$T/trjf"
    fails 2 "--lag: invalid value 'log:5:1:3'" rdfhist --lag log:5:1:3 "$T/trjf"
    fails 3 'no two frames are 9 frames apart' rdfhist --lag 1,9 -r 6 "$T/trjf"
    local has='in the input, which has 1, 3; give one of them, or count with rdfhist --lag'
    fails 2 "--lag: no counts with a lag of 2 frames $has" rdfnorm --lag 1,2 "$T/rdfh"
    fails 2 "$T/rdfh: --lag: no counts with a lag of 4 frames $has" rdfcmp --lag 4 "$T/rdfh" "$T/rdfh"
    fails 3 '--covariance: counts have several lags; select one with --lag' rdfnorm --covariance "$T/rdfh"
    fails 3 '--each: counts have several lags; select one with --lag' rdfnorm --each 2 "$T/rdfh"
    fails 3 'is counted twice' rdfnorm "$T/rdfh" "$T/rdfh"
    fails 3 'counts with the lags 1 and 3; select one of them with --lag' rdfcmp "$T/rdfh" "$T/rdfh"
    rdfhist -e cpu -r 6 -b 20 "$T/trjf" >"$T/still"
    fails 2 '--lag: no counts with a lag of 1 frame in the input; count with' rdfnorm --lag 1 "$T/still"
    fails 2 '--lag: 0 is not a lag; leave it out' rdfnorm --lag 0 "$T/rdfh"
    # A table of --follow has one lag: that of the first stream, or a selected one.
    fails 3 '--follow: counts have several lags; select one with --lag' rdfnorm --follow <(cat "$T/rdfh")
    fails 3 'holds several streams, and --follow reads one' rdfnorm --follow "$T/rdfh"
    rdfnorm --follow --lag 3 <(cat "$T/rdfh") | rows | tail -n 21 | same <(rdfnorm --lag 3 "$T/rdfh" | rows; echo) -
    # A damaged stream of a later lag is an error.
    head -c -9 "$T/rdfh" >"$T/cut"
    fails_cleanly 3 'truncated' rdfnorm "$T/cut"
    fails 3 'truncated' trjinfo "$T/cut"
}

@test "memory: grows with the frames that are read, not with the requested lag" {
    sanitized && skip 'sanitizers need address space'
    trjcat -f :3 -t "$PDB" -g 'O=name OW' "$WATER" >"$T/trjf"
    run ! bash -c "ulimit -v 1000000; rdfhist -B 0 -e reference --lag 999999999 -r 4 '$T/trjf' 2>'$T/err' >'$T/out'"
    grep -q 'no two frames are 999999999 frames apart: of 3, at most 3' "$T/err"
}

@test "--stats: pairs of frames, pairs of different atoms, and times" {
    trjcat -f :6 -t "$PDB" -g 'O=name OW' "$WATER" |
        rdfhist -B 0 -e reference --lag 2 -x residue --stats -r 4 2>"$T/err" >"$T/rdfh"
    grep -q "^rdfhist: stats: frames 4, atoms 343, pairs $((4 * 343 * 342)), " "$T/err"
    grep -qE \
        '^rdfhist: stats: seconds [0-9.]+: read [0-9.]+, write [0-9.]+, excluded pairs [0-9.]+, frames in pairs [0-9.]+; over all threads: plan' \
        "$T/err"
}

# at TIME...: frames of 20 atoms at these times, in ps
at() {
    awk -v times="$*" "$AWK_RANDOM"'BEGIN {
        seed = 4; frames = split(times, t, " "); for (f = 1; f <= frames; f++) { print 20
        printf "Lattice=\"12 0 0 0 12 0 0 0 12\" Properties=species:S:1:pos:R:3 time=%s time_unit=ps\n", t[f]
        for (i = 0; i < 20; i++) printf "X %.3f %.3f %.3f\n", 12 * random(), 12 * random(), 12 * random() } }'
}

@test "intervals that are equally common: the note names both, and one MD step is singular" {
    for step in 0 1 3 4 6; do
        printf '%s\n' 'ITEM: TIMESTEP' "$step" 'ITEM: NUMBER OF ATOMS' 2 'ITEM: BOX BOUNDS pp pp pp' '0 9' '0 9' '0 9' \
            'ITEM: ATOMS id type x y z' '1 1 1 1 1' '2 1 2 1 1'
    done >"$T/a.lammpstrj"
    trjcat "$T/a.lammpstrj" 2>/dev/null >"$T/trjf"
    local note='note: 2 of 5 frames do not follow the previous frame at the most common interval, 1 MD step; they are '
    note+='not compared with earlier frames; an interval of 2 MD steps is as common: to compare at it, select such '
    note+='frames with trjcat -f'
    rdfhist -e cpu -r 4 -b 4 --lag 1 "$T/trjf" 2>&1 >/dev/null | has -F "$note"
    rdfhist -e cpu -r 4 -b 4 --neighbours 2 "$T/trjf" 2>&1 >/dev/null | has -F "$note"
    skhist -q 1 -b 1 --lag 0,1 "$T/trjf" 2>&1 >/dev/null | has -F "$note"
}

@test "irregular first gap between frames: the most common interval is used, and a note reports the frame" {
    at 0 0.5 1.5 2.5 3.5 4.5 >"$T/x.xyz"
    trjcat "$T/x.xyz" >"$T/trjf"
    trjcat -f 1: "$T/x.xyz" | rdfhist -e cpu --lag 1,2 -r 5 2>"$T/err" >"$T/without"
    [[ ! -s $T/err ]]
    rdfhist -e cpu --lag 1,2 -r 5 "$T/trjf" 2>"$T/err" >"$T/with"
    [[ $(<"$T/err") == *'note: 1 of 6 frames do not follow the previous frame at the most common interval, 1 ps; '* ]]
    for lag in 1 2; do
        rdfnorm -c --lag $lag "$T/without" | rows >"$T/expected"
        rdfnorm -c --lag $lag "$T/with" | rows | same "$T/expected" -
    done
    rdfnorm -c --lag 1 "$T/with" >"$T/table"
    grep -q '^# lag: 1 frame, 1 ps;' "$T/table"
    grep -q "^# frames: 4 in " "$T/table"
    # Steps 0, 166, 1000, 2000, as after a restart: both other gaps are reported.
    at 0 0.166 1 2 3 4 | trjcat - | rdfhist -e cpu --lag 1 -r 5 2>"$T/err" | rdfnorm -c | has '^# lag: 1 frame, 1 ps;'
    grep -q 'note: 2 of 6 frames do not follow the previous frame' "$T/err"
    # The interval is found from the first frames. If another one proves to be more common, the frames are rejected.
    at 0 0.5 1 2 3 4 5 | trjcat - >"$T/changed"
    fails_cleanly 3 \
        '--lag: frames 0.5 ps apart are compared, which occur 2 times, but frames 1 ps apart occur 4 times; select the latter with trjcat -f: the first of them is frame 2 of its file' \
        rdfhist -e cpu --lag 1 -r 5 "$T/changed"
    fails_cleanly 3 '--neighbours: frames 0.5 ps apart are compared' \
        rdfhist -e cpu --neighbours 3 -r 5 "$T/changed"
    fails_cleanly 3 '--lag: frames 0.5 ps apart are compared' skhist -q 2 --lag 1 "$T/changed"
    # With a lag of two frames no pair has the first gap.
    rdfhist -e cpu --lag 2 -r 5 "$T/trjf" 2>"$T/err" | rdfnorm -c | has '^# lag: 2 frames, 2 ps;'
    grep -q 'note: 1 of .* frames do not follow the previous frame' "$T/err"
    # An irregular gap later is reported, and no pair lies across.
    at 0 1 2 3 3.5 4.5 5.5 | trjcat - | rdfhist -e cpu --lag 1 -r 5 2>"$T/err" | rdfnorm -c |
        has '^# lag: 1 frame, 1 ps;'
    grep -q 'note: 1 of .* frames do not follow the previous frame' "$T/err"
    # If no gap occurs twice, none is the interval.
    at 0 1 3 7 15 31 | trjcat - >"$T/none"
    fails_cleanly 3 '--lag: no interval between consecutive frames occurs twice' rdfhist -e cpu --lag 1 -r 5 "$T/none"
    fails_cleanly 3 'no interval between consecutive frames occurs twice' rdfhist -e cpu --neighbours 3 -r 5 "$T/none"
    fails_cleanly 3 '--lag: no interval between consecutive frames occurs twice' skhist -q 2 --lag 1 "$T/none"
    # If two gaps are equally common, the first one is used.
    at 0 1 3 4 6 | trjcat - | rdfhist -e cpu --lag 1 -r 5 2>/dev/null | rdfnorm -c | has '^# lag: 1 frame, 1 ps;'
    # A trajectory with another step that continues for long is rejected while it is read.
    # shellcheck disable=SC2046 # words
    at 0 0.5 1 $(seq 2 1100) >"$T/long.xyz"
    trjcat "$T/long.xyz" >"$T/trjf"
    fails 3 \
        'frame 1005: --lag: frames 0.5 ps apart are compared, which occur 2 times, but frames 1 ps apart occur 1003 times' \
        rdfhist -e cpu --lag 1 -r 5 "$T/trjf"
}
