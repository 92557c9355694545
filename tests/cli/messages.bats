#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One error in a pipeline gives one message, at its first cause; and the messages about options and recipes.
load helper

WATER=$PWD/examples/water/water.dcd
FRAME=('HEAD r u8:3 u8:3' 'GRPS r u4:1 t:all u8:3 u4:0 u4:1 u4:2' 'SRCE r t:run.dcd u8:5')

# once STATUSES PATTERN PIPELINE: a bash pipeline whose stages end with these statuses, and print one line that matches
# the glob PATTERN. The last stage prints no data, except for the comment that records the failure.
once() {
    local statuses
    # shellcheck disable=SC2016 # for that shell
    statuses=$(cd "$T" && bash -c "{ $3;"' s="${PIPESTATUS[*]}"; } >out 2>err; echo "$s"')
    # shellcheck disable=SC2053 # a pattern
    if [[ $statuses != $1 || $(wc -l <"$T/err") != 1 || $(<"$T/err") != $2 ]] ||
        grep -av -e '^# FAILED: ' "$T/out" | has -a .; then
        echo "$3: statuses $statuses, expected $1; messages:"
        cat "$T/err" "$T/out"
        return 1
    fi
}

@test "one error in a pipeline of two, three or four stages: one message, by the stage where it occurs" {
    local cat="trjcat -f :4 $WATER" hist='rdfhist -e cpu' rest
    ln -s "$WATER" "$T/water.dcd"
    head -c 200000 "$WATER" >"$T/cut.dcd"
    : >"$T/empty.dcd"
    echo 'no trajectory' >"$T/text.txt"
    for rest in '' ' | rdfnorm' ' | rdfnorm | rdfplot' ' | rdfderive -q n'; do
        local three=${rest:+ 3}
        [[ $rest != *rdfplot* ]] || three=' 3 3'
        [[ -n $rest ]] || rest=' | cat >/dev/null' three=' 0'
        once "1 3$three" 'trjcat: missing.dcd: No such file or directory' "trjcat missing.dcd | $hist$rest"
        once "1 3$three" 'trjcat: .: is a directory' "trjcat . | $hist$rest"
        once "3 3$three" 'trjcat: empty.dcd: is empty; check the program that writes it, and run it again' \
            "trjcat empty.dcd | $hist$rest"
        once "3 3$three" 'trjcat: text.txt: *' "trjcat text.txt | $hist$rest"
        once "3 3$three" 'trjcat: cut.dcd: frame 16: *' "trjcat cut.dcd | $hist$rest"
        once "3 3$three" 'trjcat: cut.dcd: frame 16: *' "trjcat -z 3 -j 3 cut.dcd | $hist -B 2$rest"
        once "3 3$three" 'trjcat: cut.dcd: frame 16: *' "trjcat -f :150 water.dcd cut.dcd | $hist -B 2$rest"
        once "3 3 3$three" 'trjcat: cut.dcd: frame 16: *' "trjcat cut.dcd | trjcat - | $hist$rest"
        once "2 3$three" 'trjcat: *gruop*' "trjcat --gruop x water.dcd | $hist$rest"
        once "2 3$three" 'trjcat: --frames: *' "trjcat -f 9:3 water.dcd | $hist$rest"
        once "2 3$three" 'trjcat: no input file given*' "trjcat | $hist$rest"
        once "[01] 2$three" 'rdfhist: *binz*' "$cat | $hist --binz 3$rest"
        once "[01] 2$three" 'rdfhist: --bins: *' "$cat | $hist -b x$rest"
        once "0 3$three" 'rdfhist: *' "cat text.txt | $hist$rest"
        once "0 3$three" 'rdfhist: stdin: is empty; check the program that writes it, and run it again' \
            "true | $hist$rest"
        once "[01] 2$three" 'rdfhist: *' "$cat | $hist -p A:B$rest"
    done
    $cat >"$T/s.trjf"
    once '[01] 2 3' 'rdfnorm: *' "$hist s.trjf | rdfnorm --no-such-option | rdfplot"
    once '[01] 2 3' 'rdfderive: *' "$hist s.trjf | rdfderive -q g | rdfplot"
    once '0 [01] 2' 'rdfplot: *' "$hist s.trjf | rdfnorm | rdfplot --no-such-option"
    once '[01] 3' 'rdfnorm: stdin: *' 'cat s.trjf | rdfnorm'
}

