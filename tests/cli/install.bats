#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `make install` puts everything in place, which works from there; `make uninstall` takes it away.
load helper

# In a copy, so that bin/ here stays as it is; what was built is used again.
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

wanted() {
    local tool page
    for tool in $(tools); do
        printf '%s\n' "bin/$tool" "share/man/man1/$tool.1" "share/bash-completion/completions/$tool" \
            "share/zsh/site-functions/_$tool" "share/fish/vendor_completions.d/$tool.fish"
    done
    for page in filters/*.7; do echo "share/man/man7/${page##*/}"; done
    for page in schemas/*.5; do echo "share/man/man5/${page##*/}"; done
    for page in schemas/*; do [[ $page == *.5 ]] || echo "share/trjpipe/$page"; done
}

@test "make install: tools, pages, completions and schemas, and nothing else" {
    wanted | sort >"$T/wanted"
    (cd "$ROOT/usr" && find . ! -type d ! -name other | sed 's|^\./||' | sort) >"$T/files"
    same "$T/wanted" "$T/files"
    # Whoever installs: all may read.
    [[ -z $(find "$ROOT/usr/bin" "$ROOT/usr/share" -type f ! -name other ! -perm 644 ! -path '*/bin/*') ]]
    [[ -z $(find "$ROOT/usr/bin" -type f ! -name other ! -perm 755) ]]
    cmp schemas/frame_stream.ksy "$ROOT/usr/share/trjpipe/schemas/frame_stream.ksy"
}

@test "the installed tools work, with nothing else in PATH" {
    local dcd=$PWD/examples/water/water.dcd pdb=$PWD/examples/water/water.pdb tool
    for tool in $(tools); do [[ $("$ROOT/usr/bin/$tool" --version) == "$tool $TRJPIPE_VERSION "* ]]; done
    (cd "$T" && PATH=$ROOT/usr/bin && trjcat -f 0:8 -t "$pdb" -g 'O=name OW' "$dcd" | rdfhist -e cpu -r 8 -b 40 -B 2 | rdfnorm -o there.tsv)
    (cd "$T" && trjcat -f 0:8 -t "$pdb" -g 'O=name OW' "$dcd" | rdfhist -e cpu -r 8 -b 40 -B 2 | rdfnorm -o here.tsv)
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

@test "the installed completions are those of the installed tools" {
    local tool
    for tool in $(tools); do
        filters/completion bash "$ROOT/usr/bin/$tool" | cmp - "$ROOT/usr/share/bash-completion/completions/$tool"
        filters/completion zsh "$ROOT/usr/bin/$tool" | cmp - "$ROOT/usr/share/zsh/site-functions/_$tool"
        filters/completion fish "$ROOT/usr/bin/$tool" | cmp - "$ROOT/usr/share/fish/vendor_completions.d/$tool.fish"
    done
}

@test "make uninstall leaves nothing but what was there before" {
    cp -r "$ROOT" "$T/root"
    make --no-print-directory -s -C "$COPY" uninstall DESTDIR="$T/root" PREFIX=/usr
    [[ $(cd "$T/root" && find . ! -type d) == ./usr/bin/other ]]
    [[ ! -e $T/root/usr/share/trjpipe ]]
}
