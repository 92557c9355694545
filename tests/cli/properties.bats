#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Properties of atoms in frame streams (trjcat --carry): their values, compared with what Python, awk and GROMACS read
# from the same files, and how they follow the atoms.
load helper
CHARGE=$SHARED/data-maps/charge

need_charges() {
    [[ -d $CHARGE ]] || skip 'no folder shared/ with topologies beside the checkout'
    need_shared
}

# values FILE PROPERTY: prints the values of a property of the atoms in a frame stream, one on each line
values() {
    tests/helpers/decode_frames.py --blocks "$1" |
        sed -n "s/^PROP $2 '[^']*' '[^']*' //p" | tr ' ' '\n' | tr -d "'"
}

# close FILE FILE: the numbers of two files differ by at most 2e-6 of their size; floats of files have 7 or 8 digits
close() {
    (($(wc -l <"$1") > 0)) && paste "$1" "$2" | awk 'NF != 2 || ($1 - $2) ^ 2 > 4e-12 * ($1 ^ 2 + 1e-6) {
        print "line " NR ": " $0; bad = 1; exit } END { exit bad }'
}

@test "PRMTOP: charge, mass, radius and Lennard-Jones parameters equal those of a reader in Python" {
    need python3
    need_charges
    local name
    for name in tz2.ortho DPDP; do
        trjcat -f 0 -t "$CHARGE/$name.parm7" --carry charge,mass,radius,sigma,epsilon,name "$CHARGE/$name.nc" \
            -o "$T/$name.trjf"
        python3 - "$CHARGE/$name.parm7" "$T" <<'PYTHON'
import re
import sys

sections = {}
for part in open(sys.argv[1]).read().split("%FLAG ")[1:]:
    head, _, body = part.partition("%FORMAT(")
    form, _, body = body.partition(")")
    width = int(re.match(r"\d+[a-zA-Z](\d+)", form).group(1))
    sections[head.strip()] = [
        line[i : i + width] for line in body.split("\n")[1:] for i in range(0, len(line.rstrip()), width)
    ]
number = lambda name, kind=float: [kind(text) for text in sections[name]]
types = number("POINTERS", int)[1]
a, b = number("LENNARD_JONES_ACOEF"), number("LENNARD_JONES_BCOEF")
index = number("NONBONDED_PARM_INDEX", int)
pair = [index[(types + 1) * (t - 1)] - 1 for t in number("ATOM_TYPE_INDEX", int)]
columns = {
    "charge": [q / 18.2223 for q in number("CHARGE")],
    "mass": number("MASS"),
    "radius": number("RADII"),
    "sigma": [(a[k] / b[k]) ** (1 / 6) if b[k] else 0 for k in pair],
    "epsilon": [b[k] ** 2 / (4 * a[k]) if a[k] else 0 for k in pair],
}
for name, values in columns.items():
    with open(f"{sys.argv[2]}/{name}", "w") as file:
        file.writelines(f"{value!r}\n" for value in values)
PYTHON
        for column in charge mass radius sigma epsilon; do
            values "$T/$name.trjf" "$column" >"$T/found"
            close "$T/$column" "$T/found" || { echo "$name: $column"; return 1; }
        done
    done
    awk '/^%FLAG RADII/ { at = NR + 2 } NR == at { sub(/^ *[0-9.E+]+/, " -1.30000000E+00") } 1' "$CHARGE/DPDP.parm7" \
        >"$T/negative.parm7"
    fails 3 'negative.parm7: atom 1: negative radius of -1.3 Å; correct the file' \
        trjcat -t "$T/negative.parm7" --carry radius "$CHARGE/DPDP.nc"
    # TIP3P: sigma of oxygen is 3.15061 A, and epsilon 0.1520 kcal/mol; the hydrogens have no Lennard-Jones interaction.
    trjcat -f 0 -t "$CHARGE/tz2.ortho.parm7" -g 'W=resname WAT' --carry sigma,epsilon "$CHARGE/tz2.ortho.nc" \
        >"$T/w.trjf"
    [[ $(values "$T/w.trjf" sigma | head -3 | xargs printf '%.4f ') == '3.1508 0.0000 0.0000 ' ]]
    [[ $(values "$T/w.trjf" epsilon | head -3 | xargs printf '%.4f ') == '0.1520 0.0000 0.0000 ' ]]
}

