#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each allocation of a process in the sample (tests/run) fails once. The result is exit status 1 and an error that names
# memory, or the same output as without the failure. A read that fails is not reported as damage either.

load helper

setup_file() {
    T=$BATS_FILE_TMPDIR
    mkdcd --atoms 40 --frames 6 --cell 12,12,12 >"$T/a.dcd"
    trjcat "$T/a.dcd" -o "$T/a.xtc"
    trjcat -g A='index 0 to 9' -g B='index 5 to 30' "$T/a.dcd" -o "$T/a.trjf"
    rdfhist -e cpu -j 1 -b 20 -r 5 -p A:B "$T/a.trjf" -o "$T/a.rdfh"
    rdfnorm "$T/a.rdfh" -o "$T/a.tsv"
    mkgrid counts 1 0 1 2 1 >"$T/a.trjg"
    printf '%s\n' '5 5 5 3' '1 1 1 2' | awk -v set='11 1' -f tests/helpers/spheres.awk >"$T/a.dx"
}

# fails_well COMMAND...: checks the sample of at most 200 allocations, evenly distributed
fails_well() {
    local library=$TRJPIPE_TESTS/helpers/fail_calls.so i n got number=0
    sanitized && skip 'a sanitizer has its own allocator'
    FAIL_ALLOC_COUNT=$T/count LD_PRELOAD=$library "$@" >"$T/expected" 2>"$T/err"
    n=$(<"$T/count")
    ((n > 0)) || skip 'the library that makes allocations fail does not work here'
    for ((i = 1; i <= n; i += n / 200 + 1)); do
        sampled $((number++)) || continue
        got=0
        FAIL_ALLOC_AT=$i LD_PRELOAD=$library "$@" >"$T/out" 2>"$T/err" || got=$?
        [[ $got != 0 ]] || same "$T/expected" "$T/out" || { echo "allocation $i of $n: other output"; return 1; }
        [[ $got == 0 ]] || [[ $got == 1 &&
            $(<"$T/err") =~ 'out of memory'|'Cannot allocate memory'|'temporarily unavailable' ]] ||
            { echo "allocation $i of $n: status $got: $(<"$T/err")"; return 1; }
    done
}

@test "each allocation that fails: trjinfo reports missing memory" {
    F=$BATS_FILE_TMPDIR
    fails_well trjinfo --check "$F/a.trjf"
    fails_well trjinfo --check --json "$F/a.rdfh"
}

@test "each allocation that fails: trjcat reports missing memory" {
    F=$BATS_FILE_TMPDIR
    fails_well trjcat -j 1 -g A='index 0 to 9' "$F/a.xtc"
    fails_well trjcat -j 1 "$F/a.trjf"
    fails_well trjcat -j 1 "$F/a.dcd" --to nc
}

@test "each allocation that fails: compressed coordinates are not reported as damaged" {
    F=$BATS_FILE_TMPDIR
    trjcat -z 3 "$F/a.dcd" >"$T/z.trjf"
    trjcat --precision 0.01 "$F/a.dcd" >"$T/p.trjf"
    fails_well trjcat -j 1 "$T/z.trjf"
    fails_well trjcat -j 1 "$T/p.trjf"
    fails_well trjinfo --check "$T/p.trjf"
}

@test "each allocation that fails: trjcat --open reports missing memory" {
    local corpus=tests/fuzz/corpus
    fails_well trjcat -j 1 --open auto -g 'A=name Ar' -g 'B=within 3 of A' $corpus/xyz/open
    fails_well trjcat -j 1 --open auto -g 'A=name Ar' -g 'B=within 3 of A' $corpus/pdb/open
    fails_well trjcat -j 1 --open auto -g 'A=type 1' -g 'B=within 3 of A' $corpus/lammps/open
    fails_well trjcat -j 1 --open auto -g 'A=type Ar' -g 'B=within 3 of A' $corpus/gsd/open
    fails_well trjcat -j 1 --open 9 $corpus/trjf/open --to xyz
}

