#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Counts and g(r) of real trajectories, compared with references that other programs made. Counts must be equal as
# integers.
load helper

field() { # CASE NAME: prints the field of this name in cases.tsv
    awk -F '\t' -v c="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == c { print $at[name] }' "$REFERENCE/cases.tsv"
}

column() { # FILE NAME: prints the column of this name
    rows "$1" | awk -F '\t' -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[name] }'
}

# Sets `groups`, the options of trjcat, and `setup`, those of rdfhist.
case_options() {
    groups=() setup=(-b "$(field "$1" nbins)" -r "$(field "$1" rmax)")
    [[ ! -f $REFERENCE/$1.selA.txt ]] || groups+=(-g "A=index $(tr '\n' ' ' <"$REFERENCE/$1.selA.txt")")
    if [[ -f $REFERENCE/$1.selB.txt ]]; then
        groups+=(-g "B=index $(tr '\n' ' ' <"$REFERENCE/$1.selB.txt")")
        setup+=(-p A:B)
    fi
}

# agrees CASE FILE [OPTION of trjcat...]: the counts are those of the reference; leaves the histogram in $T/CASE.rdfh
agrees() {
    local name=$1 file=$2 groups setup
    shift 2
    case_options "$name"
    trjcat "$@" "${groups[@]}" "$file" | rdfhist -e cpu "${setup[@]}" >"$T/$name.rdfh"
    counts "$T/$name.rdfh" >"$T/counts"
    column "$REFERENCE/$name.tsv" count >"$T/expected"
    [[ $(wc -l <"$T/expected") -gt 50 ]]
    same "$T/expected" "$T/counts"
}

# curve NORM COLUMN CASE: g(r) of $T/CASE.rdfh equals this column in all ten digits
curve() {
    rdfnorm --norm "$1" "$T/$3.rdfh" | rows | cut -f 2 >"$T/g"
    column "$REFERENCE/$3.tsv" "$2" >"$T/expected"
    paste "$T/expected" "$T/g" | awk '{ d = $1 - $2; if (d < 0) d = -d
        if (d > 1e-9 * ($1 > 1 ? $1 : 1)) { print "line", NR, $0; bad = 1 } } END { exit bad || NR < 50 }'
}

# MDAnalysis bins float32 distances, so that a pair near an edge may be in the next bin; in such a bin g is compared for
# the count of MDAnalysis.
curve_mda() { # CASE ORDER (2: MDAnalysis counts both orders)
    rdfnorm --norm mdanalysis "$T/$1.rdfh" | rows | cut -f 2 >"$T/g"
    column "$REFERENCE/$1.tsv" near_lo >"$T/near"
    paste <(column "$REFERENCE/$1.tsv" count) <(column "$REFERENCE/$1.tsv" n_mda) \
        <(column "$REFERENCE/$1.tsv" g_mda) "$T/g" \
        "$T/near" <(tail -n +2 "$T/near"; echo 1000) |
        awk -v order="$2" '{ moved = $1 - $2 / order; d = $2 ? $3 * $1 * order / $2 - $4 : $4 * !!$3 }
            moved > $5 + $6 || -moved > $5 + $6 || d > 1e-6 * $4 || -d > 1e-6 * $4 { print "line", NR, $0; bad = 1 }
            { n += $2 > 0 } END { exit bad || n < 0.3 * NR }'
}

# gmx centres bins on multiples of their width and prints three decimals. It bins float32 distances in nm: a pair near
# an edge may be in the next bin, so that the tolerance is half a unit of the last decimal and the pairs near both
# edges.
curve_gmx() { # CASE
    local file=$REFERENCE/$1.gmx.tsv n
    n=$(rows "$file" | awk '$1 * 10 + 0.05 < r + 1e-9' r="$(field "$1" rmax)" | wc -l)
    paste <(rows "$file" | head -n "$n") <(rdfnorm --norm gromacs "$T/gmx.rdfh" | rows | cut -f 2) \
        <(rdfnorm --counts "$T/gmx.rdfh" | rows | cut -f 3) \
        <(column "$REFERENCE/$1.tsv" near_lo | awk 'NR % 2 == 0' | head -n "$n") \
        <(column "$REFERENCE/$1.tsv" near_lo | awk 'NR % 2 == 0' | tail -n +2 | head -n "$n") |
        awk -v n="$n" '{ d = $2 - $5; if (d < 0) d = -d; slack = $6 ? ($7 + $8) / $6 * $5 : 0; if (d > most) most = d
            if (d > 0.0005000001 + slack) { print "line", NR, $0; bad = 1 } }
            END { print "largest difference", most; exit bad || NR != n || n < 50 }'
}

