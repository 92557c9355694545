// SPDX-License-Identifier: MIT
// Writes set-up and records; optional blocks precede their record, so that older readers can skip them.
#include "hist_stream.h"

#include <math.h>
#include <stdlib.h>

#include "block_stream.h"
#include "common_blocks.h"
#include "hist_parts.h"
#include "memory.h"

enum { ZSTD_LEVEL = 3 }; // counts are small numbers of 8 bytes each, which zstd compresses to a third or less

struct rdf_hist_writer {
    const struct rdf_setup *setup;
    const struct trj_stream_header *origin;
    struct trj_output *out;
    struct trj_block_writer *blocks;
    size_t sources_written;
    uint64_t records, frames, pairs_counted;
};

static int write_setup(struct rdf_hist_writer *w, struct trj_error *err) {
    struct trj_bytes b = {0};
    int rc = 0;
    for (size_t i = 0; !rc && i < RDF_SETUP_BLOCKS; i++) {
        const struct rdf_setup_block *block = &rdf_setup_blocks[i];
        if (block->present && !block->present(w->setup)) continue;
        b.size = 0;
        block->put(&b, w->setup);
        rc = trj_block_write_limited(w->blocks, block->type, block->required, &b, block->max(w->setup), err);
    }
    trj_bytes_free(&b);
    return rc ? rc : trj_block_write_provenance(w->blocks, w->origin->provenance, w->origin->provenance_count, err);
}

int rdf_hist_writer_open(struct rdf_hist_writer **result, struct trj_output *out, const struct rdf_setup *setup,
                         const struct trj_stream_header *origin, struct trj_error *err) {
    struct rdf_hist_writer *w = trj_alloc(1, sizeof *w, "a stream", err);
    if (!w) return -1;
    w->out = out;
    w->setup = setup;
    w->origin = origin;
    if (trj_block_writer_open(&w->blocks, out, &rdf_hist_kind, ZSTD_LEVEL, err) || write_setup(w, err)) {
        rdf_hist_writer_close(w);
        return -1;
    }
    *result = w;
    return 0;
}

void rdf_hist_writer_close(struct rdf_hist_writer *w) {
    if (!w) return;
    trj_block_writer_close(w->blocks);
    free(w);
}

static void put_sums(struct trj_bytes *b, const struct rdf_setup *s, const struct rdf_record *r) {
    trj_put_u64s(b, r->group_atoms, s->group_count);
    for (size_t p = 0; p < s->pair_count; p++) {
        trj_put_u64s(b, r->pair_sums[p].pairs.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->pair_sums[p].product.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->pair_sums[p].pair_density.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->pair_sums[p].product_density.limb, TRJ_EXACT_LIMBS);
    }
    for (size_t p = 0; s->exclusion && p < s->pair_count; p++) {
        trj_put_u64s(b, r->pair_sums[p].excluded.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->pair_sums[p].excluded_density.limb, TRJ_EXACT_LIMBS);
    }
}

// Writes the fields of the blocks NEIG and TRIP.
static void put_neighbours(struct trj_bytes *b, const struct rdf_setup *s, const struct rdf_record *r) {
    if (r->neighbours) {
        trj_put_u64(b, r->transitions);
        trj_put_u64s(b, r->transition_time.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->neighbours, s->pair_count * rdf_neighbour_row(&s->neighbours));
    }
    for (size_t t = 0; t < s->triplets.count; t++) {
        size_t row = rdf_triplet_row(&s->triplets);
        trj_put_u64s(b, r->triplet_density[t].limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->triplets + t * row, row);
    }
}

static void put_wide(struct trj_bytes *b, const rdf_wide *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        trj_put_u64(b, (uint64_t)x[i]);
        trj_put_u64(b, (uint64_t)(x[i] >> 64));
    }
}

// Writes the fields of the block SURF.
static void put_surface(struct trj_bytes *b, const struct rdf_setup *s, const struct rdf_record *r) {
    trj_put_u64s(b, r->surface, s->pair_count * rdf_setup_surface_row(s));
    put_wide(b, r->surface_points, s->pair_count * rdf_setup_surface_bins(s));
}

// Writes the fields of the block WAVE.
static void put_waves(struct trj_bytes *b, const struct rdf_setup *s, const struct rdf_record *r) {
    size_t row = rdf_setup_wave_row(s);
    trj_put_u64s(b, r->wave_vectors, row);
    put_wide(b, r->wave_lengths, row);
    put_wide(b, r->wave_products, s->pair_count * row);
}

