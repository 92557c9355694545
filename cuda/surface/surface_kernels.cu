// SPDX-License-Identifier: MIT
// The kernels of surfaces: marching cubes, the union of fragments, and sums of areas and volumes.
#include <cub/block/block_scan.cuh>

#include "check.cuh"
#include "prefix_sum.h"
#include "surface_kernels.h"
#include "wide_sum.cuh"
extern "C" {
#include "map.h"
#include "surface_arithmetic.h"
}

#define FULL 0xffffffffu

enum {
    THREADS = 256,
    WORD = 64,              // points in a word
    WORDS = THREADS / WORD, // words of a thread block
};

typedef cuda_surface_args arguments;
typedef unsigned long long u64;

// ---- points

// Sets *index to the index in the map of index i of the extended lattice. Returns false for an outside point.
static __device__ bool find_index(const arguments &a, int axis, int i, int *index) {
    i -= a.lead[axis];
    if (i < 0 || i >= a.size[axis] - 2 * a.lead[axis]) return false;
    *index = i < a.n[axis] ? i : i - a.n[axis];
    return true;
}

static __device__ long long point_at(const arguments &a, int x, int y, int z) {
    return x + a.n[0] * (y + (long long)a.n[1] * z);
}

static __device__ double value_of(const cuda_surface_values &v, long long point) {
    switch (v.kind) {
    case TRJ_MAP_FLOAT32:
        return (double)((const float *)v.values)[point];
    case TRJ_MAP_QUANTA:
        return (double)((const long long *)v.values)[point] * v.quantum;
    case TRJ_MAP_COUNTS:
        return (double)((const u64 *)v.values)[point];
    default:
        return ((const double *)v.values)[point];
    }
}

static __device__ bool is_value_inside(const arguments &a, long long point) {
    switch (a.map.kind) {
    case TRJ_MAP_FLOAT32:
        return ((const float *)a.map.values)[point] >= a.min_f32;
    case TRJ_MAP_QUANTA:
        return !a.none && ((const long long *)a.map.values)[point] >= a.min_quanta;
    case TRJ_MAP_COUNTS:
        return !a.none && ((const u64 *)a.map.values)[point] >= a.min_counts;
    default:
        return ((const double *)a.map.values)[point] >= a.min_f64;
    }
}

// A warp classifies 32 points of a row.
static __global__ void classify(arguments a) {
    unsigned warp = (unsigned)(((size_t)blockIdx.x * THREADS + threadIdx.x) / 32), halves = 2 * a.words,
             row = warp / halves, k = row / a.size[1];
    if (k >= a.size[2]) return;
    int i = (int)(warp % halves * 32 + threadIdx.x % 32), x, y, z;
    bool inside = false;
    if (i < a.size[0] && find_index(a, 0, i, &x) && find_index(a, 1, (int)(row % a.size[1]), &y) &&
        find_index(a, 2, (int)k, &z)) {
        long long point = point_at(a, x, y, z);
        inside = is_value_inside(a, point);
        if (isnan(value_of(a.map, point))) atomicMin(a.nan, (u64)point);
    }
    unsigned bits = __ballot_sync(FULL, inside);
    if (threadIdx.x % 32 == 0) ((unsigned *)a.inside)[warp] = bits;
}

// Word w of row j of plane k.
struct word {
    unsigned number;
    int w, j, k;
};

static __device__ word word_of(const arguments &a, unsigned number) {
    unsigned row = number / a.words;
    return {number, (int)(number % a.words), (int)(row % a.size[1]), (int)(row / a.size[1])};
}

static __host__ __device__ unsigned word_count(const arguments &a) {
    return a.words * a.size[1] * a.size[2];
}

static __device__ unsigned word_at(const arguments &a, int i, int j, int k) {
    return a.words * (j + a.size[1] * k) + i / WORD;
}

static __device__ bool is_inside(const arguments &a, int i, int j, int k) {
    return a.inside[word_at(a, i, j, k)] >> i % WORD & 1;
}

