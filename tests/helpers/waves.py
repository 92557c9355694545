#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints structure factors of a DCD by direct sums in float64, for comparison with skhist and rdfnorm.

waves.py DCD QMIN QMAX SHELLS LAG FIRST:END... < nothing
    Groups are ranges of atoms. Prints a line for each shell that has vectors: mean q, the number of vectors of all
    frames, and for each pair of groups, in the order A:A, A:B, ..., B:B, the mean of Re(rho_A(t) rho_B(t + LAG)*) over
    sqrt(N_A N_B). With SHELLS 0, a line for each vector: h, k, l, q, number, values.
"""
import struct
import sys

import numpy as np


def read_dcd(path):
    with open(path, "rb") as file:
        data = file.read()
    at, frames = 0, []

    def record():
        nonlocal at
        size = struct.unpack_from("<i", data, at)[0]
        payload = data[at + 4 : at + 4 + size]
        at += size + 8
        return payload

    record()
    record()
    record()
    while at < len(data):
        a, gamma, b, beta, alpha, c = struct.unpack("<6d", record())
        x = np.array([np.frombuffer(record(), "<f4") for _ in range(3)], float).T
        cosines = [v if abs(v) <= 1 else np.cos(np.radians(v)) for v in (alpha, beta, gamma)]
        frames.append((x, cell(a, b, c, *cosines)))
    return frames


def cell(a, b, c, alpha, beta, gamma):
    sine = np.sqrt(1 - gamma**2)
    third = (alpha - beta * gamma) / sine
    return np.array(
        [[a, 0, 0], [b * gamma, b * sine, 0], [c * beta, c * third, c * np.sqrt(1 - beta**2 - third**2)]]
    )


path, qmin, qmax, shells, lag = sys.argv[1], *map(float, sys.argv[2:4]), *map(int, sys.argv[4:6])
groups = [slice(*map(int, g.split(":"))) for g in sys.argv[6:]]
frames = read_dcd(path)
most = int(max(np.abs(h).sum() for _, h in frames) * qmax / 2 / np.pi) + 1
indices = np.array(
    [
        (h, k, l)
        for h in range(most + 1)
        for k in range(-most if h else 0, most + 1)
        for l in range(-most if h or k else 1, most + 1)
    ]
)


def lengths(h):
    return np.linalg.norm(indices @ (2 * np.pi * np.linalg.inv(h).T), axis=1)


def amplitudes(x, h):
    k = indices @ (2 * np.pi * np.linalg.inv(h).T)
    return [np.exp(-1j * (k @ x[g].T)).sum(1) for g in groups]


inside = lambda h: (lengths(h) >= qmin) & (lengths(h) < qmax)
indices = indices[np.any([inside(h) for _, h in frames], axis=0)]
rho = [amplitudes(*f) for f in frames]
number = [len(frames[0][0][g]) for g in groups]
pairs = [(i, j) for i in range(len(groups)) for j in range(i, len(groups))]
single = inside(frames[0][1]) if not shells else None
bins = shells or int(single.sum())
sums, vectors, total = np.zeros((len(pairs), bins)), np.zeros(bins), np.zeros(bins)
for t in range(lag, len(frames)):
    h = frames[t][1]
    q = lengths(h)
    keep = single if not shells else inside(h) & inside(frames[t - lag][1])
    place = np.arange(bins) if not shells else ((q[keep] - qmin) * (shells / (qmax - qmin))).astype(int)
    vectors += np.bincount(place, minlength=bins)
    total += np.bincount(place, q[keep], bins)
    for p, (i, j) in enumerate(pairs):
        product = (rho[t - lag][i] * rho[t][j].conj()).real[keep] / np.sqrt(number[i] * number[j])
        sums[p] += np.bincount(place, product, bins)
for k in range(bins):
    if vectors[k]:
        label = [] if shells else ["%d" % n for n in indices[single][k]]
        values = ["%.6f" % (s[k] / vectors[k]) for s in sums]
        print(*label, "%.6f" % (total[k] / vectors[k]), "%d" % (2 * vectors[k]), *values, sep="\t")
