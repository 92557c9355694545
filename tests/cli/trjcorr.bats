#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2030,SC2031
# Correlations between frames: values of numpy, cells that change, gaps, marks of what is not supported, and what is
# rejected.
load helper
load correlations

# frame TIME X Y: prints a frame of one atom
frame() {
    printf '1\nProperties=species:S:1:pos:R:3 time=%d time_unit=ps\nA %d %d 0\n' "$@"
}

# walk FRAMES: prints one atom that moves by 1, 0 and 0 in each frame, as XYZ without a cell
walk() {
    local t
    for ((t = 0; t < $1; t++)); do frame "$t" "$t" 0; done
}

@test "msd of water molecules, also about the centre of all, and D: as numpy, and as gmx msd" {
    need_observables
    water nvt.xtc --carry mass --whole --unwrap fraction |
        trjcorr 'msd(all, of=molecule)' 'msd(all, molecule, all)' --fit 10:50 --viscosity 0.729 --temperature 298.15 \
            >"$T/msd.tsv" 2>"$T/err"
    column 'msd.total(all, of=molecule)' <"$T/msd.tsv" | as_reference spce-nvt-msd msd 1e-4 0
    column 'msd.total(all, molecule, all)' <"$T/msd.tsv" | as_reference spce-nvt-msd msd_nocom 1e-4 0
    # The three directions are the whole.
    awk -F '\t' '!/^#/ { d = $4 - $6 - $8 - $10; if (d * d > (1e-7 * $4 + 1e-9) ^ 2) exit 1 }' "$T/msd.tsv"
    near "$(result 'msd(all, of=molecule)' D 3 <"$T/msd.tsv")" 2.36971672 1e-5
    near "$(result 'msd(all, molecule, all)' D 3 <"$T/msd.tsv")" 2.36971531 1e-5
    near "$(result 'msd(all, of=molecule)' intercept 3 <"$T/msd.tsv")" 0.826506056 1e-5
    near "$(result 'msd(all, of=molecule)' D_infinite 3 <"$T/msd.tsv")" 2.82172712 1e-5
    # Four windows of 50 ps are too few for an error, and lags above 20 ps are marked.
    [[ $(result 'msd(all, of=molecule)' D 4 <"$T/msd.tsv") == nan ]]
    has 'too few independent windows for the error of the slope' <"$T/err"
    has '^# few windows: lags above 20 frames' <"$T/msd.tsv"
    column windows <"$T/msd.tsv" | awk '$1 && $2 != int(200 / $1) { exit 1 }'
}

@test "msd in a cell that changes: as the two ways of unwrapping, and within its error of the steps alone" {
    need_observables
    local way name
    for way in toroidal:msd fraction:scaled; do
        name=${way#*:}
        trjcat --unwrap "${way%:*}" "$OBSERVABLES/walk-npt.xyz" | trjcorr 'msd(all)' -l 600 >"$T/msd.tsv" 2>"$T/err"
        column 'msd.total(all)' <"$T/msd.tsv" | as_reference walk-npt-msd "$name" 1e-4 0
    done
    awk -F '\t' '$1 == 1 { exit !(($4 - 1.499) ^ 2 < (2 * $5) ^ 2) }' "$T/msd.tsv"
    has 'the times of the frames are unknown' <"$T/err"
}

@test "velocity autocorrelation of atoms, centres and by mass: as numpy, and as gmx velacc" {
    need_observables
    water nve.trr --carry mass,velocity | trjcorr -l 40 'vacf(name OW)' 'vacf(name HW1 HW2)' 'vacf(all, molecule)' \
        'vacf(all, weights=mass)' >"$T/vacf.tsv"
    column 'vacf.total(name OW)' <"$T/vacf.tsv" | as_reference spce-nve-vacf O 1e-7 1e-5
    column 'vacf.total(name HW1 HW2)' <"$T/vacf.tsv" | as_reference spce-nve-vacf H 1e-7 1e-4
    column 'vacf.total(all, molecule)' <"$T/vacf.tsv" | as_reference spce-nve-vacf com 1e-7 1e-5
    column 'vacf.total(all, weights=mass)' <"$T/vacf.tsv" | as_reference spce-nve-vacf mass 1e-7 1e-5
    # The integral by the trapezoidal rule, divided by 3: 10 of 1e-5 cm^2/s are 1 Angstrom^2/ps.
    awk -F '\t' '!/^#/ { if ($1) sum += (before + $4) / 2 * ($2 - time) / 0.3; before = $4; time = $2
        if ((sum - $6) ^ 2 > (1e-7 * sum) ^ 2) exit 1 }' "$T/vacf.tsv"
    has 'half a step' <"$T/vacf.tsv"
}

