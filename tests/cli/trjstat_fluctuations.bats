#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Results of trjstat over all frames: fluctuations of atoms and residues, and maps of their pairs.
# shellcheck shell=bash disable=SC2154
load helper

# agrees REFERENCE NAMES COLUMNS ABSOLUTE < TABLE: compares columns with those of a table of reference values.
agrees() {
    awk -f tests/helpers/compare_columns.awk -v want="$SHARED/reference-observables/$1.tsv" -v names="$2" \
        -v columns="$3" -v absolute="$4" -v relative=1e-7 -
}

adk() { # OPTION...: the protein adk, without a cell
    trjcat -t "$DATA/dcd/adk.psf" "$@" "$DATA/dcd/adk_dims.dcd" 2>"$T/note"
}

# body FRAME...: writes frames of a rigid body of six atoms, and of an atom outside of it. FRAME is ANGLE,SHIFT,OUT: the
# frame is rotated about z by ANGLE degrees and moved by SHIFT along x; OUT is the position of the last atom along y.
body() {
    printf '%s\n' "$@" | awk -F , '{
        split("3 -3 0 0 0 0", x, " "); split("0 0 2 -2 0 0", y, " "); split("0 1 0 0 4 -4", z, " ")
        x[7] = 6; y[7] = $3; z[7] = 0
        a = $1 * atan2(0, -1) / 180
        print "7\nx"
        for (i = 1; i <= 7; i++)
            printf "%s %.7f %.7f %.7f\n", i < 7 ? "C" : "N", x[i] * cos(a) - y[i] * sin(a) + $2,
                x[i] * sin(a) + y[i] * cos(a), z[i]
    }'
}

# near COLUMN VALUE TOLERANCE < ROW
near() {
    awk -F '\t' -v c="$1" -v v="$2" -v e="$3" \
        '!($c - v <= e && v - $c <= e) { print $c ", not " v; exit bad = 1 } END { exit bad || !NR }'
}

@test "RMSF of the CA atoms of a protein: as numpy, for each superposition" {
    need_shared
    adk --carry mass -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" --rmsf 'name CA' | agrees adk-rmsf rmsf_fit0 6 1e-8
    trjstat -i "$T/adk.trjf" --rmsf 'name CA' --iterate >"$T/iterated"
    agrees adk-rmsf rmsf_iter,B 6,7 1e-8 <"$T/iterated"
    has "superposition: 'name CA' on its mean structure, after 5 rounds" <"$T/iterated"
    trjstat -i "$T/adk.trjf" --rmsf 'name CA' --fit none | agrees adk-rmsf rmsf_raw 6 1e-8
    # The first frame as a file gives the same result as the first frame of the stream.
    adk -f 0 -g all=all -o "$T/first.trjf"
    trjstat -i "$T/adk.trjf" --rmsf 'name CA' --reference "$T/first.trjf" | agrees adk-rmsf rmsf_fit0 6 1e-8
}

@test "RMSF of residues: root of the mean square of their atoms, with masses on request" {
    need_shared
    adk --carry mass -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" --rmsf all --fit 'name CA' | rows >"$T/atoms"
    trjstat -i "$T/adk.trjf" --rmsf all --fit 'name CA' --per residue | rows >"$T/residues"
    awk -F '\t' 'NR == FNR { n[$4]++; square[$4] += $6 * $6; next }
        { d = $5 - sqrt(square[$3] / n[$3]); if (!(d < 1e-7 && d > -1e-7)) { print; exit bad = 1 } }
        END { exit bad || FNR != 214 }' "$T/atoms" "$T/residues"
    # A residue of one selected atom is this atom.
    trjstat -i "$T/adk.trjf" --rmsf 'name CA' --per residue | agrees adk-rmsf rmsf_fit0 5 1e-8
    trjstat -i "$T/adk.trjf" --rmsf all --fit 'name CA' --per residue --weights mass >"$T/mass"
    rows "$T/mass" >"$T/mass_rows"
    run -1 cmp -s "$T/mass_rows" "$T/residues"
    has 'of their atoms, weighted by mass' <"$T/mass"
}

