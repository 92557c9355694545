// SPDX-License-Identifier: MIT
// Grid streams: maps are read as written, concatenated streams are read as one, and damage and repeated frames are
// errors.
#include <inttypes.h>
#include <unistd.h>

#include "common_blocks.h"
#include "grid_stream.h"
#include "tap.h"

#define STREAM_FILE "/tmp/test_grid_stream.XXXXXX"
#include "stream_file.h"

// A stream that this test writes by the specification, without the library.
static const struct trj_stream_kind kind = {"grid stream", {0x89, 'G', 'R', 'D', '\r', '\n', 0x1a, '\n'}, 1, 0};

static struct trj_source sources[] = {{(char[]){"a.dcd"}, 17}, {(char[]){"b.dcd"}, 18}};
static char *lines[] = {(char[]){"trjcat 1: trjcat a.dcd"}, (char[]){"densmap 1: densmap"}};
static struct trj_stream_header origin = {
    .provenance_count = 2, .provenance = lines, .source_count = 2, .sources = sources};

static struct trj_map map_of(enum trj_map_kind k, uint32_t components) {
    static char quantity[] = "number density", unit[] = "A^-3";
    return (struct trj_map){.lattice = {.n = {7, 5, 9},
                                        .origin = {-1, 0.1, 3},
                                        .step = {{0.5, 0, 0}, {0.125, 0.75, 0}, {-0.25, 0.5, 1}},
                                        .periodic = TRJ_PERIODIC_A | TRJ_PERIODIC_C},
                            .quantity = quantity,
                            .unit = unit,
                            .kind = k,
                            .meaning = TRJ_MAP_MEANS,
                            .components = components,
                            .quantum = k == TRJ_MAP_QUANTA ? 0x1p-20 : 0,
                            .error_bound = 1e-3};
}

enum { ROOM = 1 << 16 };
static unsigned char values[ROOM], found[ROOM];

static size_t bytes_of(const struct trj_map *m) {
    return m->lattice.n[2] * trj_map_plane_size(m);
}

static void fill(const struct trj_map *m, unsigned seed) {
    double v;
    float f;
    size_t n = bytes_of(m) / trj_map_value_size(m->kind);
    for (size_t i = 0; i < n; i++) {
        v = sin((double)(i + seed)) * 1e6;
        f = (float)v;
        int64_t quanta = (int64_t)(v * 1e10);
        if (m->kind == TRJ_MAP_FLOAT32)
            memcpy(values + 4 * i, &f, 4);
        else if (m->kind == TRJ_MAP_FLOAT64)
            memcpy(values + 8 * i, &v, 8);
        else
            memcpy(values + 8 * i, &quanta, 8);
    }
}

static struct trj_grid_record record_of(uint64_t first, uint64_t frames) {
    struct trj_grid_record r = {.frames = 0};
    for (uint64_t i = 0; i < frames; i++)
        must(trj_grid_record_add_frame(&r, (uint32_t)(i % 2), first + i / 2, 0.5, &err));
    return r;
}

// Writes a stream of `records` records, `portion` planes at a time, whose first frame is `first`.
static void make_file(const struct trj_map *m, int records, uint64_t first, uint64_t portion, int level,
                      const char *name) {
    struct trj_output *out;
    struct trj_grid_writer *w;
    must(trj_output_open(&out, name, TRJ_OUTPUT_BINARY, &err));
    must(trj_grid_writer_open(&w, out, m, &origin, level, 1, &err));
    for (int k = 0; k < records; k++) {
        struct trj_grid_record r = record_of(first + 10 * (uint64_t)k, 4);
        fill(m, (unsigned)(first / 10) + (unsigned)k);
        must(trj_grid_write_record(w, &r, &err));
        for (uint64_t z = 0; z < m->lattice.n[2]; z += portion) {
            uint64_t some = m->lattice.n[2] - z < portion ? m->lattice.n[2] - z : portion;
            must(trj_grid_write_planes(w, values + z * trj_map_plane_size(m), some, &err));
        }
        trj_grid_record_free(&r);
    }
    must(trj_grid_writer_finish(w, &err));
    trj_grid_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
}

