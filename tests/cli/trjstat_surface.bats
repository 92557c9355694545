#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Observables of trjstat that concern the surface, the secondary structure and the order of molecules.
# shellcheck shell=bash disable=SC2154
load helper

VALUES=$SHARED/reference-observables

need_values() {
    [[ -d $VALUES ]] || skip 'no folder shared/ with values of observables beside the checkout'
}

adk() { # OPTION...: the protein adk, without a cell
    trjcat -t "$DATA/dcd/adk.psf" --carry name,resname,resid "$@" "$DATA/dcd/adk_dims.dcd" 2>"$T/note"
}

# atoms CELL ATOM...: a stream of atoms "NAME x y z" in a cell of nine numbers, or 'none'
atoms() {
    local cell=
    [[ $1 == none ]] || cell="Lattice=\"$1\""
    { printf '%d\n%s\n' $(($# - 1)) "$cell"; printf '%s\n' "${@:2}"; } >"$T/x.xyz"
    trjcat --carry element,name -g all=all "$T/x.xyz" 2>"$T/note"
}

# The values of the last frame, after those of number and time.
values() {
    trjstat "$@" | tail -n 1 | cut -f 3-
}

# near TOLERANCE VALUE...: the numbers of a line agree with these
near() {
    awk -v tolerance="$1" -v list="${*:2}" '
        {
            n = split(list, want, " ")
            for (i = 1; i <= n; i++)
                if (!($i - want[i] <= tolerance && want[i] - $i <= tolerance)) {
                    printf "value %d: %s, not %s\n", i, $i, want[i]
                    bad = 1
                }
        }
        END { exit bad || NR != 1 || NF != n }'
}

@test "surface of a protein: as numpy in float64, and mdtraj in float32" {
    need_values
    adk >"$T/adk.trjf"
    trjstat -i "$T/adk.trjf" 'sasa(all, points=960)' | awk -F '\t' -v file="$VALUES/adk-sasa.tsv" '
        BEGIN {
            while ((getline line < file) > 0) {
                split(line, f, "\t")
                if (f[1] !~ /^[0-9]+$/) continue
                want[f[1]] = f[2]
                peer[f[1]] = f[5]
            }
        }
        $1 in want {
            n++
            off = $3 - want[$1]
            of_peer = $3 - peer[$1]
            if (!(off < 1e-3 && off > -1e-3 && of_peer < 1 && of_peer > -1)) { print $0, want[$1]; bad = 1 }
        }
        END { exit bad || n != 5 }'
}

@test "surface of a residue in the presence of the protein: as numpy; all instruction sets give the same bytes" {
    need_values
    adk -f 0:1 >"$T/adk.trjf"
    local number isa expressions=()
    for number in 1 2 3 8 15 100 214; do expressions+=("sasa(resid $number, all, points=960)"); done
    values -i "$T/adk.trjf" "${expressions[@]}" >"$T/got"
    awk -F '\t' '$1 ~ /^(0|1|2|7|14|99|213)$/ { print $3 }' "$VALUES/adk-sasa-residue.tsv" >"$T/want"
    # shellcheck disable=SC2046
    near 1e-5 $(<"$T/want") <"$T/got"
    for isa in plain avx2 avx512; do
        TRJPIPE_ISA=$isa values -i "$T/adk.trjf" "${expressions[@]}" | same - "$T/got"
    done
}

@test "surface: analytic values of one sphere, two spheres, and a sphere within another" {
    # 4 pi (1.7 + 1.4)^2, also far from others
    atoms none 'C 1 2 3' 'C 100 0 0' | values 'sasa(index 0)' 'sasa(all)' 'sasa(index 0, probe=0)' |
        near 1e-4 120.762822 241.525643 36.316811
    # A sphere of radius R at distance d from an equal one: 2 pi R (R + d/2)
    atoms none 'C 0 0 0' 'C 2 0 0' |
        values 'sasa(all, points=20000)' 'sasa(index 0, in=index 1, points=20000)' 'sasa(index 1, points=1)' |
        near 0.05 159.718571 79.859285 120.762822
    # Radii 3.1 and 2.6 at d: the cap of R1 has the height R1 - (d^2 + R1^2 - R2^2)/(2 d)
    atoms none 'C 0 0 0' 'H 0 1.1 0' | values 'sasa(index 0, all, 20000)' 'sasa(index 1, all, 20000)' |
        near 0.02 96.326943 30.296377
    # All within a sphere, and equal spheres at one place, of which one has the surface
    atoms none 'C 0 0 0' 'H 0 0.3 0' 'H 0 0 0' 'C 0 0 0' |
        values 'sasa(all)' 'sasa(index 1, all)' 'sasa(index 0 3)' 'sasa(index 3, all)' |
        near 1e-4 120.762822 0 120.762822 0
}

@test "surface in a cell: images cover, also those of the atom itself" {
    # Neighbours at x = +-2.5: 2 pi R (R + d/2) less the same cap again
    atoms '20 0 0 0 20 0 0 0 20' 'C 0.5 0 0' 'C 18.5 0 0' | values 'sasa(all, points=20000)' | near 0.05 159.718571
    atoms '2.5 0 0 0 30 0 0 0 30' 'C 1 0 0' | values 'sasa(all, points=20000)' | near 0.05 48.694686
    atoms '2.5 0 0 5 30 0 0 0 30' 'C 1 0 0' | values 'sasa(all, points=20000)' | near 0.05 48.694686
    atoms '1 0 0 0 1 0 0 0 1' 'C 0 0 0' | values 'sasa(all)' | near 0 0
}

@test "surface: dynamic groups and surroundings, and frames in threads" {
    need_values
    adk -f 0:40 -g 'N=within 6 of resid 10' -g 'P=resid 1 to 60' >"$T/x.trjf"
    trjstat -j 1 -i "$T/x.trjf" 'sasa(N)' 'sasa(N, P)' 'sasa(P, N)' 'sasa(P, in=P)' 'sasa(P)' | rows >"$T/one"
    trjstat -j 4 -i "$T/x.trjf" 'sasa(N)' 'sasa(N, P)' 'sasa(P, N)' 'sasa(P, in=P)' 'sasa(P)' | rows | same - "$T/one"
    awk -F '\t' '!($3 > $4 && $5 < $7 && $6 == $7) { exit bad = 1 } END { exit bad || NR != 40 }' "$T/one"
}

@test "surface of a large system: the sum of its parts" {
    need_values
    trjcat -t "$SHARED/data-maps/charge/adk_oplsaa.tpr" -f 0:1 "$DATA/xtc/adk_oplsaa.xtc" >"$T/x.trjf" 2>"$T/note"
    values -i "$T/x.trjf" 'sasa(all, points=20)' 'sasa(index 0:20000, all, 20)' 'sasa(index > 20000, all, 20)' |
        awk '{ off = $1 - $2 - $3; exit !($1 > 1000 && off < 1e-3 && off > -1e-3) }'
}

@test "surface: radii of the stream; unknown elements and invalid arguments are rejected with the remedy" {
    printf '%s\n' 'ATOM 1 C A 1 0 0 0 0.5 2.0' 'ATOM 2 N A 1 9 0 0 -0.5 1.0' >"$T/x.pqr"
    trjcat -t "$T/x.pqr" --carry radius "$T/x.pqr" >"$T/r.trjf" 2>"$T/note"
    values -i "$T/r.trjf" 'sasa(all, radii=stream)' | near 1e-4 217.649539
    atoms none 'Fe 0 0 0' 'C 3 0 0' >"$T/x.trjf"
    fails 3 'the element Fe, for which radii=bondi has no radius; give radii of your own' \
        trjstat -i "$T/x.trjf" 'sasa(all)'
    fails 3 'the element Fe' trjstat -i "$T/x.trjf" 'sasa(index 1, all)'
    values -i "$T/x.trjf" 'sasa(index 1)' | near 1e-4 120.762822
    fails 3 'radii=bondi' trjstat -i "$T/x.trjf" 'sasa(all, radii=stream)'
    printf '1\n\nXX 0 0 0\n' >"$T/y.xyz"
    trjcat -g all=all "$T/y.xyz" >"$T/y.trjf" 2>"$T/note"
    fails 3 'no known element, for which radii=bondi has no radius; give a topology with elements' \
        trjstat -i "$T/y.trjf" 'sasa(all)'
    local argument
    for argument in points=0 points=1.5 points=-3 points=1e9 probe=-1 probe=1e9 points=nan radii=charmm in= sphere=1; do
        fails 2 '' trjstat -i "$T/x.trjf" "sasa(index 1, $argument)"
    done
}

# chain PHI PSI [SHIFT]: a stream of a chain of 12 residues with these torsion angles, in a cell of 40 Å
chain() {
    awk -v phi="$1" -v psi="$2" -v shift="${3-0}" '
        function place(n, length_, angle, torsion,    k, u, v, w, m, p, c) {
            # Bond from atom n - 1, angle at it, and torsion of the last four atoms
            for (k = 0; k < 3; k++) { u[k] = x[n - 2, k] - x[n - 3, k]; v[k] = x[n - 1, k] - x[n - 2, k] }
            for (k = 0; k < 3; k++) w[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]
            m = sqrt(v[0]^2 + v[1]^2 + v[2]^2); for (k = 0; k < 3; k++) v[k] /= m
            m = sqrt(w[0]^2 + w[1]^2 + w[2]^2); for (k = 0; k < 3; k++) w[k] /= m
            for (k = 0; k < 3; k++) p[k] = w[(k + 1) % 3] * v[(k + 2) % 3] - w[(k + 2) % 3] * v[(k + 1) % 3]
            angle *= pi / 180; torsion *= pi / 180
            for (k = 0; k < 3; k++) {
                c[k] = sin(angle) * (cos(torsion) * p[k] + sin(torsion) * w[k]) - cos(angle) * v[k]
                x[n, k] = x[n - 1, k] + length_ * c[k]
            }
        }
        function print_atom(name, residue) {
            printf "ATOM  %5d  %-3s ALA A%4d    %8.3f%8.3f%8.3f  1.00  0.00           %s\n", ++serial, name, residue,
                wrapped(x[atom, 0]), wrapped(x[atom, 1]), wrapped(x[atom, 2]), substr(name, 1, 1)
        }
        function wrapped(y) { return y + shift < 20 ? y + shift : y + shift - 40 }
        BEGIN {
            pi = atan2(0, -1)
            printf "CRYST1   40.000   40.000   40.000  90.00  90.00  90.00 P 1           1\n"
            x[0, 0] = 0; x[0, 1] = 1.458; x[0, 2] = 0
            x[1, 0] = x[1, 1] = x[1, 2] = 0
            x[2, 0] = 1.42; x[2, 1] = -0.55; x[2, 2] = 0
            for (i = 0; i < 12; i++) {
                n = 3 * i
                if (i) place(n, 1.329, 116.2, psi)
                if (i) place(n + 1, 1.458, 121.7, 180)
                if (i) place(n + 2, 1.525, 111.2, phi)
                # The oxygen is opposite to the next nitrogen.
                atom = n; print_atom("N", i + 1)
                atom = n + 1; print_atom("CA", i + 1)
                atom = n + 2; print_atom("C", i + 1)
                atom = n + 3; place(atom, 1.231, 120.1, psi + 180); print_atom("O", i + 1)
            }
        }' >"$T/chain.pdb"
    trjcat -t "$T/chain.pdb" --carry name,resname -g all=all "$T/chain.pdb" 2>"$T/note"
}

@test "secondary structure of a protein: numbers of residues in each class as mdtraj and mkdssp" {
    need_values
    adk >"$T/adk.trjf"
    trjstat -i "$T/adk.trjf" 'dssp(all)' | awk -F '\t' -v file="$VALUES/adk-dssp.tsv" '
        BEGIN {
            while ((getline line < file) > 0) { split(line, f, "\t"); if (f[1] ~ /^[0-9]+$/) want[f[1]] = f[2] }
            for (i = 1; i <= 8; i++) class[i] = substr("HGIEBTS-", i, 1)
        }
        $1 in want {
            n++
            for (i = 1; i <= 8; i++) {
                letters = want[$1]
                if (gsub(class[i], "", letters) != $(2 + i)) { print $0, class[i]; bad = 1 }
            }
        }
        END { exit bad || n != 14 }'
}

@test "secondary structure: helices of their torsion angles, also across a boundary; a strand has none" {
    chain -57 -47 | values 'dssp(all)' | near 0 10 0 0 0 0 0 0 2
    chain -57 -47 19 | values 'dssp(all)' 'dssp(backbone)' 'dssp(index 0:23)' |
        near 0 10 0 0 0 0 0 0 2 10 0 0 0 0 0 0 2 4 0 0 0 0 0 0 2
    chain -49 -26 | values 'dssp(all)' | near 0 0 10 0 0 0 0 0 2
    chain -57 -70 | values 'dssp(all)' | near 0 0 0 10 0 0 0 0 2
    chain -120 130 | values 'dssp(all)' | near 0 0 0 0 0 0 0 0 12
}

@test "secondary structure: selections without residues or names are rejected with the remedy" {
    chain -57 -47 >"$T/x.trjf"
    fails 3 "no residue of 'name CA' has the atoms N, CA and C; select whole residues" \
        trjstat -i "$T/x.trjf" 'dssp(name CA)'
    fails 2 'depend on the frame; give a selection that does not' trjstat -i "$T/x.trjf" 'dssp(within 5 of index 0)'
    trjcat -t "$T/chain.pdb" "$T/chain.pdb" >"$T/y.trjf" 2>"$T/note"
    fails 3 'the stream has no names of atoms and residues; give a topology' trjstat -i "$T/y.trjf" 'dssp(all)'
    atoms none 'C 0 0 0' >"$T/y.trjf"
    fails 3 'the stream has no residues' trjstat -i "$T/y.trjf" 'dssp(all)'
}

@test "tilt and P2 of a protein against axes and the director: as independent code in float64" {
    need_values
    adk -f 97:98 | values 'tilt(name CA and resid 13 to 24)' 'p2(name N, name CA)' 'p2(name N, name CA, director)' \
        'scd(all, x)' 'scd(all, y)' 'scd(all)' |
        near 1e-6 47.908979 0.0035672846 0.055019489 0.72492956 0.19811997 -0.65971631 -0.025037736 0.026381767 \
            -0.0013440302
}

@test "tilt and P2: analytic values, with images; groups that form no vectors are rejected" {
    atoms '10 0 0 0 12 0 0 0 20' 'C 0.5 0 0' 'C 9.5 0 19' 'C 0 5 0' 'C 0 5 1' 'C 1 1 5' >"$T/x.trjf"
    # The shortest vector is -1 0 -1: 45 degrees
    values -i "$T/x.trjf" 'p2(index 0, index 1)' 'p2(index 0, index 1, axis=y)' 'p2(index 2, index 3)' \
        'p2(index 0 2, index 1 3)' 'p2(index 2, index 3, director)' | near 1e-8 0.25 -0.5 1 0.625 1 0 0 1
    atoms none 'C 0 0 0' 'C 1 0 1' 'C 2 0 2' >"$T/y.trjf"
    values -i "$T/y.trjf" 'tilt(all)' 'tilt(all, x)' 'tilt(all, y)' | near 1e-6 45 45 90
    atoms none 'C 1 0 0' 'C -1 0 0' 'C 0 1 0' 'C 0 -1 0' >"$T/y.trjf"
    [[ $(values -i "$T/y.trjf" 'tilt(all, z)' 'tilt(index 0)' 'p2(index 0, index 1, y)') == nan$'\t'nan$'\t'-0.5 ]]
    fails 2 "'all' selects 4 atoms, and 'index 1' 1; vectors require equal numbers" \
        trjstat -i "$T/y.trjf" 'p2(all, index 1)'
    fails 2 'which is the same' trjstat -i "$T/y.trjf" 'p2(all, all)'
    fails 2 'so that they form no pairs' trjstat -i "$T/y.trjf" 'p2(x < 0, index 1)'
    fails 2 "'w' is no value of 'axis'; use one of: x y z" trjstat -i "$T/y.trjf" 'tilt(all, w)'
    fails 2 "'director' is no value" trjstat -i "$T/y.trjf" 'tilt(all, director)'
}

# conect: a stream of a carbon with four hydrogens, of which one is along z and in the next cell, and of two atoms CO
conect() {
    cat >"$T/x.pdb" <<'END'
CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1
HETATM    1  C1  MOL A   1       5.000   5.000  19.500  1.00  0.00           C
HETATM    2  H1  MOL A   1       5.000   5.000   0.500  1.00  0.00           H
HETATM    3  H2  MOL A   1       5.943   5.000  19.167  1.00  0.00           H
HETATM    4  H3  MOL A   1       4.529   5.816  19.167  1.00  0.00           H
HETATM    5  H4  MOL A   1       4.529   4.184  19.167  1.00  0.00           H
HETATM    6  C2  MOL A   2       9.000   5.000  10.000  1.00  0.00           C
HETATM    7  O1  MOL A   2      10.000   5.000  10.000  1.00  0.00           O
CONECT    1    2    3    4    5
CONECT    6    7
END
    trjcat -t "$T/x.pdb" --carry name "$T/x.pdb" "$@" 2>"$T/note"
}

@test "order parameters of C-H bonds: analytic values, with images and sign; without such bonds they are rejected" {
    # Of a tetrahedron: 1 for the bond along z, -1/3 for the others
    conect -g all=all >"$T/x.trjf"
    values -i "$T/x.trjf" 'scd(all)' 'scd(all, axis=x)' 'scd(name C1)' | near 1e-3 0 0 0
    conect -g 'A=index 0 1 5 6' | values 'scd(A)' 'scd(A, y)' 'scd(element C and z > 15)' 'scd(z < 3)' |
        awk '{ exit !($1 == 1 && $2 == -0.5 && $3 == 1 && $4 == "nan") }'
    conect -g 'A=index 0 2 3 4' | values 'scd(A)' | near 1e-3 -0.3333333
    fails 2 'are in different molecules' trjstat -i "$T/x.trjf" 'p2(name C1, name C2)'
    fails 3 "no carbon of 'name C2' has a bond to a hydrogen" trjstat -i "$T/x.trjf" 'scd(name C2)'
    fails 3 'has a bond to a hydrogen' trjstat -i "$T/x.trjf" 'scd(element H)'
    atoms none 'C 0 0 0' 'H 0 0 1' >"$T/y.trjf"
    fails 3 'the stream has no bonds, by which C-H bonds are found; give a topology' trjstat -i "$T/y.trjf" 'scd(all)'
}

# bilayer LOWER TAIL TAIL UPPER: seven lipids, of which four are in the upper leaflet, with these heights of heads and
# tails, and water, in a triclinic cell of 20 Å x 25 Å x 60 Å
bilayer() {
    awk -v z="$*" 'BEGIN {
        split(z, h, " ")
        print "17\nLattice=\"20 0 0 4 25 0 3 -5 60\""
        for (i = 0; i < 4; i++) {
            x = 10 * (i % 2) " " 12 * int(i / 2) " "
            print "P", x h[4] "\nC", x h[3] "\nC", x h[2]
            if (i) print "P", x h[1]
        }
        print "O 1 1 30\nO 3 8 31"
    }' >"$T/x.xyz"
    trjcat --carry name -g all=all "$T/x.xyz" 2>"$T/note"
}

@test "bilayer: area per lipid and thickness, also where the boundary divides it; other groups are rejected" {
    local lipids='name P C' expressions
    expressions=("area_per_lipid(name P, $lipids)" "thickness(name P, $lipids)" "thickness(name C, name C)")
    bilayer 12 25 35 48 | values "${expressions[@]}" | near 1e-4 125 166.666667 36 10
    bilayer 42 55 5 18 | values "${expressions[@]}" | near 1e-4 125 166.666667 36 10
    bilayer 102 -65 5 -42 | values "${expressions[@]}" | near 1e-4 125 166.666667 36 10
    bilayer 42 55 5 18 >"$T/x.trjf"
    fails 3 "'name P' has no atom within 5 Angstrom of its centre" trjstat -i "$T/x.trjf" 'thickness(name P, name P)'
    fails 2 'argument 2 (bilayer) is missing' trjstat -i "$T/x.trjf" 'area_per_lipid(name P)'
    atoms '20 0 0 0 25 0 0 0 40' 'C 0 0 0' 'C 0 0 10' 'C 0 0 20' 'C 0 0 30' >"$T/y.trjf"
    fails 3 "'all' fills the cell" trjstat -i "$T/y.trjf" 'thickness(all, all)'
    [[ $(values -i "$T/y.trjf" 'area_per_lipid(index 0, index 1)') == nan$'\t'500 ]]
    atoms none 'C 0 0 0' 'C 0 0 10' >"$T/y.trjf"
    fails 3 'the frame has no cell with the vectors a and b' trjstat -i "$T/y.trjf" 'area_per_lipid(all, all)'
}

@test "bilayer: a group with several atoms of a lipid is rejected, instead of a fraction of the area" {
    bilayer 12 25 35 48 >"$T/x.trjf"
    awk 'BEGIN {
        print "CRYST1   20.000   20.000   60.000  90.00  90.00  90.00 P 1           1"
        for (i = 1; i <= 4; i++) {
            split("P C1 C2", name, " ")
            for (k = 1; k <= 3; k++)
                printf "HETATM%5d  %-3s LIP A%4d    %8.3f%8.3f%8.3f  1.00  0.00           %s\n", 3 * i + k - 3,
                    name[k], i, 5 * i, 5, i % 2 ? 32 + 8 / k : 28 - 8 / k, substr(name[k], 1, 1)
        }
    }' >"$T/l.pdb"
    trjcat -t "$T/l.pdb" --carry name "$T/l.pdb" -o "$T/l.trjf" 2>"$T/note"
    values -i "$T/l.trjf" 'area_per_lipid(name P, all)' 'thickness(name P C1, all)' | near 1e-3 200 200 16
    fails 2 "'name P C1' has several atoms of a residue, so that the area per atom is not that per lipid; give one" \
        trjstat -i "$T/l.trjf" 'area_per_lipid(name P C1, all)'
}

# undefined COLUMNS: the note in $T/note names these columns, which are nan
undefined() {
    has "^trjstat: note: values that are not defined (nan): $1$" <"$T/note" || { cat "$T/note" && return 1; }
}

@test "lipids: an empty leaflet, a single lipid, an empty group and residues without tails are nan, with a note" {
    local lipids='name P C'
    bilayer 12 25 35 48 >"$T/x.trjf"
    values -i "$T/x.trjf" "area_per_lipid(name P and z > 40, $lipids)" "thickness(name P and z > 40, $lipids)" \
        "area_per_lipid(index 0, $lipids)" "thickness(index 0, $lipids)" "area_per_lipid(z > 90, $lipids)" \
        "thickness(z > 90, $lipids)" 2>"$T/note" | has -x $'125\tnan\tnan\t500\tnan\tnan\tnan\tnan\tnan'
    undefined 'area_per_lipid.lower(name P and z > 40, name P C) in 1 of 1 frames, .* and 3 other columns'
    fails 3 "frame 0: thickness(name P, z > 90): 'z > 90' has no atom in this frame" \
        trjstat -i "$T/x.trjf" 'thickness(name P, z > 90)'
    trjstat -i "$T/x.trjf" --hist "thickness(index 0, $lipids)" --range 0:9 -o "$T/got" 2>"$T/note"
    has 'thickness(index 0, name P C): of 1 values, .* and 1 are nan' <"$T/note" || { cat "$T/note" && return 1; }

    conect >"$T/x.trjf"
    values -i "$T/x.trjf" 'scd(z < 3)' 2>"$T/note" | has -x nan
    undefined 'scd(z < 3) in 1 of 1 frames'
    # Residue 2 has a carbon, but no C-H bond.
    trjstat -i "$T/x.trjf" --per residue --summary 'scd(all)' -o "$T/got" 2>"$T/note"
    rows "$T/got" | awk '{ exit !(NF == 4 && $4 == "nan" && $3 < 1e-3 && $3 > -1e-3) }'
    undefined 'scd(all)\[.*2\] in 1 of 1 frames'
    grep -q '^# summary: scd(all)\[[^]]*2\].0' "$T/got"
}
