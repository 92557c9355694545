#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rdfplot: complete figures in each format, and errors with file and line.
load helper

table() {
    need gnuplot
    mkdcd --atoms 300 --frames 4 --cell 20,21,22 | trjcat -g 'OW=index 0 to 99' -g 'H-1=index 100 to 299' - |
        rdfhist -e cpu -b 50 -B 2 -p OW:OW -p OW:H-1 -r 9 >"$T/rdfh"
    rdfnorm "$T/rdfh" >"$T/gr.tsv"
    rdfnorm -c "$T/rdfh" >"$T/counts.tsv"
    mkdir "$T/d"
}

@test "SVG: contains a curve for each pair, axes and a key" {
    table
    rdfplot -o "$T/d/gr.svg" "$T/gr.tsv"
    [[ $(ls -A "$T/d") == gr.svg ]]
    head -c 200 "$T/d/gr.svg" | has '<?xml'
    grep -q '>OW:OW</text>\|OW:OW' "$T/d/gr.svg"
    grep -q 'OW:H-1' "$T/d/gr.svg"
    grep -q 'g(r)' "$T/d/gr.svg"
    grep -q 'r / Å' "$T/d/gr.svg"
    # The two curves have different colours.
    for colour in '0, 114, 178' '213, *94, *0'; do grep -qE "rgb\( *${colour// / *}\)" "$T/d/gr.svg"; done
    if command -v xmllint >/dev/null; then xmllint --noout "$T/d/gr.svg"; fi
    rdfplot -o "$T/d/counts.svg" "$T/counts.tsv"
    grep -q 'pairs' "$T/d/counts.svg"
    local norm
    for norm in 'number:ρ g(r) / .*Å⁻³' 'radial:4πr²ρ g(r) / Å⁻¹' 'none:atoms in the bin'; do
        rdfnorm -n "${norm%%:*}" "$T/rdfh" | rdfplot -o "$T/d/other.svg"
        grep -q ">${norm#*:}<" "$T/d/other.svg"
        grep -q 'OW:H-1' "$T/d/other.svg"
    done
}

@test "several tables, and selected pairs: the figure contains exactly these curves" {
    table
    rdfnorm -n gromacs "$T/rdfh" >"$T/other.g.tsv"
    rows "$T/gr.tsv" | awk 'NR <= 20' | sed '1i # r\tg(X:X)\tse(X:X)\tn(X:X)' | cut -f 1-4 >"$T/short.tsv"
    curves() { grep -oE '>[^<>]*:[^<>]*</text>' "$1" | sed 's/^>//; s/<.*//' | tr '\n' ' '; }
    rdfplot -o "$T/d/all.svg" "$T/gr.tsv" "$T/short.tsv"
    [[ $(curves "$T/d/all.svg") == 'OW:OW OW:H-1 X:X ' ]]
    rdfplot -p X:X -p OW:OW -o "$T/d/two.svg" "$T/gr.tsv" "$T/short.tsv"
    [[ $(curves "$T/d/two.svg") == 'OW:OW X:X ' ]]
    # Each band of errors has its own colour.
    [[ $(grep -o "rgb([^)]*)' fill-opacity" "$T/d/two.svg" | sort -u | wc -l) == 2 ]]
    # The whole name of a column
    rdfplot -p 'g(X:X)' -p 'g(OW:OW)' -o "$T/d/whole.svg" "$T/gr.tsv" "$T/short.tsv"
    same <(grep -v '^provenance: ' "$T/d/two.svg") <(grep -v '^provenance: ' "$T/d/whole.svg")
    # The names of files identify a pair that is in both tables.
    rdfplot -p OW:H-1 -o "$T/d/same.svg" "$T/gr.tsv" "$T/other.g.tsv"
    [[ $(curves "$T/d/same.svg") == 'OW:H-1 ' ]]
    for name in gr other.g; do grep -q ">$name</text>" "$T/d/same.svg"; done
    # One selected pair gives the same figure as a table without the other pairs.
    rdfplot -p OW:OW -o "$T/d/pair.svg" "$T/counts.tsv"
    cut -f 1-3 "$T/counts.tsv" | rdfplot -o "$T/d/cut.svg"
    same <(grep -v '^provenance: ' "$T/d/pair.svg") <(grep -v '^provenance: ' "$T/d/cut.svg")
    # The provenance of all tables precedes that of the figure.
    sed -n 's/^provenance: //p' "$T/d/all.svg" >"$T/got"
    sed -n 's/^# provenance: //p' "$T/gr.tsv" "$T/short.tsv" >"$T/expected"
    same "$T/expected" <(head -n -1 "$T/got")
    [[ $(tail -n 1 "$T/got") == "rdfplot $TRJPIPE_VERSION: rdfplot $T/gr.tsv $T/short.tsv" ]]
    rm "$T/d"/*
    fails_cleanly() { # STATUS PATTERN ARGUMENT...
        fails "$1" "$2" rdfplot -o "$T/d/x.svg" "${@:3}"
        [[ -z $(ls -A "$T/d") ]]
    }
    fails_cleanly 3 'counts.tsv: contains counts, but */gr.tsv contains g(r); plot them separately' \
        "$T/gr.tsv" "$T/counts.tsv"
    fails_cleanly 3 'gr.tsv: contains g(r), but */counts.tsv contains counts; plot them separately' \
        "$T/counts.tsv" "$T/gr.tsv"
    fails_cleanly 2 "--pair: no curve 'H-1:OW' in */gr.tsv" -p H-1:OW "$T/gr.tsv"
    fails_cleanly 2 "--pair: no curve 'OW' in */gr.tsv or in those after it" -p OW:OW -p OW "$T/gr.tsv" "$T/short.tsv"
    fails_cleanly 1 'none.tsv: No such file' "$T/gr.tsv" "$T/none.tsv"
}

@test "PNG: has its size and is complete" {
    table
    rdfplot -o "$T/d/gr.png" <"$T/gr.tsv"
    [[ $(od -An -t x1 -N 8 "$T/d/gr.png" | tr -d ' ') == 89504e470d0a1a0a ]]
    # The first chunk contains width and height; the last chunk is IEND.
    [[ $(od -An -t x1 -j 12 -N 12 "$T/d/gr.png" | tr -d ' ') == 49484452000004b000000*(0)320 ]]
    tail -c 8 "$T/d/gr.png" | head -c 4 | has IEND
    (($(stat -c %s "$T/d/gr.png") > 5000))
}

@test "plot as text: fits 80 columns in a pipe, and the size of a terminal" {
    table
    rdfplot "$T/gr.tsv" >"$T/text"
    grep -q 'OW:OW' "$T/text"
    (($(wc -l <"$T/text") == 24 && $(LC_ALL=C.UTF-8 wc -L <"$T/text") <= 79))
    needs_terminal
    script -qec "stty cols 60 rows 20; NO_COLOR=1 rdfplot $T/gr.tsv" /dev/null </dev/null | tr -d '\r' >"$T/text"
    grep -q 'OW:OW' "$T/text"
    (($(LC_ALL=C.UTF-8 wc -L <"$T/text") <= 60 && $(wc -l <"$T/text") == 19))
}

