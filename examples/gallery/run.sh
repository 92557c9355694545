#!/bin/sh
# Draws all figures of README.md, by the commands there.
#
#   usage: ./run.sh [FOLDER]      (the folder of the figures and tables; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

for name in water/water ions/ions protein/protein melting/argon cluster/cluster glass/silica cryo-em/folded \
    membrane-lateral/membrane; do
    ln -sf "$here/../$name".[dmp]* "$out"
done
ln -sf "$here/mesh.awk" "$out"
ln -sf "$here/../water-map/figure.gp" "$out/map.gp"
awk '/^```/ { on = $0 == "```sh"; next } on' README.md >"$out/commands.sh"
cd "$out"
sh -e commands.sh
