// SPDX-License-Identifier: MIT
// Sums over start frames in an order that depends on their numbers alone, so that the sums of segments of a trajectory
// can be joined to the bytes of the sums over all frames.
//
// Node n of height h contains the start frames n 2^h to (n + 1) 2^h - 1. Its sum is that of node 2 n of height h - 1,
// plus that of node 2 n + 1, as far as these have start frames. The records for errors (lag_records.h) are the nodes of
// the lowest height at which TCF_RECORDS of them contain all start frames.
//
// Start frames of a segment are added up to the largest nodes that contain no frames of other segments.
#ifndef TCF_START_TREE_H
#define TCF_START_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lag_records.h"

struct tcf_tree_node {
    size_t lag;      // its number
    unsigned height; // h
    uint64_t number; // n
    double *sum;     // [parts], then the number of pairs of frames
};

struct tcf_tree;

// frames: those of the trajectory; 0: not yet known. range: the start frames of a segment, for which `frames` is known;
// NULL: all.
int tcf_tree_open(struct tcf_tree **tree, size_t parts, size_t lags, uint64_t frames, const struct tcf_range *range,
                  struct trj_error *err);
void tcf_tree_close(struct tcf_tree *tree); // NULL is allowed
// Returns the bytes that a tree requires.
double tcf_tree_bytes(size_t parts, size_t lags);
// Adds a node. Those of a lag ascend. Start frames that are multiples of 2^h are nodes of height h. Fails only if
// memory is missing.
int tcf_tree_add(struct tcf_tree *tree, const struct tcf_tree_node *node, struct trj_error *err);
// Ends the addition, after which there are records, or the nodes of a segment, sorted by lag and start frames.
int tcf_tree_finish(struct tcf_tree *tree, struct trj_error *err);
const struct tcf_records *tcf_tree_records(const struct tcf_tree *tree);
const struct tcf_tree_node *tcf_tree_nodes(const struct tcf_tree *tree, size_t *count);

#endif
