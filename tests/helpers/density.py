# SPDX-License-Identifier: MIT
"""Computes densities in numpy and MDAnalysis, for comparison with densmap.

density.py count|cic|ball|gauss STREAM.txt MAP.npy [WIDTH]
    STREAM.txt is a frame stream as decode_frames.py prints it, all of whose atoms are in the group. MAP.npy, with its
    .json, is the mean over frames that densmap or mapconv writes. Counts must be equal; for the other kernels,
    densities are compared at random points, and their integral with the number of atoms. WIDTH is the radius of the
    balls, or sigma of the Gaussians.
density.py mdanalysis FILE.pdb FILE.dcd SELECTION MAP.npy
    The counts must be those of MDAnalysis.analysis.density.
"""
import json
import struct
import sys

import numpy


def read_frames(name):
    """Returns (cell, periodic, positions) of each frame; positions are float64 copies of the stored numbers."""
    frames = []
    for line in open(name):
        words = line.split()
        if words[0] == "frame":
            cell = numpy.array([float(w) for w in words[words.index("cell") + 1:]]).reshape(3, 3)
            unit = float(words[words.index("unit") + 1])
            frames.append((cell, int(words[words.index("periodic") + 1]), unit, []))
        elif len(words) == 3 and len(words[0]) == 8 and frames:
            frames[-1][3].append([struct.unpack("<f", struct.pack("<I", int(w, 16)))[0] for w in words])
    return [(cell, periodic, numpy.array(x) * unit) for cell, periodic, unit, x in frames]


def read_map(name):
    lattice = json.load(open(name[:-3] + "json"))
    return numpy.load(name), numpy.array(lattice["origin"]), numpy.array(lattice["steps"]), lattice["periodic"]


def histogram(x, n, origin, steps, periodic):
    """The number of atoms in the voxel of each point."""
    n = numpy.array(n)
    if numpy.count_nonzero(steps - numpy.diag(numpy.diagonal(steps))):
        index = numpy.floor((x - origin) @ numpy.linalg.inv(steps) + 0.5).astype(int)
    else:
        step, border = numpy.diagonal(steps), origin - 0.5 * numpy.diagonal(steps)
        low = numpy.floor((x.min(0) - border) / step).astype(int) - 1
        high = numpy.ceil((x.max(0) - border) / step).astype(int) + 1
        edges = [numpy.arange(low[k], high[k] + 1) * step[k] + border[k] for k in range(3)]
        found, _ = numpy.histogramdd(x, bins=edges)
        index = numpy.argwhere(found)
        index = numpy.repeat(index, found[tuple(index.T)].astype(int), axis=0) + low
    index = numpy.where(periodic, index % n, index)
    index = index[((index >= 0) & (index < n)).all(1)]
    counts = numpy.zeros(n)
    numpy.add.at(counts, tuple(index.T), 1)
    return counts


def images(cell, periodic, x, reach, around):
    """Positions of all images within `reach` of the point `around`."""
    near = (x - around) @ numpy.linalg.inv(cell) if periodic else None
    if not periodic:
        return x
    x = x - numpy.round(near) @ cell
    m = numpy.ceil(reach * numpy.linalg.norm(numpy.linalg.inv(cell), axis=0) + 0.5).astype(int)
    shifts = numpy.array([(i, j, k) for i in range(-m[0], m[0] + 1) for j in range(-m[1], m[1] + 1)
                          for k in range(-m[2], m[2] + 1)]) @ cell
    return (x[:, None] + shifts[None]).reshape(-1, 3)


def density(kernel, width, frame, point, steps):
    cell, periodic, x = frame
    reach = {"cic": numpy.linalg.norm(steps, axis=1).sum(), "ball": width, "gauss": 7 * width}[kernel]
    d = images(cell, periodic, x, reach, point) - point
    r2 = (d * d).sum(1)
    if kernel == "ball":
        return (r2 <= width**2).sum() / (4 / 3 * numpy.pi * width**3)
    if kernel == "gauss":
        return numpy.exp(-r2 / (2 * width**2)).sum() / ((2 * numpy.pi)**1.5 * width**3)
    u = numpy.abs(d @ numpy.linalg.inv(steps))
    return numpy.prod(numpy.maximum(1 - u, 0), axis=1).sum() / abs(numpy.linalg.det(steps))


def compare(kernel, frames, values, origin, steps, periodic, width):
    shape = numpy.array(values.shape)
    changes = any((f[0] != frames[0][0]).any() for f in frames)
    step_of = [f[0] / shape[:, None] if changes else steps for f in frames]
    if kernel == "count":
        expected = sum(histogram(f[2], shape, origin, s, periodic) for f, s in zip(frames, step_of))
        counts = values * len(frames)
        assert abs(counts - expected).max() < 1e-9 * len(frames), numpy.argwhere(abs(counts - expected) > 1e-9)[:5]
        print("counts", int(expected.sum()))
        return
    random = numpy.random.default_rng(1)
    largest = abs(values).max()
    for at in random.integers(0, shape, (60, 3)):
        expected = numpy.mean([density(kernel, width, f, origin + at @ s, s) for f, s in zip(frames, step_of)])
        error = abs(values[tuple(at)] - expected)
        assert error < {"gauss": 1e-5, "cic": 1e-6, "ball": 1e-6}[kernel] * largest, (at, values[tuple(at)], expected)
    if all(periodic) and not changes:
        integral = values.sum() * abs(numpy.linalg.det(steps)) / len(frames[0][2])
        assert abs(integral - 1) < {"gauss": 1e-5, "cic": 1e-7, "ball": 0.05}[kernel], integral
    print(kernel, "agrees")


def mdanalysis(topology, trajectory, selection, values, origin, steps):
    import MDAnalysis
    from MDAnalysis.analysis.density import DensityAnalysis

    u = MDAnalysis.Universe(topology, trajectory)
    step, size = steps[0, 0], numpy.array(values.shape) * steps[0, 0]
    centre = origin - 0.5 * step + 0.5 * size
    d = DensityAnalysis(u.select_atoms(selection), delta=step, gridcenter=centre, xdim=size[0], ydim=size[1],
                        zdim=size[2]).run()
    counts = d.results.density.grid * step**3 * len(u.trajectory)
    assert counts.shape == values.shape, (counts.shape, values.shape)
    assert abs(counts - values * len(u.trajectory)).max() < 1e-6
    print("counts", int(round(counts.sum())))


def main():
    kernel, *names = sys.argv[1:]
    if kernel == "mdanalysis":
        mdanalysis(*names[:3], *read_map(names[3])[:3])
    else:
        width = float(names[2]) if len(names) > 2 else 0
        compare(kernel, read_frames(names[0]), *read_map(names[1]), width)


if __name__ == "__main__":
    main()
