// SPDX-License-Identifier: MIT
// Reads and writes the JSON file beside a NumPy array, because .npy has no place for lattice and units.
#include "map_geometry.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "decimal.h"
#include "input.h"
#include "json.h"
#include "memory.h"
#include "number.h"
#include "output.h"

enum { FILE_MAX = 1 << 16, NUMBERS = 9 };

static const char *const meanings[TRJ_MAP_MEANINGS] = {"samples", "means", "totals"};

char *trj_map_geometry_path(const char *npy, struct trj_error *err) {
    const char *name = strrchr(npy, '/'), *ending;
    size_t n = strlen(npy);
    // The suffix of a compressed file may follow the ending.
    for (ending = name ? name : npy; (ending = strchr(ending, '.')); ending++)
        if (!strncasecmp(ending, ".npy", 4) && (!ending[4] || ending[4] == '.')) n = (size_t)(ending - npy);
    char *path = trj_alloc(n + sizeof ".json", 1, "a path", err);
    if (path) snprintf(path, n + sizeof ".json", "%.*s.json", (int)n, npy);
    return path;
}

// ---- JSON (RFC 8259): one object, whose values are numbers, texts, or arrays of numbers, which may be nested

struct value {
    double number[NUMBERS];
    size_t count; // of numbers
    char *text;   // NULL: not a text; points into the file, and is NUL-terminated in place
};

static char *skip_blanks(char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') p++;
    return p;
}

// Reads the four digits of an escape \uXXXX, which Python writes for characters beyond ASCII, and stores the character
// as UTF-8. Returns the number of bytes, or 0 if the escape is invalid, as surrogates are here.
static size_t scan_escape(const char *p, char to[3]) {
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)p[i])) return 0;
        code = 16 * code + (unsigned)(p[i] <= '9' ? p[i] - '0' : (p[i] | 32) - 'a' + 10);
    }
    if (code < ' ' || (code >= 0xd800 && code < 0xe000)) return 0;
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    for (size_t i = n; i-- > 1; code >>= 6) to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(n == 1 ? code : n == 2 ? 0xc0 | code : 0xe0 | code);
    return n;
}

// Returns what follows the text, or NULL. The only valid escapes are \", \\ and \uXXXX.
static char *scan_text(char *p, char **text) {
    char *to = *text = ++p;
    for (; *p && *p != '"'; p++) {
        if (*p == '\\' && *++p == 'u') {
            size_t n = scan_escape(p + 1, to); // shorter than the escape
            if (!n) return NULL;
            to += n;
            p += 4;
            continue;
        }
        if (p[-1] == '\\' && *p != '"' && *p != '\\') return NULL;
        *to++ = *p;
    }
    if (!*p) return NULL;
    *to = 0;
    return p + 1;
}

static char *scan_number(char *p, struct value *v) {
    double x = *p == 't';
    const char *end = NULL;
    if (!strncmp(p, "true", 4))
        end = p + 4;
    else if (!strncmp(p, "false", 5))
        end = p + 5;
    else
        end = trj_scan_real(p, &x);
    if (!end || v->count == NUMBERS) return NULL;
    v->number[v->count++] = x;
    return p + (end - p);
}

// Adds the numbers of an array and of the arrays in it. Returns what follows the array, or NULL.
static char *scan_array(char *p, struct value *v) {
    int depth = 0;
    do {
        p = skip_blanks(p);
        if (*p == '[' || *p == ']') {
            depth += *p++ == '[' ? 1 : -1;
        } else if (*p == ',') {
            p++;
        } else if (!(p = scan_number(p, v))) {
            return NULL;
        }
    } while (depth > 0);
    return p;
}

static char *scan_value(char *p, struct value *v) {
    *v = (struct value){.count = 0};
    p = skip_blanks(p);
    return *p == '"' ? scan_text(p, &v->text) : *p == '[' ? scan_array(p, v) : scan_number(p, v);
}

