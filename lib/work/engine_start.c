// SPDX-License-Identifier: MIT
// Starts a driver first in a child process and then in a thread, because a broken driver can crash or hang.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): pipe2, prctl, syscall
#include "engine_start.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"

// A short job ends without a start. The delay is small compared with the time of a start.
#define START_DELAY 0.1 // s
// A start, until GPUs count: one to two seconds of the driver in the child, and again in the thread.
#define START_SECONDS 2.0 // s
// Time to finish the work of the other engine, and to close the GPUs at the end of the process.
#define SWITCH_SECONDS 0.1 // s
#define REAP_INTERVAL  20  // ms

struct work_start {
    const struct work_start_plan *plan;
    pthread_t thread;
    int cancel[2]; // a pipe; work_start_close closes the end to write to
    pthread_mutex_t lock;
    pthread_cond_t ended;
    // Protected by `lock`:
    enum work_start_state state;
    bool cancelled, opening;
    bool absent;          // the probe has reported a failure
    struct trj_error why; // if the state is WORK_START_FAILED
};

static atomic_bool abandoned;

// ---- the child process

// The child must not keep files of the parent open, or a program that reads the output of the parent would wait for the
// child, which a driver may never let end.
static int close_files(int socket) {
    enum { KEPT = STDERR_FILENO + 1, MAX = 1 << 16 };
    int null_device = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < KEPT; fd++)
        if (null_device >= 0 ? dup2(null_device, fd) < 0 : close(fd) < 0) return -1;
    if (socket != KEPT && dup2(socket, KEPT) < 0) return -1;
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, KEPT + 1, ~0U, 0)) return KEPT;
#endif
    struct rlimit limit;
    int end = !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < MAX ? (int)limit.rlim_cur : MAX;
    for (int fd = KEPT + 1; fd < end; fd++) close(fd);
    return KEPT;
}

// Signals of a terminal or batch system have their default effect, without the handlers of the parent, which remove its
// temporary file.
static void run_child(int (*probe)(struct trj_error *), int socket, pid_t parent) {
    struct trj_error err = {.status = TRJ_OK};
    sigset_t none;
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if ((socket = close_files(socket)) < 0) _exit(1);
    if (probe(&err) && err.status == TRJ_OK) err.status = TRJ_FAILED;
    if (write(socket, &err, sizeof err) == (ssize_t)sizeof err)
        while (read(socket, &byte, 1) < 0 && errno == EINTR) continue; // until the parent closes its end
    _exit(0);                                                          // without handlers of the driver
}

struct child {
    pid_t process;
    int socket;
};

