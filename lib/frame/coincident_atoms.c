// SPDX-License-Identifier: MIT
// Finds atoms at one place in a sample of the atoms, so that the search costs little in large frames.
#include "coincident_atoms.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1024, MIN_SHARED = 3 };

static int compare_places(const void *a, const void *b) {
    const float *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
}

size_t trj_frame_coincident(const struct trj_frame *f, double place[3]) {
    float sample[SAMPLE][3];
    const float *found = NULL;
    size_t n = f->atoms < SAMPLE ? f->atoms : SAMPLE, most = MIN_SHARED - 1, count = 0;
    if (f->packed_only || n < MIN_SHARED) return 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) sample[i][k] = f->x[k][i * f->atoms / n];
    qsort(sample, n, sizeof *sample, compare_places);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !compare_places(sample[i], sample[end]);) end++;
        if (end - i <= most) continue;
        most = end - i;
        found = sample[i];
    }
    if (!found) return 0;
    for (size_t i = 0; i < f->atoms; i++)
        count += f->x[0][i] == found[0] && f->x[1][i] == found[1] && f->x[2][i] == found[2];
    for (int k = 0; k < 3; k++) place[k] = (double)found[k] * f->unit;
    return count;
}
