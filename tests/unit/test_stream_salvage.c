// SPDX-License-Identifier: MIT
// Salvaging of frame streams: each possible damage of a small stream leaves frames of this stream, bit for bit, and the
// loss is reported exactly if the stream is damaged.
#include <unistd.h>

#include "block_salvage.h"
#include "frame_stream.h"
#include "hash.h"
#include "output.h"
#include "reader.h"
#include "tap.h"

#define STREAM_FILE "/tmp/test_stream_salvage.XXXXXX"
#include "stream_file.h"

enum { ATOMS = 2, MAX_FRAMES = 16, SOURCES = 3, FIRST_FRAMES = 4 }; // FIRST_FRAMES: number of the first FRAM block
enum { MADE_UP = 90 };                                              // headers in a block

// The blocks after the layout: S is a source, a digit is a FRAM block with that number of frames, which are of the
// newest source, but those of block 'o' are of the first one. L is an optional block that contains made-up headers.
static const char *plan = "S21S3oS12";
static uint32_t source_of[MAX_FRAMES];
static uint64_t frame_count;
static struct trj_bytes payload;

static void write_block(struct trj_block_writer *w, const char *type, bool required) {
    must(trj_block_write(w, type, required, &payload, &err));
    payload.size = 0;
}

static float coordinate(uint64_t frame, size_t i) {
    return (float)frame + (float)i / 16 + 0.1f;
}

static void put_frame(uint64_t number, uint32_t source) {
    source_of[number] = source;
    trj_put_u32(&payload, source);
    trj_put_u32(&payload, 0);
    trj_put_u64(&payload, number);
    trj_put_i64(&payload, (int64_t)number * 10);
    trj_put_f64(&payload, 0.5 * (double)number);
    trj_put_f64(&payload, 1);
    for (int i = 0; i < 9; i++) trj_put_f64(&payload, 0);
    for (size_t i = 0; i < (size_t)3 * ATOMS; i++) trj_put_f32s(&payload, &(float){coordinate(number, i)}, 1);
}

struct places {
    uint64_t count, place[MAX_FRAMES][3];
};

static void add_place(struct places *p, uint64_t first, const struct trj_block_writer *w) {
    uint64_t number = trj_block_writer_count(w), place[3] = {first, number, trj_block_writer_offset(w, number)};
    memcpy(p->place[p->count++], place, sizeof place);
}

static void write_frames(struct trj_block_writer *w, char what, uint32_t newest) {
    uint32_t frames = what == 'o' ? 1 : (uint32_t)(what - '0');
    trj_put_u32(&payload, frames);
    trj_put_u32(&payload, 0);
    for (uint32_t i = 0; i < frames; i++) put_frame(frame_count++, what == 'o' ? 0 : newest);
    write_block(w, "FRAM", true);
}

static void source_name(char name[16], uint32_t source) {
    snprintf(name, 16, "run%u.dcd", source);
}

// Writes the stream to the file and to made[].
static void make(void) {
    struct trj_output *out;
    struct trj_block_writer *w;
    struct places sources = {0}, frames = {0};
    uint32_t newest = 0;
    char name[16];
    frame_count = 0;
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&w, out, &trj_frame_stream_kind, 0, &err));
    trj_put_u64(&payload, ATOMS);
    trj_put_u64(&payload, ATOMS);
    write_block(w, "HEAD", true);
    trj_put_u32(&payload, 1);
    trj_put_text(&payload, "all");
    trj_put_u64(&payload, ATOMS);
    trj_put_u32s(&payload, (uint32_t[]){0, 1}, ATOMS);
    write_block(w, "GRPS", true);
    trj_put_u32s(&payload, (uint32_t[]){0, 0}, ATOMS);
    write_block(w, "RESI", false);
    for (const char *c = plan; *c; c++) {
        if (*c == 'L') {
            for (int i = 0; i < MADE_UP; i++) trj_put_u64s(&payload, (uint64_t[5]){0x4c4c4c4c, 0, 0, 0, 0}, 5);
            write_block(w, "LATE", false);
            continue;
        }
        add_place(*c == 'S' ? &sources : &frames, *c == 'S' ? 0 : frame_count, w);
        if (*c != 'S') {
            write_frames(w, *c, newest - 1);
            continue;
        }
        source_name(name, newest);
        trj_put_text(&payload, name);
        trj_put_u64(&payload, 1000 + newest++);
        write_block(w, "SRCE", true);
    }
    uint64_t number = trj_block_writer_count(w), offset = trj_block_writer_offset(w, number);
    for (int k = 0; k < 2; k++) {
        const struct places *p = k ? &frames : &sources;
        trj_put_u64(&payload, p->count);
        trj_put_u64s(&payload, p->place[0], 3 * p->count);
    }
    write_block(w, "INDX", false);
    trj_put_u64s(&payload, (uint64_t[]){frame_count, number + 1, number, offset}, 4);
    write_block(w, "END!", true);
    trj_block_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    load();
}

