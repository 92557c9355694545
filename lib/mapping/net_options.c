// SPDX-License-Identifier: MIT
// Parses the options of trjmap.
#include "net_options.h"

#include <string.h>

#include "number.h"

static const struct trj_choice methods[] = {
    {"best", "the best of all, improved by exchanges and swaps"},
    {"bisect", "recursive bisection"},
    {"hilbert", "the order of a Hilbert curve"},
    {"given", "the order of the list of hosts"},
    {"kmeans", "balanced k-means; for parts"},
    {NULL, NULL},
};
static const struct trj_choice formats[] = {
    {"table", "tab-separated table, which --metrics reads"},
    {"openmpi-rankfile", "for mpirun --rankfile"},
    {"slurm-arbitrary", "a host for each rank, for SLURM_HOSTFILE and srun --distribution=arbitrary"},
    {"hosts", "a line for each part: its hosts, separated by commas"},
    {"charm", "a nodelist for charmrun"},
    {NULL, NULL},
};
static const struct trj_choice goals[] = {
    {"diameter", "of parts: the largest distance in a part"},
    {"hops", "of domains, and of parts: the distance of neighbours, and of all pairs in a part"},
    {"links", "of domains: the largest load of a link, after hops"},
    {NULL, NULL},
};
static const struct trj_choice loads[] = {
    {"equal", "all domains are equal"},
    {"atoms", "the atoms in the domain, mean over the frames of the frame stream on standard input"},
    {NULL, NULL},
};
static const struct trj_choice patterns[] = {
    {"stencil", "each cell of a periodic grid with its six neighbours"},
    {"transpose", "each cell with all others of its line, along each axis"},
    {"allreduce", "recursive doubling"},
    {NULL, NULL},
};

#define FIELD(l, name, kind, member, arg, help) TRJ_OPTION_FIELD(l, name, kind, struct net_options, member, arg, help)

const struct trj_option net_option_table[] = {
    {.heading = "Network",
     FIELD('c', "coordinates", TEXT, coordinates, "FILE", "read hosts and their coordinates: HOST X Y ...")},
    {FIELD(0, "torus", TEXT, torus, "LENGTHS", "the network is a torus with these lengths, such as 24,24,24")},
    {FIELD(0, "mesh", TEXT, mesh, "DIMENSIONS", "these dimensions do not wrap, such as x,z")},
    {FIELD(0, "slurm", TEXT, slurm, "FILE", "read the switches from Slurm's topology.conf or topology.yaml")},
    {FIELD(0, "dragonfly", FLAG, dragonfly, NULL,
           "the lowest switches are routers of a dragonfly, and those above them its groups")},
    {FIELD(0, "hwloc", TEXT, hwloc, "FILE", "read the cores of a machine from the XML of lstopo")},
    {FIELD('a', "all-hosts", FLAG, all_hosts, NULL, "use all hosts of the network; none are read from HOSTS")},
    {FIELD('s', "slots", COUNT, slots, "N", "ranks on each host"), .min = 1, .max = 1 << 20},
    {.heading = "Division",
     FIELD('n', "parts", COUNT, parts, "N", "divide the ranks into N parts of equal size"),
     .min = 1,
     .max = NET_RANKS_MAX},
    {FIELD(0, "domains", TEXT, domains, "NXxNYxNZ", "assign these spatial domains to the ranks")},
    {FIELD(0, "load", CHOICE, load, "WHAT", "weigh domains by this"), .choices = loads},
    {FIELD(0, "base-load", REAL, base_load, "A", "with --load atoms: add A to the load of each domain")},
    {FIELD(0, "exclude", TEXT, exclude, "RANKS", "give no domains to these ranks, such as 0,8-15")},
    {FIELD(0, "pencils", TEXT, pencils, "NXxNY", "with --domains: assign these pencils along z instead")},
    {FIELD(0, "goal", CHOICE, goal, "GOAL", "with --method best: what to reduce"), .choices = goals},
    {FIELD('m', "method", CHOICE, method, "METHOD", "divide by this method"), .choices = methods},
    {.heading = "Metrics",
     FIELD(0, "metrics", TEXT, metrics, "FILE", "print diameters, hops and loads of links of this map")},
    {FIELD(0, "pattern", CHOICE, pattern, "PATTERN", "with --metrics: who sends to whom"), .choices = patterns},
    {FIELD(0, "links", TEXT, links, "FILE", "with --metrics: write the load of every link to FILE"),
     .role = TRJ_ROLE_OUTPUT},
    {.heading = "Output", FIELD('f', "format", CHOICE, format, "FORMAT", "write this format"), .choices = formats},
    TRJ_OPTION_END,
};