@test "a rigid body that moves: no fluctuation after the superposition, and that of an atom outside is exact" {
    body 0,0,-1 40,5,1 100,-30,-1 -160,100,1 >"$T/x.xyz"
    trjcat --carry element "$T/x.xyz" -o "$T/x.trjf"
    for option in '' --iterate; do
        trjstat -i "$T/x.trjf" --rmsf all --fit 'element C' $option | rows >"$T/got"
        for atom in 1 2 3 4 5 6; do sed -n ${atom}p "$T/got" | near 2 0 1e-5; done
        sed -n 7p "$T/got" | near 2 1 1e-5
        sed -n 7p "$T/got" | near 3 26.3189450696 1e-3
    done
    trjstat -i "$T/x.trjf" --rmsf all --fit none | rows | sed -n 5p | near 2 48.7820408 1e-5
}

@test "--iterate: the order of the frames does not matter" {
    need_shared
    adk --carry mass -o "$T/a.trjf"
    for range in 50:98 0:50; do adk -f $range -o "$T/${range%:*}.dcd"; done
    trjcat -t "$DATA/dcd/adk.psf" --carry mass "$T/50.dcd" "$T/0.dcd" -o "$T/b.trjf" 2>"$T/note"
    for f in a b; do
        trjstat -i "$T/$f.trjf" --rmsf 'name CA' | rows >"$T/$f.first"
        trjstat -i "$T/$f.trjf" --rmsf 'name CA' --iterate | rows | cut -f 6 >"$T/$f.mean"
    done
    run -1 cmp -s "$T/a.first" "$T/b.first"
    paste "$T/a.mean" "$T/b.mean" |
        awk '!($1 - $2 < 1e-7 && $2 - $1 < 1e-7) { print; exit bad = 1 } END { exit bad || NR != 214 }'
}

@test "RMSF: the same table for any number of threads" {
    need_shared
    adk --carry mass -o "$T/adk.trjf"
    for threads in 1 2 5; do
        trjstat -j $threads -i "$T/adk.trjf" --rmsf all --fit 'name CA' >"$T/$threads"
        trjstat -j $threads -i "$T/adk.trjf" --rmsf all --fit 'name CA' --iterate >>"$T/$threads"
    done
    cmp "$T/1" "$T/2" && cmp "$T/1" "$T/5"
}

@test "RMSF: an atom that is in another image than in the frame before is rejected" {
    frame() { # Z: the position of the nitrogen atom
        printf '4\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3\n'
        printf 'C 1 1 0\nC 3 1 0\nC 1 3 1\nN 5 5 %s\n' "$1"
    }
    { frame 1 && frame 4 && frame -4; } >"$T/x.xyz"
    trjcat --carry element "$T/x.xyz" -o "$T/x.trjf"
    run -3 trjstat -i "$T/x.trjf" --rmsf 'element N' --fit 'element C'
    [[ $output == *'frame 2: '*'atom 3 moves by 8 Angstrom'*'an image of it only by 2'*'--centre'* ]]
    # With --iterate, the frames before are kept in memory, and freed.
    run -3 trjstat -i "$T/x.trjf" --rmsf 'element N' --fit 'element C' --iterate
    [[ $output == *'atom 3 moves by 8 Angstrom'* ]]
    run -3 trjstat -i "$T/x.trjf" --rmsf 'element N' --fit none
    [[ $output == *'without --fit none'* ]]
    trjstat -i "$T/x.trjf" --rmsf 'element C' >"$T/out"
}

