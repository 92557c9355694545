// SPDX-License-Identifier: MIT
// Skips frames before the first selected one without decoding them, or finds it by bisection of times where the format
// allows random access.
#include "frame_filter.h"

#include "frame_stream.h"
#include "reader_parts.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

int trj_frame_filter_parse(struct trj_frame_filter *filter, const char *frames, const char *times, const char *segment,
                           struct trj_error *err) {
    *filter = (struct trj_frame_filter){.range = {.stop = UINT64_MAX, .step = 1}, .timed = times};
    if (frames && trj_range_parse(&filter->range, frames, err)) return trj_fail_at(err, "--frames");
    if (times && trj_times_parse(&filter->times, times, err)) return trj_fail_at(err, "--time");
    if (segment && trj_segment_parse(&filter->segment, segment, err)) return trj_fail_at(err, "--segment");
    if (times && segment)
        return trj_fail(err, TRJ_USAGE,
                        "--time and --segment: segments are ranges of frame numbers, not of times; give one of them");
    return 0;
}

static int fail_not_file(const char *path, unsigned compare, struct trj_error *err) {
    if (compare & TRJ_OPEN_SYSTEM)
        return trj_fail(err, TRJ_USAGE,
                        "%s: is not a file, so that it cannot be read in advance; write it to a file first, or give "
                        "the largest number of atoms in a frame, as --open 5000",
                        path);
    return trj_fail(err, TRJ_USAGE,
                    "%s: is not a file, so that its frames cannot be counted in advance; write it to a file first",
                    path);
}

static int count_frames(struct trj_reader *r, uint64_t *frames, struct trj_error *err) {
    return r->can_seek ? trj_reader_count(r, frames, err) : trj_reader_advance(r, UINT64_MAX, frames, err);
}

// Skips frames up to number *frames, and sets *frames to the number of those that were skipped. An open system keeps
// the largest number of atoms in them.
static int skip_frames(struct trj_reader *r, uint64_t *frames, struct trj_error *err) {
    int got = 1;
    while (r->next < *frames && (got = trj_reader_skip(r, err)) > 0) continue;
    *frames = r->next;
    return got < 0 ? -1 : 0;
}

// Reads an input in advance, by `read`, and sets *largest to r->largest. Standard input stays at its position. A pipe
// in a format that is not read in order is accepted, because the reader copies it to a temporary file.
static int read_in_advance(const char *path, const struct trj_format *format, size_t atoms, unsigned compare,
                           int (*read)(struct trj_reader *r, uint64_t *frames, struct trj_error *err), uint64_t *frames,
                           size_t *largest, struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_reader *r = NULL;
    uint64_t bytes;
    bool is_stdin = !strcmp(path, "-");
    int is_file = trj_input_is_file(path, &bytes, err);
    if (is_file < 0) return -1;
    if (!is_stdin && !is_file && !access(path, F_OK)) return fail_not_file(path, compare, err);
    if (trj_input_open(&in, path, err)) return -1;
    const struct trj_format *detected = format ? format : trj_format_of(in, err);
    if (!is_file && !(detected && detected->ops->seeks)) {
        trj_input_close(in);
        return fail_not_file(path, compare, err);
    }
    if (trj_reader_open_comparing(&r, in, format, atoms, compare, err)) return -1;
    int rc = read(r, frames, err);
    *largest = r->header ? r->header->atoms : r->largest;
    off_t start = (off_t)trj_input_start(r->in); // of the file, or of its copy
    trj_reader_close(r);
    if (!rc && is_stdin && lseek(STDIN_FILENO, start, SEEK_SET) < 0) return trj_fail_errno(err, "stdin: cannot seek");
    return rc;
}

// Returns the number of frames of a resolved range.
static uint64_t frames_of(const struct trj_range *range, uint64_t total) {
    const uint64_t end = range->stop < total ? range->stop : total;
    return end > range->start ? (end - range->start + range->step - 1) / range->step : 0;
}

// Reduces the range to the segment and the overlap.
static int take_segment(struct trj_frame_filter *filter, uint64_t total, struct trj_error *err) {
    struct trj_range *range = &filter->range;
    const struct trj_range all = *range;
    if (trj_segment_take(&filter->segment, range, total, err)) return trj_fail_at(err, "--segment");
    if (!filter->overlap) return 0;
    struct trj_stream_segment *part = &filter->part;
    part->total = frames_of(&all, total);
    part->first = (range->start - all.start) / all.step;
    part->count = frames_of(range, total);
    const uint64_t left = part->total - part->first - part->count;
    part->following = filter->overlap < left ? filter->overlap : left;
    range->stop += part->following * range->step;
    return 0;
}

