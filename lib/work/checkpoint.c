// SPDX-License-Identifier: MIT
// Implements checkpoints. Nothing that a file states is used before its checksum and its size were verified.
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "block_stream.h"
#include "byte_order.h"
#include "bytes.h"
#include "common_blocks.h"
#include "frame_fingerprint.h"
#include "hash.h"
#include "memory.h"
#include "missing_file.h"
#include "number.h"
#include "output.h"
#include "stop_request.h"
#include "used_files.h"

static const struct trj_stream_kind checkpoint_kind = {
    "checkpoint", {0x89, 'T', 'R', 'C', '\r', '\n', 0x1a, '\n'}, 1, 0};
static const char records_magic[8] = {'T', 'R', 'J', 'R', 'E', 'C', '1', '\n'};

enum {
    ARRAY_PART = 1 << 20, // values of a block
    MARKS = 64,           // fingerprints after 1, 2, 4, ... frames, so that another input is found early
    ENTRY_HEAD = 16,      // bytes of an entry of FILE.records before its values: their number, and its hash
    SIGNAL_WAIT = 50,     // times 10 ms: how long a signal may come after the end of the input
};

#define CHECKPOINT_FILE                                                                                                \
    {                                                                                                                  \
        .heading = "Checkpoints",                                                                                      \
        TRJ_OPTION_FIELD(0, "checkpoint", TEXT, struct work_checkpoint_options, path, "PATH",                          \
                         "save the state in the file PATH, from which the same command continues if it was ended; "    \
                         "SIGTERM and SIGUSR1 save it, too, and end with exit status 5")                               \
    }

const struct trj_option work_checkpoint_file_option[] = {CHECKPOINT_FILE, TRJ_OPTION_END};

const struct trj_option work_checkpoint_option_table[] = {
    CHECKPOINT_FILE,
    {TRJ_OPTION_FIELD(
        0, "every", TEXT, struct work_checkpoint_options, every, "TIME",
        "save it after each TIME, in seconds, minutes or hours: 90s, 10m, 2h (default: " WORK_CHECKPOINT_EVERY ")")},
    TRJ_OPTION_END,
};

// What FILE states about the frames that it contains.
struct state {
    uint64_t header;        // fingerprint of the header of the input
    uint64_t frames, items; // read; counted
    uint64_t log_bytes, log_hash;
    uint64_t marks;          // in use
    uint64_t mark[MARKS][2]; // number of frames, and their fingerprint
};

struct work_checkpoint {
    const char *path;
    work_checkpoint_visit *arrays;
    void *owner; // passed to `arrays`
    struct work_share share;
    char *target;         // FILE, where a symbolic link leads
    char *records;        // path of FILE.records
    char **command;       // trj_tool_computation
    double seconds, last; // between checkpoints; when the last one was written
    const struct trj_stream_header *header;
    struct trj_input *in; // of the program
    struct state saved, now;
    uint64_t print; // fingerprint of the frames so far
    uint64_t first; // item that this process computes first
    bool created;   // FILE.records was empty, and no checkpoint was begun yet
    bool owns;      // the content of FILE.records
    bool repeats;   // frames of the checkpoint are being read again
    bool ended;     // the last frame was read
    bool stops;     // a test requests it (TRJPIPE_CHECKPOINT)
    uint64_t stop_at;
    char early[120];        // message after a signal before the input was opened
    int log;                // descriptor of FILE.records
    bool log_failed;        // it could not be written: there will be no more checkpoints
    struct trj_input *file; // of the checkpoint that is to be restored, or NULL
    struct trj_block_reader *reader;
};

struct work_checkpoint_arrays {
    struct trj_block_writer *writer; // the arrays are saved
    struct trj_block_reader *reader; // they are restored; both are NULL: neither
    struct trj_bytes part;
};

// ---- options

static int parse_time(double *seconds, const char *text, struct trj_error *err) {
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    char number[32] = "";
    size_t n = strlen(text), k = 0;
    if (n > 1 && n < sizeof number) memcpy(number, text, n - 1);
    while (n && k < 3 && units[k].unit != text[n - 1]) k++;
    if (k < 3 && trj_parse_real(number, seconds) && *seconds > 0 && *seconds < 1e9) {
        *seconds *= units[k].seconds;
        return 0;
    }
    return trj_fail(err, TRJ_USAGE,
                    "--every: '%s' is not a time; give a number above 0 with its unit, as 90s, 10m or 2h", text);
}

