// SPDX-License-Identifier: MIT
// Finds the GPUs that an engine may use, and decides whether it can be opened without those that fail.
#include "gpu_list.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>

#include "engine_choice.h"

static int count_present(int *present, struct trj_error *err) {
    *present = 0;
    cudaError_t e = cudaGetDeviceCount(present);
    if (e == cudaErrorInsufficientDriver)
        return trj_fail(
            err, TRJ_NO_ENGINE,
            "engine cuda: no NVIDIA driver found, or one too old for CUDA %d.%d; install one, or use -e cpu",
            CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (e != cudaSuccess) return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: %s; use -e cpu", cudaGetErrorString(e));
    if (!*present) return trj_fail(err, TRJ_NO_ENGINE, "engine cuda: no GPU found; use -e cpu");
    return 0;
}

int cuda_gpu_list_probe(struct trj_error *err) {
    int present;
    return count_present(&present, err);
}

static int open_listed(const struct cuda_gpu_list *l, int present, struct trj_error *err) {
    unsigned count = 1;
    for (const char *c = l->devices; *c; c++) count += *c == ',';
    for (const char *text = l->devices; *text;) {
        unsigned number;
        if (trj_device_list_next(&text, &number, err)) return -1;
        if (number >= (unsigned)present)
            return trj_fail(err, TRJ_NO_ENGINE,
                            "--devices: no GPU %u: this machine has GPUs 0 to %d; give numbers in this range", number,
                            present - 1);
        if (l->add(l->owner, (int)number, count, err)) return -1;
    }
    return 0;
}

static void note_unused(const struct cuda_gpu_list *l, const char *why) {
    char text[1200];
    snprintf(text, sizeof text, "%s; this GPU is not used", why);
    l->note(l->owner, text);
}

static int open_all(const struct cuda_gpu_list *l, int present, struct trj_error *err) {
    struct trj_error why = {.text = ""};
    unsigned opened = 0;
    for (int number = 0; number < present; number++) {
        if (!l->add(l->owner, number, (unsigned)present, &why)) {
            opened++;
            continue;
        }
        if (why.status != TRJ_NO_ENGINE) {
            *err = why;
            return -1;
        }
        if (number + 1 < present || opened) note_unused(l, why.text);
    }
    return opened ? 0 : trj_fail(err, TRJ_NO_ENGINE, "engine cuda: no GPU can be used: %s; use -e cpu", why.text);
}

int cuda_gpu_list_open(const struct cuda_gpu_list *l, struct trj_error *err) {
    int present;
    if (count_present(&present, err)) return -1;
    return l->devices ? open_listed(l, present, err) : open_all(l, present, err);
}
