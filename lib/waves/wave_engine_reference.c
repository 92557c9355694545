// SPDX-License-Identifier: MIT
// The reference engine: applies the rule of wave_amplitude.h to one atom and one vector at a time.
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "wave_amplitude.h"
#include "wave_engine.h"

struct reference {
    const struct wav_job *job;
    double *power[3]; // [most index + 1][2] of one atom
    size_t capacity[3];
    struct trj_engine_stats stats;
};

static void close_reference(void *engine) {
    struct reference *e = engine;
    for (int c = 0; e && c < 3; c++) free(e->power[c]);
    free(e);
}

static int open_reference(void **engine, const struct wav_job *job, struct trj_error *err) {
    struct reference *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    *e = (struct reference){.job = job, .stats.workers = 1};
    *engine = e;
    return 0;
}

static void find_powers(double *power, int32_t max, double u) {
    double re, im;
    wav_phase(u, &re, &im);
    power[0] = 1;
    power[1] = 0;
    for (int32_t n = 1; n <= max; n++) {
        const double *last = power + 2 * (n - 1);
        double *to = power + 2 * n;
        to[0] = n > 1 ? last[0] * re - last[1] * im : re;
        to[1] = n > 1 ? last[0] * im + last[1] * re : im;
    }
}

// Returns part c of E(n).
static double part(const double *power, int32_t n, int c) {
    double x = power[2 * abs(n) + c];
    return c && n < 0 ? -x : x;
}

static void add_atom(const struct reference *e, const struct wav_vectors *v, int64_t *rho) {
    const unsigned bits = e->job->bits, a = wav_bits_of_rows(bits);
    const double rows = (double)((uint64_t)1 << a), lanes = (double)((uint64_t)1 << (bits - a));
    for (size_t i = 0; i < v->row_count; i++) {
        const struct wav_row *r = &v->rows[i];
        double xr = part(e->power[0], r->h, 0), xi = part(e->power[0], r->h, 1), yr = part(e->power[1], r->k, 0),
               yi = part(e->power[1], r->k, 1);
        int64_t br = (int64_t)wav_round((xr * yr - xi * yi) * rows),
                bi = (int64_t)wav_round((xr * yi + xi * yr) * rows);
        for (uint32_t j = 0; j < r->count; j++) {
            int64_t zr = (int64_t)wav_round(part(e->power[2], r->l + (int32_t)j, 0) * lanes),
                    zi = (int64_t)wav_round(part(e->power[2], r->l + (int32_t)j, 1) * lanes);
            rho[r->first + j] += br * zr - bi * zi;
            rho[v->count + r->first + j] += br * zi + bi * zr;
        }
    }
}

static int amplitudes(void *engine, const struct trj_frame *f, const struct wav_vectors *v, int64_t *rho,
                      struct trj_error *err) {
    struct reference *e = engine;
    double began = trj_seconds();
    for (int c = 0; c < 3; c++)
        if (trj_grow(&e->power[c], &e->capacity[c], 2 * ((size_t)v->max[c] + 1), sizeof *e->power[c], "phases", err))
            return -1;
    for (size_t g = 0; g < e->job->group_count; g++) {
        const struct trj_group *group = &e->job->groups[g];
        int64_t *to = rho + g * 2 * v->count;
        if (!e->job->used[g]) continue;
        memset(to, 0, 2 * v->count * sizeof *to);
        for (size_t i = 0; i < group->count; i++) {
            double x[3];
            rdf_position(f, group->atoms[i], x);
            for (int c = 0; c < 3; c++) find_powers(e->power[c], v->max[c], wav_fraction(v->g[c], x));
            add_atom(e, v, to);
        }
        e->stats.terms += (double)group->count * (double)v->count;
    }
    e->stats.seconds += trj_seconds() - began;
    return 0;
}

static void stats(void *engine, struct trj_engine_stats *s) {
    *s = ((const struct reference *)engine)->stats;
}

const struct wav_engine wav_engine_reference = {
    .kind = TRJ_ENGINE_KIND_REFERENCE,
    .open = open_reference,
    .amplitudes = amplitudes,
    .stats = stats,
    .close = close_reference,
};
