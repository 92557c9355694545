#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mapmath: arithmetic, masks, free energies, other lattices, projections and profiles are those of numpy and scipy.
load helper
MAPS=$SHARED/data-maps/map

need_maps() {
    [[ -d $MAPS ]] || skip 'no folder shared/data-maps beside the checkout'
}

# python CODE: runs it with numpy, and the function load(FILE), which returns values and lattice of an .npy file
python() {
    T=$T run_python -c "
import json, os
import numpy
T = os.environ['T'] + '/'
def load(name):
    return numpy.load(T + name + '.npy').astype(float), json.load(open(T + name + '.json'))
$1"
}

# as_npy NAME FILE...: writes a file as .npy
as_npy() {
    mapmath a "$2" -o "$T/$1.npy" 2>/dev/null
}

# Writes a .npy file of random values on a lattice: NAME SHAPE ORIGIN STEPS PERIODIC
random_map() {
    python "
rng = numpy.random.default_rng(${6:-1})
numpy.save(T + '$1.npy', rng.random($2))
json.dump(dict(origin=$3, steps=$4, periodic=$5, unit='A^-3', quantity='density'), open(T + '$1.json', 'w'))"
}

SQUARE='[[1,0,0],[0,1.5,0],[0,0,2]]'

@test "arithmetic: equal to that of numpy" {
    need_python_module numpy
    random_map a '(6,5,4)' '[0,0,0]' "$SQUARE" '[0,0,0]' 1
    random_map b '(6,5,4)' '[0,0,0]' "$SQUARE" '[0,0,0]' 2
    mapmath '(a - 2 * b)^2 / max(a, b) + number(sqrt(abs(a - b))) / exp(-log(a + b))' \
        a="$T/a.npy" b="$T/b.npy" -o "$T/c.npy" 2>/dev/null
    python "
a, b, c = load('a')[0], load('b')[0], load('c')[0]
want = (a - 2 * b)**2 / numpy.maximum(a, b) + numpy.sqrt(abs(a - b)) / numpy.exp(-numpy.log(a + b))
assert abs(c / want - 1).max() < 1e-14"
    mapmath 'if(a > 0.5 and not b <= 0.25, a, -b)' "$T/a.npy" "$T/b.npy" -o "$T/c.npy" 2>/dev/null
    python "
a, b, c = load('a')[0], load('b')[0], load('c')[0]
assert (c == numpy.where((a > 0.5) & ~(b <= 0.25), a, -b)).all()"
}

@test "difference of a map in two formats: zero" {
    need_maps
    mapmath 'a - b' a="$MAPS/fav8.dx.save" b="$MAPS/fav8.guv.O.1.ccp4" -o "$T/d.dx" 2>/dev/null
    awk '/data follows/ { on = 1; next } /^attribute/ { on = 0 }
        on { for (i = 1; i <= NF; i++) { n++; if ($i > 1e-4 || $i < -1e-4) bad++ } }
        END { exit bad || n < 10000 }' "$T/d.dx"
}

@test "units: propagated, and values in different units are not added" {
    need_python_module numpy
    random_map a '(6,5,4)' '[0,0,0]' "$SQUARE" '[0,0,0]'
    mapmath 'a * a / 2' "$T/a.npy" -o "$T/b.npy" 2>/dev/null
    grep -q '"unit": "A^-6"' "$T/b.json"
    fails_cleanly 3 "character 3 of the expression: values in 'A^-3' and values in 'A^-6' cannot be added or compared" \
        mapmath 'a + b' "$T/a.npy" "$T/b.npy"
    fails_cleanly 3 "--mask: character 3 of the expression" mapmath a "$T/a.npy" "$T/b.npy" --mask 'a > b'
    mapmath 'number(a) + number(b)' "$T/a.npy" "$T/b.npy" -o "$T/c.npy" 2>/dev/null
    mapmath 'a - 1' "$T/a.npy" -o "$T/c.npy" 2>/dev/null
    grep -q '"quantity": "density"' "$T/c.json"
    grep -q '"unit": "A^-3"' "$T/c.json"
}

