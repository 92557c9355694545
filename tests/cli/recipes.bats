#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recipes: valid ones, errors in them, and their dry run, graph, schema and JSON validation.
load helper
WATER=$PWD/examples/water
MODULES=$PWD/.build/node/node_modules

# Copies the water example to $T/w, where the recipes of a test are written.
water() {
    mkdir -p "$T/w"
    cp "$WATER/water.dcd" "$WATER/water.pdb" "$WATER/water.yaml" "$T/w/"
}

# recipe NAME < YAML: writes $T/w/NAME with the key trjrun before the text
recipe() {
    mkdir -p "$T/w"
    { echo 'trjrun: 1'; cat; } >"$T/w/$1"
}

# table FILE: prints a table or figure without its provenance
table() {
    grep -vE '^(# )?provenance: ' "$1"
}

# A fan-out: for each of two parts of the trajectory, two counts read one stream; then the parts are merged.
fan() {
    recipe "$1" <<'END'
variables: {parts: [":64", "64:"], bins: [50, 80]}
stages:
  atoms:  {tool: trjcat, each: {part: $parts}, frames: $part, files: water.dcd, topology: water.pdb,
           group: [O=name OW, H=name HW*]}
  counts: {tool: rdfhist, from: atoms, rmax: 9, engine: cpu, each: {bins_of: $bins}, bins: $bins_of,
           output: "$bins_of.$part.rdfh"}
  gr:     {tool: rdfnorm, from: counts, merge: part, output: gr$bins_of.tsv}
END
}

