#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Makes trajectories whose number of atoms changes, as in a grand canonical simulation, and counts their pairs by numpy,
# in float64, from the definition.
#
#   open_system.py make KIND FRAMES ATOMS SEED NAME
#       Writes NAME.xyz, NAME.dump and, with the Python module gsd, NAME.gsd. Atoms are inserted, removed and exchanged
#       between the types Ar (1) and Kr (2), and each frame has them in another order. The first frames have 0, 1 and 2
#       atoms. KIND is cubic, triclinic, breathing, slab or free; there is no GSD file of a slab.
#   open_system.py count NAME.xyz RMAX BINS PERIODIC PAIR...
#       Prints the counts, one row for each bin and one column for each PAIR such as Ar:Kr; * is any type.
#   open_system.py curve NAME.xyz RMAX BINS PERIODIC PAIR...
#       Prints g(r) in the same form: counts divided by the sum over the frames of pairs / volume, and by the shell.
import sys
import numpy as np

NAMES = {1: 'Ar', 2: 'Kr'}


def cell_of(kind, rng):
    edges = np.array([9.5, 11.25, 10.125])  # these numbers, and the tilts, are exact in float32
    tilt = np.zeros(3)
    if kind in ('triclinic', 'breathing'):
        tilt = np.array([0.25, -0.25, 0.5])
    if kind == 'breathing':
        edges = edges + rng.integers(-20, 21, 3) / 64
    return edges, tilt


def matrix(edges, tilt):
    h = np.diag(edges)
    h[1, 0], h[2, 0], h[2, 1] = tilt[0] * edges[1], tilt[1] * edges[2], tilt[2] * edges[2]
    return h


def exchange(atoms, wanted, last, h, rng):
    """Removes and inserts atoms, up to `wanted` of them; exchanges the types of some."""
    for key in [k for k in atoms if rng.random() < 0.2]:
        del atoms[key]
    while len(atoms) > wanted:
        del atoms[rng.choice(list(atoms))]
    while len(atoms) < wanted:
        last += 1
        atoms[last] = (int(rng.integers(1, 3)), None)
    for key in atoms:
        kind = atoms[key][0] if rng.random() < 0.9 else int(rng.integers(1, 3))
        atoms[key] = (kind, np.round(rng.uniform(-0.5, 1.5, 3) @ h, 4))
    return last


def write_xyz(f, h, atoms, order, kind):
    lattice = '' if kind == 'free' else 'Lattice="%s" ' % ' '.join('%.10g' % v for v in h.ravel())
    pbc = {'slab': 'T T F', 'free': 'F F F'}.get(kind, 'T T T')
    f.write('%d\n%sProperties=species:S:1:pos:R:3 pbc="%s"\n' % (len(order), lattice, pbc))
    for key in order:
        f.write('%s %.4f %.4f %.4f\n' % (NAMES[atoms[key][0]], *atoms[key][1]))


def write_dump(f, step, h, atoms, order, kind):
    xy, xz, yz = h[1, 0], h[2, 0], h[2, 1]
    bounds = [(min(0, xy, xz, xy + xz), h[0, 0] + max(0, xy, xz, xy + xz), xy),
              (min(0, yz), h[1, 1] + max(0, yz), xz), (0, h[2, 2], yz)]
    border = {'slab': 'pp pp ff', 'free': 'ff ff ff'}.get(kind, 'pp pp pp')
    tilted = bool(xy or xz or yz)
    f.write('ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS %s%s\n' %
            (step, len(order), 'xy xz yz ' if tilted else '', border))
    for b in bounds:
        f.write(' '.join('%.10g' % v for v in (b if tilted else b[:2])) + '\n')
    f.write('ITEM: ATOMS id type x y z\n')
    for key in order:
        f.write('%d %d %.4f %.4f %.4f\n' % (key, atoms[key][0], *atoms[key][1]))


