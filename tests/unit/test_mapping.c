// SPDX-License-Identifier: MIT
// Parts, domains, pencils and loads of links: the examples that Phillips et al. print, closed forms, properties of
// random tori with holes, and the optimum of small networks by exhaustion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "net_domains.h"
#include "net_host_list.h"
#include "net_parts.h"
#include "net_traffic.h"
#include "tap.h"

static struct trj_error err;

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t n) {
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * n >> 32);
}

static struct net_points torus(unsigned dimensions, const int32_t *length, size_t count) {
    struct net_points p = {.kind = NET_LATTICE, .dimensions = dimensions, .count = count};
    memcpy(p.length, length, dimensions * sizeof *length);
    p.at = calloc(count * dimensions, sizeof *p.at);
    return p;
}

// All positions of a torus, the last dimension fastest.
static struct net_points full_torus(unsigned dimensions, const int32_t *length) {
    size_t count = 1;
    for (unsigned k = 0; k < dimensions; k++) count *= (size_t)length[k];
    struct net_points p = torus(dimensions, length, count);
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        for (unsigned k = dimensions; k--; rest /= (size_t)length[k])
            p.at[i * dimensions + k] = (int32_t)(rest % (size_t)length[k]);
    }
    return p;
}

// `count` different positions of a torus, in random order.
static struct net_points random_torus(unsigned dimensions, const int32_t *length, size_t count) {
    struct net_points p = full_torus(dimensions, length);
    for (size_t i = 0; i < count; i++) {
        const size_t j = i + random_below((uint32_t)(p.count - i));
        for (unsigned k = 0; k < dimensions; k++) {
            const int32_t c = p.at[i * dimensions + k];
            p.at[i * dimensions + k] = p.at[j * dimensions + k];
            p.at[j * dimensions + k] = c;
        }
    }
    p.count = count;
    return p;
}

// ---- the examples of the paper

static void test_gaps(void) {
    static const int32_t twelve[] = {12}, given[2][4] = {{3, 5, 6, 9}, {2, 3, 10}},
                         expected[2][4] = {{0, 2, 3, 6}, {4, 5, 0}};
    for (int i = 0; i < 2; i++) {
        struct net_points p = torus(1, twelve, i ? 3 : 4);
        memcpy(p.at, given[i], p.count * sizeof *p.at);
        ok(!net_points_shift(&p, &err) && !memcmp(p.at, expected[i], p.count * sizeof *p.at),
           "gaps of a ring of 12, as in section III: example %d", i + 1);
        net_points_free(&p);
    }
    struct net_points p = torus(1, (const int32_t[]){NET_NO_WRAP}, 3);
    memcpy(p.at, (const int32_t[]){7, -3, 20}, 3 * sizeof *p.at);
    ok(!net_points_shift(&p, &err) && p.at[0] == 10 && !p.at[1] && p.at[2] == 23,
       "a dimension that does not wrap begins with its first position");
    net_points_free(&p);
}

static void test_hypercubes(void) {
    struct net_points p = full_torus(5, (const int32_t[]){8, 4, 4, 16, 2});
    struct net_parts d;
    bool cubes = !net_parts_start(&d, &p, 128, &err) && !net_parts_bisect(&d, &p, &err);
    for (size_t i = 0; cubes && i < 128; i++)
        for (unsigned k = 0; k < 5; k++) {
            int32_t low = INT32_MAX, high = 0;
            for (size_t j = d.start[i]; j < d.start[i + 1]; j++) {
                const int32_t c = p.at[d.order[j] * 5 + k];
                if (c < low) low = c;
                if (c > high) high = c;
            }
            cubes = cubes && high - low == 1;
        }
    ok(cubes, "bisection divides 8x4x4x16x2 into 128 parts of 2x2x2x2x2");
    net_parts_free(&d);
    net_points_free(&p);
}

