// SPDX-License-Identifier: MIT
// Reads XDATCAR of VASP (vasp_records.h): after the head, frames with a line "Direct configuration=   12" before their
// fractional positions, or a blank line (VASP 5.2). If the cell varies, the head is repeated before each frame. Files
// that join both kinds are read, too. The number in the line is the step; the file contains no time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "text_format.h"
#include "vasp_records.h"

struct xdatcar {
    struct trj_text text;
    struct trj_vasp_head head, first;      // of the frame read last, and of frame 0
    bool blank;                            // frames are separated by blank lines
    char difference[TRJ_IDENTITY_MESSAGE]; // of the species from those of frame 0, in the current head
};

// Describes the first atom whose species differs from that in frame 0.
static void compare_species(struct xdatcar *s) {
    const struct trj_vasp_head *a = &s->head, *b = &s->first;
    uint64_t atom = 0, left_a = a->species[0].atoms, left_b = b->species[0].atoms; // left: of species i and j
    *s->difference = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (!left_a) {
            if (++i < a->count) left_a = a->species[i].atoms;
        } else if (!left_b) {
            if (++j < b->count) left_b = b->species[j].atoms;
        } else if (strcmp(a->species[i].name, b->species[j].name) != 0) {
            snprintf(s->difference, sizeof s->difference, "atom %llu: the name is %s, and %s in the first frame",
                     (unsigned long long)atom, a->species[i].name, b->species[j].name);
            return;
        } else {
            uint64_t same = left_a < left_b ? left_a : left_b;
            atom += same;
            left_a -= same;
            left_b -= same;
        }
    }
}

// Reads a head whose title is the current line, or, if `has_factor`, whose title was blank, and whose factor it is.
static int read_head(struct trj_reader *r, bool has_factor, struct trj_error *err) {
    struct xdatcar *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    if (!has_factor) trj_lines_repeat(l);
    if (has_factor ? trj_vasp_read_rest(&s->head, l, "", err) : trj_vasp_read_head(&s->head, l, err)) return -1;
    if (s->first.count) compare_species(s);
    return 0;
}

// Reads what precedes the positions. `head`: a head was read. *first: the current line is the first position already.
// Returns 1, 0 at the end, -1.
static int read_start(struct trj_reader *r, bool head, struct trj_frame *f, bool *first, struct trj_error *err) {
    struct xdatcar *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    double v[3];
    const char *number[3];
    f->step = TRJ_NO_STEP;
    *first = false;
    for (bool blank = false;;) { // a blank line was read
        int got = trj_lines_next(l, err);
        if (got < 0) return -1;
        if (!got && head) return trj_lines_fail(l, err, "the file ends after this line, before the positions");
        if (!got) return 0;
        if (trj_vasp_is_configuration(l->text, &f->step)) return 1;
        if (trj_vasp_is_blank(l->text)) {
            blank = true;
            continue;
        }
        // Three numbers after a blank line are a position, unless a head with a blank title and three factors is
        // possible, which VASP does not write.
        if (blank && (s->blank || head) && trj_vasp_scan(l->text, v, number)) {
            s->blank = *first = true;
            return 1;
        }
        const char *p = l->text + strspn(l->text, " \t");
        if (head) return trj_lines_fail(l, err, "'%.40s' where Direct configuration= is expected", p);
        bool factor = blank && trj_scan_real(p, &v[0]);
        if (read_head(r, factor, err)) return -1;
        head = true;
        blank = false;
    }
}

// Copies the species of the head to `first`.
static int keep_species(struct xdatcar *s, struct trj_error *err) {
    struct trj_vasp_head *to = &s->first;
    if (trj_grow(&to->species, &to->capacity, s->head.count, sizeof *to->species, "names of species", err)) return -1;
    memcpy(to->species, s->head.species, s->head.count * sizeof *to->species);
    to->count = s->head.count;
    return 0;
}

// Takes the lines of the atoms. `first`: the current line is that of the first one.
static int take_positions(struct trj_reader *r, struct trj_raw_frame *p, bool first, uint64_t atoms,
                          struct trj_error *err) {
    struct xdatcar *s = r->internals->state;
    uint64_t got;
    if (!first) return trj_text_take_atoms(r, p, atoms, err);
    if (trj_text_take_line(&s->text, p, err)) return -1;
    int rc = trj_text_take_lines(r, p, atoms - 1, &got, err);
    p->rows = (size_t)got + 1;
    return rc || p->rows == atoms ? rc : trj_text_fail_short(&s->text, p->rows, atoms, err);
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct xdatcar *s = r->internals->state;
    char count[24];
    uint64_t atoms;
    bool file_starts = !s->first.count, first;
    if (file_starts && (trj_vasp_read_head(&s->head, &s->text.lines, err) || keep_species(s, err))) return -1;
    int got = read_start(r, file_starts, &p->frame, &first, err);
    if (got <= 0) return got;
    snprintf(count, sizeof count, "%llu", (unsigned long long)s->head.atoms);
    if (trj_text_count(r, count, &atoms, err)) return -1;
    p->frame.time = NAN;
    p->frame.unit = 1;
    p->frame.cell = s->head.cell;
    memcpy(p->difference, s->difference, sizeof p->difference);
    return take_positions(r, p, first, atoms, err) ? -1 : 1;
}

static int read_atom(const struct trj_lines *l, const double h[3][3], size_t atom, float x[3], struct trj_error *err) {
    double v[3];
    const char *number[3], *rest = trj_vasp_scan(l->text, v, number);
    if (!rest)
        return trj_lines_fail(l, err, "atom %zu: '%.60s' where three numbers of a position are expected", atom,
                              l->text);
    if (!*rest && trj_lines_check_last_number(l, number, 3, err)) return -1;
    for (int k = 0; k < 3; k++) x[k] = (float)(v[0] * h[0][k] + v[1] * h[1][k] + v[2] * h[2][k]);
    return 0;
}

static int xdatcar_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    float x[3] = {0};
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (trj_lines_next(&l, err) < 0) return -1;
        if (trj_text_can_skip(&l, picked)) continue;
        if (read_atom(&l, (const double(*)[3])p->frame.cell.h, i, x, err)) return -1;
        trj_text_put(&p->frame, picked, x);
    }
    return 0;
}

static bool xdatcar_is(const unsigned char *head, size_t n) {
    return trj_xdatcar_is((const char *)head, n);
}

static int xdatcar_open(struct trj_reader *r, struct trj_error *err) {
    if (trj_text_open(r, sizeof(struct xdatcar), read_raw_frame, err)) return -1;
    const struct xdatcar *s = r->internals->state;
    snprintf(r->dialect, sizeof r->dialect, "XDATCAR of VASP%s",
             s->blank ? " 5.2, with blank lines before frames" : " 5, fractional positions");
    return 0;
}

static int xdatcar_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static void xdatcar_close(struct trj_reader *r) {
    struct xdatcar *s = r->internals->state;
    if (s) trj_vasp_head_free(&s->head);
    if (s) trj_vasp_head_free(&s->first);
    trj_text_close(r);
}

static const struct trj_format_ops ops = {
    .is = xdatcar_is,
    .open = xdatcar_open,
    .read_raw = xdatcar_read_raw,
    .decode = xdatcar_decode,
    .close = xdatcar_close,
};

const struct trj_format trj_format_xdatcar = {
    .name = "xdatcar",
    .help = "XDATCAR of VASP 5 and later, with a fixed or variable cell",
    .endings = {".xdatcar"},
    .listed_endings = {"XDATCAR"},
    .topology = "XDATCAR",
    .ops = &ops,
};
