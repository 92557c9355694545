#!/bin/sh
# g(r) of argon cold, warm and melted, as tables and as one picture.
#
#   usage: ./run.sh [FOLDER]      (where the tables and gr.svg go; without it the folder out beside this script)
#
# Takes the tools from PATH, else from ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# 160 frames from 20 to 140 K: 32 of them are 24 K. A group that is named after its frames names the curve.
for part in cold:0:32 warm:64:96 melted:128:160; do
    name=${part%%:*}
    trjcat -g "$name=all" -f "${part#*:}" argon.dcd | rdfhist -r 12 -b 240 | rdfnorm -o "$out/$name.tsv"
done
rdfplot -o "$out/gr.svg" "$out/cold.tsv" "$out/warm.tsv" "$out/melted.tsv"
for file in cold.tsv warm.tsv melted.tsv gr.svg; do echo "$out/$file"; done
