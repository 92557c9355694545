// SPDX-License-Identifier: MIT
// Helpers for tests of XTC, TRR and NetCDF: a big-endian file made in memory with the expected frames, and checks that
// read it as a whole, skip frames, seek, read from a pipe, truncate it at each byte, and change bytes.
#ifndef XDR_FILE_H
#define XDR_FILE_H

#include <stdint.h>
#include <unistd.h>

#include "decode_table.h"
#include "reader.h"
#include "tap.h"

enum { FILE_ROOM = 1 << 16, FILE_FRAMES = 16, FILE_ATOMS = 1200 };

static struct {
    unsigned char data[FILE_ROOM];
    size_t size;
    size_t border[FILE_FRAMES + 1]; // end of frame i; a file truncated at one of `clean` is a valid shorter file
    size_t clean[2 * FILE_FRAMES];
    size_t cleans;
    uint32_t frames;
    struct {
        float x[FILE_ATOMS][3];
        double h[9], time;
        int64_t step;
    } want[FILE_FRAMES];
    size_t atoms;
} made;

static char made_path[64];
static double made_unit = 10;

static void put32(uint32_t v) {
    for (int i = 24; i >= 0; i -= 8) made.data[made.size++] = (unsigned char)(v >> i);
}

static void put_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    put32(bits);
}

__attribute__((unused)) static void put_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    put32((uint32_t)(bits >> 32));
    put32((uint32_t)bits);
}

__attribute__((unused)) static void poke32(size_t at, uint32_t v) {
    size_t size = made.size;
    made.size = at;
    put32(v);
    made.size = size;
}

static void save(size_t size) {
    FILE *f = fopen(made_path, "wb");
    if (!f || fwrite(made.data, 1, size, f) != size || fclose(f)) abort();
}

// Opens the first `size` bytes through a pipe, whose buffer can hold them.
static int open_pipe(struct trj_reader **r, size_t size, int fds[2]) {
    char name[32];
    if (pipe(fds) || write(fds[1], made.data, size) != (ssize_t)size) abort();
    close(fds[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", fds[0]);
    return trj_reader_open(r, name, &err);
}

static bool frame_is(const struct trj_frame *f, uint32_t n) {
    unsigned periodic = 0;
    bool good = n < made.frames && f->index == n && f->atoms == made.atoms && f->unit == made_unit &&
                f->step == made.want[n].step && f->time == made.want[n].time;
    for (size_t i = 0; good && i < made.atoms; i++)
        for (int k = 0; k < 3; k++) good = good && f->x[k][i] == made.want[n].x[i][k];
    for (int k = 0; k < 9; k++) {
        double h = made.want[n].h[k];
        good = good && fabs(f->cell.h[k / 3][k % 3] - h) <= 1e-14 * fabs(h);
        periodic |= h != 0 ? 1u << k / 3 : 0;
    }
    return good && f->cell.periodic == periodic;
}

// Reads or skips to the end. Returns how many frames there were; *end is the last result, 0 or -1.
static uint32_t read_all(struct trj_reader *r, bool skip_them, int *end, bool *good) {
    struct trj_frame f = {0};
    uint32_t n = 0;
    while ((*end = skip_them ? trj_reader_skip(r, &err) : trj_reader_read(r, &f, &err)) == 1) {
        if (!skip_them) *good = *good && frame_is(&f, n);
        n++;
    }
    trj_frame_free(&f);
    return n;
}

static void check_whole(const char *name, const char *dialect) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    int end, fds[2];
    bool good = true;
    save(made.size);
    if (!ok(trj_reader_open(&r, made_path, &err) == 0 && r->atoms == made.atoms && r->can_seek, "%s: opens", name)) {
        printf("# %s\n", err.text);
        return;
    }
    ok(!strcmp(r->dialect, dialect), "%s: the dialect is %s", name, r->dialect);
    uint32_t n = read_all(r, false, &end, &good);
    if (!ok(good && end == 0 && n == made.frames, "%s: %u frames are read", name, n)) printf("# %s\n", err.text);
    ok(trj_reader_read(r, &f, &err) == 0, "%s: reading at the end again gives the end", name);
    for (uint32_t k = made.frames; k--;)
        good = good && trj_reader_seek(r, k, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, k);
    ok(good, "%s: seeking backwards", name);
    trj_reader_close(r);
    for (uint32_t k = 0; k < made.frames; k++) {
        if (trj_reader_open(&r, made_path, &err)) abort();
        if (k) good = good && trj_reader_read(r, &f, &err) == 1;
        good = good && trj_reader_seek(r, made.frames, &err) == 0 && trj_reader_seek(r, UINT64_MAX, &err) == 0 &&
               trj_reader_read(r, &f, &err) == 1 && frame_is(&f, k > 0); // the position is unchanged
        good = good && trj_reader_seek(r, k, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, k);
        trj_reader_close(r);
        if (trj_reader_open(&r, made_path, &err)) abort();
        good = good && trj_reader_seek(r, k, &err) == 1 && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, k);
        trj_reader_close(r);
        if (open_pipe(&r, made.size, fds)) abort();
        good = good && !r->can_seek;
        for (uint32_t i = 0; i < k; i++) good = good && trj_reader_skip(r, &err) == 1;
        good = good && trj_reader_read(r, &f, &err) == 1 && frame_is(&f, k);
        trj_reader_close(r);
        close(fds[0]);
    }
    ok(good, "%s: seeking first and beyond the end, skipping in a pipe", name);
    for (int way = 0; way < 2; way++) {
        if (open_pipe(&r, made.size, fds)) abort();
        n = read_all(r, way, &end, &good);
        ok(good && end == 0 && n == made.frames, "%s: %s through a pipe", name, way ? "skipped" : "read");
        trj_reader_close(r);
        close(fds[0]);
    }
    trj_frame_free(&f);
}

