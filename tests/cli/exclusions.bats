#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Pairs within a residue or a molecule, or at most a few bonds from each other: counted separately, and included in g(r)
# or not.
load helper

WATER=examples/water/water.dcd PDB=examples/water/water.pdb

# part WHERE OPTION...: prints the counts of one part of $T/rdfh
part() {
    counts --excluded "$@" "$T/rdfh"
}

# Adds the columns of two tables.
sum() {
    paste "$1" "$2" | awk '{ n = NF / 2; for (i = 1; i <= n; i++) printf "%d%s", $i + $(n + i), i < n ? "\t" : "\n" }'
}

@test "-x residue: the counts of water equal those of MDAnalysis without pairs within a residue" {
    need_python_module MDAnalysis
    trjcat -f :3 -t "$PDB" -g 'O=name OW' -g 'H=name HW*' -g 'all=all' "$WATER" |
        rdfhist -B 0 -e cpu -x residue -b 20 -r 6 -p O:H -p H:H -p O:O -p O:all 2>/dev/null >"$T/rdfh"
    part out >"$T/out"
    /usr/bin/python3 -W ignore - "$PDB" "$WATER" >"$T/expected" <<'EOF'
import sys
import numpy as np
import MDAnalysis as mda
from MDAnalysis.lib.distances import distance_array
u = mda.Universe(*sys.argv[1:])
O, H, every = u.select_atoms('name OW'), u.select_atoms('name HW*'), u.atoms
counts = np.zeros((20, 4), int)
for ts in u.trajectory[:3]:
    for c, (a, b, share) in enumerate([(O, H, 1), (H, H, 2), (O, O, 2), (O, every, 1)]):
        d = distance_array(a.positions, b.positions, box=ts.dimensions)
        different = a.resindices[:, None] != b.resindices[None, :]
        counts[:, c] += np.histogram(d[different], np.arange(21) * 0.3)[0] // share
for row in counts:
    print(*row, sep='\t')
EOF
    same "$T/expected" "$T/out"
}

@test "excluded and remaining counts: add up to all counts for any engine, exclusion, records and threads" {
    trjcat -f :6 -t "$PDB" -g 'O=name OW' -g 'H=name HW*' -g 'few=resid 1 to 9' "$WATER" >"$T/trjf"
    local pairs=(-p O:H -p H:O -p H:H -p few:few -p few:H -b 40 -r 8)
    counted -e cpu "${pairs[@]}" "$T/trjf" >"$T/all"
    for engine in cpu reference; do
        rdfhist -e $engine -B 4 -x residue "${pairs[@]}" "$T/trjf" >"$T/rdfh" 2>/dev/null
        for w in in out only; do part $w >"$T/$w"; done
        same "$T/all" "$T/in"
        sum "$T/out" "$T/only" | same "$T/all" -
        counts "$T/rdfh" | same "$T/out" -
    done
    # O:H and H:O have the same excluded pairs. In each of six frames, each of the 343 waters has two pairs O-H and one
    # pair H-H, and each of the nine waters of `few` has three pairs. Between few and H, each H of the nine has its O
    # and the other H.
    awk '{ for (i = 1; i <= NF; i++) n[i] += $i; bad = bad || $1 != $2 }
        END { exit bad || n[1] != 4116 || n[3] != 2058 || n[4] != 162 || n[5] != 216 }' "$T/only"
}

