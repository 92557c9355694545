#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Golden files: streams of earlier versions in tests/data/golden, with every type of block, are read by the tools and by
# readers that were written from schemas/*.md alone. tests/data/golden/make adds files.
load helper

GOLDEN=tests/data/golden
export PYTHONDONTWRITEBYTECODE=1

# Prints the lines of a text that trjdump prints, too.
dumped() {
    grep -vE '^(RESI|MOLE|ELEM|ATOM|BOND|PREC|FAIL) ' "$1"
}

@test "golden frame streams: the tools read what was written" {
    local file
    for file in "$GOLDEN"/*.trjf; do
        [[ $file != */failed.trjf ]] || continue
        trjdump <"$file" | same <(dumped "$file.txt") - || { echo "$file"; return 1; }
        trjinfo --check "$file" >"$T/info"
        trjcat "$file" | bare_frames | same <(bare_frames <"$file") -
    done
    fails 3 'the program that wrote this stream failed: trjcat: truncated.dcd: frame 6: byte 50000: truncated' \
        trjcat "$GOLDEN/failed.trjf"
}

@test "golden histogram streams: the tools read what was written" {
    local file
    for file in "$GOLDEN"/*.rdfh; do
        rdfnorm --counts "$file" | rows | same "$file.tsv" - || { echo "$file"; return 1; }
        rdfnorm "$file" >"$T/norm"
    done
}

@test "golden streams: readers written from the specifications alone read what was written" {
    need python3 zstd
    local file
    for file in "$GOLDEN"/*.trjf; do
        tests/helpers/decode_frames.py --blocks "$file" | same "$file.txt" - || { echo "$file"; return 1; }
    done
    for file in "$GOLDEN"/*.rdfh; do
        tests/helpers/decode_histograms.py "$file" | same "$file.txt" - || { echo "$file"; return 1; }
    done
}

# described FILE: prints the types of blocks in the tables of a specification
# shellcheck disable=SC2016 # the backticks are in the text
described() {
    sed -nE 's/^\| `([A-Z!]{4})` +\| (yes|no) .*/\1/p' "$1"
}

@test "golden streams: contain each type of block of the specifications" {
    need python3
    local kind type
    for kind in frame:trjf histogram:rdfh; do
        for type in $(described "schemas/${kind%:*}_stream.md"); do
            # A failure is written in the same way into both kinds of streams.
            [[ $kind:$type == histogram:rdfh:FAIL ]] || cat "$GOLDEN"/*."${kind#*:}" | has -a "$type" ||
                { echo "no ${kind%:*} stream with $type: add one to $GOLDEN/make"; return 1; }
        done
    done
    [[ $(described schemas/frame_stream.md | wc -l) -ge 16 && $(described schemas/histogram_stream.md | wc -l) -ge 10 ]]
}

@test "packed coordinates of real XTC files: the reader written from the specification agrees" {
    need_shared
    need python3
    local file
    for file in "$DATA"/xtc/*.xtc; do
        trjcat -f :5 "$file" >"$T/trjf" 2>"$T/notes" || continue
        trjdump <"$T/trjf" >"$T/expected"
        tests/helpers/decode_frames.py "$T/trjf" | same "$T/expected" - || { echo "$file"; return 1; }
    done
}
