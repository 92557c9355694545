# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Recipes with trjstat: expressions as a key, what they request from trjcat, errors, and provenance.
load helper

# Copies the water example to $T/w, where the recipes of a test are written.
water() {
    mkdir -p "$T/w"
    cp examples/water/water.{dcd,pdb} "$T/w/"
}

# recipe STAGES: writes $T/w/r.yaml
recipe() {
    printf 'trjrun: 1\nstages:\n%s\n' "$1" >"$T/w/r.yaml"
}

# bad PLACE MESSAGE: the recipe is rejected with this message
bad() {
    run -3 trjrun --check "$T/w/r.yaml"
    [[ $output == *"r.yaml:$1: $2"* ]] || { echo "$output" && return 1; }
}

@test "recipe with expressions: one pass, the table of the shell commands, and --verify repeats it" {
    water
    cp "$T/w/water.pdb" "$T/w/start.pdb"
    recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, frames: ':20', group: [W=index 0 to 2, all=all]}
  o: {tool: trjstat, from: a, observables: ['distance(0, 3)', 'rmsd(W, start.pdb, fit=none)'],
      summary: true, output: o.tsv}
  m: {tool: trjstat, from: a, map: 'contacts(W, all, 3)', output: m.npy}
  p: {tool: rdfplot, from: o, output: o.svg}"
    (cd "$T/w" && trjcat --digest -t water.pdb -f :20 -g 'W=index 0 to 2' -g all=all water.dcd |
        trjstat --digest --summary 'distance(0, 3)' 'rmsd(W, start.pdb, fit=none)' >expected.tsv)
    trjrun "$T/w/r.yaml" 2>"$T/err" || { cat "$T/err" && return 1; }
    cmp "$T/w/o.tsv" "$T/w/expected.tsv"
    grep -q '^# provenance: input xxh3:[0-9a-f]* start.pdb$' "$T/w/o.tsv"
    [[ -s $T/w/m.npy && -s $T/w/o.svg ]]
    trjrun --verify "$T/w/o.tsv"
    trjrun --make "$T/w/r.yaml" >"$T/mk"
    grep -q '^[^#]*: .*/start.pdb ' "$T/mk"
}

@test "recipe with expressions: a stream that is a file, given or of a stage, is the option -i" {
    water
    recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, frames: ':4', output: a.trjf}
  o: {tool: trjstat, from: a, observables: 'distance(0, 3)', output: o.tsv}"
    trjrun "$T/w/r.yaml" 2>"$T/err" || { cat "$T/err" && return 1; }
    trjrun --verify "$T/w/o.tsv" 2>"$T/err"
    grep -q 'a.trjf: trjcat writes the same bytes' "$T/err"
    recipe "  o: {tool: trjstat, files: a.trjf, observables: 'distance(0, 3)', output: p.tsv}"
    trjrun "$T/w/r.yaml" 2>"$T/err" || { cat "$T/err" && return 1; }
    diff <(grep -v "^#" "$T/w/o.tsv") <(grep -v "^#" "$T/w/p.tsv")
    recipe "  o: {tool: trjstat, files: [a.trjf, ./a.trjf], observables: cell, output: p.tsv}"
    bad 3:29 '2 files, but trjstat reads one'
}

