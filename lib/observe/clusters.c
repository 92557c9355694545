// SPDX-License-Identifier: MIT
// Removes one cluster after the other, and reduces the numbers of neighbours of the frames that are left, so that each
// element of the matrix is used twice.
#include "clusters.h"

#include <stdlib.h>

#include "memory.h"

#define NONE UINT32_MAX

static void count_neighbours(uint32_t *neighbours, const float *distance, size_t frames, double cutoff) {
    for (size_t a = 0; a < frames; a++)
        for (size_t b = 0; b < frames; b++) neighbours[a] += b != a && (double)distance[a * frames + b] < cutoff;
}

// Returns the first of the frames without a cluster that have the most neighbours.
static size_t find_centre(const struct obs_clusters *c, const uint32_t *neighbours, size_t frames) {
    size_t best = frames;
    for (size_t a = 0; a < frames; a++)
        if (c->cluster[a] == NONE && (best == frames || neighbours[a] > neighbours[best])) best = a;
    return best;
}

static void remove_frame(const struct obs_clusters *c, uint32_t *neighbours, const float *distance, size_t frames,
                         double cutoff, size_t frame) {
    for (size_t b = 0; b < frames; b++)
        neighbours[b] -= c->cluster[b] == NONE && (double)distance[frame * frames + b] < cutoff;
}

int obs_clusters_find(struct obs_clusters *c, const float *distance, size_t frames, double cutoff,
                      struct trj_error *err) {
    uint32_t *neighbours = trj_alloc(frames, sizeof *neighbours, "neighbours", err);
    c->cluster = trj_alloc(frames, sizeof *c->cluster, "clusters", err);
    c->size = trj_alloc(frames, sizeof *c->size, "clusters", err);
    c->centre = trj_alloc(frames, sizeof *c->centre, "clusters", err);
    if (!neighbours || !c->cluster || !c->size || !c->centre) {
        free(neighbours);
        return -1;
    }
    for (size_t a = 0; a < frames; a++) c->cluster[a] = NONE;
    count_neighbours(neighbours, distance, frames, cutoff);
    for (size_t left = frames; left; c->count++) {
        size_t centre = find_centre(c, neighbours, frames);
        c->centre[c->count] = (uint32_t)centre;
        for (size_t b = 0; b < frames; b++) {
            if (c->cluster[b] != NONE || (b != centre && !((double)distance[centre * frames + b] < cutoff))) continue;
            c->cluster[b] = (uint32_t)c->count;
            c->size[c->count]++;
            left--;
        }
        for (size_t b = 0; b < frames; b++)
            if (c->cluster[b] == c->count) remove_frame(c, neighbours, distance, frames, cutoff, b);
    }
    free(neighbours);
    return 0;
}

void obs_clusters_free(struct obs_clusters *c) {
    free(c->cluster);
    free(c->size);
    free(c->centre);
}
