// SPDX-License-Identifier: MIT
// A frame stream of 22 atoms with everything that observables use, and a frame of it: two residues of a peptide, three
// waters and an ion; the group P, the peptide, and the dynamic group D.
#ifndef OBSERVE_SYSTEM_H
#define OBSERVE_SYSTEM_H

#include <string.h>

#include "frame_stream.h"
#include "memory.h"

enum { OBSERVE_ATOMS = 22 };

static int observe_texts(struct trj_stream_header *h, const char *name, const char *const *texts,
                         struct trj_error *err) {
    struct trj_property *p = trj_property_add(h, name, "", "test", TRJ_PROPERTY_TEXT, err);
    struct trj_text_index index = {.texts = p ? &p->text : NULL};
    uint32_t number;
    int rc = p ? trj_text_index_add(&index, "", &number, err) : -1;
    for (size_t i = 0; !rc && i < OBSERVE_ATOMS; i++) rc = trj_text_index_add(&index, texts[i], &p->text.id[i], err);
    trj_text_index_free(&index);
    return rc;
}

static int observe_reals(struct trj_stream_header *h, const char *name, const char *unit, const double *values,
                         struct trj_error *err) {
    struct trj_property *p = trj_property_add(h, name, unit, "test", TRJ_PROPERTY_REAL, err);
    if (p) memcpy(p->real, values, OBSERVE_ATOMS * sizeof *values);
    return p ? 0 : -1;
}

static int observe_groups(struct trj_stream_header *h, struct trj_error *err) {
    static const char *const names[] = {"P", "D", "all"};
    static const size_t first[] = {0, 10, 0}, count[] = {12, 12, OBSERVE_ATOMS};
    if (!(h->groups = trj_alloc(3, sizeof *h->groups, "groups", err))) return -1;
    for (; h->group_count < 3; h->group_count++) {
        size_t g = h->group_count;
        h->groups[g] = (struct trj_group){.name = trj_copy_text(names[g], err), .dynamic = g == 1};
        h->groups[g].atoms = trj_alloc(count[g], sizeof *h->groups[g].atoms, "groups", err);
        if (!h->groups[g].name || !h->groups[g].atoms) return -1;
        h->groups[g].count = count[g];
        for (size_t i = 0; i < count[g]; i++) h->groups[g].atoms[i] = (uint32_t)(first[g] + i);
    }
    h->member_words = trj_groups_lay_out(h->groups, h->group_count);
    return 0;
}

// Fills a zeroed header and a zeroed frame. trj_stream_header_free and trj_frame_free free, also after a failure.
static int observe_make(struct trj_stream_header *h, struct trj_frame *f, struct trj_error *err) {
    static const char *const names[] = {"N", "HN", "CA",  "HA",  "C",  "O",   "N",   "HN", "CA",  "HA",  "C",
                                        "O", "OW", "HW1", "HW2", "OW", "HW1", "HW2", "OW", "HW1", "HW2", "NA"},
                             *const residues[] = {"ALA", "ALA", "ALA", "ALA", "ALA", "ALA", "GLY", "GLY",
                                                  "GLY", "GLY", "GLY", "GLY", "SOL", "SOL", "SOL", "SOL",
                                                  "SOL", "SOL", "SOL", "SOL", "SOL", "NA"},
                             *const segments[] = {"A", "A", "A", "A", "A", "A", "A", "A", "A", "A", "A",
                                                  "A", "W", "W", "W", "W", "W", "W", "W", "W", "W", "I"};
    static const uint32_t elements[] = {7, 1, 6, 1, 6, 8, 7, 1, 6, 1, 6, 8, 8, 1, 1, 8, 1, 1, 8, 1, 1, 11},
                          bonds[][2] = {{0, 1},   {0, 2},   {2, 3},   {2, 4},   {4, 5},   {4, 6},
                                        {6, 7},   {6, 8},   {8, 9},   {8, 10},  {10, 11}, {12, 13},
                                        {12, 14}, {15, 16}, {15, 17}, {18, 19}, {18, 20}};
    double mass[OBSERVE_ATOMS], charge[OBSERVE_ATOMS], radius[OBSERVE_ATOMS];
    enum { BONDS = sizeof bonds / sizeof *bonds };
    *h = (struct trj_stream_header){.atoms = OBSERVE_ATOMS, .source_atoms = OBSERVE_ATOMS, .motion = TRJ_HAS_VELOCITY};
    memcpy(h->motion_source[TRJ_MOTION_VELOCITY].unit, TRJ_VELOCITY_UNIT, sizeof TRJ_VELOCITY_UNIT);
    if (observe_groups(h, err) || !(h->residue = trj_alloc(OBSERVE_ATOMS, sizeof *h->residue, "residues", err)) ||
        !(h->molecule = trj_alloc(OBSERVE_ATOMS, sizeof *h->molecule, "molecules", err)) ||
        !(h->element = trj_alloc(OBSERVE_ATOMS, sizeof *h->element, "elements", err)) ||
        !(h->bond = trj_alloc(BONDS, sizeof *h->bond, "bonds", err)) || trj_frame_resize(f, OBSERVE_ATOMS, err) ||
        trj_frame_resize_members(f, h->member_words, err) ||
        trj_motion_resize(&f->motion, TRJ_HAS_VELOCITY, OBSERVE_ATOMS, err))
        return -1;
    memcpy(h->bond, bonds, sizeof bonds);
    h->bond_count = BONDS;
    f->unit = f->motion->unit = 1;
    f->members[0] = 0x0f0f;
    f->cell = (struct trj_cell){.h = {{30, 0, 0}, {5, 30, 0}, {0, -4, 30}}, .periodic = TRJ_PERIODIC_ALL};
    for (size_t i = 0; i < OBSERVE_ATOMS; i++) {
        h->residue[i] = i < 12 ? (uint32_t)i / 6 : (uint32_t)(i - 6) / 3;
        h->molecule[i] = i < 12 ? 0 : (uint32_t)(i - 9) / 3;
        h->element[i] = elements[i];
        mass[i] = elements[i] == 1 ? 1.008 : 2.0 * elements[i];
        charge[i] = i < 12 ? (i % 2 ? 0.3 : -0.3) : i == 21 ? 1 : i % 3 ? 0.4 : -0.8;
        radius[i] = 1.5;
        for (size_t k = 0; k < 3; k++) {
            f->x[k][i] = (float)(10 + (double)((i * (5 + 2 * k) + k) % 11) * 0.37 + 0.01 * (double)i);
            f->motion->velocity[k][i] = (float)((double)(i * (k + 3) % 7) - 3);
        }
    }
    struct trj_property *resid = trj_property_add(h, "resid", "", "test", TRJ_PROPERTY_INTEGER, err);
    for (size_t i = 0; resid && i < OBSERVE_ATOMS; i++) resid->integer[i] = h->residue[i] + 1;
    return !resid || observe_texts(h, "name", names, err) || observe_texts(h, "resname", residues, err) ||
                   observe_texts(h, "segid", segments, err) || observe_reals(h, "mass", "u", mass, err) ||
                   observe_reals(h, "charge", "e", charge, err) || observe_reals(h, "radius", "A", radius, err)
               ? -1
               : 0;
}

#endif
