// SPDX-License-Identifier: MIT
// Tests that Fourier transforms continue after failures of devices (potential/transform_fallback.h): with simulated
// devices that fail at given transforms, compares the device of each transform, the notes and the errors.
#include <stdio.h>
#include <string.h>

#include "tap.h"
#include "transform_fallback.h"

enum { MAX = 3, CALLS = 3, CPU = 99, NEVER = 1000 };

// For each device: how many transforms succeed; -1: it cannot be opened.
struct plan {
    const char *name;
    int devices, works[MAX];
    bool cpu_may_finish;
    enum trj_status cpu;   // of its `open`
    int by[CALLS];         // device of each transform, or CPU; -1: it fails
    const char *notes;     // all of them
    const char *error;     // of the last transform, or of `open`; NULL: none
    enum trj_status fails; // the status of a device that fails
};

static const struct plan *plan;
// Numbers of open states, of transforms that have succeeded, and of those that the open device still computes.
static int opened, computed, left;
static char notes[2048];
static double result[1];

struct device {
    int number;
};
static struct device device[MAX], cpu = {CPU};

static int open_device(void **state, const struct pot_job *job, unsigned *next, struct trj_error *err) {
    unsigned number = *next;
    (void)job;
    *next = number < (unsigned)plan->devices ? number + 1 : 0;
    if (!*next) return trj_fail(err, TRJ_NO_ENGINE, "no other device");
    if (plan->works[number] < 0) return trj_fail(err, TRJ_NO_ENGINE, "GPU %u: no memory", number);
    device[number].number = (int)number;
    left = plan->works[number];
    opened++;
    *state = &device[number];
    return 0;
}

static int compute(void *state, const struct trj_map_lattice *l, const int64_t *charge, double quantum,
                   const uint64_t size[3], double **potential, struct trj_error *err) {
    int number = ((struct device *)state)->number;
    (void)l, (void)size;
    if (number != CPU && left-- <= 0) return trj_fail(err, plan->fails, "GPU %d: lost", number);
    result[0] = (double)charge[0] * quantum + number;
    *potential = result;
    computed++;
    return 0;
}

static void close_state(void *state) {
    if (state) opened--;
}

static int open_cpu(void **state, const struct pot_job *job, struct trj_error *err) {
    (void)job;
    if (plan->cpu) return trj_fail(err, plan->cpu, "the CPU: an error");
    opened++;
    *state = &cpu;
    return 0;
}

static const struct pot_device_transform on_devices = {open_device, compute, close_state};
static const struct pot_transform_method on_cpu = {open_cpu, compute, close_state};

static void take_note(void *arg, const char *text) {
    size_t length = strlen(notes);
    (void)arg;
    snprintf(notes + length, sizeof notes - length, "%s\n", text);
}

#define OTHER ": another GPU computes the Fourier transforms\n"
#define FFTW  ": FFTW computes the Fourier transforms on the CPU\n"

static const struct plan plans[] = {
    {"nothing fails", 2, {NEVER, NEVER}, true, TRJ_OK, {0, 0, 0}, "", NULL, TRJ_NO_ENGINE},
    {"GPU 0 cannot be opened", 2, {-1, NEVER}, true, TRJ_OK, {1, 1, 1}, "GPU 0: no memory" OTHER, NULL, TRJ_NO_ENGINE},
    {"GPU 0 fails", 2, {1, NEVER}, true, TRJ_OK, {0, 1, 1}, "GPU 0: lost" OTHER, NULL, TRJ_NO_ENGINE},
    {"GPU 0 fails, engine cuda", 2, {1, NEVER}, false, TRJ_OK, {0, 1, 1}, "GPU 0: lost" OTHER, NULL, TRJ_NO_ENGINE},
    {"both GPUs fail",
     2,
     {1, 1},
     true,
     TRJ_OK,
     {0, 1, CPU},
     "GPU 0: lost" OTHER "GPU 1: lost" FFTW,
     NULL,
     TRJ_NO_ENGINE},
    {"GPU 0 fails, and GPU 1 cannot be opened",
     2,
     {0, -1},
     true,
     TRJ_OK,
     {CPU, CPU, CPU},
     "GPU 1: no memory" FFTW,
     NULL,
     TRJ_NO_ENGINE},
    {"GPUs 0 and 1 fail in one transform",
     3,
     {1, 0, NEVER},
     true,
     TRJ_OK,
     {0, 2, 2},
     "GPU 0: lost" OTHER "GPU 1: lost" OTHER,
     NULL,
     TRJ_NO_ENGINE},
    {"no GPU can be opened", 2, {-1, -1}, true, TRJ_OK, {CPU, CPU, CPU}, "GPU 1: no memory" FFTW, NULL, TRJ_NO_ENGINE},
    {"no GPU can be opened, engine cuda",
     2,
     {-1, -1},
     false,
     TRJ_OK,
     {-1, -1, -1},
     "",
     "GPU 1: no memory",
     TRJ_NO_ENGINE},
    {"the only GPU fails, engine cuda", 1, {2}, false, TRJ_OK, {0, 0, -1}, "", "GPU 0: lost", TRJ_NO_ENGINE},
    {"the only GPU fails, no FFTW", 1, {2}, true, TRJ_NO_ENGINE, {0, 0, -1}, "", "GPU 0: lost", TRJ_NO_ENGINE},
    {"the only GPU fails, no memory for FFTW",
     1,
     {2},
     true,
     TRJ_FAILED,
     {0, 0, -1},
     "",
     "the CPU: an error",
     TRJ_NO_ENGINE},
    {"no GPU", 0, {0}, false, TRJ_OK, {-1, -1, -1}, "", "no other device", TRJ_NO_ENGINE},
    {"an error of the input", 2, {1, NEVER}, true, TRJ_OK, {0, -1, -1}, "", "GPU 0: lost", TRJ_BAD_DATA},
};

static bool run(const struct plan *p, struct trj_error *err) {
    const struct pot_job job = {.cpu_may_finish = p->cpu_may_finish, .note = take_note};
    const struct trj_map_lattice lattice = {.n = {1, 1, 1}};
    const int64_t charge[1] = {1 << 20};
    struct pot_transform_fallback *state;
    bool same = true, failed = false;
    if (pot_transform_fallback_open(&state, &on_devices, &on_cpu, &job, err)) return p->by[0] < 0;
    for (int i = 0; i < CALLS && !failed; i++) {
        double *potential = NULL;
        failed = pot_transform_fallback_compute(state, &lattice, charge, 1, lattice.n, &potential, err);
        same = same && failed == (p->by[i] < 0) && (failed || *potential == (1 << 20) + p->by[i]);
    }
    pot_transform_fallback_close(state);
    return same;
}

int main(void) {
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct trj_error err = {.text = ""};
        plan = &plans[i];
        notes[0] = 0;
        opened = computed = 0;
        bool same = run(plan, &err);
        ok(same && !strcmp(notes, plan->notes) && !opened && (!plan->error || !strcmp(err.text, plan->error)),
           "%s: %d transforms, all closed: %s", plan->name, computed, plan->error ? err.text : "no error");
        if (strcmp(notes, plan->notes) != 0) printf("# notes: %s\n", notes);
    }
    pot_transform_fallback_close(NULL);
    return done();
}
