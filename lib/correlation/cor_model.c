// SPDX-License-Identifier: MIT
// Determines the Gaussians of all atoms once, because amplitudes and widths do not change from frame to frame.
#include "cor_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "electron_factors.h"
#include "element.h"
#include "memory.h"

const struct trj_choice cor_amplitudes[] = {
    {"Z", "atomic number"},
    {"mass", "mass"},
    {"1", "1 for each atom"},
    {"electron", "electron scattering factor of the element"},
    {NULL, NULL},
};

static const char *const density_units[] = {"A^-3", "u A^-3", "A^-3", "A^-2"}; // as cor_amplitudes

void cor_model_free(struct cor_model *m) {
    free(m->list);
    free(m->weight);
    free(m->kind);
    free(m->sigma);
    free(m->peak);
    *m = (struct cor_model){0};
}

struct den_gauss_setup cor_model_gauss(const struct cor_model *m) {
    return (struct den_gauss_setup){
        .kinds = m->kinds, .sigma = m->sigma, .peak = m->peak, .bound = m->bound, .cutoff = DEN_GAUSS_CUTOFF};
}

int cor_model_find_group(const struct trj_group **group, const struct trj_stream_header *h, const char *name,
                         struct trj_error *err) {
    if (trj_stream_find_group(h, name, group, err)) return -1;
    if (!(*group)->dynamic) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the atoms of group %s differ between frames; select them without conditions on coordinates",
                    (*group)->name);
}

// Sets the atomic number of an atom of the group: 0 for a massless site, whose amplitude is 0.
static int find_element(const struct trj_stream_header *h, const struct trj_group *g, size_t i, uint32_t max,
                        uint32_t *z, struct trj_error *err) {
    *z = h->element ? h->element[g->atoms[i]] : 0;
    if (*z ? *z <= max : trj_stream_is_site(h, g->atoms[i])) return 0;
    if (*z)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--amplitude electron: stream atom %u is %s, whose scattering factor is not known; use "
                        "--amplitude Z",
                        g->atoms[i], *z <= TRJ_ELEMENTS ? trj_elements[*z].symbol : "unknown");
    return trj_fail(
        err, TRJ_BAD_DATA,
        "the element of stream atom %u of group %s is unknown; add trjcat --carry element, or a "
        "topology with elements or known atom names (-t), leave such atoms out of the group, or use --amplitude 1",
        g->atoms[i], g->name);
}

static int set_masses(struct cor_model *m, const struct trj_stream_header *h, struct trj_error *err) {
    const struct trj_group *g = m->group;
    const double *mass = NULL;
    if (trj_property_find(h, "mass")) {
        if (trj_property_require(h, "mass", g, &mass, err)) return -1;
        snprintf(m->from, sizeof m->from, "masses of the stream");
    } else {
        snprintf(m->from, sizeof m->from, "standard masses of the elements, since the stream carries no masses");
    }
    for (size_t i = 0; i < g->count; i++) {
        uint32_t z = 0;
        if (!mass && find_element(h, g, i, TRJ_ELEMENTS, &z, err)) return -1;
        m->weight[i] = (float)(mass ? mass[g->atoms[i]] : z ? trj_elements[z].mass : 0);
        if (m->weight[i] >= 0) continue;
        return trj_fail(err, TRJ_BAD_DATA, "the mass of stream atom %u is %g, expected 0 or more", g->atoms[i],
                        (double)m->weight[i]);
    }
    return 0;
}

