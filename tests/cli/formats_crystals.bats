#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mmCIF, small-molecule CIF, and POSCAR and XDATCAR of VASP: real files compared with values that were computed
# independently (shared/data-formats), special cases of each format, and what other programs read of written files.
load helper
FORMATS=$SHARED/data-formats
KINDS=(mmcif small-cif poscar xdatcar)

need_formats() {
    [[ -e $FORMATS/decode.tsv ]] || skip 'no folder shared/data-formats beside the checkout'
}

# cell A: the cell of a small CIF
cell() {
    printf "_cell_%s\n" "length_a $1" "length_b $1" "length_c $1" 'angle_alpha 90' 'angle_beta 90' 'angle_gamma 90'
}

# sites ROW...: the table of sites of a small CIF
sites() {
    printf '%s\n' loop_ _atom_site_{label,fract_x,fract_y,fract_z} "$@"
}

# atoms ROW...: the table of atoms of an mmCIF
atoms() {
    printf '%s\n' loop_ _atom_site.{group_PDB,label_atom_id,label_comp_id,label_asym_id,label_seq_id,Cartn_x,Cartn_y} \
        _atom_site.Cartn_z "$@"
}

# head: the head of a POSCAR of O and two H
head_of_vasp() {
    printf '%s\n' 'a title' 1.0 '10 0 0' '0 10 0' '0 0 10' 'O H' '1 2'
}

@test "real files: every line of decode.tsv and atoms.tsv is reproduced" {
    need_formats
    run_python tests/helpers/check_formats.py decode "$FORMATS" "${KINDS[@]}" | has '^279 lines of 86 files$'
    run_python tests/helpers/check_formats.py atoms "$FORMATS" "${KINDS[@]}" | has '^89 lines of 89 files$'
}

@test "small CIF: every line of expanded.tsv is reproduced" {
    need_formats
    need_python_module numpy
    run_python tests/helpers/check_formats.py expanded "$FORMATS" small-cif | has '^60 lines of 28 files$'
}

