// SPDX-License-Identifier: MIT
// Exchanges frames with a child process through shared memory, so that a crash or hang of a library does not end the
// tool.
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

// CPU-time limits. A library that exceeds them is assumed to hang: decompression, the slowest legitimate work, yields
// more bytes per second.
enum { OPEN_SECONDS = 10, READ_SECONDS = 60, BYTES_PER_SECOND = 1 << 20 };

// Frames are requested in batches, so that small frames have little overhead. One batch is read while the frames of
// another are used. As long as frames are read in order, batches grow, from one frame to BATCH_BYTES.
enum { BATCH_BYTES = 1 << 19, HALVES = 2 };

struct batch {
    uint64_t first;
    uint32_t count, half; // of the shared memory
};

// The result of a read.
struct read_result {
    int got;
    struct trj_error err;
    struct trj_frame frame;
    struct trj_motion motion; // its arrays follow the coordinates, as they are requested
};

struct shared {
    atomic_uint
        done[HALVES]; // frames of a batch that were read; they are valid even if the child ended during the next one
    _Alignas(64) char entries[]; // of both halves; each is a struct read_result and coordinates
};

// The result of an open.
struct open_result {
    int got;
    struct trj_error err;
    size_t atoms;
    uint64_t header_frames;
    bool can_seek, noted, note_stays;
    char note[128], dialect[sizeof((struct trj_reader *)0)->dialect];
    unsigned holds;
    struct trj_motion_source motion_source[TRJ_MOTION_KINDS];
};

struct trj_child_reader {
    const struct trj_child_reader_ops *ops;
    struct open_result open_result;
    pid_t process; // 0: none
    int socket;    // the parent sends a struct batch, and the child replies with one byte when it was read
    // Shared memory.
    int memory_file;
    struct shared *shared;
    size_t bytes, entry_bytes; // of the memory, of an entry
    uint32_t max_frames;       // frames in a batch
    unsigned motion;           // TRJ_HAS_...: what is requested
    // Only in the parent:
    struct batch current, requested; // count 0: none
    uint64_t next;                   // the frame after the last one that was read
    uint32_t next_count;             // frames of the next batch, if frames are read in order
    bool ended;                      // the child has ended
    int status;                      // of waitpid, after end_child
};

// ---- parent and child