static int set_electron_factors(struct cor_model *m, const struct trj_stream_header *h, double sigma,
                                struct trj_error *err) {
    static const double eight_pi_square = 0x1.3bd3cc9be45dep+6;
    const struct trj_group *g = m->group;
    unsigned first[TRJ_ELECTRON_ELEMENTS] = {0}; // kind of the first term of an element, plus 1
    snprintf(m->from, sizeof m->from, "electron scattering factors of Peng et al. (1996)");
    for (size_t i = 0; i < g->count; i++) {
        uint32_t z;
        if (find_element(h, g, i, TRJ_ELECTRON_ELEMENTS - 1, &z, err)) return -1;
        if (!z) continue; // the factors stay 0
        const double *a = trj_electron_factors[z][0], *b = trj_electron_factors[z][1];
        if (!first[z]) {
            first[z] = m->kinds + 1;
            for (unsigned t = 0; t < TRJ_ELECTRON_TERMS; t++)
                m->sigma[m->kinds++] = sqrt(sigma * sigma + b[t] / eight_pi_square);
        }
        for (unsigned t = 0; t < TRJ_ELECTRON_TERMS; t++) {
            m->weight[i * TRJ_ELECTRON_TERMS + t] = (float)a[t];
            m->kind[i * TRJ_ELECTRON_TERMS + t] = (uint16_t)(first[z] - 1 + t);
        }
    }
    return 0;
}

static int set_weights(struct cor_model *m, const struct trj_stream_header *h, const char *amplitude, double sigma,
                       struct trj_error *err) {
    const struct trj_group *g = m->group;
    if (!strcmp(amplitude, "electron")) return set_electron_factors(m, h, sigma, err);
    m->sigma[m->kinds++] = sigma;
    if (!strcmp(amplitude, "mass")) return set_masses(m, h, err);
    bool by_number = !strcmp(amplitude, "Z");
    snprintf(m->from, sizeof m->from, by_number ? "atomic numbers%s%s" : "1 for each atom",
             by_number && h->element_from ? ", guessed from " : "",
             by_number && h->element_from ? h->element_from : "");
    for (size_t i = 0; i < g->count; i++) {
        uint32_t z = 1;
        if (by_number && find_element(h, g, i, TRJ_ELEMENTS, &z, err)) return -1;
        m->weight[i] = (float)z;
    }
    return 0;
}

int cor_model_open(struct cor_model *m, const struct trj_stream_header *h, const struct trj_group *group,
                   const char *amplitude, double sigma, struct trj_error *err) {
    bool electron = !strcmp(amplitude, "electron");
    size_t kinds = electron ? TRJ_ELECTRON_ELEMENTS * TRJ_ELECTRON_TERMS : 1;
    m->group = group;
    for (size_t i = 0; cor_amplitudes[i].name; i++)
        if (!strcmp(amplitude, cor_amplitudes[i].name)) m->unit = density_units[i];
    m->terms = electron ? TRJ_ELECTRON_TERMS : 1;
    m->list = trj_alloc(group->count, m->terms * sizeof *m->list, "amplitudes", err);
    m->weight = trj_alloc(group->count, m->terms * sizeof *m->weight, "amplitudes", err);
    m->sigma = trj_alloc(kinds, sizeof *m->sigma, "widths", err);
    m->peak = trj_alloc(kinds, sizeof *m->peak, "widths", err);
    if (!m->list || !m->weight || !m->sigma || !m->peak) return -1;
    if (electron && !(m->kind = trj_alloc(group->count, m->terms * sizeof *m->kind, "kinds of atoms", err))) return -1;
    if (set_weights(m, h, amplitude, sigma, err)) return -1;
    for (unsigned k = 0; k < m->kinds; k++) m->peak[k] = den_gauss_peak(m->sigma[k]);
    size_t scatterers = 0, last = SIZE_MAX; // atoms with an amplitude
    for (size_t i = 0; i < group->count * m->terms; i++) {
        if (m->weight[i] != 0 && i / m->terms != last) {
            last = i / m->terms;
            scatterers++;
        }
        m->list[i] = group->atoms[i / m->terms];
        m->bound = fmax(m->bound, fabs((double)m->weight[i]));
        m->total += (double)m->weight[i];
        m->height += (double)m->weight[i] * m->peak[m->kind ? m->kind[i] : 0];
    }
    if (scatterers) m->height /= (double)scatterers;
    if (m->bound > 0) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "all amplitudes of group %s are 0; use --amplitude 1", group->name);
}
