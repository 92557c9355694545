// SPDX-License-Identifier: MIT
// Checks the options of ionplace together, because counts, charges and distances depend on each other.
#include "ion_options.h"

#include <stddef.h>
#include <string.h>

const struct trj_option pot_ion_option_table[] = {
    {.heading = "Potential",
     TRJ_OPTION_FIELD('u', "units", CHOICE, struct pot_ion_options, unit, "UNIT",
                      "take the values to be in this unit (default: the unit that the file states)"),
     .choices = pot_unit_choices},
    {TRJ_OPTION_FIELD('T', "temperature", REAL, struct pot_ion_options, temperature, "K",
                      "set the temperature in kelvin; required for a map in kT/e")},
    {TRJ_OPTION_FIELD(0, "dielectric", REAL, struct pot_ion_options, dielectric, "EPSILON",
                      "divide the potential of an ion by this dielectric constant")},
    {TRJ_OPTION_FIELD(
         'P', "periodic", CHOICE, struct pot_ion_options, periodic, "AXES",
         "treat these axes of the map as periodic (default: those in a grid stream or NumPy file, otherwise "
         "none)"),
     .choices = trj_periodic_choices},
    {.heading = "Ions",
     TRJ_OPTION_FIELD('i', "ions", TEXT, struct pot_ion_options, ions, "LIST",
                      "place these ions, NAME:CHARGE[:COUNT], such as SOD:+1:10,CLA:-1:10; required")},
    {TRJ_OPTION_FIELD('n', "neutralise", FLAG, struct pot_ion_options, neutralise, NULL,
                      "add ions without a COUNT until the net charge is 0")},
    {TRJ_OPTION_FIELD('c', "conc", REAL, struct pot_ion_options, concentration, "C",
                      "add salt of the two ions without a COUNT, C mol/l in the volume of the map")},
    {.heading = "Solute",
     TRJ_OPTION_FIELD('s', "solute", TEXT, struct pot_ion_options, solute, "FILE",
                      "read the solute from the first frame of this frame stream (of trjcat)")},
    {TRJ_OPTION_FIELD(0, "of", TEXT, struct pot_ion_options, group, "GROUP",
                      "take this group of the stream as the solute (default: the only one)")},
    {TRJ_OPTION_FIELD('q', "charge", REAL, struct pot_ion_options, charge, "Q",
                      "set the charge of the solute in e (default: the sum of the charges in the stream)")},
    {.heading = "Distances",
     TRJ_OPTION_FIELD(0, "from-solute", REAL, struct pot_ion_options, from_solute, "D",
                      "keep ions at least D Angstrom from the atoms of the solute")},
    {TRJ_OPTION_FIELD(0, "between", REAL, struct pot_ion_options, between, "D",
                      "keep ions at least D Angstrom from one another")},
    TRJ_OPTION_END,
};

// Accepts NaN, which means that the option is not given.
static int check_range(const char *name, double value, double min, double max, struct trj_error *err) {
    if (isnan(value) || (value >= min && value <= max)) return 0;
    return trj_fail(err, TRJ_USAGE, "--%s: invalid value %g: expected a number from %g to %g", name, value, min, max);
}

static int check_ranges(const struct pot_ion_options *o, struct trj_error *err) {
    if (check_range("charge", o->charge, -1e6, 1e6, err)) return -1;
    if (check_range("temperature", o->temperature, 1e-3, 1e6, err)) return -1;
    if (check_range("dielectric", o->dielectric, 1e-3, 1e6, err)) return -1;
    if (check_range("conc", o->concentration, 1e-9, 100, err)) return -1;
    if (check_range("from-solute", o->from_solute, 0, 1e4, err)) return -1;
    return check_range("between", o->between, 0, 1e4, err) ? -1 : 0;
}

static int check_counts(const struct pot_ion_options *o, const struct pot_ion_list *ions, struct trj_error *err) {
    for (size_t i = 0; i < ions->kinds; i++)
        if (ions->kind[i].open && !o->neutralise && isnan(o->concentration))
            return trj_fail(err, TRJ_USAGE,
                            "--ions: the number of %s is missing; append it after a colon, or add --neutralise or "
                            "--conc",
                            ions->kind[i].name);
    if (!o->neutralise || o->solute || !isnan(o->charge)) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--neutralise: the charge of the solute is not known; add --charge, or --solute with a stream of "
                    "trjcat --carry charge");
}

int pot_ion_options_check(const struct pot_ion_options *o, const char *map, struct pot_ion_list *ions,
                          struct trj_error *err) {
    if (!o->ions) return trj_fail(err, TRJ_USAGE, "--ions: missing; give a list such as SOD:+1:10,CLA:-1:10");
    if (pot_ion_list_parse(ions, o->ions, err)) return trj_fail_at(err, "--ions");
    if (check_counts(o, ions, err) || check_ranges(o, err)) return -1;
    if (o->group && !o->solute)
        return trj_fail(err, TRJ_USAGE, "--of applies to the solute only; add --solute, or leave it out");
    return trj_input_check_option("--solute", o->solute, map, "the map", err);
}

int pot_ion_options_unit(const struct pot_ion_options *o, const struct pot_map *map, enum pot_unit *unit,
                         struct trj_error *err) {
    enum pot_unit stated = pot_unit_find(map->unit), given = pot_unit_find(o->unit);
    if (!o->unit && !*map->unit)
        return trj_fail(err, TRJ_USAGE, "%s: the file does not state the unit of its values; give it with --units",
                        map->name);
    if (!o->unit && stated == POT_UNITS)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: the unit of the values is '%s', which is not one of a potential; give a map of the "
                        "potential",
                        map->name, map->unit);
    if (o->unit && *map->unit && stated != given)
        return trj_fail(err, TRJ_USAGE, "--units: %s states the unit '%s', not '%s'; leave the option out", map->name,
                        map->unit, o->unit);
    *unit = o->unit ? given : stated;
    if ((*unit == POT_UNIT_KT) != isnan(o->temperature)) return 0;
    if (*unit == POT_UNIT_KT)
        return trj_fail(err, TRJ_USAGE, "--temperature: missing; a map in kT/e requires the temperature");
    return trj_fail(err, TRJ_USAGE, "--temperature applies to maps in kT/e only; leave it out");
}

int pot_ion_options_count(const struct pot_ion_options *o, const struct pot_map *map, double *net,
                          struct pot_ion_list *ions, struct trj_error *err) {
    double volume = (double)map->points * trj_map_lattice_voxel(&map->lattice);
    if (!isnan(o->concentration) && pot_ion_list_add_salt(ions, o->concentration, volume, err))
        return trj_fail_at(err, "--conc");
    if (o->neutralise && pot_net_charge_round(net, err)) {
        if (isnan(o->charge)) return -1;
        err->status = TRJ_USAGE;
        return trj_fail_at(err, "--charge");
    }
    if (o->neutralise && pot_ion_list_neutralise(ions, *net, err)) return trj_fail_at(err, "--neutralise");
    uint64_t total = pot_ion_list_total(ions);
    if (total <= map->points) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "%llu ions do not fit on the %llu point%s of the map %s; place fewer",
                    (unsigned long long)total, (unsigned long long)map->points, map->points == 1 ? "" : "s", map->name);
}
