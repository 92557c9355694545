// SPDX-License-Identifier: MIT
// Feeds bytes to whatever reads files: the target is named by the name of the program (fuzz.mk links one for each). Built with a fuzzer's main
// or, for `make check`, with the one below, which runs once over each file named.
//
// Nothing is expected of the result but that there is one: no crash, no leak, no memory beyond the fuzzer's limit.
#define _GNU_SOURCE // memfd_create
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hist_stream.h"
#include "norm.h"
#include "reader.h"
#include "topology.h"
#include "yaml_tree.h"

enum { MOST_FRAMES = 1000 };

static int memory_file;
static char folder[] = "/tmp/fuzz.XXXXXX", path[64];
static const struct trj_format *format; // NULL: by content

// Frames one after the other, then some of them by seeking.
static void read_trajectory(void) {
    struct trj_error err;
    struct trj_reader *r = NULL;
    struct trj_frame f = {.atoms = 0};
    uint64_t passed;
    if (trj_reader_open_as(&r, path, format, 3, &err)) return;
    for (int i = 0; i < MOST_FRAMES && trj_reader_read(r, &f, &err) > 0; i++) {}
    bool can_seek = r->can_seek;
    trj_reader_close(r);
    if (!trj_reader_open_as(&r, path, format, 3, &err)) {
        if (!trj_reader_advance(r, 2, &passed, &err)) trj_reader_read(r, &f, &err);
        if (can_seek && !trj_reader_seek(r, 1, &err)) trj_reader_read(r, &f, &err);
        trj_reader_close(r);
    }
    trj_frame_free(&f);
}

static void read_topology(void) {
    struct trj_error err;
    struct trj_topology *top;
    if (!trj_topology_open(&top, path, &err)) trj_topology_close(top);
}

static void read_histograms(void) {
    struct trj_error err;
    struct trj_input *in;
    struct rdf_sums sums = {.norm = "density"};
    struct rdf_hist h = {.take = rdf_sums_take, .take_arg = &sums};
    struct rdf_curve curve;
    if (trj_input_open(&in, path, &err)) return;
    if (!rdf_hist_read(&h, in, &err) && !rdf_hist_check_frames(&h, &err) && !rdf_norm_curve(&curve, &h, &sums, 0, &err))
        rdf_curve_free(&curve);
    trj_input_close(in);
    rdf_sums_free(&sums);
    rdf_hist_free(&h);
}

static void read_yaml(void) {
    struct trj_error err;
    struct trj_yaml root = {.text = NULL};
    trj_yaml_read(&root, path, &err);
    trj_yaml_free(&root);
}

// What is not a format of trajectories. The ending decides where the content is damaged.
static const struct target {
    const char *name, *file;
    void (*run)(void);
} others[] = {
    {"topology-psf", "x.psf", read_topology}, {"topology-pdb", "x.pdb", read_topology},
    {"topology-gro", "x.gro", read_topology}, {"any", "x", read_trajectory},
    {"rdfh", "x.rdfh", read_histograms},      {"yaml", "x.yaml", read_yaml},
};

static struct target target;

static int find_target(const char *name) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i].name, name)) target = others[i];
    for (const struct trj_format *const *f = trj_formats; *f; f++)
        if (!strcmp((*f)->name, name)) {
            format = *f;
            target = (struct target){name, "x", read_trajectory};
        }
    return target.name ? 0 : -1;
}

static void remove_folder(void) {
    unlink(path);
    rmdir(folder);
}

// The file is memory, under a name of its own in a folder of its own.
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *slash = strrchr((*argv)[0], '/');
    char at[32];
    (void)argc;
    memory_file = memfd_create("fuzz", 0);
    if (find_target(slash ? slash + 1 : (*argv)[0]) || memory_file < 0 || !mkdtemp(folder)) {
        fprintf(stderr, "%s: no such target, or no place for a file\n", (*argv)[0]);
        exit(2);
    }
    snprintf(at, sizeof at, "/proc/self/fd/%d", memory_file);
    snprintf(path, sizeof path, "%s/%s", folder, target.file);
    if (symlink(at, path)) exit(2);
    return atexit(remove_folder);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (ftruncate(memory_file, 0) || pwrite(memory_file, data, size, 0) != (ssize_t)size) return -1;
    target.run();
    return 0;
}

#ifndef FUZZER
int main(int argc, char **argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        unsigned char *data = NULL;
        long size = -1;
        if (in && !fseek(in, 0, SEEK_END) && (size = ftell(in)) >= 0) data = malloc((size_t)size + 1);
        rewind(in);
        if (!data || fread(data, 1, (size_t)size, in) != (size_t)size) return 2;
        fclose(in);
        printf("%s\n", argv[i]);
        LLVMFuzzerTestOneInput(data, (size_t)size);
        free(data);
    }
    return 0;
}
#endif