@test "recipe with expressions: errors are reported with their place before anything runs" {
    local a='  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: W=index 0 to 2}'
    water
    recipe "$a"$'\n  o: {tool: trjstat, from: a, observables: [cell, rgg(W)], output: x}'
    bad 4:51 "observables: rgg(W): unknown function 'rgg', did you mean 'rg'?"
    recipe "$a"$'\n  o: {tool: trjstat, from: a, observables: "contacts(W, W)", output: x}'
    bad 4:44 'observables: contacts(W, W): argument 3 (radius) is missing; the form is contacts('
    recipe "$a"$'\n  o: {tool: trjstat, from: a, observables: [contacts(W, W, 4)], output: x}'
    bad 4:45 "observables: contacts(W: ')' is missing at the end"
    [[ $output == *'within brackets, quote expressions that contain commas' ]]
    recipe "$a"$'\n  o: {tool: trjstat, from: a, observables: rg(P), output: x}'
    bad 4:44 "observables: rg(P): selection 'P': unknown keyword 'P' at character 1"
    recipe "$a"$'\n  o: {tool: trjstat, from: a, observables: "hbonds(W, W, best)", output: x}'
    bad 4:44 "observables: hbonds(W, W, best): 'best' is no criterion of hydrogen bonds; use gmx, mda"
    recipe "$a"$'\n  o: {tool: trjstat, from: a, observables: "rmsd(W, none.pdb)", output: x}'
    bad 4:44 "no file 'none.pdb' in the recipe's folder"
    recipe "$a"$'\n  o: {tool: trjstat, from: a, map: "contacts(W, W)", output: x}'
    bad 4:36 'map: contacts(W, W): argument 3 (radius) is missing'
    recipe "$a"$'\n  o: {tool: trjstat, from: a, rmsf: W and nam CA, output: x}'
    bad 4:37 "rmsf: selection 'W and nam CA': unknown keyword 'nam' at character 7"
    recipe "$a"$'\n  o: {tool: rdfhist, from: a, observables: rg(W), output: x}'
    bad 4:31 "stage 'o': rdfhist computes no observables; remove the key, or use tool: trjstat"
    recipe "$a"$'\n  o: {tool: trjstat, from: a, input: x.trjf, observables: rg(W), output: x}'
    bad 4:31 "unknown key 'input' in stage 'o'"
    # The groups of an index file are not known, so that any word may be one of them.
    recipe $'  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: "@none.ndx"}
  o: {tool: trjstat, from: a, observables: rg(P and group Q), output: x}'
    trjrun -n "$T/w/r.yaml" >"$T/found"
}

