#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Times trjcat and MDAnalysis reading the same text files, repeated to about 20 MB; prints a table of the best runs.

usage: formats.py TRJCAT [FOLDER OF shared/data]
"""
import os
import subprocess
import sys
import tempfile
import time
import warnings

warnings.simplefilter("ignore")
import MDAnalysis  # noqa: E402
from MDAnalysis.coordinates.core import get_reader_for  # noqa: E402

CASES = (  # description, file, repetitions, name of the format in MDAnalysis
    ("LAMMPS dump, 14 columns, all conventions", "lammps/spce_all_coords.lammpstrj", 4, "LAMMPSDUMP"),
    ("LAMMPS dump, id mol type x y z ix iy iz", "lammps/polymer.lammpstrj", 8, "LAMMPSDUMP"),
    ("LAMMPS dump, xs ys zs vx vy vz", "lammps/nacl.lammpstrj", 100, "LAMMPSDUMP"),
    ("XYZ", "xyz/water.xyz", 12, "XYZ"),
    ("GRO", "gro/lysozyme.gro", 50, "GRO"),
    ("PDB", "pdb/spc5.pdb", 500, "PDB"),
)


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main(trjcat, data="../shared/data"):
    print(f"| text | MB | MDAnalysis {MDAnalysis.__version__}, MB/s | trjcat, MB/s | frames skipped, MB/s | "
          "trjcat / MDAnalysis |")
    print("|---|---|---|---|---|---|")
    for what, file, times, kind in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.path.basename(file))
            with open(os.path.join(data, file), "rb") as source, open(path, "wb") as out:
                text = source.read()
                for _ in range(times):
                    out.write(text)
            size = times * len(text) / 1e6

            def peer(path=path, kind=kind):
                for _ in get_reader_for(path, kind)(path):
                    pass

            def ours(*options, path=path):
                subprocess.run([trjcat, *options, path], stdout=subprocess.DEVNULL, check=True)

            best = [1e9] * 3
            for k in range(5):
                if kind != "GRO" and k < 2:  # MDAnalysis reads only the first frame of a GRO
                    best[0] = min(best[0], seconds(peer))
                best[1] = min(best[1], seconds(ours))
                best[2] = min(best[2], seconds(lambda: ours("-f", "0::100000000")))
            peers = ("-", "-") if best[0] == 1e9 else (f"{size / best[0]:.1f}", f"{best[0] / best[1]:.1f}")
            print(f"| {what} | {size:.1f} | {peers[0]} | {size / best[1]:.0f} | {size / best[2]:.0f} | {peers[1]} |")


main(*sys.argv[1:])
