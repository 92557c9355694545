#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# surf: meshes and tables of maps, read back by VTK; series, colours, levels and errors.
load helper

# spheres FILE "N STEP" "X Y Z R"...: writes a map of spheres in OpenDX
spheres() {
    local file=$1 set=$2
    shift 2
    printf '%s\n' "$@" | awk -v set="$set" -f tests/helpers/spheres.awk >"$file"
}

# The rows of a table, without the number of the map and the level.
shapes() {
    rows "$@" | cut -f 3-
}

need_vtk() {
    need_python_module numpy vtk
}

vtk_mesh() {
    run_python tests/helpers/vtk_mesh.py "$@"
}

# close_to A B RELATIVE
close_to() {
    awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { exit !((a > b ? a - b : b - a) <= r * (b > 0 ? b : -b)) }' ||
        { echo "$1 is not close to $2"; return 1; }
}

@test "two spheres: area, volume, components and Euler number" {
    spheres "$T/a.dx" '41 0.5' '6 6 6 4' '14 14.1 14.2 3'
    surf -l 0 "$T/a.dx" >"$T/a.tsv"
    grep -q '^# map	level	vertices	triangles	area	volume	components	euler$' "$T/a.tsv"
    read -r vertices triangles area volume components euler < <(shapes "$T/a.tsv")
    close_to "$area" 314.159 0.01
    close_to "$volume" 381.18 0.02
    [[ $components == 2 && $euler == 4 && $((vertices - triangles / 2)) == 4 ]]
    surf -l 0 --components "$T/a.dx" >"$T/b.tsv"
    grep -q '^# map	level	component	vertices	triangles	area	volume	euler$' "$T/b.tsv"
    [[ $(shapes "$T/b.tsv" | cut -f 1,6) == $'0\t2\n1\t2' ]]
    close_to "$(shapes "$T/b.tsv" | awk '{ s += $5 } END { print s }')" "$volume" 1e-6
    close_to "$(shapes "$T/b.tsv" | awk 'NR == 2 { print $4 }')" 113.097 0.01
}

@test "PLY, OBJ and STL of a map: VTK reads the same closed mesh, with the area and volume of the table" {
    need_vtk
    spheres "$T/a.dx" '41 0.5' '6 6 6 4' '14 14.1 14.2 3' '20 20 3 3'
    local name v t area volume open
    for name in a.ply a.obj a.stl; do
        surf -l 0 --table -o "$T/$name" "$T/a.dx" >"$T/$name.tsv"
        vtk_mesh read "$T/$name" >"$T/$name.read"
        read -r v t area volume open <"$T/$name.read"
        read -r vertices triangles a b rest < <(shapes "$T/$name.tsv")
        [[ $v == "$vertices" && $t == "$triangles" && $open == 0 ]] || { cat "$T/$name.read"; return 1; }
        close_to "$area" "$a" 1e-5
        close_to "$volume" "$b" 1e-5
    done
}

@test "50 smooth maps: area, volume and Euler number are those of VTK's flying edges" {
    need_vtk
    vtk_mesh compare 50
}

@test "real maps: closed meshes" {
    need_vtk
    local name maps=$SHARED/data-maps/map
    [[ -d $maps ]] || skip 'no folder shared/data-maps beside the checkout'
    for name in 1ggg_5A.mrc 4ake_t_s2.mrc fav8.dx.save nonortho.dx.save EMD-3001.map; do
        surf -l 1sigma --close -o "$T/a.ply" "$maps/$name" 2>"$T/err"
        [[ $(vtk_mesh read "$T/a.ply" | cut -d ' ' -f 5) == 0 ]] || { echo "$name"; return 1; }
    done
}

@test "the same mesh from a file, a pipe and a compressed file" {
    need zstd
    spheres "$T/a.dx" '21 1' '10 10 10 6'
    surf -l 0 --to ply "$T/a.dx" | grep -av '^comment' >"$T/expected"
    surf -l 0 --to ply - <"$T/a.dx" | grep -av '^comment' | cmp - "$T/expected"
    # shellcheck disable=SC2002 # a pipe is tested
    cat "$T/a.dx" | surf -l 0 --to ply | grep -av '^comment' | cmp - "$T/expected"
    zstd -q "$T/a.dx"
    surf -l 0 -o "$T/a.ply" "$T/a.dx.zst"
    grep -av '^comment' "$T/a.ply" | cmp - "$T/expected"
}

