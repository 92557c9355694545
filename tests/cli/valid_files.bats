#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Valid files that differ from the output of most programs are read; damaged files that resemble them are rejected. For
# files without units, notes state the assumed unit.
load helper

# fact KEY FILE...: prints its value in the table of trjinfo
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
    fact elements "$T/a.mol2" | has 'H.*2'
}

@test "PSF without !NBOND: read, without bonds" {
    need_shared
    awk '/!NBOND/ { exit } { print }' "$DATA/dcd/adk.psf" >"$T/no_bonds.psf"
    [[ $(fact atoms "$T/no_bonds.psf") == 3341 && $(fact mass "$T/no_bonds.psf") == $(fact mass "$DATA/dcd/adk.psf") ]]
    [[ $(fact bonds "$T/no_bonds.psf") == '' || $(fact bonds "$T/no_bonds.psf") == 0 ]]
    awk '/!NBOND/ { print "       0 !NTHETA: angles\n" } { print }' "$DATA/dcd/adk.psf" >"$T/late.psf"
    [[ $(fact bonds "$T/late.psf") == "$(fact bonds "$DATA/dcd/adk.psf")" ]]
    head -n 3000 "$DATA/dcd/adk.psf" >"$T/cut.psf"
    fails 3 'cut.psf: line 3000: the file ends after * of 3341 atoms' trjinfo "$T/cut.psf"
}

@test "AMOEBA prmtop: names, residues, masses, elements and bonds are read, without charges" {
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
        [[ -n $(fact $key "$DATA/amber/ache.prmtop") &&
            $(fact $key "$T/amoeba.prmtop") == "$(fact $key "$DATA/amber/ache.prmtop")" ]]
    done
    [[ -n $(fact charge "$DATA/amber/ache.prmtop") && -z $(fact charge "$T/amoeba.prmtop") ]]
    trjcat -t "$T/amoeba.prmtop" -g 'C=element C' "$DATA/amber/ache.mdcrd" | counted -e cpu -r 5 -b 10 >"$T/counts"
    trjcat -t "$DATA/amber/ache.prmtop" -g 'C=element C' "$DATA/amber/ache.mdcrd" | counted -e cpu -r 5 -b 10 |
        same - "$T/counts"
    fails 2 charge trjcat -t "$T/amoeba.prmtop" -g 'C=charge > 0' "$DATA/amber/ache.mdcrd"
}

@test "LAMMPS data without a style: --atom-style gives it; ambiguous columns are rejected with the styles that fit" {
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
    fails 3 \
        'no.data: line 18: Atoms: the file names no known atom style, and its 3 lines fit *full*; give the style with --atom-style STYLE' \
        trjinfo "$T/no.data"
    trjinfo --atom-style full "$T/no.data" | grep -v '^file' >"$T/given"
    trjinfo "$T/full.data" | grep -v '^file' | same - "$T/given"
    grep -qx 'charge	0' "$T/given"
    # The option replaces a wrong comment, and must fit the columns.
    sed 's/^Atoms$/Atoms # charge/' "$T/no.data" >"$T/wrong.data"
    trjinfo --atom-style full "$T/wrong.data" | grep -v '^file' | same - "$T/given"
    fails 3 "Atoms: 10 columns, expected 6 for style 'charge', or 9 with image flags" \
        trjinfo --atom-style charge "$T/no.data"
    printf '3\n\nO 0 0 0\nH 1 0 0\nH 0 1 0\n' >"$T/run.xyz"
    trjcat -t "$T/no.data" --atom-style full -g 'O=type 1' -g 'H=charge > 0' "$T/run.xyz" | trjdump |
        has '^group H 1 2$'
    fails 2 "unknown atom style 'fulll'; give one of atomic, charge" \
        trjcat -t "$T/no.data" --atom-style fulll "$T/run.xyz"
    fails 2 '--atom-style: applies to a LAMMPS data file only' trjcat --atom-style full "$T/run.xyz"
    fails 2 '--atom-style: applies to a LAMMPS data file only' trjcat -t "$T/run.xyz" --atom-style full "$T/run.xyz"
}

# pdb_atom NUMBER X: an ATOM line
pdb_atom() {
    printf 'ATOM  %5d  OW  SOL  %4d    %8.3f   2.000   3.000  1.00  0.00           O\n' "$1" "$1" "$2"
}

