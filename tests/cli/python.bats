#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Python module of examples/python, with the Python of Debian: its values are those of the tools and of a brute
# force in numpy, and damage and failures are errors.
load helper

WATER=$PWD/examples/water MODULE=$PWD/examples/python

# python MODULE... -- < program: runs it in $T with the names of trjpipe.py; warnings are errors. Skips if a MODULE is
# missing. The function `raises` checks that a call raises an error whose text contains some texts.
python() {
    while [[ $1 != -- ]]; do need_python_module "$1" && shift; done
    { cat - /dev/fd/3 >"$T/program.py"; } 3<&0 <<'EOF'
import os
import sys
from pathlib import Path
import numpy
import trjpipe
from trjpipe import *

water = os.environ["WATER"]


def raises(kind, call, *texts):
    try:
        call()
    except kind as error:
        assert all(text in str(error) for text in texts), error
        return error
    raise AssertionError(f"{kind.__name__} is not raised: {texts}")


EOF
    (cd "$T" && WATER=$WATER PYTHONPATH=$MODULE PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg /usr/bin/python3 -W error \
        -W 'ignore::DeprecationWarning' -W 'ignore::PendingDeprecationWarning' program.py)
}

# between LOW VALUE HIGH
between() {
    awk -v low="$1" -v x="$2" -v high="$3" 'BEGIN { exit !(low <= x && x <= high) }' || { echo "$2"; return 1; }
}

water_histogram() {
    trjcat -t "$WATER/water.pdb" -g 'O=name OW' -g 'H=name HW*' "$WATER/water.dcd" |
        rdfhist -r 9 -b 90 -x residue -p O:O -p O:H -o "$T/water.rdfh" 2>"$T/err"
}

@test "rdf: curves, errors, coordination numbers and counts are those of the tools" {
    water_histogram
    rdfnorm -n gromacs "$T/water.rdfh" >"$T/gr.tsv"
    rdfnorm --counts "$T/water.rdfh" >"$T/counts.tsv"
    python numpy -- <<'EOF'
calls = []
result = rdf(water + "/water.dcd", top=water + "/water.pdb", groups={"O": "name OW", "H": "name HW*"},
             pairs=["O:O", ("O", "H")], rmax=9, bins=90, exclude="residue", norm="gromacs",
             progress=lambda done, total: calls.append((done, total)), rdfhist={"threads": 1})
expected = numpy.loadtxt("gr.tsv").T
oo, oh = result["O:O"], result["O:H"]
got = [result.r, oo.g, oo.error, oo.n, oh.g, oh.error, oh.n]
assert all((a == b).all() for a, b in zip(got, expected, strict=True)) and len(result.r) == 90
assert list(result.curves) == ["O:O", "O:H"]
assert calls[-1] == (128, 128) and calls == sorted(calls)
assert any(line.startswith("rdfhist: engine ") for line in result.messages)

low, high, *counts = numpy.loadtxt("counts.tsv").T
histogram = result.histogram
assert numpy.allclose(histogram.edges, [*low, 9], rtol=1e-9) and numpy.allclose(histogram.edges[1:], high, rtol=1e-9)
assert (histogram.edges == [k * 0.1 for k in range(91)]).all()
for pair, column in zip(("O:O", "O:H"), counts, strict=True):
    out, inside, only = (histogram.counts(pair, where) for where in ("out", "in", "only"))
    assert out.dtype == numpy.uint64 and (out == column).all() and (inside == out + only).all()
assert histogram.counts("O:H", "only").sum() == 128 * 686 and histogram.exclusion == "residue"
assert histogram.groups == {"O": 343, "H": 686} and histogram.frames == 128 and len(histogram.records) == 64

# rdfnorm prints four digits of standard errors.
curve = histogram.normalise("none", error="records")["O:H"]
assert numpy.allclose(histogram.mean("O:H") / 343, curve.g, rtol=1e-9)
assert numpy.allclose(histogram.error("O:H") / 343, curve.error, rtol=1e-3)
volume = float(next(line.split()[2].strip(",") for line in result.table.comments if line.startswith("volume: mean")))
assert abs(sum(record.volume * record.frames for record in histogram.records) / 128 - volume) < 1e-5
histogram.save("saved.rdfh")
EOF
    rdfnorm -n gromacs "$T/saved.rdfh" | rows | same <(rows "$T/gr.tsv") -
}

@test "frames and g(r): those of a brute force in numpy on the bytes of a DCD file" {
    trjcat "$WATER/water.dcd" >"$T/water.trjf"
    python numpy -- <<'EOF'
# The file: a header, and frames of a cell (float64) and of x, y, z (float32), each with its size before and after it.
atoms, frames = 1029, 128
data = Path(water, "water.dcd").read_bytes()
size = 56 + 3 * (8 + 4 * atoms)
edges, counts = numpy.arange(46) * 0.2, numpy.zeros(45, int)
stream = open_frames("water.trjf")
assert stream.verified and stream.atoms == atoms and list(stream.groups) == ["all"]
for i, frame in enumerate(stream):
    part = data[len(data) - (frames - i) * size:][:size]
    sides = numpy.frombuffer(part, "<f8", 6, 4)[[0, 2, 5]]
    x = numpy.array([numpy.frombuffer(part, "<f4", atoms, 60 + k * (8 + 4 * atoms)) for k in range(3)])
    assert (frame.coordinates == x).all() and not frame.coordinates.flags.writeable and frame.unit == 1
    assert (frame.positions == x.T.astype(float)).all() and frame.index == frame.number == i
    assert numpy.allclose(frame.cell, numpy.diag(sides)) and frame.periodic.all()
    assert numpy.isclose(frame.volume, sides.prod())
    if i % 16 == 0:
        oxygen = frame.positions[::3]
        for k in range(len(oxygen) - 1):
            d = oxygen[k + 1:] - oxygen[k]
            d -= sides * numpy.round(d / sides)
            counts += numpy.histogram(numpy.sqrt((d * d).sum(1)), edges)[0]
assert stream.frames == frames
result = rdf(water + "/water.dcd", top=water + "/water.pdb", groups={"O": "name OW"}, frames="::16", rmax=9, bins=45)
assert (result.histogram.counts("O:O") == counts).all() and counts.sum() > 100000
default = rdf(water + "/water.dcd", frames="0", rmax=9)
assert numpy.allclose(default.r, 0.05 * numpy.arange(180) + 0.025, rtol=0, atol=1e-12)
few = open_frames("water.trjf", frames="::16").read()
assert few.positions.shape == (8, atoms, 3) and (few.indices == numpy.arange(0, 128, 16)).all()
density = numpy.mean(1 / numpy.linalg.det(few.cells))
g = counts / (8 * 343 * 342 / 2 * density * 4 / 3 * numpy.pi * numpy.diff(edges**3))
assert numpy.allclose(result.g, g, rtol=1e-9) and result.error is result["O:O"].error
EOF
}

