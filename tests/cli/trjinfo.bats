#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjinfo: properties of files, and their damage.
load helper

# fact KEY [FILE]: prints its value in a table
fact() {
    awk -F '\t' -v key="$1" '$1 == key { print substr($0, length(key) + 2) }' "${2:-/dev/stdin}"
}

# valid FILE: checks that it is JSON
valid() {
    if command -v python3 >/dev/null; then
        python3 -m json.tool "$1" /dev/null || { head -c 2000 "$1"; return 1; }
    else
        need node
        node -e 'JSON.parse(require("fs").readFileSync(process.argv[1]))' "$1"
    fi
}

# values KEY... < JSON: prints a line for each file, with - for unknown values
values() {
    need python3
    python3 -c 'import json, sys
for file in json.load(sys.stdin):
    print(*("-" if file.get(k) is None else file[k] for k in sys.argv[1:]))' "$@"
}

# damaged PATTERN FILE...: --check ends with status 3 and one line that matches, which is also in the table
damaged() {
    local pattern=$1 got=0
    shift
    trjinfo --check "$@" >"$T/facts" 2>"$T/err" || got=$?
    # shellcheck disable=SC2053 # a pattern
    [[ $got == 3 && $(wc -l <"$T/err") == 1 && $(<"$T/err") == "trjinfo: "$pattern ]] || { echo "status $got" &&
        cat "$T/err"; return 1; }
    [[ $(fact check "$T/facts") == failed && "trjinfo: $(fact error "$T/facts")" == "$(<"$T/err")" ]]
}

three_waters() { # prints two frames of three waters as GRO
    local t
    for t in 0 2; do
        printf 'Waters t= %s.0 step= %s\n6\n' $t $((500 * t))
        printf '    1SOL     OW    1   0.100   0.200   0.30%s\n    1SOL    HW1    2   0.150   0.200   0.300\n' $t
        printf '    1SOL    HW2    3   0.100   0.250   0.300\n    2SOL     OW    4  -1.900   0.200   0.300\n'
        printf '    2SOL    HW1    5   0.150   0.200   0.300\n    3NA      NA    6   0.100   0.250   0.300\n'
        printf '   2.00000   2.00000   %s.00000\n' $((3 + t))
    done
}

@test "file that is trajectory and topology: every line of the table is correct" {
    three_waters >"$T/a.gro"
    trjinfo "$T/a.gro" | grep -v '^fingerprint' >"$T/facts"
    same "$T/facts" - <<END
file	$T/a.gro
holds	trajectory topology
format	gro
dialect	GRO
atoms	6
frames	2
time_first	0
time_last	2
time_spacing	2
time_uniform	yes
time_spacing_min	2
time_spacing_max	2
times_repeated	0
times_decreasing	0
step_first	0
step_last	1000
step_spacing	1000
unit	10
cell_periodic	xyz
cell_lengths	20 20 30
cell_angles	90 90 90
cell_volume	12000
cells_differ	1
volume_min	12000
volume_max	20000
coordinate_max	19
coordinate_max_frame	0
coordinate_max_atom	3
names_differ	0
columns	name resname resid element
residues	3
elements	H 3, Na 1, O 2
elements_unknown	0
elements_from	name
mass	58.012
mass_from	element
residue_names	2
residue_name_counts	SOL 2, NA 1
check	ok
END
    trjinfo --check "$T/a.gro" | grep -v '^fingerprint' | same "$T/facts" -
    # Standard input, a file or a pipe, gives the same.
    trjinfo - <"$T/a.gro" | grep -v '^fingerprint' >"$T/stdin"
    trjinfo - < <(cat "$T/a.gro") | grep -v '^fingerprint' >"$T/piped"
    sed "s|^file.*|file	-|" "$T/facts" | same - "$T/stdin"
    same "$T/stdin" "$T/piped"
}

