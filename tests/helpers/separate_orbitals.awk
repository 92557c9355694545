# SPDX-License-Identifier: MIT
# Prints a Molden file: four atoms, so far apart that their functions from s to d do not overlap, and orbitals that are
# rotations of these, so that they are orthonormal under every rule of normalisation.
BEGIN {
    print "[Molden Format]\n[Atoms] AU"
    for (atom = 1; atom <= 4; atom++) print "He " atom " 2 " 8 * (atom % 2) " " 8 * int(atom / 3) " " atom % 3
    print "[5D]\n[GTO]"
    for (atom = 1; atom <= 4; atom++)
        printf "%d 0\ns 1 1.0\n %.2f 1.0\np 1 1.0\n 0.9 1.0\nd 1 1.0\n 0.8 1.0\n\n", atom, 0.7 + atom / 10
    for (i = 0; i < 36; i++) u[i, i] = 1
    for (i = 0; i < 36; i++)
        for (j = i + 1; j < 36; j++)
            for (k = 0; k < 36; k++) {
                x = u[i, k] * cos(i + 2 * j) + u[j, k] * sin(i + 2 * j)
                u[j, k] = u[j, k] * cos(i + 2 * j) - u[i, k] * sin(i + 2 * j)
                u[i, k] = x
            }
    print "[MO]"
    for (i = 0; i < 36; i++) {
        printf "Sym= %da\nEne= %.2f\nSpin= Alpha\nOccup= %d\n", i + 1, i - 18, i < 18 ? 2 : 0
        for (k = 0; k < 36; k++) printf "%d %.10f\n", k + 1, u[i, k]
    }
}
