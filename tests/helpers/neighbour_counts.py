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
    """Returns a list for each centre: rows of atom, d, r2."""
    used = [k for k in range(3) if "xyz"[k] in periodic]
    g = np.zeros((3, 3))
    if used:
        g[:, used] = np.linalg.pinv(h[used])
    d0 = x[None, others] - x[centres, None]
    limits = [0, 0, 0]
    for k in used:
        limits[k] = int(np.ceil(np.abs(d0 @ g[:, k]).max() + np.linalg.norm(g[:, k]) * high)) + 1
    found = [[] for _ in centres]
    for n in product(*(range(-m, m + 1) for m in limits)):
        d = d0 + ((n[0] * h[0] + n[1] * h[1]) + n[2] * h[2])
        r2 = (d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]) + d[..., 2] * d[..., 2]
        good = (r2 >= low * low) & (r2 < high * high) & (centres[:, None] != others[None])
        for i, j in zip(*np.nonzero(good)):
            found[i].append((others[j], d[i, j], r2[i, j]))
    return found


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
        for one, two in zip(*ends):
            for x1, (i, d1, r1) in enumerate(one):
                for i2, d2, r2 in two[x1 + 1 :] if unordered else two:
                    if i == i2 and (d1 == d2).all():
                        continue
                    p, dot = r1 * r2, (d1[0] * d2[0] + d1[1] * d2[1]) + d1[2] * d2[2]
                    if p > 0:
                        s = dot * abs(dot)
                        counts[sum(s <= q[1:angles] * p), sum(edge <= max(r1, r2))] += 1
    print(*counts.ravel())


def atom_pairs(h, names, x, periodic, radius, a, b):
    centres = members(names, a)
    found = neighbours(h, x, periodic, centres, members(names, b), 0, radius)
    pairs = {(i, n[0]) for i, row in zip(centres, found) for n in row if a != b or n[0] > i}
    return [len(row) for row in found], pairs


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
