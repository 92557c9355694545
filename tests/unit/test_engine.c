// SPDX-License-Identifier: MIT
// Compares the integers of every engine, and of engine cpu with each kernel, with those of `reference`: all cell
// shapes, ways to place atoms, kinds of pairs, bins and numbers of threads. Compares `reference` with independently
// computed counts of a lattice, whose arithmetic is exact.
#include <math.h>
#include <stdint.h>

#include "cell_shapes.h"
#include "engine.h"
#include "instruction_set.h"
#include "kernel.h"
#include "memory.h"
#include "tap.h"
#include "uniform.h"

// Copies the frame, because an engine may keep the one that it is given (engine.h). `to` is zeroed or was used before.
static bool copy_frame(struct trj_frame *to, const struct trj_frame *from) {
    struct trj_error err;
    to->unit = from->unit;
    to->cell = from->cell;
    if (trj_frame_resize(to, from->atoms, &err) || trj_frame_resize_members(to, from->member_capacity, &err))
        return false;
    for (int k = 0; k < 3; k++) memcpy(to->x[k], from->x[k], from->atoms * sizeof(float));
    if (from->members) memcpy(to->members, from->members, from->member_capacity * sizeof *to->members);
    return true;
}

struct contender {
    const struct rdf_engine *engine;
    const char *isa; // value of TRJPIPE_ISA; NULL: not set
    char name[32];
};

static void use_isa(const char *isa) {
    if (isa)
        setenv("TRJPIPE_ISA", isa, 1);
    else
        unsetenv("TRJPIPE_ISA");
}

static bool count(const struct contender *c, const struct rdf_job *job, const struct trj_frame *f, uint64_t *counts) {
    struct trj_error err;
    struct trj_frame mine = {.atoms = 0};
    const struct rdf_engine *e = c->engine;
    void *engine;
    use_isa(c->isa);
    if (!copy_frame(&mine, f)) return false;
    bool good = !rdf_job_check_frame(job, &mine, &err) && !e->open(&engine, job, &err);
    if (good) {
        good = !e->add(engine, &mine, &err) && !e->finish(engine, counts, &err);
        e->close(engine);
    }
    if (!good) printf("# %s: %s\n", c->name, err.text);
    use_isa(NULL);
    trj_frame_free(&mine);
    return good;
}

static const struct contender reference = {&rdf_engine_reference, NULL, "reference"};

// Engines that can run here, except `reference`.
static struct contender tested[8];
static size_t tested_count;

static void add_contender(const struct rdf_engine *e, const char *isa) {
    struct contender *c = &tested[tested_count++];
    *c = (struct contender){.engine = e, .isa = isa};
    snprintf(c->name, sizeof c->name, "%s%s%s", e->kind.name, isa ? " " : "", isa ? isa : "");
}

static const char *const isas[] = {"avx512", "avx2", "plain"};
enum { ISAS = sizeof isas / sizeof *isas };

static void find_engines(void) {
    struct trj_error err;
    for (const struct trj_choice *c = rdf_engine_choices; c->name; c++) {
        const struct rdf_engine *e;
        if (!strcmp(c->name, "auto") || !strcmp(c->name, "reference")) continue;
        if (rdf_engine_find(&e, c->name, &err) || (e->kind.probe && e->kind.probe(&err))) {
            skip(c->name, err.text);
        } else if (e != &rdf_engine_cpu) {
            add_contender(e, NULL);
        } else {
            for (int i = 0; i < ISAS; i++) {
                const struct rdf_kernel *k;
                use_isa(isas[i]);
                if (rdf_kernel_find(&k, &err))
                    skip(isas[i], err.text);
                else
                    add_contender(e, isas[i]);
            }
            use_isa(NULL);
        }
    }
}

// Compares the counts of all engines with those of reference, pair by pair, and prints the first difference.
static bool same_counts(const struct rdf_job *job, const struct trj_frame *f, uint64_t *sum) {
    struct trj_error err;
    size_t bins = rdf_bins_cells(&job->bins), n = job->pair_count * bins;
    uint64_t *want = trj_alloc(n, sizeof *want, "counts", &err), *got = trj_alloc(n, sizeof *got, "counts", &err);
    bool good = count(&reference, job, f, want);
    for (size_t i = 0; i < n; i++) *sum += want[i];
    for (size_t e = 0; good && e < tested_count; e++) {
        good = count(&tested[e], job, f, got);
        for (size_t i = 0; good && i < n; i++) {
            if (want[i] == got[i]) continue;
            printf("# %s: pair %zu bin %zu: %llu, reference %llu\n", tested[e].name, i / bins, i % bins,
                   (unsigned long long)got[i], (unsigned long long)want[i]);
            good = false;
        }
    }
    free(want);
    free(got);
    return good;
}

