#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the output of trjinfo --json (standard input) with the properties that MDAnalysis reads from the same files.

Exit status 77: MDAnalysis is missing.
"""
import json
import sys
import warnings

warnings.simplefilter("ignore")
try:
    import MDAnalysis
    from MDAnalysis.coordinates.core import get_reader_for
except ImportError:
    sys.exit(77)

# Properties that differ in MDAnalysis, with the reason.
DIFFERENT = {
    ("mrmd_h2so4-32bit-be.dcd", "time"): "it does not swap the bytes of the step",
    ("triclinic-octane-vectors.dcd", "cell"): "it reads the shape matrix as lengths and angles",
    ("hcp.gsd", "cell"): "it reads tilt factors as angles, and ignores the tilt in lengths",
    ("triclinic_trajectory.trr", "frames"): "it counts frames without positions",
    ("triclinic_trajectory_double.trr", "frames"): "the same",
    ("triclinic_trajectory.trr", "time"): "the same",
    ("triclinic_trajectory_double.trr", "time"): "the same",
}
# MDAnalysis reads only the first frame of a GRO and no cells of XYZ, and derives times of PDB models from their number.
UNREAD = {"gro": ("frames", "time"), "pdb": ("time",), "xyz": ("cell",)}
compared = bad = 0


def compare(facts, what, ours, theirs, relative=1e-5, absolute=2e-6):
    global compared, bad
    name = facts["file"].rsplit("/", 1)[-1]
    if (name, what) in DIFFERENT or what in UNREAD.get(facts["format"], ()):
        return
    compared += 1
    for a, b in zip(ours, theirs):
        if a is None or b is None or abs(a - b) > relative * abs(b) + absolute:
            print(f"{name}: {what}: {ours}, MDAnalysis {theirs}")
            bad += 1
            return


def trajectory(facts):
    known = {"lammps": "LAMMPSDUMP"}.get(facts["format"], facts["format"].upper())
    try:
        reader = get_reader_for(facts["file"], format=known)(facts["file"], n_atoms=facts["atoms"])
    except Exception:  # MDAnalysis raises many types for files that it cannot read
        return
    compare(facts, "atoms", [facts["atoms"]], [reader.n_atoms])
    compare(facts, "frames", [facts["frames"]], [reader.n_frames])
    for i, key in (0, "time_first"), (-1, "time_last"):
        frame = reader[i]
        if facts[key] is not None:
            compare(facts, "time", [facts[key]], [frame.time])
    cell = reader[0].dimensions
    if facts["cell_angles"]:
        compare(facts, "cell", facts["cell_lengths"] + facts["cell_angles"], [None] * 6 if cell is None else cell,
            1e-5, 1e-4)


def topology(facts):
    try:
        atoms = MDAnalysis.Universe(facts["file"]).atoms
    except Exception:
        return
    compare(facts, "topology's atoms", [facts["atoms"]], [len(atoms)])
    if facts["residues"] is not None:
        compare(facts, "residues", [facts["residues"]], [len(atoms.residues)])
    if facts["mass_from"] == "file":
        compare(facts, "mass", [facts["mass"]], [atoms.masses.sum()])
    if facts["charge"] is not None and hasattr(atoms, "charges"):
        compare(facts, "charge", [facts["charge"]], [atoms.charges.sum()])
    if facts["format"] == "PSF":
        compare(facts, "segments", [facts["segments"]], [len(atoms.segments)])
        compare(facts, "bonds", [facts["bonds"] or 0], [len(atoms.universe.bonds) if hasattr(atoms, "bonds") else 0])


for file in json.load(sys.stdin):
    if file["error"]:
        continue
    if "trajectory" in file["holds"]:
        trajectory(file)
    if "topology" in file["holds"]:
        topology(file)
print(compared, "facts compared")
sys.exit(bad > 0 or compared < 100)