@test "--mask and --fill: other values become unknown, or the given value" {
    need_python_module numpy
    random_map a '(6,5,4)' '[0,0,0]' "$SQUARE" '[0,0,0]' 1
    random_map b '(6,5,4)' '[0,0,0]' "$SQUARE" '[0,0,0]' 2
    mapmath a "$T/a.npy" "$T/b.npy" --mask 'b > 0.3 and a < 0.9' -o "$T/c.npy" 2>/dev/null
    python "
a, b, c = load('a')[0], load('b')[0], load('c')[0]
inside = (b > 0.3) & (a < 0.9)
assert (c[inside] == a[inside]).all() and numpy.isnan(c[~inside]).all() and 0 < inside.sum() < a.size"
    fails_cleanly 3 'dx files cannot contain the value nan; write npy or trjg, or replace it with mapmath --fill' \
        mapmath a "$T/a.npy" "$T/b.npy" --mask 'b > 0.3' --to dx
    mapmath a "$T/a.npy" "$T/b.npy" --mask 'b > 0.3' --fill -1 -o "$T/c.dx"
    grep -q -- -1.000000000e+00 "$T/c.dx"
    run ! grep -q nan "$T/c.dx"
}

@test "atomic units: the square of an orbital is a density, and integrals are over lengths in bohr" {
    need_python_module numpy
    python "
numpy.save(T + 'psi.npy', numpy.arange(24.).reshape(2, 3, 4))
json.dump(dict(origin=[0,0,0], steps=[0.2,0,0,0,0.2,0,0,0,0.2], quantity='orbital', unit='bohr^-3/2'),
          open(T + 'psi.json', 'w'))"
    # The sum of the squares of 0 to 23 is 4324, and a step is 0.2/0.529177210903 bohr.
    mapmath 'a * a' "$T/psi.npy" -o "$T/rho.trjg"
    mapinfo "$T/rho.trjg" >"$T/info"
    grep -qx $'unit\tbohr^-3' "$T/info"
    grep -qx $'integral\t233.4383868' "$T/info" || { cat "$T/info"; return 1; }
    mapmath a "$T/rho.trjg" --profile z --reduce integral >"$T/p.tsv"
    grep -qx $'# z\tintegral(bohr^-1)' "$T/p.tsv" || { cat "$T/p.tsv"; return 1; }
    # The plane 0 has the values 0, 4, 8, 12, 16 and 20.
    awk '/^0\t/ { exit !(sqrt(($2 / (880 * (0.2 / 0.529177210903) ^ 2) - 1) ^ 2) < 1e-9) }' "$T/p.tsv"
}