static void make(const struct trj_map *m, int records, uint64_t first, uint64_t portion, int level) {
    make_file(m, records, first, portion, level, path);
    load();
}

// Reads the file, `portion` planes at a time (0: skips all planes). Returns the number of records, or -1.
static int read_all(const struct trj_map *m, uint64_t portion, bool compare) {
    struct trj_input *in;
    struct trj_grid_reader *r;
    const struct trj_grid_record *rec;
    int n = 0, rc = -1;
    err = (struct trj_error){0};
    must(trj_input_open(&in, path, &err));
    if (trj_grid_reader_open(&r, in, &err)) {
        trj_input_close(in);
        return -1;
    }
    const struct trj_map *got = trj_grid_reader_map(r);
    size_t plane = trj_map_plane_size(got);
    while ((rc = trj_grid_reader_next(r, &rec, &err)) > 0) {
        for (uint64_t z = 0; !(rc < 0) && portion && z < got->lattice.n[2]; z += portion) {
            uint64_t some = got->lattice.n[2] - z < portion ? got->lattice.n[2] - z : portion;
            if (some * plane > ROOM) abort();
            rc = trj_grid_reader_planes(r, found + (compare ? z * plane : 0), some, &err) ? -1 : 1;
        }
        if (rc < 0) break;
        if (compare) {
            struct trj_grid_record want = record_of(10 * (uint64_t)n, 4);
            fill(m, (unsigned)n);
            ok(!memcmp(found, values, bytes_of(m)), "record %d: values", n);
            ok(rec->frames == 4 && rec->sum && rec->run_count == want.run_count && trj_exact_value(&rec->weight) == 2 &&
                   rec->runs[1].source == want.runs[1].source && rec->runs[1].first == want.runs[1].first,
               "record %d: frames and weight", n);
            trj_grid_record_free(&want);
        }
        n++;
    }
    if (!rc && compare) {
        const struct trj_stream_header *h = trj_grid_reader_origin(r);
        ok(h->provenance_count == 2 && !strcmp(h->provenance[1], lines[1]) && h->source_count == 2 &&
               h->sources[1].fingerprint == 18,
           "provenance and sources");
        ok(!trj_map_check_same(got, m, &err) && got->error_bound == m->error_bound, "description of the map");
        ok(!trj_grid_reader_next(r, &rec, &err), "after the end, reading returns the end again");
    }
    trj_grid_reader_close(r);
    trj_input_close(in);
    return rc < 0 ? -1 : n;
}

static void test_round_trip(void) {
    static const char *const names[] = {"float32", "float64", "quanta", "counts"};
    for (int k = 0; k < TRJ_MAP_KINDS; k++)
        for (uint32_t components = 1; components <= 3; components += 2)
            for (int level = 0; level <= 3; level += 3) {
                struct trj_map m = map_of((enum trj_map_kind)k, components);
                make(&m, 2, 0, 1, level);
                ok(read_all(&m, 4, true) == 2, "%s, %u components, level %d: two records", names[k], components, level);
                ok(read_all(&m, 0, false) == 2, "records can be skipped");
            }
}