@test "rdf: pairs and groups as text give the curves of lists" {
    water_histogram
    rdfnorm "$T/water.rdfh" >"$T/gr.tsv"
    python numpy -- <<'EOF'
common = dict(top=water + "/water.pdb", rmax=9, bins=90, exclude="residue")
expected = numpy.loadtxt("gr.tsv").T
result = rdf(water + "/water.dcd", groups={"O": "name OW", "H": "name HW*"}, pairs="O:H", **common)
assert list(result.curves) == ["O:H"] and (result.g == expected[4]).all()
result = rdf(water + "/water.dcd", groups="name OW", **common)
assert list(result.curves) == ["group:group"] and (result.g == expected[1]).all()
with open_frames(water + "/water.dcd", top=water + "/water.pdb", groups="name OW") as stream:
    assert [len(atoms) for atoms in stream.groups.values()] == [343]
sys.modules["matplotlib"] = sys.modules["matplotlib.figure"] = None
text = result._repr_html_()
assert "group:group: 128 frames, 90 bins up to 9 Å" in text and "matplotlib" in text and "<img" not in text
EOF
}

@test "rdf: a notebook shows a figure" {
    python numpy matplotlib -- <<'EOF'
import base64
import re
result = rdf(water + "/water.dcd", top=water + "/water.pdb", groups={"O": "name OW"}, rmax=9, bins=90)
text = result._repr_html_()
image = base64.b64decode(re.search('src="data:image/svg.xml;base64,([^"]*)"', text).group(1))
assert b"<svg" in image and image.rstrip().endswith(b"</svg>") and "<p>O:O: 128 frames, 90 bins up to 9 Å" in text
EOF
}

@test "rdf of numpy arrays: that of the file with these coordinates, and a brute force in a skew cell" {
    python numpy -- <<'EOF'
options = dict(top=water + "/water.pdb", groups={"O": "name OW"}, rmax=9, bins=90)
arrays = open_frames(water + "/water.dcd", frames=":8").read()
expected = rdf(water + "/water.dcd", frames=":8", **options).histogram.counts("O:O")
for positions in arrays.positions, arrays.positions.astype(numpy.float32):
    assert (rdf(positions, cell=arrays.cells, **options).histogram.counts("O:O") == expected).all()
one = rdf(arrays.positions[0], cell=numpy.diag(arrays.cells[0]), **options).histogram
assert one.frames == 1 and one.counts("O:O").sum() > 10000

# Vectors in any orientation; all images within 4 Å
generator = numpy.random.default_rng(5)
cell = numpy.array([[1, 11, 0.5], [9, 0, 2], [0, 1.5, -12.0]])
x = (generator.random((60, 3)) @ cell).astype(numpy.float32).astype(float)
d = x[:, None] - x
counts = numpy.zeros(40, int)
for shift in numpy.ndindex(3, 3, 3):
    r = numpy.sqrt(((d + (numpy.array(shift) - 1) @ cell)**2).sum(2))[numpy.triu_indices(60, 1)]
    counts += numpy.histogram(r, numpy.arange(41) / 10)[0]
result = rdf(x, cell=cell, rmax=4, bins=40)
assert (result.histogram.counts("all:all") == counts).all() and counts.sum() > 100
# Without a cell
free = rdf(x, rmax=4, bins=40, norm="none").histogram
r = numpy.sqrt((d**2).sum(2))[numpy.triu_indices(60, 1)]
assert (free.counts("all:all") == numpy.histogram(r, numpy.arange(41) / 10)[0]).all()

raises(ValueError, lambda: rdf(x[:, :2]), "[60, 2]", "[frames, atoms, 3]")
raises(ValueError, lambda: rdf(x, cell=[1, 2]), "cell: an array [2]", "[3], [3, 3] or [1, 3, 3]")
raises(ValueError, lambda: rdf(x * numpy.nan, cell=cell), "a coordinate is not finite")
raises(ValueError, lambda: rdf("x.dcd", cell=cell), "cell: is for arrays")
EOF
}

@test "large frames: each in a block of its own, from files and pipes" {
    mkdcd --atoms 1500000 --frames 2 --cell 250,250,250 >"$T/large.dcd"
    trjcat "$T/large.dcd" >"$T/large.trjf"
    python numpy -- <<'EOF'
data = Path("large.dcd").read_bytes()
last = [numpy.frombuffer(data, "<f4", 1500000, len(data) - (3 - k) * 6000008 + 4) for k in range(3)]
with open("large.trjf", "rb") as pipe:
    for file in "large.trjf", pipe:
        first, second = open_frames(file)
        assert (second.coordinates == last).all() and (first.coordinates != second.coordinates).any()
EOF
}