# carried TOPOLOGY TRAJECTORY EXPRESSION: prints what a recipe requests for an expression, and runs it
carried() {
    recipe "  a: {tool: trjcat, files: $2, topology: $1, whole: ${whole-false}, frames: '0'}
  o: {tool: trjstat, from: a, observables: \"$3\", output: o.tsv}"
    trjrun "$T/w/r.yaml" 2>"$T/err" || { echo "$3" >&2 && cat "$T/err" >&2 && return 1; }
    sed -n 's/^# provenance: trjcat.* --carry \([^ ]*\).*/\1/p' "$T/w/o.tsv"
}

@test "recipe with expressions: what each function requires is requested from trjcat, and nothing else" {
    need_shared
    local expression want got
    water
    trjstat --list | sed 's/(.*//' | sort >"$T/functions"
    while IFS=$'\t' read -r expression want; do
        echo "${expression%%(*}" >>"$T/tested"
        got=$(carried "$PWD/$DATA/dcd/adk.psf" "$PWD/$DATA/dcd/adk_dims.dcd" "$expression")
        [[ $got == "$want" ]] || { echo "$expression: $got, not $want" && return 1; }
    done <<'END'
rg(all)	mass
rg(all, none)	
rg(protein, weights=none)	resname
rgtensor(all)	mass
shape(all)	mass
com(index 0)	mass
cog(backbone)	name,resname
distance(com(resid 1), 5)	mass,resid
angle(1-2-3)	
torsion(1-2-3-4)	
phi(resid 1 2)	name,resname,resid
psi(protein)	name,resname,resid
omega(all)	name,resname,resid
chi1(all)	name,resname,resid
chi2(all)	name,resname,resid
chi3(all)	name,resname,resid
chi4(all)	name,resname,resid
chi5(all)	name,resname,resid
end_to_end(name CA)	name
cell	
volume	
rmsd(all)	
rmsd(all, fit=name CA)	name
rmsd(all, fit=none, weights=mass)	mass
charge(all)	charge
dipole(all)	charge,mass
dipole(all, origin=cog)	charge
contacts(index 0, not index 0, 4)	
mindist(index 0, segid 4AKE)	segid
native(all)	element
hbonds(all, all, gmx)	element
shell(index 0, all, 4)	
sasa(index 0 to 9, points=10)	element
dssp(all)	name,resname
tilt(same residue as charge > 0.5)	charge
p2(index 0, index 1)	
scd(heavy)	element
END
    whole=true
    while IFS=$'\t' read -r expression want; do
        echo "${expression%%(*}" >>"$T/tested"
        got=$(carried "$PWD/$SHARED"/data-observables/spce216.tpr "$PWD/$SHARED"/data-observables/spce216-nve.trr \
            "$expression")
        [[ $got == "$want" ]] || { echo "$expression: $got, not $want" && return 1; }
    done <<'END'
density	mass
box_dipole	charge
kinetic(all)	mass,velocity
temperature(all, 1293)	mass,velocity
tetrahedrality(mass > 10)	mass
steinhardt(index 0 to 99, 3.5)	
area_per_lipid(index 0, index 0)	
thickness(index 0, index 0)	
END
    sort -u "$T/tested" | diff - "$T/functions"
}

@test "trjstat --merge --digest: digests of the tables" {
    water
    cd "$T/w"
    local part
    for part in :20 20:40; do
        trjcat --digest -f "$part" water.dcd |
            trjstat --digest --hist 'distance(0, 3)' --range 0:20 -b 5 -o "${part%%:*}.tsv" 2>"$T/err"
    done
    trjstat --digest --merge .tsv 20.tsv -o both.tsv
    [[ $(sed -n 's/^# provenance: input xxh3:[0-9a-f]* \(.*tsv\)$/\1/p' both.tsv | paste -s -d ,) == .tsv,20.tsv ]]
}

@test "recipe with options of trjstat: what their selections, points and expressions require is requested" {
    local option want
    water
    while IFS=$'\t' read -r option want; do
        recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: W=index 0 to 2}
  o: {tool: trjstat, from: a, $option, output: o.tsv}"
        trjrun -n "$T/w/r.yaml" >"$T/found" 2>"$T/err" || { cat "$T/err" && return 1; }
        [[ $(sed -n 's/.* --carry \([^ ]*\) .*/\1/p' "$T/found") == "$want" ]] || { echo "$option" && return 1; }
    done <<'END'
rmsf: W and name OW	name
rmsf: W, fit: none, weights: mass	mass
pca: resid 1	resid
hist: rg(W), range: "0:9"	mass
hist: ["charge(W)", "charge(element O)"], range: "0:9"	charge,element
hist2d: ["distance(com(W), 0)", "angle(0-1-2)"], range: "0:9,0:180"	mass
map: "contacts(W, resname SOL, 3)"	resname
profile: sphere, about: com(W), extent: 9, observables: number(W)	mass
profile: sphere, about: "1,2,3", extent: 9, observables: number(W)	
END
    recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: W=index 0 to 2}
  o: {tool: trjstat, from: a, profile: z, about: com(Q), observables: number(W), output: o.tsv}"
    bad 4:50 "about: selection 'Q': unknown keyword 'Q'"
}

@test "recipe with trjstat: what trjstat itself rejects without its input is reported with the line of the key" {
    local option place message count=0
    water
    while IFS=$'\t' read -r option place message; do
        recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: W=index 0 to 2}
  o: {tool: trjstat, from: a, $option, output: o.tsv}"
        bad "4:$place" "$message" || { echo "$option" && return 1; }
        count=$((count + 1))
    done <<'END'