enum { ATOMS = 211, FEW_ATOMS = 75 };

// Four tiles of 64 atoms, of which the last is not full; two where each atom has so many images that four tiles would
// take most of the time of this test.
static uint32_t atoms_in(const struct shape *s) {
    const double(*h)[3] = s->h;
    double volume =
        fabs(h[0][0] * (h[1][1] * h[2][2] - h[1][2] * h[2][1]) - h[0][1] * (h[1][0] * h[2][2] - h[1][2] * h[2][0]) +
             h[0][2] * (h[1][0] * h[2][1] - h[1][1] * h[2][0]));
    return s->periodic == TRJ_PERIODIC_ALL && 4 * s->rmax * s->rmax * s->rmax > 5 * volume ? FEW_ATOMS : ATOMS;
}

static void test_engines(void) {
    // All atoms; the even ones; the first half: the last two overlap; the odd ones: disjoint from the even.
    uint32_t all[ATOMS], even[ATOMS / 2 + 1], odd[ATOMS / 2];
    for (uint32_t i = 0; i < ATOMS; i++) {
        all[i] = i;
        if (i % 2)
            odd[i / 2] = i;
        else
            even[i / 2] = i;
    }
    char names[4][6] = {"all", "even", "odd", "first"};
    struct rdf_pair pairs[] = {{0, 0, 1}, {1, 2, 1}, {1, 3, 1}, {3, 1, 1}, {0, 3, 1}};
    // Many bins take most of the time, which clears and adds them, and thus occur with some placings only.
    static const uint64_t bins[] = {1, 64, 1000, 200000}, fewer = 20000;
    struct trj_frame f = {.atoms = 0};
    struct trj_error err;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint32_t atoms = atoms_in(&shapes[s]);
        struct trj_group groups[] = {{.name = names[0], .count = atoms, .atoms = all},
                                     {.name = names[1], .count = atoms / 2 + 1, .atoms = even},
                                     {.name = names[2], .count = atoms / 2, .atoms = odd},
                                     {.name = names[3], .count = atoms / 2 - 5, .atoms = all}};
        if (trj_frame_resize(&f, atoms, &err)) exit(1);
        for (int how = 0; how < PLACINGS; how++) {
            bool good = true;
            uint64_t sum = 0;
            for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
                // Far away; within the first bin; none.
                double rmin = b == 1 ? shapes[s].rmax / 4 : b == 2 ? shapes[s].rmax / 3000 : 0;
                struct rdf_job job = {.bins = {rmin, shapes[s].rmax, b == 3 && how % 3 ? fewer : bins[b]},
                                      .atoms = atoms,
                                      .group_count = 4,
                                      .groups = groups,
                                      .pair_count = 5,
                                      .pairs = pairs,
                                      .threads = (unsigned)(b + 1)};
                place(&f, &shapes[s], (enum placing)how, b == 2 ? 10 : 1);
                good &= same_counts(&job, &f, &sum);
            }
            ok(good && sum > 0, "%s, %s: all engines equal reference (%llu counts)", shapes[s].name, placing_name[how],
               (unsigned long long)sum);
        }
    }
    trj_frame_free(&f);
}

// Adds random axes to the places of a frame; every seventh is the axis z.
static void turn_bodies(struct trj_frame *f, uint32_t bodies) {
    for (size_t i = 0; i < bodies; i++) {
        double u[3], length;
        do {
            for (int k = 0; k < 3; k++) u[k] = 2 * uniform() - 1;
            length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        } while (length > 1 || length < 0.1);
        for (int k = 0; k < 3; k++) f->x[k][bodies + i] = i % 7 ? (float)(u[k] / length) : (float)(k == 2);
    }
    f->atoms = 2 * bodies;
    f->farthest = 0;
}

