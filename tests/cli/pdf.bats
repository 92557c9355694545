#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Pair distribution functions as measured: rdfderive -q pdf compared with double sums over pairs computed by
# numpy (tests/helpers/pdf.py), files of other programs, and measured tables as input.
load helper

pdf_py() {
    run_python tests/helpers/pdf.py "$@"
}

# near EXPECTED GOT TOLERANCE: the second columns of two tables are equal within TOLERANCE times the largest value
near() {
    paste "$1" "$2" | awk -v t="$3" 'function abs(x) { return x < 0 ? -x : x }
        { n++; if (abs($1 - $3) > 1e-6) exit bad = 1; d = abs($2 - $4); if (d > m) { m = d; r = $1 }
          if (abs($2) > s) s = abs($2) }
        END { print "difference", m, "at", r, "of", s; exit bad || !(n > 20 && s > 0 && m < t * s) }'
}

BINS=4000 # of counts that are compared with sums over distances, which pdf.py rounds in the same way

# count KIND SEED RMAX: writes atoms to $T/xyz and their counts to $T/rdfh
count() {
    pdf_py make "$1" "$2" >"$T/xyz"
    trjcat --by element "$T/xyz" | rdfhist -e cpu -b "$BINS" -r "$3" -p '*:*' >"$T/rdfh" 2>/dev/null
}

@test "double sums by numpy: each window, resolution and probe, in a rectangular and a triclinic cell" {
    need_python_module numpy
    local kind window probe
    for kind in cubic triclinic; do
        count $kind 3 8
        for window in none lorch revised-lorch hann; do
            [[ $window == lorch ]] && probe=xray || probe=neutron
            pdf_py debye "$T/xyz" 8 $BINS "$probe" 0.5 15 $window 0.05 0.01 pdf 7 0.1 >"$T/expected"
            rdfderive -q pdf --total "$probe" --qmin 0.5 --qmax 15 -w $window --qdamp 0.05 --qbroad 0.1 \
                --peak-width 0.1 --rmax 7 --dr 0.1 "$T/rdfh" | rows >"$T/got"
            near "$T/expected" "$T/got" 1e-4
        done
    done
}

@test "double sums by numpy: each form, with the functions of Keen" {
    need_python_module numpy
    local form
    count triclinic 4 8
    for form in pdf g rdf d t fz; do
        pdf_py debye "$T/xyz" 8 $BINS xray 0.5 15 lorch 0.05 0 $form 7 0.1 >"$T/expected"
        rdfderive -q pdf --form $form --total xray --qmin 0.5 --qmax 15 -w lorch --qdamp 0.05 --rmax 7 --dr 0.1 \
            "$T/rdfh" >"$T/table"
        rows "$T/table" >"$T/got"
        near "$T/expected" "$T/got" 1e-4
    done
    grep -q '^# r	G(xray)$' "$T/table"
}

@test "cluster in vacuum: Debye's sum over all pairs, without the term of the density" {
    need_python_module numpy
    local form
    count cluster 5 20
    for form in pdf d; do
        pdf_py debye "$T/xyz" 20 $BINS xray 0.5 15 lorch 0.05 0 $form 12 0.1 >"$T/expected"
        rdfderive -q pdf --form $form --total xray --qmin 0.5 --qmax 15 -w lorch --qdamp 0.05 --rmax 12 --dr 0.1 \
            "$T/rdfh" >"$T/table"
        rows "$T/table" >"$T/got"
        near "$T/expected" "$T/got" 1e-4
    done
    grep -qx '# frames have no density: G(r) contains no term -4 pi r rho' "$T/table"
    fails_cleanly 3 '--form g: requires a density, which frames without periodicity do not have' \
        rdfderive -q pdf --form g --total xray "$T/rdfh"
}

