#!/bin/sh
# Makes chain.pqr again: the chain in the last frame of examples/protein, with a charge of -1 e on each polar bead, and
# a radius of 2.4 Angstrom.
#
#   usage: ./make_chain.sh        (uses the tools in PATH, or those in ../../bin)
set -eu

cd "$(dirname "$0")"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

trjcat -t ../protein/protein.pdb -g 'P=resname HYD POL' --centre 'resname HYD POL' -f -1: -o "$tmp/chain.pdb" \
    ../protein/protein.dcd
LC_ALL=C awk '/^ATOM/ {
        residue = substr($0, 18, 3)
        printf "ATOM %5d  BB  %s %3d %8.3f %8.3f %8.3f %4.1f %3.1f\n", ++n, residue, n, substr($0, 31, 8),
            substr($0, 39, 8), substr($0, 47, 8), residue == "POL" ? -1 : 0, 2.4
    }
    END { print "END" }' "$tmp/chain.pdb" >chain.pqr
