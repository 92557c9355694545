// SPDX-License-Identifier: MIT
// Defines a map of the electrostatic or another pair potential: what is summed at which points, and the functions of a
// method that computes it. Values are in e/Å (Gaussian units: the potential of a charge of 1 e at a distance of 1 Å is
// 1), for pair potentials without charges in the unit of the kernel; potential_units.h converts them.
//
// Every value is a sum of contributions, each of which is rounded to a multiple of the quantum, a power of two that
// follows from the set-up alone. Sums are integers, so that they do not depend on the order of addition.
#ifndef POT_POTENTIAL_JOB_H
#define POT_POTENTIAL_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "device_pool.h"
#include "engine_choice.h"
#include "error.h"
#include "map_lattice.h"

enum pot_method_kind { POT_DIRECT, POT_MDH, POT_CUTOFF, POT_PME, POT_FAST, POT_METHODS };

// Softening of 1/r in the methods direct and mdh, with a length s in Å. Plummer and clip replace the distance r by r' =
// sqrt(r^2 + s^2) or max(r, s) in the whole formula of mdh, also in the exponential; gauss replaces only 1/r.
enum pot_soften_kind {
    POT_SOFTEN_NONE,
    POT_SOFTEN_PLUMMER, // 1 / sqrt(r^2 + s^2)
    POT_SOFTEN_GAUSS,   // erf(r / (sqrt(2) s)) / r: a Gaussian charge of standard deviation s
    POT_SOFTEN_CLIP,    // 1 / max(r, s)
};

enum pot_kernel_kind {
    POT_KERNEL_RODRIGUES,  // q (1 - (r/rc)^2)^2 / r                (C. Rodrigues et al., Computing Frontiers 2008)
    POT_KERNEL_SHIFT,      // q (1/r - 2/rc + r/rc^2)
    POT_KERNEL_REACTION,   // q (1/r + k r^2 - c), k = (eps - 1) / ((2 eps + 1) rc^3), c = 3 eps / ((2 eps + 1) rc)
    POT_KERNEL_ERFC,       // q erfc(alpha r) / r
    POT_KERNEL_YUKAWA,     // q exp(-kappa r) / r
    POT_KERNEL_LJ,         // 4 e ((s/r)^12 - (s/r)^6), Lorentz-Berthelot with a probe, kcal/mol
    POT_KERNEL_BUCKINGHAM, // A exp(-B r) - C / r^6, kcal/mol
    POT_KERNEL_COUNT,      // 1
    POT_KERNEL_TABLE,      // q f(r), cubic Hermite interpolation of a table
    POT_KERNELS,
};

enum { POT_REPORT = 256 }; // bytes of a report

struct pot_charges;
struct pot_frame;
struct pot_method;
struct trj_frame;
struct trj_group;

struct pot_job {
    enum pot_method_kind method;
    size_t atoms;        // of the group; a dynamic group may have fewer in a frame
    double max_charge;   // largest magnitude of a charge after division by the dielectric constant, e
    bool exact;          // contributions are computed in float64
    unsigned threads;    // 0: as many as there are processors
    const char *devices; // "0,2": the GPUs of the engine cuda; NULL: all
    bool cpu_may_finish; // the CPU may take over the work of GPUs that failed
    // Receives notes; a method calls it with note_arg, in the thread that calls the method. May be NULL.
    void (*note)(void *arg, const char *text);
    void *note_arg;
    const struct pot_frame *frame; // that is added to an engine (potential_engine.h); methods do not use it
    // For methods that compute frames of the stream later, in other threads (struct pot_frame.stream):
    const struct trj_group *group;
    size_t stream_atoms;         // of every frame of the stream
    struct pot_charges *charges; // of the group (charges.h); pot_engine_add finds members with it
    // Sets the lattice of a frame of the stream, which pot_setup_frame has accepted. May be called from any thread.
    int (*frame_lattice)(const void *owner, const struct trj_frame *frame, struct trj_map_lattice *lattice,
                         struct trj_error *err);
    const void *frame_lattice_owner;
    bool open_space; // frames have no periodic images, also if the frames of the stream have cells
    // The points: those of the lattice, or if point_count is not 0, the list.
    struct trj_map_lattice lattice;
    bool fractional; // the lattice divides the cell of each frame
    size_t point_count;
    const double (*point)[3]; // [point_count] Å
    size_t values;            // number of points of the lattice, of its slab, or of the list
    // The values are those of these planes. Only direct, mdh and cutoff of the engines cpu and cuda compute a slab,
    // which consists of whole layers (pot_layers_find in potential_engine.h).
    struct trj_map_slab slab;

