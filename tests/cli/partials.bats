#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# All pairs of groups in one pass, groups by properties of atoms, and totals of partial curves.
load helper

WATER=examples/water/water.dcd PDB=examples/water/water.pdb

# Prints the names of groups of a frame stream, in order, with the numbers of their atoms.
groups_of() {
    trjdump | awk '/^group/ { printf "%s%s:%d", sep, $2, NF - 2 - ($3 == "changes"); sep = " " }'
}

# Prints the columns of counts, in order.
pairs_of() {
    rdfnorm -c | sed -n 's/^# r_lo\tr_hi\t//p' | sed 's/count(\([^)]*\))/\1/g; s/\t/ /g'
}

# close A B [RELATIVE]: tables agree, column by column
close() {
    [[ $2 != - ]] || { cat >"$T/close" && set -- "$1" "$T/close" "${3:-}"; }
    paste "$1" "$2" | awk -v off="${3:-1e-9}" '{ n = NF / 2
        for (i = 1; i <= n; i++) { d = $i - $(i + n); s = $i < 0 ? -$i : $i; if (d < 0) d = -d
        if (!(d <= off * (s > 1e-3 ? s : 1e-3))) { print NR, i, $i, $(i + n); bad = 1 } } }
        END { exit bad || !NR }' || return 1
    [[ $(wc -l <"$1") == $(wc -l <"$2") ]]
}

# Rock salt, 3^3 cells of 5.64 Å; each atom has a species and a name in a column of its own.
rock_salt() {
    awk 'BEGIN { n = 6; a = 2.82; print n ^ 3
        printf "Lattice=\"%g 0 0 0 %g 0 0 0 %g\" Properties=species:S:1:pos:R:3\n", n * a, n * a, n * a
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) print ((i + j + k) % 2 ? "Cl" : "Na"),
            i * a, j * a, k * a }'
}

# ---- rdfhist

@test "wildcards: each pair once, in the order of the groups; single atoms have no pair with themselves" {
    trjcat -t "$PDB" -f :2 -g 'O=name OW' -g 'H=name HW1 or name HW2' -g 'one=index 0' "$WATER" >"$T/trjf"
    one() { rdfhist -e cpu -b 8 -r 6 "$@" "$T/trjf" 2>"$T/notes" | pairs_of; }
    [[ $(one -p '*:*') == 'O:O O:H O:one H:H H:one' ]]
    grep -q 'note: group one is a single atom, which forms no pair with itself' "$T/notes"
    [[ $(one -p 'H:*') == 'H:O H:H H:one' ]]
    [[ $(one -p '*:H') == 'O:H H:H one:H' ]]
    [[ $(one -p 'one:*') == 'one:O one:H' ]]
    # Named pairs keep their order, and occur once.
    [[ $(one -p H:O -p '*:*') == 'H:O O:O O:one H:H H:one' ]]
    [[ $(one -p '*:*' -p O:H) == 'O:O O:H O:one H:H H:one' ]]
    [[ $(one -p '*:*' -p H:O) == 'O:O O:H O:one H:H H:one H:O' ]]
    [[ $(one -p 'O:*' -p 'H:*') == 'O:O O:H O:one H:H H:one' ]]
    fails 2 "'O:H' is given twice" rdfhist -e cpu -r 6 -p O:H -p O:H "$T/trjf"
    fails 2 "'O:H' is given twice" rdfhist -e cpu -r 6 -p '*:*' -p O:H -p O:H "$T/trjf"
    fails 2 "no group 'X'" rdfhist -e cpu -r 6 -p 'X:*' "$T/trjf"
    fails 3 'contain no pair' rdfhist -e cpu -r 6 -p one:one "$T/trjf"
    # The counts equal those of the named pairs.
    rdfhist -e cpu -b 40 -r 6 -p '*:*' "$T/trjf" 2>"$T/notes" | counts >"$T/all"
    counted -e reference -b 40 -r 6 -p O:O -p O:H -p O:one -p H:H -p H:one "$T/trjf" | same "$T/all" -
}

# ---- trjcat --by

@test "--by: one group for each element, type or residue name, in the order of the first occurrence" {
    trjcat -t "$PDB" -f 0 --by element "$WATER" >"$T/trjf"
    [[ $(groups_of <"$T/trjf") == 'O:343 H:686' ]]
    trjdump <"$T/trjf" | awk '/^group H/ { for (i = 3; i <= NF; i++) if ($i % 3 == 0 ||
        $i <= last) bad = 1; else last = $i } END { exit bad || last != 1028 }'
    [[ $(trjcat -t "$PDB" -f 0 --by resname "$WATER" | groups_of) == 'SOL:1029' ]]
    # --by splits each of the given groups.
    [[ $(trjcat -t "$PDB" -f 0 --by element -g 'few=index 1 to 6' -g 'one=index 3' "$WATER" | groups_of) \
        == 'few.H:4 few.O:2 one.O:1' ]]
    # The names are those that a stream contains.
    trjcat -t "$PDB" -f 0 -g 'w=all' "$WATER" | trjcat --by element - | groups_of >"$T/again"
    [[ $(cat "$T/again") == 'O:343 H:686' ]]
    [[ $(trjinfo "$T/trjf" | sed -n 's/^groups.*, //p; s/^elements_from/from/p' | paste -s -d ,) \
        == $'elements O 343,elements H 686,from\tfile' ]]
    # Without --group and --by, a topology gives residues and elements, too.
    trjcat -t "$PDB" -f 0 "$WATER" >"$T/all"
    rdfhist -e cpu -r 5 -x residue "$T/all" 2>/dev/null | trjinfo - >"$T/facts"
    has '^groups.all, atoms 1029, dynamic no, elements H 686 O 343$' <"$T/facts"
    has '^pairs.all:all, pairs 528906, excluded 1029$' <"$T/facts"
    rdfhist -e cpu -b 40 -r 7 "$T/all" 2>/dev/null | counts |
        same - <(trjcat -f 0 "$WATER" | rdfhist -e cpu -b 40 -r 7 2>/dev/null | counts)
    fails 2 'all: is a frame stream, which has its own groups; add --group or --by, or leave --topology out' \
        trjcat -t "$PDB" "$T/all"
    # XYZ contains its elements.
    rock_salt >"$T/salt.xyz"
    [[ $(trjcat --by element "$T/salt.xyz" | groups_of) == 'Na:108 Cl:108' ]]
    # These groups are used like any others.
    trjcat -t "$PDB" -f :3 -g 'O=element O' -g 'H=element H' "$WATER" | counted -e cpu -b 40 -r 7 -p '*:*' >"$T/named"
    trjcat -t "$PDB" -f :3 --by element "$WATER" | counted -e cpu -b 40 -r 7 -p '*:*' | same "$T/named" -
}

