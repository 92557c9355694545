#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjcat imd://HOST:PORT: running simulations, and servers that send damaged data.
load helper

# serve [KEY=VALUE...]: starts a server (tests/helpers/imd_server.py); $port is its port
serve() {
    need /usr/bin/python3
    rm -f "$T/port"
    /usr/bin/python3 tests/helpers/imd_server.py "$T/port" "$@" >"$T/server" 2>&1 3>&- &
    server=$!
    await test -s "$T/port"
    port=$(<"$T/port")
}

teardown() {
    [[ -z ${server-} ]] || kill "$server" 2>/dev/null || :
    [[ -z ${simulation-} ]] || kill "$simulation" 2>/dev/null || :
}

# The frames of a stream without the name of the server
live_frames() {
    bare_frames | sed 's/ time nan//'
}

@test "either byte order, any division into packets, IPv6, with and without energies: the same frames" {
    serve frames=5 atoms=20
    trjcat -c 16,16,16 "imd://localhost:$port" >"$T/out.trjf"
    live_frames <"$T/out.trjf" >"$T/expected"
    grep -q '^received 0000000300000000$' "$T/server"
    (($(grep -c '^frame' "$T/expected") == 5))
    grep -q '^frame 4 step 40 unit 1 periodic 7 cell 16 0 0 0 16 0 0 0 16' "$T/expected"
    sed -n '/^frame 1/,/^frame 2/p' "$T/expected" | sed -n 2,3p |
        same - <(printf '%s\n' '3e800000 3f000000 3f400000' '3fc00000 3fa00000 40200000') # 1/4 1/2 3/4, 3/2 5/4 5/2
    local options
    for options in order=big pieces=1 'pieces=7 order=big' end=close 'pause=0.02' end=reset; do
        # shellcheck disable=SC2086 # words
        serve frames=5 atoms=20 $options
        trjcat -c 16,16,16 "imd://127.0.0.1:$port" 2>"$T/err" | live_frames | same "$T/expected" - ||
            { echo "$options" && cat "$T/err" && return 1; }
    done
    serve frames=5 atoms=20 energies=no
    trjcat -j 1 -c 16,16,16 "imd://localhost:$port" | live_frames | sed 's/ step [-0-9]*//' >"$T/no"
    sed 's/ step [0-9]*//' "$T/expected" | same - "$T/no"
    [[ -e /proc/net/if_inet6 ]] && grep -q lo$ /proc/net/if_inet6 || return 0
    serve frames=5 atoms=20 family=6
    trjcat -c 16,16,16 "imd://[::1]:$port" | live_frames | same "$T/expected" -
}

@test "cell: from --cell or the topology; without one, an error with a remedy, or -P none" {
    printf '%s\n' title 3 \
        '    1SOL     OW    1   0.100   0.200   0.300' '    1SOL    HW1    2   0.400   0.500   0.600' \
        '    1SOL    HW2    3   0.700   0.800   0.900' '   2.00000   3.00000   4.00000' >"$T/x.gro"
    serve atoms=3
    trjcat -t "$T/x.gro" -g 'O=name OW' "imd://localhost:$port" 2>"$T/err" | trjdump >"$T/dump"
    grep -q "note: all frames get the cell of $T/x.gro" "$T/err"
    grep -q 'periodic 7 cell 20 0 0 0 30 0 0 0 40' "$T/dump"
    serve atoms=3
    trjcat -t "$T/x.gro" -c 9,9,9 "imd://localhost:$port" | trjdump | has 'cell 9 0 0 0 9 0 0 0 9'
    serve atoms=3
    trjcat -P none "imd://localhost:$port" | trjdump | has 'periodic 0 cell 0 0 0'
    serve atoms=3
    fails 2 'frames contain no cell; give it with --cell, or with a topology that contains it (-t FILE.gro or .pdb)' \
        trjcat "imd://localhost:$port"
    serve atoms=4
    fails 3 'the server sends 4 atoms, but the topology has 3; give a topology of the same atoms with -t' \
        trjcat -t "$T/x.gro" "imd://localhost:$port"
}

@test "connection lost within a frame: the complete frames, a complete output, and exit status 3" {
    local pieces got
    for pieces in 0 5; do
        serve frames=4 end=middle pieces=$pieces
        got=0
        trjcat -c 16,16,16 "imd://localhost:$port" >"$T/out.trjf" 2>"$T/err" || got=$?
        [[ $got == 3 ]]
        grep -q 'frame 3: byte [0-9]*: truncated in the coordinates: expected 96 bytes, found 44; ' "$T/err"
        grep -q '; 3 complete frames precede it; the output is complete and contains 3 frames' "$T/err"
        (($(trjdump <"$T/out.trjf" | grep -c '^frame') == 3))
        rdfhist -r 5 -b 10 "$T/out.trjf" >"$T/h.rdfh"
    done
}

