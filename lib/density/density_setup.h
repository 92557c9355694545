// SPDX-License-Identifier: MIT
// Makes the job of a density map from the user's options, the header of a frame stream, and its first frame.
#ifndef DEN_DENSITY_SETUP_H
#define DEN_DENSITY_SETUP_H

#include <math.h>
#include <stdbool.h>

#include "density_job.h"
#include "error.h"
#include "frame_stream.h"
#include "lattice_options.h"
#include "map.h"
#include "resolution.h"
#include "tool.h"

// Texts are NULL, and numbers NaN, if they are not given. The names of options are those of densmap, for messages.
struct den_options {
    const char *group;  // group; NULL: the only one
    const char *kernel; // "count", "cic", "ball", "gauss"; NULL: gauss with a width, otherwise count
    const char *weight; // "1", "Z", or the name of a property of the stream
    double max_weight;  // largest |weight|; NaN: that of the kind of weight
    double sigma, resolution;
    const char *sigma_factor; // resolution.h
    const char *radius;       // Å, or for gauss a name and a factor: "vdw*1.0"
    double cutoff;            // in sigma
    struct trj_lattice_options lattice;
    const char *body; // bodies.h; NULL: the lattice is fixed in space
    double size;      // Å, with body and --grid
};

#define DEN_DEFAULT_SIZE 16 // Å

#define DEN_OPTIONS_DEFAULT                                                                                            \
    {                                                                                                                  \
        .max_weight = NAN, .sigma = NAN, .resolution = NAN, .cutoff = NAN, .lattice = TRJ_LATTICE_OPTIONS_DEFAULT,     \
        .size = NAN                                                                                                    \
    }

extern const struct trj_choice den_kernel_choices[]; // ends with a NULL name

// Rows for the option table of a filter with a static struct den_options (tool.h).
extern const struct trj_option den_option_table[];

struct den_setup {
    struct den_job job;
    struct trj_map map; // of the raw sums
    double to_density;  // factor from the mean of the raw values to the density in density_unit
    const char *unit;   // of a weight
    char density[64], density_unit[TRJ_MAP_TEXT_MAX + 8];
    float *weight;
    uint16_t *kind;
    double *sigma, *peak; // of the kinds
    struct trj_bodies bodies;
};

// Makes the job, except for threads, devices and notes. The header must outlive the set-up, which den_setup_free frees,
// also after a failure. Fails with TRJ_USAGE for options that contradict each other, and with TRJ_BAD_DATA if the
// stream lacks what the options need; the message gives the atom and a remedy.
int den_setup_make(struct den_setup *s, const struct den_options *o, const struct trj_stream_header *h,
                   const struct trj_frame *first, struct trj_error *err);
// Returns the weight of a frame: the number of molecules to which the lattice is fixed, otherwise 1.
double den_setup_weight(const struct den_setup *s);
// Sets *m to the map of the mean density: float64, in density_unit, or relative to the density `relative` in this unit
// (NaN: not relative). The caller frees it with trj_map_free, also after a failure.
int den_setup_density(const struct den_setup *s, struct trj_map *m, double relative, struct trj_error *err);
void den_setup_free(struct den_setup *s);

#endif
