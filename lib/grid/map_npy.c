// SPDX-License-Identifier: MIT
// Reads and writes NumPy arrays (numpy.lib.format, versions 1.0 to 3.0) of the shape (n0, n1, n2) or (n0, n1, n2,
// components). The format does not contain the lattice, which is in a second file (map_geometry.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "byte_order.h"
#include "grid_stream_parts.h"
#include "map_format_parts.h"
#include "map_geometry.h"
#include "memory.h"
#include "missing_file.h"
#include "npy_header.h"
#include "number.h"
#include "used_files.h"

enum { MAGIC = 6, HEAD_MAX = 1 << 16, AXES = 4, BUFFER = 1 << 13 };

static const unsigned char magic[MAGIC] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

struct reading {
    char type;   // as in the header: f, u, i or b
    size_t size; // bytes of a value
    bool swap, fortran;
    uint64_t shape[AXES];
    size_t axes;
};

static bool is_npy(const unsigned char *head, size_t n, const struct trj_input *in) {
    (void)in;
    return n >= MAGIC && !memcmp(head, magic, MAGIC);
}

// Reads the fields before the header, and then the header, as a text that the caller frees.
static int read_head(struct trj_map_reader *r, char **text, struct trj_error *err) {
    unsigned char start[MAGIC + 6];
    size_t width;
    uint32_t length = 0;
    if (trj_input_read(r->in, start, MAGIC + 2, "the header", err)) return -1;
    if (memcmp(start, magic, MAGIC) != 0) return trj_fail(err, TRJ_BAD_DATA, "not a NumPy file");
    if (start[MAGIC] < 1 || start[MAGIC] > 3)
        return trj_fail(err, TRJ_BAD_DATA, "unsupported version %d: expected 1 to 3", start[MAGIC]);
    width = start[MAGIC] == 1 ? 2 : 4;
    if (trj_input_read(r->in, start, width, "the header", err)) return -1;
    for (size_t i = width; i--;) length = length << 8 | start[i];
    if (length > HEAD_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "a header of %u bytes: expected at most %d", length, HEAD_MAX);
    if (!(*text = trj_alloc((size_t)length + 1, 1, "a header", err))) return -1;
    return trj_input_read(r->in, *text, length, "the header", err);
}

// Returns what follows "'key':" in the header, without blanks; "" if the key is missing.
static const char *find_key(const char *text, const char *key) {
    const char *p = strstr(text, key);
    if (!p) return "";
    p += strlen(key);
    while (*p == ' ' || *p == ':') p++;
    return p;
}

static int parse_type(struct reading *h, const char *text, struct trj_error *err) {
    const char *p = find_key(text, "'descr'");
    char order = *p == '\'' ? p[1] : 0;
    bool known =
        order && strchr("<>|=", order) && p[2] && strchr("fuib", p[2]) && p[3] && strchr("1248", p[3]) && p[4] == '\'';
    if (known && p[2] == 'f') known = p[3] != '1';
    if (known && p[2] == 'b') known = p[3] == '1';
    if (!known)
        return trj_fail(err, TRJ_BAD_DATA, "unsupported type %.*s of values: expected real numbers, such as '<f4'",
                        (int)strcspn(p, ",}"), p);
    h->type = p[2];
    h->size = (size_t)(p[3] - '0');
    h->swap = order == (trj_host_is_little_endian() ? '>' : '<');
    return 0;
}

static int parse_head(struct reading *h, const char *text, struct trj_error *err) {
    const char *order = find_key(text, "'fortran_order'"), *p = find_key(text, "'shape'");
    h->fortran = !strncmp(order, "True", 4);
    if (parse_type(h, text, err)) return -1;
    if ((!h->fortran && strncmp(order, "False", 5) != 0) || *p != '(')
        return trj_fail(err, TRJ_BAD_DATA, "invalid header: 'fortran_order' or 'shape' is missing");
    for (p++; *p && *p != ')'; h->axes++) {
        int64_t n;
        if (h->axes == AXES || !(p = trj_scan_i64(p, &n)) || n < 1)
            return trj_fail(err, TRJ_BAD_DATA, "unsupported shape: expected three or four axes of at least 1");
        h->shape[h->axes] = (uint64_t)n;
        while (*p == ',' || *p == ' ') p++;
    }
    if (h->axes < 3 || (h->fortran && h->axes > 3))
        return trj_fail(err, TRJ_BAD_DATA, "unsupported shape: %zu axes%s, expected three, or four in C order", h->axes,
                        h->fortran ? " in Fortran order" : "");
    return 0;
}

