#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Decodes series of integers and float32 coordinates, as schemas/compressed_frames.md defines them.

`decode_floats.py PACKFLOATS` compresses numbers of several kinds with the helper packfloats and compares all bits.
"""
import random
import struct
import subprocess
import sys

SYMBOLS, CONTEXTS = 240, 32


class Bits:
    """Bits of bytes, the lowest first, from the given position."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def read(self, n):
        first = self.at >> 3
        value = int.from_bytes(self.data[first:first + 10], "little") >> (self.at & 7)
        self.at += n
        return value & ((1 << n) - 1)


def log2(value):
    return value.bit_length() - 1


def read_model(bits, table_bits):
    left, frequencies = 1 << table_bits, []
    while left:
        length = bits.read(4)
        if length == 15 and not frequencies:
            return [left] + [0] * (SYMBOLS - 1)
        if length == 14:
            frequencies += [0] * (2 + bits.read(5))
            continue
        frequency = 1 << (length - 1) | bits.read(length - 1) if length else 0
        left -= frequency
        frequencies.append(frequency)
        if length == 15 or left < 0 or len(frequencies) > SYMBOLS:
            raise ValueError("invalid model")
    return frequencies + [0] * (SYMBOLS - len(frequencies))


def make_table(frequencies, table_bits):
    """Returns the symbol, the fresh bits and the base of each row."""
    rows = 1 << table_bits
    step = 5 * (rows - 1) // 8 | 1
    symbols, row = [0] * rows, 0
    for symbol, frequency in enumerate(frequencies):
        for _ in range(frequency):
            symbols[row] = symbol
            row = (row + step) % rows
    counters, table = list(frequencies), []
    for symbol in symbols:
        fresh = table_bits - log2(counters[symbol])
        table.append((symbol, fresh, (counters[symbol] << fresh) - rows))
        counters[symbol] += 1
    return table


def decode_series(data, at, count, contexts, context_of):
    """Returns the values and the position after the series. Value i has the context context_of[i % len(context_of)]."""
    table_bits = data[at]
    bits = Bits(data, 8 * (at + 1))
    tables = [make_table(read_model(bits, table_bits), table_bits) for _ in range(contexts)]
    at = (bits.at + 7) // 8
    size, = struct.unpack_from("<Q", data, at)
    bits = Bits(data[at + 8:at + 8 + size])
    while not bits.read(1):
        pass
    states, values = [bits.read(table_bits) for _ in range(3)], []
    for i in range(count):
        symbol, fresh, base = tables[context_of[i % len(context_of)]][states[i % 3]]
        states[i % 3] = base + bits.read(fresh)
        low = 0 if symbol < 16 else symbol // 8 - 1
        values.append((symbol if symbol < 16 else 8 + symbol % 8 << low) + bits.read(low))
    if any(states) or bits.at != 8 * (size - 8):
        raise ValueError("the values do not end where their bytes do")
    return values, at + 8 + size


def unzstd(data):
    return subprocess.run(["zstd", "-d", "-c"], input=data, capture_output=True, check=True).stdout


def wrap(value):
    return (value + 2**31) % 2**32 - 2**31


def number_of(k, exponent, bits):
    if k == 0:
        return 0
    high = log2(abs(k))
    low = 23 - high
    return (k < 0) << 31 | exponent - low << 23 | (abs(k) - (1 << high)) << low | bits.read(low)


def decode_floats(data, frames, atoms):
    """Returns the 32 bits of each number: x, y, z of each atom, frame by frame."""
    exponent, order, exceptions = struct.unpack_from("<IIQ", data)
    at = 16 + 8 * exceptions
    listed = list(struct.iter_unpack("<II", data[16:at]))
    size, = struct.unpack_from("<Q", data, at)
    plan = unzstd(data[at + 8:at + 8 + size])
    at += 8 + size
    size, = struct.unpack_from("<Q", data, at)
    low = Bits(data[at + 8:at + 8 + size])
    at += 8 + size
    context_of = [plan[atoms + i // 3] for i in range(3 * atoms)]
    values, at = decode_series(data, at, 3 * atoms, CONTEXTS, context_of)
    if frames > 1:
        others, at = decode_series(data, at, 3 * atoms * (frames - 1), CONTEXTS, context_of)
        values += others
    numbers, done = [], []
    for f in range(frames):
        k, time = [], None
        if f and order:
            time = done[-1] if order == 1 or f == 1 else [wrap(2 * a - b) for a, b in zip(done[-1], done[-2])]
        for i in range(3 * atoms):
            value, how = values[f * 3 * atoms + i], plan[i // 3]
            residual = -(value + 1) // 2 if value % 2 else value // 2
            near, by_time, reference = how >> 6 & 1, how >> 7, i - 3 * (how & 63)
            if time is None:
                predicted = k[reference] if reference < i else 0
            else:
                predicted = (k[reference] if near else 0) + (time[i] if by_time else 0)
                predicted -= time[reference] if near and by_time else 0
            k.append(wrap(predicted + residual))
        numbers += [number_of(v, exponent, low) for v in k]
        done.append(k)
    if size != low.at // 8 + 9 or at != len(data):
        raise ValueError("invalid size")
    place = 0
    for distance, bits in listed:
        place += distance
        numbers[place] = bits
    return numbers


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
            if decode_floats(packed, frames, atoms) != bits:
                sys.exit(f"decode_floats: kind {kind}, {frames} frames of {atoms} atoms: bits differ")


if __name__ == "__main__":
    main()
