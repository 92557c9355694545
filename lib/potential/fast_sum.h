// SPDX-License-Identifier: MIT
// The method fast: computes the map of the method direct, in open space, as the sum of two parts for each charge q at
// the distance r:
//     near    q erfc(alpha r) / r within a cutoff, by the method cutoff (cutoff_sum.h)
//     smooth  q erf(alpha r) / r on a mesh with the steps of the map, by Fourier transforms (fast_transform.h)
// The lattice may be skew. The mesh contains all charges, also those far from the map, and grows when a frame needs it.
//
// alpha and the cutoff follow from the tolerance and the longest step h of the lattice: alpha h is 0.4 (tolerance /
// 1e-6)^(1/10), at most 0.5, because the error of splines of order 8 increases by about this power of alpha h, and
// erfc(alpha cutoff) is tolerance / 4. Below a tolerance of 8e-8, the near part is computed in float64, the charges on
// the mesh have a finer quantum, and the mesh has a larger guard (fast_transform.h). The map of the first frame with
// charges other than 0 is compared with sums in float64 at POT_FAST_SAMPLES points. If the rms of the differences
// exceeds the tolerance times the rms of the map, the frame is computed anew with a smaller alpha h, a near part in
// float64, a finer quantum of the charges, and a larger guard. If this is not enough, the method fails.
//
// Charges on the mesh and the near part are integers, and do not depend on the order of charges or threads. The smooth
// part is rounded to the quantum. It may differ between machines by about 1e-12, because FFTW chooses algorithms for
// the processor. It may also differ by far less than the tolerance if earlier frames have enlarged the mesh. Frames on
// one mesh are added there, and transformed once; the engine cuda transforms each frame (cuda/potential/fast_device.c),
// which changes the values by about 1e-12.
#ifndef POT_FAST_SUM_H
#define POT_FAST_SUM_H

#include "error.h"
#include "pme_parts.h"
#include "potential_job.h"

#define POT_FAST_QUANTUM      0x1p-40 // e/Å
#define POT_FAST_QUANTUM_FINE 0x1p-44 // e/Å, below a tolerance of 8e-8
#define POT_FAST_MEMORY       0x1p32  // most bytes of the mesh
#define POT_FAST_SAMPLES      1000

// Checks the job, and sets job->quantum, job->order and job->error_bound, which is 0. Fails with TRJ_USAGE if the
// tolerance is not from 1e-9 to 0.1, or points are given as a list.
int pot_fast_setup(struct pot_job *job, struct trj_error *err);

// Fails with TRJ_BAD_DATA if a charge is so far from the map that the mesh would exceed POT_FAST_MEMORY, and if the
// deviation of the map of the first frame with charges exceeds the tolerance.
extern const struct pot_method pot_fast_cpu;

// Computes jobs with near_part and mesh_part: the kernel, cutoff and quantum of the near part are those of near_part,
// and the mesh and alpha are those of mesh_part. The first frame is not compared with direct sums.
extern const struct pot_method pot_fast_fixed_cpu;

// The functions of a struct pot_method whose engine supplies the parts, which must outlive the state.
int pot_fast_open(void **state, const struct pot_job *job, const struct pot_parts *parts, struct trj_error *err);
int pot_fast_add(void *state, const struct pot_frame *frame, struct trj_error *err);
int pot_fast_finish(void *state, const int64_t **values, struct trj_error *err);
void pot_fast_close(void *state);
uint64_t pot_fast_bad_frame(const void *state);
void pot_fast_stats(void *state, struct trj_engine_stats *stats);

// Returns the number of the point of sample i, of a job with `values` points.
uint64_t pot_fast_sample(uint64_t i, uint64_t values);
// Sets *deviation to the rms difference between values[job->values], in quanta, and direct sums in float64 at the
// samples, and *rms to the rms of all values; both in e/Å.
void pot_fast_compare(const struct pot_job *job, const struct pot_frame *f, const int64_t *values, double *deviation,
                      double *rms);

#endif
