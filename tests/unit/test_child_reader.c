// SPDX-License-Identifier: MIT
// Tests the reader in a child process: it returns the same frames, and errors instead of crashes.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_reader.h"
#include "tap.h"

// The frame that fails is in a late batch, whose memory was used for other frames before.
enum { FRAMES = 5000, BREAKS_AT = 2400 };
static struct trj_error err;
static size_t atoms = 3;

static float value(uint64_t frame, size_t atom, int axis) {
    return (float)(frame * 10 + (uint64_t)axis) + (float)atom / 1000;
}

static int open_well(struct trj_reader *r, struct trj_error *e) {
    struct stat out, nowhere;
    (void)e;
    r->atoms = atoms;
    r->header_frames = FRAMES;
    r->can_seek = true;
    r->note = "it is a test";
    r->note_stays = true;
    struct itimerval left;
    getitimer(ITIMER_PROF, &left);
    bool quiet = !fstat(STDOUT_FILENO, &out) && !stat("/dev/null", &nowhere) && out.st_rdev == nowhere.st_rdev;
    snprintf(r->dialect, sizeof r->dialect, "%ld %s, %d s", (long)getpid(), quiet ? "quiet" : "holds our output",
             (int)(left.it_value.tv_sec + left.it_value.tv_usec / 500000));
    return 0;
}

static int read_well(struct trj_reader *r, struct trj_frame *f, struct trj_error *e) {
    if (r->next >= FRAMES) return 0;
    if (trj_frame_resize(f, atoms, e)) return -1;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < atoms; i++) f->x[k][i] = value(r->next, i, k);
    f->index = r->next;
    f->step = (int64_t)r->next * 2;
    f->time = (double)r->next / 2;
    f->unit = 10;
    f->cell.h[1][2] = (double)r->next;
    struct itimerval left;
    getitimer(ITIMER_PROF, &left);
    f->cell.h[2][2] = (double)left.it_value.tv_sec; // the rest of the CPU-time limit
    return 1;
}

static bool is_frame(const struct trj_frame *f, uint64_t n) {
    bool good = f->atoms == atoms && f->index == n && f->step == (int64_t)n * 2 && f->time == (double)n / 2 &&
                f->unit == 10 && f->cell.h[1][2] == (double)n && fabs(f->cell.h[2][2] - 60.5) < 2;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < atoms; i++) good = good && f->x[k][i] == value(n, i, k);
    return good;
}

static int start_well(struct trj_error *e) {
    (void)e;
    return 0;
}

static int start_without_memory(struct trj_error *e) {
    return trj_fail_memory(e, 7, "the library");
}

static int break_start(struct trj_error *e) {
    (void)e;
    return raise(SIGSEGV);
}

static int read_number(struct trj_reader *r, struct trj_frame *f, uint64_t n) {
    r->next = n;
    return trj_child_reader_read(r, f, &err);
}

static bool no_process(void) {
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static void check_frames(size_t of_atoms) {
    static const struct trj_child_reader_ops work = {"A library", start_well, open_well, read_well};
    static const uint64_t jumps[] = {4000, 0, 1, 2, 4999, 7, 7, 9, 10, 5000, 3, 4};
    struct trj_reader r = {.internals = &(struct trj_reader_internals){.state = NULL}};
    struct trj_frame f = {.atoms = 0};
    atoms = of_atoms;
    uint64_t n = 0;
    const uint64_t max = atoms > 1000 ? 100 : FRAMES;
    bool good =
        ok(!trj_child_reader_open(&r, &work, &err) && r.atoms == atoms && r.header_frames == FRAMES && r.can_seek &&
               strstr(r.dialect, "quiet, 10 s") && r.note && !strcmp(r.note, "it is a test") && r.note_stays,
           "%zu atoms: opens", atoms);
    while (good && n < max && (good = read_number(&r, &f, n) == 1)) {
        good = is_frame(&f, n);
        n++;
    }
    ok(good && n == max, "%zu atoms: frames in order", atoms);
    ok(read_number(&r, &f, FRAMES) == 0 && read_number(&r, &f, FRAMES) == 0, "%zu atoms: reads after the end return 0",
       atoms);
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        int got = read_number(&r, &f, jumps[i]);
        good = good && (jumps[i] < FRAMES ? got == 1 && is_frame(&f, jumps[i]) : !got);
    }
    ok(good, "%zu atoms: frames in any order", atoms);
    trj_child_reader_close(&r);
    ok(no_process(), "%zu atoms: after close, no process is left", atoms);
    trj_frame_free(&f);
}

