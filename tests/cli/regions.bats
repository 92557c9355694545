#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfnorm: atoms in planes, slabs and boxes, compared with lattices, ideal gases and one another.
load helper

formulas='
function pi() { return atan2(0, -1) }
function differ(a, b, relative) { d = a - b; if (d < 0) d = -d; return d > relative * (a < 0 ? -a : a) + 1e-12 }
'

# lattice AXIS COS SIN: prints 144 atoms 2 Angstrom from their neighbours in the plane across AXIS, x, y or z, at an
# angle
lattice() {
    awk -v axis="$1" -v cosine="$2" -v sine="$3" 'BEGIN { print 144; print "lattice"
        for (i = 0; i < 12; i++) for (j = 0; j < 12; j++) { u = 2 * i + 2 * cosine * j; v = 2 * sine * j
            if (axis == "x") print "X", 5, u, v; else if (axis == "y") print "X", u, 5, v; else print "X", u, v, 5 } }'
}

# neighbours COS SIN: prints the neighbours of an atom of that lattice in each of the bins of 0.1 from 0.05 to 10.05
neighbours() {
    awk -v cosine="$1" -v sine="$2" \
        'BEGIN { for (i = -20; i <= 20; i++) for (j = -20; j <= 20; j++) { u = 2 * i + 2 * cosine * j; v = 2 * sine * j
            n[int((sqrt(u * u + v * v) - 0.05) / 0.1 + 1) - 1 + (u * u + v * v < 0.0025)]++ }
        n[0] = 0; for (k = 0; k < 100; k++) print n[k] + 0 }'
}

@test "--plane: square and hexagonal lattices across x, y and z of cells of any shape are exact" {
    local shape axis cell cosine sine area bad=0
    # Each line has cosine and sine of the angle between rows, then the cells for x, y and z, the last one also with a
    # skew c.
    for shape in '0 1 576 x:50,24,24 y:24,50,24 z:24,24,50 z:24,24,50,70,80,90' \
        '0.5 0.866025403784438647 498.8306325798366 x:50,24,24,60,90,90 y:24,50,24,90,60,90 z:24,24,50,90,90,60 z:24,24,50,70,80,60'; do
        read -r cosine sine area shape <<<"$shape"
        neighbours "$cosine" "$sine" >"$T/neighbours"
        for cell in $shape; do
            axis=${cell%%:*}
            lattice "$axis" "$cosine" "$sine" >"$T/x.xyz"
            trjcat --cell "${cell#*:}" "$T/x.xyz" | rdfhist -B 0 -e cpu --rmin 0.05 -r 10.05 -b 100 >"$T/rdfh"
            # Each atom has n neighbours in a bin; (N - 1) / A times the ring are expected.
            rdfnorm -n plane --plane "$axis" "$T/rdfh" | rows | paste - "$T/neighbours" |
                awk -v area="$area" -v what="$cell" "$formulas"'
                { g = $4 / (143 / area * pi() * (($1 + 0.05) ^ 2 - ($1 - 0.05) ^ 2)); s += $4
                  if (differ(g, $2, 1e-6) || differ(s, $3, 1e-9)) { print what, g, $0; bad = 1 } }
                  END { exit bad || NR != 100 || s < 70 }' || bad=1
        done
    done
    ((!bad))
    # The header contains the direction; z is the one of a cell periodic in x and y.
    rdfnorm -n plane --plane z "$T/rdfh" | has '^# norm: plane, in the plane across z$'
    trjcat --cell 24,24,50,70,80,60 -P xy "$T/x.xyz" | rdfhist -B 0 -e cpu --rmin 0.05 -r 10.05 -b 100 >"$T/xy.rdfh"
    rdfnorm -n plane "$T/xy.rdfh" | rows | same <(rdfnorm -n plane --plane z "$T/rdfh" | rows) -
    rdfnorm -n plane --plane z "$T/xy.rdfh" | rows | same <(rdfnorm -n plane "$T/xy.rdfh" | rows) -
    fails_cleanly 3 'plane: frames are periodic neither*across x*' rdfnorm -n plane --plane x "$T/xy.rdfh"
}

# Writes a gas in the plane z = 5, 6 frames with varying sides, and with ASLANT also a varying height; extended XYZ.
flat() {
    awk -v aslant="$1" "$AWK_RANDOM"'BEGIN { seed = 5; for (f = 0; f < 6; f++) { a = 30 + 2 * f; b = 34 - f; print 200
        printf "Lattice=\"%s 0 0 %s %s 0 3 4 %s\" Properties=species:S:1:pos:R:3\n", a, 0.2 * b, b, 40 + aslant * f
        for (i = 0; i < 200; i++) {
            u = random(); v = random(); printf "X %.6f %.6f 5\n", a * u + 0.2 * b * v, b * v } } }'
}

