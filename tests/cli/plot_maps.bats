#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfplot --map and --waterfall: tables of two coordinates.
load helper

# Prints a table of two pairs over time and r. The times and distances are not equally spaced, and one value is nan.
map_table() {
    printf '# time\tr\tg(A:A)\tse(A:A)\tn(A:A)\tg(A:B)\tse(A:B)\tn(A:B)\n'
    printf '%s\t%s\t%s\t0.1\t1\t%s\t0.1\t1\n' 0 1 0.5 1 0 2 1.5 2 0 4 1 3 10 1 nan 1.25 10 2 2 1.75 10 4 1.25 2.25 \
        30 1 0.75 1.5 30 2 2.5 2.75 30 4 1.75 0.25
}

@test "--map: rectangles end half-way between their neighbours, and a gap has none" {
    need gnuplot python3
    map_table >"$T/t.tsv"
    rdfplot --map -p A:A --title melting --name 'A:A=liquid' -o "$T/t.svg" "$T/t.tsv"
    local text
    for text in melting liquid 'time / ps' 'r / Å' 'g(r)'; do grep -q ">$text<" "$T/t.svg"; done
    ! grep -q '>A:B<' "$T/t.svg" || false
    if command -v xmllint >/dev/null; then xmllint --noout "$T/t.svg"; fi
    # Corners of the rectangles, as fractions of the panel: the distances end at 0.5, 1.5, 3 and 5, the times at -5, 5,
    # 20 and 40. A rectangle may be larger by a pixel.
    python3 - "$T/t.svg" <<'END'
import re, sys
svg = open(sys.argv[1]).read()
boxes = []
for points in re.findall(r"<polygon[^>]*points = '([^']*)'", svg):
    xy = [tuple(map(float, p.split(','))) for p in points.split()]
    x, y = [p[0] for p in xy], [p[1] for p in xy]
    boxes.append((min(x), max(x), min(y), max(y)))
boxes = [b for b in boxes if b[1] - b[0] > 30 and b[1] - b[0] < 400 and b[3] - b[2] > 20][-8:]
assert len(boxes) == 8, boxes
left, right = min(b[0] for b in boxes), max(b[1] for b in boxes)
top, bottom = min(b[2] for b in boxes), max(b[3] for b in boxes)
def x(r): return left + (r - 0.5) / 4.5 * (right - left)
def y(t): return bottom - (t + 5) / 45 * (bottom - top)
want = [(x(a), x(b), y(d), y(c)) for c, d in ((-5, 5), (5, 20), (20, 40)) for a, b in ((0.5, 1.5), (1.5, 3), (3, 5))
        if not (a == 0.5 and c == 5)]
for b, w in zip(boxes, want):
    assert all(abs(p - q) <= 2.2 for p, q in zip(b, w)), (b, w)
END
    rdfplot --map -o "$T/t.png" "$T/t.tsv"
    head -c 8 "$T/t.png" | has -a PNG
    rdfplot --map -o "$T/t.pdf" "$T/t.tsv"
    head -c 5 "$T/t.pdf" | has %PDF-
    rdfplot --map -p A:A --title melting --name 'A:A=liquid' -o "$T/again.svg" "$T/t.tsv"
    cmp <(grep -v provenance "$T/t.svg") <(grep -v provenance "$T/again.svg")
}

