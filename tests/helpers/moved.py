#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks extended XYZ files of trjcat --whole, --centre and --fit with numpy and MDAnalysis.

whole BEFORE AFTER TOPOLOGY: only images change; the first atom of each molecule stays; bonds are the shortest images
centre AFTER FIRST STOP TOPOLOGY: atoms FIRST to STOP - 1 are centred; other molecules are the images nearest to it
fit AFTER FILE SELECTION TOPOLOGY TRAJECTORY: all positions are those of MDAnalysis; prints frame and rmsd
cells BEFORE AFTER: lengths and angles of the cells agree, and orientations differ in all frames but the first
gromacs OURS THEIRS STEP: in each molecule of STEP atoms, vectors from the first atom agree to the rounding of XTC;
    with STEP 0, all positions agree
pairs BEFORE AFTER COUNTS R BINS: COUNTS are those of AFTER, and differ from those of BEFORE only by pairs near edges
"""
import itertools
import re
import sys

import numpy as np


def frames(path):
    with open(path, encoding="ascii") as file:
        while line := file.readline():
            comment = file.readline()
            lattice = re.search('Lattice="([^"]*)"', comment)
            cell = np.array(lattice[1].split(), float).reshape(3, 3) if lattice else None
            rows = [file.readline().split()[1:4] for _ in range(int(line))]
            yield cell, np.array(rows, np.float32).astype(float)


def molecules(topology):
    import MDAnalysis

    universe = MDAnalysis.Universe(topology)
    return universe.bonds.indices, [f.indices for f in universe.atoms.fragments]


def images(cell, reach=2):
    """All vectors of the lattice up to this multiple of the cell vectors, without 0."""
    n = [m for m in itertools.product(range(-reach, reach + 1), repeat=3) if any(m)]
    return np.array(n) @ cell


def check_shortest(d, cell):
    """No vector of d becomes shorter by a vector of the lattice, within rounding errors."""
    for v in images(cell):
        assert (((d + v) ** 2).sum(1) > (d**2).sum(1) - 1e-3).all()


def whole(before, after, topology):
    bonds, fragments = molecules(topology)
    moved = 0
    for (cell, x), (same, y) in zip(frames(before), frames(after), strict=True):
        assert (cell == same).all()
        shift = (y - x) @ np.linalg.inv(cell)
        assert abs(shift - shift.round()).max() < 1e-5
        assert all((x[f.min()] == y[f.min()]).all() for f in fragments)
        check_shortest(y[bonds[:, 0]] - y[bonds[:, 1]], cell)
        moved += (shift.round() != 0).any(1).sum()
    print(moved > 0)


def centre(after, first, stop, topology):
    _, fragments = molecules(topology)
    selected = range(int(first), int(stop))
    for cell, x in frames(after):
        middle = cell.sum(0) / 2
        assert abs(x[selected].mean(0) - middle).max() < 1e-4
        others = [f for f in fragments if f[0] not in selected]
        check_shortest(np.array([x[f].mean(0) for f in others]) - middle, cell)
    print(len(others))


def fit(after, reference, selection, topology, trajectory):
    import MDAnalysis
    from MDAnalysis.analysis import align

    reference = MDAnalysis.Universe(reference)
    universe = MDAnalysis.Universe(topology, trajectory)
    atoms, to = universe.select_atoms(selection).indices, reference.select_atoms(selection).positions.astype(float)
    worst = 0
    for ts, (_, x) in zip(universe.trajectory, frames(after), strict=True):
        print(ts.frame, "%.2f" % np.sqrt(((x[atoms] - to) ** 2).sum(1).mean()))
        align.alignto(universe, reference, select=selection)
        worst = max(worst, abs(universe.atoms.positions - x).max())
    assert worst < 5e-5, worst


def gromacs(ours, theirs, step):
    step = int(step)
    for (_, x), (_, y) in zip(frames(ours), frames(theirs), strict=True):
        first = np.arange(len(x)) // step * step if step else None
        d = x - y if first is None else x - x[first] - y + y[first]
        assert abs(d).max() < 0.03, abs(d).max()


def shape(cell):
    return cell @ cell.T


def cells(before, after):
    for i, ((a, _), (b, _)) in enumerate(zip(frames(before), frames(after), strict=True)):
        assert abs(shape(a) - shape(b)).max() < 1e-9 * shape(a).max()
        assert np.linalg.det(a) * np.linalg.det(b) > 0
        assert (abs(a - b).max() < 1e-9) == (i == 0)


def distances(path, rmax):
    """Squares of all distances below rmax, with all images."""
    found = []
    for cell, x in frames(path):
        reach = [int(np.ceil(rmax * np.linalg.norm(g))) + 1 for g in np.linalg.inv(cell).T]
        f = x @ np.linalg.inv(cell)
        d = ((x - np.floor(f) @ cell)[:, None] - (x - np.floor(f) @ cell)[None])[np.triu_indices(len(x), 1)]
        for n in itertools.product(*(range(-r, r + 1) for r in reach)):
            r = np.sqrt(((d + np.array(n) @ cell) ** 2).sum(1))
            found.append(r[r < rmax + 0.1])
    return np.sort(np.concatenate(found))


def pairs(before, after, counts, rmax, bins):
    rmax, bins = float(rmax), int(bins)
    edges = np.arange(bins + 1) * rmax / bins
    a, b = distances(before, rmax), distances(after, rmax)
    got = np.loadtxt(counts)
    expected = np.diff(np.searchsorted(b, edges))
    assert (got == expected).all(), (got - expected).nonzero()
    # A coordinate is rounded by at most 2^-24 of its value, which is below 128 Å; a distance by 2 sqrt(3) times as
    # much.
    rounding = 128 * 2**-24 * 2 * 3**0.5
    near = np.searchsorted(a, edges + rounding) - np.searchsorted(a, edges - rounding)
    assert (abs(np.searchsorted(a, edges) - np.searchsorted(b, edges)) <= near).all()
    print(len(b), (np.diff(np.searchsorted(a, edges)) != got).sum())


globals()[sys.argv[1]](*sys.argv[2:])
