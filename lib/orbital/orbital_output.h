// SPDX-License-Identifier: MIT
// Writes maps of wave functions: all values of a point as components of one map, or a file for each, and several wave
// functions as records of a grid stream, or as a series of files.
#ifndef ORB_OUTPUT_H
#define ORB_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map_output.h"
#include "orbital_engine.h"
#include "orbital_request.h"

struct orb_output_file;

struct orb_output {
    struct trj_map_output options; // set before orb_output_open
    bool several;                  // wave functions: names of quantities are then short, since records share them
    // Set by the functions:
    bool named, numbered;         // %s or %d in the name of the output
    size_t count;                 // files that are open
    struct orb_output_file *file; // [count]
    uint64_t maps;                // wave functions begun
    double *plane;                // of one file
    size_t capacity;
    void (*note)(const char *file, const char *text);
};

// Checks the name, and opens the file, unless its name contains %s for the name of a value (struct orb_value), or %d
// for the number of the wave function (series_name.h). Fails with TRJ_USAGE.
int orb_output_open(struct orb_output *o, struct trj_error *err);
// Begins the maps of a wave function. `provenance` ends with NULL.
int orb_output_begin(struct orb_output *o, const struct orb_task *t, const struct trj_map_lattice *l,
                     char *const *provenance, struct trj_error *err);
// Writes the planes of a slab, in ascending order.
int orb_output_write(struct orb_output *o, const struct orb_slab *slab, struct trj_error *err);
int orb_output_end(struct orb_output *o, struct trj_error *err);    // of the maps of a wave function
int orb_output_commit(struct orb_output *o, struct trj_error *err); // after the last wave function
void orb_output_close(struct orb_output *o);                        // an unopened one is allowed

#endif
