#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts pairs relative to axes of molecules by brute force in float64: rdfhist --body and densmap --body.

body_counts.py make SHAPE FRAMES MOLECULES
    Prints a GRO file with molecules of random shape, of four atoms P, Q, R, S, and as many single atoms X, in a cell of
    this shape. In every second frame, each atom is in another periodic image.
body_counts.py turn DEGREES < GRO
    Prints a GRO file in which all positions and the cell are rotated about the axis (1, 1, 1). 120 degrees exchange the
    coordinates, x to y to z, without rounding.
body_counts.py psf MOLECULES
    Prints a PSF file of the same atoms, with masses, and bonds P-Q, Q-R and R-S.
body_counts.py counts AXES AXIS SECOND RMAX BINS A B < GRO
    Prints `rdfnorm --counts`: one row for each bin of the cosine with axis x, y or z and of the distance. The columns
    are all pairs of an atom named A and one named B, and those of one residue. AXES are the names of three atoms, as
    P:Q:R, bisector:P:Q:R, or principal, of all atoms of the molecule.
body_counts.py map AXES N STEP B < GRO
    Prints the numbers of atoms named B of other molecules at the N^3 points of a lattice with this step about the
    origin of the molecule, x fastest.
Masses are those of P 12, Q 1, R 16, S 14.
"""
import sys
from itertools import product

import numpy as np

SHAPES = {
    "cube": [[12, 0, 0], [0, 12, 0], [0, 0, 12]],
    "brick": [[9, 0, 0], [0, 11, 0], [0, 0, 15]],
    "hexagonal": [[12, 0, 0], [-6, 10.392304845413264, 0], [0, 0, 14]],
    "tilted": [[12, 0, 0], [2, 11, 0], [3, -2, 13]],
    "narrow": [[7, 0, 0], [2, 6.5, 0], [1, -2, 8]],
}
MASS = {"P": 12.0, "Q": 1.0, "R": 16.0, "S": 14.0}


def make(shape, frames, molecules):
    h = np.array(SHAPES[shape], float)
    random = np.random.default_rng(5)
    for frame in range(frames):
        print("molecules\n%d" % (5 * molecules))
        n = 0
        for m in range(molecules):
            centre = random.random(3) @ h
            for name in "PQRSX":
                x = random.random(3) @ h if name == "X" else centre + random.normal(0, 0.7, 3)
                if frame % 2:
                    x = x + random.integers(-2, 3, 3) @ h
                n += 1
                residue = 2 * m + 1 + (name == "X")
                print("%5d%-5s%5s%5d" % (residue, "MOL" if name != "X" else "X", name, n), end="")
                print("".join("%12.7f" % (v / 10) for v in x))
        print_cell(h)


def print_cell(h):
    print(*("%.9f" % (h[i, k] / 10) for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))))


def turn(degrees):
    c, s = np.cos(np.radians(float(degrees))), np.sin(np.radians(float(degrees))) / 3**0.5
    rotation = np.array([[0, s, -s], [-s, 0, s], [s, -s, 0]]) + c * np.eye(3) + (1 - c) / 3  # of rows: x R
    for names, residues, x, h in read(sys.stdin.read().split("\n")):
        print("turned\n%d" % len(names))
        for i, position in enumerate(x @ rotation):
            print("%5d%-5s%5s%5d" % (residues[i], "MOL" if names[i] in MASS else "X", names[i], i + 1), end="")
            print("".join("%12.7f" % (v / 10) for v in position))
        print_cell(h @ rotation)


def psf(molecules):
    print("PSF\n\n       1 !NTITLE\n REMARKS molecules\n\n%8d !NATOM" % (5 * molecules))
    for i in range(5 * molecules):
        name, residue = "PQRSX"[i % 5], 2 * (i // 5) + 1 + (i % 5 == 4)
        kind = "X" if name == "X" else "MOL"
        print("%8d SYS  %-4d %-4s %-4s %-4s %10.6f %13.4f           0" % (i + 1, residue, kind, name, name, 0, MASS.get(name, 40)))
    bonds = [5 * m + k for m in range(molecules) for b in range(1, 4) for k in (b, b + 1)]
    print("\n%8d !NBOND: bonds" % (len(bonds) // 2))
    for at in range(0, len(bonds), 8):
        print("".join("%8d" % k for k in bonds[at : at + 8]))


def read(lines):
    """Yields names, residues, positions and cell of each frame."""
    at = 0
    while at + 1 < len(lines):
        n = int(lines[at + 1])
        rows = lines[at + 2 : at + 2 + n]
        width = (len(rows[0]) - 20) // 3
        x = np.array([[np.float32(row[20 + width * k : 20 + width * (k + 1)]) for k in range(3)] for row in rows])
        b = [float(v) * 10 for v in lines[at + 2 + n].split()]
        if len(b) == 3:
            b += [0] * 6
        h = np.array([[b[0], b[3], b[4]], [b[5], b[1], b[6]], [b[7], b[8], b[2]]])
        yield [row[10:15].strip() for row in rows], np.array([int(row[:5]) for row in rows]), x.astype(float) * 10, h
        at += n + 3


def nearest(d, h):
    d = d - np.round(d @ np.linalg.inv(h)) @ h
    images = d + np.array(list(product((-1, 0, 1), repeat=3))) @ h
    return images[np.argmin((images**2).sum(axis=1))]


def unit(v):
    return v / np.sqrt((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2])


def bodies(axes, names, residues, x, h):
    """Returns the axes and origin of each residue that has them."""
    found = {}
    for residue in set(residues):
        of = [i for i in np.where(residues == residue)[0] if names[i] in MASS or axes != "principal"]
        if axes == "principal":
            if not of:
                continue
            r = [np.zeros(3)]
            for before, after in zip(of, of[1:]):
                r.append(r[-1] + nearest(x[after] - x[before], h))
            m = np.array([MASS[names[i]] for i in of])
            centre = m @ np.array(r) / m.sum()
            r = np.array(r) - centre
            v = np.linalg.eigh((m[:, None] * r).T @ r)[1].T
            a = [v[2], v[1]]
            for k in range(2):
                along = r @ a[k]
                a[k] = a[k] * np.sign(along[np.abs(along) >= np.abs(along).max() / 4][0])
            found[residue] = np.array([a[0], a[1], np.cross(a[0], a[1])]), x[of[0]] + centre
            continue
        wanted = axes.split(":")[-3:]
        index = []
        for name in wanted:
            rest = [i for i in of if names[i] == name and i not in index]
            if rest:
                index.append(rest[0])
        if len(index) < 3:
            continue
        arm = [unit(nearest(x[i] - x[index[0]], h)) for i in index[1:]]
        z = unit(np.cross(arm[0], arm[1]))
        a = unit(arm[0] + arm[1]) if axes.startswith("bisector") else unit(arm[0])
        found[residue] = np.array([a, unit(np.cross(z, a)), z]), x[index[0]]
    return found


def images(d0, h, reach):
    """Returns the vectors d0 plus all lattice vectors that can bring them within reach, in rows; d0 varies fastest."""
    g = np.linalg.inv(h)
    # The fractions of d0 + n H are within [-1/2, 1/2] for the nearest n, and within |g| reach of 0 in reach.
    limits = [int(np.linalg.norm(g[:, k]) * reach + 0.501) for k in range(3)]
    offsets = np.array(list(product(*(range(-m, m + 1) for m in limits))))
    n = (offsets[:, None] - np.rint(d0 @ g))[..., None]
    return (d0 + ((n[..., 0, :] * h[0] + n[..., 1, :] * h[1]) + n[..., 2, :] * h[2])).reshape(-1, 3)


def counts(axes, axis, second, rmax, bins, a, b):
    axis, second, rmax, bins = "xyz".index(axis), int(second), float(rmax), int(bins)
    edges = (np.arange(bins + 1) * (rmax / bins)) ** 2
    c = np.arange(second + 1) * (2 / second) - 1
    counted = np.zeros((2, second, bins), int)
    for names, residues, x, h in read(sys.stdin.read().split("\n")):
        found = bodies(axes, names, residues, x, h)
        others = np.array([i for i in range(len(names)) if names[i] == b])
        for i in (i for i in range(len(names)) if names[i] == a):
            u = found[residues[i]][0][axis].astype(np.float32).astype(float)
            d = images(x[others] - x[i], h, rmax)
            other = np.tile(others, len(d) // len(others))
            r2 = (d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1]) + d[:, 2] * d[:, 2]
            s = (d[:, 0] * u[0] + d[:, 1] * u[1]) + d[:, 2] * u[2]
            q = sum((c[e] * abs(c[e])) * r2 <= s * np.abs(s) for e in range(1, second)) + np.zeros(len(d), int)
            k = np.searchsorted(edges, r2, "right") - 1
            good = (k < bins) & (other != i)
            np.add.at(counted[0], (q[good], k[good]), 1)
            good &= residues[other] == residues[i]
            np.add.at(counted[1], (q[good], k[good]), 1)
    for q in range(second):
        for k in range(bins):
            print(counted[0, q, k], counted[1, q, k], sep="\t")


def density_map(axes, n, step, b):
    n, step = int(n), float(step)
    edges = np.arange(n + 1) * step + (-(n - 1) / 2 * step - 0.5 * step)
    counted = np.zeros((n, n, n), int)
    for names, residues, x, h in read(sys.stdin.read().split("\n")):
        others = np.array([i for i in range(len(names)) if names[i] == b])
        for residue, (a, origin) in bodies(axes, names, residues, x, h).items():
            d = images(x[others[residues[others] != residue]] - origin, h, n * step)
            p = [(d[:, 0] * v[0] + d[:, 1] * v[1]) + d[:, 2] * v[2] for v in a]
            i = [np.searchsorted(edges, v, "right") - 1 for v in p]
            good = np.all([(v >= 0) & (v < n) for v in i], axis=0)
            np.add.at(counted, (i[2][good], i[1][good], i[0][good]), 1)
    print(*counted.ravel(), sep="\n")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1] == "psf":
        psf(int(sys.argv[2]))
    else:
        {"counts": counts, "map": density_map, "turn": turn}[sys.argv[1]](*sys.argv[2:])
