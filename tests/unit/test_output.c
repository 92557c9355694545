// SPDX-License-Identifier: MIT
// Tests output files on disk: what remains after signals, and the permissions of a replaced file.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"
#include "output.h"
#include "pipe_memory.h"
#include "tap.h"
#include "termination_signals.h"
#include "used_files.h"

static char folder[] = "/tmp/test_output.XXXXXX", path[64];

// Returns the number of entries of the folder.
static int entries(void) {
    DIR *d = opendir(folder);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    if (d) closedir(d);
    return n;
}

static struct stat stat_of(const char *name) {
    struct stat st = {.st_mode = 0};
    if (lstat(name, &st)) st.st_mode = 0;
    return st;
}

// Begins to write the file in a child process, which then receives the signal. Returns the wait status of the child.
static int write_and_raise(int number, bool ignored) {
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        struct trj_error err;
        struct trj_output *out = NULL;
        signal(number, ignored ? SIG_IGN : SIG_DFL);
        if (trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err) || trj_output_print(out, &err, "new\n")) _exit(3);
        if (entries() < 1) _exit(4);
        raise(number);
        _exit(trj_output_commit(out, &err) ? 5 : 0);
    }
    waitpid(child, &status, 0);
    return status;
}

// Programs that use the library handle their signals themselves.
static void test_library(void) {
    int status = write_and_raise(SIGTERM, false);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && entries() == 1,
       "without trj_output_remove_on_signals, signals are not handled");
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
}

static void test_signals(void) {
    for (int i = 0; i < TRJ_TERMINATION_SIGNALS; i++) {
        int number = trj_termination_signals[i], status = write_and_raise(number, false);
        ok(WIFSIGNALED(status) && WTERMSIG(status) == number && !entries(), "%s ends the process and leaves no file",
           strsignal(number));
        status = write_and_raise(number, true);
        ok(WIFEXITED(status) && !WEXITSTATUS(status) && entries() == 1, "%s stays ignored if the parent ignores it",
           strsignal(number));
        unlink(path);
    }
}

static void test_giving(void) {
    enum { BYTES = 1 << 18 };
    struct trj_error err;
    struct trj_output *out = NULL;
    int fd[2], status = -1;
    char name[40];
    unsigned char *memory = trj_pipe_alloc(BYTES);
    bool given = false, good = memory && !pipe(fd);
    if (!good) {
        ok(false, "a pipe and memory for it");
        return;
    }
    struct trj_output_part part = {.data = memory, .size = BYTES, .given = &given};
    for (size_t i = 0; i < BYTES; i++) memory[i] = (unsigned char)(i / 251);
    pid_t child = fork();
    if (!child) { // the pipe need not hold all of the data
        unsigned char c;
        size_t n = 0;
        close(fd[1]);
        while (read(fd[0], &c, 1) == 1 && c == (n < 3 ? (unsigned char)"abc"[n] : (unsigned char)((n - 3) / 251))) n++;
        _exit(n != 3 + BYTES);
    }
    close(fd[0]);
    snprintf(name, sizeof name, "/dev/fd/%d", fd[1]);
    good = !trj_output_open(&out, name, TRJ_OUTPUT_BINARY, &err);
    close(fd[1]);
    good = good && trj_output_gives(out) && !trj_output_write(out, "abc", 3, &err) &&
           !trj_output_write_part(out, &part, &err);
    trj_pipe_free(memory); // before the reader has read all of it
    good = good && !trj_output_commit(out, &err);
    trj_output_close(out);
    waitpid(child, &status, 0);
    ok(good && given && !status, "pages are given to a pipe, after the bytes before them, and freed");
    part.data = memory = trj_pipe_alloc(BYTES);
    given = false;
    good = memory && !trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err) && !trj_output_gives(out) &&
           !trj_output_write_part(out, &part, &err) && !trj_output_commit(out, &err);
    trj_output_close(out);
    ok(good && !given, "a file gets a copy");
    trj_pipe_free(memory);
    unlink(path);
}

enum { PART = 3 << 16, UNALIGNED = 1001 };
static unsigned char in_memory[PART], in_file[PART + UNALIGNED];

