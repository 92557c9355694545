#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Manual pages agree with the option tables of the tools.
load helper

# Prints the options of the page: letter, long name, argument.
page_options() {
    awk -v OFS='\t' '/^\.It Fl/ {
        letter = "-"; name = arg = ""
        for (i = 2; i <= NF; i++) {
            if ($i == "Fl") { i++; if ($i ~ /^-/) name = substr($i, 2); else letter = $i }
            else if ($i == "Ar") arg = $(i + 1)
        }
        print letter, name, arg
    }' "filters/$1.1"
}

# page_body TOOL OPTION: prints the text of the page about it
page_body() {
    awk -v name="-$2" '/^\.It Fl/ { on = 0; for (i = 2; i <= NF; i++) on = on || $i == name }
        /^\.S[hs] / { on = 0 } on' "filters/$1.1"
}

options_agree() {
    "$1" --options | cut -f 1,2,4 >"$T/expected"
    page_options "$1" >"$T/page"
    [[ $(wc -l <"$T/expected") -ge 4 ]] || { echo 'too few options'; return 1; }
    same "$T/expected" "$T/page"
}

choices_and_defaults_agree() {
    local name default choices
    "$1" --options | cut -f 2,5,6 | tr '\t' '|' >"$T/options"
    while IFS='|' read -r name default choices; do
        page_body "$1" "$name" >"$T/body"
        [[ -z $default ]] ||
            tr '\n' ' ' <"$T/body" | grep -i "default is $default\." >/dev/null ||
            { echo "--$name: not its default, $default"; return 1; }
        tr ',' '\n' <<<"$choices" | grep . | sort >"$T/expected"
        sed -n 's/^\.It Cm //; T; s/\\&//; p' "$T/body" | tr -s ' ,' '\n' | sort >"$T/page"
        # The engines depend on the build: the page may list more of them.
        if [[ $name == engine ]]; then
            comm -12 "$T/expected" "$T/page" >"$T/both"
            mv "$T/both" "$T/page"
        fi
        same "$T/expected" "$T/page" || { echo "--$name: choices"; return 1; }
    done <"$T/options"
}

# The synopsis contains the operands and every option except the three that all tools have.
synopsis_agrees() {
    sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "filters/$1.1" >"$T/synopsis"
    "$1" --options | awk -F '\t' '$2 !~ /^(help|options|version)$/ {
        print ".Op Fl " ($1 == "-" ? "-" $2 : $1) ($4 == "" ? "" : " Ar " $4) }' >"$T/expected"
    "$1" --help | sed -n '1s/^usage: [^ ]* \[OPTION\]\.\.\. //p' |
        sed 's/\.\.\./ .../; s/^\[\(.*\)\]$/.Op Ar \1/; /^\.Op/!s/^/.Ar /' >>"$T/expected"
    grep -E '^\.(Op|Ar)' "$T/synopsis" >"$T/page"
    same "$T/expected" "$T/page" || return 1
    grep -qx "\.Nm $1" "filters/$1.1" && grep -qxi "\.Dt $1 1" "filters/$1.1"
}

@test "manual pages: list the options, their letters and arguments" {
    each options_agree
}

@test "manual pages: state choices and defaults" {
    each choices_and_defaults_agree
}

@test "manual pages: the synopsis agrees with the options" {
    each synopsis_agrees
}

@test "trjinfo(1): the list of formats is made from the table of --formats" {
    trjinfo --formats | has '^h5md' || skip 'built without HDF5'
    filters/format_list "$(command -v trjinfo)" |
        same - <(sed -n '/output of filters.format_list/,/^\.El/p' filters/trjinfo.1 | sed '1d;$d') ||
        { echo 'run: make formats'; return 1; }
}

@test "manual pages: no errors or warnings of mandoc" {
    need mandoc
    mandoc -T lint -W warning filters/*.[137] schemas/*.5
}

@test "tests/README.md: every test that it names exists" {
    local file name count=0
    while IFS=$'\t' read -r file name; do
        case $file in
        *.bats) grep -qF "@test \"$name\" {" "tests/cli/$file" ;;
        *) grep -qF "$name" "tests/unit/$file.c" ;;
        esac || { echo "$file: $name"; return 1; }
        count=$((count + 1))
    done < <(sed 's/\\|/|/g' tests/README.md | grep -oE '(test_[a-z0-9_]+|[a-z0-9_]+\.bats) "[^"]+"' |
        sed -E 's/^([^ ]+) "(.*)"$/\1\t\2/')
    ((count > 100))
}

@test "manuals in a terminal of 80 columns: groff has no warnings, such as columns that are too narrow" {
    command -v groff >/dev/null || skip 'groff is missing'
    local page
    for page in filters/*.[137] schemas/*.5; do
        groff -mandoc -Tutf8 -rLL=78n -ww "$page" >/dev/null 2>"$T/warnings"
        same /dev/null "$T/warnings" || { echo "$page"; return 1; }
    done
}

@test "manuals in a terminal of 80 columns: no line is longer, also in commands and formulas" {
    command -v groff >/dev/null || skip 'groff is missing'
    local page
    for page in filters/*.[137] schemas/*.5; do
        # One byte of each character is kept, so that bytes are columns.
        groff -mandoc -Tutf8 -P-c -P-b -P-u -rLL=78n "$page" | tr -d '\200-\277' | awk -v page="$page" '
            length($0) > 80 { print page ": " $0; long = 1 }
            END { exit long || NR < 50 }'
    done
}

@test "manuals: quotation marks are not nested" {
    need mandoc
    local page
    for page in filters/*.[17]; do
        mandoc -T utf8 "$page" | LC_ALL=C sed "s/.\x08//g" >"$T/text"
        ! grep -n "‘[^’]*, ‘" "$T/text" || { echo "$page"; return 1; }
    done
}
