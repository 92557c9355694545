// SPDX-License-Identifier: MIT
// Atom selections. Grammar (keywords are case-sensitive, `not` binds tightest, then `and`, then `or`; parentheses group):
//   expr     := expr `or` expr | expr `and` expr | `not` expr | `(` expr `)` | `all` | `none` | text | number
//   text     := (`name` | `type` | `resname` | `segid` | `element`) GLOB...
//   number   := (`resid` | `index` | `mass`) RANGE... | (`resid` | `index` | `mass`) (`<` `<=` `>` `>=` `==` `!=`) VALUE
//   GLOB     := letters with `*` `?` `[...]`; 'quoted' or "quoted" where it would be a keyword or hold blanks
//   RANGE    := VALUE | VALUE:VALUE | VALUE-VALUE | VALUE `to` VALUE, both ends included
// index counts from 0.
#ifndef TRJ_SELECT_H
#define TRJ_SELECT_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "topology.h"

// The atoms that `expression` selects, ascending, malloc'd (never NULL; the caller frees). `top` may be NULL where there is no
// topology: then only all, none and index work, over `atoms` atoms. A syntax error, or a keyword the topology has no data for, is
// TRJ_USAGE with the expression and a caret position ("... at character 7"). Selecting nothing is TRJ_BAD_DATA.
// An `element` test that meets an atom of unknown element is TRJ_BAD_DATA naming the atom.
int trj_select(const char *expression, const struct trj_topology *top, size_t atoms, uint32_t **selected, size_t *count,
               struct trj_error *err);

#endif
