#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --checkpoint: a run that was ended continues with the same command, and its output has the bytes of a run that was not
# disturbed; other inputs, commands and damaged files are rejected.
load helper

FRAMES=10

# Prints frames of 60 atoms at random positions, two of three of which are H: a number of frames and a seed.
atoms() {
    awk -v frames="$1" -v seed="$2" "$AWK_RANDOM"'BEGIN {
        for (f = 0; f < frames; f++) {
            printf "60\nLattice=\"14 0 0 0 14 0 0 0 15\" Properties=species:S:1:pos:R:3 Time=%d\n", 2 * f
            for (i = 0; i < 60; i++)
                printf "%s %.4f %.4f %.4f\n", i % 3 ? "H" : "O", 14 * random(), 14 * random(), 15 * random() } }'
}

# Writes s.trjf, d.trjf with a dynamic group, and q.trjf with charges, names and masses, not periodic in w.trjf.
make_streams() {
    atoms $FRAMES 3 >"$T/s.xyz"
    atoms 1 3 | awk 'NR > 2 { printf "ATOM  %5d  %s   RES  %4d    %8.3f%8.3f%8.3f %7.4f %6.4f\n",
        NR - 2, $1, int((NR - 3) / 3) + 1, $2, $3, $4, $1 == "H" ? 0.4 : -0.8, $1 == "H" ? 1 : 1.6 }' >"$T/q.pqr"
    trjcat -g 'O=element O' -g 'H=element H' -o "$T/s.trjf" "$T/s.xyz"
    trjcat -g 'O=element O' -g 'D=within 4 of element O' -o "$T/d.trjf" "$T/s.xyz"
    trjcat -t "$T/q.pqr" --carry charge,radius -o "$T/q.trjf" "$T/s.xyz" 2>/dev/null
    trjcat -t "$T/q.pqr" -P none -g 'P=element O' -g A=all -o "$T/w.trjf" "$T/s.xyz" 2>/dev/null
    printf '0 3\n3 6\n9 33\n' >"$T/pairs"
    printf '1 2 3\n4 5 6\n' >"$T/points"
}

# Writes p.trjf, each of whose four frames fills a block, and its first part, which ends in the third frame.
make_halves() {
    mkdcd --atoms 24000 --frames 4 --cell 60,60,60 | trjcat -o "$T/p.trjf" - 2>/dev/null
    head -c $(($(stat -c %s "$T/p.trjf") * 6 / 10)) "$T/p.trjf" >"$T/half"
}

# stop FRAME STATUS COMMAND...: runs a command that ends after this frame as if a signal had come
stop() {
    local at=$1 expected=$2 status=0
    shift 2
    TRJPIPE_CHECKPOINT=$at "$@" 2>"$T/err" || status=$?
    ((status == expected)) || { echo "$*: status $status" && cat "$T/err" && return 1; }
}

# continues OUTPUT COMMAND...: stopped after some frames, the command continues with the bytes of an undisturbed run
continues() {
    local output=$1 at
    shift
    "$@" -o "$output" 2>"$T/err" || { echo "$*" && cat "$T/err" && return 1; }
    mv "$output" "$T/expected"
    for at in 1 4 7; do
        rm -f "$output"
        stop $at 5 "$@" -o "$output" --checkpoint "$T/ck"
        [[ ! -e $output ]]
        "$@" -o "$output" --checkpoint "$T/ck" 2>"$T/err" || { echo "$*" && cat "$T/err" && return 1; }
        has 'note: continues after the ' <"$T/err"
        cmp "$output" "$T/expected" || { echo "after $at frames: $*" && return 1; }
    done
    [[ $(cd "$T" && echo ck*) == 'ck*' ]]
}

