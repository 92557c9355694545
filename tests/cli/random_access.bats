#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Random access: frames in the middle of a large frame stream are found by its index; what lies between is not read. The
# blocks of the test streams are in a sparse file of 100 GB, with holes that are no valid blocks.
load helper

export PYTHONDONTWRITEBYTECODE=1

# reads_few TYPE FRAMES OPTION...: a stream of frames with this type of blocks, spread over 100 GB
reads_few() {
    local type=$1 frames=$2 blocks bytes
    shift 2
    trjcat "$@" >"$T/near.trjf"
    blocks=$(grep -oa "$type" "$T/near.trjf" | wc -l)
    ((blocks > 1)) || { echo "$type: $blocks blocks"; return 1; }
    truncate -s 110000000000 "$T/far.trjf" 2>"$T/err" || skip "no sparse files of 100 GB: $(<"$T/err")"
    tests/helpers/spread_blocks.py "$T/near.trjf" "$T/far.trjf" $((100000000000 / (blocks - 1)))
    (($(stat -c %s "$T/far.trjf") > 99000000000))
    trjcat -f "$frames" "$T/near.trjf" | bare_frames >"$T/expected"
    [[ -s $T/expected ]]
    trjcat -f "$frames" "$T/far.trjf" | bare_frames | same "$T/expected" -
    # Reading in order meets the first hole.
    fails 3 'header damaged, or block out of place' trjcat "$T/far.trjf"
    if command -v strace >/dev/null && strace -f -o "$T/calls" -e trace=read true; then
        strace -f -o "$T/calls" -e trace=read,pread64,readv trjcat -f "$frames" "$T/far.trjf" >"$T/out"
        bytes=$(awk '$NF > 0 { n += $NF } END { print n }' "$T/calls")
        # The first block, twice because the frames are counted in between; that of the frames; the index; small parts.
        ((bytes < $(stat -c %s "$T/near.trjf") * 4 / blocks + 1000000)) || { echo "$bytes bytes read"; return 1; }
    fi
}

make_run() { # FRAMES
    need python3
    mkdcd --atoms 20000 --frames "${1:-60}" --cell 60,60,60 >"$T/run.dcd"
}

@test "frames in the middle of a stream of 100 GB with float coordinates: read by the index" {
    make_run
    reads_few FRAM 30 -z 0 "$T/run.dcd"
}

@test "the last frames of a stream of 100 GB, and a share of its frames: read by the index" {
    make_run 160
    reads_few FRAM -2: -z 0 "$T/run.dcd"
    reads_few FRMZ -2: -z 1 "$T/run.dcd"
    trjcat --segment 160/160 "$T/far.trjf" | bare_frames | same <(trjcat -f -1: "$T/near.trjf" | bare_frames) -
}

@test "frames in the middle of a stream of 100 GB with packed coordinates: read by the index" {
    make_run
    trjcat "$T/run.dcd" -o "$T/run.xtc"
    reads_few FRMX 30 "$T/run.xtc"
}

@test "frames in the middle of a stream of 100 GB with compressed coordinates: read by the index" {
    make_run
    reads_few FRMZ 50:53 -z 1 "$T/run.dcd"
}
