#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `make install` installs files that work where they are installed; `make uninstall` removes them and the folders that
# `make install` created.
load helper

# The tests use a copy of the sources, so that bin/ remains unchanged; objects that are built are used again.
setup_file() {
    ROOT="$BATS_FILE_TMPDIR/a root"
    COPY=$BATS_FILE_TMPDIR/copy
    export ROOT COPY
    mkdir -p "$COPY" .build
    tar --exclude=./.git --exclude=./.build --exclude=./bin -cf - . | tar -xf - -C "$COPY"
    ln -s "$PWD/.build" "$COPY/.build"
    mkdir -p "$ROOT/usr/bin"
    touch "$ROOT/usr/bin/other"
    (umask 077 && make --no-print-directory -s -C "$COPY" install DESTDIR="$ROOT" PREFIX=/usr)
}

# Prints the files of the examples, without those that their scripts write.
example_files() {
    find examples -type f ! -path '*/out/*' ! -name .gitignore ! -name '*.rdfh' ! -name '*.tsv' \
        \( ! -name '*.svg' -o -path 'examples/gallery/*' \)
}

expected_files() {
    local tool page
    for tool in $(tools); do
        printf '%s\n' "bin/$tool" "share/man/man1/$tool.1" "share/bash-completion/completions/$tool" \
            "share/zsh/site-functions/_$tool" "share/fish/vendor_completions.d/$tool.fish"
    done
    printf '%s\n' include/trjpipe.h lib/libtrjpipe.{a,so,so.0} lib/pkgconfig/trjpipe.pc
    for page in filters/*.3; do echo "share/man/man3/${page##*/}"; done
    for page in filters/*.7; do echo "share/man/man7/${page##*/}"; done
    for page in schemas/*.5; do echo "share/man/man5/${page##*/}"; done
    for page in schemas/*; do [[ $page == *.5 ]] || echo "share/trjpipe/$page"; done
    # A plug-in is built for each MPI whose compiler is installed.
    for page in "$COPY"/bin/plugins/*.so; do [[ ! -e $page ]] || echo "libexec/trjpipe/${page##*/}"; done
    echo share/trjpipe/new-folders
    printf 'share/doc/trjpipe/%s\n' README.md LICENSE CHANGELOG.md CITATION.cff
    for page in ARCHITECTURE CONTRIBUTING; do
        [[ ! -f .github/$page.md ]] || echo "share/doc/trjpipe/$page.md"
    done
    example_files | sed 's|^|share/doc/trjpipe/|'
    [[ ! -f .build/html/index.html ]] || (cd .build && find html -type f | sed 's|^|share/doc/trjpipe/|')
}

@test "make install: tools, pages, completions, schemas, examples and documentation, and nothing else" {
    expected_files | sort >"$T/expected"
    (cd "$ROOT/usr" && find . ! -type d ! -name other | sed 's|^\./||' | sort) >"$T/files"
    same "$T/expected" "$T/files"
    # All users can read the files, whatever the umask of the user who installed them.
    [[ -z $(find "$ROOT/usr/share" -type f ! -perm 644 ! -name '*.sh' ! -name '*.py') ]]
    [[ -z $(find "$ROOT/usr" ! -type l ! -type f ! -perm 755) ]]
    [[ -z $(find "$ROOT/usr/share" -name run.sh ! -perm 755) ]]
    [[ -z $(find "$ROOT/usr/bin" -type f ! -name other ! -perm 755) ]]
    cmp schemas/frame_stream.ksy "$ROOT/usr/share/trjpipe/schemas/frame_stream.ksy"
}

@test "the installed tools work, with nothing else in PATH" {
    local dcd=$PWD/examples/water/water.dcd pdb=$PWD/examples/water/water.pdb tool
    for tool in $(tools); do [[ $("$ROOT/usr/bin/$tool" --version) == "$tool $TRJPIPE_VERSION "* ]]; done
    count() {
        trjcat -f 0:8 -t "$pdb" -g 'O=name OW' "$dcd" | rdfhist -e cpu -r 8 -b 40 -B 2 | rdfnorm -o "$1"
    }
    # shellcheck disable=SC2030 # for this pipeline only
    (cd "$T" && PATH=$ROOT/usr/bin && count there.tsv)
    (cd "$T" && count here.tsv)
    grep -qx '# frames: 8 in 4 records' "$T/there.tsv"
    [[ $(rows "$T/there.tsv" | wc -l) == 40 ]]
    same <(rows "$T/here.tsv") <(rows "$T/there.tsv")
}

@test "the installed pages are found and read" {
    need mandoc
    local page
    for page in "$ROOT"/usr/share/man/man*/*; do
        cmp "$page" "$(find filters schemas -name "${page##*/}")"
        mandoc -T utf8 "$page" >"$T/page"
        [[ $(wc -l <"$T/page") -gt 40 ]]
    done
    (cd "$ROOT/usr/share/man" && man -M . 5 trjf 2>/dev/null || mandoc man5/trjf.5) | has 'frame stream of trjpipe'
}

