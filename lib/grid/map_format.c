// SPDX-License-Identifier: MIT
// Passes planes between formats and callers in one order, and stores a map only if its file has another order of axes.
#include "map_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_format_parts.h"
#include "map_means.h"
#include "memory.h"

enum { MAX_FORMATS = 31 };

const struct trj_choice *trj_map_format_choices(void) {
    static struct trj_choice choices[MAX_FORMATS + 1];
    for (size_t i = 0; i < MAX_FORMATS && trj_map_formats[i]; i++)
        choices[i] = (struct trj_choice){trj_map_formats[i]->name, trj_map_formats[i]->help};
    return choices;
}

// Appends an item of a list to text[TRJ_MAP_TITLES], whose length is n. Returns the new length.
static size_t append(char *text, size_t n, const char *separator, const char *item) {
    int more = n < TRJ_MAP_TITLES ? snprintf(text + n, TRJ_MAP_TITLES - n, "%s%s", separator, item) : 0;
    return n + (size_t)more;
}

const char *trj_map_format_titles(char *text, const char *other, const char *last) {
    size_t n = 0;
    *text = 0;
    for (const struct trj_map_format *const *f = trj_map_formats + 1; *f; f++) {
        n = append(text, n, !n ? "" : f[1] ? ", " : last, (*f)->title);
        if (other && (*f)->other_title) n = append(text, n, other, (*f)->other_title);
    }
    return text;
}

const struct trj_map_format *trj_map_format_of_name(const char *path) {
    for (size_t i = 0; path && trj_map_formats[i]; i++)
        for (size_t k = 0; trj_map_formats[i]->endings[k]; k++)
            if (trj_name_ends_in(path, trj_map_formats[i]->endings[k])) return trj_map_formats[i];
    return NULL;
}

int trj_map_format_choose(const struct trj_map_format **format, const char *name, const char *path,
                          struct trj_error *err) {
    const struct trj_map_format *ending = trj_map_format_of_name(path);
    size_t i = 0;
    *format = ending ? ending : trj_map_formats[0];
    char endings[TRJ_MAP_TITLES], names[TRJ_MAP_TITLES];
    for (size_t k = 0, n = 0, m = 0; trj_map_formats[k]; k++) {
        n = append(endings, n, k ? ", " : "", trj_map_formats[k]->endings[0]);
        m = append(names, m, !k ? "" : trj_map_formats[k + 1] ? ", " : " or ", trj_map_formats[k]->name);
    }
    if (trj_output_check_ending(path, ending || name, endings, err)) return -1;
    if (!name) return 0;
    while (trj_map_formats[i] && strcmp(trj_map_formats[i]->name, name) != 0) i++;
    if (!trj_map_formats[i]) return trj_fail(err, TRJ_USAGE, "unknown format '%s': expected %s", name, names);
    if (ending && ending != trj_map_formats[i])
        return trj_fail(err, TRJ_USAGE, "the format '%s' contradicts the name %s; change one of them", name, path);
    *format = trj_map_formats[i];
    return 0;
}

static size_t file_plane_size(const struct trj_map *m, struct trj_map_order order) {
    return m->lattice.n[order.axis[0]] * m->lattice.n[order.axis[1]] * trj_map_point_size(m);
}

// Also checks the planes of the file, which may have other axes.
static int check_map(const struct trj_map *m, struct trj_map_order order, struct trj_error *err) {
    if (trj_map_check(m, err)) return -1;
    if (m->lattice.n[order.axis[0]] * m->lattice.n[order.axis[1]] <= TRJ_MAP_PLANE_MAX &&
        file_plane_size(m, order) <= TRJ_MAP_PLANE_MAX)
        return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "%llu x %llu x %llu points are too many for the axis order of this format: expected planes of at most "
        "2^28 bytes; use trjg",
        (unsigned long long)m->lattice.n[0], (unsigned long long)m->lattice.n[1], (unsigned long long)m->lattice.n[2]);
}

// ---- reading

const struct trj_map_format *trj_map_format_of(const unsigned char *head, size_t n, const struct trj_input *in) {
    for (size_t i = 0; trj_map_formats[i]; i++)
        if (trj_map_formats[i]->is(head, n, in)) return trj_map_formats[i];
    return NULL;
}