// As test_engines, with metrics that have a second coordinate.
static void test_metrics(void) {
    uint32_t all[ATOMS], even[ATOMS / 2 + 1];
    for (uint32_t i = 0; i < ATOMS; i++) {
        all[i] = i;
        if (i % 2 == 0) even[i / 2] = i;
    }
    char names[2][6] = {"all", "even"};
    struct rdf_pair pairs[] = {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}}; // the last one is a group with itself in both orders
    static const struct {
        enum rdf_metric_kind kind;
        double window;                // of rmax
        uint64_t second, bins, fewer; // `fewer` with most placings, because many bins take most of the time
    } metrics[] = {{RDF_METRIC_PLANE, 0.3, 1, 64, 64}, {RDF_METRIC_PLANE, 0.7, 16, 100, 100},
                   {RDF_METRIC_PLANE, 2, 3000, 30, 5}, {RDF_METRIC_PLANE, 1e-3, 7, 20000, 1000},
                   {RDF_METRIC_ANGLE, 0, 1, 64, 64},   {RDF_METRIC_ANGLE, 0, 20, 100, 100},
                   {RDF_METRIC_ANGLE, 0, 4096, 20, 3}, {RDF_METRIC_BODY, 0, 20, 100, 100},
                   {RDF_METRIC_BODY, 0, 500, 64, 20},  {RDF_METRIC_BODY, 0, 1, 30, 30}};
    struct trj_frame f = {.atoms = 0};
    struct trj_error err;
    if (trj_frame_resize(&f, 2 * ATOMS, &err)) exit(1);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint32_t atoms = atoms_in(&shapes[s]);
        struct trj_group groups[] = {{.name = names[0], .count = atoms, .atoms = all},
                                     {.name = names[1], .count = atoms / 2 + 1, .atoms = even},
                                     {.name = names[0], .count = atoms, .atoms = all}};
        for (int how = 0; how < PLACINGS; how++) {
            bool good = true;
            uint64_t sum = 0;
            for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
                double rmax = shapes[s].rmax;
                const bool body = metrics[m].kind == RDF_METRIC_BODY,
                           ordered = body || metrics[m].kind == RDF_METRIC_ANGLE;
                struct rdf_job job = {
                    .bins = {m % 2 ? rmax / 5 : 0,
                             rmax,
                             how ? metrics[m].fewer : metrics[m].bins,
                             {metrics[m].kind, (unsigned)(m + s) % 3, metrics[m].window * rmax, metrics[m].second}},
                    .atoms = body ? 2 * atoms : atoms,
                    .group_count = 3,
                    .groups = groups,
                    // An angle is not defined for a group with itself in one order.
                    .pair_count = ordered ? 2 : 3,
                    .pairs = ordered ? pairs + 1 : pairs,
                    .threads = (unsigned)(m % 3 + 1)};
                f.atoms = atoms;
                place(&f, &shapes[s], (enum placing)how, m == 2 ? 10 : 1);
                if (body) turn_bodies(&f, atoms);
                good &= same_counts(&job, &f, &sum);
            }
            ok(good && sum > 0, "%s, %s: all engines equal reference for all metrics (%llu counts)", shapes[s].name,
               placing_name[how], (unsigned long long)sum);
        }
    }
    trj_frame_free(&f);
}

// Moves atoms by little or by far, in a cell that shears, and some of them by a lattice vector.
static void wander(struct trj_frame *f, int step) {
    double far = step % 7 == 6 ? 30 : 0.05;
    f->cell.h[1][0] += 0.3;
    f->cell.h[2][2] *= 1.01;
    for (size_t i = 0; i < f->atoms; i++)
        for (int c = 0; c < 3; c++) {
            f->x[c][i] += (float)(far * (uniform() - 0.5));
            if (i % 5 == (size_t)step % 5) f->x[c][i] += (float)f->cell.h[step % 3][c];
        }
}

// Sets the members of the dynamic groups: none, all, or some.
static void draw_members(struct trj_frame *f, const struct rdf_job *job, int step) {
    struct trj_error err;
    size_t words = 0;
    for (size_t g = 0; g < job->group_count; g++) words += trj_group_words(&job->groups[g]);
    if (trj_frame_resize_members(f, words, &err)) exit(1);
    if (words) memset(f->members, 0, words * sizeof *f->members);
    for (size_t g = 0; g < job->group_count; g++) {
        const struct trj_group *group = &job->groups[g];
        double share = step % 5 == 1 + (int)g ? 0 : step % 5 == 4 ? 1 : uniform();
        for (size_t i = 0; group->dynamic && i < group->count; i++)
            if (uniform() < share) f->members[group->word + i / 32] |= 1u << i % 32;
    }
}

