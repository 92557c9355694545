#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Velocities and image flags in frame streams (trjcat --carry velocity,image): their values, compared with what Python
# reads from the same files, and how they follow the atoms.
load helper
RUN=$SHARED/data-observables/spce216

need_nve() {
    need python3
    [[ -f $RUN-nve.trr && -f $SHARED/reference-observables/spce-nve-kinetic.tsv ]] ||
        skip 'no folder shared/ with the run of water beside the checkout'
}

# dump FILE: velocities and image flags of the frames, as an independent reader finds them
dump() {
    python3 tests/helpers/decode_frames.py "$1"
}

# motion FILE [FRAME]: prints "vx vy vz" in Å/ps of all frames, or of one
motion() {
    dump "$1" | python3 tests/helpers/motion.py velocities ${2+"$2"}
}

@test "TRR: the kinetic energies that follow from the velocities of the stream equal the reference" {
    need_nve
    for options in '-z 0' '-f :12 -z 3' '-f :12 -j 1 -z 6'; do
        # shellcheck disable=SC2086 # several words
        trjcat $options --carry velocity,mass -t "$RUN.tpr" "$RUN-nve.trr" -o "$T/v.trjf"
        python3 tests/helpers/decode_frames.py --blocks "$T/v.trjf" | python3 tests/helpers/motion.py kinetic >"$T/got"
        (($(wc -l <"$T/got") >= 12))
        grep -v '^[#a-z]' "$SHARED/reference-observables/spce-nve-kinetic.tsv" | head -n "$(wc -l <"$T/got")" |
            paste - "$T/got" | awk -F'\t' 'function off(a, b) { return (a - b) ^ 2 > (1e-5 * a) ^ 2 }
                NF != 6 || off($3, $6) || off($2 + 1, $5 + 1) { print "line " NR ": " $0; bad = 1 }
                END { exit bad || NR < 12 }'
    done
    cmp <(dump "$T/v.trjf") <(trjdump <"$T/v.trjf" | grep -v '^provenance') ||
        diff <(dump "$T/v.trjf" | grep -v '^provenance') <(trjdump <"$T/v.trjf" | grep -v '^provenance')
}

@test "streams without --carry velocity do not change, and readers of coordinates ignore velocities" {
    need_nve
    trjcat -f :20 "$RUN-nve.trr" -o "$T/n.trjf"
    trjcat -f :20 -z 3 --carry velocity "$RUN-nve.trr" -o "$T/v.trjf"
    ! tests/helpers/decode_frames.py --blocks "$T/n.trjf" | grep VARY || false
    rdfhist -r 8 <"$T/n.trjf" 2>/dev/null | rdfnorm | grep -v '^#' >"$T/a"
    rdfhist -r 8 <"$T/v.trjf" 2>/dev/null | rdfnorm | grep -v '^#' >"$T/b"
    same "$T/a" "$T/b"
    trjinfo "$T/v.trjf" | has '^frame_data	velocity, unit A/ps, origin TRR, nm/ps'
    trjinfo "$RUN-nve.trr" | has '^frame_data	velocity'
    ! trjinfo "$T/n.trjf" | grep frame_data || false
}

@test "velocities follow the atoms: selection, range, random access, centres, several inputs" {
    need_nve
    trjcat --carry velocity "$RUN-nve.trr" -o "$T/v.trjf"
    motion "$T/v.trjf" 40 >"$T/all"
    for input in "$RUN-nve.trr" "$T/v.trjf"; do
        trjcat --carry velocity -t "$RUN.tpr" -g 'O=name OW' -g 'M=name OW HW1 HW2 and resid 3' -f 40 "$input" \
            -o "$T/o.trjf"
        motion "$T/o.trjf" >"$T/got"
        awk '(NR - 1) % 3 == 0 || (NR > 6 && NR < 10)' "$T/all" | same - "$T/got"
    done
    # a stream that is compressed, in which frames are found with the index, and by many threads
    trjcat -z 2 "$T/v.trjf" -o "$T/z.trjf"
    for j in 1 4; do
        trjcat -j $j -f 33:70:7 "$T/z.trjf" -o "$T/few.trjf"
        motion "$T/few.trjf" 1 >"$T/got"
        same "$T/all" "$T/got"
    done
    trjcat -t "$RUN.tpr" --carry velocity -g 'C=com(all) per residue' -f 40 "$RUN-nve.trr" -o "$T/c.trjf"
    python3 - "$T/all" >"$T/expected" <<'PYTHON'
import sys

v = [[float(word) for word in line.split()] for line in open(sys.argv[1])]
m = [15.9994, 1.008, 1.008]
for i in range(0, len(v), 3):
    print(*("%.4f" % (sum(m[j] * v[i + j][k] for j in range(3)) / sum(m)) for k in range(3)))
PYTHON
    motion "$T/c.trjf" | awk '{ printf "%.4f %.4f %.4f\n", $1, $2, $3 }' | sed 's/-0\.0000/0.0000/g' >"$T/got"
    sed -i 's/-0\.0000/0.0000/g' "$T/expected"
    same "$T/expected" "$T/got"
    trjcat -f 41 "$T/z.trjf" -o "$T/b.trjf"
    trjcat "$T/few.trjf" "$T/b.trjf" 2>/dev/null | trjdump | grep -c '^velocities' | has '^7$'
}

