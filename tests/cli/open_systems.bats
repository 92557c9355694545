#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjcat --open: frames whose number of atoms changes, compared with numpy, and with the same frames read one by one.
load helper

open_system() {
    run_python tests/helpers/open_system.py "$@"
}

# gas KIND [FRAMES ATOMS]: writes a grand canonical trajectory to $T/KIND.xyz, .dump and, if possible, .gsd
gas() {
    need_python_module numpy
    open_system make "$1" "${2:-25}" "${3:-30}" 11 "$T/$1"
}

# in_groups FORMAT OPTION... FILE: the stream with the groups A (Ar), B (Kr) and all
in_groups() {
    local a='name Ar' b='name Kr'
    [[ $1 != dump ]] || a='type 1' b='type 2'
    shift
    trjcat -g "A=$a" -g "B=$b" -g all=all "$@" 2>"$T/notes" || { cat "$T/notes" >&2; return 1; }
}

AB=(-r 7 -b 20 -p A:A -p A:B -p 'all:all' -p A:all)

# expect KIND PERIODIC: writes the counts by numpy to $T/expected
expect() {
    open_system count "$T/$1.xyz" 7 20 "$2" Ar:Ar Ar:Kr '*:*' 'Ar:*' >"$T/expected"
}

@test "every cell, format, engine: the integers of a float64 brute force, from 0 atoms in a frame upwards" {
    local kind directions periodic format isa
    for kind in cubic triclinic breathing slab free; do
        gas $kind
        case $kind in
        slab) directions=xy periodic=(-P xy) ;;
        free) directions=none periodic=(-P none) ;;
        *) directions=xyz periodic=(-P xyz) ;;
        esac
        expect $kind $directions
        (($(awk '{ n += $1 + $2 } END { print n }' "$T/expected") > 50))
        for format in xyz dump gsd; do
            [[ -f $T/$kind.$format ]] || continue
            in_groups $format --open auto "${periodic[@]}" "$T/$kind.$format" >"$T/trjf"
            for isa in reference plain avx2 avx512; do
                if [[ $isa == reference ]]; then
                    rdfhist -e reference "${AB[@]}" "$T/trjf" >"$T/rdfh" 2>"$T/err"
                else
                    TRJPIPE_ISA=$isa rdfhist -e cpu -j 2 -B 3 "${AB[@]}" "$T/trjf" >"$T/rdfh" 2>"$T/err" ||
                        { grep -q TRJPIPE_ISA= "$T/err" && continue; }
                fi
                counts "$T/rdfh" | same "$T/expected" - || { echo "$kind, $format, $isa"; return 1; }
            done
        done
    done
}

@test "GSD: types and numbers of particles of each frame; data that a frame lacks are those of frame 0 or defaults" {
    need_python_module numpy gsd
    gas cubic
    expect cubic xyz
    in_groups gsd --open 30 "$T/cubic.gsd" | counted "${AB[@]}" | same "$T/expected" -
    # Frame 1 has the types of frame 0, frame 2 has other numbers of particles and therefore type 0.
    run_python - "$T/defaults.gsd" <<'END'
import sys, numpy, gsd.fl
with gsd.fl.open(sys.argv[1], 'wb', application='test', schema='hoomd', schema_version=[1, 4]) as f:
    for frame, n in enumerate([3, 3, 2]):
        f.write_chunk('configuration/step', numpy.array([frame], numpy.uint64))
        f.write_chunk('configuration/box', numpy.array([9, 9, 9, 0, 0, 0], numpy.float32))
        f.write_chunk('particles/N', numpy.array([n], numpy.uint32))
        f.write_chunk('particles/position', numpy.arange(3 * n, dtype=numpy.float32).reshape(n, 3))
        if frame == 0:
            f.write_chunk('particles/typeid', numpy.array([0, 1, 1], numpy.uint32))
            f.write_chunk('particles/types', numpy.array([[65, 0], [66, 0]], numpy.int8))
        f.end_frame()
END
    trjcat --open auto -g 'A=type A' -g 'B=type B' "$T/defaults.gsd" --to xyz 2>"$T/err" | grep '^[AB]' | cut -c 1 |
        tr -d '\n' >"$T/types"
    [[ $(<"$T/types") == ABBABBAA ]]
}

