#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads maps with other programs, and compares them with those of mapconv and mapinfo.

maps.py read FILE.mrc|dx     prints lattice and statistics as mapinfo does, from mrcfile, gemmi or GridDataFormats
maps.py same FILE FILE       compares the values of two files: .npy (with its .json), .mrc, .dx, .cube
"""
import json
import sys

import numpy


def read_mrc(name):
    """Values with x as the first axis, origin by NSTART or ORIGIN, steps of the cell."""
    import mrcfile

    with mrcfile.open(name, permissive=True) as f:
        h = f.header
        data = numpy.array(f.data, dtype=float)  # sections, rows, columns
        axes = [int(h.mapc), int(h.mapr), int(h.maps)]
        order = [2 - axes.index(k) for k in (1, 2, 3)]  # axis of `data` for x, y, z
        data = data.transpose(order)
        a, b, c = (float(h.cella[k]) for k in "xyz")
        angles = [float(h.cellb[k]) for k in ("alpha", "beta", "gamma")]
        m = [int(h.mx), int(h.my), int(h.mz)]
        start = [int(h.nxstart), int(h.nystart), int(h.nzstart)]
        origin = numpy.array([float(h.origin[k]) for k in "xyz"])
    steps = cell(a, b, c, *angles) / numpy.array(m)[:, None]
    if not origin.any():
        for k in range(3):
            origin = origin + start[k] * steps[axes[k] - 1]
    return data, origin, steps


def cell(a, b, c, alpha, beta, gamma):
    """By way of gemmi, whose matrix has the vectors as columns."""
    import gemmi

    m = gemmi.UnitCell(a, b, c, alpha, beta, gamma).orthogonalization_matrix
    return numpy.array(m.tolist()).T


def read_dx(name):
    import gridData.OpenDX

    field = gridData.OpenDX.field(0)
    field.read(name)
    positions = field.components["positions"]
    data = field.components["data"].array.reshape(positions.shape)
    return numpy.array(data, dtype=float), numpy.array(positions.origin), numpy.array(positions.delta)


def read_npy(name):
    with open(name[:-3] + "json", encoding="ascii") as f:
        g = json.load(f)
    data = numpy.load(name)
    assert list(data.shape[:3]) == g["shape"]
    return data.astype(float), numpy.array(g["origin"]), numpy.array(g["steps"])


def read_cube(name):
    """By Gaussian's manual."""
    with open(name, encoding="ascii") as f:
        lines = f.read().split("\n")
    bohr = 0.529177210903
    atoms, *origin = lines[2].split()[:4]
    rows = [line.split() for line in lines[3:6]]
    n = [int(r[0]) for r in rows]
    steps = numpy.array([[float(v) for v in r[1:4]] for r in rows]) * bohr
    values = " ".join(lines[6 + int(atoms) :]).split()
    data = numpy.array([float(v) for v in values]).reshape(n)
    return data, numpy.array([float(v) for v in origin]) * bohr, steps


def read(name):
    for ending, reader in ((".npy", read_npy), (".dx", read_dx), (".dx.save", read_dx), (".cube", read_cube)):
        if name.endswith(ending):
            return reader(name)
    return read_mrc(name)


def main():
    if sys.argv[1] == "read":
        data, origin, steps = read(sys.argv[2])
        flat = data.transpose(2, 1, 0).ravel()  # x fastest
        print("points", *data.shape)
        print("origin", *origin)
        for k in range(3):
            print(f"step_{k}", *steps[k])
        print("min", flat.min(), "\nmax", flat.max(), "\nmean", flat.mean(), "\nsigma", flat.std())
        for name, number in (("min_index", flat.argmin()), ("max_index", flat.argmax())):
            print(name, *reversed(numpy.unravel_index(number, data.shape[::-1])))
        return
    (a, ao, asteps), (b, bo, bsteps) = read(sys.argv[2]), read(sys.argv[3])
    tolerance = float(sys.argv[4]) if len(sys.argv) > 4 else 1e-6
    assert a.shape == b.shape, (a.shape, b.shape)
    assert numpy.allclose(ao, bo, atol=1e-5), (ao, bo)
    assert numpy.allclose(asteps, bsteps, atol=2e-6), (asteps, bsteps)
    assert numpy.allclose(a, b, rtol=tolerance, atol=tolerance * abs(a).max()), abs(a - b).max()


main()
