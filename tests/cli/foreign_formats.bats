#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of formats that are not supported are named, with a command that converts them, wherever a trajectory or a
# topology is expected.
load helper

setup() {
    printf '%s\n' 'Li in a lattice of O' '   1.00000000000000' \
        '     8.0000000000000000    0.0000000000000000    0.0000000000000000' \
        '     0.0000000000000000    8.0000000000000000    0.0000000000000000' \
        '     0.0000000000000000    0.0000000000000000    8.0000000000000000' '   O    Li' '     1     1' \
        'Direct configuration=     1' '  0.00000000  0.00000000  0.00000000' '  0.50000000  0.00000000  0.00000000' \
        >"$T/XDATCAR"
    sed 's/^Direct.*//' "$T/XDATCAR" >"$T/XDATCAR.blank"
    sed 's/^Direct.*/Direct/' "$T/XDATCAR" >"$T/POSCAR"
    printf '%s\n' '     3  Water' '    18.000000   18.000000   18.000000   90.000000   90.000000   90.000000' \
        '     1  O      0.000000    0.000000    0.000000     1     2     3' \
        '     2  H      0.960000    0.000000    0.000000     2     1' \
        '     3  H     -0.240000    0.930000    0.000000     2     1' >"$T/tinker.xyz"
    sed '2d; s/ *Water//' "$T/tinker.xyz" >"$T/tinker.arc"
    sed 's/$/\r/' "$T/tinker.xyz" >"$T/crlf.xyz"
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
}

@test "XDATCAR, POSCAR, Tinker XYZ, n2p2: named with a conversion, also after -t and by trjinfo" {
    local ase='which is not supported; convert it with ase convert -i'
    named XDATCAR "is VASP XDATCAR, $ase vasp-xdatcar -o extxyz XDATCAR out.xyz"
    named XDATCAR.blank "is VASP XDATCAR, which is not supported; convert it with sed"
    named POSCAR "is VASP POSCAR, $ase vasp -o extxyz POSCAR out.xyz"
    cp "$T/XDATCAR" "$T/x.gro" # its second line is a number, as in GRO
    named x.gro 'is VASP XDATCAR, '
    local file
    for file in tinker.xyz tinker.arc crlf.xyz; do
        named "$file" 'is Tinker XYZ, which is not supported; convert it with python3 -c "import MDAnalysis as m; '
    done
    named input.data 'is input.data of n2p2, which is not supported; convert it with nnp-convert xyz O H, '
}

@test "HDF5 of MDTraj: named with a conversion, also after -t and by trjinfo" {
    local file=$SHARED/data-formats/mdtraj-h5/made_octahedron.h5
    [[ -e $file ]] || skip 'no folder shared/data-formats beside the checkout'
    cp "$file" "$T/a.h5"
    named a.h5 'is HDF5 of MDTraj, which is not supported; convert it with mdconvert in.h5 -o out.nc, and make a topo'
}

@test "real files: those of VASP and Tinker are named, and no others" {
    local file what n=0
    [[ -d $SHARED/data-formats ]] || skip 'no folder shared/data-formats beside the checkout'
    for file in "$SHARED"/data-formats/{xdatcar/*,tinker/*.{xyz,arc,txyz}}; do
        what='is Tinker XYZ, '
        [[ $file != */xdatcar/* ]] || what='is VASP XDATCAR, '
        fails 3 ": $what" trjcat -P none "$file"
        n=$((n + 1))
    done
    [[ $n == 18 ]]
    n=0
    for file in "$DATA"/{xyz,gro,pdb,lammps,amber,multi}/* "$SHARED"/cases/* "$SHARED"/data-observables/*; do
        [[ -f $file ]] || continue
        trjcat -P none -f :1 "$file" >/dev/null 2>"$T/err" || true
        ! grep 'VASP\|Tinker\|n2p2\|MDTraj' "$T/err"
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
