#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# potmap: options that contradict one another or have no effect, records chosen for standard errors, streams without
# members or with one atom, and merging of segments.
load helper

# A stream $T/q.trjf of 300 charges in 40 frames.
stream() {
    mkdcd --atoms 300 --frames "${1:-40}" --cell 20,22,24,90,90,90 >"$T/x.dcd"
    awk 'BEGIN { for (i = 1; i <= 300; i++)
        printf "ATOM  %5d  O   WAT  %4d    %8.3f%8.3f%8.3f %7.4f %6.4f\n", i, i, 0, 0, 0, i % 3 ? 0.417 : -0.834, 1 }' \
        >"$T/x.pqr"
    trjcat -t "$T/x.pqr" --carry charge,radius -o "$T/q.trjf" "$T/x.dcd" 2>/dev/null
}

@test "--stderr-map without --block: records that grow with the number of frames, and a note on independent blocks" {
    need_python_module numpy
    stream
    local map=(--origin "1,1,1" --dime "4,5,6" --steps "3,3,3" --units e/A)
    potmap --method cutoff -k shift -r 9 "${map[@]}" --stderr-map "$T/e.npy" -o "$T/m.npy" "$T/q.trjf" 2>"$T/err"
    # 32 records of one frame are joined to 16, and 4 of 2 frames follow. Independent frames show no correlation.
    grep -q 'note: --stderr-map: 20 independent blocks of up to 2 frames' "$T/err"
    potmap --method cutoff -k shift -r 9 "${map[@]:0:6}" --each -o "$T/f.trjg" "$T/q.trjf" 2>/dev/null
    for i in {0..39}; do mapconv --record "$i" "$T/f.trjg" -o "$T/f.$i.npy" 2>/dev/null; done
    run_python -c "
import numpy
frames = numpy.array([numpy.load('$T/f.%d.npy' % i).reshape(-1) for i in range(40)])
means, mean = frames.reshape(20, 2, -1).mean(1), frames.mean(0)
error = numpy.sqrt(((means - mean) ** 2).sum(0) / 20 / 19)
assert abs(numpy.load('$T/m.npy').reshape(-1) - mean).max() < 1e-11
assert abs(numpy.load('$T/e.npy').reshape(-1) / error - 1).max() < 1e-6"
    mapsum --stderr "$T/f.trjg" -o "$T/s.npy" 2>"$T/err"
    grep -q 'mapsum: note: --stderr: 20 independent blocks of up to 2 frames' "$T/err"
    run_python -c "
import numpy
ratio = numpy.load('$T/s.npy') / numpy.load('$T/e.npy') # of the units
assert abs(ratio / ratio.flat[0] - 1).max() < 1e-6"
    densmap -g 3 --stderr-map "$T/d.npy" -o "$T/m.npy" "$T/q.trjf" 2>"$T/err"
    grep -q 'densmap: note: --stderr-map: 20 independent blocks of up to 2 frames' "$T/err"
    stream 1
    fails 3 'at least 2' potmap --method pme -g 2 --stderr-map "$T/one.dx" -o "$T/mean.dx" "$T/q.trjf"
    [[ ! -e $T/one.dx && ! -e $T/mean.dx ]]
}

@test "options that contradict one another or have no effect: exit status 2" {
    stream 2
    local x=$T/q.trjf points=(potmap --method direct --points "$T/p.xyz")
    echo 1 2 3 >"$T/p.xyz"
    for option in '--center 1,1,1' '--glen 9,9,9' '--pad 3' '--steps 1,1,1' '--origin 0,0,0' --fractional '-g 1'; do
        # shellcheck disable=SC2086 # options are words
        fails 2 '--points gives the points; leave out the options of the lattice' "${points[@]}" $option "$x"
        echo >"$T/template"
        # shellcheck disable=SC2086
        fails 2 '--apbs: the template states the points' potmap --method mdh --apbs "$T/template" -o "$T/f" $option "$x"
    done
    fails 2 '--points: standard input is the frame stream; give a file' potmap --method direct --points -
    fails 2 'with --points, give --each alone' "${points[@]}" --each --mean "$x"
    fails 2 'leave out --to*--block' potmap --method mdh --apbs "$T/template" -o "$T/f" -B 2 "$x"
    local map=(potmap --method pme -g 2)
    fails 2 '--stderr-map and --output have the same name' "${map[@]}" --stderr-map "$T/a.dx" -o "$T/a.dx" "$x"
    fails 2 '--block ends records of sums, but the mean is written' "${map[@]}" -B 1 -o "$T/a.dx" "$x"
    fails_cleanly 2 '--dielectric*not an electrostatic potential' "${map[@]}" --dump charge --dielectric 4 "$x"
    fails_cleanly 2 '--dielectric*not an electrostatic potential' \
        potmap --method cutoff -k count -r 9 -g 2 --dielectric 4 "$x"
    fails_cleanly 2 '--coulomb has no effect on potentials in e/A' "${map[@]}" --units e/A --coulomb amber "$x"
    fails_cleanly 2 '--temperature applies to potentials in kT/e' "${map[@]}" --units V -T 310 "$x"
    fails_cleanly 2 '--tolerance: invalid value 0' potmap --method pme --tolerance 0 "$x"
    fails_cleanly 2 '--tolerance chooses the mesh' potmap --method pme --tolerance 1e-3 --pad 3 "$x"
    # Options that concern only the unit imply the mean.
    "${map[@]}" --coulomb amber "$x" 2>/dev/null | mapinfo - | has '^unit	kT/e'
    "${map[@]}" -T 310 "$x" 2>/dev/null | mapinfo - | has '^unit	kT/e'
    potmap --method mdh --ions 1:0.15:2,-1:0.15:2 -T 310 --inside ok --dime 5,5,5 "$x" 2>/dev/null | mapinfo - |
        grep -q '^unit	e/A'
}

