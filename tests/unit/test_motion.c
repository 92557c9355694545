// SPDX-License-Identifier: MIT
// Tests velocities and image flags in frame streams: they are read as written from blocks of one or many frames, in any
// order of reading, and streams whose blocks do not belong together are rejected.
#include <unistd.h>

#include "frame_stream.h"
#include "memory.h"
#include "reader.h"
#include "tap.h"

#define STREAM_FILE "/tmp/test_motion.XXXXXX"
#include "stream_file.h"

enum { BOTH = TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE, MANY = 150, FEW = 8 };

static size_t frame_count; // FEW of large frames, which have blocks of their own
enum { READ_BOTH = TRJ_READ_VELOCITY | TRJ_READ_IMAGE };

static void make_header(struct trj_stream_header *h, size_t atoms, unsigned what) {
    *h = (struct trj_stream_header){.atoms = atoms, .source_atoms = atoms, .group_count = 1, .motion = what};
    h->groups = trj_alloc(1, sizeof *h->groups, "groups", &err);
    h->groups[0] = (struct trj_group){.name = trj_copy_text("all", &err), .count = atoms};
    h->groups[0].atoms = trj_alloc(atoms, sizeof(uint32_t), "atoms", &err);
    for (uint32_t i = 0; i < atoms; i++) h->groups[0].atoms[i] = i;
    if (what & TRJ_HAS_VELOCITY) h->motion_source[0] = (struct trj_motion_source){TRJ_VELOCITY_UNIT, "a test"};
    if (what & TRJ_HAS_IMAGE) h->motion_source[1] = (struct trj_motion_source){"", "a test of flags"};
}

static float velocity_of(size_t frame, int k, size_t atom) {
    return (float)((double)((frame * 7919 + atom * 104729 + (size_t)k * 31) % 100003) / 3e3 - 15);
}

static int32_t image_of(size_t frame, int k, size_t atom) {
    return atom % 3 ? (int32_t)(frame % 5) - k : atom == 3 ? INT32_MIN : (int32_t)atom;
}

static void fill(struct trj_frame *f, const struct trj_stream_header *h, size_t frame) {
    must(trj_frame_resize(f, h->atoms, &err));
    must(trj_motion_resize(&f->motion, h->motion, h->atoms, &err));
    f->index = frame;
    f->unit = 10;
    f->motion->unit = frame % 2 ? 10 : 20.455;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < h->atoms; i++) {
            f->x[k][i] = (float)(i + frame) / 8;
            if (h->motion & TRJ_HAS_VELOCITY) f->motion->velocity[k][i] = velocity_of(frame, k, i);
            if (h->motion & TRJ_HAS_IMAGE) f->motion->image[k][i] = image_of(frame, k, i);
        }
}

static void write_stream(struct trj_stream_header *h, int level, unsigned threads) {
    struct trj_output *out;
    struct trj_stream_writer *w;
    struct trj_frame f = {0};
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_stream_writer_open(&w, out, h, level, threads, &err));
    must(trj_stream_header_add_source(h, "a.trr", 1, &err));
    for (size_t n = 0; n < frame_count; n++) {
        fill(&f, h, n);
        must(trj_stream_write(w, &f, &err));
    }
    must(trj_stream_writer_finish(w, &err));
    trj_stream_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    trj_frame_free(&f);
}

static bool is_frame(const struct trj_frame *f, unsigned what, size_t atoms) {
    size_t n = f->index;
    bool good = f->atoms == atoms && trj_motion_has(f->motion) == what;
    good = good && (!(what & TRJ_HAS_VELOCITY) || f->motion->unit == (n % 2 ? 10 : 20.455));
    for (int k = 0; k < 3 && good; k++)
        for (size_t i = 0; i < atoms && good; i++)
            good = f->x[k][i] == (float)(i + n) / 8 &&
                   (!(what & TRJ_HAS_VELOCITY) || f->motion->velocity[k][i] == velocity_of(n, k, i)) &&
                   (!(what & TRJ_HAS_IMAGE) || f->motion->image[k][i] == image_of(n, k, i));
    return good;
}

static void open_stream(struct trj_reader **r, unsigned compare) {
    struct trj_input *in;
    must(trj_input_open(&in, path, &err));
    must(trj_reader_open_comparing(r, in, NULL, 0, compare, &err));
}

