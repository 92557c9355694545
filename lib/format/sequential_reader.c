// SPDX-License-Identifier: MIT
// Reads frames in order: raw frames, which are decoded by any thread, or whole frames of formats without that step.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame_stream.h"
#include "memory.h"
#include "reader_parts.h"

const char *trj_reader_remedy(const struct trj_reader *r) {
    return r->format == &trj_format_imd      ? "see the messages of the simulation program"
           : r->format == &trj_format_stream ? "run trjcat again, or drop the damaged parts with trjcat --salvage"
           : r->internals->named             ? "leave --format out, or create the file again"
                                             : "create the file again";
}

// All formats report the number of frames before a truncated or damaged one through this function. An error that states
// its own remedy keeps it.
void trj_reader_note_complete(const struct trj_reader *r, uint64_t frames, struct trj_error *err) {
    if (err->status != TRJ_BAD_DATA || err->origin || (!err->truncated && strstr(err->text, "; "))) return;
    bool stream = r->format == &trj_format_stream;
    err->complete = stream && !err->truncated ? 0 : frames;
    if (err->complete)
        trj_error_append(err, "; %llu %sframe%s it", (unsigned long long)frames, err->truncated ? "complete " : "",
                         frames == 1 ? " precedes" : "s precede");
    else
        trj_error_set_remedy(err, trj_reader_remedy(r));
}

static int fail_in_frame(const struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    trj_reader_note_complete(r, frame, err);
    return trj_fail_at(err, "%s: frame %llu", trj_input_name(r->in), (unsigned long long)frame);
}

// A live input ends before a frame that is incomplete. Returns `got`, or 0 at that end.
static int end_live(struct trj_reader *r, int got, const struct trj_error *err) {
    if (got >= 0 || err->status != TRJ_BAD_DATA || !trj_input_live_ended(r->in)) return got;
    trj_input_interrupt(r->in, err);
    return 0;
}

static int prepare_raw(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    size_t own = r->format->ops->own;
    return p->own || !own || (p->own = trj_alloc(1, own, "a frame", err)) ? 0 : -1;
}

static int decode_coordinates(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    size_t atoms = r->internals->open_system    ? p->rows
                   : r->internals->picked_index ? r->internals->pick_count
                                                : r->atoms;
    return trj_frame_resize(&p->frame, atoms, err) || r->format->ops->decode(r, p, err) ? -1 : 0;
}

static int read_next_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    p->number = r->next;
    p->whole = p->verifies = p->check_by_decoding = p->maybe_truncated = p->partial = p->light = p->more = false;
    p->bytes.size = p->rows = 0;
    *p->difference = 0;
    p->frame.index = r->next;
    p->frame.farthest = 0;
    if (p->frame.motion) p->frame.motion->has = 0;
    int got = prepare_raw(r, p, err) ? -1 : r->format->ops->read_raw(r, p, err);
    r->offset = trj_input_file_offset(r->in);
    if (got > 0) {
        r->next++;
        return 1;
    }
    if (!got) return 0;
    struct trj_error decode_error;
    bool truncated = err->truncated;
    if (p->partial && decode_coordinates(r, p, &decode_error)) *err = decode_error;
    err->truncated = truncated && err->status == TRJ_BAD_DATA;
    return end_live(r, fail_in_frame(r, p->number, err), err);
}

// Checks that all coordinates are finite. Decoding may have found the largest one already.
static int check_coordinates(struct trj_frame *f, const uint32_t *atoms, struct trj_error *err) {
    return f->farthest > 0 && isfinite(f->farthest) ? 0 : trj_frame_check(f, atoms, err);
}

// Checks that a frame has what is requested of it, with finite velocities.
static int check_motion(const struct trj_reader *r, const struct trj_frame *f, const uint32_t *atoms,
                        struct trj_error *err) {
    const struct trj_reader_internals *internals = r->internals;
    unsigned lacks = internals->motion & ~trj_motion_has(f->motion);
    if (!internals->motion) return 0;
    if (r->header) lacks &= r->header->motion;
    for (int k = 0; k < TRJ_MOTION_KINDS; k++)
        if (lacks >> k & 1)
            return trj_fail(err, TRJ_BAD_DATA,
                            "contains no %s; select frames that contain them with --frames, such as -f ::10, or leave "
                            "%s out of --carry",
                            trj_motion_plurals[k], trj_motion_names[k]);
    return trj_motion_check(f->motion, f->atoms, atoms, err);
}

// Reduces a frame with all atoms to those that are picked. NaN and infinite coordinates are errors in all of them.
static int pick_whole(const struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    if (!r->internals->open_system) f->atoms = r->atoms;
    if (check_coordinates(f, NULL, err) || check_motion(r, f, NULL, err)) return -1;
    if (r->internals->pick) trj_frame_pick(f, r->internals->pick, r->internals->pick_count);
    return 0;
}

int trj_raw_frame_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_frame *f = &p->frame;
    bool keeps = r->internals->keep && r->format->ops->keep && !r->internals->motion;
    f->packed.bytes = 0;
    f->packed_only = keeps && r->internals->keep == TRJ_KEEP_UNCHECKED && r->format->ops->keep(r, p);
    if (f->packed_only) {
        f->atoms = r->internals->pick ? r->internals->pick_count : r->atoms;
        return 0;
    }
    if ((p->whole || !decode_coordinates(r, p, err)) &&
        !(p->whole ? pick_whole(r, f, err)
                   : check_coordinates(f, r->internals->pick, err) || check_motion(r, f, r->internals->pick, err))) {
        if (keeps) (void)r->format->ops->keep(r, p);
        return 0;
    }
    err->truncated = p->check_by_decoding && err->status == TRJ_BAD_DATA;
    return fail_in_frame(r, p->number, err);
}

