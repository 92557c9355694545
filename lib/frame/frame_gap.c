// SPDX-License-Identifier: MIT
// Keeps a bounded table of gaps, because the length of a trajectory and its number of different gaps are unknown.
#include "frame_gap.h"

#include <math.h>
#include <stdio.h>

static const char *unit_of(const struct trj_gap *gap) {
    bool one = gap->length == 1;
    switch (gap->unit) {
    case TRJ_GAP_TIME:
        return "ps";
    case TRJ_GAP_STEPS:
        return one ? "MD step" : "MD steps";
    case TRJ_GAP_FRAMES:
        return one ? "frame" : "frames";
    default:
        return "";
    }
}

struct trj_gap trj_gap_between(const struct trj_frame *from, const struct trj_frame *to) {
    if (isfinite(from->time) && isfinite(to->time) && from->time != to->time)
        return (struct trj_gap){TRJ_GAP_TIME, to->time - from->time};
    if (from->step != TRJ_NO_STEP && to->step != TRJ_NO_STEP && from->step != to->step)
        return (struct trj_gap){TRJ_GAP_STEPS, (double)to->step - (double)from->step};
    if (from->source == to->source) return (struct trj_gap){TRJ_GAP_FRAMES, (double)to->index - (double)from->index};
    return (struct trj_gap){TRJ_GAP_UNKNOWN, 0};
}

// Many formats store times as float32, and text formats with few digits.
bool trj_gap_same(const struct trj_gap *a, const struct trj_gap *b, const struct trj_frame *last) {
    double slack = a->unit == TRJ_GAP_TIME ? 1e-3 * a->length + 0x1p-21 * fabs(last->time) : 0;
    return a->unit == b->unit && fabs(a->length - b->length) <= slack;
}

void trj_gap_tally_add(struct trj_gap_tally *t, const struct trj_gap *gap, const struct trj_frame *from,
                       const struct trj_frame *last) {
    size_t i = 0, rarest = 0;
    if (!(gap->length > 0)) return;
    while (i < t->count && !trj_gap_same(&t->gap[i], gap, last)) {
        if (t->times[i] < t->times[rarest]) rarest = i;
        i++;
    }
    if (i == TRJ_GAPS) i = rarest;
    if (i == t->count) t->count++;
    if (!t->times[i] || !trj_gap_same(&t->gap[i], gap, last)) {
        t->gap[i] = *gap;
        t->times[i] = 0;
        t->first[i] = from->index;
    }
    t->times[i]++;
}

struct trj_gap trj_gap_most_common(const struct trj_gap_tally *t) {
    size_t max = 0;
    for (size_t i = 1; i < t->count; i++)
        if (t->times[i] > t->times[max]) max = i;
    return t->count ? t->gap[max] : (struct trj_gap){TRJ_GAP_UNKNOWN, 0};
}

// Returns how often a gap occurs.
static uint64_t times_of(const struct trj_gap_tally *t, const struct trj_gap *gap, const struct trj_frame *last) {
    uint64_t times = 0;
    for (size_t i = 0; i < t->count; i++)
        if (trj_gap_same(&t->gap[i], gap, last)) times += t->times[i];
    return times;
}

void trj_gap_note(char note[TRJ_GAP_NOTE], const struct trj_gap_tally *t, const struct trj_gap *taken,
                  const struct trj_frame *last, uint64_t breaks, uint64_t frames) {
    uint64_t of_taken = times_of(t, taken, last);
    const struct trj_gap *other = NULL;
    *note = 0;
    if (!breaks) return;
    for (size_t i = 0; i < t->count && !other; i++)
        if (t->times[i] == of_taken && !trj_gap_same(&t->gap[i], taken, last)) other = &t->gap[i];
    int n = snprintf(note, TRJ_GAP_NOTE,
                     "%llu of %llu frames do not follow the previous frame at the most common interval, %.6g %s; they "
                     "are not compared with earlier frames",
                     (unsigned long long)breaks, (unsigned long long)frames, taken->length, unit_of(taken));
    if (other)
        snprintf(note + n, TRJ_GAP_NOTE - (size_t)n,
                 "; an interval of %.6g %s is as common: to compare at it, select such frames with trjcat -f",
                 other->length, unit_of(other));
}

int trj_gap_check(const struct trj_gap_tally *t, const struct trj_gap *taken, const struct trj_frame *last,
                  uint64_t margin, struct trj_error *err) {
    uint64_t of_taken = times_of(t, taken, last);
    size_t max = 0;
    for (size_t i = 1; i < t->count; i++)
        if (t->times[i] > t->times[max]) max = i;
    if (!margin && t->count > 2 && t->times[max] == 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "no interval between consecutive frames occurs twice; write frames at equal intervals, or "
                        "select such frames with trjcat -f");
    if (!t->count || t->times[max] <= of_taken || t->times[max] - of_taken <= margin) return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "frames %.6g %s apart are compared, which occur %llu time%s, but frames %.6g %s apart occur %llu times; select "
        "the latter with trjcat -f: the first of them is frame %llu of its file",
        taken->length, unit_of(taken), (unsigned long long)of_taken, of_taken == 1 ? "" : "s", t->gap[max].length,
        unit_of(&t->gap[max]), (unsigned long long)t->times[max], (unsigned long long)t->first[max]);
}
