#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Maps are read as other programs read them, and other programs read what is written: mrcfile, gemmi, GridDataFormats.
load helper
MAPS=$SHARED/data-maps/map

need_maps() {
    [[ -d $MAPS ]] || skip 'no folder shared/data-maps beside the checkout'
    need_python_module numpy mrcfile gemmi gridData
}

# agrees FILE: mapinfo and Python find the same lattice and statistics. Converts it to $T/copy.npy
agrees() {
    mapinfo "$1" >"$T/ours" || return 1
    mapconv "$1" -o "$T/copy.npy" 2>"$T/notes" || { cat "$T/notes"; return 1; }
    run_python tests/helpers/maps.py read "$1" >"$T/theirs" 2>"$T/err" || { cat "$T/err"; return 1; }
    awk 'function differ(a, b) { return (a > b ? a - b : b - a) > 2e-6 * ((a > 0 ? a : -a) + 1) }
        NR == FNR { row[$1] = $0; next }
        { n = split(row[$1], f)
          if (n != NF) { print "other fields: " $0; bad = 1 }
          for (i = 2; i <= NF; i++) if (differ($i, f[i])) { print $0 " | " row[$1]; bad = 1 } }
        END { exit bad || FNR != 11 }' "$T/ours" "$T/theirs"
}

