#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ligmap: free energies of known systems; the bytes do not depend on threads, instruction sets, or the division of the
# frames; standard errors; user files; the commands of the manual; and errors.
load helper

# stream ATOMS FRAMES CELL [OPTION of trjcat...]: writes $T/x.trjf, random atoms with Lennard-Jones parameters
stream() {
    lj_topology "$1"
    mkdcd --atoms "$1" --frames "$2" --cell "$3" |
        trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry charge,sigma,epsilon "${@:4}" - >"$T/x.trjf" 2>/dev/null
}

# Prints the values of a map.
values() {
    mapconv --to npy -o "$T/values.npy" "$@" 2>/dev/null
    tail -c +129 "$T/values.npy" | od -An -v -t f8 -w8
}

# same_values A.npy B.npy POINTS: succeeds if both have this number of values, which agree to 10^-4
same_values() {
    paste <(tail -c +129 "$1" | od -An -v -t f8 -w8) <(tail -c +129 "$2" | od -An -v -t f8 -w8) | awk -v n="$3" '
        { e = $1 - $2; bad += e * e > 1e-8 * $1 * $1 + 1e-18 } END { exit !(NR == n && !bad) }'
}

@test "one argon atom: the integral of 1 - B is twice the second virial coefficient" {
    lj_topology 1
    printf '1\n\nAr 3.3 20.1 7.7\n' >"$T/x.xyz"
    trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon -c 22,22,22 "$T/x.xyz" >"$T/x.trjf" 2>/dev/null
    ligmap -l Ar -r 10 -T 200 -g 0.3 --units factor -o "$T/x.trjg" "$T/x.trjf" 2>/dev/null
    values "$T/x.trjg" | awk '{ sum += 1 - $1; n++ } END {
        h = 0.001
        for (r = h / 2; r < 10; r += h) {
            x = (3.3952 / r)^6
            u = 4 * 116.79 / 200 * (x * x - x)
            b2 += 2 * 3.14159265 * h * r * r * (1 - (u > 700 ? 0 : exp(-u)))
        }
        got = sum * 22^3 / n / 2
        printf "%.3f %.3f\n", got, b2
        exit !(n > 300000 && b2 < -50 && (got - b2)^2 < (0.003 * b2)^2)
    }'
}

@test "NO near one argon atom: the Boltzmann factors are those of one site with the published parameters" {
    lj_topology 1
    printf '1\n\nAr 3 4 5\n' >"$T/x.xyz"
    trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon -c 40,40,40 "$T/x.xyz" >"$T/x.trjf" 2>/dev/null
    ligmap -l NO -T 310 --origin 6,4,5 --points 30,1,1 --steps 0.25,1,1 --units factor -o "$T/x.npy" "$T/x.trjf" \
        2>/dev/null
    tail -c +129 "$T/x.npy" | od -An -v -t f8 -w8 | awk '{
        s = (3.492 + 2 * 1.90549 / 2^(1 / 6)) / 2
        e = sqrt(116.7 * 0.23209 / 1.98720426e-3) / 310
        x = (s / (3 + 0.25 * (NR - 1)))^6
        b = exp(-4 * e * (x * x - x))
        bad += ($1 - b)^2 > 1e-8 * b * b
    } END { exit !(NR == 30 && !bad) }'
}

@test "a box without interactions: the free energy is 0 everywhere" {
    lj_topology 20
    printf 'NONBONDED\nAR 0.0 0.0 1.9\nEND\n' >"$T/lj.par"
    mkdcd --atoms 20 --frames 2 --cell 15,15,15 |
        trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon - >"$T/x.trjf" 2>/dev/null
    ligmap -e cpu -l O2 --no-charges -g 1 --mean -o "$T/x.trjg" "$T/x.trjf" 2>"$T/err"
    [[ $(values "$T/x.trjg" | awk '{ print $1 + 0 }' | sort -u) == 0 && ! -s $T/err ]]
}

