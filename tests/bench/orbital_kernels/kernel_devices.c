// SPDX-License-Identifier: MIT
// Runs kernels of orbitals on several GPUs with one thread for each. Threads wait at a barrier between runs, because
// starting them would take longer than a small lattice.
#include "kernel_devices.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check.cuh"
#include "kernel_compiler.h"
#include "memory.h"

enum { SLOTS = 3 }; // slabs in flight on a GPU: the copy of one overlaps with the kernels of others

struct device {
    struct kernel_devices *all;
    int number;
    bool started;
    pthread_t thread;
    struct kernel_data *data; // in its memory, as what follows
    float *value[SLOTS];
    cudaStream_t stream[SLOTS];
    struct kernel_module module;
    int rc;
    struct trj_error err;
};

struct kernel_devices {
    struct kernel_lattice lattice;
    uint32_t planes;
    const struct kernel_data *data;
    const char *code;
    float *whole; // values of the whole lattice, on GPU 0
    cudaEvent_t begin, end;
    // The run. Threads read these between the two barriers only, except `next`, the next slab.
    enum point_kernel kernel;
    uint32_t run_planes;
    float *value;
    bool stop;
    atomic_uint next;
    bool has_barriers;
    pthread_barrier_t start, finish;
    unsigned count;
    struct device device[];
};

static int launch(const struct device *d, const struct kernel_lattice *lattice, uint32_t planes, float *value,
                  cudaStream_t stream, struct trj_error *err) {
    const enum point_kernel kernel = d->all->kernel;
    return kernel == KERNEL_COMPILED ? kernel_module_launch(&d->module, lattice, planes, value, stream, err)
                                     : point_kernel_launch(kernel, d->data, lattice, planes, value, stream, err);
}

// ---- a thread

static int open_device(struct device *d, struct trj_error *err) {
    const struct kernel_lattice *l = &d->all->lattice;
    const size_t plane = (size_t)l->width * l->height;
    CUDA_CHECK(cudaSetDevice(d->number));
    CUDA_CHECK(cudaMalloc((void **)&d->data, sizeof *d->data));
    if (point_kernel_upload(d->all->data, d->data, err)) return -1;
    for (int i = 0; i < SLOTS; i++) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&d->stream[i], cudaStreamNonBlocking));
        CUDA_CHECK(cudaMalloc((void **)&d->value[i], KERNEL_SLAB * plane * sizeof *d->value[i]));
    }
    return d->all->code ? kernel_module_load(&d->module, d->all->code, d->all->data, err) : 0;
}

static void close_device(struct device *d) {
    CUDA_RELEASE(cudaSetDevice(d->number));
    kernel_module_unload(&d->module);
    for (int i = 0; i < SLOTS; i++) {
        if (d->stream[i]) CUDA_RELEASE(cudaStreamDestroy(d->stream[i]));
        CUDA_RELEASE(cudaFree(d->value[i]));
    }
    CUDA_RELEASE(cudaFree(d->data));
}

static int run_slabs(struct device *d, struct trj_error *err) {
    struct kernel_devices *all = d->all;
    struct kernel_lattice slab = all->lattice;
    const size_t plane = (size_t)slab.width * slab.height;
    for (unsigned turn = 0;; turn++) {
        const unsigned slot = turn % SLOTS;
        if (turn >= SLOTS) CUDA_CHECK(cudaStreamSynchronize(d->stream[slot]));
        slab.first = atomic_fetch_add(&all->next, 1) * KERNEL_SLAB;
        if (slab.first >= all->run_planes) break;
        const uint32_t left = all->run_planes - slab.first, planes = left < KERNEL_SLAB ? left : KERNEL_SLAB;
        if (launch(d, &slab, planes, d->value[slot], d->stream[slot], err)) return -1;
        if (all->kernel != KERNEL_EMPTY)
            CUDA_CHECK(cudaMemcpyAsync(all->value + slab.first * plane, d->value[slot],
                                       planes * plane * sizeof *all->value, cudaMemcpyDeviceToHost, d->stream[slot]));
    }
    for (int i = 0; i < SLOTS; i++) CUDA_CHECK(cudaStreamSynchronize(d->stream[i]));
    return 0;
}

