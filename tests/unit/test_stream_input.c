// SPDX-License-Identifier: MIT
// The frame stream that a filter reads: frames and their end, and the messages on inputs that are no complete stream.
#include <unistd.h>

#include "memory.h"
#include "output.h"
#include "stream_input.h"
#include "tap.h"

#define STREAM_FILE "/tmp/test_stream_input.XXXXXX"
#include "stream_file.h"

enum { ATOMS = 2 };

static struct trj_reader *reader;
static struct trj_frame frame;

// Writes a stream to the file and to made[]. Coordinate k of atom i in frame f is 100 f + 10 i + k.
static void make(uint64_t frames) {
    uint32_t atoms[ATOMS] = {0, 1};
    struct trj_group all = {.name = (char[]){"all"}, .count = ATOMS, .atoms = atoms};
    struct trj_stream_header h = {.atoms = ATOMS, .source_atoms = ATOMS, .group_count = 1, .groups = &all};
    struct trj_output *out;
    struct trj_stream_writer *w;
    struct trj_frame f = {.unit = 1, .time = NAN, .step = TRJ_NO_STEP};
    must(trj_stream_header_add_source(&h, "run.dcd", 7, &err));
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_stream_writer_open(&w, out, &h, 0, 1, &err));
    must(trj_frame_resize(&f, ATOMS, &err));
    for (f.index = 0; f.index < frames; f.index++) {
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < ATOMS; i++) f.x[k][i] = (float)(100 * f.index + 10 * i + k);
        must(trj_stream_write(w, &f, &err));
    }
    must(trj_stream_writer_finish(w, &err));
    must(trj_output_commit(out, &err));
    trj_stream_writer_close(w);
    trj_output_close(out);
    trj_frame_free(&f);
    free(h.sources[0].name);
    free(h.sources);
    load();
}

// Reads the file up to its end or to an error. Returns the number of frames; *end is 0 or -1.
static int read_all(int *end) {
    int frames = 0;
    err = (struct trj_error){.status = TRJ_OK};
    if ((*end = trj_stream_input_open(&reader, path, &err))) return 0;
    while ((*end = trj_stream_input_read(reader, &frame, &err)) > 0) frames++;
    trj_reader_close(reader);
    return frames;
}

// Whether the error begins with the name of the file and ends with these words.
static bool failed_with(const char *ending) {
    size_t n = strlen(err.text), m = strlen(ending);
    return err.status == TRJ_BAD_DATA && !strncmp(err.text, path, strlen(path)) && n >= m &&
           !strcmp(err.text + n - m, ending);
}

static void test_frames(void) {
    make(3);
    must(trj_stream_input_open(&reader, path, &err));
    ok(reader->header && reader->header->atoms == ATOMS && !strcmp(reader->header->groups[0].name, "all") &&
           !strcmp(reader->header->sources[0].name, "run.dcd"),
       "open stream: the header is available");
    bool good = true;
    for (uint64_t f = 0; f < 3; f++) {
        good = good && trj_stream_input_read(reader, &frame, &err) == 1 && frame.index == f && reader->next == f + 1;
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; good && i < ATOMS; i++) good = frame.x[k][i] == (float)(100 * f + 10 * i + k);
    }
    ok(good, "three frames: read with their coordinates");
    ok(!trj_stream_input_read(reader, &frame, &err) && !trj_stream_input_read(reader, &frame, &err),
       "end of the stream: 0, also when it is read again");
    char expected[128];
    snprintf(expected, sizeof expected, "%s: frame 2: reason", path);
    trj_error_set(&err, TRJ_BAD_DATA, "reason");
    ok(trj_stream_input_fail_frame(reader, &err) == -1 && !strcmp(err.text, expected),
       "error in the last frame: gets the name of the file and the number of the frame");
    trj_reader_close(reader);
}

static void test_incomplete(void) {
    int end;
    make(3);
    save(made, made_size - 1);
    bool good = read_all(&end) == 3 && end == -1 && err.truncated && failed_with("; run trjcat again");
    ok(good && has_text(err.text, "3 complete frames precede it"), "truncated stream: frames, then an error: %s",
       err.text);
    memcpy(changed, made, made_size);
    changed[border[2] - 1] ^= 1;
    save(changed, made_size);
    ok(read_all(&end) == 0 && end == -1 && !err.truncated &&
           failed_with("; run trjcat again, or drop the damaged parts with trjcat --salvage"),
       "damaged block: rejected: %s", err.text);
    make(0);
    ok(!read_all(&end) && end == -1 && failed_with(": contains no frames; run trjcat again"),
       "stream without frames: rejected: %s", err.text);
}

static void test_other_files(void) {
    int end;
    save(made, 0);
    ok(!read_all(&end) && end == -1 && failed_with(": is empty; check the program that writes it, and run it again"),
       "empty file: rejected: %s", err.text);
    save((const unsigned char *)"1\n\nO 0 0 0\n", 11);
    ok(!read_all(&end) && end == -1 && failed_with(": is not a frame stream; make one with trjcat FILE"),
       "trajectory of another format: rejected: %s", err.text);
    ok(trj_stream_input_open(&reader, "/nonexistent/x", &err) && err.status == TRJ_FAILED &&
           !strncmp(err.text, "/nonexistent/x: ", 16),
       "missing file: %s", err.text);
}

int main(void) {
    close(mkstemp(path));
    test_frames();
    test_incomplete();
    test_other_files();
    trj_frame_free(&frame);
    unlink(path);
    return done();
}
