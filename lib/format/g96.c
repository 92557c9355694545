// SPDX-License-Identifier: MIT
// Reads GROMOS coordinate files and trajectories (g96_records.h), in nm. A frame ends where a block comes again, or at
// TITLE or TIMESTEP after its positions, because programs write different blocks and some no box.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cell_solids.h"
#include "g96_records.h"
#include "gro_records.h"
#include "number.h"
#include "text_format.h"

static const struct trj_identity_layout identity_layout = {
    .parts = 3,
    .part = {{"residue number", 0, 5, false}, {"residue name", 6, 5, false}, {"name", 12, 5, false}},
    .columns = {{0, 17}},
    .width = 17};

// What a frame contains.
enum { HAS_TITLE = 1, HAS_TIME = 2, HAS_POSITION = 4, HAS_VELOCITY = 8, HAS_BOX = 16 };

static const unsigned char content[] = {
    [TRJ_G96_TITLE] = HAS_TITLE, [TRJ_G96_TIMESTEP] = HAS_TIME,        [TRJ_G96_POSITION] = HAS_POSITION,
    [TRJ_G96_BOX] = HAS_BOX,     [TRJ_G96_POSITIONRED] = HAS_POSITION, [TRJ_G96_VELOCITY] = HAS_VELOCITY,
    [TRJ_G96_GENBOX] = HAS_BOX,  [TRJ_G96_VELOCITYRED] = HAS_VELOCITY, [TRJ_G96_TRICLINICBOX] = HAS_BOX,
    [TRJ_G96_OTHER] = 0,
};

struct g96 {
    struct trj_text text;
    unsigned first; // what frame 0 contains
    bool names;     // frame 0 contains names
};

// The blocks of a raw frame, whose bytes are the lines of positions, and of velocities if they are read.
struct blocks {
    unsigned has;
    bool position_names, velocity_names; // the lines begin with names
    size_t velocities;                   // lines of velocities
    uint64_t velocity_line;              // number of the line before them
};

// ---- blocks

static int skip_block(struct trj_lines *l, const char *name, struct trj_error *err) {
    int got;
    do got = trj_g96_next_line(l, name, err);
    while (got > 0);
    return got;
}

static int read_time(struct trj_lines *l, struct trj_frame *f, struct trj_error *err) {
    int got = trj_g96_next_line(l, "TIMESTEP", err);
    if (got < 0) return -1;
    char *rest = l->text, *step = got ? trj_next_word(&rest) : NULL, *time = got ? trj_next_word(&rest) : NULL;
    if (!step || !time || !trj_parse_i64(step, &f->step) || !trj_parse_real(time, &f->time))
        return trj_lines_fail(l, err, "no step and time in the block TIMESTEP");
    return skip_block(l, "TIMESTEP", err);
}

// Reads `count` numbers of a line of GENBOX.
static int read_numbers(struct trj_lines *l, const char *what, double *v, int count, struct trj_error *err) {
    int got = trj_g96_next_line(l, "GENBOX", err), n = 0;
    if (got < 0) return -1;
    char *rest = l->text, *word;
    while (got && n < count && (word = trj_next_word(&rest)) && trj_parse_real(word, &v[n])) n++;
    return n == count ? 0 : trj_lines_fail(l, err, "no %s in the block GENBOX", what);
}

// Reads GENBOX. Returns 0; 1 with an error if the cell cannot be used; or -1.
static int read_genbox(struct trj_lines *l, struct trj_cell *cell, struct trj_error *err) {
    enum { OCTAHEDRON = -1, VACUUM = 0, RECTANGULAR = 1, TRICLINIC = 2 };
    double kind = 0, length[3] = {0}, angle[3] = {0}, euler[3] = {0}, cosine[3];
    if (read_numbers(l, "kind of box", &kind, 1, err) || read_numbers(l, "lengths", length, 3, err) ||
        read_numbers(l, "angles", angle, 3, err) || read_numbers(l, "Euler angles", euler, 3, err) ||
        skip_block(l, "GENBOX", err))
        return -1;
    *cell = (struct trj_cell){0};
    if (kind == VACUUM) return 0;
    if (kind != OCTAHEDRON && kind != RECTANGULAR && kind != TRICLINIC)
        return trj_lines_fail(l, err, "GENBOX: kind of box %g, expected -1, 0, 1 or 2", kind) < 0;
    if (euler[0] != 0 || euler[1] != 0 || euler[2] != 0)
        return trj_lines_fail(l, err,
                              "GENBOX: a box with Euler angles %g %g %g, which is not supported; give the cell "
                              "with trjcat --cell",
                              euler[0], euler[1], euler[2]) < 0;
    for (int k = 0; k < 3; k++) {
        if (!(angle[k] > 0 && angle[k] < 180))
            return trj_lines_fail(l, err, "GENBOX: an angle of %g degrees", angle[k]) < 0;
        length[k] *= 10;
        cosine[k] = trj_cosine(angle[k]);
    }
    struct trj_error why;
    if (trj_cell_set(cell, length, cosine, &why) ||
        (kind == OCTAHEDRON && trj_cell_of_solid(cell, TRJ_SOLID_OCTAHEDRON, &why)))
        return trj_lines_fail(l, err, "GENBOX: %s", why.text) < 0;
    return 0;
}

