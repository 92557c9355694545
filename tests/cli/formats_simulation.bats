#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of DL_POLY, Tinker and others: the values of shared/data-formats, which were computed independently of this
# code, and dialects and errors one by one.
load helper

FORMATS=$SHARED/data-formats

need_formats() {
    [[ -d $FORMATS ]] || skip 'no folder shared/data-formats beside the checkout'
}

# All formats but those of formats_crystals.bats. ASE and Maestro are not read, and rejected with the conversion.
KINDS=(ase-traj charmm-crd cp2k-xyz dlpoly-{config,history} gromos-g96 lammps-image maestro openmm-state pdbqt tinker)

@test "real files: every line of decode.tsv and atoms.tsv is reproduced, or its file rejected with the reason" {
    need_formats
    run_python tests/helpers/check_formats.py decode "$FORMATS" "${KINDS[@]}" | has '^192 lines of 82 files$'
    run_python tests/helpers/check_formats.py atoms "$FORMATS" "${KINDS[@]}" | has '^80 lines of 80 files$'
}

@test "DL_POLY: a truncated HISTORY, and a CONFIG of another level, are rejected with the line" {
    need_formats
    fails 3 'frame 2: line 2172: the file ends after this line, after 107 of 216 atoms; 2 complete frames precede it' \
        trjcat "$FORMATS/dlpoly-history/made_HISTORY_truncated"
    fails 3 "line 8: atom 0: 'wcap               2' is not three numbers: its velocity (the header has level 1 or 2)" \
        trjcat "$FORMATS/dlpoly-config/bad_CONFIG_lev2"
}

@test "DL_POLY: imcon 4, 5 and 7 give the lattice of the solid, with half the volume of the box; another box is rejected" {
    need_formats
    trjinfo "$FORMATS/dlpoly-config/made_CONFIG_imcon4" >"$T/info"
    has '^dialect	DL_POLY CONFIG, level 0, imcon 4: truncated octahedron$' "$T/info"
    has '^cell_angles	109.4712 109.4712 109.4712$' "$T/info"
    has '^cell_volume	2110.448$' "$T/info" # 16.161^3 / 2
    trjinfo "$FORMATS/dlpoly-config/made_CONFIG_imcon5" >"$T/info"
    has '^cell_angles	60 60 90$' "$T/info"
    has '^cell_volume	2984.625$' "$T/info" # 16.161^2 22.855106 / 2
    fails 3 'line 5: imcon 7: the cell is a hexagonal prism, but its box is not sqrt(3) b, b, c along x, y and z' \
        trjcat "$FORMATS/dlpoly-config/made_CONFIG_imcon7"
    printf '%s\n' prism ' 0 7' '17.320508 0 0' '0 10 0' '0 0 20' Ar '0 0 0' Ar '1 1 1' >"$T/CONFIG"
    trjinfo "$T/CONFIG" >"$T/info"
    has '^cell_lengths	10 10 20$' "$T/info"
    has '^cell_angles	90 90 60$' "$T/info"
    has '^cell_volume	1732.051$' "$T/info"
}

@test "DL_POLY: velocities, masses and charges; step and time of Classic" {
    need_formats
    trjcat --carry velocity,mass,charge -g 'K=name K+' "$FORMATS/dlpoly-history/HISTORY_v4_lev2" >"$T/a.trjf"
    trjinfo "$T/a.trjf" | has '^frame_data	velocity, unit A/ps, origin DL_POLY, A/ps$'
    trjcat -g 'Cl=name Cl-' -g 'K=mass > 39 and charge > 0.9' -o "$T/b.trjf" \
        "$FORMATS/dlpoly-history/HISTORY_v4_lev2"
    trjinfo "$T/b.trjf" >"$T/info"
    [[ $(grep -c '^groups	.*, atoms 108,' "$T/info") == 2 ]]
    fails 2 '--carry velocity: the file has none, because its level is 0' \
        trjcat --carry velocity "$FORMATS/dlpoly-history/HISTORY_classic"
    trjcat "$FORMATS/dlpoly-history/HISTORY_classic" 2>"$T/err" | trjdump | has '^frame 1 .* step 2001 time 1.000'
    has 'note: all atoms of a frame have the same index: they are taken in the order of the lines' "$T/err"
    trjcat "$FORMATS/dlpoly-config/CONFIG_lev2_imcon3" | trjdump | has '^frame 0 .* step 2000 time 10 '
}

