// SPDX-License-Identifier: MIT
// Reads several files of maps in step, as operands of an expression: the first map of each, then the second map of
// each, and so on. A file with one map is used with all maps of the others.
//
// Values are float64. Sums over frames are converted to means. If a lattice is given, maps on other lattices are
// interpolated (map_resample.h).
#ifndef TRJ_MAP_OPERANDS_H
#define TRJ_MAP_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "map_format.h"
#include "map_resample.h"
#include "map_store.h"

struct trj_map_operand {
    char *name;                    // of the variable
    const char *path;              // "-": standard input
    bool used;                     // set by the caller between naming and opening
    struct trj_map_reader *reader; // NULL: not used
    bool resampled, repeats;       // repeats: its only map is used again
    struct trj_map_resampling resampling;
    uint64_t outside;           // points outside of this map, which are NaN, in all maps so far
    struct trj_map_store store; // all values of the current map, if they may be needed again
    void *slab;                 // [slab_planes] planes of the kind of the file's map
    uint64_t slab_planes;
};

struct trj_map_operands {
    struct trj_map_operand *operand; // [count]
    size_t count;
    const struct trj_map_operand *series; // after trj_map_operands_next: one with the largest number of maps
    struct trj_map_lattice lattice;       // of the values that trj_map_operands_read gives
    uint64_t maps;
};

// Names the operands of a zeroed struct: each argument is NAME=FILE, or FILE. Files without a name are a, b, c, ...
// Without an argument, a is standard input. Fails with TRJ_USAGE if a name is invalid or given twice.
int trj_map_operands_name(struct trj_map_operands *o, char **arguments, size_t count, struct trj_error *err);
// Returns the path in an argument NAME=FILE or FILE.
const char *trj_map_operand_path(const char *argument);
// Opens the files of the operands that are used; `setup` may be NULL. `like` is the lattice of the result; if it is
// NULL, all maps must have the same lattice. Fails with TRJ_BAD_DATA if they do not, or if the numbers of components
// differ.
int trj_map_operands_open(struct trj_map_operands *o, const struct trj_map_reader_setup *setup,
                          const struct trj_map_lattice *like, struct trj_error *err);
// Moves to the next maps. Returns 1, 0 at the end, or -1. Fails with TRJ_BAD_DATA if two files with more than one map
// have different numbers of maps.
int trj_map_operands_next(struct trj_map_operands *o, struct trj_error *err);
// Reads the planes [first, first + planes) of an operand, which must follow the planes of the previous call. `to` has
// a capacity of [planes][n[1]][n[0]][components] values.
int trj_map_operands_read(struct trj_map_operands *o, size_t operand, uint64_t first, uint64_t planes, double *to,
                          struct trj_error *err);
void trj_map_operands_close(struct trj_map_operands *o);

#endif
