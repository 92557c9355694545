#!/bin/sh
# Distances and neighbours in a cluster that is not periodic, as tables and as a picture.
#
#   usage: ./run.sh [FOLDER]      (where counts.tsv, gr.tsv and counts.svg go; without it the folder out beside this script)
#
# Takes the tools from PATH, else from ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# Without a cell there is no default for rmax: 16 Angstrom are more than the cluster is wide.
trjcat -g 'all=all' -g 'centre=index 0' -g 'inner=index 1 to 12' -g 'surface=index 13 to 54' cluster.dcd |
    rdfhist -r 16 -b 160 -p all:all -p centre:inner -p centre:surface -p inner:inner -o "$out/cluster.rdfh"
rdfnorm -c -o "$out/counts.tsv" "$out/cluster.rdfh"
# 55 atoms at the density of the solid
rdfnorm -v 2060 -o "$out/gr.tsv" "$out/cluster.rdfh"
rdfplot -p all:all -o "$out/counts.svg" "$out/counts.tsv"
for file in counts.tsv gr.tsv counts.svg; do echo "$out/$file"; done