@test "--map: a panel for each pair with a common scale of colours, which narrow peaks do not stretch" {
    need gnuplot
    map_table >"$T/t.tsv"
    rdfplot --map -o "$T/two.svg" "$T/t.tsv"
    local text
    for text in A:A A:B '3.0'; do grep -q ">$text<" "$T/two.svg"; done
    [[ $(grep -c '>r / Å<' "$T/two.svg") == 1 ]]
    [[ $(grep -c '>g(r)<' "$T/two.svg") == 1 ]]
    awk 'BEGIN { print "# time\tr\tg(A:A)"
        for (t = 0; t < 10; t++) for (r = 1; r <= 100; r++) print t "\t" r "\t" (r == 10 ? 80 : 1 + r % 7 / 10) }' \
        >"$T/bond.tsv"
    rdfplot --map -o "$T/bond.svg" "$T/bond.tsv"
    grep -q '>↑80<' "$T/bond.svg"
    grep -q '>1.5<' "$T/bond.svg"
    rdfplot --map -y 80 -o "$T/all.svg" "$T/bond.tsv"
    ! grep -q '↑' "$T/all.svg" || false
    grep -q '>80<' "$T/all.svg"
    rdfplot --map --x-range 20:60 -o "$T/part.svg" "$T/bond.tsv"
    ! grep -q '↑' "$T/part.svg" || false
    grep -q '>20<' "$T/part.svg"
    ! grep -q '>100<' "$T/part.svg" || false
    # Small values are divided by a power of ten, and minus signs are true ones.
    printf '# cos\tr\tg(A:A)\n-0.5\t1\t-0.002\n-0.5\t2\t0.001\n0.5\t1\t0.003\n0.5\t2\t0\n' |
        rdfplot --map -o "$T/small.svg"
    grep -q '>g(r) / 10⁻³<' "$T/small.svg"
    grep -q '>−[12]' "$T/small.svg"
    grep -q '>cos θ<' "$T/small.svg"
}

@test "--waterfall: at most 40 curves, each shifted by the distance in the label" {
    need gnuplot
    map_table >"$T/t.tsv"
    rdfplot --waterfall -p A:B -o "$T/t.svg" "$T/t.tsv"
    grep -q '>g(r), curves shifted by 0.5<' "$T/t.svg"
    for text in A:B 'time / ps' 'r / Å'; do grep -q ">$text<" "$T/t.svg"; done
    awk 'BEGIN { print "# time\tr\tg(A:A)"
        for (t = 0; t < 1000; t++) for (r = 1; r <= 5; r++) print t "\t" r "\t" (r == 2 || t == 500 ? "nan" : r) }' \
        >"$T/long.tsv"
    rdfplot --waterfall -o "$T/long.svg" "$T/long.tsv"
    [[ $(grep -c 'id="gnuplot_plot_' "$T/long.svg") == 80 ]]
}

@test "--waterfall: a value between gaps, and that of a single column, are short lines" {
    need gnuplot python3
    printf '# time\tr\tg(A:A)\n0\t1\tnan\n0\t2\t1\n0\t4\tnan\n5\t1\t1\n5\t2\tnan\n5\t4\t3\n' >"$T/t.tsv"
    rdfplot --waterfall -o "$T/t.svg" "$T/t.tsv" 2>"$T/err"
    [[ ! -s $T/err ]]
    # The widths are 1.5 of 4.5 for r = 2, then 1 and 2 of 4.5; the axis is 4.5 wide.
    python3 - "$T/t.svg" <<'END'
import re, sys
svg = open(sys.argv[1]).read()
lines = [[tuple(map(float, p)) for p in re.findall(r"[ML]([\d.]+),([\d.]+)", path)]
         for path in re.findall(r"<path stroke='rgb\([^']*' +d='([^']*)'", svg)]
widths = sorted(round(line[1][0] - line[0][0], 1) for line in lines
                if len(line) == 2 and line[0][1] == line[1][1] and line[1][0] - line[0][0] > 20)
assert len(widths) >= 3, widths
unit = widths[-1] / 2
assert all(abs(w - unit * u) < 1.5 for w, u in zip(widths[-3:], (1, 1.5, 2))), widths
END
    rdfplot --waterfall --x-range 1.8:2.2 -o "$T/t.svg" "$T/t.tsv" 2>"$T/err"
}

