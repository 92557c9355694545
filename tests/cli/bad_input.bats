#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad input gives a line with file, frame and byte or atom, an exit status other than 0, and no output that a later
# stage could accept as complete. `fails` (helper.bash) checks the last point.
load helper

# $T/good.dcd: 3 frames of 20 atoms. Header 0-91, titles 92-183, number of atoms 184-195, frames of 320 bytes from 196:
# cell record of 56, then x, y, z of 88. Markers have 4 bytes.
make_dcd() {
    mkdcd --atoms 20 --frames 3 --cell 10,11,12 >"$T/good.dcd"
    [[ $(stat -c %s "$T/good.dcd") == 1156 ]]
    cp "$T/good.dcd" "$T/bad.dcd"
}

make_streams() {
    make_dcd
    trjcat "$T/good.dcd" >"$T/good.trjf"
    rdfhist -e cpu -b 10 -r 4 -B 1 "$T/good.trjf" >"$T/good.rdfh"
}

cut_dcd() { # cut_dcd BYTES PATTERN: rejected as a file and from a pipe
    head -c "$1" "$T/good.dcd" >"$T/bad.dcd"
    fails_cleanly 3 "bad.dcd: $2" trjcat "$T/bad.dcd" || { echo "cut at byte $1"; return 1; }
    from_pipe 3 "stdin: $2" "$T/bad.dcd" trjcat - || { echo "cut at byte $1, from a pipe"; return 1; }
}

from_pipe() { # from_pipe STATUS PATTERN FILE COMMAND...
    local got=0
    # shellcheck disable=SC2002 # a pipe is tested
    cat "$3" | "${@:4}" >"$T/out" 2>"$T/err" || got=$?
    [[ $got == "$1" && $(tail -n 1 "$T/err") == *$2* ]] || { echo "status $got: $(cat "$T/err")"; return 1; }
}

@test "valid files: their reference counts are correct" {
    make_streams
    trjcat "$T/good.dcd" | rdfhist -e cpu -b 10 -r 4 | rdfnorm >/dev/null
    rdfnorm "$T/good.rdfh" >/dev/null
}

@test "DCD truncated in its header: rejected with the place" {
    make_dcd
    cut_dcd 0 '*empty'
    for n in 3 4; do cut_dcd "$n" 'not a known trajectory format'; done
    for n in 8 50 91; do cut_dcd "$n" "byte $n: truncated in "; done
    for n in 92 95 150 183; do cut_dcd "$n" "byte $n: truncated in the titles"; done
    for n in 184 187; do cut_dcd "$n" "byte $n: truncated in the opening marker of the number of atoms"; done
    for n in 188 190 195; do cut_dcd "$n" "byte $n: truncated in the number of atoms"; done
    head -c 196 "$T/good.dcd" >"$T/bad.dcd"
    fails_cleanly 3 'bad.dcd: contains no frames; create the file again' trjcat "$T/bad.dcd"
}

@test "DCD truncated in a record marker or within a record, in the first or last frame: rejected with the place" {
    make_dcd
    local frame at n record
    for frame in 0 2; do
        at=$((196 + 320 * frame))
        n=$((at + 2))
        cut_dcd "$n" "frame $frame: byte $n: truncated in the opening marker of the unit cell"
        n=$((at + 30))
        cut_dcd "$n" "frame $frame: byte $n: truncated in the unit cell"
        at=$((at + 56))
        for record in x y z; do
            for n in $at $((at + 3)); do
                cut_dcd "$n" "frame $frame: byte $n: truncated in the opening marker of the $record record"; done
            for n in $((at + 4)) $((at + 50)) $((at + 84)) $((at + 87)); do
                cut_dcd "$n" "frame $frame: byte $n: truncated in the $record record"; done
            at=$((at + 88))
        done
    done
}

@test "truncated file: frames before the end can be selected; the incomplete frame and later ones are rejected" {
    make_dcd
    head -c 1000 "$T/good.dcd" >"$T/bad.dcd"
    trjcat -f :2 "$T/bad.dcd" | rdfhist -e cpu -b 10 -r 4 | rdfnorm -c | has '^# frames: 2 '
    fails_cleanly 3 'bad.dcd: frame 2: *byte 1000' trjcat -f 2 "$T/bad.dcd"
    fails_cleanly 3 'bad.dcd: frame 2: *byte 1000' trjcat -f 0::2 "$T/bad.dcd"
    fails_cleanly 3 'bad.dcd: frame 2: *byte 1000' trjcat -f 5 "$T/bad.dcd"
}

