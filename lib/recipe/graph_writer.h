// SPDX-License-Identifier: MIT
// A plan as a picture: SVG, from left to right.
#ifndef TRJ_GRAPH_WRITER_H
#define TRJ_GRAPH_WRITER_H

#include "bytes.h"
#include "recipe_plan.h"

int trj_plan_put_graph(struct trj_bytes *b, const struct trj_plan *plan, struct trj_error *err);

#endif
