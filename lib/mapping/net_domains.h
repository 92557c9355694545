// SPDX-License-Identifier: MIT
// Assigns the spatial domains of a simulation, and the pencils of a three-dimensional Fourier transform, to ranks, so
// that neighbours in space are neighbours in the network.
//
// Domains divide the cell into n[0] x n[1] x n[2] boxes; domain (x, y, z) has the number (x * n[1] + y) * n[2] + z. A
// rank is a point (net_topology.h); ranks of one host follow each other.
#ifndef NET_DOMAINS_H
#define NET_DOMAINS_H

#include "net_order.h"
#include "net_parts.h"

enum { NET_DOMAINS_MAX = 1 << 24 };

struct net_domains {
    uint32_t n[3];
    double *load;   // [domains] > 0
    uint32_t *rank; // [domains] result
};

// Allocates for n[0] x n[1] x n[2] domains with the load 1, at most NET_DOMAINS_MAX (TRJ_USAGE).
int net_domains_start(struct net_domains *d, const uint32_t n[3], struct trj_error *err);
void net_domains_free(struct net_domains *d);
static inline size_t net_domains_count(const struct net_domains *d) {
    return (size_t)d->n[0] * d->n[1] * d->n[2];
}

// Chooses `wanted` of the ranks, all of which are chosen if there are fewer: those whose bit-reversed number on their
// host, and then whose bit-reversed number of the host is lowest, so that they are spread over all hosts. host[i] is
// the number of the host of rank i; `excluded` may be NULL. `list` receives the chosen ranks in ascending order.
// Returns their number.
size_t net_choose_ranks(const uint32_t *host, size_t ranks, const bool *excluded, size_t wanted, uint32_t *list,
                        struct trj_error *err);

// Assigns domains to the listed ranks by recursive bisection: the domains of a part are cut along their longest side,
// the ranks along the dimension of the network that is bound to it, at a border between hosts, and the domains in
// proportion to the load, with at least one for each rank. Sides and dimensions are bound once, by length. On one host,
// ranks are in order, and domains by x, y and z. J. C. Phillips et al., SC14, 81 (2014), section IV. In a tree, ranks
// are cut near the middle where the highest switch changes. TRJ_USAGE: more ranks than domains. The points must be
// shifted.
int net_domains_bisect(struct net_domains *d, const struct net_points *p, const uint32_t *host, const uint32_t *list,
                       size_t count, struct trj_error *err);

// Assigns domains in the order of a Hilbert curve to the listed ranks in their order, in proportion to the load.
int net_domains_in_order(struct net_domains *d, const uint32_t *list, size_t count, bool hilbert,
                         struct trj_error *err);

// Exchanges all domains of one rank with those of another where this reduces the hop-bytes of messages between
// neighbouring domains. The loads of ranks only change places. `work`: as for net_parts_swap.
int net_domains_swap(struct net_domains *d, const struct net_points *p, const uint32_t *list, size_t count,
                     uint64_t *work, struct trj_error *err);

// Does the same to reduce the largest load of a link, by the sum of the fourth power of all loads (net_traffic.h).
int net_domains_balance(struct net_domains *d, const struct net_points *p, const uint32_t *list, size_t count,
                        uint64_t *work, struct trj_error *err);

// Returns the sum of the distances over all pairs of neighbouring domains (six for each; the cell is periodic).
uint64_t net_domains_hops(const struct net_domains *d, const struct net_points *p);

// Assigns by a method; NET_BEST compares bisection, Hilbert curves and the given order, and improves the best by swaps.
// With `loads`, swaps then also reduce the largest load of a link. NET_KMEANS is TRJ_USAGE. *p must not be shifted yet.
int net_domains_assign(struct net_domains *d, struct net_points *p, const uint32_t *host, const uint32_t *list,
                       size_t count, enum net_method method, bool loads, enum net_method *taken, struct trj_error *err);

// Assigns n[0] x n[1] pencils along z to the listed ranks, by the mean position of the domains of each rank: the longer
// side is bisected, ranks are sorted by that coordinate, and divided in proportion. rank[x * n[1] + y] receives the
// rank. Phillips et al., section V. With more ranks than pencils, net_choose_ranks chooses among them before.
int net_pencils_assign(const uint32_t n[2], const struct net_domains *d, const uint32_t *list, size_t count,
                       uint32_t *rank, struct trj_error *err);

#endif
