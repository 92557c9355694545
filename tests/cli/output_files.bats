#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Option -o of every tool: signals, permissions and file size limits.
# shellcheck disable=SC2030,SC2031 # calls fail in one subshell only
load helper

SIGNALS='INT TERM HUP QUIT XCPU ALRM USR1 USR2 VTALRM PROF'

inputs() {
    mkdcd --atoms 300 --frames 4 --cell 20,21,22 >"$T/in.dcd"
    trjcat "$T/in.dcd" >"$T/in.trjf"
    lj_topology 300
    trjcat -t "$T/lj.psf" --parameters "$T/lj.par" --carry sigma,epsilon "$T/in.dcd" >"$T/lj.trjf"
    rdfhist -e cpu -b 50 -r 9 "$T/in.trjf" >"$T/in.rdfh"
    rdfnorm "$T/in.rdfh" >"$T/in.tsv"
    mkgrid counts 1 0 1 >"$T/in.trjg"
    echo '5 5 5 3' | awk -v set='11 1' -f tests/helpers/spheres.awk >"$T/in.dx"
    printf '%s\n' '[Molden Format]' '[Atoms] AU' 'H 1 1 0 0 0' '[GTO]' '1 0' 's 1 1.00' ' 0.5 1.0' '' '[MO]' \
        'Ene= -0.5' 'Spin= Alpha' 'Occup= 1.0' '1 1.0' >"$T/in.molden"
    printf 'a 0\nb 1\n' >"$T/in.hosts"
    mkdir "$T/d"
}

# Runs a tool with arguments with which it writes a file, and with the given ones.
write_with() { # TOOL ARGUMENT...
    case $1 in
    trjcat) trjcat "${@:2}" "$T/in.dcd" ;;
    trjinfo) trjinfo "${@:2}" "$T/in.dcd" ;;
    rdfhist) rdfhist -e cpu -b 50 -r 9 "${@:2}" "$T/in.trjf" ;;
    rdfnorm) rdfnorm "${@:2}" "$T/in.rdfh" ;;
    rdfderive) rdfderive -q n "${@:2}" "$T/in.rdfh" ;;
    rdfcmp) rdfcmp "${@:2}" "$T/in.rdfh" "$T/in.tsv" ;;
    rdfplot) rdfplot "${@:2}" "$T/in.tsv" ;;
    skhist) skhist -e cpu -q 1 "${@:2}" "$T/in.trjf" ;;
    orbmap) orbmap -e cpu --density -g 2 "${@:2}" "$T/in.molden" ;;
    mapinfo) mapinfo "${@:2}" "$T/in.trjg" ;;
    mapconv) mapconv "${@:2}" "$T/in.trjg" ;;
    ligmap) ligmap -l Xe -g 4 -r 6 "${@:2}" "$T/lj.trjf" ;;
    densmap) densmap -e cpu -g 2 "${@:2}" "$T/in.trjf" ;;
    mapsum) mapsum "${@:2}" "$T/in.trjg" ;;
    mapmath) mapmath "${@:2}" a "$T/in.trjg" ;;
    surf) surf -l 0 "${@:2}" "$T/in.dx" ;;
    potmap) potmap --method cutoff --kernel count -r 3 -g 4 "${@:2}" "$T/in.trjf" ;;
    mapcc) mapcc "${@:2}" "$T/in.dx" "$T/in.dx" ;;
    trjstat) trjstat -i "$T/in.trjf" "${@:2}" volume ;;
    trjcorr) trjcorr -i "$T/in.trjf" "${@:2}" 'acf(volume)' ;;
    ionplace) ionplace -u V -i SOD:+1:2 "${@:2}" "$T/in.dx" ;;
    trjmap) trjmap --torus 2 -c "$T/in.hosts" -a -n 2 "${@:2}" ;;
    *) return 99 ;;
    esac
}

writers() {
    local tool
    for tool in $(tools); do "$tool" --options | cut -f 2 | has -x output && echo "$tool"; done
}

has_file() {
    [[ $(ls -A "$1") ]]
}

