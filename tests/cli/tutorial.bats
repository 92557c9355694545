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
        examples/{membrane,ion-placement,protein-study,benzene,hydrogen-bond,water-dynamics} "$T/examples"
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

# same_pixels A B: the pixels of two SVG files with an image differ by rounding, except for 1 % of them
same_pixels() {
    paste -d ' ' <(run_python tests/helpers/image_rows.py "$1") \
        <(run_python tests/helpers/image_rows.py "$2") | awk '
        function off(a, b) { return a - b > 8 || b - a > 8 }
        NF != 6 || off($1, $4) || off($2, $5) || off($3, $6) { bad++ }
        END { if (NR < 100000 || bad > NR / 100) { print bad " of " NR " pixels differ"; exit 1 } }'
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
        if [[ $figure == @(surface|placed|orbitals|weak).svg ]]; then
            [[ ! -x /usr/bin/python3 ]] ||
                same_pixels "examples/gallery/$figure" "$T/examples/gallery/out/$figure" || { echo "$figure"; return 1; }
            [[ $(grep -oE '>[0-9]+ Å<' "examples/gallery/$figure") == '>'[125]' Å<' ]]
            figures=$((figures + 1))
            continue
        fi
        if [[ $figure == @(timeline|meltmap|body|torsions).svg ]]; then
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
    ((figures == 27))
    find examples/gallery -maxdepth 1 -name '*.svg' ! -name surface.svg ! -name placed.svg ! -name study.svg \
        ! -name orbitals.svg ! -name weak.svg -size +60k | (! grep .)
    find examples/gallery -maxdepth 1 -name '*.svg' -size +130k | (! grep .)
    [[ $(find examples/gallery -maxdepth 1 -name '*.svg' | wc -l) == 27 ]]
}

@test "gallery: each figure is made by three or four lines" {
    page_blocks examples/gallery/README.md "$T/blocks"
    [[ $(find "$T/blocks" -name '*.sh' | wc -l) == 27 ]]
    [[ -z $(find "$T/blocks" -name '*.sh' -exec awk 'END { if (NR < 3 || NR > 4) print FILENAME }' {} \;) ]]
}

@test "mesh.awk: spheres have the brightness of their normals, the near one is in front, and the bar is to scale" {
    # sphere X Y Z RADIUS: prints a mesh with 24 by 48 faces, and its normals
    sphere() {
        awk -v x="$1" -v y="$2" -v z="$3" -v r="$4" 'BEGIN {
            pi = atan2(0, -1)
            for (i = 0; i <= 24; i++) for (j = 0; j < 48; j++) {
                a = sin(pi * i / 24) * cos(pi * j / 24); b = sin(pi * i / 24) * sin(pi * j / 24); c = cos(pi * i / 24)
                print "v", x + r * a, y + r * b, z + r * c
                print "vn", a, b, c
            }
            for (i = 0; i < 24; i++) for (j = 0; j < 48; j++) {
                p = 48 * i + j + 1; q = 48 * i + (j + 1) % 48 + 1; s = p + 48; t = q + 48
                printf "f %d//%d %d//%d %d//%d\nf %d//%d %d//%d %d//%d\n", p, p, s, s, q, q, q, q, s, s, t, t
            }
        }'
    }
    # The view is turned: this direction points to the viewer.
    sphere 0 0 0 8 >"$T/far.obj"
    awk 'BEGIN { print 20 * sin(1.2) * -sin(0.6), 20 * sin(1.2) * -cos(0.6), 20 * cos(1.2), 3 }' |
        { read -r x y z r && sphere "$x" "$y" "$z" "$r"; } >"$T/near.obj"
    local far=(colour='200 0 0' "$T/far.obj") near=(name=B colour='0 0 200' "$T/near.obj") script
    awk -f examples/gallery/mesh.awk "${far[@]}" "${near[@]}" >"$T/near_last"
    awk -f examples/gallery/mesh.awk "${near[@]}" "${far[@]}" >"$T/near_first"
    for script in "$T"/near_*; do
        # 412 pixels are the diameter of the far sphere, 16 A.
        awk -v scale=25.75 '
            $1 == "END" { drawn = 0 }
            drawn {
                x = ($1 + 0.25 - 210) / scale
                y = ($2 + 0.25 - 270) / scale
                square = x * x + y * y
                r = square < 9 ? 3 : 8
                if (square > 63 || (square > 8.5 && square < 9.5)) next
                light = (-0.35 * x + 0.45 * y + sqrt((1 - 0.35 * 0.35 - 0.45 * 0.45) * (r * r - square))) / r
                expected = 200 * (0.28 + 0.72 * (light > 0 ? light : 0))
                off = expected - (r == 3 ? $5 : $3)
                n++
                if (off > 5 || off < -5 || (r == 3 ? $3 : $5) > 0) { print "expected " expected ": " $0; exit bad = 1 }
            }
            $1 == "$image" { drawn = 1 }
            END { exit bad || n < 100000 }' "$script"
        awk -F '[ ,]' '/^set arrow/ { n++; length_off = $7 - $4 - 2 * 25.75 }
            END { exit n != 1 || length_off > 0.2 || length_off < -0.2 }' "$script"
        grep -q "^set label '2 Å' at " "$script"
        [[ $(grep -oE "^set label '[^2]*'" "$script" | sort) == "set label 'B'"$'\n'"set label 'far'" ]]
    done
}