@test "concatenated files: decreasing times and changed cells are reported" {
    { three_waters; three_waters; } >"$T/a.gro"
    trjinfo "$T/a.gro" >"$T/facts"
    [[ $(fact time_uniform "$T/facts") == no && -z $(fact time_spacing "$T/facts") ]]
    [[ $(fact times_decreasing "$T/facts") == 1 && $(fact times_repeated "$T/facts") == 0 ]]
    [[ $(fact time_spacing_min "$T/facts") == -2 && $(fact frames "$T/facts") == 4 &&
        $(fact cells_differ "$T/facts") == 2 ]]
}

@test "DCD: the file size gives the number of frames, whatever the header contains, without reading all" {
    mkdcd --atoms 1000 --frames 200 --cell 30,30,30,60,60,90 >"$T/a.dcd"
    poke "$T/a.dcd" 8 07 00 00 00
    trjinfo "$T/a.dcd" >"$T/facts"
    [[ $(fact frames "$T/facts") == 200 && $(fact frames_in_header "$T/facts") == 7 && -z $(fact check "$T/facts") ]]
    [[ $(fact cell_lengths "$T/facts") == '30 30 30' && $(fact cell_angles "$T/facts") == '60 60 90' ]]
    trjinfo -c "$T/a.dcd" >"$T/checked"
    [[ $(fact check "$T/checked") == ok ]]
    [[ -z $(comm -23 <(sort "$T/facts") <(sort "$T/checked")) ]]
    # The file has a hole of 60 GB, so that reading it would take too long.
    truncate -s "$(($(stat -c %s "$T/a.dcd") + 5000000 * 12080))" "$T/a.dcd" || skip 'no sparse files'
    (ulimit -t 5 && trjinfo "$T/a.dcd") >"$T/facts" 2>"$T/err" || [[ $? == 3 ]] # the last frame has no markers
    [[ $(fact frames "$T/facts") == 5000200 ]]
}

@test "frames and atoms of real files: correct, and the same with and without --check" {
    need_shared
    need python3
    local files
    mapfile -t files < <(awk -F '\t' '!/^(#|file)/ && !seen[$1]++ { print $1 }' "$REFERENCE/decode.tsv" |
        sed "s|^shared|$DATA|")
    trjinfo -j "${files[@]}" >"$T/quick" 2>"$T/err" || [[ $? == 3 ]]
    trjinfo -j -c "${files[@]}" >"$T/checked" 2>"$T/err" || [[ $? == 3 ]]
    valid "$T/quick" && valid "$T/checked"
    python3 - "$T/quick" "$T/checked" "$REFERENCE/decode.tsv" "$DATA" <<'END'
import json, sys
quick, checked = (json.load(open(name)) for name in sys.argv[1:3])
expected, seen, bad = {}, 0, 0
for line in open(sys.argv[3]):
    word = line.split("\t")
    if line[0] != "#" and word[0] != "file":
        expected.setdefault(word[0].replace("shared", sys.argv[4], 1), set()).add((int(word[2]), int(word[3])))
for q, c in zip(quick, checked):
    assert q["file"] == c["file"] and list(q) == list(c)
    if "trajectory" not in c["holds"] or len(expected[c["file"]]) > 1: # files with a varying number of atoms
        continue
    seen += 1
    for facts in q, c:
        if {(facts["frames"], facts["atoms"])} != expected[facts["file"]]:
            print(facts["file"], facts["frames"], facts["atoms"], facts["error"])
            bad += 1
    for key in q:
        if q[key] is not None and q[key] != c[key]:
            print(q["file"], key, q[key], c[key])
            bad += 1
    if c["check"] != "ok":
        print(c["file"], c["error"])
        bad += 1
sys.exit(bad > 0 or seen < 60)
END
}

@test "times, cells, residues, masses, charges and bonds: agree with MDAnalysis" {
    need_shared
    local rc=0 files
    mapfile -t files < <(find "$DATA" -type f -size -8M ! -path '*/damaged/*' | sort)
    trjinfo -j "${files[@]}" 2>"$T/err" >"$T/json" || [[ $? == 3 ]]
    /usr/bin/python3 -W ignore tests/helpers/compare_info.py <"$T/json" >"$T/messages" 2>"$T/err" || rc=$?
    ((rc != 77 && rc != 127)) || skip 'no MDAnalysis for /usr/bin/python3'
    cat "$T/messages"
    [[ $rc == 0 ]]
}

