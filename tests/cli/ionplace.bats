#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ionplace: positions and energies of ions in potentials of known charges, units, numbers of ions, and messages.
load helper

# make_map NAME: writes the potential (e/A) and the frame stream of a charge of -2 e at 10, 10, 10
make_map() {
    echo '10 10 10 -2' | awk -v set='21 1' -f tests/helpers/charges.awk >"$T/$1.dx"
    echo 'ATOM 1 O ALA 1 10 10 10 -2 1.5' >"$T/$1.pqr"
    trjcat -t "$T/$1.pqr" -g P=all --carry charge "$T/$1.pqr" >"$T/$1.trjf" 2>/dev/null
}

# columns TABLE LIST: prints columns of the rows, separated by blanks
columns() {
    rows "$1" | cut -f "$2" | tr '\t' ' '
}

@test "one charge: ions at the nearest points, alternating, with known energies; a PDB file in fixed columns" {
    make_map a
    ionplace -e cpu -u e/A -i SOD:+1:2,CLA:-1:2 -s "$T/a.trjf" --table "$T/t.tsv" "$T/a.dx" >"$T/ions.pdb" 2>"$T/err"
    [[ ! -s $T/err ]]
    printf '%s\n' 'TITLE     ions placed by ionplace' \
        'HETATM    1  SOD SOD I   1      10.000  10.000   5.000  1.00  0.00          NA1+' \
        'HETATM    2  SOD SOD I   2      10.000  10.000  15.000  1.00  0.00          NA1+' \
        'HETATM    3 CLA  CLA I   3      10.000  10.000   0.000  1.00  0.00          CL1-' \
        'HETATM    4 CLA  CLA I   4      10.000  10.000  20.000  1.00  0.00          CL1-' END >"$T/expected"
    same "$T/expected" "$T/ions.pdb"
    # -2/5; -2/5 + 1/10; -2/10 + 1/5 + 1/15; the same - 1/20
    printf '%s\n' '1 SOD 1 10 10 5 -0.4 -0.4 -1' '2 SOD 1 10 10 15 -0.3 -0.3 0' \
        '3 CLA -1 10 10 0 0.06666666667 -0.06666666667 -1' '4 CLA -1 10 10 20 0.01666666667 -0.01666666667 -2' \
        >"$T/expected"
    columns "$T/t.tsv" 1- | same "$T/expected" -
    has '^# provenance: ionplace .* -u e/A' "$T/t.tsv"
    has '^# units: charges e, positions Angstrom, potential e/A, energy e/A times e$' "$T/t.tsv"
}

@test "the PDB file is read by trjcat: names, positions, cell" {
    make_map a
    ionplace -u e/A -P xyz -i SOD:+1:1,Cl-:-1:1,MG:+2:1,K+:+1:1,CLA4:-0.5:1 -s "$T/a.trjf" -o "$T/ions.pdb" "$T/a.dx"
    has -x 'CRYST1   21.000   21.000   21.000  90.00  90.00  90.00 P 1           1' "$T/ions.pdb"
    grep HETATM "$T/ions.pdb" | cut -c 13-22,77-80 | sort >"$T/found"
    printf '%s\n' ' K+   K+ I K1+' ' SOD SOD INA1+' 'CLA4 CLA4ICL  ' 'Cl-  Cl- ICL1-' 'MG    MG IMG2+' |
        sort >"$T/expected"
    same "$T/expected" "$T/found"
    trjcat -g 'S=resname SOD' -g 'M=name MG' "$T/ions.pdb" 2>/dev/null | trjinfo - >"$T/info"
    has -x 'atoms	2' "$T/info"
    has 'groups	S, atoms 1, dynamic no, elements Na 1' "$T/info"
    has 'M, atoms 1, dynamic no, elements Mg 1' "$T/info"
}