// Counts consecutive frames: the first STEPS / 3 alone, then the others.
static bool count_stream(const struct contender *c, const struct rdf_job *job, uint64_t *counts) {
    enum { STEPS = 21 };
    struct trj_error err;
    struct trj_frame f = {.atoms = 0}, mine = {.atoms = 0};
    void *engine = NULL;
    size_t n = job->pair_count * job->bins.count;
    bool good = !trj_frame_resize(&f, job->atoms, &err);
    uniform_state = 11;
    f.unit = 1;
    f.cell = (struct trj_cell){{{21, 0, 0}, {3, 19, 0}, {-2, 5, 23}}, 7};
    for (size_t i = 0; good && i < f.atoms; i++)
        for (int k = 0; k < 3; k++) f.x[k][i] = (float)(25 * uniform());
    use_isa(c->isa);
    good = good && !c->engine->open(&engine, job, &err);
    use_isa(NULL);
    for (int step = 0; good && step < STEPS; step++) {
        draw_members(&f, job, step);
        // The frame that the engine put in the place of the previous one is filled, as the tools do.
        good = copy_frame(&mine, &f) && !c->engine->add(engine, &mine, &err);
        if (step == STEPS / 3) good = good && !c->engine->finish(engine, counts, &err);
        wander(&f, step);
    }
    good = good && !c->engine->finish(engine, counts + n, &err);
    if (!good) printf("# %s: %s\n", c->name, err.text);
    if (engine) c->engine->close(engine);
    trj_frame_free(&mine);
    trj_frame_free(&f);
    return good;
}

static void test_streams(void) {
    enum { MAX = 700, BINS = 50 };
    static uint32_t all[MAX], some[MAX / 3];
    for (uint32_t i = 0; i < MAX; i++) all[i] = i;
    for (uint32_t i = 0; i < MAX / 3; i++) some[i] = 2 * i;
    char names[2][6] = {"all", "some"};
    struct rdf_pair pairs[] = {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const uint32_t sizes[] = {12, MAX}; // counted immediately, and in flight
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct trj_group groups[] = {{.name = names[0], .count = sizes[s], .atoms = all},
                                     {.name = names[1], .count = sizes[s] / 3, .atoms = some}};
        struct rdf_job job = {.bins = {0, 9, BINS},
                              .atoms = sizes[s],
                              .group_count = 2,
                              .groups = groups,
                              .pair_count = 3,
                              .pairs = pairs};
        uint64_t want[2 * 3 * BINS], got[2 * 3 * BINS];
        bool good = count_stream(&reference, &job, want);
        for (size_t e = 0; e < tested_count; e++)
            for (job.threads = 1; good && job.threads <= 5; job.threads += 2) {
                good = count_stream(&tested[e], &job, got) && !memcmp(want, got, sizeof want);
                if (!good) printf("# %s, %u threads\n", tested[e].name, job.threads);
            }
        ok(good, "%u moving atoms, consecutive frames: all engines, any number of threads", sizes[s]);
    }
}

// Counts of parts of the frames, by tag.
struct parts {
    uint64_t *counts; // [PARTS][size]
    size_t size;
};

enum { PARTS = 12, PART_FRAMES = 40 };

static void add_to_part(void *arg, uint64_t tag, const uint64_t *counts) {
    const struct parts *p = arg;
    for (size_t i = 0; i < p->size; i++) p->counts[tag * p->size + i] += counts[i];
}

// Counts consecutive frames in parts of 1 to 6 frames.
static bool count_parts(const struct contender *c, struct rdf_job *job, struct parts *parts) {
    struct trj_error err;
    struct trj_frame f = {.atoms = 0}, mine = {.atoms = 0};
    void *engine = NULL;
    uint64_t tag = 0;
    job->deliver = add_to_part;
    job->deliver_arg = parts;
    memset(parts->counts, 0, PARTS * parts->size * sizeof *parts->counts);
    uniform_state = 13;
    bool good = !trj_frame_resize(&f, job->atoms, &err);
    f.unit = 1;
    f.cell = (struct trj_cell){{{21, 0, 0}, {3, 19, 0}, {-2, 5, 23}}, 7};
    for (size_t i = 0; good && i < f.atoms; i++)
        for (int k = 0; k < 3; k++) f.x[k][i] = (float)(25 * uniform());
    use_isa(c->isa);
    good = good && !c->engine->open(&engine, job, &err);
    use_isa(NULL);
    for (unsigned n = 0, end = 0; good && n < PART_FRAMES; n++) {
        good = copy_frame(&mine, &f) && !c->engine->add(engine, &mine, &err);
        if (good && n == end) {
            good = !c->engine->end_record(engine, tag++, &err);
            end = n + 1 + (unsigned)(tag % 6);
        }
        wander(&f, (int)n);
    }
    good = good && tag < PARTS && !c->engine->finish(engine, parts->counts + tag * parts->size, &err);
    if (!good) printf("# %s: %s\n", c->name, err.text);
    if (engine) c->engine->close(engine);
    trj_frame_free(&mine);
    trj_frame_free(&f);
    return good;
}

