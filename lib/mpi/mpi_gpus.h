// SPDX-License-Identifier: MIT
// Gives the GPUs of a node to its ranks in disjoint sets, by CUDA_VISIBLE_DEVICES, before a driver starts.
//
// A scheduler that has bound GPUs to ranks gives each rank another list, or hides the GPUs of the others: the UUIDs
// that NVML finds differ. Ranks with the same list and the same UUIDs share GPUs, and divide them.
#ifndef TRJ_MPI_GPUS_H
#define TRJ_MPI_GPUS_H

#include <stdbool.h>
#include <stddef.h>

enum { TRJ_MPI_GPUS_TEXT = 4096 };

// The GPUs that a rank can use.
struct trj_mpi_gpus {
    char visible[TRJ_MPI_GPUS_TEXT]; // CUDA_VISIBLE_DEVICES; "" if it is not set
    char uuids[TRJ_MPI_GPUS_TEXT];   // of NVML, separated by commas; "": unknown
};
void trj_mpi_gpus_find(struct trj_mpi_gpus *g);

// Sets `list` to the part of the GPUs for rank `rank` of a node, whose ranks have all[count]: separated by commas, as
// CUDA_VISIBLE_DEVICES; "" if the rank keeps what it has, because it shares no GPU. *sharing is the number of ranks
// that have at least one GPU in common with it, itself included: 1 unless there are fewer GPUs than ranks.
void trj_mpi_gpus_divide(char list[TRJ_MPI_GPUS_TEXT], unsigned *sharing, const struct trj_mpi_gpus *all, size_t count,
                         size_t rank);

#endif
