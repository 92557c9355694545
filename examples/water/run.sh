#!/bin/sh
# g(r) of water for O-O, O-H and H-H, with standard errors, as a table and as a picture.
#
#   usage: ./run.sh [FOLDER]      (where gr.tsv and gr.svg go; without it the folder out beside this script)
#
# Takes the tools from PATH, else from ../../bin, where `make` puts them.
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

# A record every 16 frames: 8 samples to tell the errors from. If a stage fails, so does the next one.
trjcat -t water.pdb -g 'O=name OW' -g 'H=name HW*' water.dcd |
    rdfhist -r 10 -b 200 -B 16 -p O:O -p O:H -p H:H |
    rdfnorm -o "$out/gr.tsv"

# The distances within the rigid molecule, O-H at 1 and H-H at 1.63 Angstrom, are ten times as high as all else: the picture says so at
# its top, and shows the rest.
rdfplot -o "$out/gr.svg" "$out/gr.tsv"
echo "$out/gr.tsv"
echo "$out/gr.svg"