@test "a random gas: the chemical potential is that of insertions in float64, in every cell" {
    need_python_module numpy
    local cell
    for cell in 21,21,21 19,23,26 20,21,22,70,80,65 22,22,22,70.53,109.47,70.53 9,30,30; do
        stream 60 2 "$cell"
        ligmap -l Ar -r 10.5 -T 250 -g 2.3 --units factor -o "$T/x.npy" "$T/x.trjf" 2>/dev/null
        run_python tests/helpers/decode_frames.py "$T/x.trjf" >"$T/x.txt"
        run_python tests/helpers/ligand.py "$T/x.txt" "$T/x.npy" 3.3952 116.79 250 10.5
    done
}

@test "threads, instruction sets and the division of the frames: equal bytes" {
    stream 400 4 26,27,28,80,75,100 --precision 0.001
    local ligand isa
    for ligand in CO water 'O2 --no-charges'; do
        # shellcheck disable=SC2086 # words
        TRJPIPE_ISA=plain ligmap -e cpu -l $ligand -r 9 -g 2 -j 1 "$T/x.trjf" >"$T/expected"
        for isa in plain avx2 avx512; do
            # shellcheck disable=SC2086
            TRJPIPE_ISA=$isa ligmap -e cpu -l $ligand -r 9 -g 2 -j 3 "$T/x.trjf" >"$T/found" 2>"$T/err" ||
                grep -q 'not supported by this CPU\|not available in this build' "$T/err" || return 1
            [[ -s $T/err ]] || same "$T/expected" "$T/found"
        done
    done
    mapsum -o "$T/whole.npy" <(ligmap -l CO -r 9 -g 2 "$T/x.trjf") 2>/dev/null
    for part in 1 2; do
        mkdcd --atoms 400 --frames 4 --cell 26,27,28,80,75,100 >"$T/x.dcd"
        trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry charge,sigma,epsilon --precision 0.001 \
            --segment "$part/2" "$T/x.dcd" 2>/dev/null | ligmap -l CO -r 9 -g 2 -o "$T/part$part.trjg"
    done
    mapsum -o "$T/sum.npy" "$T/part2.trjg" "$T/part1.trjg" 2>/dev/null
    cmp "$T/whole.npy" "$T/sum.npy"
}

@test "-e auto: the map of the engine cpu, and a note names the engine; --stats; engines that cannot run" {
    stream 80 3 22,22,22
    ligmap -l O2 -r 9 -g 2 -e cpu "$T/x.trjf" 2>/dev/null | mapsum -o "$T/cpu.npy" 2>/dev/null
    ligmap -l O2 -r 9 -g 2 --stats "$T/x.trjf" 2>"$T/err" | mapsum -o "$T/auto.npy" 2>/dev/null
    cmp "$T/cpu.npy" "$T/auto.npy"
    grep -qE '^ligmap: engine (cpu, threads|cuda, GPUs) [0-9]+$' "$T/err"
    grep -qE '^ligmap: 3 frames of 80 atoms: [0-9.]+ s in engine (cpu|cuda) with [0-9]+ (threads|GPUs)$' "$T/err"
    fails_cleanly 2 '--devices: engine cpu uses no GPUs' ligmap -l O2 -g 2 -e cpu --devices 0 "$T/x.trjf"
    fails_cleanly 2 "--engine: 'reference' is not one of auto, cuda, cpu" ligmap -l O2 -g 2 -e reference "$T/x.trjf"
    CUDA_VISIBLE_DEVICES='' fails_cleanly 4 'cuda' ligmap -l O2 -g 2 -e cuda "$T/x.trjf"
}