// Reads BOX, whose numbers are in one line. Returns 0; 1 with an error if the cell cannot be used; or -1.
static int read_numbers_of_box(struct trj_lines *l, struct trj_cell *cell, struct trj_error *err) {
    int got = trj_g96_next_line(l, "BOX", err);
    if (got < 0) return -1;
    if (!got) return trj_lines_fail(l, err, "no numbers in the block BOX");
    bool unusable = trj_gro_box(l, cell, err);
    while ((got = trj_g96_next_line(l, "BOX", err)) > 0) {
        if (unusable || !l->text[strspn(l->text, " \t\r")]) continue;
        unusable = trj_lines_fail(l, err,
                                  "'%.40s' after the line of numbers in the block BOX; give the cell with "
                                  "trjcat --cell",
                                  l->text);
    }
    return got < 0 ? -1 : unusable;
}

static int read_box(struct trj_reader *r, enum trj_g96_block block, struct trj_cell *cell, struct trj_error *err) {
    struct trj_lines *l = &((struct g96 *)r->internals->state)->text.lines;
    int rc;
    if (block == TRJ_G96_GENBOX) {
        rc = read_genbox(l, cell, err);
    } else if (block == TRJ_G96_BOX) {
        rc = read_numbers_of_box(l, cell, err);
    } else {
        rc = trj_lines_fail(l, err, "a block TRICLINICBOX, which is not supported; give the cell with trjcat --cell") <
             0;
        if (skip_block(l, "TRICLINICBOX", err)) return -1;
    }
    return rc > 0 && trj_reader_ignores_cell(r, cell) ? 0 : rc ? -1 : 0;
}

// Takes the lines of positions. r->atoms is 0 in frame 0.
static int take_positions(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_text *t = r->internals->state;
    int got;
    while ((got = trj_g96_next_line(&t->lines, "POSITION", err)) > 0) {
        if ((r->atoms && p->rows == r->atoms) || p->rows == UINT32_MAX)
            return trj_lines_fail(&t->lines, err, "more than %zu atoms, the number of earlier frames", p->rows);
        if (trj_text_take_line(t, p, err)) return -1;
        p->rows++;
    }
    if (got < 0) return -1;
    if (!p->rows) return trj_lines_fail(&t->lines, err, "no atoms in the block of positions");
    return p->rows < r->atoms ? trj_lines_fail(&t->lines, err, "END after %zu of %zu atoms", p->rows, r->atoms) : 0;
}

static int take_velocities(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_text *t = r->internals->state;
    struct blocks *b = p->own;
    int got;
    if (!r->internals->motion) return skip_block(&t->lines, "VELOCITY", err);
    if (!p->rows)
        return trj_lines_fail(&t->lines, err,
                              "VELOCITY before POSITION, which is not supported; leave velocity out of --carry");
    b->velocity_line = t->lines.number;
    while ((got = trj_g96_next_line(&t->lines, "VELOCITY", err)) > 0) {
        if (b->velocities == p->rows)
            return trj_lines_fail(&t->lines, err, "more velocities than the %zu positions", p->rows);
        if (trj_text_take_line(t, p, err)) return -1;
        b->velocities++;
    }
    if (got < 0) return -1;
    return b->velocities < p->rows
               ? trj_lines_fail(&t->lines, err, "END after velocities of %zu of %zu atoms", b->velocities, p->rows)
               : 0;
}

static int read_block(struct trj_reader *r, struct trj_raw_frame *p, enum trj_g96_block block, struct trj_error *err) {
    struct trj_lines *l = &((struct g96 *)r->internals->state)->text.lines;
    struct blocks *b = p->own;
    char name[24];
    switch (block) {
    case TRJ_G96_TIMESTEP:
        return read_time(l, &p->frame, err);
    case TRJ_G96_POSITION:
    case TRJ_G96_POSITIONRED:
        b->position_names = block == TRJ_G96_POSITION;
        return take_positions(r, p, err);
    case TRJ_G96_VELOCITY:
    case TRJ_G96_VELOCITYRED:
        b->velocity_names = block == TRJ_G96_VELOCITY;
        return take_velocities(r, p, err);
    case TRJ_G96_BOX:
    case TRJ_G96_GENBOX:
    case TRJ_G96_TRICLINICBOX:
        return read_box(r, block, &p->frame.cell, err);
    default:
        snprintf(name, sizeof name, "%.20s", l->text);
        return skip_block(l, name, err);
    }
}

