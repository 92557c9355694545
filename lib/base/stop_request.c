// SPDX-License-Identifier: MIT
// Sets a flag in the signal handler and restores the default action, so that a second signal always ends the tool.
#include "stop_request.h"

#include <stdatomic.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM};
enum { COUNT = sizeof numbers / sizeof *numbers };

static struct sigaction before[COUNT]; // what a second signal does
static bool taken[COUNT];
static atomic_bool requested; // lock-free, so that a signal handler may set it and any thread read it

static void request(int number) {
    (void)number;
    requested = true;
    for (size_t i = 0; i < COUNT; i++)
        if (taken[i]) sigaction(numbers[i], &before[i], NULL);
}

void trj_stop_on_signals(void) {
    const struct sigaction mine = {.sa_handler = request}; // without SA_RESTART: calls that wait return
    for (size_t i = 0; i < COUNT; i++) {
        if (sigaction(numbers[i], NULL, &before[i]) || before[i].sa_handler == SIG_IGN) continue;
        taken[i] = true;
        sigaction(numbers[i], &mine, NULL);
    }
}

bool trj_stop_then(int number, const struct sigaction *next) {
    for (size_t i = 0; i < COUNT && !requested; i++) {
        if (!taken[i] || numbers[i] != number) continue;
        before[i] = *next;
        return true;
    }
    return false;
}

bool trj_stop_requested(void) {
    return requested;
}