# models: writes $T/cubic.xyz with three decimals as $T/models.xyz and $T/models.pdb
models() {
    gas cubic
    awk -v xyz="$T/models.xyz" -v pdb="$T/models.pdb" '
        !left { left = $1 + 2; model++; print >xyz
                printf "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\nMODEL     %4d\n", 9.5, 11.25, 10.125,
                       90, 90, 90, model >pdb }
        $1 ~ /^Lattice/ { print >xyz }
        NF == 4 { printf "%s %.3f %.3f %.3f\n", $1, $2, $3, $4 >xyz
                  printf "HETATM%5d %-4s RES A%4d    %8.3f%8.3f%8.3f\n", ++i, $1, model, $2, $3, $4 >pdb }
        !--left { print "ENDMDL" >pdb }
        END { print "END" >pdb }' "$T/cubic.xyz"
}

@test "PDB: models with other numbers of atoms and other names, also without MODEL, equal the XYZ file" {
    models
    in_groups xyz --open auto "$T/models.xyz" | bare_frames >"$T/all"
    (($(grep -c '^frame' "$T/all") == 25))
    in_groups pdb --open auto "$T/models.pdb" | bare_frames | same "$T/all" -
    # Models that END, the cell or the next MODEL separates; frame 0 without atoms requires MODEL.
    grep -v ENDMDL "$T/models.pdb" | in_groups pdb --open 30 - | bare_frames | same "$T/all" -
    in_groups xyz --open auto -f 1:5 "$T/models.xyz" | bare_frames | sed 's/^frame [0-9]* //' >"$T/some"
    sed -n '4,$p' "$T/models.pdb" | sed '/^MODEL/d; s/ENDMDL/END/' >"$T/ends.pdb"
    in_groups pdb --open auto -f :4 "$T/ends.pdb" | bare_frames | sed 's/^frame [0-9]* //' | same "$T/some" -
    (($(wc -l <"$T/some") > 50))
    # The reader looks at the first line after model 0 for a cell, which belongs to the names of model 1.
    printf '%s\n' 'ATOM      1  Ar  RES A   1       1.000   1.000   1.000' END \
        'ATOM      1  Kr  RES A   1       2.000   2.000   2.000' \
        'ATOM      2  Ar  RES A   1       3.000   3.000   3.000' END >"$T/bare.pdb"
    trjcat --open auto "$T/bare.pdb" --to xyz | grep '^[AK]' | same - <(printf '%s\n' 'Ar 1 1 1' 'Kr 2 2 2' 'Ar 3 3 3')
    printf '%s\n' 'ATOM 1 Ar RES 1 1 1 1 0.5 1.9' END 'ATOM 1 Kr RES 1 2 2 2 0.5 1.9' 'ATOM 2 Ar RES 1 3 3 3 0 1.9' \
        END >"$T/bare.pqr"
    trjcat --open auto -g 'Kr=name Kr' "$T/bare.pqr" --to xyz 2>"$T/err" | grep '^K' | same - <(echo 'Kr 2 2 2')
    fails_cleanly 3 'frame 1: line 5: 2 atoms, but earlier frames have 1; if the number of atoms changes' \
        trjcat "$T/bare.pdb"
    fails_cleanly 3 'a MODEL without atoms; if the number of atoms changes' trjcat "$T/models.pdb"
    fails_cleanly 3 'frame 1: line 5: 2 atoms, but at most 1 are expected' trjcat --open 1 "$T/bare.pdb"
    head -n 4 "$T/bare.pdb" >"$T/short.pdb"
    fails_cleanly 3 'the file ends in a model, after 2 atoms: it may be truncated; if it is complete, add a line' \
        trjcat --open auto "$T/short.pdb"
    sed 's/-[0-9]*\.[0-9]*\( *\)$/-x\1/' "$T/models.pdb" >"$T/bad.pdb"
    fails_cleanly 3 'is not a coordinate' trjcat --open auto "$T/bad.pdb"
}

