#!/bin/sh
# The density of solvent around a chain that is superposed in all frames, as maps, and as a figure of one plane.
#
#   usage: ./run.sh [FOLDER]      (the folder of the maps and the figure; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them. The figure requires gnuplot.
# shellcheck disable=SC2086 # $lattice is several words
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# The chain is moved to the centre of the cell, and then rotated onto the chain of the first frame, with the cell.
trjcat -t ../protein/protein.pdb -g 'chain=not resname SOL' -g 'solvent=resname SOL' \
    --centre 'not resname SOL' --fit 'not resname SOL' ../protein/protein.dcd >"$out/moved.trjf"

# A cube of 30 Angstrom around the chain, as OpenDX. 0.0082 beads per cubic Angstrom are the mean density of all beads.
lattice='--origin 8.4,18.1,4.1 --points 61,61,61 --steps 0.5,0.5,0.5'
densmap --of chain --sigma 1.5 $lattice -o "$out/chain.dx" "$out/moved.trjf"
densmap --of solvent --sigma 1.5 $lattice --relative 0.0082 -o "$out/solvent.dx" "$out/moved.trjf"

# The plane z = 19.1 through the centre of the chain, for the figure
lattice='--origin 8.4,18.1,19.1 --points 61,61,1 --steps 0.5,0.5,0.5'
densmap --of chain --sigma 1.5 $lattice -o "$out/chain.npy" "$out/moved.trjf"
densmap --of solvent --sigma 1.5 $lattice --relative 0.0082 -o "$out/solvent.npy" "$out/moved.trjf"
gnuplot -e "folder = '$out'" figure.gp >"$out/map.svg"
printf '%s\n' "$out/chain.dx" "$out/solvent.dx" "$out/map.svg"
