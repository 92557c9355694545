// SPDX-License-Identifier: MIT
// Recognises trajectories of Desmond by the files in their folder.
#include "desmond.h"

#include <fcntl.h>
#include <unistd.h>

const char trj_desmond[] =
    "is a trajectory of Desmond (dtr), which is not supported; convert it with python3 -c \"import mdtraj; "
    "mdtraj.load('in/clickme.dtr', top='top.pdb').save('out.xtc')\"";

bool trj_desmond_is_folder(int fd) {
    return !faccessat(fd, TRJ_DESMOND_FILE, F_OK, 0) || !faccessat(fd, "timekeys", F_OK, 0);
}