@test "DL_POLY: invalid files are rejected with the line; counts of 1e9 without memory for them" {
    history() {
        printf '%s\n' title '0 1 2' 'timestep 1 2 0 1 0.001' '10 0 0' '0 10 0' '0 0 10' 'A 1 1.0 0.0' '1.0 2.0 3.0' \
            'B 2 1.0 0.0' '2.0 2.0 3.0'
    }
    history >"$T/H"
    trjcat "$T/H" | trjinfo - | has '^frames	1$'
    local case
    while IFS=$'\t' read -r case text; do
        history | sed "$case" >"$T/bad"
        fails_cleanly 3 "$text" trjcat --format dlpoly "$T/bad"
    done <<'END'
2s/.*/3 1 2/	is not dlpoly
3s/2 0 1/2 0 8/	line 3: timestep: '8' is not imcon (0 to 7)
3s/ 0.001//	line 3: timestep has 4 numbers, expected at least 5
3s/1 2/x 2/	line 3: timestep: 'x' is not a step
3s/1 2 0/1 1000000000 0/	line 3: 1000000000 atoms are expected, but only
5s/.*/0 x 0/	line 5: a row of the cell: expected 3 numbers
9s/.*/1.0 1.0 1.0/	line 9: atom 1: '1.0' found, expected a name: with level 0 of the header
8s/.*/1.0 2.0/	line 8: atom 0: '1.0 2.0' is not three numbers: its position
8s/$/ 4.0/	line 8: atom 0: more than three numbers for its position
9s/2/1/2;9s/B 2/B 2/;9s/B 2/B x/	line 9: atom 1: 'x' is not an index
END
    { history; history | sed '1,2d; s/^B 2/B 7/'; } >"$T/bad"
    fails_cleanly 3 'frame 1: line 17: frame 0 has no atom with the index 7' trjcat "$T/bad"
    head -c -3 "$T/H" >"$T/bad"
    fails_cleanly 3 'line 10: ' trjcat "$T/bad"
    # All indices may be equal, but not only some of them.
    history | sed 's/^B 2/B 1/' >"$T/equal"
    [[ $(trjcat "$T/equal" --to xyz 2>/dev/null | tail -n 2) == $'A 1 2 3\nB 2 2 3' ]]
    history | sed '3s/2/3/; $a C 3 1.0 0.0\n3.0 3.0 3.0' >"$T/three"
    [[ $(trjcat "$T/three" --to xyz | tail -n 1) == 'C 3 3 3' ]]
    { cat "$T/three" && sed '1,2d; s/^B 2/B 1/; s/^C 3/C 2/' "$T/three"; } >"$T/bad"
    fails_cleanly 3 'frame 1: line 21: two atoms before this line have the index 1' trjcat "$T/bad"
    # If those of a later frame are equal, its lines are in the order of frame 0, which is known for one order only.
    { cat "$T/three" && sed '1,2d; s/^B 2/B 1/; s/^C 3/C 1/' "$T/three"; } >"$T/later"
    [[ $(trjcat "$T/later" --to xyz 2>/dev/null | tail -n 3) == $'A 1 2 3\nB 2 2 3\nC 3 3 3' ]]
    sed '7s/1/4/; 17,$s/ 1 1.0/ 4 1.0/' "$T/later" >"$T/bad"
    fails_cleanly 3 'frame 1: line 19: two atoms have the index 4' trjcat "$T/bad"
    sed '17,$s/ 1 1.0/ 3 1.0/' "$T/later" >"$T/bad"
    fails_cleanly 3 'frame 1: line 19: two atoms have the index 3' trjcat "$T/bad"
    sed '7s/1/4/; 9s/2/5/; 11s/3/1/' "$T/later" >"$T/bad" # frame 0 has 4, 5 and 1
    fails_cleanly 3 'frame 1: line 19: two atoms have the index 1' trjcat "$T/bad"
    { sed 's/^[BC] [23]/B 1/' "$T/three" && sed '1,2d' "$T/three"; } >"$T/bad"
    fails_cleanly 3 'frame 1: line 19: the index 2 after 1: in frame 0, all atoms have the same index' trjcat "$T/bad"
    sed 's/^B 2/B 1/' "$T/three" >"$T/bad"
    fails_cleanly 3 'frame 0: line 11: two atoms before this line have the index 1' trjcat "$T/bad"
    sed 's/^C 3/C 2/' "$T/three" >"$T/bad"
    fails_cleanly 3 'two atoms have the index 2' trjcat "$T/bad"
}

