// SPDX-License-Identifier: MIT
// Positions or velocities of atoms or centres, without the motion of a centre of mass.
#include "moving_units.h"

#include <stdlib.h>

#include "memory.h"

enum { GROUP, OF, ABOUT };

struct moving {
    struct tcf_units units;
    bool relative;
    const double *mass; // [header->atoms] for the centre
};

struct tcf_signal *tcf_moving_open(struct obs_observable *o, struct obs_system *s, bool masses, struct trj_error *err) {
    const struct obs_argument *a = o->argument;
    struct moving *m;
    struct tcf_signal *signal = tcf_signal_open(o, 3, 0, err);
    if (!signal || !(m = signal->own = trj_alloc(1, sizeof *m, "a correlation", err))) return NULL;
    if (tcf_units_open(&m->units, s, a[GROUP].selection, a[OF].choice, masses, err)) return NULL;
    m->relative = *a[ABOUT].text;
    if (m->relative && s->selection[a[ABOUT].selection].dynamic) {
        trj_error_set(err, TRJ_USAGE, "about=%s: its atoms change from frame to frame; select fixed ones",
                      a[ABOUT].text);
        return NULL;
    }
    if (m->relative && obs_system_need_property(s, "mass", a[ABOUT].selection, &m->mass, err)) return NULL;
    for (int k = 0; k < 3; k++) signal->count[k] = m->units.parts.count;
    return signal;
}

void tcf_moving_close(struct obs_observable *o) {
    struct tcf_signal *signal = tcf_signal_of(o);
    struct moving *m = signal ? signal->own : NULL;
    if (m) tcf_units_free(&m->units);
    tcf_signal_close(o);
}

const double *tcf_moving_mass(const struct obs_observable *o) {
    return ((const struct moving *)tcf_signal_of(o)->own)->units.total;
}

int tcf_moving_compute(const struct obs_observable *o, struct obs_view *v, float *const vector[3], double unit,
                       double *value, struct trj_error *err) {
    const struct moving *m = tcf_signal_of(o)->own;
    const struct obs_system *s = obs_view_system(v);
    const size_t n = m->units.parts.count;
    tcf_units_set(&m->units, s, vector, unit, value);
    if (m->relative) tcf_subtract_mean(&s->selection[o->argument[ABOUT].selection], m->mass, vector, unit, value, n);
    for (size_t i = 0; i < 3 * n; i++)
        if (!(value[i] - value[i] == 0))
            return trj_fail(err, TRJ_BAD_DATA, "value %zu of the frame is not finite; leave the frame out: trjcat -f",
                            i);
    return 0;
}