// ---- FILE.records

static int fail_log(const struct work_checkpoint *c, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "%s: is damaged, or does not belong to %s; remove both files to begin again",
                    c->records, c->path);
}

static int transfer(const struct work_checkpoint *c, void *data, size_t n, uint64_t offset, bool writes,
                    struct trj_error *err) {
    for (char *p = data; n;) {
        ssize_t k = writes ? pwrite(c->log, p, n, (off_t)offset) : pread(c->log, p, n, (off_t)offset);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0 || (writes && !k)) return trj_fail_errno(err, "%s", c->records);
        if (!k) return fail_log(c, err);
        p += k;
        n -= (size_t)k;
        offset += (uint64_t)k;
    }
    return 0;
}

static uint64_t hash_of(const void *values, uint64_t bytes, uint64_t before) {
    return trj_hash(values, (size_t)bytes, trj_hash(&bytes, sizeof bytes, before));
}

// Reads the next entry, which must have this number of bytes.
static int read_entry(struct work_checkpoint *c, void *values, size_t bytes, struct trj_error *err) {
    uint64_t head[2], left = c->saved.log_bytes - c->now.log_bytes;
    if (left < ENTRY_HEAD || left - ENTRY_HEAD < bytes) return fail_log(c, err);
    if (transfer(c, head, sizeof head, c->now.log_bytes, false, err)) return -1;
    if (head[0] != bytes) return fail_log(c, err);
    if (transfer(c, values, bytes, c->now.log_bytes + ENTRY_HEAD, false, err)) return -1;
    c->now.log_hash = hash_of(values, bytes, c->now.log_hash);
    if (head[1] != c->now.log_hash) return fail_log(c, err);
    c->now.log_bytes += ENTRY_HEAD + bytes;
    return 0;
}

static int append_entry(struct work_checkpoint *c, void *values, size_t bytes, struct trj_error *err) {
    uint64_t hash = hash_of(values, bytes, c->now.log_hash), head[2] = {bytes, hash};
    if (transfer(c, head, sizeof head, c->now.log_bytes, true, err) ||
        transfer(c, values, bytes, c->now.log_bytes + ENTRY_HEAD, true, err))
        return -1;
    c->now.log_hash = hash;
    c->now.log_bytes += ENTRY_HEAD + bytes;
    return 0;
}

// Reports that no checkpoint can be written, once, with the reason.
static void give_up(struct work_checkpoint *c, const struct trj_error *why) {
    char text[1200];
    snprintf(text, sizeof text, "%s; no checkpoint is written from now on%s", why->text,
             c->saved.items ? ", and the last one remains" : "");
    c->log_failed = true;
    trj_tool_print_note(text);
}

static int combine(void *owner, void *values, size_t count, enum work_share_kind kind, struct trj_error *err) {
    struct work_checkpoint *c = owner;
    size_t bytes = 8 * count * work_share_words(kind);
    struct trj_error why;
    if (c->repeats) return read_entry(c, values, bytes, err);
    if (c->ended || c->log_failed) return 0;
    if (append_entry(c, values, bytes, &why)) give_up(c, &why);
    return 0;
}

static bool computes(const void *owner, uint64_t frame) {
    return frame >= ((const struct work_checkpoint *)owner)->first;
}

// Opens and locks FILE.records. A process that ends removes it, so that another one may have locked a file without a
// name: then the file is opened again.
static int lock_records(struct work_checkpoint *c, struct trj_error *err) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat own, named;
    for (;;) {
        c->log = open(c->records, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (c->log < 0) return trj_fail_errno(err, "--checkpoint: %s", c->records);
        if (fcntl(c->log, F_SETLK, &lock)) {
            if (errno == EACCES || errno == EAGAIN)
                return trj_fail(err, TRJ_FAILED,
                                "--checkpoint: another process uses %s; wait for its end, or give another name",
                                c->path);
            trj_tool_print_note(
                "--checkpoint: this file system has no locks; do not run two processes with the same checkpoint");
        }
        if (fstat(c->log, &own)) return trj_fail_errno(err, "--checkpoint: %s", c->records);
        if (!stat(c->records, &named) && own.st_ino == named.st_ino && own.st_dev == named.st_dev) break;
        close(c->log);
    }
    if (!S_ISREG(own.st_mode)) return trj_fail(err, TRJ_USAGE, "--checkpoint: %s is not a regular file", c->records);
    c->created = !own.st_size;
    return trj_used_files_add_input(&own, c->records, err); // so that no output replaces it
}