const char *net_method_name(enum net_method method) {
    static const char *const names[] = {"best", "bisect", "hilbert", "given", "kmeans", "packing"};
    return names[method];
}

static size_t index_of(const struct trj_choice *choices, const char *name) {
    size_t i = 0;
    while (strcmp(choices[i].name, name) != 0) i++;
    return i;
}

// Reads numbers from 1 that are separated by `separator`. Returns their number; 0 if the text is invalid.
static unsigned read_sizes(const char *text, char separator, uint64_t max, unsigned most, uint64_t *size) {
    for (unsigned count = 0; count < most; text++) {
        uint64_t value = 0;
        size_t digits = 0;
        for (; *text >= '0' && *text <= '9'; text++, digits++) {
            value = value * 10 + (uint64_t)(*text - '0');
            if (value > max) return 0;
        }
        if (!digits || !value) return 0;
        size[count++] = value;
        if (!*text) return count;
        if (*text != separator) return 0;
    }
    return 0;
}

static int check_network(struct net_options *o, struct trj_error *err) {
    uint64_t size[NET_DIMENSIONS_MAX];
    const int given = !!o->coordinates + !!o->slurm + !!o->hwloc;
    if (given != 1)
        return trj_fail(err, TRJ_USAGE, "%s; give one of --coordinates, --slurm and --hwloc",
                        given ? "several networks" : "no network");
    if (!o->coordinates && (o->torus || o->mesh))
        return trj_fail(err, TRJ_USAGE, "--%s requires --coordinates", o->torus ? "torus" : "mesh");
    if (!o->slurm && o->dragonfly) return trj_fail(err, TRJ_USAGE, "--dragonfly requires --slurm");
    if (o->mesh && !o->torus)
        return trj_fail(err, TRJ_USAGE, "--mesh requires --torus; without it, no dimension wraps");
    if (!o->torus) return 0;
    o->lengths = read_sizes(o->torus, ',', NET_COORDINATE_MAX, NET_DIMENSIONS_MAX, size);
    if (!o->lengths)
        return trj_fail(err, TRJ_USAGE,
                        "--torus: invalid lengths '%s'; expected 1 to %d integers from 1 to %d: 24,24,24", o->torus,
                        NET_DIMENSIONS_MAX, NET_COORDINATE_MAX);
    for (unsigned k = 0; k < o->lengths; k++) o->length[k] = (int32_t)size[k];
    return 0;
}

