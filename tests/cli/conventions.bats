#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The conventions of other programs, compared with these programs: {peer, norm} x {file, groups}. All programs count the
# same pairs (see conventions.py), so that curves must agree to 1e-5, the float32 precision of their cells.
load helper

KINDS='cubic triclinic npt triclinic-npt none'

setup_file() {
    local kind
    [[ -x /usr/bin/python3 ]] || return 0 # the tests skip: some versions of Bats do not allow skip here
    for kind in $KINDS; do
        run_python tests/helpers/conventions.py make "$kind" >"$BATS_FILE_TMPDIR/$kind.gro"
        "$TRJPIPE_BIN/trjcat" "$BATS_FILE_TMPDIR/$kind.gro" -o "$BATS_FILE_TMPDIR/$kind.xtc"
        "$TRJPIPE_BIN/trjcat" -g 'A=index 0 to 149' -g 'B=index 150 to 299' \
            -g 'C=index 100 to 249' "$BATS_FILE_TMPDIR/$kind.xtc" |
            "$TRJPIPE_BIN/rdfhist" -e reference -p A:A -p A:B -p A:C --rmin 0.25 -r 11.75 -b 23 -B 1 \
            -o "$BATS_FILE_TMPDIR/$kind.rdfh"
    done
}

# ours KIND NORM: prints the columns of g
ours() {
    rdfnorm -n "$2" -e none "$BATS_FILE_TMPDIR/$1.rdfh" | rows | cut -f 2,4,6
}

# agree WHAT: the first three columns on stdin equal the next three to 1e-5, in 23 bins, most of them not empty
agree() {
    awk -v what="$1" 'NF != 6 { bad = 1 }
        { for (i = 1; i <= 3; i++) { d = $i - $(i + 3); if (d < 0) d = -d
        if (d > 1e-5 * $(i + 3)) { print what ": line", NR, $0; bad = 1 } n += $i > 0 } }
        END { if (NR != 23 || n < 60) { print what ":", NR, "rows,", n, "with counts"; bad = 1 } exit bad }'
}

# peer PROGRAM THEIR-NORM OUR-NORM KIND-IT-REFUSES
peer() {
    local kind got status bad=0
    need /usr/bin/python3
    for kind in $KINDS; do
        status=0
        got=$(run_python tests/helpers/conventions.py "$1" "$BATS_FILE_TMPDIR/$kind.xtc" "$kind" "$2" \
            2>"$T/notes") || status=$?
        ((status != 77)) || skip "no Python module for $1"
        if [[ $kind == "$4" ]]; then # trjpipe rejects it, too
            ((status == 78)) || { echo "$kind: $1 makes g(r) of it: $got" && bad=1; }
            fails 3 'no volume*--volume*--droplet or --box' rdfnorm -n "$3" "$BATS_FILE_TMPDIR/$kind.rdfh" || bad=1
        elif ((status)); then
            echo "$kind: $1: $got" && bad=1
        else
            paste <(ours "$kind" "$3") <(echo "$got") | agree "$1 $2 $kind" || bad=1
        fi
    done
    return $bad
}

@test "MDAnalysis rdf: agrees with -n mdanalysis" { peer mda rdf mdanalysis none; }
@test "MDAnalysis density: agrees with -n number" { peer mda density number ''; }
@test "MDAnalysis none: agrees with -n none" { peer mda none none ''; }

# For A and C, which overlap, InterRDF removes other pairs: those of equal position in the two groups.
@test "MDAnalysis rdf with exclusion_block: agrees with the counts without excluded pairs" {
    local got status=0
    need /usr/bin/python3
    got=$(run_python tests/helpers/conventions.py mda "$BATS_FILE_TMPDIR/npt.xtc" npt exclusions \
        2>"$T/notes") || status=$?
    ((status != 77)) || skip 'no Python module MDAnalysis'
    for i in {0..149}; do echo "$i $((150 + i))"; done >"$T/pairs"
    trjcat -g 'A=index 0 to 149' -g 'B=index 150 to 299' "$BATS_FILE_TMPDIR/npt.xtc" |
        rdfhist -e reference -x "pairs:$T/pairs" -p A:B --rmin 0.25 -r 11.75 -b 23 2>"$T/notes" |
        rdfnorm -n mdanalysis | rows | cut -f 2 |
        paste - <(cut -d ' ' -f 2 <<<"$got") | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-5 * $2) { print
        bad = 1 } n += $1 > 0 } END { exit bad || NR != 23 || n < 20 }'
}

@test "mdtraj compute_rdf: agrees with -n mdtraj" { peer mdtraj rdf mdtraj none; }

# gmx rdf prints three decimals, each with a rounding error of at most half of the last digit, and 1e-5. In sums over 23
# bins the rounding error is 0.0003 sqrt(23); three times that value is allowed.
@test "GROMACS rdf, number_density and none: agree with the conventions of the same meaning" {
    need gmx /usr/bin/python3
    local kind norm bad=0
    { echo '[ A ]' && seq 1 150 && echo '[ B ]' && seq 151 300 && echo '[ C ]' && seq 101 250; } >"$T/x.ndx"
    for kind in $KINDS; do
        [[ $kind != none ]] || continue # gmx uses the cell of the structure in this case
        head -n 303 "$BATS_FILE_TMPDIR/$kind.gro" >"$T/x.gro"
        for norm in rdf:gromacs:1 number_density:number:1000 none:radial:10; do
            timeout 120 gmx -nobackup rdf -f "$BATS_FILE_TMPDIR/$kind.xtc" -s "$T/x.gro" -n "$T/x.ndx" -ref A \
                -sel A B C \
                -norm "${norm%%:*}" -bin 0.05 -rmax 1.2 -o "$T/x.xvg" -xvg none >"$T/notes" 2>&1 ||
                skip 'this gmx makes no g(r) of it'
            paste <(tail -n +2 "$T/x.xvg" | head -n 23 | awk '{ print $2, $3, $4 }') \
                <(ours "$kind" "$(cut -d : -f 2 <<<"$norm")") |
                awk -v unit="${norm##*:}" -v what="$kind $norm" '
                { for (i = 1; i <= 3; i++) { x = $(i + 3) * unit; d = $i - x; if (d < 0) d = -d; s[i] += $i; t[i] += x
                    if (d > 0.00051 + 1e-5 * x) { print what ": line", NR, "column", i, $i, x; bad = 1 } } }
                END { for (i = 1; i <= 3; i++) { d = s[i] - t[i]; if (d < 0) d = -d
                    if (!(d <= 1e-5 * t[i] + 0.0045)) { print what ": column", i, "sums off by", d, "of", t[i]
                    bad = 1 } }
                  exit bad || NR != 23 }' || bad=1
        done
    done
    return $bad
}
