// SPDX-License-Identifier: MIT
// Reads the State XML of OpenMM, one frame in nm, as its XmlSerializer writes it: one element a line
// (http://docs.openmm.org, XmlSerializer and State). It contains neither names nor masses.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "text_format.h"

enum { DEFAULT_BOX = 2 }; // nm: the box of systems that have none

struct state {
    struct trj_text text;
    bool ended;
    size_t velocities;   // lines of velocities after those of positions and `between` other ones; 0: not read
    size_t between;      // lines
    bool has_velocities; // the file contains them
    bool default_box;
};

// Returns the value of an attribute, after its quote; NULL: the element has none.
static const char *attribute(const char *line, const char *name) {
    size_t n = strlen(name);
    for (const char *p = line; (p = strstr(p, name)); p += n)
        if (p > line && trj_is_blank(p[-1]) && p[n] == '=' && (p[n + 1] == '"' || p[n + 1] == '\'')) return p + n + 2;
    return NULL;
}

static bool begins(const char *line, const char *element) {
    line += strspn(line, " \t");
    size_t n = strlen(element);
    return !strncmp(line, element, n) && (!line[n] || strchr(" \t>/", line[n]));
}

static bool scan_vector(const char *line, double v[3]) {
    static const char *const names[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        const char *value = attribute(line, names[k]), *end = value ? trj_scan_real(value, &v[k]) : NULL;
        if (!end || !strchr("\"'", *end) || !*end) return false;
    }
    return true;
}

// ---- the file

static int read_root(struct state *s, struct trj_frame *f, struct trj_error *err) {
    const struct trj_lines *l = &s->text.lines;
    do
        if (trj_text_line(&s->text, "<State>", err)) return -1;
    while (!begins(l->text, "<State"));
    const char *time = attribute(l->text, "time"), *step = attribute(l->text, "stepCount");
    if (!time || !trj_scan_real(time, &f->time)) f->time = NAN;
    if (!step || !trj_scan_i64(step, &f->step)) f->step = TRJ_NO_STEP;
    return 0;
}

static int read_box(struct trj_reader *r, struct trj_cell *cell, struct trj_error *err) {
    static const char *const names[] = {"<A", "<B", "<C"};
    struct state *s = r->internals->state;
    bool is_default = true;
    for (int i = 0; i < 3; i++) {
        if (trj_text_line(&s->text, "a vector of the box", err)) return -1;
        if (!begins(s->text.lines.text, names[i]) || !scan_vector(s->text.lines.text, cell->h[i]))
            return trj_lines_fail(&s->text.lines, err, "expected %s x=\"\" y=\"\" z=\"\"/>", names[i]);
        for (int j = 0; j < 3; j++) {
            is_default = is_default && cell->h[i][j] == (i == j ? DEFAULT_BOX : 0);
            cell->h[i][j] *= 10;
        }
    }
    cell->periodic = TRJ_PERIODIC_ALL;
    s->default_box = is_default;
    return 0;
}

// Takes lines up to the end of a block, and counts those before it. Returns 0 or -1.
static int take_block(struct state *s, struct trj_raw_frame *p, const char *end, size_t *count, struct trj_error *err) {
    for (*count = 0;; ++*count) {
        if (trj_text_line(&s->text, end, err) || trj_text_take_line(&s->text, p, err)) return -1;
        if (begins(s->text.lines.text, end)) return 0;
    }
}

static int skip_block(struct state *s, const char *end, struct trj_error *err) {
    do
        if (trj_text_line(&s->text, end, err)) return -1;
    while (!begins(s->text.lines.text, end));
    return 0;
}

