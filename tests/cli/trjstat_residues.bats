#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Columns of trjstat for each residue: torsions, and --per residue.
# shellcheck shell=bash disable=SC2154
load helper

VALUES=$SHARED/reference-observables

adk() { # OPTION...: the protein adk, without a cell
    trjcat -t "$DATA/dcd/adk.psf" --carry mass,charge "$@" "$DATA/dcd/adk_dims.dcd" 2>"$T/note"
}

# pdb: a PDB file from lines "CHAIN RESID RESNAME NAME X Y Z"
pdb() {
    awk '{ printf "%-6s%5d  %-3s %3s %s%4d    %8.3f%8.3f%8.3f  1.00  0.00           %s\n", "ATOM", NR, $4, $3, $1, $2,
        $5, $6, $7, substr($4, 1, 1) }'
}

# backbone X LINE...: atoms of residues "CHAIN RESID RESNAME" at 3.6 Å from each other along x, beginning at X
backbone() {
    local x=$1 residue
    for residue in "${@:2}"; do
        awk -v residue="$residue" -v x="$x" 'BEGIN {
            print residue, "N", x, 0, 0
            print residue, "CA", x + 1.2, 0.8, 0
            print residue, "C", x + 2.4, 0, 0.5
        }'
        x=$(awk -v x="$x" 'BEGIN { print x + 3.6 }')
    done
}

# residues EXPRESSION < TABLE: the residues that have columns
residues() {
    grep -P '^# frame\t' | tr '\t' '\n' |
        awk -v e="$1[" 'index($0, e) == 1 { sub(/.*\[/, ""); sub(/\]$/, ""); printf "%s ", $0 }'
}

# transposed TABLE: lines "COLUMN VALUE..." of a table, without number and time of the frames
transposed() {
    awk -F '\t' '/^# frame\t/ { for (i = 3; i <= NF; i++) name[i] = $i }
        !/^#/ { for (i = 3; i <= NF; i++) value[i] = value[i] "\t" $i; n = NF }
        END { for (i = 3; i <= n; i++) print name[i] value[i] }' "$1"
}

@test "phi and psi of all residues: as numpy and mdtraj; residues that have them have columns with their names" {
    need_shared
    adk -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" 'phi(protein)' 'psi(name CA)' >"$T/got"
    transposed "$T/got" >"$T/columns"
    [ "$(wc -l <"$T/columns")" = 426 ]
    [[ $(residues 'phi(protein)' <"$T/got") == '4AKE:ARG2 4AKE:ILE3 '*' 4AKE:GLY214 ' ]]
    [[ $(residues 'psi(name CA)' <"$T/got") == '4AKE:MET1 4AKE:ARG2 '*' 4AKE:LEU213 ' ]]
    local missing='1 of 214 amino acids have no column: 4AKE:MET1; columns: degrees, '
    has "^# phi(protein): torsion angle C-N-CA-C .*; $missing" <"$T/got"
    local column
    for column in phi50:'phi(protein)[4AKE:LYS50]' phi130:'phi(protein)[4AKE:GLY130]' \
        psi50:'psi(name CA)[4AKE:LYS50]' psi130:'psi(name CA)[4AKE:GLY130]'; do
        awk -F '\t' -v name="${column#*:}" '$1 == name { for (i = 2; i <= NF; i++) print i - 2 "\t0\t" $i }' \
            "$T/columns" >"$T/one"
        awk -f tests/helpers/compare_columns.awk -v want="$VALUES/adk-geometry.tsv" -v names="${column%%:*}" \
            -v columns=3 -v absolute=1e-4 -v relative=0 "$T/one"
    done
}