@test "rdfplot at the end of a pipeline: draws the curve" {
    need gnuplot
    mkdcd --atoms 300 --cell 20,21,22 | trjcat - | rdfhist -B 0 -e cpu | rdfnorm | rdfplot >"$T/text"
    grep -q 'all:all' "$T/text"
}

bad_table() { # PATTERN < TABLE: rdfplot rejects the table with this message, and no figure remains
    cat >"$T/bad.tsv"
    mkdir -p "$T/d"
    fails 3 "bad.tsv: $1" rdfplot -o "$T/d/x.svg" "$T/bad.tsv"
    [[ -z $(ls -A "$T/d") ]]
    fails 3 "bad.tsv: $1" rdfplot "$T/bad.tsv"
    [[ ! -s $T/out ]]
}

@test "invalid tables: rejected with file and line" {
    need gnuplot
    bad_table '*no rows' </dev/null
    printf '# r\tg(A:A)\tn(A:A)\n1\t2\t3\n2\tx\t4\n' | bad_table "line 3: 'x' is not a number"
    printf '# r\tg(A:A)\tn(A:A)\n1\t2\t3\n2\t3\n' | bad_table 'line 3: 2 columns*3*'
    printf '# r\tg(A:A)\tn(A:A)\n1\t2\t3\t4\n' | bad_table 'line 2: 4 columns*3*'
    printf '# r\tg(A:A)\tn(A:A)\nnan\t1\t3\n' | bad_table "line 2: no finite r"
    printf '# r\tg(A:A)\tn(A:A)\n1\tnan\t3\n' | bad_table 'no value of g(A:A) is finite*'
    printf '# r\tg(A:A)\n1\t2\n# r\tg(A:A)\n1\t2\n' | bad_table 'line 4: r is not above*'
    printf '# pair\tshell\tr_max\nA:A\t1\t2\n' |
        bad_table 'line 1: rows are shells of neighbours, not points of a curve; draw another quantity*'
    printf '# t\tg(A:A)\n1\t2\n' |
        bad_table 'line 2: no line of column names*r, r_lo, q, x, y, z, frame, time, bin, s, lag or wavenumber*'
    printf '# r\tg(A:A)\tn(A:A)\n1\t\t3\n' | bad_table "line 2: '' is not a number"
    printf '1\t2\t3\n' | bad_table 'line 1: *names*'
    printf '# r\th(A:A)\n1\t2\n' | bad_table "*unknown column*"
    printf '# r\tg(A:A)\n1\t2\0\n' | bad_table 'line 2: contains a NUL byte, so it is not a table*'
    printf '# r\tg(A:A)\n1\t2; system "echo"\n' | bad_table 'line 2: *is not a number*'
}

@test "names of groups and files with metacharacters: drawn as text, and never executed" {
    need gnuplot
    mkdir "$T/d"
    cd "$T/d"
    printf "# r\\tg(A'\`touch oops\`:\\\$(touch oops)_{x})\\n1\\t2\\n2\\t3\\n" >table
    rdfplot -o "it's \`touch oops\`.svg" table
    [[ -f "it's \`touch oops\`.svg" && ! -e oops ]]
    grep -q 'touch oops' ./*.svg
    rdfplot table >text
    [[ ! -e oops ]]
}

@test "unknown endings and missing gnuplot: rejected, and no file remains" {
    table
    fails 2 "--output: unknown ending of '*gr.gif'; use .svg, .png or .pdf" rdfplot -o "$T/d/gr.gif" "$T/gr.tsv"
    fails 2 "--output: *" rdfplot -o "$T/d/svg" "$T/gr.tsv"
    mkdir "$T/bin"
    PATH=$T/bin fails_with_message 'cannot run gnuplot*' "$(command -v rdfplot)" -o "$T/d/gr.svg" "$T/gr.tsv"
    [[ -z $(ls -A "$T/d") ]]
}

fake_gnuplot() { # < SHELL: replaces gnuplot by a script; $real is the path of gnuplot
    mkdir -p "$T/bin"
    { printf '#!/bin/bash\nreal=%q\n' "$(command -v gnuplot)"; cat; } >"$T/bin/gnuplot"
    chmod +x "$T/bin/gnuplot"
}

not_drawn() { # PATTERN: each format fails with this message, and no file remains
    local ending
    for ending in svg png pdf; do
        PATH=$T/bin:$PATH fails_with_message "$1" rdfplot -o "$T/d/gr.$ending" "$T/gr.tsv"
        [[ $(wc -l <"$T/err") == 1 ]]
    done
    [[ -z $(ls -A "$T/d") ]]
}

# shellcheck disable=SC2016 # the fake gnuplot expands $real, $@, $0 and $$, not this shell
@test "gnuplot that fails, is killed, or writes no complete figure: exit status 1, its message, no file" {
    table
    fake_gnuplot <<<'exit 3'
    not_drawn 'gnuplot ended with status 3'
    fake_gnuplot <<<'cat >/dev/null; printf "\n\nplot x\n     ^\nline 0: no \e[31mdata\n" >&2; exit 1'
    not_drawn 'gnuplot ended with status 1: plot x: line 0: no ?\[31mdata'
    fake_gnuplot <<<'cat >/dev/null; kill -9 $$'
    not_drawn 'gnuplot was killed by signal 9 (Killed)'
    fake_gnuplot <<<'"$real" "$@"; kill -SEGV $$'
    not_drawn 'gnuplot was killed by signal 11 *'
    fake_gnuplot <<<'cat >/dev/null'
    not_drawn 'gnuplot wrote 0 bytes, which are not a complete figure'
    fake_gnuplot <<<'"$real" "$@" >"$0.out"; head -c $(($(stat -c %s "$0.out") / 2)) "$0.out"; echo disk full >&2'
    not_drawn 'gnuplot wrote * bytes, which are not a complete figure: disk full'
    fake_gnuplot <<<'"$real" "$@" >"$0.out"; head -c -7 "$0.out"'
    not_drawn 'gnuplot wrote * bytes, which are not a complete figure'
    fake_gnuplot <<<'"$real" "$@" | tail -c +5'
    not_drawn 'gnuplot wrote * bytes, which are not a complete figure'
    # If the figure is complete, messages of gnuplot are printed.
    fake_gnuplot <<<'echo "font not found" >&2; exec "$real" "$@"'
    PATH=$T/bin:$PATH rdfplot -o "$T/d/gr.svg" "$T/gr.tsv" 2>"$T/err"
    [[ -s $T/d/gr.svg && $(<"$T/err") == 'rdfplot: note: gnuplot: font not found' ]]
}

@test "~/.gnuplot and variables of gnuplot: the figure does not change" {
    table
    local ending
    mkdir "$T/home"
    printf 'set border 31 lw 20\nset title "mine"\nset label "oops" at screen 0.5,0.5\n' >"$T/home/.gnuplot"
    for ending in svg png pdf; do
        rdfplot -o "$T/d/gr.$ending" "$T/gr.tsv"
        HOME=$T/home GNUTERM=dumb GNUPLOT_LIB=$T/home GDFONTPATH=$T/home GNUPLOT_FONTPATH=$T/home \
            GNUPLOT_DEFAULT_GDFONT=arial LC_ALL=C LANG=C rdfplot -o "$T/d/mine.$ending" "$T/gr.tsv" 2>"$T/err"
        same "$T/d/gr.$ending" "$T/d/mine.$ending"
        [[ ! -s $T/err ]]
    done
    HOME=$T/home GNUTERM=xyzzy rdfplot -o "$T/d/mine.svg" "$T/gr.tsv" 2>"$T/err"
    same "$T/d/gr.svg" "$T/d/mine.svg"
    [[ ! -s $T/err ]]
}

# Prints the texts of an SVG, one on each line.
svg_texts() {
    tr '\n' ' ' <"$1" | sed 's/<metadata>.*//' | grep -oE '<text>[^<]*</text>' |
        sed 's/^<text>//; s/<.*//; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&apos;/'"'"'/g; s/&amp;/\&/g'
}

