#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Totals that are split into contributions of pairs of groups, and of excluded pairs and the others.
load helper

WATER=examples/water/water.dcd PDB=examples/water/water.pdb

# close A B [RELATIVE]: tables agree, column by column
close() {
    [[ $2 != - ]] || { cat >"$T/close" && set -- "$1" "$T/close" "${3:-}"; }
    paste "$1" "$2" | awk -v off="${3:-1e-9}" '{ n = NF / 2
        for (i = 1; i <= n; i++) { d = $i - $(i + n); s = $i < 0 ? -$i : $i; if (d < 0) d = -d
        if (!(d <= off * (s > 1e-3 ? s : 1e-3))) { print NR, i, $i, $(i + n); bad = 1 } } }
        END { exit bad || !NR }' || return 1
    [[ $(wc -l <"$1") == $(wc -l <"$2") ]]
}

# Makes a stream of water, $T/ions.rdfh, with the groups cation.O, cation.H, anion.O, anion.H and the single atom ion.O;
# pairs within a molecule are excluded.
count_ions() {
    trjcat -t "$PDB" -f :16 --by element -g 'cation=index 1 to 299' -g 'anion=index 300 to 1028' -g 'ion=index 0' \
        "$WATER" | rdfhist -e cpu -b 60 -r 9 -B 4 -x residue -p '*:*' "$@" 2>/dev/null >"$T/ions.rdfh"
}

# adds_up TOTAL LAST STEP [OFFSET]: column TOTAL of a table is the sum of those from TOTAL + STEP to LAST, plus OFFSET
adds_up() {
    rows | awk -v total="$1" -v last="$2" -v step="$3" -v offset="${4:-0}" '{ sum = offset; size = 1
        for (i = total + step; i <= last; i += step) { sum += $i; size += $i < 0 ? -$i : $i }
        d = sum - $total; if (!(d <= 2e-9 * size && -d <= 2e-9 * size)) { print NR, sum, $total; bad = 1 } }
        END { exit bad || !NR }'
}

@test "contributions to totals: add up to the total in all conventions and forms, with one record and several" {
    local block norm form
    for block in 4 1 16; do
        count_ions -B $block
        for norm in density gromacs mdanalysis mdtraj vmd '-v 10000' '--droplet 6 -r :7.5'; do
            [[ $norm != vmd || $block == 1 ]] || continue
            [[ $norm == -* ]] || norm="-n $norm"
            for form in g fz d t pdf rdf; do
                local se=$((block == 16 ? 1 : 2))
                # shellcheck disable=SC2086
                rdfnorm $norm --form $form --total neutron --scatterer cation.H=D --total number \
                    -p 'cation.*:anion.*' -p 'cation.*:cation.*' -p '*.O:ion.O' "$T/ions.rdfh" >"$T/table"
                adds_up 2 $((1 + 5 * se)) $se <"$T/table"
                adds_up $((2 + 5 * se)) $((1 + 10 * se)) $se <"$T/table"
                # shellcheck disable=SC2086
                rdfnorm $norm --form $form --total xray@2 --excluded in --split -p 'an*:cat*' "$T/ions.rdfh" >"$T/table"
                adds_up 2 $((1 + 5 * se)) $se <"$T/table"
                # shellcheck disable=SC2086
                rdfnorm $norm --form $form --total xray --excluded in --split "$T/ions.rdfh" |
                    adds_up 2 $((1 + 3 * se)) $se
            done
        done
    done
    has '^# r.RDF(xray@2).RDF(xray@2,an\*:cat\*,others).RDF(xray@2,an\*:cat\*,excluded).RDF(xray@2,rest,others)' \
        <"$T/table"
}

