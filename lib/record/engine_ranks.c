// SPDX-License-Identifier: MIT
// Divides the pairs of a giant frame among ranks by slabs, so that no rank needs memory for all atoms.
#include "engine_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "memory.h"
#include "rank_places.h"

// A rank has several slabs, which it counts one after the other, because the tiles of a set take more memory than its
// positions.
enum { SLAB_ATOMS = 1250000 };

// An atom that is sent.
struct atom {
    uint32_t groups; // bit g: it is in group g
    float x[3];      // as in the frame
};

struct atoms {
    struct atom *atom;
    size_t count, capacity;
};

struct ranks {
    const struct rdf_job *job;
    unsigned place, size; // index of this rank along the chain of slabs; number of ranks
    uint64_t *counts;     // [pairs][cells] of this rank
    struct rdf_slabs slabs;
    size_t own;         // slabs of a rank
    struct atoms *slab; // [own]
    struct atoms out, in;
    // The axis of the slabs, in the current frame:
    struct tile_axes axes;
    int axis;
    bool periodic;
    double low, per_length; // fractional coordinate: (g . x - low) * per_length, wrapped if periodic
    double reach;           // of pairs, in fractional coordinates
    struct trj_engine_stats stats;
};

// ---- the chain of slabs

// Order of the ranks in it (--hosts); NULL: by their numbers.
static uint32_t *rank_at; // [ranks]

static int rank_of(unsigned place) {
    return rank_at ? (int)rank_at[place] : (int)place;
}

static unsigned own_place(void) {
    unsigned place = 0;
    while (rank_of(place) != (int)trj_mpi_rank()) place++;
    return place;
}

// ---- slabs

void rdf_ranks_share(size_t atoms, unsigned rank, unsigned size, size_t *from, size_t *to) {
    *from = (size_t)((double)atoms * rank / size);
    *to = rank + 1 == size ? atoms : (size_t)((double)atoms * (rank + 1) / size);
}

void rdf_slabs_cut(struct rdf_slabs *s, const uint64_t atoms[RDF_RANKS_BINS]) {
    uint64_t all = 0, before = 0;
    size_t slab = 0;
    for (uint32_t i = 0; i < RDF_RANKS_BINS; i++) all += atoms[i];
    for (uint32_t i = 0; i < RDF_RANKS_BINS; i++) {
        // A bin belongs to the slab in which its middle atom is.
        double place = all ? ((double)before + 0.5 * (double)atoms[i]) / (double)all : 0;
        while (slab < s->count && place >= (double)slab / (double)s->count) s->first[slab++] = i;
        before += atoms[i];
    }
    while (slab <= s->count) s->first[slab++] = RDF_RANKS_BINS;
}

bool rdf_slabs_count(const struct rdf_slabs *s, size_t a, size_t b) {
    size_t ahead = (b + s->count - a) % s->count;
    if (2 * ahead != s->count) return 2 * ahead < s->count;
    return (a < b ? a : b) % 2 == 0 ? a < b : a > b;
}

bool rdf_slabs_near(const struct rdf_slabs *slabs, size_t slab, double s, double reach, bool periodic) {
    double low = (double)slabs->first[slab] / RDF_RANKS_BINS, high = (double)slabs->first[slab + 1] / RDF_RANKS_BINS;
    if (s >= low - reach && s <= high + reach) return true;
    return periodic && (s >= low + 1 - reach || s <= high - 1 + reach);
}

static double coordinate(const struct ranks *e, const struct trj_frame *f, const float x[3]) {
    const double *g = e->axes.g[e->axis];
    double s = 0;
    for (int k = 0; k < 3; k++) s += g[k] * ((double)x[k] * f->unit);
    s = (s - e->low) * e->per_length;
    if (e->periodic) s -= (double)(int64_t)s; // much faster than floor(); rdf_job_check_frame has bounded s
    if (s < 0 && e->periodic) s += 1;
    return s > 0 ? s < 1 ? s : 1 : 0;
}

static uint32_t bin_of(double s) {
    return s < 1 ? (uint32_t)(s * RDF_RANKS_BINS) : RDF_RANKS_BINS - 1;
}

static size_t slab_of(const struct ranks *e, uint32_t bin) {
    size_t low = 0, high = e->slabs.count; // first[low] <= bin < first[high]
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(e->slabs.first[middle] <= bin ? &low : &high) = middle;
    }
    return low;
}

