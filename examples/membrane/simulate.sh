#!/bin/sh
# Simulates membrane.xtc and membrane.pqr again: a bilayer of 200 lipids, half of them charged, with 100 counterions.
#
#   usage: ./simulate.sh          (five minutes on one core; set LMP to use another program)
#
# Needs LAMMPS (lmp), the Debian package lammps, and trjcat in PATH or in ../../bin.
# The seeds are fixed, so that the same LAMMPS on the same machine repeats the run. Another build rounds differently,
# and then gives another sample of the same membrane.
set -eu

cd "$(dirname "$0")"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH
# The temporary folder is inside this one, so that the final renames stay on one file system.
tmp=$(mktemp -d ./tmp.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# Lipids stand upright on a square lattice: two leaflets of 10 x 10, with their tails in the middle. Charged heads
# alternate with neutral ones. Counterions start on lattices in the solvent.
LC_ALL=C awk -v side=10 -v spacing=10.835 -v height=160 '
BEGIN {
	n = 2 * side * side
	printf "charged lipids of three beads\n\n%d atoms\n%d bonds\n4 atom types\n2 bond types\n\n", 3.5 * n, 3 * n
	printf "0 %.6f xlo xhi\n0 %.6f ylo yhi\n0 %.6f zlo zhi\n", side * spacing, side * spacing, height
	printf "\nMasses\n\n1 1\n2 1\n3 1\n4 1\n\nAtoms # full\n\n"
	for (leaflet = -1; leaflet <= 1; leaflet += 2)
		for (i = 0; i < side; i++)
			for (j = 0; j < side; j++) {
				mol++
				charged = (i + j) % 2
				for (bead = 2; bead >= 0; bead--)
					printf "%d %d %d %d %.6f %.6f %.6f\n", ++id, mol, \
					    bead < 2 ? 2 : charged ? 3 : 1, bead == 2 && charged ? -1 : 0, \
					    (i + 0.5) * spacing, (j + 0.5) * spacing, height / 2 + leaflet * (6 + 9.5 * bead)
			}
	for (leaflet = -1; leaflet <= 1; leaflet += 2)
		for (i = 0; i < side; i++)
			for (j = 0; j < side; j++)
				if ((i + j) % 2)
					printf "%d %d 4 1 %.6f %.6f %.6f\n", ++id, ++mol, \
					    (i + 0.5) * spacing, (j + 0.5) * spacing, height / 2 + leaflet * (45 + 15 * (i % 2))
	printf "\nBonds\n\n"
	for (m = 0; m < n; m++) {
		print 3*m + 1, 1, 3*m + 1, 3*m + 2
		print 3*m + 2, 1, 3*m + 2, 3*m + 3
		print 3*m + 3, 2, 3*m + 1, 3*m + 3
	}
}' >"$tmp/membrane.data"

# A single thread, because sums that are split over threads may round differently in each run.
OMP_NUM_THREADS=1 "${LMP:-lmp}" -in membrane.in -var dir "$tmp" -var equilibration 20000 -log none

# The topology contains the names, charges and half the diameters of the atoms of the first frame.
LC_ALL=C awk '
/^ITEM: TIMESTEP/ && frames++ { exit }
/^ITEM: ATOMS/ { atoms = 1; next }
atoms {
	name = $3 == 1 ? "H" : $3 == 2 ? "T" (($1 - 1) % 3) : $3 == 3 ? "P" : "ION"
	residue = name == "ION" ? "ION" : "LIP"
	printf "ATOM %5d %-3s %s %3d %8.3f %8.3f %8.3f %4.1f %4.2f\n", \
	    $1, name, residue, $2, $5, $6, $7, $4, name == "ION" ? 2.5 : name ~ /T/ ? 5 : 4.75
}
END { print "END" }' "$tmp/frames.dump" >"$tmp/membrane.pqr"

# The bilayer is centred in the cell.
trjcat -t "$tmp/membrane.pqr" --centre 'resname LIP' -o "$tmp/membrane.xtc" "$tmp/frames.dump"
mv "$tmp/membrane.xtc" "$tmp/membrane.pqr" .
