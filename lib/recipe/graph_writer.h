// SPDX-License-Identifier: MIT
// Draws a plan as an SVG graph: given files on the left, then the runs that read them. Full arrows are pipes, dashed
// arrows are files.
#ifndef TRJ_GRAPH_WRITER_H
#define TRJ_GRAPH_WRITER_H

#include "bytes.h"
#include "recipe_plan.h"

// Appends the SVG document to `b`; the caller checks b->failed.
int trj_plan_put_graph(struct trj_bytes *b, const struct trj_plan *plan, struct trj_error *err);

#endif
