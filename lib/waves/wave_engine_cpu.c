// SPDX-License-Identifier: MIT
// Computes amplitudes as products of matrices: for a tile of atoms, the factors B(h,k) of a block of rows, times Z(l)
// for WAV_LANES values of l (wave_kernel.h). An item of work is a chunk of rows for a slice of the tiles. Each slice
// has sums of its own, which are integers and are added at the end.
#include <stdlib.h>
#include <string.h>

#include "instruction_set.h"
#include "memory.h"
#include "pool.h"
#include "wave_amplitude.h"
#include "wave_engine.h"
#include "wave_kernel.h"

enum {
    CHUNK = 256, // rows of an item: with more, the powers of a tile are computed less often
    BLOCK = 32,  // rows whose factors are computed at a time, so that they stay in the L2 cache
    ITEMS_A_THREAD = 4,
    SLICE_BYTES = 1 << 29, // of the sums of all slices, at most
};

// Phases of a tile of atoms: E_c(1).
struct tile {
    const uint32_t *atoms; // [count]
    size_t group, count;
    double re[3][WAV_TILE], im[3][WAV_TILE];
};

struct worker {
    double *y; // [most k + 1][2][WAV_TILE]
    double *z; // [blocks of l][WAV_TILE][2][WAV_LANES]
    size_t y_capacity, z_capacity;
    double x[2][WAV_TILE]; // E_0(h) of the current h
    _Alignas(64) double b[BLOCK][WAV_TILE][2];
    double sum[BLOCK][2][WAV_LANES];
};

enum step { START, PHASES, SUMS };

struct cpu {
    const struct wav_job *job;
    wav_kernel *kernel;
    struct trj_pool *pool;
    struct worker **workers;
    struct tile *tiles;
    size_t tile_count;
    int64_t *sums; // [slices][groups][2][vectors]; the first slice uses `rho`
    size_t sum_capacity;
    struct trj_engine_stats stats;
    // The frame:
    const struct trj_frame *frame;
    const struct wav_vectors *v;
    int64_t *rho;
    size_t slices, chunks;
    int32_t first_l;
    size_t l_blocks;
    enum step step;
};

static const struct trj_pool_work work;

// Returns zeroed memory that is aligned for the kernels.
static void *take_aligned(size_t bytes, struct trj_error *err) {
    size_t size = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    if (memory) return memset(memory, 0, size);
    trj_fail_memory(err, (double)size, "phases");
    return NULL;
}

static void close_cpu(void *engine) {
    struct cpu *e = engine;
    if (!e) return;
    unsigned threads = e->pool ? trj_pool_threads(e->pool) : 0;
    trj_pool_close(e->pool);
    for (unsigned w = 0; e->workers && w < threads; w++) {
        if (e->workers[w]) free(e->workers[w]->y);
        if (e->workers[w]) free(e->workers[w]->z);
        free(e->workers[w]);
    }
    free(e->workers);
    free(e->tiles);
    free(e->sums);
    free(e);
}

static int make_tiles(struct cpu *e, struct trj_error *err) {
    size_t n = 0;
    for (size_t g = 0; g < e->job->group_count; g++)
        if (e->job->used[g]) n += (e->job->groups[g].count + WAV_TILE - 1) / WAV_TILE;
    if (!(e->tiles = trj_alloc(n, sizeof *e->tiles, "tiles", err))) return -1;
    for (size_t g = 0; g < e->job->group_count; g++) {
        const struct trj_group *group = &e->job->groups[g];
        for (size_t i = 0; e->job->used[g] && i < group->count; i += WAV_TILE) {
            struct tile *t = &e->tiles[e->tile_count++];
            t->atoms = group->atoms + i;
            t->group = g;
            t->count = group->count - i < WAV_TILE ? group->count - i : WAV_TILE;
        }
    }
    return 0;
}

static int open_cpu(void **engine, const struct wav_job *job, struct trj_error *err) {
    static wav_kernel *const kernels[TRJ_ISAS] = {
#ifdef __x86_64__
        [TRJ_ISA_AVX512] = wav_kernel_avx512,
        [TRJ_ISA_AVX2] = wav_kernel_avx2,
#endif
        [TRJ_ISA_PLAIN] = wav_kernel_plain,
    };
    enum trj_isa isa;
    struct cpu *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    if (trj_isa_find(&isa, err) || make_tiles(e, err) ||
        trj_pool_open(&e->pool, trj_pool_size(job->threads), 1, &work, e, err))
        goto out;
    e->kernel = kernels[isa];
    e->stats.workers = trj_pool_threads(e->pool);
    if (!(e->workers = trj_alloc(e->stats.workers, sizeof *e->workers, "threads", err))) goto out;
    for (unsigned w = 0; w < e->stats.workers; w++)
        if (!(e->workers[w] = take_aligned(sizeof **e->workers, err))) goto out;
    *engine = e;
    return 0;
out:
    close_cpu(e);
    return -1;
}

// ---- the factors of a tile

