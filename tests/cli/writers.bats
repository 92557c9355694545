#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjcat --to: the output is read again by trjcat and by other programs, and content that cannot be written is rejected.
# tests/unit/test_xtc_pack.c and test_decimal.c test the compression of XTC and numbers as text one by one.
load helper

# Prints frames and coordinates of a trajectory, every bit, without the names of sources.
frames() {
    trjcat "$@" 2>"$T/notes" | trjdump | sed -n '/^frame/,$p' | sed 's/ of [^ ]* step/ step/' ||
        { cat "$T/notes"; return 1; }
}

# same_frames A B: have the same bits, steps and times; cells agree to 12 digits
same_frames() {
    frames "$1" >"$T/a.frames" && frames "$2" >"$T/b.frames" && [[ -s $T/a.frames ]] || return 1
    same <(grep -v '^frame' "$T/a.frames") <(grep -v '^frame' "$T/b.frames") || return 1
    paste -d ' ' <(grep '^frame' "$T/a.frames") <(grep '^frame' "$T/b.frames") | awk '{ n = NF / 2
        for (i = 1; i <= n; i++) { d = $i - $(n + i); s = $i < 0 ? -$i : $i
            bad = bad || (i > 11 ? (d > 1e-12 * s + 1e-11 || -d > 1e-12 * s + 1e-11) : i == 6 ? (d > 1e-6 * s ||
            -d > 1e-6 * s) : $i != $(n + i)) }
        if (bad) { print; exit } } END { exit bad || !NR }'
}

# Three atoms in two residues, with a step, a time and a triclinic cell; in Å and in nm.
make_small() {
    cat >"$T/small.pdb" <<'EOF'
ATOM      1  CA  ALA A   7       1.000   2.000   3.000  1.00  0.00           C
ATOM      2 CA    CA A1234      -1.500   2.250 -99.125  1.00  0.00          CA
ATOM      3 HG11 TIP3Z9999      10.000 200.000   0.001  1.00  0.00           H
END
EOF
    cat >"$T/small.gro" <<'END'
small, t= 1.5 step= 750
3
    7ALA     CA    1   0.100   0.200   0.300
 1234CA      CA    2  -0.150   0.225  -9.913
 9999TIP3  HG11    3   1.000  20.000   0.001
   3.00000   3.00000   3.00000   0.00000   0.00000   1.50000   0.00000   0.00000   0.00000
END
}

@test "DCD: the same bits in every cell, to files and pipes" {
    local cell n
    for cell in 20,21,22 20,21,22,70,80,95 30,30,30,60,60,90; do
        mkdcd --atoms 70 --frames 9 --cell "$cell" --breathe 0.05 >"$T/a.dcd"
        trjcat "$T/a.dcd" -o "$T/b.dcd"
        same_frames "$T/a.dcd" "$T/b.dcd"
        trjcat --to dcd "$T/a.dcd" | cat >"$T/c.dcd"
        same_frames "$T/a.dcd" "$T/c.dcd"
        trjcat --to dcd "$T/a.dcd" >"$T/d.dcd"
        same "$T/b.dcd" "$T/d.dcd"
        n=$(od -An -t d4 -j 8 -N 4 "$T/b.dcd")$(od -An -t d4 -j 8 -N 4 "$T/c.dcd")
        [[ $(tr -s ' ' <<<"$n") == ' 9 0' ]] # the header of a file gives the number of frames, that of a pipe does not
        # The rest is equal, except for that and the steps of the whole trajectory.
        [[ $(cmp -l "$T/b.dcd" "$T/c.dcd" | awk '$1 < 9 || ($1 > 12 && $1 < 21) || $1 > 24' | wc -l) == 0 ]]
    done
    mkdcd --atoms 70 --frames 1 --cellform none >"$T/a.dcd"
    trjcat "$T/a.dcd" -o "$T/b.dcd"
    [[ $(stat -c %s "$T/b.dcd") == $((92 + 172 + 12 + 3 * 288)) ]]
    frames "$T/b.dcd" | has ' periodic 0 cell 0 0 0 '
}

@test "DCD: cells of CHARMM are written unchanged" {
    mkdcd --atoms 70 --frames 5 --cell 20,21,22,70,80,95 --cellform shape --charmm 36 --breathe 0.05 >"$T/a.dcd"
    trjcat "$T/a.dcd" -o "$T/b.dcd"
    same <(frames "$T/a.dcd") <(frames "$T/b.dcd")
    [[ $(od -An -t d4 -j 84 -N 4 "$T/b.dcd" | tr -d ' ') == 36 ]]
    mkdcd --atoms 70 --frames 2 --cell 20,21,22,70,80,95 >"$T/c.dcd"
    fails_cleanly 3 "c.dcd: frame 0: has a cell of another form than earlier frames; write xyz or trjf" \
        trjcat --to dcd "$T/a.dcd" "$T/c.dcd"
    fails_cleanly 3 'a.dcd: frame 0: a cell of dcd has a along x' trjcat --to dcd "$T/c.dcd" "$T/a.dcd"
    fails_cleanly 3 'a.dcd: frame 0: a cell of xtc has a along x' trjcat --to xtc "$T/a.dcd"
}

