// SPDX-License-Identifier: MIT
// Area of the surface that a probe can reach, by points on the spheres around atoms.
//
// A. Shrake, J. A. Rupley, J. Mol. Biol. 79, 351 (1973). The rule, where radii include that of the probe:
//     an atom with the radius r at d covers the point u of one with the radius R, where |d|^2 < (R + r)^2, iff
//     (u0 d0 + u1 d1) + u2 d2 > (R R + |d|^2 - r r) (0.5 / R)     float64, in this order, no contraction
// Of two equal spheres at the same place, the atom with the smaller number has the surface.
//
// Most points are covered by one of the nearest atoms, which are therefore tested first, in float32, until blocks of
// adjacent points are covered. The errors are bounded, and the few points for which they matter are tested again by the
// rule: in a protein, one of 36,000.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact_search.h"
#include "division.h"
#include "element.h"
#include "functions.h"
#include "instruction_set.h"
#include "memory.h"
#include "surface_kernel.h"
#include "system.h"
#include "vector_products.h"

enum { GROUP, SURROUNDINGS, POINTS, PROBE, RADII };
enum { POINTS_MAX = 100000, PROBE_MAX = 100 };
enum { BLOCK = OBS_SURFACE_BLOCK, ROWS = OBS_CONTACT_ROWS };

#define NEAR 1.15 // radii of an atom, within which others are tested first
// Radii (Å) between these have the bounds on errors of float32 that were derived; for others, the rule decides.
#define SMALLEST 1e-3
#define LARGEST  1e4

struct surface {
    double *reach;    // [atoms of the stream] radius of the atom and the probe, Å; 0: the atom has no surface
    double max_reach; // Å
    size_t points, blocks;
    double (*point)[3]; // [points] on the unit sphere, in blocks of adjacent ones
    char formula[400];
};

// ---------------------------------------------------------------------------------------------------------------- open

static void close_sasa(struct obs_observable *o) {
    struct surface *s = o->own;
    if (!s) return;
    free(s->reach);
    free(s->point);
    free(s);
}

struct azimuth {
    double angle;
    size_t index;
};

static int compare_azimuths(const void *a, const void *b) {
    const struct azimuth *x = a, *y = b;
    return (x->angle > y->angle) - (x->angle < y->angle);
}

// Places points on a spiral with equal steps along an axis, each turned by the golden angle. They are then in the order
// of zones of about equal widths, which consist of whole blocks, and of angles within a zone.
static int place_points(struct surface *s, struct trj_error *err) {
    const double pi = 3.14159265358979323846, turn = pi * (3 - sqrt(5)), n = (double)s->points,
                 blocks = (double)s->blocks, zones = fmax(round(sqrt(pi * blocks) / 2), 1);
    struct azimuth *azimuth = trj_alloc(s->points, sizeof *azimuth, "points", err);
    if (!azimuth) return -1;
    for (size_t i = 0; i < s->points; i++) {
        double angle = turn * (double)i;
        azimuth[i] = (struct azimuth){angle - 2 * pi * floor(angle / (2 * pi)), i};
    }
    for (size_t zone = 1, begin = 0, end; begin < s->points; zone++, begin = end) {
        double share = (1 - cos(pi * fmin((double)zone / zones, 1))) / 2;
        end = BLOCK * (size_t)round(blocks * share);
        if (end > s->points) end = s->points;
        qsort(azimuth + begin, end - begin, sizeof *azimuth, compare_azimuths);
    }
    for (size_t i = 0; i < s->points; i++) {
        const double k = (double)azimuth[i].index, y = (2 * k + 1) / n - 1, r = sqrt(1 - y * y), angle = turn * k;
        s->point[i][0] = r * cos(angle);
        s->point[i][1] = y;
        s->point[i][2] = r * sin(angle);
    }
    free(azimuth);
    return 0;
}

