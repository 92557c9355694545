// SPDX-License-Identifier: MIT
// Clusters of frames from the distances of all pairs (X. Daura et al., Angew. Chem. Int. Ed. 38, 236 (1999)), as
// gmx cluster -method gromos: the frame with the most neighbours and these neighbours are the first cluster; among the
// other frames, this is repeated until none is left.
#ifndef OBS_CLUSTERS_H
#define OBS_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct obs_clusters {
    size_t count;
    uint32_t *cluster;       // [frames] number of the cluster, from 0; those of larger clusters come first
    uint32_t *size, *centre; // [count] how many frames it has, and the one with the most neighbours
};

// Finds the clusters for the symmetric matrix distance[frames][frames]. Neighbours are closer than `cutoff`. Of frames
// with equal numbers of neighbours, the first one is the centre. obs_clusters_free frees, also after a failure.
int obs_clusters_find(struct obs_clusters *c, const float *distance, size_t frames, double cutoff,
                      struct trj_error *err);
void obs_clusters_free(struct obs_clusters *c); // not c itself

#endif