@test "-o FILE: every signal that ends a process removes the temporary file" {
    inputs
    mkfifo "$T/pipe"
    local number tool status
    for number in $SIGNALS; do
        for tool in trjcat rdfhist; do
            rm -f "$T/ready"
            # Background jobs have SIGINT and SIGQUIT ignored.
            if [[ $tool == trjcat ]]; then
                env --default-signal="$number" trjcat -z 0 -o "$T/d/file" - <"$T/pipe" 3>&- 2>"$T/err" &
            else
                env --default-signal="$number" rdfhist -e cpu -r 4 -o "$T/d/file" - <"$T/pipe" 3>&- 2>"$T/err" &
            fi
            exec 9>"$T/pipe"
            if [[ $tool == trjcat ]]; then head -c 6000 "$T/in.dcd" >&9; else head -c 500 "$T/in.trjf" >&9; fi
            await has_file "$T/d"
            [[ ! -e $T/d/file ]]
            kill -s "$number" $!
            status=0
            wait $! || status=$?
            exec 9>&-
            [[ $status == $((128 + $(kill -l "$number"))) ]] || { echo "$tool SIG$number: status $status"; return 1; }
            [[ -z $(ls -A "$T/d") ]] || { echo "$tool SIG$number left $(ls -A "$T/d")"; return 1; }
        done
    done
}

@test "-o FILE: every tool keeps the mode of a file that it replaces, also through a link" {
    inputs
    local tool name all=''
    umask 022
    for tool in $(writers); do
        name=$T/d/$tool
        [[ $tool != rdfplot ]] || name=$T/d/$tool.svg
        [[ $tool != rdfplot ]] || command -v gnuplot >/dev/null || continue
        write_with "$tool" -o "$name"
        [[ $(stat -c %a "$name") == 644 ]]
        chmod 600 "$name"
        write_with "$tool" -o "$name"
        [[ $(stat -c %a "$name") == 600 ]] || { echo "$tool: mode $(stat -c %a "$name")"; return 1; }
        ln -s "$(basename "$name")" "$T/d/link${name#"$T/d/$tool"}"
        write_with "$tool" -o "$T/d/link${name#"$T/d/$tool"}"
        [[ -L $T/d/link${name#"$T/d/$tool"} && $(stat -c %a "$name") == 600 ]]
        rm "$T/d/link"*
        all+=" $tool"
    done
    [[ $all == *trjcat* && $all == *rdfhist* && $all == *rdfnorm* && $all == *rdfderive* ]]
}

@test "trjrun, replaced output: it keeps its mode" {
    cp examples/water/water.dcd "$T"
    cat >"$T/one.yaml" <<'END'
trjrun: 1
stages:
  atoms: {tool: trjcat, files: water.dcd, frames: "0"}
  gr: {tool: rdfhist, from: atoms, rmax: 5, output: gr.rdfh}
END
    touch "$T/gr.rdfh"
    chmod 600 "$T/gr.rdfh"
    trjrun "$T/one.yaml" 2>"$T/err"
    [[ -s $T/gr.rdfh && $(stat -c %a "$T/gr.rdfh") == 600 ]]
}

@test "trjrun: every signal that ends a process removes its temporary files" {
    need pgrep
    mkdir "$T/d"
    cp examples/water/water.dcd "$T"
    cat >"$T/d/one.yaml" <<'END'
trjrun: 1
stages:
  atoms: {tool: trjcat, files: ../water.dcd}
  gr: {tool: rdfhist, from: atoms, engine: reference, rmax: 15, output: gr.rdfh}
END
    local number status
    for number in $SIGNALS; do
        env --default-signal="$number" trjrun "$T/d/one.yaml" 3>&- 2>"$T/err" &
        await pgrep -P $! -x rdfhist >/dev/null
        kill -s "$number" $!
        status=0
        wait $! || status=$?
        [[ $status == $((128 + $(kill -l "$number"))) ]] || { echo "SIG$number: status $status"; return 1; }
        [[ $(ls -A "$T/d") == one.yaml ]] || { echo "SIG$number left $(ls -A "$T/d")"; return 1; }
    done
}

@test "file size limit: every tool reports it, with exit status 1, and leaves no file" {
    inputs
    local tool name
    rdfhist -e cpu -b 100000 -r 9 "$T/in.trjf" >"$T/large.rdfh"
    mv "$T/large.rdfh" "$T/in.rdfh"
    limited() { (ulimit -f 4 && "$@"); }
    for tool in trjcat rdfnorm rdfderive rdfplot; do
        name=$T/d/$tool.svg
        [[ $tool != rdfplot ]] || command -v gnuplot >/dev/null || continue
        [[ $tool != rdfplot ]] || name=$T/d/$tool.png
        status=0
        limited write_with "$tool" -o "$name" 2>"$T/err" || status=$?
        [[ $status == 1 && $(<"$T/err") == *"$tool: "*'File too large'* ]] || { echo "$tool: $status" && return 1; }
        [[ -z $(ls -A "$T/d") ]]
    done
}

# Runs a tool that writes two files into $T/d, which is empty before.
write_pair() { # TOOL
    rm -rf "$T/d"
    mkdir "$T/d"
    case $1 in
    densmap) densmap -e cpu -g 2 -B 1 --stderr-map "$T/d/second.npy" -o "$T/d/first.npy" "$T/in.trjf" ;;
    potmap) potmap --method cutoff --kernel count -r 3 -g 4 -B 1 --stderr-map "$T/d/second.dx" -o "$T/d/first.trjg" \
        "$T/in.trjf" ;;
    ligmap) ligmap -l Xe -g 4 -r 6 -B 1 --stderr-map "$T/d/second.trjg" -o "$T/d/first.dx" "$T/lj.trjf" ;;
    trjstat) trjstat -i "$T/in.trjf" "${@:2}" volume ;;
    ionplace) ionplace -u V -i SOD:+1:2 --table "$T/d/second.tsv" -o "$T/d/first.pdb" "$T/in.dx" ;;
    mapcc) mapcc --map "$T/in.dx" --sigma 1 -a 1 --dump "$T/d/second.trjg" -o "$T/d/first.tsv" "$T/in.trjf" ;;
    rdfhist) rdfhist -e cpu -b 50 -r 9 --neighbours 3 --events "$T/d/second.tsv" -o "$T/d/first.rdfh" "$T/in.trjf" ;;
    esac
}