// Sets the radii of the atoms of a selection.
static int set_radii(struct surface *s, const struct obs_observable *o, const struct obs_system *system,
                     size_t selection, struct trj_error *err) {
    const struct trj_stream_header *h = system->header;
    const struct obs_selection *one = &system->selection[selection];
    const bool bondi = !o->argument[RADII].choice;
    const double *radius = NULL, probe = o->argument[PROBE].number;
    if (!bondi && obs_system_need_property(system, "radius", selection, &radius, err)) {
        trj_error_append(err, ", or use radii=bondi");
        return -1;
    }
    for (size_t i = 0; i < one->count; i++) {
        uint32_t atom = one->atoms[i];
        if (bondi && trj_stream_is_site(h, atom)) continue;
        unsigned z = bondi && h->element ? h->element[atom] : 0;
        double r = bondi ? trj_bondi_radius(z) : radius[atom];
        if (isnan(r))
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %lu of the stream has %s%s, for which radii=bondi has no radius; give %s",
                            (unsigned long)atom, z ? "the element " : "no known element", trj_elements[z].symbol,
                            z ? "radii of your own: trjcat --carry radius, and radii=stream"
                              : "a topology with elements: trjcat -t FILE");
        if (r < 0) return trj_fail(err, TRJ_BAD_DATA, "the radius of atom %lu is %g Angstrom", (unsigned long)atom, r);
        s->reach[atom] = r + probe;
        s->max_reach = fmax(s->max_reach, r + probe);
    }
    return 0;
}

static int open_sasa(struct obs_observable *o, struct obs_system *system, struct trj_error *err) {
    const struct obs_argument *a = o->argument;
    const double points = a[POINTS].number, probe = a[PROBE].number;
    struct surface *s = o->own = trj_alloc(1, sizeof *s, "a surface", err);
    if (!s) return -1;
    if (!(points >= 1 && points <= POINTS_MAX && points == floor(points)))
        return trj_fail(err, TRJ_USAGE, "points=%s: the number of points must be an integer from 1 to %d",
                        a[POINTS].text, POINTS_MAX);
    if (!(probe >= 0 && probe <= PROBE_MAX))
        return trj_fail(err, TRJ_USAGE, "probe=%s: the radius of the probe must be 0 to %d Angstrom", a[PROBE].text,
                        PROBE_MAX);
    s->points = (size_t)points;
    s->blocks = (s->points + BLOCK - 1) / BLOCK;
    if (!(s->reach = trj_alloc(system->header->atoms, sizeof *s->reach, "radii", err)) ||
        !(s->point = trj_alloc(s->points, sizeof *s->point, "points", err)) || place_points(s, err))
        return -1;
    if (set_radii(s, o, system, a[GROUP].selection, err) ||
        (*a[SURROUNDINGS].text && set_radii(s, o, system, a[SURROUNDINGS].selection, err)))
        return -1;
    snprintf(s->formula, sizeof s->formula,
             "area of the group that the centre of a probe of radius %g Angstrom can reach%s, with all periodic "
             "images, by %zu points of a golden spiral on each atom (Shrake, Rupley 1973); radii: %s",
             probe, *a[SURROUNDINGS].text ? " in the presence of `in`" : "", s->points,
             a[RADII].choice ? "of the stream" : "Bondi 1964");
    o->formula = s->formula;
    return 0;
}

// ------------------------------------------------------------------------------------------------------------- exposed

// Memory of a thread.
struct work {
    const struct surface *surface;
    const struct obs_surface_kernel *kernel;
    const struct obs_contact_search *search;
    const struct obs_positions *group, *all; // atoms with a surface; atoms that cover it
    struct obs_contact_order order;
    float (*u)[3][BLOCK];                    // [blocks] points along the axes of the search; the last one is repeated
    uint16_t *uncertain;                     // [blocks]
    float *reach;                            // [all] in the order of the search
    struct obs_surface_atoms atoms[ROWS][2]; // that touch the rows: near and other ones
    int32_t (*image)[3];                     // [runs] of the runs of the rows
    size_t *exposed;                         // [group] points
    size_t runs, reach_capacity, image_capacity, exposed_capacity;
    // Of a group with its surroundings:
    uint32_t *member;
    double (*x)[3];
    size_t member_capacity, x_capacity;
};