@test "damaged files: each is reported with the place, and the output contains all files" {
    need_shared
    local file rc=0
    for file in "$DATA"/damaged/*; do
        [[ $file != *.crd ]] || continue # the expected number of atoms is unknown
        [[ $file != *baducell.nc ]] || continue # unusual cells that are valid
        damaged "*$file*: *" "$file" || { echo "$file"; return 1; }
    done
    trjinfo --check --json "$DATA"/damaged/* "$DATA/dcd/water.dcd" >"$T/json" 2>"$T/err" || rc=$?
    [[ $rc == 3 ]]
    valid "$T/json"
    [[ $(values check <"$T/json" | grep -cx failed) == $(wc -l <"$T/err") &&
        $(values check <"$T/json" | tail -n 1) == ok ]]
    damaged \
        '*dcd_cut_in_y.dcd: frame 2: byte 9416: truncated in the y record: expected 1188 bytes, found 596; 2 complete frames precede it' \
        "$DATA/damaged/dcd_cut_in_y.dcd"
    damaged '*xtc_cut.xtc: frame 3: byte 10467: truncated in the coordinates: *; 3 complete frames precede it' \
        "$DATA/damaged/xtc_cut.xtc"
    damaged '*dcd_nan_inf.dcd: frame 0: x of atom 0 *' "$DATA/damaged/dcd_nan_inf.dcd"
    damaged '*nan_trajectory.gro: frame 3: line 241: *' "$DATA/damaged/nan_trajectory.gro"
    [[ $(fact frames_at_least "$T/facts") == 3 && -z $(fact frames "$T/facts") ]]
}

@test "files truncated at any place: never more frames than are complete, and --check detects it" {
    need_shared
    local file size cut whole at_least
    for file in dcd/water.dcd xtc/tip3p_300K_1ATM.xtc trr/water.trr gro/lysozyme.gro; do
        size=$(stat -c %s "$DATA/$file")
        for cut in 2 3 17 400 $((size / 2 + 5)) $((size / 3 + 7)); do
            head -c $((size - cut)) "$DATA/$file" >"$T/${file#*/}"
            damaged '*: frame *' "$T/${file#*/}" || { echo "$file -$cut"; return 1; }
            whole=$(fact frames_at_least "$T/facts")
            [[ $(<"$T/err") == *": frame $whole: "* ]] || { echo "$file -$cut: $whole" && cat "$T/err"; return 1; }
            run -3 --separate-stderr trjinfo "$T/${file#*/}"
            at_least=$(fact frames_at_least <<<"$output")
            [[ $at_least == "$whole" ]] || { echo "$file -$cut: $at_least, not $whole"; return 1; }
        done
    done
}

@test "frame stream: groups, sources, provenance, and any changed or missing byte are reported" {
    local size at
    mkdcd --atoms 60 --frames 40 --cell 20,20,20 >"$T/a.dcd"
    trjcat -g 'A=index 0 to 9' -g 'B=index 5 7 20' "$T/a.dcd" >"$T/a.trjf"
    trjinfo "$T/a.trjf" >"$T/facts"
    same - <(grep -v '^fingerprint' "$T/facts" | sed -n '/^format/,/^frames/p; /^source_atoms/,$p') <<END
format	trjf
dialect	version 1
atoms	11
frames	40
source_atoms	60
centres	0
groups	A, atoms 10, dynamic no
groups	B, atoms 3, dynamic no
sources	$T/a.dcd, fingerprint $(trjinfo "$T/a.dcd" | fact fingerprint)
provenance	trjcat $TRJPIPE_VERSION: trjcat -g 'A=index 0 to 9' -g 'B=index 5 7 20' $T/a.dcd
END
    [[ $(trjinfo -c - <"$T/a.trjf" | fact check) == ok ]]
    [[ $(trjinfo - < <(cat "$T/a.trjf") | fact frames) == 40 ]]
    size=$(stat -c %s "$T/a.trjf")
    for ((at = 30; at < size; at += 971)); do
        head -c "$at" "$T/a.trjf" >"$T/bad.trjf"
        damaged '*bad.trjf: *' "$T/bad.trjf" || { echo "cut at $at"; return 1; }
        run -3 --separate-stderr trjinfo "$T/bad.trjf"
        cp "$T/a.trjf" "$T/bad.trjf"
        poke "$T/bad.trjf" "$at" "$(printf %02x $((0x$(od -An -t x1 -j "$at" -N 1 "$T/a.trjf" | tr -d ' ') ^ 16)))"
        damaged '*bad.trjf: *' "$T/bad.trjf" || { echo "changed at $at"; return 1; }
    done
}

