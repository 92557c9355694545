#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Moves the blocks of frames of a frame stream apart.

spread_blocks.py FROM TO GAP
    Leaves a hole of GAP bytes before each block of frames but the first, which shows readers the end of the header. TO
    is then a very large file that takes little space. Only a reader that uses the index can read its frames.
"""
import struct
import sys

from block_reader import xxh3


def block(kind, flags, payload, number):
    head = struct.pack("<4sIQQQ", kind, flags, len(payload), len(payload), xxh3(payload, 0))
    return head + struct.pack("<Q", xxh3(head, number)) + payload


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    gap, number, shift, at, moved, frames_began = int(sys.argv[3]), 0, 0, 24, {}, False
    with open(sys.argv[2], "wb") as out:
        out.write(data[:24])
        while at < len(data):
            kind, flags, stored = struct.unpack_from("<4sIQ", data, at)
            whole = data[at : at + 40 + stored]
            shift += gap if kind[:2] == b"FR" and frames_began else 0
            frames_began = frames_began or kind[:2] == b"FR"
            if kind == b"INDX":
                assert flags == 0
                index_at = at + shift
                words = list(struct.unpack_from(f"<{stored // 8}Q", whole, 40))
                frames = 1 + 3 * words[0]
                for i in [*range(3, frames, 3), *range(frames + 3, len(words), 3)]:
                    words[i] = moved[words[i]]
                whole = block(kind, flags, struct.pack(f"<{len(words)}Q", *words), number)
            if kind == b"END!":
                totals = struct.unpack_from("<QQQ", whole, 40)
                whole = block(kind, flags, struct.pack("<QQQQ", *totals, index_at), number)
            moved[at] = at + shift
            out.seek(at + shift)
            out.write(whole)
            at += 40 + stored
            number += 1


main()
