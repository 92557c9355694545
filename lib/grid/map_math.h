// SPDX-License-Identifier: MIT
// Computes maps from maps, in this order: interpolation onto one lattice, an expression, a mask, the free energy,
// replacement of unknown values, and a projection or a profile.
#ifndef TRJ_MAP_MATH_H
#define TRJ_MAP_MATH_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "map.h"
#include "map_expression.h"
#include "map_free_energy.h"
#include "map_operands.h"
#include "map_reduce.h"

struct trj_map_math_options {
    const char *expression, *mask; // mask: a condition; NULL: none
    const char *like;              // a file with the lattice of the result; NULL: that of the operands
    enum trj_map_origin origin;    // of MRC files
    bool totals;                   // means of totals stay totals (map_means.h)
    double fill;                   // NaN: none
    double temperature;            // K; NaN: no free energy
    const char *reference;         // "max", "mean" or a number
    const char *energy_unit;       // kJ/mol, kcal/mol or kT
    const char *project;           // "x", "y" or "z"; NULL: none
    const char *profile;           // the text of a struct trj_map_profile; NULL: none
    const char *reduce;            // "mean", "sum" or "integral"
};

struct trj_map_math {
    struct trj_map_math_options options;
    struct trj_map_operands operands;
    struct trj_map_expression *expression, *mask;
    struct trj_map_free_energy free_energy;
    bool two_passes;                    // the reference is computed from all values
    struct trj_map full;                // the result before a projection or profile; float64
    struct trj_map map;                 // the result. float32 if all operands are, otherwise float64
    struct trj_map_profile profile;     // of options.profile
    struct trj_map_reduction reduction; // not used if `map` is not reduced
    struct trj_map_store store;         // for two passes
    uint64_t slab_planes;
    double **values, *slab, *reduced; // [operands][values of a slab]
    uint64_t too_large;               // finite values that are infinite in float32
};

// A function that receives planes of the result, as values of the type that map.kind gives. It returns 0, or -1 with an
// error.
typedef int trj_map_math_take(void *arg, const void *values, uint64_t planes, struct trj_error *err);

// Opens the files `arguments` (map_operands.h), and describes the result. Fails with TRJ_USAGE if the request is
// invalid or an operand is not used. The caller closes the struct, also after an error.
int trj_map_math_open(struct trj_map_math *m, const struct trj_map_math_options *options, char **arguments,
                      size_t count, struct trj_error *err);
// Moves to the next maps. Returns 1, 0 at the end, or -1. Then trj_map_math_record and trj_map_math_compute may be
// called, in this order.
int trj_map_math_next(struct trj_map_math *m, struct trj_error *err);
// Sets *record to the frames of the result: those of the only operand that is a grid stream, and none if there is no
// such operand, or more than one. The atoms are those of the first operand with atoms. Ranges and atoms belong to the
// operands.
void trj_map_math_record(const struct trj_map_math *m, struct trj_grid_record *record);
// Returns the operand whose sources trj_map_math_record uses; NULL: none.
const struct trj_map_operand *trj_map_math_source(const struct trj_map_math *m);
// Computes the result, and passes it to `take`.
int trj_map_math_compute(struct trj_map_math *m, trj_map_math_take *take, void *arg, struct trj_error *err);
// Calls `note` with each fact that the user should know, and with the file that it concerns, or NULL. To be called
// after the last map.
void trj_map_math_notes(const struct trj_map_math *m, void (*note)(const char *file, const char *text));
void trj_map_math_close(struct trj_map_math *m);

#endif