static void free_work(void *memory) {
    struct work *w = memory;
    free(w->u);
    free(w->uncertain);
    free(w->reach);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < 2; k++) {
            free(w->atoms[i][k].x[0]);
            free(w->atoms[i][k].point);
        }
    free(w->image);
    free(w->exposed);
    free(w->member);
    free(w->x);
}

static struct work *get_work(const struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    static const struct obs_surface_kernel *const kernels[] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = &obs_surface_kernel_avx512,
        [TRJ_ISA_AVX2] = &obs_surface_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = &obs_surface_kernel_plain,
    };
    const struct surface *s = o->own;
    struct work *w = obs_view_scratch(v, o->argument, sizeof *w, free_work, err);
    if (!w || w->surface) return w;
    if (!(w->u = trj_alloc(s->blocks, sizeof *w->u, "points", err)) ||
        !(w->uncertain = trj_alloc(s->blocks, sizeof *w->uncertain, "points", err)))
        return NULL;
    w->kernel = kernels[trj_isa_of_process()];
    w->surface = s;
    return w;
}

static int begin_frame(void *arg, const struct obs_contact_order *order, struct trj_error *err) {
    struct work *w = arg;
    const struct surface *s = w->surface;
    const size_t count = w->all->count;
    if (trj_grow(&w->reach, &w->reach_capacity, count + OBS_CONTACT_PADDING, sizeof *w->reach, "atoms", err)) return -1;
    for (size_t i = 0; i < count; i++) w->reach[i] = (float)s->reach[w->all->atoms[order->point[i]]];
    for (size_t i = 0; i < s->blocks * BLOCK; i++)
        for (int k = 0; k < 3; k++)
            w->u[i / BLOCK][k][i % BLOCK] = (float)trj_dot(order->axis[k], s->point[i < s->points ? i : s->points - 1]);
    w->order = *order;
    w->runs = 0;
    return 0;
}

// Bounds the errors for an atom with the radius R. With e = 2^-24, m the bound on the error of a vector, D the largest
// distance of an atom that touches it, r its radius and Q = (R^2 + D^2 + r^2) / R, the error of u x is less than
// m + 2 e D, that of the limit m (D + m) / R + 10 e Q, and roundings of their sum add 6 e (2 D + Q / 2).
static struct obs_surface_sphere make_sphere(const struct work *w, double reach) {
    const double most = w->surface->max_reach, margin = w->order.margin, e = 0x1p-20,
                 cutoff = reach + margin + e * (reach + most), far = cutoff + margin + (1 + e) * most,
                 q = (reach * reach + far * far + most * most) / reach,
                 error = margin * (1 + (far + margin) / reach) + e * (far + q);
    const bool bounded = reach > SMALLEST && most < LARGEST;
    return (struct obs_surface_sphere){.reach2 = (float)(reach * reach),
                                       .half = (float)(0.5 / reach),
                                       .cutoff = (float)cutoff,
                                       .near2 = fmaxf((float)(NEAR * NEAR * reach * reach), FLT_MIN),
                                       .error = bounded ? (float)(error * (1 + e)) : INFINITY};
}

static double reach_of_row(const struct work *w, uint32_t row) {
    return w->surface->reach[w->group->atoms[w->order.row[row]]];
}

// Appends atoms to others, which have space for them.
static void append_atoms(struct obs_surface_atoms *to, const struct obs_surface_atoms *from) {
    const size_t n = to->count, size = from->count * sizeof *from->x[0];
    if (!from->count) return;
    for (int k = 0; k < 4; k++) memcpy(to->x[k] + n, from->x[k], size);
    memcpy(to->point + n, from->point, size);
    memcpy(to->run + n, from->run, size);
    to->count += from->count;
}

// Makes space for more atoms.
static int reserve(struct obs_surface_atoms *a, size_t more, struct trj_error *err) {
    struct obs_surface_atoms to = {.capacity = 2 * (a->count + more + OBS_CONTACT_PADDING)};
    if (to.capacity <= 2 * a->capacity) return 0;
    to.x[0] = trj_alloc(4 * to.capacity, sizeof *to.x[0], "neighbours", err);
    to.point = to.x[0] ? trj_alloc(2 * to.capacity, sizeof *to.point, "neighbours", err) : NULL;
    if (!to.point) {
        free(to.x[0]);
        return -1;
    }
    for (int k = 1; k < 4; k++) to.x[k] = to.x[k - 1] + to.capacity;
    to.run = to.point + to.capacity;
    append_atoms(&to, a);
    free(a->x[0]);
    free(a->point);
    *a = to;
    return 0;
}

