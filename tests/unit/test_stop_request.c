// SPDX-License-Identifier: MIT
// Tests of stop_request: the first signal is a request that every thread sees, the second one ends the process.
// threads.bats also compiles this file with the thread sanitizer.
#include "stop_request.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

enum { THREADS = 4, SECONDS = 60 };

static atomic_int waiting;

static void *wait_for_request(void *arg) {
    (void)arg;
    waiting++;
    while (!trj_stop_requested()) sched_yield();
    return NULL;
}

// Threads poll the request while the handler sets it. Returns the status of the child process.
static int threads_see_it(void) {
    pthread_t thread[THREADS];
    trj_stop_on_signals();
    if (trj_stop_requested()) return 1;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, wait_for_request, NULL)) return 1;
    while (waiting < THREADS) sched_yield();
    kill(getpid(), SIGTERM);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    return trj_stop_requested() ? 0 : 1;
}

static int second_ends(void) {
    trj_stop_on_signals();
    raise(SIGINT);
    if (!trj_stop_requested()) return 1;
    raise(SIGTERM);
    return 1;
}

static void leave(int number) {
    _exit(number == SIGTERM ? 0 : 1);
}

static int second_has_action(void) {
    const struct sigaction own = {.sa_handler = leave};
    trj_stop_on_signals();
    if (trj_stop_then(SIGHUP, &own) || !trj_stop_then(SIGTERM, &own)) return 1;
    raise(SIGTERM);
    if (!trj_stop_requested() || trj_stop_then(SIGTERM, &own)) return 1;
    raise(SIGTERM);
    return 1;
}

static int ignored_stays(void) {
    signal(SIGINT, SIG_IGN);
    trj_stop_on_signals();
    raise(SIGINT);
    return trj_stop_requested() ? 1 : 0;
}

// Runs a function in a child process, because requests and actions of signals belong to the whole process.
static int status_of(int (*run)(void)) {
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        alarm(SECONDS);
        signal(SIGINT, SIG_DFL); // a shell ignores it in commands in the background
        exit(run());
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int main(void) {
    ok(!status_of(threads_see_it), "the first signal: every thread sees the request");
    int status = status_of(second_ends);
    ok(status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "the second signal: ends the process");
    ok(!status_of(second_has_action), "the second signal: has the action of trj_stop_then");
    ok(!status_of(ignored_stays), "a signal that is ignored: stays ignored");
    return done();
}
