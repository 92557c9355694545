#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of formats that are not supported are named, with a command that converts them, wherever a trajectory or a
# topology is expected.
load helper

setup() {
    set -o pipefail
    T=$BATS_TEST_TMPDIR
    printf '%s\n' '<?xml version="1.0" encoding="ISO-8859-1"?>' '<modeling>' ' <generator>' >"$T/vasprun.xml"
    printf '%s\n' ' vasp.5.4.4.18Apr17-6-g9f103f2a35 (build Aug 10 2018 10:00:00) complex          ' '  ' \
        ' executed on             LinuxIFC date 2020.01.01  10:00:00' ' running on    4 total cores' >"$T/OUTCAR"
    printf '\203\247encoder\244test\247version\2450.3.0\252dataBlocks\220' >"$T/a.bcif"
    printf '%s\n' begin 'comment water' 'lattice 18 0 0' 'lattice 0 18 0' 'lattice 0 0 18' \
        'atom 0.0 0.0 0.0 O 0.0 0.0 0.1 0.2 0.3' 'atom 1.8 0.0 0.0 H 0.0 0.0 0.1 0.2 0.3' 'energy -1.0' 'charge 0.0' \
        end >"$T/input.data"
}

# named FILE TEXT: each place where a trajectory or a topology is read reports the text
named() {
    printf '1\n\nO 0 0 0\n' >"$T/one.xyz"
    fails_cleanly 3 "$1: $2" trjcat -P none "$T/$1"
    fails 3 "$1: $2" trjcat -P none -t "$T/$1" "$T/one.xyz"
    fails 3 "$1: $2" trjinfo --names "$T/$1"
    fails 3 "$1: $2" trjinfo "$T/$1"
    (($(grep -o 'is not supported' "$T/err" | wc -l) == 1))
    manual_has_command
}

# manual_has_command: trjcat.1 contains the command in the last error message
manual_has_command() {
    local command
    mandoc -T ascii filters/trjcat.1 | col -b | tr -s ' \t\n' ' ' >"$T/manual"
    command=$(sed -nE '1 { s/.*convert (it|its geometries) with //; s/, (with|or|which) .*//; s/.*: is .*//; p; }' \
        "$T/err")
    grep -qF -- "$command" "$T/manual" || { echo "not in the manual: $command"; return 1; }
}

@test "vasprun.xml, OUTCAR, BinaryCIF, n2p2: named with a conversion, also after -t and by trjinfo" {
    local ase='which is not supported; read the XDATCAR of the same run, or convert it with ase convert -i'
    named vasprun.xml "is VASP vasprun.xml, $ase vasp-xml -o extxyz vasprun.xml out.xyz"
    named OUTCAR "is VASP OUTCAR, $ase vasp-out -o extxyz OUTCAR out.xyz"
    named a.bcif 'is BinaryCIF, which is not supported; read the file of the same entry in text form, .cif or .cif.gz'
    named input.data 'is input.data of n2p2, which is not supported; convert it with nnp-convert xyz O H, '
}

@test "XDATCAR of VASP 4: rejected by name; the command in the message adds cell and names from the POSCAR" {
    printf '%s\n' '   2   2    1' '  0.1E+02  0.5E-09  0.5E-09  0.5E-09  0.1E-14' '  1.0E-004' '  CAR ' ' water' '' \
        ' 0.1 0.2 0.3' ' 0.4 0.5 0.6' '' ' 0.1 0.2 0.4' ' 0.4 0.5 0.7' >"$T/XDATCAR"
    printf '%s\n' water 1.0 '5 0 0' '0 5 0' '0 0 5' ' 1 1' Direct ' 0.1 0.2 0.3' ' 0.4 0.5 0.6' >"$T/POSCAR"
    fails_cleanly 3 'is XDATCAR of VASP 4, which has neither cell vectors nor names; add them from the POSCAR, ' \
        trjcat "$T/XDATCAR"
    local how
    how=$(grep -o '(head .*' "$T/err")
    (cd "$T" && eval "$how")
    trjcat "$T/new.xdatcar" --to xyz | sed -n '2p; 4p; 7p' | same - <(printf '%s\n' \
        'Lattice="5 0 0 0 5 0 0 0 5" Properties=species:S:1:pos:R:3 pbc="T T T"' 'H 2 2.5 3' 'O 0.5 1 2')
}

