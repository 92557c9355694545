// SPDX-License-Identifier: MIT
// Starts and ends the ranks of a tool, and passes on its calls to the plug-in.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): sched_getaffinity, cpu_set_t
#include "mpi_run.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "mpi_gpus.h"
#include "mpi_input.h"
#include "mpi_launcher.h"
#include "mpi_plugin.h"
#include "optional_library.h"
#include "output.h"
#include "pool.h"

const struct trj_option trj_mpi_option_table[] = {
    {.heading = "Several nodes",
     TRJ_OPTION_FIELD(0, "mpi", FLAG, struct trj_mpi_options, on, NULL,
                      "divide the frames among the ranks of MPI: start the program with mpirun or srun"),
     .role = TRJ_ROLE_SHELL},
    TRJ_OPTION_END,
};

static struct {
    const struct trj_mpi_plugin *plugin; // NULL: one process without MPI
    int rank, size, local_rank, local_size;
} ranks = {.size = 1, .local_size = 1};

unsigned trj_mpi_rank(void) {
    return (unsigned)ranks.rank;
}

unsigned trj_mpi_size(void) {
    return (unsigned)ranks.size;
}

// ---- the plug-in

// Folders of plug-ins, relative to that of the program: where `make install` and `make` put them.
static const char *const folders[] = {"../libexec/trjpipe", "plugins"};

static bool plugin_path(char path[PATH_MAX], const char *file) {
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return false;
    program[n] = 0;
    *strrchr(program, '/') = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int k = snprintf(path, PATH_MAX, "%s/%s/%s", program, folders[i], file);
        if (k > 0 && k < PATH_MAX && !access(path, F_OK)) return true;
    }
    return false;
}

static int load(const char *path, const char *file, struct trj_error *err) {
    const struct trj_mpi_plugin *plugin;
    const struct trj_symbol symbol = {TRJ_MPI_PLUGIN_SYMBOL, &plugin};
    // Libraries of MPI load plug-ins of their own, which need their symbols.
    if (!trj_library_load(path, RTLD_GLOBAL, &symbol, 1))
        return trj_fail(err, TRJ_NO_ENGINE, "--mpi: cannot load %s: %s; install the MPI, or compile trjpipe again",
                        file, dlerror());
    if (plugin->version != TRJ_MPI_PLUGIN_VERSION)
        return trj_fail(err, TRJ_NO_ENGINE, "--mpi: %s is of another version of trjpipe; install trjpipe again", path);
    ranks.plugin = plugin;
    return 0;
}

// Loads the plug-in of the launcher, or without a known one the first that there is.
static int choose(const struct trj_mpi_launcher *l, const char **library, struct trj_error *err) {
    static const enum trj_mpi_kind order[TRJ_MPI_KINDS][TRJ_MPI_KINDS + 1] = {
        [TRJ_MPI_OPEN] = {TRJ_MPI_OPEN, TRJ_MPI_OTHER, TRJ_MPI_KINDS},
        [TRJ_MPI_MPICH] = {TRJ_MPI_MPICH, TRJ_MPI_OTHER, TRJ_MPI_KINDS},
        [TRJ_MPI_OTHER] = {TRJ_MPI_OTHER, TRJ_MPI_MPICH, TRJ_MPI_OPEN, TRJ_MPI_KINDS},
    };
    char path[PATH_MAX];
    for (const enum trj_mpi_kind *kind = order[l->kind]; *kind != TRJ_MPI_KINDS; kind++) {
        if (!plugin_path(path, trj_mpi_kind_file(*kind))) continue;
        *library = trj_mpi_kind_name(*kind);
        return load(path, trj_mpi_kind_file(*kind), err);
    }
    const char *wanted = l->kind == TRJ_MPI_OTHER ? "MPI" : trj_mpi_kind_name(l->kind);
    return trj_fail(err, TRJ_NO_ENGINE,
                    "--mpi: this installation has no plug-in for %s%s; compile trjpipe where mpicc of %s is found, or "
                    "leave --mpi out and divide the trajectory with trjcat --segment",
                    wanted, l->kind == TRJ_MPI_OTHER ? "" : ", whose launcher has started the program", wanted);
}

// ---- start and end

// An error that several ranks find, such as invalid input, is printed by the first of them, which then ends all ranks.
// The others print theirs only if they still exist after this time. A rank that computes a frame finds it later.
static void wait_for_lower_ranks(void) {
    const struct timespec pause = {ranks.rank < 4 ? ranks.rank + 1 : 5, 0};
    nanosleep(&pause, NULL);
}

static void mute(void) {
    static char name[64];
    snprintf(name, sizeof name, "rank %d of %d", ranks.rank, ranks.size);
    trj_output_discard();
    trj_tool_mute(name, wait_for_lower_ranks);
}

