#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Dynamic groups, and groups of centres.
load helper

WATER=examples/water/water.dcd PDB=examples/water/water.pdb
NEAR='name OW and within 4.5 of index 0'

# Counts each frame separately, with fixed groups that contain the members which `trjdump` prints.
frame_by_frame() { # FRAMES RDFHIST-OPTION...
    local frames=$1 f
    shift
    for ((f = 0; f < frames; f++)); do
        local near far
        near=$(sed -n "$((f + 1))p" "$T/near") far=$(sed -n "$((f + 1))p" "$T/far")
        trjcat -f $f -g "near=index $near" -g "far=index $far" -g "O=index $(seq -s ' ' 0 3 1028)" "$WATER" |
            counted "$@" >"$T/counts.$f"
    done
    paste "$T"/counts.[0-9]* | awk -v n="$frames" '{ columns = NF / n
        for (c = 1; c <= columns; c++) { s = 0; for (f = 0; f < n; f++) s += $(f * columns + c)
        printf "%s%d", (c > 1 ? "\t" : ""), s }
        print "" }'
}

@test "dynamic groups: every engine counts the same as fixed groups frame by frame" {
    trjcat -f :7 -t "$PDB" -g "near=$NEAR" -g 'far=name OW and not near' -g 'O=name OW' "$WATER" >"$T/trjf"
    trjdump <"$T/trjf" >"$T/dump"
    [[ $(grep '^group' "$T/dump" | cut -d ' ' -f 1-3 | tr '\n' ,) \
        == 'group near changes,group far changes,group O 0,' ]]
    # The stream contains only oxygens: its n-th atom is atom 3 n.
    for group in near far; do
        sed -n "s/^in $group //p" "$T/dump" |
            awk '{ for (i = 1; i <= NF; i++) printf "%d ", 3 * $i; print "" }' >"$T/$group"
    done
    paste -d ' ' "$T/near" "$T/far" | awk '{ if (NF != 343) bad = 1; n[NF]++ } END { exit bad || NR != 7 }'
    local f
    for f in 0 3 6; do # the members, as the selection gives them for that frame alone
        [[ $(sed -n "$((f + 1))p" "$T/near" | xargs) == "$(echo "$NEAR" | pick "$PDB" "$WATER" "$f")" ]]
    done
    frame_by_frame 7 -e reference -b 50 -r 9 -p near:near -p near:far -p near:O -p O:O >"$T/expected"
    for engine in reference cpu; do
        counted -e $engine -b 50 -r 9 -p near:near -p near:far -p near:O -p O:O "$T/trjf" | same "$T/expected" -
    done
}

@test "dynamic groups: rdfnorm divides by the pairs of each frame" {
    trjcat -f :7 -t "$PDB" -g "near=$NEAR" -g 'O=name OW' "$WATER" >"$T/trjf"
    rdfhist -B 0 -e cpu -b 30 -r 9 -p near:O -p near:near "$T/trjf" 2>/dev/null >"$T/rdfh"
    # The sizes of the group and the volumes of the frames.
    trjdump <"$T/trjf" | awk \
        '/^frame/ { for (i = 1; i <= NF; i++) if ($i == "cell") v = $(i + 1) * $(i + 5) * $(i + 9) } /^in near/ { printf "%d %.17g\n", NF - 2, v }' \
        >"$T/frames"
    local options
    for options in density mdanalysis gromacs; do
        paste <(rdfnorm -n $options "$T/rdfh" | rows) <(rdfnorm -c "$T/rdfh" | rows) |
            awk -v norm=$options 'function differ(a, b) { d = a - b
            return (d < 0 ? -d : d) > 1e-9 * (b < 0 ? -b : b) + 1e-12 }
            NR == FNR { n = $1; v = $2; F++; V += v; atoms += n
                p = norm == "density" ? n * 343 - n : n * 343; q = norm == "gromacs" ? n * n / 2 : n * (n - 1) / 2
                P += p; Q += q; PV += p / v; QV += q / v; next }
            { shell = 16 * atan2(1, 1) / 3 * ($7 ^ 3 - $6 ^ 3); s += $8; t += $9
              if (norm == "mdanalysis") { PV = P / (V / F); QV = Q / (V / F) }
              if (differ($2, $8 / (PV * shell)) || differ($3, s / atoms) || differ($4, $9 / (QV * shell)) ||
              differ($5, 2 * t / atoms)) { print; bad = 1 } }
            END { exit bad || FNR != 30 }' "$T/frames" -
    done
    local mean
    mean=$(awk '{ s += $1 } END { printf "%.10g", s / NR }' "$T/frames")
    rdfnorm "$T/rdfh" | has "^# group near: on average $mean of 343 atoms\$"
    fails 3 \
        '*the volume varies within a record, and this convention divides by the volume of each frame; count with rdfhist -B 1' \
        rdfnorm -n vmd "$T/rdfh"
    rdfhist -e cpu -B 1 -b 30 -r 9 -p near:O "$T/trjf" 2>/dev/null | rdfnorm -n vmd | rows >"$T/vmd"
    [[ $(wc -l <"$T/vmd") == 30 ]]
}

