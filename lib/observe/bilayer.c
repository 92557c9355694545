// SPDX-License-Identifier: MIT
// Area per lipid and thickness of a flat bilayer in the plane of the cell vectors a and b.
#include <math.h>
#include <stdlib.h>

#include "functions.h"
#include "heights.h"
#include "memory.h"
#include "system.h"

enum { GROUP, BILAYER };
#define CORE 5.0 // Å, from the centre, where a bilayer has atoms

struct leaflets {
    double area;                   // Å^2, of the cell
    size_t upper, lower;           // atoms
    double upper_mean, lower_mean; // Å, along the normal, from the centre
};

// Sets heights along the normal a x b.
static int find_axis(struct obs_heights *z, const struct trj_cell *cell, struct trj_error *err) {
    const unsigned plane = TRJ_PERIODIC_A | TRJ_PERIODIC_B;
    if ((cell->periodic & plane) != plane)
        return trj_fail(err, TRJ_BAD_DATA, "the frame has no cell with the vectors a and b; give it: trjcat --cell");
    if (obs_heights_make(z, cell, 2, err)) return -1;
    if (z->normal[2] < 0) // up is along z
        for (int k = 0; k < 3; k++) z->normal[k] = -z->normal[k];
    return 0;
}

// Sets the centre to the mean height of the bilayer's atoms, which a boundary may divide.
static int find_centre(struct obs_heights *z, const struct obs_positions *p, const char *text, struct trj_error *err) {
    double nearest;
    if (obs_heights_find_centre(z, p, NULL, text, &nearest, err)) return -1;
    if (nearest <= CORE) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "'%s' has no atom within %g Angstrom of its centre, so that it is unknown which side of the head "
                    "groups is the bilayer; give the lipids with their tails",
                    text, CORE);
}

static int divide(const struct obs_observable *o, struct obs_view *v, struct leaflets *l, struct trj_error *err) {
    const struct obs_argument *a = o->argument;
    const struct obs_positions *heads, *bilayer;
    struct obs_heights z;
    *l = (struct leaflets){0};
    if (find_axis(&z, &obs_view_frame(v)->cell, err) || obs_view_positions(v, a[GROUP].selection, &heads, err) ||
        obs_view_positions(v, a[BILAYER].selection, &bilayer, err) || find_centre(&z, bilayer, a[BILAYER].text, err))
        return -1;
    l->area = z.area;
    for (size_t i = 0; i < heads->count; i++) {
        double h = obs_height(&z, heads->x[i]);
        *(h > 0 ? &l->upper_mean : &l->lower_mean) += h;
        ++*(h > 0 ? &l->upper : &l->lower);
    }
    l->upper_mean /= (double)l->upper;
    l->lower_mean /= (double)l->lower;
    return 0;
}

// Fails if the group has two atoms of one molecule or, if molecules are unknown, residue: the area per atom is then not
// that per lipid.
static int open_area(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const struct obs_selection *one = &s->selection[o->argument[GROUP].selection];
    const struct trj_stream_header *h = s->header;
    const uint32_t *part = h->molecule ? h->molecule : h->residue;
    uint32_t largest = 0;
    for (size_t i = 0; part && i < one->count; i++)
        if (part[one->atoms[i]] > largest) largest = part[one->atoms[i]];
    bool *found = trj_alloc((size_t)largest + 1, sizeof *found, "molecules", err);
    int rc = found ? 0 : -1;
    for (size_t i = 0; !rc && part && i < one->count; i++) {
        bool *before = &found[part[one->atoms[i]]];
        if (*before)
            rc = trj_fail(err, TRJ_USAGE,
                          "'%s' has several atoms of a %s, so that the area per atom is not that per lipid; give one "
                          "atom of each lipid, such as 'name P'",
                          one->text, h->molecule ? "molecule" : "residue");
        *before = true;
    }
    free(found);
    return rc;
}

static int compute_area(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    struct leaflets l;
    if (divide(o, v, &l, err)) return -1;
    value[0] = l.upper ? l.area / (double)l.upper : NAN;
    value[1] = l.lower ? l.area / (double)l.lower : NAN;
    return 0;
}

static int compute_thickness(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    struct leaflets l;
    if (divide(o, v, &l, err)) return -1;
    *value = l.upper_mean - l.lower_mean;
    return 0;
}

static const struct obs_column areas[] = {{"upper", "Angstrom^2"}, {"lower", "Angstrom^2"}},
                               length[] = {{"", "Angstrom"}};
#define BILAYER_PARAMETERS                                                                                             \
    {                                                                                                                  \
        {.name = "group", .kind = OBS_ATOMS}, {                                                                        \
            .name = "bilayer", .kind = OBS_ATOMS                                                                       \
        }                                                                                                              \
    }

const struct obs_function obs_area_per_lipid = {
    .name = "area_per_lipid",
    .parameter = BILAYER_PARAMETERS,
    .column = areas,
    .columns = 2,
    .formula = "area |a x b| of the cell per atom of the group in the upper and in the lower leaflet, above and below "
               "the centre of the bilayer along a x b; the group has one atom of each lipid",
    .why_never = "describes the whole bilayer",
    .open = open_area,
    .compute = compute_area,
};
const struct obs_function obs_thickness = {
    .name = "thickness",
    .parameter = BILAYER_PARAMETERS,
    .column = length,
    .columns = 1,
    .formula = "distance along a x b between the mean heights of the atoms of the group above and below the centre of "
               "the bilayer",
    .why_never = "describes the whole bilayer",
    .compute = compute_thickness,
};