@test "output that is appended to, or starts after other data: not damaged" {
    mkdcd --atoms 5 --frames 3 >"$T/a.dcd"
    trjcat --to dcd "$T/a.dcd" >"$T/expected"
    printf 'what was there' >"$T/b"
    trjcat --to dcd "$T/a.dcd" >>"$T/b"
    [[ $(head -c 14 "$T/b") == 'what was there' ]]
    tail -c +15 "$T/b" >"$T/got"
    trjcat --to dcd "$T/a.dcd" | cat >"$T/piped"
    same "$T/piped" "$T/got"
    { printf 'before'; trjcat --to dcd "$T/a.dcd"; printf 'after!'; } >"$T/c"
    [[ $(head -c 6 "$T/c") == before && $(tail -c 6 "$T/c") == after! ]]
    tail -c +7 "$T/c" | head -c -6 >"$T/got"
    same "$T/expected" "$T/got"
}

@test "DCD, steps and times that its header cannot store: a note" {
    mkdcd --atoms 5 --frames 6 >"$T/a.dcd"
    trjcat -f ::2 "$T/a.dcd" -o "$T/even.dcd"
    same <(frames "$T/even.dcd" | grep -o 'step.*time [^ ]*') <(frames -f ::2 "$T/a.dcd" | grep -o 'step.*time [^ ]*')
    trjcat "$T/a.dcd" "$T/a.dcd" -o "$T/twice.dcd" 2>"$T/err"
    grep -q 'note: the times of the frames are unknown, not evenly spaced' "$T/err"
    frames "$T/twice.dcd" | grep -o 'step [0-9]* time -*nan' | cut -d ' ' -f 2 | same <(seq 0 11) -
    local got=0
    trjcat --to dcd "$T/a.dcd" "$T/a.dcd" 2>"$T/err" | cat >/dev/null || got=${PIPESTATUS[0]}
    ((got == 3)) && grep -q 'a.dcd: frame 0: .*frames are not evenly spaced' "$T/err"
    # Times without steps: the steps of the DCD count frames.
    printf 'x, t= %s\n1\n    1A       A    1   1.000   2.000   3.000\n 3.0 3.0 3.0\n' 10.0 12.0 14.0 >"$T/t.gro"
    trjcat "$T/t.gro" -o "$T/t.dcd"
    frames "$T/t.dcd" | grep -o 'step.*time [^ ]*' | awk '{ t = 10 + 2 * (NR - 1); d = $4 - t
        bad = bad || $2 != t / 2 || d > 1e-5 || -d > 1e-5 } END { exit bad || NR != 3 }'
}

@test "nm: converted to Angstrom in float64, and rounded once" {
    need_shared
    need perl
    trjcat "$DATA/trr/cell_shapes.trr" -o "$T/a.dcd" 2>/dev/null
    frames "$DATA/trr/cell_shapes.trr" | grep -v ^frame >"$T/nm"
    frames "$T/a.dcd" | grep -v ^frame >"$T/dcd"
    [[ -s $T/nm ]]
    # shellcheck disable=SC2016 # Perl's own variables
    perl -ne 'print join(" ", map { unpack("H8", pack("f>", unpack("f>", pack("H8", $_)) * 10)) } split), "\n"' \
        "$T/nm" | same - "$T/dcd"
}

@test "XTC from XTC: unchanged, bit for bit" {
    need_shared
    local file
    for file in tip3p_300K_1ATM adk_oplsaa ten_atoms mda-test xyz_random_walk large_diff cell_shapes; do
        trjcat "$DATA/xtc/$file.xtc" -o "$T/a.xtc"
        same_frames "$DATA/xtc/$file.xtc" "$T/a.xtc" || { echo "$file"; return 1; }
        # The file is not larger than the one that another program wrote.
        awk -v a="$(stat -c %s "$T/a.xtc")" \
            -v b="$(stat -c %s "$DATA/xtc/$file.xtc")" 'BEGIN { exit !(a <= 1.01 * b) }' || { echo "$file"; return 1; }
    done
}