def make(kind, frames, most, seed, name):
    try:
        import gsd.hoomd
        gsd_file = None if kind in ('slab', 'free') else gsd.hoomd.open(name + '.gsd', 'wb')
    except ImportError:
        gsd_file = None
    rng = np.random.default_rng(seed)
    atoms, last = {}, 0
    with open(name + '.xyz', 'w') as xyz, open(name + '.dump', 'w') as dump:
        for t in range(frames):
            edges, tilt = cell_of(kind, rng)
            h = matrix(edges, tilt)
            last = exchange(atoms, t if t < 3 else int(rng.integers(0, most + 1)), last, h, rng)
            write_xyz(xyz, h, atoms, rng.permutation(list(atoms)), kind)
            write_dump(dump, 10 * t, h, atoms, rng.permutation(list(atoms)), kind)
            order = rng.permutation(list(atoms)) # also without the module, so that all machines make the same files
            if gsd_file is None:
                continue
            frame = getattr(gsd.hoomd, 'Frame', None) or gsd.hoomd.Snapshot
            s = frame()
            s.configuration.step = 10 * t
            s.configuration.box = [*edges, *tilt]
            s.particles.N = len(order)
            s.particles.types = ['Ar', 'Kr']
            s.particles.typeid = [atoms[k][0] - 1 for k in order]
            s.particles.position = np.array([atoms[k][1] for k in order]).reshape(-1, 3)
            gsd_file.append(s)
    if gsd_file is not None:
        gsd_file.close()


def read(path):
    with open(path) as f:
        while line := f.readline():
            note = f.readline()
            h = None
            if 'Lattice="' in note:
                h = np.array([float(v) for v in note.split('"')[1].split()]).reshape(3, 3)
            rows = [f.readline().split() for _ in range(int(line))]
            x = np.array([r[1:4] for r in rows]).astype(np.float32).astype(float).reshape(-1, 3)
            yield h, [r[0] for r in rows], x


def distances(h, x, y, periodic, rmax):
    """Distances of all images of y from x, [images][x][y]."""
    axes = [np.arange(1)] * 3
    if h is not None and periodic != 'none':
        reach = [int(np.ceil(rmax / w)) + 3 for w in np.linalg.det(h) / np.linalg.norm(
            [np.cross(h[1], h[2]), np.cross(h[2], h[0]), np.cross(h[0], h[1])], axis=1)]
        axes = [np.arange(-n, n + 1) if a in periodic else np.arange(1) for n, a in zip(reach, 'xyz')]
    shift = np.stack(np.meshgrid(*axes, indexing='ij'), -1).reshape(-1, 3) @ (np.eye(3) if h is None else h)
    return np.linalg.norm(y[None, None] + shift[:, None, None] - x[None, :, None], axis=-1)


def count(path, rmax, bins, periodic, pairs):
    """Returns the counts [pair][bin] and the sums over the frames of pairs / volume [pair]."""
    rmax, bins = float(rmax), int(bins)
    counts, density = np.zeros((len(pairs), bins), int), np.zeros(len(pairs))
    for h, names, x in read(path):
        for p, pair in enumerate(pairs):
            left, right = pair.split(':')
            a, b = ([i for i, n in enumerate(names) if side in (n, '*')] for side in (left, right))
            d = distances(h, x[a], x[b], periodic, rmax)
            same = np.array(a)[:, None] == np.array(b)[None]
            if h is not None:
                density[p] += (~same).sum() / (2 if left == right else 1) / np.linalg.det(h)
            keep = (d < rmax) & ~same[None]
            n = np.bincount((d[keep] * bins / rmax).astype(int), minlength=bins)[:bins]
            counts[p] += n // 2 if left == right else n
    return counts, density


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
    else:
        rows, density = count(*sys.argv[2:6], sys.argv[6:])
        if sys.argv[1] == 'curve':
            edge = np.arange(rows.shape[1] + 1) * float(sys.argv[3]) / rows.shape[1]
            rows = rows / density[:, None] / (4 / 3 * np.pi * np.diff(edge**3))
        for row in rows.T:
            print(*row, sep='\t')