@test "no file of another format is taken for one of these, also by topologies" {
    need_formats
    local file format n=0 rejected='without a table|blocks contain|no symmetry operations|earlier models|after 24 of 36'
    for file in "$FORMATS"/*/*; do
        case $file in
        */mmcif/*) format=mmcif ;;
        */small-cif/*) format=cif ;;
        */poscar/*) format=poscar ;;
        */xdatcar/*) format=xdatcar ;;
        *) format='' ;;
        esac
        trjinfo "$file" >"$T/info" 2>"$T/err" || true
        if [[ $format ]]; then
            grep -qx "format	$format" "$T/info" || grep -Eq "$rejected" "$T/err" ||
                { echo "$file" && cat "$T/info" "$T/err" && return 1; }
        else
            ! grep -Ei '^format	(mmcif|cif|poscar|xdatcar)$' "$T/info" || { echo "$file" && return 1; }
        fi
        n=$((n + 1))
    done
    ((n > 200))
}

@test "mmCIF: columns in any order, values in quotes and of several lines, comments, rows of several lines, no data_" {
    printf '%s\n' '# a comment' data_x _struct.title "';' # no comment' " '_struct.text' ';a text with' \
        "'_atom_site.Cartn_x' 1" \
        loop_ data_y ';' loop_ _atom_site.Cartn_z _atom_site.label_atom_id _atom_site.Cartn_x _atom_site.Cartn_y \
        _atom_site.type_symbol '3.0 "C 1" 1.0 2.0 C # the first' '' "6 'O''' 4.5" '5.0(12)' O >"$T/a.cif"
    trjcat "$T/a.cif" --to xyz | tail -n 2 >"$T/found"
    printf '%s\n' 'C 1 2 3' 'O 4.5 5 6' | same - "$T/found"
    trjinfo --names "$T/a.cif" | has "^name	C 1, atoms 1$"
    trjinfo --names "$T/a.cif" | has "^name	O'', atoms 1$"
    sed '/^data_x/,/^;$/d' "$T/a.cif" | sed 1d >"$T/b.cif"
    [[ $(head -n 1 "$T/b.cif") == loop_ ]]
    trjcat "$T/b.cif" --to xyz | tail -n 2 | same - "$T/found"
}

@test "mmCIF: a cell is read before or after the atoms; unknown lengths and a cube of length 1 are none" {
    local x
    for x in 10 1 '?'; do
        { echo data_x && cell "$x" | sed 's/_cell_/_cell./' && atoms 'ATOM C X A 1 1 2 3'; } >"$T/before.cif"
        { echo data_x && atoms 'ATOM C X A 1 1 2 3' && echo '#' && cell "$x" | sed 's/_cell_/_cell./'; } >"$T/after.cif"
        trjcat "$T/before.cif" --to xyz >"$T/before"
        trjcat "$T/after.cif" --to xyz | same - "$T/before"
        if [[ $x == 10 ]]; then has 'Lattice="10 0 0 0 10 0 0 0 10"' <"$T/before"; else ! grep Lattice "$T/before"; fi
    done
    # The cell in a table of one row, which may also have columns that are not read.
    { printf '%s\n' data_x loop_ _cell.entry_id _cell.length_{a,b,c} _cell.angle_{alpha,beta,gamma} \
        'x 10 11 12 90 90 90' && atoms 'ATOM C X A 1 1 2 3'; } >"$T/table.cif"
    trjcat "$T/table.cif" --to xyz | has 'Lattice="10 0 0 0 11 0 0 0 12"'
    sed '/^x 10/a y 10 11 13 90 90 90' "$T/table.cif" >"$T/two.cif"
    fails_cleanly 3 'line 11: the table of the cell has more than one row' trjcat "$T/two.cif"
}

@test "mmCIF: residues, insertion codes, alternate locations, occupancies; residues without a number are counted" {
    printf '%s\n' data_x loop_ _atom_site.{id,type_symbol,label_atom_id,label_alt_id,label_comp_id,auth_seq_id} \
        _atom_site.{pdbx_PDB_ins_code,auth_asym_id,Cartn_x,Cartn_y,Cartn_z,occupancy,B_iso_or_equiv} \
        '1 C CA A GLY 5 ? A 0 0 0 0.3 10' '2 C CA B GLY 5 ? A 0 0 1 0.7 20' '3 N N . GLY 5 B A 0 0 2 1 30' \
        '4 O O . HOH ? ? W 0 1 0 1 5' '5 H H . HOH ? ? W 0 1 1 1 ?' '6 O O . HOH ? ? W 0 2 0 1 5' >"$T/a.cif"
    trjcat -g 'A=occupancy 0.5 to 1 and resname GLY and bfactor 15 to 40' "$T/a.cif" --to xyz 2>"$T/err" |
        head -n 1 | has '^2$'
    has 'some atoms have no residue number: residues are counted' <"$T/err"
    # A residue of two atoms, two more because of an insertion code and of another molecule of water.
    trjcat -g 'R=com(all) per residue' "$T/a.cif" --to xyz 2>"$T/err" | head -n 1 | has '^4$'
    trjinfo "$T/a.cif" | has '^topology_note	some atoms have no residue number'
    sed '/HOH/d' "$T/a.cif" >"$T/b.cif"
    trjinfo "$T/b.cif" | has '^topology_note	all alternate locations of atoms are read'
}

# write_block NAME FILE: runs the command of the last error message, on the file with lines that end in CR LF
write_block() {
    local command
    command=$(grep -o 'awk .*FILE' "$T/err" | head -n 1)
    sed 's/$/\r/' "$2" >"$T/crlf"
    command=${command/NAME/$1}
    eval "${command/FILE/$T/crlf}"
}

@test "mmCIF: models are frames; unequal and mixed ones are rejected, and so are several blocks, with a remedy" {
    local rows=('ATOM C X A 1 1 2 3' 'ATOM O X A 1 4 5 6')
    { echo data_a && atoms "${rows[@]}" && echo data_b && atoms "${rows[@]}"; } >"$T/blocks.cif"
    fails_cleanly 3 '2 tables of atoms, in the blocks a, b: which one is to be read is not known; write the' \
        trjcat -P none "$T/blocks.cif"
    fails 3 '2 tables of atoms, in the blocks a, b' trjcat -P none -t "$T/blocks.cif" "$T/blocks.cif"
    write_block b "$T/blocks.cif" >"$T/b.cif"
    [[ $(trjcat -P none "$T/b.cif" --to xyz | wc -l) == 4 ]]
}

@test "mmCIF that ends within the first row of a model: the models before it are read" {
    printf '%s\n' data_x loop_ _atom_site.{label_atom_id,pdbx_PDB_model_num,Cartn_x,Cartn_y,Cartn_z,label_alt_id} \
        'C1 1 1 2 3 .' 'C2 1 1 2 3 .' 'C1 2 1 2 3 .' 'C2 2 1 2 3 .' >"$T/whole.cif"
    { cat "$T/whole.cif" && printf 'C1 3 1'; } >"$T/cut.cif"
    trjcat -P none -f :2 "$T/cut.cif" --to xyz | same <(trjcat -P none "$T/whole.cif" --to xyz) -
    fails_cleanly 3 'frame 2: line 13: the file ends within this row, after 3 of 6 values; 2 complete frames precede' \
        trjcat -P none "$T/cut.cif"
    # The model is in the last column, of which 11 is cut to 1, the name of the first model.
    { atoms 'ATOM C X A 1 1 2 3' | sed 's/$/ 1/; /Cartn_z/a _atom_site.pdbx_PDB_model_num' &&
        echo 'ATOM C X A 1 4 5 6 2'; } | sed 's/^\([_l][^ ]*\) 1$/\1/' >"$T/whole.cif"
    { cat "$T/whole.cif" && printf 'ATOM C X A 1 4 5 6 1'; } >"$T/cut.cif"
    trjcat -P none -f :2 "$T/cut.cif" --to xyz | same <(trjcat -P none "$T/whole.cif" --to xyz) -
}

@test "mmCIF: the cell is that of the block of the atoms" {
    local other=(data_a '_cell.length_a 20' '_cell.length_b 21' '_cell.length_c 22' '_cell.angle_alpha 90'
        '_cell.angle_beta 90' '_cell.angle_gamma 90')
    { printf '%s\n' "${other[@]}" data_b && atoms 'ATOM C X A 1 1 2 3'; } >"$T/before.cif"
    { echo data_b && atoms 'ATOM C X A 1 1 2 3' && printf '%s\n' '#' "${other[@]}"; } >"$T/after.cif"
    { echo data_b && atoms 'ATOM C X A 1 1 2 3' && printf '%s\n' '#' "${other[@]:1}" data_c '_cell.length_a 30'; } \
        >"$T/own.cif"
    trjinfo "$T/before.cif" | has '^cell_periodic	none$'
    trjinfo "$T/after.cif" | has '^cell_periodic	none$'
    trjinfo "$T/own.cif" | has '^cell_lengths	20 21 22$'
}

@test "mmCIF: a row or value of several lines in a later model only is rejected with this reason" {
    plain() {
        printf '%s\n' data_x loop_ _atom_site.{label_atom_id,pdbx_PDB_model_num,Cartn_x,Cartn_y,Cartn_z,label_alt_id} \
            'C1 1 1 2 3 .' 'C2 1 1 2 3 .' 'C1 2 1 2 3 .' 'C2 2 1 2 3 .'
    }
    plain | sed 's/^C2 2/C2\n;2\n;\n/' >"$T/value.cif"
    fails_cleanly 3 'line 12: 1 values, expected 6; a row or value of several lines is supported only if' \
        trjcat -P none "$T/value.cif"
    plain | sed 's/^C2 2 1/C2\n2 1/' >"$T/row.cif"
    fails_cleanly 3 'line 12: 1 values, expected 6; a row or value of several' trjcat -P none "$T/row.cif"
    plain | sed '12s/.$/\n;a\n;/' >"$T/last.cif"
    fails_cleanly 3 'line 12: atom 1: 5 values, expected 6' trjcat -P none "$T/last.cif"
}

@test "CIF with tags of both kinds: the tag of the coordinates decides, wherever it is in the head" {
    { printf '%s\n' data_x '_entry.id x' && cell 10 && echo "_space_group_name_H-M_alt P1" &&
        sites 'C1 0.1 0.2 0.3'; } >"$T/a.cif"
    trjcat "$T/a.cif" --to xyz | tail -n 1 | same - <(echo C 1 2 3)
    { echo data_x && cell 10 | sed 's/_cell_/_cell./' && echo "_space_group.name_H-M_alt 'P -1'" &&
        printf '%s\n' loop_ _space_group_symop.operation_xyz x,y,z -x,-y,-z &&
        sites 'C1 0.1 0.2 0.3' | sed 's/_site_/_site./'; } >"$T/b.cif"
    trjcat "$T/b.cif" --to xyz | tail -n 2 | same - <(printf '%s\n' 'C 1 2 3' 'C -1 -2 -3')
    trjinfo "$T/b.cif" | has '^format	cif$'
    { printf '%s\n' data_x '_audit_creation_method x' && cell 10 && atoms 'ATOM C X A 1 1 2 3'; } >"$T/c.cif"
    trjcat "$T/c.cif" --to xyz | tail -n 1 | same - <(echo C 1 2 3)
    trjinfo "$T/c.cif" | has '^format	mmcif$'
}

@test "mmCIF: models larger than the input buffer, with comments, blank lines, CR LF and quotes among their rows" {
    plain() {
        echo data_a
        printf '%s\n' loop_ _atom_site.{group_PDB,label_atom_id,Cartn_x,Cartn_y,Cartn_z,pdbx_PDB_model_num}
        awk 'BEGIN { for (m = 1; m <= 4; m++) for (i = 0; i < 9000; i++)
            printf "%s C%d %.3f %d %d %d\n", i % 3 ? "ATOM" : "HETATM", i, i / 8, i % 7, m, m }'
    }
    plain >"$T/plain.cif"
    awk 'NR < 9 { print; next }
        NR % 50 == 1 { print ""; print "# 1" }
        NR % 50 == 2 { $2 = "\"" $2 "\"" }
        NR % 50 == 3 { $0 = " " $0 }
        NR % 50 == 4 { $0 = $0 " # " ($6 - 1) }
        NR > 9 && $2 == "C0" { $0 = $0 " # " ($6 - 1) } # looks like a row of the model before it
        NR % 50 == 5 { $0 = $0 " " }
        NR % 50 == 6 { gsub(" ", "\t") }
        { print }' "$T/plain.cif" >"$T/mixed.cif"
    sed 's/$/\r/' "$T/mixed.cif" >"$T/crlf.cif"
    trjcat -P none "$T/plain.cif" --to xyz >"$T/expected"
    [[ $(grep -c '^9000$' "$T/expected") == 4 ]]
    local file
    for file in mixed crlf; do
        trjcat -P none "$T/$file.cif" --to xyz | cmp "$T/expected"
        TRJPIPE_ISA=plain trjcat -P none - --to xyz <"$T/$file.cif" | cmp "$T/expected"
    done
    # The error of a row in the middle of a model gives the line of the file.
    sed '20000s/ [0-9.]* / x /' "$T/mixed.cif" >"$T/bad.cif"
    fails_cleanly 3 'frame 2: line 20000: atom ' trjcat -P none "$T/bad.cif"
    sed '20000s/C/\x00/' "$T/mixed.cif" >"$T/bad.cif"
    fails_cleanly 3 'line 20000: a zero byte in a text file' trjcat -P none "$T/bad.cif"
    { head -n 8 "$T/plain.cif" && echo 'ATOM C1 1 2 3 1' && echo 'ATOM C2 1 2 3 loop_'; } >"$T/bad.cif"
    fails_cleanly 3 'line 10: the row of an atom has 5 values, expected 6' trjcat -P none "$T/bad.cif"
}

@test "small CIF: operations of each form, special positions, a site at the same place as another" {
    local operations=("'x,y,z'" "'-x, -y, -z'" '1/2+X,y,1/2-z' '"0.5-x, -y, z-.5"')
    { echo data_x && cell 10 && printf '%s\n' loop_ _space_group_symop_operation_xyz "${operations[@]}" &&
        sites 'C1 0.1 0.2 0.3(4)' 'O1 0 0 0' 'O2 0 0 0'; } | sed '/_fract_z/a _atom_site_occupancy
/^[CO]. /s/$/ 0.5/' >"$T/a.cif"
    trjcat "$T/a.cif" --to xyz >"$T/a.xyz"
    sed 1,2d "$T/a.xyz" | same - <(printf '%s\n' 'C 1 2 3' 'O 0 0 0' 'O 0 0 0' 'C -1 -2 -3' 'C 6 2 2' \
        'O 5 0 5' 'O 5 0 5' \
        'C 4 -2 -2')
    # Two tags for operations, and one operation without a table.
    { echo data_x && cell 10 && printf '%s\n' "_symmetry_equiv_pos_as_xyz 'x,y,z'" && sites 'C1 0 0 0'; } >"$T/b.cif"
    [[ $(trjcat "$T/b.cif" --to xyz | head -n 1) == 1 ]]
}

@test "small CIF: operations that do not keep the volume, and a space group other than P 1 with x,y,z alone, are rejected" {
    # crystal NAME OPERATION...: a CIF of the space group NAME
    crystal() {
        echo data_x && cell 10 && echo "_space_group_name_H-M_alt '$1'" &&
            printf '%s\n' loop_ _space_group_symop_operation_xyz "${@:2}" && sites 'C1 0.1 0.2 0.3'
    }
    local operation
    for operation in x,y,1/2 x,x,x 2x,y,z -x,-y,--z -x,-y,-+z -x,-y,z--1/2 -x,-y,z+--1/2 -x,-y,z+ -x,-y,1/2-; do
        crystal P-1 x,y,z "$operation" >"$T/a.cif"
        fails_cleanly 3 "'$operation' is not a symmetry operation, such as" trjcat "$T/a.cif"
    done
    for operation in -x,-y,-z x,y,z+-1/2 x,y,-z+-.5 x-y,x,z+1/6 +x,+y,-z z,x,y 1/2x-1/2y,x+y,-z; do
        crystal P-1 x,y,z "$operation" >"$T/a.cif"
        [[ $(trjcat "$T/a.cif" --to xyz | head -n 1) == 2 ]]
    done
    crystal 'P -1' x,y,z >"$T/a.cif"
    fails_cleanly 3 'space group P-1, but x,y,z is the only symmetry operation; add the others or, if all' \
        trjcat "$T/a.cif"
    fails 3 'space group P-1, but x,y,z is the only symmetry operation' trjcat -t "$T/a.cif" "$T/a.cif"
    local name
    for name in 'P 1' P1 p_1 1 1. 1.0 001 'P 1 1 1' 'P1 (No. 1)' 0 '?' '' unknown None n/a; do
        crystal "$name" x,y,z >"$T/a.cif"
        [[ $(trjcat "$T/a.cif" --to xyz | head -n 1) == 1 ]]
    done
}

@test "small CIF: the cell, the space group and the only site may be in tables of one row, or outside tables" {
    local names=(_cell_length_{a,b,c} _cell_angle_{alpha,beta,gamma})
    { printf '%s\n' data_x loop_ "${names[@]}" '3 4 5 90 90 90' loop_ _space_group_IT_number \
        _space_group_name_H-M_alt "2 'P -1'" loop_ _symmetry_equiv_pos_as_xyz x,y,z -x,-y,-z &&
        sites 'C1 0.1 0.2 0.3'; } >"$T/tables.cif"
    trjcat "$T/tables.cif" --to xyz | sed 1d | has '^Lattice="3 0 0 0 4 0 0 0 5"'
    sed '/^loop_$/,$ { /^x,y,z/d; /^-x/d; /as_xyz/d }' "$T/tables.cif" >"$T/none.cif"
    fails_cleanly 3 'space group 2, but no symmetry operations' trjcat "$T/none.cif"
    sed '/^3 4 5/a 3 4 6 90 90 90' "$T/tables.cif" >"$T/two.cif"
    fails_cleanly 3 'line 10: length_c of the cell is 6, but was 5 before in this block' trjcat "$T/two.cif"
    sed '/^3 4 5/a 3.0 4 ? 90 90 90(1)' "$T/tables.cif" >"$T/two.cif"
    trjcat "$T/two.cif" --to xyz | same - <(trjcat "$T/tables.cif" --to xyz)
    { echo data_x && cell 10 && echo "_space_group_symop_operation_xyz x,y,z" && paste -d ' ' \
        <(printf '%s\n' _atom_site_{label,fract_x,fract_y,fract_z,occupancy}) \
        <(printf '%s\n' Cu1 0.1 0.2 0.3 1); } >"$T/one.cif"
    trjcat "$T/one.cif" --to xyz | tail -n +3 | same - <(echo Cu 1 2 3)
    trjcat -g 'A=occupancy 1' "$T/one.cif" --to xyz | head -n 1 | has '^1$'
    { cat "$T/one.cif" && sites 'C1 0 0 0'; } >"$T/two.cif"
    fails_cleanly 3 'this block has sites both in a table (loop_) and outside it; remove one of' trjcat "$T/two.cif"
    { cat "$T/tables.cif" && sites 'C1 0 0 0'; } >"$T/two.cif"
    fails_cleanly 3 'a second table of sites in the block' trjcat "$T/two.cif"
    { cat "$T/one.cif" && grep fract_x "$T/one.cif"; } >"$T/two.cif"
    fails_cleanly 3 'a second value of _atom_site_fract_x for one site; remove one' trjcat "$T/two.cif"
    { sites 'C1 0 0 0' && cat "$T/one.cif"; } | sed '/^data_x/d' >"$T/two.cif"
    fails_cleanly 3 'a second site in the block, outside a table (loop_)' trjcat --format cif "$T/two.cif"
}

@test "CIF and mmCIF: values that a block contains twice are rejected, unless they are equal values of the cell" {
    { echo data_x && cell 10 && echo '_cell_length_b 10.0(1)' && cell '?' && sites 'C1 0.1 0.2 0.3'; } >"$T/a.cif"
    trjcat "$T/a.cif" --to xyz | tail -n 1 | has '^C 1 2 3$'
    sed '/10.0(1)/s/10/20/' "$T/a.cif" >"$T/b.cif"
    fails_cleanly 3 'line 8: length_b of the cell is 20, but was 10 before in this block; remove' trjcat "$T/b.cif"
    sed '/10.0(1)/c loop_\n_cell_length_a\n_cell_length_b\n10 20' "$T/a.cif" >"$T/b.cif"
    fails_cleanly 3 'line 11: length_b of the cell is 20, but was 10 before in this block; remove' trjcat "$T/b.cif"
    fails 3 'line 11: length_b of the cell is 20' trjcat -t "$T/b.cif" "$T/a.cif"
    sed '/fract_z/a _atom_site.fract_X' "$T/a.cif" | sed 's/^C1.*/& 0.1/' >"$T/b.cif"
    fails_cleanly 3 'a second value of _atom_site_fract_x for one site; remove one' trjcat "$T/b.cif"
    { echo data_x && cell 10 | sed 's/_\([ab]\)/.\1/' && atoms 'ATOM C1 A A 1 1 2 3'; } >"$T/a.cif"
    trjcat "$T/a.cif" --to xyz | has '^Lattice="10 0 0 0 10 0 0 0 10"'
    sed '2a _cell.length_a 11' "$T/a.cif" >"$T/b.cif"
    fails_cleanly 3 'line 3: length_a of the cell is 11, but was 10 before in this block; remove' trjcat "$T/b.cif"
}

