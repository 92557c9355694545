#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfderive --table and --smooth: tables are compared with an independent program, and read by LAMMPS and GROMACS.
load helper

LJ=tests/data/lj.rdfh

# table_rows: the rows of a table as "r energy force"
table_rows() {
    awk '/^#/ || NF < 3 || $1 == "N" { next }
        NF == 7 { print $1, $6, $7; next } NF == 4 { print $2, $3, $4; next } 1' "$@"
}

# near RELATIVE A B: rows with equal r; energies and forces are equal within a part of the larger of them and 1
near() {
    paste -d ' ' "$2" "$3" | awk -v most="$1" 'function off(a, b, d, m) { d = a - b; if (d < 0) d = -d
        m = a < 0 ? -a : a; return d > most * (m > 1 ? m : 1) }
        NF != 6 || off($1, $4) || off($2, $5) || off($3, $6) { print NR ": " $0; if (++bad > 5) exit }
        END { exit bad || NR < 100 }'
}

@test "--table: energies are those of an independent program, and forces their derivatives" {
    need /usr/bin/python3
    rdfnorm -c $LJ >"$T/counts"
    local each way options kt
    kt=$(awk 'BEGIN { printf "%.15g", 8.31446261815324e-3 * 300 }')
    for each in 1 8 7; do
        options=()
        ((each == 1)) || options=(--smooth "$(awk -v n=$each 'BEGIN { print n * 0.0025 }')")
        rdfderive -q pmf -T 300 "${options[@]}" $LJ >"$T/pmf"
        for way in linear power; do
            rdfderive -q pmf -T 300 "${options[@]}" --table espresso --core $way --cutoff 4 --switch 3.3 \
                --spacing 0.008 $LJ 2>/dev/null | table_rows | awk '{ print $1 * 10, $2, $3 / 10 }' >"$T/found"
            run_python tests/helpers/pair_table.py "$T/pmf" "$T/counts" "$kt" 4 3.3 $way 0.008 $each >"$T/wanted"
            near 1e-5 "$T/wanted" "$T/found" || { echo "windows of $each, $way"; return 1; }
        done
    done
    # Without options the potential ends at rmax.
    rdfderive -q pmf -T 300 --table espresso $LJ 2>/dev/null | table_rows | awk '{ print $1 * 10, $2, $3 / 10 }' \
        >"$T/found"
    rdfderive -q pmf -T 300 $LJ >"$T/pmf"
    run_python tests/helpers/pair_table.py "$T/pmf" "$T/counts" "$kt" 5 4.5 linear 0.01 1 >"$T/wanted"
    near 1e-5 "$T/wanted" "$T/found"
    [[ $(tail -n 1 "$T/found") == '5 0 0' ]]
}

@test "--units: the same potential in each of them" {
    local units energy length
    rdfderive -q pmf -T 300 --table espresso --cutoff 4 $LJ 2>/dev/null | table_rows >"$T/md"
    while read -r units energy length; do
        rdfderive -q pmf -T 300 --table lammps --units "$units" --cutoff 4 $LJ 2>/dev/null >"$T/table"
        head -n 1 "$T/table" | grep -xF "# UNITS: $units"
        grep -qx 'all_all' "$T/table"
        table_rows "$T/table" | awk -v OFMT=%.15g -v e="$energy" -v l="$length" '
            { print $1 * l / 10, $2 * e, $3 * e / l * 10 }' >"$T/found"
        near 1e-7 "$T/md" "$T/found" || { echo "$units"; return 1; }
    done <<'END'
real 4.184 1
metal 96.4853321233 1
electron 2625.49963948 0.529177210903
lj 0.00831446261815324 1
END
    # In reduced units, the temperature is that of the simulation: w = -T* ln g.
    rdfderive -q pmf -T 0.85 --table lammps --units lj $LJ 2>/dev/null | table_rows | awk '$1 == 1.08' >"$T/found"
    rdfnorm $LJ | rows | awk '$1 > 1.0774 && $1 < 1.0826 { s += $2; n++ } END { print -0.85 * log(s / n) }' >"$T/wanted"
    paste "$T/found" "$T/wanted" | awk '{ d = $2 - $4; exit !(d * d < 1e-4) || NF != 4 }'
}

