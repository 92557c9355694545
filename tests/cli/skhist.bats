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
        run_python tests/helpers/waves.py "$BATS_FILE_TMPDIR/$cell.dcd" 0 2.5 25 0 0:150 100:400 >"$T/expected"
        skhist -q 2.5 -b 25 -p A:A -p A:B -p B:B "$BATS_FILE_TMPDIR/$cell.trjf" | values >"$T/got"
        close "$T/expected" "$T/got"
        run_python tests/helpers/waves.py "$BATS_FILE_TMPDIR/$cell.dcd" 1.5 2.5 7 0 0:400 >"$T/expected"
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
        run_python tests/helpers/waves.py "$BATS_FILE_TMPDIR/triclinic.dcd" 0 2 10 $lag 0:150 100:400 |
            cut -f 2- >"$T/expected"
        rows <"$T/table" | awk -v lag=$lag '{ if (!($1 in n)) n[$1] = m++ } n[$1] == lag' | cut -f 3- >"$T/got"
        close "$T/expected" "$T/got"
    done
    skhist -q 2 -b 10 -p A:A "$s" | rdfnorm -e none | rows | cut -f 3 >"$T/at_once"
    rows <"$T/table" | head -n "$(wc -l <"$T/at_once")" | cut -f 4 | same "$T/at_once" -
}

