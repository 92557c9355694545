# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2119,SC2120
# Structure factors of skhist: crystals, ideal gases and direct sums in float64, and what is rejected.
load helper

setup_file() (
    set -o pipefail
    cd "$BATS_FILE_TMPDIR" || return
    # Cells that change, of each shape. The first one is cubic.
    mkdcd --atoms 400 --frames 4 --cell 16,16,16 --breathe 0.02 >cubic.dcd
    mkdcd --atoms 400 --frames 4 --cell 12,18,15 --breathe 0.02 >orthorhombic.dcd
    mkdcd --atoms 400 --frames 4 --cell 17,15,16,70,80,110 --breathe 0.02 >triclinic.dcd
    for cell in cubic orthorhombic triclinic; do
        trjcat -g all=all -g 'A=index 0:149' -g 'B=index 100:399' -g 'C=index 150:399' $cell.dcd -o $cell.trjf
    done
    # A face-centred crystal of 4 x 4 x 4 cells, with edges of 4 Angstrom
    awk 'BEGIN { print 256 "\nLattice=\"16 0 0 0 16 0 0 0 16\" Properties=species:S:1:pos:R:3"
        for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) for (k = 0; k < 8; k++)
            if ((i + j + k) % 2 == 0) print "Ar", 2 * i, 2 * j, 2 * k }' >fcc.xyz
    trjcat -g all=all fcc.xyz -o fcc.trjf
)

# Columns of values, without standard errors
values() {
    rdfnorm -e records "$@" | rows | awk '{ printf "%.6f\t%d", $1, $2; for (i = 3; i <= NF; i += 2) printf "\t%.6f", $i
        print "" }'
}

# close A B: compares the numbers of two files; those of the values are rounded to 1e-6
close() {
    paste "$1" "$2" | awk -v OFS='\t' '{ n = NF / 2; if (NF % 2) exit bad = 1
        for (i = 1; i <= n; i++) { d = $i - $(i + n); if (d > 2.1e-6 || d < -2.1e-6) { print; exit bad = 1 } } }
        END { exit bad || NR < 5 }'
}

@test "S(q) equals direct sums in float64, in cubic, orthorhombic and triclinic cells that change" {
    need_python_module numpy
    for cell in cubic orthorhombic triclinic; do
        /usr/bin/python3 tests/helpers/waves.py "$BATS_FILE_TMPDIR/$cell.dcd" 0 2.5 25 0 0:150 100:400 >"$T/expected"
        skhist -q 2.5 -b 25 -p A:A -p A:B -p B:B "$BATS_FILE_TMPDIR/$cell.trjf" | values >"$T/got"
        close "$T/expected" "$T/got"
        /usr/bin/python3 tests/helpers/waves.py "$BATS_FILE_TMPDIR/$cell.dcd" 1.5 2.5 7 0 0:400 >"$T/expected"
        skhist -q 2.5 --qmin 1.5 -b 7 -p all:all "$BATS_FILE_TMPDIR/$cell.trjf" | values >"$T/got"
        close "$T/expected" "$T/got"
    done
}

@test "F(q,t) equals direct sums in float64, and S(q) at lag 0" {
    need_python_module numpy
    local s=$BATS_FILE_TMPDIR/triclinic.trjf lag
    skhist -q 2 -b 10 -p A:A -p A:B -p B:B --lag 0,1,2 "$s" | rdfnorm -e none >"$T/table"
    [[ $(grep '^# time' "$T/table") == $'# time\tq\tvectors\tF(A:A)\tF(A:B)\tF(B:B)' ]]
    for lag in 0 1 2; do
        # q is the mean over all lags.
        /usr/bin/python3 tests/helpers/waves.py "$BATS_FILE_TMPDIR/triclinic.dcd" 0 2 10 $lag 0:150 100:400 |
            cut -f 2- >"$T/expected"
        rows <"$T/table" | awk -v lag=$lag '{ if (!($1 in n)) n[$1] = m++ } n[$1] == lag' | cut -f 3- >"$T/got"
        close "$T/expected" "$T/got"
    done
    skhist -q 2 -b 10 -p A:A "$s" | rdfnorm -e none | rows | cut -f 3 >"$T/at_once"
    rows <"$T/table" | head -n "$(wc -l <"$T/at_once")" | cut -f 4 | same "$T/at_once" -
}

