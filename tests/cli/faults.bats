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
    cp "$T/a.rdfh" "$T/gr.rdfh"
    (cd "$T" && trjcat -j 1 --digest a.dcd | rdfhist --digest -e cpu -j 1 -b 20 -r 5 -o d.rdfh)
}

# Functions whose failures the sweeps try, each with EIO
CALLS=(read pread fstat lseek stat lstat access open fopen opendir realpath readlink)

# The folder $T/place contains the files `placed` before each command.
placed=()
prepare() {
    rm -rf "$T/place"
    mkdir "$T/place"
    ((!${#placed[@]})) || cp -- "${placed[@]}" "$T/place"
}

# Prints the files in this folder, also those whose names begin with a dot, and their content.
state() {
    (cd "$T/place" && find . -type f -exec md5sum {} + | sort)
}

# fails_at CALL COMMAND...: lets each call of a function fail once, in the sample of this run (tests/run). If the
# command fails, the files are as before.
tried=0
fails_at() {
    local library=$TRJPIPE_TESTS/helpers/fail_calls.so call=$1 i n got
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    shift
    rm -f "$T/count"
    prepare
    state >"$T/before"
    FAIL_CALL=$call FAIL_CALL_COUNT=$T/count LD_PRELOAD=$library "$@" >"$T/expected" 2>"$T/messages" </dev/null
    state >"$T/made"
    sed -i 's/ done: .*//' "$T/messages" # trjrun prints its speed
    n=$(<"$T/count")
    for ((i = 1; i <= n; i++)); do
        sampled $((tried++)) || continue
        got=0
        prepare
        # `timeout` is not the process whose calls fail.
        FAIL_CALL=$call FAIL_CALL_AT=$i timeout 100 env LD_PRELOAD="$library" "$@" >"$T/out" 2>"$T/err" </dev/null ||
            got=$?
        state >"$T/after"
        sed -i 's/ done: .*//' "$T/err"
        if [[ $got == 0 ]]; then
            { same "$T/expected" "$T/out" && same "$T/messages" "$T/err" && same "$T/made" "$T/after"; } ||
                { echo "$call $i of $n: $*"; return 1; }
        elif [[ $got != 1 || ! $(<"$T/err") =~ 'Input/output error'|'Cannot allocate memory' ]]; then
            echo "$call $i of $n: status $got: $*"
            cat "$T/err"
            return 1
        else
            same "$T/before" "$T/after" || { echo "$call $i of $n: files after a failure: $*"; return 1; }
        fi
    done
}

@test "each file call that fails is reported as such: trjcat and trjinfo" {
    F=$BATS_FILE_TMPDIR
    local call
    for call in "${CALLS[@]}"; do
        fails_at "$call" trjcat -j 1 "$F/a.dcd"
        fails_at "$call" trjcat -j 1 "$F/a.dcd" -f 1:3
        fails_at "$call" trjcat -j 1 "$F/a.xtc"
        fails_at "$call" trjcat -j 1 "$F/a.nc"
        fails_at "$call" trjcat -j 1 "$F/a.trjf"
        fails_at "$call" trjcat -j 1 "$F/a.dcd.gz"
        fails_at "$call" trjcat -j 1 "$F/z.trjf"
        fails_at "$call" trjcat -j 1 "$F/p.trjf"
        fails_at "$call" trjcat -j 1 --digest "$F/a.dcd"
        fails_at "$call" trjcat -j 1 --follow -f 0:3 "$F/a.dcd"
        fails_at "$call" trjcat -j 1 -t "$F/water.pdb" -g "A=name OW" -f 0:2 examples/water/water.dcd
        fails_at "$call" trjinfo --check "$F/a.dcd"
        fails_at "$call" trjinfo "$F/water.pdb"
        fails_at "$call" trjinfo "$F/a.rdfh"
    done
}

@test "each file call that fails is reported as such: salvage" {
    F=$BATS_FILE_TMPDIR
    local call i status
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    for call in read pread fstat lseek open; do
        for ((i = 1; i < 40; i++)); do
            status=0
            FAIL_CALL=$call FAIL_CALL_AT=$i LD_PRELOAD=$TRJPIPE_TESTS/helpers/fail_calls.so \
                trjcat -j 1 --salvage "$F/bad.trjf" >"$T/out" 2>"$T/err" || status=$?
            [[ $status == [013] && ($status == 0 || $(<"$T/err") == *trjcat:*) ]] ||
                { echo "$call $i: $status"; return 1; }
        done
    done
}

@test "each file call that fails is reported as such: histograms, tables and figures" {
    F=$BATS_FILE_TMPDIR
    local call
    for call in "${CALLS[@]}"; do
        fails_at "$call" rdfhist -e cpu -j 1 -b 20 -r 5 "$F/a.trjf"
        fails_at "$call" skhist -e cpu -j 1 -q 1 "$F/a.trjf"
        fails_at "$call" rdfnorm "$F/a.rdfh"
        fails_at "$call" rdfderive -q pdf --total number --to sq "$F/p.rdfh"
        fails_at "$call" rdfcmp "$F/a.rdfh" "$F/a.tsv"
        fails_at "$call" rdfplot "$F/a.tsv"
        fails_at "$call" trjrun --check "$F/r.yaml"
    done
}

@test "each file call that fails is reported as such: maps" {
    F=$BATS_FILE_TMPDIR
    local call
    for call in "${CALLS[@]}"; do
        fails_at "$call" mapsum "$F/a.trjg"
        fails_at "$call" mapconv --to mrc "$F/one.trjg"
        fails_at "$call" mapmath a "$F/a.trjg"
        fails_at "$call" mapinfo "$F/one.dx"
        fails_at "$call" mapinfo "$F/one.npy"
        fails_at "$call" surf -l 0.5 "$F/one.dx"
        fails_at "$call" densmap -e cpu -j 1 --of A -g 3 "$F/a.trjf"
        fails_at "$call" mapcc "$F/one.dx" "$F/one.dx"
    done
}

@test "each file call that fails is reported as such: outputs, also if they exist" {
    F=$BATS_FILE_TMPDIR
    local call
    for call in "${CALLS[@]}"; do
        placed=()
        fails_at "$call" trjcat -j 1 "$F/a.dcd" -o "$T/place/a.trjf"
        fails_at "$call" mapconv "$F/one.trjg" -o "$T/place/one.npy"
        fails_at "$call" rdfnorm "$F/a.rdfh" -o /dev/null
        fails_at "$call" densmap -e cpu -j 1 --of A -g 3 -B 2 "$F/a.trjf" --stderr-map "$T/place/e.dx" \
            -o "$T/place/m.dx"
        placed=("$F/a.trjf" "$F/a.tsv" "$F/one.npy" "$F/one.json")
        fails_at "$call" trjcat -j 1 "$F/a.dcd" -o "$T/place/a.trjf"
        fails_at "$call" rdfnorm "$F/a.rdfh" -o "$T/place/a.tsv"
        fails_at "$call" mapconv "$F/one.trjg" -o "$T/place/one.npy"
        fails_at "$call" trjinfo --check "$F/a.dcd" -o "$T/place/a.tsv"
    done
}

@test "each file call that fails is reported as such: an output that is the input is never written" {
    F=$BATS_FILE_TMPDIR
    local call i status
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    cp "$F/a.dcd" "$T/a.dcd"
    for call in "${CALLS[@]}"; do
        for i in 1 2 3 4 5; do
            status=0
            FAIL_CALL=$call FAIL_CALL_AT=$i LD_PRELOAD=$TRJPIPE_TESTS/helpers/fail_calls.so \
                trjcat -j 1 -f 1 "$T/a.dcd" -o "$T/a.dcd" 2>"$T/err" || status=$?
            [[ $status == 1 ]] || { echo "$call $i: status $status"; return 1; }
            same "$F/a.dcd" "$T/a.dcd"
        done
    done
}

@test "each file call that fails is reported as such: recipes" {
    F=$BATS_FILE_TMPDIR
    local call
    for call in "${CALLS[@]}"; do
        placed=("$F/a.dcd" "$F/r.yaml")
        fails_at "$call" trjrun "$T/place/r.yaml"
        fails_at "$call" trjrun --make "$T/place/r.yaml"
        fails_at "$call" trjrun --graph "$T/place/g.svg" "$T/place/r.yaml"
        fails_at "$call" trjrun --verify "$F/d.rdfh"
        placed+=("$F/gr.rdfh")
        fails_at "$call" trjrun "$T/place/r.yaml"
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