static void test_parts(void) {
    enum { ATOMS_A = 700 };
    static uint32_t all[ATOMS_A], some[ATOMS_A / 3];
    for (uint32_t i = 0; i < ATOMS_A; i++) all[i] = i;
    for (uint32_t i = 0; i < ATOMS_A / 3; i++) some[i] = 2 * i;
    char names[2][6] = {"all", "some"};
    struct rdf_pair pairs[] = {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    struct trj_group groups[] = {{.name = names[0], .count = ATOMS_A, .atoms = all},
                                 {.name = names[1], .count = ATOMS_A / 3, .atoms = some}};
    static const uint64_t bins[] = {50, 1500, 6000, 120000}; // on a GPU: many, few and one part per launch; windows
    for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
        struct rdf_job job = {.bins = {b % 2 ? 0.5 : 0, 9, bins[b]},
                              .atoms = ATOMS_A,
                              .group_count = 2,
                              .groups = groups,
                              .pair_count = 3,
                              .pairs = pairs,
                              .threads = 2};
        struct trj_error err;
        struct parts want = {.size = 3 * bins[b]}, got = want;
        want.counts = trj_alloc(PARTS * want.size, sizeof *want.counts, "counts", &err);
        got.counts = trj_alloc(PARTS * want.size, sizeof *want.counts, "counts", &err);
        bool good = want.counts && got.counts && count_parts(&reference, &job, &want);
        for (size_t e = 0; good && e < tested_count; e++)
            good = count_parts(&tested[e], &job, &got) &&
                   !memcmp(want.counts, got.counts, PARTS * want.size * sizeof *want.counts);
        ok(good, "%llu bins: the counts of each part of the frames", (unsigned long long)bins[b]);
        free(want.counts);
        free(got.counts);
    }
}

// Dynamic groups: engines against reference, and reference against static groups with the same members in each frame.
static void test_changing(void) {
    enum { MAX = 700, BINS = 50, GROUPS = 3, PAIRS = 5 };
    static uint32_t all[MAX], some[MAX / 3], list[GROUPS][MAX];
    for (uint32_t i = 0; i < MAX; i++) all[i] = i;
    for (uint32_t i = 0; i < MAX / 3; i++) some[i] = 2 * i;
    char names[GROUPS][6] = {"all", "some", "many"};
    struct rdf_pair pairs[PAIRS] = {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, 2, 1}, {2, 2, 1}};
    static const uint32_t sizes[] = {12, MAX}; // counted immediately, and in flight
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct trj_group groups[GROUPS] = {{names[0], sizes[s], all, false, 0},
                                           {names[1], sizes[s] / 3, some, true, 0},
                                           {names[2], sizes[s] / 2, all + 3, true, 0}};
        trj_groups_lay_out(groups, GROUPS);
        struct rdf_job job = {.bins = {0, 9, BINS},
                              .atoms = sizes[s],
                              .group_count = GROUPS,
                              .groups = groups,
                              .pair_count = PAIRS,
                              .pairs = pairs};
        static uint64_t want[2 * PAIRS * BINS], got[2 * PAIRS * BINS];
        bool good = count_stream(&reference, &job, want);
        for (size_t e = 0; e < tested_count; e++)
            for (job.threads = 1; good && job.threads <= 5; job.threads += 2) {
                good = count_stream(&tested[e], &job, got) && !memcmp(want, got, sizeof want);
                if (!good) printf("# %s, %u threads\n", tested[e].name, job.threads);
            }
        ok(good, "%u atoms in dynamic groups: all engines, any number of threads", sizes[s]);
        struct trj_frame f = {.unit = 1, .cell = {{{9, 0, 0}, {0, 8, 0}, {0, 0, 7}}, 7}};
        struct trj_error err;
        if (trj_frame_resize(&f, sizes[s], &err)) exit(1);
        for (size_t i = 0; i < f.atoms; i++)
            for (int k = 0; k < 3; k++) f.x[k][i] = (float)(9 * uniform());
        for (int step = 0; good && step < 5; step++) {
            struct trj_group fixed[GROUPS];
            struct rdf_job same = job;
            same.groups = fixed;
            draw_members(&f, &job, step);
            for (size_t g = 0; g < GROUPS; g++)
                fixed[g] = (struct trj_group){names[g], trj_group_list(&groups[g], &f, list[g]), list[g], false, 0};
            good = count(&reference, &job, &f, want) && count(&reference, &same, &f, got) &&
                   !memcmp(want, got, sizeof want / 2);
            for (size_t p = 0; good && p < PAIRS; p++) {
                struct rdf_pair fresh = pairs[p];
                rdf_pair_number(&fresh, fixed, &err); // 0 if there is no pair
                good = rdf_pairs_in(&pairs[p], groups, &f) == (p ? fresh.pairs : pairs[p].pairs);
            }
        }
        ok(good, "%u atoms: dynamic groups give the counts of static ones", sizes[s]);
        trj_frame_free(&f);
    }
}