# dumped FILE.tpr: writes charge, mass, sigma and epsilon of the atoms as gmx dump prints them to $T
dumped() {
    gmx -quiet dump -s "$1" 2>/dev/null >"$T/dump"
    python3 - "$T" <<'PYTHON'
import re
import sys

folder = sys.argv[1]
text = open(f"{folder}/dump").read()
atnr = int(re.search(r"atnr=(\d+)", text).group(1))
lj = re.findall(r"functype\[(\d+)\]=LJ_SR, c6= *([-+.e\d]+), c12= *([-+.e\d]+)", text)
c = {int(i): (float(c6), float(c12)) for i, c6, c12 in lj}
kinds = {}
for part in re.split(r"\n\s+moltype \((?=\d+\):)", text)[1:]:
    atoms = re.findall(r"atom\[ *\d+\]=\{type= *(\d+),.*?m= *([-+.e\d]+), q= *([-+.e\d]+)", part)
    kinds[int(part[: part.index(")")])] = atoms
atoms = []
for kind, count in re.findall(r"moltype\s+= (\d+) \".*?\"\s+#molecules\s+= (\d+)", text):
    atoms += kinds[int(kind)] * int(count)
out = {name: open(f"{folder}/{name}", "w") for name in ("charge", "mass", "sigma", "epsilon")}
for kind, mass, charge in atoms:
    c6, c12 = c[int(kind) * (atnr + 1)]
    print(float(charge), file=out["charge"])
    print(float(mass), file=out["mass"])
    print(10 * (c12 / c6) ** (1 / 6) if c6 else 0, file=out["sigma"])
    print(c6 * c6 / (4 * c12) / 4.184 if c6 else 0, file=out["epsilon"])
PYTHON
}

@test "TPR: charge, mass and Lennard-Jones parameters equal those that gmx dump prints" {
    need python3
    need gmx python3
    local column
    trjcat -t tests/data/chains.tpr --carry charge,mass,sigma,epsilon tests/data/chains.gro >"$T/chains.trjf"
    dumped tests/data/chains.tpr
    for column in charge mass sigma epsilon; do
        values "$T/chains.trjf" "$column" >"$T/found"
        close "$T/$column" "$T/found" || { echo "$column"; return 1; }
    done
}

# contents FILE: the blocks of a frame stream that depend on the topology, without the names of files
contents() {
    tests/helpers/decode_frames.py --blocks "$1" | grep -E '^(PROP|BOND|MOLE|RESI|ELEM)' | sed "s/'TPR file[^']*'//"
}

@test "TPR: the parameters of 47,681 atoms of OPLS-AA equal those that gmx dump prints" {
    need python3
    need gmx python3
    need_charges
    local column
    # GROMACS 4.0 wrote the file; the installed GROMACS converts it to its own version.
    gmx -quiet convert-tpr -s "$CHARGE/adk_oplsaa.tpr" -o "$T/new.tpr" <<<0 >"$T/out" 2>&1
    trjcat -f 0 -t "$CHARGE/adk_oplsaa.tpr" -g all=all --carry charge,mass,sigma,epsilon,name,resname,resid,segid \
        "$DATA/xtc/adk_oplsaa.xtc" -o "$T/adk.trjf"
    trjcat -f 0 -t "$T/new.tpr" -g all=all --carry charge,mass,sigma,epsilon,name,resname,resid,segid \
        "$DATA/xtc/adk_oplsaa.xtc" -o "$T/new.trjf"
    same <(contents "$T/adk.trjf") <(contents "$T/new.trjf")
    dumped "$CHARGE/adk_oplsaa.tpr"
    for column in charge mass sigma epsilon; do
        values "$T/adk.trjf" "$column" >"$T/found"
        close "$T/$column" "$T/found" || { echo "$column"; return 1; }
    done
    (($(wc -l <"$T/found") == 47681))
}

