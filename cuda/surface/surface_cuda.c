// SPDX-License-Identifier: MIT
// The CUDA engine of surfaces. One GPU computes the surface of a whole map, and keeps its allocations for the next map.
// Copying a map and its mesh takes longer than the kernels.
#include <stdlib.h>
#include <string.h>

#include "check.cuh"
#include "classify.h"
#include "gpu_list.h"
#include "memory.h"
#include "single_gpu.h"
#include "surface_arithmetic.h"
#include "surface_engine.h"
#include "surface_kernels.h"
#include "surface_lattice.h"

enum {
    VALUES,
    COLOURS,
    INSIDE,
    VERTEX,
    TRIANGLE,
    SCRATCH,
    VERTICES,
    TRIANGLES,
    PARENT,
    FRAGMENT,
    SUMS,
    IMAGES,
    BUFFERS
};

enum step { UPLOAD, COMPUTE, DOWNLOAD, STEPS };

struct cuda {
    struct cuda_single base;
    struct cuda_buffer buffers[BUFFERS];
    uint8_t *count, (*edge)[SURF_TRIANGLES_MAX][3];
    unsigned long long *numbers; // nan, image_count, top
    unsigned char *transfer;     // [TRANSFER_BYTES] page-locked
    double seconds[STEPS];       // in total
};

enum { TRANSFER_BYTES = 1 << 24 };

// Sets the pointer at `pointer` to memory of at least `bytes` bytes, whose content is undefined.
static int alloc(struct cuda *e, int which, void *pointer, size_t bytes, const char *what, struct trj_error *err) {
    void *memory = cuda_buffer_alloc(&e->buffers[which], &e->base.memory, bytes, what, err);
    if (memory) memcpy(pointer, &memory, sizeof memory);
    return memory ? 0 : -1;
}

static int start_clock(struct cuda *e, struct trj_error *err) {
    CUDA_CHECK(cudaEventRecord(e->base.event[0], e->base.stream));
    return 0;
}

// Waits for the stream, and adds the time since start_clock to *seconds.
static int stop_clock(struct cuda *e, double *seconds, struct trj_error *err) {
    cudaEvent_t begin = e->base.event[0], end = e->base.event[1];
    double more;
    CUDA_CHECK(cudaEventRecord(end, e->base.stream));
    CUDA_CHECK(cudaEventSynchronize(end));
    if (cuda_seconds_between(begin, end, &more, err)) return -1;
    *seconds += more;
    return 0;
}

// ---- steps

static int upload(struct cuda *e, int which, cuda_surface_values *v, const struct trj_map *m, const void *values,
                  struct trj_error *err) {
    size_t bytes = (size_t)m->lattice.n[2] * trj_map_plane_size(m);
    void *copy;
    if (alloc(e, which, &copy, bytes, "the map on the GPU", err)) return -1;
    CUDA_CHECK(cudaMemcpyAsync(copy, values, bytes, cudaMemcpyHostToDevice, e->base.stream));
    *v = (cuda_surface_values){.kind = m->kind, .quantum = m->quantum, .values = copy};
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
        a->min_f32 = t.min.f32;
    else if (t.kind == TRJ_MAP_QUANTA)
        a->min_quanta = t.min.quanta;
    else if (t.kind == TRJ_MAP_COUNTS)
        a->min_counts = t.min.counts;
    else
        a->min_f64 = t.min.f64;
}

static int check_nan(struct cuda *e, const cuda_surface_args *a, struct trj_error *err) {
    unsigned long long point, plane = (unsigned long long)a->n[0] * (unsigned)a->n[1],
                              row = (unsigned long long)a->n[0];
    if (cuda_single_fetch(&e->base, &point, a->nan, sizeof point, err)) return -1;
    return point == UINT64_MAX
               ? 0
               : surf_lattice_fail_nan((const uint64_t[3]){point % row, point % plane / row, point / plane}, err);
}