// Writes a part of a file to a pipe, `times` times. Returns whether a reader gets each time `bytes` bytes of the file,
// and the rest from memory. The contents differ only in this test.
static bool write_file_part(int file, size_t bytes, int times) {
    struct trj_output_part part = {
        .data = in_memory, .size = PART, .in_file = true, .file = file, .file_offset = UNALIGNED};
    struct trj_error err;
    struct trj_output *out = NULL;
    int fd[2], status = -1;
    char name[40];
    if (pipe(fd)) return false;
    fflush(stdout);
    pid_t child = fork();
    if (!child) { // the pipe need not hold all of the data
        static unsigned char got[PART];
        bool good = true;
        close(fd[1]);
        for (int i = 0; i < times; i++) {
            for (ssize_t n = 0, k = 1; n < PART && k > 0; n += k) k = read(fd[0], got + n, (size_t)(PART - n));
            good = good && !memcmp(got, in_file + UNALIGNED, bytes) &&
                   !memcmp(got + bytes, in_memory + bytes, PART - bytes);
        }
        _exit(!good || read(fd[0], got, 1) != 0);
    }
    close(fd[0]);
    snprintf(name, sizeof name, "/dev/fd/%d", fd[1]);
    bool good = !trj_output_open(&out, name, TRJ_OUTPUT_BINARY, &err);
    close(fd[1]);
    for (int i = 0; i < times; i++) good = good && !trj_output_write_part(out, &part, &err);
    good = good && !trj_output_commit(out, &err);
    trj_output_close(out);
    waitpid(child, &status, 0);
    return good && !status;
}

static void test_file_parts(void) {
    enum { SHORT = 100000 };
    for (size_t i = 0; i < PART; i++) in_memory[i] = (unsigned char)(i / 251);
    for (size_t i = 0; i < sizeof in_file; i++) in_file[i] = (unsigned char)(128 + i / 241);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), no_reading = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && no_reading >= 0 && write(fd, in_file, sizeof in_file) == sizeof in_file;
    if (good && write_file_part(fd, 0, 1))
        skip("parts of files", "the system cannot give pages of files to pipes");
    else
        ok(good && write_file_part(fd, PART, 2), "parts of files are given to a pipe from their place in the file");
    ok(good && write_file_part(no_reading, 0, 2), "a file that cannot be given: the pipe gets a copy");
    good = good && !ftruncate(fd, UNALIGNED + SHORT);
    ok(good && (write_file_part(fd, SHORT, 2) || write_file_part(fd, 0, 2)),
       "a file that has become shorter: the pipe gets the rest from memory");
    close(no_reading);
    struct trj_output_part part = {.data = in_memory, .size = PART, .in_file = true, .file = fd};
    struct trj_error err;
    struct trj_output *out = NULL;
    static unsigned char got[PART];
    good = !trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err) && !trj_output_write_part(out, &part, &err) &&
           !trj_output_commit(out, &err);
    trj_output_close(out);
    close(fd);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    ok(good && fd >= 0 && read(fd, got, PART) == PART && !memcmp(got, in_memory, PART), "a file gets a copy of a part");
    close(fd);
    unlink(path);
}

static void test_pipe_memory(void) {
    enum { PIECES = 300, LARGE = 1 << 25 };
    static unsigned char *piece[PIECES];
    bool apart = true, intact = true;
    for (size_t i = 0; i < PIECES; i++) {
        size_t n = 1 + i * 997;
        piece[i] = trj_pipe_alloc(n);
        apart = apart && piece[i] && (uintptr_t)piece[i] % 4096 == 0;
        if (piece[i]) memset(piece[i], (int)(i % 255) + 1, n);
        if (piece[i] && i % 3 == 0) trj_pipe_shrink(piece[i], n, n / 2 + 1);
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t k = 0; piece[i] && k < (i % 3 ? 1 + i * 997 : i * 997 / 2 + 1); k++)
            intact = intact && piece[i][k] == i % 255 + 1;
    for (size_t i = 0; i < PIECES; i++) trj_pipe_free(piece[i * 7 % PIECES]);
    ok(apart && intact, "pieces of memory start pages and do not overlap");
    unsigned char *large = trj_pipe_alloc(LARGE);
    if (large) large[0] = large[LARGE - 1] = 1;
    ok(large && (uintptr_t)large % 4096 == 0, "memory of more than a chunk");
    trj_pipe_free(large);
    trj_pipe_free(NULL);
    ok(!trj_pipe_alloc(SIZE_MAX) && !trj_pipe_alloc(SIZE_MAX / 2), "more memory than can be addressed: NULL");
}

static bool replace(void) {
    struct trj_error err;
    struct trj_output *out = NULL;
    bool good = !trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err) && !trj_output_print(out, &err, "new\n") &&
                !trj_output_commit(out, &err);
    trj_output_close(out);
    return good;
}