@test "trjinfo --open: smallest and largest number of atoms; names of a single frame are not described" {
    models
    local file
    for file in cubic.xyz cubic.dump models.pdb; do
        trjinfo --open "$T/$file" >"$T/out"
        grep -E '^(holds|open_system|atoms|frames|check)' "$T/out" | same - <(printf '%s\t%s\n' holds trajectory \
            open_system yes atoms_min 0 atoms_max 30 frames 25 check ok)
    done
    trjinfo --json --open "$T/cubic.xyz" | has '"atoms_max": 30'
    head -c 3000 "$T/cubic.xyz" >"$T/cut.xyz"
    fails 3 'cut.xyz: frame' trjinfo --open "$T/cut.xyz"
    fails 2 '--open, --topology: the number of atoms in a topology' trjinfo --open -t "$T/cubic.xyz" "$T/cubic.xyz"
    fails 2 'is a file of the format dcd, in which the number of atoms cannot change' trjinfo --open "$DCD_FILE"
    fails 1 'none.xyz: No such file or directory' trjcat --open auto "$T/none.xyz"
}

@test "ideal gas whose number of atoms fluctuates: g(r) is that of the definition, and 1 within its error" {
    gas breathing 400 60
    open_system curve "$T/breathing.xyz" 7 20 xyz '*:*' Ar:Kr >"$T/expected"
    in_groups xyz --open auto "$T/breathing.xyz" >"$T/trjf"
    rdfhist -r 7 -b 20 -B 1 -p all:all -p A:B "$T/trjf" >"$T/rdfh" 2>"$T/err"
    rdfnorm "$T/rdfh" | rows | awk '{ print $2, $3, $5, $6 }' | paste -d ' ' - "$T/expected" >"$T/both"
    # A standard error of 0 means a bin without counts in most records.
    awk 'function off(a, b) { return a > b + 1e-9 * b || a < b - 1e-9 * b }
        { if (off($1, $5) || off($3, $6)) wrong++
          for (k = 1; k <= 3; k += 2) if ($(k + 1) > 0) { z = ($k - 1) / $(k + 1); s += z * z; n++ } }
        END { print NR, wrong + 0, s / n
          exit !(NR == 20 && !wrong && n > 30 && s / n > 0.5 && s / n < 1.8) }' "$T/both"
    # Numbers of neighbours that ignore the fluctuation of N would be too large: <N (N - 1)> differs from <N>^2.
    rdfnorm -n gromacs "$T/rdfh" | rows | awk '{ s += $2 } END { exit !(s / NR > 0.8 && s / NR < 1.05) }'
}

@test "atoms that change their type or place while their number stays: accepted with --open alone" {
    printf '%s\n' 2 '' 'Ar 1 1 1' 'Kr 2 2 2' 2 '' 'Kr 1 1 1' 'Ar 2 2 2' >"$T/swap.xyz"
    fails_cleanly 3 'the name is Kr, and Ar in the first frame' trjcat -g 'A=name Ar' "$T/swap.xyz"
    trjcat --open auto -g 'A=name Ar' "$T/swap.xyz" --to xyz | grep '^Ar' >"$T/out"
    printf '%s\n' 'Ar 1 1 1' 'Ar 2 2 2' | same - "$T/out"
    # LAMMPS: other ids in each frame, and an order by id
    local head='ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp pp\n0 9\n0 9\n0 9\n'
    # shellcheck disable=SC2059 # a format
    printf "${head}ITEM: ATOMS id type x y z\\n%s\\n%s\\n" \
        0 '7 1 1 1 1' '3 2 2 2 2' 1 '9 2 3 3 3' '8 1 4 4 4' >"$T/ids.dump"
    fails_cleanly 3 'no atom of frame 0 has the id 9' trjcat "$T/ids.dump"
    trjcat --open auto -g 'first=index 0' "$T/ids.dump" --to xyz 2>"$T/err" | grep -v = | same - <(printf '%s\n' \
        1 '2 2 2 2' 1 '1 4 4 4')
}

