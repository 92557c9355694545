# SPDX-License-Identifier: MIT
"""Makes systems of charges for potmap, GROMACS and LAMMPS, and computes their energy from potentials of potmap.

charged_system.py make crystal|triclinic|cluster FOLDER ALPHA
    Writes the system as s.pqr, s.xyz, s.gro with s.top and s.mdp, and s.data with s.in, the cell to `cell`, the
    largest step to `step`, and the real-space potential for the Ewald coefficient ALPHA to t.txt.
    crystal    216 ions of rock salt, displaced at random, whose charges are 0.5 to 1 e
    triclinic  200 charges at random in a cell with three oblique angles
    cluster    the charges of the crystal without periodic images
    The charges are at points of a mesh whose steps are multiples of 2^-6 Angstrom, so that float32 is exact; they are
    at least 2 Angstrom apart and have three decimals. Their sum is 0.

charged_system.py periodic FOLDER UNIT
    Prints sum q phi / 2, where phi is the reciprocal potential at the charges, from rec.npy, and that in real.tsv. UNIT
    is the energy of e^2/Angstrom.

charged_system.py open FOLDER UNIT RADIUS
    Prints the same for all.tsv, less the terms q / RADIUS of the charges themselves.
"""
import itertools
import json
import math
import os
import random
import sys

import numpy

GROMACS = """integrator=md
nsteps=0
nstenergy=1
nstcalcenergy=1
verlet-buffer-tolerance=-1
coulomb-modifier=None
ewald-rtol=1e-9
pme-order=12
fourierspacing=0.03
"""
LAMMPS = """units real
atom_style charge
read_data s.data
pair_style %s
pair_coeff * *
%svariable e equal pe
thermo_modify norm no
run 0
print "energy $(v_e:%%.12g)"
"""
EWALD = "pair_modify table 0\nkspace_style ewald 1e-8\nkspace_modify gewald 0.7\n"


def apart(sites, site, mesh, step):
    """Returns whether a site is at least 2 Angstrom from the others and their images."""
    images = numpy.array(list(itertools.product((-1, 0, 1), repeat=3))) * mesh
    d = (numpy.array(sites).reshape(-1, 1, 3) - site + images) @ numpy.array(step)
    return ((d * d).sum(axis=2) >= 4).all()


def choose(kind):
    rng = random.Random(7)
    if kind == "triclinic":
        mesh, step = (48, 44, 40), ((25 / 64, 0, 0), (7 / 64, 24 / 64, 0), (-9 / 64, 12 / 64, 20 / 64))
        sites = []
        while len(sites) < 200:
            site = [rng.randrange(n) for n in mesh]
            if apart(sites, site, mesh, step):
                sites.append(site)
        charges = [rng.randint(100, 999) / 1000 for _ in sites]
        charges[1::2] = [-q for q in charges[::2]]
    else:
        mesh, step = (36, 36, 36), ((0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.5))
        places = list(itertools.product(range(6), repeat=3))
        sites = [[(6 * i + rng.randint(-1, 1)) % 36 for i in place] for place in places]
        charges = [(1 - 2 * (sum(place) % 2)) * rng.randint(500, 999) / 1000 for place in places]
        charges[-1] = round(charges[-1] - sum(charges), 3)
    return mesh, step, sites, charges


def write(name, text):
    with open(name, "w") as out:
        out.write(text)


