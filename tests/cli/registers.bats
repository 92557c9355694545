#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Registers, shared memory and spills of the CUDA kernels, which decide how many of their threads run at the same time.
# A change of code that all kernels share once made the plain count 5 to 17 % slower without any test noticing it.
load helper

@test "registers, shared memory and spills of each kernel: at most those recorded in tests/bench/registers.tsv" {
    local table=tests/bench/registers.tsv
    local -a reports=("$TRJPIPE_KERNELS"/cuda/*/*.ptxas)
    [[ -e ${reports[0]} ]] || skip 'this build has no reports of ptxas: it was made without nvcc'
    tests/bench/registers "${reports[@]}" >"$T/built"
    [[ $(head -n 1 "$T/built") == "$(head -n 1 "$table")" ]] || skip "another nvcc: $(head -n 1 "$T/built")"
    grep -v '^#' "$table" | cut -f 3 | has -Fxf <(cut -f 3 "$T/built") || skip 'no architecture of the table'
    # Rows of architectures that the table does not have are ignored.
    # shellcheck disable=SC2016 # the fields are those of awk
    run -0 awk -F '\t' '/^#/ { next }
        NR == FNR {
            architectures[$3] = row[$1, $2, $3] = 1
            for (i = 4; i <= 6; i++) limit[$1, $2, $3, i] = $i
            next
        }
        !($3 in architectures) { next }
        !row[$1, $2, $3] { print "not in registers.tsv: " $0; next }
        { for (i = 4; i <= 6; i++) if ($i > limit[$1, $2, $3, i]) print $0 ": recorded: " limit[$1, $2, $3, i] }' \
        "$table" "$T/built"
    echo "$output"
    [[ -z $output ]]
}
