// SPDX-License-Identifier: MIT
// Interpolation, projections, profiles and free energies of maps, compared with analytic functions and plain sums.
#include "map_free_energy.h"
#include "map_reduce.h"
#include "map_resample.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

enum { MAX = 4000 };
static double values[MAX], result[MAX];

static struct trj_map skew_map(unsigned periodic, uint32_t components) {
    return (struct trj_map){.lattice = {.n = {6, 5, 7},
                                        .origin = {-1, 0.5, 2},
                                        .step = {{0.5, 0.1, 0}, {-0.2, 0.7, 0.1}, {0.1, -0.3, -0.9}},
                                        .periodic = periodic},
                            .kind = TRJ_MAP_FLOAT64,
                            .components = components,
                            .meaning = TRJ_MAP_SAMPLES};
}

// A linear function, which trilinear interpolation reproduces.
static double linear(const double x[3], unsigned component) {
    return 1 + 2 * x[0] - 3 * x[1] + 0.5 * x[2] + component;
}

static void fill_linear(const struct trj_map *m) {
    double *to = values;
    for (uint64_t k = 0; k < m->lattice.n[2]; k++)
        for (uint64_t j = 0; j < m->lattice.n[1]; j++)
            for (uint64_t i = 0; i < m->lattice.n[0]; i++)
                for (unsigned c = 0; c < m->components; c++) {
                    double index[3] = {(double)i, (double)j, (double)k}, x[3];
                    trj_map_lattice_position(&m->lattice, index, x);
                    *to++ = linear(x, c);
                }
}

static void test_linear(void) {
    struct trj_map m = skew_map(0, 2);
    struct trj_map_lattice to = {.n = {9, 8, 10}, .step = {{0.2, 0, 0}, {0, 0.25, 0}, {0, 0, -0.4}}};
    double middle[3] = {1.2, 0.9, 1.1}, worst = 0;
    uint64_t outside = 0, known = 0;
    trj_map_lattice_position(&m.lattice, middle, to.origin);
    fill_linear(&m);
    struct trj_map_resampling r;
    trj_map_resampling_open(&r, &m, &to);
    for (uint64_t z = 0; z < 10; z += 3)
        outside += trj_map_resample(&r, values, z, z + 3 < 10 ? 3 : 10 - z, result + z * 8 * 9 * 2);
    double g[3][3];
    bool agree = true;
    trj_map_lattice_inverse(&m.lattice, g);
    for (uint64_t p = 0; p < 9 * 8 * 10; p++) {
        double index[3] = {(double)(p % 9), (double)(p / 9 % 8), (double)(p / 72)}, x[3];
        bool inside = true;
        trj_map_lattice_position(&to, index, x);
        for (int k = 0; k < 3; k++) {
            double u = 0;
            for (int i = 0; i < 3; i++) u += g[k][i] * (x[i] - m.lattice.origin[i]);
            inside = inside && u >= 0 && u <= (double)m.lattice.n[k] - 1;
        }
        for (unsigned c = 0; c < 2; c++) {
            agree = agree && inside == !isnan(result[2 * p + c]);
            if (inside) worst = fmax(worst, fabs(result[2 * p + c] - linear(x, c)));
        }
        known += inside;
    }
    ok(agree && known > 50 && outside == 720 - known && worst < 1e-13 && !r.coarser,
       "skew lattice, two components, in slabs: a linear function is exact at %llu points (%g)",
       (unsigned long long)known, worst);
}

static void test_same_points(void) {
    struct trj_map m = skew_map(TRJ_PERIODIC_ALL, 1);
    struct trj_map_lattice to = m.lattice;
    struct trj_map_resampling r;
    bool same = true;
    for (int i = 0; i < 210; i++) values[i] = i % 17 ? uniform() : NAN;
    // Moved by whole steps: the points are images of those of the map.
    for (int i = 0; i < 3; i++)
        to.origin[i] += -13 * m.lattice.step[0][i] + 7 * m.lattice.step[1][i] + 70 * m.lattice.step[2][i];
    trj_map_resampling_open(&r, &m, &to);
    uint64_t outside = trj_map_resample(&r, values, 0, 7, result);
    for (unsigned p = 0; p < 210; p++) {
        unsigned i = (p % 6 + 5) % 6, j = (p / 6 % 5 + 2) % 5, k = p / 30;
        same = same && !memcmp(&result[p], &values[i + 6 * (j + 5 * k)], sizeof(double));
    }
    ok(same && !outside, "points of a periodic map: its values, also beside unknown ones");
    m.lattice.periodic = 0;
    for (int i = 0; i < 3; i++) to.origin[i] = m.lattice.origin[i] + 1e-8 * m.lattice.step[0][i];
    trj_map_resampling_open(&r, &m, &to);
    ok(trj_map_resample(&r, values, 0, 7, result) == 0 && !memcmp(result, values, 210 * sizeof *values),
       "a lattice moved by 10^-8 steps: the same values, and none is outside");
}

