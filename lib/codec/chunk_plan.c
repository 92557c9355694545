// SPDX-License-Identifier: MIT
// Chooses how the encoder predicts each atom. Atoms are grouped into units of kinds, such that an atom of a kind has
// many samples; then each atom of a kind gets the program that has the lowest cost on some of them.
#include <stdlib.h>

#include "chunk_parts.h"
#include "memory.h"

enum {
    SLOTS_MAX = 4096,    // atoms of a unit
    SLOTS_TOTAL = 40000, // atoms of all kinds
    SAMPLES_MAX = 256,   // of an atom of a kind
    SAMPLES_TOTAL = 30000,
    MIN_SAMPLES = 32, // smaller numbers of samples do not pay for a program
    BOND_LENGTH = 2,  // Å: consecutive atoms of a molecule are closer
    OWN_MODELS = 40,  // programs with models of their own
    BACK = 4,         // candidates for atom a: this many atoms before
};

// ---- Units

struct planner {
    struct trj_codec_plan *plan;
    const struct trj_codec_frames *in;
    const trj_point *point;
    const struct trj_ranges *ranges;
    size_t rounded;
    int level;
    uint32_t *next;    // [atoms] first atom of the unit after that which begins with this atom
    size_t *count[2];  // [SLOTS_MAX + 1] number of molecules, and of residues of other molecules, of each size
    uint32_t *kind[2]; // [SLOTS_MAX + 1] their kinds + 1; 0: none yet
    uint32_t *start;   // [units] first atoms of the units of each kind
    uint32_t single_kind, computed_kind; // of single atoms, and of those that were computed; + 1
    uint32_t bucket[4096], *chain;       // hash table of programs: numbers + 1
    size_t chain_room;
    float *cost;      // [programs] of a coordinate
    uint64_t *weight; // [programs] atoms that use it
    size_t cost_room, weight_room;
};

static bool bonded(const struct trj_codec_frames *in, size_t frame, size_t i) {
    const float *x = in->x + 3 * frame * in->atoms + i;
    double sum = 0, limit = BOND_LENGTH / in->unit;
    for (size_t k = 0; k < 3; k++) {
        double d = (double)x[k * in->atoms] - (double)x[k * in->atoms - 1];
        sum += d * d;
    }
    return sum < limit * limit;
}

// Returns whether atom i begins a molecule, or a residue.
static bool begins(const struct planner *p, const uint32_t *ids, size_t i) {
    const struct trj_codec_frames *in = p->in;
    if (!i || i == in->atoms - in->computed || i > in->atoms - in->computed) return true;
    if (ids) return ids[i] != ids[i - 1];
    return !bonded(in, 0, i) && !bonded(in, in->frames / 2, i) && !bonded(in, in->frames - 1, i);
}

static size_t unit_end(const struct planner *p, const uint32_t *ids, size_t i) {
    size_t end = i + 1;
    while (end < p->in->atoms && !begins(p, ids, end)) end++;
    return end;
}

static bool pays(const struct planner *p, int which, size_t size) {
    return size <= SLOTS_MAX && p->count[which][size] * p->in->frames >= MIN_SAMPLES &&
           (p->kind[which][size] || p->plan->slots + size <= SLOTS_TOTAL);
}

static int add_kind(struct trj_codec_plan *plan, size_t slots, struct trj_error *err) {
    if (trj_grow(&plan->kind, &plan->kind_room, plan->kinds + 1, sizeof *plan->kind, "a chunk", err) ||
        trj_grow(&plan->slot, &plan->slot_room, plan->slots + slots, sizeof *plan->slot, "a chunk", err))
        return -1;
    plan->kind[plan->kinds++] = (struct trj_codec_kind){plan->slots, slots, 0, 0};
    plan->slots += slots;
    return 0;
}