// ---- errors, crashes and exits in the child

static int fail_open(struct trj_reader *r, struct trj_error *e) {
    (void)r;
    return trj_fail(e, TRJ_BAD_DATA, "is bad");
}
static int break_open(struct trj_reader *r, struct trj_error *e) {
    (void)r, (void)e;
    raise(SIGSEGV);
    return 0;
}
static int leave_open(struct trj_reader *r, struct trj_error *e) {
    (void)r, (void)e;
    _exit(5);
}
static int endless_open(struct trj_reader *r, struct trj_error *e) {
    (void)e;
    for (volatile const struct trj_reader *v = r; v;) continue;
    return 0;
}
static int killed_open(struct trj_reader *r, struct trj_error *e) {
    (void)r, (void)e;
    raise(SIGKILL);
    return 0;
}
static int signalled_open(struct trj_reader *r, struct trj_error *e) {
    raise(SIGINT);
    raise(SIGTERM);
    raise(SIGHUP);
    return open_well(r, e);
}
static int fail_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *e) {
    return r->next == BREAKS_AT ? trj_fail(e, TRJ_BAD_DATA, "is worse") : read_well(r, f, e);
}
static int break_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *e) {
    if (r->next == BREAKS_AT) abort();
    return read_well(r, f, e);
}

static const struct {
    const char *name;
    int (*open)(struct trj_reader *r, struct trj_error *e);
    int (*read)(struct trj_reader *r, struct trj_frame *f, struct trj_error *e);
    int frames; // before the error; -1: the open fails
    enum trj_status status;
    const char *text;
} ends[] = {
    {"an error of open", fail_open, read_well, -1, TRJ_BAD_DATA, "is bad"},
    {"a crash in open", break_open, read_well, -1, TRJ_BAD_DATA,
     "damaged: A library crashed on this file (Segmentation fault)"},
    {"an exit in open", leave_open, read_well, -1, TRJ_FAILED, "A library ended its process with status 5"},
    {"open never returns", endless_open, read_well, -1, TRJ_BAD_DATA,
     "damaged: A library exceeded its CPU-time limit on this file"},
    {"killed in open", killed_open, read_well, -1, TRJ_FAILED,
     "the process of A library was ended (Killed): probably out of memory"},
    {"signals of other processes and an error of read: handled", signalled_open, fail_read, BREAKS_AT, TRJ_BAD_DATA,
     "is worse"},
    {"a crash in read", open_well, break_read, BREAKS_AT, TRJ_BAD_DATA,
     "damaged: A library crashed on this file (Aborted)"},
};

static void check_ends(void) {
    atoms = 3;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const struct trj_child_reader_ops work = {"A library", start_well, ends[i].open, ends[i].read};
        struct trj_reader r = {.internals = &(struct trj_reader_internals){.state = NULL}};
        struct trj_frame f = {.atoms = 0};
        int got = trj_child_reader_open(&r, &work, &err), frames = got ? -1 : 0;
        while (!got && read_number(&r, &f, (uint64_t)frames) == 1 && is_frame(&f, (uint64_t)frames)) frames++;
        ok(frames == ends[i].frames && err.status == ends[i].status && has_text(err.text, ends[i].text),
           "%s: %d frames, %s", ends[i].name, frames, err.text);
        if (!got) {
            char before[sizeof err.text];
            memcpy(before, err.text, sizeof before);
            ok(read_number(&r, &f, (uint64_t)frames) == -1 && !strcmp(err.text, before),
               "%s: a second read fails with the same error", ends[i].name);
        }
        trj_child_reader_close(&r);
        ok(no_process(), "%s: after close, no process is left", ends[i].name);
        trj_frame_free(&f);
    }
}