@test "names with quotes of every kind: drawn unchanged" {
    need gnuplot
    mkdir "$T/d"
    local name
    # shellcheck disable=SC1003,SC2016 # quotes, backslashes and commands are parts of the names
    for name in "'" "''" "'''" "a'" "'a" "''a''b'''c" '"' '\' "\\'" '"."' '`ls`' "'\\047" '@x' '#' '%s' '{x}_2' \
        "'.system('ls').'" 'a\nb' "a''b" "$'" '<&>' "x' at 0,0"; do
        printf '# r\tg(%s:B)\tg(C:D)\n1\t2\t1\n2\t3\t1\n' "$name" >"$T/d/table"
        rdfplot -o "$T/d/x.svg" "$T/d/table" 2>"$T/err" || { echo "$name"; cat "$T/err"; return 1; }
        [[ ! -s $T/err ]]
        svg_texts "$T/d/x.svg" | has -xF -e "$name:B" || { echo "no $name in the figure"; return 1; }
    done
}

@test "names with control characters or invalid UTF-8: replaced in the terminal, and figures are well-formed" {
    mkdir "$T/d"
    local byte file pair
    clean() { # FILE: contains valid UTF-8, and no control characters other than newlines
        iconv -f UTF-8 -t UTF-8 "$1" >"$T/iconv" &&
            ! tr -d '\n\t' <"$1" | LC_ALL=C grep -aqP '[\x01-\x1f\x7f]|\xc2[\x80-\x9f]'
    }
    # ESC, BEL, CR, VT, DEL, U+009B, the byte 9B, U+0085, U+FFFF, a surrogate, a truncated and an overlong character, é
    for byte in '\033' '\007' '\r' '\013' '\177' '\302\233' '\233' '\302\205' '\357\277\277' '\355\240\200' '\303' \
        '\300\257' '\351'; do
        printf '# provenance: rdfhist 1: x%by\n# r\tg(O%b:B)\tg(C:D)\n1\t2\t1\n2\t3\t1\n' "$byte" "$byte" >"$T/d/table"
        file=$T/d/$(printf 'name%b.' "$byte").tsv
        sed 's/g(C:D)/g(E:F)/' "$T/d/table" >"$file"
        for pair in '' "$(printf 'O%b:B' "$byte")"; do
            rdfplot ${pair:+-p "$pair"} "$T/d/table" "$file" >"$T/text"
            clean "$T/text" || { echo "$byte"; return 1; }
            grep -q 'O?.*:B' "$T/text"
        done
        # Messages replace them, too.
        rdfplot -p "$(printf 'no%b' "$byte")" "$file" >"$T/out" 2>"$T/text" && return 1
        [[ $(wc -l <"$T/text") == 1 ]]
        clean "$T/text" || { echo "$byte"; return 1; }
        command -v gnuplot >/dev/null || continue
        rdfplot -o "$T/d/x.svg" "$T/d/table" "$file" 2>"$T/err"
        [[ ! -s $T/err ]]
        clean "$T/d/x.svg" || { echo "$byte"; return 1; }
        grep -q 'O?.*:B.*</text>' "$T/d/x.svg"
        grep -q '^provenance: rdfhist 1: x?.*y$' "$T/d/x.svg"
        ! command -v xmllint >/dev/null || xmllint --noout "$T/d/x.svg"
    done
}

fails_with_message() { # PATTERN COMMAND...: ends with status 1 and this message
    local got=0
    "${@:2}" >"$T/out" 2>"$T/err" || got=$?
    [[ $got == 1 && $(<"$T/err") == *"rdfplot: "$1 ]]
}

@test "SVG and PNG: contain the provenance of the table and that of the figure" {
    need gnuplot
    trjcat -f :4 examples/water/water.dcd | rdfhist -B 0 -e cpu -r 5 -b 20 | rdfnorm --volume 10000 >"$T/gr<&>.tsv"
    rdfplot --digest -o "$T/gr.svg" "$T/gr<&>.tsv"
    sed -n '/^<metadata>$/,/^<\/metadata>$/p' "$T/gr.svg" |
        sed '1d; $d; s/^provenance: //; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$T/got"
    sed -n 's/^# provenance: //p' "$T/gr<&>.tsv" | same <(head -n 3 "$T/got") -
    sed -n 4p "$T/got" | has -xF "rdfplot $TRJPIPE_VERSION: rdfplot --digest '$T/gr<&>.tsv'"
    sed -n 5p "$T/got" | has -xE "input xxh3:[0-9a-f]{32} .*"
    [[ $(wc -l <"$T/got") == 5 && $(tail -n 2 "$T/gr.svg") == *'</svg>'* ]]
    rdfplot --digest -o "$T/gr.png" "$T/gr<&>.tsv"
    # The chunk is complete, and its checksum is correct.
    node -e '
        const b = require("fs").readFileSync(process.argv[1]);
        for (let at = 8; at < b.length;) {
            const n = b.readUInt32BE(at), type = b.toString("latin1", at + 4, at + 8), 
                body = b.subarray(at + 8, at + 8 + n);
            let c = ~0;
            for (const x of b.subarray(at + 4, at + 8 + n)) {
                c ^= x;
                for (let k = 0; k < 8; k++) c = c & 1 ? c >>> 1 ^ 0xedb88320 : c >>> 1;
            }
            if (~c >>> 0 !== b.readUInt32BE(at + 8 + n)) throw type;
            if (type === "iTXt" && body.toString("latin1", 0, 10) === "provenance")
                process.stdout.write(body.subarray(15));
            at += 12 + n;
        }' "$T/gr.png" >"$T/chunk" || ! command -v node
    ! command -v node || same "$T/got" "$T/chunk"
}

# points SVG COLOUR: the points of the first curve in this colour, one in a line
points() {
    grep -E "stroke='rgb\( *$2\)'" "$1" | grep -oE "d='M[^']*" | head -n 1 | grep -oE '[0-9.]+,[0-9.]+' | tr , ' '
}

