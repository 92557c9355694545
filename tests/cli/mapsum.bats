#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mapsum adds records exactly, in any order, and its means and standard errors are those of numpy.
load helper

# numpy_agrees WHAT KIND BLOCK FILE STREAM...: see tests/helpers/grids.py
numpy_agrees() {
    run_python tests/helpers/grids.py "$@"
}

streams() {
    mkgrid "${1:-counts}" 1 0 2 3 1 >"$T/a.trjg"
    mkgrid "${1:-counts}" 2 0 4 4 >"$T/b.trjg"
}

# Prints the values of a map, one per line.
values() {
    mapmath a --to npy "$@" | tail -c +129 | od -An -v -t f8 -w8
}

@test "mapconv: a record of one frame is reported in the singular" {
    mkdcd --atoms 500 --frames 1 --cell 10,10,10 >"$T/x.dcd"
    trjcat "$T/x.dcd" | densmap -e cpu -g 0.5 -B 1 | mapsum >"$T/one.trjg"
    mapconv -o "$T/one.npy" "$T/one.trjg" 2>"$T/err"
    grep -q 'note: the values are sums over 1 frame; their mean is written' "$T/err"
}

@test "sums, means and standard errors of counts and quanta: those of numpy" {
    need_python_module numpy
    local kind
    for kind in counts quanta; do
        streams $kind
        mapsum "$T/a.trjg" "$T/b.trjg" -o "$T/sum.trjg"
        mapmath 'a * 14' "$T/sum.trjg" -o "$T/sum.npy" 2>/dev/null
        mapsum --mean "$T/a.trjg" "$T/b.trjg" -o "$T/mean.npy" 2>/dev/null
        numpy_agrees mean $kind 1 "$T/mean.npy" 0:2:3:1 0:4:4
        run_python -c "import numpy; numpy.save('$T/sum.npy', numpy.load('$T/sum.npy') *
            (1024 if '$kind' == 'quanta' else 1))"
        numpy_agrees sum $kind 1 "$T/sum.npy" 0:2:3:1 0:4:4
        mapsum --stderr "$T/a.trjg" "$T/b.trjg" -o "$T/error.npy" 2>/dev/null
        numpy_agrees error $kind 1 "$T/error.npy" 0:2:3:1 0:4:4
        mapsum --stderr -B 2 "$T/a.trjg" "$T/b.trjg" -o "$T/error.npy" 2>/dev/null
        numpy_agrees error $kind 2 "$T/error.npy" 0:2:3:1 0:4:4
    done
    mapsum --stderr "$T/a.trjg" "$T/b.trjg" -o "$T/error.npy" 2>"$T/err"
    grep -q '^mapsum: note: --stderr: [0-9.]* blocks of up to [0-9]* frames; too few frames to estimate' "$T/err"
}

@test "frames with weights: means and standard errors are those of numpy" {
    need_python_module numpy
    mkgrid quanta 1 0 2x0.5 3x2 1x0.25 5x1.5 >"$T/a.trjg"
    mapsum --mean -o "$T/mean.npy" "$T/a.trjg" 2>/dev/null
    numpy_agrees mean quanta 1 "$T/mean.npy" 0:2x0.5:3x2:1x0.25:5x1.5
    mapsum --stderr -o "$T/error.npy" "$T/a.trjg" 2>/dev/null
    numpy_agrees error quanta 1 "$T/error.npy" 0:2x0.5:3x2:1x0.25:5x1.5
}

@test "files, cat, and a sum of sums: the same values" {
    streams
    mapsum "$T/a.trjg" "$T/b.trjg" | values - >"$T/expected"
    [[ $(wc -l <"$T/expected") == 60 ]]
    cat "$T/b.trjg" "$T/a.trjg" | mapsum | values - | same "$T/expected" -
    mapsum <(mapsum -z 3 "$T/a.trjg") "$T/b.trjg" | values - | same "$T/expected" -
    mapsum --mean "$T/b.trjg" - <"$T/a.trjg" | values - | same "$T/expected" -
    # The sum is a record of 14 frames, which the next sum must not contain again.
    mapsum "$T/a.trjg" "$T/b.trjg" -o "$T/all.trjg"
    fails_cleanly 3 'frame 0 of source.dcd occurs twice' mapsum "$T/all.trjg" "$T/a.trjg"
}

