#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# GROMACS top files with trjcat and trjinfo, compared with the TPR files that grompp makes from them.
# test_topology_top.c tests the reader itself, also with files of strangers.
load helper

# Writes $T/topol.top, whose itp files are in $T/ff and $T/lib, and $T/conf.gro with its 11 atoms.
mixture() {
    mkdir -p "$T/ff" "$T/lib"
    cat >"$T/topol.top" <<'END'
; ions and water
#include "ff/forcefield.itp"
#include "water.itp"
[system]
A mixture
[ Molecules ]
Na 1
SOL 2
pair 1
na 2
END
    cat >"$T/ff/forcefield.itp" <<'END'
#define HEAVY 2.016
[ defaults ]
1 2 yes 0.5 0.8333
#include "types.itp"
[ moleculetype ]
NA 1
[ atoms ]
1 NA 5 ION NA 1
[ moleculetype ]
pair 2
[ atoms ]
1 C 7 CH3 C1 1 0.25 15.035
2 C 8B CH3 C2 1 -0.25 HEAVY
[ bonds ]
1 2 1 0.15 \
    30000
END
    cat >"$T/ff/types.itp" <<'END'
[ atomtypes ]
OW    8  15.9994  -0.82  A  0.316557  0.650194
HW    HB 1  1.008   0.41  A  0  0
NA    22.98977  1.0  A  0.333045  0.0115897
C     CB 6 12.011 0.0  A  0.35  0.276144
[ nonbond_params ]
C C 1 0.37 0.5
C OW 1 0.31 0.4
END
    cat >"$T/lib/water.itp" <<'END'
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1
2 HW 1 SOL HW1 1
#ifdef HEAVY_H
3 HW 1 SOL HW2 1 0.41 HEAVY
#else
3 HW 1 SOL HW2 1
#endif
#ifndef FLEXIBLE
[ settles ]
1 1 0.1 0.1633
#else
[ bonds ]
1 2 1 0.1 345000
1 3 1 0.1 345000
[ angles ]
2 1 3 1 109.47 383
#endif
#ifdef POSRES
#include "posre.itp"
#endif
END
    awk 'BEGIN { print "x\n11"; for (i = 1; i <= 11; i++)
            printf "%5dX    %5s%5d%8.3f%8.3f%8.3f\n", 1, "X", i, 0.3 * i, 0, 0
        print "4.0 4.0 4.0" }' >"$T/conf.gro"
}

# properties TOPOLOGY [OPTION...]: prints the properties of the 11 atoms and the bonds
properties() {
    local topology=$1
    shift
    trjcat -t "$topology" "$@" --carry mass,charge,sigma,epsilon,name,resname,resid,segid "$T/conf.gro" -o "$T/x.trjf"
    tests/helpers/decode_frames.py --blocks "$T/x.trjf" |
        sed -n "s/^\(PROP [a-z]*\) '[^']*' '[^']*'/\1/p; /^BOND/p; /^MOLE/p" | tr -d "'"
}

@test "top file, itp files and macros: names, masses, charges, bonds, sigma and epsilon are those of the TPR of grompp" {
    need gmx
    need python3
    mixture
    printf 'integrator = md\nverlet-buffer-tolerance = -1\ninclude = -I%s\ndefine = -DFLEXIBLE -DHEAVY_H\n' "$T/lib" \
        >"$T/grompp.mdp"
    (cd "$T" && gmx grompp -f grompp.mdp -c conf.gro -p topol.top -o topol.tpr -maxwarn 9 >log 2>&1) ||
        { cat "$T/log"; return 1; }
    properties "$T/topol.tpr" >"$T/tpr"
    properties "$T/topol.top" --include "$T/lib" --define FLEXIBLE --define HEAVY_H >"$T/top"
    # C6 and C12 of the TPR are float32.
    awk 'NR == FNR { line[FNR] = $0; next } { n = split(line[FNR], a); if (n != NF) bad = 1
        for (i = 1; i <= NF; i++) if ($i != a[i] && !($i + 0 && ($i - a[i]) ^ 2 < 4e-12 * $i ^ 2)) bad = 1
        if (bad) { print line[FNR]; print; exit } } END { exit bad || FNR < 9 }' "$T/tpr" "$T/top"
    trjinfo --include "$T/lib" "$T/topol.top" >"$T/out"
    [[ $(sed -n 's/^\(bonds\|molecules\|charge\)\t//p' "$T/out" | paste -s -d ' ') == '6 5 3' ]]
}

