#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Cells whose basis changes during a simulation (LAMMPS: fix deform, fix npt with tilt factors): static atoms give the
# results of a cell that does not change, in everything that carries fractional coordinates or indices between frames.
load helper

# dump FLIPS FRAMES [SHIFT]: prints a static cubic crystal (a = 3, 64 atoms) and four other atoms, of type 2, in a cell
# with a tilt of 6 of 12 Angstrom. With FLIPS of 1, the tilt changes to -6 and back every 3 frames, with which the
# lattice of the cell stays the same, and atoms are wrapped into the cell.
dump() {
    awk -v flips="$1" -v frames="$2" -v shift="${3:-0}" 'BEGIN {
        for (i = 0; i < 64; i++) at[i] = 3 * int(i / 16) + 0.2 " " 3 * (int(i / 4) % 4) + 0.2 " " 3 * (i % 4) + 0.2
        split("1 2 3 4 1.5 6 7 3 9 2 2.5 1", x)
        for (i = 0; i < 4; i++) at[64 + i] = x[3 * i + 1] " " x[3 * i + 2] " " x[3 * i + 3]
        for (t = 0; t < frames; t++) {
            tilt = flips && int((t + shift) / 3) % 2 ? -6 : 6
            print "ITEM: TIMESTEP\n" 100 * (t + shift) "\nITEM: NUMBER OF ATOMS\n68\nITEM: BOX BOUNDS xy xz yz pp pp pp"
            print (tilt < 0 ? tilt : 0), (tilt < 0 ? 12 : 12 + tilt), tilt "\n0 12 0\n0 12 0\nITEM: ATOMS id type x y z"
            for (i = 0; i < 68; i++) {
                split(at[i], r, " ")
                sx = (r[1] - tilt * r[2] / 12) / 12
                cells = flips ? (sx >= 0 ? int(sx) : -int(1 - sx)) : 0
                printf "%d %d %.6f %.6f %.6f\n", i + 1, i < 64 ? 1 : 2, r[1] - 12 * cells, r[2], r[3]
            }
        }
    }'
}

# stream NAME DUMP-ARGUMENT...: writes $T/NAME.trjf with the groups A, the crystal, and B
stream() {
    dump "${@:2}" >"$T/$1.lammpstrj"
    trjcat -g 'A=type 1' -g 'B=type 2' -o "$T/$1.trjf" "$T/$1.lammpstrj" 2>/dev/null
}

# Prints the values of a map.
values() {
    mapconv --to npy -o "$T/values.npy" "$@" 2>/dev/null
    tail -c +129 "$T/values.npy" | od -An -v -t f8 -w8
}

@test "a static crystal in a cell that flips, Van Hove function: no pair is too near, and no atom moves" {
    stream flips 1 12
    rdfhist -e cpu --lag 1,5 -r 5.8 -b 29 -p A:A -o "$T/h" "$T/flips.trjf" 2>/dev/null
    rdfnorm --lag 5 --counts "$T/h" | rows | awk '$1 < 2.7 { low += $3 } $1 > 2.7 && $1 < 3.1 { next_atoms += $3 }
        END { print low, next_atoms; exit !(low == 0 && next_atoms == 64 * 6 * 7) }'
    for engine in reference cpu; do
        rdfhist -e $engine --lag 1,5 -r 20 -b 40 -p B:B -o "$T/h" "$T/flips.trjf" 2>/dev/null
        rdfnorm --lag 5 --self --counts "$T/h" | rows | awk '{ all += $3 } NR == 1 { print $3; first = $3 }
            END { exit !(first == 28 && all == 28) }'
    done
    stream same 0 12
    rdfhist -e cpu --lag 1,5 -r 9 -b 30 -p A:B "$T/same.trjf" 2>/dev/null | rdfnorm --lag 5 --counts | rows >"$T/same"
    rdfhist -e cpu --lag 1,5 -r 9 -b 30 -p A:B "$T/flips.trjf" 2>/dev/null | rdfnorm --lag 5 --counts | rows |
        same "$T/same" -
}

# Frames whose tilt grows by 3 of 12 Angstrom and is kept between -3 and 6: atoms with y = 0 do not move.
@test "a cell that is sheared steadily: the note on its width is about the cell of each frame" {
    awk 'BEGIN { for (t = 0; t < 20; t++) {
        tilt = 3 * (t % 4); if (tilt > 6) tilt -= 12
        print "ITEM: TIMESTEP\n" t "\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS xy xz yz pp pp pp"
        print (tilt < 0 ? tilt : 0), (tilt < 0 ? 12 : 12 + tilt), tilt "\n0 12 0\n0 12 0"
        print "ITEM: ATOMS id type x y z\n1 1 1 0 2\n2 1 5 0 2" } }' >"$T/sheared.lammpstrj"
    trjcat -o "$T/sheared.trjf" "$T/sheared.lammpstrj" 2>/dev/null
    rdfhist -e cpu --lag 1 -r 5 -b 5 -o "$T/h" "$T/sheared.trjf" 2>"$T/err"
    grep -v ' engine ' "$T/err" && return 1
    rdfnorm --counts "$T/h" | rows | awk '{ print $3; all += $3 } NR == 5 { exit !($3 == 2 * 19 && all == $3) }'
    rdfhist -e cpu --lag 1 -r 5.5 -b 5 -o "$T/h" "$T/sheared.trjf" 2>"$T/err"
    has 'in 5 of 19 frames the cell is narrower than twice -r.* the smallest half width is 5.36656 ' "$T/err"
}

