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

// Rows of the option table of a filter whose static struct den_options is `o`. The headings are "Density" and
// "Lattice".
#define DEN_OPTIONS(o)                                                                                                 \
    {.heading = "Density",                                                                                             \
     .name = "of",                                                                                                     \
     .kind = TRJ_OPTION_TEXT,                                                                                          \
     .value = &(o).group,                                                                                              \
     .arg = "GROUP",                                                                                                   \
     .help = "compute the density of this group (default: the only group)"},                                           \
        {.letter = 'k',                                                                                                \
         .name = "kernel",                                                                                             \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).kernel,                                                                                         \
         .arg = "KERNEL",                                                                                              \
         .help = "set how an atom contributes (default: gauss with --sigma or --resolution, otherwise count)",         \
         .choices = den_kernel_choices},                                                                               \
        {.letter = 'w',                                                                                                \
         .name = "weight",                                                                                             \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).weight,                                                                                         \
         .arg = "WEIGHT",                                                                                              \
         .help = "weight each atom by 1, mass, charge, Z or another property that trjcat --carry adds (default: 1)",   \
         .carry = "mass:mass,charge:charge,radius:radius,sigma:sigma,epsilon:epsilon,bfactor:bfactor,"                 \
                  "occupancy:occupancy"},                                                                              \
        {.name = "max-weight",                                                                                         \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).max_weight,                                                                                     \
         .arg = "W",                                                                                                   \
         .help =                                                                                                       \
             "set the largest magnitude of a weight, which determines the precision (default: mass 512, charge 16, Z " \
             "128)"},                                                                                                  \
        {.name = "sigma",                                                                                              \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).sigma,                                                                                          \
         .arg = "S",                                                                                                   \
         .help = "set the width of the Gaussians in Angstrom; their integral is the weight"},                          \
        {.name = "resolution",                                                                                         \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).resolution,                                                                                     \
         .arg = "R",                                                                                                   \
         .help = "set the width to --sigma-factor times a resolution in Angstrom"},                                    \
        {.name = "sigma-factor",                                                                                       \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).sigma_factor,                                                                                   \
         .arg = "FACTOR",                                                                                              \
         .help = "set the ratio of width and resolution: " DEN_RESOLUTION_FACTORS " (default: chimerax)"},             \
        {.name = "radius",                                                                                             \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).radius,                                                                                         \
         .arg = "RADIUS",                                                                                              \
         .help = "gauss: set the width to vdw*FACTOR or radius*FACTOR, and the height to the weight; ball: set the "   \
                 "radius in Angstrom",                                                                                 \
         .carry = "radius:radius"},                                                                                    \
        {.name = "cutoff",                                                                                             \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).cutoff,                                                                                         \
         .arg = "C",                                                                                                   \
         .help = "truncate Gaussians at this multiple of their width, from 2 to 6 (default: 5)"},                      \
        TRJ_LATTICE_OPTIONS((o).lattice),                                                                              \
        {.name = "points",                                                                                             \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).lattice.points,                                                                                 \
         .arg = "N,N,N",                                                                                               \
         .help = "set the numbers of points along the three axes"},                                                    \
        {.name = "body",                                                                                               \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).body,                                                                                           \
         .arg = "AXES",                                                                                                \
         .help = "count about each molecule, in its own axes: O:H:H (three atoms), bisector:O:H:H, or "                \
                 "principal:GROUP",                                                                                    \
         .carry = "principal:mass"},                                                                                   \
    {                                                                                                                  \
        .name = "size", .kind = TRJ_OPTION_REAL, .value = &(o).size, .arg = "L",                                       \
        .help = "with --body and --grid: set the edge of the cube about the molecule in Angstrom (default: 16)"        \
    }

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
