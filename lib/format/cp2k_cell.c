// SPDX-License-Identifier: MIT
// Reads files of cells side by side with the positions that they belong to. A restarted simulation repeats steps, so
// that lines are passed over until the requested step is found.
#include "cp2k_cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_beside.h"
#include "lines.h"
#include "memory.h"
#include "number.h"

struct trj_cp2k_cell {
    struct trj_lines lines;
};

int trj_cp2k_cell_open(struct trj_cp2k_cell **c, const char *positions, struct trj_error *err) {
    static const char part[] = "-pos-", ending[] = ".xyz";
    const char *slash = strrchr(positions, '/'), *found = NULL;
    for (const char *p = slash ? slash : positions; (p = strstr(p, part)); p++) found = p; // the last one
    size_t length = trj_unpacked_length(positions), before = found ? (size_t)(found - positions) : 0;
    *c = NULL;
    if (!found || length < before + sizeof part + sizeof ending - 2 ||
        strncmp(positions + length - (sizeof ending - 1), ending, sizeof ending - 1) != 0)
        return 0;
    const char *number = found + sizeof part - 1; // NAME-pos-1.xyz: NAME-1.cell
    size_t size = length + sizeof ".cell", digits = (size_t)(positions + length - (sizeof ending - 1) - number);
    struct trj_input *in = NULL;
    char *path = trj_alloc(size, 1, "a name", err);
    if (!path) return -1;
    snprintf(path, size, "%.*s-%.*s.cell", (int)before, positions, (int)digits, number);
    int rc = trj_open_beside(&in, path, positions, err);
    free(path);
    if (rc || !in) return rc;
    if ((*c = trj_alloc(1, sizeof **c, "a file of cells", err))) {
        (*c)->lines.in = in;
        return 0;
    }
    trj_input_close(in);
    return -1;
}

int trj_cp2k_cell_read(struct trj_cp2k_cell *c, int64_t step, struct trj_cell *cell, struct trj_error *err) {
    enum { STEP, TIME, VECTORS, VOLUME = VECTORS + 9, NUMBERS };
    double v[NUMBERS] = {0};
    const char *path = trj_input_name(c->lines.in);
    int got;
    while ((got = trj_lines_next(&c->lines, err)) > 0) {
        const char *p = c->lines.text + strspn(c->lines.text, " \t");
        if (!*p || *p == '#') continue;
        for (int k = 0; k < NUMBERS; k++) {
            while (trj_is_blank(*p)) p++;
            if (!(p = trj_scan_real(p, &v[k])) || (*p && !trj_is_blank(*p))) {
                trj_lines_fail(&c->lines, err, "expected step, time, nine numbers of the cell and its volume");
                return trj_fail_at(err, "%s", path);
            }
        }
        if (v[STEP] != (double)step) continue;
        for (int k = 0; k < 9; k++) cell->h[k / 3][k % 3] = v[VECTORS + k];
        cell->periodic = TRJ_PERIODIC_ALL;
        return 0;
    }
    if (got < 0) return trj_fail_at(err, "%s", path);
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s: contains no cell of step %lld; write cells and positions at the same steps, or give the cell "
                    "with -c",
                    path, (long long)step);
}

void trj_cp2k_cell_close(struct trj_cp2k_cell *c) {
    if (!c) return;
    trj_input_close(c->lines.in);
    free(c);
}