@test "single vectors equal direct sums in float64" {
    need_python_module numpy
    /usr/bin/python3 tests/helpers/waves.py "$BATS_FILE_TMPDIR/triclinic.dcd" 0 1.2 0 0 0:150 100:400 |
        sort >"$T/expected"
    skhist -q 1.2 --vectors -p A:A -p A:B -p B:B "$BATS_FILE_TMPDIR/triclinic.trjf" | rdfnorm -e none | rows |
        sort >"$T/got"
    close "$T/expected" "$T/got"
}

@test "a crystal: S = N at the vectors of its reciprocal lattice, and 0 at all others" {
    skhist -q 5 --vectors "$BATS_FILE_TMPDIR/fcc.trjf" | rdfnorm | rows >"$T/table"
    # Indices of the cell are 4 times those of the crystal, which are all even or all odd at a peak.
    awk '{ h = $1 / 4; k = $2 / 4; l = $3 / 4
        peak = h == int(h) && k == int(k) && l == int(l) && (h + k) % 2 == 0 && (k + l) % 2 == 0
        peaks += peak; d = $6 - 256 * peak
        if (d > 1e-9 || d < -1e-9) { print; exit bad = 1 } } END { exit bad || peaks != 13 || NR < 4000 }' "$T/table"
    # Shells add the same vectors: their sum is that of the peaks, 26 times 256.
    skhist -q 5 "$BATS_FILE_TMPDIR/fcc.trjf" | rdfnorm | rows |
        awk '{ sum += $2 * $3; n += $2 } END { exit !(sum > 6656 - 1e-3 && sum < 6656 + 1e-3) || n < 8000 }'
}

@test "an ideal gas: S = 1 within the standard errors" {
    mkdcd --atoms 500 --frames 200 --cell 20,22,24,80,100,110 | trjcat -g all=all -o "$T/gas.trjf" -
    skhist -q 2 "$T/gas.trjf" | rdfnorm | rows |
        awk '{ d = ($3 - 1) / $4; sum += d * d; n++ }
            END { print sum / n; exit !(n > 25 && sum / n > 0.5 && sum / n < 2) }'
}

@test "S(q) agrees with the transform of g(r) of a liquid" {
    trjcat -t examples/water/water.pdb -g 'O=name OW' examples/water/water.dcd >"$T/s" 2>/dev/null ||
        skip 'examples/water has no trajectory'
    skhist -q 8 -b 40 "$T/s" | rdfnorm | rows | awk '$1 > 1.6 { print $1, $3, $4 }' >"$T/direct"
    rdfhist -b 2000 "$T/s" | rdfderive -q sq --qmax 8 --dq 0.01 2>/dev/null | rows >"$T/transform"
    awk 'NR == FNR { s[sprintf("%.2f", $1)] = $2; next }
        { d = $2 - s[sprintf("%.2f", $1)]; sum += d * d; n++ }
        END { print sqrt(sum / n), n; exit !(n > 25 && sqrt(sum / n) < 0.06) }' "$T/transform" "$T/direct"
}

@test "engines, instruction sets, threads and the order of frames give the same sums" {
    need zstd
    local s=$BATS_FILE_TMPDIR/triclinic.trjf isa
    skhist -e reference -q 2 -p '*:*' -B 0 "$s" -o "$T/a.rdfh"
    tests/helpers/decode_histograms.py "$T/a.rdfh" | grep -v '^provenance' >"$T/expected"
    for isa in $(rdfhist --version | sed -n 's/.*cpu (\([^)]*\)).*/\1/p' | tr , ' '); do
        for threads in 1 3; do
            TRJPIPE_ISA=$isa skhist -e cpu -j $threads -q 2 -p '*:*' -B 0 "$s" -o "$T/b.rdfh" 2>"$T/err" ||
                { grep -q 'instruction set' "$T/err" && continue; }
            tests/helpers/decode_histograms.py "$T/b.rdfh" | grep -v '^provenance' | same "$T/expected" -
        done
    done
    for part in 2 1; do trjcat --segment $part/2 -g 'A=index 0:149' "$BATS_FILE_TMPDIR/cubic.dcd" | skhist -q 2; done |
        rdfnorm -e none | rows >"$T/parts"
    skhist -q 2 -p A:A "$BATS_FILE_TMPDIR/cubic.trjf" | rdfnorm -e none | rows | same "$T/parts" -
}

