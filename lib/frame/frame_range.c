// SPDX-License-Identifier: MIT
// Parses ranges with Python's rules for negative numbers, and resolves them when the number of frames is known.
#include "frame_range.h"

#include <math.h>
#include <string.h>

#include "number.h"

enum { LONGEST = 64 };

// Copies the part of a text up to `end` or its end, and moves *text there. Returns false if it is too long.
static bool next_part(const char **text, char end, char part[LONGEST]) {
    size_t n = strcspn(*text, (const char[]){end, 0});
    if (n >= LONGEST) return false;
    memcpy(part, *text, n);
    part[n] = 0;
    *text += n;
    return true;
}

// Parses the number of a frame, counted from the start or from the end.
static bool parse_frame(const char *text, uint64_t *number, bool *from_end) {
    *from_end = *text == '-';
    return trj_parse_u64(text + *from_end, number) && !(*from_end && *number == 0);
}

int trj_range_parse(struct trj_range *r, const char *text, struct trj_error *err) {
    struct trj_range got = {.stop = UINT64_MAX, .step = 1};
    char part[3][LONGEST] = {"", "", ""};
    const char *rest = text;
    int n = 0;
    do
        if (n == 3 || !next_part(&rest, ':', part[n++])) goto bad;
    while (*rest++);
    if (n == 1 && !*part[0]) goto bad;
    if (*part[0] && !parse_frame(part[0], &got.start, &got.start_from_end)) goto bad;
    if (*part[1] && !parse_frame(part[1], &got.stop, &got.stop_from_end)) goto bad;
    if (*part[2] && (!trj_parse_u64(part[2], &got.step) || !got.step)) goto bad;
    if (n == 1) { // only that frame
        got.stop_from_end = got.start_from_end && got.start > 1;
        got.stop = got.stop_from_end ? got.start - 1 : got.start_from_end ? UINT64_MAX : got.start + 1;
    }
    if (got.start_from_end == got.stop_from_end && (got.start_from_end ? got.start <= got.stop : got.start >= got.stop))
        goto bad;
    *r = got;
    return 0;
bad:
    return trj_fail(err, TRJ_USAGE,
                    "invalid range '%s': expected START:STOP:STEP with START < STOP and STEP > 0; frames count from 0, "
                    "or -1 from the end",
                    text);
}

int trj_range_resolve(struct trj_range *r, uint64_t frames, struct trj_error *err) {
    if (r->start_from_end) r->start = r->start < frames ? frames - r->start : 0;
    if (r->stop_from_end) r->stop = r->stop < frames ? frames - r->stop : 0;
    r->start_from_end = r->stop_from_end = false;
    if (r->start >= r->stop || r->start >= frames)
        return trj_fail(err, TRJ_BAD_DATA, "the range selects none of the %llu frames; give another one",
                        (unsigned long long)frames);
    return 0;
}

uint64_t trj_range_gap(const struct trj_range *r, uint64_t position) {
    if (position < r->start) return r->start - position;
    uint64_t past = (position - r->start) % r->step, skip = past ? r->step - past : 0;
    return position + skip >= r->stop ? UINT64_MAX : skip;
}

int trj_segment_parse(struct trj_segment *s, const char *text, struct trj_error *err) {
    char number[LONGEST], count[LONGEST];
    const char *rest = text;
    s->unit = 1;
    if (next_part(&rest, '/', number) && *rest && rest++ && next_part(&rest, '/', count) &&
        trj_parse_u64(number, &s->number) && trj_parse_u64(count, &s->count) && s->number >= 1 &&
        s->number <= s->count && (!*rest || (trj_parse_u64(rest + 1, &s->unit) && s->unit)))
        return 0;
    return trj_fail(err, TRJ_USAGE, "invalid value '%s': expected K/N with K from 1 to N, or K/N/L with L from 1",
                    text);
}

// Returns floor(a * b / c) for b <= c.
static uint64_t part_of(uint64_t a, uint64_t b, uint64_t c) {
    return (uint64_t)((unsigned __int128)a * b / c);
}

int trj_segment_take(const struct trj_segment *s, struct trj_range *r, uint64_t frames, struct trj_error *err) {
    const uint64_t end = r->stop < frames ? r->stop : frames, selected = (end - r->start + r->step - 1) / r->step,
                   units = selected / s->unit + (selected % s->unit > 0);
    const uint64_t low = part_of(units, s->number - 1, s->count), high = part_of(units, s->number, s->count);
    if (low == high && s->unit > 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%llu frames in %llu segments of multiples of %llu frames leave none for segment %llu; use "
                        "fewer segments",
                        (unsigned long long)selected, (unsigned long long)s->count, (unsigned long long)s->unit,
                        (unsigned long long)s->number);
    if (low == high)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%llu frames in %llu segments leave none for segment %llu; use fewer segments",
                        (unsigned long long)selected, (unsigned long long)s->count, (unsigned long long)s->number);
    const uint64_t last = high == units ? selected : high * s->unit;
    r->stop = r->start + (last - 1) * r->step + 1;
    r->start += low * s->unit * r->step;
    return 0;
}

int trj_times_parse(struct trj_times *t, const char *text, struct trj_error *err) {
    char part[LONGEST];
    const char *rest = text;
    *t = (struct trj_times){-INFINITY, INFINITY};
    if (!next_part(&rest, ':', part) || (*part && !trj_parse_real(part, &t->from))) goto bad;
    if (!*rest && !*part) goto bad;
    if (!*rest)
        t->to = t->from;
    else if (rest[1] && !trj_parse_real(rest + 1, &t->to))
        goto bad;
    if (t->from <= t->to) return 0;
bad:
    return trj_fail(err, TRJ_USAGE, "invalid range '%s': expected FROM:TO in ps with FROM <= TO", text);
}

int trj_times_compare(const struct trj_times *t, double time) {
    double off = 0.25e-6 * fabs(time);
    return time < t->from - off ? -1 : time > t->to + off;
}