@test "PQR: charges, radii, names and coordinates of both variants equal those that awk reads" {
    need python3
    need_charges
    local file
    for file in 1A2C 1a63 achbp ion; do
        trjcat --carry charge,radius,name,resname,resid "$CHARGE/$file.pqr" -o "$T/x.trjf"
        grep -E '^(ATOM|HETATM)' "$CHARGE/$file.pqr" |
            awk '{ n = NF; print $n > f "/radius"; print $(n - 1) > f "/charge"; print $3 > f "/name"
                print $4 > f "/resname"; gsub("[A-Z]", "", $(n - 5))
                print $(n - 5) > f "/resid"; print $(n - 4), $(n - 3), $(n - 2) > f "/xyz" }' \
                f="$T"
        for column in charge radius; do
            values "$T/x.trjf" "$column" >"$T/found"
            close "$T/$column" "$T/found" || { echo "$file: $column"; return 1; }
        done
        for column in name resname resid; do
            values "$T/x.trjf" "$column" | same "$T/$column" - || { echo "$file: $column"; return 1; }
        done
        trjcat --to xyz "$CHARGE/$file.pqr" | tail -n +3 | awk '{ printf "%.3f %.3f %.3f\n", $2, $3, $4 }' >"$T/found"
        awk '{ printf "%.3f %.3f %.3f\n", $1, $2, $3 }' "$T/xyz" | awk '{ gsub(/-0\.000/, "0.000") } 1' >"$T/expected"
        awk '{ gsub(/-0\.000/, "0.000") } 1' "$T/found" >"$T/again"
        paste -d ' ' "$T/expected" "$T/again" | awk '{ for (k = 1; k < 4; k++)
            if (($k - $(k + 3)) ^ 2 > 1e-5) { print; exit 1 } }' || { echo "$file: coordinates"; return 1; }
        [[ $(trjinfo "$CHARGE/$file.pqr" | grep -E '^(format|holds)') == $'holds\ttrajectory topology\nformat\tpqr' ]]
    done
    # The first atom of this file may also be one of PDB: the name decides.
    # A PDB file with B factors one column too far right fits the columns of PQR only.
    printf 'ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00   0.50\nEND\n' >"$T/shifted.pdb"
    trjinfo "$T/shifted.pdb" | has -x 'format	pdb'
    fails 2 'does not contain it' trjcat -t "$T/shifted.pdb" --carry charge "$T/shifted.pdb"
    trjinfo - <"$T/shifted.pdb" | has -x 'format	pqr'
    cp "$CHARGE/ion.pqr" "$T/ion.txt"
    trjinfo "$T/ion.txt" | has -x 'format	pdb'
    trjinfo --format pqr "$T/ion.txt" | has -x 'format	pqr'
}

@test "PQR: fields that touch, chains, insertion codes and models; damaged lines are rejected" {
    need python3
    cat >"$T/a.pqr" <<'END'
REMARK   1 made for a test
MODEL        1
ATOM      1  N   ALA A1000    -100.123-123.456-110.000 -0.3000 1.8500
ATOM      2  HB1 ALA B  12A      1.000   2.000   3.000  0.1000 1.3200
HETATM    3 NA   NA+ C   2       4.000   5.000   6.000  1.0000 1.8680
ENDMDL
MODEL        2
ATOM 1 N ALA A 1000 1.5 2.5 3.5 -0.3000 1.85
ATOM 2 HB1 ALA B 12A 1 2 3 0.1000 1.32
HETATM 3 NA NA+ C 2 4 5 6 1.0000 1.868
ENDMDL
END
    trjcat --carry charge,radius,name,resid,segid,mass "$T/a.pqr" >"$T/a.trjf" 2>"$T/err"
    [[ $(values "$T/a.trjf" segid | paste -s) == $'A\tB\tC' ]]
    [[ $(values "$T/a.trjf" resid | paste -s) == $'1000\t12\t2' ]]
    [[ $(values "$T/a.trjf" radius | paste -s) == $'1.85\t1.32\t1.868' ]]
    [[ $(trjcat --to xyz "$T/a.pqr" | sed -n 3p) == 'N -100.123 -123.456 -110' ]]
    [[ $(trjcat -f 1 --to xyz "$T/a.pqr" | sed -n 3p) == 'N 1.5 2.5 3.5' ]]
    # A later model with another name is rejected, and one with another charge if charges are used.
    sed '8s/ N / C /' "$T/a.pqr" >"$T/b.pqr"
    fails 3 'atom 0: the name is C, and N in the first frame' trjcat --carry radius "$T/b.pqr"
    sed '8s/-0.3000/-0.4000/' "$T/a.pqr" >"$T/b.pqr"
    trjcat --carry radius "$T/b.pqr" >"$T/out"
    fails 3 'atom 0: the charge is -0.4000, and -0.3000 in the first frame' trjcat --carry charge "$T/b.pqr"
    sed '4s/ 1.3200/ x/' "$T/a.pqr" >"$T/b.pqr"
    fails 3 'line 4: atom 1: not a PQR line: expected serial number' trjcat "$T/b.pqr"
    head -c 215 "$T/a.pqr" >"$T/b.pqr"
    fails 3 'without a newline: it may be truncated' trjcat "$T/b.pqr"
    sed '4s/ 1.3200/ -1.32/' "$T/a.pqr" >"$T/b.pqr"
    fails 3 'line 4: atom 1: radius of -1.32 Å, expected at least 0; correct it, or set it to 0' \
        trjcat --carry charge "$T/b.pqr"
    # A radius that lost its last digits
    printf 'ATOM 1 N ALA 1 1.5 2.5 3.5 -0.3000 1.85' >"$T/b.pqr"
    fails 3 'it may be truncated' trjcat --carry radius -t "$T/b.pqr" "$T/b.pqr"
}

