#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mapcc: maps of other programs are reproduced, known correlations are found, and scores agree with numpy.
load helper
MAPS=$SHARED/data-maps/map

need_maps() {
    [[ -d $MAPS ]] || skip 'no folder shared/ with maps beside the checkout'
}

# score TABLE [ROW]: prints the third column of a row, from 0
score() {
    rows "$1" | awk -v row="${2:-0}" 'NR == row + 1 { print $3 }'
}

# close_to VALUE EXPECTED ERROR
close_to() {
    awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; exit !(a != "" && a != "nan" && d <= e && d >= -e) }' ||
        { echo "$1, expected $2"; return 1; }
}

# make_stream NAME: writes a frame stream of three molecules of five atoms in four frames, and a map on a skew lattice
make_stream() {
    awk -v seed=3 'function r() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        BEGIN { for (f = 0; f < 4; f++) { print 15 "\nframe"
            for (i = 0; i < 15; i++)
                print substr("CNOCS", i % 5 + 1, 1), 10 * r() - 5, 10 * r() - 5, 10 * r() - 5 } }' \
        >"$T/a.xyz"
    awk -v seed=5 'function r() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        BEGIN {
            print "object 1 class gridpositions counts 14 15 16\norigin -13 -12 -10"
            print "delta 1.6 0 0\ndelta 0.4 1.5 0\ndelta -0.2 0.1 1.4"
            print "object 2 class gridconnections counts 14 15 16"
            print "object 3 class array type double rank 0 items 3360 data follows"
            for (i = 0; i < 3360; i++) print 10 * r() - 2
        }' >"$T/map.dx"
    trjcat -g 'P=all' -g 'A=index 0 to 4' -g 'B=index 5 to 14' "$T/a.xyz" >"$T/a.trjf" 2>/dev/null
}

@test "TEMPy's map of 1ake at 10 Angstrom: correlation 1 with the factor 0.225, and known values with the others" {
    need_maps
    local factor expected
    trjcat -t "$MAPS/1akeA.pdb" -g P=all "$MAPS/1akeA.pdb" >"$T/a.trjf"
    while read -r factor expected; do
        mapcc -m "$MAPS/1akeA_10A.mrc" -r 10 --sigma-factor "$factor" -a mass "$T/a.trjf" >"$T/cc.tsv"
        close_to "$(score "$T/cc.tsv")" "$expected" 0.000005
    done <<'END'
0.225 1.00000
chimerax 1.00000
situs 0.99423
tempy 0.97226
0.425 0.95124
END
}

@test "TEMPy's map of 1ggg at 5 Angstrom: correlation 1 with the factor 0.356" {
    need_maps
    trjcat -t "$MAPS/1ggg.pdb" -g P=all "$MAPS/1ggg.pdb" >"$T/a.trjf"
    mapcc -m "$MAPS/1ggg_5A.mrc" -r 5 --sigma-factor tempy "$T/a.trjf" >"$T/cc.tsv"
    close_to "$(score "$T/cc.tsv")" 1 0.00000001
    mapcc -m "$MAPS/1ggg_5A.mrc" -r 5 --sigma-factor 0.225 "$T/a.trjf" >"$T/cc.tsv"
    close_to "$(score "$T/cc.tsv")" 0.93543 0.00001
}

@test "adenylate kinase on its way from 1ake to 4ake: the correlation with the map of 4ake rises" {
    need_maps
    need_shared
    local frame expected
    trjcat -t "$DATA/dcd/adk.psf" -g 'P=protein and not hydrogen' --carry resid --fit "name CA:$MAPS/4ake_t.pdb" \
        "$DATA/dcd/adk_dims.dcd" 2>/dev/null >"$T/a.trjf"
    mapcc -m "$MAPS/4ake_t_s2.mrc" --sigma 1.125 --of P "$T/a.trjf" >"$T/cc.tsv"
    while read -r frame expected; do
        close_to "$(score "$T/cc.tsv" "$frame")" "$expected" 0.0005
    done <<'END'
0 0.583
24 0.660
48 0.758
72 0.845
97 0.883
END
    # The best frame is the last one; residues of the moving domain improve most.
    [[ $(rows "$T/cc.tsv" | sort -k3,3gr | head -n 1 | cut -f 1) == 97 ]]
    mapcc -m "$MAPS/4ake_t_s2.mrc" --sigma 1.125 --per residue --local whole "$T/a.trjf" >"$T/local.tsv"
    [[ $(rows "$T/local.tsv" | head -n 1 | awk '{ print NF }') == 216 ]]
    rows "$T/local.tsv" | awk 'NR == 1 { first = $132 } END { print first, $132; exit !($132 > first + 0.4) }'
}

