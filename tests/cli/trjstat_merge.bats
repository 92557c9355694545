#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tables of segments that trjstat --merge joins: the bytes of the run over all frames.
# shellcheck shell=bash disable=SC2154
load helper

adk() { # OPTION...
    trjcat -t "$DATA/dcd/adk.psf" --carry mass,name,resname,resid "$@" "$DATA/dcd/adk_dims.dcd" 2>"$T/note"
}

# Writes frames 0 to 9, 10 alone, and 11 to the end, $T/1 to $T/3, and all frames, $T/all.
segments() { # OPTION...
    local k=0 frames
    for frames in :10 10 11:; do
        k=$((k + 1))
        adk -f "$frames" | trjstat "$@" >"$T/$k" 2>"$T/note"
    done
    adk | trjstat "$@" >"$T/all" 2>"$T/note"
}

same() { # FILE FILE: but for the provenance
    cmp <(grep -v '^# provenance' "$1") <(grep -v '^# provenance' "$2")
}

rejects() { # STATUS WORDS ARGUMENT...
    run -"$1" trjstat --merge "${@:3}"
    [[ $output == *"$2"* ]] || { echo "$output" && false; }
}

@test "--merge of tables of frames: the bytes of the run over all frames, with the provenance of all tables" {
    need_shared
    segments 'rg(all)' 'cog(all)' 'phi(resid 3 to 9)'
    trjstat --merge "$T/1" "$T/2" "$T/3" >"$T/merged" 2>"$T/notes"
    same "$T/merged" "$T/all"
    [[ ! -s $T/notes && $(grep -c '^# provenance' "$T/merged") == 5 ]]
    # In steps, with one table from a pipe
    trjstat --merge "$T/1" "$T/2" -o "$T/12"
    trjstat --merge "$T/12" - <"$T/3" >"$T/merged"
    same "$T/merged" "$T/all"
    # cat has the same rows.
    cat "$T/1" "$T/2" "$T/3" | rows | cmp - <(rows "$T/all")
    # In another order, rows are not those of the trajectory.
    trjstat --merge "$T/2" "$T/1" "$T/3" 2>"$T/notes" | rows | cmp - <(cat "$T/2" "$T/1" "$T/3" | rows)
    has '^trjstat: note: .*/1 begins at 0.999999971 ps, but the tables before end at 10.9999997 ps' <"$T/notes"
}

# Merges tables of --sums in two orders and in steps, and compares them with that of all frames.
merges() { # OPTION...
    segments --sums "$@"
    trjstat --merge "$T/1" "$T/2" "$T/3" -o "$T/merged" 2>"$T/notes"
    same "$T/merged" "$T/all"
    [[ ! -s $T/notes && $(grep -c '^# provenance' "$T/merged") == 5 ]]
    trjstat --merge "$T/3" "$T/2" -o "$T/32"
    trjstat --merge "$T/32" "$T/1" | same - "$T/all"
    trjstat --merge "$T/merged" | same - "$T/all"
}

@test "--merge of fluctuations with sums: the bytes of the run over all frames, and the values of one without sums" {
    need_shared
    trjcat -t "$DATA/dcd/adk.psf" -f 5 -o "$T/reference.pdb" "$DATA/dcd/adk_dims.dcd" 2>"$T/note"
    merges --rmsf 'name CA' --reference "$T/reference.pdb"
    has '^# frames: 98$' <"$T/merged"
    # The last columns, rmsf and bfactor, to 9 digits
    adk | trjstat --rmsf 'name CA' --reference "$T/reference.pdb" 2>"$T/note" | rows | cut -f 6,7 >"$T/plain"
    paste "$T/plain" <(rows "$T/merged" | cut -f 10,11) | awk -F '\t' '
        { for (i = 1; i <= 2; i++) { d = $i / $(i + 2) - 1; if (d > 1e-8 || d < -1e-8) exit bad = 1 } }
        END { exit bad || NR != 214 }'
    merges --rmsf protein --fit 'name CA' --weights mass --reference "$T/reference.pdb"
    merges --rmsf 'resid 5 to 9' --fit none
}

