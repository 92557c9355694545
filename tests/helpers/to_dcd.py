#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a trajectory of another format as a DCD with cosines, for comparison with references made from that format.

usage: to_dcd.py TRAJECTORY OUT.dcd

Coordinates are the float32 of the file; cells are float64. Exit status 77: a module is missing.
"""
import struct
import sys
import warnings

warnings.simplefilter("ignore")
try:
    import numpy as np
    from scipy.io import netcdf_file
    from MDAnalysis.coordinates.core import get_reader_for
except ImportError:
    sys.exit(77)


def six(vectors):
    """Returns A, gamma, B, beta, alpha, C of three vectors, with angles as cosines."""
    length = np.sqrt((vectors**2).sum(axis=1))
    cosine = [vectors[i] @ vectors[j] / (length[i] * length[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    return length[0], cosine[0], length[1], cosine[1], cosine[2], length[2]


def six_of_angles(cell):
    cell = np.asarray(cell, dtype=float)
    cosine = np.where(cell[3:] == 90, 0, np.cos(np.radians(cell[3:])))
    return cell[0], cosine[2], cell[1], cosine[1], cosine[0], cell[2]


def ipi_cells(path):
    """Returns the cells in the comments of an XYZ of i-PI."""
    with open(path, encoding="ascii") as lines:
        return [six_of_angles([float(word) for word in line.split()[2:8]]) for line in lines if "CELL(abcABC):" in line]


def frames(path):
    if path.endswith((".nc", ".ncdf")):
        get = netcdf_file(path, mmap=False).variables
        for x, lengths, angles in zip(*(get[what][:] for what in ("coordinates", "cell_lengths", "cell_angles"))):
            yield x, six_of_angles([*lengths, *angles])
        return
    reader = get_reader_for(path)(path)
    cells = ipi_cells(path) if path.endswith(".xyz") else []
    for number, frame in enumerate(reader):
        if cells:
            cell = cells[number]
        else:
            cell = np.zeros(6) if frame.dimensions is None else six_of_angles(frame.dimensions)
        yield frame.positions, cell


def record(out, data):
    out.write(struct.pack("<i", len(data)) + data + struct.pack("<i", len(data)))


with open(sys.argv[2], "wb") as out:
    number = 0
    for x, cell in frames(sys.argv[1]):
        if not number:
            record(out, b"CORD" + struct.pack("<9if10i", *[0] * 9, 0, 1, *[0] * 8, 24))
            record(out, struct.pack("<i80s", 1, b"* written for a test".ljust(80)))
            record(out, struct.pack("<i", len(x)))
        record(out, struct.pack("<6d", *cell))
        for axis in range(3):
            record(out, np.asarray(x[:, axis]).astype("<f4").tobytes())
        number += 1
