#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfcmp: deviations agree with awk, p values agree with numpy, and curves that cannot be compared are rejected.
load helper

# Writes two histogram streams of water, a and b, and their tables.
make_streams() {
    local name
    for name in a:0:24 b:24:48; do
        trjcat -t examples/water/water.pdb -g 'O=name OW' -g 'H=name HW1 HW2' -f "${name#*:}" examples/water/water.dcd |
            rdfhist -e cpu -r 6 -b 30 -B 4 -p O:O -p O:H 2>/dev/null >"$T/${name%%:*}.rdfh"
        rdfnorm "$T/${name%%:*}.rdfh" >"$T/${name%%:*}.tsv"
    done
}

# Writes tables of 32 records each, in which correlation can be detected, and the stream of the first one.
make_tables() {
    local name
    for name in first::64 second:64:; do
        trjcat -t examples/water/water.pdb -g 'O=name OW' -f "${name#*:}" examples/water/water.dcd |
            rdfhist -e cpu -r 6 -b 30 -B 2 2>/dev/null >"$T/${name%%:*}.rdfh"
        rdfnorm "$T/${name%%:*}.rdfh" >"$T/${name%%:*}.tsv" 2>/dev/null
        has '^# error O:O: .*; [0-9.]* independent blocks$' "$T/${name%%:*}.tsv"
    done
}

# field NUMBER: prints a column of the first row
field() {
    rows | head -n 1 | cut -f "$1"
}

@test "deviations, chi2, R and Rw of two tables agree with awk" {
    make_streams
    rdfcmp -r 2:5 "$T/a.tsv" "$T/b.tsv" 2>/dev/null >"$T/out"
    same <(rows "$T/out" | cut -f 1) <(grep '^# r	' "$T/a.tsv" | cut -f 2- | tr '\t' '\n' | grep -v '^se')
    paste <(rows "$T/a.tsv") <(rows "$T/b.tsv") | awk -v OFS='\t' -v columns="$(rows "$T/a.tsv" | head -n 1 | wc -w)" '
        $1 >= 2 && $1 <= 5 {
            x = $2; y = $(columns + 2); v = $3 ^ 2 + $(columns + 3) ^ 2; d = x - y; n++
            mae += d < 0 ? -d : d; rmse += d * d; yy += y * y
            if (d * d > max * max) { max = d; at = $1 }
            if (v > 0) { dof++; chi2 += d * d / v; wy += y * y / v }
        }
        END { print n, mae / n, sqrt(rmse / n), max, at, chi2, dof, sqrt(rmse / yy), sqrt(chi2 / wy) }' >"$T/expected"
    field 5-13 <"$T/out" | paste - "$T/expected" | awk '{
        for (i = 1; i <= 9; i++) { d = $i - $(i + 9); if (!(d * d <= 1e-8 * $i * $i)) exit 1 }
    }'
    [[ $(field 15-16 <"$T/out") == $'nan\tnone' ]] # six records are too few to detect correlation
}

@test "p of two streams: all permutations of their records, as numpy computes it" {
    need_python_module numpy
    make_streams
    # Each record becomes a stream of its own, with a table of its own.
    local name i
    for name in a b; do
        for i in 0 1 2 3 4 5; do
            local first=$((i * 4))
            [[ $name == a ]] || first=$((first + 24))
            trjcat -t examples/water/water.pdb -g 'O=name OW' -f "$first:$((first + 4))" examples/water/water.dcd |
                rdfhist -e cpu -r 6 -b 30 2>/dev/null | rdfnorm 2>/dev/null | rows | cut -f 2 >"$T/$name$i.g"
        done
    done
    run_python - "$T" >"$T/expected" <<'PY'
import itertools, sys
import numpy as np
g = np.array([[float(v) for v in open(f"{sys.argv[1]}/{name}{i}.g")] for name in "ab" for i in range(6)])
g = g[:, g.std(axis=0) > 0]
def t(chosen):
    rest = [i for i in range(12) if i not in chosen]
    a, b = g[list(chosen)], g[rest]
    variance = a.var(axis=0, ddof=1) / 6 + b.var(axis=0, ddof=1) / 6
    return np.max(np.abs(a.mean(axis=0) - b.mean(axis=0)) / np.sqrt(variance))
all_t = [t(c) for c in itertools.combinations(range(12), 6)]
print(np.mean(np.array(all_t) >= all_t[0] * (1 - 1e-6)))
PY
    rdfcmp "$T/a.rdfh" "$T/b.rdfh" 2>/dev/null >"$T/out"
    [[ $(field 16 <"$T/out") == permutation ]]
    field 15 <"$T/out" | paste - "$T/expected" | awk '{ print; d = $1 - $2; exit !(d < 1e-6 && d > -1e-6) }'
}

