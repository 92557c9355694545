#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Real text trajectories. tests/unit/test_text_formats.c tests dialects and errors one by one.
load helper

# Prints the bits of all coordinates, and cell, step and time of all frames.
bits() {
    trjdump | grep -v '^frame'
}

frames() {
    trjdump | grep '^frame' | sed 's/ of [^ ]* / /'
}

@test "--formats lists the readable formats, --format overrides the detected one" {
    trjcat --formats >"$T/formats"
    [[ $(cut -f 1 "$T/formats" | tr '\n' ' ') == \
        'trjf dcd '*'tinker xyz lammps dlpoly openmm g96 card gro pdb pqr mdcrd '* ]]
    [[ $(grep -cvP '^([^\t]+\t){10}[^\t]+$' "$T/formats") == 0 ]]
    trjinfo --formats | same "$T/formats" -
    fails 2 '--formats prints a table to standard output; leave out *' trjinfo --formats -o "$T/table"
    fails 2 '--formats prints a table to standard output; leave out *' trjinfo --formats --json
    fails 2 '--formats prints a table to standard output; leave out *' trjcat --formats "$T/formats"
    [[ ! -e $T/table ]]
    # Every format that is read or written has a line.
    echo unknown >"$T/unknown"
    trjcat "$T/unknown" 2>"$T/err" || true
    awk -F '\t' '$3 == "yes" { text = text (text ? ", " : "") $1 } END { print text }' "$T/formats" >"$T/names"
    has -F "not a known trajectory format ($(<"$T/names"))" "$T/err" || [[ ! $(<"$T/names") == *h5md* ]]
    trjcat -t "$T/unknown" "$T/unknown" 2>"$T/err" || true
    [[ $(grep -o ' give one of .*' "$T/err" | tr -cd , | wc -c) == $(($(cut -f 5 "$T/formats" | grep -c yes) - 1)) ]]
    [[ $(cut -f 4 "$T/formats" | grep -vx no | sort | tr '\n' ' ') == \
        $(trjcat --options | awk -F '\t' '$2 == "to" { print $6 }' | tr , '\n' | sort | tr '\n' ' ') ]]
    printf '1\n1\n   8 0.1 0.2 0.3\n' >"$T/both" # an XYZ of numbers, which is also the beginning of a GRO
    trjcat "$T/both" | trjdump | has '^frame 0 .* unit 1 '
    fails 3 'both: frame 0: line 3: *no coordinate in columns 21-28' trjcat --format gro "$T/both"
    fails 2 "--format: 'gto' is not a known format*--formats lists them" trjcat --format gto "$T/both"
    fails 3 'both: is not dcd; leave --format out' trjcat --format dcd "$T/both"
    fails 2 'no input file given' trjcat
    local got=0
    trjcat --formats >/dev/full 2>"$T/err" || got=$?
    [[ $got == 1 ]] && grep -q '^trjcat: stdout: ' "$T/err"
}

@test "text from a pipe, selected frames: the same as from the file" {
    need_shared
    local file
    for file in xyz/water.xyz xyz/traj.extxyz lammps/polymer.lammpstrj gro/lysozyme.gro pdb/spc5.pdb; do
        trjdump <"$DATA/$file" >"$T/whole"
        # shellcheck disable=SC2002 # it is to be a pipe
        cat "$DATA/$file" | trjdump | same "$T/whole" - || { echo "$file"; return 1; }
        trjcat -f 1 "$DATA/$file" | trjdump | grep -vE '^(atoms|group|provenance) ' | cut -d ' ' -f 1,2,5- >"$T/one"
        awk '/^frame/ { on = $2 == 1 } on' "$T/whole" | cut -d ' ' -f 1,2,5- >"$T/expected"
        [[ -s $T/one ]]
        same "$T/expected" "$T/one" || { echo "$file"; return 1; }
    done
}