@test "--by: types of a force field, and names that are invalid for groups" {
    need_shared
    local psf=$DATA/dcd/adk.psf
    trjcat -t "$psf" -f 0 --by type "$DATA/dcd/adk_dims.dcd" | groups_of | xargs -n 1 >"$T/groups"
    # Atoms of a PSF: the sixth column is the type.
    awk '/!NATOM/ { n = $1; next } n && NF { if (!count[$6]++) order[++kinds] = $6; if (!--n) exit }
        END { for (i = 1; i <= kinds; i++) print order[i] ":" count[order[i]] }' "$psf" >"$T/expected"
    same "$T/expected" "$T/groups"
    printf '%s\n' 5 'Properties=species:S:1:pos:R:3 Lattice="9 0 0 0 9 0 0 0 9"' 'O 0 0 0' 'H 1 0 0' 'H 0 1 0' \
        'O 4 4 4' 'C 5 5 5' >"$T/a.xyz"
    printf '%s\n' '@<TRIPOS>MOLECULE' x ' 5 1' SMALL NO_CHARGES '@<TRIPOS>ATOM' '1 O 0 0 0 O.3 1 A*' \
        '2 H 0 0 0 H 1 A*' '3 H 0 0 0 H 1 A*' '4 O 0 0 0 O.2 2 B' \
        "5 C 0 0 0 C.3 3 A'" '@<TRIPOS>BOND' '1 1 2 1' >"$T/a.mol2"
    [[ $(trjcat -t "$T/a.mol2" --by type "$T/a.xyz" | groups_of) == 'O.3:1 H:2 O.2:1 C.3:1' ]]
    fails 2 "--by resname: 'A'' and another one would both have the name A_; select these atoms with -g" \
        trjcat -t "$T/a.mol2" --by resname "$T/a.xyz"
    [[ $(trjcat -t "$T/a.mol2" --by resname -g 'w=index 0 to 3' "$T/a.xyz" | groups_of) == 'w.A_:3 w.B:1' ]]
    printf '%s\n' '@<TRIPOS>MOLECULE' x ' 5 0' SMALL NO_CHARGES '@<TRIPOS>ATOM' '1 O 0 0 0 O 1 C' '2 H 0 0 0 H 1 B.C' \
        '3 H 0 0 0 H 1 C' '4 O 0 0 0 O 2 B' '5 C 0 0 0 C 3 A' >"$T/b.mol2"
    fails 2 'group A: two groups would have the name A.B.C; rename one' \
        trjcat -t "$T/b.mol2" --by resname -g 'A.B=index 0' -g 'A=index 1' "$T/a.xyz"
}

@test "--by with dynamic groups: splits their members in each frame" {
    trjcat -t "$PDB" -f :5 --by element -g 'near=within 6 of index 0' "$WATER" >"$T/by"
    trjcat -t "$PDB" -f :5 -g 'near.O=element O and within 6 of index 0' \
        -g 'near.H=element H and within 6 of index 0' "$WATER" >"$T/named"
    [[ $(groups_of <"$T/by") == 'near.O:'*' near.H:'* ]]
    counted -e cpu -b 40 -r 7 -p '*:*' "$T/named" >"$T/expected"
    counted -e cpu -b 40 -r 7 -p '*:*' "$T/by" | same "$T/expected" -
    awk '{ s += $2 } END { exit s < 1000 }' "$T/expected"
}

@test "elements of several inputs: equal, or an error; unknown for dynamic groups whose atoms may differ" {
    printf '%s\n' 2 'Properties=species:S:1:pos:R:3 Lattice="9 0 0 0 9 0 0 0 9"' 'O 0 0 0' 'H 1 0 0' >"$T/a.xyz"
    sed 's/^O/S/' "$T/a.xyz" >"$T/b.xyz"
    sed 's/^O/Q/' "$T/a.xyz" >"$T/c.xyz"
    total_of() { trjcat "$@" 2>/dev/null | rdfhist -e cpu -r 3 -b 3 |
        rdfnorm --total neutron --scatterer all=1 2>/dev/null | sed -n 's/.*groups, //p'; }
    fails 3 '/b.xyz: atom 0 of the stream is S, but in the first input O; join only trajectories of the same atoms' \
        trjcat -g 'all=all' "$T/a.xyz" "$T/b.xyz"
    # The second input lacks the element of one atom.
    [[ $(total_of -g 'all=all' "$T/a.xyz" "$T/c.xyz") == 'of 2 in the trajectory' ]]
    trjcat -g 'all=within 5 of index 0' "$T/a.xyz" | rdfhist -e cpu -r 3 -b 3 | rdfnorm --total number |
        has 'of 2 in the trajectory'
    trjcat -g 'all=within 5 of index 0' "$T/a.xyz" "$T/b.xyz" | rdfhist -e cpu -r 3 -b 3 >"$T/rdfh"
    fails 3 'the element of group all is unknown' rdfnorm --total neutron "$T/rdfh"
}

@test "--by where it is impossible: rejected with the reason" {
    fails_cleanly 2 '--by element: the atoms have no names; give a topology with -t' trjcat --by element "$WATER"
    fails_cleanly 2 '--by type: not available in the PDB file; give a topology that contains it with -t' \
        trjcat -t "$PDB" --by type "$WATER"
    fails_cleanly 2 'group c: --by element splits groups of atoms, but these are centres; leave --by out' \
        trjcat -t "$PDB" --by element -g 'c=com(all)' "$WATER"
    fails_cleanly 2 "*is not one of*" trjcat -t "$PDB" --by mass "$WATER"
    printf '%s\n' 2 'Properties=species:S:1:pos:R:3 Lattice="9 0 0 0 9 0 0 0 9"' 'O 0 0 0' 'Q 1 0 0' >"$T/q.xyz"
    fails_cleanly 2 'unknown for atom 1 (counted from 0); leave out such atoms by a selection' \
        trjcat --by element "$T/q.xyz"
    [[ $(trjcat --by element -g 'a=index 0' "$T/q.xyz" | groups_of) == 'a.O:1' ]]
    # 300 names of residues.
    awk 'BEGIN { print "many"; print 300
        for (i = 1; i <= 300; i++) printf "%5dR%-4d%5s%5d%8.3f%8.3f%8.3f\n", i, i, "C", i, 0, 0, i / 100
        print "9 9 9" }' >"$T/many.gro"
    fails_cleanly 2 '--by resname: more than 256 of them' trjcat --by resname "$T/many.gro"
    [[ $(trjcat --by resname -g 'a=index 0 to 255' "$T/many.gro" | groups_of | wc -w) == 256 ]]
    # Guessed elements are reported.
    trjcat --by element "$T/many.gro" 2>"$T/notes" >"$T/trjf"
    grep -q 'note: elements are guessed from name' "$T/notes"
    rdfhist -e cpu -b 4 -r 3 -p '*:*' "$T/trjf" | rdfnorm --total neutron | has '^# elements are guessed from name$'
}

# ---- totals