@test "--plane: a gas in a varying cell uses the mean of 1/A, and has g = 1" {
    flat 0 >"$T/x.xyz"
    trjcat "$T/x.xyz" | rdfhist -B 0 -e cpu -b 12 -r 12 >"$T/rdfh"
    paste <(rdfnorm -n plane --plane z "$T/rdfh" | rows) <(rdfnorm -c "$T/rdfh" | rows) | awk "$formulas"'
        BEGIN { for (f = 0; f < 6; f++) density += 1 / ((30 + 2 * f) * (34 - f)) }
        { g = $6 / (200 * 199 / 2 * density * pi() * ($5 ^ 2 - $4 ^ 2))
        if (differ(g, $2, 1e-6) || differ(1, $2, 5 / sqrt($6))) { print g, $0; bad = 1 } }
        END { exit bad || NR != 12 }'
    # If the height varies, too, a record must have a single one.
    flat 0.5 >"$T/x.xyz"
    trjcat "$T/x.xyz" | rdfhist -B 0 -e cpu -b 12 -r 12 >"$T/rdfh"
    fails_cleanly 3 'the cell across the plane, varies within a record*-B 1' rdfnorm -n plane --plane z "$T/rdfh"
    trjcat "$T/x.xyz" | rdfhist -e cpu -b 12 -r 12 -B 1 | rdfnorm -n plane --plane z | rows | cut -f 1,2,4 >"$T/frames"
    awk 'NR == FNR { sum += $2; next } { other += $2 } END { exit !(sum > 11.5 && sum < 12.5) }' "$T/frames" "$T/frames"
    for f in 0 1 2 3 4 5; do trjcat -f $f "$T/x.xyz" | rdfhist -B 0 -e cpu -b 12 -r 12 | rdfnorm -n plane --plane z |
        rows | cut -f 2 >"$T/g$f"; done
    paste "$T/frames" "$T"/g? | awk "$formulas"'{ if (differ(($4 + $5 + $6 + $7 + $8 + $9) / 6, $2, 1e-8)) { print
        bad = 1 } } END { exit bad || NR != 12 }'
}

@test "--plane: cells without a height are rejected" {
    printf '%s\n' 3 'Lattice="20 0 0 0 20 0 0 0 0" Properties=species:S:1:pos:R:3' 'X 1 1 0' 'X 3 1 0' 'X 1 3 0' \
        >"$T/x.xyz"
    trjcat -P xy "$T/x.xyz" | rdfhist -B 0 -e cpu -b 10 -r 5 >"$T/rdfh"
    fails_cleanly 3 'no volume*give the cell any height*--cell' rdfnorm -n plane "$T/rdfh"
    trjcat -P xy --cell 20,20,7 "$T/x.xyz" | rdfhist -B 0 -e cpu -b 10 -r 5 | rdfnorm -n plane | rows |
        awk '{ print $3 }' | tail -n 1 | has -x 2
}

# Writes a gas of 400 atoms between z = 20 and 26, 20 frames.
layer() {
    awk "$AWK_RANDOM"'BEGIN { seed = 11; for (f = 0; f < 20; f++) { print 400; print "layer"
        for (i = 0; i < 400; i++) printf "X %.6f %.6f %.6f\n", 20 * random(), 21 * random(), 20 + 6 * random() } }'
}

@test "--thickness: a slab in a larger cell, periodic along it or not, equals one in a cell of its own" {
    layer >"$T/x.xyz"
    trjcat --cell 20,21,30 "$T/x.xyz" | rdfhist -B 0 -e cpu -b 20 -r 20 >"$T/all.rdfh"
    trjcat --cell 20,21,30 -P xy "$T/x.xyz" | rdfhist -B 0 -e cpu -b 20 -r 20 >"$T/xy.rdfh"
    trjcat --cell 20,21,6 -P xy "$T/x.xyz" | rdfhist -B 0 -e cpu -b 20 -r 20 >"$T/own.rdfh"
    rdfnorm "$T/own.rdfh" | rows |
        awk "$formulas"'differ(1, $2, 0.03 + 0.3 / $1) { print; bad = 1 } END { exit bad || NR != 20 }'
    for norm in density mdanalysis gromacs vmd mdtraj; do
        rdfnorm -n $norm "$T/own.rdfh" | rows >"$T/own"
        rdfnorm -n $norm --thickness 6 "$T/own.rdfh" | rows | same "$T/own" -
        for kind in xy all; do
            rdfnorm -n $norm --plane z --thickness 6 "$T/$kind.rdfh" | rows | paste "$T/own" - |
                awk "$formulas"'differ($2, $5, 1e-9) || differ($3, $6, 1e-9) { print; bad = 1 }
                END { exit bad || NR != 20 }'
        done
    done
    # Without it the gap belongs to the slab.
    rdfnorm "$T/xy.rdfh" | rows | awk 'NR == 3 && $2 < 3 { print; exit 1 }'
    rdfnorm --thickness 6 "$T/xy.rdfh" | has '^# norm: density, in a slab of 6 Angstrom$'
    # From 24 Angstrom on there are pairs with images across the gap.
    trjcat --cell 20,21,30 "$T/x.xyz" | rdfhist -B 0 -e cpu -b 30 -r 30 >"$T/far.rdfh"
    fails_cleanly 3 'periodic along z*from 24 *reach to 30*' rdfnorm --plane z --thickness 6 "$T/far.rdfh"
    rdfnorm --plane z --thickness 6 -r :24 "$T/far.rdfh" | rows | head -n 20 | cut -f 2 >"$T/far"
    rdfnorm --plane z --thickness 6 "$T/all.rdfh" | rows | cut -f 2 | same - "$T/far"
    fails_cleanly 3 'thickness*all directions*--plane' rdfnorm --thickness 6 "$T/all.rdfh"
    fails_cleanly 2 'plane: requires --norm plane for atoms in a plane, or --thickness' rdfnorm --plane z "$T/all.rdfh"
    fails_cleanly 2 'thickness: has no effect with --norm plane*' rdfnorm -n plane --plane z --thickness 6 "$T/all.rdfh"
    fails_cleanly 2 'plane: has no effect with --norm number*' rdfnorm -n number --plane z "$T/all.rdfh"
    fails_cleanly 2 'thickness: applies to volumes of the frames; leave it out' \
        rdfnorm --plane z --thickness 6 -v 100 "$T/all.rdfh"
    fails_cleanly 2 '--thickness: invalid value -1: expected a thickness*' rdfnorm --thickness -1 "$T/all.rdfh"
    # Atoms in a thin cell that is periodic in all directions meet their images at once.
    trjcat --cell 20,21,0.5 "$T/x.xyz" | rdfhist -B 0 -e cpu -b 20 -r 5 >"$T/thin.rdfh"
    fails_cleanly 3 'periodic along z*from 0.5 *--periodic' rdfnorm -n plane --plane z "$T/thin.rdfh"
}