@test "nickel: peaks broadened by --qbroad are the Gaussians of PDFgui, at the distances of the lattice" {
    need_python_module numpy
    pdf_py fcc 3.52 4 >"$T/xyz"
    trjcat --by element "$T/xyz" | rdfhist -e cpu -b "$BINS" -r 9 -p '*:*' >"$T/rdfh" 2>/dev/null
    pdf_py gaussians "$T/xyz" 9 $BINS 0.03 7 0.02 >"$T/expected"
    rdfderive -q pdf --total neutron --qmax 70 --qbroad 0.3 --peak-width 0.1 --rmax 7 --dr 0.02 "$T/rdfh" |
        rows >"$T/got"
    near "$T/expected" "$T/got" 3e-3
    # 12 neighbours at a/sqrt(2), in a Gaussian of the width 0.03 r: its height minus 4 pi r rho, rho = 4/a^3. A group
    # of N = 256 atoms has N/(N - 1) times the pairs of the infinite crystal.
    awk '$2 > high { high = $2; r = $1 } END { pi = atan2(0, -1); d = 3.52 / sqrt(2)
        want = 256 / 255 * 12 / (d * sqrt(2 * pi) * 0.03 * d) - 4 * pi * d * 4 / 3.52 ^ 3; print r, high, want
        exit !(r > d - 0.03 && r < d + 0.01 && high > 0.97 * want && high < 1.02 * want) }' "$T/got"
    # The envelope of --qdamp at a peak, where qmax is far beyond the width of the peak
    rdfderive -q pdf --total neutron --qmax 70 --qbroad 0.3 --peak-width 0.1 --qdamp 0.1 --rmax 7 --dr 0.02 "$T/rdfh" |
        rows | awk '{ print $1, $2 * exp(($1 * 0.1) ^ 2 / 2) }' >"$T/damped"
    near "$T/got" "$T/damped" 1e-2
}

@test "large qmax: G(r) tends to the pdf of rdfnorm" {
    trjcat -t examples/water/water.pdb --by element -f :16 examples/water/water.dcd |
        rdfhist -r 9 -b 90 -p '*:*' >"$T/rdfh"
    rdfnorm --form pdf --total number "$T/rdfh" | rows | cut -f 1,2 >"$T/direct"
    # Means over the bins of 0.1 A
    rdfderive -q pdf --total number --qmax 150 --dr 0.01 --rmin 0.005 --rmax 8.995 "$T/rdfh" | rows |
        awk '{ s += $2; if (++n == 10) { print $1 - 0.045 "\t" s / n; s = n = 0 } }' >"$T/means"
    near "$T/direct" "$T/means" 0.04
}

@test "excluded pairs: G(r) of all pairs is that without -x, and the sum of the parts" {
    trjcat -t examples/water/water.pdb --by element -f :16 examples/water/water.dcd >"$T/trjf"
    rdfhist -r 9 -b 900 -p '*:*' "$T/trjf" >"$T/rdfh"
    rdfhist -r 9 -b 900 -p '*:*' -x residue "$T/trjf" >"$T/x.rdfh"
    rdfderive -q pdf --total neutron --scatterer H=D --dr 0.05 "$T/rdfh" | rows | cut -f 1,2 >"$T/all"
    for part in in out only; do
        rdfderive -q pdf --total neutron --scatterer H=D --dr 0.05 --excluded $part "$T/x.rdfh" | rows |
            cut -f 1,2 >"$T/$part"
    done
    # Without -x, the excluded pairs are in the mean density, which -x leaves out: the curves differ by 4 pi r rho/N.
    near "$T/all" "$T/in" 0.01
    paste "$T/out" "$T/only" | awk '{ print $1 "\t" $2 + $4 }' >"$T/sum"
    near "$T/in" "$T/sum" 1e-6
}

@test "standard errors: those of G(r) are errors of the mean over independent frames" {
    local seed
    # 40 independent sets of frames of an ideal gas: the spread of G at 3 A is the mean standard error.
    for seed in $(seq 40); do
        mkdcd --atoms 60 --frames 32 --cell 14,14,14 --seed "$seed" | trjcat -g a=all - |
            rdfhist -e cpu -b 70 -r 7 -B 1 | rdfderive -q pdf --total number --qmax 8 --rmin 3 --rmax 3 | rows
    done | awk '{ n++; s += $2; s2 += $2 ^ 2; e += $3 } END { sd = sqrt(s2 / n - (s / n) ^ 2); print sd, e / n
        exit !(n == 40 && sd / (e / n) > 0.7 && sd / (e / n) < 1.35) }'
}

# counts of heavy water for the tests of files
water() {
    trjcat -t examples/water/water.pdb --by element -f :16 examples/water/water.dcd |
        rdfhist -r 9 -b 180 -B 4 -p '*:*' >"$T/rdfh"
}

