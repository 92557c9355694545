// SPDX-License-Identifier: MIT
#include "recipe.h"
int trj_recipe_put_schema(struct trj_bytes *b, struct trj_toolbox *box, struct trj_error *err) {
    (void)b;
    (void)box;
    return trj_fail(err, TRJ_FAILED, "not yet");
}