# A PSF of two waters, one with types of its own, and its parameters.
waters() {
    cat >"$T/w.psf" <<'END'
PSF

       1 !NTITLE
 REMARKS

       6 !NATOM
       1 W    1    TIP3 OH2  OT    -0.834000       15.9994           0
       2 W    1    TIP3 H1   HT     0.417000        1.0080           0
       3 W    1    TIP3 H2   HT     0.417000        1.0080           0
       4 W    2    TIP3 OH2  OX    -0.834000       15.9994           0
       5 W    2    TIP3 H1   HX     0.417000        1.0080           0
       6 W    2    TIP3 H2   HX     0.417000        1.0080           0

       4 !NBOND: bonds
       1       2       1       3       4       5       4       6

END
    cat >"$T/w.prm" <<'END'
* title: NONBONDED is not the section here
*
BONDS
HT OT 450.0 0.9572
NONBONDED nbxmod 5 atom cdiel fshift vatom vdistance vfswitch -
cutnb 14.0 ctofnb 12.0 ctonnb 10.0 eps 1.0 e14fac 1.0 wmin 1.5
! comment
HT  0.0  -0.046   0.2245 ! comment
OT  0.0  -0.1521  1.7682   0.0 -0.1 1.5
NBFIX
OT HT -0.5 3.0
END
    printf '6\n\nO 0 0 0\nH 1 0 0\nH 0 1 0\nO 5 0 0\nH 6 0 0\nH 5 1 0\n' >"$T/w.xyz"
}

@test "PSF: --parameters gives sigma and epsilon of its types, and later files replace earlier ones" {
    need python3
    waters
    printf 'NONBONDED\nOX 0.0 -0.2 2.0\nHX 0.0 0.0 0.0\nOT 0.0 -0.16 1.8\n' >"$T/x.prm"
    trjcat -t "$T/w.psf" --carry sigma,epsilon --parameters "$T/w.prm" "$T/w.xyz" >"$T/w.trjf" 2>"$T/err"
    # sigma = 2^(5/6) Rmin/2
    [[ $(values "$T/w.trjf" sigma | xargs printf '%.6f ') == '3.150574 0.400014 0.400014 nan nan nan ' ]]
    [[ $(values "$T/w.trjf" epsilon | paste -s -d ' ') == '0.1521 0.046 0.046 nan nan nan' ]]
    has 'w.psf: note: sigma is unknown for 3 of 6 atoms, the first of which is atom 3' "$T/err"
    trjcat -t "$T/w.psf" --carry sigma,epsilon --parameters "$T/w.prm" --parameters "$T/x.prm" "$T/w.xyz" >"$T/w.trjf"
    [[ $(values "$T/w.trjf" sigma | xargs printf '%.6f ') == '3.207235 0.400014 0.400014 3.563595 0.000000 0.000000 ' ]]
    [[ $(values "$T/w.trjf" epsilon | paste -s -d ' ') == '0.16 0.046 0.046 0.2 0.0 0.0' ]]
    trjinfo "$T/w.trjf" | has '^properties	sigma, unit A, atoms_known 6, origin PSF file .*w.psf; CHARMM parameters .*x.prm$'
}

# epsilons LINE...: prints epsilon of the types A1, A12, AB, B+, C* and \ for a section NONBONDED with these lines
epsilons() {
    {
        printf 'PSF\n\n       1 !NTITLE\n REMARKS\n\n       6 !NATOM\n'
        local type i=0
        for type in A1 A12 AB B+ 'C*' "\\"; do
            printf '%8d W    1    LIG  X%d   %-4s   0.000000       12.0110           0\n' $((++i)) $i "$type"
        done
        printf '\n       0 !NBOND: bonds\n\n'
    } >"$T/t.psf"
    printf '%s\n' '* title' NONBONDED "$@" >"$T/t.prm"
    trjcat -t "$T/t.psf" --carry epsilon --parameters "$T/t.prm" "$T/w.xyz" >"$T/t.trjf" 2>/dev/null
    values "$T/t.trjf" epsilon | paste -s -d ' '
}

