// SPDX-License-Identifier: MIT
// Several trajectories merged: which frames, atoms, cells and sources the sink gets, and the errors of inputs.
#include <unistd.h>

#include "merge.h"
#include "tap.h"
#include "topology_parts.h"

enum { FILES = 3, MAX_FRAMES = 16, MAX_ATOMS = 4 };

static struct trj_error err;
static char paths[FILES][64];
static char *const inputs[FILES] = {paths[0], paths[1], paths[2]};

// What the sink got.
static struct got {
    struct trj_merge *m;
    int begun, frames, notes, fail_begin, fail_frame;
    float x[MAX_FRAMES][MAX_ATOMS];
    uint32_t source[MAX_FRAMES];
    uint64_t index[MAX_FRAMES];
    struct trj_cell cell;
    size_t atoms;
    char note[1200];
} got;

static int begin(void *arg, struct trj_merge *m, struct trj_error *e) {
    struct got *g = arg;
    g->begun++;
    g->atoms = trj_merge_header(m)->atoms;
    if (g->fail_begin) return trj_fail(e, TRJ_BAD_DATA, "begin failed");
    return trj_stream_header_add_provenance(trj_merge_header(m), "a line", e);
}

static int take(void *arg, struct trj_frame *f, struct trj_error *e) {
    struct got *g = arg;
    if (g->frames == g->fail_frame) return trj_fail(e, TRJ_BAD_DATA, "write failed");
    if (g->frames == MAX_FRAMES || f->atoms > MAX_ATOMS) abort();
    for (size_t i = 0; i < f->atoms; i++) g->x[g->frames][i] = f->x[0][i];
    g->source[g->frames] = f->source;
    g->index[g->frames] = f->index;
    g->cell = f->cell;
    g->frames++;
    return 0;
}

static void note(void *arg, const char *text) {
    (void)arg;
    got.notes++;
    snprintf(got.note, sizeof got.note, "%s", text);
}

static void progress(const char *what, uint64_t finished, uint64_t total) {
    (void)what;
    (void)finished;
    (void)total;
}

// Writes XYZ frames of O, H, H: x of atom i in frame f is 100 file + 10 f + i, steps ascend from `step`.
static void make(int file, int frames, int atoms, int step) {
    static const char *const names[] = {"O", "H", "H", "C"};
    FILE *out = fopen(paths[file], "w");
    for (int f = 0; out && f < frames; f++) {
        fprintf(out, "%d\nLattice=\"20 0 0 0 20 0 0 0 20\" Properties=species:S:1:pos:R:3 step=%d\n", atoms, step + f);
        for (int i = 0; i < atoms; i++) fprintf(out, "%s %d 0 0\n", names[i], 100 * file + 10 * f + i);
    }
    if (!out || fclose(out)) abort();
}

// Merges the first `count` files into `got`; the merge stays open in got.m.
static int merge(const struct trj_merge_options *options, int count, bool names) {
    const struct trj_merge_sink sink = {.stream = !names,
                                        .names = names,
                                        .begin = begin,
                                        .write = take,
                                        .arg = &got,
                                        .note = note,
                                        .progress = progress};
    trj_merge_close(got.m);
    got = (struct got){.m = NULL, .fail_begin = got.fail_begin, .fail_frame = got.fail_frame};
    err = (struct trj_error){.status = TRJ_OK};
    return trj_merge_open(&got.m, options, &err) ? -1 : trj_merge_inputs(got.m, inputs, count, &sink, &err);
}

static bool x_are(int frame, float first, size_t step) {
    bool good = frame < got.frames;
    for (size_t i = 0; good && i < got.atoms; i++) good = got.x[frame][i] == first + (float)(i * step);
    return good;
}

static void test_frames(void) {
    make(0, 3, 3, 0);
    make(1, 2, 3, 3);
    int rc = merge(&(struct trj_merge_options){.threads = 1}, 2, false);
    ok(!rc && got.begun == 1 && got.frames == 5 && got.atoms == 3 && x_are(0, 0, 1) && x_are(2, 20, 1) &&
           x_are(3, 100, 1) && x_are(4, 110, 1) && !got.notes,
       "two files: all frames in order, one header: %s", err.text);
    const struct trj_stream_header *h = trj_merge_header(got.m);
    ok(got.source[2] == 0 && got.source[3] == 1 && got.index[4] == 1 && h->source_count == 2 &&
           !strcmp(h->sources[1].name, paths[1]) && h->provenance_count == 1 && !trj_merge_rows(got.m) &&
           !trj_merge_topology(got.m),
       "two files: frames have the number of their source, and the header contains the line that begin added");
    merge(&(struct trj_merge_options){.frames = "1:5:2", .threads = 3}, 2, false);
    ok(got.frames == 2 && x_are(0, 10, 1) && x_are(1, 100, 1), "range over two files: frames 1 and 3");
    merge(&(struct trj_merge_options){.frames = "-1", .threads = 1}, 2, false);
    ok(got.frames == 1 && x_are(0, 110, 1), "negative number: counted from the end of the last file");
}