// Sets the map from the second file, whose shape must be that of the array.
static int set_map(struct trj_map_reader *r, struct trj_error *err) {
    const struct reading *h = r->state;
    const char *name = trj_input_name(r->in);
    char *path = r->setup.geometry ? trj_copy_text(r->setup.geometry, err) : trj_map_geometry_path(name, err);
    r->map = (struct trj_map){.quantity = NULL};
    int rc = path ? trj_map_geometry_read(&r->map, path, err) : -1;
    if (rc && path)
        trj_error_append(err, "; a NumPy file requires a second file with its lattice, such as "
                              "{\"origin\": [0, 0, 0], \"steps\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]} in Å");
    free(path);
    if (rc) return -1;
    struct trj_map_lattice *l = &r->map.lattice;
    uint64_t components = h->axes == 4 ? h->shape[3] : 1;
    bool given = l->n[0] || l->n[1] || l->n[2];
    if ((given && memcmp(l->n, h->shape, sizeof l->n) != 0) || components > TRJ_MAP_COMPONENTS_MAX ||
        (r->map.components ? r->map.components != components : h->axes == 4))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the shape of the array differs from that in its second file: expected three axes, and a "
                        "fourth if the file gives \"components\"");
    memcpy(l->n, h->shape, sizeof l->n);
    r->map.components = (uint32_t)components;
    return 0;
}

static int open_npy(struct trj_map_reader *r, struct trj_error *err) {
    struct reading *h = r->state;
    char *text = NULL;
    int rc = read_head(r, &text, err) || parse_head(h, text, err) || set_map(r, err) ? -1 : 0;
    free(text);
    if (rc) return -1;
    r->order = h->fortran ? trj_map_order_ours : trj_map_order_reversed;
    r->map.kind = h->type == 'f' ? (h->size == 8 ? TRJ_MAP_FLOAT64 : TRJ_MAP_FLOAT32)
                                 : (h->type == 'i' ? TRJ_MAP_QUANTA : TRJ_MAP_COUNTS);
    if (r->map.kind != TRJ_MAP_QUANTA)
        r->map.quantum = 0;
    else if (r->map.quantum == 0)
        r->map.quantum = 1;
    return trj_map_lattice_check(&r->map.lattice, err) ||
                   trj_input_check_left(r->in, trj_map_lattice_points(&r->map.lattice) * r->map.components * h->size,
                                        "the values", err)
               ? -1
               : 0;
}

// Stores value i in the type of the map's kind.
static void convert(const struct reading *h, const unsigned char *from, void *to, size_t i) {
    uint64_t bits = 0, sign = 0;
    for (size_t b = 0; b < h->size; b++) {
        bits |= (uint64_t)from[h->swap == trj_host_is_little_endian() ? h->size - 1 - b : b] << 8 * b;
        sign = (uint64_t)0x80 << 8 * b;
    }
    if (h->type == 'f' && h->size == 2) {
        ((float *)to)[i] = trj_map_half((uint16_t)bits);
    } else if (h->size == 4 && h->type == 'f') {
        uint32_t low = (uint32_t)bits;
        memcpy((float *)to + i, &low, sizeof low);
    } else if (h->type == 'i') {
        ((int64_t *)to)[i] = (int64_t)((bits ^ sign) - sign);
    } else {
        memcpy((uint64_t *)to + i, &bits, sizeof bits);
    }
}

