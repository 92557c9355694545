// SPDX-License-Identifier: MIT
// Turns the options of a lattice into one, because densmap, potmap and ligmap describe lattices by the same options.
#include "lattice_options.h"

#include <stddef.h>

#include "input.h"
#include "map_format.h"
#include "number.h"

const struct trj_option trj_lattice_option_table[] = {
    {.heading = "Lattice",
     TRJ_OPTION_FIELD('g', "grid", REAL, struct trj_lattice_options, grid, "H",
                      "divide the cell of the first frame into steps of at most H Angstrom")},
    {TRJ_OPTION_FIELD(0, "fractional", FLAG, struct trj_lattice_options, fractional, NULL,
                      "move the points with the cell of each frame (default: a cell that changes is an error)")},
    {TRJ_OPTION_FIELD(0, "like", TEXT, struct trj_lattice_options, like, "MAP", "use the lattice of this map")},
    {TRJ_OPTION_FIELD(0, "origin", TEXT, struct trj_lattice_options, origin, "X,Y,Z",
                      "set the position of the first point in Angstrom, with the numbers of points and --steps")},
    {TRJ_OPTION_FIELD(0, "steps", TEXT, struct trj_lattice_options, steps, "STEPS",
                      "set the steps: three lengths in Angstrom, or three vectors (nine numbers)")},
    TRJ_OPTION_END,
};

int trj_lattice_parse_numbers(const char *option, const char *text, double to[3], struct trj_error *err) {
    if (trj_parse_reals(text, to, 3) == 3) return 0;
    return trj_fail(err, TRJ_USAGE, "%s: invalid value '%s': expected three numbers separated by commas", option, text);
}

int trj_lattice_parse_points(const char *option, const char *text, uint64_t n[3], struct trj_error *err) {
    double number[3];
    if (trj_lattice_parse_numbers(option, text, number, err)) return -1;
    for (int k = 0; k < 3; k++) {
        if (!(number[k] >= 1 && number[k] <= 0x1p30 && number[k] == floor(number[k])))
            return trj_fail(err, TRJ_USAGE, "%s: invalid value '%s': expected three whole numbers from 1 to 2^30",
                            option, text);
        n[k] = (uint64_t)number[k];
    }
    return 0;
}

static int read_fixed(struct trj_map_lattice *l, const struct trj_lattice_options *o, struct trj_error *err) {
    double step[9];
    const char *points = o->points_option ? o->points_option : "--points";
    if (!o->origin || !o->points || !o->steps)
        return trj_fail(err, TRJ_USAGE, "--origin, %s and --steps belong together; give all three, or --grid", points);
    size_t numbers = trj_parse_reals(o->steps, step, 9);
    if (trj_lattice_parse_numbers("--origin", o->origin, l->origin, err) ||
        trj_lattice_parse_points(points, o->points, l->n, err))
        return -1;
    if (numbers != 3 && numbers != 9)
        return trj_fail(err, TRJ_USAGE, "--steps: invalid value '%s': expected three lengths, or three vectors",
                        o->steps);
    for (int k = 0; numbers == 3 && k < 3; k++)
        if (!(step[k] > 0))
            return trj_fail(err, TRJ_USAGE, "--steps: invalid value '%s': expected lengths above 0", o->steps);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) l->step[k][c] = numbers == 9 ? step[3 * k + c] : k == c ? step[k] : 0;
    if (!trj_map_lattice_check(l, err)) return 0;
    err->status = TRJ_USAGE;
    return trj_fail_at(err, "--origin, %s and --steps", points);
}

bool trj_lattice_options_are_fixed(const struct trj_lattice_options *o) {
    return o->origin || o->points || o->steps;
}

int trj_lattice_options_make(const struct trj_lattice_options *o, const struct trj_cell *first,
                             struct trj_map_lattice *l, struct trj_error *err) {
    const struct trj_map_reader_setup setup = {.origin = TRJ_MAP_ORIGIN_AUTO};
    const char *points = o->points_option ? o->points_option : "--points";
    bool fixed = trj_lattice_options_are_fixed(o);
    *l = (struct trj_map_lattice){.periodic = 0};
    if (!isnan(o->grid) + (o->like != NULL) + fixed != 1)
        return trj_fail(err, TRJ_USAGE,
                        "no lattice, or more than one: give one of --grid, --like, or --origin with %s and --steps",
                        points);
    if (o->like ? trj_map_read_lattice(l, o->like, &setup, err) != 0 : fixed && read_fixed(l, o, err))
        return o->like ? trj_fail_at(err, "--like") : -1;
    if (o->like || fixed) {
        if (!o->fractional || l->periodic == TRJ_PERIODIC_ALL) return 0;
        return trj_fail(err, TRJ_USAGE,
                        "--fractional requires a lattice that is periodic along all axes, as --grid makes it; leave it "
                        "out");
    }
    if (!(o->grid >= TRJ_SHORTEST))
        return trj_fail(err, TRJ_USAGE, "--grid: invalid value %g: expected at least %g Angstrom", o->grid,
                        TRJ_SHORTEST);
    if (first->periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_USAGE,
                        "--grid divides the cell, but the first frame has no cell that is periodic in three "
                        "directions; give the lattice with --origin, %s and --steps, or with --like",
                        points);
    return trj_map_lattice_cover(l, first, o->grid, err) ? trj_fail_at(err, "--grid") : 0;
}