# The output of run.sh is checked in examples.bats and example_systems.bats.
@test "recipes of the examples: at most 17 lines, and the same tables and figures as run.sh" {
    need gnuplot
    local system names name least recipes=0
    mkdir -p "$T/recipe"
    cp -r examples/protein "$T/recipe" # cryo-em and water-map use its files
    while read -r system names; do
        names=${names//,/ ./}
        if [[ $system == membrane ]] && ! has 'FFTW *[0-9]' <(potmap --version); then
            recipes=$((recipes + 1))
            continue
        fi
        "examples/$system/run.sh" "$T/shell/$system"
        cp -r "examples/$system" "$T/recipe"
        cd "$T/recipe/$system"
        rm -rf out ./*.rdfh ./*.tsv ./*.svg
        (($(wc -l <"$system.yaml") <= 17))
        trjrun --check "$system.yaml"
        trjrun "$system.yaml"
        [[ $(find . -name '*.tsv' -o -name '*.svg' -o -name '*.dx' | sort | tr '\n' ' ') == "$names " ]]
        for name in $names; do
            least=90
            [[ $name != ./cc.tsv ]] || least=56 # frames
            [[ $name != ./tilt.tsv ]] || least=20 # bins of the cosine
            [[ $system != membrane ]] || least=80 # planes of the map
            [[ $name != ./ions.tsv ]] || least=18
            [[ $name != ./rmsf.tsv ]] || least=15
            [[ $name != ./homo.tsv && $name != ./lumo.tsv ]] || least=4 # parts of a surface
            [[ $system != hydrogen-bond ]] || least=2
            [[ $system != water-dynamics ]] || least=60 # lags
            [[ $(tail -c 7 "$name") == '</svg>' || $(rows "$name" | wc -l) -ge $least ]]
            same <(table "$T/shell/$system/$name") <(table "$name") || { echo "$system/$name"; return 1; }
        done
        for name in ions.pdb error.npy error.json potential.npy potential.json contacts.npy torsions.npy \
            {homo,lumo,reduced-gradient,signed-density}.cube; do
            [[ ! -e $T/shell/$system/$name ]] || cmp "$T/shell/$system/$name" "$name"
        done
        cd "$OLDPWD"
        recipes=$((recipes + 1))
    done <<'END'
water ./gr.svg ./gr.tsv
ions ./gr.svg ./gr.tsv
melting ./cold.tsv ./gr.svg ./melted.tsv ./warm.tsv
cluster ./counts.svg ./counts.tsv ./gr.tsv
protein ./gr.svg ./gr.tsv
glass ./glass.svg ./t.tsv ./t12.tsv ./t20.tsv ./t45.tsv ./xray.tsv
cryo-em ./cc.svg ./cc.tsv
membrane-lateral ./all.tsv ./leaflet.tsv ./membrane.svg ./opposite.tsv ./tilt.tsv
water-map ./mol.dx ./sol.dx
membrane ./charge.tsv ./heads.tsv
ion-placement ./ions.tsv ./potential.dx
benzene ./homo.tsv ./lumo.tsv
hydrogen-bond ./density.tsv
water-dynamics ./bonds.svg,bonds.tsv,dipole.svg,dipole.tsv,msd.svg,msd.tsv,spectrum.svg,spectrum.tsv,turn.svg,turn.tsv
protein-study ./classes.svg ./classes.tsv ./observables.tsv ./rmsf.tsv
END
    surf -l 0.25 "$T/shell/water-map/mol.dx" -o "$T/mol.ply" # the command of the README
    same <(grep -av '^comment provenance' "$T/mol.ply") \
        <(grep -av '^comment provenance' "$T/recipe/water-map/mol.ply")
    [[ $recipes == $(find examples -name '*.yaml' ! -name scattering.yaml ! -path '*/cluster-run/*' \
        ! -path '*/out/*' | wc -l) ]]
}

@test "scattering.yaml: total g(r), S(q) and van Hove functions have the known features, and --verify repeats them" {
    need gnuplot
    cp -r examples/water "$T/water"
    cd "$T/water"
    rm -rf out ./*.rdfh ./*.tsv ./*.svg
    (($(wc -l <scattering.yaml) <= 17))
    trjrun scattering.yaml
    [[ $(find . -name '*.tsv' -o -name '*.svg' | sort | tr '\n' ' ') == \
        './self.svg ./self1.tsv ./self16.tsv ./self4.tsv ./sq.svg ./sq.tsv ./total.svg ./total.tsv ' ]]
    grep -qx '# total neutron: <b>^2 0.4072567 barn; weights over it O:O 0.0919, O:H 0.4225, H:H 0.4857' total.tsv
    # Between molecules: g(r) is zero at the bond length. X-rays see oxygen atoms at 2.75 A.
    rows total.tsv | awk '$1 < 1.4 && ($2 || $4) { bad = 1 } $4 > high { high = $4; r = $1 }
        END { exit bad || r < 2.7 || r > 2.8 }'
    # As in experiments, the first X-ray peak consists of two: O:O at 2.9 1/A and all pairs at 2.0 1/A.
    rows sq.tsv | awk '$4 > high { high = $4; q = $1 } END { exit q < 1.9 || q > 3 }'
    local lag
    for lag in 1 4 16; do # the integral is the fraction of atoms within r; the mean displacement grows with the lag
        rows self$lag.tsv | awk '{ sum += $2 * 0.1; mean += $1 * $2 * 0.1; n = $4 } 
            END { if ((sum - n) ^ 2 > 1e-12) exit 1; print mean / sum }'
    done | awk '$1 <= last { exit 1 } { last = $1 } END { if (NR != 3) exit 1 }'
    for lag in 1 4 16; do grep -q ">$lag ps<" self.svg; done
    trjrun --verify self.svg 2>&1 | grep -c 'the same bytes' | same - <(echo 7)
}

@test "--dry-run: its shell commands write the same bytes as the recipe" {
    need gnuplot
    local name
    water
    fan fan.yaml
    for name in water fan; do
        mkdir -p "$T/first"
        trjrun "$T/w/$name.yaml"
        (cd "$T/w" && mv ./*.rdfh ./*.tsv "$T/first/")
        [[ $name == fan ]] || mv "$T/w/gr.svg" "$T/first/"
        trjrun --dry-run "$T/w/$name.yaml" >"$T/pipelines.sh"
        [[ -z $(find "$T/w" -name '*.tsv') ]]
        (cd / && bash -e -o pipefail "$T/pipelines.sh")
        for file in "$T/first"/*; do cmp "$file" "$T/w/${file##*/}"; done
        rm -r "$T/first" "$T/w"/*.rdfh "$T/w"/*.tsv
    done
}

@test "one stream with several readers, and merged parts: the counts of a pipeline run by hand" {
    water
    fan fan.yaml
    trjrun "$T/w/fan.yaml"
    [[ $(cd "$T/w" && echo ./*.rdfh) == './50.64:.rdfh ./50.:64.rdfh ./80.64:.rdfh ./80.:64.rdfh' ]]
    for bins in 50 80; do
        (cd "$T/w" && trjcat -t water.pdb -g 'O=name OW' -g 'H=name HW*' water.dcd |
            rdfhist -e cpu -r 9 -b $bins) >"$T/hand.rdfh"
        same <(rdfnorm --counts "$T/hand.rdfh" | rows) \
            <(rdfnorm --counts "$T/w/$bins.:64.rdfh" "$T/w/$bins.64:.rdfh" | rows)
        grep -qx '# frames: 128 in 128 records' "$T/w/gr$bins.tsv"
    done
}

@test "each over maps: variables whose values belong together" {
    water
    recipe maps.yaml <<'END'
variables: {last: "30"}
stages:
  atoms:
    tool: trjcat
    each: [{part: early, frames: ":10", top: water.pdb}, {top: water.pdb, part: late, frames: "10:$last"}]
    files: water.dcd
    frames: $frames
    topology: $top
    group: [$part=name OW]
  counts: {tool: rdfhist, from: atoms, engine: cpu, rmax: 5, each: {n: [40, 50]}, bins: $n, output: $part.$n.rdfh}
  gr:     {tool: rdfnorm, from: counts, output: $part.$n.tsv}
  both:   {tool: rdfplot, from: gr, merge: frames, output: $n.svg}
END
    trjrun -n "$T/w/maps.yaml" >"$T/pipelines"
    for name in early late; do
        for n in 40 50; do
            grep -qx " *rdfhist .*--output $name.$n.rdfh" "$T/pipelines"
        done
    done
    grep -q 'rdfplot --digest --output 40.svg early.40.tsv late.40.tsv$' "$T/pipelines"
    grep -q 'rdfplot --digest --output 50.svg early.50.tsv late.50.tsv$' "$T/pipelines"
    [[ $(grep -c -- '--frames 10:30 ' "$T/pipelines") == 2 ]]
    trjrun -g "$T/g.svg" "$T/w/maps.yaml"
    grep -q '>counts\[part=late n=50\]<' "$T/g.svg"
    need gnuplot
    trjrun "$T/w/maps.yaml"
    same <(trjcat -t "$WATER/water.pdb" -g 'late=name OW' -f 10:30 "$WATER/water.dcd" |
        rdfhist -e cpu -r 5 -b 50 | rdfnorm | rows) <(rows "$T/w/late.50.tsv")
}

@test "a list in from joins stages of several trajectories" {
    water
    recipe join.yaml <<'END'
stages:
  early: {tool: trjcat, files: water.dcd, frames: ":10"}
  late:  {tool: trjcat, files: water.dcd, frames: "10:30"}
  one:   {tool: rdfhist, from: early, rmax: 5, output: one.rdfh}
  two:   {tool: rdfhist, from: late, rmax: 5, output: two.rdfh}
  both:  {tool: rdfnorm, from: [one, two], counts: true, output: both.tsv}
END
    trjrun "$T/w/join.yaml"
    same <(trjcat -f :30 "$WATER/water.dcd" | rdfhist -r 5 | rdfnorm --counts | rows) <(rows "$T/w/both.tsv")
}

@test "variables: defaults, -D, lists, dollar signs, variables without a value" {
    water
    recipe v.yaml <<'END'
variables: {bins: 10, files: [water.dcd], name: }
stages:
  atoms:  {tool: trjcat, files: $files, frames: "0"}
  counts: {tool: rdfhist, from: atoms, rmax: 5, bins: $bins, output: "${name}_$$.rdfh"}
END
    fails 3 "v.yaml:5:*variable 'name' has no value*-D name=VALUE" trjrun "$T/w/v.yaml"
    trjrun -D name=x "$T/w/v.yaml"
    [[ $(rdfnorm --counts "$T/w/x_\$.rdfh" | rows | wc -l) == 10 ]]
    trjrun -D name=y -D bins=20 -D files='[water.dcd, water.dcd]' --dry-run "$T/w/v.yaml" >"$T/dry"
    grep -q -- '--bins 20' "$T/dry"
    grep -q ' water.dcd water.dcd ' "$T/dry"
    fails 2 "no variable 'bin'; did you mean 'bins'?" trjrun -D name=x -D bin=2 "$T/w/v.yaml"
    fails 2 "invalid value 'bins': expected NAME=VALUE" trjrun -D bins "$T/w/v.yaml"
    fails 2 "'bins' is given twice" trjrun -D bins=1 -D bins=2 "$T/w/v.yaml"
    fails 2 "'files' is a list; write files='" trjrun -D files=a "$T/w/v.yaml"
    fails 3 "bins: '0' is not a whole number from 1 to" trjrun -D name=x -D bins=0 "$T/w/v.yaml"
    # 010 is not an octal number.
    trjrun -D name=x -D bins=010 "$T/w/v.yaml"
    [[ $(rdfnorm --counts "$T/w/x_\$.rdfh" | rows | wc -l) == 10 ]]
}

@test "-D: values are not expanded, also in lists; an error in a value names the place of its use" {
    water
    local bad good
    recipe d.yaml <<'END'
variables: {bins: 10, files: [water.dcd, water.dcd], pairs: ["all:all"]}
stages:
  atoms:  {tool: trjcat, files: $files, frames: "0"}
  counts: {tool: rdfhist, from: atoms, rmax: 5, bins: $bins, pair: $pairs, output: x.rdfh}
END
    # shellcheck disable=SC2016 # dollars
    {
        cp "$WATER/water.dcd" "$T/w/"'$bins.dcd'
        trjrun -n -D files='[$bins.dcd, water.dcd]' "$T/w/d.yaml" | has -F "'\$bins.dcd' water.dcd"
        fails 3 "d.yaml:4:33: no file '\$none' in the recipe" trjrun -D files='[water.dcd, $none]' "$T/w/d.yaml"
    }
    fails 3 "d.yaml:4:33: no file 'none' in the recipe" trjrun -D files='[none]' "$T/w/d.yaml"
    fails 2 "nothing in the list 'files', expected texts" trjrun -D files='[water.dcd, ~]' "$T/w/d.yaml"
    fails 2 "a map in the list 'files', expected texts" trjrun -D files='[{a: b}]' "$T/w/d.yaml"
    for bad in $'\xff' $'\xc0\x80' $'\xed\xa0\x80' $'\xf5\x80\x80\x80' $'a\xc3' $'\xc2\x85' $'\xef\xbf\xbf' $'a\nb'; do
        fails 2 "the value of 'bins' has a control character, or is not UTF-8" \
            trjrun -D bins="$bad" -g "$T/g.svg" "$T/w/d.yaml"
    done
    [[ ! -e $T/g.svg ]]
    for good in ä € 𝔘 $'\xef\xbf\xbd'; do
        cp "$WATER/water.dcd" "$T/w/$good.dcd"
        trjrun -D files="[$good.dcd]" -g "$T/g.svg" "$T/w/d.yaml"
        grep -qF ">$good.dcd<" "$T/g.svg"
    done
    fails 2 '--define: --schema and --verify read no recipe' trjrun -D a=b --schema
    fails 2 '--define: --schema and --verify read no recipe' trjrun -D a=b --verify x
}

@test "names of variables: 63 characters are allowed, 64 are rejected" {
    water
    local name
    name=$(printf 'n%.0s' {1..63})
    recipe long.yaml <<END
variables: {$name: 10}
stages: {a: {tool: trjcat, files: water.dcd, frames: \$$name, output: a.trjf}}
END
    trjrun --check "$T/w/long.yaml"
    bad 2:13 'variable name of 64 characters; use at most 63' <<<"variables: {n$name: 10}"
    bad 2:54 "'\$' without the name of a variable; *at most 63 characters" \
        <<<"stages: {a: {tool: trjcat, files: water.dcd, output: \$n$name}}"
    bad 2:64 'variable name of 64 characters' \
        <<<"stages: {a: {tool: trjcat, files: water.dcd, output: x, each: {n$name: [1]}}}"
}

@test "null, ~ and nothing are missing values" {
    water
    local value
    for value in null '~' Null NULL ''; do
        bad '*' 'empty, expected a text' <<<$'stages:\n  a: {tool: trjcat, '"files: $value, output: x}"
        bad '*' 'empty, expected a text' <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, '"output: $value}"
        bad '*' 'tool is nothing; it must be a name' <<<$'stages:\n  a: {tool: '"$value, files: water.dcd, output: x}"
        bad '*' 'nothing, expected the name of a stage' <<<$'stages:\n  a: {tool: rdfhist, from: '"$value, output: x}"
        bad '*' 'empty, expected a text' \
            <<<$'stages:\n  a: {tool: rdfhist, files: water.dcd, bins: '"$value, output: x}"
        bad '*' 'each is nothing; it must be ' \
            <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: x, each: '"$value}"
        bad '*' 'stages is nothing; it must be a map' <<<"stages: $value"
        bad 3:46 "variable 'b' has no value" \
            <<<"variables: {b: $value}"$'\nstages: {a: {tool: trjcat, files: x, frames: $b, output: y}}'
        echo "trjrun: $value" >"$T/w/bad.yaml"
        fails 3 'bad.yaml:1:*: key trjrun is nothing; expected version 1' trjrun "$T/w/bad.yaml"
    done
    for value in null '~' '""'; do
        bad 2:20 'nothing, expected a text' <<<"variables: {b: [a, $value]}"
        bad 2:1 'a key is nothing, expected a text' <<<"$value: 1"
    done
    bad 3:28 'empty, expected a text' <<<$'stages:\n  a: {tool: trjcat, files: ~, output: x}'
    # In quotes, null is a text.
    bad 3:28 "no file 'null' in" <<<$'stages:\n  a: {tool: trjcat, files: "null", output: x}'
}

@test "options that only print something are rejected as keys" {
    water
    local key
    for key in formats help options version; do
        bad 3:39 "unknown key '$key' in stage 'a'" \
            <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, '"$key: true, output: x}"
    done
    [[ $(for tool in trjcat rdfhist rdfnorm rdfplot trjrun; do $tool --options; done |
        awk -F '\t' '$3 == "print" { print $2 }' |
        sort -u | tr '\n' ' ') == 'formats help options schema version ' ]]
}

@test "outputs: names that are too long and folders that are missing or not writable are rejected" {
    water
    local long
    long=$(printf 'x%.0s' {1..256})
    bad 3:47 "'$long' is too long for the name of a file" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: '"$long}"
    bad 3:47 "no folder 'no/ne' for 'no/ne/x'; create it" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: no/ne/x}'
    ((EUID)) || need setpriv
    mkdir -p "$T/w/closed"
    recipe closed.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: water.dcd}
  gr:    {tool: rdfhist, from: atoms, engine: cpu, rmax: 5, output: closed/gr.rdfh}
  table: {tool: rdfnorm, from: gr, output: closed/gr.tsv}
  other: {tool: rdfnorm, from: gr, output: gr.tsv}
END
    bare() { # COMMAND...: runs it without the permission of root to write anywhere
        if ((EUID)); then "$@"; else setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all "$@"; fi
    }
    shut() { # STATUS PATTERN: trjrun fails with this status and last line
        run "-$1" bare trjrun "$T/w/closed.yaml"
        # shellcheck disable=SC2053 # a pattern
        [[ ${lines[-1]} == $2 ]] || { echo "${lines[-1]}"; return 1; }
    }
    chmod 555 "$T/w/closed"
    shut 1 '*closed.yaml:4:69: *closed/gr.rdfh: cannot write into its folder: Permission denied'
    # An output that is reused need not be writable.
    chmod 755 "$T/w/closed"
    trjrun "$T/w/closed.yaml"
    chmod 555 "$T/w/closed"
    shut 1 '*closed.yaml:5:44: *closed/gr.tsv: cannot write into its folder: *'
    sed -i '/table:/d' "$T/w/closed.yaml"
    bare trjrun "$T/w/closed.yaml" 2>&1 | has 'closed/gr.rdfh: reused'
    sed -i 's/rmax: 5/rmax: 6/' "$T/w/closed.yaml"
    shut 1 'trjrun: gr: *closed/gr.rdfh: cannot write into its folder: *'
    chmod 755 "$T/w/closed"
}

# bad LINE:COLUMN PATTERN < YAML: the recipe is rejected at this place with this message
bad() {
    recipe bad.yaml
    fails 3 "/bad.yaml:$1: $2" trjrun --check "$T/w/bad.yaml"
}

@test "errors in recipes: reported with file, line and column, the value found and the value expected" {
    water
    bad 3:34 "unknown key 'bin' in stage 'a'; did you mean 'bins'? (options of rdfhist: bins, rmax, " <<'END'
stages:
  a: {tool: rdfhist, files: f.x, bin: 3, output: a}
END
    bad 3:13 "unknown tool 'rdfhits'; did you mean 'rdfhist'? (tools: trjcat, " \
        <<<$'stages:\n  a: {tool: rdfhits, files: f, output: a}'
    bad 2:1 "unknown key 'stage'; did you mean 'stages'?" <<<$'stage: {}'
    bad 2:9 'stages is a text; it must be a map' <<<'stages: x'
    bad 1:1 'missing key stages; add stages: {NAME: {tool: ...}}' <<<''
    bad 3:6 "stage 'a' is a list; it must be a map" <<<$'stages:\n  a: [1]'
    bad 3:3 "stage 'a' has no tool; add tool: NAME" <<<$'stages:\n  a: {files: x}'
    bad 3:3 "stage 'a' has no input; add files or from" <<<$'stages:\n  a: {tool: trjcat, output: x}'
    bad 3:51 "stage 'a' has files and from" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, from:       b, output: x}'
    bad 3:3 "stage 'a' has no output, and no stage reads from it; add output: FILE" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd}'
    bad 3:46 "bins: 'many' is not a whole number from 1 to 10000000" \
        <<<$'stages:\n  a: {tool: rdfhist, files: water.dcd, bins: many, output: x}'
    bad 3:46 'a list, expected a text' <<<$'stages:\n  a: {tool: rdfhist, files: water.dcd, bins: [1], output: x}'
    bad 3:46 "rmax: 'inf' is not a number" <<<$'stages:\n  a: {tool: rdfhist, files: water.dcd, rmax: inf, output: x}'
    bad 3:48 "engine: 'fast' is not one of auto,cuda,cpu,reference" \
        <<<$'stages:\n  a: {tool: rdfhist, files: water.dcd, engine: fast, output: x}'
    bad 3:48 "counts: 'yes' is neither true nor false" \
        <<<$'stages:\n  a: {tool: rdfnorm, files: water.dcd, counts: yes, output: x}'
    bad 3:49 "key 'bins' is given twice; remove one" \
        <<<$'stages:\n  a: {tool: rdfhist, files: water.dcd, bins: 1, bins: 2, output: x}'
    bad 4:3 "key 'a' is given twice; remove one" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: x}\n  a: {tool: trjcat, files: water.dcd, output: y}'
    bad 3:28 "unknown stage 'atom'; did you mean 'atoms'?" \
        <<<$'stages:\n  a: {tool: rdfhist, from: atom, output: x}\n  atoms: {tool: trjcat, files: water.dcd}'
    bad 3:28 "cycle: stage 'a' reads from itself" \
        <<<$'stages:\n  a: {tool: rdfhist, from: b, output: x}\n  b: {tool: trjcat, from: a}'
    bad 3:46 "unknown variable 'bins'; did you mean 'binz'?" \
        <<<$'variables: {binz: 2}\nstages: {a: {tool: trjcat, files: x, frames: $bins, output: y}}'
    bad 4:47 "stages 'a' and 'b' both write './x'; give different names" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: x}\n  b: {tool: trjcat, files: water.dcd, output: ./x}'
    bad 4:29 "'x.trjf' is written by stage 'a'; use 'from: a' instead of files" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: x.trjf}\n  b: {tool: rdfhist, files: x.trjf, output: y}'
    touch "$T/w/x.trjf"
    bad 3:47 "stage 'a' writes 'x.trjf', which stage 'b' reads as a file; use 'from' in that stage" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: x.trjf}\n  b: {tool: rdfhist, files: ../w/x.trjf, output: y}'
    bad 3:28 "no file 'none.dcd' in the recipe's folder; paths are relative to this folder" \
        <<<$'stages:\n  a: {tool: trjcat, files: none.dcd, output: x}'
    bad 3:47 "no folder 'none' for 'none/x'; create it" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: none/x}'
    bad 3:29 '2 files, but rdfhist reads one; name one' \
        <<<$'stages:\n  a: {tool: rdfhist, files: [water.dcd, water.pdb], output: x}'
    bad 3:67 "'\$' without the name of a variable; write \$NAME" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, output: x, group: ["A=all", "$"]}'
    bad 3:13 'unsupported alias ' <<<$'stages:\n  a: {tool: *x}'
    bad 3:13 'unsupported anchor &x;' <<<$'stages:\n  a: {tool: &x trjcat}'
    bad 3:13 'unsupported tag !shell;' <<<$'stages:\n  a: {tool: !shell trjcat}'
    bad 3:1 'second document' <<<$'stages: {}\n---'
    bad 3:6 'not YAML; check' <<<$'stages:\n  a: ]'
    bad 2:9 "control character 0x0a" <<<$'stages: "a\\nb"'
}

@test "selections, pairs, groups and ranges in recipes: errors are reported before anything runs" {
    water
    bad 4:37 "group H: selection 'nam HW*': unknown keyword 'nam' at character 1, did you mean 'name'?" <<'END'
stages:
  a: {tool: trjcat, files: water.dcd, topology: water.pdb,
      group: [O=name OW or resid 3, H=nam HW*]}
  b: {tool: rdfhist, from: a, output: x}
END
    bad 4:26 "group W: centres 'com(name OW': the '(' at character 4 is not closed" <<'END'
stages:
  a: {tool: trjcat, files: water.dcd, topology: water.pdb,
      group: [O=name OW, W=com(name OW]}
  b: {tool: rdfhist, from: a, output: x}
END
    bad 4:43 "--pair: no group 'HO' in the stream, which has O, H" <<'END'
stages:
  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: [O=name OW, H=name HW* and not O]}
  b: {tool: rdfhist, from: a, pair: [O:O, O:HO], output: x}
END
    bad 6:37 "--pair: no group 'H' in the stream, which has O" <<'END'
variables: {names: [O, H]}
stages:
  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: O=name OW}
  c: {tool: trjcat, from: a}
  b: {tool: rdfhist, from: c, pair: "$name:*", each: {name: $names}, output: x$name}
END
    bad 4:37 "--pair: invalid value 'O-O': expected A:B" <<'END'
stages:
  a: {tool: trjcat, files: water.dcd}
  b: {tool: rdfhist, from: a, pair: O-O, output: x}
END
    bad 4:35 "--of: the stream has no group 'H'; it has O" <<'END'
stages:
  a: {tool: trjcat, files: water.dcd, topology: water.pdb, group: O=name OW}
  b: {tool: densmap, from: a, of: H, grid: 1, output: x.dx}
END
    bad 3:47 "centre: selection 'name OW and': expected an expression at character 12" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, centre: name OW and, group: O=name OW, output: x}'
    bad 3:47 "frames: invalid range '9:3'" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, frames: "9:3", output: x}'
    bad 3:45 "time: invalid range '9:3'" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, time: "9:3", output: x}'
    bad 3:48 "segment: invalid value '5/4'" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, segment: 5/4, output: x}'
    bad 3:45 "cell: invalid value '9,9'" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, cell: "9,9", output: x}'
    bad 3:46 "--carry: unknown property 'mas'" \
        <<<$'stages:\n  a: {tool: trjcat, files: water.dcd, carry: mas, output: x}'
}

@test "--check: valid selections and pairs whose topology, index file or groups are not known" {
    water
    recipe groups.yaml <<'END'
stages:
  a: {tool: trjcat, files: none.xtc, topology: none.tpr, centre: O, group: [O=name OW, I=@none.ndx:Ions,
      C=com(O) per group, near=within 5 of (I and index 7 to 99999),
      big=mass > 15 and charge < 0 and bfactor 1 and bonded to (not near), "@none.ndx", other=Protein]}
  b: {tool: rdfhist, from: a, pair: [Protein:*], output: b}
  c: {tool: trjcat, files: none.trjf, centre: "protein and chain A"}
  d: {tool: rdfhist, from: c, pair: ["Any:Any"], output: d}
  e: {tool: trjcat, files: none.xtc, topology: none.tpr, by: element, group: M=resname MOL}
  f: {tool: rdfhist, from: e, pair: ["M.C:M.O"], output: f}
  g: {tool: trjcat, files: none.xtc, topology: none.tpr, group: [O=name OW, C=cog(O)]}
  h: {tool: rdfhist, from: g, layers: "z:3", pair: ["O@z1:C@z1"], output: h}
  i: {tool: rdfnorm, from: h, pair: ["O@z1:C@z1"], output: i}
END
    run -0 trjrun --dry-run "$T/w/groups.yaml"
    [[ $output == *"'near=within 5 of (I and index 7 to 99999)'"* ]]
}

@test "invalid fan-outs are rejected" {
    water
    bad 4:68 "stages 'b\[n=1\]' and 'b\[n=2\]' both write 'x.rdfh'; give different names" <<'END'
stages:
  a: {tool: trjcat, files: water.dcd}
  b: {tool: rdfhist, from: a, each: {n: [1, 2]}, bins: $n, output: x.rdfh}
END
    bad 4:28 "stage 'b' joins 2 inputs, but rdfhist reads one; use another tool, or remove merge" <<'END'
stages:
  a: {tool: trjcat, each: {f: ["0", "1"]}, frames: $f, files: water.dcd, output: $f.trjf}
  b: {tool: rdfhist, from: a, merge: f, output: x.rdfh}
END
    bad 5:28 "*which must be files; add output: FILE to stage 'b\[n=1\]'" <<'END'
stages:
  a: {tool: trjcat, files: water.dcd}
  b: {tool: rdfhist, from: a, each: {n: [1, 2]}, bins: $n}
  c: {tool: rdfnorm, from: b, merge: n, output: x.tsv}
END
    bad 4:38 "no stage that 'b' reads from fans out over 'm'" <<'END'
stages:
  a: {tool: trjcat, each: {f: ["0", "1"]}, frames: $f, files: water.dcd}
  b: {tool: rdfhist, from: a, merge: m, output: x.rdfh}
END
    bad 4:38 "variable 'f' is already defined; use another name" <<'END'
stages:
  a: {tool: trjcat, each: {f: ["0", "1"]}, frames: $f, files: water.dcd}
  b: {tool: rdfhist, from: a, each: {f: [1, 2]}, output: $f.rdfh}
END
    bad 3:37 "duplicate value '1'; remove one" <<'END'
stages:
  a: {tool: trjcat, each: {f: ["1", 1]}, frames: $f, files: water.dcd, output: $f.trjf}
END
}

# shellcheck disable=SC2016 # dollars of recipes
@test "invalid lists of maps in each are rejected" {
    water
    with() { # EACH: writes a recipe with this list
        printf 'stages:\n  a: {tool: trjcat, files: water.dcd, output: $x.trjf, each: %s}\n' "$1"
    }
    bad 3:62 'empty list; give at least one item' < <(with '[]')
    bad 3:63 'a text, expected a map: each: \[{NAME: VALUE, ...}, ...\]' < <(with '[x]')
    bad 3:63 'an empty map, expected a map' < <(with '[{}]')
    bad 3:77 "missing key 'y', which the first map in each has; give all maps the same keys" \
        < <(with '[{x: 1, y: 2}, {x: 2}]')
    bad '3:*' "'y' is not a key of the first map in each; give all maps the same keys" < <(with '[{x: 1}, {x: 2, y: 3}]')
    bad '3:*' "duplicate value '1'; remove one" < <(with '[{x: 1, y: 1}, {x: 1, y: 2}]')
    bad '3:*' 'a list, expected a text' < <(with '[{x: [1, 2]}]')
    bad '3:*' 'empty, expected a text' < <(with '[{x: 1, y: }]')
    bad '3:*' "invalid variable name '1x'; use letters" < <(with '[{1x: 1}]')
    bad '3:*' "unknown variable 'x'" < <(with '[{x: 1}, {x: $x}]')
    bad '4:*' "variable 'y' is already defined; use another name" \
        < <(with '[{x: 1, y: 2}]'; echo '  b: {tool: rdfhist, from: a, each: [{z: 1, y: 2}], output: $x.rdfh}')
    bad '5:*' "the stages that 'c' reads from fan out over 'x' with different values" < <(with '[{x: 1, y: 2}]'
        echo '  b: {tool: trjcat, files: water.dcd, each: {x: [1]}, output: b$x.trjf}'
        echo '  c: {tool: rdfnorm, from: [a, b], output: c$x.tsv}')
}

@test "nested aliases, ten million brackets and binary noise are rejected without delay" {
    recipe bomb.yaml <<'END'
a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
END
    fails 3 'bomb.yaml:2:4: unsupported anchor &a;' trjrun "$T/w/bomb.yaml"
    head -c 10000000 /dev/zero | tr '\0' '[' >"$T/deep.yaml"
    fails 3 'deep.yaml: more than 1048576 bytes' trjrun "$T/deep.yaml"
    head -c 1000000 /dev/zero | tr '\0' '[' >"$T/deep.yaml"
    fails 3 'deep.yaml:1:33: more than 32 levels' trjrun "$T/deep.yaml"
    fails 3 'more than 1048576 bytes' trjrun <(yes 'a: b')
    head -c 100000 /dev/urandom >"$T/noise.yaml"
    fails 3 'noise.yaml' trjrun "$T/noise.yaml"
    fails 1 'none.yaml: No such file' trjrun "$T/none.yaml"
}

@test "schemas/recipe.schema.json equals the output of trjrun --schema" {
    trjrun --schema >"$T/schema"
    same "$T/schema" schemas/recipe.schema.json
}

@test "JSON schema: every example is valid, and a recipe that the schema rejects is rejected by trjrun" {
    need node
    [[ -d $MODULES/ajv && -d $MODULES/yaml ]] || skip 'npm packages ajv and yaml are not in .build/node'
    water
    fan fan.yaml
    local file
    for file in examples/*/*.yaml "$T/w/fan.yaml"; do
        trjrun --check "$file"
        NODE_PATH=$MODULES node tests/helpers/ajv.js "$file" | grep -x "valid $file"
    done
    while IFS= read -r line; do
        printf 'stages: {a: {%s}}\n' "$line" | recipe bad.yaml
        run ! trjrun --check "$T/w/bad.yaml"
        [[ $(NODE_PATH=$MODULES node tests/helpers/ajv.js "$T/w/bad.yaml") == invalid* ]] ||
            { echo "valid by the schema: $line"; return 1; }
    done <<'END'
tool: trjcut, files: water.dcd, output: x
files: water.dcd, output: x
tool: rdfhist, files: water.dcd, bin: 3, output: x
tool: rdfhist, files: water.dcd, bins: 0, output: x
tool: rdfhist, files: water.dcd, bins: 10000001, output: x
tool: rdfhist, files: water.dcd, bins: many, output: x
tool: rdfhist, files: water.dcd, bins: [1], output: x
tool: rdfhist, files: water.dcd, rmax: far, output: x
tool: rdfhist, files: water.dcd, engine: fast, output: x
tool: rdfhist, files: water.dcd, help: true, output: x
tool: rdfnorm, files: water.dcd, counts: maybe, output: x
tool: rdfnorm, output: x
tool: rdfnorm, files: a, from: b, output: x
tool: trjcat, files: water.dcd, group: {A: all}, output: x
tool: trjcat, files: water.dcd, each: [x], output: x
tool: trjcat, files: water.dcd, each: [], output: x
tool: trjcat, files: water.dcd, each: [{}], output: x
tool: trjcat, files: water.dcd, each: [{x: [1]}], output: $x
tool: trjcat, files: water.dcd, each: [{x: }], output: $x
tool: trjcat, files: [], output: x
tool: trjcat, files: water.dcd, formats: true, output: x
tool: trjcat, files: ~, output: x
tool: trjcat, files: water.dcd, output: null
tool: trjcat, files: [water.dcd, Null], output: x
END
    # The keys of the schema are exactly the options of each tool, with their help.
    for tool in trjcat rdfhist rdfnorm rdfplot; do
        "$tool" --options | awk -F '\t' '$3 != "print" { print $2 }' | grep -vxE 'output|digest|each|mpi|divide|hosts' |
            sort >"$T/expected"
        node -e 'const schema = JSON.parse(require("fs").readFileSync("schemas/recipe.schema.json"));
            const s = schema.definitions[process.argv[1]];
            for (const [k, v] of Object.entries(s.properties)) {
                if (!v.description) throw k;
                console.log(k);
            }' "$tool" |
            grep -vxE 'tool|files|from|merge|each|output' | sort >"$T/got"
        same "$T/expected" "$T/got"
    done
}

