#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Numbers of neighbours, their exchange, and triplets: rdfhist --neighbours, --events, --triplet, and their tables.
# shellcheck shell=bash disable=SC2154
load helper

PDB=examples/water/water.pdb WATER=examples/water/water.dcd
shapes=(cube brick hexagonal tilted symmetric)
export PYTHONDONTWRITEBYTECODE=1

# make_shape NAME: makes $T/NAME.xyz and its frame stream $T/NAME.trjf with the groups A, B and all
make_shape() {
    run_python tests/helpers/metric_counts.py make "$1" 3 100 >"$T/$1.xyz"
    trjcat "${@:2}" -g 'A=name A' -g 'B=name B' -g 'all=all' "$T/$1.xyz" >"$T/$1.trjf"
}

# fields KIND FILE: the numbers of the lines of one kind in a histogram stream
fields() {
    tests/helpers/decode_histograms.py "$2" | sed -n "s/^$1 \([0-9]\)/\1/p"
}

# brute_force XYZ PERIODIC ARGUMENT...: an independent count
brute_force() {
    run_python tests/helpers/neighbour_counts.py "${@:2}" <"$1"
}

# compare_shape XYZ STREAM PERIODIC: compares both engines with brute force
compare_shape() {
    local engine pair triplet
    for pair in A:A A:B AB:B; do
        brute_force "$1" "$3" neighbours 4.2 1024 $pair
    done >"$T/neighbours"
    while read -r triplet; do
        # shellcheck disable=SC2086
        brute_force "$1" "$3" triplets 36 5 $triplet
    done <<'END' >"$T/triplets"
A:B:A 0:4.2 0:4.2
A:A:B 0.5:4 1:3.5
A:AB:AB 0:3 0:3
B:B:B 1:3 2:4.5
END
    for engine in 'cpu -j 1' 'cpu -j 3' reference; do
        # shellcheck disable=SC2086
        rdfhist -B 0 -e $engine -r 5 -b 5 -p A:A -p A:B -p all:B --neighbours 4.2 --triplet 'A:B:A 0:4.2' \
            --triplet 'A:A:B 0.5:4 1:3.5' --triplet 'A:all:all 0:3' --triplet 'B:B:B 1:3 2:4.5' --triplet-bins 36:5 \
            "$2" >"$T/rdfh"
        fields neighbours "$T/rdfh" | same "$T/neighbours" -
        fields triplets "$T/rdfh" | same "$T/triplets" -
    done
}

@test "neighbours and triplets: equal an independent brute force in cells of every shape, on each engine" {
    need_python_module numpy
    local shape
    for shape in "${shapes[@]}"; do
        make_shape "$shape"
        compare_shape "$T/$shape.xyz" "$T/$shape.trjf" xyz || { echo "$shape"; return 1; }
    done
    make_shape tilted -P xy
    compare_shape "$T/tilted.xyz" "$T/tilted.trjf" xy
    make_shape cube -P none
    compare_shape "$T/cube.xyz" "$T/cube.trjf" none
}

@test "--events: lists the pairs of atoms that a brute force finds to enter and leave" {
    need_python_module numpy
    make_shape tilted
    rdfhist -e cpu -j 2 -r 5 -p A:A --neighbours 4 --events "$T/events" "$T/tilted.trjf" >"$T/rdfh"
    brute_force "$T/tilted.xyz" xyz events 4 A:A >"$T/expected"
    (($(wc -l <"$T/expected") > 100))
    grep -v '^#' "$T/events" | cut -f 2,5,6,7 | tr '\t' ' ' | same "$T/expected" -
    grep -v '^#' "$T/events" | cut -f 1,4 | sort -u | has -xF $'0\tA:A'
}