@test "MRC and CCP4 maps of six programs: lattice and statistics are those of mrcfile and gemmi" {
    need_maps
    local file count=0
    for file in "$MAPS"/*.mrc "$MAPS"/*.map "$MAPS"/*.ccp4; do
        agrees "$file" || { echo "$file"; return 1; }
        run_python tests/helpers/maps.py same "$T/copy.npy" "$file"
        count=$((count + 1))
    done
    [[ $count -ge 7 ]]
}

@test "axes 3 1 2 and 2 1 3 and NSTART: values are at the positions that gemmi gives them" {
    need_maps
    local name
    for name in EMD-3001.map 5i55_tiny.ccp4; do
        mapconv "$MAPS/$name" -o "$T/a.npy" 2>/dev/null
        run_python - "$MAPS/$name" "$T/a.npy" <<'P'
import json, sys
import gemmi, numpy
m = gemmi.read_ccp4_map(sys.argv[1])
m.setup(float("nan"))
grid = m.grid
values = numpy.load(sys.argv[2])
g = json.load(open(sys.argv[2][:-3] + "json"))
checked = 0
for i in range(0, values.shape[0], 3):
    for j in range(0, values.shape[1], 2):
        for k in range(values.shape[2]):
            at = numpy.array(g["origin"]) + i * numpy.array(g["steps"][0]) + j * numpy.array(g["steps"][1]) \
                + k * numpy.array(g["steps"][2])
            frac = grid.unit_cell.fractionalize(gemmi.Position(*at))
            index = [frac.x * grid.nu, frac.y * grid.nv, frac.z * grid.nw]
            assert max(abs(v - round(v)) for v in index) < 1e-3, index
            v = grid.get_value(*[round(v) for v in index])
            assert abs(v - values[i, j, k]) < 1e-6, (i, j, k, v, values[i, j, k])
            checked += 1
assert checked > 50
P
    done
}

@test "dx files of three programs: lattice and statistics are those of GridDataFormats" {
    need_maps
    local file
    for file in "$MAPS"/test.dx "$MAPS"/fav8.dx.save "$MAPS"/nonortho.dx.save; do
        agrees "$file" || { echo "$file"; return 1; }
        run_python tests/helpers/maps.py same "$T/copy.npy" "$file"
    done
}

@test "a CCP4 file and a dx file of the same map: the same values at the same points" {
    need_maps
    mapconv "$MAPS/fav8.guv.O.1.ccp4" -o "$T/a.npy" 2>/dev/null
    mapconv "$MAPS/fav8.dx.save" -o "$T/b.npy" 2>/dev/null
    run_python tests/helpers/maps.py same "$T/a.npy" "$T/b.npy" 1e-5
}

@test "every format that is written is read by other programs with the same values" {
    need_maps
    local name format
    for name in EMD-3197.map EMD-3001.map 4ake_t_s2.mrc; do
        mapconv "$MAPS/$name" -o "$T/a.trjg" 2>/dev/null
        for format in mrc dx cube npy; do
            mapconv "$T/a.trjg" -o "$T/b.$format" 2>/dev/null
            tolerance=1e-6
            [[ $format != cube ]] || tolerance=1e-5
            run_python tests/helpers/maps.py same "$MAPS/$name" "$T/b.$format" $tolerance ||
                { echo "$name $format"; return 1; }
        done
        run_python - "$T/b.mrc" <<'P'
import sys, mrcfile, gemmi
assert mrcfile.validate(sys.argv[1])
assert gemmi.read_ccp4_map(sys.argv[1]).grid.point_count > 0
P
    done
}

@test "maps from pipes equal those from files" {
    need_maps
    local format
    mapconv "$MAPS/EMD-3197.map" -o "$T/a.trjg" 2>/dev/null
    for format in dx mrc cube; do
        mapconv "$T/a.trjg" -o "$T/file.$format" 2>/dev/null
        # shellcheck disable=SC2002 # a pipe is tested
        cat "$T/file.$format" | mapconv -o "$T/again.$format" 2>/dev/null
        cmp "$T/file.$format" "$T/again.$format"
    done
    mapinfo "$T/a.trjg" | grep -v '^file' >"$T/facts"
    # shellcheck disable=SC2002 # the same
    cat "$T/a.trjg" | mapinfo - | grep -v '^file' | same - "$T/facts"
}

@test "mrc to a pipe: statistics in the header are marked as unknown, and a note reports this" {
    need_maps
    mkfifo "$T/pipe.mrc"
    cat "$T/pipe.mrc" >"$T/copy.mrc" &
    mapconv "$MAPS/EMD-3197.map" -o "$T/pipe.mrc" 2>"$T/err"
    wait
    grep -q 'not in the header, because the output is a pipe' "$T/err"
    [[ $(od -A n -t f4 -j 76 -N 12 "$T/copy.mrc" | xargs) == '0 -1 -2' ]]
    [[ $(od -A n -t f4 -j 216 -N 4 "$T/copy.mrc" | xargs) == -1 ]]
    run_python tests/helpers/maps.py same "$MAPS/EMD-3197.map" "$T/copy.mrc"
}

@test "compressed maps are read" {
    need_maps
    need_zlib
    gzip -c "$MAPS/EMD-3197.map" >"$T/a.map.gz"
    mapconv "$MAPS/EMD-3197.map" -o "$T/a.mrc" 2>/dev/null
    mapconv "$T/a.map.gz" -o "$T/b.mrc" 2>/dev/null
    cmp "$T/a.mrc" "$T/b.mrc"
}

@test "VTK and ParaView: MRC and cube files have the same values at the same points" {
    need_maps
    need_python_module vtk
    local name
    for name in EMD-3197.map 4ake_t_s2.mrc 1akeA_10A.mrc; do
        mapconv "$MAPS/$name" -o "$T/a.mrc" 2>/dev/null
        mapconv "$T/a.mrc" -o "$T/a.cube" 2>/dev/null
        mapconv "$T/a.mrc" -o "$T/a.npy" 2>/dev/null
        run_python - "$T/a" <<'P'
import json, sys
import numpy, vtk
from vtk.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkMRCReader
path = sys.argv[1]
ours, lattice = numpy.load(path + ".npy"), json.load(open(path + ".json"))
flat = ours.transpose(2, 1, 0).ravel()
spacing = [lattice["steps"][k][k] for k in range(3)]
r = vtkMRCReader()
r.SetFileName(path + ".mrc")
r.Update()
m = r.GetOutput()
assert m.GetDimensions() == ours.shape
assert numpy.allclose(m.GetSpacing(), spacing) and numpy.allclose(m.GetOrigin(), lattice["origin"], atol=1e-4)
assert (vtk_to_numpy(m.GetPointData().GetScalars()) == flat).all()
for r in vtk.vtkGaussianCubeReader(), vtk.vtkGaussianCubeReader2():
    r.SetFileName(path + ".cube")
    r.Update()
    g = r.GetGridOutput()
    assert g.GetDimensions() == ours.shape
    assert numpy.allclose(vtk_to_numpy(g.GetPointData().GetScalars()), flat, rtol=1e-5, atol=1e-5 * abs(flat).max())
P
    done
}

@test "GridDataFormats: its dx files are read, and ours are read with the same lattice" {
    need_maps
    mapconv "$MAPS/EMD-3197.map" -o "$T/a.dx" 2>/dev/null
    run_python - "$T" <<'P'
import sys, gridData
g = gridData.Grid(sys.argv[1] + "/a.dx")
assert g.grid.shape == (20, 20, 20) and abs(g.delta - 11.4).max() < 1e-5 and abs(g.origin[0] + 22.8) < 1e-5
g.export(sys.argv[1] + "/b.dx", type="double")
g.export(sys.argv[1] + "/c.dx", type="float", typequote='"')
P
    for file in b c; do
        mapconv "$T/$file.dx" -o "$T/$file.npy" 2>/dev/null
        run_python tests/helpers/maps.py same "$T/$file.npy" "$T/a.dx" 1e-5
    done
}

@test "gzip-compressed dx from a pipe, and a series read by glob order: names sort by number" {
    need_maps
    need_zlib
    mapconv "$MAPS/test.dx" | cat - <(mapconv "$MAPS/test.dx") >"$T/two.trjg"
    mapconv "$T/two.trjg" -o "$T/m.%03d.dx"
    [[ $(cd "$T" && echo m.*.dx) == 'm.000.dx m.001.dx' ]]
    gzip -c "$T/m.001.dx" | mapinfo - | has -x $'max\t1'
}

@test "a file that becomes shorter while it is read: an error with the byte" {
    need_python_module numpy
    local ending
    run_python - "$T" <<'P'
import json, sys, numpy
numpy.save(sys.argv[1] + "/a.npy", numpy.arange(100 ** 3, dtype="<f4").reshape(100, 100, 100))
json.dump({"origin": [0, 0, 0], "steps": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "unit": "\u00c5"},
          open(sys.argv[1] + "/a.json", "w"))
P
    mapconv "$T/a.npy" -o "$T/a.mrc"
    mapconv "$T/a.mrc" -o "$T/a.trjg"
    mapconv "$T/a.mrc" -o "$T/a.dx"
    mapconv "$T/a.mrc" -o "$T/a.cube"
    for ending in npy mrc trjg dx cube; do
        mkfifo "$T/go.$ending"
        # mapconv waits in the middle of the file, until the reader of its output continues.
        {
            got=0
            mapconv "$T/a.$ending" --to trjg 2>"$T/err" || got=$?
            echo $got >"$T/status"
        } >"$T/go.$ending" &
        {
            head -c 100000 >"$T/head" || true
            truncate -s 1500000 "$T/a.$ending"
            cat >/dev/null
        } <"$T/go.$ending"
        wait
        got=$(<"$T/status")
        # Formats with another order are read as a whole before the first plane is written.
        case $ending in
        mrc | trjg) [[ $got == 3 && $(<"$T/err") == *"$T/a.$ending: "*byte* ]] ;;
        *) [[ $got == 0 || $got == 3 ]] ;;
        esac || { echo "$ending: $got $(<"$T/err")"; return 1; }
    done
}

@test "GROMACS: density-guided simulation has the same energy with the original MRC file and with ours" {
    need_maps
    need_mdrun
    local file pair
    printf '[ defaults ]\n1 1 no 1 1\n[ atomtypes ]\nC C 6 12.0 0.0 A 0.0 0.0\n[ moleculetype ]\nM 0\n[ atoms ]\n' \
        >"$T/t.top"
    printf '1 C 1 M C 1 0.0 12.0\n[ system ]\ns\n[ molecules ]\nM 2\n' >>"$T/t.top"
    printf 'two\n    2\n    1M       C    1  -0.507  -1.505  -0.500\n    2M       C    2  -0.507  -1.505   1.900\n' \
        >"$T/t.gro"
    printf '  20.00000  20.00000  20.00000\n' >>"$T/t.gro"
    printf '%s\n' 'nsteps = 0' 'density-guided-simulation-active = yes' 'density-guided-simulation-group = System' \
        'density-guided-simulation-reference-density-filename = ref.mrc' 'density-guided-simulation-nst = 1' \
        'nstenergy = 1' 'nstcalcenergy = 1' >"$T/t.mdp"
    cp "$MAPS/4ake_t_s2.mrc" "$T/original.mrc"
    mapconv "$T/original.mrc" -o "$T/ours.npy" 2>/dev/null
    mapconv "$T/ours.npy" -o "$T/ours.mrc"
    cp "$T/ours.npy" "$T/moved.npy"
    sed 's/"origin": \[-51/"origin": [-48/' "$T/ours.json" >"$T/moved.json"
    mapconv "$T/moved.npy" -o "$T/moved.mrc"
    (
        cd "$T"
        cp original.mrc ref.mrc
        gmx -nobackup -quiet grompp -f t.mdp -c t.gro -p t.top -o t.tpr -maxwarn 5
        for file in original ours moved; do
            cp $file.mrc ref.mrc
            timeout 60 gmx -nobackup -quiet mdrun -s t.tpr -nt 1 -deffnm $file
            echo Dens | gmx -nobackup -quiet energy -f $file.edr -o $file.xvg
        done
    ) >"$T/log" 2>&1 || skip 'this gmx has no density-guided simulation'
    for file in original ours moved; do tail -n 1 "$T/$file.xvg"; done | tr -s ' ' >"$T/energies"
    mapfile -t pair <"$T/energies"
    [[ ${pair[0]} == ' 0.000000 -'* && ${pair[1]} == "${pair[0]}" && ${pair[2]} != "${pair[0]}" ]]
}