# gmx_stream CASE FRAMES: writes $T/gmx.rdfh with the bins of gmx except the half bin at 0
gmx_stream() {
    local groups setup n
    case_options "$1"
    n=$(rows "$REFERENCE/$1.gmx.tsv" | awk '$1 * 10 + 0.05 < r + 1e-9' r="$(field "$1" rmax)" | wc -l)
    trjcat "${groups[@]}" "$2" | rdfhist -e cpu "${setup[@]}" --rmin 0.05 -b "$n" \
        -r "$(awk -v n="$n" 'BEGIN { print n / 10 + 0.05 }')" >"$T/gmx.rdfh"
}

# convert FILE: writes $T/dcd with the numbers of a file in another format
convert() {
    local rc=0
    need_shared
    /usr/bin/python3 -W ignore tests/helpers/to_dcd.py "$DATA/$1" "$T/dcd" 2>"$T/notes" || rc=$?
    ((rc != 77 && rc != 127)) || skip 'no MDAnalysis for /usr/bin/python3'
    ((rc == 0)) || { cat "$T/notes"; return 1; }
}

# Engines, threads, records and compression in turn; each must give the same counts.
every_way() { # CASE FILE [OPTION of trjcat...]
    local name=$1 file=$2 level threads block setup groups
    shift 2
    case_options "$name"
    column "$REFERENCE/$name.tsv" count >"$T/expected"
    for level in 0 1 19; do
        trjcat -z "$level" "$@" "${groups[@]}" "$file" >"$T/$level.trjf"
        for block in 0 1; do
            for threads in 1 2 7; do
                rdfhist -e cpu -j "$threads" -B "$block" "${setup[@]}" "$T/$level.trjf" | counts >"$T/counts"
                same "$T/expected" "$T/counts" || { echo "cpu -j $threads -B $block -z $level"; return 1; }
            done
        done
    done
    for block in 0 1; do
        rdfhist -e reference -B "$block" "${setup[@]}" "$T/19.trjf" | counts >"$T/counts"
        same "$T/expected" "$T/counts" || { echo "reference -B $block"; return 1; }
    done
    (($(stat -c %s "$T/19.trjf") < $(stat -c %s "$T/0.trjf")))
}

@test "water.dcd: counts by all methods, g(r) in the conventions of MDAnalysis" {
    need_shared
    every_way water_dcd "$DATA/dcd/water.dcd"
    agrees water_dcd "$DATA/dcd/water.dcd"
    curve density g_pv water_dcd
    curve mdanalysis g_va water_dcd
    curve_mda water_dcd 2
}

@test "tip125_tric_C36.dcd: counts in a skew cell by all methods, atoms selected by name from its PSF" {
    need_shared
    every_way tip125_OO "$DATA/dcd/tip125_tric_C36.dcd"
    agrees tip125_OO "$DATA/dcd/tip125_tric_C36.dcd"
    curve density g_pv tip125_OO
    curve mdanalysis g_va tip125_OO
    trjcat -t "$DATA/dcd/tip125_tric_C36.psf" -g 'O=name OH2' "$DATA/dcd/tip125_tric_C36.dcd" |
        rdfhist -b 104 -r 5.2 -e cpu | counts >"$T/by_name"
    same "$T/counts" "$T/by_name"
}

@test "other formats of the same water: the same counts" {
    convert amber/water.nc
    agrees water_nc "$T/dcd"
    agrees water_xyz "$DATA/xyz/water.xyz" --cell 15,15,15
    agrees water_trr "$DATA/trr/water.trr"
}

@test "TIP3P water, varying cell in nm: counts, g(r) of MDAnalysis and gmx" {
    need_shared
    local trajectory=$DATA/xtc/tip3p_300K_1ATM.xtc
    agrees tip3p_OO "$trajectory"
    curve density g_pv tip3p_OO
    curve mdanalysis g_va tip3p_OO
    curve_mda tip3p_OO 2
    gmx_stream tip3p_OO "$trajectory"
    curve_gmx tip3p_OO
}

@test "TIP3P water, 8192 bins: counts" {
    need_shared
    local trajectory=$DATA/xtc/tip3p_300K_1ATM.xtc
    agrees tip3p_OO_8192 "$trajectory"
    curve density g_pv tip3p_OO_8192
    curve mdanalysis g_va tip3p_OO_8192
}

@test "TIP3P water, two groups: counts, g(r) of gmx" {
    need_shared
    local trajectory=$DATA/xtc/tip3p_300K_1ATM.xtc
    agrees tip3p_OH "$trajectory"
    curve density g_pv tip3p_OH
    curve mdanalysis g_va tip3p_OH
    gmx_stream tip3p_OH "$trajectory"
    curve_gmx tip3p_OH
}

