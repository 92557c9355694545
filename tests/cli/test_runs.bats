#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tests/run, which counts the tests of all programs and Bats files: what counts as a failure.
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