@test "free energy: -kT ln(value/reference) in each unit, inf where the value is 0" {
    need_python_module numpy
    python "
v = numpy.arange(60.).reshape(5, 4, 3)
v[0, 0, 1] = -1
numpy.save(T + 'a.npy', v)
json.dump(dict(origin=[0,0,0], steps=[1,0,0,0,1,0,0,0,1], quantity='density', unit='A^-3'), open(T + 'a.json', 'w'))"
    mapmath a "$T/a.npy" -T 300 -o "$T/kj.npy" 2>"$T/err"
    grep -qx 'mapmath: note: the free energy is inf at 1 point, where the value is 0' "$T/err"
    grep -qx 'mapmath: note: the free energy is nan at 1 point, where the value is negative' "$T/err"
    mapmath a "$T/a.npy" -T 300 --reference 2 --energy-unit kcal/mol -o "$T/kcal.npy" 2>/dev/null
    mapmath a "$T/a.npy" -T 300 --reference mean --energy-unit kT -o "$T/kt.npy" 2>/dev/null
    python "
v = load('a')[0]
for name, unit, factor, reference in (('kj', 'kJ/mol', 2.494338785445972, 59), ('kcal', 'kcal/mol', 0.5961612776, 2),
                                      ('kt', 'kT', 1, v.mean())):
    found, head = load(name)
    with numpy.errstate(all='ignore'):
        want = -factor * numpy.log(v / reference)
    assert head['unit'] == unit and head['quantity'] == 'free energy', head
    assert found[0, 0, 0] == numpy.inf and numpy.isnan(found[0, 0, 1])
    assert abs(found[v > 0] - want[v > 0]).max() < 1e-9
assert numpy.nanmin(load('kj')[0]) == 0"
    fails 2 '--free-energy: invalid value -3 K' mapmath a "$T/a.npy" -T -3
    fails 2 "--reference: invalid value 'bulk': expected max, mean or a number above 0" \
        mapmath a "$T/a.npy" -T 300 --reference bulk
    fails_cleanly 3 'the max of the values is' mapmath 'a - 100' "$T/a.npy" -T 300
    fails 2 'apply to free energies; add --free-energy K' mapmath a "$T/a.npy" --reference 3
}

@test "another lattice: trilinear interpolation is that of scipy, in a skew lattice, with and without periods" {
    need_python_module numpy scipy
    local periodic
    random_map to '(9,8,7)' '[-1.013,0.307,0.911]' '[[0.6,0.1,0],[0,0.9,-0.2],[0.1,0,1.1]]' '[0,0,0]'
    for periodic in 0 1; do
        random_map a '(7,6,5)' '[0.2,0,0.5]' '[[1,0,0],[0.3,1.2,0],[-0.2,0.1,1.4]]' "[$periodic,$periodic,$periodic]"
        mapmath a "$T/a.npy" --like "$T/to.npy" -o "$T/b.npy" 2>"$T/err"
        PERIODIC=$periodic python "
from scipy.ndimage import map_coordinates
periodic = os.environ['PERIODIC'] == '1'
a, head = load('a')
to, grid = load('to')
b, found = load('b')
assert numpy.allclose(found['steps'], grid['steps'])
index = numpy.indices(to.shape).reshape(3, -1)
x = numpy.array(grid['origin'])[:, None] + numpy.array(grid['steps']).reshape(3, 3).T @ index
u = numpy.linalg.solve(numpy.array(head['steps']).reshape(3, 3).T, x - numpy.array(head['origin'])[:, None])
if periodic:
    padded = numpy.pad(a, ((0, 1),) * 3, mode='wrap')
    want = map_coordinates(padded, u % numpy.array(a.shape)[:, None], order=1).reshape(to.shape)
    assert abs(b - want).max() < 1e-12
else:
    want = map_coordinates(a, u, order=1, cval=numpy.nan).reshape(to.shape)
    unknown = numpy.isnan(b)
    assert (numpy.isnan(want) == unknown).all() and 50 < unknown.sum() < b.size - 50
    assert numpy.nanmax(abs(b - want)) < 1e-12"
        if [[ $periodic == 0 ]]; then
            grep -q 'mapmath: .*a.npy: note: [0-9]* points are outside of the map: unknown (nan)' "$T/err"
        else
            run ! grep -q outside "$T/err"
        fi
    done
    mapmath a "$T/to.npy" --like "$T/a.npy" -o "$T/b.npy" 2>"$T/err"
    grep -q 'interpolated at points that are farther apart' "$T/err"
}

