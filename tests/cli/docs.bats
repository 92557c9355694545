#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The commands of the README and the FAQ run verbatim, and give the values that the texts state.
load helper

# readme_commands: the lines of the section "Try it", then the commands of the table, as one script. The commands of the
# array job are repeated for its three jobs.
readme_commands() {
    awk '/^## / { on = $0 == "## Try it" } on && sub(/^    /, "")' README.md
    # shellcheck disable=SC2016 # the backquotes are those of the table
    sed -nE '/^## What to type$/,/^## Read more$/ s/^\|[^`]*\| `(.*)` \|$/\1/p' README.md | sed 's/\\|/|/g' |
        awk '/SLURM/ { print "for SLURM_ARRAY_TASK_ID in 1 2 3; do"; job = 1 } { print } job && !--job { print "done" }'
}

# page_commands PAGE: the commands of a manual page, as one script
page_commands() {
    awk '/^\.Ed/ { code = 0 } code; /^\.Bd -literal/ { code = 1 }' "filters/$1" | sed 's/\\-/-/g; s/\\e/\\/g'
}

# run_commands FOLDER: runs the script $T/script in the folder; its output is in $T/out, and its messages in $T/err
run_commands() {
    (cd "$1" && LC_ALL=C.UTF-8 bash -e -o pipefail "$T/script") >"$T/out" 2>"$T/err" ||
        { cat "$T/script" "$T/err"; return 1; }
    [[ -z $(find "$1" -size 0) ]]
}

# last TABLE [COLUMN]: the value in the last row
last() {
    rows "$1" | tail -n 1 | cut -f "${2:-2}"
}

# between LOW VALUE HIGH
between() {
    awk -v low="$1" -v x="$2" -v high="$3" 'BEGIN { exit !(low <= x && x <= high) }' ||
        { echo "$2: not in [$1, $3]"; return 1; }
}

@test "README: fewer than 100 lines of at most 120 columns, and every link names a file" {
    [[ $(wc -l <README.md) -lt 100 ]]
    LC_ALL=C.UTF-8 awk 'length($0) > 120 { print FILENAME ": " FNR; bad = 1 } END { exit bad }' README.md
    local link
    while read -r link; do [[ -f $link ]] ||
        { echo "$link"; return 1; }; done < <(grep -oE '\]\([^)#]+' README.md | cut -c 3-)
}

@test "README: the commands run verbatim and give the values of water" {
    need gnuplot
    mkdir -p "$T/clone/examples" "$T/clone/bin"
    cp -r examples/water examples/ion-placement examples/benzene "$T/clone/examples"
    mkdir -p "$T/clone/tests/data"
    cp tests/data/chains.* "$T/clone/tests/data"
    cp "$TRJPIPE_BIN"/* "$T/clone/bin" 2>/dev/null || true
    readme_commands >"$T/script"
    [[ $(wc -l <"$T/script") -gt 25 ]]
    local water=$T/clone/examples/water
    # The reader's own files
    trjcat -t "$water/water.pdb" -f 0 -o "$water/mine.gro" "$water/water.dcd"
    trjcat -o "$water/mine.xtc" "$water/water.dcd"
    run_commands "$T/clone"
    between 0.99 "$(last "$water/mine.tsv")" 1.01
    between 4.4 "$(grep '^O:O' "$T/out" | cut -f 11)" 4.7
    between 4.3 "$(awk '$1 == 3.3 { print $2 }' "$water/n.tsv")" 4.4
    grep -qx '# frames: 128 in 128 records' "$water/merged.tsv"
    between 0.99 "$(last "$water/gr.tsv")" 1.01
    between 0.99 "$(last "$water/com.tsv")" 1.02
    between 4 "$(awk '$1 == 2.78 { print $2 }' "$water/water.gr")" 6 # the neighbours in the liquid
    [[ $(tail -n 1 "$water/areas.tsv" | cut -f 4) -gt 1000 && -s $water/o.ply ]]
    grep -aq '^property uchar blue' "$water/homo.ply"
    between 0.03 "$(last "$water/profile.tsv")" 0.04
    [[ $(mapinfo "$water/phi.trjg") == *'quantity'*'electrostatic potential'* ]]
    [[ $(grep -c '^HETATM' "$water/ions.pdb") == 10 && $(mapinfo "$water/xe.dx") == *'points'*'10 10 10'* ]]
    [[ $(trjinfo "$water/last.xtc" | awk -F '\t' '$1 == "frames" { print $2 }') == 50 ]]
    has 'water.rdfh: trjcat | rdfhist writes the same bytes' "$T/err"
}

@test "README: its figure is made by the commands below it" {
    local figure
    figure=$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' README.md)
    grep -qxF "provenance: trjcat $TRJPIPE_VERSION: $(readme_commands | sed -n '2s/ |$//p')" "$figure"
    grep -qxF "provenance: rdfhist $TRJPIPE_VERSION: $(readme_commands | sed -n '3s/^ *\(.*\) -o .*/\1/p')" "$figure"
}

@test "FAQ: each question has a command" {
    awk '/^\.Ss/ { n++; with += code; code = 0 } /^\.Bd -literal/ { code = 1 } END { print n, with + code
        exit !(n >= 28 && with + code == n) }' filters/trjfaq.7
}

