#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files that end too early, and files that become shorter while they are read.

# shellcheck disable=SC2154 # settings: alternate
load helper

# write_all FOLDER ATOMS FRAMES ENDING...: writes one trajectory in several formats, FOLDER/x.ENDING
write_all() {
    local folder=$1 ending
    mkdir -p "$folder"
    mkdcd --atoms "$2" --frames "$3" --cell 40,40,40 >"$folder/x.dcd"
    awk -v n="$2" 'BEGIN {
        print "argon"
        print n
        for (i = 1; i <= n; i++) printf "%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", i, "AR", "AR", i % 100000, 0, 0, 0
        print " 4 4 4"
    }' >"$T/top.gro"
    for ending in "${@:4}"; do trjcat -t "$T/top.gro" "$folder/x.dcd" -o "$folder/x.$ending" 2>"$T/err" ||
        { cat "$T/err"; return 1; }; done
}

make_files() {
    mkdir -p "$T/cut"
    write_all "$T/whole" 3000 12 xtc nc xyz gro pdb trjf
}

# Writes the binary dump of LAMMPS and the coordinates of NAMD with these frames.
make_binary() {
    run_python - "$T/whole" <<'END'
import random, struct, sys
random.seed(1)
frames = [[random.uniform(0, 40) for i in range(3 * 500)] for f in range(12)]
with open(sys.argv[1] + '/x.lmpbin', 'wb') as out:
    for step, x in enumerate(frames):
        names = b'id x y z'
        out.write(struct.pack('<q10siiqqi6i6di', -10, b'DUMPCUSTOM', 1, 2, step, 500, 0, 0, 0, 0, 0, 0, 0,
                              0, 40, 0, 40, 0, 40, 4))
        out.write(struct.pack('<ib', 0, 0) + struct.pack('<i', len(names)) + names + struct.pack('<ii', 1, 2000))
        for i in range(500):
            out.write(struct.pack('<4d', i + 1, *x[3 * i:3 * i + 3]))
with open(sys.argv[1] + '/x.coor', 'wb') as out:
    out.write(struct.pack('<i', 500) + struct.pack('<1500d', *frames[0]))
END
}

# Prints the frames of a trajectory, bit by bit.
frames_of() {
    trjcat "$@" 2>/dev/null | trjdump | grep -v '^[agp]' | sed 's/ of [^ ]*/ of file/'
}

# truncated FILE [OPTION...]: $T/cut/FILE is rejected; the option that the message gives reads the frames before. At
# least one of the places must leave a frame.
truncated() {
    local file=$1 size percent got suggestion complete suggested=0
    local pattern=': frame ([0-9]+): .*; ([0-9]+) complete frames? precedes? it; to read up to there, add (-f :[0-9]+)$'
    shift
    size=$(stat -c %s "$T/whole/$file")
    for percent in 30 62 98; do
        head -c $((size * percent / 100 + 7)) "$T/whole/$file" >"$T/cut/$file"
        alternate 1 4
        for j in "${settings[@]}"; do
            got=0
            trjcat -j "$j" "$@" "$T/cut/$file" >"$T/out" 2>"$T/err" || got=$?
            [[ $got == 3 ]] || { echo "$file at $percent %, -j $j: status $got" "$(<"$T/err")"; return 1; }
            if ((percent == 98)); then refuse_stream || return 1; fi
            [[ $(tail -n 1 "$T/err") =~ $pattern ]] || continue
            complete=${BASH_REMATCH[2]} suggestion=${BASH_REMATCH[3]}
            [[ ${BASH_REMATCH[1]} == "$complete" && $suggestion == "-f :$complete" ]] || { cat "$T/err"; return 1; }
            suggested=$((suggested + 1))
            # shellcheck disable=SC2086 # an option and its value
            {
                frames_of -j "$j" "$@" $suggestion "$T/cut/$file" >"$T/few" ||
                    { echo "$file: $suggestion fails"; return 1; }
                frames_of "$@" $suggestion "$T/whole/$file" | same - "$T/few" || return 1
            }
            [[ $(grep -c '^frame' "$T/few") == "$complete" ]] || { echo "not $complete frames"; return 1; }
        done
        [[ $* == *-t* ]] || ((!suggested)) || reported "$T/cut/$file" "$complete" || return 1
    done
    ((suggested)) || { echo "$file: no suggestion in $(<"$T/err")"; return 1; }
}