@test "spectrum: the cosine transform with its window, as a direct sum" {
    need_observables
    water nve.trr --carry mass,velocity -o "$T/x.trjf"
    trjcorr -i "$T/x.trjf" -l 20 'vacf(all, weights=mass)' | column 'vacf.total(all, weights=mass)' >"$T/c"
    trjcorr -i "$T/x.trjf" -l 20 --spectrum 'vacf(all, weights=mass)' |
        column 'spectrum.vacf.total(all, weights=mass)' >"$T/s"
    awk -F '\t' '
        NR == FNR { c[$1] = $2; n = $1; next }
        {
            pi = atan2(0, -1); j = FNR - 1; s = c[0]
            for (k = 1; k < n; k++) s += 2 * cos(pi * k / 2 / n) ^ 2 * c[k] * cos(pi * j * k / n)
            nu = j / (2 * n * 0.005) / 0.0299792458
            if ((s * 0.005 - $2) ^ 2 > 1e-10 || (nu - $1) ^ 2 > 1e-4) { print nu, s * 0.005, $0; exit 1 }
            rows++
        }
        END { exit rows != 21 }' "$T/c" "$T/s"
}

@test "reorientation of dipoles, O-H and H-H vectors: as numpy; with unwrapped molecules the same" {
    need_observables
    water nvt.xtc --carry name --whole --unwrap toroidal -o "$T/u.trjf"
    water nvt.xtc --carry name -o "$T/x.trjf"
    local dipole='reorient(name OW, name HW1 HW2, of=molecule)' one='reorient(name OW, name HW1)' \
        two='reorient(name OW, name HW2)' across='reorient(name HW1, name HW2)' k
    trjcorr -i "$T/x.trjf" -l 30 "$dipole" "$one" "$two" "$across" >"$T/r.tsv" 2>"$T/err"
    for k in 1 2; do
        sed "s/reorient\.C/&/" "$T/r.tsv" | column "reorient.C$k${dipole#reorient}" |
            as_reference spce-nvt-reorient C${k}_dipole 0 2e-6
        paste <(column "reorient.C$k${one#reorient}" <"$T/r.tsv") <(column "reorient.C$k${two#reorient}" <"$T/r.tsv") |
            awk '{ print $1 "\t" ($2 + $4) / 2 }' | as_reference spce-nvt-reorient C${k}_OH 0 2e-6
        column "reorient.C$k${across#reorient}" <"$T/r.tsv" | as_reference spce-nvt-reorient C${k}_HH 0 2e-6
    done
    diff <(trjcorr -i "$T/u.trjf" -l 30 "$dipole" 2>"$T/err" | rows | cut -f 4 | cut -c 1-7) \
        <(rows <"$T/r.tsv" | cut -f 4 | cut -c 1-7)
    # A time below two intervals of frames depends on them.
    has 'tau is less than two intervals' <"$T/err"
}

@test "survival of waters near a molecule, intermittent and continuous: ratios of sums, as numpy" {
    need_observables
    water nvt.xtc --carry name -o "$T/x.trjf"
    local near='(name OW and not index 0 and within 3.5 of index 0)' lags
    for lags in 25 1000; do
        trjcorr -i "$T/x.trjf" -l $lags "survival$near" >"$T/s.tsv" 2>"$T/err"
        column "survival.intermittent$near" <"$T/s.tsv" | as_reference spce-nvt-residence intermittent_sum 1e-8 0
        column "survival.continuous$near" <"$T/s.tsv" | as_reference spce-nvt-residence continuous_sum 1e-8 0
    done
    has 'depends on the interval between frames' <"$T/s.tsv"
}