@test "missing engine: one message, and exit status 4 of rdfhist" {
    trjcat -f :2 "$WATER" >"$T/s.trjf"
    ! rdfhist -e cuda -r 3 "$T/s.trjf" >"$T/out" 2>&1 || skip 'a GPU is here'
    once '[01] 4 3 3' 'rdfhist: *engine*' "trjcat $WATER | rdfhist -e cuda | rdfnorm | rdfplot"
}

@test "full disk, and closed output: one message, and no more output" {
    [[ -w /dev/full ]] || skip 'no /dev/full'
    once '[01] 0 1' 'rdfnorm: stdout: *' "trjcat -f :2 $WATER | rdfhist -e cpu | rdfnorm >/dev/full"
    once '1' 'trjcat: missing: *' 'trjcat missing >/dev/full'
    once '1' 'trjcat: missing: *' 'trjcat missing >&-'
    (cd "$T" && trjcat missing -o file) 2>/dev/null || [[ ! -e $T/file ]]
}

@test "full disk: notes on the complete output are not printed" {
    [[ -w /dev/full ]] || skip 'no /dev/full'
    trjcat -f :2 "$WATER" -o "$T/few.dcd"
    once '0' 'trjcat: note: 2 frames are not later *' 'trjcat few.dcd few.dcd >/dev/null'
    once '1' 'trjcat: stdout: *' 'trjcat few.dcd few.dcd >/dev/full'
    once '1' 'trjcat: stdout: *' 'trjcat few.dcd few.dcd --to xtc >/dev/full'
}

@test "killed program: the next stage reports the truncated stream" {
    mkdcd --atoms 1000 --frames 400 --cell 30,30,30 >"$T/long.dcd"
    trjcat "$T/long.dcd" >"$T/long.trjf"
    head -c 2000000 "$T/long.trjf" >"$T/cut.trjf"
    once '0 3 3' 'rdfhist: stdin: *' 'cat cut.trjf | rdfhist -e cpu -r 2 | rdfnorm'
}

@test "failure recorded in a file: rejected with the message of the program that failed" {
    local line='the program that wrote this stream failed: trjcat: *cut.dcd: frame 16: *; run it again'
    head -c 200000 "$WATER" >"$T/cut.dcd"
    trjcat "$T/cut.dcd" >"$T/bad.trjf" 2>/dev/null || true
    once '3' "rdfhist: bad.trjf: $line" 'rdfhist bad.trjf >/dev/null'
    once '3' "rdfhist: stdin: $line" 'rdfhist <bad.trjf >/dev/null'
    once '3' "trjcat: bad.trjf: $line" 'trjcat -f -1 bad.trjf >/dev/null'
    once '3' "trjinfo: bad.trjf: $line" 'trjinfo --check bad.trjf >/dev/null'
    once '3' "trjinfo: bad.trjf: $line" 'trjinfo bad.trjf >/dev/null'
    trjcat "$T/cut.dcd" 2>/dev/null | rdfhist -e cpu >"$T/bad.rdfh" 2>/dev/null || true
    once '3' "rdfnorm: bad.rdfh: $line" 'rdfnorm bad.rdfh >/dev/null'
    once '3' "trjinfo: bad.rdfh: $line" 'trjinfo bad.rdfh >/dev/null'
    # The remedy is printed once, although the failure passed through two files.
    rdfhist "$T/bad.trjf" >"$T/again.rdfh" 2>/dev/null || true
    run -3 --separate-stderr rdfnorm "$T/again.rdfh"
    # shellcheck disable=SC2154 # set by run
    [[ $(grep -o 'run it again' <<<"$stderr" | wc -l) == 1 ]]
}