@test "--to gr: the header of PDFgui, and the numbers of the table" {
    water
    rdfderive -q pdf --total neutron --scatterer H=D --qmin 0.5 --qmax 22 --qdamp 0.04 --to gr -o "$T/a.gr" "$T/rdfh"
    rdfderive -q pdf --total neutron --scatterer H=D --qmin 0.5 --qmax 22 --qdamp 0.04 "$T/rdfh" | rows >"$T/tsv"
    rows "$T/a.gr" | awk '{ print $1, $2, $4 } $3 != 0 || NF != 4 { exit 1 }' >"$T/got"
    tr '\t' ' ' <"$T/tsv" >"$T/expected"
    same "$T/expected" "$T/got"
    [[ $(head -n 9 "$T/a.gr") == "# stype = N  neutron scattering
# mode = neutron
# qmin = 0.5
# qmax = 22
# qdamp = 0.04
# qbroad = 0
# rmin = 0
# rmax = 9
# rstep = 0.01" ]]
    [[ $(grep '^# metadata$\|^# provenance\|^#### start data$\|^#S 1$\|^#L r(A) G(A^-2) d_r d_Gr$' "$T/a.gr" |
        cut -c 1-12 | uniq) == $'# metadata\n# provenance\n#### start d\n#S 1\n#L r(A) G(A^' ]]
    # PDFgui takes a file for an X-ray file if the text before "# metadata" contains the word.
    rdfderive -q pdf --total neutron --scatterer H=D --to gr "$T/rdfh" -o "$T/xray.gr"
    [[ $(sed '/^# metadata/q' "$T/xray.gr" | grep -ci 'x-\?ray') == 0 ]]
    rdfderive -q pdf --total xray --to gr "$T/rdfh" | has '^# stype = X  X-Ray scattering$'
    if run_python -c 'import diffpy.utils' 2>/dev/null; then
        run_python -c 'import sys; from diffpy.utils.parsers import loadData; print(len(loadData(sys.argv[1])))' \
            "$T/a.gr" | has -x 901
    fi
}

@test "--to sq, fq, rmc and rmc-fq: one function in each of the conventions" {
    water
    local -a options=(-q pdf --total neutron --scatterer H=D --qmin 0.5 --qmax 20)
    rdfderive -q sq --total neutron --scatterer H=D --qmin 0.5 --qmax 20 "$T/rdfh" | rows | cut -f 1,2 >"$T/s"
    rdfderive -q sq --total neutron --scatterer H=D --qmin 0.5 --qmax 20 --form fq "$T/rdfh" >"$T/fq.tsv"
    rdfderive -q sq --total neutron --scatterer H=D --qmin 0.5 --qmax 20 --form fz "$T/rdfh" | rows | cut -f 1,2 >"$T/f"
    has '^# q	Fq(neutron)	se_Fq(neutron)	S(O:O)' <"$T/fq.tsv"
    rdfderive "${options[@]}" --to sq "$T/rdfh" | tee "$T/a.sq" | rows >"$T/got"
    grep -qx '#L Q(A^-1) S(Q) dS(Q)' "$T/a.sq"
    near "$T/s" <(cut -d ' ' -f 1,2 "$T/got") 1e-8
    rdfderive "${options[@]}" --to fq "$T/rdfh" | rows | cut -d ' ' -f 1,2 >"$T/got"
    near <(rows "$T/fq.tsv" | cut -f 1,2) "$T/got" 1e-8
    awk '{ printf "%s %.12g\n", $1, $1 * ($2 - 1) }' "$T/s" >"$T/expected"
    near "$T/expected" "$T/got" 1e-8
    rdfderive "${options[@]}" --to rmc-fq "$T/rdfh" >"$T/rmc"
    [[ $(head -n 1 "$T/rmc") == 391 && $(sed -n 2p "$T/rmc") == 'rmc F(Q) # neutron: rdfderive '* ]]
    near "$T/f" <(tail -n +3 "$T/rmc") 1e-8
    rdfderive "${options[@]}" --to rmc --form d --dr 0.1 "$T/rdfh" >"$T/rmc"
    [[ $(head -n 1 "$T/rmc") == 90 && $(sed -n 2p "$T/rmc") == 'rmc D(r) # neutron: rdfderive '* ]]
    near <(rdfderive "${options[@]}" --form d --dr 0.1 "$T/rdfh" | rows | tail -n +2 | cut -f 1,2) \
        <(tail -n +3 "$T/rmc") 1e-9
}

@test "tables as input: S(q), q (S(q) - 1) and F(q) give the G(r) of the counts" {
    water
    local -a options=(--total neutron --scatterer H=D --qmin 0.5 --qmax 20 --dq 0.01)
    rdfderive -q pdf "${options[@]}" -w lorch --dr 0.05 "$T/rdfh" | rows | cut -f 1,2 >"$T/expected"
    rdfderive -q pdf "${options[@]}" --to sq -o "$T/a.sq" "$T/rdfh"
    rdfderive -q pdf "${options[@]}" --to fq -o "$T/a.fq" "$T/rdfh"
    rdfderive -q sq "${options[@]}" -o "$T/s.tsv" "$T/rdfh"
    gzip -k "$T/a.fq"
    for file in a.sq a.fq a.fq.gz s.tsv; do
        rdfderive -q pdf -w lorch --rmax 9 --dr 0.05 "$T/$file" >"$T/table"
        grep -q '^# r	pdf(neutron)	se_pdf(neutron)$' "$T/table"
        near "$T/expected" <(rows "$T/table" | cut -f 1,2) 1e-4
    done
    # F(q) in barn gives D(r), and with the density G(r).
    rdfderive -q sq "${options[@]}" --form fz -o "$T/f.tsv" "$T/rdfh"
    rdfderive -q pdf "${options[@]}" --form d --dr 0.05 "$T/rdfh" | rows | cut -f 1,2 >"$T/expected"
    near "$T/expected" <(rdfderive -q pdf --form d --rmax 9 --dr 0.05 "$T/f.tsv" | rows | cut -f 1,2) 1e-3
    # g(r) requires the density; a part of the range of q
    rdfderive -q pdf -w hann --qmin 1 --qmax 17.5 --form g --dr 0.05 --total neutron --scatterer H=D "$T/rdfh" |
        rows | cut -f 1,2 >"$T/expected"
    volume=$(awk '/^# volume: mean/ { print $4 + 0 }' "$T/s.tsv")
    near "$T/expected" <(rdfderive -q pdf -w hann --qmin 1 --qmax 17.5 --form g --rmax 9 --dr 0.05 --atoms 1029 \
        --volume "$volume" "$T/s.tsv" | rows | cut -f 1,2) 3e-3
}

@test "tables as input: files of PDFgetX, GSAS-II, Mantid and Gudrun, and points without names" {
    local file
    awk 'BEGIN { for (q = 0.5; q < 20.01; q += 0.05) print q, 1 + sin(2.5 * q) * exp(-q * q / 100) / q }' >"$T/s"
    awk '{ print $1, $1 * ($2 - 1) }' "$T/s" >"$T/f"
    rdfderive -q pdf --total xray "$T/s" 2>/dev/null && return 1
    { printf '%s\n' '[DEFAULT]' '' 'version = pdfgetx3' 'mode = xray' 'qmax = 20' '' '# End of config ---' \
        '#### start data' '' '#S 1' '#L Q($\AA^{-1}$)  F($\AA^{-1}$)' && cat "$T/f"; } >"$T/pdfgetx.fq"
    { printf '%s\n' '#T S(Q) PWDR a' '#L Q     S(Q)' && awk '{ printf "%15.6g %15.6g\n", $1, $2 }' "$T/s"; } \
        >"$T/gsas.sq"
    { printf '%s\n' '##### start data' '#O0' '#S 1 - PDF' '#L Q S(Q) dQ dS(Q)' &&
        awk '{ print $1, $2, 0, 0.01 }' "$T/s"; } >"$T/mantid.txt"
    { printf '%s\n' '# sample.mint01' '# Q S(Q) error' && awk '{ print " " $1 ",", $2 ",", 0.01 }' "$T/s"; } \
        >"$T/gudrun.dat"
    cp "$T/s" "$T/plain.sq"
    for file in pdfgetx.fq gsas.sq mantid.txt gudrun.dat plain.sq; do
        rdfderive -q pdf --dr 0.1 "$T/$file" >"$T/table"
        rows "$T/table" | cut -f 1,2 >"$T/got"
        [[ -s $T/first ]] || cp "$T/got" "$T/first"
        near "$T/first" "$T/got" 1e-4
        case $file in
        mantid* | gudrun*) grep -q '	se_pdf(measured)$' "$T/table" ;;
        pdfgetx*) grep -q '	pdf(xray)$' "$T/table" ;;
        *) grep -q '	pdf(measured)$' "$T/table" ;;
        esac
    done
    # sin(2.5 q) in q (S(q) - 1) is a peak at r = 2.5 A.
    awk '$2 > high { high = $2; r = $1 } END { print r; exit !(r == 2.5) }' "$T/first"
    # Each point has an error of 0.01: the error of G is the square root of the sum of squares of weights.
    rdfderive -q pdf --rmin 2 --rmax 2 "$T/mantid.txt" | rows | awk '{ for (i = 0; i <= 390; i++) { q = 0.5 + i * 0.05
            w = 2 / atan2(0, -1) * (i % 390 ? 0.05 : 0.025) * q * sin(q * 2) * 0.01; s += w * w }
        print $3, sqrt(s); exit !($3 / sqrt(s) > 0.999 && $3 / sqrt(s) < 1.001) }'
}