@test "lifetimes of hydrogen bonds and contacts, intermittent and continuous: as numpy" {
    need_observables
    water nvt.xtc --carry name,element -o "$T/x.trjf"
    trjcorr -i "$T/x.trjf" -l 60 'hbond_lifetime(all, all, gmx)' 'contact_lifetime(name OW, name OW, 3.5)' \
        >"$T/h.tsv" 2>"$T/err"
    column 'hbond_lifetime.intermittent(all, all, gmx)' <"$T/h.tsv" | as_reference spce-nvt-hblife intermittent 1e-8 0
    column 'hbond_lifetime.continuous(all, all, gmx)' <"$T/h.tsv" | as_reference spce-nvt-hblife continuous 1e-8 0
    # The contacts at lag 1, from those of each frame and of two frames together: a pair of two frames is in both lists.
    water nvt.xtc --carry name -f 0:2 -o "$T/two.trjf"
    trjcorr -i "$T/two.trjf" 'contact_lifetime(name OW, name OW, 3.5)' 2>"$T/err" |
        column 'contact_lifetime.intermittent(name OW, name OW, 3.5)' | tail -1 | cut -f 2 >"$T/got"
    trjcat -t "$OBSERVABLES/spce216.tpr" -f 0:2 -g 'O=name OW' -o "$T/two.xyz" "$OBSERVABLES/spce216-nvt.xtc"
    awk -v edge=18.80381 '
        NF == 1 { frame++; n = 0 }
        NF == 4 { for (k = 2; k <= 4; k++) x[frame, n, k] = $k; n++ }
        function close_at(f, i, j, d, r, k) {
            r = 0
            for (k = 2; k <= 4; k++) {
                d = x[f, i, k] - x[f, j, k]
                d -= edge * int(d / edge + (d < 0 ? -0.5 : 0.5))
                r += d * d
            }
            return r < 3.5 ^ 2
        }
        END {
            for (i = 0; i < n; i++) for (j = 0; j < i; j++)
                if (close_at(1, i, j)) { first++; both += close_at(2, i, j) }
            print both / first
        }' "$T/two.xyz" >"$T/want"
    near "$(<"$T/got")" "$(<"$T/want")" 3e-3
    fails 2 'is no criterion' trjcorr -i "$T/x.trjf" 'hbond_lifetime(all, all, vina)'
    fails 2 'expected a number of Angstrom above 0' trjcorr -i "$T/x.trjf" 'contact_lifetime(all, all, 0)'
}

@test "acf of an observable: as a direct sum over its table, with the mean of all frames" {
    need_observables
    water npt.xtc --carry charge --whole -o "$T/x.trjf"
    trjcorr -i "$T/x.trjf" -l 9 'acf(box_dipole(all))' 'acf(volume)' >"$T/acf.tsv" 2>"$T/err"
    trjstat -i "$T/x.trjf" 'box_dipole(all)' volume | rows | cut -f 3- | awk -F '\t' '
        { for (k = 1; k <= 5; k++) x[NR, k] = $k; for (k = 1; k <= 5; k++) mean[k] += $k }
        END {
            for (lag = 0; lag <= 9; lag++) {
                for (k = 1; k <= 5; k++) s[k] = 0
                for (t = 1; t + lag <= NR; t++)
                    for (k = 1; k <= 5; k++) s[k] += (x[t, k] - mean[k] / NR) * (x[t + lag, k] - mean[k] / NR)
                n = NR - lag
                printf "%.12g\t%.12g\t%.12g\t%.12g\n", (s[1] + s[2] + s[3]) / n, s[2] / n, s[4] / n, s[5] / n
            }
        }' >"$T/want"
    paste "$T/want" <(column 'acf.vector(box_dipole(all))' <"$T/acf.tsv") \
        <(column 'acf.y(box_dipole(all))' <"$T/acf.tsv") <(column 'acf.total(box_dipole(all))' <"$T/acf.tsv") \
        <(column 'acf(volume)' <"$T/acf.tsv") |
        awk -F '\t' '
            { for (k = 1; k <= 4; k++) if (($k - $(4 + 2 * k)) ^ 2 > (1e-6 * $k) ^ 2) { print; exit 1 } }
            END { exit NR != 10 }'
    has $'^# result: acf(volume)\ttau' <"$T/acf.tsv"
}