@test "XTC: decimals, halves rounded away from zero, up to nine atoms as floats" {
    need perl
    make_small
    trjcat "$T/small.gro" -o "$T/a.xtc"
    same_frames "$T/small.gro" "$T/a.xtc"
    { printf '12\n\n'; printf 'X %s 0 -1234.5\n' 0.625 -0.625 1.875 0.62 0.63 1 2 3 4 5 6 7; } >"$T/b.xyz"
    trjcat "$T/b.xyz" -o "$T/b.xtc" 2>/dev/null
    [[ $(od -An -t f4 --endian=big -j 56 -N 4 "$T/b.xtc" | tr -d ' ') == 1000 ]]
    # shellcheck disable=SC2016 # Perl's own variables
    frames "$T/b.xtc" | grep -v ^frame |
        perl -ne 'printf("%.0f ", 1000 * unpack("f>", pack("H8", (split)[0])))' >"$T/got"
    [[ $(cat "$T/got") == '63 -63 188 62 63 100 200 300 400 500 600 700 ' ]]
    trjcat --decimals 5 "$T/b.xyz" -o "$T/c.xtc" 2>/dev/null
    [[ $(od -An -t f4 --endian=big -j 56 -N 4 "$T/c.xtc" | tr -d ' ') == 100000 ]]
    fails_cleanly 3 \
        'frame 0: z of atom 0 is -1234.5 Angstrom, too large for an xtc of 8 decimals; give fewer with --decimals' \
        trjcat --to xtc --decimals 8 "$T/b.xyz"
}

@test "GRO: every column is correct" {
    make_small
    trjcat -t "$T/small.gro" --to gro "$T/small.gro" "$T/small.gro" >"$T/got"
    { for _ in 1 2; do sed -e 's/^small/written by trjcat/' -e '$c\ 3 3 3 0 0 1.5 0 0 0' "$T/small.gro"; done; } \
        >"$T/expected"
    same "$T/expected" "$T/got"
    same_frames "$T/got" <(cat "$T/small.gro" "$T/small.gro")
    trjcat -t "$T/small.gro" --to gro --decimals 6 "$T/small.gro" | sed -n 4p |
        has '^ 1234CA      CA    2  -0.150000   0.225000  -9.913000$'
    # Names that are too long are truncated, with a note; numbers of residues and atoms restart at 0.
    awk 'BEGIN { print "t\n100001"
        for (i = 1; i <= 100001; i++) printf("%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", 99999, "A", "B", i % 100000, 1, 2, 3)
        print " 3 3 3" }' >"$T/big.gro"
    trjcat -t "$T/big.gro" --to gro "$T/big.gro" | sed -n '100001,100003p' | cut -c 1-20 >"$T/got"
    printf '99999A        B%5d\n' 99999 0 1 | same - "$T/got"
}

@test "PDB: every column is correct" {
    make_small
    trjcat -t "$T/small.pdb" --to pdb "$T/small.gro" >"$T/got"
    { echo 'TITLE     written by trjcat, t= 1.5 step= 750'
        echo 'CRYST1   30.000   33.541   30.000  90.00  90.00  63.43 P 1           1'
        echo 'MODEL        1'
        sed '2s/-99.125/-99.130/; 3s/0.001/0.010/; s/^END$/ENDMDL/' "$T/small.pdb"
        echo END; } >"$T/expected"
    same "$T/expected" "$T/got"
    # Frames with a cell, and then frames without one.
    printf '1\nLattice="9 0 0 0 9 0 0 0 9"\nA 1 2 3\n1\n\nA 4 5 6\n' >"$T/two.xyz"
    printf 'ATOM      1  A   A     1       1.000   2.000   3.000\nEND\n' >"$T/one.pdb"
    trjcat -t "$T/one.pdb" "$T/two.xyz" -o "$T/two.pdb"
    [[ $(grep -c '^CRYST1' "$T/two.pdb") == 2 ]]
    same_frames "$T/two.xyz" "$T/two.pdb"
}

@test "XYZ: any cell, the shortest numbers that keep every bit" {
    make_small
    trjcat -t "$T/small.pdb" --to xyz "$T/small.pdb" >"$T/got"
    printf '%s\n' 3 'Properties=species:S:1:pos:R:3 pbc="F F F"' 'C 1 2 3' 'Ca -1.5 2.25 -99.125' 'H 10 200 0.001' |
        same - "$T/got"
    trjcat -t "$T/small.pdb" --to xyz --decimals 4 "$T/small.pdb" | tail -n 1 | has '^H 10.0000 200.0000 0.0010$'
    mkdcd --atoms 3 --frames 4 --cell 20,21,22,70,80,95 >"$T/a.dcd"
    trjcat -t "$T/small.pdb" "$T/a.dcd" -P xz -g all=all -o "$T/a.xyz"
    grep -q 'pbc="T F T" step=10 time=[0-9.]* time_unit=ps$' "$T/a.xyz"
    trjcat -P xz "$T/a.dcd" | trjdump | grep '^frame\|^[0-9a-f]* [0-9a-f]* [0-9a-f]*$' |
        sed 's/ of [^ ]*//' >"$T/expected"
    trjcat -P xz "$T/a.xyz" | trjdump | grep '^frame\|^[0-9a-f]* [0-9a-f]* [0-9a-f]*$' | sed 's/ of [^ ]*//' |
        same "$T/expected" -
    # A rotated cell.
    printf '3\nLattice="0 9 0 9 0 0 0 0 -9"\nA 1 2 3\nB 4 5 6.125\nC 1e-30 -1e30 0.1\n' >"$T/b.xyz"
    trjcat -t "$T/small.pdb" "$T/b.xyz" -o "$T/c.xyz"
    same_frames "$T/b.xyz" "$T/c.xyz"
}