// ---- the engine

const struct trj_option rdf_ranks_option_table[] = {
    {.table = trj_mpi_option_table, .offset = offsetof(struct rdf_ranks_options, mpi)},
    {TRJ_OPTION_FIELD(0, "divide", CHOICE, struct rdf_ranks_options, divide, "WHAT",
                      "with --mpi, divide these among the ranks (default: pairs if a frame has more than 4 million "
                      "atoms)"),
     .choices =
         (const struct trj_choice[]){{"frames", "each rank counts other frames"},
                                     {"pairs", "all ranks count each frame, and none needs memory for all of it"},
                                     {NULL, NULL}},
     .role = TRJ_ROLE_SHELL},
    {TRJ_OPTION_FIELD(0, "hosts", TEXT, struct rdf_ranks_options, hosts, "MAP",
                      "if pairs are divided, give neighbouring slabs to neighbouring hosts of this map, from trjmap "
                      "--domains Nx1x1"),
     .role = TRJ_ROLE_SHELL},
    TRJ_OPTION_END,
};

static bool divides_pairs(const struct rdf_ranks_options *o) {
    return o->divide && !strcmp(o->divide, "pairs");
}

int rdf_ranks_start(const struct rdf_ranks_options *o, const char *path, const struct trj_engine_options *engine,
                    const char *alone, struct trj_error *err) {
    struct trj_engine_options used = *engine;
    if (divides_pairs(o)) used.engine = rdf_engine_cpu.kind.name;
    return trj_mpi_start(&o->mpi, path, &used, alone, err);
}

int rdf_ranks_choose(const struct rdf_engine **engine, bool automatic, const struct rdf_ranks_options *o,
                     const struct trj_stream_header *h, bool plain, size_t keep[2], struct trj_error *err) {
    const bool pairs = divides_pairs(o);
    bool dynamic = h->group_count > RDF_RANKS_GROUPS;
    for (size_t g = 0; g < h->group_count; g++) dynamic = dynamic || h->groups[g].dynamic;
    const bool can = plain && !dynamic && (*engine == &rdf_engine_cpu || (automatic && pairs));
    keep[0] = keep[1] = 0;
    if (trj_mpi_size() > 1 && can && (pairs || (!o->divide && h->atoms > RDF_RANKS_ATOMS))) {
        *engine = &rdf_engine_ranks;
        rdf_ranks_share(h->atoms, trj_mpi_rank(), trj_mpi_size(), &keep[0], &keep[1]);
        if (o->hosts && !rank_at && rdf_rank_places_of_job(&rank_at, o->hosts, err)) return -1;
    }
    if (o->hosts && !o->mpi.on)
        return trj_fail(err, TRJ_USAGE, "--hosts orders the slabs of ranks of MPI; add --mpi, or leave --hosts out");
    if (o->hosts && trj_mpi_size() > 1 && *engine != &rdf_engine_ranks && (!pairs || can))
        return trj_fail(
            err, TRJ_USAGE,
            "--hosts: the ranks divide frames, and only pairs are divided by hosts; give --divide pairs, or "
            "leave --hosts out");
    if (!pairs || can) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--divide pairs: only -e cpu divides pairs, in a stream with at most %d groups, none of which is "
                    "dynamic, and without --lag, --exclude, --metric, --neighbours, --triplets and --surface; give "
                    "--divide frames",
                    RDF_RANKS_GROUPS);
}

static void close_ranks(void *engine) {
    struct ranks *e = engine;
    if (!e) return;
    for (size_t i = 0; e->slab && i < e->own; i++) free(e->slab[i].atom);
    free(e->slab);
    free(e->out.atom);
    free(e->in.atom);
    free(e->slabs.first);
    free(e->counts);
    free(e);
}

static int open_ranks(void **engine, const struct rdf_job *job, struct trj_error *err) {
    struct ranks *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    e->place = own_place();
    e->size = trj_mpi_size();
    e->own = 2 * (1 + job->atoms / e->size / (2 * SLAB_ATOMS));
    e->slabs.count = e->own * e->size;
    e->slabs.first = trj_alloc(e->slabs.count + 1, sizeof *e->slabs.first, "slabs", err);
    e->slab = e->slabs.first ? trj_alloc(e->own, sizeof *e->slab, "slabs", err) : NULL;
    e->counts =
        e->slab ? trj_alloc(job->pair_count * rdf_bins_cells(&job->bins), sizeof *e->counts, "counts", err) : NULL;
    e->stats = (struct trj_engine_stats){.workers = e->size, .times = RDF_ENGINE_TIMES};
    *engine = e;
    if (e->counts) return 0;
    close_ranks(e);
    return -1;
}

