// SPDX-License-Identifier: MIT
// Reads small-molecule CIF: the atoms of the cell, which the symmetry operations make of the listed sites
// (cif_crystal.h). Several blocks of one name, as NWChem writes them, are the frames of a trajectory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cif_crystal.h"
#include "memory.h"
#include "reader_parts.h"
#include "text_format.h"

struct cif {
    struct trj_lines lines;
    struct trj_crystal_file file;
    struct trj_crystal first, next; // blocks
    int got;                        // what reading `next` returned
    struct trj_error error;         // of `next`
    unsigned first_kinds, kinds;    // of notes: on the first frame, and on all that were returned
    char note[3 * TRJ_CRYSTAL_NOTE];
};

// The notes on a frame, of kinds that the first frame does not have.
struct frame_note {
    unsigned kinds;
    char text[TRJ_CRYSTAL_NOTE];
};

// Reads the next block, which must have the number of atoms of the first, and all angles of the cell that it has: 90
// degrees in place of a missing one would be wrong. Sets *other as trj_crystal_next_frame does.
static void read_block(const struct trj_reader *r, bool *other) {
    struct cif *s = r->internals->state;
    s->got = trj_crystal_next_frame(&s->file, &s->first, &s->next, other, &s->error);
    if (s->got < 0 && !*other) trj_text_set_truncated(r, &s->error);
    if (s->got > 0 && s->next.atoms != s->first.atoms)
        s->got = trj_lines_fail(&s->lines, &s->error, "the block before this line has %zu atoms, but the first one %zu",
                                s->next.atoms, s->first.atoms);
    if (s->got > 0 && s->next.no_angles & ~s->first.no_angles)
        s->got = trj_lines_fail(&s->lines, &s->error,
                                "the block before this line lacks an angle of the cell (_cell_angle) that the first "
                                "one has; add it");
}

static int fill(const struct trj_reader *r, const struct trj_crystal *k, struct trj_raw_frame *p,
                struct trj_error *err) {
    struct trj_frame *f = &p->frame;
    struct frame_note *note = p->own;
    if (trj_frame_resize(f, k->atoms, err)) return -1;
    f->unit = 1;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    f->cell = k->cell;
    for (size_t i = 0; i < k->atoms; i++)
        for (int m = 0; m < 3; m++)
            f->x[m][i] = (float)(k->fraction[i][0] * k->cell.h[0][m] + k->fraction[i][1] * k->cell.h[1][m] +
                                 k->fraction[i][2] * k->cell.h[2][m]);
    p->rows = k->atoms;
    p->whole = true;
    p->maybe_truncated = k->number_ends_file;
    const struct cif *s = r->internals->state;
    const struct trj_crystal *first = &s->first;
    note->kinds = trj_crystal_note(k, s->first_kinds, note->text);
    for (size_t i = 0; i < k->atoms && k != first; i++) {
        const char *now = k->site[k->of[i]].label, *before = first->site[first->of[i]].label;
        if (!strcmp(now, before)) continue;
        snprintf(p->difference, sizeof p->difference, "atom %zu: the name is %s, and %s in the first frame", i, now,
                 before);
        break;
    }
    return 0;
}

static int cif_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct cif *s = r->internals->state;
    bool other;
    if (p->number > 1) read_block(r, &other);
    if (p->number && s->got < 0) *err = s->error;
    if (p->number && s->got <= 0) return s->got;
    return fill(r, p->number ? &s->next : &s->first, p, err) ? -1 : 1;
}

// Frames are complete when they were read.
static int cif_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    (void)r, (void)p;
    return trj_fail(err, TRJ_FAILED, "a frame of CIF is not decoded");
}

// Adds the notes on a frame if one of them is of a new kind.
static int cif_accept(struct trj_reader *r, const struct trj_raw_frame *p, struct trj_error *err) {
    struct cif *s = r->internals->state;
    const struct frame_note *note = p->own;
    const size_t n = strlen(s->note);
    (void)err;
    if (!(note->kinds & ~s->kinds)) return 0;
    s->kinds |= note->kinds;
    snprintf(s->note + n, sizeof s->note - n, "%sframe %llu: %s", n ? "; " : "", (unsigned long long)p->number,
             note->text);
    r->note = s->note;
    return 0;
}

// The second block is read, too, because its name shows whether blocks are frames. If they are, an error in it is that
// of frame 1.
static int cif_open(struct trj_reader *r, struct trj_error *err) {
    struct cif *s = r->internals->state = trj_alloc(1, sizeof *s, "a reader", err);
    if (!s) return -1;
    s->lines.in = r->in;
    s->file.cif.lines = &s->lines;
    bool other;
    int got = trj_crystal_next(&s->file, &s->first, err);
    if (!got) trj_crystal_fail_empty(&s->file, err);
    if (got > 0) read_block(r, &other);
    if (got > 0 && s->got < 0 && other) {
        *err = s->error;
        got = -1;
    }
    if (got > 0) {
        r->atoms = s->first.atoms;
        snprintf(r->dialect, sizeof r->dialect, "CIF, block %.40s, %zu sites, %zu operations", s->first.block,
                 s->first.sites, s->first.operations);
        s->first_kinds = s->kinds = trj_crystal_note(&s->first, 0, s->note);
        if (*s->note) r->note = s->note;
        r->note_stays = true;
        return 0;
    }
    trj_text_set_truncated(r, err);
    return trj_fail_at(err, "frame 0");
}

static bool cif_is(const unsigned char *head, size_t n) {
    return trj_small_cif_is((const char *)head, n);
}

static void cif_close(struct trj_reader *r) {
    struct cif *s = r->internals->state;
    if (!s) return;
    trj_crystal_file_free(&s->file);
    trj_crystal_free(&s->first);
    trj_crystal_free(&s->next);
    free(s);
}

static const struct trj_format_ops ops = {
    .is = cif_is,
    .open = cif_open,
    .read_raw = cif_read_raw,
    .decode = cif_decode,
    .accept = cif_accept,
    .own = sizeof(struct frame_note),
    .close = cif_close,
};

const struct trj_format trj_format_cif = {
    .name = "cif",
    .help = "CIF of a crystal, with the images of its sites under the symmetry operations",
    .endings = {".cif"},
    .topology = "CIF",
    .ops = &ops,
};
