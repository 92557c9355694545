// SPDX-License-Identifier: MIT
// Tests NAMD binary coordinates: files made here in both byte orders, read from files and pipes, truncated, and of
// wrong sizes or contents.
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "reader.h"
#include "tap.h"

enum { MAX_ATOMS = 65792 }; // the same number in both byte orders

static unsigned char data[4 + 24 * MAX_ATOMS + 8];
static size_t size;
static struct trj_error err;
static char folder[] = "/tmp/test_namd.XXXXXX", path[64];

static void put(uint64_t v, size_t bytes, bool big) {
    for (size_t i = 0; i < bytes; i++) data[size++] = (unsigned char)(v >> 8 * (big ? bytes - 1 - i : i));
}

static double value(uint32_t i, int k) {
    return i == 1 ? 0 : (double)(i % 1000) * 0.3 - 7 * k;
}

static void make(uint32_t atoms, bool big) {
    size = 0;
    put(atoms, 4, big);
    for (uint32_t i = 0; i < atoms; i++)
        for (int k = 0; k < 3; k++) {
            double v = value(i, k);
            uint64_t bits;
            memcpy(&bits, &v, 8);
            put(bits, 8, big);
        }
}

static void save(const char *name, size_t bytes) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || ftruncate(fd, (off_t)bytes) || close(fd)) abort();
}

// Returns 1 if the file has the expected frame, and then ends; -1 for an error; 0 otherwise.
static int try_file(const char *format, bool skip_it) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    const struct trj_format *as = format ? trj_format_named(format, &err) : NULL;
    err = (struct trj_error){0};
    int got = trj_reader_open_as(&r, path, as, 0, &err) ? -1 : 1;
    if (got == 1) got = skip_it ? trj_reader_skip(r, &err) : trj_reader_read(r, &f, &err);
    bool good = got == 1 && trj_reader_read(r, &f, &err) == 0 && r->format == trj_format_named("namd", &err);
    if (!skip_it && got == 1) {
        good = good && f.index == 0 && f.unit == 1 && f.step == TRJ_NO_STEP && isnan(f.time) && !f.cell.periodic &&
               f.atoms == (size - 4) / 24 && r->atoms == f.atoms;
        for (uint32_t i = 0; i < f.atoms; i++)
            for (int k = 0; k < 3; k++) good = good && f.x[k][i] == (float)value(i, k);
    }
    trj_reader_close(r);
    trj_frame_free(&f);
    return got == 1 ? good : -1;
}

static int try_pipe(size_t bytes, const char *format) {
    int fds[2];
    if (pipe(fds) || write(fds[1], data, bytes) != (ssize_t)bytes || close(fds[1])) abort();
    snprintf(path, sizeof path, "/dev/fd/%d", fds[0]);
    int got = try_file(format, false);
    close(fds[0]);
    return got;
}

static bool rejects(int got, const char *text) {
    bool good = got == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, text);
    if (!good) printf("# %d: %s\n", got, err.text);
    return good;
}

int main(void) {
    if (!mkdtemp(folder)) abort();
    for (int big = 0; big < 2; big++) {
        static const uint32_t counts[] = {1, 5, 2000, MAX_ATOMS};
        for (size_t i = 0; i < 4; i++) {
            make(counts[i], big);
            save("any", size);
            ok(try_file(NULL, false) == 1 && try_file(NULL, true) == 1 && try_file("namd", false) == 1,
               "%u atoms, %s-endian", counts[i], big ? "big" : "little");
            if (counts[i] > 2000) continue;
            ok(try_pipe(size, "namd") == 1, "from a pipe");
        }
        make(5, big);
        bool good = true;
        for (size_t cut = size; good && cut-- > 1;) {
            save("x.coor", cut);
            good = rejects(try_file(NULL, false),
                           cut < 4 ? "truncated in the number of atoms" : "are not 4 plus 24 for each of");
            good = good && rejects(try_pipe(cut, "namd"), "truncated in ");
        }
        ok(good, "truncated at every byte, files and pipes: rejected");
        make(5, big);
        put(0, 1, big);
        save("x.coor", size);
        ok(rejects(try_file("namd", false), "are not 4 plus 24") &&
               rejects(try_pipe(size, "namd"), "continues after the last of 5 atoms, at byte 124"),
           "one byte too many: rejected");
        save("other", size);
        ok(rejects(try_file(NULL, false), "not a known trajectory format"), "another size, no name: not detected");
        make(5, big);
        ok(rejects(try_pipe(size, NULL), "not a known trajectory format"),
           "a pipe has no file name, from which the format is detected");
        for (size_t i = 4; i < size; i += 8) memset(data + i, 0x7f, 8);
        save("other", size);
        ok(rejects(try_file(NULL, false), "not a known trajectory format"),
           "matching size, invalid coordinates: not detected");
        ok(rejects(try_pipe(size, "namd"), "its numbers are invalid in either byte order"),
           "invalid coordinates in a pipe: rejected");
        make(5, big);
        save("run.restart.vel", size);
        ok(rejects(try_file(NULL, false),
                   "contains NAMD velocities, according to its name; give the file of the coordinates"),
           "%s", err.text);
        uint64_t nan = 0x7ff8000000000000;
        size = 4 + 32;
        put(nan, 8, big);
        size = 124;
        save("x.coor", size);
        ok(rejects(try_file(NULL, false), "frame 0: y of atom 1 (counted from 0) is not a number"), "%s", err.text);
    }
    size = 0;
    put(0x7ffffff0, 4, false);
    put(0, 8, false);
    ok(rejects(try_pipe(size, "namd"), "byte 12: truncated in the coordinates"), "atom count of 2e9 in a tiny file");
    memset(data, 0, 64);
    save("x.coor", 64);
    ok(rejects(try_file(NULL, false), "are not 4 plus 24"), "atom count 0");
    static const char *const names[] = {"any", "x.coor", "other", "run.restart.vel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return done();
}
