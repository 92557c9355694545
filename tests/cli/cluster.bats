#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2016
# Recipes in Slurm and in Snakemake: jobs that fail, that are requeued and resumed, and the bytes of one run.
load helper

teardown() {
    [[ ! -d $T/cluster ]] || tests/helpers/slurm_cluster stop "$T/cluster"
}

# cluster [NODES [CPUS]]: starts Slurm
cluster() {
    PATH=$PATH:/usr/sbin:/sbin
    need sbatch slurmctld slurmd munged
    tests/helpers/slurm_cluster start "$T/cluster" "$@"
    export SLURM_CONF=$T/cluster/slurm.conf
    # Jobs inherit the environment: that of a job in which the tests may run must not count.
    unset "${!SLURM_JOB@}" "${!SLURM_CPUS@}" "${!SBATCH_@}"
}

# own_tools: copies the tools to $T/bin, with a trjcat that stops for as long as $T/hold exists if it selects segment 2.
own_tools() {
    mkdir -p "$T/bin"
    cp "$TRJPIPE_BIN"/{trjrun,rdfhist,rdfnorm,trjstat} "$T/bin/"
    {
        printf '#!/bin/bash\nT=%q\n' "$T"
        printf 'case "$*" in *"--segment 2/"*)\n'
        printf '    echo $$ >>"$T/started"; while [ -e "$T/hold" ]; do sleep 0.05; done ;;\nesac\n'
        printf 'exec %q "$@"\n' "$TRJPIPE_BIN/trjcat"
    } >"$T/bin/trjcat"
    chmod +x "$T/bin/trjcat"
}

water() {
    mkdir -p "$T/w"
    cp examples/water/water.{dcd,pdb} "$T/w/"
    cat >"$T/w/w.yaml" <<'END'
trjrun: 1
segments: 4
stages:
  atoms:  {tool: trjcat, files: water.dcd, frames: ":64", topology: water.pdb, group: O=name OW}
  counts: {tool: rdfhist, from: atoms, engine: cpu, stats: true, output: w.rdfh}
  gr:     {tool: rdfnorm, from: counts, output: gr.tsv}
  volume: {tool: trjstat, from: atoms, observables: volume, output: v.tsv}
END
    own_tools
    (cd "$T/w" && "$T/bin/trjrun" w.yaml 2>"$T/err" && mkdir once && mv gr.tsv v.tsv once/ && rm w.rdfh)
}

# Compares the tables with those of one run.
alike() {
    local file
    for file in gr.tsv v.tsv; do
        same <(grep -v provenance "$T/w/once/$file") <(grep -v provenance "$T/w/$file")
    done
}

# await CONDITION...: waits until the command succeeds, at most two minutes
await_long() {
    local i
    for ((i = 0; i < 1200; i++)); do
        if "$@"; then return 0; fi
        sleep 0.1
    done
    echo "waited in vain: $*"
    squeue
    return 1
}

no_jobs() {
    [[ ! $(timeout 20 squeue -h) ]]
}

# resumed ARRAY: segment 2 is requeued once, and all jobs end. Slurm starts a requeued job after two minutes; `scontrol
# update` makes it start at once.
resumed() {
    local array=$1
    ended() {
        scontrol update jobid="${array}_2" StartTime=now 2>/dev/null
        no_jobs
    }
    await_long ended
    scontrol show job "${array}_2" | has 'Restarts=1 '
}

submit() {
    (cd "$T/w" && "$T/bin/trjrun" --slurm --submit "$@" w.yaml >"$T/printed" 2>"$T/err") ||
        { cat "$T/err" && return 1; }
}

