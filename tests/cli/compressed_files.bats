#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Compressed input: trajectories, topologies and streams compressed by gzip, bzip2, xz and zstd themselves.
# tests/unit/test_unpack.c tests each byte.
load helper

# same_packed PROGRAM ENDING: compressed files are read as uncompressed ones, from the start and from the middle
same_packed() {
    need "$1"
    local in=examples/ions
    cp $in/ions.dcd "$T/run.dcd"
    cp $in/ions.pdb "$T/run.pdb"
    trjcat -t "$T/run.pdb" -g 'NA=name NA' -g 'OW=name OW' "$T/run.dcd" >"$T/run.trjf"
    rdfhist -e cpu -r 6 -b 20 "$T/run.trjf" >"$T/run.rdfh"
    rdfnorm "$T/run.rdfh" >"$T/gr.tsv"
    (cd "$T" && "$1" -q -k run.dcd run.pdb run.trjf run.rdfh)
    bare_frames <"$T/run.dcd" >"$T/frames"
    trjcat "$T/run.dcd.$2" | bare_frames | same "$T/frames" -
    bare_frames <"$T/run.dcd.$2" | same "$T/frames" -
    trjcat -t "$T/run.pdb.$2" -g 'NA=name NA' -g 'OW=name OW' "$T/run.dcd.$2" | rdfhist -e cpu -r 6 -b 20 |
        counts >"$T/counts"
    counts "$T/run.rdfh" | same - "$T/counts"
    rdfhist -e cpu -r 6 -b 20 "$T/run.trjf.$2" | counts | same "$T/counts" -
    counts "$T/run.rdfh.$2" | same "$T/counts" -
    # From the middle of the file, and by frame number only
    trjcat -f 2:5 "$T/run.dcd.$2" | bare_frames >"$T/some"
    trjcat -f 2:5 "$T/run.dcd" | bare_frames | same - "$T/some"
}

@test "gzip, trajectory, topology and streams, as files and through pipes: read as without compression" {
    need_zlib
    same_packed gzip gz
}

@test "bzip2, trajectory, topology and streams, as files and through pipes: read as without compression" {
    need_packer bzip2 BZIP2
    same_packed bzip2 bz2
}

@test "xz, trajectory, topology and streams, as files and through pipes: read as without compression" {
    need_packer xz XZ
    same_packed xz xz
}

@test "zstd, trajectory, topology and streams, as files and through pipes: read as without compression" {
    same_packed zstd zst
}

@test "real files: several gzip members, names without .gz, and damage" {
    need_shared
    need_zlib
    local file
    for file in xyz/water.6.xyz.gz xyz/water.multistream.7.xyz.gz tng/argon_npt_compressed.gro.gz; do
        gzip -cd "$DATA/$file" | bare_frames >"$T/expected"
        [[ -s $T/expected ]]
        trjcat "$DATA/$file" | bare_frames | same "$T/expected" -
    done
    trjcat -t "$DATA/tng/argon_npt_compressed.gro.gz" -g 'A=index 0:9' "$DATA/tng/argon_npt_compressed.gro.gz" |
        trjdump | has '^atoms 10 of 1000$'
    fails_cleanly 3 \
        'gz_cut.xyz.gz: frame 21: truncated: its gzip data end too early, at byte 100000 of the compressed file' \
        trjcat "$DATA/damaged/gz_cut.xyz.gz"
    trjcat -f :21 "$DATA/damaged/gz_cut.xyz.gz" | trjdump | has '^frame 20 '
    fails 3 'cryst_then_model.pdb.gz: not a known trajectory format*starts with 63 72 79' \
        trjcat "$DATA/damaged/cryst_then_model.pdb.gz"
    # A damaged text is reported with its name.
    printf 'hello\n' | gzip >"$T/bad.XYZ.GZ"
    fails 3 "bad.XYZ.GZ: frame 0: line 1: 'hello' is not a number of atoms" trjcat "$T/bad.XYZ.GZ"
}

@test "real trajectories and topologies, compressed with bzip2 and xz: read as without compression" {
    need_shared
    need_packer bzip2 BZIP2
    need_packer xz XZ
    trjcat "$DATA/lammps/spce_all_coords.lammpstrj.bz2" | bare_frames >"$T/frames"
    trjcat "$DATA/lammps/spce_all_coords.lammpstrj" | bare_frames | same - "$T/frames"
    trjcat "$DATA/xyz/water.xyz.xz" | bare_frames >"$T/frames"
    trjcat "$DATA/xyz/water.xyz" | bare_frames | same - "$T/frames"
    [[ $(trjinfo "$DATA/amber/tz2.truncoct.parm7.bz2" | awk -F '\t' '$1 == "atoms" { print $2 }') == 5827 ]]
    bzip2 -cd "$DATA/dcd/ifabp_apo_100mM.data.bz2" >"$T/plain.data"
    trjinfo "$DATA/dcd/ifabp_apo_100mM.data.bz2" | grep -v '^file' >"$T/packed"
    trjinfo "$T/plain.data" | grep -v '^file' | same - "$T/packed"
    grep -qx 'atoms	12421' "$T/packed"
}

