# SPDX-License-Identifier: MIT
"""Compares a map of potmap at random points with sums in numpy.

potential.py STREAM.txt MAP.npy BOUND direct
potential.py STREAM.txt MAP.npy BOUND cutoff R      the kernel rodrigues, with all images
potential.py STREAM.txt MAP.npy BOUND pme ALPHA     the reciprocal part of the Ewald sum
potential.py STREAM.txt MAP.npy BOUND full ALPHA    the whole Ewald sum, which does not depend on ALPHA
    STREAM.txt is a frame stream as decode_frames.py prints it, whose atom i has the charge (7 i mod 13 - 6) / 10 e.
    MAP.npy, with its .json, is the mean over frames in e/A. For direct and cutoff, the largest difference must be at
    most BOUND times the sum of the magnitudes of its terms; for Ewald sums, the rms difference BOUND times the rms
    potential.
"""
import itertools
import math
import sys

import numpy

from density import read_frames, read_map

POINTS = 60
erfc = numpy.vectorize(math.erfc)


def vectors(rows, reach):
    """Returns the sums of multiples of three vectors that are not longer than `reach`."""
    widths = 1 / numpy.linalg.norm(numpy.linalg.inv(rows), axis=0)
    most = [int(reach / width) + 1 for width in widths]
    sums = numpy.array(list(itertools.product(*[range(-m, m + 1) for m in most]))) @ rows
    return sums[numpy.linalg.norm(sums, axis=1) <= reach]


def distances(points, x, cell, reach):
    """Returns distances [points, atoms, images]; images within reach of a point are among them."""
    index = (points[:, None, :] - x[None, :, :]) @ numpy.linalg.inv(cell)
    nearest = (index - numpy.rint(index)) @ cell
    shifts = vectors(cell, reach + numpy.linalg.norm(cell, axis=1).sum() / 2)
    return numpy.linalg.norm(nearest[:, :, None, :] + shifts, axis=3)


def direct(points, x, charge, cell):
    del cell
    r = numpy.linalg.norm(points[:, None, :] - x[None, :, :], axis=2)
    return charge / r


def cutoff(points, x, charge, cell, reach):
    r = distances(points, x, cell, reach)
    return numpy.where(r < reach, charge[:, None] / r * (1 - (r / reach) ** 2) ** 2, 0).sum(axis=2)


def reciprocal(points, x, charge, cell, alpha):
    k = vectors(2 * numpy.pi * numpy.linalg.inv(cell).T, 13 * alpha)
    k = k[numpy.linalg.norm(k, axis=1) > 1e-9]
    k2 = (k * k).sum(axis=1)
    waves = 4 * numpy.pi / abs(numpy.linalg.det(cell)) / k2 * numpy.exp(-k2 / 4 / alpha**2)
    structure = numpy.exp(-1j * (x @ k.T)).T @ charge
    return (numpy.exp(1j * (points @ k.T)) @ (waves * structure)).real


def full(points, x, charge, cell, alpha):
    r = distances(points, x, cell, 6 / alpha)
    near = r < 6 / alpha
    r[near] = erfc(alpha * r[near]) / r[near]
    r[~near] = 0
    background = numpy.pi / alpha**2 / abs(numpy.linalg.det(cell)) * charge.sum()
    return reciprocal(points, x, charge, cell, alpha) + r.sum(axis=2) @ charge - background


KINDS = {"direct": direct, "cutoff": cutoff, "pme": reciprocal, "full": full}


def main():
    frames, (values, origin, steps, _) = read_frames(sys.argv[1]), read_map(sys.argv[2])
    bound, kind, parameters = float(sys.argv[3]), sys.argv[4], [float(word) for word in sys.argv[5:]]
    index = numpy.random.RandomState(1).randint(0, values.shape, (POINTS, 3))
    points = origin + index @ steps
    mean, scale = numpy.zeros(POINTS), numpy.zeros(POINTS)
    for cell, _, x in frames:
        charge = (numpy.arange(len(x)) * 7 % 13 - 6) / 10
        terms = KINDS[kind](points, x, charge, cell, *parameters)
        mean += (terms.sum(axis=1) if terms.ndim == 2 else terms) / len(frames)
        if terms.ndim == 2:
            scale += abs(terms).sum(axis=1) / len(frames)
    difference = values[tuple(index.T)] - mean
    if kind in ("direct", "cutoff"):
        error = (abs(difference) / scale).max()
    else:
        error = numpy.sqrt((difference**2).mean() / (mean**2).mean())
    print("%s: %.2e" % (kind, error))
    assert len(frames) > 0 and error <= bound


main()