@test "--events: centres are numbered separately, and have the events of their atoms" {
    trjcat -f :3 -t "$PDB" -g 'M=com(name OW)' -g 'O=name OW' "$WATER" 2>/dev/null |
        rdfhist -e cpu -r 3 --neighbours 3.2 --events "$T/events" >"$T/rdfh"
    # The centre of an oxygen is the oxygen: centre k is atom 3 k.
    grep -P '\tM:M\t' "$T/events" | sed 's/M:M/O:O/' | awk -F '\t' -v OFS='\t' '
        $5 !~ /^c/ || $6 !~ /^c/ { exit 1 }
        { $5 = 3 * substr($5, 2); $6 = 3 * substr($6, 2); print }' >"$T/centres"
    grep -P '\tO:O\t' "$T/events" | same - "$T/centres"
}

# lattice KIND: prints an FCC crystal, or one with a simple cubic cell, of edge 4, 3 x 3 x 3 cells
lattice() {
    awk -v kind="$1" 'BEGIN {
        n = split(kind == "fcc" ? "0 0 0 0 2 2 2 0 2 2 2 0" : "0 0 0", b, " ")
        print 9 * n "\nLattice=\"12 0 0 0 12 0 0 0 12\""
        for (i = 0; i < 27; i++)
            for (k = 1; k <= n; k += 3)
                print "X", b[k] + 4 * (i % 3), b[k + 1] + 4 * (int(i / 3) % 3), b[k + 2] + 4 * int(i / 9)
    }'
}

@test "lattices: 12 neighbours at 60, 90, 120 and 180 degrees in FCC, 6 at 90 and 180 in a simple cubic one" {
    lattice fcc | trjcat - | rdfhist -r 4 --neighbours 3 --triplet 'all:all:all 0:3' >"$T/fcc"
    rdfnorm --neighbours numbers "$T/fcc" | grep -v '^#' | awk '$2 != ($1 == 12)' | same /dev/null -
    [[ $(rdfnorm --neighbours numbers "$T/fcc" | grep -v '^#' | tail -n 1 | cut -f 1,2) == $'12\t1' ]]
    # 24, 12, 24 and 6 of 66 angles
    rdfnorm --triplets angles "$T/fcc" | grep -v '^#' | awk '$2 > 0 { printf "%s %.6f\n", $1, $2 * 66 }' >"$T/angles"
    printf '%s\n' '60.5 24.000000' '90.5 12.000000' '120.5 24.000000' '179.5 6.000000' | same - "$T/angles"
    lattice cubic | trjcat - | rdfhist -r 5 --neighbours 4.5 --triplet 'all:all:all 0:4.5' >"$T/cubic"
    rdfnorm --neighbours numbers "$T/cubic" | has 'mean 6, '
    rdfnorm --triplets angles "$T/cubic" | grep -v '^#' | awk '$2 > 0 { printf "%s %.6f\n", $1, $2 * 15 }' >"$T/angles"
    printf '%s\n' '90.5 12.000000' '179.5 3.000000' | same - "$T/angles"
}

# gas: prints 20 frames of 500 atoms at random places in a tilted cell
gas() {
    run_python - <<'END'
import numpy
random, h = numpy.random.default_rng(3), numpy.array([[20, 0, 0], [4, 19, 0], [-3, 5, 21]])
for _ in range(40):
    print('500\nLattice="%s"' % " ".join(map(str, h.ravel())))
    for x in random.random((500, 3)) @ h:
        print("X %.5f %.5f %.5f" % tuple(x))
END
}