@test "images of excluded pairs: all are excluded, far beyond half the cell, also in a skew cell" {
    mkdcd --atoms 24 --frames 3 --cell 7,8,9,70,80,65 --seed 3 >"$T/dcd"
    { for ((i = 0; i < 24; i++)); do
        printf 'ATOM  %5d  %-3s MOL A%4d    %8.3f%8.3f%8.3f  1.00  0.00\n' $((i + 1)) \
            "$([[ $((i % 2)) == 0 ]] && echo C || echo N)" $((i / 4 + 1)) 0 0 0
    done && echo END; } >"$T/pdb"
    trjcat -t "$T/pdb" -g all=all -g C='name C' -g N='name N' "$T/dcd" |
        rdfhist -B 0 -e reference -x residue -b 30 -r 15 -p all:all -p C:N >"$T/rdfh"
    part only >"$T/only"
    # The result is the same for one residue after the other.
    local groups=() pairs=()
    for ((i = 1; i <= 6; i++)); do
        groups+=(-g "all$i=resid $i" -g "C$i=resid $i and name C" -g "N$i=resid $i and name N")
        pairs+=(-p "all$i:all$i" -p "C$i:N$i")
    done
    trjcat -t "$T/pdb" "${groups[@]}" "$T/dcd" | counted -e reference -b 30 -r 15 "${pairs[@]}" |
        awk '{ print $1 + $3 + $5 + $7 + $9 + $11 "\t" $2 + $4 + $6 + $8 + $10 + $12 }' | same - "$T/only"
    # Without the excluded pairs, the ideal gas has g(r) = 1 at any distance, since the other molecules are independent.
    rdfnorm "$T/rdfh" | rows | awk '$1 > 10 { s += $2; t += $4; n++ }
        END { s /= n; t /= n; exit !(s > 0.97 && s < 1.03 && t > 0.95 && t < 1.05) }'
}

@test "g(r) without excluded pairs: normalised by the remaining pairs, and tends to 1" {
    trjcat -f :4 -t "$PDB" -g 'O=name OW' -g 'H=name HW*' "$WATER" |
        rdfhist -B 0 -e cpu -x residue -b 30 -r 9 -p O:H -p H:H >"$T/rdfh" 2>/dev/null
    for n in density mdanalysis gromacs; do
        for w in in out only; do rdfnorm -n $n --excluded $w "$T/rdfh" | rows >"$T/$w"; done
        # 686 of 343 x 686 pairs are excluded, and 343 of 686 x 685 / 2; the convention of GROMACS counts all of them.
        paste "$T/in" "$T/out" "$T/only" | awk -v norm=$n '
            function differ(a, b) { return a - b > 1e-8 * (1 + b) || b - a > 1e-8 * (1 + b) }
            { left = norm == "gromacs" ? 1 : 342 / 343; even = norm == "gromacs" ? 1 : 684 / 685
              if (differ($2, $7 * left + $12) || differ($4, $9 * even + $14) ||
                  differ($3, $8 + $13) || differ($5, $10 + $15)) { print; exit 1 } }'
    done
    rdfnorm "$T/rdfh" | has '^# excluded pairs: residue, left out$'
    rdfnorm --excluded in "$T/rdfh" | has '^# excluded of O:H: 686 of 235298 pairs$'
}

@test "dynamic groups: each frame has its own excluded pairs" {
    trjcat -f :5 -t "$PDB" -g 'near=within 5 of index 0' -g 'H=name HW*' "$WATER" >"$T/trjf"
    rdfhist -B 0 -e cpu -x residue -b 20 -r 9 -p near:near -p near:H "$T/trjf" >"$T/rdfh" 2>/dev/null
    part only >"$T/only"
    part in >"$T/in"
    local f
    for ((f = 0; f < 5; f++)); do # the same counts as with fixed groups
        trjcat -f $f -t "$PDB" -g 'near=within 5 of index 0' -g 'H=name HW*' -g 'all=all' "$WATER" | trjdump |
            sed -n 's/^in near //p' >"$T/near"
        trjcat -f $f -t "$PDB" -g "near=index $(cat "$T/near")" -g 'H=name HW*' "$WATER" |
            rdfhist -B 0 -e cpu -x residue -b 20 -r 9 -p near:near -p near:H >"$T/fixed.$f" 2>/dev/null
        rdfnorm -c "$T/fixed.$f" | sed -n 's/^# excluded of.*: \([0-9]*\) of \([0-9]*\) pairs/\2 \1/p' |
            paste -s -d ' ' >>"$T/numbers"
        counts --excluded only "$T/fixed.$f" >"$T/only.$f"
    done
    paste "$T"/only.? | awk '{ print $1 + $3 + $5 + $7 + $9 "\t" $2 + $4 + $6 + $8 + $10 }' | same - "$T/only"
    # g(r) is normalised by the pairs of all frames; with a constant volume awk can check it.
    rdfnorm -v 1000 --excluded in "$T/rdfh" | rows >"$T/g.in"
    rdfnorm -v 1000 "$T/rdfh" | rows >"$T/g.out"
    rdfnorm -v 1000 --excluded only "$T/rdfh" | rows >"$T/g.only"
    read -r -a p < <(awk '{ for (i = 1; i <= 4; i++) s[i] += $i } END { print s[1], s[2], s[3], s[4] }' "$T/numbers")
    ((p[1] > 100 && p[3] > 100))
    paste "$T/g.in" "$T/g.out" "$T/g.only" | awk -v a="${p[0]}" -v b="${p[1]}" -v c="${p[2]}" -v d="${p[3]}" '
        function differ(x, y) { return x - y > 1e-8 * (1 + y) || y - x > 1e-8 * (1 + y) }
        differ($2, $7 * (a - b) / a + $12) || differ($4, $9 * (c - d) / c + $14) { print; exit 1 }'
}