@test "the intermediate scattering function of a static crystal in a cell that flips is S(q), also of single vectors" {
    stream flips 1 12
    local option
    for option in '-q 2.5 -b 5' '-q 2.5 --vectors'; do
        # shellcheck disable=SC2086 # words
        skhist $option -p A:A --lag 0,5 "$T/flips.trjf" 2>/dev/null | rdfnorm >"$T/f"
        rows "$T/f" | awk '{ vector = $2 " " ($2 == int($2) ? $3 " " $4 : ""); f = $(NF - 1) }
            $1 == 0 { s[vector] = f }
            $1 == 5 { d = f - s[vector]; n++; bad += d * d > 1e-12; if (f > most) most = f }
            END { print n, bad, most; exit !(n >= 4 && !bad && most > 1.7) }' ||
            { head -30 "$T/f"; return 1; }
    done
    rows "$T/f" | awk 'END { exit !(NR > 300) }'
    skhist -q 2.5 -b 5 -p A:A --lag 5 "$T/flips.trjf" 2>/dev/null | rdfnorm | rows |
        awk 'END { print $4; exit !($4 > 1.7297 && $4 < 1.7298) }'
}

@test "maps with --fractional in a cell that flips: those of one frame; --like gives later parts its basis" {
    stream flips 1 12
    stream one 0 1
    stream late 1 6 3
    lj_topology 68
    local map number lj part
    for part in one flips; do
        trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon -g 'B=index 64 to 67' \
            -o "$T/$part-lj.trjf" "$T/$part.lammpstrj" 2>/dev/null
    done
    for map in 'densmap --of A -g 1.2' 'densmap --of A --sigma 1 -g 1.7' \
        'potmap --method cutoff -k count -r 4 --of A -g 3' 'ligmap -l Ar --of B -g 4'; do
        lj=
        [[ $map == ligmap* ]] && lj=-lj
        # shellcheck disable=SC2086 # words
        for part in one flips; do $map --fractional -o "$T/$part.trjg" "$T/$part$lj.trjf" 2>"$T/err"; done
        mapsum --mean "$T/one.trjg" -o "$T/one-mean.trjg" 2>/dev/null
        mapsum --mean "$T/flips.trjg" -o "$T/flips-mean.trjg" 2>/dev/null
        paste <(values "$T/one-mean.trjg") <(values "$T/flips-mean.trjg") |
            awk '{ d = $1 - $2; most = d * d > most ? d * d : most; a += $1 != 0 }
                END { print a, most; exit !(a > 20 && NR > 30 && most < 1e-12) }' || { echo "$map"; return 1; }
        [[ $map == 'densmap --of A -g 1.2' ]] || continue
        number=$(values "$T/flips.trjg" | awk '$1 != 0' | wc -l)
        [[ $number == 64 ]] || { echo "$number voxels with atoms, not 64"; return 1; }
        densmap --of A --like "$T/one.trjg" --fractional -o "$T/late.trjg" "$T/late.trjf" 2>/dev/null
        paste <(values "$T/one.trjg") <(values "$T/late.trjg") | awk '$1 != $2 { bad = 1 } END { exit bad }'
    done
}

@test "neighbours that enter and leave: none in a static crystal whose cell flips" {
    stream flips 1 12
    rdfhist -e cpu --neighbours 3.1 -r 3.1 -b 3 -p A:A -p A:B "$T/flips.trjf" 2>/dev/null |
        rdfnorm --neighbours exchange | rows | awk 'NR > 1 && $3 == 192 && $6 > 0 && $4 + $5 + $7 + $8 == 0 { n++ }
            END { exit n != 11 }'
}

@test "a cell that changes too much from one frame to the next: rejected with the frame" {
    stream flips 1 3
    sed 's/^\(.*\) 6$/\1 2.5/; s/^0 18 /0 14.5 /' "$T/flips.lammpstrj" >"$T/other.lammpstrj"
    stream last 1 3 3
    sed -i 's/^-6 12 -6$/-6 12 -5.7/' "$T/last.lammpstrj"
    cat "$T/other.lammpstrj" "$T/last.lammpstrj" >"$T/x.lammpstrj"
    trjcat -o "$T/x.trjf" "$T/x.lammpstrj" 2>/dev/null
    fails_cleanly 3 'frame 3*--lag: the cell cannot be followed from the frame before*write frames more often' \
        rdfhist --lag 1 -r 5 -b 5 "$T/x.trjf"
    fails_cleanly 3 'frame 3*--lag: the cell cannot be followed from the frame before' skhist --lag 1 -q 1 "$T/x.trjf"
    fails_cleanly 3 'frame 3*--fractional: the cell cannot be followed from the frame before' \
        densmap --fractional -g 2 "$T/x.trjf"
}