@test "RMSF: invalid options, too few frames or atoms, and selections that change are rejected" {
    body 0,0,-1 40,5,1 >"$T/x.xyz"
    trjcat --carry element -g 'D=within 5 of index 0' "$T/x.xyz" -o "$T/x.trjf"
    rejects() { # STATUS WORDS OPTION...
        run -"$1" trjstat -i "$T/x.trjf" "${@:3}"
        [[ $output == *"$2"* && $(wc -l <<<"$output") -le 2 ]] || { echo "$output" && false; }
    }
    rejects 2 '--rmsf has its own output; leave the expressions out' --rmsf all 'cog(all)'
    rejects 2 '--iterate superposes frames' --rmsf all --fit none --iterate
    rejects 2 '--reference is for superpositions' --rmsf all --fit none --reference "$T/x.xyz"
    rejects 2 'apply to --rmsf and --pca only' --fit all 'cog(all)'
    rejects 2 'apply to --rmsf and --pca only' --iterate 'cog(all)'
    rejects 2 '--per residue: a profile has a row for each bin; leave it out' --per residue --profile z 'number(all)'
    rejects 2 "--rmsf: the atoms of 'D' change" --rmsf D
    rejects 2 "--fit: the atoms of 'within 3 of index 0' change" --rmsf all --fit 'within 3 of index 0'
    rejects 2 '--rmsf: ' --rmsf 'index 99'
    rejects 2 '--fit: ' --rmsf all --fit 'element U'
    rejects 2 "'index 0 1' selects 2 atoms, for which the best rotation is not unique" --rmsf all --fit 'index 0 1'
    rejects 2 'select at least 3 atoms that do not lie on a line, or give --fit none' --rmsf 'index 0'
    rejects 2 'use fit=SELECTION or fit=none' 'rmsd(index 0)'
    rejects 3 'does not number residues' --rmsf all --per residue
    rejects 3 'mass' --rmsf all --weights mass
    rejects 2 '--structure is for the PDB of --rmsf' --rmsf all --structure mean
    rejects 1 'missing.pdb' --rmsf all --reference "$T/missing.pdb"
    trjcat -f 0 "$T/x.xyz" -o "$T/one.trjf"
    run -3 trjstat -i "$T/one.trjf" --rmsf all
    [[ $output == *'the stream has 1 frame; a fluctuation requires at least 2'* ]]
    # A truncated stream gives no table.
    head -c 700 "$T/x.trjf" >"$T/cut.trjf"
    run -3 trjstat -i "$T/cut.trjf" --rmsf all -o "$T/out"
    [ ! -e "$T/out" ]
}

@test "mean structure in a PDB: the mean square deviation of frames from it is that of the atoms" {
    need_shared
    adk --carry mass,name,resname,resid -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" --rmsf 'name CA' --iterate --structure mean -o "$T/mean.pdb"
    trjstat -i "$T/adk.trjf" --rmsf 'name CA' --iterate | rows | awk -F '\t' '{ s += $6 ^ 2 } END { print s / NR }' \
        >"$T/atoms"
    trjstat -i "$T/adk.trjf" "rmsd(name CA, reference=$T/mean.pdb)" | rows |
        awk -F '\t' '{ s += $3 ^ 2 } END { print s / NR }' >"$T/frames"
    paste "$T/atoms" "$T/frames" | awk '{ d = $1 - $2; exit !($1 > 1 && d ^ 2 < 1e-6) }'
}

