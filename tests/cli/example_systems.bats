#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The other examples run unchanged, and give the values of physics and of their READMEs.
load helper

setup_file() {
    local system
    for system in ions melting cluster protein protein-study glass membrane-lateral water-map cryo-em paper \
        ion-placement benzene hydrogen-bond water-dynamics cluster-run; do
        # Without gnuplot run.sh writes the tables and fails at the figure.
        run_example "$system"
    done
    ! has 'FFTW *[0-9]' <(potmap --version) || run_example membrane
}

# run_example SYSTEM: writes the files of its run.sh to $BATS_FILE_TMPDIR/SYSTEM
run_example() {
    "examples/$1/run.sh" "$BATS_FILE_TMPDIR/$1" >"$BATS_FILE_TMPDIR/$1.log" 2>&1 || ! command -v gnuplot ||
        { cat "$BATS_FILE_TMPDIR/$1.log"; return 1; }
}

# need_fftw: skips the test if potmap was built without FFTW
need_fftw() {
    has 'FFTW *[0-9]' <(potmap --version) || skip 'built without FFTW'
}

# page_values SYSTEM: prints the numbers in the table of its README
page_values() {
    awk -F '[| ]+' '/^\| .*[0-9]/ { sub(/ (e|kT|kT\/e|Å) \|$/, " |"); print $(NF - 1) }' "examples/$1/README.md"
}

# curve SYSTEM COLUMN [TABLE]: prints r and the column of that name. SYSTEM may be the path of a table instead.
curve() {
    local table=$1
    [[ $1 == *.tsv ]] || table=$1/${3-gr.tsv}
    awk -F '\t' -v name="$2" '/^#/ { sub(/^# /, ""); for (i = 1; i <= NF; i++) if ($i == name) k = i; next }
        { print $1, $k }' \
        "$BATS_FILE_TMPDIR/$table"
}

# peak SYSTEM COLUMN FROM TO: prints the position and the height of the highest value between FROM and TO
peak() {
    curve "$1" "$2" | awk -v from="$3" -v to="$4" '$1 > from && $1 < to && $2 > high { high = $2; r = $1 }
        END { print r, high }'
}

# at SYSTEM COLUMN R: prints the value of the bin that ends at R
at() {
    curve "$1" "$2" | awk -v r="$3" '$1 < r { value = $2 } END { print value }'
}

# within A LOW HIGH: A is between LOW and HIGH
within() {
    awk -v a="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(a != "" && a >= low && a <= high) }' ||
        { echo "$1 is not between $2 and $3"; return 1; }
}

# peak_within SYSTEM COLUMN FROM TO R_LOW R_HIGH LOW HIGH: position and height of the peak are in these ranges
peak_within() {
    local r high
    read -r r high <<<"$(peak "$1" "$2" "$3" "$4")"
    within "$r" "$5" "$6" && within "$high" "$7" "$8"
}

# flat SYSTEM COLUMN FROM BY: beyond FROM the curve differs from 1 by at most BY
flat() {
    curve "$1" "$2" | awk -v from="$3" -v by="$4" '$1 > from { n++; if ($2 < 1 - by || $2 > 1 + by) { print
        bad = 1 } } END { exit bad || n < 10 }'
}