@test "pipes, compressed files, standard input, ranges and segments: the same frames" {
    gas triclinic
    local file=$T/triclinic.xyz way
    in_groups xyz --open auto "$file" | bare_frames >"$T/all"
    (($(grep -c '^frame' "$T/all") == 25))
    gzip -k "$file"
    # shellcheck disable=SC2002 # a pipe is tested
    {
        in_groups xyz --open auto - <"$file" | bare_frames | same "$T/all" -
        cat "$file" | in_groups xyz --open 30 - | bare_frames | same "$T/all" -
        cat "$file" | fails_with_input 2 'is not a file, so that it cannot be read in advance' trjcat --open auto -
    }
    if trjcat "$file.gz" 2>&1 >/dev/null | has -v 'make ZLIB='; then
        in_groups xyz --open auto "$file.gz" | bare_frames | same "$T/all" -
    fi
    for way in 1 2 3; do in_groups xyz --open 30 --segment $way/3 "$file" >"$T/$way.trjf"; done
    trjcat "$T/1.trjf" "$T/2.trjf" "$T/3.trjf" | bare_frames | same "$T/all" -
    in_groups xyz --open auto -f -5: "$file" >"$T/last.trjf"
    in_groups xyz --open auto -f 20: "$file" | bare_frames | same - <(bare_frames <"$T/last.trjf")
    in_groups xyz --open auto -z 3 "$file" | bare_frames | same "$T/all" -
    trjcat -z 3 "$T/last.trjf" | trjcat -z 0 - | bare_frames | same - <(bare_frames <"$T/last.trjf")
}

# fails_with_input STATUS PATTERN COMMAND...: as `fails`, with standard input
fails_with_input() {
    local got=0
    "${@:3}" >"$T/out" 2>"$T/err" || got=$?
    [[ $got == "$1" && $(tail -n 1 "$T/err") == *"$2"* ]] || { cat "$T/err"; return 1; }
}

@test "merging: inputs of three formats, frame streams and histogram streams with other largest numbers give one sum" {
    gas cubic
    open_system make cubic 12 44 5 "$T/more"
    expect cubic xyz
    open_system count "$T/more.xyz" 7 20 xyz Ar:Ar Ar:Kr '*:*' 'Ar:*' | paste - "$T/expected" |
        awk -v OFS='\t' '{ print $1 + $5, $2 + $6, $3 + $7, $4 + $8 }' >"$T/sum"
    in_groups xyz --open auto "$T/cubic.xyz" "$T/more.xyz" | counted "${AB[@]}" | same "$T/sum" -
    in_groups xyz --open auto "$T/cubic.xyz" >"$T/a.trjf"
    in_groups dump --open auto "$T/more.dump" >"$T/b.trjf"
    trjcat --open auto "$T/a.trjf" "$T/b.trjf" | counted "${AB[@]}" | same "$T/sum" -
    trjcat "$T/b.trjf" "$T/a.trjf" | counted "${AB[@]}" | same "$T/sum" -
    fails_cleanly 3 'b.trjf: 41 atoms, but at most 30 are expected; give a larger number with --open' \
        trjcat "$T/a.trjf" "$T/b.trjf"
    rdfhist "${AB[@]}" "$T/a.trjf" >"$T/a.rdfh" 2>"$T/err"
    rdfhist "${AB[@]}" "$T/b.trjf" >"$T/b.rdfh" 2>"$T/err"
    counts "$T/a.rdfh" "$T/b.rdfh" | same "$T/sum" -
    cat "$T/b.rdfh" "$T/a.rdfh" | rdfnorm --counts - | rows | cut -f 3- | same "$T/sum" -
    rdfnorm "$T/a.rdfh" "$T/b.rdfh" | has '^# group all: on average .* of 41 atoms'
    # A closed system with the same groups, as a frame stream
    printf '%s\n' 3 'Lattice="9 0 0 0 9 0 0 0 9"' 'Ar 1 1 1' 'Kr 2 2 2' 'Ar 4 4 4' >"$T/closed.xyz"
    in_groups xyz "$T/closed.xyz" >"$T/c.trjf"
    trjcat --open auto "$T/c.trjf" "$T/a.trjf" | counted "${AB[@]}" >"$T/together"
    paste <(counted "${AB[@]}" <"$T/c.trjf") "$T/expected" |
        awk -v OFS='\t' '{ print $1 + $5, $2 + $6, $3 + $7, $4 + $8 }' | same - "$T/together"
    fails_cleanly 3 'a.trjf: the number of atoms changes, but only in this or in the first input' \
        trjcat "$T/c.trjf" "$T/a.trjf"
    fails_cleanly 3 'closed.xyz: is not a frame stream, but follows one in which the number of atoms changes' \
        trjcat "$T/a.trjf" "$T/closed.xyz"
    trjcat -g A=all "$T/closed.xyz" >"$T/d.trjf"
    fails_cleanly 3 'd.trjf: its groups have other names' trjcat --open auto "$T/a.trjf" "$T/d.trjf"
}

