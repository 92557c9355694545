// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): memfd_create, prctl
#include "child_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"

// Processor time: what is not done by then never is. Unpacking, the slowest of honest work, makes more bytes in a second.
enum { OPEN_SECONDS = 10, READ_SECONDS = 60, BYTES_PER_SECOND = 1 << 20 };

// Frames are asked for by batches, so that small ones cost no more than their bytes; one is read while the frames of another are used. They
// grow from one frame as long as frames are wanted in order.
enum { BATCH_BYTES = 1 << 19, HALVES = 2 };

struct batch {
    uint64_t first;
    uint32_t count, half; // where it goes
};

// What a read left.
struct left {
    int got;
    struct trj_error err;
    struct trj_frame frame;
};

struct shared {
    atomic_uint done[HALVES];  // frames of a batch; they are there if the next one was too much for the library
    _Alignas(64) char slots[]; // of both halves, each a struct left and coordinates
};

// What the open left.
struct opened {
    int got;
    struct trj_error err;
    size_t atoms;
    uint64_t header_frames;
    bool can_seek, noted, note_stays;
    char note[128], dialect[sizeof((struct trj_reader *)0)->dialect];
};

struct trj_apart {
    const struct trj_child_reader_ops *work;
    struct opened opened;
    pid_t process; // 0: none
    int socket;    // a struct batch goes there, and a byte comes back when it is done
    // Memory of both processes.
    int memory_file;
    struct shared *shared;
    size_t bytes, slot; // bytes of all, of a slot
    uint32_t most;      // frames in a batch
    // Of the one that reads:
    struct batch now, soon; // where they have no frames, there is none
    uint64_t next;          // the frame behind the last one
    uint32_t in_order;      // frames in the next batch of such
    bool over;              // the process is gone
    int status;             // how it ended, when that was asked for
};

// ---- both

