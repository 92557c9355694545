// SPDX-License-Identifier: MIT
#include "engine.h"

#include <stddef.h>
#include <string.h>

const struct rdf_engine *const rdf_engines[] = {&rdf_engine_cpu, &rdf_engine_reference, NULL};

int rdf_engine_find(const struct rdf_engine **engine, const char *name, struct trj_error *err) {
    bool best = !strcmp(name, "auto");
    for (size_t i = 0; rdf_engines[i]; i++) {
        *engine = rdf_engines[i];
        if (!best && strcmp(name, (*engine)->name)) continue;
        if (!(*engine)->probe(err)) return 0;
        if (!best) return -1;
    }
    return trj_fail(err, TRJ_NO_ENGINE, "engine %s: not part of this build", name);
}
