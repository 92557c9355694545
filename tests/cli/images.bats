#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Periodic images: the limit of their number, and notes that report them.
load helper

# xyz ATOMS WIDTH...: a frame of each width, a cube, of atoms within 30 Å
xyz() {
    awk -v atoms="$1" -v widths="${*:2}" "$AWK_RANDOM"'BEGIN { seed = 1; frames = split(widths, w, " ")
        for (f = 1; f <= frames; f++) { print atoms
        printf "Lattice=\"%s 0 0 0 %s 0 0 0 %s\" Properties=species:S:1:pos:R:3\n", w[f], w[f], w[f]
        for (i = 0; i < atoms; i++) printf "O %.3f %.3f %.3f\n", 30 * random(), 30 * random(), 30 * random() } }'
}

@test "a cell of 0.001 Å: every engine rejects the first and any later frame with the number of images" {
    local engine
    xyz 3000 0.001 >"$T/first.xyz"
    xyz 3000 40 40 0.001 >"$T/later.xyz"
    trjcat "$T/first.xyz" >"$T/first"
    trjcat "$T/later.xyz" >"$T/later"
    for engine in reference cpu auto; do
        # (2 * 10 / 0.001 + 1)^3 images of each of 3000 atoms
        fails_cleanly 3 \
            'first: frame 0: rmax 10 Å reaches 8e+12 images of each atom, 2.4e+16 atoms in all*0.001 Å wide*smaller -r*cell or its unit*' \
            rdfhist -e "$engine" -r 10 "$T/first"
        fails_cleanly 3 'later: frame 2: rmax 10 Å reaches 8e+12 images*' rdfhist -e "$engine" -r 10 "$T/later"
        fails_cleanly 3 'first: frame 0: rmax 10 Å reaches 8e+12 images*' rdfhist -e "$engine" -r 10 --lag 1 "$T/first"
    done
    # 21^3 images of each of 30000 atoms are too many, those of two atoms are not: groups without a pair have no effect.
    mkdcd --atoms 30000 --cell 1,1,1 | trjcat -g all=all -g 'two=index 0 1' - >"$T/trjf"
    fails_cleanly 3 'rmax 10 Å reaches 9.26e+03 images of each atom, 2.78e+08 atoms in all' \
        rdfhist -e cpu -r 10 -p two:all "$T/trjf"
    rdfhist -e cpu -r 10 -b 10 -p two:two "$T/trjf" | rdfnorm -c | rows |
        awk '{ n += $3 } END { exit n < 4000 || n > 4400 }'
}

@test "distances in selections and centres, a cell of 0.001 Å: finished, and all atoms are within the distance" {
    xyz 300 0.001 >"$T/x.xyz"
    # In a lattice of points 0.001 Å apart there is always one within 1 Å.
    trjcat -g 'A=within 1 of index 0' "$T/x.xyz" | rdfhist -r 0.0004 | rdfnorm -c |
        has '^# group A: on average 300 of 300 atoms'
    trjcat -g 'A=com(index 0 to 9) per group' "$T/x.xyz" | trjinfo - | has '^centres.1$'
}

# notes OPTION... < frame stream: what rdfhist reports
notes() {
    { rdfhist -e cpu "$@" >"$T/rdfh"; } 2>&1
}

@test "-r beyond half the cell: a note gives the limit, of a slab and a skew cell too" {
    mkdcd --atoms 50 --frames 3 --cell 20,22,24 | trjcat - >"$T/trjf"
    [[ -z $(notes -r 10 <"$T/trjf") && -z $(notes <"$T/trjf") ]]
    [[ $(notes -r 10.01 <"$T/trjf") \
        == 'rdfhist: note: -r 10.01 Å is beyond half the width of the cell, 10 Å: from there on several periodic images of an atom are counted; to count nearest images alone, give -r 10' ]]
    # With --lag there is one note, too.
    [[ $(notes -r 11 --lag 1 <"$T/trjf" | grep -c 'beyond half the width of the cell, 10 Å') == 1 ]]
    # Non-periodic directions have no images.
    [[ $(trjcat -P yz "$T/trjf" | notes -r 11.5) == *'half the width of the cell, 11 Å'* ]]
    [[ -z $(trjcat -P none "$T/trjf" | notes -r 15) && -z $(trjcat -P z "$T/trjf" | notes -r 12) ]]
    # The width of a rhombus of 60 degrees is 20 sin 60 = 17.3205.
    [[ $(trjcat --cell 20,20,20,90,90,60 "$T/trjf" | notes -r 9) \
        == *'half the width of the cell, 8.66025 Å'*'give -r 8.66025' ]]
    [[ -z $(trjcat --cell 20,20,20,90,90,60 "$T/trjf" | notes -r 8.66025) ]]
    # The value that a note gives is accepted without a note, in cells of any size.
    local cell
    for cell in 246.91357 2.4691357 0.0024691357 24691.357; do
        trjcat --cell $cell,$cell,$cell "$T/trjf" >"$T/cell.trjf"
        notes -r "$(awk -v c=$cell 'BEGIN { print 0.6 * c }')" -b 10 <"$T/cell.trjf" >"$T/notes"
        notes -r "$(sed -n 's/.*nearest images alone, give -r //p' "$T/notes")" -b 10 <"$T/cell.trjf" >"$T/again"
        ! has 'half the width of the cell' "$T/again" || false
    done
}

@test "-r beyond half the cell of later frames: a note at the end gives their number and the limit" {
    xyz 20 20 20 19 18 22 >"$T/x.xyz"
    trjcat "$T/x.xyz" >"$T/trjf"
    [[ -z $(notes -r 9 <"$T/trjf") && -z $(notes <"$T/trjf") ]]
    [[ $(notes -r 9.2 <"$T/trjf") \
        == 'rdfhist: note: in 1 of 5 frames the cell is narrower than twice -r, so that periodic images are counted: the smallest half width is 9 Å; to count nearest images alone in all frames, give -r 9' ]]
    [[ $(notes -r 10 <"$T/trjf") == 'rdfhist: note: in 2 of 5 frames the cell is narrower than twice -r'*'give -r 9' ]]
    notes -r 12 <"$T/trjf" >"$T/notes"
    [[ $(wc -l <"$T/notes") == 2 ]]
    grep -q 'is beyond half the width of the cell, 10 Å' "$T/notes"
    grep -q 'in 2 of 5 frames the cell is narrower than in the first: the smallest half width is 9 Å' "$T/notes"
}