@test "--points to standard output, an error: the output ends like a table, not like a stream" {
    stream 2
    echo 1 2 3 >"$T/p.xyz"
    { potmap --method direct --points "$T/p.xyz" -g 1 "$T/q.trjf" 2>/dev/null || :; } | cat >"$T/out"
    [[ $(<"$T/out") == '# FAILED: potmap: --points gives the points'* ]]
}

@test "pme: a note about a mesh that is too coarse, or a cutoff that is too short" {
    potmap --version | has FFTW || skip 'this build lacks FFTW'
    stream 1
    potmap --method pme -g 2 --alpha 1 -o "$T/a.trjg" "$T/q.trjf" 2>"$T/err"
    grep -q 'note: the mesh is coarse for alpha 1 .*decrease --grid' "$T/err"
    potmap --method pme -g 1 --full -r 5 -o "$T/a.trjg" "$T/q.trjf" 2>"$T/err"
    grep -q 'note: the cutoff 5 .*increase --cutoff' "$T/err"
    potmap -e cpu --method pme -g 2 -o "$T/a.trjg" "$T/q.trjf" 2>"$T/err"
    [[ ! -s $T/err ]] # the error is 2e-5, as expected for random charges
    fails 3 'requires a lattice that divides a cell' potmap --method pme --around -g 2 "$T/q.trjf"
}

@test "pme: the error of a coarse mesh is measured; the note gives the difference from a fine mesh" {
    potmap --version | has FFTW || skip 'this build lacks FFTW'
    need_python_module numpy
    local water=examples/water/water
    awk '/^(ATOM|HETATM)/ { name = $3; printf "ATOM %d %s WAT %d 0 0 0 %.4f 1\n", ++n, name, (n + 2) / 3,
        name == "OW" ? -0.8476 : 0.4238 }' $water.pdb >"$T/w.pqr"
    trjcat -t "$T/w.pqr" --carry charge -f 0:1 -o "$T/w.trjf" $water.dcd 2>/dev/null
    potmap -e cpu --method pme -g 2 -m -o "$T/coarse.npy" "$T/w.trjf" 2>"$T/err"
    potmap -e cpu --method pme -g 1 -m -o "$T/fine.npy" "$T/w.trjf" 2>"$T/fine"
    run ! grep 'mesh is coarse' "$T/fine"
    local membrane=examples/membrane/membrane
    trjcat -t $membrane.pqr -g system=all --carry charge -f 0:1 -o "$T/m.trjf" $membrane.xtc 2>/dev/null
    potmap -e cpu --method pme --dielectric 78.54 -g 2 -o "$T/m.trjg" "$T/m.trjf" 2>"$T/fine"
    run ! grep 'mesh is coarse' "$T/fine" # 5e-6
    run_python -c "
import numpy, re
coarse, fine = (numpy.load('$T/%s.npy' % name).squeeze() for name in ('coarse', 'fine'))
fine = fine[::2, ::2, ::2]
error = ((coarse - fine) ** 2).mean() ** 0.5 / (fine ** 2).mean() ** 0.5
note = 'relative rms error of ([^ ]*) at 100 points of the first frame; decrease --grid'
noted = re.search(note, open('$T/err').read())
print(error, noted.group(1))
assert abs(float(noted.group(1)) / error - 1) < 0.25 and error > 1e-4"
}

@test "direct and fast: a note if the frames are periodic, as their images are not summed" {
    stream 1
    local method
    for method in direct fast; do
        potmap -e cpu --method $method -g 4 -o "$T/a.trjg" "$T/q.trjf" 2>"$T/err" || [[ $method == fast ]]
        grep -q "note: the frames are periodic, but --method $method has no periodic images" "$T/err"
    done
    trjcat -P none "$T/q.trjf" 2>"$T/err" | potmap -e cpu --method direct --around -g 4 -o "$T/a.trjg" 2>"$T/err"
    run ! grep periodic "$T/err"
}