@test "contributions by number: g(r) of the joined groups, times their share of all pairs" {
    count_ions
    trjcat -t "$PDB" -f :16 -g 'cation=index 1 to 299' -g 'anion=index 300 to 1028' "$WATER" |
        rdfhist -e cpu -b 60 -r 9 -B 4 -x residue -p '*:*' >"$T/joined.rdfh"
    rdfnorm --excluded in "$T/joined.rdfh" | rows | awk '{ all = 1029 * 1028 / 2
        printf "%s %.10g %.10g\n", $1, $2 * 299 * 298 / 2 / all, $5 * 299 * 729 / all }' >"$T/expected"
    rdfnorm --excluded in --total number -p 'cation.*:cation.*' -p 'anion.*:cation.*' "$T/ions.rdfh" 2>/dev/null |
        rows | awk '{ print $1, $4, $6 }' | close "$T/expected" - 1e-8
    # Only the pairs of these contributions have columns of their own.
    rdfnorm --total number -p 'cation.*:cation.*' "$T/ions.rdfh" | sed -n 's/^# r\t//p' | tr '\t' '\n' |
        grep '^g' >"$T/names"
    printf 'g(%s)\n' number 'number,cation.*:cation.*' number,rest cation.H:cation.H cation.H:cation.O \
        cation.O:cation.O | same "$T/names" -
}

@test "contributions of excluded pairs: the total of excluded pairs alone, and the rest of the total" {
    count_ions
    local form
    for form in g fz d t pdf rdf; do
        rdfnorm --excluded only --form $form --total neutron "$T/ions.rdfh" | rows | cut -f 1-3 >"$T/only"
        rdfnorm --excluded in --form $form --total neutron --split "$T/ions.rdfh" | rows >"$T/both"
        cut -f 1,6,7 "$T/both" | close "$T/only" -
        awk '{ d = $2 - $4 - $6; exit !(d < 1e-8 && d > -1e-8) }' "$T/both"
    done
    # No molecule contains atoms of both ions, so that this contribution has no excluded pairs.
    rdfnorm --excluded in --total neutron --split -p 'cation.*:anion.*' "$T/ions.rdfh" | rows |
        awk '$6 != 0 { exit 1 }'
}

@test "errors of contributions: those of the contributions of the records" {
    count_ions
    local k
    for k in 0 1 2 3; do
        trjcat -t "$PDB" -f $((4 * k)):$((4 * k + 4)) --by element -g 'cation=index 1 to 299' \
            -g 'anion=index 300 to 1028' -g 'ion=index 0' "$WATER" |
            rdfhist -e cpu -b 60 -r 9 -x residue -B 4 -p '*:*' 2>/dev/null |
            rdfnorm --total neutron -p 'cation.*:anion.*' | rows | cut -f 3 >"$T/g$k"
    done
    paste <(rdfnorm -e records --total neutron -p 'cation.*:anion.*' "$T/ions.rdfh" | rows | cut -f 4,5) "$T"/g[0-3] |
        awk '{ s = 0; for (i = 3; i <= 6; i++) s += ($i - $1) ^ 2
        e = sqrt(s / 12); d = e - $2; if (d > 1e-3 * e + 1e-6 || d < -1e-3 * e - 1e-6) { print e, $0; bad = 1 } }
        END { exit bad || NR != 60 }'
    # One contribution of all pairs has the value and the error of the total.
    rdfnorm --total xray -p '*:*' "$T/ions.rdfh" | rows | awk '$2 != $4 || $3 != $5 { exit 1 }'
}

@test "contributions of a single atom: its pair with itself counts as g = 1" {
    count_ions
    # u of the contribution ion.O:ion.O is c^2 b^2.
    rdfnorm --total neutron --form t -p ion.O:ion.O "$T/ions.rdfh" >"$T/table"
    local rho
    rho=$(sed -n 's/^# volume: mean \([0-9.]*\),.*/\1/p' "$T/table")
    rdfnorm -v "$rho" --total neutron --form t -p ion.O:ion.O "$T/ions.rdfh" | rows |
        awk -v v="$rho" '{ t = 4 * atan2(0, -1) * $1 * 1029 / v * (5.803 / 1029) ^ 2 * 0.01; d = $4 / t - 1
        if (!(d < 1e-8 && d > -1e-8)) { print t, $4; bad = 1 } } END { exit bad || NR != 60 }'
}

