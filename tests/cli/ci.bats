#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scripts of CI: which files clang-tidy checks again, and which tests a bare root runs.
load helper

@test "lint: clang-tidy, cppcheck and shellcheck check the files that changed since the last check of all, and those that include them" {
    need git
    mkdir -p "$T/r/.ci" "$T/r/lib/x" "$T/r/tests/unit"
    cp .ci/changed "$T/r/.ci"
    cd "$T/r"
    git() { command git -c user.name=a -c user.email=a@b "$@"; }
    echo 'Checks: x' >.clang-tidy
    echo >lib/x/low.h
    echo '#include "low.h"' >lib/x/middle.h
    echo '#include "middle.h"' >lib/x/top.c
    echo '#  include "low.h" // for x' >tests/unit/test_low.c
    echo '#include <low.h>' >lib/x/alone.c
    git init -q && git add . && git commit -qm first && git rev-parse HEAD >.ci/lint-base
    files='lib/x/alone.c lib/x/top.c tests/unit/test_low.c'
    changed() { # shellcheck disable=SC2086 # words
        .ci/changed $files | tr '\n' ' '
    }
    [[ -z $(changed) ]]
    echo >>lib/x/alone.c
    [[ $(changed) == 'lib/x/alone.c ' ]]
    git commit -qam second
    [[ $(changed) == 'lib/x/alone.c ' ]]
    git rev-parse HEAD >.ci/lint-base
    echo >>lib/x/low.h
    [[ $(changed) == 'lib/x/top.c tests/unit/test_low.c ' ]]
    git checkout -q lib && echo >>lib/x/middle.h
    [[ $(changed) == 'lib/x/top.c ' ]]
    git checkout -q lib && echo >lib/x/new.c && files="lib/x/new.c $files"
    [[ $(changed) == 'lib/x/new.c ' ]]
    mkdir tests/cli && echo >tests/cli/a.bats && echo >tests/cli/b.bats && git add tests && git commit -qm third
    git rev-parse HEAD >.ci/lint-base && echo >>tests/cli/b.bats
    [[ $(.ci/changed tests/cli/a.bats tests/cli/b.bats) == tests/cli/b.bats ]]
    git checkout -q tests lib
    # Other rules, or a commit that a shallow clone lacks: all
    echo 'Checks: y' >.clang-tidy
    [[ $(changed) == "$files " ]]
    git checkout -q .clang-tidy && echo 1234567890123456789012345678901234567890 >.ci/lint-base
    [[ $(changed) == "$files " ]]
}

@test "bare root: equal programs run the tests that depend on the environment, different ones run all" {
    mkdir -p "$T/o/bin"
    echo program >"$T/o/bin/trjcat"
    (cd "$T/o" && sha256sum bin/trjcat >"$T/sums")
    tests=(o/tests/unit/test_dcd o/tests/unit/test_unpack tests/cli/frames.bats tests/cli/install.bats)
    untested() { TRJPIPE_TESTED=$1 .ci/untested "$T/o" "${tests[@]}" 2>"$T/err" | tr '\n' ' '; }
    [[ $(untested '') == "${tests[*]} " && $(untested "$T/missing") == "${tests[*]} " ]]
    : >"$T/empty"
    [[ $(untested "$T/empty") == "${tests[*]} " ]]
    [[ $(untested "$T/sums") == 'o/tests/unit/test_unpack tests/cli/install.bats ' ]]
    echo other >"$T/o/bin/trjcat"
    [[ $(untested "$T/sums") == "${tests[*]} " ]]
    has 'bin/trjcat: FAILED' <"$T/err"
    rm "$T/o/bin/trjcat"
    [[ $(untested "$T/sums") == "${tests[*]} " ]]
}

@test "bare root: each test of the list exists and has a reason" {
    local name reason
    while read -r name reason; do
        [[ $reason && (-f tests/cli/$name || -f tests/unit/$name.c) ]] || { echo "$name"; return 1; }
    done < <(grep -v '^#' tests/environment_tests)
}

@test "bare root: a program that a test needs and that may not be missing is a failure" {
    printf '%s\n' 'load helper' '@test "a" { need no_such_program; }' >"$T/a.bats"
    cp tests/cli/helper.bash "$T"
    env -u TRJPIPE_MAY_LACK tests/bats "$T/a.bats" | has 'skip no_such_program is not installed'
    TRJPIPE_MAY_LACK='gmx no_such_program' tests/bats "$T/a.bats" | has 'skip no_such_program is not installed'
    run ! env TRJPIPE_MAY_LACK=gmx tests/bats "$T/a.bats"
    [[ $output == *'no_such_program is not installed; .ci/deps must install it'* ]]
}
