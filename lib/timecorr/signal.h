// SPDX-License-Identifier: MIT
// What is correlated: numbers of each frame, divided into parts, and the columns of a table that follow from sums of
// their products at each lag.
//
// A signal is a function in the grammar of observables (observe/observable.h), such as msd(O): its `open` sets o->own
// to a struct tcf_signal, and its `compute` sets the numbers of a frame, part by part.
#ifndef TCF_SIGNAL_H
#define TCF_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "observable.h"
#include "parts.h"
#include "system.h"

enum { TCF_COLUMNS_MAX = 24 };

// The value of a column at a lag: offset + sum over parts of factor[part] times the mean of the part at the lag.
struct tcf_column {
    const char *name; // "x", as in FUNCTION.NAME(ARGUMENTS); "": that of the expression
    const char *unit; // "": a pure number
    double offset;
    double *factor; // [parts]
    // The integral from 0 to the lag, in ps, times `scale`, has a column, too, if it has a name.
    const char *integral, *integral_unit;
    double scale;
    bool per_volume;     // `scale` is divided by the mean volume in Angstrom^3
    bool response;       // the spectrum is multiplied by scale / 2, and has the unit of the integral, to which it tends
    const char *meaning; // of the integral
};

// What follows from the slope of squares of differences, per ps: `scale` times the slope, divided by twice the number
// of directions and, on request, by the mean volume in Angstrom^3. Without a name, nothing follows.
struct tcf_slope {
    const char *name, *unit;
    double scale;
    bool per_volume;
};

struct tcf_pair_history;

struct tcf_signal {
    size_t parts, *count; // [parts] numbers of a frame
    bool differences;     // squares of differences of positions
    struct tcf_slope slope;
    size_t members; // possible members of a set whose survival is counted (pair_history.h); 0: numbers are correlated
    // Adds the pairs of a frame, whose survival is counted; NULL: the signal consists of numbers or of a set.
    int (*list_pairs)(const struct obs_observable *o, struct obs_view *v, struct tcf_pair_history *h,
                      struct trj_error *err);
    bool fluctuations; // the mean over all frames is subtracted from each number, which keeps all frames in memory
    bool normalised;   // correlation times: integrals of columns divided by their value at lag 0
    struct tcf_column column[TCF_COLUMNS_MAX];
    size_t columns;
    // Of the fluctuations of dipole moments: the dielectric constant is 1 + polarisability * value of the first column
    // at lag 0 / mean volume in Angstrom^3; 0: there is none.
    double polarisability;
    bool first_frame; // the values depend on the first frame of the stream
    bool uses_temperature;
    const char *note;    // for the header of the table; NULL: none
    const char *warning; // for the header and for standard error; NULL: none
    void *own;           // data of the function
};

extern const struct obs_function *const tcf_functions[];                   // ends with NULL
extern const struct obs_function tcf_msd;                                  // displacement.c
extern const struct obs_function tcf_vacf;                                 // velocity.c
extern const struct obs_function tcf_reorient;                             // reorientation.c
extern const struct obs_function tcf_survival;                             // survival.c
extern const struct obs_function tcf_hbond_lifetime, tcf_contact_lifetime; // pair_lifetimes.c
extern const struct obs_function tcf_acf;                                  // fluctuation_memory.c
extern const struct obs_function tcf_dielectric;                           // polarisation.c
extern const struct obs_function tcf_conductivity;                         // conductivity.c

// Sets o->own to a signal with `count` numbers in each part, and returns it. Returns NULL after an error.
// tcf_signal_close frees it.
struct tcf_signal *tcf_signal_open(struct obs_observable *o, size_t parts, size_t count, struct trj_error *err);
// Frees o->own, but not what signal->own refers to, and signal->own itself.
void tcf_signal_close(struct obs_observable *o);
static inline struct tcf_signal *tcf_signal_of(const struct obs_observable *o) {
    return o->own;
}
// Returns the numbers of a frame: those of all parts together, or one for each possible member of a set.
size_t tcf_signal_values(const struct tcf_signal *s);
// Adds a column whose factors are `factor` for parts first to last, and 0 for others. Returns NULL after an error.
struct tcf_column *tcf_signal_add_column(struct tcf_signal *s, const char *name, const char *unit, size_t first,
                                         size_t last, double factor, struct trj_error *err);
// Adds columns total, x, y and z of three parts.
int tcf_signal_add_directions(struct tcf_signal *s, const char *unit, double factor, struct trj_error *err);
// Adds columns intermittent and continuous of the parts of start_frames.h.
int tcf_signal_add_survival(struct tcf_signal *s, struct trj_error *err);

// Fails with TRJ_BAD_DATA if positions were unwrapped, and the function with this name requires periodic images.
int tcf_signal_check_images(const struct trj_stream_header *h, const char *function, struct trj_error *err);
// Fails with TRJ_BAD_DATA if frames were centred or superposed, which adds motions that the simulation did not have.
int tcf_signal_check_moves(const struct trj_stream_header *h, struct trj_error *err);
// Fails with TRJ_BAD_DATA if the positions of a frame are those of periodic images.
int tcf_signal_check_unwrapped(const struct obs_view *v, struct trj_error *err);
// Fails with TRJ_BAD_DATA if the stream has no velocities in a known unit, or frames were rotated.
int tcf_signal_check_velocities(const struct trj_stream_header *h, struct trj_error *err);
// Fails with TRJ_BAD_DATA if a frame has no velocities.
int tcf_signal_check_moving(const struct trj_frame *f, struct trj_error *err);

// Fails with TRJ_BAD_DATA if a frame has no volume.
int tcf_signal_check_volume(const struct trj_frame *f, struct trj_error *err);
// Prints a note if a temperature in K is below 100, because degrees Celsius are a frequent mistake.
void tcf_signal_note_temperature(const struct obs_system *s, double temperature);
// Sets *temperature to that of an optional argument, or of the option of the tool, in K; NaN if there is neither. Fails
// with TRJ_USAGE for a value that is not above 0, and for two different ones.
int tcf_signal_temperature(double *temperature, const struct obs_argument *a, const struct obs_system *s,
                           struct trj_error *err);

// Atoms, or the centres of mass of the atoms of a selection in each residue or molecule.
#define TCF_UNITS "atom residue molecule"
struct tcf_units {
    size_t selection;
    struct obs_parts parts;
    const double *mass; // [header->atoms]; NULL if neither centres nor masses are needed
    double *total;      // [parts.count] masses
    bool centres;
};

// `of`: number of the word in TCF_UNITS. Fails with TRJ_USAGE for a dynamic selection, and with TRJ_BAD_DATA if the
// stream lacks masses, residues or molecules. tcf_units_free frees, also after a failure.
int tcf_units_open(struct tcf_units *u, const struct obs_system *s, size_t selection, unsigned of, bool masses,
                   struct trj_error *err);
void tcf_units_free(struct tcf_units *u);
// Sets value[3][parts.count] to the vectors of atoms, or to their means in each part weighted by mass. vector[k][atom],
// of stream atoms, is in units of `unit`.
void tcf_units_set(const struct tcf_units *u, const struct obs_system *s, float *const vector[3], double unit,
                   double *value);
// Subtracts the mean vector, weighted by mass, of the atoms of a selection from value[3][count].
void tcf_subtract_mean(const struct obs_selection *one, const double *mass, float *const vector[3], double unit,
                       double *value, size_t count);

#endif