@test "--title, --name, --x-range, --size: texts, ticks and size of the SVG, PNG and PDF" {
    need gnuplot
    mkdir "$T/d"
    printf '# r\tg(O:O)\tn(O:O)\n' >"$T/gr.tsv"
    awk 'BEGIN { for (i = 1; i <= 100; i++) printf "%g\t%g\t%g\n", i / 10, sin(i / 5) ^ 2, i }' >>"$T/gr.tsv"
    rdfplot --title 'Water <&> 300 K' --name O:O=O–O --x-range 2:6.5 --size 120x50mm -o "$T/d/a.svg" "$T/gr.tsv"
    svg_texts "$T/d/a.svg" >"$T/texts"
    for text in 'Water <&> 300 K' 'O–O' 'g(r)' 'r / Å'; do grep -qxF "$text" "$T/texts"; done
    run ! grep -q 'O:O' "$T/texts"
    # Numbers of the vertical axis, then of the horizontal one
    [[ $(grep -xE '[0-9.]+' "$T/texts" | tr '\n' ' ') == '0.0 0.5 1.0 2.0 2.5 3.0 3.5 4.0 4.5 5.0 5.5 6.0 6.5 ' ]]
    # 120 mm of 600/85 pixels per mm
    grep -qE 'width="847" height="353"' "$T/d/a.svg"
    # Width and height are big-endian numbers in the header of a PNG: 1694 and 706.
    rdfplot --size 120x50mm -o "$T/d/a.png" "$T/gr.tsv"
    [[ $(od -An -j 16 -N 8 -t u1 "$T/d/a.png" | tr -s ' ') == ' 0 0 6 158 0 0 2 194' ]]
    rdfplot --size 4x3in -o "$T/d/a.pdf" "$T/gr.tsv"
    ! command -v pdfinfo >/dev/null || pdfinfo "$T/d/a.pdf" | has -E 'Page size: +288 x 216 '
    rdfplot --size 60x20 "$T/gr.tsv" >"$T/text"
    [[ $(wc -l <"$T/text") == 20 && $(wc -L <"$T/text") -le 60 ]]
    # Two files: KEY is the path or the short name.
    cp "$T/gr.tsv" "$T/d/300K.tsv"
    cp "$T/gr.tsv" "$T/d/310K.tsv"
    rdfplot --name 300K=cold --name "$T/d/310K.tsv=warm" -o "$T/d/b.svg" "$T/d/300K.tsv" "$T/d/310K.tsv"
    for text in cold warm; do svg_texts "$T/d/b.svg" | has -xF "$text"; done
}

@test "--log: powers of ten are at equal distances" {
    need gnuplot
    printf '# q\tS(A:A)\n0.1\t0.01\n1\t1\n10\t100\n' >"$T/sq.tsv"
    rdfplot --log xy -o "$T/a.svg" "$T/sq.tsv"
    # The curve is a straight line: its middle point is in the middle.
    points "$T/a.svg" '0, 114, 178' >"$T/points"
    awk '{ x[NR] = $1; y[NR] = $2 } END {
        exit !(NR == 3 && (x[1] + x[3] - 2 * x[2]) ^ 2 < 0.1 && (y[1] + y[3] - 2 * y[2]) ^ 2 < 0.1 && x[3] - x[1] > 300)
    }' "$T/points" || { cat "$T/points"; return 1; }
    svg_texts "$T/a.svg" | has -xF 0.1
    rdfplot --log y "$T/sq.tsv" | has '10 ┤'
    printf '# r\tw(A:A)\tw(B:B)\n1\t-1\t1\n2\t-2\t2\n' >"$T/w.tsv"
    rdfplot --log y "$T/w.tsv" 2>&1 >/dev/null |
        has -F 'w.tsv: no value of w(A:A) is finite and positive, as --log requires: not drawn'
}

@test "negative numbers have a true minus sign in SVG, PDF and text" {
    need gnuplot
    printf '# r\tw(A:A)\n1\t-1\n2\t-2\n3\t1\n' >"$T/w.tsv"
    rdfplot -o "$T/w.svg" "$T/w.tsv"
    for number in −1 −2; do svg_texts "$T/w.svg" | has -xF -e "$number"; done
    run ! grep -q '>-[0-9]' "$T/w.svg"
    rdfplot "$T/w.tsv" | has '^ *−2 ┤'
    if command -v pdftotext >/dev/null; then
        rdfplot -o "$T/w.pdf" "$T/w.tsv"
        pdftotext -enc UTF-8 "$T/w.pdf" - | has -xF −2
    fi
}

@test "fonts: the SVG does not depend on them, and the PDF contains those that it uses" {
    need gnuplot
    printf '# r\tw(A:A)\n1\t-1\n2\t-2\n3\t1\n' >"$T/w.tsv"
    mkdir "$T/none"
    printf '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%s</dir></fontconfig>\n' \
        "$T/none" >"$T/fonts.conf"
    rdfplot -o "$T/w.svg" "$T/w.tsv"
    FONTCONFIG_FILE=$T/fonts.conf rdfplot -o "$T/other.svg" "$T/w.tsv" 2>"$T/err"
    same "$T/w.svg" "$T/other.svg"
    [[ $(grep -o 'font-family="[^"]*"' "$T/w.svg" | sort -u) == 'font-family="Helvetica, Arial, sans-serif"' ]]
    # A name is not changed.
    printf '# r\tg(font-family="Helvetica":B)\tg(C:D)\n1\t2\t1\n2\t3\t1\n' >"$T/name.tsv"
    rdfplot -o "$T/name.svg" "$T/name.tsv"
    svg_texts "$T/name.svg" | has -xF 'font-family="Helvetica":B'
    need pdffonts
    rdfplot -o "$T/w.pdf" "$T/w.tsv"
    pdffonts "$T/w.pdf" | tail -n +3 >"$T/fonts"
    [[ -s $T/fonts ]]
    # The columns emb and sub: embedded, as a subset
    run ! grep -vE ' yes yes (yes|no) +[0-9]+ +0$' "$T/fonts"
}

# Prints x, y (downwards), the rotation, the anchor and the text of each text of an SVG.
svg_places() {
    tr -d '\n' <"$1" | sed 's/<metadata>.*//; s/<g transform="translate(/\n&/g' | sed -nE \
        -e 's/^<g transform="translate\(([^,]*),([^)]*)\)"/\1\t\2\t\t/' \
        -e 's/^<g transform="translate\(([^,]*),([^)]*)\) rotate\(([^)]*)\)"/\1\t\2\t\3\t/' \
        -e 's/\t[^\t]*text-anchor="([a-z]*)">\s*<text>([^<]*)<.*/\t\1\t\2/p'
}

