#!/bin/sh
# g(r) of a simulation while it runs: from its IMD server, and from the file that it writes.
#
#   usage: ./run.sh [FOLDER]      (the folder of the tables and the figure; default: out, beside this script)
#
# Set PORT if another program uses port 8889. Needs LAMMPS with fix imd: the Debian package lammps.
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH
port=${PORT:-8889}
cell=22.88,22.88,22.88 # the server does not send it

rm -f "$out/argon.lammpstrj"
OMP_NUM_THREADS=1 "${LMP:-lmp}" -in argon.in -var dir "$out" -var port "$port" -log none >"$out/lmp.log" &
simulation=$!
trap 'kill $simulation 2>/dev/null || :' EXIT

# gr.svg is replaced after every 50 frames.
trjcat -c $cell "imd://localhost:$port" | rdfhist -r 11 -b 110 --every 50 | tee "$out/live.rdfh" |
    rdfnorm --follow | tee "$out/tables.tsv" | rdfplot --follow -o "$out/gr.svg" &
live=$!

# The same frames from the growing file. Frame 0 is written before the first step, and the server does not send it. -f
# ends the output after the last frame; without -f, Ctrl-C would end it. A file must exist before it can be followed.
until [ -e "$out/argon.lammpstrj" ]; do kill -0 $simulation && sleep 0.1; done
trjcat --follow -f 1:301 "$out/argon.lammpstrj" | rdfhist -r 11 -b 110 --every 50 -o "$out/file.rdfh"
wait $live
wait $simulation
trap - EXIT

rdfnorm -o "$out/gr.tsv" "$out/live.rdfh"
rdfnorm -o "$out/file.tsv" "$out/file.rdfh"
for file in gr.tsv file.tsv gr.svg; do echo "$out/$file"; done
