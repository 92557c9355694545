#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each kind of cell: an ideal gas has g(r) = 1, and all engines give the same integers.
load helper

# Reads g(r) and the counts of $T/rdfh. In each bin with more than 100 counts, at least $1 of them, g must be 1 within
# four standard errors. Pairs of independent points are counted like independent events, so that the error of a count is
# its square root.
flat() {
    paste <(rdfnorm "$T/rdfh" | rows) <(counts "$T/rdfh") | awk -v least="$1" '
        $4 > 100 { n++; z = ($2 - 1) * sqrt($4) / $2; if (z < 0) z = -z; if (z > most) most = z; sum += z * z
                   if (z > 4) { print "r", $1, "g", $2, "count", $4, "is", z, "errors off"; bad = 1 } }
        END { print n, "bins, at most", most, "errors, mean square", sum / n
              exit bad || n < least || sum / n > 1.3 || sum / n < 0.7 }'
}

# engines [RDFHIST OPTION...]: compares the counts of $T/trjf by the engine reference with those by cpu with 1, 2 and 7
# threads
engines() {
    local threads
    rdfhist -B 0 -e reference "$@" "$T/trjf" | counts >"$T/expected"
    awk '{ for (i = 1; i <= NF; i++) n += $i } END { exit n < 1000 }' "$T/expected" ||
        { echo 'next to nothing counted'; return 1; }
    for threads in 1 2 7; do
        rdfhist -B 0 -e cpu -j "$threads" "$@" "$T/trjf" | counts >"$T/counts"
        same "$T/expected" "$T/counts" || { echo "rdfhist -j $threads $*"; return 1; }
    done
}

