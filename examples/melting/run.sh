#!/bin/sh
# g(r) of cold, warm and melted argon, as tables and as one figure.
#
#   usage: ./run.sh [FOLDER]      (the folder of the tables and gr.svg; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# The temperature rises from 20 to 140 K in 160 frames, by 24 K in 32 frames. The name of the group becomes the name of
# the curve.
for part in cold:0:32 warm:64:96 melted:128:160; do
    name=${part%%:*}
    trjcat -g "$name=all" -f "${part#*:}" argon.dcd | rdfhist -r 12 -b 240 | rdfnorm -o "$out/$name.tsv"
done
rdfplot -o "$out/gr.svg" "$out/cold.tsv" "$out/warm.tsv" "$out/melted.tsv"
for file in cold.tsv warm.tsv melted.tsv gr.svg; do echo "$out/$file"; done