// Opens two joined outputs, and writes a line to each.
static struct trj_output *open_joined(const char *second, struct trj_error *err) {
    struct trj_output *out = NULL, *other = NULL;
    if (trj_output_open(&out, path, TRJ_OUTPUT_TEXT, err)) return NULL;
    if (!trj_output_open(&other, second, TRJ_OUTPUT_TEXT, err)) {
        trj_output_join(out, other);
        if (!trj_output_print(out, err, "new\n") && !trj_output_print(other, err, "new\n")) return out;
    }
    trj_output_close(out);
    return NULL;
}

static void test_joined(void) {
    char second[80];
    struct trj_error err = {.status = TRJ_OK};
    snprintf(second, sizeof second, "%s/second", folder);
    struct trj_output *out = open_joined(second, &err);
    ok(out && entries() == 2 && access(path, F_OK) && access(second, F_OK), "joined files do not exist before commit");
    ok(out && !trj_output_commit(out, &err) && entries() == 2 && !access(path, F_OK) && !access(second, F_OK),
       "joined files appear together");
    trj_output_close(out);
    unlink(path);
    unlink(second);
    out = open_joined(second, &err);
    bool good = out && !mkdir(path, 0700) && trj_output_commit(out, &err);
    trj_output_close(out);
    ok(good && strstr(err.text, path) && entries() == 1 && access(second, F_OK),
       "the last of the joined files cannot be renamed: the first is removed");
    rmdir(path);
    out = open_joined(second, &err);
    good = out && !mkdir(second, 0700) && trj_output_commit(out, &err);
    trj_output_close(out);
    ok(good && strstr(err.text, second) && entries() == 1 && access(path, F_OK),
       "the first of the joined files cannot be renamed: the last does not appear");
    rmdir(second);
    int fd = open(second, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    good = fd >= 0 && write(fd, "an older file\n", 14) == 14 && !close(fd);
    out = good ? open_joined(second, &err) : NULL;
    good = out && !mkdir(path, 0700) && trj_output_commit(out, &err);
    trj_output_close(out);
    ok(good && strstr(err.text, path) && entries() == 2 && stat_of(second).st_size == 14,
       "the last of the joined files cannot be renamed: an older file with the name of the first stays");
    rmdir(path);
    out = open_joined(second, &err);
    good = out && !trj_output_commit(out, &err);
    trj_output_close(out);
    ok(good && entries() == 2 && stat_of(second).st_size == 4, "joined files replace older ones");
    unlink(path);
    unlink(second);
    fflush(stdout);
    pid_t child = fork();
    int status = 0;
    if (!child) {
        if (!open_joined(second, &err) || entries() != 2) _exit(3);
        raise(SIGTERM);
        _exit(4);
    }
    waitpid(child, &status, 0);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && !entries(), "a signal removes both temporary files");
}

static void test_permissions(void) {
    static const mode_t modes[] = {0600, 0640, 0644, 0664, 0666, 0200, 0755};
    umask(022);
    ok(replace() && (stat_of(path).st_mode & 07777) == 0644, "a new file has the mode that the umask leaves");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        chmod(path, modes[i]);
        ok(replace() && (stat_of(path).st_mode & 07777) == modes[i], "a file of mode %04o keeps it",
           (unsigned)modes[i]);
    }
    if (geteuid()) {
        skip("owner and group", "only root can give files away");
        return;
    }
    chmod(path, 0640);
    struct stat st = {.st_mode = 0};
    bool good = !chown(path, 1234, 2345) && replace();
    st = stat_of(path);
    ok(good && st.st_uid == 1234 && st.st_gid == 2345 && (st.st_mode & 07777) == 0640, "owner and group are kept");
    // Another user may replace the file, but not change its owner.
    fflush(stdout);
    pid_t child = fork();
    int status = -1;
    if (!child) {
        if (chmod(folder, 0777) || chmod(path, 0676) || setgid(3456) || setuid(3456)) _exit(2);
        _exit(!replace());
    }
    waitpid(child, &status, 0);
    st = stat_of(path);
    ok(!status && st.st_uid == 3456 && st.st_gid == 3456 && (st.st_mode & 07777) == 0666,
       "a group that is not kept gives the new one no more than all users had: %04o", (unsigned)st.st_mode & 07777);
}