// Truncates the file at each byte: the result is TRJ_BAD_DATA with byte and frame, or, at a border, the frames before
// it.
static void check_cuts(const char *name) {
    for (int way = 0; way < 3; way++) { // read, skip, read a pipe
        bool good = true;
        save(made.size);
        for (size_t cut = made.size; good && cut--;) {
            struct trj_reader *r = NULL;
            int end = -1, fds[2] = {-1, -1};
            char byte[32], frame[32];
            uint32_t whole = 0;
            bool border = false, same = true;
            while (whole < made.frames && made.border[whole] <= cut) whole++;
            for (size_t i = 0; i < made.cleans; i++) border = border || made.clean[i] == cut;
            snprintf(byte, sizeof byte, "byte %zu", cut);
            snprintf(frame, sizeof frame, ": frame %u: ", whole);
            if (truncate(made_path, (off_t)cut)) abort();
            err = (struct trj_error){0};
            if (way == 2 ? open_pipe(&r, cut, fds) : trj_reader_open(&r, made_path, &err)) {
                good = err.status == TRJ_BAD_DATA && has_text(err.text, !cut      ? "is empty"
                                                                        : cut < 4 ? "not a known trajectory format"
                                                                                  : byte);
            } else {
                uint32_t n = read_all(r, way == 1, &end, &same);
                good =
                    same && n == whole && end == (border ? 0 : -1) &&
                    (border || (err.status == TRJ_BAD_DATA && has_text(err.text, byte) && has_text(err.text, frame)));
                trj_reader_close(r);
            }
            if (!good) printf("# cut at %zu, %u whole frames: %s\n", cut, whole, err.text);
            if (way == 2) close(fds[0]);
        }
        ok(good, "%s: truncated at each of %zu bytes, %s", name, made.size,
           (const char *[]){"read", "skipped", "read from a pipe"}[way]);
    }
}

static int try_all(bool skip_them) {
    struct trj_reader *r;
    int end;
    bool good = true;
    err = (struct trj_error){0};
    save(made.size);
    if (trj_reader_open(&r, made_path, &err)) return -1;
    read_all(r, skip_them, &end, &good);
    trj_reader_close(r);
    return end;
}

static int try_pipe(void) {
    struct trj_reader *r = NULL;
    int fds[2], end = -1;
    bool good = true;
    err = (struct trj_error){0};
    if (!open_pipe(&r, made.size, fds)) read_all(r, false, &end, &good);
    trj_reader_close(r);
    close(fds[0]);
    return end;
}

// Checks that made[] is rejected, in a file and in a pipe, and that the message contains both texts.
static void rejects(const char *what, const char *word, const char *other) {
    for (int piped = 0; piped < 2; piped++) {
        int end = piped ? try_pipe() : try_all(false);
        ok(end == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, word) && has_text(err.text, other), "%s%s: %s",
           what, piped ? ", in a pipe" : "", err.text);
    }
}

// Changes random bytes, and each bit in turn: the result is TRJ_BAD_DATA or other numbers. Sanitizers detect the rest.
static void check_damage(const char *name, unsigned rounds, unsigned min) {
    static unsigned char good_data[FILE_ROOM];
    uint64_t random = 1;
    unsigned refusals = 0;
    bool good = true;
    memcpy(good_data, made.data, made.size);
    for (unsigned n = 0; n < rounds; n++) {
        for (unsigned k = 0; k < 1 + n % 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            made.data[(random >> 33) % made.size] = (unsigned char)(random >> 25);
        }
        if (try_all(n % 4 == 3)) good = good && ++refusals && err.status == TRJ_BAD_DATA;
        memcpy(made.data, good_data, made.size);
    }
    for (size_t n = 0; n < 8 * made.size; n++) {
        made.data[n / 8] ^= (unsigned char)(1 << n % 8);
        if (try_pipe()) good = good && ++refusals && err.status == TRJ_BAD_DATA;
        made.data[n / 8] ^= (unsigned char)(1 << n % 8);
    }
    ok(good && refusals > min, "%s: %u changes at random and each of %zu bits: %u rejected", name, rounds,
       8 * made.size, refusals);
}

#endif
