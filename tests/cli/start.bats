#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Engine auto in builds with CUDA, with a driver that cannot be started. test_engine_handover.c, test_count_pool.c and
# test_map_run.c test the same with simulated engines, in every build; tests/gpu/check tests hand-overs to real GPUs.
load helper

setup_file() {
    export T="$BATS_FILE_TMPDIR"
    mkdir "$T/driver"
    ln -s "$TRJPIPE_TESTS/helpers/broken_driver.so" "$T/driver/libcuda.so.1"
    mkdcd --atoms 300 --frames 40 --cell 15,15,15 | trjcat - >"$T/s.trjf"
    rdfhist -e cpu "$T/s.trjf" | counts >"$T/expected"
}

setup() {
    [[ $(rdfhist --version) == *'engines: cuda'* ]] || skip 'a build without CUDA'
}

# Runs rdfhist with a driver that is broken in this way. TRJPIPE_HANDOVER is the frame before which its start ends.
broken() { # HOW FRAME [ARGUMENT...]
    BROKEN_DRIVER=$1 TRJPIPE_HANDOVER=$2 DRIVER_LOADED="$T/loaded" LD_LIBRARY_PATH="$T/driver" \
        timeout 300 "$TRJPIPE_BIN/rdfhist" "${@:3}" "$T/s.trjf"
}

@test "auto, a driver that crashes at start: a note, and the counts of engine cpu" {
    for frame in 0 7 39; do
        broken crash "$frame" 2>"$T/err" | counts | cmp - "$T/expected"
        grep -qx 'rdfhist: note: engine cuda: its driver crashed when it was started (Aborted)' "$T/err"
    done
    [[ -e $T/loaded ]]
}

@test "auto, a driver without functions: no note, and the counts of engine cpu" {
    for frame in 0 7 39; do
        broken absent "$frame" 2>"$T/err" | counts | cmp - "$T/expected"
        [[ $(wc -l <"$T/err") -eq 1 ]] && grep -qE '^rdfhist: engine cpu, threads [0-9]+$' "$T/err"
    done
}

# The start begins with the first frame, and no frame waits for it. `cat` ends when no process has its input open.
@test "auto, maps: a driver that crashes, has no functions or hangs: the bytes of engine cpu, without waiting" {
    map() { tail -c +1025 "$1"; } # the values of an MRC file
    local map=(densmap --grid 2 --fractional --sigma 1)
    "${map[@]}" -e cpu -o "$T/cpu.mrc" "$T/s.trjf" 2>"$T/err"
    for how in crash absent hang; do
        local frame=7
        [[ $how != hang ]] || frame=1000
        rm -f "$T/loaded"
        BROKEN_DRIVER=$how TRJPIPE_HANDOVER=$frame DRIVER_LOADED="$T/loaded" LD_LIBRARY_PATH="$T/driver" \
            timeout 60 "$TRJPIPE_BIN/${map[0]}" "${map[@]:1}" -o "$T/auto.mrc" "$T/s.trjf" 2>"$T/err"
        cmp <(map "$T/cpu.mrc") <(map "$T/auto.mrc")
        local crashed=0
        ! grep -qx 'densmap: note: engine cuda: its driver crashed when it was started (Aborted)' "$T/err" || crashed=1
        [[ $crashed -eq $([[ $how == crash ]] && echo 1 || echo 0) ]]
        [[ $how == hang || -e $T/loaded ]]
    done
}

@test "auto, a driver that hangs: rdfhist, and the program that reads its output, end with the counts of engine cpu" {
    rm -f "$T/loaded"
    mkdcd --atoms 60000 --frames 20 --cell 85,85,85 | trjcat - >"$T/large.trjf"
    for part in {0..20}; do # frames are read ahead, so that the first one is counted when others have arrived
        dd if="$T/large.trjf" bs=1M skip="$part" count=1 status=none
        [[ -e $T/loaded ]] || sleep 0.5
    done | BROKEN_DRIVER=hang TRJPIPE_HANDOVER=1000 DRIVER_LOADED="$T/loaded" LD_LIBRARY_PATH="$T/driver" \
        timeout 300 "$TRJPIPE_BIN/rdfhist" -r 4 2>"$T/err" | timeout 300 cat >"$T/out"
    [[ -e $T/loaded && $(<"$T/err") != *note* ]]
    rdfhist -e cpu -r 4 "$T/large.trjf" | counts | cmp - <(counts "$T/out")
}

@test "no driver is loaded before the first frame, nor by a short job" {
    rm -f "$T/loaded"
    local driver=(env BROKEN_DRIVER=crash DRIVER_LOADED="$T/loaded" LD_LIBRARY_PATH="$T/driver")
    for engine in auto cuda; do
        run "${driver[@]}" "$TRJPIPE_BIN/rdfhist" -e "$engine" "$T/missing"
        [[ $status -eq 1 && $output == *missing* ]]
        run "${driver[@]}" "$TRJPIPE_BIN/rdfhist" -e "$engine" /dev/null
        [[ $status -eq 3 && $output == *'is empty'* ]]
        run "${driver[@]}" "$TRJPIPE_BIN/rdfhist" --version
        [[ $status -eq 0 && ! -e $T/loaded ]]
    done
    trjcat -f :1 "$T/s.trjf" | "${driver[@]}" "$TRJPIPE_BIN/rdfhist" >"$T/out"
    [[ ! -e $T/loaded ]]
}
