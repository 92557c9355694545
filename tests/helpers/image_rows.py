#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Prints the pixels of the PNG image (8 bits, RGB) in an SVG file, one a line: red, green and blue.
#     image_rows.py FILE.svg
import base64
import re
import struct
import sys
import zlib


def chunks(png):
    at = 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        yield kind, png[at + 8:at + 8 + size]
        at += size + 12


def predictor(kind, left, up, corner):
    if kind < 4:
        return (0, left, up, (left + up) // 2)[kind]
    return min((left, up, corner), key=lambda value: abs(left + up - corner - value))  # Paeth


with open(sys.argv[1], encoding="utf-8") as file:
    png = base64.b64decode(re.search("data:image/png;base64,([^'\"]*)", file.read())[1])
width, height, bits, colours = struct.unpack(">IIBB", dict(chunks(png))[b"IHDR"][:10])
assert (bits, colours) == (8, 2)
data = zlib.decompress(b"".join(content for kind, content in chunks(png) if kind == b"IDAT"))
above = bytearray(3 * width)
for row in range(height):
    start = row * (3 * width + 1)
    line = bytearray(data[start + 1:start + 1 + 3 * width])
    if data[start]:
        for i in range(3 * width):
            left, corner = (line[i - 3], above[i - 3]) if i > 2 else (0, 0)
            line[i] = (line[i] + predictor(data[start], left, above[i], corner)) % 256
    for i in range(0, 3 * width, 3):
        print(*line[i:i + 3])
    above = line
