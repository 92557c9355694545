#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjcat --whole, --centre and --fit: compared with MDAnalysis, GROMACS and numpy (tests/helpers/moved.py), g(r) of
# rotated cells, the block that declares the movements, and what rejects moved frames.
load helper

WATER=examples/water/water.dcd PDB=examples/water/water.pdb
OCTAHEDRON=$DATA/amber/tz2.truncoct

# fact KEY: prints the values of a key in a table of trjinfo
fact() {
    awk -F '\t' -v key="$1" '$1 == key { print substr($0, length(key) + 2) }'
}

# moved COMMAND ARGUMENT...: a check of moved.py
moved() {
    /usr/bin/python3 -W ignore tests/helpers/moved.py "$@" 2>"$T/notes" || { cat "$T/notes"; return 1; }
}

# to_xyz FILE ARGUMENT...: writes the output of trjcat to a file
to_xyz() {
    trjcat -o "$@" 2>"$T/notes" || { cat "$T/notes"; return 1; }
}

@test "--fit with a PDB as reference: positions of MDAnalysis, and the known rmsd" {
    need_shared
    need_python_module MDAnalysis
    local ref=$SHARED/data-maps/map/4ake_t.pdb
    [[ -e $ref ]] || skip 'no folder shared/data-maps'
    to_xyz "$T/fit.xyz" -t "$DATA/dcd/adk.psf" --fit "name CA:$ref" "$DATA/dcd/adk_dims.dcd"
    moved fit "$T/fit.xyz" "$ref" 'name CA' "$DATA/dcd/adk.psf" "$DATA/dcd/adk_dims.dcd" >"$T/rmsd"
    [[ $(grep -E '^(0|24|48|72|97) ' "$T/rmsd" | tr '\n' ' ') == '0 7.05 24 5.03 48 3.11 72 1.47 97 0.78 ' ]]
}

@test "--whole: bonds are the shortest images, and the first atom of each molecule is not moved, as computed by numpy" {
    need_shared
    need_python_module MDAnalysis
    bzip2 -dc "$DATA/dcd/ifabp_apo_100mM.data.bz2" >"$T/a.data"
    to_xyz "$T/a.xyz" -t "$T/a.data" -f :2 "$DATA/dcd/ifabp_apo_100mM.dcd"
    to_xyz "$T/b.xyz" -t "$T/a.data" -f :2 --whole "$DATA/dcd/ifabp_apo_100mM.dcd"
    [[ $(moved whole "$T/a.xyz" "$T/b.xyz" "$T/a.data") == True ]]
}

@test "--whole --centre in a truncated octahedron: the solute is in the centre, molecules are the nearest images" {
    need_shared
    need_python_module MDAnalysis
    bzip2 -dc "$OCTAHEDRON.parm7.bz2" >"$T/a.parm7"
    to_xyz "$T/a.xyz" -t "$T/a.parm7" "$OCTAHEDRON.nc"
    to_xyz "$T/b.xyz" -t "$T/a.parm7" --whole --centre 'index 0 to 219' "$OCTAHEDRON.nc"
    [[ $(moved centre "$T/b.xyz" 0 220 "$T/a.parm7") == 1869 ]]
    # Molecules whose atoms were wrapped one by one give the same.
    trjcat -t "$T/a.parm7" --centre 'index 4000' "$OCTAHEDRON.nc" -o "$T/wrapped.trjf" 2>/dev/null
    to_xyz "$T/c.xyz" -t "$T/a.parm7" -g 'all=all' --whole --centre 'index 0 to 219' "$T/wrapped.trjf"
    [[ $(moved centre "$T/c.xyz" 0 220 "$T/a.parm7") == 1869 ]]
}