@test "maps on different lattices: rejected, with --like as the remedy" {
    need_python_module numpy
    random_map a '(6,5,4)' '[0,0,0]' "$SQUARE" '[0,0,0]'
    random_map b '(6,5,5)' '[0,0,0]' "$SQUARE" '[0,0,0]'
    random_map c '(6,5,4)' '[0,0.1,0]' "$SQUARE" '[0,0,0]'
    random_map d '(6,5,4)' '[0,0.0001,0]' "$SQUARE" '[1,1,1]'
    fails_cleanly 3 \
        'b.npy: its lattice differs from that of the first map: expected 6 x 5 x 4 points, found 6 x 5 x 5; add' \
        mapmath 'a - b' "$T/a.npy" "$T/b.npy"
    fails_cleanly 3 'found 6 x 5 x 4 with another origin or other steps; add --like' \
        mapmath 'a - b' "$T/a.npy" "$T/c.npy"
    mapmath 'a - b' "$T/a.npy" "$T/b.npy" --like "$T/a.npy" -o "$T/e.npy" 2>/dev/null
    # Positions in text files are rounded, and many formats do not contain periods.
    mapmath 'a - b' "$T/a.npy" "$T/d.npy" -o "$T/e.npy" 2>/dev/null
    grep -q '"periodic": \[0, 0, 0\]' "$T/e.json"
}

@test "projections: those of numpy, on a lattice with one plane" {
    need_python_module numpy
    random_map a '(6,5,4)' '[1,2,3]' "$SQUARE" '[1,1,1]'
    local axis how
    for axis in x y z; do
        for how in mean sum integral; do
            mapmath a "$T/a.npy" --project $axis --reduce $how -o "$T/p.npy" 2>/dev/null
            AXIS=$axis HOW=$how python "
a, head = load('a')
p, found = load('p')
k = 'xyz'.index(os.environ['AXIS'])
step = numpy.array(head['steps']).reshape(3, 3)[k, k]
n = a.shape[k]
want = dict(mean=a.mean(k), sum=a.sum(k), integral=a.sum(k) * step)[os.environ['HOW']]
assert p.shape[k] == 1 and abs(p.squeeze(k) - want).max() < 1e-13
assert found['origin'][k] == head['origin'][k] + (n - 1) / 2 * step
assert numpy.array(found['steps']).reshape(3, 3)[k, k] == n * step
assert found['unit'] == ('A^-2' if os.environ['HOW'] == 'integral' else 'A^-3')"
        done
    done
}

@test "totals over cells: --reduce sum keeps their integral, --reduce integral is an error; logarithms are samples" {
    need_python_module numpy
    python "
numpy.save(T + 'a.npy', numpy.arange(60.).reshape(3, 4, 5))
json.dump(dict(origin=[0,0,0], steps=[1,0,0,0,1,0,0,0,1], quantity='n', values='totals'), open(T + 'a.json', 'w'))"
    mapmath a "$T/a.npy" --project x --reduce sum 2>/dev/null | mapinfo - | has -x $'integral\t1770'
    mapmath a "$T/a.npy" --project x | mapinfo - | has -x $'meaning\tsamples'
    run -3 mapmath a "$T/a.npy" --project x --reduce integral -o "$T/p.trjg"
    [[ $output == *'use --reduce sum' ]]
    mapmath '2 * a' "$T/a.npy" | mapinfo - >"$T/linear"
    grep -qx $'meaning\ttotals' "$T/linear"
    grep -qx $'quantity\tn' "$T/linear"
    mapmath 'log(a)' "$T/a.npy" | mapinfo - >"$T/log"
    grep -qx $'meaning\tsamples' "$T/log"
    run ! grep '^quantity' "$T/log"
}

@test "float32: a note gives the number of values that are too large" {
    need_python_module numpy
    python "
numpy.save(T + 'a.npy', numpy.array([[[0, 1e10, 1e20, -3e25]]], 'f4'))
json.dump(dict(origin=[0,0,0], steps=[1,0,0,0,1,0,0,0,1]), open(T + 'a.json', 'w'))"
    run --separate-stderr mapmath a*a "$T/a.npy" -o "$T/b.trjg"
    [[ $status -eq 0 && $stderr == *'2 values are too large for float32'* ]]
    run --separate-stderr mapmath '1e-20 * a*a' "$T/a.npy" -o "$T/b.trjg"
    [[ $status -eq 0 && -z $stderr ]]
}

