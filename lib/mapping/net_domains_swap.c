// SPDX-License-Identifier: MIT
// Exchanges the places of groups of domains, each of which belongs to one rank, to shorten the ways of their messages.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "net_domains.h"
#include "net_traffic.h"

// With more ranks than this, only groups are exchanged that are near, along a Hilbert curve, to a neighbour.
enum { ALL_PAIRS = 1024, WINDOW = 8, MAX_SWEEPS = 50 };
enum { SWAP_WORK = 20000000, SWAP_PER_RANK = 200, BALANCE_WORK = 1000000, BALANCE_PER_RANK = 200 };

struct swapper {
    const struct net_points *p;
    const uint32_t *list; // [count] ranks
    size_t count;
    size_t *start;      // [count + 1]
    uint32_t *near;     // groups that are neighbours, once for each pair of domains
    uint32_t *place;    // [count] of a group: number of its rank in the list
    uint32_t *group;    // [count] at a place
    uint32_t *curve;    // [count] places in the order of the curve
    uint32_t *on_curve; // [count] of a place
    struct net_traffic traffic;
    uint64_t *work;
};

// Calls for the three neighbours of a domain in the positive directions; the cell is periodic.
static size_t neighbour(const struct net_domains *d, size_t i, int axis) {
    const size_t n[3] = {d->n[0], d->n[1], d->n[2]};
    const size_t at[3] = {i / n[2] / n[1], i / n[2] % n[1], i % n[2]};
    const size_t step = axis == 0 ? n[1] * n[2] : axis == 1 ? n[2] : 1;
    return at[axis] + 1 < n[axis] ? i + step : i - (n[axis] - 1) * step;
}

uint64_t net_domains_hops(const struct net_domains *d, const struct net_points *p) {
    const size_t domains = net_domains_count(d);
    uint64_t sum = 0;
    for (size_t i = 0; i < domains; i++)
        for (int axis = 0; axis < 3; axis++)
            if (d->n[axis] > 1) sum += 2 * (uint64_t)net_distance(p, d->rank[i], d->rank[neighbour(d, i, axis)]);
    return sum;
}

static uint32_t distance(const struct swapper *s, uint32_t place, uint32_t other) {
    return net_distance(s->p, s->list[place], s->list[other]);
}

// Returns how the sum of the distances of group g changes if it moves to the place of group h.
static int64_t change_of(const struct swapper *s, uint32_t g, uint32_t h) {
    int64_t sum = 0;
    for (size_t i = s->start[g]; i < s->start[g + 1]; i++)
        if (s->near[i] != h)
            sum += (int64_t)distance(s, s->place[h], s->place[s->near[i]]) -
                   (int64_t)distance(s, s->place[g], s->place[s->near[i]]);
    return sum;
}

static void try(struct swapper *s, uint32_t g, uint32_t h, int64_t *best, uint32_t *with) {
    const uint64_t cost = 2 * (s->start[g + 1] - s->start[g] + s->start[h + 1] - s->start[h]);
    if (g == h || s->place[g] == s->place[h]) return;
    *s->work -= *s->work < cost ? *s->work : cost;
    const int64_t change = change_of(s, g, h) + change_of(s, h, g);
    if (change >= *best) return;
    *best = change;
    *with = h;
}

static void exchange(struct swapper *s, uint32_t g, uint32_t h) {
    const uint32_t place = s->place[g];
    s->place[g] = s->place[h];
    s->place[h] = place;
    s->group[s->place[g]] = g;
    s->group[place] = h;
}

static bool improve(struct swapper *s, uint32_t g) {
    int64_t best = 0;
    uint32_t with = g;
    if (s->count <= ALL_PAIRS) {
        for (uint32_t h = 0; h < s->count; h++) try(s, g, h, &best, &with);
    } else {
        for (size_t i = s->start[g]; i < s->start[g + 1] && i < s->start[g] + 12; i++) {
            const uint32_t at = s->on_curve[s->place[s->near[i]]];
            const size_t low = at < WINDOW ? 0 : at - WINDOW,
                         high = at + WINDOW < s->count ? at + WINDOW : s->count - 1;
            for (size_t k = low; k <= high; k++) try(s, g, s->group[s->curve[k]], &best, &with);
        }
    }
    if (best >= 0) return false;
    exchange(s, g, with);
    return true;
}

// Lists the neighbours of all groups; entry[rank] is the group.
static int list_neighbours(struct swapper *s, const struct net_domains *d, const uint32_t *entry,
                           struct trj_error *err) {
    const size_t domains = net_domains_count(d);
    s->start = trj_alloc(s->count + 2, sizeof *s->start, "neighbours", err);
    if (!s->start) return -1;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < domains; i++)
            for (int axis = 0; axis < 3; axis++) {
                const uint32_t a = entry[d->rank[i]], b = entry[d->rank[neighbour(d, i, axis)]];
                if (a == b) continue;
                if (pass) {
                    s->near[s->start[a + 1]++] = b;
                    s->near[s->start[b + 1]++] = a;
                } else {
                    s->start[a + 2]++;
                    s->start[b + 2]++;
                }
            }
        if (pass) break;
        for (size_t g = 0; g < s->count; g++) s->start[g + 2] += s->start[g + 1];
        s->near = trj_alloc(s->start[s->count + 1], sizeof *s->near, "neighbours", err);
        if (!s->near) return -1;
    }
    return 0;
}

