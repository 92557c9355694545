#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfderive compared with known values: crystals shell by shell, and the Lennard-Jones liquid by its published energy,
# pressure and compressibility. tests/unit/test_quantity.c and test_derive.c have hard spheres and a dilute gas,
# derive.bats water and argon.
load helper

# crystal CELLS "AX AY AZ BX BY BZ CX CY CZ" "X Y Z; X Y Z": writes $T/xyz with CELLS^3 cells with these vectors and
# atoms at these fractions of them
crystal() {
    awk -v n="$1" -v cell="$2" -v atoms="$3" 'BEGIN { split(cell, h, " "); count = split(atoms, at, ";")
        print n ^ 3 * count; printf "Lattice=\""
        for (i = 1; i <= 9; i++) printf "%.12g%s", n * h[i], i < 9 ? " " : "\" Properties=species:S:1:pos:R:3\n"
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++)
            for (m = 1; m <= count; m++) { split(at[m], s, " ")
            a = s[1] + i; b = s[2] + j; c = s[3] + k
            printf "A%d %.12g %.12g %.12g\n", m, a * h[1] + b * h[4] + c * h[7], a * h[2] + b * h[5] + c * h[8],
                a * h[3] + b * h[6] + c * h[9] } }' \
                >"$T/xyz"
}

# shells "R N" ...: checks that n(r) increases by N at each R and nowhere else, and that --quantity shells finds these
# shells. The number of bins keeps all distances off the edges.
shells() {
    trjcat "$T/xyz" | rdfhist -e cpu -r 2.1 -b 516 >"$T/rdfh"
    rdfderive -q n "$T/rdfh" | rows | awk '$2 != before { printf "%.3f %d\n", $1 - 0.002, $2 - before
        if ($2 != int($2)) exit 1; before = $2 }' >"$T/got"
    printf '%s\n' "$@" | paste -d ' ' - "$T/got" |
        awk '{ print; bad = bad || NF != 4 || $2 != $4 || ($1 - $3) ^ 2 > 0.0025 ^ 2 } END { exit bad || !NR }' ||
        return 1
    # No next shell marks the end of the last one.
    rdfderive -q shells --reach 0.05 --shells $(($# - 1)) "$T/rdfh" | rows | tee "$T/shells"
    printf '%s\n' "$@" | paste - "$T/shells" | awk -F '[\t ]' 'NF > 3 { n += $2; seen++
        if (($1 - $5) ^ 2 > 0.0041 ^ 2 || $9 != n || $10 != n || $8 != 0 || $7 <= $5) { print; bad = 1 } }
        END { exit bad || seen < 3 }'
}

@test "perfect fcc, bcc, hcp and sc crystals: shells are exact, for fcc also in its skew primitive cell" {
    local r2 r3 a b h
    read -r r2 r3 a b h < <(awk 'BEGIN { print sqrt(2), sqrt(3), 2 / sqrt(3), sqrt(4 / 3) * sqrt(2), sqrt(8 / 3) }')
    crystal 4 "$r2 0 0 0 $r2 0 0 0 $r2" '0 0 0;0.5 0.5 0;0.5 0 0.5;0 0.5 0.5'
    shells '1 12' "$r2 6" "$r3 24" '2 12'
    crystal 6 "1 0 0 0.5 0.866025403784 0 0.5 0.288675134595 0.816496580928" '0 0 0'
    trjinfo "$T/xyz" | has 'cell_angles.60 60 60'
    shells '1 12' "$r2 6" "$r3 24" '2 12'
    crystal 5 "$a 0 0 0 $a 0 0 0 $a" '0 0 0;0.5 0.5 0.5'
    shells '1 8' "$a 6" "$b 12" '1.914854 24' '2 8'
    crystal 4 "1 0 0 0 $r3 0 0 0 $h" '0 0 0;0.5 0.5 0;0.5 0.833333333333 0.5;0 0.333333333333 0.5'
    shells '1 12' "$r2 6" "$h 2" "$r3 18" '1.914854 12' '2 6'
    crystal 6 '1 0 0 0 1 0 0 0 1' '0 0 0'
    shells '1 6' "$r2 12" "$r3 8" '2 6'
}

@test "crystal of two kinds of atoms: neighbours in both directions are exact" {
    # In fluorite, CaF2, there are 8 F around Ca and 4 Ca around F at sqrt(3)/4 of the edge, 6 F around F at half the
    # edge, and 12 Ca around Ca at 1/sqrt(2).
    crystal 4 '2 0 0 0 2 0 0 0 2' \
        '0 0 0;0.5 0.5 0;0.5 0 0.5;0 0.5 0.5;0.25 0.25 0.25;0.75 0.25 0.25;0.25 0.75 0.25;0.75 0.75 0.25;0.25 0.25 0.75;0.75 0.25 0.75;0.25 0.75 0.75;0.75 0.75 0.75'
    sed -i -E '3,$ { s/^A[1-4] /Ca /; s/^A[0-9]+ /F / }' "$T/xyz"
    trjcat -g 'Ca=name Ca' -g 'F=name F' "$T/xyz" | rdfhist -e cpu -r 1.7 -b 425 -p Ca:F -p F:F -p Ca:Ca >"$T/rdfh"
    [[ $(rdfderive -q n "$T/rdfh" | grep '^# r' | tr '\t' ' ') == '# r n(Ca:F) n(F:Ca) n(F:F) n(Ca:Ca)' ]]
    rdfderive -q n "$T/rdfh" | rows | awk '$1 > 0.85 && $1 < 0.853 { below = $2 $3 } $1 > 0.899 &&
        $1 < 0.901 { near = $2 " " $3 " " $4 } $1 > 1.099 && $1 < 1.101 { f = $4 } $1 > 1.499 && $1 < 1.501 { ca = $5 }
        END { print below, near, f, ca; exit !(below == "00" && near == "8 4 0" && f == 6 && ca == 12) }'
    trjcat -g 'Ca=name Ca' -g 'F=name F' "$T/xyz" | rdfhist -e cpu -r 1.7 -b 425 -p Ca:F >"$T/rdfh"
    rdfderive -q shells --reach 0.02 "$T/rdfh" | rows |
        awk -F '\t' '{ print; seen = ($3 - 0.8660) ^ 2 < 1e-5 && $7 == 8 && $8 == 4 } END { exit !seen }'
}

