// SPDX-License-Identifier: MIT
// Tests of the container of all streams: round trips, truncated, damaged, reordered and malicious streams.
#include <sys/resource.h>
#include <unistd.h>

#include "block_stream.h"
#include "hash.h"
#include "memory.h"
#include "tap.h"

static const struct trj_stream_kind kind = {"test stream", {0x89, 'T', 'S', 'T', '\r', '\n', 0x1a, '\n'}, 3, 1};
static struct trj_error err;
static char path[] = "/tmp/test_block_stream.XXXXXX";

enum { MAX = 1 << 22, BLOCKS = 7 };
static unsigned char made[MAX], changed[MAX];
static size_t made_size;
static uint64_t border[BLOCKS + 1]; // offsets of the blocks; the last one is the end of the stream

// Block sizes: nothing, one byte, around the size from which on blocks are compressed, and more than one read of a
// pipe.
static const size_t sizes[BLOCKS] = {16, 0, 1, TRJ_BLOCK_MIN_COMPRESSED - 1, TRJ_BLOCK_MIN_COMPRESSED, 700, 300000};
static const char types[BLOCKS][5] = {"HEAD", "NONE", "ONE ", "less", "full", "wild", "much"};

// The payload of block k. It is compressible, except that of block 5.
static unsigned char content(int k, size_t i) {
    uint64_t noise = (i + 1) * 0x9e3779b97f4a7c15u;
    return (unsigned char)(k == 5 ? (noise >> 33) * noise >> 56 : i / 7 % 5 + (size_t)k);
}

static void save(const unsigned char *data, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
}

static void load(void) {
    FILE *f = fopen(path, "rb");
    if (!f) abort();
    made_size = fread(made, 1, sizeof made, f);
    fclose(f);
}

static void must(int rc) {
    if (!rc) return;
    printf("# %s\n", err.text);
    abort();
}

// Writes the first `blocks` blocks into the file and into made[].
static void make(int level, int blocks) {
    struct trj_output *out;
    struct trj_block_writer *w;
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&w, out, &kind, level, &err));
    for (int k = 0; k < blocks; k++) {
        struct trj_bytes b = {0};
        for (size_t i = 0; i < sizes[k]; i++) trj_put_raw(&b, &(unsigned char){content(k, i)}, 1);
        border[k] = trj_block_writer_offset(w, (uint64_t)k);
        if (trj_block_writer_count(w) != (uint64_t)k) abort();
        must(trj_block_write(w, types[k], k % 2, &b, &err));
        trj_bytes_free(&b);
    }
    border[blocks] = trj_block_writer_offset(w, (uint64_t)blocks);
    trj_block_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    load();
    if (made_size != border[blocks]) abort();
}

static bool block_is(const struct trj_block *b, int k) {
    bool good = !strcmp(b->type, types[k]) && b->required == k % 2 && b->offset == border[k] &&
                b->payload.size == sizes[k] && b->payload.offset == 0 && !b->payload.failed;
    for (size_t i = 0; good && i < sizes[k]; i++) good = b->payload.data[i] == content(k, i);
    return good;
}

// Reads and unpacks the next block. Returns 1, 0 at the end, or -1.
static int read_block(struct trj_block_reader *r, struct trj_block *b) {
    int rc = trj_block_next(r, b, &err);
    return rc > 0 && trj_block_load(r, b, UINT64_MAX, &err) ? -1 : rc;
}

// Reads the file and returns the number of blocks that equal the written ones. *end is the last return value, 0 or -1.
static int read_all(int *end, bool *good) {
    struct trj_input *in;
    struct trj_block_reader *r;
    struct trj_block b;
    int n = 0;
    err = (struct trj_error){0};
    must(trj_input_open(&in, path, &err));
    *end = trj_block_reader_open(&r, in, &kind, &err);
    if (!*end) {
        while ((*end = read_block(r, &b)) > 0) {
            *good = *good && n < BLOCKS && block_is(&b, n);
            n++;
        }
        trj_block_reader_close(r);
    }
    trj_input_close(in);
    return n;
}

