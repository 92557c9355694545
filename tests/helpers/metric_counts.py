#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts pairs by brute force in float64, for the metrics of rdfhist.

metric_counts.py make SHAPE FRAMES ATOMS
    Prints an XYZ file with random positions in a cell of this shape; 60 % of the atoms are A, the others B.
metric_counts.py METRIC AXIS WINDOW SECOND RMAX BINS PAIR LAYERS < XYZ
    Prints `rdfnorm --counts` of the file: one row for each bin of the second and the first coordinate, and with
    LAYERS > 0 one column for each layer along AXIS. METRIC is plane, axis or angle, WINDOW is inf
    or a height, PAIR is AA or AB.
"""
import sys
from itertools import product

import numpy as np

SHAPES = {
    "cube": [[12, 0, 0], [0, 12, 0], [0, 0, 12]],
    "brick": [[9, 0, 0], [0, 11, 0], [0, 0, 15]],
    "hexagonal": [[12, 0, 0], [-6, 10.392304845413264, 0], [0, 0, 14]],
    "tilted": [[12, 0, 0], [2, 11, 0], [3, -2, 13]],
    "symmetric": [[12, 1, 2], [1, 11, -1], [2, -1, 13]],
}

if sys.argv[1] == "make":
    h = np.array(SHAPES[sys.argv[2]], float)
    frames, atoms = int(sys.argv[3]), int(sys.argv[4])
    random = np.random.default_rng(7)
    for frame in range(frames):
        print(atoms)
        print('Lattice="%s" Properties=species:S:1:pos:R:3' % " ".join("%.15g" % v for v in h.ravel()))
        # In every third frame, atoms are outside the cell.
        s = random.random((atoms, 3)) + (random.integers(-3, 4, (atoms, 3)) if frame % 3 == 2 else 0)
        for i, x in enumerate(s @ h):
            print("AB"[i >= 0.6 * atoms], *("%.7g" % v for v in x))
    sys.exit()

metric, axis, window, second = sys.argv[1], "xyz".index(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
rmax, bins, pair, layers = float(sys.argv[5]), int(sys.argv[6]), sys.argv[7], int(sys.argv[8])
edges = (np.arange(bins + 1) * (rmax / bins)) ** 2
across = [k for k in range(3) if k != axis]
counts = np.zeros((max(layers, 1), second, bins), int)
lines = sys.stdin.read().split("\n")
atoms = int(lines[0])
for start in range(0, len(lines) - 1, atoms + 2):
    h = np.array(lines[start + 1].split('"')[1].split(), float).reshape(3, 3)
    rows = [line.split() for line in lines[start + 2 : start + 2 + atoms]]
    x = np.array([[np.float32(v) for v in row[1:]] for row in rows]).astype(float)
    kind = np.array([row[0] for row in rows])
    fraction = (x @ np.linalg.inv(h))[:, axis] % 1
    layer = (fraction * layers).astype(int) if layers else np.zeros(atoms, int)
    first = np.where(kind == "A")[0]
    others = first if pair == "AA" else np.where(kind == "B")[0]
    if metric in ("plane", "axis") and not np.isfinite(window):
        for k in [axis] if metric == "plane" else across:
            x[:, k] = 0
            h[:, k] = 0
    used = [k for k in range(3) if np.any(h[k])]
    d0 = x[None, others] - x[first, None]
    reach = np.hypot(rmax, window) if np.isfinite(window) else rmax
    g = np.linalg.pinv(h)
    # The fractions of d0 + n H are within [-1/2, 1/2] for the image `nearest`, and at most |g| reach for counted pairs.
    nearest, limits = np.zeros(d0.shape), [0, 0, 0]
    for k in used:
        nearest[..., k] = -np.rint(d0 @ g[:, k])
        limits[k] = int(np.linalg.norm(g[:, k]) * reach + 0.501)
    for offset in product(*(range(-m, m + 1) for m in limits)):
        n = (nearest + offset)[..., None]
        d = d0 + ((n[..., 0, :] * h[0] + n[..., 1, :] * h[1]) + n[..., 2, :] * h[2])
        r2 = (d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]) + d[..., 2] * d[..., 2]
        q = np.zeros(r2.shape, int)
        if metric == "plane" and np.isfinite(window):
            r2 = d[..., across[0]] * d[..., across[0]] + d[..., across[1]] * d[..., across[1]]
            q = np.searchsorted((np.arange(second + 1) * (window / second)) ** 2, d[..., axis] ** 2, "right") - 1
        if metric == "angle":
            s = d[..., axis] * np.abs(d[..., axis])
            c = np.arange(second + 1) * (2 / second) - 1
            q = sum((c[e] * abs(c[e])) * r2 <= s for e in range(1, second))
        k = np.searchsorted(edges, r2, "right") - 1
        good = (k < bins) & (q < second) & (first[:, None] != others[None])
        if layers:
            good &= layer[first][:, None] == layer[others][None]
        both = np.broadcast_to(layer[first][:, None], good.shape)
        np.add.at(counts, (both[good], np.broadcast_to(q, good.shape)[good], k[good]), 1)
if pair == "AA" and metric != "angle":
    assert not (counts % 2).any()
    counts //= 2
for q in range(second):
    for k in range(bins):
        print(*counts[:, q, k], sep="\t")
