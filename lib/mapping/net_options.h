// SPDX-License-Identifier: MIT
// The options of trjmap that concern the network, the division and the metrics.
#ifndef NET_OPTIONS_H
#define NET_OPTIONS_H

#include "net_parts.h"
#include "net_traffic.h"
#include "tool.h"

struct net_options {
    const char *coordinates, *slurm, *hwloc; // one of them is given
    const char *torus, *mesh;
    bool dragonfly, all_hosts;
    uint64_t slots;
    uint64_t parts; // TRJ_OPTION_ABSENT: not given
    const char *domains, *pencils, *load, *exclude, *goal, *method, *format;
    double base_load;
    const char *metrics, *pattern, *links;
    // Set by net_options_check:
    int32_t length[NET_DIMENSIONS_MAX];
    unsigned lengths;
    uint32_t n[3], pencil[2];
    enum net_method how;
    enum net_pattern traffic;
    bool loads_atoms;
};

#define NET_OPTIONS_DEFAULT                                                                                            \
    {                                                                                                                  \
        .slots = 1, .parts = TRJ_OPTION_ABSENT, .load = "equal", .method = "best", .format = "table", .base_load = 1,  \
        .pattern = "stencil"                                                                                           \
    }

extern const struct trj_option net_option_table[];

// Checks the options together; TRJ_USAGE.
int net_options_check(struct net_options *o, struct trj_error *err);
// Marks in excluded [ranks] the ranks that --exclude lists: "0,8-15". TRJ_USAGE for others than 0 to ranks - 1.
int net_options_exclude(const struct net_options *o, bool *excluded, size_t ranks, struct trj_error *err);
const char *net_method_name(enum net_method method);

#endif