@test "dielectric constant of water: as numpy, and as gmx dipoles; with its error, running; ions are rejected" {
    need_observables
    water nvt.xtc --carry charge --whole -o "$T/x.trjf"
    trjcorr -i "$T/x.trjf" 'dielectric(all, 298.15)' >"$T/d.tsv" 2>"$T/err"
    near "$(result 'dielectric(all, 298.15)' epsilon 3 <"$T/d.tsv")" 46.2317932 1e-5
    # 200 ps are too short: that of 2 ns is 72.
    near "$(result 'dielectric(all, 298.15)' epsilon 4 <"$T/d.tsv")" 9 6
    [[ $(grep -c '^# running: dielectric' "$T/d.tsv") == 20 ]]
    [[ $(grep '^# running:' "$T/d.tsv" | tail -1) == *$'\t201\t46.2318' ]]
    fails 3 'leave ions out' trjcorr -i "$T/x.trjf" 'dielectric(index 0, 298.15)'
    fails 2 'expected a number of K above 0' trjcorr -i "$T/x.trjf" 'dielectric(all, 0)'
}

# Two waters and an ion, as PSF and XYZ.
salt_water() {
    local t
    cat >"$T/salt.psf" <<'END'
PSF

       1 !NTITLE
 REMARKS two waters and an ion

       7 !NATOM
       1 W    1    HOH  OH2  OT    -0.834000       15.9994           0
       2 W    1    HOH  H1   HT     0.417000        1.0080           0
       3 W    1    HOH  H2   HT     0.417000        1.0080           0
       4 W    2    HOH  OH2  OT    -0.834000       15.9994           0
       5 W    2    HOH  H1   HT     0.417000        1.0080           0
       6 W    2    HOH  H2   HT     0.417000        1.0080           0
       7 I    3    SOD  SOD  SOD    1.000000       22.9898           0

       4 !NBOND: bonds
       1       2       1       3       4       5       4       6

END
    for t in 0 1 2 3 4 5; do
        printf '7\nLattice="12 0 0 0 12 0 0 0 12" Properties=species:S:1:pos:R:3 time=%d time_unit=ps\n' "$t"
        printf '%s %s 1 1\n' O 1 H 1.9 H 0.8 O 5 H "5.$t" H 5.9 Na 8
    done >"$T/salt.xyz"
}

@test "dielectric constant of a system with ions: rejected, also if they are outside of the group" {
    salt_water
    trjcat -t "$T/salt.psf" --carry charge,resname -o "$T/all.trjf" "$T/salt.xyz"
    local group
    for group in all 'resname HOH'; do
        fails 3 'the molecule of atom 6 has the charge 1 e*use acf(box_dipole(GROUP))' \
            trjcorr -i "$T/all.trjf" "dielectric($group, 300)"
    done
    trjcorr -i "$T/all.trjf" 'acf(box_dipole(resname HOH))' >"$T/acf.tsv" 2>"$T/err"
    # A stream without the ion: not known.
    trjcat -t "$T/salt.psf" --carry charge -g 'W=resname HOH' -o "$T/water.trjf" "$T/salt.xyz"
    trjcorr -i "$T/water.trjf" 'dielectric(W, 300)' >"$T/d.tsv" 2>"$T/err"
    has 'the charges of all molecules outside of the group are not known' <"$T/err"
}

@test "vacf that falls within one interval between frames: a note states that D depends on the interval" {
    need_observables
    local step
    for step in 1 8; do
        water nve.trr --carry name,velocity -f "::$step" |
            trjcorr -l 20 --summary 'vacf(name OW)' >"$T/$step" 2>"$T/err$step"
    done
    ! has 'in one interval between frames' <"$T/err1" || return 1
    has 'vacf(name OW), total: the correlation falls to less than half .* in one interval between frames' <"$T/err8"
}

@test "vacf of a run that is shorter than its decay: a note states that the integral is incomplete" {
    need_observables
    water nve.trr --carry mass,velocity | trjcorr --summary 'vacf(all, of=molecule)' >"$T/short" 2>"$T/err"
    has 'vacf(all, of=molecule), total: the correlation has not decayed at the last lag of the integral' <"$T/err"
    # The directions of the current repeat nothing.
    water nve.trr --carry charge,velocity | trjcorr --summary 'conductivity(all, 298)' >"$T/short" 2>"$T/err"
    [ "$(grep -c 'has not decayed' "$T/err")" = 1 ]
}