static int add_runs(void *arg, const struct obs_contact_run *run, size_t runs, uint32_t rows, struct trj_error *err) {
    struct work *w = arg;
    size_t points = 0;
    if (trj_grow(&w->image, &w->image_capacity, w->runs + runs, sizeof *w->image, "neighbours", err)) return -1;
    for (size_t i = 0; i < runs; i++) {
        memcpy(w->image[w->runs + i], run[i].image, sizeof *w->image);
        points += run[i].end - run[i].begin;
    }
    for (uint32_t q = 0; runs && q < rows; q++) {
        const double reach = reach_of_row(w, run->row + q);
        if (!(reach > 0)) continue;
        const struct obs_surface_sphere sphere = make_sphere(w, reach);
        if (reserve(&w->atoms[q][0], points, err) || reserve(&w->atoms[q][1], points, err)) return -1;
        w->kernel->gather(w->order.x, w->reach, run, runs, (uint32_t)w->runs, q, &sphere, w->atoms[q]);
    }
    w->runs += runs;
    return 0;
}

// Removes an atom from those that touch it; its images stay.
static void remove_itself(const struct work *w, uint32_t atom, struct obs_surface_atoms *a) {
    for (size_t i = 0; i < a->count; i++) {
        if (a->x[0][i] != 0 || a->x[1][i] != 0 || a->x[2][i] != 0) continue;
        if (w->all->atoms[w->order.point[a->point[i]]] != atom) continue;
        a->count--;
        for (int k = 0; k < 4; k++) a->x[k][i] = a->x[k][a->count];
        a->point[i] = a->point[a->count];
        a->run[i] = a->run[a->count];
        return;
    }
}

// Returns whether the rule says that one of the atoms covers a point.
static bool is_covered(const struct work *w, uint32_t row, const struct obs_surface_atoms *a, const double u[3]) {
    const double *reaches = w->surface->reach, two = 2 * w->surface->max_reach;
    const uint32_t atom = w->group->atoms[w->order.row[row]];
    const double reach = reaches[atom], half = 0.5 / reach;
    for (size_t i = 0; i < a->count; i++) {
        struct obs_contact c;
        obs_contact_vector(w->search, row, a->point[i], w->image[a->run[i]], &c);
        const uint32_t other = w->all->atoms[c.j];
        const double r = reaches[other], touching = other == atom ? two : reach + r;
        if (!(c.r2 < touching * touching)) continue;
        if (!(c.r2 > 0) && !(reach < r) && !(reach > r)) {
            if (other < atom) return true;
            continue;
        }
        if (!((u[0] * c.d[0] + u[1] * c.d[1]) + u[2] * c.d[2] <= (reach * reach + c.r2 - r * r) * half)) return true;
    }
    return false;
}

static size_t count_exposed(const struct work *w, uint32_t row, const struct obs_surface_atoms *a, float error) {
    const struct surface *s = w->surface;
    const unsigned last = (unsigned)(s->points - (s->blocks - 1) * BLOCK);
    size_t exposed = w->kernel->expose((const float(*)[3][BLOCK])w->u, s->blocks, last, a, error, w->uncertain);
    for (size_t b = 0; b < s->blocks; b++)
        for (unsigned bits = w->uncertain[b]; bits; bits &= bits - 1)
            exposed += !is_covered(w, row, a, s->point[b * BLOCK + (unsigned)__builtin_ctz(bits)]);
    return exposed;
}

