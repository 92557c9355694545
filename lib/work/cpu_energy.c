// SPDX-License-Identifier: MIT
// Reads the energy counters of CPU packages, which wrap around, during the run of a tool.
#include "cpu_energy.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"

enum { MAX_PACKAGES = 64, PERIOD = 10 };

struct package {
    char folder[288];
    uint64_t last, range; // micro-joules
};

static struct {
    pthread_mutex_t lock;
    bool begun;
    struct package packages[MAX_PACKAGES];
    unsigned count;
    double joules;
    bool failed; // with the reason in `err`
    struct trj_error err;
} meter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int read_line(const struct package *p, const char *name, char *line, int size, struct trj_error *err) {
    char path[320];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    FILE *f = fopen(path, "r");
    if (!f) return trj_fail_errno(err, "%s", path);
    bool good = fgets(line, size, f);
    if (!good) trj_error_set_errno(err, "%s", path);
    fclose(f);
    return good ? 0 : -1;
}

static int read_number(const struct package *p, const char *name, uint64_t *number, struct trj_error *err) {
    char line[64], *end;
    if (read_line(p, name, line, sizeof line, err)) return -1;
    *number = strtoull(line, &end, 10);
    return end > line ? 0 : trj_fail(err, TRJ_BAD_DATA, "%s/%s: contains no number", p->folder, name);
}

// Returns whether a folder is a package: intel-rapl:0 and so on, also on AMD, with the name package-0. Its parts, such
// as intel-rapl:0:0, are contained in it; the domain psys contains the packages.
static bool is_package(struct package *p, const char *parent, const char *entry) {
    static const char prefix[] = "intel-rapl:";
    const char *number = entry + sizeof prefix - 1;
    struct trj_error ignored;
    char name[64];
    if (strncmp(entry, prefix, sizeof prefix - 1) != 0 || !*number || number[strspn(number, "0123456789")])
        return false;
    int length = snprintf(p->folder, sizeof p->folder, "%s/%s", parent, entry);
    return length > 0 && (size_t)length < sizeof p->folder && !read_line(p, "name", name, sizeof name, &ignored) &&
           !strncmp(name, "package", 7);
}

static void find_packages(void) {
    const char *parent = getenv("TRJPIPE_POWERCAP");
    if (!parent) parent = "/sys/class/powercap";
    DIR *folder = opendir(parent);
    if (!folder) return;
    for (const struct dirent *entry; (entry = readdir(folder)) && meter.count < MAX_PACKAGES;)
        if (is_package(&meter.packages[meter.count], parent, entry->d_name)) meter.count++;
    closedir(folder);
}

// Adds the energy since the last call.
static int advance(struct trj_error *err) {
    for (unsigned i = 0; i < meter.count; i++) {
        struct package *p = &meter.packages[i];
        uint64_t now;
        if (read_number(p, "energy_uj", &now, err)) return -1;
        if (now > p->range || p->last > p->range)
            return trj_fail(err, TRJ_BAD_DATA, "%s/energy_uj: exceeds max_energy_range_uj", p->folder);
        meter.joules += 1e-6 * (double)(now >= p->last ? now - p->last : p->range - p->last + now);
        p->last = now;
    }
    return 0;
}

static void *watch_main(void *unused) {
    for (;;) {
        sleep(PERIOD);
        pthread_mutex_lock(&meter.lock);
        meter.failed = meter.failed || advance(&meter.err);
        pthread_mutex_unlock(&meter.lock);
    }
    return unused;
}

static int start_watch(struct trj_error *err) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the threads that compute
    int rc = pthread_create(&thread, NULL, watch_main, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) return trj_fail(err, TRJ_FAILED, "cannot start a thread: %s", strerror(rc));
    pthread_detach(thread);
    return 0;
}

static int begin(struct trj_error *err) {
    find_packages();
    for (unsigned i = 0; i < meter.count; i++) {
        struct package *p = &meter.packages[i];
        if (read_number(p, "energy_uj", &p->last, err) || read_number(p, "max_energy_range_uj", &p->range, err))
            return -1;
    }
    return meter.count ? start_watch(err) : 0;
}

void work_cpu_energy_begin(void) {
    pthread_mutex_lock(&meter.lock);
    if (!meter.begun) meter.failed = begin(&meter.err);
    meter.begun = true;
    pthread_mutex_unlock(&meter.lock);
}

struct work_cpu_energy work_cpu_energy_read(void) {
    pthread_mutex_lock(&meter.lock);
    meter.failed = meter.failed || advance(&meter.err);
    struct work_cpu_energy energy = {
        .joules = meter.count && !meter.failed ? meter.joules : NAN,
        .packages = meter.count,
        .reason = meter.failed ? meter.err.text : NULL,
    };
    pthread_mutex_unlock(&meter.lock);
    return energy;
}
