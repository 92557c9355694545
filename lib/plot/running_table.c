// SPDX-License-Identifier: MIT
// Turns comments about the first frames into a curve for each expression, which shows how an estimate converges.
#include "running_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "memory.h"
#include "table_reader.h"

// Names the columns "frames", "epsilon(all, 300)" and so on.
static int name_columns(struct plot_table *t, struct trj_error *err) {
    const struct plot_correlation_comments *c = &t->correlation;
    struct trj_bytes names = {.size = 0};
    static const char first[] = "frames";
    trj_put_raw(&names, first, sizeof first - 1);
    for (size_t i = 0; i < c->runnings; i++) {
        const char *arguments = strchr(c->running[i].expression, '(');
        if (i && c->running[i].column == c->running[i - 1].column) continue;
        trj_put_raw(&names, "\tepsilon", strlen("\tepsilon"));
        if (arguments) trj_put_raw(&names, arguments, strlen(arguments));
    }
    trj_put_raw(&names, "", 1);
    free(t->names);
    free(t->name);
    t->names = (char *)names.data;
    t->name = NULL;
    if (names.failed) return trj_fail_memory(err, (double)names.size, "names");
    return trj_table_split(t->names, &t->name, &t->columns, err);
}

int plot_running_table_fill(struct plot_table *t, struct trj_error *err) {
    const struct plot_correlation_comments *c = &t->correlation;
    if (!c->runnings)
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains no comments '# running:', as --running requires; give the whole table of trjcorr "
                        "'dielectric(all, 300)'");
    if (name_columns(t, err)) return -1;
    free(t->values);
    if (!(t->values = trj_alloc(c->runnings, t->columns * sizeof *t->values, "a table", err))) return -1;
    t->rows = t->x = 0;
    for (size_t i = 0, row = 0; i < c->runnings; i++, row++) {
        const struct plot_running_value *r = &c->running[i];
        if (i && r->column != r[-1].column) row = 0;
        double *values = t->values + row * t->columns;
        if (!r->column) {
            for (size_t k = 1; k < t->columns; k++) values[k] = NAN;
            values[0] = r->frames;
            t->rows++;
        }
        const bool increases = !row || r->frames > values[-(ptrdiff_t)t->columns];
        if (row >= t->rows || values[0] != r->frames || !increases)
            return trj_fail(err, TRJ_BAD_DATA,
                            "comments '# running:': the numbers of frames do not increase, or differ between "
                            "expressions; create the table again");
        values[1 + r->column] = r->value;
    }
    t->map = t->pairs = t->parts = false;
    t->axis = plot_axis_find(t->name[0]);
    return 0;
}