@test "ideal gas: P(n) is Poisson's, angles are isotropic, g3 is 1, pairs leave as in independent frames" {
    need_python_module numpy
    gas >"$T/gas.xyz"
    trjcat "$T/gas.xyz" | rdfhist -e cpu -r 4 --neighbours 4 --triplet all:all:all --triplet-bins 12:4 >"$T/rdfh"
    rdfnorm --neighbours numbers "$T/rdfh" | grep -v '^#' >"$T/numbers"
    rdfnorm --neighbours exchange "$T/rdfh" >"$T/exchange"
    rdfnorm --triplets angles "$T/rdfh" | grep -v '^#' >"$T/angles"
    rdfnorm --triplets map "$T/rdfh" | grep -v '^#' >"$T/map"
    run_python - "$T" <<'END'
import sys
from math import comb, pi
import numpy
read = lambda name: numpy.loadtxt(sys.argv[1] + "/" + name)
# The other 499 atoms are within 4 Angstrom with probability p: a binomial distribution, close to that of Poisson.
p, n = 4 / 3 * pi * 64 / (20 * 19 * 21), read("numbers")
for k, share, error in n:
    expected = comb(499, int(k)) * p**k * (1 - p) ** (499 - k)
    assert abs(share - expected) < 5 * max(error, 3e-4), (k, share, expected)
for row in read("angles"):
    low, high = numpy.radians(row[0] - 7.5), numpy.radians(row[0] + 7.5)
    assert abs(row[3] - 1) < 5 * row[2] * 15 / ((numpy.cos(low) - numpy.cos(high)) / 2), row
g3 = read("map")
assert len(g3) == 48 and (abs(g3[:, 3] - 1) < 5 * numpy.maximum(g3[:, 4], 0.01)).all()
assert abs(read("angles")[:, 1].sum() * 15 - 1) < 1e-6 and abs(g3[:, 2].sum() * 15 - 1) < 1e-6
line = next(line for line in open(sys.argv[1] + "/exchange") if "residence" in line).replace(",", "").split()
assert abs(float(line[4]) - 1 / (1 - p)) < 5 * float(line[8]), line
END
}

@test "water: neighbours and angles equal numpy; sums of classes equal n(r)" {
    need_python_module numpy
    trjcat -f :4 --to xyz -t "$PDB" -g 'O=name OW' "$WATER" | sed 's/^OW/O/' >"$T/o.xyz"
    trjcat -f :4 -t "$PDB" -g 'O=name OW' "$WATER" >"$T/trjf"
    rdfhist -B 0 -e cpu -r 3.5 -b 7 --neighbours 3.5 --triplet O:O:O --triplet-bins 45:7 "$T/trjf" >"$T/rdfh"
    trjcat "$T/o.xyz" -g 'O=all' | rdfhist -B 0 -e reference -r 3.5 -b 7 --neighbours 3.5 --triplet O:O:O \
        --triplet-bins 45:7 >"$T/again"
    brute_force "$T/o.xyz" xyz neighbours 3.5 1024 O:O >"$T/expected"
    fields neighbours "$T/again" | same "$T/expected" -
    brute_force "$T/o.xyz" xyz triplets 45 7 O:O:O 0:3.5 0:3.5 >"$T/expected"
    fields triplets "$T/again" | same "$T/expected" -
    # The mean number is n(r) at the upper edge.
    [[ $(rdfnorm --neighbours numbers "$T/rdfh" | sed -n 's/.*O:O: mean \([0-9.]*\),.*/\1/p') == \
        "$(rdfnorm "$T/rdfh" | tail -n 1 | cut -f 3)" ]]
    # Neighbours in water are around the tetrahedral angle: half of the angles are from 90 to 135 degrees.
    rdfnorm --triplets angles "$T/rdfh" | grep -v '^#' |
        awk '{ sum += $2 * 4 } $1 > 90 && $1 < 135 { mid += $2 * 4 } END { exit !(sum > 0.999 && mid > 0.4) }'
}