static int check_division(struct net_options *o, struct trj_error *err) {
    uint64_t size[3];
    const bool parts = o->parts != TRJ_OPTION_ABSENT;
    const int given = parts + !!o->domains + !!o->metrics;
    if (given != 1)
        return trj_fail(err, TRJ_USAGE, "%s; give one of --parts, --domains and --metrics",
                        given ? "several tasks" : "nothing to do");
    if (!o->domains && (o->pencils || o->exclude || strcmp(o->load, "equal") != 0))
        return trj_fail(err, TRJ_USAGE, "--%s requires --domains",
                        o->pencils   ? "pencils"
                        : o->exclude ? "exclude"
                                     : "load");
    if (!o->metrics && o->links) return trj_fail(err, TRJ_USAGE, "--links requires --metrics");
    if (o->metrics && (o->all_hosts || strcmp(o->format, "table") != 0))
        return trj_fail(err, TRJ_USAGE, "--metrics prints a table, for the hosts of the map; leave %s out",
                        o->all_hosts ? "--all-hosts" : "--format");
    if (o->domains) {
        if (read_sizes(o->domains, 'x', NET_RANKS_MAX, 3, size) != 3)
            return trj_fail(err, TRJ_USAGE, "--domains: invalid numbers '%s'; example: 12x12x12", o->domains);
        for (int k = 0; k < 3; k++) o->n[k] = (uint32_t)size[k];
    }
    if (o->pencils) {
        if (read_sizes(o->pencils, 'x', NET_RANKS_MAX, 2, size) != 2 || size[0] > NET_RANKS_MAX / size[1])
            return trj_fail(err, TRJ_USAGE, "--pencils: invalid numbers '%s'; example: 16x16, at most %d in total",
                            o->pencils, NET_RANKS_MAX);
        for (int k = 0; k < 2; k++) o->pencil[k] = (uint32_t)size[k];
        if (strcmp(o->format, "table") != 0)
            return trj_fail(err, TRJ_USAGE, "--pencils prints a table; leave --format out");
    }
    if (!(o->base_load >= 0) || o->base_load > 1e12)
        return trj_fail(err, TRJ_USAGE, "--base-load: %g is not in the range 0 to 1e12", o->base_load);
    return 0;
}

int net_options_check(struct net_options *o, struct trj_error *err) {
    if (check_network(o, err) || check_division(o, err)) return -1;
    o->how = (enum net_method)index_of(methods, o->method);
    o->traffic = (enum net_pattern)index_of(patterns, o->pattern);
    if (!o->goal)
        o->goal = o->domains ? "hops" : "diameter";
    else if (o->how != NET_BEST)
        return trj_fail(err, TRJ_USAGE, "--goal requires --method best");
    if (!strcmp(o->goal, "diameter") ? !!o->domains : !strcmp(o->goal, "links") && !o->domains)
        return trj_fail(err, TRJ_USAGE, "--goal %s is not for %s; use hops", o->goal, o->domains ? "domains" : "parts");
    if (!o->domains && !o->coordinates && !strcmp(o->goal, "hops"))
        return trj_fail(err, TRJ_USAGE, "--goal hops with --parts requires --coordinates; leave it out");
    o->loads_atoms = !strcmp(o->load, "atoms");
    if (o->how == NET_KMEANS && (!o->coordinates || o->domains))
        return trj_fail(err, TRJ_USAGE, "--method kmeans requires --coordinates and --parts; use best");
    if (strcmp(o->format, "table") != 0 && strcmp(o->format, "hosts") != 0 && o->hwloc)
        return trj_fail(err, TRJ_USAGE, "--format %s: cores of --hwloc are not hosts; use table or hosts", o->format);
    return 0;
}

int net_options_exclude(const struct net_options *o, bool *excluded, size_t ranks, struct trj_error *err) {
    for (const char *text = o->exclude; text && *text;) {
        int64_t first, last;
        const char *after = *text >= '0' && *text <= '9' ? trj_scan_i64(text, &first) : NULL;
        if (after) {
            last = first;
            if (*after == '-') after = after[1] >= '0' && after[1] <= '9' ? trj_scan_i64(after + 1, &last) : NULL;
        }
        if (!after || (*after && (*after != ',' || !after[1])) || last < first || last >= (int64_t)ranks)
            return trj_fail(err, TRJ_USAGE, "--exclude: invalid ranks '%s'; expected ranks from 0 to %zu: 0,8-15",
                            o->exclude, ranks - 1);
        for (int64_t i = first; i <= last; i++) excluded[i] = true;
        text = after + (*after == ',');
    }
    return 0;
}
