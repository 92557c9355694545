// SPDX-License-Identifier: MIT
// The interface of the plug-ins, of which there is one for each MPI that was found when the tools were built. Handles
// differ between MPIs (pointers in Open MPI, integers in MPICH), so that the tools cannot call a library of MPI that
// they find at run time. A plug-in is compiled with the header of one MPI, and its functions have plain C types.
//
// The functions may be called by several threads, one for each channel. A function that waits for more than a
// millisecond sleeps between its checks, because a rank computes meanwhile in other threads of the same cores. A
// failure of MPI ends all ranks with the message of the MPI.
#ifndef TRJ_MPI_PLUGIN_H
#define TRJ_MPI_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

enum { TRJ_MPI_PLUGIN_VERSION = 1 };

// Communicators. Messages of different channels do not wait for each other.
enum trj_mpi_channel {
    TRJ_MPI_INPUT, // bytes of the input, from rank 0 to all
    TRJ_MPI_SUMS,  // results
    TRJ_MPI_CHANNELS,
};

struct trj_mpi_plugin {
    int version;
    // Initialises MPI, and sets the number of this rank and of all ranks, and the same among the ranks of this node.
    void (*start)(int *rank, int *size, int *local_rank, int *local_size);
    // Sends n bytes of rank 0 to all.
    void (*broadcast)(int channel, void *data, size_t n);
    // Sends n bytes to another rank while it receives up to m bytes of a third one. Either may be none: rank -1.
    void (*exchange)(int channel, const void *out, size_t n, int to, void *in, size_t m, int from);
    // Adds the values [n] of all ranks, modulo 2^64, to those of rank 0. The values of other ranks are undefined then.
    void (*sum)(int channel, uint64_t *values, size_t n);
    // Sets all[i] to the n bytes of rank i of this node.
    void (*gather_on_node)(const void *own, size_t n, void *all);
    void (*end)(void);         // waits for all ranks
    void (*abort)(int status); // ends all ranks; does not return
};

// The symbol of a plug-in.
#define TRJ_MPI_PLUGIN_SYMBOL "trj_mpi_plugin"

#endif
