// SPDX-License-Identifier: MIT
// Parses lists of lags, and rounds logarithmic ones to whole frames without duplicates.
#include "lag_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

bool rdf_lag_list_has(const struct rdf_lag_list *list, uint64_t lag) {
    for (size_t i = 0; i < list->count; i++)
        if (list->lag[i] == lag) return true;
    return false;
}

void rdf_lag_list_note(struct rdf_lag_list *list, uint64_t lag) {
    size_t k = list->count;
    if (k == RDF_MAX_LAGS || rdf_lag_list_has(list, lag)) return;
    for (; k && list->lag[k - 1] > lag; k--) list->lag[k] = list->lag[k - 1];
    list->lag[k] = lag;
    list->count++;
}

static int add(struct rdf_lag_list *list, uint64_t lag, struct trj_error *err) {
    if (list->count == RDF_MAX_LAGS && !rdf_lag_list_has(list, lag))
        return trj_fail(err, TRJ_USAGE, "more than %d lags; give fewer", RDF_MAX_LAGS);
    rdf_lag_list_note(list, lag);
    return 0;
}

int rdf_lag_list_fail_missing(const struct rdf_lag_list *present, uint64_t lag, struct trj_error *err) {
    enum { LISTED = 20 };
    char text[12 * LISTED] = "";
    size_t at = 0, listed = present->count < LISTED ? present->count : LISTED;
    const char *unit = lag > 1 ? "frames" : "frame";
    for (size_t i = 0; i < listed; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s%llu", i ? ", " : "", (unsigned long long)present->lag[i]);
    if (!present->count)
        return trj_fail(err, TRJ_USAGE, "--lag: no counts with a lag of %llu %s in the input; count with rdfhist --lag",
                        (unsigned long long)lag, unit);
    return trj_fail(err, TRJ_USAGE,
                    "--lag: no counts with a lag of %llu %s in the input, which has %s%s; give one of them, or count "
                    "with rdfhist --lag",
                    (unsigned long long)lag, unit, text, listed < present->count ? ", ..." : "");
}

static int add_logarithmic(struct rdf_lag_list *list, const char *item, struct trj_error *err) {
    char fields[100];
    uint64_t value[3] = {0}; // FIRST, LAST, N
    char *next = fields;
    bool valid = strlen(item) < sizeof fields;
    if (valid) memcpy(fields, item, strlen(item) + 1);
    for (int i = 0; valid && i < 3; i++) {
        char *colon = strchr(next, ':');
        valid = (colon != NULL) == (i < 2);
        if (valid && colon) *colon = 0;
        valid = valid && trj_parse_u64(next, &value[i]);
        if (colon) next = colon + 1;
    }
    if (!valid || !value[0] || value[1] <= value[0] || value[1] > RDF_MAX_LAG || value[2] < 2 ||
        value[2] > RDF_MAX_LAGS)
        return trj_fail(err, TRJ_USAGE,
                        "invalid value 'log:%s': expected log:FIRST:LAST:N with N lags, at most %d, from FIRST "
                        "to LAST frames, such as log:1:1000:10",
                        item, RDF_MAX_LAGS);
    double ratio = (double)value[1] / (double)value[0], last = (double)(value[2] - 1);
    for (uint64_t k = 0; k < value[2]; k++)
        if (add(list, (uint64_t)rint((double)value[0] * pow(ratio, (double)k / last)), err)) return -1;
    return 0;
}

static int add_item(struct rdf_lag_list *list, const char *item, struct trj_error *err) {
    static const char logarithmic[] = "log:";
    uint64_t lag;
    if (!strncmp(item, logarithmic, sizeof logarithmic - 1))
        return add_logarithmic(list, item + sizeof logarithmic - 1, err);
    if (!trj_parse_u64(item, &lag) || lag > RDF_MAX_LAG)
        return trj_fail(err, TRJ_USAGE, "'%s' is not a whole number from 0 to %d", item, RDF_MAX_LAG);
    return add(list, lag, err);
}

int rdf_lag_list_parse(struct rdf_lag_list *list, const struct trj_text_list *texts, bool zero, struct trj_error *err) {
    *list = (struct rdf_lag_list){.count = 0};
    for (size_t i = 0; i < texts->count; i++)
        for (const char *next = texts->texts[i];; next++) {
            char item[100];
            size_t n = strcspn(next, ",");
            if (n >= sizeof item)
                return trj_fail(err, TRJ_USAGE, "'%.40s...' is not a lag; give a number of frames", next);
            memcpy(item, next, n);
            item[n] = 0;
            if (add_item(list, item, err)) return -1;
            next += n;
            if (!*next) break;
        }
    if (list->count == 1 && !list->lag[0]) list->count = 0;
    if (!zero && list->count && !list->lag[0])
        return trj_fail(err, TRJ_USAGE, "0 among other lags: leave it out, and count g(r) in a separate run");
    return 0;
}
