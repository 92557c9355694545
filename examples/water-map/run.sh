#!/bin/sh
# The density of solvent around a molecule that is superposed in all frames, as maps, and as a figure of one plane.
#
#   usage: ./run.sh [FOLDER]      (the folder of the maps and the figure; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them. The figure requires gnuplot.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# The molecule is moved to the centre of the cell, and superposed on its first frame; the cell is rotated with it.
trjcat -t ../protein/protein.pdb -g 'mol=resname HYD POL' -g 'sol=resname SOL' --centre mol --fit mol \
    -o "$out/moved.trjf" ../protein/protein.dcd

# Maps in a cube of 30 Angstrom around the molecule, as OpenDX. The mean density of all beads is 0.0082 beads per cubic
# Angstrom.
for group in mol sol; do
    densmap --of $group --sigma 1.5 --relative 0.0082 --origin 8.4,18.1,4.1 --points 61,61,61 --steps 0.5,0.5,0.5 \
        -o "$out/$group.dx" "$out/moved.trjf"
    # The plane z = 19.1 through the centre of the cube, for the figure
    densmap --of $group --sigma 1.5 --relative 0.0082 --origin 8.4,18.1,19.1 --points 61,61,1 --steps 0.5,0.5,0.5 \
        -o "$out/$group.npy" "$out/moved.trjf"
done
gnuplot -e "folder = '$out'" figure.gp >"$out/map.svg"
printf '%s\n' "$out/mol.dx" "$out/sol.dx" "$out/map.svg"
