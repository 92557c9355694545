// SPDX-License-Identifier: MIT
// Provides what the readers of wave functions share: a wave function that grows while a file is read, with checks of
// each number, and the orders in which formats list the components of shells.
#ifndef ORB_WAVE_FUNCTION_PARTS_H
#define ORB_WAVE_FUNCTION_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lines.h"
#include "wave_function.h"

// A growing array of float64.
struct orb_reals {
    double *value;
    size_t count, capacity;
};

struct orb_reader {
    struct orb_wave_function *w; // its arrays have these capacities:
    size_t atom_capacity, shell_capacity, bare_capacity, orbital_capacity;
    size_t exponent_capacity, contraction_capacity, density_capacity;
    struct trj_lines *lines; // of the file, from its first line
};

// These functions append to the wave function. They reject impossible values, and the error gives the number of the
// current line. They return 0 or -1.
int orb_add_atom(struct orb_reader *r, const struct orb_atom *atom, struct trj_error *err);
// The shell gets its primitives by the next calls of orb_add_primitive, and its functions from orb_number_functions.
int orb_add_shell(struct orb_reader *r, uint32_t atom, uint32_t l, bool pure, struct trj_error *err);
int orb_add_primitive(struct orb_reader *r, double exponent, double contraction, struct trj_error *err);
int orb_add_bare_function(struct orb_reader *r, const struct orb_bare_function *f, struct trj_error *err);
int orb_add_orbital(struct orb_reader *r, const struct orb_orbital *orbital, struct trj_error *err);
int orb_add_real(struct orb_reals *reals, double value, struct trj_error *err);

// Checks an exponent: positive and finite. Returns 0 or -1.
int orb_check_exponent(const struct orb_reader *r, double exponent, struct trj_error *err);

// Adds a note for the user; notes beyond ORB_NOTES are left out.
void orb_note(struct orb_wave_function *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Replaces *text by a copy of `from` without leading and trailing blanks and control characters. Returns 0 or -1.
int orb_set_text(char **text, const char *from, struct trj_error *err);
// Sets w->program from a line such as "Molden file created by orca_2mkl for h2o", unless it is set. Returns 0 or -1.
int orb_find_program(struct orb_wave_function *w, const char *line, struct trj_error *err);
// Sets the label of an orbital, from a text whose blanks are left out.
void orb_set_label(struct orb_orbital *orbital, const char *text);
// Returns the atomic number of a name such as "C", "cl", "H_1" or "O2"; 0: unknown.
uint32_t orb_atomic_number(const char *name);

// Reads a number, or an integer in [min, max], at *rest, and moves *rest after it and the blanks that follow. `what`
// names it in errors. Fortran's forms of numbers are read; infinite numbers are rejected. Return 0 or -1.
int orb_next_real(const struct orb_reader *r, char **rest, double *value, const char *what, struct trj_error *err);
int orb_next_integer(const struct orb_reader *r, char **rest, int64_t *value, int64_t min, int64_t max,
                     const char *what, struct trj_error *err);
// Reads the next line, which must exist. Returns 0 or -1.
int orb_next_line(struct orb_reader *r, const char *what, struct trj_error *err);

// Rejects a line without a newline, after which more text may be missing. Returns 0 or -1.
int orb_check_newline(const struct orb_reader *r, struct trj_error *err);

// Sets `function` of all shells, and the number of functions. Returns 0 or -1.
int orb_number_functions(struct orb_reader *r, struct trj_error *err);

// The order in which a format lists the Cartesian components of l: "xx yy zz xy xz yz". NULL: that of this library in
// reverse, from zzzz to xxxx.
typedef const char *orb_orders[ORB_L_MAX + 1];
extern const orb_orders orb_molden_orders; // that of h is not defined
extern const orb_orders orb_fchk_orders;
// Sets the powers of the component that the text describes: "xxy" is {2, 1, 0}.
void orb_powers(const char *text, uint8_t power[3]);
// Computes for each function of the shells, in the order of a file, its place in the order of this library.
// (*place)[functions] is freed by the caller. Returns 0 or -1.
int orb_places(size_t **place, const struct orb_wave_function *w, const orb_orders orders, struct trj_error *err);

// Sets the powers of a type of wfn and wfx files, 1 to 56. Returns false for other numbers.
bool orb_wfn_powers(int64_t type, uint8_t power[3]);

// Two functions for each format. The first returns whether the first n bytes of a file look like it. The second reads
// a file, of which no line has been read, into an empty wave function. The caller frees it, and checks it as a whole.
bool orb_molden_is(const char *head, size_t n);
int orb_molden_read(struct orb_reader *r, struct trj_error *err);
bool orb_fchk_is(const char *head, size_t n);
int orb_fchk_read(struct orb_reader *r, struct trj_error *err);
bool orb_wfn_is(const char *head, size_t n);
int orb_wfn_read(struct orb_reader *r, struct trj_error *err);
bool orb_wfx_is(const char *head, size_t n);
int orb_wfx_read(struct orb_reader *r, struct trj_error *err);

// Returns whether the n bytes contain a line that begins, after blanks, with a text; upper and lower case are equal.
bool orb_has_line(const char *head, size_t n, const char *text);

#endif
