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

# The molecules start on a simple cubic lattice, at about the density of the liquid and with random orientations.
LC_ALL=C awk -v side=7 -v spacing=3.104 -v seed=20250 -f lattice.awk >"$tmp/water.data"

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
