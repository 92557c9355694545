#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every convention of rdfnorm for each kind of frames: the number that the formula gives from single frames, or an error
# with its reason.
load helper

NORMS='density mdanalysis gromacs vmd mdtraj cpptraj plane number radial none'
TAKE_NO_VOLUME='cpptraj number radial none'

# frames KIND: prints 3 frames of 200 atoms, extended XYZ; the name gives what varies between frames
frames() {
    awk -v kind="$1" "$AWK_RANDOM"'BEGIN { seed = 9; for (f = 0; f < 3; f++) { a = b = c = 24; skew = 0; s = f * 1.5
        if (kind ~ /npt/) { a += s; b += s / 2; c += 2 * s }
        if (kind ~ /triclinic/) skew = 5
        if (kind ~ /slab/) c = 7
        print 200; printf "Lattice=\"%s 0 0 %s %s 0 %s %s %s\" ", a, skew, b, -skew, skew / 2, c
        print "Properties=species:S:1:pos:R:3"
        for (i = 0; i < 200; i++) printf "X %.5f %.5f %.5f\n", a * random(), b * random(), c * random() } }'
}

# shape KIND: prints V and thickness of these frames
shape() {
    awk -v kind="$1" 'BEGIN { for (f = 0; f < 3; f++) { a = b = c = 24; s = f * 1.5
        if (kind ~ /npt/) { a += s; b += s / 2; c += 2 * s }
        if (kind ~ /slab/) c = 7
        printf "%.17g %.17g\n", a * b * c, kind ~ /slab/ ? c : 0 } }'
}

# choose FILE FRAMES GROUPS PERIODIC: writes a frame stream
choose() {
    local options=(-g 'A=index 0 to 119' -g 'B=index 100 to 199')
    [[ $3 == fixed ]] || options=(-g 'A=within 9 of index 0 to 3' -g 'B=index 100 to 199')
    trjcat -f "$2" -P "$4" "${options[@]}" "$1"
}

BINS=20       # of the histogram
BOUNDS=10     # edges of the bins that are printed, as norms.py takes them
FREE_EDGES=() # options of rdfnorm

# table KIND fixed|changing PERIODIC PAIR: prints all conventions, of one record and of records of single frames. A
# frame has a atoms in A, m of them in B.
table() {
    local kind=$1 groups=$2 periodic=$3 pair=$4 f v h a m norm column block bad=0 frames=() which=two
    [[ $pair != A:A ]] || which=self
    frames "$kind" >"$T/x.xyz"
    f=0
    while read -r v h; do
        [[ $periodic != none ]] || v=0
        choose "$T/x.xyz" $f "$groups" "$periodic" | rdfhist -e reference -p "$pair" -r 10 -b $BINS >"$T/$f.rdfh"
        rdfnorm -c "${FREE_EDGES[@]}" "$T/$f.rdfh" | rows | cut -f 3 >"$T/$f"
        a=120 m=20
        if [[ $groups == changing ]]; then
            a=$(rdfnorm -c "$T/$f.rdfh" | sed -n 's/^# group A: on average \([0-9]*\) of.*/\1/p')
            # Members of B within reach: the pairs of B alone with that part of A.
            m=$(trjcat -f $f -P "$periodic" -g 'A=within 9 of index 0 to 3' \
                -g 'M=index 100 to 199 and within 9 of index 0 to 3' "$T/x.xyz" |
                rdfhist -e reference -p M:A -r 10 -b 20 | rdfnorm -c |
                sed -n 's/^# group M: on average \([0-9]*\) of.*/\1/p')
        fi
        case $which in
        self) frames+=("$v,$a,$a,$((a * (a - 1) / 2)),$h") ;;
        two) frames+=("$v,$a,100,$((a * 100 - m)),$h") ;;
        esac
        f=$((f + 1))
    done < <(shape "$kind")
    paste "$T"/[0-2] |
        run_python tests/helpers/norms.py "${NORMS// /,}" "$which" "$BOUNDS" "${frames[@]}" >"$T/expected"
    for block in 1 0; do
        choose "$T/x.xyz" : "$groups" "$periodic" |
            rdfhist -e reference -p "$pair" -r 10 -b $BINS -B $block >"$T/$block.all.rdfh"
        column=0
        for norm in $NORMS; do
            column=$((column + 1))
            has_curve "$norm" "$kind" "$groups" "$periodic" "$block" || continue
            rdfnorm -n "$norm" -e none "${FREE_EDGES[@]}" "$T/$block.all.rdfh" | rows |
                paste <(cut -f $column "$T/expected") - |
                awk -v what="$kind $groups $periodic $pair $norm -B $block" -v bins="$(wc -l <"$T/expected")" '
                { d = $1 - $(NF - 1); if (d < 0) d = -d; if (!(d <= 1e-8 * $1)) { print what ": line", NR, $0
                bad = 1 } s += $1 > 0 }
                END { exit bad || NR != bins || s < bins * 3 / 4 }' || bad=1
        done
    done
    return $bad
}

