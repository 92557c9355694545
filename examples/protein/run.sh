#!/bin/sh
# g(r) of solvent around a chain in a truncated octahedron, as a table and as a figure.
#
#   usage: ./run.sh [FOLDER]      (the folder of gr.tsv and gr.svg; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# The trajectory contains the cell, so that no option is needed for it.
trjcat -t protein.pdb -g 'hydrophobic=resname HYD' -g 'polar=resname POL' -g 'solvent=resname SOL' protein.dcd |
    rdfhist -r 18 -b 90 -B 7 -p hydrophobic:solvent -p polar:solvent -p solvent:solvent |
    rdfnorm -o "$out/gr.tsv"
rdfplot -o "$out/gr.svg" "$out/gr.tsv"
echo "$out/gr.tsv"
echo "$out/gr.svg"
