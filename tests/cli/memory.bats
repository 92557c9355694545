#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Memory of the tools: `peak` (tests/helpers) runs one and writes its largest resident size, in kB.
load helper

setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR
    ! sanitized || skip 'sanitizers have memory of their own'
}

below() { # FILE KB
    local kb
    kb=$(<"$1")
    ((kb > 500 && kb < $2)) || { echo "$kb kB, not below $2"; return 1; }
}

@test "100,000 atoms, all pairs, 8192 bins: less than 200 MB" {
    mkdcd --atoms 100000 --cell 144.2,144.2,144.2 >"$T/dcd"
    peak "$T/cat" trjcat "$T/dcd" | peak "$T/hist" rdfhist -e cpu -b 8192 >"$T/rdfh"
    below "$T/cat" 64000
    below "$T/hist" 200000
    # The count is complete: g(r) is 1, so that the number of pairs below half the cell is that of a sphere.
    counts "$T/rdfh" | awk '{ s += $1 }
        END { p = s / (100000 * 99999 / 2) / (atan2(0, -1) / 6) - 1; exit !(NR == 8192 && p < 1e-4 && p > -1e-4) }'
}

@test "long trajectory, 3000 frames of 3000 atoms through a pipe: no more memory than a short one" {
    mkdcd --atoms 3000 --frames 3000 --cell 40,40,40 |
        peak "$T/cat" trjcat -j 2 -g 'all=all' -g 'A=index 0 to 99' - | peak "$T/again" trjcat -j 2 -z 1 - |
        peak "$T/hist" rdfhist -e cpu -j 2 -p A:A -r 9 -b 100 -B 100 | peak "$T/norm" rdfnorm -c >"$T/table"
    grep -q '^# frames: 3000 in 30 records$' "$T/table"
    for tool in cat norm; do below "$T/$tool" 32000; done
    # Chunks have up to 8 MB of coordinates, which take 50 MB while one is compressed, and 30 MB while one is unpacked.
    below "$T/again" 200000
    below "$T/hist" 128000
}

@test "damaged header: no memory is allocated for missing atoms" {
    need_shared
    peak "$T/peak" trjcat "$DATA/damaged/dcd_huge_natom.dcd" 2>"$T/err" >"$T/out" && return 1
    below "$T/peak" 32000
    # 300 million atoms are the limit of 32-bit markers.
    mkdcd --atoms 10 >"$T/bad.dcd"
    poke "$T/bad.dcd" 188 00 a3 e1 11
    poke "$T/bad.dcd" 252 00 8c 86 47
    peak "$T/peak" trjcat "$T/bad.dcd" 2>"$T/err" >"$T/out" && return 1
    below "$T/peak" 32000
    # shellcheck disable=SC2002 # it is to be a pipe
    cat "$T/bad.dcd" | peak "$T/peak" trjcat - 2>"$T/err" >"$T/out" && return 1
    below "$T/peak" 32000
    grep -q 'stdin: .*byte' "$T/err"
}

@test "frames too large for two in memory: less than twice the frame and 64 MB, and the counts of one thread" {
    mkdcd --atoms 1500000 --frames 2 --cell 355.5,355.5,355.5 | trjcat - >"$T/trjf"
    peak "$T/hist" rdfhist -e cpu -j 3 -b 20 -r 4 "$T/trjf" >"$T/rdfh"
    below "$T/hist" $(((2 * 12 * 1500000 + 64000000) / 1000))
    rdfhist -e cpu -j 1 -b 20 -r 4 "$T/trjf" | counts >"$T/one"
    counts "$T/rdfh" | same - "$T/one"
    # The count is complete: g(r) is 1.
    awk '{ s += $1 } END { p = s / 2 / (1500000 * 1500000 / 2) / (4 / 3 * atan2(0, -1) * (4 / 355.5) ^ 3) - 1
        exit !(p < 3e-3 && p > -3e-3) }' "$T/one"
}
