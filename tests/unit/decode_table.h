// SPDX-License-Identifier: MIT
// Compares real files with shared/reference/decode.tsv, which contains what other programs decode.
#ifndef DECODE_TABLE_H
#define DECODE_TABLE_H

#include <stdint.h>

#include "reader_parts.h"
#include "tap.h"

static struct trj_error err;
static double table_tolerance = 1e-7; // of cells

static uint32_t crc32(const void *data, size_t n, uint32_t crc) {
    crc = ~crc;
    for (const unsigned char *p = data; n--; p++) {
        crc ^= *p;
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint32_t print_of(const struct trj_frame *f, float scale) {
    uint32_t crc = 0;
    for (size_t i = 0; i < f->atoms; i++) {
        float xyz[3] = {f->x[0][i] * scale, f->x[1][i] * scale, f->x[2][i] * scale};
        crc = crc32(xyz, sizeof xyz, crc);
    }
    return crc;
}

// The table is in the unit of the file. NetCDF numbers with a scale factor are multiplied by it in the table, in
// float32.
static bool row_is(const struct trj_reader *r, const struct trj_frame *f, char *column[]) {
    bool plain = f->unit == 1 || f->unit == 10 || r->format != &trj_format_netcdf;
    double unit = plain ? f->unit : 1;
    uint32_t crc = print_of(f, plain ? 1 : (float)f->unit);
    bool good = strtoul(column[3], NULL, 10) == f->atoms && strtoul(column[11], NULL, 16) == crc;
    // Other programs do not support cells that are periodic along two vectors only.
    if (!strcmp(column[12], "-")) return good && f->cell.periodic != TRJ_PERIODIC_ALL;
    for (int k = 0; k < 9; k++) {
        double h = unit * strtod(column[12 + k], NULL), got = f->cell.h[k / 3][k % 3];
        good = good && fabs(got - h) <= table_tolerance * fabs(h) + 1e-8;
    }
    return good && f->cell.periodic;
}

// A frame whose number of atoms differs from frame 0 is rejected. Frames after it cannot be reached without random
// access.
static bool is_refused(void) {
    return err.status == TRJ_BAD_DATA && has_text(err.text, " atoms, but ");
}

// Moves to a frame. Returns 1, 0 at the end, or -1.
static int go_to(struct trj_reader **r, const char *file, uint64_t frame) {
    uint64_t passed;
    if ((*r)->can_seek) return trj_reader_seek(*r, frame, &err);
    trj_reader_close(*r);
    *r = NULL;
    if (trj_reader_open(r, file, &err) || trj_reader_advance(*r, frame, &passed, &err)) return -1;
    return passed == frame;
}

// Checks all rows of the table whose file name has this ending.
__attribute__((unused)) static void check_table(const char *ending, unsigned wanted) {
    const char *shared = shared_folder();
    if (!shared) {
        skip("real files", "no folder shared/ beside the checkout");
        return;
    }
    char line[4096], file[4096], last[256] = "";
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    unsigned rows = 0, bad = 0;
    bool other = false; // an earlier frame of this file has another number of atoms
    snprintf(file, sizeof file, "%s/reference/decode.tsv", shared);
    FILE *table = fopen(file, "r");
    while (table && fgets(line, sizeof line, table)) {
        char *column[21] = {0};
        int n = 0;
        for (char *p = strtok(line, "\t\n"); p && n < 21; p = strtok(NULL, "\t\n")) column[n++] = p;
        if (n != 21 || strncmp(column[0], "shared/", 7)) continue;
        const char *dot = strrchr(column[0], '.');
        if (!dot || strcmp(dot, ending)) continue;
        if (strcmp(last, column[0])) {
            trj_reader_close(r);
            r = NULL;
            snprintf(last, sizeof last, "%s", column[0]);
            snprintf(file, sizeof file, "%s/data/%s", shared, column[0] + 7);
            if (trj_reader_open(&r, file, &err)) printf("# %s\n", err.text);
            uint64_t passed = 0;
            bool whole = r && !trj_reader_advance(r, UINT64_MAX / 2, &passed, &err);
            ok(whole ? passed == strtoul(column[2], NULL, 10) : r && is_refused(), "%s: %llu frames", last,
               (unsigned long long)passed);
            other = false;
        }
        rows++;
        uint64_t frame = strtoul(column[1], NULL, 10);
        int got = r ? go_to(&r, file, frame) : 0;
        if (got == 1) got = trj_reader_read(r, &f, &err);
        other = other || (r && strtoul(column[3], NULL, 10) != r->atoms);
        if (got == 1 ? row_is(r, &f, column) : got < 0 && other && is_refused()) continue;
        printf("# %s frame %s: %s\n", column[0], column[1], err.text);
        bad++;
    }
    ok(!bad && rows >= wanted, "%u frames of real files are as in other programs", rows);
    if (table) fclose(table);
    trj_reader_close(r);
    trj_frame_free(&f);
}

#endif
