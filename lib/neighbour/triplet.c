// SPDX-License-Identifier: MIT
// Bins angles by squared cosines, which need no trigonometric function, so that counts are equal on every machine.
#include "triplet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

// ---- the options

static int bad_text(const char *text, struct trj_error *err) {
    return trj_fail(err, TRJ_USAGE,
                    "--triplet: invalid value '%s': expected A:B:C, A:B:C LOW:HIGH, or A:B:C LOW:HIGH LOW:HIGH, with "
                    "ranges in Angstrom",
                    text);
}

// Reads "LOW:HIGH" from the start of *position, up to a blank or the end.
static bool parse_range(const char **position, double *low, double *high) {
    size_t n = strcspn(*position, " ");
    char text[64], *colon;
    if (n >= sizeof text) return false;
    memcpy(text, *position, n);
    text[n] = 0;
    *position += n;
    if (!(colon = strchr(text, ':'))) return false;
    *colon = 0;
    return trj_parse_real(text, low) && trj_parse_real(colon + 1, high);
}

static bool parse_ranges(const char *position, struct rdf_triplet *t) {
    if (!*position) return true;
    position++;
    if (!parse_range(&position, &t->low[0], &t->high[0])) return false;
    t->low[1] = t->low[0];
    t->high[1] = t->high[0];
    if (!*position) return true;
    position++;
    return parse_range(&position, &t->low[1], &t->high[1]) && !*position;
}

// The groups of one place of A:B:C: from `first` to `last` - 1.
struct place {
    uint32_t first, last;
    bool any;
};

static int find_groups(struct place *p, const struct trj_stream_header *h, const char *name, size_t length,
                       struct trj_error *err) {
    char known[256] = "";
    *p = (struct place){0, (uint32_t)h->group_count, length == 1 && *name == '*'};
    if (p->any) return 0;
    for (uint32_t g = 0; g < h->group_count; g++)
        if (!strncmp(h->groups[g].name, name, length) && !h->groups[g].name[length]) {
            p->first = g;
            p->last = g + 1;
            return 0;
        }
    for (size_t i = 0, position = 0; i < h->group_count && position < sizeof known; i++)
        position +=
            (size_t)snprintf(known + position, sizeof known - position, "%s%s", i ? ", " : "", h->groups[i].name);
    return trj_fail(err, TRJ_USAGE, "--triplet: no group '%.*s' in the stream, which has %s", (int)length, name, known);
}

static bool same_groups(const struct rdf_triplet *x, const struct rdf_triplet *y) {
    return x->centre == y->centre && ((x->a == y->a && x->c == y->c) || (x->a == y->c && x->c == y->a));
}

// Adds a triplet; `named` if all groups are given by name.
static int add_triplet(struct rdf_triplet_setup *s, size_t *capacity, struct rdf_triplet t,
                       const struct trj_stream_header *h, bool named, const char *text, struct trj_error *err) {
    const struct trj_group *groups = h->groups;
    for (size_t i = 0; i < s->count; i++) {
        if (!same_groups(&s->triplet[i], &t)) continue;
        if (!named) return 0;
        return trj_fail(err, TRJ_USAGE,
                        "--triplet: the groups of '%s' are given twice; remove one, or count in two runs", text);
    }
    t.triplets = rdf_triplet_number(&t, groups, NULL);
    if (!(t.triplets > 0))
        return named ? trj_fail(err, TRJ_BAD_DATA,
                                "groups %s, %s and %s contain no three different atoms; select other groups",
                                groups[t.a].name, groups[t.centre].name, groups[t.c].name)
                     : 0;
    if (trj_grow(&s->triplet, capacity, s->count + 1, sizeof *s->triplet, "triplets", err)) return -1;
    s->triplet[s->count++] = t;
    return 0;
}

static int add_triplets(struct rdf_triplet_setup *s, size_t *capacity, const char *text, double low, double high,
                        const struct trj_stream_header *h, struct trj_error *err) {
    struct place p[3];
    struct rdf_triplet t = {.low = {low, low}, .high = {high, high}};
    const char *name[3] = {text, NULL, NULL};
    size_t all = strcspn(text, " "), length[3] = {strcspn(text, ": "), 0, 0};
    for (int i = 1; i < 3; i++) {
        if (name[i - 1][length[i - 1]] != ':') return bad_text(text, err);
        name[i] = name[i - 1] + length[i - 1] + 1;
        length[i] = strcspn(name[i], ": ");
    }
    if (name[2] + length[2] != text + all || !parse_ranges(text + all, &t)) return bad_text(text, err);
    if (isnan(t.high[0]))
        return trj_fail(err, TRJ_USAGE,
                        "--triplet: '%s' has no distance; give --rmax, or a range as '%.*s 0:3.5' in Angstrom", text,
                        (int)all, text);
    for (int i = 0; i < 3; i++)
        if (find_groups(&p[i], h, name[i], length[i], err)) return -1;
    bool named = !p[0].any && !p[1].any && !p[2].any;
    for (t.centre = p[1].first; t.centre < p[1].last; t.centre++)
        for (t.a = p[0].first; t.a < p[0].last; t.a++)
            for (t.c = p[2].first; t.c < p[2].last; t.c++)
                if (add_triplet(s, capacity, t, h, named, text, err)) return -1;
    return 0;
}

