// SPDX-License-Identifier: MIT
// Reads POSCAR and CONTCAR of VASP: one frame, with velocities if they follow the positions (vasp_records.h). What
// follows the velocities in a CONTCAR, the state of a thermostat, is ignored. Cells are of any orientation.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "text_format.h"
#include "vasp_records.h"

struct poscar {
    struct trj_text text;
    struct trj_vasp_head head;
    bool over;          // the frame was read
    bool incomplete;    // the flags of selective dynamics of an atom are
    uint64_t flag_line; // its line
    char note[160];
};

// Of a raw frame, for decode. The velocities of all atoms follow their positions in the bytes.
struct positions {
    bool direct;
    double scale[3];
    bool flags; // of selective dynamics
    bool velocities;
    uint64_t gap; // lines between positions and velocities
};

enum { LATTICE_LINES = 7 }; // after "Lattice velocities and vectors": a flag, and three lines of each

// Reads what follows the positions: optionally velocities and vectors of the lattice; a line that begins with C or K,
// or is blank, before Cartesian velocities in Å/fs, or any other line before those in cell vectors per step; and the
// velocities. VASP writes zeros if there is no motion. Other text is ignored, with a note.
static int take_velocities(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct poscar *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    struct positions *own = p->own;
    double v[3];
    const char *number[3];
    int got = trj_lines_next(l, err);
    const char *first = l->text + (got > 0 ? strspn(l->text, " \t") : 0);
    if (got > 0 && (*first == 'L' || *first == 'l'))
        for (int k = 0; k <= LATTICE_LINES && got > 0; k++) got = trj_lines_next(l, err);
    if (got <= 0) return got;
    first = l->text + strspn(l->text, " \t");
    bool cartesian = !*first || strchr("CcKk", *first);
    do got = trj_lines_next(l, err);
    while (got > 0 && trj_vasp_is_blank(l->text));
    if (got <= 0) return got;
    if (!trj_vasp_scan(l->text, v, number)) {
        snprintf(s->note, sizeof s->note, "line %llu and what follows it are ignored: they are no velocities",
                 (unsigned long long)l->number);
        r->note = s->note;
        r->note_stays = true;
        return 0;
    }
    if (!cartesian && r->internals->motion)
        return trj_fail(err, TRJ_USAGE,
                        "--carry velocity: the velocities are in cell vectors per time step, and the file does not "
                        "give the time step; leave velocity out of --carry");
    own->velocities = cartesian;
    if (!cartesian) return 0;
    uint64_t more = 0, rows = p->rows;
    // Empty lines let the numbers of lines be those in the file.
    struct trj_input_bytes *b = &p->bytes;
    own->gap = l->number - 1 - p->position - rows;
    if (trj_grow(&b->data, &b->capacity, b->size + (size_t)own->gap + 1, 1, "lines", err)) return -1;
    memset(b->data + b->size, '\n', (size_t)own->gap);
    b->size += (size_t)own->gap;
    if (trj_text_take_line(&s->text, p, err)) return -1;
    if (rows > 1 && trj_text_take_lines(r, p, rows - 1, &more, err)) return -1;
    if (more == rows - 1) return 0;
    return trj_lines_fail(l, err, "the file ends after this line, after velocities of %llu of %llu atoms",
                          (unsigned long long)more + 1, (unsigned long long)rows);
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct poscar *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    struct positions *own = p->own;
    char count[24];
    uint64_t atoms;
    if (s->over) return 0;
    s->over = true;
    if (trj_text_line(&s->text, "the title", err)) return -1;
    trj_text_title(l->text, &p->frame);
    trj_lines_repeat(l);
    if (trj_vasp_read_head(&s->head, l, err) || trj_vasp_read_mode(l, &own->direct, &own->flags, err)) return -1;
    snprintf(count, sizeof count, "%llu", (unsigned long long)s->head.atoms);
    if (trj_text_count(r, count, &atoms, err)) return -1;
    p->frame.unit = 1;
    p->frame.cell = s->head.cell;
    memcpy(own->scale, s->head.scale, sizeof own->scale);
    own->velocities = false;
    if (trj_text_take_atoms(r, p, atoms, err) || take_velocities(r, p, err)) return -1;
    return 1;
}

// Parses the three numbers at the start of a line.
static const char *read_numbers(const struct trj_lines *l, size_t atom, const char *what, double v[3],
                                struct trj_error *err) {
    const char *number[3], *rest = trj_vasp_scan(l->text, v, number);
    if (!rest) {
        trj_lines_fail(l, err, "atom %zu: '%.60s' where three numbers of a %s are expected", atom, l->text, what);
        return NULL;
    }
    if (trj_vasp_is_blank(rest) && trj_lines_check_last_number(l, number, 3, err)) return NULL;
    return rest;
}

