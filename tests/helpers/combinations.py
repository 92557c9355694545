#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Totals of rdfnorm, from coordinates and the formulas of its manual, one frame at a time, in float64.

combinations.py make KIND FRAMES PREFIX
    Writes PREFIX.xyz and PREFIX.pdb: ten waters, three chloride ions and a single sodium ion. KIND is cubic, npt
    (skew), slab, flat (6 A in a cell of 30) or free.
combinations.py total KIND fixed|changing NORM PART FORM BLOCK[:volume=V|:droplet=R|:thickness=H] RMAX BINS < PREFIX.xyz
    Prints the totals of numbers and of neutrons, each with the standard error over records of BLOCK frames. Groups are
    elements; if they are dynamic ("changing"), elements within 8 A of the first atom. PART is all (nothing is
    excluded), in, out, or only (pairs of one molecule).
"""
import itertools
import sys

import numpy as np

LENGTHS = {"O": 5.803, "H": -3.739, "Cl": 9.577, "Na": 3.63}  # fm, V. F. Sears, Neutron News 3(3), 26 (1992)
ELEMENTS = np.array(["O", "H", "H"] * 10 + ["Cl"] * 3 + ["Na"])
MOLECULE = np.concatenate([np.arange(30) // 3, 10 + np.arange(4)])
UNLIKE = list(itertools.combinations(range(4), 2))
LIKE = [(0, 0), (1, 1), (2, 2)]  # a single atom has no pair with itself
PERIODIC = {"slab": (1, 1, 0), "free": (0, 0, 0)}


def make(kind, frames, prefix):
    rng = np.random.default_rng(4)
    with open(prefix + ".xyz", "w") as out:
        for f in range(frames):
            cell = np.diag([12.0, 13, {"slab": 7, "flat": 30}.get(kind, 14)])
            if kind == "npt":
                cell += np.array([[0.6, 0, 0], [0, 0.3, 0], [0, 0, 0.6]]) * f
                cell += np.array([[0, 0, 0], [3, 0, 0], [-2, 1.5, 0]])
            x = (rng.random((14, 3)) * [1, 1, 0.2 if kind == "flat" else 1]) @ cell
            x = x[MOLECULE] + np.where(ELEMENTS == "H", 0.5, 0)[:, None] * rng.normal(size=(34, 3))
            if kind == "flat":
                x[:, 2] = np.clip(x[:, 2], 0, 6)
            print(34, 'Lattice="%s" Properties=species:S:1:pos:R:3' % " ".join(map(repr, cell.ravel().tolist())),
                sep="\n", file=out)
            for e, r in zip(ELEMENTS, x):
                print(e, *("%.4f" % v for v in r), file=out)
    with open(prefix + ".pdb", "w") as out:
        for i, e in enumerate(ELEMENTS):
            name = "MOL" if i < 30 else e.upper()
            print("ATOM  %5d %-4s %3s A%4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s" % (i + 1, e.upper(), name,
                MOLECULE[i] + 1, 0, 0, 0, e.upper()), file=out)
        print("END", file=out)


def read(stream):
    lines = stream.read().split("\n")
    for at in range(0, len(lines) - 1, 36):
        cell = np.array(lines[at + 1].split('"')[1].split(), float).reshape(3, 3)
        yield cell, np.array([line.split()[1:] for line in lines[at + 2 : at + 36]], np.float32).astype(float)


def images(periodic, cell):
    for n in itertools.product(*(range(-3, 4) if p else (0,) for p in periodic)):
        yield np.array(n) @ cell


class Frame:
    """For each pair of groups, counts and excluded counts of the bins, pairs and excluded pairs; volume and height."""

    def __init__(self, cell, x, periodic, changing, edges):
        near = np.min([np.linalg.norm(x - x[0] + s, axis=1) for s in images(periodic, cell)], axis=0) <= 8
        groups = [np.flatnonzero((ELEMENTS == e) & (near | (not changing))) for e in LENGTHS]
        self.atoms = np.array([len(g) for g in groups], float)
        self.volume = abs(np.linalg.det(cell))
        self.height = self.volume / np.linalg.norm(np.cross(cell[0], cell[1]))
        self.counts, self.pairs, self.square = {}, {}, {}
        for a, b in LIKE + UNLIKE:
            i, j = (v.ravel() for v in np.meshgrid(groups[a], groups[b], indexing="ij"))
            i, j = (i[i < j], j[i < j]) if a == b else (i, j)
            own = MOLECULE[i] == MOLECULE[j]
            r = np.array([np.linalg.norm(x[j] - x[i] + s, axis=1) for s in images(periodic, cell)])
            self.counts[a, b] = np.array([np.histogram(r, edges)[0], np.histogram(r[:, own], edges)[0]])
            self.pairs[a, b] = np.array([len(i), own.sum()])
            self.square[a, b] = self.atoms[a] * self.atoms[b] / (1 + (a == b))


class Convention:
    def __init__(self, kind, norm, part, form, where, edges):
        self.norm, self.part, self.form, self.kind, self.edges = norm, part, form, kind, edges
        self.where = {k: float(v) for k, v in (w.split("=") for w in where)}

    def volume(self, f):
        if "volume" in self.where:
            return self.where["volume"]
        if "droplet" in self.where:
            return 4 / 3 * np.pi * self.where["droplet"] ** 3
        return f.volume / f.height * self.where["thickness"] if "thickness" in self.where else f.volume

    def shells(self, f):
        r, h = self.edges, self.where.get("thickness", f.height)
        if "droplet" in self.where:
            x = r / self.where["droplet"]
            return np.diff(4 / 3 * np.pi * self.where["droplet"] ** 3 * (x**3 - 9 / 16 * x**4 + x**6 / 32))
        if "thickness" in self.where or (self.kind == "slab" and not self.where):
            return np.diff(np.where(r <= h, 4 * np.pi * (r**3 / 3 - r**4 / (8 * h)),
                5 / 6 * np.pi * h**3 + np.pi * h * (r**2 - h**2)))
        return np.diff(4 / 3 * np.pi * r**3)

    def number(self, f, pair):
        if self.norm == "gromacs":
            return f.square[pair]
        return f.pairs[pair][0] - (f.pairs[pair][1] if self.part == "out" else 0)

    def mean(self, frames, number):
        """Returns <N/V>."""
        if self.norm == "mdanalysis":
            return np.mean([number(f) for f in frames]) / np.mean([self.volume(f) for f in frames])
        return np.mean([number(f) / self.volume(f) for f in frames])

    def curve(self, frames, pair):
        if self.norm == "vmd" and len(frames) > 1:
            return np.mean([self.curve([f], pair) for f in frames], axis=0)
        n = sum(f.counts[pair] for f in frames)
        n = {"all": n[0], "in": n[0], "out": n[0] - n[1], "only": n[1]}[self.part]
        return n / (len(frames) * self.mean(frames, lambda f: self.number(f, pair)) * self.shells(frames[0]))

    def total(self, frames, what):
        """Returns u, which tends to <b>^2 at large r, and <b>^2."""
        c = sum(f.atoms for f in frames) / sum(f.atoms.sum() for f in frames)
        b = np.array([LENGTHS[e] for e in LENGTHS])
        mean, u, left = (c @ b) ** 2, 0, (c @ b) ** 2
        number = {p: self.mean(frames, lambda f: self.number(f, p)) for p in LIKE + UNLIKE}
        for p in LIKE + UNLIKE:
            w = c[p[0]] * c[p[1]] * b[p[0]] * b[p[1]] * (1 + (p in UNLIKE))
            if what == "number":
                w = number[p] / sum(number.values())
            if number[p] > 0:
                u, left = u + w * self.curve(frames, p), left - w
        if what == "number":
            return u, 1
        return u + (0 if self.part == "only" else left), mean  # g = 1 for groups without a pair

    def weight(self, frames, changing):
        if not changing or self.norm == "vmd":
            return len(frames)
        return sum(self.number(f, p) for f in frames for p in LIKE + UNLIKE)

    def columns(self, frames, block, changing, what):
        records = [frames[i : i + block] for i in range(0, len(frames), block)]
        w = np.array([self.weight(r, changing) for r in records], float)
        w /= w.sum()
        if self.form == "d":  # contains the density, which differs from record to record
            values = [self.form_d(r, what) for r in records]
            mean = sum(wi * v for wi, v in zip(w, values))
            return self.form_d(frames, what), self.standard_error(w, values, mean)
        u, mean = self.total(frames, what)
        se = self.standard_error(w, [self.total(r, what)[0] for r in records], u)
        off = 0 if self.form == "g" or self.part == "only" else mean
        scale = 1 / mean if self.form == "g" else self.unit(what)
        return (u - off) * scale, se * scale

    def standard_error(self, w, values, mean):
        return np.sqrt(sum(wi**2 * (v - mean) ** 2 for wi, v in zip(w, values)) / (1 - (w**2).sum()))

    def unit(self, what):
        return 1 if what == "number" else 0.01  # fm^2 in barn

    def form_d(self, frames, what):
        u, mean = self.total(frames, what)
        r = (self.edges[1:] + self.edges[:-1]) / 2
        density = self.mean(frames, lambda f: f.atoms.sum())
        return (u - (0 if self.part == "only" else mean)) * self.unit(what) * 4 * np.pi * r * density


def main():
    if sys.argv[1] == "make":
        return make(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    kind, groups, norm, part, form, how, rmax, bins = sys.argv[2:]
    edges = np.arange(int(bins) + 1) * (float(rmax) / int(bins))
    frames = [Frame(cell, x, PERIODIC.get(kind, (1, 1, 1)), groups == "changing", edges) for cell, x in read(sys.stdin)]
    block, *where = how.split(":")
    convention = Convention(kind, norm, part, form, where, edges)
    for row in zip(*(c for what in ("number", "neutron") for c in convention.columns(frames, int(block),
        groups == "changing", what))):
        print(*("%.10g" % v for v in row), sep="\t")


main()
