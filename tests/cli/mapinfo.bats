#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mapinfo: lattice, statistics and values at positions of maps.
load helper

fact() { awk -F '\t' -v key="$1" '$1 == key { print substr($0, length(key) + 2) }'; }

# write_dx: a dx file with the values 0 to 23 on 2 x 3 x 4 points, z fastest; steps of 1, 2 and 3 Å from 1 2 3
write_dx() {
    printf 'object 1 class gridpositions counts 2 3 4\norigin 1 2 3\ndelta 1 0 0\ndelta 0 2 0\ndelta 0 0 3\n'
    printf 'object 2 class gridconnections counts 2 3 4\n'
    printf 'object 3 class array type double rank 0 items 24 data follows\n'
    seq 0 23 | paste -d ' ' - - -
    printf 'attribute "dep" string "positions"\n'
}

@test "a small dx file: every line of the description is correct" {
    write_dx >"$T/a.dx"
    mapinfo "$T/a.dx" >"$T/facts"
    same "$T/facts" - <<END
file	$T/a.dx
holds	map
format	dx
points	2 3 4
origin	1 2 3
step_0	1 0 0
step_1	0 2 0
step_2	0 0 3
voxel_volume	6
cell_lengths	2 6 12
cell_angles	90 90 90
cell_periodic	none
meaning	samples
type	float64
components	1
records	1
frames	0
sum	no
values	24
values_not_finite	0
min	0
min_index	0 0 0
min_position	1 2 3
max	23
max_index	1 2 3
max_position	2 6 12
mean	11.5
sigma	6.922186552
integral	1656
check	ok
END
}

@test "--json: the same keys and values" {
    need python3
    write_dx >"$T/a.dx"
    mapinfo --json "$T/a.dx" >"$T/json"
    python3 - "$T/json" <<'P'
import json, sys
[a] = json.load(open(sys.argv[1]))
assert a["points"] == [2, 3, 4] and a["max"] == 23 and a["max_position"] == [2, 6, 12] and a["quantity"] is None
assert a["maps"] == [] and a["sum"] is False
P
}

@test "--at: points, interpolation between them, and positions in a file" {
    write_dx >"$T/a.dx"
    printf '# a comment\n\n1 2 3 ignored\n2, 6, 12\n1.5\t4 4.5\n' >"$T/positions"
    mapinfo --at 1,2,6 --at "$T/positions" "$T/a.dx" >"$T/values"
    same "$T/values" - <<END
# record	x	y	z	value
0	1	2	6	1
0	1	2	3	0
0	2	6	12	23
0	1.5	4	4.5	10.5
END
    mapinfo --at - "$T/a.dx" <"$T/positions" | tail -n 3 | same - <(tail -n 3 "$T/values")
    [[ $(mapinfo --nearest --at 1.4,2.9,3.1 --at 0.6,1.1,1.6 --at 2.4,6.9,13.4 "$T/a.dx" | cut -f 5 | paste -s -d ,) \
        == value,0,0,23 ]]
    mapinfo --json --at 1.5,4,4.5 "$T/a.dx" | tr -d ' \n' |
        same - <(printf '[{"record":0,"position":[1.5,4,4.5],"value":[10.5]}]')
}

@test "--at: positions outside of the map, and files without valid positions, are rejected" {
    write_dx >"$T/a.dx"
    fails_cleanly 3 'position 0, 2.1 2 3 Å, is outside of the map: its index along axis 0 is 1.1, expected 0 to 1' \
        mapinfo --at 2.1,2,3 "$T/a.dx"
    fails_cleanly 3 'index along axis 2 is -0.6666667, expected -0.5 to 3.5' mapinfo --nearest --at 1,2,1 "$T/a.dx"
    fails_cleanly 1 '1,2: No such file or directory; expected X,Y,Z in Angstrom, or a file' mapinfo --at 1,2 "$T/a.dx"
    printf '1 2 3\n1 2\n' >"$T/positions"
    fails_cleanly 3 'line 2: expected a position of three numbers' mapinfo --at "$T/positions" "$T/a.dx"
    : >"$T/positions"
    fails_cleanly 3 'contains no position' mapinfo --at "$T/positions" "$T/a.dx"
    fails_cleanly 2 '--nearest applies to --at only' mapinfo --nearest "$T/a.dx"
    fails_cleanly 2 'expected one FILE, found 2' mapinfo --at 1,2,3 "$T/a.dx" "$T/a.dx"
}

@test "--record: a record that does not exist is rejected" {
    write_dx >"$T/a.dx"
    mapinfo --record 0 "$T/a.dx" | has -x $'max\t23'
    fails 2 '--record 1: the file contains 1 records' mapinfo --record 1 "$T/a.dx"
}

@test "a damaged file: its error in the description and on standard error, and the next file is described" {
    write_dx >"$T/b.dx"
    head -n 12 "$T/b.dx" >"$T/a.dx"
    run -3 --separate-stderr mapinfo "$T/a.dx" "$T/b.dx"
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == "mapinfo: $T/a.dx: line 12: truncated: expected 24 values, found 15; "* ]]
    [[ $(fact check <<<"$output" | paste -s -d ,) == failed,ok && $(fact max <<<"$output") == 23 ]]
}

@test "files that are not maps: the message names the tool that describes them" {
    trjcat examples/water/water.dcd -f 0 -o "$T/a.trjf"
    fails 3 'contains no map; use trjinfo' mapinfo "$T/a.trjf"
    fails 3 'is not a map in a known format' mapinfo examples/water/water.pdb
    write_dx >"$T/a.dx"
    fails 3 'describe it with mapinfo' trjinfo "$T/a.dx"
    : >"$T/empty"
    fails 3 'is empty' mapinfo "$T/empty"
}