static void test_slabs(void) {
    struct trj_map m = map_of(TRJ_MAP_FLOAT64, 1);
    static unsigned char first[MAX_BYTES];
    make(&m, 1, 0, 1, 3);
    size_t n = made_size;
    memcpy(first, made, n);
    make(&m, 1, 0, 9, 3);
    ok(n == made_size && !memcmp(first, made, n), "the stream does not depend on how planes were written");
    // Planes of 800 kB: one in each block.
    m.lattice.n[0] = m.lattice.n[1] = 100, m.components = 10, m.lattice.n[2] = 3;
    struct trj_output *out;
    struct trj_grid_writer *w;
    static double plane[100000];
    struct trj_grid_record none = {.frames = 0};
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_grid_writer_open(&w, out, &m, &origin, 3, 2, &err));
    must(trj_grid_write_record(w, &none, &err));
    ok(trj_grid_write_record(w, &none, &err) && has_text(err.text, "0 of 3 planes"), "%s", err.text);
    for (int z = 0; z < 3; z++) must(trj_grid_write_planes(w, plane, 1, &err));
    ok(trj_grid_write_planes(w, plane, 1, &err), "more planes than the map has: rejected");
    must(trj_grid_writer_finish(w, &err));
    trj_grid_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    load();
    ok(blocks == 7 && !memcmp(made + border[3], "SLAB", 4) && read_all(&m, 0, false) == 1,
       "three slabs of one large plane each, in a record without frames");
}

static void test_concatenation(void) {
    struct trj_map m = map_of(TRJ_MAP_COUNTS, 1);
    make(&m, 1, 0, 9, 3);
    size_t n = made_size;
    static unsigned char both[2 * MAX_BYTES];
    memcpy(both, made, n);
    make(&m, 1, 10, 9, 3);
    memcpy(both + n, made, made_size);
    save(both, n + made_size);
    ok(read_all(&m, 9, true) == 2, "two streams: their records");
    make(&m, 1, 0, 9, 0);
    memcpy(both + n, made, made_size);
    save(both, n + made_size);
    ok(read_all(&m, 9, false) < 0 && has_text(err.text, "frame 0 of a.dcd occurs twice"), "%s", err.text);
    m.lattice.origin[0] += 1e-9;
    make(&m, 1, 20, 9, 0);
    memcpy(both + n, made, made_size);
    save(both, n + made_size);
    ok(read_all(&m, 9, false) < 0 && has_text(err.text, "cannot be added") && has_text(err.text, "block HEAD at byte"),
       "%s", err.text);
    save(both, n + 10);
    ok(read_all(&m, 9, false) < 0 && err.status == TRJ_BAD_DATA, "%s", err.text);
    make(&m, 0, 0, 1, 3);
    ok(read_all(&m, 1, false) < 0 && has_text(err.text, "contains no record"), "%s", err.text);
}

static void test_damage(void) {
    struct trj_map m = map_of(TRJ_MAP_FLOAT32, 1);
    make(&m, 2, 0, 9, 3);
    int accepted = 0, other = 0;
    for (size_t i = 0; i < made_size; i++) {
        if (i >= 10 && i < 16) continue; // minor version and a reserved field: covered by the check of the header
        memcpy(changed, made, made_size);
        changed[i] ^= 0x10;
        save(changed, made_size);
        accepted += read_all(&m, 0, false) >= 0;
        other += err.status != TRJ_BAD_DATA || !has_text(err.text, "; ");
    }
    ok(!accepted && !other, "one changed bit: %d accepted, %d without status or remedy", accepted, other);
    accepted = 0;
    for (size_t n = 0; n < made_size; n++) {
        save(made, n);
        accepted += read_all(&m, 2, false) >= 0 || err.status != TRJ_BAD_DATA;
    }
    ok(!accepted, "a truncated stream: %d of %zu accepted", accepted, made_size);
    for (size_t b = 0; b + 1 < blocks; b++) {
        size_t n = border[b + 1] - border[b];
        memcpy(changed, made, border[b]);
        memcpy(changed + border[b], made + border[b + 1], made_size - border[b + 1]);
        save(changed, made_size - n);
        accepted += read_all(&m, 2, false) >= 0;
    }
    ok(!accepted, "a missing block: %d accepted", accepted);
}

// ---- streams with correct checksums and wrong content

