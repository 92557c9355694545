#!/bin/sh
# Makes argon.dcd anew: 256 Lennard-Jones atoms, a crystal heated until it is a liquid.
#
#   usage: ./simulate.sh          (a minute on one core; LMP and PYTHON name other programs)
#
# Needs lmp and MDAnalysis: Debian packages lammps and python3-mdanalysis. The seed is fixed, but molecular dynamics is
# chaotic: another build of LAMMPS melts the crystal at a somewhat different moment.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

OMP_NUM_THREADS=1 "${LMP:-lmp}" -in argon.in -var dir "$tmp" -log none
"${PYTHON:-/usr/bin/python3}" ../dump2dcd.py "$tmp/frames.dump" "$tmp/argon" 'Lennard-Jones argon, 20 to 140 K' 0.005 AR:AR
mv "$tmp/argon.dcd" .