@test "bzip2 and xz, several streams (pbzip2, pixz) and padding of xz: read as a whole" {
    need_packer bzip2 BZIP2
    need_packer xz XZ
    mkdcd --atoms 3000 --frames 40 --cell 40,40,40 >"$T/run.dcd"
    trjcat "$T/run.dcd" | bare_frames >"$T/expected"
    split -b 300000 "$T/run.dcd" "$T/part."
    local part
    for part in "$T"/part.*; do
        bzip2 -c "$part" >>"$T/run.dcd.bz2"
        xz -0 -c "$part" >>"$T/run.dcd.xz"
        head -c 4 /dev/zero >>"$T/run.dcd.xz"
    done
    trjcat "$T/run.dcd.bz2" | bare_frames | same "$T/expected" -
    trjcat "$T/run.dcd.xz" | bare_frames | same "$T/expected" -
    if command -v pbzip2; then pbzip2 -b1 -c "$T/run.dcd" | trjcat - | bare_frames | same "$T/expected" -; fi
    if command -v pixz; then pixz <"$T/run.dcd" | trjcat - | bare_frames | same "$T/expected" -; fi
}

# damaged_packed NAME ENDING: run.dcd.ENDING, which NAME made: truncated, changed, with other data after it, and twice
damaged_packed() {
    local size file=$T/run.dcd.$2
    size=$(stat -c %s "$file")
    head -c $((size / 2)) "$file" >"$T/bad.$2"
    fails_cleanly 3 \
        "bad.$2: frame *: truncated: its $1 data end too early, at byte $((size / 2)) of the compressed file" \
        trjcat "$T/bad.$2"
    cp "$file" "$T/bad.$2"
    poke "$T/bad.$2" $((size / 2)) 00 00 00 00
    fails_cleanly 3 "bad.$2: *" trjcat "$T/bad.$2" # damaged coordinates of xz may arrive before their checksum
    grep -q -e "its $1 data are damaged at byte [0-9]* of the compressed file: invalid data or checksum" \
        -e 'frame [0-9]*: ' "$T/err"
    (cat "$file" && echo) >"$T/bad.$2"
    fails_cleanly 3 \
        "bad.$2: frame 20: its $1 data end at byte $size of the compressed file, and other data follow; remove these" \
        trjcat "$T/bad.$2"
    cat "$file" "$file" >"$T/bad.$2" # two concatenated DCDs are no valid DCD
    fails_cleanly 3 "bad.$2: frame 20: *" trjcat "$T/bad.$2"
}

@test "bzip2: truncated, changed, followed by other data: rejected" {
    need_packer bzip2 BZIP2
    mkdcd --atoms 3000 --frames 20 --cell 40,40,40 >"$T/run.dcd"
    bzip2 -1 "$T/run.dcd"
    damaged_packed bzip2 bz2
}

@test "xz: truncated, changed, followed by other data, more memory than the limit: rejected" {
    need_packer xz XZ
    mkdcd --atoms 3000 --frames 20 --cell 40,40,40 >"$T/run.dcd"
    xz -k "$T/run.dcd"
    damaged_packed xz xz
    xz -k -c --lzma2=preset=0,dict=256MiB <"$T/run.dcd" >"$T/wide.xz"
    fails_cleanly 3 \
        'wide.xz: its xz data need 257 MiB of memory to unpack, and at most 128 MiB are used; unpack it first, with xz -d' \
        trjcat "$T/wide.xz"
}

@test "zstd: truncated, changed, followed by other data, too large a window: rejected" {
    need zstd
    mkdcd --atoms 3000 --frames 20 --cell 40,40,40 >"$T/run.dcd"
    zstd -q "$T/run.dcd"
    local size
    size=$(stat -c %s "$T/run.dcd.zst")
    head -c $((size / 2)) "$T/run.dcd.zst" >"$T/bad.zst"
    fails_cleanly 3 \
        "bad.zst: frame *: truncated: its zstd data end too early, at byte $((size / 2)) of the compressed file" \
        trjcat "$T/bad.zst"
    cp "$T/run.dcd.zst" "$T/bad.zst"
    poke "$T/bad.zst" $((size - 2)) 00 00
    fails_cleanly 3 "bad.zst: *its zstd data are damaged at byte *" trjcat "$T/bad.zst"
    (cat "$T/run.dcd.zst" && echo) >"$T/bad.zst"
    fails_cleanly 3 \
        "bad.zst: frame 20: its zstd data end at byte $size of the compressed file, and other data follow; remove these" \
        trjcat "$T/bad.zst"
    cat "$T/run.dcd.zst" "$T/run.dcd.zst" >"$T/bad.zst" # two concatenated DCDs are no valid DCD
    fails_cleanly 3 "bad.zst: frame 20: *" trjcat "$T/bad.zst"
    printf '\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00' >"$T/bad.zst"
    fails_cleanly 3 'bad.zst: its zstd data have a window of over 128 MiB; unpack it first, with zstd -d --long=31' \
        trjcat "$T/bad.zst"
}

