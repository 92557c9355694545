#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Manual pages hold what the tools' own option tables hold, and `make install` puts both in place.
load helper

tools() {
    local source
    for source in filters/*.c; do basename "$source" .c; done
}

# each FUNCTION: runs it for every tool
each() {
    local tool bad=0
    for tool in $(tools); do "$1" "$tool" || { echo "in $tool" && bad=1; }; done
    return $bad
}

# The page's options: letter, long name, argument.
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

# page_body TOOL OPTION: what the page says of it
page_body() {
    awk -v name="-$2" '/^\.It Fl/ { on = 0; for (i = 2; i <= NF; i++) on = on || $i == name }
        /^\.S[hs] / { on = 0 } on' "filters/$1.1"
}

options_agree() {
    "$1" --options | cut -f 1,2,4 >"$T/wanted"
    page_options "$1" >"$T/page"
    [[ $(wc -l <"$T/wanted") -ge 4 ]] || { echo 'too few options'; return 1; }
    same "$T/wanted" "$T/page"
}

choices_and_defaults_agree() {
    local name default choices
    "$1" --options | cut -f 2,5,6 | tr '\t' '|' >"$T/options"
    while IFS='|' read -r name default choices; do
        page_body "$1" "$name" >"$T/body"
        [[ -z $default ]] ||
            tr '\n' ' ' <"$T/body" | grep -i "default is $default\." >/dev/null || { echo "--$name: not its default, $default"; return 1; }
        tr ',' '\n' <<<"$choices" | grep . | sort >"$T/wanted"
        sed -n 's/^\.It Cm //p' "$T/body" | tr -s ' ,' '\n' | sort >"$T/page"
        # Which engines there are depends on the build: the page may tell of more.
        if [[ $name == engine ]]; then
            comm -12 "$T/wanted" "$T/page" >"$T/both"
            mv "$T/both" "$T/page"
        fi
        same "$T/wanted" "$T/page" || { echo "--$name: choices"; return 1; }
    done <"$T/options"
}

# The synopsis has every option but the three that all tools have, and the operands.
synopsis_agrees() {
    sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "filters/$1.1" >"$T/synopsis"
    "$1" --options | awk -F '\t' '$2 !~ /^(help|options|version)$/ {
        print ".Op Fl " ($1 == "-" ? "-" $2 : $1) ($4 == "" ? "" : " Ar " $4) }' >"$T/wanted"
    "$1" --help | sed -n '1s/^usage: [^ ]* \[OPTION\]\.\.\. //p' |
        sed 's/\.\.\./ .../; s/^\[\(.*\)\]$/.Op Ar \1/; /^\.Op/!s/^/.Ar /' >>"$T/wanted"
    grep -E '^\.(Op|Ar)' "$T/synopsis" >"$T/page"
    same "$T/wanted" "$T/page" || return 1
    grep -qx "\.Nm $1" "filters/$1.1" && grep -qxi "\.Dt $1 1" "filters/$1.1"
}

lints() {
    mandoc -T lint -W warning "filters/$1.1"
}

@test "manual pages: the options, their letters and arguments" {
    each options_agree
}

@test "manual pages: choices and defaults" {
    each choices_and_defaults_agree
}

@test "manual pages: synopsis" {
    each synopsis_agrees
}

@test "manual pages: no errors or warnings of mandoc" {
    need mandoc
    each lints
}

@test "make install puts tools and pages in place, which run from there; make uninstall takes them away" {
    # In a copy, so that bin/ here stays as it is; what was built is used again.
    local root="$T/a root" tool
    mkdir "$T/copy"
    tar --exclude=./.git --exclude=./.build --exclude=./bin -cf - . | tar -xf - -C "$T/copy"
    mkdir -p .build
    ln -s "$PWD/.build" "$T/copy/.build"
    make --no-print-directory -s -C "$T/copy" install DESTDIR="$root" PREFIX=/usr
    for tool in $(tools); do printf '%s\n' "./usr/bin/$tool" "./usr/share/man/man1/$tool.1"; done | sort >"$T/wanted"
    (cd "$root" && find . ! -type d | sort) >"$T/files"
    same "$T/wanted" "$T/files"
    for tool in $(tools); do
        [[ $("$root/usr/bin/$tool" --version) == "$tool $TRJPIPE_VERSION "* ]]
        cmp "filters/$tool.1" "$root/usr/share/man/man1/$tool.1"
        [[ $(stat -c %a "$root/usr/bin/$tool") == 755 && $(stat -c %a "$root/usr/share/man/man1/$tool.1") == 644 ]]
    done
    (PATH=$root/usr/bin:/usr/bin:/bin && trjcat -f 0:2 examples/water/water.dcd | rdfhist -e cpu -r 5 -b 5 | counts) >"$T/installed"
    trjcat -f 0:2 examples/water/water.dcd | rdfhist -e cpu -r 5 -b 5 | counts >"$T/here"
    [[ $(wc -l <"$T/here") == 5 ]]
    same "$T/here" "$T/installed"

    touch "$root/usr/bin/other"
    make --no-print-directory -s -C "$T/copy" uninstall DESTDIR="$root" PREFIX=/usr
    [[ $(cd "$root" && find . ! -type d) == ./usr/bin/other ]]
}