@test "rdfhist continues with the same bytes: records, lags, dynamic groups, neighbours, exclusions, surfaces" {
    make_streams
    continues "$T/out" rdfhist -b 30 -p '*:*' "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 -B 3 "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 -B 0 -j 1 "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 -e reference "$T/s.trjf"
    continues "$T/out" rdfhist -b 20 --lag 1,2 -j 3 "$T/s.trjf"
    continues "$T/out" rdfhist -b 20 --lag 2 -B 3 "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 -p O:D -p D:D "$T/d.trjf"
    continues "$T/out" rdfhist -b 30 -p O:D -x pairs:"$T/pairs" "$T/d.trjf"
    continues "$T/out" rdfhist -b 30 -B 4 -x pairs:"$T/pairs" "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 --neighbours 3 "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 --neighbours 3 -B 3 -e reference "$T/s.trjf"
    continues "$T/out" rdfhist -r 6 --triplet O:O:O "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 --surface set:8 -p O:H "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 --own-images "$T/s.trjf"
    continues "$T/out" rdfhist -b 30 --metric z "$T/s.trjf"
}

@test "skhist continues with the same bytes: shells, records, lags, single vectors" {
    make_streams
    continues "$T/out" skhist -q 2 "$T/s.trjf"
    continues "$T/out" skhist -q 2 -B 3 -j 1 "$T/s.trjf"
    continues "$T/out" skhist -q 2 --lag 0,1,3 "$T/s.trjf"
    continues "$T/out" skhist -q 2 --lag 0,1,3 -B 4 -p O:H "$T/s.trjf"
    continues "$T/out" skhist -q 1 --vectors "$T/s.trjf"
}

@test "densmap, potmap and ligmap continue with the same bytes: records, each, mean, standard errors, points" {
    make_streams
    continues "$T/out" densmap --of O -g 2 "$T/s.trjf"
    continues "$T/out" densmap --of O -g 2 -B 3 -j 1 "$T/s.trjf"
    continues "$T/out" densmap --of O -g 3 --each "$T/s.trjf"
    continues "$T/out.dx" densmap --of O -g 2 -k gauss --sigma 1 --stderr-map "$T/e.dx" "$T/s.trjf"
    continues "$T/out" potmap --method direct -g 3 -B 3 "$T/q.trjf"
    continues "$T/out" potmap --method cutoff -k shift -r 5 -g 3 "$T/q.trjf"
    continues "$T/out" potmap --method mdh --debye 8 --inside ok --points "$T/points" "$T/q.trjf"
    continues "$T/out" potmap --method mdh --debye 8 --inside ok --points "$T/points" --each "$T/q.trjf"
    lj_topology 60 # four atoms a frame are enough for the order of the records
    trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon -o "$T/l.trjf" "$T/s.xyz" 2>/dev/null
    continues "$T/out" ligmap -l Ar -r 6 -g 3 "$T/l.trjf"
    continues "$T/out" ligmap -l Ar -r 6 -g 3 --units kJ/mol --stderr-map "$T/e.npy" "$T/l.trjf"
}

@test "potmap --method pme: charges on the mesh are rounded once, also after a restart" {
    make_streams
    potmap --method pme -g 3 -m "$T/q.trjf" >"$T/pme" 2>/dev/null || skip 'a build without FFTW'
    continues "$T/out" potmap --method pme -g 3 -m "$T/q.trjf"
    continues "$T/out" potmap --method pme -g 3 -B 4 --full -r 5 "$T/q.trjf"
}

@test "trjstat continues with the same bytes: series, summary, rmsf, pca, maps, profiles, histograms" {
    make_streams
    continues "$T/out" trjstat -i "$T/w.trjf" 'rg(P, weights=none)' 'contacts(P, A, 4)'
    continues "$T/out" trjstat -i "$T/w.trjf" --summary 'rg(P, weights=none)' -j 3
    continues "$T/out" trjstat -i "$T/w.trjf" --rmsf P
    continues "$T/out" trjstat -i "$T/w.trjf" --rmsf P --fit none --sums
    continues "$T/out" trjstat -i "$T/w.trjf" --pca P
    continues "$T/out" trjstat -i "$T/w.trjf" --map 'contacts(P, A, 4)' -j 1
    continues "$T/out.npy" trjstat -i "$T/w.trjf" --map 'mindist(P, A)'
    continues "$T/out" trjstat -i "$T/w.trjf" --map 'rmsd(P)'
    continues "$T/out" trjstat -i "$T/s.trjf" --profile z 'number(O)'
    continues "$T/out" trjstat -i "$T/w.trjf" --hist 'rg(P, weights=none)' -b 10 --range 2:12
}