@test "records with different exclusions are not added, and invalid exclusions are rejected" {
    trjcat -f :2 -t "$PDB" -g 'O=name OW' -g 'one=resid 1' "$WATER" >"$T/trjf"
    rdfhist -B 0 -e cpu -x residue -b 10 -r 5 "$T/trjf" >"$T/rdfh" 2>/dev/null
    trjcat -f 2:4 -t "$PDB" -g 'O=name OW' -g 'one=resid 1' "$WATER" |
        rdfhist -B 0 -e cpu -b 10 -r 5 >"$T/none" 2>/dev/null
    fails 3 \
        'none: block PROV at byte *cannot be added to the previous records: expected excluded pairs residue, found none; run rdfhist with the same groups, pairs and options on all inputs' \
        rdfnorm "$T/rdfh" "$T/none"
    # Groups whose pairs are all excluded have no g(r); other pairs have one, but there is no total.
    rdfnorm "$T/rdfh" 2>&1 >"$T/gr" | has 'rdfnorm: note: one:one: all pairs are excluded: there is no g(r)'
    rows <"$T/gr" | awk '!($2 >= 0) || $4 != "nan" || $5 != 0 { bad = 1 } END { exit bad || !NR }'
    rdfplot "$T/gr" 2>&1 >/dev/null | has "rdfplot: note: .*/gr: no value of g(one:one) is finite: not drawn"
    fails 3 '*no value of g(one:one) is finite*' rdfplot -p one:one "$T/gr"
    rdfnorm -n number "$T/rdfh" | rows | awk '$4 != 0 { bad = 1 } END { exit bad }'
    rdfderive -q n "$T/rdfh" | rows | awk '$NF != 0 { bad = 1 } END { exit bad || !NR }'
    trjcat -f :2 -t "$PDB" -g 'rest=not resid 1' -g 'one=resid 1' "$WATER" |
        rdfhist -B 0 -e cpu -x residue -b 10 -r 5 -p '*:*' >"$T/parts"
    fails 3 'all pairs of groups one and one are excluded (residue); give --excluded in' \
        rdfnorm --total number "$T/parts"
    fails 3 'all pairs of groups one and one are excluded (residue); give --excluded in' rdfderive -q kb "$T/rdfh"
    rdfnorm --excluded in "$T/rdfh" | has '^# excluded pairs: residue, counted with the others$'
    [[ $(part out | cut -f 2 | sort -u) == 0 ]]
    fails 3 'no pairs are excluded in these counts' rdfnorm --excluded only "$T/none"
    rdfnorm --excluded in "$T/none" | rows | same - <(rdfnorm "$T/none" | rows)
    fails 2 "the stream contains no molecules; give trjcat a topology with bonds, with -t" \
        rdfhist -B 0 -x molecule -r 5 "$T/trjf"
    for wrong in residues bonds bonds: bonds:0 bonds:11 bonds:1x residue:1 pairs pairs: ''; do
        fails_cleanly 2 \
            "--exclude: invalid value '$wrong': expected residue, molecule, bonds:N with N from 1 to 10, or pairs:FILE" \
            rdfhist -B 0 -x "$wrong" -r 5 "$T/trjf"
    done
}