@test "Tinker: the key file gives the shape of the cell" {
    need_formats
    trjinfo "$FORMATS/tinker/waterdodec.xyz" >"$T/info"
    has '^dialect	Tinker, key file: rhombic dodecahedron$' "$T/info"
    has '^cell_angles	60 60 90$' "$T/info"
    cp "$FORMATS/tinker/waterdodec.xyz" "$T/a.xyz"
    trjcat -o "$T/a.trjf" "$T/a.xyz" 2>"$T/err"
    has 'note: the cell has the edges a, a, sqrt(2) a of the box around a rhombic dodecahedron, which only a key file' \
        "$T/err"
    cp "$FORMATS/tinker/arbox.xyz" "$T/b.xyz"
    printf 'a-axis 21.857\n\nOCTAHEDRON\n' >"$T/b.key"
    trjinfo "$T/b.xyz" >"$T/info"
    has '^dialect	Tinker, key file: truncated octahedron$' "$T/info"
    has '^cell_volume	5220.855$' "$T/info" # 21.857^3 / 2
    # Types and bonds of selections.
    trjcat -g 'O=(bonded to name SZ) and name OY and type 2' -o "$T/c.trjf" "$FORMATS/tinker/dmsobox.xyz"
    trjinfo "$T/c.trjf" | has '^groups	O, atoms 117,'
}

@test "Tinker: without a line for the cell, that of the key file; files beside compressed ones are found" {
    printf '%s\n' ' 1 t' ' 1 O 1.5 2.5 3.5 1' >"$T/k.xyz"
    trjinfo "$T/k.xyz" | has '^cell_periodic	none$'
    printf 'A-AXIS 20.0\nb-axis 25.0\nb-axis 26.0\ngamma 60\n' >"$T/k.key"
    gzip -k "$T/k.xyz"
    for file in k.xyz k.xyz.gz; do
        trjinfo "$T/$file" >"$T/info"
        has '^dialect	Tinker, key file: cell$' "$T/info"
        has '^cell_lengths	20 25 20$' "$T/info"
        has '^cell_angles	90 90 60$' "$T/info"
    done
    gzip "$T/k.key"
    trjinfo "$T/k.xyz.gz" | has '^cell_lengths	20 25 20$'
    # 0 means that the key file gives none.
    printf 'a-axis 0.0\na-axis 30\nalpha 0.0\n' >"$T/k.key"
    trjinfo "$T/k.xyz" >"$T/info"
    has '^cell_lengths	30 30 30$' "$T/info"
    has '^cell_angles	90 90 90$' "$T/info"
    printf 'a-axis 0.0\n' >"$T/k.key"
    trjinfo "$T/k.xyz" | has '^cell_periodic	none$'
    rm "$T/k.key"
    trjinfo "$T/k.xyz" | has '^cell_periodic	none$'
    printf '%s\n' '1 t' '9.0 9.0 9.0 90.0 90.0 90.0' '1 O 1.5 2.5 3.5 1' >"$T/k.xyz"
    printf 'a-axis 20.0\noctahedron\n' >"$T/k.key"
    trjinfo "$T/k.xyz" | has '^cell_volume	364.5$'
    printf 'a-axis none\n' >"$T/k.key"
    trjinfo "$T/k.xyz" | has '^cell_volume	729$'
    sed -i 2d "$T/k.xyz"
    fails_cleanly 3 "the key file: line 1: a-axis: 'none' is not a positive number; correct the key file, or give" \
        trjcat "$T/k.xyz"
    fails_cleanly 3 "k.xyz: *: line 1: 't' after the number of atoms; leave --format out, or create the file again" \
        trjcat --format xyz "$T/k.xyz"
    trjcat -c 5,5,5 "$T/k.xyz" | trjinfo - | has '^cell_volume	125$'
    printf 'a-axis 2.0D1, 30\n' >"$T/k.key"
    trjinfo "$T/k.xyz" | has '^cell_volume	8000$'
}

