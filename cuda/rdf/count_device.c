// SPDX-License-Identifier: MIT
// Everything a GPU needs for a job is allocated and laid out once: for groups that change with all atoms that can be in them, and those
// that are stand in lists and sets which each slot has of its own.
// A slot is one batch in flight: its own stream and memory, so that the upload of one goes on beside the counting of another.
#include "count_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "energy.h"
#include "memory.h"
#include "number.h"
#include "thread_affinity.h"
#include "tiles.h"

_Static_assert((int)CUDA_TILE == (int)TILE_WIDTH, "the kernels' tiles are those of lib/tile");

// Returns -1 with the reason from the function it stands in.
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t cuda_status = (call);                                                                              \
        if (cuda_status != cudaSuccess)                                                                                \
            return trj_fail(err, TRJ_FAILED, "%s: %s", #call, cudaGetErrorString(cuda_status));                        \
    } while (0)

enum {
    SLOTS = 2,
    ROOM_FOR_KERNELS = 64 << 20,
    MOST_PARTS = 64,   // of a group
    MOST_SETS = 65535, // of a piece: blocks in a grid, and bits of a key (columns.h)
};

// Memory of a device that is freed all at once.
struct arena {
    void **blocks;
    size_t count, room, bytes, limit;
    bool full; // something did not fit
};

// What is planned and counted at once: all groups and pairs of some frames, or, where memory is short, two parts of groups of one frame.
struct piece {
    unsigned frames;              // at most
    unsigned set_count, tiles;    // of each frame
    unsigned most_atoms;          // of a set
    cuda_set *device_sets, *sets; // [frames * sets]; the host's are there if groups change
    unsigned *set_of_tile;        // [frames * tiles]
    struct piece_pair {
        unsigned pair;
        unsigned long long units; // of a frame
        cuda_task *device_tasks;  // [frames]
    } * pairs;
    unsigned pair_count;
};

struct slot {
    cudaStream_t stream;
    cudaEvent_t upload_begin, upload_end, count_begin, count_end;
    cuda_plan plan;
    cuda_sorter sorter;
    float *x;                                 // [frames of a piece][3][room]
    cuda_frame *frames, *host_frames;         // [batch]
    cuda_set *sets, *host_sets;               // [sets of a piece] if groups change
    uint32_t *lists, *host_lists;             // [frames of a piece][changing], the same
    unsigned long long *counts, *host_counts; // [pairs][bins]
    unsigned long long *next_units;           // [launches of a round]
    cuda_totals *totals, *host_totals;
    cuda_bounds *host_bounds; // [bounds], those of the largest batch
    unsigned bounds;          // that come back of the batch in hand
    struct rdf_slice_counts result;
    uint64_t held; // number of the batch that is planned, 0: none
};

struct cuda_device {
    int number;
    char name[96], bus[32];
    const struct rdf_job *job;
    unsigned batch;
    size_t room; // of a frame's coordinates
    struct arena memory;
    uint32_t **lists; // [groups] device memory; NULL: no pair uses it
    size_t changing;  // atoms that can be in groups that change, of those that pairs use
    struct piece *pieces;
    unsigned piece_count;
    unsigned parts;
    cuda_count_args args; // what does not change
    cuda_shape shape;
    struct slot slots[SLOTS];
    cudaEvent_t start;
};

// ---- memory

// *place becomes memory of the device. Where there is too little `full` is set: smaller pieces may do.
static int arena_take(struct arena *a, void *place, size_t bytes, const char *what, struct trj_error *err) {
    if (trj_grow(&a->blocks, &a->room, a->count + 1, sizeof *a->blocks, "a list", err)) return -1;
    void *block = NULL;
    cudaError_t e = a->bytes + bytes > a->limit ? cudaErrorMemoryAllocation : cudaMalloc(&block, bytes ? bytes : 1);
    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError(); // that there was too little is no state of the device
        a->full = true;
        return trj_fail_memory(err, (double)bytes, what);
    }
    CHECK(e);
    a->bytes += bytes;
    a->blocks[a->count++] = block;
    memcpy(place, &block, sizeof block);
    return 0;
}

