#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares two files of the same frames, read by MDAnalysis or mdtraj: peers.py mda|mdtraj TOPOLOGY A B TOLERANCE

Exit status 1: positions differ by more than TOLERANCE (in Angstrom), cells by more than 1e-3 or TOLERANCE, or times by
more than a millionth. Exit status 77: the module is missing. Times are compared if B contains them.
"""
import sys
import warnings

warnings.filterwarnings("ignore")
try:
    import numpy as np

    if sys.argv[1] == "mda":
        import MDAnalysis
    else:
        import mdtraj
except ImportError:
    sys.exit(77)


def frames_mda(topology, path):
    for ts in MDAnalysis.Universe(topology, path).trajectory:
        yield ts.positions, ts.dimensions, ts.time


def frames_mdtraj(topology, path):
    t = mdtraj.load(path, top=topology)
    for i in range(t.n_frames):
        cell = None
        if t.unitcell_lengths is not None and t.unitcell_lengths[i].any():
            cell = np.concatenate([10 * t.unitcell_lengths[i], t.unitcell_angles[i]])
        yield 10 * t.xyz[i], cell, t.time[i]


kind, topology, a, b, tolerance = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5])
frames = frames_mda if kind == "mda" else frames_mdtraj
count = 0
for f, g in zip(frames(topology, a), frames(topology, b), strict=True):
    off = np.abs(f[0].astype(float) - g[0]).max()
    if not off <= tolerance:
        sys.exit(f"{b}: frame {count}: positions differ by {off}")
    if (f[1] is None) != (g[1] is None) or (f[1] is not None and not np.abs(f[1] - g[1]).max() <= max(1e-3, tolerance)):
        sys.exit(f"{b}: frame {count}: cell {g[1]}, not {f[1]}")
    if not b.endswith((".pdb", ".xyz")) and not (kind == "mdtraj" and b.endswith(".dcd")):
        if not abs(f[2] - g[2]) <= 1e-6 * abs(f[2]):
            sys.exit(f"{b}: frame {count}: time {g[2]}, not {f[2]}")
    count += 1
print(count)
