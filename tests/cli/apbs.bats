#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Boundary values for APBS: potmap computes the same values as APBS, which reads them with `bcfl map`.
load helper
CHARGES=$SHARED/data-maps/charge

need_apbs() {
    need apbs
    need_python_module numpy
    [[ -d $CHARGES ]] || skip 'no folder shared/data-maps beside the checkout'
}

# template PQR BCFL NAME: prints an input that writes the potential to NAME.dx. The steps need more than ten decimal
# digits, so that a map without an extra point at each end would be too small.
template() {
    cat <<E2
read
    mol pqr $1
end
elec name solvated
    mg-manual
    dime 33 49 33
    glen 91.7 83.3 71.9
    gcent mol 1
    mol 1
    lpbe
    bcfl $2
    ion charge 1 conc 0.15 radius 2.0
    ion charge -1 conc 0.15 radius 2.0
    pdie 2.0
    sdie 78.54
    chgm spl2
    srfm smol
    sdens 10.0
    srad 1.4
    swin 0.3
    temp 298.15
    calcenergy total
    calcforce no
    write pot dx $3
end
quit
E2
}

# apbs_in INPUT: runs APBS in the folder of the test, where it writes io.mc.
apbs_in() {
    (cd "$T" && timeout 120 apbs "$1") >"$T/apbs.log" 2>&1 || { tail -5 "$T/apbs.log"; return 1; }
}

# energy: prints the last energy of the log in kJ/mol.
energy() {
    awk '/Global net ELEC energy/ { print $(NF - 1) }' "$T/apbs.log"
}

# potmap_apbs PQR TEMPLATE NAME: writes NAME.pqr, NAME.dx and NAME.in in the folder of the test.
potmap_apbs() {
    trjcat -t "$T/$1" -g P=all --carry charge,radius,name,resname,resid "$T/$1" |
        (cd "$T" && potmap --method mdh --apbs "$2" -o "$3")
}

@test "faces of 1a63: potmap --faces computes the boundary values of APBS" {
    need_apbs
    cp "$CHARGES/1a63.pqr" "$T"
    template 1a63.pqr mdh mdh >"$T/mdh.in"
    apbs_in mdh.in
    # The ratio of the units: APBS has its own e, eps0 and k_B, and its own Debye length.
    local unit=0.99999424175 debye=7.856597073
    trjcat -t "$T/1a63.pqr" -g P=all --carry charge,radius "$T/1a63.pqr" |
        potmap --method mdh --faces --dime 33,49,33 --glen 91.7,83.3,71.9 --debye $debye -T 298.15 --exact -m \
            -o "$T/faces.dx"
    run_python tests/helpers/apbs.py faces "$T/faces.dx" "$T"/mdh*.dx $unit 1e-6
}

@test "potmap --apbs: APBS solves for the same potential as with bcfl mdh" {
    need_apbs
    cp "$CHARGES/1a63.pqr" "$T"
    template 1a63.pqr mdh mdh >"$T/mdh.in"
    apbs_in mdh.in
    template 1a63.pqr mdh ours >"$T/template.in"
    potmap_apbs 1a63.pqr template.in frame
    diff "$T/template.in" "$T/frame.in" >"$T/changes" || :
    [[ $(grep -c '^[<>]' "$T/changes") -eq 6 ]]
    grep -qx '>     mol pqr frame.pqr' "$T/changes"
    grep -qx '>     pot dx frame.dx' "$T/changes"
    grep -qx '>     usemap pot 1' "$T/changes"
    grep -qx '>     bcfl map' "$T/changes"
    apbs_in frame.in
    run_python tests/helpers/apbs.py same "$T"/ours*.dx "$T"/mdh*.dx 1e-6 # the last of seven digits
}

@test "boundary values by numpy: APBS solves for the same potential as with bcfl mdh" {
    need_apbs
    cp "$CHARGES/1a63.pqr" "$T"
    template 1a63.pqr mdh mdh >"$T/mdh.in"
    apbs_in mdh.in
    run_python tests/helpers/apbs.py mdh "$T/1a63.pqr" 33,49,33 91.7,83.3,71.9 78.54 298.15 0.15 "$T/map.dx"
    template '1a63.pqr pot dx map.dx' 'map usemap pot 1' ours >"$T/ours.in"
    apbs_in ours.in
    run_python tests/helpers/apbs.py same "$T"/ours*.dx "$T"/mdh*.dx 1e-9
}

# Prints an input for the solvation energy of an ion of 1 e and 3 Angstrom, as examples/born of APBS.
born() {
    local common='mg-auto dime 65 65 65 cglen 50 50 50 fglen 12 12 12 fgcent mol 1 cgcent mol 1 mol 1 lpbe
        pdie 1.0 chgm spl2 srfm mol srad 1.4 swin 0.3 sdens 10.0 temp 298.15 calcenergy total calcforce no'
    echo "read mol pqr ion.pqr end
        elec name solvated $common bcfl mdh sdie 78.54 end
        elec name reference $common bcfl mdh sdie 1.0 end
        print elecEnergy solvated - reference end quit"
}

@test "Born ion with focusing: the energy of APBS to 1e-4, which is near the analytic -230.62 kJ/mol" {
    need_apbs
    cp "$CHARGES/ion.pqr" "$T"
    born >"$T/mdh.in"
    apbs_in mdh.in
    local own
    own=$(energy)
    potmap_apbs ion.pqr mdh.in ours 2>"$T/notes"
    has 'note: .*the first of 2 ELEC sections' "$T/notes"
    apbs_in ours.in
    awk -v own="$own" -v ours="$(energy)" 'function abs(x) { return x < 0 ? -x : x }
        BEGIN { print own, ours
                exit !(abs(own + 229.774) < 1e-3 && abs(ours / own - 1) < 1e-4 && abs(ours / -230.62 - 1) < 5e-3) }'
}

@test "potmap --apbs: a frame of a trajectory has its own box, and its numbers are those of the PQR file" {
    need_apbs
    cp "$CHARGES/1a63.pqr" "$T"
    template 1a63.pqr mdh mdh >"$T/template.in"
    # The second frame is the first one, moved by a vector whose components need many digits.
    awk '/^ATOM/ { $(NF - 4) += 10.123457; $(NF - 3) -= 3.7654321; print }' "$T/1a63.pqr" >"$T/moved.pqr"
    trjcat -t "$T/1a63.pqr" -g P=all --carry charge,radius "$T/1a63.pqr" "$T/moved.pqr" |
        (cd "$T" && potmap --method mdh --apbs template.in -o 'f.%d')
    sed 's/mol pqr .*/mol pqr f.1.pqr/' "$T/template.in" >"$T/mdh.in"
    apbs_in mdh.in
    mv "$T"/mdh-PE0.dx "$T/own.dx" 2>/dev/null || mv "$T/mdh.dx" "$T/own.dx"
    apbs_in f.1.in
    run_python tests/helpers/apbs.py same "$T"/mdh.1*.dx "$T/own.dx" 1e-6
}