@test "p is small for different liquids, the same at each run, and never 0" {
    make_streams
    rdfcmp "$T/a.rdfh" "$T/b.rdfh" 2>/dev/null >"$T/one"
    rdfcmp "$T/a.rdfh" "$T/b.rdfh" 2>/dev/null | rows >"$T/two"
    same <(rows "$T/one") "$T/two"
    rdfcmp -p O:O=O:H "$T/a.rdfh" "$T/b.rdfh" 2>"$T/err" >"$T/out"
    field 15 <"$T/out" | awk '{ exit !($1 > 0 && $1 < 0.01) }'
    has '^rdfcmp: note: g(O:O) is compared with g(O:H)$' "$T/err"
    rows "$T/b.tsv" | awk -v OFS='\t' 'BEGIN { print "#L r(A) g" } { print $1, 1.2 * $2 }' >"$T/b.gr"
    rdfcmp -p O:O "$T/a.rdfh" "$T/b.gr" 2>/dev/null >"$T/out"
    [[ $(field 16 <"$T/out") == sign-flip ]]
    field 15 <"$T/out" | awk '{ exit !($1 > 0 && $1 <= 0.0313) }'
    same <(rdfcmp - "$T/b.rdfh" <"$T/a.rdfh" 2>/dev/null | rows) "$T/two"
}

@test "a reference on other positions is interpolated, and bins outside of it are reported" {
    make_streams
    printf '#L r(A) g\n1 0\n3 2\n5 2\n' >"$T/line.gr"
    printf '# r\tg(O:O)\n2\t1\n2.5\t1.5\n4\tnan\n4.5\t2\n5.5\t2\n' >"$T/points.tsv"
    rdfcmp "$T/points.tsv" "$T/line.gr" 2>"$T/err" >"$T/out"
    [[ $(field 3-7 <"$T/out") == $'2\t4.5\t3\t0\t0' ]]
    has '2 bins are not compared: 1 are outside the reference, 1 are nan$' "$T/err"
    has 'g(O:O): no p value: no standard errors$' "$T/err"
}

@test "curves that cannot be compared are rejected with the reason" {
    make_streams
    rdfderive -q sq --qmax 3 "$T/a.rdfh" >"$T/sq.tsv" 2>/dev/null
    fails_cleanly 3 'the first column of' rdfcmp "$T/a.tsv" "$T/sq.tsv"
    fails_cleanly 2 "--range 9:inf contains no bin; bins are from" rdfcmp -r 9: "$T/a.tsv" "$T/b.tsv"
    fails_cleanly 2 '--range' rdfcmp -r x "$T/a.tsv" "$T/b.tsv"
    fails_cleanly 2 "--pair: $T/a.tsv has no pair 'X:Y'; its first curve is g(O:O)" \
        rdfcmp -p O:O -p X:Y=O:O "$T/a.tsv" "$T/b.tsv"
    printf '#L r(nm) g\n0.1 0\n0.3 2\n' >"$T/nm.gr"
    fails_cleanly 3 'is in nm; convert it to Angstrom' rdfcmp "$T/a.tsv" "$T/nm.gr"
    printf '#L r(A) g\n10 0\n30 2\n' >"$T/far.gr"
    fails_cleanly 3 'no overlap: bins are from' rdfcmp -p O:O=measured "$T/a.tsv" "$T/far.gr"
    printf '#L r(A) G(A^-2)\n1 0\n3 2\n' >"$T/pdf.gr"
    fails_cleanly 3 'matches one of' rdfcmp "$T/a.tsv" "$T/pdf.gr"
    fails_cleanly 2 'both operands are' rdfcmp - -
    head -c 500 "$T/a.rdfh" >"$T/cut.rdfh"
    fails_cleanly 3 "$T/cut.rdfh" rdfcmp "$T/a.rdfh" "$T/cut.rdfh"
    trjcat -g 'O=index 0 to 99' -f 0:5 examples/water/water.dcd 2>/dev/null |
        rdfhist -e cpu -r 6 -b 30 --lag 1 2>/dev/null >"$T/lag.rdfh"
    fails_cleanly 3 'the lag is 0 frames, that of the reference 1' rdfcmp "$T/a.rdfh" "$T/lag.rdfh"
}