// Fails for a file of an unknown format, whose first n bytes are `head`.
static int fail_unknown(const unsigned char *head, size_t n, struct trj_error *err) {
    if (!n) return trj_fail(err, TRJ_BAD_DATA, "is empty; check the program that writes it, and run it again");
    // The letters of the magic differ between the kinds of block streams.
    if (n >= 8 && head[0] == 0x89 && !memcmp(head + 4, "\r\n\x1a\n", 4) && memcmp(head + 1, "PNG", 3) != 0)
        return trj_fail(err, TRJ_BAD_DATA, "is a stream of frames or histograms, which contains no map; use trjinfo");
    char titles[TRJ_MAP_TITLES];
    return trj_fail(err, TRJ_BAD_DATA,
                    "is not a map in a known format: expected a grid stream, %s; for trajectories and topologies, use "
                    "trjinfo",
                    trj_map_format_titles(titles, " or ", " or "));
}

static int detect(struct trj_map_reader *r, struct trj_error *err) {
    const unsigned char *head;
    size_t got;
    if (r->setup.format) {
        r->format = r->setup.format;
        return 0;
    }
    if (trj_input_peek(r->in, &head, 4096, &got, err)) return -1;
    r->format = trj_map_format_of(head, got, r->in);
    return r->format ? 0 : fail_unknown(head, got, err);
}

static int add_texts(struct trj_map *m, struct trj_error *err) {
    if (!m->quantity && !(m->quantity = trj_copy_text("", err))) return -1;
    return m->unit || (m->unit = trj_copy_text("", err)) ? 0 : -1;
}

int trj_map_reader_open(struct trj_map_reader **result, struct trj_input *in, const struct trj_map_reader_setup *setup,
                        struct trj_error *err) {
    struct trj_map_reader *r = trj_alloc(1, sizeof *r, "a map", err);
    if (!r) {
        trj_input_close(in);
        return -1;
    }
    r->in = in;
    if (setup) r->setup = *setup;
    r->order = trj_map_order_ours;
    r->map.components = 1;
    if (detect(r, err)) goto out;
    if (!(r->state = trj_alloc(1, r->format->reader_state, "a map", err))) goto out;
    if (r->format->open(r, err)) goto out;
    if (add_texts(&r->map, err)) goto out;
    if (check_map(&r->map, r->order, err)) goto out;
    if (trj_map_means(&r->means, &r->factor, &r->map, r->record.sum, r->setup.totals, err)) goto out;
    *result = r;
    return 0;
out:
    trj_map_reader_close(r);
    return trj_fail_remedy(err, "create the file again");
}

void trj_map_reader_close(struct trj_map_reader *r) {
    if (!r) return;
    if (r->state && r->format->close) r->format->close(r);
    trj_map_reorder_close(r->store);
    trj_map_free(&r->map);
    trj_map_free(&r->means);
    trj_input_close(r->in);
    free(r->slab);
    free(r->state);
    free(r);
}

static uint64_t file_planes(const struct trj_map_reader *r) {
    return r->map.lattice.n[r->order.axis[2]];
}

// Returns how many planes of the file are read at a time: about TRJ_MAP_SLAB bytes.
static uint64_t slab_planes(const struct trj_map *m, struct trj_map_order order, uint64_t max) {
    uint64_t planes = TRJ_MAP_SLAB / file_plane_size(m, order);
    if (planes > max) planes = max;
    return planes ? planes : 1;
}

// Reads planes of the file, and checks the end of the file after the last one.
static int read_file(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    if (r->format->read(r, values, planes, err)) return -1;
    r->planes += planes;
    return r->planes == file_planes(r) && r->format->end ? r->format->end(r, err) : 0;
}

static int read_to_slab(struct trj_map_reader *r, uint64_t planes, struct trj_error *err) {
    size_t bytes = planes * file_plane_size(&r->map, r->order);
    return trj_grow(&r->slab, &r->slab_capacity, bytes, 1, "a slab", err) ? -1 : read_file(r, r->slab, planes, err);
}