@test "streams with the same number of other atoms: not joined" {
    trjcat -f 0 -g 'A=index 0 3' "$WATER" -o "$T/a.trjf"
    trjcat -f 1 -g 'A=index 1 4' "$WATER" -o "$T/b.trjf"
    trjcat -f 1 -g 'A=index 0 3' "$WATER" -o "$T/c.trjf"
    fails 3 '*b.trjf: its atoms differ from those of the first input' trjcat "$T/a.trjf" "$T/b.trjf"
    trjcat "$T/a.trjf" "$T/c.trjf" | trjdump | has '^frame 1 '
}

@test "dynamic group that is empty in some frames: counted as usual; in all frames: rejected by rdfnorm" {
    mkdcd --atoms 50 --frames 6 --cell 20,20,20 --breathe 0.1 --seed 4 >"$T/dcd"
    trjcat -g 'few=x < 1 and within 3 of index 7' -g all=all "$T/dcd" >"$T/trjf"
    trjdump <"$T/trjf" | has '^in few$'
    rdfhist -B 0 -e cpu -b 10 -r 9 -p few:all -p all:all "$T/trjf" 2>/dev/null >"$T/rdfh"
    same <(counts "$T/rdfh") <(rdfhist -B 0 -e reference -b 10 -r 9 -p few:all -p all:all "$T/trjf" | counts)
    trjcat -g 'never=x < -1e6' -g all=all "$T/dcd" | rdfhist -B 0 -e cpu -b 10 -r 9 -p never:all 2>/dev/null >"$T/rdfh"
    fails 3 '*groups never and all contain no pair of different atoms in any frame; choose other groups' \
        rdfnorm "$T/rdfh"
    [[ $(counts "$T/rdfh" | sort -u) == 0 ]]
}

