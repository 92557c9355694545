#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what trjcat reads with the values of shared/data-formats, which were computed independently.

check_formats.py decode|atoms|expanded FOLDER KIND...
    Checks each line of FOLDER/decode.tsv (atoms.tsv, expanded.tsv) whose file is in FOLDER/KIND. Prints a line for each
    difference, and "N lines of M files"; the status is 1 if there are differences.

decode: frames, atoms, first and last atom, sum and sum of squares of the coordinates, cell vectors. Of a small CIF, the
sites that its first block with atoms lists, which are the first atoms that trjcat writes. The positions of
"FILE#unwrapped" are those of FILE plus image flags times the cell of the frame.
atoms: names, bonds and velocities.
expanded: atoms of each element, pairs within 3 Angstrom and the sum of their distances, volume (requires numpy).

Files that trjcat must reject are read in parts: blocks of CIF that have different names, models with different numbers
of atoms, and CIF without operations, from which the name of the space group is removed.
"""
import itertools
import math
import re
import struct
import subprocess
import sys
import tempfile

mode, folder, kinds = sys.argv[1], sys.argv[2], sys.argv[3:]
REJECTED = {  # with the reason
    "mmcif/bad_model1.cif": "atoms, but earlier models",
    "mmcif/bad_model2.cif": "atoms, but earlier models",
    "mmcif/not_coords_ccd.cif": "without a table of atoms",
    "mmcif/not_coords_sf.cif": "without a table of atoms",
    "poscar/bad_MnO_misnumbered.poscar": "after 24 of 36 atoms",
    "small-cif/hashizume_21.cif": "20 blocks contain atoms: ethyl98K, ",
    "small-cif/uio66.cif": "3 blocks contain atoms: Zr-UiO-66_0GPa, Zr-UiO-66_1GPa, Zr-UiO-66_2GPa",
    "small-cif/ob_test08.cif": "space group C12/m1, but no symmetry operations",
    "small-cif/needs_wrap.cif": "space group Pnma, but no symmetry operations",
    "dlpoly-config/bad_CONFIG_lev2": "is not three numbers: its velocity",
    "openmm-state/forces_only.xml": "contains no positions",
    # Formats that are not read.
    "ase-traj": "is a trajectory of ASE, which is not supported",
    "maestro": "is Maestro (mae, cms), which is not supported",
}
CRYSTALS = "mmcif", "small-cif", "poscar", "xdatcar"
OPTIONS = {
    "dlpoly-history/made_HISTORY_truncated": ["-f", ":2"],
    "dlpoly-config/made_CONFIG_imcon7": ["-c", "16.161,16.161,16.161"],  # not the box of a hexagonal prism
}
# Boxes around a truncated octahedron or a rhombic dodecahedron, which trjcat replaces by the lattice of the solid, with
# half the volume; formats_simulation.bats checks these cells.
SOLIDS = "dlpoly-config/made_CONFIG_imcon4", "dlpoly-config/made_CONFIG_imcon5", "tinker/waterdodec.xyz"
differences = []


def trjcat(file, *options, text=None):
    """Returns what trjcat writes and reports; None if it fails."""
    name = "-" if text is not None else "%s/%s" % (folder, file)
    run = subprocess.run(["trjcat", *options, name], input=text, capture_output=True, encoding="latin-1")
    return (run.stdout if run.returncode == 0 else None), run.stderr


def table():
    names = None
    for line in open("%s/%s.tsv" % (folder, mode)):
        words = line.rstrip("\n").split("\t")
        if line.startswith("#"):
            continue
        if names and words[0].split("/")[0] in kinds:
            yield dict(zip(names, words))
        names = names or words


def xyz(text):
    """Yields cell, names and coordinates of the frames of an extended XYZ."""
    lines = iter((text or "").splitlines())
    for count in lines:
        comment = next(lines)
        cell = re.search(r'Lattice="([^"]*)"', comment)
        cell = [float(v) for v in cell.group(1).split()] if cell and 'pbc="F F F"' not in comment else None
        words = [next(lines).split() for _ in range(int(count))]
        yield cell, [w[0] for w in words], [[float(v) for v in w[1:4]] for w in words]


def frames_of_stream(file):
    """Returns cell, None and coordinates of the frames of a file whose names are not compared, in Angstrom."""
    path, _, unwrapped = file.partition("#")
    options = OPTIONS.get(file, []) + (["--carry", "image"] if unwrapped else [])
    with tempfile.NamedTemporaryFile(suffix=".trjf") as stream:
        subprocess.run(["trjcat", *options, "%s/%s" % (folder, path)], stdout=stream, stderr=subprocess.DEVNULL)
        stream.seek(0)
        program = ["tests/helpers/decode_frames.py", stream.name] if unwrapped else ["trjdump"]
        dump = subprocess.run(program, stdin=stream, stdout=subprocess.PIPE, text=True).stdout
    frames = []
    for line in dump.splitlines():
        words = line.split()
        if words[0] == "frame":
            unit, periodic = float(words[words.index("unit") + 1]), words[words.index("periodic") + 1]
            cell = [float(v) for v in words[words.index("cell") + 1 :][:9]] if periodic != "0" else None
            frames.append((cell, None, []))
            images = iter(())
        elif words[0] == "images":
            images = iter(frames[-1][2])
        elif frames and len(words) == 3 and len(words[0]) == 8:
            frames[-1][2].append([unit * struct.unpack(">f", bytes.fromhex(w))[0] for w in words])
        elif frames and len(words) == 3:
            position = next(images)
            for k in range(3):
                position[k] += sum(int(words[v]) * frames[-1][0][3 * v + k] for v in range(3))
    return frames


def blocks(file):
    """Returns the blocks of a small CIF that contain sites."""
    text = open("%s/%s" % (folder, file)).read()
    parts = re.split(r"(?mi)^(?=data_)", text)
    if file in ("small-cif/ob_test08.cif", "small-cif/needs_wrap.cif"):
        parts = [re.sub(r"(?m)^_(symmetry|space_group)[_.].*\n", "", part) for part in parts]
    return [part for part in parts if "_atom_site_fract_x" in part]


def models(file):
    """Returns the models of an mmCIF whose last column is their number, as files of their own."""
    lines = open("%s/%s" % (folder, file)).read().splitlines()
    rows = [line for line in lines if line.startswith(("ATOM", "HETATM"))]
    head = lines[: lines.index(rows[0])]
    for _, group in itertools.groupby(rows, lambda row: row.split()[-1]):
        yield "\n".join(head + list(group)) + "\n"


def read_frames(file):
    """Returns the frames of a file as decode.tsv lists them."""
    if file.startswith("small-cif/"):
        return list(xyz(trjcat(file, "--to", "xyz", text=blocks(file)[0])[0]))
    if file.startswith("mmcif/bad_model"):
        return [next(xyz(trjcat(file, "--to", "xyz", text=text)[0])) for text in models(file)]
    return list(xyz(trjcat(file, "--to", "xyz")[0])) if file.startswith(CRYSTALS) else frames_of_stream(file)


def compare_frame(row, cell, x):
    if row["file"].startswith("small-cif/"):
        x = x[: int(row["natoms"])]
    if len(x) != int(row["natoms"]):
        return "%d atoms, expected %s" % (len(x), row["natoms"])
    # Coordinates are float32, and those of the table have 9 digits.
    for place, name in ((0, "0"), (-1, "l")):
        for k in range(3):
            want = float(row["xyz"[k] + name])
            if abs(x[place][k] - want) > 2e-7 * abs(want) + 2e-7:
                return "atom %d: %r, expected %r" % (place, x[place][k], want)
    flat = [v for p in x for v in p]
    sums = math.fsum(flat), math.fsum(v * v for v in flat)
    if row["file"] in SOLIDS:
        row = dict(row, **{v + c: str(cell[3 * "abc".index(v) + "xyz".index(c)]) for v in "abc" for c in "xyz"})
    bounds = 1e-7 * sum(abs(v) for v in flat) + 1e-6, 2e-7 * sums[1] + 2e-6
    for found, want, bound in zip(sums, (row["sum"], row["sumsq"]), bounds):
        if abs(found - float(want)) > bound:
            return "sum %r, expected %s" % (found, want)
    want = [row[v + c] for v in "abc" for c in "xyz"]
    if (want[0] == "-") != (cell is None):
        return "cell %s, expected %s" % (cell, want)
    # Lengths and angles in float32, as in HDF5 of MDTraj, give such differences.
    bound = 1e-8 if row["file"].startswith(CRYSTALS) else 5e-8
    for a, b in zip(cell or [], want):
        if abs(a - float(b)) > bound * max(1, abs(float(b)), abs(float(want[0]))):
            return "cell %s, expected %s" % (cell, want)
    return None


def reason(file):
    """Returns why a file is rejected, or None."""
    return REJECTED.get(file) or REJECTED.get(file.split("/")[0])


def check_decode(file, rows):
    if file.split("/")[0] in REJECTED:
        return
    frames = read_frames(file)
    if len(frames) != len(rows):
        differences.append("%s: %d frames, expected %d" % (file, len(frames), len(rows)))
    for n, (row, (cell, _, x)) in enumerate(zip(rows, frames)):
        difference = compare_frame(row, cell, x)
        if difference:
            differences.append("%s: frame %d: %s" % (file, n, difference))


def names_of(text):
    """The column auth_atom_id of the first frame of what trjcat writes as mmCIF."""
    rows = [line.split() for line in (text or "").splitlines() if line.startswith("ATOM ")]
    return [row[18].strip('"') if row[18][0] == '"' else row[18] for row in rows if row[-1] == "1"]


def check_atoms(file, rows):
    row = rows[0]
    if file.split("/")[0] in REJECTED:
        return
    text = blocks(file)[0] if file.startswith("small-cif/") else None
    if file.startswith("mmcif/bad_model"):
        text = next(models(file))
    nameless = row["name_first"] in "-?"
    written, notes = trjcat(file, "-P", "none", "-f", "0", *([] if nameless else ["--to", "mmcif"]), text=text)
    names = names_of(written)
    want = row["atoms"].split(",")[0]
    if want == "0":
        if written is not None:
            differences.append("%s is read" % file)
        return
    if not file.startswith("small-cif/"):
        moving = "poscar", "dlpoly", "openmm", "gromos", "lammps"
        moves = file.startswith(moving) and trjcat(file, "--carry", "velocity", "-f", "0")[0] is not None
        if moves != (row["velocities"] == "yes"):
            differences.append("%s: velocities %s, expected %s" % (file, moves, row["velocities"]))
    if not file.startswith(CRYSTALS) and row["bonds"] not in "-0":
        bonds = subprocess.run(["trjinfo", "%s/%s" % (folder, file)], capture_output=True, text=True).stdout
        if "\nbonds\t%s\n" % row["bonds"] not in bonds:
            differences.append("%s: not %s bonds" % (file, row["bonds"]))
    if nameless:
        return
    names = names[: int(want)]
    counts = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    expected = [word.rsplit(":", 1) for word in row["names"].split(" ") if ":" in word]
    plain = [(name.lstrip("?"), int(n)) for name, n in expected]
    found = list(counts.items())[: len(plain)]
    if len(names) != int(want) or found != plain:
        differences.append("%s: %d atoms, names %s, expected %s" % (file, len(names), found, row["names"]))
    elif (names[0], names[-1]) != (row["name_first"].lstrip("?"), row["name_last"].lstrip("?")):
        differences.append("%s: %s to %s" % (file, names[0], names[-1]))
    alternates = re.search(r"altloc atoms=(\d+)", row["facts"])
    if alternates and (alternates.group(1) != "0") != ("alternate locations" in notes):
        differences.append("%s: altlocs %s: %s" % (file, alternates.group(1), notes))


def pairs(h, x, reach):
    """The number of unordered pairs with images closer than `reach`, and the sum of their distances."""
    import numpy

    h, x = numpy.array(h).reshape(3, 3), numpy.array(x)
    inverse = numpy.linalg.inv(h)
    x = (x @ inverse) % 1 @ h
    reaches = [int(reach * numpy.linalg.norm(inverse[:, k])) + 2 for k in range(3)]
    count = total = 0
    for shift in itertools.product(*(range(-r, r + 1) for r in reaches)):
        s = numpy.array(shift) @ h
        near = x[numpy.all((x + s > x.min(0) - reach) & (x + s < x.max(0) + reach), 1)] + s
        if len(near):
            d = numpy.sqrt(((x[:, None] - near[None]) ** 2).sum(2))
            d = d[(d < reach) & ((d > 1e-9) | any(shift))] if not any(shift) else d[d < reach]
            count += len(d)
            total += d.sum()
    return count // 2, total / 2


def check_expanded(file, rows):
    parts = blocks(file)
    if len(parts) != len(rows):
        differences.append("%s: %d blocks, expected %d" % (file, len(parts), len(rows)))
    for row, part in zip(rows, parts):
        frame = next(xyz(trjcat(file, "--to", "xyz", text=part)[0]), None)
        if not frame:
            differences.append("%s: %s is not read" % (file, row["block"]))
            continue
        cell, names, x = frame
        elements = " ".join("%s:%d" % (e, names.count(e)) for e in sorted(set(names)))
        volume = abs(sum(cell[k] * (cell[3 + (k + 1) % 3] * cell[6 + (k + 2) % 3] -
                                    cell[3 + (k + 2) % 3] * cell[6 + (k + 1) % 3]) for k in range(3)))
        count, total = pairs(cell, x, 3.0)
        # A distance that is 3 Angstrom but for rounding is counted or not; it then differs from the sum by as much.
        other = abs(count - int(row["pairs_3A"]))
        off = abs(total - float(row["sum_distance"]) - 3 * (count - int(row["pairs_3A"])))
        if elements != row["elements"] or abs(volume - float(row["volume"])) > 1e-6 * volume or other or off > 1e-3:
            differences.append("%s: %s: %s %r, %d pairs of %r, expected %s" % (
                file, row["block"], elements, volume, count, total, row))


lines = files = 0
for file, group in itertools.groupby(table(), lambda row: row["file"]):
    rows = list(group)
    lines += len(rows)
    files += 1
    {"decode": check_decode, "atoms": check_atoms, "expanded": check_expanded}[mode](file, rows)
    if mode != "expanded" and reason(file):
        output, message = trjcat(file, "--to", "xyz")
        if output is not None or reason(file) not in message:
            differences.append("%s is not rejected, or with another message: %s" % (file, message))
print("\n".join(differences + ["%d lines of %d files" % (lines, files)]))
sys.exit(1 if differences else 0)
