// SPDX-License-Identifier: MIT
// Tests compressed input: gzip, bzip2 and xz (if this build has their libraries) and zstd, as files and through pipes;
// whole, truncated at every byte, with every bit changed, and followed by other data. For changed bits and other data,
// the sanitizers detect errors.
#include "unpack.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>
#ifdef TRJPIPE_ZLIB
#include <zlib.h>
#endif
#ifdef TRJPIPE_BZIP2
#include <bzlib.h>
#endif
#ifdef TRJPIPE_XZ
#include <lzma.h>
#endif

#include "input.h"
#include "tap.h"

enum { SIZE = 1500001, SMALL = 300, ROOM = 2 * SIZE };

static struct trj_error err;
static char folder[] = "/tmp/trjpipe-unpack-XXXXXX", path[64];
static unsigned char plain[SIZE], compressed[ROOM], changed[ROOM], got_data[SIZE];
static uint64_t random_state = 1;

static uint64_t next_random(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 33;
}

static void must(bool good) {
    if (!good) abort();
}

// Compresses one member. Returns its size.
typedef size_t pack(const unsigned char *data, size_t n, unsigned char *to);

#ifdef TRJPIPE_ZLIB
static size_t compress_gzip(const unsigned char *data, size_t n, unsigned char *to) {
    z_stream z = {0};
    must(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    memcpy(changed, data, n); // next_in is not const
    z.next_in = changed;
    z.avail_in = (unsigned)n;
    z.next_out = to;
    z.avail_out = ROOM / 2;
    must(deflate(&z, Z_FINISH) == Z_STREAM_END);
    size_t size = ROOM / 2 - z.avail_out;
    deflateEnd(&z);
    return size;
}
#else
#define compress_gzip NULL
#endif

#ifdef TRJPIPE_BZIP2
static size_t compress_bzip2(const unsigned char *data, size_t n, unsigned char *to) {
    unsigned size = ROOM / 2;
    memcpy(changed, data, n); // the source is not const
    must(BZ2_bzBuffToBuffCompress((char *)to, &size, (char *)changed, (unsigned)n, 1, 0, 0) == BZ_OK);
    return size;
}
#else
#define compress_bzip2 NULL
#endif

#ifdef TRJPIPE_XZ
static size_t compress_xz_with(uint32_t preset, const unsigned char *data, size_t n, unsigned char *to) {
    size_t size = 0;
    must(lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC64, NULL, data, n, to, &size, ROOM / 2) == LZMA_OK);
    return size;
}

static size_t compress_xz(const unsigned char *data, size_t n, unsigned char *to) {
    return compress_xz_with(0, data, n, to);
}
#else
#define compress_xz NULL
#endif

static size_t compress_zstd(const unsigned char *data, size_t n, unsigned char *to) {
    ZSTD_CCtx *c = ZSTD_createCCtx();
    must(c && !ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1)));
    size_t size = ZSTD_compress2(c, to, ROOM / 2, data, n);
    must(!ZSTD_isError(size));
    ZSTD_freeCCtx(c);
    return size;
}

static void save(const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    must(f && fwrite(data, 1, n, f) == n && !fclose(f));
}

