# Makes a page of the site from its body. Variables: source, the file that the body was made from; site, the folder of
# the site; links, a file to which the names of linked files are added; version. With copy=1 it copies the source.

# target(FILE): the place of a file or page in the site
function target(file) {
    sub(/^\.github\//, "about/", file)
    if (file ~ /\.[1357]$/) { sub(/.*\//, "man/", file); return file ".html" }
    if (file ~ /(^|\/)README\.md$/) { sub(/README\.md$/, "index.html", file); return file }
    sub(/\.md$/, ".html", file)
    if (file == "man/index") return "man/index.html"
    return file
}

function exists(file) {
    if (!(file in known)) known[file] = system("test -f '" file "'") == 0
    return known[file]
}

# resolve(PATH): the file that a relative path in the source names, from the top of the repository; "/" for a
# folder without a page; "" if it does not exist
function resolve(path,    part, n, i, k, out) {
    if (source ~ /\.[1357]$/ || source == "man/index") {
        sub(/\.html$/, "", path)
        if (exists("filters/" path)) return "filters/" path
        return exists("schemas/" path) ? "schemas/" path : ""
    }
    if (source ~ /\//) { out = source; sub(/[^\/]*$/, "", out); path = out path }
    n = split(path, part, "/")
    k = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == "..") k--
        else if (part[i] != "." && part[i] != "") part[++k] = part[i]
    }
    out = part[1]
    for (i = 2; i <= k; i++) out = out "/" part[i]
    if (exists(out "/README.md")) return out "/README.md"
    if (exists(out)) return out
    return system("test -d '" out "'") == 0 ? "/" : ""
}

# link(URL): the URL in the site; "" if there is none
function link(url,    anchor, file) {
    if (url ~ /^([a-z]+:|#)/) return url
    anchor = ""
    if (match(url, /#/)) { anchor = substr(url, RSTART); url = substr(url, 1, RSTART - 1) }
    file = resolve(url)
    if (file == "" && source ~ /\.md$/) {
        print "html: " source ": link to '" url "': no such file; correct the link" >"/dev/stderr"
        bad = 1
    }
    if (file == "" || file == "/") return ""
    print file >>links
    return root target(file) anchor
}

# slug(TEXT): the anchor that GitHub gives to a heading
function slug(text) {
    gsub(/<[^>]*>/, "", text)
    gsub(/&[a-z]+;/, "", text)
    gsub(/[!-,.\/:-@\[-^`{-~]/, "", text)
    gsub(/ /, "-", text)
    text = tolower(text)
    return used[text]++ ? text "-" used[text] - 1 : text
}

function item(url, name) {
    return " <a href=\"" root url "\">" name "</a>"
}

BEGIN {
    place = target(source)
    root = place
    gsub(/[^\/]/, "", root)
    gsub(/\//, "../", root)
    folder = site "/" place
    sub(/\/[^\/]*$/, "", folder)
    system("mkdir -p '" folder "'")
    if (copy) exit system("cp '" source "' '" site "/" place "'") != 0
}

{
    rest = $0
    line = ""
    # Links. Those to manual pages of other programs, and to folders without a page, become text.
    while (match(rest, / (href|src)="[^"]*"/)) {
        attribute = substr(rest, RSTART, RLENGTH)
        line = line substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        name = substr(attribute, 2)
        sub(/=.*/, "", name)
        sub(/^[^"]*"/, "", attribute)
        sub(/"$/, "", attribute)
        url = link(attribute)
        if (url != "") line = line " " name "=\"" url "\""
    }
    line = line rest
    if (source ~ /\.md$/ && line ~ /^<h[1-6]>/) {
        text = line
        sub(/^<h[1-6]>/, "", text)
        line = substr(line, 1, 3) " id=\"" slug(text) "\">" text
    }
    if (title == "" && line ~ /<h1/ && source !~ /\.[1357]$/) { title = line; gsub(/<[^>]*>/, "", title) }
    body = body line "\n"
}

END {
    if (copy) exit
    if (bad) exit 1
    if (source ~ /\.[1357]$/) {
        title = source
        sub(/.*\//, "", title)
        sub(/\.[1357]$/, "(" substr(title, length(title)) ")", title)
    }
    file = site "/" place
    print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">" >file
    print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">" >file
    print "<title>" title (title == "trjpipe" ? "" : " - trjpipe") "</title>" >file
    print "<link rel=\"stylesheet\" href=\"" root "style.css\">\n</head>\n<body>" >file
    print "<header><nav><a class=\"home\" href=\"" root "index.html\">trjpipe</a>" \
        item("examples/tutorial/index.html", "Tutorial") item("examples/gallery/index.html", "Gallery") \
        item("man/trjfaq.7.html", "FAQ") item("man/index.html", "Manual") \
        item("tests/bench/index.html", "Benchmarks") "</nav></header>" >file
    printf "<main>\n%s</main>\n", body >file
    print "<footer>trjpipe" (version == "" ? "" : " " version) ", MIT licence</footer>\n</body>\n</html>" >file
}