@test "streams with dynamic groups: copied, selected, compressed and joined; their records can be added" {
    local groups=(-t "$PDB" -g "near=$NEAR" -g 'W=cog(resname SOL)')
    trjcat "${groups[@]}" "$WATER" -f :20 >"$T/a"
    trjcat "${groups[@]}" "$WATER" -f 20:40 >"$T/b"
    trjcat "${groups[@]}" "$WATER" -f :40 | trjdump | grep -v ^prov >"$T/whole"
    trjcat "$T/a" "$T/b" | trjcat -z 5 - | trjdump | grep -v ^prov | same "$T/whole" -
    same <(trjcat -f 19:30:5 "$T/a" "$T/b" | trjdump | grep -v ^prov | grep -v ^group) \
        <(trjcat "${groups[@]}" "$WATER" -f 19:30:5 | trjdump | grep -v ^prov | grep -v ^group)
    for part in a b; do rdfhist -B 0 -e cpu -b 20 -r 9 "$T/$part" 2>/dev/null >"$T/$part.rdfh"; done
    cat "$T/a.rdfh" "$T/b.rdfh" | rdfnorm | rows >"$T/sum"
    # Two records have standard errors, in the third and the sixth column.
    trjcat "${groups[@]}" "$WATER" -f :40 | rdfhist -B 0 -e cpu -b 20 -r 9 2>/dev/null | rdfnorm | rows >"$T/once"
    cut -f 1,2,4,5,7 "$T/sum" | same - "$T/once"
    trjcat -g 'near=all' -g 'W=all' "$WATER" -f :2 >"$T/other"
    fails 3 "*other: its groups have 1029 atoms and 0 centres, but those of the first input 343 and 343" \
        trjcat "$T/a" "$T/other"
    fails 2 \
        '*: contains 343 of the 1029 atoms of its trajectory; select groups where trjcat reads the trajectory itself' \
        trjcat -g 'x=all' "$T/a"
}

@test "centres: agree with MDAnalysis" {
    need_shared
    need_python_module MDAnalysis
    trjcat -f ::5 -t "$DATA/dcd/tip125_tric_C36.psf" -g 'W=com(all)' -g 'G=cog(name O* or name H1) per molecule' \
        -g 'O=name OH2' \
        "$DATA/dcd/tip125_tric_C36.dcd" | trjdump >"$T/dump"
    [[ $(head -n 2 "$T/dump") == $'atoms 375 of 375\ncentres 250' ]]
    /usr/bin/python3 -W ignore - "$DATA/dcd/tip125_tric_C36" "$T/dump" <<'EOF'
import struct, sys
import numpy as np
import MDAnalysis as mda
u = mda.Universe(sys.argv[1] + '.psf', sys.argv[1] + '.dcd')
water, some = u.atoms, u.select_atoms('name O* or name H1')
frames, now = [], []
for line in open(sys.argv[2]):
    w = line.split()
    if w[0] == 'frame':
        frames.append([])
    elif len(w) == 3 and len(w[0]) == 8 and frames:
        frames[-1].append([struct.unpack('>f', bytes.fromhex(x))[0] for x in w])
assert len(frames) == len(u.trajectory[::5])
for got, ts in zip(frames, u.trajectory[::5]):
    got = np.array(got)[-250:]
    expected = np.concatenate([water.center_of_mass(compound='residues', unwrap=True),
                           some.center_of_geometry(compound='residues', unwrap=True)])
    h = mda.lib.mdamath.triclinic_vectors(ts.dimensions)
    d = (got - expected) @ np.linalg.inv(h)
    d = (d - np.round(d)) @ h
    assert np.abs(d).max() < 2e-4, np.abs(d).max()
EOF
}

@test "centres: written with the name X; formats that cannot store dynamic groups reject them" {
    trjcat -f 0 -t "$PDB" -g 'W=cog(resname SOL)' -g 'O=index 0' --to gro "$WATER" >"$T/gro"
    [[ $(sed -n 3,5p "$T/gro" | cut -c 1-20 | tr '\n' ,) \
        == '    1SOL     OW    1,    1SOL      X    2,    2SOL      X    3,' ]]
    [[ $(trjcat -f 0 -t "$PDB" -g 'W=cog(resname SOL)' --to xyz "$WATER" | sed -n '3,$p' | cut -c 1-2 | sort -u) \
        == 'X ' ]]
    [[ $(trjcat -f 0 -t "$PDB" -g 'W=cog(resname SOL)' --to pdb "$WATER" |
        grep -c '^HETATM.*  X   SOL\|^ATOM .*  X   SOL') == 343 ]]
    trjcat -t "$PDB" -g 'W=cog(resname SOL)' --to dcd "$WATER" | trjcat - | trjdump | has '^atoms 343 of 343$'
    fails 2 '*dynamic groups cannot be stored in xtc; write a frame stream (--to trjf)' \
        trjcat -t "$PDB" -g "near=$NEAR" --to xtc "$WATER"
}

