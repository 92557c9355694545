#!/bin/sh
# Distances and neighbours in a cluster without a cell, as tables and as a figure.
#
#   usage: ./run.sh [FOLDER]      (the folder of counts.tsv, gr.tsv and counts.svg; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# Without a cell rmax has no default. The cluster is smaller than 16 Angstrom.
trjcat -g 'all=all' -g 'centre=index 0' -g 'inner=index 1 to 12' -g 'surface=index 13 to 54' cluster.dcd |
    rdfhist -r 16 -b 160 -p all:all -p centre:inner -p centre:surface -p inner:inner -o "$out/cluster.rdfh"
rdfnorm -c -o "$out/counts.tsv" "$out/cluster.rdfh"
# The volume of 55 atoms at the density of the solid
rdfnorm -v 2060 -o "$out/gr.tsv" "$out/cluster.rdfh"
rdfplot -p all:all -o "$out/counts.svg" "$out/counts.tsv"
for file in counts.tsv gr.tsv counts.svg; do echo "$out/$file"; done
