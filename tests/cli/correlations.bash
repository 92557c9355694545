# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# Functions that the Bats files of trjcorr share: columns of its tables, results, reference values, and water.

OBSERVABLES=$SHARED/data-observables

need_observables() {
    [[ -f $OBSERVABLES/spce216.tpr && -d $SHARED/reference-observables ]] ||
        skip 'no folder shared/ with the data beside the checkout'
}

# column NAME < TABLE: prints lag and value of a column
column() {
    awk -F '\t' -v name="$1" '
        /^# (lag|wavenumber)\t/ { for (k = 2; k <= NF; k++) if ($k == name) column = k }
        /^#/ { next }
        column { print $1 "\t" $column; rows++ }
        END { exit !rows }'
}

# reference FILE COLUMN: prints lag and value of a column of a table of reference values
reference() {
    awk -F '\t' -v name="$2" '/^#/ { next }
        !column { for (k = 1; k <= NF; k++) if ($k == name) column = k; next }
        { print $1 "\t" $column }' "$SHARED/reference-observables/$1.tsv"
}

# as_reference FILE COLUMN RELATIVE ABSOLUTE < VALUES: all rows of the reference have values within the tolerance
as_reference() {
    awk -F '\t' -v relative="$3" -v absolute="$4" '
        NR == FNR { want[$1] = $2; rows++; next }
        $1 in want {
            d = $2 - want[$1]; size = want[$1]; if (d < 0) d = -d; if (size < 0) size = -size
            if (!(d <= absolute + relative * size)) { print "lag " $1 ": " $2 ", expected " want[$1]; bad = 1 }
            found++
        }
        END { print found " of " rows " rows"; exit bad || !rows || found < rows }' <(reference "$1" "$2") -
}

# result EXPRESSION QUANTITY FIELD < TABLE: a field of a result: 3 value, 4 error, 5 half-width, 7 and 8 the lags
result() {
    awk -F '\t' -v expression="# result: $1" -v quantity="$2" -v field="$3" \
        '$1 == expression && $2 == quantity { print $field; found = 1 } END { exit !found }'
}

near() { # VALUE EXPECTED TOLERANCE
    awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { print a ", expected " b; exit !((a - b) ^ 2 <= most ^ 2) }'
}

water() { # NAME OPTION...: a run of 216 waters, with its topology
    trjcat -t "$OBSERVABLES/spce216.tpr" "${@:2}" "$OBSERVABLES/spce216-$1"
}