@test "omega and chi1 to chi5: as mdtraj in float32, in the same residues" {
    need_shared
    need_python_module mdtraj
    adk | trjstat 'omega(all)' 'chi1(all)' 'chi2(all)' 'chi3(all)' 'chi4(all)' 'chi5(all)' >"$T/got"
    transposed "$T/got" >"$T/columns"
    run_python - "$DATA/dcd" "$T/columns" <<'END'
import sys
import mdtraj, numpy
t = mdtraj.load(sys.argv[1] + "/adk_dims.dcd", top=sys.argv[1] + "/adk.psf")
got = {}
for line in open(sys.argv[2]):
    name, *values = line.rstrip("\n").split("\t")
    function, residue = name.split("(all)[4AKE:")
    got[function, residue.rstrip("]")] = numpy.array(values, float)
count = 0
for function in ("omega", "chi1", "chi2", "chi3", "chi4", "chi5"):
    atoms, angles = getattr(mdtraj, "compute_" + function)(t)
    for i, four in enumerate(atoms):
        residue = t.topology.atom(four[1 if function != "omega" else 0]).residue
        name = residue.name.replace("HIS", "HSD") + str(residue.resSeq)
        off = (got[function, name] - numpy.degrees(angles[:, i]) + 180) % 360 - 180
        assert abs(off).max() < 5e-4, (function, name)
        count += 1
assert count == len(got) == 634, (count, len(got))
END
}

@test "phi and psi without bonds: chains end at other segments, numbers and molecules; caps have no column" {
    {
        printf 'A 1 ACE %s\n' 'CH3 -3 0 0' 'C -1.3 0 0.5' 'O -1.3 1 1'
        backbone 0 'A 2 ALA' 'A 3 GLY'
        backbone 7.2 'A 5 VAL' 'A 6 SER' # after a gap of numbers
        backbone 14.4 'B 7 THR' 'B 8 LEU'
        printf 'B 9 NME %s\n' 'N 21.6 0 0' 'CH3 23 0 0'
        printf 'W 1 HOH O 40 0 0\n'
    } >"$T/lines"
    pdb <"$T/lines" >"$T/x.pdb"
    trjcat -t "$T/x.pdb" --carry name,resname,resid,segid "$T/x.pdb" -o "$T/x.trjf" 2>/dev/null
    trjstat -i "$T/x.trjf" 'phi(all)' 'psi(all)' 'omega(all)' >"$T/got"
    [ "$(residues 'phi(all)' <"$T/got")" = 'A:ALA2 A:GLY3 A:SER6 B:LEU8 ' ]
    [ "$(residues 'psi(all)' <"$T/got")" = 'A:ALA2 A:VAL5 B:THR7 B:LEU8 ' ]
    [ "$(residues 'omega(all)' <"$T/got")" = 'A:ALA2 A:VAL5 B:THR7 ' ]
    has '^# phi(all): .*; 2 of 6 amino acids have no column: A:VAL5 B:THR7; columns' <"$T/got"
    # A residue keeps its columns if others are not selected, and loses them if atoms are not in the stream.
    trjstat -i "$T/x.trjf" 'phi(resid 3 6)' | residues 'phi(resid 3 6)' | has -x 'A:GLY3 A:SER6 '
    trjcat -t "$T/x.pdb" --carry name,resname,resid -g 'G=resid 3 5 6' "$T/x.pdb" 2>/dev/null | trjstat 'phi(all)' |
        residues 'phi(all)' | has -x 'SER6 '
    fails 3 "no residue of 'name O' has this angle" trjstat -i "$T/x.trjf" 'chi1(name O)'
    # A gap in the chain that the numbers do not show
    awk '{ if ($2 == 3) $5 += 4; if ($2 == 3 || $2 < 3) print }' "$T/lines" | pdb >"$T/gap.pdb"
    trjcat -t "$T/gap.pdb" --carry name,resname,resid "$T/gap.pdb" -o "$T/gap.trjf" 2>/dev/null
    fails 3 'frame 0: phi(all): residue GLY3: atoms 5 and 6 are 5.22 Angstrom apart instead of a bond' \
        trjstat -i "$T/gap.trjf" 'phi(all)'
}