// Returns the bits of the points of a word at which an edge along axis 0 starts.
static __device__ u64 starts(const arguments &a, const word &place) {
    int left = a.size[0] - 1 - WORD * place.w;
    return left < WORD ? ((u64)1 << left) - 1 : ~(u64)0;
}

// Returns, at the bit of each point of a word, the bit of the next point of the row.
static __device__ u64 next_bits(const arguments &a, const word &place, const u64 *row) {
    return row[0] >> 1 | (place.w + 1 < (int)a.words ? row[1] << 63 : 0);
}

// For each axis, the bits of the points of a word whose edge along that axis is cut.
struct cut_words {
    u64 axis[3];
};

static __device__ cut_words cuts_of(const arguments &a, const word &place) {
    const u64 *row = a.inside + place.number;
    cut_words c = {{(row[0] ^ next_bits(a, place, row)) & starts(a, place), 0, 0}};
    if (place.j + 1 < a.size[1]) c.axis[1] = row[0] ^ row[a.words];
    if (place.k + 1 < a.size[2]) c.axis[2] = row[0] ^ row[a.words * a.size[1]];
    return c;
}

// Returns the bits of the cells that start in a word and have corners both inside and outside.
static __device__ u64 mixed_cells(const arguments &a, const word &place) {
    if (place.j + 1 >= a.size[1] || place.k + 1 >= a.size[2]) return 0;
    u64 some = 0, all = ~(u64)0;
    for (int r = 0; r < 4; r++) {
        const u64 *row = a.inside + place.number + a.words * ((r & 1) + a.size[1] * (r >> 1));
        u64 next = next_bits(a, place, row);
        some |= row[0] | next;
        all &= row[0] & next;
    }
    return some & ~all & starts(a, place);
}

static __device__ unsigned case_of(const arguments &a, int i, int j, int k) {
    unsigned which = 0;
    for (unsigned c = 0; c < 8; c++) which |= (unsigned)is_inside(a, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) << c;
    return which;
}

static __global__ void count(arguments a) {
    unsigned number = blockIdx.x * THREADS + threadIdx.x, words = word_count(a);
    if (number > words) return;
    a.vertex[number] = a.triangle[number] = 0;
    if (number == words) return;
    const word place = word_of(a, number);
    const cut_words c = cuts_of(a, place);
    a.vertex[number] = __popcll(c.axis[0]) + __popcll(c.axis[1]) + __popcll(c.axis[2]);
    unsigned triangles = 0;
    for (u64 mixed = mixed_cells(a, place); mixed; mixed &= mixed - 1)
        triangles += a.count[case_of(a, WORD * place.w + __ffsll((long long)mixed) - 1, place.j, place.k)];
    a.triangle[number] = triangles;
}

// ---- vertices

// The edge that starts at a point of the extended lattice along an axis.
struct edge {
    int index[3], axis;
};

static __device__ unsigned number_of(const arguments &a, const edge &e) {
    const word place = {word_at(a, e.index[0], e.index[1], e.index[2]), e.index[0] / WORD, e.index[1], e.index[2]};
    const cut_words c = cuts_of(a, place);
    unsigned bit = (unsigned)(e.index[0] % WORD), rank = 0;
    u64 before = ((u64)1 << bit) - 1;
    for (int axis = 0; axis < 3; axis++) {
        rank += __popcll(c.axis[axis] & before);
        if (axis < e.axis) rank += (unsigned)(c.axis[axis] >> bit & 1);
    }
    return (unsigned)(a.vertex[place.number] + rank);
}

// An end of an edge.
struct end {
    int index[3]; // indices in the map
    bool real;    // a point of the map or its image; false: an outside point
    long long point;
};

static __device__ end end_of(const arguments &a, const edge &e, bool second) {
    end p = {{0, 0, 0}, true, 0};
    for (int k = 0; k < 3; k++) p.real = find_index(a, k, e.index[k] + (second && k == e.axis), &p.index[k]) && p.real;
    p.point = point_at(a, p.index[0], p.index[1], p.index[2]);
    return p;
}