@test "adenylate kinase, water in a rhombic dodecahedron: counts up to half the width, g(r) of MDAnalysis and gmx" {
    need_shared
    local trajectory=$DATA/xtc/adk_oplsaa.xtc
    agrees adk_OWOW "$trajectory"
    curve density g_pv adk_OWOW
    agrees adk_OWOW_24 "$trajectory"
    curve mdanalysis g_va adk_OWOW_24
    curve_mda adk_OWOW_24 2
    gmx_stream adk_OWOW_24 "$trajectory"
    curve_gmx adk_OWOW_24
}

@test "cobrotoxin, two groups of different size: counts, g(r) of MDAnalysis and gmx" {
    need_shared
    local trajectory=$DATA/multi/cobrotoxin.xtc
    agrees cobro_CA_OW "$trajectory"
    curve density g_pv cobro_CA_OW
    curve mdanalysis g_va cobro_CA_OW
    curve_mda cobro_CA_OW 1
    gmx_stream cobro_CA_OW "$trajectory"
    curve_gmx cobro_CA_OW
}

@test "argon: counts, g(r) of MDAnalysis and gmx" {
    need_shared
    need gmx gunzip
    gunzip <"$DATA/tng/argon_npt_compressed.gro.gz" >"$T/argon.gro"
    echo 0 | gmx -nobackup trjconv -f "$DATA/tng/argon_npt_compressed.tng" -s "$T/argon.gro" -o "$T/argon.trr" \
        >"$T/notes" 2>&1 ||
        skip 'this gmx reads no TNG'
    local trajectory=$T/argon.trr
    agrees argon_all "$trajectory"
    curve density g_pv argon_all
    curve mdanalysis g_va argon_all
    curve_mda argon_all 2
    gmx_stream argon_all "$trajectory"
    curve_gmx argon_all
}

@test "truncated octahedron and box of Amber: counts, g(r) of MDAnalysis" {
    convert amber/tz2.truncoct.nc
    agrees truncoct_OO "$T/dcd"
    curve density g_pv truncoct_OO
    curve_mda truncoct_OO 2
    convert amber/bala.ncdf
    agrees bala_OO "$T/dcd"
    curve density g_pv bala_OO
    curve_mda bala_OO 2
}

@test "LAMMPS dumps, scaled and unwrapped coordinates: counts, g(r) of MDAnalysis" {
    need_shared
    local file=$DATA/lammps/spce_all_coords.lammpstrj
    agrees spce_OO "$file"
    curve density g_pv spce_OO
    curve_mda spce_OO 2
    # The columns are id type x y z xs ys zs xu yu zu xsu ysu zsu; the first position columns are used.
    awk '/^ITEM: A/ { $5 = $6 = $7 = "-" } { print }' "$file" >"$T/xs.lammpstrj"
    agrees spce_OO_xs "$T/xs.lammpstrj"
    awk '/^ITEM: A/ { for (i = 5; i < 11; i++) $i = "-" } { print }' "$file" >"$T/xu.lammpstrj"
    agrees spce_OO_xu "$T/xu.lammpstrj"
    agrees nacl_all "$DATA/lammps/nacl.lammpstrj"
}

@test "Lennard-Jones fluid, and a crystal with every distance on an edge: counts" {
    need_python_module gsd.hoomd
    convert gsd/lj.gsd
    agrees lj_gsd "$T/dcd"
    curve density g_pv lj_gsd
    curve_mda lj_gsd 2
    convert gsd/fcc.gsd
    agrees fcc_gsd "$T/dcd"
    curve density g_pv fcc_gsd
}

@test "water of i-PI, cell in the comments: counts, g(r) of MDAnalysis" {
    convert xyz/ipi_water216_npt.xyz
    agrees ipi_water_OO "$T/dcd"
    curve density g_pv ipi_water_OO
    curve_mda ipi_water_OO 2
    # The reference treats bohr as Angstrom. The file is in bohr, and so is rmax here.
    local groups setup
    case_options ipi_water_OO
    trjcat "${groups[@]}" "$DATA/xyz/ipi_water216_npt.xyz" |
        rdfhist -e cpu -b "$(field ipi_water_OO nbins)" -r 9.2606011908025 | counts >"$T/counts"
    column "$REFERENCE/ipi_water_OO.tsv" count >"$T/expected"
    same "$T/expected" "$T/counts"
}

@test "helium without a cell: counts, but no g(r)" {
    need_shared
    agrees helium_nobox "$DATA/xyz/helium.xyz"
    fails 3 'no volume*--volume' rdfnorm "$T/helium_nobox.rdfh"
}

@test "XTC of 2023, with the header of one of 1995: the same counts" {
    need_shared
    trjcat -f :5 "$DATA/xtc/tip3p_300K_1ATM.xtc" | rdfhist -e cpu -r 9 -b 90 | counts >"$T/expected"
    trjcat "$DATA/xtc/faux2023magic.xtc" | rdfhist -e cpu -r 9 -b 90 | counts >"$T/got"
    [[ $(wc -l <"$T/expected") == 90 ]]
    same "$T/expected" "$T/got"
}
