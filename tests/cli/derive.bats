#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfderive: formulas evaluated by awk from the table of rdfnorm, ideal gases, crystals, liquids with published values,
# errors, and rejected input.
load helper
WATER=examples/water

# derive OPTION...: prints the rows of the table for $T/rdfh
derive() {
    rdfderive "$@" "$T/rdfh" | rows
}

# Writes $T/rdfh: a gas of random points, new in each of 40 frames, in groups of which two overlap.
gas() {
    mkdcd --atoms 300 --frames 40 --cell 22,23,24 --seed 5 >"$T/dcd"
    trjcat -g 'A=index 0 to 199' -g 'B=index 150 to 299' "$T/dcd" >"$T/trjf"
    rdfhist -e cpu -p A:A -p A:B -b 200 -r 10 -B "${1-4}" "$T/trjf" >"$T/rdfh"
}

water() {
    trjcat -t "$WATER/water.pdb" -g 'O=name OW' -g 'H=name HW*' "$WATER/water.dcd" |
        rdfhist -e cpu -b "${1-200}" -r 10 -B "${2-16}" -p O:O -p O:H >"$T/rdfh"
}

argon() {
    trjcat -g 'Ar=all' -f "$1" examples/melting/argon.dcd | rdfhist -e cpu -r 12 -b 240 -B 8 >"$T/rdfh"
}

# close A B BY: two columns of text agree, relative to the larger of the value and 1
close() {
    paste "$1" "$2" | awk -v by="$3" '{ d = $1 - $2; if (d < 0) d = -d; s = $1 < 0 ? -$1 : $1; if (s < 1) s = 1
        if (NF != 2 || !(d <= by * s)) { print NR ": " $0; bad = 1 } } END { exit bad || !NR }'
}

@test "ideal gas: S(q) = 1, G = 0, s2 = 0 and w = 0 within their errors" {
    gas 1
    # S(q) above the smallest q of the box, 2 pi / L; for two groups with 50 common atoms it is 50/sqrt(200 * 150).
    derive -q sq --qmin 1 --qmax 10 --dq 0.31 |
        awk '{ n++; a = ($2 - 1) / $3; b = ($4 - 50 / sqrt(30000)) / $5; s += a * a + b * b
        if (a * a > 25 || b * b > 25) { print; bad = 1 } }
        END { print s / n / 2; exit bad || n != 30 || s / n / 2 > 2 || s / n / 2 < 0.5 }'
    derive -q kb | tail -n 1 | awk '{ for (i = 2; i < NF; i += 2) if ($i ^ 2 > 16 * $(i + 1) ^ 2 || !$(i + 1)) exit 1 }'
    # Noise alone makes s2 negative. On average, g ln g - g + 1 is var/2, which for counts of variance 1/(shell F P/V)
    # gives -rho_B/4 V/(F P) in each of 200 bins: for 200 x 199/2 pairs -200/(2 x 199 x 40), for the 200 x 150 - 50
    # pairs of two groups -150 x 200/(4 x 40 x 29950). The jackknife estimates this bias and subtracts it.
    derive -q s2 | tail -n 1 | awk '{ print; a = $2 + 200 / 15920; b = $4 + 30000 / 4792000
        exit !(a * a < 9 * $3 * $3 && b * b < 9 * $5 * $5 && $3 < 0.004) }'
    rdfderive -q s2 "$T/rdfh" |
        sed -n 's/^# noise in s2(A:[AB]) at rmax: \(.*\), not subtracted; see --corrected$/\1/p' | paste -s |
        awk '{ print; exit !(NF == 2 && $1 < -0.0105 && $1 > -0.0145 && $2 < -0.0052 && $2 > -0.0072) }'
    derive -q s2 --corrected | tail -n 1 |
        awk '{ print; exit !($2 ^ 2 < 9 * $3 ^ 2 && $4 ^ 2 < 9 * $5 ^ 2 && $6 ^ 2 < 9 * $7 ^ 2) }'
    rdfderive -q s2 --corrected "$T/rdfh" | has '^# noise in s2(B:A) at rmax: .*, subtracted$'
    derive -q pmf -T 300 | awk '$1 > 4 { n++; s += ($2 / $3) ^ 2 }
        END { print s / n; exit !(s / n < 2 && s / n > 0.5) }'
    # The volume of a spherical shell times the density gives the number of neighbours, in both directions.
    derive -q n | tail -n 1 | awk '{ v = 16 / 3 * atan2(1, 1) * 1000 / (22 * 23 * 24)
        a = $4 / (v * (150 - 50 / 200)); b = $6 / (v * (200 - 50 / 150))
        print; exit !($1 == 10 && a > 0.98 && a < 1.02 && b > 0.98 && b < 1.02) }'
}

