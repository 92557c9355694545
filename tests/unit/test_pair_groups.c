// SPDX-License-Identifier: MIT
// The groups of points of the methods direct and mdh: they contain each point once, and the contributions of distant
// charges to them are within the error bounds of pair_term.h at the least distance and farther, in all directions.
#include "pair_block_shape.h"
#include "pair_class_rule.h"
#include "pair_groups.h"
#include "tap.h"
#include "uniform.h"
#include "vector_plain.h"

#define SPECIALISED static inline
#include "pair_far_term.h"

// Each lattice is one block, except {3, 2, 3}, whose blocks are single points.
static const struct trj_map_lattice lattices[] = {
    {{8, 8, 8}, {-3, 40, 7}, {{1, 0, 0}, {0, 0.7, 0}, {0, 0, 1.3}}, 0},
    {{9, 11, 9}, {0, 0, 0}, {{0.4, 0, 0}, {0, 0.4, 0}, {0, 0, 0.4}}, 0},
    {{11, 9, 10}, {1, 2, 3}, {{1.1, 0.2, -0.1}, {0.4, 0.9, 0.2}, {-0.2, 0.3, 1.2}}, 0},
    {{9, 9, 9}, {1, 2, 3}, {{0, 0, 1}, {0, 3, 0}, {0.3, 0, 0}}, 0},
    {{60, 2, 3}, {0, 0, 0}, {{0.1, 0, 0}, {0, 0.2, 0}, {0, 0, 0.1}}, 0},
    {{3, 61, 2}, {0, 0, 0}, {{0.5, 0.1, 0}, {0, 0.3, 0}, {0, 0.2, 0.5}}, 0},
    {{1, 1, 70}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 0.4}}, 0},
    {{17, 1, 19}, {0, 0, 0}, {{0.8, 0, 0}, {0, 1, 0}, {0, 0, 0.9}}, 0},
    {{17, 18, 3}, {0, 0, 0}, {{0.3, 0, 0}, {0.1, 0.4, 0}, {0, 0, 2}}, 0},
    {{3, 2, 3}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0},
    {{1, 1, 1}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0},
};

static struct pot_block block;
static struct pot_block_groups groups;
static struct pot_group_shape shape;
static struct pot_pair pair;

static struct pot_job job_of(const struct trj_map_lattice *l, enum pot_pair_kind kind) {
    return (struct pot_job){.method = kind == POT_PAIR_SCREENED ? POT_MDH : POT_DIRECT,
                            .distance_dielectric = kind == POT_PAIR_DIELECTRIC,
                            .quantum = 0x1p-40,
                            .lattice = *l,
                            .values = (size_t)trj_map_lattice_points(l)};
}

// Sets `pair`, and the block of a lattice with its groups. Kappa is in units of 1 / rho.
static void set(const struct trj_map_lattice *l, enum pot_pair_kind kind, double kappa) {
    struct pot_blocks blocks;
    struct pot_job job = job_of(l, kind);
    pot_blocks_set(&blocks, &job, l);
    pot_pair_set(&pair, &job);
    pot_group_shape_set(&shape, &pair, l, &blocks.region[0]);
    if (kind == POT_PAIR_SCREENED) {
        job.kappa = kappa / shape.radius;
        pot_pair_set(&pair, &job);
        pot_group_shape_set(&shape, &pair, l, &blocks.region[0]);
    }
    blocks.scale = pair.far_scale;
    pot_blocks_get(&blocks, 0, &block);
    pot_block_groups_set(&groups, &shape, &blocks, 0, &block);
}

static struct pot_pair_ranges ranges_of(void) {
    struct pot_pair_ranges r;
    pot_pair_ranges_set(&r, &pair, &block, shape.radius, false);
    return r;
}

// ---- shapes and ranges

static void test_shapes(void) {
    static unsigned char seen[POT_BLOCK_ROOM];
    for (size_t i = 0; i < sizeof lattices / sizeof *lattices; i++) {
        set(&lattices[i], POT_PAIR_PLAIN, 0);
        bool good = groups.count <= groups.filled && groups.filled <= POT_GROUP_ROOM;
        memset(seen, 0, sizeof seen);
        for (size_t g = 0; good && g < groups.count; g++)
            for (int m = 0; m < POT_GROUP; m++)
                if (groups.point[g][m] != POT_NO_POINT)
                    good = good && groups.point[g][m] < block.count && !seen[groups.point[g][m]]++;
        for (size_t p = 0; p < block.count; p++) good = good && seen[p] == 1;
        ok(good, "lattice %zu: %zu groups contain each of %zu points once", i, groups.count, block.count);
    }
}

