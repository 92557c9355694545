#!/usr/bin/env bats
# .github/ARCHITECTURE.md names files, folders and functions; all of them must exist.
# shellcheck disable=SC2016 # backquotes in single quotes are those of Markdown
load helper

page=$BATS_TEST_DIRNAME/../../.github/ARCHITECTURE.md

@test "ARCHITECTURE.md: each function that it names is declared in a header" {
    cd "$BATS_TEST_DIRNAME/../.."
    names=$(grep -o '`[a-z0-9_]*()`' "$page" | tr -d '`()' | sort -u)
    [ "$(wc -w <<<"$names")" -gt 20 ]
    for name in $names; do
        grep -qw "$name" lib/*/*.h cuda/*/*.h || { echo "no header declares $name"; false; }
    done
}

@test "ARCHITECTURE.md: each file and folder that it names exists" {
    cd "$BATS_TEST_DIRNAME/../.."
    paths=$(grep -o '`\(lib\|cuda\|filters\|tests\|schemas\|examples\)/[a-z0-9_/.]*`' "$page" | tr -d '`' | sort -u)
    [ "$(wc -w <<<"$paths")" -gt 30 ]
    for path in $paths; do
        [ -e "$path" ] || { echo "$path does not exist"; false; }
    done
}

@test "ARCHITECTURE.md: its table of folders agrees with the include paths" {
    cd "$BATS_TEST_DIRNAME/../.."
    for folder in lib/*/; do
        folder=${folder%/}
        row=$(grep "^| \`$folder\` |" "$page" | awk -F'|' '{ print $4 }' | tr -d ' ') ||
            { echo "$folder is not in the table"; false; }
        may=$(sed ':a; /\\$/{N; s/ *\\\n */ /; ba}' "$folder"/*.mk |
            sed -n "s#^\$(eval \$(call library,$folder,\{0,1\}\(.*\)))#\1#p" |
            sed 's#$(addprefix lib/,\(.*\))#\1#; s#lib/##g; s# #,#g')
        [ "${row/-/}" = "$may" ] ||
            { echo "$folder: the page has '$row', the makefile '$may'"; false; }
    done
}
