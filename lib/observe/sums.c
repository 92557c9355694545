// SPDX-License-Identifier: MIT
// Writes what tables with exact sums have in common, in the form that sums_merge.c reads.
#include "sums.h"

#include <string.h>

void obs_sums_comment(const struct obs_sum_kind *kind, struct trj_table *t) {
    trj_table_comment(t, OBS_SUMS "%s: %s; trjstat --merge adds them exactly", kind->name, kind->definition);
}

size_t obs_sums_columns(const struct obs_sum_kind *kind, struct trj_table_column *column, size_t n) {
    memcpy(column + n, kind->column, kind->sums * sizeof *column);
    return n + kind->sums;
}

int obs_sums_end_row(const struct obs_sum_kind *kind, const trj_wide *sum, uint64_t frames, struct trj_table *t) {
    double value[OBS_SUM_VALUES_MAX];
    for (size_t i = 0; i < kind->sums; i++) {
        char text[TRJ_WIDE_CAPACITY];
        trj_wide_print(text, sum[i]);
        trj_table_text(t, "%s", text);
    }
    kind->evaluate(value, sum, frames);
    for (size_t i = 0; i < kind->values; i++) trj_table_real(t, OBS_SUM_DIGITS, value[i]);
    return trj_table_end_row(t);
}

int obs_sums_end(uint64_t rows, struct trj_table *t) {
    trj_table_comment(t, OBS_ROWS "%llu", (unsigned long long)rows);
    return trj_table_status(t);
}

bool obs_sums_add_one(trj_wide *to, uint64_t to_frames, const trj_wide *sum, uint64_t frames) {
    (void)to_frames, (void)frames;
    return trj_wide_add(to, *to, *sum);
}