@test "--map: tables of angles, height differences and triplets are drawn with their axes" {
    need gnuplot
    mkdcd --atoms 200 --frames 4 --cell 20,21,22 | trjcat -g 'A=index 0 to 99' -g 'B=index 100 to 199' - >"$T/trj"
    rdfhist -e cpu -b 40 -r 8 -p A:B --angle z:4 "$T/trj" | rdfnorm | rdfplot --map -o "$T/angle.svg"
    grep -q '>cos θ<' "$T/angle.svg"
    rdfhist -e cpu -b 40 -r 8 -p A:B --metric xy --dz 4:4 "$T/trj" | rdfnorm | rdfplot --map -o "$T/dz.svg"
    grep -q '>Δz / Å<' "$T/dz.svg"
    rdfhist -e cpu -b 40 -r 8 -p A:B --triplet 'A:B:A 2:6' --triplet-bins 18:5 "$T/trj" |
        rdfnorm --triplets map | rdfplot --map -o "$T/triplets.svg"
    grep -q '>θ / °<' "$T/triplets.svg"
    grep -q '>A:B:A<' "$T/triplets.svg"
}

@test "--map: irregular grids, missing rows, gaps only, one row and too many values" {
    need gnuplot
    map_table >"$T/t.tsv"
    awk 'BEGIN { print "# time\tr\tg(A:A)"
        for (t = 0; t < 1001; t++) for (r = 0; r < 1000; r++) print t "\t" r "\t1" }' >"$T/many.tsv"
    local mode
    for mode in --map --waterfall; do
        sed 6d "$T/t.tsv" >"$T/missing.tsv"
        fails 3 'must have the same 3 values for each time' rdfplot $mode -o "$T/x.svg" "$T/missing.tsv"
        sed '$d' "$T/t.tsv" >"$T/short.tsv"
        fails 3 'must have the same 3 values for each time' rdfplot $mode -o "$T/x.svg" "$T/short.tsv"
        sed 's/^10\t2\t/10\t2.5\t/' "$T/t.tsv" >"$T/irregular.tsv"
        fails 3 'has time 10 and r 2.5' rdfplot $mode -o "$T/x.svg" "$T/irregular.tsv"
        sed 's/^30\t/5\t/' "$T/t.tsv" >"$T/order.tsv"
        fails 3 'is not above that of the previous row' rdfplot $mode -o "$T/x.svg" "$T/order.tsv"
        printf '# time\tr\tg(A:A)\n0\t1\tnan\n0\t2\tinf\n' >"$T/none.tsv"
        fails 3 'no value is finite' rdfplot $mode -o "$T/x.svg" "$T/none.tsv"
        printf '# time\tr\tg(A:A)\nnan\t1\t1\n' >"$T/nan.tsv"
        fails 3 'no finite time' rdfplot $mode -o "$T/x.svg" "$T/nan.tsv"
        printf '# r\tg(A:A)\n1\t1\n' >"$T/curve.tsv"
        fails 3 'a map has two coordinates' rdfplot $mode -o "$T/x.svg" "$T/curve.tsv"
        fails 2 '--pair: no such pair' rdfplot $mode -p C:C -o "$T/x.svg" "$T/t.tsv"
        fails 2 'requires a single table' rdfplot $mode -o "$T/x.svg" "$T/t.tsv" "$T/t.tsv"
        fails 2 '--size: too small' rdfplot $mode --size 20x10mm -o "$T/x.svg" "$T/t.tsv"
        printf '# time\tr\tg(A:A)\n5\t1\t0\n' | rdfplot $mode -o "$T/one.svg"
        printf '# time\tr\tg(A:A)\n1e9\t-1e3\t1e100\n1e9\t1e3\t-1e100\n' | rdfplot $mode -o "$T/large.svg"
        fails 3 '1001000 values, more than a map can show (1000000)' rdfplot $mode -o "$T/x.svg" "$T/many.tsv"
        awk 'BEGIN { printf "# time\tr"; for (i = 0; i < 17; i++) printf "\tg(A:%d)", i
            printf "\n0\t1"; for (i = 0; i < 17; i++) printf "\t1"; print "" }' >"$T/pairs.tsv"
        fails 2 'more than 16 pairs' rdfplot $mode -o "$T/x.svg" "$T/pairs.tsv"
    done
    [[ ! -e $T/x.svg ]]
    fails 2 'give one of them' rdfplot --map --waterfall -o "$T/x.svg" "$T/t.tsv"
    local option
    for option in '--log x' '--log xy' '--panels one' --coordination; do
        for mode in image map waterfall; do
            # shellcheck disable=SC2086 # words
            fails 2 "${option% *}: does not apply to --$mode; leave it out" \
                rdfplot --$mode $option -o "$T/x.svg" "$T/t.tsv"
        done
    done
    fails 2 '--ymax: does not apply to --image' rdfplot --image -y 2 -o "$T/x.svg" "$T/t.tsv"
    fails 2 '--x-range: does not apply to --image' rdfplot --image --x-range 2: -o "$T/x.svg" "$T/t.tsv"
}

