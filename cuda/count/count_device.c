// SPDX-License-Identifier: MIT
// Plans and counts batches on one GPU, in several passes if the memory for a whole batch is lacking.
//
// All memory is allocated once, when the device is opened. Each slot has its own stream, frames, tiles and counts, so
// that the upload of one slice overlaps the counting of another.
//
// Usually a batch is planned and counted in one pass. If memory is short, a pass contains fewer frames, and then one
// frame and two parts of groups; the passes of a batch follow each other and share the memory of the slot.
#include "count_device.h"

#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "count.h"
#include "device_tiles.h"
#include "memory.h"

enum { MAX_PARTS = 64 }; // of a group

// A pass, which is planned and counted together: all groups and pairs of some frames, or two parts of groups of one
// frame.
struct count_pass {
    struct cuda_set_table table;
    struct pass_pair {
        unsigned pair;
        unsigned long long units; // of a frame
        cuda_task *device_tasks;  // [frames]
    } * pairs;
    unsigned pair_count;
};

struct slot {
    struct cuda_slot base;
    struct cuda_tiles tiles;
    unsigned long long *counts, *host_counts; // [parts of a batch][pairs][bins]
    unsigned long long *next_units;           // [launches of a pass]
    cuda_totals *totals, *host_totals;
    struct rdf_slice_counts result;
    uint64_t held; // number of the batch whose tiles the slot contains; 0: none
};

struct device {
    struct cuda_device base;
    const struct rdf_job *job;
    unsigned parts; // of a batch, at most
    struct cuda_groups groups;
    bool *used; // [groups] by a pair
    struct count_pass *passes;
    unsigned pass_count;
    cuda_count_args args; // those members that do not change
    cuda_shape shape;
};

// ---- passes

// The sets of a pass, and the pairs that it counts.
struct pass_content {
    const unsigned *group, *part; // [sets]
    unsigned sets;
    const struct set_pair {
        unsigned pair, rows, columns; // rows, columns: sets
    } * pairs;
    unsigned pair_count;
};

// Divides a pair into about `units` units of work: (row of tiles, segment of columns). A segment is at least one box of
// level 1.
static int make_tasks(struct device *d, struct count_pass *pass, struct pass_pair *to, const struct set_pair *from,
                      unsigned long long units, struct trj_error *err) {
    const struct cuda_set_table *t = &pass->table;
    unsigned row_tiles = t->sets[from->rows].boxes[0], segments = t->sets[from->columns].boxes[1];
    unsigned long long rows = (unsigned long long)row_tiles * t->frames;
    if (rows && 1 + units / rows < segments) segments = (unsigned)(1 + units / rows);
    *to = (struct pass_pair){.pair = from->pair, .units = (unsigned long long)row_tiles * segments};
    cuda_task *tasks = trj_alloc(t->frames, sizeof *tasks, "tasks", err);
    if (!tasks) return -1;
    for (unsigned f = 0; f < t->frames; f++)
        tasks[f] = (cuda_task){.rows = f * t->set_count + from->rows,
                               .columns = f * t->set_count + from->columns,
                               .segments = segments,
                               .unit = f * to->units};
    int rc = cuda_memory_alloc_copy(&d->base.memory, &to->device_tasks, tasks, t->frames * sizeof *tasks,
                                    "tasks on the GPU", err);
    free(tasks);
    return rc;
}

static int make_pass(struct device *d, const struct pass_content *c, unsigned frames, unsigned long long units,
                     struct trj_error *err) {
    struct count_pass *pass = &d->passes[d->pass_count++];
    pass->pair_count = c->pair_count;
    pass->pairs = trj_alloc(c->pair_count, sizeof *pass->pairs, "pairs", err);
    if (!pass->pairs ||
        cuda_set_table_make(&pass->table, &d->groups, c->group, c->part, c->sets, frames, &d->base.memory, err))
        return -1;
    for (unsigned p = 0; p < c->pair_count; p++)
        if (make_tasks(d, pass, &pass->pairs[p], &c->pairs[p], units, err)) return -1;
    return 0;
}