static int take_text(char **to, const struct value *v, struct trj_error *err) {
    free(*to);
    return (*to = trj_copy_text(v->text, err)) ? 0 : -1;
}

static int take_meaning(struct trj_map *m, const struct value *v, struct trj_error *err) {
    for (int k = 0; k < TRJ_MAP_MEANINGS; k++)
        if (!strcmp(v->text, meanings[k])) {
            m->meaning = (enum trj_map_meaning)k;
            return 0;
        }
    return trj_fail(err, TRJ_BAD_DATA, "\"values\": expected samples, means or totals, found '%.20s'", v->text);
}

// Returns whether a number is an integer from 0 to `max`.
static bool is_whole(double v, double max) {
    return v >= 0 && v <= max && v == floor(v);
}

static bool take_counts(struct trj_map *m, const struct value *v, bool periodic) {
    for (int k = 0; k < 3; k++) {
        if (!is_whole(v->number[k], periodic ? 1 : (double)TRJ_MAP_POINTS_MAX)) return false;
        if (periodic)
            m->lattice.periodic |= v->number[k] > 0 ? 1u << k : 0;
        else
            m->lattice.n[k] = (uint64_t)v->number[k];
    }
    return true;
}

// Sets the member of the map that a key names; unknown keys are ignored. Sets a bit of *found for each required key: 1
// for the origin, 2 for the steps.
static int take(struct trj_map *m, const char *key, const struct value *v, unsigned *found, struct trj_error *err) {
    static const struct key {
        const char *name;
        size_t count; // numbers; 0: a text
    } keys[] = {{"shape", 3},   {"origin", 3},      {"steps", 9},    {"periodic", 3}, {"components", 1},
                {"quantum", 1}, {"error_bound", 1}, {"quantity", 0}, {"unit", 0},     {"values", 0}};
    enum { SHAPE, ORIGIN, STEPS, PERIODIC, COMPONENTS, QUANTUM, BOUND, QUANTITY, UNIT, VALUES, KEYS };
    int k = 0;
    while (k < KEYS && strcmp(key, keys[k].name) != 0) k++;
    if (k == KEYS) return 0;
    bool good = v->count == keys[k].count && !v->text == !!keys[k].count;
    if (good && (k == SHAPE || k == PERIODIC)) good = take_counts(m, v, k == PERIODIC);
    if (good && k == COMPONENTS && (good = is_whole(v->number[0], TRJ_MAP_COMPONENTS_MAX)))
        m->components = (uint32_t)v->number[0];
    if (!good)
        return trj_fail(err, TRJ_BAD_DATA, "\"%s\": expected %s", key,
                        keys[k].count == 9   ? "three vectors"
                        : keys[k].count == 3 ? "three valid numbers"
                        : keys[k].count      ? "a valid number"
                                             : "a text");
    if (k == ORIGIN) memcpy(m->lattice.origin, v->number, sizeof m->lattice.origin);
    if (k == STEPS) memcpy(m->lattice.step, v->number, sizeof m->lattice.step);
    if (k == QUANTUM) m->quantum = v->number[0];
    if (k == BOUND) m->error_bound = v->number[0];
    *found |= (k == ORIGIN) | (unsigned)(k == STEPS) << 1;
    if (k == QUANTITY) return take_text(&m->quantity, v, err);
    if (k == UNIT) return take_text(&m->unit, v, err);
    return k == VALUES ? take_meaning(m, v, err) : 0;
}