@test "too few records, and frames in both streams: notes" {
    make_streams
    trjcat -t examples/water/water.pdb -g 'O=name OW' -f 0:6 examples/water/water.dcd |
        rdfhist -e cpu -r 6 -b 30 -B 2 2>/dev/null >"$T/few.rdfh"
    rdfcmp "$T/a.rdfh" "$T/few.rdfh" 2>"$T/err" >"$T/out"
    [[ $(field 15-16 <"$T/out") == $'nan\tnone' ]]
    has 'no p value: too few independent records' "$T/err"
    has 'note: both streams contain the same frames' "$T/err"
}

@test "--pair: compares a pair with several pairs of the reference" {
    make_streams
    rdfcmp -p O:O -p O:O=O:H -p O:O=X:Y "$T/a.rdfh" "$T/b.rdfh" 2>"$T/err" >"$T/out"
    same <(rows "$T/out" | cut -f 1,2) <(printf 'g(O:O)\tg(O:O)\ng(O:O)\tg(O:H)\n')
    has 'has no g(X:Y): not compared$' "$T/err"
}

@test "p of tables: by the number of independent blocks that they state; without it, or with few records, nan" {
    make_streams
    make_tables
    rdfcmp "$T/first.tsv" "$T/second.tsv" 2>"$T/err" >"$T/out"
    [[ $(field 16 <"$T/out") == cauchy ]]
    field 15 <"$T/out" | awk '{ exit !($1 > 0.01 && $1 <= 1) }'
    ! has 'g(O:O): no p value' "$T/err" || false
    # A table without errors is taken as exact. So is a measured curve with errors; here, these are tiny.
    cut -f 1,2 "$T/second.tsv" | sed 's/^# provenance.*/#/' >"$T/bare.tsv"
    rdfcmp "$T/first.tsv" "$T/bare.tsv" 2>/dev/null >"$T/out"
    rdfcmp "$T/bare.tsv" "$T/first.tsv" 2>/dev/null | field 15,16 | same - <(field 15,16 <"$T/out")
    rows "$T/second.tsv" | awk 'BEGIN { print "#L r(A) g" } { print $1, $2, 1e-12 }' >"$T/exact.gr"
    rdfcmp -r 3: "$T/first.tsv" "$T/bare.tsv" 2>/dev/null >"$T/out"
    rdfcmp -r 3: "$T/first.tsv" "$T/exact.gr" 2>/dev/null | field 15,16 >"$T/exact"
    paste "$T/exact" <(field 15,16 <"$T/out") | awk '{ d = $1 - $3; exit !(d * d < 1e-12 && $2 == "cauchy" && $4 == $2) }'
    # With the errors of both in the statement, a stream gives what its table gives.
    rdfcmp "$T/first.rdfh" "$T/second.tsv" 2>/dev/null | field 15,16 >"$T/stream"
    rdfcmp "$T/first.tsv" "$T/second.tsv" 2>/dev/null | field 15,16 | paste "$T/stream" - |
        awk '{ d = $1 - $3; exit !(d * d < 1e-6 && $2 == "cauchy" && $4 == $2) }'
    # Two systems that differ.
    awk -v OFS='\t' '/^#/ { print; next } { $2 *= 1.1; print }' "$T/second.tsv" >"$T/other.tsv"
    rdfcmp "$T/first.tsv" "$T/other.tsv" 2>/dev/null | field 15 | awk '{ exit !($1 < 0.001) }'

    grep -v '^# error' "$T/second.tsv" >"$T/unstated.tsv"
    rdfcmp "$T/first.tsv" "$T/unstated.tsv" 2>"$T/err" >"$T/out"
    [[ $(field 15-16 <"$T/out") == $'nan\tnone' ]]
    has 'no p value: a table does not state from how many independent blocks its errors follow' "$T/err"
    rdfnorm -e records "$T/second.rdfh" >"$T/assumed.tsv" 2>/dev/null
    rdfcmp "$T/first.tsv" "$T/assumed.tsv" 2>"$T/err" >"$T/out"
    [[ $(field 15-16 <"$T/out") == $'nan\tnone' ]]
    has 'no p value: .*the assumption that records are independent' "$T/err"
    sed 's/^# error O:O.*/# error O:O: blocks of 8 records, statistical inefficiency 9 records, of too few records; 4 blocks/' \
        "$T/second.tsv" >"$T/few.tsv"
    rdfcmp "$T/first.tsv" "$T/few.tsv" 2>"$T/err" >"$T/out"
    [[ $(field 15-16 <"$T/out") == $'nan\tnone' ]]
    has 'no p value: errors follow from too few records' "$T/err"

    # Six records are too few for a covariance, and to detect correlation.
    rows "$T/b.tsv" | awk 'BEGIN { print "#L r(A) g" } { print $1, $2, $3 + 0.01 }' >"$T/b.gr"
    rdfcmp -p O:O "$T/a.rdfh" "$T/b.gr" 2>"$T/err" >"$T/out"
    [[ $(field 15-16 <"$T/out") == $'nan\tnone' ]]
    has 'no p value: too few independent records: at least 8 are required for a covariance' "$T/err"
    rdfcmp -p O:O "$T/a.rdfh" "$T/b.rdfh" 2>"$T/err" >"$T/out"
    has 'too few records to detect correlation: p may be too small$' "$T/err"
}

