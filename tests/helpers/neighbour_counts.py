#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts neighbours and triplets by brute force in float64, and prints them as decode_histograms.py does.

neighbour_counts.py PERIODIC neighbours RADIUS CLASSES A:B < XYZ
    Prints the sums of one record of all frames. A and B are lists of names of atoms, as AB. PERIODIC is xyz, xy or
    none.
neighbour_counts.py PERIODIC events RADIUS A:B < XYZ
    Prints frame, atoms and event of each pair that enters or leaves.
neighbour_counts.py PERIODIC triplets ANGLES DISTANCES A:B:C LOW:HIGH LOW:HIGH < XYZ
    Prints the counts, angle by angle.
"""
import sys
from itertools import product
from math import pi

import numpy as np


def frames():
    lines = sys.stdin.read().split("\n")
    atoms = int(lines[0])
    for start in range(0, len(lines) - 1, atoms + 2):
        note = lines[start + 1]
        h = np.array(note.split('"')[1].split(), float).reshape(3, 3) if "Lattice" in note else np.eye(3)
        rows = [line.split() for line in lines[start + 2 : start + 2 + atoms]]
        yield h, [r[0] for r in rows], np.array([[np.float32(v) for v in r[1:4]] for r in rows]).astype(float)


def neighbours(h, x, periodic, centres, others, low, high):
    """Returns arrays for each centre: atoms, d and r2 of its neighbours."""
    used = [k for k in range(3) if "xyz"[k] in periodic]
    g = np.zeros((3, 3))
    if used:
        g[:, used] = np.linalg.pinv(h[used])
    d0 = x[None, others] - x[centres, None]
    # The fractions of d0 + n H are within [-1/2, 1/2] for the image `nearest`, and within |g| high of 0 for neighbours.
    nearest = -np.rint(d0 @ g)
    limits = [int(np.linalg.norm(g[:, k]) * high + 0.501) if k in used else 0 for k in range(3)]
    found = [[], [], [], []]
    for offset in product(*(range(-m, m + 1) for m in limits)):
        n = (nearest + offset)[..., None]
        d = d0 + ((n[..., 0, :] * h[0] + n[..., 1, :] * h[1]) + n[..., 2, :] * h[2])
        r2 = (d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]) + d[..., 2] * d[..., 2]
        i, j = np.nonzero((r2 >= low * low) & (r2 < high * high) & (centres[:, None] != others[None]))
        for column, values in zip(found, (i, others[j], d[i, j], r2[i, j])):
            column.append(values)
    i, atom, d, r2 = map(np.concatenate, found)
    return [(atom[i == k], d[i == k], r2[i == k]) for k in range(len(centres))]


def members(names, wanted):
    return np.array([i for i, name in enumerate(names) if name in wanted])


def edges(angles):
    exact = {6: 0.75, 4: 0.5, 3: 0.25, 2: 0.0}
    q = []
    for m in range(angles + 1):
        n = min(m, angles - m)
        c = 1.0 if n == 0 else next((s for p, s in exact.items() if p * n == angles), np.cos(pi * n / angles) ** 2)
        q.append(c if 2 * m <= angles else -c)
    return np.array(q)


def count_triplets(periodic, angles, distances, groups, first, second):
    angles, distances = int(angles), int(distances)
    (low1, high1), (low2, high2) = [map(float, r.split(":")) for r in (first, second)]
    a, b, c = groups.split(":")
    unordered = a == c and first == second
    q, low, high = edges(angles), min(low1, low2), max(high1, high2)
    edge = (low + np.arange(1, distances) * ((high - low) / distances)) ** 2
    counts = np.zeros((angles, distances), int)
    for h, names, x in frames():
        at = members(names, b)
        ends = [
            neighbours(h, x, periodic, at, members(names, w), lo, hi)
            for w, lo, hi in ((a, low1, high1), (c, low2, high2))
        ]
        for (i1, d1, r1), (i2, d2, r2) in zip(*ends):
            xyz = d1[:, None] * d2[None]
            p, dot = r1[:, None] * r2[None], (xyz[..., 0] + xyz[..., 1]) + xyz[..., 2]
            same = (i1[:, None] == i2[None]) & (d1[:, None] == d2[None]).all(axis=-1)
            used = ~same & (p > 0)
            if unordered:
                used &= np.triu(np.ones(p.shape, bool), 1)
            p, s, far = p[used], (dot * abs(dot))[used], np.maximum(r1[:, None], r2[None])[used]
            angle = (s[:, None] <= q[1:angles] * p[:, None]).sum(axis=1)
            np.add.at(counts, (angle, (edge <= far[:, None]).sum(axis=1)), 1)
    print(*counts.ravel())


def atom_pairs(h, names, x, periodic, radius, a, b):
    centres = members(names, a)
    found = neighbours(h, x, periodic, centres, members(names, b), 0, radius)
    pairs = {(i, j) for i, row in zip(centres, found) for j in row[0] if a != b or j > i}
    return [len(row[0]) for row in found], pairs


def count_neighbours(periodic, radius, classes, groups, events=False):
    a, b = groups.split(":")
    row, sums, before = np.zeros(int(classes), int), np.zeros(5, int), None
    for t, (h, names, x) in enumerate(frames()):
        n, pairs = atom_pairs(h, names, x, periodic, float(radius), a, b)
        for k in n:
            row[min(k, int(classes) - 1)] += 1
            sums[:2] += [k, k * k]
        if before is not None:
            sums[2:] += [len(pairs & before), len(pairs - before), len(before - pairs)]
            for i, j in sorted(pairs ^ before) if events else ():
                print(t, i, j, "enters" if (i, j) in pairs else "leaves")
        before = pairs
    if not events:
        print(*row, *sums)


def main():
    periodic, what, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    if what == "triplets":
        count_triplets(periodic, *arguments)
    elif what == "neighbours":
        count_neighbours(periodic, *arguments)
    else:
        count_neighbours(periodic, arguments[0], 1024, arguments[1], True)


main()