@test "GRO: velocities are read as written, from every frame, and written back" {
    need python3
    printf '%s\n' 'a t= 0.0 step= 0' 2 '    1SOL     OW    1   0.126   1.624   1.679  0.1227 -0.0580  0.0434' \
        '    1SOL    HW1    2   0.190   1.661   1.747  0.8085  0.3191 -0.7791' '   1.82060   1.82060   1.82060' \
        'b t= 1.0 step= 5' 2 '    1SOL     OW    1   0.126   1.624   1.679  0.0227 -0.1580  0.0434' \
        '    1SOL    HW1    2   0.190   1.661   1.747 -0.8085  0.3191 -0.7791' '   1.82060   1.82060   1.82060' \
        >"$T/a.gro"
    trjcat --carry velocity "$T/a.gro" -o "$T/a.trjf"
    motion "$T/a.trjf" >"$T/got"
    printf '%s\n' '1.227 -0.58 0.434' '8.085 3.191 -7.791' '0.227 -1.58 0.434' '-8.085 3.191 -7.791' |
        same - <(awk '{ printf "%.6g %.6g %.6g\n", $1, $2, $3 }' "$T/got")
    trjcat --carry velocity "$T/a.gro" -o "$T/b.gro"
    same <(cut -c 1-68 "$T/a.gro" | grep SOL) <(grep SOL "$T/b.gro")
    trjcat --to gro -t "$T/a.gro" "$T/a.trjf" | grep SOL | same <(grep SOL "$T/a.gro") -
    ! trjcat --to gro "$T/a.gro" | grep '0\.1227' || false
    sed 's/0\.3191/03.191/' "$T/a.gro" >"$T/bad.gro"
    fails 3 'bad.gro: frame 0: line 4: atom 1: no velocity in columns 53-60' \
        trjcat --carry velocity "$T/bad.gro" -o "$T/x.trjf"
    cut -c 1-44 "$T/a.gro" >"$T/none.gro"
    fails 3 'none.gro: frame 0: contains no velocities; select frames' \
        trjcat --carry velocity "$T/none.gro" -o "$T/x.trjf"
}

