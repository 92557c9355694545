#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compresses float32 coordinates of several kinds and compares all bits with those that the second decoder returns.

`compare_floats.py ENCODE_FLOATS`: the helper encode_floats compresses; chunk_reader.py decodes.
"""
import random
import struct
import subprocess
import sys

from block_reader import Cursor
from chunk_reader import read_floats


def make_numbers(kind, frames, atoms):
    dice = random.Random(kind)
    if kind == 0:
        return [dice.getrandbits(32) for _ in range(3 * frames * atoms)]
    x = [[dice.uniform(-10, 50) for _ in range(3 * atoms)] for _ in range(frames)]
    for f in range(frames):
        for i in range(3 * atoms):
            if i // 3 % 3:
                x[f][i] = x[f][i - 3] + dice.uniform(-1, 1)
            elif f:
                x[f][i] = x[f - 1][i] + (x[f - 1][i] - x[f - 2][i] if f > 1 and kind == 2 else 0) + dice.gauss(0, 0.01)
    bits = list(struct.unpack(f"<{3 * frames * atoms}I", struct.pack(f"<{3 * frames * atoms}f", *sum(x, []))))
    for i in range(0, len(bits), 97):
        bits[i] = dice.choice((0, 1 << 31, 0x7fc00001, 0x7f800000, 1, 0x00800000))
    return bits


def main():
    for kind in range(3):
        for frames, atoms in ((1, 1), (1, 500), (2, 100), (7, 150)):
            bits = make_numbers(kind, frames, atoms)
            packed = subprocess.run([sys.argv[1], str(frames), str(atoms)], input=struct.pack(f"<{len(bits)}I", *bits),
                                    capture_output=True, check=True).stdout
            c = Cursor(packed)
            if read_floats(c, frames, atoms) != bits or c.at != len(packed):
                sys.exit(f"compare_floats: kind {kind}, {frames} frames of {atoms} atoms: bits differ")


if __name__ == "__main__":
    main()