// Returns whether three flags, T or F with any letters after them, follow the positions.
static bool has_flags(const char *rest) {
    for (int k = 0; k < 3; k++) {
        while (trj_is_blank(*rest)) rest++;
        rest += *rest == '.';
        if (!*rest || !strchr("TtFf", *rest)) return false;
        while (*rest && !trj_is_blank(*rest)) rest++;
    }
    return true;
}

static int decode_velocities(struct trj_raw_frame *p, const struct trj_reader *r, struct trj_lines *l,
                             struct trj_error *err) {
    double v[3];
    bool wanted = r->internals->motion;
    if (wanted && trj_motion_resize(&p->frame.motion, TRJ_HAS_VELOCITY, p->frame.atoms, err)) return -1;
    if (wanted) p->frame.motion->unit = 1000; // Å/fs
    const struct positions *own = p->own;
    for (uint64_t i = 0; i < own->gap; i++)
        if (trj_lines_next(l, err) < 0) return -1;
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        int got = trj_lines_next(l, err);
        if (got <= 0) return got; // the file is truncated, which was reported
        if (!read_numbers(l, i, "velocity", v, err)) return -1;
        for (int k = 0; wanted && picked != TRJ_NOT_PICKED && k < 3; k++)
            p->frame.motion->velocity[k][picked] = (float)v[k];
    }
    return 0;
}

static int poscar_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    const struct positions *own = p->own;
    struct poscar *s = r->internals->state;
    const double(*h)[3] = (const double(*)[3])p->frame.cell.h;
    double v[3];
    float x[3];
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (trj_lines_next(&l, err) < 0) return -1;
        const char *rest = read_numbers(&l, i, "position", v, err);
        if (!rest) return -1;
        if (own->flags && !s->incomplete && !has_flags(rest)) { // the only frame is decoded while the file is opened
            s->incomplete = true;
            s->flag_line = l.number;
        }
        for (int k = 0; k < 3; k++)
            x[k] = (float)(own->direct ? v[0] * h[0][k] + v[1] * h[1][k] + v[2] * h[2][k] : v[k] * own->scale[k]);
        trj_text_put(&p->frame, picked, x);
    }
    return own->velocities ? decode_velocities(p, r, &l, err) : 0;
}

static bool poscar_is(const unsigned char *head, size_t n) {
    return trj_poscar_is((const char *)head, n);
}

static int poscar_open(struct trj_reader *r, struct trj_error *err) {
    r->motion_source[TRJ_MOTION_VELOCITY] = (struct trj_motion_source){TRJ_VELOCITY_UNIT, "POSCAR, Angstrom/fs"};
    if (trj_text_open(r, sizeof(struct poscar), read_raw_frame, err)) return -1;
    struct poscar *s = r->internals->state;
    const struct positions *own = s->text.first.own;
    if (own->velocities) r->holds = TRJ_HAS_VELOCITY;
    snprintf(r->dialect, sizeof r->dialect, "POSCAR of VASP %s, %s%s", s->head.named ? "5" : "4",
             own->direct ? "direct" : "Cartesian", own->flags ? ", selective dynamics" : "");
    if (!s->incomplete) return 0;
    snprintf(s->note, sizeof s->note,
             "line %llu: three flags T or F of selective dynamics are expected after the position; flags are ignored",
             (unsigned long long)s->flag_line);
    r->note = s->note;
    r->note_stays = true;
    return 0;
}

static int poscar_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static void poscar_close(struct trj_reader *r) {
    struct poscar *s = r->internals->state;
    if (s) trj_vasp_head_free(&s->head);
    trj_text_close(r);
}

static const struct trj_format_ops ops = {
    .is = poscar_is,
    .open = poscar_open,
    .read_raw = poscar_read_raw,
    .decode = poscar_decode,
    .own = sizeof(struct positions),
    .motion = TRJ_HAS_VELOCITY,
    .frame_topology = trj_text_frame_topology,
    .close = poscar_close,
};

const struct trj_format trj_format_poscar = {
    .name = "poscar",
    .help = "POSCAR and CONTCAR of VASP 4 and later, with velocities",
    .endings = {".poscar", ".contcar", ".vasp"},
    .listed_endings = {"POSCAR", "CONTCAR"},
    .topology = "POSCAR",
    .ops = &ops,
};