static void find_phases(struct cpu *e, struct tile *t) {
    for (size_t j = 0; j < t->count; j++) {
        double x[3];
        rdf_position(e->frame, t->atoms[j], x);
        for (int c = 0; c < 3; c++) wav_phase(wav_fraction(e->v->g[c], x), &t->re[c][j], &t->im[c][j]);
    }
}

// Sets to[2][WAV_TILE] to E(n) from E(n - 1).
static void next_power(const struct tile *t, int c, const double *last, double *to) {
    const double *re = t->re[c], *im = t->im[c];
    for (size_t j = 0; j < WAV_TILE; j++) {
        double x = last[j], y = last[WAV_TILE + j];
        to[j] = x * re[j] - y * im[j];
        to[WAV_TILE + j] = x * im[j] + y * re[j];
    }
}

// Sets to[2][WAV_TILE] to E(0), or for n = 1 to E(1), which the rule does not multiply.
static void first_power(const struct tile *t, int c, int32_t n, double *to) {
    for (size_t j = 0; j < WAV_TILE; j++) {
        to[j] = n ? t->re[c][j] : 1;
        to[WAV_TILE + j] = n ? t->im[c][j] : 0;
    }
}

static void find_powers(const struct tile *t, int c, int32_t max, double *to) {
    for (int32_t n = 0; n <= max; n++, to += 2 * WAV_TILE)
        if (n < 2)
            first_power(t, c, n, to);
        else
            next_power(t, c, to - 2 * WAV_TILE, to);
}

static void find_x(struct worker *w, const struct tile *t, int32_t from, int32_t h) {
    for (int32_t n = from; n <= h; n++)
        if (n < 2)
            first_power(t, 0, n, w->x[0]);
        else
            next_power(t, 0, w->x[0], w->x[0]);
}

// Rounds Z(l) of all l.
static void find_z(const struct cpu *e, struct worker *w, const struct tile *t) {
    const double unit = (double)((uint64_t)1 << (e->job->bits - wav_bits_of_rows(e->job->bits)));
    double power[2 * WAV_TILE] = {0};
    for (int32_t l = 0; l <= e->v->max[2]; l++) {
        if (l < 2)
            first_power(t, 2, l, power);
        else
            next_power(t, 2, power, power);
        for (int sign = l ? -1 : 1; sign <= 1; sign += 2) {
            size_t position = (size_t)(sign * l - e->first_l);
            double *to = w->z + position / WAV_LANES * WAV_TILE * 2 * WAV_LANES + position % WAV_LANES;
            for (size_t j = 0; j < t->count; j++, to += 2 * WAV_LANES) {
                to[0] = wav_round(power[j] * unit);
                to[WAV_LANES] = sign * wav_round(power[WAV_TILE + j] * unit);
            }
        }
    }
}

// Rounds B(h,k) of a row.
static void find_b(const struct cpu *e, struct worker *w, const struct wav_row *r, double b[WAV_TILE][2]) {
    const double unit = (double)((uint64_t)1 << wav_bits_of_rows(e->job->bits)), sign = r->k < 0 ? -1 : 1;
    const double *y = w->y + (size_t)abs(r->k) * 2 * WAV_TILE;
    for (size_t j = 0; j < WAV_TILE; j++) {
        double xr = w->x[0][j], xi = w->x[1][j], yr = y[j], yi = sign * y[WAV_TILE + j];
        b[j][0] = wav_round((xr * yr - xi * yi) * unit);
        b[j][1] = wav_round((xr * yi + xi * yr) * unit);
    }
}

// ---- sums

// Adds the sums of a block of l to those of the rows that contain them.
static void add_sums(const struct cpu *e, const struct worker *w, const struct wav_row *rows, size_t count,
                     size_t block, int64_t *re) {
    int64_t *im = re + e->v->count;
    int32_t low = e->first_l + (int32_t)(block * WAV_LANES);
    for (size_t r = 0; r < count; r++) {
        int32_t begin = rows[r].l > low ? rows[r].l : low, end = rows[r].l + (int32_t)rows[r].count;
        if (end > low + WAV_LANES) end = low + WAV_LANES;
        for (int32_t l = begin; l < end; l++) {
            size_t position = rows[r].first + (size_t)(l - rows[r].l);
            re[position] += (int64_t)w->sum[r][0][l - low];
            im[position] += (int64_t)w->sum[r][1][l - low];
        }
    }
}

// Adds the sums of the rows of a block, whose factors are in w->b.
static void sum_block(const struct cpu *e, struct worker *w, const struct tile *t, const struct wav_row *rows,
                      size_t count, int64_t *re) {
    for (size_t block = 0; block < e->l_blocks; block++)
        for (size_t first = 0; first < count; first += WAV_ROWS) {
            size_t n = count - first < WAV_ROWS ? count - first : WAV_ROWS;
            int32_t low = e->first_l + (int32_t)(block * WAV_LANES);
            bool any = false;
            for (size_t r = first; r < first + n; r++)
                any = any || (rows[r].l < low + WAV_LANES && rows[r].l + (int32_t)rows[r].count > low);
            if (!any) continue;
            e->kernel(WAV_ROWS, w->b[first][0], w->z + block * WAV_TILE * 2 * WAV_LANES, t->count, w->sum[0][0]);
            add_sums(e, w, rows + first, n, block, re);
        }
}