// Makes one pass of all groups and pairs of `frames` frames.
static int make_whole_pass(struct device *d, unsigned frames, unsigned long long units, struct trj_error *err) {
    const struct rdf_job *job = d->job;
    int rc = -1;
    unsigned *set_of_group = trj_alloc(job->group_count, sizeof *set_of_group, "sets", err);
    unsigned *group = set_of_group ? trj_alloc(job->group_count, sizeof *group, "sets", err) : NULL;
    unsigned *part = group ? trj_alloc(job->group_count, sizeof *part, "sets", err) : NULL;
    struct set_pair *pairs = part ? trj_alloc(job->pair_count, sizeof *pairs, "pairs", err) : NULL;
    d->passes = pairs ? trj_alloc(1, sizeof *d->passes, "passes", err) : NULL;
    if (!d->passes) goto out;
    struct pass_content c = {group, part, 0, pairs, (unsigned)job->pair_count};
    for (unsigned g = 0; g < job->group_count; g++) {
        if (!d->used[g]) continue;
        set_of_group[g] = c.sets;
        group[c.sets++] = g;
    }
    for (unsigned p = 0; p < job->pair_count; p++)
        pairs[p] = (struct set_pair){p, set_of_group[job->pairs[p].a], set_of_group[rdf_job_second_group(job, p)]};
    rc = make_pass(d, &c, frames, units, err);
out:
    free(set_of_group);
    free(group);
    free(part);
    free(pairs);
    return rc;
}

// Makes a pass of one frame for every two parts of the groups of a pair; for a group with itself, every two parts once.
static int make_part_passes(struct device *d, unsigned long long units, struct trj_error *err) {
    const struct rdf_job *job = d->job;
    const struct cuda_groups *g = &d->groups;
    d->passes = trj_alloc(job->pair_count * g->parts * g->parts, sizeof *d->passes, "passes", err);
    if (!d->passes) return -1;
    for (unsigned p = 0; p < job->pair_count; p++) {
        unsigned group[2] = {job->pairs[p].a, rdf_job_second_group(job, p)};
        bool self = group[0] == group[1];
        for (unsigned a = 0; a < g->parts; a++)
            for (unsigned b = self ? a : 0; b < g->parts; b++) {
                unsigned part[2] = {a, b}, one = self && a == b;
                struct set_pair pair = {p, 0, one ? 0 : 1};
                struct pass_content c = {group, part, one ? 1 : 2, &pair, 1};
                if (!cuda_groups_part_size(g, job->groups[group[0]].count, a) ||
                    !cuda_groups_part_size(g, job->groups[group[1]].count, b))
                    continue; // the group has fewer atoms than parts
                if (make_pass(d, &c, 1, units, err)) return -1;
            }
    }
    return 0;
}

static void free_passes(struct device *d) {
    for (unsigned i = 0; i < d->pass_count; i++) {
        cuda_set_table_free(&d->passes[i].table);
        free(d->passes[i].pairs);
    }
    free(d->passes);
    d->passes = NULL;
    d->pass_count = 0;
}

// ---- memory

// Returns the number of windows of bins, each of which is counted by a launch of its own.
static unsigned long long windows(const struct device *d) {
    return (d->args.cells + d->shape.window - 1) / d->shape.window;
}

static unsigned frames_of_pass(const struct device *d) {
    return d->passes[0].table.frames;
}

static struct cuda_tiles_size tiles_size(const struct device *d) {
    struct cuda_tiles_size size = {.batch = d->base.batch,
                                   .frames = frames_of_pass(d),
                                   .atoms = d->job->atoms,
                                   .wide = d->shape.arithmetic == CUDA_FLOAT64,
                                   .scale = cuda_count_scale(&d->args, d->shape.arithmetic)};
    for (unsigned i = 0; i < d->pass_count; i++) {
        const struct cuda_set_table *t = &d->passes[i].table;
        size_t tiles = (size_t)t->frames * t->tiles, sets = (size_t)t->frames * t->set_count;
        size.tiles = tiles > size.tiles ? tiles : size.tiles;
        size.sets = sets > size.sets ? sets : size.sets;
        size.bounds += sets;
    }
    size.bounds *= (d->base.batch + size.frames - 1) / size.frames;
    return size;
}

