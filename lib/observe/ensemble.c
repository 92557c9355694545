// SPDX-License-Identifier: MIT
// What results of all frames together have in common.
#include "ensemble.h"

#include "rmsd_engine.h"

int obs_ensemble_check_engine(const struct obs_ensemble_options *o, struct trj_error *err) {
    return o->map ? work_whole_check(obs_rmsd_engines, &o->engine, "computes all pairs", err) : 0;
}

int obs_ensemble_open(struct obs_ensemble *e, const struct obs_ensemble_options *options, const char *output,
                      struct obs_system *s, struct trj_error *err) {
    e->options = options;
    e->system = s;
    e->threads = (unsigned)options->engine.threads;
    e->form = obs_ensemble_form(options, output);
    e->kind = options->profile                                  ? &obs_profile
              : options->principal                              ? &obs_principal_components
              : obs_histogram_is_requested(&options->histogram) ? &obs_histogram_kind
                                                                : &obs_fluctuation;
    if (trj_output_check_second(options->vectors, "--vectors", output, err)) return -1;
    if (options->map) {
        static const struct obs_ensemble_kind *const maps[] = {[OBS_MAP_CONTACTS] = &obs_contact_map,
                                                               [OBS_MAP_DISTANCES] = &obs_distance_map,
                                                               [OBS_MAP_CENTRES] = &obs_distance_map,
                                                               [OBS_MAP_RMSD] = &obs_rmsd_matrix};
        if (obs_map_open(&e->expression, options, s, err)) return -1;
        e->kind = maps[obs_map_of(e->expression.function)];
    }
    return e->kind->open(e, err);
}

int obs_ensemble_take(void *ensemble, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct obs_ensemble *e = ensemble;
    e->frames++;
    return e->kind->take(e, f, value, err);
}

int obs_ensemble_write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err) {
    return e->kind->write(e, t, err);
}

void obs_ensemble_close(struct obs_ensemble *e) {
    if (e->kind) e->kind->close(e);
    obs_observable_free(&e->observable);
    obs_observable_free(&e->expression);
}