@test "curves without a value: a row of nan; streams that rdfnorm cannot normalise without options: an error" {
    printf '# r\tg(A:A)\tg(B:B)\n1\tnan\t2\n2\tnan\t3\n' >"$T/gap.tsv"
    rdfcmp "$T/gap.tsv" "$T/gap.tsv" 2>"$T/err" >"$T/out"
    [[ $(rows "$T/out" | cut -f 1,5,6,16) == $'g(A:A)\t0\tnan\tnone\ng(B:B)\t2\t0\tnone' ]]
    has 'g(A:A): no p value: all values are nan$' "$T/err"
    trjcat --periodic none -g 'O=index 0 to 99' -f 0:5 examples/water/water.dcd 2>/dev/null |
        rdfhist -e cpu -r 6 -b 30 2>/dev/null >"$T/open.rdfh"
    fails_cleanly 3 'g(r) of rdfnorm without options (compare tables for other options): frames periodic in fewer' \
        rdfcmp "$T/open.rdfh" "$T/open.rdfh"
}

@test "an exact reference: bins that are empty in most records are not tested" {
    make_streams
    rows "$T/b.tsv" | awk -v OFS='\t' 'BEGIN { print "#L r(A) g" } { print $1, $2 }' >"$T/b.gr"
    rows "$T/b.tsv" | awk -v OFS='\t' 'BEGIN { print "#L r(A) g" } { print $1, $2 + ($1 < 2.3) / 1000 }' >"$T/core.gr"
    rdfcmp -p O:O "$T/a.rdfh" "$T/b.gr" 2>/dev/null >"$T/out"
    rdfcmp -p O:O "$T/a.rdfh" "$T/core.gr" 2>"$T/err" >"$T/core"
    [[ $(field 16 <"$T/core") == sign-flip ]]
    same <(field 15 <"$T/out") <(field 15 <"$T/core")
    has 'g(O:O): 11 bins are empty in most blocks: not tested for p$' "$T/err"
}

@test "bins that differ and have no standard error are not tested, which a note states" {
    make_tables
    # There is no pair below 2.2 Angstrom: both errors are 0, and no test can contain a difference.
    awk -v OFS='\t' '/^#/ { print; next } $1 < 2 { $2 = 0.1 } { print }' "$T/second.tsv" >"$T/core.tsv"
    rdfcmp -p O:O "$T/first.tsv" "$T/core.tsv" 2>"$T/err" >"$T/out"
    [[ $(field 16 <"$T/out") == cauchy ]]
    has 'g(O:O): 10 bins differ without an error: not tested for p$' "$T/err"
    same <(field 15 <"$T/out") <(rdfcmp -p O:O "$T/first.tsv" "$T/second.tsv" 2>"$T/err" | field 15)
    ! has 'without an error' "$T/err" || false
    rows "$T/second.tsv" | awk 'BEGIN { print "#L r(A) g" } { print $1, $2, $3 + 0.01 }' >"$T/second.gr"
    rdfcmp "$T/first.rdfh" "$T/second.gr" 2>"$T/err" >"$T/out"
    [[ $(field 16 <"$T/out") == chi2-covariance ]]
}

@test "recipes: the outputs of two stages are compared in the order of from; other numbers are rejected" {
    cp examples/water/water.{dcd,pdb} "$T"
    cat >"$T/compare.yaml" <<'END'
trjrun: 1
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, group: "O=name OW", each: {half: [":24", "24:48"]},
          frames: $half}
  counts: {tool: rdfhist, from: atoms, engine: cpu, rmax: 6, bins: 30, block: 4, output: "of$half.rdfh"}
  table: {tool: rdfnorm, from: counts, output: "of$half.tsv"}
  same: {tool: rdfcmp, from: [counts, table], pair: "O:O", range: "2:", output: "same$half.tsv"}
  differ: {tool: rdfcmp, from: counts, merge: half, output: differ.tsv}
