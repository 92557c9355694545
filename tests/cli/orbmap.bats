#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# orbmap: values of other programs, formats, lattices, names of files, descriptions and errors.
load helper

WAVE=$SHARED/data-wave MORE=$SHARED/data-maps/wave REFERENCE=$SHARED/reference-orbitals

need_waves() {
    [[ -d $WAVE && -d $MORE ]] || skip 'no folders shared/data-wave and shared/data-maps beside the checkout'
}

# A hydrogen-like function: exponent 1/2 bohr^-2 at 1, 2, 3 bohr, and one electron. Its norm is pi^(-3/4).
hydrogen() {
    printf '%s\n' '[Molden Format]' '[Atoms] AU' 'H 1 1 1.0 2.0 3.0' '[GTO]' '1 0' 's 1 1.00' ' 0.5 1.0' '' '[MO]' \
        'Sym= 1a' 'Ene= -0.5' 'Spin= Alpha' 'Occup= 1.0' '1 1.0' >"${1:-$T/h.molden}"
}

# values CUBE ATOMS: the values of a cube file
values() {
    tail -n +$((7 + $2)) "$1" | tr -s ' ' '\n' | sed '/^$/d'
}

# agree A B: two lists of numbers with 6 digits are equal, but for one unit of the last digit or 2e-8 of the largest,
# and 99 percent of them are the same text, or rounding errors of 0
agree() {
    paste "$1" "$2" | awk '{ a = $1 + 0; b = $2 + 0; d = a > b ? a - b : b - a; s = a < 0 ? -a : a; m = s > m ? s : m
            n++; other += d > 1e-13; e = s > 0 ? 10 ^ (int(log(s) / log(10) + 1000) - 1000 - 5) : 0
            if (d > 1.01 * e) { rest++; if (d > worst) worst = d } }
        END { if (n < 100 || other > n / 100 || worst > 2e-8 * m) { print n, other, rest, worst, m; exit 1 } }'
}

# psi4_cube NAME FILE OPTION...: the cube file of psi4 has the values of orbmap at the same points. Its origin, which
# has six digits, is computed again from the geometry.
psi4_cube() {
    local cube=$WAVE/$1.cube atoms
    atoms=$(awk 'NR == 3 { print $1 }' "$cube")
    orbmap "$2" "${@:3}" --origin "$ORIGIN" --steps "$STEPS" \
        --lattice-points "$(awk 'NR > 3 && NR < 7 { print $1 }' "$cube" | paste -s -d ,)" -o "$T/$1.cube" 2>"$T/notes"
    values "$cube" "$atoms" >"$T/expected"
    values "$T/$1.cube" "$atoms" >"$T/found"
    agree "$T/expected" "$T/found" || { echo "$1"; return 1; }
    # With the rounded origin, values near a nucleus differ in few digits only.
    orbmap "$2" "${@:3}" --like "$cube" -o "$T/like.cube" 2>"$T/notes"
    values "$T/like.cube" "$atoms" | paste - "$T/expected" |
        awk '{ d = $1 - $2; s = $2 * $2; if (d * d > m) m = d * d; if (s > l) l = s } END { exit !(m < 1e-8 * l) }'
}

@test "cubes of psi4: VO with f functions, unrestricted: orbitals, density and spin density" {
    need_waves
    # The middle of the atoms at 0 and 3.004665... bohr
    local z
    z=$(awk '/^\[Atoms\]/ { on = 1; next } on && NF == 6 { z += $6 / 2 } /^\[GTO\]/ { exit } END { printf "%.12f", z }' \
        "$WAVE/vo_quartet_def2tzvp_psi4.molden")
    ORIGIN=$(awk -v z="$z" 'BEGIN { b = 0.529177210903; printf "%.15f,%.15f,%.15f", -3 * b, -3 * b, (z - 4.75) * b }')
    STEPS=$(awk 'BEGIN { b = 0.529177210903; printf "%.15f,%.15f,%.15f", b / 2, b / 2, b / 2 }')
    local file=$WAVE/vo_quartet_def2tzvp_psi4.molden
    psi4_cube vo_mo17a "$file" --mo 17:a
    psi4_cube vo_mo16b "$file" --mo 92
    psi4_cube vo_density "$file" --density
    psi4_cube vo_spin "$file" --spin
}

