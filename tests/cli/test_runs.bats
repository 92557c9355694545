#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tests/run and tests/bats: what counts as a failure, the order of files, and samples of faults.
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
    env -u TRJPIPE_SAMPLE tests/run "$T/unknown" | has -xE '# TRJPIPE_SAMPLE=[0-9]+/16'
}

@test "samples of a sweep: together they try each fault once" {
    local k i
    for k in {1..8}; do
        for i in {0..20}; do ! TRJPIPE_SAMPLE=$k/8 sampled "$i" || echo "$i"; done
    done | sort -n | same <(seq 0 20) -
}

# file LINE...: writes $T/a.bats
file() {
    printf '%s\n' "$@" >"$T/a.bats"
}

# results STATUS: runs it, and compares the exit status and the output with standard input
results() {
    local rc=0
    cat >"$T/expected"
    tests/bats "$T/a.bats" >"$T/log" 2>&1 </dev/null || rc=$?
    sed -i "s|$T/||" "$T/log"
    same "$T/expected" "$T/log" && [[ $rc == "$1" ]]
}

@test "tests/bats: commands, conditions, functions, subshells and exit fail in any place, and are reported" {
    # shellcheck disable=SC2016 # code
    file 'g() {' '    [[ a == b ]]' '}' '@test "condition" {' '    echo out' '    g' '}' \
        '@test "arithmetic" { ((1 == 2)); }' '@test "subshell" { (cd / && false); }' '@test "assignment" {' \
        '    local x' '    x=$(false)' '    true' '}' '@test "ends" {' '    exit 0' '}' '@test "negated" {' \
        '    ! true' '    true' '}' '@test "pipe \"$((1 + 1))\"" {' '    set -o pipefail' '    exit 4 | cat' '}'
    results 1 <<'END'
1..7
not ok 1 condition
# in g, a.bats, line 2
# in the test, a.bats, line 6
#   `[[ a == b ]]' failed with status 1
# out
not ok 2 arithmetic
# in the test, a.bats, line 8
#   `@test "arithmetic" { ((1 == 2)); }' failed with status 1
not ok 3 subshell
# in the test, a.bats, line 9
#   `@test "subshell" { (cd / && false); }' failed with status 1
not ok 4 assignment
# in the test, a.bats, line 12
#   `x=$(false)' failed with status 1
not ok 5 ends
#   ended early
ok 6 negated
not ok 7 pipe "2"
# in the test, a.bats, line 24
#   `exit 4 | cat' failed with status 4
END
}

@test "tests/bats: run, skip, setup, teardown and setup_file" {
    # shellcheck disable=SC2016 # code
    file 'setup_file() { export FOO=1; echo a >"$BATS_FILE_TMPDIR/f"; }' 'setup() { x=3; }' \
        'teardown() { [[ ! -e $BATS_TEST_TMPDIR/bad ]] && echo "$BATS_TEST_NUMBER" >>"$BATS_FILE_TMPDIR/f"; }' \
        '@test "a" { [[ $FOO == 1 && $x == 3 ]]; x=4; }' '@test "b" { skip "a reason"; false; }' \
        '@test "c" { false; }' '@test "d" { >"$BATS_TEST_TMPDIR/bad"; }' \
        '@test "e" { [[ $x == 3 && $(tr "\n" " " <"$BATS_FILE_TMPDIR/f") == "a 1 2 3 " ]]; }' \
        '@test "f" {' '    run -3 bash -c "echo a; echo; echo b >&2; exit 3"' \
        '    [[ $status == 3 && $output == $'\''a\n\nb'\'' && ${#lines[@]} == 2 ]]' \
        '    run --separate-stderr bash -c "echo a; echo b >&2"' \
        '    [[ $status == 0 && $output == a && $stderr == b ]]' \
        '    run ! false' '    run ! true' '}' '@test "g" {' '    run -1 true' '}'
    results 1 <<'END'
1..7
ok 1 a
ok 2 b # skip a reason
not ok 3 c
# in the test, a.bats, line 6
#   `@test "c" { false; }' failed with status 1
not ok 4 d
#   ended early
# teardown failed
ok 5 e
not ok 6 f
# in the test, a.bats, line 15
#   `run ! true' failed with status 1
# run: exit status 0 of: true
not ok 7 g
# in the test, a.bats, line 18
#   `run -1 true' failed with status 1
# run: exit status 0, not 1, of: true
END
    file 'setup_file() {' '    false' '}' '@test "a" { true; }'
    results 1 <<'END'
1..1
not ok 1 setup_file
# in setup_file, a.bats, line 2
#   `false' failed with status 1
END
    file '@test "a" { if; }'
    tests/bats "$T/a.bats" >"$T/log" && return 1
    grep -q '^not ok' "$T/log"
}
