// SPDX-License-Identifier: MIT
// Reads a map that must be the only one of its file, because several would make the result ambiguous.
#include "single_map.h"

#include "memory.h"

static int read_single(struct trj_map_reader *r,
                       int (*read)(void *owner, struct trj_map_reader *r, struct trj_error *err), void *owner,
                       struct trj_error *err) {
    int rc = trj_map_reader_next(r, err);
    if (rc <= 0) return rc < 0 ? rc : trj_fail(err, TRJ_BAD_DATA, "contains no map");
    if (r->map.components != 1)
        return trj_fail(err, TRJ_BAD_DATA, "each point has %u values, expected 1; give a map with one component",
                        r->map.components);
    if (read(owner, r, err)) return -1;
    rc = trj_map_reader_next(r, err);
    return rc > 0 ? trj_fail(err, TRJ_BAD_DATA,
                             "contains several maps, expected one; select one with mapconv --record, or compute their "
                             "mean with mapsum --mean")
                  : rc;
}

int trj_single_map_read(const char *path, const struct trj_map_reader_setup *setup, char **name,
                        struct trj_map_notes *notes,
                        int (*read)(void *owner, struct trj_map_reader *r, struct trj_error *err), void *owner,
                        struct trj_error *err) {
    struct trj_input *in = NULL;
    struct trj_map_reader *r = NULL;
    if (trj_input_open(&in, path, err)) return -1;
    if (!(*name = trj_copy_text(trj_input_name(in), err))) {
        trj_input_close(in);
        return -1;
    }
    int rc = trj_map_reader_open(&r, in, setup, err) || read_single(r, read, owner, err) ? -1 : 0;
    if (!rc && notes) *notes = r->notes;
    trj_map_reader_close(r);
    return rc ? trj_fail_at(err, "%s", *name) : 0;
}