@test "single vectors equal direct sums in float64" {
    need_python_module numpy
    run_python tests/helpers/waves.py "$BATS_FILE_TMPDIR/triclinic.dcd" 0 1.2 0 0 0:150 100:400 |
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
    need python3 zstd
    local s=$BATS_FILE_TMPDIR/triclinic.trjf isa
    skhist -e reference -q 2 -p '*:*' -B 0 "$s" -o "$T/a.rdfh"
    tests/helpers/decode_histograms.py "$T/a.rdfh" | grep -v '^provenance' >"$T/expected"
    for isa in $(rdfhist --version | sed -n 's/.*cpu (\([^)]*\)).*/\1/p' | tr , ' '); do
        for threads in 1 3; do
            TRJPIPE_ISA=$isa skhist -e cpu -j $threads -q 2 -p '*:*' -B 0 "$s" -o "$T/b.rdfh" 2>"$T/err" ||
                { grep -q 'not supported by this CPU' "$T/err" && continue; }
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

@test "frames and options without wave vectors: rejected with a remedy" {
    local s=$BATS_FILE_TMPDIR/cubic.trjf
    fails 2 '--qmax is required' skhist "$s"
    fails 2 'invalid range' skhist -q 1 --qmin 2 "$s"
    fails 2 '--qmin and --qmax: invalid range 0 to 1e-11' skhist -q 1e-11 "$s"
    fails 2 '--qmax: the reciprocal lattice has no vector with a length from 0 to 0.3 1/Angstrom' skhist -q 0.3 "$s"
    fails 2 '--vectors: the reciprocal lattice of the first frame has no vector' skhist -q 0.3 --vectors "$s"
    fails 2 '4194304 shells and 2 lags: their product is above the limit' skhist -q 1 -b 4194304 --lag 0,1 "$s"
    fails 2 "--lag: '9223372036854775808' is not a whole number" skhist -q 1 --lag 9223372036854775808 "$s"
    fails 2 "skhist: --lag: '' is not a whole number" skhist -q 1 --lag 1, "$s"
    fails 2 "rdfhist: --lag: 'x' is not a whole number" rdfhist -r 3 --lag 1,x "$s"
    fails 2 "--lag: invalid value 'log:1:2'" skhist -q 1 --lag log:1:2 "$s"
    fails 2 '--lag: no two frames are 4 frames apart: of 4, at most 4 in sequence' skhist -q 1 --lag 4,5 "$s"
    sanitized || (ulimit -v 4000000 && fails 1 'largest lag; give a smaller --lag' skhist -q 1 --lag 1000000000 "$s")
    fails 2 'leave one of them out' skhist -q 1 -b 3 --vectors "$s"
    fails 2 'give a smaller --qmax' skhist -q 300 "$s"
    trjcat -P none -g all=all "$BATS_FILE_TMPDIR/cubic.dcd" -o "$T/none.trjf"
    fails 3 'is not periodic in all directions' skhist -q 1 "$T/none.trjf"
    trjcat -g 'near=within 5 of index 7' "$BATS_FILE_TMPDIR/cubic.dcd" -o "$T/dynamic.trjf"
    fails 2 'group near: its atoms change * give groups of fixed atoms' skhist -q 1 "$T/dynamic.trjf"
    trjcat -g all=all -g 'near=within 5 of index 7' "$BATS_FILE_TMPDIR/cubic.dcd" -o "$T/dynamic.trjf"
    fails 2 'group near: its atoms change * give groups of fixed atoms' skhist -q 1 -p all:all "$T/dynamic.trjf"
    fails 2 'requires a fixed one' skhist -q 1 tests/data/golden/open.trjf
    local far
    for far in 1e9 1e30; do
        printf '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3\nX %s 2 3\nX 4 5 6\n' "$far" |
            trjcat -g all=all -o "$T/far.trjf" -
        fails 3 'frame 0: atom 0 of the stream: x = * Å is out of range' skhist -q 1 "$T/far.trjf"
    done
    skhist -q 1 "$s" -o "$T/s.rdfh"
    fails 3 'instead of distances; print them with rdfnorm' rdfderive -q sq "$T/s.rdfh"
    fails 2 'leave the other options out' rdfnorm --counts "$T/s.rdfh"
    fails 2 'leave the other options out' rdfnorm --excluded in "$T/s.rdfh"
    fails 2 'applies to G(r) only' rdfnorm --form pdf --total number "$T/s.rdfh"
    fails 2 'less than the number of atoms of all, 400' rdfnorm --atoms 3 "$T/s.rdfh"
    fails 2 "'0' is not a whole number from 1" rdfnorm --atoms 0 "$T/s.rdfh"
    rdfhist "$s" -o "$T/g.rdfh" 2>/dev/null
    fails 2 'applies to streams of skhist' rdfnorm --atoms 400 "$T/g.rdfh"
    fails 3 'one stream has distances (rdfhist), the other waves (skhist)' rdfnorm "$T/s.rdfh" "$T/g.rdfh"
    fails 3 'one stream has distances (rdfhist), the other waves (skhist)' rdfnorm "$T/g.rdfh" "$T/s.rdfh"
    head -c 600 "$T/s.rdfh" >"$T/cut.rdfh"
    fails 3 'truncated*; run skhist again' rdfnorm "$T/cut.rdfh"
    skhist -q 1 -b 3 "$s" -o "$T/other.rdfh"
    fails 3 'the wave vectors, their shells or the lags differ' rdfnorm "$T/s.rdfh" "$T/other.rdfh"
}

# frames TIME...: prints a frame of 6 atoms at random places in a cubic cell for each time, as extended XYZ
frames() {
    printf '%s\n' "$@" | awk "$AWK_RANDOM"'{ time = $1 == "-" ? "" : " time_unit=ps time=" $1
        print 6 "\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3" time
        for (i = 0; i < 6; i++) print "X", 9 * random(), 9 * random(), 9 * random() }'
}

@test "frames without a vector in the shells, and lags that are too large: the others are counted" {
    # Only the second cell has vectors shorter than 0.5.
    printf '1\nLattice="%s 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3\nX 1 2 3\n' 8 20 8 >"$T/x.xyz"
    trjcat -g all=all "$T/x.xyz" -o "$T/x.trjf"
    skhist -q 0.5 -B 1 "$T/x.trjf" | rdfnorm | rows | awk '{ print $2, $3; n++ } END { exit n != 1 }' |
        grep -Ex '2 (1|1\.000000.*|0\.999999.*)'
    skhist -q 1 --lag 0,2,3,9 "$T/x.trjf" 2>"$T/err" | rdfnorm | rows | cut -f 1 | sort -nu |
        same <(printf '%s\n' 0 2) -
    grep -q 'note: lags of 3 and more are not counted: of 3 frames, at most 3 in sequence' "$T/err"
}

