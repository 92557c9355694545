#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes the table that rdfderive --table prints, from its table of the potential of mean force and from the counts.

pair_table.py PMF COUNTS KT CUTOFF SWITCH linear|power SPACING BINS
    PMF has the columns r, w, error of w, and COUNTS r_lo, r_hi, count; KT is in the unit of w. BINS is the number of
    bins in a window, 1 without --smooth. Prints r, potential and force. The force is a difference of potentials.
"""
import sys
from math import inf, sqrt


def rows(path):
    with open(path, encoding="ascii") as lines:
        return [[float(x) for x in line.split()] for line in lines if not line.startswith("#")]


pmf, counts = rows(sys.argv[1]), [row[2] for row in rows(sys.argv[2])]
kt, cutoff, switch, way, spacing, each = *map(float, sys.argv[3:6]), sys.argv[6], float(sys.argv[7]), int(sys.argv[8])

nodes = []  # r, w, error in units of kT
for j in range(len(pmf) // each):
    r, w, se = pmf[j * each + each // 2]
    last = (j + 1) * each if j + 1 < len(pmf) // each else len(pmf)
    n = sum(counts[j * each : last])
    nodes.append((r, w, max(1 / sqrt(n), se / kt) if n and w < inf else inf))
while nodes[-2][0] >= cutoff:
    nodes.pop()
start = max((j + 1 for j, node in enumerate(nodes) if node[2] > 0.25), default=0)
x, y = [node[0] for node in nodes[start:]], [node[1] for node in nodes[start:]]
n, h = len(x), (x[-1] - x[0]) / (len(x) - 1)

# The natural spline as cubic polynomials with equal slopes at the nodes; the slopes by Gauss' elimination.
diagonal, right = [2.0] + [4.0] * (n - 2) + [2.0], [3 * (y[1] - y[0])]
right += [3 * (y[i + 1] - y[i - 1]) for i in range(1, n - 1)] + [3 * (y[-1] - y[-2])]
for i in range(1, n):
    diagonal[i] -= 1 / diagonal[i - 1]
    right[i] -= right[i - 1] / diagonal[i - 1]
slope = [0.0] * n
for i in reversed(range(n)):
    slope[i] = (right[i] - (slope[i + 1] if i + 1 < n else 0)) / diagonal[i]


def spline(r):
    if r > x[-1]:
        return y[-1] + (r - x[-1]) * slope[-1] / h
    i = min(int((r - x[0]) / h), n - 2)
    t = (r - x[i]) / h
    a, b = y[i], y[i + 1]
    return a + t * slope[i] + t * t * (3 * (b - a) - 2 * slope[i] - slope[i + 1]) + t**3 * (
        2 * (a - b) + slope[i] + slope[i + 1])


def core(r):
    force = -slope[0] / h
    if way == "linear":
        return y[0] + force * (x[0] - r)
    half = x[0] / 2
    if r >= half:
        return y[0] + force * x[0] / 12 * ((x[0] / r) ** 12 - 1)
    return core(half) + force * 2**13 * (half - r)


def potential(r):
    if r >= cutoff:
        return 0
    u, s = (core if r < x[0] else spline)(r), (r - switch) / (cutoff - switch)
    return u if s <= 0 else u * (1 - 10 * s**3 + 15 * s**4 - 6 * s**5)


for i in range(1, round(cutoff / spacing) + 1):
    r, d = i * spacing, 1e-6
    print(f"{r:.10g} {potential(r):.15g} {(potential(r - d) - potential(r + d)) / (2 * d):.10g}")
