#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Histograms of trjstat along one and two axes, and the sum of those of segments.
# shellcheck shell=bash disable=SC2154
load helper

# line DISTANCE...: writes $T/x.trjf, frames of three atoms at 0, at the distance along x, and at 11 times this distance
line() {
    printf '%s\n' "$@" | awk '{ print "3\nx\nC 0 0 0\nC " $1 " 0 0\nC " 11 * $1 " 0 0" }' >"$T/x.xyz"
    trjcat --carry element "$T/x.xyz" -o "$T/x.trjf" 2>"$T/note"
}

# Prints rows of 1 and 2, N of them, that are random and correlated over BLOCK rows: the same ones in each run.
coin() { # N BLOCK
    awk -v n="$1" -v block="$2" 'BEGIN {
        state = 1
        for (i = 0; i < n; i++) {
            for (k = 0; k < 3 && i % block == 0; k++) state = (state * 16807) % 2147483647
            print 1 + state % 2
        }
    }'
}

adk() { # OPTION...
    trjcat -t "$DATA/dcd/adk.psf" --carry mass "$@" "$DATA/dcd/adk_dims.dcd" 2>"$T/note"
}
phi() { echo "torsion(name C and resid $(($1 - 1)), name N and resid $1, name CA and resid $1, name C and resid $1)"; }
psi() { echo "torsion(name N and resid $1, name CA and resid $1, name C and resid $1, name N and resid $(($1 + 1)))"; }

@test "--hist: values on edges, outside of the range, and densities and free energies computed by hand" {
    line 1 1.5 2 2.5 3 3 0.25 9
    trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --range 1:3 -b 4 -T 300 >"$T/h" 2>"$T/notes"
    # 8 values in bins of 0.5; R T ln 3 = 2.740277...
    rows "$T/h" | awk -F '\t' '{ d = $2 - (NR < 4 ? 8.31446261815324e-3 * 300 * log(3) : 0); p = NR < 4 ? 0.25 : 0.75
        if (NF != 4 || $1 != 0.75 + NR / 2 || $3 != p || $4 != (NR < 4 ? 1 : 3) || d > 1e-8 || d < -1e-8) exit bad = 1 }
        END { exit bad || NR != 4 }'
    has $'^# values of distance(0, 1)\t6\t1\t1\t0$' <"$T/h"
    has '^# axis bin: distance in Angstrom: 4 bins from 1 to 3$' <"$T/h"
    has '^# temperature: 300 K$' <"$T/h"
    has 'of 8 values, 2 are outside of the range 1:3 (they reach from 0.25 to 9), and 0 are nan' <"$T/notes"
    # An empty bin has no free energy; if all are empty, none has one.
    trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --range 1:9 -b 2 -T 300 2>&- | rows | cut -f 2,4 |
        diff - <(printf '0\t6\n4.46925514\t1\n')
    trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --range 20:30 -b 1 -T 300 2>&- | rows |
        diff - <(printf '25\tnan\t0\t0\n')
}

@test "--hist: nan is counted, and not part of the density" {
    line 1 0 1 0 0
    trjstat -i "$T/x.trjf" --hist 'angle(0, 1, 2)' -b 2 >"$T/h" 2>"$T/notes"
    has $'^# values of angle(0, 1, 2)\t2\t0\t0\t3$' <"$T/h"
    has 'and 3 are nan' <"$T/notes"
    rows "$T/h" | diff - <(printf -- '-90\t0\t0\n90\t0.00555555556\t2\n')
}