// Divides the cores among the ranks of this node that have the same affinity mask.
static int divide_cores(struct trj_error *err) {
    cpu_set_t own, *all = trj_alloc((size_t)ranks.local_size, sizeof *all, "affinity masks", err);
    unsigned same = 0;
    if (!all) return -1;
    if (sched_getaffinity(0, sizeof own, &own)) CPU_ZERO(&own);
    ranks.plugin->gather_on_node(&own, sizeof own, all);
    for (int i = 0; i < ranks.local_size; i++) same += CPU_EQUAL(&own, &all[i]) ? 1 : 0;
    trj_pool_divide(same);
    free(all);
    return 0;
}

#ifdef TRJPIPE_CUDA
// Divides the GPUs among the ranks of this node.
static int divide_gpus(struct trj_error *err) {
    const size_t n = (size_t)ranks.local_size;
    struct trj_mpi_gpus own, *all = trj_alloc(n, sizeof *all, "GPUs", err);
    char list[TRJ_MPI_GPUS_TEXT];
    unsigned sharing;
    if (!all) return -1;
    trj_mpi_gpus_find(&own);
    ranks.plugin->gather_on_node(&own, sizeof own, all);
    trj_mpi_gpus_divide(list, &sharing, all, n, (size_t)ranks.local_rank);
    free(all);
    if (*list && setenv("CUDA_VISIBLE_DEVICES", list, 1)) return trj_fail_errno(err, "CUDA_VISIBLE_DEVICES");
    if (sharing > 1)
        trj_tool_message("note: --mpi: %u ranks share a GPU; start as many ranks on a node as it has GPUs", sharing);
    return 0;
}
#endif

int trj_mpi_start(const struct trj_mpi_options *o, const char *path, const struct trj_engine_options *engine,
                  const char *alone, struct trj_error *err) {
    const char *library;
    if (!o->on) return 0;
    struct trj_mpi_launcher launcher = trj_mpi_launcher_find();
    ranks.rank = launcher.rank; // until MPI gives it: errors of all ranks are printed once
    ranks.size = launcher.size ? launcher.size : 1;
    if (ranks.rank) mute();
    if (alone) {
        trj_error_set(err, TRJ_USAGE, "--mpi does not work with %s; leave one of them out", alone);
        err->quiet = ranks.rank > 0; // the first rank has the same error
        return -1;
    }
    if (choose(&launcher, &library, err)) return -1;
    const struct trj_mpi_plugin *p = ranks.plugin;
    p->start(&ranks.rank, &ranks.size, &ranks.local_rank, &ranks.local_size);
    if (ranks.rank && !launcher.rank) mute();
    if (trj_mpi_launcher_check(&launcher, library, ranks.size, err)) return -1;
    if (launcher.size) trj_output_allow_terminal();
    if (ranks.size == 1)
        trj_tool_print_note("--mpi: there is 1 rank, which does all the work; for more, start the program with mpirun "
                            "-n RANKS or srun");
    if (!engine->threads && divide_cores(err)) return -1;
#ifdef TRJPIPE_CUDA
    if (trj_engine_may_use_gpus(engine) && divide_gpus(err)) return -1;
#endif
    return ranks.size > 1 ? trj_mpi_input_start(p, ranks.rank, path, err) : 0;
}

// Waits until the launcher has read the error message from the pipe of standard error, at most one second. When a rank
// aborts, mpirun of MPICH ends its processes, and bytes that are still in the pipes are lost.
static void wait_for_message(void) {
    const struct timespec pause = {0, 10000000};
    struct stat s;
    if (fstat(STDERR_FILENO, &s) || !S_ISFIFO(s.st_mode)) return;
    for (int left = 1, i = 0; left > 0 && i < 100; i++) {
        if (ioctl(STDERR_FILENO, FIONREAD, &left)) return;
        nanosleep(&pause, NULL); // also after the last byte is read, which the launcher has yet to pass on
    }
}

int trj_mpi_end(int status) {
    struct trj_error err;
    const struct trj_mpi_plugin *p = ranks.plugin;
    if (!p) return status;
    if (!status && trj_mpi_input_end(&err)) status = trj_tool_fail(&err);
    if (status) {
        wait_for_message();
        p->abort(status);
    } else {
        p->end();
    }
    return status;
}

// ---- exchange of data

void trj_mpi_sum(uint64_t *values, size_t n) {
    if (ranks.size > 1) ranks.plugin->sum(TRJ_MPI_SUMS, values, n);
}

void trj_mpi_exchange(const void *out, size_t n, int to, void *in, size_t m, int from) {
    if (ranks.size > 1) ranks.plugin->exchange(TRJ_MPI_SUMS, out, n, to, in, m, from);
}

void trj_mpi_broadcast(void *data, size_t n) {
    if (ranks.size > 1) ranks.plugin->broadcast(TRJ_MPI_SUMS, data, n);
}