@test "S(q) with and without a window, n, Kirkwood-Buff integrals, w and s2: agree with integrals by awk" {
    water 400
    rdfnorm "$T/rdfh" | rows | cut -f 1,2,4,5,7 >"$T/gr" # r, g and n of O-O, of O-H
    local inverse alpha name
    # <1/V> follows from the density that n and g of a bin give: n_k / (g_k s_k).
    inverse=$(awk '{ s = 16 / 3 * atan2(1, 1) * (($1 + 0.0125) ^ 3 - ($1 - 0.0125) ^ 3)
        if ($1 > 9.9) { a += $3 - before; b += $2 * s } before = $3 } END { printf "%.12g", a / b / 342 }' "$T/gr")
    for name in none lorch; do
        alpha=$(awk -v name=$name 'BEGIN { printf "%.15g", name == "none" ? 1e-9 : atan2(0, -1) / 10 }')
        awk -v OFMT=%.12g -v v="$inverse" -v alpha="$alpha" 'function s(x) { return x < 1e-7 ? 1 : sin(x) / x }
            { r[NR] = $1; oo[NR] = $2 - 1; oh[NR] = $4 - 1 }
            END { for (q = 0; q < 6.01; q += 0.5) { a = b = 0
                for (i = 1; i <= NR; i++) for (j = -4; j < 5; j++) { x = r[i] + j / 360
                w = 16 * atan2(1, 1) * x * x * s(q * x) * s(alpha * x) / 360; a += oo[i] * w; b += oh[i] * w }
                print 1 + 343 * v * a; print sqrt(343 * 686) * v * b } }' "$T/gr" >"$T/expected"
        derive -q sq -w $name --qmax 6 --dq 0.5 | awk '{ print $2; print $4 }' >"$T/got"
        close "$T/expected" "$T/got" 2e-4
    done
    # S(q) of Faber and Ziman for all 1029 atoms.
    awk -v OFMT=%.12g 'NR % 2 { print 1 + ($1 - 1) * 3; next }
        { print 1 + $1 * 1029 / sqrt(343 * 686) }' "$T/got" >"$T/expected"
    fails 2 '--atoms 342: group * alone has *; give the number of all atoms' rdfderive -q sq --atoms 342 "$T/rdfh"
    derive -q sq -w lorch --qmax 6 --dq 0.5 --atoms 1029 | awk '{ print $2; print $4 }' >"$T/got"
    close "$T/expected" "$T/got" 1e-8
    awk -v OFMT=%.12g '{ for (j = -4; j < 5; j++) { x = $1 + j / 360; h = 16 * atan2(1, 1) * x * x * ($4 - 1) / 360
        a += h; b += h * x; c += h * x * x * x }
        L = $1 + 0.0125; print a; print a - 1.5 * b / L + 0.5 * c / L ^ 3; print a - c / L ^ 3 }' "$T/gr" >"$T/expected"
    derive -q kb | awk '{ print $8; print $10; print $12 }' >"$T/got"
    close "$T/expected" "$T/got" 1e-3
    awk -v OFMT=%.12g -v v="$inverse" \
        '{ s += 2 * atan2(0, -1) * $1 * $1 * 0.025 * (($4 > 0 ? $4 * log($4) : 0) - $4 + 1); print -686 * v * s; print -343 * v * s }' \
        "$T/gr" >"$T/expected"
    derive -q s2 | awk '{ print $4; print $6 }' >"$T/got"
    close "$T/expected" "$T/got" 1e-3
    awk -v OFMT=%.12g '$2 > 0 { print -0.00831446261815324 * 298.15 * log($2) }' "$T/gr" >"$T/expected"
    derive -q pmf -T 298.15 | awk '$2 != "inf" { print $2 }' >"$T/got"
    close "$T/expected" "$T/got" 1e-8
    awk '{ print $3; print $5; printf "%.12g\n", $5 / 2 }' "$T/gr" >"$T/expected"
    derive -q n | awk '{ print $2; print $4; print $6 }' >"$T/got"
    close "$T/expected" "$T/got" 1e-9
}