@test "--whole and --fit: positions of gmx trjconv -pbc whole and -fit, if masses are equal" {
    need_shared
    need_python_module numpy
    need gmx
    cat >"$T/t.top" <<'TOP'
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/tip3p.itp"
[ system ]
water
[ molecules ]
SOL 258
TOP
    printf '%s\n' cutoff-scheme=verlet rlist=0.6 rvdw=0.6 rcoulomb=0.6 >"$T/m.mdp"
    (
        cd "$T" && export GMX_MAXBACKUP=-1
        gmx -quiet grompp -f m.mdp -c "$OLDPWD/$DATA/xtc/tip3p_300K_1ATM.pdb" -p t.top -o t.tpr -maxwarn 9
        echo 0 | gmx -quiet trjconv -f "$OLDPWD/$DATA/xtc/tip3p_300K_1ATM.xtc" -s t.tpr -pbc atom -e 20 -o atom.xtc
        echo 0 | gmx -quiet trjconv -f atom.xtc -s t.tpr -pbc whole -o whole.xtc
        echo 0 | gmx -quiet trjconv -f whole.xtc -s t.tpr -dump 0 -o first.gro
        printf '[ O ]\n%s\n[ System ]\n%s\n' "$(seq 1 3 774 | tr '\n' ' ')" "$(seq 774 | tr '\n' ' ')" >o.ndx
        printf 'O\nSystem\n' | gmx -quiet trjconv -f whole.xtc -s first.gro -n o.ndx -fit rot+trans -o fit.xtc
    ) >"$T/log" 2>&1 || { tail "$T/log"; return 1; }
    to_xyz "$T/ours.xyz" -t "$T/t.tpr" --whole "$T/atom.xtc"
    to_xyz "$T/theirs.xyz" -t "$T/t.tpr" "$T/whole.xtc"
    moved gromacs "$T/ours.xyz" "$T/theirs.xyz" 3
    to_xyz "$T/ours.xyz" -t "$T/t.tpr" --fit "name OW:$T/first.gro" "$T/whole.xtc"
    to_xyz "$T/theirs.xyz" -t "$T/t.tpr" "$T/fit.xtc"
    moved gromacs "$T/ours.xyz" "$T/theirs.xyz" 0
}

@test "g(r) after --fit: counts of rotated cells are exact, and differ from the original only by pairs near edges" {
    need_python_module numpy
    to_xyz "$T/a.xyz" -t $PDB -g 'O=name OW' -f :2 $WATER
    trjcat -t $PDB -g 'O=name OW' -f :2 --fit 'resid 1' $WATER -o "$T/b.trjf"
    to_xyz "$T/b.xyz" -t $PDB -g 'O=name OW' -f :2 --fit 'resid 1' $WATER
    moved cells "$T/a.xyz" "$T/b.xyz"
    counted -r 9 -b 9000 <"$T/b.trjf" >"$T/counts"
    moved pairs "$T/a.xyz" "$T/b.xyz" "$T/counts" 9 9000
    need_shared
    local psf=$DATA/dcd/tip125_tric_C36.psf dcd=$DATA/dcd/tip125_tric_C36.dcd
    to_xyz "$T/a.xyz" -t "$psf" -g 'O=name OH2' -f :3 "$dcd"
    to_xyz "$T/b.xyz" -t "$psf" -g 'O=name OH2' -f :3 --fit 'resid 1' "$dcd"
    trjcat -t "$psf" -g 'O=name OH2' -f :3 --fit 'resid 1' "$dcd" -o "$T/b.trjf"
    moved cells "$T/a.xyz" "$T/b.xyz"
    counted -r 10 -b 30000 <"$T/b.trjf" >"$T/counts"
    moved pairs "$T/a.xyz" "$T/b.xyz" "$T/counts" 10 30000
}

@test "the first frame is the default reference: it keeps its coordinates, and equals --fit with it as a file" {
    trjcat -t $PDB -f 3:9 --fit 'resid 1 to 5' $WATER -o "$T/a.trjf"
    trjcat -f 3:4 $WATER -o "$T/ref.trjf"
    same <(trjcat -f :1 "$T/a.trjf" | bare_frames) <(bare_frames <"$T/ref.trjf")
    trjcat -f 3:4 -t $PDB $WATER -o "$T/ref.gro" --decimals 6
    trjcat -t $PDB -f 3:9 --fit "resid 1 to 5:$T/ref.gro" $WATER -o "$T/b.xyz"
    to_xyz "$T/a.xyz" -t $PDB -f 3:9 --fit 'resid 1 to 5' $WATER
    [[ $(paste <(awk 'NF == 4 { print $2, $3, $4 }' "$T/a.xyz") <(awk 'NF == 4 { print $2, $3, $4 }' "$T/b.xyz") |
        awk '{ for (k = 1; k < 4; k++) { d = $k - $(k + 3); if (d * d > 1e-6) bad++ } } END { print NR, bad + 0 }') == '6174 0' ]]
}