// Stores all planes of a file whose slowest axis is not axis 2.
static int fill_store(struct trj_map_reader *r, struct trj_error *err) {
    if (trj_map_reorder_open(&r->store, r->map.lattice.n, r->order, trj_map_order_ours, trj_map_point_size(&r->map),
                             err))
        return -1;
    while (r->planes < file_planes(r)) {
        uint64_t some = slab_planes(&r->map, r->order, file_planes(r) - r->planes);
        if (read_to_slab(r, some, err) || trj_map_reorder_put(r->store, r->slab, some, err)) return -1;
    }
    return 0;
}

// Reads planes of a file whose slowest axis is axis 2, and exchanges the other axes.
static int read_exchanged(struct trj_map_reader *r, unsigned char *to, uint64_t planes, struct trj_error *err) {
    uint64_t box[3];
    memcpy(box, r->map.lattice.n, sizeof box);
    for (; planes; planes -= box[2]) {
        box[2] = slab_planes(&r->map, r->order, planes);
        if (read_to_slab(r, box[2], err)) return -1;
        trj_map_permute(box, r->order, trj_map_order_ours, trj_map_point_size(&r->map), r->slab, to);
        to += box[2] * trj_map_plane_size(&r->map);
    }
    return 0;
}

static int read_planes(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    if (planes > r->map.lattice.n[2] - r->given)
        return trj_fail(err, TRJ_FAILED, "more planes were requested than the map has");
    uint64_t first = r->given;
    r->given += planes;
    if (trj_map_order_same(r->order, trj_map_order_ours)) return planes ? read_file(r, values, planes, err) : 0;
    if (r->order.axis[2] == 2) return read_exchanged(r, values, planes, err);
    if (!r->store && fill_store(r, err)) return -1;
    return trj_map_reorder_get(r->store, first, planes, values, err);
}

int trj_map_reader_read(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    return read_planes(r, values, planes, err) ? trj_fail_remedy(err, "create the file again") : 0;
}

void trj_map_reader_to_real(const struct trj_map_reader *r, const void *values, size_t n, double *to) {
    trj_grid_record_to_real(&r->record, &r->map, values, n, to);
    bool converted = r->means.meaning != r->map.meaning;
    for (size_t i = 0; converted && i < n; i++) to[i] *= r->factor;
}

int trj_map_reader_pass(struct trj_map_reader *r, bool means, trj_map_take *take, void *arg, struct trj_error *err) {
    uint64_t max = trj_map_slab_planes(&r->map), values = trj_map_plane_values(&r->map), all = r->map.lattice.n[2];
    void *slab = trj_alloc(max, trj_map_plane_size(&r->map), "a slab", err);
    double *real = slab && means ? trj_alloc(max * values, sizeof *real, "a slab", err) : NULL;
    int rc = slab && (real || !means) ? 0 : -1;
    for (uint64_t some; !rc && r->given < all;) {
        some = all - r->given < max ? all - r->given : max;
        rc = trj_map_reader_read(r, slab, some, err);
        if (!rc && means) trj_map_reader_to_real(r, slab, some * values, real);
        if (!rc) rc = take(arg, means ? real : slab, some, err);
    }
    free(slab);
    free(real);
    return rc;
}

static int next_map(struct trj_map_reader *r, struct trj_error *err) {
    if (r->format->next) return r->format->next(r, err);
    while (r->maps && r->planes < file_planes(r)) {
        uint64_t some = slab_planes(&r->map, r->order, file_planes(r) - r->planes);
        if (read_to_slab(r, some, err)) return -1;
    }
    return !r->maps;
}

int trj_map_reader_next(struct trj_map_reader *r, struct trj_error *err) {
    bool sum = r->record.sum; // as r->means expects
    int rc = next_map(r, err);
    if (rc < 0) return trj_fail_remedy(err, "create the file again");
    if (!rc) return 0;
    if (r->record.sum != sum && r->map.meaning == TRJ_MAP_TOTALS)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "record %llu: the stream contains totals summed over frames and others; convert the records one by "
            "one, with mapconv --record",
            (unsigned long long)r->maps);
    r->means.error_bound = r->map.error_bound * r->factor;
    r->maps++;
    r->planes = r->given = 0;
    return 1;
}

