#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files with atom names or types in each frame must not change them in a later frame if they are used.
load helper

accepted() { # accepted COMMAND...: the command succeeds
    "$@" >/dev/null 2>"$T/err" || { cat "$T/err"; return 1; }
}

xyz() { # xyz NAMES...: prints a frame for each argument, one letter for each atom
    local names i f=0
    for names; do
        printf '%d\nframe\n' ${#names}
        for ((i = 0; i < ${#names}; i++)); do echo "${names:i:1} $i $f 0.5"; done
        f=$((f + 1))
    done
}

dump() { # dump COLUMNS FRAME...: prints frames whose rows are separated by /
    local columns=$1 frame n=0
    shift
    for frame; do
        printf 'ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS %s\n' \
            $n "$columns"
        tr / '\n' <<<"$frame"
        n=$((n + 1))
    done
}

@test "XYZ, changed names: rejected where the names are used, accepted elsewhere" {
    xyz OHH HHO >"$T/swap.xyz"
    local what="$T/swap.xyz: frame 1: atom 0: the name is H, and O in the first frame"
    fails 3 "$what" trjcat -g 'O=name O' "$T/swap.xyz"
    fails 3 "$what" trjcat -g 'H=within 2 of element O' "$T/swap.xyz"
    fails 3 "$what" trjcat -g 'C=com(all) per group' "$T/swap.xyz"
    fails 3 "$what" trjcat --by element "$T/swap.xyz"
    fails 3 "$what" trjcat -g 'A=all' "$T/swap.xyz" # the stream contains elements
    fails 3 "$what" trjcat --to xyz "$T/swap.xyz"
    fails 3 "$what" trjcat -o "$T/out.pdb" "$T/swap.xyz"
    [[ ! -e $T/out.pdb ]]
    accepted trjcat "$T/swap.xyz"
    accepted trjcat --to dcd "$T/swap.xyz"
    accepted trjcat -g 'A=index 0' --to dcd "$T/swap.xyz"
    xyz OHH >"$T/names.xyz"
    accepted trjcat -t "$T/names.xyz" -g 'O=name O' "$T/swap.xyz"
    ln -s swap.xyz "$T/link.xyz" # the topology is the same file, which contains all names
    fails 3 "$what" trjcat -t "$T/link.xyz" -g 'O=name O' "$T/swap.xyz"
    fails 3 "$what" trjcat -t "$T/link.xyz" "$T/swap.xyz"
    trjcat "$T/swap.xyz" >"$T/trjf"
    accepted trjcat -g 'A=index 0' "$T/trjf"
    accepted trjcat -f 0 -g 'O=name O' "$T/swap.xyz"
    fails 3 "$what" trjcat -f 1 -g 'O=name O' "$T/swap.xyz"
}

@test "changed names: the message gives the frame for any number of threads; frames outside the range are ignored" {
    local frames=() f j
    for ((f = 0; f < 60; f++)); do frames+=(OHHOHH); done
    frames[37]=OHHHOH frames[41]=HOHOHH
    xyz "${frames[@]}" >"$T/long.xyz"
    local what="long.xyz: frame 37: atom 3: the name is H, and O in the first frame"
    for j in 1 2 5; do
        fails 3 "$what" trjcat -j $j -g 'O=name O' "$T/long.xyz"
        fails 3 "$what" trjcat -j $j -f 11: -g 'O=name O' "$T/long.xyz"
        fails 3 "$what" trjcat -j $j -f 1::2 --to gro -c 9,9,9 "$T/long.xyz"
        fails 3 "frame 41: atom 0: the name is H," trjcat -j $j -f 38: -g 'O=name O' "$T/long.xyz"
        fails 3 "$what" trjcat -j $j --segment 2/2 -g 'O=name O' "$T/long.xyz"
        accepted trjcat -j $j --segment 1/2 -g 'O=name O' "$T/long.xyz"
        accepted trjcat -j $j -f ::2 -g 'O=name O' "$T/long.xyz"
        accepted trjcat -j $j -f :37 -g 'O=name O' "$T/long.xyz"
        accepted trjcat -j $j -f 42: -g 'O=name O' "$T/long.xyz"
    done
    xyz "${frames[@]:0:37}" >"$T/good.xyz"
    xyz OHHOHH OHHHOH >"$T/short.xyz"
    fails 3 'short.xyz: frame 1: atom 3: the name is H,' trjcat -g 'O=name O' "$T/good.xyz" "$T/short.xyz"
}

@test "atom outside all groups that becomes a member: detected" {
    dump 'id type x y z' '1 1 0 0 0/2 2 1 0 0/3 2 2 0 0' '3 1 2 0 0/1 1 0 0 1/2 2 1 0 0' >"$T/a.dump"
    fails 3 'a.dump: frame 1: atom 2: the type is 1, and 2 in the first frame' trjcat -g 'A=type 1' "$T/a.dump"
    xyz ONN OON >"$T/a.xyz"
    fails 3 'a.xyz: frame 1: atom 1: the name is O, and N in the first frame' trjcat -g 'O=name O' "$T/a.xyz"
}

@test "LAMMPS dump: atoms are compared by id for any order of rows and columns; without ids by row" {
    dump 'id type x y z' '3 1 0 0 0/1 2 1 0 0/2 3 2 0 0' '1 2 1 0 0/2 3 2 0 0/3 1 0 0 1' >"$T/sorted"
    accepted trjcat -g 'A=type 1' "$T/sorted"
    { dump 'id type x y z' '1 1 0 0 0/2 2 1 0 0/3 2 2 0 0' &&
        dump 'x y z mol type id' '1 0 0 7 2 2/0 0 0 7 1 1/2 0 0 7 2 3'; } >"$T/columns"
    accepted trjcat -g 'A=type 1' "$T/columns" # columns that only one frame has are not compared
    dump 'id element mol x y z' '1 O 1 0 0 0/2 H 1 1 0 0/3 H 1 2 0 0' '2 H 1 1 0 0/1 O 1 0 0 0/3 H 2 2 0 0' >"$T/mol"
    fails 3 'mol: frame 1: atom 2: the molecule-ID is 2, and 1 in the first frame' trjcat -g 'A=element O' "$T/mol"
    dump 'type x y z' '1 0 0 0/2 1 0 0/2 2 0 0' '2 1 0 0/1 0 0 0/2 2 0 0' >"$T/rows"
    fails 3 'rows: frame 1: atom 0: the type is 2, and 1 in the first frame' trjcat -g 'A=type 1' "$T/rows"
    accepted trjcat -g 'A=index 0 1' "$T/rows" # the stream contains neither elements nor molecules
    dump 'id type q x y z' '1 1 0.5 0 0 0/2 2 -1 1 0 0/3 2 0.5 2 0 0' '1 1 0.4 0 0 0/2 2 -1 1 0 0/3 2 0.6 2 0 0' \
        >"$T/charges"
    accepted trjcat -g 'A=type 1' "$T/charges"
    fails 3 'charges: frame 1: atom 0: the charge is 0.4, and 0.5 in the first frame' \
        trjcat -g 'A=charge > 0' "$T/charges"
}

@test "extended XYZ: species, atomic numbers and masses are compared, in any columns" {
    local head='Properties=pos:R:3:species:S:1:masses:R:1:charges:R:1'
    printf '2\n%s\n0 0 0 O 16 -1\n1 0 0 H 1 1\n' "$head" >"$T/e.xyz"
    printf '2\nProperties=species:S:1:pos:R:3\nO 0 0 0\nH 1 0 0\n' >>"$T/e.xyz"
    printf '2\n%s\n0 0 0 O 16 -2\n1 0 0 H 2 2\n' "$head" >>"$T/e.xyz"
    fails 3 'e.xyz: frame 2: atom 1: the mass is 2, and 1 in the first frame' trjcat -g 'O=name O' "$T/e.xyz"
    fails 3 'e.xyz: frame 2: atom 0: the charge is -2, and -1 in the first frame' trjcat -g 'O=charge < 0' "$T/e.xyz"
    accepted trjcat -f :2 -g 'O=charge < 0' "$T/e.xyz"
    # Two columns of charges: the first is that of the topology.
    printf '1\nProperties=species:S:1:pos:R:3:initial_charges:R:1:charges:R:1\nO 0 0 0 -1 %s\n' 2 3 >"$T/two.xyz"
    accepted trjcat -g 'O=charge < 0' "$T/two.xyz"
}

@test "GRO and PDB: names and residues are compared at any position in their columns; atom numbers may differ" {
    gro() { printf 'w\n2\n%s\n%s\n9 9 9\n' "$1   0.000   0.000   0.000" "$2   1.000   0.000   0.000"; }
    { gro '    1SOL     OW    1' '    1SOL    HW1    2' &&
        gro '    1  SOL   OW   77' '1    SOL  HW1      2'; } >"$T/a.gro"
    accepted trjcat -g 'O=name OW' "$T/a.gro"
    { cat "$T/a.gro" && gro '    1SOL     OW    1' '    2SOL    HW1    2'; } >"$T/b.gro"
    fails 3 'b.gro: frame 2: atom 1: the residue number is 2, and 1 in the first frame' \
        trjcat -o "$T/b.xyz" "$T/b.gro"
    pdb() { printf 'MODEL\n%s\n%s\nENDMDL\n' "$1" "$2"; }
    local one='ATOM      1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O'
    local two='ATOM      2  H1  HOH A   1       1.000   0.000   0.000  1.00  0.00           H'
    { pdb "$one" "$two" && pdb "${one/    1 /   71 }" "${two:0:54}"; } >"$T/a.pdb"
    accepted trjcat -g 'O=name O' "$T/a.pdb"
    { cat "$T/a.pdb" && pdb "$one" "${two/ A / B }"; } >"$T/b.pdb"
    fails 3 'b.pdb: frame 2: atom 1: the chain is B, and A in the first frame' trjcat -g 'O=name O' "$T/b.pdb"
    { cat "$T/a.pdb" && pdb "$two" "$one"; } >"$T/c.pdb"
    fails 3 'c.pdb: frame 2: atom 0: the name is H1, and O in the first frame' trjcat --to pdb "$T/c.pdb"
    accepted trjcat "$T/c.pdb"
}

@test "no common columns: rejected; a topology that is the same file as standard input: compared" {
    printf '%s\n' 2 Properties=species:S:1:pos:R:3 'O 0 0 0' 'H 1 1 1' 2 Properties=Z:I:1:pos:R:3 '1 0 0 0' '8 1 1 1' \
        >"$T/z.xyz"
    fails 3 'frame 1: atom 0: no name or residue field in common with the first frame' \
        trjcat -g 'O=element O' "$T/z.xyz"
    xyz OHH HHO >"$T/t.xyz"
    ln "$T/t.xyz" "$T/same.xyz"
    if trjcat -t "$T/same.xyz" -g 'O=name O' - <"$T/t.xyz" >"$T/out" 2>"$T/err"; then return 1; fi
    grep -q 'stdin: frame 1: atom 0: the name is H, and O in the first frame' "$T/err"
}

@test "trjinfo: reports the number of frames with other names, and the first one" {
    xyz OHH OHH HHO HOH >"$T/t.xyz"
    trjinfo -c "$T/t.xyz" >"$T/facts"
    has '^check	ok$' <"$T/facts"
    has '^names_differ	2$' <"$T/facts"
    has '^names_differ_at	frame 2: atom 0: the name is H, and O in the first frame$' <"$T/facts"
    xyz OHH OHH >"$T/t.xyz"
    trjinfo -c "$T/t.xyz" >"$T/facts"
    has '^names_differ	0$' <"$T/facts"
    run ! grep -q '^names_differ_at' "$T/facts"
    trjinfo -c examples/water/water.dcd >"$T/facts"
    run ! grep -q '^names_differ' "$T/facts"
}

@test "real files: the atoms have the same names in all frames" {
    need_shared
    local file differ
    while read -r file; do
        trjinfo -c "$file" >"$T/facts" 2>/dev/null || continue
        differ=$(sed -n 's/^names_differ\t//p' "$T/facts")
        [[ ${differ:-0} == 0 ]] || { echo "$file: $differ"; return 1; }
    done < <(find -L "$DATA" -type f \( -name '*.xyz' -o -name '*.gro' -o -name '*.pdb' -o -name '*.lammpstrj' \) \
        -size -20M)
}