@test "Tinker: invalid files are rejected with the line; types as names of XYZ are not taken for Tinker" {
    arc() {
        printf '%s\n' '2 two' '10.0 10.0 10.0 90.0 90.0 90.0' '1 O 0.0 0.0 0.0 1 2' '2 H 1.0 0.0 0.0 2 1'
    }
    arc >"$T/a.arc"
    trjinfo "$T/a.arc" | has '^bonds	1$'
    local case text
    while IFS=$'\t' read -r case text; do
        arc | sed "$case" >"$T/bad.arc"
        fails_cleanly 3 "$text" trjcat "$T/bad.arc"
    done <<'END'
1s/2/1000000000/	line 1: 1000000000 atoms are expected, but only
2s/90.0$/190.0/	line 2: the angles of the cell are not between 0 and 180 degrees
4s/1.0/x/	line 4: atom 1: 'x' in column 3 is not a number
4d	line 3: the file ends after this line, after 1 of 2 atoms
4s/ 2 1$//	line 4: atom 1: 5 columns, expected 6 or more
END
    arc | sed '4s/ 1$/ 3/' >"$T/bad.arc"
    fails 3 "line 4: atom 1: '3' is not the number of another atom" trjinfo --names "$T/bad.arc"
    { arc; arc | sed '4s/H/C/'; } >"$T/bad.arc"
    fails 3 'the name is C, and H in the first frame' trjcat -P none -g 'A=name H' "$T/bad.arc"
}

@test "OpenMM State: positions, box, time and velocities; a file of forces alone, and a default box" {
    need_formats
    trjcat --carry velocity "$FORMATS/openmm-state/checkpoint_state.xml" >"$T/a.trjf"
    trjinfo "$T/a.trjf" >"$T/info"
    has '^frame_data	velocity, unit A/ps, origin State of OpenMM' "$T/info"
    has '^step_first	100000$' "$T/info"
    has '^time_first	200$' "$T/info"
    fails_cleanly 3 'the State contains no positions; write it with getState(getPositions=True)' \
        trjcat "$FORMATS/openmm-state/forces_only.xml"
    state() {
        printf '%s\n' '<?xml version="1.0" ?>' '<State time="1" type="State" version="1">' ' <PeriodicBoxVectors>' \
            '  <A x="2" y="0" z="0"/>' '  <B x="0" y="2" z="0"/>' '  <C x="0" y="0" z="2"/>' ' </PeriodicBoxVectors>' \
            ' <Positions>' '  <Position x=".5" y="-1e-05" z="1"/>' '  <Position x="1" y="1" z="1"/>' ' </Positions>' \
            '</State>'
    }
    state >"$T/s.xml"
    trjcat "$T/s.xml" 2>"$T/err" | trjdump | has '^3f000000 b727c5ac 3f800000$'
    has 'note: the box is a cube of 2 nm, which OpenMM writes for systems without a box' "$T/err"
    fails 2 '--carry velocity: the State has none' trjcat --carry velocity "$T/s.xml"
    state | sed '7a <Velocities>\n</Velocities>' >"$T/v.xml"
    printf '%s\n' VELOCITYRED '1 2 3' END POSITIONRED '1 2 3' END >"$T/v.g96"
    fails_cleanly 3 'line 1: VELOCITY before POSITION, which is not supported; leave velocity out of --carry' \
        trjcat --carry velocity "$T/v.g96"
    fails_cleanly 3 'line 8: the State lists velocities before positions, which is not supported' \
        trjcat --carry velocity "$T/v.xml"
    local case text
    while IFS=$'\t' read -r case text; do
        state | sed "$case" >"$T/bad.xml"
        fails_cleanly 3 "$text" trjcat "$T/bad.xml"
    done <<'END'
5s/B x/D x/	line 5: expected <B x="" y="" z=""/>
9s/y=/q=/	line 9: atom 0: expected <Position x="" y="" z=""/>
10s/"1"/"one"/	line 10: atom 1: expected <Position x="" y="" z=""/>
12d	line 11: the file ends after this line, before </State>
END
}