@test "groups of centres: correct for each definition; invalid definitions are rejected" {
    local water=(-f 0 -t "$DATA/dcd/tip125_tric_C36.psf" "$DATA/dcd/tip125_tric_C36.dcd")
    fails 2 \
        "*group W: centres 'com(all) per thing': 'per thing' at character 10 is not per residue, molecule, segment, chain or group" \
        trjcat -g 'W=com(all) per thing' "$WATER"
    fails 2 "*group W: centres 'com(all) per residue x': 'per residue x' at character 10 is not per *" \
        trjcat -g 'W=com(all) per residue x' "$WATER"
    fails 2 "*group W: centres 'com(name CA per molecule)': the 'per' at character 13 must follow the parenthesis" \
        trjcat -g 'W=com(name CA per molecule)' "$WATER"
    fails 2 "*group W: centres ' com(all': the '(' at character 5 is not closed; add ')'" \
        trjcat -g 'W= com(all' "$WATER"
    fails 2 "*group W: centres 'cog(all)': character 1: per residue: requires a topology; give one with -t" \
        trjcat -g 'W=cog(all)' "$WATER"
    fails 2 \
        "*group W: centres 'cog(all)  per chain': character 11: per chain: requires a topology; give one with -t" \
        trjcat -g 'W=cog(all)  per chain' "$WATER"
    fails 2 \
        "*group W: centres 'com(all) per group': character 10: com: requires masses; give a topology with -t, or use cog" \
        trjcat -g 'W=com(all) per group' "$WATER"
    fails 2 "*group W: centres 'cog(x > 3) per group': the selection at character 5 depends on coordinates, *" \
        trjcat -g 'W=cog(x > 3) per group' "$WATER"
    fails 2 "*group V: *group W at character 1 contains centres; use a group of atoms" \
        trjcat -g 'W=cog(all) per group' -g 'V=W' "$WATER"
    fails 3 "*group W: *selects none of the 1029 atoms" trjcat -g 'W=cog(none)' -t "$PDB" "$WATER"
    [[ $(trjcat -f 0 -g 'W= cog ( index 0 to 2 ) per  group ' "$WATER" | trjdump | head -n 1) == 'atoms 1 of 1029' ]]
    need_shared
    local sets
    for sets in residue:125 molecule:125 fragment:125; do
        trjcat -g "W=com(all) per ${sets%:*}" "${water[@]}" | trjdump | has "^atoms ${sets#*:} of 375\$"
    done
    for sets in segment chain group; do
        trjcat -g "W=com(resid 1) per $sets" "${water[@]}" | trjdump | has '^atoms 1 of 375$'
        # Water that fills the cell has no centre.
        fails 3 '*frame 0*com, cog: the set of atom 0 (counted from 0) fills the cell*select a part of it*' \
            trjcat -g "W=com(all) per $sets" "${water[@]}"
    done
}

@test "a chain longer than the cell: without bonds rejected with two remedies, each of which gives its centre" {
    # chain LENGTH: 30 atoms 1.5 A apart along x, wrapped into a length
    chain() {
        awk -v a="$1" 'BEGIN {
            print 30 "\nLattice=\"20 0 0 0 20 0 0 0 20\" Properties=species:S:1:pos:R:3"
            for (i = 0; i < 30; i++) print "C", 1.5 * i - a * int(1.5 * i / a), 10, 10 }'
    }
    chain 20 >"$T/wrapped.xyz"
    chain 1e6 >"$T/whole.xyz"
    awk 'BEGIN {
        print "@<TRIPOS>MOLECULE\nchain\n30 29\nSMALL\nNO_CHARGES\n\n@<TRIPOS>ATOM"
        for (i = 1; i <= 30; i++) print i, "C" i, 0, 0, 0, "C.3", 1, "CHN"
        print "@<TRIPOS>BOND"
        for (i = 1; i < 30; i++) print i, i, i + 1, 1 }' >"$T/chain.mol2"
    local file remedy='if it is one molecule, give a topology with bonds (-t), or -P none if its coordinates are not wr'
    for file in wrapped whole; do
        fails 3 "fills the cell, as a membrane does, *; select a part of it, or $remedy" \
            trjcat -g 'C=cog(all) per group' "$T/$file.xyz"
        trjcat -t "$T/chain.mol2" -g 'C=cog(all) per group' --to xyz "$T/$file.xyz" | has -x 'X 21.75 10 10'
    done
    trjcat -P none -g 'C=cog(all) per group' --to xyz "$T/whole.xyz" | has -x 'X 21.75 10 10'
}