@test "--map as text: blocks with the mean of their values, axes, the scale, and nothing at gaps" {
    need python3
    map_table >"$T/t.tsv"
    rdfplot --map -p A:A --size 65x12 "$T/t.tsv" >"$T/text"
    [[ $(wc -l <"$T/text") -le 12 ]]
    has 'time / ps   A:A' <"$T/text"
    has 'r / Å' <"$T/text"
    has 'g(r): 0 ' <"$T/text"
    # The lowest line is t = 0: 0.5, 1.5 and 1; then t = 10, whose first value is nan.
    python3 - "$T/text" <<'END'
import sys
assert max(map(len, open(sys.argv[1], encoding='utf-8').read().split('\n'))) <= 65
lines = [l[10:] for l in open(sys.argv[1], encoding='utf-8').read().split('\n')[1:9]]
shades = '·░▒▓█'
low, middle, high = lines[-1], lines[-4], lines[0]
for line, cells in ((low, (0.5, 1.5, 1)), (middle, (None, 2, 1.25)), (high, (0.75, 2.5, 1.75))):
    for r, v in zip((1, 2.2, 4), cells):
        got = line[int((r - 0.5) / 4.5 * 54)]
        assert got == (' ' if v is None else shades[min(int(v / 2.5 * 5), 4)]), (line, r, v, got)
END
    rdfplot --map --title quench --name 'A:B=other' "$T/t.tsv" >"$T/both"
    head -n 1 "$T/both" | has quench
    has A:A <"$T/both"
    has other <"$T/both"
    fails 2 '--waterfall requires a file' rdfplot --waterfall "$T/t.tsv"
    fails 2 '--size: too small for a map; choose at least 31x10' rdfplot --map --size 20x10 "$T/t.tsv"
    printf '# time\tr\tg(A:A)\n5\t1\t0\n' | rdfplot --map | has 'r / Å'
    # The highest value is divided by the power of ten of the scale, as the curves of other figures are; the scale is
    # shorter where the line has no room.
    awk 'BEGIN { print "# time\tr\tg(A:A)"
        for (t = 0; t < 9; t++) for (r = 1; r <= 100; r++)
            print t "\t" r "\t" (r == 10 ? 80 : 1 + r % 7 / 10) * 1e6 }' >"$T/power.tsv"
    local columns
    for columns in 31 60; do
        rdfplot --map --size ${columns}x12 "$T/power.tsv" | tail -n 1 >"$T/scale"
        grep -q '^g(r) / 10⁶: 1 .* 1.6, ↑80$' "$T/scale"
        python3 -c 'import sys; sys.exit(len(open(sys.argv[1], encoding="utf-8").read()) > int(sys.argv[2]) + 1)' \
            "$T/scale" $columns
    done
    if [[ -n $(command -v gnuplot) ]]; then
        rdfplot --map -o "$T/power.svg" "$T/power.tsv"
        grep -q '>↑80<' "$T/power.svg"
    fi
    printf '# time\tr\tg(A:A)\n1e9\t-1e3\t1e100\n1e9\t1e3\t-1e100\n' | rdfplot --map | has '10¹⁰⁰'
}