@test "--stderr-map: kT times the relative standard error of the factor; --units scale it" {
    stream 40 6 24,24,24
    ligmap -l Xe -r 9 -g 3 --units factor -B 1 --stderr-map "$T/se.npy" -o "$T/b.npy" "$T/x.trjf" 2>/dev/null
    ligmap -l Xe -r 9 -g 3 -B 1 --stderr-map "$T/gse.npy" -o "$T/g.npy" "$T/x.trjf" 2>"$T/err"
    ligmap -l Xe -r 9 -g 3 --units kJ/mol -B 1 --stderr-map "$T/kse.npy" -o "$T/k.npy" "$T/x.trjf" 2>/dev/null
    for name in b se g gse k kse; do tail -c +129 "$T/$name.npy" | od -An -v -t f8 -w8 >"$T/$name.txt"; done
    paste "$T"/{b,se,g,gse,k,kse}.txt | awk '
        function differ(a, b) { return (a - b)^2 > 1e-20 * (1 + b * b) }
        { kt = 300 * 8.31446261815324e-3; n++ }
        $1 == 0 { bad += differ($3, 32 * log(2)) || differ($4, 32 * log(2)); zero++; next }
        { g = -log($1); if (g > 32 * log(2)) g = 32 * log(2)
          bad += differ($3, g) || differ($4, $2 / $1) || differ($5, kt * g) || differ($6, kt * $2 / $1) }
        END { print n, zero, bad + 0; exit !(n == 512 && zero < n / 2 && !bad) }'
}

@test "values without resolution: the ceiling, with a note" {
    stream 500 1 15,15,15
    ligmap -l Xe -r 9 -g 3 --bits 16 --mean -o "$T/x.trjg" "$T/x.trjf" 2>"$T/err"
    grep -qE '^ligmap: note: [0-9]+ values are 11\.0904 kT, the largest free energy that --bits 16 can resolve' "$T/err"
    [[ $(values "$T/x.trjg" | sort -g | tail -n 1) == *11.0903* ]]
}

@test "--ligand-file: the same map as the built-in ligand; --no-charges, comments, and one site" {
    stream 100 2 22,22,22
    cat >"$T/o2.txt" <<'END'
# oxygen
O1 0 0 0.605  3.02 0.09737300867 -0.113

O2 0 0 -0.605 3.02 0.09737300867 -0.113 # the other one
M  0 0 0      0    0             0.226
END
    ligmap -l O2 -r 10 -g 2 --units factor -o "$T/a.npy" "$T/x.trjf" 2>/dev/null
    ligmap --ligand-file "$T/o2.txt" -r 10 -g 2 --units factor -o "$T/b.npy" "$T/x.trjf" 2>/dev/null
    same_values "$T/a.npy" "$T/b.npy" 1331
    printf 'Xe 0 0 0 3.9011 0.45218832\n' >"$T/xe.txt"
    ligmap -n 7 --ligand-file "$T/xe.txt" -r 10 -g 2 -o "$T/a.npy" "$T/x.trjf" 2>/dev/null
    ligmap -l Xe -r 10 -g 2 -o "$T/b.npy" "$T/x.trjf" 2>/dev/null
    same_values "$T/a.npy" "$T/b.npy" 1331
}

@test "--tail: all values change by the factor that the formula of the manual gives; a non-periodic cell: an error" {
    stream 60 1 24,24,24
    ligmap -l Ar -r 9 -g 3 --units factor -o "$T/a.npy" "$T/x.trjf" 2>/dev/null
    ligmap -l Ar -r 9 -g 3 --units factor --tail -o "$T/b.npy" "$T/x.trjf" 2>/dev/null
    for name in a b; do tail -c +129 "$T/$name.npy" | od -An -v -t f8 -w8 >"$T/$name.txt"; done
    paste "$T/a.txt" "$T/b.txt" | awk '{
        s = (3.3952 + 2 * 1.90549 / 2^(1 / 6)) / 2
        e = sqrt(116.79 * 1.987204e-3 * 0.23209) / (300 * 1.987204e-3)
        tail = 16 / 3 * 3.14159265 * 60 / 24^3 * e * s^6 * (s^6 / (3 * 9^9) - 1 / 9^3)
        d = $2 - $1 * exp(-tail)
        bad += d * d > 1e-12 * (1 + $1 * $1); changed += $1 > 0
    } END { exit !(NR == 512 && changed > 100 && !bad) }'
    stream 60 1 24,24,24 -P xy
    fails_cleanly 3 '--tail requires the density of the atoms' ligmap -l Ar --tail --origin 0,0,0 --points 3,3,3 \
        --steps 1,1,1 "$T/x.trjf"
}