// Counts the vertices and triangles.
static int count(struct cuda *e, cuda_surface_args *a, uint64_t *vertices, uint64_t *triangles, struct trj_error *err) {
    size_t words = a->words * (size_t)a->size[1] * (size_t)a->size[2], bytes;
    if (cuda_surface_scratch(words + 1, &bytes, err)) return -1;
    if (alloc(e, INSIDE, &a->inside, words * sizeof *a->inside, "points on the GPU", err)) return -1;
    if (alloc(e, VERTEX, &a->vertex, (words + 1) * sizeof *a->vertex, "points on the GPU", err)) return -1;
    if (alloc(e, TRIANGLE, &a->triangle, (words + 1) * sizeof *a->triangle, "points on the GPU", err)) return -1;
    void *scratch;
    if (alloc(e, SCRATCH, &scratch, bytes, "points on the GPU", err)) return -1;
    if (start_clock(e, err)) return -1;
    if (cuda_surface_count(a, scratch, bytes, e->base.stream, err)) return -1;
    if (stop_clock(e, &e->seconds[COMPUTE], err)) return -1;
    if (check_nan(e, a, err)) return -1;
    if (cuda_single_fetch(&e->base, vertices, a->vertex + words, sizeof *vertices, err)) return -1;
    return cuda_single_fetch(&e->base, triangles, a->triangle + words, sizeof *triangles, err);
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
    for (size_t first = 0; first < bytes; first += TRANSFER_BYTES) {
        size_t n = bytes - first < TRANSFER_BYTES ? bytes - first : TRANSFER_BYTES;
        if (cuda_single_fetch(&e->base, e->transfer, (const unsigned char *)from + first, n, err)) return -1;
        if (surf_store_add(to, e->transfer, n, err)) return -1;
    }
    return 0;
}

static int make_mesh(struct cuda *e, cuda_surface_args *a, struct surf_mesh *m, size_t vertices, size_t triangles,
                     struct trj_error *err) {
    _Static_assert(sizeof(cuda_surface_vertex) == sizeof(struct surf_vertex), "the kernels write struct surf_vertex");
    size_t vertex_bytes = vertices * sizeof *a->vertices, triangle_bytes = triangles * sizeof *a->triangles;
    if (alloc(e, VERTICES, &a->vertices, vertex_bytes, "the mesh on the GPU", err)) return -1;
    if (alloc(e, TRIANGLES, &a->triangles, triangle_bytes, "the mesh on the GPU", err)) return -1;
    if (start_clock(e, err)) return -1;
    if (cuda_surface_make(a, e->base.stream, err) || stop_clock(e, &e->seconds[COMPUTE], err)) return -1;
    double began = trj_seconds();
    m->vertex_count = vertices;
    m->triangle_count = triangles;
    if (download(e, &m->vertices, a->vertices, vertex_bytes, err) ||
        download(e, &m->triangles, a->triangles, triangle_bytes, err))
        return -1;
    e->seconds[DOWNLOAD] += trj_seconds() - began;
    return 0;
}

// ---- fragments

static surf_sum sum_of(const unsigned long long words[2]) {
    return (surf_sum)((unsigned __int128)words[1] << 64 | words[0]);
}

static int compare_fragments(const void *a, const void *b) {
    const cuda_surface_fragment *p = *(const cuda_surface_fragment *const *)a,
                                *q = *(const cuda_surface_fragment *const *)b;
    return p->first < q->first ? -1 : p->first > q->first;
}

// Creates a label for each fragment, in the order of their first triangles, and sets label_of[fragment] to its number.
static int make_labels(struct surf_labels *labels, const cuda_surface_fragment *fragment, size_t count,
                       uint32_t *label_of, struct trj_error *err) {
    const cuda_surface_fragment **order = trj_alloc(count, sizeof *order, "parts of a surface", err);
    if (!order) return -1;
    for (size_t i = 0; i < count; i++) order[i] = &fragment[i];
    qsort(order, count, sizeof *order, compare_fragments);
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++) {
        const cuda_surface_fragment *p = order[i];
        uint32_t *label = &label_of[p - fragment];
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
    if (cuda_single_fetch(&e->base, numbers, a->image_count, sizeof numbers, err)) return -1;
    size_t images = (size_t)numbers[0];
    cuda_surface_fragment *fragment = trj_alloc(count, sizeof *fragment, "parts of a surface", err);
    cuda_surface_image *image = fragment ? trj_alloc(images, sizeof *image, "parts of a surface", err) : NULL;
    uint32_t *label_of = image ? trj_alloc(count, sizeof *label_of, "parts of a surface", err) : NULL;
    int rc = label_of ? 0 : -1;
    if (!rc) rc = cuda_single_fetch(&e->base, fragment, a->fragments, count * sizeof *fragment, err);
    if (!rc) rc = cuda_single_fetch(&e->base, image, a->images, images * sizeof *image, err);
    if (!rc) rc = make_labels(&labels, fragment, count, label_of, err);
    for (size_t i = 0; i < images && !rc; i++) {
        int32_t along[3] = {0, 0, 0};
        along[image[i].axis] = 1;
        surf_labels_unite(&labels, label_of[image[i].last], label_of[image[i].first], along);
    }
    if (!rc) rc = surf_lattice_sum(l, &labels, sum_of(numbers + 1), summary, err);
    free(fragment);
    free(image);
    free(label_of);
    free(labels.label);
    return rc;
}