# two_atoms UNITS R: prints energy of two atoms at a distance, and the force on the second, by LAMMPS with $T/table
two_atoms() {
    cat >"$T/in" <<END
units $1
atom_style atomic
atom_modify map array
region box block 0 30 0 30 0 30
create_box 1 box
create_atoms 1 single 5 5 5
create_atoms 1 single $(awk -v r="$2" 'BEGIN { printf "%.12g", 5 + r }') 5 5
mass 1 1
pair_style table spline $(awk '$1 == "N" { print 4 * $2 }' "$T/table")
pair_coeff 1 1 table all_all
fix 1 all nve
thermo_style custom step pe
thermo_modify norm no
variable energy equal pe
variable force equal fx[2]
run 0 post no
print "found \$(v_energy:%.12g) \$(v_force:%.12g)"
END
    (cd "$T" && lmp -in in -log none >out 2>&1 </dev/null) || { tail -5 "$T/out"; return 1; }
    # LAMMPS warns of forces outside of the slopes on both sides, as at inflection points and in straight parts.
    ! grep WARNING "$T/out" | grep -vE 'are inconsistent with -dE/dr|at inflection points' || return 1
    sed -n 's/^found //p' "$T/out"
}

@test "LAMMPS reads the table in its units: two atoms have its energies and forces" {
    need lmp
    lmp -h >"$T/help" 2>&1 || skip 'lmp does not run here'
    local units r
    for units in lj real metal electron; do
        rdfderive -q pmf -T 0.85 --table lammps --units $units --smooth 0.02 --core power --cutoff 4 --spacing 0.005 \
            -o "$T/table" $LJ 2>"$T/note"
        for r in 0.7 0.9 1 1.08 1.5 2.3 3.7 3.9; do
            [[ $units != electron ]] ||
                r=$(table_rows "$T/table" | awk -v r=$r '$1 <= r / 0.529177 + 1e-6 { x = $1 } END { print x }')
            two_atoms $units "$r" >"$T/found" || { cat "$T/found"; return 1; }
            table_rows "$T/table" | awk -v r="$r" '{ d = $1 - r } d * d < 1e-14 { print $2, $3 }' |
                paste -d ' ' - "$T/found" | awk -v what="$units $r" '
                    function off(a, b, d) { d = a - b; if (d < 0) d = -d
                    return d > 1e-4 * (a < 0 ? -a : a) + 1e-5 }
                    NF != 4 || off($1, $3) || off($2, $4) { print what ": " $0; bad = 1 } END { exit bad || NR != 1 }'
        done
    done
}

@test "GROMACS reads the table as that of a bond: energy and force of two atoms are those of the table" {
    need_mdrun
    local r x
    rdfderive -q pmf -T 300 --table gromacs --cutoff 4 --smooth 0.02 --spacing 0.005 -o "$T/table" $LJ 2>"$T/note"
    # Nothing but zeros from the cutoff on, to 1 nm after it.
    rows "$T/table" | awk 'NF != 7 || $2 || $3 || $4 || $5 || ($1 >= 0.4 && ($6 || $7)) { bad = 1 }
        END { exit bad || NR != 2801 || $1 != 1.4 }'
    table_rows "$T/table" >"$T/bond_b0.xvg"
    printf '%s\n' '[ defaults ]' '1 1 no' '[ atomtypes ]' 'X 18 10 0 A 0 0' '[ moleculetype ]' 'M 1' '[ atoms ]' \
        '1 X 1 M X1 1 0 10' '2 X 1 M X2 2 0 10' '[ bonds ]' '1 2 8 0 1' '[ system ]' two '[ molecules ]' 'M 1' \
        >"$T/a.top"
    printf '%s\n' integrator=md nsteps=0 nstfout=1 nstenergy=1 nstcalcenergy=1 >"$T/a.mdp"
    for r in 0.08 0.105 0.15 0.38; do
        x=$(awk -v r=$r 'BEGIN { printf "%8.3f", 1 + r }')
        printf 'two\n2\n%s   1.000   1.000   1.000\n%s%s   1.000   1.000\n5 5 5\n' '    1M       X1    1' \
            '    1M       X2    2' "$x" >"$T/a.gro"
        (cd "$T" && gmx grompp -f a.mdp -p a.top -c a.gro -o a.tpr -maxwarn 5 &&
            gmx mdrun -s a.tpr -deffnm a -tableb bond_b0.xvg -nt 1 -nb cpu) >"$T/log" 2>&1 ||
            { tail "$T/log"; return 1; }
        echo 'Tab.-Bonds' | gmx energy -f "$T/a.edr" -o "$T/e.xvg" >"$T/log" 2>&1
        { tail -n 1 "$T/e.xvg"; gmx dump -f "$T/a.trr" 2>/dev/null | sed -n 's/.*f\[ *1\]={\([^,]*\),.*/\1/p'
        awk -v r=$r '{ d = $1 - r } d * d < 1e-14' "$T/bond_b0.xvg"
        rm -f "$T"/a.trr "$T"/a.edr "$T"/e.xvg; } | paste -s |
            awk 'function off(a, b, d) { d = a - b; if (d < 0) d = -d; return d > 2e-5 * (a < 0 ? -a : a) + 1e-3 }
                { print; exit NF != 6 || off($5, $2) || off($6, $3) }'
    done
}

