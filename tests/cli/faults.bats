#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Calls of the system that fail: the tool ends with status 1 and the reason that the system gives, or its output is the
# same as without the failure. A failure never changes the result, and is not reported as damage of the input.
load helper

setup_file() {
    T=$BATS_FILE_TMPDIR
    mkdcd --atoms 40 --frames 6 --cell 12,12,12 >"$T/a.dcd"
    trjcat "$T/a.dcd" -o "$T/a.xtc"
    trjcat "$T/a.dcd" -o "$T/a.nc" 2>/dev/null
    gzip -c "$T/a.dcd" >"$T/a.dcd.gz"
    trjcat -g A='index 0 to 9' -g B='index 5 to 30' "$T/a.dcd" -o "$T/a.trjf"
    trjcat -z 3 -g A='index 0 to 9' "$T/a.dcd" -o "$T/z.trjf"
    trjcat --precision 0.01 "$T/a.dcd" -o "$T/p.trjf"
    { head -c 1500 "$T/a.trjf" && printf xx && tail -c +1503 "$T/a.trjf"; } >"$T/bad.trjf"
    rdfhist -e cpu -j 1 -b 20 -r 5 -p A:B "$T/a.trjf" -o "$T/a.rdfh"
    rdfhist -e cpu -j 1 -b 20 -r 5 -p A:A "$T/a.trjf" -o "$T/p.rdfh"
    rdfnorm "$T/a.rdfh" -o "$T/a.tsv"
    cp examples/water/water.pdb "$T"
    printf '[ A ]\n1 2 3\n' >"$T/i.ndx"
    mkgrid counts 1 0 1 2 1 >"$T/a.trjg"
    mapsum "$T/a.trjg" >"$T/one.trjg"
    mapconv "$T/one.trjg" -o "$T/one.dx" 2>/dev/null
    mapconv "$T/one.trjg" -o "$T/one.npy" 2>/dev/null
    printf '%s\n' 'trjrun: 1' 'stages:' '  atoms: {tool: trjcat, files: a.dcd}' \
        '  gr: {tool: rdfhist, from: atoms, rmax: 5, output: gr.rdfh}' >"$T/r.yaml"
}

# fails_at CALL COMMAND...: lets each call of a function fail once, in the sample of this run (tests/run)
fails_at() {
    local library=$TRJPIPE_TESTS/helpers/fail_calls.so call=$1 i n got number=0
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    shift
    rm -f "$T/count"
    FAIL_CALL=$call FAIL_CALL_COUNT=$T/count LD_PRELOAD=$library "$@" >"$T/expected" 2>"$T/messages" </dev/null
    n=$(<"$T/count")
    for ((i = 1; i <= n; i++)); do
        sampled $((number++)) || continue
        got=0
        FAIL_CALL=$call FAIL_CALL_AT=$i LD_PRELOAD=$library "$@" >"$T/out" 2>"$T/err" </dev/null || got=$?
        if [[ $got == 0 ]]; then
            { same "$T/expected" "$T/out" && same "$T/messages" "$T/err"; } || { echo "$call $i of $n: $*"; return 1; }
        elif [[ $got != 1 || ! $(<"$T/err") =~ 'Input/output error'|'Cannot allocate memory' ]]; then
            echo "$call $i of $n: status $got: $*"
            cat "$T/err"
            return 1
        fi
    done
}

@test "read, fstat, lseek or stat fails: trjcat and trjinfo" {
    F=$BATS_FILE_TMPDIR
    local call
    for call in read fstat lseek stat; do
        fails_at $call trjcat -j 1 "$F/a.dcd"
        fails_at $call trjcat -j 1 "$F/a.dcd" -f 1:3
        fails_at $call trjcat -j 1 "$F/a.xtc"
        fails_at $call trjcat -j 1 "$F/a.nc"
        fails_at $call trjcat -j 1 "$F/a.trjf"
        fails_at $call trjcat -j 1 "$F/a.dcd.gz"
        fails_at $call trjcat -j 1 "$F/z.trjf"
        fails_at $call trjcat -j 1 "$F/p.trjf"
        fails_at $call trjcat -j 1 --digest "$F/a.dcd"
        fails_at $call trjcat -j 1 --follow -f 0:3 "$F/a.dcd"
        fails_at $call trjcat -j 1 -t "$F/water.pdb" -g "A=name OW" -f 0:2 examples/water/water.dcd
        fails_at $call trjinfo --check "$F/a.dcd"
        fails_at $call trjinfo "$F/water.pdb"
        fails_at $call trjinfo "$F/a.rdfh"
    done
}