@test "level in standard deviations: mean + N sigma, also from a pipe" {
    printf '%s\n' 'object 1 class gridpositions counts 2 2 2' 'origin 0 0 0' 'delta 1 0 0' 'delta 0 1 0' 'delta 0 0 1' \
        'object 2 class gridconnections counts 2 2 2' \
        'object 3 class array type double rank 0 items 8 data follows' '0 0 0' '0 0 0' '0 8' \
        'object "a" class field' >"$T/a.dx"
    # mean 1, sigma sqrt(7)
    [[ $(surf -l 2sigma "$T/a.dx" | rows | cut -f 2) == 6.291502622 ]]
    # shellcheck disable=SC2002
    [[ $(cat "$T/a.dx" | surf -l -1sigma | rows | cut -f 2) == -1.645751311 ]]
    [[ $(surf -l 2sigma "$T/a.dx" | shapes | cut -f 5,6) == $'1\t2' ]]
}

@test "values equal to the level: closed, with no triangle of zero area" {
    need_vtk
    awk "$AWK_RANDOM"'BEGIN { seed = 3; print "object 1 class gridpositions counts 12 12 12\norigin 0 0 0"
        print "delta 1 0 0\ndelta 0 1 0\ndelta 0 0 1\nobject 2 class gridconnections counts 12 12 12"
        print "object 3 class array type double rank 0 items 1728 data follows"
        for (i = 0; i < 576; i++) print int(2 * random()), int(2 * random()), int(2 * random())
        print "object \"a\" class field" }' >"$T/a.dx"
    surf -l 0 -o "$T/a.stl" "$T/a.dx" --table >"$T/a.tsv"
    # VTK merges equal positions of an STL file: the mesh stays closed only if all vertices are distinct.
    read -r v t area volume open < <(vtk_mesh read "$T/a.stl")
    [[ "$v $t $open" == "$(shapes "$T/a.tsv" | awk '{ print $1, $2, 0 }')" ]]
}