@test "--parameters: wildcards of types as in CHARMM, and the last line for a type applies" {
    need python3
    waters
    [[ $(epsilons '* 0 -1 1') == '1.0 1.0 1.0 1.0 1.0 1.0' ]]
    [[ $(epsilons 'A* 0 -1 1' '*2 0 -2 1') == '1.0 2.0 1.0 nan nan nan' ]]
    [[ $(epsilons 'A# 0 -1 1' '%# 0 -2 1' 'A++ 0 -3 1') == '2.0 3.0 nan nan nan 2.0' ]]
    [[ $(epsilons 'A% 0 -1 1' '%+ 0 -2 1') == '2.0 nan 1.0 nan nan nan' ]]
    [[ $(epsilons '*1* 0 -1 1' '#A#1#2# 0 -2 1') == '1.0 2.0 nan nan nan nan' ]]
    [[ $(epsilons 'B+ 0 -1 1' 'C* 0 -2 1') == 'nan nan nan 1.0 2.0 nan' ]]
    [[ $(epsilons 'B\+ 0 -1 1' 'C\* 0 -2 1' 'A\% 0 -3 1' '\\ 0 -4 1') == 'nan nan nan 1.0 2.0 4.0' ]]
    [[ $(epsilons 'A1 0 -1 1' 'A* 0 -2 1' 'AB 0 -3 1') == '2.0 2.0 3.0 nan nan nan' ]]
    # A line for 1-4 pairs, a title inside the section, and a line without a type of the topology
    [[ $(epsilons 'A1 0 -1 1 -' '0 -9 9' '* a title' 'ZZ* 0 -3 1' 'A12 0 -2 1') == '1.0 2.0 nan nan nan nan' ]]
}

@test "--parameters: files that cannot be used are rejected with a remedy" {
    waters
    local with=(-t "$T/w.psf" --carry sigma "$T/w.xyz" --parameters)
    fails 3 'w.psf: contains no section NONBONDED; leave this file out, or give another one with --parameters' \
        trjcat "${with[@]}" "$T/w.psf"
    printf 'NONBONDED\nOT 0.0 x 1.0\n' >"$T/b.prm"
    fails 3 "b.prm: line 2: NONBONDED: 'OT' is not followed by a number, epsilon and Rmin/2" \
        trjcat "${with[@]}" "$T/b.prm"
    printf 'NONBONDED\nOT 0.0 0.1 1.0\n' >"$T/b.prm"
    fails 3 'epsilon of 0.1 and Rmin/2 of 1, expected at most 0' trjcat "${with[@]}" "$T/b.prm"
    { echo NONBONDED && seq -f 'O*%g 0.0 -0.1 1.0' 1001; } >"$T/b.prm"
    fails 3 'b.prm: line 1002: more than 1000 types with wildcards; list the types' trjcat "${with[@]}" "$T/b.prm"
    printf 'NONBONDED\nO* 0.0 -0.1\n' >"$T/b.prm"
    fails 3 "b.prm: line 2: NONBONDED: 'O*' is not followed by a number, epsilon and Rmin/2" \
        trjcat "${with[@]}" "$T/b.prm"
    printf 'NONBonded OT 0.1521 3.15 0.1521 3.15\n' >"$T/b.prm"
    fails 3 'is in X-PLOR format' trjcat "${with[@]}" "$T/b.prm"
    printf 'NONBONDED\nCA 0.0 -0.1 1.0\n' >"$T/b.prm"
    fails 3 'none of the 4 atom types of the topology, such as OT, is in the parameter files' \
        trjcat "${with[@]}" "$T/b.prm"
    sed 's/ [OH][TX]  / 12  /' "$T/w.psf" >"$T/numbers.psf"
    fails 3 'the PSF file contains numbers of types instead of names' \
        trjcat -t "$T/numbers.psf" --carry sigma "$T/w.xyz" --parameters "$T/w.prm"
    fails 2 '--parameters: gives only sigma and epsilon' \
        trjcat -t "$T/w.psf" --carry charge "$T/w.xyz" --parameters "$T/w.prm"
    fails 2 '--parameters: the topology is a XYZ file' \
        trjcat -t "$T/w.xyz" --carry sigma "$T/w.xyz" --parameters "$T/w.prm"
    fails 2 '--parameters: requires a PSF file' trjcat --carry sigma "$T/w.xyz" --parameters "$T/w.prm"
    fails 1 'missing.prm: No such file' trjcat "${with[@]}" "$T/missing.prm"
}