static int reserve(struct atoms *to, size_t count, struct trj_error *err) {
    return trj_grow(&to->atom, &to->capacity, to->count + count, sizeof *to->atom, "atoms of a slab", err);
}

static int append(struct atoms *to, const struct atom *atom, size_t count, struct trj_error *err) {
    if (reserve(to, count, err)) return -1;
    if (count) memcpy(to->atom + to->count, atom, count * sizeof *atom);
    to->count += count;
    return 0;
}

// Sets all[rank][n] of all ranks.
static int gather(const struct ranks *e, const double *own, size_t n, double *all, struct trj_error *err) {
    uint64_t *bits = trj_alloc(n * e->size, sizeof *bits, "extents", err);
    if (!bits) return -1;
    memcpy(bits + n * e->place, own, n * sizeof *bits);
    trj_mpi_sum(bits, n * e->size); // the others add zeros
    trj_mpi_broadcast(bits, n * e->size * sizeof *bits);
    memcpy(all, bits, n * e->size * sizeof *bits);
    free(bits);
    return 0;
}

// Chooses the axis along which the system is widest.
static int choose_axis(struct ranks *e, const struct trj_frame *f, size_t from, size_t to, struct trj_error *err) {
    double own[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}; // -low, high
    double *all = trj_alloc((size_t)6 * e->size, sizeof *all, "extents", err), widest = -1;
    if (!all) return -1;
    tile_axes_make(&e->axes, &f->cell);
    for (size_t i = from; i < to; i++)
        for (int k = 0; k < 3; k++) {
            if (e->axes.periodic[k]) continue;
            const double *g = e->axes.g[k];
            double s = ((double)f->x[0][i] * g[0] + (double)f->x[1][i] * g[1] + (double)f->x[2][i] * g[2]) * f->unit;
            own[k] = fmax(own[k], -s);
            own[3 + k] = fmax(own[3 + k], s);
        }
    int rc = gather(e, own, 6, all, err);
    for (int k = 0; !rc && k < 3; k++) {
        double low = -INFINITY, high = -INFINITY;
        for (unsigned i = 0; i < e->size; i++) {
            low = fmax(low, all[6 * i + (unsigned)k]);
            high = fmax(high, all[6 * i + 3 + (unsigned)k]);
        }
        const bool periodic = e->axes.periodic[k];
        double range = periodic ? 1 : high + low > 0 ? high + low : 1, width = range / e->axes.length[k];
        if (width <= widest) continue;
        widest = width;
        e->axis = k;
        e->periodic = periodic;
        e->low = periodic || !isfinite(low) ? 0 : -low;
        e->per_length = 1 / range;
    }
    double reach = rdf_bins_reach(&e->job->bins) + rdf_job_rounding(e->job, f);
    e->reach = reach / widest * (1 + 1e-6) + 1e-6; // far above the rounding of the coordinates in `coordinate`
    free(all);
    return rc;
}

// Sets bit g of groups[i - from] for the atoms of group g that a pair uses.
static void mark_groups(const struct rdf_job *job, uint32_t *groups, size_t from, size_t to) {
    for (size_t g = 0; g < job->group_count; g++) {
        bool used = false;
        for (size_t p = 0; p < job->pair_count; p++) used = used || job->pairs[p].a == g || job->pairs[p].b == g;
        const struct trj_group *group = &job->groups[g];
        size_t low = 0, high = used ? group->count : 0, end = high;
        while (low < high) { // the first atom that is not below `from`
            size_t middle = low + (high - low) / 2;
            if (group->atoms[middle] < from)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < end && group->atoms[low] < to; low++) groups[group->atoms[low] - from] |= UINT32_C(1) << g;
    }
}