@test "PDB: models and cells agree with MDAnalysis" {
    need_shared
    local file rc
    for file in pdb/spc5.pdb pdb/cryst_then_model.pdb pdb/model_then_cryst.pdb pdb/short-cryst1.pdb; do
        rc=0
        /usr/bin/python3 -W ignore tests/helpers/to_dcd.py "$DATA/$file" "$T/dcd" 2>"$T/notes" || rc=$?
        ((rc != 77 && rc != 127)) || skip 'no MDAnalysis for /usr/bin/python3'
        bits <"$T/dcd" >"$T/expected"
        bits <"$DATA/$file" | same "$T/expected" - || { echo "$file"; return 1; }
        paste -d ' ' <(frames <"$T/dcd") <(frames <"$DATA/$file") |
            awk '{ for (i = 11; i < 20; i++) { # MDAnalysis has float32 cells
            n = NF / 2; d = $i - $(n + i); if (d > 1e-4 || -d > 1e-4) { print; bad = 1 } } }
            END { exit bad || !NR }' || { echo "$file"; return 1; }
    done
}

@test "PDB as trajectory and topology: atoms are selected by name" {
    need_shared
    trjcat -t "$DATA/pdb/spc5.pdb" -g 'O=name OW' "$DATA/pdb/spc5.pdb" | rdfhist -e cpu -b 10 -r 5 |
        rdfnorm >/dev/null 2>"$T/notes"
    trjcat -t "$DATA/pdb/spc5.pdb" -g 'O=name OW' "$DATA/pdb/spc5.pdb" | trjdump | has '^atoms 5 of 15$'
}

@test "periods and units of text formats: a dump of a slab has two periods, coordinates in bohr are converted" {
    need_shared
    trjcat -f 0 "$DATA/lammps/detect_best_pos_repr.lammpstrj" | trjdump |
        has '^frame 0 .* periodic 3 cell 60 0 0 0 60 0 0 0 250$'
    trjcat -f 0 "$DATA/xyz/traj.extxyz" | trjdump | has ' periodic 0 cell 14.34'
    trjcat -f 0 "$DATA/xyz/ipi_water216_npt.xyz" | trjdump |
        has '^frame 0 of .* step 0 time nan unit 0.529177 periodic 7 cell 18.6445'
}

@test "assumed cells and units: reported, unless the user gives them" {
    need_shared
    local file=$DATA/multi/octahedron_trajectory.lammpstrj
    trjcat "$file" 2>"$T/err" >"$T/out"
    [[ $(cat "$T/err") == "trjcat: $file: note: a cell is skewed by more than half a length: "* ]]
    trjcat -c 62,62,62,70.5,109.5,70.5 "$file" 2>"$T/err" >"$T/out"
    [[ ! -s $T/err ]]
    (cat "$DATA/lammps/albite_triclinic.dump" && echo) | trjcat - 2>"$T/err" >"$T/out" # written by LAMMPS
    [[ $(cat "$T/err") == 'trjcat: stdin: note: the dump does not name its units: '* ]]
    file=$DATA/amber/ache.mdcrd
    fails 2 'ache.mdcrd: an mdcrd does not contain the number of atoms; give a topology' trjcat "$file"
    awk 'BEGIN { for (i = 1; i <= 252; i++) printf "ATOM  %5d  C   ALA A   1       1.000   2.000   3.000\n", i
        print "END" }' >"$T/top.pdb"
    trjcat -t "$T/top.pdb" -g all=all "$file" 2>"$T/err" | trjdump | has '^frame 10 .* periodic 0 '
    [[ ! -s $T/err ]]
    awk '{ print } NR > 1 && length == 48 { print "  40.000  50.000  60.000" }' "$file" >"$T/boxes"
    trjcat -t "$T/top.pdb" -g all=all "$T/boxes" 2>"$T/err" | trjdump | has '^frame 10 .* cell 40 0 0 0 50 0 0 0 60$'
    note='note: an mdcrd has no angles of the cell: they are assumed to be 90 degrees'
    [[ $(cat "$T/err") == 'trjcat: '*"boxes: $note" ]]
    trjcat -c 40,50,60 -t "$T/top.pdb" -g all=all "$T/boxes" 2>"$T/err" >/dev/null
    [[ ! -s $T/err ]]
}