@test "standard errors in another order of the records: the same bytes" {
    mkgrid quanta 1 0 2x0.3 3x2 >"$T/a.trjg"
    mkgrid quanta 1 5 1x0.7 5x1.5 >"$T/b.trjg"
    mapsum --stderr --to npy -o "$T/ab.npy" "$T/a.trjg" "$T/b.trjg" 2>/dev/null
    mapsum --stderr --to npy -o "$T/ba.npy" "$T/b.trjg" "$T/a.trjg" 2>/dev/null
    cmp "$T/ab.npy" "$T/ba.npy"
}

@test "a sum that exceeds 64 bits: rejected" {
    mkgrid huge 1 0 1 1 >"$T/a.trjg"
    fails_cleanly 3 'a.trjg: the sum at the point 0, 0, 0 exceeds 2^63 quanta; add fewer records' mapsum "$T/a.trjg"
}

@test "records that cannot be added: rejected with the reason" {
    streams
    mkgrid quanta 3 0 1 >"$T/quanta.trjg"
    mkgrid float32 4 0 1 1 >"$T/float.trjg"
    fails_cleanly 3 'quanta.trjg: cannot be added to the previous records*another kind' \
        mapsum "$T/a.trjg" "$T/quanta.trjg"
    fails_cleanly 3 'a.trjg: frame 0 of source.dcd occurs twice' mapsum "$T/a.trjg" "$T/a.trjg"
    fails_cleanly 3 'float.trjg: values are floating-point numbers' mapsum "$T/float.trjg"
    mapsum --mean -o "$T/mean.trjg" "$T/a.trjg"
    fails_cleanly 3 'mean.trjg: a map that is not a sum over frames' mapsum "$T/mean.trjg"
    mapmath a "$T/mean.trjg" -o "$T/mean.dx"
    fails_cleanly 3 'mean.dx: is not a grid stream*mapmath' mapsum "$T/mean.dx"
    head -c 900 "$T/a.trjg" >"$T/cut.trjg"
    fails_cleanly 3 'cut.trjg: *truncated' mapsum "$T/cut.trjg"
    mkgrid counts 1 0 3 >"$T/one.trjg"
    fails_cleanly 3 'standard errors require at least 2 blocks' mapsum --stderr "$T/one.trjg"
    fails_cleanly 3 'of fewer frames (densmap --block)' mapsum --stderr -B 5 "$T/a.trjg" "$T/b.trjg"
}

@test "options that contradict one another: usage errors" {
    streams
    fails 2 '--mean and --stderr' mapsum --mean --stderr "$T/a.trjg"
    fails 2 '--block applies to standard errors only' mapsum -B 3 "$T/a.trjg"
    fails 2 '--compress applies to grid streams' mapsum -z 3 -o "$T/x.dx" "$T/a.trjg"
    [[ ! -e $T/x.dx ]]
}

@test "formats without a number of frames: the mean is written, with a note" {
    streams
    mapsum "$T/a.trjg" -o "$T/a.dx" 2>"$T/err"
    grep -q '^mapsum: note: the mean is written, because the format dx does not contain the number of frames' "$T/err"
    mapsum --mean "$T/a.trjg" -o "$T/b.dx" 2>"$T/err"
    grep -qx 'mapsum: note: dx does not state which axes are periodic; .*' "$T/err"
    (($(wc -l <"$T/err") == 1))
    cmp "$T/a.dx" "$T/b.dx"
}

@test "large maps: memory is bounded, with a temporary file" {
    sanitized && skip 'sanitizers need more memory'
    need_python_module numpy
    mkdir "$T/tmp"
    mkgrid counts 1 0 1 >"$T/small.trjg"
    # 48 bytes for each of 8,000,000 values are 384 MB, more than the 256 MiB that a map may use in memory.
    mkgrid counts:200 1 0 1 1 >"$T/large.trjg"
    (ulimit -d 300000 && TMPDIR=$T/tmp mapsum --stderr "$T/large.trjg" -o "$T/error.trjg")
    [[ -z $(ls -A "$T/tmp") ]]
    TMPDIR=$T/none fails 1 "requires a temporary file of 0.358 GiB in the folder $T/none (TMPDIR): No such file" \
        mapsum --stderr -B 1 "$T/large.trjg"
    TMPDIR=$T/none fails 1 "requires a temporary file of 0.0596 GiB in the folder $T/none (TMPDIR): No such file" \
        mapsum --stderr "$T/large.trjg"
}

