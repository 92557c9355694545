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

// Rows for the option table of a filter with a static struct pot_ion_options (tool.h).
extern const struct trj_option pot_ion_option_table[];

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