@test "profiles: those of numpy, at the positions of the planes; rdfplot draws them" {
    need_python_module numpy
    random_map a '(6,5,4)' '[1,2,3]' "$SQUARE" '[1,1,1]'
    mapmath a "$T/a.npy" --profile y --reduce integral -o "$T/p.tsv"
    grep -qx $'# y\tintegral(density, A^-1)' "$T/p.tsv"
    grep -q '^# provenance: mapmath .*--profile y' "$T/p.tsv"
    python "
a = load('a')[0]
y, v = numpy.loadtxt(T + 'p.tsv').T
assert abs(y - (2 + 1.5 * numpy.arange(5))).max() < 1e-9
assert abs(v / (a.sum((0, 2)) * 2) - 1).max() < 1e-9"
    mapmath a "$T/a.npy" --profile z | rows | awk 'NR == 1 { first = $1 } END { exit first != 3 || NR != 4 }'
    need gnuplot
    rdfplot -o "$T/p.svg" "$T/p.tsv"
    grep -q 'y / Å' "$T/p.svg"
}

@test "records of sums: the mean over the frames is used; one map is combined with all maps of a series" {
    need_python_module numpy
    mkgrid counts 1 0 2 3 1 >"$T/series.trjg"
    mapsum --mean "$T/series.trjg" -o "$T/mean.trjg"
    mapmath 'a - m' a="$T/series.trjg" m="$T/mean.trjg" --profile z >"$T/profile.tsv"
    mapmath 'a - m' m="$T/mean.trjg" a="$T/series.trjg" --profile z | rows | same <(rows "$T/profile.tsv") -
    mapmath 'a - m' a="$T/series.trjg" m="$T/mean.trjg" | mapmath a --profile z | rows | same <(rows "$T/profile.tsv") -
    run_python - "$T/profile.tsv" <<'P'
import sys
sys.path.insert(0, "tests/helpers")
import grids
import numpy
table = numpy.loadtxt(sys.argv[1])
every = grids.records("counts", "0:2:3:1")
mean = sum(r[0] for r in every) / 6
for k, (total, weight) in enumerate(every):
    want = (total / weight - mean).mean((0, 1))
    assert abs(table[:, 1 + k] - want).max() < 1e-6, (table, want)
P
    mkgrid counts 2 0 2 3 >"$T/two.trjg"
    fails_cleanly 3 'two.trjg: has 2 maps, but*has more; give the same number, or one' \
        mapmath 'a - b' "$T/series.trjg" "$T/two.trjg"
    fails_cleanly 3 'a second map, but the format dx stores one map in a file' mapmath a "$T/series.trjg" --to dx
}