@test "extended XYZ: each frame is written with its number of atoms, and reads as the same stream" {
    gas breathing
    trjcat --open auto "$T/breathing.xyz" -o "$T/copy.xyz"
    in_groups xyz --open auto "$T/breathing.xyz" | bare_frames >"$T/expected"
    in_groups xyz --open auto "$T/copy.xyz" | bare_frames | same "$T/expected" -
    [[ $(awk 'NF == 1 && n-- <= 0 { n = $1 + 1; printf "%s ", $1 }' "$T/copy.xyz") == \
        $(awk 'NF == 1 && n-- <= 0 { n = $1 + 1; printf "%s ", $1 }' "$T/breathing.xyz") ]]
    [[ $(sed -n '1p' "$T/copy.xyz") == 0 ]]
    # Of a frame stream, species are the names of groups.
    in_groups dump --open auto "$T/breathing.dump" | trjcat - --to xyz | grep -o '^[A-Za-z]* ' | sort | uniq -c |
        awk '{ print $1 }' >"$T/of_groups"
    grep -oE '^(Ar|Kr)' "$T/copy.xyz" | sort | uniq -c | awk '{ print $1 }' | same - "$T/of_groups"
}

@test "selections: coordinates, neighbours, earlier groups and names that no frame has" {
    printf '%s\n' 3 'Lattice="9 0 0 0 9 0 0 0 9"' 'Ar 1 1 1' 'Kr 2 1 1' 'Kr 6 6 6' 1 'Lattice="9 0 0 0 9 0 0 0 9"' \
        'Kr 8.5 1 1' 2 'Lattice="9 0 0 0 9 0 0 0 9"' 'Kr 8.5 1 1' 'Ar 0.5 1 1' >"$T/near.xyz"
    trjcat --open auto -g 'A=name Ar' -g 'near=within 2.5 of A' -g 'K=near and not A' -g 'high=z > 5' \
        -g 'none=name Xe' "$T/near.xyz" >"$T/trjf" 2>"$T/err"
    grep -q 'note: group none has no member in any of the 3 frames' "$T/err"
    trjinfo --check "$T/trjf" | has '^open_system.*yes'
    trjinfo --check "$T/trjf" | grep '^groups' | cut -f 2 | same - <(printf '%s\n' \
        'A, atoms 3, dynamic yes, atoms_min 0, atoms_max 1' 'near, atoms 3, dynamic yes, atoms_min 0, atoms_max 2' \
        'K, atoms 3, dynamic yes, atoms_min 0, atoms_max 1' 'high, atoms 3, dynamic yes, atoms_min 0, atoms_max 1' \
        'none, atoms 3, dynamic yes, atoms_min 0, atoms_max 0')
    trjinfo "$DCD_FILE" | has -v open_system
}
DCD_FILE=examples/water/water.dcd