# The numbers in $T/found are those in $T/expected, to 1e-7.
equal_scores() {
    [[ $(wc -l <"$T/found") == 7 ]]
    paste "$T/found" "$T/expected" |
        awk '{ d = $1 / $2 - 1; print; if (d > 1e-7 || d < -1e-7) bad = 1 } END { exit bad }'
}

@test "scores of dumped densities agree with numpy" {
    need_python_module numpy
    make_stream
    mapcc -m "$T/map.dx" --sigma 1.3 --of P --dump "$T/sim.npy" "$T/a.trjf" >"$T/cc.tsv"
    mapmath a "$T/map.dx" -o "$T/map.npy"
    cat >"$T/check.py" <<'END'
import sys, numpy
a, b = (numpy.load(f).astype(float).ravel() for f in sys.argv[1:3])
if len(sys.argv) > 3:
    used = b > float(sys.argv[3])
    a, b = a[used], b[used]
c = numpy.linalg.lstsq(numpy.stack([a, 1 + 0 * a], 1), b, rcond=None)[0]
p = (a > 0) & (b > 0)
re = (b[p] / b[p].sum() * numpy.log(b[p] / b[p].sum() / (a[p] / a[p].sum()))).sum()
for v in (numpy.corrcoef(a, b)[0, 1], a @ b / (a @ a * (b @ b)) ** .5, a @ b, (a * b).mean(), ((a - b) ** 2).mean(),
          ((c[0] * a + c[1] - b) ** 2).mean(), re):
    print("%.9g" % v)
END
    # --dump writes integers of a quantum, which numpy reads as such: the quantum is in the second file.
    mapmath a "$T/sim.npy" -o "$T/real.dx"
    mapmath a "$T/real.dx" -o "$T/real.npy"
    run_python "$T/check.py" "$T/real.npy" "$T/map.npy" >"$T/expected"
    mapcc "$T/real.dx" "$T/map.dx" | rows | cut -f 2 >"$T/found"
    equal_scores
    close_to "$(score "$T/cc.tsv")" "$(head -n 1 "$T/expected")" 1e-7
    mapcc --mask level:4 "$T/real.dx" "$T/map.dx" | rows | cut -f 2 >"$T/found"
    run_python "$T/check.py" "$T/real.npy" "$T/map.npy" 4 >"$T/expected"
    equal_scores
}

@test "a map with itself: exactly 1; a linear function of it: 1; any number of threads: the same table" {
    make_stream
    mapcc "$T/map.dx" "$T/map.dx" | rows >"$T/self"
    grep -qx "$(printf 'pearson\t1')" "$T/self"
    grep -qx "$(printf 'msd\t0')" "$T/self"
    mapmath '3 * a - 7' "$T/map.dx" -o "$T/linear.dx"
    close_to "$(mapcc "$T/linear.dx" "$T/map.dx" | awk '$1 == "pearson" { print $2 }')" 1 1e-12
    local options
    for options in '' '--per group' '--per group --local whole' '--per group --mask radius:3'; do
        # shellcheck disable=SC2086 # a list of words
        mapcc -j 1 -m "$T/map.dx" --sigma 1.3 --of P $options "$T/a.trjf" | rows >"$T/one"
        # shellcheck disable=SC2086
        mapcc -j 3 -m "$T/map.dx" --sigma 1.3 --of P $options "$T/a.trjf" | rows >"$T/three"
        same "$T/one" "$T/three"
        [[ $(wc -l <"$T/one") == 4 ]]
    done
}

