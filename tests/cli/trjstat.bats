# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2030,SC2031
# Observables of trjstat: values of other programs, analytic cases, and what is rejected.
load helper

# matches REFERENCE NAMES COLUMNS ABSOLUTE RELATIVE < TABLE: compares columns with those of a table of reference values.
# NAMES are columns of the reference, COLUMNS the numbers of those of the table.
matches() {
    awk -f tests/helpers/compare_columns.awk -v want="$SHARED/reference-observables/$1.tsv" -v names="$2" \
        -v columns="$3" -v absolute="$4" -v relative="$5" -
}

adk() { # OPTION...: the protein adk, without a cell
    trjcat -t "$DATA/dcd/adk.psf" "$@" "$DATA/dcd/adk_dims.dcd" 2>"$T/note"
}
opls() { # OPTION...: the protein adk in water, in a triclinic cell that changes
    trjcat -t "$SHARED/data-maps/charge/adk_oplsaa.tpr" "$@" "$DATA/xtc/adk_oplsaa.xtc"
}

@test "radius of gyration, tensor and shape of a protein: as MDAnalysis and numpy" {
    need_shared
    adk --carry mass | trjstat 'rg(all)' 'rg(all, none)' 'shape(all)' 'rgtensor(all)' |
        matches adk-shape rg,rg_geo,b,c,k2,Sxx,Syy,Szz,Sxy,Sxz,Syz 3,4,5,6,7,8,9,10,11,12,13 1e-7 1e-6
    opls --carry mass --whole -g P=protein | trjstat 'rg(P)' 'rg(P, weights=none)' 'shape(P)' |
        matches opls-shape rg,rg_geo,k2 3,4,7 1e-5 0
}

@test "centres, distances, angles and torsions of a protein: as numpy" {
    need_shared
    adk --carry mass -g L='resid 122 to 159' -g N='resid 30 to 59' -g C='not (resid 122 to 159 30 to 59)' |
        trjstat 'com(all)' 'cog(all)' 'distance(com(L), com(C))' 'distance(com(L),com(N))' \
            'angle(com(L), com(C), com(N))' 'distance(name CA and resid 1, name CA and resid 214)' \
            'end_to_end(name CA)' 'angle(name CA and resid 1, name CA and resid 101, name CA and resid 214)' \
            'torsion(name C and resid 49, name N and resid 50, name CA and resid 50, name C and resid 50)' |
        matches adk-geometry \
            comx,comy,comz,geox,geoy,geoz,d_lid_core,d_lid_nmp,angle_domains,end_to_end,end_to_end,angle_ca,phi50 \
            3,4,5,6,7,8,9,10,11,12,13,14,15 1e-4 0
}

@test "RMSD with and without superposition, weights, and reference files: as numpy" {
    need_shared
    adk -f 97:98 -o "$T/last.pdb"
    adk -f 97:98 -g all=all -o "$T/last.trjf"
    adk --carry mass | trjstat 'rmsd(name CA)' 'rmsd(name CA, fit=none)' 'rmsd(all, weights=mass)' 'rmsd(all)' \
        'rmsd(all, fit=none, weights=mass)' 'rmsd(resid 122 to 159, fit=name CA)' "rmsd(name CA, $T/last.trjf)" |
        matches adk-rmsd ca_fit,ca_nofit,all_mass,all_geo,all_mass_nofit,lid_after_ca_fit,ca_fit97 3,4,5,6,7,8,9 1e-5 0
    # The file has three decimals.
    adk --carry mass | trjstat "rmsd(name CA, reference=$T/last.pdb)" | matches adk-rmsd ca_fit97 3 6e-4 0
}