static void test_ranges(void) {
    struct trj_map_lattice fine = lattices[1];
    for (int k = 0; k < 3; k++) fine.step[k][k] = 0.05;
    set(&fine, POT_PAIR_PLAIN, 0);
    struct pot_pair_ranges r = ranges_of();
    ok(POT_DISTANT_RANGE * shape.radius < 2 * block.near && r.distant2 == 4 * r.near2,
       "a fine lattice: charges are distant from twice the range of near ones");
    set(&lattices[0], POT_PAIR_SCREENED, 0.18);
    r = ranges_of();
    ok(isfinite(r.distant2) && sqrt(r.distant2) >= POT_DISTANT_RANGE * shape.radius * (1 - 1e-12),
       "kappa rho = 0.18: charges are distant from 31 rho");
    set(&lattices[0], POT_PAIR_SCREENED, 0.2);
    ok(isinf(ranges_of().distant2), "kappa rho = 0.2: no charge is distant");
    pot_pair_ranges_set(&r, &pair, &block, INFINITY, false);
    ok(isinf(r.distant2), "without groups, no charge is distant");
}

// ---- errors

// Sets a position whose distance from the box of the block is `distance`, in a direction that is random, or that of a
// diagonal.
static void place(double distance, bool diagonal, double x[3]) {
    double d[3], length = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = diagonal ? (uniform() < 0.5 ? -1 : 1) * (block.high[k] - block.low[k] + 1e-3) : uniform() - 0.5;
        length += d[k] * d[k];
    }
    for (int k = 0; k < 3; k++) {
        const double along = d[k] / sqrt(length) * distance;
        x[k] = along + (along > 0 ? block.high[k] : block.low[k]);
    }
}

static double exact_of(double r) {
    const double inverse = 1 / r;
    if (pair.kind == POT_PAIR_DIELECTRIC) return inverse * inverse;
    return pair.kind == POT_PAIR_SCREENED ? inverse * exp(-pair.kappa * r) : inverse;
}

// Returns |h| of pair_term.h.
static double h_of(const double centre[3], const double point[3], const double x[3]) {
    double square[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        square[0] += (centre[k] - x[k]) * (centre[k] - x[k]);
        square[1] += (point[k] - x[k]) * (point[k] - x[k]);
    }
    return fabs(1 - square[1] / square[0]);
}

// Adds the contributions of a charge of 1 at x to *worst, as the largest error relative to its bound, and to *h.
static void add_errors(const double bound, const double x[3], double *worst, double *h) {
    for (size_t g = 0; g < groups.count; g++) {
        float d[3];
        double centre[3];
        struct distant_shared shared;
        for (int k = 0; k < 3; k++) {
            d[k] = groups.local[k][g] - (float)((x[k] - block.centre[k]) * pair.far_scale);
            centre[k] = block.centre[k] + (double)groups.local[k][g] / pair.far_scale;
        }
        distant_centre(pair.kind, false, &shape, d, pair.far_square, (float)pair.distant_charge, &shared);
        for (int m = 0; m < POT_GROUP; m++) {
            const size_t p = groups.point[g][m];
            if (p == POT_NO_POINT) continue;
            const double at[3] = {block.position[0][p], block.position[1][p], block.position[2][p]};
            const double r = sqrt((at[0] - x[0]) * (at[0] - x[0]) + (at[1] - x[1]) * (at[1] - x[1]) +
                                  (at[2] - x[2]) * (at[2] - x[2]));
            // With M = 0, z is the contribution before its last rounding.
            const double z = distant_term(pair.kind, false, &shape, &shared, m, 0);
            const double rate = pair.kind == POT_PAIR_SCREENED ? POT_ERROR_SCREENED_RATE * pair.kappa * r : 0;
            *worst = fmax(*worst, fabs(z / exact_of(r) - 1) / (bound + rate + 0x1p-24));
            *h = fmax(*h, h_of(centre, at, x));
        }
    }
}

static void test_errors(void) {
    static const struct {
        const char *name;
        enum pot_pair_kind kind;
        double kappa, bound;
    } kinds[] = {{"plain", POT_PAIR_PLAIN, 0, POT_DISTANT_ERROR_PLAIN},
                 {"dielectric", POT_PAIR_DIELECTRIC, 0, POT_DISTANT_ERROR_DIELECTRIC},
                 {"screened, kappa rho = 0.01", POT_PAIR_SCREENED, 0.01, POT_DISTANT_ERROR_SCREENED},
                 {"screened, kappa rho = 0.189", POT_PAIR_SCREENED, 0.189, POT_DISTANT_ERROR_SCREENED}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double worst = 0, h = 0;
        for (size_t i = 0; i < sizeof lattices / sizeof *lattices; i++) {
            set(&lattices[i], kinds[k].kind, kinds[k].kappa);
            const double min = sqrt(ranges_of().distant2);
            for (int j = 0; j < 300; j++) {
                double x[3];
                place(min * (1 + 1e-9 + (j % 3 ? 0 : 4 * uniform())), j % 2, x);
                add_errors(kinds[k].bound, x, &worst, &h);
            }
        }
        ok(worst > 0.1 && worst < 1 && h > 0.05 && h < 0.0682,
           "%s: errors are at most %.2f of the bound; |h| is at most %.4f (0.0682)", kinds[k].name, worst, h);
    }
}

int main(void) {
    test_shapes();
    test_ranges();
    test_errors();
    return done();
}
