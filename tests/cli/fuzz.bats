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
    done < <(trjcat --formats | awk -F '\t' '$3 == "yes"')
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
        wave-*) set -- limited orbmap --check "$file" ;;
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

# damaged FORMAT BEFORE FROM TO: a file of this format, in which the text FROM after BEFORE is replaced by TO with the
# same width, is rejected by a message that names the file.
damaged() {
    local file=$CORPUS/wave-$1/h2 got=0
    awk -v before="$2" -v from="$3" -v to="$4" 'BEGIN { RS = "\001" } {
        while (length(to) < length(from)) to = " " to
        at = index($0, before from)
        end = at + length(before from)
        printf "%s", at ? substr($0, 1, at - 1) before to substr($0, end) : $0 }' "$file" >"$T/file"
    ! cmp -s "$file" "$T/file" || { echo "$1: no '$2$3'"; return 1; }
    limited orbmap --check "$T/file" >"$T/out" 2>"$T/err" || got=$?
    [[ $got == 3 && $(wc -l <"$T/err") == 1 && $(cat "$T/err") == *"/file: "* && $(cat "$T/err") != *memory* ]] ||
        { echo "$1: '$2$4' instead of '$2$3': $got"; cat "$T/err"; return 1; }
}

@test "wave functions with exponents of 0, infinity or NaN, or counts of 10^9: rejected in little memory" {
    sanitized && skip 'a sanitizer needs the address space'
    local value many=1000000000 list
    for value in 0.0 -1.0 inf nan 1e999; do
        damaged molden '' 0.16885540 $value
        damaged fchk '' 1.68855400E-01 $value
        damaged wfn ' ' 0.1688554D+00 $value
        damaged wfx ' ' 0.1688554 $value
    done
    for value in inf nan 1e999; do
        damaged molden '' 0.53532814 $value # contraction
        damaged fchk '' 5.35328140E-01 $value
        damaged molden '' 1.4 $value # position
        damaged fchk '' 1.40000000E+00 $value
        damaged wfn '  ' 0.00000000 $value
        damaged wfx '' 1.4 $value
        damaged molden 'Occup= ' 2.0 $value
        damaged wfn '' 2.0000000 $value
        damaged wfx ' ' 2.0 $value
        damaged molden '2 ' -1.2114572 $value # coefficient
        damaged fchk '' 1.21145720E+00 $value
        damaged wfn ' ' -0.13000000D+00 $value
        damaged wfx ' ' 0.12 $value
        damaged fchk $'6.00000000E-01\n' '' $value # a value after the last one
    done
    damaged molden $'[GTO]\n  ' 1 $many # atom
    damaged molden 's ' 3 $many
    damaged molden $'5489341\n ' 2 $many # function
    damaged fchk 'basis functions                  I       ' '         2' $many
    for list in 'Atomic numbers                             I' 'Nuclear charges                            R' \
        'Gaussian Version                           C' 'Flags                                      L' \
        'Shell types                                I' 'Number of primitives per shell             I' \
        'Shell to atom map                          I' 'Mulliken Charges                           R'; do
        damaged fchk "$list   N=  " '         2' $many
    done
    damaged fchk 'Primitive exponents                        R   N=  ' '         6' $many
    damaged fchk 'Alpha MO coefficients                      R   N=  ' '         4' $many
    damaged fchk 'Total SCF Density                          R   N=  ' '         3' $many
    damaged fchk $'shell             I   N=           2\n  ' '         3' $many
    damaged fchk $'map                          I   N=           2\n  ' '         1' $many
    damaged wfn 'GAUSSIAN     ' '         2' $many
    damaged wfn 'ORBITALS' '      6' 1000000
    damaged wfn 'PRIMITIVES' '        2' 100000000
    damaged wfn 'CENTRE ASSIGNMENTS    1  1  1' '  2' 999
    damaged wfn 'TYPE ASSIGNMENTS      1  1' ' 36' 999
    damaged wfx $'Nuclei>\n ' 2 $many
    damaged wfx $'Molecular Orbitals>\n ' 2 $many
    damaged wfx $'Primitives>\n ' 3 $many
    damaged wfx '1 1 ' 2 $many # centre
    damaged wfx '5 ' 56 $many  # type
    damaged wfx $'Number>\n ' 1 $many
}