@test "RMSD from a frame of a trajectory: as numpy, and as the file of this frame; a frame that is missing is rejected" {
    need_shared
    local run=$DATA/dcd/adk_dims.dcd
    adk --carry mass -o "$T/x.trjf"
    trjstat -i "$T/x.trjf" "rmsd(name CA, $run, frame=97)" 2>"$T/err" | matches adk-rmsd ca_fit97 3 1e-5 0
    has 'the order of its atoms is not verified' <"$T/err"
    adk -f 40 -g all=all -o "$T/40.trjf"
    diff <(trjstat -i "$T/x.trjf" "rmsd(all, frame=40, reference=$run, fit=name CA)" | rows) \
        <(trjstat -i "$T/x.trjf" "rmsd(all, $T/40.trjf, fit=name CA)" | rows)
    fails 3 'contains 98 frames, of which 98 is not one' trjstat -i "$T/x.trjf" "rmsd(name CA, $run, frame=98)"
    fails 2 'name the file that contains frame 3: reference=run.xtc, frame=3' \
        trjstat -i "$T/x.trjf" 'rmsd(all, frame=3)'
    fails 2 "'frame' is '-1'; give the number of a frame" trjstat -i "$T/x.trjf" "rmsd(all, $run, frame=-1)"
    fails 2 "leave 'reference' and 'frame' out" \
        trjstat -i "$T/x.trjf" --map "rmsd(name CA, $run, frame=3)"
}

@test "dipole moments of groups and boxes: as numpy and gmx dipoles" {
    need_shared
    adk --carry mass,charge | trjstat 'dipole(all)' 'dipole(all, origin=cog)' 'dipole(all, zero)' 'charge(all)' >"$T/d"
    matches adk-dipole x_com,y_com,z_com,size_com,size_geo,size_origin0 3,4,5,6,10,14 1e-6 2e-5 <"$T/d"
    rows "$T/d" | awk -F '\t' '!($15 + 3.999997 < 1e-5 && $15 + 3.999997 > -1e-5) { exit bad = 1 } END { exit bad }'
    # Whole molecules were rounded to float32 once more.
    opls --carry mass,charge --whole -g P=protein -g W=water | trjstat 'dipole(P)' 'box_dipole(W)' |
        matches opls-dipole px,py,pz,p,wx,wy,wz,w 3,4,5,6,7,8,9,10 3e-3 2e-5
    trjcat -t "$SHARED/data-observables/spce216.tpr" --carry charge --whole "$SHARED/data-observables/spce216-nvt.xtc" |
        trjstat box_dipole volume | matches spce-nvt-dipole Mx,My,Mz,M,volume 3,4,5,6,7 1e-4 1e-5
}

@test "kinetic energy and temperature from velocities: as numpy" {
    need_shared
    local files=$SHARED/data-observables
    trjcat -t "$files/spce216.tpr" --carry mass,velocity "$files/spce216-nve.trr" -o "$T/v.trjf"
    trjstat -i "$T/v.trjf" 'kinetic(all)' 'temperature(all, 1293)' |
        matches spce-nve-kinetic kinetic,temperature 3,4 0 1e-5
    trjcat -t "$files/spce216.tpr" --carry mass "$files/spce216-nve.trr" -o "$T/x.trjf"
    run -3 trjstat -i "$T/x.trjf" 'kinetic(all)'
    [[ $output == *'contains no velocities; request them: trjcat --carry mass,velocity'* ]]
    run -2 trjstat -i "$T/v.trjf" 'temperature(all, 0)'
}

@test "cell, volume and density: as stored" {
    need_shared
    opls --carry mass | trjstat cell volume density |
        matches opls-cell a,b,c,alpha,beta,gamma,volume,density 3,4,5,6,7,8,9,10 0 1e-6
}

@test "any number of threads: the same table" {
    mkdcd --atoms 500 --frames 150 --cell 40,40,40,70,80,95 >"$T/x.dcd"
    trjcat -g 'A=index 0:9' -g 'B=within 9 of index 5' "$T/x.dcd" -o "$T/x.trjf"
    for threads in 1 2 5; do
        trjstat -j $threads -i "$T/x.trjf" 'distance(3, 7)' 'torsion(1-5-8-13)' 'angle(cog(index 4), 9, 12)' cell |
            rows >"$T/$threads"
    done
    [ "$(wc -l <"$T/1")" = 150 ]
    cmp "$T/1" "$T/2" && cmp "$T/1" "$T/5"
}

