#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recipes whose stages write several files, and whose options read the output of another stage.
load helper
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs the tests

# Makes a folder $T/w with the charged chain of an example, and a trajectory of Lennard-Jones atoms.
system() {
    mkdir -p "$T/w/sub"
    cp examples/ion-placement/chain.pqr "$T/w/"
    mkdcd --atoms 60 --frames 6 --cell 20,21,22 >"$T/w/run.dcd"
    lj_topology 60
    mv "$T/lj.psf" "$T/lj.par" "$T/w/"
}

recipe() {
    { echo 'trjrun: 1'; cat; } >"$T/w/$1"
}

# Three filters with a second output, one of them in another folder, read one stream.
pairs() {
    recipe pairs.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: run.dcd, topology: lj.psf, parameters: lj.par, carry: "charge,sigma,epsilon"}
  pot:   {tool: potmap, from: atoms, method: cutoff, kernel: shift, cutoff: 6, grid: 4, block: 2,
          stderr-map: sub/pot.error.trjg, output: pot.trjg}
  dens:  {tool: densmap, from: atoms, grid: 4, block: 2, engine: cpu, stderr-map: dens.error.npy, output: dens.npy}
  lig:   {tool: ligmap, from: atoms, ligand: Xe, cutoff: 6, grid: 4, block: 2, stderr-map: lig.error.dx, output: lig.dx}
END
}

# The files of pairs.yaml.
PAIRS='./dens.error.json ./dens.error.npy ./dens.json ./dens.npy ./lig.dx ./lig.error.dx ./pot.trjg '
PAIRS+='./sub/pot.error.trjg '

# Lists the files in $T/w that a recipe created.
outputs() {
    (cd "$T/w" && find . -type f ! -name '*.yaml' ! -name 'lj.*' ! -name run.dcd ! -name chain.pqr | sort | tr '\n' ' ')
}

# Runs the shell commands of a recipe in a copy of the folder, and compares the files.
same_as_shell() { # RECIPE FILE...
    rm -rf "$T/shell"
    cp -r "$T/w" "$T/shell"
    (cd "$T/shell" && rm -f "${@:2}" && trjrun --dry-run "$1" >commands.sh && sh -e commands.sh 2>err)
    local file
    for file in "${@:2}"; do cmp "$T/w/$file" "$T/shell/$file" || return 1; done
}

@test "stages with a second output: the files appear together, with the bytes of the shell commands" {
    system
    pairs
    trjrun "$T/w/pairs.yaml" 2>"$T/err"
    [[ $(outputs) == "$PAIRS" ]]
    # shellcheck disable=SC2086 # words
    same_as_shell pairs.yaml $PAIRS
    # No name of a temporary folder is recorded or printed.
    run ! grep -aFq .trjrun. "$T/w/pot.trjg" "$T/w/sub/pot.error.trjg" "$T/w/lig.dx" "$T/err"
    grep -aq -- '--stderr-map pot.error.trjg' "$T/w/sub/pot.error.trjg"
    trjrun --verify "$T/w/pot.trjg" 2>"$T/err"
    trjrun --verify "$T/w/sub/pot.error.trjg" 2>>"$T/err"
    [[ $(grep -c ': trjcat | potmap writes the same bytes' "$T/err") == 2 ]]
}

@test "stages with a second output: one that fails leaves none of them" {
    system
    pairs
    sed -i 's/grid: 4, block: 2, stderr-map: lig/grid: 4, block: 6, stderr-map: lig/' "$T/w/pairs.yaml"
    status=0
    trjrun "$T/w/pairs.yaml" 2>"$T/err" || status=$?
    [[ $status == 3 && -z $(outputs) && -z $(find "$T/w" -name '.trjrun*') ]]
    pairs
    mkdir "$T/w/lig.error.dx"
    fails 3 "pairs.yaml:7:92: 'lig.error.dx' exists and is not a regular file" trjrun "$T/w/pairs.yaml"
    [[ -z $(outputs) ]]
}

@test "stages with a second output: reused if all of them are streams that match" {
    system
    recipe reuse.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: run.dcd}
  dens:  {tool: densmap, from: atoms, grid: 4, block: 2, engine: cpu, stderr-map: error.trjg, output: mean.trjg}