@test "MDAnalysis: finds the same numbers of neighbours and the same angles" {
    need_python_module MDAnalysis
    trjcat -f :2 --to xyz -t "$PDB" -g 'O=name OW' "$WATER" >"$T/o.xyz"
    trjcat "$T/o.xyz" | rdfhist -B 0 -r 3.5 -b 7 --neighbours 3.5 --triplet all:all:all --triplet-bins 18:1 >"$T/rdfh"
    fields neighbours "$T/rdfh" >"$T/neighbours"
    fields triplets "$T/rdfh" >"$T/triplets"
    run_python - "$T" 2>/dev/null <<'END'
import sys
import numpy
from MDAnalysis.lib.distances import calc_angles, capped_distance
numbers, angles = numpy.zeros(1024, int), numpy.zeros(18, int)
lines = open(sys.argv[1] + "/o.xyz").read().split("\n")
for start in range(0, len(lines) - 1, int(lines[0]) + 2):
    h = numpy.array(lines[start + 1].split('"')[1].split(), float).reshape(3, 3)
    box = numpy.array([*numpy.diag(h), 90, 90, 90], numpy.float32)
    x = numpy.array([line.split()[1:4] for line in lines[start + 2 : start + 2 + int(lines[0])]], numpy.float32)
    pairs = capped_distance(x, x, 3.5, box=box, return_distances=False)
    near = [pairs[(pairs[:, 0] == i) & (pairs[:, 1] != i), 1] for i in range(len(x))]
    for i, row in enumerate(near):
        numbers[len(row)] += 1
        a, c = numpy.triu_indices(len(row), 1)
        if len(a):
            theta = numpy.degrees(calc_angles(x[row[a]], x[numpy.full(len(a), i)], x[row[c]], box=box))
            numpy.add.at(angles, numpy.minimum((theta / 10).astype(int), 17), 1)
read = lambda name: numpy.array(open(sys.argv[1] + "/" + name).read().split(), int)
assert (abs(read("neighbours")[:1024] - numbers) <= 1).all() and numbers.sum() > 600
assert (abs(read("triplets") - angles) <= 2).all() and angles.sum() > 5000
END
}

@test "segments and threads: records add up to the whole, but for the pair of frames between two segments" {
    trjcat -f :20 -t "$PDB" -g 'O=name OW' "$WATER" >"$T/trjf"
    local options=(-r 4 -b 4 --neighbours 3.5 --triplet 'O:O:O 0:3.5' --triplet-bins 20:2)
    rdfhist -B 0 -e cpu -j 1 "${options[@]}" "$T/trjf" >"$T/one"
    for blocks in 1 7 20; do
        rdfhist -B "$blocks" -e cpu -j 3 "${options[@]}" "$T/trjf" >"$T/many"
        for table in '--neighbours numbers' '--triplets angles' '--triplets map'; do
            # shellcheck disable=SC2086
            rdfnorm -e none $table "$T/many" | grep -v '^#' | same <(rdfnorm -e none $table "$T/one" | grep -v '^#') -
        done
        rdfnorm --neighbours exchange "$T/many" | grep '^# pairs of frames: 19, '
    done
    trjcat -f :9 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist "${options[@]}" >"$T/a"
    trjcat -f 9:20 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist "${options[@]}" >"$T/b"
    cat "$T/a" "$T/b" | rdfnorm --neighbours exchange | grep '^# pairs of frames: 18, 1.0000000.* ps apart$'
    rdfnorm -e none --triplets map "$T/a" "$T/b" | grep -v '^#' |
        same <(rdfnorm -e none --triplets map "$T/one" | grep -v '^#') -
    rdfhist -B 0 -r 4 -b 4 --neighbours 3.4 "$T/trjf" >"$T/other"
    fails 3 'expected numbers of neighbours within 3.5 Å, found 3.4 Å' rdfnorm "$T/one" "$T/other"
}

@test "--follow: tables after each record, of the exchange from the first two frames on" {
    trjcat -f :3 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -r 3 --neighbours 3.5 --every 1 >"$T/rdfh"
    rdfnorm --neighbours exchange --follow "$T/rdfh" | grep '^# pairs of frames' | cut -d , -f 1 |
        same <(printf '# pairs of frames: %s\n' 1 2) -
    rdfnorm --neighbours numbers --follow "$T/rdfh" | grep -c '^# frames' | same <(echo 3) -
    trjcat -f 0 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -r 3 --neighbours 3.5 --every 1 >"$T/one"
    fails 3 'no two consecutive frames were compared' rdfnorm --neighbours exchange --follow "$T/one"
}

