// SPDX-License-Identifier: MIT
// dielectric: fluctuations of the dipole moment of all molecules in the cell, and the dielectric constant of the medium
// around which the Ewald sum has a conductor (tin foil): 1 + (<M^2> - <M>^2) / (3 epsilon0 V k T).
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "signal.h"
#include "units.h"

enum { GROUP, TEMPERATURE };
enum { DIRECTIONS = 3, DIPOLE_COLUMNS = 4 };

#define VACUUM       8.8541878128e-12 // F/m
#define DEBYE_IN_C_M 3.33564095e-30   // CODATA 2018

struct moment {
    struct obs_observable dipole;
    bool open;
};

// Sets *charged to the first atom of a molecule with a charge, or to the number of atoms if all are neutral, and
// *amount to the charge. Returns 0 if the stream does not contain all molecules and their charges.
static int find_ion(size_t *charged, double *amount, const struct trj_stream_header *h, const double *charge,
                    double *total) {
    if (!h->molecule || h->centres || h->atoms != h->source_atoms) return 0;
    for (size_t i = 0; i < h->atoms; i++) {
        if (h->molecule[i] >= h->atoms || isnan(charge[i])) return 0;
        total[h->molecule[i]] += charge[i];
    }
    *charged = 0;
    while (*charged < h->atoms && fabs(total[h->molecule[*charged]]) < 1e-3) ++*charged;
    if (*charged < h->atoms) *amount = total[h->molecule[*charged]];
    return 1;
}

// The formula is that of a system without ions, in the group or outside of it: they screen the field of the dipoles.
static int check_ions(const struct obs_observable *o, const struct obs_system *s, struct trj_error *err) {
    const struct trj_stream_header *h = s->header;
    const size_t selection = o->argument[GROUP].selection;
    const double *charge;
    double amount = 0;
    size_t atom = 0;
    if (obs_system_need_property(s, "charge", selection, &charge, err)) return -1;
    double *total = trj_alloc(h->atoms, sizeof *total, "charges", err);
    if (!total) return -1;
    const int known = find_ion(&atom, &amount, h, charge, total);
    free(total);
    if (!known && s->selection[selection].count != h->source_atoms && s->note)
        s->note("note: dielectric: the charges of all molecules outside of the group are not known; the formula is "
                "that of a system without ions");
    if (!known || atom == h->atoms) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the molecule of atom %zu has the charge %.4g e, but the formula is that of a system without ions; "
                    "for the fluctuation of neutral molecules alone, use acf(box_dipole(GROUP))",
                    atom, amount);
}

static int open_dielectric(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    double temperature;
    if (tcf_signal_temperature(&temperature, &o->argument[TEMPERATURE], s, err) ||
        tcf_signal_check_images(s->header, "box_dipole", err) || check_ions(o, s, err))
        return -1;
    struct tcf_signal *signal = tcf_signal_open(o, DIRECTIONS, 1, err);
    struct moment *m = signal ? signal->own = trj_alloc(1, sizeof *m, "an expression", err) : NULL;
    if (!m) return -1;
    const size_t size = strlen(o->argument[GROUP].text) + sizeof "box_dipole()";
    char *text = trj_alloc(size, 1, "an expression", err);
    if (!text) return -1;
    snprintf(text, size, "box_dipole(%s)", o->argument[GROUP].text);
    m->open = true;
    int rc = obs_observable_open(&m->dipole, text, s, err);
    free(text);
    if (rc) return -1;
    signal->fluctuations = signal->normalised = true;
    signal->uses_temperature = true;
    if (isnan(temperature))
        signal->warning = "the dielectric constant requires the temperature; add --temperature T";
    else
        signal->polarisability = DEBYE_IN_C_M * DEBYE_IN_C_M / (3 * VACUUM * 1e-30 * TRJ_BOLTZMANN * temperature);
    struct tcf_column *c = tcf_signal_add_column(signal, "M2", "debye^2", 0, DIRECTIONS - 1, 1, err);
    if (!c) return -1;
    c->integral = "integral";
    c->integral_unit = "debye^2 ps";
    c->scale = 1;
    c->meaning = "integral up to the lag";
    return 0;
}

static int compute_dielectric(const struct obs_observable *o, struct obs_view *v, double *value,
                              struct trj_error *err) {
    const struct moment *m = tcf_signal_of(o)->own;
    double all[DIPOLE_COLUMNS];
    if (tcf_signal_check_volume(obs_view_frame(v), err)) return -1;
    if (obs_observable_compute(&m->dipole, v, all, err)) return -1;
    for (int k = 0; k < DIRECTIONS; k++) value[k] = all[k];
    return 0;
}

static void close_dielectric(struct obs_observable *o) {
    struct tcf_signal *signal = tcf_signal_of(o);
    struct moment *m = signal ? signal->own : NULL;
    if (m && m->open) obs_observable_free(&m->dipole);
    tcf_signal_close(o);
}

static const struct obs_column columns[] = {{"M2", "debye^2"}, {"integral", "debye^2 ps"}};

const struct obs_function tcf_dielectric = {
    .name = "dielectric",
    .parameter = {{.name = "group", .kind = OBS_ATOMS}, {.name = "temperature", .kind = OBS_NUMBER, .standard = ""}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula =
        "fluctuation of the dipole moment M of all molecules of the group, which must be neutral and whole: mean "
        "of (M(t) - m) (M(t + lag) - m), where m is the mean; dielectric constant with conducting boundaries: "
        "1 + (<M^2> - <M>^2) / (3 epsilon0 V k T)",
    .carry = "charge",
    .tool = "trjcorr",
    .open = open_dielectric,
    .compute = compute_dielectric,
    .close = close_dielectric,
};
