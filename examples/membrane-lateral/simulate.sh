#!/bin/sh
# Simulates membrane.dcd and membrane.pdb again: a bilayer of 392 lipids of three beads.
#
#   usage: ./simulate.sh          (a few minutes on one core; set LMP and PYTHON to use other programs)
#
# Needs LAMMPS (lmp) and MDAnalysis: the Debian packages lammps and python3-mdanalysis.
# The seeds are fixed, so that the same LAMMPS on the same machine repeats the run. Another build rounds differently,
# and then gives another sample of the same membrane.
set -eu

cd "$(dirname "$0")"
# The temporary folder is inside this one, so that the final renames stay on one file system.
tmp=$(mktemp -d ./tmp.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# Lipids stand upright on a square lattice: two leaflets of 14 x 14, with their tails in the middle.
LC_ALL=C awk -v side=14 -v spacing=1.1 '
BEGIN {
	n = 2 * side * side
	printf "lipids of three beads\n\n%d atoms\n%d bonds\n2 atom types\n2 bond types\n\n", 3 * n, 3 * n
	printf "0 %.6f xlo xhi\n0 %.6f ylo yhi\n0 20 zlo zhi\n", side * spacing, side * spacing
	printf "\nMasses\n\n1 1\n2 1\n\nAtoms # bond\n\n"
	for (leaflet = -1; leaflet <= 1; leaflet += 2)
		for (i = 0; i < side; i++)
			for (j = 0; j < side; j++) {
				mol++
				for (bead = 2; bead >= 0; bead--)
					printf "%d %d %d %.6f %.6f %.6f\n", ++id, mol, bead == 2 ? 1 : 2, \
					    (i + 0.5) * spacing, (j + 0.5) * spacing, 10 + leaflet * (0.6 + 0.95 * bead)
			}
	printf "\nBonds\n\n"
	for (m = 0; m < n; m++) {
		print 3*m + 1, 1, 3*m + 1, 3*m + 2
		print 3*m + 2, 1, 3*m + 2, 3*m + 3
		print 3*m + 3, 2, 3*m + 1, 3*m + 3
	}
}' >"$tmp/membrane.data"

# A single thread, because sums that are split over threads may round differently in each run.
OMP_NUM_THREADS=1 "${LMP:-lmp}" -in membrane.in -var dir "$tmp" -var equilibration 200000 -log none

# The topology contains the coordinates and the cell of the first frame. The origin is moved to the corner of the cell,
# here and in the trajectory.
LC_ALL=C awk '
/^ITEM: TIMESTEP/ && frames++ { exit }
/^ITEM: BOX BOUNDS/ { box = 3; next }
/^ITEM: ATOMS/ {
	printf "TITLE     BILAYER OF LIPIDS OF THREE BEADS, LENGTHS IN SIGMA\n"
	printf "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n", len[1], len[2], len[3], 90, 90, 90
	atoms = 1
	next
}
/^ITEM:/ { next }
box { lo[4 - box] = $1; len[4 - box] = $2 - $1; box--; next }
atoms {
	k = ($1 - 1) % 3
	printf "HETATM%5d  %s  LIP A%4d    %8.3f%8.3f%8.3f%6.2f%6.2f           X\n", \
	    $1, k == 0 ? "H " : k == 1 ? "T1" : "T2", $2, $3 - lo[1], $4 - lo[2], $5 - lo[3], 1, 0
}
END { print "END" }' "$tmp/frames.dump" >"$tmp/membrane.pdb"

# The LAMMPS of Debian is built without its DCD writer.
"${PYTHON:-/usr/bin/python3}" - "$tmp" <<'END'
import sys
import warnings

# MDAnalysis warns of future changes of its interface. Errors are exceptions and are not affected.
warnings.showwarning = lambda *args, **kwargs: None
import MDAnalysis

tmp = sys.argv[1]
membrane = MDAnalysis.Universe(
    tmp + "/membrane.pdb", tmp + "/frames.dump", format="LAMMPSDUMP", lammps_coordinate_convention="unwrapped")
with MDAnalysis.Writer(
        tmp + "/membrane.dcd", len(membrane.atoms), dt=25, nsavc=5000, istart=0,
        remarks="bilayer of lipids of three beads, lengths in sigma") as out:
    for _ in membrane.trajectory:
        out.write(membrane.atoms)
END

mv "$tmp/membrane.dcd" membrane.dcd
mv "$tmp/membrane.pdb" membrane.pdb