@test "two opposite charges: each kind at the outer point of the axis" {
    printf '%s\n' '7 10 10 -1' '13 10 10 1' | awk -v set='21 1' -f tests/helpers/charges.awk >"$T/a.dx"
    printf '2\n\nO 7 10 10\nN 13 10 10\n' >"$T/a.xyz"
    trjcat -g P=all "$T/a.xyz" >"$T/a.trjf" 2>/dev/null
    ionplace -u e/A -i SOD:+1:1,CLA:-1:1 -s "$T/a.trjf" --from-solute 4 --table "$T/t.tsv" "$T/a.dx" >"$T/out"
    printf '%s\n' 'SOD 3 10 10 -0.15' 'CLA 17 10 10 0.2214285714' >"$T/expected"
    columns "$T/t.tsv" 2,4-7 | same "$T/expected" -
}

@test "--neutralise and --conc: the numbers of ions" {
    make_map a
    count() { # NAME OPTION...: prints how many ions have this name
        local name=$1
        shift
        ionplace -u e/A --between 2 --table "$T/t.tsv" "$@" "$T/a.dx" >"$T/out" 2>/dev/null
        rows "$T/t.tsv" | cut -f 2 | grep -cx -- "$name" || true
    }
    [[ $(count SOD -i SOD:+1,CLA:-1 -n -s "$T/a.trjf") == 2 && $(count CLA -i SOD:+1,CLA:-1 -n -s "$T/a.trjf") == 0 ]]
    [[ $(count CLA -i SOD:+1,CLA:-1 -n -q 3) == 3 ]]
    [[ $(count MG -i MG:+2,SOD:+1 -n -q -5) == 2 && $(count SOD -i MG:+2,SOD:+1 -n -q -5) == 1 ]]
    [[ $(count CLA -i MG:+2:3,CLA:-1 -n -s "$T/a.trjf") == 4 ]]
    # 21^3 Å^3 and 1 mol/l: 5.58 pairs
    [[ $(count SOD -i SOD:+1,CLA:-1 -c 1) == 6 && $(count CLA -i SOD:+1,CLA:-1 -c 1) == 6 ]]
    [[ $(count SOD -i SOD:+1,CLA:-1 -c 1 -n -s "$T/a.trjf") == 8 ]]
    [[ $(tail -n 1 "$T/t.tsv" | cut -f 9) == 0 ]]
    [[ $(count CAL -i CAL:+2,CLA:-1 -c 1) == 6 && $(count CLA -i CAL:+2,CLA:-1 -c 1) == 12 ]]
    # The quotient of 0.3 and 0.1 is not an integer in float64.
    [[ $(count A -i A:+0.3,B:-0.1 -c 1) == 6 && $(count B -i A:+0.3,B:-0.1 -c 1) == 18 ]]
    [[ $(count A -i A:+0.1,B:-0.3 -c 1) == 18 && $(count B -i A:+0.1,B:-0.3 -c 1) == 6 ]]
    # A neutral solute needs none.
    ionplace -u e/A -i SOD:+1 -n -q 0 "$T/a.dx" >"$T/out" 2>"$T/err"
    [[ $(<"$T/out") == $'TITLE     ions placed by ionplace\nEND' ]]
    has 'note: the net charge is 0 without ions; no ion is placed' "$T/err"
    # If no ion is placed for another reason, the note does not mention the net charge.
    for options in '-i SOD:+1:0 -q 3' '-i SOD:+1,CLA:-1 -c 1e-9'; do
        # shellcheck disable=SC2086 # words
        ionplace -u e/A $options "$T/a.dx" >"$T/out" 2>"$T/err"
        has -x 'ionplace: note: all numbers of ions are 0; no ion is placed' "$T/err"
    done
}

@test "units and dielectric constants: the same ions and the same energies" {
    make_map a
    # No two points have equal distances, so that rounding cannot exchange them.
    echo '10.13 10.37 9.71 -2' | awk -v set='21 1' -f tests/helpers/charges.awk >"$T/a.dx"
    ionplace -u e/A -i SOD:+1:3,CLA:-1:3 -s "$T/a.trjf" --table "$T/expected.tsv" "$T/a.dx" -o "$T/expected.pdb"
    local unit factor options
    while read -r unit factor options; do
        mapmath "a * $factor" "$T/a.dx" -o "$T/b.dx"
        # shellcheck disable=SC2086
        ionplace -u "$unit" $options -i SOD:+1:3,CLA:-1:3 -s "$T/a.trjf" --table "$T/b.tsv" "$T/b.dx" -o "$T/b.pdb"
        same "$T/expected.pdb" "$T/b.pdb"
        paste <(columns "$T/expected.tsv" 8) <(columns "$T/b.tsv" 8) | awk -v f="$factor" '
            { d = $1 * f - $2; if (d * d > 1e-14 * f * f) { print; bad = 1 } } END { exit bad || NR != 6 }'
    done <<'END'
V 14.39964548
kcal/mol/e 332.0637133
kJ/mol/e 1389.354576
kT/e 557.003156 -T 300
kT/e 7.1296404 -T 300 --dielectric 78.125
e/A 0.0125 --dielectric 80
END
}