@test "streams joined by cat: a failure in any of them is found; one of an earlier time is reported" {
    trjcat -f :2 "$WATER" | rdfhist -e cpu >"$T/a.rdfh"
    (trjcat "$T/missing" | rdfhist -e cpu) >"$T/failed.rdfh" 2>/dev/null || true
    mkstream histogram 'FAIL r t:rdfhist u4:3 u8:1000000000 t:x.dcd:damaged' >"$T/old.rdfh"
    for order in 'a.rdfh old.rdfh' 'old.rdfh a.rdfh'; do
        once '0 3' 'rdfnorm: stdin: the program that wrote this stream failed: rdfhist: x.dcd:damaged; run it again' \
            "cat $order | rdfnorm"
    done
    for order in 'a.rdfh failed.rdfh' 'failed.rdfh a.rdfh'; do
        once '3' 'rdfnorm: *missing: No such file*' "rdfnorm $order >/dev/null"
    done
    mkstream frame "${FRAME[@]}" 'FAIL r t:trjcat u4:1 u8:1000000000 t:x.dcd:damaged' >"$T/old.trjf"
    once '0 3' 'rdfhist: stdin: the program that wrote this stream failed: trjcat: x.dcd:damaged; run it again' \
        'cat old.trjf | rdfhist -e cpu -r 3 >/dev/null'
}

@test "stream copied by tee: each reader finds the failure" {
    once '1 0 3' 'trjcat: missing: *' 'trjcat missing | tee copy.trjf | rdfhist -e cpu >/dev/null'
    once '3' 'rdfhist: copy.trjf: *missing: No such file or directory; run it again' 'rdfhist copy.trjf >/dev/null'
}

@test "FAIL block: contains tool, status and message, and later stages copy it" {
    (trjcat "$T/missing" | tee "$T/a.trjf" | rdfhist -e cpu >"$T/b.rdfh") 2>/dev/null || true
    [[ $(borders "$T/a.trjf" | wc -l) == 2 && $(borders "$T/b.rdfh" | wc -l) == 2 ]]
    for file in a.trjf b.rdfh; do
        [[ $(dd if="$T/$file" bs=1 skip=24 count=4 status=none) == FAIL ]]
        [[ $(od -An -t u4 -j 64 -N 4 "$T/$file" | tr -d ' ') == 6 ]]
        [[ $(dd if="$T/$file" bs=1 skip=68 count=6 status=none) == trjcat ]]
        [[ $(od -An -t u4 -j 74 -N 4 "$T/$file" | tr -d ' ') == 1 ]]
        [[ $(tail -c +91 "$T/$file") == "$T/missing: No such file or directory" ]]
    done
    # The FAIL block is damaged.
    mkstream frame 'FAIL r u4:99' >"$T/bad.trjf"
    once '3' 'trjcat: bad.trjf: block FAIL at byte 24: *' 'trjcat bad.trjf >/dev/null'
}

@test "failure of a tool with -o, another format or a terminal: no FAIL block on standard output" {
    for options in '--to xyz missing' '-o x.trjf --no-such-option' '--no-such-option -o x.trjf' \
        '--output=x.trjf missing' \
        '--formats --no-such-option'; do
        # shellcheck disable=SC2086 # words
        (cd "$T" && trjcat $options 2>err | cat >out) || true
        [[ ! -s $T/out && $(wc -l <"$T/err") == 1 ]]
    done
    needs_terminal
    (cd "$T" && script -qec 'trjcat -f x missing' /dev/null </dev/null >out) || true
    [[ $(tr -d '\r' <"$T/out") == "trjcat: --frames: "* && $(wc -l <"$T/out") == 1 ]]
}

@test "failure of a tool that writes a table: recorded in a pipe, not in a file" {
    (rdfnorm "$T/missing" | cat) >"$T/out" 2>/dev/null || true
    [[ $(<"$T/out") == "# FAILED: rdfnorm: $T/missing: No such file or directory" ]]
    rdfnorm "$T/missing" >"$T/out" 2>/dev/null && return 1
    [[ ! -s $T/out ]]
    trjcat -f :2 "$WATER" | rdfhist -e cpu | rdfnorm >"$T/gr.tsv"
    echo '# FAILED: rdfnorm: x.rdfh: damaged' >>"$T/gr.tsv"
    once '3' 'rdfplot: gr.tsv: the program that wrote this table failed: rdfnorm: x.rdfh: damaged; run it again' \
        'rdfplot gr.tsv >/dev/null'
}

