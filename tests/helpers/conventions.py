#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes frames to compare normalisations with those of other programs, and prints the results of these programs.

conventions.py make KIND
    Prints GRO frames of 300 atoms. All coordinates and cell vectors are multiples of 0.5 Angstrom, so that no distance
    is near an edge of bins of 0.5 from 0.25 on (their squares are n/4 and n/4 + 1/16), and all programs count the same
    pairs. Most of the atoms are around a corner of the cell, some of them beyond its faces, which makes g(r) large.
conventions.py mda|mdtraj FILE KIND NORM
    Prints columns of MDAnalysis' InterRDF (NORM: rdf, density, none, exclusions) or mdtraj's compute_rdf for groups A
    and A, A and B, A and C, in the 23 bins from 0.25 to 11.75. Exit status 77: the module is missing; 78: it rejects
    the frames, with its message.
"""
import random
import sys
import warnings

ATOMS = 300
GROUPS = {"A": range(0, 150), "B": range(150, 300), "C": range(100, 250)}  # C has atoms of A and of B
# Rows of the cell in each frame, in half Angstrom.
CELLS = {
    "cubic": [[(140, 0, 0), (0, 140, 0), (0, 0, 140)]] * 4,
    "triclinic": [[(140, 0, 0), (41, 138, 0), (-37, 45, 130)]] * 4,
    "npt": [[(120 + 9 * f, 0, 0), (0, 122 + 7 * f, 0), (0, 0, 130 + f)] for f in range(5)],
    "triclinic-npt": [[(120 + 9 * f, 0, 0), (22, 122 + 7 * f, 0), (-25, 40, 126 + 5 * f)] for f in range(5)],
    "none": [None] * 4,
}


def make(kind):
    rng = random.Random(kind)
    for number, cell in enumerate(CELLS[kind]):
        rows = cell or CELLS["cubic"][0]
        print(f"{kind}\n{ATOMS}")
        for i in range(ATOMS):
            if i % 4:
                x = [rng.randint(-10, 10) for _ in range(3)]
                for k in range(3):
                    if rng.random() < 0.4:
                        x = [a + b for a, b in zip(x, rows[k])]
            else:
                x = [rng.randint(0, 110) for _ in range(3)]
            print(f"{i + 1:5d}AR      AR{i + 1:5d}" + "".join(f"{0.05 * a:8.3f}" for a in x))
        (ax, _, _), (bx, by, _), (cx, cy, cz) = cell or ((0, 0, 0),) * 3
        print(" ".join(f"{0.05 * v:.3f}" for v in (ax, by, cz, 0, 0, bx, 0, cx, cy)) if cell else "0 0 0")


def pairs_of(a, b):
    if a == b:
        return [(i, j) for i in GROUPS[a] for j in GROUPS[a] if i < j]
    return [(i, j) for i in GROUPS[a] for j in GROUPS[b] if i != j]


def mdtraj_curve(path, kind, norm, a, b):
    import mdtraj

    top = mdtraj.Topology()
    chain = top.add_chain()
    for _ in range(ATOMS):
        top.add_atom("Ar", mdtraj.element.argon, top.add_residue("AR", chain))
    t = mdtraj.load(path, top=top)
    if kind == "none":
        t.unitcell_vectors = None
    return mdtraj.compute_rdf(t, pairs_of(a, b), r_range=(0.025, 1.175), n_bins=23)[1]


def mda_curve(path, kind, norm, a, b):
    import MDAnalysis
    from MDAnalysis.analysis.rdf import InterRDF

    u = MDAnalysis.Universe.empty(ATOMS, trajectory=False)
    u.load_new(path)
    if kind == "none":
        u.trajectory.add_transformations(lambda ts: setattr(ts, "dimensions", None) or ts)
    groups = [u.atoms[GROUPS[g].start : GROUPS[g].stop] for g in (a, b)]
    # For two groups, InterRDF excludes the pair of their first atoms, the pair of their second atoms, and so on.
    block = (1, 1) if a == b or norm == "exclusions" else None
    norm = "rdf" if norm == "exclusions" else norm
    r = InterRDF(*groups, nbins=23, range=(0.25, 11.75), exclusion_block=block, norm=norm).run()
    # In norms other than rdf, InterRDF does not divide by the number of atoms in A.
    return r.results.rdf / (1 if norm == "rdf" else len(groups[0]))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if sys.argv[1] == "make":
        make(sys.argv[2])
        sys.exit()
    curve = {"mda": mda_curve, "mdtraj": mdtraj_curve}[sys.argv[1]]
    try:
        columns = [curve(*sys.argv[2:], "A", b) for b in "ABC"]
    except ImportError:
        sys.exit(77)
    except Exception as why:  # of any type that the programs raise
        print(type(why).__name__, why)
        sys.exit(78)
    for row in zip(*columns):
        print(*("%.17g" % v for v in row))