static int parse(struct trj_map *m, char *text, struct trj_error *err) {
    unsigned found = 0;
    char *p = skip_blanks(text), *key;
    struct value v;
    if (*p != '{') return trj_fail(err, TRJ_BAD_DATA, "byte %zu: expected '{'", (size_t)(p - text));
    do {
        char *numbers = p = skip_blanks(p + 1);
        if (*p != '"' || !(p = scan_text(p, &key)) || *(p = skip_blanks(p)) != ':' || !(p = scan_value(p + 1, &v)))
            return trj_fail(err, TRJ_BAD_DATA,
                            "byte %zu: expected \"NAME\": and a number, a text, or an array of at most %d numbers",
                            (size_t)(numbers - text), NUMBERS);
        char after = *(p = skip_blanks(p));
        if (after != ',' && after != '}')
            return trj_fail(err, TRJ_BAD_DATA, "byte %zu: expected ',' or '}'", (size_t)(p - text));
        if (take(m, key, &v, &found, err)) return -1;
    } while (*p == ',');
    if (*skip_blanks(p + 1))
        return trj_fail(err, TRJ_BAD_DATA, "byte %zu: expected the end of the file", (size_t)(p + 1 - text));
    return found == 3 ? 0 : trj_fail(err, TRJ_BAD_DATA, "\"origin\" or \"steps\" is missing");
}

int trj_map_geometry_read(struct trj_map *m, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    size_t got = 0;
    char *text = trj_alloc(FILE_MAX + 1, 1, "a file", err);
    if (!text) return -1;
    int rc = trj_input_open(&in, path, err);
    if (!rc) {
        rc = trj_input_read_some(in, text, FILE_MAX + 1, &got, err);
        if (!rc && (got > FILE_MAX || memchr(text, 0, got))) rc = trj_fail(err, TRJ_BAD_DATA, "not a JSON file");
        if (!rc) text[got] = 0;
        if (rc || (rc = parse(m, text, err))) trj_fail_at(err, "%s", path);
    }
    trj_input_close(in);
    free(text);
    return rc;
}

static void put_text(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
}

static void put_real(struct trj_bytes *b, double v) {
    char text[TRJ_DECIMAL_CAPACITY];
    trj_put_raw(b, text, trj_print_real(text, v));
}

static void put_vector(struct trj_bytes *b, const double v[3]) {
    for (int k = 0; k < 3; k++) {
        put_text(b, k ? ", " : "[");
        put_real(b, v[k]);
    }
    put_text(b, "]");
}

int trj_map_geometry_write(const struct trj_map *m, const char *path, struct trj_output *map, struct trj_error *err) {
    const struct trj_map_lattice *l = &m->lattice;
    struct trj_bytes b = {0};
    struct trj_output *out = NULL;
    const double shape[3] = {(double)l->n[0], (double)l->n[1], (double)l->n[2]},
                 periodic[3] = {l->periodic & 1, l->periodic >> 1 & 1, l->periodic >> 2 & 1};
    put_text(&b, "{\"shape\": ");
    put_vector(&b, shape);
    put_text(&b, ",\n \"origin\": ");
    put_vector(&b, l->origin);
    for (int k = 0; k < 3; k++) {
        put_text(&b, k ? ", " : ",\n \"steps\": [");
        put_vector(&b, l->step[k]);
    }
    put_text(&b, "],\n \"periodic\": ");
    put_vector(&b, periodic);
    put_text(&b, ",\n \"components\": ");
    put_real(&b, m->components);
    put_text(&b, ",\n \"quantity\": ");
    trj_put_json_text(&b, m->quantity ? m->quantity : "");
    put_text(&b, ",\n \"unit\": ");
    trj_put_json_text(&b, m->unit ? m->unit : "");
    put_text(&b, ",\n \"values\": ");
    trj_put_json_text(&b, meanings[m->meaning]);
    put_text(&b, ",\n \"quantum\": ");
    put_real(&b, m->quantum);
    put_text(&b, ",\n \"error_bound\": ");
    put_real(&b, m->error_bound);
    put_text(&b, "}\n");
    int rc = b.failed ? trj_fail_memory(err, 0, "a file") : trj_output_open(&out, path, TRJ_OUTPUT_TEXT, err);
    if (!rc) rc = trj_output_write(out, b.data, b.size, err);
    if (rc)
        trj_output_close(out);
    else
        trj_output_join(map, out);
    trj_bytes_free(&b);
    return rc;
}