@test "small CIF: without a cell, or with operations of other groups only: rejected with the tag" {
    local angle tag
    { echo data_x && cell 10 && sites 'C1 0 0 0'; } | sed '/_length_b/d' >"$T/a.cif"
    fails_cleanly 3 'fractional coordinates, but _cell_length_b is missing; add it' trjcat "$T/a.cif"
    { echo data_x && cell 10 && sites 'C1 0.1 0 0'; } >"$T/a.cif"
    trjcat "$T/a.cif" --to xyz >"$T/a.xyz"
    for angle in beta '.*'; do # 90 is the default of the dictionary
        sed "/_angle_$angle/d" "$T/a.cif" >"$T/b.cif"
        trjcat "$T/b.cif" --to xyz 2>"$T/err" | same - "$T/a.xyz"
        has 'angles of the cell (_cell_angle) are missing, and are taken as 90 degrees' <"$T/err"
    done
    { echo data_x && cell 1.0 && sites 'C1 0 0 0'; } >"$T/b.cif"
    fails_cleanly 3 'but a length of the cell is 0, or all of them are 1, which means that' trjcat "$T/b.cif"
    for tag in _space_group_symop_magn_operation.xyz _space_group_symop.magn_operation_xyz \
        _space_group_symop_ssg_operation_algebraic; do
        { echo data_x && cell 10 && printf '%s\n' loop_ $tag x,y,z,+1 -x,-y,-z,+1 && sites 'C1 0.1 0 0'; } >"$T/c.cif"
        fails_cleanly 3 "$tag: symmetry operations of magnetic groups and superspace groups are not" trjcat "$T/c.cif"
        sed '/^-x/d; 2i _space_group_name_H-M_alt P1' "$T/c.cif" >"$T/e.cif"
        [[ $(trjcat "$T/e.cif" --to xyz | head -n 1) == 1 ]]
        sed '/^-x/d; 2i _space_group_name_H-M_alt Pm' "$T/c.cif" >"$T/e.cif"
        fails_cleanly 3 "$tag: symmetry operations of magnetic groups" trjcat "$T/e.cif"
        { cat "$T/c.cif" && printf '%s\n' loop_ _space_group_symop_operation_xyz x,y,z -x,-y,-z; } >"$T/d.cif"
        [[ $(trjcat "$T/d.cif" --to xyz | head -n 1) == 2 ]]
    done
}

