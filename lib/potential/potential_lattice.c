// SPDX-License-Identifier: MIT
// Makes a lattice from the cell or around the atoms, because methods differ in what they require of it.
#include "potential_lattice.h"

#include <math.h>
#include <stddef.h>

#include "charges.h"

const struct trj_option pot_lattice_option_table[] = {
    {.table = trj_lattice_option_table, .offset = offsetof(struct pot_lattice_options, lattice)},
    {TRJ_OPTION_FIELD(
        0, "dime", TEXT, struct pot_lattice_options, lattice.points, "N,N,N",
        "set the numbers of points along the axes; without --origin and --steps, those of a box or, for the "
        "method pme, of the cell")},
    {TRJ_OPTION_FIELD(0, "around", FLAG, struct pot_lattice_options, around, NULL,
                      "make a box about the atoms of the group in the first frame, with steps of --grid")},
    {TRJ_OPTION_FIELD(0, "pad", REAL, struct pot_lattice_options, pad, "L",
                      "set the distance from the atoms to the faces of the box in Angstrom (default: 10)")},
    {TRJ_OPTION_FIELD(0, "glen", TEXT, struct pot_lattice_options, glen, "X,Y,Z",
                      "set the lengths of the box of --dime in Angstrom (default: the atoms and a margin of --pad)")},
    {TRJ_OPTION_FIELD(0, "center", TEXT, struct pot_lattice_options, center, "X,Y,Z",
                      "set the centre of the box in Angstrom (default: that of the atoms in the first frame)")},
    TRJ_OPTION_END,
};

// The smallest box with faces along x, y and z that contains the members of the group.
struct box {
    double low[3], high[3];
};

static int find_box(struct box *b, const struct trj_group *g, const struct trj_frame *f, struct trj_error *err) {
    for (int k = 0; k < 3; k++) {
        b->low[k] = INFINITY;
        b->high[k] = -INFINITY;
    }
    for (size_t i = 0; i < g->count; i++) {
        if (!trj_group_has(g, f, i)) continue;
        for (int k = 0; k < 3; k++) {
            double x = (double)f->x[k][g->atoms[i]] * f->unit;
            if (pot_check_coordinate(g->atoms[i], x, err)) return trj_fail_at(err, "the first frame");
            b->low[k] = fmin(b->low[k], x);
            b->high[k] = fmax(b->high[k], x);
        }
    }
    if (b->low[0] <= b->high[0]) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "group %s has no atoms in the first frame, around which a box could be made; give the lattice with "
                    "--origin, --dime and --steps",
                    g->name);
}

bool pot_lattice_options_given(const struct pot_lattice_options *o, bool allow_grid) {
    const struct trj_lattice_options *l = &o->lattice;
    return l->like || trj_lattice_options_are_fixed(l) || o->around || !isnan(o->pad) || o->glen || o->center ||
           (!allow_grid && (!isnan(l->grid) || l->fractional));
}

int pot_lattice_check_options(const struct pot_lattice_options *o, bool divides_cell, struct trj_error *err) {
    const struct trj_lattice_options *l = &o->lattice;
    bool box = l->points && !l->origin && !l->steps;
    if (box && divides_cell) {
        if (!o->around && !o->glen && !o->center && isnan(o->pad) && isnan(l->grid) && !l->like) return 0;
        return trj_fail(err, TRJ_USAGE,
                        "--dime divides the cell for the method pme; leave out the other options of the lattice, "
                        "except --fractional");
    }
    if (o->around + box > 1)
        return trj_fail(err, TRJ_USAGE, "--around makes the steps of --grid, and --dime divides a box; give only one");
    if ((o->around || box) && (l->like || l->fractional || (o->around && (l->origin || l->steps))))
        return trj_fail(
            err, TRJ_USAGE, "%s makes a box about the atoms; leave out the other options of the lattice, or %s",
            o->around ? "--around" : "--dime without --origin and --steps", o->around ? "--around" : "--dime");
    if (box && !isnan(l->grid))
        return trj_fail(err, TRJ_USAGE, "--dime and --grid: give only one, which defines the steps");
    if ((o->glen || o->center) && !box)
        return trj_fail(err, TRJ_USAGE, "--glen and --center are for a box of --dime without --origin and --steps");
    if (!isnan(o->pad) && !(o->around || (box && !o->glen)))
        return trj_fail(err, TRJ_USAGE, "--pad is for the box of --around, or of --dime without --glen");
    if (o->around && isnan(l->grid)) return trj_fail(err, TRJ_USAGE, "--around requires the steps; give --grid");
    if (!isnan(l->grid) + (l->like != NULL) + trj_lattice_options_are_fixed(l) > 1)
        return trj_fail(err, TRJ_USAGE, "--grid, --like, and --origin with --dime and --steps: give only one");
    if (isnan(l->grid) && !l->like && !trj_lattice_options_are_fixed(l))
        return trj_fail(err, TRJ_USAGE,
                        "no points: give a lattice with --grid, --dime or --like, or a list with --points; the manual "
                        "describes them");
    return 0;
}

