// SPDX-License-Identifier: MIT
// The CUDA engine of surfaces. One GPU computes the surface of a whole map, and keeps its allocations for the next map.
// Copying a map and its mesh takes longer than the kernels.
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "classify.h"
#include "device_memory.h"
#include "gpu.h"
#include "gpu_list.h"
#include "memory.h"
#include "surface_arithmetic.h"
#include "surface_engine.h"
#include "surface_kernels.h"
#include "surface_lattice.h"

enum { VALUES, COLOURS, INSIDE, VERTEX, TRIANGLE, SCRATCH, VERTICES, TRIANGLES, PARENT, PIECE, PIECES, IMAGES, ROOMS };

struct cuda {
    struct cuda_gpu gpu;
    bool open; // whether `gpu` is open
    struct cuda_buffer rooms[ROOMS];
    struct cuda_memory memory; // of the table of cases and of `numbers`; its limit is that of all rooms, too
    uint8_t *count, (*edge)[SURF_TRIANGLES_MAX][3];
    unsigned long long *numbers; // nan, image_count, top
    unsigned char *buffer;       // page-locked
    cudaStream_t stream;
    cudaEvent_t begin, end;
    struct surf_engine_stats stats;
};

enum { BUFFER = 1 << 24 };

// ---- memory

// Returns memory of at least `bytes` bytes, whose content is undefined; NULL after an error.
static void *take(struct cuda *e, int which, size_t bytes, const char *what, struct trj_error *err) {
    struct cuda_buffer *capacity = &e->rooms[which];
    size_t used = e->memory.bytes;
    for (int i = 0; i < ROOMS; i++) used += i == which ? 0 : e->rooms[i].memory.bytes;
    void *at = cuda_buffer_take(capacity, bytes, used < e->memory.limit ? e->memory.limit - used : 0, what, err);
    if (!at && capacity->memory.full)
        trj_error_set(err, TRJ_NO_ENGINE, "engine cuda: out of memory: %zu bytes for %s; use -e cpu", bytes, what);
    return at;
}

static int start_clock(struct cuda *e, struct trj_error *err) {
    CUDA_CHECK(cudaEventRecord(e->begin, e->stream));
    return 0;
}

// Waits for the stream, and adds the time since start_clock to *seconds.
static int stop_clock(struct cuda *e, double *seconds, struct trj_error *err) {
    double more;
    CUDA_CHECK(cudaEventRecord(e->end, e->stream));
    CUDA_CHECK(cudaEventSynchronize(e->end));
    if (cuda_seconds_between(e->begin, e->end, &more, err)) return -1;
    *seconds += more;
    return 0;
}

static int fetch(struct cuda *e, void *to, const void *from, size_t bytes, struct trj_error *err) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, e->stream));
    CUDA_CHECK(cudaStreamSynchronize(e->stream));
    return 0;
}

// ---- steps

static int upload(struct cuda *e, int which, cuda_surface_values *v, const struct trj_map *m, const void *values,
                  struct trj_error *err) {
    size_t bytes = (size_t)m->lattice.n[2] * trj_map_plane_size(m);
    void *at = take(e, which, bytes, "the map on the GPU", err);
    if (!at) return -1;
    CUDA_CHECK(cudaMemcpyAsync(at, values, bytes, cudaMemcpyHostToDevice, e->stream));
    *v = (cuda_surface_values){.kind = m->kind, .quantum = m->quantum, .values = at};
    return 0;
}

static void set_lattice(cuda_surface_args *a, const struct surf_setup *s, const struct surf_lattice *l) {
    const struct trj_map_lattice *m = &s->map->lattice;
    for (int k = 0; k < 3; k++) {
        a->n[k] = (int)m->n[k];
        a->size[k] = (int)l->n[k];
        a->lead[k] = (int)l->lead[k];
        a->image[k] = l->image[k];
    }
    a->periodic = m->periodic;
    a->mirrored = l->mirrored;
    a->words = (unsigned)l->words;
    a->unit = l->unit;
    memcpy(a->origin, m->origin, sizeof a->origin);
    memcpy(a->step, m->step, sizeof a->step);
    memcpy(a->inverse, l->inverse, sizeof a->inverse);
}

static void set_threshold(cuda_surface_args *a, const struct surf_setup *s) {
    const struct surf_threshold t = surf_threshold_of(s->map, s->level);
    a->level = s->level;
    a->colour_weight = s->colour_weight;
    a->none = t.none;
    if (t.kind == TRJ_MAP_FLOAT32)
        a->least_f32 = t.least.f32;
    else if (t.kind == TRJ_MAP_QUANTA)
        a->least_quanta = t.least.quanta;
    else if (t.kind == TRJ_MAP_COUNTS)
        a->least_counts = t.least.counts;
    else
        a->least_f64 = t.least.f64;
}