@test "--rule geometric: for equal sigma the same as the arithmetic mean, for others not" {
    stream 30 1 20,20,20
    local ligand
    for ligand in Ar Xe; do
        ligmap -l $ligand -r 9 -g 2 "$T/x.trjf" | mapsum -o "$T/a.npy" 2>/dev/null
        ligmap -l $ligand -r 9 -g 2 --rule geometric "$T/x.trjf" | mapsum -o "$T/b.npy" 2>/dev/null
        if [[ $ligand == Ar ]]; then
            same_values "$T/a.npy" "$T/b.npy" 1000
        else
            run ! same_values "$T/a.npy" "$T/b.npy" 1000
        fi
    done
}

@test "commands of the manual: they run, and their maps can be read" {
    lj_topology 200
    mv "$T/lj.psf" "$T/sys.psf"
    mv "$T/lj.par" "$T/par.prm"
    mkdcd --atoms 200 --frames 12 --cell 20,21,22 >"$T/run.dcd"
    awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = 0 } on' filters/ligmap.1 | sed 's/\\-/-/g; s/\\e/\\/g' >"$T/commands"
    (($(wc -l <"$T/commands") > 10))
    (cd "$T" && bash -euo pipefail commands 2>err) || { cat "$T/err"; return 1; }
    local name
    for name in error.dx o2.dx xe.dx n2.mrc; do
        mapinfo "$T/$name" 2>/dev/null | has '^values	' || { echo "$name"; return 1; }
    done
}

@test "--of: atoms outside the group, and non-members of a dynamic group, do not count" {
    stream 60 2 24,24,24 -g 'A=index < 30' -g 'H=z > 12'
    ligmap -l Kr -r 9 -g 3 --of A "$T/x.trjf" | mapsum -o "$T/static.npy" 2>/dev/null
    ligmap -l Kr -r 9 -g 3 --of H "$T/x.trjf" | mapsum -o "$T/dynamic.npy" 2>/dev/null
    fails 2 'group' ligmap -l Kr -g 3 "$T/x.trjf"
    stream 60 2 24,24,24 -g 'A=index < 30'
    ligmap -l Kr -r 9 -g 3 "$T/x.trjf" | mapsum -o "$T/alone.npy" 2>/dev/null
    cmp "$T/static.npy" "$T/alone.npy"
    # Each frame alone: the sums are those of both.
    local frame
    for frame in 0 1; do
        stream 60 2 24,24,24 -f $frame -g 'H=z > 12'
        ligmap -l Kr -r 9 -g 3 -o "$T/part$frame.trjg" "$T/x.trjf"
    done
    mapsum -o "$T/sum.npy" "$T/part0.trjg" "$T/part1.trjg" 2>/dev/null
    cmp "$T/dynamic.npy" "$T/sum.npy"
    run ! cmp -s "$T/dynamic.npy" "$T/static.npy"
}

@test "--each, and files of frames: their mean factor is that of all frames" {
    stream 50 3 21,21,21
    ligmap -l Kr -r 9 -g 3 --each "$T/x.trjf" | mapsum -o "$T/each.npy" 2>/dev/null
    ligmap -l Kr -r 9 -g 3 "$T/x.trjf" | mapsum -o "$T/all.npy" 2>/dev/null
    cmp "$T/each.npy" "$T/all.npy"
    ligmap -l Kr -r 9 -g 3 --units factor -o "$T/frame%d.npy" "$T/x.trjf" 2>/dev/null
    ligmap -l Kr -r 9 -g 3 --units factor -o "$T/mean.npy" "$T/x.trjf" 2>/dev/null
    local name
    for name in frame0 frame1 frame2 mean; do
        tail -c +129 "$T/$name.npy" | od -An -v -t f8 -w8 >"$T/$name.txt"
    done
    paste "$T"/{frame0,frame1,frame2,mean}.txt |
        awk '{ e = ($1 + $2 + $3) / 3 - $4; bad += e * e > 1e-20 * (1 + $4 * $4) } END { exit !(NR == 343 && !bad) }'
}