@test "a strongly sheared cell has the vectors of the orthorhombic cell with the same lattice" {
    local cell
    for cell in '20000 0 0 0 10 0 0 0 10' '20000 10 0 20000 0 10 0 0 10'; do
        printf '2\nLattice="%s" Properties=species:S:1:pos:R:3\nX 1 2 3\nX 4 5 6\n' "$cell" |
            trjcat -g all=all - | skhist -q 1 -b 7 | rdfnorm | rows |
            awk '{ printf "%.6f\t%d\t%.6f\n", $1, $2, $3 }' >"$T/${cell:6:1}"
    done
    [[ $(wc -l <"$T/0") == 7 ]]
    close "$T/0" "$T/1"
}

@test "times rounded to float32: the time of a lag is precise, and segments can be added" {
    local options times=() late=()
    mapfile -t times < <(awk 'BEGIN { for (i = 0; i < 80; i++) print i / 10 }')
    # 0.1 ps apart from 200 ns on, where the spacing of float32 is 1/64 ps
    mapfile -t late < <(awk 'BEGIN {
        for (i = 0; i < 80; i++) printf "%.6f\n", int((200000 + i / 10) * 64 + 0.5) / 64 }')
    frames "${times[@]}" | trjcat -g all=all -o "$T/early.trjf" -
    frames "${late[@]}" | trjcat -g all=all -o "$T/late.trjf" -
    for options in '' '-B 1' '-B 7' '-B 0'; do
        # shellcheck disable=SC2086
        skhist -q 0.8 -b 1 --lag 0,50 $options "$T/late.trjf" -o "$T/late.rdfh"
        rdfnorm "$T/late.rdfh" | rows | awk '$1 > 0 { n++; d = $1 / 5 - 1; if (d > 2e-3 || d < -2e-3) { print; exit bad = 1 } }
            END { exit bad || !n }'
    done
    # Records of one frame are separate from the first one on.
    skhist -q 0.8 -b 1 --lag 0,50 -B 1 "$T/late.trjf" | rdfnorm | has -x '# frames: 80 in 80 records'
    skhist -q 0.8 -b 1 --lag 0,50 "$T/early.trjf" -o "$T/early.rdfh"
    skhist -q 0.8 -b 1 --lag 0,50 "$T/late.trjf" -o "$T/late.rdfh"
    rdfnorm "$T/early.rdfh" "$T/late.rdfh" | has '^# frames: 160 '
    frames - - - | trjcat -g all=all -o "$T/unknown.trjf" -
    skhist -q 0.8 -b 1 --lag 0,50 "$T/unknown.trjf" -o "$T/unknown.rdfh" 2>/dev/null
    fails 3 'expected frames 0.1 ps apart, found an unknown time' rdfnorm "$T/early.rdfh" "$T/unknown.rdfh"
    fails 3 'expected frames an unknown time apart, found 0.1 ps' rdfnorm "$T/unknown.rdfh" "$T/early.rdfh"
    # Times that descend
    frames 5 4 3 | trjcat -g all=all -o "$T/back.trjf" - 2>/dev/null
    skhist -q 0.8 -b 1 --lag 0,1 "$T/back.trjf" 2>/dev/null | rdfnorm | has '^# lag'
}

@test "totals that cannot be computed are rejected" {
    trjcat -g 'A=index 0:398' -g 'one=index 399' "$BATS_FILE_TMPDIR/cubic.dcd" -o "$T/one.trjf"
    skhist -q 2 -b 9 -p '*:*' -o "$T/all.rdfh" "$T/one.trjf"
    skhist -q 2 -b 9 -p all:all "$BATS_FILE_TMPDIR/cubic.trjf" | rdfnorm -e none | rows | cut -f 1-3 >"$T/expected"
    rdfnorm -e none --total number "$T/all.rdfh" | rows | cut -f 1-3 >"$T/got"
    close "$T/expected" "$T/got"
    # A single atom has no pair of atoms, but an amplitude.
    skhist -q 2 -b 9 -p A:A -p A:one -o "$T/some.rdfh" "$T/one.trjf"
    fails 3 "the pair one:one was not counted; count all pairs with skhist -p" rdfnorm --total number "$T/some.rdfh"
    fails 2 'contributions to a total are not computed' rdfnorm --total number -p A:A "$T/all.rdfh"
    fails 2 'less than the number of atoms of A and one, 400' rdfnorm --atoms 399 "$T/all.rdfh"
    skhist -q 2 -b 9 -p '*:*' --lag 0,1 -o "$T/lag.rdfh" "$T/one.trjf"
    fails 2 '--total: not defined for F(q,t)' rdfnorm --total number "$T/lag.rdfh"
    fails 2 '--atoms: not defined for F(q,t)' rdfnorm --atoms 400 "$T/lag.rdfh"
}

