#!/bin/sh
# Observables of a peptide: tables and maps from one pass over its trajectory, and a page of panels.
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

ln -sf "$here/peptide.xtc" "$here/peptide.tpr" "$here/panels.gp" "$out"
cp protein-study.yaml "$out"
cd "$out"
awk '/^```/ { on = $0 == "```sh"; next } on' "$here/README.md" >commands.sh
sh -e commands.sh
for file in observables.tsv classes.tsv rmsf.tsv contacts.npy torsions.npy classes.svg panels.svg; do
    echo "$out/$file"
done