struct head {
    uint64_t n[3];
    double step;
    uint32_t periodic, kind, meaning, components;
    double quantum, bound;
};
struct slab {
    uint64_t first, planes;
    uint32_t layout;
    uint64_t bytes;
};
static struct hostile {
    struct head head;
    uint64_t frames;
    uint32_t sum;
    uint64_t weight, run_count, source, first, step, count;
    struct slab slab[2];
    uint64_t end_records, end_frames, end_slabs;
    int atom_lists; // before the record; -1: one after it
    uint64_t atom_count, orbital_count;
    double position;
    bool second_head, no_head, no_record, early_end, slab_first, unknown, record_in_record, fail;
} p;

static const struct hostile valid = {.head = {{2, 3, 4}, 1, 7, 0, 0, 1, 0, 0},
                                     .frames = 2,
                                     .sum = 1,
                                     .weight = 2,
                                     .run_count = 1,
                                     .step = 1,
                                     .count = 2,
                                     .slab = {{0, 1, 0, 24}, {1, 3, 1, 72}},
                                     .end_records = 1,
                                     .end_frames = 2,
                                     .end_slabs = 2,
                                     .atom_count = 1};

static void put(struct trj_block_writer *w, const char *type, struct trj_bytes *b) {
    must(trj_block_write(w, type, true, b, &err));
    b->size = 0;
}

static void put_head(struct trj_block_writer *w, struct trj_bytes *b) {
    trj_put_u64s(b, p.head.n, 3);
    for (int i = 0; i < 3; i++) trj_put_f64(b, 0);
    for (int i = 0; i < 9; i++) trj_put_f64(b, i % 4 ? 0 : p.head.step);
    trj_put_u32(b, p.head.periodic);
    trj_put_text(b, "q");
    trj_put_text(b, "");
    trj_put_u32(b, p.head.kind);
    trj_put_u32(b, p.head.meaning);
    trj_put_u32(b, p.head.components);
    trj_put_f64(b, p.head.quantum);
    trj_put_f64(b, p.head.bound);
    put(w, "HEAD", b);
}

static void put_record(struct trj_block_writer *w, struct trj_bytes *b) {
    trj_put_u64(b, p.frames);
    trj_put_u32(b, p.sum);
    for (int i = 0; i < 8; i++) trj_put_u64(b, i == 4 ? p.weight : 0);
    trj_put_u64(b, p.run_count);
    trj_put_u64(b, p.source);
    trj_put_u64(b, p.first);
    trj_put_u64(b, p.step);
    trj_put_u64(b, p.count);
    put(w, "RECO", b);
}

// An atom, and the number of an orbital.
static void put_atoms(struct trj_block_writer *w, struct trj_bytes *b) {
    trj_put_u64(b, p.atom_count);
    trj_put_u32(b, 8);
    trj_put_f64(b, 6);
    for (int i = 0; i < 3; i++) trj_put_f64(b, p.position);
    trj_put_u64(b, p.orbital_count);
    trj_put_u32(b, 5);
    must(trj_block_write(w, "ATOM", false, b, &err));
    b->size = 0;
}

static void put_slab(struct trj_block_writer *w, struct trj_bytes *b, const struct slab *s) {
    trj_put_u64(b, s->first);
    trj_put_u64(b, s->planes);
    trj_put_u32(b, s->layout);
    for (uint64_t i = 0; i < s->bytes; i++) trj_put_raw(b, "x", 1);
    put(w, "SLAB", b);
}