// Checks that reading the file fails with a message that contains `word`.
static void rejects(const char *what, const char *word) {
    int end;
    bool good = true;
    read_all(&end, &good);
    ok(end == -1 && good && err.status == TRJ_BAD_DATA && has_text(err.text, word), "%s: %s", what, err.text);
}

static void check_whole(int level) {
    int end;
    bool good = true;
    make(level, BLOCKS);
    int n = read_all(&end, &good);
    ok(end == 0 && good && n == BLOCKS, "level %d: %d blocks are read as written", level, n);
    size_t plain = TRJ_STREAM_HEADER;
    for (int k = 0; k < BLOCKS; k++) plain += TRJ_BLOCK_HEADER + sizes[k];
    ok(level ? made_size < plain - 200000 : made_size == plain, "level %d: %zu bytes of %zu", level, made_size, plain);
    good = true;
    for (int k = 0; k < BLOCKS; k++) { // payloads that are small or incompressible are stored raw
        bool compressed = made[border[k] + 4] & TRJ_BLOCK_ZSTD;
        good = good && compressed == (level && sizes[k] >= TRJ_BLOCK_MIN_COMPRESSED && k != 5);
    }
    ok(good, "level %d: large, compressible payloads are compressed, and no others", level);

    struct trj_input *in;
    struct trj_block_reader *r;
    struct trj_block b;
    must(trj_input_open(&in, path, &err));
    must(trj_block_reader_open(&r, in, &kind, &err));
    good = true;
    for (int i = 0; i < 30; i++) {
        int k = i * 5 % BLOCKS;
        good = good && !trj_block_reader_seek(r, (uint64_t)k, border[k], &err) && read_block(r, &b) == 1 &&
               block_is(&b, k);
    }
    ok(good && trj_block_reader_start(r) == 0, "level %d: blocks are read in any order after seeking", level);
    ok(!trj_block_reader_seek(r, 1, border[2], &err) && read_block(r, &b) == -1 && has_text(err.text, "out of place"),
       "level %d: seeking with a wrong block number: %s", level, err.text);
    trj_block_reader_close(r);
    trj_input_close(in);
}

static void check_golden(void) {
    ok(trj_hash("", 0, 0) == 0x2d06800538d394c2u, "XXH3-64 of no bytes: the published value");
    ok(trj_hash("abc", 3, 0) == 0x78af5f94892f3950u, "XXH3-64 of abc: the published value");
    make(0, 3);
    static const unsigned char head[] = {0x89, 'T', 'S', 'T', '\r', '\n', 0x1a, '\n', 3, 0, 1, 0, 0, 0, 0, 0};
    uint64_t check = 0, seeded = 0;
    for (int i = 8; i--;) check = check << 8 | made[16 + i];
    for (int i = 8; i--;) seeded = seeded << 8 | made[border[2] + 32 + (unsigned)i];
    ok(!memcmp(made, head, sizeof head) && check == trj_hash(head, sizeof head, 0), "file header");
    static const unsigned char block[] = {'O', 'N', 'E', ' ', 0, 0, 0, 0, 1, 0, 0, 0,
                                          0,   0,   0,   0,   1, 0, 0, 0, 0, 0, 0, 0};
    ok(!memcmp(made + border[2], block, sizeof block) && seeded == trj_hash(made + border[2], 32, 2) &&
           made[border[2] + 40] == content(2, 0),
       "block header: its checksum is seeded with the number of the block");
}

static void check_cuts(int level) {
    int blocks = 6;
    bool good = true;
    make(level, blocks);
    for (size_t cut = made_size; cut--;) {
        int end, whole = 0;
        bool same = true;
        while (whole < blocks && border[whole + 1] <= cut) whole++;
        if (truncate(path, (off_t)cut)) abort();
        int n = read_all(&end, &same);
        bool at_border = cut >= TRJ_STREAM_HEADER && cut == border[whole];
        char byte[48];
        snprintf(byte, sizeof byte, "byte %zu: truncated", cut);
        if (same && n == whole && end == (at_border ? 0 : -1) &&
            (at_border || (err.status == TRJ_BAD_DATA && has_text(err.text, byte))))
            continue;
        printf("# cut at %zu: %d blocks, then %d %s\n", cut, n, end, err.text);
        good = false;
    }
    ok(good, "level %d: truncated at each of %zu bytes", level, made_size);
}