static int add_units(struct planner *p, uint32_t *kind, size_t slots, size_t units, struct trj_error *err) {
    struct trj_codec_plan *plan = p->plan;
    if (!*kind) {
        if (add_kind(plan, slots, err)) return -1;
        *kind = (uint32_t)plan->kinds;
    }
    plan->kind[*kind - 1].units += units;
    if (plan->runs && plan->run[plan->runs - 1].kind == *kind - 1) {
        plan->run[plan->runs - 1].units += units;
        return 0;
    }
    if (trj_grow(&plan->run, &plan->run_room, plan->runs + 1, sizeof *plan->run, "a chunk", err)) return -1;
    plan->run[plan->runs++] = (struct trj_codec_run){*kind - 1, units};
    return 0;
}

static const uint32_t *molecules(const struct planner *p) {
    return p->in->molecule ? p->in->molecule : p->in->residue;
}

static bool has_residues(const struct planner *p) {
    return p->in->molecule && p->in->residue;
}

static void count_units(struct planner *p) {
    size_t atoms = p->in->atoms, end;
    for (size_t i = 0; i < atoms; i = end) {
        p->next[i] = (uint32_t)(end = unit_end(p, molecules(p), i));
        if (end - i <= SLOTS_MAX) p->count[0][end - i]++;
    }
    for (size_t i = 0; i < atoms; i = p->next[i]) {
        if (pays(p, 0, p->next[i] - i) || !has_residues(p)) continue;
        for (size_t k = i; k < p->next[i]; k = end) {
            end = unit_end(p, p->in->residue, k);
            if (end > p->next[i]) end = p->next[i];
            if (end - k <= SLOTS_MAX) p->count[1][end - k]++;
        }
    }
}

static int make_units(struct planner *p, struct trj_error *err) {
    count_units(p);
    for (size_t i = 0; i < p->in->atoms; i = p->next[i]) {
        size_t size = p->next[i] - i, end;
        if (i >= p->in->atoms - p->in->computed) {
            if (add_units(p, &p->computed_kind, 1, size, err)) return -1;
            continue;
        }
        if (pays(p, 0, size)) {
            if (add_units(p, &p->kind[0][size], size, 1, err)) return -1;
            continue;
        }
        for (size_t k = i; k < p->next[i]; k = end) {
            end = has_residues(p) ? unit_end(p, p->in->residue, k) : p->next[i];
            if (end > p->next[i]) end = p->next[i];
            if (has_residues(p) && pays(p, 1, end - k) ? add_units(p, &p->kind[1][end - k], end - k, 1, err)
                                                       : add_units(p, &p->single_kind, 1, end - k, err))
                return -1;
        }
    }
    return 0;
}

static int list_starts(struct planner *p, struct trj_error *err) {
    struct trj_codec_plan *plan = p->plan;
    size_t sum = 0, i = 0;
    for (size_t k = 0; k < plan->kinds; k++) {
        plan->kind[k].sum = sum;
        sum += plan->kind[k].units;
        plan->kind[k].units = 0;
    }
    if (!(p->start = trj_alloc(sum, sizeof *p->start, "a chunk", err))) return -1;
    for (size_t r = 0; r < plan->runs; r++) {
        struct trj_codec_kind *kind = &plan->kind[plan->run[r].kind];
        for (size_t m = 0; m < plan->run[r].units; m++, i += kind->slots)
            p->start[kind->sum + kind->units++] = (uint32_t)i;
    }
    return 0;
}

// ---- Programs

// Places where an atom of a kind is predicted.
struct samples {
    size_t count;
    uint32_t atom[SAMPLES_MAX];
    struct trj_history history[SAMPLES_MAX];
};

// Returns about 8 log2(1 + v).
static unsigned bits_of(uint32_t v) {
    uint32_t u = v < UINT32_MAX ? v + 1 : v;
    unsigned octave = 31u - (unsigned)__builtin_clz(u);
    return 8 * octave + (unsigned)((uint64_t)u * 8 >> octave) - 8;
}

