#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files and streams that another program is writing: trjcat --follow, rdfhist --every, rdfnorm and rdfplot --follow.
load helper

has_text() {
    grep -q "$1" "$2"
}

# follow OPTION... FILE: starts trjcat with the output $T/out.trjf; $pid is its process. SIGINT is not ignored, as it is
# in programs that a script starts with &.
follow() {
    rm -f "$T/out.trjf" # the frames of an earlier call
    env --default-signal=INT trjcat --follow "$@" >"$T/out.trjf" 2>"$T/err" 3>&- &
    pid=$!
}

# stop STATUS: stops the program, which ends with this status
stop() {
    local got=0
    await handles INT "$pid"
    kill -INT "$pid"
    wait "$pid" || got=$?
    [[ $got == "$1" ]] || { echo "status $got"; cat "$T/err"; return 1; }
}

# grows FILE: a copy of FILE that is written in three pieces, which end in the middle of frames, gives the frames of
# FILE, each as soon as it is complete and never before.
grows() {
    local file=$1 copy=$T/copy.${1##*.} size third k
    shift
    trjcat "$@" "$file" 2>"$T/err" | bare_frames >"$T/all"
    size=$(stat -c %s "$file") third=$((size * 2 / 5))
    head -c $third "$file" >"$copy"
    follow "$@" "$copy"
    for k in 1 2; do
        head -c $((k * third)) "$file" >"$T/cut.${file##*.}"
        sleep 0.2
        # (Not the other way round: the first command of a pipe must not write more than the second reads.)
        head -c $(((k + 1) * third)) "$file" | tail -c +$((k * third + 1)) >>"$copy"
    done
    await has_frames "$T/out.trjf" "$(grep -c '^frame' "$T/all")"
    stop 0
    bare_frames <"$T/out.trjf" | same "$T/all" -
}

# incomplete FILE: a copy of FILE without its last bytes gives all frames but the last one, also if trjcat is stopped
incomplete() {
    local file=$1 left=$2 copy=$T/cut.${1##*.}
    shift 2
    trjcat "$@" "$file" 2>"$T/err" | bare_frames >"$T/all"
    head -c -"$left" "$file" >"$copy"
    follow "$@" "$copy"
    await has_frames "$T/out.trjf" $(($(grep -c '^frame' "$T/all") - 1))
    sleep 0.15
    stop 0
    bare_frames <"$T/out.trjf" >"$T/some"
    head -n "$(wc -l <"$T/some")" "$T/all" | same - "$T/some"
    (($(grep -c '^frame' "$T/some") == $(grep -c '^frame' "$T/all") - 1))
}

make_files() {
    mkdcd --atoms 20 --frames 6 --cell 30,30,30 >"$T/x.dcd"
    trjcat --to xtc "$T/x.dcd" -o "$T/x.xtc"
    trjcat "$T/x.dcd" -o "$T/x.trjf"
    awk 'BEGIN { for (f = 0; f < 5; f++) { print 3; print "frame", f
        for (i = 0; i < 3; i++) printf "O %.3f %.3f %.3f\n", i + f / 8, f, 2.125 } }' >"$T/x.xyz"
    awk 'BEGIN { for (f = 0; f < 5; f++) { print "ITEM: TIMESTEP\n" f "\nITEM: NUMBER OF ATOMS\n3"
        print "ITEM: BOX BOUNDS pp pp pp\n0 20\n0 20\n0 20\nITEM: ATOMS id type x y z"
        for (i = 1; i < 4; i++) printf "%d 1 %.3f %.3f %.3f\n", i, i + f / 8, f, 2.125 } }' >"$T/x.lammpstrj"
    awk 'BEGIN { for (f = 0; f < 5; f++) { print "MODEL     " f + 1
        for (i = 1; i < 4; i++)
            printf "ATOM  %5d  O   HOH A   1    %8.3f%8.3f%8.3f  1.00  0.00           O\n", i, i, f, 2
        print "ENDMDL" } }' >"$T/x.pdb"
    trjcat -t "$T/x.pdb" "$T/x.pdb" -c 30,30,30 -o "$T/x.gro"
}