@test "the unit of a NumPy file is read from its description, and may not be contradicted" {
    make_map a
    mapconv "$T/a.dx" -o "$T/a.npy" 2>/dev/null
    ionplace -u kcal/mol/e -i SOD:+1:3 -s "$T/a.trjf" -o "$T/expected.pdb" "$T/a.dx"
    sed -i 's/"unit": "[^"]*"/"unit": "kcal mol^-1 e^-1"/' "$T/a.json"
    ionplace -i SOD:+1:3 -s "$T/a.trjf" -o "$T/a.pdb" "$T/a.npy"
    same "$T/expected.pdb" "$T/a.pdb"
    ionplace -u kcal/mol/e -i SOD:+1:3 -s "$T/a.trjf" -o "$T/a.pdb" "$T/a.npy"
    mapconv "$T/a.npy" | ionplace -i SOD:+1:3 -s "$T/a.trjf" --table "$T/t.tsv" >"$T/a.pdb"
    same "$T/expected.pdb" "$T/a.pdb"
    [[ $(grep -c '^# provenance: ' "$T/t.tsv") == 2 ]]
    fails 2 "--units: $T/a.npy states the unit 'kcal mol^-1 e^-1', not 'V'; leave the option out" \
        ionplace -u V -i SOD:+1:3 "$T/a.npy"
    sed -i 's/"unit": "[^"]*"/"unit": "A^-3"/' "$T/a.json"
    fails 3 "$T/a.npy: the unit of the values is 'A^-3', which is not one of a potential" \
        ionplace -i SOD:+1:3 "$T/a.npy"
}

@test "the result does not depend on the number of threads, on lattices of all kinds" {
    awk -v seed=5 'function r() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        BEGIN {
            print "object 1 class gridpositions counts 24 25 26\norigin -3 -2 0"
            print "delta 1.6 0 0\ndelta 0.4 1.5 0\ndelta -0.2 0.1 1.4"
            print "object 2 class gridconnections counts 24 25 26"
            print "object 3 class array type double rank 0 items 15600 data follows"
            for (i = 0; i < 15600; i++) print int(4 * r()) # many equal values
        }' >"$T/skew.dx"
    awk 'BEGIN { print "50\n"; for (i = 0; i < 50; i++) print "C", i * 7 % 31, i * 11 % 29, i * 13 % 37 }' >"$T/a.xyz"
    trjcat -g P=all "$T/a.xyz" >"$T/a.trjf" 2>/dev/null
    local axes threads
    for axes in none xyz xy; do
        for threads in 1 2 4 7; do
            ionplace -j $threads -P $axes -u V -i SOD:+1:20,CLA:-1:20 -s "$T/a.trjf" --between 3 \
                --table "$T/$threads.tsv" "$T/skew.dx" >"$T/$threads.pdb"
            same "$T/1.pdb" "$T/$threads.pdb"
            same <(rows "$T/1.tsv") <(rows "$T/$threads.tsv")
        done
    done
    # Distances are kept.
    rows "$T/1.tsv" | awk '{ x[NR] = $4; y[NR] = $5; z[NR] = $6 }
        END { for (i = 1; i <= NR; i++) for (j = 1; j < i; j++)
            if ((x[i] - x[j]) ^ 2 + (y[i] - y[j]) ^ 2 + (z[i] - z[j]) ^ 2 < 9 * (1 - 1e-8)) bad = 1
            exit bad || NR != 40 }'
}