int rdf_triplets_parse(struct rdf_triplet_setup *s, const struct trj_stream_header *h,
                       const struct trj_text_list *texts, double low, double high, struct trj_error *err) {
    size_t capacity = 0;
    s->count = 0;
    s->triplet = NULL;
    for (size_t i = 0; i < texts->count; i++)
        if (add_triplets(s, &capacity, texts->texts[i], low, high, h, err)) return -1;
    if (texts->count && !s->count)
        return trj_fail(err, TRJ_BAD_DATA, "--triplet: no groups contain three different atoms; select other groups");
    return texts->count ? rdf_triplets_check(s, err) : 0;
}

int rdf_triplet_bins_parse(struct rdf_triplet_setup *s, const char *text, struct trj_error *err) {
    uint64_t n[2] = {0, 0};
    char angles[32];
    size_t length = strcspn(text, ":");
    if (length < sizeof angles && text[length] == ':') {
        memcpy(angles, text, length);
        angles[length] = 0;
        if (!trj_parse_u64(angles, &n[0]) || !trj_parse_u64(text + length + 1, &n[1])) n[0] = 0;
    }
    if (n[0] < 1 || n[0] > RDF_MAX_ANGLES || n[1] < 1 || n[1] > RDF_MAX_TRIPLET_BINS / n[0])
        return trj_fail(err, TRJ_USAGE,
                        "--triplet-bins: invalid value '%s': expected ANGLES:DISTANCES with 1 to %d angles and at most "
                        "%d bins in all, as 180:20",
                        text, RDF_MAX_ANGLES, RDF_MAX_TRIPLET_BINS);
    s->angles = (uint32_t)n[0];
    s->distances = (uint32_t)n[1];
    return 0;
}

int rdf_triplets_check(const struct rdf_triplet_setup *s, struct trj_error *err) {
    if (!s->count || s->angles < 1 || s->angles > RDF_MAX_ANGLES || s->distances < 1 ||
        s->distances > RDF_MAX_TRIPLET_BINS / s->angles)
        return trj_fail(err, TRJ_USAGE, "invalid number of bins of triplets");
    for (size_t i = 0; i < s->count; i++) {
        const struct rdf_triplet *t = &s->triplet[i];
        for (int k = 0; k < 2; k++)
            if (!(t->low[k] >= 0 && t->low[k] < t->high[k] && t->high[k] >= RDF_MIN_RMAX &&
                  t->high[k] <= RDF_MAX_COORDINATE))
                return trj_fail(err, TRJ_USAGE,
                                "--triplet: invalid range %g:%g: expected LOW:HIGH in Angstrom with 0 <= LOW < HIGH, "
                                "from %g to %g",
                                t->low[k], t->high[k], RDF_MIN_RMAX, RDF_MAX_COORDINATE);
        const struct rdf_bins bins = rdf_triplet_bins(s, i);
        if (rdf_bins_check(&bins, err)) return trj_fail_at(err, "--triplet-bins");
    }
    return 0;
}

// ---- the rule

// Returns whether each pair of arms counts once.
static bool is_unordered(const struct rdf_triplet *t) {
    return t->a == t->c && t->low[0] == t->low[1] && t->high[0] == t->high[1];
}

struct rdf_bins rdf_triplet_bins(const struct rdf_triplet_setup *s, size_t triplet) {
    const struct rdf_triplet *t = &s->triplet[triplet];
    return (struct rdf_bins){
        .rmin = fmin(t->low[0], t->low[1]), .rmax = fmax(t->high[0], t->high[1]), .count = s->distances};
}

struct rdf_star rdf_triplet_star(const struct rdf_triplet *t) {
    return (struct rdf_star){.centre = t->centre,
                             .arms = is_unordered(t) ? 1 : 2,
                             .arm = {{t->a, t->low[0], t->high[0]}, {t->c, t->low[1], t->high[1]}}};
}

// Returns the square of the cosine of m * 180 degrees / angles, 2 m <= angles. Squares of cosines that are rational are
// exact (I. Niven), so that angles of lattices are on the edges.
static double square_of_cosine(uint32_t m, uint32_t angles) {
    static const struct {
        uint32_t part; // of 180 degrees
        double square;
    } exact[] = {{6, 0.75}, {4, 0.5}, {3, 0.25}, {2, 0}};
    const double pi = 0x1.921fb54442d18p1;
    if (!m) return 1;
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (exact[i].part * (uint64_t)m == angles) return exact[i].square;
    // Taylor series, for arguments up to pi/4: the first omitted term is below 2^-60.
    bool use_cosine = 4 * (uint64_t)m < angles;
    double x = use_cosine ? pi * m / angles : pi * (angles - 2 * (double)m) / (2 * (double)angles), y = 1;
    for (int k = use_cosine ? 20 : 21; k > 1; k -= 2) y = 1 - y * (x * x) / (k * (k - 1));
    if (!use_cosine) y *= x;
    return y * y;
}