@test "PDB without END: read if the last line is complete and the last model has all atoms, otherwise rejected" {
    (pdb_atom 1 1; pdb_atom 2 2) >"$T/one.pdb"
    (cat "$T/one.pdb" && echo END) >"$T/end.pdb"
    trjcat "$T/end.pdb" | bare_frames >"$T/expected"
    [[ $(grep -c '^frame' "$T/expected") == 1 ]]
    trjcat "$T/one.pdb" | bare_frames | same "$T/expected" -
    printf '%s' "$(<"$T/one.pdb")" >"$T/no_newline.pdb"
    trjcat "$T/no_newline.pdb" | bare_frames | same "$T/expected" -
    trjcat - <"$T/no_newline.pdb" | bare_frames | same "$T/expected" -
    (cat "$T/one.pdb" && printf 'TER') >"$T/ter.pdb"
    trjcat "$T/ter.pdb" | bare_frames | same "$T/expected" -
    (cat "$T/one.pdb" && printf 'CONECT    1    2') >"$T/conect.pdb"
    trjcat "$T/conect.pdb" | bare_frames | same "$T/expected" -
    local cut size
    size=$(stat -c %s "$T/no_newline.pdb")
    for cut in 1 4 10 25 26 50 76; do # characters of the last line that are missing
        head -c $((size - cut)) "$T/no_newline.pdb" >"$T/cut.pdb"
        fails_cleanly 3 \
            'cut.pdb: frame 0: line 2: the file ends within this line, without a newline: it may be truncated' \
            trjcat "$T/cut.pdb"
    done
}

@test "PDB with several models, last line without newline or last model without ENDMDL: all frames are read" {
    model() { echo "MODEL        $1" && pdb_atom 1 "$1" && pdb_atom 2 "$1"; }
    (model 1 && echo ENDMDL && model 2 && echo ENDMDL) >"$T/whole.pdb"
    trjcat "$T/whole.pdb" | bare_frames >"$T/expected"
    [[ $(grep -c '^frame' "$T/expected") == 2 ]]
    local last
    for last in END 'MASTER        0' 'CONECT    1    2' REMARK; do
        (cat "$T/whole.pdb" && printf '%s' "$last") >"$T/last.pdb"
        trjcat "$T/last.pdb" | bare_frames | same "$T/expected" -
    done
    (model 1 && echo ENDMDL && model 2) >"$T/open.pdb"
    trjcat "$T/open.pdb" | bare_frames | same "$T/expected" -
    trjcat -j 2 "$T/open.pdb" | bare_frames | same "$T/expected" -
    head -n -1 "$T/open.pdb" >"$T/short.pdb"
    fails_cleanly 3 'short.pdb: frame 1: line 6: the file ends in a model, after 1 of 2 atoms: it may be truncated' \
        trjcat "$T/short.pdb"
    (cat "$T/open.pdb" && pdb_atom 3 3) >"$T/long.pdb"
    fails_cleanly 3 'long.pdb: frame 1: line 8: 3 atoms, but earlier frames have 2' trjcat "$T/long.pdb"
    (cat "$T/whole.pdb" && printf 'MODEL        3') >"$T/head.pdb"
    fails_cleanly 3 'head.pdb: frame 2: *' trjcat "$T/head.pdb"
    (cat "$T/whole.pdb" && printf 'ATO') >"$T/name.pdb"
    fails_cleanly 3 'name.pdb: frame 2: line 9: the file ends within this line' trjcat "$T/name.pdb"
}

@test "real PDB files without their ENDMDL and END lines: the same frames as with them" {
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
    printf 'x\n2\n    1SOL     OW    1   0.100   0.200   0.300\n    2SOL     OW    2   0.100   0.200   0.300\n    3SOL     OW    3   0.100   0.200   0.300\n1 1 1\n' \
        >"$T/more.gro"
    fails_cleanly 3 \
        "word.pdb: frame 0: line 1: CRYST1: 'xxx.000' in columns 25-33 is not a number; give the cell with trjcat --cell" \
        trjcat "$T/word.pdb"
    fails_cleanly 3 \
        'zero.pdb: frame 0: line 1: CRYST1: angle of 0 degrees, expected above 0 and below 180; give the cell with trjcat --cell' \
        trjcat "$T/zero.pdb"
    fails_cleanly 3 "joined.gro: frame 0: line 4: *; give the cell with trjcat --cell" trjcat "$T/joined.gro"
    fails_cleanly 3 \
        "joined2.gro: frame 0: line 4: '1000.000001000.000001000.00000' in the box is not a number; give the cell with trjcat --cell" \
        trjcat "$T/joined2.gro"
    local file
    for file in word.pdb zero.pdb joined.gro joined2.gro; do
        trjcat -c 10,20,30 "$T/$file" | trjdump | has 'cell 10 0 0 0 20 0 0 0 30$'
        # counted, names of its own
        trjcat -c 10,20,30 -f -1: -g 'O=name OW' "$T/$file" | trjdump | has 'cell 10 0 0 0 20 0 0 0 30$'
        trjcat -c 10,20,30 -t "$T/$file" -g 'O=name OW' "$T/$file" | trjdump | has 'cell 10 0 0 0 20 0 0 0 30$'
    done
    fails_cleanly 3 "stars.gro: frame 0: line 4: '*' where the box is expected" trjcat -c 10,20,30 "$T/stars.gro"
    fails_cleanly 3 "more.gro: frame 0: line 5: '* where the box is expected, or the number of atoms is wrong" \
        trjcat -c 10,20,30 "$T/more.gro"
}

