// SPDX-License-Identifier: MIT
// The CUDA engine: the host puts the atoms in order and cuts tiles (lib/tile); the device finds the tiles that meet and counts (count.cu).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "engine.h"
#include "memory.h"
#include "tiles.h"

_Static_assert((int)CUDA_TILE == (int)TILE_WIDTH, "the kernel's tiles are those of lib/tile");

// Returns -1 with the reason from the function it stands in.
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t cuda_status = (call);                                                                              \
        if (cuda_status != cudaSuccess)                                                                                \
            return trj_fail(err, TRJ_FAILED, "engine cuda: %s: %s", #call, cudaGetErrorString(cuda_status));           \
    } while (0)

enum {
    CHUNK = 32,      // tiles that share a box in the kernel's search
    FEW_BINS = 8192, // fewer at once are not taken for larger blocks
};

// Device memory that grows.
struct buffer {
    void *data;
    size_t room; // bytes
};

// What the device holds of a group in one frame; the order is that of cuda_tiles.
enum { LOCAL, CENTRE, HALF, RADIUS, CHUNK_CENTRE, CHUNK_HALF, ATOM, WRAP, PARTS };

struct group {
    bool used; // by some pair
    struct tile_set set;
    float4 *local;                               // [slots] on the host
    double (*chunk_centre)[3], (*chunk_half)[3]; // [chunks] on the host
    size_t room;                                 // slots there is host memory for
    struct buffer part[PARTS];
    cuda_tiles tiles;
};

struct cuda {
    const struct rdf_job *job;
    double *squares;
    struct group *groups;
    uint64_t *host_counts; // [pairs][bins + 1]: what is taken back for overlapping groups
    struct buffer x[3], task, counts, next_unit, totals;
    unsigned blocks, threads, window; // of a launch; bins at once
    cudaStream_t stream;
    cudaEvent_t begin, end;
    struct rdf_engine_stats stats;
};

static int probe(struct trj_error *err) {
    int devices = 0;
    cudaError_t e = cudaGetDeviceCount(&devices);
    if (e == cudaErrorInsufficientDriver)
        return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: no NVIDIA driver here, or one too old for CUDA %d.%d",
                        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (e != cudaSuccess) return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: %s", cudaGetErrorString(e));
    if (!devices) return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: no GPU here");
    return 0;
}

static void drop(struct buffer *b) {
    cudaFree(b->data);
    *b = (struct buffer){0};
}

static int reserve(struct buffer *b, size_t bytes, struct trj_error *err) {
    if (bytes <= b->room) return 0;
    drop(b);
    CHECK(cudaMalloc(&b->data, bytes));
    b->room = bytes;
    return 0;
}

static int upload(struct cuda *e, struct buffer *b, const void *data, size_t bytes, struct trj_error *err) {
    if (reserve(b, bytes, err)) return -1;
    CHECK(cudaMemcpyAsync(b->data, data, bytes, cudaMemcpyHostToDevice, e->stream));
    return 0;
}

static void close_cuda(void *engine) {
    struct cuda *e = engine;
    if (!e) return;
    for (size_t i = 0; e->groups && i < e->job->group_count; i++) {
        struct group *g = &e->groups[i];
        for (int p = 0; p < PARTS; p++) drop(&g->part[p]);
        tile_set_free(&g->set);
        free(g->local);
        free(g->chunk_centre);
        free(g->chunk_half);
    }
    struct buffer *const buffers[] = {&e->x[0], &e->x[1], &e->x[2], &e->task, &e->counts, &e->next_unit, &e->totals};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) drop(buffers[i]);
    if (e->begin) cudaEventDestroy(e->begin);
    if (e->end) cudaEventDestroy(e->end);
    if (e->stream) cudaStreamDestroy(e->stream);
    free(e->groups);
    free(e->squares);
    free(e->host_counts);
    free(e);
}

// Chooses how many bins a block's shared memory takes at once, and as many blocks as run at a time.
static int set_up_device(struct cuda *e, struct trj_error *err) {
    struct cudaDeviceProp p;
    uint64_t bins = e->job->bins.count;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaStreamCreate(&e->stream));
    CHECK(cudaEventCreate(&e->begin));
    CHECK(cudaEventCreate(&e->end));
    // Large blocks: their warps share one histogram, and what that saves is left to the L1 cache. Small ones where there is little
    // shared memory.
    size_t want = bins < FEW_BINS ? bins : FEW_BINS;
    e->threads = CUDA_MOST_THREADS;
    while (e->threads > 32 && cuda_count_shared((unsigned)want, e->threads) > p.sharedMemPerBlockOptin) e->threads /= 2;
    size_t most = (p.sharedMemPerBlockOptin - cuda_count_shared(0, e->threads)) / sizeof(unsigned);
    e->window = (unsigned)(bins < most ? bins : most);
    int blocks = 0;
    CHECK(cuda_count_blocks(e->window, e->threads, &blocks));
    e->blocks = (unsigned)(blocks * p.multiProcessorCount);
    size_t bytes = e->job->pair_count * bins * sizeof(uint64_t);
    if (reserve(&e->counts, bytes, err) || reserve(&e->next_unit, sizeof(uint64_t), err) ||
        reserve(&e->totals, 2 * sizeof(uint64_t), err) || reserve(&e->task, sizeof(cuda_count_task), err))
        return -1;
    CHECK(cudaMemset(e->counts.data, 0, bytes));
    CHECK(cudaMemset(e->totals.data, 0, 2 * sizeof(uint64_t)));
    return 0;
}

