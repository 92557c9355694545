// SPDX-License-Identifier: MIT
// Compares files of ../shared/data-formats with decode.tsv and atoms.tsv, whose values were computed independently.
#ifndef FORMAT_VALUES_H
#define FORMAT_VALUES_H

#include <math.h>

#include "reader.h"
#include "topology_file.h"

#define SHARED "../shared/data-formats"

enum { DECODED = 17 }; // numbers of a row after the numbers of frames and atoms, without lengths and angles of the cell

static bool is_near(double got, double want, double tolerance) {
    return fabs(got - want) <= tolerance;
}

// Compares coordinates, which are float32, with x, y, z of the first and the last atom and two sums, and the cell.
static bool frame_has(const struct trj_frame *f, const double *want, bool cell) {
    double sum = 0, squares = 0, largest = 0;
    bool good = !cell == !f->cell.periodic;
    for (size_t i = 0; i < f->atoms; i++)
        for (int k = 0; k < 3; k++) {
            double x = (double)f->x[k][i] * f->unit;
            sum += x;
            squares += x * x;
            largest = fmax(largest, fabs(x));
            if (!i || i + 1 == f->atoms) good = good && is_near(x, want[i ? 3 + k : k], 1e-7 * fabs(x));
        }
    for (int k = 0; cell && k < 9; k++) good = good && is_near(f->cell.h[k / 3][k % 3], want[8 + k], 1e-6);
    return good && is_near(sum, want[6], 6e-8 * largest * 3 * (double)f->atoms) &&
           is_near(squares, want[7], 2e-7 * squares);
}

// Checks a row of decode.tsv: file, frame, frames, atoms, and the values.
static void check_row(char *line, const char *format) {
    char file[128], path[256];
    double want[DECODED] = {0};
    size_t atoms, frames;
    unsigned long long frame;
    int skipped;
    struct trj_error err;
    struct trj_reader *r;
    struct trj_frame f = {0};
    if (sscanf(line, "%127s %llu %zu %zu%n", file, &frame, &frames, &atoms, &skipped) != 4) return;
    char *rest = line + skipped;
    for (int k = 0; k < DECODED; k++) want[k] = strtod(rest, &rest);
    snprintf(path, sizeof path, SHARED "/%s", file);
    if (!ok(!trj_reader_open(&r, path, &err), "%s: opens", file)) return;
    uint64_t passed = 0;
    bool good = !strcmp(r->format->name, format) && r->atoms == atoms && !trj_reader_advance(r, frame, &passed, &err) &&
                trj_reader_read(r, &f, &err) == 1 && frame_has(&f, want, want[8] != 0);
    if (frame + 1 == frames) good = good && trj_reader_read(r, &f, &err) == 0;
    ok(good, "%s, frame %llu of %zu: %zu atoms, sum %.6f", file, frame, frames, atoms, want[6]);
    trj_frame_free(&f);
    trj_reader_close(r);
}

// Compares the names of the first and last atom, which follow five columns in atoms.tsv, and the segment.
static void check_names(char *line) {
    char *column[13] = {line}, path[256];
    size_t n = 1;
    for (char *p = line; n < 13 && (p = strchr(p, '\t')); n++) *p++ = 0, column[n] = p;
    if (n < 13) return;
    snprintf(path, sizeof path, SHARED "/%s", line);
    if (!strcmp(column[6], "-")) {
        struct trj_topology *none = NULL;
        struct trj_error err;
        ok(trj_topology_open(&none, path, &err) && err.status == TRJ_USAGE, "%s: no names: %s", line, err.text);
        return;
    }
    struct trj_topology *t = open_file(path);
    ok(t && t->atoms == strtoul(column[1], NULL, 10) && !strcmp(text_of(&t->name, 0), column[6]) &&
           !strcmp(text_of(&t->name, t->atoms - 1), column[7]) && !t->mass == !t->element.id,
       "%s: names", line);
    const char *segment = strstr(column[11], "segments=");
    if (t && segment) {
        const char *got = text_of(&t->segid, 0), *end = strchr(segment += strlen("segments="), ' ');
        size_t length = end ? (size_t)(end - segment) : strlen(segment);
        ok(strlen(got) == length && !strncmp(got, segment, length), "%s: segment '%s'", line, got);
    }
    trj_topology_close(t);
}

// Checks all rows of both tables whose file is in this folder.
__attribute__((unused)) static void check_values(const char *in, const char *format, size_t decoded, size_t named) {
    static const char *const tables[2] = {SHARED "/decode.tsv", SHARED "/atoms.tsv"};
    static char line[4096];
    for (int k = 0; k < 2; k++) {
        FILE *f = fopen(tables[k], "r");
        size_t rows = 0;
        if (!f) {
            skip(tables[k], "no folder shared/ beside the checkout");
            continue;
        }
        while (fgets(line, sizeof line, f)) {
            if (strncmp(line, in, strlen(in)) != 0 || line[strlen(in)] != '/') continue;
            rows++;
            if (k)
                check_names(line);
            else
                check_row(line, format);
        }
        fclose(f);
        ok(rows == (k ? named : decoded), "%s: %zu rows of %s", tables[k], rows, in);
    }
}

#endif