// The cell becomes so small that earlier positions are many cells away and known only roughly. An order that is kept
// must not lose images.
static void test_jump(void) {
    enum { N = 200, BINS = 20 };
    static const double large = 1e8, small = 1e-9;
    static uint32_t atoms[N];
    struct trj_frame f[2] = {{.atoms = 0}, {.atoms = 0}};
    struct trj_error err;
    uint64_t want[BINS], got[BINS];
    char names[2][2] = {"A", "B"};
    for (uint32_t i = 0; i < N; i++) atoms[i] = i;
    struct trj_group groups[] = {{.name = names[0], .count = N / 2, .atoms = atoms},
                                 {.name = names[1], .count = N / 2, .atoms = atoms + N / 2}};
    struct rdf_pair pair = {0, 1, 1};
    struct rdf_job job = {.bins = {0, 1.5 * small, BINS},
                          .atoms = N,
                          .group_count = 2,
                          .groups = groups,
                          .pair_count = 1,
                          .pairs = &pair,
                          .threads = 1};
    const double skew[3][3] = {{1, 0.11, 0.21}, {0.37, 1, -0.17}, {-0.41, 0.73, 1}};
    uniform_state = 5;
    for (int s = 0; s < 2; s++) {
        if (trj_frame_resize(&f[s], N, &err)) exit(1);
        f[s].unit = 1;
        f[s].cell.periodic = 7;
        for (int k = 0; k < 3; k++) {
            for (int c = 0; c < 3; c++) f[s].cell.h[k][c] = s ? small * skew[k][c] : k == c ? large : 0;
            for (int i = 0; i < N; i++)
                f[s].x[k][i] =
                    (float)(s ? 5 * small * uniform() : (i < N / 2 ? 0.49 : 0.15) * large + 1000 * k + uniform());
        }
    }
    bool good = count(&reference, &job, &f[1], want);
    for (size_t e = 0; good && e < tested_count; e++) {
        void *engine = NULL;
        use_isa(tested[e].isa);
        good = !tested[e].engine->open(&engine, &job, &err);
        use_isa(NULL);
        for (int s = 0; good && s < 2; s++) {
            struct trj_frame mine = {.atoms = 0};
            good = copy_frame(&mine, &f[s]) && !tested[e].engine->add(engine, &mine, &err) &&
                   !tested[e].engine->finish(engine, got, &err);
            trj_frame_free(&mine);
        }
        good = good && !memcmp(want, got, sizeof want);
        if (!good) printf("# %s\n", tested[e].name);
        if (engine) tested[e].engine->close(engine);
    }
    ok(good, "the cell becomes smaller by 1e17: counts are right");
    for (int s = 0; s < 2; s++) trj_frame_free(&f[s]);
}

// A periodic simple cubic lattice of n^3 points: squared distances are integers, and the number of neighbours at each
// is the number of ways to write it as a sum of three squares. Edges are at integers, and a distance on an edge belongs
// to the bin above it.
static void test_lattice(void) {
    enum { SIDE = 6, N = SIDE * SIDE * SIDE, FAR = 9 };
    struct trj_frame f = {.atoms = 0};
    struct trj_error err;
    uint32_t atoms[N];
    char name[] = "all";
    trj_frame_resize(&f, N, &err);
    f.unit = 1;
    f.cell = (struct trj_cell){{{SIDE, 0, 0}, {0, SIDE, 0}, {0, 0, SIDE}}, 7};
    for (uint32_t i = 0; i < N; i++) {
        atoms[i] = i;
        f.x[0][i] = (float)(i % SIDE);
        f.x[1][i] = (float)(i / SIDE % SIDE);
        f.x[2][i] = (float)(i / SIDE / SIDE);
    }
    uint64_t want[FAR] = {0}, got[FAR];
    for (int x = -FAR; x <= FAR; x++)
        for (int y = -FAR; y <= FAR; y++)
            for (int z = -FAR; z <= FAR; z++) {
                int r2 = x * x + y * y + z * z, k = 0;
                bool own = x % SIDE == 0 && y % SIDE == 0 && z % SIDE == 0; // an image of the atom itself
                while ((k + 1) * (k + 1) <= r2) k++;
                if (k < FAR && !own) want[k] += N / 2;
            }
    struct trj_group group = {.name = name, .count = N, .atoms = atoms};
    struct rdf_pair pair = {0, 0, 0};
    ok(!rdf_pair_number(&pair, &group, &err) && pair.pairs == (uint64_t)N * (N - 1) / 2,
       "pairs of a group with itself");
    struct rdf_job job = {
        .bins = {0, FAR, FAR}, .atoms = N, .group_count = 1, .groups = &group, .pair_count = 1, .pairs = &pair};
    ok(count(&reference, &job, &f, got) && !memcmp(want, got, sizeof want),
       "reference: every distance of a cubic lattice on an edge");
    for (size_t e = 0; e < tested_count; e++)
        ok(count(&tested[e], &job, &f, got) && !memcmp(want, got, sizeof want),
           "%s: every distance of a cubic lattice on an edge", tested[e].name);
    trj_frame_free(&f);
}