@test "periodic map: the table is that of the periodic surface; --close gives a closed mesh" {
    need_vtk
    run_python - "$T/a.npy" <<'P'
import json, sys
import numpy
n = 30
x = (numpy.arange(n) + n // 2) % n - n // 2  # a sphere about the origin, across all boundaries
r = numpy.sqrt(sum(numpy.meshgrid(x ** 2, x ** 2, x ** 2)))
numpy.save(sys.argv[1], (9.3 - r).astype(numpy.float32))
json.dump({"origin": [0, 0, 0], "steps": (numpy.eye(3) * 0.5).tolist(), "periodic": [1, 1, 1]},
          open(sys.argv[1][:-3] + "json", "w"))
P
    surf -l 0 --table -o "$T/a.ply" "$T/a.npy" >"$T/a.tsv"
    read -r vertices triangles area volume components euler < <(shapes "$T/a.tsv")
    [[ $components == 1 && $euler == 2 ]]
    close_to "$area" 271.72 0.005
    read -r v t a b open < <(vtk_mesh read "$T/a.ply")
    [[ $v -gt $vertices && $t == "$triangles" && $open -gt 0 ]]
    surf -l 0 --close --table -o "$T/b.ply" "$T/a.npy" >"$T/b.tsv"
    [[ $(shapes "$T/b.tsv" | cut -f 5,6) == $'8\t16' ]]
    [[ $(vtk_mesh read "$T/b.ply" | cut -d ' ' -f 5) == 0 ]]
}

@test "grid stream of several maps: a file for each map, and a row of the table" {
    spheres "$T/a.dx" '15 1' '7 7 7 3'
    spheres "$T/b.dx" '15 1' '7 7 7 5'
    mapconv -o "$T/a.trjg" "$T/a.dx"
    mapconv -o "$T/b.trjg" "$T/b.dx"
    cat "$T/a.trjg" "$T/b.trjg" | surf -l 0 --table -o "$T/s.%03d.ply" >"$T/both.tsv"
    [[ $(rows "$T/both.tsv" | cut -f 1) == $'0\n1' ]]
    for name in a.000 b.001; do
        surf -l 0 --to ply "$T/${name%.*}.dx" | grep -av '^comment' >"$T/expected"
        grep -av '^comment' "$T/s.${name#*.}.ply" | cmp - "$T/expected"
    done
    cat "$T/a.trjg" "$T/b.trjg" >"$T/two.trjg"
    fails 3 'two.trjg: contains a second map, but a file has one mesh; write one file for each map' \
        surf -l 0 -o "$T/one.ply" "$T/two.trjg"
    [[ ! -e $T/one.ply ]]
}

@test "threads: any number gives the same files and table; an error in a map comes after the files of earlier maps" {
    local i
    for i in 1 2 3 4 5 6 7; do
        spheres "$T/a.dx" '15 1' "7 7 7 $i.3"
        mapconv "$T/a.dx"
    done >"$T/all.trjg"
    for i in 1 2 4; do
        mkdir "$T/$i"
        surf -l +-0.3 --table -j "$i" -o "$T/$i/s.%d.ply" "$T/all.trjg" >"$T/$i/table"
        surf -l 30% --components -j "$i" "$T/all.trjg" >"$T/$i/components" 2>"$T/$i/notes"
        surf -l 0.1 -j "$i" -c "$T/all.trjg" -o "$T/$i/c.%d.ply" "$T/all.trjg"
        surf -l 0.3sigma -j "$i" "$T/all.trjg" >"$T/$i/sigma"
        sed -i '/^# provenance/d' "$T/$i"/[cst]*[!y]
        diff -r "$T/1" "$T/$i"
    done
    rows "$T/4/table" | cut -f 1 | uniq | same - <(seq 0 6)
    # The third map of seven contains a NaN.
    { mapconv "$T/a.dx" && mapconv "$T/a.dx"; } >"$T/two.trjg"
    mapmath 'sqrt(-1 - a * a)' "$T/a.dx" -o "$T/nan.trjg"
    cat "$T/two.trjg" "$T/nan.trjg" "$T/two.trjg" >"$T/bad.trjg"
    head -c 100000 "$T/two.trjg" >>"$T/bad.trjg"
    for i in 1 4; do
        fails 3 'bad.trjg: the value at point 0, 0, 0 is NaN' surf -l 0 -j "$i" -o "$T/bad$i.%d.ply" "$T/bad.trjg"
        [[ $(cd "$T" && echo bad"$i".*.ply) == "bad$i.0.ply bad$i.1.ply" ]]
    done
}

@test "colours: a second map, scales and ranges; another lattice or number of maps is rejected" {
    need_vtk
    spheres "$T/a.dx" '15 1' '7 7 7 5.5'
    awk 'NR <= 7 { print; next } /^object/ { exit } { for (i = 1; i <= NF; i++) printf "%g\n", count++ % 15 }
        END { print "object \"a\" class field" }' "$T/a.dx" >"$T/z.dx"
    surf -l 0 -c "$T/z.dx" --colours red-white-blue -o "$T/a.ply" "$T/a.dx"
    grep -aq '^comment colours: red-white-blue from 1.5 to 12.5$' "$T/a.ply"
    read -r count colours < <(vtk_mesh colours "$T/a.ply")
    [[ $count -gt 20 && $colours == '255 0 0 0 0 255' ]]
    surf -l 0 -c "$T/z.dx" --colours red-white-blue --range 7:40 -o "$T/a.ply" "$T/a.dx"
    [[ $(vtk_mesh colours "$T/a.ply" | cut -d ' ' -f 2-4) == '255 0 0' ]]
    spheres "$T/b.dx" '14 1' '7 7 7 5'
    fails 3 'a.dx: the map of the colours has a different lattice; interpolate it with mapmath --like' \
        surf -l 0 -c "$T/b.dx" -o "$T/b.ply" "$T/a.dx"
    mapconv -o "$T/a.trjg" "$T/a.dx"
    cat "$T/a.trjg" "$T/a.trjg" >"$T/two.trjg"
    fails 3 'a.dx: has fewer maps than' surf -l 0 -c "$T/a.dx" -o "$T/s.%d.ply" "$T/two.trjg"
    fails 3 'two.trjg: has more maps than' surf -l 0 -c "$T/two.trjg" -o "$T/t.%d.ply" "$T/a.dx"
}

@test "empty surfaces: an empty mesh, a row of zeros and a note" {
    spheres "$T/a.dx" '5 1' '2 2 2 1'
    surf -l 100 --table -o "$T/a.ply" "$T/a.dx" >"$T/a.tsv" 2>"$T/err"
    grep -q 'a.dx: map 0: note: the surface is empty: no value crosses the level 100$' "$T/err"
    [[ $(shapes "$T/a.tsv") == $'0\t0\t0\t0\t0\t0' ]]
    grep -aq '^element face 0$' "$T/a.ply"
    surf -l 90 "$T/a.dx" >"$T/a.tsv" 2>"$T/err"
    grep -q 'no value crosses the level 90; for a percentage of the integral, write % after the number$' "$T/err"
}

@test "provenance: in comments of PLY, OBJ and tables, with digests" {
    spheres "$T/a.dx" '5 1' '2 2 2 1'
    for name in a.ply a.obj a.tsv; do
        surf -l 0 --digest -o "$T/$name" "$T/a.dx"
        grep -aqE 'provenance: surf [0-9.]*: surf -l 0 --digest ' "$T/$name"
        grep -aqE 'provenance: input xxh3:[0-9a-f]{32} .*a.dx' "$T/$name"
    done
}

@test "recipe from a trajectory to a mesh and a table: each verifies, and contains the whole provenance" {
    cp examples/water/water.{pdb,dcd} "$T"
    cat >"$T/r.yaml" <<'END'
trjrun: 1
stages:
  atoms: {tool: trjcat, files: water.dcd, topology: water.pdb, group: 'O=name OW', frames: '0:4'}
  density: {tool: densmap, from: atoms, sigma: 1.2, grid: 0.9, fractional: true, mean: true, output: o.trjg}
  mesh: {tool: surf, from: density, level: 1sigma, output: o.ply}
  table: {tool: surf, from: density, level: 0.03, output: o.tsv}
END
    trjrun "$T/r.yaml" 2>"$T/err" || { cat "$T/err"; return 1; }
    for name in o.ply o.tsv; do
        [[ $(grep -acE 'provenance: (trjcat|densmap|surf) ' "$T/$name") == 3 ]]
        trjrun --verify "$T/$name" 2>"$T/err"
        has "surf writes the same bytes" "$T/err"
    done
    [[ $(shapes "$T/o.tsv" | cut -f 2) -gt 1000 ]]
}

# colours FILE: the number of vertices of each colour of a PLY file with normals
colours() {
    local head vertices
    head=$(grep -ab -m 1 '^end_header' "$1" | cut -d : -f 1)
    vertices=$(sed -n '/^element vertex/ { s/.* //p; q }' "$1")
    # `head` comes first: the other way around, `tail` would fail when `head` ends.
    head -c $((head + 11 + 27 * vertices)) "$1" | tail -c $((27 * vertices)) | od -An -v -w27 -t u1 |
        awk '{ print $25, $26, $27 }' | sort | uniq -c | awk '{ $1 = $1; print }'
}

@test "+-LEVEL: the surfaces of both signs, in one mesh that is coloured by the sign, and in two rows" {
    spheres "$T/a.dx" '31 1' '8 8 8 6'
    spheres "$T/b.dx" '31 1' '21 21 21 4' '21 8 8 5'
    mapmath 'max(a, 0) - max(b, 0)' "$T/a.dx" "$T/b.dx" -o "$T/o.trjg"
    surf -l +-0.5 "$T/o.trjg" | rows >"$T/both"
    [[ $(cut -f 1,2 "$T/both") == $'0\t0.5\n0\t-0.5' ]]
    mapmath 'max(a, 0)' "$T/a.dx" | surf -l 0.5 | shapes | same - <(shapes "$T/both" | head -n 1)
    mapmath 'max(a, 0)' "$T/b.dx" | surf -l 0.5 | shapes | same - <(shapes "$T/both" | tail -n 1)
    surf -l ±0.5 "$T/o.trjg" | rows | same "$T/both" - # the sign of one character
    surf -l +-0.5 --table -o "$T/o.ply" "$T/o.trjg" | rows | same "$T/both" -
    grep -qax 'comment level: 0.5 and -0.5' "$T/o.ply"
    grep -qax 'comment colours: red-white-blue from -1 to 1' "$T/o.ply"
    colours "$T/o.ply" | same - <(awk '{ print $3, NR == 1 ? "0 0 255" : "255 0 0" }' "$T/both")
    surf -l +-0.5 --colours grey -o "$T/g.ply" "$T/o.trjg"
    [[ $(colours "$T/g.ply" | cut -d ' ' -f 2-) == $'0 0 0\n255 255 255' ]]
    surf -l +-0.5 -c "$T/o.trjg" -o "$T/c.ply" "$T/o.trjg" # colours of a map replace those of the signs
    grep -qax 'comment colours: viridis from -0.5 to 0.5' "$T/c.ply"
    mapmath 'a + 1' "$T/o.trjg" | surf -l +-1sigma | cut -f 2 | tail -n 2 >"$T/levels"
    mapmath 'a + 1' "$T/o.trjg" | mapinfo - | awk '{ v[$1] = $2 } END { print v["mean"] + v["sigma"]
        print v["mean"] - v["sigma"] }' >"$T/expected"
    paste "$T/levels" "$T/expected" | awk '{ d = $1 - $2; if (d * d > 1e-8) exit 1 }'
    surf -l +-0.5 --components "$T/o.trjg" | rows | cut -f 2,3 | same - <(printf '%s\t%s\n' 0.5 0 -0.5 0 -0.5 1)
    # Two surfaces of single precision, and an STL file with the triangles of both
    mapconv "$T/o.trjg" -o "$T/o.mrc"
    surf -l +-0.5 --table -o "$T/o.stl" "$T/o.mrc" | shapes | cut -f 1,2 | same - <(shapes "$T/both" | cut -f 1,2)
    (($(stat -c %s "$T/o.stl") == 84 + 50 * $(awk '{ n += $4 } END { print n }' "$T/both")))
}

