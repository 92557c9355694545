#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a histogram stream, independently of the library, from what schemas/*.md states.

decode_histograms.py FILE
    Prints each field of each block. Exact sums are hexadecimal numbers in units of 2^-256.
"""
import sys

from block_reader import Cursor, read_blocks


class Stream:
    def __init__(self):
        self.excluded = self.dynamic = self.lag = self.ended = False
        self.density = False
        self.second = 1
        self.classes = self.cells = self.surface = self.shells = 0
        self.records = self.counted = self.frames = 0

    def setup(self, c):
        low, high, self.bins = c.take("ddQ")
        print("bins", low, high, self.bins)
        self.groups = c.one("I")
        for _ in range(self.groups):
            print("group", c.text(), c.one("Q"))
        self.pairs = c.one("I")
        for _ in range(self.pairs):
            print("pair", *c.take("IIQ"))

    def sums(self, c, name, count):
        for _ in range(count):
            print(name, f"{int.from_bytes(c.bytes(64), 'little'):x}")

    def rows(self, c, name):
        rows = [c.take(f"{self.bins * self.second}Q") for _ in range(self.pairs)]
        for row in rows:
            print(name, *row)
        return sum(map(sum, rows))

    def record(self, c):
        frames, volumes = c.take("QQ")
        print("record", frames, volumes)
        self.sums(c, "volume", 2)
        print("extremes", *c.take("dddd"))
        print("periodic", *c.take("II"))
        for _ in range(c.one("Q")):
            print("run", *c.take("QQQQ"))
        self.counted += self.rows(c, "counts")
        if self.excluded:
            self.rows(c, "excluded")
        if self.dynamic:
            print("members", *c.take(f"{self.groups}Q"))
            self.sums(c, "pairs", 4 * self.pairs)
        if self.dynamic and self.excluded:
            self.sums(c, "excluded pairs", 2 * self.pairs)
        if self.lag:
            print("step", c.one("d"), *c.take(f"{self.pairs}Q"))
            self.rows(c, "moved")
        if self.density:
            print("density frames", c.one("Q"))
            self.sums(c, "density", self.pairs)
        if self.classes:
            print("transitions", c.one("Q"))
            self.sums(c, "time", 1)
            for _ in range(self.pairs):
                print("neighbours", *c.take(f"{self.classes + 5}Q"))
        for _ in range(self.triplets if self.cells else 0):
            self.sums(c, "density", 1)
            print("triplets", *c.take(f"{self.cells}Q"))
        for _ in range(self.pairs if self.surface else 0):
            print("surface", *c.take(f"{2 + self.bins}Q"))
        for _ in range(self.pairs if self.surface else 0):
            print("points", *(int.from_bytes(c.bytes(16), "little", signed=True) for _ in range(self.bins)))
        if self.shells:
            print("vectors", *c.take(f"{self.shells}Q"))
            for name in ["lengths"] + ["products"] * self.pairs:
                print(name, *(int.from_bytes(c.bytes(16), "little", signed=True) for _ in range(self.shells)))
        self.records += 1
        self.frames += frames

    def composition(self, c):
        print("atoms", c.one("Q"), f"'{c.text()}'")
        for _ in range(self.groups):
            print("elements", *("%d*%d" % c.take("IQ") for _ in range(c.one("I"))))

    def read(self, kind, c):
        assert not self.ended
        if kind == "SETU":
            self.setup(c)
        elif kind == "CHNG":
            self.dynamic = True
            print("changes", *c.take(f"{self.groups}I"))
        elif kind == "EXCL":
            self.excluded = True
            print("exclusion", c.text(), *c.take(f"{self.pairs}Q"))
        elif kind == "LAGS":
            self.lag = True
            print("lag", *c.take("Qd"), *c.take(f"{self.pairs}Q"))
        elif kind == "METR":
            measure, axis, window, self.second = c.take("IIdQ")
            self.density = measure == 2 or (measure == 1 and self.second == 1)
            print("metric", measure, axis, window, self.second, *([c.text()] if measure == 4 else []))
        elif kind == "OWNI":
            print("own images", c.one("I"))
        elif kind == "NEIG":
            radius, self.classes = c.take("dQ")
            print("neighbours within", radius, self.classes)
        elif kind == "TRIP":
            angles, distances, self.triplets = c.take("III")
            self.cells = angles * distances
            print("bins of triplets", angles, distances)
            for _ in range(self.triplets):
                print("triplet", *c.take("IIIddddd"))
        elif kind == "SURF":
            self.surface, lattice = c.take("II")
            print("surfaces", self.surface, lattice)
        elif kind == "WAVE":
            qmin, qmax, shells, bits, single, interval = c.take("ddQIId")
            lags = c.take(f"{c.one('I')}Q")
            self.shells = shells * len(lags)
            print("waves", qmin, qmax, shells, bits, interval, "lags", *lags)
            for _ in range(shells * single):
                print("vector", *c.take("iii"))
        elif kind == "COMP":
            self.composition(c)
        elif kind == "SYST":
            print("system", *c.take("QQ"))
        elif kind == "PREC":
            print("precision", c.one("d"))
        elif kind == "OPEN":
            print("open", c.one("I"))
        elif kind == "SPAC":
            print("spacing", *c.take("6d"))
        elif kind == "TIME":
            print("times", *c.take("dd"))
        elif kind == "PROV":
            for _ in range(c.one("I")):
                print("provenance", c.text())
        elif kind == "SRCE":
            print("source", c.text(), f"{c.one('Q'):016x}")
        elif kind == "RECO":
            self.record(c)
        else:
            assert kind == "END!" and c.take("QQQ") == (self.records, self.frames, self.counted)
            self.ended = True
        assert c.at == len(c.data)


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    stream = Stream()
    for _, _, kind, payload in read_blocks(data, b"\x89RDH\r\n\x1a\n"):
        stream.read(kind, Cursor(payload))
    assert stream.ended


main()
