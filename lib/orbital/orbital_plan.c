// SPDX-License-Identifier: MIT
// Prepares jobs for engines: terms, tables, and thresholds.
#include "orbital_plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "elementary.h"
#include "memory.h"

static const char WHAT[] = "orbitals";

const struct orb_kind_parts orb_kind_parts[ORB_KINDS] = {
    [ORB_F] = {1, {{0, 1, {{0, 0}}}}},
    [ORB_FX] = {1, {{1, 1, {{0, 0}}}}},
    [ORB_FY] = {1, {{0, 1, {{1, 0}}}}},
    [ORB_FZ] = {1, {{0, 1, {{0, 1}}}}},
    [ORB_LAP] = {2, {{2, 1, {{0, 0}}}, {0, 2, {{2, 0}, {0, 2}}}}},
    [ORB_XX] = {1, {{2, 1, {{0, 0}}}}},
    [ORB_YY] = {1, {{0, 1, {{2, 0}}}}},
    [ORB_ZZ] = {1, {{0, 1, {{0, 2}}}}},
    [ORB_XY] = {1, {{1, 1, {{1, 0}}}}},
    [ORB_XZ] = {1, {{1, 1, {{0, 1}}}}},
    [ORB_YZ] = {1, {{0, 1, {{1, 1}}}}},
};

const struct orb_fields orb_fields[ORB_QUANTITIES] = {
    [ORB_ORBITALS] = {1, false, 1, {ORB_F}, 0, {{0}}},
    [ORB_PRODUCT] = {1, false, 1, {ORB_F}, 0, {{0}}},
    [ORB_DENSITY] = {1, false, 1, {ORB_F}, 1, {{0, 0, ORB_RHO}}},
    [ORB_GRADIENT] =
        {2, false, 4, {ORB_F, ORB_FX, ORB_FY, ORB_FZ}, 3, {{0, 1, ORB_GX}, {0, 2, ORB_GY}, {0, 3, ORB_GZ}}},
    [ORB_LAPLACIAN] = {3,
                       false,
                       5,
                       {ORB_F, ORB_FX, ORB_FY, ORB_FZ, ORB_LAP},
                       4,
                       {{0, 4, ORB_LAP_SUM}, {1, 1, ORB_TAU}, {2, 2, ORB_TAU}, {3, 3, ORB_TAU}}},
    [ORB_KINETIC] = {2, false, 3, {ORB_FX, ORB_FY, ORB_FZ}, 3, {{0, 0, ORB_TAU}, {1, 1, ORB_TAU}, {2, 2, ORB_TAU}}},
    [ORB_REDUCED_GRADIENT] = {3,
                              true,
                              10,
                              {ORB_F, ORB_FX, ORB_FY, ORB_FZ, ORB_XX, ORB_YY, ORB_ZZ, ORB_XY, ORB_XZ, ORB_YZ},
                              16,
                              {{0, 0, ORB_RHO},
                               {0, 1, ORB_GX},
                               {0, 2, ORB_GY},
                               {0, 3, ORB_GZ},
                               {0, 4, ORB_HXX},
                               {1, 1, ORB_HXX},
                               {0, 5, ORB_HYY},
                               {2, 2, ORB_HYY},
                               {0, 6, ORB_HZZ},
                               {3, 3, ORB_HZZ},
                               {0, 7, ORB_HXY},
                               {1, 2, ORB_HXY},
                               {0, 8, ORB_HXZ},
                               {1, 3, ORB_HXZ},
                               {0, 9, ORB_HYZ},
                               {2, 3, ORB_HYZ}}},
    [ORB_ELF] = {2,
                 true,
                 4,
                 {ORB_F, ORB_FX, ORB_FY, ORB_FZ},
                 7,
                 {{0, 0, ORB_RHO},
                  {0, 1, ORB_GX},
                  {0, 2, ORB_GY},
                  {0, 3, ORB_GZ},
                  {1, 1, ORB_TAU},
                  {2, 2, ORB_TAU},
                  {3, 3, ORB_TAU}}},
    [ORB_LOL] =
        {2,
         true,
         4,
         {ORB_F, ORB_FX, ORB_FY, ORB_FZ},
         4,
         {{0, 0, ORB_RHO}, {1, 1, ORB_TAU}, {2, 2, ORB_TAU}, {3, 3, ORB_TAU}}},
};