static void test_pencils(void) {
    struct net_domains d;
    uint32_t list[25], rank[25], first = 0;
    bool once[25] = {false}, all = true;
    net_domains_start(&d, (const uint32_t[]){5, 5, 1}, &err);
    for (uint32_t i = 0; i < 25; i++) d.rank[i] = list[i] = i; // the rank of a domain has its position
    ok(!net_pencils_assign((const uint32_t[]){5, 5}, &d, list, 25, rank, &err), "5x5 pencils on 25 ranks");
    for (int i = 0; i < 25; i++) {
        all = all && rank[i] < 25 && !once[rank[i]] && rank[i] == (uint32_t)i;
        if (rank[i] < 25) once[rank[i]] = true;
        first += i < 10 && rank[i] < 10;
    }
    ok(all, "pencils go to the ranks with the domains at their place");
    ok(first == 10, "5x5 pencils are divided into 2x5 and 3x5");
    ok(net_pencils_assign((const uint32_t[]){4, 5}, &d, list, 25, rank, &err) == -1 && err.status == TRJ_USAGE,
       "more ranks than pencils: rejected");
    ok(!net_pencils_assign((const uint32_t[]){5, 5}, &d, list, 3, rank, &err), "more pencils than ranks");
    uint32_t count[3] = {0};
    for (int i = 0; i < 25; i++) count[rank[i]]++;
    ok(count[0] >= 5 && count[1] >= 5 && count[2] >= 5 && count[0] + count[1] + count[2] == 25,
       "more pencils than ranks: each rank has its share");
    net_domains_free(&d);
}

// ---- properties

static bool is_partition(const struct net_parts *d, size_t points) {
    bool *once = calloc(points, 1), good = d->start[0] == 0 && d->start[d->parts] == points;
    for (size_t i = 0; i < points; i++) {
        good = good && d->order[i] < points && !once[d->order[i]];
        if (d->order[i] < points) once[d->order[i]] = true;
    }
    for (size_t k = 0; k < d->parts; k++) {
        const size_t size = d->start[k + 1] - d->start[k];
        good = good && (size == points / d->parts || size == points / d->parts + 1);
    }
    free(once);
    return good;
}

// The diameters of all parts, sorted by counting; their order can change if coordinates move.
static uint64_t diameters_of(const struct net_parts *d, const struct net_points *p) {
    uint64_t hash = 0;
    for (size_t k = 0; k < d->parts; k++) {
        const uint64_t x = net_part_diameter(p, d->order + d->start[k], d->start[k + 1] - d->start[k]) + 1;
        hash += x * x * x * 2654435761u;
    }
    return hash;
}

static void test_properties(void) {
    static const enum net_method methods[] = {NET_BEST, NET_BISECT, NET_HILBERT, NET_GIVEN, NET_KMEANS, NET_WHOLE};
    bool partitions = true, repeat = true, translated = true, permuted = true;
    for (int round = 0; round < 30; round++) {
        const unsigned n = 1 + random_below(4);
        int32_t length[4];
        size_t all = 1;
        for (unsigned k = 0; k < n; k++) all *= (size_t)(length[k] = (int32_t)(2 + random_below(n > 2 ? 5 : 12)));
        const size_t count = all - random_below((uint32_t)(all / 4 + 1)), parts = 1 + random_below((uint32_t)count);
        struct net_points p = random_torus(n, length, count), q = torus(n, length, count);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            struct net_parts d, e;
            enum net_method taken;
            memcpy(q.at, p.at, count * n * sizeof *p.at);
            if (net_parts_divide(&d, &q, parts, methods[m], false, &taken, &err)) abort();
            partitions = partitions && is_partition(&d, count);
            memcpy(q.at, p.at, count * n * sizeof *p.at);
            net_parts_divide(&e, &q, parts, methods[m], false, &taken, &err);
            repeat = repeat && !memcmp(d.order, e.order, count * sizeof *d.order);
            net_parts_free(&e);
            if (methods[m] == NET_BISECT) {
                // Two equal gaps could be chosen differently after a translation; moving twice removes the choice.
                for (size_t i = 0; i < count * n; i++) q.at[i] = p.at[i];
                net_points_shift(&q, &err);
                memcpy(p.at, q.at, count * n * sizeof *p.at);
                net_parts_divide(&e, &q, parts, methods[m], false, &taken, &err);
                const uint64_t before = diameters_of(&e, &q);
                net_parts_free(&e);
                for (size_t i = 0; i < count; i++) // the points in reverse order
                    memcpy(q.at + i * n, p.at + (count - 1 - i) * n, n * sizeof *p.at);
                net_parts_divide(&e, &q, parts, methods[m], false, &taken, &err);
                permuted = permuted && diameters_of(&e, &q) == before;
                net_parts_free(&e);
            }
            net_parts_free(&d);
        }
        // A translation by the length less one of a full ring in the first dimension.
        const uint32_t a = random_below((uint32_t)count), b = random_below((uint32_t)count);
        const uint32_t distance = net_distance(&p, a, b);
        for (size_t i = 0; i < count; i++)
            for (unsigned k = 0; k < n; k++) p.at[i * n + k] = (p.at[i * n + k] + (int32_t)k + 1) % length[k];
        translated = translated && net_distance(&p, a, b) == distance;
        net_points_free(&p);
        net_points_free(&q);
    }
    ok(partitions, "all methods, random tori with holes: each point once, sizes equal or differing by one");
    ok(repeat, "all methods: the same result again");
    ok(permuted, "bisection: the order of the hosts does not change the diameters");
    ok(translated, "distances do not depend on the origin");
}