@test "last line without newline: accepted if complete, or, if that cannot be decided, with a note" {
    need_shared
    local file=$DATA/lammps/albite_triclinic.dump
    (cat "$file" && echo) | trjdump >"$T/expected"
    trjdump <"$file" | same "$T/expected" -
    trjcat -o "$T/out" "$file" 2>"$T/err"
    [[ $(grep -v 'does not name its units' "$T/err") \
        == "trjcat: $file: note: ends without a newline; if it is truncated, its last number lacks digits" ]]
    trjcat -c 9,9,9 -o "$T/out" "$file" 2>"$T/err"
    grep -q 'without a newline' "$T/err"
    trjcat -o "$T/out" "$DATA/gro/no-final-line.gro" 2>"$T/err"
    [[ ! -s $T/err ]]
    head -c -1 "$DATA/gro/no-final-line.gro" >"$T/cut.gro"
    fails_cleanly 3 \
        'cut.gro: frame 0: line 1408: the file ends here, without a newline, *; if it is complete, add the newline' \
        trjcat "$T/cut.gro"
}

@test "damaged texts: rejected with file, frame and line, status 3" {
    need_shared
    local file
    for file in "$DATA"/damaged/*.{xyz,lammpstrj,gro}; do
        fails_cleanly 3 "$(basename "$file"): frame [013]: line *" trjcat "$file" || { echo "$file"; return 1; }
        if trjcat --format "$(basename "${file##*.}" trj)" - <"$file" >"$T/out" 2>"$T/err"; then
            echo "$file: taken from standard input"
            return 1
        fi
        grep -q 'stdin: frame [013]: line ' "$T/err"
    done
}

@test "atom count of 4e9 in a tiny file: rejected without allocating memory for it" {
    sanitized && skip 'a sanitizer needs the address space'
    local format
    printf '4000000000\n\nO 1 2 3\n' >"$T/xyz"
    printf 'title\n4000000000\n    1SOL     OW    1   0.230   0.628   0.113\n' >"$T/gro"
    printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n4000000000\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\nITEM: ATOMS id x y z\n1 0 0 0\n' \
        >"$T/lammps"
    for format in xyz gro lammps; do
        fails 3 "$format: frame 0: line *: 4000000000 atoms are expected, but only * bytes follow" \
            trjcat --format "$format" "$T/$format"
        # shellcheck disable=SC2002 # it is to be a pipe
        if cat "$T/$format" | (ulimit -v 200000 && trjcat --format "$format" -) >"$T/out" 2>"$T/err"; then return 1; fi
        grep -q 'after 1 of 4000000000 atoms' "$T/err" || { cat "$T/err"; return 1; }
    done
}

@test "extended XYZ: commas after values without quotes, keys in quotes, and titles that contain lattice =" {
    local lattice='"9 0 0 0 8 0 0 0 7"' columns=species:S:1:mass:R:1:pos:R:3 comment
    # A comma may precede any key; blanks and quotes may surround it.
    for comment in "water,Properties=$columns;Lattice=$lattice" \
        "energy=1,stress=\"1 2 3\",Properties = $columns,pbc=T" \
        "\"a, b\"Lattice=$lattice x=[1,2],\"Properties\"=$columns,stress='1'" \
        "lattice=9,0,0,0,8,0,0,0,7,Properties=$columns"; do
        printf '1\n%s\nO 16 1 2 3\n' "$comment" >"$T/a.xyz"
        trjcat -c 9,8,7 "$T/a.xyz" --to xyz | has '^O 1 2 3$'
        [[ $comment != *attice* ]] || trjcat "$T/a.xyz" --to xyz | has '^Lattice="9 0 0 0 8 0 0 0 7" .*pbc="T T T"'
    done
    printf '1\nenergy=1,pbc="T T F",Lattice=%s\nO 1 2 3\n' "$lattice" >"$T/a.xyz"
    trjcat "$T/a.xyz" --to xyz | has 'pbc="T T F"'
    for comment in "energy:1|Properties=$columns" "(step 1)Properties=$columns" "energy=1:Lattice=$lattice"; do
        printf '1\n%s\nO 16 1 2 3\n' "$comment" >"$T/a.xyz"
        fails_cleanly 3 'or Lattice, Properties or pbc is not at the start of a word' trjcat "$T/a.xyz"
    done
    for comment in "step=5, time=2.5, time_unit=ps; Lattice=$lattice, Properties=$columns, energy=-1" \
        "energy=-1,Lattice=$lattice,Properties=$columns" "energy=-1;Properties=$columns,Lattice=$lattice" \
        "\"Lattice\"=$lattice \"Properties\"=\"$columns\""; do
        printf '1\n%s\nO 16 1 2 3\n' "$comment" >"$T/a.xyz"
        trjcat "$T/a.xyz" --to xyz >"$T/out"
        has '^Lattice="9 0 0 0 8 0 0 0 7" .*pbc="T T T"' "$T/out"
        has '^O 1 2 3$' "$T/out"
        [[ $comment != step* ]] || has ' step=5 time=2.5 time_unit=ps$' "$T/out"
        trjinfo "$T/a.xyz" | has '^mass	16$'
    done
    printf '1\nmechanical properties = good, sublattice = (1,2)\nSi 1 2 3\n' >"$T/a.xyz"
    trjinfo "$T/a.xyz" >"$T/info"
    has '^dialect	XYZ$' "$T/info"
    run ! grep '^note' "$T/info"
    for comment in 'Si, lattice = 5.43 A' 'Lattice = 5.43'; do
        printf '1\n%s\nSi 1 2 3\n' "$comment" >"$T/a.xyz"
        trjcat -c 5,5,5 "$T/a.xyz" --to xyz | has '^Si 1 2 3$'
        trjinfo "$T/a.xyz" | has '^note	the comment names a cell or lattice in an unknown form, which is not read; give'
    done
}

@test "extended XYZ: an empty value, as ASE writes it, does not take the next key; pbc in capitals is read" {
    local properties='Properties=species:S:1:forces:R:3:pos:R:3'
    printf '%s\n' 1 "empty= Lattice=\"5 0 0 0 5 0 0 0 5\" other= $properties time last= pbc=\"TRUE false T\"" \
        'H 9 9 9 1 2 3' >"$T/e.xyz"
    trjcat --to xyz "$T/e.xyz" >"$T/out"
    has '^Lattice="5 0 0 0 5 0 0 0 5" Properties=species:S:1:pos:R:3 pbc="T F T"$' "$T/out"
    has '^H 1 2 3$' "$T/out"
    # No byte of the next key is lost if no blank precedes it.
    for value in 'empty="x"' 'empty="x", ' 'empty=[1,2,3]' 'empty=[1],' 'time= time_unit=fs '; do
        sed "s/empty= /$value/" "$T/e.xyz" >"$T/f.xyz"
        trjcat --to xyz "$T/f.xyz" | same "$T/out" -
    done
}

@test "extended XYZ with spaces around the = of a key: read" {
    local equals
    for equals in = ' = ' '= ' $'\t ='; do
        printf '1\nLattice%s"10 0 0 0 11 0 0 0 12" Properties%sid:I:1:pos:R:3:species:S:1 pbc%s"T T F" step%s7\n1 2 3 4 Au\n' \
            "$equals" "$equals" "$equals" "$equals" >"$T/sp.xyz"
        trjcat "$T/sp.xyz" | trjdump >"$T/dump"
        grep -q ' step 7 .* periodic 3 cell 10 0 0 0 11 0 0 0 12' "$T/dump"
        grep -qx '40000000 40400000 40800000' "$T/dump"
        trjinfo "$T/sp.xyz" | has 'Au'
    done
}

@test "mdcrd: the topology gives the number of atoms, for any output format" {
    need_shared
    trjcat -t "$DATA/amber/ache.prmtop" "$DATA/amber/ache.mdcrd" -o "$T/a.dcd" 2>"$T/notes"
    trjcat -t "$DATA/amber/ache.prmtop" "$DATA/amber/ache.mdcrd" | trjdump | grep -E '^[0-9a-f]{8}' >"$T/expected"
    trjdump <"$T/a.dcd" | grep -E '^[0-9a-f]{8}' | same "$T/expected" -
}

# shellcheck disable=SC2059 # formats
@test "PQR or PDB with a misspelled record of an atom: rejected as trajectory and as topology" {
    printf 'ATOM 1 N ALA 1 0 0 0 0.5 1.5\nATAM 2 C ALA 1 1.5 0 0 -0.5 1.7\n' >"$T/a.pqr"
    fails 3 "a.pqr: frame 0: line 2: unknown record 'ATAM' with coordinates; if it is an atom, write ATOM" \
        trjcat -P none "$T/a.pqr"
    printf '1\n\nN 0 0 0\n' >"$T/a.xyz"
    fails 3 "a.pqr: line 2: unknown record 'ATAM'" trjcat -P none -t "$T/a.pqr" -g 'N=name N' "$T/a.xyz"
    local atom='%-6s%5d  O   SOL  %4d    %8.3f%8.3f%8.3f  1.00  0.00           O\n'
    { printf "$atom" ATOM 1 1 1 0 0; printf "$atom" HETERO 2 2 2 0 0; } >"$T/a.pdb"
    fails 3 "a.pdb: frame 0: line 2: unknown record 'HETERO'" trjcat -P none "$T/a.pdb"
    fails 3 "a.pdb: line 2: unknown record 'HETERO'" trjinfo --names "$T/a.pdb"
}

@test "file that is not PDB, but has its name: named as such, also after -t and by trjinfo" {
    local file
    printf '1\n\nN 1 2 3\n' >"$T/one.xyz"
    printf ' 1 C1 1.0 2.0 3.0 4 5 6\n' >"$T/table.pdb" # a line like that of an atom
    printf '  1.0 2.0 3.0 4 5 6\n' >"$T/numbers.pdb"
    printf '%s\n' results '' 'C 1.0 2.0 3.0' >"$T/text.pdb"
    cp "$T/text.pdb" "$T/text.pqr"
    for file in table.pdb numbers.pdb text.pdb text.pqr; do
        [[ $file == *.pdb ]] && format=PDB || format=PQR
        fails_cleanly 3 "the file is not $format: up to this line it has no record such as CRYST1 or ATOM;" \
            trjcat -P none "$T/$file"
        fails 3 "$file: line *: the file is not $format: " trjcat -P none -t "$T/$file" "$T/one.xyz"
        fails 3 "the file is not $format: " trjinfo "$T/$file"
    done
    printf '%s\n' REMARK '  ATOM      1  N   ALA A   1      11.104   6.134   2.504' >"$T/blank.pdb"
    fails 3 'line 2: a line of numbers begins with a blank instead of a record; if it is an atom, write ATOM' \
        trjcat -P none "$T/blank.pdb"
}

# shellcheck disable=SC2059 # formats
@test "PDB with records of other kinds: those of the PDB are ignored, unknown ones give a note" {
    local atom='ATOM  %5d  O   SOL  %4d    %8.3f%8.3f%8.3f  1.00  0.00           O\n'
    { printf 'HEADER x\nREMARK 250 1 2 3 4 5 6\nORIGX1      1.000000  0.000000  0.000000        0.00000\n'
        printf "$atom" 1 1 1 0 0
        printf 'ANISOU    1  O   SOL     1     2406   1892   1614    198    519   -328       O\n'
        printf 'SIGATM    1  O   SOL     1       0.010   0.010   0.010  0.00  0.00           O\nTER       2\n'
        printf 'CONECT    1    2    3    4    5\nEND\n'; } >"$T/a.pdb"
    trjcat -P none "$T/a.pdb" 2>"$T/err" | trjinfo - | has -x 'atoms	1'
    [[ ! -s $T/err ]]
    sed '4i LABEL the next line is an atom' "$T/a.pdb" >"$T/b.pdb"
    trjcat -P none "$T/b.pdb" 2>"$T/err" | trjinfo - | has -x 'atoms	1'
    diff "$T/err" - <<<"trjcat: $T/b.pdb: note: lines of unknown records are ignored, the first of which is line 4: 'LABEL'"
    # Tables of energies that other programs write after the atoms, in columns of 8 as coordinates are, too.
    { printf "$atom" 1 1 1 0 0; printf 'TER\n# scores\nlabel a b\nweights 0.8 0.44 0.65 0.004 1 NA\n'
        printf 'pose -423.4 55.3 247.9 1.1 0.3 -122\n'
        printf 'MET:NtermProteinFull_1 0.00000 1.04388 4.75423 0.01803 0.10000 0.20000\nGLU_2 -2.3 0.4 1.9 0 0 1.1\n'
    } >"$T/c.pdb"
    trjcat -P none -t "$T/c.pdb" "$T/c.pdb" 2>"$T/err" | trjinfo - | has -x 'atoms	1'
    has "c.pdb: note: lines of unknown records are ignored, the first of which is line 3: '#'" "$T/err"
}

@test "XYZ of CP2K and of LAMMPS: the comment gives step and time" {
    local i
    for i in 0 10 20; do
        printf '1\n i =  %d, time =  %d.500, E =   -17.1\nO %d 0 0\n' "$i" "$((i / 2))" "$i" >>"$T/cp2k.xyz"
        printf '1\nAtoms. Timestep: %d\n1 %d 0 0\n' "$i" "$i" >>"$T/lammps.xyz"
        printf '1\n i =  %d, E =   -17.1\nO %d 0 0\n' "$i" "$i" >>"$T/opt.xyz"
        printf '1\nisomer i = %d, time = 3\nO %d 0 0\n' "$i" "$i" >>"$T/other.xyz"
    done
    trjinfo "$T/cp2k.xyz" >"$T/out"
    grep -qx 'step_last	20' "$T/out" && grep -qx 'time_first	0.0005' "$T/out" && grep -qx 'time_last	0.0105' "$T/out"
    trjinfo "$T/lammps.xyz" >"$T/out"
    grep -qx 'step_last	20' "$T/out"
    [[ $(<"$T/out") != *time_last* ]]
    trjinfo "$T/opt.xyz" >"$T/out"
    grep -qx 'step_last	20' "$T/out"
    [[ $(<"$T/out") != *time_last* ]]
    [[ $(trjinfo "$T/other.xyz") != *step_last* ]]
    # Both parts contain the frame of step 20.
    sed 's/= *0,/= 20,/; s/= *10,/= 30,/; s/= *20, time = *10/= 40, time = 20/' "$T/cp2k.xyz" >"$T/later.xyz"
    sed -i '2s/= *0.5/= 10.5/; 5s/= *5.5/= 15.5/; 8s/= 20,/= 40,/; 8s/10.5/20.5/' "$T/later.xyz"
    trjcat --repeated drop "$T/cp2k.xyz" "$T/later.xyz" 2>/dev/null | trjinfo -c - >"$T/out"
    grep -qx 'frames	5' "$T/out" && grep -qx 'times_repeated	0' "$T/out"
}