@test "small CIF: dummy sites are left out, with a note that is added to others" {
    { echo data_x && cell 10 && sites 'Na1 0 0 0 0.5 d' 'Cg1 0.2 0.5 0.5 . dum'; } |
        sed '/fract_z/a _atom_site_occupancy\n_atom_site_calc_flag' >"$T/a.cif"
    trjcat "$T/a.cif" --to xyz 2>"$T/err" | sed 1,2d | same - <(echo Na 0 0 0)
    has 'partially occupied: .*; dummy sites (_atom_site_calc_flag dum) are left out: 1' <"$T/err"
    sed /^Na1/d "$T/a.cif" >"$T/b.cif"
    fails_cleanly 3 'no site has coordinates' trjcat "$T/b.cif"
}

@test "small CIF: images of a site that differ by rounding are one atom; a note reports those far apart" {
    # position COORDINATES: atoms of a site of the group P 3 m 1, at 1/3, 2/3 or a general place
    position() {
        { echo data_x && cell 5.5 | sed s/gamma.*/gamma\ 120/ && printf '%s\n' loop_ _symmetry_equiv_pos_as_xyz x,y,z \
            -y,x-y,z y-x,-x,z -y,-x,z y-x,y,z x,x-y,z && sites "Zn1 Zn $1 0" |
            sed '2a _atom_site_type_symbol'; } >"$T/a.cif"
        trjcat "$T/a.cif" --to xyz 2>"$T/err" | head -n 1
    }
    local digits
    for digits in '0.3333 0.6667' '0.333 0.667' '0.333 0.666' '.333(2) .667' '0.3363 0.6637'; do
        [[ $(position "$digits") == 1 ]]
    done
    has 'note: images of the site Zn1 that are up to 0.049 Angstrom apart are read as one atom' <"$T/err"
    [[ $(position '0.33 0.67') == 1 ]]
    has 'images of the site Zn1 that are up to 0.055 Angstrom apart are read as one atom' <"$T/err"
    # With more digits, these are two atoms or more, as are places that are far apart.
    [[ $(position '0.330 0.67') == 3 ]]
    has 'note: images of the site Zn1 are only 0.055 Angstrom apart' <"$T/err"
    [[ $(position '0.3 0.7') == 3 ]]
    [[ $(position '0.1 0.3') == 6 ]]
    # images CELL OPERATION ROW...: atoms of sites with occupancies
    images() {
        { echo data_x && cell "$1" && printf '%s\n' loop_ _symmetry_equiv_pos_as_xyz x,y,z "$2" && sites "${@:3}" |
            sed '5a _atom_site_occupancy'; } >"$T/a.cif"
        trjcat "$T/a.cif" --to xyz 2>"$T/err" | head -n 1
    }
    # Zeros at the end may be missing; disorder; translations, which rounding does not change; one digit.
    [[ $(images 26 y,x,z 'O1 .12 .13 .5 1') == 1 ]]
    has 'apart are read as one atom: they may differ only by the rounding of a special position$' <"$T/err"
    [[ $(images 26 y,x,z 'O1 .12 .13 .5 1' 'C1 .4 .4 .375 1') == 3 ]]
    [[ $(images 26 y,x,z 'O1 .12 .13 .5 0.5') == 2 ]]
    [[ $(images 40 x+0.01,y,z 'O1 .12 .13 .5 1') == 2 ]]
    [[ $(images 4 -x+1/2,y,z 'O1 .2 0 0 1') == 2 ]]
    # Within 0.001, but 0.09 Angstrom apart in a large cell; and 0.045.
    [[ $(images 100 -x,y,z 'O1 0.00045 0.2 0.3 1') == 1 ]]
    has 'images of the site O1 that are up to 0.09 Angstrom apart are read as one atom' <"$T/err"
    [[ $(images 100 -x,y,z 'O1 0.00045 0.2 0.3 0.5') == 1 ]]
    has 'images of the site O1 that are up to 0.09 Angstrom apart are read as one atom' <"$T/err"
    [[ $(images 50 -x,y,z 'O1 0.00045 0.2 0.3 0.5') == 1 ]]
    run ! grep 'images of the site' "$T/err"
}