// The smallest sum of squared diameters of all divisions into parts of these sizes.
static double smallest_score(const struct net_points *p, const struct net_parts *sizes, uint32_t *part, size_t at,
                             size_t *left) {
    if (at == p->count) {
        double sum = 0;
        for (size_t k = 0; k < sizes->parts; k++) {
            uint32_t largest = 0;
            for (size_t i = 0; i < p->count; i++)
                for (size_t j = 0; j < i; j++)
                    if (part[i] == k && part[j] == k && net_distance(p, i, j) > largest)
                        largest = net_distance(p, i, j);
            sum += (double)largest * largest;
        }
        return sum;
    }
    double best = INFINITY;
    for (uint32_t k = 0; k < sizes->parts; k++) {
        if (!left[k]) continue;
        left[k]--;
        part[at] = k;
        const double score = smallest_score(p, sizes, part, at + 1, left);
        if (score < best) best = score;
        left[k]++;
    }
    return best;
}

static void test_exhaustion(void) {
    size_t optimal = 0, cases = 0;
    bool never_better = true;
    double worst = 1;
    for (int round = 0; round < 40; round++) {
        static const int32_t length[] = {5, 4, 3};
        const size_t parts = 2 + random_below(2), count = parts == 2 ? 8 + random_below(5) : 6 + random_below(4);
        struct net_points p = random_torus(3, length, count);
        struct net_parts d;
        enum net_method taken;
        uint32_t part[12];
        size_t left[3];
        double score = 0;
        if (net_parts_divide(&d, &p, parts, NET_BEST, false, &taken, &err)) abort();
        for (size_t k = 0; k < parts; k++) {
            left[k] = d.start[k + 1] - d.start[k];
            const double x = net_part_diameter(&p, d.order + d.start[k], left[k]);
            score += x * x;
        }
        const double best = smallest_score(&p, &d, part, 0, left);
        never_better = never_better && score >= best;
        optimal += score == best;
        cases++;
        if (best > 0 && score / best > worst) worst = score / best;
        net_parts_free(&d);
        net_points_free(&p);
    }
    ok(never_better, "exhaustion: no division is better than the optimum, so that diameters are right");
    ok(4 * optimal >= 3 * cases && worst < 2, "exhaustion, 6 to 12 hosts: %zu of %zu divisions are optimal; worst %.2f",
       optimal, cases, worst);
}

// ---- trees

static void test_trees(void) {
    // Two switches with 9 and 15 hosts below a root.
    struct net_points p = {.kind = NET_TREE, .dimensions = 3, .count = 24};
    p.at = calloc(72, sizeof *p.at);
    for (int32_t i = 0; i < 24; i++) {
        p.at[3 * i + 1] = i * 7 % 24 < 9 ? 1 : 2;
        p.at[3 * i + 2] = i;
    }
    struct net_parts d;
    enum net_method taken;
    net_parts_divide(&d, &p, 3, NET_BEST, false, &taken, &err);
    const struct net_diameters found = net_parts_diameters(&d, &p);
    ok(taken == NET_PACK && is_partition(&d, 24), "a tree: parts are filled from below");
    ok(found.max == 4 && fabs(found.mean - 8.0 / 3) < 1e-12, "9 and 15 hosts in 3 parts: only one needs both switches");
    net_parts_free(&d);
    ok(net_distance(&p, 0, 0) == 0, "a tree: the distance of a host from itself is 0");
    p.kind = NET_DRAGONFLY;
    p.at[0] = 1;
    ok(net_distance(&p, 0, 1) == 5 && net_distance(&p, 1, 2) >= 2, "a dragonfly: 5 links between groups");
    net_points_free(&p);
}

