// SPDX-License-Identifier: MIT
// Detects launchers by the variables that they set, because a rank of another MPI's launcher starts without an error.
#include "mpi_launcher.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

const char *trj_mpi_kind_file(enum trj_mpi_kind kind) {
    static const char *const files[] = {"mpi-openmpi.so", "mpi-mpich.so", "mpi.so"};
    return files[kind];
}

const char *trj_mpi_kind_name(enum trj_mpi_kind kind) {
    static const char *const names[] = {"Open MPI", "MPICH", "the MPI of mpicc"};
    return names[kind];
}

// Returns the number, which is at least `min`; 0: there is none.
static int number(const char *variable, long min) {
    const char *text = getenv(variable);
    char *end;
    if (!text) return 0;
    long n = strtol(text, &end, 10);
    return end != text && !*end && n >= min && n <= 1 << 24 ? (int)n : 0;
}

struct trj_mpi_launcher trj_mpi_launcher_find(void) {
    static const struct {
        const char *size, *rank;
        enum trj_mpi_kind kind;
    } launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", TRJ_MPI_OPEN},
                     {"PMI_SIZE", "PMI_RANK", TRJ_MPI_MPICH},
                     {"SLURM_NTASKS", "SLURM_PROCID", TRJ_MPI_OTHER}};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const int size = number(launchers[i].size, 1);
        const bool open = launchers[i].kind == TRJ_MPI_OTHER && getenv("PMIX_RANK");
        if (size)
            return (struct trj_mpi_launcher){open ? TRJ_MPI_OPEN : launchers[i].kind, size, launchers[i].size,
                                             number(launchers[i].rank, 0)};
    }
    return (struct trj_mpi_launcher){.kind = getenv("PMIX_RANK") ? TRJ_MPI_OPEN : TRJ_MPI_OTHER};
}

int trj_mpi_launcher_check(const struct trj_mpi_launcher *l, const char *library, int size, struct trj_error *err) {
    if (!l->size || l->size == size) return 0;
    if (l->kind == TRJ_MPI_OTHER)
        return trj_fail(err, TRJ_USAGE,
                        "--mpi: %s is %d, but %s connects %d rank%s; start the program with mpirun, or with srun "
                        "--mpi=pmi2 or --mpi=pmix, whichever %s supports",
                        l->variable, l->size, library, size, size == 1 ? "" : "s", library);
    return trj_fail(err, TRJ_USAGE,
                    "--mpi: the launcher has started %d ranks (%s), but %s connects %d: they belong to different "
                    "MPIs; start the program with the mpirun of %s",
                    l->size, l->variable, library, size, library);
}
