#!/bin/sh
# Simulates cluster.dcd again: an icosahedron of 55 Lennard-Jones atoms at 20 K, without a cell.
#
#   usage: ./simulate.sh          (half a minute on one core; set LMP and PYTHON to use other programs)
#
# Needs LAMMPS (lmp) and MDAnalysis: the Debian packages lammps and python3-mdanalysis.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# One atom is at the centre, 12 atoms are at the corners of an icosahedron around it, and 42 atoms are in the next
# shell: at the corners of an icosahedron of twice the size, and at the midpoints of its edges.
"${PYTHON:-/usr/bin/python3}" - >"$tmp/cluster.data" <<'PYTHON'
import itertools

import numpy

golden = (1 + 5**0.5) / 2
corners = [numpy.roll([0, a, b * golden], k) for k in range(3) for a in (-1, 1) for b in (-1, 1)]
edges = [a + b for a, b in itertools.combinations(corners, 2) if numpy.linalg.norm(a - b) < 2.1]
sites = [numpy.zeros(3), *corners, *(2 * c for c in corners), *edges]
print(f"icosahedron\n\n{len(sites)} atoms\n1 atom types\n")
for axis in "xyz":
    print(f"-50 50 {axis}lo {axis}hi")
print("\nMasses\n\n1 39.948\n\nAtoms # full\n")
for n, site in enumerate(sites, 1):
    print(n, 1, 1, 0, *(f"{x:.6f}" for x in 1.95 * site))
PYTHON

OMP_NUM_THREADS=1 "${LMP:-lmp}" -in cluster.in -var dir "$tmp" -log none
"${PYTHON:-/usr/bin/python3}" ../simulation/dump2dcd.py "$tmp/frames.dump" "$tmp/cluster" \
    '55 Lennard-Jones argons, 20 K' 0.005 AR:AR
mv "$tmp/cluster.dcd" .