static int start_child(struct child *c, const struct work_start *s, struct trj_error *err) {
    int ends[2];
    pid_t parent = getpid();
    *c = (struct child){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return trj_fail_errno(err, "engine %s: cannot create a socket for the process that probes it", s->plan->name);
    pid_t process = fork();
    if (!process) run_child(s->plan->probe, ends[1], parent);
    close(ends[1]);
    c->socket = ends[0];
    if (process < 0) return trj_fail_errno(err, "engine %s: cannot start a process that probes it", s->plan->name);
    c->process = process;
    return 0;
}

// Waits until the child has ended, and sets *status, but waits no longer than until the start is cancelled.
static void reap_child(struct child *c, const struct work_start *s, int *status) {
    struct pollfd cancel = {.fd = s->cancel[0], .events = POLLIN};
    pid_t got = 0;
    while (c->process && !(got = waitpid(c->process, status, WNOHANG)))
        if (poll(&cancel, 1, REAP_INTERVAL)) break;
    if (got) c->process = 0;
}

// Ends the child. A child that is in the driver ends when the driver lets it; nothing waits for that.
static void end_child(struct child *c, const struct work_start *s) {
    int status;
    if (c->socket >= 0) close(c->socket);
    c->socket = -1;
    if (c->process) kill(c->process, SIGKILL);
    reap_child(c, s, &status);
}

// Returns whether the whole message has arrived before the child has ended or the start is cancelled.
static bool receive(const struct child *c, const struct work_start *s, struct trj_error *to) {
    struct pollfd wait[] = {{.fd = c->socket, .events = POLLIN}, {.fd = s->cancel[0], .events = POLLIN}};
    char *next = (char *)to, *end = (char *)(to + 1);
    while (next < end) {
        if (poll(wait, 2, -1) < 0 && errno == EINTR) continue;
        if (wait[1].revents) return false;
        ssize_t n = read(c->socket, next, (size_t)(end - next));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        next += n;
    }
    to->text[sizeof to->text - 1] = 0;
    return true;
}

// Probes the engine in a child, which continues to run after a success.
static int probe(struct work_start *s, struct child *c, bool *absent, struct trj_error *err) {
    struct trj_error found;
    int status = 0;
    if (start_child(c, s, err)) return -1;
    if (receive(c, s, &found)) {
        *err = found;
        *absent = found.status != TRJ_OK;
        return *absent ? -1 : 0;
    }
    reap_child(c, s, &status);
    return trj_fail(err, TRJ_NO_ENGINE, "engine %s: its driver crashed when it was started (%s)", s->plan->name,
                    WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "the process ended without a result");
}

// ---- the thread

static bool begin_opening(struct work_start *s) {
    pthread_mutex_lock(&s->lock);
    s->opening = !s->cancelled;
    pthread_mutex_unlock(&s->lock);
    return s->opening;
}

static void *start_main(void *data) {
    struct work_start *s = data;
    struct child child = {.socket = -1};
    struct trj_error err = {.status = TRJ_OK};
    bool absent = false;
    int rc = s->plan->probe ? probe(s, &child, &absent, &err) : 0;
    if (!rc) rc = begin_opening(s) ? s->plan->open(s->plan->owner, &err) : -1;
    pthread_mutex_lock(&s->lock);
    s->state = rc ? WORK_START_FAILED : WORK_START_READY;
    s->opening = false;
    s->absent = absent;
    s->why = err;
    pthread_cond_broadcast(&s->ended);
    pthread_mutex_unlock(&s->lock);
    end_child(&child, s);
    return NULL;
}

static void free_start(struct work_start *s) {
    for (int i = 0; i < 2; i++)
        if (s->cancel[i] >= 0) close(s->cancel[i]);
    pthread_cond_destroy(&s->ended);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

int work_start_begin(struct work_start **start, const struct work_start_plan *plan, struct trj_error *err) {
    struct work_start *s = trj_alloc(1, sizeof *s, "the start of an engine", err);
    if (!s) return -1;
    s->plan = plan;
    s->cancel[0] = s->cancel[1] = -1;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->ended, NULL);
    if (pipe2(s->cancel, O_CLOEXEC)) {
        trj_fail_errno(err, "engine %s: cannot create a pipe to cancel its start", plan->name);
        free_start(s);
        return -1;
    }
    int rc = pthread_create(&s->thread, NULL, start_main, s);
    if (rc) {
        free_start(s);
        return trj_fail(err, TRJ_FAILED, "engine %s: cannot start a thread: %s", plan->name, strerror(rc));
    }
    *start = s;
    return 0;
}

enum work_start_state work_start_state(struct work_start *s, bool wait, struct trj_error *why, bool *absent) {
    pthread_mutex_lock(&s->lock);
    while (wait && s->state == WORK_START_IN_PROGRESS) pthread_cond_wait(&s->ended, &s->lock);
    enum work_start_state state = s->state;
    if (state == WORK_START_FAILED) *why = s->why;
    *absent = s->absent;
    pthread_mutex_unlock(&s->lock);
    return state;
}

void work_start_close(struct work_start *s, bool used) {
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->cancelled = true;
    bool left = !used && (s->opening || s->state == WORK_START_READY);
    close(s->cancel[1]);
    s->cancel[1] = -1;
    pthread_mutex_unlock(&s->lock);
    if (left) {
        abandoned = true; // the thread may be in the driver: its memory stays until the process ends
        pthread_detach(s->thread);
        return;
    }
    pthread_join(s->thread, NULL); // the thread is not in the driver and does not wait for the child
    free_start(s);
}

bool work_start_abandoned(void) {
    return abandoned;
}

int work_start_end_process(int status) {
    if (abandoned) _exit(status);
    return status;
}

// ---- decisions

// The rest of the input is assumed to take as long per byte as the part that was read since the work began. This
// includes the time of reading, so that an engine that waits for its input is not replaced by a faster one without a
// gain.
bool work_start_pays(double seconds, double from, double to, bool ready) {
    if (!ready && seconds < START_DELAY) return false;
    if (isnan(to)) return true;
    if (!(to > from)) return to < 1;
    return seconds * (1 - to) / (to - from) > (ready ? SWITCH_SECONDS : START_SECONDS);
}