// Opens the saved file; `piped`: through a pipe to which the process *child writes.
static int open_saved(struct trj_input **in, bool piped, pid_t *child) {
    int fds[2];
    char name[32];
    *child = 0;
    if (!piped) return trj_input_open(in, path, &err);
    fflush(stdout);
    must(!pipe(fds));
    if (!(*child = fork())) {
        static unsigned char chunk[5000];
        int from = open(path, O_RDONLY);
        ssize_t n;
        close(fds[0]);
        while ((n = read(from, chunk, sizeof chunk)) > 0)
            if (write(fds[1], chunk, (size_t)n) != n) break;
        _exit(0);
    }
    close(fds[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", fds[0]);
    int rc = trj_input_open(in, name, &err);
    close(fds[0]);
    return rc;
}

static void close_saved(struct trj_input *in, pid_t child) {
    trj_input_close(in);
    if (child) waitpid(child, NULL, 0);
}

// Reads all unpacked data with random calls of peek, read and skip.
static void check_random(bool piped, const char *name) {
    pid_t child;
    struct trj_input *in = NULL;
    uint64_t size;
    size_t at = 0, got;
    const unsigned char *head;
    bool good = !open_saved(&in, piped, &child) && !trj_input_size(in, &size);
    while (good && at < SIZE) {
        size_t n = (size_t)(next_random() % (next_random() % 3 ? 300 : 200000)), left = SIZE - at;
        size_t there = n < left ? n : left;
        switch (next_random() % 3) {
        case 0:
            if (there > TRJ_INPUT_PEEK) there = TRJ_INPUT_PEEK;
            good = !trj_input_peek(in, &head, n, &got, &err) && got == there && !memcmp(head, plain + at, got);
            there = 0;
            break;
        case 1:
            good =
                !trj_input_read_some(in, got_data, n, &got, &err) && got == there && !memcmp(got_data, plain + at, got);
            break;
        default:
            good = !trj_input_skip(in, there, "x", &err);
        }
        at += there;
        good = good && trj_input_offset(in) == at;
    }
    good = good && !trj_input_read_some(in, got_data, 10, &got, &err) && !got &&
           trj_input_read(in, got_data, 1, "a thing", &err) == -1 && err.status == TRJ_BAD_DATA;
    ok(good && has_text(err.text, "byte 1500001: truncated in a thing"), "%s%s: random calls of peek, read and skip",
       name, piped ? ", piped" : "");
    if (in) close_saved(in, child);
}

// Saves n bytes of `data` and reads them. Returns whether this succeeds. *count is the number of unpacked bytes read.
static bool read_all(const void *data, size_t n, size_t *count) {
    struct trj_input *in;
    pid_t child;
    size_t got = 0;
    save(data, n);
    *count = 0;
    if (open_saved(&in, false, &child)) return false;
    int rc;
    while (!(rc = trj_input_read_some(in, got_data + *count, 1, &got, &err)) && got) ++*count;
    trj_input_close(in);
    return rc == 0;
}

static void check_cuts(size_t n, size_t border, const char *name) {
    bool good = true;
    size_t count;
    for (size_t cut = TRJ_UNPACK_HEAD; cut < n && good; cut++) {
        char byte[64];
        snprintf(byte, sizeof byte, ", at byte %zu of", cut);
        bool whole = read_all(compressed, cut, &count);
        good = memcmp(got_data, plain, count) == 0;
        if (cut == border)
            good = good && whole && count == SMALL;
        else if (cut > border && cut < border + TRJ_UNPACK_HEAD)
            good = good && !whole && err.status == TRJ_BAD_DATA && count == SMALL; // too few bytes to detect the format
        else
            good = good && !whole && err.status == TRJ_BAD_DATA && has_text(err.text, byte) &&
                   has_text(err.text, "data end too early");
        if (!good) printf("# cut at %zu: %s\n", cut, err.text);
    }
    ok(good, "%s: truncated at each of %zu bytes", name, n);
}

static void check_changes(size_t n, const char *name) {
    unsigned rejected = 0, same = 0, other = 0, tried = 0;
    for (size_t bit = 8 * TRJ_UNPACK_HEAD; bit < 8 * n; bit++) {
        size_t count;
        if (!sampled(bit / 8)) continue;
        tried++;
        memcpy(changed, compressed, n);
        changed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (!read_all(changed, n, &count))
            rejected += err.status == TRJ_BAD_DATA &&
                        (has_text(err.text, "damaged at byte ") || has_text(err.text, "end too early") ||
                         has_text(err.text, "end at byte ") || has_text(err.text, "window of over"));
        else if (count == 2 * SMALL && !memcmp(got_data, plain, count))
            same++; // the time and the system in the header of gzip have no effect
        else
            other++;
    }
    ok(tried && !other && rejected + same == tried && rejected > same,
       "%s: each bit of the sampled bytes changed: %u rejected, %u without effect", name, rejected, same);
}

static void check_packer(pack *put, const char *name, const char *ending) {
    size_t n = put(plain, SIZE, compressed), count;
    snprintf(path, sizeof path, "%s/run.xyz%s", folder, ending);
    save(compressed, n);
    check_random(false, name);
    check_random(true, name);

    struct trj_input *in = NULL, *raw = NULL;
    uint64_t size, print, other;
    must(!trj_input_open(&in, path, &err) && !trj_input_open_raw(&raw, path, &err));
    ok(trj_input_size(raw, &size) && size == n && !trj_input_read(raw, got_data, n, "x", &err) &&
           !memcmp(got_data, compressed, n),
       "%s: opened raw: the compressed bytes", name);
    ok(trj_input_ends_in(in, ".xyz") && !trj_input_ends_in(in, ending) && !trj_input_ends_in(raw, ".xyz") &&
           trj_input_ends_in(raw, ending),
       "%s: the suffix of the name is tested without %s", name, ending);
    ok(!trj_input_fingerprint(in, &print, &err) && !trj_input_fingerprint(raw, &other, &err) && print == other,
       "%s: the fingerprint is that of the compressed file", name);
    must(!trj_input_read(in, got_data, SIZE, "x", &err));
    ok(trj_input_offset(in) == SIZE && trj_input_file_offset(in) == n, "%s: offsets at the end are the sizes", name);
    trj_input_close(raw);
    trj_input_close(in);

    // Several members in sequence, an empty member, and members that end at the end of a buffer.
    n = 0;
    for (size_t at = 0, k = 0; at < SIZE; k++) {
        size_t m = k % 4 == 3 ? 0 : k % 4 == 1 ? 1 << 18 : 100000;
        if (m > SIZE - at) m = SIZE - at;
        n += put(plain + at, m, compressed + n);
        at += m;
    }
    save(compressed, n);
    check_random(false, "members");
    check_random(true, "members");

    n = put(plain, 0, compressed);
    ok(read_all(compressed, n, &count) && !count, "%s: compressed empty file: no bytes", name);
    size_t border = put(plain, SMALL, compressed);
    n = border + put(plain + SMALL, SMALL, compressed + border);
    check_cuts(n, border, name);
    check_changes(n, name);
    memcpy(compressed + n, "\0\0\0garbage", 8); // xz padding must be a multiple of four bytes, not three
    char byte[128];
    snprintf(byte, sizeof byte, "end at byte %zu of the compressed file, and other data follow; remove these", n);
    ok(!read_all(compressed, n + 8, &count) && count == 2 * SMALL && err.status == TRJ_BAD_DATA &&
           has_text(err.text, byte),
       "%s", err.text);

    // Closing does not wait for input, although the thread does.
    int fds[2];
    char open_pipe[32];
    must(!pipe(fds) && write(fds[1], compressed, n / 2) == (ssize_t)(n / 2));
    snprintf(open_pipe, sizeof open_pipe, "/dev/fd/%d", fds[0]);
    must(!trj_input_open(&in, open_pipe, &err));
    trj_input_close(in);
    close(fds[0]);
    close(fds[1]);
    ok(true, "%s: closed before the end: returns at once", name);
}

static void check_zstd_only(void) {
    snprintf(path, sizeof path, "%s/run.xyz.zst", folder);
    size_t count, n = 0;
    memcpy(compressed, "\x51\x2a\x4d\x18\x03\0\0\0abc", 11); // a skippable frame, as pzstd writes it
    n = 11 + compress_zstd(plain, SMALL, compressed + 11);
    ok(read_all(compressed, n, &count) && count == SMALL && !memcmp(got_data, plain, count),
       "zstd: a skippable frame is skipped");
    // A window of 256 MiB in a frame without a content size.
    static const unsigned char wide[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 18 << 3, 0x01, 0x00, 0x00};
    ok(!read_all(wide, sizeof wide, &count) && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "window of over 128 MiB"),
       "%s", err.text);
}

#ifdef TRJPIPE_XZ
static void check_xz_only(void) {
    snprintf(path, sizeof path, "%s/run.xyz.xz", folder);
    static const unsigned char zeros[8] = {0};
    size_t count, n = compress_xz(plain, SMALL, compressed);
    memcpy(compressed + n, zeros, sizeof zeros); // padding, as the format allows between streams and after them
    n += sizeof zeros + compress_xz(plain + SMALL, SMALL, compressed + n + sizeof zeros);
    memcpy(compressed + n, zeros, sizeof zeros);
    ok(read_all(compressed, n + 4, &count) && count == 2 * SMALL && !memcmp(got_data, plain, count),
       "xz: padding is skipped");
    ok(!read_all(compressed, n + 7, &count) && count == 2 * SMALL && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "other data follow; remove these"),
       "xz: padding of 7 bytes: rejected");
    // A dictionary of 192 MiB needs more memory than is allowed; that of xz -9 has 64 MiB.
    n = compress_xz_with(9, plain, SIZE, compressed);
    ok(read_all(compressed, n, &count) && count == SIZE && !memcmp(got_data, plain, SIZE), "xz -9: read");
    lzma_options_lzma options;
    must(!lzma_lzma_preset(&options, 0));
    options.dict_size = 192U << 20;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    n = 0;
    must(lzma_stream_buffer_encode(filters, LZMA_CHECK_NONE, NULL, plain, SMALL, compressed, &n, ROOM / 2) == LZMA_OK);
    ok(!read_all(compressed, n, &count) && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "MiB of memory to unpack, and at most 128 MiB are used; unpack it first, with xz -d"),
       "%s", err.text);
    unlink(path);
}
#endif