@test "B factors in a PDB: those of the table, on the first frame, and of the residue with --per residue" {
    need_shared
    adk --carry mass,name,resname,resid -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" --rmsf 'name CA CB' -o "$T/b.pdb"
    trjstat -i "$T/adk.trjf" --rmsf 'name CA CB' | rows | awk -F '\t' '{ printf "%6.2f %s\n", $7, $2 }' >"$T/want"
    awk '/^ATOM/ { print substr($0, 61, 6), $3 }' "$T/b.pdb" | diff "$T/want" -
    trjstat -i "$T/adk.trjf" --rmsf 'name CA CB' --per residue -o "$T/residues.pdb"
    trjstat -i "$T/adk.trjf" --rmsf 'name CA CB' --per residue | rows | awk -F '\t' '{ printf "%6.2f %d\n", $6, $3 }' \
        >"$T/want"
    awk '/^ATOM/ { print substr($0, 61, 6), substr($0, 23, 4) + 0 }' "$T/residues.pdb" | uniq | diff "$T/want" -
    adk -f 0 -g 'CA=name CA CB' -o "$T/first.pdb"
    diff <(awk '/^ATOM/ { print substr($0, 13, 42) }' "$T/first.pdb") \
        <(awk '/^ATOM/ { print substr($0, 13, 42) }' "$T/b.pdb")
    # Nothing is cut off at the end of the column, and names are required.
    body 0,0,-1 40,50,1 100,-300,-1 >"$T/x.xyz"
    trjcat --carry element -t "$T/x.xyz" "$T/x.xyz" -o "$T/x.trjf"
    trjcat --carry name -t "$T/x.xyz" "$T/x.xyz" -o "$T/named.trjf"
    run -3 trjstat -i "$T/named.trjf" --rmsf all --fit none -o "$T/x.pdb"
    [[ $output == *'atom 0: a B factor of '*' is too large for the column of a pdb (999.99); write a table'* ]]
    [ ! -e "$T/x.pdb" ]
    run -3 trjstat -i "$T/x.trjf" --rmsf all -o "$T/x.pdb"
    [[ $output == *'--rmsf: a PDB requires names'*'--carry name,resname,resid'* ]]
}

@test "contact map of residues: as scipy, as a table and as a file of NumPy" {
    need_shared
    adk --carry element -o "$T/adk.trjf"
    local map='contacts(not element H, not element H, 4.5)'
    trjstat -i "$T/adk.trjf" --map "$map" --per residue >"$T/table"
    rows "$T/table" | awk -F '\t' '$2 - $1 >= 3 { printf "%d\t%d\t%d\n", $1, $2, $3 * 98 + 0.5 }' >"$T/got"
    awk '/^[0-9]/' "$SHARED/reference-observables/adk-contactmap.tsv" >"$T/expected"
    # A pair that is at 4.5 A in a frame may have one frame more or less.
    [ "$(wc -l <"$T/expected")" -gt 600 ]
    diff "$T/expected" "$T/got" | grep -c '^[<>]' >"$T/different" || :
    [ "$(cat "$T/different")" = 0 ]
    need_python_module numpy
    trjstat -i "$T/adk.trjf" --map "$map" --per residue -o "$T/map.npy"
    rows "$T/table" | run_python -c '
import sys, numpy
m = numpy.load(sys.argv[1])
assert m.shape == (214, 214) and m.dtype == "f4" and (m == m.T).all()
rows = [line.split("\t") for line in sys.stdin]
assert len(rows) == (numpy.triu(m) > 0).sum()
for a, b, share in rows:
    assert abs(m[int(a), int(b)] - float(share)) < 1e-6
' "$T/map.npy"
}

@test "contact map of atoms: pairs of two groups, with periodic images, for any number of threads" {
    frame() { # X: the position of the last atom
        printf '4\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3\n'
        printf 'C 1 1 0\nC 3 1 0\nN 1 1 9\nN %s 1 0\n' "$1"
    }
    for x in 5 4 9.5 5; do frame $x; done >"$T/x.xyz"
    trjcat --carry element "$T/x.xyz" -o "$T/x.trjf"
    trjstat -i "$T/x.trjf" --map 'contacts(element C, element N, 1.75)' | rows >"$T/got"
    printf '0\t2\t1\n0\t3\t0.25\n1\t3\t0.25\n' | diff - "$T/got"
    trjstat -i "$T/x.trjf" --map 'contacts(all, all, 2.1)' | rows | cut -f 1,2 | tr '\n\t' ' -' >"$T/got"
    [ "$(cat "$T/got")" = '0-1 0-2 0-3 1-3 2-3 ' ]
    for threads in 1 3; do
        trjstat -j $threads -i "$T/x.trjf" --map 'contacts(all, all, 2.1)' -o "$T/$threads.npy"
    done
    cmp "$T/1.npy" "$T/3.npy"
}

