#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# Recipes that divide frames into segments: the bytes of one run, and errors before anything runs.
load helper
WATER=$PWD/examples/water

# recipe NAME SEGMENTS < STAGES: writes $T/w/NAME beside the water example
recipe() {
    mkdir -p "$T/w"
    [[ -e $T/w/water.dcd ]] || cp "$WATER"/water.{dcd,pdb} "$T/w/"
    { printf 'trjrun: 1\nsegments: %s\nstages:\n' "$2"; cat; } >"$T/w/$1"
}

# divided RECIPE SEGMENTS: computes all segments and merges them
divided() {
    local k
    for ((k = 1; k <= $2; k++)); do trjrun --segment $k "$T/w/$1" 2>"$T/err" || { cat "$T/err"; return 1; }; done
    trjrun --merge "$T/w/$1" 2>"$T/err" || { cat "$T/err"; return 1; }
}

# once RECIPE: runs the recipe as a whole, and moves its outputs to $T/once
once() {
    mkdir -p "$T/once"
    trjrun "$T/w/$1" 2>"$T/err" || { cat "$T/err"; return 1; }
    find "$T/w" -maxdepth 1 -type f ! -name 'water.*' ! -name '*.yaml' -exec mv {} "$T/once/" \;
}

# Compares all outputs with those of one run. Their provenance is exempt.
alike() {
    local file number=0
    for file in "$T"/once/*; do
        case $file in
        *.trjg) cmp <(mapconv --to dx "$file" 2>/dev/null) <(mapconv --to dx "$T/w/${file##*/}" 2>/dev/null) ;;
        *.rdfh) cmp <(rdfnorm --counts "$file" | grep -v provenance) \
            <(rdfnorm --counts "$T/w/${file##*/}" | grep -v provenance) ;;
        *) cmp <(grep -v provenance "$file") <(grep -v provenance "$T/w/${file##*/}") ;;
        esac || { echo "$file differs"; return 1; }
        ((++number))
    done
    ((number >= $1)) || { echo "$number outputs"; return 1; }
}

# bad LINE MESSAGE: the recipe r.yaml is rejected before anything runs
bad() {
    run -3 trjrun --check "$T/w/r.yaml"
    [[ $output == *"r.yaml:$1:"*"$2"* ]] || { echo "$output"; return 1; }
}

@test "segments of every filter that can be divided: the tables and maps of one run, with their errors" {
    recipe w.yaml 5 <<'END'
  atoms:  {tool: trjcat, files: water.dcd, topology: water.pdb, group: [O=name OW, H=name HW*]}
  counts: {tool: rdfhist, from: atoms, pair: "*:*", exclude: residue, engine: cpu, output: w.rdfh}
  sk:     {tool: skhist, from: atoms, qmax: 2, pair: "O:O", engine: cpu}
  gr:     {tool: rdfnorm, from: counts, output: gr.tsv}
  n:      {tool: rdfderive, from: counts, quantity: n, output: n.tsv}
  s:      {tool: rdfnorm, from: sk, output: s.tsv}
  obs:    {tool: trjstat, from: atoms, observables: [volume, "distance(0, 3)"], output: obs.tsv}
  hist:   {tool: trjstat, from: atoms, hist: "distance(0, 3)", range: "0:20", output: hist.tsv}
  prof:   {tool: trjstat, from: atoms, profile: z, observables: number(O), output: prof.tsv}
  walk:   {tool: trjcat, files: water.dcd, frames: "2::1"}
  turn:   {tool: trjcorr, from: walk, lags: 10, observables: "reorient(index 0, index 1)", output: turn.tsv}
  map:    {tool: densmap, from: atoms, of: O, grid: 1.5, fractional: true, sigma: 1, engine: cpu, output: o.trjg}
  dx:     {tool: mapconv, from: map, output: o.dx}
END
    once w.yaml
    divided w.yaml 5
    alike 10
    # The segments are those that the provenance names, in records of whole numbers of frames.
    [[ $(trjinfo "$T/w/w.segments/counts.5.rdfh" | awk '$1 == "frames" { print $2 }') -gt 20 ]]
    grep -a -o 'segment [0-9]/5/[0-9]*' "$T/w/w.segments/counts.5.rdfh" | has '^segment 5/5/3$'
}

