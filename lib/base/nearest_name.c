// SPDX-License-Identifier: MIT
// Computes the Damerau-Levenshtein distance, in which the swap of two letters, a common mistake, is one step. Capital
// and small letters are the same: MSD is msd.
#include "nearest_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Returns the number of letters to insert, delete or replace, or of neighbours to swap (Damerau-Levenshtein distance),
// or SIZE_MAX if a name has more than LONGEST_NAME characters.
static size_t distance(const char *a, const char *b) {
    enum { LONGEST_NAME = 63 };
    size_t row[3][LONGEST_NAME + 1], n = strlen(b), m = strlen(a);
    if (n > LONGEST_NAME || m > LONGEST_NAME) return SIZE_MAX;
    for (size_t k = 0; k <= n; k++) row[0][k] = k;
    for (size_t i = 0; i < m; i++) {
        size_t *next = row[(i + 1) % 3], *last = row[i % 3], *before = row[(i + 2) % 3];
        next[0] = i + 1;
        for (size_t k = 0; k < n; k++) {
            size_t min = last[k] + !same(a[i], b[k]);
            if (last[k + 1] + 1 < min) min = last[k + 1] + 1;
            if (next[k] + 1 < min) min = next[k] + 1;
            bool swapped = i && k && same(a[i], b[k - 1]) && same(a[i - 1], b[k]);
            if (swapped && before[k - 1] + 1 < min) min = before[k - 1] + 1;
            next[k + 1] = min;
        }
    }
    return row[m % 3][n];
}

const char *trj_nearest_name(const char *name, const char *const *names) {
    const char *best = NULL;
    size_t min = strlen(name) / 3 + 2; // a name at a greater distance is taken to be a different word
    for (; *names; names++) {
        size_t d = distance(name, *names);
        if (d < min) {
            min = d;
            best = *names;
        }
    }
    return best;
}