# radial NAME SHAPE CENTRE: writes $T/want, the rows r, mean, sum and integral of a radial profile, from 64 parts of
# each voxel and all images near it
radial() {
    python "
import itertools
a, j = load('$1')
h, n = numpy.array(j['steps'], float), numpy.array(a.shape)
c = numpy.array([$3], float)
part = (numpy.array(list(itertools.product(range(4), repeat=3))) + 0.5) / 4 - 0.5
i = numpy.stack(numpy.meshgrid(*map(numpy.arange, a.shape), indexing='ij'), -1).reshape(-1, 1, 3)
x = ((i + part) @ h).reshape(-1, 3) + j['origin'] - c
f = x @ numpy.linalg.inv(n[:, None] * h)
x = (f - numpy.round(f) * j['periodic']) @ (n[:, None] * h)
images = numpy.array(list(itertools.product(*[range(-1, 2) if p else [0] for p in j['periodic']]))) @ (n[:, None] * h)
axis = 'xyz'.find('$2'[-1]) if '$2'[0] == 'c' else None
steps, vectors = h, images[abs(images).sum(1) > 0]
if axis is not None:
    u = h[axis] / numpy.linalg.norm(h[axis])
    across = lambda v: v - (v @ u)[..., None] * u
    x, images, steps, vectors = across(x), across(images), across(h)[numpy.arange(3) != axis], across(vectors)
lengths = numpy.linalg.norm(vectors, axis=-1)
limit = lengths[lengths > 1e-9].min() / 2 if len(vectors) else numpy.inf
f = (c - j['origin']) @ numpy.linalg.inv(h)
for k in range(3):
    if not j['periodic'][k] and k != axis:
        limit = min(limit, min(f[k] + 0.5, n[k] - 0.5 - f[k]) / numpy.linalg.norm(numpy.linalg.inv(h)[:, k]))
r = numpy.min([numpy.linalg.norm(x + v, axis=-1) for v in images], 0)
width = numpy.linalg.norm(steps, axis=-1).max()
count = int(limit / width * (1 + 1e-9))
shell = (r / width).astype(int)
v = numpy.repeat(a.reshape(-1), 64)
with open(T + 'want', 'w') as file:
    for k in range(count):
        inside = v[shell == k]
        total = inside.sum() / 64
        print('%.10g %.10g %.10g %.10g' % ((k + 0.5) * width, inside.mean(), total,
                                           total * abs(numpy.linalg.det(h))), file=file)
assert count > 1"
}

# agrees COLUMN < ROWS: the values are those of $T/want
agrees() {
    awk -v column="$1" -v file="$T/want" '{
            if ((getline line <file) <= 0) exit bad = 1
            split(line, want, " ")
            if (!($1 - want[1] < 1e-6 && want[1] - $1 < 1e-6)) exit bad = 1
            if (!($2 / want[column] - 1 < 1e-6 && 1 - $2 / want[column] < 1e-6)) exit bad = 1
        } END { if (bad || !NR || (getline line <file) > 0) { print "row " NR ": " $0 ", not " line; exit 1 } }'
}

@test "radial profiles: those of numpy, of parts of voxels, with the nearest images, in skew lattices" {
    need_python_module numpy
    random_map a '(14,10,9)' '[1,2,3]' "$SQUARE" '[1,1,1]'
    random_map skew '(8,10,6)' '[-3,2,1]' '[[1,0.1,0],[0.4,0.9,0],[-0.3,0.4,1.3]]' '[1,1,1]'
    random_map faces '(14,12,10)' '[1,2,3]' "$SQUARE" '[0,1,0]'
    for map in a skew faces; do
        for shape in sphere cylinder:x cylinder:z; do
            radial $map $shape 8,8.2,9.1
            profile="$shape@8,8.2,9.1"
            mapmath a "$T/$map.npy" --profile "$profile" -o "$T/p.tsv"
            rows "$T/p.tsv" | agrees 2
            mapmath a "$T/$map.npy" --profile "$profile" --reduce sum | rows | agrees 3
            mapmath a "$T/$map.npy" --profile "$profile" --reduce integral | rows | agrees 4
        done
    done
    grep -qx $'# r\tmean(density, A^-3)' "$T/p.tsv"
    mapmath a "$T/faces.npy" --profile "$profile" --reduce integral | has -x $'# r\tintegral(density)'
    fails_cleanly 3 'the centre 1,2,1000 is outside of the map; move it' \
        mapmath a "$T/faces.npy" --profile sphere@1,2,1000
    fails_cleanly 3 'the centre 1,2,3 is at a face of the map; move it' mapmath a "$T/faces.npy" --profile sphere@1,2,3
    # The axis is that in the middle of the map unless a centre is given.
    mapmath a "$T/faces.npy" --profile cylinder:z | rows >"$T/p.tsv"
    mapmath a "$T/faces.npy" --profile cylinder:z@7.5,10.25,12 | rows | same "$T/p.tsv" -
    # The profile of a constant is the constant, and unknown values are left out.
    mapmath '2 + 0 * a' "$T/skew.npy" --profile sphere@0,1,2 | rows |
        awk '$2 != 2 { exit bad = 1 } END { exit bad || !NR }'
    mapmath 2+0*a --mask 'a > 0.3' "$T/a.npy" --profile sphere@8,6,9 | rows |
        awk '$2 != 2 { exit bad = 1 } END { exit bad || !NR }'
    need gnuplot
    mapmath a "$T/a.npy" --profile sphere@8,6,9 | rdfplot -o "$T/p.svg"
    grep -q 'r / Å' "$T/p.svg"
}