@test "XYZ with --carry: columns with the names and units of ASE, read back; masses of momenta are required" {
    make_small
    trjcat --carry mass,resname,name,resid --to xyz "$T/small.gro" 2>"$T/notes" | sed 1d | same - <(
        printf '%s' 'Lattice="30 0 0 15 30 0 0 0 30" Properties=species:S:1:pos:R:3:masses:R:1:residuenames:S:1:'
        printf '%s\n' 'atomtypes:S:1:residuenumbers:I:1 pbc="T T T" step=750 time=1.5 time_unit=ps' \
            'C 1 2 3 12.011 ALA CA 7' 'Ca -1.5 2.25 -99.130005 40.078 CA CA 1234' \
            'H 10 200 0.010000001 1.008 TIP3 HG11 9999')
    printf '2\nProperties=species:S:1:pos:R:3:charge:R:1:masses:R:1\nO 1 2 3 -0.5 16\nH 2 3 4 0.5 2\n' >"$T/q.xyz"
    trjcat --carry charge,mass "$T/q.xyz" -o "$T/carried.xyz"
    trjcat --carry charge,mass "$T/carried.xyz" --to xyz | same "$T/carried.xyz" -
    has '^O 1 2 3 -0.5 16 O$' "$T/carried.xyz"
    # A stream needs no topology if it contains names or elements; a centre has no residue.
    trjcat --carry name,charge "$T/q.xyz" | trjcat --to xyz - | sed -n 3p | has '^O 1 2 3 O -0.5$'
    trjcat --carry resid -g 'A=cog(all) per residue' "$T/small.gro" --to xyz >"$T/out" 2>"$T/err"
    has 'note: resid is not written, because its value for atom 0 is unknown' "$T/err"
    # Velocities of 1 and -2 Angstrom/ps become momenta in sqrt(u eV).
    sed -e '3s/$/  0.1000 -0.2000  0.0000/; 4,5s/$/  0.0000  0.0000  0.0000/' "$T/small.gro" >"$T/moving.gro"
    trjcat --carry velocity --to xyz "$T/moving.gro" 2>"$T/notes" |
        sed -n 3p | awk '{ p = 12.011 / 98.22694750253277
            exit !(NF == 8 && $5 == 12.011 && ($6 - p) ^ 2 < 1e-16 && ($7 + 2 * p) ^ 2 < 1e-16 && $8 == 0) }'
    sed 's/HG11/  XX/' "$T/moving.gro" >"$T/unknown.gro"
    fails_cleanly 3 'the mass of atom 2 is unknown, but extended XYZ contains momenta; give a topology with masses' \
        trjcat --carry velocity --to xyz "$T/unknown.gro"
    fails_cleanly 3 'the mass of atom 0 is unknown, *; give --carry velocity,mass for those of centres' \
        trjcat --carry velocity -g 'A=com(all) per residue' "$T/moving.gro" --to xyz
    sed 's/ HG11/  Q Q/' "$T/small.gro" | trjcat --to xyz - 2>"$T/notes" | tail -n 1 | has '^Q_Q 10 200 '
}

