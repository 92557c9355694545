#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints hosts with the coordinates of jobs on a torus of 24 x 24 x 24, whose nodes a machine gives away along a Hilbert
curve: 4096 of 4300 consecutive nodes (`one`), or of three runs of 1500, 1500 and 1300 nodes (`three`), in random order.
The random numbers are those with which the published figures of tests/bench/RESULTS.md were measured."""
import itertools
import sys

import numpy as np

BITS = 5


def hilbert(c):
    """Places on the curve: J. Skilling, AIP Conf. Proc. 707, 381 (2004)."""
    x = [c[:, k].astype(int).copy() for k in range(c.shape[1])]
    n, q = len(x), 1 << (BITS - 1)
    while q > 1:
        p = q - 1
        for i in range(n):
            m = (x[i] & q) != 0
            x[0] = np.where(m, x[0] ^ p, x[0])
            t = np.where(m, 0, (x[0] ^ x[i]) & p)
            x[0] ^= t
            x[i] ^= t
        q >>= 1
    for i in range(1, n):
        x[i] ^= x[i - 1]
    t, q = np.zeros_like(x[0]), 1 << (BITS - 1)
    while q > 1:
        t = np.where((x[n - 1] & q) != 0, t ^ (q - 1), t)
        q >>= 1
    place = np.zeros(len(c), np.int64)
    for b in range(BITS - 1, -1, -1):
        for i in range(n):
            place = (place << 1) | (((x[i] ^ t) >> b) & 1)
    return place


rng = np.random.RandomState(1)
full = np.array(list(itertools.product(range(24), repeat=3)))
order = np.argsort(hilbert(full))
chosen = rng.permutation(order[2000:6300])[:4096]
if sys.argv[1] == "three":
    rng.permutation(4096)
    chosen = rng.permutation(np.concatenate([order[500:2000], order[5000:6500], order[11000:12300]]))[:4096]
print("# host x y z")
for number, at in enumerate(full[chosen]):
    print(f"n{number}", *at)
