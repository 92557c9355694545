// SPDX-License-Identifier: MIT
// Writes and reads the comment on the bins of an axis, so that its form is in one place.
#include "bin_axis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "memory.h"
#include "number.h"

static const char start[] = "axis ";

void curve_bin_axis_write(const struct curve_bin_axis *a, struct trj_table *t) {
    char low[TRJ_DECIMAL_CAPACITY + 1], high[TRJ_DECIMAL_CAPACITY + 1];
    low[trj_print_real(low, a->low)] = 0;
    high[trj_print_real(high, a->high)] = 0;
    trj_table_comment(t, "%s%s: %s in %s: %llu bins from %s to %s", start, a->column, a->name, a->unit,
                      (unsigned long long)a->bins, low, high);
}

// Cuts the text at `end`, and returns what follows; NULL if the text is NULL or does not contain it.
static char *cut(char *text, const char *end) {
    char *found = text ? strstr(text, end) : NULL;
    if (!found) return NULL;
    *found = 0;
    return found + strlen(end);
}

static int fail(struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "invalid description of an axis: expected '# axis COLUMN: NAME in UNIT: N bins from LOW to HIGH'");
}

int curve_bin_axis_read(struct curve_bin_axis *a, const char *line, struct trj_error *err) {
    *a = (struct curve_bin_axis){.bins = 0};
    if (strncmp(line, "# ", 2) != 0 || strncmp(line + 2, start, sizeof start - 1) != 0) return 0;
    char *text = trj_copy_text(line + 2 + sizeof start - 1, err);
    if (!text) return -1;
    char *name = cut(text, ": "), *unit = cut(name, " in "), *bins = cut(unit, ": "), *low = cut(bins, " bins from "),
         *high = cut(low, " to ");
    bool valid = high && *text && *name && *unit && trj_parse_u64(bins, &a->bins) && a->bins &&
                 trj_parse_real(low, &a->low) && trj_parse_real(high, &a->high) && a->low < a->high;
    int rc = valid ? 1 : fail(err);
    if (valid && (!(a->column = trj_copy_text(text, err)) || !(a->name = trj_copy_text(name, err)) ||
                  !(a->unit = trj_copy_text(unit, err))))
        rc = -1;
    free(text);
    return rc;
}

void curve_bin_axis_free(struct curve_bin_axis *a) {
    free(a->column);
    free(a->name);
    free(a->unit);
    *a = (struct curve_bin_axis){.bins = 0};
}