@test "centre of an aggregate wider than half the cell: its atoms are gathered as --centre gathers them" {
    local file=$SHARED/cases/11-aggregate-nobonds.pdb
    [[ -e $file ]] || skip 'no folder shared/cases beside the checkout'
    trjcat -t "$file" -g 'C=com(all) per group' --to xyz "$file" 2>/dev/null | sed -n 3p | awk '{
        split("2.649 59.205 30.059", right)
        for (k = 1; k <= 3; k++) {
            d = $(k + 1) - right[k]
            d -= 60 * int(d / 60 + (d > 0 ? 0.5 : -0.5))
            if (d * d > 0.002^2) bad = 1
        }
        print
        exit NF != 4 || bad
    }'
}

# Writes three atoms for each residue, of which those in PLACES are oxygens.
write_pdb() { # FILE PLACES SHIFT
    awk -v places=" $2 " -v shift="$3" 'BEGIN {
        print "CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1"
        for (i = 0; i < 30; i++) { o = index(places, " " i % 3 " "); name = o ? "O" : "H"
            printf "ATOM  %5d  %-3s RES A%4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s\n", i + 1, name, i / 3 + 1,
                (i * 7.3 + shift) % 20, (i * 3.1) % 20, (i * 5.7) % 20, name }
        print "END" }' >"$1"
}

@test "inputs with different atoms: rejected" {
    write_pdb "$T/a.pdb" 0 0
    write_pdb "$T/b.pdb" 1 0.4
    fails 3 "*/b.pdb: group O differs from group O of the first input" trjcat -g 'O=name O' "$T/a.pdb" "$T/b.pdb"
    fails 3 "*/b.pdb: atom 0 (counted from 0) differs from that of the first input, whose names are written*" \
        trjcat --to xyz "$T/a.pdb" "$T/b.pdb"
    trjcat --to xyz -t "$T/a.pdb" "$T/a.pdb" "$T/b.pdb" >"$T/xyz"
    # Dynamic groups and centres are evaluated with the names that each input contains.
    local group
    for group in 'within 3 of name O' 'com(all)'; do
        trjcat -g "G=$group" "$T/a.pdb" "$T/b.pdb" | trjdump | grep -E '^(in|[0-9a-f]{8})' >"$T/together"
        for f in a b; do trjcat -g "G=$group" "$T/$f.pdb" | trjdump | grep -E '^(in|[0-9a-f]{8})'; done >"$T/alone"
        same "$T/alone" "$T/together"
        trjcat -g "G=$group" -t "$T/a.pdb" "$T/a.pdb" "$T/b.pdb" | trjdump | grep -E '^(in|[0-9a-f]{8})' >"$T/by_first"
        run ! cmp -s "$T/alone" "$T/by_first"
    done
    sed 's/RES A   1/RES A   2/' "$T/a.pdb" >"$T/c.pdb"
    fails 3 "*/c.pdb: its residues differ from those of the first input" trjcat -g 'O=name O' "$T/a.pdb" "$T/c.pdb"
}