static void arena_empty(struct arena *a) {
    for (size_t i = 0; i < a->count; i++) cudaFree(a->blocks[i]);
    a->count = a->bytes = 0;
    a->full = false;
}

// ---- layout

static unsigned boxes_above(unsigned n) {
    return (n + CUDA_FAN - 1) / CUDA_FAN;
}

// Where part `part` of so many atoms begins.
static size_t part_begin(const struct cuda_device *d, size_t atoms, unsigned part) {
    return atoms * part / d->parts;
}

static size_t part_size(const struct cuda_device *d, size_t atoms, unsigned part) {
    return part_begin(d, atoms, part + 1) - part_begin(d, atoms, part);
}

static void set_size(cuda_set *s, size_t atoms) {
    s->atoms = (unsigned)atoms;
    s->boxes[0] = (s->atoms + CUDA_TILE - 1) / CUDA_TILE;
    for (int l = 1; l < CUDA_LEVELS; l++) s->boxes[l] = boxes_above(s->boxes[l - 1]);
}

// Part `part` of a group as the next set of a piece that has `first` boxes already; moves `first` on.
static cuda_set make_set(const struct cuda_device *d, unsigned group, unsigned part, unsigned frame,
                         unsigned first[CUDA_LEVELS]) {
    size_t atoms = d->job->groups[group].count;
    cuda_set s = {.frame = frame, .group = group, .part = part, .list = d->lists[group] + part_begin(d, atoms, part)};
    set_size(&s, part_size(d, atoms, part));
    for (int l = 0; l < CUDA_LEVELS; l++) {
        s.first[l] = first[l];
        first[l] += s.boxes[l];
    }
    return s;
}

static int to_device(struct cuda_device *d, void *place, const void *data, size_t bytes, struct trj_error *err) {
    void *to;
    if (arena_take(&d->memory, &to, bytes, "what the GPU keeps of the groups", err)) return -1;
    CHECK(cudaMemcpy(to, data, bytes, cudaMemcpyHostToDevice));
    memcpy(place, &to, sizeof to);
    return 0;
}

// What a piece holds of each frame.
struct contents {
    const unsigned *group, *part; // [sets]
    unsigned sets;
    const struct member {
        unsigned pair, rows, columns; // sets
    } * members;
    unsigned member_count;
};

static int make_piece(struct cuda_device *d, const struct contents *c, unsigned frames, unsigned long long units,
                      struct trj_error *err) {
    struct piece *piece = &d->pieces[d->piece_count++];
    *piece = (struct piece){.frames = frames, .set_count = c->sets, .pair_count = c->member_count};
    unsigned first[CUDA_LEVELS] = {0};
    int rc = -1;
    unsigned *set_of_tile = NULL;
    cuda_task *tasks = trj_alloc(frames, sizeof *tasks, "tasks", err);
    cuda_set *sets = tasks ? trj_alloc((size_t)frames * c->sets, sizeof *sets, "sets", err) : NULL;
    piece->pairs = sets ? trj_alloc(c->member_count, sizeof *piece->pairs, "pairs", err) : NULL;
    if (!piece->pairs) goto out;
    if ((size_t)frames * c->sets > MOST_SETS) {
        d->memory.full = true;
        trj_fail_memory(err, (double)frames * c->sets, "groups at once");
        goto out;
    }
    for (unsigned f = 0; f < frames; f++) {
        for (unsigned s = 0; s < c->sets; s++) {
            cuda_set *set = &sets[f * c->sets + s];
            *set = make_set(d, c->group[s], c->part[s], f, first);
            if (set->atoms > piece->most_atoms) piece->most_atoms = set->atoms;
        }
        if (!f) piece->tiles = first[0];
    }
    size_t tiles = first[0];
    set_of_tile = trj_alloc(tiles, sizeof *set_of_tile, "tiles", err);
    if (!set_of_tile) goto out;
    for (unsigned s = 0; s < frames * c->sets; s++)
        for (unsigned t = 0; t < sets[s].boxes[0]; t++) set_of_tile[sets[s].first[0] + t] = s;
    if (to_device(d, &piece->device_sets, sets, (size_t)frames * c->sets * sizeof *sets, err) ||
        to_device(d, &piece->set_of_tile, set_of_tile, tiles * sizeof *set_of_tile, err))
        goto out;
    for (unsigned m = 0; m < c->member_count; m++) {
        const struct member *member = &c->members[m];
        const cuda_set *rows = &sets[member->rows], *columns = &sets[member->columns];
        // About as many units as asked for, but none without a box of columns.
        unsigned long long rows_in_all = (unsigned long long)rows->boxes[0] * frames;
        unsigned segments = columns->boxes[1];
        if (rows_in_all && 1 + units / rows_in_all < segments) segments = (unsigned)(1 + units / rows_in_all);
        piece->pairs[m] =
            (struct piece_pair){.pair = member->pair, .units = (unsigned long long)rows->boxes[0] * segments};
        for (unsigned f = 0; f < frames; f++)
            tasks[f] = (cuda_task){.rows = f * c->sets + member->rows,
                                   .columns = f * c->sets + member->columns,
                                   .segments = segments,
                                   .unit = f * piece->pairs[m].units};
        if (to_device(d, &piece->pairs[m].device_tasks, tasks, frames * sizeof *tasks, err)) goto out;
    }
    if (d->changing) {
        piece->sets = sets;
        sets = NULL;
    }
    rc = 0;
out:
    free(tasks);
    free(sets);
    free(set_of_tile);
    return rc;
}