@test "top file: carries masses and charges, and selects by names and molecules" {
    mixture
    export GMXLIB=/nonexistent:$T/lib
    [[ $(trjcat -t "$T/topol.top" -g 'Na=segid NA' -g 'heavy=mass 1.5 to 3' -g 'O=name OW and charge < 0' \
        "$T/conf.gro" | trjdump | sed -n 's/^group //p' | paste -s -d ';') == 'Na 0 4 5;heavy 3;O 1 2' ]]
    (cd "$T" && trjcat -t - --include lib --carry mass,charge conf.gro <topol.top >x.trjf)
    gzip -c "$T/topol.top" >"$T/packed.top.gz"
    [[ $(trjinfo "$T/packed.top.gz" | sed -n 's/^format\t//p') == 'GROMACS top' ]]
}

@test "top file: missing files, invalid lines and unused macros are reported with file and line" {
    mixture
    fails 3 "topol.top: line 3: cannot find the included file 'water.itp'; give the folder in which GROMACS finds it" \
        trjcat -t "$T/topol.top" "$T/conf.gro"
    fails 3 "topol.top: line 3: $T/lib/water.itp: line 22: cannot find the included file 'posre.itp'" \
        trjcat --include "$T/lib" --define POSRES -t "$T/topol.top" "$T/conf.gro"
    GMXDATA=$T/none trjinfo --include "$T/lib" --define NONE "$T/topol.top" >"$T/out"
    has 'the macro NONE of --define is not used' "$T/out"
    fails 2 '--define: applies to a GROMACS top file only; give one with --topology' trjcat --define X "$T/conf.gro"
    fails 2 '--include: applies to a GROMACS top file only' trjcat --include X -t "$T/conf.gro" "$T/conf.gro"
    fails 3 'topol.top: is a topology, which has no frames' trjcat "$T/topol.top"
    sed -i 's/^1 2 1 0.15/1 4 1 0.15/' "$T/ff/forcefield.itp"
    fails 3 "topol.top: line 2: $T/ff/forcefield.itp: line 16: * '4' is none of the 2 atoms of the molecule type" \
        trjcat --include "$T/lib" -t "$T/topol.top" "$T/conf.gro"
}

@test "invalid topology that is found by its name only: trjinfo reports its error alone, also of a compressed file" {
    printf '[ moleculetype ]\nM 1\n[ atom ]\n' >"$T/x.top"
    printf 'unknown words\n[ atom ]\n' >"$T/bad.top"
    printf 'title\nUNIT eV\nMOLECULES 1\nM\nNUMMOLS 1\nATOM 1\n' >"$T/FIELD"
    gzip -c "$T/bad.top" >"$T/bad.top.gz"
    fails 3 "trjinfo: $T/x.top: line 3: unknown section" trjinfo "$T/x.top"
    for name in bad.top bad.top.gz; do
        fails 3 "trjinfo: $T/$name: line 2: unknown section" trjinfo "$T/$name"
    done
    fails 3 "trjinfo: $T/FIELD: line 6: 'ATOM' is no directive of a molecule" trjinfo "$T/FIELD"
}

@test "top file with 10^9 molecules: rejected in little memory" {
    printf '[ moleculetype ]\nM 1\n[ atoms ]\n1 X 1 M X 1 0 1\n[ molecules ]\nM 1000000000\n' >"$T/x.top"
    sanitized && skip 'a sanitizer needs the address space'
    (ulimit -v 400000 && fails 3 'more than 268435456 atoms or 536870912 bonds' trjinfo "$T/x.top")
}
