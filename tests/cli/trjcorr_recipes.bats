# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Recipes with trjcorr: expressions, what they request from trjcat, errors, and provenance.
load helper

# recipe STAGES: writes $T/w/r.yaml beside the water example
recipe() {
    mkdir -p "$T/w"
    cp examples/water/water.{dcd,pdb} "$T/w/"
    printf 'trjrun: 1\nstages:\n%s\n' "$1" >"$T/w/r.yaml"
}

# bad PLACE MESSAGE: the recipe is rejected with this message
bad() {
    run -3 trjrun --check "$T/w/r.yaml"
    [[ $output == *"r.yaml:$1: $2"* ]] || { echo "$output" && return 1; }
}

@test "recipe with correlations: the tables of the shell commands, and --verify repeats them" {
    recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: [O=name OW], unwrap: toroidal}
  m: {tool: trjcorr, from: a, observables: ['msd(O)', 'msd(O, about=O)'], lags: 20, fit: '1:9', output: m.tsv}
  s: {tool: trjcorr, from: a, observables: msd(O), lags: 20, summary: true, output: s.tsv}"
    (cd "$T/w" && trjcat --digest -t water.pdb -g 'O=name OW' --carry mass --unwrap toroidal water.dcd |
        trjcorr --digest --lags 20 --fit 1:9 'msd(O)' 'msd(O, about=O)' >expected.tsv 2>"$T/note")
    trjrun "$T/w/r.yaml" 2>"$T/err" || { cat "$T/err" && return 1; }
    cmp <(rows "$T/w/m.tsv") <(rows "$T/w/expected.tsv")
    has '^# result: msd(O)' <"$T/w/m.tsv"
    [[ -s $T/w/s.tsv ]]
    trjrun --verify "$T/w/m.tsv"
}

@test "recipe with correlations: what each function requires is requested from trjcat, and nothing else" {
    local expression want got
    trjcorr --list | sed 's/(.*//' | sort >"$T/functions"
    while IFS=$'\t' read -r expression want; do
        echo "${expression%%(*}" >>"$T/tested"
        recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: W=index 0 to 2}
  o: {tool: trjcorr, from: a, observables: \"$expression\", output: o.tsv}"
        trjrun -n "$T/w/r.yaml" >"$T/found" 2>"$T/err" || { cat "$T/err" && return 1; }
        got=$(sed -n 's/.* --carry \([^ ]*\) .*/\1/p' "$T/found")
        [[ $got == "$want" ]] || { echo "$expression: $got, not $want" && return 1; }
    done <<'END'
msd(W)	
msd(all, of=molecule)	mass
msd(name OW, about=W)	mass,name
vacf(all)	velocity
vacf(W, weights=mass)	velocity,mass
reorient(name OW, name HW1, of=residue)	name
survival(name OW and within 3 of W)	name
hbond_lifetime(all, all, gmx)	element
contact_lifetime(W, name OW, 3.5)	name
acf(volume)	
acf(rg(W))	mass
acf(distance(com(resid 1), 5))	mass,resid
dielectric(all)	charge
conductivity(all)	charge
conductivity(all, by=current)	charge,velocity
END
    sort -u "$T/tested" | diff - "$T/functions"
}

@test "recipe with correlations: errors are reported with their place before anything runs" {
    local option place message count=0
    while IFS=$'\t' read -r option place message; do
        recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: W=index 0 to 2}
  o: {tool: trjcorr, from: a, $option, output: o.tsv}"
        bad "4:$place" "$message" || { echo "$option" && return 1; }
        count=$((count + 1))
    done <<'END'
observables: mds(W)	44	observables: mds(W): unknown function 'mds', did you mean 'msd'?
observables: rg(W)	44	observables: rg(W): 'rg' is an observable of each frame; use trjstat, or for its
observables: acf(rg(Q))	44	observables: rg(Q): selection 'Q': unknown keyword 'Q' at character 1
observables: acf(rgg(W))	44	observables: acf(rgg(W)): rgg(W): unknown function 'rgg', did you mean 'rg'?
observables: "contact_lifetime(W, W)"	44	observables: contact_lifetime(W, W): argument 3 (radius) is missing
observables: [msd(W, of=molecule)]	45	observables: msd(W: ')' is missing at the end
lags: 5	3	stage 'o' has no expressions; add observables: EXPRESSION, such as msd(all)
observables: msd(W), fit: "9"	52	stage 'o': --fit: '9' is not a range of lags in ps
observables: msd(W), viscosity: 1	52	stage 'o': --viscosity requires --temperature, too
observables: msd(W), fit: "1:9", spectrum: true	64	stage 'o': --spectrum prints no diffusion coefficients
observables: msd(W), rmsf: W	52	unknown key 'rmsf' in stage 'o'
END
    ((count == 11))
    recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: W=index 0 to 2}
  o: {tool: trjcorr, from: a, observables: msd(W), output: o.tsv}
  n: {tool: rdfnorm, from: o, output: p.tsv}"
    bad 5:28 "stage 'n': rdfnorm cannot read a table, which stage 'o' (trjcorr) writes; change from"
}