@test "histogram stream: set-up, records, frames of each source and provenance are reported" {
    mkdcd --atoms 50 --frames 20 --cell 20,20,20 >"$T/a.dcd"
    trjcat -f 4:: -g 'A=index 0 to 9' -g 'B=index 10 to 19' "$T/a.dcd" |
        rdfhist -e cpu -b 40 -r 8 -B 4 -p A:B -p A:A 2>/dev/null >"$T/a.rdfh"
    trjinfo "$T/a.rdfh" | grep -v ^provenance >"$T/facts"
    same "$T/facts" - <<END
file	$T/a.rdfh
holds	histograms
format	rdfh
bins	40
rmin	0
rmax	8
bin_width	0.2
groups	A, atoms 10, dynamic no
groups	B, atoms 10, dynamic no
pairs	A:B, pairs 100
pairs	A:A, pairs 45
records	4
frames	16
frames_with_volume	16
volume_min	8000
volume_max	8000
volume_mean	8000
cell_periodic	xyz
sources	$T/a.dcd, fingerprint $(trjinfo "$T/a.dcd" | fact fingerprint), frames 16, first 4, last 19
check	ok
END
    [[ $(trjinfo "$T/a.rdfh" | fact provenance | cut -d ' ' -f 1 | tr '\n' ' ') == 'trjcat rdfhist ' ]]
    trjcat -f :4 -g 'A=index 0 to 9' -g 'B=index 10 to 19' "$T/a.dcd" |
        rdfhist -B 0 -e cpu -b 40 -r 8 -p A:B -p A:A 2>/dev/null >"$T/b.rdfh"
    cat "$T/a.rdfh" "$T/b.rdfh" | trjinfo - >"$T/facts"
    [[ $(fact records "$T/facts") == 5 && $(fact frames "$T/facts") == 20 ]]
    cat "$T/a.rdfh" "$T/b.rdfh" "$T/a.rdfh" >"$T/twice.rdfh"
    damaged '*twice.rdfh: *frame*' "$T/twice.rdfh"
    head -c 900 "$T/a.rdfh" >"$T/cut.rdfh"
    damaged '*cut.rdfh: *' "$T/cut.rdfh"
    poke "$T/a.rdfh" 300 ff
    damaged '*a.rdfh: *' "$T/a.rdfh"
}

@test "JSON: valid for any name; numbers are numbers, unknown values are null" {
    local name=$T/$'a"b\\c\td\ne\xff\xc3\xa9\x01.gro'
    three_waters >"$name"
    trjinfo --json "$name" "$T/none" >"$T/json" 2>"$T/err" || [[ $? == 1 ]]
    valid "$T/json"
    [[ $(values holds frames molecules check <"$T/json") == \
        $'[\'trajectory\', \'topology\'] 2 - ok\n[] - - unreadable' ]]
    need python3
    python3 - "$T/json" <<'END'
import json, sys
facts, none = json.load(open(sys.argv[1], encoding="utf-8"))
assert facts["file"].endswith('/a"b\\c\td\ne\ufffd\u00e9\x01.gro')
assert facts["elements"] == {"H": 3, "Na": 1, "O": 2}
assert facts["cell_lengths"] == [20, 20, 30] and facts["time_uniform"] is True
assert list(none) == ["file", "holds", "check", "error"] and none["error"].endswith("No such file or directory")
END
    # The table remains valid.
    trjinfo "$name" >"$T/facts"
    [[ $(grep -cvP '^[a-z_]+\t[^\t]+$' "$T/facts") == 0 && $(fact file "$T/facts") == *'d\x0ae'*'\x01.gro' ]]
}