@test "parts: groups may overlap, and a group of all atoms has the score of the whole" {
    make_stream
    trjcat -g 'P=all' -g 'A=index 0 to 9' -g 'Q=all' "$T/a.xyz" 2>/dev/null >"$T/b.trjf"
    mapcc -m "$T/map.dx" --sigma 1.3 --of P --per group --mask all "$T/b.trjf" | rows | cut -f 4 >"$T/part"
    mapcc -m "$T/map.dx" --sigma 1.3 --of P "$T/b.trjf" | rows | cut -f 3 | same - "$T/part"
    mapcc -m "$T/map.dx" --sigma 1.3 --of A "$T/b.trjf" | rows | cut -f 3 >"$T/expected"
    mapcc -m "$T/map.dx" --sigma 1.3 --of P --per group --mask all "$T/b.trjf" | rows | cut -f 3 | same - "$T/expected"
}

@test "the table: provenance, map, mask, level, sigma, amplitude, and the columns" {
    make_stream
    mapcc -m "$T/map.dx" -r 5 --of P --mask 1sigma "$T/a.trjf" >"$T/cc.tsv"
    grep -q "^# provenance: mapcc $TRJPIPE_VERSION: mapcc -m .*map.dx -r 5 --of P --mask 1sigma" "$T/cc.tsv"
    grep -q '^# map: .*map.dx, 14 x 15 x 16 points, mean ' "$T/cc.tsv"
    grep -qE '^# mask: 1sigma; [0-9]+ points$' "$T/cc.tsv"
    grep -qE '^# level: [0-9.]+ of the map$' "$T/cc.tsv"
    grep -qx '# sigma: 1.125395 Angstrom, 0.22508 times the resolution of 5 Angstrom' "$T/cc.tsv"
    grep -q '^# amplitude: atomic numbers' "$T/cc.tsv"
    grep -qx "$(printf '# frame\ttime\tcc(P)')" "$T/cc.tsv"
}

@test "Fourier shell correlation: 1 for equal maps, and that of numpy for others" {
    make_stream
    mapcc --version | has FFTW || skip 'built without FFTW'
    mapcc --fsc "$T/map.dx" "$T/map.dx" >"$T/fsc.tsv"
    grep -q '^# resolution at 0.143: better than the limit of the lattice' "$T/fsc.tsv"
    rows "$T/fsc.tsv" | awk '$2 < 1 - 1e-12 || $2 > 1 + 1e-12 { bad = 1 } END { exit bad || NR < 5 }'
    need_python_module numpy
    mapmath 'a * a' "$T/map.dx" -o "$T/square.dx"
    mapcc --fsc "$T/map.dx" "$T/square.dx" | rows >"$T/found"
    mapmath a "$T/map.dx" -o "$T/a.npy"
    mapmath a "$T/square.dx" -o "$T/b.npy"
    cat >"$T/check.py" <<'END'
import sys, numpy
f, g = (numpy.fft.fftn(numpy.load(n)) for n in sys.argv[1:3])
h = numpy.array([[1.6, 0, 0], [.4, 1.5, 0], [-.2, .1, 1.4]])
k = numpy.stack(numpy.meshgrid(*[numpy.fft.fftfreq(n) for n in f.shape], indexing="ij"), -1)
s = numpy.linalg.norm(k @ numpy.linalg.inv(h).T, axis=-1)
edge = max(n * numpy.linalg.norm(v) for n, v in zip(f.shape, h))
shell = numpy.floor(s * edge + .5).astype(int)
for line in open(sys.argv[3]):
    at, fsc, terms = map(float, line.split())
    used = shell == round(at * edge)
    c = (f[used] * g[used].conj()).sum().real / ((abs(f[used]) ** 2).sum() * (abs(g[used]) ** 2).sum()) ** .5
    assert abs(c - fsc) < 1e-8 and used.sum() == terms, (at, fsc, c, terms, used.sum())
END
    run_python "$T/check.py" "$T/a.npy" "$T/b.npy" "$T/found"
}

