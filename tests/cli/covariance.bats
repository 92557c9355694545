# SPDX-License-Identifier: MIT
# rdfnorm --covariance: the covariances between bins, by every method that estimates errors.
# shellcheck shell=bash disable=SC2154
load helper

setup_file() {
    local part
    mkdcd --atoms 300 --frames 12 --cell 15,15,15,90,90,90 --seed 5 >"$BATS_FILE_TMPDIR/dcd"
    cd "$BATS_FILE_TMPDIR" || return
    trjcat -g 'A=index 0 to 149' -g 'B=index 150 to 299' dcd >all.trjf 2>/dev/null
    rdfhist -e cpu -r 7 -b 14 -p '*:*' -B 1 all.trjf >all.rdfh
    for part in {0..11}; do
        trjcat -f "$part:$((part + 1))" -g 'A=index 0 to 149' -g 'B=index 150 to 299' dcd 2>/dev/null |
            rdfhist -e cpu -r 7 -b 14 -p '*:*' | rdfnorm | rows | cut -f 2,4,6 >"g$part"
    done
}

@test "covariance of records: that of numpy.cov, in all pairs of bins" {
    need_python_module numpy
    rdfnorm -e records --covariance "$BATS_FILE_TMPDIR/all.rdfh" | rows >"$T/matrix"
    (($(wc -l <"$T/matrix") == 14 * 14))
    run_python - "$BATS_FILE_TMPDIR" "$T/matrix" <<'PYTHON'
import sys
import numpy as np

g = np.array([np.loadtxt(f"{sys.argv[1]}/g{i}") for i in range(12)])
table = np.loadtxt(sys.argv[2])
assert np.allclose(table[:, 0].reshape(14, 14), table[:, 1].reshape(14, 14).T)
for pair in range(3):
    expected = np.cov(g[:, :, pair].T) / 12
    got = table[:, 2 + pair].reshape(14, 14)
    assert np.allclose(got, expected, rtol=1e-4, atol=1e-7 * expected.max()), abs(got - expected).max()
PYTHON
}

@test "covariance: its diagonal is the square of the printed error, for every method, and for totals" {
    local way
    for way in auto records blocks bootstrap; do
        rdfnorm -e $way --total number "$BATS_FILE_TMPDIR/all.rdfh" 2>/dev/null | rows | cut -f 1,3,5,8,11 >"$T/errors"
        rdfnorm -e $way --total number --covariance "$BATS_FILE_TMPDIR/all.rdfh" 2>/dev/null | rows |
            awk '$1 == $2 { print $1, sqrt($3), sqrt($4), sqrt($5), sqrt($6) }' >"$T/diagonal"
        paste "$T/errors" "$T/diagonal" | awk '
            function off(a, b) { return a - b > 1e-3 * b + 1e-9 || b - a > 1e-3 * b + 1e-9 }
            $1 != $6 || off($2, $7) || off($3, $8) || off($4, $9) || off($5, $10) { print; exit bad = 1 }
            END { exit bad || NR != 14 }'
    done
}

@test "covariance: one record, no errors, counts and a second coordinate are rejected with a remedy" {
    rdfhist -e cpu -r 7 -b 14 -B 0 "$BATS_FILE_TMPDIR/all.trjf" >"$T/one.rdfh"
    fails 3 '--covariance requires several records' rdfnorm --covariance "$T/one.rdfh"
    fails 2 '--covariance requires errors' rdfnorm --covariance -e none "$BATS_FILE_TMPDIR/all.rdfh"
    fails 2 'counts have no errors' rdfnorm --covariance --counts "$BATS_FILE_TMPDIR/all.rdfh"
    rdfhist -e cpu -r 7 -b 14 --angle z:3 "$BATS_FILE_TMPDIR/all.trjf" >"$T/angle.rdfh"
    fails 3 'second coordinate' rdfnorm --covariance "$T/angle.rdfh"
}
