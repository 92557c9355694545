# SPDX-License-Identifier: MIT
"""Boundary values of APBS, computed independently of the tools, and the comparison of its maps.

    apbs.py mdh PQR N,N,N GLEN,GLEN,GLEN SDIE T IONIC_STRENGTH OUT.dx  a map for bcfl map, by the formula of bcfl mdh
    apbs.py pad FACES.dx SCALE OUT.dx        a point more at each end, which repeats the values of the faces
    apbs.py faces A.dx B.dx SCALE TOLERANCE  values of A times SCALE on the faces are those of B
    apbs.py same A.dx B.dx TOLERANCE         all values are the same

Tolerances are relative to the largest value.
"""
import sys

import numpy as np

# The constants of APBS 3.4.1 (src/generic/vunit.h, vpbe.c).
EC, KB, EPS0 = 1.6021773e-19, 1.3806581e-23, 8.8541878e-12
NA, ESU, ERG = 6.022045e23, 4.803242384e-10, 1.380662e-16


def read(path):
    steps, lines = [], open(path)
    for line in lines:
        words = line.split()
        if line.startswith("object 1"):
            n = [int(w) for w in words[-3:]]
        elif line.startswith("origin"):
            origin = np.array([float(w) for w in words[1:]])
        elif line.startswith("delta"):
            steps.append([float(w) for w in words[1:]])
        elif line.startswith("object 3"):
            break
    text = " ".join(line for line in lines if line[0] in " -0123456789")
    return np.array(text.split(), float)[: np.prod(n)].reshape(n), origin, np.diag(np.array(steps))


def write(path, values, origin, step):
    n = "%d %d %d" % values.shape
    with open(path, "w") as out:
        out.write("object 1 class gridpositions counts %s\norigin %.9e %.9e %.9e\n" % (n, *origin))
        for k in range(3):
            out.write("delta %.9e %.9e %.9e\n" % tuple(step[k] if k == i else 0 for i in range(3)))
        out.write("object 2 class gridconnections counts %s\n" % n)
        out.write("object 3 class array type double rank 0 items %d data follows\n" % values.size)
        flat = values.ravel()
        for i in range(0, flat.size, 3):
            out.write(" ".join("%.9e" % v for v in flat[i : i + 3]) + "\n")
        out.write('attribute "dep" string "positions"\nobject "map" class field\ncomponent "positions" value 1\n'
                  'component "connections" value 2\ncomponent "data" value 3\n')


def on_faces(shape):
    inside = np.zeros(shape, bool)
    inside[1:-1, 1:-1, 1:-1] = True
    return ~inside


def mdh(pqr, n, length, dielectric, temperature, strength, path):
    rows = [line.split()[-5:] for line in open(pqr) if line.startswith(("ATOM", "HETATM"))]
    atoms = np.array(rows, float)
    position, charge, radius = atoms[:, :3], atoms[:, 3], atoms[:, 4]
    kappa = np.sqrt(strength * 1e-16 * 8 * np.pi * NA * ESU**2 / (1000 * dielectric * ERG * temperature))
    factor = EC**2 / (4 * np.pi * EPS0 * dielectric * KB * temperature) * 1e10
    step = length / (n - 1)
    origin = (position.max(0) + position.min(0)) / 2 - length / 2
    axes = [origin[k] + step[k] * np.arange(n[k]) for k in range(3)]
    where = on_faces(n)
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1)[where]
    values = np.zeros(n)
    sums = []
    for part in np.array_split(points, len(points) // 1000 + 1):
        r = np.linalg.norm(part[:, None] - position[None], axis=2)
        sums.append(factor * (charge * np.exp(-kappa * (r - radius)) / (1 + kappa * radius) / r).sum(1))
    values[where] = np.concatenate(sums)
    write(path, np.pad(values, 1, mode="edge"), origin - step, step)


def numbers(text, kind=float):
    return np.array([kind(w) for w in text.split(",")])


def check(a, b, tolerance):
    worst = abs(a - b).max() / abs(b).max()
    print("difference %.2e of the largest value, at most %g" % (worst, tolerance))
    return worst <= tolerance


command, *a = sys.argv[1:]
if command == "mdh":
    mdh(a[0], numbers(a[1], int), numbers(a[2]), *[float(w) for w in a[3:6]], a[6])
elif command == "pad":
    values, origin, step = read(a[0])
    write(a[2], np.pad(values * float(a[1]), 1, mode="edge"), origin - step, step)
elif command == "faces":
    (values, origin, step), (others, their_origin, their_step) = read(a[0]), read(a[1])
    assert values.shape == others.shape and abs(origin - their_origin).max() < 1e-4
    assert abs(step - their_step).max() < 1e-6
    where = on_faces(values.shape)
    assert not values[~where].any(), "values inside"
    sys.exit(not check(values[where] * float(a[2]), others[where], float(a[3])))
else:
    sys.exit(not check(read(a[0])[0], read(a[1])[0], float(a[2])))