static int check_records(const struct work_checkpoint *c, struct trj_error *err) {
    struct stat own;
    char magic[sizeof records_magic] = "";
    if (fstat(c->log, &own)) return trj_fail_errno(err, "--checkpoint: %s", c->records);
    if (own.st_size &&
        (pread(c->log, magic, sizeof magic, 0) != sizeof magic || memcmp(magic, records_magic, sizeof magic) != 0))
        return trj_fail(err, TRJ_USAGE,
                        "--checkpoint: %s exists, and does not belong to a checkpoint; give another name", c->records);
    return (uint64_t)own.st_size < c->saved.log_bytes ? fail_log(c, err) : 0;
}

// ---- FILE

static int fail_file(const struct work_checkpoint *c, struct trj_error *err) {
    if (err->status != TRJ_BAD_DATA) return trj_fail_at(err, "--checkpoint");
    return trj_fail(
        err, TRJ_BAD_DATA,
        "--checkpoint: %s is damaged, or is no checkpoint; to begin again, remove it if it is one, and give "
        "another name otherwise",
        c->path);
}

static void put_state(struct trj_bytes *b, const struct work_checkpoint *c) {
    const struct state *s = &c->now;
    uint32_t lines = 0;
    while (c->command[lines]) lines++;
    trj_put_u32(b, lines);
    for (uint32_t i = 0; i < lines; i++) trj_put_text(b, c->command[i]);
    const uint64_t numbers[] = {s->header, s->frames, s->items, s->log_bytes, s->log_hash, s->marks};
    trj_put_u64s(b, numbers, sizeof numbers / sizeof *numbers);
    trj_put_u64s(b, s->mark[0], 2 * s->marks);
}

// Compares a line of the command with that of this process.
static int compare_line(const struct work_checkpoint *c, struct trj_cursor *from, const char *line,
                        struct trj_error *err) {
    char *text = NULL;
    struct trj_bytes own = {0};
    if (trj_get_text(from, &text, err)) return -1;
    trj_put_text(&own, line); // which changes control characters
    bool same = !own.failed && own.size == strlen(text) + 4 && !memcmp(own.data + 4, text, own.size - 4);
    trj_bytes_free(&own);
    if (!same)
        trj_fail(
            err, TRJ_USAGE,
            "--checkpoint: %s belongs to another command, version or input file (%.200s), not to this one (%.200s); "
            "run that one, or remove it to begin again",
            c->path, text, line);
    free(text);
    return same ? 0 : -1;
}

static int read_state(struct work_checkpoint *c, struct trj_cursor *from, struct trj_error *err) {
    struct state *s = &c->saved;
    uint32_t lines = 0, stored = trj_get_u32(from);
    uint64_t numbers[6];
    while (c->command[lines]) lines++;
    for (uint32_t i = 0; i < lines && i < stored; i++)
        if (compare_line(c, from, c->command[i], err)) return -1;
    if (lines != stored)
        return trj_fail(err, TRJ_USAGE, "--checkpoint: %s belongs to another command; remove it to begin again",
                        c->path);
    trj_get_u64s(from, numbers, 6);
    *s = (struct state){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], {{0}}};
    if (s->marks > MARKS) return trj_fail(err, TRJ_BAD_DATA, "marks");
    trj_get_u64s(from, s->mark[0], 2 * s->marks);
    bool valid = !from->failed && !trj_cursor_left(from) && s->items && s->frames && s->marks;
    return valid ? 0 : trj_fail(err, TRJ_BAD_DATA, "state");
}

