#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Trajectories that are neither texts nor of the CHARMM and GROMACS families, against the programs they come from.
# Layouts and errors one by one: tests/unit/test_gsd.c, test_lammps_binary.c, test_namd_binary.c.
load helper

@test "GSD: what gsd.hoomd writes, in 3 and 2 dimensions, is what is read" {
    need_python_module gsd.hoomd
    /usr/bin/python3 - "$T" <<'END'
import sys, struct, gsd.hoomd
T = sys.argv[1]
def bits(x): return "%08x" % struct.unpack("<I", struct.pack("<f", x))[0]
for name, box, dimensions in ("cube", [10, 11, 12.5, 0, 0, 0], 3), ("tilted", [10, 11, 12.5, .5, -.25, .125], 3), ("flat", [7, 9, 0, .25, 0, 0], 2):
    with gsd.hoomd.open(T + "/" + name + ".gsd", "wb") as out:
        for i in range(4):
            f = gsd.hoomd.Snapshot()
            f.configuration.step = 100 * (i // 2) # every other frame repeats a step
            f.configuration.box = box if i < 3 else [2 * v for v in box[:3]] + box[3:]
            f.configuration.dimensions = dimensions
            f.particles.N = 7
            f.particles.position = [[(j * 37 % 11) / 3 - 1, (i // 2) / 7 - j, 0 if dimensions == 2 else j / 9] for j in range(7)]
            out.append(f)
    with gsd.hoomd.open(T + "/" + name + ".gsd", "rb") as file, open(T + "/" + name, "w") as want:
        for i, f in enumerate(file):
            L, xy, xz, yz = *([float(v) for v in f.configuration.box[:3]],), *[float(v) for v in f.configuration.box[3:]]
            h = [L[0], 0, 0, xy * L[1], L[1], 0, xz * L[2], yz * L[2], L[2]]
            print("frame %d step %d time nan unit 1 periodic %d cell %s" % (i, f.configuration.step, 3 if dimensions == 2 else 7, " ".join("%.17g" % v for v in h)), file=want)
            for x in f.particles.position: print(*map(bits, x), file=want)
END
    local name
    for name in cube tilted flat; do
        trjdump <"$T/$name.gsd" | sed 's/ of file / /; s/ -0 / 0 /g' >"$T/got"
        [[ $(grep -c frame "$T/got") == 4 ]]
        same "$T/$name" "$T/got"
    done
    trjcat -f 3 "$T/flat.gsd" 2>"$T/err" | trjdump | has '^frame 3 of .* step 100 .* periodic 3 cell 14 '
    grep -qx "trjcat: $T/flat.gsd: note: GSD has no unit of length: its numbers are taken for Angstrom" "$T/err"
}

@test "GSD: counts of real files are those of the same run in a DCD; damage and pipes are told" {
    need_shared
    trjcat "$DATA/gsd/lj.gsd" 2>/dev/null | counted -r 8 -b 100 -e cpu >"$T/gsd"
    trjcat "$DATA/dcd/lj.dcd" 2>/dev/null | counted -r 8 -b 100 -e cpu | same "$T/gsd" -
    refused_file 3 'variable_top.gsd: frame 2: 79 atoms, but frame 0 has 80' trjcat "$DATA/gsd/variable_top.gsd"
    refused_file 3 'gsd_cut.gsd: frame 1: ends in particles/position at byte 60000' trjcat "$DATA/damaged/gsd_cut.gsd"
    # shellcheck disable=SC2002 # it is to be a pipe
    if cat "$DATA/gsd/lj.gsd" | trjcat - >"$T/out" 2>"$T/err"; then return 1; fi
    grep -q 'stdin: GSD is read by its index, which a pipe does not allow: name the file itself' "$T/err"
    trjcat - <"$DATA/gsd/lj.gsd" 2>/dev/null | trjdump | has '^frame 9 '
}