@test "four atoms: analytic distances, angles and torsions through a boundary" {
    # A torsion of 90 degrees, whose last atom is at the other side of the cell.
    printf '%s\n' 4 'Lattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3' 'C 9 1 0' 'C 9 0 0' 'C 0.5 0 0' \
        'C 0.5 0 9' >"$T/x.xyz"
    trjcat "$T/x.xyz" | trjstat 'distance(0, 2)' 'angle(0-1-2)' 'torsion(0, 1, 2, 3)' 'distance(1-3)' | rows >"$T/got"
    awk -F '\t' 'function near(a, b) { return a - b < 1e-6 && b - a < 1e-6 }
        !(near($3, sqrt(3.25)) && near($4, 90) && near($5, -90) && near($6, sqrt(3.25))) { print; exit bad = 1 }
        END { exit bad || !NR }' "$T/got"
}

@test "molecules that a boundary divides, and groups more than half of the cell apart: rejected" {
    need_shared
    opls --carry mass -g P=protein -o "$T/p.trjf"
    run -3 trjstat -i "$T/p.trjf" 'rg(P)'
    [[ $output == *'frame 0: rg(P): the periodic boundary breaks the bond'*'with trjcat --whole'* ]]
    trjcat -t "$SHARED/data-observables/spce216.tpr" --carry mass,charge --whole \
        "$SHARED/data-observables/spce216-nvt.xtc" -o "$T/w.trjf"
    run -3 trjstat -i "$T/w.trjf" 'rg(all)'
    [[ $output == *"'all' consists of 216 molecules"*'more than half of the cell apart'*'--centre'* ]]
    # The dipole moment of neutral molecules does not depend on their images.
    trjstat -i "$T/w.trjf" box_dipole >"$T/out"
}

@test "groups in a stream that was centred on another selection: rejected if the boundary divides them" {
    # Two molecules that are one Angstrom apart across the boundary, and a third one in the middle of the cell
    printf 'ATOM  %5d  C   MOL A%4d    %8.3f%8.3f%8.3f  1.00  0.00           C\n' 1 1 0.5 10 10 2 1 1.5 10 10 \
        3 2 19.5 10 10 4 2 18.5 10 10 5 3 10 10 10 6 3 10 11 10 >"$T/x.pdb"
    printf 'CONECT%5d%5d\n' 1 2 3 4 5 6 >>"$T/x.pdb"
    for whole in '' --whole; do
        # shellcheck disable=SC2086 # a word or none
        centre() { trjcat -c 20,20,20 -t "$T/x.pdb" $whole --centre "$1" "$T/x.pdb" 2>/dev/null; }
        centre 'index 4 5' >"$T/c.trjf"
        for expression in 'rg(index 0 to 3, none)' 'cog(index 0 2)'; do
            fails 3 'more than half of the cell apart' trjstat -i "$T/c.trjf" "$expression"
        done
        centre 'index 0 to 3' | trjstat 'rg(index 0 to 3, none)' | rows >"$T/got"
        awk -F '\t' '{ exit !($3 > 1.11803 && $3 < 1.11804) }' "$T/got" || { cat "$T/got"; return 1; }
        centre all >"$T/c.trjf" # more than half of the cell, but with a gap
        trjstat -i "$T/c.trjf" 'rg(all, none)' | rows >"$T/got"
        awk -F '\t' '{ exit !($3 > 4.816 && $3 < 4.817) }' "$T/got" || { cat "$T/got"; return 1; }
    done
}