@test "-x bonds:N and -x molecule: equal brute force over the bonds that MDAnalysis reads, also through other atoms" {
    need_shared
    need_python_module MDAnalysis
    cat >"$T/brute.py" <<'EOF'
import sys
import numpy as np
import MDAnalysis as mda
from MDAnalysis.lib.distances import distance_array
from MDAnalysis.lib.mdamath import triclinic_vectors
top, trajectory, steps, a, b = sys.argv[1:]
u = mda.Universe(top, trajectory)
near = [set() for _ in u.atoms]
for i, j in u.bonds.indices:
    near[i].add(j)
    near[j].add(i)
def within(i, n):
    seen, edge = {i}, {i}
    while edge and n:
        edge = {k for e in edge for k in near[e]} - seen
        seen |= edge
        n -= 1
    return seen - {i}
A, B = u.select_atoms(a), u.select_atoms(b)
there = set(B.indices)
pairs = [(i, j) for i in A.indices for j in within(i, int(steps)) if j in there and (a != b or i < j)]
counts = np.zeros(40, int)
for ts in u.trajectory[:3]:
    if not pairs:
        break
    d = u.atoms.positions[[j for i, j in pairs]].astype(float) - u.atoms.positions[[i for i, j in pairs]]
    if ts.dimensions is not None and ts.dimensions.any():
        h = triclinic_vectors(ts.dimensions)
        r = np.array([np.linalg.norm(d + np.array(n) @ h, axis=1) for n in np.ndindex(5, 5, 5)
            for n in [np.array(n) - 2]])
    else:
        r = np.linalg.norm(d, axis=1)
    counts += np.histogram(r, np.arange(41) * 0.2)[0]
print(len(pairs))
print(*counts, sep='\n')
EOF
    local top dcd a b n what
    while read -r top dcd what n a b; do
        a=${a//_/ } b=${b//_/ }
        trjcat -f :3 -t "$DATA/$top" -g "A=$a" -g "B=$b" "$DATA/$dcd" |
            rdfhist -B 0 -e cpu -x "$what" -b 40 -r 8 -p "$([[ $a == "$b" ]] && echo A:A || echo A:B)" 2>/dev/null \
            >"$T/rdfh"
        { rdfnorm -c "$T/rdfh" | sed -n 's/^# excluded of [^ ]*: \([0-9]*\) of.*/\1/p'; part only; } >"$T/got"
        /usr/bin/python3 -W ignore "$T/brute.py" "$DATA/$top" "$DATA/$dcd" "$n" "$a" "$b" >"$T/expected"
        (($(head -n 1 "$T/expected") > 0))
        same "$T/expected" "$T/got"
    done <<'EOF'
dcd/adk.psf dcd/adk_dims.dcd bonds:3 3 name_CA name_CA
dcd/adk.psf dcd/adk_dims.dcd bonds:2 2 name_CA name_CA_or_name_C*
dcd/adk.psf dcd/adk_dims.dcd bonds:10 10 name_CA name_SD
dcd/adk.psf dcd/adk_dims.dcd bonds:4 4 all all
dcd/adk.psf dcd/adk_dims.dcd molecule 5000 name_CA name_CB
dcd/tip125_tric_C36.psf dcd/tip125_tric_C36.dcd bonds:1 1 name_OH2 name_H1
dcd/tip125_tric_C36.psf dcd/tip125_tric_C36.dcd molecule 9 name_H1 name_H2
dcd/tip125_tric_C36.psf dcd/tip125_tric_C36.dcd bonds:2 2 name_H1 name_H2
EOF
}

@test "-x pairs:FILE: contains atom numbers of the trajectory, and is identified by its content" {
    trjcat -f :3 -t "$PDB" -g 'O=name OW' -g 'H=name HW*' "$WATER" >"$T/trjf"
    local pairs=(-e cpu -b 20 -r 6 -p O:H -p H:H -p O:O)
    rdfhist -B 0 -x residue "${pairs[@]}" "$T/trjf" 2>/dev/null | counts --excluded only >"$T/expected"
    for ((i = 0; i < 1029; i += 3)); do printf '%d %d\n%d\t%d # twice\n\n' $i $((i + 1)) $((i + 2)) $i; done >"$T/list"
    for ((i = 1028; i > 0; i -= 3)); do printf '  %d %d\n' $i $((i - 1)) $((i - 1)) $i; done >>"$T/list"
    rdfhist -B 0 -x "pairs:$T/list" "${pairs[@]}" "$T/trjf" 2>/dev/null >"$T/rdfh"
    part only | same "$T/expected" -
    # Some atoms are not in the stream.
    trjcat -f :3 -t "$PDB" -g 'O=name OW' "$WATER" >"$T/few"
    printf '0 3\n1 2\n1026 3\n2 0\n' >"$T/some"
    rdfhist -B 0 -e cpu -x "pairs:$T/some" -b 300 -r 30 "$T/few" 2>/dev/null | counts --excluded only >"$T/got"
    trjcat -f :3 -g 'a=index 0' -g 'b=index 3' -g 'c=index 1026' "$WATER" |
        counted -e reference -b 300 -r 30 -p a:b -p c:b |
        awk '{ print $1 + $2 }' | same - "$T/got"
    # The list is the same in any order and from any file.
    tac "$T/some" >"$T/again"
    rdfhist -B 0 -e cpu -x "pairs:$T/some" -b 9 -r 9 "$T/few" >"$T/a" 2>/dev/null
    trjcat -f 3:6 -t "$PDB" -g 'O=name OW' "$WATER" |
        rdfhist -B 0 -e cpu -x "pairs:$T/again" -b 9 -r 9 >"$T/b" 2>/dev/null
    rdfnorm "$T/a" "$T/b" | has '^# excluded pairs: pairs:[0-9a-f]\{16\}, left out$'
    echo 5 6 >>"$T/again"
    trjcat -f 3:6 -t "$PDB" -g 'O=name OW' "$WATER" |
        rdfhist -B 0 -e cpu -x "pairs:$T/again" -b 9 -r 9 >"$T/b" 2>/dev/null
    fails 3 'expected excluded pairs pairs:*, found pairs:*; run rdfhist' rdfnorm "$T/a" "$T/b"

    local text word
    while IFS='|' read -r text word; do
        printf '0 1\n%b' "$text" >"$T/bad"
        fails 3 "bad: line 2: $word" rdfhist -B 0 -x "pairs:$T/bad" -r 5 "$T/trjf"
    done <<'EOF'
1|expected two atom numbers, found one
1 1|expected two different atoms
1 1029|atom 1029: the trajectory has 1029 atoms, counted from 0
1 2 3|expected two atom numbers, found '3'
1 -2|expected two atom numbers, found '-2'
1 99999999999999999999|expected two atom numbers, found '99999999999999999999'
1 2x # 3|expected two atom numbers, found '2x'
EOF
    printf '# nothing\n' >"$T/bad"
    fails 3 'bad: contains no pair of atoms; give two atom numbers per line, counted from 0' \
        rdfhist -B 0 -x "pairs:$T/bad" -r 5 "$T/trjf"
    fails 1 'No such file' rdfhist -B 0 -x "pairs:$T/missing" -r 5 "$T/trjf"
}

@test "recipe: treats the list of pairs as an input" {
    local messages=$T/messages
    cp "$WATER" "$PDB" "$T"
    printf '0 1\n0 2\n' >"$T/list"
    cat >"$T/x.yaml" <<'EOF'
trjrun: 1
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, frames: ':2', group: [O=name OW, H=name HW*]}
  counts: {tool: rdfhist, from: atoms, rmax: 5, engine: cpu, pair: O:H, exclude: 'pairs:list', output: x.rdfh}
  gr: {tool: rdfnorm, from: counts, output: x.tsv}
EOF
    trjrun "$T/x.yaml"
    rdfnorm "$T/x.rdfh" | has '^# provenance: input xxh3:[0-9a-f]* list$'
    trjrun "$T/x.yaml" 2>&1 | has 'x.rdfh: reused'
    trjrun --verify "$T/x.tsv"
    trjrun --make "$T/x.yaml" | has '^[^#]*x\.rdfh: .*[ /]list\( \|$\)'
    echo '3 4' >>"$T/list"
    fails 1 'list: has changed: expected digest xxh3:' trjrun --verify "$T/x.tsv"
    trjrun "$T/x.yaml" >"$messages" 2>&1
    grep -q 'x.rdfh: done' "$messages"
    rm "$T/list"
    fails 3 "no file 'list' in the recipe's folder; paths are relative to this folder" trjrun "$T/x.yaml"
}

