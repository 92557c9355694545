#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Topologies given with -t, and trajectories that contain their own topology.
load helper

water() { # prints frames of two waters as XYZ
    local frame
    for frame in 1 2; do
        printf '6\nframe %s\nO 0 0 0\nH 1 0 0\nH 0 1 0\nO 5 0 0\nH 6 0 0\nH 5 1 0\n' $frame
    done
}

# Prints the number of pairs of a stream's groups within a distance that includes all.
pairs() {
    rdfhist -e reference -b 1 -r 100 "$@" | rdfnorm -c | rows |
        awk '{ for (i = 3; i <= NF; i++) n += $i } END { print n + 0 }'
}

@test "XYZ: contains its own elements" {
    water > "$T/w.xyz"
    [[ $(trjcat -g 'O=element O' -g 'H=element H' "$T/w.xyz" | pairs -p O:H) == 16 ]]
    [[ $(trjcat -g 'O=name O' "$T/w.xyz" "$T/w.xyz" -o "$T/w.trjf" 2>&1) == '' ]]
}

@test "atom names are read from pipes, stdin and compressed files as from plain files" {
    need zstd
    local text=$T/w.xyz way
    water > "$text"
    trjcat --to gro "$text" > "$T/expected.gro"
    zstd -q "$text"
    for way in "- <$text" "- < <(cat $text)" "<(cat $text)" "$text.zst" "- <$text.zst" "- < <(cat $text.zst)"; do
        [[ $(eval "trjcat -g 'O=element O' $way" | pairs) == 2 ]] || { echo "$way"; return 1; }
        eval "trjcat --to gro $way" | same "$T/expected.gro" -
    done
    # An invalid frame is reported as for a file.
    head -c 45 "$text" > "$T/cut.xyz"
    fails 3 'cut.xyz: frame 0: line 7: atom 4: 2 columns, expected 4 or more' \
        trjcat -g 'O=name O' "$T/cut.xyz"
    if trjcat -g 'O=name O' - < <(cat "$T/cut.xyz") > "$T/out" 2> "$T/stdin"; then return 1; fi
    sed "s,$T/cut.xyz,stdin," "$T/err" | same - "$T/stdin"
    [[ $(water | trjcat -t "$text" -g 'O=element O' - | pairs) == 2 ]]
}

@test "pipe of any length: atom names are read in little memory" {
    sanitized && skip 'sanitizers have memory of their own'
    (water && for ((i = 0; i < 17; i++)); do water > "$T/$i" && cat "$T/$i"; done) > "$T/some"
    for ((i = 0; i < 13; i++)); do cat "$T/some" "$T/some" > "$T/more" && mv "$T/more" "$T/some"; done
    # shellcheck disable=SC2002 # a pipe is tested
    cat "$T/some" | peak "$T/kb" trjcat -j 1 -g 'O=name O' - -o "$T/out"
    (($(stat -c %s "$T/some") > 10000000 && $(<"$T/kb") < 20000))
}

@test "-t FILE: has precedence over the names in the trajectory" {
    water > "$T/w.xyz"
    water | sed 's/^O/S/' > "$T/s.xyz"
    [[ $(trjcat -t "$T/s.xyz" -g 'S=element S' "$T/w.xyz" | pairs) == 2 ]]
    run --separate-stderr -3 trjcat -t "$T/s.xyz" -g 'O=element O' "$T/w.xyz"
    [[ $stderr == *'selects none of the 6 atoms'* ]]
}

@test "guessed properties: reported" {
    printf 'water\n3\n    1SOL     OW    1   0.0   0.0   0.0\n    1SOL    HW1    2   0.1   0.0   0.0\n    1SOL    HW2    3   0.0   0.1   0.0\n 1 1 1\n' \
        > "$T/w.gro"
    run --separate-stderr -0 trjcat -g 'O=element O' -g 'H=mass < 2' "$T/w.gro" -o "$T/w.trjf"
    [[ $stderr \
        == *"$T/w.gro: note: elements are guessed from name"*"$T/w.gro: note: masses are guessed from element"* ]]
    run --separate-stderr -0 trjcat -g 'O=name OW' "$T/w.gro" -o "$T/w.trjf"
    [[ -z $stderr ]]
}

@test "inputs with different atoms: groups across them are rejected" {
    water > "$T/w.xyz"
    water | sed 's/^O/S/' > "$T/s.xyz"
    run --separate-stderr -3 trjcat -g 'H=not element O' "$T/w.xyz" "$T/s.xyz"
    [[ $stderr == *"$T/s.xyz: "*'its groups have '*' atoms and 0 centres, but those of the first input '* ]]
}

@test "--format: applies to the topology, too" {
    water | sed '1s/$/ /; 2s/.*/TITLE     x/' > "$T/x.txt"
    [[ $(trjcat --format xyz -g 'O=element O' "$T/x.txt" | pairs) == 2 ]]
}