// ---- domains

static void test_domains(void) {
    struct net_points p = full_torus(3, (const int32_t[]){8, 8, 8});
    uint32_t *host = calloc(512, sizeof *host), *list = calloc(512, sizeof *list);
    struct net_domains d;
    enum net_method taken;
    for (uint32_t i = 0; i < 512; i++) host[i] = list[i] = i;
    net_domains_start(&d, (const uint32_t[]){8, 8, 8}, &err);
    ok(!net_domains_assign(&d, &p, host, list, 512, NET_BISECT, false, &taken, &err) &&
           net_domains_hops(&d, &p) == 3072,
       "8x8x8 domains on a full torus of 8x8x8: bisection gives distance 1 for all neighbours");
    net_domains_free(&d);
    // 20 hosts of 4 ranks, with loads of a factor of 10.
    struct net_points ranks = torus(2, (const int32_t[]){5, 4}, 80);
    for (uint32_t i = 0; i < 80; i++) {
        host[i] = i / 4;
        ranks.at[2 * i] = (int32_t)(i / 16);
        ranks.at[2 * i + 1] = (int32_t)(i / 4 % 4);
    }
    net_domains_start(&d, (const uint32_t[]){10, 9, 8}, &err);
    double load[80] = {0}, total = 0, largest = 0;
    size_t domains[80] = {0};
    for (size_t i = 0; i < 720; i++) total += d.load[i] = 1 + random_below(10);
    ok(!net_domains_bisect(&d, &ranks, host, list, 80, &err), "720 domains on 80 ranks of 20 hosts");
    bool each = true;
    for (size_t i = 0; i < 720; i++) {
        load[d.rank[i]] += d.load[i];
        domains[d.rank[i]]++;
    }
    for (int i = 0; i < 80; i++) {
        each = each && domains[i];
        if (load[i] > largest) largest = load[i];
    }
    ok(each, "each rank has a domain");
    ok(largest - total / 80 <= 30, "loads follow the ranks: largest %.0f, mean %.1f", largest, total / 80);
    ok(net_domains_bisect(&d, &ranks, host, list, 721, &err) == -1 && err.status == TRJ_USAGE,
       "more ranks than domains: rejected");
    ok(net_choose_ranks(host, 80, NULL, 20, list, &err) == 20, "20 of 80 ranks are chosen");
    bool spread = true;
    for (uint32_t i = 0; i < 20; i++) spread = spread && list[i] == 4 * i;
    ok(spread, "the choice by bit reversal takes the first rank of each host");
    bool excluded[80] = {true, false};
    net_choose_ranks(host, 80, excluded, 80, list, &err);
    ok(list[0] == 1 && list[78] == 79, "excluded ranks are not chosen");
    net_domains_free(&d);
    net_points_free(&ranks);
    net_points_free(&p);
    free(host);
    free(list);
}

static void test_scotch_case(void) {
    // Scotch 7.0.3 reaches 1.58 links between neighbours for 8x8x8 domains on a full torus, and 2.39 for 500 on 500 of
    // 512 positions.
    struct net_points p = random_torus(3, (const int32_t[]){8, 8, 8}, 500);
    uint32_t host[500], list[500];
    struct net_domains d;
    enum net_method taken;
    for (uint32_t i = 0; i < 500; i++) host[i] = list[i] = i;
    net_domains_start(&d, (const uint32_t[]){10, 10, 5}, &err);
    ok(!net_domains_assign(&d, &p, host, list, 500, NET_BEST, false, &taken, &err),
       "500 domains on 500 of 512 positions");
    const double hops = (double)net_domains_hops(&d, &p) / 3000;
    ok(hops < 2.1, "500 of 512 positions: %.2f links between neighbours, fewer than 2.39 of Scotch", hops);
    net_domains_free(&d);
    net_points_free(&p);
}