@test "--merge of maps with sums: the bytes of the run over all frames, whose values are those of one without sums" {
    need_shared
    local map
    for map in 'contacts(name CA, name CA, 8)' 'mindist(name CA and resid 1 to 30, name CA)' \
        'contacts(resid 1 to 50, resid 40 to 90, 4)'; do
        merges --map "$map"
        adk | trjstat --map "$map" | rows | cmp - <(rows "$T/merged" | cut -f 1-10,12)
    done
    merges --per residue --map 'contacts(protein, protein, 4.5)'
    merges --per residue --map 'mindist(resid 1 to 20, resid 1 to 20)'
    merges --per residue --map 'distance(com(resid 1 to 20), com(resid 15 to 30))'
    # Pairs that are in contact in no frame of a segment, or in none at all
    merges --map 'contacts(resid 30 to 60 and name CA, resid 120 to 160 and name CA, 13)'
    [[ $(rows "$T/3" | wc -l) -lt $(rows "$T/all" | wc -l) ]]
    merges --map 'contacts(resid 1 and name CA, resid 45 and name CA, 1)'
    [[ $(rows "$T/all" | wc -l) == 0 ]]
}

@test "--merge of profiles with sums: the bytes of the run over all frames, and the values of one without sums" {
    need_shared
    local folder=$SHARED/data-observables
    adk() {
        trjcat -t "$folder/spce216.tpr" --carry mass,charge -g 'O=name OW' -g all=all --whole "$@" \
            "$folder/spce216-npt.xtc" 2>"$T/note"
    }
    merges --profile z -b 20 'number(O)' 'mass(all)' 'charge(all)'
    adk | trjstat --profile z -b 20 'number(O)' 'mass(all)' >"$T/plain"
    has 'mean length of the cell along the normal, 18.6257071 Angstrom' <"$T/merged"
    paste <(rows "$T/plain" | cut -f 1,2,4,5) <(rows "$T/merged" | cut -f 1,2,4,5) | awk -F '\t' '
        { for (i = 1; i <= 4; i++) { d = $i / $(i + 4) - 1; if (d > 1e-8 || d < -1e-8) exit bad = 1 } }
        END { exit bad || NR != 20 }'
    merges --profile sphere --about 'com(index 0 to 2)' --extent 9 'number(O)' 'dipole(index 3 to 647)'
    # A bin without vectors has no orientation.
    merges --profile cylinder:z --about 1,2,3 --extent 9 -b 50 'vector(index 3, index 4)' 'mass(O)'
    rows "$T/merged" | has nan
}

@test "--sums: results that cannot be added are rejected, with the remedy" {
    printf '4\nx\nC 0 0 0\nC 1 0 0\nC 0 2 0\nC 0 0 3\n' >"$T/x.xyz"
    trjcat --carry mass -t "$T/x.xyz" "$T/x.xyz" -o "$T/x.trjf" 2>"$T/note"
    refused() { # WORDS OPTION...
        run -2 trjstat -i "$T/x.trjf" --sums "${@:2}"
        [[ $output == *"$1"* ]] || { echo "$output" && false; }
    }
    refused '--sums applies to --rmsf, --map and --profile only, and --merge needs no sums' 'rg(all)'
    refused '--sums applies to --rmsf, --map and --profile only, and --merge needs no sums' --hist 'rg(all)'
    refused 'the components of --pca require all frames' --pca all
    refused '--iterate requires all frames; superpose the frames of all segments on one' --rmsf all --iterate
    refused 'the first frames of segments differ; superpose on a structure for all of them' --rmsf all
    refused 'leave --per residue out' --rmsf all --fit none --per residue
    refused 'only tables contain sums' --rmsf all --fit none -o "$T/x.pdb"
    refused 'only tables contain sums' --map 'contacts(all, all, 3)' -o "$T/x.npy"
    refused 'pairs of frames of different segments; give all frames to one run' --map 'rmsd(all)'
    refused 'the bins would depend on the first frame of the segment; add --extent' \
        --profile sphere --about 0 'number(all)'
    rejects 2 '--rmsf applies to frames, and --merge reads tables' --rmsf all "$T/x.xyz"
    rejects 2 '--sums applies to frames, and --merge reads tables' --sums "$T/x.xyz"
    # One frame is a segment, of which the fluctuation is 0.
    trjstat -i "$T/x.trjf" --sums --rmsf all --fit none | rows | awk '$NF != 0 || $(NF - 1) != 0 { exit bad = 1 }
        END { exit bad || NR != 4 }'
    # Positions beyond the range of the sums
    printf '2\nx\nC 0 0 0\nC 9e7 0 0\n' | trjcat - -o "$T/y.trjf" 2>"$T/note"
    run -3 trjstat -i "$T/y.trjf" --sums --rmsf all --fit none
    [[ $output == *'beyond the range of exact sums'* ]]
}