static bool frame_is(const struct trj_frame *f, const struct trj_stream_header *h) {
    char name[16];
    if (f->index >= frame_count || f->atoms != ATOMS || f->source >= h->source_count) return false;
    uint32_t source = source_of[f->index];
    source_name(name, source);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < ATOMS; i++)
            if (f->x[k][i] != coordinate(f->index, k * ATOMS + i)) return false;
    return !strcmp(h->sources[f->source].name, name) && h->sources[f->source].fingerprint == 1000 + source &&
           f->step == (int64_t)f->index * 10;
}

static int notes;

static void count_note(void *arg, const char *text) {
    (void)arg;
    (void)text;
    notes++;
}

struct result {
    bool opened, good; // good: all frames are frames of the stream, in order
    uint64_t frames;
    struct trj_losses losses;
};

// Salvages changed[0] to changed[size - 1].
static struct result salvage(size_t size) {
    struct result got = {.good = true};
    struct trj_input *in = NULL;
    struct trj_reader *r = NULL;
    struct trj_frame f = {0};
    uint64_t next = 0;
    int rc;
    save(changed, size);
    err = (struct trj_error){.status = TRJ_OK};
    if (trj_input_open(&in, path, &err) || trj_reader_open_comparing(&r, in, NULL, 0, TRJ_SALVAGE, &err)) return got;
    got.opened = true;
    while ((rc = trj_reader_read(r, &f, &err)) > 0) {
        got.good = got.good && f.index >= next && frame_is(&f, r->header);
        next = f.index + 1;
        got.frames++;
    }
    if (rc < 0) got.opened = false;
    notes = 0;
    trj_reader_losses(r, count_note, NULL, &got.losses);
    trj_reader_close(r);
    trj_frame_free(&f);
    return got;
}

// Whether a result is correct for a damaged stream. `after_layout`: the damage begins after the layout.
static bool right(const struct result *got, bool after_layout) {
    if (!got->opened) return !after_layout && err.status == TRJ_BAD_DATA;
    return got->good && got->losses.any && notes > 0 && got->frames <= frame_count &&
           (got->losses.frames_unknown || got->frames + got->losses.frames == frame_count);
}

// Counts a wrong result, and prints it.
static void judge(bool good, size_t *wrong, size_t at, const struct result *got) {
    if (good) return;
    ++*wrong;
    printf("# at %zu: opened %d, good %d, %llu frames, %llu lost: %s\n", at, got->opened, got->good,
           (unsigned long long)got->frames, (unsigned long long)got->losses.frames, err.text);
}

// Copies the stream to changed[], with `removed` bytes at `at` replaced by n bytes. Returns the new size.
static size_t replace(size_t at, size_t removed, const unsigned char *with, size_t n) {
    memcpy(changed, made, at);
    if (n) memcpy(changed + at, with, n);
    memcpy(changed + at + n, made + at + removed, made_size - at - removed);
    return made_size - removed + n;
}

static size_t block_of(size_t at) {
    size_t k = 0;
    while (k < blocks && border[k + 1] <= at) k++;
    return k;
}

// Returns how many frames are in blocks that byte `at` and n - 1 bytes after it do not touch.
static uint64_t untouched(size_t at, size_t n) {
    uint64_t count = 0;
    size_t first = block_of(at), last = n ? block_of(at + n - 1) : first;
    for (size_t k = 0; plan[k]; k++)
        if (plan[k] != 'S' && (k + FIRST_FRAMES - 1 < first || k + FIRST_FRAMES - 1 > last))
            count += plan[k] == 'o' ? 1 : (uint64_t)(plan[k] - '0');
    return count;
}