@test "a cell that changes: an error, and with --fractional a map; a non-periodic cell" {
    lj_topology 40
    mkdcd --atoms 40 --frames 2 --cell 20,20,20 --breathe 0.05 |
        trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon - >"$T/x.trjf" 2>/dev/null
    fails_cleanly 3 'frame 1' ligmap -l Xe -g 2 "$T/x.trjf"
    ligmap -l Xe -g 2 --fractional "$T/x.trjf" | mapinfo - | has '^frames	2$'
    mkdcd --atoms 40 --cellform none |
        trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon - >"$T/x.trjf" 2>/dev/null
    fails_cleanly 2 '--grid divides the cell' ligmap -l Xe -g 2 "$T/x.trjf"
    ligmap -l Xe --origin 0,0,0 --points 9,9,9 --steps 2,2,2 "$T/x.trjf" | mapinfo - | has '^values	729$'
}

@test "a recipe: it requests the properties that the ligand requires" {
    lj_topology 40
    mkdcd --atoms 40 --frames 2 --cell 20,20,20 >"$T/run.dcd"
    cat >"$T/ligand.yaml" <<'YAML'
trjrun: 1
stages:
  atoms: {tool: trjcat, files: run.dcd, topology: lj.psf, parameters: lj.par}
  o2:    {tool: ligmap, from: atoms, ligand: O2, grid: 2, cutoff: 9, output: o2.trjg}
YAML
    trjrun "$T/ligand.yaml" 2>"$T/err" || { cat "$T/err"; return 1; }
    mapinfo "$T/o2.trjg" | has '^quantity	Boltzmann factor$'
    local ligand carry
    for ligand in O2 N2 CO CO2 NO CH4 Ne Ar Kr Xe water; do
        case $ligand in
        O2 | N2 | CO | CO2 | water) carry=sigma,epsilon,charge ;;
        *) carry=sigma,epsilon ;;
        esac
        sed "s/ligand: O2/ligand: $ligand/" "$T/ligand.yaml" >"$T/each.yaml"
        trjrun -n "$T/each.yaml" | has -E -- "--carry $carry( |\$)" || { echo "$ligand: not $carry"; return 1; }
    done
}

