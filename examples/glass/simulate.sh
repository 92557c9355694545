#!/bin/sh
# Simulates silica.dcd and silica.pdb again: 216 SiO2, molten and quenched to 300 K.
#
#   usage: ./simulate.sh          (ten minutes on one core; set LMP and PYTHON to use other programs)
#
# Needs LAMMPS (lmp) and MDAnalysis: the Debian packages lammps and python3-mdanalysis.
# The seeds are fixed, but molecular dynamics is chaotic: another build of LAMMPS gives another sample of the glass.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# 3 x 3 x 3 cells of ideal beta-cristobalite, in a cube with the density of the glass: the silicons form a diamond
# lattice, and each oxygen is half-way between two of them. SiO2 has 60.0843 u; 1 u/A^3 is 1.66053907 g/cm^3.
LC_ALL=C awk -v cells=3 -v density=2.20 '
function atom(type, x, y, z) {
	printf "%d %d %s %.6f %.6f %.6f\n", ++id, type, type == 1 ? "2.4" : "-1.2", x * a, y * a, z * a
}
BEGIN {
	a = (8 * 60.0843 * 1.66053907 / density) ^ (1 / 3)
	printf "silica\n\n%d atoms\n2 atom types\n\n", 24 * cells ^ 3
	for (k = 0; k < 3; k++) printf "0 %.6f %slo %shi\n", cells * a, substr("xyz", k + 1, 1), substr("xyz", k + 1, 1)
	printf "\nMasses\n\n1 28.0855\n2 15.9994\n\nAtoms # charge\n\n"
	split("0 0 0 0 0.5 0.5 0.5 0 0.5 0.5 0.5 0", f)
	split("1 1 1 1 -1 -1 -1 1 -1 -1 -1 1", d)
	for (i = 0; i < cells; i++) for (j = 0; j < cells; j++) for (k = 0; k < cells; k++) for (n = 0; n < 4; n++) {
		x = i + f[3*n + 1]; y = j + f[3*n + 2]; z = k + f[3*n + 3]
		atom(1, x, y, z)
		atom(1, x + 0.25, y + 0.25, z + 0.25)
		for (m = 0; m < 4; m++)
			atom(2, x + 0.25 + d[3*m + 1] / 8, y + 0.25 + d[3*m + 2] / 8, z + 0.25 + d[3*m + 3] / 8)
	}
}' >"$tmp/silica.data"

OMP_NUM_THREADS=1 "${LMP:-lmp}" -in silica.in -var dir "$tmp" -log none
"${PYTHON:-/usr/bin/python3}" ../simulation/dump2dcd.py "$tmp/frames.dump" "$tmp/silica" \
    'Vitreous silica, 300 K, 2.20 g/cm3' 0.001 SI:GLS:SI O:GLS:O
mv "$tmp/silica.dcd" "$tmp/silica.pdb" .
