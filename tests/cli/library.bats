#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The C library as `make install` installs it: programs outside of the source tree build with it, and it exports the
# functions of trjpipe.h and nothing else.
load helper

# The tests use a copy of the sources, so that bin/ remains unchanged; objects that are built are used again.
setup_file() {
    local copy=$BATS_FILE_TMPDIR/copy
    export ROOT="$BATS_FILE_TMPDIR/a root" FLAGS
    mkdir -p "$copy" .build
    tar --exclude=./.git --exclude=./.build --exclude=./bin -cf - . | tar -xf - -C "$copy"
    ln -s "$PWD/.build" "$copy/.build"
    make --no-print-directory -s -C "$copy" install PREFIX="$ROOT"
    # Programs need the sanitizers of the library.
    FLAGS="-g -Wall -Wextra -Werror $(make -s -C "$copy" config | sed -n 's/^flags .*\(-fsanitize=[^ ]*\).*/\1/p')"
    cp -r examples/library "$BATS_FILE_TMPDIR/library"
    make -s -C "$BATS_FILE_TMPDIR/library" clean
}

setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR
    cp -r "$BATS_FILE_TMPDIR/library" "$T/library"
    export LD_LIBRARY_PATH=$ROOT/lib PKG_CONFIG_PATH=$ROOT/lib/pkgconfig
    unset MAKEFLAGS MFLAGS
    WATER=$PWD/examples/water/water OW='O=name OW'
}

# build_example [SETTING...]: builds the example as a user does
build_example() {
    need pkg-config
    make -s -C "$T/library" CFLAGS="$FLAGS" "$@"
}

# compile SOURCE [FLAG...]: makes $T/program
compile() {
    # shellcheck disable=SC2086 # words, also of CC, which can be 'ccache gcc'
    ${CC:-cc} $FLAGS -I"$ROOT/include" -o "$T/program" "$@" -L"$ROOT/lib" -ltrjpipe
}

# header_functions: prints the functions that trjpipe.h declares
header_functions() {
    grep -o 'trjpipe_[a-z_]*(' "$ROOT/include/trjpipe.h" | tr -d '(' | sort
}

@test "library: the example builds with pkg-config, and moves the centre of a group to the origin" {
    build_example
    trjcat -f 0:3 -t "$WATER.pdb" -g "$OW" -o "$T/O.xyz" "$WATER.dcd"
    "$T/library/centre" - 'O=name O' "$T/O.xyz" >"$T/out.trjf"
    trjinfo --check "$T/out.trjf" >"$T/info"
    trjinfo "$T/out.trjf" | has 'centre 1.0'
    trjcat -t "$T/O.xyz" -g 'O=name O' -o "$T/out.xyz" "$T/out.trjf"
    paste <(grep '^O' "$T/O.xyz") <(grep '^O' "$T/out.xyz") | awk '
        { for (k = 0; k < 3; k++) { sum[k] += $(k + 6); d = $(k + 2) - $(k + 6)
            if (NR % 343 != 1 && (d - first[k]) ^ 2 > 1e-8) bad = 1
            first[k] = d } }
        NR % 343 == 0 { for (k = 0; k < 3; k++) { if ((sum[k] / 343) ^ 2 > 1e-8) bad = 1; sum[k] = 0 } }
        END { exit bad || NR != 3 * 343 }'
}

@test "library: a group of a trajectory with a topology is read, and counts agree with those of the tools" {
    build_example
    "$T/library/centre" "$WATER.pdb" "$OW" "$WATER.dcd" | rdfhist -e cpu -r 8 -b 40 -o "$T/a.rdfh"
    trjcat -t "$WATER.pdb" -g "$OW" "$WATER.dcd" | rdfhist -e cpu -r 8 -b 40 -B 2 -o "$T/b.rdfh"
    "$T/library/counts" "$T/a.rdfh" >"$T/a"
    "$T/library/counts" "$T/b.rdfh" >"$T/b"
    head -n 1 "$T/b" | has -x "# 128 frames in 64 records, libtrjpipe $TRJPIPE_VERSION"
    same <(counts "$T/b.rdfh") <(rows "$T/b" | cut -f 3)
    # The translation rounds coordinates, so that a few distances lie in the next bin.
    paste <(rows "$T/a") <(rows "$T/b") | awk '{ all += $6; d = $3 - $6; off += d < 0 ? -d : d }
        END { exit !(all > 1e6 && off < all / 1e4) }'
}

@test "library: the static library gives the same bytes, without libtrjpipe.so" {
    build_example
    "$T/library/centre" "$WATER.pdb" "$OW" "$WATER.dcd" >"$T/shared"
    make -s -C "$T/library" clean
    build_example STATIC=yes
    LD_LIBRARY_PATH='' "$T/library/centre" "$WATER.pdb" "$OW" "$WATER.dcd" >"$T/static"
    cmp "$T/shared" "$T/static"
    readelf -d "$T/library/centre" >"$T/elf"
    run ! grep libtrjpipe "$T/elf"
}