@test "totals: of numbers, S(q) of all atoms; of neutrons and X-rays, the sums of partial structure factors" {
    skhist -q 2 -b 9 -p all:all "$BATS_FILE_TMPDIR/cubic.trjf" | rdfnorm | rows | cut -f 1-4 >"$T/all"
    skhist -q 2 -b 9 -p A:A -p A:C -p C:C -o "$T/s.rdfh" "$BATS_FILE_TMPDIR/cubic.trjf"
    rdfnorm --total number "$T/s.rdfh" | rows | cut -f 1-4 >"$T/total"
    close "$T/all" "$T/total"
    # c = 0.375 and 0.625; b = 2 and -1 fm
    rdfnorm -e none --total neutron --partial --scatterer A=2 --scatterer C=-1 "$T/s.rdfh" | rows |
        awk 'function off(a, b) { return a - b > 1e-6 || b - a > 1e-6 }
            { i = 0.375 * 4 * $4 + 0.625 * $6 - 2 * 2 * sqrt(0.375 * 0.625) * $5; b2 = 0.375 * 4 + 0.625
              if (off($3, 1 + (i - b2) / 0.125 ^ 2)) { print; exit bad = 1 } } END { exit bad || NR < 5 }'
    rdfnorm -e none --total neutron --form fz --partial --scatterer A=2 --scatterer C=-1 "$T/s.rdfh" | rows |
        awk 'function off(a, b) { return a - b > 1e-6 || b - a > 1e-6 }
            { i = 0.375 * 4 * $4 + 0.625 * $6 - 2 * 2 * sqrt(0.375 * 0.625) * $5; b2 = 0.375 * 4 + 0.625
              if (off($3, (i - b2) / 100)) { print; exit bad = 1 } } END { exit bad || NR < 5 }'
    rdfnorm -e none --atoms 400 "$T/s.rdfh" | rows | cut -f 3 >"$T/fz"
    rdfnorm -e none "$T/s.rdfh" | rows | awk '{ printf "%.10g\n", 1 + ($3 - 1) * 400 / 150 }' >"$T/expected"
    close "$T/expected" "$T/fz"
}

@test "what has no wave vectors is rejected with a remedy" {
    local s=$BATS_FILE_TMPDIR/cubic.trjf
    fails 2 '--qmax is required' skhist "$s"
    fails 2 'invalid range' skhist -q 1 --qmin 2 "$s"
    fails 2 'leave one of them out' skhist -q 1 -b 3 --vectors "$s"
    fails 2 'give a smaller --qmax' skhist -q 300 "$s"
    trjcat -P none -g all=all "$BATS_FILE_TMPDIR/cubic.dcd" -o "$T/none.trjf"
    fails 3 'is not periodic in all directions' skhist -q 1 "$T/none.trjf"
    trjcat -g 'near=within 5 of index 7' "$BATS_FILE_TMPDIR/cubic.dcd" -o "$T/dynamic.trjf"
    fails 2 'give groups of fixed atoms' skhist -q 1 "$T/dynamic.trjf"
    fails 2 'requires a fixed one' skhist -q 1 tests/data/golden/open.trjf
    skhist -q 1 "$s" -o "$T/s.rdfh"
    fails 3 'make a table of them with rdfnorm' rdfderive -q sq "$T/s.rdfh"
    fails 2 'leave the other options out' rdfnorm --counts "$T/s.rdfh"
    fails 2 'a form of G(r)' rdfnorm --form pdf --total number "$T/s.rdfh"
    fails 2 'less than the number of atoms' rdfnorm --atoms 3 "$T/s.rdfh"
    rdfhist "$s" -o "$T/g.rdfh" 2>/dev/null
    fails 2 'applies to streams of skhist' rdfnorm --atoms 400 "$T/g.rdfh"
    skhist -q 1 -b 3 "$s" -o "$T/other.rdfh"
    fails 3 'the wave vectors, their shells or the lags differ' rdfnorm "$T/s.rdfh" "$T/other.rdfh"
}

@test "a frame at another time begins a new series: no lag includes the gap" {
    trjcat -f :2 --to dcd "$BATS_FILE_TMPDIR/cubic.dcd" -o "$T/a.dcd"
    trjcat -f 3: --to dcd "$BATS_FILE_TMPDIR/cubic.dcd" -o "$T/b.dcd"
    trjcat -g 'A=index 0:149' "$T/a.dcd" "$T/b.dcd" | skhist -q 1.5 -b 3 --lag 1 2>"$T/err" |
        rdfnorm -e none | rows >"$T/gap"
    grep -q '1 of 3 frames do not follow' "$T/err"
    trjcat -f :2 -g 'A=index 0:149' "$BATS_FILE_TMPDIR/cubic.dcd" | skhist -q 1.5 -b 3 --lag 1 | rdfnorm -e none |
        rows | same "$T/gap" -
}