@test "small CIF: sites at one place whose occupancies add up to more than 1 are reported or rejected" {
    # A file that lists all atoms of a cell with centred faces, and the operations as well.
    crystal() {
        echo data_x && cell 5 && echo "_space_group_name_H-M_alt 'F m m m'" &&
            printf '%s\n' loop_ _symmetry_equiv_pos_as_xyz x,y,z x,y+1/2,z+1/2 x+1/2,y,z+1/2 x+1/2,y+1/2,z &&
            sites "$@" | sed '2a _atom_site_occupancy'
    }
    crystal 'Na1 1 0 0 0' 'Na2 ? 0.001 0.499 0.5' >"$T/a.cif"
    fails_cleanly 3 'the sites Na1 and Na2 are at one place, where the occupancies add up to 2; remove one of them or' \
        trjcat "$T/a.cif"
    fails 3 'the sites Na1 and Na2 are at one place' trjcat -t "$T/a.cif" "$T/a.cif"
    crystal 'Na1 ? 0 0 0' 'K1 ? 0 0.001 0' >"$T/a.cif"
    fails_cleanly 3 'add up to 2; give their occupancies (_atom_site_occupancy) or, if' trjcat "$T/a.cif"
    crystal 'Na1 50 0 0 0' 'K1 50 0 0.001 0' >"$T/a.cif"
    fails_cleanly 3 'add up to 100; occupancies must be from 0 to 1' trjcat "$T/a.cif"
    crystal 'Na1 0.7 0 0 0' 'K1 0.5 0 0.5 0.5' >"$T/b.cif"
    trjcat "$T/b.cif" --to xyz 2>"$T/err" | sed -n 1p | has '^8$'
    has 'the sites Na1 and K1 are at one place, where the occupancies add up to 1.2; if' <"$T/err"
    # Mixed sites, disorder and sites near each other.
    crystal 'Na1 0.67 0 0 0' 'K1 0.34 0 0 0' 'C1 1 0.2 0.2 0.2' 'C2 1 0.211 0.2 0.2' >"$T/c.cif"
    trjcat "$T/c.cif" --to xyz 2>"$T/err" | sed -n 1p | has '^16$'
    run ! grep 'at one place' "$T/err"
    # In a cell with many atoms, and across its faces.
    { echo data_x && cell 50 && sites && awk 'BEGIN { for (i = 0; i < 8000; i++)
        printf "C%d %.4f %.4f %.4f\n", i, i % 20 / 20, int(i / 20) % 20 / 20, int(i / 400) / 20 }'; } >"$T/d.cif"
    trjcat "$T/d.cif" --to xyz 2>"$T/err" | sed -n 1p | has '^8000$'
    for site in 'N1 0.9995 0.0504 -1.0004' 'N1 0.45 -0.3505 17.5'; do
        { cat "$T/d.cif" && echo "$site"; } >"$T/e.cif"
        fails_cleanly 3 ' and N1 are at one place, where the occupancies add up to 2' trjcat "$T/e.cif"
    done
    for site in 'N1 0.999 0.0508 -1.0006' 'N1 0.45 -0.351 17.5005'; do
        { cat "$T/d.cif" && echo "$site"; } >"$T/e.cif"
        trjcat "$T/e.cif" --to xyz 2>"$T/err" | sed -n 1p | has '^8001$'
    done
}

@test "small CIF: 50000 sites in a small part of a large cell, around a corner, are looked up in seconds" {
    { echo data_x && cell 10000 && sites && awk 'BEGIN { for (i = 0; i < 50000; i++) printf "C%d %.6f %.6f %.6f\n",
        i, i % 37 * 27e-5 - 0.005, int(i / 37) % 37 * 27e-5 - 0.005, int(i / 1369) * 27e-5 - 0.005 }'; } >"$T/a.cif"
    [[ $(timeout 12 trjcat "$T/a.cif" --to xyz | head -n 1) == 50000 ]]
    for site in 'N1 0.004999 0 0' 'N1 0.999999 -1e-6 1e-6'; do
        { cat "$T/a.cif" && printf '%s\n' 'N0 0.005 0 1' 'N0 0 0 0' "$site"; } >"$T/b.cif"
        fails_cleanly 3 'the sites N0 and N1 are at one place, where the occupancies add up to 2' trjcat "$T/b.cif"
    done
}

@test "small CIF: elements that are taken from labels of several letters give a note" {
    { echo data_x && cell 10 && sites 'Na1 0 0 0' 'Wat1 0.5 0 0' 'HO1 0 0.5 0'; } >"$T/a.cif"
    trjcat "$T/a.cif" --to poscar 2>&1 >/dev/null |
        has 'elements are taken from labels, which is uncertain for 2 of them, such as Wat1'
    sed -i '/Wat1\|HO1/d' "$T/a.cif"
    trjcat "$T/a.cif" --to poscar 2>"$T/err" >/dev/null
    run ! grep labels "$T/err"
    { echo data_x && cell 10 && sites 'Na1 Na 0 0 0' 'O1 O 0.5 0 0' | sed '2a _atom_site_type_symbol'; } >"$T/b.cif"
    trjcat "$T/b.cif" --to poscar 2>"$T/err" >/dev/null
    run ! grep labels "$T/err"
}

@test "small CIF: sites that exclude each other, have no position, or are close to their image give a note" {
    { echo data_x && cell 10 && echo "_space_group_name_H-M_alt 'P 1'" && sites 'C1 0 0 0' | sed '2a\
_atom_site_occupancy' | sed 's/^C1/C1 0.5/'; } >"$T/a.cif"
    trjcat "$T/a.cif" 2>&1 >/dev/null | has 'note: 1 of 1 sites are only partially occupied: all of them are read as atoms'
    { echo data_x && cell 10 && echo "_space_group_name_H-M_alt P1" && sites 'C1 0 0 0' 'H1 ? ? ?'; } >"$T/b.cif"
    trjcat "$T/b.cif" 2>&1 >/dev/null | has 'note: 1 sites have no coordinates, and are left out'
    { echo data_x && cell 10 && printf '%s\n' loop_ _symmetry_equiv_pos_as_xyz x,y,z -x,-y,-z &&
        sites 'C1 0.01 0 0'; } >"$T/c.cif"
    trjcat "$T/c.cif" 2>&1 >/dev/null | has 'note: images of the site C1 are only 0.2 Angstrom apart'
    { echo data_x && cell 10 && sites 'C1 0.01 0 0'; } >"$T/d.cif"
    trjcat "$T/d.cif" 2>&1 >/dev/null | has 'the file gives neither a space group nor operations: the listed sites are'
}

@test "small CIF: blocks of one name are frames; of blocks with several names one must be written to a file" {
    block() { echo "data_$1" && cell 10 && echo "_symmetry_space_group_name_H-M P1" && sites "C1 $2 0 0"; }
    { block x 0.1 && block x 0.2 && block x 0.3; } >"$T/a.cif"
    trjcat "$T/a.cif" --to xyz | grep -c '^C' | has '^3$'
    { block x 0.1 && block y 0.2; } >"$T/b.cif"
    fails_cleanly 3 '2 blocks contain atoms: x, y: which one is to be read is not known; write the block with' \
        trjcat "$T/b.cif"
    fails 3 '2 blocks contain atoms: x, y' trjcat -t "$T/b.cif" "$T/a.cif"
    write_block y "$T/b.cif" >"$T/y.cif"
    trjcat "$T/y.cif" --to xyz | has '^C 2 0 0$'
    { block x 0.1 && block x 0.2 | sed '/^C1/a C2 0 0 0'; } >"$T/c.cif"
    fails 3 'frame 1: line 29: the block before this line has 2 atoms, but the first one 1' trjcat "$T/c.cif"
}