bool orb_fields_has_first(const struct orb_fields *f, unsigned kind) {
    for (unsigned i = 0; i < f->forms; i++)
        if (f->form[i].u == kind) return true;
    return false;
}

bool orb_fields_only_squares(const struct orb_fields *f, unsigned kind) {
    for (unsigned i = 0; i < f->forms; i++)
        if (f->form[i].u == kind && f->form[i].v != kind) return false;
    return true;
}

double orb_plan_matrix_work(const struct orb_plan *p) {
    const struct orb_fields *f = p->fields;
    double work = 0;
    for (unsigned k = 0; k < f->kinds; k++)
        if (orb_fields_has_first(f, k)) work += orb_fields_only_squares(f, k) ? 0.5 : 1;
    return work;
}

bool orb_plan_uses_matrix(const struct orb_plan *p, size_t n) {
    return p->matrix && orb_plan_matrix_work(p) * (double)n < p->fields->kinds * (double)p->job->orbitals;
}

// ---- the largest term

// Largest magnitudes of x^i y^j z^k exp(-a r^2) at points of the job, for all powers of each group.
struct largest {
    size_t *first; // [groups]
    double *value; // of a group: [powers[0]][powers[1]][powers[2]]
    bool *known;   // [groups] values are set
    // [groups] largest magnitudes of x^i exp(-a x^2) anywhere, with tables.
    double (*peak)[ORB_L_MAX + 1];
};

static double *largest_of(const struct largest *l, const struct orb_plan *p, size_t group, uint32_t i, uint32_t j,
                          uint32_t k) {
    const uint32_t *powers = p->c.group[group].powers;
    return l->value + l->first[group] + ((size_t)i * powers[1] + j) * powers[2] + k;
}

// With tables, the largest value is the product of those along the axes.
static void find_on_axes(const struct largest *l, const struct orb_plan *p, size_t group) {
    const struct orb_group *g = &p->c.group[group];
    const double *centre = p->job->basis->centre[g->centre];
    double along[3][ORB_L_MAX + 1];
    for (int k = 0; k < 3; k++)
        orb_axis_largest(&p->axis[k], centre[k], g->exponent, g->powers[k], p->kernel, along[k]);
    for (uint32_t i = 0; i < g->powers[0]; i++)
        for (uint32_t j = 0; j < g->powers[1]; j++)
            for (uint32_t k = 0; k < g->powers[2]; k++)
                *largest_of(l, p, group, i, j, k) = along[0][i] * along[1][j] * along[2][k];
}