static int sort_curve(struct swapper *s, struct trj_error *err) {
    struct net_sorter sorter = {.room = NULL};
    uint32_t *ranks = trj_alloc(s->count, sizeof *ranks, "ranks", err);
    uint32_t *entry = ranks ? trj_alloc(s->p->count, sizeof *entry, "ranks", err) : NULL;
    int rc = entry ? 0 : -1;
    if (!rc) {
        memcpy(ranks, s->list, s->count * sizeof *ranks);
        for (size_t i = 0; i < s->count; i++) entry[s->list[i]] = (uint32_t)i;
        rc = net_sort_hilbert(&sorter, s->p, ranks, s->count, err);
    }
    for (size_t i = 0; !rc && i < s->count; i++) {
        s->curve[i] = entry[ranks[i]];
        s->on_curve[s->curve[i]] = (uint32_t)i;
    }
    free(sorter.room);
    free(entry);
    free(ranks);
    return rc;
}

// ---- loads of links

// Adds (size 1) or takes away (size -1) the messages of a group, those with `other` only if it is the first of both.
static int send_group(struct swapper *s, uint32_t g, uint32_t other, bool first, double size, struct trj_error *err) {
    for (size_t i = s->start[g]; i < s->start[g + 1]; i++) {
        const uint32_t h = s->near[i];
        const size_t a = s->list[s->place[g]], b = s->list[s->place[h]];
        if (h == other && !first) continue;
        if (net_traffic_send(&s->traffic, a, b, size, err) || net_traffic_send(&s->traffic, b, a, size, err)) return -1;
        *s->work -= *s->work ? 1 : 0;
    }
    return 0;
}

static int send_both(struct swapper *s, uint32_t g, uint32_t h, double size, struct trj_error *err) {
    return send_group(s, g, h, true, size, err) || send_group(s, h, g, false, size, err) ? -1 : 0;
}

// Exchanges two groups if this reduces the cost. 1: done; 0: not; -1
static int try_balance(struct swapper *s, uint32_t g, uint32_t h, struct trj_error *err) {
    const double before = s->traffic.cost;
    if (g == h) return 0;
    if (send_both(s, g, h, -1, err)) return -1;
    exchange(s, g, h);
    if (send_both(s, g, h, 1, err)) return -1;
    if (s->traffic.cost < before) return 1;
    if (send_both(s, g, h, -1, err)) return -1;
    exchange(s, g, h);
    return send_both(s, g, h, 1, err);
}

// Sets `seen` to the largest load on the ways of the messages of a group.
static double heaviest(struct swapper *s, uint32_t g, struct trj_error *err) {
    s->traffic.looks = true;
    s->traffic.seen = 0;
    send_group(s, g, g, true, 0, err); // sends nothing, and cannot fail
    s->traffic.looks = false;
    return s->traffic.seen;
}

// Tries to exchange a group with those near to it, and near to its neighbours.
static int balance_group(struct swapper *s, uint32_t g, struct trj_error *err) {
    int any = 0;
    for (size_t i = s->start[g]; i <= s->start[g + 1] && i < s->start[g] + 7 && *s->work; i++) {
        const uint32_t around = i < s->start[g + 1] ? s->near[i] : g, at = s->on_curve[s->place[around]];
        const size_t low = at < WINDOW ? 0 : at - WINDOW, high = at + WINDOW < s->count ? at + WINDOW : s->count - 1;
        for (size_t k = low; k <= high && *s->work; k++) {
            const int rc = try_balance(s, g, s->group[s->curve[k]], err);
            if (rc < 0) return -1;
            any = any || rc;
        }
    }
    return any;
}

// Reduces the sum of the fourth powers of the loads. The largest load can grow meanwhile, so that the places after the
// sweep with the smallest one are taken.
static int balance(struct swapper *s, struct trj_error *err) {
    double mean, least = INFINITY;
    uint32_t *best = trj_alloc(s->count, sizeof *best, "ranks", err);
    int any = 1;
    if (!best || net_traffic_start(&s->traffic, s->p, err)) {
        free(best);
        return -1;
    }
    for (uint32_t g = 0; g < s->count; g++) // each message is sent by the group with the lower number
        for (size_t i = s->start[g]; any >= 0 && i < s->start[g + 1]; i++) {
            const uint32_t h = s->near[i];
            const size_t a = s->list[s->place[g]], b = s->list[s->place[h]];
            if (g < h && (net_traffic_send(&s->traffic, a, b, 1, err) || net_traffic_send(&s->traffic, b, a, 1, err)))
                any = -1;
        }
    for (int sweep = 0; any >= 0; sweep++) {
        const double largest = net_traffic_largest(&s->traffic, &mean);
        if (largest <= least) {
            least = largest;
            memcpy(best, s->place, s->count * sizeof *best);
        }
        if (!any || sweep == MAX_SWEEPS || !*s->work) break;
        const double heavy = 0.7 * largest;
        any = 0;
        for (uint32_t g = 0; any >= 0 && g < s->count && *s->work; g++) {
            if (heaviest(s, g, err) < heavy) continue;
            const int rc = balance_group(s, g, err);
            any = rc < 0 ? -1 : any || rc;
        }
    }
    memcpy(s->place, best, s->count * sizeof *best);
    net_traffic_free(&s->traffic);
    free(best);
    return any < 0 ? -1 : 0;
}

