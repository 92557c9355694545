#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a grid stream, independently of the library, from what schemas/*.md states.

decode_grids.py FILE
    Prints each field of each block. The weight is a hexadecimal number in units of 2^-256, and a line of values has
    those of one point.
"""
import struct
import sys

from block_reader import Cursor, read_blocks

CODES = "fdqQ"


class Stream:
    def __init__(self):
        self.records = self.frames = self.slabs = 0
        self.planes = 0  # of the current record that are missing
        self.described = self.ended = False

    def head(self, c):
        self.points = c.take("QQQ")
        print("points", *self.points)
        print("origin", *c.take("ddd"))
        for _ in range(3):
            print("step", *c.take("ddd"))
        print("periodic", c.one("I"))
        print("quantity", c.text())
        print("unit", c.text())
        self.kind, meaning, self.components = c.take("III")
        print("values", self.kind, meaning, self.components, *c.take("dd"))

    def atoms(self, c):
        assert not self.planes and not self.described
        self.described = True
        for _ in range(c.one("Q")):
            print("atom", *c.take("idddd"))
        orbitals = c.one("Q")
        assert orbitals in (0, self.components)
        print("orbitals", *c.take(f"{orbitals}i"))

    def record(self, c):
        assert not self.planes
        frames, total = c.take("QI")
        print("record", frames, total, f"{int.from_bytes(c.bytes(64), 'little'):x}")
        for _ in range(c.one("Q")):
            print("run", *c.take("QQQQ"))
        self.records += 1
        self.frames += frames
        self.planes = self.points[2]
        self.described = False

    def slab(self, c):
        first, planes, layout = c.take("QQI")
        print("slab", first, planes, layout)
        assert first == self.points[2] - self.planes and planes <= self.planes
        self.planes -= planes
        self.slabs += 1
        count = self.points[0] * self.points[1] * planes * self.components
        size = struct.calcsize("<" + CODES[self.kind])
        data = c.bytes(size * count)
        if layout:
            data = bytes(data[k * count + i] for i in range(count) for k in range(size))
        values = struct.unpack(f"<{count}{CODES[self.kind]}", data)
        for i in range(0, count, self.components):
            print("point", *values[i : i + self.components])

    def read(self, kind, c):
        assert not self.ended
        if kind == "HEAD":
            self.head(c)
        elif kind == "ATOM":
            self.atoms(c)
        elif kind == "RECO":
            self.record(c)
        elif kind == "SLAB":
            self.slab(c)
        elif kind == "END!":
            assert not self.planes and not self.described
            self.ended = True
            assert c.take("QQQ") == (self.records, self.frames, self.slabs)
        else:
            assert kind in ("PROV", "SRCE"), kind
            return  # the container's
        assert c.at == len(c.data), kind


def main():
    stream = Stream()
    with open(sys.argv[1], "rb") as file:
        for _, _, kind, payload in read_blocks(file.read(), b"\x89GRD\r\n\x1a\n"):
            print(kind)
            stream.read(kind, Cursor(payload))
    assert stream.ended


main()