def make(kind, alpha):
    mesh, step, sites, charges = choose(kind)
    x = [[sum(site[k] * step[k][c] for k in range(3)) for c in range(3)] for site in sites]
    h = [[mesh[k] * step[k][c] for c in range(3)] for k in range(3)]
    size, atoms = len(x), range(len(x))
    length = [math.hypot(*v) for v in h]
    angle = [math.degrees(math.acos(sum(a * b for a, b in zip(h[i], h[j])) / length[i] / length[j]))
             for i, j in ((1, 2), (0, 2), (0, 1))]
    write("cell", ",".join("%.15g" % v for v in length + angle))
    write("step", "%.4f" % (math.hypot(*step[0]) + 0.0001))
    write("s.pqr", "".join("ATOM %d C RES 1 %.9g %.9g %.9g %.3f 1\n" % (i + 1, *x[i], charges[i]) for i in atoms))
    write("s.xyz", "%d\n\n" % size + "".join("C %.9g %.9g %.9g\n" % tuple(v) for v in x))
    # At 0, the table has the potential of the Gaussian of the charge itself, which the reciprocal part contains.
    write("t.txt", "# r f\n0 %.17g\n" % (-2 * alpha / math.sqrt(math.pi)) +
          "".join("%.3f %.17g\n" % (k / 1000, math.erfc(alpha * k / 1000) / (k / 1000)) for k in range(1000, 13000)))
    box = h
    cutoff, coulomb, style = 0.6, "PME", ("coul/long 6", EWALD)
    if kind == "cluster":  # GROMACS has no open space: its box is so large that no image is within the cutoff
        box, cutoff, coulomb, style = [[300, 0, 0], [0, 300, 0], [0, 0, 300]], 14, "Cut-off", ("coul/cut 1000", "")
    write("s.gro", "s\n%d\n" % size +
          "".join("%5d%-5s%5s%5d%12.7f%12.7f%12.7f\n" % (1, "RES", "C", i + 1, *[v / 10 for v in x[i]])
                  for i in atoms) +
          " ".join("%.7f" % (v / 10)
                   for v in (box[0][0], box[1][1], box[2][2], 0, 0, box[1][0], 0, *box[2][:2])) + "\n")
    write("s.top", "[ defaults ]\n1 1 no 1 1\n[ atomtypes ]\nC 6 12 0 A 0 0\n[ moleculetype ]\nRES 0\n[ atoms ]\n" +
          "".join("%d C 1 RES C %d %.3f 12\n" % (i + 1, i + 1, charges[i]) for i in atoms) +
          "[ system ]\ns\n[ molecules ]\nRES 1\n")
    write("s.mdp", GROMACS + "coulombtype=%s\nrcoulomb=%g\nrvdw=%g\nrlist=%g\n" % (coulomb, cutoff, cutoff, cutoff))
    write("s.data", "s\n\n%d atoms\n1 atom types\n0 %.9g xlo xhi\n0 %.9g ylo yhi\n0 %.9g zlo zhi\n" %
          (size, box[0][0], box[1][1], box[2][2]) +
          ("%.9g %.9g %.9g xy xz yz\n" % (box[1][0], *box[2][:2]) if kind == "triclinic" else "") +
          "\nMasses\n\n1 12\n\nAtoms # charge\n\n" +
          "".join("%d 1 %.3f %.9g %.9g %.9g\n" % (i + 1, charges[i], *x[i]) for i in atoms))
    write("s.in", ("boundary f f f\n" if kind == "cluster" else "") + LAMMPS % style)


def table(name):
    with open(name) as rows:
        return [float(row.split()[3]) for row in rows if not row.startswith("#")]


def pqr():
    with open("s.pqr") as rows:
        words = [row.split() for row in rows]
    return [[float(w) for w in row[5:8]] for row in words], [float(row[8]) for row in words]


def periodic():
    x, charges = pqr()
    with open("rec.json") as header:
        steps = numpy.array(json.load(header)["steps"])
    reciprocal = numpy.load("rec.npy")
    index = numpy.array(x) @ numpy.linalg.inv(steps)
    nearest = numpy.rint(index).astype(int)
    assert abs(index - nearest).max() < 1e-9
    potential = reciprocal[tuple(nearest.T)] + numpy.array(table("real.tsv"))
    return (charges * potential).sum() / 2


def in_open_space(radius):
    return sum(q * (v - q / radius) for q, v in zip(pqr()[1], table("all.tsv"))) / 2


what, *words = sys.argv[1:]
os.chdir(words[1] if what == "make" else words[0])
if what == "make":
    make(words[0], float(words[2]))
else:
    energy = periodic() if what == "periodic" else in_open_space(float(words[2]))
    print("%.12g" % (energy * float(words[1])))
