// SPDX-License-Identifier: MIT
// Decodes the headers that NetCDF and text files of AMBER share, because both state numbers in fixed columns.
#include "amber_records.h"

#include <string.h>

#include "number.h"

// Returns the length of the line without blanks at its end, but at least `min`.
static size_t trimmed(const struct trj_lines *l, size_t min) {
    size_t length = l->length;
    while (length > min && trj_is_blank(l->text[length - 1])) length--;
    return length;
}

size_t trj_amber_length(const struct trj_lines *l) {
    return trimmed(l, 0);
}

uint64_t trj_amber_lines(const struct trj_amber_layout *layout, uint64_t atoms) {
    return (3 * atoms + layout->per_line - 1) / layout->per_line;
}

int trj_amber_line(const struct trj_amber_layout *layout, const struct trj_lines *l, size_t n,
                   float v[TRJ_AMBER_PER_LINE], struct trj_error *err) {
    size_t length = trimmed(l, n * layout->width);
    if (length != n * layout->width)
        return trj_lines_fail(l, err, "%zu columns, expected %zu for %zu numbers, or the number of atoms is wrong",
                              length, n * layout->width, n);
    for (size_t k = 0; k < n; k++) {
        char text[TRJ_AMBER_WIDTH + 1];
        if (trj_scan_columns(l->text + k * layout->width, layout->width, &v[k])) continue;
        trj_lines_field(l, k * layout->width, layout->width, text);
        const char *end = trj_scan_float(text, &v[k]);
        if (!end || *end)
            return trj_lines_fail(l, err, "'%s' in columns %zu-%zu is not a number", text, k * layout->width + 1,
                                  (k + 1) * layout->width);
    }
    return 0;
}

double trj_amber_number(const struct trj_amber_layout *layout, const struct trj_lines *l, size_t k) {
    char text[TRJ_AMBER_WIDTH + 1];
    double value = 0;
    trj_lines_field(l, k * layout->width, layout->width, text);
    trj_scan_real(text, &value);
    return value;
}

int trj_amber_decode(const struct trj_amber_layout *layout, const struct trj_reader *r, struct trj_raw_frame *p,
                     struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    size_t left = 3 * p->rows, atom = 0, axis = 0;
    float v[TRJ_AMBER_PER_LINE] = {0};
    for (int got; left; left -= left < layout->per_line ? left : layout->per_line) {
        size_t n = left < layout->per_line ? left : layout->per_line;
        if ((got = trj_lines_next(&l, err)) < 0) return -1;
        if (!got) return 0; // the frame is incomplete
        if (trj_amber_line(layout, &l, n, v, err)) return -1;
        for (size_t k = 0; k < n; k++) {
            uint32_t picked = trj_text_picked_index(r, atom);
            if (picked != TRJ_NOT_PICKED) p->frame.x[axis][picked] = v[k];
            atom += axis == 2;
            axis = (axis + 1) % 3;
        }
    }
    return 0;
}

int trj_amber_cell(const struct trj_amber_layout *layout, const struct trj_lines *l, size_t n, struct trj_cell *cell,
                   struct trj_error *err) {
    double v[6] = {0, 0, 0, 90, 90, 90}, cosine[3];
    *cell = (struct trj_cell){0};
    for (size_t k = 0; k < n && k < 6; k++) v[k] = trj_amber_number(layout, l, k);
    if (v[0] == 0 && v[1] == 0 && v[2] == 0) return 0;
    for (int k = 0; k < 3; k++) {
        if (!(v[3 + k] > 0 && v[3 + k] < 180))
            return trj_lines_fail(l, err, "the cell has an angle of %g degrees; give the cell with trjcat --cell",
                                  v[3 + k]);
        cosine[k] = trj_cosine(v[3 + k]);
    }
    if (!trj_cell_set(cell, v, cosine, err)) return 0;
    trj_error_set_remedy(err, "give the cell with trjcat --cell");
    return trj_fail_at(err, "line %llu", (unsigned long long)l->number);
}

size_t trj_amber_count(const struct trj_amber_layout *layout, const unsigned char *line, const unsigned char *end,
                       size_t max_count) {
    size_t k = 0;
    for (; k < max_count && line < end && end - line >= (ptrdiff_t)layout->width; k++, line += layout->width) {
        if (*line == '\n' || *line == '\r') break;
        for (size_t i = 0; i < layout->width; i++)
            if (i == layout->point ? line[i] != '.' : !line[i] || !strchr("0123456789- ", line[i])) return 0;
    }
    return line < end && (*line == '\n' || *line == '\r' || *line == ' ') ? k : 0;
}
