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

# pdb_atom NUMBER X: an ATOM line
pdb_atom() {
    printf 'ATOM  %5d  OW  SOL  %4d    %8.3f   2.000   3.000  1.00  0.00           O\n' "$1" "$1" "$2"
}

@test "PDB without END: read if the last line is complete and the last model has all atoms, else rejected" {
    (pdb_atom 1 1; pdb_atom 2 2) >"$T/one.pdb"
    (cat "$T/one.pdb" && echo END) >"$T/end.pdb"
    trjcat "$T/end.pdb" | bare_frames >"$T/wanted"
    [[ $(grep -c '^frame' "$T/wanted") == 1 ]]
    trjcat "$T/one.pdb" | bare_frames | same "$T/wanted" -
    printf '%s' "$(<"$T/one.pdb")" >"$T/no_newline.pdb"
    trjcat "$T/no_newline.pdb" | bare_frames | same "$T/wanted" -
    trjcat - <"$T/no_newline.pdb" | bare_frames | same "$T/wanted" -
    (cat "$T/one.pdb" && printf 'TER') >"$T/ter.pdb"
    trjcat "$T/ter.pdb" | bare_frames | same "$T/wanted" -
    (cat "$T/one.pdb" && printf 'CONECT    1    2') >"$T/conect.pdb"
    trjcat "$T/conect.pdb" | bare_frames | same "$T/wanted" -
    local cut size
    size=$(stat -c %s "$T/no_newline.pdb")
    for cut in 1 4 10 25 26 50 76; do # characters of the last line that are missing
        head -c $((size - cut)) "$T/no_newline.pdb" >"$T/cut.pdb"
        refused_file 3 'cut.pdb: frame 0: line 2: the file ends within this line, without a newline: it may have been cut' trjcat "$T/cut.pdb"
    done
}

@test "PDB with several models: ENDMDL followed by a last line without newline, and a last model that nothing closes" {
    model() { echo "MODEL        $1" && pdb_atom 1 "$1" && pdb_atom 2 "$1"; }
    (model 1 && echo ENDMDL && model 2 && echo ENDMDL) >"$T/whole.pdb"
    trjcat "$T/whole.pdb" | bare_frames >"$T/wanted"
    [[ $(grep -c '^frame' "$T/wanted") == 2 ]]
    local last
    for last in END 'MASTER        0' 'CONECT    1    2' REMARK; do
        (cat "$T/whole.pdb" && printf '%s' "$last") >"$T/last.pdb"
        trjcat "$T/last.pdb" | bare_frames | same "$T/wanted" -
    done
    (model 1 && echo ENDMDL && model 2) >"$T/open.pdb"
    trjcat "$T/open.pdb" | bare_frames | same "$T/wanted" -
    trjcat -j 2 "$T/open.pdb" | bare_frames | same "$T/wanted" -
    head -n -1 "$T/open.pdb" >"$T/short.pdb"
    refused_file 3 'short.pdb: frame 1: line 6: the file ends in a model, after 1 of 2 atoms: it may have been cut' trjcat "$T/short.pdb"
    (cat "$T/open.pdb" && pdb_atom 3 3) >"$T/long.pdb"
    refused_file 3 'long.pdb: frame 1: line 8: 3 atoms, but the frames before have 2' trjcat "$T/long.pdb"
    (cat "$T/whole.pdb" && printf 'MODEL        3') >"$T/head.pdb"
    refused_file 3 'head.pdb: frame 2: *' trjcat "$T/head.pdb"
    (cat "$T/whole.pdb" && printf 'ATO') >"$T/name.pdb"
    refused_file 3 'name.pdb: frame 2: line 9: the file ends within this line' trjcat "$T/name.pdb"
}

@test "real PDB files without their END and END lines: as with them" {
    need_shared
    need_python_module MDAnalysis
    local file
    for file in multi/cobrotoxin.pdb xtc/tip3p_300K_1ATM.pdb; do
        grep -vE '^(END|ENDMDL|MASTER|CONECT|TER)' "$DATA/$file" >"$T/open.pdb"
        trjcat "$T/open.pdb" | bare_frames >"$T/frames"
        trjcat "$DATA/$file" | bare_frames | same - "$T/frames"
        /usr/bin/python3 -W ignore -c '
import sys, MDAnalysis
print(MDAnalysis.Universe(sys.argv[1]).atoms.n_atoms)' "$T/open.pdb" >"$T/n"
        trjcat "$T/open.pdb" | trjdump | has "^atoms $(<"$T/n") of"
    done
}

@test "invalid cells of PDB and GRO: rejected with the remedy, and replaced by -c" {
    (echo 'CRYST1   10.000   20.000  xxx.000  90.00  90.00  90.00 P 1' && pdb_atom 1 1 && echo END) >"$T/word.pdb"
    (echo 'CRYST1    0.000    0.000    0.000   0.00   0.00   0.00 P 1' && pdb_atom 1 1 && echo END) >"$T/zero.pdb"
    printf 'x\n1\n    1SOL     OW    1   0.100   0.200   0.300\n 100.00000-100.00000 100.00000\n' >"$T/joined.gro"
    printf 'x\n1\n    1SOL     OW    1   0.100   0.200   0.300\n1000.000001000.000001000.00000\n' >"$T/joined2.gro"
    printf 'x\n1\n    1SOL     OW    1   0.100   0.200   0.300\n********************\n' >"$T/stars.gro"
    printf 'x\n2\n    1SOL     OW    1   0.100   0.200   0.300\n    2SOL     OW    2   0.100   0.200   0.300\n    3SOL     OW    3   0.100   0.200   0.300\n1 1 1\n' >"$T/more.gro"
    refused_file 3 "word.pdb: frame 0: line 1: CRYST1: 'xxx.000' in columns 25-33 is not a number; give the cell with -c" trjcat "$T/word.pdb"
    refused_file 3 'zero.pdb: frame 0: line 1: CRYST1: an angle of 0 degrees; give the cell with -c' trjcat "$T/zero.pdb"
    refused_file 3 "joined.gro: frame 0: line 4: *; give the cell with -c" trjcat "$T/joined.gro"
    refused_file 3 "joined2.gro: frame 0: line 4: '1000.000001000.000001000.00000' in the box is not a number; give the cell with -c" trjcat "$T/joined2.gro"
    local file
    for file in word.pdb zero.pdb joined.gro joined2.gro; do
        trjcat -c 10,20,30 "$T/$file" | trjdump | has 'cell 10 0 0 0 20 0 0 0 30$'
        trjcat -c 10,20,30 -f -1: -g 'O=name OW' "$T/$file" | trjdump | has 'cell 10 0 0 0 20 0 0 0 30$' # counted, names of its own
        trjcat -c 10,20,30 -t "$T/$file" -g 'O=name OW' "$T/$file" | trjdump | has 'cell 10 0 0 0 20 0 0 0 30$'
    done
    refused_file 3 "stars.gro: frame 0: line 4: '*' where the box is expected" trjcat -c 10,20,30 "$T/stars.gro"
    refused_file 3 "more.gro: frame 0: line 5: '* where the box is expected; or the number of atoms is wrong" trjcat -c 10,20,30 "$T/more.gro"
}
