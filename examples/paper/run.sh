#!/bin/sh
# Draws one figure from the trajectories of the other examples, by the Makefile.
#
#   usage: ./run.sh [FOLDER]      (the folder of figure.svg; default: out, beside this script)
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
make -s -C "$here" OUT="$out"
echo "$out/figure.svg"