END
    sed 's/error.trjg/.error.trjg/; s/mean.trjg/.mean.trjg/' "$T/w/reuse.yaml" >"$T/w/hidden.yaml"
    trjrun "$T/w/hidden.yaml" 2>"$T/err"
    [[ $(outputs) == './.error.trjg ./.mean.trjg ' ]]
    trjrun "$T/w/reuse.yaml" 2>"$T/err"
    cp "$T/w/error.trjg" "$T/expected"
    trjrun "$T/w/reuse.yaml" 2>"$T/err"
    [[ $(<"$T/err") == 'trjrun: error.trjg: reused: commands, versions and inputs have not changed
trjrun: mean.trjg: reused: commands, versions and inputs have not changed' ]]
    head -c 100 "$T/expected" >"$T/w/error.trjg"
    trjrun "$T/w/reuse.yaml" 2>"$T/err"
    grep -q 'error.trjg mean.trjg: done' "$T/err"
    cmp "$T/w/error.trjg" "$T/expected"
}

@test "a stage with a second output and a stream that is read through a pipe" {
    system
    recipe pipe.yaml <<'END'
stages:
  atoms:  {tool: trjcat, files: run.dcd}
  counts: {tool: rdfhist, from: atoms, engine: cpu, rmax: 9, bins: 20, neighbours: 4, events: events.tsv}
  gr:     {tool: rdfnorm, from: counts, output: gr.tsv}
END
    trjrun "$T/w/pipe.yaml" 2>"$T/err"
    [[ $(outputs) == './events.tsv ./gr.tsv ' ]]
    same_as_shell pipe.yaml events.tsv gr.tsv
    trjrun --verify "$T/w/gr.tsv" 2>"$T/err"
    # A table in the pipe does not hide a missing second file.
    rm "$T/w/events.tsv"
    trjrun --only events.tsv "$T/w/pipe.yaml" 2>"$T/err"
    [[ $(outputs) == './events.tsv ./gr.tsv ' ]]
}

@test "one file for each frame: files in the folder of the output, as in a shell" {
    system
    recipe series.yaml <<'END'
variables: {step: [4, 5]}
stages:
  atoms:  {tool: trjcat, files: run.dcd}
  maps:   {tool: densmap, from: atoms, engine: cpu, each: {of: $step}, grid: $of, output: sub/$of.%05d.dx}
  stream: {tool: densmap, from: atoms, engine: cpu, each: true, grid: 4, output: all.trjg}
  files:  {tool: mapconv, from: stream, output: "one.%d.mrc"}
  faces:  {tool: surf, from: stream, level: 0.001, output: "s.%03d.ply"}
END
    trjrun "$T/w/series.yaml" 2>"$T/err"
    local files
    files=$(cd "$T/w" && ls sub/4.0000{0..5}.dx sub/5.0000{0..5}.dx one.{0..5}.mrc s.00{0..5}.ply all.trjg)
    [[ $(outputs | wc -w) == 25 && $(wc -w <<<"$files") == 25 ]]
    # shellcheck disable=SC2086 # words
    same_as_shell series.yaml $files
    recipe read.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: run.dcd}
  maps:  {tool: densmap, from: atoms, engine: cpu, grid: 4, output: "x.%05d.dx"}
  sum:   {tool: mapmath, from: maps, expression: a, output: sum.dx}
END
    fails 3 "read.yaml:5:32: stage 'sum' reads one file, but 'maps' writes a series of files, 'x.%05d.dx'" \
        trjrun --check "$T/w/read.yaml"
    sed -i 's/%05d/%s/' "$T/w/read.yaml"
    fails 3 "read.yaml:4:69: x.%s.dx: invalid number in the name" trjrun --check "$T/w/read.yaml"
    sed -i 's/x.%s/x.%05d/; /sum/d; s/output/stderr-map: e.dx, output/' "$T/w/read.yaml"
    fails 2 "stage 'maps': densmap ended with status 2" trjrun "$T/w/read.yaml"
    fails 2 "because of '%'" trjrun --make "$T/w/series.yaml"
}

