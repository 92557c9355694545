# SPDX-License-Identifier: MIT
"""Compares a map of potmap with sums of q/r in numpy.

potential.py STREAM.txt MAP.npy BOUND
    STREAM.txt is a frame stream as decode_frames.py prints it, whose atom i has the charge (7 i mod 13 - 6) / 10 e.
    MAP.npy, with its .json, is the mean over frames in e/A. At every point, the difference must be at most BOUND times
    the sum of |q|/r.
"""
import sys

import numpy

from density import read_frames, read_map

frames, (values, origin, steps, _) = read_frames(sys.argv[1]), read_map(sys.argv[2])
index = numpy.indices(values.shape).reshape(3, -1).T
points = origin + index @ steps
mean, bound = numpy.zeros(len(points)), numpy.zeros(len(points))
for _, _, x in frames:
    charge = (numpy.arange(len(x)) * 7 % 13 - 6) / 10
    r = numpy.linalg.norm(points[:, None, :] - x[None, :, :], axis=2)
    mean += (charge / r).sum(axis=1) / len(frames)
    bound += (abs(charge) / r).sum(axis=1) / len(frames)
worst = (abs(values.reshape(-1) - mean) / bound).max()
assert len(frames) > 0 and worst <= float(sys.argv[3]), worst