@test "real files: none of them is taken for one of these" {
    need_shared
    local file n=0
    for file in "$DATA"/{xyz,gro,pdb,lammps,amber,multi}/* "$SHARED"/cases/* "$SHARED"/data-observables/*; do
        [[ -f $file ]] || continue
        trjcat -P none -f :1 "$file" >/dev/null 2>"$T/err" || true
        run ! grep 'VASP\|Tinker\|n2p2' "$T/err"
        n=$((n + 1))
    done
    ((n > 70))
}

@test "XYZ and GRO that resemble Tinker and VASP files: read" {
    # The comment is a cell, or an atom line of Tinker; the title is a number of atoms.
    printf '%s\n' 2 '18 18 18 90 90 90' 'O 0 0 0' 'H 1 0 0' >"$T/a.xyz"
    printf '%s\n' 2 '1 O 0.0 0.0 0.0 1 2' 'O 0 0 0' 'H 1 0 0' >"$T/b.xyz"
    printf '%s\n' 2 1.0 '1 0 0 0' '2 1 0 0' >"$T/c.xyz" # types as names
    printf '%s\n' '1 Water' 1 '    1SOL     OW    1   1.000   2.000   3.000' ' 2 2 2' >"$T/d.gro"
    local file
    for file in a.xyz b.xyz c.xyz d.gro; do
        trjcat -P none "$T/$file" | trjinfo - | has '^frames	1$'
        trjinfo --names "$T/$file" >/dev/null
    done
}

@test "ASE .traj, Maestro, SDF, and outputs of Amber and of quantum chemistry: named with a conversion" {
    printf '%s\n' '{' '  s_m_m2io_version' '  :::' '  2.0.0' '}' >"$T/a.mae"
    named a.mae 'is Maestro (mae, cms), which is not supported; open it in VMD'
    printf '%s\n' water '  made' '' '  3  2  0  0  0  0  0  0  0  0999 V2000' \
        '    0.0000    0.0000    0.0000 O   0  0' >"$T/a.sdf"
    named a.sdf 'is a MOL or SDF file, which is not supported; convert it with obabel -isdf'
    printf '%s\n' '' '    *****************' '    * O   R   C   A *' '    *****************' >"$T/orca.out"
    named orca.out 'is the output of a quantum chemistry program, which is not supported; convert its geom'
    printf '%s\n' ' Entering Gaussian System, Link 0=g16' ' Input=a.com' >"$T/a.log"
    named a.log 'is the output of a quantum chemistry program, which is not supported'
    printf '%s\n' '' '          -------------------------------------------------------' \
        '          Amber 22 PMEMD                              2022' >"$T/mdout"
    fails_cleanly 3 'mdout: is the output of Amber (mdout), which has no coordinates' trjcat "$T/mdout"
    sed 's/Amber 22 PMEMD/Amber 9  SANDER/' "$T/mdout" >"$T/old"
    fails_cleanly 3 'old: is the output of Amber (mdout), which has no coordinates' trjcat "$T/old"
    # The banner is after a long line, which no banner is.
    printf '%s\n' "$(printf '%300s' x)" '     Program PWSCF v.7.2 starts on  1Jan2023 at 10: 0: 0 ' >"$T/pw.out"
    named pw.out 'is the output of a quantum chemistry program, which is not supported; convert its geom'
    local file n=0
    [[ -d $SHARED/data-formats ]] || skip 'no folder shared/data-formats beside the checkout'
    for file in "$SHARED"/data-formats/ase-traj/*; do
        fails 3 ': is a trajectory of ASE, which is not supported; convert it with ase convert in.tr' trjcat "$file"
        manual_has_command
    done
    for file in "$SHARED"/data-formats/maestro/*; do
        fails 3 ': is Maestro (mae, cms), which is not supported' trjcat "$file"
        n=$((n + 1))
    done
    [[ $n == 15 ]]
}

@test "Desmond: the folder of a trajectory, each of its files and a list of folders are named with a conversion" {
    local convert='is a trajectory of Desmond (dtr), which is not supported; convert it with python3 -c "import'
    mkdir "$T/run_trj"
    : >"$T/run_trj/clickme.dtr"
    printf 'DESM\0\0\1\0' >"$T/run_trj/frame000000000"
    printf 'DESK\0\0\1\0' >"$T/run_trj/timekeys"
    echo run_trj/run.dtr >"$T/run.stk"
    named run_trj "$convert"
    named run_trj/frame000000000 "$convert"
    named run_trj/timekeys "$convert"
    named run.stk "$convert"
    fails_cleanly 3 "clickme.dtr: $convert" trjcat "$T/run_trj/clickme.dtr"
    rm "$T/run_trj/clickme.dtr"
    named run_trj "$convert"
    rm "$T/run_trj/timekeys"
    fails_cleanly 1 'run_trj: is a directory' trjcat "$T/run_trj"
    printf '%s\n' 'DESMOND run' 1 '    1SOL     OW    1   1.000   2.000   3.000' ' 2 2 2' >"$T/a.gro"
    trjcat "$T/a.gro" | trjinfo - | has '^frames	1$'
}

@test "files that are read: not taken for others whose words are in their titles" {
    local title
    for title in run.dtr 'Program PWSCF v.7.2, converted' 'GAMESS VERSION = 2023' '  Amber 22 PMEMD  2022' \
        'Entering Gaussian System'; do
        printf '1\n%s\nO 1 2 3\n' "$title" >"$T/a.xyz"
        printf '%s\n1\n    1SOL     OW    1   0.100   0.200   0.300\n 2 2 2\n' "$title" >"$T/a.gro"
        printf '%s\n1.0\n9 0 0\n0 9 0\n0 0 9\nO\n1\nCartesian\n1 2 3\n' "$title" >"$T/a.poscar"
        printf "#%s\ndata_x\n_cell_length_a 9\n_cell_length_b 9\n_cell_length_c 9\n_computing_x '%s'\nloop_\n" \
            "$title" "$title" >"$T/a.cif"
        printf '%s\n' _atom_site_label _atom_site_fract_{x,y,z} 'O 0.1 0.2 0.3' >>"$T/a.cif"
        for file in a.xyz a.gro a.poscar a.cif; do
            trjinfo "$T/$file" | has '^frames	1$'
            trjinfo --names "$T/$file" >/dev/null
        done
    done
    for text in 'a/run_trj\nb c/run.dtr\n' 'run_trj' 'run.dtr\n\nru'; do
        printf "%b" "$text" >"$T/a.stk"
        fails 3 'a.stk: is a trajectory of Desmond (dtr)' trjinfo "$T/a.stk"
    done
}

@test "MOL2 and LAMMPS data: given as a trajectory, they are rejected with a conversion of their coordinates" {
    local not_read='is a topology, whose coordinates are not read; give a trajectory, and this file with -t, or'
    printf '%s\n' '@<TRIPOS>MOLECULE' water ' 1 0 0 0 0' SMALL NO_CHARGES '@<TRIPOS>ATOM' ' 1 O 0 0 0 O.3' \
        >"$T/a.mol2"
    fails_cleanly 3 "a.mol2: $not_read convert it with obabel in.mol2 -O out.xyz" trjcat "$T/a.mol2"
    printf '%s\n' water '' '1 atoms' '1 atom types' '0 5 xlo xhi' '0 5 ylo yhi' '0 5 zlo zhi' '' 'Masses' '' '1 16' '' \
        'Atoms # atomic' '' '1 1 0 0 0' >"$T/a.data"
    fails_cleanly 3 "a.data: $not_read write a dump with the commands of LAMMPS read_data in.data" trjcat "$T/a.data"
}

@test "trjinfo: a file that is neither a trajectory nor a topology gives one error, with the next step" {
    printf '%s\n' '# key file' 'a-axis 20.0' >"$T/a.key"
    fails 3 'a.key: is neither a trajectory nor a topology that can be read; trjinfo --formats lists the formats' \
        trjinfo "$T/a.key"
    [[ $(wc -l <"$T/err") == 1 ]]
}
