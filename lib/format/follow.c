// SPDX-License-Identifier: MIT
// Waits until a file that is still written contains a complete first frame, because its format is unknown before.
#include "follow.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"
#include "stop_request.h"

// Returns 1 if the file begins with a complete frame, 0 if it may have one later, for which *err gives the reason, or
// -1. Text that is cut in its first frame may seem to be damaged.
static int look(const char *path, const struct trj_format *format, size_t atoms, unsigned compare, uint64_t *size,
                struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    if (trj_input_open(&in, path, err)) return -1;
    int known = trj_input_find_size(in, size, err);
    if (known <= 0) { // 0: it is compressed, or not a file: trj_input_open_followed gives the error
        if (known < 0) trj_fail_at(err, "%s", path);
        trj_input_close(in);
        return known < 0 ? -1 : 1;
    }
    compare |= TRJ_GROWS;
    int got = *size ? trj_reader_open_comparing(&r, in, format, atoms, compare, err) ? -1 : trj_reader_read(r, &f, err)
                    : trj_fail(err, TRJ_BAD_DATA, "%s: is empty", path);
    if (!*size) trj_input_close(in);
    if (!got) got = trj_fail(err, TRJ_BAD_DATA, "%s: contains no frames", path);
    trj_reader_close(r);
    trj_frame_free(&f);
    if (got > 0) return 1;
    return err->status == TRJ_BAD_DATA && (err->truncated || *size < TRJ_INPUT_PEEK) ? 0 : -1;
}

int trj_follow_open(struct trj_input **in, const char *path, const struct trj_format *format, size_t atoms,
                    unsigned compare, trj_loss_note *note, void *arg, struct trj_error *err) {
    enum { MOMENT = 50, PATIENCE = 40 }; // ms; moments
    uint64_t size = 0, seen = UINT64_MAX, bytes;
    char text[1200];
    int is_file = trj_input_is_file(path, &bytes, err);
    if (is_file < 0) return -1;
    if (!is_file)
        return access(path, F_OK) ? trj_fail_errno(err, "%s", path)
                                  : trj_fail(err, TRJ_USAGE, "%s: is not a file, so that it cannot grow", path);
    for (int moments = 0;; moments++) {
        struct trj_error why;
        if (moments && (is_file = trj_input_is_file(path, &bytes, &why)) < 0) {
            *err = why;
            return -1;
        }
        if (!moments || (is_file && bytes != seen)) {
            int got = look(path, format, atoms, compare, &size, err);
            if (got < 0) return -1;
            if (got) return trj_input_open_followed(in, path, err);
            seen = size;
        }
        if (trj_stop_requested()) return -1;
        if (moments == PATIENCE) {
            snprintf(text, sizeof text, "note: waiting for the first complete frame: %s", err->text);
            note(arg, text);
        }
        nanosleep(&(struct timespec){.tv_nsec = MOMENT * 1000000L}, NULL);
    }
}
