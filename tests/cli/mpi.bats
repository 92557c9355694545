#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Ranks of MPI (--mpi): the bytes of one process, and one message for each error. Every installed MPI is tested.
load helper

# shellcheck disable=SC2034 # read by ranks() through the name of the MPI
openmpi=(mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none)
# shellcheck disable=SC2034 # the same
mpich=(mpirun.mpich)

# need_mpi [one]: sets `mpis` to those that are installed, and for which there is a plug-in, or to one of them.
need_mpi() {
    mpis=()
    local name
    for name in openmpi mpich; do
        [[ ! -e $TRJPIPE_BIN/plugins/mpi-$name.so ]] || ! command -v mpirun.$name >/dev/null || mpis+=("$name")
    done
    [[ ! ${1-} ]] || mpis=("${mpis[@]:0:1}")
    ((${#mpis[@]})) || skip 'no plug-in for an MPI whose mpirun is installed'
}

# ranks MPI N COMMAND...: runs N ranks. Messages of the launcher are long: errors of tests are easier to read without.
ranks() {
    local -n launcher=$1
    shift
    timeout 60 "${launcher[@]}" -n "$@"
}

# same_on N TOOL ARGUMENT...: N ranks of each MPI write the bytes of one process.
same_on() {
    local n=$1 tool=$2 mpi
    shift 2
    "$tool" "$@" -o "$T/one" 2>"$T/one.err"
    for mpi in "${mpis[@]}"; do
        ranks "$mpi" "$n" "$tool" --mpi "$@" -o "$T/$mpi" 2>"$T/$mpi.err" || { cat "$T/$mpi.err" && return 1; }
        cmp "$T/one" "$T/$mpi" || { echo "$mpi: $tool $*" && return 1; }
    done
}

# Writes $T/w.trjf: FRAMES frames of random molecules of three atoms.
water() {
    awk -v frames="${1-9}" "$AWK_RANDOM"'BEGIN { seed = 5; for (f = 0; f < frames; f++) {
        print "240\nLattice=\"14 0 0 1 13 0 2 1 12\" Properties=species:S:1:pos:R:3 Time=" f
        for (i = 0; i < 240; i++)
            printf "%s %.4f %.4f %.4f\n", i % 3 ? "H" : "O", 14 * random(), 13 * random(), 12 * random() } }' \
        >"$T/w.xyz"
    trjcat -g 'O=name O' -g 'H=name H' "$T/w.xyz" >"$T/w.trjf"
}

@test "rdfhist on 2 to 4 ranks: the bytes of one process" {
    need_mpi
    water
    same_on 2 rdfhist "$T/w.trjf" -p '*:*'
    same_on 3 rdfhist "$T/w.trjf" -p '*:*' -B 2 -r 5
    same_on 4 rdfhist "$T/w.trjf" -B 0
}

@test "rdfhist on ranks: lags, neighbours, triplets, angles and own images" {
    need_mpi
    water 11
    same_on 2 rdfhist "$T/w.trjf" --lag 1,2 -r 5
    same_on 3 rdfhist "$T/w.trjf" -p O:H --neighbours 3 -B 4
    same_on 2 rdfhist "$T/w.trjf" -p O:H --angle z:6 -r 5
    same_on 2 rdfhist "$T/w.trjf" --own-images -r 15 -B 3
}

@test "rdfhist --divide pairs: the bytes of one process, with a small and a large rmax and overlapping groups" {
    need_mpi
    water 2
    trjcat -g 'O=name O' -g 'all=all' "$T/w.xyz" >"$T/w.trjf"
    same_on 2 rdfhist "$T/w.trjf" -p '*:*' -r 3 --divide pairs
    same_on 3 rdfhist "$T/w.trjf" -p '*:*' -r 15 --divide pairs
    same_on 4 rdfhist "$T/w.trjf" -p '*:*' --divide pairs -B 1
    trjcat -P none -g 'O=name O' -g 'all=all' "$T/w.xyz" >"$T/w.trjf"
    same_on 3 rdfhist "$T/w.trjf" -p '*:*' -r 6 --divide pairs
}

@test "rdfhist -e cpu and --divide pairs: no note of shared GPUs" {
    need_mpi one
    water 1
    for arguments in '-e cpu' '--divide pairs'; do
        # shellcheck disable=SC2086 # two arguments
        CUDA_VISIBLE_DEVICES=0 run ranks "${mpis[0]}" 2 rdfhist --mpi $arguments "$T/w.trjf" -o "$T/out"
        [[ $status == 0 && $output != *'share a GPU'* ]]
    done
}

@test "rdfhist --hosts: slabs in the order of a map of trjmap, and the bytes of one process" {
    need_mpi one
    water 2
    printf 'host%d %d\n' 0 2 1 0 2 1 >"$T/network"
    trjmap -c "$T/network" --torus 3 --domains 3x1x1 --all-hosts -o "$T/map"
    rdfhist "$T/w.trjf" -p '*:*' -r 3 -o "$T/one"
    # shellcheck disable=SC2016 # the variables are those of the ranks
    ranks "${mpis[0]}" 3 bash -c 'SLURMD_NODENAME=host$((2 - ${OMPI_COMM_WORLD_RANK-$PMI_RANK})) exec "$@"' - \
        rdfhist --mpi --divide pairs --hosts "$T/map" "$T/w.trjf" -p '*:*' -r 3 -o "$T/out"
    cmp "$T/one" "$T/out"
    run ranks "${mpis[0]}" 2 rdfhist --mpi --divide pairs --hosts "$T/map" "$T/w.trjf" -o "$T/bad"
    [[ $status == 3 && $output == *'--hosts: '*'map: line '*'give trjmap the hosts of this job'* && ! -e $T/bad ]]
    run ranks "${mpis[0]}" 2 rdfhist --mpi --hosts "$T/map" "$T/w.trjf" -o "$T/bad"
    [[ $status == 2 && $output == *'the ranks divide frames, '*'give --divide pairs, or leave --hosts out'* ]]
    run rdfhist --hosts "$T/map" "$T/w.trjf" -o "$T/bad"
    [[ $status == 2 && $output == *'--hosts orders the slabs of ranks of MPI; add --mpi, or '* && ! -e $T/bad ]]
}

@test "densmap, potmap and ligmap on ranks: the bytes of one process" {
    need_mpi
    mkdcd --atoms 60 --frames 7 --cell 12,12,12 >"$T/x.dcd"
    trjcat "$T/x.dcd" >"$T/x.trjf"
    same_on 2 densmap "$T/x.trjf" -g 2
    same_on 3 densmap "$T/x.trjf" -g 2 -B 2
    random_charges y 60 6 12,12,12
    same_on 2 potmap "$T/y.trjf" --method direct -g 3
    same_on 3 potmap "$T/y.trjf" --method cutoff -k shift -r 3 -g 3 --mean
    run ranks "${mpis[0]}" 2 potmap --mpi --method pme -g 3 "$T/y.trjf" -o "$T/out"
    [[ $status == 2 && $output == *'--mpi does not work with --method pme'* ]]
    lj_topology 60
    trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon "$T/x.dcd" >"$T/z.trjf"
    same_on 2 ligmap "$T/z.trjf" -l Ar -r 5 -T 300 -g 3
}

@test "densmap and potmap --divide map: the bytes of one process, in slabs of unequal size" {
    need_mpi one # data are exchanged as by --divide pairs, which is tested with each MPI
    water 3
    same_on 2 densmap "$T/w.trjf" --of O -g 1 --divide map
    same_on 4 densmap "$T/w.trjf" --of H --fractional -g 0.7 --sigma 0.8 -B 2 --divide map
    same_on 3 densmap "$T/w.trjf" --of H -g 0.9 --kernel ball --radius 2 --to dx --divide map
    random_charges y 90 3 12,13,14
    same_on 3 potmap "$T/y.trjf" --method cutoff -k shift -r 5 -g 0.5 --mean --divide map
    same_on 2 potmap "$T/y.trjf" --method direct -g 0.8 --divide map
    densmap "$T/w.trjf" --of O -g 1 --kernel cic -B 1 --stderr-map "$T/error" -o "$T/mean"
    mv "$T/error" "$T/error1"
    same_on 3 densmap "$T/w.trjf" --of O -g 1 --kernel cic -B 1 --stderr-map "$T/error" --divide map
    cmp "$T/error" "$T/error1"
    densmap "$T/w.trjf" --of O -g 1 -o "$T/f%d.npy"
    cat "$T"/f?.npy >"$T/one"
    ranks "${mpis[0]}" 2 densmap --mpi --divide map "$T/w.trjf" --of O -g 1 -o "$T/f%d.npy"
    cat "$T"/f?.npy | cmp - "$T/one"
}

@test "densmap and potmap --divide map: options that require the whole map are rejected with a remedy" {
    need_mpi
    water 1
    random_charges y 90 1 12,13,14
    run ranks "${mpis[0]}" 2 densmap --mpi --divide map "$T/w.trjf" --of O -g 1 --stderr-map "$T/e" -o "$T/out"
    [[ $status == 2 && $output == *'no rank has with --divide map; add --block N, or use --divide frames'* ]]
    run ranks "${mpis[0]}" 2 densmap --mpi --divide map -e reference "$T/w.trjf" --of O -g 1 -o "$T/out"
    [[ $status == 4 && $output == *'computes only whole maps; use -e cpu, or --divide frames'* ]]
    run ranks "${mpis[0]}" 2 potmap --mpi --divide map "$T/y.trjf" --method cutoff -k shift -r 3 -g 2 -o "$T/out"
    [[ $status == 2 && $output == *'in 1 layer, which is fewer layers than the 2 ranks; start fewer ranks'* ]]
    run densmap --divide map --body O:H:H "$T/w.trjf" --of O -g 1 -o "$T/out"
    [[ $status == 2 && $output == *'--divide map: does not work with --body'* ]]
    run potmap --divide map "$T/y.trjf" --method fast -g 2 -o "$T/out"
    [[ $status == 2 && $output == *'require the whole map; leave --mpi and --divide out'* && ! -e $T/out ]]
}

@test "skhist on ranks: the bytes of one process, also with lags" {
    need_mpi
    water 12
    same_on 2 skhist "$T/w.trjf" -q 2
    same_on 3 skhist "$T/w.trjf" -q 2 --lag 0,1 -p '*:*' -B 3
}

@test "trjstat on ranks: series, summary and results of all frames are those of one process" {
    need_mpi
    water 12
    same_on 2 trjstat -i "$T/w.trjf" 'contacts(O, H, 2)' 'volume()'
    same_on 3 trjstat -i "$T/w.trjf" --summary 'mindist(O, H)' 'cell()'
}

@test "standard input of rank 0 and standard output work in pipelines" {
    need_mpi
    water
    rdfhist <"$T/w.trjf" >"$T/one"
    for mpi in "${mpis[@]}"; do
        mkfifo "$T/$mpi.fifo"
        cat "$T/w.trjf" >"$T/$mpi.fifo" &
        ranks "$mpi" 2 rdfhist --mpi "$T/$mpi.fifo" >"$T/out"
        wait
        rdfnorm "$T/out" | grep -v '^#' >"$T/a"
        rdfnorm "$T/one" | grep -v '^#' | cmp - "$T/a"
    done
    [[ ${mpis[0]} != openmpi ]] || ranks openmpi 2 rdfhist --mpi <"$T/w.trjf" | cmp - "$T/one"
}

@test "an input that the other ranks lack, or have with other bytes, is that of rank 0" {
    need_mpi
    water
    mkdir "$T/same" "$T/other" "$T/none"
    cp -p "$T/w.trjf" "$T/same"
    water 5
    cp -p "$T/w.trjf" "$T/other"
    touch -r "$T/same/w.trjf" "$T/other/w.trjf"
    (cd "$T/same" && rdfhist w.trjf >"$T/one")
    local mpi folder
    for mpi in "${mpis[@]}"; do
        local -n launcher=$mpi
        for folder in same other none; do
            timeout 60 "${launcher[@]}" -wdir "$T/same" -n 1 rdfhist --mpi w.trjf -o "$T/out" : \
                -wdir "$T/$folder" -n 1 rdfhist --mpi w.trjf -o "$T/out"
            cmp "$T/one" "$T/out" || { echo "$mpi: $folder" && return 1; }
        done
    done
}

@test "a pipe with more bytes than ranks keep, and a rank that reads slowly" {
    need_mpi one
    mkdcd --atoms 500000 --frames 14 --cell 170,170,170 | trjcat -o "$T/w.trjf" - # 84 MB
    densmap -g 50 "$T/w.trjf" -o "$T/one.trjg"
    mkfifo "$T/fifo"
    cat "$T/w.trjf" >"$T/fifo" &
    ranks "${mpis[0]}" 2 densmap --mpi -g 50 "$T/fifo" -o "$T/two.trjg"
    wait
    for name in one two; do mapconv --to npy -o "$T/$name.npy" "$T/$name.trjg"; done
    cmp "$T/one.npy" "$T/two.npy"
}

@test "only rank 0 prints notes, and each error is printed once" {
    need_mpi
    water
    head -c 20000 "$T/w.trjf" >"$T/cut.trjf"
    for mpi in "${mpis[@]}"; do
        run ranks "$mpi" 3 rdfhist --mpi "$T/w.trjf" -o "$T/out"
        [[ $status == 0 && $(grep -c '^rdfhist: engine' <<<"$output") == 1 ]]
        run ranks "$mpi" 3 rdfhist --mpi "$T/cut.trjf" -o "$T/bad"
        [[ $status == 3 && $(grep -c 'truncated' <<<"$output") == 1 && ! -e $T/bad ]]
        run ranks "$mpi" 3 rdfhist --mpi "$T/missing.trjf" -o "$T/bad"
        [[ $status == 1 && $(grep -c 'missing.trjf' <<<"$output") == 1 ]]
        run ranks "$mpi" 2 rdfhist --mpi --checkpoint "$T/c" "$T/w.trjf" -o "$T/bad"
        [[ $status != 0 && $output == *'--mpi does not work with --checkpoint'* ]]
    done
}

@test "an error of reading that ends the input of all ranks is printed as such" {
    need_mpi
    for mpi in "${mpis[@]}"; do
        run ranks "$mpi" 2 rdfhist --mpi /proc/self/mem -o "$T/bad"
        [[ $status == 1 && $output == *'/proc/self/mem: cannot read: '* && $output != *'is empty'* && ! -e $T/bad ]]
    done
}

@test "ranks that find an error while rank 0 computes: it is printed once" {
    need_mpi
    mkdcd --atoms 40000 --frames 2 --cell 60,60,60 | trjcat -o "$T/w.trjf" -
    cp "$T/w.trjf" "$T/bad.trjf"
    printf 'damage' | dd of="$T/bad.trjf" bs=1 seek=$(($(wc -c <"$T/w.trjf") - 9999)) conv=notrunc 2>/dev/null
    for mpi in "${mpis[@]}"; do
        run ranks "$mpi" 4 rdfhist --mpi -e reference -r 60 "$T/bad.trjf" -o "$T/bad"
        [[ $status == 3 && $(grep -c 'checksum mismatch' <<<"$output") == 1 && ! -e $T/bad ]]
    done
}

@test "a rank that is killed: all end with an error within seconds, and no output remains" {
    need_mpi
    water
    for mpi in "${mpis[@]}"; do
        mkfifo "$T/$mpi.in"
        sleep 30 >"$T/$mpi.in" &
        sleeper=$!
        began=$SECONDS
        # Rank 1 kills itself; the others wait for input.
        # shellcheck disable=SC2016 # the variables are those of the ranks
        run ! ranks "$mpi" 2 bash -c 'if [[ ${OMPI_COMM_WORLD_RANK-$PMI_RANK} == 1 ]]; then (sleep 1; kill -9 $$) & fi
            exec rdfhist --mpi "$1" -o "$2"' - "$T/$mpi.in" "$T/$mpi.out" 2>/dev/null
        ((SECONDS - began < 15))
        kill "$sleeper"
        [[ ! -e $T/$mpi.out ]]
    done
}

@test "the launcher of another MPI: an error with a remedy" {
    need_mpi
    water 1
    if [[ -e $TRJPIPE_BIN/plugins/mpi-mpich.so ]]; then
        PMI_SIZE=4 run rdfhist --mpi "$T/w.trjf" -o "$T/out"
        [[ $status == 2 && $output == *'the launcher has started 4 ranks (PMI_SIZE), but MPICH connects 1'* ]]
    fi
    SLURM_NTASKS=3 run rdfhist --mpi "$T/w.trjf" -o "$T/out"
    [[ $status == 2 && $output == *'SLURM_NTASKS is 3'*'mpirun'* && ! -e $T/out ]]
}

@test "--mpi without a launcher: one rank, the same bytes and a note" {
    need_mpi
    water 2
    rdfhist "$T/w.trjf" -o "$T/one"
    run rdfhist --mpi "$T/w.trjf" -o "$T/out"
    [[ $status == 0 && $output == *'there is 1 rank'* ]]
    cmp "$T/one" "$T/out"
}

@test "--mpi without a plug-in: exit status 4 and a remedy" {
    water 1
    mkdir "$T/bin"
    cp "$TRJPIPE_BIN/rdfhist" "$T/bin"
    run "$T/bin/rdfhist" --mpi "$T/w.trjf"
    [[ $status == 4 && $output == *'no plug-in for MPI'*'leave --mpi out'* ]]
    OMPI_COMM_WORLD_SIZE=2 run "$T/bin/rdfhist" --mpi "$T/w.trjf"
    [[ $status == 4 && $output == *'no plug-in for Open MPI'* ]]
}

@test "plug-ins are found in libexec beside the folder of the programs, and tools link no MPI" {
    need_mpi
    water 1
    mkdir -p "$T/usr/bin" "$T/usr/libexec/trjpipe"
    cp "$TRJPIPE_BIN/rdfhist" "$T/usr/bin"
    cp "$TRJPIPE_BIN"/plugins/*.so "$T/usr/libexec/trjpipe"
    "$T/usr/bin/rdfhist" --mpi "$T/w.trjf" -o "$T/out"
    need ldd
    ldd "$TRJPIPE_BIN/rdfhist" >"$T/libraries"
    run ! grep mpi "$T/libraries"
}
