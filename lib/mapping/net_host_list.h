// SPDX-License-Identifier: MIT
// Expands host lists of Slurm: names separated by commas, with ranges of numbers in brackets, as in "n[001-500,7],m1".
#ifndef NET_HOST_LIST_H
#define NET_HOST_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// Calls `each` for every name, in the order of the list; the last brackets of a name vary fastest. Leading zeros are
// kept. `left` is the number of names that are still allowed, which is reduced; a list with more is TRJ_BAD_DATA before
// any of its range is expanded, as is an invalid one. Stops if `each` returns another value than 0, which it returns.
// The text is only read.
int net_host_list(const char *text, size_t *left, int (*each)(void *arg, const char *name, struct trj_error *err),
                  void *arg, struct trj_error *err);

// Returns whether a host list can contain the name: letters, digits and the characters ._-:@
bool net_host_name_is_valid(const char *name);

#endif
