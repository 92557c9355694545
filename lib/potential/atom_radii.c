// SPDX-License-Identifier: MIT
// Assigns radii by element and, in the set mbondi, by the atom to which a hydrogen is bonded.
#include "atom_radii.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom_table.h"
#include "bonds.h"
#include "element.h"
#include "property.h"

enum { H = 1, C = 6, N = 7, O = 8, S = 16 };
// ---- elements

static int bondi(double *radius, const struct trj_stream_header *h, const struct trj_group *g, struct trj_error *err) {
    char text[64];
    for (size_t i = 0; i < g->count; i++) {
        radius[i] = trj_bondi_radius(h->element ? h->element[g->atoms[i]] : 0);
        if (isnan(radius[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "--radii bondi: the element of %s is unknown or has no radius; give trjcat a topology with "
                            "elements (-t), or use --radii FILE",
                            pot_describe_atom(text, h, g->atoms[i]));
    }
    return 0;
}

// Returns the radius of a hydrogen atom, 0 if it has no bond, or NaN if the element of a bonded atom is unknown, as
// that of an atom outside of the stream, whose number is at least h->atoms.
static double hydrogen_radius(const struct trj_stream_header *h, const struct trj_bonds *bonds, uint32_t atom) {
    double radius = 0;
    for (size_t i = bonds->begin[atom]; i < bonds->begin[atom + 1]; i++) {
        uint32_t to = bonds->to[i];
        unsigned z = to < h->atoms ? h->element[to] : 0;
        if (!z) return NAN;
        if (z == H && radius > 0) continue;
        radius = z == C || z == N ? 1.3 : z == O || z == S ? 0.8 : 1.2;
        if (z != H) break;
    }
    return radius;
}

static double heavy_radius(unsigned z) {
    static const double radius[] = {
        [C] = 1.7, [N] = 1.55, [O] = 1.5, [9] = 1.5, [14] = 2.1, [15] = 1.85, [S] = 1.8, [17] = 1.7};
    return z < sizeof radius / sizeof *radius ? radius[z] : 0;
}

static int mbondi(double *radius, const struct trj_stream_header *h, const struct trj_group *g, struct trj_error *err) {
    struct trj_bonds bonds;
    char text[64];
    int rc = 0;
    if (!h->element || !h->bond)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--radii mbondi: the stream contains no %s; give trjcat a topology that contains them (-t), or "
                        "use --radii bondi",
                        h->element ? "bonds" : "elements");
    if (trj_bonds_list(&bonds, h->bond, h->bond_count, h->atoms + h->between, err)) return -1;
    for (size_t i = 0; !rc && i < g->count; i++) {
        uint32_t atom = g->atoms[i];
        bool hydrogen = h->element[atom] == H;
        radius[i] = hydrogen ? hydrogen_radius(h, &bonds, atom) : heavy_radius(h->element[atom]);
        if (radius[i] > 0) continue;
        pot_describe_atom(text, h, atom);
        rc = hydrogen ? trj_fail(err, TRJ_BAD_DATA,
                                 "--radii mbondi: the stream does not contain the atom to which %s is bonded; select "
                                 "whole molecules, or use --radii bondi",
                                 text)
                      : trj_fail(err, TRJ_BAD_DATA,
                                 "--radii mbondi: defines no radius for the element of %s; use --radii FILE", text);
    }
    trj_bonds_free(&bonds);
    return rc;
}

int pot_radii_set(double *radius, const char *source, const struct trj_stream_header *h, const struct trj_group *group,
                  struct trj_error *err) {
    static const struct pot_atom_table table = {"--radii", "bondi or mbondi", "radius", "radii", "Angstrom", 0, 100};
    const double *values;
    char text[64];
    if (source && !strcmp(source, "bondi")) return bondi(radius, h, group, err);
    if (source && !strcmp(source, "mbondi")) return mbondi(radius, h, group, err);
    if (source) return pot_atom_table_read(radius, &table, source, h, group, err);
    if (trj_property_require(h, "radius", group, &values, err)) return -1;
    for (size_t i = 0; i < group->count; i++) {
        radius[i] = values[group->atoms[i]];
        if (!(radius[i] >= table.min && radius[i] <= table.max))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the radius of %s is %g Angstrom, expected 0 to %g; correct the topology",
                            pot_describe_atom(text, h, group->atoms[i]), radius[i], table.max);
    }
    return 0;
}
