#!/bin/sh
# Draws all figures of README.md, by the commands there.
#
#   usage: ./run.sh [FOLDER]      (the folder of the figures and tables; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

for name in water/water ions/ions protein/protein melting/argon cluster/cluster glass/silica glass/quartz \
    cryo-em/folded membrane-lateral/membrane membrane/membrane ion-placement/chain protein-study/peptide \
    water-dynamics/water water-dynamics/velocities \
    benzene/benzene hydrogen-bond/dimer; do
    ln -sf "$here/../$name".[cdmptx]* "$out"
done
ln -sf "$here/mesh.awk" "$here/../membrane/profile.awk" "$here/../ion-placement/picture.sh" "$out"
ln -sf "$here/../benzene/orbitals.sh" "$here/../hydrogen-bond/weak.sh" "$out"
ln -sf "$here/../water-map/figure.gp" "$out/map.gp"
ln -sf "$here/../protein-study/panels.gp" "$out"
cp "$here/../protein-study/protein-study.yaml" "$out"
# Particle-mesh Ewald requires FFTW; a build without it draws the other figures.
fftw=1
potmap --version | grep -q 'FFTW *[0-9]' || { fftw=0; echo "$0: no potential.svg: this build lacks FFTW" >&2; }
awk -v fftw=$fftw '/^## / { skip = !fftw && /Potential across/ } /^```/ { on = $0 == "```sh" && !skip; next } on' \
    README.md >"$out/commands.sh"
cd "$out"
sh -e commands.sh