@test "g96: every column is correct; one frame with names, and several without; velocities" {
    make_small
    { printf '%s\n' TITLE 'written by trjcat' END TIMESTEP '            750            1.5' END POSITION \
        '    7 ALA   CA         1    0.100000001    0.200000003    0.300000012' \
        ' 1234 CA    CA         2   -0.150000006    0.224999994   -9.913000107' \
        ' 9999 TIP3  HG11       3    1.000000000   20.000000000    0.001000000' END BOX
        printf '%15.9f' 3 3 3 0 0 1.5 0 0 0
        printf '\n%s\n' END; } >"$T/expected"
    trjcat --to g96 "$T/small.gro" | same "$T/expected" -
    same_frames "$T/small.gro" "$T/expected"
    sed 's/t= 1.5/t= 2.5/; s/ 7ALA/ 7ALA/' "$T/small.gro" >"$T/next.gro"
    trjcat "$T/small.gro" "$T/next.gro" -o "$T/two.g96"
    [[ $(grep -c '^POSITIONRED$' "$T/two.g96") == 2 && $(grep -c TITLE "$T/two.g96") == 1 ]]
    same_frames <(cat "$T/small.gro" "$T/next.gro") "$T/two.g96"
    sed -e '1s/,.*//; 3s/$/  0.1000 -0.2000  0.0000/; 4,5s/$/  0.0000  0.0000  0.0000/' "$T/small.gro" >"$T/moving.gro"
    trjcat --carry velocity "$T/moving.gro" -o "$T/moving.g96"
    ! grep -q TIMESTEP "$T/moving.g96" || return 1
    has '^    7 ALA   CA         1    0.100000001   -0.200000003    0.000000000$' "$T/moving.g96"
    trjcat --carry velocity "$T/moving.g96" | trjdump >"$T/got"
    has '^velocities unit 10' "$T/got"
    # What does not fit is an error of its own frame, also of the first.
    printf '3\n\nA 1 2 3\nB 4 5 6\nC -100000 8 9\n' >"$T/far.xyz"
    fails_cleanly 3 'far.xyz: frame 0: atom 2 is at -100000 8 9 Angstrom, too far for the columns of g96' \
        trjcat --to g96 "$T/far.xyz" "$T/far.xyz"
}

@test "CARD: every column is correct; extended columns where they are required; one frame" {
    make_small
    trjcat --to card "$T/small.pdb" >"$T/got" 2>"$T/notes"
    printf '%s\n' '* written by trjcat' '*' '    3' \
        '    1    1 ALA  CA     1.00000   2.00000   3.00000 A    7      0.00000' \
        '    2    2 CA   CA    -1.50000   2.25000 -99.12500 A    1234   0.00000' \
        '    3    3 TIP3 HG11  10.00000 200.00000   0.00100 Z    9999   0.00000' | same - "$T/got"
    same_frames "$T/small.pdb" "$T/got"
    sed 's/ALA  /ALANI/; s/  20.000/9999.999/' "$T/small.gro" | trjcat -o "$T/wide.crd" - 2>"$T/err"
    has 'note: the cell is not written, because CARD cannot store it' "$T/err"
    sed -n 3,4p "$T/wide.crd" | same - <(printf '%s\n' '         3  EXT' \
        '         1         1  ALANI     CA              1.0000000000        2.0000000000        3.0000000000            7               0.0000000000')
    sed 's/ALA  /ALANI/; s/  20.000/9999.999/' "$T/small.gro" >"$T/wide.gro"
    trjcat "$T/wide.gro" --to xyz | tail -n 3 | same - <(trjcat "$T/wide.crd" --to xyz | tail -n 3)
    fails_cleanly 3 'a CARD file contains one frame; select it with --frames, or write dcd or xyz' \
        trjcat --to card "$T/small.pdb" "$T/small.pdb"
}

@test "insertion codes: written to PDB, mmCIF and CARD; a note for GRO and g96, which have none" {
    printf '* t\n*\n    3\n%s\n%s\n%s\n' \
        '    1    1 GLY  CA     1.00000   2.00000   3.00000 H    52     0.00000' \
        '    2    2 GLY  CA     4.00000   5.00000   6.00000 H    52A    0.00000' \
        '    3    3 GLY  CA     7.00000   8.00000   9.00000 H    53     0.00000' >"$T/in.crd"
    for ending in crd pdb cif; do
        trjcat -o "$T/out.$ending" "$T/in.crd" 2>"$T/err"
        [[ ! -s "$T/err" ]]
        trjcat -o "$T/back.cor" "$T/out.$ending" 2>/dev/null
        same <(tail -n 3 "$T/in.crd") <(tail -n 3 "$T/back.cor")
    done
    for ending in gro g96; do
        trjcat -o "$T/out.$ending" "$T/in.crd" 2>"$T/err"
        has 'note: insertion codes of residues are not written, because' "$T/err"
    done
    # A digit would belong to the number of the residue; mmCIF stores any code.
    sed 's/\(^.*GLY.* \)A /\11 /' "$T/out.cif" >"$T/digit.cif"
    for ending in crd pdb; do
        trjcat -o "$T/out.$ending" "$T/digit.cif" 2>"$T/err"
        has 'note: insertion codes of residues that are not letters are not written, because' "$T/err"
        trjcat -o "$T/back.cor" "$T/out.$ending" 2>/dev/null
        same <(tail -n 3 "$T/in.crd" | sed 's/52A/52 /' | cut -c 11-) <(tail -n 3 "$T/back.cor" | cut -c 11-)
    done
    trjcat "$T/digit.cif" --to mmcif | same "$T/digit.cif" -
}