@test "cluster in empty space: S(q) equals the sum of Debye over its coordinates" {
    trjcat -f 0:3 examples/cluster/cluster.dcd >"$T/trjf"
    rdfhist -B 0 -e cpu -r 16 -b 16000 "$T/trjf" >"$T/rdfh"
    # The frames are the last bytes of the file: a cell of zeros, and three axes.
    local size=$((8 + 48 + 3 * (8 + 4 * 55))) first axis frame
    first=$(($(stat -L -c %s examples/cluster/cluster.dcd) - 400 * size))
    for frame in 0 1 2; do
        for axis in 0 1 2; do
            od -An -v -w4 -t f4 -j $((first + frame * size + 56 + axis * 228 + 4)) -N 220 examples/cluster/cluster.dcd
        done
    done | awk -v OFMT=%.12g '{ x[NR - 1] = $1 } END { for (q = 0; q < 8.01; q += 0.5) { s = 0
        for (f = 0; f < 3; f++) for (i = 0; i < 55; i++) for (j = 0; j < i; j++) { r = 0
            for (k = 0; k < 3; k++) r += (x[f * 165 + k * 55 + i] - x[f * 165 + k * 55 + j]) ^ 2
            r = sqrt(r); s += q ? sin(q * r) / (q * r) : 1 }
        print 1 + 2 * s / 165 } }' >"$T/expected"
    derive -q debye --qmax 8 --dq 0.5 2>"$T/messages" | cut -f 2 >"$T/got"
    [[ $(head -n 1 "$T/got") == 55 && ! -s $T/messages ]]
    close "$T/expected" "$T/got" 1e-4
    # If rmax excludes pairs, a note gives their number; for periodic frames the table states what the sum contains.
    rdfhist -B 0 -e cpu -r 8 "$T/trjf" | rdfderive -q debye 2>&1 >/dev/null |
        has 'all:all: .* of 4455 pairs are beyond rmax and not in the sum'
    gas
    rdfderive -q debye "$T/rdfh" 2>&1 | has '^# frames are periodic'
}

