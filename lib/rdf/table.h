// SPDX-License-Identifier: MIT
// What filters that make tables of histogram streams share: reading them, and the comments at the head of the table.
#ifndef RDF_TABLE_H
#define RDF_TABLE_H

#include "error.h"
#include "hist_stream.h"
#include "output.h"
#include "tool.h"

// The first three of enum rdf_part, as users call them; ends with a NULL name.
extern const struct trj_choice rdf_parts[];
enum rdf_part rdf_part_named(const char *name); // which must be one of them

// The options that these filters have in common, for their tables: values are lists of texts.
#define RDF_OPTION_PAIR(list)                                                                                          \
    {                                                                                                                  \
        .letter = 'p', .name = "pair", .kind = TRJ_OPTION_LIST, .value = (list), .arg = "A:B",                         \
        .help = "only this pair of groups; without it all that were counted"                                           \
    }
#define RDF_OPTION_PARTIAL(flag)                                                                                       \
    {                                                                                                                  \
        .name = "partial", .kind = TRJ_OPTION_FLAG, .value = (flag),                                                   \
        .help = "accept a neutron or X-ray --total of groups that do not hold all atoms of the system"                 \
    }
#define RDF_OPTION_SCATTERER(list)                                                                                     \
    {                                                                                                                  \
        .name = "scatterer", .kind = TRJ_OPTION_LIST, .value = (list), .arg = "GROUP=WHAT",                            \
        .help = "what a group scatters for --total: an element, an ion as Cl1-, D, or a length b in fm"                \
    }

// Adds the streams of all paths; of standard input without any. No frame may be counted twice. TRJ_BAD_DATA where excluded pairs alone are
// wanted, and there are none.
int rdf_table_read(struct rdf_hist *h, char **paths, int count, struct trj_error *err);

// TRJ_BAD_DATA where the part that is taken has no pair of any two groups, or with `each` of two: all are excluded, or, at two times, it is one
// atom. A g(r) of no pair is NaN.
int rdf_table_check_pairs(const struct rdf_setup *s, bool each, struct trj_error *err);

// Provenance, that of the streams and then `provenance` (ends with NULL), groups, frames, volume, excluded pairs. `group_atoms` [groups] are sums over
// frames, NULL where no group changes.
int rdf_table_head(struct trj_output *out, const struct rdf_hist *h, const uint64_t *group_atoms, char **provenance,
                   struct trj_error *err);

// A number to so many digits, after a tab: "%.*g", of which tables are made.
int rdf_table_number(struct trj_output *out, unsigned digits, double v, struct trj_error *err);

// The name of a column, after a tab: "g(A:B)", with `reversed` "g(B:A)".
int rdf_table_name(struct trj_output *out, const char *what, const struct rdf_setup *s, size_t pair, bool reversed,
                   struct trj_error *err);

#endif