@test "--merge of tables with sums: tables that differ, and damaged ones, are rejected" {
    local k
    for k in 1 2 3; do printf '4\nx\nC 0 0 0\nC 1 0 0\nC 0 2 0\nC 0 0 %s\n' $k; done >"$T/x.xyz"
    trjcat --carry mass -t "$T/x.xyz" "$T/x.xyz" -o "$T/x.trjf" 2>"$T/note"
    observe() { trjstat -i "$T/x.trjf" "$@"; }
    observe --rmsf all --fit none >"$T/b"
    rejects 3 'has no exact sums; add --sums to the runs of trjstat over the segments' "$T/b"
    observe --sums --rmsf all --fit none >"$T/a"
    observe --sums --rmsf 'index 0 to 2' --fit none >"$T/b"
    rejects 3 "a comment is 'rmsf of 'index 0 to 2'" "$T/a" "$T/b"
    observe --sums --map 'contacts(all, all, 2.5)' >"$T/c"
    rejects 3 'merge tables of the same expressions, atoms and options' "$T/a" "$T/c"
    observe --sums --map 'contacts(all, all, 2)' >"$T/b"
    rejects 3 'closer than 2.5 Angstrom' "$T/c" "$T/b"
    damaged() { # WORDS FILE SCRIPT
        sed "$3" "$2" >"$T/b"
        cmp -s "$2" "$T/b" && return 1
        rejects 3 "$1" "$2" "$T/b"
    }
    damaged 'row 2 is not of the same atoms or residues' "$T/a" '/^2\t/d'
    damaged 'expected 4 rows, found 3' "$T/a" '/^3\t/d'
    damaged 'truncated after 4 rows' "$T/a" '/^# rows/d'
    damaged 'truncated after 3 rows' "$T/a" '/^3\t/,99d'
    damaged 'row 3 is not of the same atoms or residues' "$T/a" 's/^3\t/4\t/'
    damaged 'row 3 is not of the same atoms or residues' "$T/a" '/^3\t/d; s/rows: 4/rows: 3/'
    damaged 'not those of the values in the row' "$T/a" '/^3\t/s/\t[0-9.]*$/\tnan/'
    damaged 'not those of the values in the row' "$T/a" '/^3\t/s/\t9444/\t9445/'
    damaged 'the sums are invalid' "$T/a" '/^3\t/s/\t412316860416\t/\t1e5\t/'
    damaged 'the sums are invalid' "$T/a" '/^3\t/s/\t412316860416\t/\t412316860416000000000000000000000\t/'
    damaged 'has no valid number of frames' "$T/a" 's/^# frames: 3/# frames: 0/'
    damaged 'has no valid number of frames' "$T/a" 's/^# frames: 3/# frames: 99999999999999999999/'
    damaged 'has no valid number of frames' "$T/a" '/^# frames:/d'
    damaged 'expected 6 fields, found 5' "$T/c" 's/\t1$//'
    damaged 'the sums are invalid' "$T/c" 's/\t3\t1$/\t4\t1.33333333/'
    damaged 'the numbers of the pair do not ascend' "$T/c" '/^0\tC\t1\t/{h;d}; /^# rows/{x;G}'
    cat "$T/a" "$T/a" >"$T/b"
    rejects 3 'a line after the end of the table; give each table as a file of its own' "$T/b"
    sed -n '/^#/p' "$T/a" >"$T/b"
    rejects 3 'expected 4 rows, found 0' "$T/b"
    rejects 2 'the name ends with .npy' -o "$T/m.npy" "$T/c"
    # Profiles
    printf '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3\nC 1 1 1\nC 4 4 4\n' >"$T/y.xyz"
    trjcat --carry element "$T/y.xyz" -o "$T/y.trjf" 2>"$T/note"
    trjstat -i "$T/y.trjf" --sums --profile z -b 3 'number(all)' >"$T/a"
    trjstat -i "$T/y.trjf" --sums --profile z -b 4 'number(all)' >"$T/b"
    rejects 3 'has other bins than the tables before; give all runs the same --profile, --bins' "$T/a" "$T/b"
    trjstat -i "$T/y.trjf" --sums --profile z -b 3 'number(index 0)' >"$T/b"
    rejects 3 'merge tables of the same expressions, atoms and options' "$T/a" "$T/b"
    damaged 'expected 3 rows, found 2' "$T/a" '/^7.5\t/d'
    damaged 'not those of the values in the row' "$T/a" 's/^4.5\t/4.6\t/'
    damaged 'not those of the values in the row' "$T/a" '/^4.5\t/s/\t1$/\tx/'
    damaged 'not those of the values in the row' "$T/a" '/^4.5\t/s/\t0.0[0-9]*/\tnan/'
    damaged 'has no valid bins' "$T/a" 's/^\(# bins of profile: z\t\)3/\10/'
    damaged 'has no valid bins' "$T/a" 's/^\(# bins of profile: z\t\)3/\13000000/'
    sed 's/\tsum_number/\tnumber/' "$T/a" >"$T/b"
    rejects 3 'lacks columns of sums of profiles' "$T/b"
    damaged 'expected a row for each of 3 bins' "$T/a" '/^7.5\t/d; s/rows: 3/rows: 2/'
}

