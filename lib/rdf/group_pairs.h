// SPDX-License-Identifier: MIT
// Which pairs of groups are counted, as users say it: A:B, where * stands for any group.
#ifndef RDF_GROUP_PAIRS_H
#define RDF_GROUP_PAIRS_H

#include <stdbool.h>

#include "error.h"
#include "frame_stream.h"
#include "hist_setup.h"
#include "tool.h"

// Fills groups, whose names stay the header's, and pairs of the set-up; free() frees both arrays, also on failure. Each of `texts` is A:B; without
// any each group makes a pair with itself. A pair comes once, but for A:B and B:A that are both given by name. TRJ_USAGE where a text is no pair,
// names no group, or says the same as another one.
//
// Without a lag, pairs of groups that hold no two atoms are TRJ_BAD_DATA where they are given by name, else left out and told to `note`; so is a
// set-up without any pair.
int rdf_group_pairs(struct rdf_setup *s, const struct trj_stream_header *h, const struct trj_text_list *texts, bool lag,
                    void (*note)(const char *text), struct trj_error *err);

#endif
