#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Segments of a trajectory, whose sums trjcorr --merge joins: the bytes of the run over all frames, and what is
# rejected.
load helper
load correlations

# Writes the sums of N segments of a stream, $T/1 to $T/N.
segments() { # N OVERLAP STREAM OPTION...
    local k
    for ((k = 1; k <= $1; k++)); do
        trjcat --segment "$k/$1" --overlap "$2" "$3" | trjcorr --sums "${@:4}" >"$T/$k" 2>"$T/err"
    done
}

# Compares the table of joined segments with that of all frames, but for the provenance.
joins() { # N OVERLAP STREAM OPTION...
    local k files=()
    segments "$@"
    for ((k = $1; k; k--)); do files+=("$T/$k"); done
    trjcorr --merge "${files[@]}" >"$T/merged" 2>"$T/notes"
    trjcorr -i "$3" "${@:4}" >"$T/all" 2>"$T/err"
    cmp <(grep -v '^# provenance' "$T/merged") <(grep -v '^# provenance' "$T/all")
    cmp "$T/notes" "$T/err"
}

# walkers FRAMES [GAP]: prints four atoms that move at random in a cell, as XYZ; from frame GAP on, 1000 ps later
walkers() {
    awk -v frames="$1" -v gap="${2-0}" "$AWK_RANDOM"'BEGIN {
        seed = 4
        for (t = 0; t < frames; t++) {
            print 4; L = 20 + 0.01 * random()
            printf "Lattice=\"%.6f 0 0 0 %.6f 0 0 0 %.6f\" pbc=\"T T T\" ", L, L, L
            printf "Properties=species:S:1:pos:R:3 time=%d time_unit=ps\n", t + (gap && t >= gap ? 1000 : 0)
            for (i = 0; i < 4; i++) {
                for (k = 0; k < 3; k++) x[i, k] += random() - 0.5
                printf "A %.4f %.4f %.4f\n", x[i, 0], x[i, 1], x[i, 2]
            }
        }
    }'
}

@test "msd of 2, 3 and 7 segments, with its fit and correction: the bytes of the run over all frames" {
    walkers 1000 >"$T/x.xyz"
    trjcat --unwrap fraction "$T/x.xyz" >"$T/u.trjf" 2>"$T/note"
    joins 2 300 "$T/u.trjf" 'msd(all)' -l 40 --viscosity 1 --temperature 300
    joins 3 400 "$T/u.trjf" 'msd(all)' 'msd(index 0)' -l 100 --fit 5:50
    joins 7 100 "$T/u.trjf" 'msd(all)' -l 11
    joins 7 400 "$T/u.trjf" 'msd(all)' -l 100 --summary
    # A segment can lie in the span of the one before it.
    joins 20 400 "$T/u.trjf" 'msd(all)' -l 100
    joins 1 1 "$T/u.trjf" 'msd(all)' -l 100
}

@test "velocities, reorientation, observables, the dielectric constant: the bytes of the run over all frames" {
    need_observables
    water nve.trr --carry mass,velocity -o "$T/v.trjf" 2>"$T/note"
    joins 3 120 "$T/v.trjf" 'vacf(name OW)' 'vacf(all, molecule, weights=mass)' -l 30
    joins 2 120 "$T/v.trjf" --spectrum 'vacf(all, weights=mass)' -l 30
    water npt.xtc --carry mass,charge,name --whole -o "$T/x.trjf" 2>"$T/note"
    local all=('reorient(name OW, name HW1 HW2, of=molecule)' 'acf(box_dipole(all))' 'dielectric(all, 298.15)')
    joins 3 120 "$T/x.trjf" -l 20 "${all[@]}"
    joins 7 20 "$T/x.trjf" -l 20 --per-octave 4 "${all[@]}"
    water nvt.xtc --carry charge --whole --unwrap fraction -o "$T/u.trjf" 2>"$T/note"
    joins 2 60 "$T/u.trjf" -l 15 --fit 2:10 'conductivity(all, 298.15)'
}

@test "survival and lifetimes: the bytes of the run over all frames, also with more lags than frames of a segment" {
    need_observables
    water nvt.xtc --carry element,name -o "$T/x.trjf" 2>"$T/note"
    joins 3 30 "$T/x.trjf" -l 30 'survival(name OW and within 3.5 of index 0)' 'contact_lifetime(index 0, name OW, 3.5)'
    joins 7 60 "$T/x.trjf" -l 60 'hbond_lifetime(index 0 to 29, index 0 to 29, gmx)'
    joins 2 300 "$T/x.trjf" -l 300 'survival(name OW and within 3.5 of index 0)'
}

