#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2030,SC2031
# Transport by trjcorr: the conductivity from displacements and from currents, temperatures, and a group that does not
# change.
load helper
load correlations

# ions FRAMES: writes 4 cations and 4 anions, whose velocities are Ornstein-Uhlenbeck processes with the variance
# 6 A^2/ps^2 and the memory exp(-0.1) per frame of 0.05 ps, and whose positions are the integrals of these by the
# trapezoidal rule, as $T/ions.dump and $T/ions.pqr. Only the file of velocities states their charges.
ions() {
    local i
    for i in 1 2 3 4 5 6 7 8; do
        printf 'ATOM %d I ION %d 0 0 0 %d 1\n' $i $i $((i % 2 ? 1 : -1))
    done >"$T/ions.pqr"
    awk -v frames="$1" -v seed=17 '
        function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
        BEGIN {
            dt = 0.05; a = exp(-0.1); width = sqrt(6)
            for (k = 0; k < 24; k++) { v[k] = width * normal(); x[k] = 20 * uniform() }
            for (t = 0; t < frames; t++) {
                printf "ITEM: UNITS\nreal\nITEM: TIME\n%.8g\nITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n8\n", 50 * t, t
                print "ITEM: BOX BOUNDS pp pp pp\n0 20\n0 20\n0 20\nITEM: ATOMS id xu yu zu vx vy vz"
                for (i = 0; i < 8; i++)
                    printf "%d %.8g %.8g %.8g %.8g %.8g %.8g\n", i + 1, x[3 * i], x[3 * i + 1], x[3 * i + 2],
                        v[3 * i] / 1000, v[3 * i + 1] / 1000, v[3 * i + 2] / 1000
                for (k = 0; k < 24; k++) {
                    next_v = a * v[k] + width * sqrt(1 - a * a) * normal()
                    x[k] += dt * (v[k] + next_v) / 2
                    v[k] = next_v
                }
            }
        }' >"$T/ions.dump"
}

@test "several expressions in one command: tables of displacements, survival, velocities and currents" {
    need_observables
    local data=$PWD/$OBSERVABLES
    cd "$T"
    ln -s "$data/spce216.tpr" run.tpr
    ln -s "$data/spce216-nvt.xtc" run.xtc
    ln -s "$data/spce216-nve.trr" run.trr
    trjcat -t run.tpr --unwrap fraction -g O='name OW' run.xtc |
        trjcorr 'msd(O)' 'survival(O)' > correlations.tsv
    trjcat -t run.tpr --carry mass,charge,velocity run.trr |
        trjcorr 'vacf(all)' 'conductivity(all)' --spectrum > spectra.tsv
    # A group that does not change survives.
    awk -F '\t' '!/^#/ && !($12 == 1 && $14 == 1) { exit 1 }' correlations.tsv
    has '^# note: survival(O): the atoms of the group are the same in all frames' <correlations.tsv
    ! has '^# result: survival' <correlations.tsv || return 1
    [[ $(result 'msd(O)' D 3 <correlations.tsv) == 2.3957* ]]
    has '^# conductivity(all): by current (Green and Kubo)' <spectra.tsv
    has '^# note: conductivity(all): the conductivity sigma requires the temperature; add --temperature T' <spectra.tsv
    [[ $(column 'spectrum.conductivity.total(all)' <spectra.tsv | wc -l) == 81 ]]
}