@test "records of maps, other blocks, several files and fan-outs: segments have the bytes of one run" {
    mkdir -p "$T/w"
    trjcat -f :50 -o "$T/w/water.a.dcd" "$WATER/water.dcd"
    trjcat -f 50:97 -o "$T/w/water.b.dcd" "$WATER/water.dcd"
    recipe w.yaml 3 <<'END'
  atoms:  {tool: trjcat, files: [water.a.dcd, water.b.dcd], frames: $when, topology: water.pdb, group: O=name OW,
           each: [{part: even, when: "::2"}, {part: odd, when: "1::2"}]}
  counts: {tool: rdfhist, from: atoms, rmax: 8, bins: 40, block: 6, engine: cpu, output: "$part.rdfh"}
  maps:   {tool: densmap, from: atoms, origin: "0,0,0", points: "9,9,9", steps: "2,2,2", kernel: count, engine: cpu,
           block: 4, output: "$part.trjg"}
  gr:     {tool: rdfnorm, from: counts, merge: part, output: gr.tsv}
  error:  {tool: mapsum, from: maps, merge: part, stderr: true, output: error.dx}
END
    once w.yaml
    divided w.yaml 3
    alike 6
    # Blocks of 6 and 4 frames: segments are multiples of 12.
    grep -a -o 'segment [0-9]/3/[0-9]*' "$T/w/w.segments/counts-2.3.rdfh" | has '^segment 3/3/12$'
}

@test "a segment that is complete is not computed again, unless the recipe or a file has changed" {
    recipe w.yaml 2 <<'END'
  atoms:  {tool: trjcat, files: water.dcd}
  counts: {tool: rdfhist, from: atoms, rmax: 5, bins: 20, engine: cpu}
  volume: {tool: trjstat, from: atoms, observables: volume, output: v.tsv}
  gr:     {tool: rdfnorm, from: counts, output: gr.tsv}
END
    divided w.yaml 2
    trjrun --segment 2 "$T/w/w.yaml" 2>"$T/err"
    [[ $(grep -c 'reused' "$T/err") == 2 ]] || { cat "$T/err"; return 1; }
    sed -i 's/rmax: 5/rmax: 6/' "$T/w/w.yaml"
    run -3 trjrun --merge "$T/w/w.yaml"
    [[ $output == *'segments 1-2 of 2 have no complete part of this recipe and its files'* ]]
    divided w.yaml 2
    sleep 0.01
    touch "$T/w/water.dcd"
    run -3 trjrun --merge "$T/w/w.yaml"
    [[ $output == *'segments 1-2 of 2 have no complete part'* ]]
}

@test "--merge: a missing, repeated, damaged or foreign part is an error that lists the segments, and writes nothing" {
    local parts
    recipe w.yaml 4 <<'END'
  atoms:  {tool: trjcat, files: water.dcd, frames: ":40"}
  counts: {tool: rdfhist, from: atoms, rmax: 5, bins: 20, engine: cpu}
  gr:     {tool: rdfnorm, from: counts, output: gr.tsv}
END
    divided w.yaml 4
    mv "$T/w/gr.tsv" "$T/gr.tsv"
    parts=$T/w/w.segments
    rejected() {
        run -3 trjrun --merge "$T/w/w.yaml"
        [[ $output == *"trjrun: segment$1 of 4 ha"*'no complete part of this recipe and its files'* ]] ||
            { echo "$output"; return 1; }
        [[ ! -e $T/w/gr.tsv ]]
    }
    mv "$parts/counts.3.rdfh" "$T/three"
    rejected ' 3'
    cp "$parts/counts.2.rdfh" "$parts/counts.3.rdfh"
    rejected ' 3'
    head -c 700 "$T/three" >"$parts/counts.3.rdfh"
    rejected ' 3'
    cp "$T/three" "$parts/counts.3.rdfh"
    mv "$parts/counts.1.rdfh" "$T/one"
    cp "$parts/counts.4.rdfh" "$T/four"
    sed 's/0.1.0: rdfhist/0.0.9: rdfhist/' "$T/four" >"$parts/counts.4.rdfh"
    rejected 's 1,4'
    cp "$T/one" "$parts/counts.1.rdfh"
    cp "$T/four" "$parts/counts.4.rdfh"
    trjrun --merge "$T/w/w.yaml" 2>"$T/err"
    cmp "$T/gr.tsv" "$T/w/gr.tsv"
}

