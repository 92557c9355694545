# SPDX-License-Identifier: MIT
# Functions that the Bats files share. They run from the root of the repository; tests/run sets the TRJPIPE_ variables.
# Bats sources this file, and sets and calls what shellcheck does not find:
# shellcheck shell=bash disable=SC2154,SC2119,SC2120
bats_require_minimum_version 1.5.0
PATH=$TRJPIPE_BIN:$TRJPIPE_TESTS/helpers:$PATH
SHARED=../shared REFERENCE=$SHARED/reference DATA=$SHARED/data
LC_ALL=C
export PATH LC_ALL
: "${TRJPIPE_SAMPLE:=1/1}" # of the faults of a sweep (tests/run)
# Defines random() in a program of awk, such as awk "$AWK_RANDOM"'BEGIN { seed = 3; print random() }'. The numbers of
# rand() differ between versions of awk, and do not depend on srand() in mawk of 2024, where tests failed by chance.
AWK_RANDOM='function random() { seed = (69069 * seed + 1) % 4294967296; return seed / 4294967296 }
'
unset BZIP2 # `make BZIP2=yes` exports it, and bzip2 reads its options from it

# Prints 512 frames: sixteen random configurations of 60 atoms, each repeated in 32 frames.
repeated_configurations() {
    awk "$AWK_RANDOM"'BEGIN { seed = 6; for (c = 0; c < 16; c++) { text = "60\nLattice=\"12 0 0 0 12 0 0 0 12\"\n"
            for (i = 0; i < 180; i++) text = text sprintf(i % 3 ? " %.4f" : "\nAr %.4f", 12 * random())
            sub(/\n\n/, "\n", text)
            for (k = 0; k < 32; k++) print text } }'
}

setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR
}

need() {
    local program
    for program; do
        ! command -v "$program" >/dev/null || continue
        # In a fresh installation, only some programs may be missing (.ci/fresh).
        [[ " ${TRJPIPE_MAY_LACK-${program##*/}} " == *" ${program##*/} "* ]] ||
            { echo "$program is not installed; .ci/deps must install it" && return 1; }
        skip "$program is not installed"
    done
}

# need_mdrun [PROGRAM]: the mdrun of PROGRAM (gmx) can run. That of Debian ends with an error if the processor lacks
# this instruction, as some virtual ones do.
need_mdrun() {
    need "${1-gmx}"
    [[ $(uname -m) != x86_64 ]] || grep -qw rdtscp /proc/cpuinfo || skip 'gmx mdrun requires the instruction rdtscp'
}

need_shared() {
    [[ -d $REFERENCE && -d $DATA ]] || skip 'no folder shared/ with reference data beside the checkout'
}

need_python_module() {
    local module status
    for module; do
        status=0
        run_python -c "import $module" 2>/dev/null || status=$?
        ((status != 1)) || skip "no Python module $module"
        ((status == 0)) || { need /usr/bin/python3 && echo "python: status $status" && return 1; }
    done
}

# run_python SCRIPT|-|-c ARGUMENT...: runs a script as /usr/bin/python3 does. The import of numpy takes longer than
# most scripts, so that a server for each Bats file imports it once. The server is no child of the test,
# which may wait for all its children.
run_python() {
    local socket=$BATS_FILE_TMPDIR/python
    [[ -x /usr/bin/python3 ]] || return 127
    ! mkdir "$socket.started" 2>/dev/null || (
        OPENBLAS_NUM_THREADS=1 /usr/bin/python3 "$BATS_TEST_DIRNAME/../helpers/python_server.py" "$socket" \
            </dev/null &>/dev/null &
    )
    [[ -S $socket ]] || await test -S "$socket"
    python_client "$socket" "$@"
}

# Succeeds if the tools were built with a sanitizer, which needs more memory and time.
sanitized() {
    grep -qE '__(asan|tsan)_init' "$TRJPIPE_BIN/rdfhist"
}

# need_packer PROGRAM VARIABLE: skips without the program, or if the tools were built without its library
need_packer() {
    need "$1"
    # trjcat fails in any case, as the input is empty.
    ! "$1" </dev/null | { trjcat - 2>&1 >/dev/null || :; } | has "make $2=" ||
        skip "built without the library of $1"
}

need_zlib() {
    need_packer gzip ZLIB
}

