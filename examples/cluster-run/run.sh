#!/bin/sh
# g(r) and coordination numbers of water in one run, and in four segments that are merged, as jobs of a cluster compute
# them; both must agree.
#
#   usage: ./run.sh [FOLDER]      (the folder of gr.tsv and n.tsv; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjrun >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# The outputs of a recipe are in its folder, so that each way has a copy of the recipe.
for folder in "$out" "$out/once"; do
    rm -rf "$folder/water.segments" "$folder/gr.tsv" "$folder/n.tsv"
    mkdir -p "$folder"
    cp water.yaml "$folder"
done
water=$(CDPATH='' cd ../water && pwd)

# run FOLDER [OPTION...]: runs the recipe, or a part of it
run() {
    folder=$1
    shift
    trjrun -D "trajectory=$water/water.dcd" -D "topology=$water/water.pdb" "$@" "$folder/water.yaml"
}

run "$out/once"
for segment in 1 2 3 4; do
    run "$out" --segment "$segment"
done
run "$out" --merge

# The tables differ in the provenance alone, which is in comments.
for table in gr.tsv n.tsv; do
    grep -v '^#' "$out/once/$table" >"$out/once/rows"
    grep -v '^#' "$out/$table" | cmp - "$out/once/rows"
    echo "$out/$table"
done
rm "$out/once/rows"