@test "--check writes and runs nothing; --graph draws each stage and each file" {
    water
    trjrun --check "$T/w/water.yaml" >"$T/messages" 2>&1
    [[ ! -s $T/messages && ! -e $T/w/gr.tsv ]]
    fan fan.yaml
    (cd "$T" && trjrun --graph g.svg w/fan.yaml)
    [[ ! -e $T/w/gr50.tsv ]]
    for text in water.dcd water.pdb 'atoms\[part=:64\]' 'counts\[part=64: bins_of=80\]' 'gr\[bins_of=50\]' gr50.tsv \
        '50.:64.rdfh'; do
        grep -q ">$text<" "$T/g.svg"
    done
    # 2 trjcat of 2 files, 4 rdfhist of a stream, 2 rdfnorm of 2 files
    [[ $(grep -c 'class="pipe"' "$T/g.svg") == 4 && $(grep -c 'class="file"' "$T/g.svg") == 8 ]]
    fails 1 'No such file' trjrun --graph "$T/none/g.svg" "$T/w/fan.yaml"
}

@test "--graph: the SVG is well-formed XML" {
    need /usr/bin/python3
    water
    fan fan.yaml
    trjrun --graph "$T/g.svg" "$T/w/fan.yaml"
    run_python -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$T/g.svg"
}

