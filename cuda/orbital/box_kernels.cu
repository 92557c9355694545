// SPDX-License-Identifier: MIT
// Computes quantities, and orbitals where there are no tables, from basis functions, as lib/orbital/orbital_box.c.
//
// A thread block processes one box after another: it lists what reaches the box, and, layer by layer, computes the
// functions and their products with the density matrix or the orbitals, CUDA_ORBITAL_ROWS rows at a time. Lists,
// functions and products are in memory of the thread block, which stays in the cache.
#include "check.cuh"
#include "orbital_device.cuh"
#include "orbital_quantity.h"

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    LAYER = ORB_X * ORB_Y, // points
    ROWS = CUDA_ORBITAL_ROWS,
    CHUNK = 16, // functions in shared memory
    BOX = LAYER * ORB_Z,
};

struct box_memory {
    double rows[CHUNK][ROWS], values[CHUNK][LAYER];
    double extreme[6][WARPS];
    unsigned kept[WARPS];
};

// What the threads of a block share about its box.
struct box_work {
    unsigned box[3];
    double low[3], high[3]; // of its points, without tables
    uint32_t *column, *function, *first;
    double *bound, *value, *product;
    unsigned columns, functions; // that reach the box
    bool uses_matrix;
};

// ---- points

// Returns the number of a point of the box; after the end of the lattice or list, that of the last one.
static __device__ uint64_t point_of(const cuda_orbital_args &a, const unsigned (&box)[3], unsigned i) {
    const uint64_t *n = a.job.n;
    if (a.job.point) {
        uint64_t number = (uint64_t)box[0] * BOX + i;
        return number < n[0] ? number : n[0] - 1;
    }
    uint64_t index[3] = {(uint64_t)box[0] * ORB_X + i % ORB_X, (uint64_t)box[1] * ORB_Y + i / ORB_X % ORB_Y,
                         (uint64_t)box[2] * ORB_Z + i / LAYER};
    for (int k = 0; k < 3; k++)
        if (index[k] >= n[k]) index[k] = n[k] - 1;
    return index[0] + n[0] * (index[1] + n[1] * index[2]);
}

// Returns the largest value of all threads.
static __device__ double largest_of(double v, double (&memory)[WARPS]) {
    for (int step = 16; step; step /= 2) v = fmax(v, __shfl_xor_sync(0xffffffffu, v, step));
    if (threadIdx.x % 32 == 0) memory[threadIdx.x / 32] = v;
    __syncthreads();
    for (unsigned w = 0; w < WARPS; w++) v = fmax(v, memory[w]);
    __syncthreads();
    return v;
}