@test "topologies: a PSF, also from a pipe; content that contradicts the name is rejected" {
    need_shared
    trjinfo "$DATA/dcd/adk.psf" | tail -n +2 >"$T/facts"
    same "$T/facts" - <<END
holds	topology
format	PSF
atoms	3341
columns	name type resname resid segid element mass charge bonds
residues	214
molecules	1
bonds	3365
segments	1
elements	C 1040, H 1685, N 289, O 320, S 7
elements_unknown	0
elements_from	mass
mass	23582.043
mass_from	file
charge	-4
residue_names	19
residue_name_counts	GLY 20, ALA 19, VAL 19, GLU 18, LYS 18, ASP 17, LEU 16, ILE 14, ARG 13, \
THR 11, PRO 10, GLN 8, TYR 7, MET 6, PHE 5, SER 5, ASN 4, HSD 3, CYS 1
check	ok
END
    trjinfo - < <(cat "$DATA/dcd/adk.psf") | tail -n +2 | same "$T/facts" -
    head -n 40 "$DATA/dcd/adk.psf" >"$T/cut.psf"
    damaged '*cut.psf: line 40: *' "$T/cut.psf"
    echo 'no topology' >"$T/bad.psf"
    damaged '*bad.psf: *' "$T/bad.psf"
    # A trajectory is detected by its content, not by its name.
    cp "$DATA/dcd/water.dcd" "$T/water.pdb"
    [[ $(trjinfo "$T/water.pdb" | fact holds) == trajectory ]]
}

@test "--topology: must have as many atoms as the trajectory; --format as in trjcat" {
    need_shared
    trjinfo -t "$DATA/dcd/adk.psf" "$DATA/dcd/adk_dims.dcd" >"$T/facts"
    fails 3 '15 atoms, but the topology *adk.psf has 3341; give one of the same atoms with -t' \
        trjinfo -t "$DATA/dcd/adk.psf" "$DATA/dcd/watdyn.dcd"
    fails 2 'an mdcrd does not contain the number of atoms; give a topology*' trjinfo "$DATA/amber/ache.mdcrd"
    fails 2 "--format: 'gto' is not a known format*" trjinfo --format gto "$DATA/dcd/watdyn.dcd"
    damaged '*watdyn.dcd: is not xtc; leave --format out, or give another format (see --formats)' \
        --format xtc "$DATA/dcd/watdyn.dcd"
    printf '1\n1\n   8 0.1 0.2 0.3\n' >"$T/both" # an XYZ of numbers, which is also the beginning of a GRO
    [[ $(trjinfo --format xyz "$T/both" | fact holds) == trajectory ]]
}

@test "long text file: a lower limit and an estimate of the number of frames, until --check counts them" {
    ! sanitized || skip 'slow'
    awk 'BEGIN { for (i = 0; i < 2000; i++) atoms = atoms "O 1.000 2.000 3.000\n"
        for (i = 0; i < 2000; i++) printf "2000\nframe\n%s", atoms }' >"$T/a.xyz"
    trjinfo "$T/a.xyz" >"$T/facts"
    [[ -z $(fact frames "$T/facts") && -z $(fact check "$T/facts") && -z $(fact cells_differ "$T/facts") ]]
    (($(fact frames_at_least "$T/facts") > 1600 && $(fact frames_at_least "$T/facts") < 2000))
    (($(fact frames_estimate "$T/facts") > 1990 && $(fact frames_estimate "$T/facts") < 2010))
    trjinfo -c "$T/a.xyz" >"$T/facts"
    [[ $(fact frames "$T/facts") == 2000 && $(fact check "$T/facts") == ok ]]
}

