#!/bin/sh
# Simulates protein.dcd and protein.pdb again: a chain of 20 beads in 628 beads of solvent, in a truncated octahedron.
#
#   usage: ./simulate.sh          (two minutes on one core; set LMP and PYTHON to use other programs)
#
# Needs LAMMPS (lmp) and MDAnalysis: the Debian packages lammps and python3-mdanalysis.
# The seed is fixed, but molecular dynamics is chaotic: with another build of LAMMPS the chain folds in another way.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# The chain starts as a helix in a lattice of solvent beads. Each bead of the chain replaces the nearest solvent bead.
"${PYTHON:-/usr/bin/python3}" - >"$tmp/protein.data" <<'PYTHON'
import numpy

sequence = "HPHPPHHPHPPHPHHPPHPH"
grid = (9, 9, 8)
# The truncated octahedron as a triclinic cell, with a volume of 122 cubic Angstrom per bead.
cell = numpy.array([[1, 0, 0], [1 / 3, 8**0.5 / 3, 0], [-1 / 3, 2**0.5 / 3, 6**0.5 / 3]])
cell *= (122 * numpy.prod(grid) / numpy.linalg.det(cell)) ** (1 / 3)

k = numpy.arange(len(sequence))
turn = numpy.radians(70) * k
chain = numpy.stack([3 * numpy.cos(turn), 3 * numpy.sin(turn), 1.6 * (k - k.mean())], 1) + cell.sum(0) / 2
solvent = (numpy.array(list(numpy.ndindex(*grid))) + 0.5) / grid @ cell
for bead in chain:
    solvent = numpy.delete(solvent, numpy.linalg.norm(solvent - bead, axis=1).argmin(), 0)

print(f"HP chain\n\n{len(chain) + len(solvent)} atoms\n{len(chain) - 1} bonds\n3 atom types\n1 bond types\n")
for i, axis in enumerate("xyz"):
    print(f"0 {cell[i, i]:.6f} {axis}lo {axis}hi")
print(f"{cell[1, 0]:.6f} {cell[2, 0]:.6f} {cell[2, 1]:.6f} xy xz yz")
print("\nMasses\n\n1 72\n2 72\n3 72\n\nAtoms # full\n")
kinds = ["HP".index(s) + 1 for s in sequence] + [3] * len(solvent)
for n, (kind, place) in enumerate(zip(kinds, [*chain, *solvent]), 1):
    print(n, n, kind, 0, *(f"{x:.6f}" for x in place))
print("\nBonds\n")
for n in range(1, len(chain)):
    print(n, 1, n, n + 1)
PYTHON

OMP_NUM_THREADS=1 "${LMP:-lmp}" -in protein.in -var dir "$tmp" -log none
"${PYTHON:-/usr/bin/python3}" ../simulation/dump2dcd.py "$tmp/frames.dump" "$tmp/protein" \
    'HP chain in a truncated octahedron of solvent, 300 K' 0.01 BB:HYD BB:POL W:SOL
mv "$tmp/protein.dcd" "$tmp/protein.pdb" .
