#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjrun runs recipes: processes, failures, signals, makefiles, provenance.
load helper
WATER=$PWD/examples/water
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs the tests

# Makes a folder $T/w with the water example and the recipe water.yaml.
water() {
    mkdir -p "$T/w"
    cp "$WATER/water.dcd" "$WATER/water.pdb" "$T/w/"
    recipe water.yaml <<'END'
variables: {bins: 100, norm: density}
stages:
  atoms:  {tool: trjcat, files: water.dcd, topology: water.pdb, group: [O=name OW, H=name HW*]}
  counts: {tool: rdfhist, from: atoms, engine: cpu, rmax: 9, bins: $bins, output: oo.rdfh}
  gr:     {tool: rdfnorm, from: counts, norm: $norm, output: gr.tsv}
  other:  {tool: rdfnorm, from: counts, counts: true, output: counts.tsv}
END
}

recipe() {
    { echo 'trjrun: 1'; cat; } >"$T/w/$1"
}

# Four processes that all run for seconds, since one of them is slow.
slow() {
    water
    # More frames than the pipe and rdfhist hold, so that trjcat runs as long as rdfhist counts
    mkdcd --atoms 1000 --frames 4000 --cell 30,30,30 >"$T/w/water.long.dcd"
    recipe slow.yaml <<'END'
stages:
  atoms:  {tool: trjcat, files: water.long.dcd}
  counts: {tool: rdfhist, from: atoms, engine: reference, rmax: 15}
  gr:     {tool: rdfnorm, from: counts}
  plot:   {tool: rdfplot, from: gr, output: gr.svg}
END
}

# Lists the files in $T/w that a recipe created: outputs, and files that should have been removed.
outputs() {
    (cd "$T/w" && find . -mindepth 1 ! -name 'water.*' ! -name '*.yaml' | sort | tr '\n' ' ')
}

# Copies the tools to $T/bin, for tests that replace one of them.
own_tools() {
    mkdir -p "$T/bin"
    cp "$TRJPIPE_BIN"/{trjrun,trjcat,rdfhist,rdfnorm,rdfplot} "$T/bin/"
}

# fake TOOL < SHELL: replaces a tool by a script, except for the options that trjrun reads; $real is the tool
fake() {
    mkdir -p "$T/real"
    mv "$T/bin/$1" "$T/real/$1"
    {
        echo '#!/bin/bash'
        echo "real='$T/real/$1' T='$T'"
        # shellcheck disable=SC2016 # it is the script's
        echo 'case $1 in --options | --version | --help) exec "$real" "$@" ;; esac'
        cat
    } >"$T/bin/$1"
    chmod +x "$T/bin/$1"
}

four_children() {
    (($(pgrep -c -P "$1") == 4))
}

# started PID: waits until the four stages run; before that, trjrun runs each tool once to read its options
started() {
    await four_children "$1"
}

@test "recipes: zstd, compress and precision compress a frame stream, and the counts stay the same" {
    water
    (cd "$T/w" && trjrun water.yaml 2>notes && mv counts.tsv raw.tsv)
    local key
    for key in 'zstd: 3' 'compress: 3' 'precision: 1e-5'; do
        sed "s/files: water.dcd,/& $key, output: water.trjf,/" "$T/w/water.yaml" >"$T/w/small.yaml"
        (cd "$T/w" && rm -f water.trjf && trjrun small.yaml 2>notes)
        has -a FRMZ <"$T/w/water.trjf"
        trjrun --verify "$T/w/counts.tsv" 2>"$T/err"
        [[ $key == precision* ]] || same <(rows "$T/w/raw.tsv") <(rows "$T/w/counts.tsv")
    done
    trjinfo "$T/w/water.trjf" | has -x $'precision\t1e-05'
}

@test "kill -9 of each stage: exit status 1, a message with the name of the stage, and no output" {
    need pgrep
    local tool victim pid status children
    slow
    own_tools
    # shellcheck disable=SC2016
    fake rdfhist <<<'echo "rdfhist: note" >&2; exec "$real" "$@"'
    for tool in trjcat rdfhist rdfnorm rdfplot; do
        "$T/bin/trjrun" "$T/w/slow.yaml" 2>"$T/err" &
        pid=$!
        started $pid
        victim=$(pgrep -P $pid -x $tool)
        children=$(pgrep -d ' ' -P $pid)
        kill -9 "$victim"
        status=0
        wait $pid || status=$?
        cat "$T/err"
        [[ $status == 1 && $(outputs) == '' ]]
        grep -v 'rdfhist: note' "$T/err" | head -n 1 | has "$tool was killed by signal 9"
        tail -n 1 "$T/err" | has "^trjrun: stage '.*': $tool was killed by signal 9"
        # shellcheck disable=SC2086 # a list
        run ! kill -0 $children
    done
}

@test "kill -9 of a stage that reads a file: earlier outputs remain, its incomplete output is removed" {
    water
    own_tools
    # shellcheck disable=SC2016
    fake rdfnorm <<<'case "$*" in *--counts*) exec "$real" "$@" ;; esac
        echo half >"$5" || exit; echo half >"$T/w/.trjrun."*/x; kill -9 $$'
    run -1 "$T/bin/trjrun" "$T/w/water.yaml"
    [[ $output == *"stage 'gr': rdfnorm was killed by signal 9"* ]]
    [[ $(outputs) == './oo.rdfh ' ]]
}