static int check_nan(struct cuda *e, const cuda_surface_args *a, struct trj_error *err) {
    unsigned long long point, plane = (unsigned long long)a->n[0] * (unsigned)a->n[1],
                              row = (unsigned long long)a->n[0];
    if (fetch(e, &point, a->nan, sizeof point, err)) return -1;
    return point == UINT64_MAX
               ? 0
               : surf_lattice_fail_nan((const uint64_t[3]){point % row, point % plane / row, point / plane}, err);
}

// Counts the vertices and triangles.
static int count(struct cuda *e, cuda_surface_args *a, uint64_t *vertices, uint64_t *triangles, struct trj_error *err) {
    size_t words = a->words * (size_t)a->size[1] * (size_t)a->size[2], bytes;
    if (cuda_surface_scratch(words + 1, &bytes, err) ||
        !(a->inside = take(e, INSIDE, words * sizeof *a->inside, "points on the GPU", err)) ||
        !(a->vertex = take(e, VERTEX, (words + 1) * sizeof *a->vertex, "points on the GPU", err)) ||
        !(a->triangle = take(e, TRIANGLE, (words + 1) * sizeof *a->triangle, "points on the GPU", err)) ||
        !take(e, SCRATCH, bytes, "points on the GPU", err))
        return -1;
    if (start_clock(e, err) || cuda_surface_count(a, e->rooms[SCRATCH].at, bytes, e->stream, err) ||
        stop_clock(e, &e->stats.compute, err) || check_nan(e, a, err) ||
        fetch(e, vertices, a->vertex + words, sizeof *vertices, err) ||
        fetch(e, triangles, a->triangle + words, sizeof *triangles, err))
        return -1;
    return 0;
}

// Fails if there are too many vertices: for a mesh as the engine cpu, and for a table, which has no limit there, with
// TRJ_NO_ENGINE.
static int check_vertices(uint64_t vertices, bool mesh, struct trj_error *err) {
    if (vertices <= SURF_VERTICES_MAX) return 0;
    if (mesh) return surf_lattice_fail_large(err);
    return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: the surface has more than %d vertices; use -e cpu",
                    SURF_VERTICES_MAX);
}

// Copies memory of the GPU to a store.
static int download(struct cuda *e, struct surf_store *to, const void *from, size_t bytes, struct trj_error *err) {
    for (size_t at = 0; at < bytes; at += BUFFER) {
        size_t n = bytes - at < BUFFER ? bytes - at : BUFFER;
        if (fetch(e, e->buffer, (const unsigned char *)from + at, n, err) || surf_store_add(to, e->buffer, n, err))
            return -1;
    }
    return 0;
}

static int make_mesh(struct cuda *e, cuda_surface_args *a, struct surf_mesh *m, size_t vertices, size_t triangles,
                     struct trj_error *err) {
    _Static_assert(sizeof(cuda_surface_vertex) == sizeof(struct surf_vertex), "the kernels write struct surf_vertex");
    size_t vertex_bytes = vertices * sizeof *a->vertices, triangle_bytes = triangles * sizeof *a->triangles;
    if (!(a->vertices = take(e, VERTICES, vertex_bytes, "the mesh on the GPU", err)) ||
        !(a->triangles = take(e, TRIANGLES, triangle_bytes, "the mesh on the GPU", err)) || start_clock(e, err) ||
        cuda_surface_make(a, e->stream, err) || stop_clock(e, &e->stats.compute, err))
        return -1;
    double began = trj_seconds();
    m->vertex_count = vertices;
    m->triangle_count = triangles;
    if (download(e, &m->vertices, a->vertices, vertex_bytes, err) ||
        download(e, &m->triangles, a->triangles, triangle_bytes, err))
        return -1;
    e->stats.download += trj_seconds() - began;
    return 0;
}

// ---- pieces

static surf_sum sum_of(const unsigned long long words[2]) {
    return (surf_sum)((unsigned __int128)words[1] << 64 | words[0]);
}

static int compare_pieces(const void *a, const void *b) {
    const cuda_surface_piece *p = *(const cuda_surface_piece *const *)a, *q = *(const cuda_surface_piece *const *)b;
    return p->first < q->first ? -1 : p->first > q->first;
}