# same_with_threads ARGUMENT...: trjcat writes the same frames with one and five threads
same_with_threads() {
    local move=(-t "$PDB" --centre 'resid 1 to 30' --fit 'name OW')
    trjcat "${move[@]}" "$@" -j 1 $WATER $WATER 2>/dev/null | trjdump | grep -v '^provenance' >"$T/one"
    trjcat "${move[@]}" "$@" -j 5 $WATER $WATER 2>/dev/null | trjdump | grep -v '^provenance' >"$T/five"
    same "$T/one" "$T/five"
    (($(wc -l <"$T/one") > 100))
}

@test "any number of threads gives the same frames, with --time, --frames, groups and several inputs" {
    same_with_threads
    same_with_threads -f 2:100:3
    same_with_threads --time 10:60
    same_with_threads --repeated drop
    same_with_threads -g 'O=name OW'
    same_with_threads -g 'C=com(resid 1 to 20)' -g 'N=within 5 of resid 1'
}

@test "the movements are recorded, copied by trjcat, and visible in trjinfo and provenance" {
    trjcat -t $PDB --centre 'resid 1' --fit 'name OW' $WATER -o "$T/a.trjf"
    trjinfo "$T/a.trjf" | fact movements >"$T/movements"
    [[ $(sed -n 1p "$T/movements") == 'centre, selection resid 1, atoms 3' ]]
    [[ $(sed -n 2p "$T/movements") == "fit, selection name OW, atoms 343, reference $WATER, frame 0, fingerprint "* ]]
    same "$T/movements" <(trjcat -f 2:4 "$T/a.trjf" | trjinfo - | fact movements)
    same "$T/movements" <(trjcat -t $PDB -g 'O=name OW' "$T/a.trjf" | trjinfo - | fact movements)
    trjcat --fit all "$T/a.trjf" | trjinfo - | fact movements >"$T/more"
    same "$T/movements" <(head -2 "$T/more")
    [[ $(sed -n 3p "$T/more") == 'fit, selection all, atoms 1029, reference '* ]]
    rdfhist -r 5 "$T/a.trjf" 2>/dev/null | rdfnorm | has -- "--centre 'resid 1' --fit 'name OW'"
    [[ $(trjcat $WATER | trjinfo - | fact movements) == '' ]]
    trjinfo --json "$T/a.trjf" | has '"kind": *"fit"'
    need_python_module struct
    python3 tests/helpers/decode_frames.py --blocks "$T/a.trjf" | has "^MOVE 2 3 'resid 1' '' 0 0"
}

@test "the bound of rounded coordinates: valid after a rotation, and for rounding after it" {
    trjcat --precision 0.01 $WATER -o "$T/a.trjf"
    [[ $(trjcat --fit all "$T/a.trjf" | trjinfo - | fact precision) == 0.0173205* ]]
    [[ $(trjcat --centre 'index 0' "$T/a.trjf" | trjinfo - | fact precision) == 0.01 ]]
    [[ $(trjcat --fit all --precision 0.02 $WATER | trjinfo - | fact precision) == 0.02 ]]
    to_xyz "$T/exact.xyz" -t $PDB --fit 'name OW' $WATER
    trjcat -t $PDB -f :5 --fit 'name OW' --precision 0.02 $WATER | trjcat -g all=all -t $PDB -o "$T/rounded.xyz" -
    paste <(awk 'NF == 4' "$T/exact.xyz" | head -5145) <(awk 'NF == 4' "$T/rounded.xyz") | awk '
        { for (k = 2; k < 5; k++) { d = $k - $(k + 4); if (d < 0) d = -d; if (d > most) most = d } }
        END { exit !(NR == 5145 && most > 0.005 && most < 0.020001) }'
}

@test "a reader without the block MOVE rejects the stream, because the block is required" {
    trjcat -t $PDB --fit 'name OW' $WATER -o "$T/a.trjf"
    local at # of the type, which is followed by the flags; bit 0: required
    at=$(grep -abo MOVE "$T/a.trjf" | head -1 | cut -d : -f 1)
    (($(od -A n -t u4 -j $((at + 4)) -N 4 "$T/a.trjf") & 1))
}

@test "packed coordinates of an XTC are not copied to a stream whose atoms were moved" {
    trjcat $WATER -o "$T/a.xtc"
    trjcat "$T/a.xtc" | has -a FRMX
    trjcat -t $PDB --fit 'name OW' "$T/a.xtc" -o "$T/b.trjf"
    [[ $(grep -ac FRMX "$T/b.trjf") == 0 ]]
    # The stream of packed coordinates, moved later, gives the same frames.
    trjcat "$T/a.xtc" | trjcat -t $PDB -g all=all --fit 'name OW' - | bare_frames >"$T/late"
    same <(bare_frames <"$T/b.trjf") "$T/late"
}

