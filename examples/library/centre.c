// Reads trajectories, moves the centre of a group to the origin in every frame, and writes a frame stream.
//
//   usage: centre TOPOLOGY NAME=SELECTION TRAJECTORY... | rdfhist ...
//
// All atoms of TRAJECTORY that are in the group are written. TOPOLOGY "-" means none.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trjpipe.h>

static int fail(const struct trjpipe_error *error) {
    fprintf(stderr, "centre: %s\n", error->text);
    return error->status; // the exit codes of the tools
}

static void print_notes(trjpipe_reader *reader) {
    const char *note;
    while ((note = trjpipe_reader_note(reader))) fprintf(stderr, "centre: %s\n", note);
}

static void move_centre(float *x, size_t atoms) {
    double centre[3] = {0, 0, 0};
    for (size_t i = 0; i < 3 * atoms; i++) centre[i % 3] += (double)x[i] / (double)atoms;
    for (size_t i = 0; i < 3 * atoms; i++) x[i] -= (float)centre[i % 3];
}

// Copies all frames. Returns 0 or -1.
static int copy_frames(trjpipe_reader *reader, trjpipe_writer *writer, float *x, struct trjpipe_error *error) {
    const struct trjpipe_header *header = trjpipe_reader_header(reader);
    size_t sources = header->source_count;
    struct trjpipe_frame frame = {.struct_size = sizeof frame};
    int got;
    while ((got = trjpipe_reader_read(reader, &frame, x, error)) > 0) {
        move_centre(x, header->atoms);
        for (; sources < header->source_count; sources++) {
            const struct trjpipe_source *source = &header->sources[sources];
            if (trjpipe_writer_add_source(writer, source->name, source->fingerprint, error)) return -1;
        }
        if (trjpipe_writer_write(writer, &frame, x, error)) return -1;
    }
    return got;
}

int main(int argc, char **argv) {
    struct trjpipe_error error = {.status = TRJPIPE_FAILED, .text = "out of memory"};
    trjpipe_reader *reader = NULL;
    trjpipe_writer *writer = NULL;
    float *x = NULL;
    int done = 0;
    if (argc < 4) {
        fprintf(stderr, "usage: centre TOPOLOGY NAME=SELECTION TRAJECTORY... | rdfhist ...\n");
        return TRJPIPE_USAGE;
    }
    struct trjpipe_reader_options options = {.struct_size = sizeof options};
    if (strcmp(argv[1], "-") != 0) options.topology = argv[1];
    options.groups = (const char *const *)&argv[2];
    options.group_count = 1;
    if (trjpipe_reader_open(&reader, (const char *const *)&argv[3], (size_t)argc - 3, &options, &error)) goto out;
    const struct trjpipe_header *header = trjpipe_reader_header(reader);
    if (!(x = malloc(3 * header->atoms * sizeof *x))) goto out;
    struct trjpipe_writer_options written = {.struct_size = sizeof written, .provenance = "centre 1.0"};
    done = !trjpipe_writer_open(&writer, "-", header, &written, &error) && !copy_frames(reader, writer, x, &error) &&
           !trjpipe_writer_finish(writer, &error);
    print_notes(reader);
out:
    trjpipe_writer_close(writer);
    trjpipe_reader_close(reader);
    free(x);
    return done ? 0 : fail(&error);
}