@test "invalid messages: rejected with the byte, in little memory" {
    local message expected
    while IFS='|' read -r message expected; do
        serve message="$message"
        (ulimit -v 4000000 && sanitized || fails 3 "$expected" trjcat -c 9,9,9 "imd://localhost:$port") ||
            { echo "$message" && return 1; }
    done <<'END'
000000027fffffff|frame 1: byte 164 gives 2147483647 atoms, not 8
00000002ffffffff|frame 1: byte 164 gives -1 atoms, not 8
0000000200000000|frame 1: byte 164 gives 0 atoms, not 8
00000001000003e8|frame 1: byte 164 gives 1000 structures of energies, not 1
0000000700000001|frame 1: byte 160 begins a message of type 7, which is not part of IMD version 2
0000000400000002|frame 1: byte 160 begins a message of type 4
ffffffffffffffff|frame 1: byte 160 begins a message of type -1
END
    # Coordinates that are not numbers: of a stream in standard output, the frames before them can be recovered.
    serve message=0000000200000008"$(printf '0000c07f%.0s' {1..24})"
    fails 3 'frame 1: x of atom 0 (counted from 0) is not a number; 1 frame precedes it' \
        trjcat -c 9,9,9 "imd://localhost:$port"
    { trjcat --salvage "$T/out" 2>"$T/err" || [[ $? == 3 ]]; } | trjdump | grep -c '^frame 0' | same - <(echo 1)
    serve greeting=0000000400000003
    fails 3 'the server has version 3 of IMD; choose version 2 in the simulation' trjcat "imd://localhost:$port"
    serve greeting=485454502f312e3120
    fails 3 'the server does not begin with a handshake of IMD; check host and port' trjcat "imd://localhost:$port"
    serve greeting=00000004 wait=no frames=0 end=close
    fails 3 'truncated in the handshake: expected 8 bytes, found 4' trjcat "imd://localhost:$port"
    serve frames=0
    fails 3 'ended before the first frame; see the messages of the simulation program' trjcat "imd://localhost:$port"
    # The first message can give any number: memory grows with the bytes that arrive.
    serve greeting=0000000402000000000000027fffffff wait=no frames=0 end=close
    (ulimit -v 4000000 && sanitized || fails 3 'truncated in the coordinates: expected' \
        trjcat -c 9,9,9 "imd://localhost:$port")
}

@test "addresses: invalid ones, an unknown host and a closed port are rejected with a remedy" {
    local address
    for address in imd:// imd://:99 imd://host: imd://host:0 imd://host:65536 imd://host:9x 'imd://[::1' imd://a/b:9; do
        fails 2 "$address: is not the address of a server; give imd://HOST:PORT" trjcat "$address"
    done
    serve frames=0
    kill "$server"
    wait "$server" || :
    fails 1 "cannot connect to port $port: Connection refused; start the simulation with its IMD server first" \
        trjcat "imd://localhost:$port"
}

@test "SIGINT: the stream is complete, and the server gets DISCONNECT" {
    serve frames=1000 pause=0.02
    env --default-signal=INT trjcat -c 16,16,16 "imd://localhost:$port" >"$T/out.trjf" 3>&- &
    local pid=$!
    await has_frames "$T/out.trjf" 4
    kill -INT $pid
    wait $pid
    (($(trjdump <"$T/out.trjf" | grep -c '^frame') > 3))
    await grep -qE 'received 0{16}|BrokenPipe|ConnectionReset' "$T/server"
}

# stalls HEX: starts a server that sends these bytes, and then nothing
stalls() {
    rm -f "$T/port"
    /usr/bin/python3 -c 'import socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
open(sys.argv[1], "w").write("%d\n" % server.getsockname()[1])
client = server.accept()[0]
client.sendall(bytes.fromhex(sys.argv[2]))
time.sleep(100)' "$T/port" "$1" 3>&- &
    server=$!
    await test -s "$T/port"
    port=$(<"$T/port")
}

@test "SIGINT before the first frame: an error that states this at each stage, and no output" {
    need /usr/bin/python3
    local sent pid got
    # No program listens; no greeting; a part of it; the handshake; a part of the first frame.
    for sent in none '' 0000 0000000402000000 00000004020000000000000200000008000000; do
        stalls "${sent/none/}"
        [[ $sent != none ]] || { kill "$server" && wait "$server" || :; }
        env --default-signal=INT trjcat -c 9,9,9 "imd://127.0.0.1:$port" -o "$T/live.trjf" 2>"$T/err" 3>&- &
        pid=$!
        await handles INT $pid
        sleep 0.2
        kill -INT $pid
        got=0
        wait $pid || got=$?
        [[ $got == 1 || $got == 3 ]]
        has "^trjcat: imd://127.0.0.1:$port: stopped before the first frame\$" "$T/err" || { cat "$T/err" && return 1; }
        (($(wc -l <"$T/err") == 1))
        [[ ! -e $T/live.trjf ]]
        kill "$server" 2>/dev/null || :
    done
}

@test "frames are written as they arrive, also small ones" {
    serve frames=1000 pause=0.2
    trjcat -c 16,16,16 "imd://localhost:$port" >"$T/out.trjf" 3>&- &
    local pid=$!
    await has_frames "$T/out.trjf" 2
    (($(frames_in "$T/out.trjf") < 500))
    kill -TERM $pid
    wait $pid
}

