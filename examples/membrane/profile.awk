# SPDX-License-Identifier: MIT
# Reduces the profile of a potential in e/Angstrom, with a column for each record, to the mean over the records and its
# standard error, in kT/e at 298.15 K. Records must have equal numbers of frames. The last line is a comment with the
# difference between the middle and the start of the profile.
#   mapmath a records.trjg --profile z | awk -v name=NAME -f profile.awk >table.tsv
BEGIN {
    FS = OFS = "\t"
    unit = 167100.9469 / 298.15 # 1 e at 1 Angstrom, in kT/e (CODATA 2018)
    rows = 0
}

# Sets mean and error from value[1] to value[n].
function average(n,    i, sum) {
    for (i = 1; i <= n; i++) sum += value[i]
    mean = sum / n
    sum = 0
    for (i = 1; i <= n; i++) sum += (value[i] - mean) ^ 2
    error = sqrt(sum / n / (n - 1))
}

/^# provenance/
/^#/ { next }

!rows { print "# z", "mean(" name ")", "se(" name ")" }

{
    for (i = 2; i <= NF; i++) value[i - 1] = potential[rows, i - 1] = unit * $i
    average(NF - 1)
    print $1, mean, error
    rows++
    n = NF - 1
}

END {
    for (i = 1; i <= n; i++) value[i] = potential[int(rows / 2), i] - potential[0, i]
    average(n)
    printf "# difference of the middle and the start: %.2f, standard error %.2f\n", mean, error
}