static bool put(int socket, const void *data, size_t size) {
    for (const char *p = data; size;) {
        ssize_t n = send(socket, p, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

static bool get(int socket, void *data, size_t size) {
    for (char *p = data; size;) {
        ssize_t n = recv(socket, p, size, MSG_WAITALL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

enum { HEAD = (sizeof(struct left) + 63) / 64 * 64 };

static struct left *slot_of(const struct trj_apart *a, const struct batch *b, uint64_t frame) {
    return (struct left *)(a->shared->slots + (b->half * (size_t)a->most + (frame - b->first)) * a->slot);
}

static void *coordinates(struct left *slot) {
    return (char *)slot + HEAD;
}

// What both do. The one that reads gives the memory its size before anything is put there.
static int map_memory(struct trj_apart *a, size_t atoms, struct trj_error *err) {
    size_t frame = trj_frame_bytes(atoms);
    if (!frame || __builtin_add_overflow(frame, HEAD, &a->slot))
        return trj_fail_memory(err, (double)atoms * sizeof(float[3]), "a frame");
    a->most = a->slot < BATCH_BYTES ? (uint32_t)(BATCH_BYTES / a->slot) : 1;
    if (__builtin_mul_overflow(a->slot, HALVES * (size_t)a->most, &a->bytes) ||
        __builtin_add_overflow(a->bytes, sizeof *a->shared, &a->bytes))
        return trj_fail_memory(err, HALVES * (double)a->slot, "frames");
    void *at = mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, a->memory_file, 0);
    if (at == MAP_FAILED) return trj_fail_memory(err, (double)a->bytes, "frames");
    a->shared = at;
    return 0;
}

// ---- there

// SIGPROF ends the process after so much work. Waiting is none.
static void limit(double seconds) {
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = (time_t)seconds}, NULL);
}

static bool open_there(struct trj_apart *a, struct trj_reader *r) {
    struct opened o = {0};
    limit(OPEN_SECONDS);
    o.got = a->work->open(r, &o.err) || (!a->shared && map_memory(a, r->atoms, &o.err)) ? -1 : 0;
    o.atoms = r->atoms;
    o.header_frames = r->header_frames;
    o.can_seek = r->can_seek;
    o.noted = r->note;
    o.note_stays = r->note_stays;
    if (r->note) snprintf(o.note, sizeof o.note, "%s", r->note);
    memcpy(o.dialect, r->dialect, sizeof o.dialect);
    return put(a->socket, &o, sizeof o) && !o.got;
}

static void read_batch(const struct trj_apart *a, struct trj_reader *r, const struct batch *b) {
    int got = 1;
    for (uint32_t n = 0; got > 0 && n < b->count; n++) {
        r->next = b->first + n;
        struct left *to = slot_of(a, b, r->next);
        trj_frame_adopt(&to->frame, coordinates(to), r->atoms, NULL);
        limit(READ_SECONDS + (double)a->slot / BYTES_PER_SECOND);
        got = to->got = a->work->read(r, &to->frame, &to->err);
        atomic_store(&a->shared->done[b->half], n + 1);
    }
}

// Reports whether the library has started before it gets the file.
static bool start_there(struct trj_apart *a) {
    struct trj_error err = {.status = TRJ_OK};
    limit(OPEN_SECONDS);
    int rc = a->work->start(&err);
    return put(a->socket, &err, sizeof err) && !rc;
}

static void serve(struct trj_apart *a, struct trj_reader *r) {
    struct batch wanted;
    bool good = start_there(a) && open_there(a, r);
    while (good && get(a->socket, &wanted, sizeof wanted)) {
        read_batch(a, r, &wanted);
        good = put(a->socket, "", 1);
    }
}

// What the terminal and a batch system send to all processes is for the one that asks: this one ends when it does, whatever it is at.
// Nobody is to wait for the end of standard output because of it.
static void live_apart(struct trj_apart *a, struct trj_reader *r, pid_t parent) {
    static const int ours[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
    static const int plain[] = {SIGPROF, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) signal(ours[i], SIG_IGN);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) signal(plain[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    serve(a, r);
    _exit(0);
}

// ---- here

static void reap(struct trj_apart *a) {
    if (a->process) kill(a->process, SIGKILL); // it only reads; and if it is dying, how does not change
    while (a->process && waitpid(a->process, &a->status, 0) < 0 && errno == EINTR) continue;
    a->process = 0;
    if (a->socket >= 0) close(a->socket);
    a->socket = -1;
}

// What the process ended with. What ends it but the library has nothing to do with the file.
static int gone(struct trj_apart *a, struct trj_error *err) {
    const char *library = a->work->library;
    reap(a);
    if (!WIFSIGNALED(a->status))
        return trj_fail(err, TRJ_FAILED, "%s ended its process with status %d", library, WEXITSTATUS(a->status));
    int number = WTERMSIG(a->status);
    if (number == SIGKILL || number == SIGBUS || number == SIGXCPU)
        return trj_fail(err, TRJ_FAILED, "the process of %s was ended (%s); maybe there is too little memory", library,
                        strsignal(number));
    if (number == SIGPROF)
        return trj_fail(err, TRJ_BAD_DATA, "damaged: %s exceeded its CPU-time limit on this file", library);
    return trj_fail(err, TRJ_BAD_DATA, "damaged: %s crashed on this file (%s)", library, strsignal(number));
}

static int not_started(struct trj_apart *a, struct trj_error *err) {
    char end[32];
    reap(a);
    snprintf(end, sizeof end, "status %d", WEXITSTATUS(a->status));
    return trj_fail(err, TRJ_FAILED,
                    "%s cannot be started (%s): out of memory, or the library is not installed properly",
                    a->work->library, WIFSIGNALED(a->status) ? strsignal(WTERMSIG(a->status)) : end);
}

// It may have been written over by what broke.
static int fail_there(const struct trj_error *there, struct trj_error *err) {
    *err = *there;
    err->text[sizeof err->text - 1] = 0;
    if (err->status != TRJ_FAILED) err->status = TRJ_BAD_DATA;
    return -1;
}

static int start(struct trj_apart *a, struct trj_reader *r, struct trj_error *err) {
    int ends[2];
    struct opened *o = &a->opened;
    pid_t process, parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return trj_fail_errno(err, "no socket for %s", a->work->library);
    if (!(process = fork())) {
        close(ends[0]);
        a->socket = ends[1];
        live_apart(a, r, parent);
    }
    close(ends[1]);
    a->socket = ends[0];
    if (process < 0) return trj_fail_errno(err, "no process for %s", a->work->library);
    a->process = process;
    a->over = false;
    struct trj_error started;
    if (!get(a->socket, &started, sizeof started)) return not_started(a, err);
    if (started.status != TRJ_OK) return fail_there(&started, err);
    if (!get(a->socket, o, sizeof *o)) return gone(a, err);
    o->note[sizeof o->note - 1] = o->dialect[sizeof o->dialect - 1] = 0;
    return o->got ? fail_there(&o->err, err) : 0;
}

int trj_child_reader_open(struct trj_reader *r, const struct trj_child_reader_ops *work, struct trj_error *err) {
    struct trj_apart *a = r->internals->state = trj_alloc(1, sizeof *a, "a reader", err);
    const struct opened *o;
    if (!a) return -1;
    *a = (struct trj_apart){.work = work, .socket = -1, .in_order = 1};
    if ((a->memory_file = memfd_create("trjpipe frames", MFD_CLOEXEC)) < 0)
        return trj_fail_errno(err, "no memory for %s", work->library);
    if (start(a, r, err)) return -1;
    o = &a->opened;
    if (map_memory(a, o->atoms, err)) return -1;
    if (ftruncate(a->memory_file, (off_t)a->bytes)) return trj_fail_errno(err, "no memory for frames");
    r->atoms = o->atoms;
    r->header_frames = o->header_frames;
    r->can_seek = o->can_seek;
    r->note = o->noted ? o->note : NULL;
    r->note_stays = o->note_stays;
    memcpy(r->dialect, o->dialect, sizeof r->dialect);
    return 0;
}

static bool has(const struct batch *b, uint64_t frame) {
    return frame - b->first < b->count;
}

static void ask(struct trj_apart *a, uint64_t first, uint32_t count) {
    a->soon = (struct batch){first, count, !a->now.half};
    atomic_store(&a->shared->done[a->soon.half], 0);
    a->over = !put(a->socket, &a->soon, sizeof a->soon);
}

static void await(struct trj_apart *a) {
    char done;
    uint32_t asked = a->soon.count;
    a->over = !get(a->socket, &done, 1);
    a->now = a->soon;
    a->now.count = atomic_load(&a->shared->done[a->now.half]);
    if (a->now.count > asked) a->now.count = 0;
    a->soon.count = 0;
}

// The batch of a frame; frames that come in order are asked for before they are wanted. 0, -1.
static int fetch(struct trj_apart *a, struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    if (has(&a->now, frame)) return 0;
    if (frame != a->next) a->in_order = 1;
    if (a->soon.count) await(a);
    bool broke_on_it = a->over && frame == a->now.first + a->now.count;
    if (!has(&a->now, frame) && !broke_on_it) {
        if (a->over) reap(a);
        if (a->over && start(a, r, err)) return -1;
        ask(a, frame, a->in_order);
        await(a);
    }
    if (!a->over && frame == a->next) {
        a->in_order = a->in_order < a->most / 2 ? 2 * a->in_order : a->most;
        ask(a, a->now.first + a->now.count, a->in_order);
    }
    return has(&a->now, frame) ? 0 : gone(a, err);
}

int trj_child_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct trj_apart *a = r->internals->state;
    if (fetch(a, r, r->next, err)) return -1;
    struct left *from = slot_of(a, &a->now, r->next);
    struct trj_frame there = from->frame; // but for the place of its memory, which is another one in each process
    trj_frame_adopt(&there, coordinates(from), r->atoms, NULL);
    if (from->got < 0) return fail_there(&from->err, err);
    if (!from->got) return 0;
    if (trj_frame_resize(f, r->atoms, err)) return -1;
    for (int k = 0; k < 3; k++) memcpy(f->x[k], there.x[k], r->atoms * sizeof *f->x[k]);
    f->index = there.index;
    f->step = there.step;
    f->time = there.time;
    f->unit = there.unit;
    f->cell = there.cell;
    a->next = r->next + 1;
    return 1;
}

void trj_child_reader_close(struct trj_reader *r) {
    struct trj_apart *a = r->internals->state;
    if (!a) return;
    reap(a);
    if (a->shared) munmap(a->shared, a->bytes);
    if (a->memory_file >= 0) close(a->memory_file);
    free(a);
}