@test "--hist2d of two torsion angles: as computed from a table of their values" {
    need_shared
    adk | trjstat --hist2d "$(phi 50)" --hist2d "$(psi 50)" -b 12,9 -T 310 >"$T/h"
    awk -F '\t' 'NR == FNR { if (/^#/) next
            if (!head++) { for (i = 1; i <= NF; i++) column[$i] = i; next }
            x = int(($column["phi50"] + 180) / 30); y = int(($column["psi50"] + 180) / 40)
            n[x, y]++; all++; if (n[x, y] > max) max = n[x, y]; next }
        /^#/ { next }
        { x = row % 12; y = int(row / 12); row++; k = n[x, y] + 0
          if ($1 != -165 + 30 * x || $2 != -160 + 40 * y || $5 != k) bad = "counts of row " row
          d = $4 - k / all / 1200; if (d > 1e-12 || d < -1e-12) bad = "density of row " row
          if (!k && $3 != "inf") bad = "free energy of row " row
          d = k ? $3 + 8.31446261815324e-3 * 310 * log(k / max) : 0; if (d > 1e-8 || d < -1e-8) bad = "row " row }
        END { print bad; exit bad != "" || row != 108 || all != 98 }' \
        "$SHARED/reference-observables/adk-geometry.tsv" "$T/h"
    has 'torsion in degrees: 9 bins from -180 to 180$' <"$T/h"
}

@test "--hist2d of phi and psi: residues that have both are paired, and the reference values of one are found" {
    need_shared
    adk -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" --hist2d 'phi(protein)' --hist2d 'psi(protein)' -b 12,9 >"$T/all"
    # The first residue has no phi, and the last one no psi.
    [[ $(grep -c '^# values of phi(protein)\[' "$T/all") == 212 ]]
    ! grep -q '^# values of .*:.*\(ET1\]\|LY214\]\)' "$T/all" || false
    column=$(grep '^# bin_x' "$T/all" | tr '\t' '\n' |
        grep -n 'values(phi(protein)\[.*[A-Z]50\]:psi.*[A-Z]50\])$' | cut -d : -f 1)
    rows "$T/all" | cut -f 1,2,"$column" >"$T/50"
    trjstat -i "$T/adk.trjf" --hist2d "$(phi 50)" --hist2d "$(psi 50)" -b 12,9 | rows | cut -f 1,2,4 | cmp - "$T/50"
    # Pooled, the counts are their sums.
    trjstat -i "$T/adk.trjf" --hist2d 'phi(protein)' --hist2d 'psi(protein)' -b 12,9 --pool >"$T/pool"
    has $'^# values of phi(protein):psi(protein)\t20776\t0\t0\t0$' <"$T/pool"
    paste <(rows "$T/all") <(rows "$T/pool") | awk -F '\t' '{ n = 0; for (i = 4; i <= 426; i += 2) n += $i
        if (n != $NF) exit bad = 1 } END { exit bad || NR != 108 }'
}

@test "--hist2d of residues: those of one name and number are not paired with each other" {
    printf 'ATOM  %5d  %-3s ALA A   %d    %8.3f%8.3f%8.3f\n' 1 N 1 1 1 1 2 CA 1 2 1 1 3 N 2 4 2 1 4 CA 2 4 3 1 \
        5 N 1 5 5 4 6 CA 1 7 5 4 >"$T/x.pdb"
    trjcat -t "$T/x.pdb" --carry mass "$T/x.pdb" -o "$T/x.trjf" 2>"$T/note"
    pairs() { # A B
        run trjstat -i "$T/x.trjf" --per residue --hist2d "rg($1)" --hist2d "rg($2)" --range 0:5 -b 2
    }
    # Atoms 0 and 1 are a residue A:ALA1, as are atoms 4 and 5.
    pairs 'index 0 1' 'index 4 5'
    [[ $status == 2 && $output == *'no residue has both'* ]]
    pairs 'index 4 5' all
    [[ $(grep '^# values of rg' <<<"$output" | cut -f 1) == '# values of rg(index 4 5)[A:ALA1]:rg(all)[A:ALA1/2]' ]]
}

@test "--hist with --per residue: the counts of the columns that a table of frames has" {
    need_shared
    adk -g 'P=resid 1 to 9' -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" --per residue --hist 'rg(P)' --range 0:4 -b 16 >"$T/h"
    [[ $(grep -c '^# values of rg(P)\[' "$T/h") == 9 ]]
    trjstat -i "$T/adk.trjf" --per residue 'rg(P)' | rows | awk -F '\t' 'NR == FNR { n[int($5 * 4)]++; next }
        !/^#/ && $7 != n[row++] + 0 { exit bad = 1 } END { exit bad || row != 16 }' - "$T/h"
}