@test "survival of a group that never changes, as with a distance in nm: a note, and no lifetime" {
    need_observables
    water nvt.xtc --carry name,resid |
        trjcorr --summary 'survival(name OW and within 0.35 of resid 1)' >"$T/s.tsv" 2>"$T/err"
    has 'continuous: no value is below that at lag 0: nothing decays' <"$T/err"
    ! has 'tau\.continuous' <"$T/s.tsv" || return 1
}

@test "a viscosity in Pa s: a note states that the correction for the cell is larger than D, and the units" {
    need_observables
    water nvt.xtc --unwrap fraction -o "$T/u.trjf"
    trjcorr -i "$T/u.trjf" --summary --viscosity 7.3e-4 --temperature 298 'msd(all)' >"$T/d.tsv" 2>"$T/err"
    has 'is larger than D itself; --viscosity is in mPa s, and --temperature in K' <"$T/err"
    trjcorr -i "$T/u.trjf" --summary --viscosity 0.73 --temperature 298 'msd(all)' >"$T/d.tsv" 2>"$T/err"
    ! has 'larger than D' <"$T/err" || return 1
}

@test "functions of other tools and programs, and capital letters: the message names what to use" {
    local pair
    for pair in "MSD:did you mean 'msd'" "hbonds:observable of each frame; use trjstat, .*trjcorr 'acf(hbonds" \
        "rdf:is computed by rdfhist" "velacc:use trjcorr 'vacf(SELECTION)'"; do
        run -2 --separate-stderr trjcorr "${pair%%:*}(all)"
        has "${pair#*:}" <<<"$stderr"
    done
}

@test "rdfplot --pair without a match in a table of trjcorr: the message lists the columns that can be named" {
    need_observables
    water nvt.xtc --unwrap fraction | trjcorr -l 20 'msd(all)' >"$T/m.tsv" 2>"$T/note"
    run -2 --separate-stderr rdfplot -p 'msd(all)' "$T/m.tsv"
    has 'which has msd.total(all), msd.x(all), msd.y(all), msd.z(all)$' <<<"$stderr"
}

@test "conductivity: the collective displacement is that of the dipole moment of the cell, and sigma its slope" {
    need_observables
    water nvt.xtc --carry charge --whole -o "$T/x.trjf"
    water nvt.xtc --carry charge --whole --unwrap toroidal -o "$T/u.trjf"
    trjcorr -i "$T/u.trjf" -l 20 --fit 2:10 'conductivity(all, 298.15)' >"$T/c.tsv" 2>"$T/err"
    trjstat -i "$T/x.trjf" 'box_dipole(all)' | rows | awk -F '\t' '
        { for (k = 1; k <= 3; k++) m[NR, k] = $(k + 2) / 4.80320471 }
        END {
            for (lag = 0; lag <= 20; lag++) {
                sum = 0
                for (t = 1; t + lag <= NR; t++) for (k = 1; k <= 3; k++) sum += (m[t + lag, k] - m[t, k]) ^ 2
                printf "%d\t%.12g\n", lag, sum / (NR - lag)
            }
        }' >"$T/want"
    column 'conductivity.total(all, 298.15)' <"$T/c.tsv" | paste "$T/want" - |
        awk -F '\t' '($2 - $4) ^ 2 > (2e-4 * $2) ^ 2 { print; exit 1 } END { exit NR != 21 }'
    # e^2 Angstrom^2/ps / (6 V k T) in S/m, by least squares
    column 'conductivity.total(all, 298.15)' <"$T/c.tsv" | awk '
        $1 >= 2 && $1 <= 10 { n++; x += $1; y += $2; xx += $1 * $1; xy += $1 * $2 }
        END {
            slope = (xy - x * y / n) / (xx - x * x / n)
            printf "%.9g", slope / 6 / 6648.71074 * 1.602176634e-19 ^ 2 * 1e22 / (1.380649e-23 * 298.15)
        }' >"$T/sigma"
    near "$(result 'conductivity(all, 298.15)' sigma 3 <"$T/c.tsv")" "$(<"$T/sigma")" 1e-5
    fails 3 'has the charge' trjcorr -i "$T/u.trjf" 'conductivity(index 0, 298.15)'
}