@test "header: groups, dynamic groups, centres, residues, elements, bonds and sources" {
    trjcat -f :5 -t "$WATER/water.pdb" -g 'near=name OW and within 6 of index 0' -g 'W=com(resid 1 2)' -g 'H=name HW*' \
        "$WATER/water.dcd" -o "$T/water.trjf" 2>"$T/err"
    trjcat "$WATER/water.dcd" >"$T/all.trjf"
    python numpy -- <<'EOF'
stream, everything = open_frames("water.trjf"), open_frames("all.trjf")
assert stream.dynamic == ["near"] and stream.centres == 2 and stream.atoms == 343 + 686 + 2
assert stream.source_atoms == 1029 and list(stream.groups) == ["near", "W", "H"]
assert list(stream.groups["W"]) == [1029, 1030] and (stream.numbers == numpy.arange(1029)).all()
assert (stream.residues[:6] == [0, 0, 0, 1, 1, 1]).all() and (stream.elements[:4] == [8, 1, 1, 8]).all()
assert (stream.elements[-2:] == 0).all() and stream.provenance[0].startswith("trjcat ")
assert [os.path.basename(name) for name, _ in stream.sources] == ["water.dcd"] and stream.bonds is None
for frame, whole in zip(stream, everything):
    side = numpy.diag(whole.cell)
    d = whole.positions[::3] - whole.positions[0]
    d -= side * numpy.round(d / side)
    near = numpy.flatnonzero((d * d).sum(1) <= 36) * 3
    assert (frame.members("near") == near).all() and 20 < len(near) < 40
    assert (frame.members("H") == stream.groups["H"]).all()
    assert (frame.positions[:1029] == whole.positions).all() and frame.time == whole.time and frame.step == whole.step
assert frame.number == 4
EOF
}

@test "packed, compressed and mixed streams, and files of other formats: the same floats" {
    trjcat --to xtc examples/ions/ions.dcd >"$T/ions.xtc"
    trjcat "$T/ions.xtc" >"$T/packed.trjf"
    trjcat -z 1 "$T/ions.xtc" >"$T/compressed.trjf"
    trjcat -z 0 "$T/ions.xtc" >"$T/floats.trjf"
    trjcat -z 0 -f :3 "$T/ions.xtc" >"$T/a.trjf"
    trjcat -f 3: "$T/ions.xtc" >"$T/b.trjf"
    trjcat "$T/a.trjf" "$T/b.trjf" >"$T/mixed.trjf" 2>"$T/err"
    python numpy -- <<'EOF'
import subprocess
unsupported = "which only trjcat and libtrjpipe decode", "trjcat -z 0", "install trjpipe"
floats = open_frames("floats.trjf").read()
assert floats.positions.shape == (64, 616, 3)
decoders = [trjpipe._StreamReader]
if os.path.exists(os.environ["TRJPIPE_BIN"] + "/../lib/libtrjpipe.so.0"):
    decoders = [trjpipe._LibraryReader, trjpipe._StreamReader]
for decoder in decoders:
    if decoder is trjpipe._StreamReader:
        trjpipe._load_libtrjpipe = lambda: None
    for name in "packed.trjf", "ions.xtc":
        with open_frames(name) as stream:
            assert type(stream._reader) is decoder
    for name in "packed.trjf", "compressed.trjf", "mixed.trjf", "ions.xtc":
        stream = open_frames(name)
        arrays = stream.read()
        for field in "positions", "cells", "times", "steps", "indices":
            assert (getattr(arrays, field) == getattr(floats, field)).all(), (name, field)
        assert stream.frames == 64 and {os.path.basename(source[0]) for source in stream.sources} == {"ions.xtc"}
        assert [len(part) for part in stream.groups.values()] == [616] and stream.atoms == stream.source_atoms == 616
        assert stream.provenance or name == "ions.xtc"
    some = open_frames("ions.xtc", groups={"A": "index 0 to 9"}, frames="5:7", periodic="xy", dtype=None)
    arrays = some.read(dtype=numpy.float32)
    assert (arrays.positions == floats.positions[5:7, :10].astype(numpy.float32)).all()
    for command in "cat floats.trjf", "cat packed.trjf", "trjcat ions.xtc", "trjcat ions.xtc | trjcat -z 0 -":
        with subprocess.Popen(command, shell=True, stdout=subprocess.PIPE) as process:
            assert (open_frames(process.stdout).read().positions == floats.positions).all()
    with open("packed.trjf", "rb") as file, open_frames(file) as stream:
        assert (next(stream).positions == floats.positions[0]).all()
    Path("cut.trjf").write_bytes(Path("packed.trjf").read_bytes()[:-3000])
    error = raises(StreamError, lambda: open_frames("cut.trjf").read(), "cut.trjf", "truncated")
    with open("cut.trjf", "rb") as file:
        raises(TrjpipeError, lambda: open_frames(file).read(), "truncated")
    with open("mixed.trjf", "rb") as file:
        raises(StreamError, lambda: open_frames(file).read(), "mixed.trjf: block ", "(FRMX) at byte ", *unsupported)
os.environ["PATH"] = "/nowhere"
raises(StreamError, lambda: open_frames("packed.trjf"), "packed.trjf: block ", "(FRMX) at byte ", *unsupported)
EOF
    cd "$T" || return 1
    PYTHONPATH=$MODULE /usr/bin/python3 -c 'import trjpipe; print(trjpipe.open_frames("-").read(9).cells.shape)' \
        <packed.trjf | has -x '(9, 3, 3)'
}