@test "atoms beyond the range of coordinates: rejected by all functions, of which images would hide them" {
    printf '2\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3\nO 1e30 0 0\nH 1 0 0\n' >"$T/x.xyz"
    trjcat "$T/x.xyz" -o "$T/x.trjf" 2>/dev/null
    for expression in 'distance(0, 1)' 'cog(index 0)' 'mindist(index 0, index 1)'; do
        fails 3 'atom 0: coordinate x is 1e+30' trjstat -i "$T/x.trjf" "$expression"
    done
    trjstat -i "$T/x.trjf" 'cog(index 1)' >"$T/out"
}

@test "rmsd: a reference file in which a boundary breaks a bond is rejected, also by a stream of whole molecules" {
    local file
    for file in whole:13 broken:3; do
        printf 'CRYST1   10.000   10.000   10.000  90.00  90.00  90.00 P 1           1\n' >"$T/${file%:*}.pdb"
        printf 'ATOM  %5d  C   MOL A   1    %8.3f%8.3f%8.3f  1.00  0.00           C\n' 1 8 5 5 2 9.4 5 5.5 \
            3 10.5 6 5 4 "${file#*:}" 5.1 4 >>"$T/${file%:*}.pdb"
        printf 'CONECT%5d%5d\n' 1 2 2 3 3 4 >>"$T/${file%:*}.pdb"
    done
    trjcat -t "$T/whole.pdb" --whole "$T/broken.pdb" -o "$T/w.trjf"
    trjstat -i "$T/w.trjf" "rmsd(all, $T/whole.pdb)" | rows >"$T/got"
    awk -F '\t' '{ exit !($3 < 1e-5) }' "$T/got" || { cat "$T/got"; return 1; }
    for expression in "rmsd(all, $T/broken.pdb)" "rmsd(all, $T/broken.pdb, fit=index 0 1 2)"; do
        fails 3 'broken.pdb: the periodic boundary breaks the bond between atoms 2 and 3' \
            trjstat -i "$T/w.trjf" "$expression"
    done
}

@test "invalid expressions: the message names the expression and gives the form" {
    printf '2\nx\nC 0 0 0\nC 1 0 0\n' >"$T/x.xyz"
    trjcat "$T/x.xyz" -o "$T/x.trjf"
    rejects() { # STATUS EXPRESSION WORDS
        run -"$1" trjstat -i "$T/x.trjf" "$2"
        [[ $output == *"$3"* && $(wc -l <<<"$output") == 2 ]] || { echo "$output" && false; }
    }
    rejects 2 'rgg(all)' "unknown function 'rgg', did you mean 'rg'?"
    rejects 2 'frob(all)' "--list prints all functions"
    rejects 2 'dihedral(0, 1, 0, 1)' "unknown function 'dihedral', did you mean 'torsion'?"
    rejects 2 'temperature(all)' '(freedom) is missing; the form is temperature(group=ATOMS, freedom=NUMBER)'
    rejects 2 'hbonds(all, all)' 'criterion=gmx|mda|'
    rejects 2 'rg' "argument 1 (group) is missing; the form is rg(group=ATOMS, weights=mass)"
    rejects 2 'rg(name' "')' is missing at the end; quote the whole expression for the shell"
    rejects 2 'rg(all))' 'not closed'
    rejects 2 'rg(all, weights=charge)' "'charge' is no value of 'weights'"
    rejects 2 'rg(all, none, 3)' 'rg has at most 2 arguments'
    rejects 2 'rg(all, colour=red)' "unknown argument 'colour'"
    rejects 2 'rg(all, group=all)' "'group' is given twice"
    rejects 2 'rg(all,)' 'argument 2 is empty'
    rejects 2 'rg(name CA)' 'trjcat -t FILE --carry name;'
    rejects 2 'rg(mass > 3)' 'trjcat -t FILE --carry mass;'
    rejects 2 'rg(index 9)' 'index 9'
    rejects 2 'distance(all, 0)' "give com(all) or cog(all)"
    rejects 2 'distance(0, 7)' 'index 7'
    rejects 2 'rg.x(all, none)' "rg.x(all, none): rg has no column 'x', but one without a name"
    rejects 2 'cog.size(all)' "cog.size(all): cog has no column 'size', but x Angstrom, y Angstrom, z Angstrom"
    rejects 2 'cog.(all)' "cog.(all): cog has no column ''"
    rejects 3 'rg(all)' 'mass'
    rejects 3 'charge(all)' 'charge'
    rejects 1 'rmsd(all, missing.pdb)' 'missing.pdb'
    run -2 trjstat -i "$T/x.trjf"
    [[ $output == *'no expression given'* ]]
    # A file in place of an expression, and unknown functions, are reported before any input is read.
    run -2 trjstat volume runs/1.xtc </dev/null
    [[ $output == *"'runs/1.xtc' is not an expression"*'trjcat runs/1.xtc | trjstat EXPRESSION'* ]]
    run -2 trjstat 'gyrate(all)' </dev/null
    [[ $output == *"did you mean 'rg'?"* ]]
    # A column of a function without arguments is no file.
    trjstat -i "$T/x.trjf" cell.a volume >"$T/got"
    diff <(rows "$T/got") <(trjstat -i "$T/x.trjf" 'cell.a()' 'volume()' | rows)
    run -2 trjstat -i "$T/x.trjf" dipole.total
    [[ $output == *"dipole.total: argument 1 (group) is missing; the form is dipole(group=ATOMS, origin=com)" ]]
    run -2 trjstat cell.q </dev/null
    [[ $output == *"cell has no column 'q', but a Angstrom, "*'; its form is cell(); '*'trjcat cell.q | trjstat'* ]]
    run -2 trjstat rg.xtc </dev/null
    [[ $output == *"no column 'xtc', but one without a name; its form is rg(group=ATOMS, weights=mass); "* ]]
}