@test "options and formats that require the same atoms in all frames: rejected with the reason" {
    gas cubic
    local f=$T/cubic.xyz
    local remedy='; if the number of atoms changes in the simulation, read the file with trjcat --open auto'
    fails_cleanly 3 "frame 0: line 1: no atoms$remedy" trjcat "$f"
    tail -n +3 "$f" >"$T/later.xyz"
    fails_cleanly 3 "frame 1: line 4: 2 atoms, but earlier frames have 1$remedy" trjcat "$T/later.xyz"
    fails_cleanly 3 '30 atoms, but at most 29 are expected; give a larger number with --open' trjcat --open 29 "$f"
    local value
    for value in 0 -1 x 4294967296 ''; do
        fails 2 "--open: invalid value '$value'; give auto, or the largest number" trjcat --open "$value" "$f"
    done
    fails 2 '--topology: not available if the number of atoms changes' trjcat --open auto -t "$f" "$f"
    fails 2 '--by: not available if the number of atoms changes' trjcat --open auto --by element "$f"
    fails 2 '--carry: not available if the number of atoms changes' trjcat --open auto --carry charge "$f"
    fails 2 '--whole: not available if the number of atoms changes' trjcat --open auto --whole "$f"
    fails 2 '--centre: not available if the number of atoms changes' trjcat --open auto --centre all "$f"
    fails 2 '--fit: not available if the number of atoms changes' trjcat --open auto --fit all "$f"
    fails 2 'an index file contains numbers of atoms' trjcat --open auto -g @a.ndx:B "$f"
    fails 2 "group 'A': given twice" trjcat --open auto -g A=all -g A=all "$f"
    fails 2 "expected NAME=SELECTION" trjcat --open auto -g all "$f"
    # shellcheck disable=SC2046 # words
    fails 2 '1001 groups, but at most 1000 are possible' trjcat --open auto $(printf -- '-g G%d=all ' {0..1000}) "$f"
    fails 2 'com(...) and cog(...) define centres, whose number is not known in advance' \
        trjcat --open auto -g 'C=cog(all) per group' "$f"
    fails 2 'is a file of the format dcd, in which the number of atoms cannot change' trjcat --open auto "$DCD_FILE"
    local format
    for format in dcd xtc nc gro pdb; do
        fails 2 "the number of atoms changes, which cannot be stored in $format" \
            trjcat --open auto "$f" --to $format -o "$T/out.$format"
    done
    trjcat --open auto "$f" >"$T/trjf"
    fails 2 'is a frame stream, which has its own groups' trjcat -g 'A=index 0' "$T/trjf"
    fails 2 '--fit: not available if the number of atoms changes' trjcat --fit all "$T/trjf"
    fails 2 '--lag: the number of atoms changes' rdfhist --lag 1 -r 3 "$T/trjf"
    for value in residue bonds:2 pairs:$f; do
        fails 2 '--exclude: the number of atoms changes' rdfhist -x "$value" -r 3 "$T/trjf"
    done
    rdfhist -r 3 "$T/trjf" >"$T/rdfh" 2>"$T/err"
    for value in sq kb s2 debye; do
        fails 3 'the number of atoms changes (trjcat --open), but --quantity' rdfderive -q "$value" "$T/rdfh"
    done
    rdfderive -q n "$T/rdfh" >"$T/table"
    printf '%s\n' 3 'Lattice="9 0 0 0 9 0 0 0 9"' 'Ar 1 1 1' 'Kr 2 1 1' 'Kr 6 6 6' >"$T/closed.xyz"
    trjcat --centre 'index 0' "$T/closed.xyz" >"$T/moved.trjf"
    fails 3 'its atoms were moved' trjcat --open auto "$T/moved.trjf"
}