@test "engines: auto computes small maps on the CPU and reports it; --stats; a missing engine and invalid devices" {
    make_map a
    local -a place=(ionplace -u e/A -i "SOD:+1:2,CLA:-1:2" -s "$T/a.trjf" "$T/a.dx")
    "${place[@]}" -e cpu -j 2 --stats >"$T/cpu.pdb" 2>"$T/err"
    has -E '^ionplace: 4 ions, 9261 points, 1 atoms: [0-9.]+ s in engine cpu, threads 2$' "$T/err"
    "${place[@]}" -j 2 >"$T/auto.pdb" 2>"$T/err"
    same "$T/cpu.pdb" "$T/auto.pdb"
    [[ $(<"$T/err") == 'ionplace: engine cpu, threads 2' ]]
    fails 2 '--devices: engine cpu uses no GPUs; use -e cuda, or leave --devices out' "${place[@]}" -e cpu --devices 0
    fails 2 "--devices: '0,1' lists several GPUs, but one places all ions; give one" "${place[@]}" --devices 0,1
    fails 2 "--devices: invalid list 'x': expected device numbers, as 0,2" "${place[@]}" --devices x
    fails 2 "engine" "${place[@]}" -e abacus
    # Without a GPU, a named engine is an error, and no file is written.
    CUDA_VISIBLE_DEVICES='' fails_cleanly 4 'engine cuda: ' "${place[@]}" -e cuda
}

@test "points with NaN get no ion; notes report them, a missing solute, and a solute that is elsewhere" {
    make_map a
    mapmath --mask 'a > -0.2' a "$T/a.dx" 2>/dev/null |
        ionplace -u e/A -i SOD:+1:1 --table "$T/t.tsv" >"$T/out" 2>"$T/err"
    has 'note: no ion is placed at the [0-9]* points whose value is NaN$' "$T/err"
    has -x 'ionplace: note: without --solute, ions are kept from one another only' "$T/err"
    [[ $(columns "$T/t.tsv" 7 | awk '{ print ($1 > -0.2) }') == 1 ]]
    printf '1\n\nO 90 90 90\n' >"$T/far.xyz"
    trjcat "$T/far.xyz" 2>/dev/null | ionplace -u e/A -i SOD:+1:1 -s - "$T/a.dx" 2>"$T/err" >"$T/out"
    has -F 'note: no point of the map is within 5 Å of the solute; check that both have the same origin' "$T/err"
}

@test "the group and the charge of the solute" {
    printf 'ATOM %d %s ALA 1 %s 1.8\n' 1 N '10 10 10 -2.004' 2 C '3 3 3 0.7' >"$T/a.pqr"
    echo '10 10 10 -2' | awk -v set='21 1' -f tests/helpers/charges.awk >"$T/a.dx"
    trjcat -t "$T/a.pqr" -g N='name N' -g C='name C' --carry charge "$T/a.pqr" >"$T/a.trjf" 2>/dev/null
    ionplace -u e/A -i SOD:+1 -n -s "$T/a.trjf" --of N -o "$T/n.pdb" "$T/a.dx"
    [[ $(grep -c HETATM "$T/n.pdb") == 2 ]]
    fails 3 'the net charge is 0.700000 e, which is not within 0.01 e of an integer' \
        ionplace -u e/A -i SOD:+1 -n -s "$T/a.trjf" --of C "$T/a.dx"
    fails 2 'the stream has 2 groups; *, such as --of N' \
        ionplace -u e/A -i SOD:+1 -n -s "$T/a.trjf" "$T/a.dx"
    fails 2 "the stream has no group 'X'" ionplace -u e/A -i SOD:+1 -n -s "$T/a.trjf" --of X "$T/a.dx"
    trjcat -g N='index 0' "$T/a.pqr" >"$T/b.trjf" 2>/dev/null
    fails 3 'the stream contains no property charge; run trjcat with --carry charge' \
        ionplace -u e/A -i SOD:+1 -n -s "$T/b.trjf" "$T/a.dx"
}

