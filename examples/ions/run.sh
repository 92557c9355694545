#!/bin/sh
# g(r) of ions and water, with standard errors and coordination numbers, as a table and as a figure.
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

trjcat -t ions.pdb -g 'Na=name NA' -g 'Cl=name CL' -g 'O=name OW' -g 'H=name HW' ions.dcd |
    rdfhist -r 9 -b 90 -B 8 -p Na:O -p Cl:O -p Cl:H -p Na:Cl |
    rdfnorm -o "$out/gr.tsv"
rdfplot -o "$out/gr.svg" "$out/gr.tsv"
echo "$out/gr.tsv"
echo "$out/gr.svg"