@test "D amino acids: the torsions and dssp of a mirror image, in the same residues, also with variants of names" {
    need_shared
    trjcat -t "$DATA/dcd/adk.psf" -f 0 "$DATA/dcd/adk_dims.dcd" -o "$T/l.pdb" 2>"$T/note"
    awk 'BEGIN {
            split("ALA DAL ARG DAR ASN DSG ASP DAS CYS DCY GLN DGN GLU DGL HSD DHI ILE DIL LEU DLE LYS DLY MET MED " \
                "PHE DPN PRO DPR SER DSN THR DTH TRP DTR TYR DTY VAL DVA GLY GLY", name, " ")
            for (i = 1; i in name; i += 2) mirror[name[i]] = name[i + 1]
        }
        /^ATOM/ {
            if (!(substr($0, 18, 3) in mirror)) exit bad = 1
            $0 = substr($0, 1, 17) mirror[substr($0, 18, 3)] substr($0, 21, 10) \
                sprintf("%8.3f", -substr($0, 31, 8)) substr($0, 39)
        }
        { print }
        END { exit bad }' "$T/l.pdb" >"$T/d.pdb"
    local form angles=(phi psi omega chi1 chi2 chi3 chi4)
    for form in l d; do
        trjcat -t "$T/$form.pdb" --carry name,resname,resid "$T/$form.pdb" -o "$T/$form.trjf" 2>/dev/null
        trjstat -i "$T/$form.trjf" "${angles[@]/%/(all)}" -o "$T/$form.tsv" 2>"$T/$form.note"
        transposed "$T/$form.tsv" | sed 's/\[[A-Z:]*[A-Z]\([0-9]*\)\]/ \1/' >"$T/$form"
        [[ ! -s $T/$form.note ]] || { cat "$T/$form.note" && return 1; }
    done
    [ "$(wc -l <"$T/d")" -gt 1000 ]
    paste "$T/l" "$T/d" | awk -F '\t' '
        $1 != $3 || ($2 + $4 > 1e-6 || $2 + $4 < -1e-6) && $2 + $4 < 360 - 1e-6 && $2 + $4 > 1e-6 - 360 {
            print
            exit bad = 1
        }
        END { exit bad }'
    diff <(trjstat -i "$T/l.trjf" 'dssp(protein)' | rows) <(trjstat -i "$T/d.trjf" 'dssp(protein)' | rows)

    # N, CA, CB and the next two atoms, as in these residues of force fields; the last name is unknown.
    local name
    for name in HSD HSE HSP HID HIE HIP:ND1 CYX CYM:SG ASH:OD1 GLH:CD LYN:CD MSE:SE SEP:OG TPO:OG1 PTR:CD1 NHIE \
        CARG:CD XYZ:CD; do
        case $name in
        H*|N*) atoms='CB CG ND1' ;;
        CY*|SEP*) atoms="CB ${name#*:}"; [[ $name == CYX ]] && atoms='CB SG' ;;
        TPO*) atoms='CB OG1' ;;
        *) atoms="CB CG ${name#*:}" ;;
        esac
        awk -v resname="${name%:*}" -v list="N CA C $atoms" 'BEGIN {
            n = split(list, atom, " ")
            for (i = 1; i <= n; i++)
                printf "%d %s %s %g %g %g\n", 1, resname, atom[i], i, i % 2, i % 3
        }'
    done >"$T/variants"
    awk '{ if ($2 != last) resid++; last = $2; lines = lines sprintf("%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n", resid, $2, $3,
            NR, $4 / 10, $5 / 10, $6 / 10) }
        END { printf "variants\n%5d\n%s   9.00000   9.00000   9.00000\n", NR, lines }' "$T/variants" >"$T/v.gro"
    trjcat -t "$T/v.gro" --carry name,resname,resid "$T/v.gro" 2>/dev/null |
        trjstat 'chi1(all)' 2>"$T/note" >"$T/got" || { cat "$T/note" && return 1; }
    [ "$(residues 'chi1(all)' <"$T/got" | wc -w)" = 17 ]
    has '^trjstat: chi1(all): note: 1 residue with a side chain of an unknown name, such as XYZ18, has no column; use ' \
        <"$T/note"
}