@test "invalid options: status 2 and a remedy" {
    make_map a
    local map=$T/a.dx
    fails 2 '--ions: missing; give a list such as SOD:+1:10,CLA:-1:10' ionplace -u V "$map"
    fails 2 'does not state the unit of its values; give it with --units' ionplace -i SOD:+1:1 "$map"
    fails 2 "--ions: invalid ion 'SODIU:+1:1': the name must have 1 to 4 characters" ionplace -u V -i SODIU:+1:1 "$map"
    fails 2 "--ions: invalid ion 'SOD:1': the charge must be a number with a sign" ionplace -u V -i SOD:1:1 "$map"
    fails 2 '--ions: 99999999 ions of the kind SOD are too many' ionplace -u V -i SOD:+1:99999999 "$map"
    fails 2 '--ions: the number of SOD is missing' ionplace -u V -i SOD:+1 "$map"
    fails 2 '--neutralise: the charge of the solute is not known; add --charge' ionplace -u V -n -i SOD:+1 "$map"
    fails 2 '--neutralise: a charge of +1 e is left, but no ion of a negative charge' \
        ionplace -u V -n -q 1 -i SOD:+1 "$map"
    fails 2 '--conc: a concentration requires two kinds of ions' ionplace -u V -c 1 -i SOD:+1 "$map"
    fails 2 '--temperature: missing; a map in kT/e requires the temperature' ionplace -u kT/e -i SOD:+1:1 "$map"
    fails 2 '--temperature applies to maps in kT/e only' ionplace -u V -T 300 -i SOD:+1:1 "$map"
    fails 2 '--dielectric: invalid value 0: expected a number from 0.001 to 1e+06' \
        ionplace -u V --dielectric 0 -i SOD:+1:1 "$map"
    fails 2 '--between: invalid value -1: expected a number from 0 to 10000' \
        ionplace -u V --between -1 -i SOD:+1:1 "$map"
    fails 2 '--dielectric: invalid value 1e-300: expected' ionplace -u V --dielectric 1e-300 -i SOD:+1:1 "$map"
    fails 2 '--temperature: invalid value 1e-09: expected a number from 0.001' \
        ionplace -u kT/e -T 1e-9 -i SOD:+1:1 "$map"
    fails 2 '--charge: invalid value -1e+07: expected a number from -1e+06 to 1e+06' \
        ionplace -u V -q -1e7 -i SOD:+1:1 "$map"
    fails 2 '--charge: the net charge is 0.500000 e, which is not within 0.01 e of an integer' \
        ionplace -u V -n -q 0.5 -i SOD:+1 "$map"
    fails 2 '--conc: up to 8 ions of charge 1.3 e cannot be neutralised by ions of charge -0.9 e; give the numbers' \
        ionplace -u V -c 1 -i SOD:+1.3,CLA:-0.9 "$map"
    fails 2 '--conc: invalid value -1' ionplace -u V -c -1 -i SOD:+1,CLA:-1 "$map"
    fails 2 '--of applies to the solute only' ionplace -u V --of P -i SOD:+1:1 "$map"
    fails 2 '--solute: standard input is the map' ionplace -u V -s - -i SOD:+1:1
    fails 2 '--table: standard output is for the PDB file' ionplace -u V --table - -i SOD:+1:1 "$map"
    fails 2 "--table and --output have the same name, $T/x" ionplace -u V --table "$T/x" -o "$T/x" -i SOD:+1:1 "$map"
    fails 2 "--table and --output have the same name, $T/./x" \
        ionplace -u V --table "$T/./x" -o "$T/x" -i SOD:+1:1 "$map"
    ln -s . "$T/here"
    fails 2 '--table and --output have the same name' \
        ionplace -u V --table "$T/x.pdb" -o "$T/here/x.pdb" -i SOD:+1:1 "$map"
    fails 2 '--table: empty file name' ionplace -u V --table '' -o "$T/x" -i SOD:+1:1 "$map"
    fails 2 "$T/x.gro: unknown ending '.gro'; use one of .pdb, .ent" ionplace -u V -o "$T/x.gro" -i SOD:+1:1 "$map"
    fails 2 'compressed files are not written' ionplace -u V -o "$T/x.pdb.gz" -i SOD:+1:1 "$map"
}

