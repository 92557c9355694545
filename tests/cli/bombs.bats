#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Streams and compressed files that would decompress to much more than allowed are rejected with exit status 3 in little
# memory. `mkstream` (tests/helpers) writes streams that the library does not write.
load helper

ZEROS='n:0*600000000' # 600 MB
FRAME=('HEAD r u8:3 u8:3' 'GRPS r u4:1 t:all u8:3 u4:0 u4:1 u4:2' 'SRCE r t:run.dcd u8:5')
SETUP='SETU r f8:0 f8:5 u8:10 u4:1 t:all u8:3 u4:1 u4:0 u4:0 u8:3'
HEADER='u4:0 u4:0 u8:0 u8:0 f8:0 f8:1 n:0*72'
ONE_FRAME="FRAM r u4:1 u4:0 $HEADER n:0*36"

setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR
    ! sanitized || skip 'sanitizers have memory of their own'
}

# little COMMAND...: runs the command with 300 MB of address space; $T/out and $T/err contain its output
little() {
    (ulimit -v 300000 && "$@") >"$T/out" 2>"$T/err" </dev/null
}

# rejected PATTERN COMMAND...: exit status 3, in little memory, with one message
rejected() {
    local pattern=$1 got=0
    shift
    little "$@" || got=$?
    [[ $got == 3 && $(<"$T/err") == *"$pattern"* && $(wc -l <"$T/err") == 1 ]] && return
    echo "$*: status $got"
    cat "$T/err"
    return 1
}

@test "frame stream, a block of any type that decompresses to 600 MB: rejected from its header" {
    local type place command
    for type in HEAD PROV GRPS CHNG OPEN CENT RESI MOLE ELEM ATOM BOND PROP SRCE FRAM END!; do
        place=("${FRAME[@]}")
        case $type in
        HEAD) place=() ;;
        GRPS) place=("${FRAME[0]}") ;;
        esac
        mkstream frame "${place[@]}" "$type rz $ZEROS" >"$T/bomb.trjf"
        for command in trjcat 'rdfhist -r 3' 'trjinfo --check'; do
            # shellcheck disable=SC2086 # words
            rejected "bomb.trjf: block ${#place[@]} ($type) at byte " $command "$T/bomb.trjf"
        done
        grep -q '600000000 bytes unpacked, at most [0-9]* are allowed' "$T/err"
    done
}

@test "histogram stream, a block of any type that decompresses to 600 MB: rejected from its header" {
    local type place
    for type in SETU CHNG EXCL LAGS METR NEIG TRIP WAVE OPEN COMP PROV SRCE SPAC TIME RECO END!; do
        place=("$SETUP")
        [[ $type != SETU ]] || place=()
        mkstream histogram "${place[@]}" "$type rz $ZEROS" >"$T/bomb.rdfh"
        rejected "bomb.rdfh: block ${#place[@]} ($type) at byte " rdfnorm --counts "$T/bomb.rdfh"
        grep -q '600000000 bytes unpacked, at most [0-9]* are allowed' "$T/err"
        rejected "block ${#place[@]} ($type)" trjinfo "$T/bomb.rdfh"
    done
}

@test "frame stream, a huge atom count: rejected without memory for the atoms" {
    local huge='HEAD r u8:4000000000 u8:4000000000' groups='GRPS r u4:1 t:all u8:1 u4:0' source='SRCE r t:run.dcd u8:5'
    local command
    mkstream frame "$huge" "$groups" "$source" 'FRAM rz u4:1 u4:0 n:0*16000000' >"$T/few.trjf"
    mkstream frame "$huge" "$groups" "$source" "FRAM rz u4:1 u4:0 $ZEROS" >"$T/many.trjf"
    mkstream frame "${huge//4000000000/2000000000}" "$groups" "$source" \
        "FRMX r u4:1 u4:0 $HEADER f8:0 n:0*32 u8:64 n:0*64" >"$T/packed.trjf"
    mkstream frame "$huge" "$groups" "$source" "FRMZ r u4:1 u4:0 $HEADER n:0*64" >"$T/compressed.trjf"
    mkstream frame "$huge" "$groups" 'INDX - u8:0 u8:0' 'END! r u8:0 u8:3 u8:2 u8:135' >"$T/none.trjf"
    mkstream frame "$huge" "GRPS rz u4:1 t:all u8:4000000000 $ZEROS" >"$T/groups.trjf"
    mkstream frame "$huge" "$groups" "ELEM z u4:0 $ZEROS" >"$T/elements.trjf"
    mkstream frame "$huge" "$groups" "PROP z u4:1 u4:0 t:charge t:e t: $ZEROS" >"$T/property.trjf"
    for command in trjcat 'rdfhist -r 3' 'trjinfo --check'; do
        # shellcheck disable=SC2086 # words
        {
            rejected 'ends inside a frame' $command "$T/few.trjf"
            rejected 'over 1024 times as many' $command "$T/many.trjf"
            rejected 'too few bytes for the atoms' $command "$T/packed.trjf"
            rejected '64 bytes are too few for the compressed coordinates' $command "$T/compressed.trjf"
            rejected 'contains no frames' $command "$T/none.trjf"
            rejected 'over 1024 times as many' $command "$T/groups.trjf"
            rejected 'over 1024 times as many' $command "$T/elements.trjf"
            rejected 'over 1024 times as many' $command "$T/property.trjf"
        }
    done
}

