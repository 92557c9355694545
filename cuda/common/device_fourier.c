// SPDX-License-Identifier: MIT
// Calls cuFFT, which is loaded at run time: the tools also start if it is missing, and most of them never use it.
#include "device_fourier.h"

#include "libraries.h"

#ifndef TRJPIPE_CUFFT
bool cuda_fourier_available(void) {
    return false;
}

static int fail(struct trj_error *err) {
    return trj_fail(err, TRJ_NO_ENGINE, "this build lacks cuFFT (make CUFFT=yes)");
}

int cuda_fourier_open(struct cuda_fourier *f, const uint64_t n[3], struct cuda_memory *memory, struct trj_error *err) {
    (void)f, (void)n, (void)memory;
    return fail(err);
}

void cuda_fourier_close(struct cuda_fourier *f) {
    (void)f;
}

int cuda_fourier_forward(const struct cuda_fourier *f, cudaStream_t stream, struct trj_error *err) {
    (void)f, (void)stream;
    return fail(err);
}

int cuda_fourier_backward(const struct cuda_fourier *f, cudaStream_t stream, struct trj_error *err) {
    (void)f, (void)stream;
    return fail(err);
}
#else
#include <cufft.h>
#include <pthread.h>
#include <stdio.h>

#include "optional_library.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

// Returns the version of the header, because the library is loaded only when a transform is opened.
const char *trj_version_of_cuFFT(void) {
    return TEXT(CUFFT_VER_MAJOR) "." TEXT(CUFFT_VER_MINOR) "." TEXT(CUFFT_VER_PATCH);
}

// The functions, with the types of the header.
static struct {
    __typeof__(cufftCreate) *create;
    __typeof__(cufftMakePlanMany64) *make_plan;
    __typeof__(cufftSetStream) *set_stream;
    __typeof__(cufftExecD2Z) *forward;
    __typeof__(cufftExecZ2D) *backward;
    __typeof__(cufftDestroy) *destroy;
} cufft;

static const struct trj_symbol symbols[] = {
    {"cufftCreate", &cufft.create},   {"cufftMakePlanMany64", &cufft.make_plan}, {"cufftSetStream", &cufft.set_stream},
    {"cufftExecD2Z", &cufft.forward}, {"cufftExecZ2D", &cufft.backward},         {"cufftDestroy", &cufft.destroy},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

// Loads the major version for which the header was written, because functions may differ in other versions.
static void load(void) {
    loaded =
        trj_library_load("libcufft.so." TEXT(CUFFT_VER_MAJOR), RTLD_LOCAL, symbols, sizeof symbols / sizeof *symbols);
}

bool cuda_fourier_available(void) {
    pthread_once(&once, load);
    return loaded;
}

static int check(cufftResult result, const char *what, struct trj_error *err) {
    if (result == CUFFT_SUCCESS) return 0;
    return trj_fail(err, TRJ_NO_ENGINE, "cuFFT cannot %s: %s (error %d)", what,
                    result == CUFFT_ALLOC_FAILED ? "out of GPU memory" : "internal error", (int)result);
}

static int make_plan(struct cuda_fourier *f, bool forward, struct trj_error *err) {
    long long int n[3] = {(long long)f->n[2], (long long)f->n[1], (long long)f->n[0]};
    size_t bytes;
    int *plan = forward ? &f->forward : &f->backward;
    if (check(cufft.create(plan), "make a plan", err)) return -1;
    f->planned[forward] = true;
    // Without the description of a layout, transforms in place have padded rows.
    return check(cufft.make_plan(*plan, 3, n, NULL, 1, 0, NULL, 1, 0, forward ? CUFFT_D2Z : CUFFT_Z2D, 1, &bytes),
                 "make a plan", err);
}

int cuda_fourier_open(struct cuda_fourier *f, const uint64_t n[3], struct cuda_memory *memory, struct trj_error *err) {
    *f = (struct cuda_fourier){.row = 0};
    for (int k = 0; k < 3; k++) {
        if (!n[k] || n[k] > INT32_MAX)
            return trj_fail(err, TRJ_BAD_DATA,
                            "axis %d has %llu points, expected 1 to 2^31 - 1 for a Fourier transform", k,
                            (unsigned long long)n[k]);
        f->n[k] = (size_t)n[k];
    }
    f->row = f->n[0] / 2 + 1;
    double bytes = 16.0 * (double)f->row * (double)f->n[1] * (double)f->n[2];
    if (bytes > 0x1p62) return cuda_memory_fail(memory, bytes, "a Fourier transform on the GPU", err);
    return cuda_memory_alloc(memory, &f->value, (size_t)bytes, "a Fourier transform on the GPU", err) ||
                   make_plan(f, true, err) || make_plan(f, false, err)
               ? -1
               : 0;
}

void cuda_fourier_close(struct cuda_fourier *f) {
    if (f->planned[true]) (void)cufft.destroy(f->forward);
    if (f->planned[false]) (void)cufft.destroy(f->backward);
    *f = (struct cuda_fourier){.row = 0};
}

int cuda_fourier_forward(const struct cuda_fourier *f, cudaStream_t stream, struct trj_error *err) {
    if (check(cufft.set_stream(f->forward, stream), "use a stream", err)) return -1;
    return check(cufft.forward(f->forward, f->value, (cufftDoubleComplex *)f->value), "transform", err);
}

int cuda_fourier_backward(const struct cuda_fourier *f, cudaStream_t stream, struct trj_error *err) {
    if (check(cufft.set_stream(f->backward, stream), "use a stream", err)) return -1;
    return check(cufft.backward(f->backward, (cufftDoubleComplex *)f->value, f->value), "transform", err);
}
#endif
