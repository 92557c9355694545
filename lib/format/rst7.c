// SPDX-License-Identifier: MIT
// Reads Amber's formatted restarts and input coordinates (rst7, inpcrd, restrt), which contain one frame:
//   a title, which may be blank,
//   the number of atoms; in restarts also the time in ps, optionally followed by the temperature,
//   coordinates in Å, in lines of six F12.7,
//   optionally velocities, in lines of the same form,
//   optionally a cell: three lengths and three angles in one line, 6F12.7; files of old programs lack the angles.
// (https://ambermd.org/FileFormats.php#restart)  No field states whether velocities and a cell follow: the number of
// lines decides. With one or two atoms, velocities take one line, like a cell.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amber_records.h"
#include "number.h"

static const struct trj_amber_layout layout = {.width = 12, .point = 4, .per_line = 6};

struct rst7 {
    struct trj_text text;
    bool done, velocities, cell; // the frame was read; its parts
};

static int read_head(struct trj_reader *r, struct trj_frame *f, uint64_t *count, struct trj_error *err) {
    struct rst7 *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    f->unit = 1;
    f->cell = (struct trj_cell){0};
    int got = trj_lines_next(l, err);
    if (got <= 0) return got;
    if (trj_text_line(&s->text, "the number of atoms", err)) return -1;
    char *rest = l->text, *word = trj_next_word(&rest);
    if (trj_text_count(r, word ? word : "", count, err)) return -1;
    if ((word = trj_next_word(&rest)) && !trj_parse_real(word, &f->time))
        return trj_lines_fail(l, err, "'%.40s' after the number of atoms is not a time", word);
    return 1;
}

// Returns whether the line can be a cell and cannot be velocities, whose values are of the order of 1 in units of Å per
// 0.0489 ps.
static bool is_cell(const struct trj_lines *l, size_t n) {
    const double min = 10; // degrees
    for (size_t k = 0; k < n; k++)
        if (trj_amber_number(&layout, l, k) < (k < 3 ? 0 : min)) return false;
    return n == 6;
}

// Reads all lines after the coordinates. It checks the form of velocity lines, and reads the line that can be the cell.
static int read_rest(struct trj_reader *r, struct trj_frame *f, uint64_t atoms, struct trj_error *err) {
    struct rst7 *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    uint64_t lines = trj_amber_lines(&layout, atoms), found = 0;
    size_t n = 0;
    // fits: all lines but the last have the form of velocities; likely: the last line has the form of a cell
    bool fits = true, likely = false;
    struct trj_error cell_error = {.status = TRJ_OK};
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        float v[TRJ_AMBER_PER_LINE];
        size_t length = trj_amber_length(l), expected = found + 1 == lines && atoms % 2 ? 3 : 6;
        if (!length) continue;
        if (found > lines)
            return trj_lines_fail(l, err,
                                  "a line after coordinates, velocities and cell, or the number of atoms is wrong");
        n = length == 3 * layout.width || length == 6 * layout.width ? length / layout.width : expected;
        if (trj_amber_line(&layout, l, n, v, err)) return -1;
        fits = fits && (found == lines || n == expected);
        likely = is_cell(l, n);
        cell_error.status = TRJ_OK;
        if (!found || found == lines) trj_amber_cell(&layout, l, n, &f->cell, &cell_error);
        found++;
    }
    if (got < 0) return -1;
    s->velocities = fits && (found > lines || (found == lines && !(lines == 1 && likely)));
    s->cell = found && found == (s->velocities ? lines + 1 : 1);
    // A file that was truncated after its first line of velocities, or within that line.
    bool truncated =
        s->cell && found == 1 && lines > 1 && f->cell.periodic && (n == 6 ? !likely : !trj_lines_has_newline(l));
    if (truncated || (found && !s->velocities && !s->cell))
        return trj_lines_fail(l, err, "the file ends after %llu of %llu lines of velocities", (unsigned long long)found,
                              (unsigned long long)lines);
    if (s->cell && cell_error.status != TRJ_OK && !trj_reader_ignores_cell(r, &f->cell)) {
        *err = cell_error;
        return -1;
    }
    if (!s->cell) f->cell = (struct trj_cell){0};
    if (s->cell && n == 3) r->note = "the restart has no angles of the cell: they are assumed to be 90 degrees";
    if (s->cell && atoms == 2 && n == 6 && found == 1)
        r->note = "the last line is assumed to be the cell: velocities of two atoms would have six numbers, too";
    return 0;
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct rst7 *s = r->internals->state;
    uint64_t count = 0, lines, taken;
    if (s->done) return 0;
    int got = read_head(r, &p->frame, &count, err);
    if (got <= 0) return got;
    lines = trj_amber_lines(&layout, count);
    p->rows = (size_t)count;
    if (trj_text_take_lines(r, p, lines, &taken, err)) return -1;
    if (taken < lines) {
        p->rows = (size_t)taken * 2;
        return trj_text_fail_short(&s->text, taken * 2, count, err);
    }
    s->done = true;
    return read_rest(r, &p->frame, count, err) ? -1 : 1;
}

static int rst7_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_amber_decode(&layout, r, p, err);
}

// Detects the format: the second line is a number, optionally with a time, and the third line has numbers in twelve
// columns.
static bool rst7_is(const unsigned char *head, size_t n) {
    const unsigned char *end = head + n, *first = memchr(head, '\n', n), *second = first ? first + 1 : NULL, *third;
    char line[100], *rest = line, *word;
    uint64_t atoms;
    double time;
    if (!second || !(third = memchr(second, '\n', (size_t)(end - second)))) return false;
    size_t length = (size_t)(third++ - second);
    if (length >= sizeof line) return false;
    if (length && second[length - 1] == '\r') length--;
    trj_field((const char *)second, length, 0, sizeof line - 1, line);
    if (!(word = trj_next_word(&rest)) || !trj_parse_u64(word, &atoms) || !atoms) return false;
    while ((word = trj_next_word(&rest)))
        if (!trj_parse_real(word, &time)) return false;
    return trj_amber_count(&layout, third, end, layout.per_line) >= (atoms == 1 ? 3 : 6);
}

static int rst7_open(struct trj_reader *r, struct trj_error *err) {
    int rc = trj_text_open(r, sizeof(struct rst7), read_raw_frame, err);
    const struct rst7 *s = r->internals->state;
    if (!rc)
        snprintf(r->dialect, sizeof r->dialect, "Amber restart, %svelocities, %scell", s->velocities ? "" : "no ",
                 s->cell ? "" : "no ");
    return rc;
}

static int rst7_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static const struct trj_format_ops ops = {
    .is = rst7_is,
    .open = rst7_open,
    .read_raw = rst7_read_raw,
    .decode = rst7_decode,
    .close = trj_text_close,
};

const struct trj_format trj_format_rst7 = {
    .name = "rst7",
    .help = "Amber's formatted restart or input coordinates, with or without velocities and cell",
    .endings = {".rst7", ".inpcrd", ".restrt"},
    .ops = &ops,
};