@test "read, fstat, lseek or stat fails: salvage" {
    F=$BATS_FILE_TMPDIR
    local call i status
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    for call in read fstat lseek; do
        for ((i = 1; i < 40; i++)); do
            status=0
            FAIL_CALL=$call FAIL_CALL_AT=$i LD_PRELOAD=$TRJPIPE_TESTS/helpers/fail_calls.so \
                trjcat -j 1 --salvage "$F/bad.trjf" >"$T/out" 2>"$T/err" || status=$?
            [[ $status == [013] && ($status == 0 || $(<"$T/err") == *trjcat:*) ]] ||
                { echo "$call $i: $status"; return 1; }
        done
    done
}

@test "read, fstat, lseek or stat fails: histograms, tables and figures" {
    F=$BATS_FILE_TMPDIR
    local call
    for call in read fstat lseek stat; do
        fails_at $call rdfhist -e cpu -j 1 -b 20 -r 5 "$F/a.trjf"
        fails_at $call skhist -e cpu -j 1 -q 1 "$F/a.trjf"
        fails_at $call rdfnorm "$F/a.rdfh"
        fails_at $call rdfderive -q pdf --total number --to sq "$F/p.rdfh"
        fails_at $call rdfcmp "$F/a.rdfh" "$F/a.tsv"
        fails_at $call rdfplot "$F/a.tsv"
        fails_at $call trjrun --check "$F/r.yaml"
    done
}

@test "read, fstat, lseek or stat fails: maps" {
    F=$BATS_FILE_TMPDIR
    local call
    for call in read fstat lseek stat; do
        fails_at $call mapsum "$F/a.trjg"
        fails_at $call mapconv --to mrc "$F/one.trjg"
        fails_at $call mapmath a "$F/a.trjg"
        fails_at $call mapinfo "$F/one.dx"
        fails_at $call mapinfo "$F/one.npy"
        fails_at $call surf -l 0.5 "$F/one.dx"
        fails_at $call densmap -e cpu -j 1 --of A -g 3 "$F/a.trjf"
        fails_at $call mapcc "$F/one.dx" "$F/one.dx"
    done
}

@test "a file that is followed: a failure of the system is an error, not the end of the file" {
    F=$BATS_FILE_TMPDIR
    local call i status library=$TRJPIPE_TESTS/helpers/fail_calls.so
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    # After these frames, the tool waits for more: each failure must end it.
    for call in fstat poll; do
        status=0
        for i in 12 13 20 40; do
            FAIL_CALL=$call FAIL_CALL_AT=$i timeout 60 env LD_PRELOAD="$library" trjcat -j 1 --follow "$F/a.dcd" \
                >"$T/out" 2>"$T/err" || status=$?
            [[ $status == 1 && $(tail -n 1 "$T/err") =~ 'Input/output error'|'Cannot allocate memory' ]] ||
                { echo "$call $i: status $status"; cat "$T/err"; return 1; }
        done
    done
}

@test "poll fails for a pipe: an error" {
    F=$BATS_FILE_TMPDIR
    # shellcheck disable=SC2002 # a pipe is tested
    piped() { cat "$F/a.trjf" | trjcat -j 1 -; }
    fails_at poll piped
}

@test "an action of a new process fails: trjrun prints no output of the tools" {
    F=$BATS_FILE_TMPDIR
    local call i status
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    for call in posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addopen; do
        for i in 1 2 3 4 5; do
            status=0
            FAIL_CALL=$call FAIL_CALL_AT=$i LD_PRELOAD=$TRJPIPE_TESTS/helpers/fail_calls.so trjrun --schema \
                >"$T/out" 2>"$T/err" || status=$?
            [[ $status == 1 && ! -s $T/out && $(<"$T/err") == *'Cannot allocate memory' ]] ||
                { echo "$call $i: status $status"; cat "$T/err"; return 1; }
        done
    done
}

@test "threads are not cancelled, which would need a library that can be missing" {
    run ! grep -l pthread_cancel "$TRJPIPE_BIN"/*
}