// Reads the state, verifies the rest of the file, and returns to the first array.
static int read_file(struct work_checkpoint *c, struct trj_error *err) {
    struct trj_block block;
    bool complete = false;
    int got;
    if (trj_block_reader_open(&c->reader, c->file, &checkpoint_kind, err) ||
        trj_block_next(c->reader, &block, err) <= 0 || strcmp(block.type, "HEAD") != 0 ||
        trj_block_load(c->reader, &block, TRJ_PROVENANCE_MAX, err))
        return trj_fail(err, TRJ_BAD_DATA, "head");
    if (read_state(c, &block.payload, err)) return -1;
    uint64_t number = trj_block_reader_count(c->reader), offset = trj_input_offset(c->file);
    while ((got = trj_block_next(c->reader, &block, err)) > 0 && !complete) {
        if (trj_block_skip(c->reader, &block, err)) return -1;
        complete = !strcmp(block.type, "END ");
    }
    if (got || !complete) return trj_fail(err, TRJ_BAD_DATA, "end");
    return trj_block_reader_seek(c->reader, number, offset, err);
}

// Fails if FILE is no regular file, or if FILE.new, to which it is written, is a file of the user.
static int check_names(const struct work_checkpoint *c, struct trj_error *err) {
    struct stat st;
    char *temporary = NULL, begin[sizeof checkpoint_kind.magic];
    if (stat(c->target, &st) && !trj_file_is_missing()) return trj_fail_errno(err, "--checkpoint: %s", c->path);
    if (!stat(c->target, &st) && !S_ISREG(st.st_mode))
        return trj_fail(err, TRJ_USAGE, "--checkpoint: %s is not a regular file; give another name", c->path);
    if (!(temporary = trj_output_temporary(c->target, err))) return -1;
    int fd = open(temporary, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, begin, sizeof begin);
    int rc =
        n > 0 && memcmp(begin, checkpoint_kind.magic, (size_t)n) != 0
            ? trj_fail(err, TRJ_USAGE,
                       "--checkpoint: %s exists, is no checkpoint, and would be replaced; give another name", temporary)
            : 0;
    if (fd >= 0) close(fd);
    free(temporary);
    return rc;
}

static int open_file(struct work_checkpoint *c, struct trj_error *err) {
    struct stat st;
    if (stat(c->path, &st)) return trj_file_is_missing() ? 0 : trj_fail_errno(err, "--checkpoint: %s", c->path);
    if (trj_input_open_raw(&c->file, c->path, err)) return trj_fail_at(err, "--checkpoint");
    trj_used_files_remove_input(trj_file_id(&st)); // it is replaced later
    if (!read_file(c, err)) return 0;
    return err->status == TRJ_USAGE ? -1 : fail_file(c, err);
}

static int put_array(struct work_checkpoint_arrays *a, const void *values, size_t count, struct trj_error *err) {
    uint64_t value;
    a->part.size = 0;
    if (trj_host_is_little_endian()) trj_put_raw(&a->part, values, count * sizeof value);
    for (size_t i = 0; i < count && !trj_host_is_little_endian(); i++) {
        memcpy(&value, (const char *)values + i * sizeof value, sizeof value);
        trj_put_u64(&a->part, value);
    }
    return trj_block_write(a->writer, "DATA", true, &a->part, err);
}

static int get_array(struct work_checkpoint_arrays *a, void *values, size_t count, struct trj_error *err) {
    struct trj_block block;
    int got = trj_block_next(a->reader, &block, err);
    if (got < 0 || (got && trj_block_load(a->reader, &block, ARRAY_PART * sizeof(uint64_t), err))) return -1;
    if (!got || strcmp(block.type, "DATA") != 0 || block.payload.size != count * sizeof(uint64_t))
        return trj_fail(err, TRJ_BAD_DATA, "arrays");
    if (trj_host_is_little_endian()) memcpy(values, block.payload.data, count * sizeof(uint64_t));
    for (size_t i = 0; i < count && !trj_host_is_little_endian(); i++) {
        uint64_t value = trj_get_u64(&block.payload);
        memcpy((char *)values + i * sizeof value, &value, sizeof value);
    }
    return 0;
}

int work_checkpoint_array(struct work_checkpoint_arrays *a, void *values, size_t count, struct trj_error *err) {
    for (size_t done = 0; done < count && (a->writer || a->reader);) {
        size_t n = count - done < ARRAY_PART ? count - done : ARRAY_PART;
        char *part = (char *)values + done * sizeof(uint64_t);
        if (a->writer ? put_array(a, part, n, err) : get_array(a, part, n, err)) return -1;
        done += n;
    }
    return 0;
}

