#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mean_position (tests/helpers) is a filter of less than 100 lines. The code that filters with engines share works in it
# as in rdfhist.
load helper

# Prints the rows of the shared options in the option table of a program.
shared_rows() {
    "$1" --options | awk -F '\t' -v OFS='\t' '$2 ~ /^(engine|devices|threads|stats)$/ { $6 = ""; print }'
}

# Both programs fail with the same status and the same message, except for the name of the program.
same_failure() {
    local status=0 other=0
    rdfhist -r 5 "$@" >"$T/out" 2>"$T/expected" <"${INPUT:-/dev/null}" || status=$?
    mean_position "$@" >"$T/out" 2>"$T/found" <"${INPUT:-/dev/null}" || other=$?
    ((status && status == other)) || { echo "$*: status $status and $other"; return 1; }
    sed -i '/^[a-z_]*: engine [a-z]*, /d; s/^[a-z_]*: //' "$T/expected" "$T/found"
    sed -i '/^note: /d' "$T/found"
    same "$T/expected" "$T/found"
}

@test "the shared engine options have the same rows in every filter" {
    shared_rows rdfhist >"$T/expected"
    shared_rows mean_position >"$T/found"
    (($(wc -l <"$T/expected") == 4))
    same "$T/expected" "$T/found"
}

@test "invalid devices, empty and truncated streams: the same errors in every filter" {
    mkdcd --atoms 50 --frames 20 >"$T/a.dcd"
    trjcat "$T/a.dcd" | head -c 5000 >"$T/cut.trjf"
    same_failure --devices 0,
    same_failure -e cpu --devices 0
    same_failure
    same_failure "$T/a.dcd"
    same_failure "$T/missing"
    same_failure -e cpu "$T/cut.trjf"
    INPUT=$T/cut.trjf same_failure -e cpu -
}

@test "the mean position of dynamic groups and of all atoms equals that of the coordinates" {
    awk 'BEGIN { for (f = 0; f < 7; f++) {
        print 20 "\n"
        for (i = 0; i < 20; i++) print "O", (i * 7 + f * 5) % 17 / 4, (i * 3 + f) % 11, (i + f * f) % 13 / 8
    } }' >"$T/a.xyz"
    trjcat -g 'A=all' -g 'L=x < 2' "$T/a.xyz" >"$T/a.trjf"
    mean_position -e cpu "$T/a.trjf" >"$T/found"
    awk 'NF == 4 {
        for (k = 1; k <= 3; k++) { a[k] += $(k + 1); if ($2 < 2) l[k] += $(k + 1) }
        n++; m += $2 < 2
    } END {
        printf "A\t%.5f\t%.5f\t%.5f\nL\t%.5f\t%.5f\t%.5f\n", a[1] / n, a[2] / n, a[3] / n, l[1] / m, l[2] / m, l[3] / m
    }' "$T/a.xyz" >"$T/expected"
    same "$T/expected" "$T/found"
}

@test "auto falls back to the next engine with a note; a named engine that is busy is an error" {
    mkdcd --atoms 5 >"$T/a.dcd"
    trjcat "$T/a.dcd" >"$T/a.trjf"
    mean_position "$T/a.trjf" 2>"$T/err" >"$T/auto"
    printf 'mean_position: note: engine cuda: the GPU is busy; use -e cpu\nmean_position: engine cpu, threads 1\n' \
        >"$T/expected"
    same "$T/expected" "$T/err"
    mean_position -e cpu "$T/a.trjf" >"$T/cpu"
    same "$T/cpu" "$T/auto"
    run -4 mean_position -e cuda "$T/a.trjf"
    [[ $output == 'mean_position: engine cuda: the GPU is busy; use -e cpu' ]]
}

@test "a filter that prints a table: provenance, names of columns, members of groups, and the failure in a pipe" {
    awk 'BEGIN { for (f = 0; f < 5; f++) {
        print 9 "\n"
        for (i = 0; i < 9; i++) print "O", (i * 7 + f * 5) % 17 / 4, i, f
    } }' >"$T/a.xyz"
    (cd "$T" && trjcat -g 'A=all' -g 'L=x < 2' a.xyz >a.trjf && group_sizes -o found a.trjf)
    {
        printf '# provenance: trjcat %s: trjcat -g A=all -g '"'L=x < 2'"' a.xyz\n' "$TRJPIPE_VERSION"
        printf '# provenance: group_sizes %s: group_sizes -o found a.trjf\n' "$TRJPIPE_VERSION"
        printf '# columns: number of the frame; time in ps; for each group: its members\n'
        printf '# frame\ttime\tmembers(A)\tmembers(L)\n'
        awk -v OFS='\t' 'NF == 1 { if (NR > 1) print f++, "nan", 9, low; low = 0 } NF == 4 { low += $2 < 2 }
            END { print f, "nan", 9, low }' "$T/a.xyz"
    } >"$T/expected"
    sed -i '/group_sizes -o/s/-o found //' "$T/expected" "$T/found"
    same "$T/expected" "$T/found"
    run -1 group_sizes -o /dev/full "$T/a.trjf"
    [[ $output == 'group_sizes: /dev/full: '* ]]
}

@test "a map format outside of the library: read, written, detected, and listed in help and messages" {
    printf 'toy 2 1 3\n' >"$T/a.toy"
    printf '%s\n' 1 2.5 -3 0.1 5e-7 6 >>"$T/a.toy"
    mapconv_toy -o "$T/a.dx" "$T/a.toy"
    mapconv_toy -o "$T/b.toy" "$T/a.dx"
    sed 1d "$T/a.toy" | awk '{ print $1 + 0 }' >"$T/expected"
    sed 1d "$T/b.toy" | awk '{ print $1 + 0 }' >"$T/found"
    same "$T/expected" "$T/found"
    [[ $(head -n 1 "$T/b.toy") == 'toy 2 1 3' ]]
    [[ $(mapinfo --at 0,0,2 "$T/a.dx" | tail -n 1 | cut -f 5) == 5e-07 ]]
    mapconv_toy --help | has '^Converts maps between grid streams, OpenDX and toy files'
    mapconv_toy --help | has '^ *toy *numbers, for a test$'
    mapconv_toy --options | has "^-	to	choice	FORMAT		trjg,dx,toy	"
    run -2 mapconv_toy -o "$T/a.mrc" "$T/a.toy"
    [[ $output == *'.trjg, .dx, .toy'* ]]
    run -3 mapconv_toy - <<<'nothing'
    [[ $output == *'expected a grid stream, OpenDX or toy;'* ]]
}
