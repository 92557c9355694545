// SPDX-License-Identifier: MIT
// The arithmetic with which GPUs spread charges onto a mesh, on the CPU: bricks, tiles, weights and integers, compared
// with the charges on the mesh of the engine cpu. Parts of the methods pme and fast.
#include <math.h>
#include <stdlib.h>

#include "cell_shapes.h"
#include "charge_mesh.h"
#include "mesh_bricks.h"
#include "mesh_place.h"
#include "mesh_spline.h"
#include "pme_frames.h"
#include "tap.h"

enum { MAX_TILE = CUDA_MESH_BRICK + POT_ORDER_MAX - 1 };

static int64_t tile[MAX_TILE][MAX_TILE][MAX_TILE];

// Adds a charge to the tile of its brick. Returns whether all of its points are in the tile.
static bool add_to_tile(const struct pot_mesh_spline *s, const struct pot_mesh_place *place, const uint32_t begin[3],
                        double q) {
    uint32_t corner[3];
    for (int k = 0; k < 3; k++) {
        corner[k] = place->point[k] - begin[k];
        if (corner[k] >= CUDA_MESH_BRICK) return false;
    }
    for (unsigned z = 0; z < s->order; z++)
        for (unsigned y = 0; y < s->order; y++)
            for (unsigned x = 0; x < s->order; x++) {
                double share = q * s->scale * pot_mesh_weight(s->coefficient, s->order, z, place->fraction[2]),
                       part = share * pot_mesh_weight(s->coefficient, s->order, y, place->fraction[1]);
                tile[corner[2] + z][corner[1] + y][corner[0] + x] +=
                    pot_mesh_quanta(pot_mesh_weight(s->coefficient, s->order, x, place->fraction[0]), part);
            }
    return true;
}

static void add_tile(const uint32_t begin[3], const uint32_t n[3], unsigned order, int64_t *sum) {
    const uint32_t size = CUDA_MESH_BRICK + order - 1;
    for (uint32_t z = 0; z < size; z++)
        for (uint32_t y = 0; y < size; y++)
            for (uint32_t x = 0; x < size; x++) {
                uint32_t to[3] = {cuda_mesh_tile_point(begin[0], x, order, n[0]),
                                  cuda_mesh_tile_point(begin[1], y, order, n[1]),
                                  cuda_mesh_tile_point(begin[2], z, order, n[2])};
                sum[to[0] + (size_t)n[0] * (to[1] + (size_t)n[1] * to[2])] += tile[z][y][x];
                tile[z][y][x] = 0;
            }
}

// Spreads the charges of a frame as the kernels do, one brick at a time.
static bool spread(const struct pot_job *job, const struct pot_frame *f, int64_t *sum) {
    struct trj_error err;
    struct pot_mesh_spline s;
    struct pot_mesh_places places;
    uint32_t n[3], bricks[3];
    size_t added = 0;
    if (pot_mesh_spline_set(&s, job->lattice.n, job->order, job->max_charge, pot_mesh_quantum(job->max_charge), &err))
        return false;
    pot_mesh_places_set(&places, &f->lattice);
    for (int k = 0; k < 3; k++) {
        n[k] = (uint32_t)job->lattice.n[k];
        bricks[k] = cuda_mesh_bricks(n[k]);
    }
    for (uint32_t brick = 0; brick < bricks[0] * bricks[1] * bricks[2]; brick++) {
        uint32_t begin[3];
        cuda_mesh_brick_begin(bricks, brick, begin);
        for (size_t i = 0; i < f->count; i++) {
            struct pot_mesh_place place = pot_mesh_locate(&places, f->position[i]);
            if (cuda_mesh_brick_of(bricks, place.point) != brick) continue;
            if (!add_to_tile(&s, &place, begin, f->charge[i])) return false;
            added++;
        }
        add_tile(begin, n, job->order, sum);
    }
    return added == f->count;
}

static void test_bricks(void) {
    static const uint64_t sizes[][3] = {{16, 16, 16}, {15, 17, 20}, {3, 5, 2}, {1, 9, 40}, {7, 8, 24}};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
        for (unsigned order = 4; order <= 8; order += 2) {
            const uint64_t *n = sizes[size];
            place_charges(shapes[size % 4].h, 60, 0.3);
            struct pot_frame f = frame_of(shapes[size % 4].h, 60, n);
            struct pot_job job = job_of(&f, order, 0);
            job.charge_mesh = true;
            int64_t *expected = compute(&pot_mesh_cpu, &job, &f, 1), *got = calloc(job.values, sizeof *got);
            if (!got) abort();
            ok(spread(&job, &f, got) && !memcmp(got, expected, job.values * sizeof *got),
               "%llu x %llu x %llu points, order %u: bricks and tiles give the charges of the engine cpu",
               (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2], order);
            free(expected);
            free(got);
        }
}