// Otherwise it is taken from some points. Unless it is 0 (set_scales), a smaller value than the largest one only makes
// screening leave out less.
static void find_at_points(const struct largest *l, const struct orb_plan *p, size_t group) {
    enum { SAMPLE = 256 };
    const struct orb_job *job = p->job;
    const struct orb_group *g = &p->c.group[group];
    uint64_t points = job->n[0] * job->n[1] * job->n[2];
    for (int s = 0; s < SAMPLE; s++) {
        double at[3], x[3];
        orb_job_point(job, (uint64_t)(fmod(s * 0.6180339887498949, 1) * (double)points), at);
        for (int k = 0; k < 3; k++) x[k] = fabs(at[k] - job->basis->centre[g->centre][k]);
        double power[3][ORB_L_MAX + 1], exponential = trj_exp(-g->exponent * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
        for (int k = 0; k < 3; k++) {
            power[k][0] = k ? 1 : exponential;
            for (uint32_t i = 1; i < g->powers[k]; i++) power[k][i] = power[k][i - 1] * x[k];
        }
        for (uint32_t i = 0; i < g->powers[0]; i++)
            for (uint32_t j = 0; j < g->powers[1]; j++)
                for (uint32_t k = 0; k < g->powers[2]; k++) {
                    double *largest = largest_of(l, p, group, i, j, k);
                    *largest = fmax(*largest, power[0][i] * power[1][j] * power[2][k]);
                }
    }
}

static int open_largest(struct largest *l, const struct orb_plan *p, struct trj_error *err) {
    size_t values = 0;
    l->first = trj_alloc(p->c.groups, sizeof *l->first, WHAT, err);
    l->known = l->first ? trj_alloc(p->c.groups, sizeof *l->known, WHAT, err) : NULL;
    l->peak = l->known ? trj_alloc(p->c.groups, sizeof *l->peak, WHAT, err) : NULL;
    if (!l->peak) return -1;
    for (size_t g = 0; g < p->c.groups; g++) {
        const uint32_t *powers = p->c.group[g].powers;
        l->first[g] = values;
        values += (size_t)powers[0] * powers[1] * powers[2];
        for (uint32_t i = 0; i < powers[0] || i < powers[1] || i < powers[2]; i++)
            l->peak[g][i] = orb_axis_peak(p->c.group[g].exponent, i) * (1 + 1e-9);
    }
    return (l->value = trj_alloc(values, sizeof *l->value, WHAT, err)) ? 0 : -1;
}

static void close_largest(struct largest *l) {
    free(l->first);
    free(l->value);
    free(l->known);
    free(l->peak);
}

// Returns the largest magnitude of a term at any point.
static double value_of_term(const struct largest *l, const struct orb_plan *p, const struct orb_column *column,
                            const struct orb_column_term *term) {
    if (!l->known[column->group]) (p->tables ? find_on_axes : find_at_points)(l, p, column->group);
    l->known[column->group] = true;
    return fabs(term->coefficient) * *largest_of(l, p, column->group, column->power, term->power[0], term->power[1]);
}

// Returns a bound of the same, which takes no exponentials.
static double bound_of_term(const struct largest *l, const struct orb_plan *p, const struct orb_column *column,
                            const struct orb_column_term *term) {
    const double *peak = l->peak[column->group];
    if (!p->tables) return INFINITY;
    return fabs(term->coefficient) * peak[column->power] * peak[term->power[0]] * peak[term->power[1]];
}

// ---- thresholds

// Returns the largest term of a combination at any point. The term with the largest bound comes first, after which few
// others have a bound that is larger than the largest term so far.
static double largest_term(const struct orb_plan *p, const struct largest *l, size_t combination) {
    const struct orb_combinations *c = &p->c;
    const struct orb_column *first = NULL;
    const size_t begin = c->first_column[combination], end = c->first_column[combination + 1];
    size_t first_term = 0;
    double largest = 0, bound = 0;
    for (size_t i = begin; i < end; i++)
        for (size_t t = c->column[i].first_term; t < c->column[i + 1].first_term; t++) {
            double b = bound_of_term(l, p, &c->column[i], &c->term[t]);
            if (!(b > bound)) continue;
            bound = b;
            first = &c->column[i];
            first_term = t;
        }
    if (first) largest = value_of_term(l, p, first, &c->term[first_term]);
    for (size_t i = begin; i < end; i++)
        for (size_t t = c->column[i].first_term; t < c->column[i + 1].first_term; t++)
            if (bound_of_term(l, p, &c->column[i], &c->term[t]) > largest)
                largest = fmax(largest, value_of_term(l, p, &c->column[i], &c->term[t]));
    return largest;
}

// Sets the scale of functions so that the largest scaled term of any orbital or of the density is 1. The elements of
// the density matrix are at most the product of two such scales.
static void set_scales(struct orb_plan *p, const double *largest) {
    const struct orb_job *job = p->job;
    const size_t n = job->basis->functions;
    bool each = !p->fields->forms; // orbitals of the result
    // Points that are sampled can all be so far away that terms are 0 there, but not at other points.
    const double least = p->tables ? 0 : DBL_MIN;
    double of_all = least;
    for (size_t o = 0; o < job->orbitals; o++) {
        const double *c = job->coefficient + o * n;
        double most = least;
        for (size_t m = 0; each && m < n; m++) most = fmax(most, fabs(c[m]) * largest[m]);
        for (size_t m = 0; m < n; m++)
            p->scale[m] = each ? fmax(p->scale[m], most > 0 ? fabs(c[m]) / most : 0)
                               : p->scale[m] + fabs(p->weight[o]) * c[m] * c[m];
    }
    if (each) return;
    for (size_t m = 0; m < n; m++) {
        p->scale[m] = sqrt(p->scale[m]);
        of_all = fmax(of_all, p->scale[m] * largest[m]);
    }
    for (size_t m = 0; m < n; m++) p->scale[m] = of_all > 0 ? p->scale[m] / of_all : 0;
}

static int set_thresholds(struct orb_plan *p, struct trj_error *err) {
    const double screen = p->fields->quotient ? ORB_SCREEN_QUOTIENT : ORB_SCREEN;
    struct largest l = {.first = NULL};
    double *largest = trj_alloc(p->c.count, sizeof *largest, WHAT, err);
    p->scale = largest ? trj_alloc(p->c.count, sizeof *p->scale, WHAT, err) : NULL;
    p->threshold = p->scale ? trj_alloc(p->c.count, sizeof *p->threshold, WHAT, err) : NULL;
    int rc = p->threshold ? open_largest(&l, p, err) : -1;
    for (size_t i = 0; !rc && i < p->c.count; i++) {
        largest[i] = largest_term(p, &l, i);
        p->threshold[i] = p->functions ? screen : screen * largest[i];
        if (!p->functions) p->scale[i] = 1;
    }
    if (!rc && p->functions) set_scales(p, largest);
    free(largest);
    close_largest(&l);
    return rc;
}

// ---- tables

static bool is_parallel(const struct orb_job *job) {
    if (job->point) return false;
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++)
            if (job->n[k] > 1 && m != k && job->step[k][m] != 0) return false;
    return true;
}