# The path of densmap itself is the reference: it has written densities to other formats from the beginning.
@test "mean of numbers of atoms: the same density through every tool and format; atoms in a voxel with --totals" {
    need python3
    need_python_module numpy
    mkdcd --atoms 500 --frames 4 --cell 10,10,10 >"$T/x.dcd"
    trjcat "$T/x.dcd" >"$T/x.trjf"
    local kernel
    for kernel in count cic; do
        densmap -e cpu --kernel $kernel -g 0.5 -B 1 -o "$T/sum.trjg" "$T/x.trjf"
        densmap -e cpu --kernel $kernel -g 0.5 -o "$T/densmap.npy" "$T/x.trjf" 2>"$T/err"
        densmap -e cpu --kernel $kernel -g 0.5 -B 1 --stderr-map "$T/se.npy" -o "$T/mean.npy" "$T/x.trjf" 2>"$T/err"
        mapsum "$T/sum.trjg" >"$T/one.trjg"
        mapsum --mean -o "$T/mapsum.npy" "$T/sum.trjg"
        mapsum --mean "$T/sum.trjg" | mapconv -o "$T/mean.trjg.npy"
        mapconv -o "$T/mapconv.npy" "$T/one.trjg" 2>"$T/err"
        grep -q 'note: the values are sums over 4 frames; their mean is written, as a density in A^-3' "$T/err"
        mapmath a -o "$T/mapmath.npy" "$T/one.trjg"
        mapsum --stderr -B 1 -o "$T/stderr.npy" "$T/sum.trjg"
        mapsum --mean --totals -o "$T/totals_sum.npy" "$T/sum.trjg"
        mapconv --totals -o "$T/totals_conv.npy" "$T/one.trjg" 2>"$T/err"
        mapmath --totals a -o "$T/totals_math.npy" "$T/one.trjg"
        run_python - "$T" <<'END'
import json, sys
import numpy as np
folder = sys.argv[1] + "/"
expected = np.load(folder + "densmap.npy")
about = json.load(open(folder + "densmap.json"))
assert about["quantity"] == "number density" and about["unit"] == "A^-3", about
assert abs(expected.mean() - 0.5) < 1e-9, expected.mean()
for name in "mapsum", "mean.trjg", "mapconv", "mapmath":
    assert (np.load(folder + name + ".npy") == expected).all(), name
    other = json.load(open(folder + name + ".json"))
    assert all(other.get(key) == about[key] for key in ("quantity", "unit", "values")), (name, other)
assert (np.load(folder + "stderr.npy") == np.load(folder + "se.npy")).all()
for name in "totals_sum", "totals_conv", "totals_math":
    totals = np.load(folder + name + ".npy")
    assert abs(totals.sum() - 500) < 1e-6 and abs(totals / 0.125 - expected).max() < 1e-12, name
    other = json.load(open(folder + name + ".json"))
    assert other["quantity"] == "number of atoms" and other["unit"] == "" and other["values"] == "totals", other
END
        [[ $(mapmath a --profile z "$T/one.trjg" | rows |
            awk '{ s += $2 } END { printf "%.6f", s / NR }') == 0.500000 ]]
        mapmath a --profile z "$T/one.trjg" | has 'mean(number density, A^-3)'
        mapinfo "$T/one.trjg" | awk -F '\t' '$1 == "integral" && ($2 - 500)^2 < 1e-12 { n++ }
            $1 == "mean" && ($2 - 0.5)^2 < 1e-18 { n++ }
            END { exit !(n == 2) }'
        mapinfo "$T/one.trjg" >"$T/facts"
        [[ $(grep -E '^(quantity|unit|meaning)' "$T/facts" | cut -f 2 | paste -s -d ,) == 'number density,A^-3,means' ]]
        surf -l 0.9 "$T/one.trjg" | rows >"$T/surface"
        surf -l 0.9 "$T/mapmath.npy" | rows | same "$T/surface" -
        [[ $(mapmath -T 300 --reference 0.5 a --profile z "$T/one.trjg" | rows) == \
            $(mapmath -T 300 --reference 0.5 a --profile z "$T/densmap.npy" | rows) ]]
    done
    fails 2 '--totals applies to means; add --mean or --stderr' mapsum --totals "$T/sum.trjg"
    fails 2 '--totals applies to means, but a grid stream keeps sums' mapconv --totals "$T/sum.trjg" -o "$T/x.trjg"
}

