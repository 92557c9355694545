#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares selections of real systems by `pick` and by MDAnalysis: `selections.py FOLDER`.

Prints a line for each difference between the selected atoms. Exit status 77: MDAnalysis is missing."""
import bz2
import os
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
try:
    import MDAnalysis
except ImportError:
    sys.exit(77)

# Every topology format that MDAnalysis reads except TPR, whose residues it numbers differently from gmx, and whose
# fragments lack virtual sites. Each row has topology, trajectory, frame and properties: m masses, c charges, b bonds,
# s segments, d distances that are computed as in trjpipe, g neighbours that its grid search finds completely.
# Without d: in a cell as skew as that of tip125, the image that MDAnalysis uses is not the nearest one, so that it
# finds hydrogens without an atom within 1.9 A. Without g: in 1vln its grid search misses three atoms with an O at 2.3
# to 2.5 A; in bala it misses two with an Na+ at 4.3 and 4.6 A if water is selected, too, but not for the Na+ alone.
SYSTEMS = [
    ("dcd/adk.psf", "dcd/adk_dims.dcd", 0, "mcbsdg"),
    ("dcd/adk.psf", "dcd/adk_dims.dcd", 97, "mcbsdg"),
    ("dcd/tip125_tric_C36.psf", "dcd/tip125_tric_C36.dcd", 0, "mcbs"),
    ("dcd/tip125_tric_C36.psf", "dcd/tip125_tric_C36.dcd", 9, "mcbs"),
    ("dcd/watdyn.psf", "dcd/watdyn.dcd", 3, "mcbsdg"),
    ("xtc/adk_oplsaa.gro", "xtc/adk_oplsaa.gro", 0, "dg"),
    ("xtc/adk_oplsaa.gro", "xtc/adk_oplsaa.xtc", 4, "dg"),
    ("gro/1vln-triclinic.gro", "gro/1vln-triclinic.gro", 0, "d"),
    ("gro/lysozyme.gro", "gro/lysozyme.gro", 0, "dg"),
    ("gro/no-final-line.gro", "gro/no-final-line.gro", 0, "dg"),
    ("gro/protein_trajectory_velocities.gro", "gro/protein_trajectory_velocities.gro", 0, "dg"),
    ("gro/spc216.gro", "gro/spc216.gro", 0, "dg"),
    ("gro/mda-test.gro", "gro/mda-test.gro", 0, "dg"),
    ("multi/octahedron.gro", "multi/octahedron_trajectory.xtc", 3, "dg"),
    ("multi/cobrotoxin.pdb", "multi/cobrotoxin.xtc", 2, "dg"),
    ("xtc/tip3p_300K_1ATM.pdb", "xtc/tip3p_300K_1ATM.xtc", 7, "sdg"),
    ("pdb/spc5.pdb", "pdb/spc5.pdb", 0, "dg"),
    ("pdb/cryst_then_model.pdb", "pdb/cryst_then_model.pdb", 0, "sdg"),
    ("amber/ace_tip3p.parm7", "amber/ace_tip3p.nc", 1, "mcbdg"),
    ("amber/bala.prmtop", "amber/bala.ncdf", 2, "mcb"),
    ("amber/ache.prmtop", "amber/ache.mdcrd", 1, "mcb"),
    ("amber/tz2.truncoct.parm7.bz2", "amber/tz2.truncoct.nc", 1, "mcb"),
    ("dcd/ifabp_apo_100mM.data.bz2", "dcd/ifabp_apo_100mM.dcd", 1, "mcb"),
    ("gro/two_water_gro_widebox.gro", "gro/two_water_gro_widebox.gro", 0, "dg"),
    ("gro/two_water_gro_multiframe.gro", "gro/two_water_gro_multiframe.gro", 0, "dg"),
    ("pdb/model_then_cryst.pdb", "pdb/model_then_cryst.pdb", 0, "sdg"),
    ("pdb/short-cryst1.pdb", "pdb/short-cryst1.pdb", 0, "sdg"),
    ("xyz/water.xyz", "xyz/water.xyz", 5, "dg"),
    ("xyz/helium.xyz", "xyz/helium.xyz", 7, "dg"),
    ("xyz/spaces.xyz", "xyz/spaces.xyz", 0, "dg"),
]

# Expression, that of MDAnalysis if it differs, required properties. In MDAnalysis `and` and `or` have equal precedence,
# and around, same, byres and bonded apply to the whole rest of the expression. No atom has one of the numbers as its
# coordinate, because those of MDAnalysis are float32.
EXPRESSIONS = [
    ("all", None, ""),
    ("protein", None, ""),
    ("backbone", None, ""),
    ("nucleic", None, ""),
    ("protein and not backbone", None, ""),
    ("not protein", None, ""),
    ("water", "resname SOL TIP3 HOH WAT", ""),
    ("ion", "resname NA+ Na+ NA CL CA MN", ""),
    ("not (water or protein or ion)", "not (resname SOL TIP3 HOH WAT or protein or resname NA+ Na+ NA CL CA MN)", ""),
    ("name OW OH2 O", None, ""),
    ("name H*", None, ""),
    ("name ?A and resname A?? G*", None, ""),
    ("protein and name CA or name OW and resid 3 to 20", "(protein and name CA) or (name OW and resid 3:20)", ""),
    ("resid 1:5 8 10-12", None, ""),
    ("resid >= 100 and resid < 110", "resid 100:109", ""),
    ("index 0 to 9 14", "index 0:9 14", ""),
    ("bynum 1 3:7", None, ""),
    ("serial 2 to 8", "bynum 2:8", ""),
    ("not name H* and index < 300", "not name H* and index 0:299", ""),
    ("resname 'HOH' SOL and not name O*", "resname HOH SOL and not name O*", ""),
    ("x > 10.003", "prop x > 10.003", ""),
    ("x < 12.003 and y>=5.004 and z != 3.003", "prop x < 12.003 and prop y >= 5.004 and prop z != 3.003", ""),
    ("name O* and (z < 4.003 or not y <= 20.003)", "name O* and (prop z < 4.003 or not prop y <= 20.003)", ""),
    ("z 3.503 to 9.253", "prop z >= 3.503 and prop z <= 9.253", ""),
    ("not (x > 15.003 or z < 2.004)", "not (prop x > 15.003 or prop z < 2.004)", ""),
    ("none or index 2", "index 2", ""),
    ("name [!H]*", None, ""),
    ("name CA 'C?' OW? and not resid 4 to 9 1", "name CA C? OW? and not resid 4:9 1", ""),
    ("(protein or resname LYS) and not (name H* and resid < 30)", 
     "(protein or resname LYS) and not (name H* and resid 1:29)", ""),
    ("same name as (resid 2 and x > 3.003)", "same name as (resid 2 and prop x > 3.003)", ""),
    ("not not index 1:3 and (resid 1 or not all)", "index 1:3 and resid 1", ""),
    ("same residue as index 7", None, ""),
    ("same residue as (name O* and x > 15.003)", "same residue as (name O* and prop x > 15.003)", ""),
    ("same residue as bonded name N", "byres bonded name N", "b"),
    ("same resname as index 4", None, ""),
    ("same name as index 2 3", None, ""),
    ("same resid as index 9", None, ""),
    ("same segid as index 0", None, "s"),
    ("same type as index 3", None, "m"),
    ("same mass as index 4", None, "m"),
    ("same charge as index 4", None, "c"),
    ("same fragment as index 6", None, "b"),
    ("same molecule as x < 1.003", "same fragment as prop x < 1.003", "b"),
    ("bonded to name N OH2", "bonded name N OH2", "b"),
    ("name C* and bonded to (name O* N*)", "name C* and bonded (name O* N*)", "b"),
    ("mass > 2.5 and mass <= 14.1", "prop mass > 2.5 and prop mass <= 14.1", "m"),
    ("hydrogen", "prop mass < 1.1", "m"),
    ("heavy", "prop mass > 1.1", "m"),
    ("charge < -0.45", "prop charge < -0.45", "c"),
    ("charge > 0.105 and not charge >= 0.4", "prop charge > 0.105 and not prop charge >= 0.4", "c"),
    ("within 3.1 of index 0", "index 0 or around 3.1 index 0", "d"),
    ("exwithin 3.1 of index 0", "around 3.1 index 0", "d"),
    ("around 2.833 name O OW", None, "dg"),
    ("name H* and within 1.9 of (not name H*)", "name H* and around 1.9 (not name H*)", "d"),
    ("water and within 4.4 of protein", "resname SOL TIP3 HOH WAT and around 4.4 protein", "d"),
    ("name OW and within 6.2 of (protein and resid 5:50)", "name OW and around 6.2 (protein and resid 5:50)", "d"),
    ("same residue as (water and within 3.3 of (protein and name O* N*))",
     "byres (resname SOL TIP3 HOH WAT and around 3.3 (protein and name O* N*))", "d"),
    ("protein and within 4.7 of (water or ion)",
     "protein and around 4.7 (resname SOL TIP3 HOH WAT NA+ NA CL CA MN)", "d"),
    ("name O* and not around 5.3 (resid 3 or index 10)", "name O* and not around 5.3 (resid 3 or index 10)", "d"),
    ("within 2.3 of (around 2.1 index 12)", "(around 2.1 index 12) or around 2.3 (around 2.1 index 12)", "d"),
]


def pick(top, trj, frame, expressions):
    text = "".join(e + "\n" for e in expressions)
    command = ["pick", top, trj, str(frame)]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def classes():
    """Compares the residue names of each class; returns the number of classes that differ."""
    bad = 0
    known = MDAnalysis.core.selection
    for word, names in ("protein", known.ProteinSelection.prot_res), ("nucleic", known.NucleicSelection.nucl_res):
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "names.gro")
            with open(path, "w", encoding="ascii") as f:
                f.write(f"names\n{len(names)}\n")
                for i, name in enumerate(sorted(names)):
                    f.write(f"{i + 1:5d}{name:<5s}{'CA':>5s}{i + 1:5d}{0:8.3f}{0:8.3f}{0:8.3f}\n")
                f.write("1 1 1\n")
            found = len(pick(path, path, 0, [word])[0].split())
        if found != len(names):
            print(f"{word}: {found} residues, not {len(names)}")
            bad += 1
    return bad


def unpacked(path, place):
    """Returns the path, or that of a decompressed copy."""
    if not path.endswith(".bz2"):
        return path
    to = os.path.join(place, os.path.basename(path)[:-4])
    with bz2.open(path) as packed, open(to, "wb") as f:
        f.write(packed.read())
    return to


def compare(folder, place):
    bad, some = classes(), 0
    for topology, trajectory, frame, has in SYSTEMS:
        top, trj = unpacked(os.path.join(folder, topology), place), os.path.join(folder, trajectory)
        universe = MDAnalysis.Universe(top, trj)
        universe.trajectory[frame]
        cases = [e for e in EXPRESSIONS if all(need in has for need in e[2])]
        for (ours, theirs, _), line in zip(cases, pick(top, trj, frame, [e[0] for e in cases]), strict=True):
            if line.startswith("!") and " file has no " in line:
                continue
            if line.startswith("!") and ("selects none of the" in line or "atoms; give numbers" in line):
                found = set()
            elif line.startswith("!"):
                print(f"{topology}: {line}")
                bad += 1
                continue
            else:
                found = {int(i) for i in line.split()}
            if "give numbers" in line:
                continue
            try:
                atoms = universe.select_atoms(theirs or ours, periodic=universe.dimensions is not None)
                expected = {int(i) for i in atoms.indices}
            except AttributeError:  # the topology lacks the attribute
                continue
            some += bool(expected)
            if found != expected:
                difference = sorted(found ^ expected)[:10]
                print(f"{trajectory} frame {frame}: {ours}: {len(found)} atoms, not {len(expected)}: {difference}")
                bad += 1
    print(f"{some} selections of atoms")
    return bad > 0 or some < 900


with tempfile.TemporaryDirectory() as scratch:
    sys.exit(compare(sys.argv[1], scratch))