# values UNIT VALUE...: a map of these values in a row
values() {
    local unit=$1
    shift
    {
        printf '%s\nWritten by trjpipe 0; values are samples at the points\n' "v, $unit"
        printf '0 0 0 0\n1 1 0 0\n1 0 1 0\n%d 0 0 1\n' $#
        echo "$@"
    } >"$T/v.cube"
}

@test "level that encloses a percentage of the integral: by hand, of absolute values or of the squares of an orbital" {
    # level EXPECTED PERCENT
    level() {
        surf -l "$2" "$T/v.cube" 2>"$T/notes" | rows | cut -f 2 | paste -s -d ' ' >"$T/level"
        same <(echo "$1") "$T/level"
    }
    values bohr^-3 1 4 2 3
    level 3.5 40%
    same <(echo 'surf: v.cube: note: level: 3.5 bohr^-3; 40 % of the integral of the absolute values') \
        <(sed "s,$T/,," "$T/notes")
    level 2.5 40.1%
    level 1.5 90%
    level 0.5 90.1%
    values bohr^-3 2 1 2 1 # equal values are taken together
    level 1.5 10%
    level 0.5 67%
    values bohr^-3 0 1 -2 -1
    level 1.5 50%
    level 0.5 51%
    level '0.5 -0.5' +-51%
    values bohr^-3/2 0 1 -2 -1
    level 1.5 66%
    level 0.5 67%
    level '1.5 -1.5' +-66%
    has '1.5 and -1.5 bohr^-3/2; 66 % of the integral of the squares' "$T/notes"
    surf -l 66% -o "$T/v.ply" - <"$T/v.cube" 2>"$T/notes"
    grep -qax 'comment level: 1.5 bohr^-3/2; 66 % of the integral of the squares' "$T/v.ply"
    # The level of each map of a series, and of a sum over frames that is divided by their number
    values '' 1 4 2 3
    mapconv "$T/v.cube" -o "$T/a.trjg"
    values '' 2 8 4 6
    mapconv "$T/v.cube" -o "$T/b.trjg"
    cat "$T/a.trjg" "$T/b.trjg" | surf -l 40% 2>"$T/notes" | rows | cut -f 1,2 | same - <(printf '0\t3.5\n1\t7\n')
    [[ $(wc -l <"$T/notes") == 1 ]]
    values '' 0 0
    fails 3 'v.cube: no fraction of the integral: all values are 0' surf -l 50% "$T/v.cube"
}

