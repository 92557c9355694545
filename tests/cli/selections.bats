#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Selections of real systems, compared with MDAnalysis, and index files.
load helper

# Two waters and two ions in a cube of 20 Angstrom.
gro() {
    printf '%s\n' 'two waters' 8 \
        '    1SOL     OW    1   0.100   0.100   0.100' '    1SOL    HW1    2   0.200   0.100   0.100' \
        '    1SOL    HW2    3   0.100   0.200   0.100' '    2SOL     OW    4   1.000   1.000   1.000' \
        '    2SOL    HW1    5   1.100   1.000   1.000' '    2SOL    HW2    6   1.000   1.100   1.000' \
        '    3NA      NA    7   1.900   0.100   0.100' '    4CL      CL    8   1.500   1.000   1.000' '   2 2 2' \
        >"$T/w.gro"
}

# picks EXPRESSION ATOMS: the selection gives exactly these atoms
picks() {
    local found
    found=$(echo "$1" | pick "$T/w.gro" "$T/w.gro" 0)
    [[ $found == "$2" ]] || { echo "$1: $found"; return 1; }
}

# grouped OPTION...: prints the groups of the stream
grouped() {
    trjcat "$@" "$T/w.gro" | trjdump | grep '^group '
}

@test "selections of real systems: agree with MDAnalysis" {
    need_shared
    local rc=0
    /usr/bin/python3 -W ignore tests/helpers/selections.py "$DATA" >"$T/out" 2>"$T/err" || rc=$?
    ((rc != 77 && rc != 127)) || skip 'no MDAnalysis for /usr/bin/python3'
    ((!rc)) || { cat "$T/out"; tail -n 3 "$T/err"; return 1; }
    has ' selections of atoms$' "$T/out"
}

@test "very skew cell, as CHARMM writes it: each hydrogen is near its oxygen" {
    need_shared
    local frame
    for frame in 0 5 9; do
        echo 'name H* and within 1.1 of name OH2' |
            pick "$DATA/dcd/tip125_tric_C36.psf" "$DATA/dcd/tip125_tric_C36.dcd" $frame |
            awk '{ exit NF != 250 }'
    done
}

@test "distances: use periodic images" {
    gro
    picks 'within 2.5 of ion' '0 2 6 7'
    picks 'around 2.5 ion' '0 2'
    picks 'exwithin 6 of name CL' '3 4 5'
    picks 'same residue as (name OW and within 2.5 of name NA)' '0 1 2'
    picks 'water and not hydrogen and x > 5' 3
    picks 'name OW and within 5 of protein' \
        "! selection 'name OW and within 5 of protein': selects none of the 8 atoms; names: HW1, HW2, OW, CL, NA; residue names: SOL, CL, NA"
}

@test "groups of groups: contain the right atoms" {
    gro
    grouped -t "$T/w.gro" -g 'OW=name OW' -g 'rest=not OW and not ion' -g 'both=OW or rest' >"$T/groups"
    printf '%s\n' 'group OW 0 3' 'group rest 1 2 4 5' 'group both 0 1 2 3 4 5' | same - "$T/groups"
    fails 2 "group b: selection 'a and all': unknown keyword 'a' at character 1" \
        trjcat -t "$T/w.gro" -g 'b=a and all' -g 'a=name OW' "$T/w.gro"
}