// Cuts the slabs, and sets slab[i - from] of the own share.
static int cut_slabs(struct ranks *e, const struct trj_frame *f, const uint32_t *groups, size_t from, size_t to,
                     uint16_t *slab, struct trj_error *err) {
    uint64_t *bins = trj_alloc(RDF_RANKS_BINS, sizeof *bins, "slabs", err);
    if (!bins) return -1;
    for (size_t i = from; i < to; i++) {
        const float x[3] = {f->x[0][i], f->x[1][i], f->x[2][i]};
        slab[i - from] = (uint16_t)bin_of(coordinate(e, f, x));
        bins[slab[i - from]] += groups[i - from] ? 1 : 0;
    }
    trj_mpi_sum(bins, RDF_RANKS_BINS);
    trj_mpi_broadcast(bins, RDF_RANKS_BINS * sizeof *bins);
    rdf_slabs_cut(&e->slabs, bins);
    uint16_t of[RDF_RANKS_BINS];
    for (uint32_t i = 0; i < RDF_RANKS_BINS; i++) of[i] = (uint16_t)slab_of(e, i);
    for (size_t i = from; i < to; i++) slab[i - from] = groups[i - from] ? of[slab[i - from]] : UINT16_MAX;
    free(bins);
    return 0;
}

// Sends e->out to the rank at a place, and receives e->in from that at another one; -1: none.
static int exchange(struct ranks *e, int to, int from, struct trj_error *err) {
    if (to == (int)e->place) { // then `from` is, too
        struct atoms own = e->in;
        e->in = e->out;
        e->out = own;
        return 0;
    }
    uint64_t out = e->out.count, in = 0;
    if (to >= 0) to = rank_of((unsigned)to);
    if (from >= 0) from = rank_of((unsigned)from);
    trj_mpi_exchange(&out, sizeof out, to, &in, sizeof in, from);
    if (trj_grow(&e->in.atom, &e->in.capacity, in, sizeof *e->in.atom, "atoms of a slab", err)) return -1;
    e->in.count = in;
    trj_mpi_exchange(e->out.atom, out * sizeof *e->out.atom, to, e->in.atom, in * sizeof *e->in.atom, from);
    return 0;
}

// Gives each atom of the own share to the rank of its slab, one slab at a time, so that buffers are small.
static int distribute(struct ranks *e, const struct trj_frame *f, const uint32_t *groups, const uint16_t *slab,
                      size_t from, size_t to, struct trj_error *err) {
    for (size_t j = 0; j < e->own; j++) e->slab[j].count = 0;
    for (unsigned step = 0; step < e->size; step++) {
        const unsigned target = (e->place + step) % e->size, source = (e->place + e->size - step) % e->size;
        for (size_t j = 0; j < e->own; j++) {
            const size_t wanted = target * e->own + j;
            size_t count = 0;
            for (size_t i = 0; i < to - from; i++) count += slab[i] == wanted ? 1 : 0;
            e->out.count = 0;
            if (reserve(&e->out, count, err)) return -1;
            for (size_t i = from; i < to; i++)
                if (slab[i - from] == wanted)
                    e->out.atom[e->out.count++] = (struct atom){groups[i - from], {f->x[0][i], f->x[1][i], f->x[2][i]}};
            if (exchange(e, (int)target, (int)source, err) || append(&e->slab[j], e->in.atom, e->in.count, err))
                return -1;
        }
    }
    return 0;
}

// ---- counting

// A job of the engine `cpu` on two sets of atoms: groups [0, n) of the job are those of set 0, and [n, 2 n) of set 1.
struct part {
    struct trj_frame frame;
    struct trj_group *groups;
    struct rdf_pair *pairs;
    size_t *of; // [pairs] the pair of the job
    size_t pair_count;
};

static void free_part(struct part *p, size_t groups) {
    for (size_t g = 0; p->groups && g < groups; g++) free(p->groups[g].atoms);
    free(p->groups);
    free(p->pairs);
    free(p->of);
    trj_frame_free(&p->frame);
}

static int make_groups(struct part *p, const struct rdf_job *job, const struct atoms *set, size_t place,
                       struct trj_group *groups, struct trj_error *err) {
    for (size_t i = 0; i < set->count; i++)
        for (uint32_t bits = set->atom[i].groups, g = 0; bits; bits >>= 1, g++) groups[g].count += bits & 1;
    for (size_t g = 0; g < job->group_count; g++) {
        groups[g].name = job->groups[g].name;
        if (!(groups[g].atoms = trj_alloc(groups[g].count, sizeof *groups[g].atoms, "a group", err))) return -1;
        groups[g].count = 0;
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct atom *a = &set->atom[i];
        for (int k = 0; k < 3; k++) p->frame.x[k][place + i] = a->x[k];
        for (uint32_t bits = a->groups, g = 0; bits; bits >>= 1, g++)
            if (bits & 1) groups[g].atoms[groups[g].count++] = (uint32_t)(place + i);
    }
    return 0;
}

