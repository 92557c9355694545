// SPDX-License-Identifier: MIT
// Detects repeated frames by the latest step and the latest time so far, and by the first and last ones of each input,
// so that no list of frames is needed.
#include "repeated_frames.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

void trj_repeated_frames_start(struct trj_repeated_frames *r) {
    *r = (struct trj_repeated_frames){.last_step = TRJ_NO_STEP, .last_time = NAN};
}

// If step and time are known, neither may be later: steps of GROMACS overflow 32 bits, and some programs write only
// zeros as times.
bool trj_repeated_frames_add(struct trj_repeated_frames *r, const struct trj_frame *f) {
    bool step = f->step != TRJ_NO_STEP && r->last_step != TRJ_NO_STEP, time = !isnan(f->time) && !isnan(r->last_time);
    bool again = (step || time) && !(step && f->step > r->last_step) && !(time && f->time > r->last_time);
    bool first = r->last_step == TRJ_NO_STEP && isnan(r->last_time), any = f->step != TRJ_NO_STEP || !isnan(f->time);
    r->blind = !any || (!first && !step && !time);
    r->advances = r->advances || ((step || time) && !again);
    if (f->step != TRJ_NO_STEP && !(step && f->step <= r->last_step)) r->last_step = f->step;
    if (!isnan(f->time) && !(time && f->time <= r->last_time)) r->last_time = f->time;
    r->count += again;
    return again;
}

int trj_repeated_frames_extend(struct trj_repeated_frames *r, size_t input, const struct trj_frame *f,
                               struct trj_error *err) {
    if (trj_grow(&r->span, &r->span_capacity, input + 1, sizeof *r->span, "inputs", err)) return -1;
    while (r->spans <= input) r->span[r->spans++] = (struct trj_repeated_span){.any = false};
    struct trj_repeated_span *s = &r->span[input];
    if (!s->any) *s = (struct trj_repeated_span){f->step, f->step, f->time, f->time, true};
    if (f->step != TRJ_NO_STEP) s->last_step = f->step;
    if (!isnan(f->time)) s->last_time = f->time;
    return 0;
}

// Compares a frame with a span, by step or else by time: -1 before it, 0 within it, 1 after it. Where all steps of the
// span are equal, as some programs write them, times decide.
static int compare_with_span(const struct trj_frame *f, const struct trj_repeated_span *s) {
    bool step = f->step != TRJ_NO_STEP && s->first_step != TRJ_NO_STEP, time = !isnan(f->time) && !isnan(s->first_time);
    if (step && time && s->first_step == s->last_step && s->first_time < s->last_time) step = false;
    if (step) return f->step < s->first_step ? -1 : f->step > s->last_step;
    return time ? f->time < s->first_time ? -1 : f->time > s->last_time : 0;
}

bool trj_repeated_frames_covers(const struct trj_repeated_frames *r, const struct trj_frame *f, size_t *later) {
    *later = r->spans;
    for (size_t i = 0; i < r->spans; i++) {
        if (!r->span[i].any) continue;
        int side = compare_with_span(f, &r->span[i]);
        if (!side) return true;
        if (side < 0 && *later == r->spans) *later = i;
    }
    return *later == r->spans;
}

int trj_repeated_frames_compare(struct trj_repeated_frames *r, const struct trj_frame *f, struct trj_error *err) {
    if (f->step != TRJ_NO_STEP || !isnan(f->time) || f->packed_only || !f->atoms) return 0;
    if (!r->sample && !(r->sample = trj_alloc(TRJ_REPEATED_SAMPLE, sizeof *r->sample, "coordinates", err))) return -1;
    size_t n = f->atoms < TRJ_REPEATED_SAMPLE ? f->atoms : TRJ_REPEATED_SAMPLE;
    bool same = r->sampled == n;
    for (size_t i = 0; i < n; i++) {
        size_t atom = i * f->atoms / n;
        for (int k = 0; k < 3; k++) {
            same = same && r->sample[i][k] == f->x[k][atom];
            r->sample[i][k] = f->x[k][atom];
        }
    }
    r->identical += same;
    r->sampled = n;
    return 0;
}

void trj_repeated_frames_free(struct trj_repeated_frames *r) {
    free(r->span);
    free(r->sample);
}
