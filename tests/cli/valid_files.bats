#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Valid files that differ from what most programs write: they are read, and what looks like them but is damaged is rejected.
load helper

# fact KEY FILE...: its value in the table of trjinfo
fact() {
    local key=$1
    shift
    trjinfo "$@" | awk -F '\t' -v key="$key" '$1 == key { print $2 }'
}

@test "MOL2 with names ****: read, elements by type" {
    cat >"$T/a.mol2" <<'EOF'
@<TRIPOS>MOLECULE
****
3 2
SMALL
NO_CHARGES

@<TRIPOS>ATOM
1 **** 0 0 0 O.3 1 ****
2 **** 0.96 0 0 H 1 ****
3 **** -0.24 0.93 0 H 1 ****
@<TRIPOS>BOND
1 1 2 1
2 1 3 1
EOF
    [[ $(fact atoms "$T/a.mol2") == 3 && $(fact bonds "$T/a.mol2") == 2 && $(fact check "$T/a.mol2") == ok ]]
    fact elements "$T/a.mol2" | grep -q 'H.*2'
}

@test "PSF without !NBOND: read, without bonds" {
    need_shared
    awk '/!NBOND/ { exit } { print }' "$DATA/dcd/adk.psf" >"$T/no_bonds.psf"
    [[ $(fact atoms "$T/no_bonds.psf") == 3341 && $(fact mass "$T/no_bonds.psf") == $(fact mass "$DATA/dcd/adk.psf") ]]
    [[ $(fact bonds "$T/no_bonds.psf") == '' || $(fact bonds "$T/no_bonds.psf") == 0 ]]
    awk '/!NBOND/ { print "       0 !NTHETA: angles\n" } { print }' "$DATA/dcd/adk.psf" >"$T/late.psf"
    [[ $(fact bonds "$T/late.psf") == "$(fact bonds "$DATA/dcd/adk.psf")" ]]
    head -n 3000 "$DATA/dcd/adk.psf" >"$T/cut.psf"
    refused 3 'cut.psf: line 3000: the file ends after * of 3341 atoms' trjinfo "$T/cut.psf"
}

@test "AMOEBA prmtop: names, residues, masses, elements and bonds are read, and it has no charges" {
    need_shared
    # Of a prmtop of Amber: its charges and bonds are replaced by the sections of AMOEBA.
    awk '
        /^%FLAG/ { flag = $2 }
        /^%FLAG POINTERS/ { want = 2 }
        flag ~ /^BONDS_/ && !/^%/ { for (i = 1; i <= NF; i++) b[n++] = $i }
        flag == "CHARGE" || flag ~ /^BONDS_/ { next }
        { print }
        END {
            print "%FLAG AMOEBA_FORCEFIELD\n%COMMENT AMOEBA\n%FORMAT(i5)\n    1"
            print "%FLAG AMOEBA_REGULAR_BOND_NUM_LIST\n%FORMAT(I8)"
            printf "%8d\n%%FLAG AMOEBA_REGULAR_BOND_LIST\n%%FORMAT(10I8)\n", n / 3
            for (i = 0; i < n; i++) printf "%8d%s", i % 3 == 2 ? 1 : b[i] / 3 + 1, i % 10 == 9 || i == n - 1 ? "\n" : ""
        }' "$DATA/amber/ache.prmtop" >"$T/amoeba.prmtop"
    local key
    for key in atoms residues bonds molecules mass elements residue_name_counts; do
        [[ -n $(fact $key "$DATA/amber/ache.prmtop") && $(fact $key "$T/amoeba.prmtop") == "$(fact $key "$DATA/amber/ache.prmtop")" ]]
    done
    [[ -n $(fact charge "$DATA/amber/ache.prmtop") && -z $(fact charge "$T/amoeba.prmtop") ]]
    trjcat -t "$T/amoeba.prmtop" -g 'C=element C' "$DATA/amber/ache.mdcrd" | counted -e cpu -r 5 -b 10 >"$T/counts"
    trjcat -t "$DATA/amber/ache.prmtop" -g 'C=element C' "$DATA/amber/ache.mdcrd" | counted -e cpu -r 5 -b 10 | same - "$T/counts"
    refused 2 charge trjcat -t "$T/amoeba.prmtop" -g 'C=charge > 0' "$DATA/amber/ache.mdcrd"
}

@test "LAMMPS data without a style: --atom-style gives it; ambiguous columns are rejected with the styles that fit" {
    local at
    cat >"$T/no.data" <<'EOF'
LAMMPS data

3 atoms
2 atom types
0 10 xlo xhi
0 10 ylo yhi
0 10 zlo zhi

Masses

1 15.9994
2 1.008

Atoms

1 1 1 -0.8 0 0 0 0 0 0
2 1 2 0.4 1 0 0 0 0 0
3 1 2 0.4 0 1 0 0 0 0
EOF
    sed 's/^Atoms$/Atoms # full/' "$T/no.data" >"$T/full.data"
    refused 3 'no.data: line 16: Atoms: the file names no known atom style, and its 10 columns fit *full*: give the style with --atom-style STYLE' \
        trjinfo "$T/no.data"
    trjinfo --atom-style full "$T/no.data" | grep -v '^file' >"$T/given"
    trjinfo "$T/full.data" | grep -v '^file' | same - "$T/given"
    grep -qx 'charge	0' "$T/given"
    # The option takes the place of a wrong comment, and the columns must fit it.
    sed 's/^Atoms$/Atoms # charge/' "$T/no.data" >"$T/wrong.data"
    trjinfo --atom-style full "$T/wrong.data" | grep -v '^file' | same - "$T/given"
    refused 3 "Atoms: 10 columns, where the style 'charge' has 6, or 9 with image flags" trjinfo --atom-style charge "$T/no.data"
    printf '3\n\nO 0 0 0\nH 1 0 0\nH 0 1 0\n' >"$T/run.xyz"
    trjcat -t "$T/no.data" --atom-style full -g 'O=type 1' -g 'H=charge > 0' "$T/run.xyz" | trjdump | has '^group H 1 2$'
    refused 2 "'fulll' is not a known atom style; known are atomic, charge" trjcat -t "$T/no.data" --atom-style fulll "$T/run.xyz"
    refused 2 '--atom-style: applies to a LAMMPS data file only' trjcat --atom-style full "$T/run.xyz"
    refused 2 '--atom-style: applies to a LAMMPS data file only' trjcat -t "$T/run.xyz" --atom-style full "$T/run.xyz"
}