@test "shells of water: the first peak of O-O at 2.75 A, four to five neighbours, two hydrogens in the molecule" {
    water
    derive -q shells | tr '\t' ' ' >"$T/shells"
    cat "$T/shells"
    awk '$1 == "O:O" { seen = $3 > 2.7 && $3 < 2.8 && $5 > 3 && $5 < 3.2 && $7 > 3.25 && $7 < 3.45 && $11 > 4.2 &&
        $11 < 4.7 && $11 == $13 &&
        $4 > 0 && $4 < 0.01 && $8 > 0 && $8 < 0.1 && $12 > 0.01 && $12 < 0.2 } END { exit !seen }' "$T/shells"
    awk '$1 == "O:H" { seen = $3 > 0.95 && $3 < 1.05 && $9 == 0 && $11 == 2 && $12 == 0 && $13 == 1 }
        END { exit !seen }' "$T/shells"
    # The hydrogen bond lies between 1.7 and 1.85; there are 2 + 2 hydrogens.
    derive -q shells --shells 2 |
        awk '$1 == "O:H" && $2 == 2 { seen = $3 > 1.7 && $3 < 1.85 && $11 > 3.8 && $11 < 4.1 } END { exit !seen }'
    # Many more bins give the same shells.
    local bins
    for bins in 1000 2000 8192 20000; do
        water $bins 4
        derive -q shells --shells 2 | awk '$1 == "O:O" { print; n++; bad += $2 == 1 ? !($3 > 2.74 && $3 < 2.78 &&
            $7 > 3.2 && $7 < 3.5) : !($3 > 4.3 && $3 < 4.7 && $7 > 5.5 && $7 < 5.9) } END { exit bad || n != 2 }'
    done
}

@test "shells of ions: six waters around sodium at 2.4 A, seven around chloride at 3.15 A, and the converse" {
    trjcat -t examples/ions/ions.pdb -g 'Na=name NA' -g 'Cl=name CL' -g 'O=name OW' examples/ions/ions.dcd |
        rdfhist -e cpu -r 9 -b 90 -B 8 -p Na:O -p Cl:O >"$T/rdfh"
    derive -q shells | tee "$T/shells"
    awk '$1 == "Na:O" { seen = $3 > 2.3 && $3 < 2.45 && $11 > 5.5 && $11 < 6.2 && ($13 - $11 * 8 / 200) ^ 2 < 1e-12 }
        END { exit !seen }' "$T/shells"
    awk '$1 == "Cl:O" { seen = $3 > 3.05 && $3 < 3.25 && $11 > 6.5 && $11 < 7.5 && ($13 - $11 * 8 / 200) ^ 2 < 1e-12 }
        END { exit !seen }' "$T/shells"
}

@test "argon: 12, 18 and 42 atoms in the shells of the crystal; S(q) of the liquid agrees with neutron data" {
    argon 0:32
    derive -q shells --shells 3 | awk '{ print; expected = $2 == 1 ? 12 : $2 == 2 ? 18 : 42; a = 3.73 * sqrt($2); n++
        if ($11 < expected - 0.05 || $11 > expected + 0.05 || $3 < a - 0.05 || $3 > a + 0.05) bad = 1 }
        END { exit bad || n != 3 }'
    argon 128:160
    # The main peak is at 2.0 1/A (Yarnell et al., Phys. Rev. A 7, 2130 (1973)); at higher temperature it is lower and
    # at smaller q.
    derive -q sq -w lorch --qmin 1 --qmax 5 --dq 0.02 | awk '$2 > high { high = $2; q = $1 }
        END { print q, high; exit !(q > 1.85 && q < 2.05 && high > 1.4 && high < 2.8) }'
}

@test "TIP3P water: first peak, neighbours and compressibility agree with published values" {
    need_shared
    trjcat -t "$DATA/xtc/tip3p_300K_1ATM.pdb" -g 'O=name O' "$DATA/xtc/tip3p_300K_1ATM.xtc" |
        rdfhist -e cpu -r 9.5 -b 190 -B 40 >"$T/rdfh"
    # Jorgensen et al., J. Chem. Phys. 79, 926 (1983): a peak at 2.77 A, almost no second one
    derive -q shells | awk '{ print
        exit !($3 > 2.75 && $3 < 2.80 && $5 > 2.6 && $5 < 2.9 && $9 > 0.88 && $11 > 5 && $11 < 6) }'
    # rho k_B T kappa = 1 + rho G is 0.077 for kappa near 57e-6 / bar and 258 molecules in 7927 A^3, here in a box of 20
    # A.
    derive -q kb --corrected | tail -n 1 | awk '{ x = 1 + 258 / 7927.45 * $6; print x; exit !(x > 0.055 && x < 0.1) }'
    # Without the correction the value is far from this.
    derive -q kb | tail -n 1 | awk '{ x = 1 + 258 / 7927.45 * $6; print x; exit !(x > 0.2) }'
}

