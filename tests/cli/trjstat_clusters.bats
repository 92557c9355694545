#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Clusters of frames by their RMSD: trjstat --map 'rmsd(...)' --cluster.
# shellcheck shell=bash disable=SC2154
load helper

# line X...: writes frames of one atom at X, 0, 0.
line() {
    printf '1\nx\nC %s 0 0\n' "$@"
}

@test "clusters of points on a line: most neighbours first, then the first frame; the limit is outside" {
    line 0 10 1 11 2 50 | trjcat - -o "$T/x.trjf"
    trjstat -i "$T/x.trjf" --map 'rmsd(all, fit=none)' --cluster 1.5 >"$T/table"
    rows "$T/table" | awk -F '\t' '{ printf "%d %d %.6g;", $1, $3, $4 }' >"$T/got"
    [ "$(cat "$T/got")" = '0 1 1;1 2 0;2 1 0;3 2 1;4 1 1;5 3 0;' ]
    sed -n 's/^# cluster: \([0-9]\)/\1/p' "$T/table" | tr '\t\n' ' ;' >"$T/got"
    [ "$(cat "$T/got")" = '1 3 0.5 2 nan 1;2 2 0.333333 1 nan 1;3 1 0.166667 5 nan nan;' ]
    has "$(printf '# frame\ttime\tcluster(all, fit=none)\tcentre_rmsd(all, fit=none)')" <"$T/table"
    # Neighbours at 8 are not closer than 8.
    line 0 16 8 | trjcat - -o "$T/limit.trjf"
    trjstat -i "$T/limit.trjf" --map 'rmsd(all, fit=none)' --cluster 8 | rows | cut -f 3 | tr '\n' ' ' >"$T/got"
    [ "$(cat "$T/got")" = '1 2 3 ' ]
    trjstat -i "$T/x.trjf" --map 'rmsd(all, fit=none)' --cluster 100 | rows | cut -f 3 | tr '\n' ' ' >"$T/got"
    [ "$(cat "$T/got")" = '1 1 1 1 1 1 ' ]
}

@test "clusters of a protein: as an independent program finds them from the matrix, for any number of threads" {
    need_shared
    local cutoff
    trjcat -t "$DATA/dcd/adk.psf" --carry name "$DATA/dcd/adk_dims.dcd" -o "$T/adk.trjf" 2>"$T/note"
    trjstat -i "$T/adk.trjf" --map 'rmsd(name CA)' | rows >"$T/pairs"
    for cutoff in 0.4 0.9 2; do
        awk -F '\t' -v cutoff=$cutoff '
            { near[$1, $2] = near[$2, $1] = $3 < cutoff; if ($2 >= n) n = $2 + 1 }
            END {
                for (left = n; left > 0; k++) {
                    most = -1
                    for (a = 0; a < n; a++) {
                        if (a in cluster) continue
                        count = 0
                        for (b = 0; b < n; b++) count += !(b in cluster) && near[a, b]
                        if (count > most) { most = count; centre = a }
                    }
                    for (b = 0; b < n; b++)
                        if (!(b in cluster) && (b == centre || near[centre, b])) { new[b]; left-- }
                    for (b in new) cluster[b] = k + 1
                    split("", new)
                }
                for (a = 0; a < n; a++) print a "\t" cluster[a]
            }' "$T/pairs" >"$T/want"
        for threads in 1 3; do
            trjstat -j $threads -i "$T/adk.trjf" --map 'rmsd(name CA)' --cluster $cutoff | rows | cut -f 1,3 |
                diff "$T/want" -
        done
    done
}

@test "clusters: invalid options are rejected" {
    line 0 10 1 | trjcat - -o "$T/x.trjf"
    rejects() { # STATUS WORDS OPTION...
        run -"$1" trjstat -i "$T/x.trjf" "${@:3}"
        [[ $output == *"$2"* && $(wc -l <<<"$output") -le 2 ]] || { echo "$output" && false; }
    }
    rejects 2 'the cutoff must be above 0 Angstrom' --map 'rmsd(all, fit=none)' --cluster 0
    rejects 2 '--cluster' --map 'rmsd(all, fit=none)' --cluster nan
    rejects 2 "add --map 'rmsd(A)'" --cluster 1 'cog(all)'
    rejects 2 "use --map 'rmsd(A)'" --cluster 1 --map 'contacts(all, all, 3)'
    rejects 2 'leave the ending .npy of --output out' --cluster 1 --map 'rmsd(all, fit=none)' -o "$T/x.npy"
}