@test "recipe with segments: what cannot be divided is an error with its line and a remedy, before anything runs" {
    local stage message
    while IFS='|' read -r stage message; do
        recipe r.yaml 4 <<<"  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb}
  x: {$stage}
  y: {tool: rdfhist, from: atoms, output: y.rdfh}"
        bad 5 "$message" || { echo "$stage" && return 1; }
    done <<'END'
tool: rdfhist, from: atoms, lag: 3, output: x|segments: lag requires all frames in one run; use a recipe
tool: rdfhist, from: atoms, neighbours: 3, output: x|segments: neighbours requires all frames in one run
tool: rdfhist, from: atoms, block: 0, output: x|segments: block: 0 is one record of all frames; give its number
tool: skhist, from: atoms, qmax: 2, vectors: true, output: x|segments: vectors requires all frames in one run
tool: trjstat, from: atoms, observables: volume, summary: true, output: x|segments: summary requires all frames
tool: densmap, from: atoms, grid: 1, output: x.dx|segments: only grid streams can be added; write one
tool: densmap, from: atoms, grid: 1, mean: true, output: x.trjg|segments: mean does not write sums; write a grid
tool: mapcc, from: [atoms], output: x|segments: mapcc cannot be divided; use a recipe without segments
tool: trjcat, from: atoms, output: x.xtc|segments: frames that are written are not divided
END
    while IFS='|' read -r stage message; do
        recipe r.yaml 4 <<<"  atoms: {$stage}
  x: {tool: rdfhist, from: atoms, output: y.rdfh}"
        bad 4 "$message" || { echo "$stage" && return 1; }
    done <<'END'
tool: trjcat, files: water.dcd, unwrap: toroidal|segments: unwrap follows atoms from frame to frame; write the frames
tool: trjcat, files: water.dcd, time: "0:9"|segments: time cannot be combined with segments; select frames with the key
tool: trjcat, files: water.dcd, repeated: drop|segments: repeated: drop compares frames with those of all segments
tool: trjcat, files: water.dcd, fit: all|segments: the reference of fit is the first frame
END
    recipe r.yaml 4 <<<'  x: {tool: rdfhist, files: water.trjf, output: y.rdfh}'
    trjcat -o "$T/w/water.trjf" -f :3 "$WATER/water.dcd"
    bad 4 'its frames cannot be divided, because they are read from a file; add a stage of trjcat'
    recipe r.yaml 0 <<<'  x: {tool: rdfhist, files: water.trjf, output: y.rdfh}'
    bad 2 "segments: '0' is not a whole number from 1 to 10000"
    recipe r.yaml 200 <<<'  atoms: {tool: trjcat, files: water.dcd}
  x: {tool: rdfhist, from: atoms, output: y.rdfh}'
    run -3 trjrun "$T/w/r.yaml"
    [[ $output == *"r.yaml:4:"*"128 frames in units of 1 are less than 200 segments; use fewer segments"* ]]
    recipe r.yaml 2 <<<'  atoms: {tool: trjcat, files: water.dcd}
  x: {tool: trjstat, from: atoms, observables: volume, output: x.tsv}
  y: {tool: trjcorr, from: atoms, observables: acf(volume), output: y.tsv}'
    run -3 trjrun "$T/w/r.yaml"
    [[ $output == *"stage 'x': segments: trjstat must not read the frames after a segment"* ]]
    run -2 trjrun --segment 3 "$T/w/r.yaml"
    run -2 trjrun --slurm --merge "$T/w/r.yaml"
    [[ $output == *'exclude one another'* ]]
    run -2 trjrun --submit "$T/w/r.yaml"
    [[ $output == *'--submit and --sbatch require --slurm'* ]]
    sed -i 2d "$T/w/r.yaml"
    run -2 trjrun --merge "$T/w/r.yaml"
    [[ $output == *'the recipe does not divide its frames; add segments: N'* ]]
}

@test "--slurm: values that refer to the first frame, and frames that a filter rejects, are errors before the script" {
    recipe w.yaml 4 <<'END'
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb}
  x:     {tool: trjstat, from: atoms, observables: "rmsd(index 0 to 2)", output: x.tsv}
END
    run -3 trjrun --slurm "$T/w/w.yaml"
    [[ $output == *'the reference is the first frame of each segment'*'merge of the first and the last frame'* ]]
    [[ $output != *sbatch* && $(find "$T/w/w.segments" -type f) == '' ]]
    sed -i 's/observables.*/observables: "rmsd(index 0 to 3)", output: x.tsv}/' "$T/w/w.yaml"
    run -3 trjrun --slurm "$T/w/w.yaml"
    [[ $output == *"first or last frame: stage 'x': trjstat ended with status 3"* && $output != *sbatch* ]]
}

