#!/bin/sh
# g(r) of argon cold, warm and melted, side by side as a table and as a picture.
#
#   usage: ./run.sh [FOLDER]      (where gr.tsv and gr.svg go; without it the folder out beside this script)
#
# Takes the tools from PATH, else from ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# 160 frames from 20 to 140 K: 32 of them are 24 K. A group that is named after its frames names the columns.
for part in cold:0:32 warm:64:96 melted:128:160; do
    name=${part%%:*}
    trjcat -g "$name=all" -f "${part#*:}" argon.dcd | rdfhist -r 12 -b 240 | rdfnorm -o "$out/$name.tsv"
done
# The tables have the same rows, so that they may stand side by side; g(cold:cold) is then written g(cold).
paste "$out/cold.tsv" "$out/warm.tsv" "$out/melted.tsv" | sed 's/:[a-z]*)/)/g' >"$out/gr.tsv"
rdfplot -o "$out/gr.svg" "$out/gr.tsv"
echo "$out/gr.tsv"
echo "$out/gr.svg"
