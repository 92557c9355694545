// SPDX-License-Identifier: MIT
#include "atom_radii.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "element.h"
#include "lines.h"
#include "memory.h"
#include "number.h"
#include "property.h"

enum { H = 1, C = 6, N = 7, O = 8, S = 16 };
static const double RADIUS_MAX = 100; // Å

// The entries of a file: radius[i] belongs to texts.text[i].
struct file_radii {
    struct trj_texts texts;
    struct trj_text_index index;
    double *radius;
    size_t room;
};

// Names an atom for a message: "atom 12 (CA)".
static const char *describe(char text[64], const struct trj_stream_header *h, uint32_t atom) {
    const struct trj_property *p = trj_property_find(h, "name");
    bool named = p && p->kind == TRJ_PROPERTY_TEXT && trj_property_known(p, atom);
    unsigned z = h->element ? h->element[atom] : 0;
    snprintf(text, 64, named || z ? "atom %u (%.32s)" : "atom %u", atom,
             named ? p->text.text[p->text.id[atom]] : trj_elements[z].symbol);
    return text;
}

// ---- elements

static int bondi(double *radius, const struct trj_stream_header *h, const struct trj_group *g, struct trj_error *err) {
    char text[64];
    for (size_t i = 0; i < g->count; i++) {
        radius[i] = trj_bondi_radius(h->element ? h->element[g->atoms[i]] : 0);
        if (isnan(radius[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "--radii bondi: the element of %s is unknown or has no radius; give trjcat a topology with "
                            "elements (-t), or use --radii FILE",
                            describe(text, h, g->atoms[i]));
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
        describe(text, h, atom);
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

// ---- files

static int add_line(struct file_radii *f, struct trj_lines *lines, struct trj_error *err) {
    char *rest = lines->text;
    rest[strcspn(rest, "#")] = 0;
    const char *name = trj_next_word(&rest), *number = name ? trj_next_word(&rest) : NULL;
    double radius;
    uint32_t id;
    size_t known = f->texts.count;
    if (!name) return 0;
    if (!number || trj_next_word(&rest) || !trj_parse_real(number, &radius) || !(radius >= 0 && radius <= RADIUS_MAX))
        return trj_lines_fail(lines, err, "expected a name and a radius from 0 to %g Angstrom", RADIUS_MAX);
    if (trj_text_index_add(&f->index, name, &id, err)) return -1;
    if (id < known) return trj_lines_fail(lines, err, "'%.40s' occurs twice; remove one line", name);
    if (trj_grow(&f->radius, &f->room, known + 1, sizeof *f->radius, "radii", err)) return -1;
    f->radius[id] = radius;
    return 0;
}

static int read_file(struct file_radii *f, const char *path, struct trj_error *err) {
    struct trj_lines lines = {.number = 0};
    int got = 1;
    if (trj_input_open(&lines.in, path, err)) return trj_fail_at(err, "--radii");
    while (got > 0 && (got = trj_lines_next(&lines, err)) > 0)
        if (add_line(f, &lines, err)) got = -1;
    if (!got && !f->texts.count) got = trj_fail(err, TRJ_BAD_DATA, "contains no radii");
    trj_input_close(lines.in);
    return got ? trj_fail_at(err, "--radii %s", path) : 0;
}

static int from_file(double *radius, const char *path, const struct trj_stream_header *h, const struct trj_group *g,
                     struct trj_error *err) {
    struct file_radii f = {.room = 0};
    const struct trj_property *p = trj_property_find(h, "name");
    char text[64];
    f.index.texts = &f.texts;
    int rc = read_file(&f, path, err);
    for (size_t i = 0; !rc && i < g->count; i++) {
        uint32_t atom = g->atoms[i], id = 0;
        const char *name =
            p && p->kind == TRJ_PROPERTY_TEXT && trj_property_known(p, atom) ? p->text.text[p->text.id[atom]] : "";
        const char *symbol = h->element ? trj_elements[h->element[atom]].symbol : "";
        if (trj_text_index_find(&f.index, name, strlen(name), &id) ||
            trj_text_index_find(&f.index, symbol, strlen(symbol), &id))
            radius[i] = f.radius[id];
        else
            rc = trj_fail(err, TRJ_BAD_DATA, "--radii %s: has no line for %s%s", path, describe(text, h, atom),
                          p ? "" : "; for names of atoms, run trjcat with --carry name");
    }
    trj_text_index_free(&f.index);
    trj_texts_clear(&f.texts);
    free(f.radius);
    return rc;
}

int pot_radii_set(double *radius, const char *source, const struct trj_stream_header *h, const struct trj_group *group,
                  struct trj_error *err) {
    const double *values;
    char text[64];
    if (source && !strcmp(source, "bondi")) return bondi(radius, h, group, err);
    if (source && !strcmp(source, "mbondi")) return mbondi(radius, h, group, err);
    if (source) return from_file(radius, source, h, group, err);
    if (trj_property_require(h, "radius", group, &values, err)) return -1;
    for (size_t i = 0; i < group->count; i++) {
        radius[i] = values[group->atoms[i]];
        if (!(radius[i] >= 0 && radius[i] <= RADIUS_MAX))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the radius of %s is %g Angstrom, expected 0 to %g; correct the topology",
                            describe(text, h, group->atoms[i]), radius[i], RADIUS_MAX);
    }
    return 0;
}