@test "contributions to S(q): add up to S(q) - 1 and to its other forms, with excluded pairs and without" {
    count_ions
    local options form
    for options in '' '--excluded out' '--excluded only' '--window lorch'; do
        for form in s fz fq; do
            local offset=0
            [[ $form != s || $options == '--excluded out' ]] || offset=1
            # shellcheck disable=SC2086
            rdfderive -q sq --qmax 9 --dq 0.5 $options --form $form --total xray --total number -p 'cation.*:anion.*' \
                -p 'an*:an*' "$T/ions.rdfh" 2>/dev/null >"$T/table"
            adds_up 2 9 2 $offset <"$T/table"
            adds_up 10 17 2 $offset <"$T/table"
        done
    done
    for form in s fz fq; do
        rdfderive -q sq --qmax 9 --dq 0.5 --form $form --total neutron --split -p 'cation.*:anion.*' "$T/ions.rdfh" \
            2>/dev/null | adds_up 2 11 2 "$([[ $form == s ]] && echo 1 || echo 0)"
    done
    # The parts of F(q) are those of excluded pairs alone, and of the others.
    rdfderive -q sq --qmax 9 --dq 0.5 --form fz --total neutron --excluded only "$T/ions.rdfh" 2>/dev/null | rows |
        cut -f 1-2 >"$T/only"
    rdfderive -q sq --qmax 9 --dq 0.5 --form fz --total neutron --split "$T/ions.rdfh" 2>/dev/null | rows |
        cut -f 1,6 | close "$T/only" -
    rdfderive -q debye --qmax 9 --dq 0.5 --total number -p 'cation.*:*' "$T/ions.rdfh" 2>/dev/null | adds_up 2 7 2 1
}

@test "contributions that would not add up, and invalid patterns: rejected" {
    count_ions
    local tool
    for tool in rdfnorm 'rdfderive -q sq'; do
        # shellcheck disable=SC2086
        {
            fails 2 "--pair: cation.H:anion.O belongs to both 'cation.\*:\*' and 'anion.\*:\*'" \
                $tool --total number -p 'cation.*:*' -p 'anion.*:*' "$T/ions.rdfh"
            fails 2 "--pair: no pair of groups matches 'water.\*:\*'" $tool --total number -p 'water.*:*' "$T/ions.rdfh"
            fails 2 "--pair: invalid value 'cation': expected A:B" $tool --total number -p cation "$T/ions.rdfh"
            fails 2 "--pair: invalid value 'a:b:c': expected A:B" $tool --total number -p a:b:c "$T/ions.rdfh"
            fails 2 '--split applies to totals only; add --total' $tool --split "$T/ions.rdfh"
            fails 2 '--split requires totals that include excluded pairs; give --excluded in' \
                $tool --split --total number --excluded out "$T/ions.rdfh"
        }
    done
    fails 2 '--split has no effect on --quantity debye' rdfderive -q debye --total number --split "$T/ions.rdfh"
    trjcat -t "$PDB" -f :2 --by element "$WATER" | rdfhist -e cpu -b 60 -r 9 -p '*:*' >"$T/rdfh"
    fails 3 '--split: no pairs are excluded in these counts; exclude them with rdfhist -x' \
        rdfnorm --split --total number --excluded in "$T/rdfh"
    fails 3 '--split: no pairs are excluded in these counts; exclude them with rdfhist -x' \
        rdfderive -q sq --split --total number "$T/rdfh"
}

@test "contributions with dynamic groups: add up, and are drawn by rdfplot" {
    trjcat -t "$PDB" -f :8 -g 'near=within 8 of index 0' -g 'far=not near' "$WATER" |
        rdfhist -e cpu -b 30 -r 9 -B 2 -p '*:*' >"$T/ions.rdfh"
    for way in density mdanalysis gromacs; do
        rdfnorm -n $way --total number -p 'n*:*' "$T/ions.rdfh" | adds_up 2 7 2
    done
    rdfnorm --total number -p 'n*:*' "$T/ions.rdfh" | rdfplot >"$T/plot"
    has 'number,n\*:\*' <"$T/plot"
}