@test "one column of a function with several, named as in tables: the same values as among all columns" {
    printf '2\nx\nC 0 0 0\nC 1 2 4\n' >"$T/x.xyz"
    trjcat -c 30,40,50 "$T/x.xyz" "$T/x.xyz" -o "$T/x.trjf"
    trjstat -i "$T/x.trjf" 'cog(all)' cell | grep -v '^# [^f]' | cut -f 4,6 >"$T/all"
    trjstat -i "$T/x.trjf" 'cog.y(all)' 'cell.a()' | grep -v '^# [^f]' | cut -f 3- >"$T/one"
    cmp "$T/all" "$T/one"
    [[ $(tail -1 "$T/one") == $'1\t30' ]]
    trjstat -i "$T/x.trjf" 'cog.y(all)' | has '^# cog.y(all): .*; columns: y Angstrom$'
}

@test "white space, control characters and quotes in expressions: the table stays a table" {
    printf '2\n\nA 0 0 0\nB 1 2 2\n' >"$T/a.xyz"
    trjcat "$T/a.xyz" >"$T/a.trjf"
    cp "$T/a.xyz" "$T/b,c(d).xyz"
    trjstat -i "$T/a.trjf" $'distance(0,\n\t1)' "rmsd(all, reference='$T/b,c(d).xyz', fit=none)" 'cell( )' >"$T/o"
    [[ $(rows "$T/o") == $'0\tnan\t3\t0\tnan\tnan\tnan\tnan\tnan\tnan' ]]
    grep -q $'^# frame\ttime\tdistance(0,  1)\trmsd' "$T/o"
    fails_cleanly 2 'byte 9 is a control character; remove it' trjstat -i "$T/a.trjf" $'distance\001(0, 1)'
    fails_cleanly 2 'byte 4 is no UTF-8 character; remove it' trjstat -i "$T/a.trjf" $'rg(\377)'
    fails_cleanly 2 'the name of a function is expected' trjstat -i "$T/a.trjf" ''
}