@test "conductivity: by current and by displacement of the same ions, as theory, and as direct sums" {
    ions 8000
    trjcat --carry charge,velocity -t "$T/ions.pqr" "$T/ions.dump" -o "$T/v.trjf" 2>"$T/note"
    trjcat --carry charge,velocity -t "$T/ions.pqr" --unwrap fraction "$T/ions.dump" -o "$T/u.trjf" 2>"$T/note"
    trjcorr -i "$T/v.trjf" --temperature 300 -l 60 'conductivity(all)' >"$T/j.tsv" 2>"$T/err"
    trjcorr -i "$T/u.trjf" --temperature 300 -l 60 --fit 1:3 'conductivity(all)' >"$T/p.tsv" 2>"$T/err"
    has '^# conductivity(all): by current' <"$T/j.tsv"
    has '^# conductivity(all): by displacement' <"$T/p.tsv"
    # The choice of the user.
    trjcorr -i "$T/u.trjf" --temperature 300 -l 60 'conductivity(all, by=current)' 2>"$T/err" | rows |
        cmp - <(rows <"$T/j.tsv")
    # n q^2 D / V k T, where the integral of the memory by the trapezoidal rule is dt/2 (1 + a) / (1 - a)
    awk 'BEGIN {
        a = exp(-0.1); d = 6 * 0.05 / 2 * (1 + a) / (1 - a)
        printf "%.9g", 8 * d / 8000 * 1.602176634e-19 ^ 2 * 1e22 / (1.380649e-23 * 300) }' >"$T/theory"
    local way
    for way in j p; do
        paste <(result 'conductivity(all)' sigma 3 <"$T/$way.tsv") \
            <(result 'conductivity(all)' sigma 5 <"$T/$way.tsv") | awk -v theory="$(<"$T/theory")" -v way=$way '
                { print way, $1, "+-", $2, "theory", theory; exit !($2 < 0.5 * theory && ($1 - theory) ^ 2 < $2 ^ 2) }'
    done
    # Both follow from the same motion: their difference is less than the error of each.
    paste <(result 'conductivity(all)' sigma 3 <"$T/j.tsv") <(result 'conductivity(all)' sigma 3 <"$T/p.tsv") \
        <(result 'conductivity(all)' sigma 4 <"$T/p.tsv") | awk '{ print; exit !(($1 - $2) ^ 2 < $3 ^ 2) }'
    # Direct sums over the file: products of currents, the running integral, and the spectrum.
    awk '
        /^ITEM/ { if (/ATOMS id/) { t++; inside = 1 } else inside = 0; next }
        inside { q = $1 % 2 ? 1000 : -1000; for (k = 0; k < 3; k++) j[t, k] += q * $(5 + k) }
        END {
            scale = 1.602176634e-19 ^ 2 * 1e22 / (1.380649e-23 * 300) / 8000 / 3
            for (lag = 0; lag <= 60; lag++) {
                sum = 0
                for (s = 1; s + lag <= t; s++) for (k = 0; k < 3; k++) sum += j[s, k] * j[s + lag, k]
                now = sum / (t - lag)
                if (lag) sigma += scale * 0.05 * (before + now) / 2
                printf "%d\t%.12g\t%.12g\n", lag, now, sigma
                before = now
            }
        }' "$T/ions.dump" >"$T/want"
    paste "$T/want" <(column 'conductivity.total(all)' <"$T/j.tsv") <(column 'conductivity.sigma(all)' <"$T/j.tsv") |
        awk -F '\t' '{ if (NR == 1) { c = $2 }
            if (($2 - $5) ^ 2 > (1e-6 * c) ^ 2 || ($3 - $7) ^ 2 > 1e-12 * (1 + $3 ^ 2)) { print; exit 1 } }
            END { exit NR != 61 }'
    trjcorr -i "$T/v.trjf" --temperature 300 -l 60 --spectrum 'conductivity(all)' >"$T/s.tsv" 2>"$T/err"
    has 'column total, S/m: the spectrum times the factor of sigma, divided by 2' <"$T/s.tsv"
    awk -F '\t' 'NR == FNR { c[$1] = $2; next }
        {
            pi = atan2(0, -1); j = FNR - 1; s = c[0]
            for (k = 1; k < 60; k++) s += 2 * cos(pi * k / 120) ^ 2 * c[k] * cos(pi * j * k / 60)
            s *= 0.05 * 1.602176634e-19 ^ 2 * 1e22 / (1.380649e-23 * 300) / 8000 / 6
            if ((s - $2) ^ 2 > 1e-10 * (1 + s * s)) { print s, $0; exit 1 }
            rows++
        }
        END { exit rows != 61 }' "$T/want" <(column 'spectrum.conductivity.total(all)' <"$T/s.tsv")
}