@test "total of all partials: g(r) of all atoms as one group, including errors" {
    trjcat -t "$PDB" --by element "$WATER" >"$T/trjf"
    local way block
    for block in 0 16 1; do
        rdfhist -e cpu -b 60 -r 9 -B $block -p '*:*' "$T/trjf" >"$T/parts.rdfh"
        trjcat "$WATER" | rdfhist -e cpu -b 60 -r 9 -B $block >"$T/all.rdfh"
        for way in '-n density' '-n gromacs' '-n mdanalysis' '-n mdtraj' '-v 10000' '-e blocks' '-e bootstrap' \
            '--droplet 6 -r :8.1' '--box 6,5,4.6 -r :8.1' '-b 3 -r 1.5:6' '-n vmd'; do
            [[ $way != '-n vmd' || $block == 1 ]] || continue
            # shellcheck disable=SC2086
            rdfnorm $way "$T/all.rdfh" 2>/dev/null | rows |
                awk -v se="$block" '{ print $1, $2, (se > 0 && $3 > 1e-6 ? $3 : 0) }' >"$T/expected"
            # shellcheck disable=SC2086
            rdfnorm $way --total number "$T/parts.rdfh" 2>/dev/null | rows |
                awk -v se="$block" '{ print $1, $2, (se > 0 && $3 > 1e-6 ? $3 : 0) }' >"$T/got"
            echo "$way"
            close "$T/expected" "$T/got" 1e-9
        done
    done
}

@test "total of slabs, dynamic groups and excluded pairs: g(r) of all atoms as one group" {
    mkdcd --atoms 300 --frames 6 --cell 20,21,6 --breathe 0.1 >"$T/dcd"
    local options='-e cpu -b 20 -r 10 -B 1'
    # shellcheck disable=SC2086
    trjcat -P xy -g 'A=index 0 to 99' -g 'B=index 100 to 299' "$T/dcd" | rdfhist $options -p '*:*' |
        rdfnorm --total number | rows | cut -f 1-3 >"$T/got"
    # shellcheck disable=SC2086
    trjcat -P xy "$T/dcd" | rdfhist $options | rdfnorm | rows | cut -f 1-3 >"$T/expected"
    close "$T/expected" "$T/got"
    trjcat -t "$PDB" -f :8 -g 'near=within 8 of index 0' -g 'far=not near' "$WATER" |
        rdfhist -e cpu -b 30 -r 9 -B 2 -p '*:*' >"$T/rdfh"
    trjcat -f :8 "$WATER" | rdfhist -e cpu -b 30 -r 9 -B 2 >"$T/all.rdfh"
    for way in density mdanalysis gromacs; do
        rdfnorm -n $way "$T/all.rdfh" | rows | cut -f 1-3 >"$T/expected"
        rdfnorm -n $way --total number "$T/rdfh" | rows | cut -f 1-3 | close "$T/expected" -
    done
    trjcat -t "$PDB" -f :8 --by element "$WATER" | rdfhist -e cpu -b 30 -r 9 -x residue -B 2 -p '*:*' >"$T/rdfh"
    trjcat -t "$PDB" -f :8 -g 'all=all' "$WATER" | rdfhist -e cpu -b 30 -r 9 -x residue -B 2 >"$T/all.rdfh"
    for way in in out; do
        rdfnorm --excluded $way "$T/all.rdfh" | rows | cut -f 1-3 >"$T/expected"
        rdfnorm --excluded $way --total number "$T/rdfh" | rows | cut -f 1-3 | close "$T/expected" -
    done
}

@test "neutron and X-ray totals: partial curves weighted by awk, in all forms, with the error of their sum" {
    trjcat -t "$PDB" --by element "$WATER" | rdfhist -e cpu -b 60 -r 9 -B 32 -p '*:*' >"$T/rdfh"
    local form rho
    rho=$(rdfnorm "$T/rdfh" | sed -n 's/^# volume: mean \([0-9.]*\),.*/\1/p' | awk '{ printf "%.12g", 1029 / $1 }')
    for form in g fz d t pdf; do
        # b of O and D; f(0) is 8 and 1 to 3e-4; with <V>, which the header contains.
        rdfnorm -n mdanalysis --form $form --total neutron --total xray --scatterer H=D "$T/rdfh" | rows |
            awk -v form=$form -v rho="$rho" 'function differ(a, b, off) { d = a - b; s = b < 0 ? -b : b
            return (d < 0 ? -d : d) > off * (s > 1 ? s : 1) }
            function made(u, mean, r, unit) { if (form == "g") return u / mean
            if (form == "fz") return (u - mean) * unit
                r *= 4 * atan2(0, -1) * rho
                return form == "d" ? r * (u - mean) * unit : form == "t" ? r * u * unit : r * (u / mean - 1) }
            BEGIN { oo = 1 / 9; oh = 4 / 9; hh = 4 / 9
                o = 5.803; h = 6.671; mean = oo * o * o + oh * o * h + hh * h * h; o2 = 7.999706; h2 = 0.999978
                mean2 = oo * o2 * o2 + oh * o2 * h2 + hh * h2 * h2 }
            { u = oo * o * o * $6 + oh * o * h * $9 + hh * h * h * $12
            u2 = oo * o2 * o2 * $6 + oh * o2 * h2 * $9 + hh * h2 * h2 * $12
              if (differ($2, made(u, mean, $1, 0.01), 1e-7) || differ($4, made(u2, mean2, $1, 1), 1e-6)) { print
              bad = 1 } }
            END { exit bad || NR != 60 }'
    done
    # The error equals that of the totals of the four records, which have the same number of frames.
    local k
    for k in 0 1 2 3; do
        trjcat -t "$PDB" -f $((32 * k)):$((32 * k + 32)) --by element "$WATER" | rdfhist -e cpu -b 60 -r 9 -p '*:*' |
            rdfnorm --total neutron | rows | cut -f 2 >"$T/g$k"
    done
    paste <(rdfnorm --total neutron "$T/rdfh" | rows | cut -f 2,3) "$T"/g[0-3] |
        awk '{ s = 0; for (i = 3; i <= 6; i++) s += ($i - $1) ^ 2
        e = sqrt(s / 12); d = e - $2; if (d > 1e-3 * e + 1e-6 || d < -1e-3 * e - 1e-6) { print e, $0; bad = 1 } }
        END { exit bad || NR != 60 }'
}

@test "totals at variable volume: errors of D, T, PDF and RDF are those of the records in this form" {
    mkdcd --atoms 60 --frames 8 --cell 12,12,12 --breathe 0.05 >"$T/dcd"
    trjcat -g 'A=index 0 to 29' -g 'B=index 30 to 59' "$T/dcd" >"$T/trjf"
    rdfhist -e cpu -p '*:*' -r 5 -b 10 -B 1 "$T/trjf" >"$T/rdfh"
    local form frame
    for frame in {0..7}; do
        trjcat -f "$frame" "$T/trjf" | rdfhist -e cpu -p '*:*' -r 5 -b 10 -B 0 >"$T/$frame.rdfh"
    done
    for form in d t pdf rdf; do
        for frame in {0..7}; do
            rdfnorm --total neutron --scatterer A=H --scatterer B=O --form $form "$T/$frame.rdfh" | rows | cut -f 2 \
                >"$T/$frame.values"
        done
        # The standard error of the mean of eight values, each with the density of its frame
        paste "$T"/?.values | awk '{ m = q = 0; for (i = 1; i <= 8; i++) m += $i / 8
            for (i = 1; i <= 8; i++) q += ($i - m) ^ 2; printf "%.10g\n", sqrt(q / 56) }' >"$T/expected"
        rdfnorm -e records --total neutron --scatterer A=H --scatterer B=O --form $form "$T/rdfh" | rows | cut -f 3 \
            >"$T/got"
        close "$T/expected" "$T/got" 1e-3
        rdfnorm -e records --covariance --total neutron --scatterer A=H --scatterer B=O --form $form "$T/rdfh" | rows |
            awk '$1 == $2 { printf "%.10g\n", sqrt($3) }' >"$T/diagonal"
        close "$T/expected" "$T/diagonal" 1e-3
    done
}

