// SPDX-License-Identifier: MIT
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool can_run_plain(void) {
    return true;
}

#ifdef __x86_64__
static bool can_run_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

static bool can_run_avx512(void) {
    return can_run_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#endif

static const struct {
    struct rdf_kernel kernel;
    bool (*can_run)(void);
} kernels[] = { // best first
#ifdef __x86_64__
    {{"avx512", rdf_kernel_avx512}, can_run_avx512},
    {{"avx2", rdf_kernel_avx2}, can_run_avx2},
#endif
    {{"plain", rdf_kernel_plain}, can_run_plain}};
enum { KERNELS = sizeof kernels / sizeof *kernels };

int rdf_kernel_find(const struct rdf_kernel **kernel, struct trj_error *err) {
    const char *name = getenv("TRJPIPE_ISA");
    for (size_t i = 0; i < KERNELS; i++) {
        if (name && strcmp(name, kernels[i].kernel.name) != 0) continue;
        *kernel = &kernels[i].kernel;
        if (kernels[i].can_run()) return 0;
        if (name) return trj_fail(err, TRJ_NO_ENGINE, "engine cpu: TRJPIPE_ISA=%s: this CPU does not have it", name);
    }
    return trj_fail(err, TRJ_NO_ENGINE, "engine cpu: TRJPIPE_ISA=%s: this build has %s", name, rdf_kernel_names());
}

const char *rdf_kernel_names(void) {
#ifdef __x86_64__
    return "avx512,avx2,plain";
#else
    return "plain";
#endif
}

void rdf_block_range(struct rdf_block *b, const struct rdf_bins *bins, double between, const double radius[2],
                     double slack) {
    const double e = 0x1p-24, dr = (bins->rmax - bins->rmin) / (double)bins->count;
    double farthest = fmin(bins->rmax, between + radius[0] + radius[1]);
    // 1.01: terms of second order. 2^-20: what is absolute, the difference at rmin = 0 and the rounding of the numbers below.
    double near = 1.01 * (e * (radius[0] + 2 * radius[1] + 4.6 * farthest) + slack) / dr + 0x1p-20;
    if (bins->rmin > 0) near += 1.01 * e * ((farthest + 2 * bins->rmin) / dr + 1);
    double end = (double)bins->count;
    b->start = (float)(bins->rmin / dr + 0.5);
    // Where bins are too fine all are near. With 2^22 of them they are.
    b->threshold = near < 0.49 ? (float)(0.5 - near) : -1;
    b->first = (float)(-0.5 - near - 0x1p-22 * (1 + near));
    b->last = (float)(end - 0.5 + near + 0x1p-22 * (end + near));
    float farthest_bin = (b->start + b->last) * (1 + 0x1p-20f);
    b->far2 = farthest_bin * farthest_bin;
    b->inside = between + radius[0] + radius[1] <= bins->rmax && between - radius[0] - radius[1] >= bins->rmin;
}