// Creates a label for each piece, in the order of their first triangles, and sets label_of[piece] to its number.
static int make_labels(struct surf_labels *labels, const cuda_surface_piece *piece, size_t count, uint32_t *label_of,
                       struct trj_error *err) {
    const cuda_surface_piece **order = trj_alloc(count, sizeof *order, "parts of a surface", err);
    if (!order) return -1;
    for (size_t i = 0; i < count; i++) order[i] = &piece[i];
    qsort(order, count, sizeof *order, compare_pieces);
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++) {
        const cuda_surface_piece *p = order[i];
        uint32_t *label = &label_of[p - piece];
        rc = surf_labels_add(labels, label, err);
        if (rc) break;
        struct surf_label *l = &labels->label[*label];
        l->vertices = p->vertices;
        l->triangles = p->triangles;
        l->area = sum_of(p->area);
        l->shadow = sum_of(p->shadow);
        l->content = sum_of(p->content);
    }
    free(order);
    return rc;
}

static int add_up(struct cuda *e, const cuda_surface_args *a, const struct surf_lattice *l, size_t count,
                  struct surf_summary *summary, struct trj_error *err) {
    unsigned long long numbers[3] = {0, 0, 0}; // image_count, top
    struct surf_labels labels = {.count = 0};
    if (fetch(e, numbers, a->image_count, sizeof numbers, err)) return -1;
    size_t images = (size_t)numbers[0];
    cuda_surface_piece *piece = trj_alloc(count, sizeof *piece, "parts of a surface", err);
    cuda_surface_image *image = piece ? trj_alloc(images, sizeof *image, "parts of a surface", err) : NULL;
    uint32_t *label_of = image ? trj_alloc(count, sizeof *label_of, "parts of a surface", err) : NULL;
    int rc = !label_of || fetch(e, piece, a->pieces, count * sizeof *piece, err) ||
             fetch(e, image, a->images, images * sizeof *image, err) ||
             make_labels(&labels, piece, count, label_of, err);
    for (size_t i = 0; i < images && !rc; i++) {
        int32_t along[3] = {0, 0, 0};
        along[image[i].axis] = 1;
        surf_labels_unite(&labels, label_of[image[i].last], label_of[image[i].first], along);
    }
    if (!rc) rc = surf_lattice_sum(l, &labels, sum_of(numbers + 1), summary, err);
    free(piece);
    free(image);
    free(label_of);
    free(labels.label);
    return rc ? -1 : 0;
}

// Returns an upper bound on the number of vertices that are images.
static size_t most_images(const struct surf_lattice *l) {
    size_t most = 0;
    for (int k = 0; k < 3; k++)
        if (l->image[k]) most += 2 * l->n[(k + 1) % 3] * l->n[(k + 2) % 3];
    return most;
}

static int summarise(struct cuda *e, cuda_surface_args *a, const struct surf_lattice *l, size_t vertices,
                     struct surf_summary *summary, struct trj_error *err) {
    size_t bytes;
    unsigned pieces;
    if (cuda_surface_scratch(vertices + 1, &bytes, err) || !take(e, SCRATCH, bytes, "pieces on the GPU", err) ||
        !(a->parent = take(e, PARENT, vertices * sizeof *a->parent, "pieces on the GPU", err)) ||
        !(a->piece = take(e, PIECE, (vertices + 1) * sizeof *a->piece, "pieces on the GPU", err)) ||
        !(a->images = take(e, IMAGES, most_images(l) * sizeof *a->images, "pieces on the GPU", err)) ||
        start_clock(e, err) || cuda_surface_join(a, (unsigned)vertices, e->rooms[SCRATCH].at, bytes, e->stream, err) ||
        stop_clock(e, &e->stats.compute, err) || fetch(e, &pieces, a->piece + vertices, sizeof pieces, err) ||
        !(a->pieces = take(e, PIECES, pieces * sizeof *a->pieces, "pieces on the GPU", err)) || start_clock(e, err) ||
        cuda_surface_sum(a, pieces, e->stream, err) || stop_clock(e, &e->stats.compute, err))
        return -1;
    return add_up(e, a, l, pieces, summary, err);
}

// ---- the engine

