// SPDX-License-Identifier: MIT
// Distributes the input. Each rank reads a file for itself if all have it under its path (equal size, time of the last
// change, and bytes at its start and end). Otherwise rank 0 reads it, and each rank gets its bytes from a pipe of its
// own process, so that no common file system is required.
#ifndef TRJ_MPI_INPUT_H
#define TRJ_MPI_INPUT_H

#include "error.h"
#include "mpi_plugin.h"

// Looks for the file, and starts the threads of this rank unless all ranks have it. The next input that is opened with
// this path then reads the file that was found, or the pipe. All ranks call this together.
int trj_mpi_input_start(const struct trj_mpi_plugin *plugin, int rank, const char *path, struct trj_error *err);
// After all bytes have been read: ends the threads. Sets the error of rank 0 with which reading has failed, if any, and
// returns -1 then.
int trj_mpi_input_end(struct trj_error *err);

#endif
