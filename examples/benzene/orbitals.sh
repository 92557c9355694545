#!/bin/sh
# Draws two orbitals side by side, in two colours by their sign, as an SVG image. It needs gnuplot, and mesh.awk of
# examples/gallery in the same folder:
#
#   usage: sh orbitals.sh homo.cube lumo.cube density.cube >orbitals.svg
set -eu

if [ ! -r mesh.awk ]; then
    echo 'orbitals.sh: mesh.awk is missing: copy it from examples/gallery to this folder' >&2
    exit 1
fi

# Writes the surfaces of both signs at one level, so that together they enclose 80 % of the density of the orbital.
surfaces() {
    level=$(surf -l +-80% "$1" 2>/dev/null | awk '!/^#/ { print $2; exit }')
    surf -l "$level" -o "$2+.obj" "$1"
    mapmath -e '-a' "$1" | surf -l "$level" -o "$2-.obj"
}
surfaces "$1" a
surfaces "$2" b
surf -l 0.2 -o density.obj "$3" # in bohr^-3: the bonds
awk -v width=640 -f mesh.awk name=positive colour='76 155 214' a+.obj name=negative colour='205 70 60' a-.obj \
    name='electron density' colour='150 150 150' density.obj \
    move=5.8 name=- density.obj name=- colour='76 155 214' b+.obj name=- colour='205 70 60' b-.obj | gnuplot