@test "mean of sums of weights: the mass density of densmap" {
    mkdcd --atoms 300 --frames 4 --cell 20,21,22 >"$T/x.dcd"
    lj_topology 300
    trjcat -t "$T/lj.psf" --carry mass "$T/x.dcd" >"$T/x.trjf"
    densmap -e cpu --kernel count -w mass -g 0.5 -o "$T/a.dx" "$T/x.trjf" 2>"$T/err"
    densmap -e cpu --kernel count -w mass -g 0.5 "$T/x.trjf" | mapsum --mean -o "$T/b.dx" 2>"$T/err"
    diff <(grep -v '^#' "$T/a.dx") <(grep -v '^#' "$T/b.dx")
    [[ $(mapinfo "$T/b.dx" | grep -E '^(quantity|unit)') == $(mapinfo "$T/a.dx" | grep -E '^(quantity|unit)') ]]
}

@test "totals become densities: a note and the unit in each output; --totals without such totals is an error" {
    mkdcd --atoms 100 --frames 2 --cell 10,10,10 | trjcat - | densmap -e cpu -g 0.5 -o "$T/counts.trjg" 2>"$T/err"
    local note='note: the values are totals over voxels, summed over frames; '
    note+='their mean is taken as a number density in A^-3; for the mean of the totals, '
    mapsum --mean -o "$T/mean.trjg" "$T/counts.trjg" 2>"$T/err"
    has "^mapsum: ${note}add --totals\$" "$T/err"
    mapmath 'a * 2' -o "$T/twice.trjg" "$T/counts.trjg" 2>"$T/err"
    has "^mapmath: $T/counts.trjg: ${note}add --totals\$" "$T/err"
    surf -l 0.1 "$T/counts.trjg" >"$T/table" 2>"$T/err"
    has "^surf: $T/counts.trjg: ${note}use mapconv --totals\$" "$T/err"
    # Without totals there is no note, and --totals has no effect.
    mapmath 'a * 2' -o "$T/twice.trjg" "$T/mean.trjg" 2>"$T/err"
    mapsum --mean --totals -o "$T/totals.trjg" "$T/counts.trjg" 2>>"$T/err"
    mapmath 'a * 2' --totals -o "$T/twice.trjg" "$T/counts.trjg" 2>>"$T/err"
    run ! grep totals "$T/err"
    local none='--totals applies to totals over voxels that are summed over frames'
    fails_cleanly 2 "$none" mapmath a --totals "$T/mean.trjg"
    fails_cleanly 2 "$none" mapconv --totals --to dx "$T/mean.trjg"
    mkdcd --atoms 100 --frames 2 --cell 10,10,10 | trjcat - |
        densmap -e cpu --sigma 1 -g 1 -o "$T/samples.trjg" 2>"$T/err"
    fails_cleanly 2 "$none" mapsum --mean --totals -o "$T/x.trjg" "$T/samples.trjg"
    local form
    for form in dx mrc cube; do
        mapsum --mean -o "$T/mean.$form" "$T/counts.trjg" 2>"$T/err"
        head -c 2000 "$T/mean.$form" | grep -a -q 'number density.*A^-3'
        mapsum --mean --totals -o "$T/mean.$form" "$T/counts.trjg" 2>"$T/err"
        head -c 2000 "$T/mean.$form" | grep -a -q 'number of atoms'
        head -c 2000 "$T/mean.$form" | grep -a -q 'totals over the voxels'
    done
}