// Writes the block SPAC, which precedes its record. It is optional for readers.
static int write_spacing(struct rdf_hist_writer *w, struct trj_bytes *b, const struct rdf_record *r,
                         struct trj_error *err) {
    b->size = 0;
    for (int k = 0; k < 3; k++) {
        trj_put_f64(b, r->spacing_min[k]);
        trj_put_f64(b, r->spacing_max[k]);
    }
    return trj_block_write(w->blocks, "SPAC", false, b, err);
}

// Writes the block TIME, as above.
static int write_times(struct rdf_hist_writer *w, struct trj_bytes *b, const struct rdf_record *r,
                       struct trj_error *err) {
    b->size = 0;
    trj_put_f64(b, r->first_time);
    trj_put_f64(b, r->last_time);
    return trj_block_write(w->blocks, "TIME", false, b, err);
}

int rdf_hist_write(struct rdf_hist_writer *w, const struct rdf_record *r, struct trj_error *err) {
    struct trj_bytes b = {0};
    int rc = 0;
    size_t n = w->setup->pair_count * rdf_bins_cells(&w->setup->bins),
           sources = 0; // sources: up to the last one that is used
    for (size_t i = 0; i < r->run_count; i++)
        if (r->runs[i].source >= sources) sources = (size_t)r->runs[i].source + 1;
    for (; !rc && w->sources_written < sources; w->sources_written++) {
        const struct trj_source *s = &w->origin->sources[w->sources_written];
        rc = trj_block_write_source(w->blocks, s->name, s->fingerprint, err);
    }
    if (!rc && r->spacing_min[0] > 0) rc = write_spacing(w, &b, r, err);
    if (!rc && isfinite(r->first_time) && isfinite(r->last_time)) rc = write_times(w, &b, r, err);
    b.size = 0;
    trj_put_u64(&b, r->frames);
    trj_put_u64(&b, r->volume_frames);
    trj_put_u64s(&b, r->volume.limb, TRJ_EXACT_LIMBS);
    trj_put_u64s(&b, r->inverse_volume.limb, TRJ_EXACT_LIMBS);
    trj_put_f64(&b, r->volume_min);
    trj_put_f64(&b, r->volume_max);
    trj_put_f64(&b, r->height_min);
    trj_put_f64(&b, r->height_max);
    trj_put_u32(&b, r->periodic_all);
    trj_put_u32(&b, r->periodic_any);
    trj_frame_runs_put(&b, r->runs, r->run_count);
    trj_put_u64s(&b, r->counts, n);
    if (w->setup->exclusion) trj_put_u64s(&b, r->excluded, n);
    if (r->pair_sums) put_sums(&b, w->setup, r);
    if (w->setup->lag.frames) {
        trj_put_f64(&b, r->step);
        trj_put_u64s(&b, r->own, w->setup->pair_count);
        trj_put_u64s(&b, r->moved, n);
    }
    if (rdf_metric_has_density(&w->setup->bins.metric)) {
        trj_put_u64(&b, r->density_frames);
        for (size_t p = 0; p < w->setup->pair_count; p++) trj_put_u64s(&b, r->densities[p].limb, TRJ_EXACT_LIMBS);
    }
    put_neighbours(&b, w->setup, r);
    if (r->surface) put_surface(&b, w->setup, r);
    if (r->wave_vectors) put_waves(&b, w->setup, r);
    uint64_t max = rdf_hist_max_of_record(w->setup, w->setup->pair_count);
    if (!rc) rc = trj_block_write_limited(w->blocks, "RECO", true, &b, max, err);
    w->records++;
    w->frames += r->frames;
    for (size_t i = 0; i < n; i++) w->pairs_counted += r->counts[i];
    trj_bytes_free(&b);
    return rc;
}

int rdf_hist_writer_flush(struct rdf_hist_writer *w, struct trj_error *err) {
    return trj_block_writer_flush(w->blocks, err) || trj_output_flush(w->out, err) ? -1 : 0;
}

int rdf_hist_writer_finish(struct rdf_hist_writer *w, struct trj_error *err) {
    struct trj_bytes b = {0};
    trj_put_u64(&b, w->records);
    trj_put_u64(&b, w->frames);
    trj_put_u64(&b, w->pairs_counted);
    int rc = trj_block_write(w->blocks, "END!", true, &b, err);
    trj_bytes_free(&b);
    return rc;
}
