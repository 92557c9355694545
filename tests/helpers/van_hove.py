#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Computes Van Hove's correlation function by numpy, in float64, from its definition, and makes trajectories to test it.
#
#   van_hove.py make KIND FRAMES ATOMS SEED > x.xyz
#       Prints a wrapped random walk as extended XYZ; the name of an atom contains its number. KIND is cubic, triclinic,
#       breathing (triclinic with varying edges, as at constant pressure), slab or free.
#   van_hove.py count x.xyz LAG RMAX BINS PERIODIC A B [MOVING]
#       Prints the distinct and the self part, one row for each bin. A and B are ranges of atoms such as 0:10. MOVING,
#       first:last:shift, replaces A by a range that moves by shift atoms in each frame.
import sys
import numpy as np


def cell_of(kind, rng):
    if kind == 'free':
        return None
    h = np.array([[9.5, 0, 0], [0, 11.25, 0], [0, 0, 10.125]])
    if kind in ('triclinic', 'breathing'):
        h[1, 0], h[2, 0], h[2, 1] = 3.5, -2.25, 4.125
    if kind == 'breathing':
        h = h * (1 + 0.02 * rng.standard_normal()) + np.tril(0.02 * rng.standard_normal((3, 3)))
    return np.round(h, 6)


def make(kind, frames, atoms, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-5, 15, (atoms, 3))
    for t in range(frames):
        h = cell_of(kind, rng)
        x = x + 0.6 * rng.standard_normal((atoms, 3))
        y = x
        if h is not None:
            s = x @ np.linalg.inv(h)
            s = s - np.floor(s) * [1, 1, kind != 'slab']
            y = s @ h
            if t % 3 == 1:  # some programs keep molecules whole, so that any image may occur
                y = y + rng.integers(-2, 3, (atoms, 3)) * [1, 1, kind != 'slab'] @ h
        print(atoms)
        lattice = '' if h is None else 'Lattice="%s"' % ' '.join('%.6f' % v for v in h.ravel())
        print(lattice, 'Properties=species:S:1:pos:R:3')
        for i, r in enumerate(y):
            print('A%d %.4f %.4f %.4f' % (i, *r))


def read(path):
    with open(path) as f:
        while line := f.readline():
            n, note = int(line), f.readline()
            h = None
            if 'Lattice="' in note:
                h = np.array([float(w) for w in note.split('"')[1].split()]).reshape(3, 3)
            yield h, np.array([f.readline().split()[1:4] for _ in range(n)], np.float32)


def count(path, lag, rmax, bins, periodic, a, b, moving=None):
    lag, bins, rmax = int(lag), int(bins), float(rmax)
    of = lambda text: np.arange(*[int(w) for w in text.split(':')])
    a, b = of(a), of(b)
    frames = list(read(path))
    edges = np.array([0 + k * (rmax / bins) for k in range(bins + 1)]) ** 2
    axes = ['xyz'.index(c) for c in periodic] if periodic != 'none' else []
    distinct, self = np.zeros(bins, np.int64), np.zeros(bins, np.int64)

    def fractions(h, x):  # along the periodic vectors
        return (x.astype(float) @ np.linalg.pinv(h[axes]) if axes else np.zeros((len(x), 0)))

    def r2_of(d):
        return (d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]) + d[..., 2] * d[..., 2]

    def bincount(r2):
        return np.bincount(np.searchsorted(edges, r2, 'right'), minlength=bins + 2)[1:bins + 1]

    def shift_of(n, h):
        m = np.zeros(n.shape[:-1] + (3,))
        m[..., axes] = n
        return (m[..., 0:1] * h[0] + m[..., 1:2] * h[1]) + m[..., 2:3] * h[2]

    images = [np.zeros((len(frames[0][1]), len(axes)))]
    for (h, x), (k, y) in zip(frames, frames[1:]):
        step = fractions(k, y) - fractions(h, x)
        assert not axes or abs(step - np.rint(step)).max() < 0.45
        images.append(images[-1] - np.rint(step))
    for t in range(len(frames) - lag):
        (h, x), (k, y) = frames[t], frames[t + lag]
        here = a
        if moving:
            first, last, shift = [int(w) for w in moving.split(':')]
            here = np.arange(first, last) + shift * t
        if axes and (h != k).any():
            y = (y.astype(float) + fractions(k, y) @ (h - k)[axes]).astype(np.float32)
        x, y = x.astype(float), y.astype(float)
        d = y[None, b] - x[here][:, None]
        other = here[:, None] != b[None, :]
        # The fractions of an image within rmax are at most rmax |g|, and those of `nearest` at most 1/2.
        g = np.linalg.pinv(h[axes]) if axes else np.zeros((3, 0))
        most = np.ceil(rmax * np.linalg.norm(g, axis=0) + 0.5).astype(int)
        nearest = -np.rint(d @ g)
        for n in np.ndindex(*(2 * most + 1)):
            r2 = r2_of(d + (shift_of(nearest + n - most, h) if axes else 0))
            distinct += bincount(r2[other])
        both = np.intersect1d(here, b)
        d = y[both] - x[both]
        if axes:
            d = d + shift_of((images[t + lag] - images[t])[both], h)
        self += bincount(r2_of(d))
    for row in zip(distinct, self):
        print(*row, sep='\t')


if sys.argv[1] == 'make':
    make(sys.argv[2], *[int(w) for w in sys.argv[3:]])
else:
    count(*sys.argv[2:])