# make_stream MKDCD-OPTION... -- TRJCAT-OPTION...: writes $T/trjf
make_stream() {
    local dcd=()
    while (($#)) && [[ $1 != -- ]]; do dcd+=("$1") && shift; done
    mkdcd "${dcd[@]}" >"$T/dcd"
    trjcat "${@:2}" "$T/dcd" >"$T/trjf"
}

three_groups=(-g 'A=index 0 to 399' -g 'B=index 300 to 599' -g 'C=index 600 to 699')
three_pairs=(-p A:A -p A:B -p B:A -p A:C -p C:C -p C:B)

@test "ideal gas of 100,000 points in a cube: g(r) = 1" {
    mkdcd --atoms 100000 --cell 100,100,100 --seed 11 >"$T/dcd"
    trjcat "$T/dcd" | rdfhist -B 0 -e cpu -b 300 -r 15 >"$T/rdfh"
    flat 270
}

@test "ideal gas of 100,000 points in a truncated octahedron: g(r) = 1, also beyond half its width" {
    mkdcd --atoms 100000 --cell 70,70,70,109.4712206,109.4712206,109.4712206 --seed 12 >"$T/dcd"
    trjcat "$T/dcd" | rdfhist -B 0 -e cpu -b 300 -r 17.5 >"$T/rdfh"
    flat 290
    trjcat -g 'A=index 0 to 999' -g 'B=index 1000 to 9999' "$T/dcd" | rdfhist -B 0 -e cpu -p A:B -b 200 -r 80 >"$T/rdfh"
    flat 180
}

# The number of neighbours of a point in a slab depends on its position, so that pairs are not quite independent. With
# few neighbours in each bin this effect is small.
@test "ideal gas of 100,000 points in a slab: g(r) = 1 within and beyond its thickness" {
    mkdcd --atoms 100000 --cell 200,200,10 --seed 13 >"$T/dcd"
    trjcat -P xy "$T/dcd" | rdfhist -B 0 -e cpu -b 500 -r 20 >"$T/rdfh"
    flat 450
    mkdcd --atoms 100000 --cell 30,150,150 --seed 14 >"$T/dcd"
    trjcat -P yz "$T/dcd" | rdfhist -B 0 -e cpu -b 500 -r 12 >"$T/rdfh"
    flat 400
}

@test "ideal gas in a skew slab and in a varying cell: g(r) = 1" {
    mkdcd --atoms 100000 --cell 150,160,20,80,70,60 --seed 15 >"$T/dcd"
    trjcat -P xz "$T/dcd" | rdfhist -B 0 -e cpu -b 400 -r 12 >"$T/rdfh"
    flat 250
    mkdcd --atoms 5000 --frames 20 --cell 40,40,40 --breathe 0.1 --seed 16 >"$T/dcd"
    trjcat "$T/dcd" | rdfhist -B 0 -e cpu -b 300 -r 17 >"$T/rdfh"
    flat 270
}

@test "engines agree: orthorhombic and triclinic cells, groups of all kinds" {
    for cell in 30,30,30 20,35,50 30,31,32,60,70,80 40,40,40,109.4712206,109.4712206,109.4712206 30,30,30,60,60,90 \
        25,60,40,35,40,50; do
        make_stream --atoms 700 --frames 2 --cell "$cell" -- "${three_groups[@]}"
        engines "${three_pairs[@]}" -b 137
        engines -b 1
        engines -p A:C -b 8192 -r 9
    done
}

@test "engines agree: slabs, rods and no periodicity" {
    for periodic in xy xz yz x y z none; do
        for cell in 30,40,22 30,40,22,70,80,65; do
            make_stream --atoms 700 --cell "$cell" -- -P "$periodic" "${three_groups[@]}"
            engines "${three_pairs[@]}" -b 137 -r 14
            engines "${three_pairs[@]}" -b 137 -r 70
        done
    done
}

@test "engines agree: several images of a pair within rmax" {
    for cell in 12,12,12 8,30,15 12,13,14,60,50,80 5,5,5; do
        make_stream --atoms 300 --cell "$cell"
        engines -b 500 -r 26
    done
}

@test "engines agree: rmin, and bins far out" {
    make_stream --atoms 700 --cell 30,31,32,60,70,80 -- "${three_groups[@]}"
    engines "${three_pairs[@]}" --rmin 5 -r 12 -b 100
    engines "${three_pairs[@]}" --rmin 39.75 -r 40 -b 333
    engines "${three_pairs[@]}" --rmin 0.1 -r 13 -b 129
}

@test "engines agree: a varying cell, with rmax beyond half its width in some frames" {
    make_stream --atoms 500 --frames 12 --cell 30,31,32,60,70,80 --breathe 0.3
    engines -b 200 -r 14
    engines -b 200 -r 14 -B 1
    engines -b 200
}

@test "engines agree: atoms far outside of the cell" {
    make_stream --atoms 500 --cell 400,400,400 -- -c 17,18,19
    engines -b 200 -r 9
    make_stream --atoms 500 --cell 90000,90000,90000 -- -c 17,18,19,70,80,100
    engines -b 200 -r 9
    make_stream --atoms 500 --cell 90000,400,400 -- -c 25,18,19 -P yz
    engines -b 200 -r 300
}

@test "engines agree: tiny and huge cells" {
    make_stream --atoms 300 --cell 0.003,0.003,0.003
    engines -b 300
    make_stream --atoms 500 --cell 5000000,5000000,5000000
    engines -b 300
}

@test "engines agree: lattices with every distance on an edge" {
    # 8^3 points at a distance of 2: squared distances are multiples of 4, and bins of 0.25, 0.5 and 2 have edges at
    # many of their roots.
    make_stream --atoms 512 --kind lattice --cell 16,16,16
    engines -b 32 -r 8
    engines -b 64 -r 32
    engines -b 5 -r 10
    make_stream --atoms 512 --kind lattice --cell 16,16,16 -- -P xy
    engines -b 32 -r 8
    # A face-centred lattice is the same lattice in a skew cell.
    make_stream --atoms 512 --kind lattice --cell 16,16,16,60,60,60
    engines -b 32 -r 8
    # These steps are not representable in float32.
    make_stream --atoms 1000 --kind lattice --cell 13,13,13
    engines -b 50 -r 6.5
    engines -b 13 -r 16.9
}

@test "simple cubic lattice: counts equal the numbers of neighbours, in the bin that begins at their distance" {
    # There are 6, 12, 8 and 6 neighbours at 2, 2 sqrt 2, 2 sqrt 3 and 4, and half as many pairs per atom.
    make_stream --atoms 512 --kind lattice --cell 16,16,16
    for engine in cpu reference; do
        rdfhist -B 0 -e "$engine" -b 20 -r 5 "$T/trjf" | counts | awk '$1 { print (NR - 1) / 4, $1 / 256 }' >"$T/counts"
        printf '%s\n' '2 6' '2.75 12' '3.25 8' '4 6' '4.25 24' '4.75 24' >"$T/expected"
        same "$T/expected" "$T/counts"
    done
    # A bin contains its lower edge, but not its upper edge.
    [[ $(counted -e cpu -b 1 -r 2 <"$T/trjf") == 0 ]]
    [[ $(counted -e cpu -b 1 --rmin 2 -r 2.5 <"$T/trjf") == $((6 * 256)) ]]
}

@test "single atom with itself: has no pairs, and its images do not count" {
    mkdcd --atoms 2 --cell 10,10,10 >"$T/dcd"
    trjcat -g 'A=index 0' -g 'B=index 1' "$T/dcd" >"$T/trjf"
    fails 3 'A' rdfhist -B 0 -p A:A -r 30 "$T/trjf"
    # Two atoms have 4 pi/3 r^3 / V images within r on average, and every image is a pair.
    rdfhist -B 0 -e reference -p A:B -b 1 -r 100 "$T/trjf" | counts >"$T/expected"
    rdfhist -B 0 -e cpu -p A:B -b 1 -r 100 "$T/trjf" | counts >"$T/counts"
    same "$T/expected" "$T/counts"
    awk '{ exit !($1 > 4150 && $1 < 4230) }' "$T/counts"
}