// Returns the cost of a program, in units of 1/8 bit a sample.
static double cost_of(const struct planner *planner, const struct trj_program *p, const struct samples *s) {
    uint64_t sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct trj_coded_atom c;
        trj_codec_code_atom(&c, p, &s->history[i], planner->ranges, s->atom[i]);
        for (int k = 0; k < 3; k++) sum += bits_of(c.value[k]);
    }
    return (double)sum / (double)s->count;
}

struct choice {
    struct trj_program program;
    double cost;
};

static void try_program(const struct planner *planner, struct choice *best, const struct trj_program *p,
                        const struct samples *s) {
    double cost = cost_of(planner, p, s);
    if (cost >= best->cost) return;
    best->program = *p;
    best->cost = cost;
}

// The terms of a linear combination, in the order of the weights.
static void get_terms(const struct trj_ranges *r, const struct trj_program *p, const struct trj_history *h, size_t i,
                      int k, double term[TRJ_WEIGHTS]) {
    int32_t a = trj_atom(h->now, i, p->a)[k], b = trj_atom(h->now, i, p->b)[k], c = trj_atom(h->now, i, p->c)[k];
    int32_t old = h->before[i][k], old_a = trj_atom(h->before, i, p->a)[k], old_b = trj_atom(h->before, i, p->b)[k];
    term[0] = trj_apart(r, k, b, a);
    term[1] = trj_apart(r, k, c, a);
    term[2] = trj_apart(r, k, old, old_a);
    term[3] = trj_apart(r, k, old_b, old_a);
    term[4] = trj_apart(r, k, old, h->earlier[i][k]);
    term[5] = trj_apart(r, k, a, old_a);
}

// Solves a symmetric system of n equations.
static bool solve(double m[TRJ_WEIGHTS][TRJ_WEIGHTS + 1], int n) {
    for (int i = 0; i < n; i++) {
        if (!(m[i][i] > 1e-9)) return false;
        for (int r = 0; r < n; r++) {
            if (r == i) continue;
            double factor = m[r][i] / m[i][i];
            for (int c = i; c <= n; c++) m[r][c] -= factor * m[i][c];
        }
    }
    for (int i = 0; i < n; i++) m[i][n] /= m[i][i];
    return true;
}

// Fits the weights of the terms in `mask`. Distant samples, such as those across the border of the cell, count less.
static bool fit(const struct planner *planner, struct trj_program *p, const struct samples *s, unsigned mask) {
    int term[TRJ_WEIGHTS], n = 0;
    double w[TRJ_WEIGHTS] = {0};
    for (int k = 0; k < TRJ_WEIGHTS; k++)
        if (mask >> k & 1) term[n++] = k;
    for (int pass = 0; pass < 3; pass++) {
        double m[TRJ_WEIGHTS][TRJ_WEIGHTS + 1] = {{0}};
        for (size_t i = 0; i < s->count; i++)
            for (int k = 0; k < 3; k++) {
                double t[TRJ_WEIGHTS];
                const struct trj_history *h = &s->history[i];
                size_t atom = s->atom[i];
                get_terms(planner->ranges, p, h, atom, k, t);
                double y = trj_apart(planner->ranges, k, h->now[atom][k],
                                     p->moves ? h->before[atom][k] : trj_atom(h->now, atom, p->a)[k]);
                double rest = y;
                for (int j = 0; j < n; j++) rest -= w[term[j]] * t[term[j]];
                double weight = 1 / (1 + rest * rest);
                if (!pass) weight = 1 / (1 + fabs(rest));
                for (int r = 0; r < n; r++) {
                    for (int c = 0; c < n; c++) m[r][c] += weight * t[term[r]] * t[term[c]];
                    m[r][n] += weight * t[term[r]] * y;
                }
            }
        for (int r = 0; r < n; r++) m[r][r] *= 1 + 1e-6;
        if (!solve(m, n)) return false;
        for (int r = 0; r < n; r++) w[term[r]] = m[r][n];
    }
    for (int k = 0; k < TRJ_WEIGHTS; k++) {
        if (!(fabs(w[k]) < 8)) return false;
        p->weight[k] = (int16_t)lrint(w[k] * (1 << TRJ_WEIGHT_BITS));
    }
    return true;
}