@test "Slurm: an array job and its merge give the bytes of one run; tasks use the CPUs that Slurm gave them" {
    cluster 3 2
    water
    submit
    [[ $(cat "$T/printed") == 'segments 1-4: job '*'; merge: job '* ]]
    await_long no_jobs
    alike
    has 'stats: engine cpu, threads 1$' "$T/w/w.segments/segment.3.log"
    # Submitting again runs the merge alone.
    rm "$T"/w/*.tsv
    submit --sbatch --cpus-per-task=2
    [[ $(cat "$T/printed") == 'no segment is missing; merge: job '* ]]
    await_long no_jobs
    alike
    # Nothing is submitted if Slurm rejects one of the jobs.
    run ! submit --sbatch --partition=none
    [[ $output == *'nvalid partition'* ]]
    no_jobs
}

@test "Slurm: srun starts the ranks on the hosts that trjmap has assigned to them" {
    cluster 3 2
    printf '%s\n' 'n1 0' 'n2 4' 'n3 1' >"$T/coordinates"
    trjmap -c "$T/coordinates" --torus 9 --mesh x -a -s 2 --domains 6x1x1 -f slurm-arbitrary -o "$T/hosts"
    [[ $(uniq -c "$T/hosts" | awk '{ printf "%s:%s ", $2, $1 }') == @('n1:2 n3:2 n2:2 '|'n2:2 n3:2 n1:2 ') ]]
    SLURM_HOSTFILE=$T/hosts timeout 60 srun -n 6 --distribution=arbitrary \
        bash -c 'echo $SLURM_PROCID $SLURMD_NODENAME' |
        sort -n | cut -d ' ' -f 2 | same "$T/hosts" -
}

@test "Slurm: a task that is requeued in the middle is computed again, and the result has the bytes of one run" {
    cluster 2 2
    water
    touch "$T/hold"
    submit
    local array
    array=$(sed 's/.*job \([0-9]*\); merge.*/\1/' "$T/printed")
    await_long test -s "$T/started"
    [[ ! -e $T/w/w.segments/volume.2.tsv ]]
    scontrol requeue "${array}_2"
    rm "$T/hold"
    resumed "$array"
    alike
    [[ ! $(find "$T/w" -name '.trjrun*') ]]
}

@test "Slurm: a task is killed: the merge is cancelled; submitting again computes this segment alone" {
    cluster 2 2
    water
    touch "$T/hold"
    submit
    await_long test -s "$T/started"
    kill -KILL "$(head -n 1 "$T/started")"
    await_long no_jobs
    [[ ! -e $T/w/gr.tsv && ! -e $T/w/w.segments/counts.2.rdfh && ! $(find "$T/w" -name '.trjrun*') ]]
    grep 'Name=w.merge' "$T/cluster/jobcomp" | has JobState=CANCELLED
    has 'trjcat was killed by signal 9' "$T/w/w.segments/segment.2.log"
    rm "$T/hold"
    local time
    time=$(stat -c %y "$T/w/w.segments/counts.3.rdfh")
    submit
    [[ $(cat "$T/printed") == 'segments 2: job '* ]]
    await_long no_jobs
    alike
    [[ $(stat -c %y "$T/w/w.segments/counts.3.rdfh") == "$time" ]]
}

@test "Slurm: before its time limit a task saves its state and is requeued, and continues from it" {
    cluster 1 2
    water
    # The frames of segment 2 arrive, but not the end of their stream, so that the filters have a state to save.
    {
        printf '#!/bin/bash\nT=%q real=%q\n' "$T" "$TRJPIPE_BIN/trjcat"
        printf 'case "$*" in *"--segment 2/"*)\n    "$real" "$@" >"$T/stream"; head -c -60 "$T/stream"\n'
        printf '    echo $$ >>"$T/started"; while [ -e "$T/hold" ]; do sleep 0.05; done\n'
        printf '    tail -c 60 "$T/stream"; exit ;;\nesac\nexec "$real" "$@"\n'
    } >"$T/bin/trjcat"
    touch "$T/hold"
    submit
    local array
    array=$(sed 's/.*job \([0-9]*\); merge.*/\1/' "$T/printed")
    await_long test -s "$T/started"
    # The signal of --signal, which Slurm sends to the script of the task. A task that has just started cannot get it,
    # and for one that is requeued scancel waits.
    saved() { compgen -G "$T/w/w.segments/counts.2.*.checkpoint" >/dev/null; }
    signalled() {
        saved || timeout 2 scancel --signal=USR1 --batch "${array}_2" 2>/dev/null
        saved
    }
    await_long signalled
    rm "$T/hold"
    resumed "$array"
    alike
    has 'rdfhist: note: continues after the [1-9][0-9]* frames of the checkpoint' "$T/w/w.segments/segment.2.log"
    if saved; then return 1; fi
}

