# SPDX-License-Identifier: MIT
"""The error of the reciprocal potential of random charges.

pme_error.py make OUT.pqr           600 charges with the standard deviation 1 e in a cube of 24 Angstrom
pme_error.py error IN.pqr MAP.npy   prints the rms difference of a map in e/Angstrom from the full Ewald sum with alpha
                                    0.2575/Angstrom, relative to the rms of the sum
"""
import sys

import numpy

LENGTH, ALPHA = 24.0, 0.2575


def make(path):
    rng = numpy.random.RandomState(3)
    x = (rng.rand(600, 3) * LENGTH).astype(numpy.float32)
    q = rng.randn(600)
    q -= q.mean()
    with open(path, "w") as out:
        for i in range(600):
            out.write("ATOM %d X RES 1 %.9g %.9g %.9g %.12f 1\n" % (i + 1, *x[i], q[i]))


def full_sum(x, q, points):
    """Returns the values at points^3 positions; terms that are left out are below 1e-14 of the largest."""
    largest = int(numpy.ceil(2 * ALPHA * numpy.sqrt(14 * numpy.log(10)) * LENGTH / (2 * numpy.pi))) + 1
    m = numpy.arange(-largest, largest + 1)
    waves = [numpy.exp(-2j * numpy.pi * numpy.outer(x[:, d] / LENGTH, m)) for d in range(3)]
    s = numpy.einsum("n,na,nb,nc->abc", q, *waves, optimize=True)
    k = 2 * numpy.pi / LENGTH * m
    k2 = k[:, None, None] ** 2 + k[None, :, None] ** 2 + k[None, None, :] ** 2
    k2[largest, largest, largest] = numpy.inf  # the mean of the potential is 0
    s *= 4 * numpy.pi / LENGTH**3 / k2 * numpy.exp(-numpy.where(numpy.isinf(k2), 0, k2) / (4 * ALPHA**2))
    back = numpy.exp(2j * numpy.pi * numpy.outer(m, numpy.arange(points) / points))
    return numpy.einsum("abc,ax,by,cz->xyz", s, back, back, back, optimize=True).real


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    columns = numpy.loadtxt(sys.argv[2], usecols=(5, 6, 7, 8))
    values = numpy.load(sys.argv[3])
    expected = full_sum(columns[:, :3].astype(numpy.float32).astype(float), columns[:, 3], len(values))
    print("%.4g" % numpy.sqrt(((values - expected) ** 2).mean() / (expected**2).mean()))
