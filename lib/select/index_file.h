// SPDX-License-Identifier: MIT
// GROMACS index files (.ndx): named lists of atoms.
//   [ Protein ]
//      1    2    3
// A line with a name in brackets begins a group. The numbers that follow are its atoms, counted from 1, in any order,
// with any number of them on a line. A ';' begins a comment.
#ifndef TRJ_INDEX_FILE_H
#define TRJ_INDEX_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct trj_index_group {
    char *name;
    uint64_t line;         // line of its name, from 1
    uint32_t *atoms;       // [count] ascending, from 0, each once
    size_t count;          // 0: an empty group
    uint64_t highest_line; // line of the highest atom number
    size_t first;          // number of the first group with this name in the file
};

struct trj_index_file {
    char *path;
    struct trj_index_group *groups; // [count] in the order of the file; names may be repeated
    size_t count;
};

// Reads an index file. Fails with TRJ_BAD_DATA, file and line for an invalid number or name, an atom that is twice in a
// group, and a file without groups.
int trj_index_file_open(struct trj_index_file **file, const char *path, struct trj_error *err);
void trj_index_file_close(struct trj_index_file *file); // NULL is allowed

// Finds the group of that name. Fails with TRJ_USAGE if there is none, or if two of them have different atoms.
int trj_index_file_find(const struct trj_index_file *file, const char *name, const struct trj_index_group **group,
                        struct trj_error *err);

// Fails with TRJ_USAGE if the first group of the same name has different atoms.
int trj_index_group_repeats(const struct trj_index_file *file, const struct trj_index_group *group,
                            struct trj_error *err);

// Fails with TRJ_BAD_DATA and the line if a group is empty, or has an atom beyond the `atoms` atoms of the trajectory.
int trj_index_group_check(const struct trj_index_file *file, const struct trj_index_group *group, size_t atoms,
                          struct trj_error *err);

#endif