@test "dynamic groups: members that leave the group take their pairs with them" {
    need python3
    trjcat -f :6 -t "$PDB" -g 'O=name OW' -g 'near=name OW and within 6 of index 0' "$WATER" >"$T/trjf"
    local options=(-r 4 -p near:O -p near:near --neighbours 3.5 --triplet 'O:near:O 0:3.5')
    rdfhist -e cpu -j 2 "${options[@]}" --events "$T/cpu" "$T/trjf" >"$T/rdfh"
    rdfhist -e reference "${options[@]}" --events "$T/reference" "$T/trjf" >"$T/reference.rdfh"
    same "$T/reference" "$T/cpu"
    fields neighbours "$T/rdfh" | same <(fields neighbours "$T/reference.rdfh") -
    fields triplets "$T/rdfh" | same <(fields triplets "$T/reference.rdfh") -
    # Each pair enters and leaves in turn.
    grep -v '^#' "$T/cpu" | sort -s -t $'\t' -k 4,4 -k 5,5n -k 6,6n | awk -F'\t' '
        { key = $4 " " $5 " " $6; if (last[key] == $7) exit 1; last[key] = $7; n++ } END { exit !(n > 20) }'
}

@test "g(r) with and without neighbours: the same counts" {
    trjcat -f :3 -t "$PDB" -g 'O=name OW' "$WATER" >"$T/trjf"
    rdfhist -e cpu -r 4 -b 8 "$T/trjf" | rdfnorm -c | rows >"$T/plain"
    rdfhist -e cpu -r 4 -b 8 --neighbours 3 --triplet O:O:O "$T/trjf" | rdfnorm -c | rows | same "$T/plain" -
}

@test "gaps in time: frames after one are not compared with the frame before, which a note states" {
    trjcat -f :12:3 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -r 4 --neighbours 3.5 2>"$T/err" |
        rdfnorm --neighbours exchange | grep '^# pairs of frames: 3, 3.0000001.* ps apart'
    run ! grep 'do not follow' "$T/err"
    trjcat -f :4 --to dcd "$WATER" -o "$T/a.dcd"
    trjcat -f 8:10 --to dcd "$WATER" -o "$T/b.dcd"
    trjcat -t "$PDB" -g 'O=name OW' "$T/a.dcd" "$T/b.dcd" 2>"$T/notes" |
        rdfhist -e cpu -r 4 --neighbours 3.5 2>"$T/err" >"$T/rdfh"
    grep -q '1 of 6 frames do not follow the previous frame' "$T/err"
    # Streams with other times between frames.
    trjcat -f 20:26 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -r 4 --neighbours 3.5 2>"$T/err" >"$T/one"
    trjcat -f 40::3 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -r 4 --neighbours 3.5 2>"$T/err" >"$T/three"
    rdfnorm --neighbours exchange "$T/one" >"$T/table" 2>"$T/err"
    [[ ! -s $T/err ]]
    rdfnorm --neighbours exchange "$T/one" "$T/three" >"$T/table" 2>"$T/err"
    grep -q 'the frames of records are from 1 to 3 ps apart' "$T/err"
}