# rst7 ATOMS [WHAT...]: writes a restart whose atom k is at (k, 10 k, -k), with `velocities` and `box`; `notime` omits
# the time
rst7() {
    awk -v n="$1" -v what=" $* " '
        function put(x, last) { line = line sprintf("%12.7f", x); if (++k % 6 == 0 || last) { print line; line = ""
        k = 0 } }
        BEGIN {
            print what ~ / blank / ? "" : "1000" # the title may be blank, or a number
            printf what ~ / notime / ? "%6d\n" : "%6d  0.1500000E+02\n", n
            for (i = 1; i <= n; i++) { put(i % 900, 0); put(10 * i % 900, 0); put(-i % 900, i == n) }
            for (i = 1; i <= n && what ~ / velocities /; i++) { put(0.1 * i, 0); put(-0.2, 0); put(1.5, i == n) }
            if (what ~ / box /) { put(30, 0); put(40, 0); put(50, 0); put(90, 0); put(60, 0); put(90, 1) }
            if (what ~ / lengths /) { put(30, 0); put(40, 0); put(50, 1) }
        }'
}

@test "Amber restart: coordinates, time, velocities and cell, with one to seven atoms" {
    local n what
    for n in 1 2 3 4 5 6 7; do
        for what in '' velocities box 'velocities box' 'blank notime' 'blank notime velocities box'; do
            # shellcheck disable=SC2086 # words
            rst7 "$n" $what >"$T/run.rst7"
            trjcat "$T/run.rst7" 2>"$T/err" | trjdump >"$T/dump"
            awk -v n="$n" 'BEGIN { for (i = 1; i <= n; i++) print i, 10 * i, -i }' >"$T/expected"
            trjcat --to xyz "$T/run.rst7" \
                -t <(awk -v n="$n" 'BEGIN { print n "\n"; for (i = 1; i <= n; i++) print "O", i, 0, 0 }') 2>"$T/err" |
                awk 'NR > 2 { print $2, $3, $4 }' | same "$T/expected" -
            [[ $what == *notime* ]] && has 'time nan ' <"$T/dump" || has 'time 15 ' <"$T/dump"
            if [[ $what == *box* ]]; then
                has 'periodic 7 cell 30 0 0 0 40 0 25' <"$T/dump"
                trjinfo "$T/run.rst7" | has 'dialect.*, cell$'
            else
                has 'periodic 0 cell 0 0 0 0 0 0 0 0 0' <"$T/dump"
                trjinfo "$T/run.rst7" | has 'dialect.*no cell$'
            fi
            [[ $what != *velocities* ]] || trjinfo "$T/run.rst7" | has 'dialect.*restart, velocities'
            trjcat - <"$T/run.rst7" 2>"$T/err" | bare_frames >"$T/frames"
            gzip -c "$T/run.rst7" | trjcat - 2>"$T/err" | bare_frames | same "$T/frames" -
            trjcat -j 1 "$T/run.rst7" 2>"$T/err" | bare_frames | same "$T/frames" -
        done
    done
    rst7 2 box >"$T/two.rst7"
    trjcat "$T/two.rst7" 2>&1 >"$T/out" |
        has 'two.rst7: note: the last line is assumed to be the cell: velocities of two atoms'
    rst7 5 lengths >"$T/lengths.rst7"
    trjcat "$T/lengths.rst7" 2>&1 >"$T/out" |
        has 'note: the restart has no angles of the cell: they are assumed to be 90 degrees'
    trjdump <"$T/out" | has 'periodic 7 cell 30 0 0 0 40 0 0 0 50$'
}