@test "PDBQT: models, and charges and types of AutoDock in place of segment and element" {
    need_formats
    trjinfo "$FORMATS/pdbqt/receptor.pdbqt" >"$T/info"
    has '^columns	name type resname resid chain element charge$' "$T/info"
    has '^elements	C 961, H 309, N 264, O 271$' "$T/info"
    has '^charge	-6.93$' "$T/info"
    sed '3s/-*[0-9.]* HD$/      HD/' "$FORMATS/pdbqt/receptor.pdbqt" >"$T/bad.pdbqt"
    fails 3 'line 3: atom 3: no charge in columns 71-76 and type in 78-79, which the first atom has' \
        trjinfo --names "$T/bad.pdbqt"
}

@test "XYZ of CP2K: steps and times, and a note about velocities" {
    need_formats
    trjcat "$FORMATS/cp2k-xyz/water-pos-1.xyz" | trjdump | has '^frame 5 .* step 5 time 0.0005'
    trjcat -o "$T/v.trjf" "$FORMATS/cp2k-xyz/restart-vel-1.xyz" 2>"$T/err"
    has 'note: by its name, CP2K has written velocities into this file' "$T/err"
}

@test "CARD: frames in extended columns with other names are reported; normal and extended ones are rejected" {
    # card FORMAT NUMBER NAME: a file of one atom
    card() {
        # shellcheck disable=SC2059 # the format has the columns
        printf "* t\n*\n$2\n$1" 1 1 LONG "$3" 1 2 3 SEG 52 0
    }
    local normal='%5d%5d %-4s %-4s%10.5f%10.5f%10.5f %-4s %-4s%10.5f\n'
    local extended='%10d%10d  %-8s  %-8s%20.10f%20.10f%20.10f  %-8s  %-8s%20.10f\n'
    { card "$extended" '1 EXT' CA && card "$extended" '1 EXT' CB; } >"$T/a.crd"
    trjinfo "$T/a.crd" | has '^names_differ_at	frame 1: atom 0: the name is CB, and CA in the first frame$'
    { card "$normal" 1 CA && card "$extended" '1 EXT' CA; } >"$T/b.crd"
    fails_cleanly 3 'frame 1: line 7: normal and extended columns in one file; give trjcat the joined files as' \
        trjcat --format card "$T/b.crd"
    { card "$extended" '1 EXT' CA && card "$normal" 1 CA; } >"$T/c.crd"
    fails_cleanly 3 'frame 1: line 7: normal and extended columns in one file' trjcat --format card "$T/c.crd"
}

@test "CP2K: a .cell file beside the positions gives the cell of each step" {
    printf '1\n i =        %d, time =        %d.000, E =      -1.5\n H 0.1 0.2 0.3\n' 0 0 2 2 4 4 >"$T/w-pos-1.xyz"
    trjinfo "$T/w-pos-1.xyz" | has '^cell_periodic	none$'
    printf '#   Step   Time [fs]       Ax\n' >"$T/w-1.cell"
    printf '%d %d.000 1%d 0 0 0 10 0 0 0 20 2000.0\n' 0 0 0 1 1 1 2 2 2 3 3 3 4 4 4 >>"$T/w-1.cell"
    trjcat "$T/w-pos-1.xyz" | trjdump |
        sed -n 's/^frame .* step \([0-9]*\) .* periodic \([0-9]\) cell \([0-9]*\) .*/\1 \2 \3/p' >"$T/got"
    same "$T/got" - <<<'0 7 10
2 7 12
4 7 14'
    trjinfo "$T/w-pos-1.xyz" | has '^dialect	XYZ of CP2K, with cells of a .cell file$'
    cp "$T/w-pos-1.xyz" "$T/a-pos-w-pos-1.xyz" # a project with the name a-pos-w
    cp "$T/w-1.cell" "$T/a-pos-w-1.cell"
    trjinfo "$T/a-pos-w-pos-1.xyz" | has '^dialect	XYZ of CP2K, with cells of a .cell file$'
    gzip -k "$T/w-pos-1.xyz"
    trjinfo "$T/w-pos-1.xyz.gz" | has '^dialect	XYZ of CP2K, with cells of a .cell file$'
    sed -i '$d' "$T/w-1.cell"
    fails_cleanly 3 'w-1.cell: contains no cell of step 4; write cells and positions at the same steps' \
        trjcat "$T/w-pos-1.xyz"
    trjcat -c 5,5,5 "$T/w-pos-1.xyz" | trjinfo - | has '^frames	3$'
    echo '0 x' >"$T/w-1.cell"
    fails_cleanly 3 'w-1.cell: line 1: expected step, time, nine numbers of the cell and its volume' \
        trjcat "$T/w-pos-1.xyz"
}

