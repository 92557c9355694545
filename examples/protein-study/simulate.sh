#!/bin/sh
# Simulates peptide.xtc and peptide.tpr again: Ac-(AAQAA)3-NH2 without water, which starts as an alpha helix.
#
#   usage: ./simulate.sh          (a quarter of an hour on one core; set GMX to use another program)
#
# Needs GROMACS (gmx): the Debian package gromacs. The force field is Amber03.
# The seeds are fixed, but molecular dynamics is chaotic: with another build the helix unfolds at other times.
set -eu

cd "$(dirname "$0")"
here=$PWD gmx=${GMX:-gmx}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cd "$tmp"

# The heavy atoms of an ideal helix, from bond lengths in Angstrom, angles and torsion angles in degrees
awk -v sequence=AAQAAAAQAAAAQAA '
    # place(A, B, C, R, ANGLE, TORSION, D): D is bonded to C, with the angle B-C-D and the torsion angle A-B-C-D.
    function place(a, b, c, r, angle, torsion, d,    i, u, v, n, m, t, p, norm) {
        t = angle * rad; p = torsion * rad
        for (i = 0; i < 3; i++) { u[i] = x[c, i] - x[b, i]; v[i] = x[b, i] - x[a, i] }
        norm = sqrt(u[0]^2 + u[1]^2 + u[2]^2)
        for (i = 0; i < 3; i++) u[i] /= norm
        for (i = 0; i < 3; i++) n[i] = v[(i + 1) % 3] * u[(i + 2) % 3] - v[(i + 2) % 3] * u[(i + 1) % 3]
        norm = sqrt(n[0]^2 + n[1]^2 + n[2]^2)
        for (i = 0; i < 3; i++) n[i] /= norm
        for (i = 0; i < 3; i++) m[i] = n[(i + 1) % 3] * u[(i + 2) % 3] - n[(i + 2) % 3] * u[(i + 1) % 3]
        for (i = 0; i < 3; i++)
            x[d, i] = x[c, i] + r * (-cos(t) * u[i] + sin(t) * (cos(p) * m[i] + sin(p) * n[i]))
    }
    function print_atoms(names, residue, number,    i, count, name) {
        count = split(names, name, " ")
        for (i = 1; i <= count; i++)
            printf "ATOM  %5d  %-3s %s A%4d    %8.3f%8.3f%8.3f  1.00  0.00           %s\n", ++serial, name[i],
                residue, number, x[name[i] number, 0], x[name[i] number, 1], x[name[i] number, 2],
                substr(name[i], 1, 1)
    }
    BEGIN {
        rad = atan2(0, -1) / 180; phi = -60; psi = -45
        for (i = 0; i < 3; i++) x["CH30", i] = x["C0", i] = x["N1", i] = 0
        x["C0", 0] = 1.52; x["N1", 0] = 2.1; x["N1", 1] = 1.21
        place("N1", "CH30", "C0", 1.23, 122, 180, "O0")
        print_atoms("CH3 C O", "ACE", 0)
        for (k = 1; k <= length(sequence); k++) {
            place(k == 1 ? "CH30" : "CA" k - 1, "C" k - 1, "N" k, 1.46, 122, 180, "CA" k)
            place("C" k - 1, "N" k, "CA" k, 1.53, 111, phi, "C" k)
            place("C" k - 1, "N" k, "CA" k, 1.53, 110, phi - 122.5, "CB" k)
            place("N" k, "CA" k, "C" k, 1.335, 116.6, psi, "N" k + 1)
            place("N" k, "CA" k, "C" k, 1.23, 120.5, psi + 180, "O" k)
            if (substr(sequence, k, 1) == "A") { print_atoms("N CA C O CB", "ALA", k); continue }
            place("N" k, "CA" k, "CB" k, 1.53, 113, -65, "CG" k)
            place("CA" k, "CB" k, "CG" k, 1.52, 113, 180, "CD" k)
            place("CB" k, "CG" k, "CD" k, 1.23, 121, -30, "OE1" k)
            place("CB" k, "CG" k, "CD" k, 1.33, 117, 150, "NE2" k)
            print_atoms("N CA C O CB CG CD OE1 NE2", "GLN", k)
        }
        print_atoms("N", "NHE", k)
    }' >helix.pdb
"$gmx" pdb2gmx -f helix.pdb -o helix.gro -p topol.top -ff amber03 -water none
"$gmx" editconf -f helix.gro -o box.gro -box 7 7 7 -c

# The energy is minimised first, with a longer range and a larger permittivity.
sed 's/^integrator .*/integrator = steep/; s/^nsteps .*/nsteps = 500/
    /^\(constraints\|gen-\|ld-seed\|tc-\|tau-\|ref-\)/d
    s/^\(r[a-z]* .*= \)1.2/\12.5/; s/^\(epsilon-r .*= \)2/\14/' "$here/peptide.mdp" >min.mdp
echo 'emtol = 100' >>min.mdp
"$gmx" grompp -f min.mdp -c box.gro -p topol.top -o min.tpr
"$gmx" mdrun -nt 1 -deffnm min
"$gmx" grompp -f "$here/peptide.mdp" -c min.gro -p topol.top -o peptide.tpr
"$gmx" mdrun -nt 1 -deffnm peptide
mv peptide.tpr peptide.xtc "$here"