@test "tools that write two files: if one of them cannot be written, neither exists" {
    local library=$TRJPIPE_TESTS/helpers/fail_calls.so tool call files limit status
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    inputs
    for tool in densmap potmap ligmap ionplace rdfhist mapcc; do
        write_pair "$tool" 2>"$T/err" || { cat "$T/err"; return 1; }
        files=$(find "$T/d" -type f | wc -l)
        ((files >= 2 && $(find "$T/d" -name 'second.*' -size +0 | wc -l) > 0))
        for ((call = 1; call <= files; call++)); do
            status=0
            (export FAIL_RENAME_AT=$call LD_PRELOAD=$library && write_pair "$tool") 2>"$T/err" || status=$?
            [[ $status == 1 && $(tail -n 1 "$T/err") == "$tool: $T/d/"*': Input/output error' ]]
            [[ -z $(ls -A "$T/d") ]] || { echo "$tool, rename $call: $(ls -A "$T/d")"; return 1; }
        done
        for limit in 0 1; do # blocks of 1024 bytes
            status=0
            (ulimit -f $limit && write_pair "$tool" 2>/dev/null) || status=$?
            [[ $limit != 0 || $status == 1 ]]
            [[ $status == 0 || -z $(ls -A "$T/d") ]] || { echo "$tool, limit $limit: $(ls -A "$T/d")"; return 1; }
        done
    done
}

@test "tools that write two files: the folder of one of them is missing, neither exists" {
    inputs
    fails 1 'second.dx: No such file or directory' densmap -e cpu -g 2 -B 1 --stderr-map "$T/none/second.dx" \
        -o "$T/d/first.dx" "$T/in.trjf"
    fails 1 'first.dx: No such file or directory' densmap -e cpu -g 2 -B 1 --stderr-map "$T/d/second.dx" \
        -o "$T/none/first.dx" "$T/in.trjf"
    [[ -z $(ls -A "$T/d") ]]
}