need_hdf5() {
    trjcat --formats | has '^mdtraj' || skip 'built without HDF5'
}

@test "HDF5 of MDTraj: frames, names, bonds and velocities, from files and pipes, also as topology" {
    need_hdf5
    local plain=tests/fuzz/corpus/mdtraj/plain
    trjinfo -c "$plain" >"$T/info"
    for line in 'dialect	HDF5 of MDTraj' 'time_last	2.5' 'cell_lengths	20 25 30' 'cell_angles	90 90 60' 'residues	3' \
        'segments	2' 'chains	2' 'bonds	4' 'elements	H 4, O 3' 'elements_unknown	2' 'check	ok'; do
        grep -qx "$line" "$T/info" || { echo "no $line"; cat "$T/info"; return 1; }
    done
    gzip -c "$plain" >"$T/h5.gz"
    trjcat --carry velocity -g 'W=segid W1 and name O' "$T/h5.gz" | trjdump >"$T/dump"
    has '^frame 1 .* time 2.5 unit 10 ' "$T/dump"
    need_formats
    run_python tests/helpers/check_formats.py decode "$FORMATS" mdtraj-h5 | has '^11 lines of 1 files$'
    run_python tests/helpers/check_formats.py atoms "$FORMATS" mdtraj-h5 | has '^1 lines of 1 files$'
    # As a topology, it selects the atoms of the XTC from which it was made.
    local file=$FORMATS/mdtraj-h5/made_octahedron.h5
    trjcat -t "$file" -g 'A=name BB and resname ARG' "$DATA/multi/octahedron_trajectory.xtc" | trjinfo - |
        has '^groups	A, atoms 5, '
}

@test "HDF5 of MDTraj: damaged and truncated files are rejected, one without a topology is read" {
    need_hdf5
    local plain=tests/fuzz/corpus/mdtraj/plain topology=tests/fuzz/corpus/topology-mdtraj/plain
    head -c 9000 "$plain" >"$T/bad"
    fails_cleanly 3 'bad: the file cannot be read: HDF5 reports' trjcat "$T/bad"
    head -c 2200 "$topology" >"$T/bad"
    fails 3 'bad: byte 5928: truncated: a block of HDF5 is beyond the end of the file' trjinfo --names "$T/bad"
    local case text
    while IFS=$'\t' read -r case text; do
        LC_ALL=C sed "$case" "$topology" >"$T/bad"
        fails 3 "bad: $text" trjinfo --names "$T/bad"
    done <<'END'
s/"chains"/"chains /	its topology is no complete JSON object
s/"chains"/"chain_"/	its topology has no atoms
s/"index": 1, "name": "H1"/"index": 7, "name": "H1"/	its topology: byte *: the index of an atom is not its number in the list
s/\[0, 1\]/[0, 9]/	its topology: byte *: a bond of an atom that does not exist
s/\[0, 1\]/[0   ]/	its topology: byte *: a bond of two atoms was expected
s/"bonds": \[\([][0-9, ]*\)\]/"bonds": "\1"/	its topology: byte *: a list was expected
s/SNOD/SNOX/	byte 1352: damaged, or written in a newer version of the HDF5 format: expected a table of symbols
s/TREE/TREX/	byte 136: damaged, or written in a newer version of the HDF5 format: expected a B-tree
END
    LC_ALL=C sed 's/topology/topologx/g' "$plain" >"$T/bare"
    trjinfo -c "$T/bare" | has '^check	ok$'
    fails 2 'contains no topology, which is optional in its format; give one with -t' trjcat -g 'A=name O' "$T/bare"
}

