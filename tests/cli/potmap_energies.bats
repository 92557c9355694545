#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Electrostatic energies: sum q phi / 2, with potentials of potmap at the charges, is the energy of GROMACS and LAMMPS,
# in rectangular and triclinic periodic cells and in open space. The agreement is limited by the other programs: LAMMPS
# approximates erfc to 1.5e-7, and gmx computes in float32, gmx_d in float64.
load helper
# 1 e^2/A in kJ/mol, with the constants of CODATA 2018, and in kcal/mol.
GROMACS_UNIT=1389.35457644 LAMMPS_UNIT=332.06371

# system KIND ALPHA: writes the system and its frame stream
system() {
    need_python_module numpy
    run_python tests/helpers/charged_system.py make "$1" "$T" "$2"
    local cell=(--cell "$(<"$T/cell")")
    [[ $1 != cluster ]] || cell=(-P none)
    trjcat "${cell[@]}" -t "$T/s.pqr" --carry charge -o "$T/s.trjf" "$T/s.pqr"
}

# periodic ALPHA UNIT: prints the energy by particle-mesh Ewald
periodic() {
    potmap --method pme --order 8 --alpha "$1" -g "$(<"$T/step")" --units e/A --max-charge 1 -o "$T/rec.npy" "$T/s.trjf"
    potmap --method cutoff --exact -k "table:$T/t.txt" -r 12 --units e/A --max-charge 1 --points "$T/s.xyz" \
        -o "$T/real.tsv" "$T/s.trjf"
    run_python tests/helpers/charged_system.py periodic "$T" "$2"
}

# in_open_space UNIT: prints the energy by direct sums, in which the charge itself is clipped to q / (0.5 A)
in_open_space() {
    potmap --method direct --exact --soften clip:0.5 --units e/A --max-charge 1 --points "$T/s.xyz" -o "$T/all.tsv" \
        "$T/s.trjf"
    run_python tests/helpers/charged_system.py open "$T" "$1" 0.5
}

# agree A B TOLERANCE: prints both; succeeds if they differ by at most TOLERANCE of B
agree() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a / b - 1; printf "%.10g and %.10g differ by %.1e\n", a, b, d
                                               exit !(a != 0 && d <= t && d >= -t) }'
}

need_lammps() {
    need lmp
    lmp -h >"$T/help" 2>&1 || skip 'lmp does not run here'
}

# lammps: prints the potential energy, which is entirely electrostatic
lammps() {
    (cd "$T" && lmp -in s.in -log none >out 2>&1 </dev/null) || { tail -5 "$T/out" >&2; return 1; }
    sed -n 's/^energy //p' "$T/out"
}

# gromacs: prints the same of GROMACS
gromacs() {
    (cd "$T" && "$GMX" -nobackup -quiet grompp -f s.mdp -c s.gro -p s.top -o s.tpr -maxwarn 5 &&
        timeout 60 "$GMX" -nobackup -quiet mdrun -s s.tpr -nt 1 -nb cpu -deffnm s &&
        echo Potential | "$GMX" -nobackup -quiet energy -f s.edr -o s.xvg -dp -xvg none) >"$T/log" 2>&1 </dev/null ||
        { tail "$T/log" >&2; return 1; }
    awk '{ print $2 }' "$T/s.xvg"
}

# need_gromacs: sets the program, and the relative tolerance that follows from its precision
need_gromacs() {
    GMX=gmx_d TOLERANCE=1e-9
    command -v gmx_d >/dev/null || GMX=gmx TOLERANCE=1e-4
    need_mdrun $GMX
}

need_fftw() {
    has 'FFTW *[0-9]' <(potmap --version) || skip 'built without FFTW'
}

@test "pme, a crystal with displacements and a triclinic cell: the energy does not depend on alpha" {
    need_fftw
    local kind
    for kind in crystal triclinic; do
        system $kind 0.42
        periodic 0.42 1 >"$T/a"
        system $kind 0.46
        agree "$(periodic 0.46 1)" "$(<"$T/a")" 1e-9
    done
}

@test "pme, a crystal with displacements and a triclinic cell: the energy of GROMACS" {
    need_fftw
    need_gromacs
    local kind
    for kind in crystal triclinic; do
        system $kind 0.42
        agree "$(periodic 0.42 $GROMACS_UNIT)" "$(gromacs)" $TOLERANCE
    done
}

@test "pme, a crystal with displacements and a triclinic cell: the energy of LAMMPS" {
    need_fftw
    need_lammps
    local kind
    for kind in crystal triclinic; do
        system $kind 0.42
        agree "$(periodic 0.42 $LAMMPS_UNIT)" "$(lammps)" 3e-7
    done
}

@test "direct, 216 charges in open space: the energy of GROMACS" {
    need_gromacs
    system cluster 1
    agree "$(in_open_space $GROMACS_UNIT)" "$(gromacs)" $TOLERANCE
}

@test "direct, 216 charges in open space: the energy of LAMMPS" {
    need_lammps
    system cluster 1
    agree "$(in_open_space $LAMMPS_UNIT)" "$(lammps)" 1e-10
}
