#!/bin/sh
# g(r) of water for O-O, O-H and H-H, with standard errors, as a table and as a figure.
#
#   usage: ./run.sh [FOLDER]      (the folder of gr.tsv and gr.svg; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

if [ $# -gt 0 ]; then
    mkdir -p -- "$1"
    out=$(CDPATH='' cd -- "$1" && pwd)
fi
cd "$(dirname "$0")"
if [ $# -eq 0 ]; then
    mkdir -p out
    out=$PWD/out
fi
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# A record every 16 frames gives 8 samples for the errors. If a stage fails, the next one fails, too.
trjcat -t water.pdb -g 'O=name OW' -g 'H=name HW*' water.dcd |
    rdfhist -r 10 -b 200 -B 16 -p O:O -p O:H -p H:H |
    rdfnorm -o "$out/gr.tsv"

# The peaks of the distances within the rigid molecule, O-H at 1 and H-H at 1.63 Angstrom, are ten times as high as all
# others. The figure shows the others, and gives the height of these at its top.
rdfplot -o "$out/gr.svg" "$out/gr.tsv"
echo "$out/gr.tsv"
echo "$out/gr.svg"