static int shorten(struct swapper *s, struct trj_error *err) {
    bool any = true;
    (void)err;
    for (int sweep = 0; any && sweep < MAX_SWEEPS; sweep++) {
        any = false;
        for (uint32_t g = 0; g < s->count && *s->work; g++) any = improve(s, g) || any;
    }
    return 0;
}

// NOLINTNEXTLINE(readability-non-const-parameter): `work` is changed through `s`
static int swap(struct net_domains *d, const struct net_points *p, const uint32_t *list, size_t count, uint64_t *work,
                int (*how)(struct swapper *s, struct trj_error *err), struct trj_error *err) {
    struct swapper s = {.p = p, .list = list, .count = count, .work = work};
    uint32_t *entry = trj_alloc(p->count, sizeof *entry, "ranks", err);
    s.place = entry ? trj_alloc(4 * count, sizeof *s.place, "ranks", err) : NULL;
    int rc = s.place ? 0 : -1;
    if (!rc) {
        s.group = s.place + count;
        s.curve = s.group + count;
        s.on_curve = s.curve + count;
        for (size_t i = 0; i < count; i++) {
            entry[list[i]] = (uint32_t)i;
            s.place[i] = s.group[i] = (uint32_t)i;
        }
        rc = list_neighbours(&s, d, entry, err) || sort_curve(&s, err) || how(&s, err) ? -1 : 0;
    }
    for (size_t i = 0; !rc && i < net_domains_count(d); i++) d->rank[i] = list[s.place[entry[d->rank[i]]]];
    free(s.near);
    free(s.start);
    free(s.place);
    free(entry);
    return rc;
}

int net_domains_swap(struct net_domains *d, const struct net_points *p, const uint32_t *list, size_t count,
                     uint64_t *work, struct trj_error *err) {
    return swap(d, p, list, count, work, shorten, err);
}

int net_domains_balance(struct net_domains *d, const struct net_points *p, const uint32_t *list, size_t count,
                        uint64_t *work, struct trj_error *err) {
    return swap(d, p, list, count, work, balance, err);
}

// ---- the best method

static int assign_by(struct net_domains *d, const struct net_points *p, const uint32_t *host, const uint32_t *list,
                     size_t count, enum net_method method, struct trj_error *err) {
    struct net_sorter s = {.room = NULL};
    if (method == NET_BISECT) return net_domains_bisect(d, p, host, list, count, err);
    if (method == NET_GIVEN) return net_domains_in_order(d, list, count, false, err);
    uint32_t *sorted = trj_alloc(count, sizeof *sorted, "ranks", err);
    if (!sorted) return -1;
    memcpy(sorted, list, count * sizeof *list);
    int rc = net_sort_hilbert(&s, p, sorted, count, err);
    if (!rc) rc = net_domains_in_order(d, sorted, count, true, err);
    free(s.room);
    free(sorted);
    return rc;
}

int net_domains_assign(struct net_domains *d, struct net_points *p, const uint32_t *host, const uint32_t *list,
                       size_t count, enum net_method method, bool loads, enum net_method *taken,
                       struct trj_error *err) {
    static const enum net_method methods[] = {NET_BISECT, NET_HILBERT, NET_GIVEN};
    const size_t domains = net_domains_count(d);
    uint64_t least = UINT64_MAX, work = SWAP_WORK + SWAP_PER_RANK * (uint64_t)count;
    *taken = method;
    if (method == NET_KMEANS) return trj_fail(err, TRJ_USAGE, "--method kmeans: not for domains; use bisect or best");
    if (net_points_shift(p, err)) return -1;
    if (method != NET_BEST) return assign_by(d, p, host, list, count, method, err);
    uint32_t *best = trj_alloc(domains, sizeof *best, "domains", err);
    int rc = best ? 0 : -1;
    for (size_t i = 0; !rc && i < sizeof methods / sizeof *methods; i++) {
        rc = assign_by(d, p, host, list, count, methods[i], err);
        const uint64_t hops = rc ? UINT64_MAX : net_domains_hops(d, p);
        if (hops >= least) continue;
        least = hops;
        *taken = methods[i];
        memcpy(best, d->rank, domains * sizeof *best);
    }
    if (!rc) memcpy(d->rank, best, domains * sizeof *best);
    if (!rc) rc = net_domains_swap(d, p, list, count, &work, err);
    work = BALANCE_WORK + BALANCE_PER_RANK * (uint64_t)count;
    if (!rc && loads) rc = net_domains_balance(d, p, list, count, &work, err);
    free(best);
    return rc;
}
