// SPDX-License-Identifier: MIT
// Reads points from text or XYZ files, for potentials at positions that are no lattice.
#include "point_list.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cell.h"
#include "lines.h"
#include "memory.h"
#include "number.h"

enum { WORDS = 5 }; // more are not read

static size_t split(char *text, char *word[WORDS]) {
    size_t n = 0;
    while (n < WORDS && (word[n] = trj_next_word(&text)) && *word[n] != '#') n++;
    return n;
}

// Reads three numbers from `word`, and adds the point.
static int add(struct pot_point_list *l, const struct trj_lines *lines, char *const word[3], struct trj_error *err) {
    double x[3];
    for (int k = 0; k < 3; k++)
        if (!trj_parse_real(word[k], &x[k]) || fabs(x[k]) > TRJ_FARTHEST)
            return trj_lines_fail(lines, err, "'%s' is not a coordinate in Å", word[k]);
    if (trj_grow(&l->point, &l->capacity, l->count + 1, sizeof *l->point, "points", err)) return -1;
    for (int k = 0; k < 3; k++) l->point[l->count][k] = x[k];
    l->count++;
    return 0;
}

// Reads what follows the number of points of an XYZ file: a comment, and a name and a position in each line.
static int read_xyz(struct pot_point_list *l, struct trj_lines *lines, uint64_t count, struct trj_error *err) {
    char *word[WORDS];
    int got = trj_lines_next(lines, err);
    for (uint64_t i = 0; got > 0 && i < count; i++) {
        got = trj_lines_next(lines, err);
        if (got > 0 && split(lines->text, word) < 4)
            return trj_lines_fail(lines, err, "expected a name and three coordinates, as in the format XYZ");
        if (got > 0 && add(l, lines, word + 1, err)) return -1;
    }
    if (!got)
        return trj_fail(err, TRJ_BAD_DATA, "the file ends after %zu of %llu points", l->count,
                        (unsigned long long)count);
    while (got > 0 && (got = trj_lines_next(lines, err)) > 0)
        if (split(lines->text, word))
            return trj_lines_fail(lines, err, "text after the last of %llu points; a list of points is one XYZ frame",
                                  (unsigned long long)count);
    return got;
}

int pot_point_list_read(struct pot_point_list *l, struct trj_input *in, struct trj_error *err) {
    struct trj_lines lines = {.in = in};
    char *word[WORDS];
    uint64_t count;
    int got;
    while ((got = trj_lines_next(&lines, err)) > 0) {
        size_t n = split(lines.text, word);
        if (!n) continue;
        if (n == 1 && !l->count && trj_parse_u64(word[0], &count)) {
            got = read_xyz(l, &lines, count, err);
            break;
        }
        if (n != 3)
            return trj_lines_fail(&lines, err, "expected three coordinates in Å, found %zu%s field%s", n,
                                  n == WORDS ? " or more" : "", n == 1 ? "" : "s");
        if (add(l, &lines, word, err)) return -1;
    }
    if (got < 0) return -1;
    return l->count ? 0 : trj_fail(err, TRJ_BAD_DATA, "the file has no points; write lines of three coordinates in Å");
}

void pot_point_list_free(struct pot_point_list *l) {
    free(l->point);
}
