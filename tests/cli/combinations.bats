#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Totals combined with all other options of rdfnorm, compared with the formulas of its manual, evaluated by numpy from
# coordinates.
load helper

# totals KIND fixed|changing NORM PART FORM BLOCK[:WHERE=X] [OPTION...]: compares rdfnorm with the formulas
totals() {
    local kind=$1 groups=$2 norm=$3 part=$4 form=$5 how=$6 rmax=8 bins=16 chosen=() counted=() asked=() periodic=xyz
    shift 6
    case $kind in slab) periodic=xy ;; free) periodic=none ;; esac
    [[ $groups == fixed ]] || chosen=(-g 'near=within 8 of index 0')
    [[ $part == all ]] || counted=(-x residue) asked=(--excluded "$part")
    [[ -f $T/$kind.xyz ]] || run_python tests/helpers/combinations.py make "$kind" 4 "$T/$kind"
    run_python tests/helpers/combinations.py total "$kind" "$groups" "$norm" "$part" "$form" "$how" $rmax $bins \
        <"$T/$kind.xyz" >"$T/expected"
    trjcat -P $periodic -t "$T/$kind.pdb" --by element "${chosen[@]}" "$T/$kind.xyz" 2>"$T/notes" |
        rdfhist -e reference -r $rmax -b $bins -B "${how%%:*}" -p '*:*' "${counted[@]}" >"$T/rdfh" 2>"$T/notes"
    rdfnorm -n "$norm" "${asked[@]}" --form "$form" --partial --total number --total neutron "$@" "$T/rdfh" >"$T/table"
    # Errors have 4 digits, and fewer if the records are nearly equal.
    rows "$T/table" | cut -f 2-5 | paste "$T/expected" - | awk -v what="$kind $groups $norm $part $form $how $*" '
        { for (i = 1; i <= 4; i++) { d = $i - $(i + 4); if (d < 0) d = -d; s = $i < 0 ? -$i : $i
              if (!(d <= (i % 2 ? 1e-7 * s + 1e-8 : 1e-3 * s + 1e-5))) {
                  print what ": row", NR, "column", i, $i, $(i + 4)
                  bad = 1 } }
          n += $1 > 0 } END { exit bad || NR != 16 || !n }'
}

each_part() { # each_part KIND fixed|changing BLOCK
    local norm part bad=0
    for part in all in out only; do
        for norm in density mdanalysis gromacs; do totals "$1" "$2" $norm $part g "$3" || bad=1; done
        totals "$1" "$2" density $part fz "$3" || bad=1
    done
    return $bad
}

@test "excluded pairs in a varying skew cell: parts, forms, conventions and errors follow the formulas" {
    need_python_module numpy
    each_part npt fixed 2
    totals npt fixed density out d 2
    totals npt fixed density only d 2
    totals npt fixed vmd out g 1
}

@test "excluded pairs of dynamic groups in a varying cell: parts, forms, conventions and errors follow the formulas" {
    need_python_module numpy
    each_part npt changing 2
}

@test "slab, with the thickness of the cell or a given one: D(r) uses the density in the slab" {
    need_python_module numpy
    each_part slab fixed 2
    totals slab changing density out g 2
    local form
    for form in g fz d; do
        totals flat fixed density all $form 2:thickness=6 --plane z --thickness 6
        totals flat fixed mdanalysis out $form 1:thickness=6 --plane z --thickness 6
    done
    # The result equals that of the same slab in its own cell, where g(r) and the density are those of the cell.
    trjcat -P xy --cell 12,13,6 --by element "$T/flat.xyz" | rdfhist -e cpu -r 8 -b 16 -p '*:*' 2>"$T/notes" |
        rdfnorm --total neutron --form t | rows | cut -f 2 >"$T/own"
    trjcat --by element "$T/flat.xyz" | rdfhist -e cpu -r 8 -b 16 -p '*:*' 2>"$T/notes" |
        rdfnorm --total neutron --form t --plane z --thickness 6 | rows |
        cut -f 2 | paste "$T/own" - |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-8) { print; bad = 1 } } END { exit bad || NR != 16 }'
}

@test "given volumes, also with dynamic groups, and droplets: totals follow the formulas" {
    need_python_module numpy
    local form norm
    for form in g d; do
        totals free fixed density out $form 2:droplet=9 --droplet 9
        totals free fixed density all $form 3:volume=2000 -v 2000
    done
    totals free fixed gromacs in g 2:droplet=9 --droplet 9
    for norm in density mdanalysis gromacs; do totals npt changing $norm out g 2:volume=2000 -v 2000; done
}

