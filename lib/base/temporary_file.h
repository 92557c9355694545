// SPDX-License-Identifier: MIT
// Creates temporary files without a name, which disappear when they are closed, also if the process is killed.
#ifndef TRJ_TEMPORARY_FILE_H
#define TRJ_TEMPORARY_FILE_H

// Creates a file in the folder $TMPDIR (default: /tmp). Returns its descriptor, or -1 with errno set. *folder is the
// name of the folder for messages, also after an error.
int trj_temporary_file(const char **folder);

#endif