@test "--smooth: the number of neighbours within the edge of each window is unchanged" {
    rdfderive -q n $LJ | rows | awk -F '\t' '{ printf "%s %s\n", $1, $2 }' >"$T/n"
    local each
    for each in 2 8 16 300; do
        rdfderive -q pmf -T 300 --smooth "$(awk -v n=$each 'BEGIN { print n * 0.0025 }')" $LJ >"$T/pmf"
        grep -F "smoothed in windows of $each bins" "$T/pmf"
        # n(r) is the sum of rho g over the shells, with rho of an atom's neighbours; its last value gives the scale.
        rows "$T/pmf" | paste -d ' ' - "$T/n" | awk -v each=$each '
            { g = $2 == "inf" ? 0 : exp(-$2 / (8.31446261815324e-3 * 300)); sum += g * ($4 ^ 3 - low ^ 3)
              low = $4; s[NR] = sum; n[NR] = $5 }
            END { windows = int(NR / each)
                for (j = 1; j <= windows; j++) { k = j < windows ? j * each : NR; d = s[k] / s[NR] - n[k] / n[NR]
                    if (d * d > 1e-17) { print k, s[k], n[k]; bad = 1 } }
                exit bad || NR != 2000 }'
    done
    # The curve is smoother than the counts: neighbouring values differ less.
    rdfderive -q pmf -T 300 $LJ >"$T/rough"
    rdfderive -q pmf -T 300 --smooth 0.02 $LJ >"$T/smooth"
    for x in rough smooth; do
        rows "$T/$x" | awk '$1 > 3 { d = $2 - 2 * b + a; if (NR > 1300) s += d * d; a = b; b = $2 } END { print s }'
    done | paste -s | awk '{ exit !($2 < $1 / 20) }'
    rdfderive -q s2 --smooth 0.02 $LJ | rows >"$T/s2"
    fails_cleanly 2 '--smooth has no effect on --quantity kb; leave it out' rdfderive -q kb --smooth 0.02 $LJ
    fails_cleanly 2 'smooth: windows of 0.001 Angstrom have 0 bins of the histogram; give from 0.005 to 2.5' \
        rdfderive -q pmf -T 300 --smooth 0.001 $LJ
    fails_cleanly 2 'smooth: windows of -1 Angstrom*' rdfderive -q pmf -T 300 --smooth=-1 $LJ
}

@test "--smooth in a slab: rejected without a volume" {
    mkdcd --atoms 60 --frames 2 --cell 20,20,20,90,90,90 --seed 3 >"$T/dcd"
    trjcat -P xy -g 'A=all' "$T/dcd" | rdfhist -e cpu -r 9 -b 90 >"$T/rdfh"
    fails_cleanly 3 'frames are periodic in two directions only, but --smooth requires full shells; *--volume' \
        rdfderive -q pmf -T 300 --smooth 0.5 "$T/rdfh"
    rdfderive -q pmf -T 300 --smooth 0.5 --volume 8000 "$T/rdfh" | rows >"$T/table"
}