@test "invalid options and streams: rejected with the reason" {
    trjcat -f :3 -t "$PDB" -g 'O=name OW' -g 'one=index 0' "$WATER" >"$T/trjf"
    fails 2 "--neighbours: invalid value -1: expected a distance" rdfhist --neighbours -1 "$T/trjf"
    fails 2 "--neighbours and --lag: neighbours are atoms of one frame" rdfhist --neighbours 3 --lag 1 "$T/trjf"
    fails 2 "--triplet and --exclude: neighbours are counted together" rdfhist --triplet O:O:O -r 3 -x residue "$T/trjf"
    fails 2 "--neighbours and --triplet: require distances in space" rdfhist --angle z:4 --neighbours 3 "$T/trjf"
    fails 2 "--events: requires neighbours" rdfhist --events "$T/e" "$T/trjf"
    fails 2 "--events and --output have the same name" rdfhist --neighbours 3 --events "$T/e" -o "$T/e" "$T/trjf"
    fails 2 "--events: standard output is for the histogram stream" rdfhist --neighbours 3 --events - "$T/trjf"
    fails 2 "--triplet: 'O:O:O' has no distance; give --rmax" rdfhist -p O:O --triplet O:O:O "$T/trjf"
    fails 2 "--triplet: invalid value 'O:O': expected A:B:C" rdfhist -p O:O --triplet O:O -r 3 "$T/trjf"
    fails 2 "--triplet: invalid value 'O:O:O 3': expected" rdfhist -p O:O --triplet 'O:O:O 3' -r 3 "$T/trjf"
    fails 2 "--triplet: invalid range 3:2" rdfhist -p O:O --triplet 'O:O:O 3:2' -r 3 "$T/trjf"
    fails 2 "--triplet: no group 'X' in the stream, which has O, one" rdfhist -p O:O --triplet O:X:O -r 3 "$T/trjf"
    fails 2 "the groups of 'O:O:O' are given twice" rdfhist -p O:O --triplet O:O:O --triplet O:O:O -r 3 "$T/trjf"
    fails 2 "--triplet-bins: invalid value '0:3'" rdfhist -p O:O --triplet-bins 0:3 "$T/trjf"
    fails 2 "--triplet-bins: no triplets are counted; add --triplet" rdfhist --triplet-bins 90:10 "$T/trjf"
    fails 3 "--neighbours or --triplet, whose largest distance is rmax here: rmax 1e+08" \
        rdfhist --neighbours 1e8 "$T/trjf"
    fails 3 "groups one, O and one contain no three different atoms" rdfhist -p O:O --triplet one:O:one -r 3 "$T/trjf"
    rdfhist -r 3 -p O:O "$T/trjf" >"$T/plain"
    fails 3 "contains no numbers of neighbours; count with rdfhist --neighbours" rdfnorm --neighbours numbers "$T/plain"
    fails 3 "contains no triplets; count with rdfhist --triplet" rdfnorm --triplets map "$T/plain"
    fails 2 "options of g(r) do not apply to this table" rdfnorm --neighbours numbers -n gromacs "$T/plain"
    fails 2 "options of g(r) do not apply to this table" rdfnorm --neighbours numbers --edges log:5 "$T/plain"
    fails 2 "options of g(r) do not apply to this table" rdfnorm --neighbours numbers --excluded only "$T/plain"
    fails 2 "--atoms applies to S(q)" rdfnorm --neighbours numbers --atoms 5 "$T/plain"
    fails 2 "options of g(r) do not apply to this table" rdfnorm --triplets angles --covariance "$T/plain"
    rdfhist -r 3 -p O:O --triplet O:O:O --triplet 'O:O:one 0:2.5' "$T/trjf" >"$T/rdfh"
    fails 2 "--triplets map: the distances of the triplets have different limits" rdfnorm --triplets map "$T/rdfh"
    rdfnorm --triplets map -p O:O:O "$T/rdfh" >"$T/map"
    fails 2 "--pair: no triplet 'X:Y:Z' in the stream, which has O:O:O, O:O:one" \
        rdfnorm --triplets map -p X:Y:Z "$T/rdfh"
    rdfhist -B 0 -r 3 -p O:O --neighbours 3 "$T/trjf" | head -c -40 >"$T/cut"
    fails 3 truncated rdfnorm --neighbours numbers "$T/cut"
}

