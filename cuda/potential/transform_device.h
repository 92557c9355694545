// SPDX-License-Identifier: MIT
// The Fourier transforms of pme on one GPU of job->devices, by cuFFT. They agree with those of FFTW to about 1e-15 of
// the largest values. They require cuda_fourier_available (device_fourier.h), and `open` fails with TRJ_NO_ENGINE if
// the GPU cannot be used.
#ifndef CUDA_TRANSFORM_DEVICE_H
#define CUDA_TRANSFORM_DEVICE_H

#include "transform_fallback.h"

extern const struct pot_device_transform cuda_transform; // as pot_transform_fftw

#endif