@test "errors: equal the jackknife over records, computed with cat; many records form blocks" {
    gas 40
    local i j
    for i in 0 1 2 3; do
        trjcat -g 'A=index 0 to 199' -g 'B=index 150 to 299' -f $((i * 10)):$((i * 10 + 10)) "$T/dcd" |
            rdfhist -B 0 -e cpu -p A:A -p A:B -b 20 -r 10 >"$T/$i.rdfh"
    done
    for i in 0 1 2 3; do
        for j in 0 1 2 3; do [[ $i == "$j" ]] || cat "$T/$j.rdfh"; done | rdfderive -q s2 | rows | tail -n 1 | cut -f 2
    done | awk '{ n++; s += $1; q += $1 * $1 }
        END { printf "%.4g\n", sqrt((n - 1) / n * (q - s * s / n)) }' >"$T/expected"
    cat "$T"/?.rdfh | rdfderive -q s2 >"$T/table"
    rows "$T/table" | tail -n 1 | cut -f 3 >"$T/got"
    close "$T/expected" "$T/got" 1e-6
    same "$T/expected" "$T/got"
    grep -qx '# errors: se_, by leaving out one of 4 blocks of 1 record, too few to detect correlation; 4 blocks' \
        "$T/table"
    # If all records have one volume, the jackknife of a mean equals the error that rdfnorm prints.
    gas 4
    close <(derive -q n | cut -f 2) <(rdfnorm "$T/rdfh" | rows | cut -f 4) 1e-9
    rdfderive -q n "$T/rdfh" | has '^# errors: se_, by leaving out one of 10 blocks of 1 record, too few.*; 10 blocks$'
    water 50 1
    rdfderive -q n "$T/rdfh" | has '^# errors: se_, by leaving out one of 32 blocks of 4 records, .*; 32 .*blocks$'
    # One record gives the same values without errors.
    water 50 1000
    rdfderive -q sq --qmax 2 "$T/rdfh" >"$T/table"
    [[ $(grep -c se_ "$T/table") == 0 ]]
    water 50 16
    close <(derive -q sq --qmax 2 | cut -f 2) <(rows "$T/table" | cut -f 2) 1e-9
}

@test "table: contains provenance, columns with names, and one row for each bin; --volume is used" {
    gas
    rdfderive -q n "$T/rdfh" | grep '^#' >"$T/head"
    grep -q "^# provenance: rdfhist .*: rdfhist -e cpu -p A:A" "$T/head"
    grep -q "^# provenance: rdfderive .*: rdfderive -q n " "$T/head"
    grep -qx '# group B: 150 atoms' "$T/head"
    [[ $(tail -n 1 "$T/head" | tr '\t' ' ') == '# r n(A:A) se_n(A:A) n(A:B) se_n(A:B) n(B:A) se_n(B:A)' ]]
    [[ $(derive -q n | wc -l) == 200 && $(derive -q n | sed -n 1p | cut -f 1) == 0.05 &&
        $(derive -q pmf -T 1 | sed -n 1p | cut -f 1) == 0.025 ]]
    [[ $(rdfderive -q shells "$T/rdfh" 2>&1 >"$T/out" | grep -c "no significant") == 1 ]]
    [[ $(rdfderive -q sq --qmax 1 --dq 0.1 "$T/rdfh" | rows | cut -f 1 | tr '\n' ' ') \
        == '0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 ' ]]
    close <(derive -q s2 | cut -f 2) <(derive -q s2 -v $((22 * 23 * 24)) | cut -f 2) 1e-9
    rdfderive -q s2 -v 12144 "$T/rdfh" | has -x '# with a volume of 12144 Angstrom^3'
    same <(derive -q s2) <(rdfderive -q s2 - <"$T/rdfh" | rows)
    rdfderive -q s2 -o "$T/file" "$T/rdfh"
    same <(derive -q s2) <(rows "$T/file")
}

