// SPDX-License-Identifier: MIT
// Sends the planes of a divided map to rank 0, one by one, so that rank 0 needs memory for one of them alone.
#include "map_ranks.h"

#include <stddef.h>
#include <string.h>

const struct trj_option ana_ranks_option_table[] = {
    {.table = trj_mpi_option_table, .offset = offsetof(struct ana_ranks_options, mpi)},
    {TRJ_OPTION_FIELD(0, "divide", CHOICE, struct ana_ranks_options, divide, "WHAT",
                      "with --mpi, divide these among the ranks (default: frames)"),
     .choices = (const struct trj_choice[]){{"frames", "each rank computes other frames, in a map of its own"},
                                            {"map", "each rank computes other planes, and needs memory for them alone"},
                                            {NULL, NULL}},
     .role = TRJ_ROLE_SHELL},
    TRJ_OPTION_END,
};

bool ana_ranks_divide_map(const struct ana_ranks_options *o) {
    return o->divide && !strcmp(o->divide, "map");
}

struct trj_map_slab ana_map_ranks_slab(uint64_t planes, uint64_t layer, uint64_t count, unsigned rank, unsigned size) {
    uint64_t first = layer * (count * rank / size), end = layer * (count * (rank + 1) / size);
    return (struct trj_map_slab){first, (rank + 1 < size ? end : planes) - first};
}

unsigned ana_map_ranks_rank_of_plane(uint64_t plane, uint64_t layer, uint64_t count, unsigned size) {
    uint64_t number = plane / layer < count ? plane / layer : count - 1;
    return (unsigned)(((number + 1) * size - 1) / count);
}

static void pass(const void *owner, uint64_t plane, void *values, size_t size) {
    const struct ana_map_ranks *r = owner;
    const unsigned from = ana_map_ranks_rank_of_plane(plane, r->layer, r->count, trj_mpi_size());
    if (!from) return; // rank 0 has it
    if (!trj_mpi_rank()) trj_mpi_exchange(NULL, 0, -1, values, size, (int)from);
    if (trj_mpi_rank() == from) trj_mpi_exchange(values, size, 0, NULL, 0, -1);
}

int ana_map_ranks_divide(struct ana_map_ranks *r, const struct trj_map_lattice *l, uint64_t layer, uint64_t count,
                         struct trj_error *err) {
    if (count < trj_mpi_size())
        return trj_fail(
            err, TRJ_USAGE,
            "--divide map: the map has %llu plane%s in %llu layer%s, which is fewer layers than the %u ranks; "
            "start fewer ranks, or use --divide frames",
            (unsigned long long)l->n[2], l->n[2] == 1 ? "" : "s", (unsigned long long)count, count == 1 ? "" : "s",
            trj_mpi_size());
    r->layer = layer;
    r->count = count;
    r->slabs = (struct trj_map_slabs){.own = ana_map_ranks_slab(l->n[2], layer, count, trj_mpi_rank(), trj_mpi_size()),
                                      .writes = !trj_mpi_rank(),
                                      .pass = pass,
                                      .owner = r};
    return 0;
}
