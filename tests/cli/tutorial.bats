#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The tutorial and the gallery: their commands run as the pages show them, with the outputs and figures that they show.
load helper

# page_blocks PAGE FOLDER: writes the fenced blocks of a page as FOLDER/NNN.sh and FOLDER/NNN.text; the latter is the
# output of the former
page_blocks() {
    mkdir -p "$2"
    awk -v folder="$2" '
        /^```/ && file { close(file); file = ""; next }
        /^```sh$/ { n++ }
        /^```(sh|text)$/ { file = sprintf("%s/%03d.%s", folder, n, substr($0, 4)); printf "" >file; next }
        /^```/ { print "unknown kind of block: " $0; exit 1 }
        file { print >file }' "$1"
}

# run_blocks FOLDER: runs its *.sh in one shell in the current folder, and writes the output of NNN.sh to NNN.out
run_blocks() {
    local block
    for block in "$1"/*.sh; do
        printf '{\n%s\n} >%q 2>&1\n' "$(cat "$block")" "${block%.sh}.out"
    done >"$1/all"
    LC_ALL=C.UTF-8 bash -e "$1/all" || { find "$1" -name '*.out' | sort | tail -n 1 | xargs tail -n 20; return 1; }
}

# words FILE: its words, with one blank before and after each, so that pages may align columns and fold lines
words() {
    printf ' %s' "$(tr -s ' \t\n' '   ' <"$1")"
}

# shows TEXT OUT: the output equals that of the page, where a line `...` stands for any lines. The line that names the
# engine is left out, as it depends on the machine.
shows() {
    local page output
    page=$(words "$1" | sed 's/[][*?\\]/\\&/g; s/ \.\.\. /* /g; s/ \.\.\.$/*/')
    grep -v '^rdfhist: engine ' "$2" >"$2.rest" || :
    output=$(words "$2.rest")
    # shellcheck disable=SC2053 # a pattern
    [[ $output == $page ]] || { printf 'the page shows\n%s\nthe output is\n%s\n' "$(<"$1")" "$(<"$2.rest")"; return 1; }
}