// Returns where an edge is cut, as a fraction of its length.
static __device__ double cut_of(const arguments &a, const end p[2]) {
    if (!p[0].real) return 1 - SURF_MARGIN;
    if (!p[1].real) return SURF_MARGIN;
    return surf_fraction(value_of(a.map, p[0].point), value_of(a.map, p[1].point), a.level);
}

// Computes the gradient along the indices at a point of the map.
static __device__ void gradient_at(const arguments &a, const end &p, double gradient[3]) {
    long long stride = 1;
    for (int axis = 0; axis < 3; stride *= a.n[axis++]) {
        bool wraps = a.periodic >> axis & 1, first = !p.index[axis], last = p.index[axis] == a.n[axis] - 1;
        long long around = (a.n[axis] - 1) * stride, low = first ? p.point + around : p.point - stride,
                  high = last ? p.point - around : p.point + stride;
        bool has_low = !first || wraps, has_high = !last || wraps;
        if (has_low && has_high)
            gradient[axis] = (value_of(a.map, high) - value_of(a.map, low)) * 0.5;
        else if (has_high)
            gradient[axis] = value_of(a.map, high) - value_of(a.map, p.point);
        else
            gradient[axis] = has_low ? value_of(a.map, p.point) - value_of(a.map, low) : 0;
    }
}

static __device__ void set_normal(const arguments &a, const edge &e, const end p[2], double t, float normal[3]) {
    double gradient[2][3];
    if (p[0].real && p[1].real) {
        for (int k = 0; k < 2; k++) gradient_at(a, p[k], gradient[k]);
        for (int i = 0; i < 3; i++) gradient[0][i] = surf_between(gradient[0][i], gradient[1][i], t);
        if (surf_normal(gradient[0], a.inverse, normal)) return;
    }
    bool inside = is_inside(a, e.index[0], e.index[1], e.index[2]);
    for (int i = 0; i < 3; i++) gradient[0][i] = i != e.axis ? 0 : inside ? -1 : 1;
    if (!surf_normal(gradient[0], a.inverse, normal))
        for (int i = 0; i < 3; i++) normal[i] = 0;
}

static __device__ float colour_of(const arguments &a, const end p[2], double t) {
    if (!a.colour.values) return 0;
    double v0 = value_of(a.colour, p[!p[0].real].point), v1 = value_of(a.colour, p[p[1].real].point);
    return (float)(surf_between(v0, v1, t) / a.colour_weight);
}

static __device__ void make_vertex(const arguments &a, const edge &e, cuda_surface_vertex *v) {
    const end p[2] = {end_of(a, e, false), end_of(a, e, true)};
    double t = cut_of(a, p), index[3];
    for (int i = 0; i < 3; i++) index[i] = (double)e.index[i] - (double)a.lead[i] + (i == e.axis ? t : 0);
    for (int i = 0; i < 3; i++) // as trj_map_lattice_position
        v->position[i] =
            (float)(a.origin[i] + index[0] * a.step[0][i] + index[1] * a.step[1][i] + index[2] * a.step[2][i]);
    set_normal(a, e, p, t, v->normal);
    v->colour = colour_of(a, p, t);
}

// Calls `take` with the number of each vertex on the edges that start at the points of this thread block, and with its
// edge. First the threads list these vertices; then they divide them among themselves, because few points have any.
template <typename Take> static __device__ void for_vertices(const arguments &a, Take take) {
    __shared__ uint16_t list[3 * THREADS]; // point and axis
    unsigned first = blockIdx.x * WORDS, number = first + threadIdx.x / WORD, words = word_count(a);
    u64 begin = a.vertex[first], end = a.vertex[min(first + WORDS, words)];
    if (number < words) {
        unsigned bit = threadIdx.x % WORD;
        const cut_words c = cuts_of(a, word_of(a, number));
        u64 before = ((u64)1 << bit) - 1;
        unsigned n = (unsigned)(a.vertex[number] - begin) + __popcll(c.axis[0] & before) +
                     __popcll(c.axis[1] & before) + __popcll(c.axis[2] & before);
        for (unsigned axis = 0; axis < 3; axis++)
            if (c.axis[axis] >> bit & 1) list[n++] = (uint16_t)(threadIdx.x | axis << 8);
    }
    __syncthreads();
    for (unsigned n = threadIdx.x; n < end - begin; n += THREADS) {
        unsigned point = list[n] & 0xff;
        const word place = word_of(a, first + point / WORD);
        take(begin + n, edge{{(int)(WORD * place.w + point % WORD), place.j, place.k}, list[n] >> 8});
    }
}