int trj_reader_check_open(struct trj_reader *r, uint64_t atoms, struct trj_error *err) {
    size_t limit = r->internals->expected ? r->internals->expected : UINT32_MAX;
    if (atoms > limit)
        return trj_fail(err, TRJ_BAD_DATA, "%llu atoms, but at most %zu are expected; give a larger number with --open",
                        (unsigned long long)atoms, limit);
    if (atoms > r->largest) r->largest = (size_t)atoms;
    return 0;
}

int trj_reader_change_frame(const struct trj_reader *r, struct trj_frame *f, uint64_t number, struct trj_error *err) {
    const struct trj_reader_internals *internals = r->internals;
    if (internals->step_ps > 0 && f->step == TRJ_NO_STEP) {
        trj_fail(err, TRJ_BAD_DATA, "has no step, by which --dt is multiplied; leave --dt out");
        return fail_in_frame(r, number, err);
    }
    if (internals->step_ps > 0) f->time = (double)f->step * internals->step_ps;
    return internals->change && internals->change(internals->change_arg, f, err) ? fail_in_frame(r, number, err) : 0;
}

int trj_sequential_skip_one(struct trj_reader *r, struct trj_error *err) {
    struct trj_raw_frame *p = &r->internals->raw;
    if (!r->format->ops->skip) {
        int got = read_next_raw(r, p, err);
        if (got > 0 && p->check_by_decoding && trj_raw_frame_decode(r, p, err)) return -1;
        r->maybe_truncated = r->maybe_truncated || p->maybe_truncated;
        return got;
    }
    int got = r->format->ops->skip(r, err);
    r->offset = trj_input_file_offset(r->in);
    if (got < 0) return end_live(r, fail_in_frame(r, r->next, err), err);
    r->next += (unsigned)got;
    return got;
}

int trj_sequential_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    int got = r->can_seek && r->format->ops->seek ? r->format->ops->seek(r, frame, err)
                                                  : trj_fail(err, TRJ_FAILED, "random access is not possible");
    if (!got && trj_input_check_size(r->in, err)) got = -1; // the file may have lost the frame
    if (got < 0) return trj_fail_at(err, "%s", trj_input_name(r->in));
    if (!got) return 0;
    r->next = frame;
    r->internals->skip_first = 0;
    return 1;
}

int trj_sequential_advance(struct trj_reader *r, uint64_t frames, uint64_t *passed, trj_seek_function *seek,
                           trj_skip_function *skip, struct trj_error *err) {
    uint64_t from = r->next;
    int got = 1;
    *passed = 0;
    if (r->can_seek && frames > 1) {
        got = seek(r, from + frames, err);
        // The file ends before that frame: the frames are counted one by one, up to the end or to the error. A format
        // that cannot seek in a truncated file leaves the reader at its position and clears can_seek.
        if (!got || (got < 0 && err->truncated)) got = r->can_seek ? seek(r, from, err) : 1;
        if (got < 0 && err->truncated) trj_reader_note_complete(r, from, err); // frame number `from` is incomplete
    }
    while (got > 0 && r->next < from + frames) got = skip(r, err);
    *passed = r->next - from;
    return got < 0 ? -1 : 0;
}

// Skips to the next frame that the stride selects. Returns 1, 0 if the file ends before, -1.
static int skip_to_stride(struct trj_reader *r, struct trj_error *err) {
    uint64_t frames = r->internals->skip_first, passed = 0;
    int rc = frames ? trj_sequential_advance(r, frames, &passed, trj_sequential_seek, trj_sequential_skip_one, err) : 0;
    r->internals->skip_first = r->internals->stride - 1;
    return rc ? -1 : passed == frames;
}

int trj_raw_frame_read(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    int got = skip_to_stride(r, err);
    return got > 0 ? read_next_raw(r, p, err) : got;
}

// Reads and decodes a frame into the memory of *f.
static int read_and_decode(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct trj_raw_frame *p = &r->internals->raw;
    struct trj_frame skipped = p->frame; // its memory is kept for frames that are skipped
    p->frame = *f;
    int got = read_next_raw(r, p, err);
    const struct trj_format_ops *ops = r->format->ops;
    if (got > 0 && (trj_raw_frame_decode(r, p, err) || (ops->accept && ops->accept(r, p, err)))) {
        got = -1;
        r->next = p->number;
    }
    r->maybe_truncated = r->maybe_truncated || p->maybe_truncated;
    if (r->internals->identity) memcpy(r->difference, p->difference, sizeof r->difference);
    *f = p->frame;
    p->frame = skipped;
    return got;
}

static int read_in_one_step(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    f->farthest = 0;
    if (f->motion) f->motion->has = 0;
    int got = r->format->ops->read(r, f, err);
    r->offset = trj_input_file_offset(r->in);
    if (got < 0) return end_live(r, fail_in_frame(r, r->next, err), err);
    if (got && pick_whole(r, f, err)) return fail_in_frame(r, r->next, err);
    r->next += (unsigned)got;
    return got;
}

int trj_sequential_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    int got = skip_to_stride(r, err);
    if (got <= 0) return got;
    uint64_t number = r->next;
    got = r->format->ops->read_raw ? read_and_decode(r, f, err) : read_in_one_step(r, f, err);
    if (got <= 0 || !trj_reader_change_frame(r, f, number, err)) return got;
    r->next = number;
    return -1;
}

int trj_sequential_skip(struct trj_reader *r, struct trj_error *err) {
    int got = skip_to_stride(r, err);
    return got > 0 ? trj_sequential_skip_one(r, err) : got;
}
