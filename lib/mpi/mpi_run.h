// SPDX-License-Identifier: MIT
// Runs a tool on several ranks of MPI (--mpi). All ranks execute the same program with the same input. Only heavy work
// is divided. Rank 0 alone writes output, notes and progress.
//
// The tools are not linked with MPI: a plug-in (mpi_plugin.h) is loaded from PREFIX/libexec/trjpipe, or in the build
// folder from bin/plugins.
#ifndef TRJ_MPI_RUN_H
#define TRJ_MPI_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine_choice.h"
#include "error.h"
#include "tool.h"

struct trj_mpi_options {
    bool on;
};
extern const struct trj_option trj_mpi_option_table[];

// With --mpi, starts MPI; the program must call trj_mpi_end. `path` is the input, "-" for standard input: from this
// call on, an input that is opened with this path has the same bytes on all ranks (mpi_input.h). The ranks of one node
// divide its GPUs if the engine may use them and, without -j, its cores if their affinity masks are equal (pool.h).
// `alone`: an option that does not work with --mpi, such as "--checkpoint"; NULL: none was given. Fails with
// TRJ_NO_ENGINE if there is no plug-in, and with TRJ_USAGE if the launcher belongs to another MPI.
int trj_mpi_start(const struct trj_mpi_options *o, const char *path, const struct trj_engine_options *engine,
                  const char *alone, struct trj_error *err);
// Ends a main function: returns the exit status of the tool. If it is not 0, all ranks end with it.
int trj_mpi_end(int status);

// The following work without --mpi, too: there is one rank then.
unsigned trj_mpi_rank(void), trj_mpi_size(void);

// All ranks must call these functions in the same order, in the thread that runs the tool.
// Adds the values [n] of all ranks, modulo 2^64, to those of rank 0. The values of other ranks are undefined then.
void trj_mpi_sum(uint64_t *values, size_t n);
// Sends n bytes to the rank `to` while m bytes are received from `from`; -1: none.
void trj_mpi_exchange(const void *out, size_t n, int to, void *in, size_t m, int from);
// Sends n bytes of rank 0 to all.
void trj_mpi_broadcast(void *data, size_t n);

#endif