static int build(void *engine, const struct surf_setup *s, const void *values, const void *colours,
                 struct surf_summary *summary, struct trj_error *err) {
    struct cuda *e = engine;
    struct surf_lattice l;
    uint64_t vertices, triangles;
    cuda_surface_args a = {.count = e->count,
                           .edge = (const uint8_t(*)[SURF_TRIANGLES_MAX][3])e->edge,
                           .nan = e->numbers,
                           .image_count = e->numbers + 1,
                           .top = e->numbers + 2};
    *summary = (struct surf_summary){0};
    if (surf_lattice_check(s, err)) return -1;
    surf_lattice_set(&l, s->map, s->close);
    if (l.n[0] > INT32_MAX || l.words * l.n[1] * l.n[2] >= INT32_MAX)
        return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: the map has too many points; use -e cpu");
    set_lattice(&a, s, &l);
    set_threshold(&a, s);
    double began = trj_seconds();
    if (upload(e, VALUES, &a.map, s->map, values, err) ||
        (colours && s->mesh && upload(e, COLOURS, &a.colour, s->colour, colours, err)))
        return -1;
    CUDA_CHECK(cudaStreamSynchronize(e->stream));
    e->stats.upload += trj_seconds() - began;
    e->stats.maps++;
    if (count(e, &a, &vertices, &triangles, err) || check_vertices(vertices, s->mesh, err) ||
        (s->mesh && make_mesh(e, &a, s->mesh, (size_t)vertices, (size_t)triangles, err)))
        return -1;
    summary->triangles = triangles;
    if (s->mesh && s->only_mesh) return 0;
    summary->triangles = 0;
    return summarise(e, &a, &l, (size_t)vertices, summary, err);
}

// Releases the GPU.
static void release(struct cuda *e) {
    if (e->open) CUDA_RELEASE(cudaSetDevice(e->gpu.number));
    for (int i = 0; i < ROOMS; i++) cuda_memory_free(&e->rooms[i].memory);
    cuda_memory_free(&e->memory);
    CUDA_RELEASE(cudaFreeHost(e->buffer));
    if (e->begin) CUDA_RELEASE(cudaEventDestroy(e->begin));
    if (e->end) CUDA_RELEASE(cudaEventDestroy(e->end));
    if (e->stream) CUDA_RELEASE(cudaStreamDestroy(e->stream));
    if (e->open) cuda_gpu_close(&e->gpu);
    *e = (struct cuda){.open = false};
}

static void close_cuda(void *engine) {
    if (engine) release(engine);
    free(engine);
}

static int prepare(struct cuda *e, struct trj_error *err) {
    static struct surf_table table;
    surf_table_make(&table);
    if (cuda_surface_check(err) || cuda_memory_read_limit(&e->memory, err) ||
        cuda_memory_take_copy(&e->memory, &e->count, table.count, sizeof table.count, "the table on the GPU", err) ||
        cuda_memory_take_copy(&e->memory, &e->edge, table.edge, sizeof table.edge, "the table on the GPU", err) ||
        cuda_memory_take(&e->memory, &e->numbers, 4 * sizeof *e->numbers, "sums on the GPU", err))
        return -1;
    CUDA_CHECK(cudaMallocHost((void **)&e->buffer, BUFFER));
    CUDA_CHECK(cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&e->begin));
    CUDA_CHECK(cudaEventCreate(&e->end));
    CUDA_CHECK(cudaDeviceSynchronize()); // the stream does not wait for these copies
    return 0;
}

// Opens the first GPU of the list that can be used, and accepts the others without opening them.
static int add_gpu(void *engine, int number, unsigned gpus, struct trj_error *err) {
    struct cuda *e = engine;
    (void)gpus;
    if (e->open) return 0;
    if (cuda_gpu_open(&e->gpu, number, err)) {
        release(e);
        return -1;
    }
    e->open = true;
    if (!prepare(e, err)) return 0;
    if (err->status != TRJ_USAGE) err->status = TRJ_NO_ENGINE;
    trj_fail_at(err, "%s", e->gpu.name);
    release(e);
    return -1;
}

static void ignore(void *engine, const char *text) {
    (void)engine, (void)text;
}

static int open_cuda(void **engine, const char *devices, struct trj_error *err) {
    struct cuda *e = trj_alloc(1, sizeof *e, "an engine", err);
    unsigned gpus;
    if (!e) return -1;
    const struct cuda_gpu_list list = {.owner = e, .devices = devices, .add = add_gpu, .note = ignore};
    if (cuda_gpu_list_open(&list, &gpus, err)) {
        close_cuda(e);
        return -1;
    }
    *engine = e;
    return 0;
}

static void stats(void *engine, struct surf_engine_stats *s) {
    *s = ((const struct cuda *)engine)->stats;
}

const struct surf_engine surf_engine_cuda = {
    .kind.name = "cuda",
    .kind.workers = "GPUs",
    .kind.built_for = cuda_architectures,
    .kind.probe = cuda_gpu_list_probe,
    .open = open_cuda,
    .build = build,
    .stats = stats,
    .close = close_cuda,
};
