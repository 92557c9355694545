#!/bin/sh
# How water moves: diffusion, the spectrum of velocities, reorientation, hydrogen bonds and the dielectric constant,
# each with its error, as tables and figures.
#
#   usage: ./run.sh [FOLDER]      (the folder of the tables and figures; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

# Displacements need unwrapped positions. The viscosity is that of SPC/E, for the correction for the size of the cell.
trjcat -t water.data --carry mass --whole --unwrap fraction water.xtc |
    trjcorr --fit 3:11 --viscosity 0.729 --temperature 298.15 'msd(all, of=molecule)' -o "$out/msd.tsv"

# Everything else needs positions with their periodic images.
trjcat -t water.data --carry charge,element --whole -g 'O=element O' -g 'H=element H' -o "$out/images.trjf" water.xtc
trjcorr -i "$out/images.trjf" -l 60 'reorient(O, H, of=molecule)' -o "$out/turn.tsv"
trjcorr -i "$out/images.trjf" -l 60 'hbond_lifetime(all, all, gmx)' -o "$out/bonds.tsv"
trjcorr -i "$out/images.trjf" -l 60 'dielectric(all, 298.15)' -o "$out/dipole.tsv"
rm "$out/images.trjf"

# The stream of velocities contains masses and elements.
trjcorr -i velocities.trjf -l 80 --spectrum 'vacf(element O)' 'vacf(element H)' -o "$out/spectrum.tsv"

rdfplot -o "$out/msd.svg" "$out/msd.tsv"
rdfplot -o "$out/turn.svg" "$out/turn.tsv"
rdfplot -o "$out/bonds.svg" "$out/bonds.tsv"
rdfplot --running -o "$out/dipole.svg" "$out/dipole.tsv"
rdfplot --x-range 0:1100 -o "$out/spectrum.svg" "$out/spectrum.tsv"
for name in msd turn bonds dipole spectrum; do printf '%s\n' "$out/$name.tsv" "$out/$name.svg"; done