@test "cube of psi4: water, from fchk" {
    need_waves
    local file=$WAVE/h2o_ccpvtz_psi4.fchk
    # The box is -3 to 3 and -4.6 to 4.6 bohr in x and y, and 9 steps of 0.4 bohr on both sides of the middle in z.
    local z
    z=$(awk '/^Current cartesian/ { on = 1; next } on && !/^ / { exit }
        on { for (i = 1; i <= NF; i++) if (++n % 3 == 0) { if (n == 3 || $i < low) low = $i
            if (n == 3 || $i > high) high = $i } } END { printf "%.10f", (low + high) / 2 }' "$file")
    ORIGIN=$(awk -v z="$z" 'BEGIN { b = 0.529177210903; printf "%.15f,%.15f,%.15f", -3 * b, -4.6 * b, (z - 3.6) * b }')
    STEPS=$(awk 'BEGIN { b = 0.529177210903 * 0.4; printf "%.15f,%.15f,%.15f", b, b, b }')
    psi4_cube h2o_ccpvtz_mo5 "$file" --mo 5
}

# psi4_origin MOLDEN STEP: prints the first point of the cube files of psi4 in Angstrom. It is a whole number of steps,
# in bohr, before the last one, in the middle of the atoms; the box extends by 4 bohr on each side.
psi4_origin() {
    awk -v step="$2" '/^\[Atoms\]/ { on = 1; next } /^\[GTO\]/ { exit }
        on { for (k = 0; k < 3; k++) {
                r = $(4 + k)
                if (!n || r < low[k]) low[k] = r
                if (!n || r > high[k]) high[k] = r }
            n++ }
        END { for (k = 0; k < 3; k++) {
                width = high[k] - low[k] + 8
                steps = int(width / step)
                if (steps * step < width) steps++
                printf "%s%.15f", k ? "," : "", ((low[k] + high[k]) / 2 - steps * step / 2) * 0.529177210903 } }' "$1"
}

# run_psi4 NAME BASIS STEP ORBITAL < ATOMS: the cube files of psi4 have the values of orbmap for its Molden file
run_psi4() {
    local folder=$T/$1 orbital
    mkdir "$folder"
    {
        printf 'molecule {\n%s\nunits angstrom\nsymmetry c1\n}\n' "$(cat)"
        printf 'set {\n%s\n}\n' "basis $2
e_convergence 8
d_convergence 8
cubeprop_tasks [\"density\", \"orbitals\"]
cubeprop_orbitals [$4]
cubic_grid_spacing [$3, $3, $3]"
        echo 'energy, wave_function = energy("scf", return_wfn=True)'
        echo "molden(wave_function, \"$1.molden\")"
        echo 'cubeprop(wave_function)'
    } >"$folder/in"
    (cd "$folder" && psi4 -n 1 in out) >"$T/log" 2>&1 || { cat "$T/log"; tail -n 20 "$folder/out"; return 1; }
    WAVE=$folder ORIGIN=$(psi4_origin "$folder/$1.molden" "$3")
    STEPS=$(awk -v step="$3" 'BEGIN { s = step * 0.529177210903; printf "%.15f,%.15f,%.15f", s, s, s }')
    psi4_cube Dt "$folder/$1.molden" --density
    orbital=$(cd "$folder" && echo Psi_a_"$4"_*.cube)
    psi4_cube "${orbital%.cube}" "$folder/$1.molden" --mo "$4"
}

@test "psi4, if it is installed: the cubes of water, benzene and a complex with f functions, to the last digit" {
    need psi4
    run_psi4 water cc-pvtz 0.4 5 <<<$'O 0 0 0.117\nH 0 0.757 -0.469\nH 0 -0.757 -0.469'
    awk 'BEGIN { for (k = 0; k < 12; k++) { r = k < 6 ? 1.397 : 2.481; a = atan2(0, -1) * k / 3
        printf "%s %.10f %.10f 0\n", k < 6 ? "C" : "H", r * cos(a), r * sin(a) } }' | run_psi4 benzene 6-31g 0.5 21
    run_psi4 copper def2-tzvp 0.5 19 <<<$'1 1\nCu 0 0 0\nO 0 0.3 1.9\nH 0.76 0.35 2.5\nH -0.76 0.35 2.5'
    orbmap --check "$T/copper/copper.molden" | has 'shells.* f (pure)'
}

# column NAME FILE: a column of a table of reference values
column() {
    awk -F '\t' -v name="$1" '/^#/ { next } !head { for (i = 1; i <= NF; i++) if ($i == name) at = i; head = 1; next }
        at { print $at }' "$2"
}

# compare WHAT REFERENCE TABLE COLUMN: a column of a table of orbmap has the reference values, to 1e-9 of the largest
compare() {
    grep -v '^#' "$3" | cut -f "$4" | paste "$2" - |
        awk '{ d = $1 - $2; if (d < 0) d = -d; v = $1 < 0 ? -$1 : $1; if (v > l) l = v; if (d > m) m = d; n++ }
        END { if (!(n == 60 && m <= 1e-9 * l)) { print n, m, l; exit 1 } }' || { echo "$1"; return 1; }
}