// ---- loads of links

static void test_links(void) {
    struct net_points p = full_torus(3, (const int32_t[]){6, 5, 4});
    struct net_traffic t;
    uint32_t point[120];
    double mean;
    for (uint32_t i = 0; i < 120; i++) point[i] = i;
    net_traffic_start(&t, &p, &err);
    net_traffic_add(&t, NET_STENCIL, (const uint32_t[]){6, 5, 4}, point, &err);
    ok(net_traffic_largest(&t, &mean) == 1 && mean == 1 && t.links == 720 && t.hops == 720 && t.messages == 720,
       "stencil on a full torus: each of the 720 links has the load 1");
    net_traffic_free(&t);
    net_traffic_start(&t, &p, &err);
    net_traffic_add(&t, NET_TRANSPOSE, (const uint32_t[]){6, 5, 4}, point, &err);
    // The distances from one position of a ring of 6, 5, 4 add up to 9, 6, 4.
    ok(fabs(t.hops - 120 * (9 / 6.0 + 6 / 5.0 + 4 / 4.0)) < 1e-9, "transposition on a full torus: closed form of hops");
    ok(fabs(net_traffic_largest(&t, &mean) - 1) < 1e-9,
       "transposition: ties go upwards, so that the ring of 6 has the load 1");
    net_traffic_free(&t);
    net_traffic_start(&t, &p, &err);
    net_traffic_add(&t, NET_ALLREDUCE, (const uint32_t[]){6, 5, 4}, point, &err);
    ok(t.messages == 64 * 6 + 2 * 56, "all-reduce of 120 ranks: 64 in recursive doubling, 56 folded");
    net_traffic_free(&t);
    // A mesh: no link crosses the border.
    p.length[0] = p.length[1] = p.length[2] = NET_NO_WRAP;
    net_traffic_start(&t, &p, &err);
    net_traffic_send(&t, 0, 119, 1, &err);
    ok(t.links == 5 + 4 + 3, "mesh: from corner to corner without wrapping");
    net_traffic_send(&t, 0, 119, -1, &err);
    ok(net_traffic_largest(&t, &mean) == 0 && t.cost == 0, "a message that is taken away leaves no load");
    net_traffic_free(&t);
    net_points_free(&p);
    uint32_t n[3];
    net_grid_of(64, n);
    ok(n[0] == 4 && n[1] == 4 && n[2] == 4, "64 ranks are a grid of 4x4x4");
    net_grid_of(7, n);
    ok(n[0] == 7 && n[1] == 1 && n[2] == 1, "7 ranks are a line");
}

// ---- host lists

struct names {
    char text[200];
    size_t count;
};
static int add_name(void *arg, const char *name, struct trj_error *e) {
    struct names *n = arg;
    (void)e;
    if (n->count++ < 9) {
        strcat(n->text, name);
        strcat(n->text, " ");
    }
    return 0;
}

static void test_host_lists(void) {
    static const char *const invalid[] = {
        "n[1-3",           "n[3-1]", "n[a]",   "n[]", "", "a,", "n[1-999999999]", "n[1-9999][1-9999]",
        "n[1-9999999999]", "n]",     "n[1,]x;"};
    struct names n = {"", 0};
    size_t left = NET_HOSTS_MAX;
    ok(!net_host_list("n[001-003,7],login,r[1-2]c[0-1]", &left, add_name, &n, &err) &&
           !strcmp(n.text, "n001 n002 n003 n7 login r1c0 r1c1 r2c0 r2c1 "),
       "host lists of Slurm: zeros, single numbers, two brackets");
    ok(left == NET_HOSTS_MAX - 9, "the number of names is subtracted");
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        n.count = 0;
        left = NET_HOSTS_MAX;
        ok(net_host_list(invalid[i], &left, add_name, &n, &err) == -1 && err.status == TRJ_BAD_DATA && !n.count,
           "invalid host list '%s': rejected before any name is used", invalid[i]);
    }
}

int main(void) {
    test_gaps();
    test_hypercubes();
    test_pencils();
    test_properties();
    test_exhaustion();
    test_trees();
    test_domains();
    test_scotch_case();
    test_links();
    test_host_lists();
    return done();
}