@test "--box: 1 up to its diagonal for points with uniform density in it" {
    awk "$AWK_RANDOM"'BEGIN { seed = 3; for (f = 0; f < 40; f++) { print 500; print "gas"
        for (i = 0; i < 500; i++)
            printf "X %.6f %.6f %.6f\n", 8 * random(), 13 * random(), 20 * random() } }' >"$T/x.xyz"
    trjcat "$T/x.xyz" | rdfhist -B 0 -e cpu -b 50 -r 25 >"$T/rdfh"
    rdfnorm --box 8,13,20 "$T/rdfh" >"$T/table"
    # With 20000 points, each bin has the density near the surface to some percent; without the correction g falls to 0
    # there.
    rows "$T/table" | awk '$1 > 1 && $1 < 19 { n++; if ($2 < 0.97 || $2 > 1.03) { print; bad = 1 } }
        END { exit bad || n != 36 }'
    rdfnorm -v 2080 "$T/rdfh" | rows | awk '$1 > 15 && $2 > 0.2 { print; exit 1 }'
    grep -q '^# norm: density, in a box of 8 by 13 by 20 Angstrom$' "$T/table"
    rdfnorm --box 20,8,13 "$T/rdfh" | rows | same <(rows "$T/table") -
    # The shares of the pairs, n / (F N_pairs), are g times the distribution; up to the diagonal they add up to 1.
    rdfnorm -c "$T/rdfh" | rows | awk '{ s += $3 } END { exit s != 40 * 500 * 499 / 2 }'
    trjcat "$T/x.xyz" | rdfhist -B 0 -e cpu -b 30 -r 30 >"$T/far.rdfh"
    fails_cleanly 2 'box: its diagonal is 25.159*beyond 29; give a range*' rdfnorm --box 8,13,20 "$T/far.rdfh"
    fails_cleanly 2 '*give one of them' rdfnorm --box 8,13,20 --droplet 10 "$T/rdfh"
    fails_cleanly 2 'box: has no effect with --norm none*' rdfnorm --box 8,13,20 -n none "$T/rdfh"
    for text in '' 8 8,13 '8,13,' '8,13,20,' 8,13,0 8,13,-2 8,13,nan ' 8,13,20' 8,13,20x 8,13,1e400; do
        fails 2 "--box: invalid value '$text': expected three sides*" rdfnorm --box "$text" "$T/rdfh"
    done
    # Periods cause images; those of this cell are 60 - 25.16 away.
    trjcat --cell 60,60,60 "$T/x.xyz" | rdfhist -B 0 -e cpu -b 50 -r 25 | rdfnorm --box 8,13,20 | rows |
        same <(rows "$T/table") -
    trjcat --cell 40,60,60 "$T/x.xyz" | rdfhist -B 0 -e cpu -b 50 -r 25 >"$T/near.rdfh"
    fails_cleanly 3 'periodic along x*from 14.84*reach to 25*--periodic' rdfnorm --box 8,13,20 "$T/near.rdfh"
    fails_cleanly 3 'periodic along x*from 15 *reach to 20*' rdfnorm --droplet 12.5 -r :20 "$T/near.rdfh"
}
