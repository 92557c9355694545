#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads frame streams, independently of the library, from what schemas/*.md states.

decode_frames.py [--blocks] FILE
    Prints the stream as trjdump does. --blocks also prints the blocks that trjdump does not show.
"""
import struct
import sys

from block_reader import Cursor, read_blocks
from chunk_reader import read_chunk


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


SMALL_SIZES = [int(s) for s in """
8 10 12 16 20 25 32 40 50 64 80 101
128 161 203 256 322 406 512 645 812 1024 1290 1625
2048 2580 3250 4096 5060 6501 8192 10321 13003 16384 20642 26007
32768 41285 52015 65536 82570 104031 131072 165140 208063 262144 330280 416127
524287 660561 832255 1048576 1321122 1664510 2097152 2642245 3329021 4194304 5284491 6658042
8388607 10568983 13316085 16777216
""".split()]


class Bits:
    def __init__(self, data):
        self.data, self.left, self.at = data, 8 * len(data), 0

    def take(self, n):
        assert n <= self.left
        self.left -= n
        self.at += n
        last = (self.at + 7) // 8
        number = int.from_bytes(self.data[(self.at - n) // 8 : last], "big")
        return number >> 8 * last - self.at & ((1 << n) - 1)

    def digits(self, sizes, n):
        """Three digits that are one number of n bits, in groups of eight, the lowest group first."""
        number = 0
        for shift in range(0, n, 8):
            number |= self.take(min(8, n - shift)) << shift
        number, d2 = divmod(number, sizes[2])
        d0, d1 = divmod(number, sizes[1])
        assert d0 < sizes[0]
        return d0, d1, d2

    def whole(self, sizes):
        if max(s.bit_length() for s in sizes) > 24:
            return tuple(self.take(s.bit_length()) for s in sizes)
        return self.digits(sizes, (sizes[0] * sizes[1] * sizes[2]).bit_length())


def packed_integers(atoms, low, high, b, data):
    bits, found, follow = Bits(data), [], 0
    sizes = [h - l + 1 for l, h in zip(low, high)]
    while len(found) < atoms:
        whole = [d + l for d, l in zip(bits.whole(sizes), low)]
        change = 0
        if bits.take(1):
            c = bits.take(5)
            follow, change = c // 3, c % 3 - 1
        small, previous = [], whole
        for _ in range(follow):
            s = SMALL_SIZES[b - 9]
            previous = [p + d - s // 2 for p, d in zip(previous, bits.digits([s] * 3, b))]
            small.append(previous)
        found += [small[0], whole] + small[1:] if small else [whole]
        b += change
        assert 9 <= b <= 73
    assert len(found) == atoms and bits.left < 8
    assert all(l <= x <= h for atom in found for l, x, h in zip(low, atom, high))
    return found


class Stream:
    def __init__(self):
        self.sources, self.provenance, self.dynamic, self.centres, self.numbers = [], [], [], 0, None
        self.frames, self.lines, self.places = 0, [], []
        self.varying, self.velocities, self.images = [], [], []
        self.ended = self.printed = False

    def add_line(self, *words):
        self.lines.append(" ".join(str(w) for w in words))

    def head(self, c):
        self.atoms, self.source_atoms = c.take("QQ")

    def groups(self, c):
        self.group = []
        for _ in range(c.one("I")):
            name, count = c.text(), c.one("Q")
            self.group.append((name, c.take(f"{count}I")))

    def changing(self, c):
        self.dynamic = c.take(f"{c.one('I')}I")

    def print_head(self):
        self.add_line("atoms", self.atoms, "of", self.source_atoms)
        if self.centres:
            self.add_line("centres", self.centres)
        for i, (name, atoms) in enumerate(self.group):
            self.add_line(f"group {name}{' changes' if i in self.dynamic else ''}", *atoms)
        for line in self.provenance:
            self.add_line("provenance", line)
        self.printed = True

    def print_frame(self, header, xyz, members):
        source, periodic, index, step, time, unit = header[:6]
        cell = " ".join("%.17g" % v for v in header[6:])
        self.add_line(f"frame {index} of {self.sources[source]} step {step} time {time:.17g} unit {unit:g} "
                 f"periodic {periodic} cell {cell}")
        for atom in zip(*xyz):
            self.add_line(*("%08x" % bits for bits in atom))
        if 0 in self.varying:
            velocity_unit, velocities = self.velocities.pop(0)
            self.add_line(f"velocities unit {velocity_unit:.17g}")
            for atom in zip(*velocities):
                self.add_line(*("%08x" % bits for bits in atom))
        if 1 in self.varying:
            self.add_line("images")
            for atom in zip(*self.images.pop(0)):
                self.add_line(*atom)
        at = 0
        for i in self.dynamic:
            name, atoms = self.group[i]
            word = members[at : at + (len(atoms) + 31) // 32]
            at += len(word)
            self.add_line(f"in {name}", *(a for k, a in enumerate(atoms) if word[k // 32] >> k % 32 & 1))
        self.frames += 1

    def words(self):
        return sum((len(self.group[i][1]) + 31) // 32 for i in self.dynamic)

    def raw_frames(self, c):
        for _ in range(c.take("II")[0]):
            header = c.take("IIQqdd9d")
            xyz = [c.take(f"{self.atoms}I") for _ in range(3)]
            self.print_frame(header, xyz, c.take(f"{self.words()}I"))

    def packed_frames(self, c):
        assert not self.dynamic and not self.centres
        pick = self.numbers if self.numbers is not None else range(self.atoms)
        for _ in range(c.take("II")[0]):
            header = c.take("IIQqdd9d")
            precision, low, high = c.one("f"), c.take("3i"), c.take("3i")
            b, _, size = c.take("iQQ")
            atoms = packed_integers(self.source_atoms, low, high, b, c.bytes(size))
            scale = f32(1 / precision)
            xyz = [[struct.unpack("<I", struct.pack("<f", f32(f32(atoms[i][k]) * scale)))[0] for i in pick]
                   for k in range(3)]
            self.print_frame(header, xyz, ())

    def compressed_frames(self, c):
        count = c.take("II")[0]
        headers = [c.take("IIQqdd9d") for _ in range(count)]
        members = [c.take(f"{self.words()}I") for _ in range(count)]
        for header, xyz, member in zip(headers, read_chunk(c, count, self.atoms), members):
            self.print_frame(header, xyz, member)

    def layout(self, kind, c):
        if kind in ("RESI", "MOLE"):
            self.add_line(kind, *c.take(f"{self.atoms}I"))
        if kind == "ELEM":
            self.add_line(kind, f"'{c.text()}'", *c.take(f"{self.atoms}I"))
        if kind == "SITE":
            absent, count = c.take("QQ")
            self.add_line(kind, absent, *c.take(f"{count}I"))
        if kind == "ATOM":
            self.numbers = c.take(f"{self.atoms - self.centres}I")
            self.add_line(kind, *self.numbers)
        if kind == "BOND":
            between, count = c.take("QQ")
            self.add_line(kind, between, *("%d-%d" % c.take("II") for _ in range(count)))
        if kind == "PREC":
            self.add_line(kind, c.one("d"))
        if kind == "SEGM":
            self.add_line(kind, *c.take("QQQQ"))
        if kind == "MOVE":
            for _ in range(c.one("I")):
                step, atoms = c.one("I"), c.one("Q")
                self.add_line(kind, step, atoms, repr(c.text()), repr(c.text()), *c.take("QQ"))
        if kind == "PROP":
            self.property(c)
        if kind == "VARY":
            for _ in range(c.one("I")):
                self.varying.append(c.one("I"))
                self.add_line(kind, self.varying[-1], repr(c.text()), repr(c.text()))

    def motion(self, kind, c):
        """The velocities and image flags of the next block of frames."""
        count = c.take("II")[0]
        if kind == "IMAG":
            assert not self.images
            self.images = [[c.take(f"{self.atoms}i") for _ in range(3)] for _ in range(count)]
            return
        assert not self.velocities and not self.images
        if kind == "VELO":
            self.velocities = [(c.one("d"), [c.take(f"{self.atoms}I") for _ in range(3)]) for _ in range(count)]
        else:
            units = c.take(f"{count}d")
            self.velocities = list(zip(units, read_chunk(c, count, self.atoms)))

    def property(self, c):
        kind, flags = c.take("II")
        name, unit, origin = c.text(), c.text(), c.text()
        assert flags == 0 and kind in (1, 2, 3)
        if kind == 3:
            texts = [c.text() for _ in range(c.one("I"))]
            assert texts[0] == "" and len(set(texts)) == len(texts)
            values = [f"'{texts[i]}'" for i in c.take(f"{self.atoms}I")]
        else:
            values = c.take(f"{self.atoms}{'dq'[kind - 1]}")
        self.add_line("PROP", name, f"'{unit}'", f"'{origin}'", *values)

    def index(self, c):
        blocks = []
        for kind in ("sources", "frames", "motions")[: 3 if self.varying else 2]:
            for i in range(c.one("Q")):
                first, number, offset = c.take("QQQ")
                assert self.places[number] == (kind == "sources", offset, None if kind == "sources" else first)
                if kind == "frames":
                    blocks.append(number)
                if kind == "motions":
                    assert number == blocks[i] - len(self.varying)

    def read(self, number, offset, kind, payload):
        c = Cursor(payload)
        assert not self.ended
        if kind in ("FRAM", "FRMX", "FRMZ") and not self.printed:
            self.print_head()
        self.places.append((kind == "SRCE", offset, None if kind == "SRCE" else self.frames))
        if kind == "HEAD":
            self.head(c)
        elif kind == "PROV":
            self.provenance += [c.text() for _ in range(c.one("I"))]
        elif kind == "GRPS":
            self.groups(c)
        elif kind == "CHNG":
            self.changing(c)
        elif kind == "OPEN":
            assert len(self.dynamic) == len(self.group)
            self.add_line("OPEN", c.one("I"))
        elif kind == "CENT":
            self.centres = c.one("Q")
        elif kind == "SRCE":
            self.sources.append(c.text())
        elif kind == "FRAM":
            self.raw_frames(c)
        elif kind == "FRMX":
            self.packed_frames(c)
        elif kind == "FRMZ":
            self.compressed_frames(c)
        elif kind in ("VELO", "VELZ", "IMAG"):
            self.motion(kind, c)
        elif kind == "INDX":
            self.index(c)
        elif kind == "FAIL":
            tool, status, _, message = c.text(), c.one("I"), c.one("q"), c.text()
            self.add_line("FAIL", tool, status, message)
            self.ended = True
        elif kind == "END!":
            assert c.take("QQ") == (self.frames, number)
            self.ended = True
        else:
            self.layout(kind, c)


def main():
    blocks = sys.argv[1] == "--blocks"
    with open(sys.argv[-1], "rb") as file:
        data = file.read()
    stream = Stream()
    for block in read_blocks(data, b"\x89TRJ\r\n\x1a\n"):
        stream.read(*block)
    assert stream.ended
    extra = ("RESI", "MOLE", "ELEM", "SITE", "ATOM", "BOND", "PREC", "PROP", "MOVE", "OPEN", "FAIL", "VARY", "SEGM")
    for line in stream.lines:
        if blocks or not line.startswith(extra):
            print(line)


main()