@test "radial profile of a density map: the number of atoms in shells is that of trjstat" {
    need_shared
    local files=$SHARED/data-observables
    trjcat -t "$files/spce216.tpr" -f 0:201:10 -g 'O=name OW' "$files/spce216-nvt.xtc" -o "$T/o.trjf"
    densmap "$T/o.trjf" --grid 0.5 --fractional --sigma 0.5 -o "$T/o.trjg"
    mapmath a "$T/o.trjg" --profile cylinder:z@3,4,5 --reduce integral | rows |
        awk '{ n += $2 } $1 < 7.6 { inside = n } END { printf "%.6f\n", inside }' >"$T/map"
    trjstat -i "$T/o.trjf" --profile cylinder:z --about 3,4,5 --extent 7.5 -b 1 'number(O)' | rows |
        awk '{ printf "%.6f\n", $4 / 21 }' >"$T/atoms"
    paste "$T/map" "$T/atoms" | awk '{ d = $1 / $2 - 1; if (!(d < 0.02 && d > -0.02)) { print; exit bad = 1 } }
        END { exit bad || !NR }'
}

@test "a pipe of mapmath and mapsum keeps frames, sources and provenance" {
    mkgrid counts 1 0 2 3 >"$T/a.trjg"
    mapmath 'a * 2' "$T/a.trjg" | mapmath 'a / 2' -o "$T/b.trjg"
    fails_cleanly 3 'frame 0 of source.dcd occurs twice' eval "cat $T/b.trjg $T/b.trjg | mapmath a" || true
    cat "$T/b.trjg" "$T/b.trjg" >"$T/twice.trjg"
    fails_cleanly 3 'frame 0 of source.dcd occurs twice' mapmath a "$T/twice.trjg"
    [[ $(strings "$T/b.trjg" | grep -c 'mapmath [0-9.]*: mapmath') == 2 ]]
}

@test "float32 maps give float32, others float64" {
    need_maps
    mapmath 'a * 2' "$MAPS/EMD-3197.map" -o "$T/a.npy" 2>/dev/null
    grep -aq "'descr': '<f4'" "$T/a.npy"
    mkgrid counts 1 0 2 | mapmath a -o "$T/b.npy" 2>/dev/null
    grep -aq "'descr': '<f8'" "$T/b.npy"
}

@test "invalid expressions, names and options: usage errors with the position" {
    mkgrid counts 1 0 2 >"$T/a.trjg"
    fails 2 "expression 'a +': character 4: the expression ends too early" mapmath 'a +' "$T/a.trjg"
    fails 2 "--mask: expression 'a >': character 4" mapmath a --mask 'a >' "$T/a.trjg"
    fails 2 'a.trjg: the map b is not used in the expression; leave it out' mapmath a a="$T/a.trjg" b="$T/a.trjg"
    fails 2 'the name a is given twice' mapmath a a="$T/a.trjg" a="$T/a.trjg"
    fails 2 "invalid name in 'log=x': expected a letter" mapmath a log=x
    fails 2 '--like: standard input is the map a; give a file' mapmath a --like - - <"$T/a.trjg"
    fails 2 '--project and --profile: give one of them' mapmath a "$T/a.trjg" --project x --profile y
    fails 2 '--reduce applies to --project and --profile' mapmath a "$T/a.trjg" --reduce sum
    local profile
    for profile in w xy z@1,2,3 sphere sphere@ sphere@1,2 cylinder cylinder:w cylinder:z@a,b,c cylinder:@1,2,3; do
        fails 2 "--profile: invalid value '$profile': expected x, y, z, cylinder:AXIS" \
            mapmath a "$T/a.trjg" --profile "$profile"
    done
    for profile in sphere@0,0,-1e15 cylinder:z@1e300,0,0; do
        fails 2 "the centre in '$profile' is beyond 1e+08 Angstrom" mapmath a "$T/a.trjg" --profile $profile
    done
    fails 3 'half of the period, 1.25 Angstrom, is less than a shell' mapmath a "$T/a.trjg" --profile sphere@1,2,3
    fails 2 '--to and --compress apply to maps' mapmath a "$T/a.trjg" --profile x --to dx
    fails 1 'none.trjg: No such file' mapmath a none.trjg
}

