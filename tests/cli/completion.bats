#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Completions are generated from the option tables of the tools: they contain every option, and the shells offer the
# right words.
load helper

setup_file() {
    local tool
    mkdir -p "$BATS_FILE_TMPDIR"/{bash,zsh,fish,files}
    for tool in $(tools); do
        filters/completion bash "$TRJPIPE_BIN/$tool" >"$BATS_FILE_TMPDIR/bash/$tool"
        filters/completion zsh "$TRJPIPE_BIN/$tool" >"$BATS_FILE_TMPDIR/zsh/_$tool"
        filters/completion fish "$TRJPIPE_BIN/$tool" >"$BATS_FILE_TMPDIR/fish/$tool.fish"
    done
    touch "$BATS_FILE_TMPDIR/files/some file.rdfh"
}

# offers TOOL: reads command lines, whose words end with a tab, and prints a line for each: what bash offers for the
# last word, each offer after a tab, and "files" if it continues with files. One process of bash answers all of them.
offers() {
    # shellcheck disable=SC2016 # for the other bash
    bash -c '. "$0"
        compopt() { printf "\tfiles (%s)" "$*"; }
        complete=$(complete -p "$1")
        complete=${complete#complete -F }
        while IFS= read -r line; do
            COMP_WORDS=()
            while [[ $line ]]; do COMP_WORDS+=("${line%%$'"'\t'"'*}") line=${line#*$'"'\t'"'}; done
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
            "${complete%% *}"
            ((${#COMPREPLY[@]} == 0)) || printf "\t%s" "${COMPREPLY[@]}"
            echo
        done' "$BATS_FILE_TMPDIR/bash/$1" "$1"
}

# offered TOOL WORD...: prints what bash offers for the last word, one per line
offered() {
    printf '%s\t' "$@" | sed 's/$/\n/' | offers "$1" | tr '\t' '\n' | tail -n +2
}

# options TOOL: prints its long options, and its letters, as they are typed
options() {
    "$1" --options | awk -F '\t' '{ print "--" $2 } $1 != "-" { print "-" $1 }' | sort
}

bash_offers_the_options() {
    options "$1" >"$T/expected"
    [[ $(wc -l <"$T/expected") -gt 5 ]] || return 1
    printf "$1\t%b\t\n" - --o '' '--help\tx' | offers "$1" >"$T/offers"
    sed -n 1p "$T/offers" | tr '\t' '\n' | tail -n +2 | sort | same "$T/expected" - || return 1
    sed -n 2p "$T/offers" | tr '\t' '\n' | tail -n +2 | sort | same <(grep -e '^--o' "$T/expected") - || return 1
    sed -n '3,$p' "$T/offers" | same <(printf '\tfiles (-o default)\n\tfiles (-o default)\n') -
}

# After each option, the table gives the kind of its argument.
bash_offers_arguments() {
    "$1" --options | awk -F '\t' -v tool="$1" -v expected="$T/expected" '
        function ask(words) { print tool "\t" words "\t"; print answer >expected }
        $4 == "" { next }
        {
            answer = $4 == "FILE" ? "\tfiles (-o default)" : $6 == "" ? "" : "\t" $6
            if ($4 != "FILE") gsub(",", "\t", answer)
            ask("--" $2 "\t"); ask("--" $2 "\t=")
            if ($1 != "-") ask("x\t-" $1 "\t")
        }' >"$T/asked"
    offers "$1" <"$T/asked" | same "$T/expected" -
}

@test "bash: offers every option of every tool" {
    each bash_offers_the_options
}

@test "bash: after an option, offers choices, files, or nothing" {
    each bash_offers_arguments
    [[ $(offered rdfnorm --norm = v) == vmd && $(offered rdfnorm -n mda) == mdanalysis && -z $(offered rdfnorm -n x) ]]
    [[ $(offered trjcat -P y) == $'y\nyz' && -z $(offered trjcat -c '') &&
        $(offered trjcat -t w) == 'files (-o default)' ]]
}

# The arguments of the tool after `--norm v<TAB>--cou<TAB>so<TAB>` is typed in a folder with a file.
completed() {
    same - "$T/words" <<<$'--norm\nvmd\n--counts\nsome file.rdfh'
}

@test "bash: TAB on a terminal completes options and values" {
    needs_terminal
    cat >"$T/rc" <<END
. '$BATS_FILE_TMPDIR/bash/rdfnorm'
rdfnorm() { printf '%s\n' "\$@" >'$T/words'; }
cd '$BATS_FILE_TMPDIR/files'
END
    # The user's own configuration and history must not be used.
    printf 'rdfnorm --norm v\t--cou\tso\t\nexit\n' |
        HOME=$T INPUTRC=/dev/null timeout 60 script -qec "bash --noprofile --rcfile '$T/rc' -i" /dev/null >"$T/messages"
    completed
}

zsh_takes() {
    zsh -n "$BATS_FILE_TMPDIR/zsh/_$1" && [[ $(head -n 1 "$BATS_FILE_TMPDIR/zsh/_$1") == "#compdef $1" ]] || return 1
    # Each option has its own specification: '(...)-o+[...' or '*--pair=[...'.
    sed -n "s/^    '\(([^)]*)\|\*\)\(-[^[+=]*\)[+=]\{0,1\}\[.*/\2/p" "$BATS_FILE_TMPDIR/zsh/_$1" | sort >"$T/got"
    options "$1" | same - "$T/got"
}

@test "zsh: accepts the completions, which contain every option" {
    need zsh
    each zsh_takes
}

@test "zsh: TAB on a terminal completes options and values" {
    need zsh
    needs_terminal
    cat >"$T/rc" <<END
fpath=('$BATS_FILE_TMPDIR/zsh' \$fpath)
autoload -U compinit && compinit -u -D
rdfnorm() { print -rl -- "\$@" >'$T/words'; }
cd '$BATS_FILE_TMPDIR/files'
END
    # shellcheck disable=SC2016 # for the other shell
    timeout 60 zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell ". ${(q)1}; echo rea\"\"dy"
        zpty -r shell text "*ready*"
        zpty -w shell $'\''rdfnorm --norm v\t--cou\tso\t; echo do""ne'\''
        zpty -r shell text "*done*"
        zpty -d shell' zsh "$T/rc"
    completed
}

fish_offers() {
    # shellcheck disable=SC2016 # for the other shell
    fish --no-execute "$BATS_FILE_TMPDIR/fish/$1.fish" &&
        fish --no-config -c 'source $argv[1]; complete -C "$argv[2] -"; complete -C "$argv[2] --"' \
        "$BATS_FILE_TMPDIR/fish/$1.fish" "$1" |
        cut -f 1 | grep -e '^-' | sort -u >"$T/got" || return 1
    options "$1" | same - "$T/got"
}

# fish_completes LINE EXPECTED: compares what fish offers at the end of a line
fish_completes() {
    # shellcheck disable=SC2016 # for the other shell
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$BATS_FILE_TMPDIR/fish/${1%% *}.fish" "$1" |
        cut -f 1 >"$T/got"
    [[ $(cat "$T/got") == "$2" ]] || { echo "$1"; cat "$T/got"; return 1; }
}

@test "fish: accepts the completions, and offers every option, choices and files" {
    need fish
    export HOME=$T
    each fish_offers
    cd "$BATS_FILE_TMPDIR/files"
    fish_completes 'rdfnorm -n ' $'cpptraj\ndensity\ngromacs\nmdanalysis\nmdtraj\nnone\nnumber\nplane\nradial\nvmd'
    fish_completes 'rdfnorm --norm=v' --norm=vmd
    fish_completes 'rdfnorm -v ' ''
    fish_completes 'rdfnorm -o so' 'some file.rdfh'
    fish_completes 'rdfnorm so' 'some file.rdfh'
}

@test "unknown shell, or a tool that does not exist: rejected" {
    run -2 --separate-stderr filters/completion tcsh "$TRJPIPE_BIN/rdfnorm"
    [[ -z $output ]]
    run ! filters/completion bash "$T/none"
}