@test "Amber restart: truncated, with overflowed numbers, other line lengths, a bad cell: rejected" {
    rst7 7 velocities box >"$T/run.rst7" # 2 lines, then 4 of coordinates, 4 of velocities, and a cell
    local lines
    for lines in 7 8 9; do # one line of velocities is not a cell
        head -n $lines "$T/run.rst7" >"$T/cut.rst7"
        fails 3 'cut.rst7: frame 0: line *' trjcat "$T/cut.rst7"
    done
    head -n 5 "$T/run.rst7" >"$T/cut.rst7"
    fails_cleanly 3 'cut.rst7: frame 0: line 5: the file ends after this line, after 6 of 7 atoms' trjcat "$T/cut.rst7"
    # One line of velocities, or half of it, is not the cell, although all its numbers are positive.
    (head -n 6 "$T/run.rst7" && printf '%12.7f' .3 .2 .1 .3 .3 .2 && echo) >"$T/cut.rst7"
    fails_cleanly 3 'cut.rst7: frame 0: line 7: the file ends after 1 of 4 lines of velocities' trjcat "$T/cut.rst7"
    (head -n 6 "$T/run.rst7" && printf '%12.7f' .3 .2 .1) >"$T/cut.rst7"
    fails_cleanly 3 'cut.rst7: frame 0: line 7: the file ends after 1 of 4 lines of velocities' trjcat "$T/cut.rst7"
    head -c -20 "$T/run.rst7" >"$T/cut.rst7"
    fails_cleanly 3 'cut.rst7: frame 0: line 11: 53 columns, expected 72 for 6 numbers' trjcat "$T/cut.rst7"
    (cat "$T/run.rst7" && tail -n 1 "$T/run.rst7") >"$T/more.rst7"
    fails_cleanly 3 'more.rst7: frame 0: line 12: a line after coordinates, velocities and cell' trjcat "$T/more.rst7"
    sed '4s/^............/************/' "$T/run.rst7" >"$T/stars.rst7"
    fails_cleanly 3 "stars.rst7: frame 0: line 4: '************' in columns 1-12 is not a number" trjcat "$T/stars.rst7"
    sed '$s/60.0000000/-9.0000000/' "$T/run.rst7" >"$T/angle.rst7"
    fails_cleanly 3 \
        'angle.rst7: frame 0: line 11: the cell has an angle of -9 degrees; give the cell with trjcat --cell' \
        trjcat "$T/angle.rst7"
    trjcat -c 10,20,30 "$T/angle.rst7" | trjdump | has 'cell 10 0 0 0 20 0 0 0 30$'
    # More than 99999 atoms, whose number has six digits
    rst7 100001 box >"$T/large.rst7"
    trjinfo "$T/large.rst7" | has '^atoms	100001$'
}

@test "Amber restart and XYZ with types as names: each is detected as its own format" {
    rst7 7 >"$T/a"
    rst7 7 blank notime box >"$T/b"
    [[ $(fact format "$T/a") == rst7 && $(fact format "$T/b") == rst7 && $(fact holds "$T/a") == trajectory ]]
    printf '2\nAtoms. Timestep: 0\n1 0.5 1 2\n2 3 4 5\n' >"$T/types"
    [[ $(fact format "$T/types") == xyz ]]
    printf '2\n1 2 3 4\n1.5 0.5 1.0 2.0\n1.5 3.0 4.0 5.0\n' >"$T/numbers"
    fails 3 'not a known trajectory format' trjcat "$T/numbers"
}

@test "Amber restart of a real frame: atoms, coordinates and cell agree with MDAnalysis" {
    need_shared
    need_python_module MDAnalysis
    # The first frame of an Amber trajectory, written as a restart by awk.
    trjcat -f 0 -t "$DATA/amber/bala.prmtop" --to xyz "$DATA/amber/bala.ncdf" >"$T/frame.xyz"
    awk 'NR == 1 { n = $1; printf "bala\n%6d  0.1000000E+01\n", n }
        NR > 2 { for (i = 2; i < 5; i++) { printf "%12.7f", $i; if (++k % 6 == 0) print "" } }
        END { if (k % 6) print ""
        printf "%12.7f%12.7f%12.7f%12.7f%12.7f%12.7f\n", 31.979, 35.845, 36.197, 90, 90, 90 }' "$T/frame.xyz" \
            >"$T/bala.inpcrd"
    /usr/bin/python3 -W ignore -c '
import sys, MDAnalysis, numpy
u = MDAnalysis.Universe(sys.argv[1], sys.argv[2], topology_format="TOP", format="INPCRD")
o = u.select_atoms("name O")
print(o.n_atoms, *("%.4f" % x for x in o.positions[-1]))' "$DATA/amber/bala.prmtop" "$T/bala.inpcrd" >"$T/expected"
    trjcat -t "$DATA/amber/bala.prmtop" -g 'O=name O' --to xyz "$T/bala.inpcrd" |
        awk 'NR == 1 { n = $1 } { l = $0 } END { split(l, w); printf "%d %.4f %.4f %.4f\n", n, w[2], w[3], w[4] }' |
        same "$T/expected" -
    trjinfo "$T/bala.inpcrd" | has '^cell_lengths	31.979 35.845 36.197$'
}