@test "every example: has a README and a run.sh, whose default folder is out" {
    local system
    for system in examples/*/; do
        # library and python have tests of their own.
        [[ $system == examples/@(library|python)/ ]] && continue
        grep -q '^\*\*What ' "$system/README.md"
        [[ $(du -sk --exclude=out "$system" | cut -f 1) -lt 2000 ]]
        # simulation only documents how the trajectories were made.
        [[ -x $system/run.sh || $system == examples/simulation/ ]]
    done
    need gnuplot
    mkdir -p "$T/copy"
    cp -r examples/cluster "$T/copy"
    (cd / && "$T/copy/cluster/run.sh" >"$T/printed" 2>/dev/null)
    same "$T/printed" <(printf "$T/copy/cluster/out/%s\n" counts.tsv gr.tsv counts.svg)
    same <(rows "$T/copy/cluster/out/counts.tsv") <(rows "$BATS_FILE_TMPDIR/cluster/counts.tsv")
}

@test "every example: the figure has its curve names" {
    need gnuplot
    local expected
    while read -r expected; do
        grep -q ">${expected#* }<" "$BATS_FILE_TMPDIR/${expected%% *}" || { echo "$expected"; return 1; }
    done <<'END'
ions/gr.svg Na:O
ions/gr.svg Cl:O
ions/gr.svg Cl:H
ions/gr.svg Na:Cl
melting/gr.svg cold:cold
melting/gr.svg warm:warm
melting/gr.svg melted:melted
cluster/counts.svg all:all
protein/gr.svg hydrophobic:solvent
protein/gr.svg polar:solvent
protein/gr.svg solvent:solvent
glass/glass.svg t12
glass/glass.svg t45
membrane-lateral/membrane.svg H@z1:H@z2
water-map/map.svg density of solvent, relative
cryo-em/cc.svg P
cryo-em/timeline.svg HYD15
paper/figure.svg (a) water
paper/figure.svg O-H
paper/figure.svg (b) NaCl in water
paper/figure.svg Na-Cl
paper/figure.svg (c) argon
paper/figure.svg liquid
paper/figure.svg (d) 55 atoms of argon
benzene/orbitals.svg positive
benzene/orbitals.svg electron density
hydrogen-bond/weak.svg hydrogen bonds
hydrogen-bond/weak.svg middle of the ring
water-dynamics/msd.svg MSD / Å²
water-dynamics/spectrum.svg element O
water-dynamics/bonds.svg intermittent
protein-study/panels.svg (a) secondary structure
protein-study/panels.svg residues in an α helix
protein-study/panels.svg (i) mean dipole moment
END
}

@test "ions: the density is that of 2.2 mol/kg NaCl" {
    grep -qx '# frames: 64 in 8 records' "$BATS_FILE_TMPDIR/ions/gr.tsv"
    # 2.2 mol/kg NaCl at 298 K has 1.08 g/cm3; SPC/E with these ions is within 2 %.
    awk '/^# volume: mean/ { exit !((d = (200 * 18.01528 + 8 * 58.443) * 1.66053907 / $4) > 1.06 && d < 1.11) }' \
        "$BATS_FILE_TMPDIR/ions/gr.tsv"
}

@test "ions: Na and Cl have their known shells of water" {
    peak_within ions 'g(Na:O)' 0 9 2.3 2.45 7 9
    peak_within ions 'g(Cl:O)' 0 9 3.05 3.25 3.8 4.8
    peak_within ions 'g(Cl:H)' 0 9 2.1 2.25 3.5 4.5
    # There are six waters around sodium, and about seven around chloride, each with one hydrogen towards it.
    within "$(at ions 'n(Na:O)' 3.2)" 5.6 6.1
    within "$(at ions 'n(Cl:O)' 3.8)" 6.7 7.4
    within "$(at ions 'n(Cl:H)' 3.0)" 6.7 7.4
    flat ions 'g(Na:O)' 7 0.1
    flat ions 'g(Cl:O)' 7 0.1
}

@test "ions: sodium and chloride have a water between them, and larger errors" {
    peak_within ions 'g(Na:Cl)' 0 9 4.7 5.3 2.5 4
    within "$(at ions 'n(Na:Cl)' 3.5)" 0 0.05
    # Fewer pairs, larger errors.
    within "$(at ions 'se(Na:Cl)' 5)" 0.2 0.7
    within "$(at ions 'se(Na:O)' 5)" 0.005 0.1
}

@test "melting: the cold part has the shells of a face-centred cubic crystal" {
    local volume a
    volume=$(awk '/^# volume: mean/ { print $4 }' "$BATS_FILE_TMPDIR/melting/cold.tsv")
    a=$(awk -v v="$volume" 'BEGIN { print (v / 64)^(1 / 3) }')
    within "$a" 5.2 5.4
    # 12, 6 and 24 neighbours are at a/sqrt(2), a and a sqrt(3/2).
    within "$(awk -v r="$(peak melting/cold.tsv 'g(cold:cold)' 0 12)" \
        -v a="$a" 'BEGIN { split(r, p); print p[1] / a * sqrt(2) }')" 0.98 1.01
    within "$(awk -v r="$(peak melting/cold.tsv 'g(cold:cold)' 4.5 6)" \
        -v a="$a" 'BEGIN { split(r, p); print p[1] / a }')" 0.98 1.02
    within "$(awk -v r="$(peak melting/cold.tsv 'g(cold:cold)' 6 7)" \
        -v a="$a" 'BEGIN { split(r, p); print p[1] / a / sqrt(1.5) }')" 0.98 1.02
    [[ $(at melting/cold.tsv 'n(cold:cold)' 4.6) == 12 ]]
    within "$(at melting/cold.tsv 'n(cold:cold)' 5.9)" 17.98 18.02
    within "$(at melting/cold.tsv 'n(cold:cold)' 7.0)" 41.8 42.2
}

@test "melting: the peaks become low and wide, and the liquid has no second shell of the crystal" {
    peak_within melting/cold.tsv 'g(cold:cold)' 0 12 3.65 3.8 6.5 8
    peak_within melting/warm.tsv 'g(warm:warm)' 0 12 3.65 3.85 3.6 4.4
    peak_within melting/melted.tsv 'g(melted:melted)' 0 12 3.6 3.9 2.1 2.7
    within "$(at melting/cold.tsv 'g(cold:cold)' 4.6)" 0 0.01
    within "$(at melting/warm.tsv 'g(warm:warm)' 4.7)" 0.1 0.3
    within "$(at melting/melted.tsv 'g(melted:melted)' 4.6)" 0.8 1.2
    # The liquid has its first minimum at the second shell of the crystal.
    within "$(at melting/melted.tsv 'g(melted:melted)' 5.3)" 0.6 0.85
    flat melting/melted.tsv 'g(melted:melted)' 9.5 0.1
}

@test "melting: the volume increases suddenly at the melting point, and not before" {
    local volumes
    volumes=$(for start in {0..152..8}; do
        trjcat -f "$start:$((start + 8))" examples/melting/argon.dcd | rdfhist -e cpu -b 1 -r 1 2>/dev/null |
            rdfnorm | awk '/^# volume/ { print $4 }'
    done)
    awk '{ v[8 * (NR - 1)] = $1 }
        END { for (t = 8; t < 112; t += 8) if (v[t] / v[t - 8] > 1.025) { print t; bad = 1 }
              print v[120] / v[104]; exit bad || NR != 20 || !(v[120] / v[104] > 1.15 && v[120] / v[104] < 1.3) }' \
                  <<<"$volumes"
}

@test "cluster: without a cell g(r) is rejected, and the counts contain every pair" {
    fails 3 'no volume' rdfnorm "$BATS_FILE_TMPDIR/cluster/cluster.rdfh"
    curve cluster 'count(all:all)' counts.tsv | awk '{ n += $2 } END { exit n != 400 * 55 * 54 / 2 }'
    curve cluster 'count(centre:inner)' counts.tsv | awk '{ n += $2 } END { exit n != 400 * 12 }'
    curve cluster 'count(centre:surface)' counts.tsv | awk '{ n += $2 } END { exit n != 400 * 42 }'
    run ! grep -q '^# volume: mean' "$BATS_FILE_TMPDIR/cluster/counts.tsv"
    grep -qx '# norm: density, with a volume of 2060 Angstrom^3' "$BATS_FILE_TMPDIR/cluster/gr.tsv"
}

@test "cluster: n(r) has the whole numbers of an icosahedron" {
    [[ $(at cluster 'n(centre:inner)' 4.2) == 12 && $(at cluster 'n(centre:inner)' 16) == 12 ]]
    [[ $(at cluster 'n(inner:inner)' 4.7) == 5 && $(at cluster 'n(inner:inner)' 8.5) == 11 ]]
    within "$(at cluster 'n(inner:inner)' 6.8)" 9.99 10.01
    within "$(at cluster 'n(centre:surface)' 6.9)" 29.9 30.1
    [[ $(at cluster 'n(centre:surface)' 16) == 42 && $(at cluster 'n(all:all)' 16) == 54 ]]
    # The distance from the centre to the shell is 5 % smaller than that between neighbours in the shell:
    # sin(2 pi / 5) = 0.951.
    curve cluster 'count(centre:inner)' counts.tsv |
        awk '{ n += $2; r += $2 * ($1 + 0.05) } END { print r / n; exit !(r / n > 3.6 && r / n < 3.7) }'
    curve cluster 'count(inner:inner)' counts.tsv |
        awk '$1 < 4.7 { n += $2; r += $2 * ($1 + 0.05) } END { print r / n; exit !(r / n > 3.8 && r / n < 3.9) }'
}

@test "protein: solvent, polar and hydrophobic residues have different shells of solvent" {
    awk '/^# volume: mean/ { d = $4 - 122 * 648; exit !(d < 0.1 && d > -0.1) }' "$BATS_FILE_TMPDIR/protein/gr.tsv"
    peak_within protein 'g(solvent:solvent)' 0 18 5 5.2 2.8 3.2
    peak_within protein 'g(polar:solvent)' 0 7 5 5.4 1.6 1.9
    peak_within protein 'g(hydrophobic:solvent)' 0 7 4.5 5.2 0.7 1
    within "$(at protein 'n(polar:solvent)' 7)" 7 8
    within "$(at protein 'n(hydrophobic:solvent)' 7)" 4.7 5.7
    within "$(at protein 'n(solvent:solvent)' 7)" 11 12.2
    flat protein 'g(solvent:solvent)' 14.6 0.08
    flat protein 'g(polar:solvent)' 14.6 0.08
    flat protein 'g(hydrophobic:solvent)' 14.6 0.08
}

@test "protein: beyond half the cell all images are counted, and g(r) remains 1" {
    trjcat -t examples/protein/protein.pdb -g 'W=resname SOL' -f ::14 examples/protein/protein.dcd |
        rdfhist -e cpu -r 40 -b 40 2>/dev/null | rdfnorm >"$T/far.tsv"
    rows "$T/far.tsv" | awk '$1 > 25 { n++; if ($2 < 0.98 || $2 > 1.02) { print; bad = 1 } }
        END { exit bad || n != 15 }'
}

# The nearest images in a triclinic cell in awk, on the bytes of the file, so that no code of trjpipe is used for the
# expected value.
@test "protein: solvent within 6 Angstrom of the chain equals a count by od and awk" {
    local dcd=examples/protein/protein.dcd atoms=648 frames=56 bytes at frame pairs
    bytes=$((8 + 48 + 3 * (8 + 4 * atoms)))
    for frame in 0 55; do
        at=$(($(stat -L -c %s "$dcd") - (frames - frame) * bytes + 4))
        pairs=$({
            od -An -v -w48 -t f8 -j "$at" -N 48 "$dcd"
            for axis in 0 1 2; do
                od -An -v -w4 -t f4 -j $((at + 48 + 4 + 4 + axis * (8 + 4 * atoms))) -N $((4 * atoms)) "$dcd"
            done
        } | awk -v atoms="$atoms" '
            function cosine(degrees) { return cos(degrees * atan2(0, -1) / 180) }
            # A, gamma, B, beta, alpha, C
            NR == 1 {
                ax = $1; bx = $3 * cosine($2); by = sqrt($3 * $3 - bx * bx); cx = $6 * cosine($4)
                cy = ($3 * $6 * cosine($5) - bx * cx) / by; cz = sqrt($6 * $6 - cx * cx - cy * cy)
                next
            }
            { k = NR - 2; x[int(k / atoms), k % atoms] = $1 }
            END {
                for (i = 0; i < 20; i++) for (j = 20; j < atoms; j++) {
                    dx = x[0, j] - x[0, i]; dy = x[1, j] - x[1, i]; dz = x[2, j] - x[2, i]
                    m = sprintf("%.0f", dz / cz); dx -= m * cx; dy -= m * cy; dz -= m * cz
                    m = sprintf("%.0f", dy / by); dx -= m * bx; dy -= m * by
                    m = sprintf("%.0f", dx / ax); dx -= m * ax
                    for (a = -1; a <= 1; a++) for (b = -1; b <= 1; b++) for (c = -1; c <= 1; c++) {
                        u = dx + a * ax + b * bx + c * cx; v = dy + b * by + c * cy; w = dz + c * cz
                        n += u * u + v * v + w * w < 36
                    }
                }
                print n
            }')
        [[ $pairs -gt 50 && $pairs \
            == "$(trjcat -f "$frame" -g 'chain=index 0 to 19' -g 'solvent=index 20 to 647' "$dcd" |
            rdfhist -e cpu -p chain:solvent -b 1 -r 6 2>/dev/null | counts)" ]]
    done
}

@test "paper: steps whose input has not changed are not repeated" {
    need gnuplot
    local out=$T/examples/paper/out
    mkdir -p "$T/examples"
    cp -rp examples/{water,ions,melting,cluster,paper} "$T/examples"
    remake() {
        MAKEFLAGS='' make -C "$T/examples/paper" 2>/dev/null | grep -oE '(rdfhist|rdfnorm) [^|]*-o [^ ]*|^gnuplot' |
            sed 's/ .*-o out\// /' | tr '\n' ' '
    }
    # Sets the time of every file back by an hour, so that a file that is written or touched now is newer.
    age() {
        find "$T/examples" -type f -exec touch -d '1 hour ago' {} +
    }
    [[ $(remake | wc -w) == 21 ]]
    cmp "$out/figure.svg" "$BATS_FILE_TMPDIR/paper/figure.svg"
    age
    [[ -z $(remake) ]]
    touch "$T/examples/paper/figure.gp"
    [[ $(remake) == 'gnuplot ' ]]
    age
    rm "$out/ions.tsv"
    [[ $(remake) == 'rdfnorm ions.tsv gnuplot ' ]]
    age
    touch "$T/examples/water/water.dcd"
    [[ $(remake) == 'rdfhist water.rdfh rdfnorm water.tsv gnuplot ' ]]
}

@test "paper: a step that fails leaves neither its own file nor a figure" {
    mkdir -p "$T/examples"
    cp -rp examples/{water,ions,melting,cluster,paper} "$T/examples"
    head -c 100000 examples/ions/ions.dcd >"$T/examples/ions/ions.dcd"
    MAKEFLAGS='' run ! make -k -C "$T/examples/paper"
    [[ $output == *'trjcat: ../ions/ions.dcd: '* ]]
    [[ ! -e $T/examples/paper/out/ions.rdfh && ! -e $T/examples/paper/out/figure.svg &&
        -s $T/examples/paper/out/water.tsv ]]
}

@test "glass: distances and coordination numbers are those of the published table, and of its README" {
    rows "$BATS_FILE_TMPDIR/glass/compared.tsv" >"$T/compared"
    awk -F '\t' '{ print; n++; if ($4 < 0.95 * $2 || $4 > 1.05 * $2) bad = 1 } END { exit bad || n != 6 }' "$T/compared"
    awk -F '[| ]+' '/^\| .*[0-9]/ { sub(/ (Å|1\/Å) \|$/, " |"); print $(NF - 1) }' examples/glass/README.md >"$T/page"
    same "$T/page" <(cut -f 4 "$T/compared")
}

@test "glass: the area of the peak of Si-O is the coordination number for large qmax only" {
    local folder=$BATS_FILE_TMPDIR/glass
    within "$(awk '$1 == 45 { print $2 }' "$folder/areas.tsv")" 3.95 4.05
    within "$(awk '$1 == 12 { print $2 - 4 }' "$folder/areas.tsv")" 0.3 0.9
}

@test "glass: the file for PDFgui is the table, and S(q) read from a file has the same peak" {
    local folder=$BATS_FILE_TMPDIR/glass
    same <(rows "$folder/silica.gr" | cut -d ' ' -f 1,2) <(rows "$folder/xray.tsv" | cut -f 1,2 | tr '\t' ' ')
    within "$(peak glass/measured.tsv 'pdf(xray)' 1.3 1.9 | cut -d ' ' -f 1)" 1.58 1.66
}

@test "membrane-lateral: a liquid within a leaflet, no correlation between leaflets, upright lipids, as in its README" {
    local folder=$BATS_FILE_TMPDIR/membrane-lateral first all share
    first=$(peak membrane-lateral/leaflet.tsv 'g(H:H)' 0 3)
    all=$(peak membrane-lateral/all.tsv 'g(H:H)' 0 3)
    share=$(rows "$folder/tilt.tsv" | awk '$1 > 0.8 || $1 < -0.8 { s += $3 } END { printf "%.2f", s }')
    printf '%.3f\n' "${first% *}" >"$T/values"
    printf '%.2f\n' "${first#* }" "${all#* }" "$share" >>"$T/values"
    same "$T/values" <(awk -F '[| ]+' '/^\| .*[0-9]/ { sub(/ σ \|$/, " |"); print $(NF - 1) }' \
        examples/membrane-lateral/README.md)
    curve membrane-lateral/opposite.tsv 'g(H@z1:H@z2)' |
        awk '$1 > 0.5 { n++; s += $2; if ($2 < 0.95 || $2 > 1.05) bad = 1 }
        END { exit bad || s / n < 0.99 || s / n > 1.01 }'
    # The curve tends to 1 although the density along z has two peaks.
    curve membrane-lateral/leaflet.tsv 'g(H:H)' |
        awk '$1 > 4 { n++; s += $2 } END { exit s / n < 0.98 || s / n > 1.02 }'
}

@test "water-map: the whole chain is in the map, the solvent is outside of it, as in its README" {
    local folder=$BATS_FILE_TMPDIR/water-map
    integral() { mapinfo "$folder/$1.dx" | awk '$1 == "integral" { print $2 * 0.0082 }'; }
    within "$(integral mol)" 19.999 20.001
    # 30.5^3 Angstrom^3 contain 233 beads.
    within "$(integral sol)" 214 220
    within "$(mapinfo "$folder/sol.dx" | awk '$1 == "min" { print $2 }')" 0.00125 0.00135
    within "$(mapinfo --at 24.4,32.6,19.6 "$folder/sol.dx" | tail -n 1 | cut -f 5)" 0.00125 0.00135
    within "$(mapinfo --at 10,20,30 "$folder/sol.dx" | tail -n 1 | cut -f 5)" 0.7 1.3
}

@test "membrane: the potential is the double integral of the charge density, with the values of its README" {
    need_fftw
    local folder=$BATS_FILE_TMPDIR/membrane
    paste <(rows "$folder/profile.tsv") <(rows "$folder/integral.tsv") |
        awk '{ d = $2 - $5 }
            $1 != $4 || d > 0.0001 || d < -0.0001 || !($3 > 0.005 && $3 < 0.04) { print; bad = 1 }
            END { exit bad || NR != 80 }'
    {
        sed -n 's/.*start: \(.*\), standard error \(.*\)/\1\n\2/p' "$folder/profile.tsv"
        cut -f 2 "$folder/values.tsv"
    } | same - <(page_values membrane)
    # The error of the map is that of a point, and therefore larger than that of the mean over a plane.
    within "$(mapinfo "$folder/error.npy" | awk '$1 == "min" { print $2 }')" 0.005 0.03
    within "$(mapinfo "$folder/error.npy" | awk '$1 == "max" { print $2 }')" 0.1 0.5
    if command -v gnuplot; then
        grep -q '>Poisson-Boltzmann<' "$folder/potential.svg"
        [[ $(grep -c '<polygon' "$folder/potential.svg") == 1 ]] # the band of the simulation
    fi
}

# Gouy's solution satisfies the differential equation and the boundary condition; the charge is 50 e on 108.35^2 A^2.
@test "membrane: the curve of theory.awk solves the Poisson-Boltzmann equation" {
    need_fftw
    rows "$BATS_FILE_TMPDIR/membrane/theory.tsv" | awk '
        { phi[NR] = $2 }
        END {
            bjerrum = 167100.9469 / 298.15 / 78.54
            # The density of ions in the middle follows from the curvature there; elsewhere it has a Boltzmann factor.
            middle = 2 * (phi[1] - phi[2]) / 4
            for (i = 2; i < 26; i++) {
                curvature = (2 * phi[i] - phi[i - 1] - phi[i + 1]) / 4
                ratio = curvature / (middle * exp(phi[1] - phi[i]))
                if (ratio < 0.98 || ratio > 1.05) { print i, ratio; bad = 1 }
            }
            # Gauss: the field at 50 A is that of the charge of the ions up to there, by the sum of their density.
            for (i = 1; i <= 26; i++) ions += (i == 1 || i == 26 ? 1 : 2) * exp(phi[1] - phi[i]) * middle
            gauss = (phi[25] - phi[27]) / 4 / ions
            print gauss
            exit bad || gauss < 0.97 || gauss > 1.03
        }'
}

@test "membrane: without FFTW, run.sh fails with the remedy" {
    mkdir "$T/bin"
    printf '#!/bin/sh\necho "libraries: zstd 1.5.4, no FFTW"\n' >"$T/bin/potmap"
    chmod +x "$T/bin/potmap"
    PATH=$T/bin:$PATH run -4 examples/membrane/run.sh "$T/out"
    [[ $output == *'requires FFTW, which this build lacks; install it and run make FFTW=yes' ]]
}

@test "ion-placement: charges, numbers and energies of the ions are those of the README, and of a sum in awk" {
    local folder=$BATS_FILE_TMPDIR/ion-placement
    rows "$folder/ions.tsv" >"$T/ions"
    {
        awk '$1 == "ATOM" { q += $(NF - 1) } END { print q }' examples/ion-placement/chain.pqr
        awk '{ n[$2]++ } END { print n["SOD"]; print n["CLA"] }' "$T/ions"
        awk '$2 == "SOD" { if (++n == 1 || n == 10) printf "%.2f\n", $8 }' "$T/ions"
        awk '$2 == "CLA" { printf "%.2f\n", $8; exit }' "$T/ions"
    } | same - <(page_values ion-placement)
    [[ $(tail -n 1 "$T/ions" | cut -f 9) == 0 ]]
    # Each energy is a sum over the charges of the chain and the ions before, in kT: l_B q q / r. Ions are at least 5 A
    # from all of them.
    awk 'FNR == NR { if ($1 == "ATOM") { x[n] = $6; y[n] = $7; z[n] = $8; q[n++] = $9 } next }
        {
            energy = 0
            for (i = 0; i < n; i++) {
                r = sqrt((x[i] - $4)^2 + (y[i] - $5)^2 + (z[i] - $6)^2)
                if (r < 4.999) { print "near", r; bad = 1 }
                energy += 167100.9469 / 298.15 / 78.54 * $3 * q[i] / r
            }
            if ((energy - $8)^2 > 1e-8) { print $1, energy, $8; bad = 1 }
            x[n] = $4; y[n] = $5; z[n] = $6; q[n++] = $3
        }
        END { exit bad || n != 38 }' n=0 examples/ion-placement/chain.pqr "$T/ions"
    [[ $(grep -c '^HETATM' "$folder/ions.pdb") == 18 ]]
    grep -q '</svg>' "$folder/picture.svg"
}

@test "benzene: energies, electrons, levels and numbers of surfaces are those of the README, and of the file" {
    local folder=$BATS_FILE_TMPDIR/benzene file=examples/benzene/benzene.molden
    # The eigenvalues of psi4 in the file, of which 21 have two electrons
    awk -F = '/Ene/ { e = $2 }
        /Occup/ { if ($2 > 1) { if (!n++ || e > homo) homo = e } else if (!m++ || e < lumo) lumo = e }
        END { printf "%.4f\n%.4f\n%d\n", homo, lumo, 2 * n }' "$file" >"$T/values"
    for orbital in homo lumo; do rows "$folder/$orbital.tsv" | awk 'NR == 1 { printf "%.4f\n", $2 }'; done >>"$T/values"
    for orbital in homo lumo; do rows "$folder/$orbital.tsv" | wc -l; done >>"$T/values"
    same "$T/values" <(page_values benzene)
    local script
    for script in benzene/orbitals hydrogen-bond/weak; do
        run -1 env -C "$T" sh "$PWD/examples/$script.sh"
        [[ $output == "${script#*/}.sh: mesh.awk is missing: copy it from examples/gallery to this folder" ]]
    done
    # All parts of an orbital of this symmetry have equal volumes in pairs, and both signs the same level.
    for orbital in homo lumo; do
        rows "$folder/$orbital.tsv" | awk '$2 > 0 { plus += $7; a = $2 } $2 < 0 { minus += $7; b = $2 }
            END { exit !((plus / minus - 1) ^ 2 < 1e-6 && a == -b) }'
    done
    # The square of each orbital has the integral 1, of which 80 % are inside of the level.
    for orbital in homo lumo; do
        mapmath -e 'a * a' "$folder/$orbital.cube" | mapinfo - |
            awk '$1 == "integral" { exit !($2 > 0.999 && $2 < 1.001) }'
        level=$(rows "$folder/$orbital.tsv" | awk 'NR == 1 { print $2 }')
        mapmath -e "if(abs(number(a)) > $level, number(a), 0) ^ 2 / 0.529177210903 ^ 3" "$folder/$orbital.cube" |
            mapinfo - | awk '$1 == "integral" { exit !($2 > 0.799 && $2 < 0.801) }'
    done
}

