// SPDX-License-Identifier: MIT
// Finds out from the environment which launcher has started this process, and how many ranks it has started. The
// launcher of another MPI does not connect the ranks: each would be alone, and do the whole work.
#ifndef TRJ_MPI_LAUNCHER_H
#define TRJ_MPI_LAUNCHER_H

#include "error.h"

enum trj_mpi_kind { TRJ_MPI_OPEN, TRJ_MPI_MPICH, TRJ_MPI_OTHER, TRJ_MPI_KINDS };

struct trj_mpi_launcher {
    enum trj_mpi_kind kind; // whose protocol it has; TRJ_MPI_OTHER: unknown
    int size;               // number of ranks that it has started; 0: unknown
    const char *variable;   // that contains it; NULL: none
    int rank;               // of this process; 0: the first, or unknown
};

// Reads the environment with getenv: OMPI_COMM_WORLD_SIZE of Open MPI, PMI_SIZE of MPICH and its relatives,
// SLURM_NTASKS of srun, in this order, because a launcher in a job of Slurm may start fewer ranks than the job has
// tasks.
struct trj_mpi_launcher trj_mpi_launcher_find(void);

// Fails with TRJ_USAGE if MPI has connected a number of ranks that differs from that of the launcher. `library` names
// the MPI of the plug-in.
int trj_mpi_launcher_check(const struct trj_mpi_launcher *l, const char *library, int size, struct trj_error *err);

// Names of the plug-ins' files and of the MPIs.
const char *trj_mpi_kind_file(enum trj_mpi_kind kind);
const char *trj_mpi_kind_name(enum trj_mpi_kind kind);

#endif