// Distances one double from an edge on either side: the squares of the edges decide.
static void test_bins(void) {
    struct rdf_bins b = {.rmin = 0.1, .rmax = 12.3, .count = 777};
    struct trj_error err;
    double *squares = rdf_bins_squares(&b, &err);
    bool good = true;
    for (uint64_t k = 0; k <= b.count; k++) {
        good &= rdf_bin_of(&b, squares, squares[k]) == k;
        good &= rdf_bin_of(&b, squares, nextafter(squares[k], 0)) == (k ? k - 1 : b.count);
    }
    ok(good, "an edge belongs to the bin above it, the previous double to the bin below it");
    free(squares);
    const struct {
        struct rdf_bins b;
        const char *what;
    } bad[] = {{{0, 0, 10, {0}}, "rmax 0"},
               {{0, -1, 10, {0}}, "rmax negative"},
               {{0, NAN, 10, {0}}, "rmax NaN"},
               {{0, INFINITY, 10, {0}}, "rmax infinite"},
               {{-1, 5, 10, {0}}, "rmin negative"},
               {{NAN, 5, 10, {0}}, "rmin NaN"},
               {{5, 5, 10, {0}}, "no range"},
               {{0, 5, 0, {0}}, "no bins"},
               {{0, 5, (uint64_t)1 << 40, {0}}, "2^40 bins"},
               {{1, nextafter(1, 2), 10, {0}}, "edges that fall together"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(rdf_bins_check(&bad[i].b, &err) && err.status == TRJ_USAGE, "invalid bins are rejected: %s", bad[i].what);
}

// rmax is 5 Å. A cube has (2 * 5 / width + 1)^3 images; at most 2^28 atoms of images are accepted.
static void test_images(struct rdf_job *job, struct trj_frame *f) {
    const struct trj_cell cell = f->cell;
    struct trj_group group = {.count = 1};
    const struct rdf_pair pair = {.a = 0, .b = 0};
    struct trj_error err = {.text = ""};
    const struct {
        double width;
        unsigned periodic;
        size_t atoms;
        const char *number; // number of images in the message; NULL: accepted
    } cases[] = {{0.001, 7, 2, "reaches 1e+12 images"},
                 {0.1, 7, 300, "reaches 1.03e+06 images"},
                 {0.1, 7, 260, NULL},
                 {0.1, 7, 261, "2.69e+08 atoms in all"},
                 {0.001, 3, 2, NULL},
                 {0.001, 3, 3, "reaches 1e+08 images"},
                 {0.001, 1, 10000, NULL},
                 {0.0155, 7, 1, "reaches 2.7e+08 images"},
                 {0.0156, 7, 1, NULL},
                 {10, 7, (size_t)1 << 31, NULL},
                 {5, 7, (size_t)1 << 31, NULL},
                 {4.9, 7, (size_t)1 << 31, "images"}};
    job->groups = &group;
    job->pairs = &pair;
    job->group_count = job->pair_count = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f->cell = (struct trj_cell){{{0}}, cases[i].periodic};
        for (int k = 0; k < 3; k++) f->cell.h[k][k] = cases[i].width;
        group.count = cases[i].atoms;
        bool rejected = rdf_job_check_frame(job, f, &err);
        ok(cases[i].number ? rejected && err.status == TRJ_BAD_DATA && has_text(err.text, cases[i].number) : !rejected,
           "cell of %g Å with %zu atoms, periodic %u: %s", cases[i].width, cases[i].atoms, cases[i].periodic,
           rejected ? err.text : "accepted");
    }
    // A skewed basis of a cube of 10 Å has the same images, but more of them are searched.
    group.count = 1000000;
    f->cell = (struct trj_cell){{{10, 0, 0}, {1000, 10, 0}, {0, 1000, 10}}, 7};
    ok(!rdf_job_check_frame(job, f, &err), "a skewed basis of a wide lattice is accepted");
    group.count = 1;
    f->cell = (struct trj_cell){{{0.25, 0, 0}, {5.5, 0.25, 0}, {0, 5.5, 0.25}}, 7};
    ok(rdf_job_check_frame(job, f, &err) && has_text(err.text, "e+08 images"),
       "a basis too skewed to search its images: rejected: %s", err.text);
    f->cell = cell;
    job->groups = NULL;
    job->pairs = NULL;
    job->group_count = job->pair_count = 0;
}

static void test_frame_checks(void) {
    struct trj_frame f = {.atoms = 0};
    struct trj_error err;
    struct rdf_job job = {.bins = {0, 5, 10}, .atoms = 2};
    trj_frame_resize(&f, 2, &err);
    memset(f.x[0], 0, 2 * sizeof(float));
    memset(f.x[1], 0, 2 * sizeof(float));
    memset(f.x[2], 0, 2 * sizeof(float));
    f.unit = 1;
    f.cell = (struct trj_cell){{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}, 7};
    ok(!rdf_job_check_frame(&job, &f, &err), "a valid frame is accepted");
    f.x[1][1] = 2e8f;
    ok(rdf_job_check_frame(&job, &f, &err) && has_text(err.text, "atom 1 of the stream: y"),
       "a coordinate beyond measure: %s", err.text);
    f.x[1][1] = 0;
    f.cell.h[2][2] = 1e-4;
    ok(rdf_job_check_frame(&job, &f, &err) && has_text(err.text, "cells along c"),
       "a cell too small for rmax: rejected: %s", err.text);
    f.cell.h[2][2] = 10;
    test_images(&job, &f);
    job.atoms = 3;
    ok(rdf_job_check_frame(&job, &f, &err) && err.status == TRJ_BAD_DATA, "another number of atoms: rejected: %s",
       err.text);
    trj_frame_free(&f);
}

static void test_table(void) {
    struct trj_error err;
    const struct rdf_engine *e = NULL;
#ifdef TRJPIPE_CUDA
    ok(!rdf_engine_find(&e, "auto", &err) && e == &rdf_engine_auto, "auto is engine cpu, then engine cuda");
#else
    ok(!rdf_engine_find(&e, "auto", &err) && e == &rdf_engine_cpu, "auto is engine cpu");
#endif
    ok(!rdf_engine_find(&e, "reference", &err) && e == &rdf_engine_reference, "engine reference is found by its name");
    ok(!rdf_engine_find(&e, "cpu", &err) && e == &rdf_engine_cpu, "engine cpu is found by its name");
    ok(rdf_engine_find(&e, "abacus", &err) && err.status == TRJ_NO_ENGINE, "an unknown engine is an error");
}

static void test_kernels(void) {
    struct trj_error err;
    const struct rdf_kernel *best, *k;
    struct rdf_job job = {.bins = {0, 5, 10}, .atoms = 2, .threads = 1};
    void *engine;
    bool found = !rdf_kernel_find(&best, &err), first = true;
    ok(found && has_text(trj_isa_names(), best->name), "a kernel is found");
    for (int i = 0; i < ISAS; i++) {
        use_isa(isas[i]);
        if (rdf_kernel_find(&k, &err)) {
            ok(err.status == TRJ_NO_ENGINE, "%s", err.text);
            continue;
        }
        ok(!strcmp(k->name, isas[i]), "TRJPIPE_ISA selects a kernel: %s", isas[i]);
        if (first) ok(k == best, "the fastest kernel is the default");
        first = false;
    }
    ok(!strcmp(k->name, "plain"), "the kernel in plain C runs everywhere");
    use_isa("abacus");
    ok(rdf_kernel_find(&k, &err) && err.status == TRJ_NO_ENGINE, "an unknown kernel is an error: %s", err.text);
    ok(rdf_engine_cpu.open(&engine, &job, &err) && err.status == TRJ_NO_ENGINE, "the engine reports it: %s", err.text);
    use_isa(NULL);
}

int main(void) {
    find_engines();
    test_bins();
    test_frame_checks();
    test_table();
    test_kernels();
    test_lattice();
    test_engines();
    test_metrics();
    test_streams();
    test_parts();
    test_changing();
    test_jump();
    return done();
}