@test "growing file of each format: every frame is written as soon as it is complete" {
    make_files
    local format
    for format in dcd xtc xyz lammpstrj pdb gro trjf; do
        [[ $format == trjf ]] || { echo "$format" && grows "$T/x.$format"; }
    done
    echo 'one thread'
    grows "$T/x.xtc" -j 1
    grows "$T/x.xyz" -j 1
    echo 'compressed stream'
    grows "$T/x.xtc" -z 6
}

@test "growing TRR and triclinic LAMMPS dump of real simulations" {
    need_shared
    grows "$DATA/multi/octahedron_trajectory_full.trr"
    grows "$DATA/multi/octahedron_trajectory.lammpstrj"
    incomplete "$DATA/multi/octahedron_trajectory_full.trr" 7
}

@test "half a frame at the end: it is not written when trjcat is stopped, and the stream is complete" {
    make_files
    incomplete "$T/x.dcd" 1
    incomplete "$T/x.xtc" 1
    incomplete "$T/x.xyz" 2 # within the last number: 2.12
    incomplete "$T/x.xyz" 1 # a number is complete where its line ends
    incomplete "$T/x.lammpstrj" 2
    incomplete "$T/x.lammpstrj" 60
    incomplete "$T/x.pdb" 30
    incomplete "$T/x.pdb" 7 # without ENDMDL, after a whole line
    incomplete "$T/x.pdb" 87
    incomplete "$T/x.gro" 1
    incomplete "$T/x.xyz" 2 -j 1
}

@test "first frame of a text that is cut anywhere: trjcat waits for the rest, also in a large frame" {
    awk -v n=9000 'BEGIN { for (f = 0; f < 2; f++) { print "MODEL     " f + 1
        for (i = 1; i <= n; i++)
            printf "ATOM  %5d  O   HOH A   1    %8.3f%8.3f%8.3f  1.00  0.00           O\n", i, i % 900, f, 2
        print "ENDMDL" } }' >"$T/x.pdb"
    trjcat -t "$T/x.pdb" "$T/x.pdb" -c 900,30,30 -o "$T/x.gro" 2>"$T/err"
    trjcat --to xyz -t "$T/x.pdb" "$T/x.pdb" -c 900,30,30 -o "$T/x.xyz" 2>"$T/err"
    local format cut less
    for format in pdb gro xyz; do
        trjcat -c 900,30,30 "$T/x.$format" 2>"$T/err" | bare_frames >"$T/all"
        for less in 0 1 5 18; do # at the end of a line, and within it
            cut=$(($(head -n 8900 "$T/x.$format" | wc -c) - less))
            ((cut > 65536 + 1000))
            head -c $cut "$T/x.$format" >"$T/copy.$format"
            follow -t "$T/x.pdb" -c 900,30,30 "$T/copy.$format"
            sleep 0.2
            tail -c +$((cut + 1)) "$T/x.$format" >>"$T/copy.$format"
            await has_frames "$T/out.trjf" 2
            stop 0
            bare_frames <"$T/out.trjf" | same "$T/all" -
            head -c $cut "$T/x.$format" >"$T/copy.$format"
        done
        follow -c 900,30,30 "$T/copy.$format"
        sleep 0.2
        stop 3
        run ! rdfhist -r 5 "$T/out.trjf"
    done
}

@test "frame stream that grows: ends at its END block without a signal" {
    make_files
    head -c 600 "$T/x.trjf" >"$T/copy.trjf"
    follow "$T/copy.trjf"
    sleep 0.2
    tail -c +601 "$T/x.trjf" >>"$T/copy.trjf"
    wait "$pid"
    bare_frames <"$T/x.trjf" >"$T/all"
    bare_frames <"$T/out.trjf" | same "$T/all" -
}

@test "empty file: a note says that trjcat waits, and the frames follow" {
    make_files
    : >"$T/copy.xyz"
    follow "$T/copy.xyz"
    await has_text 'note: waiting for the first complete frame: .*copy.xyz: is empty' "$T/err"
    cat "$T/x.xyz" >>"$T/copy.xyz"
    await has_frames "$T/out.trjf" 5
    stop 0
}

