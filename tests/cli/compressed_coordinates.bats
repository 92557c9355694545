#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Compressed coordinates (trjcat -z): the frames that are read from them, random access, sizes and damage.
load helper

WATER=examples/water/water.dcd XTC=$DATA/xtc/adk_oplsaa.xtc

# floats INPUT [OPTION...]: the frames of the input, bit for bit
floats() {
    trjcat -z 0 "${@:2}" "$1" | trjdump | grep -v '^provenance'
}

# types FILE: the kinds of blocks with frames
types() {
    grep -aoE 'FRAM|FRMX|FRMZ' "$1" | sort -u | xargs
}

@test "compressed frames of every format: the same bits, with any number of threads on either side" {
    local file level
    trjcat --to xtc "$WATER" >"$T/water.xtc"
    trjcat --to gro -f :20 -t examples/water/water.pdb "$WATER" >"$T/water.gro"
    trjcat --to xyz -f :20 -t examples/water/water.pdb "$WATER" >"$T/water.xyz"
    for file in "$WATER" "$T"/water.{xtc,gro,xyz} examples/ions/ions.dcd; do
        floats "$file" >"$T/expected"
        for level in 1 6 19; do
            trjcat -j 1 -z "$level" "$file" >"$T/1.trjf"
            trjcat -j 4 -z "$level" "$file" >"$T/4.trjf"
            cmp "$T/1.trjf" "$T/4.trjf"
            [[ $(types "$T/1.trjf") == FRMZ ]]
            floats "$T/1.trjf" -j 1 | same "$T/expected" -
            floats - -j 4 <"$T/1.trjf" | same "$T/expected" -
        done
    done
}

@test "compressed frames: groups, dynamic groups, centres, several sources and units" {
    local groups=(-t examples/water/water.pdb -g 'OW=name OW' -g 'near=name OW and within 5 of index 0'
        -g 'few=index 0 7' -g 'centres=cog(name OW or name HW1)')
    trjcat --to xtc "$WATER" >"$T/water.xtc"
    trjcat -z 0 "${groups[@]}" "$WATER" "$T/water.xtc" | trjdump | grep -v '^provenance' >"$T/expected"
    trjcat -z 5 "${groups[@]}" "$WATER" "$T/water.xtc" >"$T/run.trjf"
    [[ $(types "$T/run.trjf") == FRMZ ]]
    floats "$T/run.trjf" | same "$T/expected" -
    rdfhist -r 6 -e cpu "$T/run.trjf" >"$T/compressed.rdfh"
    trjcat "${groups[@]}" "$WATER" "$T/water.xtc" | rdfhist -r 6 -e cpu >"$T/plain.rdfh"
    same <(counts "$T/compressed.rdfh") <(counts "$T/plain.rdfh")
}

@test "compressed frames: selected frames, also across chunks, are those of the file" {
    mkdcd --atoms 3000 --frames 500 --cell 40,41,42 >"$T/run.dcd"
    trjcat -z 1 "$T/run.dcd" >"$T/run.trjf"
    local range
    for range in 7:9 230:240 -3: ::100 499:500 3:490:37; do
        floats "$T/run.dcd" -f "$range" | sed 's/ of [^ ]* step/ step/' >"$T/expected"
        floats "$T/run.trjf" -f "$range" -j 3 | sed 's/ of [^ ]* step/ step/' | same "$T/expected" -
        floats - -f "$range" -j 1 <"$T/run.trjf" | sed 's/ of [^ ]* step/ step/' | same "$T/expected" -
    done
}

@test "compressed frames of an XTC file: at most 0.7 of its size" {
    [[ -e $XTC ]] || skip "no $XTC"
    # Nine frames more. Groups and residues have a size of their own, which does not depend on the number of frames.
    local names size more
    size=$(stat -c %s "$XTC")
    for names in '' "-t ${XTC%xtc}gro"; do
        # shellcheck disable=SC2086 # an option and its value
        trjcat -z 6 $names "$XTC" -o "$T/all.trjf"
        # shellcheck disable=SC2086
        trjcat -z 6 $names -f :1 "$XTC" -o "$T/one.trjf"
        more=$(($(stat -c %s "$T/all.trjf") - $(stat -c %s "$T/one.trjf")))
        ((more * 100 < size * 63))
    done
}

@test "compressed frames: damage and contradictions are rejected" {
    trjcat -z 3 "$WATER" >"$T/run.trjf"
    local size
    size=$(stat -c %s "$T/run.trjf")
    cp "$T/run.trjf" "$T/bad.trjf"
    printf 'x' | dd of="$T/bad.trjf" bs=1 seek=$((size / 2)) conv=notrunc status=none
    fails_cleanly 3 'block * (FRMZ) at byte *: checksum mismatch' trjcat "$T/bad.trjf"
    local head=('HEAD r u8:3 u8:3' 'GRPS r u4:1 t:all u8:3 u4:0 u4:1 u4:2' 'SRCE r t:run.dcd u8:5')
    local frame='u4:0 u4:0 u8:0 u8:0 f8:0 f8:1 n:0*72'
    mkstream frame "${head[@]}" "FRMZ r u4:2 u4:0 $frame" >"$T/few.trjf"
    fails_cleanly 3 'block FRMZ at byte *: ends inside a frame' trjcat "$T/few.trjf"
    mkstream frame "${head[@]}" "FRMZ r u4:1 u4:0 $frame" >"$T/none.trjf"
    fails_cleanly 3 'frame 0: *compressed' trjcat -z 0 "$T/none.trjf"
    mkstream frame "${head[@]}" "FRMZ r u4:1 u4:0 $frame n:0*40" >"$T/zeros.trjf"
    fails_cleanly 3 'frame 0: *compressed' trjcat -z 0 "$T/zeros.trjf"
    mkstream frame "${head[@]}" 'FRMZ r u4:0 u4:0' >"$T/empty.trjf"
    fails_cleanly 3 'block FRMZ at byte *: contains no frames' trjcat "$T/empty.trjf"
    # Little data for 4 billion atoms.
    mkstream frame 'HEAD r u8:4000000000 u8:4000000000' 'GRPS r u4:1 t:all u8:1 u4:0' "${head[2]}" \
        "FRMZ r u4:1 u4:0 $frame n:0*4000" >"$T/bomb.trjf"
    fails_cleanly 3 '' trjcat -z 0 "$T/bomb.trjf"
}