@test "XYZ with CELL and no unit: a note states the unit, and positions with impossible bonds are rejected" {
    # ipi UNIT [UNITS]: writes water in Angstrom, divided by UNIT, with UNITS in the comment
    ipi() {
        awk -v u="$1" -v units="$2" 'BEGIN {
            print "6\n# CELL(abcABC): " 10 / u, 10 / u, 10 / u, "90 90 90 Step: 3 Bead: 0 " units
            for (k = 0; k < 2; k++)
                printf "O %.6f 1 1\nH %.6f 1 1\nH %.6f %.6f 1\n", 3 * k / u, (3 * k + 0.96) / u, (3 * k - 0.24) / u,
                    1 + 0.93 / u }'
    }
    ipi 0.529177210903 >"$T/bohr.xyz"
    trjcat "$T/bohr.xyz" 2>"$T/err" | trjdump | has 'unit 0.529177 periodic 7 cell 10.0000'
    grep -q 'bohr.xyz: note: the comment with CELL has no unit of the positions: they are assumed to be in bohr (0.529177 Angstrom)' \
        "$T/err"
    ipi 1 >"$T/angstrom.xyz"
    fails_cleanly 3 \
        "angstrom.xyz: frame 0: the comment with CELL has no unit of the positions, and in bohr, as i-PI writes, atoms are 0.508 Angstrom apart" \
        trjcat "$T/angstrom.xyz"
    # The remedy of the message works.
    sed '/CELL(/s/$/ positions{angstrom} cell{angstrom}/' "$T/angstrom.xyz" >"$T/units.xyz"
    trjcat "$T/units.xyz" 2>"$T/err" | trjdump | has 'unit 1 .*cell 10 0 0 0 10 0 0 0 10$'
    [[ ! -s $T/err ]]
    ipi 1 'positions{angstrom}' >"$T/cell.xyz"
    trjcat "$T/cell.xyz" 2>&1 >"$T/out" |
        has 'note: the comment with CELL has no unit of the cell: it is assumed to be in bohr'
    trjcat -c 10,10,10 "$T/cell.xyz" 2>"$T/err" >"$T/out"
    [[ ! -s $T/err ]]
    printf '1\n# CELL: 10 10 10\nO 0 0 0\n' >"$T/other.xyz"
    trjcat "$T/other.xyz" 2>&1 >"$T/out" |
        has 'note: the comment names a cell or lattice in an unknown form, which is not read; give the cell with trjcat --cell'
    trjinfo "$T/bohr.xyz" | has '^note	the comment with CELL has no unit'
}

@test "LAMMPS dumps in units lj, or without units: a note states the unit that is assumed" {
    dump() { printf \
        '%sITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 10\n0 10\n0 10\nITEM: ATOMS id type x y z\n1 1 1 2 3\n' \
        "$1"; }
    dump $'ITEM: UNITS\nlj\n' >"$T/lj.dump"
    dump $'ITEM: UNITS\nreal\n' >"$T/real.dump"
    dump '' >"$T/none.dump"
    trjcat "$T/lj.dump" 2>&1 >"$T/out" |
        has 'lj.dump: note: units lj have no unit of length: its numbers are assumed to be in Angstrom$'
    trjcat "$T/none.dump" 2>&1 >"$T/out" |
        has 'none.dump: note: the dump does not name its units: lengths are assumed to be in Angstrom'
    trjcat "$T/real.dump" 2>"$T/err" >"$T/out"
    [[ ! -s $T/err ]]
    trjcat -c 10,10,10 "$T/lj.dump" 2>"$T/err" >"$T/out" # as for GSD
    [[ ! -s $T/err ]]
    trjinfo "$T/lj.dump" | has '^note	units lj'
}

# coordinates FILE [OPTION...]: the lines of atoms of the first frame, as extended XYZ
coordinates() {
    trjcat "${@:2}" --to xyz "$1" | tail -n +3
}