@test "index files: define groups" {
    gro
    printf '%s\n' '[ System ]' '1 2 3 4' '5 6 7 8' '[ Water&!H ]' '4 1' '[ Ion ] ; both' '7 8' >"$T/i.ndx"
    grouped -g "@$T/i.ndx:Ion" -g "O=@$T/i.ndx:Water&!H" -g 'none-of-them=not Ion and not O' >"$T/groups"
    printf '%s\n' 'group Ion 6 7' 'group O 0 3' 'group none-of-them 1 2 4 5' | same - "$T/groups"
    grouped -g "@$T/i.ndx" 2>"$T/notes" >"$T/groups"
    printf '%s\n' 'group System 0 1 2 3 4 5 6 7' 'group Ion 6 7' | same - "$T/groups"
    has "note: left out: 'Water&!H' has a name that is invalid for a group (use it with -g 'NAME=@.*i.ndx:Water&!H')" \
        "$T/notes"
    fails 2 "i.ndx: has no group 'Ions'; it has System, Water&!H, Ion" trjcat -g "@$T/i.ndx:Ions" "$T/w.gro"
    echo 9 >>"$T/i.ndx"
    fails 3 "i.ndx: line 8: atom 9 of group 'Ion', but the trajectory has 8; use the index file of this trajectory" \
        trjcat -g "@$T/i.ndx:Ion" "$T/w.gro"
    echo 9x >>"$T/i.ndx"
    fails 3 "i.ndx: line 9: '9x' is not an atom's number" trjcat -g "@$T/i.ndx:Ion" "$T/w.gro"
    sed -i 's/Water&!H/Water_O/; 8,9d' "$T/i.ndx"
    grouped -g "@$T/i.ndx" >"$T/groups"
    printf '%s\n' 'group System 0 1 2 3 4 5 6 7' 'group Water_O 0 3' 'group Ion 6 7' | same - "$T/groups"
}

@test "index files of gmx: read with equal groups" {
    need gmx
    need_shared
    gmx -quiet make_ndx -f "$DATA/xtc/adk_oplsaa.gro" -o "$T/gmx.ndx" <<<'q' >"$T/notes" 2>&1 ||
        skip "gmx make_ndx fails here"
    trjcat -g "@$T/gmx.ndx:Protein" -g "P=protein" -g "@$T/gmx.ndx:Backbone" -g "B=protein and name N CA C" \
        -g "W=@$T/gmx.ndx:SOL" -g 'S=water' -g "@$T/gmx.ndx:Ion" -g 'I=ion' -t "$DATA/xtc/adk_oplsaa.gro" -f 0 \
        "$DATA/xtc/adk_oplsaa.gro" | trjdump | grep '^group ' | cut -d ' ' -f 3- | awk '
            NR % 2 { expected = $0; next } { if ($0 != expected || !NF) { print "group", NR; bad = 1 } }
            END { exit bad || NR != 8 }'
}

@test "recipes with index files: digested, required, and counted again after a change" {
    gro
    printf '%s\n' '[ a ]' '1 2 3 4' '[ b ]' '4 5 6' >"$T/i.ndx"
    trjcat --digest -t "$T/w.gro" -g "O=@$T/i.ndx:a" -g 'all=all' "$T/w.gro" | trjdump |
        grep -c '^provenance input xxh3:' |
        awk '{ exit $1 != 3 }'
    printf '%s\n' 'trjrun: 1' 'stages:' "  atoms: {tool: trjcat, files: w.gro, group: ['@i.ndx', c=@i.ndx:a]}" \
        '  counts: {tool: rdfhist, from: atoms, engine: cpu, rmax: 9, bins: 10, output: a.rdfh}' >"$T/r.yaml"
    trjrun "$T/r.yaml" 2>&1 | has 'a.rdfh: done'
    trjrun "$T/r.yaml" 2>&1 | has 'a.rdfh: reused'
    trjrun --make "$T/r.yaml" | has 'i\.ndx'
    (cd "$T" && trjrun --verify a.rdfh) 2>"$T/notes"
    printf '%s\n' '[ a ]' '1 2 3' '[ b ]' '4 5 6' >"$T/i.ndx"
    fails 1 'i.ndx: has changed' trjrun --verify "$T/a.rdfh"
    trjrun "$T/r.yaml" 2>&1 | has 'a.rdfh: done'
    rm "$T/i.ndx"
    fails 3 "no file 'i.ndx' in the recipe's folder; paths are relative to this folder" trjrun "$T/r.yaml"
}

