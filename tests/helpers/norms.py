#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the curve of each convention of rdfnorm, computed from the counts of single frames.

norms.py NORM,... self|two RMAX|EDGE,EDGE,... FRAME... < counts, one line for each bin with the counts of the frames
    Prints one column for each norm. FRAME is V,N_A,N_B,PAIRS,H: volume, atoms, pairs of different atoms, thickness of
    a slab or 0. The bins have equal widths and start at 0, or have these edges.
"""
import sys
from math import pi

norms, kind, edges = sys.argv[1].split(","), sys.argv[2], [float(x) for x in sys.argv[3].split(",")]
frames = [[float(x) for x in f.split(",")] for f in sys.argv[4:]]
counts = [[int(n) for n in line.split()] for line in sys.stdin]
if len(edges) == 1:
    edges = [k * edges[0] / len(counts) for k in range(len(counts) + 1)]
both = 2 if kind == "self" else 1
F = len(frames)
mean = lambda f: sum(f(*frame) for frame in frames) / F
V, atoms = mean(lambda v, a, b, p, h: v), mean(lambda v, a, b, p, h: a)
pairs, pairs_per_volume = mean(lambda v, a, b, p, h: p), mean(lambda v, a, b, p, h: p / v if v else 0)
product = lambda a, b: a * b / both
slab_height = frames[0][4]


def ball(r, h):
    if not h:
        return 4 / 3 * pi * r**3
    return 4 * pi * (r**3 / 3 - r**4 / (8 * h)) if r <= h else 5 / 6 * pi * h**3 + pi * h * (r * r - h * h)


def value(norm, row, low, high):
    n = sum(row) / F
    shell, full = ball(high, slab_height) - ball(low, slab_height), ball(high, 0) - ball(low, 0)
    around = both * n / atoms
    if norm == "cpptraj":
        # Action_Radial.cpp: counts / (F density dv), density = rho (N_1 N_2 - same) / N_1. Mask 1 is B. Pairs of a
        # group with itself are counted twice.
        distances = both * pairs
        return both * n / (0.033456 * distances / mean(lambda v, a, b, p, h: b) * full)
    if norm in ("number", "radial", "none"):
        return around / {"number": full, "radial": high - low, "none": 1}[norm]
    if not V or (norm == "plane" and not slab_height):
        return float("nan")
    if norm in ("density", "mdtraj"):
        return n / (pairs_per_volume * shell)
    if norm == "mdanalysis":
        return n * V / ((pairs if kind == "self" else mean(lambda v, a, b, p, h: a * b)) * shell)
    if norm == "gromacs":
        return n / (mean(lambda v, a, b, p, h: product(a, b) / v) * shell)
    if norm == "vmd":
        return sum(c * v / p for c, (v, a, b, p, h) in zip(row, frames)) / F / shell
    assert norm == "plane"
    return n / (slab_height * pairs_per_volume * pi * (high**2 - low**2))


for k, row in enumerate(counts):
    print(*("%.12g" % value(norm, row, edges[k], edges[k + 1]) for norm in norms), sep="\t")