@test "trjrun: one failed stage gives one message and one cause" {
    cat >"$T/r.yaml" <<END
trjrun: 1
stages:
  atoms:  {tool: trjcat, files: cut.dcd}
  counts: {tool: rdfhist, from: atoms, engine: cpu}
  gr:     {tool: rdfnorm, from: counts, output: gr.tsv}
  sq:     {tool: rdfderive, from: counts, quantity: n, output: n.tsv}
END
    head -c 200000 "$WATER" >"$T/cut.dcd"
    (cd "$T" && trjrun r.yaml >out 2>err) && return 1
    [[ $(grep -c 'frame 16' "$T/err") == 1 && $(wc -l <"$T/err") == 2 ]] || { cat "$T/err"; return 1; }
    grep -q "^trjrun: .*stage 'atoms': trjcat ended with status 3$" "$T/err" || { cat "$T/err"; return 1; }
    [[ ! -e $T/gr.tsv && ! -e $T/n.tsv ]]
}

@test "unknown options and values: the nearest name is suggested, and ambiguous beginnings are listed" {
    fails 2 "trjcat: --gruop: unknown option; did you mean --group?" trjcat --gruop x
    fails 2 "trjcat: --frmaes: unknown option; did you mean --frames?" trjcat --frmaes=3
    fails 2 "trjcat: --nothing-like-it: unknown option; see trjcat --help" trjcat --nothing-like-it
    fails 2 "rdfhist: --r: ambiguous: --rmax, --rmin; give one of them" rdfhist --r 3
    fails 2 "rdfnorm: -Q: unknown option; see rdfnorm --help" rdfnorm -Q
    fails 2 "rdfhist: -Q: unknown option; see rdfhist --help" rdfhist --stats -Qb 3
    fails 2 "rdfhist: --stats=3: --stats takes no argument" rdfhist --stats=3
    fails 2 "rdfhist: -b: missing argument N; see rdfhist --help" rdfhist -b
    fails 2 "rdfhist: --bins: missing argument N; see rdfhist --help" rdfhist --bins
    fails 2 "none; did you mean gromacs?" rdfnorm -n gromcs
    fails 2 "trjcat: --to: 'gor' is not one of *; did you mean gro?" trjcat --to gor x
}

# The edit distance of these words to other words would mislead: "gmx" is nearer to "vmd" than to "gromacs".
@test "options, values and keywords of other programs: the message says what to use here" {
    fails 2 "*; did you mean gromacs?" rdfnorm -n gmx
    fails 2 "*; did you mean cuda?" rdfhist -e gpu
    fails 2 "*; did you mean nc?" trjcat --to netcdf x
    fails 2 "trjcat: -s: unknown option; the topology is given to trjcat with -t FILE, *" trjcat -s run.tpr x
    fails 2 "trjcat: -sel: unknown option; groups are selected by trjcat -g NAME=SELECTION, *" trjcat -sel O x
    fails 2 "rdfhist: -ref: unknown option; groups are selected by trjcat -g NAME=SELECTION, *" rdfhist -ref O
    fails 2 "trjcat: -n: unknown option; the groups of an index file (.ndx) are read by trjcat with -g @FILE" \
        trjcat -n x
    fails 2 "trjcat: --stride: unknown option; frames are selected by trjcat with -f *" trjcat --stride=2 x
    fails 2 "rdfhist: --cutoff: unknown option; the largest distance is -r of rdfhist, *" rdfhist --cutoff 9
    fails 2 "rdfhist: -rmax: unknown option; the largest distance is -r of rdfhist, *" rdfhist -rmax 9
    printf '1\n\nO 1 2 3\n' >"$T/o.xyz"
    fails 2 "*unknown keyword 'mol' at character 1, did you mean 'same molecule as'?" \
        trjcat -t "$T/o.xyz" -g 'A=mol 3' "$T/o.xyz"
    fails 2 "*unknown keyword 'residue' at character 1, did you mean 'resid'?" \
        trjcat -t "$T/o.xyz" -g 'A=residue 3' "$T/o.xyz"
}