@test "APBS: if one of its three files cannot be written, none exists, and older files stay" {
    local library=$TRJPIPE_TESTS/helpers/fail_calls.so call status
    ! sanitized || skip 'the sanitizer must be loaded before the library that makes calls fail'
    mkdir "$T/d"
    printf '%s\n' 'read' 'mol pqr x.pqr' 'end' 'elec name a' mg-manual 'dime 17 17 17' 'glen 40 40 40' 'gcent mol 1' \
        'mol 1' lpbe 'bcfl map' 'ion charge 1 conc 0.1 radius 2' 'ion charge -1 conc 0.1 radius 2' 'pdie 2' 'sdie 80' \
        'chgm spl2' 'srfm smol' 'sdens 10' 'srad 1.4' 'swin 0.3' 'temp 300' 'write pot dx out' end quit >"$T/apbs.in"
    printf 'ATOM  %5d  O   WAT  %4d    %8.3f%8.3f%8.3f %7.4f %6.4f\n' 1 1 1 2 3 1 1.5 2 2 4 5 6 -1 1.5 >"$T/x.pqr"
    trjcat -t "$T/x.pqr" -g P=all --carry charge,radius,name,resname,resid -P none "$T/x.pqr" >"$T/x.trjf"
    write_apbs() { potmap --method mdh --apbs "$T/apbs.in" -o "$T/d/a" "$T/x.trjf"; }
    write_apbs
    [[ $(ls -A "$T/d") == $'a.dx\na.in\na.pqr' ]]
    for call in 1 2 3; do
        rm "$T/d"/*
        status=0
        (export FAIL_RENAME_AT=$call LD_PRELOAD=$library && write_apbs) 2>"$T/err" || status=$?
        [[ $status == 1 && -z $(ls -A "$T/d") ]] || { echo "rename $call: $status, $(ls -A "$T/d")"; return 1; }
        touch "$T/d/a.dx"
        write_apbs
    done
    touch -d 2001-01-01 "$T/d"/*
    (export FAIL_RENAME_AT=1 LD_PRELOAD=$library && write_apbs) 2>"$T/err" && return 1
    [[ -z $(find "$T/d" -type f -newermt 2002-01-01) && $(ls -A "$T/d") == $'a.dx\na.in\na.pqr' ]]
}

@test "an output that is one of the inputs is rejected by every tool, also through a link; the input stays" {
    inputs
    : >"$T/tools"
    refuse() { # INPUT TOOL ARGUMENT...
        local input=$1 tool=$2 status=0 before
        shift
        before=$(stat -c '%i %s' "$input")
        ln -sf "$input" "$T/link${input##*/}"
        "$@" -o "$T/link${input##*/}" >"$T/out" 2>"$T/err" || status=$?
        [[ $status == 1 && $(<"$T/err") == *'is both an input and an output; give the output another name'* ]] ||
            { echo "$tool: status $status"; cat "$T/err"; return 1; }
        [[ $(stat -c '%i %s' "$input") == "$before" ]] || { echo "$tool has replaced its input"; return 1; }
        echo "$tool" >>"$T/tools"
    }
    refuse "$T/in.dcd" trjcat "$T/in.dcd"
    refuse "$T/in.dcd" trjinfo "$T/in.dcd"
    refuse "$T/in.trjf" rdfhist -e cpu -b 50 -r 9 "$T/in.trjf"
    refuse "$T/in.rdfh" rdfnorm "$T/in.rdfh"
    refuse "$T/in.rdfh" rdfderive -q n "$T/in.rdfh"
    refuse "$T/in.rdfh" rdfcmp "$T/in.rdfh" "$T/in.tsv"
    refuse "$T/in.tsv" rdfcmp "$T/in.rdfh" "$T/in.tsv"
    ! command -v gnuplot >/dev/null || {
        cp "$T/in.tsv" "$T/in.svg"
        refuse "$T/in.svg" rdfplot "$T/in.svg"
    }
    refuse "$T/in.trjf" skhist -e cpu -q 1 "$T/in.trjf"
    refuse "$T/in.trjf" trjstat -i "$T/in.trjf" volume
    refuse "$T/in.trjf" trjcorr -i "$T/in.trjf" 'acf(volume)'
    refuse "$T/in.hosts" trjmap --torus 2 -c "$T/in.hosts" -a -n 2
    refuse "$T/in.molden" orbmap --density -g 2 --to trjg "$T/in.molden"
    refuse "$T/in.trjg" mapinfo "$T/in.trjg"
    refuse "$T/in.trjg" mapconv "$T/in.trjg"
    refuse "$T/lj.trjf" ligmap -l Xe -g 4 -r 6 --to trjg "$T/lj.trjf"
    refuse "$T/in.trjf" densmap -e cpu -g 2 --to trjg "$T/in.trjf"
    refuse "$T/in.trjg" mapsum "$T/in.trjg"
    refuse "$T/in.trjg" mapmath a "$T/in.trjg"
    cp "$T/in.dx" "$T/in.obj"
    refuse "$T/in.obj" surf -l 0 "$T/in.obj"
    refuse "$T/in.trjf" potmap --method cutoff --kernel count -r 3 -g 4 --to trjg "$T/in.trjf"
    refuse "$T/in.dx" mapcc "$T/in.dx" "$T/in.dx"
    cp "$T/in.dx" "$T/in.pdb"
    refuse "$T/in.pdb" ionplace -u V -i SOD:+1:2 "$T/in.pdb"
    sort -u "$T/tools" | same - <(writers | sort -u | { command -v gnuplot >/dev/null && cat || grep -v rdfplot; })
    # topologies and other files that an option names, standard input, and standard output that is appended
    cp examples/water/water.pdb "$T"
    fails 1 'water.pdb: is both an input and an output' trjcat -t "$T/water.pdb" examples/water/water.dcd \
        -o "$T/water.pdb"
    fails 1 'in.dx: is both an input and an output' densmap -e cpu --like "$T/in.dx" "$T/in.trjf" -o "$T/in.dx"
    # The name is printed once, and mapcc finds the mistake before it reads frames.
    fails 1 "mapconv: $T/in.dx: is both an input and an output" mapconv -o "$T/in.dx" "$T/in.dx"
    fails 2 '--dump and --map have the same name' mapcc -m "$T/in.dx" --dump "$T/in.dx" --sigma 1 "$T/missing.trjf"
    # shellcheck disable=SC2094 # this is the mistake that the tool must find
    if trjcat -o "$T/in.dcd" - <"$T/in.dcd" 2>"$T/err"; then return 1; fi
    grep -q 'is both an input and an output' "$T/err"
    # shellcheck disable=SC2094
    if trjcat "$T/in.trjf" >>"$T/in.trjf" 2>"$T/err"; then return 1; fi
    grep -q 'is both an input and an output' "$T/err"
}