@test "frames after a gap are not compared with those before it, and repeated frames begin a new run" {
    local t
    walk 30 >"$T/a.xyz"
    for t in 0 1 2 3 4; do frame $((90 + t)) $((2 * t)) $((3 * t)); done >"$T/b.xyz"
    cat "$T/a.xyz" "$T/b.xyz" >"$T/gap.xyz"
    trjcat "$T/gap.xyz" 2>"$T/note" | trjcorr 'msd(all)' >"$T/msd.tsv" 2>"$T/err"
    has 'frames do not follow the previous frame' <"$T/err"
    # 29 steps of 1 along x and 4 of 2 along x and 3 along y; only the first run has lag 5.
    column 'msd.total(all)' <"$T/msd.tsv" | awk '$1 == 1 && ($2 - (29 + 4 * 13) / 33) ^ 2 > 1e-12 { exit 1 }
        $1 == 5 && ($2 - 25) ^ 2 > 1e-12 { exit 1 }'
    column 'msd.y(all)' <"$T/msd.tsv" | awk '$1 == 1 && ($2 - 4 * 9 / 33) ^ 2 > 1e-12 { exit 1 }
        ($1 == 5 && $2 != 0) || $1 > 29 { exit 1 }'
    column windows <"$T/msd.tsv" | awk '$1 == 2 && $2 != 14 + 2 { exit 1 }'
    trjcat -f 0:1 "$T/a.xyz" >"$T/one.trjf"
    fails 3 'no two of the 1 frames follow each other' trjcorr -i "$T/one.trjf" 'msd(all)'
    for t in 1 2 4 7 11; do frame "$t" 0 0; done >"$T/irregular.xyz"
    trjcat "$T/irregular.xyz" >"$T/irregular.trjf" 2>"$T/note"
    fails 3 'no interval between consecutive frames occurs twice' trjcorr -i "$T/irregular.trjf" 'msd(all)'
}

@test "ballistic motion: the exponent is 2, and a note says that the motion is not diffusive" {
    walk 200 >"$T/a.xyz"
    trjcat "$T/a.xyz" | trjcorr 'msd(all)' >"$T/msd.tsv" 2>"$T/err"
    near "$(result 'msd(all)' exponent 3 <"$T/msd.tsv")" 2 1e-9
    has 'the exponent differs from 1' <"$T/err"
    column 'msd.x(all)' <"$T/msd.tsv" | awk '($2 - $1 ^ 2) ^ 2 > 1e-12 * $1 ^ 4 { exit 1 }'
}

@test "--summary: a row for each result, with the fields of the comments of the whole table" {
    need_observables
    water nvt.xtc --carry mass --whole --unwrap fraction -o "$T/u.trjf"
    water nvt.xtc --carry charge,name --whole -o "$T/x.trjf"
    local input expressions
    for input in u x; do
        expressions=('msd(all, of=molecule)' 'msd(name OW)')
        [[ $input == u ]] || expressions=('dielectric(all, 298.15)' 'reorient(name OW, name HW1)' 'acf(volume)')
        trjcorr -i "$T/$input.trjf" "${expressions[@]}" 2>"$T/notes" >"$T/all.tsv"
        trjcorr -i "$T/$input.trjf" --summary "${expressions[@]}" 2>"$T/err" >"$T/summary.tsv"
        same "$T/notes" "$T/err"
        sed -n 's/^# result: //p' "$T/all.tsv" | tail -n +2 | same - <(rows "$T/summary.tsv")
        has $'^# expression\tquantity\tvalue\terror\tci95\tunit\tfrom\tto$' <"$T/summary.tsv"
        # All other comments are the same, but for those that describe the rows of lags.
        sed 's/ (column windows)$//' "$T/all.tsv" | grep '^#' | grep -v -e trjcorr -e '^# result' -e '^# running' \
            -e '^# columns' -e '^# lag' >"$T/comments"
        grep '^#' "$T/summary.tsv" | grep -v -e trjcorr -e '^# columns' -e '^# expression' | same "$T/comments" -
    done
    has '^# provenance: trjcorr .* --summary' <"$T/summary.tsv"
    fails 2 'leave --summary out' trjcorr -i "$T/x.trjf" --spectrum --summary 'acf(volume)'
}