# shellcheck disable=SC2059 # formats
@test "last line without a newline: names, types and numbers in its last column are read, and a short number is rejected" {
    local head='ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\n'
    head+='ITEM: ATOMS id x y z '
    local xyz='2\nLattice="9 0 0 0 9 0 0 0 9" Properties=pos:R:3:'
    printf "$head"'element\n1 1 1 1 O\n2 2 1 1 Cl' >"$T/dump"
    printf "$xyz"'species:S:1\n1 1 1 O\n2 1 1 Cl' >"$T/xyz"
    printf '%s\n' 'x' '' '2 atoms' '1 bonds' '1 atom types' '1 bond types' '0 9 xlo xhi' '0 9 ylo yhi' '0 9 zlo zhi' '' \
        'Masses' '' '1 16.0' '' 'Atoms # molecular' '' '1 1 1 0 0 0' '2 1 1 1 0 0' '' 'Bonds' '' >"$T/data"
    printf '1 1 1 2' >>"$T/data"
    for file in dump xyz; do
        trjcat -g 'Cl=element Cl' "$T/$file" --to trjf 2>"$T/err" | trjinfo - | has '^groups.*Cl, atoms 1,'
        grep -q "$file: note: ends without a newline: it may be truncated, and its last word incomplete" "$T/err"
    done
    [[ $(fact bonds "$T/data") == 1 ]]
    [[ $(fact topology_note "$T/data") == 'ends without a newline: it may be truncated, and its last word incomplete' ]]
    printf "$head"'q\n1 1 1 1 -0.50\n2 2 1 1 0.50' >"$T/charges"
    [[ $(fact charge "$T/charges") == 0 && -z $(fact topology_note "$T/charges") ]]
    printf "$head"'q\n1 1 1 1 -0.50\n2 2 1 1 0.5' >"$T/short"
    fails 3 'short: line 11: *its last number is short' trjinfo "$T/short"
}

# shellcheck disable=SC2059 # formats
@test "PDB with blank residue numbers or names: read; elements are those of its columns, and residues are unknown" {
    local atom='ATOM  %5d %-4s %3s  %4s    %8.3f%8.3f%8.3f  1.00  0.00          %2s\n' i
    for i in 1 2 3; do printf "$atom" "$i" '' '' '' "$i" 0 0 "$( ((i == 1)) && echo O || echo H)"; done >"$T/blank.pdb"
    echo END >>"$T/blank.pdb"
    [[ $(fact elements "$T/blank.pdb") == 'H 2, O 1' && $(fact check "$T/blank.pdb") == ok ]]
    [[ -z $(fact residues "$T/blank.pdb") && -z $(fact topology_note "$T/blank.pdb") ]]
    trjcat --by element "$T/blank.pdb" | trjinfo - | has '^groups.*H, atoms 2,'
    fails 2 'blank.pdb' trjcat -g 'A=resid 0' "$T/blank.pdb"
    { printf "$atom" 1 ' O' SOL 7 1 0 0 O; printf "$atom" 2 ' H' MOL '' 2 0 0 H; echo END; } >"$T/some.pdb"
    [[ $(fact topology_note "$T/some.pdb") == 'some atoms have no residue number, which is read as 0' ]]
    trjcat -g 'A=resid 0' "$T/some.pdb" 2>&1 >/dev/null | has 'some.pdb: note: some atoms have no residue number'
}

# shellcheck disable=SC2059 # formats
@test "PDB whose last line lacks blanks or only a charge: read; one that lacks coordinates or an element is rejected" {
    local atom='ATOM  %5d  %-2s  SOL  %4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s%s'
    printf "$atom\n" 1 O 1 1 0 0 O '  ' >"$T/head"
    for end in '' ' ' '  '; do
        { cat "$T/head"; printf "$atom" 2 O 2 2 0 0 O "$end"; } >"$T/a.pdb"
        coordinates "$T/a.pdb" | cut -c1-7 | diff - <(printf 'O 1 0 0\nO 2 0 0\n')
    done
    { printf "$atom\n" 1 Na 1 1 0 0 NA 1+; printf "$atom" 2 O 2 2 0 0 O ''; } >"$T/a.pdb"
    [[ $(fact check "$T/a.pdb") == ok ]]
    { cat "$T/head"; printf "$atom" 2 O 2 2 0 0 O '' | head -c 77; } >"$T/a.pdb"
    fails 3 'a.pdb: frame 0: *the file ends within this line' trjcat -P none "$T/a.pdb" --to xyz
}

