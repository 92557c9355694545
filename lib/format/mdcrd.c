// SPDX-License-Identifier: MIT
// Reads Amber's formatted trajectories: a title, then for each frame all x y z in lines of ten F8.3, and optionally a
// line with the three lengths of the cell. The file contains neither the number of atoms nor the angles of the cell.
// (https://ambermd.org/FileFormats.php#trajectory)
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amber_records.h"

static const struct trj_amber_layout layout = {.width = 8, .point = 4, .per_line = 10};

struct mdcrd {
    struct trj_text text;
    bool titled, has_box; // the title was read; frame 0 has a line of cell lengths
};

// Reads the cell. In frame 0, a line of three numbers shows that frames have one: the first line of coordinates has at
// least six numbers.
static int read_box(struct trj_reader *r, struct trj_cell *cell, struct trj_error *err) {
    struct mdcrd *m = r->internals->state;
    struct trj_lines *l = &m->text.lines;
    float v[TRJ_AMBER_PER_LINE];
    *cell = (struct trj_cell){0};
    if (!r->atoms) {
        int got = trj_lines_next(l, err);
        if (got <= 0) return got;
        m->has_box = trj_amber_length(l) == 3 * layout.width;
        if (m->has_box && !trj_input_line_has_newline(l->in))
            return trj_lines_fail(l, err, "the file ends here, without a newline: a cell, or truncated coordinates");
        trj_lines_repeat(l);
    }
    if (!m->has_box) return 0;
    if (trj_text_line(&m->text, "the lengths of the cell", err) || trj_amber_line(&layout, l, 3, v, err)) return -1;
    r->note = "an mdcrd has no angles of the cell: they are assumed to be 90 degrees";
    return !trj_amber_cell(&layout, l, 3, cell, err) || trj_reader_ignores_cell(r, cell) ? 0 : -1;
}

// Reads the first line of a frame. Blank lines at the end of the file are ignored.
static int read_first_line(struct mdcrd *m, struct trj_error *err) {
    struct trj_lines *l = &m->text.lines;
    int got;
    do got = trj_lines_next(l, err);
    while (got > 0 && !l->text[strspn(l->text, " \t")]);
    return got;
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct mdcrd *m = r->internals->state;
    uint64_t lines = trj_amber_lines(&layout, r->internals->expected), taken;
    if (!m->titled && trj_text_line(&m->text, "the title", err)) return -1;
    m->titled = true;
    int got = read_first_line(m, err);
    if (got <= 0) return got;
    p->rows = r->internals->expected;
    if (trj_text_take_line(&m->text, p, err) || trj_text_take_lines(r, p, lines - 1, &taken, err)) return -1;
    if (taken < lines - 1)
        return trj_text_fail_short(&m->text, (1 + taken) * layout.per_line / 3, r->internals->expected, err);
    if (read_box(r, &p->frame.cell, err)) return -1;
    p->frame.step = TRJ_NO_STEP;
    p->frame.time = NAN;
    p->frame.unit = 1;
    return 1;
}

static int mdcrd_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_amber_decode(&layout, r, p, err);
}

// Detects the format: the second line has numbers of eight columns, each with a point in column five.
static bool mdcrd_is(const unsigned char *head, size_t n) {
    const unsigned char *line = memchr(head, '\n', n);
    return line && trj_amber_count(&layout, line + 1, head + n, layout.per_line) >= 6;
}

static int mdcrd_open(struct trj_reader *r, struct trj_error *err) {
    if (r->internals->expected < 2)
        return trj_fail(err, TRJ_USAGE, "an mdcrd does not contain the number of atoms; give a topology%s",
                        r->internals->expected ? " with two atoms or more" : " with -t");
    int rc = trj_text_open(r, sizeof(struct mdcrd), read_raw_frame, err);
    const struct mdcrd *m = r->internals->state;
    if (!rc) snprintf(r->dialect, sizeof r->dialect, "Amber mdcrd, %s", m->has_box ? "lengths of the cell" : "no cell");
    return rc;
}

static int mdcrd_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static const struct trj_format_ops ops = {
    .is = mdcrd_is,
    .open = mdcrd_open,
    .read_raw = mdcrd_read_raw,
    .decode = mdcrd_decode,
    .close = trj_text_close,
};

const struct trj_format trj_format_mdcrd = {
    .name = "mdcrd",
    .help = "Amber's formatted trajectory; the topology gives the number of atoms",
    .endings = {".mdcrd"},
    .listed_endings = {".crd", ".trj"},
    .ops = &ops,
};
