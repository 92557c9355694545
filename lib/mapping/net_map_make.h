// SPDX-License-Identifier: MIT
// Makes maps from networks, hosts and options, and measures them: what trjmap does between its inputs and outputs.
#ifndef NET_MAP_MAKE_H
#define NET_MAP_MAKE_H

#include "net_domains.h"
#include "net_map_file.h"
#include "net_options.h"

// Divides the ranks into parts of equal size. If all hosts have the same number of slots, and the number of parts
// divides that of the hosts, all ranks of a host are in one part; otherwise a host can be divided, and `best` compares
// only the methods that keep the ranks of a host together in their order. Fails with TRJ_USAGE for more parts than
// ranks. net_map_free frees *m, also after an error.
int net_map_parts(struct net_map *m, const struct net_topology *t, const struct net_hosts *h,
                  const struct net_options *o, enum net_method *taken, struct net_diameters *diameters,
                  struct trj_error *err);

// Assigns domains, whose loads are set, to the ranks. *taken: as for net_domains_assign; *hops: mean distance of
// neighbouring domains; *imbalance: largest load of a rank divided by the mean.
int net_map_domains(struct net_map *m, struct net_domains *d, const struct net_topology *t, const struct net_hosts *h,
                    const struct net_options *o, enum net_method *taken, double *hops, double *imbalance,
                    struct trj_error *err);

// Replaces the map of domains by one of pencils: n[0] x n[1] x 1.
int net_map_pencils(struct net_map *m, const struct net_domains *d, const struct net_hosts *h,
                    const struct net_options *o, struct trj_error *err);

struct net_metrics {
    size_t parts; // 0: the map is one of domains
    struct net_diameters diameters;
    struct net_points points; // one for each host of the topology
    struct net_traffic traffic;
};
// Sends the messages of the pattern within each part, or among the domains. net_metrics_free frees *x, also after an
// error.
int net_map_measure(struct net_metrics *x, const struct net_map *m, const struct net_topology *t,
                    enum net_pattern pattern, struct trj_error *err);
void net_metrics_free(struct net_metrics *x);
int net_metrics_write(const struct net_metrics *x, const char *pattern, struct trj_table *table);
// Writes the load of every link that has one: in a lattice the position that it leaves, dimension and direction; in
// other networks its two ends.
int net_metrics_write_links(struct net_metrics *x, const struct net_topology *t, struct trj_table *table);

#endif