// All groups and pairs in one piece.
static int lay_out_whole(struct cuda_device *d, unsigned frames, unsigned long long units, struct trj_error *err) {
    const struct rdf_job *job = d->job;
    int rc = -1;
    unsigned *set_of_group = trj_alloc(job->group_count, sizeof *set_of_group, "sets", err);
    unsigned *group = set_of_group ? trj_alloc(job->group_count, sizeof *group, "sets", err) : NULL;
    unsigned *part = group ? trj_alloc(job->group_count, sizeof *part, "sets", err) : NULL;
    struct member *members = part ? trj_alloc(job->pair_count, sizeof *members, "pairs", err) : NULL;
    d->pieces = members ? trj_alloc(1, sizeof *d->pieces, "pieces", err) : NULL;
    if (!d->pieces) goto out;
    struct contents c = {group, part, 0, members, (unsigned)job->pair_count};
    for (unsigned g = 0; g < job->group_count; g++) {
        if (!d->lists[g]) continue;
        set_of_group[g] = c.sets;
        group[c.sets++] = g;
    }
    for (unsigned p = 0; p < job->pair_count; p++)
        members[p] = (struct member){p, set_of_group[job->pairs[p].a], set_of_group[job->pairs[p].b]};
    rc = make_piece(d, &c, frames, units, err);
out:
    free(set_of_group);
    free(group);
    free(part);
    free(members);
    return rc;
}

// Each part of a group against each part of the other; of a group with itself every two parts once.
static int lay_out_parts(struct cuda_device *d, unsigned long long units, struct trj_error *err) {
    const struct rdf_job *job = d->job;
    d->pieces = trj_alloc(job->pair_count * d->parts * d->parts, sizeof *d->pieces, "pieces", err);
    if (!d->pieces) return -1;
    for (unsigned p = 0; p < job->pair_count; p++) {
        unsigned group[2] = {job->pairs[p].a, job->pairs[p].b};
        bool self = group[0] == group[1];
        for (unsigned a = 0; a < d->parts; a++)
            for (unsigned b = self ? a : 0; b < d->parts; b++) {
                unsigned part[2] = {a, b}, one = self && a == b;
                struct member member = {p, 0, one ? 0 : 1};
                struct contents c = {group, part, one ? 1 : 2, &member, 1};
                if (!part_size(d, job->groups[group[0]].count, a) || !part_size(d, job->groups[group[1]].count, b))
                    continue; // of a group of few atoms
                if (make_piece(d, &c, 1, units, err)) return -1;
            }
    }
    return 0;
}

static void drop_pieces(struct cuda_device *d) {
    for (unsigned i = 0; i < d->piece_count; i++) {
        free(d->pieces[i].pairs);
        free(d->pieces[i].sets);
    }
    free(d->pieces);
    d->pieces = NULL;
    d->piece_count = 0;
}

static unsigned long long windows(const struct cuda_device *d) {
    return (d->args.bins + d->shape.window - 1) / d->shape.window;
}

