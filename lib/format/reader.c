// SPDX-License-Identifier: MIT
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pool.h"
#include "read_ahead.h"

// What this build cannot read is told like anything else, and refused by its name.
static int open_format(struct trj_reader *r, struct trj_error *err) {
    if (r->format->lacks)
        return trj_fail(err, TRJ_NO_ENGINE, "cannot read %s: this build lacks %s", r->format->name, r->format->lacks);
    if (r->format->seeks && trj_input_spool(r->in, err)) return -1;
    return trj_input_fingerprint(r->in, &r->fingerprint, err) ? -1 : r->format->open(r, err);
}

bool trj_format_is(const struct trj_format *format, struct trj_input *in, const unsigned char *head, size_t n) {
    uint64_t size;
    return format->is ? format->is(head, n) : trj_input_size(in, &size) && format->fits(head, n, size);
}

// What is asked for by name may be damaged in its first lines, if it is a text; any other format is told by its first bytes.
static int check_named(struct trj_input *in, const struct trj_format *format, struct trj_error *err) {
    const unsigned char *head;
    size_t n;
    if (format->endings[0]) return 0;
    if (trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err)) return -1;
    return n && trj_format_is(format, in, head, n)
               ? 0
               : trj_fail(err, TRJ_BAD_DATA, "is not %s; leave --format out, or give another format (see --formats)",
                          format->name);
}

// What to do about a file that is damaged before its first frame, or in it.
static const char *remedy(const struct trj_format *format) {
    return format == &trj_format_stream ? "run trjcat again" : "create the file again";
}

int trj_reader_start(struct trj_reader **out, struct trj_input *in, const struct trj_format *format, bool named,
                     size_t atoms, enum trj_compare watch, struct trj_error *err) {
    struct trj_reader *r = trj_alloc(1, sizeof *r, "a reader", err);
    if (!r) {
        trj_input_close(in);
        return -1;
    }
    r->in = in;
    r->expected = atoms;
    r->every = 1;
    r->cell_given = watch & TRJ_CELL_GIVEN;
    watch &= ~(unsigned)TRJ_CELL_GIVEN;
    if (watch && format->topology) {
        if (!(r->identity = trj_alloc(1, sizeof *r->identity, "names", err))) {
            trj_reader_close(r);
            return -1;
        }
        r->identity->charges = watch == TRJ_COMPARE_CHARGES;
    }
    r->format = format;
    if ((named && check_named(r->in, format, err)) || open_format(r, err)) {
        trj_error_set_remedy(err, remedy(format));
        trj_fail_at(err, "%s", trj_input_name(r->in));
        trj_reader_close(r);
        return -1;
    }
    *out = r;
    return 0;
}

// All formats report the number of frames before a truncated or damaged one through this function. An error that states
// its own remedy keeps it.
static void note_complete(const struct trj_reader *r, uint64_t frames, struct trj_error *err) {
    if (err->status != TRJ_BAD_DATA || err->origin || (!err->truncated && strstr(err->text, "; "))) return;
    bool stream = r->format == &trj_format_stream;
    err->complete = stream && !err->truncated ? 0 : frames;
    if (err->complete)
        trj_error_append(err, "; %llu %sframe%s it", (unsigned long long)frames, err->truncated ? "complete " : "",
                         frames == 1 ? " precedes" : "s precede");
    else
        trj_error_set_remedy(err, remedy(r->format));
}

static int fail_in_frame(const struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    note_complete(r, frame, err);
    return trj_fail_at(err, "%s: frame %llu", trj_input_name(r->in), (unsigned long long)frame);
}

static int piece_open(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    size_t own = r->format->own;
    return p->own || !own || (p->own = trj_alloc(1, own, "a frame", err)) ? 0 : -1;
}

static int decode_x(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_frame_resize(&p->frame, r->slot ? r->pick_count : r->atoms, err) || r->format->decode(r, p, err) ? -1
                                                                                                                : 0;
}

