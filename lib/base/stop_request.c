// SPDX-License-Identifier: MIT
// Sets a flag in the signal handler. It restores the default action, so that a second signal always ends a tool that
// has no checkpoint to write.
#include "stop_request.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1};
enum { COUNT = sizeof numbers / sizeof *numbers };

static struct sigaction before[COUNT]; // what a second signal does
static bool taken[COUNT];
static volatile sig_atomic_t all_are_requests; // also the second signal and later ones
static void (*volatile wake_input)(void);      // called by the handler; NULL: nothing
static atomic_int requested;                   // number of the first signal; lock-free, so that a handler may set it

static void restore(void) {
    for (size_t i = 0; i < COUNT; i++)
        if (taken[i]) sigaction(numbers[i], &before[i], NULL);
}

static void request(int number) {
    int none = 0, why = errno;
    atomic_compare_exchange_strong(&requested, &none, number);
    if (!all_are_requests) restore();
    void (*wake)(void) = wake_input;
    if (wake) wake();
    errno = why;
}

static void take(size_t first, size_t end) {
    const struct sigaction mine = {.sa_handler = request}; // without SA_RESTART: calls that wait return
    for (size_t i = first; i < end; i++) {
        if (sigaction(numbers[i], NULL, &before[i]) || before[i].sa_handler == SIG_IGN) continue;
        taken[i] = true;
        sigaction(numbers[i], &mine, NULL);
    }
}

void trj_stop_on_signals(void) {
    take(0, 2);
}

void trj_stop_on_batch_signals(void (*wake)(void)) {
    all_are_requests = true;
    wake_input = wake;
    take(1, COUNT);
}

void trj_stop_on_second_signal(void) {
    wake_input = NULL;
    all_are_requests = false;
    if (requested) restore();
}

bool trj_stop_then(int number, const struct sigaction *next) {
    for (size_t i = 0; i < COUNT && (all_are_requests || !requested); i++) {
        if (!taken[i] || numbers[i] != number) continue;
        before[i] = *next;
        return true;
    }
    return false;
}

bool trj_stop_requested(void) {
    return requested;
}

int trj_stop_signal(void) {
    return requested;
}