// Tests a compressor whose library may be missing from this build; the n bytes of `head` begin its data.
static void check_optional(pack *put, const char *name, const char *ending, const char *head, size_t n,
                           const char *lack) {
    if (put) {
        check_packer(put, name, ending);
    } else {
        size_t count;
        snprintf(path, sizeof path, "%s/run.xyz%s", folder, ending);
        ok(!read_all(head, n, &count) && err.status == TRJ_NO_ENGINE && has_text(err.text, lack), "%s", err.text);
    }
    unlink(path);
}

int main(void) {
    must(mkdtemp(folder));
    // The data resemble text: they can be compressed, but not to very few bytes.
    for (size_t i = 0; i < SIZE; i++) plain[i] = (unsigned char)("0123456789 .-\n"[next_random() % 14]);
    check_optional(compress_gzip, "gzip", ".gz", "\x1f\x8b\x08\0\0\0", 6, "make ZLIB=yes");
    check_optional(compress_bzip2, "bzip2", ".bz2", "BZh91AY&SY", 10, "make BZIP2=yes");
    check_optional(compress_xz, "xz", ".xz", "\xfd\x37zXZ\0\0\4", 8, "make XZ=yes");
#ifdef TRJPIPE_XZ
    check_xz_only();
#endif
    check_packer(compress_zstd, "zstd", ".zst");
    check_zstd_only();
    ok(!strcmp(trj_compression_name("BZh91", 5), "bzip2") && !strcmp(trj_compression_name("\xfd\x37zXZ", 5), "xz") &&
           !trj_compression_name("BZhou", 5) && !trj_compression_name("BZ", 2) && !trj_compression_name("BZh91", 4) &&
           !strcmp(trj_compression_name("\x5f\x2a\x4d\x18", 4), "zstd") &&
           !strcmp(trj_compression_name("\x1f\x8b\x08", 3), "gzip"),
       "compression formats are detected from the first bytes");
    unlink(path);
    rmdir(folder);
    return done();
}