static void check_flips(int level) {
    static const unsigned char patterns[] = {0x01, 0x80, 0xff};
    bool good = true;
    make(level, 6);
    FILE *f = fopen(path, "r+b");
    for (size_t i = 0; i < made_size; i++)
        for (size_t p = 0; p <= sizeof patterns; p++) {
            int end, wrong = p < sizeof patterns ? made[i] ^ patterns[p] : made[i];
            bool same = true;
            if (fseek(f, (long)i, SEEK_SET) || fputc(wrong, f) == EOF || fflush(f)) abort();
            if (p == sizeof patterns) break;
            read_all(&end, &same);
            if (same && end == -1 && err.status == TRJ_BAD_DATA) continue;
            printf("# byte %zu, pattern %02x: %d %s\n", i, patterns[p], end, err.text);
            good = false;
        }
    fclose(f);
    ok(good, "level %d: each of %zu bytes damaged in %zu ways", level, made_size, sizeof patterns);
}

static size_t append(size_t at, int k) {
    size_t n = (size_t)(border[k + 1] - border[k]);
    memcpy(changed + at, made + border[k], n);
    return at + n;
}

static void check_places(void) {
    enum { N = 5 };
    make(0, N);
    int bad = 0, tried = 0;
    memcpy(changed, made, TRJ_STREAM_HEADER);
    for (int way = 0; way < 3; way++)
        for (int i = 0; i < N; i++)
            for (int j = i; j < N; j++) {
                size_t at = TRJ_STREAM_HEADER;
                // Blocks i to j are removed, or repeated after j, or blocks i and j are exchanged.
                if (way == 2 && i == j) continue;
                for (int k = 0; k < N; k++) {
                    if (way == 0 && k >= i && k <= j) continue;
                    at = append(at, way != 2 ? k : k == i ? j : k == j ? i : k);
                    for (int m = i; way == 1 && k == j && m <= j; m++) at = append(at, m);
                }
                int end;
                bool same = true;
                save(changed, at);
                int n = read_all(&end, &same);
                // The container does not detect blocks that are missing at the end. The totals of the END block do.
                bool hidden = way == 0 && j == N - 1;
                tried++;
                if (same && (hidden ? end == 0 && n == i : end == -1 && has_text(err.text, "out of place"))) continue;
                printf("# way %d, %d to %d: %d blocks, %d %s\n", way, i, j, n, end, err.text);
                bad++;
            }
    ok(!bad && tried == 40, "blocks removed, repeated or exchanged are detected: %d cases", tried);
}

// Writes a stream of one block with this header and correct checksums.
static void craft(uint32_t flags, uint64_t stored, uint64_t raw, const void *payload, size_t n) {
    struct trj_bytes b = {0};
    trj_put_raw(&b, made, TRJ_STREAM_HEADER);
    trj_put_raw(&b, "EVIL", 4);
    trj_put_u32(&b, flags);
    trj_put_u64(&b, stored);
    trj_put_u64(&b, raw);
    trj_put_u64(&b, trj_hash(payload, n, 0));
    trj_put_u64(&b, trj_hash(b.data + TRJ_STREAM_HEADER, 32, 0));
    trj_put_raw(&b, payload, n);
    save(b.data, b.size);
    trj_bytes_free(&b);
}

