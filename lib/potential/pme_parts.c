// SPDX-License-Identifier: MIT
// Opens, fills and finishes the parts that an engine supplies, so that the methods do not depend on engines.
#include "pme_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

int pot_part_open(struct pot_part *p, const struct pot_method *method, const struct pot_job *job, uint64_t first,
                  struct trj_error *err) {
    p->method = method;
    p->first = first;
    return method->open(&p->state, job, err);
}

void pot_part_close(struct pot_part *p) {
    if (p->state) p->method->close(p->state);
    trj_frame_free(&p->copy);
    free(p->carried);
    *p = (struct pot_part){.state = NULL};
}

static int fail(struct pot_part *p, uint64_t number) {
    p->failed = true;
    p->bad_frame = p->method->bad_frame ? p->method->bad_frame(p->state) : number;
    if (p->method->bad_frame && p->bad_frame != UINT64_MAX) p->bad_frame += p->first;
    return -1;
}

int pot_part_add(struct pot_part *p, const struct pot_frame *frame, bool keep, uint64_t number, struct trj_error *err) {
    struct pot_frame f = *frame;
    if (keep && frame->stream) {
        if (trj_frame_copy(&p->copy, frame->stream, err)) return -1;
        f.stream = &p->copy;
    }
    return p->method->add(p->state, &f, err) ? fail(p, number) : 0;
}

int pot_part_collect(struct pot_part *p, size_t count, int64_t **values, struct trj_error *err) {
    const int64_t *own;
    if (!p->carried && !(p->carried = trj_alloc(count, sizeof *p->carried, "sums", err))) return -1;
    if (p->taken) memset(p->carried, 0, count * sizeof *p->carried);
    p->taken = false;
    if (p->method->finish(p->state, &own, err)) return fail(p, UINT64_MAX);
    for (size_t i = 0; i < count; i++)
        if (__builtin_add_overflow(p->carried[i], own[i], &p->carried[i]))
            return trj_fail(err, TRJ_BAD_DATA, "the sum at value %zu exceeds 64 bits; use fewer frames", i);
    *values = p->carried;
    return 0;
}

int pot_part_finish(struct pot_part *p, size_t count, const int64_t **values, struct trj_error *err) {
    int64_t *sums;
    if (!p->carried) return p->method->finish(p->state, values, err) ? fail(p, UINT64_MAX) : 0;
    if (pot_part_collect(p, count, &sums, err)) return -1;
    p->taken = true;
    *values = sums;
    return 0;
}

uint64_t pot_parts_bad_frame(const struct pot_part *const part[2], uint64_t number) {
    for (int i = 0; i < 2; i++)
        if (part[i]->failed) return part[i]->bad_frame;
    return number;
}

void pot_parts_stats(struct pot_part *const part[2], struct trj_device_stats devices[POT_PART_DEVICES],
                     struct trj_engine_stats *stats) {
    *stats = (struct trj_engine_stats){.devices = devices};
    for (int i = 0; i < 2; i++) {
        struct trj_engine_stats s = {.device_count = 0};
        if (part[i]->state && part[i]->method->stats) part[i]->method->stats(part[i]->state, &s);
        for (unsigned d = 0; d < s.device_count && d < POT_PART_DEVICES; d++) {
            bool new = d >= stats->device_count;
            struct trj_device_stats before = {.busy = 0};
            if (!new) before = devices[d];
            devices[d] = s.devices[d];
            devices[d].busy += before.busy;
            devices[d].upload += before.upload;
            devices[d].joules += before.joules;
            devices[d].failed |= before.failed;
            devices[d].idle = NAN;
            if (new) stats->device_count = d + 1;
        }
    }
}
