// SPDX-License-Identifier: MIT
// The methods pme and fast of the engine `cuda` (lib/potential/pme_sum.h, fast_sum.h). GPUs compute the charges on the
// mesh and the real-space part as frames arrive. For pme, the first GPU transforms the sum of the frames that share a
// cell; for fast, each GPU transforms its frames (fast_device.c). Charges on the mesh are those of the engine cpu, byte
// for byte; potentials agree with it to about 1e-12.
//
// Without the library cuFFT, FFTW transforms on the CPU, which a note reports. If a transform of pme fails, another GPU
// or FFTW repeats it (lib/potential/transform_fallback.h); for the method fast, the pool of GPUs repeats failed work.
#ifndef CUDA_PME_CUDA_H
#define CUDA_PME_CUDA_H

#include "potential_job.h"

extern const struct pot_method cuda_potential_pme, cuda_potential_fast;

#endif