@test "centres: belong to the residue and molecule that all their atoms share, otherwise to none" {
    need_shared
    local water=(-f :2 -t "$DATA/dcd/tip125_tric_C36.psf" "$DATA/dcd/tip125_tric_C36.dcd") what
    trjcat -g 'O=name OH2' -g 'W=com(all)' -g 'G=cog(resid 1 to 9) per group' \
        -g 'I=cog(resid 3) per group' "${water[@]}" >"$T/trjf"
    for what in residue molecule; do
        rdfhist -B 0 -x $what -e cpu -r 3 -p O:W -p O:G -p W:I -p G:W -p W:W "$T/trjf" 2>/dev/null >"$T/rdfh"
        [[ $(rdfnorm -c "$T/rdfh" | sed -n 's/^# excluded of \(.*\) of.*/\1/p' | paste -s -d ,) \
            == O:W:\ 125,O:G:\ 0,W:I:\ 1,G:W:\ 0,W:W:\ 0 ]]
    done
    # The distance of an oxygen from its centre of mass is that of a rigid molecule; all 250 distances are below 0.1
    # Angstrom.
    part only | cut -f 1 | awk '{ s += $1 } NR == 17 { near = s } END { exit s != 250 || near != s }'
    # Centres have no bonds, and paths do not pass through them.
    rdfhist -B 0 -x bonds:2 -e cpu -r 3 -p O:W "$T/trjf" 2>/dev/null | rdfnorm -c |
        has '^# excluded of O:W: 0 of 15625 pairs$'
}