@test "--merge of tables of frames: nan is reported, as in the run over all frames" {
    printf '%s\n' 1 0 1 0 0 | awk '{ print "3\nx\nC 0 0 0\nC " $1 " 0 0\nC " 11 * $1 " 0 0" }' >"$T/x.xyz"
    local k=0 frames
    for frames in :2 2:; do
        k=$((k + 1))
        trjcat -f "$frames" "$T/x.xyz" 2>"$T/note" | trjstat 'angle(0, 1, 2)' >"$T/$k" 2>"$T/note"
    done
    trjcat "$T/x.xyz" 2>"$T/note" | trjstat 'angle(0, 1, 2)' >"$T/all" 2>"$T/notes"
    trjstat --merge "$T/1" "$T/2" 2>&1 >"$T/merged" | cmp - "$T/notes"
    same "$T/merged" "$T/all"
    has 'not defined (nan): angle(0, 1, 2) in 3 of 5 frames' <"$T/notes"
}

@test "--merge of tables of frames: other expressions, references and damaged tables are rejected" {
    printf '4\nx\nC 0 0 0\nC 1 0 0\nC 0 2 0\nC 0 0 3\n' >"$T/x.xyz"
    trjcat --carry mass -t "$T/x.xyz" "$T/x.xyz" "$T/x.xyz" -o "$T/x.trjf" 2>"$T/note"
    observe() { trjstat -i "$T/x.trjf" "$@"; }
    observe 'rg(all)' >"$T/a"
    observe 'rg(all, weights=none)' >"$T/b"
    rejects 3 "a comment is 'rg(all, weights=none): " "$T/a" "$T/b"
    observe 'rg(all)' 'cog(all)' >"$T/b"
    rejects 3 'merge tables of the same expressions, atoms and options' "$T/a" "$T/b"
    observe --summary 'rg(all)' >"$T/b" 2>"$T/note"
    rejects 3 'a summary of one segment, which cannot be added to others; leave --summary out' "$T/b"
    observe 'rmsd(all)' >"$T/b"
    rejects 3 'rmsd(all): the reference is the first frame of each segment' "$T/b" "$T/b"
    trjstat --merge "$T/b" | same - "$T/b"
    observe "rmsd(all, reference=$T/x.xyz)" >"$T/b"
    trjstat --merge "$T/b" "$T/b" >"$T/merged" 2>"$T/notes"
    has 'its frames may be counted twice' <"$T/notes"
    cat "$T/a" "$T/a" >"$T/b"
    rejects 3 'a comment after the first row; give each table as a file of its own' "$T/b"
    sed '$s/\t[^\t]*$//' "$T/a" >"$T/b"
    rejects 3 'expected 3 fields, found 2' "$T/b"
    sed '$s/\t[^\t]*$/\tx/' "$T/a" >"$T/b"
    rejects 3 "invalid number 'x' in column rg(all)" "$T/b"
    sed '$s/^0/-1/' "$T/a" >"$T/b"
    rejects 3 "invalid number of a frame '-1'" "$T/b"
    head -c -2 "$T/a" >"$T/b"
    rejects 3 'truncated: the last line has no end' "$T/b"
    grep -v '^# frame.time' "$T/a" >"$T/b"
    rejects 3 'has no columns frame and time' "$T/b"
    { cat "$T/a" && echo '# FAILED: trjcat: x.dcd: truncated'; } >"$T/b"
    rejects 3 'x.dcd: truncated' "$T/a" "$T/b"
    rejects 2 'the name ends with .npy' -o "$T/m.npy" "$T/a"
    [[ ! -e $T/m.npy ]]
}