static int write_blocks(struct work_checkpoint *c, struct trj_output *out, struct trj_error *err) {
    struct work_checkpoint_arrays a = {.reader = NULL};
    int rc = trj_block_writer_open(&a.writer, out, &checkpoint_kind, 0, err);
    if (!rc) {
        put_state(&a.part, c);
        rc = trj_block_write(a.writer, "HEAD", true, &a.part, err);
    }
    if (!rc) rc = c->arrays(c->owner, &a, err);
    if (!rc) {
        a.part.size = 0;
        rc = trj_block_write(a.writer, "END ", true, &a.part, err);
    }
    if (!rc) rc = trj_block_writer_flush(a.writer, err);
    trj_block_writer_close(a.writer);
    trj_bytes_free(&a.part);
    return rc;
}

static int save(struct work_checkpoint *c, struct trj_error *err) {
    struct trj_output *out = NULL;
    struct work_checkpoint_arrays none = {.writer = NULL};
    if (c->arrays(c->owner, &none, err)) return -1; // which may add to FILE.records
    c->now.marks = c->now.marks < MARKS ? c->now.marks : MARKS - 1;
    struct state before = c->now;
    c->now.mark[c->now.marks][0] = c->now.frames;
    c->now.mark[c->now.marks++][1] = c->print;
    int rc = fsync(c->log) ? trj_fail_errno(err, "%s", c->records) : 0;
    if (!rc) rc = trj_output_open(&out, c->path, TRJ_OUTPUT_DURABLE, err);
    if (!rc) rc = write_blocks(c, out, err);
    if (!rc) rc = trj_output_commit(out, err);
    trj_output_close(out);
    if (!rc) c->saved = c->now;
    c->now = before;
    c->last = trj_seconds();
    return rc ? trj_fail_at(err, "--checkpoint") : 0;
}

static int restore(struct work_checkpoint *c, struct trj_error *err) {
    struct work_checkpoint_arrays a = {.reader = c->reader}, none = {.writer = NULL};
    struct trj_block block;
    char text[200];
    if (c->arrays(c->owner, &none, err)) return -1; // which may read from FILE.records
    if (c->now.log_bytes != c->saved.log_bytes || c->now.log_hash != c->saved.log_hash) return fail_log(c, err);
    if (ftruncate(c->log, (off_t)c->now.log_bytes)) return trj_fail_errno(err, "%s", c->records);
    if (c->arrays(c->owner, &a, err)) return fail_file(c, err);
    if (trj_block_next(c->reader, &block, err) <= 0 || strcmp(block.type, "END ") != 0) {
        err->status = TRJ_BAD_DATA;
        return fail_file(c, err);
    }
    trj_block_reader_close(c->reader);
    trj_input_close(c->file);
    c->reader = NULL;
    c->file = NULL;
    c->repeats = false;
    c->last = trj_seconds();
    snprintf(text, sizeof text, "continues after the %llu frame%s of the checkpoint",
             (unsigned long long)c->saved.frames, c->saved.frames == 1 ? "" : "s");
    trj_tool_print_note(text);
    return 0;
}

// ---- functions for filters