static int alloc_slot(struct device *d, struct slot *s, const struct cuda_tiles_size *size, struct trj_error *err) {
    size_t launches = 0;
    for (unsigned i = 0; i < d->pass_count; i++) {
        size_t n = d->parts * d->passes[i].pair_count * windows(d);
        launches = n > launches ? n : launches;
    }
    const struct cuda_array arrays[] = {
        CUDA_ARRAY(s->counts, d->parts * d->job->pair_count * d->args.cells, "counts on the GPU"),
        CUDA_ARRAY(s->next_units, launches, "counts on the GPU"),
        CUDA_ARRAY(s->totals, 1, "counts on the GPU"),
    };
    if (cuda_tiles_alloc(&s->tiles, &d->groups, size, &d->base.memory, err)) return -1;
    return CUDA_ALLOC(&d->base.memory, arrays, err);
}

static int alloc_memory(struct device *d, unsigned frames, unsigned long long units, struct trj_error *err) {
    if (cuda_groups_upload(&d->groups, d->used, &d->base.memory, err)) return -1;
    if (d->groups.parts == 1 ? make_whole_pass(d, frames, units, err) : make_part_passes(d, units, err)) return -1;
    const struct cuda_tiles_size size = tiles_size(d);
    for (int i = 0; i < CUDA_SLOTS; i++)
        if (alloc_slot(d, (struct slot *)d->base.slots[i], &size, err)) return -1;
    return cuda_memory_check_free(&d->base.memory, err);
}

// If memory is short: a batch of one part, then fewer frames, then parts of groups.
static int fit_memory(struct device *d, unsigned long long units, struct trj_error *err) {
    unsigned frames = d->base.batch;
    for (d->groups.parts = 1; d->groups.parts <= MAX_PARTS;) {
        free_passes(d);
        cuda_memory_empty(&d->base.memory);
        if (!alloc_memory(d, frames, units, err)) return 0;
        if (!d->base.memory.full) return -1;
        if (d->parts > 1)
            d->parts = 1;
        else if (frames > 1)
            frames /= 2;
        else
            d->groups.parts *= 2;
    }
    return trj_fail_at(err, "out of GPU memory, even with one frame at a time and groups split into 64 parts");
}

static int open_slot(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    const struct cuda_tiles_size size = tiles_size(d);
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_HOST(s->host_counts, d->parts * d->job->pair_count * d->args.cells),
        CUDA_ARRAY_HOST(s->host_totals, 1),
    };
    if (cuda_tiles_alloc_host(&s->tiles, &d->groups, &size, &d->base.memory, err)) return -1;
    return CUDA_ALLOC(&d->base.memory, arrays, err);
}

// The kernel in float64 is used on GPUs that compute in float64 at half the speed of float32 or more; most have a 64th.
// For tests, TRJPIPE_GPU_KERNEL selects the kernel.
static int choose_arithmetic(const struct device *d, cuda_arithmetic *arithmetic, struct trj_error *err) {
    const char *chosen = getenv("TRJPIPE_GPU_KERNEL");
    const enum rdf_metric_kind kind = d->args.metric.kind;
    int ratio = 0, major = 0;
    if (kind) {
        *arithmetic = kind == RDF_METRIC_PLANE ? CUDA_PLANE32 : kind == RDF_METRIC_BODY ? CUDA_BODY32 : CUDA_ANGLE32;
        return 0;
    }
    CUDA_CHECK(cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, d->base.gpu.number));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, d->base.gpu.number));
    *arithmetic = major >= 8 && ratio <= 2 ? CUDA_FLOAT64 : CUDA_FLOAT32;
    if (!chosen) return 0;
    if (!strcmp(chosen, "float32"))
        *arithmetic = CUDA_FLOAT32;
    else if (!strcmp(chosen, "float64") && major >= 8)
        *arithmetic = CUDA_FLOAT64;
    else
        return trj_fail(err, TRJ_USAGE,
                        "TRJPIPE_GPU_KERNEL: invalid value '%s': expected float32, or on a GPU of compute capability "
                        "8.0 or more float64",
                        chosen);
    return 0;
}