# copy_examples: the examples in $T/examples, without what other runs left
copy_examples() {
    mkdir "$T/examples"
    cp -r examples/{tutorial,gallery,water,water-map,ions,melting,cluster,protein,glass,cryo-em,membrane-lateral} \
        examples/{membrane,ion-placement} "$T/examples"
    rm -rf "$T"/examples/*/out
}

@test "tutorial: every command runs as the page shows it, and prints what the page shows" {
    need gnuplot
    local text shown=0
    copy_examples
    page_blocks examples/tutorial/README.md "$T/blocks"
    (cd "$T/examples/tutorial" && run_blocks "$T/blocks")
    for text in "$T"/blocks/*.text; do
        shows "$text" "${text%.text}.out"
        shown=$((shown + 1))
    done
    ((shown > 20))
    # Every file of the tutorial has content, and no failed command left one.
    [[ -z $(find "$T/examples/tutorial/out" -size 0 ! -name o.trjf) ]]
    [[ ! -e $T/examples/tutorial/out/free.tsv && ! -e $T/examples/tutorial/out/few.tsv ]]
}

@test "tutorial: run.sh runs the same commands in another folder" {
    need gnuplot
    copy_examples
    "$T/examples/tutorial/run.sh" "$T/elsewhere" >"$T/log" 2>&1 || { tail -n 20 "$T/log"; return 1; }
    [[ ! -e $T/examples/tutorial/out ]]
    page_blocks examples/tutorial/README.md "$T/blocks"
    { cat "$T/blocks/001.sh" && echo ls; } | (cd "$T/examples/tutorial" && sh -e) >"$T/links"
    rm "$T/blocks/001.sh"
    cat "$T"/blocks/*.sh | same "$T/elsewhere/commands.sh" -
    # The script itself does what the first block does.
    find "$T/elsewhere" -type l -printf '%f\n' | sort | same "$T/links" -
}

# curves SVG: the points of each line of more than 20 points, divided by its width and height, so that margins and fonts
# do not matter
curves() {
    tr '\n' ' ' <"$1" | grep -aoE " d='M[^']*'" | sed "s/ d='M//; s/'//; s/[ML,]/ /g" | awk 'NF > 40 {
        x0 = x1 = $1; y0 = y1 = $2
        for (i = 1; i < NF; i += 2) {
            if ($i < x0) x0 = $i
            if ($i > x1) x1 = $i
            if ($(i + 1) < y0) y0 = $(i + 1)
            if ($(i + 1) > y1) y1 = $(i + 1)
        }
        for (i = 1; i < NF; i += 2) print ++n, ($i - x0) / (x1 - x0), ($(i + 1) - y0) / (y1 > y0 ? y1 - y0 : 1)
    }'
}

# mesh_triangles SVG: the numbers of each triangle that mesh.awk has drawn
mesh_triangles() {
    grep -o ' d="[^"]*"' "$1" | sed 's/[^0-9-]/ /g; s/-/ -/g'
}

@test "gallery: run.sh draws each figure of the page, with the curves that the page shows" {
    need gnuplot
    local figure figures=0
    copy_examples
    rm -f "$T"/examples/gallery/*.svg
    LC_ALL=C.UTF-8 "$T/examples/gallery/run.sh" >"$T/log" 2>&1 || { tail -n 20 "$T/log"; return 1; }
    while read -r figure; do
        if [[ $figure == potential.svg ]] && ! has 'FFTW *[0-9]' <(potmap --version); then
            figures=$((figures + 1))
            continue
        fi
        if [[ $figure == surface.svg || $figure == placed.svg ]]; then
            mesh_triangles "examples/gallery/$figure" >"$T/page"
            mesh_triangles "$T/examples/gallery/out/$figure" >"$T/here"
            # Triangles of about the same depth may be drawn in another order.
            (($(wc -l <"$T/page") > 500))
            (($(sort "$T/page" "$T/here" | uniq -d | wc -l) > $(wc -l <"$T/page") * 9 / 10))
            figures=$((figures + 1))
            continue
        fi
        if [[ $figure == timeline.svg || $figure == meltmap.svg || $figure == body.svg ]]; then
            # The colours of the cells.
            grep -aoE '<polygon fill ?= ?.rgb[^)]*' "examples/gallery/$figure" >"$T/page"
            grep -aoE '<polygon fill ?= ?.rgb[^)]*' "$T/examples/gallery/out/$figure" | same "$T/page" -
            (($(wc -l <"$T/page") > 250))
            figures=$((figures + 1))
            continue
        fi
        curves "examples/gallery/$figure" >"$T/page"
        curves "$T/examples/gallery/out/$figure" >"$T/here"
        paste "$T/page" "$T/here" | awk -v figure="$figure" '
            function off(a, b) { return a - b > 0.005 || b - a > 0.005 }
            $1 != $4 || off($2, $5) || off($3, $6) { print figure ": " $0; exit bad = 1 }
            END { exit bad || NR < 50 }'
        figures=$((figures + 1))
    done < <(sed -n 's/^!\[.*\](\(.*\))$/\1/p' examples/gallery/README.md)
    ((figures == 19))
    find examples/gallery -maxdepth 1 -name '*.svg' -size +60k | (! grep .)
    [[ $(find examples/gallery -maxdepth 1 -name '*.svg' | wc -l) == 19 ]]
}

@test "gallery: each figure is made by three or four lines" {
    page_blocks examples/gallery/README.md "$T/blocks"
    [[ $(find "$T/blocks" -name '*.sh' | wc -l) == 19 ]]
    [[ -z $(find "$T/blocks" -name '*.sh' -exec awk 'END { if (NR < 3 || NR > 4) print FILENAME }' {} \;) ]]
}
