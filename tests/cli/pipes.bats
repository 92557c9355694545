#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Frames in pipes: programs that read a pipe get the bytes that a file would contain, whatever the kernel supports.
load helper

# make ATOMS FRAMES: a trajectory, and the stream that must arrive. Frames of 1000 atoms share blocks; frames of 30,000
# atoms are written from the memory of the frame.
make() {
    mkdcd --atoms "$1" --frames "$2" --cell 80,80,80 >"$T/x.dcd"
    trjcat "$T/x.dcd" >"$T/expected"
}

@test "stream moved to other pipes by splice and read after trjcat has exited: the bytes of the file" {
    make 1000 400
    splice_late trjcat "$T/x.dcd" | cmp - "$T/expected"
    make 30000 12
    splice_late trjcat "$T/x.dcd" | cmp - "$T/expected"
    splice_late trjcat -j 1 "$T/x.dcd" | cmp - "$T/expected"
    # Frames that were decoded are written from memory; those of the DCD, from the pages of the file.
    trjcat "$T/x.dcd" --to xtc -o "$T/x.xtc"
    trjcat -z 0 "$T/x.xtc" >"$T/expected"
    splice_late trjcat -z 0 "$T/x.xtc" | cmp - "$T/expected"
    splice_late trjcat -z 0 -j 4 "$T/x.xtc" | cmp - "$T/expected"
}

@test "several files: each is open until its last frame is in the pipe" {
    make 30000 6
    mkdcd --atoms 30000 --frames 9 --cell 90,90,90 >"$T/y.dcd"
    trjcat "$T/x.dcd" "$T/y.dcd" "$T/x.dcd" >"$T/expected"
    trjcat "$T/x.dcd" "$T/y.dcd" "$T/x.dcd" | cmp - "$T/expected"
    trjcat "$T/x.dcd" "$T/y.dcd" "$T/x.dcd" | { sleep 0.3 && cmp - "$T/expected"; }
}

@test "stream through pv: the bytes of the file" {
    need pv
    make 30000 40
    trjcat "$T/x.dcd" | pv -q -L 50m | cmp - "$T/expected"
    trjcat "$T/x.dcd" | pv -q -C | cmp - "$T/expected"
}

@test "stream through tee, dd and a reader that starts late: the bytes of the file" {
    make 30000 40
    trjcat "$T/x.dcd" | tee "$T/copy" | cmp - "$T/expected"
    cmp "$T/copy" "$T/expected"
    trjcat "$T/x.dcd" | dd bs=777 status=none | cmp - "$T/expected"
    trjcat "$T/x.dcd" | { sleep 0.5 && cmp - "$T/expected"; }
    # A reader that takes little at a time from the start, and the rest later.
    trjcat "$T/x.dcd" | { head -c 100000 && sleep 0.2 && cat; } >"$T/slow"
    cmp "$T/slow" "$T/expected"
}

@test "reader that closes the pipe early: exit status 1, no message" {
    make 30000 40
    local bytes
    for bytes in 1 1000 200000 1500000; do
        { trjcat "$T/x.dcd" 2>"$T/err" || echo $? >"$T/status"; } | head -c "$bytes" >"$T/out"
        [[ $(<"$T/status") == 1 && ! -s $T/err ]]
        cmp -n "$bytes" "$T/out" "$T/expected"
    done
}

@test "pipe that cannot be enlarged, and no splice or vmsplice: the bytes of the file, no message" {
    local library=$TRJPIPE_TESTS/helpers/fail_calls.so atoms call
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    for atoms in 1000 30000; do
        make "$atoms" $((600000 / atoms))
        trjcat -g all=all "$T/x.dcd" --to xtc -o "$T/x.xtc"
        trjcat -z 0 "$T/x.xtc" >"$T/from_xtc"
        # calls 3 and 5 fail within the stream, after pages were given
        for call in 0 1 3 5; do
            FAIL_PIPE_SIZE=1 FAIL_SPLICE_AT=$call LD_PRELOAD=$library trjcat "$T/x.dcd" 2>"$T/err" |
                cmp - "$T/expected"
            [[ ! -s $T/err ]]
            FAIL_SPLICE_AT=$call LD_PRELOAD=$library trjcat -z 0 "$T/x.xtc" 2>"$T/err" | cmp - "$T/from_xtc"
            [[ ! -s $T/err ]]
            # shellcheck disable=SC2002 # a pipe is tested
            cat "$T/expected" | FAIL_SPLICE_AT=$call LD_PRELOAD=$library trjcat - 2>"$T/err" >"$T/got"
            trjcat - <"$T/expected" | cmp - "$T/got"
            [[ ! -s $T/err ]]
        done
        FAIL_PIPE_SIZE=1 LD_PRELOAD=$library rdfhist -e cpu -b 10 -r 5 <(cat "$T/expected") -o "$T/a.rdfh" 2>"$T/err"
        [[ ! -s $T/err ]]
    done
}

