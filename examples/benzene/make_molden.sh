#!/bin/sh
# Makes benzene.molden again: the Hartree-Fock wave function of benzene, in the basis 6-31G.
#
#   usage: ./make_molden.sh       (some seconds on one core)
#
# Needs the Debian package psi4. The signs of orbitals have no meaning, and another version can reverse them.
set -eu

cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# A regular hexagon, with C-C bonds of 1.397 Angstrom and C-H bonds of 1.084 Angstrom
awk 'BEGIN {
    print "molecule {"
    for (k = 0; k < 12; k++) {
        r = k < 6 ? 1.397 : 1.397 + 1.084; a = atan2(0, -1) * k / 3
        printf "%s %.10f %.10f 0\n", k < 6 ? "C" : "H", r * cos(a), r * sin(a)
    }
    print "units angstrom\n}"
    print "set {\nbasis 6-31g\nscf_type pk\ne_convergence 10\nd_convergence 10\n}"
    print "energy, wave_function = energy(\"scf\", return_wfn=True)"
    print "molden(wave_function, \"benzene.molden\")"
}' >"$tmp/benzene.in"
(cd "$tmp" && psi4 -n 1 benzene.in benzene.out >/dev/null) || { tail -n 20 "$tmp/benzene.out"; exit 1; }
cp "$tmp/benzene.molden" .