@test "small CIF: an error in a later block is that of its frame; the frames before it and the topology are read" {
    local frames
    block() { echo "data_$1" && cell 10 && echo "_symmetry_space_group_name_H-M P1" && sites "C1 $2 0 0"; }
    block x 0.1 >"$T/a.cif"
    for frames in 1 2; do
        { cat "$T/a.cif" && block x 0.2 | head -c -5; } >"$T/b.cif"
        fails_cleanly 3 "frame $frames: line $((frames * 14 + 14)): the row of a site has 2 values, expected 4" \
            trjcat "$T/b.cif"
        trjcat -f ":$frames" "$T/b.cif" --to xyz | grep -c '^C' | has "^$frames$"
        trjcat -t "$T/b.cif" "$T/a.cif" --to xyz | grep -c '^C' | has "^$frames$"
        { cat "$T/a.cif" && block x 0.2 | sed '10,$d'; } >"$T/b.cif"
        fails_cleanly 3 "line $((frames * 14 + 9)): the file ends within block x, without sites, unlike the" \
            trjcat "$T/b.cif"
        trjcat -f ":$frames" "$T/b.cif" --to xyz | grep -c '^C' | has "^$frames$"
        { cat "$T/a.cif" && block y 0.2; } >"$T/b.cif"
        fails_cleanly 3 "frame $((frames == 1 ? 0 : 2)): $((frames + 1)) blocks contain atoms: x, " trjcat "$T/b.cif"
        block x 0.2 >>"$T/a.cif"
    done
    # Blocks without sites may have any other name.
    { block x 0.1 && block y | sed '10,$d'; } >"$T/b.cif"
    trjcat "$T/b.cif" --to xyz | grep -c '^C' | has '^1$'
    { block x 0.1 && block y 0.2 | head -c -5; } >"$T/b.cif"
    fails_cleanly 3 'frame 0: line 28: the row of a site has 2 values' trjcat "$T/b.cif"
    fails 3 'line 28: the row of a site has 2 values' trjcat -t "$T/b.cif" "$T/b.cif"
}

@test "small CIF: later frames give the notes that the first one does not have, and may not lack an angle of its cell" {
    block() { echo data_x && cell 10 && sites "C1 0.$1 0 0" "H1 $2 0 0"; }
    local occupancy='2 of 2 sites are only partially occupied'
    occupied() { block "$@" | sed '/fract_z/a _atom_site_occupancy' | sed 's/0 0$/0 0 0.5/'; }
    for k in 1 2; do block "$k" 0; done >"$T/a.cif"
    trjcat "$T/a.cif" 2>&1 >/dev/null | sed 's/.*note: //' >"$T/first"
    [[ $(wc -l <"$T/first") == 1 ]]
    # In frames 2 and 3; another kind of note in frame 4.
    { cat "$T/a.cif" && occupied 3 0 && occupied 4 0 && block 5 0 && echo 'X1 ? ? ?'; } >"$T/b.cif"
    trjcat "$T/b.cif" 2>"$T/err" >/dev/null
    sed 's/.*note: //' "$T/err" | same - <(echo "$(cat "$T/first"); frame 2: $occupancy: all of them are read as atoms,"\
        "also where they exclude each other; frame 4: 1 sites have no coordinates, and are left out")
    trjcat -f :2 "$T/b.cif" 2>&1 >/dev/null | sed 's/.*note: //' | same - "$T/first"
    trjinfo "$T/b.cif" | has "^note	.*; frame 2: $occupancy"
    { sed '/_cell_angle_gamma/d' "$T/a.cif" && block 3 0 && block 4 0 | sed '/_cell_angle_gamma/d'; } >"$T/c.cif"
    trjcat "$T/c.cif" 2>"$T/err" --to xyz | grep -c '^C' | has '^4$'
    has 'note: angles of the cell (_cell_angle) are missing' <"$T/err"
    for k in 1 2; do
        { for ((i = 0; i < k; i++)); do block 1 0; done && block 3 0 | sed '/_cell_angle_beta/d'; } >"$T/d.cif"
        fails_cleanly 3 "frame $k: line $((k * 14 + 13)): the block before this line lacks an angle of the cell" \
            trjcat "$T/d.cif"
        trjcat -f ":$k" "$T/d.cif" --to xyz 2>"$T/err" | grep -c '^C' | has "^$k$"
    done
}

@test "small CIF: a note reports that the last value of the file may be incomplete, unless it is in quotes or not read" {
    local trajectory='note: ends without a newline; if it is truncated, its last number lacks digits'
    local topology='note: ends without a newline: it may be truncated, and its last word incomplete'
    # ends TEXT: writes a file that ends in the text, and its notes as a trajectory and as a topology
    ends() {
        printf '%s' "$1" >"$T/cut.cif"
        trjcat "$T/cut.cif" 2>"$T/err" >/dev/null
        trjcat -t "$T/cut.cif" "$T/a.cif" 2>"$T/top" >/dev/null
    }
    { echo data_x && echo "_symmetry_equiv_pos_as_xyz 'x,y,z'" && sites 'C1 0.1 0.2 0.3' && cell 10; } >"$T/a.cif"
    local text sites head
    text=$(cat "$T/a.cif") sites=$(sites 'C1 0.1 0.2 0.3') head=$(echo data_x && cell 10)
    trjcat "$T/a.cif" 2>&1 >/dev/null | same - /dev/null
    for text in "${text%0}" "$head"$'\n'"${sites%3}" "$head"$'\n'"$sites"$'\n_symmetry_equiv_pos_as_xyz x,y,z+1'; do
        ends "$text"
        has "$trajectory" <"$T/err"
        has "$topology" <"$T/top"
        ends "$text "
        run ! grep newline "$T/err" "$T/top"
    done
    ends "$head"$'\n'"$(sites '0.1 0.2 0.3 C1' | sed '/_label/d; $i _atom_site_label')"
    run ! grep newline "$T/err"
    has "$topology" <"$T/top"
    for text in "_symmetry_equiv_pos_as_xyz 'x,y,z'" '_cell_formula_units_Z 4' '# end'; do
        ends "$head"$'\n'"$sites"$'\n'"$text"
        run ! grep newline "$T/err" "$T/top"
    done
    # Only the last frame of a trajectory, and not the topology, which is the first one.
    ends "$(cat "$T/a.cif" "$T/a.cif")"
    has "$trajectory" <"$T/err"
    run ! grep newline "$T/top"
    trjcat -f :1 "$T/cut.cif" 2>&1 >/dev/null | same - /dev/null
}

@test "crystal in a CIF: g(r) has its neighbour shells" {
    # Copper: 12 neighbours at a/sqrt(2) = 2.556 and 6 at 3.615.
    { echo data_x && cell 3.615 && printf '%s\n' loop_ _symmetry_equiv_pos_as_xyz x,y,z 1/2+x,1/2+y,z 1/2+x,y,1/2+z \
        x,1/2+y,1/2+z && sites 'Cu1 0 0 0'; } >"$T/cu.cif"
    trjcat -g 'A=all' "$T/cu.cif" | rdfhist --own-images -r 4 -b 40 2>/dev/null | counts >"$T/counts"
    awk '$1 { print NR - 1, $1 }' "$T/counts" | same - <(printf '%s\n' '25 24' '36 12')
}

