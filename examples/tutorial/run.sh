#!/bin/sh
# Runs all commands of README.md, the tutorial.
#
#   usage: ./run.sh [FOLDER]      (the folder where the commands run; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# The first block makes the folder, which these lines do for any FOLDER.
ln -sf "$here"/../water/water.dcd "$here"/../water/water.pdb "$here"/../ions/ions.dcd "$here"/../ions/ions.pdb "$out"
ln -sf "$here"/../protein-study/peptide.xtc "$here"/../protein-study/peptide.tpr "$out"
ln -sf "$here"/../water-dynamics/water.xtc "$here"/../water-dynamics/water.data "$out"
awk '/^```/ { blocks += on = $0 == "```sh"; next } on && blocks > 1' README.md >"$out/commands.sh"
cd "$out"
sh -e commands.sh
