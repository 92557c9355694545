# shellcheck shell=sh
# A function for benchmarks, which read this file with `.`: the rows of all benchmarks of a run are collected in one
# file, which tests/bench/judge compares with targets and with baseline.tsv.

# record ROW MEASURED UNIT TARGET [SECONDS]: appends a row to the file TRJPIPE_ROWS, if this is set. A target is <=X,
# >=X, a number, or - for none. A unit that ends in /s or /ns is that of a rate, for which more is better; of other
# units, less is better. SECONDS is the time of a yardstick in the same run (yardstick.c): on CPUs, times are compared
# as multiples of it.
record() {
    [ "${TRJPIPE_ROWS-}" ] || return 0
    case $3 in */s | */ns) better='>=' ;; *) better='<=' ;; esac
    case $4 in
    [\<\>]*) better=$4 ;;
    -) ;;
    *) better=$better$4 ;;
    esac
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$better" "${5--}" >>"$TRJPIPE_ROWS"
}