observables: rg.x(W)	44	observables: rg.x(W): rg has no column 'x', but one without a name
observables: "p2.S(W, W)"	44	observables: p2.S(W, W): p2 has no column 'S'
observables: cell.q	44	observables: cell.q: cell has no column 'q', but a Angstrom
summary: true	3	stage 'o' has no expressions; add observables: EXPRESSION, or one of the keys rmsf,
profile: z	31	stage 'o': --profile requires an expression, such as 'number(W)'
hist: rg(W)	31	stage 'o': --range is missing: only angles have a default; give LOW:HIGH in Angstrom
hist: rg(W), range: "5"	44	stage 'o': --range: invalid range '5': expected LOW:HIGH
hist: [rg(W), charge(W)], range: "0:1"	31	stage 'o': --hist: charge(W) has the unit e, but a column before it Angstrom
hist: phi(W), bins: 0	45	stage 'o': --bins: invalid number '0'
hist2d: phi(W)	31	stage 'o': --hist2d: 1 expression given, but a histogram has two axes
rmsf: W, observables: rg(W)	31	stage 'o': --rmsf has its own output; leave the expressions out
rmsf: W, structure: mean	40	stage 'o': --structure is for the PDB of --rmsf; add -o NAME.pdb
map: cog(W)	31	stage 'o': --map: cog has no map
map: "mindist.distance(W, W)"	31	stage 'o': --map: mindist.distance(W, W) has no map
observables: [rg(W), volume], per: residue	52	observables: volume: volume describes the cell, which has no residues
hist: "distance(0, 3)", range: "0:9", per: residue	37	hist: distance(0, 3): distance
observables: dssp(W), per: residue, summary: true	67	stage 'o': --summary: dssp(W) gives classes, which have no mean
pca: W, per: residue	39	stage 'o': --per residue: a principal component is a motion of all atoms together
profile: sphere, observables: number(W)	31	stage 'o': --profile sphere requires a centre; add --about
observables: rg(W), fit: none	51	stage 'o': --fit, --reference, --iterate and --weights apply to --rmsf and --pca only
observables: rg(W), stats: true	51	stage 'o': --engine, --devices and --stats apply to --map 'rmsd(A)' only
END
    ((count == 21))
    recipe $'  a: {tool: trjcat, files: water.dcd}\n  o: {tool: trjstat, from: a, observables: cell, output: o.npy}'
    bad 4:50 "stage 'o': --output: the name ends with .npy, but only --map and --hist2d write arrays"
    # All of this is valid.
    while read -r option; do
        recipe "  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: W=index 0 to 2}
  o: {tool: trjstat, from: a, $option, output: o.tsv}"
        trjrun --check "$T/w/r.yaml" || { echo "$option" && return 1; }
    done <<'END'
observables: [cell.a, dipole.total(W), "p2.S(W, W, director)", "dssp.H(W)"], summary: true
observables: [dssp(W), phi(W), rg(W)], per: residue, iterate: false
hist: [phi(W), psi(W)]
hist: dipole.total(W), range: "0:9", per: residue, summary: true
map: "contacts(W, W, 3)", per: residue
rmsf: W, fit: none, per: residue
END
}

@test "recipe: a stage of trjstat that reads tables of trjstat merges them, which --verify repeats" {
    water
    cd "$T/w"
    local stages="  a: {tool: trjcat, each: {k: [1, 2]}, segment: \$k/2, files: water.dcd, topology: water.pdb}
  p: {tool: trjstat, from: a, observables: 'distance(0, 3)', output: \$k.tsv}
  m: {tool: trjstat, from: a, sums: true, map: 'contacts(name OW, name OW, 4)', output: \$k.map}"
    recipe "$stages
  b: {tool: trjstat, from: p, merge: k, output: all.tsv}
  n: {tool: trjstat, from: m, merge: k, output: all.map}"
    trjrun -n r.yaml >"$T/found"
    has -Fx 'trjstat --digest --merge --output all.tsv 1.tsv 2.tsv' <"$T/found"
    trjrun r.yaml 2>"$T/err"
    trjcat -t water.pdb water.dcd | trjstat 'distance(0, 3)' | rows | cmp - <(rows all.tsv)
    trjcat -t water.pdb --carry name water.dcd | trjstat --sums --map 'contacts(name OW, name OW, 4)' | rows |
        cmp - <(rows all.map)
    trjrun --verify all.tsv 2>"$T/err"
    has 'all.tsv: trjstat writes the same bytes' <"$T/err"
    # Options and expressions are those of the stages before.
    recipe "$stages
  b: {tool: trjstat, from: p, merge: k, observables: volume, output: all.tsv}"
    bad 6:54 "stage 'b' reads tables of trjstat, which contain the observables"
    recipe "$stages
  b: {tool: trjstat, from: p, merge: k, range: '0:9', output: all.tsv}"
    bad 6:41 "stage 'b': --range applies to frames, and --merge reads tables"
    recipe "$stages
  b: {tool: trjstat, from: [p, a], merge: k, output: all.tsv}"
    bad 6:28 "stage 'b' joins 4 inputs, but trjstat reads one"
}