@test "atoms outside of the map: a note states their share, and scores without points are nan" {
    make_stream
    awk 'NF == 4 { $2 += 500 } { print }' "$T/a.xyz" >"$T/far.xyz"
    trjcat -g P=all -g 'A=index 0' "$T/far.xyz" 2>/dev/null >"$T/far.trjf"
    mapcc -m "$T/map.dx" -r 5 --of P "$T/far.trjf" 2>"$T/err" >"$T/cc.tsv"
    has 'note: frame 0: 100 % of the density of group P is outside of the map' "$T/err"
    [[ $(score "$T/cc.tsv") == nan ]]
    mapcc -m "$T/map.dx" -r 5 --of P --per group "$T/far.trjf" | rows | cut -f 3 | has -x nan
}

# The atoms are as far as possible from the points, where the density is 0.77 of that in the middle.
@test "massless sites of water (TIP4P): the scores are those without them, for each amplitude" {
    make_stream b
    # water SITES: 20 molecules
    water() {
        awk -v sites="$1" "$AWK_RANDOM"'BEGIN {
            seed = 3; n = split(sites, site, " ")
            dx["OW"] = 0; dx["HW1"] = 0.0957; dx["HW2"] = -0.024; dx["MW"] = 0.01
            dy["OW"] = 0; dy["HW1"] = 0; dy["HW2"] = 0.0927; dy["MW"] = 0.01
            print "water\n" 20 * n
            for (m = 1; m <= 20; m++) {
                x = random(); y = random(); z = random()
                for (i = 1; i <= n; i++)
                    printf "%5dSOL  %5s%5d%8.3f%8.3f%8.3f\n", m, site[i], ++a, x + dx[site[i]], y + dy[site[i]], z
            }
            print 2, 2, 2
        }'
    }
    water 'OW HW1 HW2 MW' >"$T/4.gro"
    water 'OW HW1 HW2' >"$T/3.gro"
    local amplitude sites
    for sites in 3 4; do trjcat -g P=all "$T/$sites.gro" >"$T/$sites.trjf" 2>/dev/null; done
    for amplitude in mass Z electron; do
        for sites in 3 4; do
            mapcc -m "$T/map.dx" --sigma 1.2 -a $amplitude --mask simulated:0.5 "$T/$sites.trjf" 2>/dev/null |
                rows >"$T/$sites.$amplitude"
        done
        [[ -s $T/3.$amplitude ]]
        diff "$T/3.$amplitude" "$T/4.$amplitude"
    done
    trjcat -g 'P=name MW' "$T/4.gro" 2>/dev/null >"$T/m.trjf"
    fails 3 'all amplitudes of group P are 0; use --amplitude 1' \
        mapcc -m "$T/map.dx" --sigma 1.2 -a electron "$T/m.trjf"
}

@test "Gaussians too narrow for the steps: a note, and no note about atoms outside of the map" {
    {
        echo 64
        echo
        for x in 2.5 3.5 4.5 5.5; do for y in 2.5 3.5 4.5 5.5; do for z in 2.5 3.5 4.5 5.5; do
            echo "C $x $y $z"
        done; done; done
    } >"$T/x.xyz"
    trjcat -g P=all "$T/x.xyz" >"$T/x.trjf" 2>"$T/err"
    densmap -e cpu --sigma 1 --origin 0,0,0 --points 9,9,9 --steps 1,1,1 -o "$T/m.dx" "$T/x.trjf" 2>"$T/err"
    mapcc -m "$T/m.dx" --sigma 0.4 -a 1 "$T/x.trjf" >"$T/cc.tsv" 2>"$T/err"
    grep -q 'note: the Gaussians, of width 0.4 Å, are too narrow for the steps of the lattice, 1 Å' "$T/err"
    run ! grep 'outside of the map' "$T/err"
    mapcc -m "$T/m.dx" --sigma 0.82 -a 1 "$T/x.trjf" >"$T/cc.tsv" 2>"$T/err"
    run ! grep 'too narrow' "$T/err"
    # sigma is 0.9 steps; on steps of 0.5 Angstrom, the correlations differ by at most 0.0001
    trjcat -t examples/cryo-em/folded.pdb -g P=all examples/cryo-em/folded.pdb 2>"$T/err" |
        mapcc -m examples/cryo-em/folded.mrc -r 8 -a 1 >"$T/cc.tsv" 2>"$T/err"
    run ! grep 'too narrow' "$T/err"
    awk 'NF == 4 { $2 += 3 } { print }' "$T/x.xyz" >"$T/y.xyz" # a quarter of the atoms is outside
    trjcat -g P=all "$T/y.xyz" 2>"$T/err" | mapcc -m "$T/m.dx" --sigma 0.4 -a 1 >"$T/cc.tsv" 2>"$T/err"
    grep -q 'note: frame 0: 25 % of the density of group P is outside of the map' "$T/err"
}

