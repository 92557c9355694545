#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares principal components of trjstat --pca with those of numpy.

principal_components.py DCD TABLE NPY MODE [MASSES]
    DCD: the frames of the group; MODE: none, iterate or mass, with a file of the masses of its atoms.
"""
import struct
import sys

import numpy


def read_dcd(path):
    data = open(path, "rb").read()
    records, at = [], 0
    while at < len(data):
        size, = struct.unpack_from("<i", data, at)
        records.append(data[at + 4:at + 4 + size])
        at += size + 8
    atoms, = struct.unpack("<i", records[2])
    axes = [numpy.frombuffer(r, "<f4") for r in records[3:] if len(r) == 4 * atoms]
    return numpy.array(axes, dtype=float).reshape(-1, 3, atoms).transpose(0, 2, 1)


def superpose(x, reference, w):
    centre, other = w @ x / w.sum(), w @ reference / w.sum()
    u, _, v = numpy.linalg.svd(((x - centre) * w[:, None]).T @ (reference - other))
    rotation = u @ numpy.diag([1, 1, numpy.linalg.det(u @ v)]) @ v
    return (x - centre) @ rotation + other


def main():
    dcd, table, npy, mode = sys.argv[1:5]
    x = read_dcd(dcd)
    w = numpy.loadtxt(sys.argv[5]) if mode == "mass" else numpy.ones(x.shape[1])
    reference = x[0]
    for _ in range(30 if mode == "iterate" else 1):
        y = numpy.array([superpose(frame, reference, w) for frame in x])
        reference = y.mean(0)
    d = ((y - y.mean(0)) * numpy.sqrt(w)[:, None]).reshape(len(x), -1)
    covariance = d.T @ d / len(x)
    value, vector = numpy.linalg.eigh(covariance)
    value, vector = value[::-1], vector.T[::-1]
    vector *= numpy.sign(vector[range(len(vector)), abs(vector).argmax(1)])[:, None]
    lines = open(table).read().splitlines()
    got = numpy.array([line.split("\t")[1:] for line in lines if line.startswith("# component: ") and "\t" in line
                       and line[13].isdigit()], dtype=float)
    rows = numpy.array([line.split("\t")[2:] for line in lines if line[0] != "#"], dtype=float)
    k = len(got)
    share = value[:k] / covariance.trace()
    vectors = numpy.load(npy)
    assert vectors.shape == (k, x.shape[1], 3) and rows.shape == (len(x), k)
    for name, error, limit in (("eigenvalues", abs(got[:, 0] / value[:k] - 1), 1e-8),
                               ("shares", abs(got[:, 1] - share), 1e-6),
                               ("cumulative shares", abs(got[:, 2] - share.cumsum()), 1e-6),
                               ("eigenvectors", abs(vectors.reshape(k, -1) - vector[:k]), 1e-9),
                               ("projections", abs(rows - d @ vector[:k].T), 1e-6)):
        if not error.max() <= limit:
            sys.exit(f"{name}: error {error.max()}")


main()