@test "results that use lags with fewer than ten windows: a note for a correlation time and for a line" {
    need_observables
    water nvt.xtc --carry name -f :60 -o "$T/x.trjf"
    trjcorr -i "$T/x.trjf" --summary 'reorient(name OW, name HW1)' 2>"$T/err" >"$T/r.tsv"
    has 'tau follows from lags that fewer than ten windows support' <"$T/err"
    water nvt.xtc --unwrap toroidal --carry name -f :60 -o "$T/u.trjf"
    trjcorr -i "$T/u.trjf" --summary --fit 1:5 'msd(name OW)' 2>"$T/err" >"$T/r.tsv"
    ! has 'fewer than ten windows support' <"$T/err" || return 1
    trjcorr -i "$T/u.trjf" --summary --fit 1:20 'msd(name OW)' 2>"$T/err" >"$T/r.tsv"
    has 'fitted to lags that fewer than ten windows support' <"$T/err"
}

@test "times are unknown: a note states that there are no integrals" {
    need_observables
    trjcat -o "$T/x.trjf" "$OBSERVABLES/walk-npt.xyz" 2>"$T/note"
    trjcat --unwrap toroidal "$OBSERVABLES/walk-npt.xyz" 2>"$T/note" | trjcorr --summary 'msd(all)' -l 9 \
        >"$T/r.tsv" 2>"$T/err"
    trjcorr -i "$T/x.trjf" --summary 'acf(volume)' -l 9 >>"$T/r.tsv" 2>>"$T/err"
    has 'there is no slope' <"$T/err"
    has 'there are no integrals' <"$T/err"
    [[ -z $(rows "$T/r.tsv") ]]
}

@test "FAQ: each expression that replaces a command of another program runs" {
    need_observables
    local expression options group=(-g 'O=name OW' -g 'W=resname SOL' -g 'L=index 0 to 29' -g 'P=index 30 to 89'
        -g 'N=name OW' -g 'H=name HW1')
    group+=(--carry 'mass,charge,velocity,name,element,resname' --whole)
    water nve.trr -o "$T/x.trjf" "${group[@]}"
    water nve.trr --unwrap fraction -o "$T/u.trjf" "${group[@]}"
    sed -n '/^\.Ss What do I type instead of gmx msd/,/^\.El/ s/^\.It Ql //p' filters/trjfaq.7 | sed 's/\\-/-/g' \
        >"$T/expressions"
    [[ $(wc -l <"$T/expressions") == 15 ]]
    while read -r expression; do
        options=()
        [[ $expression != *' --spectrum' ]] || options=(--spectrum)
        expression=${expression% --spectrum}
        # The names of a protein are those of waters here.
        expression=${expression/name N, name H/N, H}
        expression=${expression/protein/index 0}
        [[ $expression != survival* ]] || expression=${expression/within/not index 0 and within}
        trjcorr -i "$T/$([[ $expression =~ ^(msd|conductivity) ]] && echo u || echo x).trjf" -l 5 "${options[@]}" \
            "$expression" >"$T/table" 2>"$T/err" || { cat "$T/err"; return 1; }
        [[ $(rows "$T/table" | wc -l) == 6 ]]
    done <"$T/expressions"
}

@test "any number of threads and all instruction sets: the same bytes" {
    need_observables
    water nvt.xtc --carry mass --whole --unwrap fraction -f :60 -o "$T/x.trjf"
    trjcorr -i "$T/x.trjf" -j 1 'msd(all)' 2>"$T/err" >"$T/one.tsv"
    trjcorr -i "$T/x.trjf" -j 3 'msd(all)' 2>"$T/err" | same "$T/one.tsv" -
    TRJPIPE_ISA=plain trjcorr -i "$T/x.trjf" 'msd(all)' 2>"$T/err" | same "$T/one.tsv" -
}