# The output before the error is not a stream that a later stage accepts.
refuse_stream() {
    local got=0
    rdfhist -e cpu -b 5 -r 2 "$T/out" >/dev/null 2>"$T/err2" || got=$?
    [[ $got == 3 ]] || { echo "rdfhist: status $got $(<"$T/err2")"; return 1; }
}

# trjinfo reports the same number of complete frames with and without --check.
reported() {
    local got=0 option
    for option in '' --check; do
        # shellcheck disable=SC2086 # may be empty
        trjinfo $option "$1" >"$T/facts" 2>"$T/err" || got=$?
        [[ $got == 3 && $(fact frames_at_least "$T/facts") == "$2" && $(<"$T/err") == *"; $2 complete frame"* ]] ||
            { echo "trjinfo $option $1: not $2 frames"; cat "$T/facts" "$T/err"; return 1; }
    done
}

fact() { # NAME FILE
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

@test "truncated file: the message gives the number of complete frames and the option that reads them" {
    make_files
    for file in dcd xtc nc xyz gro pdb trjf; do truncated x.$file; done
}

@test "truncated file of a format that is only read: the message gives the option that reads the complete frames" {
    need_shared
    make_files
    cp "$DATA/multi/cobrotoxin.trr" "$DATA/multi/octahedron_trajectory.lammpstrj" "$DATA/amber/ache.mdcrd" "$T/whole/"
    truncated cobrotoxin.trr
    truncated octahedron_trajectory.lammpstrj
    truncated ache.mdcrd --format mdcrd -t "$DATA/amber/ache.prmtop"
}

@test "truncated GSD, whose index is complete: the message gives the option that reads the complete frames" {
    need_shared
    fails 3 \
        'gsd_cut.gsd: frame 1: byte 60000: truncated in particles/position: expected 12000 bytes, found 11381; 1 complete frame precedes it; to read up to there, add -f :1' \
        trjcat "$DATA/damaged/gsd_cut.gsd"
    frames_of -f :1 "$DATA/gsd/lj.gsd" >"$T/one"
    frames_of -f :1 "$DATA/damaged/gsd_cut.gsd" | same "$T/one" -
    reported "$DATA/damaged/gsd_cut.gsd" 1
}

@test "truncated binary dump of LAMMPS: the message gives the option that reads the complete frames" {
    need python3
    make_files
    make_binary
    truncated x.lmpbin
}

# Writes 12 frames of 500 atoms as mmCIF, XDATCAR, HISTORY of DL_POLY and archive of Tinker.
make_simulation_texts() {
    write_all "$1" 500 12 mmcif xdatcar xyz
    awk '
    NR % 502 == 1 { frame++; next }
    NR % 502 == 2 {
        if (frame == 1) printf "argon\n%10d%10d%10d\n", 0, 1, 500
        printf "timestep %9d%10d%10d%10d%12.6f%12.6f\n", frame, 500, 0, 1, 0.001, frame
        print "40.0 0.0 0.0\n0.0 40.0 0.0\n0.0 0.0 40.0"
        next
    }
    { printf "%-8s%10d%12.6f%12.6f\n%s %s %s\n", "AR", ++atom % 500 ? atom % 500 : 500, 39.95, 0, $2, $3, $4 }
    ' "$1/x.xyz" >"$1/x.HISTORY"
    awk '
    NR % 502 == 1 { print "500 argon"; print "40.0 40.0 40.0 90.0 90.0 90.0"; atom = 0; next }
    NR % 502 == 2 { next }
    { print ++atom, "AR", $2, $3, $4, 1 }
    ' "$1/x.xyz" >"$1/x.arc"
    [[ $(trjinfo "$1"/x.{mmcif,xdatcar,HISTORY,arc} | awk '/^(format|frames)\t/ { printf "%s ", $2 }') \
        == 'mmcif 12 xdatcar 12 dlpoly 12 tinker 12 ' ]]
}

@test "truncated mmCIF, XDATCAR, HISTORY of DL_POLY and archive of Tinker: the message gives that option, too" {
    mkdir "$T/cut"
    make_simulation_texts "$T/whole"
    for file in x.mmcif x.xdatcar x.HISTORY x.arc; do truncated $file || { echo $file; return 1; }; done
}

@test "truncated compressed file: the message gives the option that reads the complete frames" {
    need_zlib
    need zstd
    make_files
    for file in x.dcd x.xyz x.xtc; do
        gzip -k "$T/whole/$file"
        zstd -q "$T/whole/$file"
        truncated $file.gz
        truncated $file.zst
    done
}

@test "truncated file, several inputs or a range: the suggested range is right, or there is none" {
    make_files
    head -c 300000 "$T/whole/x.dcd" >"$T/cut/x.dcd" # frame 8 is not complete
    last_line() { trjcat "$@" 2>&1 >/dev/null | tail -n 1; }
    [[ $(last_line "$T/cut/x.dcd") == *'frame 8: '*'; 8 complete frames precede it; to read up to there, add -f :8' ]]
    [[ $(last_line "$T/whole/x.xtc" "$T/cut/x.dcd") \
        == *'frame 8: '*'; 8 complete frames precede it; to read up to there, add -f :20' ]]
    trjcat -f :20 "$T/whole/x.xtc" "$T/cut/x.dcd" 2>/dev/null | trjdump | grep -c '^frame' | same - <(echo 20)
    [[ $(last_line -f 3: "$T/cut/x.dcd") == *'; to read up to there, use -f 3:8' ]]
    [[ $(last_line -f 3:10 "$T/cut/x.dcd") == *'; to read up to there, use -f 3:8' ]]
    [[ $(last_line -f 1::3 "$T/cut/x.dcd") == *'; to read up to there, use -f 1:8:3' ]]
    frames_of -f 1:8:3 "$T/whole/x.dcd" >"$T/few"
    frames_of -f 1:8:3 "$T/cut/x.dcd" | same "$T/few" -
    [[ $(grep -c '^frame' "$T/few") == 3 ]]
    for option in '-f 8:' '-f 9' '--segment 1/2' '-f -2:' '--time 0:5'; do
        # shellcheck disable=SC2086 # an option and its value
        [[ $(last_line $option "$T/cut/x.dcd") != *'-f '* ]] ||
            { echo "$option"; last_line $option "$T/cut/x.dcd"; return 1; }
    done
    head -c 400000 "$T/whole/x.trjf" >"$T/cut/x.trjf"
    [[ $(last_line -f 2: "$T/cut/x.trjf") =~ '; to read up to there, use '(-f 2:[0-9]+)$ ]]
    # shellcheck disable=SC2086 # an option and its value
    frames_of ${BASH_REMATCH[1]} "$T/cut/x.trjf" | same - <(frames_of ${BASH_REMATCH[1]} "$T/whole/x.trjf")
    frames_of "${BASH_REMATCH[1]/ /}" "$T/cut/x.trjf" | has '^frame 2 '
}

# shrinks FILE OPTION...: checks a file that is truncated, replaced and enlarged while it is read, at several moments.
shrinks() {
    local file=$1 j
    shift
    alternate 1 4
    for j in "${settings[@]}"; do
        shrink --threads "$j" "$@" "$file" >"$T/report" || { echo "$file, -j $j:"; head -n 5 "$T/report"; return 1; }
        grep -q ' [1-9][0-9]* errors$' "$T/report" || { cat "$T/report"; return 1; }
        shrink --threads "$j" --replace "$@" "$file" >"$T/report" ||
            { echo "$file, -j $j, replaced: status $?"; return 1; }
    done
}

@test "file that becomes shorter while it is read: an error or its own frames, in every format that is written" {
    write_all "$T" 400 9 xtc nc xyz gro pdb trjf
    for ending in dcd xtc nc xyz gro pdb trjf; do shrinks "$T/x.$ending"; done
}

@test "file that becomes shorter while it is read: an error or its own frames, in every format that is only read" {
    need_shared
    for file in dcd/fixed-atoms.dcd trr/triclinic_trajectory_double.trr amber/no-cell.nc gsd/lj.gsd xtc/ten_atoms.xtc \
        multi/octahedron_trajectory.lammpstrj gro/protein_trajectory_velocities.gro pdb/cryst_then_model.pdb; do
        shrinks "$DATA/$file"
    done
    ! trjcat --formats | has '^h5md' || shrinks "$DATA/h5md/mda-test.h5md"
    trjcat -f :3 "$DATA/amber/ache.mdcrd" -t "$DATA/amber/ache.prmtop" --format mdcrd >"$T/out"
    shrinks "$DATA/amber/ache.mdcrd" --format mdcrd --atoms "$(trjdump <"$T/out" | awk '/^atoms/ { print $2 }')"
}

@test "file that becomes shorter while it is read: an error or its own frames, in texts of other programs" {
    make_simulation_texts "$T/whole"
    for file in x.mmcif x.xdatcar x.HISTORY x.arc; do shrinks "$T/whole/$file"; done
}

@test "file that becomes shorter while it is read: an error or its own frames, in binary formats of LAMMPS and NAMD" {
    need python3
    mkdir "$T/whole"
    make_binary
    shrinks "$T/whole/x.lmpbin"
    shrinks "$T/whole/x.coor" --format namd
}

# If the reader of its pipe waits, trjcat stops before it has read the whole file, which is then truncated.
shrinks_in_pipe() { # FILE OPTION...
    local file=$1 j got place
    shift
    alternate 1 4
    for j in "${settings[@]}"; do
        for place in 3 60; do
            cp "$file" "$T/now.${file##*.}"
            rm -f "$T/pipe"
            mkfifo "$T/pipe"
            trjcat -j "$j" "$@" "$T/now.${file##*.}" >"$T/pipe" 2>"$T/err" &
            exec 5<"$T/pipe"
            head -c 1000 <&5 >"$T/out"
            truncate -s "$(($(stat -c %s "$file") * place / 100 + 1))" "$T/now.${file##*.}"
            cat <&5 >>"$T/out"
            exec 5<&-
            got=0
            wait $! || got=$?
            [[ $got == 3 && $(tail -n 1 "$T/err") =~ \
                'trjcat: '.*'/now.'.*': frame '[0-9]+': '.*'became shorter while it was read' ]] ||
                { echo "$file, -j $j, to $place %: status $got"; cat "$T/err"; return 1; }
            refuse_stream || return 1
        done
    done
}

@test "file that becomes shorter while a slow program reads the stream: exit status 3, file, frame and byte" {
    write_all "$T" 30000 48 xtc nc xyz trjf
    for ending in dcd xtc nc xyz trjf; do shrinks_in_pipe "$T/x.$ending"; done
}

@test "TRR or text file that becomes shorter while a slow program reads the stream: exit status 3" {
    need_shared
    for ((i = 0; i < 20; i++)); do cat "$DATA/multi/cobrotoxin.trr"; done >"$T/x.trr"
    shrinks_in_pipe "$T/x.trr"
    for ((i = 0; i < 8; i++)); do cat "$DATA/lammps/polymer.lammpstrj"; done >"$T/x.lammpstrj"
    shrinks_in_pipe "$T/x.lammpstrj"
}