@test "PDB: B factors and occupancies; blank columns are unknown values" {
    need python3
    cat >"$T/a.pdb" <<'END'
ATOM      1  N   ALA A   1       1.000   2.000   3.000  0.50 12.34      SEG  N
ATOM      2  CA  ALA A   1       2.000   2.000   3.000  1.00-99.99      SEG  C
ATOM      3  C   ALA A   1       3.000   2.000   3.000                  SEG  C
END
    echo END >>"$T/a.pdb"
    trjcat --carry bfactor,occupancy,segid,radius=bondi "$T/a.pdb" >"$T/a.trjf" 2>"$T/err"
    [[ $(values "$T/a.trjf" bfactor | paste -s -d ' ') == '12.34 -99.99 nan' ]]
    [[ $(values "$T/a.trjf" occupancy | paste -s -d ' ') == '0.5 1.0 nan' ]]
    [[ $(values "$T/a.trjf" radius | paste -s -d ' ') == '1.55 1.7 1.7' ]]
    has 'a.pdb: note: bfactor is unknown for 1 of 3 atoms, the first of which is atom 2' "$T/err"
    # Guesses of elements are reported if radii or masses come from them.
    ! grep -q 'elements are guessed' "$T/err" || false
    cut -c 1-66 "$T/a.pdb" >"$T/b.pdb"
    trjcat --carry radius=bondi "$T/b.pdb" 2>"$T/err" >"$T/b.trjf"
    has 'b.pdb: note: elements are guessed from name' "$T/err"
    trjcat --carry mass "$T/b.pdb" 2>"$T/err" >"$T/b.trjf"
    has 'b.pdb: note: elements are guessed from name' "$T/err"
    has 'b.pdb: note: masses are guessed from element' "$T/err"
    cut -c 1-54 "$T/a.pdb" >"$T/b.pdb"
    fails 2 '--carry bfactor: the PDB file' trjcat --carry bfactor "$T/b.pdb"
}

@test "a property that the topology lacks is an error with a remedy" {
    waters
    local from=(-t "$T/w.psf" "$T/w.xyz" --carry)
    fails 2 'give a PRMTOP or PQR file with -t, or request van der Waals radii by element with --carry radius=bondi' \
        trjcat "${from[@]}" radius
    fails 2 \
        'does not contain it; give a PRMTOP, TPR or GROMACS top file with -t, or a PSF file and its CHARMM parameters' \
        trjcat "${from[@]}" charge,sigma
    fails 2 '--carry charge: the XYZ file' trjcat --carry charge "$T/w.xyz"
    mkdcd --atoms 6 >"$T/w.dcd"
    fails 2 '--carry charge: there is no topology; give a PSF,' trjcat --carry charge "$T/w.dcd"
    fails 2 "unknown property 'chrage', did you mean 'charge'?" trjcat "${from[@]}" chrage
    fails 2 "unknown property ''" trjcat "${from[@]}" charge,
    fails 2 'charge occurs twice' trjcat "${from[@]}" charge,mass,charge
    fails 2 "'element' is not a source of radius; the only source is radius=bondi" trjcat "${from[@]}" radius=element
    fails 2 '--carry applies to frame streams, not to dcd' trjcat "${from[@]}" charge --to dcd -o "$T/x.dcd"
}

@test "properties follow selected atoms, dynamic groups and centres, also from stream to stream" {
    need python3
    waters
    trjcat -t "$T/w.psf" --carry charge,mass,name,resid,segid "$T/w.xyz" >"$T/all.trjf"
    # Stream atoms ascend, in whatever order the selection lists them.
    trjcat -g 'A=index 5 3 0' "$T/all.trjf" >"$T/some.trjf"
    [[ $(values "$T/some.trjf" name | paste -s -d ' ') == 'OH2 OH2 H2' ]]
    [[ $(values "$T/some.trjf" charge | paste -s -d ' ') == '-0.834 -0.834 0.417' ]]
    [[ $(values "$T/some.trjf" resid | paste -s -d ' ') == '1 2 2' ]]
    trjcat "$T/some.trjf" >"$T/again.trjf"
    same <(values "$T/some.trjf" charge) <(values "$T/again.trjf" charge)
    # A dynamic group contains its candidates.
    trjcat -t "$T/w.psf" --carry name -g 'near=name OH2 and x < 3' "$T/w.xyz" >"$T/near.trjf"
    [[ $(values "$T/near.trjf" name | paste -s -d ' ') == 'OH2 OH2' ]]
    # Charge and mass of centres are sums; other properties are unknown.
    trjcat -t "$T/w.psf" -g 'O=name OH2' -g 'W=com(all) per residue' --carry charge,mass,name,resid "$T/w.xyz" \
        >"$T/com.trjf"
    [[ $(values "$T/com.trjf" mass | xargs printf '%.4f ') == '15.9994 15.9994 18.0154 18.0154 ' ]]
    [[ $(values "$T/com.trjf" charge | xargs printf '%.6f ') == '-0.834000 -0.834000 0.000000 0.000000 ' ]]
    [[ $(values "$T/com.trjf" name | paste -s -d ,) == OH2,OH2,, ]]
    [[ $(values "$T/com.trjf" resid | tail -1) == -9223372036854775808 ]]
    # The sum includes the charge of a site without mass, but not that of an atom that only connects others.
    sed 's/15.9994/ 0.0000/' "$T/w.psf" >"$T/site.psf"
    trjcat -t "$T/site.psf" -g 'W=com(all) per residue' --carry charge "$T/w.xyz" >"$T/com.trjf"
    [[ $(values "$T/com.trjf" charge | xargs printf '%.6f ' | tr -d -) == '0.000000 0.000000 ' ]]
    trjcat -t "$T/w.psf" -g 'H=com(name H1 H2) per residue' --carry charge "$T/w.xyz" >"$T/com.trjf"
    [[ $(values "$T/com.trjf" charge | xargs printf '%.6f ') == '0.834000 0.834000 ' ]]
    trjcat "$T/com.trjf" >"$T/again.trjf"
    same <(values "$T/com.trjf" charge) <(values "$T/again.trjf" charge)
}

