#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Distances from the nearest atom of a set, residue or molecule: rdfhist --surface and rdfnorm --surface.
# shellcheck shell=bash disable=SC2154
load helper

PDB=examples/water/water.pdb WATER=examples/water/water.dcd
export PYTHONDONTWRITEBYTECODE=1

# lattice: prints NaCl with a distance of 3 between neighbours
lattice() {
    awk 'BEGIN {
        print 64 "\nLattice=\"12 0 0 0 12 0 0 0 12\""
        for (i = 0; i < 64; i++) {
            x = i % 4; y = int(i / 4) % 4; z = int(i / 16)
            print ((x + y + z) % 2 ? "Na" : "Cl"), 3 * x, 3 * y, 3 * z
        }
    }'
}

@test "distances from a set, and the points of their volumes: equal an independent count in cells of every shape" {
    need_python_module numpy
    local shape engine
    for shape in cube brick hexagonal tilted symmetric; do
        run_python tests/helpers/metric_counts.py make $shape 2 60 >"$T/xyz"
        trjcat -g 'A=name A and index < 9' -g 'B=name B' "$T/xyz" >"$T/trjf"
        awk '(NR - 1) % 62 >= 11 { sub(/^A/, "X") } { print }' "$T/xyz" >"$T/named"
        # 9 Angstrom is beyond half of each cell.
        run_python tests/helpers/surface_counts.py 9 18 6 A B <"$T/named" >"$T/expected"
        for engine in 'cpu -j 1' 'cpu -j 3' reference; do
            # shellcheck disable=SC2086
            rdfhist -B 0 -e $engine -r 9 -b 18 -p A:B --surface set:6 "$T/trjf" >"$T/rdfh"
            tests/helpers/decode_histograms.py "$T/rdfh" | grep -E '^(surface|points) ' | same "$T/expected" -
        done
    done
}

@test "one atom: n(r) of the ordinary g(r), shells of spheres, and the ordinary g(r) within the error of the volume" {
    trjcat -f :32 -t "$PDB" -g 'A=name OW and resid 5' -g 'O=name OW and not resid 5' "$WATER" |
        rdfhist -B 0 -r 8 -b 40 -p A:O --surface set >"$T/rdfh"
    rdfnorm "$T/rdfh" | rows >"$T/ordinary"
    rdfnorm --surface "$T/rdfh" | rows >"$T/surface"
    # 64000 points in 32 frames of a volume near 10350; 5 standard errors.
    paste "$T/ordinary" "$T/surface" | awk '{
        shell = 4 / 3 * 3.14159265358979 * (($1 + 0.1) ^ 3 - ($1 - 0.1) ^ 3)
        error = 5 / sqrt(32 * 64000 * shell / 10350)
        bad += $1 != $4 || $3 != $6 || ($7 / shell - 1) ^ 2 > error ^ 2 || ($5 - $2) ^ 2 > ($2 * error) ^ 2 * 1.2
    } END { exit bad || NR != 40 }'
}

@test "residues of one atom: the counts are those of all ordered pairs" {
    trjcat -f :4 -t "$PDB" -g 'O=name OW' "$WATER" | rdfhist -r 9 -b 36 --surface residue:30 >"$T/rdfh"
    rdfnorm "$T/rdfh" | rows | cut -f 1,4 >"$T/ordinary"
    rdfnorm --surface "$T/rdfh" | rows | cut -f 1,4 | same "$T/ordinary" -
    # The mean of g(r) over wide bins differs from that with spheres by the error of the volume.
    paste <(rdfnorm -b 12 "$T/rdfh" | rows | cut -f 2) <(rdfnorm -b 12 --surface "$T/rdfh" | rows | cut -f 2) |
        awk '($1 / $2 - 1) ^ 2 > 0.02 ^ 2 { exit bad = 1 } END { exit bad }'
}

@test "molecules of water: the nearest atom of each molecule is counted once, that of its own molecule never" {
    need_shared
    trjcat -f :2 -t "$SHARED/data-observables/spce216.tpr" -g W=all -g 'O=name OW' \
        "$SHARED/data-observables/spce216-nvt.xtc" >"$T/trjf"
    rdfhist -r 6 -b 24 -p W:O --surface molecule:20 "$T/trjf" >"$T/molecules"
    rdfhist -r 6 -b 24 -p W:O --surface residue:20 "$T/trjf" >"$T/residues"
    rdfnorm --surface "$T/molecules" >"$T/table"
    grep -qx '# surface of W:O: 432 molecules and 92880 atoms around them in 2 frames' "$T/table"
    rows "$T/table" >"$T/rows"
    rdfnorm --surface "$T/residues" | rows | same "$T/rows" -
    # Up to 2.25 Angstrom, the nearest atom is a hydrogen: each molecule donates nearly two hydrogen bonds.
    awk '$1 < 1.25 && $4 > 0 { bad = 1 } $1 == 2.125 && ($4 < 1.5 || $4 > 2) { bad = 1 } END { exit bad }' "$T/rows"
}

