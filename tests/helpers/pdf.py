#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Computes pair distribution functions as measured, with numpy, in float64, from coordinates and definitions.
#
#   pdf.py make KIND SEED > x.xyz
#       Prints C, O and H atoms at random places as extended XYZ. KIND is cubic, triclinic or cluster (without cell).
#   pdf.py fcc A N > x.xyz
#       Prints N x N x N cubic cells of a face-centred cubic crystal of Ni with the edge A.
#   pdf.py debye x.xyz RMAX BINS PROBE QMIN QMAX WINDOW QDAMP BROAD FORM END DR
#       Prints r and FORM(r), from the double sum over all pairs within RMAX (Debye), as the transform of S(q) between
#       QMIN and QMAX; r from 0 to END. BROAD is the increase of the width of peaks with r. Distances are rounded to the
#       middles of BINS bins, so that the bins may be wide.
#   pdf.py gaussians x.xyz RMAX BINS BROAD END DR
#       Prints r and G(r) as PDFgui does without an end in q: a sum of Gaussians in r.
import sys
import numpy as np

LENGTH = {'C': 6.6460, 'O': 5.803, 'H': -3.7390, 'Ni': 10.3}
# D. Waasmaier, A. Kirfel, Acta Cryst. A51, 416 (1995): a, b, c
FACTOR = {'C': ([2.657506, 1.078079, 1.490909, -4.241070, 0.713791], [14.780758, 0.776775, 42.086842, -0.000294,
                                                                      0.239535], 4.297983),
          'O': ([2.960427, 2.508818, 0.637853, 0.722838, 1.142756], [14.182259, 5.936858, 0.112726, 34.958481,
                                                                     0.390240], 0.027014),
          'H': ([0.413048, 0.294953, 0.187491, 0.080701, 0.023736], [15.569946, 32.398468, 5.711404, 61.889874,
                                                                     1.334118], 0.000049)}


def print_xyz(h, names, x):
    print(len(x))
    print('' if h is None else 'Lattice="%s" Properties=species:S:1:pos:R:3' % ' '.join('%.6f' % v for v in h.ravel()))
    for name, p in zip(names, x):
        print(name, *('%.6f' % v for v in p))


def make(kind, seed):
    rng = np.random.default_rng(seed)
    h = np.array([[9.5, 0, 0], [0, 11.25, 0], [0, 0, 10.125]])
    if kind == 'triclinic':
        h[1, 0], h[2, 0], h[2, 1] = 3.5, -2.25, 4.125
    names = ['C'] * 10 + ['O'] * 20 + ['H'] * 25
    print_xyz(None if kind == 'cluster' else h, names, rng.uniform(0, 1, (len(names), 3)) @ h)


def fcc(a, n):
    cells = np.array(np.meshgrid(*[np.arange(n)] * 3)).reshape(3, -1).T
    basis = np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    x = a * (cells[:, None] + basis[None]).reshape(-1, 3)
    print_xyz(np.eye(3) * a * n, ['Ni'] * len(x), x)


def read(path):
    lines = open(path).read().split('\n')
    n = int(lines[0])
    rows = [line.split() for line in lines[2:2 + n]]
    x = np.array([[np.float64(np.float32(v)) for v in row[1:4]] for row in rows])
    if 'Lattice' not in lines[1]:
        return None, [row[0] for row in rows], x
    return np.array(lines[1].split('"')[1].split(), float).reshape(3, 3), [row[0] for row in rows], x


def pairs(h, x, rmax):
    """Yields the distances of atom k and all others within rmax, with all images, and the indices of the others."""
    shifts = np.zeros((1, 3))
    if h is not None:
        reach = np.ceil(rmax * np.linalg.norm(np.linalg.inv(h), axis=0)).astype(int) + 1
        shifts = np.array(np.meshgrid(*[np.arange(-m, m + 1) for m in reach])).reshape(3, -1).T @ h
    for k in range(len(x)):
        for other in range(len(x)):
            if other != k:
                d = np.linalg.norm(x[other] - x[k] + shifts, axis=1)
                yield k, other, d[d < rmax]


def in_bins(d, rmax, bins):
    return (np.floor(d / rmax * bins) + 0.5) * rmax / bins


