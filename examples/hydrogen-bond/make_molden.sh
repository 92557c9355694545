#!/bin/sh
# Makes dimer.molden again: the Hartree-Fock wave function of two molecules of formic acid, in the basis def2-SVP. The
# file contains the occupied orbitals only. The positions are close to the minimum of density functional theory (B3LYP)
# in the same basis.
#
#   usage: ./make_molden.sh       (some seconds on one core)
#
# Needs the Debian package psi4. The signs of orbitals have no meaning, and another version can reverse them.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# The second molecule is the first one, rotated by 180 degrees about the middle of the ring.
cat >"$tmp/dimer.in" <<'END'
molecule {
C  1.871 0  0.112
O  1.193 0  1.130
O  1.427 0 -1.112
H  2.981 0  0.163
H  0.414 0 -1.123
C -1.871 0 -0.112
O -1.193 0 -1.130
O -1.427 0  1.112
H -2.981 0 -0.163
H -0.414 0  1.123
units angstrom
symmetry c1
no_reorient
}
set {
basis def2-svp
e_convergence 9
d_convergence 9
molden_with_virtual false
}
energy, wave_function = energy("scf", return_wfn=True)
molden(wave_function, "dimer.molden")
END
(cd "$tmp" && psi4 -n 1 dimer.in dimer.out >"$tmp/log" 2>&1) || { cat "$tmp/log"; tail -n 20 "$tmp/dimer.out"; exit 1; }
cp "$tmp/dimer.molden" .