// Memory is limited, so that a reader that allocates the size in a header before the data arrive runs out of memory.
static void check_hostile(void) {
    static const unsigned char text[64] = "four score";
    struct rlimit limit, old;
    make(0, 1);
    getrlimit(RLIMIT_AS, &old);
    limit = old;
    limit.rlim_cur = 400u << 20;
    if (!SANITIZED && setrlimit(RLIMIT_AS, &limit)) printf("# no limit on memory\n");
    for (int bits = 20; bits < 64; bits += 7) {
        uint64_t size = (uint64_t)1 << bits;
        char what[64];
        craft(0, size, size, text, sizeof text);
        snprintf(what, sizeof what, "stored size 2^%d", bits);
        rejects(what, "truncated in block 0 (EVIL)");
        craft(TRJ_BLOCK_ZSTD, sizeof text, size, text, sizeof text);
        snprintf(what, sizeof what, "raw size 2^%d", bits);
        rejects(what, "zstd data");
    }
    craft(0, UINT64_MAX, UINT64_MAX, text, sizeof text);
    rejects("stored size 2^64 - 1", "truncated in block 0");
    craft(TRJ_BLOCK_ZSTD, sizeof text, UINT64_MAX, text, sizeof text);
    rejects("raw size 2^64 - 1", "zstd data");
    setrlimit(RLIMIT_AS, &old);
    craft(0, sizeof text, sizeof text - 1, text, sizeof text);
    rejects("sizes of a raw block", "the sizes in its header differ");
    for (uint32_t flag = 4; flag; flag <<= 1) {
        int end;
        bool good = true;
        craft(flag, sizeof text, sizeof text, text, sizeof text);
        read_all(&end, &good);
        if (end != -1 || !has_text(err.text, "in a way that this version does not support; use a newer trjpipe")) {
            ok(false, "flag %x: %s", flag, err.text);
            return;
        }
    }
    ok(true, "each unknown flag is rejected");
    // A valid zstd frame whose size is not that of the block header.
    make(1, 5);
    size_t n = (size_t)(border[5] - border[4]) - TRJ_BLOCK_HEADER;
    memcpy(changed, made + border[4] + TRJ_BLOCK_HEADER, n);
    craft(TRJ_BLOCK_ZSTD, n, sizes[4] + 1, changed, n);
    rejects("fewer bytes than the header gives", "do not unpack to");
    craft(TRJ_BLOCK_ZSTD, n, sizes[4] - 1, changed, n);
    rejects("more bytes than the header gives", "do not unpack to");
    craft(TRJ_BLOCK_ZSTD, n, 0, changed, n);
    rejects("no bytes according to the header", "do not unpack to");
    craft(TRJ_BLOCK_ZSTD, 0, 0, changed, 0);
    int end;
    bool good = true;
    read_all(&end, &good);
    ok(end == 0, "an empty payload that was compressed is read");
}

// Opens the file and reads the header of its first block.
static void open_first(struct trj_input **in, struct trj_block_reader **r, struct trj_block *b) {
    must(trj_input_open(in, path, &err));
    must(trj_block_reader_open(r, *in, &kind, &err));
    if (trj_block_next(*r, b, &err) != 1) abort();
}

static void close_both(struct trj_input *in, struct trj_block_reader *r) {
    trj_block_reader_close(r);
    trj_input_close(in);
}

static void check_maximum(int level) {
    struct trj_input *in;
    struct trj_block_reader *r;
    struct trj_block b;
    make(level, 1);
    open_first(&in, &r, &b);
    ok(b.raw == sizes[0] && trj_block_load(r, &b, sizes[0], &err) == 0 && block_is(&b, 0),
       "level %d: a payload of the largest size allowed is loaded", level);
    close_both(in, r);
    open_first(&in, &r, &b);
    ok(trj_block_load(r, &b, sizes[0] - 1, &err) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "at most 15 are allowed"),
       "level %d: a payload of one byte more is rejected: %s", level, err.text);
    close_both(in, r);
}