@test "selections of trjstat: atoms together with centres that were computed from them are rejected" {
    printf '3\nx\nC 0 0 0\nO 2 0 0\nO 9 0 0\n' >"$T/x.xyz"
    trjcat -c 30,30,30 --carry mass -t "$T/x.xyz" -g 'M=com(index 0 1) per group' -g W=all "$T/x.xyz" -o "$T/c.trjf" \
        2>/dev/null
    for expression in 'com(all)' 'rg(W or M)' 'contacts(all, W, 3)' 'shell(M, within 3 of M, 2)'; do
        fails 2 'selects atoms, and centres that were computed from atoms; select only one of them' \
            trjstat -i "$T/c.trjf" "$expression"
    done
    trjstat -i "$T/c.trjf" 'contacts(M, W, 3)' 'distance(M, 2)' 'shell(M, W and within 3 of M, 2)' | rows >"$T/got"
    awk -F '\t' '{ exit !($3 == 2 && $4 > 7.8 && $4 < 7.9 && $5 == 2) }' "$T/got" || { cat "$T/got"; return 1; }
}

@test "numbers of atoms are those of the trajectory, also in a stream of some of its atoms" {
    mkdcd --atoms 60 --frames 3 --cell 20,20,20 >"$T/x.dcd"
    trjcat -g 'A=index 20 to 49' "$T/x.dcd" -o "$T/a.trjf"
    trjcat "$T/x.dcd" | trjstat 'distance(20, 21)' 'cog(index 25)' | rows >"$T/expected"
    trjstat -i "$T/a.trjf" 'distance(20, 21)' 'cog(index 25)' | rows | same "$T/expected" -
    trjstat -i "$T/a.trjf" 'mindist(index 20, index 21)' | rows | cut -f 4,5 >"$T/pairs"
    [ "$(sort -u "$T/pairs")" = "$(printf '20\t21')" ]
    run -2 trjstat -i "$T/a.trjf" 'distance(0, 1)'
    [[ $output == *"'index 0': selects none of the 30 atoms"* ]]
}

@test "trjstat --list: every function with its arguments, columns, units and formula" {
    trjstat --list >"$T/list"
    awk -F '\t' 'NF != 4 || $3 == "" || $4 !~ /^(group|residue|residue only)$/ { print; exit bad = 1 }
        END { exit bad || NR < 15 }' "$T/list"
    # The manual describes all of them.
    cut -d '(' -f 1 "$T/list" | while read -r name; do
        grep -qE "^\.It Ic $name( |\$)" filters/trjstat.1 || { echo "$name" && false; }
    done
}

@test "trjcat --carry mass: names and residues are also carried if the topology has them" {
    need_shared
    adk --carry mass -f 0 | trjinfo - >"$T/info"
    for name in mass name resname resid segid; do has "$name" <"$T/info"; done
    printf '2\nx\nC 0 0 0\nO 1 0 0\n' >"$T/x.xyz"
    trjcat -t "$T/x.xyz" --carry mass "$T/x.xyz" |
        trjstat 'distance(com(name C), com(name O))' 'rg(all)' | rows >"$T/got"
    [ "$(cut -f 3 "$T/got")" = 1 ]
}

@test "trjstat --summary: comments with mean, error and drift of each column" {
    # The distance grows by 0.5 in each frame.
    awk 'BEGIN { for (i = 0; i < 100; i++) printf "2\nx\nC 0 0 0\nC %g 0 0\n", 1 + i / 2 }' >"$T/x.xyz"
    trjcat "$T/x.xyz" | trjstat --summary 'distance(0, 1)' volume >"$T/got"
    [ "$(rows "$T/got" | wc -l)" = 100 ]
    awk -F '\t' '/^# summary: distance/ { found = $2 == 100 && $3 == 25.75 && $7 == 1 && $8 == 50.5 && $11 == 50 }
        /^# summary: volume/ { none = $2 == 0 && $3 == "nan" && $4 == "nan" }
        END { exit !(found && none) }' "$T/got" || { cat "$T/got"; return 1; }
}