@test "DCD with fewer complete frames than its header gives: read, with a note" {
    make_dcd
    head -c 836 "$T/good.dcd" >"$T/bad.dcd"
    trjcat "$T/bad.dcd" 2>"$T/err" >"$T/out"
    [[ $(<"$T/err") == "trjcat: $T/bad.dcd: note: "*'header gives 3 frames, file contains 2' ]]
}

@test "record markers that differ: rejected with their values" {
    make_dcd
    poke "$T/bad.dcd" 976 51 # closing marker of x in frame 2: 836 + 56 + 84
    fails_cleanly 3 \
        'bad.dcd: frame 2: the closing marker of the x record at byte 976 gives 81 bytes, the opening one 80' \
        trjcat "$T/bad.dcd"
    cp "$T/good.dcd" "$T/bad.dcd"
    poke "$T/bad.dcd" 660 4c # opening marker of y in frame 1
    fails_cleanly 3 'bad.dcd: frame 1: *byte 660*' trjcat "$T/bad.dcd"
    cp "$T/good.dcd" "$T/bad.dcd"
    poke "$T/bad.dcd" 568 ff # closing marker of the cell in frame 1
    fails_cleanly 3 'bad.dcd: frame 1: *closing marker of the unit cell at byte 568*' trjcat "$T/bad.dcd"
    cp "$T/good.dcd" "$T/bad.dcd"
    poke "$T/bad.dcd" 88 55
    fails_cleanly 3 'bad.dcd: *header at byte 88 *' trjcat "$T/bad.dcd"
    cp "$T/good.dcd" "$T/bad.dcd"
    poke "$T/bad.dcd" 192 05
    fails_cleanly 3 'bad.dcd: *number of atoms at byte 192 *' trjcat "$T/bad.dcd"
}

@test "NaN and infinite coordinates, also of atoms outside the groups: rejected" {
    make_dcd
    poke "$T/bad.dcd" 588 00 00 c0 7f # frame 1, x of atom 3: 516 + 60 + 12
    fails_cleanly 3 'bad.dcd: frame 1: x of atom 3 *not a number' trjcat "$T/bad.dcd"
    fails_cleanly 3 'bad.dcd: frame 1: x of atom 3 *not a number' trjcat -g 'A=index 7 8' "$T/bad.dcd"
    poke "$T/bad.dcd" 588 00 00 00 00
    poke "$T/bad.dcd" 1148 00 00 80 ff # frame 2, z of atom 19
    fails_cleanly 3 'bad.dcd: frame 2: z of atom 19 *infinite' trjcat "$T/bad.dcd"
    from_pipe 3 'frame 2: z of atom 19' "$T/bad.dcd" trjcat -
    poke "$T/bad.dcd" 1148 ff ff 7f 7f # the largest float is finite, but out of range
    trjcat -o "$T/far.trjf" "$T/bad.dcd"
    fails_cleanly 3 'far.trjf: frame 2: *atom 19*' rdfhist -b 10 -r 4 "$T/far.trjf"
}

@test "zero, negative and impossible cells: rejected" {
    make_dcd
    poke "$T/bad.dcd" 520 00 00 00 00 00 00 24 c0 # frame 1: a = -10
    fails_cleanly 3 'bad.dcd: frame 1: *cell*-10*' trjcat "$T/bad.dcd"
    poke "$T/bad.dcd" 520 00 00 00 00 00 00 00 00
    fails_cleanly 3 'bad.dcd: frame 1: cell vector a is zero' trjcat "$T/bad.dcd"
    poke "$T/bad.dcd" 520 00 00 00 00 00 00 f8 7f
    fails_cleanly 3 'bad.dcd: frame 1: *cell*nan*' trjcat "$T/bad.dcd"
    poke "$T/bad.dcd" 520 00 00 00 00 00 00 f0 7f
    fails_cleanly 3 'bad.dcd: frame 1: *cell*inf*' trjcat "$T/bad.dcd"
    cp "$T/good.dcd" "$T/bad.dcd"
    poke "$T/bad.dcd" 528 00 00 00 00 00 00 f0 3f # cos gamma = 1: no volume
    fails_cleanly 3 'bad.dcd: frame 1: *cell*' trjcat "$T/bad.dcd"
    fails_cleanly 3 'good.dcd: frame 0: *cell*zero' trjcat -c 10,0,10 "$T/good.dcd"
    fails_cleanly 2 '--cell: 10,10,-3: cell length c is -3' trjcat -c 10,10,-3 "$T/good.dcd"
    # This cell is so small that rmax 4 includes too many images.
    trjcat -c 0.00001,10,10 -o "$T/thin.trjf" "$T/good.dcd"
    fails_cleanly 3 'thin.trjf: frame 0: *' rdfhist -b 10 -r 4 "$T/thin.trjf"
}