@test "a restart may use other threads and another engine, and read from a pipe as before" {
    make_streams
    rdfhist -b 30 <"$T/s.trjf" >"$T/expected" 2>/dev/null
    stop 4 5 rdfhist -b 30 -j 1 --checkpoint "$T/ck" <"$T/s.trjf" >"$T/out"
    # shellcheck disable=SC2002 # a pipe
    cat "$T/s.trjf" | rdfhist -b 30 -j 3 --checkpoint "$T/ck" 2>/dev/null >"$T/out"
    cmp "$T/out" "$T/expected"
    # The checkpoint of a checkpoint
    stop 2 5 rdfhist -b 30 -e cpu --checkpoint "$T/ck" <"$T/s.trjf" >"$T/out"
    stop 3 5 rdfhist -b 30 --checkpoint "$T/ck" <"$T/s.trjf" >"$T/out"
    stop 9 5 rdfhist -b 30 --checkpoint "$T/ck" <"$T/s.trjf" >"$T/out"
    rdfhist -b 30 --checkpoint "$T/ck" <"$T/s.trjf" 2>/dev/null >"$T/out"
    cmp "$T/out" "$T/expected"
}

@test "another input is rejected at the first frame at which that is known, and the checkpoint stays" {
    make_streams
    stop 7 5 densmap -g 3 --of O -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    cp "$T/ck" "$T/ck.copy"
    atoms $FRAMES 4 | trjcat -g 'O=element O' -g 'H=element H' -o "$T/other.trjf" -
    cp "$T/s.trjf" "$T/kept.trjf"
    cp "$T/other.trjf" "$T/s.trjf"
    fails 3 'frame 0 is not that of the checkpoint' densmap -g 3 --of O -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    { trjcat -f :5 "$T/kept.trjf" && trjcat -f 5: "$T/other.trjf"; } | trjcat -o "$T/s.trjf" - 2>/dev/null ||
        trjcat -o "$T/s.trjf" <(trjcat -f :5 "$T/kept.trjf") <(trjcat -f 5: "$T/other.trjf")
    fails 3 'frames 4 to 6 is not that' densmap -g 3 --of O -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    trjcat -f :5 -o "$T/s.trjf" "$T/kept.trjf"
    fails 3 'has 5 frames, and the checkpoint' densmap -g 3 --of O -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    trjcat -g 'O=element O' -g 'H=index 1' -o "$T/s.trjf" "$T/s.xyz"
    fails 3 'atoms or groups are not those' densmap -g 3 --of O -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    cmp "$T/ck" "$T/ck.copy"
    cp "$T/kept.trjf" "$T/s.trjf"
    densmap -g 3 --of O -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf" 2>/dev/null
}

@test "other options, and an option's file with another content, are rejected" {
    make_streams
    stop 3 5 rdfhist -b 30 -x pairs:"$T/pairs" -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    fails 2 'belongs to another command, version or input file' \
        rdfhist -b 31 -x pairs:"$T/pairs" -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    fails 2 'belongs to another command' rdfhist -b 30 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    fails 2 'belongs to another command' skhist -q 1 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    echo '12 15' >>"$T/pairs"
    fails 2 'belongs to another command' \
        rdfhist -b 30 -x pairs:"$T/pairs" -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
}

