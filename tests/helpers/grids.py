# SPDX-License-Identifier: MIT
"""Computes with maps in numpy, for comparison with mapsum and mapmath. The maps are those of mkgrid, or files that
mapmath or mapsum has written as .npy."""
import sys

import numpy

SHAPE = (5, 4, 3)


def value(frame, point):
    """The integer h of mkgrid."""
    return ((frame * 40503 + point * point * 31 + point * 2654435761) % 2**64) % 4294967291 % 1000


def record(kind, first, frames, weight):
    """Returns the sum over frames of weight times value, as mkgrid writes it."""
    total = numpy.zeros(SHAPE)
    for frame in range(first, first + frames):
        for point in range(total.size):
            at = (point % 5, point // 5 % 4, point // 20)
            h = value(frame, point)
            total[at] += h if kind == "counts" else int(weight * 1024 * (h - 500)) / 1024
    return total


def records(kind, *streams):
    """Returns sums and weights of the records of streams, each FIRST:RECORD:RECORD... as for mkgrid."""
    result = []
    for stream in streams:
        first, *parts = stream.split(":")
        first = int(first)
        for part in parts:
            frames, _, weight = part.partition("x")
            weight = float(weight or 1)
            result.append((record(kind, first, int(frames), weight), int(frames) * weight))
            first += int(frames)
    return result


def expected_sum(what, kind, block, streams):
    every = records(kind, *streams)
    blocks = [
        (sum(r[0] for r in every[i:i + block]), sum(r[1] for r in every[i:i + block]))
        for i in range(0, len(every), block)
    ]
    total, weight = sum(b[0] for b in blocks), sum(b[1] for b in blocks)
    if what == "sum":
        return total
    if what == "mean":
        return total / weight
    share = numpy.array([b[1] / weight for b in blocks])
    deviations = sum(w**2 * (b[0] / b[1] - total / weight)**2 for w, b in zip(share, blocks))
    return numpy.sqrt(deviations / (1 - sum(share**2)))


def main():
    # grids.py sum WHAT KIND BLOCK FILE.npy STREAM...: compares a file of mapsum with the records
    what, kind, block, path, *streams = sys.argv[1:]
    expected = expected_sum(what, kind, int(block), streams)
    found = numpy.load(path).astype(float)
    if kind == "quanta" and what == "sum":
        found /= 1024
    assert found.shape == SHAPE, found.shape
    worst = abs(found - expected).max()
    assert worst <= 1e-9 * (1 + abs(expected).max()), (worst, found, expected)
    assert abs(expected).max() > 0


if __name__ == "__main__":
    main()
