// SPDX-License-Identifier: MIT
// The hydrogen bonds that hbonds() counts, one by one.
#ifndef OBS_BONDED_PAIRS_H
#define OBS_BONDED_PAIRS_H

#include <stdint.h>

#include "error.h"
#include "observable.h"
#include "system.h"

// Gets a hydrogen bond of a frame. One with two hydrogens of the donor, or with two images, is found twice. A failure
// ends the search.
typedef int obs_hbond_visit(void *arg, uint32_t donor, uint32_t acceptor, struct trj_error *err);

// Finds the bonds of an observable hbonds(), which was opened without division by residues. (hbonds.c)
int obs_hbonds_visit(const struct obs_observable *o, struct obs_view *v, obs_hbond_visit *visit, void *arg,
                     struct trj_error *err);

#endif
