// SPDX-License-Identifier: MIT
// Adds positions and their squares as integers, and adds such sums over segments.
//
// Squares are those of distances from an integer near the mean: of the squares of coordinates themselves, most digits
// would be those of the mean. In tables, this is the largest integer that is not above the mean, which follows from the
// sum of the positions, so that equal positions give equal sums.
#include "position_sums.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "sums.h"

#define UNIT     0x1p-36                                    // Å
#define FARTHEST 0x1p26                                     // Å, of a coordinate
enum { DISTANCE_MAX = 60, SQUARE_MAX = 124, SUM_MAX = 63 }; // powers of 2

struct obs_atom_sums {
    int64_t origin[3]; // the first position
    trj_wide sum[3];   // of the distances from it
    trj_wide square;   // of their squares
    bool begun;
};

int obs_exact_positions_open(struct obs_exact_positions *p, size_t count, struct trj_error *err) {
    p->count = count;
    return (p->atom = trj_alloc(count, sizeof *p->atom, "sums", err)) ? 0 : -1;
}

void obs_exact_positions_free(struct obs_exact_positions *p) {
    free(p->atom);
}

static int fail_range(struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "--sums: a position, or its fluctuation, is beyond the range of exact sums; "
                    "superpose frames, or leave --sums out");
}

int obs_exact_positions_add(struct obs_exact_positions *p, size_t atom, const double x[3], struct trj_error *err) {
    struct obs_atom_sums *s = &p->atom[atom];
    for (int k = 0; k < 3; k++) {
        if (!(fabs(x[k]) < FARTHEST)) return fail_range(err);
        const double scaled = x[k] / UNIT;
        const int64_t place = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
        if (!s->begun) s->origin[k] = place;
        const int64_t d = place - s->origin[k]; // both are below 2^62
        if (d > INT64_C(1) << DISTANCE_MAX || d < -(INT64_C(1) << DISTANCE_MAX)) return fail_range(err);
        s->sum[k] += d;
        s->square += (trj_wide)d * d;
    }
    s->begun = true;
    return s->square >> SQUARE_MAX ? fail_range(err) : 0;
}

// Sets *square, of distances from an integer, to that of distances from another one, which is lower by `shift`; sum is
// that of the distances, over n frames: sum (d + shift)^2 = sum d^2 + 2 shift sum d + n shift^2.
static bool move(trj_wide *square, trj_wide sum, uint64_t n, trj_wide shift) {
    trj_wide twice, once;
    return trj_wide_multiply(&twice, shift, 2) && trj_wide_multiply(&once, shift, (trj_wide)n) &&
           trj_wide_add_product(square, twice, sum) && trj_wide_add_product(square, once, shift);
}

int obs_exact_positions_sums(trj_wide sum[4], const struct obs_exact_positions *p, size_t atom, uint64_t frames,
                             struct trj_error *err) {
    const struct obs_atom_sums *s = &p->atom[atom];
    const trj_wide n = (trj_wide)frames;
    sum[3] = s->square;
    for (int k = 0; k < 3; k++) {
        sum[k] = s->sum[k] + n * s->origin[k];
        if (!move(&sum[3], s->sum[k], frames, s->origin[k] - trj_wide_floor(sum[k], n))) return fail_range(err);
    }
    return 0;
}

// -------------------------------------------------------------------------------------------------------------- tables

double obs_bfactor(double square) {
    return 8 * 3.14159265358979323846 * 3.14159265358979323846 / 3 * square;
}

// Returns what the mean exceeds the integer below it by, times n.
static trj_wide rest_of(trj_wide sum, uint64_t n) {
    return sum - (trj_wide)n * trj_wide_floor(sum, (trj_wide)n);
}

static void evaluate(double *value, const trj_wide *sum, uint64_t frames) {
    const double n = (double)frames;
    double squares = (double)sum[3];
    for (int k = 0; k < 3; k++) {
        const double rest = (double)rest_of(sum[k], frames);
        squares -= rest / n * rest;
    }
    const double square = fmax(squares / n, 0) * UNIT * UNIT;
    value[0] = sqrt(square);
    value[1] = obs_bfactor(square);
}

static bool is_valid(const trj_wide *sum, uint64_t frames) {
    const trj_wide largest = (trj_wide)frames << SUM_MAX;
    for (int k = 0; k < 3; k++)
        if (sum[k] > largest || sum[k] < -largest) return false;
    return sum[3] >= 0 && !(sum[3] >> SQUARE_MAX);
}

static bool add(trj_wide *to, uint64_t to_frames, const trj_wide *sum, uint64_t frames) {
    const trj_wide n = (trj_wide)to_frames + (trj_wide)frames;
    trj_wide square = sum[3];
    for (int k = 0; k < 3; k++) {
        const trj_wide all = to[k] + sum[k], mean = trj_wide_floor(all, n);
        if (!move(&to[3], rest_of(to[k], to_frames), to_frames, trj_wide_floor(to[k], (trj_wide)to_frames) - mean) ||
            !move(&square, rest_of(sum[k], frames), frames, trj_wide_floor(sum[k], (trj_wide)frames) - mean))
            return false;
        to[k] = all;
    }
    return trj_wide_add(&to[3], to[3], square) && !(to[3] >> SQUARE_MAX);
}

const struct obs_sum_kind obs_fluctuation_sums = {
    .name = "rmsf",
    .definition = "positions in units of 2^-36 Angstrom, and squares of their distances from the integers below their "
                  "means",
    .values = 2,
    .sums = 4,
    .column = {{"sum_x", "sums over frames", NULL},
               {"sum_y", NULL, NULL},
               {"sum_z", NULL, NULL},
               {"sum_square", NULL, NULL}},
    .same_rows = true,
    .evaluate = evaluate,
    .is_valid = is_valid,
    .add = add,
};