// If the library ends before it gets the file, the file is not damaged.
static void check_starts(void) {
    static const struct trj_child_reader_ops without = {"A library", start_without_memory, open_well, read_well},
                                             breaks = {"A library", break_start, open_well, read_well};
    struct trj_reader r = {.internals = &(struct trj_reader_internals){.state = NULL}};
    ok(trj_child_reader_open(&r, &without, &err) == -1 && err.status == TRJ_FAILED &&
           !strcmp(err.text, "out of memory: 7 bytes for the library"),
       "library without memory to start: %s", err.text);
    trj_child_reader_close(&r);
    r = (struct trj_reader){.internals = &(struct trj_reader_internals){.state = NULL}};
    ok(trj_child_reader_open(&r, &breaks, &err) == -1 && err.status == TRJ_FAILED &&
           has_text(err.text, "A library cannot be started (Segmentation fault)"),
       "library that crashes at start: %s", err.text);
    trj_child_reader_close(&r);
    ok(no_process(), "libraries that do not start: files are closed");
}

// A crash in one frame does not affect other frames, whether the frame is requested or read in advance.
static void check_others(void) {
    static const struct trj_child_reader_ops work = {"A library", start_well, open_well, break_read};
    struct trj_reader r = {.internals = &(struct trj_reader_internals){.state = NULL}};
    struct trj_frame f = {.atoms = 0};
    atoms = 3;
    bool good = !trj_child_reader_open(&r, &work, &err);
    for (int i = 0; i < 3; i++) {
        good = good && read_number(&r, &f, BREAKS_AT) == -1 && has_text(err.text, "crashed on this file (Aborted)");
        good = good && read_number(&r, &f, BREAKS_AT + 1) == 1 && is_frame(&f, BREAKS_AT + 1);
        for (uint64_t n = BREAKS_AT - 3; n < BREAKS_AT; n++)
            good = good && read_number(&r, &f, n) == 1 && is_frame(&f, n);
        good = good && read_number(&r, &f, 4321) == 1 && is_frame(&f, 4321);
    }
    ok(good, "two readers, one of which crashes: the other reads its frames");
    trj_child_reader_close(&r);
    ok(no_process(), "two readers, one of which crashes: after close, no process is left");
    trj_frame_free(&f);
}

// The child is killed while it is idle.
static void check_killed(void) {
    static const struct trj_child_reader_ops work = {"A library", start_well, open_well, read_well};
    struct trj_reader r = {.internals = &(struct trj_reader_internals){.state = NULL}};
    struct trj_frame f = {.atoms = 0};
    siginfo_t info;
    atoms = 100000;
    bool good = !trj_child_reader_open(&r, &work, &err) && read_number(&r, &f, 9) == 1;
    pid_t process = (pid_t)strtol(r.dialect, NULL, 10);
    good = good && !kill(process, SIGKILL) && !waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT);
    ok(good && read_number(&r, &f, 10) == -1 && err.status == TRJ_FAILED, "killed: %s", err.text);
    trj_child_reader_close(&r);
    trj_frame_free(&f);
}

// The parent ends without closing the reader; `late`: while a read never returns. The child must end, too.
static int endless_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *e) {
    (void)f;
    return endless_open(r, e);
}

static void check_orphan(bool late) {
    static const struct trj_child_reader_ops work = {"A library", start_well, open_well, endless_read};
    int pipes[2];
    char byte;
    if (pipe(pipes)) abort();
    pid_t parent = fork();
    if (!parent) {
        struct trj_reader r = {.internals = &(struct trj_reader_internals){.state = NULL}};
        struct trj_frame f = {.atoms = 0};
        close(pipes[0]);
        bool good = !trj_child_reader_open(&r, &work, &err);
        if (late) alarm(1);
        _exit(!good || (late && read_number(&r, &f, 0)));
    }
    close(pipes[1]);
    int status = -1;
    waitpid(parent, &status, 0);
    alarm(300);
    ok(status == (late ? SIGALRM : 0) && !read(pipes[0], &byte, 1), "the parent ends%s: the child ends",
       late ? " during a read" : "");
    alarm(0);
    close(pipes[0]);
}

int main(void) {
    check_frames(3);
    check_frames(20000);
    check_frames(100000);
    check_ends();
    check_starts();
    check_others();
    check_killed();
    check_orphan(false);
    check_orphan(true);
    return done();
}