@test "a failed stage: the other outputs of its pipeline do not appear, and its processes are stopped" {
    water
    own_tools
    recipe two.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: water.dcd}
  fast:  {tool: rdfhist, from: atoms, engine: cpu, rmax: 5, output: fast.rdfh}
  slow:  {tool: rdfhist, from: atoms, engine: cpu, rmax: 6, output: slow.rdfh}
END
    # shellcheck disable=SC2016
    fake rdfhist <<<'"$real" "$@" || exit
        case "$*" in
        *"--rmax 6"*)
            while [ ! -s "$T"/w/.trjrun.*/fast.rdfh ]; do sleep 0.05; done
            echo "the cause of the failure" >&2; exit 7 ;;
        esac'
    run -1 "$T/bin/trjrun" "$T/w/two.yaml"
    [[ ${lines[0]} == 'trjrun: slow: the cause of the failure' ]]
    [[ ${lines[-1]} == "trjrun: stage 'slow': rdfhist ended with status 7" ]]
    [[ $(outputs) == '' ]]
}

@test "failed stage: its message comes first, trjrun ends with its status, and later stages are not listed" {
    water
    head -c 100000 "$WATER/water.dcd" >"$T/w/water.dcd"
    run -3 trjrun "$T/w/water.yaml"
    [[ ${lines[0]} == 'trjrun: atoms: trjcat: water.dcd: frame 8: byte 100000: truncated in the x record: expected '* ]]
    [[ ${lines[1]} == "trjrun: stage 'atoms': trjcat ended with status 3" && ${#lines[@]} == 2 ]]
    [[ $(outputs) == '' ]]
    water
    sed -i 's/rmax: 9/rmax: 9, layers: "z:2", pair: "O:X"/' "$T/w/water.yaml"
    run -2 trjrun "$T/w/water.yaml"
    [[ ${lines[0]} == "trjrun: counts: rdfhist: --pair: no group 'X' in the stream, which has O@z1, O@z2, "* ]]
    [[ ${lines[1]} == "trjrun: stage 'counts': rdfhist ended with status 2" && ${#lines[@]} == 2 ]]
    # Also if the stage before it, which lost its reader, printed a message.
    own_tools
    # shellcheck disable=SC2016
    fake trjcat <<<'echo "trjcat: note" >&2; exec "$real" "$@"'
    run -2 "$T/bin/trjrun" "$T/w/water.yaml"
    [[ ${lines[-1]} == "trjrun: stage 'counts': rdfhist ended with status 2" ]]
}

@test "Ctrl-C and SIGTERM: processes and files are removed, and the exit status is that of the signal" {
    need pgrep setsid
    local signal pid children status
    slow
    for signal in INT TERM; do
        # Background jobs of a shell ignore SIGINT; env restores it.
        setsid env --default-signal=INT trjrun "$T/w/slow.yaml" 2>"$T/err" &
        pid=$!
        started $pid
        children=$(pgrep -d ' ' -P $pid)
        kill -$signal $pid
        status=0
        wait $pid || status=$?
        ((status == 128 + $(kill -l $signal)))
        grep -q '^trjrun: ended by signal' "$T/err"
        # shellcheck disable=SC2086 # a list
        run ! kill -0 $children
        [[ $(outputs) == '' ]]
    done
}

@test "Ctrl-C while --verify compares: the temporary folder is removed, and the exit status is that of the signal" {
    need pgrep
    local pid status i files=()
    water
    for ((i = 0; i < 64; i++)); do files+=(water.dcd); done
    (cd "$T/w" && trjcat --digest -z 0 -o big.trjf "${files[@]}" 2>/dev/null)
    mkdir "$T/tmp"
    for i in 1 2 3; do
        TMPDIR=$T/tmp env --default-signal=INT trjrun --verify "$T/w/big.trjf" 2>"$T/err" &
        pid=$!
        while [[ -z $(ls -A "$T/tmp") ]]; do sleep 0.01; done
        until pgrep -P $pid >/dev/null; do :; done # trjcat, which repeats the stream
        while pgrep -P $pid >/dev/null; do :; done
        kill -INT $pid
        status=0
        wait $pid || status=$?
        cat "$T/err"
        [[ -z $(ls -A "$T/tmp") && $status == 130 && $(<"$T/err") == 'trjrun: ended by signal 2 (Interrupt)' ]]
    done
}

@test "a stage that prints too many lines: the number of lines left out and the last line are reported" {
    water
    own_tools
    # shellcheck disable=SC2016
    fake rdfnorm <<<'echo first >&2; seq -f "%.0f$(printf "%0200d" 0)" 20000 >&2
        printf "%05000d\nlast\n" 0 >&2; exit 1'
    run -1 "$T/bin/trjrun" "$T/w/water.yaml"
    # Lines printed and lines left out add up to all lines. On a busy machine, several lines give numbers of the latter.
    awk '/^trjrun: gr: [.][.][.] [0-9]+ lines left out$/ { left += $4; next } /^trjrun: gr: / { printed++ }
        END { print printed, left; exit !(left > 0 && printed + left == 20003) }' <<<"$output"
    grep -qx 'trjrun: gr: first' <<<"$output"
    grep -qx 'trjrun: gr: last' <<<"$output"
    [[ ${lines[-1]} == "trjrun: stage 'gr': rdfnorm ended with status 1"* ]]
}

@test "one of two outputs of a pipeline cannot be renamed: none appears" {
    water
    own_tools
    recipe two.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: water.dcd, frames: ":3"}
  one:   {tool: rdfhist, from: atoms, engine: cpu, rmax: 5, output: one.rdfh}
  two:   {tool: rdfhist, from: atoms, engine: cpu, rmax: 6, output: two.rdfh}
END
    # shellcheck disable=SC2016
    fake rdfhist <<<'mkdir -p "$T/w/two.rdfh"; exec "$real" "$@"'
    run -1 "$T/bin/trjrun" "$T/w/two.yaml"
    # The message contains the path of the output or the absolute path, depending on the time of the check.
    [[ ${lines[-1]} == 'trjrun: two: '*'two.rdfh: is a folder; remove it, or give another name' ]]
    [[ $(outputs) == './two.rdfh ' ]]
}

@test "more pipelines at a time than the limit on open files allows: an error with a remedy, and no files remain" {
    water
    recipe many.yaml <<END
variables: {n: [$(seq -s ', ' 60)]}
stages:
  atoms:  {tool: trjcat, files: water.dcd, frames: "0", each: {i: \$n}}
  counts: {tool: rdfhist, from: atoms, rmax: 5, output: \$i.rdfh}
END
    # shellcheck disable=SC2016
    run -1 bash -c 'ulimit -n 50; exec trjrun -j 0 "$1"' bash "$T/w/many.yaml"
    [[ ${lines[-1]} == *'Too many open files: too many files or processes for the limits of this system '*'--jobs'* ]]
    [[ -z $(find "$T/w" -name '.trjrun*') ]]
    # shellcheck disable=SC2016
    bash -c 'ulimit -n 50; exec trjrun -j 4 "$1"' bash "$T/w/many.yaml"
    [[ $(outputs | wc -w) == 60 ]]
}

@test "a reused stream is read once, and the digest of each input is computed once" {
    need strace
    ! sanitized || skip "the sanitizer of leaks does not work under strace"
    water
    trjrun "$T/w/water.yaml"
    strace -e trace=openat -o "$T/trace" trjrun "$T/w/water.yaml"
    [[ $(grep -c '"oo.rdfh", O_RDONLY' "$T/trace") == 1 && $(grep -c '"water.dcd", O_RDONLY' "$T/trace") == 1 ]]
    strace -e trace=openat -o "$T/trace" trjrun --verify "$T/w/gr.tsv"
    [[ $(grep -c 'water.dcd", O_RDONLY' "$T/trace") == 2 ]] # for the digest, and to look for provenance
}

@test "a tool that is missing, and another program with the name of a tool" {
    water
    own_tools
    rm "$T/bin/rdfnorm"
    PATH=/usr/bin:/bin run -1 "$T/bin/trjrun" "$T/w/water.yaml"
    [[ $output == \
        *'water.yaml:6:18: tool rdfnorm: neither in the folder of trjrun nor in PATH; install it, or set PATH' ]]
    # The tool is found in PATH.
    PATH=$TRJPIPE_BIN:$PATH "$T/bin/trjrun" --check "$T/w/water.yaml"
    printf '#!/bin/sh\necho 1\n' >"$T/bin/rdfnorm"
    chmod +x "$T/bin/rdfnorm"
    run -1 "$T/bin/trjrun" "$T/w/water.yaml"
    [[ $output == *'tool rdfnorm: no usage line in the output of --help; install all tools from one version' ]]
}

@test "an output in a folder that is not writable, and an output with the name of a folder" {
    water
    sed 's|oo.rdfh|/proc/oo.rdfh|' "$T/w/water.yaml" >"$T/w/bad.yaml"
    fails 1 '/proc/oo.rdfh: cannot write into its folder' trjrun "$T/w/bad.yaml"
    mkdir "$T/w/gr.tsv"
    fails 3 "'gr.tsv' exists and is not a regular file; give another name" trjrun "$T/w/water.yaml"
    rmdir "$T/w/gr.tsv"
    [[ $(outputs) == '' ]]
    ((EUID)) || skip 'root can write into any folder'
    mkdir -m 555 "$T/w/closed"
    sed 's|oo.rdfh|closed/oo.rdfh|' "$T/w/water.yaml" >"$T/w/bad.yaml"
    fails 1 'closed/oo.rdfh: cannot write into its folder: Permission denied' trjrun "$T/w/bad.yaml"
}

@test "a full disk: an error, and no incomplete file" {
    water
    mkdir "$T/full"
    if mount -t tmpfs -o size=4k tmpfs "$T/full" 2>/dev/null; then
        sed "s|gr.tsv|$T/full/gr.tsv|" "$T/w/water.yaml" >"$T/w/full.yaml"
        run trjrun "$T/w/full.yaml"
        left=$(find "$T/full" -mindepth 1)
        umount "$T/full"
        [[ $status == 1 && $output == *'trjrun: gr: rdfnorm: '*'No space left on device'* && -z $left ]]
    else
        # shellcheck disable=SC2016 # it is the shell's
        run -1 bash -c 'ulimit -f 4; exec trjrun "$1"' bash "$T/w/water.yaml"
    fi
    [[ ! -e $T/w/gr.tsv ]]
}

@test "file names with shell metacharacters are not interpreted by a shell" {
    water
    # shellcheck disable=SC2016 # just that
    name='$(touch x); `touch y` & "q" it'"'s"' > z'
    mv "$T/w/water.dcd" "$T/w/$name.dcd"
    recipe odd.yaml <<'END'
variables: {name: }
stages:
  atoms: {tool: trjcat, files: $name.dcd, frames: "0"}
  gr:    {tool: rdfhist, from: atoms, rmax: 5, output: $name.rdfh}
END
    trjrun -D name="$name" "$T/w/odd.yaml"
    [[ $(cd "$T/w" && ls) == "$(cd "$T/w" && printf '%s\n' "$name.dcd" "$name.rdfh" odd.yaml water.pdb water.yaml)" ]]
    trjrun --verify "$T/w/$name.rdfh"
    cp "$T/w/$name.rdfh" "$T/first"
    trjrun -n -D name="$name" "$T/w/odd.yaml" >"$T/pipelines.sh"
    (cd "$T/w" && bash -e "$T/pipelines.sh")
    cmp "$T/first" "$T/w/$name.rdfh"
    [[ ! -e $T/w/x && ! -e $T/w/y && ! -e x && ! -e y ]]
}

@test "-j 2: independent pipelines run at the same time; without -j, one after another" {
    water
    own_tools
    # Each process waits a limited time for the other one.
    # shellcheck disable=SC2016
    fake rdfnorm <<<'touch "$T/here.$$"; for ((i = 0; i < 1200; i++)); do
            here=("$T"/here.*)
            ((${#here[@]} == 2)) && exec "$real" "$@"
            sleep 0.05
        done; exit 1'
    "$T/bin/trjrun" -j 2 "$T/w/water.yaml"
    rm "$T"/here.* "$T/w/gr.tsv" "$T/w/counts.tsv"
    # shellcheck disable=SC2016
    printf '%s\n' '#!/bin/bash' 'case $1 in -*n[^s]*) ;; esac' 'case $1 in --options | --version | --help) ;; *) mkdir "'"$T"'/lock" || exit 9; sleep 0.2; rmdir "'"$T"'/lock" ;; esac' 'exec "'"$T"'/real/rdfnorm" "$@"' >"$T/bin/rdfnorm"
    "$T/bin/trjrun" "$T/w/water.yaml"
}

@test "readers of one stream: at different speeds, one that stops early, one that reads a single frame" {
    water
    recipe speeds.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: [water.dcd, water.dcd, water.dcd, water.dcd], frames: "::4"}
  slow:  {tool: rdfhist, from: atoms, engine: reference, rmax: 4, output: slow.rdfh}
  fast:  {tool: rdfhist, from: atoms, engine: cpu, rmax: 4, output: fast.rdfh}
  few:   {tool: trjcat, from: atoms, frames: ":3"}
  three: {tool: rdfhist, from: few, rmax: 4, output: three.rdfh}
  alone: {tool: trjcat, files: water.dcd}
  one:   {tool: trjcat, from: alone, frames: "0", output: one.trjf}
END
    # A trajectory may be read four times: only adding records with the same frames is an error.
    trjrun "$T/w/speeds.yaml"
    [[ $(outputs) == './fast.rdfh ./one.trjf ./slow.rdfh ./three.rdfh ' ]]
    trjrun -n "$T/w/speeds.yaml" >"$T/pipelines.sh"
    mkdir "$T/first"
    mv "$T/w"/*.rdfh "$T/w/one.trjf" "$T/first/"
    (cd "$T/w" && bash -e "$T/pipelines.sh")
    for file in "$T/first"/*; do cmp "$file" "$T/w/${file##*/}"; done
}

@test "messages in a log are plain lines with the name of the stage; a terminal shows a status line" {
    water
    trjrun "$T/w/water.yaml" 2>"$T/err"
    grep -qE '^trjrun: oo.rdfh: done: 128 frames, [0-9.]+/s, [0-9.]+ s, [0-9.]+ kB$' "$T/err"
    grep -qE '^trjrun: gr.tsv: done: ' "$T/err"
    run ! grep -q $'[\r\033\036]' "$T/err"
    sed -i 's/engine: cpu, //' "$T/w/water.yaml"
    trjrun "$T/w/water.yaml" 2>"$T/err"
    grep -q '^trjrun: counts: rdfhist: engine ' "$T/err"
    needs_terminal
    sed -i 's/rmax: 9/engine: reference, rmax: 12/' "$T/w/water.yaml"
    script -qec "trjrun $T/w/water.yaml" /dev/null </dev/null >"$T/screen"
    tr '\r' '\n' <"$T/screen" | has -E 'counts: [0-9]+ of 12[0-9] frames, [0-9.]+/s, [0-9]+ s left, [0-9.]+ [kM]B$'
}

@test "TRJPIPE_PROGRESS: a tool writes its progress, and the total if it is known" {
    TRJPIPE_PROGRESS=1 trjcat "$WATER/water.dcd" 2>"$T/err" >"$T/trjf"
    tail -n 1 "$T/err" | has -x $'\036frames 128 128'
    TRJPIPE_PROGRESS=1 trjcat -f 8:120:2 "$WATER/water.dcd" 2>"$T/err" >"$T/trjf"
    tail -n 1 "$T/err" | has -x $'\036frames 56 56'
    TRJPIPE_PROGRESS=1 rdfhist -e cpu -r 5 "$T/trjf" 2>"$T/err" >"$T/rdfh"
    tail -n 1 "$T/err" | has -x $'\036frames 56 56'
}

@test "TRJPIPE_PROGRESS: the total that the writer of a pipe expects is shown, and has no effect on the results" {
    local -a files=()
    for _ in {1..20}; do files+=("$WATER/water.dcd"); done
    trjcat "${files[@]}" 2>"$T/err" | rdfhist -e cpu -r 3 2>"$T/err" >"$T/plain.rdfh"
    TRJPIPE_PROGRESS=1 trjcat "${files[@]}" 2>"$T/first.err" |
        TRJPIPE_PROGRESS=1 rdfhist -e cpu -r 3 2>"$T/err" >"$T/rdfh"
    cmp "$T/plain.rdfh" "$T/rdfh"
    has -xE $'\036frames [0-9]+ [1-9][0-9]{3}' <"$T/err" # before the end
    tail -n 1 "$T/err" | has -x $'\036frames 2560 2560'
    # The total is never below the number of frames.
    awk '/^\036frames/ && $3 && $3 < $2 { exit 1 }' "$T/first.err" "$T/err"
    # Lags: the frames that were read are counted, not the pairs of frames.
    trjcat "$WATER/water.dcd" >"$T/trjf"
    TRJPIPE_PROGRESS=1 rdfhist -e cpu -r 3 --lag 10 --lag 20 "$T/trjf" 2>"$T/err" >"$T/rdfh"
    tail -n 1 "$T/err" | has -x $'\036frames 128 128'
}

# listens FIFO: whether a program receives totals for it
listens() {
    grep -qa "@trjpipe progress .* $(stat -c %i "$1")$" /proc/net/unix
}

@test "totals are received only while the progress is shown" {
    [[ -r /proc/net/unix ]] || skip 'this system does not list its sockets'
    local shown pid
    mkfifo "$T/pipe"
    trjcat "$WATER/water.dcd" >"$T/trjf"
    for shown in 1 ''; do
        env ${shown:+TRJPIPE_PROGRESS=1} rdfhist -r 3 -o "$T/rdfh" "$T/pipe" 2>"$T/err" &
        pid=$!
        exec 7>"$T/pipe"
        head -c -100 "$T/trjf" >&7
        await grep -q '^rdfhist: engine' "$T/err"
        if [[ $shown ]]; then listens "$T/pipe"; else run ! listens "$T/pipe"; fi
        tail -c 100 "$T/trjf" >&7
        exec 7>&-
        wait "$pid"
        run ! listens "$T/pipe"
    done
}

@test "a histogram with matching provenance is reused with a note; otherwise it is counted again" {
    water
    trjrun "$T/w/water.yaml"
    cp "$T/w/gr.tsv" "$T/first"
    trjrun -D norm=gromacs "$T/w/water.yaml" >"$T/messages" 2>&1
    grep -qx 'trjrun: oo.rdfh: reused: commands, versions and inputs have not changed' "$T/messages"
    run ! grep -q 'oo.rdfh: done' "$T/messages"
    run ! cmp -s "$T/first" "$T/w/gr.tsv"
    again() { # OPTION...: the histogram is counted again; the second time, it is reused
        trjrun "$@" "$T/w/water.yaml" >"$T/messages" 2>&1
        grep -q 'oo.rdfh: done' "$T/messages" || return 1
        trjrun "$@" "$T/w/water.yaml" 2>&1 | has 'oo.rdfh: reused'
    }
    again -D bins=90                               # another argument
    again                                          # the first argument again
    poke "$T/w/water.dcd" 1000000 11               # another byte of the trajectory
    again
    echo REMARK >>"$T/w/water.pdb"                 # another topology
    again
    poke "$T/w/oo.rdfh" 700 11 22                 # a damaged histogram
    again
    truncate -s -10 "$T/w/oo.rdfh"                 # a truncated histogram
    again
    echo '# provenance: none' >"$T/w/oo.rdfh"      # another file
    again
    own_tools                                      # another version of a tool
    # shellcheck disable=SC2016
    printf '%s\n' '#!/bin/bash' 'case $1 in --version) echo "rdfhist 9.9 (x)" ;; *) exec rdfhist "$@" ;; esac' >"$T/bin/rdfhist"
    "$T/bin/trjrun" "$T/w/water.yaml" 2>&1 | has 'oo.rdfh: done'
}

@test "several outputs of one stream: only missing ones are written" {
    water
    recipe some.yaml <<'END'
variables: {bins: [10, 20]}
stages:
  atoms:  {tool: trjcat, files: water.dcd, frames: ":5"}
  counts: {tool: rdfhist, from: atoms, engine: cpu, rmax: 5, each: {n: $bins}, bins: $n, output: $n.rdfh}
END
    trjrun "$T/w/some.yaml"
    cp "$T/w/20.rdfh" "$T/first"
    trjrun -D bins='[10, 20, 30]' "$T/w/some.yaml" >"$T/messages" 2>&1
    [[ $(grep -c 'reused' "$T/messages") == 2 && $(outputs) == './10.rdfh ./20.rdfh ./30.rdfh ' ]]
    cmp "$T/first" "$T/w/20.rdfh"
    [[ $(rdfnorm --counts "$T/w/30.rdfh" | rows | wc -l) == 30 ]]
}

# planned MAKEFILE: prints the outputs whose rules make -n would run
planned() {
    (cd "$T/w" && make --no-print-directory -n -f "$1") | sed -n 's/.*--only \([^ ]*\) .*/\1/p' | tr '\n' ' '
}

@test "--make: each rule runs after a change of its prerequisites, as make -n shows" {
    need make
    water
    own_tools
    PATH=$T/bin:$PATH
    (cd "$T/w" && trjrun --make -D bins=60 water.yaml >water.mk)
    [[ $(planned water.mk) == 'oo.rdfh gr.tsv counts.tsv ' ]]
    (cd "$T/w" && make -j 2 -f water.mk)
    [[ $(planned water.mk) == '' && $(rows "$T/w/gr.tsv" | wc -l) == 60 ]]
    local touched expected
    while read -r touched expected; do
        [[ $touched == /* ]] || touched=$T/w/$touched
        touch -d '+2 seconds' "$touched"
        [[ $(planned water.mk) == "$expected " ]] || { echo "$touched: $(planned water.mk)"; return 1; }
        find "$T/w" "$T/bin" -type f -exec touch -d '-10 seconds' {} + # equal times
        for file in oo.rdfh gr.tsv counts.tsv; do touch "$T/w/$file"; done
        [[ $(planned water.mk) == '' ]]
    done <<END
water.dcd oo.rdfh gr.tsv counts.tsv
water.pdb oo.rdfh gr.tsv counts.tsv
water.yaml oo.rdfh gr.tsv counts.tsv
oo.rdfh gr.tsv counts.tsv
$T/bin/trjcat oo.rdfh gr.tsv counts.tsv
$T/bin/rdfhist oo.rdfh gr.tsv counts.tsv
$T/bin/rdfnorm gr.tsv counts.tsv
END
    # Only the missing output is written again.
    rm "$T/w/gr.tsv"
    [[ $(planned water.mk) == 'gr.tsv ' ]]
    (cd "$T/w" && make -f water.mk)
    # A touched input with the same bytes: the rule runs, the histogram is reused, and the next make does nothing.
    touch -d '+2 seconds' "$T/w/water.dcd"
    sleep 2.1
    (cd "$T/w" && make -f water.mk) >"$T/messages" 2>&1
    grep -q 'oo.rdfh: reused' "$T/messages"
    [[ $(planned water.mk) == '' ]]
    # make fails if a stage fails.
    head -c 1000 "$WATER/water.dcd" >"$T/w/water.dcd"
    touch -d '+2 seconds' "$T/w/water.dcd"
    (cd "$T/w" && run ! make -f water.mk)
}

@test "--make: a makefile in another one, with the recipe in another folder and special characters in names" {
    need make
    water
    # shellcheck disable=SC2016 # a dollar
    sed -i 's/gr.tsv/"a b$$c#d:e.tsv"/' "$T/w/water.yaml"
    cat >"$T/Makefile" <<'END'
all: copy water
w.mk: w/water.yaml
	trjrun --make $< > $@
include w.mk
copy: w/counts.tsv
	cp $< $@
END
    make -C "$T" >"$T/messages" 2>&1
    cmp "$T/copy" "$T/w/counts.tsv"
    # shellcheck disable=SC2016
    [[ -s $T/w/'a b$c#d:e.tsv' ]]
    make -C "$T" --no-print-directory | has "Nothing to be done for 'all'"
    sed -i 's/counts.tsv/"co%nts.tsv"/' "$T/w/water.yaml"
    run -2 env -C "$T" trjrun --make w/water.yaml
    [[ ${lines[-1]} == *"make does not support the file name 'w/co%nts.tsv', because of '%'; rename the file" ]]
}

@test "--make: outputs of one pipeline have one rule" {
    need make
    water
    recipe two.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: water.dcd, frames: ":5"}
  one:   {tool: rdfhist, from: atoms, engine: cpu, rmax: 5, output: one.rdfh}
  two:   {tool: rdfhist, from: atoms, engine: cpu, rmax: 6, output: two.rdfh}
END
    (cd "$T/w" && trjrun --make two.yaml >two.mk && make -j 2 -f two.mk) >"$T/messages" 2>&1
    [[ $(grep -c -- '--only' "$T/messages") == 1 ]]
    rm "$T/w/one.rdfh"
    [[ $(planned two.mk) == 'one.rdfh ' ]]
    (cd "$T/w" && make -f two.mk && make -f two.mk) >"$T/messages" 2>&1
    grep -q "Nothing to be done" "$T/messages"
}

@test "--make: file names with a meaning in make, a recipe from a pipe, other values of variables" {
    need make
    water
    local name
    recipe odd.yaml <<'END'
variables: {n: 10}
stages:
  atoms: {tool: trjcat, files: water.dcd, frames: ":5"}
  one:   {tool: rdfhist, from: atoms, engine: cpu, rmax: 5, bins: $n, output: include}
  two:   {tool: rdfhist, from: atoms, engine: cpu, rmax: 6, output: two.rdfh}
END
    (cd "$T/w" && trjrun --make odd.yaml >odd.mk && make -f odd.mk) >"$T/messages" 2>&1
    [[ $(outputs) == './include ./odd.mk ./two.rdfh ' && $(planned odd.mk) == '' ]]
    sleep 0.1
    (cd "$T/w" && trjrun --make -D n=20 odd.yaml >odd.mk)
    [[ $(planned odd.mk) == 'include ' ]]
    (cd "$T/w" && make -f odd.mk) >"$T/messages" 2>&1
    grep -q 'two.rdfh: reused' "$T/messages"
    [[ $(planned odd.mk) == '' && $(rdfnorm --counts "$T/w/include" | rows | wc -l) == 20 ]]
    for name in .PHONY .c.o .SUFFIXES ./.PHONY; do
        sed "s|include|$name|" "$T/w/odd.yaml" >"$T/w/dot.yaml"
        (cd "$T/w" && fails 2 "make reserves file names such as '$name' that begin with a dot; rename the file" trjrun --make dot.yaml)
    done
    (cd "$T/w" && run -2 trjrun --make - <odd.yaml && [[ $output == *"'-' is not a regular file, but the makefile reads the recipe again; save it in a file" ]])
    run -2 bash -c "cd '$T/w' && trjrun --make <(cat odd.yaml)"
    cp "$T/w/odd.yaml" "$T/w/"$'a\nb.yaml'
    fails 2 'make does not support file names with control characters; rename the file' \
        trjrun --make "$T/w/"$'a\nb.yaml'
}

@test "--verify repeats the commands in the provenance, and reports equal bytes or the first difference" {
    water
    trjrun "$T/w/water.yaml"
    trjrun --verify "$T/w/gr.tsv" >"$T/messages" 2>&1
    grep -q 'gr.tsv: rdfnorm writes the same bytes$' "$T/messages"
    grep -q 'oo.rdfh: trjcat | rdfhist writes the same bytes$' "$T/messages"
    (cd "$T/w" && trjrun --verify oo.rdfh)
    # No file was written; inputs are also found from another folder.
    [[ $(outputs) == './counts.tsv ./gr.tsv ./oo.rdfh ' ]]
    mkdir -p "$T/w/sub/sub"
    cp "$T/w/gr.tsv" "$T/w/sub/sub/copy.tsv"
    trjrun --verify "$T/w/sub/sub/copy.tsv"
    # A changed character in the table, and a changed byte in the trajectory.
    sed '60s/[0-9]$/x/' "$T/w/gr.tsv" >"$T/w/bad.tsv"
    fails 1 'bad.tsv: the repeated result differs from byte' trjrun --verify "$T/w/bad.tsv"
    poke "$T/w/water.dcd" 1000000 11
    fails 1 'water.dcd: has changed: expected digest xxh3:' trjrun --verify "$T/w/oo.rdfh"
    fails 1 'water.dcd: has changed: expected digest xxh3:' trjrun --verify "$T/w/gr.tsv"
    rm "$T/w/oo.rdfh"
    fails 1 'oo.rdfh: No such file' trjrun --verify "$T/w/gr.tsv"
    trjcat -f 0 "$WATER/water.dcd" | rdfhist -e cpu -r 5 | rdfnorm >"$T/w/plain.tsv"
    fails 3 'no digests; run trjcat, rdfhist, rdfnorm with --digest' trjrun --verify "$T/w/plain.tsv"
    fails 3 'contains no provenance; give a file' trjrun --verify "$T/w/water.pdb"
}

@test "--verify: figures of each format; commands that a recipe cannot run are rejected" {
    need gnuplot
    water
    local suffix
    for suffix in svg png pdf; do
        recipe plot.yaml <<END
stages:
  atoms: {tool: trjcat, files: water.dcd, frames: ":5", group: ["A=index < 100", "B&=all"]}
  gr:    {tool: rdfhist, from: atoms, engine: cpu, rmax: 5}
  table: {tool: rdfnorm, from: gr}
  plot:  {tool: rdfplot, from: table, output: gr.$suffix}
END
        sed -i 's/, "B&=all"//; s/index < 100/index 0 to 99/' "$T/w/plot.yaml"
        trjrun "$T/w/plot.yaml"
        trjrun --verify "$T/w/gr.$suffix" 2>&1 | has 'trjcat | rdfhist | rdfnorm | rdfplot writes the same bytes'
    done
    trjrun "$T/w/water.yaml"
    sed 's|rdfnorm --digest|rdfnorm --digest -o /tmp/x|' "$T/w/gr.tsv" >"$T/w/bad.tsv"
    fails 3 'gives rdfnorm an option that recipes do not support: -o' trjrun --verify "$T/w/bad.tsv"
    sed 's|rdfnorm 0.1.0: rdfnorm|touch 1: touch|' "$T/w/gr.tsv" >"$T/w/bad.tsv"
    fails 3 "unknown tool 'touch'" trjrun --verify "$T/w/bad.tsv"
}

# carrying < YAML: runs the recipe with an rdfhist that declares properties, and prints the commands of its trjcat
carrying() {
    { echo 'trjrun: 1'; cat; } >"$T/w/carry.yaml"
    "$T/bin/trjrun" -n "$T/w/carry.yaml" | grep -o 'trjcat .*'
}

@test "properties that options require are added to --carry of the first trjcat" {
    own_tools
    mkdir -p "$T/w"
    cp examples/water/water.{dcd,pdb} "$T/w/"
    mv "$T/bin/rdfhist" "$T/rdfhist"
    cat >"$T/bin/rdfhist" <<END
#!/bin/bash
[[ \$1 == --options ]] || exec "$T/rdfhist" "\$@"
"$T/rdfhist" --options | awk -F '\t' -v OFS='\t' '
    \$2 == "engine" { \$9 = "cpu:mass,reference:resid" } \$2 == "bins" { \$9 = "radius=bondi" } 1'
END
    chmod +x "$T/bin/rdfhist"
    # The value of one option requires mass; another option requires radii with any value.
    carrying >"$T/found" <<'YAML'
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, frames: "0"}
  some:  {tool: trjcat, from: atoms, group: [O=index 0 3 6]}
  one:   {tool: rdfhist, from: some, engine: cpu, rmax: 5, output: one.rdfh}
  two:   {tool: rdfhist, from: atoms, engine: reference, rmax: 5, bins: 20, output: two.rdfh}
YAML
    grep -q "water.pdb.* --carry mass,resid,radius=bondi water.dcd" "$T/found"
    ! grep -e '--carry' "$T/found" | grep -v 'water.dcd' || false
    # The properties that the recipe requests come first, with their sources.
    carrying >"$T/found" <<'YAML'
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, frames: "0", carry: "name,mass", output: atoms.trjf}
  one:   {tool: rdfhist, from: atoms, engine: cpu, rmax: 5, bins: 20, output: one.rdfh}
YAML
    grep -q -- '--carry name,mass,radius=bondi ' "$T/found"
    "$T/bin/trjrun" "$T/w/carry.yaml"
    trjinfo "$T/w/atoms.trjf" | sed -n 's/^properties\t\([a-z]*\),.*/\1/p' | paste -s -d , >"$T/properties"
    [ "$(cat "$T/properties")" = name,mass,radius,resname,resid,segid ]
    # The provenance records the option, so that no output is made again.
    "$T/bin/trjrun" "$T/w/carry.yaml" 2>"$T/err"
    ! grep 'done:' "$T/err" || false
    trjrun --verify "$T/w/atoms.trjf"
    # Without such an option, and for a trajectory that is not a stream, nothing is requested from it.
    carrying >"$T/found" <<'YAML'
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, frames: "0"}
  one:   {tool: rdfhist, from: atoms, rmax: 5, output: one.rdfh}
YAML
    ! grep -e '--carry' "$T/found" || false
    # An option that supplies a property, so that the stream need not contain it.
    carrying >"$T/found" <<'YAML'
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, frames: "0", output: atoms.trjf}
  pot:   {tool: potmap, from: atoms, method: mdh, debye: 8, charges: water.charges, radii: bondi, grid: 5, output: a.dx}
YAML
    ! grep -e '--carry' "$T/found" || false
    sed -i 's/charges: water.charges/charges: {from: table}/' "$T/w/carry.yaml"
    cat >>"$T/w/carry.yaml" <<'YAML'
  table: {tool: rdfhist, from: atoms, rmax: 5, output: table.rdfh}
YAML
    ! "$T/bin/trjrun" -n "$T/w/carry.yaml" | grep -e '--carry' || false
    sed -i 's/ charges: {from: table},//' "$T/w/carry.yaml"
    "$T/bin/trjrun" -n "$T/w/carry.yaml" | has -- ' --carry charge '
}

@test "a density weighted by charge: the recipe gets --carry charge, and the charges of a PQR file" {
    mkdir -p "$T/w"
    printf 'ATOM 1 NA NA+ 1 1.0 2.0 3.0 1.0 1.9\nATOM 2 CL CL- 2 5.0 5.0 5.0 -1.0 1.8\n' >"$T/w/ions.pqr"
    cat >"$T/w/density.yaml" <<'YAML'
trjrun: 1
stages:
  atoms: {tool: trjcat, files: ions.pqr, cell: "10,10,10"}
  map:   {tool: densmap, from: atoms, weight: charge, grid: 1, sigma: 1, engine: cpu, output: charge.trjg}
  width: {tool: densmap, from: atoms, kernel: gauss, radius: "radius*1", grid: 1, engine: cpu, output: width.trjg}
YAML
    trjrun -n "$T/w/density.yaml" | has -- '--carry charge,radius ions.pqr'
    trjrun "$T/w/density.yaml" 2>"$T/err" || { cat "$T/err"; return 1; }
    [[ -s $T/w/charge.trjg && -s $T/w/width.trjg ]]
}