@test "--hist2d into .npy: counts, or free energies, with a row for each bin of the second expression" {
    need python3
    line 1 2 2 3 3 3 9
    hist() {
        trjstat -i "$T/x.trjf" --hist2d 'distance(0, 1)' --hist2d 'distance(0, 2)' --range 0:4,0:40 -b 4,2 "$@" 2>&-
    }
    hist -o "$T/n.npy"
    hist -T 300 -o "$T/g.npy"
    python3 - "$T" <<'END'
import math, struct, sys
def read(name):
    data = open(f'{sys.argv[1]}/{name}', 'rb').read()
    n = struct.unpack('<H', data[8:10])[0]
    return eval(data[10:10 + n]), data[10 + n:]
head, data = read('n.npy')
assert head['descr'] == '<i8' and head['shape'] == (2, 4), head
# The second distance is 11, 22, 33: the pairs are (1, 11), (2, 22), (3, 33).
assert struct.unpack('<8q', data) == (0, 1, 0, 0, 0, 0, 2, 3)
head, data = read('g.npy')
assert head['descr'] == '<f8' and head['shape'] == (2, 4), head
g = struct.unpack('<8d', data)
assert g[7] == 0 and g[0] == math.inf and abs(g[1] - 8.31446261815324e-3 * 300 * math.log(3)) < 1e-12, g
END
}

@test "columns: each has a histogram, --pool counts them together, and other units are rejected" {
    line 1 2 3
    trjstat -i "$T/x.trjf" --hist 'cog(all)' --range=-1:25 -b 13 >"$T/h"
    has $'^# bin\tp(cog.x(all))\tvalues(cog.x(all))\tp(cog.y(all))\tvalues(cog.y(all))\tp(cog.z(all))\t' <"$T/h"
    has 'axis bin: cog in Angstrom' <"$T/h"
    trjstat -i "$T/x.trjf" --hist 'cog(all)' --range=-1:25 -b 13 --pool >"$T/pool"
    paste <(rows "$T/h") <(rows "$T/pool") |
        awk -F '\t' '$3 + $5 + $7 != $10 { exit bad = 1 } { n += $10 } END { exit bad || n != 9 }'
    trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --hist 'cog.x(all)' --range 0:20 -b 2 >"$T/two"
    has '^# axis bin: value in Angstrom: 2 bins from 0 to 20$' <"$T/two"
    rows "$T/two" | cut -f 1,3,5 | diff - <(printf '5\t3\t2\n15\t0\t1\n')
    run -2 trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --hist 'angle(0-1-2)' --range 0:9
    [[ $output == *'angle(0-1-2) has the unit degrees, but a column before it Angstrom'* ]]
    run -2 trjstat -i "$T/x.trjf" --hist2d 'cog(all)' --hist2d 'distance(0, 1)' --range 0:9
    [[ $output == *'cog(all) has 3 columns, and distance(0, 1) has 1; name one of the columns'* ]]
    trjstat -i "$T/x.trjf" --hist2d 'cog(all)' --hist2d 'cog(index 0)' --range=-1:25 -b 1 >"$T/pairs"
    has $'\tvalues(cog.x(all):cog.x(index 0))\tp(cog.y(all):cog.y(index 0))\t' <"$T/pairs"
}

@test "--hist with --summary: standard errors of independent and of correlated frames" {
    # shellcheck disable=SC2046
    for block in 1 8; do
        line $(coin 1024 $block)
        trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --range 0.5:2.5 -b 2 --summary -T 300 | rows >"$T/$block"
        # The bins have the width 1; se = sqrt(q (1 - q) / (n - 1)), and that of -R T ln p is R T se / p.
        awk -F '\t' -v n=$((1024 / block)) '{ q = $6 / 1024; se = sqrt(q * (1 - q) / (n - 1)); ratio = $5 / se
            d = $3 * $4 / $5 / (8.31446261815324e-3 * 300) - 1
            if ($4 != q && $4 - q > 1e-9) exit bad = 1
            if (ratio < 0.75 || ratio > 1.25 || d > 1e-6 || d < -1e-6) { print ratio, d; exit bad = 1 } }
            END { exit bad || NR != 2 }' "$T/$block"
    done
    line 1
    trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --range 0.5:2.5 -b 2 --summary | rows | cut -f 3 |
        diff - <(printf 'nan\nnan\n')
}

