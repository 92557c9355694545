#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Frames that trjcat selects: from the end, by time, in segments, and those that a restart repeats.
load helper

WATER=examples/water/water.dcd # 128 frames, one each ps

# frames OPTION... INPUT...: prints their numbers in one line
frames() {
    trjcat "$@" 2>"$T/notes" | trjdump | sed -n 's/^frame \([0-9]*\) .*/\1/p' | tr '\n' ' '
}

# The last N frames, for each way to read a file.
from_the_end() { # OPTION... INPUT
    [[ $(frames "$@" -f -3:) == '125 126 127 ' ]]
    [[ $(frames "$@" -f -1) == '127 ' ]]
    [[ $(frames "$@" -f -4:-2) == '124 125 ' ]]
    [[ $(frames "$@" -f -7::3) == '121 124 127 ' ]]
    [[ $(frames "$@" -f :-126) == '0 1 ' ]]
    [[ $(frames "$@" -f 126:-1) == '126 ' ]]
    [[ $(frames "$@" -f -1000:2) == '0 1 ' ]]
}

@test "frame numbers from the end: same frames from regular, compressed and piped files" {
    from_the_end "$WATER"
    trjcat "$WATER" -o "$T/w.trjf"
    from_the_end "$T/w.trjf"
    trjcat "$WATER" -o "$T/w.xtc"
    from_the_end "$T/w.xtc"
    trjcat -t examples/water/water.pdb "$WATER" -o "$T/w.gro"
    from_the_end "$T/w.gro"
    zstd -q "$WATER" -o "$T/w.dcd.zst"
    from_the_end "$T/w.dcd.zst"

}

@test "frame numbers from the end: refer to the end of all inputs together" {
    mkdcd --atoms 3 --frames 5 --cell 9,9,9 >"$T/a.dcd"
    mkdcd --atoms 3 --frames 4 --cell 9,9,9 --seed 2 >"$T/b.dcd"
    [[ $(frames -f -6: "$T/a.dcd" "$T/b.dcd") == '3 4 0 1 2 3 ' ]]
    [[ $(frames --segment 2/3 "$T/a.dcd" "$T/b.dcd") == '3 4 0 ' ]]
}

@test "segments: contain each frame once and have nearly equal sizes" {
    local n k sizes
    for n in 1 2 3 7 100 128; do
        for ((k = 1; k <= n; k++)); do frames --segment "$k/$n" "$WATER"; done >"$T/all"
        [[ $(tr -d '\n' <"$T/all") == "$(seq -s ' ' 0 127) " ]]
    done
    for k in 1 2 3; do frames --segment "$k/3" -f 10:-7:4 "$WATER"; echo; done >"$T/all"
    [[ $(tr -d '\n' <"$T/all") == "$(seq -s ' ' 10 4 120) " ]]
    sizes=$(awk '{ print NF }' "$T/all" | sort -n | tr '\n' ' ')
    [[ $sizes == '9 9 10 ' ]]
    fails 3 '--segment: 2 frames in 3 segments leave none for segment 1; use fewer segments' \
        trjcat --segment 1/3 -f :2 "$WATER"
}

@test "segments in multiples of L frames: the records of all frames, so that their errors are equal, too" {
    local k
    trjcat "$WATER" | rdfhist -e cpu -r 6 -b 60 -B 9 -o "$T/all.rdfh" 2>/dev/null
    for k in 1 2 3 4; do
        trjcat --segment $k/4/9 "$WATER" | rdfhist -e cpu -r 6 -b 60 -B 9 -o "$T/part.$k.rdfh" 2>/dev/null
    done
    cat "$T"/part.?.rdfh | rdfnorm >"$T/parts.tsv" 2>"$T/err"
    [[ ! -s $T/err ]] # no note on missing segments
    same <(rdfnorm "$T/all.rdfh" | grep -v provenance) <(grep -v provenance "$T/parts.tsv")
    fails 2 "--segment: invalid value '1/4/0': expected K/N" trjcat --segment 1/4/0 "$WATER"
}

@test "segments counted separately: add up to the whole" {
    local k
    for k in 1 2 3 4 5; do trjcat --segment $k/5 "$WATER" | rdfhist -e cpu -b 50 -r 8 2>/dev/null; done | rdfnorm -c |
        rows >"$T/parts"
    trjcat "$WATER" | rdfhist -e cpu -b 50 -r 8 2>/dev/null | rdfnorm -c | rows | same "$T/parts" -
}