@test "HDF5 of MDTraj: times that were never written are errors; H5MD with its words as values is no such file" {
    need_hdf5
    need_python_module h5py
    run_python - "$T" <<'EOF'
import sys, os, h5py, numpy
folder = sys.argv[1] + '/'
def mdtraj(name):
    f = h5py.File(folder + name, 'w')
    f.attrs['conventions'] = numpy.bytes_('Pande')
    f['coordinates'] = numpy.ones((3, 2, 3), 'f4')
    return f
mdtraj('chunk').create_dataset('time', (3,), 'f4', chunks=(1,))[0] = 5
mdtraj('unallocated').create_dataset('time', (3,), 'f4')
mdtraj('external').create_dataset('time', (3,), 'f4', external=[('chunk', 0, 12)])
layout = h5py.VirtualLayout((3,), 'f4')
layout[:] = h5py.VirtualSource('missing', 'time', (3,))
mdtraj('virtual').create_virtual_dataset('time', layout)
mdtraj('scalar')['time'] = 1.0
mdtraj('whole')['time'] = numpy.array([1, 2, 4])
f = h5py.File(folder + 'h5md', 'w')
f.create_group('h5md/author').attrs['name'] = numpy.bytes_('V. Pande')
f.create_group('h5md/creator').attrs['name'] = numpy.bytes_('conventions')
f['h5md'].attrs['version'] = (1, 1)
g = f.create_group('particles/all')
g['position/value'] = numpy.arange(24.).reshape(2, 4, 3)
g['position/step'] = 10
g.create_group('box').attrs['boundary'] = ['none'] * 3
f.close()
EOF
    local text
    run trjinfo -c "$T"/{chunk,unallocated,external,virtual,scalar}
    [[ $status == 3 ]]
    for text in 'chunk: frame 1: times were never written' 'unallocated: has times that were never written' \
        'external: contains times in other files' 'virtual: contains times in other files' \
        'scalar: has times of 0 dimensions'; do
        [[ $output == *"$text"* ]] || { echo "no $text: $output"; return 1; }
    done
    trjinfo -c "$T/whole" "$T/h5md" >"$T/info"
    has '^time_last	4$' "$T/info"
    has '^format	h5md$' "$T/info"
}