static void *serve(void *device) {
    struct device *d = device;
    struct kernel_devices *all = d->all;
    d->rc = open_device(d, &d->err);
    pthread_barrier_wait(&all->finish);
    for (;;) {
        pthread_barrier_wait(&all->start);
        if (all->stop) break;
        d->rc = run_slabs(d, &d->err);
        pthread_barrier_wait(&all->finish);
    }
    close_device(d);
    return NULL;
}

// ---- all devices

// Waits for the threads, and returns the error of the first that failed.
static int finish(struct kernel_devices *all, struct trj_error *err) {
    pthread_barrier_wait(&all->finish);
    for (unsigned i = 0; i < all->count; i++)
        if (all->device[i].rc) {
            *err = all->device[i].err;
            return -1;
        }
    return 0;
}

int kernel_devices_open(struct kernel_devices **devices, unsigned count, const struct kernel_data *data,
                        const struct kernel_lattice *lattice, uint32_t planes, const char *code,
                        struct trj_error *err) {
    struct kernel_devices *all = *devices = trj_alloc(1, sizeof *all + count * sizeof *all->device, "GPUs", err);
    if (!all) return -1;
    all->lattice = *lattice;
    all->planes = planes;
    all->data = data;
    all->code = code;
    all->count = count;
    CUDA_CHECK(cudaSetDevice(0));
    CUDA_CHECK(
        cudaMalloc((void **)&all->whole, (size_t)planes * lattice->width * lattice->height * sizeof *all->whole));
    CUDA_CHECK(cudaEventCreate(&all->begin));
    CUDA_CHECK(cudaEventCreate(&all->end));
    if (pthread_barrier_init(&all->start, NULL, count + 1)) return trj_fail(err, TRJ_FAILED, "no barrier");
    if (pthread_barrier_init(&all->finish, NULL, count + 1)) {
        pthread_barrier_destroy(&all->start);
        return trj_fail(err, TRJ_FAILED, "no barrier");
    }
    all->has_barriers = true;
    for (unsigned i = 0; i < count; i++) {
        struct device *d = &all->device[i];
        d->all = all;
        d->number = (int)i;
        if (pthread_create(&d->thread, NULL, serve, d)) return trj_fail(err, TRJ_FAILED, "no thread");
        d->started = true;
    }
    return finish(all, err);
}
void kernel_devices_close(struct kernel_devices *all) {
    unsigned started = 0;
    if (!all) return;
    while (started < all->count && all->device[started].started) started++;
    if (all->has_barriers && started == all->count) {
        all->stop = true;
        pthread_barrier_wait(&all->start);
        for (unsigned i = 0; i < started; i++) pthread_join(all->device[i].thread, NULL);
        pthread_barrier_destroy(&all->start);
        pthread_barrier_destroy(&all->finish);
    } else if (started) {
        return; // the threads that were started wait for the others until the process ends
    }
    CUDA_RELEASE(cudaSetDevice(0));
    if (all->begin) CUDA_RELEASE(cudaEventDestroy(all->begin));
    if (all->end) CUDA_RELEASE(cudaEventDestroy(all->end));
    CUDA_RELEASE(cudaFree(all->whole));
    free(all);
}

int kernel_devices_run(struct kernel_devices *all, enum point_kernel kernel, uint32_t planes, float *value,
                       struct trj_error *err) {
    all->kernel = kernel;
    all->run_planes = planes;
    all->value = value;
    atomic_store(&all->next, 0);
    pthread_barrier_wait(&all->start);
    return finish(all, err);
}

int kernel_devices_time(struct kernel_devices *all, enum point_kernel kernel, double *seconds, struct trj_error *err) {
    const struct device *d = &all->device[0];
    float milliseconds = 0;
    all->kernel = kernel;
    CUDA_CHECK(cudaSetDevice(0));
    CUDA_CHECK(cudaEventRecord(all->begin, d->stream[0]));
    if (launch(d, &all->lattice, all->planes, all->whole, d->stream[0], err)) return -1;
    CUDA_CHECK(cudaEventRecord(all->end, d->stream[0]));
    CUDA_CHECK(cudaEventSynchronize(all->end));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, all->begin, all->end));
    *seconds = 1e-3 * (double)milliseconds;
    return 0;
}
