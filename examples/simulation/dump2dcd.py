#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Converts a LAMMPS dump to STEM.dcd and STEM.pdb, because the LAMMPS of Debian is built without its DCD writer.

  usage: dump2dcd.py DUMP STEM TITLE PS NAME:RESIDUE[:ELEMENT]...

PS is the length of a time step in ps; the k-th NAME:RESIDUE names the atoms of type k. The dump has the style
`custom id mol type xu yu zu` and is sorted by id. simulate.sh of ions, melting, cluster and protein runs this program.
It needs MDAnalysis.
"""
import sys
import warnings

import numpy

# MDAnalysis warns of future changes of its interface. Errors are exceptions and are not affected.
warnings.showwarning = lambda *args, **kwargs: None
import MDAnalysis
from MDAnalysis.lib.mdamath import triclinic_box


def frames(dump):
    """Yields for each frame of a dump its step, origin, dimensions (None if it is not periodic) and rows."""
    while dump.readline():
        step = int(dump.readline())
        dump.readline()
        n = int(dump.readline())
        kind = dump.readline().split()[3:]
        box = numpy.array([[float(x) for x in dump.readline().split()] for _ in range(3)])
        dump.readline()
        rows = numpy.array([dump.readline().split() for _ in range(n)], dtype=float)
        xy, xz, yz = box[:, 2] if "xy" in kind else (0, 0, 0)
        # The dump gives the bounds of the box around the triclinic cell, not the lengths of its edges.
        low = box[:, 0] - [min(0, xy, xz, xy + xz), min(0, yz), 0]
        edge = box[:, 1] - [max(0, xy, xz, xy + xz), max(0, yz), 0] - low
        if "pp" in kind:
            yield step, low, triclinic_box([edge[0], 0, 0], [xy, edge[1], 0], [xz, yz, edge[2]]), rows
        else:
            yield step, 0, None, rows


def write_pdb(path, title, dimensions, rows, origin, names):
    with open(path, "w") as pdb:
        print(f"TITLE     {title.upper()}", file=pdb)
        if dimensions is not None:
            print("CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1" % tuple(dimensions), file=pdb)
        for row in rows:
            name, residue, element = (names[int(row[2]) - 1] + ":").split(":")[:3]
            x, y, z = row[3:] - origin
            print(f"HETATM{int(row[0]):5}  {name:3} {residue:3} A{int(row[1]):4}    "
                  f"{x:8.3f}{y:8.3f}{z:8.3f}{1:6.2f}{0:6.2f}{element:>12}".rstrip(), file=pdb)
        print("END", file=pdb)


def main(path, stem, title, ps, *names):
    with open(path) as dump:
        all_frames = list(frames(dump))
    first, second = (all_frames[i][0] for i in (0, 1))
    n = len(all_frames[0][3])
    universe = MDAnalysis.Universe.empty(n, trajectory=True)
    with MDAnalysis.Writer(f"{stem}.dcd", n, dt=(second - first) * float(ps), nsavc=second - first,
                           istart=first, remarks=title) as dcd:
        for _, origin, dimensions, rows in all_frames:
            universe.dimensions = dimensions
            universe.atoms.positions = rows[:, 3:] - origin
            dcd.write(universe.atoms)
    _, origin, dimensions, rows = all_frames[0]
    write_pdb(f"{stem}.pdb", title, dimensions, rows, origin, names)


main(*sys.argv[1:])