@test "properties of joined streams must be equal; a topology adds properties to a stream" {
    need python3
    waters
    trjcat -t "$T/w.psf" --carry charge,mass "$T/w.xyz" >"$T/a.trjf"
    sed 's/-0.834000/-0.800000/' "$T/w.psf" >"$T/b.psf"
    trjcat -t "$T/b.psf" --carry charge "$T/w.xyz" >"$T/b.trjf"
    trjcat "$T/w.xyz" >"$T/none.trjf"
    trjcat "$T/a.trjf" "$T/a.trjf" "$T/none.trjf" >"$T/join.trjf" 2>"$T/err"
    same <(values "$T/a.trjf" charge) <(values "$T/join.trjf" charge)
    fails 3 'charge of atom 0 of the stream differs from that in the first input; give one topology' \
        trjcat "$T/a.trjf" "$T/b.trjf"
    # From PDB files, each of which has a topology of its own.
    printf 'ATOM      1  N   ALA A   1       1.000   2.000   3.000  0.50 12.34           N\nEND\n' >"$T/a.pdb"
    sed 's/12.34/12.35/' "$T/a.pdb" >"$T/b.pdb"
    trjcat --carry bfactor "$T/a.pdb" "$T/a.pdb" >"$T/pdb.trjf" 2>"$T/err"
    fails 3 'bfactor of atom 0 of the stream differs from that in the first input' \
        trjcat --carry bfactor "$T/a.pdb" "$T/b.pdb"
    # A topology with --carry
    trjcat -t "$T/w.psf" --carry charge,name "$T/none.trjf" >"$T/c.trjf"
    same <(values "$T/a.trjf" charge) <(values "$T/c.trjf" charge)
    trjcat -g 'A=index 1 4' "$T/none.trjf" | trjcat -t "$T/w.psf" --carry name,resid - >"$T/c.trjf"
    [[ $(values "$T/c.trjf" name | paste -s -d ' ') == 'H1 H1' ]]
    [[ $(values "$T/c.trjf" resid | paste -s -d ' ') == '1 2' ]]
    # A topology of other atoms, or of the same in another order, is rejected by the elements that the stream contains.
    awk '$1 == 2 && NF == 9 { sub("HT ", "OT "); sub(" 1.0080", "15.9994") } 1' "$T/w.psf" >"$T/other.psf"
    fails 3 'a.trjf: atom 1 of its trajectory is H, but O in the topology; give a topology of the same atoms with -t' \
        trjcat -t "$T/other.psf" --carry name "$T/a.trjf"
    fails 3 'atom 1 of its trajectory is H, but' trjcat -t "$T/other.psf" -g 'O=name OH2' "$T/a.trjf"
    trjcat -t "$T/w.psf" -g 'A=index 1 4' "$T/w.xyz" >"$T/two.trjf"
    fails 3 'atom 1 of its trajectory is H, but' trjcat -t "$T/other.psf" --carry name "$T/two.trjf"
    # The request replaces the property of the stream, and keeps the others.
    trjcat -t "$T/b.psf" --carry charge "$T/a.trjf" >"$T/c.trjf"
    same <(values "$T/b.trjf" charge) <(values "$T/c.trjf" charge)
    same <(values "$T/a.trjf" mass) <(values "$T/c.trjf" mass)
    # A stream that contains the property requires no topology.
    trjcat --carry charge "$T/a.trjf" >"$T/c.trjf"
    fails 2 '--carry charge: there is no topology' trjcat --carry charge "$T/none.trjf"
    fails 3 'but the topology' trjcat -t "$T/a.pdb" --carry bfactor "$T/none.trjf"
}

