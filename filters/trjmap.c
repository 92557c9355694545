// SPDX-License-Identifier: MIT
// trjmap: divides the hosts of a job into compact parts, and assigns spatial domains to ranks.
#include <stdio.h>
#include <string.h>

#include "net_load.h"
#include "net_map_make.h"
#include "output.h"
#include "stream_input.h"
#include "tool.h"

static struct net_options request = NET_OPTIONS_DEFAULT;
static const char *output_path;

static const struct trj_option options[] = {
    {.table = net_option_table, .value = &request},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "trjmap",
    .purpose =
        "Divides the hosts of a job into compact parts of equal size, assigns spatial domains to ranks so that "
        "neighbours are near in the network, and measures such maps. HOSTS is a list of hosts (default: standard "
        "input, as of scontrol show hostnames).",
    .operands = "[HOSTS]",
    .max_operands = 1,
    .options = options,
    .to_stdout = to_stdout,
};

struct run {
    struct net_topology topology;
    struct net_hosts hosts;
    struct net_domains domains;
    struct net_map map;
    struct net_metrics metrics;
    struct trj_reader *frames;
    struct trj_output *out, *links;
};

static int read_network(struct run *r, struct trj_error *err) {
    struct net_topology *t = &r->topology;
    if (request.slurm) return net_read_slurm(t, request.slurm, request.dragonfly, err);
    if (request.hwloc) return net_read_hwloc(t, request.hwloc, err);
    if (net_read_coordinates(t, request.coordinates, request.length, request.lengths, err)) return -1;
    if (!request.torus && !request.metrics) trj_tool_message("note: no dimension wraps, because --torus is not given");
    return request.mesh ? net_make_mesh(t, request.mesh, err) : 0;
}

// With --load atoms, standard input contains frames, so that the hosts come from a file or are all.
static int read_hosts(struct run *r, const char *operand, struct trj_error *err) {
    const uint32_t slots = (uint32_t)request.slots;
    if (request.all_hosts && operand) return trj_fail(err, TRJ_USAGE, "--all-hosts: leave HOSTS '%s' out", operand);
    if (request.loads_atoms && operand && !strcmp(operand, "-"))
        return trj_fail(err, TRJ_USAGE, "--load atoms reads frames from standard input; give HOSTS as a file");
    if (request.all_hosts || (request.loads_atoms && !operand))
        return net_all_hosts(&r->hosts, &r->topology, slots, err);
    return net_read_hosts(&r->hosts, &r->topology, operand ? operand : "-", slots, err);
}

static int start_table(struct run *r, struct trj_table *table, struct trj_error *err) {
    *table = (struct trj_table){.out = r->out, .err = err};
    if (r->frames) trj_table_provenance(table, r->frames->header->provenance, r->frames->header->provenance_count);
    trj_table_provenance(table, trj_tool_provenance(err), SIZE_MAX);
    return trj_table_status(table);
}

static int write_map(struct run *r, const char *summary, struct trj_error *err) {
    struct trj_table table;
    if (strcmp(request.format, "table") != 0) return net_map_write(&r->map, &r->topology, request.format, r->out, err);
    if (start_table(r, &table, err)) return -1;
    trj_table_comment(&table, "%s", summary);
    return net_map_write_table(&r->map, &r->topology, &table);
}

static int divide(struct run *r, struct trj_error *err) {
    char summary[200];
    enum net_method taken;
    struct net_diameters diameters;
    if (net_map_parts(&r->map, &r->topology, &r->hosts, &request, &taken, &diameters, err)) return -1;
    snprintf(summary, sizeof summary, "method: %s%s%s; diameter of parts: mean %.4g, max %u", request.method,
             request.how == NET_BEST ? ", from " : "", request.how == NET_BEST ? net_method_name(taken) : "",
             diameters.mean, diameters.max);
    return write_map(r, summary, err);
}

static int assign(struct run *r, struct trj_error *err) {
    char summary[200];
    enum net_method taken;
    double hops, imbalance;
    const bool wants_ranks = strcmp(request.format, "table") != 0 && strcmp(request.format, "hosts") != 0;
    if (net_domains_start(&r->domains, request.n, err)) return trj_fail_at(err, "--domains");
    if (request.loads_atoms &&
        (trj_stream_input_open(&r->frames, "-", err) || net_load_atoms(&r->domains, r->frames, request.base_load, err)))
        return -1;
    if (wants_ranks && (r->hosts.ranks != net_domains_count(&r->domains) || request.exclude))
        return trj_fail(err, TRJ_USAGE,
                        "--format %s: %zu domains for %zu ranks; give each rank one, or use --format table",
                        request.format, net_domains_count(&r->domains), r->hosts.ranks);
    if (net_map_domains(&r->map, &r->domains, &r->topology, &r->hosts, &request, &taken, &hops, &imbalance, err))
        return -1;
    if (request.pencils && net_map_pencils(&r->map, &r->domains, &r->hosts, &request, err)) return -1;
    snprintf(summary, sizeof summary,
             "method: %s%s%s; links between neighbouring domains: mean %.4g; largest load: %.4g of the mean",
             request.method, request.how == NET_BEST ? ", from " : "",
             request.how == NET_BEST ? net_method_name(taken) : "", hops, imbalance);
    return write_map(r, summary, err);
}

static int measure(struct run *r, struct trj_error *err) {
    struct trj_table table, links = {.err = err};
    if (net_map_read(&r->map, &r->topology, request.metrics, err) ||
        net_map_measure(&r->metrics, &r->map, &r->topology, request.traffic, err) || start_table(r, &table, err) ||
        net_metrics_write(&r->metrics, request.pattern, &table))
        return -1;
    if (!r->links) return 0;
    links.out = r->links;
    trj_table_provenance(&links, trj_tool_provenance(err), SIZE_MAX);
    return net_metrics_write_links(&r->metrics, &r->topology, &links);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    const char *operand = count ? *operands : NULL;
    int rc;
    net_topology_start(&r->topology);
    if (net_options_check(&request, err) || !trj_tool_provenance(err) ||
        trj_output_check_second(request.links, "--links", output_path, err))
        return -1;
    if (request.metrics && operand) return trj_fail(err, TRJ_USAGE, "--metrics: leave HOSTS '%s' out", operand);
    if (read_network(r, err) || (!request.metrics && read_hosts(r, operand, err)) ||
        trj_output_open(&r->out, output_path, TRJ_OUTPUT_TEXT, err) ||
        (request.links && trj_output_open(&r->links, request.links, TRJ_OUTPUT_TEXT, err)))
        return -1;
    if (request.metrics)
        rc = measure(r, err);
    else
        rc = request.domains ? assign(r, err) : divide(r, err);
    if (rc) return rc;
    if (r->links) {
        trj_output_join(r->out, r->links);
        r->links = NULL;
    }
    return trj_output_commit(r->out, err);
}

static void close_all(void *state) {
    struct run *r = state;
    net_metrics_free(&r->metrics);
    net_map_free(&r->map);
    net_domains_free(&r->domains);
    net_hosts_free(&r->hosts);
    net_topology_free(&r->topology);
    trj_output_close(r->links);
    trj_output_close(r->out);
    trj_reader_close(r->frames);
}

int main(int argc, char **argv) {
    static struct run r;
    return trj_tool_main(&tool, argc, argv, run, close_all, &r);
}