static int end_rows(void *arg, uint32_t row, uint32_t rows, struct trj_error *err) {
    struct work *w = arg;
    for (uint32_t q = 0; q < rows; q++) {
        struct obs_surface_atoms *near = &w->atoms[q][0], *rest = &w->atoms[q][1];
        const uint32_t index = w->order.row[row + q];
        const double reach = reach_of_row(w, row + q);
        w->exposed[index] = 0;
        if (!(reach > 0)) continue;
        if (reserve(near, rest->count, err)) return -1;
        remove_itself(w, w->group->atoms[index], near);
        append_atoms(near, rest);
        w->exposed[index] = count_exposed(w, row + q, near, make_sphere(w, reach).error);
        near->count = rest->count = 0;
    }
    w->runs = 0;
    return 0;
}

// ------------------------------------------------------------------------------------------------------------- compute

// Makes the list of all atoms of two lists, which ascend.
static int merge(struct work *w, const struct obs_positions *a, const struct obs_positions *b, struct obs_positions *to,
                 struct trj_error *err) {
    size_t n = 0, most = a->count + b->count;
    if (trj_grow(&w->member, &w->member_capacity, most, sizeof *w->member, "atoms", err) ||
        trj_grow(&w->x, &w->x_capacity, most, sizeof *w->x, "atoms", err))
        return -1;
    for (size_t i = 0, j = 0; i < a->count || j < b->count; n++) {
        bool from_a = j == b->count || (i < a->count && a->atoms[i] <= b->atoms[j]);
        if (from_a && j < b->count && a->atoms[i] == b->atoms[j]) j++;
        const struct obs_positions *from = from_a ? a : b;
        size_t next = from_a ? i++ : j++;
        w->member[n] = from->atoms[next];
        memcpy(w->x[n], from->x[next], sizeof *w->x);
    }
    *to = (struct obs_positions){w->member, n, w->x};
    return 0;
}

static int compute_sasa(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct surface *s = o->own;
    const struct obs_argument *a = o->argument;
    const struct obs_positions *other;
    struct obs_positions both;
    struct obs_contact_search *search = obs_contact_search_of(v, o, err);
    struct work *w = get_work(o, v, err);
    const struct obs_contact_visitor visitor = {begin_frame, add_runs, end_rows, w};
    if (!search || !w || obs_view_positions(v, a[GROUP].selection, &w->group, err)) return -1;
    w->search = search;
    w->all = w->group;
    if (*a[SURROUNDINGS].text) {
        if (obs_view_positions(v, a[SURROUNDINGS].selection, &other, err) || merge(w, w->group, other, &both, err))
            return -1;
        w->all = &both;
    }
    if (trj_grow(&w->exposed, &w->exposed_capacity, w->group->count, sizeof *w->exposed, "atoms", err) ||
        obs_contacts_visit_rows(search, obs_view_frame(v), w->group, w->all, 2 * s->max_reach, &visitor, err))
        return -1;
    for (size_t i = 0; i < o->columns; i++) value[i] = 0;
    for (size_t i = 0; i < w->group->count; i++) {
        double reach = s->reach[w->group->atoms[i]];
        value[o->division ? o->division->parts.part[i] : 0] += reach * reach * (double)w->exposed[i];
    }
    for (size_t i = 0; i < o->columns; i++) value[i] = 4 * 3.14159265358979323846 * value[i] / (double)s->points;
    return 0;
}

static const struct obs_column areas[] = {{"", "Angstrom^2"}};

const struct obs_function obs_sasa = {
    .name = "sasa",
    .parameter = {{.name = "group", .kind = OBS_ATOMS},
                  {.name = "in", .kind = OBS_ATOMS, .standard = ""},
                  {.name = "points", .kind = OBS_NUMBER, .standard = "100"},
                  {.name = "probe", .kind = OBS_NUMBER, .standard = "1.4"},
                  {.name = "radii",
                   .kind = OBS_CHOICE,
                   .standard = "bondi",
                   .choices = "bondi stream",
                   .carry = "bondi:element,stream:radius"}},
    .column = areas,
    .columns = 1,
    .formula = "area of the group that the centre of a probe can reach (Angstrom), in the presence of `in`, with all "
               "periodic images, by points of a golden spiral on each atom (Shrake, Rupley 1973)",
    .residues = OBS_RESIDUES_JOINT,
    .open = open_sasa,
    .compute = compute_sasa,
    .close = close_sasa,
};