// Adds the amplitudes of a tile for a chunk of rows.
static void sum_tile(const struct cpu *e, struct worker *w, const struct tile *t, size_t chunk, int64_t *rho) {
    size_t end = (chunk + 1) * CHUNK < e->v->row_count ? (chunk + 1) * CHUNK : e->v->row_count;
    int32_t next = 0; // the power of h that is computed next
    find_powers(t, 1, e->v->max[1], w->y);
    find_z(e, w, t);
    for (size_t row = chunk * CHUNK; row < end; row += BLOCK) {
        const struct wav_row *rows = &e->v->rows[row];
        size_t n = end - row < BLOCK ? end - row : BLOCK;
        for (size_t r = 0; r < n; r++) {
            if (rows[r].h + 1 < next) next = 0;
            find_x(w, t, next, rows[r].h);
            next = rows[r].h + 1;
            find_b(e, w, &rows[r], w->b[r]);
        }
        sum_block(e, w, t, rows, n, rho + t->group * 2 * e->v->count);
    }
}

static size_t next_step(void *arg, unsigned worker, unsigned task) {
    struct cpu *e = arg;
    (void)worker;
    (void)task;
    e->step++;
    return e->step == PHASES ? e->tile_count : e->step == SUMS ? e->slices * e->chunks : 0;
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    struct cpu *e = arg;
    (void)task;
    if (e->step == PHASES) {
        find_phases(e, &e->tiles[number]);
        return;
    }
    size_t slice = number / e->chunks, size = e->job->group_count * 2 * e->v->count;
    int64_t *rho = slice ? e->sums + (slice - 1) * size : e->rho;
    for (size_t t = e->tile_count * slice / e->slices; t < e->tile_count * (slice + 1) / e->slices; t++)
        sum_tile(e, e->workers[worker], &e->tiles[t], number % e->chunks, rho);
}

static const struct trj_pool_work work = {next_step, item};

// Chooses the slices, and takes memory for the sums and for the powers of a tile.
static int prepare(struct cpu *e, struct trj_error *err) {
    const struct wav_vectors *v = e->v;
    size_t size = e->job->group_count * 2 * v->count, wanted = ITEMS_A_THREAD * (size_t)e->stats.workers,
           max = SLICE_BYTES / sizeof *e->sums / (size ? size : 1);
    e->chunks = (v->row_count + CHUNK - 1) / CHUNK;
    e->slices = e->chunks ? (wanted + e->chunks - 1) / e->chunks : 1;
    if (e->stats.workers == 1) e->slices = 1;
    if (e->slices > max + 1) e->slices = max + 1;
    if (e->slices > e->tile_count) e->slices = e->tile_count ? e->tile_count : 1;
    e->first_l = -v->max[2];
    e->l_blocks = (2 * (size_t)v->max[2] + WAV_LANES) / WAV_LANES;
    if (trj_grow(&e->sums, &e->sum_capacity, (e->slices - 1) * size, sizeof *e->sums, "amplitudes", err)) return -1;
    if (e->slices > 1) memset(e->sums, 0, (e->slices - 1) * size * sizeof *e->sums);
    memset(e->rho, 0, size * sizeof *e->rho);
    for (unsigned i = 0; i < e->stats.workers; i++) {
        struct worker *w = e->workers[i];
        size_t z = e->l_blocks * WAV_TILE * 2 * WAV_LANES;
        if (trj_grow(&w->y, &w->y_capacity, ((size_t)v->max[1] + 1) * 2 * WAV_TILE, sizeof *w->y, "phases", err))
            return -1;
        if (z <= w->z_capacity) continue;
        free(w->z);
        w->z_capacity = 0;
        if (!(w->z = take_aligned(z * sizeof *w->z, err))) return -1;
        w->z_capacity = z;
    }
    return 0;
}

static int amplitudes(void *engine, const struct trj_frame *f, const struct wav_vectors *v, int64_t *rho,
                      struct trj_error *err) {
    struct cpu *e = engine;
    double began = trj_seconds();
    e->frame = f;
    e->v = v;
    e->rho = rho;
    if (prepare(e, err)) return -1;
    e->step = START;
    trj_pool_start(e->pool, 0);
    trj_pool_finish(e->pool);
    size_t size = e->job->group_count * 2 * v->count;
    for (size_t s = 0; s + 1 < e->slices; s++)
        for (size_t i = 0; i < size; i++) rho[i] += e->sums[s * size + i];
    for (size_t t = 0; t < e->tile_count; t++) e->stats.terms += (double)e->tiles[t].count * (double)v->count;
    e->stats.seconds += trj_seconds() - began;
    return 0;
}

static void stats(void *engine, struct trj_engine_stats *s) {
    *s = ((const struct cpu *)engine)->stats;
}

const struct wav_engine wav_engine_cpu = {
    .kind = TRJ_ENGINE_KIND_CPU,
    .open = open_cpu,
    .amplitudes = amplitudes,
    .stats = stats,
    .close = close_cpu,
};