@test "errors: their status and message, and no file is left" {
    stream 20 2 20,20,20
    fails_cleanly 2 'no ligand; give one with --ligand or --ligand-file' ligmap -g 2 "$T/x.trjf"
    fails_cleanly 2 '--ligand and --ligand-file: expected one, found both' \
        ligmap -l Xe --ligand-file "$T/x" -g 2 "$T/x.trjf"
    fails_cleanly 2 '--ligand-file: standard input is the frame stream' ligmap --ligand-file - -g 2
    fails_cleanly 2 '--like: standard input is the frame stream' ligmap -l Xe --like - -
    fails_cleanly 2 '--ligand-file: standard input is the map of --like' ligmap --ligand-file - --like - "$T/x.trjf"
    fails_cleanly 3 '--ligand-file: stdin: no sites; expected lines' ligmap --ligand-file - -g 2 "$T/x.trjf"
    fails_cleanly 1 '--ligand-file: : No such file' ligmap --ligand-file '' -g 2 "$T/x.trjf"
    fails_cleanly 2 "--ligand: 'Rn' is not one of O2, N2, CO, CO2, NO, CH4" ligmap -l Rn -g 2 "$T/x.trjf"
    fails_cleanly 2 'no lattice, or more than one' ligmap -l Xe "$T/x.trjf"
    fails_cleanly 2 '--cutoff: invalid value 0.5: expected 1 to 1000 Angstrom' ligmap -l Xe -r 0.5 -g 2 "$T/x.trjf"
    fails_cleanly 2 '--cutoff: invalid value 0.5' ligmap -l Xe -r 0.5 -g 2 "$T/missing.trjf"
    fails_cleanly 2 '--temperature: invalid value -1' ligmap -l Xe -T -1 -g 2 "$T/x.trjf"
    fails_cleanly 2 '--cap: invalid value 0' ligmap -l Xe --cap 0 -g 2 "$T/x.trjf"
    fails_cleanly 2 '--block ends records of sums, but the mean is written' ligmap -l Xe -g 2 -B 1 --mean "$T/x.trjf"
    printf 'X 0 0 0 3\n' >"$T/short"
    fails_cleanly 3 'short: line 1: 4 numbers after the name; expected X Y Z SIGMA EPSILON' \
        ligmap --ligand-file "$T/short" -g 2 "$T/x.trjf"
    printf 'X 0 0 0 3 y\n' >"$T/word"
    fails_cleanly 3 "word: line 1: invalid value 'y'" ligmap --ligand-file "$T/word" -g 2 "$T/x.trjf"
    printf 'X 0 0 0 3 -1\n' >"$T/negative"
    fails_cleanly 3 'negative: line 1: sigma 3 Å, epsilon -1' ligmap --ligand-file "$T/negative" -g 2 "$T/x.trjf"
    printf '# nothing\n' >"$T/empty"
    fails_cleanly 3 'empty: no sites' ligmap --ligand-file "$T/empty" -g 2 "$T/x.trjf"
    awk 'BEGIN { for (i = 0; i < 17; i++) print "X 0 0", i, 3, 0.1 }' >"$T/many"
    fails_cleanly 3 'many: line 17: a ligand may have at most 16 sites' ligmap --ligand-file "$T/many" -g 2 "$T/x.trjf"
    awk 'BEGIN { for (i = 0; i < 9; i++) print "X 0 0", i, 3 + i, 0.1 }' >"$T/types"
    fails_cleanly 3 'more than 8 different pairs' ligmap --ligand-file "$T/types" -g 2 "$T/x.trjf"
    printf 'X 0 0 0 3 0 0.1\n' >"$T/charge"
    fails_cleanly 3 'every epsilon is 0, and charges are ignored; give a site' \
        ligmap --no-charges --ligand-file "$T/charge" -g 2 "$T/x.trjf"
    trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon -f 0 \
        <(mkdcd --atoms 20 --cell 20,20,20) >"$T/neutral.trjf" 2>/dev/null
    fails_cleanly 3 'or ignore the charges of the ligand with --no-charges' ligmap -l O2 -g 2 "$T/neutral.trjf"
    mkdcd --atoms 20 | trjcat - >"$T/bare.trjf"
    fails_cleanly 3 'no property sigma; *; the ligand requires --carry sigma,epsilon' ligmap -l Xe -g 2 "$T/bare.trjf"
    fails_cleanly 3 'the ligand requires --carry charge,sigma,epsilon' ligmap -l CO2 -g 2 "$T/bare.trjf"
    # Sums that exceed 2^62 quanta with any number of bits, and sums that fit with fewer bits.
    fails_cleanly 3 'the sum exceeds 2^62 quanta; no number of bits suffices: check the temperature' \
        ligmap -e cpu -l Xe -T 1 -r 9 -g 4 "$T/x.trjf"
    fails_cleanly 3 'the sum exceeds 2^62 quanta; reduce --bits' \
        ligmap -e cpu -l Xe -T 60 --bits 52 -r 9 -g 1 "$T/x.trjf"
}