@test "values at points: those of an independent evaluator, for files of all programs" {
    need_waves
    [[ -d $REFERENCE ]] || skip 'no folder shared/reference-orbitals beside the checkout'
    local table name file mos k n=0
    for table in "$REFERENCE"/*.tsv; do
        name=${table##*/} name=${name%.tsv}
        file=$WAVE/$name
        [[ -e $file ]] || file=$MORE/$name
        [[ -e $file ]] || continue
        paste <(column x_A "$table") <(column y_A "$table") <(column z_A "$table") >"$T/points"
        mos=$(awk '!/^#/ { for (i = 1; i <= NF; i++) if (sub(/^mo/, "", $i)) print $i; exit }' "$table" | paste -s -d ,)
        orbmap "$file" --mo "$mos" --points "$T/points" -o "$T/mo.tsv" 2>"$T/notes"
        k=4
        for mo in ${mos//,/ }; do
            column "mo$mo" "$table" >"$T/reference"
            compare "$name: orbital $mo" "$T/reference" "$T/mo.tsv" $((k++))
        done
        column rho "$table" >"$T/rho"
        if awk '$1 != 0 { found = 1 } END { exit !found }' "$T/rho"; then
            orbmap "$file" --density --points "$T/points" -o "$T/rho.tsv" 2>"$T/notes"
            compare "$name: density" "$T/rho" "$T/rho.tsv" 4
            orbmap "$file" --laplacian --points "$T/points" -o "$T/lap.tsv" 2>"$T/notes"
            column lap_rho "$table" >"$T/reference"
            compare "$name: Laplacian" "$T/reference" "$T/lap.tsv" 4
            orbmap "$file" --gradient --points "$T/points" -o "$T/gradient.tsv" 2>"$T/notes"
            paste <(column drho_dx "$table") <(column drho_dy "$table") <(column drho_dz "$table") |
                awk '{ printf "%.16g\n", sqrt($1 * $1 + $2 * $2 + $3 * $3) }' >"$T/reference"
            compare "$name: gradient" "$T/reference" "$T/gradient.tsv" 4
            column spin "$table" >"$T/reference"
            if [[ -s $T/reference ]]; then
                orbmap "$file" --spin --points "$T/points" -o "$T/spin.tsv" 2>"$T/notes"
                compare "$name: spin density" "$T/reference" "$T/spin.tsv" 4
            fi
        fi
        n=$((n + 1))
    done
    ((n >= 30)) || { echo "only $n files"; return 1; }
}