static __global__ void make_vertices(arguments a) {
    for_vertices(a, [&](u64 n, const edge &e) { make_vertex(a, e, &a.vertices[n]); });
}

// ---- triangles

static __device__ edge edge_of(const int cell[3], unsigned number) {
    static const uint8_t corner[SURF_EDGES] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3}; // surf_edge_corner
    int start = corner[number];
    return {{cell[0] + (start & 1), cell[1] + (start >> 1 & 1), cell[2] + (start >> 2)}, (int)number / 4};
}

// Calls `take`, in all lanes of a warp together, with the number of each triangle in the cells that start at the points
// of this thread block, and with its cell and edges; the edges are NULL in lanes that have no more triangles. As for
// vertices, the threads first list the triangles.
template <typename Take> static __device__ void for_triangles(const arguments &a, Take take) {
    typedef cub::BlockScan<unsigned, THREADS> scan;
    __shared__ typename scan::TempStorage storage;
    __shared__ uint16_t list[SURF_TRIANGLES_MAX * THREADS]; // cell and triangle
    __shared__ uint8_t cases[THREADS];
    unsigned first = blockIdx.x * WORDS, number = first + threadIdx.x / WORD, words = word_count(a), which = 0, n,
             total;
    u64 begin = a.triangle[first];
    if (begin == a.triangle[min(first + WORDS, words)]) return;
    if (number < words) {
        const word place = word_of(a, number);
        unsigned bit = threadIdx.x % WORD;
        if (mixed_cells(a, place) >> bit & 1) which = case_of(a, WORD * place.w + (int)bit, place.j, place.k);
    }
    cases[threadIdx.x] = (uint8_t)which;
    scan(storage).ExclusiveSum(a.count[which], n, total);
    for (unsigned t = 0; t < a.count[which]; t++) list[n++] = (uint16_t)(threadIdx.x | t << 8);
    __syncthreads();
    for (n = threadIdx.x; n - threadIdx.x % 32 < total; n += THREADS) {
        unsigned item = n < total ? list[n] : 0, point = item & 0xff;
        const word place = word_of(a, first + point / WORD);
        const int cell[3] = {(int)(WORD * place.w + point % WORD), place.j, place.k};
        take(begin + n, cell, n < total ? a.edge[cases[point]][item >> 8] : nullptr);
    }
}

static __global__ void make_triangles(arguments a) {
    for_triangles(a, [&](u64 n, const int cell[3], const uint8_t *edges) {
        if (!edges) return;
        a.triangles[n][0] = number_of(a, edge_of(cell, edges[0]));
        a.triangles[n][1] = number_of(a, edge_of(cell, edges[a.mirrored ? 2 : 1]));
        a.triangles[n][2] = number_of(a, edge_of(cell, edges[a.mirrored ? 1 : 2]));
    });
}

// ---- fragments

static __global__ void clear_parents(unsigned *parent, unsigned vertices) {
    unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v < vertices) parent[v] = v;
}

// Returns the root of a vertex, and halves the path to it (union-find). Other threads may change parents at the same
// time, but only to lower vertices of the same fragment.
static __device__ unsigned root_of(unsigned *parent, unsigned v) {
    volatile unsigned *p = parent;
    for (unsigned up = p[v]; up != v; up = p[v]) {
        unsigned next = p[up];
        if (next != up) p[v] = next;
        v = up;
    }
    return v;
}

static __device__ void unite(unsigned *parent, unsigned v, unsigned w) {
    for (;;) {
        v = root_of(parent, v);
        w = root_of(parent, w);
        if (v == w) return;
        unsigned low = min(v, w), high = max(v, w);
        if (atomicCAS(&parent[high], high, low) == high) return;
    }
}

