#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Real H5MD files. tests/unit/test_h5md.c tests dialects and errors one by one.
load helper

need_h5md() {
    trjcat --formats | has '^h5md' || skip 'built without HDF5'
}

@test "real files: frames, units, steps, cells and ranges are correct, also from standard input" {
    need_shared
    need_h5md
    local file=$DATA/multi/cobrotoxin.h5md
    trjcat "$file" 2>"$T/err" | trjdump >"$T/all"
    [[ ! -s $T/err ]]
    grep -q '^frame 2 .* step 50000 time 100 unit 10 periodic 7 cell 52.839808' "$T/all"
    trjcat -f 2 - <"$file" | trjdump | grep -A 1 '^frame' | cut -d ' ' -f 1,2,5- >"$T/some"
    grep -A 1 '^frame 2' "$T/all" | cut -d ' ' -f 1,2,5- | same - "$T/some"
    # GROMACS writes no unit.
    trjcat -f 0 "$DATA/h5md/spc2-traj.h5md" | trjdump | has '^frame 0 .* step 0 time 0 unit 10 periodic 7 cell 30.0999'
    # The TRR of the same trajectory differs in the last bits, which these wide bins do not show.
    trjcat "$DATA/multi/cobrotoxin.trr" | rdfhist -e cpu -r 3 -b 4 | counts >"$T/trr"
    trjcat "$file" | rdfhist -e cpu -r 3 -b 4 | counts >"$T/h5md"
    [[ $(awk '{ s += $1 } END { print NR, (s > 0) }' "$T/h5md") == '4 1' ]]
    same "$T/trr" "$T/h5md"
}

@test "no units: a note, also if a cell is given" {
    need_h5md
    need_python_module h5py
    run_python - "$T/bare.h5" <<'EOF'
import sys, h5py, numpy
f = h5py.File(sys.argv[1], 'w')
f.create_group('h5md').attrs['version'] = (1, 1)
g = f.create_group('particles/all')
g['position/value'] = numpy.arange(24.).reshape(2, 4, 3)
g['position/step'] = 10
b = g.create_group('box')
b.attrs['boundary'] = ['periodic', 'periodic', 'none']
b['edges'] = (30., 40., 50.)
EOF
    trjcat "$T/bare.h5" 2>"$T/err" | trjdump >"$T/all"
    grep -q '^frame 1 .* step 10 time nan unit 1 periodic 3 cell 30 0 0 0 40 0 0 0 50$' "$T/all"
    [[ $(<"$T/err") == "trjcat: $T/bare.h5: note: its positions have no unit: they are assumed to be in Angstrom" ]]
    trjcat -c 9,9,9 "$T/bare.h5" 2>"$T/err" >/dev/null
    grep -q 'have no unit' "$T/err"
}

@test "damaged and foreign H5MD files: rejected" {
    need_shared
    need_h5md
    fails_cleanly 3 "h5md_cut.h5md: the file cannot be read: HDF5 reports 'truncated file" \
        trjcat "$DATA/damaged/h5md_cut.h5md"
    [[ $(wc -l <"$T/err") == 1 ]] # no message of HDF5 itself
    fails 3 'fake_dcd.dcd: is not h5md' trjcat --format h5md "$DATA/damaged/fake_dcd.dcd"
}

@test "compressed files and pipes: read as the file, and no temporary file remains" {
    need_shared
    need_h5md
    read_out_of_order "$DATA/multi/cobrotoxin.h5md"
    damaged_copy "$DATA/multi/cobrotoxin.h5md"
}

@test "HDF5 is loaded when an H5MD file is opened: no tool requires it, and if it is missing the remedy is reported" {
    need_h5md
    local tool
    for tool in "$TRJPIPE_BIN"/*; do
        ! ldd "$tool" 2>"$T/err" | has libhdf5 || { echo "$tool"; return 1; }
    done
    PATH=$T:$PATH
    LC_ALL=C sed 's/libhdf5\([a-z_]*\.so\)/missing\1/g' "$TRJPIPE_BIN/trjcat" >"$T/trjcat"
    chmod +x "$T/trjcat"
    fails_cleanly 4 'plain: cannot read this file: HDF5 is missing: missing' trjcat tests/fuzz/corpus/h5md/plain
    grep -q 'install it (Debian, Ubuntu: libhdf5-dev; Fedora, conda: hdf5)' "$T/err"
    trjcat -f 0 examples/water/water.dcd | trjdump | has '^frame 0 '
}

@test "file that crashes HDF5: reported as damaged" {
    need_h5md
    fails_cleanly 3 'damaged: HDF5 ' trjcat tests/fuzz/corpus/h5md/heap-beyond-end
    [[ $(wc -l <"$T/err") == 1 ]] || sanitized
}

@test "closed standard streams: the output is complete, and a closed standard input is an error" {
    need_h5md
    trjcat -o "$T/closed" tests/fuzz/corpus/h5md/plain <&- >&-
    trjcat tests/fuzz/corpus/h5md/plain | same - "$T/closed"
    if trjcat - <&- >"$T/out" 2>"$T/err"; then return 1; fi
    grep -q 'stdin: cannot read: Bad file descriptor' "$T/err"
}

@test "standard input: read once, also if it is copied or read with random access" {
    need_h5md
    local name
    for name in tests/fuzz/corpus/h5md/plain examples/water/water.dcd; do
        if trjcat - - <"$name" >"$T/out" 2>"$T/err"; then return 1; fi
        grep -q 'stdin: is empty; check the program that writes it, and run it again' "$T/err"
        # shellcheck disable=SC2002 # it is to be a pipe
        if cat "$name" | trjcat - - >"$T/out" 2>"$T/err"; then return 1; fi
        grep -q 'stdin: is empty; check the program that writes it, and run it again' "$T/err"
    done
}