def amplitudes(names, probe, q):
    if probe == 'neutron':
        return np.array([LENGTH[name] for name in names]) / 10  # 10 fm: their products are in barn
    return np.array([np.dot(FACTOR[n][0], np.exp(-np.array(FACTOR[n][1]) * (q / (4 * np.pi))**2)) + FACTOR[n][2]
                     for n in names])


def window(name, x):
    root = 4.493409457909064
    return {'none': 1, 'lorch': np.sinc(x), 'hann': (1 + np.cos(np.pi * x)) / 2,
            'revised-lorch': 3 * (np.sin(root * x) - root * x * np.cos(root * x)) / (root * x)**3}[name]


def panels(low, high, count):
    nodes, weights = np.polynomial.legendre.leggauss(10)
    edges = np.linspace(low, high, count + 1)
    half = (high - low) / count / 2
    return (edges[:-1, None] + half * (1 + nodes)).ravel(), np.tile(half * weights, count)


def debye(path, rmax, bins, probe, qmin, qmax, name, qdamp, broad, form, end, dr):
    h, names, x = read(path)
    n = len(x)
    rho = n / abs(np.linalg.det(h)) if h is not None else 0
    count = {name: names.count(name) for name in names}
    # g(r) is normalised by the number of pairs of different atoms, which matters for few atoms.
    distances = {}
    for k, other, d in pairs(h, x, rmax):
        distances.setdefault((names[k], names[other]), []).append(in_bins(d, rmax, bins))
    q, weight = panels(qmin, qmax, int((qmax - qmin) * (rmax + end) / 6) + 4)
    r_int, r_weight = panels(0, rmax, int(qmax * rmax / 3) + 4)
    value = np.zeros(len(q))
    for i, at in enumerate(q):
        b = dict(zip(names, amplitudes(names, probe, at)))
        mean = sum(b[name] for name in names) / n
        wave = lambda r: np.sinc(at * r / np.pi) * np.exp(-r**2 * (qdamp**2 + broad**2 * at**2) / 2)
        s = 0
        for (one, two), d in distances.items():
            scale = count[one] / (count[one] - 1) if one == two and h is not None else 1
            s += scale * b[one] * b[two] * wave(np.concatenate(d)).sum() / n
        s -= mean**2 * rho * (4 * np.pi * r_int**2 * wave(r_int) * r_weight).sum()
        value[i] = s if form in ('d', 't', 'fz') else s / mean**2
    mean = amplitudes(names, probe, 0).mean()
    for r in np.arange(0, end + dr / 2, dr):
        big = 2 / np.pi * (q**2 * value * window(name, q / qmax) * np.sinc(q * r / np.pi) * weight).sum()
        result = {'pdf': r * big, 'd': r * big, 't': r * big + 4 * np.pi * r * rho * mean**2,
                  'rdf': r**2 * big + 4 * np.pi * r**2 * rho}
        if rho:
            result.update({'g': 1 + big / (4 * np.pi * rho), 'fz': big / (4 * np.pi * rho)})
        print('%.10g\t%.10g' % (r, result[form]))


def gaussians(path, rmax, bins, broad, end, dr):
    h, names, x = read(path)
    rho = len(x) / abs(np.linalg.det(h))
    d = in_bins(np.concatenate([d for k, other, d in pairs(h, x, rmax) if k == 0]), rmax, bins)
    for r in np.arange(0, end + dr / 2, dr):
        width = broad * d
        shape = np.exp(-(r - d)**2 / (2 * width**2)) - np.exp(-(r + d)**2 / (2 * width**2))
        scale = len(x) / (len(x) - 1)
        print('%.10g\t%.10g' % (r, scale * (shape / (d * width * np.sqrt(2 * np.pi))).sum() - 4 * np.pi * r * rho))


def main(command, *words):
    numbers = [float(w) if w.replace('.', '').replace('e-', '').isdigit() else w for w in words]
    {'make': lambda kind, seed: make(kind, int(seed)), 'fcc': lambda a, n: fcc(a, int(n)),
     'debye': debye, 'gaussians': gaussians}[command](*numbers)


main(*sys.argv[1:])
