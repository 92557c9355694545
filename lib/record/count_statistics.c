// SPDX-License-Identifier: MIT
// Prints --stats of rdfhist from the counter and the engine, of which neither has all figures.
#include "count_statistics.h"

#include <math.h>
#include <stdio.h>

enum { LINE = 1024 };

static void report_device(const struct trj_device_stats *d, void (*report)(const char *)) {
    char line[LINE], joules[64] = "";
    if (isfinite(d->joules) && d->frames > 0)
        snprintf(joules, sizeof joules, ", joules a frame %.4g", d->joules / d->frames);
    snprintf(line, sizeof line,
             "stats: %s: frames %.10g, evaluated %llu, resolved %llu, counted %llu, kernel %.3f s, upload %.3f s, "
             "idle %.1f %%%s%s",
             d->name, d->frames, (unsigned long long)d->evaluated, (unsigned long long)d->resolved,
             (unsigned long long)d->counted, d->busy, d->upload, 100 * d->idle, joules, d->failed ? ", failed" : "");
    report(line);
}

void rdf_count_statistics(const struct rdf_counter *c, const struct rdf_count_run *run, void (*report)(const char *)) {
    char line[LINE], engine[TRJ_ENGINE_TEXT], times[128];
    struct trj_engine_stats s;
    c->engine->stats(c->state, &s);
    trj_engine_times_text(times, sizeof times, &s, 3, "");
    rdf_engine_describe(engine, c->engine, c->state);
    snprintf(line, sizeof line, "stats: %s", engine);
    report(line);
    if (s.start > 0) {
        snprintf(line, sizeof line, "stats: start of the second engine %.3f s, frames of the first %llu", s.start,
                 (unsigned long long)s.before);
        report(line);
    }
    snprintf(line, sizeof line,
             "stats: frames %llu, atoms %zu, pairs %.0f, evaluated %llu, resolved %llu, counted %llu",
             (unsigned long long)run->frames, run->atoms, c->pairs, (unsigned long long)s.evaluated,
             (unsigned long long)s.resolved, (unsigned long long)c->counted);
    report(line);
    snprintf(
        line, sizeof line,
        "stats: seconds %.3f: read %.3f, write %.3f, excluded pairs %.3f, frames in pairs %.3f; over all threads: %s",
        run->total, run->read, c->wrote, c->excluded, c->paired, times);
    report(line);
    snprintf(line, sizeof line, "stats: per second: frames %.4g, pairs %.4g", (double)run->frames / run->total,
             c->pairs / run->total);
    report(line);
    for (unsigned i = 0; i < s.device_count; i++) report_device(&s.devices[i], report);
    trj_engine_print_energy(&s, run->frames, "frame", "stats: ", report);
}