@test "lags in octaves: the bytes of the run over all frames, also with a gap and lags as long as the trajectory" {
    walkers 700 333 >"$T/x.xyz"
    trjcat --unwrap fraction "$T/x.xyz" >"$T/u.trjf" 2>"$T/note"
    joins 2 650 "$T/u.trjf" -l 650 --per-octave 4 'msd(all)'
    joins 3 64 "$T/u.trjf" -l 64 --per-octave 16 'msd(all)'
    joins 7 1000 "$T/u.trjf" -l 1000 --per-octave 5 'msd(all)' 'msd(index 0)'
    trjcat "$T/x.xyz" >"$T/w.trjf" 2>"$T/note"
    joins 3 50 "$T/w.trjf" -l 50 'contact_lifetime(all, all, 3)' 'acf(volume)'
    # At all lags, runs have chunks of their own.
    trjcat --segment 1/2 --overlap 400 "$T/u.trjf" >"$T/one.trjf"
    fails 3 'frame 333*sums of segments cannot be joined; use lags in octaves' \
        trjcorr -i "$T/one.trjf" --sums -l 30 'msd(all)'
}

@test "a segment without the frames that it requires, and streams that are no segments, are rejected" {
    walkers 100 >"$T/x.xyz"
    trjcat --unwrap fraction "$T/x.xyz" >"$T/u.trjf" 2>"$T/note"
    trjcat --segment 1/2 --overlap 9 "$T/u.trjf" >"$T/one.trjf"
    fails 3 'requires 10 frames after its own, but has 9; write it with trjcat --overlap 10' \
        trjcorr -i "$T/one.trjf" --sums -l 10 --per-octave 4 'msd(all)'
    fails 3 'requires * write it with trjcat --overlap *' trjcorr -i "$T/one.trjf" --sums -l 10 'msd(all)'
    # The number that the message gives is enough.
    local overlap
    overlap=$({ trjcorr -i "$T/one.trjf" --sums -l 10 'msd(all)' 2>&1 >"$T/2" || :; } | sed 's/.* //')
    trjcat --segment 1/2 --overlap "$overlap" "$T/u.trjf" | trjcorr --sums -l 10 'msd(all)' >"$T/1"
    trjcat --segment 1/1 --overlap 9 "$T/u.trjf" >"$T/all.trjf"
    fails 3 'require a largest lag below this number' trjcorr -i "$T/all.trjf" --sums -l 100 'msd(all)'
    fails 2 'the stream is not a segment' trjcorr -i "$T/u.trjf" --sums 'msd(all)'
    fails 2 'add --sums' trjcorr -i "$T/one.trjf" 'msd(all)'
    # Other programs would count frames twice.
    trjcat --segment 1/2 --overlap 9 "$T/x.xyz" >"$T/one.trjf"
    fails 3 'frames of the next segment' trjstat -i "$T/one.trjf" volume
    fails 3 'frames of the next segment' rdfhist "$T/one.trjf"
    fails 3 'frames of the next segment' trjcat "$T/one.trjf"
    fails 2 'only a frame stream marks the frames' trjcat --segment 1/2 --overlap 9 "$T/x.xyz" -o "$T/y.xyz"
    fails 2 '--overlap: * add it' trjcat --overlap 9 "$T/x.xyz"
    fails 2 'differs between segments; give reference=FILE' trjcorr -i "$T/one.trjf" --sums 'acf(rmsd(all))'
}