@test "groups: only their atoms are written, with their own names" {
    make_small
    trjcat -t "$T/small.pdb" -g 'X=name HG11' -g 'Y=resname ALA' --to gro "$T/small.gro" >"$T/got"
    printf '%s\n' 'written by trjcat, t= 1.5 step= 750' 2 '    7ALA     CA    1   0.100   0.200   0.300' \
        ' 9999TIP3  HG11    2   1.000  20.000   0.001' ' 3 3 3 0 0 1.5 0 0 0' | same - "$T/got"
    trjcat -g 'X=index 2' "$T/small.gro" -o "$T/one.xtc"
    [[ $(frames "$T/one.xtc" | wc -l) == 2 ]]
    # A stream of all atoms accepts names; one of some atoms does not contain their numbers.
    trjcat "$T/small.gro" | trjcat -t "$T/small.gro" --to gro - | sed 1d >"$T/got"
    trjcat -t "$T/small.gro" --to gro "$T/small.gro" | sed 1d | same - "$T/got"
    trjcat -g 'X=index 2' "$T/small.gro" -o "$T/some.trjf"
    fails_cleanly 3 \
        'some.trjf: contains 1 of 3 atoms, without their numbers, and the topology * has 3; give it where trjcat reads the trajectory' \
        trjcat -t "$T/small.gro" --to gro "$T/some.trjf"
}

@test "output format: from --to or the file name, otherwise a frame stream" {
    make_small
    trjcat "$T/small.gro" -o "$T/x.XTC"
    [[ $(od -An -t d4 --endian=big -N 4 "$T/x.XTC" | tr -d ' ') == 1995 ]]
    trjcat --to xtc "$T/small.gro" -o "$T/unknown"
    same "$T/x.XTC" "$T/unknown"
    trjcat "$T/small.gro" -o "$T/stream"
    trjcat --to trjf "$T/small.gro" | trjdump | sed '/^provenance/d' >"$T/expected"
    trjdump <"$T/stream" | sed '/^provenance/d' | same "$T/expected" -
    fails 2 "--output */x.dcd: the ending is that of dcd, but --to is xtc; leave --to out, or change the ending" \
        trjcat --to xtc "$T/small.gro" -o "$T/x.dcd"
    fails 2 "--output */x.dcd: the ending is that of dcd, but --to is trjf; leave --to out, or change the ending" \
        trjcat --to trjf "$T/small.gro" -o "$T/x.dcd"
    fails 2 "--output */x.xtc.gz: compressed files are not written; *" trjcat "$T/small.gro" -o "$T/x.xtc.gz"
    local name
    for name in trr TRR lammpstrj mdcrd h5md gsd h5 lammpsdump dump data psf tpr rst7 tng rdfh xml; do
        fails 2 "--output */x.$name: files with this ending are not written; use one of .trjf, .dcd, .xtc, .nc, .xyz*" \
            trjcat "$T/small.gro" -o "$T/x.$name"
        fails 2 '--output */x.*: files with this ending are not written; *' \
            trjcat --to trjf "$T/small.gro" -o "$T/x.$name"
        [[ ! -e $T/x.$name ]]
    done
    fails 2 "--output */HISTORY: files with this ending are not written; *" trjcat "$T/small.gro" -o "$T/HISTORY"
    trjcat "$T/small.gro" -o "$T/run-history" # is no name of DL_POLY
    for name in ncdf netcdf; do
        trjcat "$T/small.gro" -o "$T/x.$name" 2>"$T/notes"
        [[ $(head -c 3 "$T/x.$name") == CDF ]]
    done
    [[ ! -e $T/x.dcd ]]
    fails 2 '--compress applies to frame streams, not to dcd; leave it out' trjcat -z 3 "$T/small.gro" -o "$T/x.dcd"
    fails 2 '--decimals: the number of decimals cannot be chosen in pdb; leave it out' \
        trjcat --to pdb --decimals 2 -t "$T/small.pdb" "$T/small.gro"
    fails 2 '--decimals' trjcat --to xtc --decimals 10 "$T/small.gro"
    fails 2 "--to: 'xyzt'" trjcat --to xyzt "$T/small.gro"
    # A topology without names must have as many atoms, or gives their number.
    printf 'water\n1\n    1SOL     OW    1   0.100   0.200   0.300\n   0.0 0.0 0.0\n' >"$T/one.gro"
    for name in dcd xtc nc; do
        trjcat "$T/small.gro" -o "$T/a.$name"
        trjcat -t "$T/small.gro" "$T/a.$name" -o "$T/b.$name" 2>"$T/notes"
        trjcat "$T/a.$name" -o "$T/c.$name" 2>"$T/notes"
        same "$T/b.$name" "$T/c.$name"
        fails 3 "a.$name: 3 atoms, but the topology *one.gro has 1; give one of the same atoms with -t" \
            trjcat -t "$T/one.gro" "$T/a.$name" -o "$T/d.$name"
    done
    trjcat "$T/small.gro" -o "$T/a.trjf"
    trjcat -t "$T/small.gro" --to dcd "$T/a.trjf" | same - <(trjcat --to dcd "$T/small.gro")
    fails 3 "a.trjf: 3 atoms, but the topology *one.gro has 1; give one of the same atoms with -t" \
        trjcat -t "$T/one.gro" --to dcd "$T/a.trjf"
    fails 2 'a.trjf: is a frame stream, which has its own groups; *' trjcat -t "$T/small.gro" "$T/a.trjf"
    local format
    mkdcd --atoms 3 --frames 1 --cell 30,30,30 >"$T/a.dcd"
    for format in gro pdb xyz; do
        fails_cleanly 2 "$format contains names of atoms, which the frames lack; give a topology with -t" \
            trjcat --to "$format" "$T/a.dcd"
        same <(trjcat --to "$format" "$T/small.gro") <(trjcat --to "$format" -t "$T/small.gro" "$T/small.gro")
    done
    trjcat --to nc "$T/small.gro" 2>"$T/err" | cat >"$T/out" || [[ ${PIPESTATUS[0]} == 2 && ! -s $T/out ]]
    grep -q 'nc stores the frame count in its header, which cannot be updated on a pipe; use -o FILE' "$T/err"
}