@test "the installed documents: each link leads to an installed file" {
    local doc=$ROOT/usr/share/doc/trjpipe page link links=0
    for page in "$doc"/*.md "$doc"/examples/*/*.md "$ROOT"/usr/share/trjpipe/schemas/*.md; do
        while read -r link; do
            [[ -e ${page%/*}/$link ]] || { echo "$page: $link"; return 1; }
            links=$((links + 1))
        done < <(grep -oE '\]\([^)#]+' "$page" | cut -c 3- | grep -v '^https\?:')
    done
    ((links > 40))
}

@test "the installed completions are those of the installed tools" {
    local tool
    for tool in $(tools); do
        filters/completion bash "$ROOT/usr/bin/$tool" | cmp - "$ROOT/usr/share/bash-completion/completions/$tool"
        filters/completion zsh "$ROOT/usr/bin/$tool" | cmp - "$ROOT/usr/share/zsh/site-functions/_$tool"
        filters/completion fish "$ROOT/usr/bin/$tool" | cmp - "$ROOT/usr/share/fish/vendor_completions.d/$tool.fish"
    done
}

@test "the installed examples run" {
    local doc=$ROOT/usr/share/doc/trjpipe
    need gnuplot
    # shellcheck disable=SC2031
    env "PATH=$ROOT/usr/bin:$PATH" "$doc/examples/water/run.sh" "$T/water"
    [[ $(rows "$T/water/gr.tsv" | wc -l) == 200 ]]
}

# tree FOLDER: prints its folders and files, with their modes
tree() {
    (cd "$1" && find . -printf '%P %y %m\n' | sort)
}

@test "make uninstall leaves exactly what was there before, also after two installations" {
    local to=(DESTDIR="$T/a root" PREFIX="/opt/a prefix")
    # An empty folder and a file of others remain.
    mkdir -p "$T/a root/opt/a prefix/share/man/man1" "$T/a root/opt/a prefix/share/doc/other"
    touch "$T/a root/opt/a prefix/share/doc/other/file"
    tree "$T/a root" >"$T/before"
    make --no-print-directory -s -C "$COPY" install "${to[@]}"
    tree "$T/a root" >"$T/installed"
    make --no-print-directory -s -C "$COPY" install "${to[@]}"
    tree "$T/a root" | same "$T/installed" -
    [[ $(wc -l <"$T/installed") -gt 80 ]]
    make --no-print-directory -s -C "$COPY" uninstall "${to[@]}"
    tree "$T/a root" | same "$T/before" -
}

@test "make install and uninstall: DESTDIR that does not exist is created and removed" {
    timeout 60 make --no-print-directory -s -C "$COPY" install DESTDIR="$T/new" PREFIX=/usr
    [[ -x $T/new/usr/bin/trjcat ]]
    make --no-print-directory -s -C "$COPY" uninstall DESTDIR="$T/new" PREFIX=/usr
    [[ ! -e $T/new ]]
}

@test "make install-strip: no debugging information, tools of at most 12 MB, or 40 MB with CUDA" {
    ! sanitized || skip 'sanitizers make larger programs'
    need readelf
    make --no-print-directory -s -C "$COPY" install-strip DESTDIR="$T/root" PREFIX=/usr
    local file limit=12000000 size
    for file in "$T"/root/usr/bin/* "$T"/root/usr/lib/*.so "$T"/root/usr/lib/*.a; do
        readelf -SW "$file" >"$T/sections"
        grep -q '\.text' "$T/sections" && ! grep '\.debug_' "$T/sections" || { echo "$file"; return 1; }
    done
    [[ $("$T/root/usr/bin/rdfhist" --version) == "$(rdfhist --version)" ]]
    nm "$T/root/usr/lib/libtrjpipe.a" | has ' T trjpipe_version$'
    [[ $(rdfhist --version) == *'no CUDA'* ]] || limit=40000000
    # The library adds 2.4 MB, examples and documents 7 MB.
    size=$(find "$T/root/usr/bin" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
    ((size <= limit)) || { echo "$size bytes" && return 1; }
}

@test "make uninstall keeps folders that contain files of others" {
    cp -r "$ROOT" "$T/root"
    touch "$T/root/usr/share/man/man1/other.1"
    make --no-print-directory -s -C "$COPY" uninstall DESTDIR="$T/root" PREFIX=/usr
    same <(printf '%s\n' ./usr/bin/other ./usr/share/man/man1/other.1) <(cd "$T/root" && find . ! -type d | sort)
    same <(printf '%s\n' . ./usr{,/bin,/share,/share/man,/share/man/man1}) <(cd "$T/root" && find . -type d | sort)
}
