#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Binary trajectories of programs other than CHARMM and GROMACS, compared with output of the programs themselves.
# tests/unit/test_gsd.c, test_lammps_binary.c and test_namd_binary.c test layouts and errors one by one.
load helper

@test "GSD written by gsd.hoomd in 3 and 2 dimensions: read with equal values" {
    need_python_module gsd.hoomd
    run_python - "$T" <<'END'
import sys, struct, gsd.hoomd
T = sys.argv[1]
def bits(x): return "%08x" % struct.unpack("<I", struct.pack("<f", x))[0]
for name, box, dimensions in ("cube", [10, 11, 12.5, 0, 0, 0], 3), ("tilted", [10, 11, 12.5, .5, -.25, .125],
    3), ("flat", [7, 9, 0, .25, 0, 0], 2):
    with gsd.hoomd.open(T + "/" + name + ".gsd", "wb") as out:
        for i in range(4):
            f = gsd.hoomd.Snapshot()
            f.configuration.step = 100 * (i // 2) # each second frame repeats a step
            f.configuration.box = box if i < 3 else [2 * v for v in box[:3]] + box[3:]
            f.configuration.dimensions = dimensions
            f.particles.N = 7
            f.particles.position = [[(j * 37 % 11) / 3 - 1, (i // 2) / 7 - j, 0 if dimensions == 2 else j / 9]
                for j in range(7)]
            out.append(f)
    with gsd.hoomd.open(T + "/" + name + ".gsd", "rb") as file, open(T + "/" + name, "w") as expected:
        for i, f in enumerate(file):
            box = [float(v) for v in f.configuration.box]
            L, xy, xz, yz = box[:3], *box[3:]
            h = [L[0], 0, 0, xy * L[1], L[1], 0, xz * L[2], yz * L[2], L[2]]
            print("frame %d step %d time nan unit 1 periodic %d cell %s" % (i, f.configuration.step, 3
                if dimensions == 2 else 7, " ".join("%.17g" % v for v in h)), file=expected)
            for x in f.particles.position: print(*map(bits, x), file=expected)
END
    local name
    for name in cube tilted flat; do
        trjdump <"$T/$name.gsd" | sed 's/ of file / /; s/ -0 / 0 /g' >"$T/got"
        [[ $(grep -c frame "$T/got") == 4 ]]
        same "$T/$name" "$T/got"
    done
    trjcat -f 3 "$T/flat.gsd" 2>"$T/err" | trjdump | has '^frame 3 of .* step 100 .* periodic 3 cell 14 '
    grep -qx "trjcat: $T/flat.gsd: note: GSD has no unit of length: its numbers are assumed to be in Angstrom" "$T/err"
}

@test "GSD, real files: counts equal those of the same trajectory as a DCD; damage is reported" {
    need_shared
    trjcat "$DATA/gsd/lj.gsd" 2>/dev/null | counted -r 8 -b 100 -e cpu >"$T/gsd"
    trjcat "$DATA/dcd/lj.dcd" 2>/dev/null | counted -r 8 -b 100 -e cpu | same "$T/gsd" -
    fails_cleanly 3 'variable_top.gsd: frame 2: 79 atoms, but frame 0 has 80' trjcat "$DATA/gsd/variable_top.gsd"
    fails_cleanly 3 'gsd_cut.gsd: frame 1: byte 60000: truncated in particles/position' \
        trjcat "$DATA/damaged/gsd_cut.gsd"
}

@test "GSD, compressed and through pipes: read as from the file, and no temporary file remains" {
    need_shared
    read_out_of_order "$DATA/gsd/lj.gsd"
    damaged_copy "$DATA/gsd/lj.gsd"
}

# Runs LAMMPS twice, with a rectangular cell of two periods and a tilted one of three, and writes dumps into folders of
# $T. Names that end in .bin are binary; those that end in .dump are the text of the same frames, with all digits.
run_lammps() {
    need lmp
    lmp -h >"$T/help" 2>&1 || skip 'lmp does not run here'
    local box
    for box in straight tilted; do
        mkdir "$T/$box"
        {
            echo 'units real'
            if [[ $box == tilted ]]; then
                printf '%s\n' 'region box prism -1 11 0 12 0.5 13 4 -3 2.5 units box'
            else
                printf '%s\n' 'boundary p f p' 'region box block -1 11 0 12 0.5 13 units box'
            fi
            cat <<'END'
atom_style full
create_box 2 box
create_atoms 1 random 60 4711 box
create_atoms 2 random 40 815 box
set group all mol 3
mass * 39.9
pair_style zero 5
pair_coeff * *
reset_timestep 5000000000
velocity all create 300 87
fix 1 all nve
fix 2 all wall/reflect ylo EDGE yhi EDGE
timestep 5
dump atom all atom 50 atom.bin
dump atom_text all atom 50 atom.dump
dump_modify atom_text format line "%d %d %.17g %.17g %.17g"
dump image all atom 50 image.bin
dump_modify image scale no image yes
dump image_text all atom 50 image.dump
dump_modify image_text scale no image yes format line "%d %d %.17g %.17g %.17g %d %d %d"
END
            local id=0 what
            for what in 'id mol type element x y z ix iy iz q' 'zs xs id ys vx' 'id xu yu zu' 'xsu ysu zsu id'; do
                printf '%s\n' "dump $id all custom 50 $id.bin $what" "dump ${id}_text all custom 50 $id.dump $what" \
                    "dump_modify ${id}_text format float %.17g"
                [[ $what == *element* ]] && printf 'dump_modify %s element Ar O\n' $id ${id}_text
                [[ $what == *xu* ]] && printf 'dump_modify %s time yes units yes sort id\n' $id ${id}_text
                [[ $what == zs* ]] && printf 'dump_modify %s pbc yes\n' $id ${id}_text
                id=$((id + 1))
            done
            echo 'run 200'
        } | if [[ $box == tilted ]]; then grep -v wall/reflect; else cat; fi >"$T/$box/in"
        (cd "$T/$box" && lmp -in in >out 2>&1 </dev/null) || { tail -5 "$T/$box/out"; return 1; }
    done
}

@test "LAMMPS binary dumps: contain the numbers of text dumps of the same trajectory, bit for bit" {
    run_lammps
    local box name
    for box in straight tilted; do
        for name in atom image 0 1 2 3; do
            trjdump <"$T/$box/$name.dump" >"$T/text"
            trjdump <"$T/$box/$name.bin" | same "$T/text" - || { echo "$box $name"; return 1; }
            [[ $(grep -c '^frame' "$T/text") == 5 && $(wc -l <"$T/text") == 505 ]]
            # shellcheck disable=SC2002 # a pipe is tested
            cat "$T/$box/$name.bin" | trjcat - | trjdump | grep -v '^[agp]' | sed 's/ of [^ ]*/ of file/' |
                same "$T/text" -
        done
    done
    trjcat -f 3 "$T/tilted/2.bin" | trjdump |
        has '^frame 3 .* step 5000000150 time [0-9]*\.75 unit 1 periodic 7 cell 12 0 0 4 12 0 -3 2.5 12.5$'
    trjcat -f 3 "$T/straight/0.bin" | trjdump |
        has '^frame 3 .* time nan unit 1 periodic 5 cell 12 0 0 0 12 0 0 0 12.5$'
    head -c 5000 "$T/tilted/0.bin" >"$T/cut"
    fails_cleanly 3 'cut: frame 0: byte 5000: truncated in the atoms: expected 8800 bytes, found ' trjcat "$T/cut"
}

@test "LAMMPS x, xs, xu and xsu of one trajectory, text and binary: equal except for whole periods" {
    need /usr/bin/python3
    run_lammps
    local box
    for box in straight tilted; do
        for name in atom image 0 1 2 3; do trjdump <"$T/$box/$name.bin" >"$T/$name"; done
        run_python - "$T"/{atom,image,0,1,2,3} <<'END'
import struct, sys
def inverse_times(h, d): # d as a sum of the rows of a triangular matrix
    n = [0, 0, 0]
    for k in 2, 1, 0:
        n[k] = d[k] / h[k][k]
        d = [d[j] - n[k] * h[k][j] for j in range(3)]
    return n
def frames(name):
    for line in open(name):
        w = line.split()
        if w[0] == "frame": h = [list(map(float, w[-9 + 3 * k:][:3])) for k in range(3)]
        else: yield h, [struct.unpack(">f", bytes.fromhex(v))[0] for v in w]
files = [list(frames(name)) for name in sys.argv[1:]]
moved = 0
for atoms in zip(*files):
    for h, x in atoms[1:]:
        for n in inverse_times(h, [a - b for a, b in zip(x, atoms[0][1])]):
            if abs(n - round(n)) > 1e-5: sys.exit("%r differ by %r periods" % (atoms, n))
            moved += round(n) != 0
sys.exit(0 if moved else "no atom left the cell: nothing was tested")
END
    done
}

@test "LAMMPS binary dump written by several processes: all chunks are read" {
    need lmp mpirun
    cd "$T"
    printf '%s\n' 'region box block 0 12 0 12 0 12' 'create_box 1 box' 'create_atoms 1 random 50 4711 box' 'mass 1 1' \
        'pair_style zero 2' 'pair_coeff * *' 'dump 1 all custom 1 c.bin id x y z' \
        'dump 2 all custom 1 c.dump id x y z' \
        'dump_modify 2 format float %.17g' 'run 2' >in
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 3 lmp -in in >out 2>&1 \
        </dev/null || skip 'mpirun does not run here'
    trjdump <c.dump >text
    [[ $(grep -c '^frame' text) == 3 ]]
    trjdump <c.bin | same text -
}

@test "NAMD binary coordinates: agree with MDAnalysis, which writes and reads them" {
    need_python_module MDAnalysis
    /usr/bin/python3 -W ignore - "$T" <<'END' 2>"$T/notes"
import sys, numpy, MDAnalysis
T = sys.argv[1]
u = MDAnalysis.Universe.empty(100, trajectory=True)
u.atoms.positions = numpy.random.default_rng(1).normal(0, 30, (100, 3)).astype("f")
u.atoms.write(T + "/x.coor")
numpy.savetxt(T + "/expected", u.atoms.positions.view("u4"), "%08x")
END
    trjdump <"$T/x.coor" | grep -v '^frame' | same "$T/expected" -
    trjcat -c 90,90,90 "$T/x.coor" | trjdump |
        has '^frame 0 of .* time nan unit 1 periodic 7 cell 90 0 0 0 90 0 0 0 90$'
    # shellcheck disable=SC2002 # a pipe is tested
    cat "$T/x.coor" | trjcat --format namd - | trjdump | grep -xE '[0-9a-f]{8}( [0-9a-f]{8}){2}' | same "$T/expected" -
    if command -v zstd >/dev/null; then # detected by its name
        zstd -q "$T/x.coor"
        trjcat "$T/x.coor.zst" | trjdump | grep -xE '[0-9a-f]{8}( [0-9a-f]{8}){2}' | same "$T/expected" -
    fi
    mv "$T/x.coor" "$T/x.vel"
    fails_cleanly 3 'x.vel: contains NAMD velocities, according to its name; give the file of the coordinates (.coor)' \
        trjcat "$T/x.vel"
}

@test "TNG: rejected with the command that converts it" {
    need_shared
    local file
    for file in "$DATA"/tng/*.tng "$DATA"/multi/*.tng; do
        fails_cleanly 3 "$(basename \
            "$file"): is TNG, which is not supported; convert it with gmx trjconv -f in.tng -o out.xtc" trjcat "$file"
        if trjcat - <"$file" >"$T/out" 2>"$T/err"; then return 1; fi
        grep -q 'stdin: is TNG' "$T/err"
        fails 3 "$(basename \
            "$file"): is TNG, which is not supported; convert it with gmx trjconv -f in.tng -o out.xtc" trjinfo "$file"
    done
    fails_cleanly 3 'fake_tng.tng: not a known trajectory format' trjcat "$DATA/damaged/fake_tng.tng"
}

@test "DCD with positions and velocities in turn, and half the number of frames in the header: a note reports it" {
    local i
    for i in 1 2 3; do
        printf '2\nLattice="99 0 0 0 99 0 0 0 99" Properties=species:S:1:pos:R:3\nO 50 %d 0\nO 0 60.%d 0\n' "$i" "$i"
        printf '2\nLattice="99 0 0 0 99 0 0 0 99" Properties=species:S:1:pos:R:3\nO 0.%d 0 0.1\nO -0.1 0.%d 0\n' "$i" "$i"
    done >"$T/a.xyz"
    trjcat "$T/a.xyz" -o "$T/a.dcd" 2>/dev/null
    printf '\003' | dd of="$T/a.dcd" bs=1 seek=8 conv=notrunc status=none # the number of frames
    local note='note: its frames alternate between two kinds, as positions and velocities, and their number is twice'
    note+=' that in the header; select the positions with trjcat -f ::2'
    for threads in 1 3; do
        trjcat -j "$threads" "$T/a.dcd" 2>&1 >/dev/null | has -F "$note"
    done
    trjinfo -c "$T/a.dcd" | has '^note.*its frames alternate'
    trjcat -f ::2 "$T/a.dcd" 2>"$T/err" | trjinfo -c - | has -x 'frames	3'
    [[ $(<"$T/err") != *alternate* ]]
    # Six frames of positions with the same header: only the number is reported.
    for i in 1 2 3 4 5 6; do
        printf '2\nLattice="99 0 0 0 99 0 0 0 99" Properties=species:S:1:pos:R:3\nO 50 %d 0\nO 0 6%d 0\n' "$i" "$i"
    done >"$T/b.xyz"
    trjcat "$T/b.xyz" -o "$T/b.dcd" 2>/dev/null
    printf '\003' | dd of="$T/b.dcd" bs=1 seek=8 conv=notrunc status=none
    trjcat "$T/b.dcd" 2>"$T/err" >/dev/null
    [[ $(<"$T/err") != *alternate* ]]
    grep -q 'note: header gives 3 frames, file contains 6' "$T/err"
}