static void add_pair(struct part *p, size_t of, size_t a, size_t b) {
    const uint64_t n = p->groups[a].count, m = p->groups[b].count, pairs = a == b ? n * (n - 1) / 2 : n * m;
    if (!n || !m || !pairs) return;
    p->pairs[p->pair_count] = (struct rdf_pair){(uint32_t)a, (uint32_t)b, pairs};
    p->of[p->pair_count++] = of;
}

static int make_part(struct part *p, const struct ranks *e, const struct trj_frame *f, const struct atoms *one,
                     const struct atoms *two, struct trj_error *err) {
    const struct rdf_job *job = e->job;
    const size_t n = job->group_count;
    trj_frame_copy_head(&p->frame, f);
    if (trj_frame_resize(&p->frame, one->count + (two ? two->count : 0), err)) return -1;
    p->frame.farthest = f->farthest;
    p->groups = trj_alloc(2 * n, sizeof *p->groups, "groups", err);
    p->pairs = p->groups ? trj_alloc(2 * job->pair_count, sizeof *p->pairs, "pairs", err) : NULL;
    p->of = p->pairs ? trj_alloc(2 * job->pair_count, sizeof *p->of, "pairs", err) : NULL;
    if (!p->of || make_groups(p, job, one, 0, p->groups, err)) return -1;
    if (two && make_groups(p, job, two, one->count, p->groups + n, err)) return -1;
    for (size_t i = 0; i < job->pair_count; i++) {
        size_t a = job->pairs[i].a, b = job->pairs[i].b;
        add_pair(p, i, a, two ? n + b : b);
        if (two && a != b) add_pair(p, i, n + a, b);
    }
    return 0;
}

// Counts the pairs of one set with itself (two NULL), or of two sets.
static int count(struct ranks *e, const struct trj_frame *f, const struct atoms *one, const struct atoms *two,
                 struct trj_error *err) {
    const struct rdf_engine *cpu = &rdf_engine_cpu;
    const size_t cells = rdf_bins_cells(&e->job->bins);
    struct part p = {.pair_count = 0};
    void *state = NULL;
    uint64_t *counts = NULL;
    int rc = make_part(&p, e, f, one, two, err);
    if (!rc && p.pair_count) {
        struct rdf_job job = *e->job;
        job.atoms = p.frame.atoms;
        job.group_count = 2 * e->job->group_count;
        job.groups = p.groups;
        job.pair_count = p.pair_count;
        job.pairs = p.pairs;
        job.sample = &p.frame;
        rc = (counts = trj_alloc(p.pair_count * cells, sizeof *counts, "counts", err)) ? 0 : -1;
        if (!rc) rc = cpu->open(&state, &job, err);
        if (!rc) rc = cpu->add(state, &p.frame, err);
        if (!rc) rc = cpu->finish(state, counts, err);
        for (size_t i = 0; !rc && i < p.pair_count; i++)
            for (size_t k = 0; k < cells; k++) e->counts[p.of[i] * cells + k] += counts[i * cells + k];
        struct trj_engine_stats s;
        if (!rc) {
            cpu->stats(state, &s);
            for (int i = 0; i < TRJ_ENGINE_TIMES; i++) e->stats.times[i].seconds += s.times[i].seconds;
            e->stats.evaluated += s.evaluated;
            e->stats.resolved += s.resolved;
        }
        cpu->close(state);
    }
    free(counts);
    free_part(&p, 2 * e->job->group_count);
    return rc;
}

// Sets *to to the atoms of a slab that can be within reach of another one.
static int select_near(const struct ranks *e, const struct trj_frame *f, const struct atoms *from, size_t slab,
                       struct atoms *to, struct trj_error *err) {
    to->count = 0;
    if (e->periodic && e->reach >= 0.5) return append(to, from->atom, from->count, err);
    for (size_t i = 0; i < from->count; i++) {
        double s = coordinate(e, f, from->atom[i].x);
        if (!rdf_slabs_near(&e->slabs, slab, s, e->reach, e->periodic)) continue;
        if (to->count == to->capacity && reserve(to, 1, err)) return -1;
        to->atom[to->count++] = from->atom[i];
    }
    return 0;
}

