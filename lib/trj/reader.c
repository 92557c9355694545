// SPDX-License-Identifier: MIT
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "unpack.h"

const struct trj_format *const trj_formats[] = {
    &trj_format_stream, //
    &trj_format_dcd,    //
    &trj_format_xtc,    //
    &trj_format_trr,    //
    &trj_format_gsd,    //
    &trj_format_namd,   //
    &trj_format_lmpbin, // behind those with magic words, which old ones have not
    &trj_format_netcdf, //
    &trj_format_h5md,   //
    &trj_format_xyz,    //
    &trj_format_lammps, //
    &trj_format_gro,    // before pdb: a title may look like a record
    &trj_format_pdb,    //
    &trj_format_mdcrd,  //
    NULL,
};

// Trajectories that are known but not read: words that are in all of them at one place, and what to do.
static const struct {
    const char *words;
    size_t length, at;
    const char *why;
} foreign[] = {
    // A block's size, its content's size, its kind, 16 bytes of checksum; then its name, which ends in a NUL.
    {"GENERAL INFO", 13, 40, "is TNG, which is not read: gmx trjconv -f in.tng -o out.xtc converts it"},
};

static int unknown(const unsigned char *head, size_t n, struct trj_error *err) {
    if (!n) return trj_fail(err, TRJ_BAD_DATA, "is empty");
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (n >= foreign[i].at + foreign[i].length &&
            !memcmp(head + foreign[i].at, foreign[i].words, foreign[i].length))
            return trj_fail(err, TRJ_BAD_DATA, "%s", foreign[i].why);
    const char *packer = trj_packer(head, n);
    if (packer) return trj_fail(err, TRJ_BAD_DATA, "is compressed with %s: unpack it first", packer);
    char known[256] = "", start[3 * 8 + 1] = "";
    size_t at = 0;
    for (size_t k = 0; trj_formats[k] && at < sizeof known; k++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", k ? ", " : "", trj_formats[k]->name);
    for (size_t i = 0; i < n && i < 8; i++) snprintf(start + 3 * i, 4, " %02x", head[i]);
    return trj_fail(err, TRJ_BAD_DATA, "no trajectory format that is known (%s): starts with%s", known, start);
}

// What this build cannot read is told like anything else, and refused by its name.
static int open_format(struct trj_reader *r, struct trj_error *err) {
    if (r->format->lacks)
        return trj_fail(err, TRJ_NO_ENGINE, "is %s, and this build has no %s", r->format->name, r->format->lacks);
    return r->format->open(r, err);
}

static bool has_ending(const struct trj_format *format, const struct trj_input *in) {
    for (const char *const *ending = format->endings; *ending; ending++)
        if (trj_input_ends_in(in, *ending)) return true;
    return false;
}

static bool looks_like(const struct trj_format *format, struct trj_input *in, const unsigned char *head, size_t n) {
    uint64_t size;
    return format->is ? format->is(head, n) : trj_input_size(in, &size) && format->fits(head, n, size);
}

// By content, and of several by name: a damaged text keeps its name, and the reader says which line is wrong.
static const struct trj_format *find_format(struct trj_input *in, struct trj_error *err) {
    const struct trj_format *found = NULL, *named = NULL;
    const unsigned char *head;
    size_t n;
    if (trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err)) return NULL;
    for (const struct trj_format *const *f = trj_formats; *f && n; f++) {
        bool ending = has_ending(*f, in);
        if (ending) named = *f;
        if (looks_like(*f, in, head, n) && (!found || ending)) found = *f;
    }
    if (!found && n && !trj_packer(head, n)) found = named;
    if (!found) unknown(head, n, err);
    return found;
}

const struct trj_format *trj_format_named(const char *name, struct trj_error *err) {
    for (const struct trj_format *const *f = trj_formats; *f; f++)
        if (!strcmp((*f)->name, name)) return *f;
    trj_fail(err, TRJ_USAGE, "'%s' is not a format that is known; --formats lists them", name);
    return NULL;
}

