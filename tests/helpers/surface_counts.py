#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts distances from a set of atoms by brute force in float64, as schemas/histogram_stream.md specifies them.

surface_counts.py RMAX BINS LATTICE A B < XYZ
    Prints the fields `surface` and `points` of one record of all frames, as decode_histograms.py does. A and B are
    names of atoms. All frames are periodic in all directions.
"""
import sys
from itertools import product

import numpy as np

GOLDEN, MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1
rmax, bins, lattice = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
edges = (np.arange(bins + 1) * (rmax / bins)) ** 2


def mix(z):
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def points(index, h):
    """Returns the points of a frame."""
    key, x = mix((index + GOLDEN) & MASK), []
    for p, place in enumerate(product(range(lattice), repeat=3)):
        f = [(i + (mix((key + GOLDEN * (3 * p + k)) & MASK) >> 11) * 2.0**-53) / lattice for k, i in enumerate(place)]
        x.append((f[0] * h[0] + f[1] * h[1]) + f[2] * h[2])
    return np.array(x).astype(np.float32).astype(float)


def histogram(h, a, b):
    """Returns the numbers of points b in each bin of the distance from the nearest of a."""
    # The fractions of d0 + n H are within [-1/2, 1/2] for the image `nearest`, and within |g| rmax of 0 in the bins.
    g, d0 = np.linalg.inv(h), b[None] - a[:, None]
    nearest = -np.rint(d0 @ g)
    best = np.full(len(b), np.inf)
    for offset in product(*(range(-m, m + 1) for m in (int(np.linalg.norm(g[:, k]) * rmax + 0.501) for k in range(3)))):
        n = (nearest + offset)[..., None]
        d = d0 + ((n[..., 0, :] * h[0] + n[..., 1, :] * h[1]) + n[..., 2, :] * h[2])
        best = np.minimum(best, ((d[..., 0] ** 2 + d[..., 1] ** 2) + d[..., 2] ** 2).min(axis=0))
    return np.histogram(best, edges)[0] - (best == edges[-1]).sum() * (np.arange(bins) == bins - 1)


def main():
    lines = sys.stdin.read().split("\n")
    atoms = int(lines[0])
    counts, volume, pairs, frames = np.zeros(bins, int), np.zeros(bins, int), 0, 0
    for start in range(0, len(lines) - 1, atoms + 2):
        h = np.array(lines[start + 1].split('"')[1].split(), float).reshape(3, 3)
        rows = [line.split() for line in lines[start + 2 : start + 2 + atoms]]
        a, b = (np.array([r[1:4] for r in rows if r[0] == n], np.float32).astype(float) for n in sys.argv[4:])
        counts += histogram(h, a, b)
        volume += histogram(h, a, points(frames, h)) * len(b)
        pairs += len(b)
        frames += 1
    print("surface", frames, pairs, *counts)
    print("points", *volume)


main()
