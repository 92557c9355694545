# SPDX-License-Identifier: MIT
# Compares columns of a table of trjstat with columns of a table of reference values:
#   awk -f compare_columns.awk -v want=REFERENCE -v names=rg,l1 -v columns=3,4 -v absolute=1e-5 -v relative=1e-6 TABLE
# names: columns of the reference by name; columns: those of the table by number. Prints the number of compared values.
BEGIN {
    FS = "\t"
    n = split(names, name, ",")
    split(columns, column, ",")
    while ((getline line <want) > 0) {
        if (line ~ /^#/) continue
        count = split(line, field, "\t")
        if (!head) {
            for (i = 1; i <= count; i++) index_of[field[i]] = i
            for (i = 1; i <= n; i++) if (!(name[i] in index_of)) { print "no column " name[i] " in " want; exit 1 }
            head = 1
            continue
        }
        rows++
        for (i = 1; i <= n; i++) value[rows, i] = field[index_of[name[i]]]
    }
}
/^#/ { next }
{
    row++
    for (i = 1; i <= n; i++) {
        got = $column[i]; expected = value[row, i]
        d = got - expected; if (d < 0) d = -d
        size = expected < 0 ? -expected : expected
        if (got == "nan" || !(d <= absolute + relative * size)) {
            print "row " row ", " name[i] ": " got ", expected " expected
            bad++
        }
        compared++
    }
}
END { if (row != rows) { print row " rows, expected " rows; bad++ } print compared " values"; exit bad > 0 }