@test "--merge: the bytes of the run over all frames, with the provenance of all tables" {
    need_shared
    segments() { # OPTION...
        for k in 1 2 3; do adk --segment $k/3 | trjstat "$@" >"$T/$k" 2>"$T/note"; done
        trjstat --merge "$T/1" "$T/2" "$T/3" >"$T/merged" 2>"$T/notes"
        adk | trjstat "$@" >"$T/all" 2>"$T/note"
        cmp <(grep -v '^# provenance' "$T/merged") <(grep -v '^# provenance' "$T/all")
    }
    segments --hist 'rg(all)' --hist 'distance(com(resid 122 to 159), com(resid 30 to 59))' --range 17:30 -T 300
    local outside='of 98 values, [1-9][0-9]* are outside of the range 17:30, and 0 are nan; 1 other column has'
    has "^trjstat: note: rg(all): $outside" <"$T/notes"
    for k in 1 2 3; do has "^# provenance: trjcat .*--segment $k/3" <"$T/merged"; done
    [[ $(grep -c '^# provenance' "$T/merged") == 5 ]]
    segments --hist2d "$(phi 50)" --hist2d "$(psi 50)" -b 20 -T 298.15333333333333
    # An array has the values of the table.
    trjstat --merge "$T/1" "$T/2" "$T/3" -o "$T/merged.npy" 2>"$T/note"
    adk | trjstat --hist2d "$(phi 50)" --hist2d "$(psi 50)" -b 20 -T 298.15333333333333 -o "$T/all.npy" 2>"$T/note"
    cmp "$T/merged.npy" "$T/all.npy"
    segments --hist2d 'cog(all)' --hist2d 'com(all)' --range=-1:1 -b 5 --pool
    # Sums of sums, in another order, are the same; a missing segment is noticed.
    trjstat --merge "$T/2" "$T/3" -o "$T/23" 2>"$T/notes"
    has 'segment 1 of 3 is missing' <"$T/notes"
    trjstat --merge "$T/23" - <"$T/1" 2>"$T/notes" |
        cmp <(grep -v '^# provenance' "$T/all") <(grep -v '^# provenance' -)
    [[ ! -s $T/notes ]]
}