// Reads a stream in order, ahead and at random; `what` of its content is requested.
static void check_reading(unsigned has, unsigned what, size_t atoms, const char *name) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    unsigned compare =
        (what & TRJ_HAS_VELOCITY ? TRJ_READ_VELOCITY : 0u) | (what & TRJ_HAS_IMAGE ? TRJ_READ_IMAGE : 0u);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        size_t n = 0;
        bool good = true;
        open_stream(&r, compare);
        if (threads > 1) must(trj_reader_read_ahead(r, threads, 1, UINT64_MAX, &err));
        good = r->holds == has && !strcmp(r->motion_source[0].origin, has & TRJ_HAS_VELOCITY ? "a test" : "");
        while (trj_reader_read(r, &f, &err) > 0) good = good && f.index == n++ && is_frame(&f, what & has, atoms);
        ok(good && n == frame_count, "%s: %u threads: frames are read as written", name, threads);
        good = true;
        for (size_t k = 0; k < 12; k++) {
            n = k * 61 % frame_count;
            good = good && trj_reader_seek(r, n, &err) > 0 && trj_reader_read(r, &f, &err) > 0 && f.index == n &&
                   is_frame(&f, what & has, atoms);
        }
        ok(good, "%s: %u threads: random access", name, threads);
        trj_reader_close(r);
    }
    trj_frame_free(&f);
}

static void check_round_trips(void) {
    static const size_t sizes[] = {5, 3000, 40000};
    char name[100];
    for (size_t s = 0; s < 3; s++)
        for (int level = 0; level <= 2; level += 2)
            for (unsigned has = 1; has <= BOTH; has++) {
                struct trj_stream_header h;
                frame_count = sizes[s] < 10000 ? MANY : FEW;
                make_header(&h, sizes[s], has);
                write_stream(&h, level, level ? 3 : 1);
                trj_stream_header_free(&h);
                for (unsigned what = 0; what <= BOTH; what++) {
                    snprintf(name, sizeof name, "%zu atoms, level %d, stream with %u, request of %u", sizes[s], level,
                             has, what);
                    check_reading(has, what, sizes[s], name);
                }
            }
}

// Only the picked atoms are returned.
static void check_pick(void) {
    static const uint32_t picked[] = {1, 3};
    struct trj_stream_header h;
    struct trj_reader *r;
    struct trj_frame f = {0};
    make_header(&h, 5, BOTH);
    write_stream(&h, 2, 1);
    open_stream(&r, READ_BOTH);
    must(trj_reader_pick(r, picked, 2, &err));
    bool good = trj_reader_read(r, &f, &err) > 0 && f.atoms == 2;
    for (int k = 0; k < 3 && good; k++)
        good = f.motion->velocity[k][1] == velocity_of(0, k, 3) && f.motion->image[k][1] == image_of(0, k, 3);
    ok(good, "picked atoms have their velocities and image flags");
    trj_reader_close(r);
    trj_frame_free(&f);
    trj_stream_header_free(&h);
}

static void check_missing(void) {
    struct trj_stream_header h;
    struct trj_output *out;
    struct trj_stream_writer *w;
    struct trj_frame f = {0};
    make_header(&h, 5, TRJ_HAS_VELOCITY);
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_stream_writer_open(&w, out, &h, 0, 1, &err));
    must(trj_stream_header_add_source(&h, "a.trr", 1, &err));
    fill(&f, &h, 0);
    f.motion->has = 0;
    ok(trj_stream_write(w, &f, &err) == -1 && err.status == TRJ_BAD_DATA, "a frame without them: %s", err.text);
    trj_stream_writer_close(w);
    trj_output_close(out);
    trj_frame_free(&f);
    trj_stream_header_free(&h);
}

static void check_rotation(void) {
    const double quarter[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
    struct trj_motion *m = NULL, *copy = NULL;
    static const uint32_t rows[] = {1, 0};
    must(trj_motion_resize(&m, BOTH, 2, &err));
    m->unit = 10;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) m->velocity[k][i] = (float)(10 * i + k + 1), m->image[k][i] = i;
    trj_motion_rotate(m, quarter, 2);
    ok(m->velocity[0][1] == -12 && m->velocity[1][1] == 11 && m->velocity[2][1] == 13 && m->image[0][1] == 1,
       "a rotation by 90 degrees about z");
    must(trj_motion_take(&copy, m, rows, 2, &err));
    ok(copy->velocity[0][0] == -12 && copy->image[2][1] == 0 && copy->unit == 10, "rows are taken in their order");
    must(trj_motion_take(&copy, NULL, NULL, 2, &err));
    ok(!trj_motion_has(copy), "nothing is left of an earlier frame");
    m->velocity[2][1] = NAN;
    ok(trj_motion_check(m, 2, NULL, &err) == -1 &&
           has_text(err.text, "velocity vz of atom 1 (counted from 0) is not a"),
       "not a number: %s", err.text);
    trj_motion_free(m);
    trj_motion_free(copy);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    check_round_trips();
    check_pick();
    check_missing();
    check_rotation();
    unlink(path);
    return done();
}