@test "extended XYZ: velocities are momenta divided by masses, of the column or of the elements, and written back" {
    local unit=98.2269475025
    momenta() { # PROPERTIES LINE...: a frame of two atoms
        printf '%s\n' 2 "Lattice=\"9 0 0 0 9 0 0 0 9\" Properties=$1" "${@:2}"
    }
    velocities() { # LINES OF "MOMENTUM MASS": compares those of the stream, in which they are Angstrom/ps
        motion "$T/v.trjf" | awk -v unit=$unit 'NR == FNR { for (k = 1; k < 4; k++) v[FNR, k] = $k / $4 * unit; next }
            { for (k = 1; k < 4; k++) if (($k - v[FNR, k]) ^ 2 > (1e-6 * v[FNR, k]) ^ 2) exit bad = 1 }
            END { exit bad || FNR != '"$(wc -l <"$1")"' }' "$1" -
    }
    momenta species:S:1:pos:R:3:momenta:R:3:masses:R:1 'O 1 2 3 0.5 0 -1 18' 'Cl 2 3 4 0.25 1e-3 2 0.5' >"$T/a.xyz"
    printf '0.5 0 -1 18\n0.25 1e-3 2 0.5\n' >"$T/expected"
    trjcat --carry velocity "$T/a.xyz" -o "$T/v.trjf"
    velocities "$T/expected"
    trjinfo "$T/v.trjf" | has '^frame_data	velocity, unit A/ps, origin extended XYZ, momenta in the unit of ASE'
    # They are written back with the masses of the stream, and are those of the picked atoms.
    trjcat --carry velocity,mass "$T/a.xyz" --to xyz | tail -n 1 | awk '{ exit !($5 == 0.5 && NF == 9 &&
        ($7 - 0.25) ^ 2 < 1e-14 && ($8 - 0.001) ^ 2 < 1e-18 && ($9 - 2) ^ 2 < 1e-12) }'
    tail -n 1 "$T/expected" >"$T/one"
    trjcat --carry velocity -t "$T/a.xyz" -g 'A=element Cl' "$T/a.xyz" -o "$T/v.trjf"
    velocities "$T/one"
    momenta momenta:R:3:species:S:1:pos:R:3 '0.5 0 -1 O 1 2 3' '0.25 1e-3 2 Cl 2 3 4' >"$T/b.xyz"
    printf '0.5 0 -1 15.999\n0.25 1e-3 2 35.45\n' >"$T/expected"
    for options in '' '-z 3' "-t $T/b.xyz"; do
        # shellcheck disable=SC2086 # several words
        trjcat $options --carry velocity "$T/b.xyz" -o "$T/v.trjf"
        velocities "$T/expected"
    done
    momenta Z:I:1:pos:R:3:momenta:R:3 '8 1 2 3 0.5 0 -1' '17 2 3 4 0.25 1e-3 2' |
        trjcat --carry velocity -o "$T/v.trjf" -
    velocities "$T/expected"
    # Without momenta, or with a mass that is not known.
    printf '2\nProperties=species:S:1:pos:R:3:velo:R:3\nO 1 2 3 1 1 1\nO 1 2 3 1 1 1\n' >"$T/c.xyz"
    fails 2 'the first frame has no momenta; write them with ASE' trjcat --carry velocity "$T/c.xyz"
    fails 3 'frame 1: *velocit' trjcat --carry velocity <(cat "$T/b.xyz" "$T/c.xyz") -o "$T/bad"
    for mass in 0 -1 nan '?'; do
        sed "s/ 0.5\$/ $mass/" "$T/a.xyz" >"$T/c.xyz"
        fails 3 'line 4: atom 1: its mass is ' trjcat --carry velocity "$T/c.xyz" -o "$T/bad"
    done
    sed 's/Cl/Qq/' "$T/b.xyz" >"$T/c.xyz"
    fails 3 'line 4: atom 1: its mass is unknown, *add a column masses:R:1' trjcat --carry velocity "$T/c.xyz"
}

@test "LAMMPS: position plus image flags times the cell is continuous, also after --centre and --whole" {
    need python3
    local folder=$SHARED/data-formats/lammps-image name
    [[ -d $folder ]] || skip 'no folder shared/ with dumps beside the checkout'
    trjcat --carry image "$folder/made_tri_xu.lammpstrj" -o "$T/xu.trjf" 2>/dev/null
    dump "$T/xu.trjf" >"$T/xu"
    for name in made_tri_image made_tri_scaled_image; do
        trjcat --carry image "$folder/$name.lammpstrj" -o "$T/i.trjf" 2>/dev/null
        dump "$T/i.trjf" >"$T/i"
        python3 tests/helpers/motion.py continuous "$T/i" "$T/xu"
        trjcat --carry image --centre 'index 3 to 9' "$folder/$name.lammpstrj" -o "$T/c.trjf" 2>/dev/null
        python3 tests/helpers/motion.py continuous <(dump "$T/c.trjf") "$T/xu" moved
        trjcat --carry image --centre 'index 3' -g 'A=index 2 to 20' "$T/i.trjf" -o "$T/c.trjf" 2>/dev/null
        trjcat -g 'A=index 2 to 20' "$T/xu.trjf" -o "$T/a.trjf" 2>/dev/null
        python3 tests/helpers/motion.py continuous <(dump "$T/c.trjf") <(dump "$T/a.trjf") moved
    done
    # molecules: atoms 0 and 1 are bonded through the boundary
    printf '%s\n' 'ITEM: TIMESTEP' 0 'ITEM: NUMBER OF ATOMS' 3 'ITEM: BOX BOUNDS pp pp pp' '0 10' '0 10' '0 10' \
        'ITEM: ATOMS id type x y z ix iy iz' '1 1 9.5 5 5 3 0 0' '2 1 0.5 5 5 4 0 0' '3 1 2 2 2 0 0 -1' >"$T/m.lammpstrj"
    printf '%s\n' 'x' '' '3 atoms' '1 bonds' '1 atom types' '1 bond types' '0 10 xlo xhi' '0 10 ylo yhi' '0 10 zlo zhi' \
        '' Masses '' '1 1' '' 'Atoms # bond' '' '1 1 1 0 0 0' '2 1 1 0 0 0' '3 2 1 0 0 0' '' Bonds '' '1 1 1 2' >"$T/m.data"
    trjcat --carry image "$T/m.lammpstrj" -o "$T/m.trjf" 2>/dev/null
    trjcat --carry image --whole -t "$T/m.data" "$T/m.lammpstrj" -o "$T/w.trjf" 2>/dev/null
    dump "$T/w.trjf" | sed -n '/^images/,$p' | has '^3 0 0$'
    python3 tests/helpers/motion.py continuous <(dump "$T/m.trjf") <(dump "$T/w.trjf")
}