# has_curve NORM KIND GROUPS PERIODIC BLOCK: succeeds if there is a curve; if not, the error must give the reason.
has_curve() {
    local norm=$1 kind=$2 groups=$3 periodic=$4 block=$5 why=
    [[ " $TAKE_NO_VOLUME " != *" $norm "* ]] || return 0
    if [[ $periodic == none ]]; then
        why='no uniform density; if the system is periodic, count again with its cell*give --volume, or print*--droplet or --box'
    elif [[ $norm == plane && $periodic == xyz ]]; then
        why='do not define a plane; give --plane, or see trjcat --periodic'
    elif [[ $block == 0 && $norm == vmd && $kind =~ npt ]]; then
        why='the volume varies within a record*rdfhist -B 1'
    elif [[ $block == 0 && $norm == vmd && $groups == changing ]]; then
        why='groups change within a record*rdfhist -B 1'
    fi
    [[ -n $why ]] || return 0
    fails 3 "$why" rdfnorm -n "$norm" "$T/$block.all.rdfh" || bad=1
    return 1
}

all_of() { # KIND PERIODIC
    need /usr/bin/python3
    local groups pair bad=0
    for groups in fixed changing; do
        for pair in A:A A:B; do table "$1" "$groups" "$2" "$pair" || bad=1; done
    done
    return $bad
}

@test "all conventions in a cube: rejected or equal to the formulas" { all_of cubic xyz; }
@test "all conventions in a triclinic cell: rejected or equal to the formulas" { all_of triclinic xyz; }
@test "all conventions in a varying cell: rejected or equal to the formulas" { all_of npt xyz; }
@test "all conventions in a varying triclinic cell: rejected or equal to the formulas" { all_of triclinic-npt xyz; }
@test "all conventions in a slab: rejected or equal to the formulas" { all_of slab xy; }
@test "all conventions in a slab of varying sides: rejected or equal to the formulas" { all_of slab-npt xy; }
@test "all conventions without periods: rejected or equal to the formulas" { all_of cubic none; }

# Bins of unequal width, also beyond the thickness of the slab; the histogram is finer.
free_edges_of() { # KIND PERIODIC
    BINS=400
    BOUNDS=0.5,1.75,2,2.025,3.5,3.6,6,7.5,9.975
    tr , '\n' <<<"$BOUNDS" >"$T/edges"
    FREE_EDGES=(--edges "$T/edges")
    all_of "$1" "$2"
}

@test "free edges, all conventions in a varying triclinic cell: equal the formulas" { free_edges_of triclinic-npt xyz; }
@test "free edges, all conventions in a slab of varying sides: equal the formulas" { free_edges_of slab-npt xy; }
@test "free edges, all conventions without periodicity: equal the formulas" { free_edges_of cubic none; }