static int take_slot(struct cuda_device *d, struct slot *s, struct trj_error *err) {
    struct arena *a = &d->memory;
    size_t tiles = 0, boxes[CUDA_LEVELS] = {0}, sets = 0, launches = 0, counts = d->job->pair_count * d->args.bins;
    unsigned frames = d->pieces[0].frames;
    for (unsigned i = 0; i < d->piece_count; i++) {
        const struct piece *p = &d->pieces[i];
        size_t t = (size_t)p->frames * p->tiles, n = (size_t)p->frames * p->set_count;
        tiles = t > tiles ? t : tiles;
        sets = n > sets ? n : sets;
        launches = p->pair_count * windows(d) > launches ? p->pair_count * windows(d) : launches;
    }
    boxes[0] = tiles;
    for (int l = 1; l < CUDA_LEVELS; l++) boxes[l] = boxes[l - 1] / CUDA_FAN + sets;
    size_t slots = tiles * CUDA_TILE;
    if (slots > INT32_MAX) {
        a->full = true;
        return trj_fail_memory(err, (double)slots, "atoms at once");
    }
    s->sorter.scratch_bytes = cuda_plan_scratch((unsigned)slots);
    if (!s->sorter.scratch_bytes) return trj_fail(err, TRJ_FAILED, "cub: %s", cudaGetErrorString(cudaGetLastError()));
    bool wide = d->shape.arithmetic == CUDA_FLOAT64;
    const struct {
        void *place;
        size_t bytes;
    } parts[] = {
        {&s->x, frames * 3 * d->room * sizeof(float)},
        {&s->frames, d->batch * sizeof *s->frames},
        {&s->sets, d->changing ? sets * sizeof *s->sets : 0},
        {&s->lists, frames * d->changing * sizeof *s->lists},
        {&s->counts, counts * sizeof *s->counts},
        {&s->next_units, launches * sizeof *s->next_units},
        {&s->totals, sizeof *s->totals},
        {&s->plan.bounds, sets * sizeof *s->plan.bounds},
        {&s->plan.columns, sets * sizeof *s->plan.columns},
        {&s->plan.atom, slots * sizeof *s->plan.atom},
        {&s->plan.wrap, slots * 3 * sizeof *s->plan.wrap},
        {wide ? (void *)&s->plan.local64 : (void *)&s->plan.local32,
         slots * (wide ? 4 * sizeof(double) : sizeof(float4))},
        {&s->plan.centre[0], boxes[0] * 3 * sizeof(double)},
        {&s->plan.centre[1], boxes[1] * 3 * sizeof(double)},
        {&s->plan.centre[2], boxes[2] * 3 * sizeof(double)},
        {&s->plan.half[0], boxes[0] * 3 * sizeof(double)},
        {&s->plan.half[1], boxes[1] * 3 * sizeof(double)},
        {&s->plan.half[2], boxes[2] * 3 * sizeof(double)},
        {&s->plan.radius, tiles * sizeof(double)},
        {&s->plan.patch, slots / CUDA_PATCH * 2 * sizeof(float4)},
        {&s->sorter.keys[0], slots * sizeof(uint32_t)},
        {&s->sorter.keys[1], slots * sizeof(uint32_t)},
        {&s->sorter.atom, slots * sizeof(uint32_t)},
        {&s->sorter.scratch, s->sorter.scratch_bytes},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (arena_take(a, parts[i].place, parts[i].bytes, "tiles on the GPU", err)) return -1;
    s->plan.frames = s->frames;
    s->plan.scale = cuda_count_scale(&d->args, d->shape.arithmetic);
    return 0;
}

static int take_memory(struct cuda_device *d, unsigned frames, unsigned long long units, struct trj_error *err) {
    const struct rdf_job *job = d->job;
    d->changing = 0;
    for (size_t g = 0; g < job->group_count; g++) {
        bool used = false;
        for (size_t p = 0; p < job->pair_count; p++) used |= job->pairs[p].a == g || job->pairs[p].b == g;
        if (!used) continue;
        if (to_device(d, &d->lists[g], job->groups[g].atoms, job->groups[g].count * sizeof(uint32_t), err)) return -1;
        d->changing += job->groups[g].dynamic ? job->groups[g].count : 0;
    }
    if (d->parts == 1 ? lay_out_whole(d, frames, units, err) : lay_out_parts(d, units, err)) return -1;
    for (int i = 0; i < SLOTS; i++)
        if (take_slot(d, &d->slots[i], err)) return -1;
    // Kernels are loaded when they are first launched, and want room, too.
    size_t left, all;
    CHECK(cudaMemGetInfo(&left, &all));
    if (left >= ROOM_FOR_KERNELS) return 0;
    d->memory.full = true;
    return trj_fail_memory(err, (double)ROOM_FOR_KERNELS, "kernels");
}

// What the host keeps of a slot.
static int take_host_memory(struct cuda_device *d, struct slot *s, struct trj_error *err) {
    size_t sets = 0, most = 0;
    for (unsigned i = 0; i < d->piece_count; i++) {
        size_t n = (size_t)d->pieces[i].frames * d->pieces[i].set_count;
        sets += n;
        most = n > most ? n : most;
    }
    if (d->changing) {
        s->host_sets = trj_alloc(most, sizeof *s->host_sets, "sets", err);
        s->host_lists = trj_alloc(d->pieces[0].frames * d->changing, sizeof *s->host_lists, "groups", err);
        if (!s->host_sets || !s->host_lists) return -1;
    }
    size_t bounds = sets * ((d->batch + d->pieces[0].frames - 1) / d->pieces[0].frames);
    CHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&s->upload_begin));
    CHECK(cudaEventCreate(&s->upload_end));
    CHECK(cudaEventCreate(&s->count_begin));
    CHECK(cudaEventCreateWithFlags(&s->count_end, cudaEventBlockingSync));
    CHECK(cudaMallocHost((void **)&s->host_frames, d->batch * sizeof *s->host_frames));
    CHECK(cudaMallocHost((void **)&s->host_counts, d->job->pair_count * d->args.bins * sizeof *s->host_counts));
    CHECK(cudaMallocHost((void **)&s->host_totals, sizeof *s->host_totals));
    CHECK(cudaMallocHost((void **)&s->host_bounds, bounds * sizeof *s->host_bounds));
    return 0;
}