// Reads the blocks of the file. Positions precede velocities.
static int read_blocks(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct state *s = r->internals->state;
    const struct trj_lines *l = &s->text.lines;
    for (;;) {
        if (trj_text_line(&s->text, "</State>", err)) return -1;
        if (begins(l->text, "</State>")) return 0;
        if (begins(l->text, "<PeriodicBoxVectors")) {
            if (read_box(r, &p->frame.cell, err)) return -1;
        } else if (begins(l->text, "<Positions>") && !p->rows) {
            if (take_block(s, p, "</Positions>", &p->rows, err)) return -1;
            s->between = 1;
        } else if (begins(l->text, "<Velocities>")) {
            s->has_velocities = true;
            if (!p->rows && r->internals->motion)
                return trj_lines_fail(l, err,
                                      "the State lists velocities before positions, which is not supported; leave "
                                      "velocity out of --carry, or move the positions first");
            bool wanted = r->internals->motion;
            if (!wanted && skip_block(s, "</Velocities>", err)) return -1;
            if (!wanted) continue;
            s->between++;
            if (trj_text_take_line(&s->text, p, err) || take_block(s, p, "</Velocities>", &s->velocities, err))
                return -1;
            if (s->velocities != p->rows)
                return trj_lines_fail(l, err, "%zu velocities, but %zu positions", s->velocities, p->rows);
        }
    }
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct state *s = r->internals->state;
    if (s->ended) return 0;
    s->ended = true;
    p->frame.unit = 10;
    p->frame.cell = (struct trj_cell){0};
    if (read_root(s, &p->frame, err) || read_blocks(r, p, err)) return -1;
    if (p->rows > UINT32_MAX) return trj_lines_fail(&s->text.lines, err, "more than %u atoms", UINT32_MAX);
    return p->rows ? 1
                   : trj_fail(err, TRJ_BAD_DATA,
                              "the State contains no positions; write it with getState(getPositions=True)");
}

static int scan_line(const struct trj_lines *l, const char *element, size_t atom, float v[3], struct trj_error *err) {
    double x[3];
    if (!begins(l->text, element) || !scan_vector(l->text, x))
        return trj_lines_fail(l, err, "atom %zu: expected %s x=\"\" y=\"\" z=\"\"/>", atom, element);
    for (int k = 0; k < 3; k++) v[k] = (float)x[k];
    return 0;
}

static int state_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct state *s = r->internals->state;
    struct trj_lines l = trj_text_lines(r, p);
    float v[3] = {0};
    for (size_t i = 0; i < p->rows; i++) {
        if (trj_lines_next(&l, err) < 0 || scan_line(&l, "<Position", i, v, err)) return -1;
        trj_text_put(&p->frame, trj_text_picked_index(r, i), v);
    }
    if (!s->velocities) return 0;
    if (trj_motion_resize(&p->frame.motion, TRJ_HAS_VELOCITY, p->frame.atoms, err)) return -1;
    p->frame.motion->unit = 10;
    for (size_t k = 0; k < s->between; k++)
        if (trj_lines_next(&l, err) < 0) return -1;
    for (size_t i = 0; i < s->velocities; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (trj_lines_next(&l, err) < 0 || scan_line(&l, "<Velocity", i, v, err)) return -1;
        for (int k = 0; k < 3 && picked != TRJ_NOT_PICKED; k++) p->frame.motion->velocity[k][picked] = v[k];
    }
    return 0;
}

// ---- the format

static bool state_is(const unsigned char *head, size_t n) {
    enum { LINE = 256 };
    char text[2 * LINE];
    size_t length = n < sizeof text - 1 ? n : sizeof text - 1;
    memcpy(text, head, length);
    text[length] = 0;
    const char *root = strstr(text, "<State ");
    return root && (*text == '<' || trj_is_blank(*text)) && strstr(root, "type=\"State\"");
}

static int state_open(struct trj_reader *r, struct trj_error *err) {
    if (trj_text_open(r, sizeof(struct state), read_raw_frame, err)) return -1;
    const struct state *s = r->internals->state;
    snprintf(r->dialect, sizeof r->dialect, "State of OpenMM");
    r->motion_source[TRJ_MOTION_VELOCITY] =
        (struct trj_motion_source){TRJ_VELOCITY_UNIT, "State of OpenMM, nm/ps; leap-frog integrators write those of "
                                                      "half a step before"};
    if (s->has_velocities) r->holds = TRJ_HAS_VELOCITY;
    if (r->internals->motion && !s->velocities)
        return trj_fail(err, TRJ_USAGE,
                        "--carry velocity: the State has none; write it with getState(getVelocities=True), or leave "
                        "velocity out");
    if (s->default_box)
        r->note =
            "the box is a cube of 2 nm, which OpenMM writes for systems without a box; if this is one, add -P none";
    return 0;
}

static int state_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static const struct trj_format_ops ops = {
    .is = state_is,
    .open = state_open,
    .read_raw = state_read_raw,
    .decode = state_decode,
    .motion = TRJ_HAS_VELOCITY,
    .close = trj_text_close,
};

const struct trj_format trj_format_openmm = {
    .name = "openmm",
    .help = "State XML of OpenMM, one frame in nm",
    .listed_endings = {".xml"},
    .ops = &ops,
};