@test "--time: same frames from regular files and through pipes" {
    trjcat "$WATER" -o "$T/w.xtc"
    local input
    for input in "$WATER" "$T/w.xtc"; do
        [[ $(frames --time 3:5 "$input") == '3 4 5 ' ]]
        [[ $(frames --time 125.5: "$input") == '126 127 ' ]]
        [[ $(frames --time :1 "$input") == '0 1 ' ]]
        [[ $(frames --time 77 "$input") == '77 ' ]]
        [[ $(frames --time 10:20 -f ::4 "$input") == '12 16 20 ' ]]
        [[ $(frames --time 10:20 -f 15: "$input") == '15 16 17 18 19 20 ' ]]
        [[ $(frames --time 10:12 - <"$input") == '10 11 12 ' ]]
        [[ $(head -c 100M "$input" | frames --time 10:12 -) == '10 11 12 ' ]]
        [[ $(frames --time 126: "$input" "$input") == '126 127 126 127 ' ]]
    done
    fails 3 '* no frames: none of the 128 frames read or skipped is selected; change --frames or --time' \
        trjcat --time 1000: "$WATER"
    printf '1\n\nO 0 0 0\n' >"$T/x.xyz"
    fails 3 '*x.xyz: frame 0: has no time, which --time requires; use --frames' trjcat --time 1: "$T/x.xyz"
}

@test "frames repeated after a restart: reported, or removed" {
    trjcat -f :60 "$WATER" -o "$T/a.dcd"
    trjcat -f 55: "$WATER" -o "$T/b.dcd"
    [[ $(frames "$T/a.dcd" "$T/b.dcd" | wc -w) == 133 ]]
    grep -qx \
        'trjcat: note: 5 frames are not later than an earlier frame, as after a restart: kept (--repeated drop leaves them out)' \
        "$T/notes"
    trjcat --repeated drop "$T/a.dcd" "$T/b.dcd" 2>"$T/notes" | trjdump | grep '^[0-9a-f]\{8\}' >"$T/joined"
    grep -q ': left out$' "$T/notes"
    trjcat "$WATER" | trjdump | grep '^[0-9a-f]\{8\}' | same "$T/joined" -
    # Steps are compared within one file, too, and times if there are no steps.
    cat "$WATER" >"$T/c.dcd"
    trjcat -f :20 "$WATER" -o "$T/a.xtc"
    trjcat -f 10:30 "$WATER" -o "$T/b.xtc"
    cat "$T/a.xtc" "$T/b.xtc" >"$T/c.xtc"
    [[ $(frames --repeated drop "$T/c.xtc" | wc -w) == 30 ]]
    trjcat --to gro -t examples/water/water.pdb "$T/c.xtc" 2>"$T/notes" | sed 's/ step= *[0-9]*//' >"$T/c.gro"
    [[ $(frames --repeated drop "$T/c.gro" | wc -w) == 30 ]]
    trjcat -f 3 "$WATER" 2>"$T/notes" >"$T/trjf"
    [[ ! -s $T/notes ]]
    fails 2 '--repeated drop and --segment: *' trjcat --repeated drop --segment 1/2 "$WATER"
}

# with_times [TIME:STEP]...: prints a GRO file of one atom with these times and steps
with_times() { # [TIME:STEP]...
    local at
    for at; do printf 'x, t= %s step= %s\n1\n    1SOL     OW    1   0.100   0.200   0.300\n   0.0 0.0 0.0\n' \
        "${at%:*}" "${at#*:}"; done
}

@test "steps that overflow, and times without information: not taken for repeated frames" {
    with_times 1:2147483646 2:2147483647 3:-2147483648 4:-2147483647 >"$T/over.gro"
    [[ $(frames --repeated drop "$T/over.gro" | wc -w) == 4 && ! -s $T/notes ]]
    with_times 0:1 0:2 0:3 >"$T/steps.gro"
    [[ $(frames --repeated drop "$T/steps.gro" | wc -w) == 3 && ! -s $T/notes ]]
    with_times 0:0 0:0 0:0 >"$T/none.gro"
    [[ $(frames "$T/none.gro" | wc -w) == 3 ]]
    grep -qx 'trjcat: note: steps and times of the frames do not advance' "$T/notes"
    fails 3 '*--repeated drop: steps and times of the 3 frames do not advance, so that *' \
        trjcat --repeated drop "$T/none.gro"
}