@test "weights of heavy water: as published" {
    # A. K. Soper, Chem. Phys. 258, 121 (2000): in D2O, of O:O, O:D, D:D 0.092, 0.422, 0.486.
    trjcat -t "$PDB" -f 0 --by element "$WATER" | rdfhist -e cpu -b 60 -r 9 -p '*:*' >"$T/rdfh"
    rdfnorm --total neutron --scatterer H=D "$T/rdfh" | sed -n 's/.*weights over it *//p' >"$T/shares"
    tr ',' '\n' <"$T/shares" | awk '{ split("0.092 0.422 0.486", w); d = $2 - w[NR]
        if (d > 6e-4 || d < -6e-4) bad = 1 } END { exit bad || NR != 3 }'
}

@test "rock salt: totals of a lattice are exact, shell by shell" {
    rock_salt >"$T/salt.xyz"
    trjcat --by element "$T/salt.xyz" | rdfhist -e cpu -b 94 -r 9.4 -p '*:*' >"$T/rdfh"
    # There are 6, 12, 8, 6, 24, 24, 0, 12, 30, 24 and 24 neighbours in shells of (a/2)^2 times n; those of odd n are of
    # the other kind.
    rdfnorm --total neutron --form fz --total xray "$T/rdfh" | rows |
        awk 'function differ(a, b) { d = a - b; s = b < 0 ? -b : b; return (d < 0 ? -d : d) > 1e-6 * s + 1e-9 }
        BEGIN { split("6 12 8 6 24 24 0 12 30 24 24", n); pi = atan2(0, -1); rho = 216 / 16.92 ^ 3; na = 3.63
        cl = 9.5770; fna = 10.9924; fcl = 16.9961 }
        { low = $1 - 0.05; high = $1 + 0.05; shell = 4 / 3 * pi * (high ^ 3 - low ^ 3); like = unlike = 0
          for (k = 1; k <= 11; k++) { r = 2.82 * sqrt(k)
          if (r >= low && r < high) { if (k % 2) unlike += n[k]; else like += n[k] } }
          # g of equal ions is normalised by the density of the 107 others, that of different ions by that of 108.
          mean = (na + cl) ^ 2 / 4
          u = (na * na + cl * cl) / 4 * like / (shell * rho / 2 * 107 / 108) + na * cl / 2 * unlike / (shell * rho / 2)
          if (differ($2, (u - mean) / 100)) { print "neutron", $0, u; bad = 1 }
          shells += like + unlike > 0 }
        END { exit bad || NR != 94 || shells < 10 }'
    # Number density of the lattice: the integral of g gives the neighbours.
    rdfnorm --total number "$T/rdfh" | rows |
        awk '{ s += $2 * 4 / 3 * atan2(0, -1) * (($1 + 0.05) ^ 3 - ($1 - 0.05) ^ 3) * 215 / 16.92 ^ 3 }
        END { d = s - 170; exit d > 1e-6 || d < -1e-6 }'
}

@test "ideal gas: totals are 1 for any scatterer" {
    mkdcd --atoms 3000 --frames 20 --cell 30,31,32 --seed 5 | trjcat -g 'A=index 0 to 999' -g 'B=index 1000 to 2999' - |
        rdfhist -e cpu -b 10 --rmin 3 -r 13 -B 2 -p '*:*' >"$T/rdfh"
    rdfnorm --total neutron --scatterer A=Ti --scatterer B=-2.5 "$T/rdfh" | rows |
        awk '{ if ($2 > 1 + 4.5 * $3 || $2 < 1 - 4.5 * $3 || $3 > 0.005) { print; bad = 1 } }
        END { exit bad || NR != 10 }'
    rdfnorm --total xray --scatterer A=Ti --scatterer B=Cl1- "$T/rdfh" | rows |
        awk '{ if ($2 > 1 + 4.5 * $3 || $2 < 1 - 4.5 * $3 || $3 > 0.005) { print; bad = 1 } }
        END { exit bad || NR != 10 }'
}

@test "totals without the required pairs, elements or groups: rejected" {
    trjcat -t "$PDB" -f :2 -g 'O=element O' -g 'H=element H' -g 'w=index 0 to 2' "$WATER" >"$T/trjf"
    hist() { rdfhist -e cpu -b 8 -r 6 "$@" "$T/trjf" 2>/dev/null >"$T/rdfh"; }
    hist -p O:O -p O:H
    fails_cleanly 3 "the pair H:H was not counted; count all pairs with rdfhist -p '*:*'" \
        rdfnorm --total number "$T/rdfh"
    hist -p '*:*'
    fails_cleanly 3 'groups O and w have common atoms' rdfnorm --total number "$T/rdfh"
    hist -p w:w
    fails_cleanly 3 'group w contains 2 elements; split it with trjcat --by element' rdfnorm --total neutron "$T/rdfh"
    rdfnorm --partial --total neutron --scatterer w=5 "$T/rdfh" | has 'group w scatters as 5: b 5 fm'
    rdfnorm --total number "$T/rdfh" |
        has '^# total number: of 3 atoms in groups, of 1029 in the trajectory, of which 99.7 % are in no group that is counted$'
    hist -p O:O -p O:H -p H:H
    fails_cleanly 2 'radial applies to B around A, not to all atoms' rdfnorm --total number -n radial "$T/rdfh"
    fails_cleanly 2 'a given density' rdfnorm --total number -d 0.1 "$T/rdfh"
    fails_cleanly 2 '--total and --counts' rdfnorm --total number -c "$T/rdfh"
    fails_cleanly 2 '--form applies to totals only; add --total, or leave it out' rdfnorm --form fz "$T/rdfh"
    fails_cleanly 2 '--scatterer applies to totals only; add --total, or leave it out' rdfnorm --scatterer H=D "$T/rdfh"
    fails_cleanly 2 "total 'protons': unknown; give number, neutron, xray or electron, xray@Q or electron@Q" \
        rdfnorm --total protons "$T/rdfh"
    fails_cleanly 2 'form factors are tabulated for q from 0 to 75.39; give q in this range' \
        rdfnorm --total xray@80 "$T/rdfh"
    fails_cleanly 2 "scatterer 'Q=D': unknown group, and no group of this element; trjinfo lists" \
        rdfnorm --total neutron --scatterer Q=D "$T/rdfh"
    fails_cleanly 2 "scatterer 'H=Xx': expected an element" rdfnorm --total neutron --scatterer H=Xx "$T/rdfh"
    fails_cleanly 3 '<b>^2 is *; use --form fz' \
        rdfnorm --total neutron --scatterer O=2 --scatterer H=-1.000 -n gromacs "$T/rdfh"
    rdfnorm --total neutron --scatterer O=2 --scatterer H=-1 --form fz -n gromacs "$T/rdfh" | rows |
        awk '{ s += $2 ^ 2 } END { exit !(s > 0) }'
    # Streams without elements: number totals need none, weighted totals do.
    trjcat -f 5 -g 'O=index 0 3 6' -g 'H=index 1 2 4 5' "$WATER" |
        rdfhist -e cpu -b 8 -r 6 -p '*:*' >"$T/without_elements.rdfh"
    trjcat -t "$PDB" -f 6 -g 'O=index 0 3 6' -g 'H=index 1 2 4 5' "$WATER" |
        rdfhist -e cpu -b 8 -r 6 -p '*:*' >"$T/with_elements.rdfh"
    fails_cleanly 3 'the elements of group O are unknown; give trjcat a topology (-t), or use --scatterer O=WHAT' \
        rdfnorm --total neutron "$T/without_elements.rdfh"
    rdfnorm --partial --total neutron "$T/with_elements.rdfh" | has 'group O scatters as O'
    cat "$T/with_elements.rdfh" "$T/without_elements.rdfh" >"$T/first.rdfh"
    cat "$T/without_elements.rdfh" "$T/with_elements.rdfh" >"$T/second.rdfh"
    for file in first second; do
        fails_cleanly 3 'the elements of group O are unknown' rdfnorm --total xray "$T/$file.rdfh"
        rdfnorm --partial --total number --total neutron --scatterer O=O --scatterer H=D "$T/$file.rdfh" |
            has 'group H scatters as D'
        rdfnorm --total number "$T/$file.rdfh" |
            has '^# total number: of 7 atoms in groups, of 1029 in the trajectory, of which 99.3 %'
    done
}

