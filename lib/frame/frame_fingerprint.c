// SPDX-License-Identifier: MIT
// Hashes frames as they are in memory. The hash of each array is the seed of the next one, so that their order counts.
#include "frame_fingerprint.h"

#include <string.h>

#include "hash.h"

static uint64_t add(uint64_t hash, const void *data, size_t n, size_t size) {
    const uint64_t bytes = data ? n * size : 0;
    hash = trj_hash(&bytes, sizeof bytes, hash);
    return data ? trj_hash(data, (size_t)bytes, hash) : hash;
}

static uint64_t add_text(uint64_t hash, const char *text) {
    return add(hash, text, text ? strlen(text) : 0, 1);
}

static uint64_t add_property(uint64_t hash, const struct trj_property *p, size_t atoms) {
    hash = add_text(add_text(hash, p->name), p->unit);
    hash = add(add(hash, p->real, atoms, sizeof *p->real), p->integer, atoms, sizeof *p->integer);
    hash = add(hash, p->text.id, atoms, sizeof *p->text.id);
    for (size_t i = 0; i < p->text.count; i++) hash = add_text(hash, p->text.text[i]);
    return hash;
}

uint64_t trj_header_fingerprint(const struct trj_stream_header *h) {
    const uint64_t numbers[] = {h->atoms,         h->centres,        h->source_atoms,      h->open_system,
                                h->group_count,   h->absent_sites,   h->site_count,        h->bond_count,
                                h->between,       h->property_count, h->movement_count,    h->motion,
                                h->segment.first, h->segment.count,  h->segment.following, h->segment.total};
    uint64_t hash = add(0, numbers, sizeof numbers, 1);
    hash = add(hash, &h->precision, 1, sizeof h->precision);
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *g = &h->groups[i];
        hash = add(add_text(hash, g->name), g->atoms, g->count, sizeof *g->atoms);
        hash = add(hash, &g->dynamic, 1, sizeof g->dynamic);
    }
    hash = add(add(hash, h->residue, h->atoms, sizeof *h->residue), h->molecule, h->atoms, sizeof *h->molecule);
    hash = add(add(hash, h->element, h->atoms, sizeof *h->element), h->site, h->site_count, sizeof *h->site);
    hash = add(hash, h->number, h->atoms - h->centres, sizeof *h->number);
    hash = add(hash, h->bond, h->bond_count, sizeof *h->bond);
    for (size_t i = 0; i < h->property_count; i++) hash = add_property(hash, &h->properties[i], h->atoms);
    for (size_t i = 0; i < h->movement_count; i++) {
        const struct trj_movement *m = &h->movements[i];
        const uint64_t values[] = {(uint64_t)m->kind, m->atoms, m->fingerprint, m->frame};
        hash = add_text(add_text(add(hash, values, sizeof values, 1), m->selection), m->reference);
    }
    return hash;
}

uint64_t trj_frame_fingerprint(const struct trj_frame *f, const struct trj_stream_header *h, uint64_t before) {
    const uint64_t numbers[] = {f->index, f->source, (uint64_t)f->step, f->atoms, f->cell.periodic};
    const struct trj_motion *m = f->motion;
    const unsigned has = trj_motion_has(m);
    uint64_t hash = add(before, numbers, sizeof numbers, 1);
    hash = add(add(hash, &f->time, 1, sizeof f->time), &f->unit, 1, sizeof f->unit);
    hash = add(hash, f->cell.h, sizeof f->cell.h, 1);
    if (f->source < h->source_count) {
        const uint64_t source = h->sources[f->source].fingerprint;
        hash = add(hash, &source, 1, sizeof source);
    }
    for (int k = 0; k < 3; k++) hash = add(hash, f->x[k], f->atoms, sizeof *f->x[k]);
    hash = add(hash, f->members, h->member_words, sizeof *f->members);
    for (int k = 0; k < 3 && has & TRJ_HAS_VELOCITY; k++)
        hash = add(hash, m->velocity[k], f->atoms, sizeof *m->velocity[k]);
    for (int k = 0; k < 3 && has & TRJ_HAS_IMAGE; k++) hash = add(hash, m->image[k], f->atoms, sizeof *m->image[k]);
    return hash;
}
