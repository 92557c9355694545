// SPDX-License-Identifier: MIT
// Times the compression of coordinates on one thread: `time_codec FILE...`. With --level, as chunks of a frame stream;
// otherwise with the coder of float32 coordinates alone. Prints one line of tab-separated
// columns for each file, with the least CPU times of several rounds.
//
//     1 frames   2 atoms   3 bytes per atom   4, 5 1e6 atoms a second: compressed, decompressed   6 file
//
// Frames are compressed in chunks of --chunk frames. The decompressed numbers are compared with the original ones.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chunk.h"
#include "floats.h"
#include "memory.h"
#include "reader.h"
#include "tool.h"

static uint64_t rounds = 5, chunk = 16, frames_max = 64, atoms, level;

static const struct trj_option options[] = {
    {TRJ_OPTION(0, "rounds", COUNT, &rounds, "N", "how often each chunk is compressed"), .min = 1, .max = 1 << 20},
    {TRJ_OPTION(0, "chunk", COUNT, &chunk, "N", "frames of a chunk"), .min = 1, .max = 1 << 16},
    {TRJ_OPTION(0, "frames", COUNT, &frames_max, "N", "use at most N frames of each file"), .min = 1, .max = 1 << 20},
    {TRJ_OPTION(0, "atoms", COUNT, &atoms, "N", "atoms that the files have, for formats that do not state it"),
     .max = UINT32_MAX},
    {TRJ_OPTION(0, "level", COUNT, &level, "N", "of trjcat -z"), .max = TRJ_CODEC_LEVEL_MAX},
    TRJ_OPTION_END};
static const struct trj_tool tool = {.name = "time_codec",
                                     .purpose = "time the compression of coordinates; see tests/bench/time_codec.c",
                                     .operands = "FILE...",
                                     .min_operands = 1,
                                     .max_operands = SIZE_MAX,
                                     .options = options};

static double cpu_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct total {
    double encode, decode, bytes; // seconds of the best rounds, and compressed bytes
};

// x: [3 * frames] pointers into one array.
static int encode(struct trj_bytes *out, float *const *x, size_t frames, size_t n, struct trj_error *err) {
    const struct trj_codec_frames in = {.frames = frames, .atoms = n, .unit = 1, .x = x[0]};
    if (level) return trj_codec_encode(out, &in, (int)level, err);
    return trj_codec_floats_encode(out, (const float *const *)x, frames, n, err);
}

static int decode(const struct trj_bytes *b, float *const *x, size_t frames, size_t n, struct trj_error *err) {
    struct trj_cursor from = {.data = b->data, .size = b->size};
    struct trj_codec_decoder *d = NULL;
    struct trj_codec_floats *floats = NULL;
    int rc = level ? trj_codec_decoder_open(&d, b->data, b->size, frames, n, err)
                   : trj_codec_floats_open(&floats, &from, frames, n, err);
    for (size_t f = 0; !rc && f < frames; f++)
        rc = level ? trj_codec_decode(d, x + 3 * f, err) : trj_codec_floats_next(floats, x + 3 * f, err);
    trj_codec_decoder_close(d);
    trj_codec_floats_close(floats);
    return rc;
}

static int time_chunk(float *const *x, size_t frames, size_t n, struct total *total, struct trj_error *err) {
    double encoding = 0, decoding = 0;
    float **back = trj_alloc(3 * frames, sizeof *back, "pointers", err);
    float *numbers = trj_alloc(3 * frames, n * sizeof *numbers, "numbers", err);
    struct trj_bytes out = {0};
    int rc = back && numbers ? 0 : -1;
    for (size_t i = 0; !rc && i < 3 * frames; i++) back[i] = numbers + i * n;
    for (uint64_t k = 0; !rc && k < rounds; k++) {
        out.size = 0;
        double start = cpu_time();
        rc = encode(&out, x, frames, n, err);
        double middle = cpu_time();
        if (!rc) rc = decode(&out, back, frames, n, err);
        double end = cpu_time();
        if (!k || middle - start < encoding) encoding = middle - start;
        if (!k || end - middle < decoding) decoding = end - middle;
    }
    for (size_t i = 0; !rc && i < 3 * frames; i++)
        if (memcmp(x[i], back[i], n * sizeof *numbers)) rc = trj_fail(err, TRJ_FAILED, "decompressed numbers differ");
    total->encode += encoding;
    total->decode += decoding;
    total->bytes += (double)out.size;
    trj_bytes_free(&out);
    free(back);
    free(numbers);
    return rc;
}

static int time_file(const char *path, struct trj_error *err) {
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    struct total total = {0};
    double frames = 0;
    float **x = NULL, *numbers = NULL;
    int got = trj_reader_open_as(&r, path, NULL, atoms, err);
    size_t n = got ? 0 : r->atoms;
    if (!got && (!(x = trj_alloc(3 * chunk, sizeof *x, "pointers", err)) ||
                 !(numbers = trj_alloc(3 * chunk, n * sizeof *numbers, "numbers", err))))
        got = -1;
    for (size_t i = 0; !got && i < 3 * chunk; i++) x[i] = numbers + i * n;
    for (size_t held = 0; got >= 0;) {
        got = frames < (double)frames_max ? trj_reader_read(r, &f, err) : 0;
        for (size_t c = 0; got > 0 && c < 3; c++) memcpy(x[3 * held + c], f.x[c], n * sizeof **x);
        held += got > 0;
        frames += got > 0;
        if (held == chunk || (!got && held)) {
            if (time_chunk(x, held, n, &total, err)) got = -1;
            held = 0;
        }
        if (got <= 0) break;
    }
    if (!got)
        printf("%.0f\t%zu\t%.3f\t%.1f\t%.1f\t%s\n", frames, n, total.bytes / frames / (double)n,
               1e-6 * frames * (double)n / total.encode, 1e-6 * frames * (double)n / total.decode, path);
    free(x);
    free(numbers);
    trj_frame_free(&f);
    trj_reader_close(r);
    return got;
}

int main(int argc, char **argv) {
    struct trj_error err;
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (!rc) return 0;
    for (int i = first; i < argc && rc > 0; i++)
        if (time_file(argv[i], &err)) rc = -1;
    return rc < 0 ? trj_tool_fail(&err) : fflush(stdout) != 0;
}