# Six atoms of two waters: OW 2, HW1 2, HW2 2.
waters() {
    printf '6\n\nOW 0 0 0\nHW1 1 0 0\nHW2 0 1 0\nOW 5 0 0\nHW1 6 0 0\nHW2 5 1 0\n' >"$T/w.xyz"
}

@test "unquoted ; | & or = in a name: rejected with its position and the remedy; quoted: part of the name" {
    waters
    local selection place
    for selection in 'name O|name H1:7' 'name O;H=name HW1:7' 'name O=H:7' 'name OW HW1|HW2:12' 'name OW&HW1:8' \
        'resname A;B:10' \
        'name OW and (element O|H):23'; do
        place=${selection##*:} selection=${selection%:*}
        if [[ $selection == resname* ]]; then
            printf 'one\n1\n    1A;B    O    1   0.000   0.000   0.000\n1 1 1\n' >"$T/x.gro"
            fails 2 "at character $place in a name without quotes; * quote the name if it contains" \
                trjcat -g "A=$selection" "$T/x.gro"
            trjcat -g 'A=resname "A;B"' "$T/x.gro" 2>"$T/notes" | trjdump | has '^group A 0$'
        else
            fails 2 "at character $place in a name without quotes; " trjcat -g "A=$selection" "$T/w.xyz"
        fi
    done
    fails 2 "'|' at character 7 in a name without quotes; use 'or' for alternatives, or quote" \
        trjcat -g 'A=name O|name H1' "$T/w.xyz"
    fails 2 "';' at character 7 in a name without quotes; give -g once for each group, or quote" \
        trjcat -g 'O=name O;H=name H' "$T/w.xyz"
    sed 's/HW1/O|H/' "$T/w.xyz" >"$T/bar.xyz"
    trjcat -c 9,9,9 -g "A=name 'O|H'" "$T/bar.xyz" 2>"$T/notes" | trjdump | has '^group A 0 1$'
    [[ ! -s $T/notes ]]
}

@test "names and patterns that match nothing: one note for each group, with a limit" {
    waters
    note() { trjcat -c 9,9,9 "$@" "$T/w.xyz" 2>&1 >"$T/out" |
        same - <(printf '%s' "${expected:+trjcat: note: $expected$'\n'}"); }
    expected='' note -g 'A=name OW HW*'
    expected='group A: no atom has the name HW3' note -g 'A=name OW HW3'
    expected='group A: no atom has the name HW3, the name X?, the name Y, the name Z, and 2 more' note \
        -g 'A=name OW HW3 X? Y Z U V'
    expected='group A: no atom has the name HW3; group B: no atom has the name Q' note -g 'A=name OW HW3' \
        -g 'B=not name Q'
    local i options=()
    for i in {1..11}; do options+=(-g "G$i=index 0 or name N$i"); done
    trjcat -c 9,9,9 "${options[@]}" "$T/w.xyz" 2>&1 >"$T/out" |
        has '; group G8: no atom has the name N8; and 3 more groups$'
}

@test "selection of no atoms: the error lists the names that exist" {
    waters
    fails 3 "selection 'name Q': selects none of the 6 atoms; names: HW1, HW2, OW" trjcat -g 'A=name Q' "$T/w.xyz"
    awk 'BEGIN { print "40\n"; for (i = 0; i < 40; i++) print (i < 10 ? "MANY" : "N" i), i, 0, 0 }' >"$T/many.xyz"
    fails 3 "; names: MANY, N10, N11, N12, N13, N14, N15, N16, N17, N18, N19, N20, ... (31 in all)" \
        trjcat -g 'A=name Q' "$T/many.xyz"
    printf 'one\n2\n    1WAT    OW    1   0.000   0.000   0.000\n    2NA     NA    2   0.500   0.000   0.000\n1 1 1\n' \
        >"$T/x.gro"
    fails 3 "selects none of the 2 atoms; names: NA, OW; residue names: NA, WAT" \
        trjcat -g 'A=name X and resname SOL' "$T/x.gro"
    fails 3 "selects none of the 2 atoms; residue names: NA, WAT" trjcat -g 'A=protein' "$T/x.gro"
    fails 3 "selects none of the 2 atoms; names: NA, OW; residue names: NA, WAT" trjcat -g 'A=name WAT' "$T/x.gro"
    fails 3 "selects none of the 2 atoms; elements: Na, O" trjcat -g 'A=element Zn' "$T/x.gro"
}

# model X Y OCCUPANCY...: a model of a PDB with atoms at x = 1, 2, ... if the occupancy is not 0, else at 0
model() {
    local i=0 occupancy
    echo 'CRYST1   50.000   50.000   50.000  90.00  90.00  90.00 P 1           1'
    for occupancy; do
        printf 'ATOM  %5d  O   SOL  %4d    %8.3f%8.3f%8.3f%6.2f%6.2f           O\n' \
            $((++i)) "$i" $((occupancy ? i : 0)) 0 0 "$occupancy" "$((10 * i))"
    done
    echo ENDMDL
}

@test "occupancy and bfactor: evaluated in each frame of a PDB, in the first frame of a topology" {
    { model 1 0 1; model 0 1 1; model 1 1 0; } >"$T/a.pdb"
    for threads in 1 3; do
        trjcat -j "$threads" -g 'A=occupancy > 0' "$T/a.pdb" >"$T/a.trjf"
        trjinfo -c "$T/a.trjf" | has '^groups	A, atoms 3, dynamic yes,.* atoms_min 2, atoms_max 2'
        # The distances are 2, 1 and 1 Å, and no pair is at 0.
        rdfhist -r 3 -b 3 <"$T/a.trjf" 2>/dev/null | counts | diff - <(printf '0\n2\n1\n')
    done
    trjcat -g 'B=bfactor 15:25' -g 'C=beta >= 30 and occupancy == 1' "$T/a.pdb" | trjinfo -c - >"$T/out"
    grep -q '^groups	B, atoms 3, dynamic yes,.* atoms_min 1, atoms_max 1' "$T/out"
    grep -q '^groups	C, atoms 3, dynamic yes,.* atoms_min 0, atoms_max 1' "$T/out"
    trjcat "$T/a.pdb" -o "$T/a.dcd" 2>/dev/null
    trjcat -t "$T/a.pdb" -g 'A=occupancy > 0' "$T/a.dcd" | trjinfo - | has '^groups	A, atoms 2, dynamic no'
    printf '1\n\nO 1 0 0\n' >"$T/b.xyz"
    fails 2 "'occupancy' at character 1: the XYZ file has no occupancies" trjcat -g 'A=occupancy > 0' "$T/b.xyz"
    sed '/^ATOM/s/^\(.\{54\}\)....../\1      /' "$T/a.pdb" >"$T/blank.pdb"
    fails 2 "'occupancy' at character 1: the PDB file has no occupancies" trjcat -g 'A=occupancy > 0' "$T/blank.pdb"
}

@test "open systems: occupancy is that of the frame" {
    { model 1 0 1; model 0 1 1 1; } >"$T/a.pdb"
    trjcat --open auto -g 'A=occupancy > 0' "$T/a.pdb" | trjinfo -c - | has 'atoms_min 2, atoms_max 3'
}

@test "many atoms at one place, as those of another box in PDB files of Monte Carlo programs: a note" {
    model 1 1 0 0 0 0 0 0 0 0 0 0 1 >"$T/a.pdb"
    trjcat "$T/a.pdb" 2>&1 >/dev/null | has 'a.pdb: note: frame 0: 10 atoms are at one place, 0 0 0 Angstrom'
    trjcat -g 'A=occupancy > 0' "$T/a.pdb" 2>"$T/err" >/dev/null
    [[ ! -s $T/err ]]
    model 1 1 0 0 0 0 0 0 0 0 0 1 >"$T/b.pdb"
    trjcat "$T/b.pdb" 2>"$T/err" >/dev/null
    [[ ! -s $T/err ]]
}