@test "a map in NumPy format: its lattice appears beside it, and replaces only a lattice" {
    system
    recipe npy.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: run.dcd}
  map:   {tool: densmap, from: atoms, engine: cpu, grid: 4, output: sub/map.npy}
  sum:   {tool: mapmath, from: map, expression: a, output: sum.dx}
END
    trjrun "$T/w/npy.yaml" 2>"$T/err"
    [[ $(outputs) == './sub/map.json ./sub/map.npy ./sum.dx ' ]]
    same_as_shell npy.yaml sub/map.json sub/map.npy sum.dx
    trjrun "$T/w/npy.yaml" 2>"$T/err"
    echo '[1, 2, 3, 4]' >"$T/w/sub/map.json"
    fails 1 'sub/map.json: exists and would be replaced by a file that belongs to ' \
        trjrun "$T/w/npy.yaml"
    [[ $(<"$T/w/sub/map.json") == '[1, 2, 3, 4]' ]]
}

# A chain, its potential, and ions, with the chain as their solute.
ions() {
    recipe ions.yaml <<'END'
stages:
  ions:  {tool: ionplace, from: pot, units: kT/e, temperature: 298.15, ions: "SOD:+1", neutralise: true,
          solute: {from: chain}, table: ions.tsv, output: ions.pdb}
  chain: {tool: trjcat, files: chain.pqr, topology: chain.pqr, periodic: none, carry: charge, output: chain.trjf}
  pot:   {tool: potmap, from: chain, method: direct, dielectric: "78.54", soften: "clip:2", around: true, grid: 3,
          output: pot.dx}
END
}

@test "an option that reads the output of a stage: order, bytes, figure, makefile and provenance" {
    system
    ions
    trjrun -j 0 "$T/w/ions.yaml" 2>"$T/err"
    [[ $(outputs) == './chain.trjf ./ions.pdb ./ions.tsv ./pot.dx ' ]]
    same_as_shell ions.yaml chain.trjf ions.pdb ions.tsv pot.dx
    grep -q 'provenance: input xxh3:.* chain.trjf' "$T/w/ions.tsv"
    (cd "$T/w" && trjrun --verify ions.tsv) 2>"$T/err"
    grep -q 'ions.tsv: ionplace writes the same bytes' "$T/err"
    mv "$T/w/ions.tsv" "$T/w/renamed.tsv"
    trjrun --verify "$T/w/renamed.tsv" 2>"$T/err"
    echo >>"$T/w/renamed.tsv"
    fails 1 "renamed.tsv: the repeated result differs from byte $(($(stat -c %s "$T/w/renamed.tsv") - 1)) on" \
        trjrun --verify "$T/w/renamed.tsv"
    trjrun --graph "$T/graph.svg" "$T/w/ions.yaml"
    [[ $(grep -o 'class="file"' "$T/graph.svg" | wc -l) == 5 ]] # the chain is read as a file and as a topology
    [[ $(grep -o 'class="output"' "$T/graph.svg" | wc -l) == 4 ]]
    need make
    (cd "$T/w" && trjrun --make ions.yaml >ions.mk && make -s -f ions.mk && touch chain.trjf &&
        make -n -f ions.mk) >"$T/made" 2>"$T/err"
    grep -q -- '--only pot.dx' "$T/made"
    grep -q -- '--only ions.tsv' "$T/made"
    run ! grep -q -- '--only chain.trjf' "$T/made"
}

@test "an option that reads the output of a stage: each run reads the run with its values" {
    system
    recipe each.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: run.dcd, each: {half: [":3", "3:"]}, frames: $half, output: "$half.trjf"}
  map:   {tool: densmap, from: atoms, engine: cpu, grid: 4, output: "$half.dx"}
  fine:  {tool: densmap, from: atoms, engine: cpu, each: {step: [2, 3]}, grid: $step, output: "$half.$step.dx"}
  like:  {tool: mapmath, from: fine, expression: a, like: {from: map}, output: "like.$half.$step.dx"}