static void write_hostile(void) {
    struct trj_output *out;
    struct trj_block_writer *w;
    struct trj_bytes b = {0};
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&w, out, &kind, 0, &err));
    if (!p.no_head) put_head(w, &b);
    if (p.second_head) put_head(w, &b);
    if (p.slab_first) put_slab(w, &b, &p.slab[0]);
    if (p.unknown) put(w, "NEWS", &b);
    trj_put_text(&b, "a.dcd");
    trj_put_u64(&b, 17);
    put(w, "SRCE", &b);
    for (int i = 0; i < p.atom_lists; i++) put_atoms(w, &b);
    if (!p.no_record) put_record(w, &b);
    for (int i = 0; i < 2 && !p.no_record; i++) {
        if (i && p.early_end) break;
        if (i && p.record_in_record) put_record(w, &b);
        if (i && p.fail) {
            trj_put_text(&b, "densmap");
            trj_put_u32(&b, 1);
            trj_put_i64(&b, 0);
            trj_put_text(&b, "no memory");
            put(w, "FAIL", &b);
            break;
        }
        put_slab(w, &b, &p.slab[i]);
    }
    if (p.atom_lists < 0) put_atoms(w, &b);
    trj_put_u64(&b, p.end_records);
    trj_put_u64(&b, p.end_frames);
    trj_put_u64(&b, p.end_slabs);
    if (!p.fail) put(w, "END!", &b);
    trj_bytes_free(&b);
    trj_block_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
}

#define BAD(what, part, change)                                                                                        \
    do {                                                                                                               \
        p = valid;                                                                                                     \
        change;                                                                                                        \
        write_hostile();                                                                                               \
        ok(read_all(NULL, 1, false) < 0 && err.status == TRJ_BAD_DATA && has_text(err.text, part), "%s: %s", what,     \
           err.text);                                                                                                  \
    } while (0)

static void test_hostile_heads(void) {
    p = valid;
    write_hostile();
    ok(read_all(NULL, 1, false) == 1, "a stream written by the specification: %s", err.text);
    BAD("no points", "block HEAD at byte 24: invalid lattice", p.head.n[0] = 0);
    BAD("2^64 points", "invalid lattice", p.head.n[0] = p.head.n[1] = p.head.n[2] = (uint64_t)1 << 32);
    BAD("a plane of 2^38 bytes", "too large", p.head.n[0] = p.head.n[1] = 1 << 18; p.head.n[2] = 1);
    BAD("steps of 0", "invalid lattice", p.head.step = 0);
    BAD("NaN steps", "invalid lattice", p.head.step = NAN);
    BAD("unknown periodic axis", "periodic", p.head.periodic = 8);
    BAD("unknown kind", "newer trjpipe", p.head.kind = 4);
    BAD("unknown kind 2^31", "newer trjpipe", p.head.kind = 1u << 31);
    BAD("unknown meaning", "newer trjpipe", p.head.meaning = 3);
    BAD("no components", "components", p.head.components = 0);
    BAD("2^32 - 1 components", "components", p.head.components = UINT32_MAX);
    BAD("a quantum of float32", "quantum", p.head.quantum = 1);
    BAD("no quantum of quanta", "quantum", p.head.kind = 2);
    BAD("a quantum that is no power of two", "quantum", p.head.kind = 2; p.head.quantum = 3);
    BAD("negative error bound", "error bound", p.head.bound = -1);
    BAD("second header", "second header", p.second_head = true);
    BAD("no header", "expected HEAD", p.no_head = true);
}