@test "--map and --waterfall: control characters in names and titles are replaced, and long names are shortened" {
    need gnuplot
    printf '# time\tr\tg(A\033[31m:%0300d)\n0\t1\t1\n0\t2\t2\n' 7 >"$T/t.tsv"
    rdfplot --map --title $'x\033[1m\377y' "$T/t.tsv" >"$T/text"
    has -F 'x?[1m?y' <"$T/text"
    has -F 'A?[31m:000' <"$T/text"
    has '…' <"$T/text"
    ! LC_ALL=C grep -q $'\033' "$T/text" || false
    local mode
    for mode in --map --waterfall; do
        rdfplot $mode --title $'x\033[1m\377y' -o "$T/t.svg" "$T/t.tsv"
        grep -q '>A?\[31m:000.*…' "$T/t.svg"
        if command -v xmllint >/dev/null; then xmllint --noout "$T/t.svg"; fi
    done
}

# Prints a histogram of two angles; the first column changes from row to row.
histogram() {
    printf '# axis bin_x: torsion in degrees: 3 bins from -180 to 180\n'
    printf '# axis bin_y: %s in degrees: 2 bins from -180 to 180\n' "${1-torsion}"
    printf '# bin_x\tbin_y\tfree_energy(torsion(0-1:2):torsion(1-2))\tp(torsion(0-1:2):torsion(1-2))\n'
    printf '%s\t%s\t%s\t%s\n' -120 -90 0 0.5 0 -90 inf 0 120 -90 1 0.25 -120 90 2 0.125 0 90 inf 0 120 90 2 0.125
}

@test "--map of a histogram: the first column is horizontal, ticks of angles, units, and no colour for empty bins" {
    need gnuplot python3
    histogram >"$T/t.tsv"
    rdfplot --map -o "$T/t.svg" "$T/t.tsv"
    local text
    # Axes of one quantity are labelled with the expressions.
    for text in 'torsion(0-1:2) / °' 'torsion(1-2) / °' 'free energy / kJ mol⁻¹' '−180' '−90' 180; do
        grep -qF ">$text<" "$T/t.svg"
    done
    python3 - "$T/t.svg" <<'END'
import re, sys
svg = open(sys.argv[1]).read()
boxes = []
for points in re.findall(r"<polygon[^>]*points = '([^']*)'", svg):
    xy = [tuple(map(float, p.split(','))) for p in points.split()]
    boxes.append((min(p[0] for p in xy), max(p[0] for p in xy), min(p[1] for p in xy), max(p[1] for p in xy)))
boxes = [b for b in boxes if b[1] - b[0] > 60 and b[3] - b[2] > 100][-4:]
width, height = max(b[1] for b in boxes) - min(b[0] for b in boxes), max(b[3] for b in boxes) - min(b[2] for b in boxes)
assert abs(width - height) < 3, (width, height)  # a square panel
left = min(b[0] for b in boxes)
# Two columns of two boxes; the third in the middle is empty.
assert sorted(round((b[0] - left) / width * 3) for b in boxes) == [0, 0, 2, 2], boxes
END
    histogram psi >"$T/t.tsv"
    cut -f 1,2,4 "$T/t.tsv" >"$T/p.tsv"
    rdfplot --map -o "$T/p.svg" "$T/p.tsv"
    for text in 'torsion angle / °' 'ψ / °' 'probability density / °⁻²'; do grep -qF ">$text<" "$T/p.svg"; done
    rdfplot --map --size 60x20 "$T/t.tsv" >"$T/text"
    has '^ψ / °' <"$T/text"
    has 'torsion angle / °' <"$T/text"
    # Waterfalls have a curve for each value of the second column.
    rdfplot --waterfall -o "$T/w.svg" "$T/p.tsv"
    grep -q '>ψ / °<' "$T/w.svg"
    run -3 rdfplot "$T/t.tsv"
    [[ $output == *'add --map'* ]]
    run -3 rdfplot --map - < <(sed 's/bins from/bins of/' "$T/t.tsv")
    [[ $output == *'line 1: invalid description of an axis'* ]]
}