@test "invalid combinations of options, and --only with each spelling of a path" {
    water
    fails 2 'missing recipe; usage:*' trjrun
    fails 2 'exclude one another; give one of them' trjrun -n -m "$T/w/water.yaml"
    fails 2 'read no recipe; leave it out' trjrun --schema "$T/w/water.yaml"
    fails 2 "no stage of */water.yaml writes 'x'" trjrun --only x "$T/w/water.yaml"
    trjrun --only ./water.rdfh "$T/w/water.yaml"
    trjrun --only .//././water.rdfh "$T/w/water.yaml"
    for name in water.rdf water.rdfh.x /water.rdfh ../water.rdfh water.rdfh/x .water.rdfh ''; do
        fails 2 "no stage of */water.yaml writes '$name'" trjrun --only "$name" "$T/w/water.yaml"
    done
}

@test "trjrun does not overwrite the recipe, a link to a missing file, or, by --graph, a file of the recipe" {
    water
    recipe own.yaml <<'END'
stages: {atoms: {tool: trjcat, files: water.dcd, output: own.yaml}}
END
    cp "$T/w/own.yaml" "$T/before"
    fails 3 "own.yaml:2:*stage 'atoms' writes 'own.yaml', which is this recipe; give another name" \
        trjrun "$T/w/own.yaml"
    same "$T/before" "$T/w/own.yaml"
    recipe link.yaml <<'END'
stages: {atoms: {tool: trjcat, files: water.dcd, output: b.trjf}}
END
    ln -s a.trjf "$T/w/b.trjf"
    fails 3 "link.yaml:2:*'b.trjf', which is a link to a missing file; remove the link" trjrun "$T/w/link.yaml"
    fails 2 'is the recipe, or a file that it names' trjrun -g "$T/w/water.yaml" "$T/w/water.yaml"
    fails 2 'is the recipe, or a file that it names' trjrun -g "$T/w/water.pdb" "$T/w/water.yaml"
}

