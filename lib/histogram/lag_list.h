// SPDX-License-Identifier: MIT
// The lags of a count, or of a selection of counts, as users give them.
#ifndef RDF_LAG_LIST_H
#define RDF_LAG_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "tool.h"

enum { RDF_MAX_LAG = 1000000000, RDF_MAX_LAGS = 256 };

struct rdf_lag_list {
    uint64_t lag[RDF_MAX_LAGS]; // ascending, in frames
    size_t count;
};

// Reads lags: each text is a list of items with commas in between, and each item is a whole number of frames or
// log:FIRST:LAST:N. The latter means the N lags FIRST (LAST/FIRST)^(k/(N-1)), k from 0 to N - 1, rounded to whole
// numbers. Equal lags count once. A single 0 is the empty list; with `zero`, 0 may be among other lags. Fails with
// TRJ_USAGE for other texts, and for more than RDF_MAX_LAGS lags.
int rdf_lag_list_parse(struct rdf_lag_list *list, const struct trj_text_list *texts, bool zero, struct trj_error *err);
bool rdf_lag_list_has(const struct rdf_lag_list *list, uint64_t lag);
void rdf_lag_list_note(struct rdf_lag_list *list, uint64_t lag); // adds a lag unless the list contains it or is full
// Fails with TRJ_USAGE: there are no counts with `lag`. The message contains the lags of `present`.
int rdf_lag_list_fail_missing(const struct rdf_lag_list *present, uint64_t lag, struct trj_error *err);

#endif
