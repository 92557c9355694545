// SPDX-License-Identifier: MIT
// Tests output files on disk: what remains after signals, and the permissions of a replaced file.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"
#include "tap.h"
#include "termination_signals.h"

static char folder[] = "/tmp/test_output.XXXXXX", path[64];

// Returns the number of entries of the folder.
static int entries(void) {
    DIR *d = opendir(folder);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    if (d) closedir(d);
    return n;
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

static bool replace(void) {
    struct trj_error err;
    struct trj_output *out = NULL;
    bool good = !trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err) && !trj_output_print(out, &err, "new\n") &&
                !trj_output_commit(out, &err);
    trj_output_close(out);
    return good;
}

static struct stat stat_of(const char *name) {
    struct stat st = {.st_mode = 0};
    if (lstat(name, &st)) st.st_mode = 0;
    return st;
}

static void test_permissions(void) {
    static const mode_t modes[] = {0600, 0640, 0644, 0664, 0666, 0400, 0755};
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
        if (chmod(folder, 0777) || chmod(path, 0664) || setgid(3456) || setuid(3456)) _exit(2);
        _exit(!replace());
    }
    waitpid(child, &status, 0);
    st = stat_of(path);
    ok(!status && st.st_uid == 3456 && st.st_gid == 3456 && (st.st_mode & 07777) == 0644,
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
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/file", folder);
    test_library();
    trj_output_remove_on_signals();
    test_signals();
    test_permissions();
    test_links();
    unlink(path);
    rmdir(folder);
    return done();
}