@test "--slurm: options of sbatch, variables, names that need quotes, and the segments that are missing" {
    mkdir -p "$T/w/a b"
    # shellcheck disable=SC2016 # a variable of the recipe
    recipe w.yaml '$n' <<'END'
  atoms:  {tool: trjcat, files: water.dcd, frames: ":40"}
  counts: {tool: rdfhist, from: atoms, rmax: 5, bins: 20, engine: cpu, output: c.rdfh}
slurm: {partition: cpu, gpus: 1, exclusive: true, time: "1:00:00", merge: {gpus: false, time: 5}}
variables: {n: 3}
END
    cp "$WATER/water.dcd" "$T/w/a b/"
    mv "$T/w/w.yaml" "$T/w/a b/it's.yaml"
    cd "$T/w"
    trjrun --segment 2 -D n=5 "a b/it's.yaml" 2>"$T/err"
    trjrun --slurm -D n=5 --sbatch --account=x "a b/it's.yaml" >"$T/script" 2>"$T/err" || { cat "$T/err"; return 1; }
    bash -n "$T/script"
    # A program in place of sbatch prints its arguments and its script.
    mkdir "$T/bin"
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho "$*" >>"$T/got"; cat >>"$T/got"; echo 17\n' >"$T/bin/sbatch"
    chmod +x "$T/bin/sbatch"
    (cd / && export T PATH="$T/bin:$PATH" && sh "$T/script") >"$T/printed"
    [[ $(cat "$T/printed") == 'segments 1,3-5: job 17; merge: job 17' ]]
    local options='--open-mode=append --output=a b/it'
    grep -F -- "--array=1,3-5 --requeue --signal=B:USR1@60 --cpus-per-task=1 $options" "$T/got" |
        has -F -- "segment.%a.log --partition=cpu --gpus=1 --exclusive --time=1:00:00 --account=x --parsable"
    has -F -- "merge.log --partition=cpu --exclusive --time=5 --account=x --parsable --dependency=afterok:17 \
--kill-on-invalid-dep=yes" <"$T/got"
    grep -F -- "--merge -- 'a b/it'\\''s.yaml'" "$T/got" | has -F -- '--define n=5'
    # The script of the job computes a segment.
    awk '/^#!/ { on = 1 } on; on && /^exit/ { exit }' "$T/got" >"$T/job"
    SLURM_ARRAY_TASK_ID=4 sh "$T/job" 2>"$T/err"
    trjrun --slurm -D n=5 "a b/it's.yaml" 2>"$T/err" | has -F -- '--array=1,3,5 '
    run -2 trjrun --slurm --sbatch --array=1-9 "a b/it's.yaml"
    [[ $output == *"--sbatch: the option 'array' of sbatch is not accepted"* ]]
    run -2 trjrun --slurm --sbatch -p "a b/it's.yaml"
    [[ $output == *"'-p' is not a long option of sbatch; example: --sbatch --time=60"* ]]
}

# manual WORD: prints the recipe of trjrun(1) that contains this word
manual() {
    awk -v word="$1" '/^\.Bd -literal/ { text = ""; on = 1; next }
        /^\.Ed/ { if (on && index(text, word) && text ~ /^trjrun: 1/) { printf "%s", text; exit } on = 0 }
        on { text = text $0 "\n" }' filters/trjrun.1 | sed 's/\\-/-/g; s/\\(dq/"/g'
}

@test "manual: the recipes of segments give the tables of one run" {
    mkdir -p "$T/w"
    cp "$WATER"/water.{dcd,pdb} "$T/w/"
    manual 'segments: 4' >"$T/w/divided.yaml"
    sed -n '/^for k in 1 2 3 4; do trjrun/,/^\.Ed/p' filters/trjrun.1 | grep -v '^\.' | sed 's/\\-/-/g' >"$T/commands"
    manual 'segments: 2' >"$T/w/msd.yaml"
    sed -n '/^trjrun ...-only unwrapped/,/^\.Ed/p' filters/trjrun.1 | grep -v '^\.' | sed 's/\\-/-/g' >>"$T/commands"
    # shellcheck disable=SC2016 # a variable of the recipe
    manual 'segment: $part/2' >"$T/w/parts.yaml"
    [[ $(wc -l <"$T/commands") == 5 ]]
    (cd "$T/w" && sh -e "$T/commands" 2>"$T/err") || { cat "$T/err"; return 1; }
    mv "$T/w/msd.tsv" "$T/divided.tsv"
    (cd "$T/w" && trjcat -t water.pdb -g 'O=name OW' --unwrap toroidal water.dcd | trjcorr -l 20 'msd(O)') |
        same <(grep -v provenance "$T/divided.tsv") <(grep -v provenance)
    (cd "$T/w" && trjrun parts.yaml 2>"$T/err") || { cat "$T/err"; return 1; }
    (cd "$T/w" && trjcat -t water.pdb --unwrap toroidal water.dcd | trjcorr -l 20 'msd(all)') |
        same <(grep -v provenance "$T/w/msd.tsv") <(grep -v provenance)
    [[ -s $T/w/w.tsv ]]
}