// The kernel for float64 is for GPUs that do it at half the speed of float32; most do it at a 64th. TRJPIPE_GPU_KERNEL overrides it, for tests.
static int choose_arithmetic(const struct cuda_device *d, cuda_arithmetic *arithmetic, struct trj_error *err) {
    const char *wanted = getenv("TRJPIPE_GPU_KERNEL");
    int ratio = 0, major = 0;
    CHECK(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, d->number));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, d->number));
    *arithmetic = major >= 8 && ratio <= 2 ? CUDA_FLOAT64 : CUDA_FLOAT32;
    if (!wanted) return 0;
    if (!strcmp(wanted, "float32"))
        *arithmetic = CUDA_FLOAT32;
    else if (!strcmp(wanted, "float64") && major >= 8)
        *arithmetic = CUDA_FLOAT64;
    else
        return trj_fail(err, TRJ_USAGE,
                        "TRJPIPE_GPU_KERNEL: invalid value '%s': expected float32, or on a GPU of compute capability "
                        "8.0 or more float64",
                        wanted);
    return 0;
}

static int memory_limit(size_t *limit, struct trj_error *err) {
    const char *text = getenv("TRJPIPE_GPU_MEMORY");
    uint64_t value = SIZE_MAX;
    if (text && !trj_parse_u64(text, &value))
        return trj_fail(err, TRJ_USAGE, "TRJPIPE_GPU_MEMORY: invalid value '%s': expected a number of bytes", text);
    *limit = value;
    return 0;
}