// What is asked for by name may be damaged in its first lines, if it is a text; any other format is told by its first bytes.
static int check_named(struct trj_input *in, const struct trj_format *format, struct trj_error *err) {
    const unsigned char *head;
    size_t n;
    if (format->endings[0]) return 0;
    if (trj_input_peek(in, &head, TRJ_INPUT_PEEK, &n, err)) return -1;
    return n && looks_like(format, in, head, n) ? 0 : trj_fail(err, TRJ_BAD_DATA, "is no %s", format->name);
}

int trj_reader_open_input(struct trj_reader **out, struct trj_input *in, const struct trj_format *format, size_t atoms,
                          struct trj_error *err) {
    struct trj_reader *r = trj_alloc(1, sizeof *r, "a reader", err);
    if (!r) {
        trj_input_close(in);
        return -1;
    }
    r->in = in;
    r->expected = atoms;
    if (trj_input_fingerprint(r->in, &r->fingerprint, err)) goto name;
    r->format = format ? format : find_format(r->in, err);
    if (!r->format || (format && check_named(r->in, format, err)) || open_format(r, err)) goto name;
    *out = r;
    return 0;
name:
    trj_fail_at(err, "%s", trj_input_name(r->in));
    trj_reader_close(r);
    return -1;
}

int trj_reader_open_as(struct trj_reader **r, const char *path, const struct trj_format *format, size_t atoms,
                       struct trj_error *err) {
    struct trj_input *in = NULL;
    return trj_input_open(&in, path, err) ? -1 : trj_reader_open_input(r, in, format, atoms, err);
}

int trj_reader_open(struct trj_reader **r, const char *path, struct trj_error *err) {
    return trj_reader_open_as(r, path, NULL, 0, err);
}

static int fail_in_frame(struct trj_reader *r, struct trj_error *err) {
    return trj_fail_at(err, "%s: frame %llu", trj_input_name(r->in), (unsigned long long)r->next);
}

int trj_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    int got = r->format->read(r, f, err);
    if (got < 0 || (got && trj_frame_check(f, err))) return fail_in_frame(r, err);
    r->next += (unsigned)got;
    return got;
}

int trj_reader_skip(struct trj_reader *r, struct trj_error *err) {
    int got = r->format->skip(r, err);
    if (got < 0) return fail_in_frame(r, err);
    r->next += (unsigned)got;
    return got;
}

int trj_reader_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    int got = r->can_seek && r->format->seek ? r->format->seek(r, frame, err)
                                             : trj_fail(err, TRJ_FAILED, "frames cannot be sought");
    if (got < 0) return trj_fail_at(err, "%s", trj_input_name(r->in));
    if (got) r->next = frame;
    return got;
}

int trj_reader_advance(struct trj_reader *r, uint64_t frames, uint64_t *passed, struct trj_error *err) {
    uint64_t from = r->next;
    int got = 1;
    *passed = 0;
    if (r->can_seek && frames > 1) {
        got = trj_reader_seek(r, from + frames, err);
        // The file ends before: go back, and count how many there are.
        if (!got) got = trj_reader_seek(r, from, err);
    }
    while (got > 0 && r->next < from + frames) got = trj_reader_skip(r, err);
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
        if (got > 0) {
            low = frame + 1;
            continue;
        }
        high = frame;
        if (got < 0 && !damaged) *err = at; // what is told first is told of the end
        damaged = damaged || got < 0;
        if (got < 0 && at.status != TRJ_BAD_DATA) break;
    }
    // The place of a frame may be known, and its end not be there.
    if (damaged && low && (trj_reader_seek(r, low - 1, &at) <= 0 || trj_reader_skip(r, &at) <= 0)) low--;
    *frames = low;
    return damaged ? -1 : 0;
}

void trj_reader_close(struct trj_reader *r) {
    if (!r) return;
    if (r->format && r->format->close) r->format->close(r);
    trj_input_close(r->in);
    free(r);
}
