// SPDX-License-Identifier: MIT
// The functions of the methods direct and mdh that are compiled for GPUs, too: the contributions that they compute one
// by one add up to the values of the engine cpu.
#include "pair_block_shape.h"
#include "pair_class_rule.h"
#include "pair_kernel.h"
#include "pair_near_term.h"
#include "pair_sum.h"
#include "tap.h"
#include "uniform.h"
#include "vector_plain.h"

#define SPECIALISED static
#include "pair_far_term.h"

enum { CHARGES = 400 };
static double position[CHARGES][3], charge[CHARGES], radius[CHARGES];
static uint32_t number[CHARGES];
static struct trj_error err;

static int64_t far_contribution(const struct pot_pair *p, const struct pot_block *b, size_t point, size_t j, unsigned k,
                                double q) {
    float d[3], magic = (float)(0x1.8p23 * p->quantum * (double)((uint64_t)1 << k));
    for (int c = 0; c < 3; c++) d[c] = b->local[c][point] - (float)((position[j][c] - b->centre[c]) * p->far_scale);
    float square = fmaf(d[0], d[0], fmaf(d[1], d[1], fmaf(d[2], d[2], p->far_square)));
    float z = far_term(p->kind, square, (float)(q * p->far_charge), magic);
    return (int64_t)(int32_t)(bits_of(z) - bits_of(magic)) * ((int64_t)1 << k);
}

static int64_t near_contribution(const struct pot_pair *p, const struct pot_block *b, size_t point, size_t j,
                                 unsigned k, double q) {
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = b->position[c][point] - position[j][c];
    double square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    return (int64_t)rint(pot_pair_near_inline(p, q / p->quantum, square, k == POT_SOFTENED));
}

static void add_distant(const struct pot_pair *p, const struct pot_block *b, const struct pot_block_groups *g, size_t j,
                        unsigned k, double q, int64_t *values) {
    const float magic = (float)(0x1.8p23 * p->quantum * (double)((uint64_t)1 << k));
    for (size_t i = 0; i < g->count; i++) {
        float d[3], z[POT_GROUP];
        for (int c = 0; c < 3; c++) d[c] = g->local[c][i] - (float)((position[j][c] - b->centre[c]) * p->far_scale);
        // The general code gives the same bytes for aligned edges.
        struct distant_shared shared;
        distant_centre(p->kind, false, g->shape, d, p->far_square, (float)(q * p->distant_charge), &shared);
        for (int m = 0; m < POT_GROUP; m++) z[m] = distant_term(p->kind, false, g->shape, &shared, m, magic);
        for (int m = 0; m < POT_GROUP; m++)
            if (g->point[i][m] != POT_NO_POINT)
                values[b->number[g->point[i][m]]] +=
                    (int64_t)(int32_t)(bits_of(z[m]) - bits_of(magic)) * ((int64_t)1 << k);
    }
}

static void add_block(const struct pot_job *job, const struct pot_pair *p, const struct pot_block *b,
                      const struct pot_block_groups *g, unsigned used[POT_CLASSES], int64_t *values) {
    struct pot_pair_ranges r;
    pot_pair_find_ranges(&r, p, b->half_diagonal, b->near, g->shape->radius, job->exact);
    for (size_t j = 0; j < CHARGES; j++) {
        double square = 0, q = pot_pair_charge(p, charge[j], radius[j]);
        for (int c = 0; c < 3; c++) {
            double d = pot_pair_outside(b->low[c], b->high[c], position[j][c]);
            square += d * d;
        }
        unsigned k = pot_pair_class(p, &r, q, square);
        used[k]++;
        if (k >= POT_DISTANT && k < POT_FLOAT32_CLASSES) {
            add_distant(p, b, g, j, k - POT_DISTANT, q, values);
            continue;
        }
        for (size_t i = 0; i < b->count && k != POT_NOTHING; i++)
            values[b->number[i]] +=
                k < POT_DISTANT ? far_contribution(p, b, i, j, k, q) : near_contribution(p, b, i, j, k, q);
    }
}

static void test_job(const char *name, bool with_distant, struct pot_job *job) {
    static struct pot_block block;
    static struct pot_block_groups groups;
    const struct pot_frame f = {.count = CHARGES,
                                .position = position,
                                .charge = charge,
                                .radius = job->method == POT_MDH ? radius : NULL,
                                .atom = number,
                                .lattice = job->lattice};
    struct pot_pair p;
    struct pot_blocks blocks;
    unsigned used[POT_CLASSES] = {0}, far = 0, distant = 0;
    const int64_t *values;
    void *state = NULL;
    job->atoms = CHARGES;
    job->threads = 1;
    job->values = (size_t)trj_map_lattice_points(&job->lattice);
    int64_t *sums = calloc(job->values, sizeof *sums);
    if (!sums || pot_direct_setup(job, CHARGES, charge, f.radius, &err) || pot_direct_cpu.open(&state, job, &err) ||
        pot_direct_cpu.add(state, &f, &err) || pot_direct_cpu.finish(state, &values, &err))
        abort();
    pot_pair_set(&p, job);
    pot_blocks_set(&blocks, job, &job->lattice);
    blocks.scale = p.far_scale;
    for (size_t i = 0; i < blocks.count; i++) {
        struct pot_group_shape shape;
        pot_blocks_get(&blocks, i, &block);
        pot_group_shape_set(&shape, &p, &job->lattice, &blocks.region[pot_block_find_region(&blocks, i)]);
        pot_block_groups_set(&groups, &shape, &blocks, i, &block);
        add_block(job, &p, &block, &groups, used, sums);
    }
    for (int k = 0; k < POT_DISTANT; k++) far += used[k];
    for (int k = POT_DISTANT; k < POT_FLOAT32_CLASSES; k++) distant += used[k];
    ok(!memcmp(sums, values, job->values * sizeof *sums) && (distant > 0) == with_distant,
       "%s: sums equal those of the engine cpu; %u distant, %u far, %u near, %u softened, %u omitted", name, distant,
       far, used[POT_NEAR], used[POT_SOFTENED], used[POT_NOTHING]);
    pot_direct_cpu.close(state);
    free(sums);
}