static void test_atoms(void) {
    const char *groups[] = {"H=element H"};
    struct trj_merge_options options = {.groups = {groups, 1}, .threads = 1};
    int rc = merge(&options, 1, false);
    const uint32_t *rows = rc ? NULL : trj_merge_rows(got.m);
    ok(rows && rows[0] == 1 && rows[1] == 2 && got.atoms == 2 && x_are(0, 1, 1) && x_are(2, 21, 1),
       "group of two atoms: frames contain these alone: %s", err.text);
    rc = merge(&(struct trj_merge_options){.threads = 1}, 1, true);
    const struct trj_topology *top = rc ? NULL : trj_merge_topology(got.m);
    ok(top && top->atoms == 3 && !strcmp(trj_topology_text(&top->name, 1), "H"),
       "sink that writes names: the topology is read from the file: %s", err.text);
}

static void test_cell(void) {
    struct trj_merge_options options = {.cell = "30,31,32", .periodic = "xy", .threads = 1};
    ok(!merge(&options, 1, false) && got.cell.h[0][0] == 30 && got.cell.h[1][1] == 31 && got.cell.periodic == 3,
       "cell and periodicity of the request replace those of the file");
    ok(!merge(&(struct trj_merge_options){.periodic = "none"}, 1, false) && !got.cell.periodic, "no periodicity");
}

static void test_repeated(void) {
    make(1, 2, 3, 1); // steps 1 and 2 are in file 0, too
    struct trj_merge_options options = {.threads = 1};
    int rc = merge(&options, 2, false), before = got.notes;
    trj_merge_note_repeated(got.m);
    ok(!rc && got.frames == 5 && !before && got.notes == 1 &&
           has_text(got.note, "note: 2 frames are not later than an earlier frame"),
       "repeated frames: kept, and reported when the caller requests it");
    options.drop_repeated = true;
    rc = merge(&options, 2, false);
    trj_merge_note_repeated(got.m);
    ok(!rc && got.frames == 3 && x_are(2, 20, 1) && has_text(got.note, ": left out"), "repeated frames: dropped");
    make(1, 2, 3, 3);
    merge(&options, 2, false);
    trj_merge_note_repeated(got.m);
    ok(got.frames == 5 && !got.notes, "no repeated frames: no note");
}

static bool fails(const struct trj_merge_options *options, int count, enum trj_status status, const char *text) {
    return merge(options, count, false) && err.status == status && has_text(err.text, text);
}

static void test_errors(void) {
    struct trj_merge_options options = {.threads = 1};
    char text[128];
    ok(fails(&(struct trj_merge_options){.frames = "9:3"}, 1, TRJ_USAGE, "--frames") && !got.m, "invalid range");
    ok(fails(&(struct trj_merge_options){.format = "none"}, 1, TRJ_USAGE, "--format") && !got.m, "unknown format");
    ok(fails(&(struct trj_merge_options){.frames = "7:8"}, 2, TRJ_BAD_DATA, "no frames: none of the 5 frames") &&
           !got.begun,
       "no selected frame: an error, and no header: %s", err.text);
    make(2, 1, 4, 9);
    snprintf(text, sizeof text, "%s: ", paths[2]);
    ok(fails(&options, 3, TRJ_BAD_DATA, text) && got.frames == 5, "other number of atoms in the last file: %s",
       err.text);
    got.fail_frame = 4;
    snprintf(text, sizeof text, "%s: frame 1: write failed", paths[1]);
    ok(fails(&options, 2, TRJ_BAD_DATA, text) && got.frames == 4, "failure of write: gets file and frame");
    got.fail_frame = -1;
    got.fail_begin = true;
    snprintf(text, sizeof text, "%s: begin failed", paths[0]);
    ok(fails(&options, 2, TRJ_BAD_DATA, text) && !got.frames, "failure of begin: gets the file");
    got.fail_begin = false;
    unlink(paths[1]);
    ok(fails(&options, 2, TRJ_FAILED, paths[1]) && got.frames == 3, "missing second file: frames of the first, then %s",
       err.text);
    trj_merge_close(NULL);
}

int main(void) {
    for (int i = 0; i < FILES; i++) {
        snprintf(paths[i], sizeof paths[i], "/tmp/test_merge_%ld_%d.xyz", (long)getpid(), i);
        make(i, 1, 3, 0);
    }
    got.fail_frame = -1;
    test_frames();
    test_atoms();
    test_cell();
    test_repeated();
    test_errors();
    trj_merge_close(got.m);
    for (int i = 0; i < FILES; i++) unlink(paths[i]);
    return done();
}