static bool is_source(size_t block) {
    return block >= FIRST_FRAMES - 1 && block < FIRST_FRAMES - 1 + strlen(plan) &&
           plan[block - FIRST_FRAMES + 1] == 'S';
}

static void test_whole(void) {
    memcpy(changed, made, made_size);
    struct result got = salvage(made_size);
    ok(got.opened && got.good && got.frames == frame_count && !got.losses.any && !notes,
       "undamaged stream: all frames, no loss");
}

static void test_truncated(void) {
    size_t wrong = 0;
    memcpy(changed, made, made_size);
    for (size_t n = 0; n < made_size; n++) {
        struct result got = salvage(n);
        bool good = right(&got, n >= border[FIRST_FRAMES + 1]);
        if (got.opened) good = good && got.frames == untouched(n, made_size - n);
        judge(good, &wrong, n, &got);
    }
    ok(!wrong, "truncated at each byte: the frames of all whole blocks");
}

static void test_flipped(void) {
    size_t wrong = 0;
    for (size_t at = 0; at < made_size; at++)
        for (int bit = 0; bit < 8; bit += 7) {
            unsigned char byte = (unsigned char)(made[at] ^ 1u << bit);
            struct result got = salvage(replace(at, 1, &byte, 1));
            bool good = right(&got, at >= border[FIRST_FRAMES]);
            // A source that is lost costs the frames that refer to it, but no others.
            if (got.opened && !is_source(block_of(at))) good = good && got.frames == untouched(at, 1);
            if (got.opened) good = good && !got.losses.frames_unknown;
            judge(good, &wrong, at, &got);
        }
    ok(!wrong, "one bit of each byte changed: the frames of all other blocks, and the number of those that are lost");
}

static void test_deleted(void) {
    static const size_t sizes[] = {1, 7, 40, 200, 500};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t wrong = 0, n = sizes[k];
        for (size_t at = 0; at + n <= made_size; at++) {
            struct result got = salvage(replace(at, n, NULL, 0));
            bool source = false;
            for (size_t b = block_of(at); b <= block_of(at + n - 1); b++) source = source || is_source(b);
            bool good = right(&got, at >= border[FIRST_FRAMES]);
            if (got.opened && !source) good = good && got.frames >= untouched(at, n);
            judge(good, &wrong, at, &got);
        }
        ok(!wrong, "%zu bytes deleted at each byte: the frames of all other blocks", n);
    }
}

static void test_inserted(void) {
    static unsigned char noise[300];
    static const size_t sizes[] = {1, 40, 300};
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (unsigned char)(i * i >> 3);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t wrong = 0;
        for (size_t at = 0; at <= made_size; at++) {
            struct result got = salvage(replace(at, 0, noise, sizes[k]));
            size_t block = block_of(at);
            bool between = at == made_size || border[block] == at;
            bool good = right(&got, at >= border[FIRST_FRAMES]);
            if (got.opened && !is_source(block))
                good = good && got.frames == (between ? frame_count : untouched(at, 1));
            judge(good, &wrong, at, &got);
        }
        ok(!wrong, "%zu bytes inserted at each byte: the frames of all other blocks", sizes[k]);
    }
}

static void test_moved(void) {
    size_t wrong = 0;
    for (size_t from = 0; from < blocks; from++)
        for (size_t to = FIRST_FRAMES + 1; to <= blocks; to++) {
            size_t n = border[from + 1] - border[from];
            struct result got = salvage(replace(border[to], 0, made + border[from], n));
            // The first of equal blocks is used. A copy that precedes its place replaces what lies between.
            bool good = right(&got, true) && (from >= to || got.frames == frame_count);
            judge(good, &wrong, border[from], &got);
        }
    ok(!wrong, "each block repeated at each later place: all frames, once");
    wrong = 0;
    for (size_t k = FIRST_FRAMES; k + 1 < blocks; k++) {
        size_t n = replace(border[k], border[k + 1] - border[k], NULL, 0);
        struct result got = salvage(n);
        bool good = right(&got, true) && (is_source(k) || got.frames == untouched(border[k], 1));
        judge(good, &wrong, border[k], &got);
    }
    ok(!wrong, "each block missing: the frames of all others");
}