@test "--fit in a stream: groups of the stream and of -g can be selected, without a topology" {
    trjcat -t $PDB -g 'all=all' -g 'O=name OW' $WATER -o "$T/a.trjf"
    trjcat --fit O "$T/a.trjf" | bare_frames >"$T/stream"
    trjcat -t $PDB -g 'all=all' -g 'O=name OW' --fit O $WATER | bare_frames >"$T/file"
    same "$T/stream" "$T/file"
    trjcat -t $PDB -g 'O=name OW' --fit "O:$PDB" $WATER | trjinfo - | fact movements | has "reference $PDB, frame 0"
}

@test "the name of the reference file: colons in it and in the selection" {
    mkdir "$T/a:b"
    cp $PDB "$T/a:b/ref:1.pdb"
    trjcat -t $PDB --fit "resid 1:10:$T/a:b/ref:1.pdb" $WATER | trjinfo - | fact movements |
        has "selection resid 1:10, atoms 30, reference $T/a:b/ref:1.pdb"
    trjcat -t $PDB --fit 'resid 1:10 and name OW' $WATER | trjinfo - | fact movements |
        has 'selection resid 1:10 and name OW, atoms 10'
    fails_cleanly 1 '--fit: 4ake.pdb: No such file' trjcat -t $PDB --fit 'name OW:4ake.pdb' $WATER
}

@test "recipes: the reference of --fit is an input file, with its digest in the provenance" {
    cp $WATER $PDB "$T"
    printf '%s\n' 'trjrun: 1' 'stages:' \
        '  fit: {tool: trjcat, files: water.dcd, fit: "index 0 to 9:ref.pdb", output: fit.trjf}' >"$T/fit.yaml"
    fails 3 "fit.yaml:3:46: no file 'ref.pdb' in the recipe's folder" trjrun "$T/fit.yaml"
    cp $PDB "$T/ref.pdb"
    trjrun "$T/fit.yaml" 2>"$T/notes"
    trjinfo "$T/fit.trjf" | fact provenance | has 'input xxh3:[0-9a-f]* ref.pdb'
}

@test "invalid requests are rejected with a remedy" {
    fails_cleanly 3 "--fit: 'index 0 1' selects 2 atoms, expected at least 3, which do not lie on a line; select more" \
        trjcat --fit 'index 0 1' $WATER
    fails_cleanly 2 "depends on coordinates; select atoms that are the same in each frame, by names or numbers" \
        trjcat --centre 'x < 5' $WATER
    fails_cleanly 2 '--whole: the bonds are unknown; give a topology with bonds with -t' trjcat --whole -t $PDB $WATER
    fails_cleanly 2 '--fit and --segment: each segment would have its own first frame as reference; give one for all' \
        trjcat --fit all --segment 1/2 $WATER
    fails_cleanly 2 '--fit: the selection has * characters, expected at most 30000; use ranges such as' \
        trjcat --fit "index $(seq -s ' ' -f '%029g' 0 1029 | sed 's/^.//')" $WATER
    fails 2 "give a reference: --fit SELECTION:FILE" trjcat --fit all --time 10:20 <(cat $WATER)
    printf '4\n\nC 0 0 0\nC 1 1 1\nC 2 2 2\nC 9 8 1\n' >"$T/line.xyz"
    fails_cleanly 3 'line.xyz: frame 0: --fit: the best rotation is not unique: the selected atoms lie on a line' \
        trjcat --fit 'index 0 1 2' "$T/line.xyz"
    trjcat --fit 'index 0 1 3' "$T/line.xyz" | trjinfo - | fact movements | has 'atoms 3'
    printf '3\n\nC 0 0 0\nC 1 1 1\nO 9 8 1\n' >"$T/other.xyz"
    fails_cleanly 3 "other.xyz: 'all' selects 3 atoms here, but 4 in the trajectory; select atoms that both contain" \
        trjcat --fit "all:$T/other.xyz" "$T/line.xyz"
    fails_cleanly 3 'atom 2 (counted from 0) is O, but the corresponding atom 2 of the trajectory is C' \
        trjcat --fit "index 0 to 2:$T/other.xyz" "$T/line.xyz"
}