@test "hydrogen-bond: regions, densities and volumes are those of the README" {
    local folder=$BATS_FILE_TMPDIR/hydrogen-bond
    {
        rows "$folder/weak.tsv" | wc -l
        rows "$folder/line.tsv" | awk '!n++ || $4 < s { s = $4; x = $1; rho = $5 }
            END { printf "%.2f\n%.4f\n", x + 0.414, rho; exit !(s < 0.05) }'
        orbmap examples/hydrogen-bond/dimer.molden --reduced-gradient --points <(echo 0 0 0) 2>"$T/notes" | rows |
            awk '{ printf "%.4f\n", $5; exit !($4 < 1e-6) }'
        rows "$folder/density.tsv" | awk 'NR == 1 { printf "%.2f\n", $7 }'
    } | same - <(page_values hydrogen-bond)
    [[ $(rows "$folder/density.tsv" | wc -l) == 2 ]] # two molecules
    # The two discs are equal, and the third region is in the middle.
    rows "$folder/weak.tsv" | awk '{ v[NR] = $7 } END { exit !((v[1] / v[3] - 1) ^ 2 < 1e-6 && v[2] < v[1] / 2) }'
}

@test "protein-study: one stream gives all tables and maps, which agree with one another and with its README" {
    local folder=$BATS_FILE_TMPDIR/protein-study helix='dssp.H(P)'
    summary() {
        awk -F '\t' -v name="# summary: $1" -v k="$2" '$1 == name { printf "%.2f\n", $k }' "$folder/observables.tsv"
    }
    {
        summary "$helix" 3
        summary "$helix" 4
        summary "$helix" 10
        summary 'hbonds(N, B, gmx)' 3
        curve protein-study/observables.tsv 'dipole.total(P)' | awk 'NR == 1 { printf "%.2f\n", $2 }'
        paste <(curve protein-study/observables.tsv "$helix") <(curve protein-study/observables.tsv 'dipole.total(P)') |
            awk '$2 == 0 { n++; sum += $4 } END { printf "%.2f\n", sum / n }'
    } | same - <(page_values protein-study)
    # The classes of residues add up to the numbers of each class.
    rows "$folder/classes.tsv" | awk -F '\t' '{ n = 0; for (i = 3; i <= NF; i++) n += $i == 1; print n }' |
        same - <(curve protein-study/observables.tsv "$helix" | cut -d ' ' -f 2)
    # The helix of the first frame unfolds, folds, unfolds and folds again.
    curve protein-study/observables.tsv 'native(P)' | awk '
        BEGIN { parts = split("1 50 81 105 151 180 231 245 261 280", limit, " ") }
        { for (i = 1; i <= parts; i += 2) if (NR >= limit[i] && NR <= limit[i + 1]) { n[i]++; sum[i] += $2 } }
        END {
            for (i = 1; i <= parts; i += 2) {
                q = sum[i] / n[i]
                print q
                if (i % 4 == 1 ? q < 0.75 : q > 0.6) bad = 1
            }
            exit bad
        }'
    awk -F '\t' '!/^#/ { n++; if ($6 < 2 || $6 > 6) bad = 1 } END { exit bad || n != 15 }' "$folder/rmsf.tsv"
    [[ $(stat -c %s "$folder/contacts.npy") == $((128 + 4 * 17 * 17)) ]]
    [[ $(stat -c %s "$folder/torsions.npy") == $((128 + 8 * 60 * 60)) ]]
}