@test "a crystal: all atoms are at the edge of a bin, and are counted in the bin above it" {
    lattice | trjcat -g 'Na=name Na' -g 'Cl=name Cl' - >"$T/trjf"
    local engine
    for engine in cpu reference; do
        rdfhist -e $engine -r 9 -b 18 -p Na:Cl --surface set:10 "$T/trjf" | rdfnorm --surface | rows |
            awk -F '\t' '$3 != ($1 > 3 ? 32 : 0) { exit bad = 1 } END { exit bad || NR != 18 }'
    done
}

@test "ideal gas in a tilted cell, beyond half of it: g(r) from a set is 1 within its errors" {
    need_python_module numpy
    run_python - >"$T/gas.xyz" <<'END'
import numpy
random, h = numpy.random.default_rng(3), numpy.array([[20, 0, 0], [4, 19, 0], [-3, 5, 21]])
for _ in range(64):
    print('420\nLattice="%s"' % " ".join(map(str, h.ravel())))
    for i, x in enumerate(random.random((420, 3)) @ h):
        print("AB"[i >= 20], "%.5f %.5f %.5f" % tuple(x))
END
    trjcat -g 'A=name A' -g 'B=name B' "$T/gas.xyz" | rdfhist -r 10 -b 80 -p A:B --surface set:24 >"$T/rdfh"
    rdfnorm --surface -b 2 "$T/rdfh" | rows >"$T/rows"
    # All atoms, and the whole cell, are within 10 Angstrom.
    awk '$2 != "nan" && $2 > 0 && $3 > 0 { chi2 += (($2 - 1) / $3) ^ 2; n++ } { volume += $5; last = $4 }
        END { exit !(n > 20 && chi2 / n > 0.4 && chi2 / n < 2 && last == 400 && (volume - 7980) ^ 2 < 1e-6) }' "$T/rows"
}

@test "segments that are joined by cat: the table of the whole trajectory" {
    local range hist='rdfhist -r 6 -b 30 -B 2 -p A:O --surface set:12'
    local groups=(-g 'A=resid 5' -g 'O=name OW and not resid 5')
    trjcat -f :8 -t "$PDB" "${groups[@]}" "$WATER" | $hist | rdfnorm --surface | rows >"$T/whole"
    for range in :4 4:8; do
        trjcat -f $range -t "$PDB" "${groups[@]}" "$WATER" | $hist
    done | rdfnorm --surface | rows | same "$T/whole" -
}

@test "rdfnorm --surface: bins are merged and selected, a density is given, bins without points are NaN" {
    trjcat -f :4 -t "$PDB" -g 'A=resid 5' -g 'O=name OW and not resid 5' "$WATER" >"$T/trjf"
    rdfhist -r 6 -b 24 -p A:O --surface set:12 "$T/trjf" >"$T/rdfh"
    rdfnorm --surface "$T/rdfh" | rows >"$T/all"
    rdfnorm --surface -b 4 -r 2:6 "$T/rdfh" | rows >"$T/merged"
    awk 'NR == FNR { n[$1] = $4; v[$1] = $5; next } { sum = 0; for (k = -3; k <= 3; k += 2) sum += v[$1 + k / 8]
        bad += n[$1 + 0.375] != $4 || (sum - $5) ^ 2 > 1e-12 } END { exit bad || FNR != 4 }' "$T/all" "$T/merged"
    rdfnorm --surface -d 0.033 "$T/rdfh" | rows | paste - "$T/all" |
        awk -v v="$(trjinfo "$T/rdfh" | awk '$1 == "volume_mean" { print $2 }')" '$2 != "nan" && $7 > 0 { n++
            bad += ($2 / $7 / (342 / v / 0.033) - 1) ^ 2 > 1e-11 } END { exit bad || n < 5 }'
    rdfhist -r 6 -b 60 -p A:O --surface set:2 "$T/trjf" >"$T/few"
    rdfnorm --surface "$T/few" 2>"$T/note" >"$T/table"
    grep -q 'note: pair A:O: g(r) is NaN in [0-9]* bins that contain atoms' "$T/note"
    grep -q '^# [0-9]* bins of A:O contain no point' "$T/table"
}