@test "an infinite molecule, and molecules broken by the boundary: rejected" {
    printf '%s\n' 'LAMMPS' '' '4 atoms' '4 bonds' '1 atom types' '1 bond types' '' '0 8 xlo xhi' '0 8 ylo yhi' \
        '0 8 zlo zhi' '' Masses '' '1 12' '' 'Atoms # bond' '' '1 1 1 0 0 0' '2 1 1 2 0 1' '3 1 1 4 0 0' '4 1 1 6 1 0' \
        '' Bonds '' '1 1 1 2' '2 1 2 3' '3 1 3 4' '4 1 4 1' >"$T/ring.data"
    printf '4\nLattice="8 0 0 0 8 0 0 0 8" pbc="T T T"\nC 0 0 0\nC 2 0 1\nC 4 0 0\nC 6 1 0\n' >"$T/ring.xyz"
    fails_cleanly 3 'frame 0: the molecule of the bonded atoms' trjcat -t "$T/ring.data" --whole "$T/ring.xyz"
    sed -e '/^4 bonds/s/4/3/' -e '/^4 1 4 1/d' "$T/ring.data" >"$T/chain.data"
    trjcat -t "$T/chain.data" --whole "$T/ring.xyz" >"$T/a.trjf"
    sed 's/C 6 1 0/C -2 1 0/' "$T/ring.xyz" >"$T/broken.xyz"
    fails_cleanly 3 '--fit: the periodic boundary breaks the bond between atoms 2 and 3 (counted from 0)' \
        trjcat -t "$T/chain.data" --fit all "$T/broken.xyz"
    # A reference that the boundary breaks is rejected, or made whole, too.
    trjcat "$T/broken.xyz" >"$T/broken.trjf"
    trjcat "$T/ring.xyz" >"$T/ring.trjf"
    fails_cleanly 3 'broken.trjf: the periodic boundary breaks the bond between atoms 2 and 3 (counted from 0)' \
        trjcat -t "$T/chain.data" --fit "all:$T/broken.trjf" "$T/ring.xyz"
    same <(trjcat -t "$T/chain.data" --whole --fit "all:$T/broken.trjf" "$T/ring.xyz" | bare_frames) \
        <(trjcat -t "$T/chain.data" --whole --fit "all:$T/ring.trjf" "$T/ring.xyz" | bare_frames)
    # Bonds between atoms that are not selected do not matter.
    trjcat -t "$T/chain.data" --fit 'index 0 1 2' "$T/broken.xyz" >"$T/b.trjf"
    same <(trjcat -t "$T/chain.data" --whole "$T/broken.xyz" | bare_frames) <(bare_frames <"$T/a.trjf")
    fails_cleanly 3 '--whole: no cell vector is periodic' trjcat -t "$T/chain.data" -P none --whole "$T/ring.xyz"
}

@test "--centre: at 0, 0, 0 without a cell; no shift in a direction in which the selection fills the cell" {
    printf '2\n\nC 1 2 3\nC 3 4 5\n' >"$T/a.xyz"
    to_xyz "$T/b.xyz" --centre all "$T/a.xyz"
    [[ $(tail -2 "$T/b.xyz" | tr '\n' ' ') == 'C -1 -1 -1 C 1 1 1 ' ]]
    # Atoms on both sides of the boundary along x; along y, they fill the cell.
    {
        printf '6\nLattice="20 0 0 0 12 0 0 0 40" pbc="T T T"\n'
        printf 'C %s\n' '1 0 35' '19 3 5' '1 6 35' '19 -3 5' '10 1 1' '10 1 21'
    } >"$T/a.xyz"
    to_xyz "$T/b.xyz" --centre 'index 0 to 3' "$T/a.xyz"
    has 'note: --centre: the selected atoms fill the cell along b, and are therefore not centred in this direction' "$T/notes"
    [[ $(tail -6 "$T/b.xyz" | tr '\n' ' ') == 'C 11 0 15 C 9 3 25 C 11 6 15 C 9 9 25 C 0 1 21 C 0 1 1 ' ||
        $(tail -6 "$T/b.xyz" | tr '\n' ' ') == 'C 11 0 15 C 9 3 25 C 11 6 15 C 9 9 25 C 20 1 21 C 20 1 1 ' ]]
}

@test "formats that cannot store a rotated cell reject it, and accept the frames without a cell" {
    local format
    for format in dcd xtc nc gro pdb; do
        fails 3 "frame 1: --fit has rotated the cell, but $format stores only cells with a along x" \
            trjcat -t $PDB --fit 'name OW' $WATER -o "$T/a.$format"
        trjcat -t $PDB --fit 'name OW' $WATER | trjcat -P none -g all=all -t $PDB -o "$T/a.$format" -
        trjcat -t $PDB --centre 'resid 1' $WATER -o "$T/b.$format"
    done
}