static void test_links(void) {
    char target[80], name[80];
    snprintf(target, sizeof target, "%s/target", folder);
    snprintf(name, sizeof name, "%s", path);
    unlink(path);
    FILE *f = fopen(target, "w");
    if (f) fclose(f);
    chmod(target, 0600);
    ok(!symlink("target", name) && replace() && S_ISLNK(stat_of(name).st_mode) && stat_of(target).st_size == 4 &&
           (stat_of(target).st_mode & 07777) == 0600,
       "a symbolic link stays, and its target is replaced and keeps its mode");
    unlink(target);
    struct trj_error err;
    struct trj_output *out = NULL;
    ok(replace() && S_ISLNK(stat_of(name).st_mode) && stat_of(target).st_size == 4,
       "a symbolic link to a file that does not exist stays, and the file is written");
    unlink(target);
    unlink(name);
    char other[80];
    snprintf(other, sizeof other, "%s/other", folder);
    ok(!symlink(other, name) && !symlink("target", other) && replace() && S_ISLNK(stat_of(name).st_mode) &&
           S_ISLNK(stat_of(other).st_mode) && stat_of(target).st_size == 4,
       "two links, one of them with an absolute path, to a file that does not exist");
    unlink(target);
    unlink(name);
    unlink(other);
    ok(!symlink("file", name) && trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err) == -1 &&
           strstr(err.text, strerror(ELOOP)) && S_ISLNK(stat_of(name).st_mode) && entries() == 1,
       "a link that leads to itself is rejected and stays");
    unlink(name);
}

static void test_read_only(void) {
    static const mode_t modes[] = {0400, 0444, 0555};
    struct trj_error err;
    struct trj_output *out = NULL;
    bool good = replace();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        chmod(path, modes[i]);
        ok(good && trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err) == -1 && err.status == TRJ_FAILED &&
               strstr(err.text, "read-only") && entries() == 1,
           "a file of mode %04o is not replaced", (unsigned)modes[i]);
    }
    unlink(path);
}

// Gives the only file of the folder, which is temporary, to another program. Returns whether this was possible.
static bool replace_temporary(bool with_another) {
    bool good = false;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, ".trjpipe.", 9) != 0) continue;
        good = !unlinkat(dirfd(d), e->d_name, 0);
        int fd = good && with_another ? openat(dirfd(d), e->d_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
        if (with_another) good = fd >= 0 && write(fd, "foreign", 7) == 7;
        if (fd >= 0) close(fd);
        break;
    }
    if (d) closedir(d);
    return good;
}

static void test_lost_temporary(void) {
    struct trj_error err = {.status = TRJ_OK};
    for (int foreign = 0; foreign < 2; foreign++) {
        struct trj_output *out = NULL;
        bool good = !trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err) && !trj_output_print(out, &err, "new\n") &&
                    replace_temporary(foreign) && trj_output_commit(out, &err) == -1 && strstr(err.text, "temporary");
        trj_output_close(out);
        ok(good && entries() == foreign && access(path, F_OK), "a temporary file that was %s is an error: %s",
           foreign ? "replaced" : "removed", err.text);
    }
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
}

// The process of this test knows inputs and outputs from here on, as tools do.
static void test_used_files(void) {
    struct trj_error err = {.status = TRJ_OK};
    struct trj_input *in = NULL;
    struct trj_output *out = NULL;
    char link[80];
    snprintf(link, sizeof link, "%s/link", folder);
    bool good = replace() && !trj_input_open(&in, path, &err) && replace();
    trj_input_close(in);
    ok(good, "a program that uses the library may replace a file that it reads");
    trj_used_files_start();
    good = !symlink("file", link) && !trj_input_open(&in, path, &err);
    trj_input_close(in);
    ok(good && trj_output_open(&out, link, TRJ_OUTPUT_TEXT, &err) == -1 && err.status == TRJ_FAILED &&
           strstr(err.text, "both an input and an output") && entries() == 2,
       "an output that was an input, under another name: %s", err.text);
    unlink(link);
    unlink(path);
    snprintf(path, sizeof path, "%s/other", folder);
    ok(replace() && replace(),
       "an input that was removed: a file with another name can have its inode and be replaced");
    good = !trj_output_open(&out, path, TRJ_OUTPUT_TEXT, &err) && trj_input_open(&in, path, &err) == -1 &&
           err.status == TRJ_FAILED;
    trj_output_close(out);
    ok(good && entries() == 1, "an input that is an output: %s", err.text);
    good = !trj_input_open(&in, path, &err);
    trj_input_close(in);
    ok(good, "a file that is no longer an output can be read");
    unlink(path);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/file", folder);
    test_library();
    trj_output_remove_on_signals();
    test_signals();
    test_giving();
    test_file_parts();
    test_pipe_memory();
    test_joined();
    test_permissions();
    test_links();
    test_read_only();
    test_lost_temporary();
    test_used_files();
    unlink(path);
    rmdir(folder);
    return done();
}
