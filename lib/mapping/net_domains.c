// SPDX-License-Identifier: MIT
// Bisects domains and ranks together.
#include "net_domains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

int net_domains_start(struct net_domains *d, const uint32_t n[3], struct trj_error *err) {
    *d = (struct net_domains){.n = {n[0], n[1], n[2]}};
    uint64_t count = 1;
    for (int k = 0; k < 3; k++) {
        if (!n[k] || n[k] > NET_DOMAINS_MAX / count)
            return trj_fail(err, TRJ_USAGE, "%ux%ux%u domains: expected 1 to %d in total", n[0], n[1], n[2],
                            NET_DOMAINS_MAX);
        count *= n[k];
    }
    d->load = trj_alloc((size_t)count, sizeof *d->load, "domains", err);
    d->rank = d->load ? trj_alloc((size_t)count, sizeof *d->rank, "domains", err) : NULL;
    for (size_t i = 0; d->rank && i < count; i++) d->load[i] = 1;
    return d->rank ? 0 : -1;
}

void net_domains_free(struct net_domains *d) {
    free(d->load);
    free(d->rank);
    *d = (struct net_domains){.load = NULL};
}

// ---- the choice of ranks

static uint32_t reverse_bits(uint32_t v) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i);
    return r;
}

struct place {
    uint32_t on_host, host, rank;
};