@test "--table: noise, gaps, and values out of range are rejected with the place and a remedy" {
    mkdcd --atoms 60 --frames 2 --cell 20,20,20,90,90,90 --seed 3 >"$T/dcd"
    trjcat -g 'A=index 0 to 39' -g 'B=index 40 to 59' "$T/dcd" | rdfhist -e cpu -r 9 -b 90 -p '*:*' >"$T/rdfh"
    fails_cleanly 3 'A:A: g(r) is too noisy at *: the potential has an error of * kT, expected at most 0.25; count *' \
        rdfderive -q pmf -T 300 -p A:A --table lammps "$T/rdfh"
    # An atom at each end of a bond, and nothing up to its neighbours: a gap.
    awk 'BEGIN { for (f = 0; f < 4; f++) { print 128
        print "Lattice=\"32 0 0 0 32 0 0 0 32\" Properties=species:S:1:pos:R:3"
        for (i = 0; i < 64; i++) { x = 8 * (i % 4); y = 8 * (int(i / 4) % 4); z = 8 * int(i / 16)
        print "X", x, y, z; print "X", x + 1.05, y, z } } }' >"$T/gap.xyz"
    trjcat -g 'A=all' "$T/gap.xyz" | rdfhist -e cpu -r 7 -b 70 >"$T/gap.rdfh" 2>"$T/note"
    fails_cleanly 3 'A:A: g(r) is 0 at 6.85 Å, so that the potential is infinite there; count more frames*' \
        rdfderive -q pmf -T 300 --table lammps "$T/gap.rdfh"
    fails_cleanly 3 'A:A: g(r) is 0 at 6.75 Å*' rdfderive -q pmf -T 300 --table lammps --cutoff 6.7 "$T/gap.rdfh"
    fails_cleanly 2 '--table gromacs: a file has one pair of groups, found 3; choose one with --pair' \
        rdfderive -q pmf -T 300 --table gromacs "$T/rdfh"
    fails_cleanly 2 '--cutoff: 6 Å is beyond rmax, 5 Å*' rdfderive -q pmf -T 300 --table lammps --cutoff 6 $LJ
    fails_cleanly 2 '--switch: invalid value 4 Angstrom: must be above 0 and below the cutoff' \
        rdfderive -q pmf -T 300 --table lammps --cutoff 4 --switch 4 $LJ
    fails_cleanly 2 '--switch: 5 Å is not below the cutoff, 5 Å' rdfderive -q pmf -T 300 --table lammps --switch 5 $LJ
    fails_cleanly 3 '*already switched off*' rdfderive -q pmf -T 300 --table lammps --switch 0.5 $LJ
    fails_cleanly 2 '--spacing: 9 Å gives 1 rows*' rdfderive -q pmf -T 300 --table lammps --spacing 9 $LJ
    fails_cleanly 2 '--spacing: invalid value 0*' rdfderive -q pmf -T 300 --table lammps --spacing 0 $LJ
    fails_cleanly 2 '--cutoff: invalid value -1*' rdfderive -q pmf -T 300 --table lammps --cutoff=-1 $LJ
    fails_cleanly 2 '--units real: GROMACS uses kJ/mol and nm; leave --units out' \
        rdfderive -q pmf -T 300 --table gromacs --units real $LJ
    fails_cleanly 2 '--units gromacs: LAMMPS has no such units*' \
        rdfderive -q pmf -T 300 --table lammps --units gromacs $LJ
    fails_cleanly 2 '--spacing applies to --table only*' rdfderive -q pmf -T 300 --spacing 0.1 $LJ
    fails_cleanly 2 '--table has no effect on --quantity kb*' rdfderive -q kb --table lammps $LJ
    rdfderive -q pmf -T 300 --table lammps -o "$T/table" $LJ 2>"$T/note"
    grep -F 'note: all:all: extrapolated below 0.90875 Angstrom, with a constant force' "$T/note"
}
