// SPDX-License-Identifier: MIT
// Writes tables as tab-separated text. The errors are kept until the end of a row, because a row of a table has many
// fields of which any can fail, and a check of each would hide what is printed.
#include "table_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "decimal.h"

static void put(struct trj_table *t, const char *text, size_t n) {
    if (!t->failed) t->failed = trj_output_write(t->out, text, n, t->err) != 0;
}

// Begins a field, after the text `first` if it is the first one of its row.
static void begin_field(struct trj_table *t, const char *first) {
    if (t->fields++)
        put(t, "\t", 1);
    else if (!t->failed)
        t->failed = trj_output_print(t->out, t->err, "%s", first) != 0;
}

__attribute__((format(printf, 2, 0))) static void put_formatted(struct trj_table *t, const char *format, va_list args) {
    if (!t->failed) t->failed = trj_output_vprint(t->out, t->err, format, args) != 0;
}

void trj_table_comment(struct trj_table *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put(t, "# ", 2);
    put_formatted(t, format, args);
    put(t, "\n", 1);
    va_end(args);
}

void trj_table_provenance(struct trj_table *t, char *const *lines, size_t count) {
    for (size_t i = 0; i < count && (count != SIZE_MAX || lines[i]) && !t->failed; i++)
        t->failed = trj_output_print(t->out, t->err, TRJ_PROVENANCE_MARK "%s\n", lines[i]) != 0;
}

void trj_table_name(struct trj_table *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    begin_field(t, "# ");
    put_formatted(t, format, args);
    va_end(args);
}

int trj_table_columns(struct trj_table *t, const struct trj_table_column *columns, size_t count) {
    put(t, "# columns: ", 11);
    for (size_t i = 0; i < count && !t->failed; i++) {
        const struct trj_table_column *c = &columns[i];
        if (c->meaning)
            t->failed = trj_output_print(t->out, t->err, "%s%s%s%s", i ? "; " : "", c->meaning, c->unit ? " in " : "",
                                         c->unit ? c->unit : "") != 0;
    }
    put(t, "\n", 1);
    for (size_t i = 0; i < count; i++) trj_table_name(t, "%s", columns[i].name);
    return trj_table_end_row(t);
}

void trj_table_names(struct trj_table *t, const char *const *names) {
    for (; *names; names++) trj_table_name(t, "%s", *names);
}

void trj_table_text(struct trj_table *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    begin_field(t, "");
    put_formatted(t, format, args);
    va_end(args);
}

void trj_table_count(struct trj_table *t, uint64_t v) {
    trj_table_text(t, "%" PRIu64, v);
}

void trj_table_real(struct trj_table *t, unsigned digits, double v) {
    char text[TRJ_DECIMAL_CAPACITY];
    begin_field(t, "");
    if (isnan(v)) v = NAN; // 0 / 0 may have a sign
    put(t, text, trj_print_general(text, digits, v));
}

int trj_table_end_row(struct trj_table *t) {
    put(t, "\n", 1);
    t->fields = 0;
    return trj_table_status(t);
}

int trj_table_status(const struct trj_table *t) {
    return t->failed ? -1 : 0;
}