static int read_npy(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err) {
    const struct reading *h = r->state;
    const uint64_t *n = r->map.lattice.n;
    unsigned char bytes[8 * BUFFER], *to = values;
    uint64_t left = planes * n[r->order.axis[0]] * n[r->order.axis[1]] * r->map.components;
    for (size_t some; left; left -= some, to += some * trj_map_value_size(r->map.kind)) {
        some = left < BUFFER ? left : BUFFER;
        if (trj_input_read(r->in, bytes, some * h->size, "the values", err)) return -1;
        for (size_t i = 0; i < some; i++) convert(h, bytes + i * h->size, to, i);
    }
    return 0;
}

struct writing {
    char *geometry; // path; NULL: none
};

// Fails if the second file would replace a file that is not one. An empty file is no loss.
static int check_replaced(const char *path, struct trj_error *err) {
    struct trj_map found = {.quantity = NULL};
    struct stat status;
    if (stat(path, &status)) return trj_file_is_missing() ? 0 : trj_fail_errno(err, "%s", path);
    if (!S_ISREG(status.st_mode) || !status.st_size) return 0;
    int rc = trj_map_geometry_read(&found, path, err);
    trj_used_files_remove_input(trj_file_id(&status));
    trj_map_free(&found);
    return rc ? trj_fail_remedy(err, "this file exists and would be replaced by the lattice of the map; move it, or "
                                     "choose another name for the map")
              : 0;
}

static int create_npy(struct trj_map_writer *w, struct trj_error *err) {
    static const char *const types[] = {"<f4", "<f8", "<i8", "<u8"};
    struct writing *s = w->state;
    const uint64_t *n = w->map->lattice.n;
    const uint64_t shape[TRJ_NPY_AXES_MAX] = {n[0], n[1], n[2], w->map->components};
    if (w->setup.path && !trj_output_is_stdout(w->setup.path) &&
        (!(s->geometry = trj_map_geometry_path(w->setup.path, err)) || check_replaced(s->geometry, err)))
        return -1;
    return trj_npy_write_header(w->out, types[w->map->kind], shape, w->map->components > 1 ? 4 : 3, err);
}

static int write_npy(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err) {
    struct trj_bytes b = {0};
    const unsigned char *from = values;
    size_t size = trj_map_value_size(w->map->kind);
    uint64_t left = planes * w->map->lattice.n[1] * w->map->lattice.n[2] * w->map->components;
    int rc = 0;
    for (size_t some; !rc && left; left -= some, from += some * size) {
        some = left < BUFFER ? left : BUFFER;
        b.size = 0;
        trj_grid_put_values(&b, w->map, TRJ_GRID_VALUES, from, some);
        rc = b.failed ? trj_fail_memory(err, 0, "a file") : trj_output_write(w->out, b.data, b.size, err);
    }
    trj_bytes_free(&b);
    return rc;
}

static int finish_npy(struct trj_map_writer *w, struct trj_error *err) {
    const struct writing *s = w->state;
    if (!s->geometry) {
        trj_map_note(&w->notes,
                     "the lattice is not stored, because an npy file in a pipe has no second file; use -o FILE");
        return 0;
    }
    const char *slash = strrchr(s->geometry, '/');
    trj_map_note(&w->notes, "the lattice is in the file %.200s, in the folder of the map",
                 slash ? slash + 1 : s->geometry);
    return trj_map_geometry_write(w->map, s->geometry, w->out, err);
}

static void destroy_npy(struct trj_map_writer *w) {
    struct writing *s = w->state;
    free(s->geometry);
}

const struct trj_map_format trj_map_npy = {
    .name = "npy",
    .title = "NumPy",
    .help = "NumPy, with the lattice in a second file",
    .endings = {".npy"},
    .kind = TRJ_OUTPUT_BINARY,
    .order = {{2, 1, 0}},
    .periods = true,
    .reader_state = sizeof(struct reading),
    .writer_state = sizeof(struct writing),
    .is = is_npy,
    .open = open_npy,
    .read = read_npy,
    .end = trj_map_check_end,
    .create = create_npy,
    .write = write_npy,
    .finish = finish_npy,
    .destroy = destroy_npy,
};
