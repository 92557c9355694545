#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Observables of trjstat that search for neighbours: contacts, nearest pairs, native contacts and hydrogen bonds.
# shellcheck shell=bash disable=SC2154
load helper

VALUES=$SHARED/reference-observables CHARGE=$SHARED/data-maps/charge

need_values() {
    [[ -d $VALUES && -d $CHARGE ]] || skip 'no folder shared/ with values of observables beside the checkout'
}

# agrees FILE NAME TOLERANCE... < TABLE: the columns of observables agree with those of these names in a file of
# reference values. A tolerance can be the name of a column.
agrees() {
    rows | awk -F '\t' -v file="$VALUES/$1.tsv" -v list="${*:2}" '
        BEGIN {
            while ((getline line < file) > 0) {
                if (line ~ /^#/) continue
                n = split(line, field, "\t")
                if (!known) for (known = i = 1; i <= n; i++) column[field[i]] = i
                else { rows++; for (i = 1; i <= n; i++) value[rows, i] = field[i] }
            }
            wanted = split(list, want, " ")
        }
        {
            for (i = 1; i <= wanted; i += 2) {
                limit = want[i + 1] in column ? value[NR, column[want[i + 1]]] : want[i + 1]
                off = $(2 + (i + 1) / 2) - value[NR, column[want[i]]]
                if (!(off <= limit && -off <= limit) || !(want[i] in column)) {
                    printf "row %d, %s: %s, not %s\n", NR, want[i], $(2 + (i + 1) / 2), value[NR, column[want[i]]]
                    if (++bad == 5) exit
                }
            }
        }
        END { exit bad || !NR || NR != rows }'
}

# random_gro SEED ATOMS CELL...: writes atoms A and B at random positions, also outside of the cell, whose nine numbers
# are those of GRO files
random_gro() {
    awk -v seed="$1" -v n="$2" -v cell="${*:3}" "$AWK_RANDOM"'BEGIN {
        split(cell, c, " ")
        print "random\n" n
        for (i = 1; i <= n; i++) {
            for (k = 0; k < 3; k++) s[k] = 3 * random() - 1.5
            printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", i, "MOL", i % 3 ? "A" : "B", i,
                s[0] * c[1] + s[1] * c[6] + s[2] * c[8], s[0] * c[4] + s[1] * c[2] + s[2] * c[9],
                s[0] * c[5] + s[1] * c[7] + s[2] * c[3]
        }
        print cell
    }'
}

