# SPDX-License-Identifier: MIT
# What the Bats files share. They run from the root of the repository; tests/run sets the TRJPIPE_ variables.
# Sourced by Bats, which knows its own variables:
# shellcheck shell=bash disable=SC2154,SC2119,SC2120
bats_require_minimum_version 1.5.0
PATH=$TRJPIPE_BIN:$TRJPIPE_TESTS/helpers:$PATH
SHARED=../shared REFERENCE=$SHARED/reference DATA=$SHARED/data
LC_ALL=C
export PATH LC_ALL
unset BZIP2 # `make BZIP2=yes` exports it, and bzip2 reads its options from it

setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR
}

need() {
    local program
    for program; do command -v "$program" >/dev/null || skip "$program is not installed"; done
}

need_shared() {
    [[ -d $REFERENCE && -d $DATA ]] || skip 'no folder shared/ with reference data beside the checkout'
}

need_python_module() {
    local module
    for module; do
        /usr/bin/python3 -c "import $module" 2>/dev/null || skip "no Python module $module"
    done
}

# Whether the tools were built under a sanitizer, which has other ideas of memory and time.
sanitized() {
    grep -qE '__(asan|tsan)_init' "$TRJPIPE_BIN/rdfhist"
}

# need_packer PROGRAM VARIABLE: skips without the program, or if the tools were built without its library
need_packer() {
    need "$1"
    # trjcat fails in any case, as the input is empty.
    ! "$1" </dev/null | { trjcat - 2>&1 >/dev/null || :; } | grep -q "make $2=" ||
        skip "built without the library of $1"
}

need_zlib() {
    need_packer gzip ZLIB
}