@test "psi4 cubes: the level of 85 percent is within the range that psi4 prints" {
    [[ -d $SHARED/data-wave ]] || skip 'no folder shared/data-wave beside the checkout'
    local name low high level
    for name in vo_mo17a vo_mo16b; do
        read -r high low < <(sed -nE '2s/.*\(([0-9.]+),-([0-9.]+)\).*/\1 \2/p' "$SHARED/data-wave/$name.cube")
        level=$(surf -l +-85% "$SHARED/data-wave/$name.cube" 2>"$T/notes" | rows | head -n 1 | cut -f 2)
        has 'integral of the squares' "$T/notes"
        echo "$high $low $level" |
            awk '{ exit !($3 > 0.99 * ($1 < $2 ? $1 : $2) && $3 < 1.01 * ($1 > $2 ? $1 : $2)) }' ||
            { echo "$name: $level, psi4: $high $low"; return 1; }
    done
}

@test "invalid options: exit status 2" {
    spheres "$T/a.dx" '5 1' '2 2 2 1'
    fails 2 '--level: missing; give a number, or one such as 3sigma, 90% or +-0.04' surf "$T/a.dx"
    fails 2 "--level: invalid level '3 sigma': expected a number" surf -l '3 sigma' "$T/a.dx"
    fails 2 "--level: invalid level '0.04,-0.04': expected a number" surf -l 0.04,-0.04 "$T/a.dx"
    fails 2 "or one of these, above 0, after +-" surf -l +-0 "$T/a.dx"
    fails 2 "--level: invalid level '100%'" surf -l 100% "$T/a.dx"
    fails 2 '--colours applies to colours only' surf -l +-1 --colours grey --to stl "$T/a.dx"
    fails 2 "--range: invalid range '2:1': expected A:B with A less than B" surf -l 0 --range 2:1 -c x "$T/a.dx"
    fails 2 '--colours applies to colours only' surf -l 0 --colours grey --to ply "$T/a.dx"
    fails 2 '--colour-by: only PLY files have colours' surf -l 0 -c "$T/a.dx" --to stl "$T/a.dx"
    fails 2 '--table applies to meshes only' surf -l 0 --table "$T/a.dx"
    fails 2 '--components applies to the table only' surf -l 0 --components -o "$T/a.ply" "$T/a.dx"
    fails 2 '--table: the mesh is written to standard output' surf -l 0 --to ply --table "$T/a.dx"
    fails 2 "the format 'obj' contradicts the name" surf -l 0 --to obj -o "$T/a.ply" "$T/a.dx"
    fails 2 "the format 'tsv' contradicts the name" surf -l 0 --to tsv -o "$T/a.stl" "$T/a.dx"
    fails 2 "the format 'ply' contradicts the name" surf -l 0 --to ply -o "$T/a.tsv" "$T/a.dx"
    fails 2 "a.vtk: unknown ending '.vtk'; use one of .ply, .obj, .stl, .tsv" surf -l 0 -o "$T/a.vtk" "$T/a.dx"
    fails 2 'a.ply.gz: compressed files are not written' surf -l 0 --to ply -o "$T/a.ply.gz" "$T/a.dx"
    fails 2 'invalid number in the name' surf -l 0 -o "$T/a.%s.ply" "$T/a.dx"
    fails 2 '--colour-by: standard input is the map' surf -l 0 -c - --to ply -
    fails 2 '--devices: engine cpu uses no GPUs' surf -l 0 --devices 0 "$T/a.dx"
    fails 2 "--devices: '0,1' lists several GPUs" surf -l 0 -e cuda --devices 0,1 "$T/a.dx"
}

@test "invalid input: exit status 3, and no file" {
    spheres "$T/a.dx" '9 1' '4 4 4 3'
    sed '30s/[^ ]*$/nan/' "$T/a.dx" >"$T/nan.dx"
    head -n 100 "$T/a.dx" >"$T/cut.dx"
    mkdir "$T/place"
    local name
    for name in nan cut; do fails 3 "$name.dx: " surf -l 0 -o "$T/place/a.ply" "$T/$name.dx"; done
    fails 3 'is not a map in a known format' surf -l 0 -o "$T/place/a.ply" README.md
    [[ -z $(ls -A "$T/place") ]]
    (ulimit -f 8 && surf -l 0 -o "$T/place/a.stl" "$T/a.dx" 2>"$T/err") && return 1
    grep -q 'File too large' "$T/err"
    [[ -z $(ls -A "$T/place") ]]
    fails 1 'No space left' surf -l 0 -o /dev/full --to ply "$T/a.dx"
}