static void test_joined(void) {
    size_t wrong = 0;
    for (size_t n = border[FIRST_FRAMES + 1]; n < made_size; n += 11) {
        memcpy(changed, made, n);
        memcpy(changed + n, made, made_size);
        struct result got = salvage(n + made_size);
        wrong += !right(&got, true) || got.frames != untouched(n, made_size - n);
    }
    ok(!wrong, "truncated stream with another one after it: no frame of the other one");
}

// A stream without its source blocks after damage: frames of unknown sources are not used.
static void test_lost_source(void) {
    size_t source = FIRST_FRAMES + 2; // the second one
    unsigned char byte = (unsigned char)~made[border[source] + 4];
    struct result got = salvage(replace(border[source] + 4, 1, &byte, 1));
    uint64_t of_source = 0;
    for (uint64_t i = 0; i < frame_count; i++) of_source += source_of[i] == 1;
    ok(got.opened && got.good && got.frames == frame_count - of_source && got.losses.frames == of_source,
       "damaged SRCE block: frames of other sources only");
    size_t cut = border[blocks - 2]; // without INDX and END, the number of lost sources is unknown
    got = salvage(cut);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < frame_count; i++) kept += source_of[i] == 0;
    ok(got.opened && got.good && got.frames == kept && got.losses.frames_unknown,
       "damaged SRCE block and no index: frames of sources before it only");
}

// Without the index, the header of a damaged block of frames shows that no source is lost.
static void test_damaged_frames_without_index(void) {
    size_t wrong = 0, cut = border[blocks - 2];
    for (size_t k = FIRST_FRAMES; k < blocks - 2; k++) {
        unsigned char byte = (unsigned char)~made[border[k] + 50];
        if (is_source(k)) continue;
        replace(border[k] + 50, 1, &byte, 1);
        struct result got = salvage(cut);
        bool good = got.opened && got.good && got.frames == untouched(border[k], 1) && got.losses.any;
        judge(good, &wrong, border[k], &got);
    }
    ok(!wrong, "damaged block of frames and no index: the frames of all other blocks");
}

// A malicious file: headers with valid checksums and large sizes every 40 bytes.
static void test_malicious(void) {
    static struct trj_bytes b;
    enum { COUNT = 20000 };
    b.size = 0;
    trj_put_raw(&b, made, border[FIRST_FRAMES + 1]);
    for (uint64_t i = 0; i < COUNT; i++) {
        size_t start = b.size;
        trj_put_raw(&b, "FRAM\1\0\0\0", 8);
        trj_put_u64(&b, 40 * (COUNT - 1 - i));
        trj_put_u64(&b, 40 * (COUNT - 1 - i));
        trj_put_u64(&b, 0);
        trj_put_u64(&b, trj_hash(b.data + start, 32, FIRST_FRAMES + 1 + i % 50));
    }
    if (b.failed || b.size > sizeof changed) abort();
    memcpy(changed, b.data, b.size);
    struct result got = salvage(b.size);
    ok(got.good && got.frames <= 2,
       "headers with valid checksums at every 40 bytes: rejected or ignored in limited time");
    trj_bytes_free(&b);
}

// Each damaged block contains headers for which a search tries many numbers. One search is fast, all of them are not.
static void test_many_searches(void) {
    plan = "S1L1L1L1L1L1L1L1L1L1L1L1L1";
    make();
    memcpy(changed, made, made_size);
    for (size_t k = FIRST_FRAMES + 1; k < blocks - 2; k += 2) changed[border[k] + 32] ^= 1;
    struct result got = salvage(border[blocks - 2]);
    ok(!got.opened && got.good && got.frames >= 1 && strstr(err.text, "too many bytes resemble blocks"),
       "many damaged blocks with made-up headers: the time of all searches is limited");
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    make();
    if (strncmp((char *)made + border[FIRST_FRAMES], "FRAM", 4) != 0) abort();
    test_whole();
    test_truncated();
    test_flipped();
    test_deleted();
    test_inserted();
    test_moved();
    test_joined();
    test_lost_source();
    test_damaged_frames_without_index();
    test_malicious();
    test_many_searches();
    unlink(path);
    trj_bytes_free(&payload);
    return done();
}