@test "high compression ratio: little memory" {
    need zstd
    sanitized && skip 'sanitizers have memory of their own'
    (printf '3\n\nO 1 2 3\nH 1 2 ' && head -c 300000000 /dev/zero | tr '\0' ' ') | zstd -q >"$T/line.xyz.zst"
    if peak "$T/kb" trjcat "$T/line.xyz.zst" >"$T/out" 2>"$T/err"; then return 1; fi
    grep -q 'line.xyz.zst: frame 0: line longer than 1048576 bytes' "$T/err"
    (($(<"$T/kb") < 32000))
}

@test "--digest: that of the compressed file" {
    need zstd
    mkdcd --atoms 30 --frames 3 --cell 10,10,10 >"$T/run.dcd"
    zstd -q "$T/run.dcd"
    cp "$T/run.dcd.zst" "$T/copy"
    digest() { trjcat --digest "$1" | trjdump | grep -o 'xxh3:[0-9a-f]*'; }
    [[ $(digest "$T/run.dcd.zst") == xxh3:?* && $(digest "$T/run.dcd.zst") == $(digest "$T/copy") ]]
    [[ $(digest "$T/run.dcd.zst") != $(digest "$T/run.dcd") ]]
}

# When the output fails, the threads that unpack and read wait for data that never come.
@test "output that fails while a compressed pipe has no data: an error at once" {
    need_zlib
    local water=examples/water/water.dcd
    trjcat -o "$T/long.dcd" $water $water $water $water $water 2>"$T/notes"
    gzip -1 "$T/long.dcd"
    head -c 3000000 "$T/long.dcd.gz" >"$T/part.gz"
    mkfifo "$T/pipe"
    sleep 200 3<>"$T/pipe" & # keeps the pipe open
    local holder=$! status=0
    cat "$T/part.gz" >"$T/pipe" &
    # shellcheck disable=SC2216 # a reader that reads nothing
    timeout 100 trjcat -j 8 "$T/pipe" 2>"$T/message" | sleep 2 || status=$?
    kill "$holder"
    [[ $status == 1 && ! -s $T/message ]]
}

# silent_pipe FILE: makes the pipe $T/pipe with the content of the file, and a writer that stays silent, $holder
silent_pipe() {
    rm -f "$T/pipe"
    mkfifo "$T/pipe"
    sleep 600 3<>"$T/pipe" &
    holder=$!
    cat "$1" >"$T/pipe" &
}

has_temporary() {
    compgen -G "$T/place/.trjpipe.*" >/dev/null
}

# Threads that unpack and read wait for data that never come, while the tool ends for another reason.
@test "compressed pipe whose writer stays silent: a signal or invalid data end the tool, without a file" {
    need gzip pkill
    need_zlib
    local holder pid status threads name
    mkdir "$T/place"
    # The writer stays silent within a frame. Frame 2 of bad.xyz is invalid.
    awk "$AWK_RANDOM"'BEGIN {
        for (frame = 0; frame < 40; frame++) {
            print "3000\n"
            for (i = 0; i < 3000; i++) print "O", 30 * random(), 30 * random(), 30 * random()
        }
    }' >"$T/run.xyz"
    awk '/^3000$/ { frame++ } frame == 3 && NF == 4 && !done { $2 = "x"; done = 1 } 1' "$T/run.xyz" >"$T/bad.xyz"
    gzip -1 "$T/run.xyz" "$T/bad.xyz"
    for threads in 1 4; do
        for name in run bad; do
            head -c 1000000 "$T/$name.xyz.gz" >"$T/part"
            silent_pipe "$T/part"
            TMPDIR=$T/place timeout 100 trjcat -j $threads "$T/pipe" -o "$T/place/o.trjf" 2>"$T/err" 3>&- &
            pid=$!
            status=0
            if [[ $name == run ]]; then
                await has_temporary
                pkill -TERM -P $pid -x trjcat
            fi
            wait $pid || status=$?
            kill "$holder"
            [[ $name != run || $status == 143 ]] || { echo "$threads: status $status"; return 1; }
            [[ $name != bad || ($status == 3 && $(<"$T/err") == *'frame 2: line '*) ]] ||
                { echo "$threads: status $status"; cat "$T/err"; return 1; }
            [[ -z $(ls -A "$T/place") ]]
        done
    done
}