// ---- parts of a method

struct keeping {
    struct trj_frame got; // the last frame of the stream
    uint64_t added;
};

static int open_keeping(void **state, const struct pot_job *job, struct trj_error *err) {
    (void)job, (void)err;
    *state = calloc(1, sizeof(struct keeping));
    return *state ? 0 : -1;
}

// Keeps the frame of the stream, as a pool does. Fails for the third frame.
static int add_keeping(void *state, const struct pot_frame *f, struct trj_error *err) {
    struct keeping *k = state;
    struct trj_frame kept = *f->stream;
    *f->stream = k->got;
    k->got = kept;
    return ++k->added == 3 ? trj_fail(err, TRJ_BAD_DATA, "third frame") : 0;
}

static int finish_keeping(void *state, const int64_t **values, struct trj_error *err) {
    (void)state, (void)err;
    *values = NULL;
    return 0;
}

static void close_keeping(void *state) {
    struct keeping *k = state;
    trj_frame_free(&k->got);
    free(k);
}

static uint64_t second(const void *state) { // the error is in an earlier frame than that which is added
    return ((const struct keeping *)state)->added == 3 ? 1 : UINT64_MAX;
}

static void stats(void *state, struct trj_engine_stats *s) {
    static const struct trj_device_stats devices[2] = {{.name = "a", .frames = 2, .busy = 0.5},
                                                       {.name = "b", .frames = 1, .busy = 0.25, .failed = true}};
    (void)state;
    *s = (struct trj_engine_stats){.devices = devices, .device_count = 2};
}

static void test_parts(void) {
    static const struct pot_method keeping = {.open = open_keeping,
                                              .add = add_keeping,
                                              .finish = finish_keeping,
                                              .close = close_keeping,
                                              .bad_frame = second,
                                              .stats = stats};
    struct trj_error err;
    struct trj_frame frame = {.time = 7, .unit = 10};
    struct pot_part first = {.state = NULL}, other = {.state = NULL};
    if (trj_frame_resize(&frame, 2, &err) || trj_frame_resize_members(&frame, 1, &err) ||
        pot_part_open(&first, &keeping, NULL, 10, &err) || pot_part_open(&other, &keeping, NULL, 0, &err))
        abort();
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) frame.x[k][i] = (float)(3 * i + k);
    frame.members[0] = 5;
    struct pot_frame f = {.stream = &frame};
    int rc = pot_part_add(&first, &f, true, 10, &err);
    ok(!rc && frame.atoms == 2 && frame.x[2][1] == 5, "a part that gets a copy leaves the frame of the stream");
    rc = pot_part_add(&other, &f, false, 10, &err);
    const struct trj_frame *copy = &((const struct keeping *)first.state)->got,
                           *own = &((const struct keeping *)other.state)->got;
    bool same = !rc && copy->atoms == 2 && own->atoms == 2 && copy->time == 7 && copy->unit == 10 &&
                copy->members[0] == 5 && copy->x[0] != own->x[0];
    for (int k = 0; k < 3 && same; k++) same = !memcmp(copy->x[k], own->x[k], 2 * sizeof(float));
    ok(same && !frame.x[0], "both parts get the coordinates and the members; the last one gets the frame itself");
    struct trj_device_stats devices[POT_PART_DEVICES];
    struct trj_engine_stats s;
    struct pot_part *const parts[2] = {&first, &other};
    const struct pot_part *const const_parts[2] = {&first, &other};
    pot_parts_stats(parts, devices, &s);
    ok(s.device_count == 2 && s.devices[0].busy == 1 && s.devices[1].busy == 0.5 && s.devices[1].failed &&
           s.devices[0].frames == 2,
       "the busy times of parts on one device are added");
    ok(pot_parts_bad_frame(const_parts, 12) == 12, "without a failed part, the frame is the one that is added");
    struct trj_frame more = {.atoms = 0};
    f.stream = &more;
    rc = pot_part_add(&first, &f, false, 11, &err) || !pot_part_add(&first, &f, false, 12, &err);
    ok(!rc && pot_parts_bad_frame(const_parts, 12) == 11,
       "the frame of an error counts from the first one of the part");
    pot_part_close(&first);
    pot_part_close(&other);
    trj_frame_free(&frame);
    trj_frame_free(&more);
}

int main(void) {
    test_bricks();
    test_parts();
    return done();
}
