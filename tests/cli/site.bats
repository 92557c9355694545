#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `make html` makes a site of the documentation without broken links.
load helper

setup_file() {
    command -v mandoc >/dev/null && command -v cmark-gfm >/dev/null || return 0
    .github/site/build "$BATS_FILE_TMPDIR/site" "$TRJPIPE_VERSION" >"$BATS_FILE_TMPDIR/report"
}

setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR SITE=$BATS_FILE_TMPDIR/site
    need mandoc cmark-gfm
}

# copy_sources: a copy of the documentation in $T/copy, and of the files that it links to
copy_sources() {
    mkdir "$T/copy"
    tar -cf - --exclude='tests/fuzz/corpus/*' README.md LICENSE .github filters schemas examples tests/bench \
        tests/fuzz tests/cli lib cuda | tar -xf - -C "$T/copy"
}

@test "html: the manual pages, the tutorial, the gallery, the FAQ and the benchmarks are pages" {
    local page
    for page in index man/index man/trjfaq.7 about/CHANGELOG {examples/tutorial,examples/gallery,tests/bench}/index; do
        [[ -s $SITE/$page.html ]] || { echo "$page"; return 1; }
    done
    for page in filters/*.[137] schemas/*.5; do
        page=${page##*/}
        grep -q "<title>${page%.*}(${page##*.})" "$SITE/man/$page.html"
        grep -q "href=\"../man/$page.html\"" "$SITE/man/index.html"
    done
    grep -q '^html: .* pages; no broken link; ' "$BATS_FILE_TMPDIR/report"
}

@test "html: every page links to the main pages, and the site needs no network" {
    local page
    while read -r page; do
        [[ $(grep -c '<nav>' "$page") == 1 ]]
        run ! grep -E '(src|rel="stylesheet" href)="[a-z]+:' "$page"
        run ! grep '<script' "$page"
    done < <(find "$SITE" -name '*.html')
    run ! grep -E 'url\(|@import' "$SITE/style.css"
}

@test "html: every link names a file and an anchor that exist, checked by another program" {
    need python3
    python3 - "$SITE" <<'END'
import html.parser, os, sys, urllib.parse

class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())
    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == 'id':
                assert value not in self.ids or tag != 'h2', value
                self.ids.add(value)
            elif name in ('href', 'src'):
                self.links.append(value)

pages, checked = {}, 0
for folder, _, files in os.walk(sys.argv[1]):
    for name in files:
        if name.endswith('.html'):
            path = os.path.join(folder, name)
            pages[path] = Page(path)
for path, page in pages.items():
    for link in page.links:
        if urllib.parse.urlsplit(link).scheme:
            continue
        file, _, anchor = link.partition('#')
        target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        assert os.path.isfile(target), (path, link)
        assert not anchor or anchor in pages[target].ids, (path, link)
        checked += 1
assert len(pages) > 25 and checked > 400, (len(pages), checked)
END
}

@test "html: external links are listed, and are http addresses" {
    [[ -s $SITE/external.txt ]]
    run ! grep -vE '^https?://' "$SITE/external.txt"
}

@test "html: a link to a missing file, or to a missing anchor, is an error" {
    copy_sources
    echo '[missing](examples/missing.md)' >>"$T/copy/README.md"
    run -1 "$T/copy/.github/site/build" "$T/site"
    [[ $output == *"html: README.md: link to 'examples/missing.md': no such file; correct the link"* ]]
    sed -i '$d' "$T/copy/README.md"
    echo '[missing](filters/trjcat.1#no-such-part)' >>"$T/copy/README.md"
    run -1 "$T/copy/.github/site/build" "$T/site"
    [[ $output == *"html: index.html: link to 'man/trjcat.1.html#no-such-part': no such anchor; correct the link"* ]]
    sed -i '$d' "$T/copy/README.md"
    "$T/copy/.github/site/build" "$T/site"
}

@test "html: a folder with other files is not replaced, and a missing converter is reported" {
    mkdir "$T/other"
    touch "$T/other/file"
    run -1 .github/site/build "$T/other"
    [[ $output == "html: $T/other: contains other files; give another folder" && -e $T/other/file ]]
    mkdir "$T/bin"
    ln -s "$(command -v mandoc)" "$(command -v sh)" "$T/bin"
    run -1 env PATH="$T/bin" sh .github/site/build "$T/new"
    [[ $output == 'html: cmark-gfm is missing: '*'install the package cmark-gfm, or run .ci/deps html' && ! -e $T/new ]]
}
