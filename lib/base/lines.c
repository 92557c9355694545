// SPDX-License-Identifier: MIT
// Reads text lines in place in the buffer of the input, because copying each line would dominate the reading of text
// formats.
#include "lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

struct trj_lines trj_lines_in_memory(void *text, size_t size, uint64_t number) {
    return (struct trj_lines){.number = number,
                              .next = text,
                              .end = size ? (char *)text + size : text,
                              .zero = size ? memchr(text, 0, size) : NULL};
}

static int zero_byte(const struct trj_lines *l, struct trj_error *err) {
    return trj_lines_fail(l, err, "a zero byte in a text file");
}

static int next_in_memory(struct trj_lines *l, struct trj_error *err) {
    if (l->next == l->end) return 0;
    char *newline = memchr(l->next, '\n', (size_t)(l->end - l->next)), *stop = newline ? newline : l->end;
    l->text = l->next;
    l->next = newline ? newline + 1 : l->end;
    l->newline = newline != NULL;
    l->number++;
    if (stop > l->text && stop[-1] == '\r') stop--;
    *stop = 0;
    l->length = (size_t)(stop - l->text);
    return l->zero && l->zero < stop ? zero_byte(l, err) : 1;
}

bool trj_lines_has_newline(const struct trj_lines *l) {
    return l->in ? trj_input_line_has_newline(l->in) : l->newline;
}

static int copy_line(struct trj_lines *l, struct trj_error *err) {
    struct trj_input_bytes *to = l->copy;
    if (trj_grow(&to->data, &to->capacity, to->size + l->length + 2, 1, "lines", err)) return -1;
    memcpy(to->data + to->size, l->text, l->length);
    to->size += l->length;
    if (trj_lines_has_newline(l)) to->data[to->size++] = '\n';
    return 1;
}

int trj_lines_next(struct trj_lines *l, struct trj_error *err) {
    if (l->again) {
        l->again = false;
        return l->copy && !l->copy->size ? copy_line(l, err) : 1;
    }
    if (!l->in) return next_in_memory(l, err);
    int got = trj_input_line(l->in, &l->text, &l->length, err);
    if (got <= 0) return got;
    l->number++;
    if (memchr(l->text, 0, l->length)) return zero_byte(l, err);
    return l->copy ? copy_line(l, err) : 1;
}

void trj_lines_repeat(struct trj_lines *l) {
    l->again = true;
}

int trj_lines_fail(const struct trj_lines *l, struct trj_error *err, const char *format, ...) {
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return trj_fail(err, TRJ_BAD_DATA, "line %llu: %.900s", (unsigned long long)l->number, text);
}

size_t trj_field(const char *text, size_t length, size_t from, size_t width, char *field) {
    size_t begin = from < length ? from : length, end = length - begin > width ? begin + width : length;
    while (begin < end && trj_is_blank(text[begin])) begin++;
    while (begin < end && trj_is_blank(text[end - 1])) end--;
    memcpy(field, text + begin, end - begin);
    field[end - begin] = 0;
    return end - begin;
}

size_t trj_lines_field(const struct trj_lines *l, size_t from, size_t width, char *field) {
    return trj_field(l->text, l->length, from, width, field);
}

bool trj_lines_has_word(const struct trj_lines *l, size_t from, size_t width) {
    size_t begin = from < l->length ? from : l->length, end = l->length - begin > width ? begin + width : l->length;
    while (begin < end && trj_is_blank(l->text[begin])) begin++;
    while (begin < end && trj_is_blank(l->text[end - 1])) end--;
    size_t n = 0;
    while (begin + n < end && !trj_is_blank(l->text[begin + n])) n++;
    return n && begin + n == end;
}

char *trj_next_word(char **rest) {
    char *word = *rest;
    while (trj_is_blank(*word)) word++;
    if (!*word) return NULL;
    char *end = word;
    while (*end && !trj_is_blank(*end)) end++;
    *rest = *end ? end + 1 : end;
    *end = 0;
    return word;
}

// ---- numbers that may be truncated

struct shape {
    size_t decimals, digits, exponent; // numbers of characters; `digits` does not count leading zeros
};

static struct shape shape_of(const char *p) {
    struct shape s = {0};
    bool point = false;
    p += *p == '-' || *p == '+';
    for (; (*p >= '0' && *p <= '9') || *p == '.'; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        s.decimals += point;
        s.digits += s.digits || *p != '0';
    }
    if (*p == 'e' || *p == 'E')
        while (*p && !trj_is_blank(*p)) p++, s.exponent++;
    return s;
}

void trj_number_style_add(struct trj_number_style *style, const char *number) {
    struct shape s = shape_of(number);
    if (style->seen++) {
        style->mixed = style->mixed || s.decimals != style->decimals || s.exponent != style->exponent;
    } else {
        style->decimals = s.decimals;
        style->exponent = s.exponent;
    }
}

int trj_lines_check_last_number(const struct trj_lines *l, const char *const number[], size_t n,
                                struct trj_error *err) {
    enum { EXPONENT = 4 }; // "e+10": most programs write at least two digits
    if (trj_lines_has_newline(l)) return 0;
    struct trj_number_style style = l->style ? *l->style : (struct trj_number_style){0};
    struct shape last = shape_of(number[n - 1]);
    size_t digits = 1;
    for (size_t i = 0; i + 1 < n; i++) {
        struct shape s = shape_of(number[i]);
        trj_number_style_add(&style, number[i]);
        if (s.digits > digits) digits = s.digits;
    }
    bool fixed = style.seen && !style.mixed && style.decimals, truncated;
    if (fixed)
        truncated = last.decimals != style.decimals || last.exponent != style.exponent;
    else
        truncated = last.exponent && last.exponent < EXPONENT;
    if (truncated)
        return trj_lines_fail(
            l, err,
            "the file ends here, without a newline, and its last number is short: it may be truncated; "
            "if it is complete, add the newline");
    if (l->doubt) *l->doubt = !fixed && (last.exponent || last.digits < digits);
    return 0;
}