END
    trjrun "$T/w/each.yaml" 2>"$T/err"
    local half step
    for half in :3 3:; do
        for step in 2 3; do
            mapmath a "$T/w/$half.$step.dx" --like "$T/w/$half.dx" -o "$T/like.dx" 2>"$T/err"
            same <(grep -v '^#' "$T/like.dx") <(grep -v '^#' "$T/w/like.$half.$step.dx")
        done
    done
}

@test "options that read the output of a stage: errors name the place and the remedy" {
    system
    bad() { # PATTERN SED
        ions
        sed -i "$2" "$T/w/ions.yaml"
        fails 3 "$1" trjrun --check "$T/w/ions.yaml"
    }
    bad "ions.yaml:4:26: unknown stage 'chan'; did you mean 'chain'?" 's/solute: {from: chain}/solute: {from: chan}/'
    bad 'ions.yaml:4:19: a map, expected a file, or {from: STAGE}' 's/solute: {from: chain}/solute: {of: chain}/'
    bad 'ions.yaml:4:19: a map, expected a file, or {from: STAGE}' 's/{from: chain}/{from: chain, of: chain}/'
    bad 'ions.yaml:3:78: a map, expected a text' 's/ions: "SOD:+1"/ions: {from: pot}/'
    bad "ions.yaml:4:19: solute reads a file; add output: FILE to stage 'chain'" 's/, output: chain.trjf//'
    local instead="use 'from: chain' instead of files, or {from: chain}"
    bad "ions.yaml:4:19: 'chain.trjf' is written by stage 'chain'; $instead" 's/{from: chain}/chain.trjf/'
    bad "cycle: stage 'ions' reads from itself" 's/{from: chain}/{from: ions}/'
    bad "stage 'ions' writes 'ions.pdb' twice; give different names" 's/ions.tsv/ions.pdb/'
    bad "stages 'pot' and 'ions' both write 'pot.dx'" 's/ions.tsv/pot.dx/'
    bad "no folder 'none' for 'none/ions.tsv'; create it" 's/ions.tsv/none\/ions.tsv/'
    bad "writes 'chain.pqr', which stage 'chain' reads; only the file of the key 'output'" 's/ions.tsv/chain.pqr/'
    bad "unknown key 'apbs' in stage 'pot'" 's/around: true/apbs: chain.pqr/'
    # Stage `cc` would read the stream of `atoms` while it waits for a file made from this stream.
    recipe wait.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: run.dcd}
  map:   {tool: densmap, from: atoms, engine: cpu, grid: 4, output: map.dx}
  conv:  {tool: mapconv, from: map, output: map.mrc}
  cc:    {tool: mapcc, from: atoms, map: {from: conv}, sigma: 1, output: cc.tsv}
END
    fails 3 "wait.yaml:6:3: stage 'cc' reads the stream of 'atoms' while it waits for the output of 'conv', \
which is made from the same stream; add output: FILE to stage 'atoms'" trjrun --check "$T/w/wait.yaml"
    sed -i 's/from: conv/from: map/' "$T/w/wait.yaml"
    fails 3 'which is made from the same stream' trjrun --check "$T/w/wait.yaml"
    sed -i 's/files: run.dcd/files: run.dcd, output: run.trjf/; s/sigma: 1/sigma: 1, amplitude: "1"/' "$T/w/wait.yaml"
    trjrun "$T/w/wait.yaml" 2>"$T/err"
    [[ $(rows "$T/w/cc.tsv" | wc -l) == 6 ]]
}

@test "--verify: files that the provenance names as outputs are written to a temporary folder" {
    system
    recipe map.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: run.dcd}
  map:   {tool: densmap, from: atoms, engine: cpu, grid: 4, block: 2, stderr-map: error.dx, output: map.trjg}
END
    trjrun "$T/w/map.yaml" 2>"$T/err"
    mkdir "$T/tmp"
    echo precious >"$T/w/error.dx"
    (cd "$T/w" && TMPDIR=$T/tmp trjrun --verify map.trjg) 2>"$T/err"
    [[ $(<"$T/w/error.dx") == precious && -z $(ls -A "$T/tmp") ]]
}