@test "content that a format cannot represent: rejected, and no file remains" {
    make_small
    mkdcd --atoms 3 --frames 2 --cell 20,21,22 >"$T/a.dcd"
    printf '3\nLattice="0 9 0 9 0 0 0 0 9"\nA 1 2 3\nB 4 5 6\nC 7 8 9\n' >"$T/turned.xyz"
    printf '3\n\nA 1 2 3\nB 4 5 6\nC -1000 8 9\n' >"$T/far.xyz"
    printf '3\n\nA 1 2 3\nB 4 5 6\nC 7 8 100000\n' >"$T/farther.xyz"
    local format names
    for format in dcd xtc gro pdb; do
        names=()
        [[ $format == [gp]* ]] && names=(-t "$T/small.gro" -g all=all)
        fails_cleanly 3 \
            "a.dcd: frame 0: only some vectors of the cell are periodic, which $format cannot store; write xyz or trjf" \
            trjcat "${names[@]}" --to "$format" -P xy "$T/a.dcd"
        fails_cleanly 3 "turned.xyz: frame 0: a cell of $format has a along x, b in the xy plane*has a 0 9 0, b 9 0 0" \
            trjcat "${names[@]}" --to "$format" "$T/turned.xyz"
        trjcat "${names[@]}" --to "$format" -P none "$T/turned.xyz" 2>/dev/null | trjdump |
            has '^frame 0 .* periodic 0 cell 0 0 0 0'
    done
    fails_cleanly 3 \
        'far.xyz: frame 0: atom 2 is at -1000 8 9 Angstrom, too far for the columns of pdb; write xyz or trjf' \
        trjcat -t "$T/small.gro" --to pdb "$T/far.xyz"
    trjcat -t "$T/small.gro" --to gro "$T/far.xyz" >/dev/null
    fails_cleanly 3 'atom 2 is at 7 8 100000 Angstrom, too far for the columns of gro; write xyz or trjf' \
        trjcat -t "$T/small.gro" --to gro "$T/farther.xyz"
    fails_cleanly 3 'frame 0: cell length b is 200000 Angstrom, too large for the columns of a pdb; write xyz or trjf' \
        trjcat -t "$T/small.gro" --to pdb -c 1,200000,1 "$T/far.xyz"
    # Numbers that overflow float32 in Angstrom.
    printf 'ITEM: UNITS\nnano\nITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\nITEM: ATOMS id x y z\n1 0 0 0\n2 0 3e38 0\n3 1 2 3\n' \
        >"$T/huge.dump"
    trjcat "$T/huge.dump" | trjdump | has ' unit 10 '
    for format in dcd xtc gro pdb xyz nc; do
        names=()
        [[ $format == [gpx]*[!c] ]] && names=(-t "$T/small.gro" -g all=all)
        fails 3 \
            "huge.dump: frame 0: atom 1 is at 0 3e+39 0 Angstrom, too far for the columns of $format; write xyz or trjf" \
            trjcat "${names[@]}" "$T/huge.dump" -o "$T/huge.$format"
        [[ ! -e $T/huge.$format ]]
    done
    for format in dcd xtc; do
        local got=0
        trjcat --to "$format" "$T/a.dcd" >/dev/full 2>"$T/err" || got=$?
        [[ $got == 1 ]] && grep -q '^trjcat: stdout: ' "$T/err"
    done
}