@test "fonts wider than Helvetica: numbers and labels of axes do not overlap" {
    need gnuplot
    printf '# r\tw(A:A)\n1\t-60\n2\t-20\n3\t1\n' >"$T/w.tsv"
    printf '# r\tg(A:A)\tn(A:A)\n1\t0\t0\n2\t2\t12\n3\t1\t24\n' >"$T/g.tsv"
    rdfplot --y-label 'w / Å' -o "$T/w.svg" "$T/w.tsv"
    rdfplot -n -o "$T/g.svg" "$T/g.tsv"
    local figure
    for figure in w g; do
        svg_places "$T/$figure.svg" >"$T/places"
        # Digits of DejaVu Sans are 0.64 em wide and its minus sign is 0.84 em; an Å is 0.95 em high, and letters reach
        # 0.76 em above and 0.24 em below their base line. The text has 18 units per em.
        awk -F '\t' '
            $3 != "" && $1 < 300 { left = $1 + 0.24 * 18 }
            $3 != "" && $1 > 300 { right = $1 - 0.76 * 18 }
            $5 == "r / Å" { axis = $2 - 0.95 * 18 }
            $5 !~ /^(−)?[0-9.]+$/ { next }
            $4 == "end" { width = ($5 ~ /−/ ? 0.84 : 0) + 0.64 * gsub(/[0-9]/, "", $5)
                          if (start == "" || $1 - 18 * width < start) start = $1 - 18 * width }
            $4 == "start" { end = $1 + 18 * 0.64 * length($5) > end ? $1 + 18 * 0.64 * length($5) : end }
            $4 == "middle" { below = $2 }
            END { exit !(left > 0 && start > left + 2 && (!right || end < right - 2) && below && axis > below + 4) }
        ' "$T/places" || { cat "$T/places"; return 1; }
    done
}

@test "--y-range, --x-label, --y-label, --colours: scale, texts and colours of curves, maps and text" {
    need gnuplot
    printf '# r\tg(A:A)\tg(B:B)\tg(C:C)\n' >"$T/gr.tsv"
    awk 'BEGIN { for (i = 1; i <= 20; i++) printf "%g\t%g\t%g\t%g\n", i / 2, i % 7, 8 - i % 5, i / 4 }' >>"$T/gr.tsv"
    rdfplot --y-range=-2:4 --x-label 'distance / nm' --y-label "Ringe's g <&>" --colours '#112233,#aaBBcc' \
        -o "$T/a.svg" "$T/gr.tsv"
    svg_texts "$T/a.svg" >"$T/texts"
    [[ $(grep -xE '(−)?[0-9.]+' "$T/texts" | head -n 4 | tr '\n' ' ') == '−2 0 2 4 ' ]]
    for text in 'distance / nm' "Ringe's g <&>"; do grep -qxF -e "$text" "$T/texts"; done
    run ! grep -qE '^(g\(r\)|r / Å)$' "$T/texts"
    # The third curve has the first colour again, and is dashed.
    [[ $(sed -n "/<path/{s/.*stroke='rgb( *17, *34, *51)'.*/dark/p; s/.*stroke='rgb(170, 187, 204)'.*/light/p}" \
        "$T/a.svg" | sort -u | tr '\n' ' ') == 'dark light ' ]]
    [[ $(grep -c "rgb( *17, *34, *51)'.*stroke-dasharray\|stroke-dasharray.*rgb( *17, *34, *51)'" "$T/a.svg") -ge 1 ]]
    run ! grep -q 'rgb( *0, 114, 178)' "$T/a.svg"
    # One end follows from the table; --ymax alone is as before.
    rdfplot --y-range :4 -o "$T/b.svg" "$T/gr.tsv"
    rdfplot --ymax 4 -o "$T/c.svg" "$T/gr.tsv"
    same <(svg_texts "$T/b.svg") <(svg_texts "$T/c.svg")
    rdfplot --y-range 2: "$T/gr.tsv" | tee "$T/text" | has '^ *2 ┤'
    run ! grep -qE '^ *0 ┤' "$T/text"
    rdfplot --log y --y-range 0.1:10 "$T/gr.tsv" | has '0.1 ┤'
    # The label of numbers that are divided by a power of ten gives this power.
    printf '# r\tcount(A:A)\n1\t100000\n2\t900000\n' >"$T/large.tsv"
    rdfplot --x-label 'r / a₀' --y-label 'pairs seen' "$T/large.tsv" >"$T/text"
    for text in 'pairs seen, × 10³' 'r / a₀'; do grep -qF -e "$text" "$T/text"; done
    # Labels that are too long are shortened.
    rdfplot --y-label "$(printf 'é%.0s' {1..3000})" -o "$T/long.svg" "$T/gr.tsv"
    svg_texts "$T/long.svg" | has -E '^(é)+…(é)+$'
    printf '# time\tr\tg(A:A)\n0\t1\t1\n0\t2\t2\n1\t1\t3\n1\t2\t9\n' >"$T/map.tsv"
    rdfplot --map --x-label 'distance / Å' --y-label 'age / ps' --y-range 2:5 "$T/map.tsv" >"$T/text"
    for text in 'distance / Å' 'age / ps' 'g(r): 2 ' ' 5, ↑9'; do grep -qF -e "$text" "$T/text"; done
    rdfplot --map --x-label 'distance / Å' --y-label 'age / ps' -o "$T/map.svg" "$T/map.tsv"
    for text in 'distance / Å' 'age / ps'; do svg_texts "$T/map.svg" | has -xF "$text"; done
    rdfplot --waterfall --y-label 'g' -o "$T/fall.svg" "$T/map.tsv"
    svg_texts "$T/fall.svg" | has '^g, curves shifted by '
    fails 2 '--y-range and --ymax: give one of them' rdfplot --y-range 0:2 -y 3 "$T/gr.tsv"
    fails 2 "--y-range: invalid range '5:2': A must be less than B" rdfplot --y-range 5:2 "$T/gr.tsv"
    fails 2 "--y-range: invalid range '0:2': with --log y both ends must be above 0" \
        rdfplot --log y --y-range 0:2 "$T/gr.tsv"
    local list
    for list in '' red '#12345' '#1234567' '#112233,' '#11223g' '#112233;#112233'; do
        fails 2 "--colours: invalid list '$list': expected #rrggbb of hexadecimal digits*" \
            rdfplot --colours "$list" -o "$T/x.svg" "$T/gr.tsv"
    done
    fails 2 '--colours requires a file; add -o FILE.svg*' rdfplot --colours '#112233' "$T/gr.tsv"
    fails 2 '--colours: does not apply to --map; leave it out' \
        rdfplot --map --colours '#112233' -o "$T/x.svg" "$T/map.tsv"
    fails 2 '--y-label: does not apply to --image; leave it out' rdfplot --image --y-label g -o "$T/x.svg" "$T/gr.tsv"
}