static void check_skip(int level) {
    struct trj_input *in;
    struct trj_block_reader *r;
    struct trj_block b;
    int end = 1, n = 0;
    make(level, BLOCKS);
    open_first(&in, &r, &b);
    do end = trj_block_skip(r, &b, &err) ? -1 : trj_block_next(r, &b, &err);
    while (n++, end > 0);
    ok(end == 0 && n == BLOCKS, "level %d: all blocks are skipped", level);
    close_both(in, r);
    bool good = true;
    for (int k = 0; k < BLOCKS; k++) {
        if (!sizes[k]) continue;
        memcpy(changed, made, made_size);
        changed[border[k + 1] - 1] ^= 1;
        save(changed, made_size);
        open_first(&in, &r, &b);
        for (int i = 0; i < k; i++) good = good && !trj_block_skip(r, &b, &err) && trj_block_next(r, &b, &err) == 1;
        good = good && trj_block_skip(r, &b, &err) == -1 && has_text(err.text, "checksum mismatch");
        close_both(in, r);
    }
    ok(good, "level %d: the checksum of a skipped block is verified", level);
}

// 64 MB of zeros compress to a few kB, which is more than a reader accepts.
static void check_ratio(void) {
    enum { LARGE = 1 << 26 };
    struct trj_output *out;
    struct trj_block_writer *w;
    struct trj_input *in;
    struct trj_block_reader *r;
    struct trj_block b;
    struct trj_bytes zeros = {.data = trj_alloc(LARGE, 1, "zeros", &err), .size = LARGE, .capacity = LARGE};
    if (!zeros.data) abort();
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&w, out, &kind, 1, &err));
    must(trj_block_write(w, "much", true, &zeros, &err));
    trj_block_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    trj_bytes_free(&zeros);
    open_first(&in, &r, &b);
    ok(!b.compressed && b.raw == LARGE && !trj_block_load(r, &b, LARGE, &err),
       "a payload that shrinks by more than readers accept is stored raw");
    close_both(in, r);
    static const unsigned char text[1000] = "four score";
    uint64_t max = TRJ_BLOCK_ALWAYS_ALLOWED + TRJ_BLOCK_MAX_RATIO * sizeof text;
    craft(TRJ_BLOCK_ZSTD, sizeof text, max + 1, text, sizeof text);
    rejects("a size above the largest ratio", "over 1024 times as many");
    craft(TRJ_BLOCK_ZSTD, sizeof text, max, text, sizeof text);
    rejects("a size at the largest ratio", "do not unpack to");
    make(0, 1);
    craft(TRJ_BLOCK_ZSTD, sizeof text * 3, 1900, text, sizeof text);
    rejects("more bytes of zstd data than raw ones", "for only 1900");
}

static void with_version(unsigned major, unsigned minor, uint32_t reserved) {
    struct trj_bytes b = {0};
    trj_put_raw(&b, made, 8);
    trj_put_u32(&b, major | minor << 16);
    trj_put_u32(&b, reserved);
    trj_put_u64(&b, trj_hash(b.data, 16, 0));
    trj_put_raw(&b, made + TRJ_STREAM_HEADER, made_size - TRJ_STREAM_HEADER);
    save(b.data, b.size);
    trj_bytes_free(&b);
}

static void check_versions(void) {
    int end;
    bool good = true;
    make(0, 4);
    with_version(3, 65535, 0xffffffff);
    int n = read_all(&end, &good);
    ok(end == 0 && good && n == 4, "newer minor version, and a reserved field in use: read");
    with_version(3, 0, 0);
    n = read_all(&end, &good);
    ok(end == 0 && good && n == 4, "older minor version: read");
    with_version(4, 1, 0);
    rejects("a newer major version", "of version 4, but this program reads version 3; use the trjpipe that wrote it");
    with_version(2, 1, 0);
    rejects("an older major version", "of version 2");
    memcpy(changed, made, made_size);
    changed[1] = 'D';
    save(changed, made_size);
    rejects("another kind", "is not a trjpipe test stream");
    ok(trj_stream_is(made, 8, &kind) && !trj_stream_is(made, 7, &kind) && !trj_stream_is(changed, 8, &kind),
       "the kind is detected from the first eight bytes");
}