@test "damaged files of other programs: rejected with the place" {
    need_shared
    fails_cleanly 3 'dcd_bad_marker.dcd: frame 1: *x record at byte 5168 gives 1187 bytes*1188' \
        trjcat "$DATA/damaged/dcd_bad_marker.dcd"
    fails_cleanly 3 'dcd_cut_header.dcd: *byte 60' trjcat "$DATA/damaged/dcd_cut_header.dcd"
    fails_cleanly 3 'dcd_cut_in_y.dcd: frame 2: byte 9416: truncated in the y record' \
        trjcat "$DATA/damaged/dcd_cut_in_y.dcd"
    fails_cleanly 3 'dcd_huge_natom.dcd: byte 268 *2147483647 atoms*' trjcat "$DATA/damaged/dcd_huge_natom.dcd"
    fails_cleanly 3 'dcd_nan_inf.dcd: frame 0: x of atom 0 *' trjcat "$DATA/damaged/dcd_nan_inf.dcd"
    fails_cleanly 3 'empty.dcd: *empty' trjcat "$DATA/damaged/empty.dcd"
    fails_cleanly 3 'fake_dcd.dcd: not a known trajectory format*' trjcat "$DATA/damaged/fake_dcd.dcd"
    local file message
    while read -r file message; do
        fails_cleanly 3 "$file: $message" trjcat "$DATA/damaged/$file"
        from_pipe 3 "stdin: $message" "$DATA/damaged/$file" trjcat -
    done <<'END'
fake_xtc.xtc not a known trajectory format
fake_trr.trr not a known trajectory format
delinyah_tiny.xtc frame 0: byte 88 gives 380 bytes for the coordinates of 58365 atoms
xtc_cut.xtc frame 3: byte 10467: truncated in the coordinates
xtc_huge_nbytes.xtc frame 0: byte 88 gives 2147483632 bytes for the coordinates of 774 atoms
xtc_natoms_change.xtc frame 1: byte 2836 gives 10 atoms, not 774
xtc_natoms_disagree.xtc frame 1: byte 2836 gives 775 atoms, not 774
xtc_zero_tail.xtc frame 3: byte 8420 is 0, which does not begin an XTC frame
trr_cut.trr frame 2: byte 7868: truncated in the coordinates
END
    for file in xtc_cut xtc_zero_tail; do trjcat -f :3 "$DATA/damaged/$file.xtc" | trjdump | has '^frame 2 '; done
    trjcat -f :2 "$DATA/damaged/trr_cut.trr" | trjdump | has '^frame 1 '
}

@test "other number of atoms in a later file or in the topology: rejected" {
    make_dcd
    mkdcd --atoms 21 --cell 10,11,12 >"$T/more.dcd"
    fails_cleanly 3 'more.dcd: 21 atoms*20*' trjcat "$T/good.dcd" "$T/more.dcd"
    fails_cleanly 3 'good.dcd: *' trjcat "$T/more.dcd" "$T/good.dcd"
    trjcat -g 'A=index 0 to 9' "$T/good.dcd" >"$T/a.trjf"
    trjcat -g 'A=index 1 to 10' "$T/good.dcd" >"$T/b.trjf"
    trjcat -g 'B=index 0 to 9' "$T/good.dcd" >"$T/c.trjf"
    trjcat -g 'A=index 0 to 9' "$T/more.dcd" >"$T/d.trjf"
    for other in c d; do fails_cleanly 3 "$other.trjf: *" trjcat "$T/a.trjf" "$T/$other.trjf"; done
    cat >"$T/two.gro" <<'END'
two
2
    1SOL     OW    1   0.230   0.628   0.113
    1SOL    HW1    2   0.137   0.626   0.150
   1.86206   1.86206   1.86206
END
    fails_cleanly 3 'good.dcd: 20 atoms, but the topology *two.gro has 2; give one of the same atoms with -t' \
        trjcat -t "$T/two.gro" -g 'O=name OW' "$T/good.dcd"
}