@test "library: errors of the example have the messages and exit codes of trjcat" {
    build_example
    head -c 100000 "$WATER.dcd" >"$T/truncated.dcd"
    : >"$T/empty"
    local input
    for input in "$T/none.dcd|1" "$T/truncated.dcd|3" "$WATER.yaml|3" "$T/empty|3"; do
        run -"${input#*|}" bash -c "'$T/library/centre' '$WATER.pdb' '$OW' '${input%|*}' 2>&1 >/dev/null"
        local got=${output#centre: }
        run -"${input#*|}" bash -c "trjcat -t '$WATER.pdb' -g '$OW' '${input%|*}' 2>&1 >/dev/null"
        same <(tail -n 1 <<<"${output#trjcat: }") <(tail -n 1 <<<"$got")
    done
    run -2 "$T/library/centre" "$WATER.pdb" 'O=nam OW' "$WATER.dcd"
    [[ $output == *"unknown keyword 'nam' at character 1"* ]]
    run -1 bash -c "'$T/library/centre' '$WATER.pdb' '$OW' '$WATER.dcd' 2>&1 >/dev/full"
    [[ $output == *'No space left on device' ]]
    run -3 "$T/library/counts" "$WATER.dcd"
    run -2 "$T/library/counts"
}

@test "library: exports the functions of trjpipe.h with versions, and nothing else" {
    need nm
    header_functions >"$T/header"
    [[ $(wc -l <"$T/header") -gt 10 ]]
    nm -D --defined-only "$ROOT/lib/libtrjpipe.so.0" | awk '$2 != "A" { print $3 }' >"$T/versions"
    run ! grep -v '@@TRJPIPE_0\.[0-9]*$' "$T/versions"
    same "$T/header" <(sed 's/@.*//' "$T/versions" | sort)
    nm -g --defined-only "$ROOT/lib/libtrjpipe.a" | awk 'NF == 3 { print $3 }' | sort | grep -v '^__[a-z]*san_' |
        same "$T/header" -
    readelf -d "$ROOT/lib/libtrjpipe.so" | has 'SONAME.*\[libtrjpipe\.so\.0\]'
    run ! bash -c "readelf -d '$ROOT/lib/libtrjpipe.so' | grep TEXTREL"
}

@test "library: calls no function that prints, ends the process or changes the locale" {
    need nm
    ! sanitized || skip 'sanitizers print'
    nm -D --undefined-only "$ROOT/lib/libtrjpipe.so.0" | awk '{ sub(/@.*/, "", $2); print $2 }' >"$T/undefined"
    [[ $(wc -l <"$T/undefined") -gt 30 ]]
    run ! grep -xE 'exit|abort|v?f?printf|puts|fputs|perror|stdout|stderr|__v?f?printf_chk|setlocale|__assert_fail' \
        "$T/undefined"
}

@test "library: trjpipe.h compiles alone, without warnings, in C99, C11, C17 and C++" {
    local standard
    echo '#include <trjpipe.h>' >"$T/header.c"
    for standard in c99 c11 c17; do
        # shellcheck disable=SC2086 # words
        ${CC:-cc} -std=$standard -Wall -Wextra -pedantic -Werror -I"$ROOT/include" -fsyntax-only "$T/header.c"
    done
    need g++
    g++ -std=c++11 -Wall -Wextra -pedantic -Werror -I"$ROOT/include" -fsyntax-only -x c++ "$T/header.c"
    g++ -std=c++98 -Wall -Wextra -Werror -I"$ROOT/include" -fsyntax-only -x c++ "$T/header.c"
}

@test "library: header, pkg-config file, library and tools have one version" {
    local major minor patch
    IFS=. read -r major minor patch <<<"$TRJPIPE_VERSION"
    cat >"$T/version.c" <<'END'
#include <stdio.h>
#include <trjpipe.h>
int main(void) {
    printf("%s %s %d.%d.%d\n", trjpipe_version(), TRJPIPE_VERSION, TRJPIPE_VERSION_MAJOR, TRJPIPE_VERSION_MINOR,
           TRJPIPE_VERSION_PATCH);
    return 0;
}
END
    compile "$T/version.c"
    [[ $("$T/program") == "$TRJPIPE_VERSION $TRJPIPE_VERSION $major.$minor.$patch" ]]
    need pkg-config
    [[ $(pkg-config --modversion trjpipe) == "$TRJPIPE_VERSION" ]]
}

@test "library: the manual page names every function, and its example prints the mean coordinate of each frame" {
    local name
    for name in $(header_functions); do
        grep -qE "^\.(Nm|Fn|Fo) $name( |$)" filters/trjpipe.3 || { echo "$name"; return 1; }
    done
    awk '/^\.Ed/ { code = 0 } code; /^\.Bd -literal/ { code = 1 }' filters/trjpipe.3 | sed 's/\\e/\\/g' >"$T/page.c"
    compile "$T/page.c"
    "$T/program" "$WATER.dcd" >"$T/got"
    [[ $(wc -l <"$T/got") == 128 ]]
    trjcat -t "$WATER.pdb" -f 0 --to xyz "$WATER.dcd" | awk 'NF > 3 && NR > 2 { sum += $2; n++ }
        END { printf "%.4f\n", sum / n }' | same - <(head -n 1 "$T/got" | awk '{ printf "%.4f\n", $2 }')
    run -1 "$T/program" /nonexistent
    [[ $output == '/nonexistent: No such file or directory' ]]
}

@test "library: a damaged stream is salvaged, and coordinates are rounded" {
    cat >"$T/copy.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <trjpipe.h>

int main(int argc, char **argv) {
    struct trjpipe_reader_options in = {.struct_size = sizeof in, .salvage = 1, .unit = TRJPIPE_STORED};
    struct trjpipe_writer_options out = {.struct_size = sizeof out, .level = 6, .precision = 0.01};
    struct trjpipe_frame frame = {.struct_size = sizeof frame};
    struct trjpipe_error error;
    trjpipe_reader *reader;
    trjpipe_writer *writer = NULL;
    int rc = trjpipe_reader_open(&reader, (const char *const *)argv + 1, (size_t)argc - 1, &in, &error);
    const struct trjpipe_header *header = rc ? NULL : trjpipe_reader_header(reader);
    float *x = header ? malloc(3 * header->atoms * sizeof *x) : NULL;
    rc = x ? trjpipe_writer_open(&writer, "-", header, &out, &error) : -1;
    while (!rc && (rc = trjpipe_reader_read(reader, &frame, x, &error)) > 0)
        rc = trjpipe_writer_write(writer, &frame, x, &error);
    for (const char *note; header && (note = trjpipe_reader_note(reader));) fprintf(stderr, "%s\n", note);
    rc = rc || trjpipe_writer_finish(writer, &error) || trjpipe_reader_losses(reader, &error) ? error.status : 0;
    if (rc) fprintf(stderr, "%s\n", error.text);
    trjpipe_writer_close(writer);
    trjpipe_reader_close(reader);
    free(x);
    return rc;
}
END
    compile "$T/copy.c"
    trjcat -z 0 "$WATER.dcd" >"$T/run.trjf"
    "$T/program" "$T/run.trjf" >"$T/out.trjf"
    same <(trjcat --precision 0.01 "$T/run.trjf" | bare_frames) <(bare_frames <"$T/out.trjf")
    trjinfo --check "$T/out.trjf" | has -x $'precision\t0.01'
    poke "$T/run.trjf" 500000 58 59 5a 00
    run -3 --separate-stderr "$T/program" "$T/run.trjf"
    # shellcheck disable=SC2154 # set by run
    same <(echo "$stderr") <(trjcat --salvage "$T/run.trjf" 2>&1 >"$T/good.trjf" | sed 's/^trjcat: //')
    trjinfo --check "$T/good.trjf" | has '^frames.*106$'
}

@test "library: the commands in the README of the example run" {
    build_example
    make -s -C "$T/library" clean
    mkdir "$T/examples"
    cp -r "$T/library" examples/water "$T/examples"
    sed -n 's/^    //p' examples/library/README.md | sed '/PREFIX/d' >"$T/commands"
    [[ $(wc -l <"$T/commands") == 4 ]]
    (cd "$T/examples/library" && CFLAGS=$FLAGS bash -euo pipefail "$T/commands") >"$T/out" 2>"$T/notes"
    # The table of g(r), and then the counts.
    [[ $(grep -cE '^# 128 frames in [0-9]+ records' "$T/out") == 1 && $(grep -c '^[0-9]' "$T/out") == 434 ]]
}

# Large frames are given to a pipe without a copy.
@test "library: large frames are the same in a pipe and in a file" {
    build_example
    awk 'BEGIN { for (f = 0; f < 4; f++) { print 100000 "\n"
        for (i = 0; i < 100000; i++) print "O", i % 100, f, i } }' \
        >"$T/big.xyz"
    "$T/library/centre" - 'O=name O' "$T/big.xyz" >"$T/file.trjf"
    "$T/library/centre" - 'O=name O' "$T/big.xyz" | cat >"$T/pipe.trjf"
    cmp "$T/file.trjf" "$T/pipe.trjf"
    [[ $(trjinfo --check "$T/pipe.trjf" | grep '^frames') == $'frames\t4' ]]
}