@test "conductivity: what the stream lacks is reported with both remedies, and the temperature is optional" {
    ions 60
    trjcat --carry charge -t "$T/ions.pqr" "$T/ions.dump" -o "$T/x.trjf" 2>"$T/note"
    trjcat --carry charge,velocity --unwrap fraction -t "$T/ions.pqr" "$T/ions.dump" -o "$T/u.trjf" 2>"$T/note"
    fails 3 'the stream has no velocities; unwrap them *trjcat --unwrap fraction; or use their current*by=current' \
        trjcorr -i "$T/x.trjf" 'conductivity(all)'
    fails 3 'whose displacement is not known; unwrap them' trjcorr -i "$T/x.trjf" 'conductivity(all, by=displacement)'
    fails 3 'contains no velocities' trjcorr -i "$T/x.trjf" 'conductivity(all, by=current)'
    fails 3 'has the charge 1 e' trjcorr -i "$T/u.trjf" 'conductivity(index 0, by=current)'
    fails 2 "displacements have no spectrum; leave --spectrum out, or use velocities*by=current" \
        trjcorr -i "$T/u.trjf" 'conductivity(all)' --spectrum
    fails 2 '--temperature gives 310 K, but the expression 300 K' \
        trjcorr -i "$T/u.trjf" 'conductivity(all, 300)' --temperature 310
    trjcorr -i "$T/u.trjf" --temperature 25 'conductivity(all)' 2>&1 >"$T/cold.tsv" |
        has '^trjcorr: note: the temperature is 25 K; if it was meant in degrees Celsius, give 298.15$'
    trjcorr -i "$T/u.trjf" 'conductivity(all, 25)' 2>&1 >"$T/cold.tsv" | has '^trjcorr: note: the temperature is 25 K;'
    fails 2 '--temperature belongs to dielectric' trjcorr -i "$T/u.trjf" 'msd(all)' --temperature 310
    trjcorr -i "$T/u.trjf" 'conductivity(all)' >"$T/c.tsv" 2>"$T/err"
    has 'add --temperature T' <"$T/err"
    ! has '^# result: conductivity' <"$T/c.tsv" || return 1
    trjcorr -i "$T/u.trjf" 'conductivity(all, 300)' 2>"$T/err" | rows | cmp - <(rows <"$T/c.tsv")
}

@test "dielectric constant: the temperature is that of the expression or of --temperature" {
    need_observables
    water nvt.xtc --carry charge --whole -o "$T/x.trjf"
    trjcorr -i "$T/x.trjf" 'dielectric(all, 298.15)' >"$T/a.tsv" 2>"$T/err"
    trjcorr -i "$T/x.trjf" 'dielectric(all)' --temperature 298.15 >"$T/b.tsv" 2>"$T/err"
    [[ $(result 'dielectric(all, 298.15)' epsilon 3 <"$T/a.tsv") == $(result 'dielectric(all)' epsilon 3 <"$T/b.tsv") ]]
    trjcorr -i "$T/x.trjf" 'dielectric(all)' >"$T/c.tsv" 2>"$T/err"
    has 'the dielectric constant requires the temperature; add --temperature T' <"$T/err"
    ! result 'dielectric(all)' epsilon 3 <"$T/c.tsv" || return 1
    cmp <(rows <"$T/b.tsv") <(rows <"$T/c.tsv")
}