@test "stopped before the first frame: exit status 3, and no stream that a reader accepts" {
    : >"$T/empty.xtc"
    follow "$T/empty.xtc"
    sleep 0.3
    stop 3
    grep -q 'empty.xtc: is empty' "$T/err"
    run ! rdfhist -r 5 "$T/out.trjf"
}

@test "file that becomes shorter, is replaced or removed: the output is complete, and the status is 3" {
    make_files
    local what got
    for what in shorter replaced removed; do
        cp "$T/x.xtc" "$T/copy.xtc"
        follow "$T/copy.xtc"
        await has_frames "$T/out.trjf" 6
        case $what in
        shorter) truncate -s 100 "$T/copy.xtc" ;;
        replaced) cp "$T/x.xtc" "$T/new.xtc" && mv "$T/new.xtc" "$T/copy.xtc" ;;
        removed) rm "$T/copy.xtc" ;;
        esac
        got=0
        wait "$pid" || got=$?
        cat "$T/err"
        [[ $got == 3 ]]
        grep -q "copy.xtc: .*\(shorter\|replaced or removed\).*; the output is complete and contains 6 frames" "$T/err"
        (($(trjdump <"$T/out.trjf" | grep -c '^frame') == 6))
    done
}

@test "file that is rewritten while trjcat is suspended: the frames before, and status 3" {
    make_files
    mkdcd --atoms 20 --frames 12 --cell 29,29,29 >"$T/new.dcd"
    cp "$T/x.dcd" "$T/copy.dcd"
    follow "$T/copy.dcd"
    await has_frames "$T/out.trjf" 6
    kill -STOP "$pid"
    cat "$T/new.dcd" >"$T/copy.dcd"
    kill -CONT "$pid"
    local got=0
    wait "$pid" || got=$?
    [[ $got == 3 ]]
    has 'copy.dcd: byte [0-9]*: was rewritten while it was followed; .*the output is complete and contains 6 frames' \
        "$T/err"
    trjcat "$T/x.dcd" | bare_frames >"$T/all"
    bare_frames <"$T/out.trjf" | same "$T/all" -
    # A program that updates the number of frames in the header does not rewrite the file.
    cp "$T/x.dcd" "$T/copy.dcd"
    follow "$T/copy.dcd"
    await has_frames "$T/out.trjf" 6
    kill -STOP "$pid"
    tail -c +$(($(stat -c %s "$T/x.dcd") + 1)) "$T/new.dcd" >>"$T/copy.dcd"
    printf '\14' | dd of="$T/copy.dcd" bs=1 seek=8 conv=notrunc status=none
    kill -CONT "$pid"
    await has_frames "$T/out.trjf" 12
    stop 0
}

@test "selected frames: reading ends after the last one" {
    make_files
    trjcat --follow -f 1:4:2 "$T/x.xtc" | trjdump | grep -c '^frame' | same - <(echo 2)
    trjcat "$T/x.xyz" "$T/x.xyz" -c 9,9,9 | bare_frames >"$T/all"
    trjcat --follow -f :10 -c 9,9,9 "$T/x.xyz" "$T/x.xyz" | bare_frames | same "$T/all" -
}

@test "SIGTERM stops as SIGINT does, and -o FILE appears complete" {
    make_files
    trjcat --follow "$T/x.xtc" -o "$T/named.trjf" 3>&- &
    pid=$!
    await handles TERM "$pid"
    sleep 0.2
    [[ ! -e $T/named.trjf ]]
    kill -TERM "$pid"
    wait "$pid"
    trjcat "$T/x.xtc" | bare_frames >"$T/all"
    bare_frames <"$T/named.trjf" | same "$T/all" -
}

