// SPDX-License-Identifier: MIT
// States which neighbours and triplets are counted. It is a part of the set-up of a histogram (hist_setup.h).
#ifndef RDF_NEIGHBOUR_SETUP_H
#define RDF_NEIGHBOUR_SETUP_H

#include <stddef.h>
#include <stdint.h>

// Numbers of neighbours within a distance (neighbour_count.h).
struct rdf_neighbour_setup {
    double radius;    // Å; 0: they are not counted
    uint64_t classes; // numbers 0 to classes - 2 are counted separately, larger ones together
};
enum { RDF_NEIGHBOUR_CLASSES = 1024, RDF_MAX_NEIGHBOUR_CLASSES = 1 << 20 };

// A triplet of groups, with the centre in the middle (triplet.h). Arm 0 is from the centre to a, arm 1 to c.
struct rdf_triplet {
    uint32_t a, centre, c;
    double low[2], high[2]; // Å: ranges of the arms
    double triplets;        // number of triplets of three different atoms; of all atoms listed in dynamic groups
};

struct rdf_triplet_setup {
    size_t count;               // 0: triplets are not counted
    uint32_t angles, distances; // numbers of bins
    struct rdf_triplet *triplet;
};
enum { RDF_MAX_ANGLES = 100000, RDF_MAX_TRIPLET_BINS = 10000000 };

// The sums that follow the classes in a row of counts of neighbours.
enum rdf_neighbour_sum { RDF_SUM_OF_N, RDF_SUM_OF_SQUARES, RDF_STAYED, RDF_ENTERED, RDF_LEFT, RDF_NEIGHBOUR_SUMS };

// Returns the length of a row of rdf_record.neighbours; 0: they are not counted.
static inline size_t rdf_neighbour_row(const struct rdf_neighbour_setup *s) {
    return s->radius > 0 ? (size_t)s->classes + RDF_NEIGHBOUR_SUMS : 0;
}
// Returns the length of a row of rdf_record.triplets; 0: they are not counted.
static inline size_t rdf_triplet_row(const struct rdf_triplet_setup *s) {
    return s->count ? (size_t)s->angles * s->distances : 0;
}

#endif