@test "POSCAR, XDATCAR with more than 20 groups of atoms, which VASP writes in lines of 20: read" {
    local species='Fe Cr Fe Cr Fe Cr Fe Cr Fe Cr Fe Cr Fe Cr Fe Cr Fe Cr Fe Cr' counts='1 1 1 1 1 1 1 1 1 1'
    { head_of_vasp | head -n 5 && printf '%s\n' "$species" Fe "$counts $counts" 1 Direct &&
        for i in {10..30}; do echo "0.$i 0 0"; done; } >"$T/a"
    trjcat "$T/a" --to xyz | awk 'NR > 2 { print $1, $2 }' >"$T/xyz"
    trjcat "$T/a" --to poscar 2>/dev/null | trjcat - --to xyz | awk 'NR > 2 { print $1, $2 }' | same - "$T/xyz" # in one line
    [[ $(sed 2q "$T/xyz" | paste -sd ' ') == 'Fe 1 Cr 1.1' && $(tail -n 1 "$T/xyz") == 'Fe 3' ]]
    sed 's/Direct/& configuration= 1/' "$T/a" | trjcat - --to xyz | awk 'NR > 2 { print $1, $2 }' | same - "$T/xyz"
    trjinfo --names "$T/a" | has '^element	Cr, atoms 10$'
    sed '9s/$/ 2.5 A cutoff/' "$T/a" | trjcat - --to xyz | # a comment after the numbers
        awk 'NR > 2 { print $1, $2 }' | same - "$T/xyz"
    # Without names, as VASP 4 writes.
    sed 6,7d "$T/a" >"$T/b"
    trjcat -t "$T/a" "$T/b" --to xyz 2>/dev/null | awk 'NR > 2 { print $1, $2 }' | same - "$T/xyz"
    trjcat "$T/b" --to xyz 2>/dev/null | awk 'NR > 2 { print $1, $2 }' | tail -n 1 | same - <(echo 21 3)
    sed "1s/.*/$species Fe/" "$T/b" | trjcat - --to xyz | awk 'NR > 2 { print $1, $2 }' | same - "$T/xyz"
}

@test "POSCAR and XDATCAR whose names and numbers fill the bytes by which formats are detected: recognised" {
    local file pairs
    # They end after the positions begin, within the numbers, and within the names.
    for pairs in 4000 9000 15000 23900; do
        awk -v n=$((2 * pairs)) 'BEGIN { print n; print "Lattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3"
            for (i = 0; i < n; i++) print i % 2 ? "H" : "O", i % 9, i % 8, i % 7 }' >"$T/many.xyz"
        trjcat --to poscar "$T/many.xyz" 2>/dev/null >"$T/x.xdatcar" # the name does not decide
        trjcat --to xdatcar "$T/many.xyz" 2>/dev/null >"$T/XDATCAR"
        sed 's/^Direct.*//' "$T/XDATCAR" >"$T/blank"
        gzip -k "$T/XDATCAR"
        for file in x.xdatcar XDATCAR XDATCAR.gz blank; do
            trjcat --to xyz --decimals 3 "$T/$file" >"$T/a" && grep -c '^[OH] ' "$T/a" | same - <(echo $((2 * pairs)))
            trjcat --to xyz --decimals 3 -t "$T/$file" - < <(cat "$T/$file") | same - "$T/a"
            trjinfo "$T/$file" | has "^format	$([[ $file == x.* ]] && echo poscar || echo xdatcar)$"
        done
        rm "$T/XDATCAR.gz"
    done
    fails_cleanly 3 "*is a line of an XDATCAR; add --format xdatcar" trjcat --format poscar "$T/XDATCAR"
}

@test "XDATCAR whose line with the configuration is where the first 64 KiB end: recognised" {
    local n
    { head_of_vasp | head -n 5 && awk 'BEGIN { for (i = 0; i < 16370; i++) printf "O "; print ""
        for (i = 0; i < 16370; i++) printf "%d ", i == 0; print "" }' &&
        printf '%s\n' 'Direct configuration= 1' '0 0 0' 'Direct configuration= 2' '0 0 0'; } >"$T/a"
    for n in 1 10 20 30 31 32 33 34 40 50 60 70 80; do
        sed "1s/.*/$(printf "%${n}s" '' | tr ' ' x)/" "$T/a" | trjinfo - | has '^format	xdatcar$'
    done
}

@test "POSCAR: velocities are carried in Angstrom per ps, and fractions of the cell are not" {
    { head_of_vasp && printf '%s\n' Direct '0 0 0' '0.1 0 0' '0 0.1 0' '' '0.001 0 0' '0 -0.002 0' '0 0 0.0'; } >"$T/a"
    trjcat --carry velocity "$T/a" --to gro | sed -n 3,5p | grep -o '.\{24\}$' |
        same - <(printf '%s\n' '  0.1000  0.0000  0.0000' '  0.0000 -0.2000  0.0000' '  0.0000  0.0000  0.0000')
    { head_of_vasp && printf '%s\n' Direct '0 0 0' '0.1 0 0' '0 0.1 0' Direct \
        '0.001 0 0' '0 -0.002 0' '0 0 0.0'; } >"$T/b"
    fails 2 'the velocities are in cell vectors per time step, and the file does not give' \
        trjcat --carry velocity "$T/b"
    trjcat "$T/b" --to gro | same - <(trjcat "$T/a" --to gro)
    sed 's/^Direct/Reciprocal/' "$T/b" >"$T/r"
    trjcat "$T/r" --to gro | same - <(trjcat "$T/a" --to gro)
    sed 's/^Direct/fractional/' "$T/b" | trjcat - --to gro | same - <(trjcat "$T/a" --to gro)
    sed 's/^Direct/another word/' "$T/b" | trjcat --format poscar - --to gro | same - <(trjcat "$T/a" --to gro)
    # Behind the vectors of a lattice that moves.
    { head_of_vasp && printf '%s\n' Direct '0 0 0' '0.1 0 0' '0 0.1 0' 'Lattice velocities and vectors' 1 \
        '0 0 0' '0 0 0' '0 0 0' '10 0 0' '0 10 0' '0 0 10' '' '0.001 0 0' '0 -0.002 0' '0 0 0.0'; } >"$T/c"
    trjcat --carry velocity "$T/c" --to gro | same - <(trjcat --carry velocity "$T/a" --to gro)
    { head_of_vasp && printf '%s\n' Direct '0 0 0' '0.1 0 0' '0 0.1 0' '' 'a remark'; } >"$T/d"
    trjcat "$T/d" 2>&1 >/dev/null | has 'note: line 13 and what follows it are ignored: they are no velocities'
}

@test "POSCAR of VASP 4: names are those of the title if it has them, and otherwise numbers, with a note" {
    { head_of_vasp | sed '6d; 1s/.*/O H/' && printf '%s\n' Direct '0 0 0' '0.1 0 0' '0 0.1 0'; } >"$T/a"
    trjinfo --names "$T/a" | has '^element	H, atoms 2$'
    sed 1s/O/Water/ "$T/a" >"$T/b"
    trjinfo --names "$T/b" | has '^name	2, atoms 2$'
    trjinfo "$T/b" | has '^topology_note	it has no names of elements, as VASP 4 writes: atoms are named by the number of'
    sed '5a O H' "$T/b" | trjinfo --names - | has '^element	H, atoms 2$'
}

@test "XDATCAR: steps, --dt, names that change, and a last frame that is incomplete" {
    local frame=('0 0 0' '0.1 0 0' '0 0.1 0')
    { head_of_vasp && printf '%s\n' 'Direct configuration=    10' "${frame[@]}" && head_of_vasp &&
        printf '%s\n' 'Direct configuration=    20' "${frame[@]}"; } >"$T/XDATCAR"
    trjcat --dt 0.002 "$T/XDATCAR" --to xyz | grep -o 'step=.*' |
        same - <(printf '%s\n' 'step=10 time=0.02 time_unit=ps' 'step=20 time=0.04 time_unit=ps')
    head -n 21 "$T/XDATCAR" >"$T/cut"
    fails_cleanly 3 'frame 1: line 21: the file ends after this line, after 2 of 3 atoms; 1 complete frame' \
        trjcat "$T/cut"
    sed '17s/O H/H O/; 18s/1 2/2 1/' "$T/XDATCAR" >"$T/other"
    fails 3 'atom 0: the name is H, and O in the first frame' trjcat -g 'O=name O' "$T/other"
    cp "$T/XDATCAR" "$T/x.gro" # the second line is a number, as in GRO
    trjinfo "$T/x.gro" | has '^format	xdatcar$'
}