@test "LAMMPS data file and DCD of LAMMPS: types and charges select the atoms that MDAnalysis selects" {
    need_shared
    need bzip2
    bzip2 -dc "$DATA/dcd/ifabp_apo_100mM.data.bz2" > "$T/ifabp.data"
    trjcat -t "$T/ifabp.data" -g 'CL=type 32' -g 'NA=element Na' -f 0 "$DATA/dcd/ifabp_apo_100mM.dcd" -o "$T/ions.trjf"
    need_python_module MDAnalysis
    /usr/bin/python3 -W ignore - "$T/ifabp.data" "$DATA/dcd/ifabp_apo_100mM.dcd" > "$T/expected" << 'PYTHON'
import sys
import MDAnalysis as mda
from MDAnalysis.lib.distances import distance_array
u = mda.Universe(sys.argv[1], sys.argv[2], topology_format='DATA', format='DCD')
a, b = u.select_atoms('type 32'), u.select_atoms('type 31')
d = distance_array(a.positions, b.positions)
print((d < 20).sum())
PYTHON
    trjcat -P none "$T/ions.trjf" | rdfhist -e reference -b 1 -r 20 -p CL:NA | rdfnorm -c | rows |
        awk '{ print $NF }' > "$T/found"
    diff "$T/expected" "$T/found"
}

@test "TPR and GRO of the same system: the same groups and counts" {
    trjcat -P none -t tests/data/chains.tpr -g 'O=type OW' -g 'M=resname SOL and mass == 0' tests/data/chains.gro \
        -o "$T/tpr.trjf"
    trjcat -P none -g 'O=name OW' -g 'M=name MW' tests/data/chains.gro -o "$T/gro.trjf"
    [[ $(pairs -p O:M < "$T/tpr.trjf") == 25 ]]
    [[ $(pairs -p O:M < "$T/gro.trjf") == 25 ]]
    # A site without mass has no element.
    for file in tests/data/chains.{tpr,gro}; do
        printf '%s\n' 'water and heavy' 'hydrogen and water' 'element O and water' \
            'water and not heavy and not hydrogen' |
            pick "$file" tests/data/chains.gro 0 > "$T/${file##*.}"
    done
    same "$T/tpr" "$T/gro"
    printf '%s\n' 'name OW' 'name HW1 HW2' 'name OW' 'name MW' | pick tests/data/chains.gro tests/data/chains.gro 0 |
        same "$T/gro" -
}

@test "massless sites of water models: centres of mass of a GRO ignore them; a set without mass is rejected" {
    for water in 'water' 'water and not name MW'; do
        trjcat -P none -g "W=com($water)" tests/data/chains.gro 2> "$T/note" | trjdump |
            grep -v '^provenance' > "$T/${#water}"
        [[ $(< "$T/note") == *': note: masses are guessed from element, 0 for sites of water' ]]
    done
    cmp "$T/5" "$T/21"
    grep -c '^[0-9a-f]' "$T/5" | has -x 5
    fails 3 '*group W: the set of atom 3 (counted from 0) has no mass' \
        trjcat -P none -g 'W=com(name MW)' tests/data/chains.gro
}

@test "topology in the place of a trajectory: rejected with the remedy" {
    local remedy='give a trajectory, and this file with -t, or convert it with gmx editconf -f in.tpr -o out.gro'
    fails_cleanly 3 "chains.tpr: is a topology, whose coordinates are not read; $remedy" trjcat tests/data/chains.tpr
    printf 'PSF\n' > "$T/a.psf"
    fails_cleanly 3 'a.psf: is a topology, which has no frames; give a trajectory, and this file with -t' \
        trjcat "$T/a.psf"
}

@test "PDB with chains and segments: both are kept, selected by, and written" {
    local i
    local -a chain=(A A B B) segid=(P1 P2 P2 W)
    for i in 0 1 2 3; do
        printf 'ATOM  %5d  CA  ALA %s%4d    %8.3f%8.3f%8.3f  1.00  0.00      %-4s C\n' $((i + 1)) "${chain[i]}" 1 "$i" \
            0 0 "${segid[i]}"
    done >"$T/both.pdb"
    echo END >>"$T/both.pdb"
    printf '%s\n' 'chain A' 'chain B' 'segid P2' 'same chain as index 0' 'same segid as index 1' |
        pick "$T/both.pdb" "$T/both.pdb" 0 >"$T/out"
    printf '%s\n' '0 1' '2 3' '1 2' '0 1' '1 2' | same "$T/out" -
    trjcat -P none -g 'C=cog(all) per chain' -g 'S=cog(all) per segment' "$T/both.pdb" | trjinfo - |
        grep '^groups' >"$T/groups"
    has 'C, atoms 2,' "$T/groups"
    has 'S, atoms 3,' "$T/groups"
    trjcat -P none --to pdb -t "$T/both.pdb" "$T/both.pdb" | grep '^ATOM' | cut -c 18-26,73-76 >"$T/again"
    grep '^ATOM' "$T/both.pdb" | cut -c 18-26,73-76 | same "$T/again" -
    trjinfo "$T/both.pdb" | has '^columns	name resname resid segid chain element$'
    trjinfo "$T/both.pdb" | grep -E '^(residues|segments|chains)' >"$T/facts"
    printf 'residues\t4\nsegments\t3\nchains\t2\n' | same "$T/facts" -
    # If only one of them is present, it is used for both, and keeps its column.
    cut -c 1-66 "$T/both.pdb" >"$T/chains.pdb"
    sed 's/^\(.\{21\}\)./\1 /' "$T/both.pdb" >"$T/segments.pdb"
    printf '%s\n' 'chain A' 'segid A' | pick "$T/chains.pdb" "$T/chains.pdb" 0 | uniq | same - <(echo '0 1')
    printf '%s\n' 'chain P2' 'segid P2' | pick "$T/segments.pdb" "$T/segments.pdb" 0 | uniq | same - <(echo '1 2')
    trjcat -P none --to pdb -t "$T/segments.pdb" "$T/segments.pdb" | grep '^ATOM' | cut -c 22,73-76 |
        same - <(grep '^ATOM' "$T/segments.pdb" | cut -c 22,73-76)
    trjcat -P none --to pdb -t "$T/chains.pdb" "$T/chains.pdb" | grep '^ATOM' | cut -c 22,73-76 | tr -d ' ' |
        same - <(printf '%s\n' A A B B)
}

