// SPDX-License-Identifier: MIT
// Helpers for tests of topologies: write small files, and compare an atom as a single text.
#ifndef TOPOLOGY_FILE_H
#define TOPOLOGY_FILE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tap.h"
#include "topology.h"

static char folder[] = "/tmp/trjpipe-topology-XXXXXX"; // mkdtemp() makes it

// Writes a file into the folder of the test and returns its path.
__attribute__((unused)) static const char *put(const char *name, const void *text, size_t n) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f)) {
        perror(path);
        exit(1);
    }
    return path;
}

__attribute__((unused)) static struct trj_topology *open_file(const char *path) {
    struct trj_error err;
    struct trj_topology *top = NULL;
    if (trj_topology_open(&top, path, &err)) {
        printf("# %s\n", err.text);
        return NULL;
    }
    return top;
}

__attribute__((unused)) static struct trj_topology *open_text(const char *name, const char *text) {
    const char *path = put(name, text, strlen(text));
    struct trj_topology *top = open_file(path);
    remove(path);
    return top;
}

// Checks that the file is rejected as TRJ_BAD_DATA, with its path and then `message` in the text of the error.
__attribute__((unused)) static void bad_bytes(const char *name, const void *text, size_t n, const char *message) {
    struct trj_error err = {.text = ""};
    struct trj_topology *top = NULL;
    const char *path = put(name, text, n);
    int rc = trj_topology_open(&top, path, &err);
    bool good = rc == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, message) &&
                !strncmp(err.text, path, strlen(path)) && !strchr(err.text, '\n');
    if (!ok(good, "%s: %s", name, message)) printf("# %d, status %d: %s\n", rc, (int)err.status, err.text);
    if (!rc) trj_topology_close(top);
    remove(path);
}

__attribute__((unused)) static void bad(const char *name, const char *text, const char *message) {
    bad_bytes(name, text, strlen(text), message);
}

__attribute__((unused)) static const char *text_of(const struct trj_texts *t, size_t i) {
    return t->id ? t->text[t->id[i]] : "-";
}

// Compares an atom with "name/type/resname/segid/element/resid/residue/molecule"; "-" is a missing column, and a chain
// replaces a missing segid.
__attribute__((unused)) static const char *atom_of(const struct trj_topology *t, size_t i) {
    static char text[256];
    char number[3][24] = {"-", "-", "-"};
    if (t->resid) snprintf(number[0], sizeof number[0], "%" PRId64, t->resid[i]);
    if (t->residue) snprintf(number[1], sizeof number[1], "%u", t->residue[i]);
    if (t->molecule) snprintf(number[2], sizeof number[2], "%u", t->molecule[i]);
    snprintf(text, sizeof text, "%s/%s/%s/%s/%s/%s/%s/%s", text_of(&t->name, i), text_of(&t->type, i),
             text_of(&t->resname, i), text_of(trj_topology_segments(t), i), text_of(&t->element, i), number[0],
             number[1], number[2]);
    return text;
}

__attribute__((unused)) static void is_atom(const struct trj_topology *t, size_t i, const char *expected) {
    const char *found = t && i < t->atoms ? atom_of(t, i) : "no such atom";
    if (!ok(!strcmp(found, expected), "atom %zu is %s", i, expected)) printf("# %s\n", found);
}

__attribute__((unused)) static size_t count_element(const struct trj_topology *t, const char *symbol) {
    size_t n = 0;
    for (size_t i = 0; i < t->atoms; i++) n += !strcmp(text_of(&t->element, i), symbol);
    return n;
}

#endif
