#!/bin/sh
# Ions around a charged chain: the potential, the positions and energies of the ions, and a picture.
#
#   usage: ./run.sh [FOLDER]      (the folder of the map, the ions and the picture; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

ln -sf "$here/chain.pqr" "$here/picture.sh" "$here/../gallery/mesh.awk" "$out"
cd "$out"
awk '/^```/ { on = $0 == "```sh"; next } on' "$here/README.md" >commands.sh
sh -e commands.sh
for file in potential.dx ions.tsv ions.pdb picture.svg; do echo "$out/$file"; done