@test "a mask above all densities: no point is used, also for fractions that exceed all integers" {
    make_stream
    for fraction in 1e3 1e12 1e30 1e300; do
        mapcc -m "$T/map.dx" -r 5 --of P --mask "simulated:$fraction" "$T/a.trjf" 2>/dev/null | rows | cut -f 3 |
            sort -u >"$T/score"
        [[ $(cat "$T/score") == nan ]]
    done
}

@test "invalid options and inputs: the message gives the cause and the remedy" {
    make_stream
    local map=$T/map.dx option
    fails_cleanly 2 'give two maps, or --map FILE for the frames of a stream' mapcc "$map"
    fails_cleanly 2 'the width of the Gaussians is missing; give --resolution R' mapcc -m "$map" "$T/a.trjf"
    for option in --stats --threads=2 --engine=cpu; do
        fails_cleanly 2 "--engine, --devices, --threads and --stats require the frames of a stream" \
            mapcc "$option" "$map" "$map"
    done
    fails_cleanly 2 "--sigma-factor: invalid factor 'vmd': expected chimerax, situs, tempy, fwhm or a number" \
        mapcc -m "$map" -r 5 --sigma-factor vmd "$T/a.trjf"
    fails_cleanly 2 "--mask: invalid mask 'radius:-1'" mapcc -m "$map" -r 5 --mask radius:-1 "$T/a.trjf"
    fails_cleanly 2 'cannot be combined; leave one out' \
        mapcc -m "$map" -r 5 --mask radius:2 --mask simulated:1 "$T/a.trjf"
    fails_cleanly 2 'where the Gaussians end (5 sigma); use a smaller radius' \
        mapcc -m "$map" -r 5 --of P --mask radius:9 "$T/a.trjf"
    fails_cleanly 2 'add --mask simulated:F or radius:R' \
        mapcc -m "$map" -r 5 --of P --per group --local whole --mask all "$T/a.trjf"
    fails_cleanly 2 'the stream has 3 groups; choose one with --of, such as --of P' \
        mapcc -m "$map" -r 5 "$T/a.trjf"
    fails_cleanly 2 "--of: the stream has no group 'X'" mapcc -m "$map" -r 5 --of X "$T/a.trjf"
    fails_cleanly 3 'the stream carries no segid; add --carry segid to trjcat' \
        mapcc -m "$map" -r 5 --of P --per segid "$T/a.trjf"
    fails_cleanly 3 '--per molecule: the stream has no molecules' mapcc -m "$map" -r 5 --of P --per molecule "$T/a.trjf"
    fails_cleanly 3 'contains none of the 3360 points' mapcc -m "$map" -r 5 --of P --mask level:100 "$T/a.trjf"
    sed 's/counts 14 15 16/counts 14 16 15/' "$map" >"$T/other.dx"
    fails_cleanly 3 'has 14 x 15 x 16; interpolate one of them at the points of the other with mapmath --like' \
        mapcc "$T/other.dx" "$map"
    sed 's/origin -13/origin -12/' "$map" >"$T/moved.dx"
    fails_cleanly 3 'are not those of' mapcc "$T/moved.dx" "$map"
    sed '/^[0-9-]/s/.*/3/' "$map" >"$T/constant.dx"
    fails_cleanly 3 'all values are 3: the correlation with a constant map is not defined' mapcc "$T/constant.dx" "$map"
    sed '8s/.*/nan/' "$map" >"$T/nan.dx"
    fails 3 '' mapcc "$T/nan.dx" "$map"
    trjcat -g 'D=x < 0' "$T/a.xyz" 2>/dev/null >"$T/dynamic.trjf"
    fails_cleanly 3 'select them without conditions on coordinates' mapcc -m "$map" -r 5 "$T/dynamic.trjf"
    trjcat -g P=all "$T/a.xyz" 2>/dev/null | head -c 300 >"$T/cut.trjf"
    fails_cleanly 3 'truncated' mapcc -m "$map" -r 5 "$T/cut.trjf"
}