@test "LAMMPS: velocities in the units that the dump names; without them, their unit is unknown" {
    need python3
    printf '%s\n' 'ITEM: TIMESTEP' 0 'ITEM: NUMBER OF ATOMS' 2 'ITEM: BOX BOUNDS pp pp pp' '0 10' '0 10' '0 10' \
        'ITEM: ATOMS vz id type x y z vx vy' '0.25 7 1 1 2 3 0.5 -0.125' '4 2 1 3 4 5 1 2' \
        'ITEM: TIMESTEP' 5 'ITEM: NUMBER OF ATOMS' 2 'ITEM: BOX BOUNDS pp pp pp' '0 10' '0 10' '0 10' \
        'ITEM: ATOMS id type x y z vx vy vz' '7 1 1 2 3 0.5 -0.125 0.25' '2 1 3 4 5 1 2 4' >"$T/a.lammpstrj"
    local unit
    local size
    while read -r unit size; do
        { printf 'ITEM: UNITS\n%s\n' "$unit"; cat "$T/a.lammpstrj"; } >"$T/$unit.lammpstrj"
        trjcat --carry velocity "$T/$unit.lammpstrj" -o "$T/u.trjf" 2>/dev/null
        motion "$T/u.trjf" | awk '{ printf "%.6g %.6g %.6g\n", $1, $2, $3 }' >"$T/got"
        for _ in 1 2; do
            awk -v u="$size" 'BEGIN {
                printf "%.6g %.6g %.6g\n%.6g %.6g %.6g\n", u, 2 * u, 4 * u, u / 2, -u / 8, u / 4 }'
        done | same - "$T/got" || { echo "$unit"; return 1; }
    done <<<$'real 1000\nmetal 1\nnano 0.01\nelectron 512.396\nsi 0.01\ncgs 0.0001\nmicro 0.01\nlj 1'
    trjcat --carry velocity "$T/a.lammpstrj" -o "$T/u.trjf" 2>/dev/null
    trjinfo "$T/u.trjf" | has '^frame_data	velocity, origin LAMMPS dump, columns vx vy vz, in the unit of the run'
    fails 2 'the unit of the velocities is unknown (LAMMPS dump' trjcat --carry velocity "$T/a.lammpstrj" -o "$T/x.gro"
    trjcat --carry velocity "$T/metal.lammpstrj" -o "$T/m.trjf" 2>/dev/null
    fails 3 'the unit of its velocities is A/ps, that of the first input is unknown' \
        trjcat "$T/u.trjf" "$T/m.trjf" -o "$T/x.trjf"
    fails 2 'the dump has no columns ix iy iz; dump them' trjcat --carry image "$T/a.lammpstrj" -o "$T/x.trjf"
    sed 's/0\.5 -0\.125/0.5 -0.1z5/' "$T/a.lammpstrj" >"$T/bad.lammpstrj"
    fails 3 "'-0.1z5' in column 8 is not a velocity" trjcat --carry velocity "$T/bad.lammpstrj" -o "$T/x.trjf"
}

