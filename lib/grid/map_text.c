// SPDX-License-Identifier: MIT
// Contains what the formats of maps share: notes, and the reading, printing and checking of numbers.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_format_parts.h"
#include "map_unit.h"
#include "memory.h"
#include "number.h"

void trj_map_note(struct trj_map_notes *notes, const char *format, ...) {
    char text[sizeof notes->text[0]];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (size_t i = 0; i < notes->count; i++)
        if (!strcmp(notes->text[i], text)) return;
    if (notes->count < TRJ_MAP_NOTES) memcpy(notes->text[notes->count++], text, sizeof text);
}

const char *trj_map_meaning_text(enum trj_map_meaning meaning) {
    static const char *const texts[] = {"samples at the points", "means over the voxels", "totals over the voxels"};
    return texts[meaning];
}

const char *trj_map_title(char text[TRJ_MAP_TITLE], const struct trj_map *m) {
    const char *quantity = m->quantity && *m->quantity ? m->quantity : "map", *unit = m->unit ? m->unit : "";
    snprintf(text, TRJ_MAP_TITLE, "%s%s%s", quantity, *unit ? ", " : "", unit);
    return text;
}

const char *trj_map_bound_text(char text[TRJ_MAP_BOUND_TEXT], const struct trj_map *m) {
    char number[TRJ_DECIMAL_CAPACITY + 1];
    *text = 0;
    if (!(m->error_bound > 0)) return text;
    number[trj_print_general(number, 3, 1.005 * m->error_bound)] = 0; // rounded up
    snprintf(text, TRJ_MAP_BOUND_TEXT, "; error bound before rounding %s", number);
    return text;
}

int trj_map_set_orbital(struct trj_map *m, const char *unit, struct trj_error *err) {
    struct trj_map_unit u = trj_map_unit_parse(unit);
    if (!trj_map_unit_is_of_orbital(&u)) return 0;
    trj_map_free(m);
    m->quantity = trj_copy_text("orbital", err);
    m->unit = m->quantity ? trj_copy_text(unit, err) : NULL;
    return m->unit ? 0 : -1;
}

int trj_map_fail_value(const char *format, double v, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s files cannot contain the value %g; write npy or trjg, or replace it with mapmath --fill",
                    format, v);
}

// trj_print_general rounds to the same digits, but omits trailing zeros, and the exponent of numbers near 1.
size_t trj_print_scientific(char to[TRJ_DECIMAL_CAPACITY], unsigned digits, char letter, double v) {
    char text[TRJ_DECIMAL_CAPACITY + 1], found[TRJ_DECIMAL_CAPACITY + 1] = "0";
    unsigned count = 0;
    int exponent = 0, point = 0; // exponent of the text; digits before the point, without leading zeros
    bool after = false;
    text[trj_print_general(text, digits, v)] = 0;
    const char *p = text;
    p += *p == '-';
    for (; *p && *p != 'e'; p++) {
        after = after || *p == '.';
        if (*p == '.') continue;
        if (count || *p != '0') {
            found[count++] = *p;
            point += !after;
        } else {
            point -= after;
        }
    }
    if (*p == 'e') exponent = (int)strtol(p + 1, NULL, 10);
    exponent = count ? exponent + point - 1 : 0;
    while (count < digits) found[count++] = '0';
    return (size_t)snprintf(to, TRJ_DECIMAL_CAPACITY, "%s%c.%.*s%c%+03d", signbit(v) ? "-" : "", found[0],
                            (int)digits - 1, found + 1, letter, exponent);
}

int trj_map_numbers_check(struct trj_input *in, uint64_t n, struct trj_error *err) {
    // In a small file, reading reports a missing value with the number of its line.
    return n < 1 << 20 ? 0 : trj_input_check_left(in, 2 * n, "the values", err);
}

int trj_map_numbers_next(struct trj_map_numbers *t, double *value, uint64_t done, uint64_t all, struct trj_error *err) {
    char none[1] = "", *p = t->rest ? t->rest : none;
    while (!*p) {
        int rc = trj_lines_next(t->lines, err);
        if (rc < 0) return -1;
        if (!rc)
            return trj_fail(err, TRJ_BAD_DATA, "line %llu: truncated: expected %llu values, found %llu",
                            (unsigned long long)t->lines->number, (unsigned long long)all, (unsigned long long)done);
        p = t->lines->text;
        while (trj_is_blank(*p)) p++;
    }
    const char *end = trj_scan_fortran(p, value);
    if (!end || (*end && !trj_is_blank(*end)))
        return trj_lines_fail(t->lines, err, "value %llu is not a number: '%.20s'", (unsigned long long)done, p);
    if (!isfinite(*value))
        return trj_lines_fail(t->lines, err, "value %llu is too large: '%.20s'", (unsigned long long)done, p);
    t->last = p;
    t->rest = p + (end - p);
    t->blank = *end;
    while (trj_is_blank(*t->rest)) t->rest++;
    return 0;
}

int trj_map_numbers_end(struct trj_map_numbers *t, struct trj_error *err) {
    if (t->rest && *t->rest)
        return trj_lines_fail(t->lines, err, "more values than the header gives: '%.20s'", t->rest);
    if (t->last && !t->blank && !trj_lines_has_newline(t->lines))
        return trj_lines_fail(t->lines, err,
                              "truncated: the last value has no line end, so that digits may be missing");
    return 0;
}

float trj_map_half(uint16_t v) {
    int exponent = v >> 10 & 31;
    float m = (float)(v & 1023), value = INFINITY;
    if (exponent == 31 && (v & 1023)) value = NAN;
    if (exponent < 31) value = exponent ? ldexpf(m + 1024, exponent - 25) : ldexpf(m, -24);
    return v >> 15 ? -value : value;
}

int trj_map_check_end(struct trj_map_reader *r, struct trj_error *err) {
    const unsigned char *head;
    size_t got;
    if (trj_input_peek(r->in, &head, 1, &got, err)) return -1;
    return got ? trj_fail(err, TRJ_BAD_DATA, "byte %llu: the file is longer than its header states",
                          (unsigned long long)trj_input_offset(r->in))
               : 0;
}