// ---- frames

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct g96 *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    struct blocks *b = p->own;
    enum trj_g96_block block;
    int got;
    *b = (struct blocks){0};
    p->frame.unit = 10;
    p->frame.cell = (struct trj_cell){0};
    p->frame.step = TRJ_NO_STEP;
    p->frame.time = NAN;
    while ((got = trj_g96_next_block(l, &block, err)) > 0) {
        const unsigned last = HAS_POSITION | HAS_VELOCITY | HAS_BOX;
        bool next = b->has & content[block] || (content[block] & (HAS_TITLE | HAS_TIME) && b->has & last);
        if (next && !p->rows)
            return trj_lines_fail(l, err, "no positions (POSITION or POSITIONRED) in the frame before this line");
        if (next) {
            trj_lines_repeat(l);
            break;
        }
        b->has |= content[block];
        if (read_block(r, p, block, err)) return -1;
    }
    if (got < 0) return -1;
    if (!got && !b->has) return 0;
    if (!p->rows) return trj_lines_fail(l, err, "the file ends after this line, before positions");
    if (!p->number) s->first = b->has;
    // GROMACS writes no box for a frame without a cell, so that this need not be damage.
    if (!got && s->first & ~b->has & (HAS_VELOCITY | HAS_BOX)) {
        r->note = "the last frame has no velocities or no box, unlike the first: it may be truncated";
        r->note_stays = true;
    }
    return 1;
}

// Reads the next line of an atom.
static int next_atom(struct trj_lines *l, struct trj_error *err) {
    return trj_lines_next(l, err) < 0 ? -1 : 0;
}

static int decode_velocities(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_lines *l,
                             struct trj_error *err) {
    const struct blocks *b = p->own;
    size_t from = b->velocity_names ? TRJ_G96_NAMES : 0;
    bool columns = false;
    float v[3] = {0};
    if (trj_motion_resize(&p->frame.motion, TRJ_HAS_VELOCITY, p->frame.atoms, err)) return -1;
    p->frame.motion->unit = 10;
    l->number = b->velocity_line;
    for (size_t i = 0; i < b->velocities; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (next_atom(l, err)) return -1;
        if (!i) columns = trj_g96_has_columns(l, from);
        if (picked == TRJ_NOT_PICKED) continue;
        if (trj_g96_vector(l, from, columns, i, "velocity", v, err)) return -1;
        for (int k = 0; k < 3; k++) p->frame.motion->velocity[k][picked] = v[k];
    }
    return 0;
}

static int g96_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct g96 *s = r->internals->state;
    const struct blocks *b = p->own;
    struct trj_lines l = trj_text_lines(r, p);
    size_t from = b->position_names ? TRJ_G96_NAMES : 0;
    bool columns = false;
    float x[3] = {0};
    if (p == &s->text.first) s->names = b->position_names; // while the file is opened, by one thread
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (next_atom(&l, err)) return -1;
        if (!i) columns = trj_g96_has_columns(&l, from);
        if (picked != TRJ_NOT_PICKED && trj_g96_vector(&l, from, columns, i, "coordinate", x, err)) return -1;
        if (b->position_names && s->names && r->internals->identity &&
            trj_atom_identity_columns(r->internals->identity, &identity_layout, i, &l, p->difference, err))
            return -1;
        trj_text_put(&p->frame, picked, x);
    }
    return b->velocities ? decode_velocities(r, p, &l, err) : 0;
}

// ---- the format

static bool g96_is(const unsigned char *head, size_t n) {
    return trj_g96_is((const char *)head, n);
}

static int g96_open(struct trj_reader *r, struct trj_error *err) {
    if (trj_text_open(r, sizeof(struct g96), read_raw_frame, err)) return -1;
    const struct g96 *s = r->internals->state;
    snprintf(r->dialect, sizeof r->dialect, "GROMOS, %s", s->names ? "with names" : "without names");
    r->motion_source[TRJ_MOTION_VELOCITY] = (struct trj_motion_source){
        TRJ_VELOCITY_UNIT,
        "GROMOS, nm/ps; the file does not give their time: leap-frog integrators write those of half a step before"};
    if (s->first & HAS_VELOCITY) r->holds = TRJ_HAS_VELOCITY;
    return 0;
}

static int g96_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static const struct trj_format_ops ops = {
    .is = g96_is,
    .open = g96_open,
    .read_raw = g96_read_raw,
    .decode = g96_decode,
    .motion = TRJ_HAS_VELOCITY,
    .own = sizeof(struct blocks),
    .close = trj_text_close,
};

const struct trj_format trj_format_g96 = {
    .name = "g96",
    .help = "GROMOS, one frame or many, in nm, with or without names",
    .endings = {".g96", ".cnf", ".trc"},
    .topology = "g96",
    .ops = &ops,
};