// Returns an upper bound on the number of vertices that are images.
static size_t max_images(const struct surf_lattice *l) {
    size_t max = 0;
    for (int k = 0; k < 3; k++)
        if (l->image[k]) max += 2 * l->n[(k + 1) % 3] * l->n[(k + 2) % 3];
    return max;
}

static int summarise(struct cuda *e, cuda_surface_args *a, const struct surf_lattice *l, size_t vertices,
                     struct surf_summary *summary, struct trj_error *err) {
    size_t bytes;
    unsigned fragments;
    if (cuda_surface_scratch(vertices + 1, &bytes, err)) return -1;
    void *scratch;
    if (alloc(e, SCRATCH, &scratch, bytes, "pieces on the GPU", err)) return -1;
    if (alloc(e, PARENT, &a->parent, vertices * sizeof *a->parent, "pieces on the GPU", err)) return -1;
    if (alloc(e, FRAGMENT, &a->fragment, (vertices + 1) * sizeof *a->fragment, "pieces on the GPU", err)) return -1;
    if (alloc(e, IMAGES, &a->images, max_images(l) * sizeof *a->images, "pieces on the GPU", err)) return -1;
    if (start_clock(e, err)) return -1;
    if (cuda_surface_join(a, (unsigned)vertices, scratch, bytes, e->base.stream, err)) return -1;
    if (stop_clock(e, &e->seconds[COMPUTE], err)) return -1;
    if (cuda_single_fetch(&e->base, &fragments, a->fragment + vertices, sizeof fragments, err)) return -1;
    if (alloc(e, SUMS, &a->fragments, fragments * sizeof *a->fragments, "pieces on the GPU", err)) return -1;
    if (start_clock(e, err)) return -1;
    if (cuda_surface_sum(a, fragments, e->base.stream, err) || stop_clock(e, &e->seconds[COMPUTE], err)) return -1;
    return add_up(e, a, l, fragments, summary, err);
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
    if (cuda_single_wait(&e->base, err)) return -1;
    e->seconds[UPLOAD] += trj_seconds() - began;
    if (count(e, &a, &vertices, &triangles, err)) return -1;
    if (check_vertices(vertices, s->mesh, err)) return -1;
    if (s->mesh && make_mesh(e, &a, s->mesh, (size_t)vertices, (size_t)triangles, err)) return -1;
    summary->triangles = triangles;
    if (s->mesh && s->only_mesh) return 0;
    summary->triangles = 0;
    return summarise(e, &a, &l, (size_t)vertices, summary, err);
}

static int prepare(void *engine, struct trj_error *err) {
    struct cuda *e = engine;
    static struct surf_table table;
    if (cuda_surface_load(err)) return -1;
    surf_table_make(&table);
    const struct cuda_array arrays[] = {
        CUDA_ARRAY_COPY(e->count, sizeof table.count, "the table on the GPU", table.count),
        CUDA_ARRAY_COPY(e->edge, sizeof table.edge / sizeof *e->edge, "the table on the GPU", table.edge),
        CUDA_ARRAY(e->numbers, 4, "sums on the GPU"),
        CUDA_ARRAY_HOST(e->transfer, TRANSFER_BYTES),
    };
    return CUDA_ALLOC(&e->base.memory, arrays, err);
}

static int open_cuda(void **engine, const char *devices, struct trj_error *err) {
    static const struct cuda_single_ops ops = {.prepare = prepare};
    return cuda_single_create(engine, sizeof(struct cuda), NULL, &ops, devices, err);
}

static void stats(void *engine, struct trj_engine_stats *s) {
    const double *seconds = ((const struct cuda *)engine)->seconds;
    *s = (struct trj_engine_stats){
        .times = {{"upload", seconds[UPLOAD]}, {"computation", seconds[COMPUTE]}, {"download", seconds[DOWNLOAD]}}};
}

const struct surf_engine surf_engine_cuda = {
    .kind = CUDA_ENGINE_KIND,
    .open = open_cuda,
    .build = build,
    .stats = stats,
    .close = cuda_single_close,
};