@test "totals of groups without all atoms: the missing share is reported, and scattering needs --partial" {
    trjcat -t "$PDB" -f :2 -g 'O=element O' -g 'H=element H' "$WATER" >"$T/trjf"
    rdfhist -e cpu -b 8 -r 6 -p O:O "$T/trjf" >"$T/rdfh"
    local tool \
        missing='686 of 1029 atoms of the trajectory (66.7 %) are in no group that is counted; groups without a pair: H (686 atoms of H)'
    for tool in 'rdfnorm' 'rdfderive -q sq'; do
        # shellcheck disable=SC2086
        fails_cleanly 3 "total neutron: $missing; count all atoms*or give --partial" $tool --total neutron "$T/rdfh"
        # shellcheck disable=SC2086
        fails_cleanly 3 "total xray: $missing; count all atoms*or give --partial" $tool --total number \
            --total xray "$T/rdfh"
        # shellcheck disable=SC2086
        $tool --partial --total neutron "$T/rdfh" 2>"$T/err" |
            has '^# total neutron: of 343 atoms in groups, of 1029 in the trajectory, of which 66.7 % are in no group that is counted'
        grep -qF "${tool%% *}: note: total: $missing: the total includes only the others" "$T/err"
        # shellcheck disable=SC2086
        $tool --total number "$T/rdfh" 2>"$T/err" >"$T/out"
        grep -qF "note: total: $missing" "$T/err"
        # shellcheck disable=SC2086
        fails_cleanly 2 '--partial applies to totals only; add --total, or leave it out' $tool --partial "$T/rdfh"
    done
    # All atoms are in groups: nothing to report.
    rdfhist -e cpu -b 8 -r 6 -p '*:*' "$T/trjf" | rdfnorm --total neutron 2>"$T/err" >"$T/out"
    [[ ! -s $T/err ]]
    # Atoms that are not in the stream are missing, too, without an element; for a dynamic group the mean number counts.
    trjcat -t "$PDB" -f :2 -g 'O=element O' "$WATER" | rdfhist -e cpu -b 8 -r 6 >"$T/rdfh"
    fails 3 'total neutron: 686 of 1029 atoms of the trajectory (66.7 %) are in no group that is counted; count all' \
        rdfnorm --total neutron "$T/rdfh"
    trjcat -t "$PDB" -f :2 -g 'near=element O and within 5 of index 0' "$WATER" | rdfhist -e cpu -b 8 -r 6 >"$T/rdfh"
    local mean
    mean=$(rdfnorm -c "$T/rdfh" | sed -n 's/^# group near: on average \([0-9.]*\) of.*/\1/p')
    fails 3 "total neutron: $(awk -v n="$mean" 'BEGIN { print 1029 - n }') of 1029 atoms" \
        rdfnorm --total neutron "$T/rdfh"
    # Unknown elements do not matter; without the number of atoms, or with centres, no share is known.
    trjcat -g 'A=index 0 to 99' "$WATER" | rdfhist -e cpu -b 8 -r 6 >"$T/rdfh"
    fails 3 '929 of 1029 atoms' rdfnorm --total neutron --scatterer A=O "$T/rdfh"
    trjcat -t "$PDB" -g 'W=com(all)' "$WATER" | rdfhist -e cpu -b 8 -r 6 |
        rdfnorm --total neutron --scatterer W=1 2>"$T/err" >"$T/out"
    [[ ! -s $T/err ]]
    # Three dynamic groups contain all atoms in each frame; the rounded means add up to less than the number of atoms.
    awk 'BEGIN { split("1 0 1 8 10 8 1 0 1", in_group)
        for (f = 1; f <= 3; f++) { print "10\nLattice=\"30 0 0 0 30 0 0 0 30\""; n = 0
        for (g = 0; g < 3; g++) for (i = 0; i < in_group[3 * g + f]; i++) printf "Ar %g %g 1\n", 10 * g + 1 + i % 3,
            ++n } }' \
            >"$T/three.xyz"
    trjcat -g 'A=x < 10' -g 'B=x > 10 and x < 20' -g 'C=x > 20' "$T/three.xyz" |
        rdfhist -e cpu -b 8 -r 12 -p '*:*' >"$T/rdfh"
    rdfnorm --total number "$T/rdfh" 2>"$T/err" | has '^# total number: of 10 atoms in groups, of 10 in the trajectory$'
    ! grep -q 'note: total' "$T/err" || false
    # Many groups without a pair: the note lists complete entries, and the number of the others.
    local groups=() g
    for ((g = 0; g < 20; g++)); do groups+=(-g "group_number_$g=index $((5 * g)) to $((5 * g + 4))"); done
    mkdcd --atoms 100 --frames 1 | trjcat "${groups[@]}" - |
        rdfhist -e cpu -b 8 -r 6 -p 'group_number_0:group_number_0' >"$T/rdfh"
    fails 3 \
        '95 of 100 atoms*without a pair: group_number_1 (5 atoms), group_number_2 (5 atoms), *atoms), and 14 more; count all' \
        rdfnorm --total neutron --scatterer 'group_number_0=O' "$T/rdfh"
    # Two streams, one of a larger system: the larger number is used.
    mkdcd --atoms 100 --frames 1 | trjcat -g 'A=index 0 to 49' - | rdfhist -e cpu -b 8 -r 6 >"$T/100.rdfh"
    mkdcd --atoms 200 --frames 1 --seed 2 | trjcat -g 'A=index 0 to 49' - | rdfhist -e cpu -b 8 -r 6 >"$T/200.rdfh"
    cat "$T/100.rdfh" "$T/200.rdfh" >"$T/both.rdfh"
    fails 3 '150 of 200 atoms' rdfnorm --total neutron --scatterer A=O "$T/both.rdfh"
}