@test "--map: a long label of the vertical axis is shortened to the height of the figure" {
    need gnuplot
    map_table >"$T/t.tsv"
    rdfplot --map --y-label "$(printf 'abc %.0s' {1..100})" -o "$T/t.svg" "$T/t.tsv"
    grep -q '>abc abc .*…' "$T/t.svg"
}

pair_table() { # COMMENT ROW...: prints a map of residues
    printf '# %s\n# residue_a\tresname_a\tresidue_b\tresname_b\tshare\n' "$1"
    printf '%b\n' "${@:2}"
}

@test "--map: maps of trjstat have a square panel, and both orders of pairs that are listed once" {
    need gnuplot
    # Residue 2 of 0 to 3 has no contact; pairs (0, 3) and (3, 0) are at the corners.
    pair_table 'each pair is listed once' '0\tALA\t0\tALA\t1' '0\tALA\t3\tGLY\t1' '1\tVAL\t1\tVAL\t1' >"$T/once.tsv"
    rdfplot --map --size 40x14 "$T/once.tsv" >"$T/text"
    has residue <"$T/text"
    has 'share of frames in contact' <"$T/text"
    # The same as a table of all pairs
    pair_table 'both orders' '0\tALA\t0\tALA\t1' '0\tALA\t3\tGLY\t1' '1\tVAL\t1\tVAL\t1' '3\tGLY\t0\tALA\t1' \
        '2\tVAL\t2\tVAL\t0' '3\tGLY\t3\tGLY\t0' >"$T/both.tsv"
    rdfplot --map --size 40x14 "$T/both.tsv" | cmp "$T/text" -
    for table in once both; do
        rdfplot --map -o "$T/$table.svg" "$T/$table.tsv"
        grep -v provenance "$T/$table.svg" >"$T/$table"
    done
    cmp <(grep polygon "$T/once") <(grep polygon "$T/both")
    # Values and names of columns that only trjstat can write
    sed 's/share/rmsd/; s/residue/frame/g; s/resname_[ab]/&/' "$T/once.tsv" | rdfplot --map --size 40x14 >"$T/text"
    has 'RMSD / Å' <"$T/text"
    has frame <"$T/text"
    sed 's/share/distance/' "$T/once.tsv" | rdfplot --map | has 'mean distance / Å'
    # Errors
    pair_table x '0\tALA\tnan\tALA\t1' >"$T/nan.tsv"
    fails 3 'a member of the pair has no number' rdfplot --map "$T/nan.tsv"
    sed 's/share/height/' "$T/once.tsv" >"$T/height.tsv"
    fails 3 "unknown column 'height'" rdfplot --map "$T/height.tsv"
    { pair_table x && seq 0 1199 | sed 's/.*/&\tA\t&\tA\t1/'; } | grep -v '^$' >"$T/large.tsv"
    fails 3 'more than a map can show' rdfplot --map "$T/large.tsv"
}

@test "--map: residues of maps have their numbers in the file if these are known for all, else those from 0" {
    need gnuplot
    {
        echo '# each pair is listed once'
        printf '# residue_a\tresid_a\tsegid_a\tresidue_b\tresid_b\tsegid_b\tshare\n'
        printf '%s\t%s\tA\t%s\t%s\tA\t%s\n' 0 40 0 40 1 0 40 3 43 0.5 1 41 1 41 0.25
    } >"$T/known.tsv"
    rdfplot --map -o "$T/known.svg" "$T/known.tsv"
    [[ $(grep -c '>residue<' "$T/known.svg") == 2 ]]
    grep -q '>43<\|>42<' "$T/known.svg"
    sed 's/43\tA/43\tB/' "$T/known.tsv" >"$T/segments.tsv"
    sed 's/43\tA/44\tA/' "$T/known.tsv" >"$T/gap.tsv"
    for table in segments gap; do
        rdfplot --map -o "$T/$table.svg" "$T/$table.tsv"
        [[ $(grep -c '>residue (number from 0)<' "$T/$table.svg") == 2 ]]
        cmp <(grep polygon "$T/known.svg") <(grep polygon "$T/$table.svg")
    done
}