@test "-n vmd with dynamic groups: the mean of the curves of the frames, also with a given volume" {
    need_python_module numpy
    run_python tests/helpers/combinations.py make free 6 "$T/x"
    local groups=(-g 'A=within 6 of index 0' -g 'B=not within 6 of index 0') f
    for way in '-v 2000' '--droplet 9'; do
        for f in 0 1 2 3 4 5; do
            # shellcheck disable=SC2086
            trjcat -P none -f $f -t "$T/x.pdb" "${groups[@]}" "$T/x.xyz" | rdfhist -e cpu -r 8 -b 8 -p A:B |
                rdfnorm -n vmd $way | rows | cut -f 2 >"$T/$f"
        done
        trjcat -P none -t "$T/x.pdb" "${groups[@]}" "$T/x.xyz" | rdfhist -e cpu -r 8 -b 8 -p A:B -B 1 >"$T/rdfh"
        # shellcheck disable=SC2086
        rdfnorm -n vmd $way "$T/rdfh" | rows | cut -f 2,3 | paste "$T"/[0-5] - | awk '
            { m = s = 0; for (i = 1; i <= 6; i++) m += $i / 6; for (i = 1; i <= 6; i++) s += ($i - m) ^ 2
            e = sqrt(s / 30)
              if (m - $7 > 1e-8 || $7 - m > 1e-8 || e - $8 > 1e-3 * e || $8 - e > 1e-3 * e) { print m, e, $0
              bad = 1 } } END { exit bad || NR != 8 }'
        trjcat -P none -t "$T/x.pdb" "${groups[@]}" "$T/x.xyz" | rdfhist -e cpu -r 8 -b 8 -p A:B -B 3 >"$T/rdfh"
        # shellcheck disable=SC2086
        fails 3 'groups change within a record*rdfhist -B 1' rdfnorm -n vmd $way "$T/rdfh"
    done
}

@test "-n mdanalysis, excluded pairs included again: as without an exclusion, also for overlapping groups" {
    local water=examples/water groups
    for groups in 'A=index 0 to 299' 'A=within 9 of index 0'; do
        trjcat -f :4 -t $water/water.pdb -g "$groups" -g 'B=index 100 to 599' $water/water.dcd >"$T/trjf"
        rdfhist -e cpu -r 9 -b 30 -p A:B "$T/trjf" | rdfnorm -n mdanalysis | rows >"$T/expected"
        rdfhist -e cpu -r 9 -b 30 -p A:B -x residue "$T/trjf" | rdfnorm -n mdanalysis --excluded in | rows |
            same "$T/expected" -
    done
}

@test "dynamic groups that never occur in the same frame: no curve, and the total is that of the other pairs" {
    local x
    for x in 2 2.5; do printf '%s\n' 4 'Properties=species:S:1:pos:R:3 Lattice="30 0 0 0 30 0 0 0 30"' 'O 0 0 0' \
        "H $x 0 0" 'H 0 0 3' 'O 14 4 4'; done >"$T/x.xyz"
    trjcat --by element -g 'A=within 5 of index 0' -g 'B=not within 5 of index 0' "$T/x.xyz" |
        rdfhist -e cpu -r 8 -b 4 -B 1 -p '*:*' >"$T/rdfh"
    rdfnorm --total number --total neutron "$T/rdfh" 2>"$T/notes" | grep '^# r' | tr '\t' '\n' | grep '^g' |
        paste -s -d ' ' >"$T/columns"
    [[ $(cat "$T/columns") == 'g(number) g(neutron) g(A.O:A.O) '* ]]
    grep -q '^rdfnorm: note: A.O:A.O: no frame contains a pair of atoms: there is no g(r)$' "$T/notes"
    [[ $(rdfnorm "$T/rdfh" 2>"$T/notes" |
        awk '/^# r\t/ { for (i = 1; i <= NF; i++) if ($i == "g(A.O:A.O)") c = i - 1 }
        !/^#/ { print $c, $(c + 1), $(c + 2) }' | sort -u) == 'nan nan nan' ]]
    trjcat -g all=all "$T/x.xyz" | rdfhist -e cpu -r 8 -b 4 -B 1 | rdfnorm | rows | cut -f 2 >"$T/expected"
    rdfnorm --total number "$T/rdfh" 2>"$T/notes" | rows | cut -f 2 | same "$T/expected" -
}