@test "LAMMPS data: suffixes of styles are known, and a missing style is found from all lines" {
    local style
    printf '4\n\nX 0 0 0\nX 1 0 0\nX 2 0 0\nX 3 0 0\n' >"$T/a.xyz"
    data() { # data STYLE LINE...
        local style=$1
        shift
        printf '%s\n' x '' "$# atoms" '3 atom types' '0 9 xlo xhi' '0 9 ylo yhi' '0 9 zlo zhi' '' "Atoms$style" '' "$@"
    }
    for style in full/kk full/omp full/kk/host; do
        data " # $style" '1 1 1 -1 0 0 0' '2 1 2 1 1 0 0' >"$T/a.data"
        [[ $(fact columns "$T/a.data") == 'name type resid charge' && $(fact charge "$T/a.data") == 0 ]]
    done
    # id molecule type x y z, or id type charge x y z: there are 3 types, so that line 3 decides.
    data '' '1 1 1 0 0 0' '2 2 1 1 0 0' '3 4 2 2 0 0' '4 3 3 3 0 0' >"$T/a.data"
    [[ $(fact columns "$T/a.data") == 'name type resid' && $(fact residues "$T/a.data") == 4 ]]
    trjcat -t "$T/a.data" -g 'A=resid 4 and type 2' -g 'B=resid 3 and type 3' "$T/a.xyz" | trjinfo - >"$T/out"
    grep -q '^groups.*A, atoms 1,' "$T/out" && grep -q '^groups.*B, atoms 1,' "$T/out"
    data '' '1 1 1 0 0 0' '2 2 1 1 0 0' >"$T/a.data"
    fails 3 'a.data: line 12: Atoms: the file names no known atom style, and its 2 lines fit charge, bond, angle' \
        trjinfo "$T/a.data"
    data '' '1 1 1 0 0 0' '2 2 1 1 0' >"$T/a.data"
    fails 3 'a.data: line 12: Atoms: *its 5 columns fit, unlike those before, none of charge, bond' trjinfo "$T/a.data"
}

@test "NetCDF whose header gives 0 records: the records in the file are read, also from a pipe" {
    need_shared
    [[ -f $SHARED/cases/05-header-zero-frames.nc ]] || skip 'no folder shared/cases'
    [[ $(fact frames "$SHARED/cases/05-header-zero-frames.nc") == 2 ]]
    trjcat - < <(cat "$SHARED/cases/05-header-zero-frames.nc") | trjinfo - | has -x 'frames	2'
}

@test "extended XYZ: Lattice, Properties and pbc in any case, vectors in brackets, and one value of pbc" {
    printf '1\nlattice="9 0 0 1 8 0 2 3 7" properties=species:S:1:m:R:1:pos:R:3 PBC="T T F"\nO 5 1 2 3\n' >"$T/a.xyz"
    trjcat --to xyz "$T/a.xyz" >"$T/out"
    grep -q 'Lattice="9 0 0 1 8 0 2 3 7".*pbc="T T F"' "$T/out" && grep -qx 'O 1 2 3' "$T/out"
    printf '1\nLattice=[[9, 0, 0], [1, 8, 0], [2, 3, 7]] Properties=species:S:1:pos:R:3 pbc=%s\nO 1 2 3\n' T >"$T/b.xyz"
    trjcat --to xyz "$T/b.xyz" | has 'Lattice="9 0 0 1 8 0 2 3 7".*pbc="T T T"'
    sed 's/pbc=T/pbc=F/' "$T/b.xyz" >"$T/c.xyz"
    trjcat --to xyz "$T/c.xyz" | has 'pbc="F F F"'
    printf '1\ncell="9 0 0 0 9 0 0 0 9"\nO 1 2 3\n' >"$T/d.xyz"
    trjcat "$T/d.xyz" 2>&1 >/dev/null | has 'd.xyz: note: the comment names a cell or lattice in an unknown form'
}

@test "PQR whose serial numbers touch HETATM: read" {
    printf 'ATOM 1 N ALA 1 0 0 0 0.5 1.5\nHETATM10571 NA NA 2 1.5 0 0 1.0 1.7\n' >"$T/a.pqr"
    [[ $(fact atoms "$T/a.pqr") == 2 && $(fact charge "$T/a.pqr") == 1.5 ]]
    coordinates "$T/a.pqr" | diff - <(printf 'N 0 0 0\nNa 1.5 0 0\n')
}

@test "invalid cell: no error if --cell replaces it or -P none removes it, in text and binary formats" {
    need_shared
    printf '%s\n' x 1 '    1SOL     OW    1   1.000   2.000   3.000' ' 1e400 1e400 1e400' >"$T/a.gro"
    printf '%s\n' 'CRYST1   10.000   10.000   10.000  90.00 200.00  90.00 P 1           1' \
        'ATOM      1  OW  SOL     1      10.000  20.000  30.000  1.00  0.00           O' END >"$T/a.pdb"
    for file in a.gro a.pdb; do
        fails 3 "$file: frame 0: " trjcat "$T/$file" --to xyz
        coordinates "$T/$file" -P none | diff - <(printf 'O 10 20 30\n')
        trjcat -c 50,50,50 "$T/$file" --to xyz | has 'Lattice="50 0 0 0 50 0 0 0 50"'
    done
}