@test "--map: distances and RMSD that are not in the table are white, not 0" {
    need gnuplot
    # Every second frame: the same as a table of these frames without others between them.
    printf '# each pair is listed once\n# frame_a\tframe_b\trmsd\n0\t2\t1\n0\t4\t2\n2\t4\t3\n' >"$T/second.tsv"
    printf '# each pair is listed once\n# frame_a\tframe_b\trmsd\n0\t1\t1\n0\t2\t2\n1\t2\t3\n' >"$T/each.tsv"
    for table in second each; do
        rdfplot --map --size 40x14 "$T/$table.tsv" >"$T/text"
        sed -n '2,11 { s/[0-9]/ /g; p; }' "$T/text" >"$T/$table"
    done
    cmp "$T/second" "$T/each"
    pair_table 'each pair is listed once' '0\tA\t0\tA\t0' '0\tA\t2\tA\t1' '2\tA\t2\tA\t0' >"$T/zero.tsv"
    { cat "$T/zero.tsv"; printf '0\tA\t1\tA\tnan\n1\tA\t1\tA\t0\n1\tA\t2\tA\tnan\n'; } >"$T/nan.tsv"
    for table in zero nan; do
        sed 's/share/distance/' "$T/$table.tsv" | rdfplot --map --size 40x14 >"$T/$table"
    done
    cmp "$T/zero" "$T/nan"
}

@test "fluctuations of trjstat: over numbers of residues in the file if they increase, else over those from 0" {
    need gnuplot
    local study=$BATS_TEST_DIRNAME/../../examples/protein-study
    trjcat -t "$study/peptide.tpr" --whole --carry mass -f ::60 -o "$T/p.trjf" "$study/peptide.xtc"
    trjstat -i "$T/p.trjf" --rmsf 'name CA' -o "$T/ca.tsv"
    trjstat -i "$T/p.trjf" --rmsf protein -o "$T/protein.tsv"
    trjstat -i "$T/p.trjf" --rmsf protein --per residue -o "$T/residue.tsv"
    rdfplot -o "$T/ca.svg" "$T/ca.tsv"
    grep -q '>residue<' "$T/ca.svg"
    grep -q '>RMSF / Å<' "$T/ca.svg"
    rdfplot -o "$T/protein.svg" "$T/protein.tsv"
    grep -q '>atom (number from 0)<' "$T/protein.svg"
    rdfplot -o "$T/residue.svg" "$T/residue.tsv"
    grep -q '>residue<' "$T/residue.svg"
    printf '# residue\tresid\tsegid\trmsf\n0\t1\tA\t1\n1\t2\tA\t1.5\n2\t3\tB\t1\n' >"$T/segments.tsv"
    rdfplot -o "$T/segments.svg" "$T/segments.tsv"
    grep -q '>residue (number from 0)<' "$T/segments.svg"
    # The same heights as those of the curve from a table of numbers only
    awk -F '\t' '/^# atom\t/ { for (i = 1; i <= NF; i++) c[$i] = i; print "# frame\trmsd()"; next }
        !/^#/ { print $c["resid"] "\t" $c["rmsf"] }' "$T/ca.tsv" >"$T/curve.tsv"
    rdfplot -o "$T/curve.svg" "$T/curve.tsv"
    heights() { grep -A 1 "<path stroke='rgb(  0, 114, 178)'" "$1" | grep -o '[ML][0-9.]*,[0-9.]*' | cut -d , -f 2; }
    [[ $(heights "$T/ca.svg" | wc -l) == 15 ]]
    same <(heights "$T/ca.svg") <(heights "$T/curve.svg")
}

@test "rdfplot: an array of NumPy is rejected with the way to write the table" {
    printf '\x93NUMPY\x01\x00v\x00' >"$T/d.npy"
    fails 3 'd.npy: is an array of NumPy, but rdfplot reads tables; write the table: trjstat --map ... -o FILE.tsv' \
        rdfplot --map "$T/d.npy"
}