@test "invalid lattices and outputs: the status and the message, and no file is left" {
    stream 20 2 20,20,20
    local x=$T/x.trjf
    lattice() { # STATUS PATTERN ORIGIN POINTS STEPS
        fails_cleanly "$1" "$2" ligmap -l Xe --origin "$3" --points "$4" --steps "$5" "$x"
    }
    lattice 2 "--steps: invalid value '1,1,0': expected lengths above 0" 0,0,0 3,3,3 1,1,0
    lattice 2 'the origin is 1e+30 0 0 Å, expected magnitudes of at most 1e+08 Å' 1e30,0,0 3,3,3 1,1,1
    lattice 2 'lie in one plane' 0,0,0 3,3,3 1,0,0,0,1,0,1,1,0
    lattice 2 "--points: invalid value '3,3,0': expected three whole numbers from 1 to 2^30" 0,0,0 3,3,0 1,1,1
    lattice 2 "--steps: invalid value '1,1'" 0,0,0 3,3,3 1,1
    lattice 3 'expected at most 2^28 bytes; use a coarser lattice' 0,0,0 100000,100000,100 1,1,1
    lattice 3 'the cutoff reaches 1.2001e+07 points along axis 0, expected at most 2^20' 0,0,0 3,3,3 1e-6,1,1
    fails_cleanly 2 '--grid: invalid value 0: expected at least 1e-06 Angstrom' ligmap -l Xe -g 0 "$x"
    stream 20 1 2,2,2
    fails_cleanly 3 'images of an atom could reach the lattice, expected at most 2^24; use a shorter cutoff' \
        ligmap -l Xe -r 1000 -g 0.5 "$x"
    stream 20 2 20,20,20
    fails_cleanly 2 '--tail: the cutoff, 3 Å, is shorter than the sigma of a pair, 3.6' \
        ligmap -l Xe -r 3 --tail -g 4 "$x"
    # A map of a periodic cell, and frames with the same vectors of which one is not periodic.
    ligmap -l Xe -r 9 -g 4 -o "$T/like.trjg" "$x" 2>/dev/null
    stream 20 2 20,20,20 -P xy
    fails_cleanly 3 'frame 0: the cell is not periodic along vector 2, but the lattice is' \
        ligmap -l Xe -r 9 --like "$T/like.trjg" "$x"
    fails_cleanly 3 'not periodic in three directions; leave it out' ligmap -l Ar --tail --origin 0,0,0 \
        --points 3,3,3 --steps 1,1,1 "$x"
    stream 20 2 20,20,20
    fails 3 '--stderr-map: standard errors require at least 2 records, found 1; give more frames, or fewer frames' \
        ligmap -l Xe -g 4 -B 9 --stderr-map "$T/e.dx" -o "$T/o.dx" "$x"
    fails 2 '--stderr-map and --output are both standard output' ligmap -l Xe -g 4 --stderr-map - "$x"
    fails 2 '--stderr-map: empty file name' ligmap -l Xe -g 4 --stderr-map '' -o "$T/o.dx" "$x"
    fails 2 '--stderr-map and --output have the same name' \
        ligmap -l Xe -g 4 --stderr-map "$T/./o.dx" -o "$T/o.dx" "$x"
    fails 1 'No space left on device' ligmap -l Xe -r 9 -g 4 -o /dev/full "$x"
    fails 1 'No space left on device' ligmap -l Xe -r 9 -g 4 --stderr-map /dev/full -o "$T/o.dx" "$x"
    [[ ! -e $T/o.dx && ! -e $T/e.dx ]]
    fails 1 'No space left on device' ligmap -l Xe -r 9 -g 4 --stderr-map "$T/e.trjg" -o /dev/full "$x"
    [[ ! -e $T/e.trjg ]]
    ligmap -e cpu -l Xe -r 9 -g 4 --stderr-map "$T/e.trjg" -o "$T/o.trjg" "$x" 2>/dev/null
    [[ $(values "$T/e.trjg" | wc -l) == 125 ]]
    # Two files of one format: one note about the format.
    ligmap -e cpu -l Xe -r 9 -g 4 --stderr-map "$T/e.dx" -o "$T/o.dx" "$x" 2>"$T/err"
    [[ $(grep -c 'dx does not state which axes are periodic' "$T/err") == 1 ]]
}