static int open_cuda(void **engine, const struct rdf_job *job, struct trj_error *err) {
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    e->stats.threads = 1;
    e->squares = rdf_bins_squares(&job->bins, err);
    e->groups = e->squares ? trj_alloc(job->group_count, sizeof *e->groups, "tiles", err) : NULL;
    e->host_counts =
        e->groups ? trj_alloc(job->pair_count * (job->bins.count + 1), sizeof *e->host_counts, "counts", err) : NULL;
    if (!e->host_counts || set_up_device(e, err)) {
        close_cuda(e);
        return -1;
    }
    for (size_t p = 0; p < job->pair_count; p++)
        e->groups[job->pairs[p].a].used = e->groups[job->pairs[p].b].used = true;
    *engine = e;
    return 0;
}

// Positions in the form the kernel loads, and boxes of CHUNK tiles each.
static int arrange(struct group *g, struct trj_error *err) {
    const struct tile_set *s = &g->set;
    size_t slots = s->tiles * TILE_WIDTH, chunks = (s->tiles + CHUNK - 1) / CHUNK;
    if (slots > g->room) {
        free(g->local);
        free(g->chunk_centre);
        free(g->chunk_half);
        g->room = 0;
        g->local = trj_alloc(slots, sizeof *g->local, "tiles", err);
        g->chunk_centre = trj_alloc(chunks, sizeof *g->chunk_centre, "tiles", err);
        g->chunk_half = trj_alloc(chunks, sizeof *g->chunk_half, "tiles", err);
        if (!g->local || !g->chunk_centre || !g->chunk_half) return -1;
        g->room = slots;
    }
    for (size_t i = 0; i < slots; i++) g->local[i] = (float4){s->local[0][i], s->local[1][i], s->local[2][i], 0};
    for (size_t c = 0; c < chunks; c++)
        for (int k = 0; k < 3; k++) {
            double low = INFINITY, high = -INFINITY;
            for (size_t t = CHUNK * c; t < s->tiles && t < CHUNK * (c + 1); t++) {
                low = fmin(low, s->centre[t][k] - s->half[t][k]);
                high = fmax(high, s->centre[t][k] + s->half[t][k]);
            }
            g->chunk_centre[c][k] = low + (high - low) / 2;
            g->chunk_half[c][k] = (high - low) / 2 * (1 + 1e-9); // the kernel's reach has room for the rest
        }
    return 0;
}

static int upload_group(struct cuda *e, struct group *g, struct trj_error *err) {
    const struct tile_set *s = &g->set;
    size_t chunks = (s->tiles + CHUNK - 1) / CHUNK;
    const struct {
        const void *data;
        size_t bytes;
    } parts[PARTS] = {
        [LOCAL] = {g->local, s->tiles * TILE_WIDTH * sizeof *g->local},
        [CENTRE] = {s->centre, s->tiles * sizeof *s->centre},
        [HALF] = {s->half, s->tiles * sizeof *s->half},
        [RADIUS] = {s->radius, s->tiles * sizeof *s->radius},
        [CHUNK_CENTRE] = {g->chunk_centre, chunks * sizeof *g->chunk_centre},
        [CHUNK_HALF] = {g->chunk_half, chunks * sizeof *g->chunk_half},
        [ATOM] = {s->atom, s->atoms * sizeof *s->atom},
        [WRAP] = {s->wrap, s->atoms * sizeof *s->wrap},
    };
    for (int p = 0; p < PARTS; p++)
        if (upload(e, &g->part[p], parts[p].data, parts[p].bytes, err)) return -1;
    g->tiles = (cuda_tiles){
        .local = g->part[LOCAL].data,
        .centre = g->part[CENTRE].data,
        .half = g->part[HALF].data,
        .radius = g->part[RADIUS].data,
        .chunk_centre = g->part[CHUNK_CENTRE].data,
        .chunk_half = g->part[CHUNK_HALF].data,
        .atom = g->part[ATOM].data,
        .wrap = g->part[WRAP].data,
        .atoms = (unsigned)s->atoms,
        .tiles = (unsigned)s->tiles,
    };
    return 0;
}