@test "damaged files of open systems: rejected with frame and line" {
    gas cubic
    local lines
    lines=$(wc -l <"$T/cubic.xyz")
    head -n $((lines - 1)) "$T/cubic.xyz" >"$T/short.xyz"
    fails_cleanly 3 'short.xyz: frame 24: line' trjcat --open 30 "$T/short.xyz"
    fails_cleanly 3 'short.xyz: frame 24: line' trjcat --open auto "$T/short.xyz"
    trjcat --open auto -f :24 "$T/short.xyz" >"$T/out"
    head -c 3000 "$T/cubic.xyz" >"$T/cut.xyz"
    fails_cleanly 3 'cut.xyz: frame' trjcat --open 30 "$T/cut.xyz"
    printf '%s\n' 1 '' 'Ar 1 1 1' 4000000000 '' 'Ar 1 1 1' >"$T/huge.xyz"
    fails_cleanly 3 'huge.xyz: frame 1: line 4: 4000000000 atoms are expected, but only' \
        trjcat --open auto "$T/huge.xyz"
    fails_cleanly 3 'huge.xyz: frame 1: line 4: 4000000000 atoms, but at most 9 are expected' \
        trjcat --open 9 "$T/huge.xyz"
    printf '%s\n' 1 '' 'Ar 1 1 1' 1 'Properties=pos:R:3' '1 1 1' >"$T/nameless.xyz"
    fails_cleanly 3 'nameless.xyz: frame 1: line 5: Properties has neither species nor Z' \
        trjcat --open auto "$T/nameless.xyz"
    sed 's/^\(2[0-9]*\) 1 /21 1 /' "$T/cubic.dump" >"$T/twice.dump"
    fails_cleanly 3 'two atoms have the id 21' trjcat --open auto "$T/twice.dump"
    # The stream: flags, and data of single atoms
    trjcat --open auto "$T/cubic.xyz" >"$T/trjf"
    trjinfo --check "$T/trjf" >"$T/out"
    head -c 2000 "$T/trjf" >"$T/cut.trjf"
    fails 3 'truncated' rdfhist -r 3 "$T/cut.trjf"
}

@test "numbers of neighbours, layers and lateral distances of an open system; exchange is not counted" {
    gas breathing
    in_groups xyz --open auto "$T/breathing.xyz" >"$T/trjf"
    rdfhist -r 3 -b 1 --neighbours 3 -p A:B "$T/trjf" >"$T/rdfh" 2>"$T/err"
    grep -q 'note: the number of atoms changes, so that neighbours that enter and leave are not counted' "$T/err"
    # The mean of the distribution is n(r).
    rdfnorm --neighbours numbers "$T/rdfh" | rows | awk '{ n += $1 * $2 } END { printf "%.6f\n", n }' >"$T/mean"
    rdfnorm -e none "$T/rdfh" | rows | awk '{ printf "%.6f\n", $3 }' | same "$T/mean" -
    fails 2 '--events: the number of atoms changes' rdfhist -r 3 --neighbours 3 --events "$T/events" "$T/trjf"
    fails 3 'no two consecutive frames were compared' rdfnorm --neighbours exchange "$T/rdfh"
    # All layers together have the pairs of the whole.
    rdfhist -r 4 -b 4 --layers z:5 -p '*:*' "$T/trjf" 2>"$T/err" | rdfnorm --counts - | has '^# r_lo'
    rdfhist -r 4 -b 4 --metric xy --dz 4 -p A:B "$T/trjf" 2>"$T/err" | rdfnorm - | has '^[0-9]'
}

@test "a file of one atom per frame, or of none: no pairs" {
    printf '%s\n' 0 'Lattice="9 0 0 0 9 0 0 0 9"' 2 'Lattice="9 0 0 0 9 0 0 0 9"' 'Ar 1 1 1' 'Ar 2 1 1' \
        1 'Lattice="9 0 0 0 9 0 0 0 9"' 'Ar 1 1 1' >"$T/few.xyz"
    [[ $(trjcat --open auto "$T/few.xyz" | counted -r 2 -b 1) == 1 ]]
    trjcat --open auto -f 0 "$T/few.xyz" >"$T/trjf" 2>"$T/err"
    grep -q 'note: group all has no member in any of the 1 frames' "$T/err"
    [[ $(trjinfo "$T/trjf" | awk '$1 == "atoms" { print $2 }') == 1 ]]
    trjcat --open 2 -f 0 -f 0 "$T/few.xyz" 2>"$T/err" | counted -r 2 -b 1 >"$T/out"
    [[ $(<"$T/out") == 0 ]]
}

