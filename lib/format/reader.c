// SPDX-License-Identifier: MIT
// Chooses the format by content and passes calls to its functions, so that callers depend on no format.
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pool.h"
#include "read_ahead.h"
#include "reader_parts.h"
#include "stop_request.h"

// A format that this build cannot read is detected as any other, so that the error can name it.
static int open_format(struct trj_reader *r, struct trj_error *err) {
    if (r->format->lacks)
        return trj_fail(err, TRJ_NO_ENGINE, "cannot read %s: this build lacks %s", r->format->name, r->format->lacks);
    bool salvages = r->internals->salvages;
    if (r->internals->open_system && !r->format->ops->frame_topology)
        return trj_fail(err, TRJ_USAGE,
                        "is a file of the format %s, in which the number of atoms cannot change, or frames do not name "
                        "their atoms; leave --open out, or use XYZ, a LAMMPS dump, GRO, PDB, PQR, Tinker or GSD",
                        r->format->name);
    if (salvages && !r->format->ops->losses)
        return trj_fail(err, TRJ_BAD_DATA, "only frame streams (.trjf) can be salvaged; leave --salvage out");
    if ((salvages || r->format->ops->seeks) && trj_input_is_live(r->in))
        return trj_fail(err, TRJ_USAGE, "a growing file of the format %s cannot be read; read it when it is complete",
                        r->format->name);
    if ((salvages || r->format->ops->seeks) && trj_input_spool(r->in, err)) return -1;
    if (!r->internals->no_fingerprint && trj_input_fingerprint(r->in, &r->fingerprint, err)) return -1;
    return r->format->ops->open(r, err);
}

bool trj_format_is(const struct trj_format *format, struct trj_input *in, const unsigned char *head, size_t n) {
    uint64_t size;
    return format->ops->is ? format->ops->is(head, n) : trj_input_size(in, &size) && format->ops->fits(head, n, size);
}

// A text whose format the user states may be damaged in its first lines. All other formats must begin with the bytes
// that identify them.
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

int trj_reader_start(struct trj_reader **out, struct trj_input *in, const struct trj_format *format, bool named,
                     size_t atoms, unsigned compare, struct trj_error *err) {
    struct {
        struct trj_reader reader;
        struct trj_reader_internals internals;
    } *both = trj_alloc(1, sizeof *both, "a reader", err);
    if (!both) {
        trj_input_close(in);
        return -1;
    }
    struct trj_reader *r = &both->reader;
    struct trj_reader_internals *internals = r->internals = &both->internals;
    r->in = in;
    internals->expected = atoms;
    internals->stride = 1;
    internals->named = named;
    internals->cell_given = compare & TRJ_CELL_GIVEN;
    internals->salvages = compare & TRJ_SALVAGE;
    internals->open_system = compare & TRJ_OPEN_SYSTEM && format != &trj_format_stream;
    internals->in_parts = compare & TRJ_READ_PART;
    internals->no_fingerprint = compare & TRJ_NO_FINGERPRINT;
    internals->grows = compare & TRJ_GROWS || trj_input_is_live(in);
    internals->values = compare & TRJ_READ_VALUES;
    internals->motion =
        (compare & TRJ_READ_VELOCITY ? TRJ_HAS_VELOCITY : 0U) | (compare & TRJ_READ_IMAGE ? TRJ_HAS_IMAGE : 0U);
    compare &= TRJ_COMPARE_NAMES | TRJ_COMPARE_CHARGES;
    r->compares_names = compare && format->topology;
    if (r->compares_names) {
        if (!(internals->identity = trj_alloc(1, sizeof *internals->identity, "names", err))) {
            trj_reader_close(r);
            return -1;
        }
        internals->identity->charges = compare == TRJ_COMPARE_CHARGES;
    }
    r->format = format;
    if ((named && check_named(r->in, format, err)) || open_format(r, err)) {
        if (trj_stop_requested() && trj_input_live_ended(r->in))
            trj_fail(err, TRJ_BAD_DATA, "stopped before the first frame");
        else
            trj_error_set_remedy(err, trj_reader_remedy(r));
        trj_fail_at(err, "%s", trj_input_name(r->in));
        trj_reader_close(r);
        return -1;
    }
    *out = r;
    return 0;
}

void trj_reader_on_wait(struct trj_reader *r, trj_reader_wait *wait, void *arg) {
    r->internals->wait = wait;
    r->internals->wait_arg = arg;
}

void trj_reader_on_frame(struct trj_reader *r, trj_reader_change *change, void *arg) {
    r->internals->change = change;
    r->internals->change_arg = arg;
}

void trj_reader_set_time_step(struct trj_reader *r, double ps) {
    r->internals->step_ps = ps;
}

