// SPDX-License-Identifier: MIT
// A wave function as its file gives it: atoms, basis functions, and orbitals as sums of basis functions. All numbers
// are in atomic units. What the coefficients of a file multiply differs among programs; orbital_rule.h finds it.
#ifndef ORB_WAVE_FUNCTION_H
#define ORB_WAVE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum {
    ORB_L_MAX = 5,           // h functions
    ORB_CARTESIANS_MAX = 21, // Cartesian components of l = 5
    ORB_LABEL = 16,          // bytes of a symmetry label
    ORB_NOTES = 8,
    ORB_FUNCTIONS_MAX = 1 << 16, // limits the memory that a damaged file can request
};

struct orb_atom {
    double position[3]; // bohr
    uint32_t number;    // atomic number; 0: unknown, or a point without a nucleus
    double charge;      // of the nucleus, without the electrons that a core potential replaces; NaN: the file lacks it
};

// A contracted shell: functions with the same centre, radial part and l. Readers divide SP shells in two.
struct orb_shell {
    uint32_t atom; // from 0
    uint32_t l;
    bool pure;         // 2 l + 1 real solid harmonics; false: (l + 1)(l + 2)/2 Cartesian components
    size_t primitive;  // its first one, an index into exponent and contraction
    size_t primitives; // number
    size_t function;   // its first one
};
// Functions of a shell are in this order in the arrays below, whatever their order in the file.
// - p, also pure: x, y, z.
// - Other pure functions: m = 0, +1, -1, +2, -2, ..., without the factor (-1)^m.
// - Other Cartesian components x^i y^j z^k: by descending i, then by descending j: xx, xy, xz, yy, yz, zz.

// A function x^i y^j z^k exp(-a r^2) without a norm, of which wfn and wfx files consist.
struct orb_bare_function {
    uint32_t atom;
    uint8_t power[3]; // i, j, k
    double exponent;
};

enum orb_spin { ORB_ALPHA, ORB_BETA };

struct orb_orbital {
    double energy;     // hartree; NaN: the file lacks it
    double occupation; // as in the file
    enum orb_spin spin;
    char label[ORB_LABEL]; // of its symmetry, such as "1a1"; "": the file lacks it
};

// A density matrix that a file gives beside its orbitals: the density at a point is f D f, with the functions f.
struct orb_density_matrix {
    char *name;     // such as "Total MP2 Density"
    double *matrix; // [functions][functions], symmetric
};

struct orb_wave_function {
    const char *format; // "molden", "fchk", "wfn" or "wfx"
    char *title;        // text of the file, of which the program can be a part; "": none
    char *program;      // the program that the file names, in its spelling: "orca_2mkl", "Psi4", "Molpro"; "": none
    size_t atoms;
    struct orb_atom *atom;
    // Either shells or bare functions, never both.
    size_t shells, primitives;
    struct orb_shell *shell;
    double *exponent, *contraction; // [primitives], bohr^-2; contraction coefficients as in the file
    size_t bare_functions;
    struct orb_bare_function *bare_function;
    size_t functions; // of all shells, or the number of bare functions
    size_t orbitals;
    struct orb_orbital *orbital;
    double *coefficient; // [orbitals][functions]
    bool has_beta;       // alpha and beta orbitals are listed separately
    bool spin_unknown;   // wfn files have no spins: has_beta is false, and beta orbitals can follow the alpha ones,
                         // from the first one that is not orthogonal to an earlier one
    bool natural;        // natural orbitals, as the text of the file states, or as its energies show, which are then
                         // no energies: all are equal to the occupations or half of them, or all are 0
    size_t densities;
    struct orb_density_matrix *density;
    double electrons; // the number that the file states; NaN: none
    size_t notes;     // assumptions and losses that the user should know
    char note[ORB_NOTES][256];
};

// Reads a file of any of the formats, which its content decides. It may be compressed, or a pipe; "-" is standard
// input. Fails with TRJ_BAD_DATA; errors name the file and the line, and give a remedy. The caller frees the wave
// function with orb_wave_function_free, also after a failure.
int orb_wave_function_read(struct orb_wave_function *w, const char *path, struct trj_error *err);
void orb_wave_function_free(struct orb_wave_function *w); // frees the members, not the struct

// Returns the number of functions of a shell.
static inline size_t orb_shell_functions(uint32_t l, bool pure) {
    return pure ? 2 * (size_t)l + 1 : (size_t)(l + 1) * (l + 2) / 2;
}

#endif