// Counts one pair of groups: a launch for each window of bins.
static int count_pair(struct cuda *e, const cuda_count_task *task, struct trj_error *err) {
    const struct rdf_bins *b = &e->job->bins;
    double dr = (b->rmax - b->rmin) / (double)b->count;
    unsigned chunks = (task->columns.tiles + CHUNK - 1) / CHUNK, warps = e->blocks * e->threads / 32;
    // Enough units of work that all warps are busy to the end, but none without a chunk of columns.
    unsigned segments = 1 + 8 * warps / task->rows.tiles;
    cuda_count_args args = {
        .rmin = b->rmin,
        .rmax = b->rmax,
        .dr = dr,
        .start = b->rmin > 0 ? (float)(b->rmin - dr) : 0,
        .shift = b->rmin > 0,
        .inverse = (float)((double)b->count / (b->rmax - b->rmin)),
        .coarse = b->count > CUDA_MOST_FINE_BINS,
        .bins = b->count,
        .segments = segments < chunks ? segments : chunks,
        .next_unit = e->next_unit.data,
        .totals = e->totals.data,
    };
    if (upload(e, &e->task, task, sizeof *task, err)) return -1;
    CHECK(cudaEventRecord(e->begin, e->stream));
    for (uint64_t first = 0; first < b->count; first += e->window) {
        args.window_first = (unsigned)first;
        args.window_bins = (unsigned)(b->count - first < e->window ? b->count - first : e->window);
        CHECK(cudaMemsetAsync(e->next_unit.data, 0, sizeof(uint64_t), e->stream));
        CHECK(cuda_count_launch(&args, e->task.data, e->blocks, e->threads, e->stream));
    }
    CHECK(cudaEventRecord(e->end, e->stream));
    CHECK(cudaStreamSynchronize(e->stream));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, e->begin, e->end));
    e->stats.count += 1e-3 * (double)ms;
    return 0;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    struct cuda *e = engine;
    const struct rdf_job *job = e->job;
    double began = trj_seconds();
    cuda_count_task task = {.unit = f->unit, .slack = rdf_job_rounding(job, f)};
    task.reach = job->bins.rmax + task.slack;
    trj_cell_reciprocal(&f->cell, task.g);
    memcpy(task.h, f->cell.h, sizeof task.h);
    for (int k = 0; k < 3; k++) {
        if (upload(e, &e->x[k], f->x[k], f->atoms * sizeof(float), err)) return -1;
        task.x[k] = e->x[k].data;
    }
    for (size_t i = 0; i < job->group_count; i++) {
        struct group *g = &e->groups[i];
        if (!g->used) continue;
        if (tile_set_build(&g->set, f, job->groups[i].atoms, job->groups[i].count, err) || arrange(g, err) ||
            upload_group(e, g, err))
            return -1;
    }
    CHECK(cudaStreamSynchronize(e->stream));
    e->stats.plan += trj_seconds() - began;
    for (size_t p = 0; p < job->pair_count; p++) {
        task.rows = e->groups[job->pairs[p].a].tiles;
        task.columns = e->groups[job->pairs[p].b].tiles;
        task.self = job->pairs[p].a == job->pairs[p].b;
        task.counts = (unsigned long long *)e->counts.data + p * job->bins.count;
        if (count_pair(e, &task, err)) return -1;
        rdf_job_take_back_own_images(job, p, f, e->squares, e->host_counts + p * (job->bins.count + 1));
    }
    return 0;
}

static int finish(void *engine, uint64_t *counts, struct trj_error *err) {
    struct cuda *e = engine;
    uint64_t bins = e->job->bins.count, totals[2];
    size_t pairs = e->job->pair_count, bytes = pairs * bins * sizeof *counts;
    CHECK(cudaMemcpy(counts, e->counts.data, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(e->counts.data, 0, bytes));
    for (size_t p = 0; p < pairs; p++)
        for (uint64_t k = 0; k < bins; k++) counts[p * bins + k] += e->host_counts[p * (bins + 1) + k];
    memset(e->host_counts, 0, pairs * (bins + 1) * sizeof *e->host_counts);
    CHECK(cudaMemcpy(totals, e->totals.data, sizeof totals, cudaMemcpyDeviceToHost));
    e->stats.evaluated = totals[0];
    e->stats.resolved = totals[1];
    return 0;
}

static void stats(void *engine, struct rdf_engine_stats *s) {
    *s = ((struct cuda *)engine)->stats;
}

const struct rdf_engine rdf_engine_cuda = {
    .name = "cuda",
    .built_for = cuda_count_archs,
    .probe = probe,
    .open = open_cuda,
    .add = add,
    .finish = finish,
    .stats = stats,
    .close = close_cuda,
};