# The first thousand atoms of a protein in water, in a dodecahedron: three frames and a topology.
make_protein() {
    need_shared
    trjcat -t "$DATA/xtc/adk_oplsaa.gro" -g 'P=index 0 to 999' -f :3 "$DATA/xtc/adk_oplsaa.xtc" -o "$T/protein.xtc"
    trjcat -t "$DATA/xtc/adk_oplsaa.gro" -g 'P=index 0 to 999' -f :1 "$DATA/xtc/adk_oplsaa.xtc" -o "$T/protein.gro"
}

@test "MDAnalysis and mdtraj: read the written files with equal values" {
    local peer format tolerance names rc=0 cell
    make_protein
    for cell in '' 90,80,70,80,75,65; do
        trjcat ${cell:+-c "$cell"} "$T/protein.xtc" -o "$T/from.xtc"
        for format in dcd nc pdb; do
            names=() tolerance=2e-5
            [[ $format == pdb ]] && names=(-t "$T/protein.gro" -g all=all) tolerance=0.02 # CRYST1 has hundredths
            trjcat "${names[@]}" "$T/from.xtc" -o "$T/got.$format"
            for peer in mda mdtraj; do
                [[ $peer$format == mdtrajpdb ]] && continue # gmx uses the cell of the first model for all
                run_python tests/helpers/peers.py "$peer" "$T/protein.gro" "$T/from.xtc" "$T/got.$format" \
                    "$tolerance" >"$T/count" 2>"$T/err" || rc=$?
                ((rc != 77 && rc != 127)) || skip 'no MDAnalysis or mdtraj for /usr/bin/python3'
                ((rc == 0)) && [[ $(cat "$T/count") == 3 ]] ||
                    { echo "$peer $format $cell"; tail -n 3 "$T/err"; return 1; }
            done
        done
    done
}

@test "GROMACS: reads the written files with equal values" {
    need gmx perl
    local format
    make_protein
    for format in xtc gro g96 pdb; do
        [[ $format == xtc ]] || trjcat -t "$T/protein.gro" -g all=all "$T/protein.xtc" -o "$T/got.$format"
        [[ $format == xtc ]] && cp "$T/protein.xtc" "$T/got.xtc"
        gmx -quiet check -f "$T/got.$format" >"$T/out" 2>&1
        [[ $(grep -cE '^(Coords|Box|Step) +3 +100$' "$T/out") == 3 ]] || { cat "$T/out"; return 1; }
    done
    # Atom numbers are compared one by one.
    trjcat -f 2 "$DATA/xtc/adk_oplsaa.xtc" -o "$T/a.xtc"
    trjcat -f 2 "$DATA/xtc/adk_oplsaa.xtc" -o "$T/a.dcd"
    gmx -quiet dump -f "$T/a.xtc" 2>/dev/null | sed -n 's/^ *x\[ *\([0-9]*\)\]={ *\(.*\)}$/\1 \2/p' |
        tr -d ',' >"$T/gmx"
    # shellcheck disable=SC2016 # Perl's own variables
    frames "$DATA/xtc/adk_oplsaa.xtc" -f 2 | grep -v ^frame |
        perl -ne 'printf("%d %s\n", $. - 1, join(" ", map { sprintf("%.5e", unpack("f>", pack("H8", $_))) } split))' \
        >"$T/own"
    [[ $(wc -l <"$T/gmx") == 47681 ]]
    same <(tr -s ' ' <"$T/gmx") <(tr -s ' ' <"$T/own")
}

@test "recipe, stage that writes another format: its output is accepted by trjcat only" {
    make_small
    cat >"$T/good.yaml" <<'END'
trjrun: 1
stages:
  small: {tool: trjcat, files: small.gro, to: dcd}
  again: {tool: trjcat, from: small, output: small.xtc}
END
    trjrun "$T/good.yaml" 2>"$T/err" || { cat "$T/err"; return 1; }
    trjcat "$T/small.gro" -o "$T/expected.xtc"
    same_frames "$T/small.gro" "$T/small.xtc"
    cat >"$T/bad.yaml" <<'END'
trjrun: 1
stages:
  small: {tool: trjcat, files: small.gro, to: dcd}
  counts: {tool: rdfhist, from: small, rmax: 1, output: small.rdfh}
END
    fails 3 "bad.yaml:4:*stage 'counts' requires a stream, but 'small' writes dcd; remove the key 'to' there" \
        trjrun --check "$T/bad.yaml"
}
