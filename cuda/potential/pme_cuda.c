// SPDX-License-Identifier: MIT
// Assembles the methods pme and fast of the engine `cuda` from parts that run on GPUs, or on the CPU if cuFFT is
// missing.
#include "pme_cuda.h"

#include "cutoff_sum.h"
#include "device_fourier.h"
#include "fast_sum.h"
#include "fast_transform.h"
#include "fourier_transform.h"
#include "gpu_list.h"
#include "pme_sum.h"
#include "pme_transform.h"
#include "potential_device.h"
#include "transform_device.h"

static int open_transform(void **state, const struct pot_job *job, struct trj_error *err) {
    struct pot_transform_fallback *f;
    if (pot_transform_fallback_open(&f, &cuda_transform, &pot_transform_fftw, job, err)) return -1;
    *state = f;
    return 0;
}

static const struct pot_transform_method transform = {
    .open = open_transform, .compute = pot_transform_fallback_compute, .close = pot_transform_fallback_close};

static const struct pot_parts with_cufft = {.mesh = &cuda_potential_on_gpus,
                                            .transform = &transform,
                                            .smooth_transform = &pot_smooth_transform_fftw,
                                            .real_space = &cuda_potential_on_gpus,
                                            .real_space_setup = pot_cutoff_setup,
                                            .fast = &cuda_potential_on_gpus},
                              with_fftw = {.mesh = &cuda_potential_on_gpus,
                                           .transform = &pot_transform_fftw,
                                           .smooth_transform = &pot_smooth_transform_fftw,
                                           .real_space = &cuda_potential_on_gpus,
                                           .real_space_setup = pot_cutoff_setup};

// Chooses the library of Fourier transforms. Fails without a GPU, because the method fast opens its parts only with the
// first frame, and because the note below would be wrong.
static int choose(const struct pot_job *job, const struct pot_parts **parts, struct trj_error *err) {
    if (cuda_gpu_list_probe(err)) return -1;
    *parts = cuda_fourier_available() ? &with_cufft : &with_fftw;
    if (cuda_fourier_available() || job->charge_mesh) return 0;
    const uint64_t one[3] = {1, 1, 1};
    struct trj_fourier probe;
    int rc = trj_fourier_open(&probe, one, "a potential by Fourier transforms", err);
    trj_fourier_close(&probe);
    if (rc && err->status == TRJ_NO_ENGINE)
        return trj_fail(err, TRJ_NO_ENGINE,
                        "engine cuda: library cuFFT not found, and this build lacks FFTW; install cuFFT, which "
                        "is part of CUDA, or build with FFTW=yes");
    if (!rc && job->note) job->note(job->note_arg, "library cuFFT not found: FFTW computes the transforms on the CPU");
    return rc;
}

static int open_pme(void **state, const struct pot_job *job, struct trj_error *err) {
    const struct pot_parts *parts;
    return choose(job, &parts, err) ? -1 : pot_pme_open(state, job, parts, err);
}

static int open_fast(void **state, const struct pot_job *job, struct trj_error *err) {
    const struct pot_parts *parts;
    return choose(job, &parts, err) ? -1 : pot_fast_open(state, job, parts, err);
}

// Only the surface terms are computed from the members.
static bool uses_stream(const struct pot_job *job) {
    return job->surface != POT_VACUUM && job->surface != POT_SLAB;
}

const struct pot_method cuda_potential_pme = {.open = open_pme,
                                              .add = pot_pme_add,
                                              .uses_stream = uses_stream,
                                              .finish = pot_pme_finish,
                                              .close = pot_pme_close,
                                              .arrays = pot_pme_arrays,
                                              .bad_frame = pot_pme_bad_frame,
                                              .stats = pot_pme_stats};
const struct pot_method cuda_potential_fast = {.open = open_fast,
                                               .add = pot_fast_add,
                                               .finish = pot_fast_finish,
                                               .close = pot_fast_close,
                                               .bad_frame = pot_fast_bad_frame,
                                               .stats = pot_fast_stats};