@test "inputs and options that cannot be followed: rejected with a remedy" {
    make_files
    fails 2 '--follow: standard input is not a file, and is read until it ends; leave the option out' trjcat --follow -
    fails 2 '--follow: imd://localhost:9 is not a file' trjcat --follow imd://localhost:9
    fails 2 '--frames: requires the number of frames in advance; count frames from the first one' \
        trjcat --follow -f -3: "$T/x.xyz"
    fails 2 '--segment: requires the number of frames in advance' trjcat --follow --segment 1/2 "$T/x.xyz"
    fails 2 '--open: requires the number of frames in advance; give the largest number of atoms' \
        trjcat --follow --open auto "$T/x.xyz"
    fails 2 '--follow and --salvage' trjcat --follow --salvage "$T/x.trjf"
    fails 1 "$T/none: No such file" trjcat --follow "$T/none"
    mkfifo "$T/pipe"
    cat "$T/x.xyz" >"$T/pipe" 3>&- &
    fails 2 "$T/pipe: is not a file, so that it cannot grow" trjcat --follow "$T/pipe"
    kill $! 2>/dev/null || :
    need gzip
    gzip -k "$T/x.xyz"
    fails 2 'x.xyz.gz: is compressed with gzip; a growing file must not be' trjcat --follow "$T/x.xyz.gz"
}

@test "formats that cannot be read while they grow: rejected" {
    need_shared
    local file
    for file in gsd/lj.gsd multi/octahedron_trajectory.nc; do
        fails 2 'a growing file of the format * cannot be read; read it when it is complete' \
            trjcat --follow "$DATA/$file"
    done
}

@test "damaged first frame: an error, not an endless wait" {
    head -c 100000 /dev/zero | tr '\0' 'x' >"$T/x.bin"
    fails 3 'x.bin: not a known trajectory format' trjcat --follow "$T/x.bin"
}

# Prints the number of tables in the output of rdfnorm --follow.
tables_in() {
    grep -c '^$' "$1" || :
}

has_tables() {
    (($(tables_in "$1") >= $2))
}

@test "rdfhist --every: the records of -B, and the counts of any other records" {
    mkdcd --atoms 200 --frames 23 --cell 30,30,30 >"$T/x.dcd"
    trjcat "$T/x.dcd" >"$T/x.trjf"
    local options
    for options in '' '--lag 2' '-e reference' '--neighbours 4'; do
        # shellcheck disable=SC2086 # words
        {
            rdfhist -r 9 -b 30 --every 5 $options "$T/x.trjf" >"$T/every.rdfh" 2>"$T/err"
            rdfhist -r 9 -b 30 -B 5 $options "$T/x.trjf" >"$T/block.rdfh" 2>"$T/err"
            rdfhist -r 9 -b 30 $options "$T/x.trjf" >"$T/plain.rdfh" 2>"$T/err"
        }
        counts "$T/plain.rdfh" >"$T/expected"
        counts "$T/every.rdfh" | same "$T/expected" -
        rdfnorm "$T/block.rdfh" 2>"$T/err" | grep -v '^# provenance' >"$T/expected"
        rdfnorm "$T/every.rdfh" 2>"$T/err" | grep -v '^# provenance' | same "$T/expected" -
    done
    fails 2 '--every and --block: both give the frames of a record; leave one of them out' \
        rdfhist --every 5 -B 5 "$T/x.trjf"
    fails 2 '--every' rdfhist --every 0 "$T/x.trjf"
}

@test "rdfnorm --follow: a table for each record, of which the last is that of all records" {
    mkdcd --atoms 200 --frames 23 --cell 30,30,30 >"$T/x.dcd"
    trjcat "$T/x.dcd" | rdfhist -r 9 -b 30 --every 5 >"$T/x.rdfh" 2>"$T/err"
    local options n
    for options in '' --counts '-e none' '-b 3'; do
        # shellcheck disable=SC2086 # words
        {
            rdfnorm $options "$T/x.rdfh" 2>"$T/err" | rows >"$T/expected"
            rdfnorm --follow $options <"$T/x.rdfh" >"$T/tables" 2>"$T/err"
        }
        (($(tables_in "$T/tables") == 5))
        n=$(wc -l <"$T/expected")
        rows "$T/tables" | head -n -1 | tail -n "$n" | same "$T/expected" -
    done
    # The tables before are those of the first records.
    trjcat -f :10 "$T/x.dcd" | rdfhist -r 9 -b 30 -B 5 2>"$T/err" | rdfnorm 2>"$T/err" | rows >"$T/expected"
    rdfnorm --follow "$T/x.rdfh" 2>"$T/err" | awk '!NF { n++ } n == 1 && NF && !/^#/' | same "$T/expected" -
    rdfnorm --follow -o "$T/last.tsv" "$T/x.rdfh" 2>"$T/err"
    rdfnorm "$T/x.rdfh" 2>"$T/err" | rows >"$T/expected"
    rows "$T/last.tsv" | same "$T/expected" -
    fails 2 '--follow and --covariance: one record has no covariance; leave one of them out' \
        rdfnorm --follow --covariance "$T/x.rdfh"
    head -c -60 "$T/x.rdfh" >"$T/cut.rdfh"
    fails 3 'truncated' rdfnorm --follow <(cat "$T/cut.rdfh")
}

