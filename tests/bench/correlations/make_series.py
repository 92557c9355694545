#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a TRR of random walks, or of velocities with a memory of 20 frames, for measurements of trjcorr.

make_series.py walk|velocity ATOMS FRAMES FILE
"""
import struct
import sys

import numpy as np


def main(kind, atoms, frames, path):
    atoms, frames, velocity = int(atoms), int(frames), kind == "velocity"
    random = np.random.default_rng(1)
    edge = (atoms / 33.4) ** (1 / 3)  # nm, at the density of water
    x = random.uniform(0, edge, (atoms, 3))
    v = random.normal(size=(atoms, 3)) * 0.5
    with open(path, "wb") as f:
        for t in range(frames):
            sizes = (0, 0, 36, 0, 0, 0, 0, 12 * atoms, 12 * atoms * velocity, 0, atoms, t, 0)
            f.write(struct.pack(">3i", 1993, 13, 12) + b"GMX_trn_file" + struct.pack(">13i", *sizes))
            f.write(struct.pack(">2f", t * (0.004 if velocity else 1), 0))
            f.write((np.eye(3) * edge).astype(">f4").tobytes() + x.astype(">f4").tobytes())
            if velocity:
                v = 0.95 * v + np.sqrt(1 - 0.95**2) * 0.5 * random.normal(size=(atoms, 3))
                f.write(v.astype(">f4").tobytes())
            else:
                x = x + random.normal(size=(atoms, 3)) * 0.02


if __name__ == "__main__":
    main(*sys.argv[1:])
