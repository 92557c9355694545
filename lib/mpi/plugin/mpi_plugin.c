// SPDX-License-Identifier: MIT
// The plug-in of one MPI (mpi_plugin.h). It is compiled with the wrapper of the MPI, and is not part of the library.
//
// Calls of MPI are made under a lock and never wait inside of MPI: libraries without MPI_THREAD_MULTIPLE work, and no
// thread occupies a core during a long wait.
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "mpi_plugin.h"

// Bytes of one message. MPI sends a long message in parts, and each part takes checks of both sides, so that pauses
// between the checks limit the rate. After the first of several short messages, the other side is ready, and no pause
// is made.
enum { PART = 1 << 20 };
// In ns. Checks follow each other without pauses for the time SPIN; pauses then double up to MAX_PAUSE.
enum { SPIN = 1000000, MAX_PAUSE = 500000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm channels[TRJ_MPI_CHANNELS], node;
static int own_rank;

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Waits for the requests of a call, at most two.
static void wait_for(MPI_Request *requests, int count) {
    struct timespec pause = {0, 1000};
    MPI_Status statuses[2];
    for (const int64_t began = nanoseconds();;) {
        int done;
        pthread_mutex_lock(&lock);
        MPI_Testall(count, requests, &done, statuses);
        pthread_mutex_unlock(&lock);
        if (done) return;
        if (nanoseconds() - began < SPIN) {
            sched_yield();
            continue;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < MAX_PAUSE) pause.tv_nsec *= 2;
    }
}

static void start(int *rank, int *size, int *local_rank, int *local_size) {
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    own_rank = *rank;
    for (int i = 0; i < TRJ_MPI_CHANNELS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &channels[i]);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, local_rank);
    MPI_Comm_size(node, local_size);
}

static int part_of(size_t n) {
    return (int)(n < PART ? n : PART);
}

static void broadcast(int channel, void *data, size_t n) {
    for (char *p = data; n;) {
        int k = part_of(n);
        MPI_Request r;
        pthread_mutex_lock(&lock);
        MPI_Ibcast(p, k, MPI_BYTE, 0, channels[channel], &r);
        pthread_mutex_unlock(&lock);
        wait_for(&r, 1);
        p += k;
        n -= (size_t)k;
    }
}

static void exchange(int channel, const void *out, size_t n, int to, void *in, size_t m, int from) {
    const char *p = out;
    char *q = in;
    if (to < 0) n = 0;
    if (from < 0) m = 0;
    while (n || m) {
        int k = part_of(n), l = part_of(m), count = 0;
        MPI_Request r[2];
        pthread_mutex_lock(&lock);
        if (l) MPI_Irecv(q, l, MPI_BYTE, from, 0, channels[channel], &r[count++]);
        if (k) MPI_Isend(p, k, MPI_BYTE, to, 0, channels[channel], &r[count++]);
        pthread_mutex_unlock(&lock);
        wait_for(r, count);
        if (k) p += k;
        if (l) q += l;
        n -= (size_t)k;
        m -= (size_t)l;
    }
}

static void sum(int channel, uint64_t *values, size_t n) {
    while (n) {
        int k = (int)(n < PART / sizeof *values ? n : PART / sizeof *values);
        MPI_Request r;
        pthread_mutex_lock(&lock);
        MPI_Ireduce(own_rank ? values : MPI_IN_PLACE, values, k, MPI_UINT64_T, MPI_SUM, 0, channels[channel], &r);
        pthread_mutex_unlock(&lock);
        wait_for(&r, 1);
        values += k;
        n -= (size_t)k;
    }
}

static void gather_on_node(const void *own, size_t n, void *all) {
    MPI_Allgather(own, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, node);
}

static void end(void) {
    MPI_Request r;
    pthread_mutex_lock(&lock);
    MPI_Ibarrier(channels[TRJ_MPI_SUMS], &r);
    pthread_mutex_unlock(&lock);
    wait_for(&r, 1);
    MPI_Finalize();
}

static void abort_all(int status) {
    pthread_mutex_lock(&lock); // threads that distribute the input may still run
    MPI_Abort(MPI_COMM_WORLD, status);
}

extern const struct trj_mpi_plugin trj_mpi_plugin;
const struct trj_mpi_plugin trj_mpi_plugin = {
    .version = TRJ_MPI_PLUGIN_VERSION,
    .start = start,
    .broadcast = broadcast,
    .exchange = exchange,
    .sum = sum,
    .gather_on_node = gather_on_node,
    .end = end,
    .abort = abort_all,
};