@test "each allocation that fails: trjcat --carry reports missing memory" {
    F=$BATS_FILE_TMPDIR
    printf 'PSF\n\n       2 !NATOM\n%s\n%s\n' '1 A 1 TIP O OT -0.8 16.0' '2 A 1 TIP H HT 0.8 1.0' >"$F/a.psf"
    printf 'NONBONDED\nOT 0 -0.15 1.8\nHT 0 -0.05 0.2\n' >"$F/a.prm"
    printf 'ATOM 1 N ALA A 1 1.5 2.5 3.5 -0.3 1.8\nATOM 2 CA ALA A 1 1 2 3 0.1 2.0\n' >"$F/a.pqr"
    fails_well trjcat -j 1 -t tests/data/chains.tpr --carry charge,sigma,name,resid,radius=bondi -g 'A=index 0 to 9' \
        -g 'C=com(index 0 to 20)' tests/data/chains.gro
    fails_well trjcat -j 1 -t "$F/a.psf" --carry sigma,epsilon,segid --parameters "$F/a.prm" "$F/a.pqr"
    fails_well trjcat -j 1 --carry charge,radius,mass "$F/a.pqr"
    trjcat --carry charge,radius,name "$F/a.pqr" >"$F/p.trjf"
    fails_well trjcat -j 1 -g 'A=index 1' "$F/p.trjf"
    fails_well trjinfo "$F/p.trjf"
}

@test "each allocation that fails: trjcat --carry velocity,image reports missing memory" {
    local golden=tests/data/golden
    sed -n '/TIMESTEP/,$p' tests/fuzz/corpus/lammps/velocities >"$T/a.lammpstrj"
    fails_well trjcat -j 1 --carry velocity,image --centre 'index 0' "$T/a.lammpstrj"
    fails_well trjcat -j 1 $golden/motion.trjf
    fails_well trjcat -j 1 -f 1: -g 'A=index 1 2' $golden/motion-compressed.trjf
}

@test "each allocation that fails: trjcat --whole, --centre, --fit and --unwrap report missing memory" {
    F=$BATS_FILE_TMPDIR
    trjcat tests/data/chains.gro -o "$T/ref.trjf" # without names: the file does not separate all residues
    fails_well trjcat -j 1 -t tests/data/chains.tpr --whole --centre 'index 0' --fit "all:$T/ref.trjf" \
        -g 'A=index 0 to 9' tests/data/chains.gro
    fails_well trjcat -j 1 --fit A "$F/a.trjf"
    fails_well trjcat -j 1 -t tests/data/chains.tpr --unwrap fraction tests/data/chains.gro
}

@test "each allocation that fails: rdfhist, rdfnorm and rdfderive report missing memory" {
    F=$BATS_FILE_TMPDIR
    fails_well rdfhist -e cpu -j 1 -b 20 -r 5 -p A:B "$F/a.trjf"
    fails_well rdfnorm "$F/a.rdfh"
    fails_well rdfnorm --each 2 "$F/a.rdfh"
    fails_well rdfhist -e cpu -j 1 -b 20 -r 5 -p A:B --lag 1,2 "$F/a.trjf"
    rdfhist -e cpu -j 1 -b 20 -r 5 -p A:B --lag 1,2 "$F/a.trjf" -o "$T/lags.rdfh"
    fails_well rdfnorm "$T/lags.rdfh"
    fails_well trjinfo "$T/lags.rdfh"
    fails_well rdfderive -q sq "$F/a.rdfh"
    rdfhist -e cpu -j 1 -b 20 -r 5 -p A:A "$F/a.trjf" -o "$T/p.rdfh"
    fails_well rdfderive -q pdf --total number --dr 0.5 --to gr "$T/p.rdfh"
    rdfderive -q pdf --total number --to sq "$T/p.rdfh" -o "$T/p.sq"
    fails_well rdfderive -q pdf --dr 0.5 "$T/p.sq"
    fails_well rdfplot "$T/p.sq"
    fails_well skhist -e cpu -j 1 -q 2 -p A:B --lag 0,1 "$F/a.trjf"
    fails_well skhist -e reference -q 1 --vectors "$F/a.trjf"
    skhist -q 2 -b 4 -p '*:*' "$F/a.trjf" -o "$T/w.rdfh"
    fails_well rdfnorm "$T/w.rdfh"
    rdfnorm "$F/a.rdfh" -o "$T/a.tsv"
    fails_well rdfcmp "$F/a.rdfh" "$F/a.rdfh"
    fails_well rdfcmp "$F/a.rdfh" "$T/a.tsv"
}

@test "each allocation that fails: mapsum and mapmath report missing memory" {
    F=$BATS_FILE_TMPDIR
    fails_well mapsum --stderr -B 2 "$F/a.trjg"
    fails_well mapsum --stderr "$F/a.trjg"
    mapsum "$F/a.trjg" -o "$T/b.trjg"
    fails_well mapmath 'a - b' "$F/a.trjg" "$T/b.trjg" --mask 'a > b' -T 300
    fails_well mapmath a "$F/a.trjg" --profile z
}