@test "grids: the mean is that of mapconv, and values, lattice and frames are those of the stream" {
    trjcat -c 22,23,24 -t "$WATER/water.pdb" -g 'O=name OW' "$WATER/water.dcd" >"$T/water.trjf"
    densmap -k count -g 2 -B 50 "$T/water.trjf" -o "$T/blocks.trjg" 2>"$T/err"
    densmap -k count -g 2 "$T/water.trjf" -o "$T/counts.trjg" 2>"$T/err"
    densmap -k count -g 2 "$T/water.trjf" -o "$T/counts.npy" 2>"$T/err"
    densmap --sigma 1 -g 1 "$T/water.trjf" -o "$T/gauss.trjg" 2>"$T/err"
    densmap --origin 1,2,3 --steps 2,1,0,0,3,0,1,0,2 --points 3,4,5 --sigma 1 "$T/water.trjf" -o "$T/skew.dx" \
        2>"$T/err"
    mapconv "$T/counts.trjg" -o "$T/converted.npy" 2>"$T/err"
    mapconv --totals "$T/counts.trjg" -o "$T/totals.npy" 2>"$T/err"
    mapconv "$T/gauss.trjg" -o "$T/gauss.npy" 2>"$T/err"
    cat "$T/blocks.trjg" "$T/counts.trjg" >"$T/twice.trjg"
    python numpy -- <<'EOF'
def load(name):
    array = numpy.load(name)
    assert array.dtype == numpy.float64 and array.shape == grid.shape
    return array


with open_frames("water.trjf") as frames:
    oxygens, sides = len(frames.groups["O"]), numpy.diag(next(frames).cell)
with open_grid("counts.trjg") as stream:
    assert stream.records == 0 and stream.components == 1 and stream.quantum is None
    record, = stream
    assert stream.records == 1 and next(stream, None) is None
assert stream.stored == GridValues("number of atoms", "", "totals", 0)
assert stream.mean == GridValues("number density", "A^-3", "means", 0)
assert record.number == 0 and record.frames == record.weight == 128
assert record.values.dtype == numpy.uint64 and record.values.sum() == 128 * oxygens
assert stream.periodic.all() and [os.path.basename(name) for name, _ in stream.sources] == ["water.dcd"]
assert stream.provenance[-1].startswith("densmap ")
assert numpy.allclose(numpy.diag(stream.steps) * stream.shape, sides, rtol=1e-12)

grid = read_grid("counts.trjg")
assert grid.unit == "A^-3" and grid.frames == 128 and grid.described == stream.mean
for values in record.mean, load("converted.npy"), load("counts.npy"):
    assert (grid.values == values).all()
voxel = numpy.linalg.det(grid.steps)
assert numpy.isclose(grid.values.sum() * voxel, oxygens, rtol=1e-12)
totals = read_grid("counts.trjg", totals=True)
assert (totals.values == load("totals.npy")).all() and numpy.isclose(totals.values.sum(), oxygens, rtol=1e-12)
assert totals.described == GridValues("number of atoms", "", "totals", 0)
points = grid.positions()
assert points.shape == (*grid.shape, 3)
assert numpy.allclose(points[1, 2, 3], grid.origin + grid.steps[0] + 2 * grid.steps[1] + 3 * grid.steps[2])

blocks = list(open_grid("blocks.trjg"))
assert [block.frames for block in blocks] == [50, 50, 28] and [block.number for block in blocks] == [0, 1, 2]
assert (sum(block.values for block in blocks) == record.values).all()
assert numpy.allclose(blocks[2].mean, blocks[2].values / 28 / voxel, rtol=1e-12)
joined = read_grid("blocks.trjg")
assert joined.frames == 128 and (joined.values == grid.values).all() and joined.sources == grid.sources

with open_grid("gauss.trjg") as stream:
    gauss = next(stream)
    assert gauss.values.dtype == numpy.int64 and stream.quantum and stream.stored.meaning == "samples"
    assert (gauss.mean == gauss.values * stream.quantum / gauss.weight).all()
grid = read_grid("gauss.trjg")
assert (grid.values == load("gauss.npy")).all() and grid.described.error_bound > 0

skew = read_grid("skew.dx")
assert skew.shape == (3, 4, 5) and skew.frames == 0
assert numpy.allclose(skew.origin, [1, 2, 3])
assert numpy.allclose(skew.steps, [[2, 1, 0], [0, 3, 0], [1, 0, 2]], atol=1e-5)

damaged = bytearray(Path("counts.trjg").read_bytes())
Path("cut.trjg").write_bytes(damaged[:-9])
damaged[len(damaged) // 2] ^= 1
Path("damaged.trjg").write_bytes(damaged)
for name, text in ("cut.trjg", "truncated"), ("damaged.trjg", "checksum mismatch"):
    error = raises(StreamError, lambda: read_grid(name), name + ": ", text)
    assert error.byte > 0
raises(StreamError, lambda: list(open_grid("twice.trjg")), "twice.trjg: ", "water.dcd")
raises(ToolError, lambda: read_grid("blocks.trjg", "counts.trjg"), "mapsum: ", "water.dcd")
raises(TrjpipeError, lambda: open_grid("nothing.trjg"), "nothing.trjg: No such file or directory")
raises(StreamError, lambda: open_grid("water.trjf"), "water.trjf: ")
stream = open_grid("counts.trjg")
stream.close()
assert list(stream) == []
trjpipe._load_libtrjpipe = lambda: None
raises(TrjpipeError, lambda: open_grid("counts.trjg"), "libtrjpipe", "install trjpipe")
EOF
    cd "$T" || return 1
    PYTHONPATH=$MODULE /usr/bin/python3 -c 'import trjpipe; print(trjpipe.read_grid("-").frames)' <counts.trjg |
        has -x 128
}

@test "properties of atoms: numbers and texts of a stream, from the library, from trjcat and of pipes" {
    cat >"$T/water.pqr" <<'EOF'
ATOM 1 OW HOH 7 0 0 0 -0.8 1.5
ATOM 2 HW1 HOH 7 1 0 0 0.4 1.2
ATOM 3 HW2 HOH 7 0 1 0 0.4 1.2
EOF
    printf '3\n\nO 0 0 0\nH 1 0 0\nH 0 1 0\n' >"$T/water.xyz"
    trjcat -t "$T/water.pqr" -g 'W=com(all)' -g 'H=name HW*' --carry charge,radius,name,resname,resid,element \
        "$T/water.xyz" -o "$T/water.trjf" 2>"$T/err"
    trjcat -z 0 "$WATER/water.dcd" -f 0 >"$T/none.trjf"
    python numpy -- <<'EOF'
import warnings

warnings.filterwarnings("ignore", ".*water.pqr: note: (elements|masses) are guessed")
names = ["charge", "radius", "name", "resname", "resid", "element"]
with open_frames("none.trjf") as stream:
    assert stream.properties == {}
load = trjpipe._load_libtrjpipe
options = dict(top="water.pqr", groups={"W": "com(all)", "H": "name HW*"})
for library in load, lambda: None:
    trjpipe._load_libtrjpipe = library
    with open("water.trjf", "rb") as file:
        streams = [open_frames("water.trjf"), open_frames(file), open_frames("water.xyz", carry=names, **options),
                   open_frames("water.xyz", carry=",".join(names), **options)]
        for stream in streams:
            properties = stream.properties
            assert list(properties) == names[:-1] and stream.centres == 1 and list(stream.elements) == [1, 1, 0]
            charge, radius = properties["charge"], properties["radius"]
            assert charge.unit == "e" and charge.origin.startswith("PQR file ") and charge.values.dtype == float
            assert list(charge.values[:2]) == [0.4, 0.4] and abs(charge.values[2]) < 1e-15
            assert list(radius.values[:2]) == [1.2, 1.2] and numpy.isnan(radius.values[2]) and radius.unit == "A"
            assert list(properties["name"].values) == ["HW1", "HW2", ""]
            assert list(properties["resname"].values) == ["HOH", "HOH", ""]
            resid = properties["resid"].values
            assert resid.dtype == numpy.int64 and list(resid) == [7, 7, -2**63]
            assert next(stream).coordinates.shape == (3, 3)
    raises(TrjpipeError, lambda: open_frames("water.xyz", top="water.pqr", carry="sigma"),
           "--carry sigma: the PQR file water.pqr does not contain it; ")
    raises(TrjpipeError, lambda: open_frames("water.xyz", carry="weight"), "unknown property 'weight'")
EOF
}

@test "precision of rounded coordinates: read from streams and histograms, and not lost where a program decodes it" {
    trjcat --precision 0.01 "$WATER/water.dcd" >"$T/rounded.trjf" 2>"$T/err"
    rdfhist -e cpu -r 5 -b 20 "$T/rounded.trjf" -o "$T/rounded.rdfh" 2>"$T/err"
    trjcat --precision 0.05 "$WATER/water.dcd" | rdfhist -e cpu -r 5 -b 20 -o "$T/coarse.rdfh" 2>"$T/err"
    trjcat "$WATER/water.dcd" | rdfhist -e cpu -r 5 -b 20 -o "$T/exact.rdfh" 2>"$T/err"
    trjcat -z 0 "$T/rounded.trjf" >"$T/floats.trjf" 2>"$T/err"
    trjcat "$WATER/water.dcd" >"$T/exact.trjf"
    python numpy -- <<'EOF'
exact = open_frames("exact.trjf").read().positions
streams = [open_frames("rounded.trjf"), open_frames("floats.trjf"), open_frames("rounded.trjf", frames="0:128")]
with open("rounded.trjf", "rb") as file:
    for stream in *streams, open_frames(file):
        assert stream.precision == 0.01
        difference = abs(stream.read().positions - exact).max()
        assert 0 < difference <= 0.01, difference
with open_frames("exact.trjf") as stream:
    assert stream.precision is None
for name, precision in ("rounded", 0.01), ("coarse", 0.05), ("exact", None):
    assert read_histogram(name + ".rdfh").precision == precision
EOF
}

@test "damaged and truncated frame streams: the error gives file, block and byte" {
    trjcat -z 0 -f :4 -t "$WATER/water.pdb" -g 'N=within 9 of index 0' -g 'C=com(all)' "$WATER/water.dcd" -o "$T/good" \
        2>"$T/err"
    borders "$T/good" >"$T/borders"
    python numpy -- <<'EOF'
import struct
data = Path("good").read_bytes()
borders = [int(line) for line in Path("borders").read_text().split()]
blocks = len(borders) - 1
def read(changed):
    Path("bad").write_bytes(changed)
    return open_frames("bad").read(dtype=numpy.float32)
assert read(data).positions.shape[0] == 4
cuts = sorted({4, 7, 8, 23} | {place + i for place in borders for i in (-1, 0, 1, 39, 40, 41)})
for cut in cuts:
    if cut < len(data):
        error = raises(StreamError, lambda: read(data[:cut]), "bad: ")
        assert error.file == "bad" and error.byte <= cut
        assert (error.block is None) == (cut < 24) and (cut < 24 or borders[error.block] <= cut)
for block, start in enumerate(borders[:-1]):
    for byte in start + 2, start + 9, start + 33, start + 45, borders[block + 1] - 1:
        changed = bytearray(data)
        changed[byte] ^= 4
        error = raises(StreamError, lambda: read(changed), f"bad: block {block} ", f" at byte {start}: checksum")
        assert error.block == block and error.byte == start
error = raises(StreamError, lambda: read(data + b"x"), "data after the END block")
raises(StreamError, lambda: read(data[:24] + data[borders[1]:]), "checksum mismatch in its header")
for other in b"", data[:3], b"hello":
    raises(TrjpipeError, lambda: read(other), "bad: ")

# A file that becomes shorter.
Path("bad").write_bytes(data)
with open_frames("bad") as stream:
    os.truncate("bad", 5000)
    raises(StreamError, lambda: list(stream), "bad: block ", "truncated")

# Invalid content with valid checksums.
def rewritten(type_, change):
    out, number = bytearray(data[:24]), 0
    for start, end in zip(borders, borders[1:]):
        payload = bytearray(data[start + 40:end])
        if data[start:start + 4] == type_:
            change(payload)
        head = data[start:start + 8] + struct.pack("<QQQ", len(payload), len(payload), trjpipe._hash(bytes(payload), 0))
        out += head + struct.pack("<Q", trjpipe._hash(head, number)) + payload
        number += 1
    return bytes(out)
def put(at, form, value):
    return lambda payload: struct.pack_into("<" + form, payload, at, value)
frame = next(start for start in borders if data[start:start + 4] == b"FRAM") + 40
for type_, change, what in (
        (b"FRAM", put(8, "I", 1), "invalid number of its source"), (b"FRAM", put(12, "I", 8), "invalid periodic"),
        (b"FRAM", put(40, "d", 0.0), "invalid unit"), (b"FRAM", put(48, "d", numpy.nan), "invalid cell"),
        (b"FRAM", put(132, "f", numpy.inf), "invalid coordinates"), (b"FRAM", put(0, "I", 0), "no frame"),
        (b"FRAM", put(0, "I", 2**32 - 1), "ends too early"),
        (b"FRAM", lambda payload: put(len(payload) - 1, "B", 255)(payload), "invalid members"),
        (b"HEAD", put(0, "Q", 0), "0 atoms"), (b"HEAD", put(0, "Q", 2**32 - 1), "block"),
        (b"GRPS", put(0, "I", 2**32 - 1), "ends too early"), (b"GRPS", put(4, "I", 2**31), "ends too early"),
        (b"GRPS", put(17, "I", 5), "invalid list of group"),
        (b"CHNG", put(4, "I", 7), "invalid list of dynamic groups"),
        (b"CENT", put(0, "Q", 0), "0 centres"), (b"END!", put(0, "Q", 5), "5 frames in the stream, but 4 were read"),
        (b"END!", put(8, "Q", 5), "invalid totals"), (b"PROV", put(8, "B", 10), "invalid text")):
    raises(StreamError, lambda: read(rewritten(type_, change)), "bad: block ", what)
error = raises(StreamError, lambda: read(rewritten(b"FRAM", put(132, "f", numpy.inf))),
               f" (FRAM) at byte {frame - 40}: frame 0 at byte {frame + 8}: ")
assert error.byte == frame + 8
EOF
}

@test "damaged, truncated and unequal histogram streams, and frames counted twice: errors" {
    water_histogram
    trjcat "$WATER/water.dcd" | rdfhist -r 5 -b 10 -o "$T/other.rdfh" 2>"$T/err"
    local k
    for k in 1 2 3; do
        trjcat --segment $k/3 "$WATER/water.dcd" | rdfhist -r 5 -b 10 -B 8 -o "$T/part.$k.rdfh" 2>"$T/err"
    done
    trjcat -f 1::2 "$WATER/water.dcd" | rdfhist -r 5 -b 10 -o "$T/odd.rdfh" 2>"$T/err"
    trjcat -f ::2 "$WATER/water.dcd" | rdfhist -r 5 -b 10 -o "$T/even.rdfh" 2>"$T/err"
    trjcat -f 9::3 "$WATER/water.dcd" | rdfhist -r 5 -b 10 -o "$T/third.rdfh" 2>"$T/err"
    borders "$T/water.rdfh" >"$T/borders"
    python numpy -- <<'EOF'
data = Path("water.rdfh").read_bytes()
borders = [int(line) for line in Path("borders").read_text().split()]
def read(changed):
    Path("bad").write_bytes(changed)
    return read_histogram("bad")
for block, (start, end) in enumerate(zip(borders, borders[1:])):
    for cut in start, start + 3, start + 40, end - 1:
        error = raises(StreamError, lambda: read(data[:cut]), "bad: block ", "truncated")
        assert error.byte <= cut and error.block in (block, block - 1)
    for byte in start, start + 35, end - 1:
        changed = bytearray(data)
        changed[byte] ^= 1
        raises(StreamError, lambda: read(changed), f"bad: block {block} ", f"at byte {start}: checksum mismatch")
raises(StreamError, lambda: read(b""), "bad: ", "is empty")
raises(StreamError, lambda: read(data + data), "frame 0 of a source is counted twice")
raises(StreamError, lambda: read(data + Path("other.rdfh").read_bytes()), "differ from those of the records before")
whole = read_histogram("other.rdfh")
parts = read_histogram("part.1.rdfh", "part.2.rdfh", "part.3.rdfh")
both = read_histogram("even.rdfh", "odd.rdfh")
for histogram in parts, both:
    assert histogram.frames == 128 and (histogram.counts("all:all") == whole.counts("all:all")).all()
raises(StreamError, lambda: read_histogram("even.rdfh", "third.rdfh"), "frame 12 of a source is counted twice")
raises(StreamError, lambda: read_histogram("odd.rdfh", "third.rdfh"), "frame 9 of a source is counted twice")
EOF
}

@test "histograms of dynamic groups, with a lag, and of one record: counts and numbers of atoms" {
    trjcat -f :20 -t "$WATER/water.pdb" -g 'N=within 6 of index 0' "$WATER/water.dcd" 2>"$T/err" |
        rdfhist -r 5 -b 10 -x residue -o "$T/dynamic.rdfh" 2>"$T/err"
    trjcat -t "$WATER/water.pdb" -g 'O=name OW' "$WATER/water.dcd" |
        rdfhist -r 5 -b 10 --lag 3 -B 0 -o "$T/lag.rdfh" 2>"$T/err"
    rdfnorm --counts "$T/dynamic.rdfh" >"$T/dynamic.tsv"
    rdfnorm --counts "$T/lag.rdfh" >"$T/lag.tsv"
    rdfnorm --counts --self "$T/lag.rdfh" >"$T/self.tsv"
    grep -oE 'on average [0-9.]*' "$T/dynamic.tsv" | cut -d ' ' -f 3 >"$T/average"
    python numpy -- <<'EOF'
dynamic, lag = read_histogram("dynamic.rdfh"), read_histogram("lag.rdfh")
assert dynamic.dynamic == ["N"] and (dynamic.counts("N:N") == numpy.loadtxt("dynamic.tsv").T[2]).all()
mean = sum(record.atoms[0] * record.frames for record in dynamic.records) / dynamic.frames
assert numpy.isclose(mean, numpy.loadtxt("average"))
assert lag.lag == 3 and numpy.isclose(lag.lag_time, 3, rtol=1e-4) and lag.error("O:O") is None
assert (lag.counts("O:O") == numpy.loadtxt("lag.tsv").T[2]).all()
assert (lag.records[0].moved[0] == numpy.loadtxt("self.tsv").T[2]).all() and lag.records[0].moved.sum() > 0
assert lag.normalise().error is None
EOF
}

@test "tables of rdfnorm and rdfderive: columns, texts, pandas, totals and figures" {
    trjcat -t "$WATER/water.pdb" --by element "$WATER/water.dcd" |
        rdfhist -r 9 -b 90 -x residue -p '*:*' -o "$T/el.rdfh" 2>"$T/err"
    rdfderive -q shells -p O:O -p H:H "$T/el.rdfh" >"$T/shells.tsv"
    rdfderive -q sq --total xray "$T/el.rdfh" >"$T/sq.tsv"
    rdfnorm --total neutron --scatterer H=D "$T/el.rdfh" >"$T/gr.tsv"
    python numpy pandas matplotlib -- <<'EOF'
import io
shells, sq = read_table("shells.tsv"), read_table("sq.tsv")
assert list(shells["pair"]) == ["O:O", "H:H"] and shells["shell"].dtype == float and 4 < shells["n_AB"][0] < 5
frame = sq.to_pandas()
assert list(frame.columns)[:4] == ["q", "S(xray)", "se_S(xray)", "S(O:O)"] and frame.attrs["comments"] == sq.comments
assert (frame["S(O:O)"] == sq["S(O:O)"]).all() and len(frame) == 401
axes = sq.plot()
assert [line.get_label() for line in axes.lines] == ["S(xray)", "S(O:O)", "S(O:H)", "S(H:H)"]
assert len(axes.collections) == 4 and axes.get_xlabel() == "q / Å⁻¹"
result = read_histogram("el.rdfh").normalise(total="neutron", scatterer="H=D")
assert list(result.curves) == ["neutron", "O:O", "O:H", "H:H"] and result["neutron"].n is None
with open("gr.tsv", "rb") as file:
    table = read_table(file)
assert (table["g(neutron)"] == result["neutron"].g).all()
axes = result.plot()
assert len(axes.lines) == 4 and axes.get_ylabel() == "g(r)" and axes.get_xlabel() == "r / Å"
assert (axes.lines[1].get_ydata() == result["O:O"].g).all()
axes.figure.savefig("figure.png")
raises(ValueError, lambda: result.g, "4 curves", "'O:H'")
raises(KeyError, lambda: result["X"], "neutron")
raises(StreamError, lambda: read_table(io.BytesIO(b"# r\tg\n1\t2\n3")), "truncated")
error = raises(StreamError, lambda: read_table(io.BytesIO(b"# r\tg\n1\t2\n3\n")), "row at byte 10 has 1 fields")
assert error.byte == 10
EOF
    head -c 4 "$T/figure.png" | has PNG
}

@test "failures: the message of the tool that failed first is raised" {
    head -c 200000 "$WATER/water.dcd" >"$T/cut.dcd"
    (trjcat "$T/cut.dcd" >"$T/failed.trjf" && false) 2>"$T/err" || :
    (rdfhist "$T/failed.trjf" >"$T/failed.rdfh" && false) 2>"$T/err" || :
    rdfnorm "$T/failed.rdfh" 2>"$T/err" | cat >"$T/failed.tsv" || :
    cp "$WATER/water.dcd" "$T"
    python numpy -- <<'EOF'
import warnings
for call, tool, status, *texts in (
        (lambda: rdf("cut.dcd"), "trjcat", 3, "cut.dcd: frame 16: byte 200000: truncated"),
        (lambda: rdf("missing.dcd"), "trjcat", 1, "trjcat: missing.dcd: No such file"),
        (lambda: rdf("water.dcd", groups={"A": "index"}), "trjcat", 2, "group A: selection"),
        (lambda: rdf("water.dcd", pairs=["X:Y"]), "rdfhist", 2, "--pair: no group 'X'"),
        (lambda: rdf("water.dcd", rmax=5, bins=5, frames=":2", norm="foo"), "rdfnorm", 2, "--norm: 'foo' is not"),
        (lambda: rdf(["water.dcd", "cut.dcd"], rmax=5), "trjcat", 3, "cut.dcd: frame 16"),
        (lambda: open_frames("failed.trjf").read(), "trjcat", 3, "cut.dcd: frame 16: byte 200000"),
        (lambda: read_histogram("failed.rdfh"), "rdfhist", 3, "cut.dcd: frame 16: byte 200000"),
        (lambda: rdf("water.dcd", frames="500:"), "trjcat", 3, "none of the 128 frames")):
    error = raises(ToolError, call, *texts)
    assert (error.tool, error.status) == (tool, status), (error, error.status)
raises(TrjpipeError, lambda: open_frames("cut.dcd").read(), "cut.dcd: frame 16: byte 200000: truncated")
raises(TrjpipeError, lambda: read_table("failed.tsv"), "cut.dcd: frame 16: byte 200000")
raises(FileNotFoundError, lambda: open_frames("missing"))
raises(ValueError, lambda: read_histogram())
# Notes are warnings.
with warnings.catch_warnings(record=True) as notes:
    warnings.simplefilter("always")
    rdf("water.dcd", top=water + "/water.pdb", groups={"W": "com(water)"}, rmax=5, bins=5, frames=":9")
assert len(notes) == 1 and str(notes[0].message).startswith("trjcat: ") and ": note: " in str(notes[0].message), notes
assert notes[0].category is TrjpipeWarning and notes[0].filename.endswith("program.py")
os.environ["PATH"] = "/nowhere"
raises(ToolError, lambda: rdf("water.dcd"), "trjcat: not found in PATH; ")
assert open_frames.__doc__ and rdf.__doc__
EOF
}

@test "interrupt, killed tools and failing callbacks: all processes end" {
    need mkfifo
    mkfifo "$T/fifo.xyz"
    python numpy -- <<'EOF'
import signal, subprocess, threading, time
children = []
class Popen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        children.append(self)
trjpipe.subprocess.Popen = Popen
writer = os.open("fifo.xyz", os.O_RDWR)  # trjcat waits for data
def later(function):
    def run():
        while len(children) < 2:
            time.sleep(0.01)
        time.sleep(0.2)
        function()
    children.clear()
    threading.Thread(target=run).start()
def ended():
    return len(children) == 2 and all(child.poll() is not None for child in children)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in commands in the background
later(lambda: os.kill(os.getpid(), signal.SIGINT))
raises(KeyboardInterrupt, lambda: rdf("fifo.xyz", rmax=5))
assert ended()
later(lambda: children[0].kill())
error = raises(ToolError, lambda: rdf("fifo.xyz", rmax=5), "trjcat: ended by signal 9 (Killed)")
assert ended() and error.status == -9
children.clear()
def fail(done, total):
    raise ZeroDivisionError
raises(ZeroDivisionError, lambda: rdf(water + "/water.dcd", rmax=5, progress=fail))
assert ended()
children.clear()
trjpipe._load_libtrjpipe = lambda: None
with open_frames(water + "/water.dcd") as stream:
    next(stream)
assert children[0].poll() is not None
EOF
}

@test "progress: a line on standard error, which is removed at the end" {
    python numpy -- 2>"$T/err" <<'EOF'
rdf(water + "/water.dcd", rmax=5, bins=5, progress=True)
print(file=sys.stderr)
rdf(water + "/water.dcd", rmax=5, bins=5)
EOF
    tr '\r' '\n' <"$T/err" | has -E '^128 of 128 frames *$'
    # Without a terminal, nothing is printed unless it is requested.
    [[ $(tail -c 4 "$T/err") == *$' \r' && $(wc -l <"$T/err") == 1 ]]
}

@test "progress: shown in notebooks without IPython, and not shown where it is not requested" {
    python numpy -- 2>"$T/err" <<'EOF'
sys.modules["ipykernel"] = sys  # as in the process of a notebook
rdf(water + "/water.dcd", rmax=5, bins=5)
print(file=sys.stderr)
rdf(water + "/water.dcd", rmax=5, bins=5, progress=False)
EOF
    head -n 1 "$T/err" | tr '\r' '\n' | has -E '^128 of 128 frames *$'
    [[ $(wc -l <"$T/err") == 1 && $(tail -c 1 "$T/err") == '' ]]
}

@test "without hash and decompression libraries: a warning and an error" {
    trjcat -f :2 "$WATER/water.dcd" >"$T/water.trjf"
    trjcat "$WATER/water.dcd" | rdfhist -r 5 -b 100 -o "$T/water.rdfh" 2>"$T/err"
    python numpy -- <<'EOF'
import warnings
trjpipe._hash = trjpipe._unzstd = None
with warnings.catch_warnings(record=True) as notes:
    warnings.simplefilter("always")
    stream = open_frames("water.trjf")
    assert not stream.verified and stream.read().positions.shape == (2, 1029, 3)
    raises(StreamError, lambda: read_histogram("water.rdfh"), "(RECO) at byte ", "compressed", "zstandard", "libzstd")
assert [note.category for note in notes] == [TrjpipeWarning] * 2 and "are not verified" in str(notes[0].message)
EOF
}

@test "pip install: the module is installed without network, and has the version of the tools" {
    need_python_module numpy pip setuptools wheel
    cp -r "$MODULE" "$T/source"
    /usr/bin/python3 -m pip install --quiet --no-index --no-build-isolation --no-deps --target "$T/target" "$T/source" \
        >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
    cmp "$MODULE/trjpipe.py" "$T/target/trjpipe.py"
    (cd / && PYTHONPATH=$T/target /usr/bin/python3 -c 'import trjpipe; print(trjpipe.__version__, trjpipe.__file__)') |
        has -x "$TRJPIPE_VERSION $T/target/trjpipe.py"
    [[ -d $T/target/trjpipe-$TRJPIPE_VERSION.dist-info ]]
}

@test "README of examples/python: its programs and commands run verbatim" {
    need_python_module numpy pandas matplotlib
    mkdir "$T/examples"
    cp -r examples/water "$MODULE" "$T/examples"
    cd "$T/examples/python" || return 1
    awk '/^```/ { on = $0 == "```python"; next } on' README.md >"$T/program.py"
    awk '/^```/ { on = $0 == "```sh"; next } on' README.md >"$T/commands"
    [[ $(wc -l <"$T/program.py") -gt 30 && $(wc -l <"$T/commands") == 2 ]]
    mkdir "$T/bin"
    ln -s /usr/bin/python3 "$T/bin/python3"
    export "PATH=$T/bin:$PATH" MPLBACKEND=agg LC_ALL=C.UTF-8 PYTHONPATH=$PWD
    python3 -W error "$T/program.py" >"$T/out" 2>"$T/err" || { cat "$T/out" "$T/err"; return 1; }
    cat "$T/out"
    grep -qx 'g = 3.03 ± 0.02 at 2.75 Å' "$T/out"
    grep -qx 'trjcat: missing.xtc: No such file or directory' "$T/out"
    grep -qx '4.56 neighbours within 3.36 Å' "$T/out"
    grep -q '^128 frames; the centre moved to ' "$T/out"
    grep -qx 'atom 4 is HW1 of residue 2, element 1' "$T/out"
    [[ $(grep -c '^32 frames, 10976 atoms, density ' "$T/out") == 4 ]]
    [[ -s gr.png && -s sq.png ]]
    bash -e -o pipefail "$T/commands" >"$T/volume"
    between 10680 "$(cat "$T/volume")" 10681
}