@test "empty and invalid selections: rejected" {
    make_dcd
    fails_cleanly 3 "good.dcd: group A: selection 'none'*none of the 20 atoms" trjcat -g 'A=none' "$T/good.dcd"
    fails_cleanly 3 "group B: *none of the 20 atoms" trjcat -g 'A=all' -g 'B=index 3 and index 4' "$T/good.dcd"
    fails_cleanly 2 'index 20 at character 7: there are 20 atoms*' trjcat -g 'A=index 20' "$T/good.dcd"
    fails_cleanly 2 "requires a topology; give one with -t*" trjcat -g 'A=name OW' "$T/good.dcd"
    fails_cleanly 2 "NAME=SELECTION*" trjcat -g 'A' "$T/good.dcd"
    fails_cleanly 2 "NAME=SELECTION*" trjcat -g '=all' "$T/good.dcd"
    fails_cleanly 2 "A*" trjcat -g 'A=all' -g 'A=all' "$T/good.dcd"
    fails_cleanly 2 "group A: selection 'index 1 and (index 2'*" trjcat -g 'A=index 1 and (index 2' "$T/good.dcd"
}

@test "no frames: rejected" {
    make_dcd
    mkdcd --frames 0 >"$T/none.dcd"
    fails_cleanly 3 'none.dcd: contains no frames; create the file again' trjcat "$T/none.dcd"
    fails_cleanly 3 'no frames: none of the 3 frames read or skipped is selected; change --frames or --time' \
        trjcat -f 3: "$T/good.dcd"
    from_pipe 3 'contains no frames' "$T/none.dcd" trjcat -
}

@test "empty input: rejected" {
    fails_cleanly 3 'stdin: *empty' trjcat -
    fails_cleanly 3 'stdin: *empty' rdfhist -b 10 -r 4
    fails_cleanly 3 'stdin: *empty' rdfnorm
    fails_cleanly 3 '/dev/null: *empty' rdfhist /dev/null
    fails 3 'stdin: *no rows*' rdfplot
}

# cuts FILE NAME TOOL...: a stream truncated at each block boundary and at several places inside blocks is rejected
cuts() {
    local file=$1 name=$2 last=0 at n
    shift 2
    # shellcheck disable=SC2046
    for at in 24 $(borders "$file"); do
        for n in "$last" $((last + 1)) $((last + 39)) $((last + 40)) $((last + 41)) $(((last + at) / 2)) $((at - 1)); do
            ((n < at)) || continue
            head -c "$n" "$file" >"$T/$name"
            fails 3 "$name: *" "$@" "$T/$name" || { echo "cut at byte $n"; return 1; }
            [[ $(<"$T/err") == *[0-9]* || $n == 0 ]] || { echo "no byte: $(<"$T/err")"; return 1; }
            from_pipe 3 'stdin: ' "$T/$name" "$@" - || { echo "cut at byte $n, from a pipe"; return 1; }
        done
        last=$at
    done
    [[ $last == $(stat -c %s "$file") ]]
    head -c $((last - 1)) "$file" >"$T/$name"
    fails_cleanly 3 "$name: *" "$@" "$T/$name"
}

@test "frame stream truncated at each block boundary and inside blocks: rejected" {
    make_streams
    [[ $(borders "$T/good.trjf" | wc -l) -ge 7 ]]
    cuts "$T/good.trjf" cut.trjf rdfhist -e cpu -b 10 -r 4
    cuts "$T/good.trjf" cut.trjf trjcat
}

@test "histogram stream truncated at each block boundary and inside blocks: rejected" {
    make_streams
    [[ $(borders "$T/good.rdfh" | wc -l) -ge 7 ]]
    cuts "$T/good.rdfh" cut.rdfh rdfnorm --counts
}

@test "truncated compressed stream of many blocks: rejected" {
    for seed in 1 2 3; do mkdcd --seed $seed --atoms 300 --frames 3 --cell 30,30,30 >"$T/$seed.dcd"; done
    trjcat -z 3 "$T"/[123].dcd 2>"$T/notes" >"$T/good.trjf"
    [[ $(borders "$T/good.trjf" | wc -l) -ge 9 ]]
    for at in $(borders "$T/good.trjf" | head -n -1); do
        head -c "$at" "$T/good.trjf" >"$T/cut.trjf"
        fails 3 "cut.trjf: *$at*" trjcat "$T/cut.trjf"
        head -c $((at + 60)) "$T/good.trjf" >"$T/cut.trjf"
        fails_cleanly 3 'cut.trjf: *' rdfhist -e cpu -b 10 -r 4 "$T/cut.trjf"
    done
}

# flips FILE NAME STEP TOOL...: a changed bit in every STEPth byte is detected
flips() {
    local file=$1 name=$2 step=$3 size n byte
    shift 3
    size=$(stat -c %s "$file")
    for ((n = 0; n < size; n += step)); do
        byte=$(od -An -t u1 -j "$n" -N 1 "$file")
        cp "$file" "$T/$name"
        poke "$T/$name" "$n" "$(printf %02x $((byte ^ 1 << n % 8)))"
        fails 3 "$name: *" "$@" "$T/$name" || { echo "flipped byte $n"; return 1; }
    done
}