@test "a stream without --carry has no properties, and an unknown block of values for each atom is dropped" {
    waters
    trjcat -t "$T/w.psf" -g 'O=name OH2' "$T/w.xyz" >"$T/a.trjf"
    ! tests/helpers/decode_frames.py --blocks "$T/a.trjf" | grep '^PROP' || false
    # A stream of two atoms, one frame, and a block that this version does not know.
    local zeros frame
    zeros=$(printf 'f8:0 %.0s' {1..9})
    frame="u4:0 u4:0 u8:0 u8:0 f8:0 f8:1 $zeros u4:0 u4:0 u4:0 u4:0 u4:0 u4:0"
    mkstream frame 'HEAD r u8:2 u8:2' 'GRPS r u4:1 t:all u8:2 u4:0 u4:1' 'XVAL - f8:1 f8:2' 'SRCE r t:x u8:1' \
        "FRAM r u4:1 u4:0 $frame" 'INDX - u8:0 u8:0' 'END! r u8:1 u8:6 u8:5 u8:0' >"$T/x.trjf"
    grep -qa XVAL "$T/x.trjf"
    trjcat - <"$T/x.trjf" >"$T/y.trjf"
    ! grep -qa XVAL "$T/y.trjf" || false
    trjcat -g 'B=index 1' - <"$T/x.trjf" >"$T/y.trjf"
    ! grep -qa XVAL "$T/y.trjf" || false
}

@test "damaged properties are rejected, without allocating memory for missing values" {
    local head=('HEAD r u8:2 u8:2' 'GRPS r u4:1 t:all u8:2 u4:0 u4:1') block message
    while IFS='|' read -r message block; do
        mkstream frame "${head[@]}" "PROP - $block" >"$T/x.trjf"
        fails 3 "block PROP at byte *: $message" trjcat "$T/x.trjf" || { echo "$block"; return 1; }
    done <<'END'
a property that changes over time, which is unsupported|u4:1 u4:1 t:charge t:e t: f8:1 f8:2
unknown kind of values or flags|u4:1 u4:2 t:charge t:e t: f8:1 f8:2
unknown kind of values or flags|u4:4 u4:0 t:charge t:e t: f8:1 f8:2
unknown kind of values or flags|u4:0 u4:0 t:charge t:e t: f8:1 f8:2
charge has the unit 'fC' and values of kind 1, expected the unit 'e' and kind 1|u4:1 u4:0 t:charge t:fC t: f8:1 f8:2
radius has the unit 'nm' and values of kind 1, expected the unit 'A' and kind 1|u4:1 u4:0 t:radius t:nm t: f8:1 f8:2
resname has the unit '' and values of kind 1, expected the unit '' and kind 3|u4:1 u4:0 t:resname t: t: f8:1 f8:2
resid has the unit '' and values of kind 3, expected the unit '' and kind 2|u4:3 u4:0 t:resid t: t: u4:1 t: u4:0 u4:0
wrong size|u4:1 u4:0 t:charge t:e t: f8:1
wrong size|u4:2 u4:0 t:resid t: t: u8:1
too short for its content|u4:1 u4:0 t:charge u4:4000000000
the name of a property is empty, too long|u4:1 u4:0 t: t:e t: f8:1 f8:2
invalid number of texts|u4:3 u4:0 t:name t: t: u4:4000000000 u4:0 u4:0 u4:0
invalid number of texts|u4:3 u4:0 t:name t: t: u4:0 u4:0 u4:0
the first text is not empty, or two texts are equal|u4:3 u4:0 t:name t: t: u4:1 t:a u4:0 u4:0
the first text is not empty, or two texts are equal|u4:3 u4:0 t:name t: t: u4:3 t: t:a t:a u4:0 u4:0
wrong size|u4:3 u4:0 t:name t: t: u4:2 t: t:a u4:0
an invalid text number|u4:3 u4:0 t:name t: t: u4:2 t: t:a u4:0 u4:2
END
    # More properties than a stream may have, and two of one name
    local many=() i
    for ((i = 0; i < 17; i++)); do many+=("PROP - u4:1 u4:0 t:p$i t: t: f8:1 f8:2"); done
    mkstream frame "${head[@]}" "${many[@]}" >"$T/x.trjf"
    fails 3 'more than 16 properties' trjcat "$T/x.trjf"
    mkstream frame "${head[@]}" "${many[0]}" "${many[0]}" >"$T/x.trjf"
    fails 3 'two properties have the name p0' trjcat "$T/x.trjf"
    # A stream that gives 4e9 atoms: the block is too small for them; and a block that is too large for its atoms.
    mkstream frame 'HEAD r u8:4000000000 u8:4000000000' 'PROP - u4:1 u4:0 t:charge t:e t: f8:1' >"$T/x.trjf"
    fails 3 'wrong size' trjcat "$T/x.trjf"
    mkstream frame "${head[@]}" 'PROP z u4:1 u4:0 t:charge t:e t: n:0*100000000' >"$T/x.trjf"
    fails 3 'PROP' trjcat "$T/x.trjf"
}
