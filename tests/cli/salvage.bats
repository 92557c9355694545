#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjcat --salvage: what it writes and reports for damaged frame streams. tests/unit/test_stream_salvage.c damages each
# byte of a stream.
load helper

WATER=examples/water/water.dcd FRAMES=128

# salvages STATUS FILE OPTION...: trjcat --salvage ends with this status, and its output in $T/good.trjf is a valid
# stream; messages are in $T/err
salvages() {
    local status=$1 got=0
    shift
    trjcat --salvage "$@" -o "$T/good.trjf" 2>"$T/err" || got=$?
    [[ $got == "$status" ]] || { echo "status $got"; cat "$T/err"; return 1; }
    trjinfo --check "$T/good.trjf" >/dev/null
}

# damage FILE BYTE: changes four bytes
damage() {
    poke "$1" "$2" 58 59 5a 00
}

# Succeeds if all lines of $T/left occur in $T/all. (grep -vxFf takes seconds for as many lines.)
only_known_lines() {
    awk 'NR == FNR { known[$0]; next } !($0 in known) { print "other frames: " $0; exit bad = 1 } END { exit bad }' \
        "$T/all" "$T/left"
}

# Prints the numbers of the frames in $T/good.trjf, after a check that they are those of the trajectory.
left() {
    trjcat "$WATER" | bare_frames >"$T/all"
    trjcat "$T/good.trjf" | bare_frames >"$T/left"
    only_known_lines || return 1
    sed -n 's/^frame \([0-9]*\) .*/\1/p' "$T/left"
}

@test "--salvage: undamaged stream: the same frames, no message, status 0" {
    trjcat "$WATER" >"$T/run.trjf"
    salvages 0 "$T/run.trjf"
    [[ ! -s $T/err ]]
    same <(left) <(seq 0 $((FRAMES - 1)))
    trjdump <"$T/good.trjf" | has '^provenance trjcat .*: trjcat --salvage '
}

@test "--salvage: damaged block: the frames before and after it, and a message with bytes and frames" {
    trjcat -z 0 "$WATER" >"$T/bad.trjf"
    local at next
    at=$(borders "$T/bad.trjf" | sed -n 7p) # the third block of frames
    next=$(borders "$T/bad.trjf" | sed -n 8p)
    damage "$T/bad.trjf" $((at + 5000))
    fails 3 'checksum mismatch: stream damaged; run trjcat again, or drop the damaged parts with trjcat --salvage' \
        trjcat "$T/bad.trjf"
    salvages 3 "$T/bad.trjf"
    same "$T/err" - <<END
trjcat: $T/bad.trjf: dropped: bytes $at to $((next - 1)), frames 44 to 65: block 6 (FRAM) at byte $at: \
checksum mismatch: stream damaged
trjcat: input damaged: dropped $((next - at)) bytes in 1 part, and 22 frames; the output is complete and contains the \
other 106 frames
END
    same <(left) <(seq 0 43; seq 66 127)
    # The next program of a pipeline reads a complete stream. With a pipe as the input, the result is the same.
    counted -e cpu -r 6 -b 20 <"$T/good.trjf" >"$T/expected"
    # shellcheck disable=SC2002 # a pipe is tested
    cat "$T/bad.trjf" | { trjcat --salvage - 2>"$T/err" || (($? == 3)); } | counted -e cpu -r 6 -b 20 |
        same "$T/expected" -
    grep -q "^trjcat: stdin: dropped: bytes $at to " "$T/err"
}

@test "--salvage: truncated stream, also with a damaged block, and failed stream: the frames of the whole blocks" {
    trjcat -z 0 "$WATER" >"$T/run.trjf"
    local at
    at=$(borders "$T/run.trjf" | sed -n 7p)
    head -c 700000 "$T/run.trjf" >"$T/bad.trjf"
    salvages 3 "$T/bad.trjf"
    same <(left) <(seq 0 43)
    grep -q "bytes $at to 699999, an unknown number of frames after frame 43 of $WATER: .*truncated" "$T/err"
    head -c 1200000 "$T/run.trjf" >"$T/bad.trjf"
    damage "$T/bad.trjf" 300000
    salvages 3 "$T/bad.trjf"
    same <(left) <(seq 0 21; seq 44 87)
    grep -q "an unknown number of frames after frame 21 of $WATER and before frame 44 of $WATER: " "$T/err"
    grep -q ', and an unknown number of frames; the output is complete and contains the other 66 frames$' "$T/err"
    head -c 1000000 $WATER >"$T/cut.dcd"
    { trjcat "$T/cut.dcd" 2>/dev/null || true; } | cat >"$T/bad.trjf"
    salvages 3 "$T/bad.trjf"
    grep -q 'the program that wrote this stream failed: trjcat: ' "$T/err"
    (($(trjdump <"$T/good.trjf" | grep -c ^frame) > 40))
}

@test "--salvage: deleted bytes, streams joined by cat, missing END block: reported" {
    trjcat -z 0 "$WATER" >"$T/run.trjf"
    (head -c 600000 "$T/run.trjf" && tail -c +600101 "$T/run.trjf") >"$T/bad.trjf"
    salvages 3 "$T/bad.trjf"
    same <(left) <(seq 0 43; seq 66 127)
    grep -q 'frames 44 to 65: ' "$T/err"
    cat "$T/run.trjf" "$T/run.trjf" >"$T/bad.trjf"
    salvages 3 "$T/bad.trjf"
    same <(left) <(seq 0 127)
    grep -q ', no frames: data follow the END block at byte ' "$T/err"
    head -c -1 "$T/run.trjf" >"$T/bad.trjf"
    salvages 3 "$T/bad.trjf"
    same <(left) <(seq 0 127)
    grep -q ', and 0 frames; the output is complete and contains the other 128 frames$' "$T/err"
}

@test "--salvage: packed and compressed frames, several inputs" {
    local part
    for part in 0:40 40:90 90:128; do trjcat --to xtc -f $part "$WATER" >"$T/${part%:*}.xtc"; done
    local level
    for level in '' '-z 3'; do
        # shellcheck disable=SC2086 # an option and its value
        trjcat $level "$T"/{0,40,90}.xtc >"$T/bad.trjf"
        damage "$T/bad.trjf" $(($(stat -c %s "$T/bad.trjf") / 2))
        salvages 3 "$T/bad.trjf" "$T/bad.trjf"
        [[ $(grep -c 'bad.trjf: dropped: ' "$T/err") == 2 ]]
        trjcat "$T"/{0,40,90}.xtc | bare_frames >"$T/all"
        trjcat "$T/good.trjf" | bare_frames >"$T/left"
        [[ -s $T/left ]]
        only_known_lines
        (($(grep -c ^frame "$T/left") < 2 * FRAMES))
    done
}

@test "--salvage: damage before the first frame, other formats, selected frames: rejected" {
    trjcat "$WATER" >"$T/run.trjf"
    cp "$T/run.trjf" "$T/bad.trjf"
    damage "$T/bad.trjf" 100
    fails_cleanly 3 'damage before the first frame cannot be salvaged: create the stream again' \
        trjcat --salvage "$T/bad.trjf"
    fails_cleanly 3 "$WATER: only frame streams (.trjf) can be salvaged; leave --salvage out" trjcat --salvage "$WATER"
    local option
    for option in '-f 3:' '--segment 1/2' '--time 5:'; do
        # shellcheck disable=SC2086 # an option and its value
        fails_cleanly 2 '--salvage writes all frames that are left; select frames from its output with another trjcat' \
            trjcat --salvage $option "$T/run.trjf"
    done
}