END
    trjrun --check "$T/compare.yaml"
    trjrun "$T/compare.yaml" 2>"$T/err"
    field 6 <"$T/same:24.tsv" | awk '{ exit !($1 < 1e-9) }'
    make_streams
    rdfcmp -p O:O "$T/a.rdfh" "$T/b.rdfh" 2>/dev/null | rows | same - <(rows "$T/differ.tsv")
    trjrun --verify "$T/differ.tsv" >"$T/out"
    sed '/same:/d; /differ:/d' "$T/compare.yaml" >"$T/bad.yaml"
    # shellcheck disable=SC2016 # a variable of the recipe
    echo '  one: {tool: rdfcmp, from: table, output: "x$half.tsv"}' >>"$T/bad.yaml"
    fails 3 "stage 'one' reads from one stage, but rdfcmp reads two files; give a list of two stages" \
        trjrun --check "$T/bad.yaml"
    printf 'trjrun: 1\nstages:\n  x: {tool: rdfcmp, files: [%s], output: x.tsv}\n' water.pdb >"$T/bad.yaml"
    fails 3 '1 file, but rdfcmp reads two; name two' trjrun --check "$T/bad.yaml"
    printf 'trjrun: 1\nstages:\n  x: {tool: rdfcmp, files: [%s], output: x.tsv}\n' water.pdb,water.dcd,a.rdfh \
        >"$T/bad.yaml"
    fails 3 '3 files, but rdfcmp reads two; name two' trjrun --check "$T/bad.yaml"
}

@test "p of an ideal gas and its exact g(r) is not small, also in bins with few pairs" {
    need_python_module numpy
    run_python - >"$T/gas.xyz" <<'PYTHON'
import numpy as np

random = np.random.default_rng(8)
for frame in range(640):
    print(40)
    print('Lattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3')
    for x in random.random((40, 3)) * 10:
        print("A %.5f %.5f %.5f" % tuple(x))
PYTHON
    trjcat "$T/gas.xyz" -o "$T/gas.trjf"
    awk 'BEGIN { print "# r\tg(all:all)"; for (k = 0; k < 100; k++) printf "%.10g\t1\n", (k + 0.5) / 20 }' >"$T/exact.tsv"
    local i
    for i in {0..19}; do
        trjcat -f $((32 * i)):$((32 * i + 32)) "$T/gas.trjf" | rdfhist -e cpu -r 5 -b 100 -B 1 -o "$T/part.rdfh"
        rdfcmp "$T/part.rdfh" "$T/exact.tsv" 2>/dev/null | field 15
    done >"$T/p"
    # The numbers below 0.05 and above 0.5 of 20 independent p values have means of 1 and 10.
    awk '$1 < 0.05 { low++ } $1 > 0.5 { high++ } END { exit !(NR == 20 && low <= 4 && high >= 4) }' "$T/p"
}

@test "streams with different bins: deviations, but no p value" {
    make_streams
    trjcat -t examples/water/water.pdb -g 'O=name OW' -f 24:48 examples/water/water.dcd |
        rdfhist -e cpu -r 6 -b 60 -B 4 2>/dev/null >"$T/fine.rdfh"
    rdfcmp "$T/fine.rdfh" "$T/b.rdfh" 2>"$T/err" >"$T/out"
    [[ $(field 15-16 <"$T/out") == $'nan\tnone' ]]
    has 'no p value: the bins of both streams differ' "$T/err"
    rdfnorm "$T/fine.rdfh" >"$T/fine.tsv"
    rdfcmp "$T/fine.tsv" "$T/b.tsv" 2>"$T/err" >"$T/out"
    ! has 'the reference is interpolated' "$T/err" || false # no p
    make_tables
    trjcat -t examples/water/water.pdb -g 'O=name OW' -f 64: examples/water/water.dcd |
        rdfhist -e cpu -r 6 -b 60 -B 2 2>/dev/null | rdfnorm >"$T/fine.tsv" 2>/dev/null
    rdfcmp "$T/fine.tsv" "$T/first.tsv" 2>"$T/err" >"$T/out"
    has 'the reference is interpolated at 58 bins: p includes the interpolation error$' "$T/err"
}