# random_atoms SEED: writes 20 atoms in a cube of 12 Angstrom as GRO
random_atoms() {
    awk -v seed="$1" 'function r() { seed = (seed * 16807) % 2147483647; return 2 + 1.2 * seed / 2147483647 }
        BEGIN { print "atoms\n20"
            for (i = 1; i <= 20; i++) printf "%5dM        A%5d%8.3f%8.3f%8.3f\n", i, i, r(), r(), r()
            print "5 5 5" }'
}

@test "GROMACS: a density-guided simulation has the same inner product, cross-correlation and relative entropy" {
    need_mdrun
    random_atoms 3 >"$T/model.gro"
    random_atoms 4 >"$T/target.gro"
    trjcat -P none "$T/target.gro" 2>/dev/null |
        densmap --sigma 2.5 --origin 8,9,10 --points 36,34,32 --steps 1,1,1 --mean -o "$T/target.mrc" 2>/dev/null
    cat >"$T/model.top" <<'END'
[ defaults ]
1 1 no 1.0 1.0
[ atomtypes ]
A 6 12.0 0.0 A 0.0 0.0
[ moleculetype ]
M 0
[ atoms ]
1 A 1 M A 1 0.0 12.0
[ system ]
atoms
[ molecules ]
M 20
END
    cd "$T"
    # The limits are squares of relative differences. GROMACS computes densities in float32; its relative entropy
    # includes points where our density is below one quantum.
    for measure in inner-product:inner:4e-10 cross-correlation:pearson:4e-10 relative-entropy:re:4e-4; do
        IFS=: read -r name score limit <<<"$measure"
        cat >run.mdp <<END
integrator = md
nsteps = 0
nstlog = 1
nstenergy = 1
nstcalcenergy = 1
density-guided-simulation-active = yes
density-guided-simulation-group = System
density-guided-simulation-similarity-measure = $name
density-guided-simulation-atom-spreading-weight = unity
density-guided-simulation-force-constant = 1
density-guided-simulation-gaussian-transform-spreading-width = 0.2
density-guided-simulation-gaussian-transform-spreading-range-in-multiples-of-width = 5
density-guided-simulation-reference-density-filename = target.mrc
density-guided-simulation-nst = 1
density-guided-simulation-normalize-densities = $([[ $name == relative* ]] && echo true || echo false)
END
        timeout 60 gmx -quiet -nobackup grompp -f run.mdp -c model.gro -p model.top -o run.tpr -maxwarn 5 >gmx.log 2>&1
        timeout 600 gmx -quiet -nobackup mdrun -s run.tpr -deffnm run -nt 1 >gmx.log 2>&1
        grep -q 'Dens. fitting' run.log || skip 'this gmx has no density-guided simulations'
        # The energy is minus the similarity, which is minus the relative entropy.
        awk -v re="$score" '/Dens. fitting/ { column = index($0, "Dens. fitting") - 2; getline
            print (re == "re" ? 1 : -1) * substr($0, column, 15); exit }' run.log >similarity
        trjcat -P none -g P=all model.gro 2>/dev/null |
            mapcc -m target.mrc --sigma 2 -a 1 -s "$score" >cc.tsv 2>/dev/null
        awk -v a="$(score cc.tsv)" -v b="$(cat similarity)" -v limit="$limit" \
            'BEGIN { exit !(b > 0 && (a / b - 1) ^ 2 < limit) }' ||
            { echo "$measure: $(score cc.tsv), GROMACS $(cat similarity)"; return 1; }
    done
}