@test "--merge: tables that differ, are no histograms, or cannot be added are rejected" {
    line 1 2 3
    hist() { trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --range 0:4 -b 4 "$@"; }
    hist >"$T/a"
    rejects() { # STATUS WORDS FILE...
        run -"$1" trjstat --merge "${@:3}"
        [[ $output == *"$2"* ]] || { echo "$output" && false; }
    }
    hist --summary >"$T/b"
    rejects 3 'standard errors, which cannot be added' "$T/a" "$T/b"
    hist -T 300 >"$T/b"
    rejects 3 'expected the temperature nan K, found 300 K' "$T/a" "$T/b"
    hist -b 5 >"$T/b"
    rejects 3 'expected 4 bins from 0 to 4, found 5 from 0 to 4' "$T/a" "$T/b"
    trjstat -i "$T/x.trjf" --hist 'distance(1, 0)' --range 0:4 -b 4 >"$T/b"
    rejects 3 'distance(1, 0)' "$T/a" "$T/b"
    trjstat -i "$T/x.trjf" --hist 'distance(0, 1)' --hist 'distance(0, 2)' --range 0:4 -b 4 >"$T/b" 2>&-
    rejects 3 'distance(0, 2)' "$T/a" "$T/b"
    trjstat -i "$T/x.trjf" 'distance(0, 1)' >"$T/b"
    rejects 3 'is not a table of trjstat --hist' "$T/a" "$T/b"
    echo 1 >"$T/b"
    rejects 3 'is not a table of trjstat that --merge adds' "$T/b"
    sed '$d' "$T/a" >"$T/b"
    rejects 3 'truncated: expected a row for each of 4 bins, found 3' "$T/a" "$T/b"
    sed 's/^1.5\t\(.*\)\t1$/1.5\t\1\t2/' "$T/a" >"$T/b"
    rejects 3 'expected 3 values in the bins, found 4' "$T/b"
    sed 's/^1.5\t/1.6\t/' "$T/a" >"$T/b"
    rejects 3 'the row is not that of bin 1' "$T/b"
    sed 's/bins from 0/bins from x/' "$T/a" >"$T/b"
    rejects 3 'invalid description of an axis' "$T/b"
    { cat "$T/a" && echo '# FAILED: trjcat: x.dcd: truncated'; } >"$T/b"
    rejects 3 'x.dcd: truncated' "$T/b"
    rejects 2 '--merge: no file given'
    # No option is ignored, and a name that ends with .npy is not that of a table.
    rejects 2 'leave --input out' -i "$T/x.trjf" "$T/a"
    rejects 2 '--per applies to frames, and --merge reads tables' --per residue "$T/a"
    rejects 2 'the name ends with .npy, but of the tables of --merge' -o "$T/m.npy" "$T/a"
    [[ ! -e $T/m.npy ]]
    run -2 trjstat --merge --summary "$T/a"
    run -2 trjstat --merge -b 3 "$T/a"
    [[ $output == *'--bins applies to frames, and --merge reads tables, which contain its result'* ]]
    # The same frames twice
    run -0 trjstat --merge "$T/a" "$T/a"
    [[ $output == *'its frames may be counted twice'* ]]
    # The first frame of each segment is another reference.
    printf '4\nx\nC 0 0 0\nC 1 0 0\nC 0 2 0\nC 0 0 3\n' >"$T/y.xyz"
    trjcat --carry mass -t "$T/y.xyz" "$T/y.xyz" "$T/y.xyz" -o "$T/y.trjf" 2>"$T/note"
    trjstat -i "$T/y.trjf" --hist 'rmsd(all)' --range 0:1 >"$T/a"
    rejects 3 'rmsd(all): the reference is the first frame of each segment' "$T/a" "$T/a"
    trjstat --merge "$T/a" >"$T/out"
    trjstat -i "$T/y.trjf" --hist "rmsd(all, reference=$T/y.xyz)" --range 0:1 >"$T/a"
    trjstat --merge "$T/a" "$T/a" >"$T/out" 2>"$T/note"
}

@test "histograms: invalid options are rejected, and no range is guessed" {
    line 1 2
    rejects() { # WORDS OPTION...
        run -2 trjstat -i "$T/x.trjf" "${@:2}"
        [[ $output == *"$1"* ]] || { echo "$output" && false; }
    }
    rejects '--range is missing: only angles have a default; give LOW:HIGH in Angstrom' --hist 'distance(0, 1)'
    rejects "invalid range '3:1'" --hist 'distance(0, 1)' --range 3:1
    rejects "invalid range '3'" --hist 'distance(0, 1)' --range 3
    rejects "invalid range '1:nan'" --hist 'distance(0, 1)' --range 1:nan
    rejects 'have a width of 1.43e+307' --hist 'distance(0, 1)' --range 0:1e308 -b 7
    rejects 'use a wider range or fewer bins' --hist 'distance(0, 1)' --range 1:1.0000000000000002 -b 7
    rejects 'use a wider range or fewer bins' --hist 'distance(0, 1)' --range 0:1e-320
    rejects 'the name ends with .npy, but only --map and --hist2d' --hist 'angle(0-1-2)' -o "$T/x.npy"
    rejects 'the name ends with .npy, but only --map and --hist2d' 'angle(0-1-2)' -o "$T/x.npy"
    rejects "--range: '1:2,1:2' has more parts" --hist 'distance(0, 1)' --range 1:2,1:2
    rejects "--bins: '4,4' has more parts" --hist 'distance(0, 1)' --range 1:2 -b 4,4
    rejects "--bins: invalid number '0'" --hist 'distance(0, 1)' --range 1:2 -b 0
    rejects '1 columns of 10000000000 bins are more than' --hist2d 'angle(0-1-2)' --hist2d 'angle(0-1-2)' -b 100000
    rejects "--bins: invalid number 'x'" --hist 'distance(0, 1)' --range 1:2 -b x
    rejects 'the axes have the units Angstrom and degrees' --hist2d 'distance(0, 1)' --hist2d 'angle(0-1-2)' --range 0:9
    rejects '--hist2d: 1 expression given' --hist2d 'distance(0, 1)'
    rejects 'different outputs' --hist 'distance(0, 1)' --rmsf all
    rejects 'different outputs' --hist 'distance(0, 1)' --hist2d 'distance(0, 1)'
    rejects 'leave the expressions out' --hist 'distance(0, 1)' 'distance(0, 1)'
    rejects '--hist2d has no standard errors' --hist2d 'angle(0-1-2)' --hist2d 'angle(0-1-2)' --summary
    rejects '--temperature: invalid value 0 K' --hist 'angle(0-1-2)' -T 0
    rejects '--temperature applies to --hist and --hist2d only' 'angle(0-1-2)' -T 300
    rejects '--pool applies' --rmsf all --pool
    rejects "unknown function 'rgg'" --hist 'rgg(all)'
    run -3 trjstat --hist 'angle(0-1-2)' -o "$T/h" < <(head -c 200 "$T/x.trjf")
    [[ ! -e $T/h ]]
}