@test "nan is never silent: a note and --summary give the number of frames in which a value is not defined" {
    for frame in 0 1 2 3; do printf '3\n\nA 0 0 0\nB 1 0 0\nC 1 %d 0\n' $((frame / 2)); done >"$T/x.xyz"
    trjcat -g 'N=within 0.5 of index 1' -g all=all "$T/x.xyz" >"$T/x.trjf"
    trjstat -i "$T/x.trjf" 'angle(0, 1, 2)' 'distance(0, 2)' volume >"$T/got" 2>"$T/err"
    grep -q 'note: values that are not defined (nan): angle(0, 1, 2) in 2 of 4 frames, volume() in 4 of 4' "$T/err"
    grep -q '^# volume(): ' "$T/got"
    trjstat -i "$T/x.trjf" --summary 'angle(0, 1, 2)' >"$T/got" 2>"$T/err"
    grep -q $'^# summary: angle(0, 1, 2)\t2\t' "$T/got"
    grep -q 'angle(0, 1, 2) in 2 of 4 frames' "$T/err"
    trjstat -i "$T/x.trjf" cell 'distance(0, 2)' >"$T/got" 2>"$T/err"
    [[ $(cat "$T/err") == *'cell.alpha() in 4 of 4 frames and 2 other columns' ]]
    trjstat -i "$T/x.trjf" 'distance(0, 2)' >"$T/got" 2>"$T/err"
    [[ ! -s $T/err ]]
    # Each case of the manual.
    trjcat -g 'D=within 0.1 of (index 0 and x > 5)' -g all=all "$T/x.xyz" >"$T/d.trjf"
    local expression
    for expression in 'rg(D, none)' 'rgtensor(D, none)' 'shape(D, none)' 'end_to_end(D)' 'mindist(index 0, D)' \
        'steinhardt(all, 0.5)' 'tetrahedrality(D)' 'tilt(D)' 'tilt(index 0)' 'torsion(0, 1, 1, 2)' \
        'p2(index 1, index 2)' 'shape(index 0, none)'; do
        trjstat -i "$T/d.trjf" "$expression" 2>"$T/err" | rows >"$T/got"
        grep -qw nan "$T/got" && grep -q 'values that are not defined' "$T/err" || { echo "$expression" && return 1; }
    done
}

@test "words and options of other programs and tools at trjstat: the message says what to type" {
    local word
    printf '2\n\nA 0 0 0\nB 1 2 2\n' >"$T/a.xyz"
    trjcat "$T/a.xyz" >"$T/a.trjf"
    while IFS=$'\t' read -r word want; do
        fails 2 "$want" trjstat -i "$T/a.trjf" "$word(all)"
    done <<'END'
rmsf	'rmsf' is not a value of a frame; use trjstat --rmsf SELECTION
msd	'msd' compares frames of different times
rdf	'rdf' is computed by rdfhist and rdfnorm
sq	'sq' is computed by skhist and rdfnorm
pca	use trjstat --pca SELECTION
histogram	use trjstat --hist EXPRESSION
profile	use trjstat --profile z 'mass(A)'
rmsd_matrix	use trjstat --map 'rmsd(A)'
cluster	use trjstat --map 'rmsd(A)' --cluster CUTOFF
gyrate	did you mean 'rg'
gyration	did you mean 'rg'
hbond	did you mean 'hbonds'
sas	did you mean 'sasa'
END
    fails 2 '-t: unknown option; an option of trjcat, which writes the frame stream: trjcat -t FILE' \
        trjstat -t a.pdb cell
    fails 2 '-g: unknown option; an option of trjcat, *: trjcat -g NAME=SELECTION' trjstat -g O=all cell
    fails 2 '--carry: unknown option; an option of trjcat, *: trjcat --carry PROPERTIES' trjstat --carry mass cell
    fails 2 '-f: unknown option; an option of trjcat, *: trjcat -f START:STOP:STEP' trjstat cell -f 3
    fails 2 '-s: unknown option; the topology is given to trjcat with -t FILE' trjstat -s a.tpr cell
}