// Sets the constants of the kernels.
static int set_args(struct device *d, struct trj_error *err) {
    const struct rdf_job *job = d->job;
    const bool second = !rdf_metric_counts_distance(&job->bins.metric), body = job->bins.metric.kind == RDF_METRIC_BODY;
    cuda_arithmetic arithmetic;
    d->args = (cuda_count_args){.rmin = job->bins.rmin,
                                .rmax = job->bins.rmax,
                                .bins = job->bins.count,
                                .cells = rdf_bins_cells(&job->bins),
                                .reach = rdf_bins_reach(&job->bins)};
    if (second) d->args.metric = job->bins.metric;
    d->args.turn = body ? 2 : job->bins.metric.axis;
    d->args.first_axis = body ? job->atoms / 2 : 0;
    cuda_count_binning(&d->args);
    if (choose_arithmetic(d, &arithmetic, err)) return -1;
    return cuda_count_shape(&d->shape, arithmetic, d->args.cells, err);
}

static int open_device(void *device, struct trj_error *err) {
    struct device *d = device;
    const struct rdf_job *job = d->job = d->base.job;
    const struct cuda_count_sizes sizes = cuda_count_choose_sizes(job, d->base.gpus);
    d->parts = sizes.parts;
    if (set_args(d, err)) return -1;
    d->groups = (struct cuda_groups){.groups = job->groups, .count = job->group_count};
    d->groups.lists = trj_alloc(job->group_count, sizeof *d->groups.lists, "groups", err);
    d->used = d->groups.lists ? trj_alloc(job->group_count, sizeof *d->used, "groups", err) : NULL;
    if (!d->used) return -1;
    for (size_t p = 0; p < job->pair_count; p++)
        d->used[job->pairs[p].a] = d->used[rdf_job_second_group(job, p)] = true;
    return fit_memory(d, sizes.units, err);
}

unsigned cuda_count_parts(const struct cuda_device *device) {
    return ((const struct device *)device)->parts;
}

static bool sliceable(const struct device *d) {
    return d->pass_count == 1 && frames_of_pass(d) == d->base.batch;
}

bool cuda_count_sliceable(const struct cuda_device *device) {
    return sliceable((const struct device *)device);
}

// ---- work

static int upload(struct device *d, struct slot *s, const struct work_batch *batch, unsigned first, unsigned count,
                  struct trj_error *err) {
    for (unsigned i = first; i < first + count; i++) {
        cuda_frame *f = &s->tiles.host_frames[i];
        rdf_job_rounding_terms(d->job, &batch->frames[i].cell, &f->rounding, &f->rounding_each);
    }
    return cuda_tiles_upload(&s->tiles, &d->groups, batch->frames, first, count, s->base.stream, err);
}

// Counts the parts of args->part_end of a pass, whose first task is `from`, with one launch for each pair of groups and
// each window of bins. Each launch takes one of *next_unit.
static int count_parts(struct device *d, struct slot *s, const struct count_pass *pass, cuda_count_args args,
                       unsigned from, unsigned long long **next_unit, struct trj_error *err) {
    unsigned long long *counts = args.counts;
    args.task_count = args.part_end[args.parts - 1];
    for (unsigned p = 0; p < pass->pair_count && args.task_count; p++) {
        const struct pass_pair *pair = &pass->pairs[p];
        args.tasks = pair->device_tasks + from;
        args.first_unit = from * pair->units;
        args.end_unit = (from + args.task_count) * pair->units;
        args.counts = counts + pair->pair * args.cells;
        args.mirrored = rdf_job_is_mirrored(d->job, pair->pair);
        for (unsigned long long first = 0; first < args.cells; first += d->shape.window) {
            args.window_first = (unsigned)first;
            args.window_bins = (unsigned)(args.cells - first < d->shape.window ? args.cells - first : d->shape.window);
            args.next_unit = (*next_unit)++;
            if (cuda_count_launch(&args, &d->shape, s->base.stream, err)) return -1;
        }
    }
    return 0;
}

// Returns the number of a frame within a pass of `count` frames from `first`; outside of the pass, that of the nearest
// frame in it.
static unsigned frame_in_pass(unsigned frame, unsigned first, unsigned count) {
    return frame < first ? 0 : frame - first < count ? frame - first : count;
}