@test "--verify: an option after the input files is rejected, since it could write a file" {
    water
    (cd "$T/w" && trjcat --digest -t water.pdb -g 'O=name OW' water.dcd | rdfhist --digest -e cpu -r 5 -o o.rdfh && rdfnorm --digest o.rdfh >gr.tsv)
    sed "s|\\(rdfnorm --digest.* o.rdfh\\)\$|\\1 -o $T/written|" "$T/w/gr.tsv" >"$T/w/bad.tsv"
    has -- '-o' "$T/w/bad.tsv"
    fails 3 'an option after the input files: -o' trjrun --verify "$T/w/bad.tsv"
    [[ ! -e $T/written ]]
}

@test "limits of maps, lists, runs and arguments; --make with a target that is a file; --dry-run to a closed stdout" {
    water
    { echo 'variables:'; seq -f '  v%.0f: 1' 60000
      echo 'stages: {a: {tool: trjcat, files: water.dcd, output: a.trjf}}'; } |
        recipe many.yaml
    fails 3 'map of more than 10000 keys' trjrun -c "$T/w/many.yaml"
    echo "stages: {a: {tool: trjcat, files: [$(seq -s , 60000)], output: x}}" | recipe many.yaml
    fails 3 'list of more than 10000 items' trjrun -c "$T/w/many.yaml"
    # Number of runs, and of the arguments of all runs
    echo "stages: {a: {tool: trjcat, files: water.dcd, each: {x: [$(seq -s , 2001)]}, output: \$x}}" | recipe many.yaml
    fails 3 'more than 2000 runs; use fewer values' trjrun -c "$T/w/many.yaml"
    echo "stages: {a: {tool: trjcat, files: water.dcd, each: {x: [$(seq -s , 100)], y: [$(seq -s , 100)]}, output: \$x.\$y}}" | recipe many.yaml
    fails 3 "stage 'a' has more than 2000 runs; use fewer values" trjrun -c "$T/w/many.yaml"
    echo "variables: {f: [$(seq -s , 9000)]}"$'\n'"stages: {a: {tool: trjcat, files: \$f, each: {x: [$(seq -s , 1900)]}, output: x\$x}}" | recipe many.yaml
    fails 3 "stage 'a': more than 1000000 arguments in all stages together; use fewer files or values" \
        trjrun -n "$T/w/many.yaml"
    cp "$T/w/water.yaml" "$T/w/water"
    fails 2 "the target 'water' for all outputs is also the name of a file; rename the recipe" \
        trjrun --make "$T/w/water"
    trjrun -n "$T/w/water.yaml" | has '^CDPATH= cd -- .* || exit$'
    trjrun -n "$T/w/water.yaml" >&- 2>"$T/err" && return 1
    grep -q 'stdout: Bad file descriptor' "$T/err"
}