@test "changed byte in a stream: detected by its checksum" {
    make_streams
    flips "$T/good.trjf" bad.trjf 17 trjcat
    flips "$T/good.trjf" bad.trjf 19 rdfhist -e cpu -b 10 -r 4
    flips "$T/good.rdfh" bad.rdfh 13 rdfnorm --counts
}

@test "missing, duplicate or misplaced blocks, and data after the end: rejected" {
    make_streams
    local at size stream tool
    for stream in trjf rdfh; do
        tool=(trjcat)
        [[ $stream == trjf ]] || tool=(rdfnorm --counts)
        mapfile -t at < <(borders "$T/good.$stream")
        size=${at[-1]}
        for ((i = 0; i + 1 < ${#at[@]}; i++)); do
            head -c "${at[i]}" "$T/good.$stream" >"$T/lost"
            tail -c +$((at[i + 1] + 1)) "$T/good.$stream" >>"$T/lost"
            fails 3 'lost: *' "${tool[@]}" "$T/lost"
            head -c "${at[i + 1]}" "$T/good.$stream" >"$T/twice"
            tail -c +$((at[i] + 1)) "$T/good.$stream" >>"$T/twice"
            fails 3 'twice: *' "${tool[@]}" "$T/twice"
        done
        { cat "$T/good.$stream" && echo; } >"$T/trailing"
        fails 3 "trailing: *byte $size*" "${tool[@]}" "$T/trailing" ||
            fails 3 "trailing: *byte $((size + 1))*" "${tool[@]}" "$T/trailing"
    done
    cat "$T/good.trjf" "$T/good.trjf" >"$T/joined"
    fails_cleanly 3 'joined: *' rdfhist -e cpu -b 10 -r 4 "$T/joined"
    fails_cleanly 3 'joined: *' trjcat "$T/joined"
}

@test "input of another type than the tool reads: rejected with the tool that makes it" {
    make_streams
    fails_cleanly 3 'good.trjf: is not a histogram stream; make one from a frame stream with rdfhist' \
        rdfnorm "$T/good.trjf"
    fails_cleanly 3 'good.dcd: is not a histogram stream*' rdfnorm "$T/good.dcd"
    fails_cleanly 3 'good.rdfh: is a histogram stream; read it with rdfnorm or rdfderive' trjcat "$T/good.rdfh"
    rdfnorm "$T/good.rdfh" >"$T/good.tsv"
    fails_cleanly 3 'good.tsv: is a table of results; draw it with rdfplot' trjcat "$T/good.tsv"
    fails_cleanly 3 'good.rdfh: is not a frame stream; make one with trjcat FILE' rdfhist -b 10 -r 4 "$T/good.rdfh"
    fails_cleanly 3 'good.dcd: is not a frame stream; make one with trjcat FILE' rdfhist -b 10 -r 4 "$T/good.dcd"
    fails_cleanly 3 'good.trjf: not a known topology*' trjcat -t "$T/good.trjf" -g 'A=all' "$T/good.dcd"
    fails 3 'good.rdfh: *' rdfplot "$T/good.rdfh"
    from_pipe 3 'stdin: is not a histogram stream*' "$T/good.trjf" rdfnorm
    from_pipe 3 'stdin: is not a frame stream' "$T/good.dcd" rdfhist -b 10 -r 4
}

@test "histograms with different set-ups: not added" {
    make_streams
    local other
    rdfhist -e cpu -b 20 -r 4 -o "$T/bins.rdfh" "$T/good.trjf"
    rdfhist -e cpu -b 10 -r 4.5 -o "$T/rmax.rdfh" "$T/good.trjf"
    rdfhist -e cpu -b 10 --rmin 0.5 -r 4 -o "$T/rmin.rdfh" "$T/good.trjf"
    trjcat -g 'all=index 0 to 18' "$T/good.dcd" | rdfhist -e cpu -b 10 -r 4 -o "$T/atoms.rdfh"
    trjcat -g 'B=all' "$T/good.dcd" | rdfhist -e cpu -b 10 -r 4 -o "$T/name.rdfh"
    trjcat -g 'all=all' -g 'B=index 3 4' "$T/good.dcd" | rdfhist -e cpu -p all:B -b 10 -r 4 -o "$T/pair.rdfh"
    for other in bins rmax rmin atoms name pair; do
        fails_cleanly 3 "$other.rdfh: *cannot be added*" rdfnorm "$T/good.rdfh" "$T/$other.rdfh"
        cat "$T/good.rdfh" "$T/$other.rdfh" >"$T/joined"
        fails_cleanly 3 'joined: *cannot be added*' rdfnorm -c "$T/joined"
    done
}

@test "frames that would count twice: rejected" {
    make_streams
    cp "$T/good.dcd" "$T/copy.dcd" # the same file under another name
    fails_cleanly 3 'frame 0 of *good.dcd is counted twice' rdfnorm -c "$T/good.rdfh" "$T/good.rdfh"
    cat "$T/good.rdfh" "$T/good.rdfh" >"$T/joined"
    fails_cleanly 3 'counted twice' rdfnorm "$T/joined"
    trjcat -f 2 "$T/copy.dcd" | rdfhist -e cpu -b 10 -r 4 -o "$T/copy.rdfh"
    fails_cleanly 3 'frame 2 of *.dcd is counted twice' rdfnorm "$T/good.rdfh" "$T/copy.rdfh"
    trjcat "$T/good.dcd" "$T/copy.dcd" | rdfhist -e cpu -b 10 -r 4 -o "$T/both.rdfh"
    fails_cleanly 3 'counted twice' rdfnorm "$T/both.rdfh"
    trjcat -f 0::2 "$T/good.dcd" | rdfhist -B 0 -e cpu -b 10 -r 4 -o "$T/even.rdfh"
    trjcat -f 1::2 "$T/good.dcd" | rdfhist -B 0 -e cpu -b 10 -r 4 -o "$T/odd.rdfh"
    rdfnorm -c "$T/even.rdfh" "$T/odd.rdfh" | has '^# frames: 3 in 2 records'
}

@test "invalid distances and bins: rejected" {
    make_streams
    local word
    for word in 0 -1 1e300 1e9; do fails_cleanly 2 "rmax*${word%e*}*" rdfhist -r "$word" "$T/good.trjf"; done
    for word in nan inf -inf '' 4x x '4 ' 0x10 1,5; do
        fails_cleanly 2 "--rmax: '$word' is not a number" rdfhist -r "$word" "$T/good.trjf"; done
    for word in 0 1099511627776 1.5 '' -1 18446744073709551617 1e3 '1 '; do
        fails_cleanly 2 "--bins: '$word' is not a whole number*" rdfhist -b "$word" "$T/good.trjf"; done
    fails_cleanly 2 "--bins: '0.1' is not a whole number * it is the number of bins: for bins of width W, give R / W" \
        rdfhist --bin 0.1 "$T/good.trjf"
    fails_cleanly 2 "--bins: '0.1' is not * it is the number of shells: for shells of width W, give Q / W" \
        skhist -q 2 -b 0.1 "$T/good.trjf"
    for word in -1 nan 1e300; do fails_cleanly 2 "rmin*" rdfhist -r 4 --rmin "$word" "$T/good.trjf"; done
    fails_cleanly 2 'rmin*' rdfhist -r 4 --rmin 4 "$T/good.trjf"
    fails_cleanly 2 '*' rdfhist -r 5.000000000000001 --rmin 5 -b 1000 "$T/good.trjf" # edges that are equal in float64
    for word in 0 -5 nan inf; do
        fails_cleanly 2 '--volume*' rdfnorm -v "$word" "$T/good.rdfh"
        fails_cleanly 2 '--density*' rdfnorm -d "$word" "$T/good.rdfh"
    done
}

@test "invalid options: rejected" {
    make_streams
    local tool
    for tool in trjcat rdfhist rdfnorm rdfplot; do
        fails 2 "--bogus: *$tool --help" $tool --bogus
        fails 2 "-Q: *$tool --help" $tool -Q
        fails 2 "-o: missing argument FILE; see $tool --help" $tool -o
        fails 2 "--output: missing argument FILE; see $tool --help" $tool --output
        fails 2 "--outputs: unknown option; did you mean --output?" $tool --outputs=x
    done
    fails 2 'no input file given*' trjcat
    fails_cleanly 2 'too many operands*' rdfhist "$T/good.trjf" "$T/good.trjf"
    fails 2 'too many operands*' trjrun a b
    fails_cleanly 2 "--pair: no group 'A' in the stream, which has all" rdfhist -r 4 -p A:all "$T/good.trjf"
    fails_cleanly 2 "--pair: invalid value 'all': expected A:B" rdfhist -r 4 -p all "$T/good.trjf"
    fails_cleanly 2 "--pair: no group '' *" rdfhist -r 4 -p all: "$T/good.trjf"
    fails_cleanly 2 "--pair: *twice" rdfhist -r 4 -p all:all -p all:all "$T/good.trjf"
    fails_cleanly 2 "--engine: 'gpu' is not one of *reference*" rdfhist -e gpu "$T/good.trjf"
    fails_cleanly 2 \
        "--norm: 'nature' is not one of density, mdanalysis, gromacs, vmd, mdtraj, cpptraj, plane, number, radial, none" \
        rdfnorm -n nature "$T/good.rdfh"
    fails_cleanly 2 "--compress: '20' *0 to 19" trjcat -z 20 "$T/good.dcd"
    fails_cleanly 2 "--periodic: 'xw' *" trjcat -P xw "$T/good.dcd"
    local word
    for word in 5:2 a 0:3:0 1:1 :::: -0 1.5; do
        fails_cleanly 2 "invalid range '$word': *" trjcat -f "$word" "$T/good.dcd"
    done
    for word in 1,2 1,2,3,4 a,b,c 1,2,3,90,90,90,90 '' 1,2,nan; do
        fails_cleanly 2 "--cell*" trjcat -c "$word" "$T/good.dcd"; done
}

@test "--devices with an engine that uses no GPUs: rejected" {
    make_streams
    for engine in cpu reference; do
        fails_cleanly 2 "--devices: engine $engine uses no GPUs; use -e cuda, or leave --devices out" \
            rdfhist -r 4 -e "$engine" --devices 0 "$T/good.trjf"
    done
    fails 2 '*devices*' rdfhist -r 4 --devices
    fails 2 '--devices: GPU 3 is listed twice; remove one' rdfhist -r 4 --devices 3,0,3 "$T/good.trjf"
    # auto may use one of them
    rdfhist -r 4 -b 10 --devices 0 "$T/good.trjf" 2>"$T/err" | counts >"$T/got"
    counts "$T/good.rdfh" >"$T/expected"
    same "$T/expected" "$T/got"
}

@test "missing files, folders, and files without permission: exit status 1" {
    make_streams
    local tool
    for tool in trjcat rdfhist rdfnorm rdfplot; do
        fails 1 "nowhere: No such file or directory" $tool "$T/nowhere"
        fails 1 "$T: *s a directory" $tool "$T"
    done
    fails 1 'nowhere.psf: No such file or directory' trjcat -t "$T/nowhere.psf" -g 'A=all' "$T/good.dcd"
    fails 1 'nowhere/x: No such file or directory' trjcat -o "$T/nowhere/x" "$T/good.dcd"
    fails 1 "$T: Is a directory" rdfhist -r 4 -o "$T" "$T/good.trjf"
    fails 1 'nowhere: No such file or directory' trjcat "$T/good.dcd" "$T/nowhere"
    [[ $(id -u) != 0 ]] || skip 'root may read everything'
    chmod 0 "$T/bad.dcd"
    fails_cleanly 1 'bad.dcd: Permission denied' trjcat "$T/bad.dcd"
    mkdir "$T/closed"
    chmod 555 "$T/closed"
    fails 1 'closed/x: Permission denied' trjcat -o "$T/closed/x" "$T/good.dcd"
}

@test "full disk: exit status 1 and a message" {
    [[ -c /dev/full ]] || skip 'no /dev/full'
    make_streams
    local commands=("trjcat $T/good.dcd" "rdfhist -e cpu -r 4 -b 10 $T/good.trjf" "rdfnorm $T/good.rdfh" \
        "rdfnorm -c $T/good.rdfh" 'trjcat --help' 'rdfhist --version' 'rdfnorm --options')
    local command got
    for command in "${commands[@]}"; do
        got=0
        $command >/dev/full 2>"$T/err" || got=$?
        [[ $got == 1 && $(<"$T/err") == "${command%% *}: "*'No space left on device' ]] ||
            { echo "$command: status $got: $(<"$T/err")"; return 1; }
    done
    for command in "${commands[@]:0:4}"; do
        # shellcheck disable=SC2086
        fails 1 '/dev/full: No space left on device' $command -o /dev/full
    done
    # These files are larger than any buffer, so that an earlier write than the last one fails.
    mkdcd --atoms 5000 --frames 20 >"$T/large.dcd"
    fails 1 'No space left on device' trjcat -o /dev/full "$T/large.dcd"
}

@test "output pipe closed by the reader: exit status 1, no message" {
    mkdcd --atoms 5000 --frames 50 >"$T/large.dcd"
    trjcat "$T/large.dcd" >"$T/large.trjf"
    rdfhist -e cpu -r 4 -b 100000 "$T/large.trjf" >"$T/large.rdfh"
    local command got
    for command in "trjcat $T/large.dcd" "rdfnorm $T/large.rdfh" "rdfnorm -c $T/large.rdfh" \
        "rdfhist -e cpu -B 1 -r 4 -b 100000 $T/large.trjf"; do
        got=$({ { $command 2>"$T/err" || echo $? >&3; } | head -c 10 >"$T/out"; } 3>&1)
        [[ $got == 1 && ! -s $T/err ]] || { echo "$command: status '$got': $(<"$T/err")"; return 1; }
        [[ $(stat -c %s "$T/out") == 10 ]]
    done
}

@test "failed stage: the later stages fail without a message" {
    make_streams
    head -c 1000 "$T/good.dcd" >"$T/bad.dcd"
    local status
    trjcat "$T/bad.dcd" 2>"$T/err1" | rdfhist -e cpu -r 4 2>"$T/err2" | rdfnorm >"$T/out" 2>"$T/err3" && return 1
    status="${PIPESTATUS[*]}"
    [[ ! -s $T/out ]]
    [[ $(<"$T/err1") == *'frame 2'* && ! -s $T/err2 && ! -s $T/err3 ]] || { cat "$T"/err?; return 1; }
}

@test "standard input is a terminal: rejected at once, with exit status 2" {
    needs_terminal
    mkfifo "$T/keyboard"
    exec 9<>"$T/keyboard" # never ends, so that a tool that reads the terminal is stopped by the time limit
    local command
    for command in "trjstat volume" "rdfhist -o $T/x.rdfh" rdfnorm rdfplot "trjinfo -" "mapinfo -"; do
        timeout 20 script -qec "$command; echo status \$?" /dev/null <&9 >"$T/screen"
        grep -q 'stdin: is a terminal; give a file' "$T/screen"
        grep -q '^status 2' "$T/screen"
    done
}

@test "binary output to a terminal: rejected" {
    needs_terminal
    make_streams
    local command
    for command in "trjcat $T/good.dcd" "rdfhist -e cpu -r 4 $T/good.trjf"; do
        script -qec "$command; echo status \$?" /dev/null </dev/null >"$T/screen"
        grep -q 'cannot write binary data to a terminal' "$T/screen"
        grep -q '^status 2' "$T/screen"
        (($(stat -c %s "$T/screen") < 300))
    done
    script -qec "rdfnorm $T/good.rdfh" /dev/null </dev/null >"$T/screen"
    grep -q 'provenance' "$T/screen"
}

@test "-o FILE: an existing file remains unchanged until the new one is complete" {
    make_streams
    mkdir "$T/d"
    echo old >"$T/d/file"
    head -c 1000 "$T/good.dcd" >"$T/bad.dcd"
    fails 3 'frame 2' trjcat -o "$T/d/file" "$T/bad.dcd"
    [[ $(<"$T/d/file") == old && $(ls -A "$T/d") == file ]]
    trjcat -o "$T/d/file" "$T/good.dcd"
    rows <(trjcat "$T/d/file" | rdfhist -e cpu -b 10 -r 4 | rdfnorm -c) >"$T/a"
    rows <(rdfnorm -c "$T/good.rdfh") >"$T/b"
    same "$T/a" "$T/b"
    [[ $(ls -A "$T/d") == file && $(stat -c %a "$T/d/file") == $(printf %o $((0666 & ~$(umask)))) ]]
}

@test "control characters in names from files: replaced in messages, escaped in tables" {
    local e=$'\e[31m'
    clean() { # clean FILE: contains no control characters other than newlines and tabulators
        ! tr -d '\n\t' <"$1" | has '[[:cntrl:]]'
    }
    quiet() { # quiet COMMAND...: fails with one line
        ! "$@" >"$T/out" 2>"$T/err" && [[ $(wc -l <"$T/err") == 1 ]] && clean "$T/err"
    }
    printf '[ %sA ]\n1 9\n' "$e" >"$T/a.ndx"
    printf '1\n%s\nO%s 0 0 x%s\n' "$e" "$e" "$e" >"$T/a.xyz"
    printf '1\n\nO\303\205%s 0 0 0\n' "$e" >"$T/b.xyz"
    quiet trjcat "$T/a.xyz"
    quiet trjcat -g "@$T/a.ndx:*" "$T/b.xyz"
    quiet trjcat -g "a=name $e" "$T/b.xyz"
    quiet trjcat "$T/no${e}
such.xyz"
    quiet trjinfo "$T/a.xyz"
    clean "$T/out"
    trjinfo "$T/b.xyz" >"$T/out"
    clean "$T/out"
    quiet trjcat $'\303\205\n.xyz'
    grep -q $'\303\205?.xyz' "$T/err" # UTF-8 is kept
}