@test "rdfcmp of histograms: deviations of the densities, and tables of other quantities are rejected" {
    line 1 2 3 3
    hist() { trjstat -i "$T/x.trjf" --hist "$1" --range 0:4 -b 4 2>"$T/note"; }
    hist 'distance(0, 1)' >"$T/a"
    hist 'distance(0, 1)' | sed 's/^1.5\t0.25/1.5\t0.75/' >"$T/b"
    rdfcmp "$T/a" "$T/b" 2>"$T/note" | rows | head -n 1 | cut -f 1-8 >"$T/row"
    same "$T/row" - <<<$'p(distance(0, 1))\tp(distance(0, 1))\t0.5\t3.5\t4\t0.125\t0.25\t-0.5'
    hist 'angle(0, 1, 2)' >"$T/b"
    run -3 rdfcmp "$T/a" "$T/b"
    [[ $output == *"the first column of $T/a is distance / Å, that of $T/b is angle / °; compare"* ]]
}

@test "histograms: the same table for any number of threads" {
    need_shared
    adk -o "$T/adk.trjf"
    for threads in 1 2 5; do
        trjstat -j $threads -i "$T/adk.trjf" --hist 'rg(all)' --range 16:20 --summary >"$T/$threads"
        trjstat -j $threads -i "$T/adk.trjf" --hist2d 'rg(all)' --hist2d 'end_to_end(name CA)' --range 10:30 \
            >>"$T/$threads"
    done
    cmp "$T/1" "$T/2" && cmp "$T/1" "$T/5"
}

@test "recipe with histograms: a list of expressions, which are checked, and what they require is requested" {
    need_shared
    printf 'trjrun: 1\nstages:\n  a: {tool: trjcat, files: adk.dcd, topology: adk.psf}\n' >"$T/r.yaml"
    cp "$DATA/dcd/adk.psf" "$T/" && cp "$DATA/dcd/adk_dims.dcd" "$T/adk.dcd"
    cp "$T/r.yaml" "$T/bad"
    echo "  h: {tool: trjstat, from: a, hist2d: [rg(all), dipol.total(all)], output: h.tsv}" >>"$T/bad"
    run -3 trjrun --check "$T/bad"
    [[ $output == *"hist2d: "*"unknown function 'dipol', did you mean 'dipole'?"* ]]
    echo "  h: {tool: trjstat, from: a, hist2d: [rg(all), dipole.total(all)], range: '16:20,0:900', output: h.tsv}" \
        >>"$T/r.yaml"
    trjrun "$T/r.yaml" 2>"$T/note" || { cat "$T/note" && return 1; }
    has '^# provenance: trjcat .*--carry mass,charge' <"$T/h.tsv"
    [[ $(rows "$T/h.tsv" | wc -l) == 10000 ]]
}
