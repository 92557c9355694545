#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Option -o of every tool: signals, permissions and file size limits.
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
    mapinfo) mapinfo "${@:2}" "$T/in.trjg" ;;
    mapconv) mapconv "${@:2}" "$T/in.trjg" ;;
    ligmap) ligmap -l Xe -g 4 -r 6 "${@:2}" "$T/lj.trjf" ;;
    densmap) densmap -e cpu -g 2 "${@:2}" "$T/in.trjf" ;;
    mapsum) mapsum "${@:2}" "$T/in.trjg" ;;
    mapmath) mapmath "${@:2}" a "$T/in.trjg" ;;
    surf) surf -l 0 "${@:2}" "$T/in.dx" ;;
    potmap) potmap --method cutoff --kernel count -r 3 -g 4 "${@:2}" "$T/in.trjf" ;;
    mapcc) mapcc "${@:2}" "$T/in.dx" "$T/in.dx" ;;
    ionplace) ionplace -u V -i SOD:+1:2 "${@:2}" "$T/in.dx" ;;
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