int cuda_device_prepare(struct cuda_device *d, const struct rdf_job *job, unsigned batch, unsigned long long units,
                        struct trj_error *err) {
    d->job = job;
    d->batch = batch;
    d->room = trj_frame_bytes(job->atoms) / (3 * sizeof(float));
    d->args = (cuda_count_args){.rmin = job->bins.rmin, .rmax = job->bins.rmax, .bins = job->bins.count};
    cuda_count_binning(&d->args);
    cuda_arithmetic arithmetic;
    CHECK(cudaSetDevice(d->number));
    if (choose_arithmetic(d, &arithmetic, err) || memory_limit(&d->memory.limit, err)) return -1;
    CHECK(cuda_count_shape(&d->shape, arithmetic, job->bins.count));
    d->lists = trj_alloc(job->group_count, sizeof *d->lists, "groups", err);
    if (!d->lists) return -1;
    int rc = -1;
    // Fewer frames at once, then parts of groups.
    unsigned frames = batch;
    for (d->parts = 1; rc && d->parts <= MOST_PARTS; frames > 1 ? (frames /= 2) : (d->parts *= 2)) {
        drop_pieces(d);
        arena_empty(&d->memory);
        rc = take_memory(d, frames, units, err);
        if (!rc) break;
        if (!d->memory.full) return -1;
    }
    if (rc) return trj_fail_at(err, "out of GPU memory, even with one frame at a time and groups split into 64 parts");
    for (int i = 0; i < SLOTS; i++)
        if (take_host_memory(d, &d->slots[i], err)) return -1;
    CHECK(cudaDeviceSynchronize()); // the slots' streams do not wait for what was copied
    return 0;
}

bool cuda_device_sliceable(const struct cuda_device *d) {
    return d->piece_count == 1 && d->pieces[0].frames == d->batch;
}

// ---- work

// The groups that change, as they are in the frames: their atoms, each frame's and each group's behind the other.
static int upload_lists(struct cuda_device *d, struct slot *s, const struct work_batch *batch, unsigned first,
                        unsigned count, struct trj_error *err) {
    size_t at = 0;
    for (unsigned i = 0; i < count; i++)
        for (size_t g = 0; g < d->job->group_count; g++) {
            const struct trj_group *group = &d->job->groups[g];
            if (!d->lists[g] || !group->dynamic) continue;
            trj_group_list(group, &batch->frames[first + i], s->host_lists + at);
            at += group->count;
        }
    // From memory that may be paged: it may be written again at once.
    CHECK(cudaMemcpyAsync(s->lists, s->host_lists, at * sizeof *s->lists, cudaMemcpyHostToDevice, s->stream));
    return 0;
}

static int upload(struct cuda_device *d, struct slot *s, const struct work_batch *batch, unsigned first, unsigned count,
                  struct trj_error *err) {
    for (unsigned i = 0; i < count; i++) {
        const struct trj_frame *f = &batch->frames[first + i];
        cuda_frame *to = &s->host_frames[first + i];
        *to = (cuda_frame){.x = s->x + i * 3 * d->room, .room = f->room, .unit = f->unit};
        memcpy(to->h, f->cell.h, sizeof to->h);
        trj_cell_reciprocal(&f->cell, to->g);
        rdf_job_rounding_terms(d->job, &f->cell, &to->rounding, &to->rounding_each);
        CHECK(cudaMemcpyAsync(to->x, f->x[0], 3 * f->room * sizeof(float), cudaMemcpyHostToDevice, s->stream));
    }
    CHECK(cudaMemcpyAsync(s->frames, s->host_frames + first, count * sizeof *s->frames, cudaMemcpyHostToDevice,
                          s->stream));
    return d->changing ? upload_lists(d, s, batch, first, count, err) : 0;
}

// The sets of a piece, with as many atoms as they have in the frames.
static int upload_sets(struct cuda_device *d, struct slot *s, const struct piece *piece, const struct work_batch *batch,
                       unsigned first, struct trj_error *err) {
    for (unsigned i = 0; i < s->plan.set_count; i++) {
        cuda_set *set = &s->host_sets[i];
        *set = piece->sets[i];
        const struct trj_group *group = &d->job->groups[set->group];
        if (!group->dynamic) continue;
        size_t atoms = trj_group_size(group, &batch->frames[first + set->frame]), at = set->frame * d->changing;
        for (unsigned g = 0; g < set->group; g++)
            if (d->lists[g] && d->job->groups[g].dynamic) at += d->job->groups[g].count;
        set->list = s->lists + at + part_begin(d, atoms, set->part);
        set_size(set, part_size(d, atoms, set->part));
    }
    CHECK(
        cudaMemcpyAsync(s->sets, s->host_sets, s->plan.set_count * sizeof *s->sets, cudaMemcpyHostToDevice, s->stream));
    return 0;
}