@test "dynamic groups within selections: the message gives the remedy" {
    printf '2\n\nA 0 0 0\nB 1 2 2\n' >"$T/a.xyz"
    trjcat -g 'N=within 2 of index 0' -g all=all "$T/a.xyz" >"$T/a.trjf"
    trjstat -i "$T/a.trjf" 'rg(N, none)' >"$T/got"
    fails 2 "'N' is a dynamic group, which can only be given alone; *: trjcat -g 'N=...' -g 'NEW=N and ...'" \
        trjstat -i "$T/a.trjf" 'rg(N and index 0, none)'
}

@test "a group that the stream lacks: the message says how to define it" {
    printf '2\n\nA 0 0 0\nB 1 2 2\n' | trjcat - >"$T/a.trjf"
    fails 2 "unknown keyword 'P' at character 1*; if it is a group, define it: trjcat -g P=SELECTION;" \
        trjstat -i "$T/a.trjf" 'rg(P)'
    run trjstat -i "$T/a.trjf" 'rg(P and index 0)'
    [[ $status == 2 && $output != *'if it is a group'* ]]
}

@test "rmsd: a note if no names show whether a reference file has the same order of atoms" {
    printf '2\n\nA 0 0 0\nB 1 2 2\n' >"$T/a.xyz"
    trjcat -t "$T/a.xyz" --carry name -g all=all "$T/a.xyz" >"$T/named.trjf"
    trjcat "$T/a.xyz" >"$T/a.trjf"
    trjcat "$T/a.xyz" -o "$T/a.dcd" 2>"$T/err"
    trjstat -i "$T/named.trjf" "rmsd(all, $T/a.xyz, none)" >"$T/got" 2>"$T/err"
    [[ ! -s $T/err ]]
    trjstat -i "$T/named.trjf" "rmsd(all, $T/a.dcd, none)" "rmsd(index 0, $T/a.dcd, none)" >"$T/got" 2>"$T/err"
    grep -q 'a.dcd: note: the order of its atoms is not verified, because no names of its atoms are known;' "$T/err"
    [[ $(wc -l <"$T/err") == 1 ]]
    trjstat -i "$T/a.trjf" "rmsd(all, $T/a.xyz, none)" >"$T/got" 2>"$T/err"
    grep -q 'because the stream contains no names of atoms; write them: trjcat -t FILE --carry name' "$T/err"
    fails 2 'rmsd(all, -, none): a reference is read several times, which standard input cannot be; give a file' \
        trjstat -i "$T/a.trjf" 'rmsd(all, -, none)'
}

@test "trjstat --summary: a note names columns with few effective frames" {
    for ((i = 0; i < 200; i++)); do printf '2\n\nA 0 0 0\nB 0 0 %d\n' $((i * 7919 % 97)); done >"$T/x.xyz"
    trjcat "$T/x.xyz" | trjstat --summary 'distance(0, 1)' >"$T/got" 2>"$T/err"
    [[ ! -s $T/err ]]
    trjcat -f :40 "$T/x.xyz" | trjstat --summary 'distance(0, 1)' 'cog(all)' >"$T/got" 2>"$T/err"
    grep -q 'note: fewer than 50 effective frames, .*: distance(0, 1), cog.z(all)$' "$T/err"
    grep -q '^# summary: note: fewer than 50 effective frames' "$T/got"
}

@test "rdfplot draws a column of observables against time" {
    awk 'BEGIN { for (i = 0; i < 20; i++) printf "2\nTime=%d\nC 0 0 0\nC %g 0 0\n", i, 1 + i / 2 }' >"$T/x.xyz"
    trjcat -c 90,90,90 "$T/x.xyz" | trjstat 'distance(0, 1)' cell >"$T/got"
    has -F '# frame	time	distance(0, 1)	cell.a()	cell.b()' <"$T/got"
    # Each column has its own unit.
    has 'columns: a Angstrom, .*, gamma degrees$' <"$T/got"
    rdfplot "$T/got" >"$T/plot"
    has 'distance / Å' <"$T/plot"
}
