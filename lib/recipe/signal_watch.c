// SPDX-License-Identifier: MIT
// Turns signals into bytes of a pipe, because poll(2) cannot wait for signals without a race.
#include "signal_watch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "stage_process.h"
#include "termination_signals.h"

enum { WATCHED = TRJ_TERMINATION_SIGNALS + 1 };

static int watched(size_t i) {
    return i < TRJ_TERMINATION_SIGNALS ? trj_termination_signals[i] : SIGCHLD;
}

static int depth, ends[2];
static struct sigaction before[WATCHED];
static volatile sig_atomic_t came;

static void on_signal(int number) {
    int saved = errno;
    if (number != SIGCHLD) came = number;
    if (write(ends[1], "", 1) < 0) errno = saved; // a full pipe also ends the wait
    errno = saved;
}

int trj_signals_watch(struct trj_error *err) {
    if (depth) return depth++, 0;
    if (trj_pipe(ends, 3, err)) return -1;
    depth = 1;
    came = 0;
    for (size_t i = 0; i < WATCHED; i++) {
        struct sigaction mine = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigaction(watched(i), NULL, &before[i]);
        // A signal that the parent process ignores (nohup) stays ignored.
        if (before[i].sa_handler != SIG_IGN || watched(i) == SIGCHLD) sigaction(watched(i), &mine, NULL);
    }
    return 0;
}

void trj_signals_unwatch(void) {
    if (--depth) return;
    for (size_t i = 0; i < WATCHED; i++) sigaction(watched(i), &before[i], NULL);
    close(ends[0]);
    close(ends[1]);
}

int trj_signals_received(void) {
    return came;
}

int trj_signals_wait_fd(void) {
    return ends[0];
}

void trj_signals_drain(void) {
    char drain[64];
    while (read(ends[0], drain, sizeof drain) > 0) {}
}

int trj_signals_fail(struct trj_error *err, const char *removed) {
    return trj_fail(err, TRJ_FAILED, "ended by signal %d (%s)%s", came, strsignal(came), removed);
}