# once PATTERN COMMAND: the pipeline fails with one message
once() {
    local got=0
    bash -o pipefail -c "cd '$T' && $2" >"$T/out" 2>"$T/err" || got=$?
    # shellcheck disable=SC2053 # a pattern
    [[ $got != 0 && $(wc -l <"$T/err") == 1 && $(<"$T/err") == $1 ]] || { echo "$2: $got: $(<"$T/err")"; return 1; }
}

@test "a failure in a pipeline of maps: one message" {
    mkgrid counts 1 0 2 3 >"$T/a.trjg"
    head -c 900 "$T/a.trjg" >"$T/cut.trjg"
    once 'mapsum: cut.trjg: *truncated*' 'mapsum cut.trjg | mapmath a | mapmath a -o x.dx'
    once 'mapmath: cut.trjg: *truncated*' 'mapmath a cut.trjg | mapmath 2*a | mapmath a'
    once 'mapmath: cut.trjg: *truncated*' 'mapmath a cut.trjg --profile z | rdfplot'
    once 'mapmath: *unknown name*' "mapmath 'a + q' a.trjg | mapmath a"
    once 'mapmath: stdin: is empty*' 'true | mapmath a'
    once 'mapsum: stdin: is empty*' 'true | mapsum'
    [[ ! -e $T/x.dx ]]
}

@test "recipe: the expression is a key" {
    mkgrid counts 1 0 2 3 >"$T/a.trjg"
    mkgrid counts 2 0 2 >"$T/b.trjg"
    cat >"$T/maps.yaml" <<'END'
trjrun: 1
stages:
  first:  {tool: mapsum, files: a.trjg, output: first.trjg}
  second: {tool: mapsum, files: b.trjg, output: second.trjg}
  difference: {tool: mapmath, from: [first, second], expression: a - b, profile: z, output: profile.tsv}
END
    trjrun "$T/maps.yaml" 2>"$T/err"
    mapmath 'a - b' <(mapsum "$T/a.trjg") "$T/b.trjg" --profile z | rows | same <(rows "$T/profile.tsv") -
}

@test "mapmath --digest: digests of the files, of which the expression is none, with and without names" {
    printf 'object 1 class gridpositions counts 2 2 2\norigin 0 0 0\ndelta 1 0 0\ndelta 0 1 0\ndelta 0 0 1
object 2 class gridconnections counts 2 2 2\nobject 3 class array type double rank 0 items 8 data follows
1 2 3\n4 5 6\n7 8\n' >"$T/m.dx"
    mapmath --digest 'p + b' "p=$T/m.dx" "b=$T/m.dx" -o "$T/sum.trjg" 2>"$T/err" || { cat "$T/err" && return 1; }
    mapmath --digest -e 'a + 1' "$T/m.dx" -o "$T/one.trjg"
    [[ $(strings "$T/sum.trjg" | grep -c 'input xxh3:') == 2 && $(strings "$T/one.trjg" | grep -c 'input xxh3:') == 1 ]]
}
