#!/bin/sh
# From the trajectories of the other examples to one figure; the Makefile says how.
#
#   usage: ./run.sh [FOLDER]      (where figure.svg goes; without it the folder out beside this script)
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
make -s -C "$here" OUT="$out"
echo "$out/figure.svg"