# xyz_cell CELL ATOM...: prints a frame of atoms "NAME x y z" in a cell of nine numbers
xyz_cell() {
    printf '%d\nLattice="%s"\n' $(($# - 1)) "$1"
    printf '%s\n' "${@:2}"
}

# The values of the last frame, after those of number and time.
values() {
    trjstat "$@" | tail -n 1 | cut -f 3-
}

@test "contacts of random atoms in cells of any shape: equal counts of rdfhist in one bin" {
    local seed=0 cell periodic radius isa expressions
    while read -r periodic radius cell; do
        seed=$((seed + 1))
        # shellcheck disable=SC2086
        random_gro $seed 150 $cell >"$T/x.gro"
        trjcat -P "$periodic" -t "$T/x.gro" --carry name -g 'all=all' -g 'A=name A' -g 'B=name B' "$T/x.gro" \
            >"$T/x.trjf" 2>"$T/note"
        counted -e reference -b 1 -r "$radius" -p all:all -p A:A -p A:B -p A:all "$T/x.trjf" >"$T/want"
        expressions=()
        for pair in all,all A,A A,B A,all; do expressions+=("contacts($pair,$radius)"); done
        for isa in plain avx2; do
            TRJPIPE_ISA=$isa values -i "$T/x.trjf" "${expressions[@]}" >"$T/got"
            tail -n 1 "$T/want" | same - "$T/got" || { echo "$isa $periodic $radius $cell"; return 1; }
        done
    done <<'END'
xyz 4.5 2 2 2 0 0 0 0 0 0
xyz 4.5 3 2 1.2 0 0 0.9 0 -1.4 0.7
xyz 9.5 0.8 0.9 1.1 0 0 0.3 0 0.2 -0.4
xyz 3 2 0.7 2 0 0 1.9 0 0 0
xy 6 1.5 1 3 0 0 -0.7 0 0 0
z 7 1 1 1.3 0 0 0 0 0 0
none 5 2 2 2 0 0 0 0 0 0
xyz 0.7 5 5 5 0 0 2.5 0 2.5 2.5
END
}

@test "contacts and nearest pair: every image counts, and the limit itself does not" {
    # The eight nearest neighbours in a body-centred lattice are at 1.5 sqrt(3) = 2.598, the next 24 at 4.975.
    xyz_cell '3 0 0 0 3 0 0 0 3' 'A 0 0 0' 'B 1.5 1.5 1.5' >"$T/bcc.xyz"
    trjcat --carry name -t "$T/bcc.xyz" "$T/bcc.xyz" >"$T/bcc"
    [[ $(values -i "$T/bcc" 'contacts(name A, name B, 2.6)' 'contacts(all, all, 2.6)' 'contacts(name A, all, 5)' \
        'contacts(name A, name A, 20)' 'mindist(all, all)') == 8$'\t'8$'\t'32$'\t'0$'\t'2.59807621$'\t'0$'\t'1 ]]
    # Across the boundary along c of a triclinic cell: x_B - c = (0.5, 0, -0.75) from A.
    xyz_cell '8 0 0 2 9 0 3 -1 10' 'A 0.25 0.5 0.5' 'C 4 4 5' 'B 3.75 -0.5 9.75' >"$T/tilted.xyz"
    trjcat --carry name -t "$T/tilted.xyz" "$T/tilted.xyz" >"$T/tilted"
    [[ $(values -i "$T/tilted" 'mindist(name A, name B)') == 0.901387819$'\t'0$'\t'2 ]]
    # Two images at exactly 2
    xyz_cell '4 0 0 0 30 0 0 0 30' 'A 1 0 0' 'B 3 0 0' >"$T/edge.xyz"
    trjcat --carry name -t "$T/edge.xyz" "$T/edge.xyz" >"$T/edge"
    [[ $(values -i "$T/edge" 'contacts(name A, name B, 2)' 'contacts(name A, name B, 2.000001)' \
        'contacts(index 0, name A B, 2.000001)') == 0$'\t'2$'\t'2 ]]
    # Without a cell, any distance: here 1e6; soft contacts: 1/2 at the radius, and images beyond it
    xyz_cell '0 0 0 0 0 0 0 0 0' 'A 0 0 0' 'B 1000000 0 0' | grep -v Lattice | sed '1a far' >"$T/far.xyz"
    trjcat --carry name -t "$T/far.xyz" "$T/far.xyz" >"$T/far"
    [[ $(values -i "$T/far" 'mindist(name A, name B)' 'mindist(name A, name A)') == \
        1000000$'\t'0$'\t'1$'\t'nan$'\t'nan$'\t'nan ]]
    # 2 / (1 + exp(-1)) + 2 / (1 + exp(19))
    [[ $(values -i "$T/edge" 'contacts(name A, name B, 2.2, kind=soft)') == 1.46211717 ]]
}

@test "contacts and nearest pairs of adk, tz2 and adk in water: as scipy" {
    need_shared
    need_values
    local lid='resid 122 to 159' nmp='resid 30 to 59'
    trjcat -t "$DATA"/dcd/adk.psf --carry name,resid -g "LID=$lid" -g "NMP=$nmp" -g "CORE=not ($lid or $nmp)" \
        -g all=all "$DATA"/dcd/adk_dims.dcd 2>"$T/note" |
        trjstat 'contacts(all, all, 4.5)' 'contacts(LID, CORE, 4.5)' 'mindist(LID and heavy, NMP and heavy)' |
        agrees adk-contacts pairs near_edge lid_core near_edge mindist_lid_nmp 1e-5 atom_lid 0 atom_nmp 0
    trjcat -t "$CHARGE"/tz2.ortho.parm7 --carry name,resname -g 'P=not resname WAT' -g 'W=resname WAT' -g all=all \
        "$CHARGE"/tz2.ortho.nc 2>"$T/note" |
        trjstat 'contacts(all, all, 4.5)' 'contacts(P, P, 4.5)' 'contacts(P, W, 4.5)' 'mindist(P, W and name O)' |
        agrees tz2-contacts all near_edge protein near_edge protein_water near_edge mindist 1e-5 atom_protein 0 \
            atom_water 0
    trjcat -t "$CHARGE"/adk_oplsaa.tpr --carry name,resname -g P=protein -g 'W=resname SOL' -g 'N=resname NA+ NA' \
        -g all=all "$DATA"/xtc/adk_oplsaa.xtc 2>"$T/note" >"$T/opls"
    trjstat -j 1 -i "$T/opls" 'contacts(all, all, 4.5)' 'contacts(P, P, 4.5)' 'contacts(P, W, 4.5)' 'mindist(P, N)' \
        >"$T/one"
    agrees opls-contacts all near_edge_all protein near_edge_all protein_water 3 mindist_na 1e-4 atom_protein 0 \
        atom_na 0 <"$T/one"
    trjstat -j 3 -i "$T/opls" 'contacts(all, all, 4.5)' 'contacts(P, P, 4.5)' 'contacts(P, W, 4.5)' 'mindist(P, N)' |
        rows | same <(rows "$T/one") -
    counted -e cpu -B 1 -b 1 -r 4.5 -p all:all -p P:P -p P:W "$T/opls" | tail -n 1 >"$T/total"
    rows "$T/one" | awk -v OFS='\t' '{ for (i = 3; i < 6; i++) n[i] += $i } END { print n[3], n[4], n[5] }' |
        same "$T/total" -
}

@test "native contacts of adk: as numpy with the constants of Best, Hummer and Eaton" {
    need_shared
    need_values
    trjcat -t "$DATA"/dcd/adk.psf "$DATA"/dcd/adk_dims.dcd 2>"$T/note" |
        trjstat 'native(all)' 'native(all, first, hard)' | agrees adk-native Q_soft 1e-6 Q_hard 1e-6
}

@test "hydrogen bonds by the criteria of six programs: equal numbers" {
    need_shared
    need_values
    trjcat -t "$DATA"/dcd/adk.psf "$DATA"/dcd/adk_dims.dcd 2>"$T/note" |
        trjstat 'hbonds(all,all,gmx)' 'hbonds(all,all,mda)' 'hbonds(all,all,baker-hubbard)' 'hbonds(all,all,wernet)' \
            'hbonds(all,all,cpptraj)' 'hbonds(all,all,vmd)' |
        agrees adk-hbonds gmx 0 mda 0 baker_hubbard 0 wernet_nilsson 0 cpptraj 0 vmd 0
    trjcat -t "$SHARED"/data-observables/spce216.tpr "$SHARED"/data-observables/spce216-nvt.xtc |
        trjstat 'hbonds(all,all,gmx)' 'hbonds(all,all,3.5:30)' 'hbonds(all, all, mda)' \
            'hbonds(all, all, baker-hubbard)' 'hbonds(all, all, wernet)' >"$T/water"
    agrees spce-nvt-hbonds n_luzar 2 n_luzar 2 <"$T/water"
    rows "$T/water" | awk -F '\t' -v OFS='\t' '{ for (i = 3; i <= NF; i++) $i /= 108; print }' |
        agrees spce-nvt-hbonds luzar 0.02 luzar 0.02 mda 0.02 baker_hubbard 0.02 wernet 0.02
}

@test "hydrogen bonds of groups: within, between and of overlapping groups add up" {
    need_shared
    need_values
    local criterion
    trjcat -t "$CHARGE"/adk_oplsaa.tpr -g P=protein -g W=water -g all=all -f :3 \
        "$DATA"/xtc/adk_oplsaa.xtc 2>"$T/note" >"$T/opls"
    for criterion in gmx baker-hubbard; do
        trjstat -i "$T/opls" "hbonds(all,all,$criterion)" "hbonds(P,P,$criterion)" "hbonds(W,W,$criterion)" \
            "hbonds(P,W,$criterion)" "hbonds(W,P,$criterion)" "hbonds(P,all,$criterion)" | rows |
            awk -F '\t' '$3 != $4 + $5 + $6 || $6 != $7 || $8 != $4 + $6 { print; bad = 1 } END { exit bad }'
    done
}

# dimer_psf: the topology of two atoms O, of which the first has a hydrogen
dimer_psf() {
    printf 'PSF\n\n       1 !NTITLE\n REMARKS dimer\n\n       3 !NATOM\n'
    printf '%8d A    %-4d %-4s %-4s %-4s %10.6f     %9.4f           0\n' 1 1 MOL O O 0 15.999 2 1 MOL H H 0 1.008 \
        3 2 MOL O O 0 15.999
    printf '\n       1 !NBOND: bonds\n       1       2\n'
}

@test "hydrogen bond across a boundary, with the hydrogen at another image: limits are those of each program" {
    dimer_psf >"$T/dimer.psf"
    # The donor is at the lower face along a, its hydrogen at the upper one, and the acceptor beyond the face along c.
    # frame 0: D-H...A is straight, r(DA) = 3; frame 1: 3.5; frame 2: H-D-A is 90 degrees
    {
        xyz_cell '8 0 0 2 9 0 3 -1 10' 'O 0 1 1' 'H 7 1 1' 'O 5 1 1'
        xyz_cell '8 0 0 2 9 0 3 -1 10' 'O 0 1 1' 'H 7 1 1' 'O 7.5 0 11'
        xyz_cell '8 0 0 2 9 0 3 -1 10' 'O 0 1 1' 'H 7 1 1' 'O 0 3.5 1'
    } >"$T/dimer.xyz"
    trjcat -t "$T/dimer.psf" "$T/dimer.xyz" >"$T/dimer" 2>"$T/note"
    trjstat -i "$T/dimer" 'hbonds(all,all,gmx)' 'hbonds(index 0, index 2, gmx)' 'hbonds(index 2, index 0, gmx)' \
        'hbonds(all,all,mda)' 'hbonds(all,all,cpptraj)' 'hbonds(all,all,vmd)' 'hbonds(all,all,wernet)' \
        'hbonds(all,all,baker-hubbard)' 'hbonds(all,all,3.5:90)' 'hbonds(all,all,3.5:89)' 'hbonds(all,all,3:180)' |
        rows | cut -f 3- >"$T/got"
    {
        printf '%s\t' 1 1 1 0 1 1 1 1 1 1 && echo 1
        printf '%s\t' 1 1 1 0 0 0 0 0 1 1 && echo 0
        printf '%s\t' 0 0 0 0 0 0 0 0 0 0 && echo 0
    } >"$T/want"
    same "$T/want" "$T/got"
    trjstat -i "$T/dimer" 'hbonds(all,all,wernet)' | has 'r(DA) < 3.3 Angstrom - 0.00044 (angle H-D-A in degrees)^2'
    trjstat -i "$T/dimer" 'hbonds(all,all,mda)' | has 'r(DA) < 3 Angstrom, angle D-H-A > 150 degrees'
}

@test "order of neighbours: lattices have their analytic values, also if the cell has one or two atoms" {
    # Diamond in its primitive cell: each atom has four neighbours in a tetrahedron.
    xyz_cell '0 2 2 2 0 2 2 2 0' 'C 0 0 0' 'C 1 1 1' >"$T/diamond.xyz"
    [[ $(trjcat "$T/diamond.xyz" | values 'tetrahedrality(all)' 'shell(index 0, all, 1.8)' 'shell(all, all, 2)') == \
        1$'\t'0$'\t'1$'\t'1$'\t'2 ]]
    # With fewer than four other atoms and no images, q is not defined.
    [[ $(trjcat -P none "$T/diamond.xyz" | values 'tetrahedrality(all)' 'steinhardt(all, 1)') == \
        nan$'\t'nan$'\t'nan$'\t'nan$'\t'nan$'\t'0$'\t'2 ]]
    # A body-centred lattice with its 8 and 14 nearest neighbours, of which 6 are images of the atom in a cell of two
    # atoms; simple cubic: 1/2 sqrt(7/3) and 1/2 sqrt(1/2)
    xyz_cell '4 0 0 0 4 0 0 0 4' 'A 0 0 0' 'B 2 2 2' >"$T/bcc.xyz"
    [[ $(trjcat "$T/bcc.xyz" | values 'steinhardt(all, 3.6)') == 0.509175077$'\t'0.628539361$'\t'8$'\t'0 ]]
    awk 'BEGIN {
        print 54 "\nLattice=\"12 0 0 0 12 0 0 0 12\""
        for (i = 0; i < 27; i++) { x = 4 * (i % 3); y = 4 * (int(i / 3) % 3); z = 4 * int(i / 9)
            print "A", x, y, z; print "B", x + 2, y + 2, z + 2 }
    }' >"$T/eight.xyz"
    trjcat --carry name -t "$T/eight.xyz" "$T/eight.xyz" >"$T/eight"
    [[ $(values -i "$T/eight" 'steinhardt(all, 4.5)') == 0.0363696484$'\t'0.510688231$'\t'14$'\t'0 ]]
    [[ $(values -i "$T/eight" 'steinhardt(name A, 4.5)') == 0.763762616$'\t'0.353553391$'\t'6$'\t'0 ]]
}

@test "tetrahedral order of water, shells, and close packings: as numpy and freud" {
    need_shared
    need_values
    trjcat -t "$SHARED"/data-observables/spce216.tpr --carry name "$SHARED"/data-observables/spce216-nvt.xtc |
        trjstat 'tetrahedrality(name OW)' | agrees spce-nvt-tetrahedral q_mean 1e-4 q_sd 1e-4 q_min 1e-4
    trjcat -t "$CHARGE"/tz2.ortho.parm7 --carry name,resname "$CHARGE"/tz2.ortho.nc 2>"$T/note" |
        trjstat 'tetrahedrality(resname WAT and name O)' | agrees tz2-tetrahedral q_mean 1e-6 q_sd 1e-6
    trjcat -t "$CHARGE"/adk_oplsaa.tpr -g 'P=protein and heavy' -g 'O=name OW' "$DATA"/xtc/adk_oplsaa.xtc 2>"$T/note" |
        trjstat 'shell(P, O, 3.5)' | agrees opls-shell waters 2
    [[ $(trjcat "$DATA"/gsd/fcc.gsd 2>"$T/note" | values 'steinhardt(all, 1.2)') == \
        0.19094065*$'\t'0.57452426*$'\t'12$'\t'0 ]]
    [[ $(trjcat "$DATA"/gsd/hcp.gsd 2>"$T/note" | values 'steinhardt(all, 1.2)') == \
        0.09722224*$'\t'0.4847616*$'\t'12$'\t'0 ]]
}

@test "contacts, native contacts and hydrogen bonds: invalid arguments and missing data are rejected" {
    dimer_psf >"$T/dimer.psf"
    xyz_cell '8 0 0 0 9 0 0 0 10' 'O 0 0 0' 'H 1 0 0' 'O 3 0 0' >"$T/dimer.xyz"
    trjcat -t "$T/dimer.psf" "$T/dimer.xyz" >"$T/dimer" 2>"$T/note"
    fails 2 'argument 3 (radius) is missing' trjstat -i "$T/dimer" 'contacts(all,all)'
    fails 2 'the radius must be positive' trjstat -i "$T/dimer" 'contacts(all,all,0)'
    fails 2 'the radius must be positive' trjstat -i "$T/dimer" 'contacts(all,all,-1)'
    fails 2 'is expected to be a number' trjstat -i "$T/dimer" 'contacts(all,all,nan)'
    fails 2 "'soften' is no value of 'kind'" trjstat -i "$T/dimer" 'contacts(all,all,4,soften)'
    fails 3 'images of the cell are within' trjstat -i "$T/dimer" 'contacts(all,all,1e6)'
    fails 1 'second: No such file' trjstat -i "$T/dimer" 'native(all, second)'
    fails 2 'depend on the frame' trjstat -i "$T/dimer" 'native(x < 2)'
    fails 3 'no native contact' trjstat -i "$T/dimer" 'native(index 0 1)'
    # Groups that are empty in a frame, and atoms too far away for exact distances
    [[ $(values -i "$T/dimer" 'contacts(all, x > 100, 4)' 'contacts(x > 100, x > 100, 4)' 'mindist(all, x > 100)' \
        'shell(all, x > 100, 4)' 'hbonds(all, x > 100, gmx)' 'tetrahedrality(x > 100)' 'steinhardt(x > 100, 4)') == \
        0$'\t'0$'\t'nan$'\t'nan$'\t'nan$'\t'0$'\t'0$'\t'nan$'\t'nan$'\t'nan$'\t'nan$'\t'nan$'\t'nan$'\t'0 ]]
    xyz_cell '8 0 0 0 9 0 0 0 10' 'O 0 0 0' 'H 1 0 0' 'O 3e9 0 0' >"$T/far.xyz"
    trjcat "$T/far.xyz" >"$T/far"
    fails 3 'atom 2' trjstat -i "$T/far" 'contacts(all,all,4)'
    fails 3 'atom 2' trjstat -i "$T/far" 'mindist(index 0,index 2)'
    for criterion in '' gromacs 3.5 3.5: :30 3.5:181 3.5:-1 -3:30 0:30 3.5:30:1; do
        fails 2 '' trjstat -i "$T/dimer" "hbonds(all,all,$criterion)"
    done
    fails 2 'the radius must be positive' trjstat -i "$T/dimer" 'steinhardt(all, 0)'
    fails 2 'the radius must be positive' trjstat -i "$T/dimer" 'shell(all, all, -3)'
    fails 2 'argument 3 (criterion) is missing' trjstat -i "$T/dimer" 'hbonds(all,all)'
    fails 3 'has a bond to a hydrogen' trjstat -i "$T/dimer" 'hbonds(index 2, index 2, gmx)'
    trjcat "$T/dimer.xyz" >"$T/bare"
    fails 3 'the stream has no bonds' trjstat -i "$T/bare" 'hbonds(all,all,gmx)'
    fails 3 'the stream has no elements' trjstat -i "$T/bare" 'native(all)'
}

@test "hydrogen bonds: the header gives the numbers of donors, hydrogens and acceptors" {
    need_shared
    local psf=$DATA/dcd/adk.psf dcd=$DATA/dcd/adk_dims.dcd
    trjcat -t "$psf" -f 0 -g P=all "$dcd" 2>/dev/null | trjstat 'hbonds(P, P, gmx)' >"$T/all"
    trjcat -t "$psf" -f 0 -g 'P=not name HN' "$dcd" 2>/dev/null | trjstat 'hbonds(P, P, gmx)' >"$T/some"
    [[ $(sed -n 's/.*; \([0-9]*\) donors with \([0-9]*\) hydrogens in the stream, \([0-9]*\) acceptors.*/\1 \2 \3/p' \
        "$T/all" "$T/some" | paste -s -d ,) == '299 375 609,96 172 609' ]]
}