@test "NetCDF of Amber: velocities with scale_factor and units, read and written" {
    need_python_module scipy
    local nc=$SHARED/data/amber/ace_tip3p.nc
    [[ -f $nc ]] || skip 'no folder shared/ with NetCDF beside the checkout'
    cat >"$T/read.py" <<'PYTHON'
import sys

from scipy.io import netcdf_file

v = netcdf_file(sys.argv[1], "r", mmap=False).variables["velocities"]
assert getattr(v, "units", b"angstrom/picosecond") == b"angstrom/picosecond"
for frame in v.data:
    for row in frame:
        print(*("%.9g" % (float(c) * float(v.scale_factor)) for c in row))
PYTHON
    run_python "$T/read.py" "$nc" >"$T/expected"
    trjcat --carry velocity "$nc" -o "$T/v.trjf" 2>/dev/null
    motion "$T/v.trjf" >"$T/got"
    paste -d ' ' "$T/expected" "$T/got" | awk 'function off(a, b) { return (a - b) ^ 2 > 4e-10 * (a ^ 2 + 1e-4) }
        NF != 6 || off($1, $4) || off($2, $5) || off($3, $6) { print "line " NR ": " $0; bad = 1; exit }
        END { exit bad || NR < 10000 }'
    trjcat --to nc "$T/v.trjf" -o "$T/b.nc" 2>/dev/null
    run_python "$T/read.py" "$T/b.nc" | same "$T/expected" -
    trjcat --carry velocity "$T/b.nc" -o "$T/c.trjf"
    motion "$T/c.trjf" >"$T/c"
    same "$T/c" <(motion "$T/v.trjf")
    fails 3 'the scale_factor of velocities is -0.856' \
        trjcat --carry velocity "$SHARED/data/amber/scaled_traj.nc" -o "$T/x.trjf"
    fails 2 'the file has no variable velocities' trjcat --carry velocity "$SHARED/data/amber/bala.ncdf" -o "$T/x.trjf"
}

@test "--fit rotates velocities with the atoms" {
    need_nve
    trjcat --carry velocity -f 0:41:40 "$RUN-nve.trr" -o "$T/v.trjf"
    trjcat --carry velocity -t "$RUN.tpr" --whole --fit 'resid 1 to 10' -f 0:41:40 "$RUN-nve.trr" -o "$T/f.trjf"
    python3 tests/helpers/motion.py rotated <(dump "$T/v.trjf") <(dump "$T/f.trjf")
}

@test "--carry velocity and image: requests that cannot be met are rejected with a remedy" {
    need_nve
    local xtc=$RUN-nvt.xtc
    fails 2 '--carry velocity: velocities are not read from files of the format xtc, only from ' \
        trjcat --carry velocity "$xtc" -o "$T/x.trjf"
    fails 2 '--carry image: image flags are not read from files of the format trr' \
        trjcat --carry image "$RUN-nve.trr" -o "$T/x.trjf"
    fails 2 '--carry velocity: the output format cannot store velocities; write a frame stream' \
        trjcat --carry velocity "$RUN-nve.trr" -o "$T/x.dcd"
    fails 2 '--carry: velocity occurs twice' trjcat --carry velocity,velocity "$RUN-nve.trr" -o "$T/x.trjf"
    fails 2 '--carry image and --cell: image flags count the cells' \
        trjcat --carry image -c 20,20,20 "$RUN-nve.trr" -o "$T/x.trjf"
    trjcat -f :2 "$RUN-nve.trr" -o "$T/n.trjf"
    fails 2 'the stream contains no velocities; use --carry velocity where trjcat reads the trajectory' \
        trjcat --carry velocity "$T/n.trjf" -o "$T/x.trjf"
    trjcat --carry velocity -f :2 "$RUN-nve.trr" -o "$T/v.trjf"
    fails 3 'the stream contains no velocities, but the first input does' trjcat "$T/v.trjf" "$T/n.trjf" -o "$T/x.trjf"
}

@test "--salvage: frames whose velocities are damaged are dropped, and no frame gets those of another" {
    need_nve
    trjcat --carry velocity "$RUN-nve.trr" -o "$T/v.trjf"
    local at
    at=$(python3 tests/helpers/motion.py place "$T/v.trjf" VELO 1)
    cp "$T/v.trjf" "$T/bad.trjf"
    printf 'x' | dd of="$T/bad.trjf" bs=1 seek=$((at + 100)) conv=notrunc status=none
    fails 3 'checksum' trjcat "$T/bad.trjf" -o "$T/x.trjf"
    run trjcat --salvage "$T/bad.trjf" -o "$T/s.trjf"
    ((status == 3)) && has 'because their velocities or image flags are lost' <<<"$output"
    dump "$T/s.trjf" | sed '/^provenance/d' >"$T/got"
    python3 tests/helpers/motion.py subset <(dump "$T/v.trjf") "$T/got"
    # coordinates alone are read without loss of frames
    rdfhist -r 3 <"$T/v.trjf" 2>"$T/notes" >"$T/counts"
}