@test "--surface: options that do not apply are rejected with the reason" {
    trjcat -f 0 -t "$PDB" -g 'A=resid 5' -g 'O=name OW' "$WATER" >"$T/trjf"
    local value
    for value in sets set:0 set:257 set:x residue: :8; do
        fails 2 'invalid value' rdfhist -r 5 --surface "$value" "$T/trjf"
    done
    fails 2 '1 atoms are in both groups' rdfhist -r 5 -p A:O --surface set "$T/trjf"
    fails 2 'leave out --lag, --exclude' rdfhist -r 5 -x residue --surface residue "$T/trjf"
    fails 2 'leave out --lag, --exclude' rdfhist -r 5 --metric xy --surface residue "$T/trjf"
    fails 2 'leave out --lag, --exclude' rdfhist -r 5 --own-images --surface residue "$T/trjf"
    trjcat -P xy -f 0 -t "$PDB" -g 'O=name OW' "$WATER" >"$T/slab"
    fails 3 'periodic in all directions' rdfhist -r 5 --surface residue "$T/slab"
    lattice | trjcat - >"$T/names"
    fails 3 'no residues; give trjcat a topology' rdfhist -r 5 --surface residue "$T/names"
    rdfhist -r 5 --surface residue:8 "$T/trjf" >"$T/rdfh"
    rdfhist -r 5 "$T/trjf" >"$T/plain"
    fails 3 'count with rdfhist --surface' rdfnorm --surface "$T/plain"
    fails 2 'options of g(r) do not apply' rdfnorm --surface --norm gromacs "$T/rdfh"
    fails 2 'one table is printed' rdfnorm --surface --neighbours numbers "$T/rdfh"
    rdfhist -r 5 --surface residue:9 "$T/trjf" >"$T/other"
    fails 3 'expected distances from surfaces residue:8, found residue:9' rdfnorm "$T/rdfh" "$T/other"
    # Other tables and tools use the ordinary counts.
    rdfnorm "$T/rdfh" | rows >"$T/rows"
    rdfnorm "$T/plain" | rows | same "$T/rows" -
    trjinfo "$T/rdfh" | has -x $'surface\tresidue'
}

@test "block SURF with invalid fields, and records with impossible numbers: rejected" {
    local setup='SETU r f8:0 f8:5 u8:1 u4:2 t:A u8:1 t:B u8:3 u4:1 u4:0 u4:1 u8:3' fields='' volumes=1
    # make BLOCK...: makes a stream with these blocks
    make() {
        mkstream histogram "$setup" "$@" 'SRCE r t:run.dcd u8:5' \
            "RECO r u8:1 u8:$volumes n:0*160 u4:7 u4:7 u8:1 u8:0 u8:0 u8:1 u8:1 u8:3 $fields" \
            'END! r u8:1 u8:1 u8:3' >"$T/rdfh"
    }
    # bad TEXT BLOCK...: rdfnorm and trjinfo reject them
    bad() {
        make "${@:2}"
        fails 3 "$1" rdfnorm --surface "$T/rdfh"
        fails 3 "$1" trjinfo "$T/rdfh"
    }
    bad 'unknown kind 0 of surfaces' 'SURF r u4:0 u4:2'
    bad 'unknown kind 4 of surfaces' 'SURF r u4:4 u4:2'
    bad 'invalid number of points' 'SURF r u4:1 u4:0'
    bad 'invalid number of points' 'SURF r u4:1 u4:257'
    bad 'too short' 'SURF r u4:1'
    bad 'too short' 'SURF r u4:1 u4:2'
    bad 'follows a block that excludes it' 'EXCL r t:residue u8:0' 'SURF r u4:1 u4:2'
    bad 'follows a block that excludes it' 'OWNI r u4:0' 'SURF r u4:1 u4:2'
    bad 'in the wrong place' 'SURF r u4:1 u4:2' 'NEIG r f8:3 u8:2'
    for fields in 'u8:2 u8:3 u8:3 u8:9 u8:0' 'u8:1 u8:4 u8:3 u8:9 u8:0' 'u8:1 u8:3 u8:4 u8:9 u8:0' \
        'u8:1 u8:3 u8:3 u8:25 u8:0' 'u8:1 u8:3 u8:3 u8:9 u8:-1'; do
        bad 'pair 0: invalid numbers of distances from surfaces' 'SURF r u4:1 u4:2'
    done
    volumes=0 fields='u8:1 u8:3 u8:3 u8:9 u8:0' bad 'pair 0: invalid numbers of distances' 'SURF r u4:1 u4:2'
    # The largest numbers that are possible. g = 8 points * 3 / 24
    fields='u8:1 u8:3 u8:3 u8:24 u8:0'
    make 'SURF r u4:1 u4:2'
    rdfnorm --surface "$T/rdfh" | rows | cut -f 1-3 | same <(printf '2.5\t1\t3\n') -
}
