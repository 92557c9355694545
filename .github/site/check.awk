# Checks the links of the pages that are named as arguments: each internal link names a page or a file, and an anchor
# that exists. Prints the external links. The exit status is 1 if a link is broken.

# join(PAGE, PATH): the path that is relative to the folder of the page, from the top of the site
function join(page, path,    part, n, i, k, out) {
    sub(/[^\/]*$/, "", page)
    n = split(page path, part, "/")
    k = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == "..") k--
        else if (part[i] != "") part[++k] = part[i]
    }
    out = part[1]
    for (i = 2; i <= k; i++) out = out "/" part[i]
    return out
}

function exists(file) {
    if (!(file in known)) known[file] = system("test -f '" file "'") == 0
    return known[file]
}

FNR == 1 { page[FILENAME] = 1 }

{
    rest = $0
    while (match(rest, / (href|src|id)="[^"]*"/)) {
        value = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        kind = value
        sub(/=.*/, "", kind)
        sub(/^[^"]*"/, "", value)
        if (kind == "id") id[FILENAME "#" value] = 1
        else { from[++n] = FILENAME; to[n] = value }
    }
}

END {
    for (i = 1; i <= n; i++) {
        if (to[i] ~ /^[a-z]+:/) { print to[i]; continue }
        url = to[i]
        anchor = ""
        if (match(url, /#/)) { anchor = substr(url, RSTART); url = substr(url, 1, RSTART - 1) }
        file = url == "" ? from[i] : join(from[i], url)
        if (!(file in page) && !exists(file)) what = "no such file"
        else if (anchor != "" && !((file anchor) in id)) what = "no such anchor"
        else continue
        print "html: " from[i] ": link to '" to[i] "': " what "; correct the link in its source" >"/dev/stderr"
        bad = 1
    }
    exit bad
}
