#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Times trjcat --to and other programs writing the same frames; prints the CPU time per atom, the best of five runs.

usage: writers.py TRJCAT [FOLDER OF shared/data]

trjcat reads a frame stream, verifies its checksums, and writes to /dev/null, or to a file if the format requires it.
Its time is the user time of all this, minus that of a run of one frame, which contains the start and the reading of
the topology. The other programs write frames from memory to a file.
"""
import os
import resource
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import MDAnalysis  # noqa: E402
from mdtraj.formats import DCDTrajectoryFile, XTCTrajectoryFile  # noqa: E402

SYSTEM, TIMES, RUNS = "xtc/adk_oplsaa", 12, 5


def cpu(work, process):
    before = resource.getrusage(process)
    work()
    after = resource.getrusage(process)
    return after.ru_utime - before.ru_utime


def mdtraj_writer(kind, path, xyz, t, step, box):
    with kind(path, "w") as f:
        for _ in range(TIMES):
            if kind is XTCTrajectoryFile:
                f.write(xyz, t, step, box)
            else:
                f.write(xyz)


def mda_writer(universe, path, frames):
    with MDAnalysis.Writer(path, universe.atoms.n_atoms, multiframe=True) as w:
        for _ in range(frames):
            w.write(universe.atoms)


def main(trjcat, data="../shared/data"):
    top, xtc = (f"{data}/{SYSTEM}.{ending}" for ending in ("gro", "xtc"))
    with XTCTrajectoryFile(xtc) as f:
        frames = f.read()
    universe = MDAnalysis.Universe(top, xtc)
    atoms, count = universe.atoms.n_atoms, TIMES * len(frames[0])
    with tempfile.TemporaryDirectory() as folder:
        stream = f"{folder}/in.trjf"
        subprocess.run([trjcat, "-o", stream] + [xtc] * TIMES, check=True)

        def own(to, limit):
            out = f"{folder}/own.{to}" if to in ("dcd", "nc") else "/dev/null"
            names = ["-t", top, "-g", "all=all"] if to in ("xyz", "gro", "pdb") else []
            subprocess.run([trjcat, "--to", to, "-f", f":{limit}", *names, stream, "-o", out], check=True,
                stderr=subprocess.DEVNULL)

        others = {
            "xtc": ("mdtraj", lambda p: mdtraj_writer(XTCTrajectoryFile, p, *frames), count),
            "dcd": ("mdtraj", lambda p: mdtraj_writer(DCDTrajectoryFile, p, *frames), count),
            "xyz": ("MDAnalysis", lambda p: mda_writer(universe, p, 2), 2),
            "gro": ("MDAnalysis", universe.atoms.write, 1),
            "pdb": ("MDAnalysis", lambda p: mda_writer(universe, p, 2), 2),
        }
        print(f"{atoms} atoms, {count} frames")
        print("| format | trjcat, ns/atom | other program, ns/atom | ratio |")
        print("|---|---|---|---|")
        for to in ("trjf", "dcd", "nc", "xtc", "gro", "pdb", "xyz"):
            mine, one, theirs = [], [], []
            for _ in range(RUNS):
                mine.append(cpu(lambda: own(to, count), resource.RUSAGE_CHILDREN))
                one.append(cpu(lambda: own(to, 1), resource.RUSAGE_CHILDREN))
                if to in others:
                    theirs.append(cpu(lambda: others[to][1](f"{folder}/other.{to}"), resource.RUSAGE_SELF))
            ns = 1e9 * (min(mine) - min(one)) / (atoms * (count - 1))
            if not theirs:
                print(f"| {to} | {ns:.1f} | - | - |", flush=True)
                continue
            other = 1e9 * min(theirs) / (atoms * others[to][2])
            print(f"| {to} | {ns:.1f} | {other:.1f} ({others[to][0]}) | {other / ns:.1f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