static __device__ void find_extent(const cuda_orbital_args &a, box_memory &m, box_work &b) {
    for (int k = 0; k < 3; k++) b.low[k] = INFINITY, b.high[k] = -INFINITY;
    for (unsigned i = threadIdx.x; i < BOX; i += THREADS) {
        double point[3];
        orb_job_point(&a.job, point_of(a, b.box, i), point);
        for (int k = 0; k < 3; k++) {
            b.low[k] = fmin(b.low[k], point[k]);
            b.high[k] = fmax(b.high[k], point[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        b.low[k] = -largest_of(-b.low[k], m.extreme[2 * k]);
        b.high[k] = largest_of(b.high[k], m.extreme[2 * k + 1]);
    }
}

// ---- what reaches the box

// Returns the bound of a column in a box, as bound_in_tables of lib/orbital/orbital_box.c.
static __device__ double bound_in_tables(const cuda_orbital_args &a, const orb_column *column,
                                         const unsigned (&box)[3]) {
    const double *largest[3];
    for (int k = 0; k < 3; k++) {
        const orb_axis_group &g = a.axis[k].group[column->group];
        if (box[k] < g.first || box[k] >= g.end) return 0;
        largest[k] = orb_axis_maximum(&a.axis[k], column->group, box[k]);
    }
    double sum = 0;
    for (size_t t = column->first_term; t < column[1].first_term; t++) {
        const orb_column_term &term = a.c.term[t];
        sum += fabs(term.coefficient) * largest[1][term.power[0]] * largest[2][term.power[1]];
    }
    return sum * largest[0][column->power];
}

static __device__ double bound_at_points(const cuda_orbital_args &a, const box_work &b, const orb_column *column) {
    const orb_group &g = a.c.group[column->group];
    double low[3], high[3], sum = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = b.low[k] - a.centre[g.centre][k];
        high[k] = b.high[k] - a.centre[g.centre][k];
    }
    double x = orb_interval_bound(g.exponent, column->power, a.fields.orders, low[0], high[0]);
    for (size_t t = column->first_term; x > 0 && t < column[1].first_term; t++) {
        const orb_column_term &term = a.c.term[t];
        sum += fabs(term.coefficient) *
               orb_interval_bound(g.exponent, term.power[0], a.fields.orders, low[1], high[1]) *
               orb_interval_bound(g.exponent, term.power[1], a.fields.orders, low[2], high[2]);
    }
    return sum * x;
}

// Lists the columns that reach the box.
static __device__ void find_columns(const cuda_orbital_args &a, box_memory &m, box_work &b) {
    double largest = 0;
    b.columns = 0;
    for (size_t from = 0; from < a.c.columns; from += THREADS) {
        const size_t i = from + threadIdx.x;
        double bound = 0;
        bool reaches = false;
        if (i < a.c.columns) {
            const unsigned f = a.combination_of[i];
            const orb_column *column = &a.c.column[i];
            if (a.scale[f] != 0) {
                bound = a.scale[f] * (a.tables ? bound_in_tables(a, column, b.box) : bound_at_points(a, b, column));
                reaches = bound > a.threshold[f];
            }
        }
        unsigned more;
        const unsigned place = b.columns + rank_of<WARPS>(reaches, m.kept, &more);
        if (reaches) {
            b.column[place] = (uint32_t)i;
            b.bound[place] = bound;
            largest = fmax(largest, bound);
        }
        b.columns += more;
    }
    largest = largest_of(largest, m.extreme[0]); // waits for the list, too
    if (!a.fields.forms || a.fields.quotient || largest >= 1) return;
    // In sums of products of two terms, a term is also left out if its product with the largest one is small.
    const unsigned columns = b.columns;
    b.columns = 0;
    for (unsigned from = 0; from < columns; from += THREADS) {
        const unsigned i = from + threadIdx.x, column = i < columns ? b.column[i] : 0;
        const bool reaches = i < columns && b.bound[i] * largest > a.threshold[a.combination_of[column]];
        unsigned more;
        const unsigned place = b.columns + rank_of<WARPS>(reaches, m.kept, &more);
        if (reaches) b.column[place] = column; // at or before the places that have been read
        b.columns += more;
    }
    __syncthreads();
}

// Lists the functions of the columns.
static __device__ void find_functions(const cuda_orbital_args &a, box_memory &m, box_work &b) {
    b.functions = 0;
    for (unsigned from = 0; from < b.columns; from += THREADS) {
        const unsigned i = from + threadIdx.x;
        const unsigned f = i < b.columns ? a.combination_of[b.column[i]] : 0;
        const bool is_first = i < b.columns && (i == 0 || a.combination_of[b.column[i - 1]] != f);
        unsigned more;
        const unsigned place = b.functions + rank_of<WARPS>(is_first, m.kept, &more);
        if (is_first) {
            b.function[place] = f;
            b.first[place] = i;
        }
        b.functions += more;
    }
    if (threadIdx.x == 0) b.first[b.functions] = b.columns;
    b.uses_matrix = a.matrix && a.matrix_work * b.functions < a.orbital_work;
    __syncthreads();
}

// ---- functions

static __device__ double *value_of(const cuda_orbital_args &a, const box_work &b, unsigned kind, unsigned function) {
    return b.value + ((size_t)kind * a.functions + function) * LAYER;
}

// Sixteen threads compute a function, each at the points with one x: the lanes compute W for one row each, and exchange
// them.
static __device__ void functions_from_tables(const cuda_orbital_args &a, const box_work &b, unsigned layer) {
    enum { GROUPS = THREADS / ORB_X };
    const unsigned x = threadIdx.x % ORB_X, y = x % ORB_Y;
    for (unsigned from = 0; from < b.functions; from += GROUPS) {
        const unsigned f = from + threadIdx.x / ORB_X;
        const unsigned begin = f < b.functions ? b.first[f] : 0, end = f < b.functions ? b.first[f + 1] : 0;
        // All lanes of a warp take part in exchanges, although its two functions can differ in length.
        const unsigned length = end - begin, other = __shfl_xor_sync(0xffffffffu, length, ORB_X);
        const unsigned most = length > other ? length : other;
        for (unsigned kind = 0; kind < a.fields.kinds; kind++) {
            double sum[ORB_Y] = {0};
            for (unsigned p = 0; p < a.parts[kind].parts; p++) {
                const orb_kind_part &part = a.parts[kind].part[p];
                for (unsigned i = 0; i < most; i++) {
                    double w = 0, v = 0;
                    if (i < length) {
                        const orb_column *column = &a.c.column[b.column[begin + i]];
                        const unsigned g = column->group;
                        v = orb_axis_value(&a.axis[0], g, b.box[0], part.x, column->power)[x];
                        for (size_t t = column->first_term; t < column[1].first_term; t++) {
                            const orb_column_term &term = a.c.term[t];
                            for (unsigned o = 0; o < part.terms; o++) {
                                double by = term.coefficient * orb_axis_value(&a.axis[2], g, b.box[2], part.yz[o][1],
                                                                              term.power[1])[layer];
                                w = fma(by, orb_axis_value(&a.axis[1], g, b.box[1], part.yz[o][0], term.power[0])[y],
                                        w);
                            }
                        }
                    }
#pragma unroll
                    for (int row = 0; row < ORB_Y; row++) {
                        double by = __shfl_sync(0xffffffffu, w, row, ORB_X);
                        if (i < length) sum[row] = fma(by, v, sum[row]);
                    }
                }
            }
            if (f < b.functions) {
                double *to = value_of(a, b, kind, f) + x;
                for (int row = 0; row < ORB_Y; row++) to[row * ORB_X] = sum[row];
            }
        }
    }
}

// Returns a function, or a derivative, at a point.
static __device__ double function_at(const cuda_orbital_args &a, const box_work &b, unsigned function, unsigned kind,
                                     const double (&point)[3]) {
    double sum = 0, d[3] = {0}, exponential = 0;
    unsigned group = UINT32_MAX;
    for (unsigned p = 0; p < a.parts[kind].parts; p++)
        for (unsigned i = b.first[function]; i < b.first[function + 1]; i++) {
            const orb_kind_part &part = a.parts[kind].part[p];
            const orb_column *column = &a.c.column[b.column[i]];
            const double exponent = a.c.group[column->group].exponent;
            if (column->group != group) {
                group = column->group;
                for (int k = 0; k < 3; k++) d[k] = point[k] - a.centre[a.c.group[group].centre][k];
                exponential = trj_exp_of_negative(-exponent * fma(d[0], d[0], fma(d[1], d[1], d[2] * d[2])));
            }
            for (size_t t = column->first_term; t < column[1].first_term; t++) {
                const orb_column_term &term = a.c.term[t];
                for (unsigned o = 0; o < part.terms; o++) {
                    double v = exponential;
                    if (column->power || part.x) v *= orb_factor(part.x, column->power, exponent, d[0]);
                    if (term.power[0] || part.yz[o][0]) v *= orb_factor(part.yz[o][0], term.power[0], exponent, d[1]);
                    if (term.power[1] || part.yz[o][1]) v *= orb_factor(part.yz[o][1], term.power[1], exponent, d[2]);
                    sum = fma(term.coefficient, v, sum);
                }
            }
        }
    return sum;
}

static __device__ void functions_at_points(const cuda_orbital_args &a, const box_work &b, unsigned layer) {
    const unsigned i = threadIdx.x % LAYER;
    double point[3];
    orb_job_point(&a.job, point_of(a, b.box, layer * LAYER + i), point);
    for (unsigned f = threadIdx.x / LAYER; f < b.functions; f += THREADS / LAYER)
        for (unsigned kind = 0; kind < a.fields.kinds; kind++)
            value_of(a, b, kind, f)[i] = function_at(a, b, f, kind, point);
}

// ---- products

// How rows are multiplied: by the whole matrix, by the half that suffices for squares, or by orbitals.
enum row_kind { FULL_MATRIX, HALF_MATRIX, ORBITALS };

static __device__ double row_element(const cuda_orbital_args &a, const box_work &b, row_kind rows, unsigned row,
                                     unsigned k) {
    if (rows == ORBITALS) return row < a.job.orbitals ? a.coefficient[(size_t)row * a.functions + b.function[k]] : 0;
    if (row >= b.functions || (rows == HALF_MATRIX && k > row)) return 0;
    size_t i = b.function[row], j = b.function[k];
    double element = i >= j ? a.matrix[i * (i + 1) / 2 + j] : a.matrix[j * (j + 1) / 2 + i];
    return rows == HALF_MATRIX && k < row ? 2 * element : element;
}

// Sets product[ROWS][LAYER] to rows `first` and later ones times the values of a kind. A warp computes 16 rows at 32
// points, and a thread four rows at two pairs of points.
static __device__ void multiply(const cuda_orbital_args &a, box_memory &m, const box_work &b, row_kind rows,
                                unsigned first, const double *value, double *product) {
    const unsigned t = threadIdx.x, warp = t / 32, row = warp % 2 * 16 + t % 32 / 8 * 4,
                   point = warp / 2 * 32 + t % 8 * 2;
    const unsigned n = rows == HALF_MATRIX && first + ROWS < b.functions ? first + ROWS : b.functions;
    double sum[4][4] = {};
    for (unsigned from = 0; from < n; from += CHUNK) {
        const unsigned length = n - from < CHUNK ? n - from : CHUNK;
        for (unsigned i = t; i < length * ROWS; i += THREADS)
            m.rows[i / ROWS][i % ROWS] = row_element(a, b, rows, first + i % ROWS, from + i / ROWS);
        for (unsigned i = t; i < length * LAYER / 2; i += THREADS)
            ((double2 *)m.values)[i] = ((const double2 *)(value + (size_t)from * LAYER))[i];
        __syncthreads();
#pragma unroll 4
        for (unsigned k = 0; k < length; k++) {
            const double2 r01 = *(const double2 *)&m.rows[k][row], r23 = *(const double2 *)&m.rows[k][row + 2],
                          v01 = *(const double2 *)&m.values[k][point], v23 = *(const double2 *)&m.values[k][point + 16];
            const double by[4] = {r01.x, r01.y, r23.x, r23.y}, v[4] = {v01.x, v01.y, v23.x, v23.y};
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int p = 0; p < 4; p++) sum[r][p] = fma(by[r], v[p], sum[r][p]);
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) {
        double *to = product + (row + r) * LAYER + point;
        *(double2 *)to = make_double2(sum[r][0], sum[r][1]);
        *(double2 *)(to + 16) = make_double2(sum[r][2], sum[r][3]);
    }
}

static __device__ double *product_of(const box_work &b, unsigned kind) {
    return b.product + (size_t)kind * ROWS * LAYER;
}

// Adds the forms of ROWS rows to the sums of a point: in panels of ORB_Y rows, form by form, and row by row.
static __device__ void add_forms(const cuda_orbital_args &a, const box_work &b, unsigned first, unsigned count,
                                 unsigned point, double (&sum)[ORB_SUMS]) {
    for (unsigned panel = 0; panel < ROWS && first + panel < count; panel += ORB_Y) {
        const unsigned rows = count - first - panel < ORB_Y ? count - first - panel : ORB_Y;
        for (unsigned i = 0; i < a.fields.forms; i++) {
            const orb_form &form = a.fields.form[i];
            const double *u = product_of(b, form.u) + panel * LAYER + point;
            const double *v = b.uses_matrix ? value_of(a, b, form.v, first + panel) + point
                                            : product_of(b, form.v) + panel * LAYER + point;
            double s = sum[form.sum];
            for (unsigned r = 0; r < rows; r++) {
                double by = u[r * LAYER];
                if (!b.uses_matrix) by *= a.weight[first + panel + r];
                s = fma(by, v[r * LAYER], s);
            }
            sum[form.sum] = s;
        }
    }
}

// ---- values

// Returns the place of a point of a layer among the values of the slab, or UINT64_MAX if the slab does not have it.
static __device__ uint64_t place_of(const cuda_orbital_args &a, const box_work &b, unsigned layer, unsigned point) {
    if (a.job.point) {
        const uint64_t number = (uint64_t)b.box[0] * BOX + layer * LAYER + point;
        return number >= a.first && number < a.first + a.count ? number - a.first : UINT64_MAX;
    }
    const uint64_t x = (uint64_t)b.box[0] * ORB_X + point % ORB_X, y = (uint64_t)b.box[1] * ORB_Y + point / ORB_X,
                   plane = (uint64_t)b.box[2] * ORB_Z + layer;
    if (x >= a.job.n[0] || y >= a.job.n[1] || plane < a.first || plane >= a.first + a.count) return UINT64_MAX;
    return x + a.job.n[0] * (y + a.job.n[1] * (plane - a.first));
}

static __device__ uint64_t points_of_slab(const cuda_orbital_args &a) {
    return a.job.point ? a.count : a.count * a.job.n[0] * a.job.n[1];
}

// Stores the orbitals of ROWS rows, or the product of the first two.
static __device__ void store_orbitals(const cuda_orbital_args &a, const box_work &b, unsigned first, uint64_t place,
                                      unsigned point) {
    const double *product = product_of(b, 0) + point;
    if (a.job.quantity == ORB_PRODUCT) {
        a.value[place] = product[0] * product[LAYER];
        return;
    }
    for (unsigned r = 0; r < ROWS && first + r < a.job.orbitals; r++)
        a.value[(first + r) * points_of_slab(a) + place] = product[r * LAYER];
}

static __device__ void compute_layer(const cuda_orbital_args &a, box_memory &m, const box_work &b, unsigned layer) {
    const unsigned point = threadIdx.x % LAYER;
    const bool is_first = threadIdx.x < LAYER; // of the threads of this point, which stores its value
    const uint64_t place = place_of(a, b, layer, point);
    if (!__syncthreads_or(place != UINT64_MAX)) return;
    const unsigned count = b.uses_matrix ? b.functions : a.fields.forms && !b.functions ? 0 : (unsigned)a.job.orbitals;
    double sum[ORB_SUMS] = {0};
    if (a.tables)
        functions_from_tables(a, b, layer);
    else
        functions_at_points(a, b, layer);
    __syncthreads();
    for (unsigned first = 0; first < count; first += ROWS) {
        for (unsigned kind = 0; kind < a.fields.kinds; kind++) {
            row_kind rows = ORBITALS;
            if (b.uses_matrix) {
                bool is_first_kind = false, squares = true;
                for (unsigned i = 0; i < a.fields.forms; i++)
                    if (a.fields.form[i].u == kind) {
                        is_first_kind = true;
                        if (a.fields.form[i].v != kind) squares = false;
                    }
                if (!is_first_kind) continue;
                rows = squares ? HALF_MATRIX : FULL_MATRIX;
            }
            multiply(a, m, b, rows, first, value_of(a, b, kind, 0), product_of(b, kind));
        }
        __syncthreads();
        if (is_first && place != UINT64_MAX) {
            if (a.fields.forms)
                add_forms(a, b, first, count, point, sum);
            else
                store_orbitals(a, b, first, place, point);
        }
        __syncthreads();
    }
    if (!is_first || place == UINT64_MAX || !a.fields.forms) return;
    double result[2];
    orb_quantity_of_sums(a.job.quantity, sum, 1, result);
    a.value[place] = result[0];
    if (a.job.quantity == ORB_REDUCED_GRADIENT) a.value[points_of_slab(a) + place] = result[1];
}

static __global__ void __launch_bounds__(THREADS, 2)
    compute_boxes(const __grid_constant__ cuda_orbital_args a, unsigned first_box, unsigned boxes_x, unsigned boxes_y,
                  uint64_t boxes) {
    __shared__ box_memory m;
    const cuda_orbital_scratch &s = a.scratch;
    box_work b;
    b.column = s.column + (size_t)blockIdx.x * a.c.columns;
    b.bound = s.bound + (size_t)blockIdx.x * a.c.columns;
    b.function = s.function + (size_t)blockIdx.x * a.functions;
    b.first = s.first + (size_t)blockIdx.x * (a.functions + 1);
    b.value = s.value + (size_t)blockIdx.x * a.fields.kinds * a.functions * LAYER;
    b.product = s.product + (size_t)blockIdx.x * a.fields.kinds * ROWS * LAYER;
    for (uint64_t i = blockIdx.x; i < boxes; i += gridDim.x) {
        b.box[0] = (unsigned)(i % boxes_x) + (a.job.point ? first_box : 0);
        b.box[1] = (unsigned)(i / boxes_x % boxes_y);
        b.box[2] = (unsigned)(i / boxes_x / boxes_y) + (a.job.point ? 0 : first_box);
        if (!a.tables) find_extent(a, m, b);
        find_columns(a, m, b);
        find_functions(a, m, b);
        for (unsigned layer = 0; layer < ORB_Z; layer++) {
            compute_layer(a, m, b, layer);
            __syncthreads();
        }
    }
}

extern "C" int cuda_orbital_boxes(const cuda_orbital_args *a, cudaStream_t stream, struct trj_error *err) {
    const uint64_t size = a->job.point ? (uint64_t)BOX : (uint64_t)ORB_Z, first = a->first / size,
                   end = (a->first + a->count + size - 1) / size;
    const unsigned x = a->job.point ? (unsigned)(end - first) : (unsigned)((a->job.n[0] + ORB_X - 1) / ORB_X),
                   y = a->job.point ? 1 : (unsigned)((a->job.n[1] + ORB_Y - 1) / ORB_Y);
    const uint64_t boxes = (uint64_t)x * y * (a->job.point ? 1 : end - first);
    const unsigned blocks = boxes < a->scratch.blocks ? (unsigned)boxes : a->scratch.blocks;
    compute_boxes<<<dim3(blocks), THREADS, 0, stream>>>(*a, (unsigned)first, x, y, boxes);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_orbital_box_blocks(unsigned *blocks, struct trj_error *err) {
    int device, processors, of_processor;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_processor, compute_boxes, THREADS, 0));
    *blocks = (unsigned)(processors * of_processor);
    return 0;
}