@test "repeated frames that cannot be identified: an error, not a guess" {
    printf '1\n\nHe 0 0 0\n1\n\nHe 0 0 1\n' >"$T/a.xyz"
    [[ $(frames "$T/a.xyz" "$T/a.xyz" | wc -w) == 4 && ! -s $T/notes ]]
    fails 3 '*a.xyz: frame 0: has neither step nor time, which --repeated drop *' \
        trjcat --repeated drop "$T/a.xyz" "$T/a.xyz"
    # One frame has neither, and frames with steps alone follow frames with times alone.
    with_times 1:1 2:2 >"$T/b.gro"
    with_times 3:3 | sed 's/,.*//' >>"$T/b.gro"
    [[ $(frames "$T/b.gro" "$T/b.gro" | wc -w) == 6 ]]
    fails 3 '*b.gro: frame 2: has neither step *' trjcat --repeated drop "$T/b.gro" "$T/b.gro"
    with_times 1:1 2:2 | sed 's/ step=.*//' >"$T/time.gro"
    printf '1\nProperties=species:S:1:pos:R:3 step=7\nHe 0 0 0\n' >"$T/step.xyz"
    fails 3 '*step.xyz: frame 0: has neither step *' trjcat --repeated drop "$T/time.gro" "$T/step.xyz"
    [[ $(frames --repeated drop "$T/step.xyz" | wc -w) == 1 ]]
}

@test "late times: distinguished up to the precision of float32" {
    with_times 1999999:1 2000000:2 2000001:3 2000002:4 >"$T/late.gro"
    [[ $(frames --time :2000000 "$T/late.gro") == '0 1 ' ]]
    [[ $(frames --time 2000000.1 "$T/late.gro") == '1 ' ]]
}

@test "invalid ranges: rejected" {
    local text
    for text in -0 5:5 -3:-3 -2:-5 1:2:0 1:2:3:4 a -- -5:x; do
        fails 2 "--frames: invalid range '$text': expected START:STOP:STEP *" trjcat "--frames=$text" "$WATER"
    done
    for text in 0/3 4/3 1 1/ /2 1/2/3/4 -1/3 1/0; do
        fails 2 "--segment: invalid value '$text': expected K/N with K from 1 to N" trjcat "--segment=$text" "$WATER"
    done
    for text in : '' 5:3 a: 1:2:3 nan; do
        [[ $text != : ]] || continue # all times
        fails 2 "--time: invalid range '$text': expected FROM:TO in ps with FROM <= TO" trjcat "--time=$text" "$WATER"
    done
    fails 2 '--time and --segment: *' trjcat --time 1:2 --segment 1/2 "$WATER"
    fails 2 '-: is not a file, so that its frames cannot be counted in advance; write it to a file first' \
        trjcat -f -2: -
    trjcat -f -2: - <"$WATER" | trjdump | has '^frame 127 '
    trjcat -f -2: "$WATER" | trjdump | has '^frame 127 '
    fails 3 '--frames: the range selects none of the 128 frames; give another one' trjcat -f 200:-1 "$WATER"
}

# part FIRST LAST: frames of these steps, one atom at x = step
part() {
    seq "$1" "$2" | while read -r i; do
        printf '1\nLattice="99 0 0 0 99 0 0 0 99" Properties=species:S:1:pos:R:3 step=%d\nO %d 0 0\n' "$i" "$i"
    done
}