// Returns whether points of two slabs can be within reach.
static bool slabs_meet(const struct ranks *e, size_t a, size_t b) {
    double low = (double)e->slabs.first[a] / RDF_RANKS_BINS, high = (double)e->slabs.first[a + 1] / RDF_RANKS_BINS;
    if (high <= low || e->slabs.first[b] == e->slabs.first[b + 1]) return false;
    return rdf_slabs_near(&e->slabs, b, low, e->reach, e->periodic) ||
           rdf_slabs_near(&e->slabs, b, high, e->reach, e->periodic) ||
           rdf_slabs_near(&e->slabs, a, (double)e->slabs.first[b] / RDF_RANKS_BINS, e->reach, e->periodic);
}

// Counts the own slab number `j` with the slab that is `ahead` of it, which another rank sends, while this rank sends
// one of its slabs to the rank for which that is ahead.
static int count_ahead(struct ranks *e, const struct trj_frame *f, size_t j, size_t ahead, struct trj_error *err) {
    const size_t all = e->slabs.count, shift = (j + ahead) / e->own, mine = (j + ahead) % e->own;
    const unsigned from = (unsigned)((e->place + shift) % e->size),
                   to = (unsigned)((e->place + e->size - shift % e->size) % e->size);
    const size_t own = e->place * e->own + j, other = (own + ahead) % all;
    const size_t sent = e->place * e->own + mine, receiver = to * e->own + j;
    const bool counts = rdf_slabs_count(&e->slabs, own, other) && slabs_meet(e, own, other);
    const bool sends = rdf_slabs_count(&e->slabs, receiver, sent) && slabs_meet(e, receiver, sent);
    e->out.count = e->in.count = 0;
    if (sends && select_near(e, f, &e->slab[mine], receiver, &e->out, err)) return -1;
    if ((sends || counts) && exchange(e, sends ? (int)to : -1, counts ? (int)from : -1, err)) return -1;
    if (!counts || !e->in.count) return 0;
    return select_near(e, f, &e->slab[j], other, &e->out, err) || count(e, f, &e->out, &e->in, err) ? -1 : 0;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    struct ranks *e = engine;
    size_t from, to;
    rdf_ranks_share(e->job->atoms, trj_mpi_rank(), e->size, &from, &to);
    uint32_t *groups = trj_alloc(to - from, sizeof *groups, "groups", err);
    uint16_t *slab = groups ? trj_alloc(to - from, sizeof *slab, "slabs", err) : NULL;
    if (!slab) {
        free(groups);
        return -1;
    }
    mark_groups(e->job, groups, from, to);
    int rc = choose_axis(e, f, from, to, err);
    if (!rc) rc = cut_slabs(e, f, groups, from, to, slab, err);
    if (!rc) rc = distribute(e, f, groups, slab, from, to, err);
    free(groups);
    free(slab);
    float farthest = f->farthest;
    trj_frame_drop(f);
    f->farthest = farthest;
    for (size_t j = 0; !rc && j < e->own; j++) {
        rc = count(e, f, &e->slab[j], NULL, err);
        for (size_t ahead = 1; !rc && 2 * ahead <= e->slabs.count; ahead++) rc = count_ahead(e, f, j, ahead, err);
    }
    e->stats.frames++;
    return rc;
}

static int finish(void *engine, uint64_t *counts, struct trj_error *err) {
    const struct ranks *e = engine;
    const size_t n = e->job->pair_count * rdf_bins_cells(&e->job->bins);
    (void)err;
    trj_mpi_sum(e->counts, n);
    trj_mpi_broadcast(e->counts, n * sizeof *e->counts);
    memcpy(counts, e->counts, n * sizeof *counts);
    memset(e->counts, 0, n * sizeof *counts);
    return 0;
}

static int end_record(void *engine, uint64_t tag, struct trj_error *err) {
    return rdf_engine_end_record_by_finish(&rdf_engine_ranks, engine, ((struct ranks *)engine)->job, tag, err);
}

static void stats(void *engine, struct trj_engine_stats *s) {
    const struct ranks *e = engine;
    *s = e->stats;
}

const struct rdf_engine rdf_engine_ranks = {
    .kind = {.name = "cpu", .workers = "ranks"},
    .neighbours = &rdf_neighbour_cpu,
    .open = open_ranks,
    .add = add,
    .end_record = end_record,
    .finish = finish,
    .stats = stats,
    .close = close_ranks,
};