@test "the commands of the manual: cube files of orbitals, surfaces, series of files, descriptions" {
    need_waves
    cp "$MORE/benzene.molden" "$T/bz.molden"
    cp "$WAVE/h2o_ccpvtz_psi4.fchk" "$T/x.fchk"
    cp "$WAVE/vo_quartet_def2tzvp_psi4.molden" "$T/x.molden"
    mkdir "$T/traj"
    cp "$T/bz.molden" "$T/traj/a.molden"
    sed '/^[CH] .*0.0000000000$/s/0.0000000000$/0.1000000000/' "$T/bz.molden" >"$T/traj/b.molden"
    cd "$T"
    orbmap bz.molden --mo homo,lumo+1,5:12 --grid 0.2 --pad 4 -o 'bz.%s.cube' 2>notes
    [[ $(echo bz.*.cube) == "bz.homo.cube bz.lumo+1.cube bz.mo10.cube bz.mo11.cube bz.mo12.cube \
bz.mo5.cube bz.mo6.cube bz.mo7.cube bz.mo8.cube bz.mo9.cube" ]]
    [[ $(sed -n 1p bz.homo.cube) == 'homo: orbital 21, occupation 2, energy -0.3346 hartree'*', bohr^-3/2' ]]
    [[ $(sed -n 2p bz.homo.cube) == *'lengths are in bohr' ]]
    orbmap x.fchk --density -o - 2>notes | surf --level 0.04 -o x.ply
    [[ -s x.ply ]]
    orbmap --check x.molden | has -x $'rule\tunit'
    orbmap --each traj/*.molden --mo homo -o - 2>notes | surf --level 0.03 -o 'homo.%05d.ply'
    [[ $(echo homo.*.ply) == 'homo.00000.ply homo.00001.ply' ]]
    orbmap --each traj/*.molden --mo homo,lumo -o 'two.%d.%s.cube' 2>notes
    [[ $(echo two.*) == 'two.0.homo.cube two.0.lumo.cube two.1.homo.cube two.1.lumo.cube' ]]
    # One lattice for all files, and the atoms of each
    [[ $(sed -n 3,6p two.0.homo.cube) == "$(sed -n 3,6p two.1.homo.cube)" ]]
    run ! cmp -s <(sed -n 7,18p two.0.homo.cube) <(sed -n 7,18p two.1.homo.cube)
}

@test "several orbitals in one cube: a negative number of atoms, the list of orbitals, and interleaved values" {
    need_waves
    orbmap "$MORE/benzene.molden" --mo homo,22 --grid 0.5 -o "$T/two.cube" 2>"$T/notes"
    [[ $(awk 'NR == 3 { print $1 } NR == 19' "$T/two.cube") == $'-12\n    2   21   22' ]]
    orbmap "$MORE/benzene.molden" --mo homo,22 --grid 0.5 -o "$T/%s.cube" 2>"$T/notes"
    paste <(values "$T/homo.cube" 12) <(values "$T/mo22.cube" 12) | tr '\t' '\n' |
        same <(tail -n +20 "$T/two.cube" | tr -s ' ' '\n' | sed '/^$/d') -
    orbmap "$MORE/benzene.molden" --mo homo,22 --grid 0.5 2>"$T/notes" | mapconv -o "$T/piped.cube"
    same "$T/two.cube" "$T/piped.cube" # through a grid stream
    mapinfo "$T/two.cube" | has -x $'components\t2'
}

@test "integral of the density: the number of electrons; the square of an orbital is 1" {
    hydrogen
    orbmap "$T/h.molden" --density --grid 0.15 --pad 5 2>"$T/notes" | mapinfo - >"$T/info"
    awk -F '\t' '$1 == "integral" { exit !(($2 - 1) ^ 2 < 1e-12) }' "$T/info"
    has -x $'unit\tbohr^-3' "$T/info"
    has 'h.molden: molden, rule standard; .* x .* points from .* Angstrom = .* bohr' "$T/notes"
    orbmap "$T/h.molden" --mo 1 --grid 0.15 --pad 5 2>"$T/notes" | mapmath 'a * a' | mapinfo - >"$T/info"
    awk -F '\t' '$1 == "integral" { exit !(($2 - 1) ^ 2 < 1e-12) }' "$T/info"
    has -x $'unit\tbohr^-3' "$T/info"
    # 90 percent of the density are within r = 1.76797 bohr, where erf(r) - 2 r exp(-r^2) / sqrt(pi) is 0.9.
    local format
    for format in trjg dx mrc cube npy; do # all formats keep the unit of an orbital
        orbmap "$T/h.molden" --mo 1 --grid 0.1 --pad 3 -o "$T/h.$format" 2>"$T/notes"
        surf --level 90% "$T/h.$format" 2>"$T/notes" | rows |
            awk '{ r = sqrt(-2 * log($2 * 3.14159265358979 ^ 0.75)); exit !((r - 1.76797) ^ 2 < 1e-3) }' ||
            { echo "$format"; return 1; }
        mapinfo "$T/h.$format" | has -x $'unit\tbohr^-3/2'
    done
}

# rotation: prints a matrix
rotation() {
    awk 'BEGIN { # the rotation by 1 rad about (1, 2, 2) / 3
        c = cos(1); s = sin(1); u[0] = 1 / 3; u[1] = u[2] = 2 / 3
        for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) {
            k = 3 - i - j
            turn = i == j ? c : (j - i + 3) % 3 == 1 ? -s * u[k] : s * u[k]
            printf "%.17g ", turn + (1 - c) * u[i] * u[j] } }'
}

# rotated FILE: prints a Molden file with s and p functions, turned by that matrix about 0
rotated() {
    awk -v rotation="$(rotation)" '
        function turn(to, from,    i) {
            for (i = 0; i < 3; i++) to[i] = m[3 * i + 1] * from[0] + m[3 * i + 2] * from[1] + m[3 * i + 3] * from[2] }
        BEGIN { split(rotation, m) }
        /^\[/ { section = $1 }
        section == "[Atoms]" && NF == 6 {
            for (i = 0; i < 3; i++) r[i] = $(4 + i)
            turn(x, r)
            printf "%s %s %s %.15f %.15f %.15f\n", $1, $2, $3, x[0], x[1], x[2]
            next
        }
        section == "[GTO]" && /^ [sp] / { first[++n] = $1 == "p"; if ($1 == "p") n += 2 }
        section == "[MO]" && NF == 2 && $1 ~ /^[0-9]+$/ {
            if (first[$1]) count = 0
            if (first[$1] || count < 3) {
                r[count++] = $2
                if (count == 3) { turn(x, r); for (i = 0; i < 3; i++) printf "%d %.17g\n", $1 - 2 + i, x[i] }
                next
            }
        }
        { print }' count=3 "$1"
}

@test "molecule and lattice rotated together: the same values, on skew steps and at points" {
    local quantity file=examples/benzene/benzene.molden turn
    rotated "$file" >"$T/turned.molden"
    # turned X Y Z: a vector after the rotation
    turned() {
        awk -v m="$(rotation)" -v x="$1" -v y="$2" -v z="$3" 'BEGIN { split(m, a); for (i = 0; i < 9; i += 3)
            printf "%s%.15f", i ? "," : "", a[i + 1] * x + a[i + 2] * y + a[i + 3] * z }'
    }
    turn=$(turned 0.4 0 0),$(turned 0 0.5 0),$(turned 0 0 0.3)
    for quantity in --mo=homo,lumo,5 --density --laplacian --reduced-gradient --elf; do
        orbmap "$file" $quantity --origin=-3.1,-3.3,-1.7 --steps 0.4,0.5,0.3 --lattice-points 16,14,12 -o "$T/a.npy" \
            2>"$T/notes"
        orbmap "$T/turned.molden" $quantity --origin="$(turned -3.1 -3.3 -1.7)" --steps="$turn" \
            --lattice-points 16,14,12 -o "$T/b.npy" 2>"$T/notes"
        paste <(od -An -v -w8 -t f8 -j 128 "$T/a.npy") <(od -An -v -w8 -t f8 -j 128 "$T/b.npy") |
            awk '{ d = $1 - $2; if (d < 0) d = -d; v = $1 < 0 ? -$1 : $1; n++
                    if (v > l && v < 1e4) l = v; if (d > m) m = d }
                END { if (!(n >= 2688 && m <= 1e-9 * l)) { print n, m, l; exit 1 } }' || { echo "$quantity"; return 1; }
    done
}

@test "hydrogen-like function: each quantity by hand" {
    hydrogen
    # At r = 1 bohr along x: density n = e^-1 / pi^1.5, gradient 2 n, Laplacian (4 - 6) n, tau = n / 2
    awk 'BEGIN { b = 0.529177210903; printf "%.15f %.15f %.15f\n", 2 * b, 2 * b, 3 * b }' >"$T/p"
    value() {
        orbmap "$T/h.molden" "$@" --points "$T/p" 2>"$T/notes" | rows | cut -f 4-
    }
    close() { # VALUE FORMULA
        awk -v v="$1" "BEGIN { n = exp(-1) / 3.141592653589793 ^ 1.5; e = $2; exit !((v / e - 1) ^ 2 < 1e-17) }" ||
            { echo "$1 is not $2"; return 1; }
    }
    close "$(value --mo 1)" 'sqrt(n)'
    close "$(value --density)" n
    close "$(value --density --mo 1)" n
    close "$(value --gradient)" '2 * n'
    close "$(value --laplacian)" '-2 * n'
    close "$(value --kinetic)" 'n / 2'
    local c='(3 * 3.141592653589793 ^ 2)'
    close "$(value --reduced-gradient | cut -f 1)" "2 * n / (2 * $c ^ (1 / 3) * n ^ (4 / 3))"
    close "$(value --reduced-gradient | cut -f 2)" '-n' # two eigenvalues of the Hessian are -2 n, one is 2 n
    close "$(value --elf)" 1                            # one orbital: tau is |gradient|^2 / (8 n)
    close "$(value --lol)" "1 / (1 + (n / 2) / (0.3 * $c ^ (2 / 3) * n ^ (5 / 3)))"
}

@test "density: of chosen orbitals, and of a density matrix of the file" {
    need_waves
    local file=$WAVE/2h-azirine-mp2.fchk
    printf '%s\n' '0 0 0' '1 0.5 -0.25' >"$T/p"
    value() {
        orbmap "$file" "$@" --points "$T/p" 2>"$T/notes" | rows | cut -f 4
    }
    near() {
        paste "$1" "$2" | awk '{ if (($1 - $2) ^ 2 > 1e-15 * $2 ^ 2) { print; exit 1 } }'
    }
    # The density is the sum over occupied orbitals of two electrons; the SCF matrix has 8 digits.
    paste <(value --density) <(value --density --mo 1:5) <(value --density --mo 6:11) |
        awk '($2 + $3 - $1) ^ 2 > 1e-18 * $1 ^ 2 { print; exit 1 }'
    near <(value --density --matrix 'total scf density') <(value --density)
    run ! near <(value --density --matrix MP2) <(value --density)
    local table=$REFERENCE/2h-azirine-mp2.fchk.tsv
    if [[ -e $table ]]; then
        paste <(column x_A "$table") <(column y_A "$table") <(column z_A "$table") >"$T/p"
        near <(value --density --matrix MP2) <(column 'rho[Total_MP2_Density]' "$table")
    fi
    fails 3 "--matrix: no density matrix has 'CC' in its name; the file has 'Total SCF Density', 'Total MP2 Density'" \
        orbmap "$file" --density --matrix CC
    fails 3 "--matrix: more than one density matrix has 'Density' in its name; the file has 'Total SCF Density'," \
        orbmap "$file" --density --matrix Density
    has '; give one of these names in full$' "$T/err"
    orbmap "$WAVE/ch3_hf_sto3g.fchk" --density --matrix 'Spin SCF' --grid 1 2>"$T/notes" | mapinfo - |
        has -x $'quantity\tdensity of the matrix Spin SCF'
    sed 's/^Shell types/Shell forms/' "$file" >"$T/no_basis.fchk"
    fails 3 "no entry 'Shell types': the file contains no basis set; run a single point calculation" \
        orbmap "$T/no_basis.fchk" --density
    sed 's/^Alpha MO coefficients/Alpha MO numbers     /' "$file" >"$T/no_orbitals.fchk"
    fails 3 "no entry 'Alpha MO coefficients': the file contains no orbitals; run a single point calculation" \
        orbmap "$T/no_orbitals.fchk" --density
}

@test "lattices: a box about the atoms, skew steps, and that of another map; formats" {
    hydrogen
    orbmap "$T/h.molden" --mo 1 --grid 0.3 --pad 1 -o "$T/a.trjg" 2>"$T/notes"
    mapinfo "$T/a.trjg" | has -x $'points\t8 8 8'
    mapconv "$T/a.trjg" -o "$T/a.cube"
    orbmap "$T/h.molden" --mo 1 --like "$T/a.cube" -o "$T/b.trjg" 2>"$T/notes"
    mapmath 'a - b' "$T/a.trjg" "$T/b.trjg" | mapinfo - | awk '$1 == "max" || $1 == "min" { exit !($2 ^ 2 < 1e-28) }'
    orbmap "$T/h.molden" --mo 1 --origin 0.5,1,1.5 --lattice-points 3,4,5 --steps 0.1,0.02,0,0,0.1,0.03,0.04,0,0.1 \
        -o "$T/skew.trjg" 2>"$T/notes"
    # The point 2, 2, 2 of the skew lattice is origin + 2 (a + b + c).
    mapconv "$T/skew.trjg" -o "$T/skew.cube"
    orbmap "$T/h.molden" --mo 1 --points <(echo '0.78 1.24 1.76') 2>"$T/notes" | rows | cut -f 4 >"$T/want"
    values "$T/skew.cube" 1 | sed -n $((1 + 2 * 20 + 2 * 5 + 2))p | paste - "$T/want" |
        awk '{ exit !(($1 / $2 - 1) ^ 2 < 1e-10) }'
    orbmap "$T/h.molden" --mo 1 --engine direct --like "$T/skew.trjg" -o "$T/direct.trjg" 2>"$T/notes"
    mapmath 'a - b' "$T/skew.trjg" "$T/direct.trjg" | mapinfo - | awk '$1 == "max" { exit !($2 ^ 2 < 1e-26) }'
    for format in dx mrc cube npy trjg; do
        orbmap "$T/h.molden" --mo 1 --grid 0.3 --pad 1 -o "$T/f.$format" 2>"$T/notes"
        mapmath 'number(a) - number(b)' "$T/f.$format" "$T/a.trjg" --like "$T/a.trjg" 2>/dev/null | mapinfo - |
            awk '$1 == "max" { exit !($2 ^ 2 < 1e-11) }' || { echo "$format"; return 1; }
    done
    orbmap "$T/h.molden" --mo 1 --grid 0.3 --pad 1 --to cube -o - 2>"$T/notes" | same "$T/f.cube" -
    local threads
    for threads in 1 3; do
        orbmap "$T/h.molden" --mo 1 --threads $threads --grid 0.3 --pad 1 --to cube 2>"$T/notes" | same "$T/f.cube" -
    done
}

@test "input from a pipe, and compressed files" {
    need gzip
    hydrogen
    orbmap "$T/h.molden" --density --grid 0.5 -o "$T/a.cube" 2>"$T/notes"
    gzip -k "$T/h.molden"
    orbmap "$T/h.molden.gz" --density --grid 0.5 -o "$T/b.cube" 2>"$T/notes"
    same "$T/a.cube" "$T/b.cube"
    # shellcheck disable=SC2002 # a pipe is tested
    cat "$T/h.molden" | orbmap --density --grid 0.5 -o "$T/b.cube" 2>"$T/notes"
    same "$T/a.cube" "$T/b.cube"
    orbmap - --density --grid 0.5 -o "$T/b.cube" <"$T/h.molden.gz" 2>"$T/notes"
    same "$T/a.cube" "$T/b.cube"
}

@test "reduced gradient: two files, the second of which colours the surface of the first" {
    hydrogen
    orbmap "$T/h.molden" --reduced-gradient --grid 0.4 -o "$T/h.%s.cube" 2>"$T/notes"
    mapmath 'if(abs(number(b)) < 0.07, -a, -2)' "$T/h.reduced-gradient.cube" "$T/h.signed-density.cube" |
        surf -l -0.5 -c "$T/h.signed-density.cube" --range -0.05:0.05 -o "$T/nci.ply"
    [[ $(sed -n 1p "$T/h.signed-density.cube") == 'sign(lambda2) times the electron density, bohr^-3' ]]
    orbmap "$T/h.molden" --reduced-gradient --grid 0.4 2>"$T/notes" | mapinfo - | has -x $'components\t2'
}

@test "--check: rule, electrons and orbitals of each file, as a table and as JSON" {
    need_waves
    orbmap --check "$WAVE/orca_ch4_triplet.molden.input" "$WAVE/h2o_ccpvdz_cfour.molden" >"$T/out"
    [[ $(grep -E '^(format|rule)' "$T/out" | paste -s -d ' ') == \
        $'format\tmolden rule\traw format\tmolden rule\tcfour' ]]
    orbmap --check --json "$MORE/benzene.molden" | has '"functions": 120'
    sed 's/ 0\.5 1\.0/ 0.5 2.0/; s/^1 1\.0/1 1.5/' <(hydrogen /dev/stdout) >"$T/bad.molden"
    status=0
    orbmap --check "$T/bad.molden" >"$T/out" 2>"$T/err" || status=$?
    [[ $status == 3 ]] && has -x $'check\tfailed' "$T/out" && (($(wc -l <"$T/err") == 1))
    fails 3 'bad.molden: ' orbmap --density "$T/bad.molden"
}

@test "points far from the molecule: those near it, in a list or on a coarse lattice, keep their values" {
    hydrogen
    local quantity
    # The point is the nucleus: density pi^(-3/2), without a gradient.
    awk 'BEGIN { for (i = 1; i <= 2000; i++) print i == 501 ? "0.529177210903 1.058354421806 1.587531632709" : "300 0 " i }' \
        >"$T/points"
    orbmap "$T/h.molden" --density --points "$T/points" 2>"$T/notes" | rows | sed -n '501p' | cut -f 4 |
        same - <(echo 0.1795871221)
    for quantity in --mo=1 --density --elf; do
        for engine in cpu direct; do
            orbmap "$T/h.molden" "$quantity" -e $engine --origin 0.5,1,1.5 --steps 20,20,20 --lattice-points 40,40,40 \
                -o "$T/$engine.npy" 2>"$T/notes"
            mapinfo "$T/$engine.npy" | grep '^max' >"$T/$engine"
        done
        same "$T/cpu" "$T/direct"
        ! grep -P '^max\S*\t0(\t|$)' "$T/cpu" || return 1
    done
}

@test "errors: status, one message with a remedy, and no file" {
    hydrogen
    fails 2 'no quantity: give orbitals, such as --mo homo, or one of --density' orbmap "$T/h.molden"
    fails 2 'several quantities' orbmap "$T/h.molden" --density --elf
    fails 2 'several lattices' orbmap "$T/h.molden" --density --grid 0.2 --like x
    fails 2 'several lattices' orbmap "$T/h.molden" --density --pad 2 --origin 0,0,0
    fails 2 '--origin, --lattice-points and --steps belong together' orbmap "$T/h.molden" --density --origin 0,0,0
    fails 2 '--grid: invalid value 0' orbmap "$T/h.molden" --density --grid 0
    fails 2 '--pad: invalid value -1' orbmap "$T/h.molden" --density --pad -1
    fails 2 '2 files; add --each' orbmap "$T/h.molden" "$T/h.molden" --density
    fails 2 '--json applies to --check' orbmap --json "$T/h.molden" --density
    fails 2 '--check computes nothing' orbmap --check "$T/h.molden" --density
    fails 2 '--check prints text; leave out --to' orbmap --check "$T/h.molden" --to npy
    fails 2 '--points prints text; leave out --to' orbmap "$T/h.molden" --density --points /dev/null -z 5
    fails 2 "--mo: 'homo' is orbital 1, which is already chosen" orbmap "$T/h.molden" --density --mo 1,homo
    fails 2 "--product: 'homo' is orbital 1, which is already chosen" orbmap "$T/h.molden" --product 1,homo
    fails 3 "--mo: 'hamo' at character 1: the file has no such symmetry label" orbmap "$T/h.molden" --mo hamo
    fails 3 "--mo: '2' at character 1" orbmap "$T/h.molden" --mo 2 -o "$T/x.cube"
    fails 3 "--mo: 'lumo' at character 1" orbmap "$T/h.molden" --mo lumo
    fails 2 "--product: expected 2 orbitals, such as homo,lumo, found 1 in '1'" orbmap "$T/h.molden" --product 1
    fails 2 '--product names its orbitals' orbmap "$T/h.molden" --product 1,1 --mo 1
    fails 2 '--matrix replaces the orbitals' orbmap "$T/h.molden" --matrix MP2
    fails 3 "--matrix: no density matrix has 'MP2' in its name; the file contains no density matrices; leave out" \
        orbmap "$T/h.molden" --density --matrix MP2
    fails 3 '--spin: the file lists no beta orbitals' orbmap "$T/h.molden" --spin
    fails 2 'a file of this format has the map of one wave function' \
        orbmap --each "$T/h.molden" "$T/h.molden" --mo 1 -o "$T/x.cube"
    fails 2 'a file of this format has the map of one wave function' \
        orbmap --each "$T/h.molden" "$T/h.molden" --mo 1 -o "$T/%s.trjg"
    fails 2 "unknown ending '.xyz'" orbmap "$T/h.molden" --mo 1 -o "$T/x.xyz"
    fails 2 "x.%s.mrc', or write cube, npy or trjg" orbmap "$T/h.molden" --reduced-gradient -o "$T/x.mrc"
    fails 2 "--output: dx has one value for each point, but there are 2: mo1, homo; write a file for each with a name" \
        orbmap "$T/h.molden" --mo 1,homo --to dx
    fails 2 "x.%q.cube': expected at most one '%s', for the names of orbitals" orbmap "$T/h.molden" --mo 1 \
        -o "$T/x.%q.cube"
    fails 1 'missing.molden: ' orbmap "$T/missing.molden" --mo 1
    head -c 60 "$T/h.molden" >"$T/cut.molden"
    fails 3 'cut.molden: ' orbmap "$T/cut.molden" --mo 1 -o "$T/x.cube"
    orbmap --density --points 0,0,0 <"$T/h.molden" 2>"$T/notes" | rows | wc -l | has -x 1
    has -x 'orbmap: stdin: molden, rule standard' "$T/notes"
    echo x >"$T/x.movecs"
    fails 3 "x.movecs: is a file of NWChem; add 'property; moldenfile; molden_norm none; end' and 'task scf property'" \
        orbmap "$T/x.movecs" --mo 1
    : >"$T/empty"
    fails 3 'empty' orbmap "$T/empty" --mo 1
    fails 3 '' orbmap "$T/h.molden" --mo 1 --points /dev/null
    [[ ! -e $T/x.cube ]]
}

@test "memory: bounded by slabs; the output pipe may be closed" {
    hydrogen
    # 6e7 points: 480 MB of values
    { (ulimit -v 700000 && orbmap "$T/h.molden" --mo 1 --threads 1 --origin 0,0,0 --lattice-points 400,400,375 \
        --steps 0.01,0.01,0.01 2>"$T/notes"; echo $? >"$T/status") || :; } | head -c 300000000 | wc -c >"$T/bytes"
    [[ $(cat "$T/bytes") == 300000000 && $(cat "$T/status") == 1 && $(wc -l <"$T/notes") == 1 ]]
    fails 2 '--grid, --pad: the box would have' orbmap "$T/h.molden" --mo 1 --grid 1e-5 --pad 1e5
    fails 2 '--grid, --pad: the box would have' orbmap "$T/h.molden" --mo 1 --pad 1e300
    fails 2 '--grid, --pad: invalid lattice of' orbmap "$T/h.molden" --mo 1 --grid 1e-4 --pad 4
}

@test "--each: an atom outside of the lattice of the first file, and another number of orbitals, are reported" {
    hydrogen
    sed '/^H/s/1.0 2.0 3.0/1.0 2.0 33.0/' "$T/h.molden" >"$T/far.molden"
    orbmap --each "$T/h.molden" "$T/far.molden" --density --grid 0.5 2>"$T/notes" | mapinfo - | has -x $'records\t2'
    has 'far.molden: note: 1 atom is outside of the lattice, which is that of the first file' "$T/notes"
    # Two orbitals with the same label
    { sed 's/^ 0.5 1.0/&\np 1 1.00\n 0.5 1.0/' "$T/h.molden"
        printf '%s\n' 'Sym= 1a' 'Ene= 0.5' 'Spin= Alpha' 'Occup= 0.0' '2 1.0'; } >"$T/two.molden"
    fails 3 '--mo: none of these orbitals is occupied, so that they have no density; for maps of the orbitals, give' \
        orbmap "$T/two.molden" --density --mo 2
    orbmap "$T/two.molden" --mo 1,2 --grid 0.5 -o "$T/two.cube" 2>"$T/notes"
    fails 3 "two.cube: 2 values at each point, expected 1; write a file for each, as orbmap -o '%s.cube' does" \
        surf -l 0.1 "$T/two.cube"
    fails 3 '--mo: 2 orbitals, but 1 of the first file' orbmap --each "$T/h.molden" "$T/two.molden" --mo 1a
    fails 3 'two.molden: --mo: 2 orbitals, but 1 of the first file' \
        orbmap --each "$T/h.molden" "$T/two.molden" --mo 1a --points <(echo 0 0 0)
    orbmap --each "$T/h.molden" "$T/h.molden" --density --points <(echo 0 0 0) 2>"$T/notes" | rows | cut -f 1 |
        same - <(printf '0\n1\n')
}

@test "--each: any number of threads gives the same maps; the first file with an error is reported" {
    local i j
    for i in 1 2 3 4 5 6 7 8 9; do
        hydrogen "$T/$i.molden"
        sed -i "s/1.0 2.0 3.0/1.$i 2.0 3.0/" "$T/$i.molden"
    done
    for j in 1 2 5; do
        orbmap -e cpu --each -j "$j" "$T"/[1-9].molden --mo homo --grid 0.5 -o "$T/maps.$j" --to trjg 2>"$T/notes.$j"
        same "$T/maps.1" "$T/maps.$j"
        same "$T/notes.1" "$T/notes.$j"
        orbmap -e cpu --each -j "$j" "$T/1.molden" - "$T/3.molden" <(cat "$T/4.molden") --mo homo --grid 0.5 \
            <"$T/2.molden" 2>"$T/notes.$j" | mapinfo - | has -x $'records\t4'
    done
    mapinfo "$T/maps.5" | has -x $'records\t9'
    sed -i s/Occup/Sym/ "$T/7.molden"
    cp "$T/7.molden" "$T/6.molden"
    mkfifo "$T/pipe" # nothing is read from it, because an earlier file has an error
    for j in 1 5; do
        fails 3 "/6.molden: line 13: " orbmap -e cpu --each -j "$j" "$T"/[1-9].molden "$T/pipe" --mo homo --grid 0.5 \
            -o "$T/$j.%d.cube"
        [[ $(cd "$T" && echo "$j".*.cube) == "$j.0.cube $j.1.cube $j.2.cube $j.3.cube $j.4.cube" ]]
    done
}

@test "a recipe begins with a wave function" {
    hydrogen
    cat >"$T/r.yaml" <<'END'
trjrun: 1
stages:
  psi: {tool: orbmap, files: h.molden, mo: homo, grid: 0.4, output: psi.trjg}
  mesh: {tool: surf, from: psi, level: +-90%, output: psi.ply}
END
    trjrun "$T/r.yaml" 2>"$T/err" || { cat "$T/err"; return 1; }
    grep -qa '^comment provenance: orbmap .* -m homo' "$T/psi.ply"
    trjrun --verify "$T/psi.ply" >"$T/out" 2>&1 || { cat "$T/out"; return 1; }
    sed 's/mo: homo, grid: 0.4, output: psi.trjg/reduced-gradient: true, grid: 0.4, output: "h.%s.cube"/; /mesh/d' \
        "$T/r.yaml" >"$T/names.yaml"
    trjrun "$T/names.yaml" 2>"$T/err" || { cat "$T/err"; return 1; }
    has 'h.%s.cube: done: 2 files, ' "$T/err"
    sed -i 's/cube/trjg/' "$T/names.yaml"
    trjrun "$T/names.yaml" 2>"$T/err" || { cat "$T/err"; return 1; }
    fails 1 'cannot be repeated' trjrun --verify "$T/h.signed-density.trjg"
    [[ -s $T/h.reduced-gradient.cube && -s $T/h.signed-density.cube ]]
    printf '%s\n' 1 c 'H 0 0 0' >"$T/h.xyz"
    sed 's/tool: orbmap, files: h.molden, mo: homo, grid: 0.4/tool: trjcat, files: h.xyz/
        s/tool: surf, from: psi, level: +-90%/tool: orbmap, from: psi, mo: homo/' "$T/r.yaml" >"$T/s.yaml"
    run -3 trjrun "$T/s.yaml"
    [[ $output == *'orbmap'*'a frame stream or a trajectory'* ]] || { echo "$output"; return 1; }
}
