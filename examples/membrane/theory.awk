# SPDX-License-Identifier: MIT
# Computes two potentials for comparison, in kT/e, from two profiles along z: the charge density in e/Angstrom^3, and
# the density of charged heads in 1/Angstrom^3. The cell is periodic, and the bilayer is in its middle.
#   awk -v integral=FILE -v theory=FILE -f theory.awk charge.tsv heads.tsv
# integral: the double integral of the charge density, from the Poisson equation.
# theory: the solution of the Poisson-Boltzmann equation for counterions between two planes that have the charge of the
# heads (J. N. Israelachvili, Intermolecular and Surface Forces, chapter 14). The potential is 2 ln cos(k z), where z is
# the distance from the middle of the solvent, k tan(k d/2) = 2 pi l_B s, the inverse Gouy-Chapman length, d is the
# distance between the planes, s their charge per area in e, and l_B the Bjerrum length.
# Standard output: the lengths, and the potential of the planes relative to the middle of the solvent.
BEGIN {
    FS = OFS = "\t"
    pi = atan2(0, -1)
    bjerrum = 167100.9469 / 298.15 / 78.54
    n = 0
}

# wave D: returns k of the equation above for planes at the distance D, by bisection.
function wave(d,    low, high, k, i) {
    high = pi / d
    for (i = 0; i < 60; i++) {
        k = (low + high) / 2
        if (k * sin(k * d / 2) / cos(k * d / 2) < inverse) low = k
        else high = k
    }
    return k
}

/^#/ { next }

FNR == NR { z[n] = $1; charge[n++] = $2; next }

{
    middle = z[int(n / 2)]
    heads += $2
    moment += $2 * ($1 < middle ? middle - $1 : $1 - middle)
}

END {
    step = z[1]
    # The second difference is a mean of the density over three points (Numerov), with an error of the order step^4.
    # The field at the start is that for which the potential is periodic.
    for (i = 0; i < n; i++) {
        mean_charge = (charge[(i + n - 1) % n] + 10 * charge[i] + charge[(i + 1) % n]) / 12
        field[i + 1] = field[i] - 4 * pi * bjerrum * step ^ 2 * mean_charge
        total += field[i + 1]
    }
    for (i = 0; i < n; i++) {
        potential[i + 1] = potential[i] + field[i + 1] - total / n
        sum += potential[i]
    }
    print "# z", "mean(double integral)" >integral
    for (i = 0; i < n; i++) print z[i], potential[i] - sum / n >integral

    # Each plane has half of the heads.
    inverse = 2 * pi * bjerrum * heads * step / 2
    width = n * step - 2 * moment / heads
    k = wave(width)
    # The mean of the potential over the cell is 0, as in Ewald sums.
    for (i = 0; i < n; i++) {
        x = z[i] < middle ? z[i] : n * step - z[i]
        solution[i] = 2 * log(cos(k * (x < width / 2 ? x : width / 2)))
        shift += solution[i] / n
    }
    print "# z", "mean(Poisson-Boltzmann)" >theory
    for (i = 0; i < n; i++) print z[i], solution[i] - shift >theory

    # Without ions within 7.2 Angstrom of the planes, where the field is that of the planes.
    near = 7.2
    printf "Gouy-Chapman length\t%.2f\n", 1 / inverse
    printf "distance of the planes\t%.1f\n", width
    printf "Poisson-Boltzmann\t%.2f\n", 2 * log(cos(k * width / 2))
    printf "Poisson-Boltzmann, distant ions\t%.2f\n", \
        2 * log(cos(wave(width - 2 * near) * (width / 2 - near))) - 2 * near * inverse
}
