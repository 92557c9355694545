// SPDX-License-Identifier: MIT
// Writes maps, in which each rank has a host, in several formats, and reads the table again.
#ifndef NET_MAP_FILE_H
#define NET_MAP_FILE_H

#include "net_read.h"
#include "output.h"
#include "table_writer.h"

// Ranks with their hosts, in the order of parts and ranks within them; or domains in the order of their numbers.
struct net_map {
    bool domains;
    uint32_t n[3];    // of domains
    size_t count;     // ranks, or domains
    uint32_t *host;   // [count] number in the topology
    uint32_t *part;   // [count] of ranks
    uint32_t *number; // [count] rank in the part; of a domain: its rank
    uint32_t *slot;   // [count] number of the rank on its host, from 0
    size_t capacity[4];
};
void net_map_free(struct net_map *m);

// Reads a table that net_map_write has written, or one with the same columns: "# host part rank", or "# x y z host
// rank". Each rank of each part, and each domain, must occur once. Errors give the line; TRJ_BAD_DATA.
int net_map_read(struct net_map *m, const struct net_topology *t, const char *path, struct trj_error *err);

// Writes the table: columns host, part, rank, slot; or x, y, z, host, rank.
int net_map_write_table(const struct net_map *m, const struct net_topology *t, struct trj_table *table);
// Writes the global ranks, which count through all parts; domains are ranks if each has one. `format`:
// openmpi-rankfile, slurm-arbitrary, hosts or charm.
int net_map_write(const struct net_map *m, const struct net_topology *t, const char *format, struct trj_output *out,
                  struct trj_error *err);

#endif