static __global__ void unite_vertices(arguments a) {
    for_triangles(a, [&](u64, const int cell[3], const uint8_t *edges) {
        if (!edges) return;
        unsigned v = number_of(a, edge_of(cell, edges[0]));
        unite(a.parent, v, number_of(a, edge_of(cell, edges[1])));
        unite(a.parent, v, number_of(a, edge_of(cell, edges[2])));
    });
}

// Makes each vertex a child of its root, and marks the roots. The roots are final. A thread changes only the parent of
// its own vertex, because path halving could overwrite a parent that another thread has set.
static __global__ void find_roots(arguments a, unsigned vertices) {
    unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v > vertices) return;
    a.fragment[v] = 0;
    if (v == vertices) return;
    const volatile unsigned *parent = a.parent;
    unsigned root = v;
    for (unsigned up = parent[v]; up != root; up = parent[up]) root = up;
    a.parent[v] = root;
    a.fragment[v] = root == v;
}

static __global__ void clear_fragments(arguments a, unsigned fragments) {
    unsigned p = blockIdx.x * THREADS + threadIdx.x;
    if (p == 0) a.top[0] = a.top[1] = *a.image_count = 0;
    if (p >= fragments) return;
    a.fragments[p] = cuda_surface_fragment{};
    a.fragments[p].first = ~(u64)0;
}

static __device__ unsigned fragment_of(const arguments &a, unsigned vertex) {
    return a.fragment[a.parent[vertex]];
}

// Calls `add`, in all lanes of the warp together, once for each fragment that occurs in any lane; its second argument
// is whether the fragment of this lane is that one. A warp has few different fragments.
template <typename Add> static __device__ void for_fragments(bool has, unsigned fragment, Add add) {
    unsigned left = __ballot_sync(FULL, has);
    while (left) {
        unsigned p = __shfl_sync(FULL, fragment, __ffs((int)left) - 1);
        bool mine = has && fragment == p;
        left &= ~__ballot_sync(FULL, mine);
        add(p, mine);
    }
}

static __global__ void sum_triangles(arguments a) {
    for_triangles(a, [&](u64 n, const int cell[3], const uint8_t *edges) {
        struct surf_share s = {0, 0, 0};
        unsigned fragment = 0;
        if (edges) {
            double x[3][3];
            for (int v = 0; v < 3; v++) {
                const edge e = edge_of(cell, edges[v]);
                const end p[2] = {end_of(a, e, false), end_of(a, e, true)};
                for (int i = 0; i < 3; i++) x[v][i] = i == e.axis ? cut_of(a, p) : (double)(e.index[i] - cell[i]);
            }
            s = surf_share_of(x, a.step, a.unit);
            fragment = fragment_of(a, number_of(a, edge_of(cell, edges[0])));
        }
        for_fragments(edges, fragment, [&](unsigned p, bool mine) {
            cuda_surface_fragment &to = a.fragments[p];
            unsigned lanes = __ballot_sync(FULL, mine);
            add_wide(to.area, mine ? s.area : 0);
            add_wide(to.shadow, mine ? s.shadow : 0);
            add_wide(to.content, mine ? s.content + (wide)cell[2] * s.shadow : 0);
            if (threadIdx.x % 32 != __ffs((int)lanes) - 1) return;
            atomicAdd(&to.triangles, (u64)__popc(lanes));
            atomicMin(&to.first, n);
        });
    });
}

static __global__ void sum_vertices(arguments a) {
    for_vertices(a, [&](u64 n, const edge &e) {
        bool image = false;
        unsigned fragment = fragment_of(a, (unsigned)n);
        for (unsigned axis = 0; axis < 3; axis++) {
            if (!a.image[axis] || e.index[axis] != a.size[axis] - 1) continue;
            edge other = e;
            other.index[axis] = 0;
            a.images[atomicAdd(a.image_count, 1ull)] =
                cuda_surface_image{fragment, fragment_of(a, number_of(a, other)), axis};
            image = true;
        }
        if (image) return;
        unsigned same = __match_any_sync(__activemask(), fragment);
        if (threadIdx.x % 32 == __ffs((int)same) - 1) atomicAdd(&a.fragments[fragment].vertices, (u64)__popc(same));
    });
}

