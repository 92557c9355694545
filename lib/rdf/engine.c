// SPDX-License-Identifier: MIT
#include "engine.h"

#include <stddef.h>
#include <string.h>

static const struct rdf_engine *const engines[] = {&rdf_engine_cpu, &rdf_engine_reference, NULL}; // best first

const struct trj_choice rdf_engine_choices[] = {
    {"auto", "the fastest that can run here"},
    {"cpu", "tiles in float32, near edges resolved in float64; all cores"},
    {"reference", "float64 brute force on one thread, for checking"},
    {NULL, NULL},
};

int rdf_engine_find(const struct rdf_engine **engine, const char *name, struct trj_error *err) {
    bool best = !strcmp(name, "auto");
    for (size_t i = 0; engines[i]; i++) {
        *engine = engines[i];
        if (!best && strcmp(name, (*engine)->name)) continue;
        if (!(*engine)->probe(err)) return 0;
        if (!best) return -1;
    }
    return trj_fail(err, TRJ_NO_ENGINE, "engine %s: not part of this build", name);
}