// far_term with M = 0 returns z = q / r' before its last rounding to a multiple of a quantum, for an exact r2.
static void test_far_root(void) {
    double worst = 0;
    for (uint32_t bits = 0x3f800000; bits < 0x40800000; bits++) {
        const float x = float_of(bits), z = far_term(POT_PAIR_PLAIN, x, 1, 0);
        worst = fmax(worst, fabs(z * sqrt(x) / POT_FAR_ROOT_FACTOR - 1));
    }
    ok(worst > 0x1p-24 && worst < 4.5 * 0x1p-24, "1/sqrt(x) has a relative error of at most %.2f * 2^-24 (4.5)",
       worst * 0x1p24);
}

// x is kappa r'. The root and two products have errors of 2.5 u + 2 u, the exponential 4.9 u, and the exponent (2.5 u +
// 1.2 u) x. The last operation adds u.
static void test_far_exponential(void) {
    const double factor = POT_FAR_ROOT_FACTOR * POT_FAR_EXP2_FACTOR, log2_e = POT_LOG2_E * POT_FAR_STEP;
    double worst = 0, max = 0;
    for (int i = 0; i < 20000000; i++) {
        const double t = i < 10000000 ? 1e-7 * i : 8e-6 * (i - 10000000) + 1e-6,
                     root = (t + 1e-7) * log2_e / POT_FAR_ROOT_FACTOR;
        const float square = (float)(root * root), z = far_term(POT_PAIR_SCREENED, square, 1, 0);
        const double r = sqrt(square), x = r * POT_FAR_ROOT_FACTOR / log2_e;
        const double error = fabs(z * r / (factor * exp(-x)) - 1) * 0x1p24;
        worst = fmax(worst, error / (10.4 + 3.7 * x));
        max = fmax(max, error * exp(-x));
    }
    ok(max > 1 && max < 10.4 && worst < 1,
       "exp(-x)/x has an error of at most %.2f * 2^-24 / x (10.4), and %.2f of the bound", max, worst);
}

int main(void) {
    static const struct trj_map_lattice
        orthogonal = {{19, 27, 13}, {-3, 40, 7}, {{1, 0, 0}, {0, 0.7, 0}, {0, 0, 1.3}}, 0},
        skew = {{17, 12, 21}, {1, 2, 3}, {{1.1, 0.2, -0.1}, {0.4, 0.9, 0.2}, {-0.2, 0.3, 1.2}}, 0};
    for (size_t i = 0; i < CHARGES; i++) {
        for (int k = 0; k < 3; k++) position[i][k] = -20 + 90 * uniform();
        charge[i] = (i % 7 ? 1 : 300) * (2 * uniform() - 1);
        radius[i] = 2 * uniform();
        number[i] = (uint32_t)i;
    }
    test_job("direct", true, &(struct pot_job){.method = POT_DIRECT, .lattice = orthogonal});
    test_job("direct, skew", true, &(struct pot_job){.method = POT_DIRECT, .lattice = skew});
    test_job("exact", false, &(struct pot_job){.method = POT_DIRECT, .exact = true, .lattice = orthogonal});
    test_job("dielectric 4r", true,
             &(struct pot_job){.method = POT_DIRECT,
                               .soften = POT_SOFTEN_PLUMMER,
                               .soften_length = 1.5,
                               .distance_dielectric = true,
                               .lattice = orthogonal});
    test_job("gauss", true,
             &(struct pot_job){
                 .method = POT_DIRECT, .soften = POT_SOFTEN_GAUSS, .soften_length = 1.1, .lattice = orthogonal});
    test_job("clip", true,
             &(struct pot_job){.method = POT_DIRECT, .soften = POT_SOFTEN_CLIP, .soften_length = 2.5, .lattice = skew});
    test_job("mdh", true, &(struct pot_job){.method = POT_MDH, .kappa = 0.127, .lattice = orthogonal});
    test_job("mdh, faces", false, &(struct pot_job){.method = POT_MDH, .kappa = 1, .faces = true, .lattice = skew});
    test_job("mdh, gauss, exact", false,
             &(struct pot_job){.method = POT_MDH,
                               .kappa = 0.5,
                               .exact = true,
                               .soften = POT_SOFTEN_GAUSS,
                               .soften_length = 1,
                               .lattice = orthogonal});
    const struct trj_map_lattice thin[] = {{{60, 2, 3}, {0, 30, 30}, {{0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.1}}, 0},
                                           {{3, 2, 3}, {30, 30, 30}, {{0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.1}}, 0},
                                           {{23, 20, 2}, {30, 30, 30}, {{0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.1}}, 0}};
    static const char *const thin_names[] = {"two thin axes", "three thin axes", "one thin axis"};
    for (int i = 0; i < 3; i++)
        test_job(thin_names[i], true, &(struct pot_job){.method = POT_DIRECT, .lattice = thin[i]});
    test_far_root();
    test_far_exponential();
    return done();
}