int trj_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    const struct trj_reader_internals *internals = r->internals;
    if (internals->ahead) return trj_read_ahead_next(r, f, err);
    bool waits = internals->wait && (trj_input_is_live(r->in) || trj_input_pauses(r->in));
    if (waits && internals->wait(internals->wait_arg, err)) return -1;
    return trj_sequential_read(r, f, err);
}

int trj_reader_skip(struct trj_reader *r, struct trj_error *err) {
    return r->internals->ahead ? trj_read_ahead_next(r, NULL, err) : trj_sequential_skip(r, err);
}

int trj_reader_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    return r->internals->ahead ? trj_read_ahead_seek(r, frame, err) : trj_sequential_seek(r, frame, err);
}

int trj_reader_advance(struct trj_reader *r, uint64_t frames, uint64_t *passed, struct trj_error *err) {
    return r->internals->ahead
               ? trj_sequential_advance(r, frames, passed, trj_read_ahead_seek, trj_reader_skip, err)
               : trj_sequential_advance(r, frames, passed, trj_sequential_seek, trj_sequential_skip_one, err);
}

bool trj_reader_ignores_cell(const struct trj_reader *r, struct trj_cell *cell) {
    if (r->internals->cell_given) *cell = (struct trj_cell){0};
    return r->internals->cell_given;
}

int trj_reader_count(struct trj_reader *r, uint64_t *frames, struct trj_error *err) {
    struct trj_error seek_error;
    uint64_t low = 0, high = UINT64_MAX; // bounds of the number of frames
    bool damaged = false;
    if (r->can_seek && r->format->ops->count && !r->internals->ahead) {
        *frames = 0;
        if (!r->format->ops->count(r, frames, err)) return 0;
        if (r->can_seek) return trj_fail_at(err, "%s", trj_input_name(r->in));
    }
    while (low < high) {
        uint64_t frame = high < UINT64_MAX ? low + (high - low) / 2 : 2 * low; // number of the frame to look for
        int got = trj_reader_seek(r, frame, &seek_error);
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
        if (got < 0) *err = seek_error; // the last error is that of the first incomplete frame
        if (got < 0 && seek_error.status != TRJ_BAD_DATA) break;
    }
    // A seek can succeed in a frame whose end is missing.
    if (damaged && low) {
        int got = trj_reader_seek(r, low - 1, &seek_error);
        if (got > 0) got = trj_reader_skip(r, &seek_error);
        if (got < 0) *err = seek_error;
        low -= got <= 0;
    }
    *frames = low;
    if (damaged && err->truncated && !err->complete) trj_reader_note_complete(r, low, err);
    return damaged ? -1 : 0;
}

int trj_reader_pick(struct trj_reader *r, const uint32_t *atoms, size_t count, struct trj_error *err) {
    r->internals->pick = trj_alloc(count, sizeof *r->internals->pick, "atoms to pick", err);
    r->internals->picked_index =
        r->internals->pick ? trj_alloc(r->atoms, sizeof *r->internals->picked_index, "atoms to pick", err) : NULL;
    if (!r->internals->picked_index) return -1;
    memset(r->internals->picked_index, 0xff, r->atoms * sizeof *r->internals->picked_index);
    for (size_t i = 0; i < count; i++) r->internals->picked_index[r->internals->pick[i] = atoms[i]] = (uint32_t)i;
    r->internals->pick_count = count;
    return 0;
}

void trj_reader_keep_packed(struct trj_reader *r, enum trj_keep keep) {
    r->internals->keep = keep;
}

void trj_reader_keep_atoms(struct trj_reader *r, size_t from, size_t to) {
    r->keep_from = from;
    r->keep_to = to;
}

bool trj_reader_is_light(const struct trj_reader *r) {
    return r->internals->raw.light;
}

int trj_reader_read_ahead(struct trj_reader *r, unsigned threads, uint64_t stride, uint64_t max_frames,
                          struct trj_error *err) {
    r->internals->stride = stride;
    r->internals->skip_first = stride - 1;
    threads = trj_pool_size(threads);
    return threads > 1 && max_frames > 1 && r->format->ops->read_raw ? trj_read_ahead_open(r, threads, max_frames, err)
                                                                     : 0;
}

void trj_reader_losses(const struct trj_reader *r, trj_loss_note *note, void *arg, struct trj_losses *sum) {
    if (r->internals->salvages) r->format->ops->losses(r, note, arg, sum);
}

int trj_reader_frame_topology(struct trj_reader *r, struct trj_topology **top, struct trj_error *err) {
    return r->format->ops->frame_topology(r, top, err);
}

void trj_reader_close(struct trj_reader *r) {
    if (!r) return;
    trj_read_ahead_close(r->internals->ahead); // first, because its threads use the rest
    trj_raw_frame_free(&r->internals->raw);
    if (r->format && r->format->ops->close) r->format->ops->close(r);
    trj_atom_identity_free(r->internals->identity);
    trj_input_close(r->in);
    free(r->internals->pick);
    free(r->internals->picked_index);
    free(r);
}