@test "input without the required information: rejected with the remedy" {
    gas
    fails_cleanly 2 '--quantity: missing; give one of the quantities' rdfderive "$T/rdfh"
    fails_cleanly 2 "pmf: the temperature is missing; give it with --temperature" rdfderive -q pmf "$T/rdfh"
    fails_cleanly 2 'must be above 0' rdfderive -q pmf -T 0 "$T/rdfh"
    fails_cleanly 2 '--temperature has no effect on --quantity sq; leave it out' rdfderive -q sq -T 300 "$T/rdfh"
    fails_cleanly 2 '--corrected has no effect on --quantity sq; leave it out' rdfderive -q sq --corrected "$T/rdfh"
    fails_cleanly 2 '--corrected has no effect on --quantity n; leave it out' rdfderive -q n --corrected "$T/rdfh"
    fails_cleanly 2 '--window has no effect on --quantity debye; leave it out' rdfderive -q debye -w lorch "$T/rdfh"
    fails_cleanly 2 '--volume has no effect on --quantity n; leave it out' rdfderive -q n -v 100 "$T/rdfh"
    fails_cleanly 2 'invalid value -1: expected a volume above 0' rdfderive -q s2 -v -1 "$T/rdfh"
    fails_cleanly 2 'invalid grid: expected 0 <= qmin' rdfderive -q sq --dq 0 "$T/rdfh"
    fails_cleanly 2 'invalid grid: expected 0 <= qmin' rdfderive -q sq --dq 1e-9 "$T/rdfh"
    fails_cleanly 2 'invalid grid: expected 0 <= qmin' rdfderive -q sq --qmin 5 --qmax 4 "$T/rdfh"
    fails_cleanly 2 'must be above 0' rdfderive -q shells --reach 0 "$T/rdfh"
    fails_cleanly 2 'is larger than the volume' rdfderive -q kb --corrected -v 4000 "$T/rdfh"
    fails_cleanly 3 'A:A: no significant minimum of shell' rdfderive -q shells --shells 100 "$T/rdfh" ||
        fails_cleanly 3 'A:A: no significant maximum of shell' rdfderive -q shells --shells 100 "$T/rdfh"
    head -c 3000 "$T/rdfh" >"$T/cut"
    fails_cleanly 3 "$T/cut" rdfderive -q sq "$T/cut"
    fails_cleanly 3 'counted twice' rdfderive -q sq "$T/rdfh" "$T/rdfh" ||
        fails_cleanly 3 'twice' rdfderive -q sq "$T/rdfh" "$T/rdfh"
    rdfhist -B 0 -e cpu -p A:A --rmin 2 -b 20 -r 10 "$T/trjf" >"$T/hole"
    fails_cleanly 3 'bins begin at 2 Angstrom' rdfderive -q sq "$T/hole"
    rdfderive -q pmf -T 300 "$T/hole" >"$T/table"
    rdfhist -B 0 -e cpu -p A:A -b 30000 -r 10 "$T/trjf" >"$T/many"
    fails_cleanly 3 '30000 bins, at most' rdfderive -q shells "$T/many"
    trjcat -f 0:3 examples/cluster/cluster.dcd | rdfhist -B 0 -e cpu -r 10 >"$T/empty"
    fails_cleanly 3 'have no volume' rdfderive -q sq "$T/empty"
    rdfderive -q n "$T/empty" >"$T/table"
    trjcat --periodic xy "$T/dcd" 2>/dev/null | rdfhist -B 0 -e cpu -r 10 >"$T/slab"
    fails_cleanly 3 'frames are periodic in two directions only' rdfderive -q kb "$T/slab"
    rdfderive -q kb -v 12144 "$T/slab" >"$T/table"
    trjcat -g 'A=index 0' -g 'near=within 5 of A' "$T/dcd" | rdfhist -B 0 -e cpu -p A:near -r 10 >"$T/changes"
    fails_cleanly 3 'a dynamic group has no constant size' rdfderive -q sq "$T/changes"
    rdfderive -q n "$T/changes" | rows | tail -n 1 | awk '{ exit !($2 > 0 && $3 > 0) }'
}

