#!/bin/sh
# Simulates water.xtc, velocities.trjf and water.data again: rigid SPC/E water at 298.15 K.
#
#   usage: ./simulate.sh          (ten minutes on one core; set LMP to use another program)
#
# Needs LAMMPS (lmp), the Debian package lammps. The seeds are fixed, but molecular dynamics is chaotic: another build
# gives another sample of the same liquid.
set -eu

cd "$(dirname "$0")"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# The molecules start on a simple cubic lattice with random orientations, at the density of the liquid.
LC_ALL=C awk -v side=6 -v spacing=3.1075 -v seed=20251 -f ../water/lattice.awk >"$tmp/water.data"

# A single thread, because sums that are split over threads may round differently in each run.
OMP_NUM_THREADS=1 "${LMP:-lmp}" -in water.in -var dir "$tmp" -log none

# In the temporary folder, so that its name is not in the provenance. The velocities of 48 molecules are enough.
(
    cd "$tmp"
    trjcat -o water.xtc frames.dump
    trjcat -t water.data -g 'S=index 0 to 143' --carry mass,element,velocity --precision 0.02 --compress 19 \
        -o velocities.trjf velocities.dump
)
mv "$tmp/water.data" "$tmp/water.xtc" "$tmp/velocities.trjf" .