int work_checkpoint_open(struct work_checkpoint **result, const struct work_checkpoint_options *o,
                         work_checkpoint_visit *arrays, void *owner, struct trj_error *err) {
    const char *test = getenv("TRJPIPE_CHECKPOINT");
    double seconds;
    *result = NULL;
    if (!o) return 0;
    if (parse_time(&seconds, o->every ? o->every : WORK_CHECKPOINT_EVERY, err)) return -1;
    if (!o->path && o->every)
        return trj_fail(err, TRJ_USAGE, "--every: gives the time between checkpoints; add --checkpoint FILE");
    if (!o->path) return 0;
    if (trj_output_is_stdout(o->path) || !*o->path)
        return trj_fail(err, TRJ_USAGE, "--checkpoint: '%s' is no name of a file; give one", o->path);
    struct work_checkpoint *c = trj_alloc(1, sizeof *c, "a checkpoint", err);
    if (!c) return -1;
    c->path = o->path;
    c->arrays = arrays;
    c->owner = owner;
    c->share = (struct work_share){computes, combine, c};
    c->seconds = seconds;
    c->log = -1;
    c->stops = test && trj_parse_u64(test, &c->stop_at);
    size_t capacity = strlen(o->path) + sizeof ".records";
    c->records = trj_alloc(capacity, 1, "a path", err);
    if (!c->records || !(c->target = trj_output_target(o->path, err))) goto fail;
    snprintf(c->records, capacity, "%s.records", o->path);
    if (check_names(c, err) || !(c->command = trj_tool_computation(err))) goto fail;
    c->now.log_bytes = sizeof records_magic;
    // The lock comes first: another process may just be replacing or removing the files.
    if (lock_records(c, err) || open_file(c, err) || check_records(c, err)) goto fail;
    c->created = false;
    c->owns = true;
    c->first = c->saved.items;
    c->repeats = c->first > 0;
    char magic[sizeof records_magic];
    memcpy(magic, records_magic, sizeof magic);
    if (!c->repeats && (ftruncate(c->log, 0) || transfer(c, magic, sizeof magic, 0, true, err))) {
        trj_fail_errno(err, "--checkpoint: %s", c->records);
        goto fail;
    }
    trj_output_reserve(c->target);
    snprintf(c->early, sizeof c->early, "%.*s: ended by a signal before the first frame; run the same command again\n",
             (int)strcspn(c->command[0], " "), c->command[0]);
    trj_output_set_signal_status(TRJ_STOPPED, c->early, c->repeats ? NULL : c->records);
    *result = c;
    return 0;
fail:
    work_checkpoint_close(c);
    return -1;
}

static struct trj_input *woken; // the input at which a signal must not wait

static void wake(void) {
    if (woken) trj_input_wake(woken);
}

// Restores the normal handling of signals, because the header of the input has been read, or the tool ends.
static void restore_signals(struct work_checkpoint *c) {
    trj_output_set_signal_status(0, NULL, c->repeats ? NULL : c->records);
}

int work_checkpoint_start(struct work_checkpoint *c, const struct trj_stream_header *h, struct trj_input *in,
                          struct trj_error *err) {
    if (!c) return 0;
    c->header = h;
    c->in = in;
    c->print = c->now.header = trj_header_fingerprint(h);
    if (c->repeats && c->now.header != c->saved.header)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: its atoms or groups are not those of the checkpoint %s; give the same input, or remove "
                        "the checkpoint to begin again",
                        trj_input_name(in), c->path);
    if (trj_input_is_pipe(in)) {
        if (trj_input_allow_wake(in, err)) return trj_fail_at(err, "%s", trj_input_name(in));
        woken = in;
    }
    trj_stop_on_batch_signals(wake);
    restore_signals(c);
    c->last = trj_seconds();
    return 0;
}

const struct work_share *work_checkpoint_share(const struct work_checkpoint *c) {
    return c ? &c->share : NULL;
}

// Compares the fingerprint of the frames so far with that of the checkpoint, if it has one of this number of frames.
static int compare_marks(const struct work_checkpoint *c, struct trj_error *err) {
    const struct state *s = &c->saved;
    for (uint64_t i = 0, before = 0; i < s->marks; before = s->mark[i++][0]) {
        if (s->mark[i][0] != c->now.frames || s->mark[i][1] == c->print) continue;
        uint64_t last = c->now.frames - 1;
        char which[80];
        snprintf(which, sizeof which, before == last ? "frame %llu" : "one of the frames %llu to %llu",
                 (unsigned long long)before, (unsigned long long)last);
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: %s is not that of the checkpoint %s; give the same input, or remove the checkpoint to "
                        "begin again",
                        trj_input_name(c->in), which, c->path);
    }
    return 0;
}

// Sets the error with which a program ends after a signal.
static int fail_stopped(const struct work_checkpoint *c, struct trj_error *err) {
    int number = trj_stop_signal();
    char why[80] = "ended";
    if (number) snprintf(why, sizeof why, "ended by signal %d (%s)", number, strsignal(number));
    if (!c->saved.items) return trj_fail(err, TRJ_STOPPED, "%s before the first frame; run it again", why);
    return trj_fail(err, TRJ_STOPPED, "%s; to continue after %llu frames, run the same command again, which reads %s",
                    why, (unsigned long long)c->saved.frames, c->path);
}