@test "shells, one pair too noisy: nan and a note for it, and the table contains the other pairs" {
    # The groups are the oxygens of water and two points, whose 6 counts show no shell.
    trjcat -t "$WATER/water.pdb" -g 'O=name OW' -g 'H=name HW*' -g 'X=index 0' -g 'Y=index 300' "$WATER/water.dcd" |
        rdfhist -e cpu -b 200 -r 10 -B 16 -p O:O -p X:Y -p O:H -p H:H >"$T/rdfh"
    rdfderive -q shells "$T/rdfh" >"$T/table" 2>"$T/err"
    [[ $(wc -l <"$T/err") == 1 ]]
    grep -q '^rdfderive: note: X:Y: no significant maximum of shell 1 .*: nan in the table; count more' \
        "$T/err"
    [[ $(rows "$T/table" | cut -f 1 | tr '\n' ' ') == 'O:O X:Y O:H H:H ' ]]
    [[ $(rows "$T/table" | sed -n 2p | cut -f 3- | tr '\t' '\n' | sort -u) == nan ]]
    # The other pairs have the same values as without this pair.
    rdfderive -q shells -p O:O -p O:H -p H:H "$T/rdfh" 2>"$T/err" | rows >"$T/good"
    rows "$T/table" | grep -v '^X:Y' | same "$T/good" -
    [[ ! -s $T/err ]]
    run ! grep -q nan "$T/good"
    # If more shells are requested than exist, those that are found are printed.
    rdfderive -q shells --shells 9 -p O:O "$T/rdfh" >"$T/table" 2>"$T/err"
    rows "$T/table" | head -n 1 | cut -f 3- | same <(head -n 1 "$T/good" | cut -f 3-) -
    [[ $(rows "$T/table" | tail -n 1 | cut -f 3) == nan ]]
    [[ $(grep -c 'note: O:O: no significant m.*imum of shell' "$T/err") == 1 ]]
    fails 3 'X:Y: no significant maximum of shell 1' rdfderive -q shells -p X:Y "$T/rdfh"
}