@test "a damaged or truncated checkpoint is an error with a remedy, never a restart from the beginning" {
    make_streams
    local size i
    run_it() { rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"; }
    stop 5 5 rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    cp "$T/ck" "$T/whole"
    cp "$T/ck.records" "$T/whole.records"
    size=$(stat -c %s "$T/ck")
    for ((i = 0; i < 12; i++)); do
        head -c $((size * i / 12)) "$T/whole" >"$T/ck"
        fails 3 'is damaged, or is no checkpoint; to begin again, remove it' \
            rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
        cp "$T/whole" "$T/ck"
        printf '\x5a' | dd of="$T/ck" bs=1 seek=$((size * i / 12 + 3)) conv=notrunc status=none
        fails 3 'remove it' rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    done
    cp "$T/whole" "$T/ck"
    head -c -1 "$T/whole.records" >"$T/ck.records"
    fails 3 'remove both files' rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    cp "$T/whole.records" "$T/ck.records"
    printf '\x5a' | dd of="$T/ck.records" bs=1 seek=100 conv=notrunc status=none
    fails 3 'remove both files' rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    rm "$T/ck.records"
    fails 3 'remove both files' rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    cp "$T/s.xyz" "$T/ck"
    fails 3 'is no checkpoint' rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    cmp "$T/ck" "$T/s.xyz"
    rm "$T/ck"
    cp "$T/s.xyz" "$T/ck.records"
    fails 2 'does not belong to a checkpoint' rdfhist -b 30 -B 2 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    cmp "$T/ck.records" "$T/s.xyz"
}

@test "names: an output, an input or another file at a path of the checkpoint is rejected and stays" {
    make_streams
    cd "$T"
    fails 2 'both the checkpoint and an output' rdfhist -b 30 -o ck --checkpoint ck s.trjf
    fails 2 'both the checkpoint and an output' rdfhist -b 30 -o "$T/ck" --checkpoint ck s.trjf
    fails 2 'both the checkpoint and an output' \
        densmap --of O -g 3 --stderr-map ck.dx -o out.dx --checkpoint ck.dx s.trjf
    fails 1 'both an input and an output' rdfhist -b 30 -o ck.records --checkpoint ck s.trjf
    [[ $(echo ck*) == 'ck*' ]]
    cp s.trjf ck.new
    fails 2 'ck.new exists, is no checkpoint' rdfhist -b 30 -o out --every 0.000001s --checkpoint ck ck.new
    fails 2 'ck.new exists, is no checkpoint' rdfhist -b 30 -o out --every 0.000001s --checkpoint ck s.trjf
    cmp ck.new s.trjf
    rm ck.new
    cp s.trjf ck
    fails 3 'give another name' rdfhist -b 30 -o out --checkpoint ck ck
    cmp ck s.trjf
    rm ck
    # The file to which a symbolic link leads is removed, not the link.
    ln -s real ck
    stop 4 5 rdfhist -b 30 -o out --checkpoint ck s.trjf
    [[ -s real ]]
    rdfhist -b 30 -o out --checkpoint ck s.trjf 2>err
    has 'continues after the 4 frames' <err
    [[ -L ck && ! -e real ]]
}

@test "another engine: potmap --method pme requires the same one, and says so; the checkpoint stays" {
    make_streams
    potmap --method pme -g 3 -m "$T/q.trjf" >"$T/pme" 2>/dev/null || skip 'a build without FFTW'
    stop 4 5 potmap --method pme -g 3 -m -e cpu -o "$T/out" --checkpoint "$T/ck" "$T/q.trjf"
    cp "$T/ck" "$T/ck.copy"
    fails 2 'those of another engine' \
        potmap --method pme -g 3 -m -e reference -o "$T/out" --checkpoint "$T/ck" "$T/q.trjf"
    cmp "$T/ck" "$T/ck.copy"
    potmap --method pme -g 3 -m -e cpu -o "$T/out" --checkpoint "$T/ck" "$T/q.trjf" 2>"$T/err"
    has 'continues after the 4 frames' <"$T/err"
}

@test "trjstat names an input with fewer frames than the checkpoint, before it computes results" {
    make_streams
    stop 7 5 trjstat -i "$T/w.trjf" --rmsf P -o "$T/out" --checkpoint "$T/ck"
    cp "$T/w.trjf" "$T/kept.trjf"
    trjcat -f :5 -o "$T/w.trjf" "$T/kept.trjf"
    fails 3 'has 5 frames, and the checkpoint' trjstat -i "$T/w.trjf" --rmsf P -o "$T/out" --checkpoint "$T/ck"
    cp "$T/kept.trjf" "$T/w.trjf"
    trjstat -i "$T/w.trjf" --rmsf P -o "$T/out" --checkpoint "$T/ck" 2>"$T/err"
    has 'continues after the 7 frames' <"$T/err"
}

@test "signals after the last frame: one lets the output be completed, a second one ends a tool whose reader waits" {
    make_streams
    local status=0
    mkfifo "$T/reader"
    exec 7<>"$T/reader" # which nobody reads, and which has no room for the whole output
    potmap --method direct -g 0.25 --checkpoint "$T/ck" "$T/q.trjf" >&7 2>"$T/err" 7>&- 3>&- &
    await test -s "$T/err"
    sleep 1
    kill -s TERM $!
    sleep 0.2
    kill -s TERM $! || true
    wait $! || status=$?
    exec 7>&-
    [[ $status == 143 || $status == 5 ]] # 5 on a busy machine: the first signal came before the last frame
}

@test "signals: TERM and USR1 save the state and end with status 5, also while the tool waits for its input" {
    make_halves
    local signal status
    rdfhist -r 2 -b 30 <"$T/p.trjf" >"$T/expected" 2>/dev/null
    mkfifo "$T/pipe"
    for signal in TERM USR1; do
        rdfhist -r 2 -b 30 --checkpoint "$T/ck" -o "$T/out" <"$T/pipe" 2>"$T/err" 3>&- &
        exec 7>"$T/pipe"
        cat "$T/half" >&7
        sleep 0.3
        kill -s $signal $!
        status=0
        wait $! || status=$?
        exec 7>&-
        ((status == 5)) || { cat "$T/err" && return 1; }
        has "ended by signal .* run the same command again" <"$T/err"
        [[ -s $T/ck && ! -e $T/out ]]
        rdfhist -r 2 -b 30 --checkpoint "$T/ck" -o "$T/out" <"$T/p.trjf" 2>"$T/err"
        has 'continues after' <"$T/err"
        cmp "$T/out" "$T/expected"
        rm "$T/out"
    done
}

@test "SIGTERM and SIGUSR1 before the header of the input: rdfhist ends with status 5 and leaves no file" {
    mkfifo "$T/pipe"
    local signal status pid
    for signal in TERM USR1; do
        env --default-signal=$signal rdfhist -r 2 --checkpoint "$T/ck" -o "$T/out" <"$T/pipe" 2>"$T/err" 3>&- 7>&- &
        pid=$!
        exec 7>"$T/pipe"
        await test -e "$T/ck.records"
        sleep 0.2
        kill -s $signal $pid
        status=0
        wait $pid || status=$?
        exec 7>&-
        ((status == 5)) || { cat "$T/err" && return 1; }
        [[ $(<"$T/err") == 'rdfhist: ended by a signal before the first frame; run the same command again' ]]
        [[ $(ls "$T") == $'err\npipe' ]]
    done
}

@test "a process that uses the checkpoint locks it" {
    make_streams
    mkfifo "$T/pipe"
    rdfhist -b 30 --checkpoint "$T/ck" -o "$T/out" <"$T/pipe" 2>"$T/err" 3>&- &
    exec 7>"$T/pipe"
    await test -e "$T/ck.records"
    fails 1 'another process uses' rdfhist -b 30 --checkpoint "$T/ck" -o "$T/out2" "$T/s.trjf"
    cat "$T/s.trjf" >&7
    exec 7>&-
    wait $!
    [[ -s $T/out && ! -e $T/ck.records ]]
}

@test "an input that breaks off: the frames so far are saved, with the status of the signal if one comes" {
    make_halves
    local status=0
    rdfhist -r 2 -b 30 <"$T/p.trjf" >"$T/expected" 2>/dev/null
    # shellcheck disable=SC2002 # a pipe
    cat "$T/half" | rdfhist -r 2 -b 30 --checkpoint "$T/ck" -o "$T/out" 2>"$T/err" || status=$?
    ((status == 3))
    has 'note: the checkpoint contains 2 frames' <"$T/err"
    rdfhist -r 2 -b 30 --checkpoint "$T/ck" <"$T/p.trjf" 2>/dev/null | cmp - "$T/expected"
    # The signal comes after the end of the input, as in a process group whose first program ends first.
    { cat "$T/half" && sleep 0.2; } | {
        rdfhist -r 2 -b 30 --checkpoint "$T/ck" -o "$T/out" 2>"$T/err" 3>&- &
        echo $! >"$T/pid"
        if wait $!; then echo 0; else echo $?; fi >"$T/status"
    } &
    await test -s "$T/ck.records"
    sleep 0.35
    kill -s TERM "$(<"$T/pid")"
    wait $!
    [[ $(<"$T/status") == [35] ]] # 3 on a machine that is so busy that the signal came too late
    rdfhist -r 2 -b 30 --checkpoint "$T/ck" <"$T/p.trjf" 2>/dev/null | cmp - "$T/expected"
}

@test "a checkpoint that cannot be written is a note, and the output is complete" {
    make_streams
    rdfhist -b 30 -o "$T/expected" "$T/s.trjf" 2>/dev/null
    mkdir "$T/ck.new"
    rdfhist -b 30 -o "$T/out" --checkpoint "$T/ck" --every 0.000001s "$T/s.trjf" 2>"$T/err"
    has 'note: --checkpoint: ' <"$T/err"
    sed s/expected/out/ "$T/expected" | cmp - "$T/out"
    # With a signal, it is an error.
    stop 4 1 rdfhist -b 30 -o "$T/out" --checkpoint "$T/ck" "$T/s.trjf"
    rmdir "$T/ck.new"
    # A limit of the size of files: the records of each frame do not fit, those of the mean do.
    densmap -g 1 --of O -m -o "$T/expected.npy" "$T/s.trjf" 2>/dev/null
    (ulimit -f 40 && exec densmap -g 1 --of O -m -o "$T/out.npy" --checkpoint "$T/ck" --every 0.000001s "$T/s.trjf") \
        2>"$T/err"
    cmp "$T/out.npy" "$T/expected.npy"
}

@test "options: invalid times, names, and results that cannot be continued are rejected" {
    make_streams
    local text
    for text in 10 m 0s -1m 1d 1e9h '' 5mm; do
        fails 2 '--every' densmap --every "$text" --checkpoint "$T/ck" "$T/s.trjf"
    done
    fails 2 'add --checkpoint' skhist -q 1 --every 10m "$T/s.trjf"
    fails 2 'is no name of a file' rdfhist --checkpoint - "$T/s.trjf"
    fails 2 'is not a regular file' rdfhist --checkpoint "$T" "$T/s.trjf"
    fails 2 'give a time such as --every 10m' rdfhist --every 5 --checkpoint "$T/ck" "$T/s.trjf"
    fails 2 'neither a number of frames' rdfhist --every 0 "$T/s.trjf"
    fails 2 'does not contain the events' \
        rdfhist --neighbours 3 --events "$T/events" --checkpoint "$T/ck" -o "$T/out" "$T/s.trjf"
    fails 2 'leave --checkpoint out' potmap --method fast -g 2 --checkpoint "$T/ck" "$T/q.trjf"
    fails 2 'leave --checkpoint out' trjstat --merge --checkpoint "$T/ck" "$T/out"
    [[ ! -e $T/ck && ! -e $T/ck.records ]]
}

@test "recipe: a stage with a checkpoint continues when the recipe is run again, and its file is then reused" {
    atoms 40 5 >"$T/s.xyz"
    printf '%s\n' 'trjrun: 1' 'stages:' '  atoms: {tool: trjcat, files: s.xyz}' \
        '  counts: {tool: rdfhist, from: atoms, rmax: 20, bins: 50, checkpoint: s.ck, every: 0.01s, output: s.rdfh}' \
        >"$T/r.yaml"
    cd "$T"
    trjrun r.yaml 2>/dev/null
    mv s.rdfh expected
    TRJPIPE_CHECKPOINT=25 trjrun r.yaml 2>err && return 1
    [[ -s s.ck && ! -e s.rdfh ]]
    trjrun r.yaml 2>err
    has 'continues after the 25 frames' <err
    cmp s.rdfh expected
    [[ ! -e s.ck ]]
    trjrun r.yaml 2>err
    has reused <err
}

@test "killed at random times: every run that is not disturbed ends with the same bytes" {
    atoms 8 5 >"$T/s.xyz"
    local helper=$PWD/tests/helpers/kill_restart.bash
    cd "$T"
    "$helper" 6 1 out "trjcat s.xyz | rdfhist -e reference -r 40 -b 50 -B 3 -o out --checkpoint ck --every 0.01s"
}
