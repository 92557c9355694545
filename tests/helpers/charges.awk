# SPDX-License-Identifier: MIT
# Prints a map in OpenDX: the sum of Q / distance over the charges in the input, which has the lines "X Y Z Q", with
# distances of at least 0.5, on N^3 points with the step STEP from 0, 0, 0: awk -v set='N STEP' -f charges.awk
BEGIN { split(set, s, " "); n = s[1]; h = s[2] }
{ x[NR] = $1; y[NR] = $2; z[NR] = $3; q[NR] = $4 }
END {
    printf "object 1 class gridpositions counts %d %d %d\norigin 0 0 0\n", n, n, n
    printf "delta %g 0 0\ndelta 0 %g 0\ndelta 0 0 %g\n", h, h, h
    printf "object 2 class gridconnections counts %d %d %d\n", n, n, n
    printf "object 3 class array type double rank 0 items %d data follows\n", n * n * n
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) {
        v = 0
        for (a = 1; a <= NR; a++) {
            d = sqrt((i * h - x[a]) ^ 2 + (j * h - y[a]) ^ 2 + (k * h - z[a]) ^ 2)
            v += q[a] / (d < 0.5 ? 0.5 : d)
        }
        printf "%.17g%s", v, ++count % 3 ? " " : "\n"
    }
    if (count % 3) print ""
    print "object \"map\" class field"
}
