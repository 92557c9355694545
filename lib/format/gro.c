// SPDX-License-Identifier: MIT
// Reads GRO trajectories: concatenated GRO files (gro_records.h). Coordinates stay in nm.
#include <stdio.h>
#include <string.h>

#include "gro_records.h"
#include "number.h"
#include "text_format.h"

static const struct trj_identity_layout identity_layout = {
    .parts = 3,
    .part = {{"residue number", 0, 5, false}, {"residue name", 5, 5, false}, {"name", 10, 5, false}},
    .columns = {{0, 15}},
    .width = 15};

struct gro {
    struct trj_text text;
    bool has_velocities; // frame 0 contains them
};

// Reads title and number of atoms. A title may be blank, but blank lines at the end of the file are ignored. Returns 1,
// 0 at the end, -1.
static int read_head(struct trj_reader *r, struct trj_frame *f, uint64_t *count, struct trj_error *err) {
    struct trj_text *t = r->internals->state;
    struct trj_lines *l = &t->lines;
    char word[32];
    int got = trj_lines_next(l, err);
    if (got <= 0) return got;
    bool blank = !l->text[strspn(l->text, " \t")];
    trj_text_title(l->text, f);
    do got = trj_lines_next(l, err);
    while (got > 0 && blank && !l->text[strspn(l->text, " \t")]);
    if (got < 0) return -1;
    if (!got && blank) return 0;
    if (!got) return trj_lines_fail(l, err, "the file ends after this line, before the number of atoms");
    return trj_text_count(r, trj_gro_count(l, word), count, err) ? -1 : 1;
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_text *t = r->internals->state;
    uint64_t count = 0;
    int got = read_head(r, &p->frame, &count, err);
    if (got <= 0) return got;
    p->frame.unit = 10;
    p->frame.cell = (struct trj_cell){0};
    if (trj_text_take_atoms(r, p, count, err) || trj_text_line(t, "the box", err)) return -1;
    // A user can replace an invalid box, but not a line of another kind.
    if (trj_gro_check_box(&t->lines, err)) return -1;
    if (trj_gro_box(&t->lines, &p->frame.cell, err) && !trj_reader_ignores_cell(r, &p->frame.cell)) return -1;
    return 1;
}

static int read_atom(const struct trj_lines *l, const struct trj_gro_shape *shape, size_t atom, float x[3],
                     struct trj_error *err) {
    struct trj_gro_atom a;
    if (trj_gro_scan(l, shape, x)) return 0;
    if (trj_gro_atom(l, shape, atom, &a, err)) return -1;
    for (int k = 0; k < 3; k++) {
        const char *end = trj_scan_float(a.x[k], &x[k]);
        if (!end || *end) return trj_lines_fail(l, err, "atom %zu: '%s' is not a coordinate", atom, a.x[k]);
    }
    return 0;
}

// Gives a frame memory for velocities if they are requested, and the line of the first atom contains them.
static int begin_velocities(const struct trj_reader *r, struct trj_raw_frame *p, const struct trj_lines *l,
                            const struct trj_gro_shape *shape, struct trj_motion **motion, struct trj_error *err) {
    struct gro *g = r->internals->state;
    bool has = trj_gro_has_velocities(l, shape);
    if (p == &g->text.first) g->has_velocities = has; // while the file is opened, by one thread
    if (!r->internals->motion || !has) return 0;
    if (trj_motion_resize(&p->frame.motion, TRJ_HAS_VELOCITY, p->frame.atoms, err)) return -1;
    *motion = p->frame.motion;
    (*motion)->unit = 10;
    return 0;
}

static int gro_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    struct trj_gro_shape shape = {0};
    float x[3], v[3];
    struct trj_motion *motion = NULL;
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (trj_lines_next(&l, err) < 0) return -1;
        if (!i) shape = trj_gro_shape_of(&l);
        if (!i && begin_velocities(r, p, &l, &shape, &motion, err)) return -1;
        bool skips = trj_text_can_skip(&l, picked);
        if (!skips && read_atom(&l, &shape, i, x, err)) return -1;
        if (r->internals->identity &&
            trj_atom_identity_columns(r->internals->identity, &identity_layout, i, &l, p->difference, err))
            return -1;
        if (!skips) trj_text_put(&p->frame, picked, x);
        if (!motion || picked == TRJ_NOT_PICKED) continue;
        if (trj_gro_velocities(&l, &shape, i, v, err)) return -1;
        for (int k = 0; k < 3; k++) motion->velocity[k][picked] = v[k];
    }
    return 0;
}

static bool gro_is(const unsigned char *head, size_t n) {
    return trj_gro_is((const char *)head, n);
}

static int gro_open(struct trj_reader *r, struct trj_error *err) {
    snprintf(r->dialect, sizeof r->dialect, "GRO");
    r->motion_source[TRJ_MOTION_VELOCITY] = (struct trj_motion_source){
        TRJ_VELOCITY_UNIT,
        "GRO, nm/ps; the file does not give their time: leap-frog integrators write those of half a step before"};
    if (trj_text_open(r, sizeof(struct gro), read_raw_frame, err)) return -1;
    if (((const struct gro *)r->internals->state)->has_velocities) r->holds = TRJ_HAS_VELOCITY;
    return 0;
}

static int gro_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static const struct trj_format_ops ops = {
    .is = gro_is,
    .open = gro_open,
    .read_raw = gro_read_raw,
    .decode = gro_decode,
    .motion = TRJ_HAS_VELOCITY,
    .frame_topology = trj_text_frame_topology,
    .close = trj_text_close,
};

const struct trj_format trj_format_gro = {
    .name = "gro",
    .help = "GRO, one frame or many, in nm with any number of decimals",
    .endings = {".gro"},
    .topology = "GRO",
    .ops = &ops,
};