// Counts the frames that are there, a launch for each pair of groups and window of bins.
static int count_piece(struct cuda_device *d, struct slot *s, const struct piece *piece, const struct work_batch *batch,
                       unsigned slice, unsigned count, struct trj_error *err) {
    cuda_count_args args = d->args;
    unsigned long long *next_unit = s->next_units;
    args.plan = s->plan;
    args.slice = slice;
    args.slices = batch->slices;
    args.totals = s->totals;
    CHECK(cudaMemsetAsync(next_unit, 0, piece->pair_count * windows(d) * sizeof *next_unit, s->stream));
    for (unsigned p = 0; p < piece->pair_count; p++) {
        const struct piece_pair *pair = &piece->pairs[p];
        args.tasks = pair->device_tasks;
        args.task_count = count;
        args.units = count * pair->units;
        args.counts = s->counts + pair->pair * args.bins;
        for (unsigned long long first = 0; first < args.bins; first += d->shape.window) {
            args.window_first = (unsigned)first;
            args.window_bins = (unsigned)(args.bins - first < d->shape.window ? args.bins - first : d->shape.window);
            args.next_unit = next_unit++;
            CHECK(cuda_count_launch(&args, &d->shape, s->stream));
        }
    }
    return 0;
}

static int enqueue(struct cuda_device *d, struct slot *s, const struct work_batch *batch, unsigned slice,
                   struct trj_error *err) {
    size_t counts = d->job->pair_count * d->args.bins;
    bool held = s->held == batch->number;
    s->held = 0;
    s->bounds = 0;
    CHECK(cudaEventRecord(s->upload_begin, s->stream));
    CHECK(cudaMemsetAsync(s->counts, 0, counts * sizeof *s->counts, s->stream));
    CHECK(cudaMemsetAsync(s->totals, 0, sizeof *s->totals, s->stream));
    for (unsigned first = 0, n; first < batch->count; first += n) {
        n = batch->count - first < d->pieces[0].frames ? batch->count - first : d->pieces[0].frames;
        if (!held && upload(d, s, batch, first, n, err)) return -1;
        if (!first) {
            CHECK(cudaEventRecord(s->upload_end, s->stream));
            CHECK(cudaEventRecord(s->count_begin, s->stream));
        }
        for (unsigned i = 0; i < d->piece_count; i++) {
            const struct piece *piece = &d->pieces[i];
            s->plan.sets = d->changing ? s->sets : piece->device_sets;
            s->plan.set_of_tile = piece->set_of_tile;
            s->plan.set_count = n * piece->set_count;
            s->plan.tiles = n * piece->tiles;
            if (d->changing && !held && upload_sets(d, s, piece, batch, first, err)) return -1;
            if (!held) CHECK(cuda_plan_launch(&s->plan, &s->sorter, piece->most_atoms, s->stream));
            CHECK(cudaMemcpyAsync(s->host_bounds + s->bounds, s->plan.bounds,
                                  s->plan.set_count * sizeof *s->plan.bounds, cudaMemcpyDeviceToHost, s->stream));
            s->bounds += s->plan.set_count;
            if (count_piece(d, s, piece, batch, slice, n, err)) return -1;
        }
    }
    CHECK(cudaMemcpyAsync(s->host_counts, s->counts, counts * sizeof *s->counts, cudaMemcpyDeviceToHost, s->stream));
    CHECK(cudaMemcpyAsync(s->host_totals, s->totals, sizeof *s->totals, cudaMemcpyDeviceToHost, s->stream));
    CHECK(cudaEventRecord(s->count_end, s->stream));
    if (cuda_device_sliceable(d)) s->held = batch->number;
    return 0;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct cuda_device *d = device;
    struct slot *s = &d->slots[slot];
    if (!enqueue(d, s, batch, slice, err)) return 0;
    cudaStreamSynchronize(s->stream); // nothing must read the batch any more
    return -1;
}

static int seconds_between(cudaEvent_t a, cudaEvent_t b, double *seconds, struct trj_error *err) {
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    *seconds = 1e-3 * (double)ms;
    return 0;
}

