// SPDX-License-Identifier: MIT
// States whether distances from surfaces are counted. It is a part of the set-up of a histogram (hist_setup.h).
#ifndef RDF_SURFACE_SETUP_H
#define RDF_SURFACE_SETUP_H

#include <stddef.h>
#include <stdint.h>

// The objects from whose nearest atom distances are measured. The numbers are those of the histogram stream.
enum rdf_surface_kind { RDF_SURFACE_NONE, RDF_SURFACE_SET, RDF_SURFACE_RESIDUE, RDF_SURFACE_MOLECULE, RDF_SURFACES };

// Distances from surfaces (surface_search.h), in the bins of the set-up.
struct rdf_surface_setup {
    enum rdf_surface_kind kind;
    uint32_t lattice; // N: each frame has N^3 points; 1 to RDF_MAX_SURFACE_LATTICE
};
enum { RDF_SURFACE_LATTICE = 40, RDF_MAX_SURFACE_LATTICE = 256 };

// The sums before the counts of the bins in a row of rdf_record.surface: numbers of objects, and of pairs of an object
// and an atom of B outside of it.
enum rdf_surface_sum { RDF_SURFACE_OBJECTS, RDF_SURFACE_PAIRS, RDF_SURFACE_SUMS };

// Returns the number of points in a frame.
static inline uint64_t rdf_surface_points(const struct rdf_surface_setup *s) {
    return (uint64_t)s->lattice * s->lattice * s->lattice;
}
// Returns the name of a kind of objects, as of an option: "set", "residue", "molecule".
static inline const char *rdf_surface_name(enum rdf_surface_kind kind) {
    static const char *const names[RDF_SURFACES] = {"none", "set", "residue", "molecule"};
    return names[kind];
}

#endif