@test "phi with bonds: these decide, also where numbers are not consecutive; partial lists, for their residues" {
    backbone 0 'A 1 ALA' 'A 9 GLY' 'A 10 SER' >"$T/lines"
    {
        pdb <"$T/lines"
        printf 'CONECT%5d%5d\n' 1 2 2 3 3 4 4 5 5 6 7 8 8 9
    } >"$T/x.pdb"
    trjcat -t "$T/x.pdb" --carry name,resname,resid "$T/x.pdb" 2>/dev/null | trjstat 'phi(all)' >"$T/got"
    [ "$(residues 'phi(all)' <"$T/got")" = 'GLY9 ' ]
    # Bonds of the last residue alone are not those of the others.
    { pdb <"$T/lines" && printf 'CONECT%5d%5d\n' 8 9; } | sed 's/A   9/A   2/; s/A  10/A   3/' >"$T/y.pdb"
    trjcat -t "$T/y.pdb" --carry name,resname,resid "$T/y.pdb" 2>/dev/null | trjstat 'phi(all)' 'psi(all)' >"$T/got"
    [ "$(residues 'phi(all)' <"$T/got")" = 'GLY2 SER3 ' ]
    [ "$(residues 'psi(all)' <"$T/got")" = 'ALA1 GLY2 ' ]
}

@test "torsions of a chain that a boundary divides: as those of the whole chain" {
    backbone 0 'A 1 ALA' 'A 2 GLY' 'A 3 SER' | pdb >"$T/whole.pdb"
    awk '{ x = substr($0, 31, 8) + 0; printf "%s%8.3f%s\n", substr($0, 1, 30), (x > 5 ? x - 30 : x), substr($0, 39) }' \
        "$T/whole.pdb" >"$T/divided.pdb"
    local name
    for name in whole divided; do
        trjcat -c 30,30,30 -t "$T/$name.pdb" --carry name,resname,resid "$T/$name.pdb" 2>/dev/null |
            trjstat 'phi(all)' 'psi(all)' | rows >"$T/$name"
    done
    awk -F '\t' 'NR == FNR { split($0, want); next }
        { for (i = 3; i <= 6; i++) if (!(($i - want[i]) ^ 2 < 1e-8)) exit bad = 1 } END { exit bad || NF != 6 }' \
        "$T/whole" "$T/divided"
    # Without the cell, the images are unknown.
    trjcat -t "$T/divided.pdb" --carry name,resname,resid "$T/divided.pdb" -o "$T/x.trjf" 2>/dev/null
    fails 3 'make it whole: trjcat -t FILE --whole' trjstat -i "$T/x.trjf" 'phi(all)'
}

@test "residues with equal names: the columns also have the number in the topology" {
    printf '%s\n' 'W 1 HOH O 0 0 0' 'W 2 HOH O 5 0 0' 'W 1 HOH O 9 0 0' | pdb >"$T/x.pdb"
    trjcat -t "$T/x.pdb" --carry mass "$T/x.pdb" 2>/dev/null |
        trjstat --per residue 'cog(all)' 'com(index 0 2)' >"$T/got"
    transposed "$T/got" | grep -E '^co[gm]\.x' >"$T/x"
    printf '%s\n' $'cog.x(all)[W:HOH1/0]\t0' $'cog.x(all)[W:HOH2]\t5' $'cog.x(all)[W:HOH1/2]\t9' \
        $'com.x(index 0 2)[W:HOH1/0]\t0' $'com.x(index 0 2)[W:HOH1/2]\t9' | same - "$T/x"
    trjcat -t "$T/x.pdb" "$T/x.pdb" 2>/dev/null | trjstat --per residue 'cog(index 1)' | residues 'cog.x(index 1)' |
        has -x 'residue2 '
}

# per EXPRESSION TEMPLATE: values of residues of EXPRESSION are those of TEMPLATE, in which @ is replaced by a selection
per() {
    local number expressions=() numbers=(1 2 50 137 214)
    for number in "${numbers[@]}"; do expressions+=("${2//@/resid $number}"); done
    trjstat -i "$T/adk.trjf" --per residue "$1" >"$T/got" && trjstat -i "$T/adk.trjf" "${expressions[@]}" >"$T/want"
    transposed "$T/got" | grep -E ":[A-Z]+($(IFS='|' && echo "${numbers[*]}"))\]"$'\t' | cut -f 2- >"$T/a"
    transposed "$T/want" | cut -f 2- >"$T/b"
    paste "$T/a" "$T/b" | awk -F '\t' -v name="$1" '{
        for (i = 1; i <= NF / 2; i++) {
            off = $i - $(i + NF / 2)
            if ($i != $(i + NF / 2) && !(off ^ 2 <= 1e-12 * (1 + $i ^ 2))) { print name ": " $0; exit bad = 1 }
        }
    } END { exit bad || NR % 5 || !NR }'
}