@test "S(q) below 2 pi/L or pi/rmax: marked as not resolved, except bodies in empty space and excluded pairs" {
    limit() { # prints the limit in the comment
        rdfderive "$@" "$T/rdfh" 2>/dev/null | sed -n 's/^# not resolved: q < \([^ ]*\) .*/\1/p'
    }
    marks() { # the rows marked 1 begin at the limit
        rdfderive "$@" "$T/rdfh" 2>/dev/null |
            awk -v limit="$(limit "$@")" '/^# q/ { named = $NF == "resolved" } /^#/ { next }
            { n[$NF]++; if ($NF != ($1 >= limit)) bad = 1 } END { print n[0] + 0, n[1] + 0; exit bad || !named }'
    }
    gas # a cell of 22 x 23 x 24, counted up to 10: the limit is pi/rmax
    near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !((a - b) ^ 2 < 1e-12) }'; }
    local q
    for q in sq debye; do
        near "$(limit -q $q)" 0.314159265
        [[ $(marks -q $q --qmax 2 --dq 0.1) == '4 17' ]]
    done
    rdfderive -q sq "$T/rdfh" | has '^# not resolved: .* L = 22 Angstrom, the smallest distance of opposite cell faces;'
    # Beyond half of the cell the limit is 2 pi/L, also for totals, and if no row is below it.
    rdfhist -e cpu -b 200 -r 20 -p A:A -p A:B "$T/trjf" >"$T/rdfh"
    near "$(limit -q sq)" 0.285599332
    [[ $(marks -q sq --qmax 2 --dq 0.1) == '3 18' && $(marks -q sq --qmin 0.5 --qmax 2 --dq 0.1) == '0 16' ]]
    trjcat -g A=all "$T/dcd" | rdfhist -e cpu -r 20 -b 200 >"$T/rdfh"
    [[ $(marks -q sq --total number --qmax 2 --dq 0.1) == '3 18' ]]
    # For a slab only the periodic directions count.
    trjcat -P yz "$T/dcd" 2>/dev/null | rdfhist -e cpu -r 20 -b 200 >"$T/rdfh"
    near "$(limit -q debye)" 0.273181970
    trjcat -P none "$T/dcd" 2>/dev/null | rdfhist -e cpu -r 20 -b 200 >"$T/rdfh"
    [[ -z $(limit -q debye) ]]
    rdfderive -q debye "$T/rdfh" 2>/dev/null | run ! grep -q resolved
    trjcat -t "$WATER/water.pdb" -g 'O=name OW' -g 'H=name HW*' "$WATER/water.dcd" -f :4 |
        rdfhist -e cpu -r 9 -b 90 -x residue -p O:H >"$T/rdfh"
    [[ -n $(limit -q sq) && -n $(limit -q debye --excluded out) ]]
    [[ -z $(limit -q sq --excluded only) && -z $(limit -q debye --excluded only) ]]
}

@test "records that are correlated: longer blocks, and a comment with the statistical inefficiency and their number" {
    # Sixteen random configurations are each repeated in 32 frames: four records each.
    repeated_configurations >"$T/x.xyz"
    trjcat "$T/x.xyz" | rdfhist -e cpu -b 24 -r 6 >"$T/rdfh"
    rdfderive -q n "$T/rdfh" >"$T/table" 2>"$T/err"
    has '^# errors: se_, by leaving out one of [48] blocks of \(8\|16\) records, statistical inefficiency [3-6][0-9.]* records; [48] independent blocks$' \
        "$T/table"
    [[ ! -s $T/err ]]
    # Independent frames, and few records, are not joined.
    mkdcd --atoms 60 --frames 512 --cell 12,12,12 --seed 9 | trjcat - | rdfhist -e cpu -b 24 -r 6 |
        rdfderive -q n 2>"$T/err" >"$T/table"
    has '^# errors: .* of 32 blocks of 2 records, which show no correlation; 32 independent blocks$' "$T/table"
    trjcat -f :6 "$T/x.xyz" | rdfhist -e cpu -b 24 -r 6 | rdfderive -q n 2>>"$T/err" >"$T/table"
    has '^# errors: .* of 6 blocks of 1 record, too few to detect correlation; 6 blocks$' "$T/table"
    [[ ! -s $T/err ]]
}

@test "slabs of varying thickness, default records: quantities without a volume equal those of one record" {
    mkdcd --atoms 100 --frames 70 --cell 20,20,20 --breathe 0.1 | trjcat -P xy - >"$T/trjf"
    rdfhist -e cpu -r 8 -b 16 "$T/trjf" >"$T/rdfh"
    rdfhist -e cpu -r 8 -b 16 -B 0 "$T/trjf" >"$T/one.rdfh"
    local options
    for options in '-q n' '-q debye --qmax 2' '-q sq --qmax 2 -v 8000'; do
        # shellcheck disable=SC2086
        close <(rdfderive $options "$T/rdfh" 2>/dev/null | rows | cut -f 2) \
            <(rdfderive $options "$T/one.rdfh" | rows | cut -f 2) 1e-9
    done
    fails 3 'more than 32 records of slabs whose thickness varies' rdfderive -q pmf -T 300 "$T/rdfh"
}
