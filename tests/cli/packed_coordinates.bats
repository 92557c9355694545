#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Packed coordinates of XTC files in frame streams (FRMX): when a stream contains them, what is read, and damage.
load helper

IONS=examples/ions

# Makes run.xtc; the stream run.trjf with its packed coordinates; and decoded.trjf, with the same coordinates as floats.
make_run() {
    trjcat --to xtc $IONS/ions.dcd >"$T/run.xtc"
    trjcat "$T/run.xtc" >"$T/run.trjf"
    trjcat -z 1 "$T/run.xtc" >"$T/decoded.trjf"
}

# types FILE: prints the types of the blocks that contain frames, each once
types() {
    grep -aoE 'FRAM|FRMX' "$1" | sort -u | xargs
}

@test "XTC: coordinates stay packed, in a third of the space, and are decoded to the same floats" {
    make_run
    [[ $(types "$T/run.trjf") == FRMX ]]
    (($(stat -c %s "$T/run.trjf") < $(stat -c %s $IONS/ions.dcd) / 2))
    bare_frames <"$T/run.xtc" >"$T/expected"
    bare_frames <"$T/run.trjf" | same - "$T/expected"
    trjcat "$T/run.xtc" | trjcat - | bare_frames | same - "$T/expected"
    trjcat "$T/run.xtc" -o "$T/file.trjf"
    [[ $(types "$T/file.trjf") == FRMX ]]
    bare_frames <"$T/file.trjf" | same - "$T/expected"
}

@test "-z 0: packed coordinates of XTC files and of frame streams are written as floats, without compression" {
    make_run
    trjcat -z 1 "$T/run.xtc" | bare_frames >"$T/expected"
    local file
    for file in run.xtc run.trjf; do
        trjcat -z 0 "$T/$file" >"$T/floats.trjf"
        [[ $(types "$T/floats.trjf") == FRAM ]]
        (($(stat -c %s "$T/floats.trjf") > 64 * 12 * 616))
        bare_frames <"$T/floats.trjf" | same - "$T/expected"
    done
}

@test "counts: equal from packed and from float coordinates, with any number of threads" {
    make_run
    rdfhist -e cpu -r 6 -b 20 "$T/decoded.trjf" | counts >"$T/expected"
    local threads
    for threads in 1 2 5; do rdfhist -e cpu -r 6 -b 20 -j $threads "$T/run.trjf" | counts | same - "$T/expected"; done
    rdfhist -e reference -r 6 -b 20 "$T/run.trjf" | counts | same - "$T/expected"
}

@test "static group: the stream contains all packed coordinates if they are smaller than the floats of the group" {
    make_run
    local top=$IONS/ions.pdb
    trjcat -t $top -g 'water=not name NA' "$T/run.xtc" >"$T/many.trjf"
    trjcat -t $top -g 'NA=name NA' "$T/run.xtc" >"$T/few.trjf"
    [[ $(types "$T/many.trjf") == FRMX && $(types "$T/few.trjf") == FRAM ]]
    local group
    for group in 'water=not name NA' 'NA=name NA'; do
        trjcat -z 1 -t $top -g "$group" "$T/run.xtc" | bare_frames >"$T/expected"
        trjcat -t $top -g "$group" "$T/run.xtc" | bare_frames | same - "$T/expected"
        trjcat "$T/run.xtc" | trjcat -t $top -g "$group" - | bare_frames | same - "$T/expected"
    done
}

@test "dynamic groups and centres: coordinates are decoded by trjcat" {
    make_run
    local top=$IONS/ions.pdb group
    for group in 'near=name OW and within 4 of name NA' 'com=com(name OW)'; do
        trjcat -t $top -g "$group" "$T/run.xtc" >"$T/trjf"
        [[ $(types "$T/trjf") == FRAM ]]
        bare_frames <"$T/trjf" >"$T/frames"
        trjcat -t $top -g "$group" "$T/run.trjf" | bare_frames | same - "$T/frames"
    done
}

@test "XTC and DCD in one stream: frames of both in order" {
    make_run
    trjcat "$T/run.xtc" $IONS/ions.dcd >"$T/both.trjf"
    [[ $(types "$T/both.trjf") == 'FRAM FRMX' ]]
    trjcat -z 1 "$T/run.xtc" $IONS/ions.dcd | bare_frames >"$T/expected"
    bare_frames <"$T/both.trjf" | same - "$T/expected"
    trjcat -f 62:69:3 "$T/both.trjf" | bare_frames >"$T/some"
    trjcat -z 1 -f 62:69:3 "$T/run.xtc" $IONS/ions.dcd | bare_frames | same - "$T/some"
}

@test "damaged payload: the program that reads a pipe reports file, frame and byte; trjcat, if it writes a file" {
    make_run
    # Damage the last 40 bytes of the coordinates of the last frame, except those of padding.
    local size
    size=$(stat -c %s "$T/run.xtc")
    cp "$T/run.xtc" "$T/bad.xtc"
    head -c 36 /dev/zero | tr '\0' '\377' | dd of="$T/bad.xtc" bs=1 seek=$((size - 40)) conv=notrunc status=none
    run -3 --separate-stderr trjcat "$T/bad.xtc" -o "$T/never.trjf"
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == "trjcat: $T/bad.xtc: frame "*byte* && ! -e $T/never.trjf ]]
    trjcat "$T/bad.xtc" | cat >"$T/bad.trjf"
    # shellcheck disable=SC2016 # for the other shell
    run -3 --separate-stderr sh -c 'rdfhist -e cpu -r 6 "$1" >/dev/null' sh "$T/bad.trjf"
    [[ $stderr == *"of $T/bad.xtc: atom "*"byte "*"create that file again" ]]
}

