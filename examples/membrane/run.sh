#!/bin/sh
# The electrostatic potential across a charged bilayer, as maps, tables and a figure.
#
#   usage: ./run.sh [FOLDER]      (the folder of the maps, tables and the figure; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

if ! potmap --version | grep -q 'FFTW *[0-9]'; then
    echo "$0: particle-mesh Ewald requires FFTW, which this build lacks; install it and run make FFTW=yes" >&2
    exit 4
fi
ln -sf "$here"/membrane.pqr "$here"/membrane.xtc "$here"/*.awk "$out"
cd "$out"
awk '/^```/ { on = $0 == "```sh"; next } on' "$here/README.md" >commands.sh
sh -e commands.sh
for file in potential.npy error.npy profile.tsv integral.tsv theory.tsv values.tsv potential.svg; do
    echo "$out/$file"
done
