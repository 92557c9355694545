// SPDX-License-Identifier: MIT
// Computes quantities of all records and their errors.
#include "lag_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "curve_mean.h"
#include "distributions.h"
#include "error_blocks.h"
#include "memory.h"

// Sets the error of output i from out[records][outputs].
static int set_error(struct tcf_value *to, const struct tcf_records *r, const struct tcf_estimator *e,
                     const double *out, size_t i, struct trj_error *err) {
    struct curve_mean m = {.interval = 0};
    struct curve_mean_error error = {.error = NULL};
    int rc = curve_mean_open(&m, 1, 1, err);
    for (size_t k = 0; !rc && k < r->count; k++) {
        const double weight = r->record[k].pairs[e->longest[i]], y = out[k * e->outputs + i] - to->value,
                     weighted = weight * y;
        if (weight > 0 && isfinite(y)) rc = curve_mean_add(&m, &weighted, &weight, err);
    }
    if (!rc && m.records > 1) {
        const double mean = m.sum[0] / m.weight[0];
        rc = curve_mean_error(&error, &m, 0, &mean, err);
    }
    // Windows of neighbouring records overlap, so that an error without a test for correlation would be too small.
    const struct curve_error_blocks blocks = curve_error_blocks_of(&error);
    if (!rc && error.error && !error.too_few && curve_error_blocks_are_known(&blocks)) {
        to->error = blocks.bias * error.error[0];
        to->freedom = blocks.number - 1;
    }
    free(error.error);
    curve_mean_free(&m);
    return rc;
}

double tcf_half_width(const struct tcf_value *v) {
    return curve_student_quantile(95, v->freedom) * v->error;
}

int tcf_estimate(const struct tcf_records *r, const struct tcf_estimator *e, struct tcf_value *to,
                 struct trj_error *err) {
    double *out = trj_alloc(r->count + 1, e->outputs * sizeof *out, "estimates", err),
           *all = out ? out + r->count * e->outputs : NULL;
    if (!out) return -1;
    int rc = 0;
    e->evaluate(e->arg, r->total, r->number, all);
    for (size_t k = 0; k < r->count; k++)
        e->evaluate(e->arg, r->record[k].sum, r->record[k].pairs, out + k * e->outputs);
    for (size_t i = 0; i < e->outputs && !rc; i++) {
        to[i] = (struct tcf_value){all[i], NAN, NAN};
        if (isfinite(all[i])) rc = set_error(&to[i], r, e, out, i, err);
    }
    free(out);
    return rc;
}