# sampled NUMBER: succeeds if this run tries this fault of a sweep. Numbers are counted from 0.
sampled() {
    (($1 % ${TRJPIPE_SAMPLE#*/} == ${TRJPIPE_SAMPLE%/*} - 1))
}

# alternate SETTING...: sets `settings` to one of them, which changes from call to call and from sample to sample
# (tests/run), or to all of them if all faults are tried.
alternate() {
    # shellcheck disable=SC2034 # read by the caller
    settings=("${@:(turn++ + ${TRJPIPE_SAMPLE%/*}) % $# + 1:1}")
    # shellcheck disable=SC2034
    [[ $TRJPIPE_SAMPLE != 1/1 ]] || settings=("$@")
}

# Prints the names of the tools.
tools() {
    local source
    for source in filters/*.c; do basename "$source" .c; done
}

# each FUNCTION: runs it once for every tool
each() {
    local tool bad=0
    for tool in $(tools); do "$1" "$tool" || { echo "in $tool" && bad=1; }; done
    return $bad
}

# lj_topology ATOMS: writes $T/lj.psf and $T/lj.par, with atoms whose charges alternate and whose Lennard-Jones
# parameters are those of argon.
lj_topology() {
    awk -v n="$1" 'BEGIN {
        printf "PSF\n\n       1 !NTITLE\n REMARKS argon\n\n%8d !NATOM\n", n
        for (i = 1; i <= n; i++)
            printf "%8d A    %-4d AR   AR   AR   %10.6f     %9.4f           0\n", i, i % 10000, i % 2 ? 0.1 : -0.1, 39.948
        print "\n       0 !NBOND: bonds\n"
    }' >"$T/lj.psf"
    printf 'NONBONDED\nAR 0.0 -0.23209 1.90549\nEND\n' >"$T/lj.par"
}

# random_charges NAME ATOMS FRAMES CELL: writes the frame stream $T/NAME.trjf of charges at random positions, and x.dcd
# and x.pqr, of which it is made. Three successive charges are neutral.
random_charges() {
    mkdcd --atoms "$2" --frames "$3" --cell "$4" >"$T/x.dcd"
    awk -v n="$2" 'BEGIN {
        for (i = 1; i <= n; i++)
            printf "ATOM  %5d  O   WAT  %4d    %8.3f%8.3f%8.3f %7.4f %6.4f\n", i, i % 1000, \
                0, 0, 0, i % 3 ? 0.417 : -0.834, 1
    }' >"$T/x.pqr"
    trjcat -t "$T/x.pqr" --carry charge -o "$T/$1.trjf" "$T/x.dcd" 2>/dev/null
}

# Prints the rows of tables without their comments.
rows() {
    grep -v '^#' "$@"
}

# Prints the rows of tables without their comments and without the column "resolved" of structure factors.
curve_rows() {
    awk -F '\t' -v OFS='\t' '/^#/ { marked = $NF == "resolved"; next } { if (marked) NF--; print }' "$@"
}

# has [OPTION...] PATTERN: grep -q that reads its whole input, so that the program before it in a pipe does not fail
# when it writes to a closed pipe
has() {
    (($(grep -c "$@") > 0))
}

# Prints the counts of histogram streams, one column for each pair.
counts() {
    rdfnorm --counts "$@" | rows | cut -f 3-
}

# counted OPTION... < frame stream: prints the counts; notes of rdfhist are printed only if it fails
counted() {
    rdfhist "$@" 2>"$T/notes" | counts || { cat "$T/notes"; return 1; }
}

# same A B: succeeds if two files are equal; otherwise prints their first differences
same() {
    cmp -s "$1" "$2" || { diff "$1" "$2" | head -20; return 1; }
}

# fails STATUS PATTERN COMMAND...: the command ends with this status, and its last line on standard error begins with
# the name of the tool and contains the glob PATTERN. The next stage must reject its output, which is in $T/out.
fails() {
    local status=$1 pattern=$2 got=0 line='' messages
    shift 2
    "$@" >"$T/out" 2>"$T/err" </dev/null || got=$?
    mapfile -t messages <"$T/err" # not tail, because this function runs a thousand times
    [[ ${#messages[@]} == 0 ]] || line=${messages[-1]}
    if [[ $got != "$status" || $line != "$1: "* || $line != *$pattern* ]]; then
        printf '%q ' "$@"
        printf '\nstatus %s, not %s, and "%s"; expected "%s"\n' "$got" "$status" "$line" "$pattern"
        return 1
    fi
    [[ -s $T/out ]] || return 0
    case $1 in
    trjcat) ! rdfhist -r 5 -b 10 <"$T/out" >"$T/next" 2>&1 || { echo 'rdfhist accepts its output'; return 1; } ;;
    *) ! rdfnorm --counts <"$T/out" >"$T/next" 2>&1 || { echo 'rdfnorm accepts its output'; return 1; } ;;
    esac
}

# fails_cleanly STATUS PATTERN TOOL ARGUMENT...: as `fails`, without and with `-o FILE`, which leaves no file
fails_cleanly() {
    local status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$@" || return 1
    mkdir -p "$T/place"
    fails "$status" "$pattern" "$@" -o "$T/place/file" || return 1
    [[ -z $(ls -A "$T/place") ]] || { echo "files left: $(ls -A "$T/place")"; return 1; }
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

# Prints the frames of a stream without the names of their files.
bare_frames() {
    trjdump | grep -vE '^(atoms|group|provenance) ' | sed -E 's/^(frame [0-9]+) of [^ ]* /\1 /'
}

# read_out_of_order FILE: a file of a format that requires random access gives the same frames if it is compressed, and
# through pipes; temporary files are created in $T/place and removed.
read_out_of_order() {
    need zstd
    local file=$1 options way
    mkdir "$T/place"
    export TMPDIR=$T/place
    zstd -q "$file" -o "$T/packed.zst"
    for options in '' '-f 1' '-f -2:' '--segment 2/2'; do
        # shellcheck disable=SC2086 # words
        trjcat $options "$file" 2>"$T/err" | bare_frames >"$T/expected"
        [[ -s $T/expected ]] || return 1
        # shellcheck disable=SC2002,SC2086 # a pipe is tested; words
        for way in "trjcat $options $T/packed.zst" "trjcat $options - <$T/packed.zst" \
            "cat $T/packed.zst | trjcat $options -" \
            "cat $file | trjcat $options -" "trjcat $options - <$file"; do
            eval "$way" 2>"$T/err" | bare_frames | same "$T/expected" - || { echo "$way"; cat "$T/err"; return 1; }
        done
    done
    for options in '' --check; do
        # shellcheck disable=SC2086 # words
        trjinfo $options "$file" | grep -v '^file' >"$T/expected"
        # shellcheck disable=SC2086
        trjinfo $options "$T/packed.zst" | grep -v '^file' | same "$T/expected" -
        # shellcheck disable=SC2002,SC2086
        cat "$file" | trjinfo $options - | grep -v '^file' | same "$T/expected" -
    done
    [[ -z $(ls -A "$T/place") ]]
}

# damaged_copy: checks the errors for $T/packed.zst of read_out_of_order if it is truncated, or if its decompressed copy
# cannot be created or does not fit.
damaged_copy() {
    local size half
    size=$(stat -c %s "$T/packed.zst")
    half=$((size / 2))
    head -c $half "$T/packed.zst" >"$T/cut.zst"
    fails_cleanly 3 "cut.zst: truncated: its zstd data end too early, at byte $half of the compressed file" \
        trjcat "$T/cut.zst"
    TMPDIR=$T/none fails_cleanly 1 \
        "packed.zst: requires random access, and cannot be copied to a temporary file in $T/none (TMPDIR): No such file" \
        trjcat "$T/packed.zst"
    small() { (trap '' XFSZ && ulimit -f 8 && trjcat "$@"); }
    small "$T/packed.zst" >"$T/out" 2>"$T/err" && return 1
    grep -q "packed.zst: requires random access, and cannot be copied to a temporary file in $T/place (TMPDIR): File too large" \
        "$T/err"
    [[ -z $(ls -A "$T/place") ]]
}

# handles SIGNAL PID: succeeds if the process is no longer bash or env, but a tool that has set a handler of the signal
handles() {
    local number mask name
    number=$(kill -l "$1")
    name=$(<"/proc/$2/comm")
    [[ $name != bash && $name != env ]] || return 1
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$2/status")
    ((16#$mask >> (number - 1) & 1))
}

# await COMMAND...: repeats the command until it succeeds, for at most two minutes, because a machine can be busy
await() {
    local end=$((SECONDS + 120))
    while ((SECONDS < end)); do
        ! "$@" || return 0
        sleep 0.05
    done
    echo "never true: $*"
    return 1
}

# Prints the number of frames that a stream contains so far.
frames_in() {
    trjcat --salvage "$1" 2>"$T/salvage" | trjdump 2>"$T/salvage" | grep -c '^frame' || :
}

has_frames() {
    (($(frames_in "$1") >= $2))
}

# Prints the offset of each block of a stream, and its size.
borders() {
    local at=24 size
    size=$(stat -c %s "$1")
    while ((at < size)); do
        echo "$at"
        at=$((at + 40 + $(od -An -t u8 -j $((at + 8)) -N 8 "$1")))
    done
    echo "$size"
}

# Skips if no terminal can be created: script(1) is missing, or the container has no pseudo-terminals.
needs_terminal() {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip 'no pseudo-terminal is available'
}