@test "invalid requests and tables are rejected with their reason" {
    water
    awk 'BEGIN { for (q = 0.5; q < 20; q += 0.05) print q, 1 }' >"$T/a.sq"
    local -a pdf=(rdfderive -q pdf)
    fails_cleanly 2 '--total is missing; give neutron, xray, electron or number' "${pdf[@]}" "$T/rdfh"
    fails_cleanly 2 '--rmin 10: pairs were counted up to 9 Angstrom' "${pdf[@]}" --total xray --rmin 10 "$T/rdfh"
    fails_cleanly 2 '--rmax 10: pairs were counted up to 9 Angstrom' "${pdf[@]}" --total xray --rmax 10 "$T/rdfh"
    fails_cleanly 2 '--qmin 5, --qmax 5: expected qmin < qmax' "${pdf[@]}" --total xray --qmin 5 --qmax 5 "$T/rdfh"
    fails_cleanly 2 'invalid grid' "${pdf[@]}" --total xray --dr 0 "$T/rdfh"
    fails_cleanly 2 'invalid grid' "${pdf[@]}" --total xray --dr 1e-9 "$T/rdfh"
    fails_cleanly 2 'both are required' "${pdf[@]}" --total xray --qbroad 0.1 "$T/rdfh"
    fails_cleanly 2 'both are required' "${pdf[@]}" --total xray --peak-width 0.1 "$T/rdfh"
    fails_cleanly 2 'expected values from 0 to 10' "${pdf[@]}" --total xray --qdamp -1 "$T/rdfh"
    fails_cleanly 2 'a file contains one total, not 2' "${pdf[@]}" --total xray --total number --to gr "$T/rdfh"
    fails_cleanly 2 '--form g: has no effect on --to gr' "${pdf[@]}" --total xray --to gr --form g "$T/rdfh"
    fails_cleanly 2 '--form s: applies to S(q), not to G(r)' "${pdf[@]}" --total xray --form s "$T/rdfh"
    fails_cleanly 2 '--form g: applies to --quantity pdf only' rdfderive -q sq --total xray --form g "$T/rdfh"
    fails_cleanly 2 '--window hann: applies to pdf only' rdfderive -q sq -w hann "$T/rdfh"
    fails_cleanly 2 '--to has no effect on --quantity sq' rdfderive -q sq --to gr "$T/rdfh"
    fails_cleanly 2 '--pair has no effect on --quantity pdf' "${pdf[@]}" --total xray -p O:H "$T/rdfh"
    fails_cleanly 2 '--atoms has no effect on --quantity pdf' "${pdf[@]}" --total xray --atoms 9999 "$T/rdfh"
    fails_cleanly 3 'use --form fz' "${pdf[@]}" --total neutron --scatterer O=-2 --scatterer H=1 "$T/rdfh"
    fails_cleanly 2 'has the resolution of its instrument already' "${pdf[@]}" --qdamp 0.1 "$T/a.sq"
    fails_cleanly 2 'the only input; leave out' "${pdf[@]}" "$T/a.sq" "$T/rdfh"
    fails_cleanly 2 'the table ends at q = ' "${pdf[@]}" --qmax 30 "$T/a.sq"
    fails_cleanly 2 'no q of the table between them' "${pdf[@]}" --qmin 0.1 --qmax 0.4 "$T/a.sq"
    fails_cleanly 2 'determine G(r) up to r = 62.83' "${pdf[@]}" --rmax 100 "$T/a.sq"
    fails_cleanly 2 'requires the density of atoms; give --atoms and --volume' "${pdf[@]}" --form g "$T/a.sq"
    fails_cleanly 2 'give both' "${pdf[@]}" --form g --atoms 5 "$T/a.sq"
    fails_cleanly 2 'because <b>^2 is unknown; give one of the forms pdf, g, rdf' "${pdf[@]}" --form d "$T/a.sq"
    fails_cleanly 1 'none.sq: No such file' "${pdf[@]}" "$T/none.sq"
    cp "$T/a.sq" "$T/a.gr"
    fails_cleanly 3 'is not S(q) or q (S(q) - 1)' "${pdf[@]}" "$T/a.gr"
    printf '0.1 1\n0.2 1\n0.2 1\n' >"$T/b.sq"
    fails_cleanly 3 'line 3: 0.2 is not above the first column of the previous row' "${pdf[@]}" "$T/b.sq"
    printf '0.1 1\n0.2 1 4\n' >"$T/b.sq"
    fails_cleanly 3 'line 2: 3 numbers, but the first row has 2' "${pdf[@]}" "$T/b.sq"
    printf '0.1 1\n0.2 x\n' >"$T/b.sq"
    fails_cleanly 3 "line 2: '0.2 x' is not a row of numbers" "${pdf[@]}" "$T/b.sq"
    printf '0.1 1\n0.2 nan\n0.3 1\n' >"$T/b.sq"
    fails_cleanly 3 'the value at q = 0.2 is not a number' "${pdf[@]}" "$T/b.sq"
    printf '0.1 1\n0.2 1\n0.3 1' >"$T/b.sq"
    fails_cleanly 3 'line 3: may be truncated: the last row has no newline' "${pdf[@]}" "$T/b.sq"
    printf '3\nrmc S(Q) # x\n0.1 1\n0.2 1\n' >"$T/b.sq"
    fails_cleanly 3 'line 1 gives 3 rows, found 2' "${pdf[@]}" "$T/b.sq"
    printf '#L q_nm^-1 I\n0.1 1\n0.2 1\n' >"$T/b.chi"
    fails_cleanly 3 'is in nm; convert it to Angstrom' "${pdf[@]}" "$T/b.chi"
    printf '0.1 1\n0.2 1\n' >"$T/b.txt"
    fails_cleanly 3 'unclear whether the first column is r or q' "${pdf[@]}" "$T/b.txt"
    printf 'a\0b\n' >"$T/b.sq"
    fails_cleanly 3 'line 1: contains a NUL byte' "${pdf[@]}" "$T/b.sq"
}

@test "rdfplot draws measured curves with those of rdfderive, by the names of their columns" {
    need gnuplot
    water
    rdfderive -q pdf --total xray "$T/rdfh" >"$T/ours.tsv"
    rdfderive -q pdf --total xray -w lorch --to gr -o "$T/lorch.gr" "$T/rdfh"
    rdfplot -o "$T/a.svg" "$T/ours.tsv" "$T/lorch.gr"
    grep -q 'ours' "$T/a.svg" && grep -q 'lorch' "$T/a.svg"
    printf '#L Q I\n0.1 3\n0.2 4\n0.3 5\n' >"$T/b.int"
    rdfplot "$T/b.int" | has 'I(q)'
    printf '3\nrmc G(r) # title\n1 3\n2 4\n3 5\n' >"$T/b.gr"
    rdfplot "$T/b.gr" | has '^value'
    rdfderive -q pdf --form rdf --total xray "$T/rdfh" | rdfplot | has '^RDF(r)'
    printf '#L r G\n0.1 1\n0.2 1 4\n' >"$T/c.gr"
    fails 3 'line 3: 3 numbers, but the first row has 2' rdfplot "$T/c.gr"
}