@test "--title, --name, --x-range, --log, --size: invalid values are rejected with the expected form" {
    printf '# r\tg(O:O)\tg(O:H)\n1\t2\t1\n2\t3\t1\n' >"$T/gr.tsv"
    local range size
    for range in 5 : a:b 1:2:3 nan: ' 1:2'; do
        fails 2 "--x-range: invalid range '$range': expected A:B, as 0:8, 2: or :8" \
            rdfplot --x-range "$range" "$T/gr.tsv"
    done
    fails 2 "--x-range: invalid range '5:2': A must be less than B" rdfplot --x-range 5:2 "$T/gr.tsv"
    fails 2 "--x-range: invalid range '0:2': with --log x both ends must be above 0" \
        rdfplot --log x --x-range 0:2 "$T/gr.tsv"
    fails 3 'gr.tsv: no value of g(O:O) is finite within --x-range; the table reaches from 1 to 2' \
        rdfplot --x-range 5:6 "$T/gr.tsv"
    fails 2 "--name: no curve for 'X:Y=Z' in the figure; KEY is one of O:O, O:H" rdfplot --name X:Y=Z "$T/gr.tsv"
    fails 2 "--name: invalid value 'O:O': expected KEY=TEXT, as O:O=TEXT" rdfplot --name O:O "$T/gr.tsv"
    fails 2 "--log: 'z' is not one of x, y, xy*" rdfplot --log z "$T/gr.tsv"
    for size in 80 80x 80x24mm 80x24.5 x 80X24 80x24x3; do
        fails 2 "--size: invalid size '$size': expected columns and lines of a terminal, as 80x24, because*no -o" \
            rdfplot --size "$size" "$T/gr.tsv"
    done
    for size in 80x24 85mm 85x57px 85mmx57mm; do
        fails 2 "--size: invalid size '$size': expected width and height with mm, cm or in, as 85x57mm" \
            rdfplot --size "$size" -o "$T/x.svg" "$T/gr.tsv"
    done
    fails 2 "--size: invalid size '9x80': both numbers must be from 10 to 1000" rdfplot --size 9x80 "$T/gr.tsv"
    fails 2 '--size: too small for 1 panel; about *mm would do' rdfplot --size 15x15mm -o "$T/x.svg" "$T/gr.tsv"
    [[ ! -e $T/x.svg ]]
}

curves() { # SVG: prints the names of pairs, sorted
    grep -oE '>[^<>]*:[^<>]*</text>' "$1" | sed 's/^>//; s/<.*//' | sort | tr '\n' ' '
}

@test "PDF: contains the provenance, and the same table gives the same bytes" {
    table
    rdfplot -o "$T/d/gr.pdf" "$T/gr.tsv"
    [[ $(head -c 5 "$T/d/gr.pdf") == %PDF- && $(tail -n 1 "$T/d/gr.pdf") == %%EOF ]]
    sed -n 's/^% provenance: //p' "$T/d/gr.pdf" |
        same <(sed -n 's/^# provenance: //p' "$T/gr.tsv"; echo "rdfplot $TRJPIPE_VERSION: rdfplot $T/gr.tsv") -
    sleep 1.1
    rdfplot -o "$T/d/again.pdf" "$T/gr.tsv"
    same "$T/d/gr.pdf" "$T/d/again.pdf"
    if command -v pdftotext >/dev/null; then
        pdftotext -enc UTF-8 "$T/d/gr.pdf" - >"$T/words" 2>"$T/messages"
        for word in OW:OW OW:H-1 Å; do grep -qF "$word" "$T/words"; done
        [[ ! -s $T/messages ]]
        pdfinfo "$T/d/gr.pdf" | has -E 'Page size: +240.* x 160'
    fi
}

@test "tables of rdfderive: the axes of each have the correct symbols and units" {
    need gnuplot
    trjcat -t examples/water/water.pdb -g 'O=name OW' -g 'H=name HW*' examples/water/water.dcd |
        rdfhist -e cpu -r 9 -b 90 -B 32 -p O:O -p O:H >"$T/rdfh"
    local q
    while IFS=';' read -r q x y n; do
        # shellcheck disable=SC2086
        rdfderive -q $q "$T/rdfh" >"$T/derived.tsv"
        rdfplot -o "$T/d.svg" "$T/derived.tsv" 2>"$T/messages"
        [[ ! -s $T/messages ]]
        [[ $x != q* ]] || x+=', dotted: not resolved'
        grep -q ">$x</text>" "$T/d.svg"
        grep -q ">$y</text>" "$T/d.svg"
        # Curves are paths with lines of twice the width of axes; each has a band.
        [[ $(grep -o "rgb([^)]*)' fill-opacity" "$T/d.svg" | wc -l) -ge $n ]]
    done <<'END'
n;r / Å;n(r);3
sq;q / Å⁻¹;S(q);2
debye;q / Å⁻¹;S(q);2
pmf -T 300;r / Å;w(r) / kJ mol⁻¹;2
kb;r / Å;G / Å³;6
s2;r / Å;s₂(r) / k_B;3
END
    rdfderive -q shells "$T/rdfh" >"$T/shells.tsv"
    fails 3 'shells.tsv: line *: rows are shells of neighbours, not points of a curve; draw another quantity' \
        rdfplot "$T/shells.tsv"
    # n(r) from another table is drawn on the right axis.
    rdfnorm "$T/rdfh" >"$T/gr.tsv"
    rdfderive -q n "$T/rdfh" >"$T/n.tsv"
    for order in 'gr.tsv n.tsv' 'n.tsv gr.tsv'; do
        # shellcheck disable=SC2086
        (cd "$T" && rdfplot -o d.svg $order)
        for axis in 'g(r)' 'n(r), dashed' 'O:H' 'O:O'; do grep -q ">$axis</text>" "$T/d.svg"; done
        run ! grep -Eq '>(n\(O:O\)|.*H:O.*)<' "$T/d.svg"
    done
    rdfplot -n -p O:O -o "$T/e.svg" "$T/gr.tsv"
    for axis in 'g(r)' 'n(r), dashed' 'O:O'; do grep -q ">$axis</text>" "$T/e.svg"; done
    rdfnorm -c "$T/rdfh" >"$T/counts.tsv"
    fails 2 '--coordination: no other curve of the same pair as an n(A:B)*' rdfplot -n "$T/counts.tsv"
}

@test "high peaks of bonds: cut off, so that other peaks are visible, and their height is printed" {
    need gnuplot
    trjcat -t examples/water/water.pdb -g 'O=name OW' -g 'H=name HW*' examples/water/water.dcd |
        rdfhist -B 0 -e cpu -r 9 -b 180 -p O:O -p O:H >"$T/rdfh"
    rdfnorm "$T/rdfh" >"$T/gr.tsv"
    rdfplot -o "$T/gr.svg" "$T/gr.tsv"
    local highest
    highest=$(rows "$T/gr.tsv" | awk '$4 > m { m = $4 } END { printf "%.3g", m }')
    grep -qE ">(↑$highest|$highest↑)</text>" "$T/gr.svg"
    rdfplot -y 40 -o "$T/all.svg" "$T/gr.tsv"
    run ! grep -q '↑' "$T/all.svg"
    # Names are next to the curves, without a key.
    [[ $(curves "$T/gr.svg") == 'O:H O:O ' ]]
}