    // direct, mdh
    enum pot_soften_kind soften;
    double soften_length;     // Å
    bool distance_dielectric; // the dielectric constant is 4 r (in Å): the contribution is q / (4 r^2)
    double kappa;             // 1/Å; the contribution of mdh is q exp(-kappa (r' - radius)) / ((1 + kappa radius) r')
    bool faces;               // mdh: only the points on the six faces of the lattice; the others get 0

    // cutoff
    enum pot_kernel_kind kernel;
    double cutoff;       // Å
    double parameter[3]; // of the kernel: eps, alpha, kappa; probe sigma/epsilon; A, B, C
    size_t table_count;  // rows of the table
    const double *table_r, *table_f;

    // pme
    unsigned order; // 4, 6 or 8
    double alpha;   // 1/Å
    double tolerance;
    bool full;        // adds the real-space part within `cutoff`
    bool charge_mesh; // the values are the charges on the mesh in e, instead of the potential
    enum { POT_TINFOIL, POT_VACUUM, POT_SLAB } surface;
    int slab_axis;

    // fast, which also uses `tolerance`
    const struct pot_job *near_part, *mesh_part; // the jobs of its parts, if they are fixed (fast_sum.h), or NULL
    char *report; // [POT_REPORT] or NULL: the compared frame sets a line about the parameters and the deviation

    // Set by the set-up function of the method:
    double quantum;
    double error_bound; // of the values of one frame; 0: unknown
};

// The charges of a frame.
struct pot_frame {
    size_t count;
    const double (*position)[3]; // [count] Å, finite, at most TRJ_FARTHEST; NULL for methods that use the stream
    const double *charge;        // [count] e, divided by the dielectric constant
    const double *radius;        // [count] Å, for mdh and kernel lj (sigma); otherwise NULL
    const double *epsilon;       // [count] kcal/mol, for kernel lj; otherwise NULL
    const uint32_t *atom;        // [count] number of the atom in the stream, for messages
    struct trj_cell cell;
    struct trj_map_lattice lattice; // of this frame; unused with a list of points
    // The frame of the stream, for methods that compute it later. `add` may put another one of the same size in its
    // place, whose content is undefined. NULL: there is none, and such methods cannot be used.
    struct trj_frame *stream;
};

struct work_checkpoint_arrays;

// How an engine computes a method. States belong to the caller, which closes them.
struct pot_method {
    // The job must outlive the state, and its quantum must be set.
    int (*open)(void **state, const struct pot_job *job, struct trj_error *err);
    // Adds the values of a frame. Fails with TRJ_BAD_DATA for a point at which the potential is infinite, and before a
    // sum exceeds int64; the message gives the atom and the point, but not the frame, which may be an earlier one
    // (bad_frame). After a failure, only close, stats and bad_frame may be called.
    int (*add)(void *state, const struct pot_frame *frame, struct trj_error *err);
    // Returns whether `add` uses only frame->stream, frame->cell and frame->lattice: the members of the group are then
    // not copied for it. NULL: it uses all of the frame.
    bool (*uses_stream)(const struct pot_job *job);
    // Sets *values[job->values] to the sums over the frames since the last finish, in quanta; they belong to the state,
    // and are valid until the next call. Fails as add.
    int (*finish)(void *state, const int64_t **values, struct trj_error *err);
    // As of struct work_map_engine. NULL: frames cannot be handed over.
    int (*add_sums)(void *state, const int64_t *values, struct trj_error *err);
    void (*close)(void *state); // NULL is allowed
    // Returns a bound of the error of every value of one frame, for the frames that were added since the state was
    // opened. It follows from the positions of the charges, and is far below job->error_bound. It is the same for any
    // number of threads and order of charges. NULL, or a result of NAN: there is none.
    double (*error)(const void *state);
    int (*arrays)(void *state, struct work_checkpoint_arrays *a, struct trj_error *err); // as of struct work_map_engine
    // Returns the number of the frame, from 0 in the order of `add`, with the error with which `add` or `finish` has
    // failed; UINT64_MAX if the error is not of one frame. NULL: `add` fails for the frame that it gets.
    uint64_t (*bad_frame)(const void *state);
    void (*stats)(void *state, struct trj_engine_stats *stats); // sets the devices; NULL: there are none
};

#endif