@test "real trajectories: a fan-out over two systems and two pairs equals pipelines with the engine reference" {
    need_shared
    mkdir -p "$T/w"
    cp "$DATA"/dcd/watdyn.dcd "$DATA"/dcd/watdyn.psf "$DATA"/dcd/tip125_tric_C36.dcd "$DATA"/dcd/tip125_tric_C36.psf "$T/w/"
    recipe real.yaml <<'END'
variables: {systems: [watdyn, tip125_tric_C36]}
stages:
  atoms:  {tool: trjcat, each: {system: $systems}, files: $system.dcd, topology: $system.psf,
           group: [O=name OH2, H=name H1 H2]}
  counts: {tool: rdfhist, from: atoms, engine: cpu, rmax: 6, each: {pair_of: ["O:O", "O:H"]}, pair: $pair_of,
           output: "$system.$pair_of.rdfh"}
  gr:     {tool: rdfnorm, from: counts, output: "$system.$pair_of.tsv"}
END
    trjrun -j 0 "$T/w/real.yaml"
    for system in watdyn tip125_tric_C36; do
        for pair in O:O O:H; do
            same <(cd "$T/w" && trjcat -t $system.psf -g 'O=name OH2' -g 'H=name H1 H2' $system.dcd |
                rdfhist -e reference -r 6 -p $pair | rdfnorm | table /dev/stdin) \
                <(table "$T/w/$system.$pair.tsv")
        done
    done
}