@test "distance map of centres: mean of distance() of the centres of each pair of residues, also across a boundary" {
    for frame in 0 1 2; do
        printf 'x\n5\n'
        awk -v f=$frame 'BEGIN {
            split("0.05 0.15 1.95 1.90 1.0", x, " ")
            for (i = 1; i <= 5; i++)
                printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", int((i + 1) / 2), "MOL", substr("CHOHN", i, 1), i, x[i],
                    1 + 0.1 * i * f, 0.3 * (i % 2)
            print "2 3 4"
        }'
    done >"$T/x.gro"
    trjcat -t "$T/x.gro" --carry mass,resid "$T/x.gro" -o "$T/x.trjf" 2>"$T/note"
    local centre a b threads
    for centre in com cog; do
        for threads in 1 3; do
            trjstat -j $threads -i "$T/x.trjf" --per residue --map "distance($centre(all), $centre(all))" >"$T/$threads"
        done
        cmp <(rows "$T/1") <(rows "$T/3")
        has "^# distances of residues: mean over frames of distance($centre(all), $centre(all)), by the nearest" <"$T/1"
        [ "$(rows "$T/1" | wc -l)" = 6 ]
        for a in 1 2; do
            for ((b = a + 1; b <= 3; b++)); do
                trjstat -i "$T/x.trjf" "distance($centre(resid $a), $centre(resid $b))" | rows |
                    awk -F '\t' '{ sum += $3 } END { print sum / NR }' >"$T/want"
                rows "$T/1" | awk -F '\t' -v a=$((a - 1)) -v b=$((b - 1)) \
                    '$1 == a && $((NF + 1) / 2) == b { print $NF }' | near 1 "$(cat "$T/want")" 1e-4
            done
        done
    done
    # The map of masses against centres of geometry is not symmetric.
    [ "$(trjstat -i "$T/x.trjf" --per residue --map 'distance(com(all), cog(all))' | rows | wc -l)" = 9 ]
    fails 2 'distance(com(all), com(all)) is for the centres of residues; add --per residue, or use mindist(A, B)' \
        trjstat -i "$T/x.trjf" --map 'distance(com(all), com(all))'
    # Atoms of residue 1 on both sides of the boundary
    sed 's/^\(    1MOL .*\)   0.050/\1   1.950/' "$T/x.gro" >"$T/y.gro"
    trjcat -t "$T/y.gro" --carry mass,resid "$T/y.gro" -o "$T/y.trjf" 2>"$T/note"
    fails 3 'residue MOL1: ' trjstat -i "$T/y.trjf" --per residue --map 'distance(com(all), com(all))'
}