@test "several files: one section each; the status is the highest; -o contains the report of damage, too" {
    three_waters >"$T/a.gro"
    head -c 500 "$T/a.gro" >"$T/cut.gro"
    run -3 --separate-stderr trjinfo "$T/cut.gro" "$T/a.gro" -o "$T/facts"
    [[ -z $output && $(fact check "$T/facts") == $'failed\nok' && $(grep -c '^$' "$T/facts") == 1 ]]
    run -3 --separate-stderr trjinfo "$T/cut.gro" "$T/a.gro" "$T/none"
    [[ $(fact check <<<"$output") == $'failed\nok\nunreadable' ]]
    run -1 --separate-stderr trjinfo "$T"
    run -2 --separate-stderr trjinfo
    local got=0
    trjinfo "$T/a.gro" >/dev/full 2>"$T/err" || got=$?
    [[ $got == 1 ]] && grep -q '^trjinfo: stdout: ' "$T/err"
    : >"$T/empty"
    damaged '*empty: is empty; check the program that writes it, and run it again' "$T/empty"
    head -c 3000 /dev/urandom | sed 's/^/x/' >"$T/noise"
    damaged '*noise: is neither a trajectory nor a topology that can be read; *' "$T/noise"
}

@test "header with too large numbers: no memory is allocated for them" {
    ! sanitized || skip 'sanitizers have memory of their own'
    need_shared
    local kb
    peak "$T/kb" trjinfo -c "$DATA"/damaged/{dcd_huge_natom.dcd,xtc_huge_nbytes.xtc} >"$T/facts" 2>"$T/err" ||
        [[ $? == 3 ]]
    kb=$(<"$T/kb")
    ((kb < 32000))
}

@test "dialects of text formats: detected and printed" {
    local row box bounds columns
    dialect() { # FILE
        trjinfo "$1" | sed -n 's/^dialect\t//p'
    }
    printf '1\nno comment\nHe 0 0 0\n' >"$T/a.xyz"
    [[ $(dialect "$T/a.xyz") == XYZ ]]
    printf '1\nLattice = "9 0 0 0 9 0 0 0 9"\nHe 0 0 0\n' >"$T/a.xyz"
    [[ $(dialect "$T/a.xyz") == 'extended XYZ' ]]
    printf '1\n# CELL(abcABC): 9 9 9 90 90 90 Step: 0 positions{angstrom} cell{angstrom}\nHe 0 0 0\n' >"$T/a.xyz"
    [[ $(dialect "$T/a.xyz") == 'XYZ of i-PI' ]]
    for row in ',0 9:id x y z:in order of id, columns x, orthogonal box' \
        'xy xz yz ,0 9 0:type xs ys zs:without ids, columns xs, triclinic box' \
        'abc origin ,9 9 9 0:type xu yu zu:without ids, columns xu, general box' \
        ',0 9:type xsu ysu zsu:without ids, columns xsu, orthogonal box'; do
        IFS=: read -r box columns row <<<"$row"
        bounds=${box#*,}
        [[ $box != abc* ]] || bounds=$'9 0 0 0\n0 9 0 0\n0 0 9 0'
        [[ $box == abc* ]] || bounds=$bounds$'\n'$bounds$'\n'$bounds
        printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS %spp pp pp\n%s\nITEM: ATOMS %s\n1 1 1 1\n' \
            "${box%,*}" "$bounds" "$columns" >"$T/a.dump"
        [[ $(dialect "$T/a.dump") == "LAMMPS dump, $row" ]]
    done
}

# counted_names COLUMN FILE: prints lines "TEXT COUNT" of trjinfo --names, sorted
counted_names() {
    trjinfo --names "$2" | awk -F '\t' -v column="$1" '$1 == column { sub(/, atoms /, " ", $2)
        sub(/, residues.*/, "", $2); print $2 }' | sort
}

