#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes with velocities of frame streams, which decode_frames.py has printed.

motion.py velocities [FRAME] < TEXT: prints the velocities of all frames, or of one, in Å/ps
motion.py kinetic < TEXT: prints time (ps) and kinetic energy (kJ/mol) of each frame, with the masses of --blocks
motion.py rotated TEXT TEXT: fails unless the second frames are rotated, with their velocities, against the first
motion.py subset TEXT TEXT: fails unless all frames of the second text are frames of the first, and some are missing
motion.py continuous TEXT TEXT [moved]: fails unless positions without periodic boundaries, x + image flags, are those
    of the second text, or with `moved` differ by the same vector for all atoms of a frame
motion.py place FILE TYPE N: prints the position of the payload of block number N of a type, from 0
"""
import math
import struct
import sys


def floats(line):
    return [struct.unpack("<f", struct.pack("<I", int(word, 16)))[0] for word in line.split()]


def frames(lines):
    """Yields for each frame: its first line, coordinates in Å, and velocities in Å/ps, as rows of three numbers."""
    head, unit, to = None, 1, None
    for line in lines:
        words = line.split()
        if line.startswith("frame "):
            if head:
                yield head, x, v
            head, unit, x, v = line, float(words[words.index("unit") + 1]), [], []
            to = x
        elif line.startswith("velocities "):
            unit, to = float(words[2]), v
        elif line.startswith("images"):
            to = []
        elif head and len(words) == 3 and all(len(word) == 8 for word in words):
            to.append([unit * value for value in floats(line)])
    yield head, x, v


def continuous(lines):
    """Returns for each frame the positions in Å plus the cells that the image flags count."""
    result, x, flags = [], None, None
    for line in lines:
        words = line.split()
        if line.startswith("frame "):
            unit, at = float(words[words.index("unit") + 1]), words.index("cell") + 1
            cell = [float(word) for word in words[at : at + 9]]
            x, flags = [], None
            result.append((x, cell))
        elif line.startswith("velocities "):
            x = None
        elif line.startswith("images"):
            flags = iter(result[-1][0])
        elif flags is not None and len(words) == 3:
            row, n = next(flags), [int(word) for word in words]
            for k in range(3):
                row[k] += sum(n[i] * cell[3 * i + k] for i in range(3))
        elif result and x is not None and len(words) == 3:
            x.append([unit * value for value in floats(line)])
    return [x for x, _ in result]


def check_continuous(one, two, moved):
    one, two = continuous(one), continuous(two)
    assert len(one) == len(two)
    for a, b in zip(one, two):
        by = [a[0][k] - b[0][k] if moved else 0 for k in range(3)]
        for i, (p, q) in enumerate(zip(a, b)):
            assert all(abs(p[k] - q[k] - by[k]) < 1e-3 for k in range(3)), (i, p, q, by)


def print_velocities(lines, number=None):
    for i, (_, _, v) in enumerate(frames(lines)):
        if number is None or i == int(number):
            for row in v:
                print(*("%.9g" % value for value in row))


def print_kinetic(lines):
    mass = []
    for line in lines:
        if line.startswith("PROP mass "):
            mass = [float(word) for word in line.rsplit("'", 1)[1].split()]
    for head, _, v in frames(lines):
        words = head.split()
        # u (Å/ps)^2 is 0.01 kJ/mol
        energy = sum(m * sum(c * c for c in row) for m, row in zip(mass, v)) / 2 * 0.01
        print(words[words.index("time") + 1], energy, sep="\t")


def distance(a, b):
    return math.dist(a, b)


def check_rotated(one, two):
    """Rotations keep distances of positions, lengths of velocities, and the angle of both."""
    for (_, x, v), (_, y, w) in zip(frames(one), frames(two)):
        turned = 0
        for i in range(0, len(x) - 1, 3):
            d = [x[i + 1][k] - x[i][k] for k in range(3)]
            e = [y[i + 1][k] - y[i][k] for k in range(3)]
            assert math.isclose(math.hypot(*v[i]), math.hypot(*w[i]), rel_tol=1e-5)
            if math.hypot(*d) < 2:
                dot = sum(a * b for a, b in zip(d, v[i])), sum(a * b for a, b in zip(e, w[i]))
                assert abs(dot[0] - dot[1]) < 1e-3 * math.hypot(*v[i]), (i, dot)
            turned = max(turned, distance(v[i], w[i]))
    assert turned > 1e-3  # the last frame


def check_subset(all_lines, lines):
    known = {head.split(" of ")[0] + head.split(" step ")[1]: (x, v) for head, x, v in frames(all_lines)}
    count = 0
    for head, x, v in frames(lines):
        assert known[head.split(" of ")[0] + head.split(" step ")[1]] == (x, v) and v
        count += 1
    assert 0 < count < len(known)


def print_place(path, kind, number):
    data = open(path, "rb").read()
    at = 24
    while True:
        stored = struct.unpack_from("<Q", data, at + 8)[0]
        if data[at : at + 4] == kind.encode():
            if not int(number):
                print(at + 40)
                return
            number = int(number) - 1
        at += 40 + stored


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "velocities":
        print_velocities(sys.stdin, *arguments)
    elif what == "kinetic":
        print_kinetic(sys.stdin.readlines())
    elif what == "continuous":
        check_continuous(*(open(path).readlines() for path in arguments[:2]), len(arguments) > 2)
    elif what == "place":
        print_place(*arguments)
    else:
        texts = [open(path).readlines() for path in arguments]
        check_rotated(*texts) if what == "rotated" else check_subset(*texts)


main()
