#!/bin/bash
# SPDX-License-Identifier: MIT
# kill_restart.bash KILLS SEED OUTPUT COMMAND: runs COMMAND, a line for bash that writes the file OUTPUT with
# checkpoints, ends it KILLS times at random times, by KILL, TERM or USR1, each sent to all of its processes or to the
# last one of the pipeline, and runs it again. A run that is not ended must succeed, with the bytes of the first run,
# which is not disturbed. Prints the numbers of signals, and of runs that continued after a checkpoint.
set -u
kills=$1 RANDOM=$2 output=$3 command=$4
log=$output.log sent=0 complete=0 continued=0 stopped=0
signals=(KILL TERM USR1)
fail() {
    echo "kill_restart: $*"
    cat "$log"
    exit 1
}

rm -f "$output"
began=$EPOCHREALTIME
bash -c "set -o pipefail; $command" 2>"$log" || fail "the first run failed"
mv "$output" "$output.expected"
seconds=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
set -m # each run has a process group of its own
while ((sent < kills)) || [[ -e $output.running ]]; do
    bash -c "set -o pipefail; $command" 2>"$log" &
    group=$! name=none
    touch "$output.running"
    began=$EPOCHREALTIME
    if ((sent < kills && RANDOM % 4)); then
        sleep "$(awk -v s="$seconds" -v r="$RANDOM" 'BEGIN { print s * r / 32768 }')"
        name=${signals[RANDOM % 3]}
        if ((RANDOM % 2)); then
            kill -s "$name" -- "-$group" 2>/dev/null && ((++sent))
        else
            last=$(pgrep -g "$group" | tail -n 1) # the processes of a pipeline start from left to right
            [[ -z $last || $last == "$group" ]] || { kill -s "$name" "$last" 2>/dev/null && ((++sent)); }
        fi
    fi
    wait "$group" 2>/dev/null
    status=$?
    # After a signal, processes may still write a checkpoint; zombies that nobody waits for do nothing.
    while pgrep -g "$group" -r D,R,S >/dev/null; do sleep 0.01; done
    grep -q 'continues after' "$log" && ((++continued))
    ((status == 5)) && ((++stopped))
    # A signal that comes after the end has no effect.
    if ((status == 0)); then
        cmp -s "$output" "$output.expected" || fail "signal $name: the output differs"
        rm -f "$output" "$output.running"
        ((++complete))
        seconds=$(awk -v s="$seconds" -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { print b - a < s ? b - a : s }')
    elif [[ $name == none ]]; then
        fail "a run that was not disturbed ended with status $status"
    fi
done
rm -f "$output.expected"
echo "$sent signals; $complete complete runs, $continued continued, $stopped ended with status 5"
