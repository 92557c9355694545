// SPDX-License-Identifier: MIT
// Exact sums over points of two maps x and y, from which all scores follow (cor_score.h).
//
// x are integers of a quantum, such as blocks of a simulated density, and y are the integers of a struct cor_map. Sums
// of integers do not depend on the order of the points, on blocks or on threads.
#ifndef COR_SUMS_H
#define COR_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 cor_wide;

// Sums of the relative entropy, over the points where x and y, both with their offsets, are above 0.
struct cor_entropy {
    cor_wide x, y;
    cor_wide log; // of y ln(y / x), in units of 2^-16
};

struct cor_sums {
    uint64_t n; // points
    cor_wide x, y, xx, yy, xy;
    struct cor_entropy entropy;
};

void cor_sums_merge(struct cor_sums *to, const struct cor_sums *from);

enum { COR_BUFFER = 1024 };

// Adds rows of points. One adder is for one thread.
struct cor_adder {
    struct cor_sums sums;      // complete after cor_adder_flush
    bool only_x;               // n, y and yy are not added
    bool entropy;              // add the sums of the relative entropy
    bool overflow;             // a |x| was at least 2^43: the sums are invalid
    double x_offset, y_offset; // for the relative entropy
    size_t count;
    uint32_t x[COR_BUFFER], y[COR_BUFFER]; // points that were not added yet
};

// The points of a row.
struct cor_row {
    size_t n;
    const int64_t *x;          // [n]
    const uint32_t *y;         // [n]
    const unsigned char *mask; // [n] only points with 1 are added; the others have 0. NULL: all
    const int64_t *own;        // [n] only points with own[i] > above are added. NULL: all
    int64_t above;
};

void cor_adder_row(struct cor_adder *a, const struct cor_row *row);
void cor_adder_flush(struct cor_adder *a);
// Makes the sums zero, and keeps the options.
void cor_adder_reset(struct cor_adder *a);

#endif