@test "invalid maps and maps without room: status 3, and no file is written" {
    make_map a
    mapmath --mask 'a > 1000' a "$T/a.dx" >"$T/nan.trjg" 2>/dev/null
    head -c 3000 "$T/a.dx" >"$T/cut.dx"
    mkgrid counts 1 0 1 1 >"$T/two.trjg"
    : >"$T/empty.dx"
    fails_cleanly 3 'all 9261 values are NaN' ionplace -u V -i SOD:+1:1 "$T/nan.trjg"
    fails_cleanly 3 'truncated' ionplace -u V -i SOD:+1:1 "$T/cut.dx"
    fails_cleanly 3 'is empty' ionplace -u V -i SOD:+1:1 "$T/empty.dx"
    fails_cleanly 3 'no point is left for ion 2 of 5 (SOD), at least 30 Å from the other ions; give smaller' \
        ionplace -u V --between 30 -i SOD:+1:5 "$T/a.dx"
    fails_cleanly 3 '100000 ions do not fit on the 9261 points of the map' ionplace -u V -i SOD:+1:100000 "$T/a.dx"
    fails_cleanly 3 'more than four times the length of the periodic axis 0' \
        ionplace -u V -P x --from-solute 100 -i SOD:+1:1 -s "$T/a.trjf" "$T/a.dx"
    # Without a solute, --from-solute has no effect.
    ionplace -u V -P x --from-solute 100 -i SOD:+1:1 -o "$T/x.pdb" "$T/a.dx" 2>"$T/err"
    [[ $(grep -c HETATM "$T/x.pdb") == 1 ]]
    sed 's/^origin.*/origin -20000 0 0/' "$T/a.dx" >"$T/far.dx"
    fails_cleanly 3 'Å is too large for the columns of a PDB file' ionplace -u V -i SOD:+1:1 "$T/far.dx"
    fails_cleanly 3 'not a frame stream' ionplace -u V -i SOD:+1:1 -s "$T/a.dx" "$T/a.dx"
    fails_cleanly 3 'a.trjf' ionplace -u V -i SOD:+1:1 "$T/a.trjf"
    fails_cleanly 3 'contains several maps' ionplace -u V -i SOD:+1:1 "$T/two.trjg"
}

@test "a map of potmap in a pipe: its unit is used, and the energies are those of its values" {
    make_map a
    local unit
    for unit in '' '--units kcal/mol/e' '--units V'; do
        # shellcheck disable=SC2086
        potmap --method direct --soften clip:1 --origin 0,0,0 --dime 21,21,21 --steps 1,1,1 $unit "$T/a.trjf" \
            2>/dev/null >"$T/pot.trjg"
        ionplace -i SOD:+1:2,CLA:-1:2 -s "$T/a.trjf" --table "$T/t.tsv" "$T/pot.trjg" >"$T/ions.pdb"
        [[ $(columns "$T/t.tsv" 2,4-6 | head -n 1) == 'SOD 10 10 5' ]]
        [[ $(grep -c '^# provenance: potmap' "$T/t.tsv") == 1 ]]
        rows "$T/t.tsv" | awk -v unit="$unit" '
            BEGIN { f = unit ~ /V$/ ? 14.39964548 : unit ~ /kcal/ ? 332.0637133 : 1
                e[1] = -0.4; e[2] = -0.3; e[3] = -1 / 15; e[4] = -1 / 60 }
            { d = $8 / f - e[NR]; if (d * d > 1e-8) { print; bad = 1 } } END { exit bad || NR != 4 }'
    done
}

@test "a recipe places ions in a map of another stage" {
    make_map a
    cat >"$T/ions.yaml" <<'END'
trjrun: 1
stages:
  map:  {tool: mapconv, files: a.dx}
  ions: {tool: ionplace, from: map, units: e/A, ions: "SOD:+1,CLA:-1", neutralise: true, solute: a.trjf,
         output: ions.pdb}
END
    trjrun "$T/ions.yaml" 2>"$T/err"
    ionplace -u e/A -i SOD:+1,CLA:-1 -n -s "$T/a.trjf" "$T/a.dx" | same - "$T/ions.pdb"
}