@test "what would be wrong is rejected with a remedy" {
    need_observables
    local stream=$T/x.trjf
    water nvt.xtc --carry mass -f :20 -o "$stream"
    fails 3 'those of periodic images*unwrap them: trjcat --unwrap fraction' trjcorr -i "$stream" 'msd(all)'
    fails 3 'the stream contains no velocities; request them: trjcat --carry velocity' trjcorr -i "$stream" 'vacf(all)'
    fails 2 'select fixed ones' trjcorr -i "$stream" 'msd(within 3 of index 0)'
    fails 2 'about=*select fixed ones' trjcorr -i "$stream" 'msd(name OW, about=within 3 of index 0)'
    trjcat --unwrap fraction -f :20 -o "$T/u.trjf" "$OBSERVABLES/spce216-nvt.xtc" 2>"$T/note"
    fails 3 'cog is computed with periodic images' trjcorr -i "$T/u.trjf" 'acf(cog(all))'
    fails 3 'atoms were unwrapped one by one' trjcorr -i "$T/u.trjf" 'reorient(index 0, index 1)'
    fails 3 'the stream does not number molecules' trjcorr -i "$T/u.trjf" 'msd(all, of=molecule)'
    fails 2 'fewer than three lags are in the range 100:200' trjcorr -i "$T/u.trjf" 'msd(all)' --fit 100:200
    fails 2 'the table has all columns' trjcorr -i "$T/u.trjf" 'msd.x(all)'
    fails 2 '--viscosity belongs to msd' trjcorr -i "$stream" 'acf(volume)' --viscosity 1 --temperature 300
    fails 2 '--fit belongs to msd, and to conductivity' trjcorr -i "$stream" 'acf(volume)' --fit 1:9
    # The first frame shows it; there are too few frames for a slope.
    trjcat -P none -f :3 -o "$T/none.trjf" "$OBSERVABLES/spce216-nvt.xtc"
    fails 3 'the frame has no cell*leave --viscosity out' \
        trjcorr -i "$T/none.trjf" 'msd(all)' --viscosity 1 --temperature 300
    water nvt.xtc --centre 'index 0' -f :20 -o "$T/c.trjf"
    fails 3 'each frame was moved by trjcat --centre' trjcorr -i "$T/c.trjf" 'msd(all)'
}

@test "an observable that does not change, and a pair that does not exist, have no correlation time, with a note" {
    local t
    for ((t = 0; t < 30; t++)); do
        printf '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 time=%d time_unit=ps\nA 1 1 1\nA 4 1 1\n' "$t"
    done >"$T/still.xyz"
    trjcat "$T/still.xyz" >"$T/still.trjf"
    trjcorr -i "$T/still.trjf" 'acf(distance(index 0, index 1))' >"$T/r.tsv" 2>"$T/err"
    has 'all frames have the same value' <"$T/err"
    ! has '^# result:.*tau' <"$T/r.tsv" || return 1
    trjcorr -i "$T/still.trjf" 'contact_lifetime(index 0, index 1, 2)' -l 3 2>"$T/err" >"$T/r.tsv"
    has 'no atoms or pairs in any frame' <"$T/err"
}

@test "options and expressions that are invalid are rejected before the stream is read" {
    fails 2 'an expression is expected' trjcorr -i none
    fails 2 "unknown function 'mds', did you mean 'msd'[?] trjcorr --list" trjcorr -i none 'mds(all)'
    fails 2 'trjcat run.xtc | trjcorr EXPRESSION' trjcorr run.xtc
    fails 2 'requires --temperature' trjcorr -i none 'msd(all)' --viscosity 1
    fails 2 'expected a number of mPa s above 0' trjcorr -i none 'msd(all)' --viscosity 0 --temperature 300
    fails 2 'not a range of lags' trjcorr -i none 'msd(all)' --fit 10
    fails 2 'invalid range' trjcorr -i none 'msd(all)' --fit 50:10
    fails 2 'leave --fit out' trjcorr -i none 'vacf(all)' --fit 1:10 --spectrum
    fails 2 'lags' trjcorr -i none 'msd(all)' --lags 0
    [[ $(trjcorr --list | cut -d '(' -f 1 | tr '\n' ' ') == \
        'msd vacf reorient survival hbond_lifetime contact_lifetime acf dielectric conductivity ' ]]
}

@test "a window that does not fit into memory is rejected with its size" {
    mkdcd --atoms 300000 --frames 2 >"$T/in.dcd"
    trjcat -P none "$T/in.dcd" >"$T/in.trjf"
    fails 3 'need * GiB of memory: this machine has *use fewer lags' trjcorr -i "$T/in.trjf" 'msd(all)' -l 1000000
}
