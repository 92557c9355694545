#!/bin/sh
# The correlation of each frame with a map, and of each residue, as tables and as figures.
#
#   usage: ./run.sh [FOLDER]      (the folder of the tables and figures; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# The frames must be at the position of the map: they are superposed on the model in the map.
trjcat -t ../protein/protein.pdb -g 'P=resname HYD POL' --carry resname,resid --fit 'resname HYD POL:folded.pdb' \
    -o "$out/chain.trjf" ../protein/protein.dcd
mapcc --map folded.mrc --resolution 8 --amplitude 1 -o "$out/cc.tsv" "$out/chain.trjf"
mapcc --map folded.mrc --resolution 8 --amplitude 1 --per residue --local whole --mask radius:4 \
    -o "$out/timeline.tsv" "$out/chain.trjf"
rdfplot -o "$out/cc.svg" "$out/cc.tsv"
rdfplot --image -o "$out/timeline.svg" "$out/timeline.tsv"
echo "$out/cc.tsv"
echo "$out/timeline.tsv"