// Sums surf_area_inside over the last plane, with one thread for each square.
static __global__ void sum_top(arguments a) {
    size_t thread = (size_t)blockIdx.x * THREADS + threadIdx.x, columns = a.size[0] - 1;
    int i = (int)(thread % columns), j = (int)(thread / columns), k = a.size[2] - 1;
    wide area = 0;
    if (j + 1 < a.size[1]) {
        const bool in[4] = {is_inside(a, i, j, k), is_inside(a, i + 1, j, k), is_inside(a, i + 1, j + 1, k),
                            is_inside(a, i, j + 1, k)};
        double cut[4] = {0, 0, 0, 0};
        for (int c = 0; c < 4; c++) {
            if (in[c] == in[(c + 1) % 4]) continue;
            const edge e = {{i + (c == 1), j + (c == 2), k}, c % 2};
            const end p[2] = {end_of(a, e, false), end_of(a, e, true)};
            cut[c] = cut_of(a, p);
        }
        area = surf_area_inside(in, cut);
    }
    add_wide(a.top, area);
}

// ---- host

// The kernels of a file are loaded together.
extern "C" int cuda_surface_load(struct trj_error *err) {
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, classify));
    return 0;
}

extern "C" int cuda_surface_scratch(size_t items, size_t *bytes, struct trj_error *err) {
    u64 *none = nullptr;
    CUDA_CHECK(cuda_prefix_sum_64(nullptr, bytes, none, none, items, 0));
    return 0;
}

static unsigned launch_blocks(size_t threads) {
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

extern "C" int cuda_surface_count(const arguments *a, void *scratch, size_t bytes, cudaStream_t stream,
                                  struct trj_error *err) {
    size_t words = word_count(*a);
    CUDA_CHECK(cudaMemsetAsync(a->nan, 0xff, sizeof *a->nan, stream));
    classify<<<launch_blocks(words * WORD), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    count<<<launch_blocks(words + 1), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cuda_prefix_sum_64(scratch, &bytes, a->vertex, a->vertex, words + 1, stream));
    CUDA_CHECK(cuda_prefix_sum_64(scratch, &bytes, a->triangle, a->triangle, words + 1, stream));
    return 0;
}

extern "C" int cuda_surface_make(const arguments *a, cudaStream_t stream, struct trj_error *err) {
    size_t words = word_count(*a);
    make_vertices<<<launch_blocks(words * WORD), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    make_triangles<<<launch_blocks(words * WORD), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_surface_join(const arguments *a, unsigned vertices, void *scratch, size_t bytes,
                                 cudaStream_t stream, struct trj_error *err) {
    clear_parents<<<launch_blocks((size_t)vertices + 1), THREADS, 0, stream>>>(a->parent, vertices);
    CUDA_CHECK(cudaGetLastError());
    unite_vertices<<<launch_blocks((size_t)word_count(*a) * WORD), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    find_roots<<<launch_blocks((size_t)vertices + 1), THREADS, 0, stream>>>(*a, vertices);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cuda_prefix_sum(scratch, &bytes, a->fragment, a->fragment, (size_t)vertices + 1, stream));
    return 0;
}

extern "C" int cuda_surface_sum(const arguments *a, unsigned fragments, cudaStream_t stream, struct trj_error *err) {
    size_t words = word_count(*a);
    clear_fragments<<<launch_blocks(fragments + 1), THREADS, 0, stream>>>(*a, fragments);
    CUDA_CHECK(cudaGetLastError());
    sum_triangles<<<launch_blocks(words * WORD), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    sum_vertices<<<launch_blocks(words * WORD), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    if (!a->image[2]) return 0;
    sum_top<<<launch_blocks((size_t)(a->size[0] - 1) * (size_t)(a->size[1] - 1)), THREADS, 0, stream>>>(*a);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