@test "--per residue: values of all functions are those of selections of single residues" {
    need_shared
    adk -f 0:3 -o "$T/adk.trjf"
    local name
    for name in rg rgtensor shape com cog end_to_end charge dipole tilt; do per "$name(all)" "$name(@)"; done
    per 'rg(all, none)' 'rg(@, none)'
    per 'dipole.total(all)' 'dipole.total(@)'
    per 'rmsd(all, fit=name CA)' 'rmsd(@, fit=name CA)'
    per 'rmsd(all, weights=mass)' 'rmsd(@, fit=all, weights=mass)'
    per 'sasa(all)' 'sasa(@, in=all)'
    per 'contacts(all, resid 60 to 90, 4.5)' 'contacts(@, resid 60 to 90, 4.5)'
    per 'contacts(all, resid 60 to 140, 4.5, soft)' 'contacts(@, resid 60 to 140, 4.5, soft)'
    per 'mindist(all, resid 60 to 90)' 'mindist(@, resid 60 to 90)'
    per 'mindist(all, all)' 'mindist(@, all)'
    per 'hbonds(all, resid 1 to 101, gmx)' 'hbonds(@, resid 1 to 101, gmx)'
    per 'hbonds(all, all, baker-hubbard)' 'hbonds(@, all, baker-hubbard)'
    per 'shell(all, resid 60 to 90, 5)' 'shell(@, resid 60 to 90, 5)'
    # Contacts of one group with itself count once for each of two residues.
    trjstat -i "$T/adk.trjf" --per residue 'contacts(all, all, 4)' >"$T/got"
    trjstat -i "$T/adk.trjf" 'contacts(resid 50, not resid 50, 4)' 'contacts(resid 50, resid 50, 4)' | rows |
        awk -F '\t' '{ printf "\t%d", $3 + $4 } END { print "" }' >"$T/want"
    transposed "$T/got" | grep -F '[4AKE:LYS50]' | sed 's/[^\t]*//' | same "$T/want" -
}

@test "--per residue, sasa: as numpy in float64, and the sum is that of the group" {
    need_shared
    adk -f 0 -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" --per residue 'sasa(all, points=960)' >"$T/got"
    transposed "$T/got" | awk -F '\t' -v file="$VALUES/adk-sasa-residue.tsv" '
        BEGIN {
            while ((getline line < file) > 0) {
                split(line, f, "\t")
                if (f[1] ~ /^[0-9]+$/) want[++n] = f[3]
            }
        }
        { off = $2 - want[NR]; if (!(off < 1e-4 && off > -1e-4)) { print $0, want[NR]; bad = 1 } }
        END { exit bad || NR != n || n != 214 }'
}

@test "--per residue, dssp: the letters of mkdssp as numbers of classes; they have no mean" {
    need_shared
    adk -f ::7 -o "$T/adk.trjf"
    trjstat -i "$T/adk.trjf" --per residue 'dssp(all)' >"$T/got"
    has '^# dssp(all): class of secondary structure: 0 none, 1 alpha helix (H)' <"$T/got"
    rows "$T/got" | awk -F '\t' '{
        line = ""
        for (i = 3; i <= NF; i++) line = line substr("-HGIEBTS", $i + 1, 1)
        print $1 "\t" line
    }' >"$T/letters"
    grep -vE '^(#|frame)' "$VALUES/adk-dssp.tsv" | sed 's/P/-/g' | same - "$T/letters"
    fails 2 'dssp(all) gives classes, which have no mean' trjstat -i "$T/adk.trjf" --summary --per residue 'dssp(all)'
}