@test "segments: mapsum of two parts gives the bytes of the whole; a frame that counts twice is an error" {
    stream 10
    local method part
    for method in 'direct --soften plummer:1' 'cutoff -k rodrigues -r 9' 'pme --dump charge'; do
        for part in 1 2; do
            # shellcheck disable=SC2086 # options are words
            trjcat -t "$T/x.pqr" --carry charge --segment $part/2 "$T/x.dcd" 2>/dev/null |
                potmap --method $method -g 3 -o "$T/$part.trjg"
        done
        # shellcheck disable=SC2086
        potmap --method $method -g 3 "$T/q.trjf" | mapsum --mean -o "$T/whole.npy" - 2>/dev/null
        mapsum --mean -o "$T/parts.npy" "$T/1.trjg" "$T/2.trjg" 2>/dev/null
        same "$T/whole.npy" "$T/parts.npy"
        fails 3 'occurs twice' mapsum --mean "$T/1.trjg" "$T/1.trjg"
    done
}

@test "groups without atoms in a frame, and with one atom" {
    stream 2
    trjcat -t "$T/x.pqr" --carry charge -g 'none=(within 0.001 of index 0) and not index 0' -g 'one=index 0' \
        -o "$T/g.trjf" "$T/x.dcd" 2>/dev/null
    for group in none one; do
        for method in 'cutoff -k shift -r 9' 'pme' 'direct --soften plummer:1'; do
            # shellcheck disable=SC2086 # options are words
            potmap --of $group --method $method -g 4 "$T/g.trjf" | mapinfo - >"$T/info"
            grep -q '^values	' "$T/info"
            [[ $group == one ]] || has '^max	0$' "$T/info"
        done
    done
    fails_cleanly 3 'none has no atoms in the first frame*--origin' \
        potmap --of none --method direct --around -g 4 "$T/g.trjf"
    fails_cleanly 3 '--soften, or other points' potmap --of one --method direct --around --pad 0 -g 1 "$T/g.trjf"
}

@test "--apbs with several frames: the files that APBS writes have the numbers of the frames" {
    printf '%s\n' 'ATOM 1 N ALA A 1 1.5 2.5 3.5 -0.3 1.8' 'ATOM 2 CA ALA A 1 1 2 3 0.1 2.0' >"$T/a.pqr"
    trjcat -t "$T/a.pqr" -P none --carry charge,radius "$T/a.pqr" "$T/a.pqr" >"$T/two.trjf"
    printf '%s\n' 'read' ' mol pqr old.pqr' 'end' 'elec' ' mg-manual' ' dime 17 17 17' ' glen 9 9 9' ' gcent mol 1' \
        ' mol 1' ' bcfl mdh' ' sdie 80' ' temp 300' ' write pot dx out' ' write charge dx "q t"' 'end' >"$T/template.in"
    mkdir "$T/a"
    (cd "$T/a" && potmap --method mdh --apbs "$T/template.in" -o 'f.%04d' "$T/two.trjf")
    [[ $(grep -h write "$T"/a/f.0000.in) == ' write pot dx out.0000
 write charge dx "q t.0000"' ]]
    [[ $(grep -h write "$T"/a/f.0001.in) == ' write pot dx out.0001
 write charge dx "q t.0001"' ]]
    # A name without a number is that of a single frame.
    trjcat -t "$T/a.pqr" -P none --carry charge,radius "$T/a.pqr" |
        (cd "$T/a" && potmap --method mdh --apbs "$T/template.in" -o one)
    same <(grep write "$T/template.in") <(grep write "$T/a/one.in")
}

# agrees BOUND OPTION...: a map of the method cutoff from the engine cpu differs from that of the reference by at most
# BOUND, relative to their rms
agrees() {
    local engine
    for engine in cpu reference; do
        potmap -e $engine --method cutoff -g 2.7 --units e/A --to dx "${@:2}" "$T/q.trjf" 2>/dev/null |
            grep -E '^[-0-9. e+]+$' | tr -s ' ' '\n' | grep . >"$T/$engine"
    done
    paste "$T/cpu" "$T/reference" | awk -v bound="$1" '
        { d = $1 - $2; d = d < 0 ? -d : d; if (d > most) most = d; sum += $2 ^ 2; n++ }
        END { rms = sqrt(sum / n); if (!(n > 600 && most <= bound * (rms + 1e-6))) { print n, most, rms; exit 1 } }'
}

@test "a table of few rows: the values of the reference in all pieces, also in the second half of the last one" {
    stream 1
    local rows
    for rows in 2 3 7; do
        awk -v n=$rows 'BEGIN { print "# r f"; for (i = 0; i < n; i++) print 9 * i / (n - 1), 1 - (i / (n - 1)) ^ 2 }' \
            >"$T/table"
        agrees 3e-6 -k "table:$T/table" -r 9
        agrees 3e-6 -k "table:$T/table" -r 8
    done
}

@test "erfc:ALPHA with alpha r up to 10,000: the values of the reference" {
    stream 1
    local alpha
    for alpha in 1 8 10 100 1000; do agrees 3e-6 -k erfc:$alpha -r 10; done
}