// Writes blocks of many sizes with `threads` threads to the file and to made[]. *correct_offsets: the writer reports
// the offsets of the file.
static void make_many(int level, unsigned threads, bool *correct_offsets) {
    enum { MANY = 300 };
    struct trj_output *out;
    struct trj_block_writer *w;
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&w, out, &kind, level, &err));
    must(trj_block_writer_threads(w, threads, &err));
    for (int k = 0; k < MANY; k++) {
        struct trj_bytes b = {0};
        size_t n = (size_t)(k % 17) * 900;
        for (size_t i = 0; i < n; i++) trj_put_raw(&b, &(unsigned char){content(k % 11, i)}, 1);
        if (trj_block_writer_count(w) != (uint64_t)k) abort();
        must(trj_block_write(w, types[k % BLOCKS], k % 2, &b, &err));
        trj_bytes_free(&b);
    }
    must(trj_block_writer_flush(w, &err));
    uint64_t last = trj_block_writer_offset(w, MANY - 1), end = trj_block_writer_offset(w, MANY);
    trj_block_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    load();
    *correct_offsets = end == made_size && !memcmp(made + last, types[(MANY - 1) % BLOCKS], 4);
}

static void check_threads(int level) {
    static const unsigned threads[] = {1, 2, 3, 8};
    bool correct, good;
    make_many(level, 1, &correct);
    size_t size = made_size;
    memcpy(changed, made, size);
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        make_many(level, threads[k], &correct);
        good = correct && made_size == size && !memcmp(changed, made, size);
        ok(good, "level %d, %u threads: the same bytes as with one", level, threads[k]);
    }
}

// An error of the output is reported by the flush at the latest.
static void check_full_disk_by_threads(void) {
    struct trj_output *out;
    struct trj_block_writer *w;
    struct trj_bytes b = {0};
    int rc = 0;
    if (access("/dev/full", W_OK)) {
        skip("a full disk, by threads", "no /dev/full");
        return;
    }
    must(trj_output_open(&out, "/dev/full", TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&w, out, &kind, 1, &err));
    must(trj_block_writer_threads(w, 3, &err));
    uint64_t noise = 1;
    for (int i = 0; i < 100000; i++) trj_put_u64(&b, noise = noise * 0x9e3779b97f4a7c15u + 1);
    for (int k = 0; k < 9 && !rc; k++) rc = trj_block_write(w, "much", true, &b, &err);
    if (!rc) rc = trj_block_writer_flush(w, &err);
    ok(rc == -1 && has_text(err.text, "/dev/full"), "full disk, with threads: %s", err.text);
    trj_bytes_free(&b);
    trj_block_writer_close(w);
    trj_output_close(out);
}

static void check_full_disk(void) {
    struct trj_output *out;
    struct trj_block_writer *w;
    struct trj_bytes b = {0};
    if (access("/dev/full", W_OK)) {
        skip("a full disk", "no /dev/full");
        return;
    }
    must(trj_output_open(&out, "/dev/full", TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&w, out, &kind, 0, &err));
    for (int i = 0; i < 100000; i++) trj_put_u32(&b, 1);
    ok(trj_block_write(w, "much", true, &b, &err) == -1 && err.status == TRJ_FAILED && has_text(err.text, "/dev/full"),
       "full disk: %s", err.text);
    b.failed = true;
    ok(trj_block_write(w, "much", true, &b, &err) == -1 && has_text(err.text, "memory"),
       "a payload with a failed allocation is an error");
    trj_bytes_free(&b);
    trj_block_writer_close(w);
    trj_block_writer_close(NULL);
    trj_block_reader_close(NULL);
    trj_output_close(out);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) abort();
    close(fd);
    for (int level = 0; level <= 19; level += level ? 9 : 1) check_whole(level);
    check_golden();
    check_cuts(0);
    check_cuts(3);
    check_flips(0);
    check_flips(3);
    check_places();
    check_versions();
    check_hostile();
    check_maximum(0);
    check_maximum(3);
    check_skip(0);
    check_skip(3);
    check_ratio();
    check_full_disk();
    check_full_disk_by_threads();
    for (int level = 0; level <= 3; level += 3) check_threads(level);
    unlink(path);
    return done();
}
