// SPDX-License-Identifier: MIT
// Amber's formatted trajectory: a title, then for each frame all x y z in lines of ten F8.3, and perhaps a line with the three
// lengths of the cell.  (https://ambermd.org/FileFormats.php#trajectory)  How many atoms there are is not in it, nor are the angles.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "text.h"

enum { WIDTH = 8, POINT = 4, PER_LINE = 10 };

struct mdcrd {
    struct trj_text text;
    bool titled, has_box; // what frame 0 has
};

// n numbers of eight columns each and nothing else. A line that was cut has fewer columns.
static int read_line(const struct trj_lines *l, size_t n, float v[PER_LINE], struct trj_error *err) {
    size_t length = l->length;
    while (length > n * WIDTH && trj_is_blank(l->text[length - 1])) length--;
    if (length != n * WIDTH)
        return trj_lines_bad(l, err, "%zu columns where %zu numbers should have %zu; or the number of atoms is wrong",
                             length, n, n * WIDTH);
    for (size_t k = 0; k < n; k++) {
        char text[WIDTH + 1];
        if (trj_scan_columns(l->text + k * WIDTH, WIDTH, &v[k])) continue;
        trj_lines_field(l, k * WIDTH, WIDTH, text);
        const char *end = trj_scan_float(text, &v[k]);
        if (!end || *end)
            return trj_lines_bad(l, err, "'%s' in columns %zu-%zu is not a number", text, k * WIDTH + 1,
                                 (k + 1) * WIDTH);
    }
    return 0;
}

// In frame 0 a line of three numbers shows that there is a box: coordinates begin with six at least.
static int read_box(struct trj_reader *r, struct trj_cell *cell, struct trj_error *err) {
    static const double right[3] = {0, 0, 0};
    struct mdcrd *m = r->state;
    struct trj_lines *l = &m->text.lines;
    float v[PER_LINE];
    *cell = (struct trj_cell){0};
    if (!r->atoms) {
        int got = trj_lines_next(l, err);
        if (got <= 0) return got;
        size_t length = l->length;
        while (length && trj_is_blank(l->text[length - 1])) length--;
        m->has_box = length == 3 * (size_t)WIDTH;
        if (m->has_box && !trj_input_line_ended(l->in))
            return trj_lines_bad(l, err, "the file ends here, without a newline: a cell, or coordinates that were cut");
        trj_lines_again(l);
    }
    if (!m->has_box) return 0;
    if (trj_text_line(&m->text, "the lengths of the cell", err) || read_line(l, 3, v, err)) return -1;
    r->note = "an mdcrd has no angles of the cell: they are taken for 90 degrees";
    double length[3];
    for (int k = 0; k < 3; k++) {
        char text[WIDTH + 1];
        trj_lines_field(l, (size_t)k * WIDTH, WIDTH, text);
        trj_scan_real(text, &length[k]);
    }
    return trj_cell_set(cell, length, right, err) ? trj_fail_at(err, "line %llu", (unsigned long long)l->number) : 0;
}

// The first line of a frame. Blank lines at the end of the file are none.
static int read_first(struct mdcrd *m, struct trj_error *err) {
    struct trj_lines *l = &m->text.lines;
    int got;
    do got = trj_lines_next(l, err);
    while (got > 0 && !l->text[strspn(l->text, " \t")]);
    return got;
}

static int cut_frame(struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    struct mdcrd *m = r->state;
    uint64_t lines = (3 * (uint64_t)r->expected - 1) / PER_LINE + 1, more;
    if (!m->titled && trj_text_line(&m->text, "the title", err)) return -1;
    m->titled = true;
    int got = read_first(m, err);
    if (got <= 0) return got;
    p->rows = r->expected;
    if (trj_text_take_line(&m->text, p, err) || trj_text_take_lines(r, p, lines - 1, &more, err)) return -1;
    if (more < lines - 1) return trj_text_short(&m->text, (1 + more) * PER_LINE / 3, r->expected, err);
    if (read_box(r, &p->frame.cell, err)) return -1;
    p->frame.step = TRJ_NO_STEP;
    p->frame.time = NAN;
    p->frame.unit = 1;
    return 1;
}

static int mdcrd_decode(const struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    size_t left = 3 * p->rows, atom = 0, axis = 0;
    float v[PER_LINE] = {0};
    for (int got; left; left -= left < PER_LINE ? left : PER_LINE) {
        size_t n = left < PER_LINE ? left : PER_LINE;
        if ((got = trj_lines_next(&l, err)) < 0) return -1;
        if (!got) return 0; // a part of a frame
        if (read_line(&l, n, v, err)) return -1;
        for (size_t k = 0; k < n; k++) {
            uint32_t slot = trj_text_slot(r, atom);
            if (slot != TRJ_NOT_PICKED) p->frame.x[axis][slot] = v[k];
            atom += axis == 2;
            axis = (axis + 1) % 3;
        }
    }
    return 0;
}

// The second line is one of numbers of eight columns: a point stands in each at one place.
static bool mdcrd_is(const unsigned char *head, size_t n) {
    const unsigned char *line = memchr(head, '\n', n), *end = head + n;
    size_t k = 0;
    if (!line) return false;
    line++;
    for (; k < PER_LINE && end - line >= WIDTH; k++, line += WIDTH) {
        if (*line == '\n' || *line == '\r') break;
        for (size_t i = 0; i < WIDTH; i++)
            if (i == POINT ? line[i] != '.' : !line[i] || !strchr("0123456789- ", line[i])) return false;
    }
    return k >= 6 && line < end && (*line == '\n' || *line == '\r' || *line == ' ');
}

static int mdcrd_open(struct trj_reader *r, struct trj_error *err) {
    if (r->expected < 2)
        return trj_fail(err, TRJ_USAGE, "an mdcrd does not say how many atoms it has: a topology must%s",
                        r->expected ? ", of two at least" : " (-t)");
    int rc = trj_text_open(r, sizeof(struct mdcrd), cut_frame, err);
    const struct mdcrd *m = r->state;
    if (!rc) snprintf(r->dialect, sizeof r->dialect, "Amber mdcrd, %s", m->has_box ? "lengths of the cell" : "no cell");
    return rc;
}

static int mdcrd_cut(struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    return trj_text_cut_next(r, p, cut_frame, err);
}

const struct trj_format trj_format_mdcrd = {
    .name = "mdcrd",
    .help = "Amber's formatted trajectory; the topology says how many atoms there are",
    .endings = {".mdcrd"},
    .is = mdcrd_is,
    .open = mdcrd_open,
    .cut = mdcrd_cut,
    .decode = mdcrd_decode,
    .close = trj_text_close,
};