@test "dynamic groups that overlap in some frame: rejected; those that never do: accepted" {
    trjcat -t "$PDB" -f :4 -g 'near=within 5 of index 0' -g 'far=not near' -g 'wide=within 6 of index 0' "$WATER" \
        >"$T/trjf"
    rdfhist -e cpu -b 8 -r 6 -p near:near -p near:far -p far:far "$T/trjf" | rdfnorm --total number | rows |
        awk 'END { exit NR != 8 }'
    rdfhist -e cpu -b 8 -r 6 -p near:near -p near:wide -p wide:wide "$T/trjf" >"$T/rdfh"
    fails_cleanly 3 'groups near and wide have common atoms' rdfnorm --total number "$T/rdfh"
    rdfhist -e cpu -b 8 -r 6 -p near:near -p near:far -p far:far "$T/trjf" >"$T/rdfh"
    fails_cleanly 3 'a dynamic group has no constant density, which --form d requires' \
        rdfnorm --total number --form d "$T/rdfh"
}

# ---- tables of other sources

@test "form factors and scattering lengths: equal those of other tables" {
    local x=/usr/share/gromacs/top/sfactor.dat n=/usr/share/gromacs/top/nsfactor.dat element
    [[ -r $x && -r $n ]] || skip 'no tables of GROMACS'
    mkdcd --atoms 4 --frames 1 --cell 9,9,9 | trjcat - | rdfhist -e cpu -b 2 >"$T/rdfh"
    # Cromer and Mann, rounded parameters, at s = 0, 0.2, 0.4; the table there has bound hydrogen, not the free atom.
    while read -r element; do
        rdfnorm --total xray --total xray@2.5132741228718345 --total xray@5.026548245743669 \
            --scatterer all="$element" "$T/rdfh" |
            sed -n "s/^# group all scatters as $element: f \([0-9.]*\) .*/$element \1/p"
    done < <(awk '!/^;/ && NF == 11 && $1 != "H" { print $1 }' "$x") >"$T/f"
    awk '!/^;/ && NF == 11 { for (k = 3; k <= 11; k++) c[$1, k - 2] = $k }
        FILENAME != first && FNR == 1 { first = FILENAME; files++ }
        files == 2 { s = 0.2 * (i[$1]++); f = c[$1, 9]
        for (k = 1; k <= 4; k++) f += c[$1, k] * exp(-c[$1, k + 4] * s * s)
            d = f - $2; if (d > 0.06 || d < -0.06) { print $0, s, f; bad = 1 } n++ }
            END { exit bad || n < 60 }' "$x" "$T/f"
    while read -r element _ _ _; do
        rdfnorm --total neutron --scatterer all="$element" "$T/rdfh" |
            sed -n "s/^# group all scatters as $element: b \([-0-9.]*\) .*/$element \1/p"
    done < <(awk '!/^;/ && NF == 4' "$n") >"$T/b"
    # This hydrogen is from another edition.
    awk '!/^;/ && NF == 4 { b[$1] = $4; next } NF == 2 { d = b[$1] - $2
        if (d > ($1 == "H" ? 0.002 : 1e-9) || d < ($1 == "H" ? -0.002 : -1e-9)) { print $0, b[$1]; bad = 1 } n++ }
        END { exit bad || n < 15 }' "$n" "$T/b"
}

@test "electron totals: factors of Mott and Bethe, of the table, and S(q) and G(r) with f at each q" {
    trjcat -t "$PDB" --by element "$WATER" | rdfhist -e cpu -b 200 -r 9 -p '*:*' >"$T/rdfh"
    # f_e = m e^2 / (8 pi^2 hbar^2 eps0) (Z - f_x)/s^2 = 0.0239337 (Z - f_x)/s^2, with independent tables of f_e and f_x
    local q
    for q in 4 8 12; do
        rdfnorm --total electron@$q --total xray@$q "$T/rdfh" |
            sed -n "s/^# group \([OH]\) scatters as .: f \([0-9.]*\) .*/\1 \2/p" |
            awk -v q=$q '!($1 in e) { e[$1] = $2; next }
                { s = q / 16 / atan2(1, 1); f = 0.0239337 * (($1 == "O" ? 8 : 1) - $2) / s^2
                  if (f > 1.03 * e[$1] || f < 0.97 * e[$1]) { print $1, q = q, f, e[$1]; bad = 1 } }
                END { exit bad || NR != 4 }'
    done
    rdfnorm --total electron "$T/rdfh" >"$T/table"
    grep -q '^# group O scatters as O: f 1.9834 Angstrom$' "$T/table"
    grep -q '^# group H scatters as H: f 0.5288 Angstrom$' "$T/table"
    grep -q '^# total electron: <b>^2 1.02[0-9]* Angstrom^2; weights' "$T/table"
    # S(q) of partials, weighted by the f of the comment at this q
    for q in 3 11; do
        rdfnorm --total electron@$q "$T/rdfh" | sed -n "s/^# group . scatters as .: f \([0-9.]*\) .*/\1/p" |
            tr '\n' ' ' >"$T/f"
        rdfderive -q sq --total electron --atoms 1029 --qmin $q --qmax $q "$T/rdfh" | rows |
            awk -v f="$(<"$T/f")" '{ split(f, b, " "); o = b[1] / 3; h = 2 * b[2] / 3
                S = 1 + (o * o * ($4 - 1) + 2 * o * h * ($6 - 1) + h * h * ($8 - 1)) / (o + h)^2
                d = S - $2; if (d * d > 1e-12) { print S, $0; exit 1 } }'
    done
    rdfderive -q pdf --total electron --qmax 25 --to gr "$T/rdfh" >"$T/gr"
    [[ $(head -n 1 "$T/gr") == '# mode = electron' ]]
    rdfderive -q pdf --total electron --qmax 25 --to fq -o "$T/e.fq" "$T/rdfh"
    rdfderive -q pdf "$T/e.fq" >"$T/table"
    grep -q 'pdf(electron)' "$T/table"
    fails_cleanly 2 '--qmax 26: form factors for the total electron are tabulated up to q = 25.13' \
        rdfderive -q sq --total electron --qmax 26 "$T/rdfh"
    fails_cleanly 2 'form factors are tabulated for q from 0 to 25.13' rdfnorm --total electron@26 "$T/rdfh"
    for q in O2- 4.2; do
        fails_cleanly 3 "--scatterer O=$q: no electron scattering factor of a neutral atom is tabulated for it" \
            rdfnorm --total electron --scatterer O=$q "$T/rdfh"
    done
}

# ---- structure factors