static int end(void *device, unsigned slot, struct work_result *result, struct trj_error *err) {
    struct cuda_device *d = device;
    struct slot *s = &d->slots[slot];
    CHECK(cudaEventSynchronize(s->count_end));
    if (seconds_between(s->upload_begin, s->upload_end, &result->upload, err) ||
        seconds_between(d->start, s->count_begin, &result->began, err) ||
        seconds_between(d->start, s->count_end, &result->ended, err))
        return -1;
    // Which atom is where, and how many units there are: what slices of other GPUs must agree with.
    for (unsigned i = 0; i < s->bounds; i++) result->digest = 31 * result->digest + s->host_bounds[i].order;
    for (unsigned i = 0; i < d->piece_count; i++)
        for (unsigned p = 0; p < d->pieces[i].pair_count; p++)
            result->digest = 31 * result->digest + d->pieces[i].pairs[p].units;
    s->result = (struct rdf_slice_counts){.counts = (const uint64_t *)s->host_counts,
                                          .evaluated = s->host_totals->evaluated,
                                          .resolved = s->host_totals->resolved};
    result->data = &s->result;
    return 0;
}

static int attach(void *device, struct trj_error *err) {
    struct cuda_device *d = device;
    cuda_place_thread(d->bus);
    CHECK(cudaSetDevice(d->number));
    CHECK(cudaEventRecord(d->start, d->slots[0].stream));
    return 0;
}

static void *allocate(size_t bytes) {
    void *memory = NULL;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess) return memory;
    (void)cudaGetLastError();
    return NULL;
}

static void release(void *memory) {
    cudaFreeHost(memory);
}

static double joules(void *device) {
    return cuda_energy_joules(((struct cuda_device *)device)->bus);
}

static const char *name(void *device) {
    return ((struct cuda_device *)device)->name;
}

const struct work_device_ops cuda_device_ops = {
    .slots = SLOTS,
    .allocate = allocate,
    .release = release,
    .attach = attach,
    .begin = begin,
    .end = end,
    .joules = joules,
    .name = name,
};

int cuda_device_open(struct cuda_device **device, int number, struct trj_error *err) {
    struct cudaDeviceProp p;
    cuda_shape shape;
    struct cuda_device *d = trj_alloc(1, sizeof *d, "a GPU", err);
    if (!d) return -1;
    d->number = number;
    cudaError_t e = cudaGetDeviceProperties(&p, number);
    if (e == cudaSuccess) e = cudaSetDevice(number);
    if (e == cudaSuccess) e = cudaDeviceGetPCIBusId(d->bus, sizeof d->bus, number);
    // Makes the context: here it shows whether the GPU is to be had, and whether there is code for it.
    if (e == cudaSuccess) e = cuda_count_shape(&shape, CUDA_FLOAT32, 1);
    if (e == cudaSuccess) e = cudaEventCreate(&d->start);
    if (e != cudaSuccess) {
        (void)cudaGetLastError();
        free(d);
        return trj_fail(err, TRJ_NO_ENGINE, "GPU %d: %s", number, cudaGetErrorString(e));
    }
    snprintf(d->name, sizeof d->name, "GPU %d (%.64s)", number, p.name);
    *device = d;
    return 0;
}

int cuda_device_number(const struct cuda_device *d) {
    return d->number;
}

void cuda_device_close(struct cuda_device *d) {
    if (!d) return;
    cudaSetDevice(d->number);
    for (int i = 0; i < SLOTS; i++) {
        struct slot *s = &d->slots[i];
        void *const pinned[] = {s->host_frames, s->host_counts, s->host_totals, s->host_bounds};
        const cudaEvent_t events[] = {s->upload_begin, s->upload_end, s->count_begin, s->count_end};
        for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) cudaFreeHost(pinned[k]);
        for (size_t k = 0; k < sizeof events / sizeof *events; k++)
            if (events[k]) cudaEventDestroy(events[k]);
        if (s->stream) cudaStreamDestroy(s->stream);
        free(s->host_sets);
        free(s->host_lists);
    }
    if (d->start) cudaEventDestroy(d->start);
    drop_pieces(d);
    arena_empty(&d->memory);
    free(d->memory.blocks);
    free(d->lists);
    free(d);
}
