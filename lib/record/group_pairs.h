// SPDX-License-Identifier: MIT
// Parses the pairs of groups to be counted: A:B, where * is any group.
#ifndef RDF_GROUP_PAIRS_H
#define RDF_GROUP_PAIRS_H

#include <stdbool.h>

#include "error.h"
#include "frame_stream.h"
#include "hist_setup.h"
#include "tool.h"

// Sets the groups and pairs of the set-up. The names of groups remain owned by the header; the caller frees both arrays
// with free(), also after a failure. Each of `texts` is A:B; without texts, each group forms a pair with itself. No
// pair occurs twice, but A:B and B:A may both be given by name. Fails with TRJ_USAGE if a text is not a pair, names an
// unknown group, or is a duplicate.
//
// `layers` is 0, or the number of layers into which each group is divided (layers.h). The name of a whole group is then
// that of all its layers, and pairs of whole groups, or wildcards, are pairs within each layer.
//
// Without a lag, a pair of groups that contains no pair of different atoms is TRJ_BAD_DATA if it is given by name, and
// otherwise omitted and reported to `note`. A set-up without pairs is TRJ_BAD_DATA, too.
int rdf_group_pairs(struct rdf_setup *s, const struct trj_stream_header *h, uint32_t layers,
                    const struct trj_text_list *texts, bool lag, void (*note)(const char *text), struct trj_error *err);

// Checks a text A:B as rdf_group_pairs does without layers, before there is a stream. Of `h`, only the names of the
// groups are used; NULL: they are not known, and only the form is checked.
int rdf_group_pair_check(const char *text, const struct trj_stream_header *h, struct trj_error *err);

#endif
