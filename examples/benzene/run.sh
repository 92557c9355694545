#!/bin/sh
# HOMO and LUMO of benzene: maps, surfaces and a picture.
#
#   usage: ./run.sh [FOLDER]      (the folder of the maps and the picture; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v orbmap >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

ln -sf "$here/benzene.molden" "$here/orbitals.sh" "$here/../gallery/mesh.awk" "$out"
cd "$out"
awk '/^```/ { on = $0 == "```sh"; next } on' "$here/README.md" >commands.sh
sh -e commands.sh
for file in check.tsv homo.cube lumo.cube density.cube orbitals.svg; do echo "$out/$file"; done