@test "blocks NEIG and TRIP with invalid fields, and records that are too short: rejected" {
    local setup='SETU r f8:0 f8:5 u8:1 u4:1 t:all u8:3 u4:1 u4:0 u4:0 u8:3' ranges='f8:0 f8:2 f8:1 f8:3' fields=''
    # bad TEXT BLOCK...: rdfnorm and trjinfo reject a stream with these blocks
    bad() {
        mkstream histogram "$setup" "${@:2}" 'SRCE r t:run.dcd u8:5' \
            'RECO r u8:1 u8:0 n:0*160 u4:0 u4:0 u8:1 u8:0 u8:0 u8:1 u8:1 u8:7 '"$fields" >"$T/bad.rdfh"
        fails 3 "$1" rdfnorm --neighbours numbers "$T/bad.rdfh"
        fails 3 "$1" trjinfo "$T/bad.rdfh"
    }
    bad 'invalid distance of neighbours' 'NEIG r f8:-1 u8:8'
    bad 'invalid distance of neighbours' 'NEIG r f8:nan u8:8'
    bad 'invalid number of classes' 'NEIG r f8:3 u8:1'
    bad 'invalid number of classes' 'NEIG r f8:3 u8:2000000'
    bad 'too short' 'NEIG r f8:3'
    bad 'neighbours are those of one frame' 'LAGS r u8:1 f8:1 u8:6' 'NEIG r f8:3 u8:8'
    bad 'in the wrong place' 'TRIP r u4:6 u4:2 u4:1 u4:0 u4:0 u4:0'" $ranges f8:1" 'NEIG r f8:3 u8:8'
    bad 'a triplet refers to a missing group' "TRIP r u4:6 u4:2 u4:1 u4:0 u4:1 u4:0 $ranges f8:1"
    bad 'a triplet of groups contains no three atoms' "TRIP r u4:6 u4:2 u4:1 u4:0 u4:0 u4:0 $ranges f8:0"
    bad 'invalid number of bins of triplets' "TRIP r u4:0 u4:2 u4:1 u4:0 u4:0 u4:0 $ranges f8:1"
    bad 'invalid number of bins of triplets' "TRIP r u4:100000 u4:101 u4:1 u4:0 u4:0 u4:0 $ranges f8:1"
    bad 'invalid range 2:1' 'TRIP r u4:6 u4:2 u4:1 u4:0 u4:0 u4:0 f8:2 f8:1 f8:1 f8:3 f8:1'
    bad 'invalid number of triplets' 'TRIP r u4:6 u4:2 u4:4000000000'
    bad 'too short' 'NEIG r f8:3 u8:8'
    bad 'too short' "TRIP r u4:100000 u4:100 u4:1 u4:0 u4:0 u4:0 $ranges f8:1"
    fields='u8:0 n:0*64 u8:2 u8:0 u8:0 u8:0 u8:0 u8:0 u8:0'
    bad 'pair 0: neighbours of 2 atoms, expected 3' 'NEIG r f8:3 u8:2'
    fields="u8:0 $(printf 'u8:-1 %.0s' {1..8}) u8:3 u8:0 u8:0 u8:0 u8:0 u8:0 u8:0"
    bad 'negative time of frames' 'NEIG r f8:3 u8:2'
    fields='u8:2 n:0*64 u8:3 u8:0 u8:0 u8:0 u8:0 u8:0 u8:0'
    bad 'more pairs of frames than frames' 'NEIG r f8:3 u8:2'
}

@test "groups that are empty in all frames: no mean and no standard deviation; long names of groups" {
    trjcat -f :3 -t "$PDB" -g 'O=name OW' -g 'none=(within 0.001 of index 0) and not index 0' "$WATER" |
        rdfhist -r 3 -p none:O --neighbours 3 | rdfnorm --neighbours numbers >"$T/table" 2>"$T/err"
    grep -q '^# neighbours of none:O: mean nan, .* standard deviation nan$' "$T/table"
    # The list of triplets in the message fills its room.
    local long=() i name
    for i in 1 2 3; do
        name=$(printf '%064d' "$i")
        long+=(-g "n$name=name OW")
        long[-1]=${long[-1]/n0/n}
    done
    trjcat -f 0 -t "$PDB" "${long[@]}" "$WATER" |
        rdfhist -r 3 --triplet '*:*:*' -o "$T/long.rdfh"
    fails 2 "--pair: no triplet 'X:Y:Z' in the stream, which has n" rdfnorm --triplets angles -p X:Y:Z "$T/long.rdfh"
}

@test "open systems: neighbours in frames whose number of atoms changes, equal on each engine" {
    rdfhist -e cpu -r 3 -p Ar:all --neighbours 3 --triplet 'all:all:all 0:9' tests/data/golden/open.trjf >"$T/rdfh"
    rdfhist -e reference -r 3 -p Ar:all --neighbours 3 --triplet 'all:all:all 0:9' tests/data/golden/open.trjf |
        rdfnorm -e none --neighbours numbers | grep -v '^#' >"$T/expected"
    rdfnorm -e none --neighbours numbers "$T/rdfh" | grep -v '^#' | same "$T/expected" -
    trjinfo "$T/rdfh" | has -x $'neighbours\t3'
}