int work_checkpoint_counted(struct work_checkpoint *c, uint64_t items, struct trj_error *err) {
    if (!c) return 0;
    c->now.items = items;
    bool stops = trj_stop_requested();
    if (c->repeats) {
        if (items == c->saved.items) return c->now.frames == c->saved.frames ? restore(c, err) : fail_log(c, err);
        return stops ? fail_stopped(c, err) : 0;
    }
    stops = stops || (c->stops && items == c->stop_at);
    if (!stops && (c->log_failed || trj_seconds() - c->last < c->seconds)) return 0;
    struct trj_error why;
    if (c->log_failed) return trj_fail(err, TRJ_FAILED, "ended by a signal; there is no checkpoint of the last frames");
    if (save(c, &why)) {
        if (stops) *err = why;
        if (stops) return -1;
        trj_tool_print_note(why.text);
    }
    return stops ? fail_stopped(c, err) : 0;
}

static int add_frame(struct work_checkpoint *c, const struct trj_frame *f, struct trj_error *err) {
    c->print = trj_frame_fingerprint(f, c->header, c->print);
    struct state *s = &c->now;
    s->frames++;
    if (!(s->frames & (s->frames - 1)) && s->marks < MARKS - 1) {
        s->mark[s->marks][0] = s->frames;
        s->mark[s->marks++][1] = c->print;
    }
    return c->repeats ? compare_marks(c, err) : 0;
}

// Writes a checkpoint after an error of the input. Returns -1.
static int fail_input(struct work_checkpoint *c, struct trj_error *err) {
    const struct timespec moment = {.tv_nsec = 10000000};
    struct trj_error why;
    char text[200];
    for (int i = 0; i < SIGNAL_WAIT && !trj_stop_requested() && trj_input_is_pipe(c->in); i++) nanosleep(&moment, NULL);
    bool newer = !c->repeats && c->now.items > c->saved.items && !c->log_failed;
    // The fingerprint is that of all frames that were read, and may include frames that were not counted.
    if (newer && save(c, &why)) {
        if (trj_stop_requested())
            *err = why;
        else
            trj_tool_print_note(why.text);
        return -1;
    }
    if (trj_stop_requested()) return fail_stopped(c, err);
    snprintf(text, sizeof text, "the checkpoint contains %llu frames", (unsigned long long)c->saved.frames);
    if (newer) trj_tool_print_note(text);
    return -1;
}

int work_checkpoint_read(struct work_checkpoint *c, int got, const struct trj_frame *f, struct trj_error *err) {
    if (!c || !got) return got;
    if (got < 0) return fail_input(c, err);
    return add_frame(c, f, err) ? -1 : got;
}

int work_checkpoint_end(struct work_checkpoint *c, struct trj_error *err) {
    if (!c) return 0;
    if (c->repeats)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "%s: has %llu frames, and the checkpoint %s has %llu; give the same input, or remove the checkpoint "
            "to begin again",
            trj_input_name(c->in), (unsigned long long)c->now.frames, c->path, (unsigned long long)c->saved.frames);
    // The signal may have ended the program that writes the pipe, so that the frames need not be all.
    if (trj_stop_requested() && trj_input_is_pipe(c->in) && c->now.items && !c->log_failed)
        return c->now.items > c->saved.items && save(c, err) ? -1 : fail_stopped(c, err);
    c->ended = true;
    trj_stop_on_second_signal();
    return 0;
}

void work_checkpoint_remove(struct work_checkpoint *c) {
    if (!c) return;
    unlink(c->target); // first, because FILE.records without FILE is the beginning of a run
    unlink(c->records);
}

void work_checkpoint_close(struct work_checkpoint *c) {
    if (!c) return;
    restore_signals(c);
    woken = NULL;
    trj_block_reader_close(c->reader);
    trj_input_close(c->file);
    trj_output_reserve(NULL);
    // It belongs to no checkpoint.
    if (c->records && (c->created || (c->owns && !c->saved.items))) unlink(c->records);
    if (c->log >= 0) close(c->log);
    trj_text_array_free(c->command);
    free(c->target);
    free(c->records);
    free(c);
}