@test "many pairs: one panel for each with its name, or one panel for all" {
    table
    local i
    { printf '# r'; for i in 1 2 3 4 5 6 7 8 9; do printf '\tg(A%d:B)' $i; done
      awk 'BEGIN {
          for (r = 0.05; r < 10; r += 0.1) {
              printf "\n%g", r
              for (i = 1; i < 10; i++) printf "\t%g", (r > i)
          }
          print ""
      }'; } >"$T/many.tsv"
    rdfplot -o "$T/many.svg" "$T/many.tsv"
    [[ $(curves "$T/many.svg") == "$(printf 'A%d:B ' 1 2 3 4 5 6 7 8 9)" ]]
    # Panels have equal frames in different places.
    panels() { grep -oE "stroke='rgb\( 34, *34, *34\)' +d='M[0-9., ML]+" "$1" | grep -E 'L.*L.*M' | sort -u | wc -l; }
    [[ $(panels "$T/many.svg") == 9 ]]
    rdfplot --panels one -o "$T/one.svg" "$T/many.tsv"
    [[ $(panels "$T/one.svg") == 1 && $(curves "$T/one.svg") == "$(curves "$T/many.svg")" ]]
    rdfplot --panels pairs -o "$T/two.svg" "$T/gr.tsv"
    [[ $(panels "$T/two.svg") == 2 && $(curves "$T/two.svg") == 'OW:H-1 OW:OW ' ]]
}

@test "text: curves of dots with names; letters if there is no space for names" {
    printf '# r\tg(A:B)\n' >"$T/ramp.tsv"
    awk 'BEGIN { for (i = 0; i <= 10; i++) printf "%d\t%g\n", i, i < 5 ? 0 : 1 }' >>"$T/ramp.tsv"
    PATH=$TRJPIPE_BIN rdfplot "$T/ramp.tsv" >"$T/text" # no gnuplot
    same "$T/text" - <<'END'
g(r)
    │
1.0 ┤⡀  ⡀  ⡀  ⡀  ⡀  ⡀  ⡀  ⡀  ⡀  ⡀  ⡀  ⡀⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀  ⡀
    │                                  ⡜     A:B
    │                                  ⡇
    │                                 ⢸
    │                                 ⡎
    │                                ⢠⠃
    │                                ⡸
    │                                ⡇
    │                               ⢰⠁
0.5 ┤                               ⡜
    │                              ⢀⠇
    │                              ⢸
    │                              ⡇
    │                             ⢠⠃
    │                             ⡸
    │                             ⡇
    │                            ⢸
    │                            ⡎
0.0 ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⠇
    └─────┬──────┬──────┬──────┬──────┬──────┬──────┬──────┬──────┬──────┬────
    0      1      2      3      4      5      6      7      8      9     10
                                       r / Å
END
    mkdir -p "$T/1" "$T/2"
    cp "$T/ramp.tsv" "$T/1/gr.tsv"
    cp "$T/ramp.tsv" "$T/2/gr.tsv"
    rdfplot "$T/1/gr.tsv" "$T/2/gr.tsv" >"$T/text"
    head -n 2 "$T/text" | has -F '⠒a⠒ 1 ⠒b⠒ 2'
    [[ $(grep -c '[ab⠀-⣿].*a.*b' "$T/text") -ge 1 ]]
    # Only output to a terminal has colours.
    run ! grep -q $'\033' "$T/text"
    needs_terminal
    script -qec "TERM=xterm rdfplot $T/1/gr.tsv $T/2/gr.tsv" /dev/null </dev/null | has $'\033\\[34m'
    script -qec "TERM=xterm NO_COLOR=1 rdfplot $T/1/gr.tsv" /dev/null </dev/null >"$T/text"
    run ! grep -q $'\033' "$T/text"
}

@test "--image: a cell for each value, names of the columns, nan is white; other tables are rejected" {
    need gnuplot
    printf '# frame\ttime\tcc(A)\tcc(B)\n0\t0\t0.5\tnan\n1\t2\t0.25\t1\n2\t4\t0\t-0.5\n' >"$T/t.tsv"
    rdfplot --image --title 'local fit' --name A=first -o "$T/t.svg" "$T/t.tsv"
    [[ $(grep -c '<polygon' "$T/t.svg") -ge 5 ]]
    local text
    for text in 'local fit' first B 'time / ps' correlation; do grep -q ">$text<" "$T/t.svg"; done
    rdfplot --image -o "$T/t.png" "$T/t.tsv"
    head -c 8 "$T/t.png" | has -a PNG
    # Without times, the frames are the horizontal axis, and both are curves without --image.
    cut -f 1,3- "$T/t.tsv" | rdfplot -o "$T/f.svg"
    grep -q '>frame<' "$T/f.svg"
    rdfplot "$T/t.tsv" | has 'time / ps'
    fails 2 '--image requires a file; add -o FILE.svg' rdfplot --image "$T/t.tsv"
    fails 2 '--image requires a single table' rdfplot --image -o "$T/x.svg" "$T/t.tsv" "$T/t.tsv"
    fails 2 '--pair: no such column' rdfplot --image -p C -o "$T/x.svg" "$T/t.tsv"
    printf '# frame\ttime\tcc(A)\n0\t0\t0.5\n1\t2\t0.25\n2\t9\t0\n' >"$T/gap.tsv"
    fails 3 'row 1 is at 2 instead of 4.5: the rows of an image must be equally spaced' \
        rdfplot --image -o "$T/x.svg" "$T/gap.tsv"
    printf '# frame\ttime\tcc(A)\n0\t0\tnan\n' >"$T/none.tsv"
    fails 3 'no value is finite' rdfplot --image -o "$T/x.svg" "$T/none.tsv"
}

@test "--image of values of residues: one function, residues beside the image, classes and angles with their colours" {
    need gnuplot
    {
        printf '# frame\ttime\tvolume()\tphi(P)[A:GLY1]\tphi(P)[A:ALA2]\tdssp(P)[A:GLY1]\tdssp(P)[A:ALA2]\n'
        printf '0\t0\t9\t-60\t170\t0\t1\n1\t2\t9\t-70\t-170\t4\t1\n'
    } >"$T/t.tsv"
    fails 2 "contains phi(P) and dssp(P) of residues; draw one of them: -p 'phi(P)'" \
        rdfplot --image -o "$T/x.svg" "$T/t.tsv"
    local text
    rdfplot --image -p 'phi(P)' -o "$T/phi.svg" "$T/t.tsv"
    for text in 'φ / °' 'residue of A' GLY1 ALA2 180 -180; do grep -q "> *$text<" "$T/phi.svg"; done
    [[ $(grep -c '<polygon' "$T/phi.svg") -ge 4 ]]
    rdfplot --image -p 'dssp(P)' --name A:GLY1=first -o "$T/dssp.svg" "$T/t.tsv"
    for text in 'secondary structure' none H S first ALA2; do grep -q ">$text<" "$T/dssp.svg"; done
    # A helix is red, a ladder blue, in a box and in the scale.
    grep -qE "fill = 'rgb\(213, +94, +0\)'" "$T/dssp.svg" && grep -qE "fill = 'rgb\( *0, 114, 178\)'" "$T/dssp.svg"
    # Without other functions, none must be named; columns that are not of residues are left out.
    cut -f 1-5 "$T/t.tsv" | sed 's/A:ALA2/B:ALA2/' >"$T/one.tsv"
    rdfplot --image -o "$T/one.svg" "$T/one.tsv"
    for text in residue A:GLY1 B:ALA2; do grep -q ">$text<" "$T/one.svg"; done
    rdfplot --image -p 'phi(P)[A:GLY1]' -p 'P[A:ALA2]' -o "$T/both.svg" "$T/t.tsv"
    fails 2 '--pair: no such column' rdfplot --image -p 'psi(P)' -o "$T/x.svg" "$T/t.tsv"
    # As curves, residues are pairs.
    rdfplot -p 'P[A:ALA2]' "$T/t.tsv" | has 'P\[A:ALA2\]'
}

