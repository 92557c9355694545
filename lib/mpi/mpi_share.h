// SPDX-License-Identifier: MIT
// Divides the frames of a stream among the ranks of MPI, behind the interface of work/frame_share.h.
#ifndef TRJ_MPI_SHARE_H
#define TRJ_MPI_SHARE_H

#include "frame_share.h"

// Returns the share of this rank, which computes `block` consecutive frames of every `block` times the number of ranks;
// `otherwise` if there is one rank. A larger block suits work that needs the frames before those that are computed. The
// share is valid until the process ends.
const struct work_share *trj_mpi_share(const struct work_share *otherwise, uint64_t block);

// Fails with TRJ_BAD_DATA if one of the values [count] of a rank is so large that the sum of all ranks may exceed 64
// bits. If it fails in no rank, no sum does.
int trj_mpi_check_sums(const int64_t *values, size_t count, unsigned ranks, struct trj_error *err);

#endif
