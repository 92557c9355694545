// SPDX-License-Identifier: MIT
// Decides about hand-overs for counts and maps, so that both start GPUs by the same rules.
//
// Threads: the second engine is opened by the thread of work_start. Until the start has ended, that thread alone uses
// the member `notes`. The thread that calls the functions does everything else. The first engine uses all cores, and
// the start needs one more thread, which mostly waits for the device. Both go on: the scheduler gives each of the
// threads, one more than cores, an equal share of time.
#include "handover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine_start.h"
#include "memory.h"
#include "number.h"
#include "tool.h"

#define CHECK_INTERVAL 1e-3 // s; small frames are computed in microseconds

static const char FORCED[] = "TRJPIPE_HANDOVER";

struct work_handover {
    struct work_handover_plan plan;
    struct work_start_plan start_plan;
    struct work_start *start;
    bool decided;         // the second engine has taken over, or cannot be used
    bool done;            // the second engine has taken over
    uint64_t forced;      // number of the frame of TRJPIPE_HANDOVER, UINT64_MAX: not set
    double opened, share; // time, and share of the input that was read, when the hand-over was opened
    double checked;       // time of the last check
    double began;         // time when the start began
    char **notes;         // of the second engine, until it takes over
    size_t note_count, note_capacity;
};

static void note(const struct work_handover *h, const char *text) {
    if (h->plan.note) h->plan.note(h->plan.note_arg, text);
}

void work_handover_note(void *handover, const char *text) {
    struct work_handover *h = handover;
    struct trj_error ignored;
    if (h->done) {
        note(h, text);
        return;
    }
    if (trj_grow(&h->notes, &h->note_capacity, h->note_count + 1, sizeof *h->notes, "notes", &ignored)) return;
    h->notes[h->note_count] = trj_copy_text(text, &ignored);
    if (h->notes[h->note_count]) h->note_count++;
}

static void report_notes(struct work_handover *h) {
    for (size_t i = 0; i < h->note_count; i++) {
        note(h, h->notes[i]);
        free(h->notes[i]);
    }
    h->note_count = 0;
}

static double share_read(const struct work_handover *h) {
    return h->plan.share_read ? h->plan.share_read(h->plan.share_of) : NAN;
}

bool work_handover_is_forced(void) {
    return getenv(FORCED) != NULL;
}

bool work_handover_is_done(const struct work_handover *h) {
    return h->done;
}

int work_handover_open(struct work_handover **handover, const struct work_handover_plan *plan, struct trj_error *err) {
    const char *forced = getenv(FORCED);
    struct work_handover *h = trj_alloc(1, sizeof *h, "an engine", err);
    if (!h) return -1;
    h->plan = *plan;
    h->forced = UINT64_MAX;
    if (forced && !trj_parse_u64(forced, &h->forced)) {
        free(h);
        return trj_fail(err, TRJ_USAGE, "%s: invalid value '%s': expected the number of a frame", FORCED, forced);
    }
    h->start_plan = (struct work_start_plan){plan->second->name, plan->second->probe, plan->open, plan->owner};
    h->opened = h->checked = trj_seconds();
    h->share = share_read(h);
    *handover = h;
    return 0;
}

// Continues without the second engine after its failure, which is an error only if a setting of the user is invalid.
static int give_up(struct work_handover *h, const struct trj_error *why, bool absent, struct trj_error *err) {
    char text[sizeof why->text + 8];
    h->decided = true;
    work_start_close(h->start, false);
    h->start = NULL;
    report_notes(h);
    if (why->status == TRJ_USAGE) {
        *err = *why;
        return -1;
    }
    snprintf(text, sizeof text, "note: %s", why->text);
    if (!absent) note(h, text);
    return 0;
}

static int begin_start(struct work_handover *h, struct trj_error *err) {
    h->began = trj_seconds();
    return work_start_begin(&h->start, &h->start_plan, err);
}

int work_handover_check(struct work_handover *h, uint64_t frames, struct trj_error *err) {
    struct trj_error why;
    bool forced = h->forced != UINT64_MAX, absent;
    if (h->decided) return 0;
    double now = trj_seconds();
    if (!forced && now - h->checked < CHECK_INTERVAL) return 0;
    h->checked = now;
    if (!h->start && !forced && !work_start_pays(now - h->opened, h->share, share_read(h), false)) return 0;
    if (!h->start && begin_start(h, &why)) return give_up(h, &why, false, err);
    if (forced && frames < h->forced) return 0;
    switch (work_start_state(h->start, forced, &why, &absent)) {
    case WORK_START_IN_PROGRESS:
        return 0;
    case WORK_START_FAILED:
        return give_up(h, &why, absent, err);
    case WORK_START_READY:
        break;
    }
    return forced || work_start_pays(now - h->opened, h->share, share_read(h), true);
}

double work_handover_done(struct work_handover *h) {
    h->done = h->decided = true;
    report_notes(h);
    return trj_seconds() - h->began;
}

void work_handover_close(struct work_handover *h) {
    if (!h) return;
    work_start_close(h->start, h->done);
    if (work_start_abandoned()) return; // the thread of the start may use the rest
    for (size_t i = 0; i < h->note_count; i++) free(h->notes[i]);
    free(h->notes);
    free(h);
}
