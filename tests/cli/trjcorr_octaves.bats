#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Correlations at lags in octaves: the values of all lags where start frames are the same, and what is rejected.
load helper
load correlations

# Compares the values, not the errors, of the rows of two tables with the same lags: the first of LAGS, of a level.
same_values() { # TABLE TABLE FACTOR FIRST LAST: those with FACTOR times the lag in the first table
    awk -F '\t' -v factor="$3" -v first="$4" -v last="$5" '
        /^#/ { next }
        NR == FNR { all[$1] = $0; next }
        $1 >= first && $1 <= last {
            if (!split(all[factor * $1], other, "\t")) { print "no lag " factor * $1; exit bad = 1 }
            for (k = 4; k <= NF; k += 2) {
                d = $k - other[k]; if (d < 0) d = -d; size = $k < 0 ? -$k : $k
                if (d > 3e-8 * size + 1e-12) { print "lag " $1 ": " $k ", not " other[k]; exit bad = 1 }
            }
            rows++
        }
        END { exit bad || rows != last - first + 1 }' "$1" "$2"
}

@test "lags below 2 P: the values of all lags; those of level k: those of each 2^k-th frame" {
    need_observables
    local expressions=('msd(name OW)' 'msd(name HW1, about=all)')
    water nvt.xtc --carry mass --unwrap toroidal -o "$T/u.trjf" 2>"$T/note"
    trjcorr -i "$T/u.trjf" -l 120 --per-octave 8 "${expressions[@]}" >"$T/octaves" 2>"$T/err"
    trjcorr -i "$T/u.trjf" -l 15 "${expressions[@]}" 2>"$T/err" >"$T/all"
    same_values "$T/octaves" "$T/all" 1 0 15
    trjcat -f ::2 "$T/u.trjf" | trjcorr -l 15 "${expressions[@]}" >"$T/two" 2>"$T/err"
    same_values "$T/octaves" "$T/two" 2 8 15
    trjcat -f ::8 "$T/u.trjf" | trjcorr -l 15 "${expressions[@]}" >"$T/eight" 2>"$T/err"
    same_values "$T/octaves" "$T/eight" 8 8 15
    rows "$T/octaves" | cut -f 1 | cmp - <(printf '%d\n' {0..15} {16..30..2} {32..60..4} {64..120..8})
    has '^# octaves: lags of 2^k 8 to 2^k 15 frames compare only frames whose numbers are multiples of 2^k$' \
        <"$T/octaves"
    has '^# few windows: lags above 20 frames' <"$T/octaves"
}

@test "velocities, reorientation, observables, the dielectric constant and the conductivity have lags in octaves" {
    need_observables
    water nve.trr --carry mass,velocity -o "$T/v.trjf" 2>"$T/note"
    trjcorr -i "$T/v.trjf" -l 300 --per-octave 4 'vacf(name OW)' 'vacf(all, weights=mass)' >"$T/octaves" 2>"$T/err"
    trjcorr -i "$T/v.trjf" -l 7 'vacf(name OW)' 'vacf(all, weights=mass)' 2>"$T/err" >"$T/all"
    same_values "$T/octaves" "$T/all" 1 0 7
    # The integral by the trapezoidal rule over lags at different distances, divided by 3.
    awk -F '\t' '!/^#/ { if (NR > 1 && $1) sum += (before + $4) / 2 * ($2 - time) / 0.3; before = $4; time = $2
        if ((sum - $6) ^ 2 > (1e-7 * sum) ^ 2) { print $1, sum, $6; exit 1 } }' "$T/octaves"
    water npt.xtc --carry mass,charge,name --whole -o "$T/x.trjf" 2>"$T/note"
    local all=('reorient(name OW, name HW1 HW2, of=molecule)' 'acf(box_dipole(all))' 'dielectric(all, 298.15)')
    trjcorr -i "$T/x.trjf" -l 100 --per-octave 4 "${all[@]}" >"$T/octaves" 2>"$T/err"
    trjcorr -i "$T/x.trjf" -l 7 "${all[@]}" 2>"$T/err" >"$T/all"
    same_values "$T/octaves" "$T/all" 1 0 7
    [[ $(grep '^# result: .*epsilon' "$T/octaves" | cut -f 3) == "$(grep '^# result: .*epsilon' "$T/all" | cut -f 3)" ]]
    water nvt.xtc --carry charge --whole --unwrap fraction -o "$T/u.trjf" 2>"$T/note"
    trjcorr -i "$T/u.trjf" -l 100 --per-octave 4 --fit 2:10 'conductivity(all, 298.15)' >"$T/octaves" 2>"$T/err"
    trjcorr -i "$T/u.trjf" -l 7 'conductivity(all, 298.15)' 2>"$T/err" >"$T/all"
    same_values "$T/octaves" "$T/all" 1 0 7
    trjcorr -j 1 -i "$T/u.trjf" -l 100 --per-octave 4 --fit 2:10 'conductivity(all, 298.15)' 2>"$T/err" |
        cmp <(grep -v '^# prov' "$T/octaves") <(grep -v '^# prov')
}

