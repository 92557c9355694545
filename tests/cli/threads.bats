#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjcat -j: the same bytes, notes and errors with any number of threads.
load helper

# result THREADS ARGUMENT...: prints exit status, checksum, notes and errors of trjcat as one line; $T/out contains the
# stream. The checksum omits the FAIL block, which contains the time.
result() {
    local threads=$1 status=0 size
    shift
    trjcat -j "$threads" "$@" >"$T/out" 2>"$T/err" || status=$?
    if ((status)); then
        size=$(LC_ALL=C grep -abo FAIL "$T/out" | tail -n 1 | cut -d : -f 1)
        echo "$status $(head -c "${size:-0}" "$T/out" | cksum) $(<"$T/err")"
    else
        echo "$status $(cksum <"$T/out") $(<"$T/err")"
    fi
}

# alike ARGUMENT...: the result is the same for any number of threads; $expected is that result
alike() {
    local threads
    expected=$(result 1 "$@")
    for threads in 2 7; do
        [[ $(result $threads "$@") == "$expected" ]] ||
            { echo "trjcat -j $threads $*: $(result $threads "$@"), not $expected"; return 1; }
    done
}

@test "every file, valid or damaged: the same result with 1, 2 and 7 threads" {
    need_shared
    local file read=0 rejected=0
    for file in "$DATA"/{damaged,dcd,xtc,trr,xyz,lammps,gro,pdb,multi}/*; do
        alike "$file"
        case $expected in 0*) ((++read)) ;; *) ((++rejected)) ;; esac
    done
    ((read > 60 && rejected > 15)) || { echo "$read read, $rejected rejected"; return 1; }
}

@test "ranges, groups, several files, compression, pipes: the same result with 1, 2 and 7 threads" {
    mkdcd --atoms 3000 --frames 60 --cell 40,41,42 >"$T/a.dcd"
    mkdcd --atoms 3000 --frames 25 --cell 40,41,42 --seed 8 --fixed 10 >"$T/b.dcd"
    mkdcd --atoms 3000 --frames 25 --cell 40,41,42 --seed 9 --endian be >"$T/c.dcd"
    local -a more
    while read -r -a more; do
        alike "${more[@]}" "$T/a.dcd" "$T/b.dcd" "$T/c.dcd"
        # shellcheck disable=SC2002 # it is to be a pipe
        [[ $(cat "$T/b.dcd" | result 1 "${more[@]}" "$T/a.dcd" - "$T/c.dcd") \
            == "$(cat "$T/b.dcd" | result 3 "${more[@]}" "$T/a.dcd" - "$T/c.dcd")" ]]
    done <<'END'
-f 3::7
-f 50:80
-f 59:61
-f 5:300:4
-z 1
-z 3 -f ::2
END
    alike -g 'A=index 7 to 500' -g 'B=index 100 2999' -z 1 "$T/a.dcd" "$T/b.dcd" "$T/c.dcd"
    alike -g 'A=index 0' -f 7::5 "$T/a.dcd" "$T/b.dcd"
    # Provenance does not contain the number of threads.
    trjcat -j 3 "$T/a.dcd" | trjdump | has -x "provenance trjcat $TRJPIPE_VERSION: trjcat $T/a.dcd"
    # Data after the last selected frame have no effect.
    head -c 400000 "$T/a.dcd" >"$T/cut.dcd"
    alike "$T/cut.dcd"
    # Compressed blocks that are in progress when a frame fails are written, too: a block has 233 of these frames.
    alike -z 1 "$T/cut.dcd"
    [[ $(result 7 -z 1 "$T"/{a,a,a,a,a,a,a,a,cut}.dcd) == 3* ]]
    [[ $(trjdump <"$T/out" 2>/dev/null | grep -c '^frame ') == 480 ]]
    [[ $(result 3 "$T/cut.dcd") == 3*'frame 11: byte '*': truncated in '* && $(result 3 -f :11 "$T/cut.dcd") == '0 '* ]]
}

@test "atoms outside the groups: not decoded, but the structure of their frames is checked" {
    need_shared
    local water=$DATA/lammps/spce_all_coords.lammpstrj
    trjcat -g 'A=index 0 3 9' "$water" | trjdump | grep -v '^[a-z]' >"$T/got"
    trjcat "$water" | trjdump |
        awk '/^frame/ { n = 0; next } /^[a-z]/ { next } n == 0 || n == 3 || n == 9 { print } { n++ }' >"$T/expected"
    same "$T/expected" "$T/got"
    # The second of the three atoms in frame 1 is damaged.
    local first=$'3\n\nA 1 2 3\nA 4 5 6\nA 7 8 9\n'
    echo -n "$first"$'3\n\nA 1 2 3\nA 4 x 6\nA 7 8 9\n' >"$T/a.xyz"
    fails 3 'a.xyz: frame 1: line 9: ' trjcat "$T/a.xyz"
    trjcat -g 'A=index 0 2' "$T/a.xyz" | trjdump | has '^frame 1 '
    echo -n "$first"$'3\n\nA 1 2 3\nA 4 5 6\n' >"$T/a.xyz"
    fails 3 'a.xyz: frame 1: line 9: the file ends' trjcat -g 'A=index 0' "$T/a.xyz"
    echo -n "${first//[0-9]/&.00}"$'3\n\nA 1.00 2.00 3.00\nA 4.00 5.00 6.00\nA 7.00 8.00 9' | sed '1s/.*/3/' >"$T/a.xyz"
    fails 3 'a.xyz: frame 1: line 10: the file ends here, without a newline' trjcat -g 'A=index 0' "$T/a.xyz"
}

@test "memory: bounded for any number of threads and frames" {
    ! sanitized || skip 'sanitizers have memory of their own'
    mkdcd --atoms 200000 --frames 200 --cell 120,120,120 | peak "$T/kb" trjcat -j 4 - >"$T/trjf"
    (($(<"$T/kb") < 50000)) || { echo "$(<"$T/kb") kB"; return 1; }
    # Of large frames, memory contains two and those that the budget allows.
    mkdcd --atoms 6000000 --frames 6 --cell 400,400,400 | peak "$T/kb" trjcat -j 64 - | cat >"$T/trjf"
    (($(<"$T/kb") < 420000)) || { echo "$(<"$T/kb") kB"; return 1; }
}

@test "request to stop: no race between the signal handler and the threads that ask for it" {
    local sources=(tests/unit/test_stop_request.c lib/base/stop_request.c) flags=(-std=c11 -D_GNU_SOURCE -g -pthread)
    cc "${flags[@]}" -fsanitize=thread -iquote tests/unit -iquote lib/base "${sources[@]}" -o "$T/test" 2>"$T/err" ||
        skip 'the compiler has no thread sanitizer'
    "$T/test" >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
}

@test "SLURM_CPUS_PER_TASK limits the threads of a tool without -j; it does not raise their number" {
    local all
    all=$(nproc)
    trjcat -o "$T/w.trjf" -f :4 examples/water/water.dcd
    # threads VALUE WANT OPTION...: rdfhist reports this number of threads
    threads() {
        SLURM_CPUS_PER_TASK=$1 rdfhist -e cpu --stats "${@:3}" -o "$T/x.rdfh" "$T/w.trjf" 2>"$T/err"
        has "engine cpu, threads $2$" "$T/err" || { cat "$T/err"; return 1; }
    }
    threads 1 1
    threads 1000 "$all"
    threads '' "$all"
    threads 0 "$all"
    threads 1 3 -j 3
}