# moving FRAMES STEP AWK: prints frames of two atoms as a LAMMPS dump; AWK sets x[0..5], v[0..5] in A/ps, and the tilt
# xy of a cube of 10 A, from t in ps
moving() {
    awk -v frames="$1" -v step="$2" '
        BEGIN {
            for (n = 0; n < frames; n++) {
                t = n * step; xy = 0
                '"$3"'
                printf "ITEM: UNITS\nreal\nITEM: TIME\n%.9g\nITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n2\n", 1000 * t, n
                printf "ITEM: BOX BOUNDS xy xz yz pp pp pp\n%.9g %.9g %.9g\n0 10 0\n0 10 0\n",
                    xy < 0 ? xy : 0, 10 + (xy > 0 ? xy : 0), xy
                print "ITEM: ATOMS id x y z vx vy vz"
                for (i = 0; i < 2; i++)
                    printf "%d %.9g %.9g %.9g %.9g %.9g %.9g\n", i + 1, x[3 * i], x[3 * i + 1], x[3 * i + 2],
                        v[3 * i] / 1000, v[3 * i + 1] / 1000, v[3 * i + 2] / 1000
            }
        }'
}

@test "ballistic motion: the velocity autocorrelation is constant, and its spectrum that of the window" {
    moving 200 0.1 'v[0] = 3; v[4] = -4; for (k = 0; k < 6; k++) x[k] = 1 + v[k] * t' >"$T/b.dump"
    trjcat --carry velocity "$T/b.dump" -o "$T/b.trjf"
    trjcorr -i "$T/b.trjf" -l 50 'vacf(all)' >"$T/v.tsv" 2>"$T/err"
    # <v^2> = (9 + 16) / 2 at each lag; D = 10/3 <v^2> t
    column 'vacf.total(all)' <"$T/v.tsv" | awk '($2 - 12.5) ^ 2 > 1e-10 { exit 1 } END { exit NR != 51 }'
    column 'vacf.x(all)' <"$T/v.tsv" | awk '($2 - 4.5) ^ 2 > 1e-10 { exit 1 }'
    column 'vacf.D(all)' <"$T/v.tsv" | awk '($2 - 10 / 3 * 12.5 * 0.1 * $1) ^ 2 > 1e-8 { exit 1 }'
    # The window cos^2 has the integral T / 2, and twice that in the spectrum at 0; it ends at 2 / T.
    trjcorr -i "$T/b.trjf" -l 50 --spectrum 'vacf(all)' 2>"$T/err" | column 'spectrum.vacf.total(all)' >"$T/s"
    awk 'NR == 1 && ($2 - 12.5 * 5) ^ 2 > 1e-8 { exit 1 } NR == 2 && ($2 - 12.5 * 2.5) ^ 2 > 1e-8 { exit 1 }
        NR > 2 && $2 ^ 2 > 1e-8 { exit 1 }' "$T/s"
}

@test "flips of the basis of the cell: displacements and directions are those of the same atoms in one basis" {
    # The cell with xy = 10 has the lattice of that with xy = 0. Positions are wrapped into the cube; the bond has a
    # length of 1.3, and turns.
    local motion='
        x[0] = 2 + 1.7 * t; x[1] = 3 + 0.9 * t; x[2] = 1 - 1.1 * t
        x[3] = x[0] + 1.3 * cos(t); x[4] = x[1] + 1.3 * sin(t); x[5] = x[2]
        for (k = 0; k < 6; k++) while (x[k] >= 10 || x[k] < 0) x[k] += x[k] < 0 ? 10 : -10'
    moving 120 0.2 "$motion" >"$T/one.dump"
    moving 120 0.2 "$motion; xy = int(n / 7) % 3 * 10 - 10" >"$T/flips.dump"
    local name way
    for name in one flips; do
        for way in fraction toroidal; do
            trjcat --unwrap $way "$T/$name.dump" 2>"$T/err" | trjcorr -l 20 'msd(index 0)' 2>"$T/err" |
                column 'msd.total(index 0)' >"$T/$name.$way"
        done
        trjcat "$T/$name.dump" 2>"$T/err" | trjcorr -l 20 'reorient(index 0, index 1)' 2>"$T/err" |
            column 'reorient.C1(index 0, index 1)' >"$T/$name.c1"
    done
    awk '($2 - (1.7 ^ 2 + 0.9 ^ 2 + 1.1 ^ 2) * (0.2 * $1) ^ 2) ^ 2 > 1e-6 { print; exit 1 } END { exit NR != 21 }' \
        "$T/one.fraction"
    awk '($2 - cos(0.2 * $1)) ^ 2 > 1e-9 { print; exit 1 }' "$T/one.c1"
    for way in fraction toroidal; do
        paste "$T/one.fraction" "$T/flips.$way" | awk -v way=$way '($2 - $4) ^ 2 > 1e-6 { print way, $0; exit 1 }'
    done
    paste "$T/one.c1" "$T/flips.c1" | awk '($2 - $4) ^ 2 > 1e-9 { print; exit 1 }'
}