@test "--merge: missing, repeated and other segments, other options and expressions are rejected" {
    walkers 100 >"$T/x.xyz"
    trjcat --unwrap fraction "$T/x.xyz" >"$T/u.trjf" 2>"$T/note"
    segments 3 30 "$T/u.trjf" -l 10 --per-octave 4 'msd(all)'
    fails 3 'frames 33 to 65 of 100 are missing' trjcorr --merge "$T/1" "$T/3"
    fails 3 'frames 66 to 99 are missing' trjcorr --merge "$T/1" "$T/2"
    fails 3 'frames 0 to 32 of 100 are missing' trjcorr --merge "$T/2" "$T/3"
    fails 3 'its frames from 33 on are also in' trjcorr --merge "$T/1" "$T/2" "$T/2" "$T/3"
    cp "$T/2" "$T/two"
    segments 2 30 "$T/u.trjf" -l 10 --per-octave 4 'msd(all)'
    fails 3 'its frames from 33 on are also in' trjcorr --merge "$T/1" "$T/two" "$T/2"
    segments 3 30 "$T/u.trjf" -l 10 --per-octave 5 'msd(all)'
    fails 3 "another --per-octave than */1; run trjcorr --sums with the same options" \
        trjcorr --merge "$T/1" "$T/two" "$T/3"
    segments 3 30 "$T/u.trjf" -l 10 --per-octave 4 'msd(index 0)'
    fails 3 "the expression is 'msd(all)', but 'msd(index 0)' in " trjcorr --merge "$T/1" "$T/two" "$T/3"
    walkers 101 >"$T/y.xyz"
    trjcat --unwrap fraction "$T/y.xyz" >"$T/v.trjf" 2>"$T/note"
    segments 3 30 "$T/v.trjf" -l 10 --per-octave 4 'msd(all)'
    fails 3 'the trajectory has 100 frames, but 101 in' trjcorr --merge "$T/1" "$T/two" "$T/3"
    trjcat -f 1: --unwrap fraction "$T/y.xyz" >"$T/v.trjf" 2>"$T/note"
    segments 3 30 "$T/v.trjf" -l 10 --per-octave 4 'msd(all)'
    fails 3 'its first frame is not the one that follows those of *give the segments of one trajectory' \
        trjcorr --merge "$T/1" "$T/two" "$T/3"
    fails 2 '--lags applies to frames' trjcorr --merge "$T/1" -l 10
    fails 2 'leave --input out' trjcorr --merge "$T/1" -i "$T/u.trjf"
    fails 2 'no file given' trjcorr --merge
    fails 3 'does not contain sums of a segment' trjcorr --merge <(echo 1)
}

@test "sums that are damaged at any byte, or truncated at any line, are rejected" {
    walkers 60 >"$T/x.xyz"
    trjcat --unwrap fraction "$T/x.xyz" >"$T/u.trjf" 2>"$T/note"
    local mode line size at status
    for mode in '-l 5' '-l 8 --per-octave 4'; do
        # shellcheck disable=SC2086
        segments 1 1 "$T/u.trjf" $mode 'msd(index 0)'
        size=$(grep -v '^# prov' "$T/1" | wc -c)
        grep -v '^# prov' "$T/1" >"$T/good"
        trjcorr --merge "$T/good" >"$T/all" 2>"$T/err"
        for ((line = 1; line < $(wc -l <"$T/good"); line += 23)); do
            head -n "$line" "$T/good" >"$T/bad"
            run -3 trjcorr --merge "$T/bad"
        done
        for ((at = 75; at < size; at += 331)); do
            { head -c "$at" "$T/good" && printf 7 && tail -c +$((at + 2)) "$T/good"; } >"$T/bad"
            cmp -s "$T/good" "$T/bad" && continue
            status=0
            trjcorr --merge "$T/bad" >"$T/out" 2>"$T/err" || status=$?
            [[ $status == 3 ]] || { echo "byte $at: status $status" && false; }
        done
    done
}

@test "a recipe with segments: the table of the run over all frames" {
    need trjrun
    walkers 200 >"$T/x.xyz"
    trjcat --unwrap fraction "$T/x.xyz" >"$T/u.trjf" 2>"$T/note"
    cat >"$T/recipe.yaml" <<'END'
trjrun: 1
stages:
  atoms:
    tool: trjcat
    each: [{name: one, part: 1/3}, {name: two, part: 2/3}, {name: three, part: 3/3}]
    segment: $part
    overlap: 40
    files: u.trjf
  parts: {tool: trjcorr, from: atoms, observables: msd(all), lags: 40, per-octave: 8, sums: true, output: $name.sums}
  all:   {tool: trjcorr, from: parts, merge: name, output: all.tsv}
END
    (cd "$T" && trjrun recipe.yaml) 2>"$T/err" || { cat "$T/err" && false; }
    trjcorr -i "$T/u.trjf" -l 40 --per-octave 8 'msd(all)' >"$T/all" 2>"$T/err"
    cmp <(grep -v '^# provenance' "$T/all.tsv") <(grep -v '^# provenance' "$T/all")
}
