// SPDX-License-Identifier: MIT
// The options of ionplace, except those of threads and output.
#ifndef POT_ION_OPTIONS_H
#define POT_ION_OPTIONS_H

#include <math.h>
#include <stdbool.h>

#include "error.h"
#include "ion_list.h"
#include "periodic_choices.h"
#include "potential_map.h"
#include "potential_units.h"
#include "tool.h"

struct pot_ion_options {
    const char *unit, *periodic, *ions, *solute, *group; // NULL: not given
    double temperature;                                  // K; NaN: not given
    double dielectric;
    double concentration;        // mol/l; NaN: not given
    double charge;               // of the solute, e; NaN: not given
    double from_solute, between; // Å
    bool neutralise;
};

#define POT_ION_OPTIONS_DEFAULT                                                                                        \
    { .temperature = NAN, .dielectric = 1, .concentration = NAN, .charge = NAN, .from_solute = 5, .between = 5 }

// Options for the table of a filter whose struct pot_ion_options is `o`.
#define POT_ION_OPTIONS(o)                                                                                             \
    {.heading = "Potential",                                                                                           \
     .letter = 'u',                                                                                                    \
     .name = "units",                                                                                                  \
     .kind = TRJ_OPTION_CHOICE,                                                                                        \
     .value = &(o).unit,                                                                                               \
     .arg = "UNIT",                                                                                                    \
     .help = "take the values to be in this unit (default: the unit that the file states)",                            \
     .choices = pot_unit_choices},                                                                                     \
        {.letter = 'T',                                                                                                \
         .name = "temperature",                                                                                        \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).temperature,                                                                                    \
         .arg = "K",                                                                                                   \
         .help = "set the temperature in kelvin; required for a map in kT/e"},                                         \
        {.name = "dielectric",                                                                                         \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).dielectric,                                                                                     \
         .arg = "EPSILON",                                                                                             \
         .help = "divide the potential of an ion by this dielectric constant"},                                        \
        {.letter = 'P',                                                                                                \
         .name = "periodic",                                                                                           \
         .kind = TRJ_OPTION_CHOICE,                                                                                    \
         .value = &(o).periodic,                                                                                       \
         .arg = "AXES",                                                                                                \
         .help = "treat these axes of the map as periodic (default: those in a grid stream or NumPy file, otherwise "  \
                 "none)",                                                                                              \
         .choices = trj_periodic_choices},                                                                             \
        {.heading = "Ions",                                                                                            \
         .letter = 'i',                                                                                                \
         .name = "ions",                                                                                               \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).ions,                                                                                           \
         .arg = "LIST",                                                                                                \
         .help = "place these ions, NAME:CHARGE[:COUNT], such as SOD:+1:10,CLA:-1:10; required"},                      \
        {.letter = 'n',                                                                                                \
         .name = "neutralise",                                                                                         \
         .kind = TRJ_OPTION_FLAG,                                                                                      \
         .value = &(o).neutralise,                                                                                     \
         .help = "add ions without a COUNT until the net charge is 0"},                                                \
        {.letter = 'c',                                                                                                \
         .name = "conc",                                                                                               \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).concentration,                                                                                  \
         .arg = "C",                                                                                                   \
         .help = "add salt of the two ions without a COUNT, C mol/l in the volume of the map"},                        \
        {.heading = "Solute",                                                                                          \
         .letter = 's',                                                                                                \
         .name = "solute",                                                                                             \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).solute,                                                                                         \
         .arg = "FILE",                                                                                                \
         .help = "read the solute from the first frame of this frame stream (of trjcat)"},                             \
        {.name = "of",                                                                                                 \
         .kind = TRJ_OPTION_TEXT,                                                                                      \
         .value = &(o).group,                                                                                          \
         .arg = "GROUP",                                                                                               \
         .help = "take this group of the stream as the solute (default: the only one)"},                               \
        {.letter = 'q',                                                                                                \
         .name = "charge",                                                                                             \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).charge,                                                                                         \
         .arg = "Q",                                                                                                   \
         .help = "set the charge of the solute in e (default: the sum of the charges in the stream)"},                 \
        {.heading = "Distances",                                                                                       \
         .name = "from-solute",                                                                                        \
         .kind = TRJ_OPTION_REAL,                                                                                      \
         .value = &(o).from_solute,                                                                                    \
         .arg = "D",                                                                                                   \
         .help = "keep ions at least D Angstrom from the atoms of the solute"},                                        \
    {                                                                                                                  \
        .name = "between", .kind = TRJ_OPTION_REAL, .value = &(o).between, .arg = "D",                                 \
        .help = "keep ions at least D Angstrom from one another"                                                       \
    }

// Checks the options for the map of this path, and reads the list of ions. Fails with TRJ_USAGE.
int pot_ion_options_check(const struct pot_ion_options *o, const char *map, struct pot_ion_list *ions,
                          struct trj_error *err);

// Finds the unit of a map: that of the option or the one that the file states. Fails with TRJ_USAGE if neither is given
// or if they differ, and if the temperature is missing or not needed; with TRJ_BAD_DATA if the unit is not one of a
// potential.
int pot_ion_options_unit(const struct pot_ion_options *o, const struct pot_map *map, enum pot_unit *unit,
                         struct trj_error *err);

// Completes the numbers of ions for --conc and --neutralise, from the map and the charge of the solute in e, which is
// rounded for --neutralise. Fails with TRJ_USAGE or TRJ_BAD_DATA, also if there are more ions than points.
int pot_ion_options_count(const struct pot_ion_options *o, const struct pot_map *map, double *net,
                          struct pot_ion_list *ions, struct trj_error *err);

#endif
