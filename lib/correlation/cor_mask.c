// SPDX-License-Identifier: MIT
// Parses masks and applies those that depend on the map alone; those of atoms are applied in cor_frames.c with each
// frame.
#include "cor_mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

void cor_mask_free(struct cor_mask *m) {
    free(m->fixed);
    *m = (struct cor_mask){0};
}

// Reads a number with the text `name` before it, or `after` it.
static bool read_number(const char *text, const char *name, bool after, double *value) {
    char word[64];
    size_t length = strlen(text), n = strlen(name);
    if (length <= n || length - n >= sizeof word) return false;
    const char *mark = after ? text + length - n : text;
    if (memcmp(mark, name, n) != 0) return false;
    memcpy(word, after ? text : text + n, length - n);
    word[length - n] = 0;
    return trj_parse_real(word, value);
}

static int parse(struct cor_mask *m, const char *text, struct trj_error *err) {
    double *to = NULL, value = 0;
    if (!strcmp(text, "all")) return 0;
    if (read_number(text, "sigma", true, &value)) {
        to = &m->sigmas;
    } else if (read_number(text, "level:", false, &value)) {
        to = &m->level;
    } else if (read_number(text, "simulated:", false, &value) && value >= 0) {
        to = &m->fraction;
    } else if (read_number(text, "radius:", false, &value) && value > 0) {
        to = &m->radius;
    }
    if (to && isnan(*to)) {
        *to = value;
        return 0;
    }
    if (to) return trj_fail(err, TRJ_USAGE, "--mask: '%s': a mask of this kind is given twice; leave one out", text);
    if (!strncmp(text, "level:", 6) || !strncmp(text, "simulated:", 10) || !strncmp(text, "radius:", 7))
        return trj_fail(err, TRJ_USAGE,
                        "--mask: invalid mask '%s': expected all, 2sigma, level:L, simulated:F with F at least 0, "
                        "radius:R with R above 0, or a file",
                        text);
    if (m->file) return trj_fail(err, TRJ_USAGE, "--mask: '%s': a second file; leave one out", text);
    m->file = text;
    return 0;
}

int cor_mask_parse(struct cor_mask *m, const struct trj_text_list *texts, struct trj_error *err) {
    m->sigmas = m->level = m->fraction = m->radius = NAN;
    for (size_t i = 0; i < texts->count; i++)
        if (parse(m, texts->texts[i], err)) return -1;
    if (m->fraction >= 0 && m->radius >= 0)
        return trj_fail(err, TRJ_USAGE, "--mask: simulated:F and radius:R cannot be combined; leave one out");
    return 0;
}

static int apply_file(struct cor_mask *m, const struct cor_map *map, struct trj_error *err) {
    struct cor_map other = {0};
    int rc = cor_map_read(&other, m->file, TRJ_MAP_ORIGIN_AUTO, err) || cor_map_check_same(&other, map, err) ? -1 : 0;
    for (uint64_t i = 0; !rc && i < map->points; i++) m->fixed[i] = m->fixed[i] && cor_map_value(&other, i) >= 0.5;
    cor_map_free(&other);
    return rc;
}

int cor_mask_apply(struct cor_mask *m, const struct cor_map *map, struct trj_error *err) {
    double by_sigma = map->summary.mean + m->sigmas * map->summary.sigma;
    if (isnan(m->level) || by_sigma > m->level) m->level = by_sigma;
    if (!isnan(m->level) || m->file) {
        if (!(m->fixed = trj_alloc(map->points, 1, "a mask", err))) return -1;
        for (uint64_t i = 0; i < map->points; i++) m->fixed[i] = (unsigned char)!(cor_map_value(map, i) <= m->level);
        if (m->file && apply_file(m, map, err)) return -1;
    }
    for (uint64_t i = 0; i < map->points; i++) {
        if (m->fixed && !m->fixed[i]) continue;
        m->y.n++;
        m->y.y += map->value[i];
        m->y.yy += (cor_wide)map->value[i] * map->value[i];
    }
    if (m->y.n) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "--mask: contains none of the %llu points of %s, whose values are from %g to %g; use a lower level "
                    "or another file",
                    (unsigned long long)map->points, map->name, map->summary.min, map->summary.max);
}

int cor_mask_print(struct trj_output *out, const struct cor_mask *m, const struct trj_text_list *texts,
                   struct trj_error *err) {
    if (trj_output_print(out, err, "# mask: %s", texts->count ? "" : "all")) return -1;
    for (size_t i = 0; i < texts->count; i++)
        if (trj_output_print(out, err, "%s%s", i ? " and " : "", texts->texts[i])) return -1;
    if (cor_mask_is_local(m)) {
        if (trj_output_print(out, err, "; its points differ between frames and parts\n")) return -1;
    } else if (trj_output_print(out, err, "; %llu points\n", (unsigned long long)m->y.n)) {
        return -1;
    }
    return isnan(m->level) ? 0 : trj_output_print(out, err, "# level: %.10g of the map\n", m->level);
}