int trj_frame_filter_resolve(struct trj_frame_filter *filter, char *const *paths, int count,
                             const struct trj_format *format, size_t atoms, struct trj_error *err) {
    uint64_t total = 0, frames;
    size_t largest;
    bool range_given = filter->range.start || filter->range.stop != UINT64_MAX;
    if (!filter->segment.count && !filter->range.start_from_end && !filter->range.stop_from_end) return 0;
    for (int i = 0; i < count; i++, total += frames)
        if (read_in_advance(paths[i], format, atoms, filter->compare, count_frames, &frames, &largest, err)) return -1;
    if (trj_range_resolve(&filter->range, total, err))
        return trj_fail_at(err, "%s", range_given ? "--frames" : "--segment");
    return filter->segment.count ? take_segment(filter, total, err) : 0;
}

int trj_frame_filter_largest(const struct trj_frame_filter *filter, char *const *paths, int count,
                             const struct trj_format *format, size_t *largest, struct trj_error *err) {
    uint64_t left = filter->range.stop, frames;
    *largest = 0;
    for (int i = 0; i < count && left; i++, left -= frames) {
        size_t one;
        frames = left;
        if (read_in_advance(paths[i], format, 0, filter->compare, skip_frames, &frames, &one, err)) return -1;
        if (one > *largest) *largest = one;
    }
    return 0;
}

uint64_t trj_frame_filter_gap(const struct trj_frame_filter *filter) {
    return trj_range_gap(&filter->range, filter->position);
}

bool trj_frame_filter_more(const struct trj_frame_filter *filter) {
    return trj_frame_filter_gap(filter) != UINT64_MAX;
}

// Moves to the first frame that is not before the times, by bisection.
static int skip_early(struct trj_frame_filter *filter, struct trj_reader *r, struct trj_frame *f,
                      struct trj_error *err) {
    uint64_t frames, low = 0, passed;
    if (!filter->timed || !r->can_seek || !isfinite(filter->times.from)) return 0;
    if (trj_reader_count(r, &frames, err)) return -1;
    for (uint64_t high = frames; low < high;) {
        uint64_t middle = low + (high - low) / 2;
        int got = trj_reader_seek(r, middle, err);
        if (got > 0) got = trj_reader_read(r, f, err);
        if (!got)
            return trj_fail(err, TRJ_BAD_DATA,
                            "%s: frame %llu: missing now, so the file has changed; read it again when no other program "
                            "writes to it",
                            trj_input_name(r->in), (unsigned long long)middle);
        if (got < 0) return -1;
        if (trj_times_compare(&filter->times, f->time) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (trj_reader_seek(r, 0, err) < 0 || trj_reader_advance(r, low, &passed, err)) return -1;
    filter->position += passed;
    return 0;
}

int trj_frame_filter_first(struct trj_frame_filter *filter, struct trj_reader *r, struct trj_frame *f,
                           struct trj_error *err) {
    uint64_t passed;
    if (skip_early(filter, r, f, err)) return -1;
    uint64_t skip = trj_frame_filter_gap(filter);
    if (skip == UINT64_MAX) return 0;
    int rc = trj_reader_advance(r, skip, &passed, err);
    filter->position += passed;
    if (rc || passed < skip) return rc;
    int got = trj_reader_read(r, f, err);
    filter->position += got > 0;
    return got;
}

void trj_frame_filter_suggest(const struct trj_frame_filter *filter, uint64_t before, struct trj_error *err) {
    const struct trj_range *range = &filter->range;
    uint64_t stop = before + err->complete;
    if (!err->complete || filter->timed || filter->segment.count || range->start >= stop) return;
    if (!range->start && range->stop == UINT64_MAX && range->step == 1)
        trj_error_append(err, "; to read up to there, add -f :%llu", (unsigned long long)stop);
    else if (range->step == 1)
        trj_error_append(err, "; to read up to there, use -f %llu:%llu", (unsigned long long)range->start,
                         (unsigned long long)stop);
    else
        trj_error_append(err, "; to read up to there, use -f %llu:%llu:%llu", (unsigned long long)range->start,
                         (unsigned long long)stop, (unsigned long long)range->step);
}

int trj_frame_filter_time(const struct trj_frame_filter *filter, const struct trj_frame *f, int *order,
                          struct trj_error *err) {
    *order = 0;
    if (!filter->timed) return 0;
    if (isnan(f->time)) return trj_fail(err, TRJ_BAD_DATA, "has no time, which --time requires; use --frames");
    *order = trj_times_compare(&filter->times, f->time);
    return 0;
}
