#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tests/run: what counts as a failure, the order of files, and samples of faults.
load helper

# program NAME COMMAND...: writes a test program that runs the commands
program() {
    printf '#!/bin/sh\n%s\n' "${*:2}" >"$T/$1"
    chmod +x "$T/$1"
}

# counts STATUS LINE PROGRAM...: runs test programs, and compares the exit status and the last line
counts() {
    local rc=0
    tests/run "${@:3}" >"$T/log" 2>&1 || rc=$?
    [[ $rc == "$1" && $(tail -n 1 "$T/log") == "$2" ]] || { cat "$T/log"; return 1; }
}

@test "tests/run: a program that ends early, or with an error, has failed, also in the middle of a line" {
    program good 'echo "ok 1 - a"; echo "1..1"'
    program no_plan 'echo "ok 1 - a"'
    program status 'echo "ok 1 - a"; echo "1..1"; exit 3'
    program middle 'printf "ok 1 - a"; exit 3'
    program bad 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "1..2"; exit 1'
    counts 0 '1 passed, 0 failed, 0 skipped' "$T/good"
    for name in no_plan status middle bad; do
        counts 1 '2 passed, 1 failed, 0 skipped' "$T/$name" "$T/good"
    done
    counts 1 '1 passed, 1 failed, 0 skipped' "$T/missing" "$T/good"
}

@test "tests/run: unknown files first, then those with the longest times; the times and the sample near the end" {
    local name
    for name in test_xtc unknown test_engine; do program $name 'echo "ok 1 - a"; echo "1..1"'; done
    TIMES=$T/times TRJPIPE_SAMPLE=3/8 tests/run "$T"/{test_xtc,unknown,test_engine} >"$T/log"
    sed -n 's/^# \([a-z_]*\)$/\1/p' "$T/log" | same <(printf '%s\n' unknown test_engine test_xtc) -
    grep -qxE '# +[0-9.]+ s of CPU time: unknown' "$T/log"
    [[ $(tail -n 2 "$T/log") == $'# TRJPIPE_SAMPLE=3/8\n3 passed, 0 failed, 0 skipped' ]]
    cut -f 1 "$T/times" | same <(printf '%s\n' test_engine test_xtc unknown) -
    # A run of some tests keeps the times of the others.
    printf '%s\t12.5\n' other unknown | sort -o "$T/times" - "$T/times"
    sed -i '/^unknown\t0/d' "$T/times"
    TIMES=$T/times tests/run "$T/unknown" >"$T/log"
    cut -f 1 "$T/times" | same <(printf '%s\n' other test_engine test_xtc unknown) -
    grep -qxP 'other\t12.5' "$T/times"
    grep -qxP 'unknown\t0\.\d' "$T/times"
    env -u TRJPIPE_SAMPLE tests/run "$T/unknown" | has -xE '# TRJPIPE_SAMPLE=[1-8]/8'
}

@test "samples of a sweep: together they try each fault once" {
    local k i
    for k in {1..8}; do
        for i in {0..20}; do ! TRJPIPE_SAMPLE=$k/8 sampled "$i" || echo "$i"; done
    done | sort -n | same <(seq 0 20) -
}