@test "frames after a gap are not compared with those before it, at lags of all levels" {
    # 100 frames at 1 ps, which do not move, and 100 after a gap, 50 Angstrom away.
    local t
    for ((t = 0; t < 200; t++)); do
        printf '1\nProperties=species:S:1:pos:R:3 time=%d time_unit=ps\nA %d 0 0\n' $((t < 100 ? t : t + 1000)) \
            $((t < 100 ? 0 : 50))
    done >"$T/gap.xyz"
    trjcat "$T/gap.xyz" 2>"$T/note" | trjcorr -l 150 --per-octave 4 'msd(all)' >"$T/msd" 2>"$T/err"
    rows "$T/msd" | awk -F '\t' '$4 != 0 { exit 1 } { last = $1 } END { exit last != 96 }'
    rows "$T/msd" | awk -F '\t' '$1 == 48 { exit $3 != 4 }'
}

@test "a million lags of 300,000 atoms fit into memory, and the remedy for all lags names the option" {
    mkdcd --atoms 300000 --frames 2 >"$T/in.dcd"
    trjcat -P none "$T/in.dcd" >"$T/in.trjf"
    fails 3 'need * GiB of memory: this machine has *lags in octaves (--per-octave 16)' \
        trjcorr -i "$T/in.trjf" 'msd(all)' -l 1000000
    trjcorr -i "$T/in.trjf" 'msd(all)' -l 1000000 --per-octave 4 2>"$T/err" | rows | grep -c . >"$T/count"
    [[ $(cat "$T/count") == 2 ]]
    # The memory of all expressions counts together.
    local many=() k
    for ((k = 0; k < 3000; k++)); do many+=("msd(index $k to 299999)"); done
    fails 3 'need * for all expressions together: this machine has *in an octave*one run for each expression' \
        trjcorr -i "$T/in.trjf" "${many[@]:0:60}" -l 1000000 --per-octave 256
}

@test "pairs of atoms that do not fit into memory are rejected when their number is known" {
    # The sums of lags need three fifths of the memory; as many pairs are new in each frame as would need the rest.
    local lags atoms
    read -r lags atoms < <(awk -v pages="$(getconf _PHYS_PAGES)" -v page="$(getconf PAGESIZE)" \
        'BEGIN { m = pages * page; printf "%d %d\n", sqrt(0.6 * m / 16), 0.03 * sqrt(m) }')
    awk -v n="$atoms" 'BEGIN { for (t = 0; t < 8; t++) {
        print 2 * n; print "Properties=species:S:1:pos:R:3 time=" t " time_unit=ps"
        for (i = 0; i < 2 * n; i++) print "A", 9 * (i < n ? i : (i + 7 * t) % n), 0, 0 } }' >"$T/x.xyz"
    trjcat "$T/x.xyz" -o "$T/x.trjf" 2>"$T/note"
    fails 3 'need * GiB of memory: this machine has *use fewer lags (--lags), or smaller groups' \
        trjcorr -i "$T/x.trjf" -l "$lags" \
        "contact_lifetime(index 0 to $((atoms - 1)), index $atoms to $((2 * atoms - 1)), 1)"
}

@test "displacements, the volume and the dipole moment of whole molecules share a run of unwrapped positions" {
    need_observables
    water nvt.xtc --carry charge,name --whole -o "$T/x.trjf" 2>"$T/note"
    water nvt.xtc --carry charge,name --whole --unwrap fraction -o "$T/u.trjf" 2>"$T/note"
    trjcorr -i "$T/u.trjf" -l 9 'acf(box_dipole(all))' 'dielectric(all, 298.15)' 'acf(volume)' 'msd(name OW)' \
        >"$T/both" 2>"$T/err"
    trjcorr -i "$T/x.trjf" -l 9 'acf(box_dipole(all))' 'dielectric(all, 298.15)' 'acf(volume)' 2>"$T/err" >"$T/alone"
    # The rounding of positions far away is that of float32.
    paste <(rows "$T/alone") <(rows "$T/both") | awk -F '\t' '{
        for (k = 4; $1 < 10 && k <= NF / 2 - 4; k += 2) {
            d = $k - $(k + (NF - 8) / 2)
            if (d * d > (1e-5 * $k) ^ 2 + 1e-6) { print $1, k, $k, d; exit 1 }
        }
    }'
    fails 3 'cog is computed with periodic images' trjcorr -i "$T/u.trjf" 'msd(name OW)' 'acf(cog(all))'
}

@test "options and functions that lags in octaves do not have are rejected" {
    fails 2 '--spectrum requires all lags*leave --per-octave out' \
        trjcorr -i none 'acf(volume)' --spectrum --per-octave 8
    fails 2 'per-octave' trjcorr -i none 'acf(volume)' --per-octave 3
}