@test "protein-study: a residue has eight pixels in the images of classes and contacts, which viewers smooth" {
    need gnuplot
    sed -n "s/.*'data:image.png;base64,\([^']*\)'.*/\1/p" "$BATS_FILE_TMPDIR/protein-study/panels.svg" |
        while read -r image; do
            base64 -d <<<"$image" | od -An -tu1 -j16 -N8 | awk '{ print 256 * $3 + $4, 256 * $7 + $8 }'
        done >"$T/sizes"
    diff "$T/sizes" - <<<$'300 120\n60 60\n136 136'
}

@test "protein-study: labels of axes are on the page" {
    need gnuplot
    local svg=$BATS_FILE_TMPDIR/protein-study/panels.svg
    sed -n 's/.*translate(\([0-9.]*\),[0-9.]*) rotate(270.*/\1/p' "$svg" >"$T/x"
    [[ $(wc -l <"$T/x") == 11 ]]
    awk '$1 < 13 { exit 1 }' "$T/x" # the height of the font
}

@test "water-dynamics: the results and their errors are those of its README, and in the range of water" {
    local folder=$BATS_FILE_TMPDIR/water-dynamics
    # value TABLE QUANTITY FORMAT: the value and its error
    value() {
        awk -F '\t' -v quantity="$2" -v format="$3 ± $3\n" \
            '/^# result: / && $2 == quantity { printf format, $3, $4; exit }' "$folder/$1.tsv"
    }
    {
        value msd D %.2f
        value msd D_infinite %.2f
        value turn tau.C1 %.2f
        value turn tau.C2 %.2f
        value bonds tau.continuous %.2f
        value dipole epsilon %.1f
    } | same - <(awk -F ' *[|] *' '/^\| .*±/ { print $4 }' examples/water-dynamics/README.md | grep -v '^71')
    # The maximum of oxygens below 100/cm, and that of hydrogens between 400 and 700/cm
    awk -F '\t' '/^# wavenumber/ { for (k = 1; k <= NF; k++) {
                if ($k == "spectrum.vacf.total(element O)") o = k
                if ($k == "spectrum.vacf.total(element H)") h = k
            } }
        /^#/ { next }
        $o > most_o { most_o = $o; at_o = $1 }
        $h > most_h { most_h = $h; at_h = $1 }
        END { print at_o, at_h; exit !(at_o > 20 && at_o < 100 && at_h > 400 && at_h < 700) }' "$folder/spectrum.tsv"
}