@test "huge numbers of groups, pairs and frame ranges: rejected, as their bytes are missing" {
    mkstream frame "${FRAME[0]}" 'GRPS rz u4:4000000000 n:0*9000000' >"$T/bomb.trjf"
    rejected 'invalid number of groups' trjcat "$T/bomb.trjf"
    mkstream histogram 'SETU rz f8:0 f8:5 u8:10 u4:16000000 n:0*16000000' >"$T/bomb.rdfh"
    rejected 'invalid number of groups' rdfnorm "$T/bomb.rdfh"
    mkstream histogram 'SETU rz f8:0 f8:5 u8:10 u4:1 t:all u8:3 u4:16000000 n:0*16000000' >"$T/bomb.rdfh"
    rejected 'invalid number of pairs' rdfnorm "$T/bomb.rdfh"
    mkstream histogram "$SETUP" 'RECO rz u8:1 u8:0 n:0*168 u8:16000000 n:0*16000000' >"$T/bomb.rdfh"
    rejected 'invalid number of frames or frame ranges' rdfnorm "$T/bomb.rdfh"
}

@test "optional block of unknown type: skipped, not decompressed, and its checksum is verified" {
    mkstream frame "${FRAME[@]}" "LATE z $ZEROS" "$ONE_FRAME" 'END! r u8:1 u8:5 u8:0 u8:0' >"$T/late.trjf"
    little trjcat "$T/late.trjf" -o "$T/copy.trjf"
    [[ $(trjdump <"$T/copy.trjf" | grep -c ^frame) == 1 ]]
    mkstream histogram "$SETUP" "LATE z $ZEROS" 'SRCE r t:run.dcd u8:5' >"$T/late.rdfh"
    rejected 'truncated: END block missing after 0 records' rdfnorm --counts "$T/late.rdfh"
    poke "$T/late.trjf" 400 ff
    rejected '(LATE) at byte 210: checksum mismatch' trjcat "$T/late.trjf"
}

@test "provenance of more than 16 MiB in one or several blocks: rejected" {
    local block='PROV z u4:1 u4:9000000 n:x*9000000'
    mkstream frame "${FRAME[0]}" "$block" "$block" >"$T/bomb.trjf"
    rejected 'block 2 (PROV)' trjcat "$T/bomb.trjf"
    mkstream histogram "$SETUP" "$block" "$block" >"$T/bomb.rdfh"
    rejected 'block 2 (PROV)' rdfnorm "$T/bomb.rdfh"
}

@test "the index of a frame stream: its size follows from the size of the file" {
    mkstream frame "${FRAME[@]}" "$ONE_FRAME" "INDX z $ZEROS" 'END! r u8:1 u8:5 u8:4 u8:406' >"$T/bomb.trjf"
    [[ $(borders "$T/bomb.trjf" | sed -n 5p) == 406 ]]
    little trjcat "$T/bomb.trjf" -o "$T/copy.trjf" # reads forward, and skips the index
    rejected 'bomb.trjf: block 4 (INDX) at byte 406: 600000000 bytes unpacked' trjcat -f -1 "$T/bomb.trjf"
    # Places of one source, each of which would need memory for its name.
    mkstream frame "${FRAME[@]}" "$ONE_FRAME" 'INDX - u8:2 u8:0 u8:2 u8:151 u8:0 u8:2 u8:151 u8:1 u8:0 u8:3 u8:210' \
        'END! r u8:1 u8:5 u8:4 u8:406' >"$T/twice.trjf"
    rejected 'block INDX at byte 406: sources or frames are not in order' trjcat -f -1 "$T/twice.trjf"
}

@test "compressed text with a line of 600 MB: rejected in little memory" {
    need zstd
    need_zlib
    head -c 600000000 /dev/zero | tr '\0' 7 | zstd -q -1 >"$T/bomb.xyz.zst"
    zstd -dcq "$T/bomb.xyz.zst" | gzip -1 >"$T/bomb.xyz.gz"
    for file in "$T/bomb.xyz.zst" "$T/bomb.xyz.gz"; do
        got=0
        little trjcat "$file" || got=$?
        [[ $got == 3 ]] || { cat "$T/err"; return 1; }
        [[ $(wc -c <"$T/err") -lt 1000 ]]
    done
}
