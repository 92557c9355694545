#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each rejection ends with a remedy: a sample of the messages of each tool.
load helper

WATER=$PWD/examples/water/water.dcd

# ends REMEDY COMMAND: the command fails with one line on standard error, which ends with "; REMEDY" (a glob), or, if
# REMEDY begins with "expected", contains it.
ends() {
    local remedy="; $1" got=0
    [[ $1 != expected* ]] || remedy="$1*"
    (cd "$T" && bash -c "$2" >out 2>err </dev/null) || got=$?
    # shellcheck disable=SC2053 # a pattern
    if ((got < 2)) || [[ $(wc -l <"$T/err") != 1 || $(<"$T/err") != *$remedy ]]; then
        echo "$2: status $got, expected the ending '$remedy', found:"
        cat "$T/err"
        return 1
    fi
}

setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR
    ln -s "$WATER" "$T/water.dcd"
    trjcat -f :4 "$WATER" >"$T/s.trjf"
    rdfhist -e cpu -r 4 -b 40 "$T/s.trjf" >"$T/s.rdfh"
    rdfnorm "$T/s.rdfh" >"$T/g.tsv"
}

@test "remedies of trjcat: options, selections, topologies and formats" {
    ends 'expected START:STOP:STEP' 'trjcat -f 9:3 water.dcd'
    ends 'change --frames or --time' 'trjcat -f 1000: water.dcd'
    ends 'give one with -t' 'trjcat -g A=protein water.dcd'
    ends 'give a topology with -t' 'trjcat --by element water.dcd'
    ends 'give one with -t' 'trjcat -g "W=cog(all) per residue" water.dcd'
    ends 'define it with an earlier -g' 'trjcat -g "A=group B" water.dcd'
    ends "add ')'" 'trjcat -g "W=com(all" water.dcd'
    ends 'rename one' 'trjcat -g A=all -g A=all water.dcd'
    ends 'use one of .trjf*' 'trjcat -o x.trr water.dcd'
    ends 'leave it out' 'trjcat -z 3 --to xyz water.dcd'
    ends '--formats lists them' 'trjcat --format gto water.dcd'
    ends 'check the program that writes it, and run it again' ': | trjcat -'
    ends 'make one from a frame stream with rdfhist' 'rdfnorm s.trjf'
    ends 'read it with rdfnorm or rdfderive' 'trjcat s.rdfh'
}

@test "remedies for damaged files: the range before the damage, or the program that makes the file again" {
    cp "$T/s.trjf" "$T/bad.trjf"
    poke "$T/bad.trjf" $(($(stat -c %s "$T/bad.trjf") / 2)) 55 AA 55
    ends 'run trjcat again, or drop the damaged parts with trjcat --salvage' 'rdfhist bad.trjf'
    ends 'run trjcat again, or drop the damaged parts with trjcat --salvage' \
        'trjinfo --check bad.trjf 2>&1 >/dev/null | tail -n 1 >&2; exit 3'
    head -c -30 "$T/s.trjf" >"$T/cut.trjf"
    ends 'run trjcat again' 'rdfhist -e cpu -r 4 cut.trjf'
    cp "$T/s.rdfh" "$T/bad.rdfh"
    poke "$T/bad.rdfh" $(($(stat -c %s "$T/bad.rdfh") / 2)) 55 AA 55
    for tool in rdfnorm 'rdfderive -q n'; do ends 'run rdfhist again' "$tool bad.rdfh"; done
    for i in 0 1 2; do
        printf '2\n\nO 0 0 %s\nH 0 0 1\n' "$i"
    done >"$T/a.xyz"
    sed 's/^O 0 0 2/O 0 0 x/' "$T/a.xyz" >"$T/bad.xyz"
    ends '2 frames precede it; to read up to there, add -f :2' 'trjcat bad.xyz'
    [[ $(trjcat -f :2 "$T/bad.xyz" | trjdump | grep -c '^frame') == 2 ]]
    ends '2 frames precede it; to read up to there, use -f 1:2' 'trjcat -f 1: bad.xyz'
    sed 's/^O 0 0 0/O 0 0 x/' "$T/a.xyz" >"$T/first.xyz"
    ends 'create the file again' 'trjcat first.xyz'
    printf 'O 1\n' >"$T/bad.psf"
    ends 'correct the file or create it again, or give another topology' 'trjcat -t bad.psf -g A=all water.dcd'
    printf '# r\tg(A:A)\n1\tx\n' >"$T/bad.tsv"
    ends 'create the table again with rdfnorm or rdfderive' 'rdfplot bad.tsv'
}

@test "remedies of rdfhist, rdfnorm, rdfderive, rdfplot, trjinfo and trjrun" {
    ends 'make one with trjcat FILE' 'rdfhist water.dcd'
    ends 'use -e cuda, or leave --devices out' 'rdfhist -e cpu --devices 0 s.trjf'
    ends 'give a smaller --lag' 'rdfhist -e cpu --lag 9 -r 4 s.trjf'
    ends 'expected A:B' 'rdfhist -p all s.trjf'
    ends 'expected residue, molecule' 'rdfhist -x water s.trjf'
    ends 'exclude them with rdfhist -x' 'rdfnorm --excluded only s.rdfh'
    ends 'count with rdfhist --lag' 'rdfnorm --self s.rdfh'
    ends 'add --total, or leave it out' 'rdfnorm --form fz s.rdfh'
    ends 'give one of them' 'rdfnorm -v 1000 -d 1 s.rdfh'
    ends 'expected a volume above 0' 'rdfnorm -v -1 s.rdfh'
    ends 'give it with --temperature' 'rdfderive -q pmf s.rdfh'
    ends 'leave it out' 'rdfderive -q sq -T 300 s.rdfh'
    ends 'give one of the quantities listed by rdfderive --help' 'rdfderive s.rdfh'
    ends 'use .svg, .png or .pdf' 'rdfplot -o x.gif g.tsv'
    ends 'leave out --check, --format, --open and --topology' 'trjinfo --names --check water.dcd'
    ends 'check the program that writes it, and run it again' ': >e; trjinfo e 2>&1 >/dev/null | tail -n 1 >&2; exit 3'
    printf 'trjrun: 1\nstages: {a: {tool: trjcat, files: none.dcd, output: x}}\n' >"$T/r.yaml"
    ends 'paths are relative to this folder' 'trjrun r.yaml'
    printf 'trjrun: 1\nstages: {a: {tool: trjcat, files: water.dcd}}\n' >"$T/r.yaml"
    ends 'add output: FILE' 'trjrun r.yaml'
    ends 'leave it out' 'trjrun --schema r.yaml'
}