# snake: runs snakemake in $T/w; snake_on does so with -k
snake() {
    (cd "$T/w" && snakemake -c2 >"$T/log" 2>&1)
}

snake_on() {
    (cd "$T/w" && snakemake -c2 -k >"$T/log" 2>&1)
}

@test "Snakemake: a job that fails keeps the others; the next run computes what is missing; the bytes of one run" {
    need snakemake
    water
    (cd "$T/w" && "$T/bin/trjrun" --snakemake w.yaml >Snakefile)
    sed -i 's/while .* done ;;/[ ! -e "$T\/hold" ] || kill -KILL $$ ;;/' "$T/bin/trjcat"
    touch "$T/hold"
    run ! snake_on
    [[ -e $T/w/w.segments/counts.3.rdfh && ! -e $T/w/w.segments/counts.2.rdfh && ! -e $T/w/gr.tsv ]]
    rm "$T/hold"
    snake || { cat "$T/log" && return 1; }
    [[ $(grep -c '^ *wildcards: segment=' "$T/log") == 1 ]]
    alike
}

@test "Snakemake without segments: a rule for each output, with threads and resources" {
    need snakemake
    water
    sed -i 's/^segments.*/slurm: {partition: cpu, time: 60, cpus-per-task: 2}/' "$T/w/w.yaml"
    (cd "$T/w" && "$T/bin/trjrun" --snakemake w.yaml >Snakefile)
    snake || { cat "$T/log" && return 1; }
    [[ -s $T/w/gr.tsv && -s $T/w/v.tsv ]]
    has 'slurm_partition=cpu, slurm_extra=--time=60' "$T/log"
    has 'threads: 2' "$T/log"
}

@test "--snakemake: file names with quotes and blanks; braces and series of files are rejected" {
    need snakemake
    mkdir -p "$T/w/a b"
    cp examples/water/water.dcd "$T/w/a b/it's \"x\".dcd"
    cat >"$T/w/a b/r.yaml" <<'END'
trjrun: 1
segments: 2
stages:
  atoms:  {tool: trjcat, files: "it's \"x\".dcd", frames: ":9"}
  counts: {tool: rdfhist, from: atoms, rmax: 3, bins: 3, engine: cpu, output: "c $d.rdfh"}
variables: {d: e}
END
    (cd "$T/w" && trjrun --snakemake -D "d=f'1" 'a b/r.yaml' >Snakefile)
    snake || { cat "$T/log" && return 1; }
    [[ -s "$T/w/a b/c f'1.rdfh" ]]
    run -2 trjrun --snakemake -D 'd={1}' "$T/w/a b/r.yaml"
    [[ $output == *"Snakemake takes braces in file names for wildcards; rename the file" ]]
    cat >"$T/w/s.yaml" <<'END'
trjrun: 1
stages:
  atoms: {tool: trjcat, files: "a b/it's \"x\".dcd", frames: ":2"}
  maps:  {tool: densmap, from: atoms, grid: 5, fractional: true, output: "m.%02d.dx"}
END
    run -2 trjrun --snakemake "$T/w/s.yaml"
    [[ $output == *"--snakemake: "*"m.%02d.dx' is a series of files"* ]]
}