static int cut_next(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    p->number = r->next;
    p->whole = p->unsure = p->doubtful = p->partial = false;
    p->bytes.size = p->rows = 0;
    *p->other = 0;
    int got = piece_open(r, p, err) ? -1 : r->format->read_raw(r, p, err);
    r->offset = trj_input_file_offset(r->in);
    if (got > 0) {
        p->frame.index = r->next++;
        return 1;
    }
    if (!got) return 0;
    struct trj_error before;
    bool truncated = err->truncated;
    if (p->partial && decode_x(r, p, &before)) *err = before;
    err->truncated = truncated && err->status == TRJ_BAD_DATA;
    return fail_in_frame(r, p->number, err);
}

// Leaves of a frame with all its atoms those that are wanted. Numbers that are none are found in all of them.
static int pick_whole(const struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    f->atoms = r->atoms;
    if (trj_frame_check(f, NULL, err)) return -1;
    if (r->pick) trj_frame_pick(f, r->pick, r->pick_count);
    return 0;
}

int trj_raw_frame_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_frame *f = &p->frame;
    if ((p->whole || !decode_x(r, p, err)) && !(p->whole ? pick_whole(r, f, err) : trj_frame_check(f, r->pick, err)))
        return 0;
    err->truncated = p->unsure && err->status == TRJ_BAD_DATA;
    return fail_in_frame(r, p->number, err);
}

void trj_raw_frame_free(struct trj_raw_frame *p) {
    trj_frame_free(&p->frame);
    free(p->bytes.data);
    free(p->scratch.data);
    free(p->own);
}

static int pass_one(struct trj_reader *r, struct trj_error *err) {
    struct trj_raw_frame *p = &r->raw;
    if (!r->format->skip) {
        int got = cut_next(r, p, err);
        if (got > 0 && p->unsure && trj_raw_frame_decode(r, p, err)) return -1;
        r->doubtful = r->doubtful || p->doubtful;
        return got;
    }
    int got = r->format->skip(r, err);
    r->offset = trj_input_file_offset(r->in);
    if (got < 0) return fail_in_frame(r, r->next, err);
    r->next += (unsigned)got;
    return got;
}

// To the next frame that is wanted: 1, 0 if the file ends before, -1.
static int pass_owed(struct trj_reader *r, struct trj_error *err) {
    uint64_t owed = r->owed, passed = 0;
    int rc = owed ? trj_reader_advance(r, owed, &passed, err) : 0;
    r->owed = r->every - 1;
    return rc ? -1 : passed == owed;
}

int trj_raw_frame_read(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    int got = pass_owed(r, err);
    return got > 0 ? cut_next(r, p, err) : got;
}

// The frame's memory is that of *f.
static int read_piece(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct trj_raw_frame *p = &r->raw;
    struct trj_frame had = p->frame; // of one that was passed over
    p->frame = *f;
    int got = cut_next(r, p, err);
    if (got > 0 && trj_raw_frame_decode(r, p, err)) {
        got = -1;
        r->next = p->number;
    }
    r->doubtful = r->doubtful || p->doubtful;
    if (r->identity) memcpy(r->other, p->other, sizeof r->other);
    *f = p->frame;
    p->frame = had;
    return got;
}

static int read_plainly(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    int got = r->format->read(r, f, err);
    r->offset = trj_input_file_offset(r->in);
    if (got < 0 || (got && pick_whole(r, f, err))) return fail_in_frame(r, r->next, err);
    r->next += (unsigned)got;
    return got;
}

int trj_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    if (r->ahead) return trj_read_ahead_next(r, f, err);
    int got = pass_owed(r, err);
    if (got <= 0) return got;
    return r->format->read_raw ? read_piece(r, f, err) : read_plainly(r, f, err);
}

int trj_reader_skip(struct trj_reader *r, struct trj_error *err) {
    if (r->ahead) return trj_read_ahead_next(r, NULL, err);
    int got = pass_owed(r, err);
    return got > 0 ? pass_one(r, err) : got;
}

