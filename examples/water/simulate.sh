#!/bin/sh
# Simulates water.dcd and water.pdb again: rigid SPC/E water at 298.15 K and 1 bar.
#
#   usage: ./simulate.sh          (about ten minutes on one core; set LMP and PYTHON to use other programs)
#
# Needs LAMMPS (lmp) and MDAnalysis: the Debian packages lammps and python3-mdanalysis.
# The seeds are fixed, so that the same LAMMPS on the same machine repeats the run. Another build rounds differently.
# Because molecular dynamics is chaotic, it then gives another sample of the same liquid.
set -eu

cd "$(dirname "$0")"
# The temporary folder is inside this one, so that the final renames stay on one file system.
tmp=$(mktemp -d ./tmp.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# The molecules start on a simple cubic lattice, at about the density of the liquid and with random orientations. The
# random generator is part of this script (Park and Miller 1988, exact in a double), because rand() differs between
# versions of awk.
LC_ALL=C awk -v side=7 -v spacing=3.104 -v seed=20250 '
function uniform() {
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}
# Sets r to the rotation matrix of a uniformly distributed unit quaternion (Shoemake 1992).
function turn(    u, v, w, a, b, x, y, z) {
	u = uniform(); v = 2 * pi * uniform(); w = 2 * pi * uniform()
	a = sqrt(1 - u); b = sqrt(u)
	x = a * sin(v); y = a * cos(v); z = b * sin(w); w = b * cos(w)
	r[1,1] = 1 - 2 * (y*y + z*z); r[1,2] = 2 * (x*y - z*w)
	r[2,1] = 2 * (x*y + z*w);     r[2,2] = 1 - 2 * (x*x + z*z)
	r[3,1] = 2 * (x*z - y*w);     r[3,2] = 2 * (y*z + x*w)
}
# Prints an atom. (p, q) is its position in the plane of the molecule, with the oxygen at the origin.
function atom(type, charge, p, q) {
	printf "%d %d %d %s %.6f %.6f %.6f\n", ++id, mol, type, charge, \
	    ox + r[1,1]*p + r[1,2]*q, oy + r[2,1]*p + r[2,2]*q, oz + r[3,1]*p + r[3,2]*q
}
BEGIN {
	pi = atan2(0, -1)
	n = side * side * side
	half = 109.47 / 2 * pi / 180
	printf "SPC/E water\n\n"
	printf "%d atoms\n%d bonds\n%d angles\n\n", 3 * n, 2 * n, n
	printf "2 atom types\n1 bond types\n1 angle types\n\n"
	printf "0 %.6f xlo xhi\n0 %.6f ylo yhi\n0 %.6f zlo zhi\n", \
	    side * spacing, side * spacing, side * spacing
	printf "\nMasses\n\n1 15.9994\n2 1.008\n\nAtoms # full\n\n"
	for (i = 0; i < side; i++)
		for (j = 0; j < side; j++)
			for (k = 0; k < side; k++) {
				mol++
				ox = (i + 0.5) * spacing
				oy = (j + 0.5) * spacing
				oz = (k + 0.5) * spacing
				turn()
				atom(1, "-0.8476", 0, 0)
				atom(2, "0.4238", cos(half), sin(half))
				atom(2, "0.4238", cos(half), -sin(half))
			}
	printf "\nBonds\n\n"
	for (m = 0; m < n; m++) {
		print 2*m + 1, 1, 3*m + 1, 3*m + 2
		print 2*m + 2, 1, 3*m + 1, 3*m + 3
	}
	printf "\nAngles\n\n"
	for (m = 0; m < n; m++)
		print m + 1, 1, 3*m + 2, 3*m + 1, 3*m + 3
}' >"$tmp/water.data"

# A single thread, because sums that are split over threads may round differently in each run.
OMP_NUM_THREADS=1 "${LMP:-lmp}" -in water.in -var dir "$tmp" -log none

# The topology contains the coordinates and the cell of the first frame. The origin is moved to the corner of the cell,
# here and in the trajectory.
LC_ALL=C awk '
/^ITEM: TIMESTEP/ && frames++ { exit }
/^ITEM: BOX BOUNDS/ { box = 3; next }
/^ITEM: ATOMS/ {
	printf "TITLE     SPC/E WATER, 298.15 K, 1 BAR\n"
	printf "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n", \
	    len[1], len[2], len[3], 90, 90, 90
	atoms = 1
	next
}
/^ITEM:/ { next }
box { lo[4 - box] = $1; len[4 - box] = $2 - $1; box--; next }
atoms {
	k = ($1 - 1) % 3
	name = k == 0 ? "OW " : k == 1 ? "HW1" : "HW2"
	printf "HETATM%5d  %s SOL A%4d    %8.3f%8.3f%8.3f%6.2f%6.2f          %2s\n", \
	    $1, name, $2, $3 - lo[1], $4 - lo[2], $5 - lo[3], 1, 0, k == 0 ? "O" : "H"
}
END { print "END" }' "$tmp/frames.dump" >"$tmp/water.pdb"

# The LAMMPS of Debian is built without its DCD writer.
"${PYTHON:-/usr/bin/python3}" - "$tmp" <<'END'
import sys
import warnings

# MDAnalysis warns of future changes of its interface. Errors are exceptions and are not affected.
warnings.showwarning = lambda *args, **kwargs: None
import MDAnalysis

tmp = sys.argv[1]
water = MDAnalysis.Universe(
    tmp + "/water.pdb", tmp + "/frames.dump", format="LAMMPSDUMP",
    lammps_coordinate_convention="unwrapped")
first, second = (water.trajectory[i].data["step"] for i in (0, 1))
every = second - first
with MDAnalysis.Writer(
        tmp + "/water.dcd", len(water.atoms), dt=every * 0.002, nsavc=every, istart=first,
        remarks="SPC/E water, 298.15 K, 1 bar") as out:
    for _ in water.trajectory:
        out.write(water.atoms)
END

mv "$tmp/water.dcd" water.dcd
mv "$tmp/water.pdb" water.pdb
