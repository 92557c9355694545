#!/bin/sh
# Simulates ions.dcd and ions.pdb again: 8 Na+ and 8 Cl- in 200 rigid SPC/E waters at 298.15 K and 1 bar.
#
#   usage: ./simulate.sh          (about ten minutes on one core; set LMP and PYTHON to use other programs)
#
# Needs LAMMPS (lmp) and MDAnalysis: the Debian packages lammps and python3-mdanalysis.
# The seeds are fixed, but molecular dynamics is chaotic: another build of LAMMPS gives another sample of this liquid.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# The molecules start on a simple cubic lattice, at about the density of the liquid and with random orientations. Ions
# replace 16 of them, so that ions of the same sign are far from each other.
"${PYTHON:-/usr/bin/python3}" - >"$tmp/ions.data" <<'PYTHON'
import numpy

side, spacing = 6, 3.07
half = numpy.radians(109.47 / 2)
flat = numpy.array([[0, 0, 0], [numpy.cos(half), numpy.sin(half), 0], [numpy.cos(half), -numpy.sin(half), 0]])
random = numpy.random.RandomState(2011)
atoms, bonds, angles = [], [], []
sites = [(i, j, k) for i in range(side) for j in range(side) for k in range(side)]
ion = {s: 3 + sum(s) // 3 % 2 for s in sites if all(x % 3 == 1 for x in s)}
ion.update({s: 3 + (sum(s) + 3) // 3 % 2 for s in sites if all(x % 3 == 2 for x in s)})
for mol, site in enumerate(sites, 1):
    place = (numpy.array(site) + 0.5) * spacing
    if site in ion:
        atoms.append((mol, ion[site], 1 if ion[site] == 3 else -1, *place))
        continue
    turn, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
    first = len(atoms) + 1
    bonds += [(first, first + 1), (first, first + 2)]
    angles.append((first + 1, first, first + 2))
    for kind, charge, at in zip((1, 2, 2), (-0.8476, 0.4238, 0.4238), flat @ turn.T):
        atoms.append((mol, kind, charge, *(place + at)))

print(f"SPC/E water and NaCl\n\n{len(atoms)} atoms\n{len(bonds)} bonds\n{len(angles)} angles\n")
print("4 atom types\n1 bond types\n1 angle types\n")
for axis in "xyz":
    print(f"0 {side * spacing:.4f} {axis}lo {axis}hi")
print("\nMasses\n\n1 15.9994\n2 1.008\n3 22.98977\n4 35.453")
for name, rows in ("Atoms # full", atoms), ("Bonds", [(1, *b) for b in bonds]), ("Angles", [(1, *a) for a in angles]):
    print(f"\n{name}\n")
    for n, row in enumerate(rows, 1):
        print(n, *(f"{x:.6f}" if isinstance(x, float) else x for x in row))
PYTHON

# A single thread, because sums that are split over threads may round differently in each run.
OMP_NUM_THREADS=1 "${LMP:-lmp}" -in ions.in -var dir "$tmp" -log none
"${PYTHON:-/usr/bin/python3}" ../simulation/dump2dcd.py "$tmp/frames.dump" "$tmp/ions" \
    'SPC/E water with 8 NaCl, 298.15 K, 1 bar' 0.002 OW:SOL HW:SOL NA:NA CL:CL
mv "$tmp/ions.dcd" "$tmp/ions.pdb" .