@test "total S(q): for numbers that of all atoms; otherwise the transform of the total g(r)" {
    trjcat -t "$PDB" --by element "$WATER" | rdfhist -e cpu -b 60 -r 9 -B 16 -p '*:*' >"$T/rdfh"
    trjcat "$WATER" | rdfhist -e cpu -b 60 -r 9 -B 16 >"$T/all.rdfh"
    local q='--qmin 0.5 --qmax 15 --dq 0.5' quantity
    for quantity in 'sq' 'sq -w lorch' 'debye'; do
        # shellcheck disable=SC2086
        rdfderive -q $quantity $q "$T/all.rdfh" 2>/dev/null | curve_rows >"$T/expected"
        # shellcheck disable=SC2086
        rdfderive -q $quantity $q --total number "$T/rdfh" 2>/dev/null | rows | cut -f 1-3 | close "$T/expected" -
    done
    # shellcheck disable=SC2086
    rdfderive -q sq $q --total neutron --scatterer H=D "$T/rdfh" | rows | cut -f 1,2 >"$T/sq"
    local rho
    rho=$(trjcat "$WATER" | trjdump |
        awk '/^frame/ { for (i = 1; i <= NF; i++) if ($i == "cell") { s += 1 / ($(i + 1) * $(i + 5) * $(i + 9))
        n++ } } END { printf "%.17g", 1029 * s / n }')
    rdfnorm --total neutron --scatterer H=D "$T/rdfh" | rows | cut -f 1,2 |
        awk -v rho="$rho" 'function bessel(x) { return (sin(x) - x * cos(x)) }
        NR == FNR { g[NR] = $2; next }
        { S = 1
        for (k = 1; k <= 60; k++) S += rho * 4 * atan2(0,
            -1) * (bessel($1 * k * 0.15) - bessel($1 * (k - 1) * 0.15)) / $1 ^ 3 * (g[k] - 1)
          d = S - $2; if (d > 1e-6 || d < -1e-6) { print S, $0; bad = 1 } } END { exit bad || FNR != 30 }' - "$T/sq"
    fails_cleanly 2 '--total has no effect on --quantity kb; leave it out' rdfderive -q kb --total number "$T/rdfh"
    fails_cleanly 2 'unknown; give number, neutron, xray or electron' rdfderive -q sq --total xray@2 "$T/rdfh"
    fails_cleanly 2 '--qmax 80: form factors for the total xray are tabulated up to q = 75.39; give a smaller --qmax' \
        rdfderive -q sq --total xray --qmax 80 "$T/rdfh"
    fails_cleanly 2 '--scatterer applies to totals only; add --total, or leave it out' \
        rdfderive -q sq --scatterer H=D "$T/rdfh"
}

@test "total S(q) of a molecule: equals the sum over all pairs of its atoms in float64" {
    need_python_module numpy
    printf '%s\n' 9 ethanol 'C 1.1879 -0.3829 0.0' 'C 0.0 0.5526 0.0' 'O -1.1867 -0.2472 0.0' 'H -1.9237 0.3850 0.0' \
        'H 2.0985 0.2306 0.0' \
        'H 1.1184 -1.0093 0.8869' 'H 1.1184 -1.0093 -0.8869' 'H -0.0227 1.1812 0.8852' 'H -0.0227 1.1812 -0.8852' \
        >"$T/a.xyz"
    trjcat --by element "$T/a.xyz" | rdfhist -e cpu -b 200000 -r 6 -p '*:*' 2>/dev/null >"$T/rdfh"
    rdfderive -q debye --qmin 0.25 --qmax 20 --dq 0.25 --total neutron --total xray --scatterer H=D "$T/rdfh" | rows |
        cut -f 1-3 >"$T/got"
    rdfderive -q debye --total neutron "$T/rdfh" | has 'group H scatters as H: b -3.739 fm'
    # F(q) = <b>^2 (S(q) - 1), in barn; (2 * 6.646 + 5.803 + 6 * 6.671 fm)^2 / 81 is <b>^2.
    rdfderive -q debye --qmin 0.25 --qmax 20 --dq 0.25 --total neutron --scatterer H=D --form fz "$T/rdfh" >"$T/fz"
    has -P '^# q\tF\(neutron\)\t' <"$T/fz"
    rows <"$T/fz" | awk '{ printf "%s %.12g\n", $1, 1 + $2 / (((2 * 6.646 + 5.803 + 6 * 6.671) / 9) ^ 2 / 100) }' \
        >"$T/again"
    cut -f 1,2 "$T/got" | close "$T/again" - 1e-8
    # Atoms whose mean scattering length is zero have an F(q), but no S(q).
    fails_cleanly 3 'so that S(q) is undefined; use --form fz' \
        rdfderive -q debye --total neutron --scatterer C=2 --scatterer O=2 --scatterer H=-1 "$T/rdfh"
    rdfderive -q debye --total neutron --form fz --scatterer C=2 --scatterer O=2 --scatterer H=-1 "$T/rdfh" | rows |
        awk '{ s += $2 ^ 2 } END { exit !(s > 0) }'
    fails_cleanly 2 '--form applies to totals only; add --total, or leave it out' rdfderive -q debye --form fz "$T/rdfh"
    # Form factors from the parameters of Waasmaier and Kirfel, copied independently: a, b, c.
    run_python - "$T/a.xyz" >"$T/expected" <<'PY'
import sys
import numpy as np
atoms = [line.split() for line in open(sys.argv[1]).read().split("\n")[2:11]]
x = np.array([[np.float64(np.float32(v)) for v in a[1:]] for a in atoms])
b = np.array([{"C": 6.6460, "O": 5.803, "H": 6.671}[a[0]] for a in atoms])
table = {"C": ([2.657506, 1.078079, 1.490909, -4.241070, 0.713791], [14.780758, 0.776775, 42.086842, -0.000294,
    0.239535], 4.297983),
         "O": ([2.960427, 2.508818, 0.637853, 0.722838, 1.142756], [14.182259, 5.936858, 0.112726, 34.958481,
             0.390240], 0.027014),
         "H": ([0.413048, 0.294953, 0.187491, 0.080701, 0.023736], [15.569946, 32.398468, 5.711404, 61.889874,
             1.334118], 0.000049)}
d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
for q in np.arange(0.25, 20.01, 0.25):
    wave = np.where(d > 0, np.sin(q * d) / np.where(d > 0, q * d, 1), 1)
    s2 = (q / (4 * np.pi)) ** 2
    f = np.array([np.dot(table[a[0]][0], np.exp(-np.array(table[a[0]][1]) * s2)) + table[a[0]][2] for a in atoms])
    s = [1 + ((np.outer(w, w) * wave).sum() / 9 - (w * w).mean()) / w.mean() ** 2 for w in (b, f)]
    print("%.10g\t%.10g\t%.10g" % (q, *s))
PY
    # Bins are 3e-5 Å wide: half of the width in r, times q, is the largest phase error of a wave.
    close "$T/expected" "$T/got" 3e-4
}

@test "fuzz corpus stream with elements: the neutron total is printed" {
    rdfnorm --total neutron tests/fuzz/corpus/rdfh/composition | has '^# group O scatters as O: b 5.803 fm$'
}