@test "rdfhist --lag: frames that were centred or superposed are rejected, whole molecules are not" {
    local option
    for option in --fit --centre; do
        trjcat -t $PDB $option 'name OW' $WATER -o "$T/a.trjf" 2>/dev/null
        fails 3 "rdfhist: --lag: each frame was moved by trjcat $option" rdfhist --lag 1 -r 5 "$T/a.trjf"
    done
    rdfhist -r 5 "$T/a.trjf" >"$T/a.rdfh" 2>/dev/null
    need_shared
    bzip2 -dc "$OCTAHEDRON.parm7.bz2" >"$T/a.parm7"
    trjcat -t "$T/a.parm7" -g 'O=name O' --whole "$OCTAHEDRON.nc" -o "$T/b.trjf" 2>/dev/null
    rdfhist --lag 1 -r 5 "$T/b.trjf" >"$T/b.rdfh" 2>/dev/null
}

@test "streams are joined only if their atoms were moved in the same way" {
    trjcat -t $PDB --fit "name OW:$PDB" -f :5 $WATER -o "$T/a.trjf"
    trjcat -t $PDB --fit "name OW:$PDB" -f 5: $WATER -o "$T/b.trjf"
    trjcat -t $PDB --fit "name OW:$PDB" $WATER | bare_frames >"$T/all"
    same <(trjcat "$T/a.trjf" "$T/b.trjf" | bare_frames) "$T/all"
    trjcat -f 5: $WATER -o "$T/c.trjf"
    fails 3 'c.trjf: its atoms were not moved in the same way as those of the first input' \
        trjcat "$T/a.trjf" "$T/c.trjf"
    fails 3 'a.trjf: its atoms were not moved in the same way' trjcat "$T/c.trjf" "$T/a.trjf"
}

# pdb ATOMS CONECT...: prints a PDB of a cell of 20 A. An atom is "name resname chain number x" and a newline.
pdb() {
    printf 'CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1\n'
    awk 'NF { printf "ATOM  %5d  %-3s %-4s%s%4d    %8.3f%8.3f%8.3f  1.00  0.00           %s\n",
        ++n, $1, $2, $3, $4, $5, n % 2, n % 3, substr($1, 1, 1) }' <<<"$1"
    shift
    (($# == 0)) || printf 'CONECT%s\n' "$@"
    echo END
}

@test "--whole and --fit with several inputs: inputs whose bonds differ are rejected, in any order" {
    local atoms=$'C1 LIG A 1 1\nC2 LIG A 1 19\nC3 LIG A 1 18'
    pdb "$atoms" '    1    2' '    2    3' >"$T/a.pdb"
    pdb "$atoms" '    1    2' '    1    3' >"$T/b.pdb"
    pdb "$atoms" '    3    2' '    2    1' '    1    2' >"$T/same.pdb"
    pdb "$atoms" >"$T/none.pdb"
    trjcat --whole "$T/a.pdb" "$T/same.pdb" | trjinfo - | has -x 'frames	2'
    fails_cleanly 3 'b.pdb: --whole: atoms 0 and 2 (counted from 0) are bonded either in this input or in the first' \
        trjcat --whole --to dcd -o "$T/x.dcd" "$T/a.pdb" "$T/b.pdb"
    fails_cleanly 2 'none.pdb: --whole: the bonds are unknown' trjcat --whole "$T/a.pdb" "$T/none.pdb"
    fails_cleanly 2 'none.pdb: --whole: the bonds are unknown' trjcat --whole "$T/none.pdb" "$T/a.pdb"
    trjcat -t "$T/a.pdb" --whole "$T/a.pdb" "$T/b.pdb" "$T/none.pdb" | trjinfo - | has -x 'frames	3'
    # Streams, also if atoms are not moved, because the output contains the bonds of the first one
    local name
    for name in a b same none; do trjcat -g all=all "$T/$name.pdb" >"$T/$name.trjf"; done
    fails_cleanly 3 'b.trjf: --whole: atoms 0 and 2 ' trjcat --whole "$T/a.trjf" "$T/b.trjf"
    fails_cleanly 3 'b.trjf: atoms 0 and 2 of the stream are bonded either in this input or in the first one' \
        trjcat "$T/a.trjf" "$T/b.trjf"
    fails_cleanly 3 'a.trjf: atoms 1 and 2 of the stream are bonded either' trjcat "$T/b.trjf" "$T/a.trjf"
    trjcat "$T/a.trjf" "$T/same.trjf" "$T/none.trjf" | trjinfo - | has -x 'frames	3'
    trjcat --to dcd -o "$T/x.dcd" "$T/a.trjf" "$T/b.trjf"
    fails_cleanly 3 'b.trjf: --fit: atoms 0 and 2 ' \
        trjcat -P none --to dcd -o "$T/x.dcd" --fit all "$T/a.trjf" "$T/b.trjf"
}

@test "--whole with virtual sites, which TPR files do not bond: they stay with their molecule" {
    # All atoms 17.1 A farther along x, wrapped into the cell of 20 A one by one; the first water lies along x.
    awk 'NR > 2 && NF > 3 { x = substr($0, 21, 8) + 1.71; x -= 2 * int(x / 2)
        $0 = substr($0, 1, 20) sprintf("%8.3f", x) substr($0, 29) } 1' tests/data/chains.gro >"$T/a.gro"
    to_xyz "$T/a.xyz" -t tests/data/chains.tpr --whole "$T/a.gro"
    [[ $(awk 'NR > 2 && NR < 7 { printf "%s %.1f ", $1, $2 }' "$T/a.xyz") == 'O 17.1 H 20.1 H 23.1 MW 26.1 ' ]]
    trjcat -t tests/data/chains.tpr -g all=all "$T/a.gro" | trjcat --whole - >"$T/stream.trjf"
    trjcat -t tests/data/chains.tpr -g all=all --whole "$T/a.gro" | bare_frames |
        same - <(bare_frames <"$T/stream.trjf")
    # With --centre, too
    to_xyz "$T/a.xyz" -t tests/data/chains.tpr --whole --centre 'index 0' "$T/a.gro"
    [[ $(awk 'NR > 2 && NR < 7 { printf "%s %.1f ", $1, $2 }' "$T/a.xyz") == 'O 10.0 H 13.0 H 16.0 MW 19.0 ' ]]
}