@test "trjinfo: prints the range of wave vectors, not the bin of the set-up" {
    skhist -q 2 --qmin 0.5 -b 9 --lag 0,2 -p A:A "$BATS_FILE_TMPDIR/cubic.trjf" -o "$T/s.rdfh"
    trjinfo "$T/s.rdfh" | grep -E '^(bins|rmax|q|shells|vectors|interval|lags)' |
        same <(printf '%s\t%s\n' qmin 0.5 qmax 2 shells 9 interval 0.02 lags 0 lags 2) -
    skhist -q 0.5 --vectors -p A:A "$BATS_FILE_TMPDIR/cubic.trjf" | trjinfo - | has -x $'vectors\t3'
}

@test "blocks WAVE and TIME with invalid fields, and impossible sums: rejected" {
    local setup='SETU r f8:0 f8:1 u8:1 u4:1 t:all u8:3 u4:1 u4:0 u4:0 u8:3' source='SRCE r t:run.dcd u8:5'
    local frame='RECO r u8:1 u8:0 n:0*160 u4:0 u4:0 u8:1 u8:0 u8:0 u8:1 u8:1 u8:0' end='END! r u8:1 u8:1 u8:0'
    local waves='WAVE r f8:0 f8:2 u8:1 u4:44 u4:0 f8:nan u4:1 u8:0'
    # 4 vectors of length 1, S = 1
    local sums='u8:4 u8:4398046511104 u8:0 u8:201326592 u8:0'
    # bad TEXT BLOCK...: rdfnorm and trjinfo reject a stream of these blocks after the set-up
    bad() {
        mkstream histogram "$setup" "${@:2}" "$end" >"$T/bad.rdfh"
        fails 3 "$1" rdfnorm "$T/bad.rdfh"
        fails 3 "$1" trjinfo "$T/bad.rdfh"
    }
    mkstream histogram "$setup" "$waves" "$source" 'TIME - f8:1 f8:2' "$frame $sums" "$end" >"$T/good.rdfh"
    rdfnorm "$T/good.rdfh" | rows | same <(printf '%s\t%s\t%s\n' 1 8 1) -
    bad 'invalid number of lags or shells' 'WAVE r f8:0 f8:2 u8:1 u4:44 u4:0 f8:nan u4:0'
    bad 'invalid number of lags or shells' 'WAVE r f8:0 f8:2 u8:1 u4:44 u4:0 f8:nan u4:3 u8:0'
    bad 'invalid number of lags or shells' 'WAVE r f8:0 f8:2 u8:1 u4:44 u4:2 f8:nan u4:1 u8:0'
    bad 'invalid number of lags or shells' 'WAVE r f8:0 f8:2 u8:1 u4:65 u4:0 f8:nan u4:1 u8:0'
    bad 'invalid number of lags or shells' 'WAVE r f8:0 f8:2 u8:4194305 u4:44 u4:0 f8:nan u4:1 u8:0'
    bad 'invalid number of lags or shells' 'WAVE r f8:0 f8:2 u8:1 u4:44 u4:0 f8:-1 u4:1 u8:0'
    bad 'the lags do not ascend' 'WAVE r f8:0 f8:2 u8:1 u4:44 u4:0 f8:1 u4:2 u8:1 u8:1'
    bad 'rmax: invalid value' 'WAVE r f8:2 f8:2 u8:1 u4:44 u4:0 f8:nan u4:1 u8:0'
    bad 'bins: invalid value' 'WAVE r f8:0 f8:2 u8:0 u4:44 u4:0 f8:nan u4:1 u8:0'
    bad 'too short' 'WAVE r f8:0 f8:2 u8:2 u4:44 u4:1 f8:nan u4:1 u8:0 u4:1 u4:0 u4:0 u4:1'
    bad 'invalid vector -1 0 0' 'WAVE r f8:0 f8:2 u8:1 u4:44 u4:1 f8:nan u4:1 u8:0 u4:4294967295 u4:0 u4:0'
    bad 'invalid vector 0 0 0' 'WAVE r f8:0 f8:2 u8:1 u4:44 u4:1 f8:nan u4:1 u8:0 u4:0 u4:0 u4:0'
    bad 'follows a block that excludes it' 'NEIG r f8:3 u8:8' "$waves"
    bad 'in the wrong place' "$waves" 'NEIG r f8:3 u8:8'
    bad 'in the wrong place' "$waves" "$waves"
    bad 'too short' "$waves" "$source" "$frame u8:4 u8:4398046511104 u8:0 u8:201326592"
    # The sum of lengths is that of vectors outside of the shell, and that of products above N^2 for each.
    bad 'invalid sums of the 4 waves of shell 0' "$waves" "$source" "$frame u8:4 u8:9000000000000 u8:0 u8:0 u8:0"
    bad 'invalid sums of the 4 waves of shell 0' "$waves" "$source" "$frame u8:4 u8:1 u8:-1 u8:0 u8:0"
    bad 'invalid sums of the 4 waves of shell 0' "$waves" "$source" "$frame u8:4 u8:4398046511104 u8:0 u8:0 u8:1"
    bad 'invalid sums of the 0 waves of shell 0' "$waves" "$source" "$frame u8:0 u8:0 u8:0 u8:1 u8:0"
    bad 'invalid times: 2 to 1 ps' "$waves" "$source" 'TIME - f8:2 f8:1' "$frame $sums"
    bad 'invalid times: nan to 1 ps' "$waves" "$source" 'TIME - f8:nan f8:1' "$frame $sums"
    bad 'too short' "$waves" "$source" 'TIME - f8:1' "$frame $sums"
    bad 'in the wrong place' "$waves" "$source" 'TIME - f8:1 f8:1' 'TIME - f8:1 f8:1' "$frame $sums"
    bad 'follows a SPAC or TIME block without a record' "$waves" "$source" "$frame $sums" 'TIME - f8:1 f8:1'
    setup='SETU r f8:0 f8:1 u8:1 u4:2 t:a u8:3 t:b u8:2 u4:1 u4:0 u4:1 u8:7'
    bad 'pair 0: invalid number of atoms or pairs' "$waves"
    setup='SETU r f8:0 f8:1 u8:1 u4:2 t:a u8:3 t:b u8:2 u4:1 u4:0 u4:1 u8:3'
    bad 'pair 0: invalid number of atoms or pairs' "$waves"
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

@test "irregular first interval: skhist --lag and --neighbours use the most common one, and report other frames" {
    local file=$SHARED/cases/02-irregular-first-step.lammpstrj
    [[ -e $file ]] || skip 'no folder shared/cases beside the checkout'
    trjcat "$file" >"$T/all" 2>/dev/null
    trjcat -f 2: "$file" >"$T/regular" 2>/dev/null
    skhist -q 1.5 --lag 0,1,2 -b 2 "$T/all" 2>"$T/err" | rdfnorm | rows | awk '$1 > 0' >"$T/got"
    grep -q 'note: 2 of 12 frames do not follow the previous frame at the most common interval, 1000 MD steps' "$T/err"
    skhist -q 1.5 --lag 0,1,2 -b 2 "$T/regular" 2>/dev/null | rdfnorm | rows | awk '$1 > 0' | same "$T/got" -
    rdfhist -e cpu --neighbours 3 -r 5 -b 5 "$T/all" 2>"$T/err" | rdfnorm --neighbours exchange >"$T/table"
    grep -q '^# pairs of frames: 9' "$T/table"
    grep -q 'note: 2 of 12 frames do not follow the previous frame' "$T/err"
}