@test "dynamic groups of a stream with a new cell: remain unchanged, with a note" {
    trjcat -f :2 -t "$PDB" -g "near=$NEAR" "$WATER" >"$T/trjf"
    trjcat -P none "$T/trjf" 2>"$T/notes" | trjdump | grep '^in' >"$T/in"
    trjdump <"$T/trjf" | grep '^in' | same "$T/in" -
    grep -qx \
        "trjcat: $T/trjf: note: dynamic groups and centres were found with the cells of this stream, not with the new ones" \
        "$T/notes"
}

@test "centres in extreme cells and at large distances: a result or an error within seconds" {
    skewed() { printf \
        '3\nLattice="1 0 0 %s 1 0 0 0 1" Properties=species:S:1:pos:R:3\nO 0 0 0\nH %s 0.2 0.4\nH 7 0.47 0\n' "$1" \
        "$2"; }
    skewed 1000 3 >"$T/skew.xyz"
    trjcat -g 'C=cog(all) per group' --to xyz "$T/skew.xyz" | sed -n 3p | has '^X 0 0.22333333 0.13333334$'
    skewed 0 1e9 >"$T/far.xyz"
    fails 3 \
        "*/far.xyz: frame 0: atom 1: coordinate x is 1e+09 Å, out of range: at most 1e+08 Å; check the file and its unit of length" \
        trjcat -g 'C=cog(all) per group' "$T/far.xyz"
}

@test "100,000 groups: the time grows with their number, not with its square" {
    awk 'BEGIN {
        print "many\n100000"
        for (i = 0; i < 100000; i++)
            printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", i % 100000, "RES", "X", (i + 1) % 100000, i % 47 / 5,
                int(i / 47) % 47 / 5, int(i / 2209) / 5
        print "10 10 10" }' >"$T/many.gro"
    awk 'BEGIN { for (i = 1; i < 100000; i++) printf "[ g%d ]\n%d %d\n", i, i, i + 1
        print "[ g1 ]\n1 2\n[ last ]\n100000" }' >"$T/many.ndx"
    # Without the fix each of the stages took more than this in CPU seconds; with it, each takes less than one.
    (ulimit -t 10 && trjcat -g "@$T/many.ndx" "$T/many.gro" -o "$T/many.trjf")
    (ulimit -t 10 && rdfhist -e cpu -j 1 -r 5 -b 1 "$T/many.trjf" -o "$T/default.rdfh" 2>"$T/notes")
    grep -qx 'rdfhist: note: group last is a single atom, which forms no pair with itself' "$T/notes"
    # The atoms of g1 are adjacent in a row, 2 Angstrom apart. Those of g47 are the end of one row and the beginning of
    # the next.
    (ulimit -t 10 && rdfhist -e cpu -j 1 -r 5 -b 1 -p 'g1:*' -p 'g2:*' -p g4:g6 "$T/many.trjf" -o "$T/pairs.rdfh")
    [[ $(rdfhist -e cpu -r 5 -b 1 -p g1:g1 -p g47:g47 "$T/many.trjf" | counts) == $'1\t0' ]]
    rdfnorm --counts -p g1:g1 "$T/default.rdfh" | rows | cut -f 3 | same - <(echo 1)
    rdfnorm --counts -p g2:g4 "$T/pairs.rdfh" >"$T/out" && [[ -s $T/out ]]
}

@test "many groups of single atoms: notes name the first groups and count the others" {
    awk 'BEGIN { print "20\n"; for (i = 0; i < 20; i++) print "X", i, 0, 0 }' >"$T/few.xyz"
    awk 'BEGIN { for (i = 1; i < 19; i++) printf "[ g%d ]\n%d\n", i, i; print "[ two ]\n19 20" }' >"$T/few.ndx"
    trjcat -c 50,50,50 -g "@$T/few.ndx" "$T/few.xyz" | rdfhist -r 5 -b 1 2>"$T/notes" | counts | same - <(echo 1)
    [[ $(grep -c 'single atom' "$T/notes") == 9 ]]
    grep -qx 'rdfhist: note: 10 more groups are single atoms, which form no pairs with themselves' "$T/notes"
}
