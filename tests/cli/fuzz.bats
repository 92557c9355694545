#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The corpus of the fuzzers (tests/fuzz): initial files, files that caused errors, and headers with numbers that are far
# too large.
load helper
CORPUS=tests/fuzz/corpus

@test "every target runs over its corpus: no crash, and all ways of reading give the same result" {
    local folder target
    for folder in "$CORPUS"/*; do
        target=$T/${folder##*/}
        ln -s "$TRJPIPE_TESTS/fuzz/fuzz" "$target"
        "$target" "$folder"/* >"$T/log" 2>&1 || { echo "$target"; tail -n 40 "$T/log"; return 1; }
        [[ $(wc -l <"$T/log") == $(find "$folder" -type f | wc -l) ]] || { cat "$T/log"; return 1; }
    done
}

@test "every trajectory and topology format has a corpus" {
    local name known
    while read -r name _; do
        [[ -d $CORPUS/$name ]] || { echo "no corpus of $name"; return 1; }
    done < <(trjcat --formats)
    echo nothing >"$T/nothing"
    known=$( (trjcat -t "$T/nothing" "$T/nothing" || true) 2>&1 |
        sed -n 's/.*not a known topology format; give one of //p' | tr 'A-Z ' 'a-z-')
    [[ $known == psf,* ]]
    for name in ${known//,-/ }; do
        [[ -d $CORPUS/topology-$name ]] || { echo "no corpus of topology-$name"; return 1; }
    done
}

# Each file is rejected within this number of KiB and seconds of CPU time.
limited() {
    (ulimit -v 400000 && ulimit -t 5 && timeout 300 "$@")
}

@test "headers with 10^12 or the largest number of atoms, frames or bytes: rejected in little memory" {
    sanitized && skip 'a sanitizer needs the address space'
    local file format got name formats count=0
    formats=$(trjcat --formats | cut -f 1)
    for file in "$CORPUS"/*/huge*; do
        format=${file%/*}
        format=${format##*/}
        case $format in
        topology-*) set -- limited trjinfo "$file" ;;
        rdfh) set -- limited rdfnorm "$file" ;;
        *)
            grep -qx "$format" <<<"$formats" || continue # this build lacks its library
            set -- limited trjcat -j 2 --format "$format" "$file" # each thread needs address space
            ;;
        esac
        for name in "$file" stdin; do
            got=0
            [[ $name == stdin ]] && set -- "${@:1:$#-1}" -
            # shellcheck disable=SC2002 # it is to be a pipe
            cat "$file" | "$@" >"$T/out" 2>"$T/err" || got=$?
            [[ $got == 3 && $(tail -n 1 "$T/err") == *": $name: "* ]] ||
                { echo "$* < $file: $got"; cat "$T/err"; return 1; }
            ! grep -q 'memory' "$T/err" || { cat "$T/err"; return 1; }
            count=$((count + 1))
        done
    done
    ((count > 50))
}