@test "distance map: mean of mindist() of each pair, with periodic images of any cell, for any number of threads" {
    # Residues of three atoms; in the second cell, some are longer than half of it.
    frame() { # SEED CELL...: nine numbers of the cell in nm, as in GRO files
        awk -v seed="$1" -v cell="${*:2}" "$AWK_RANDOM"'BEGIN {
            print "x\n12"
            for (i = 0; i < 12; i++)
                printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", i / 3 + 1, "MOL", "C", i + 1,
                    4 * random(), 3 * random(), 3 * random()
            print cell
        }'
    }
    local cell a b
    for cell in '3 3 3 0 0 0 0 0 0' '2 1.8 1.9 0 0 0.9 0 -0.8 0.7'; do
        # shellcheck disable=SC2086
        { frame 1 $cell && frame 2 $cell && frame 3 $cell; } >"$T/x.gro"
        trjcat -t "$T/x.gro" --carry name,resid "$T/x.gro" -o "$T/x.trjf" 2>"$T/note"
        for threads in 1 3; do
            trjstat -j $threads -i "$T/x.trjf" --map 'mindist(all, all)' --per residue | rows >"$T/$threads"
        done
        cmp "$T/1" "$T/3"
        [ "$(wc -l <"$T/1")" = 10 ]
        for a in 1 2 3 4; do
            for b in 1 2 3 4; do
                [ $a -lt $b ] || continue
                trjstat -i "$T/x.trjf" "mindist(resid $a, resid $b)" | rows |
                    awk -F '\t' '{ sum += $3 } END { print sum / NR }' >"$T/want"
                awk -F '\t' -v a=$((a - 1)) -v b=$((b - 1)) '$1 == a && $((NF + 1) / 2) == b { print $NF }' "$T/1" |
                    near 1 "$(cat "$T/want")" 1e-4
            done
        done
        trjstat -i "$T/x.trjf" --map 'mindist(index 0 5, index 2 5 7)' | rows |
            awk -F '\t' '{ printf "%s-%s ", $1, $((NF + 1) / 2) }' >"$T/got"
        [ "$(cat "$T/got")" = '0-2 0-5 0-7 5-2 5-5 5-7 ' ]
        trjstat -i "$T/x.trjf" --map 'mindist(index 0 5, index 2 5 7)' | rows | sed -n 6p |
            awk '{ print $NF }' >"$T/got"
        trjstat -i "$T/x.trjf" 'distance(5, 7)' | rows | awk -F '\t' '{ sum += $3 } END { print sum / NR }' >"$T/want"
        near 1 "$(cat "$T/want")" 1e-4 <"$T/got"
    done
    trjstat -i "$T/x.trjf" --map 'mindist(all, all)' --per residue -o "$T/x.npy"
    [ "$(wc -c <"$T/x.npy")" = $((128 + 4 * 4 * 4)) ]
    printf '2\nx\nC 0 0 0\nC 2000001 0 0\n' | trjcat - -o "$T/far.trjf"
    run -3 trjstat -i "$T/far.trjf" --map 'mindist(all, all)'
    [[ $output == *'a distance of 2e+06 Angstrom is beyond the range of a map'* ]]
}

@test "maps: invalid expressions, groups that change, and other options are rejected" {
    body 0,0,-1 40,5,1 >"$T/x.xyz"
    trjcat --carry element -g 'D=within 5 of index 0' "$T/x.xyz" -o "$T/x.trjf"
    rejects() { # STATUS WORDS OPTION...
        run -"$1" trjstat -i "$T/x.trjf" "${@:3}"
        [[ $output == *"$2"* && $(wc -l <<<"$output") -le 2 ]] || { echo "$output" && false; }
    }
    rejects 2 "leave 'reference' and 'frame' out" --map "rmsd(all, reference=$T/x.xyz)"
    rejects 2 'superposed by the group itself' --map 'rmsd(all, fit=element C)'
    rejects 2 'a map of rmsd() has a row for each frame' --map 'rmsd(all)' --per residue
    rejects 2 "the atoms of 'D' change" --map 'rmsd(D)'
    rejects 3 'mass' --map 'rmsd(all, weights=mass)'
    rejects 2 'use fit=SELECTION or fit=none' --map 'rmsd(index 0 1)'
    trjcat -f 0 "$T/x.xyz" -o "$T/one.trjf"
    run -3 trjstat -i "$T/one.trjf" --map 'rmsd(all)'
    [[ $output == *'the stream has 1 frame; a matrix requires at least 2'* ]]
    rejects 2 'cog has no map' --map 'cog(all)'
    rejects 2 'argument 3 (radius) is missing' --map 'contacts(all, all)'
    rejects 2 'radius must be positive' --map 'contacts(all, all, 0)'
    rejects 2 "leave 'soft' out" --map 'contacts(all, all, 3, soft)'
    rejects 2 "atoms of 'D' change" --map 'contacts(all, D, 3)'
    rejects 2 'different outputs' --map 'contacts(all, all, 3)' --rmsf all
    rejects 2 'apply to --rmsf and --pca only' --map 'contacts(all, all, 3)' --fit all
    rejects 2 '--map has its own output' --map 'contacts(all, all, 3)' 'cog(all)'
    rejects 3 'does not number residues' --map 'contacts(all, all, 3)' --per residue
}