@test "cluster-run: one run and four segments give the same bytes, and the values of its README" {
    local folder=$BATS_FILE_TMPDIR/cluster-run page=examples/cluster-run/README.md table
    for table in gr.tsv n.tsv; do same <(rows "$folder/once/$table") <(rows "$folder/$table"); done
    [[ $(rows "$folder/gr.tsv" | wc -l) == 90 ]]
    has -x '# frames: 128 in 32 records' "$folder/gr.tsv"
    local parts=("$folder"/water.segments/counts.*.rdfh)
    ((${#parts[@]} == 4))
    local position height
    read -r position height <<<"$(peak cluster-run 'g(O:O)' 2 9)"
    has -F "g(O:O) has its first peak, $(printf %.2f "$height"), at $position Å" "$page"
    curve cluster-run 'n(O:O)' n.tsv | awk '$1 == 3.4 { printf "n(O:O) is %.2f at 3.4 Å\n", $2 }' >"$T/value"
    curve cluster-run 'n(O:H)' n.tsv | awk '$1 == 2.4 { printf "n(O:H) is %.2f at 2.4 Å\n", $2 }' >>"$T/value"
    [[ $(wc -l <"$T/value") == 2 ]]
    while read -r position; do has -F "$position" "$page"; done <"$T/value"
}

# cluster_run: copies the example to $T/cluster-run, and computes its tables in one run, in $T/once
cluster_run() {
    cp -r examples/cluster-run "$T/"
    mkdir "$T/water"
    cp examples/water/water.{dcd,pdb} "$T/water/"
    rm -rf "$T/cluster-run/out" "$T/cluster-run/water.segments" "$T"/cluster-run/*.tsv
    cp -r "$BATS_FILE_TMPDIR/cluster-run/once" "$T/once"
    cd "$T/cluster-run" || return 1
}

once_again() {
    local table
    for table in gr.tsv n.tsv; do same <(rows "$T/once/$table") <(rows "$T/cluster-run/$table"); done
}

# page_commands PAGE: the commands of a page, which are indented
page_commands() {
    sed -n 's/^    \([a-z].*\)/\1/p' "$1"
}

@test "cluster-run: the commands of its pages, and those of the scripts for Nextflow" {
    cluster_run
    local script k
    page_commands README.md | grep -v '^./run.sh' >"$T/commands"
    [[ $(wc -l <"$T/commands") == 4 ]]
    sh -e "$T/commands" 2>"$T/err" || { cat "$T/err" && return 1; }
    once_again
    # The scripts of both processes, with the variables that Nextflow would replace
    rm -rf ./*.tsv water.segments
    # shellcheck disable=SC2016
    awk '/"""/ { on = !on; next } on' main.nf |
        sed "s|\${params.recipe}|$PWD/water.yaml|; s/\$task.cpus/1/; s/\$k/\"\$k\"/" >"$T/scripts"
    [[ $(wc -l <"$T/scripts") == 2 ]]
    for k in 1 2 3 4; do head -n 1 "$T/scripts" | k=$k sh -e 2>"$T/err" || { cat "$T/err" && return 1; }; done
    tail -n 1 "$T/scripts" | sh -e 2>"$T/err" || { cat "$T/err" && return 1; }
    once_again
    [[ $(page_commands slurm.md) == 'trjrun --slurm --submit water.yaml' ]]
    trjrun --slurm water.yaml 2>"$T/err" | bash -n
    need snakemake
    rm -rf ./*.tsv water.segments
    page_commands snakemake.md >"$T/commands"
    [[ $(wc -l <"$T/commands") == 2 ]]
    sh -e "$T/commands" >"$T/log" 2>&1 || { cat "$T/log" && return 1; }
    once_again
}