@test "chains and segments of a PDB: agree with MDAnalysis, which writes and reads them" {
    need_shared
    need_python_module MDAnalysis
    /usr/bin/python3 -W ignore - "$DATA/dcd/adk.psf" "$DATA/dcd/adk_dims.dcd" "$T/both.pdb" \
        >"$T/expected" 2>"$T/notes" <<'END'
import sys, MDAnalysis
u = MDAnalysis.Universe(*sys.argv[1:3])
u.add_TopologyAttr("chainIDs", ["A" if a.resid < 100 else "B" for a in u.atoms])
u.atoms.write(sys.argv[3])
v = MDAnalysis.Universe(sys.argv[3])
for selection in "chainID A", "chainID B and name CA", "segid 4AKE":
    print(*v.select_atoms(selection).indices)
END
    printf '%s\n' 'chain A' 'chain B and name CA' 'segid 4AKE' | pick "$T/both.pdb" "$T/both.pdb" 0 |
        same - "$T/expected"
}

# gro_of RESNAME:NAME...: writes a GRO file of such atoms, each in its own residue
gro_of() {
    local atom i=0
    printf 'atoms\n%d\n' $#
    for atom; do printf '%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n' $((++i)) "${atom%:*}" "${atom#*:}" $i "$i" 0 0; done
    echo '30 30 30'
}

# elements FILE: prints "Cu 1, O 2", as trjinfo does
elements() {
    trjinfo "$1" | sed -n 's/^elements\t//p'
}

@test "upper-case monatomic ions (PB, PT, CU, ...): elements follow from equal name, residue and symbol" {
    local symbol symbols=(PB PT CR CE SC PD SN SB OS HF ND SM HO CU CO CD HG)
    for symbol in "${symbols[@]}"; do
        gro_of "$symbol:$symbol" >"$T/one.gro"
        [[ $(elements "$T/one.gro") == "${symbol:0:1}$(tr '[:upper:]' '[:lower:]' <<<"${symbol:1}") 1" ]] ||
            { echo "$symbol"; elements "$T/one.gro"; return 1; }
        [[ $(trjinfo "$T/one.gro" | grep elements_from) == $'elements_from\tname' ]]
    done
    gro_of ALA:CA ALA:CB MSE:SE NA+:NA SOD:SOD CLA:CLA CAL:CAL ZN2:ZN HEM:FE >"$T/known.gro"
    [[ $(elements "$T/known.gro") == 'C 2, Ca 1, Cl 1, Fe 1, Na 2, Se 1, Zn 1' ]]
    [[ $(trjinfo "$T/known.gro" | grep elements_from) == $'elements_from\tname' ]]
}

@test "names of ambiguous elements: a note gives the names, the guess and the remedy" {
    gro_of LIG:CU LIG:C1 HEM:NA >"$T/lig.gro"
    local doubts='name; ambiguous: CU of LIG (taken as Cu, not C), NA of HEM (taken as N, not Na)'
    trjinfo "$T/lig.gro" | has -x "elements_from	$doubts"
    trjcat -g 'A=element Cu' -o "$T/trjf" "$T/lig.gro" 2>&1 |
        same - <(echo \
        "trjcat: $T/lig.gro: note: elements are guessed from $doubts; a topology with elements or masses (-t) avoids this")
    trjinfo "$T/trjf" | has -x "elements_from	$doubts"
    # The columns of a PDB decide, and the element column has precedence.
    pdb() {
        printf 'HETATM%5d %-4s %3s A%4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s\n' 1 ' O1' LIG 1 1 2 3 '' 2 "$1" \
            LIG 1 4 5 6 "$2" >"$T/lig.pdb"
        echo END >>"$T/lig.pdb"
        elements "$T/lig.pdb"
    }
    [[ $(pdb 'CU  ' '  ') == 'Cu 1, O 1' ]]
    [[ $(pdb ' CU ' '  ') == 'C 1, O 1' ]]
    [[ $(pdb ' CU ' 'CU') == 'Cu 1, O 1' ]]
    trjinfo "$T/lig.pdb" | has -x 'elements_from	name'
}