# column_of FRAME TOLERANCE TABLE: the RMSD of this frame in the matrix on standard input agrees with a table of rmsd().
column_of() {
    rows | awk -F '\t' -v frame="$1" -v e="$2" -v table="$3" '
        BEGIN { while ((getline line <table) > 0) if (line !~ /^#/) { split(line, field, "\t"); want[n++] = field[3] } }
        $1 == frame || $2 == frame {
            other = $1 == frame ? $2 : $1
            d = $3 - want[other]; found++
            if (!(d <= e && -d <= e)) { print other ": " $3 ", not " want[other]; exit bad = 1 }
        }
        END { exit bad || found != n - 1 }'
}

@test "RMSD of all pairs of frames: as rmsd() of each, for any weights and instruction set" {
    need_shared
    adk --carry mass -o "$T/adk.trjf"
    local arguments frame
    for arguments in 'name CA' 'all, weights=mass' 'all, fit=none' 'all, fit=none, weights=mass'; do
        trjstat -i "$T/adk.trjf" "rmsd($arguments)" >"$T/first"
        trjstat -i "$T/adk.trjf" --map "rmsd($arguments)" >"$T/matrix"
        column_of 0 1e-5 "$T/first" <"$T/matrix"
    done
    for frame in 50 97; do
        adk -f $frame -g all=all -o "$T/reference.trjf"
        trjstat -i "$T/adk.trjf" "rmsd(name CA, reference=$T/reference.trjf)" >"$T/first"
        trjstat -i "$T/adk.trjf" --map 'rmsd(name CA)' | column_of $frame 1e-5 "$T/first"
    done
    for isa in plain avx2 avx512; do
        for threads in 1 3; do
            TRJPIPE_ISA=$isa trjstat -j $threads -i "$T/adk.trjf" --map 'rmsd(name CA)' -o "$T/$isa$threads.npy"
            cmp "$T/plain1.npy" "$T/$isa$threads.npy"
        done
    done
    need_python_module numpy
    trjstat -i "$T/adk.trjf" --map 'rmsd(name CA)' | rows | run_python -c '
import sys, numpy
m = numpy.load(sys.argv[1])
assert m.shape == (98, 98) and m.dtype == "f4" and (m == m.T).all() and (m.diagonal() == 0).all()
for line in sys.stdin:
    a, b, value = line.split("\t")
    assert abs(m[int(a), int(b)] - float(value)) < 1e-6
' "$T/plain1.npy"
}

@test "RMSD of all pairs: rotated copies differ by nothing, one atom by its share, and a mirror image by more" {
    body 0,0,-1 40,5,-1 100,-30,2 -160,100,-1 >"$T/x.xyz"
    awk 'NR <= 9 { if (NF == 4) $4 = -$4; print }' "$T/x.xyz" >"$T/mirror.xyz"
    cat "$T/x.xyz" "$T/mirror.xyz" | trjcat --carry element - -o "$T/x.trjf"
    trjstat -i "$T/x.trjf" --map 'rmsd(all)' | rows >"$T/pairs"
    [ "$(wc -l <"$T/pairs")" = 10 ]
    for pair in '0	1' '0	3' '1	3'; do grep -P "^$pair	" "$T/pairs" | near 3 0 2e-5; done
    # A rotation reduces the deviation by an atom that moves by 3 A, of seven, to less than 3/sqrt(7).
    grep -P '^0	2	' "$T/pairs" | awk '!($3 > 0.5 && $3 < 1.1339) { print; exit bad = 1 } END { exit bad || !NR }'
    trjstat -i "$T/x.trjf" 'rmsd(all)' >"$T/first"
    column_of 0 1e-5 "$T/first" <"$T/pairs"
    grep -P '^1	4	' "$T/pairs" | awk '!($3 > 0.5) { print; exit bad = 1 } END { exit bad || !NR }'
    # Without superposition, the deviation between the first two frames is computed here.
    trjstat -i "$T/x.trjf" --map 'rmsd(all, fit=none)' | rows >"$T/raw"
    trjstat -i "$T/x.trjf" 'rmsd(all, fit=none)' >"$T/first"
    column_of 0 2e-5 "$T/first" <"$T/raw"
}

@test "RMSD of all pairs: the engine reference gives the values of the engine cpu, and other results have no engines" {
    need_shared
    adk --carry mass -o "$T/adk.trjf"
    local engine arguments
    for arguments in 'name CA' 'all, fit=none'; do
        for engine in cpu reference; do
            trjstat -e $engine --stats -i "$T/adk.trjf" --map "rmsd($arguments)" 2>"$T/$engine.err" | rows >"$T/$engine"
            grep -q "^trjstat: 4753 pairs of 98 frames, .* atoms: .* s in engine $engine, threads" "$T/$engine.err"
        done
        paste "$T/cpu" "$T/reference" | awk '{ d = $3 / $6 - 1; if (!(d < 1e-5 && d > -1e-5)) { print; exit bad = 1 } }
            END { exit bad || NR != 4753 }'
    done
    trjstat -i "$T/adk.trjf" --map 'rmsd(name CA)' 2>"$T/err" | rows | cmp - <(
        trjstat -e cpu -i "$T/adk.trjf" --map 'rmsd(name CA)' | rows)
    grep -q '^trjstat: engine cpu, threads' "$T/err"
    # shellcheck disable=SC2086 # options are words
    for arguments in '-e cuda rg(all)' '-e reference --rmsf all' '--devices 0 rg(all)' '--stats --rmsf all' \
        '-e reference --map contacts(all,all,3)'; do
        run -2 trjstat -i "$T/adk.trjf" $arguments
        [[ $output == *"apply to --map 'rmsd(A)' only"* ]]
    done
    run -2 trjstat -i "$T/adk.trjf" --devices 0,1 --map 'rmsd(all)'
    [[ $output == *"'0,1' lists several GPUs, but one computes all pairs; give one"* ]]
    trjstat -e cpu -i "$T/adk.trjf" 'cog(all)' | rows | cmp - <(trjstat -i "$T/adk.trjf" 'cog(all)' | rows)
}

@test "RMSD of all pairs: mirror images of a tetrahedron, whose best rotations are almost equally good" {
    # The sums of squared distances are 6^2 for each atom: three of four atoms coincide after reflection of one axis.
    awk 'BEGIN {
        for (frame = 0; frame < 24; frame++) {
            print "4\nx"
            mirror = frame < 12 ? 1 : -1
            for (i = 0; i < 4; i++) {
                x = mirror * (i < 2 ? 3 : -3); y = mirror * (i % 2 ? -3 : 3); z = mirror * (i % 3 ? -3 : 3)
                c = cos(frame * 0.7); s = sin(frame * 0.7)
                u = c * x - s * y; v = s * x + c * y
                c = cos(frame * 0.4); s = sin(frame * 0.4)
                printf "C %.5f %.5f %.5f\n", u, c * v - s * z, s * v + c * z
            }
        }
    }' | trjcat -P none - -o "$T/x.trjf"
    trjstat -i "$T/x.trjf" --map 'rmsd(all)' | rows | awk -F '\t' '
        { off = $3 - ($1 < 12 && $2 >= 12 ? 6 : 0); if (!(off ^ 2 < 4e-9)) { print; bad = 1 } }
        END { exit bad || NR != 276 }'
}

@test "RMSD of all pairs: frames and atoms that do not fill the tiles" {
    mkdcd --atoms 300 --frames 131 --cell 20,20,20 >"$T/x.dcd"
    trjcat -P none "$T/x.dcd" -o "$T/x.trjf" 2>"$T/note"
    for count in 3 127 129 300; do
        trjcat -f 130 -g all=all -P none "$T/x.dcd" -o "$T/last.trjf" 2>"$T/note"
        trjstat -i "$T/x.trjf" "rmsd(index 0:$((count - 1)), reference=$T/last.trjf)" >"$T/first"
        trjstat -i "$T/x.trjf" --map "rmsd(index 0:$((count - 1)))" >"$T/pairs"
        [ "$(rows "$T/pairs" | wc -l)" = $((131 * 130 / 2)) ]
        column_of 130 2e-5 "$T/first" <"$T/pairs"
    done
}