@test "subset of the counted pairs: the same columns, also with exclusions, dynamic groups and a lag" {
    local -a name
    local lag p words
    trjcat -t "$PDB" -f :8 --by element -g 'w=index 0 to 299' -g 'near=within 6 of index 0' "$WATER" >"$T/trjf"
    for lag in 0 2; do
        rdfhist -e cpu -b 35 -r 7 -B 2 -x residue -p '*:*' --lag $lag "$T/trjf" >"$T/rdfh" 2>/dev/null
        for p in w.H:near.O near.H:near.H; do
            for words in '' '--excluded only' '-n gromacs -b 4 -r 2:6' '-e blocks -n number' '-c --excluded in'; do
                read -ra name <<<"$words"
                rdfnorm "${name[@]}" "$T/rdfh" 2>/dev/null | awk -F '\t' -v p="($p)" \
                    'index($0, "# r") == 1 { for (i = 1; i <= NF; i++) if (i == 1 || index($i, p)) n[++k] = i }
                    !/^#/ { for (i = 1; i <= k; i++) printf "%s%s", $n[i], i < k ? "\t" : "\n" }' >"$T/expected"
                rdfnorm "${name[@]}" -p $p "$T/rdfh" 2>/dev/null | rows >"$T/got"
                [[ ${name[0]-} != -c ]] || cut -f 1,3 "$T/got" >"$T/cut"
                [[ ${name[0]-} != -c ]] || mv "$T/cut" "$T/got"
                same "$T/expected" "$T/got"
                [[ -s $T/expected ]]
            done
        done
    done
    rdfnorm --self -n none -p near.H:near.H "$T/rdfh" | rows | same - <(rdfnorm --self -n none "$T/rdfh" |
        awk -F '\t' -v OFS='\t' '/^# r/ { for (i = 1; i <= NF; i++) if ($i == "share(near.H:near.H)") n = i }
        !/^#/ { print $1, $n, $(n + 1), $(n + 2) }')
    fails 2 "rdfh: --pair: no pair 'near.H:w.H' in the stream, which has *w.H:near.H*" rdfnorm -p near.H:w.H "$T/rdfh"
    fails 2 "rdfh: --pair: no pair 'w.O:w.H' in the stream, which has *near.H:near.H" \
        rdfnorm --self -p w.O:w.H "$T/rdfh"
    trjcat -t "$PDB" -f :8 --by element "$WATER" | rdfhist -e cpu -b 100 -r 9 -B 2 -p '*:*' 2>/dev/null >"$T/rdfh"
    for words in n 'kb' 'sq --excluded in' debye 'pmf -T 300'; do
        read -ra name <<<"$words"
        rdfderive -q "${name[@]}" -p O:O "$T/rdfh" | curve_rows >"$T/one"
        rdfderive -q "${name[@]}" "$T/rdfh" | rows | cut -f "1-$(awk '{ print NF; exit }' "$T/one")" | same "$T/one" -
    done
    # Streams with other pairs are added if the selected pairs are equal.
    trjcat -t "$PDB" -f 8:16 --by element "$WATER" | rdfhist -e cpu -b 100 -r 9 -B 2 -p O:O 2>/dev/null >"$T/more"
    fails 3 '*: pair O:H is missing; run rdfhist *' rdfnorm "$T/rdfh" "$T/more"
    rdfnorm -p O:O "$T/rdfh" "$T/more" | has '^# frames: 16 in 8 records$'
}

# water SITES: two frames of GRO with 20 molecules of water, with these of the sites OW, HW1, HW2 and MW
water() {
    awk -v sites="$1" "$AWK_RANDOM"'BEGIN {
        seed = 3; n = split(sites, site, " ")
        dx["HW1"] = 0.0757; dy["HW1"] = 0.0586; dx["HW2"] = -0.0757; dy["HW2"] = 0.0586; dy["MW"] = 0.015
        for (frame = 0; frame < 2; frame++) {
            printf "t= %d\n%d\n", frame, 20 * n
            for (m = 1; m <= 20; m++) {
                x = random(); y = random(); z = random()
                for (i = 1; i <= n; i++)
                    printf "%5dSOL  %5s%5d%8.3f%8.3f%8.3f\n", m, site[i], ++a, x + dx[site[i]], y + dy[site[i]], z
            }
            print " 1.2 1.2 1.2"; a = 0
        }
    }'
}

@test "massless sites as MW of TIP4P: --by element leaves them out, and X-ray and neutron totals are those without them" {
    water 'OW HW1 HW2 MW' >"$T/4.gro"
    water 'OW HW1 HW2' >"$T/3.gro"
    for sites in 3 4; do
        trjcat --by element "$T/$sites.gro" 2>"$T/err$sites" | rdfhist -r 5 -b 25 -p '*:*' |
            rdfnorm --total xray --total neutron --scatterer H=D >"$T/$sites.tsv"
    done
    grep -q '^# total neutron: of 60 atoms in groups, of 60 in the trajectory$' "$T/4.tsv"
    for sites in 3 4; do grep -v '^# trjcat\|^# [a-z]*:\|sources\|gro' "$T/$sites.tsv" >"$T/$sites.values"; done
    diff "$T/3.values" "$T/4.values"
    grep -q '4.gro: note: --by element leaves out massless sites, which are no element' "$T/err4"
    [[ $(<"$T/err3") != *massless* ]]
    # Also where a stream contains the sites, and is split later; they scatter nothing as weight Z, either.
    trjcat -g all=all "$T/4.gro" 2>/dev/null >"$T/all.trjf"
    trjcat --by element "$T/all.trjf" 2>/dev/null | rdfhist -r 5 -b 25 -p '*:*' |
        rdfnorm --total xray --total neutron --scatterer H=D | diff <(grep -v '^#' "$T/4.tsv") <(grep -v '^#' -)
    densmap -g 0.5 -w Z "$T/all.trjf" | mapinfo - |
        awk '$1 == "integral" { found = $2 > 199.99 && $2 < 200.01 } END { exit !found }'
    fails 2 '--by element: all atoms are massless sites' trjcat -g 'M=name MW' --by element "$T/4.gro"
    trjcat -g 'U=name OW' "$T/4.gro" | trjcat - | trjinfo - | has -x 'groups	U, atoms 20, dynamic no, elements O 20'
}

@test "--scatterer ELEMENT=WHAT: applies to the groups of this element, as all.H; a group of this name comes first" {
    water 'OW HW1 HW2' >"$T/w.gro"
    trjcat -g 'all=all' --by element "$T/w.gro" 2>/dev/null | rdfhist -r 5 -b 25 -p '*:*' >"$T/w.rdfh"
    rdfnorm --total neutron --scatterer H=D "$T/w.rdfh" | grep -v '^#' >"$T/element"
    rdfnorm --total neutron --scatterer all.H=D "$T/w.rdfh" | grep -v '^#' | diff "$T/element" -
    [[ $(rdfnorm --total neutron "$T/w.rdfh" | grep -v '^#') != "$(<"$T/element")" ]]
    trjcat -g 'a=name HW1' -g 'b=name HW2' -g 'O=element O' "$T/w.gro" 2>/dev/null |
        rdfhist -r 5 -b 25 -p '*:*' >"$T/two.rdfh"
    rdfnorm --total neutron --scatterer b=H --scatterer H=D "$T/two.rdfh" | has '^# group a scatters as D'
    rdfnorm --total neutron --scatterer H=D --scatterer b=H "$T/two.rdfh" | has '^# group b scatters as H'
    fails 2 "scatterer 'N=D': unknown group, and no group of this element" \
        rdfnorm --total neutron --scatterer N=D "$T/w.rdfh"
    fails 2 "scatterer 'H=H': the group is given twice" \
        rdfnorm --total neutron --scatterer H=D --scatterer H=H "$T/w.rdfh"
}