// Sets, for each group, the share of the threshold that its largest term would have if its powers of x, y, z were 1.
static void set_strengths(const struct orb_plan *p, double *strength) {
    const struct orb_combinations *c = &p->c;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = c->first_column[i]; k < c->first_column[i + 1];) {
            uint32_t group = c->column[k].group;
            double sum = 0;
            for (; k < c->first_column[i + 1] && c->column[k].group == group; k++)
                for (size_t t = c->column[k].first_term; t < c->column[k + 1].first_term; t++)
                    sum += fabs(c->term[t].coefficient);
            if (p->threshold[i] > 0) strength[group] = fmax(strength[group], p->scale[i] * sum / p->threshold[i]);
        }
}

// Sets the distances that groups reach along an axis, of which most have the same along all axes.
static void set_reaches(const struct orb_plan *p, const double *strength, unsigned axis, double *far) {
    const uint32_t orders = p->fields->orders;
    for (size_t g = 0; g < p->c.groups; g++) {
        const struct orb_group *group = &p->c.group[g];
        const uint32_t *powers = group->powers;
        if (axis && powers[0] == powers[1] && powers[0] == powers[2]) continue;
        double others = 2 * strength[g]; // twice the bound, because of rounding
        for (unsigned m = 0; m < 3; m++)
            if (m != axis) others *= orb_axis_bound(group->exponent, powers[m], orders);
        far[g] = orb_axis_reach(group->exponent, powers[axis], orders, 1 / others);
    }
}

// Returns 1 if the tables would be too large.
static int make_tables(struct orb_plan *p, const struct orb_kernel *kernel, struct trj_error *err) {
    double *strength = trj_alloc(p->c.groups, sizeof *strength, WHAT, err);
    double *far = strength ? trj_alloc(p->c.groups, sizeof *far, WHAT, err) : NULL;
    int rc = far ? 0 : -1;
    if (far) set_strengths(p, strength);
    for (int k = 0; !rc && k < 3; k++) {
        set_reaches(p, strength, (unsigned)k, far);
        rc = orb_axis_make(&p->axis[k], &p->c, p->job->basis, k, far, kernel, err);
    }
    free(strength);
    free(far);
    return rc;
}

// ---- the matrix

enum { ORBITALS_MIN = 16, FUNCTIONS_MAX = 16384 }; // for which the matrix is made; it then has at most 1 GiB

struct matrix_work {
    const struct orb_plan *plan;
    const struct orb_kernel *kernel;
    double *coefficient; // [panels of ORB_X functions][orbitals][ORB_X]
    double *weighted;    // [panels of ORB_Y functions][orbitals][ORB_Y]
    uint32_t *index;     // 0, 1, 2, ...
};

static void compute_rows(void *arg, unsigned worker, size_t item) {
    const struct matrix_work *w = arg;
    const size_t orbitals = w->plan->job->orbitals, n = w->plan->job->basis->functions;
    (void)worker;
    for (size_t first = 0; first < (item + 1) * ORB_Y; first += ORB_X) {
        double sum[ORB_Y][ORB_X];
        w->kernel->sums(orbitals, w->index, w->weighted + item * orbitals * ORB_Y, w->coefficient + first * orbitals,
                        sum[0], ORB_X);
        for (size_t row = 0; row < ORB_Y; row++)
            for (size_t column = 0; column < ORB_X; column++) {
                size_t m = item * ORB_Y + row, k = first + column;
                if (m < n && k <= m) w->plan->matrix[m * (m + 1) / 2 + k] = sum[row][column];
            }
    }
}

