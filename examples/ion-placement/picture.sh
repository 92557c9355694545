#!/bin/sh
# Draws the surfaces of a chain and of the ions around it as an SVG image. It needs gnuplot, and mesh.awk of
# examples/gallery in the same folder:
#
#   usage: sh picture.sh chain.pqr ions.pdb >picture.svg
set -eu

# The lattice contains both, and is the same for all parts.
surface() {
    trjcat -P none -t "$1" -g "A=resname $2" "$1" |
        densmap -e cpu --sigma "$3" --origin 2,12,-4 --points 77,81,84 --steps 0.5,0.5,0.5 |
        surf -l "$4" -o "$2.obj"
}
surface "$1" HYD 2 0.004
surface "$1" POL 2 0.004
surface "$2" SOD 1.3 0.008
surface "$2" CLA 1.3 0.008
awk -f mesh.awk name=uncharged colour='240 160 60' HYD.obj name=negative colour='205 70 60' POL.obj \
    name='Na+' colour='95 75 215' SOD.obj name='Cl-' colour='70 170 90' CLA.obj | gnuplot