@test "block OPEN: streams of open systems contain it; other streams do not change" {
    gas cubic
    trjcat --open auto "$T/cubic.xyz" >"$T/trjf"
    grep -c OPEN "$T/trjf" | has -x 1
    trjcat "$DCD_FILE" | has -v OPEN
    rdfhist -r 3 "$T/trjf" 2>"$T/err" | grep -c OPEN | has -x 1
    trjcat "$DCD_FILE" | rdfhist -r 3 2>"$T/err" | has -v OPEN
}

@test "block OPEN: rejected twice, with flags, before or without dynamic groups, and with data of single atoms" {
    local head='HEAD r u8:2 u8:2' groups='GRPS r u4:1 t:all u8:2 u4:0 u4:1' dynamic='CHNG r u4:1 u4:0'
    local open='OPEN r u4:0'
    local frame='FRAM r u4:1 u4:0 u4:0 u4:0 u8:0 u8:0 f8:0 f8:1 n:0*72 n:0*24 u4:1' source='SRCE r t:run.xyz u8:5'
    # made BLOCK...: a frame stream that ends after one frame
    made() { mkstream frame "$@" "$source" "$frame" "END! r u8:1 u8:$(($# + 2)) u8:0 u8:0" >"$T/made.trjf"; }
    made "$head" "$groups" "$dynamic" "$open"
    trjinfo --check "$T/made.trjf" | has '^check.*ok'
    made "$head" "$groups" "$dynamic" "$open" "$open"
    fails 3 'occurs twice' rdfhist -r 3 "$T/made.trjf"
    made "$head" "$groups" "$dynamic" 'OPEN r u4:1'
    fails 3 'unknown flags; use a newer version' rdfhist -r 3 "$T/made.trjf"
    made "$head" "$groups" "$open" "$dynamic"
    fails 3 'comes before the groups, or some are not dynamic' rdfhist -r 3 "$T/made.trjf"
    made "$head" "$open" "$groups" "$dynamic"
    fails 3 'comes before the groups, or some are not dynamic' rdfhist -r 3 "$T/made.trjf"
    made "$head" "$groups" "$dynamic" 'OPEN r'
    fails 3 'too short' rdfhist -r 3 "$T/made.trjf"
    local block
    for block in 'RESI - u4:0 u4:0' 'MOLE - u4:0 u4:0' 'ELEM - t: u4:1 u4:1' 'ATOM - u4:0 u4:1' 'CENT r u8:1' \
        'BOND - u8:0 u8:0'; do
        made "$head" "$groups" "$dynamic" "$open" "$block"
        fails 3 'the number of atoms changes, but the header has data of single atoms' rdfhist -r 3 "$T/made.trjf"
    done
    local setup='SETU r f8:0 f8:5 u8:10 u4:1 t:all u8:3 u4:1 u4:0 u4:0 u8:3'
    mkstream histogram "$setup" 'CHNG r u4:1' 'OPEN - u4:1' >"$T/made.rdfh"
    fails 3 'block OPEN at byte 171: unknown flags; use a newer version' rdfnorm "$T/made.rdfh"
    mkstream histogram "$setup" 'OPEN - u4:0' >"$T/made.rdfh"
    fails 3 'a group that is not dynamic' rdfnorm "$T/made.rdfh"
    mkstream histogram "$setup" 'CHNG r u4:1' 'SYST - u8:3 u8:0' 'OPEN - u4:0' >"$T/made.rdfh"
    fails 3 'follows a block that requires the same atoms in all frames' rdfnorm "$T/made.rdfh"
}

@test "recipe: the key open" {
    gas cubic
    cat >"$T/recipe.yaml" <<'END'
trjrun: 1
stages:
  atoms:  {tool: trjcat, files: cubic.xyz, open: auto, group: [A=name Ar]}
  counts: {tool: rdfhist, from: atoms, rmax: 4, bins: 8}
  gr:     {tool: rdfnorm, from: counts, counts: true, output: counts.tsv}
END
    (cd "$T" && trjrun recipe.yaml 2>"$T/err")
    trjcat --open auto -g 'A=name Ar' "$T/cubic.xyz" | counted -r 4 -b 8 |
        same - <(rows "$T/counts.tsv" | cut -f 3)
}