@test "rdfnorm --follow of a growing file: a table is printed after each record, up to the END block" {
    mkdcd --atoms 200 --frames 20 --cell 30,30,30 >"$T/x.dcd"
    trjcat "$T/x.dcd" | rdfhist -r 9 -b 30 --every 5 >"$T/x.rdfh" 2>"$T/err"
    local cut
    cut=$(($(stat -c %s "$T/x.rdfh") * 3 / 4))
    head -c $cut "$T/x.rdfh" >"$T/copy.rdfh"
    rdfnorm --follow "$T/copy.rdfh" >"$T/tables" 2>"$T/err" 3>&- &
    pid=$!
    await has_tables "$T/tables" 1
    tail -c +$((cut + 1)) "$T/x.rdfh" >>"$T/copy.rdfh"
    wait "$pid"
    (($(tables_in "$T/tables") == 4))
    head -c $cut "$T/x.rdfh" >"$T/copy.rdfh"
    env --default-signal=INT rdfnorm --follow "$T/copy.rdfh" >"$T/tables" 2>"$T/err" 3>&- &
    pid=$!
    await has_tables "$T/tables" 1
    stop 0
    local what got
    for what in replaced removed shorter; do
        head -c $cut "$T/x.rdfh" >"$T/copy.rdfh"
        rdfnorm --follow "$T/copy.rdfh" >"$T/tables" 2>"$T/err" 3>&- &
        pid=$!
        await has_tables "$T/tables" 1
        case $what in
        shorter) truncate -s 100 "$T/copy.rdfh" ;;
        replaced) cp "$T/x.rdfh" "$T/new.rdfh" && mv "$T/new.rdfh" "$T/copy.rdfh" ;;
        removed) rm "$T/copy.rdfh" ;;
        esac
        got=0
        wait "$pid" || got=$?
        [[ $got == 3 ]]
        has "^rdfnorm: $T/copy.rdfh: \(was replaced or removed\|byte [0-9]*: truncated: the file became shorter\)" \
            "$T/err"
    done
}

@test "rdfplot --follow: draws the last table as it is drawn alone, as text and in a file" {
    mkdcd --atoms 200 --frames 20 --cell 30,30,30 >"$T/x.dcd"
    trjcat "$T/x.dcd" | rdfhist -r 9 -b 30 --every 5 >"$T/x.rdfh" 2>"$T/err"
    rdfnorm "$T/x.rdfh" >"$T/x.tsv" 2>"$T/err"
    rdfnorm --follow "$T/x.rdfh" >"$T/tables" 2>"$T/err"
    rdfplot --size 60x14 "$T/x.tsv" >"$T/expected"
    rdfplot --follow --size 60x14 <"$T/tables" | tail -n "$(wc -l <"$T/expected")" | same "$T/expected" -
    rdfplot --follow --size 60x14 "$T/x.tsv" | same "$T/expected" -
    # If the pipe pauses after each table, each table is drawn.
    { while IFS= read -r line; do
        printf '%s\n' "$line"
        [[ -n $line ]] || sleep 0.2
    done <"$T/tables"; } | rdfplot --follow --size 60x14 >"$T/figures"
    (($(grep -c '^g(r)' "$T/figures") == 4))
    fails 3 'is empty; if more tables follow, such as those of rdfnorm --follow, add --follow' \
        rdfplot --size 60x14 "$T/tables"
    # A later table that is truncated between two rows, or within its comments, is not drawn as if it were complete.
    local cut
    for cut in 25 3; do
        head -n $(($(grep -n '^$' "$T/tables" | sed -n 2p | cut -d: -f1) + cut)) "$T/tables" >"$T/cut.tables"
        fails 3 'the last table has no empty line at its end: truncated after' \
            rdfplot --follow --size 60x14 "$T/cut.tables"
    done
    fails 2 '--follow: 2 files given; one file or pipe can be followed' rdfplot --follow "$T/x.tsv" "$T/x.tsv"
    fails 3 'no line of column names' rdfplot --follow <(echo 1)
    need gnuplot
    rdfplot -o "$T/a.svg" "$T/x.tsv"
    rdfplot --follow -o "$T/b.svg" <"$T/tables"
    grep -v 'provenance\|rdf[a-z]* 0\|trjcat 0' "$T/a.svg" >"$T/a"
    grep -v 'provenance\|rdf[a-z]* 0\|trjcat 0' "$T/b.svg" | same "$T/a" -
}

