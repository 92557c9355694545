# SPDX-License-Identifier: MIT
"""Decodes chunks of coordinates, independently of the library, from what schemas/compressed_frames.md states."""
import struct
from math import floor, sqrt

from block_reader import Cursor, unpack_zstd

LIMIT = 1 << 32


class Bits:
    """Bits of each byte from the lowest one on."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        first, shift = divmod(self.at, 8)
        last = (self.at + n + 7) // 8
        assert last <= len(self.data)
        self.at += n
        return int.from_bytes(self.data[first:last], "little") >> shift & ((1 << n) - 1)


def signed(v):
    return v // 2 if v % 2 == 0 else -(v + 1) // 2


# ---- Entropy coder


def read_model(bits, table_bits):
    frequency, total = [], 0
    while total < 1 << table_bits:
        number = bits.take(4)
        if number == 14:
            frequency += [0] * (bits.take(5) + 2)
        elif number == 15:
            assert not frequency
            frequency, total = [1 << table_bits], 1 << table_bits
        elif number == 0:
            frequency.append(0)
        else:
            frequency.append(1 << (number - 1) | bits.take(number - 1))
            total += frequency[-1]
    assert total == 1 << table_bits and len(frequency) <= 240
    return frequency


def make_table(frequency, table_bits):
    """Returns the fresh bits, the base, the smallest value and the number of low bits of each row."""
    size = 1 << table_bits
    step = 5 * (size - 1) // 8
    step += step % 2 == 0
    symbol, row = [0] * size, 0
    for s, count in enumerate(frequency):
        for _ in range(count):
            symbol[row] = s
            row = (row + step) % size
    counter, table = list(frequency), []
    for s in symbol:
        x = counter[s]
        counter[s] += 1
        fresh = table_bits - (x.bit_length() - 1)
        low = 0 if s < 16 else s // 8 - 1
        table.append((fresh, (x << fresh) - size, s if s < 16 else (8 + s % 8) << low, low))
    return table


def read_series(c, contexts, context_of):
    """Returns the values; context_of lists the context of each."""
    table_bits = c.one("B")
    assert 8 <= table_bits <= 12
    bits = Bits(c.data, 8 * c.at)
    tables = [make_table(read_model(bits, table_bits), table_bits) for _ in range(contexts)]
    padding = -bits.at % 8
    assert bits.take(padding) == 0
    c.at = bits.at // 8
    data = c.bytes(c.one("Q"))
    assert len(data) >= 9 and data[-8:] == bytes(8)
    bits = Bits(data)
    while not bits.take(1):
        assert bits.at < 8
    state = [bits.take(table_bits) for _ in range(6)]
    values = []
    for i, context in enumerate(context_of):
        fresh, base, smallest, low = tables[context][state[i % 6]]
        state[i % 6] = base + bits.take(fresh)
        values.append(smallest + bits.take(low))
    assert state == [0] * 6 and bits.at == 8 * (len(data) - 8)
    return values


# ---- Float32 coordinates


def read_floats(c, frames, atoms):
    """Returns the bits of the numbers: frames of atoms of x, y, z."""
    exponent, order, exceptions = c.take("IIQ")
    listed = [c.take("II") for _ in range(exceptions)]
    plan = unpack_zstd(c.bytes(c.one("Q")), 2 * atoms)
    low = Bits(c.bytes(c.one("Q")))
    context = [plan[atoms + i] for i in range(atoms) for _ in range(3)]
    values = read_series(c, 32, context)
    if frames > 1:
        values += read_series(c, 32, context * (frames - 1))
    found, before = [], []
    for f in range(frames):
        k = []
        time = None
        if f and order:
            time = before[-1] if order == 1 or f == 1 else [2 * a - b for a, b in zip(before[-1], before[-2])]
        for i in range(3 * atoms):
            atom = plan[i // 3]
            d, use, later = atom & 63, atom & 64, atom & 128
            prediction = 0
            if time is None:
                prediction = k[i - 3 * d] if d else 0
            elif use and later:
                prediction = time[i] + k[i - 3 * d] - time[i - 3 * d]
            elif use:
                prediction = k[i - 3 * d]
            elif later:
                prediction = time[i]
            value = prediction + signed(values[3 * atoms * f + i]) & LIMIT - 1
            k.append(value - LIMIT if value >= LIMIT // 2 else value)
        before.append(k)
        for v in k:
            assert abs(v) < 1 << 24
            if v == 0:
                found.append(0)
                continue
            h = abs(v).bit_length() - 1
            fraction = ((abs(v) - (1 << h)) << (23 - h)) + low.take(23 - h)
            found.append((v < 0) << 31 | (exponent - (23 - h)) << 23 | fraction)
    assert len(low.data) == low.at // 8 + 9
    place = 0
    for distance, bits in listed:
        place += distance
        found[place] = bits
    return found


# ---- Lattice atoms


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def f32_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number(c):
    value = shift = 0
    while True:
        byte = c.one("B")
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value


def signed_number(c):
    return signed(number(c))


class Predictor:
    def __init__(self, c):
        self.time, self.mode = divmod(number(c), 8)
        self.distance = [number(c) for _ in range((0, 0, 1, 1, 2, 3)[self.mode])]
        self.number = [signed_number(c) for _ in range((0, 0, 0, 1, 2, 2)[self.mode])]


class Axis:
    def __init__(self, c):
        self.low, self.width = signed_number(c), number(c)
        self.half = self.width // 2

    def centred(self, x):
        if x < -self.half:
            return x + self.width
        return x - self.width if x > self.width - 1 - self.half else x

    def moved(self, k, by):
        k += by
        if k < self.low:
            k += self.width
        elif k >= self.low + self.width:
            k -= self.width
        assert self.low <= k < self.low + self.width
        return k


def sphere(p, r):
    v = p.number[0]
    q = r[2] // 6
    s = r[2] - 6 * q
    t = s // 2
    d = float(v) - float(r[0]) * r[0] - float(r[1]) * r[1]
    h = floor(sqrt(d) + 0.5) if d > 0 else 0
    e = [0, 0, 0]
    e[(t + 1) % 3], e[(t + 2) % 3] = r[0], r[1]
    e[t] = -(h + q) if s % 2 else h + q
    return e


def rounded(x):
    return floor(min(max(x, -float(1 << 27)), float(1 << 27)) + 0.5)


def circle(p, r, difference):
    v, w = (float(x) for x in p.number)
    t = min(range(3), key=lambda axis: abs(difference[axis]))
    d0, d1, d2 = (float(difference[(t + i) % 3]) for i in range(3))
    r0 = float(r[0])
    m = d1 * d1 + d2 * d2 or 1.0
    u = (w - r0 * d0) / m
    g = (v - r0 * r0) / m - u * u
    h = sqrt(g) if g > 0 else 0.0
    if r[2] % 2:
        h = -h
    e = [0, 0, 0]
    e[t] = r[0]
    e[(t + 1) % 3] = r[1] + rounded(u * d1 - h * d2)
    e[(t + 2) % 3] = r[2] // 2 + rounded(u * d2 + h * d1)
    return e


class Lattice:
    def __init__(self, c, frames, atoms):
        self.frames, self.atoms = frames, atoms
        self.kind, self.step, self.factor, self.divisor = c.take("Iffd")
        self.listed = [c.take("QI") for _ in range(c.one("I"))]
        contexts, size, stored = c.take("III")
        model = Cursor(unpack_zstd(c.bytes(stored), size))
        self.axes = [Axis(model) for _ in range(3)]
        self.part = number(model)
        assert 1 <= self.part <= frames
        self.runs = []
        for _ in range(number(model)):
            unit, count = number(model), number(model)
            self.runs.append((count, [Predictor(model) for _ in range(unit)]))
        assert sum(count * len(predictors) for count, predictors in self.runs) == atoms
        for _, predictors in self.runs:
            for p in predictors:
                # For each axis the contexts of the first frame and of the others.
                p.context = []
                for _ in range(3):
                    first = number(model)
                    p.context.append((first, number(model) if p.time else first))
        assert model.at == len(model.data)
        context_of = [p.context[axis][part[0] > 0]
                      for part, _, predictors, units in self.blocks()
                      for p in predictors for axis in range(3) for _ in range(len(part) * len(units))]
        self.residuals = [signed(v) for v in read_series(c, contexts, context_of)]

    def blocks(self):
        """Lists the blocks: frames, the first atom of the run, its predictors, units."""
        starts = [0, *range(1, self.frames, self.part), self.frames]
        for start, end in zip(starts, starts[1:]):
            first = 0
            for count, predictors in self.runs:
                most = max(1, 2048 // (len(predictors) * self.part))
                for unit in range(0, count, most):
                    yield range(start, end), first, predictors, range(unit, min(unit + most, count))
                first += count * len(predictors)

    def decode(self):
        """Returns the bits of the coordinates: for each frame x, y and z of all atoms."""
        self.k = [[[0] * self.atoms for _ in range(3)] for _ in range(self.frames)]
        before = {}
        at = 0
        for part, first, predictors, units in self.blocks():
            size = len(predictors)
            for j, p in enumerate(predictors):
                rows = []
                for i, axis in enumerate(self.axes):
                    for f in part:
                        row = self.residuals[at : at + len(units)]
                        at += len(row)
                        key = (first, units[0], j, i)
                        if p.time and f:
                            row = [axis.centred(r + old) for r, old in zip(row, before[key])]
                        before[key] = row
                        rows.append(row)
                for f in part:
                    lists = [rows[i * len(part) + f - part[0]] for i in range(3)]
                    for n, unit in enumerate(units):
                        r = [row[n] for row in lists]
                        self.place(self.k[f], first + unit * size + j, n, size, p, r)
        bits = [f32_bits(self.coordinate(v)) for frame in self.k for axis in frame for v in axis]
        for place, value in self.listed:
            bits[place] = value
        return bits

    def place(self, k, atom, unit_of_block, size, p, r):
        near = [atom - d for d in p.distance]
        if p.mode == 4:
            e = circle(p, r, [axis.centred(k[i][near[1]] - k[i][near[0]]) for i, axis in enumerate(self.axes)])
        elif p.mode == 3:
            e = sphere(p, r)
        for i, axis in enumerate(self.axes):
            column, middle = k[i], axis.low + axis.half
            if p.mode == 0:
                column[atom] = middle + r[i]
            elif p.mode == 1:
                column[atom] = axis.moved(column[atom - size] if unit_of_block else middle, r[i])
            elif p.mode == 2:
                column[atom] = axis.moved(column[near[0]], r[i])
            elif p.mode == 5:
                v, w = p.number
                a, b, c = (column[n] for n in near)
                prediction = (v * axis.centred(b - a) + w * axis.centred(c - a) + (1 << 15)) >> 16
                prediction = min(max(prediction, -axis.half), axis.width - 1 - axis.half)
                column[atom] = axis.moved(a, axis.centred(r[i] + prediction))
            else:
                column[atom] = axis.moved(column[near[0]], e[i])

    def coordinate(self, k):
        if self.kind == 1:
            return f32(f32(f32(k) * self.step) * self.factor)
        return float(k) / self.divisor


def read_chunk(c, frames, atoms):
    """Returns the bits of the coordinates: for each frame the lists of x, of y and of z."""
    on_lattice = c.one("I")
    assert on_lattice <= atoms
    found = [[[], [], []] for _ in range(frames)]
    if on_lattice:
        bits = Lattice(c, frames, on_lattice).decode()
        for f in range(frames):
            for i in range(3):
                found[f][i] += bits[(3 * f + i) * on_lattice : (3 * f + i + 1) * on_lattice]
    others = atoms - on_lattice
    if others:
        bits = read_floats(c, frames, others)
        for f in range(frames):
            for i in range(3):
                found[f][i] += bits[3 * others * f + i : 3 * others * (f + 1) : 3]
    assert c.at == len(c.data)
    return found