# The names of the tools.
tools() {
    local source
    for source in filters/*.c; do basename "$source" .c; done
}

# each FUNCTION: runs it for every tool
each() {
    local tool bad=0
    for tool in $(tools); do "$1" "$tool" || { echo "in $tool" && bad=1; }; done
    return $bad
}

# Rows of a table without its comments.
rows() {
    grep -v '^#' "$@"
}

# Rows of a table without its comments and without the column "resolved" of structure factors.
curve_rows() {
    awk -F '\t' -v OFS='\t' '/^#/ { marked = $NF == "resolved"; next } { if (marked) NF--; print }' "$@"
}

# has [OPTION...] PATTERN: grep -q for the end of a pipe, which reads on to the end, so that nobody writes to a closed
# one
has() {
    (($(grep -c "$@") > 0))
}

# Histogram streams -> the counts alone, a column a pair.
counts() {
    rdfnorm --counts "$@" | rows | cut -f 3-
}

# counted OPTION... < frame stream: the counts, by a quiet rdfhist
counted() {
    rdfhist "$@" 2>"$T/notes" | counts || { cat "$T/notes"; return 1; }
}

# same A B: two files are the same; else their difference
same() {
    cmp -s "$1" "$2" || { diff "$1" "$2" | head -20; return 1; }
}

# refused STATUS PATTERN COMMAND...: it ends with that status and with one line on standard error that matches the glob
# PATTERN and begins with the name of the tool; what it wrote before is in $T/out, and no next stage takes it.
refused() {
    local status=$1 pattern=$2 got=0 line
    shift 2
    "$@" >"$T/out" 2>"$T/err" </dev/null || got=$?
    line=$(tail -n 1 "$T/err")
    if [[ $got != "$status" || $line != "$1: "* || $line != *$pattern* ]]; then
        printf '%q ' "$@"
        printf '\nstatus %s, not %s, and "%s"; wanted "%s"\n' "$got" "$status" "$line" "$pattern"
        return 1
    fi
    [[ -s $T/out ]] || return 0
    case $1 in
    trjcat) ! rdfhist -r 5 -b 10 <"$T/out" >"$T/next" 2>&1 || { echo 'rdfhist took what it wrote'; return 1; } ;;
    *) ! rdfnorm --counts <"$T/out" >"$T/next" 2>&1 || { echo 'rdfnorm took what it wrote'; return 1; } ;;
    esac
}

# refused_file STATUS PATTERN TOOL ARGUMENT...: the same, also with `-o FILE`, which leaves nothing behind
refused_file() {
    local status=$1 pattern=$2
    shift 2
    refused "$status" "$pattern" "$@" || return 1
    mkdir -p "$T/place"
    refused "$status" "$pattern" "$@" -o "$T/place/file" || return 1
    [[ -z $(ls -A "$T/place") ]] || { echo "left behind: $(ls -A "$T/place")"; return 1; }
}

# poke FILE OFFSET HEX...: overwrites bytes
poke() {
    local file=$1 offset=$2 hex
    shift 2
    for hex; do
        printf '%b' "\\x$hex" | dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
        offset=$((offset + 1))
    done
}

# Frames of a stream, without the name of their file.
bare_frames() {
    trjdump | grep -vE '^(atoms|group|provenance) ' | sed -E 's/^(frame [0-9]+) of [^ ]* /\1 /'
}

# read_out_of_order FILE: a file of a format that requires random access gives the same when it is compressed, and through
# pipes; temporary files are made in $T/place, and have gone.
read_out_of_order() {
    need zstd
    local file=$1 options way
    mkdir "$T/place"
    export TMPDIR=$T/place
    zstd -q "$file" -o "$T/packed.zst"
    for options in '' '-f 1' '-f -2:' '--segment 2/2'; do
        # shellcheck disable=SC2086 # words
        trjcat $options "$file" 2>"$T/err" | bare_frames >"$T/wanted"
        [[ -s $T/wanted ]] || return 1
        # shellcheck disable=SC2002,SC2086 # it is to be a pipe; words
        for way in "trjcat $options $T/packed.zst" "trjcat $options - <$T/packed.zst" \
            "cat $T/packed.zst | trjcat $options -" \
            "cat $file | trjcat $options -" "trjcat $options - <$file"; do
            eval "$way" 2>"$T/err" | bare_frames | same "$T/wanted" - || { echo "$way"; cat "$T/err"; return 1; }
        done
    done
    for options in '' --check; do
        # shellcheck disable=SC2086 # words
        trjinfo $options "$file" | grep -v '^file' >"$T/wanted"
        # shellcheck disable=SC2086
        trjinfo $options "$T/packed.zst" | grep -v '^file' | same "$T/wanted" -
        # shellcheck disable=SC2002,SC2086
        cat "$file" | trjinfo $options - | grep -v '^file' | same "$T/wanted" -
    done
    [[ -z $(ls -A "$T/place") ]]
}

# damaged_copy FILE: such a file, packed, where it is cut, or where there is no room for it unpacked.
damaged_copy() {
    local size half
    size=$(stat -c %s "$T/packed.zst")
    half=$((size / 2))
    head -c $half "$T/packed.zst" >"$T/cut.zst"
    refused_file 3 "cut.zst: truncated: its zstd data end too early, at byte $half of the compressed file" \
        trjcat "$T/cut.zst"
    TMPDIR=$T/none refused_file 1 \
        "packed.zst: requires random access, and cannot be copied to a temporary file in $T/none (TMPDIR): No such file" \
        trjcat "$T/packed.zst"
    small() { (trap '' XFSZ && ulimit -f 8 && trjcat "$@"); }
    small "$T/packed.zst" >"$T/out" 2>"$T/err" && return 1
    grep -q "packed.zst: requires random access, and cannot be copied to a temporary file in $T/place (TMPDIR): File too large" \
        "$T/err"
    [[ -z $(ls -A "$T/place") ]]
}

# Where the blocks of a stream begin, and its end.
borders() {
    local at=24 size
    size=$(stat -c %s "$1")
    while ((at < size)); do
        echo "$at"
        at=$((at + 40 + $(od -An -t u8 -j $((at + 8)) -N 8 "$1")))
    done
    echo "$size"
}

# Skips where no terminal can be made: no script(1), or a container without pseudo-terminals.
needs_terminal() {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip 'no pseudo-terminal to be had here'
}