@test "--names: lists names, residues and elements, with the numbers that awk counts" {
    need_shared
    local f n
    f=$(find "$DATA/gro" -name '*.gro' | sort | head -n 1)
    n=$(sed -n 2p "$f")
    local field from
    for field in name:11 resname:6; do
        from=${field#*:}
        sed -n "3,$((n + 2))p" "$f" | awk -v from="$from" '{ t = substr($0, from, 5); gsub(/ /, "", t); count[t]++ }
            END { for (t in count) print t, count[t] }' |
            sort | same - <(counted_names "${field%:*}" "$f")
    done
    f=$(find "$DATA/pdb" -name '*.pdb' | sort | head -n 1)
    awk '/^(ENDMDL|END)/ { exit } /^(ATOM|HETATM)/ { t = substr($0, 13, 4); gsub(/ /, "", t); count[t]++ }
        END { for (t in count) print t, count[t] }' "$f" |
        sort | same - <(counted_names name "$f")
}

@test "--names of a TPR: lists the names and residues of the GRO of the same system" {
    local field from
    for field in name:11 resname:6; do
        from=${field#*:}
        sed -n '3,37p' tests/data/chains.gro |
            awk -v from="$from" '{ t = substr($0, from, 5); gsub(/ /, "", t); count[t]++ }
            END { for (t in count) print t, count[t] }' |
            sort | same - <(counted_names "${field%:*}" tests/data/chains.tpr)
    done
    [[ $(counted_names element tests/data/chains.tpr | tr '\n' ' ') == '? 8 C 6 H 16 O 5 ' ]]
}

@test "--names: table and JSON, and files without names" {
    printf 'one\n3\n    1WAT    OW    1   0.000   0.000   0.000\n    2NA     NA    2   0.500   0.000   0.000\n    3NA     NA    3   0.500   0.300   0.000\n1 1 1\n' \
        >"$T/x.gro"
    trjinfo --names "$T/x.gro" | sed 1d |
        same - <(printf '%s\n' $'holds\ttopology' $'format\tGRO' $'atoms\t3' $'name\tNA, atoms 2' $'name\tOW, atoms 1' \
        $'resname\tNA, atoms 2, residues 2' $'resname\tWAT, atoms 1, residues 1' $'element\tNa, atoms 2' \
        $'element\tO, atoms 1' \
        $'elements_from\tname' $'check\tok')
    trjinfo --names --json "$T/x.gro" | has -F '"name": [{"text": "NA", "atoms": 2}, {"text": "OW", "atoms": 1}]'
    trjinfo --names - <"$T/x.gro" | has '^name	NA, atoms 2$'
    fails 2 '--names reads topologies only; leave out --check' trjinfo --names --check "$T/x.gro"
    trjcat "$T/x.gro" -o "$T/x.xtc"
    fails 3 'not a known topology format' trjinfo --names "$T/x.xtc"
}

@test "--names of topologies of every kind: agrees with MDAnalysis" {
    need_shared
    need_python_module MDAnalysis
    local f
    for f in "$DATA"/*/*.{pdb,gro,psf,prmtop,parm7,mol2,tpr,data}; do
        [[ -s $f ]] || continue
        trjinfo --names --json "$f" >"$T/names.json" 2>"$T/err" || continue
        run_python - "$f" "$T/names.json" <<'EOF' || { echo "$f"; return 1; }
import collections, json, sys, warnings
warnings.simplefilter("ignore")
import MDAnalysis
ours = json.load(open(sys.argv[2]))[0]
try:
    atoms = MDAnalysis.Universe(sys.argv[1], to_guess=()).atoms
except Exception:
    try:
        atoms = MDAnalysis.Universe(sys.argv[1]).atoms
    except Exception:
        sys.exit(0)
if len(atoms) != ours["atoms"]:
    sys.exit(0)
for key, theirs in (("name", "names"), ("resname", "resnames")):
    if ours[key] is None or not hasattr(atoms, theirs):
        continue
    expected = collections.Counter(str(t).strip() or "?" for t in getattr(atoms, theirs))
    have = {t["text"]: t["atoms"] for t in ours[key]}
    assert have == dict(expected), (key, have, expected)
EOF
    done
}