@test "a read-only output is not replaced, also as root and through a link" {
    inputs
    local tool name
    for tool in $(writers); do
        name=$T/d/$tool
        [[ $tool != rdfplot ]] || name=$T/d/$tool.svg
        : >"$name"
        chmod 444 "$name"
        local status=0
        write_with "$tool" -o "$name" >"$T/out" 2>"$T/err" || status=$?
        [[ $status == 1 && $(tail -n 1 "$T/err") == "$tool: "*"$name: is read-only; change its permissions "* ]] ||
            { echo "$tool: status $status"; cat "$T/err"; return 1; }
        [[ ! -s $name ]] || { echo "$tool has replaced a read-only file"; return 1; }
    done
}

@test "trjinfo and mapinfo: after an unreadable input, an older output stays" {
    inputs
    echo older >"$T/d/facts"
    run -1 --separate-stderr trjinfo -o "$T/d/facts" "$T/none" "$T/in.dcd"
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == *'none: No such file or directory'*'facts: not written, because a file could not be read' ]]
    run -1 --separate-stderr mapinfo -o "$T/d/facts" "$T/none" "$T/in.dx"
    [[ $(cat "$T/d/facts") == older && $(ls -A "$T/d") == facts ]]
    run -1 --separate-stderr mapinfo "$T/none" "$T/in.dx"
    [[ $(grep ^check <<<"$output") == $'check\tunreadable\ncheck\tok' ]]
}

@test "trjinfo and mapinfo with an output that is the input: one message" {
    local command
    printf '1\n\nA 0 0 0\n' >"$T/a.xyz"
    printf 'object 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 1 0 0\ndelta 0 1 0\ndelta 0 0 1
object 2 class gridconnections counts 2 2 2\nobject 3 class array type double rank 0 items 8 data follows
1 2 3\n4 5 6\n7 8\n' >"$T/m.dx"
    for command in "trjinfo -o $T/a.xyz $T/a.xyz" "mapinfo -o $T/m.dx $T/m.dx"; do
        run -1 bash -c "$command"
        [[ ${#lines[@]} == 1 && $output == *'is both an input and an output; give the output another name' ]]
    done
}
