#!/bin/sh
# Draws the surfaces of a chain and of the ions around it as an SVG image. It needs mesh.awk of examples/gallery in the
# same folder:
#
#   usage: sh picture.sh chain.pqr ions.pdb >picture.svg
set -eu

# The lattice contains both, and is the same for all parts.
surface() {
    trjcat -P none -t "$1" -g "A=resname $2" "$1" |
        densmap -e cpu --sigma "$3" --origin 2,12,-4 --points 23,24,25 --steps 1.7,1.7,1.7 |
        surf -l "$4" -o "$2.obj"
}
surface "$1" HYD 2 0.004
surface "$1" POL 2 0.004
surface "$2" SOD 1.3 0.008
surface "$2" CLA 1.3 0.008
awk -f mesh.awk colour='240 160 60' HYD.obj colour='205 70 60' POL.obj colour='95 75 215' SOD.obj \
    colour='70 170 90' CLA.obj
