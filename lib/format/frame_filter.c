// SPDX-License-Identifier: MIT
#include "frame_filter.h"

#include "reader_parts.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

int trj_frame_filter_parse(struct trj_frame_filter *w, const char *frames, const char *times, const char *segment,
                           struct trj_error *err) {
    *w = (struct trj_frame_filter){.range = {.stop = UINT64_MAX, .step = 1}, .timed = times};
    if (frames && trj_range_parse(&w->range, frames, err)) return trj_fail_at(err, "--frames");
    if (times && trj_times_parse(&w->times, times, err)) return trj_fail_at(err, "--time");
    if (segment && trj_segment_parse(&w->segment, segment, err)) return trj_fail_at(err, "--segment");
    if (times && segment)
        return trj_fail(err, TRJ_USAGE,
                        "--time and --segment: segments are ranges of frame numbers, not of times; give one of them");
    return 0;
}

static int no_file(const char *path, struct trj_error *err) {
    return trj_fail(err, TRJ_USAGE,
                    "%s: is not a file, so that its frames cannot be counted in advance; write it to a file first",
                    path);
}

// Standard input is left where it was; a pipe that has to be copied to be read at all is a file from then on.
static int count_frames(const char *path, const struct trj_format *format, size_t atoms, bool cell_given,
                        uint64_t *frames, struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_reader *r = NULL;
    uint64_t bytes;
    bool std = !strcmp(path, "-"), file = trj_input_is_file(path, &bytes);
    if (!std && !file) return no_file(path, err);
    if (trj_input_open(&in, path, err)) return -1;
    const struct trj_format *of = format ? format : trj_format_of(in, err);
    if (!file && !(of && of->ops->seeks)) {
        trj_input_close(in);
        return no_file(path, err);
    }
    unsigned compare = cell_given ? TRJ_CELL_GIVEN : TRJ_COMPARE_NOTHING;
    if (trj_reader_open_comparing(&r, in, format, atoms, compare, err)) return -1;
    int rc = r->can_seek ? trj_reader_count(r, frames, err) : trj_reader_advance(r, UINT64_MAX, frames, err);
    off_t start = (off_t)trj_input_start(r->in); // of the file, or of its copy
    trj_reader_close(r);
    if (!rc && std && lseek(STDIN_FILENO, start, SEEK_SET) < 0) return trj_fail_errno(err, "stdin: cannot seek");
    return rc;
}

int trj_frame_filter_resolve(struct trj_frame_filter *w, char *const *paths, int count, const struct trj_format *format,
                             size_t atoms, struct trj_error *err) {
    uint64_t all = 0, frames;
    bool part = w->range.start || w->range.stop != UINT64_MAX;
    if (!w->segment.of && !w->range.start_from_end && !w->range.stop_from_end) return 0;
    for (int i = 0; i < count; i++, all += frames)
        if (count_frames(paths[i], format, atoms, w->cell_given, &frames, err)) return -1;
    if (trj_range_resolve(&w->range, all, err)) return trj_fail_at(err, "%s", part ? "--frames" : "--segment");
    if (w->segment.of && trj_segment_take(&w->segment, &w->range, all, err)) return trj_fail_at(err, "--segment");
    return 0;
}

uint64_t trj_frame_filter_gap(const struct trj_frame_filter *w) {
    return trj_range_gap(&w->range, w->position);
}

bool trj_frame_filter_more(const struct trj_frame_filter *w) {
    return trj_frame_filter_gap(w) != UINT64_MAX;
}

// To the first frame that is not before the times, by halving.
static int pass_early(struct trj_frame_filter *w, struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    uint64_t frames, low = 0, passed;
    if (!w->timed || !r->can_seek || !isfinite(w->times.from)) return 0;
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
        if (trj_times_compare(&w->times, f->time) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (trj_reader_seek(r, 0, err) < 0 || trj_reader_advance(r, low, &passed, err)) return -1;
    w->position += passed;
    return 0;
}

int trj_frame_filter_first(struct trj_frame_filter *w, struct trj_reader *r, struct trj_frame *f,
                           struct trj_error *err) {
    uint64_t passed;
    if (pass_early(w, r, f, err)) return -1;
    uint64_t skip = trj_frame_filter_gap(w);
    if (skip == UINT64_MAX) return 0;
    int rc = trj_reader_advance(r, skip, &passed, err);
    w->position += passed;
    if (rc || passed < skip) return rc;
    int got = trj_reader_read(r, f, err);
    w->position += got > 0;
    return got;
}

void trj_frame_filter_suggest(const struct trj_frame_filter *w, uint64_t before, struct trj_error *err) {
    const struct trj_range *range = &w->range;
    uint64_t stop = before + err->complete;
    if (!err->complete || w->timed || w->segment.of || range->start >= stop) return;
    if (!range->start && range->stop == UINT64_MAX && range->step == 1)
        trj_error_append(err, "; to read up to there, add -f :%llu", (unsigned long long)stop);
    else if (range->step == 1)
        trj_error_append(err, "; to read up to there, use -f %llu:%llu", (unsigned long long)range->start,
                         (unsigned long long)stop);
    else
        trj_error_append(err, "; to read up to there, use -f %llu:%llu:%llu", (unsigned long long)range->start,
                         (unsigned long long)stop, (unsigned long long)range->step);
}

int trj_frame_filter_time(const struct trj_frame_filter *w, const struct trj_frame *f, int *place,
                          struct trj_error *err) {
    *place = 0;
    if (!w->timed) return 0;
    if (isnan(f->time)) return trj_fail(err, TRJ_BAD_DATA, "has no time, which --time requires; use --frames");
    *place = trj_times_compare(&w->times, f->time);
    return 0;
}
