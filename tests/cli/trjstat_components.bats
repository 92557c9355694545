#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Principal components of trjstat --pca.
# shellcheck shell=bash disable=SC2154
load helper

# steps FRAME...: writes frames of two atoms; FRAME is X,Y: the first atom at X, 0, 0, the second one at 9, Y, 0.
steps() {
    local frame
    for frame; do printf '2\nx\nC %s 0 0\nN 9 %s 0\n' "${frame%,*}" "${frame#*,}"; done
}

# components TABLE: the numbers of the comments on components, with blanks
components() {
    sed -n 's/^# component: \([0-9]\)/\1/p' "$1" | tr '\t\n' ' ;'
}

@test "principal components of two atoms that move independently: eigenvalues, directions and projections are exact" {
    # In four frames, the matrix of frames is smaller, in eight the covariance matrix.
    steps 1,2 1,-2 -1,2 -1,-2 >"$T/4.xyz"
    cat "$T/4.xyz" "$T/4.xyz" >"$T/8.xyz"
    for frames in 4 8; do
        trjcat --carry element "$T/$frames.xyz" -o "$T/x.trjf"
        trjstat -i "$T/x.trjf" --pca all --fit none --vectors "$T/v.tsv" >"$T/table"
        [ "$(components "$T/table")" = '1 4 0.8 0.8;2 1 0.2 1;' ]
        has '# variance: 5 Angstrom^2' <"$T/table"
        rows "$T/table" | cut -f 3,4 | head -n 4 | tr '\t\n' ' ;' >"$T/got"
        [ "$(cat "$T/got")" = '2 1;-2 1;2 -1;-2 -1;' ]
        rows "$T/v.tsv" | awk '{ for (i = 1; i <= NF; i++) printf "%s%s", int($i + 0.5 + 1e-12), i < NF ? " " : ";" }' \
            >"$T/got"
        [ "$(cat "$T/got")" = '0 0 0 0 0 0 0 1 0 0;1 9 0 0 0 1 0 0 0 0;' ]
        has "$(printf '# atom\tmean_x\tmean_y\tmean_z\tx1\ty1\tz1\tx2\ty2\tz2')" <"$T/v.tsv"
    done
}

@test "principal components of a protein: as numpy, for each superposition and with masses" {
    need_shared
    need_python_module numpy
    local selection mode
    trjcat -t "$DATA/dcd/adk.psf" --carry mass,name "$DATA/dcd/adk_dims.dcd" -o "$T/adk.trjf" 2>"$T/note"
    # Of all CA atoms, the matrix of frames is smaller, and of a part of the backbone the covariance matrix.
    for selection in 'name CA' 'backbone and resid 1:7 and not name HA'; do
        trjcat -t "$DATA/dcd/adk.psf" -g "G=$selection" "$DATA/dcd/adk_dims.dcd" -o "$T/g.dcd" 2>"$T/note"
        trjstat -i "$T/adk.trjf" --rmsf "$selection" | rows |
            awk -F '\t' '{ print $2 == "N" ? 14.007 : $2 == "O" ? 15.999 : 12.011 }' >"$T/masses"
        for mode in none iterate mass; do
            case $mode in
                none) options=() ;;
                iterate) options=(--iterate) ;;
                mass) options=(--weights mass) ;;
            esac
            trjstat -i "$T/adk.trjf" --pca "$selection" --components 12 "${options[@]}" --vectors "$T/v.npy" \
                -o "$T/table"
            run_python tests/helpers/principal_components.py "$T/g.dcd" "$T/table" "$T/v.npy" $mode "$T/masses"
        done
    done
    # The variance is the sum of the squared fluctuations.
    trjstat -i "$T/adk.trjf" --rmsf 'name CA' | rows | awk -F '\t' '{ sum += $NF } END { printf "%.6g\n",
        sum * 3 / 8 / atan2(0, -1) ^ 2 }' >"$T/want"
    trjstat -i "$T/adk.trjf" --pca 'name CA' | sed -n 's/^# variance: \([0-9.]*\) .*/\1/p' |
        awk '{ printf "%.6g\n", $1 }' | diff "$T/want" -
}

@test "principal components: the same bytes for any number of threads" {
    need_shared
    local threads selection
    trjcat -t "$DATA/dcd/adk.psf" "$DATA/dcd/adk_dims.dcd" -o "$T/adk.trjf" 2>"$T/note"
    for selection in 'index 0:299' 'index 10:29'; do
        for threads in 1 2 5; do
            trjstat -j $threads -i "$T/adk.trjf" --pca "$selection" --vectors "$T/$threads.npy" >"$T/$threads"
        done
        sed -i 's/--vectors [^ ]*//' "$T/1" "$T/2" "$T/5"
        cmp "$T/1" "$T/2" && cmp "$T/1" "$T/5"
        cmp "$T/1.npy" "$T/2.npy" && cmp "$T/1.npy" "$T/5.npy"
    done
}

@test "principal components: rdfplot draws the projections against the time" {
    steps 1,2 1,-2 -1,2 -1,-2 >"$T/x.xyz"
    trjcat --carry element "$T/x.xyz" | trjstat --pca all --fit none >"$T/table"
    rdfplot "$T/table" >"$T/text"
    has 'projection / Å' <"$T/text"
}

@test "principal components: invalid options, and frames without motion, are rejected" {
    steps 1,2 1,-2 -1,2 -1,-2 >"$T/x.xyz"
    trjcat --carry element "$T/x.xyz" -o "$T/x.trjf"
    rejects() { # STATUS WORDS OPTION...
        run -"$1" trjstat -i "$T/x.trjf" "${@:3}"
        [[ $output == *"$2"* && $(wc -l <<<"$output") -le 2 ]] || { echo "$output" && false; }
    }
    rejects 2 '--components 3: only 2 components of these frames have a variance' --pca all --fit none --components 3
    rejects 2 '--components' --pca all --components 0
    rejects 2 'apply to --pca only' --rmsf all --components 3
    rejects 2 'apply to --pca only' --map 'rmsd(all)' --vectors "$T/v.npy"
    rejects 2 'have different outputs' --pca all --rmsf all
    rejects 2 '--pca has its own output' --pca all 'cog(all)'
    rejects 2 '--per residue: a principal component is a motion of all atoms together' --pca all --per residue
    rejects 2 '--summary describes values of expressions' --pca all --fit none --summary
    rejects 2 "--fit: 'all' selects 2 atoms" --pca all
    rejects 2 '--vectors' --pca all --fit none --vectors "$T/same" -o "$T/same"
    rejects 2 '--pca: ' --pca 'index 99'
    rejects 1 'folder' --pca all --fit none --vectors "$T/missing.folder/v.npy"
    trjcat -f 0 "$T/x.xyz" -o "$T/one.trjf"
    run -3 trjstat -i "$T/one.trjf" --pca all --fit none
    [[ $output == *'the stream has 1 frame; a covariance requires at least 2'* ]]
    steps 1,2 1,2 1,2 | trjcat - -o "$T/still.trjf"
    run -3 trjstat -i "$T/still.trjf" --pca all --fit none --vectors "$T/v.npy"
    [[ $output == *'the atoms do not move relative to each other'* && ! -e "$T/v.npy" ]]
}
