// SPDX-License-Identifier: MIT
// Keeps the device and inode of each input and output of the process in two arrays, which are searched from their
// beginning: a search of 10,000 inputs takes less than opening one of them.
#include "used_files.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "missing_file.h"

struct used_file {
    struct trj_file_id id;
    char *name; // as given by the user; "stdin" and "stdout" for streams
};

struct files {
    struct used_file *list;
    size_t count, capacity;
};

static bool started;
static struct files inputs, outputs;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void trj_used_files_start(void) {
    started = true;
}

// Returns the index of the file in the list, or its length.
static size_t find(const struct files *f, struct trj_file_id id) {
    size_t i = 0;
    while (i < f->count && !trj_file_is(f->list[i].id, id)) i++;
    return i;
}

// Returns whether a file is in the list; -1 if this cannot be found out. Its name must still belong to it: if another
// program has removed a file, a new file can have its inode.
static int contains(const struct files *f, struct trj_file_id id, struct trj_error *err) {
    struct stat now;
    size_t i = find(f, id);
    if (i == f->count) return 0;
    const char *name = f->list[i].name;
    if (!strcmp(name, "stdin") || !strcmp(name, "stdout")) return 1;
    if (stat(name, &now)) return trj_file_is_missing() ? 0 : trj_fail_errno(err, "%s", name);
    return trj_file_is(trj_file_id(&now), id);
}

// Adds a file to one list, unless it is in the other one.
static int add(struct files *to, bool once, const struct files *other, const struct stat *st, const char *name,
               struct trj_error *err) {
    if (!started || !S_ISREG(st->st_mode)) return 0;
    struct trj_file_id id = trj_file_id(st);
    pthread_mutex_lock(&mutex);
    int found = contains(other, id, err), rc = found < 0 ? -1 : 0;
    if (found > 0) {
        rc = trj_fail(err, TRJ_FAILED, "%s: is both an input and an output; give the output another name", name);
    } else if (!rc && (!once || find(to, id) == to->count)) {
        rc = trj_grow(&to->list, &to->capacity, to->count + 1, sizeof *to->list, "names of files", err);
        char *copy = rc ? NULL : trj_copy_text(name, err);
        if (copy)
            to->list[to->count++] = (struct used_file){id, copy};
        else
            rc = -1;
    }
    pthread_mutex_unlock(&mutex);
    return rc;
}

int trj_used_files_add_input(const struct stat *st, const char *name, struct trj_error *err) {
    return add(&inputs, true, &outputs, st, name, err);
}

int trj_used_files_add_output(const struct stat *st, const char *name, struct trj_error *err) {
    return add(&outputs, false, &inputs, st, name, err);
}

static void remove_file(struct files *f, struct trj_file_id id) {
    pthread_mutex_lock(&mutex);
    size_t i = find(f, id);
    if (i < f->count) {
        free(f->list[i].name);
        f->list[i] = f->list[--f->count];
    }
    pthread_mutex_unlock(&mutex);
}

void trj_used_files_remove_input(struct trj_file_id id) {
    remove_file(&inputs, id);
}

void trj_used_files_remove_output(struct trj_file_id id) {
    remove_file(&outputs, id);
}
