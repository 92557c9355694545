// SPDX-License-Identifier: MIT
// Functions shared by filters that convert histogram streams to tables: reading of the streams, and the comments at the
// start of the table.
#ifndef RDF_TABLE_H
#define RDF_TABLE_H

#include "error.h"
#include "hist_stream.h"
#include "output.h"
#include "table_writer.h"
#include "tool.h"

// Names of the first three values of enum rdf_part; ends with a NULL name.
extern const struct trj_choice rdf_parts[];
enum rdf_part rdf_part_named(const char *name); // `name` must be one of them

// Options that these filters share, for their tables of options (tool.h). The values of --pair and --scatterer are
// lists of texts, the others are flags.
extern const struct trj_option rdf_pair_option[], rdf_split_option[], rdf_partial_option[], rdf_scatterer_option[];

// Adds the streams of all paths, or of standard input if there is none. With h->added, files are followed while another
// program writes them (input.h), each up to its END block. Fails as rdf_table_check.
int rdf_table_read(struct rdf_hist *h, char **paths, int count, struct trj_error *err);

// Fails with TRJ_BAD_DATA if a frame is counted twice, or if only excluded pairs are requested and there are none.
int rdf_table_check(const struct rdf_hist *h, struct trj_error *err);

// Fails with TRJ_BAD_DATA if no pair of groups contains a pair of atoms, or, with `each`, if one of them contains none,
// because all are excluded or because the groups are a single atom at two times. Without pairs, g(r) is NaN.
int rdf_table_check_pairs(const struct rdf_setup *s, bool each, struct trj_error *err);

// Prints comments: the provenance of the streams, then `provenance` (ends with NULL), groups, frames, volume and
// excluded pairs. `group_atoms` [groups] are sums over frames; NULL if no group is dynamic.
void rdf_table_head(struct trj_table *t, const struct rdf_hist *h, const uint64_t *group_atoms, char **provenance);

// Prints the lag of the counts as a comment; nothing if there is none.
void rdf_table_lag(struct trj_table *t, const struct rdf_hist *h);

// Writes the name of a column: "g(A:B)", or "g(B:A)" with `reversed`.
void rdf_table_name(struct trj_table *t, const char *what, const struct rdf_setup *s, size_t pair, bool reversed);

#endif