// Makes a box of --dime.
static int divide_box(const struct pot_lattice_options *o, const struct box *b, double pad, struct trj_map_lattice *l,
                      struct trj_error *err) {
    double length[3], centre[3];
    for (int k = 0; k < 3; k++) {
        length[k] = b->high[k] - b->low[k] + 2 * pad;
        centre[k] = (b->low[k] + b->high[k]) / 2;
    }
    if (trj_lattice_parse_points("--dime", o->lattice.points, l->n, err) ||
        (o->glen && trj_lattice_parse_numbers("--glen", o->glen, length, err)) ||
        (o->center && trj_lattice_parse_numbers("--center", o->center, centre, err)))
        return -1;
    for (int k = 0; k < 3; k++) {
        if (l->n[k] < 2)
            return trj_fail(err, TRJ_USAGE, "--dime: invalid value '%s': a box has at least 2 points along each axis",
                            o->lattice.points);
        if (!(length[k] > 0))
            return o->glen
                       ? trj_fail(err, TRJ_USAGE, "--glen: invalid value '%s': expected lengths above 0", o->glen)
                       : trj_fail(err, TRJ_USAGE,
                                  "--dime: the atoms lie in a plane, so that the box has no volume; increase --pad");
        l->origin[k] = centre[k] - length[k] / 2;
        l->step[k][k] = length[k] / (double)(l->n[k] - 1);
    }
    if (!trj_map_lattice_check(l, err)) return 0;
    err->status = TRJ_USAGE;
    return trj_fail_at(err, "the box of --dime");
}

// Makes a box with steps of --grid that contains the atoms and the margin; the atoms are in its middle.
static int surround(const struct box *b, double pad, double step, struct trj_map_lattice *l, struct trj_error *err) {
    for (int k = 0; k < 3; k++) {
        double steps = ceil((b->high[k] - b->low[k] + 2 * pad) / step - 1e-6);
        if (!(step >= TRJ_SHORTEST && steps >= 0 && steps < 0x1p30))
            return trj_fail(err, TRJ_USAGE, "--grid: invalid value %g: expected a length in Angstrom", step);
        l->n[k] = (uint64_t)steps + 1;
        l->origin[k] = (b->low[k] + b->high[k]) / 2 - steps * step / 2;
        l->step[k][k] = step;
    }
    return trj_map_lattice_check(l, err) ? trj_fail_at(err, "--around") : 0;
}

// Makes the lattice of --dime that divides the cell.
static int divide_cell(const struct pot_lattice_options *o, const struct trj_cell *cell, struct trj_map_lattice *l,
                       struct trj_error *err) {
    uint64_t n[3];
    return trj_lattice_parse_points("--dime", o->lattice.points, n, err) || trj_map_lattice_divide(l, cell, n, err) ? -1
                                                                                                                    : 0;
}

int pot_lattice_make(const struct pot_lattice_options *o, const struct trj_group *group, const struct trj_frame *first,
                     bool divides_cell, struct trj_map_lattice *l, struct trj_error *err) {
    struct box b;
    double pad = isnan(o->pad) ? POT_DEFAULT_PAD : o->pad;
    bool box = o->lattice.points && !o->lattice.origin && !o->lattice.steps;
    *l = (struct trj_map_lattice){.periodic = 0};
    if (pot_lattice_check_options(o, divides_cell, err)) return -1;
    if (box && divides_cell) return divide_cell(o, &first->cell, l, err);
    if (!o->around && !box) return trj_lattice_options_make(&o->lattice, &first->cell, l, err);
    if (!(pad >= 0 && pad <= TRJ_FARTHEST))
        return trj_fail(err, TRJ_USAGE, "--pad: invalid value %g: expected a length in Angstrom", pad);
    if (find_box(&b, group, first, err)) return -1;
    return box ? divide_box(o, &b, pad, l, err) : surround(&b, pad, o->lattice.grid, l, err);
}