@test "DL_POLY FIELD: molecules, repeated atoms, masses, charges and bonds; invalid files are rejected with the line" {
    local plain=tests/fuzz/corpus/topology-dl_poly-field/plain line case text
    trjinfo "$plain" >"$T/info"
    for line in 'format	DL_POLY FIELD' 'atoms	11' 'residues	3' 'bonds	4' 'elements	H 4, Na 3, O 2' 'mass	105.0002' \
        'charge	3' 'residue_name_counts	Water 2, Sodium ions 1'; do
        grep -qx "$line" "$T/info" || { echo "no $line"; cat "$T/info"; return 1; }
    done
    awk 'BEGIN { print "11\n"; for (i = 0; i < 11; i++) print "X", i, 0, 0 }' >"$T/a.xyz"
    # Atoms 4 and 5 are the first two of the second molecule; its hydrogens have the charge 0.41.
    trjcat -t "$plain" -g 'A=name OW and index 4 and (bonded name HW)' -g 'B=charge > 0.4 and charge < 0.5' "$T/a.xyz" |
        trjinfo - >"$T/info"
    has '^groups	A, atoms 1, ' "$T/info"
    has '^groups	B, atoms 4, ' "$T/info"
    fails 3 'plain: is a topology, which has no frames; give a trajectory, and this file with -t' trjcat "$plain"
    sed 's/^NUMMOLS 0/NUMMOLS 4294967296/' "$plain" >"$T/bad"
    fails 3 'line 29: 4294967296 molecules *more than 268435456 atoms' trjinfo --names "$T/bad"
    while IFS=$'\t' read -r case text; do
        sed "$case" "$plain" >"$T/bad"
        fails 3 "bad: $text" trjinfo --names "$T/bad"
    done <<'END'
s/^HW 1.008 0.41 2/HW 1.008 0.41 4/	line 9: 4 repetitions after 1 atoms exceed the 4 atoms of the directive ATOMS
s/^HW 1.008 0.41/HW/;s/^HW.*/HW/	line 9: atom 1 of the molecule: expected a name, a mass and a charge
s/^OW 15.9994/OW 1\/0/	line 8: atom 0 of the molecule: expected a name, a mass and a charge
s/^HW 1.008 0.41 2/HW 1.008 0.41 -1/	line 9: atom 1 of the molecule: '-1' is not a number of repetitions
s/^ATOMS 4/ATOMS 3/	line 10: 'MW' is no directive of a molecule: expected nummols, atoms, shell, bonds, *
s/^ATOMS 4/ATOMS 5/	line 13: 'harm' is no directive of a molecule
s/^ATOMS 3/ATOMS 4/	line 24: atom 3 of the molecule: expected a name, a mass and a charge
s/^BONDS 2/BONDS 1/	line 14: '-hrm' is no directive of a molecule: *; if it begins a record, correct the count
s/^BONDS 2/BNODS 2/	line 12: 'BNODS' is no directive of a molecule
s/^ANGLES 1/ANGLES 0/	line 18: 'harm' is no directive of a molecule
s/^ANGLES 1/ANGLES 2/	line 20: 'Sodium' is no directive of a molecule
s/TYPES 3/TYPES 2/	line 26: 'NUMMOLS' after the last of the 2 molecules that MOLECULES gives; correct that number
s/^1 3 1.0/1 5 1.0/	line 16: bond: '5': expected an atom number from 1 to 4
s/^1 3 1.0/1 1 1.0/	line 16: a bond of atom 1 with itself
s/^nummols 2/nummols 2\nNUMMOLS 3/	line 7: second directive NUMMOLS of a molecule
s/^nummols 2/nummols x/	line 6: nummols: 'x': expected a number of at least 0
/^nummols/d	line 18: the molecule 'Water' has no directive NUMMOLS
s/TYPES 3/TYPES 4/	line 31: 'OW' is no directive of a molecule
$d	line 31: the file ends after this line, before CLOSE
END
}

@test "DL_POLY FIELD: all directives of a molecule, and numbers and names as DL_POLY reads them" {
    local line
    cat >"$T/FIELD" <<'END'
all directives
UNITS kJ
# a comment
NEUTRAL GROUPS
MOLECULES 2 ! types
&water
NUMMOLS 2.0
ATOMS 4.0
OW -1.59994d1 -41/50 1 0 1
!H 1.008D+00
HW 1008/1000 8.2-1 2.0
SHELL number 1 1
1 2 100.0 0.0
CONSTRAINTS UNITS 1
1.0 2 1.0
BONDS UNITS 1
harm 1 3 100 1
PMF 2.5
PMF UNIT 1
1 1.0
pmf units 2
2 1.0

3 1.0
RIGID BODIES 2
3 1 2
3
2 1 4
TETH 1
harm 1 10.0
ANGLES UNITS 1
harm 2 1 3 400.0 109.47
DIHEDRALS = 1
cos 2 1 3 4 1 1 1
INVERSIONS
FINISH
Ar
NUMMOLS = 1
ATOMS number 1
Ar 39.95
FINISH
VDW 2
PMF 2 lj 1 1
Molecule 12 lj 1 1
RDF 1
Atoms 1
TERSOFF 1
Bonds ters 1 2
1 2
CLOSE
END
    trjinfo "$T/FIELD" >"$T/info"
    for line in 'atoms	9' 'bonds	4' 'mass	77.9968' 'charge	1.64' 'residue_name_counts	&water 2, Ar 1'; do
        grep -qx "$line" "$T/info" || { echo "no $line"; cat "$T/info"; return 1; }
    done
    sed 's/^2 1 4$/2 1 4\n2 3 4/' "$T/FIELD" >"$T/bad"
    fails 3 "bad: line 29: '2' is no directive of a molecule" trjinfo --names "$T/bad"
    sed 's/^2 1 4$/2 1/' "$T/FIELD" >"$T/bad"
    fails 3 "bad: line 29: rigid body: 1 atoms are missing before 'TETH 1'" trjinfo --names "$T/bad"
}
