// SPDX-License-Identifier: MIT
// Converts molecules for the kernels: elements occur once, and atoms are sorted by element.
#include "kernel_molecule.h"

#include <math.h>
#include <string.h>

static double rounded(double x) {
    return ldexp(rint(ldexp(x, 16)), -16);
}

void kernel_round_coordinates(struct orbital_system *s, struct orb_job *job) {
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < s->atoms; i++) s->basis.centre[i][k] = rounded(s->basis.centre[i][k]);
        job->origin[k] = rounded(job->origin[k]);
        job->step[k][k] = rounded(job->step[k][k]);
    }
}

// Returns whether there is space for n more elements of an array.
static bool fits(uint32_t used, size_t n, size_t capacity) {
    return used + n <= capacity;
}

struct used {
    uint32_t shells, primitives, atoms, functions;
};

static int add_element(struct kernel_data *data, const struct system_element *from, struct used *used,
                       struct trj_error *err) {
    if (!fits(data->elements, 1, KERNEL_ELEMENTS) || !fits(used->shells, from->shells, KERNEL_SHELLS))
        return trj_fail(err, TRJ_FAILED, "the molecule has too many elements or shells for the kernels");
    struct kernel_element *element = &data->element[data->elements++];
    *element = (struct kernel_element){0, used->shells, used->shells + from->shells, used->primitives};
    for (unsigned n = 0; n < from->shells; n++) {
        const struct system_shell *shell = &from->shell[n];
        if (shell->l > 2 || !fits(used->primitives, shell->primitives, KERNEL_PRIMITIVES))
            return trj_fail(err, TRJ_FAILED,
                            "the molecule has shells beyond d, or too many primitives for the kernels");
        data->shell[used->shells++] = (struct kernel_shell){shell->l, shell->primitives};
        for (unsigned k = 0; k < shell->primitives; k++)
            data->primitive[used->primitives++] = (struct kernel_primitive){
                (float)(-shell->exponent[k] / M_LN2), (float)(shell->coefficient[k] * system_primitive_norm(shell, k))};
    }
    return 0;
}

static size_t functions_of(const struct system_element *element) {
    size_t functions = 0;
    for (unsigned n = 0; n < element->shells; n++) functions += orb_shell_functions(element->shell[n].l, false);
    return functions;
}

int kernel_data_make(struct kernel_data *data, const struct orbital_system *s, const double *coefficient,
                     struct trj_error *err) {
    bool done[SYSTEM_ATOMS_MAX] = {false};
    struct used used = {0};
    memset(data, 0, sizeof *data);
    for (size_t first = 0; first < s->atoms; first++) {
        const struct system_element *element = s->element[first];
        if (done[first]) continue;
        if (add_element(data, element, &used, err)) return -1;
        const double *c = coefficient;
        for (size_t i = 0; i < s->atoms; i++) {
            const size_t functions = functions_of(s->element[i]);
            if (s->element[i] == element) {
                const double *at = s->basis.centre[i];
                if (!fits(used.atoms, 1, KERNEL_ATOMS) || !fits(used.functions, functions, KERNEL_FUNCTIONS))
                    return trj_fail(err, TRJ_FAILED, "the molecule has too many atoms or functions for the kernels");
                data->position[used.atoms++] = (struct kernel_position){(float)at[0], (float)at[1], (float)at[2], 0};
                for (size_t f = 0; f < functions; f++) data->coefficient[used.functions++] = (float)c[f];
                data->element[data->elements - 1].atoms++;
                done[i] = true;
            }
            c += functions;
        }
    }
    return 0;
}

static uint32_t padded(uint64_t n, uint32_t block) {
    return (uint32_t)(n + block - 1) / block * block;
}

void kernel_lattice_make(struct kernel_lattice *lattice, const struct orb_job *job) {
    for (int k = 0; k < 3; k++) {
        lattice->origin[k] = (float)job->origin[k];
        lattice->step[k] = (float)job->step[k][k];
    }
    lattice->width = padded(job->n[0], KERNEL_X);
    lattice->height = padded(job->n[1], KERNEL_Y);
    lattice->first = 0;
}
