# SPDX-License-Identifier: MIT
"""Compares a map of Boltzmann factors of one site with sums over all images in float64, as ligmap defines them.

ligand.py STREAM.txt MAP.npy SIGMA EPSILON TEMPERATURE CUTOFF
    STREAM.txt is a frame stream as decode_frames.py prints it. All atoms are equal to the site, with SIGMA in Å and
    EPSILON in K. MAP.npy, with its .json, is the mean that ligmap --units factor writes.
"""
import itertools
import sys

import numpy

from density import read_frames, read_map

sigma, epsilon, temperature, cutoff = map(float, sys.argv[3:])
found, origin, steps, _ = read_map(sys.argv[2])
points = origin + numpy.indices(found.shape).reshape(3, -1).T @ steps
mean = numpy.zeros(len(points))
frames = read_frames(sys.argv[1])
for cell, _, x in frames:
    heights = 1 / numpy.linalg.norm(numpy.linalg.inv(cell), axis=0)
    energy = numpy.zeros(len(points))
    most = numpy.full(len(points), -numpy.inf)
    for atom in x:
        d = (atom - points) @ numpy.linalg.inv(cell)
        d = (d - numpy.rint(d)) @ cell
        for n in itertools.product(*(range(-int(cutoff / h + 1), int(cutoff / h + 1) + 1) for h in heights)):
            r2 = ((d + numpy.array(n) @ cell) ** 2).sum(1)
            inside = r2 < cutoff * cutoff
            y = (sigma * sigma / numpy.where(inside, r2, 1)) ** 3
            e = numpy.where(inside, 4 * epsilon / temperature * (y * y - y), 0)
            energy += e
            most = numpy.maximum(most, e)
    mean += numpy.where(most > 60, 0, numpy.exp(-numpy.clip(energy, -700, 700))) / len(frames)
worst = (numpy.abs(found.reshape(-1) - mean) / (1e-9 + 1e-3 * mean)).max()
total, expected = found.mean(), mean.mean()
print(f"{len(points)} points, worst {worst:.3g}, chemical potential {-numpy.log(total):.6f} {-numpy.log(expected):.6f}")
if worst > 1 or abs(total / expected - 1) > 1e-4:
    sys.exit(1)