@test "each allocation that fails: mapinfo and mapconv report missing memory" {
    F=$BATS_FILE_TMPDIR
    local format
    mkgrid counts 1 0 2 2 >"$T/a.trjg"
    fails_well mapinfo "$T/a.trjg"
    fails_well mapinfo --json --at 2,3,4 "$T/a.trjg"
    fails_well mapconv --record 1 --to dx "$T/a.trjg"
    for format in dx mrc cube npy; do
        mapconv --record 1 "$T/a.trjg" -o "$T/a.$format" 2>/dev/null
        fails_well mapconv --to trjg "$T/a.$format"
        fails_well mapinfo "$T/a.$format"
    done
    fails_well mapconv -z 3 "$T/a.dx"
    fails_well mapconv --to mrc "$T/a.trjg" --record 0
}

@test "each allocation that fails: surf reports missing memory" {
    F=$BATS_FILE_TMPDIR
    fails_well surf -l 0.5sigma --components "$F/a.dx"
    fails_well surf -l 0 -c "$F/a.dx" --to ply "$F/a.dx"
    fails_well surf -l 0 --close --to stl "$F/a.dx"
}

@test "each allocation that fails: ionplace reports missing memory" {
    F=$BATS_FILE_TMPDIR
    fails_well ionplace -j 1 -u V -i SOD:+1:2,CLA:-1 -n -q 3 -s "$F/a.trjf" --of A --from-solute 1 --between 1 \
        --table "$T/t.tsv" "$F/a.dx"
    fails_well ionplace -j 1 -u V -i SOD:+1:2 -P xyz --between 1 "$F/a.dx"
}

@test "each allocation that fails: rdfplot and trjrun report missing memory" {
    F=$BATS_FILE_TMPDIR
    fails_well rdfplot "$F/a.tsv"
    fails_well trjrun --dry-run examples/ions/ions.yaml
}

@test "each allocation that fails: reading H5MD reports missing memory also while HDF5 starts" {
    need_shared
    trjcat --formats | has '^h5md' || skip 'built without HDF5'
    fails_well trjcat -j 1 -f :2 "$DATA/h5md/mda-test.h5md"
}

@test "each read that fails in HDF5: exit status 1 and the cause, not damaged data" {
    need_shared
    trjcat --formats | has '^h5md' || skip 'built without HDF5'
    sanitized && skip 'a sanitizer has its own allocator'
    local file=$DATA/h5md/mda-test.h5md library=$TRJPIPE_TESTS/helpers/fail_calls.so i got failures=0
    trjcat "$file" >"$T/expected"
    for ((i = 1; i < 200; i++)); do # every read, because the first one that succeeds ends the test
        got=0
        FAIL_READ_AT=$i LD_PRELOAD=$library trjcat "$file" >"$T/out" 2>"$T/err" || got=$?
        if ((!got)); then same "$T/expected" "$T/out" && break; fi
        failures=$((failures + 1))
        [[ $got == 1 && $(<"$T/err") == *'cannot read: '*'Input/output error'* ]] ||
            { echo "read $i: status $got: $(<"$T/err")"; return 1; }
    done
    ((failures > 5))
}

@test "each allocation that fails: skhist, neighbours, triplets and surfaces report missing memory" {
    F=$BATS_FILE_TMPDIR
    fails_well skhist -e cpu -j 1 -q 2 -b 3 -p A:B --lag 0,1,2 -B 2 "$F/a.trjf"
    fails_well skhist -e reference -q 1 --vectors "$F/a.trjf"
    fails_well rdfhist -e cpu -j 1 -b 5 -r 5 -p A:B --neighbours 4 --triplet A:B:A "$F/a.trjf"
    trjcat -g A='index 0 to 9' -g B='index 10 to 30' "$F/a.dcd" -o "$T/apart.trjf"
    fails_well rdfhist -e cpu -j 1 -b 5 -r 5 -p A:B --surface set:3 "$T/apart.trjf"
    skhist -e cpu -q 2 -b 3 -p '*:*' "$F/a.trjf" -o "$T/waves.rdfh"
    rdfhist -e cpu -b 5 -r 5 -p A:B --surface set:3 "$T/apart.trjf" -o "$T/surface.rdfh" 2>/dev/null
    fails_well rdfnorm --surface "$T/surface.rdfh"
    rdfhist -e cpu -b 5 -r 5 -p A:B --neighbours 4 --triplet A:B:A "$F/a.trjf" -o "$T/near.rdfh" 2>/dev/null
    fails_well rdfnorm "$T/waves.rdfh"
    fails_well trjinfo "$T/waves.rdfh"
    local table
    for table in '--neighbours numbers' '--neighbours exchange' '--triplets angles' '--triplets map'; do
        # shellcheck disable=SC2086
        fails_well rdfnorm $table "$T/near.rdfh"
    done
}