# yaml WHERE MESSAGE < RECIPE WITHOUT ITS FIRST TWO LINES: trjrun rejects the recipe with this message
yaml() {
    { printf 'trjrun: 1\nstages:\n' && cat; } >"$T/r.yaml"
    local status=0
    trjrun --check "$T/r.yaml" >"$T/err" 2>&1 || status=$?
    # shellcheck disable=SC2053 # the message may be a pattern
    [[ $status == 3 && $(<"$T/err") == "trjrun: $T/r.yaml:$1: "$2 ]] ||
        { printf '%s\n' "expected: $1: $2" "found, with status $status: $(<"$T/err")"; return 1; }
}

@test "trjrun --check: a stage that cannot read what another one writes is rejected" {
    local stages=$'  atoms: {tool: trjcat, files: x.dcd}\n  counts: {tool: rdfhist, from: atoms, output: n.rdfh}\n'
    touch "$T/x.dcd"
    yaml 5:29 "stage 'gr': rdfnorm cannot read a frame stream or a trajectory, which stage 'atoms' (trjcat) writes; *" \
        <<<"$stages  gr: {tool: rdfnorm, from: atoms, output: gr.tsv}"
    yaml 5:33 "stage 'figure': rdfplot cannot read a histogram stream, which stage 'counts' (rdfhist) writes; *" \
        <<<"$stages  figure: {tool: rdfplot, from: counts, output: x.svg}"
}

@test "common mistakes in YAML: the message gives the place, the mistake and the remedy" {
    yaml 4:1 'a tab is used for indentation; use spaces' <<<$'  a:\n\ttool: trjcat'
    yaml 5:1 'a tab is used for indentation; use spaces' <<<$'  a:\n    tool: trjcat\n\tfiles: x'
    yaml 3:28 "'*' cannot begin a text; put it in quotes: '*:*'" <<<'  a: {tool: rdfhist, pair: *:*}'
    yaml 5:11 "'*' cannot begin a text; put it in quotes: '*:*'" <<<$'  a:\n    tool: rdfhist\n    pair: *:*'
    yaml 5:12 "'*' cannot begin a text; put it in quotes: '*.dcd'" <<<$'  a:\n    tool: trjcat\n    files: *.dcd'
    yaml 4:12 "'@' cannot begin a text; put it in quotes: '@index.ndx'" <<<$'  a:\n    group: @index.ndx'
    yaml 4:12 "'%' cannot begin a text; put it in quotes: '%x'" <<<$'  a:\n    group: %x'
    yaml 5:5 "no ': ' after the key; write a space after the colon" <<<$'  a:\n    tool: rdfhist\n    pair:x'
    yaml 4:14 "a second ': ' in a value; put the value in quotes" <<<$'  a:\n    pair: one: two'
    yaml 5:5 "key 'tool' is given twice; remove one" <<<$'  a:\n    tool: rdfhist\n    tool: rdfnorm'
    yaml 3:28 'the quote is not closed; add the second one' <<<"  a: {tool: rdfhist, pair: 'x"
    yaml 3:30 "the list of line 3 is not closed here; expected ',' or ']'" <<<'  a: {tool: rdfhist, pair: [x}'
    yaml 4:11 "unsupported anchor &x; use a variable, or put a text in quotes: '&x'" \
        <<<$'  a:\n    tool: &x y'
}

@test "unknown choice in a recipe: the nearest one is suggested" {
    printf 'trjrun: 1\nstages:\n  a: {tool: rdfhist, files: x, engine: referense, output: y}\n' >"$T/r.yaml"
    run -3 trjrun --check "$T/r.yaml"
    [[ $output == *"engine: 'referense' is not one of "*"; did you mean 'reference'?" ]]
}