@test "--whole with CONECT for some residues only: rejected, because the other molecules would stay broken" {
    local atoms=$'N ALA A 1 1\nCA ALA A 1 19\nC1 LIG B 2 1\nC2 LIG B 2 19\nO HOH C 3 5'
    pdb "$atoms" '    3    4' >"$T/a.pdb"
    fails_cleanly 2 '--whole: some bonds are missing, because residues of several atoms contain atoms without bonds' \
        trjcat --whole "$T/a.pdb"
    trjcat -g all=all "$T/a.pdb" >"$T/a.trjf"
    fails_cleanly 2 '--whole: some bonds are missing' trjcat --whole "$T/a.trjf"
    pdb "$atoms" '    3    4' '    1    2' >"$T/b.pdb"
    trjcat --whole "$T/b.pdb" >"$T/b.trjf"
    trjcat -g all=all "$T/b.pdb" | trjcat --whole - | bare_frames | same - <(bare_frames <"$T/b.trjf")
}

@test "--fit with a PDB as reference: residues must correspond, so that a missing residue never shifts the others" {
    local atoms=$'CA ALA A 1 1\nCA HIS A 2 4\nCA ALA A 3 6\nCA ALA A 4 9\nCA GLY A 5 5'
    pdb "$atoms" >"$T/run.pdb"
    # Shifted numbers, another chain, a protonated histidine, more atoms
    pdb $'N ALA X 11 1\nCA ALA X 11 1\nCA HSP X 12 4\nCA ALA X 13 6\nCA ALA X 14 9\nCA GLY X 15 5' >"$T/ref.pdb"
    trjcat --fit "name CA:$T/ref.pdb" "$T/run.pdb" | trjinfo - | fact movements | has 'atoms 5'
    # A residue that the reference lacks, of the same name as the next one
    sed 's/ X  14/ X  15/; s/ X  15     *5.000/ X  16       5.000/' "$T/ref.pdb" >"$T/gap.pdb"
    fails_cleanly 3 \
        'the shift of the residue numbers differs from that of the preceding residues; select residues that both have' \
        trjcat --fit "name CA:$T/gap.pdb" "$T/run.pdb"
    sed 's/HSP/PRO/' "$T/ref.pdb" >"$T/mutant.pdb"
    fails_cleanly 3 \
        'atom 2 (counted from 0) is CA of PRO 12, but the corresponding atom 1 of the trajectory is CA of HIS' \
        trjcat --fit "name CA:$T/mutant.pdb" "$T/run.pdb"
    # A stream that carries the names
    trjcat --carry name,resname,resid -g all=all "$T/run.pdb" -o "$T/run.trjf"
    sed 1,2d "$T/ref.pdb" >"$T/ca.pdb"
    sed 1,2d "$T/gap.pdb" >"$T/ca_gap.pdb"
    trjcat --fit "all:$T/ca.pdb" "$T/run.trjf" | trjinfo - | fact movements | has 'atoms 5'
    fails_cleanly 3 'the shift of the residue numbers differs from that of the preceding residues; select residues' \
        trjcat --fit "all:$T/ca_gap.pdb" "$T/run.trjf"
    # The remedies: other residues, and a reference without names
    trjcat --fit "name CA and not resname HIS PRO:$T/mutant.pdb" "$T/run.pdb" | trjinfo - | fact movements |
        has 'atoms 4'
    local ref
    for ref in ref gap mutant; do
        trjcat -g 'A=name CA' "$T/$ref.pdb" -o "$T/$ref.trjf"
        trjcat --fit "name CA:$T/$ref.trjf" "$T/run.pdb" | bare_frames >"$T/$ref.frames"
    done
    trjcat --fit "name CA:$T/ref.pdb" "$T/run.pdb" | bare_frames | same - "$T/ref.frames"
    same "$T/ref.frames" "$T/gap.frames"
    trjcat -g 'A=name CA or resname HIS' -g 'N=name N' "$T/ref.pdb" -o "$T/more.trjf"
    fails_cleanly 3 "6 atoms without names, but the trajectory has 5, and 'index 0 1 2' selects 3 of them" \
        trjcat --fit "index 0 1 2:$T/more.trjf" "$T/run.pdb"
    # The elements of a stream are compared.
    pdb $'N ALA A 1 1\nC ALA A 1 4\nO ALA A 1 6\nF ALA A 1 1' >"$T/a.pdb"
    trjcat -g 'A=index 0 1 3' "$T/a.pdb" -o "$T/a.trjf"
    trjcat --fit "index 0 1 3:$T/a.trjf" "$T/a.pdb" | trjinfo - | fact movements | has 'atoms 3'
    fails_cleanly 3 'a.trjf: atom 2 (counted from 0) is F, but the corresponding atom 2 of the trajectory is O; give' \
        trjcat --fit "index 0 1 2:$T/a.trjf" "$T/a.pdb"
    trjcat -g all=all "$T/a.pdb" -o "$T/b.trjf"
    fails_cleanly 3 'a.trjf: atom 2 (counted from 0) is F, but' trjcat --fit "index 0 1 2:$T/a.trjf" "$T/b.trjf"
}

