#!/bin/sh
# Draws all pictures of README.md, by the commands there.
#
#   usage: ./run.sh [FOLDER]      (where the pictures and their tables go; default: the folder out beside this script)
#
# Takes the tools from PATH, else from ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

ln -sf "$here"/../water/water.[dp]* "$here"/../ions/ions.[dp]* "$here"/../melting/argon.dcd "$here"/../cluster/cluster.dcd \
    "$here"/../protein/protein.[dp]* "$out"
awk '/^```/ { on = $0 == "```sh"; next } on' README.md >"$out/commands.sh"
cd "$out"
sh -e commands.sh