static void test_periodic(void) {
    struct trj_map m = {.lattice = {.n = {4, 1, 1}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .periodic = 1},
                        .components = 1};
    struct trj_map_lattice to = {.n = {8, 1, 1}, .origin = {-0.5, 0, 0}, .step = {{0.5, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const double expected[] = {2.5, 1, 1.5, 2, 2.5, 3, 3.5, 4};
    struct trj_map_resampling r;
    for (int i = 0; i < 4; i++) values[i] = 1 + i;
    trj_map_resampling_open(&r, &m, &to);
    ok(trj_map_resample(&r, values, 0, 1, result) == 0 && !memcmp(result, expected, sizeof expected),
       "between the last point and the image of the first: their mean");
    m.lattice.periodic = 0;
    trj_map_resampling_open(&r, &m, &to);
    ok(trj_map_resample(&r, values, 0, 1, result) == 1 && isnan(result[0]) && result[7] == 4,
       "without the period, a point before the first one is unknown");
    to.origin[1] = 0.1;
    trj_map_resampling_open(&r, &m, &to);
    ok(trj_map_resample(&r, values, 0, 1, result) == 8, "one point along an axis: others are outside");
}

static void test_totals(void) {
    struct trj_map m = skew_map(0, 1);
    m.meaning = TRJ_MAP_TOTALS;
    struct trj_map_lattice to = m.lattice;
    struct trj_map_resampling r;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) to.step[k][i] *= 2;
    for (int k = 0; k < 3; k++) to.n[k] = 2;
    for (int i = 0; i < 210; i++) values[i] = 3;
    trj_map_resampling_open(&r, &m, &to);
    trj_map_resample(&r, values, 0, 2, result);
    ok(fabs(result[0] - 24) < 1e-12 && fabs(result[7] - 24) < 1e-12 && r.coarser,
       "totals in cells of eight times the volume: eight times as large");
}

// Reduces a map with values of any size, and compares with sums in another way.
static void test_reduction(const bool drop[3], enum trj_map_reduction_kind kind, bool unknown, const char *what) {
    struct trj_map m = skew_map(0, 2);
    struct trj_map_reduction r;
    char unit[] = "A^-3";
    const uint64_t *n = m.lattice.n;
    m.unit = unit;
    for (int i = 0; i < 420; i++) values[i] = (uniform() - 0.5) * (i % 3 ? 1 : 1e12);
    if (unknown) values[37] = NAN;
    if (trj_map_reduction_open(&r, &m, drop, kind, &err)) abort();
    for (uint64_t z = 0; z < n[2]; z += 2) trj_map_reduction_add(&r, values + z * 60, z + 2 < n[2] ? 2 : n[2] - z);
    trj_map_reduction_take(&r, result);
    bool good = true;
    uint64_t nan_count = 0, size[3];
    for (int k = 0; k < 3; k++) size[k] = drop[k] ? 1 : n[k];
    for (uint64_t p = 0; p < size[0] * size[1] * size[2]; p++)
        for (unsigned c = 0; c < 2; c++) {
            long double sum = 0, count = 0, measure = 1;
            for (uint64_t q = 0; q < 210; q++) {
                uint64_t at[3] = {q % 6, q / 6 % 5, q / 30}, to = 0;
                for (int k = 2; k >= 0; k--) to = to * size[k] + (drop[k] ? 0 : at[k]);
                if (to != p) continue;
                double v = values[2 * q + c];
                if (isnan(v) && kind == TRJ_MAP_REDUCE_MEAN) continue;
                sum += v;
                count++;
            }
            if (kind == TRJ_MAP_REDUCE_INTEGRAL && drop[0] && drop[1])
                measure = sqrtl(0.01L * 0.01L + 0.05L * 0.05L + 0.37L * 0.37L);
            if (kind == TRJ_MAP_REDUCE_INTEGRAL && !drop[0]) measure = sqrtl(0.01L + 0.09L + 0.81L);
            long double want = kind == TRJ_MAP_REDUCE_MEAN ? sum / count : sum * measure;
            double got = result[2 * p + c];
            nan_count += isnan(got) ? 1 : 0;
            good =
                good && (isnan((double)want) ? isnan(got)
                                             : fabs((double)(got - want)) <= 1e-15 * fabs((double)want) + 1e-3 * 1e-12);
        }
    ok(good && nan_count == (unknown && kind != TRJ_MAP_REDUCE_MEAN), "%s: unit '%s'", what, r.map.unit);
    ok(!strcmp(r.map.unit, kind != TRJ_MAP_REDUCE_INTEGRAL ? "A^-3" : drop[0] ? "A^-1" : "A^-2"), "its unit");
    trj_map_reduction_take(&r, result);
    ok(kind == TRJ_MAP_REDUCE_MEAN ? isnan(result[0]) : result[0] == 0, "the next map begins without values");
    trj_map_reduction_close(&r);
}

static void test_reductions(void) {
    const bool z[3] = {false, false, true}, along_z[3] = {true, true, false};
    test_reduction(z, TRJ_MAP_REDUCE_MEAN, true, "mean along axis 2, one value unknown");
    test_reduction(z, TRJ_MAP_REDUCE_INTEGRAL, false, "integral along axis 2");
    test_reduction(z, TRJ_MAP_REDUCE_SUM, true, "sum along axis 2, one value unknown");
    test_reduction(along_z, TRJ_MAP_REDUCE_SUM, false, "sum over the planes of axis 2");
    test_reduction(along_z, TRJ_MAP_REDUCE_INTEGRAL, false, "integral over the planes of axis 2");
    test_reduction(along_z, TRJ_MAP_REDUCE_MEAN, true, "mean over the planes of axis 2, one value unknown");
    struct trj_map m = skew_map(TRJ_PERIODIC_ALL, 1);
    struct trj_map_reduction r;
    const bool x[3] = {true, false, false};
    if (trj_map_reduction_open(&r, &m, x, TRJ_MAP_REDUCE_MEAN, &err)) abort();
    const struct trj_map_lattice *l = &r.map.lattice;
    ok(l->n[0] == 1 && fabs(l->step[0][0] - 3) < 1e-15 && fabs(l->origin[0] - 0.25) < 1e-15 &&
           fabs(l->origin[1] - 0.75) < 1e-15 && l->periodic == TRJ_PERIODIC_ALL && r.map.meaning == TRJ_MAP_MEANS,
       "the plane is at the middle of the points, and has one point along the axis");
    trj_map_reduction_close(&r);
    static const enum trj_map_meaning of[3][3] = {
        [TRJ_MAP_REDUCE_MEAN] = {TRJ_MAP_MEANS, TRJ_MAP_MEANS, TRJ_MAP_SAMPLES},
        [TRJ_MAP_REDUCE_SUM] = {TRJ_MAP_SAMPLES, TRJ_MAP_SAMPLES, TRJ_MAP_TOTALS},
        [TRJ_MAP_REDUCE_INTEGRAL] = {TRJ_MAP_SAMPLES, TRJ_MAP_SAMPLES, TRJ_MAP_SAMPLES}};
    for (int kind = 0; kind < 3; kind++)
        for (int meaning = 0; meaning < 3; meaning++) {
            bool rejected = kind == TRJ_MAP_REDUCE_INTEGRAL && meaning == TRJ_MAP_TOTALS;
            m.meaning = (enum trj_map_meaning)meaning;
            int rc = trj_map_reduction_open(&r, &m, x, (enum trj_map_reduction_kind)kind, &err);
            ok(rejected ? rc && has_text(err.text, "use --reduce sum") : !rc && r.map.meaning == of[kind][meaning],
               "reduction %d of values with the meaning %d", kind, meaning);
            trj_map_reduction_close(&r);
        }
    // The distance of neighbouring planes is the volume of the steps divided by their area, above 0 in any handedness.
    double distance = trj_map_plane_position(&m.lattice, 2, 1) - trj_map_plane_position(&m.lattice, 2, 0);
    double area = sqrt(0.01 * 0.01 + 0.05 * 0.05 + 0.37 * 0.37);
    ok(fabs(distance - trj_map_lattice_voxel(&m.lattice) / area) < 1e-14, "distance of planes in a skew lattice: %g",
       distance);
    struct trj_map flat = {.lattice = {.n = {3, 4, 5}, .origin = {1, 2, 3}, .step = {{1, 0, 0}, {0, 2, 0}, {0, 0, 4}}}};
    ok(trj_map_plane_position(&flat.lattice, 1, 3) == 8, "positions along an axis of a rectangular lattice");
}

static void test_free_energy(void) {
    struct trj_map_free_energy g = {.kt = 2.5, .reference = 4};
    double v[] = {4, 2, 8, 0, -1, NAN, INFINITY};
    trj_map_free_energy(&g, v, 7);
    ok(v[0] == 0 && !signbit(v[0]) && fabs(v[1] - 2.5 * log(2)) < 1e-15 && fabs(v[2] + 2.5 * log(2)) < 1e-15,
       "free energies: %g %g %g", v[0], v[1], v[2]);
    ok(v[3] == INFINITY && isnan(v[4]) && isnan(v[5]) && v[6] == -INFINITY && g.zero == 1 && g.negative == 1,
       "free energy of 0: inf; of a negative number: nan");
}

int main(void) {
    test_linear();
    test_same_points();
    test_periodic();
    test_totals();
    test_reductions();
    test_free_energy();
    return done();
}