double *rdf_triplet_edges(uint32_t angles, struct trj_error *err) {
    double *q = trj_alloc((size_t)angles + 1, sizeof *q, "angles", err);
    for (uint32_t m = 0; q && m <= angles; m++)
        q[m] = 2 * (uint64_t)m <= angles ? square_of_cosine(m, angles) : -square_of_cosine(angles - m, angles);
    return q;
}

// Returns arccos(c) with an error below 1e-4, from which the search for a bin starts: M. Abramowitz, I. A. Stegun,
// Handbook of Mathematical Functions (1964), 4.4.45.
static double near_arccos(double c) {
    double x = fabs(c) < 1 ? fabs(c) : 1;
    double y = sqrt(1 - x) * (((-0.0187293 * x + 0.0742610) * x - 0.2121144) * x + 1.5707288);
    return c < 0 ? 3.141592653589793 - y : y;
}

uint32_t rdf_triplet_angle(const double *q, uint32_t angles, double dot, double p) {
    double s = dot * fabs(dot), guess = near_arccos(dot / sqrt(p)) * (angles / 3.141592653589793);
    uint32_t bin = guess < angles - 1 ? (uint32_t)guess : angles - 1;
    while (bin > 0 && !(s <= q[bin] * p)) bin--;
    while (bin + 1 < angles && s <= q[bin + 1] * p) bin++;
    return bin;
}

static uint64_t distance_bin(const struct rdf_bins *b, const double *squares, double r2) {
    double guess = (sqrt(r2) - b->rmin) * ((double)b->count / (b->rmax - b->rmin));
    uint64_t bin = !(guess > 0) ? 0 : guess < (double)b->count ? (uint64_t)guess : b->count - 1;
    while (bin > 0 && r2 < squares[bin]) bin--;
    while (bin + 1 < b->count && squares[bin + 1] <= r2) bin++;
    return bin;
}

void rdf_triplet_count(const struct rdf_triplet_setup *s, size_t triplet, const double *q, const double *squares,
                       const struct rdf_neighbour_list *lists, uint64_t *counts) {
    const struct rdf_bins bins = rdf_triplet_bins(s, triplet);
    bool unordered = is_unordered(&s->triplet[triplet]);
    const struct rdf_neighbour_list *second = unordered ? lists : lists + 1;
    for (size_t x = 0; x < lists->count; x++)
        for (size_t y = unordered ? x + 1 : 0; y < second->count; y++) {
            const struct rdf_neighbour *a = &lists->neighbour[x], *c = &second->neighbour[y];
            double dot = (a->d[0] * c->d[0] + a->d[1] * c->d[1]) + a->d[2] * c->d[2], p = a->r2 * c->r2;
            if (!(p > 0)) continue;
            if (!unordered && a->atom == c->atom && a->d[0] == c->d[0] && a->d[1] == c->d[1] && a->d[2] == c->d[2])
                continue;
            uint64_t position = rdf_triplet_angle(q, s->angles, dot, p);
            counts[position * s->distances + distance_bin(&bins, squares, a->r2 > c->r2 ? a->r2 : c->r2)]++;
        }
}

// Returns the number of atoms that are in all three groups; the groups are ascending.
static double in_all(const struct trj_group *a, const struct trj_group *b, const struct trj_group *c,
                     const struct trj_frame *f) {
    double n = 0;
    for (size_t i = 0, j = 0, k = 0; i < a->count && j < b->count && k < c->count;) {
        uint32_t x = a->atoms[i], y = b->atoms[j], z = c->atoms[k], min = x < y ? x : y;
        min = z < min ? z : min;
        if (x == y && y == z && (!f || (trj_group_has(a, f, i) && trj_group_has(b, f, j) && trj_group_has(c, f, k))))
            n++;
        i += x == min;
        j += y == min;
        k += z == min;
    }
    return n;
}

static double size_of(const struct trj_group *g, const struct trj_frame *f) {
    return (double)(f ? trj_group_size(g, f) : g->count);
}

static double overlap(const struct trj_group *a, const struct trj_group *b, const struct trj_frame *f) {
    return a == b ? size_of(a, f) : (double)trj_group_overlap(a, b, f);
}

double rdf_triplet_number(const struct rdf_triplet *t, const struct trj_group *groups, const struct trj_frame *f) {
    const struct trj_group *a = &groups[t->a], *b = &groups[t->centre], *c = &groups[t->c];
    double na = size_of(a, f), nb = size_of(b, f), nc = size_of(c, f);
    double ordered =
        na * nb * nc - overlap(a, b, f) * nc - overlap(b, c, f) * na - overlap(a, c, f) * nb + 2 * in_all(a, b, c, f);
    return is_unordered(t) ? ordered / 2 : ordered;
}