@test "stream from programs that write few bytes at a time: read as the file" {
    need pv
    local atoms
    for atoms in 7000 30000 100000; do
        make "$atoms" 6
        trjcat - <"$T/expected" >"$T/copy"
        dd if="$T/expected" bs=777 status=none | trjcat - | cmp - "$T/copy"
        dd if="$T/expected" bs=5000 status=none | trjcat -j 1 - | cmp - "$T/copy"
        pv -q -L 20m "$T/expected" | trjcat -j 3 - | cmp - "$T/copy"
        { head -c 100001 && sleep 0.2 && cat; } <"$T/expected" | trjcat - | cmp - "$T/copy"
        trjcat "$T/x.dcd" | trjcat - | trjcat - | trjcat - >"$T/third"
        trjcat - <"$T/copy" | trjcat - | cmp - "$T/third"
    done
}

# pauses BYTES EXPECTED OPTION...: the writer of a pipe pauses after BYTES bytes of x.dcd; trjcat must write EXPECTED
# bytes meanwhile, and all frames in the end.
pauses() {
    local tries
    trjcat "${@:3}" "$T/in" >"$T/out" &
    # The cat at the end keeps the pipe open.
    { head -c "$1" && while [[ ! -e $T/seen ]]; do sleep 0.1; done && cat; } <"$T/x.dcd" >"$T/in" &
    for ((tries = 0; tries < 100; tries++)); do
        (($(stat -c %s "$T/out") < $2)) || break
        sleep 0.1
    done
    : >"$T/seen"
    wait
    rm "$T/seen"
    ((tries < 100))
    [[ $(trjcat "$T/out" | trjinfo - | sed -n 's/^frames\t//p') == 12 ]]
}

@test "trajectory whose writer pauses: the frames before are written meanwhile" {
    make 30000 12
    mkfifo "$T/in"
    pauses 3600000 1000000 -j 1
    pauses 3600000 1000000 -j 4
    pauses 3600000 1000000 -j 4 --to dcd
    # Within frame 1, and after it. A DCD cannot begin before frame 1.
    pauses 500000 360000 -j 1
    pauses 500000 360000 -j 4
    pauses 720356 720000 -j 4
    pauses 720356 720000 -j 4 --to dcd
}

@test "stream of large frames from a pipe, with few descriptors: read as the file" {
    make 300000 6
    # Several pipes hold each frame. Libraries that are loaded later need descriptors, too.
    # shellcheck disable=SC2002 # a pipe is tested
    cat "$T/expected" | (ulimit -n 20 && trjcat - >"$T/copy")
    trjcat - <"$T/expected" | cmp - "$T/copy"
}

@test "stream that ends inside a large frame, from a pipe: truncated, after the frames before" {
    make 30000 6
    local frame bytes=(0 800000 1100000 1500000)
    for frame in 1 2 3; do
        run -3 bash -c "head -c ${bytes[frame]} '$T/expected' | trjcat - 2>&1 >'$T/out'"
        [[ $output == "trjcat: stdin: frame $frame: byte ${bytes[frame]}: truncated in block "*" (FRAM): expected "* ]]
        [[ $output == *"; $frame complete frame"*' it; '* ]]
    done
}

@test "file that another program changes while its pages are in a pipe: an error, or the old bytes" {
    make 30000 6
    # The first frame is in the pipe when its first bytes arrive. Its last coordinates are changed then. trjcat notices
    # the change if it still reads the file.
    { trjcat "$T/x.dcd" 2>"$T/err" || has 'the file was changed while it was read' "$T/err"; } | {
        head -c 100000
        printf '\1\2\3' | dd of="$T/x.dcd" bs=1 seek=350000 conv=notrunc status=none
        cat
    } >"$T/got"
    if ! cmp -s "$T/got" "$T/expected"; then
        run -3 trjinfo "$T/got"
        [[ $output == *'frame 0: block '*' (FRAM) at byte '*': checksum mismatch'* ]]
    fi
}

@test "frames through a pipe: the counts of rdfhist are those of the file" {
    make 30000 5
    trjcat "$T/x.dcd" | rdfhist -e cpu -b 10 -r 5 -o "$T/pipe.rdfh"
    rdfhist -e cpu -b 10 -r 5 "$T/expected" -o "$T/file.rdfh"
    rdfnorm "$T/pipe.rdfh" | rows >"$T/pipe"
    rdfnorm "$T/file.rdfh" | rows | cmp - "$T/pipe"
}

@test "damage in a large frame: found by its checksum when decoded, skipped or read by one thread, from a pipe" {
    make 30000 6
    local options at frame=$((40 + 8 + 112 + 12 * 30000))
    # The middle of the coordinates of frame 3; INDX and END! follow the frames.
    at=$(($(grep -abo FRAM "$T/expected" | sed -n '4s/:.*//p') + frame / 2))
    cp "$T/expected" "$T/bad"
    printf '\377\001' | dd of="$T/bad" bs=1 seek=$at conv=notrunc status=none
    for options in '' '-j 1' '-f 5:' '-f ::2' '-f ::4' '-z 0 -j 4'; do
        # shellcheck disable=SC2002,SC2086 # a pipe is tested; words
        run -3 bash -c "cat '$T/bad' | trjcat $options - 2>&1 >/dev/null"
        [[ $output == 'trjcat: stdin: frame 3: block '*' (FRAM) at byte '*': checksum mismatch: stream damaged; '* ]]
    done
    # shellcheck disable=SC2002
    run -3 bash -c "cat '$T/bad' | rdfhist -e cpu -r 1 2>&1 >/dev/null"
    [[ $output == *'rdfhist: stdin: frame 3: block '*': checksum mismatch: stream damaged; '* ]]
}