# free_port: prints a port that no program uses
free_port() {
    /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}

# listens PORT: succeeds if a program listens at the port
listens() {
    awk -v port="$(printf ':%04X' "$1")" '$2 ~ port "$" && $4 == "0A" { found = 1 } END { exit !found }' /proc/net/tcp*
}

@test "mdrun of GROMACS: all frames, with the cell of the GRO file and the coordinates of its XTC" {
    need_mdrun
    need /usr/bin/python3
    need_python_module numpy
    cp tests/data/imd/* "$T"
    awk 'BEGIN { print "argon\n125"
        for (i = 0; i < 125; i++) printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", i + 1, "AR", "AR", i + 1,
            (i % 5 + 0.5) * 0.55, (int(i / 5) % 5 + 0.5) * 0.55, (int(i / 25) + 0.5) * 0.55
        print "2.75 2.75 2.75" }' >"$T/conf.gro"
    (cd "$T" && timeout 60 gmx grompp -f argon.mdp -c conf.gro -p argon.top -o run.tpr >grompp.log 2>&1)
    port=$(free_port)
    (cd "$T" && exec timeout 60 gmx mdrun -s run.tpr -imdwait -imdport "$port" -nt 1 -deffnm run >mdrun.log 2>&1) 3>&- &
    simulation=$!
    await listens "$port"
    timeout 60 trjcat -t "$T/conf.gro" "imd://localhost:$port" -o "$T/live.trjf"
    wait "$simulation"
    trjinfo "$T/live.trjf" | has -x 'frames	201'
    trjcat -f ::20 "$T/live.trjf" | trjdump >"$T/live"
    trjcat -z 0 "$T/run.xtc" | trjdump >"$T/xtc"
    /usr/bin/python3 - "$T/live" "$T/xtc" <<'END'
import struct
import sys


def frames(path):
    result = []
    for line in open(path, encoding="ascii"):
        words = line.split()
        if words[0] == "frame":
            unit = float(words[words.index("unit") + 1])
            result.append([])
        elif result:
            result[-1].append([unit * struct.unpack(">f", bytes.fromhex(word))[0] for word in words])
    return result


live, stored = frames(sys.argv[1]), frames(sys.argv[2])
assert len(live) == len(stored) == 11, (len(live), len(stored))
for a, b in zip(live, stored):
    for p, q in zip(a, b):
        for u, v in zip(p, q):
            assert abs((u - v + 13.75) % 27.5 - 13.75) < 0.006, (p, q)
END
}

@test "fix imd of LAMMPS: all frames, and the coordinates of its dump" {
    need lmp /usr/bin/python3
    lmp -h | has -w imd || skip 'this lmp has no fix imd'
    port=$(free_port)
    sed "s/PORT/$port/" tests/data/imd/in.argon >"$T/in.argon"
    (cd "$T" && exec timeout 60 lmp -in in.argon >lmp.log 2>&1 3>&-) 3>&- &
    simulation=$!
    await listens "$port"
    timeout 60 trjcat -c 21,21,21 "imd://localhost:$port" -o "$T/live.trjf"
    wait "$simulation"
    trjinfo "$T/live.trjf" | has -x 'frames	20'
    # The counts of the dump are those of the live frames; the dump also has the frame before the first step.
    rdfhist -r 10 -b 50 "$T/live.trjf" | counts >"$T/live"
    trjcat -f 1: "$T/run.lammpstrj" -c 21,21,21 | rdfhist -r 10 -b 50 | counts >"$T/dump"
    same "$T/dump" "$T/live"
}

@test "examples/live: the commands give the g(r) of liquid argon, from the server and from the growing file" {
    need lmp gnuplot /usr/bin/python3
    lmp -h | has -w imd || skip 'this lmp has no fix imd'
    PORT=$(free_port) timeout 120 examples/live/run.sh "$T/live" >"$T/log" 2>"$T/err" 3>&- ||
        { cat "$T/err"; return 1; }
    grep -q '^# frames: 300 in 6 records' "$T/live/gr.tsv"
    (($(grep -c '^$' "$T/live/tables.tsv") == 6))
    rows "$T/live/gr.tsv" | awk '$2 > high { high = $2; peak = $1 } END { print peak, high
        exit !(peak > 3.6 && peak < 3.9 && high > 2.4 && high < 3.4) }'
    counts "$T/live/live.rdfh" >"$T/server"
    counts "$T/live/file.rdfh" | paste "$T/server" - | awk '{ n++; d = $1 - $2; if (d * d > 9) { print; bad = 1 } }
        END { exit bad || n != 110 }'
    grep -q '</svg>' "$T/live/gr.svg"
}

@test "recipes: a connection is rejected, because it cannot be repeated" {
    printf "%s\n" "trjrun: 1" stages: '  frames: {tool: trjcat, files: "imd://localhost:9", output: a.trjf}' \
        >"$T/live.yaml"
    run trjrun --check "$T/live.yaml"
    [[ $status == 3 && $output == *"is not a file: a recipe can be repeated, a connection cannot"* ]]
}
