// SPDX-License-Identifier: MIT
// Calls FFTW in the one file that needs it, so that builds without FFTW differ in this file alone.
#include "fourier_transform.h"

#include <stdio.h>
#include <string.h>

#include "libraries.h"
#include "memory.h"

uint64_t trj_fourier_size(uint64_t n) {
    for (n += n == 0;; n++) {
        uint64_t rest = n;
        for (unsigned factor = 2; factor <= 7; factor++)
            while (rest % factor == 0) rest /= factor;
        if (rest == 1) return n;
    }
}

void trj_fourier_load(struct trj_fourier *f, const int64_t *from, double factor) {
    for (size_t r = 0; r < f->n[1] * f->n[2]; r++) {
        double *to = f->value + 2 * f->row * r;
        for (size_t i = 0; i < f->n[0]; i++) to[i] = (double)from[r * f->n[0] + i] * factor;
    }
}

void trj_fourier_pack(struct trj_fourier *f, const uint64_t size[3]) {
    double *to = f->value;
    for (size_t k = 0; k < size[2]; k++)
        for (size_t j = 0; j < size[1]; j++, to += size[0])
            memmove(to, f->value + (k * f->n[1] + j) * 2 * f->row, (size_t)size[0] * sizeof *to);
}

#ifndef TRJPIPE_FFTW
int trj_fourier_open(struct trj_fourier *f, const uint64_t n[3], const char *what, struct trj_error *err) {
    (void)n;
    *f = (struct trj_fourier){0};
    return trj_fail(err, TRJ_NO_ENGINE, "cannot compute %s: this build lacks FFTW (make FFTW=yes)", what);
}

void trj_fourier_close(struct trj_fourier *f) {
    *f = (struct trj_fourier){0};
}

int trj_fourier_forward(struct trj_fourier *f, struct trj_error *err) {
    (void)f;
    return trj_fail(err, TRJ_NO_ENGINE, "this build lacks FFTW (make FFTW=yes)");
}

int trj_fourier_backward(struct trj_fourier *f, struct trj_error *err) {
    return trj_fourier_forward(f, err);
}
#else
#include <fftw3.h>

const char *trj_version_of_FFTW(void) {
    static char number[32]; // of "fftw-3.3.10-sse2-avx"
    snprintf(number, sizeof number, "%.*s", (int)strcspn(fftw_version + 5, "-"), fftw_version + 5);
    return number;
}

static double bytes_of(const struct trj_fourier *f) {
    return (double)f->n[2] * (double)f->n[1] * (double)f->row * sizeof(fftw_complex);
}

int trj_fourier_open(struct trj_fourier *f, const uint64_t n[3], const char *what, struct trj_error *err) {
    *f = (struct trj_fourier){0};
    for (int k = 0; k < 3; k++) {
        if (!n[k] || n[k] > INT32_MAX)
            return trj_fail(err, TRJ_BAD_DATA, "axis %d has %llu points, expected 1 to 2^31 - 1 for %s", k,
                            (unsigned long long)n[k], what);
        f->n[k] = (size_t)n[k];
    }
    f->row = f->n[0] / 2 + 1;
    f->value = bytes_of(f) < 0x1p62 ? fftw_malloc(f->n[2] * f->n[1] * f->row * sizeof(fftw_complex)) : NULL;
    if (!f->value) return trj_fail_memory(err, bytes_of(f), "a Fourier transform");
    trj_use_large_pages(f->value, f->n[2] * f->n[1] * f->row * sizeof(fftw_complex));
    return 0;
}

void trj_fourier_close(struct trj_fourier *f) {
    fftw_free(f->value);
    *f = (struct trj_fourier){0};
}

static int execute(struct trj_fourier *f, fftw_plan plan, struct trj_error *err) {
    if (!plan) return trj_fail_memory(err, bytes_of(f), "a Fourier transform");
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return 0;
}

int trj_fourier_forward(struct trj_fourier *f, struct trj_error *err) {
    return execute(f,
                   fftw_plan_dft_r2c_3d((int)f->n[2], (int)f->n[1], (int)f->n[0], f->value, (fftw_complex *)f->value,
                                        FFTW_ESTIMATE),
                   err);
}

int trj_fourier_backward(struct trj_fourier *f, struct trj_error *err) {
    return execute(f,
                   fftw_plan_dft_c2r_3d((int)f->n[2], (int)f->n[1], (int)f->n[0], (fftw_complex *)f->value, f->value,
                                        FFTW_ESTIMATE),
                   err);
}
#endif