@test "numbers of atoms of 10^9 in small files: rejected without memory for them" {
    local count
    for count in '1000000000 1' '4000000000 1'; do
        { head_of_vasp | sed "7s/.*/$count/" && printf '%s\n' Direct '0 0 0'; } >"$T/a"
        (ulimit -v 400000 && fails 3 ' atoms' trjcat -j 1 -P none "$T/a")
        (ulimit -v 400000 && fails 3 ' atoms' trjinfo "$T/a")
        sed 's/^Direct/Direct configuration= 1/' "$T/a" >"$T/b"
        (ulimit -v 400000 && fails 3 ' atoms' trjcat -j 1 -P none "$T/b")
    done
}

@test "written POSCAR, XDATCAR and mmCIF: read back with the same names and coordinates" {
    { head_of_vasp | sed '3,5d; 2a 8 1 0\n-1 9 0.5\n0 2 10' &&
        printf '%s\n' 'Direct configuration= 3' '0.25 0.5 -0.125' '0.1 0 1.5' '0 0.1 0' && head_of_vasp &&
        printf '%s\n' 'Direct configuration= 7' '0 0 0' '0.1 0 0' '0 0.1 0'; } >"$T/a"
    trjcat "$T/a" --to xyz --decimals 6 >"$T/a.xyz"
    trjcat "$T/a" -o "$T/XDATCAR"
    trjcat "$T/XDATCAR" --to xyz --decimals 6 | same - "$T/a.xyz"
    trjcat -f 0 "$T/a" -o "$T/POSCAR"
    trjcat "$T/POSCAR" --to xyz --decimals 6 | same - <(sed -n '1,5s/ step.*//; 1,5p' "$T/a.xyz")
    fails 3 'a POSCAR contains one frame; select it with --frames, or write xdatcar' trjcat "$T/a" -o "$T/b.poscar"
    trjcat -P none "$T/a" -o "$T/a.cif"
    trjcat "$T/a.cif" --to xyz --decimals 6 | sed 1~5,2~5d | same - <(sed 1~5,2~5d "$T/a.xyz")
    fails 3 'frame 0: ' trjcat "$T/a" -o "$T/b.cif" # a is not along x
    trjcat -f 1 "$T/a" -o "$T/c.cif"
    trjcat "$T/c.cif" --to xyz --decimals 6 | sed 's/ step.*//' | same - <(sed -n '6,$s/ step.*//; 6,$p' "$T/a.xyz")
    trjcat -f 0 "$T/a" -o "$T/CONTCAR"
    same "$T/CONTCAR" "$T/POSCAR"
    fails 3 'xdatcar requires a cell that is periodic in all directions' trjcat -P none "$T/a" --to xdatcar
    # Velocities, and atoms of one element that are not consecutive.
    { head_of_vasp && printf '%s\n' Direct '0 0 0' '0.1 0 0' '0 0.1 0' '' '0.001 0 0' '0 -0.002 0' '0 0 0.0'; } >"$T/v"
    trjcat --carry velocity "$T/v" --to poscar | tail -n 3 | same - <(printf '%s\n' ' 0.001 0 0' ' 0 -0.002 0' ' 0 0 0')
    printf '%s\n' 3 'Lattice="9 0 0 0 9 0 0 0 9"' 'H 0 0 0' 'O 1 0 0' 'H 2 0 0' >"$T/w.xyz"
    trjcat "$T/w.xyz" --to poscar 2>&1 >"$T/w" |
        has 'note: the atoms of one element are not consecutive: 3 species are written for 2 elements'
    sed -n 6,7p "$T/w" | same - <(printf '%s\n' ' H O H' ' 1 1 1')
}

@test "written POSCAR, XDATCAR, mmCIF, CARD and extended XYZ: ASE, gemmi and MDAnalysis read the same" {
    need_formats
    need_python_module ase gemmi MDAnalysis
    trjcat "$FORMATS/xdatcar/XDATCAR_varcell_general.60" -f :7 -o "$T/XDATCAR"
    trjcat "$FORMATS/xdatcar/XDATCAR_varcell_general.60" -f :7 -o "$T/x.xyz"
    trjcat --carry velocity "$FORMATS/poscar/CONTCAR_general" -o "$T/POSCAR"
    trjcat "$FORMATS/poscar/CONTCAR_general" -o "$T/p.xyz"
    trjcat "$FORMATS/mmcif/model.cif" -o "$T/m.cif"
    trjcat "$FORMATS/mmcif/1crn.cif" -o "$T/c.cif"
    trjcat "$FORMATS/mmcif/1crn.cif" -o "$T/c.pdb"
    trjcat "$FORMATS/mmcif/1crn.cif" -o "$T/c.crd" 2>"$T/notes"
    trjcat "$FORMATS/charmm-crd/azb.crd" -o "$T/d.crd"
    trjcat --carry velocity,mass,charge -f :2 "$FORMATS/dlpoly-history/HISTORY_v4_lev2" -o "$T/h.xyz"
    trjcat --carry velocity -f :2 "$FORMATS/dlpoly-history/HISTORY_v4_lev2" | trjdump >"$T/h.dump"
    /usr/bin/python3 -W ignore - "$T" <<'END'
import sys
import ase.io, gemmi, MDAnalysis, numpy
T = sys.argv[1]
for written, format, xyz in (("XDATCAR", "vasp-xdatcar", "x.xyz"), ("POSCAR", "vasp", "p.xyz")):
    a, b = ase.io.read(T + "/" + written, ":", format), ase.io.read(T + "/" + xyz, ":", "extxyz")
    assert len(a) == len(b) and len(a) in (1, 7)
    for p, q in zip(a, b):
        assert p.get_chemical_symbols() == q.get_chemical_symbols()
        assert abs(p.positions - q.positions).max() < 1e-5 and abs(p.cell.array - q.cell.array).max() < 1e-8
s = gemmi.read_structure(T + "/m.cif")
assert [len(list(model.all())) for model in s] == [23] * 3
c = gemmi.read_structure(T + "/c.cif")
u = MDAnalysis.Universe(T + "/c.pdb")
atoms = [(x.residue.seqid.num, x.residue.name, x.atom.name, x.atom.element.name) for x in c[0].all()]
assert atoms == [(int(x.resid), x.resname, x.name, x.element.capitalize()) for x in u.atoms]
assert abs(numpy.array([x.atom.pos.tolist() for x in c[0].all()]) - u.atoms.positions).max() < 1e-3
assert abs(numpy.array(c.cell.parameters) - u.dimensions).max() < 1e-3
d = MDAnalysis.Universe(T + "/c.crd")
assert [(x.name, x.resname, int(x.resid)) for x in d.atoms] == [(x.name, x.resname, int(x.resid)) for x in u.atoms]
assert abs(d.atoms.positions - u.atoms.positions).max() < 1e-3
assert len(MDAnalysis.Universe(T + "/d.crd").atoms) == 24
lines, velocities = iter(open(T + "/h.dump")), []
for line in lines:
    if line.startswith("velocities"):
        velocities.append([numpy.frombuffer(bytes.fromhex(w), ">f4")[0] for w in next(lines).split()])
frames = ase.io.read(T + "/h.xyz", ":", "extxyz")
assert len(frames) == len(velocities) == 2
for p, v in zip(frames, velocities): # of the first atom, in Angstrom/ps
    assert abs(p.get_velocities()[0] * 1000 * ase.units.fs - v).max() < 1e-5
    assert p.get_masses()[0] == 39.0983 and p.get_initial_charges()[0] == 0.994 and p.arrays["atomtypes"][0] == "K+"
    assert p.info["time_unit"] == "ps" and p.pbc.all()
END
}