@test "FAQ: the commands run verbatim, and the curves are what the answers state" {
    cp -r examples "$T/examples"
    # The reader's own file: a site MW at the place of each oxygen
    trjcat -f 0 -t examples/water/water.pdb --to gro examples/water/water.dcd >"$T/water.gro"
    awk 'NR == 2 { print $1 / 3 * 4; next } / OW / { site = $0; sub(/ OW/, " MW", site) } { print } / HW2/ { print site }' \
        "$T/water.gro" >"$T/examples/tip4p.gro"
    trjcat -t examples/water/water.pdb -o "$T/examples/XDATCAR" examples/water/water.dcd 2>"$T/note"
    # The wave functions of a molecule and of its cation, whose HOMO has one electron
    cp examples/benzene/benzene.molden "$T/examples/neutral.molden"
    awk '/Occup=/ && ++n == 21 { sub(/2\.0*/, "1.0") } { print }' examples/benzene/benzene.molden \
        >"$T/examples/cation.molden"
    page_commands trjfaq.7 >"$T/script"
    run_commands "$T/examples"
    cd "$T/examples" || return 1
    [[ $(trjinfo --names tip4p.gro) == *MW*343* ]]
    trjcat --by element "$T/water.gro" 2>/dev/null | rdfhist -r 9 -b 90 -p '*:*' |
        rdfnorm --total xray --total neutron | rows | same <(rows tip4p.tsv) -
    # Conventions: all N^2 pairs of a group with itself give 342/343 of g(r).
    between 0.99999 "$(awk -v a="$(last gromacs.tsv)" -v b="$(last density.tsv)" 'BEGIN { print a / b * 343 / 342 }')" \
        1.00001
    for table in density mdanalysis vmd vasp far between all com merged; do between 0.98 "$(last $table.tsv)" 1.02 ||
        { echo $table; return 1; }; done
    # A slab: g(r) of each half Angstrom from 7 to 9 is 1.
    rows slab.tsv | awk '$1 > 7 { n++; sum += $2 }
        END { print sum / n; exit !(n == 40 && sum / n > 0.99 && sum / n < 1.01) }'
    between 20 "$(rows within.tsv | cut -f 2 | sort -g | tail -n 1)" 1000
    between 5.7 "$(grep '^Na:O' "$T/out" | cut -f 11)" 6.0
    # The unit of a converted file: the cell is in Angstrom.
    between 21 "$(awk -F '[\t ]' '$1 == "cell_lengths" { print $2 }' <(trjinfo water.xtc))" 22
    [[ $(last n.tsv) == 53.78072727 ]]
    # Conventions of other programs, of the same pairs
    for table in vmd mdanalysis mdtraj cpptraj; do between 0.98 "$(last as_$table.tsv)" 1.02; done
    same <(rows as_gmx_rdf.tsv | cut -f 1) <(rows as_mdtraj.tsv | cut -f 1)
    # A quarter of the frames has twice the error.
    between 1.6 "$(awk 'NR == 2 { a = $2 } NR == 4 { print a / $2 }' peak.tsv)" 2.4
    grep -qx '# frames: 128 in 64 records' once.tsv
    grep -qx '# frames: 24 in 24 records' rest.tsv
    # The values of gmx gyrate in the last frame, and of gmx hbond in all frames
    rows protein-study/observables.tsv | awk -F '\t' '{ bonds += $8; rg = $3 / 10 }
        END { print rg, bonds; exit !(rg > 0.677343 && rg < 0.677345 && bonds == 1652) }'
    # Four criteria give different numbers of hydrogen bonds.
    rows protein-study/definitions.tsv | awk -F '\t' '{ gmx += $8; mda += $9; bh += $10; wernet += $11 }
        END { print gmx, mda, bh, wernet; exit !(gmx == 1652 && mda < wernet && wernet < gmx && gmx < bh) }'
    # Orbitals: the mesh has the colours of both signs, and the cation lacks an electron.
    grep -aq '^comment level: .* and -.* bohr^-3/2; 90 % of the integral of the squares' homo.ply
    [[ $(awk 'NR == 3 { print $1 }' benzene.homo.cube) == 12 && -s homo.00001.ply && -s change.ply ]]
    between 40 "$(mapinfo density.trjg | awk '$1 == "integral" { print $2 }')" 44
    between 0.01 "$(last enclosing.tsv)" 0.1
    between -1.01 "$(mapinfo change.cube | awk '$1 == "integral" { print $2 }')" -0.99
    has -x $'rule\tunit' "$T/out"
    same <(rows <(rdfnorm --counts part.?.rdfh)) \
        <(rows <(trjcat water/water.dcd | rdfhist -r 9 -b 180 2>/dev/null | rdfnorm --counts))
}

@test "CITATION.cff: the keys that the format requires, and the version of the tools" {
    local key
    for key in cff-version message title authors; do grep -q "^$key:" .github/CITATION.cff; done
    grep -qx "version: $TRJPIPE_VERSION" .github/CITATION.cff
}

@test "trjcluster(7): the commands run verbatim; segments and a run with checkpoints have the bytes of one run" {
    mkdir "$T/examples"
    cp -r examples/water examples/cluster-run "$T/examples"
    page_commands trjcluster.7 >"$T/script"
    [[ $(wc -l <"$T/script") == 6 ]]
    local folder=$T/examples/cluster-run
    run_commands "$folder"
    (cd "$folder" && trjcat ../water/water.dcd | rdfhist -o one.rdfh 2>/dev/null && cmp one.rdfh all.rdfh)
    rows "$folder/gr.tsv" >"$T/merged"
    (cd "$folder" && rm gr.tsv n.tsv && trjrun water.yaml) 2>/dev/null
    rows "$folder/gr.tsv" | same "$T/merged" /dev/stdin
}