@test "a stream of some atoms with a topology for --carry: bonds are those of the stream, not of the topology" {
    local atoms=$'C1 LIG A 1 1\nC2 LIG A 1 2\nC3 LIG A 1 4\nC4 LIG B 2 19\nC5 LIG B 2 1\nC6 LIG B 2 3'
    pdb "$atoms" '    1    2' '    2    3' '    4    5' '    5    6' >"$T/a.pdb"
    trjcat -g 'A=index 3 4 5' "$T/a.pdb" -o "$T/some.trjf"
    trjcat -t "$T/a.pdb" --carry name --whole "$T/some.trjf" | bare_frames >"$T/whole"
    same "$T/whole" <(trjcat --whole "$T/some.trjf" | bare_frames)
    trjcat -t "$T/a.pdb" --carry name --fit A -P none "$T/some.trjf" >"$T/fit.trjf"
    pdb "$atoms" '    1    2' '    2    3' '    4    6' '    5    6' >"$T/c.pdb"
    trjcat -g 'A=index 3 4 5' "$T/c.pdb" -o "$T/other.trjf"
    fails_cleanly 3 'other.trjf: --whole: atoms 0 and 2 (counted from 0) are bonded' \
        trjcat -t "$T/a.pdb" --carry name --whole "$T/some.trjf" "$T/other.trjf"
    # A stream of all atoms without bonds uses those of the topology.
    pdb "$atoms" >"$T/b.pdb"
    trjcat -g all=all "$T/b.pdb" | trjcat -t "$T/a.pdb" --carry name --whole - | bare_frames >"$T/all"
    same "$T/all" <(trjcat --whole "$T/a.pdb" | bare_frames)
}