@test "wide ranges and huge values: the figure is drawn" {
    local range
    printf '# r\tg(A:B)\tse\n0\t0\t0\n1\t1\t1e30\n2\t1.5\t1e12\n3\t-1e12\t1\n' >"$T/a.tsv"
    for range in 0:10 0:1e9 0:1e18; do
        timeout 60 rdfplot --x-range $range "$T/a.tsv" >"$T/out"
        [[ -s $T/out ]]
    done
}

@test "histogram: the axis has the range, quantity and unit of its comment, and a band of errors" {
    need gnuplot
    {
        printf '# axis bin: rg in Angstrom: 4 bins from 12 to 20\n# bin\tp(rg(P))\tse_p(rg(P))\tvalues(rg(P))\n'
        printf '13\t0.1\t0.01\t8\n15\t0.3\t0.01\t24\n17\t0.1\t0.01\t8\n19\t0\t0\t0\n'
    } >"$T/h.tsv"
    rdfplot -o "$T/h.svg" "$T/h.tsv"
    for text in 'Rg / Å' 'probability density / Å⁻¹' 12 20 'rg(P)'; do grep -qF ">$text<" "$T/h.svg"; done
    ! grep -q '>11<' "$T/h.svg" || false
    grep -q 'fill-opacity' "$T/h.svg"
    cut -f 1,4 "$T/h.tsv" | rdfplot >"$T/text"
    has 'values in the bin' <"$T/text"
    sed 's/rg in Angstrom/mine in 1/' "$T/h.tsv" | rdfplot >"$T/text"
    has '^probability density$' <"$T/text"
    has '^ *mine$' <"$T/text"
    # Ticks of angles are parts of a turn.
    printf '# axis bin: torsion in degrees: 2 bins from -180 to 180\n# bin\tp(t)\n-90\t0.001\n90\t0.002\n' |
        rdfplot -o "$T/t.svg"
    for text in −120 −60 0 60 120 180 'torsion angle / °'; do grep -qF ">$text<" "$T/t.svg"; done
}

@test "coordinates below 0: no curve is marked as not resolved" {
    printf '# z\tmean(map)\n-3\t1\n-1\t2\n1\t3\n' | rdfplot >"$T/text"
    has '^ *z / Å$' <"$T/text"
}

# walkers FRAMES: prints three atoms of a random walk, as XYZ without a cell
walkers() {
    awk -v frames="$1" "$AWK_RANDOM"'BEGIN {
        seed = 8
        for (t = 0; t < frames; t++) {
            print 3 "\nProperties=species:S:1:pos:R:3 time=" t " time_unit=ps"
            for (i = 0; i < 3; i++) {
                for (k = 0; k < 3; k++) x[i, k] += 2 * random() - 1
                print "A", x[i, 0], x[i, 1], x[i, 2]
            }
        }
    }'
}

@test "tables of trjcorr: logarithmic axes with the fitted line, running integrals on the right, notes on the rest" {
    need gnuplot
    walkers 400 | trjcat - >"$T/x.trjf"
    trjcorr -i "$T/x.trjf" 'msd(index 0)' 'msd(all)' >"$T/msd.tsv" 2>"$T/err"
    rdfplot -o "$T/msd.svg" "$T/msd.tsv" 2>"$T/err"
    [[ ! -s $T/err ]]
    for text in 'MSD / Å²' 'time / ps, dashed: linear fit, dotted: few windows' 'index 0, exponent' 'all, exponent'; do
        grep -q "$text" "$T/msd.svg"
    done
    awk -F '\t' '$1 == "# result: msd(all)" && $2 == "exponent" { printf "all, exponent %.2f ± %.2f\n", $3, $4 }' \
        "$T/msd.tsv" >"$T/want"
    rdfplot "$T/msd.tsv" | has -F -f "$T/want"
    rdfplot "$T/msd.tsv" | has '100 ┤'
    rdfplot --log none "$T/msd.tsv" | has ' 0 ┤'
    # Lags in octaves are not equidistant.
    trjcorr -i "$T/x.trjf" --per-octave 8 'msd(all)' 2>"$T/err" | rdfplot | has 'all, exponent'
    trjcorr -i "$T/x.trjf" -l 20 'acf(distance(index 0, index 1))' 'acf(distance(index 0, index 2))' \
        'reorient(index 0, index 1)' >"$T/acf.tsv" 2>"$T/err"
    rdfplot "$T/acf.tsv" 2>"$T/err" >"$T/acf.txt"
    has 'autocorrelation / Å² .*integral / Å² ps, dashed' <"$T/acf.txt"
    has 'acf.tsv: reorient.C1(index 0, index 1) and 1 more: not drawn, .* --pair .reorient.C1(index 0, index 1).' <"$T/err"
    rdfplot -p 'reorient.tau2(index 0, index 1)' "$T/acf.tsv" | has 'τ(t) / ps'
    trjcorr -i "$T/x.trjf" -l 20 --spectrum 'acf(distance(index 0, index 1))' | rdfplot | has 'wavenumber / cm⁻¹'
    fails 3 'rows are results, as of trjcorr --summary, not points of a curve' \
        rdfplot <(trjcorr -i "$T/x.trjf" --summary 'msd(all)' 2>/dev/null)
}

@test "rdfplot --running: the dielectric constant of the first frames; a note without the option" {
    { printf '# running: dielectric(all, 300)\t%d\t%d\n' 10 60 20 70 30 72
      printf '# lag\ttime\twindows\tdielectric.M2(all, 300)\n0\t0\t30\t5\n1\t1\t29\t4\n'; } >"$T/d.tsv"
    rdfplot --running "$T/d.tsv" 2>"$T/err" >"$T/d.txt"
    [[ ! -s $T/err ]]
    has 'frames from the first one on' <"$T/d.txt"
    rdfplot "$T/d.tsv" 2>"$T/err" | has '⟨δM(0) δM(t)⟩ / D²'
    has 'first frames is not drawn; to draw it, add --running' <"$T/err"
    fails 2 '--running: does not apply to --map' rdfplot --map --running "$T/d.tsv"
    fails 2 '--running: does not apply to --follow' rdfplot --follow --running "$T/d.tsv"
    fails 3 'contains no comments' rdfplot --running <(grep -v running "$T/d.tsv")
}
