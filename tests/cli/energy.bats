#!/usr/bin/env bats
# --stats: the energy of the CPUs, from a folder of counters with the layout of Linux.
load helper

# Writes a package: number, name, energy in micro-joules, range.
package() {
    mkdir -p "$T/powercap/intel-rapl:$1"
    echo "$2" >"$T/powercap/intel-rapl:$1/name"
    echo "$3" >"$T/powercap/intel-rapl:$1/energy_uj"
    echo "$4" >"$T/powercap/intel-rapl:$1/max_energy_range_uj"
}

make_stream() {
    mkdcd --atoms 50 --frames 4 --cell 20,21,22,70,80,95 >"$T/a.dcd"
    trjcat "$T/a.dcd" >"$T/a.trjf"
    export TRJPIPE_POWERCAP=$T/powercap
}

# Runs a tool on a FIFO. It has read the counters before it opens the FIFO; then "$1" changes them.
measured() {
    local change=$1
    shift
    rm -f "$T/fifo"
    mkfifo "$T/fifo"
    "$@" "$T/fifo" >"$T/out" 2>"$T/err" &
    exec 7>"$T/fifo"
    $change
    cat "$T/a.trjf" >&7
    exec 7>&-
    wait $!
}

use_3_joules() {
    echo 3500000 >"$T/powercap/intel-rapl:0/energy_uj" # +2.5 J
    echo 500000 >"$T/powercap/intel-rapl:1/energy_uj"  # from 8.0 J to 0.5 J beyond the range of 8.0 J
    echo 9000000 >"$T/powercap/intel-rapl:2/energy_uj"
    echo 9000000 >"$T/powercap/intel-rapl:0:0/energy_uj"
}

@test "--stats: joules of all CPU packages a frame, with counters that wrap around; parts, psys and other zones are ignored" {
    make_stream
    for tool in 'rdfhist -e cpu -r 5' 'densmap -e cpu -g 4' 'skhist -e cpu -q 1'; do
        rm -rf "$T/powercap"
        package 0 package-0 1000000 8000000
        package 1 package-1 8000000 8000000
        package 2 psys 1000000 8000000
        package 0:0 core 1000000 8000000
        mkdir "$T/powercap/intel-rapl"
        # shellcheck disable=SC2086 # its options
        measured use_3_joules $tool --stats
        cat "$T/err"
        has 'energy: 3 J of 2 CPU packages: joules a frame 0.75' "$T/err"
    done
}

@test "--stats: counters that cannot be read are reported with the file; without counters, nothing is printed" {
    make_stream
    package 0 package-0 1000000 8000000
    rm "$T/powercap/intel-rapl:0/energy_uj"
    mkdir "$T/powercap/intel-rapl:0/energy_uj" # an error for every user, also for root
    rdfhist -e cpu -r 5 --stats "$T/a.trjf" 2>"$T/err" >"$T/out"
    has "energy of the CPUs: cannot be read: $T/powercap/intel-rapl:0/energy_uj: Is a directory" "$T/err"
    rdfhist -e cpu -r 5 "$T/a.trjf" 2>"$T/err" >"$T/out"
    run ! has 'energy' "$T/err"
    for content in '' 'x'; do
        rmdir "$T/powercap/intel-rapl:0/energy_uj" 2>/dev/null || true
        echo "$content" >"$T/powercap/intel-rapl:0/energy_uj"
        rdfhist -e cpu -r 5 --stats "$T/a.trjf" 2>"$T/err" >"$T/out"
        has "$T/powercap/intel-rapl:0/energy_uj: contains no number" "$T/err"
    done
    TRJPIPE_POWERCAP=$T/absent rdfhist -e cpu -r 5 --stats "$T/a.trjf" 2>"$T/err" >"$T/out"
    run ! has 'energy' "$T/err"
}

@test "without --stats, no counter of energy is opened" {
    command -v strace >/dev/null || skip "no strace"
    make_stream
    package 0 package-0 1000000 8000000
    strace -f -e trace=openat,open -o "$T/trace" rdfhist -e cpu -r 5 "$T/a.trjf" 2>/dev/null >"$T/out" ||
        skip 'strace cannot trace here'
    run ! has powercap "$T/trace"
}