int trj_map_read_lattice(struct trj_map_lattice *l, const char *path, const struct trj_map_reader_setup *setup,
                         struct trj_error *err) {
    struct trj_input *in;
    struct trj_map_reader *r;
    if (trj_input_open(&in, path, err)) return -1;
    if (trj_map_reader_open(&r, in, setup, err)) return trj_fail_at(err, "%s", strcmp(path, "-") != 0 ? path : "stdin");
    *l = r->map.lattice;
    trj_map_reader_close(r);
    return 0;
}

// ---- writing

int trj_map_writer_open(struct trj_map_writer **result, const struct trj_map_format *format, struct trj_output *out,
                        const struct trj_map *map, const struct trj_map_writer_setup *setup, struct trj_error *err) {
    if (check_map(map, format->order, err)) return -1;
    if (format->scalar && map->components > 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%u components, but %s has one value for each point; write cube, npy or trjg", map->components,
                        format->name);
    struct trj_map_writer *w = trj_alloc(1, sizeof *w, "a map", err);
    if (!w) return -1;
    w->format = format;
    w->out = out;
    w->map = map;
    if (setup) w->setup = *setup;
    if (map->lattice.periodic && !format->periods)
        trj_map_note(&w->notes,
                     "%s does not state which axes are periodic; write trjg or npy, or declare them when the file is "
                     "read: mapconv --periodic %s",
                     format->name, trj_periodic_name(map->lattice.periodic));
    if (!w->setup.program) w->setup.program = "trjpipe " TRJPIPE_VERSION;
    if (!(w->state = trj_alloc(1, format->writer_state, "a map", err)) || format->create(w, err)) {
        trj_map_writer_close(w);
        return -1;
    }
    *result = w;
    return 0;
}

void trj_map_writer_close(struct trj_map_writer *w) {
    if (!w) return;
    if (w->state && w->format->destroy) w->format->destroy(w);
    trj_map_reorder_close(w->store);
    free(w->slab);
    free(w->state);
    free(w);
}

int trj_map_writer_begin(struct trj_map_writer *w, const struct trj_grid_record *record, struct trj_error *err) {
    static const struct trj_grid_record none;
    if (w->maps && !w->format->series)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "a second map, but the format %s stores one map in a file; write trjg, or one file for each map; "
            "mapsum --mean computes the mean of records",
            w->format->name);
    if (w->maps && w->planes < w->map->lattice.n[2])
        return trj_fail(err, TRJ_FAILED, "map %llu is incomplete", (unsigned long long)w->maps - 1);
    w->maps++;
    w->planes = 0;
    return w->format->begin ? w->format->begin(w, record ? record : &none, err) : 0;
}

// Writes a stored map in the order of the file.
static int write_store(struct trj_map_writer *w, struct trj_error *err) {
    uint64_t all = w->map->lattice.n[w->format->order.axis[2]];
    for (uint64_t first = 0, some; first < all; first += some) {
        some = slab_planes(w->map, w->format->order, all - first);
        size_t bytes = some * file_plane_size(w->map, w->format->order);
        if (trj_grow(&w->slab, &w->slab_capacity, bytes, 1, "a slab", err) ||
            trj_map_reorder_get(w->store, first, some, w->slab, err) || w->format->write(w, w->slab, some, err))
            return -1;
    }
    return 0;
}

int trj_map_writer_write(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err) {
    if (planes > (w->maps ? w->map->lattice.n[2] - w->planes : 0))
        return trj_fail(err, TRJ_FAILED, "more planes than the map has");
    w->planes += planes;
    if (trj_map_order_same(w->format->order, trj_map_order_ours)) return w->format->write(w, values, planes, err);
    if (!w->store && trj_map_reorder_open(&w->store, w->map->lattice.n, trj_map_order_ours, w->format->order,
                                          trj_map_point_size(w->map), err))
        return -1;
    return trj_map_reorder_put(w->store, values, planes, err);
}

int trj_map_writer_finish(struct trj_map_writer *w, struct trj_error *err) {
    if (!w->maps || w->planes < w->map->lattice.n[2])
        return trj_fail(err, TRJ_BAD_DATA, "the map has %llu of %llu planes",
                        (unsigned long long)(w->maps ? w->planes : 0), (unsigned long long)w->map->lattice.n[2]);
    if (w->store && write_store(w, err)) return -1;
    return w->format->finish ? w->format->finish(w, err) : 0;
}