@test "--repeated drop with inputs in the wrong order: rejected with the order, so that no frame is lost" {
    part 0 9 >"$T/1.xyz"
    part 7 19 >"$T/2.xyz"
    part 17 29 >"$T/3.xyz"
    trjcat --repeated drop "$T/1.xyz" "$T/2.xyz" "$T/3.xyz" 2>/dev/null | trjinfo -c - | has -x 'frames	30'
    local order='and repeats no frame: the inputs are in the wrong order'
    fails 3 "1.xyz: frame 0: --repeated drop: is before $T/2.xyz, $order" \
        trjcat --repeated drop "$T/2.xyz" "$T/1.xyz" "$T/3.xyz"
    fails 3 "2.xyz: frame 3: --repeated drop: is before $T/3.xyz, $order" \
        trjcat --repeated drop "$T/1.xyz" "$T/3.xyz" "$T/2.xyz"
    cat "$T/2.xyz" "$T/1.xyz" >"$T/joined.xyz"
    fails 3 'joined.xyz: frame 13: --repeated drop: is before the first frame of its file' \
        trjcat --repeated drop "$T/joined.xyz"
    # A restart with another interval: its first frames repeat times that the first part covers.
    seq 0 2 8 | while read -r i; do part "$i" "$i"; done >"$T/every2.xyz"
    part 5 12 >"$T/every1.xyz"
    trjcat --repeated drop "$T/every2.xyz" "$T/every1.xyz" 2>/dev/null | trjinfo -c - | has -x 'frames	9'
}

@test "--repeated drop and --frames: frames that repeat one that --frames leaves out are reported as such" {
    part 0 9 >"$T/1.xyz"
    fails 3 "1.xyz: frame 0: --repeated drop: is before the selected frames of $T/1.xyz, and repeats none of them: it" \
        trjcat --repeated drop -f 6: "$T/1.xyz" "$T/1.xyz"
    [[ $(<"$T/err") == *'select frames with --time, or from the output with another trjcat' ]]
    trjcat --repeated drop "$T/1.xyz" "$T/1.xyz" 2>/dev/null | trjcat -f 6: - | trjinfo -c - | has -x 'frames	4'
}

@test "frames without step and time that are identical to the frame before: a note gives their number" {
    printf '2\n\nO 1 0 0\nO 2 0 0\n' >"$T/a"
    printf '2\n\nO 1 0 0\nO 2 0 1\n' >"$T/b"
    cat "$T/a" "$T/b" "$T/b" "$T/a" "$T/a" "$T/a" >"$T/c.xyz"
    trjcat -P none "$T/c.xyz" 2>&1 >/dev/null |
        grep -q 'note: 3 frames without step and time have the same coordinates as the frame before them'
    trjcat -P none -g 'A=index 0' "$T/c.xyz" 2>"$T/err" | trjinfo - >/dev/null
    [[ $(<"$T/err") != *'same coordinates'* ]]
    cat "$T/a" "$T/b" "$T/a" >"$T/d.xyz"
    trjcat -P none "$T/d.xyz" 2>"$T/err" >/dev/null
    [[ ! -s $T/err ]]
}

@test "--dt: the time of each frame is its step times DT, also where --time selects, and in files that state other times" {
    part 10 14 >"$T/a.xyz"
    trjcat --dt 0.5 "$T/a.xyz" | trjinfo - >"$T/out"
    grep -qx 'time_first	5' "$T/out" && grep -qx 'time_spacing	0.5' "$T/out" && grep -qx 'step_first	10' "$T/out"
    trjcat --dt 0.5 --time 5.5:6 "$T/a.xyz" | trjinfo -c - | has -x 'frames	2'
    trjcat --dt 2 "$T/a.xyz" -o "$T/a.dcd"
    trjinfo "$T/a.dcd" | awk '$1 == "time_last" { exit !($2 > 27.999 && $2 < 28.001) }' # a DCD has 32 bits
    for threads in 1 3; do
        trjcat -j "$threads" --dt 0.25 "$T/a.dcd" | trjinfo -c - >"$T/out"
        grep -qx 'time_last	3.5' "$T/out" && grep -qx 'time_spacing	0.25' "$T/out"
    done
    trjcat --dt 0.5 "$T/a.xyz" -o "$T/a.trjf"
    trjcat --dt 1 "$T/a.trjf" | trjinfo - | has -x 'time_last	14'
    printf '1\n\nO 1 0 0\n' >"$T/b.xyz"
    fails 3 'b.xyz: frame 0: has no step, by which --dt is multiplied; leave --dt out' trjcat -P none --dt 1 "$T/b.xyz"
    fails 2 '--dt: 0 ps; give a positive time' trjcat --dt 0 "$T/a.xyz"
}