static int make_matrix(struct orb_plan *p, const struct orb_kernel *kernel, struct trj_item_pool *pool,
                       struct trj_error *err) {
    const struct orb_job *job = p->job;
    const size_t n = job->basis->functions, panels_x = (n + ORB_X - 1) / ORB_X, panels_y = (n + ORB_Y - 1) / ORB_Y;
    struct matrix_work w = {.plan = p, .kernel = kernel};
    p->matrix = trj_alloc(n * (n + 1) / 2, sizeof *p->matrix, WHAT, err);
    if (p->matrix) w.coefficient = trj_alloc(panels_x * ORB_X * job->orbitals, sizeof *w.coefficient, WHAT, err);
    if (w.coefficient) w.weighted = trj_alloc(panels_y * ORB_Y * job->orbitals, sizeof *w.weighted, WHAT, err);
    if (w.weighted) w.index = trj_alloc(job->orbitals, sizeof *w.index, WHAT, err);
    if (w.index) {
        for (size_t o = 0; o < job->orbitals; o++) {
            w.index[o] = (uint32_t)o;
            for (size_t m = 0; m < n; m++) {
                double c = job->coefficient[o * n + m];
                w.coefficient[(m / ORB_X * job->orbitals + o) * ORB_X + m % ORB_X] = c;
                w.weighted[(m / ORB_Y * job->orbitals + o) * ORB_Y + m % ORB_Y] = p->weight[o] * c;
            }
        }
        trj_item_pool_run(pool, panels_y, compute_rows, &w);
    }
    int rc = w.index ? 0 : -1;
    free(w.coefficient);
    free(w.weighted);
    free(w.index);
    return rc;
}

// ---- the plan

static int make_terms(struct orb_plan *p, struct trj_error *err) {
    const struct orb_job *job = p->job;
    orb_combinations_free(&p->c);
    free(p->scale);
    free(p->threshold);
    p->scale = p->threshold = NULL;
    if (p->functions ? orb_combinations_of_functions(&p->c, job->basis, err)
                     : orb_combinations_of_orbitals(&p->c, job->basis, job->orbitals, job->coefficient, err))
        return -1;
    return set_thresholds(p, err);
}

int orb_plan_make(struct orb_plan *p, const struct orb_job *job, enum orb_plan_kind kind,
                  const struct orb_kernel *kernel, struct trj_item_pool *pool, struct trj_error *err) {
    *p = (struct orb_plan){.job = job,
                           .kernel = kernel,
                           .fields = &orb_fields[job->quantity],
                           .tables = kind != ORB_PLAN_AT_POINTS && is_parallel(job)};
    p->weight = trj_alloc(job->orbitals, sizeof *p->weight, WHAT, err);
    if (!p->weight) return -1;
    for (size_t i = 0; i < job->orbitals; i++) p->weight[i] = p->fields->forms ? job->weight[i] : 1;
    for (int k = 0; k < 3; k++)
        p->axis[k] = (struct orb_axis){.n = job->n[k],
                                       .origin = job->origin[k],
                                       .step = job->step[k][k],
                                       .width = k == 0   ? ORB_X
                                                : k == 1 ? ORB_Y
                                                         : ORB_Z,
                                       .orders = p->fields->orders};
    p->functions = !p->tables || p->fields->forms;
    if (make_terms(p, err)) return -1;
    int rc = p->tables ? make_tables(p, kind == ORB_PLAN_WITH_TABLES ? kernel : NULL, err) : 0;
    if (rc < 0) return -1;
    if (rc) { // too large
        for (int k = 0; k < 3; k++) orb_axis_free(&p->axis[k]);
        p->tables = false;
        p->functions = true;
        if (make_terms(p, err)) return -1;
    }
    if (p->fields->forms && job->orbitals >= ORBITALS_MIN && job->basis->functions <= FUNCTIONS_MAX)
        return make_matrix(p, kernel, pool, err);
    return 0;
}

void orb_plan_free(struct orb_plan *p) {
    free(p->weight);
    free(p->scale);
    free(p->threshold);
    free(p->matrix);
    orb_combinations_free(&p->c);
    for (int k = 0; k < 3; k++) orb_axis_free(&p->axis[k]);
    *p = (struct orb_plan){.weight = NULL};
}