static void try_fit(const struct planner *planner, struct choice *best, struct trj_program p, const struct samples *s,
                    unsigned mask) {
    if (fit(planner, &p, s, mask)) try_program(planner, best, &p, s);
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Returns the median of the squared distances from an atom, and their relative spread.
static double find_distance(const struct planner *planner, const struct samples *s, uint32_t back, double *spread) {
    double square[SAMPLES_MAX];
    for (size_t i = 0; i < s->count; i++) {
        const int32_t *x = s->history[i].now[s->atom[i]], *a = trj_atom(s->history[i].now, s->atom[i], back);
        square[i] = 0;
        for (int k = 0; k < 3; k++) {
            double d = trj_apart(planner->ranges, k, x[k], a[k]);
            square[i] += d * d;
        }
    }
    qsort(square, s->count, sizeof *square, compare_doubles);
    double median = square[s->count / 2];
    *spread = median > 0 ? (square[3 * s->count / 4] - square[s->count / 4]) / median : INFINITY;
    return median;
}

static uint32_t round_square(double square, bool precise) {
    double d = sqrt(square), unit = precise || d < 100 ? 1 : d / 100;
    if (precise) return (uint32_t)(square + 0.5);
    d = floor(d / unit + 0.5) * unit;
    return (uint32_t)(d * d + 0.5);
}

// Tries atoms at known distances.
static void try_distances(const struct planner *planner, struct choice *best, const uint32_t *back, size_t n,
                          const struct samples *s, bool precise) {
    double square[2] = {0}, spread[2] = {INFINITY, INFINITY};
    uint32_t nearest[2] = {0};
    for (size_t i = 0; i < n; i++) {
        double width, d = find_distance(planner, s, back[i], &width);
        if (!(width < spread[1]) || !(d < 1e9) || d < 1) continue;
        int place = width < spread[0] ? 0 : 1;
        if (!place) {
            square[1] = square[0];
            spread[1] = spread[0];
            nearest[1] = nearest[0];
        }
        square[place] = d;
        spread[place] = width;
        nearest[place] = back[i];
    }
    if (spread[0] > 0.5) return;
    struct trj_program p = {.mode = TRJ_MODE_SPHERE, .a = nearest[0], .square = {round_square(square[0], precise)}};
    try_program(planner, best, &p, s);
    if (spread[1] > 0.5) return;
    p.mode = TRJ_MODE_CIRCLE;
    p.b = nearest[1];
    p.square[1] = round_square(square[1], precise);
    try_program(planner, best, &p, s);
}

// Returns the other two candidates for atoms b and c.
static void set_others(struct trj_program *p, const uint32_t *back, size_t n) {
    p->b = p->c = 0;
    for (size_t i = 0; i < n; i++) {
        if (back[i] == p->a) continue;
        if (!p->b) {
            p->b = back[i];
        } else {
            p->c = back[i];
            return;
        }
    }
}

static size_t list_candidates(uint32_t back[BACK + 2], size_t slot, size_t slots) {
    size_t n = 0;
    for (uint32_t k = 1; k <= BACK; k++) back[n++] = k;
    if (slot > BACK) back[n++] = (uint32_t)slot;            // the first atom of the unit
    if (slots > BACK && !slot) back[n++] = (uint32_t)slots; // the first one of the previous unit
    return n;
}

static struct choice choose(const struct planner *p, const struct samples *s, size_t slot, size_t slots, bool later,
                            uint64_t uses) {
    struct choice best = {.cost = INFINITY};
    uint32_t back[BACK + 2];
    size_t n = list_candidates(back, slot, slots);
    bool fits = p->level > 2 && s->count >= 64 && uses >= 1000, lattice = s->atom[0] < p->rounded;
    if (!s->count) return best;
    for (size_t i = 0; i < n; i++) {
        const struct trj_program linear = {.a = back[i]};
        try_program(p, &best, &linear, s);
    }
    struct trj_program base = best.program;
    if (fits && slot >= 2) {
        set_others(&base, back, slot < n ? slot : n);
        try_fit(p, &best, base, s, base.c ? 3 : 1);
    }
    if (later) {
        struct trj_program moves = {.moves = true};
        try_program(p, &best, &moves, s);
        moves.weight[4] = 1 << TRJ_WEIGHT_BITS;
        try_program(p, &best, &moves, s);
        if (fits) {
            try_fit(p, &best, (struct trj_program){.moves = true}, s, 1 << 4);
            try_fit(p, &best, (struct trj_program){.a = base.a}, s, 1 << 2);
            if (slot) try_fit(p, &best, (struct trj_program){.moves = true, .a = base.a}, s, 1 << 4 | 1 << 5);
            if (slot >= 2) try_fit(p, &best, base, s, base.c ? 15 : 13);
        }
    }
    if (p->level > 2 && lattice) try_distances(p, &best, back, n, s, uses >= 5000);
    return best;
}

// Returns the number of an equal program, which is added if there is none.
static int find_program(struct planner *p, const struct choice *c, uint64_t uses, uint32_t *number,
                        struct trj_error *err) {
    struct trj_codec_plan *plan = p->plan;
    const struct trj_program *q = &c->program;
    uint32_t hash = ((q->a * 31 + q->b) * 31 + q->square[0]) * 31 + q->square[1] + q->mode;
    for (int k = 0; k < TRJ_WEIGHTS; k++) hash = hash * 31 + (uint16_t)q->weight[k];
    uint32_t *bucket = &p->bucket[hash * 2654435761u >> 20];
    for (uint32_t i = *bucket; i; i = p->chain[i - 1])
        if (!memcmp(&plan->program[i - 1], q, sizeof *q)) {
            p->weight[i - 1] += uses;
            *number = i - 1;
            return 0;
        }
    if (trj_grow(&plan->program, &plan->program_room, plan->programs + 1, sizeof *plan->program, "a chunk", err) ||
        trj_grow(&p->chain, &p->chain_room, plan->programs + 1, sizeof *p->chain, "a chunk", err) ||
        trj_grow(&p->cost, &p->cost_room, plan->programs + 1, sizeof *p->cost, "a chunk", err) ||
        trj_grow(&p->weight, &p->weight_room, plan->programs + 1, sizeof *p->weight, "a chunk", err))
        return -1;
    plan->program[plan->programs] = *q;
    p->cost[plan->programs] = (float)c->cost;
    p->weight[plan->programs] = uses;
    p->chain[plan->programs] = *bucket;
    *number = (uint32_t)plan->programs++;
    *bucket = (uint32_t)plan->programs;
    return 0;
}

static void take_samples(const struct planner *p, const struct trj_codec_kind *kind, size_t slot, size_t want,
                         bool later, struct samples *s) {
    size_t frames = p->in->frames - later, units = kind->units, use_frames = frames < 4 ? frames : 4;
    if (units * use_frames < want) use_frames = frames;
    size_t each = want / use_frames ? want / use_frames : 1, use_units = units < each ? units : each;
    if (use_frames > want) use_frames = want;
    s->count = 0;
    for (size_t f = 0; f < use_frames; f++)
        for (size_t u = 0; u < use_units; u++) {
            s->atom[s->count] = (uint32_t)(p->start[kind->sum + u * units / use_units] + slot);
            s->history[s->count++] = trj_history_of(p->point, p->in->atoms, later + f * frames / use_frames);
        }
}

static int choose_programs(struct planner *p, struct trj_error *err) {
    struct trj_codec_plan *plan = p->plan;
    struct samples *s = trj_alloc(1, sizeof *s, "a chunk", err);
    size_t want = plan->slots ? (size_t)SAMPLES_TOTAL * (p->level > 9 ? 2 : 1) / plan->slots : 0;
    int rc = s ? 0 : -1;
    want = want < MIN_SAMPLES ? MIN_SAMPLES : want > SAMPLES_MAX ? SAMPLES_MAX : want;
    for (size_t k = 0; k < plan->kinds && !rc; k++)
        for (size_t i = 0; i < plan->kind[k].slots && !rc; i++) {
            const struct trj_codec_kind *kind = &plan->kind[k];
            struct trj_codec_slot *slot = &plan->slot[kind->first + i];
            take_samples(p, kind, i, want, false, s);
            struct choice c = choose(p, s, i, kind->slots, false, kind->units);
            rc = find_program(p, &c, kind->units, &slot->program[0], err);
            slot->program[1] = slot->program[0];
            if (rc || p->in->frames < 2) continue;
            uint64_t uses = kind->units * (uint64_t)(p->in->frames - 1);
            take_samples(p, kind, i, want, true, s);
            c = choose(p, s, i, kind->slots, true, uses);
            rc = find_program(p, &c, uses, &slot->program[1], err);
        }
    free(s);
    return rc;
}

// Gives programs that are often used models of their own; others share models with those of about the same cost.
static void assign_models(struct planner *p) {
    enum { COSTS = 64 };
    struct trj_codec_plan *plan = p->plan;
    uint16_t shared[TRJ_MODES][COSTS] = {{0}}; // + 1
    size_t own = 0;
    static const uint64_t often[TRJ_MODES] = {1500, 6000, 8000};
    for (size_t i = 0; i < plan->programs; i++) {
        struct trj_program *q = &plan->program[i];
        size_t n = trj_program_models(q->mode), cost = p->cost[i] > 0 ? (size_t)(p->cost[i] / 12) : 0;
        if (p->weight[i] >= often[q->mode] && own < OWN_MODELS) {
            own++;
            q->model = (uint16_t)plan->models;
            plan->models += n;
            continue;
        }
        uint16_t *number = &shared[q->mode][cost < COSTS ? cost : COSTS - 1];
        if (!*number) {
            *number = (uint16_t)(plan->models + 1);
            plan->models += n;
        }
        q->model = (uint16_t)(*number - 1);
    }
}

int trj_codec_plan(struct trj_codec_plan *plan, const struct trj_codec_frames *in, const trj_point *point,
                   const struct trj_ranges *ranges, size_t rounded, int level, struct trj_error *err) {
    struct planner p = {.plan = plan, .in = in, .point = point, .ranges = ranges, .rounded = rounded, .level = level};
    int rc = -1;
    for (int k = 0; k < 2; k++)
        if (!(p.count[k] = trj_alloc(SLOTS_MAX + 1, sizeof *p.count[k], "a chunk", err)) ||
            !(p.kind[k] = trj_alloc(SLOTS_MAX + 1, sizeof *p.kind[k], "a chunk", err)))
            goto out;
    if (!(p.next = trj_alloc(in->atoms, sizeof *p.next, "a chunk", err)) || make_units(&p, err) ||
        list_starts(&p, err) || choose_programs(&p, err))
        goto out;
    assign_models(&p);
    rc = 0;
out:
    for (int k = 0; k < 2; k++) {
        free(p.count[k]);
        free(p.kind[k]);
    }
    free(p.next);
    free(p.start);
    free(p.chain);
    free(p.cost);
    free(p.weight);
    return rc;
}

void trj_codec_plan_free(struct trj_codec_plan *plan) {
    free(plan->kind);
    free(plan->run);
    free(plan->slot);
    free(plan->program);
    *plan = (struct trj_codec_plan){.kinds = 0};
}