@test "--per residue, native and orders of neighbours: means over residues are consistent with those of the group" {
    need_shared
    adk -f 0:3 -o "$T/adk.trjf"
    # At the reference, all contacts of all residues exist.
    trjstat -i "$T/adk.trjf" --per residue 'native(all, kind=hard)' | rows | sed -n 1p |
        awk -F '\t' '{ for (i = 3; i <= NF; i++) { n += $i == 1; none += $i == "nan" } }
            END { exit !(n + none == 214 && n > 200) }'
    trjstat -i "$T/adk.trjf" --per residue 'tetrahedrality(name CA)' 'steinhardt(name CA, 6)' >"$T/got"
    trjstat -i "$T/adk.trjf" 'tetrahedrality(name CA)' 'steinhardt(name CA, 6)' | rows >"$T/want"
    # Each residue has one atom, so that the mean over residues is that over atoms.
    transposed "$T/got" | awk -F '\t' -v file="$T/want" '
        BEGIN { getline line < file; split(line, want, "\t") }
        /^tetrahedrality.mean/ { q += $2; n++ }
        /^steinhardt.neighbours/ { neighbours += $2 }
        END { exit !((q / n - want[3]) ^ 2 < 1e-14 && (neighbours / n - want[8]) ^ 2 < 1e-14 && n == 214) }'
}

@test "--per residue: any number of threads gives the same bytes" {
    need_shared
    adk -o "$T/adk.trjf"
    local threads
    for threads in 1 3; do
        trjstat -j $threads -i "$T/adk.trjf" --per residue 'rg(all)' 'contacts(all, name CA, 6)' 'phi(all)' \
            'mindist(name CB, name O)' 'rmsd(name CA)' | rows >"$T/$threads"
    done
    cmp "$T/1" "$T/3"
}

@test "--per residue in a cell: broken residues and broken bonds are rejected; residues far apart are not" {
    need_shared
    trjcat -t "$SHARED/data-observables/spce216.tpr" --carry mass,charge --whole \
        "$SHARED/data-observables/spce216-nvt.xtc" -f 0:2 -o "$T/w.trjf"
    # Molecules are residues here; together, they are rejected, as they fill the cell.
    trjstat -i "$T/w.trjf" --per residue 'rg(all)' 'dipole(all)' >"$T/got"
    transposed "$T/got" | awk -F '\t' '/^rg/ && !($2 > 0.3 && $2 < 0.4) { print; exit bad = 1 }
        /^dipole.total/ { n++; if (!($2 > 2.2 && $2 < 2.5)) { print; exit bad = 1 } } END { exit bad || n != 216 }'
    trjcat -t "$SHARED/data-observables/spce216.tpr" --carry mass "$SHARED/data-observables/spce216-nvt.xtc" -f 0:2 \
        -o "$T/b.trjf"
    fails 3 'the periodic boundary breaks the bond' trjstat -i "$T/b.trjf" --per residue 'rg(all)'
    # Without bonds, the atoms of a residue must be near each other.
    printf 'W 1 HOH O 0 0 0\nW 1 HOH H 9.5 0 0\nW 2 HOH O 5 5 5\nW 2 HOH H 5 5 6\n' | pdb >"$T/x.pdb"
    trjcat -c 10,10,10 -t "$T/x.pdb" --carry mass "$T/x.pdb" -o "$T/x.trjf" 2>/dev/null
    fails 3 "rg(all): residue W:HOH1: this part of 'all' consists of 2 molecules" \
        trjstat -i "$T/x.trjf" --per residue 'rg(all)'
    trjstat -i "$T/x.trjf" --per residue 'rg(index 2 3)' >"$T/out"
}

@test "--per residue: functions without a meaning for residues are rejected with the reason" {
    printf '%s\n' 2 x 'C 0 0 0' 'C 1 0 0' >"$T/x.xyz"
    pdb <<<'A 1 ALA CA 0 0 0' >"$T/x.pdb"
    trjcat -t "$T/x.pdb" --carry mass "$T/x.pdb" -o "$T/x.trjf" 2>/dev/null
    rejects() {
        fails "$1" "$3" trjstat -i "$T/x.trjf" --per residue "$2"
    }
    rejects 2 volume 'volume describes the cell, which has no residues; compute it without --per residue'
    rejects 2 'distance(0, 0)' 'distance has points as arguments'
    rejects 2 'temperature(all, 3)' 'temperature requires a number of degrees of freedom, which is unknown for residues'
    rejects 2 'rg(within 3 of index 0)' 'change from frame to frame; select fixed ones'
    trjcat "$T/x.xyz" -o "$T/x.trjf"
    rejects 3 'cog(all)' 'the stream does not number residues'
    fails 3 'the stream has no residues; give a topology' trjstat -i "$T/x.trjf" 'phi(all)'
}