static bool send_all(int socket, const void *data, size_t size) {
    for (const char *p = data; size;) {
        ssize_t n = send(socket, p, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int socket, void *data, size_t size) {
    for (char *p = data; size;) {
        ssize_t n = recv(socket, p, size, MSG_WAITALL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

enum { ENTRY_HEADER = (sizeof(struct read_result) + 63) / 64 * 64 };

static struct read_result *entry_of(const struct trj_child_reader *c, const struct batch *b, uint64_t frame) {
    return (struct read_result *)(c->shared->entries +
                                  (b->half * (size_t)c->max_frames + (frame - b->first)) * c->entry_bytes);
}

// Returns the memory of an entry after its header and `parts` arrays of three numbers for each atom.
static void *entry_part(struct read_result *entry, size_t parts, size_t atoms) {
    return (char *)entry + ENTRY_HEADER + parts * trj_frame_bytes(atoms);
}

static void *coordinates(struct read_result *entry) {
    return entry_part(entry, 0, 0);
}

// Sets the arrays of velocities and image flags of an entry, in this process.
static void adopt_motion(const struct trj_child_reader *c, struct read_result *entry, size_t atoms) {
    struct trj_motion *m = &entry->motion;
    bool has_velocities = c->motion & TRJ_HAS_VELOCITY;
    if (has_velocities) {
        float *velocity = entry_part(entry, 1, atoms);
        for (size_t k = 0; k < 3; k++) m->velocity[k] = velocity + k * atoms;
        m->velocities = atoms;
    }
    if (c->motion & TRJ_HAS_IMAGE) {
        int32_t *image = entry_part(entry, 1 + has_velocities, atoms);
        for (size_t k = 0; k < 3; k++) m->image[k] = image + k * atoms;
        m->images = atoms;
    }
}

// Parent and child both map the memory. The parent sets its size (ftruncate) before it requests a frame.
static int map_memory(struct trj_child_reader *c, size_t atoms, struct trj_error *err) {
    size_t frame = trj_frame_bytes(atoms);
    size_t arrays = 1 + (size_t)__builtin_popcount(c->motion); // coordinates, velocities, image flags
    if (!frame || __builtin_mul_overflow(frame, arrays, &c->entry_bytes) ||
        __builtin_add_overflow(c->entry_bytes, ENTRY_HEADER, &c->entry_bytes))
        return trj_fail_memory(err, (double)atoms * sizeof(float[3]), "a frame");
    c->max_frames = c->entry_bytes < BATCH_BYTES ? (uint32_t)(BATCH_BYTES / c->entry_bytes) : 1;
    if (__builtin_mul_overflow(c->entry_bytes, HALVES * (size_t)c->max_frames, &c->bytes) ||
        __builtin_add_overflow(c->bytes, sizeof *c->shared, &c->bytes))
        return trj_fail_memory(err, HALVES * (double)c->entry_bytes, "frames");
    void *address = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->memory_file, 0);
    if (address == MAP_FAILED) return trj_fail_memory(err, (double)c->bytes, "frames");
    c->shared = address;
    return 0;
}

// ---- child

// SIGPROF ends the process after `seconds` of CPU time; waiting does not count.
static void limit_cpu_time(double seconds) {
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = (time_t)seconds}, NULL);
}

static bool open_in_child(struct trj_child_reader *c, struct trj_reader *r) {
    struct open_result opened = {0};
    limit_cpu_time(OPEN_SECONDS);
    opened.got = c->ops->open(r, &opened.err) || (!c->shared && map_memory(c, r->atoms, &opened.err)) ? -1 : 0;
    opened.atoms = r->atoms;
    opened.header_frames = r->header_frames;
    opened.can_seek = r->can_seek;
    opened.noted = r->note;
    opened.note_stays = r->note_stays;
    if (r->note) snprintf(opened.note, sizeof opened.note, "%s", r->note);
    memcpy(opened.dialect, r->dialect, sizeof opened.dialect);
    opened.holds = r->holds;
    memcpy(opened.motion_source, r->motion_source, sizeof opened.motion_source);
    return send_all(c->socket, &opened, sizeof opened) && !opened.got;
}

static void read_batch(const struct trj_child_reader *c, struct trj_reader *r, const struct batch *b) {
    int got = 1;
    for (uint32_t n = 0; got > 0 && n < b->count; n++) {
        r->next = b->first + n;
        struct read_result *entry = entry_of(c, b, r->next);
        trj_frame_adopt(&entry->frame, coordinates(entry), r->atoms, NULL);
        entry->motion.has = 0;
        if (c->motion) adopt_motion(c, entry, r->atoms);
        if (c->motion) entry->frame.motion = &entry->motion;
        limit_cpu_time(READ_SECONDS + (double)c->entry_bytes / BYTES_PER_SECOND);
        got = entry->got = c->ops->read(r, &entry->frame, &entry->err);
        atomic_store(&c->shared->done[b->half], n + 1);
    }
}

// Reports whether the library has started before it gets the file.
static bool start_in_child(struct trj_child_reader *c) {
    struct trj_error err = {.status = TRJ_OK};
    limit_cpu_time(OPEN_SECONDS);
    int rc = c->ops->start(&err);
    return send_all(c->socket, &err, sizeof err) && !rc;
}

static void serve_requests(struct trj_child_reader *c, struct trj_reader *r) {
    struct batch batch;
    bool good = start_in_child(c) && open_in_child(c, r);
    while (good && receive_all(c->socket, &batch, sizeof batch)) {
        read_batch(c, r, &batch);
        good = send_all(c->socket, "", 1);
    }
}

// Terminals and batch systems send signals to all processes of a job. The child ignores them, and ends with the parent,
// even within the library. Its standard output is redirected, so that a program that reads the output of the parent
// does not wait for the child.
static void run_child(struct trj_child_reader *c, struct trj_reader *r, pid_t parent) {
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
    static const int defaults[] = {SIGPROF, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) signal(defaults[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    int null_device = open("/dev/null", O_WRONLY);
    if (null_device >= 0) dup2(null_device, STDOUT_FILENO);
    serve_requests(c, r);
    _exit(0);
}

// ---- parent

static void end_child(struct trj_child_reader *c) {
    if (c->process) kill(c->process, SIGKILL); // the child only reads; if it is ending, its status does not change
    while (c->process && waitpid(c->process, &c->status, 0) < 0 && errno == EINTR) continue;
    c->process = 0;
    if (c->socket >= 0) close(c->socket);
    c->socket = -1;
}

// Sets the error for a child that has ended. Causes other than the library are not errors of the file (TRJ_FAILED).
static int fail_ended(struct trj_child_reader *c, struct trj_error *err) {
    const char *library = c->ops->library;
    end_child(c);
    if (!WIFSIGNALED(c->status))
        return trj_fail(err, TRJ_FAILED, "%s ended its process with status %d", library, WEXITSTATUS(c->status));
    int number = WTERMSIG(c->status);
    if (number == SIGKILL || number == SIGBUS || number == SIGXCPU)
        return trj_fail(err, TRJ_FAILED, "the process of %s was ended (%s): probably out of memory", library,
                        strsignal(number));
    if (number == SIGPROF)
        return trj_fail(err, TRJ_BAD_DATA, "damaged: %s exceeded its CPU-time limit on this file", library);
    return trj_fail(err, TRJ_BAD_DATA, "damaged: %s crashed on this file (%s)", library, strsignal(number));
}

static int fail_not_started(struct trj_child_reader *c, struct trj_error *err) {
    char end[32];
    end_child(c);
    snprintf(end, sizeof end, "status %d", WEXITSTATUS(c->status));
    return trj_fail(err, TRJ_FAILED,
                    "%s cannot be started (%s): out of memory, or the library is not installed properly",
                    c->ops->library, WIFSIGNALED(c->status) ? strsignal(WTERMSIG(c->status)) : end);
}

// The error may have been overwritten by a crash in the child.
static int fail_as_child(const struct trj_error *reported, struct trj_error *err) {
    *err = *reported;
    err->text[sizeof err->text - 1] = 0;
    if (err->status != TRJ_FAILED) err->status = TRJ_BAD_DATA;
    return -1;
}

static int start_child(struct trj_child_reader *c, struct trj_reader *r, struct trj_error *err) {
    int ends[2];
    struct open_result *opened = &c->open_result;
    pid_t process, parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return trj_fail_errno(err, "no socket for %s", c->ops->library);
    if (!(process = fork())) {
        close(ends[0]);
        c->socket = ends[1];
        run_child(c, r, parent);
    }
    close(ends[1]);
    c->socket = ends[0];
    if (process < 0) return trj_fail_errno(err, "no process for %s", c->ops->library);
    c->process = process;
    c->ended = false;
    struct trj_error started;
    if (!receive_all(c->socket, &started, sizeof started)) return fail_not_started(c, err);
    if (started.status != TRJ_OK) {
        *err = started; // not of a file, and so complete
        return -1;
    }
    if (!receive_all(c->socket, opened, sizeof *opened)) return fail_ended(c, err);
    opened->note[sizeof opened->note - 1] = opened->dialect[sizeof opened->dialect - 1] = 0;
    return opened->got ? fail_as_child(&opened->err, err) : 0;
}

int trj_child_reader_open(struct trj_reader *r, const struct trj_child_reader_ops *ops, struct trj_error *err) {
    struct trj_child_reader *c = r->internals->state = trj_alloc(1, sizeof *c, "a reader", err);
    const struct open_result *opened;
    if (!c) return -1;
    *c = (struct trj_child_reader){.ops = ops, .socket = -1, .next_count = 1, .motion = r->internals->motion};
    if ((c->memory_file = memfd_create("trjpipe frames", MFD_CLOEXEC)) < 0)
        return trj_fail_errno(err, "no memory for %s", ops->library);
    if (start_child(c, r, err)) return -1;
    opened = &c->open_result;
    if (map_memory(c, opened->atoms, err)) return -1;
    if (ftruncate(c->memory_file, (off_t)c->bytes)) return trj_fail_errno(err, "no memory for frames");
    r->atoms = opened->atoms;
    r->header_frames = opened->header_frames;
    r->can_seek = opened->can_seek;
    r->note = opened->noted ? opened->note : NULL;
    r->note_stays = opened->note_stays;
    memcpy(r->dialect, opened->dialect, sizeof r->dialect);
    r->holds = opened->holds;
    memcpy(r->motion_source, opened->motion_source, sizeof r->motion_source);
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) r->motion_source[k].origin[sizeof r->motion_source[k].origin - 1] = 0;
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) r->motion_source[k].unit[sizeof r->motion_source[k].unit - 1] = 0;
    return 0;
}

static bool contains(const struct batch *b, uint64_t frame) {
    return frame - b->first < b->count;
}

static void request(struct trj_child_reader *c, uint64_t first, uint32_t count) {
    c->requested = (struct batch){first, count, !c->current.half};
    atomic_store(&c->shared->done[c->requested.half], 0);
    c->ended = !send_all(c->socket, &c->requested, sizeof c->requested);
}

static void await_batch(struct trj_child_reader *c) {
    char done;
    uint32_t expected = c->requested.count;
    c->ended = !receive_all(c->socket, &done, 1);
    c->current = c->requested;
    c->current.count = atomic_load(&c->shared->done[c->current.half]);
    if (c->current.count > expected) c->current.count = 0;
    c->requested.count = 0;
}

// Makes the batch of a frame the current one. If frames are read in order, requests the next batch in advance. Returns
// 0, -1.
static int fetch_batch(struct trj_child_reader *c, struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    if (contains(&c->current, frame)) return 0;
    if (frame != c->next) c->next_count = 1;
    if (c->requested.count) await_batch(c);
    bool ended_on_frame = c->ended && frame == c->current.first + c->current.count;
    if (!contains(&c->current, frame) && !ended_on_frame) {
        if (c->ended) end_child(c);
        if (c->ended && start_child(c, r, err)) return -1;
        request(c, frame, c->next_count);
        await_batch(c);
    }
    if (!c->ended && frame == c->next) {
        c->next_count = c->next_count < c->max_frames / 2 ? 2 * c->next_count : c->max_frames;
        request(c, c->current.first + c->current.count, c->next_count);
    }
    return contains(&c->current, frame) ? 0 : fail_ended(c, err);
}

int trj_child_reader_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct trj_child_reader *c = r->internals->state;
    if (fetch_batch(c, r, r->next, err)) return -1;
    struct read_result *entry = entry_of(c, &c->current, r->next);
    struct trj_frame frame = entry->frame; // its pointers are those of the child
    trj_frame_adopt(&frame, coordinates(entry), r->atoms, NULL);
    if (entry->got < 0) return fail_as_child(&entry->err, err);
    if (!entry->got) return 0;
    if (trj_frame_resize(f, r->atoms, err)) return -1;
    for (int k = 0; k < 3; k++) memcpy(f->x[k], frame.x[k], r->atoms * sizeof *f->x[k]);
    entry->motion.has &= c->motion; // a damaged file can have changed the memory
    if (c->motion) adopt_motion(c, entry, r->atoms);
    if (c->motion && trj_motion_take(&f->motion, &entry->motion, NULL, r->atoms, err)) return -1;
    f->index = frame.index;
    f->step = frame.step;
    f->time = frame.time;
    f->unit = frame.unit;
    f->cell = frame.cell;
    c->next = r->next + 1;
    return 1;
}

int trj_child_reader_skip(struct trj_reader *r, struct trj_error *err) {
    (void)err;
    return r->next < r->header_frames;
}

int trj_child_reader_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    (void)err;
    return frame < r->header_frames;
}

void trj_child_reader_close(struct trj_reader *r) {
    struct trj_child_reader *c = r->internals->state;
    if (!c) return;
    end_child(c);
    if (c->shared) munmap(c->shared, c->bytes);
    if (c->memory_file >= 0) close(c->memory_file);
    free(c);
}