@test "Ctrl-C at a whole pipeline: every program completes its output, with status 0" {
    need setsid
    make_files
    cat >"$T/pipeline" <<END
set -o pipefail
trjcat --follow -c 30,30,30 "$T/x.dcd" | rdfhist -r 9 -b 20 --every 2 | tee "$T/run.rdfh" |
    rdfnorm --follow | tee "$T/run.tsv" | rdfplot --follow --size 60x14 >"$T/run.txt"
echo "\${PIPESTATUS[*]}" >"$T/status"
END
    local signal
    for signal in INT TERM; do
        # tee must not end at the signal either.
        sed -i 's/| tee \("[^"]*"\)/| (trap "" INT TERM; exec tee \1)/g' "$T/pipeline"
        rm -f "$T/run.tsv"
        setsid env --default-signal=INT bash -c "trap : INT TERM; . '$T/pipeline'" 2>"$T/err" 3>&- &
        pid=$!
        await has_tables "$T/run.tsv" 3
        kill -$signal -- -$pid
        await test -s "$T/status"
        [[ $(<"$T/status") == '0 0 0 0 0 0' ]] || { cat "$T/status" "$T/err"; return 1; }
        rm "$T/status"
        rdfnorm "$T/run.rdfh" >"$T/all.tsv" 2>"$T/err"
        grep -q '^# frames: 6 in 3 records' "$T/all.tsv"
        grep -q '^g(r)' "$T/run.txt"
    done
}

@test "SIGINT with -o FILE: rdfhist --every and rdfnorm --follow read to the end of their input" {
    make_files
    rdfhist -r 9 -b 20 --every 2 "$T/x.trjf" >"$T/x.rdfh" 2>"$T/err"
    local command file
    for command in "rdfhist -r 9 -b 20 --every 2 -o $T/file $T/fifo" "rdfnorm --follow -o $T/file $T/fifo"; do
        rm -f "$T/file" "$T/fifo"
        mkfifo "$T/fifo"
        # shellcheck disable=SC2086 # words
        env --default-signal=INT $command 2>"$T/err" 3>&- &
        pid=$!
        exec 5>"$T/fifo"
        if [[ $command == rdfhist* ]]; then file=$T/x.trjf; else file=$T/x.rdfh; fi
        head -c -100 "$file" >&5
        await handles INT "$pid"
        sleep 0.2
        kill -INT "$pid"
        sleep 0.2
        tail -c 100 "$file" >&5
        exec 5>&-
        wait "$pid"
        [[ -s $T/file && -z $(find "$T" -name '.trjpipe*') ]]
    done
}

@test "a second signal ends a program immediately" {
    make_files
    mkfifo "$T/fifo"
    env --default-signal=INT rdfhist -r 9 --every 2 "$T/fifo" >"$T/out" 2>"$T/err" 3>&- &
    pid=$!
    exec 5>"$T/fifo"
    head -c 2000 "$T/x.trjf" >&5
    await handles INT "$pid"
    kill -INT "$pid"
    sleep 0.3
    kill -0 "$pid"
    kill -INT "$pid"
    local got=0
    wait "$pid" || got=$?
    exec 5>&-
    [[ $got == 130 ]]
}