int trj_reader_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    if (r->ahead) return trj_read_ahead_seek(r, frame, err);
    int got = r->can_seek && r->format->seek ? r->format->seek(r, frame, err)
                                             : trj_fail(err, TRJ_FAILED, "random access is not possible");
    if (!got && trj_input_check_size(r->in, err)) got = -1; // the file may have lost the frame
    if (got < 0) return trj_fail_at(err, "%s", trj_input_name(r->in));
    if (!got) return 0;
    r->next = frame;
    r->owed = 0;
    return 1;
}

int trj_reader_advance(struct trj_reader *r, uint64_t frames, uint64_t *passed, struct trj_error *err) {
    uint64_t from = r->next;
    int got = 1;
    *passed = 0;
    if (r->can_seek && frames > 1) {
        got = trj_reader_seek(r, from + frames, err);
        // The file ends before that frame: the frames are counted one by one, up to the end or to the error. A format
        // that cannot seek in a truncated file leaves the reader at its position and clears can_seek.
        if (!got || (got < 0 && err->truncated)) got = r->can_seek ? trj_reader_seek(r, from, err) : 1;
        if (got < 0 && err->truncated) note_complete(r, from, err); // frame number `from` is incomplete
    }
    while (got > 0 && r->next < from + frames) got = r->ahead ? trj_reader_skip(r, err) : pass_one(r, err);
    *passed = r->next - from;
    return got < 0 ? -1 : 0;
}

int trj_reader_count(struct trj_reader *r, uint64_t *frames, struct trj_error *err) {
    struct trj_error at;
    uint64_t low = 0, high = UINT64_MAX; // frames that are there: at least, at most
    bool damaged = false;
    while (low < high) {
        uint64_t frame = high < UINT64_MAX ? low + (high - low) / 2 : 2 * low; // the number of one that would be there
        int got = trj_reader_seek(r, frame, &at);
        // The format cannot seek in this file and has left the reader at its position.
        if (got < 0 && !r->can_seek) {
            int rc = trj_reader_advance(r, UINT64_MAX - r->next, &low, err);
            *frames = r->next;
            return rc;
        }
        if (got > 0) {
            low = frame + 1;
            continue;
        }
        high = frame;
        damaged = damaged || got < 0;
        if (got < 0) *err = at; // the last error is that of the first incomplete frame
        if (got < 0 && at.status != TRJ_BAD_DATA) break;
    }
    // The place of a frame may be known while its end is missing.
    if (damaged && low) {
        int got = trj_reader_seek(r, low - 1, &at);
        if (got > 0) got = trj_reader_skip(r, &at);
        if (got < 0) *err = at;
        low -= got <= 0;
    }
    *frames = low;
    if (damaged && err->truncated && !err->complete) note_complete(r, low, err);
    return damaged ? -1 : 0;
}

int trj_reader_pick(struct trj_reader *r, const uint32_t *atoms, size_t count, struct trj_error *err) {
    r->pick = trj_alloc(count, sizeof *r->pick, "atoms to pick", err);
    r->slot = r->pick ? trj_alloc(r->atoms, sizeof *r->slot, "atoms to pick", err) : NULL;
    if (!r->slot) return -1;
    memset(r->slot, 0xff, r->atoms * sizeof *r->slot);
    for (size_t i = 0; i < count; i++) r->slot[r->pick[i] = atoms[i]] = (uint32_t)i;
    r->pick_count = count;
    return 0;
}

int trj_reader_read_ahead(struct trj_reader *r, unsigned threads, uint64_t every, uint64_t most,
                          struct trj_error *err) {
    r->every = every;
    r->owed = every - 1;
    threads = trj_pool_size(threads);
    return threads > 1 && most > 1 && r->format->read_raw ? trj_read_ahead_open(r, threads, most, err) : 0;
}

void trj_reader_close(struct trj_reader *r) {
    if (!r) return;
    trj_read_ahead_close(r->ahead); // before what its threads look at
    trj_raw_frame_free(&r->raw);
    if (r->format && r->format->close) r->format->close(r);
    trj_atom_identity_free(r->identity);
    trj_input_close(r->in);
    free(r->pick);
    free(r->slot);
    free(r);
}
