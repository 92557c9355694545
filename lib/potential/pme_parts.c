// SPDX-License-Identifier: MIT
// Opens, fills and finishes the parts that an engine supplies, so that the methods do not depend on engines.
#include "pme_parts.h"

#include <math.h>

int pot_part_open(struct pot_part *p, const struct pot_method *method, const struct pot_job *job, uint64_t first,
                  struct trj_error *err) {
    p->method = method;
    p->first = first;
    return method->open(&p->state, job, err);
}

void pot_part_close(struct pot_part *p) {
    if (p->state) p->method->close(p->state);
    trj_frame_free(&p->copy);
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

int pot_part_finish(struct pot_part *p, const int64_t **values, struct trj_error *err) {
    return p->method->finish(p->state, values, err) ? fail(p, UINT64_MAX) : 0;
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