@test "repeated frames and gaps: survival, autocorrelations and velocities compare only frames of one run" {
    # 20 frames, of which frame 9 is repeated, and 15 after a gap of 100 ps: runs of 10, 10 and 15 frames.
    {
        moving 20 1 'v[0] = n; v[5] = 1; for (k = 0; k < 6; k++) x[k] = 2 + n % 3'
        moving 15 1 't = 120 + n; v[0] = 50 - n; v[5] = 1; for (k = 0; k < 6; k++) x[k] = 2 + n % 4'
    } | awk '/^ITEM: UNITS/ { frame++ } { text[frame] = text[frame] $0 "\n" }
        END { for (k = 1; k <= frame; k++) { printf "%s", text[k]; if (k == 10) printf "%s", text[k] } }' >"$T/gap.dump"
    trjcat --carry velocity "$T/gap.dump" -g 'N=x < 3.5' 2>"$T/note" >"$T/gap.trjf"
    trjcorr -i "$T/gap.trjf" -l 4 'vacf(index 0)' 'survival(N)' 'acf(cog.x(all))' >"$T/g.tsv" 2>"$T/err"
    has '# frames: 36 in 3 runs' <"$T/g.tsv"
    has 'frames do not follow the previous frame' <"$T/err"
    awk '
        function value(f) { return f <= 10 ? f - 1 : f <= 21 ? f - 2 : 50 - (f - 22) } # of frames from 1
        function place(f) { return 2 + (f <= 10 ? (f - 1) % 3 : f <= 21 ? (f - 2) % 3 : (f - 22) % 4) }
        function run(f) { return f <= 10 ? 1 : f <= 21 ? 2 : 3 }
        BEGIN {
            for (f = 1; f <= 36; f++) mean += place(f) / 36
            for (lag = 0; lag <= 4; lag++) {
                n = v = p = starts = there = stayed = 0
                for (f = 1; f + lag <= 36; f++) {
                    if (run(f) != run(f + lag)) continue
                    n++; v += value(f) * value(f + lag); p += (place(f) - mean) * (place(f + lag) - mean)
                    if (place(f) >= 3.5) continue
                    starts++; there += place(f + lag) < 3.5
                    all = 1
                    for (k = f; k <= f + lag; k++) all = all && place(k) < 3.5
                    stayed += all
                }
                printf "%.9g %.9g %.9g %.9g\n", v / n, there / starts, stayed / starts, p / n
            }
        }' >"$T/want"
    paste -d ' ' "$T/want" <(column 'vacf.x(index 0)' <"$T/g.tsv" | cut -f 2) \
        <(column 'survival.intermittent(N)' <"$T/g.tsv" | cut -f 2) \
        <(column 'survival.continuous(N)' <"$T/g.tsv" | cut -f 2) \
        <(column 'acf(cog.x(all))' <"$T/g.tsv" | cut -f 2) |
        awk '{ for (k = 1; k <= 4; k++) if (($k - $(k + 4)) ^ 2 > (1e-6 * (1 + $k)) ^ 2) { print; exit 1 } }
            END { exit NR != 5 }'
}