static int compare_places(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    if (x->on_host != y->on_host) return x->on_host < y->on_host ? -1 : 1;
    if (x->host != y->host) return x->host < y->host ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_ranks(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

size_t net_choose_ranks(const uint32_t *host, size_t ranks, const bool *excluded, size_t wanted, uint32_t *list,
                        struct trj_error *err) {
    struct place *place = trj_alloc(ranks, sizeof *place, "ranks", err);
    size_t count = 0;
    if (!place) return 0;
    for (size_t i = 0, number = 0; i < ranks; i++) {
        number = i && host[i] == host[i - 1] ? number + 1 : 0;
        if (excluded && excluded[i]) continue;
        place[count++] = (struct place){reverse_bits((uint32_t)number), reverse_bits(host[i]), (uint32_t)i};
    }
    if (count > wanted) {
        qsort(place, count, sizeof *place, compare_places);
        count = wanted;
    }
    for (size_t i = 0; i < count; i++) list[i] = place[i].rank;
    qsort(list, count, sizeof *list, compare_ranks);
    free(place);
    if (!count) trj_error_set(err, TRJ_USAGE, "all %zu ranks are excluded; give more slots, or exclude fewer", ranks);
    return count;
}

// ---- bisection

struct bisection {
    struct net_domains *d;
    const struct net_points *ranks;
    const uint32_t *host;
    struct net_points boxes; // the domains as points
    uint32_t *domain;        // [domains] sorted within their part
    uint32_t *rank;          // [ranks in use] the same
    unsigned bound[3];       // dimension of the network of each side; NET_COORDINATES_MAX: none
    struct net_sorter sorter;
};

// Returns where to cut the domains [from, to): where the load of the first ones is nearest to the share of the first
// ranks, with at least one domain for each rank.
static size_t cut_domains(const struct bisection *b, size_t from, size_t to, size_t first, size_t second) {
    double total = 0, sum = 0;
    for (size_t i = from; i < to; i++) total += b->d->load[b->domain[i]];
    const double share = total * (double)first / (double)(first + second);
    size_t cut = from;
    while (cut < to) {
        const double load = b->d->load[b->domain[cut]];
        // Ends if the sum without this domain is nearer to the share than that with it.
        if (cut - from >= first && sum + load - share >= share - sum) break;
        sum += load;
        cut++;
    }
    if (cut > to - second) cut = to - second;
    return cut;
}

// Returns the number of coordinates that two ranks have in common from the first one.
static unsigned common_levels(const struct net_points *p, uint32_t a, uint32_t b) {
    unsigned k = 0;
    const size_t n = p->dimensions;
    while (k < n && p->at[a * n + k] == p->at[b * n + k]) k++;
    return k;
}

// Returns where to cut the ranks [from, to): at the border between hosts nearest to the middle; in a tree, in the
// middle half at the border of the highest switch. 0: there is no border.
static size_t cut_ranks(const struct bisection *b, size_t from, size_t to) {
    const size_t count = to - from;
    const bool tree = b->ranks->kind != NET_LATTICE;
    size_t best = 0, best_away = SIZE_MAX;
    unsigned best_level = NET_COORDINATES_MAX;
    for (size_t i = from + 1; i < to; i++) {
        if (b->host[b->rank[i]] == b->host[b->rank[i - 1]]) continue;
        const size_t twice = 2 * (i - from), away = twice > count ? twice - count : count - twice;
        unsigned level = tree ? common_levels(b->ranks, b->rank[i], b->rank[i - 1]) : 0;
        if (tree && away > count / 2) level = NET_COORDINATES_MAX - 1; // outside of the middle half
        if (level > best_level || (level == best_level && away >= best_away)) continue;
        best = i;
        best_away = away;
        best_level = level;
    }
    return best;
}

static int bisect(struct bisection *b, size_t from, size_t to, size_t rank_from, size_t rank_to,
                  struct trj_error *err) {
    unsigned side[NET_COORDINATES_MAX], order[2 * NET_COORDINATES_MAX], n = 0;
    const size_t ranks = rank_to - rank_from;
    if (ranks == 1) {
        for (size_t i = from; i < to; i++) b->d->rank[b->domain[i]] = b->rank[rank_from];
        return 0;
    }
    if (b->ranks->kind == NET_LATTICE) {
        net_dimensions_by_extent(&b->boxes, b->domain + from, to - from, side);
        for (int k = 0; k < 3; k++)
            if (b->bound[side[k]] != NET_COORDINATES_MAX) order[n++] = b->bound[side[k]];
        for (unsigned k = 0; k < b->ranks->dimensions; k++)
            if (k != b->bound[0] && k != b->bound[1] && k != b->bound[2]) order[n++] = k;
    } else {
        net_dimensions_by_extent(&b->boxes, b->domain + from, to - from, side);
        for (unsigned k = 0; k < b->ranks->dimensions; k++) order[n++] = k;
    }
    if (net_sort(&b->sorter, b->ranks, b->rank + rank_from, ranks, order, n, err)) return -1;
    size_t middle = cut_ranks(b, rank_from, rank_to);
    if (!middle) { // one host
        static const unsigned xyz[] = {0, 1, 2};
        memcpy(side, xyz, sizeof xyz);
        qsort(b->rank + rank_from, ranks, sizeof *b->rank, compare_ranks);
        middle = rank_from + ranks / 2;
    }
    if (net_sort(&b->sorter, &b->boxes, b->domain + from, to - from, side, 3, err)) return -1;
    const size_t cut = cut_domains(b, from, to, middle - rank_from, rank_to - middle);
    return bisect(b, from, cut, rank_from, middle, err) || bisect(b, cut, to, middle, rank_to, err) ? -1 : 0;
}

// Sets the points of domains: their positions along x, y and z.
static int make_boxes(struct net_points *p, const struct net_domains *d, struct trj_error *err) {
    *p = (struct net_points){.kind = NET_LATTICE, .dimensions = 3, .count = net_domains_count(d)};
    p->at = trj_alloc(p->count * 3, sizeof *p->at, "domains", err);
    for (int k = 0; k < 3; k++) p->length[k] = NET_NO_WRAP;
    for (size_t i = 0; p->at && i < p->count; i++) {
        p->at[3 * i] = (int32_t)(i / d->n[2] / d->n[1]);
        p->at[3 * i + 1] = (int32_t)(i / d->n[2] % d->n[1]);
        p->at[3 * i + 2] = (int32_t)(i % d->n[2]);
    }
    return p->at ? 0 : -1;
}

static void bind_sides(struct bisection *b, size_t count) {
    unsigned side[NET_COORDINATES_MAX], dimension[NET_COORDINATES_MAX];
    net_dimensions_by_extent(&b->boxes, b->domain, b->boxes.count, side);
    net_dimensions_by_extent(b->ranks, b->rank, count, dimension);
    for (unsigned k = 0; k < 3; k++) b->bound[side[k]] = k < b->ranks->dimensions ? dimension[k] : NET_COORDINATES_MAX;
}

int net_domains_bisect(struct net_domains *d, const struct net_points *p, const uint32_t *host, const uint32_t *list,
                       size_t count, struct trj_error *err) {
    struct bisection b = {.d = d, .ranks = p, .host = host};
    const size_t domains = net_domains_count(d);
    if (count > domains)
        return trj_fail(err, TRJ_USAGE, "%zu ranks for %zu domains; use fewer ranks, or more domains", count, domains);
    b.rank = trj_alloc(count, sizeof *b.rank, "ranks", err);
    b.domain = b.rank ? trj_alloc(domains, sizeof *b.domain, "domains", err) : NULL;
    int rc = b.domain ? make_boxes(&b.boxes, d, err) : -1;
    if (!rc) {
        memcpy(b.rank, list, count * sizeof *list);
        for (size_t i = 0; i < domains; i++) b.domain[i] = (uint32_t)i;
        bind_sides(&b, count);
        rc = bisect(&b, 0, domains, 0, count, err);
    }
    net_points_free(&b.boxes);
    free(b.domain);
    free(b.rank);
    free(b.sorter.room);
    return rc;
}

int net_domains_in_order(struct net_domains *d, const uint32_t *list, size_t count, bool hilbert,
                         struct trj_error *err) {
    struct bisection b = {.d = d};
    const size_t domains = net_domains_count(d);
    if (count > domains)
        return trj_fail(err, TRJ_USAGE, "%zu ranks for %zu domains; use fewer ranks, or more domains", count, domains);
    b.domain = trj_alloc(domains, sizeof *b.domain, "domains", err);
    int rc = b.domain ? make_boxes(&b.boxes, d, err) : -1;
    for (size_t i = 0; !rc && i < domains; i++) b.domain[i] = (uint32_t)i;
    if (!rc && hilbert) rc = net_sort_hilbert(&b.sorter, &b.boxes, b.domain, domains, err);
    double left = 0;
    for (size_t i = 0; i < domains; i++) left += d->load[i];
    for (size_t i = 0, at = 0; !rc && i < count; i++) {
        const double share = left / (double)(count - i);
        double sum = 0;
        for (const size_t first = at; at < domains - (count - i - 1); at++) {
            const double load = d->load[b.domain[at]];
            if (at > first && i + 1 < count && sum + load - share >= share - sum) break;
            sum += load;
            d->rank[b.domain[at]] = list[i];
        }
        left -= sum;
    }
    net_points_free(&b.boxes);
    free(b.domain);
    free(b.sorter.room);
    return rc;
}

// ---- pencils

struct pencils {
    uint32_t n;      // along y
    double *mean[2]; // [ranks in use] mean x and y of the domains of a rank
    struct place_of {
        double at;
        uint32_t entry;
    } * sorted; // [ranks in use]
    const uint32_t *list;
    uint32_t *rank;
};

static int compare_places_of(const void *a, const void *b) {
    const struct place_of *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->entry > y->entry) - (x->entry < y->entry);
}

static void divide_pencils(struct pencils *c, const uint32_t low[2], const uint32_t high[2], size_t from, size_t to) {
    const size_t wide = high[0] - low[0], deep = high[1] - low[1], ranks = to - from;
    if (ranks == 1) {
        for (uint32_t x = low[0]; x < high[0]; x++)
            for (uint32_t y = low[1]; y < high[1]; y++) c->rank[(size_t)x * c->n + y] = c->list[c->sorted[from].entry];
        return;
    }
    const int side = deep > wide;
    uint32_t middle_low[2] = {low[0], low[1]}, middle_high[2] = {high[0], high[1]};
    const uint32_t length = high[side] - low[side], half = length / 2;
    if (!length) return;
    middle_high[side] = middle_low[side] = low[side] + half;
    size_t first = ranks * half / length;
    if (!first) first = 1;
    for (size_t i = from; i < to; i++) c->sorted[i].at = c->mean[side][c->sorted[i].entry];
    qsort(c->sorted + from, ranks, sizeof *c->sorted, compare_places_of);
    divide_pencils(c, low, middle_high, from, from + first);
    divide_pencils(c, middle_low, high, from + first, to);
}

int net_pencils_assign(const uint32_t n[2], const struct net_domains *d, const uint32_t *list, size_t count,
                       // NOLINTNEXTLINE(readability-non-const-parameter): `rank` is changed through `c`
                       uint32_t *rank, struct trj_error *err) {
    struct pencils c = {.n = n[1], .list = list, .rank = rank};
    const size_t domains = net_domains_count(d);
    uint32_t largest = 0;
    if (count > (uint64_t)n[0] * n[1])
        return trj_fail(err, TRJ_USAGE, "%zu ranks for %ux%u pencils; choose as many ranks as pencils", count, n[0],
                        n[1]);
    for (size_t i = 0; i < domains; i++)
        if (d->rank[i] > largest) largest = d->rank[i];
    for (size_t i = 0; i < count; i++)
        if (list[i] > largest) largest = list[i];
    uint32_t *entry = trj_alloc((size_t)largest + 1, sizeof *entry, "ranks", err);
    double *sums = entry ? trj_alloc(3 * count, sizeof *sums, "ranks", err) : NULL;
    c.sorted = sums ? trj_alloc(count, sizeof *c.sorted, "ranks", err) : NULL;
    if (c.sorted) {
        for (size_t i = 0; i < count; i++) entry[list[i]] = (uint32_t)i + 1;
        for (size_t i = 0; i < domains; i++) {
            const uint32_t e = entry[d->rank[i]];
            const size_t row = i / d->n[2], x = row / d->n[1], y = row % d->n[1];
            if (!e) continue;
            sums[e - 1]++;
            sums[count + e - 1] += (double)x;
            sums[2 * count + e - 1] += (double)y;
        }
        for (int k = 0; k < 2; k++) {
            c.mean[k] = sums + (size_t)(k + 1) * count;
            for (size_t i = 0; i < count; i++) c.mean[k][i] /= sums[i] > 0 ? sums[i] : 1;
        }
        for (size_t i = 0; i < count; i++) c.sorted[i].entry = (uint32_t)i;
        const uint32_t low[2] = {0, 0};
        divide_pencils(&c, low, n, 0, count);
    }
    const int rc = c.sorted ? 0 : -1;
    free(c.sorted);
    free(sums);
    free(entry);
    return rc;
}
