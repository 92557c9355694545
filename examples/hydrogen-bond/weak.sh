#!/bin/sh
# Draws regions with a small reduced gradient, and the molecules, as an SVG image. It needs gnuplot, and mesh.awk of
# examples/gallery in the same folder:
#
#   usage: sh weak.sh reduced-gradient.cube signed-density.cube density.cube >weak.svg
set -eu

if [ ! -r mesh.awk ]; then
    echo 'weak.sh: mesh.awk is missing: copy it from examples/gallery to this folder' >&2
    exit 1
fi

# Writes the surface around the points where the reduced gradient is below 0.6, and the density is between two values.
# Signs are reversed, because surf encloses the values above a level.
region() {
    mapmath -e "if(abs(number(b)) > $3 and abs(number(b)) < $4, -a, -2)" "$1" "$2" | surf -l -0.6 -o "$5.obj"
}
region "$1" "$2" 0.02 0.07 bonds
region "$1" "$2" 0 0.02 ring
surf -l 0.2 -o density.obj "$3"
awk -v width=520 -f mesh.awk name='hydrogen bonds' colour='60 90 200' bonds.obj \
    name='middle of the ring' colour='205 70 60' ring.obj \
    name='electron density' colour='150 150 150' density.obj | gnuplot