# tests/data/lj.rdfh contains the Lennard-Jones liquid at T* = 0.85, rho* = 0.82, in 20 records of 5000 steps; lj.in
# made it. Published values: NIST Standard Reference Simulation Website, Lennard-Jones fluid, NVT Monte Carlo with
# cutoff 3 sigma and long-range corrections, at T* = 0.85 (rho*: U*, p*): 0.78: -5.5386, 0.047924; 0.82: -5.7947(2),
# 0.55355(159); 0.86: -6.0305, 1.2660; 0.90: -6.2391, 2.2314.
@test "Lennard-Jones liquid: energy and pressure from n(r) agree with NIST" {
    # U/N = 1/2 sum of dn u, and the pressure is rho T + rho/6 sum of dn (-r u'), with u and u' averaged over the shell
    # of a bin; beyond rmax, 5 sigma, g = 1. Bins of 0.0025 sigma give an error of 3e-4 in U. The simulation has 8640
    # frames of 864 atoms, whose block errors are 1.5e-3 in U, and its temperature was 0.8505, which changes U by 1e-3.
    rdfderive -q n tests/data/lj.rdfh | rows | awk '{ low = high; high = $1; dn = $2 - before; before = $2
            v = (high ^ 3 - low ^ 3) / 3; if (low) { a = (low ^ -9 - high ^ -9) / 9 / v
            b = (low ^ -3 - high ^ -3) / 3 / v; u += 2 * dn * (a - b)
            w += 2 * dn * (12 * a - 6 * b) } else if (dn) exit 1 }
        END { tail = 8 * atan2(0, -1) * 0.82; R = high; u += tail * (R ^ -9 / 9 - R ^ -3 / 3)
        w += tail * (12 * R ^ -9 / 9 - 6 * R ^ -3 / 3); p = 0.82 * (0.85 + w / 3)
            print "U/N", u, "published -5.7947; p", p, "published 0.55355"
            exit !(R == 5 && (u + 5.7947) ^ 2 < 0.003 ^ 2 && (p - 0.55355) ^ 2 < 0.02 ^ 2) }'
}

@test "Lennard-Jones liquid: the compressibility from its Kirkwood-Buff integral agrees with published pressures" {
    # rho T kappa = T / (dp/drho): the central difference over 0.78 and 0.86, minus its third derivative from all four
    # densities, is 15.05, which gives 0.0565. In a box of 10 sigma the corrected, extrapolated integral still
    # oscillates by 0.06 between 4 and 5 sigma; the test uses the mean over one period, 0.93, the distance of two
    # shells. Without the correction the value is more than four times too large.
    rdfderive -q kb --corrected tests/data/lj.rdfh | rows | awk '$1 > 4.07 { n++; s += 1 + 0.82 * $6 }
        END { print s / n, "published 0.0565"; exit !((s / n - 0.0565) ^ 2 < 0.006 ^ 2) }'
    rdfderive -q kb tests/data/lj.rdfh | rows |
        awk '$1 > 4.07 { n++; s += 1 + 0.82 * $6 } END { print s / n; exit !(s / n > 0.2) }'
}

@test "Lennard-Jones liquid: shells are as expected, and the peak of S(q) is below that at freezing" {
    # Near the triple point there are 12 to 13 neighbours, and the first peak is at slightly less than the minimum of u,
    # 1.1225 sigma. At freezing the first peak of S(q) has a height of 2.85 (J.-P. Hansen, L. Verlet, Phys. Rev. 184,
    # 151 (1969)), at 6.8 / sigma; at 0.82, below the freezing density of 0.88, it is lower.
    rdfderive -q shells --shells 2 tests/data/lj.rdfh | rows |
        awk -F '\t' '{ print } $2 == 1 { seen += $3 > 1.07 && $3 < 1.1 && $4 < 0.002 && $11 > 12 && $11 < 13 &&
        $12 < 0.05 } $2 == 2 { seen += $3 > 2.03 && $3 < 2.12 && $4 < 0.002 }
        END { exit seen != 2 }'
    rdfderive -q sq --qmin 5 --qmax 8 tests/data/lj.rdfh | rows | awk '$2 > high { high = $2; q = $1; se = $3 }
        END { print q, high, se; exit !(q > 6.6 && q < 6.95 && high > 2.3 && high < 2.6 && se < 0.01) }'
    # Pairs contribute most of the excess entropy. The contribution of noise is 1e-3 of it, and the result does not
    # depend on the bin width.
    rdfderive -q s2 --corrected tests/data/lj.rdfh | rows | tail -n 1 |
        awk '{ print; exit !($2 < -2.95 && $2 > -3.05 && $3 < 0.005) }'
}