// Counts a pass of the frames [first, first + count) of the batch, which are planned.
static int count_pass(struct device *d, struct slot *s, const struct count_pass *pass, const struct work_batch *batch,
                      unsigned slice, unsigned first, unsigned count, struct trj_error *err) {
    cuda_count_args args = d->args;
    unsigned long long *next_unit = s->next_units;
    size_t launches = batch->parts * pass->pair_count * windows(d);
    args.plan = s->tiles.plan;
    args.slice = slice;
    args.slices = batch->slices;
    args.totals = s->totals;
    CUDA_CHECK(cudaMemsetAsync(next_unit, 0, launches * sizeof *next_unit, s->base.stream));
    args.part_stride = d->job->pair_count * args.cells;
    for (unsigned part = 0; part < batch->parts; part += args.parts) {
        unsigned from = frame_in_pass(work_part_begin(batch, part), first, count);
        args.parts = batch->parts - part < d->shape.parts ? batch->parts - part : d->shape.parts;
        for (unsigned i = 0; i < args.parts; i++)
            args.part_end[i] = frame_in_pass(batch->end[part + i], first, count) - from;
        args.counts = s->counts + part * args.part_stride;
        if (count_parts(d, s, pass, args, from, &next_unit, err)) return -1;
    }
    return 0;
}

static int enqueue(void *device, void *slot, struct trj_error *err) {
    struct device *d = device;
    struct slot *s = slot;
    const struct work_batch *batch = s->base.batch;
    cudaStream_t stream = s->base.stream;
    size_t counts = batch->parts * d->job->pair_count * d->args.cells;
    bool held = s->held == batch->number;
    s->held = 0;
    s->tiles.bounds = 0;
    CUDA_CHECK(cudaMemsetAsync(s->counts, 0, counts * sizeof *s->counts, stream));
    CUDA_CHECK(cudaMemsetAsync(s->totals, 0, sizeof *s->totals, stream));
    for (unsigned first = 0, n; first < batch->count; first += n) {
        n = batch->count - first < frames_of_pass(d) ? batch->count - first : frames_of_pass(d);
        if (!held && upload(d, s, batch, first, n, err)) return -1;
        if (!first && cuda_slot_uploaded(&s->base, err)) return -1;
        for (unsigned i = 0; i < d->pass_count; i++) {
            const struct count_pass *pass = &d->passes[i];
            if (cuda_tiles_plan(&s->tiles, &d->groups, &pass->table, batch->frames, first, n, held, stream, err) ||
                count_pass(d, s, pass, batch, s->base.slice, first, n, err))
                return -1;
        }
    }
    CUDA_CHECK(cudaMemcpyAsync(s->host_counts, s->counts, counts * sizeof *s->counts, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaMemcpyAsync(s->host_totals, s->totals, sizeof *s->totals, cudaMemcpyDeviceToHost, stream));
    if (sliceable(d)) s->held = batch->number;
    return 0;
}

// Digest of the order of the atoms and of the numbers of units: equal on all GPUs that divide the batch equally.
static uint64_t digest(const struct device *d, const struct slot *s) {
    uint64_t all = 0;
    for (unsigned i = 0; i < s->tiles.bounds; i++) all = 31 * all + s->tiles.host_bounds[i].order;
    for (unsigned i = 0; i < d->pass_count; i++)
        for (unsigned p = 0; p < d->passes[i].pair_count; p++) all = 31 * all + d->passes[i].pairs[p].units;
    return all;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is that of cuda_analysis
static int complete(void *device, void *slot, bool *again, struct work_result *result, struct trj_error *err) {
    struct slot *s = slot;
    (void)again, (void)err;
    s->result = (struct rdf_slice_counts){.counts = (const uint64_t *)s->host_counts,
                                          .evaluated = s->host_totals->evaluated,
                                          .resolved = s->host_totals->resolved};
    result->data = &s->result;
    result->digest = digest(device, s);
    return 0;
}

static void close_slot(void *device, void *slot) {
    (void)device;
    cuda_tiles_free(&((struct slot *)slot)->tiles);
}

static void close_device(void *device) {
    struct device *d = device;
    free_passes(d);
    free(d->groups.lists);
    free(d->used);
}

static unsigned choose_batch(const void *job, unsigned gpus) {
    return cuda_count_choose_sizes(job, gpus).batch;
}

const struct cuda_analysis cuda_count_analysis = {
    .device_bytes = sizeof(struct device),
    .slot_bytes = sizeof(struct slot),
    .choose_batch = choose_batch,
    .open = open_device,
    .open_slot = open_slot,
    .enqueue = enqueue,
    .complete = complete,
    .close_slot = close_slot,
    .close = close_device,
};