static void test_hostile_records(void) {
    BAD("planes not in a record", "is not in a record", p.slab_first = true);
    BAD("unknown required block", "newer trjpipe", p.unknown = true);
    BAD("no record", "do not match", p.no_record = true);
    BAD("sum of no frames", "invalid number of frames", p.frames = 0; p.run_count = 0);
    BAD("weight 0", "weight", p.weight = 0);
    BAD("negative weight", "weight", p.weight = (uint64_t)1 << 63; p.sum = 2);
    BAD("unknown source", "invalid frame range", p.source = 1);
    BAD("2^59 runs", "frame ranges", p.run_count = (uint64_t)1 << 59);
    BAD("step 0", "invalid frame range", p.step = 0);
    BAD("last frame above 2^64", "invalid frame range", p.first = UINT64_MAX);
    BAD("other number of frames", "do not add up", p.frames = 3);
    BAD("first plane 1", "expected at most 4 from 0 on", p.slab[0].first = 1);
    BAD("no planes", "invalid planes", p.slab[0].planes = 0);
    BAD("2^64 - 1 planes", "invalid planes", p.slab[0].planes = UINT64_MAX);
    BAD("more planes than there are", "expected at most 3 from 1 on", p.slab[1].planes = 4);
    BAD("a plane again", "expected at most 3 from 1 on", p.slab[1].first = 0);
    BAD("too few values", "too short", p.slab[0].bytes = 23);
    BAD("too few values in byte planes", "too short", p.slab[1].bytes = 71);
    BAD("unknown layout", "layout", p.slab[1].layout = 2);
    BAD("a block above the limit", "at most", p.slab[0].bytes = (1 << 24) + (1 << 16) + 1);
    BAD("end within a record", "before the last plane", p.early_end = true);
    BAD("record within a record", "before the last plane", p.record_in_record = true);
    BAD("other number of records", "do not match", p.end_records = 2);
    BAD("other number of all frames", "do not match", p.end_frames = 1);
    BAD("other number of slabs", "do not match", p.end_slabs = 1);
    BAD("the program that wrote the stream failed", "no memory", p.fail = true);
    p = valid;
    p.slab[0].bytes = 30;
    write_hostile();
    ok(read_all(NULL, 1, false) == 1, "bytes after the values: ignored, as those of a newer version");
    p = valid;
    p.frames = p.sum = 0, p.weight = p.run_count = p.end_frames = 0;
    write_hostile();
    ok(read_all(NULL, 1, false) == 1, "a map without frames");
}

static void test_hostile_atoms(void) {
    p = valid;
    p.atom_lists = p.orbital_count = 1;
    write_hostile();
    ok(read_all(NULL, 1, false) == 1, "an atom and an orbital: %s", err.text);
    BAD("two lists of atoms", "a second list", p.atom_lists = 2);
    BAD("atoms after the last record", "belong to no record", p.atom_lists = -1);
    BAD("2^59 atoms", "too short", p.atom_lists = 1; p.atom_count = (uint64_t)1 << 59);
    BAD("a position that is NaN", "atom 0: invalid", p.atom_lists = 1; p.position = NAN);
    BAD("2 orbitals of a map with one value", "2 orbitals, but 1 values", p.atom_lists = 1; p.orbital_count = 2);
    BAD("fewer bytes than orbitals", "too short", p.atom_lists = 1; p.head.components = p.orbital_count = 3);
    BAD("atoms in a record", "before the last plane", p.atom_lists = 1; p.record_in_record = true);
}

static void test_records(void) {
    struct trj_grid_record a = {.frames = 0}, b = record_of(0, 2), mean = {.frames = 1};
    ok(trj_grid_record_add_frame(&a, 0, 0, 0, &err) && trj_grid_record_add_frame(&a, 0, 0, NAN, &err) &&
           trj_grid_record_add_frame(&a, 0, 0, 1e300, &err),
       "invalid weights: %s", err.text);
    ok(!trj_grid_record_merge(&a, &b, &err) && a.frames == 2 && trj_exact_value(&a.weight) == 1 && a.run_count == 2,
       "records can be added");
    ok(trj_grid_record_merge(&a, &mean, &err) && trj_grid_record_merge(&mean, &a, &err), "a mean cannot be added: %s",
       err.text);
    trj_grid_record_free(&a);
    trj_grid_record_free(&b);
}

int main(void) {
    ok(trj_map_common_bound(0.5, 2) == 2 && trj_map_common_bound(2, 0) == 0 && trj_map_common_bound(0, 0.5) == 0,
       "error bounds of several streams: the largest one; unknown, if one is");
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    test_round_trip();
    test_slabs();
    test_concatenation();
    test_damage();
    test_hostile_heads();
    test_hostile_records();
    test_hostile_atoms();
    test_records();
    unlink(path);
    return done();
}
