// SPDX-License-Identifier: MIT
// Reads networks from files: coordinates, Slurm's topology.conf and topology.yaml, hwloc's XML; and lists of hosts.
//
// All functions return 0, or -1 after an error, which begins with the name of the file and, where there is one, the
// number of the line: TRJ_BAD_DATA for invalid content, TRJ_FAILED for a file that cannot be read. The topology must be
// started (net_topology_start), and is freed by the caller also after an error.
#ifndef NET_READ_H
#define NET_READ_H

#include "net_topology.h"

// Reads a table of hosts: name and integer coordinates, separated by tabs or blanks. A comment line "# host x y z"
// before the first host names the dimensions; without one, they are x, y, z, u, v, w, and then their numbers. `length`
// contains the lengths of `lengths` dimensions of a torus, or is empty (0): then no dimension wraps.
int net_read_coordinates(struct net_topology *t, const char *path, const int32_t *length, unsigned lengths,
                         struct trj_error *err);

// Makes dimensions that `list` names, separated by commas, not wrap. Fails with TRJ_USAGE for an unknown name.
int net_make_mesh(struct net_topology *t, const char *list, struct trj_error *err);

// Reads topology.conf, or topology.yaml if the name ends in .yaml or .yml. SwitchName and BlockName lines are
// supported. With `dragonfly`, the lowest switches are routers and those above them groups, which need no common root.
int net_read_slurm(struct net_topology *t, const char *path, bool dragonfly, struct trj_error *err);
int net_read_slurm_as(struct net_topology *t, const char *path, bool yaml, bool dragonfly, struct trj_error *err);

// Reads the cores of a machine that may be used, named core:0, core:1 ... as in hwloc-bind, and the levels above them.
// A machine without cores has processing units, pu:0 ...
int net_read_hwloc(struct net_topology *t, const char *path, struct trj_error *err);

// Hosts of a job.
struct net_hosts {
    uint32_t *host;  // [count] numbers of the topology
    uint32_t *slots; // [count] ranks on each
    size_t count;
    size_t ranks; // sum of the slots
};
// Reads a list of hosts, "-" for standard input: one or several names on a line, also with ranges as in Slurm, and
// "NAME slots=N" as in host files of Open MPI. `slots`: of hosts without a number. A host that occurs twice, or that
// the topology lacks, is TRJ_BAD_DATA.
int net_read_hosts(struct net_hosts *h, const struct net_topology *t, const char *path, uint32_t slots,
                   struct trj_error *err);
// Takes all hosts of the topology.
int net_all_hosts(struct net_hosts *h, const struct net_topology *t, uint32_t slots, struct trj_error *err);
void net_hosts_free(struct net_hosts *h);

// Switches of a tree, while a file is read. Zeroed: none.
struct net_switches {
    struct trj_texts names;
    struct trj_text_index index;
    struct net_switch {
        char *nodes, *children; // host lists; NULL: none
        uint64_t line;
        uint32_t parent; // UINT32_MAX: none
        uint32_t depth;  // of its path from the root; 0: not yet known
    } * list;            // [count]
    size_t count, capacity;
};
// Adds a switch, and copies the texts. The error has no place: the caller adds file and line.
int net_switches_add(struct net_switches *s, const char *name, const char *nodes, const char *children, uint64_t line,
                     struct trj_error *err);
// Connects the switches, and adds their hosts to the topology. Errors begin with "line N: ".
int net_switches_finish(struct net_switches *s, struct net_topology *t, bool dragonfly, struct trj_error *err);
void net_switches_free(struct net_switches *s);

#endif