@test "each: variables are the key, a single value is the option of a tool that has it" {
    water
    recipe e.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, group: [O=name OW, H=name HW*]}
  map:   {tool: densmap, from: atoms, each: {part: [O, H]}, of: $part, grid: 3, fractional: true,
          output: $part.trjg}
END
    trjrun "$T/w/e.yaml"
    mapinfo "$T/w/H.trjg" | has -x $'records\t1'
    recipe f.yaml <<'END'
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, frames: ":6"}
  map:   {tool: densmap, from: atoms, each: true, grid: 3, fractional: true, output: x.trjg}
  count: {tool: rdfhist, from: atoms, block: 1, rmax: 5}
  curve: {tool: rdfnorm, from: count, each: 2, output: x.tsv}
END
    trjrun "$T/w/f.yaml"
    mapinfo "$T/w/x.trjg" | has -x $'records\t6'
    [[ $(grep -v '^#' "$T/w/x.tsv" | cut -f 1 | sort -u | wc -l) == 3 ]]
    recipe g.yaml <<'END'
stages:
  count: {tool: rdfhist, files: x.trjf, each: 2, output: x.rdfh}
END
    : >"$T/w/x.trjf"
    fails 3 'g.yaml:3:*each is a text; it must be a map*' trjrun --check "$T/w/g.yaml"
    [[ $(trjrun --schema | grep -c '^        "each": ') == "$(trjrun --schema | grep -c '^        "merge": ')" ]]
}
