#!/bin/sh
# Simulates argon.dcd again: a crystal of 256 Lennard-Jones atoms, heated until it is liquid.
#
#   usage: ./simulate.sh          (a minute on one core; set LMP and PYTHON to use other programs)
#
# Needs LAMMPS (lmp) and MDAnalysis: the Debian packages lammps and python3-mdanalysis.
# The seed is fixed, but molecular dynamics is chaotic: with another build of LAMMPS the crystal melts at another time.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

OMP_NUM_THREADS=1 "${LMP:-lmp}" -in argon.in -var dir "$tmp" -log none
"${PYTHON:-/usr/bin/python3}" ../simulation/dump2dcd.py "$tmp/frames.dump" "$tmp/argon" \
    'Lennard-Jones argon, 20 to 140 K' 0.005 AR:AR
mv "$tmp/argon.dcd" .