# 300 pairs of atoms, each of which is within 3 Angstrom or not: a frame differs from the one before it with the
# probability 0.2, so that the statistical inefficiency is 4. The true share is 0.5.
@test "--interval: columns of intervals, which contain the true share in 93 to 97 % of correlated series" {
    local groups=() pairs=() i
    for i in {0..299}; do
        groups+=(-g "A$i=index $((2 * i))" -g "B$i=index $((2 * i + 1))")
        pairs+=(-p "A$i:B$i")
    done
    awk 'function random() { return (state = 16807 * state % 2147483647) / 2147483647 }
        BEGIN {
            state = 4711
            for (i = 0; i < 300; i++) near[i] = random() < 0.5
            for (f = 0; f < 256; f++) {
                print "600\n"
                for (i = 0; i < 300; i++) {
                    if (random() < 0.2) near[i] = !near[i]
                    x = 20 * (i % 20); y = 20 * int(i / 20)
                    print "A", x, y, 0 "\nB", x + (near[i] ? 2 : 4), y, 0
                }
            }
        }' | trjcat -c 400,400,400 "${groups[@]}" - 2>"$T/err" |
        rdfhist -e cpu --neighbours 3 -r 5 -b 1 -B 1 "${pairs[@]}" -o "$T/rdfh" 2>"$T/err"
    rdfnorm --neighbours numbers --interval 95 "$T/rdfh" >"$T/table"
    rows "$T/table" | awk -F '\t' '$1 == 1 {
            for (i = 2; i <= NF; i += 3) { n++; d = $i - 0.5; within += d * d <= $(i + 2) ^ 2 }
            print within / n
            exit !(n == 300 && within / n > 0.93 && within / n < 0.97) }'
    has '# n	P(A0:B0)	se(A0:B0)	ci95(A0:B0)	P(A1:B1)' <(cut -f 1-5 "$T/table")
    has '^# columns: .* its standard error, the half-width of its confidence interval of 95 %$' "$T/table"
    has '^# errors: .* independent blocks$' "$T/table"
    has '^# neighbours of A0:B0: mean [0-9.]*, standard error [0-9.]*, ci95 [0-9.]*, standard deviation' "$T/table"
    rdfnorm --neighbours numbers "$T/rdfh" | rows | cut -f 1-3 | same - <(rows "$T/table" | cut -f 1-3)
    rdfnorm --neighbours exchange --interval 90 "$T/rdfh" >"$T/table"
    has '^# exchange of A0:B0: .* leave, standard error [0-9.]*, ci90 [0-9.]*$' "$T/table"
    has '^# residence of A0:B0: .*, standard error [0-9.]*, ci90 [0-9.]*$' "$T/table"
    fails_cleanly 2 '--interval requires errors' rdfnorm --neighbours numbers -e none --interval 95 "$T/rdfh"
    rdfhist -e cpu -r 6 -b 1 -B 2 --triplet 'O:O:O 0:3.5' <(trjcat -t $PDB -g 'O=name OW' $WATER) 2>"$T/err" \
        >"$T/rdfh"
    rdfnorm --triplets angles --interval 95 "$T/rdfh" >"$T/table" 2>"$T/err"
    has '# theta	P(O:O:O)	se(O:O:O)	ci95(O:O:O)	iso(O:O:O)' "$T/table"
    rows "$T/table" | awk -F '\t' '$3 > 0 { n++; t = $4 / $3; if (t < 1.99 || t > 2.6) bad = 1 } END { exit bad || n < 20 }'
    rdfnorm --triplets map --interval 95 "$T/rdfh" 2>"$T/err" | has '# theta	r	P(O:O:O)	g3(O:O:O)	se(O:O:O)	ci95(O:O:O)'
    rdfhist -e cpu -r 6 -b 1 -B 0 --neighbours 3.5 <(trjcat -t $PDB -g 'O=name OW' $WATER) -o "$T/rdfh" 2>"$T/err"
    fails_cleanly 3 '--interval: one record has no errors' rdfnorm --neighbours numbers --interval 95 "$T/rdfh"
}