@test "stream with bonds: keeps them if groups are selected from it later" {
    need_shared
    local water=(-f :2 -t "$DATA/dcd/tip125_tric_C36.psf" "$DATA/dcd/tip125_tric_C36.dcd")
    trjcat -g 'all=all' "${water[@]}" >"$T/all"
    trjcat -g "H=index $(seq -s ' ' 1 3 374)" -g "h=index $(seq -s ' ' 2 3 374)" "$T/all" >"$T/h"
    trjcat -z 3 "$T/h" | trjcat - | rdfhist -B 0 -x bonds:2 -e cpu -r 3 -b 9 -p H:h 2>/dev/null >"$T/rdfh"
    rdfnorm -c "$T/rdfh" | has '^# excluded of H:h: 125 of 15625 pairs$'
    part only | awk '{ s += $1 } END { exit s != 250 }'
}

@test "molecule of thousands of atoms, several threads: every counted pair is excluded" {
    need_shared
    trjcat -f :2 -t "$DATA/dcd/adk.psf" -g all=all -g 'C=name C*' "$DATA/dcd/adk_dims.dcd" >"$T/trjf" 2>/dev/null
    local threads
    for threads in 1 3; do
        rdfhist -B 0 -j $threads -x molecule -e cpu -r 12 -b 10 -p C:C -p all:C "$T/trjf" >"$T/rdfh" 2>/dev/null
        same <(part in) <(part only)
        [[ $(part out | sort -u) == $'0\t0' ]]
        fails 3 'all pairs of groups C and C are excluded (molecule); give --excluded in' rdfnorm "$T/rdfh"
    done
    part in | awk '{ s += $1 } END { exit s < 1000 }'
}