@test "LAMMPS dumps with an invalid box: read if --cell or -P none replaces it, unless coordinates are its fractions" {
    # dump BOUNDS COLUMN: the first bounds, and the name of the first column of coordinates
    dump() {
        local y=${2/x/y} z=${2/x/z}
        printf '%s\n' 'ITEM: TIMESTEP' 0 'ITEM: NUMBER OF ATOMS' 1 'ITEM: BOX BOUNDS pp pp pp' "$1" '0 9' '0 9' \
            "ITEM: ATOMS id $2 $y $z" '1 0.5 2 3'
    }
    local bounds
    for bounds in '5 5' '9 0' 'nan nan' '-inf inf' '1e999 2' '0'; do
        dump "$bounds" x >"$T/a.lammpstrj"
        fails 3 'a.lammpstrj: frame 0: line 6: ' trjcat "$T/a.lammpstrj"
        coordinates "$T/a.lammpstrj" -P none 2>/dev/null | diff - <(printf 'X 0.5 2 3\n')
        trjcat -c 50,50,50 "$T/a.lammpstrj" --to xyz 2>/dev/null | has 'Lattice="50 0 0 0 50 0 0 0 50"'
        dump "$bounds" xs >"$T/s.lammpstrj"
        fails 3 'line 9: the coordinates xs ys zs are fractions of the box, which is invalid: line 6: ' \
            trjcat -c 50,50,50 "$T/s.lammpstrj"
    done
    dump '5 5' x | sed '7,8d' >"$T/a.lammpstrj" # bounds are missing
    fails 3 'a.lammpstrj: frame 0: ' trjcat -c 50,50,50 "$T/a.lammpstrj"
}

@test "trjinfo: a cell that trjcat rejects fails the check" {
    printf '%s\n' x 1 '    1SOL     OW    1   1.000   2.000   3.000' ' 1 1 0' >"$T/a.gro"
    fails 3 'a.gro: frame 0: cell vector c is zero; give the cell with trjcat --cell' trjinfo --check "$T/a.gro"
    [[ $(fact check "$T/a.gro" 2>/dev/null) == failed ]]
}

@test "trjcat --whole: a PSF that states 0 bonds has molecules of one atom" {
    printf '%s\n' 'PSF' '' '       1 !NTITLE' ' x' '' '       2 !NATOM' \
        '       1 A    1    AR   AR   AR     0.000000       39.9480           0' \
        '       2 A    2    AR   AR   AR     0.000000       39.9480           0' '' \
        '       0 !NBOND: bonds' '' >"$T/ar.psf"
    printf '2\nLattice="9 0 0 0 9 0 0 0 9"\nAr 1 2 3\nAr 8 8 8\n' >"$T/ar.xyz"
    trjcat --whole -t "$T/ar.psf" "$T/ar.xyz" --to xyz | tail -n 2 | diff - <(printf 'Ar 1 2 3\nAr 8 8 8\n')
    trjcat -t "$T/ar.psf" -g A=all "$T/ar.xyz" | trjcat --whole - --to trjf | trjinfo - | has '^bonds	0'
    sed '/NBOND/d' "$T/ar.psf" >"$T/no.psf"
    fails 2 '--whole: the bonds are unknown' trjcat --whole -t "$T/no.psf" "$T/ar.xyz"
}

@test "trjcat --carry element: a stream contains elements without groups; a topology without elements is an error" {
    printf '3\nLattice="9 0 0 0 9 0 0 0 9"\nO 1 1 1\nH 2 1 1\nH 1 2 1\n' >"$T/w.xyz"
    trjcat "$T/w.xyz" -o "$T/w.trjf"
    fails 3 '--weight Z: the element of atom 0 is unknown; add trjcat --carry element' densmap -g 1 -w Z "$T/w.trjf"
    trjcat --carry element "$T/w.xyz" | densmap -g 1 -w Z | mapinfo - | awk '$1 == "integral" { exit $2 != 10 }'
    sed 's/^[OH]/1/' "$T/w.xyz" >"$T/types.xyz"
    fails 2 '--carry element: the XYZ file * does not contain it' trjcat --carry element "$T/types.xyz"
    fails 2 '--carry: element occurs twice' trjcat --carry element,element "$T/w.xyz"
}
