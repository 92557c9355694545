#!/bin/sh
# Lateral g(r) of a lipid bilayer: within a leaflet, between the leaflets, and the tilt of the lipids.
#
#   usage: ./run.sh [FOLDER]      (the folder of the tables and the figure; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

trjcat -t membrane.pdb --centre all -g 'H=name H' -g 'T=name T2' -o "$out/beads.trjf" membrane.dcd
cd "$out"
awk '/^```/ { on = $0 == "```sh"; next } on' "$here/README.md" >commands.sh
sh -e commands.sh
for file in all.tsv leaflet.tsv opposite.tsv tilt.tsv membrane.svg; do echo "$out/$file"; done
