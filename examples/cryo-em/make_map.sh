#!/bin/sh
# Makes folded.mrc and folded.pdb again: the density of the chain in the last frame of examples/protein, at a resolution
# of 8 Angstrom, in a box with a margin around the chain, and the model in this map.
#
#   usage: ./make_map.sh          (uses the tools in PATH, or those in ../../bin)
set -eu

cd "$(dirname "$0")"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

trjcat -t ../protein/protein.pdb -g 'P=resname HYD POL' -f -1: -o folded.pdb ../protein/protein.dcd
# An empty map around the chain, with steps of 2 Angstrom. The margin of 16 Angstrom contains the chain in all frames
# that are superposed on this model. One point is 1, because a map must not be constant.
awk '/^(ATOM|HETATM)/ { for (k = 0; k < 3; k++) { x = substr($0, 31 + 8 * k, 8) + 0
        if (!n || x < low[k]) low[k] = x; if (!n || x > high[k]) high[k] = x }; n++ }
    END {
        points = 1
        for (k = 0; k < 3; k++) {
            low[k] = 2 * int((low[k] - 16) / 2) - 2
            count[k] = int((high[k] + 16 - low[k]) / 2) + 1
            points *= count[k]
        }
        print "object 1 class gridpositions counts", count[0], count[1], count[2]
        print "origin", low[0], low[1], low[2]
        print "delta 2 0 0\ndelta 0 2 0\ndelta 0 0 2"
        print "object 2 class gridconnections counts", count[0], count[1], count[2]
        print "object 3 class array type float rank 0 items", points, "data follows"
        for (i = 0; i < points; i++) print i == 0
    }' folded.pdb >"$tmp/empty.dx"
trjcat -t folded.pdb -g P=all folded.pdb | mapcc -m "$tmp/empty.dx" -r 8 -a 1 --dump folded.mrc >/dev/null
