// SPDX-License-Identifier: MIT
// Tests frame streams: frames are read bit for bit as written, and truncated, damaged, reordered and malicious streams
// are rejected.
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#include "block_stream.h"
#include "frame_stream.h"
#include "memory.h"
#include "reader.h"
#include "tap.h"

#define STREAM_FILE "/tmp/test_frame_stream.XXXXXX"
#include "stream_file.h"

// As in the specification, independent of the library.
static const struct trj_stream_kind kind = {"frame stream", {0x89, 'T', 'R', 'J', '\r', '\n', 0x1a, '\n'}, 1, 0};

struct spec {
    uint32_t atoms, frames, sources; // the source of frame f is f * sources / frames
    int level;
    bool groups, residues, molecules, nm, dynamic, centres, bonds, elements; // dynamic: groups "even" and "one"
};

// Sets the members: some of the even atoms, and the atom of "one" in each second frame.
static void fill_members(struct trj_frame *x, const struct spec *s, uint64_t f) {
    size_t even = (s->atoms + 1) / 2, words = (even + 31) / 32;
    if (!s->dynamic) return;
    must(trj_frame_resize_members(x, words + 1, &err));
    memset(x->members, 0, words * sizeof *x->members);
    for (size_t i = 0; i < even; i++)
        if ((i * 7 + f) % 3) x->members[i / 32] |= 1u << i % 32;
    x->members[words] = f % 2;
}

// Makes frame f of a spec, with bits that conversions would change, and unknown steps, times and cells.
static void fill(struct trj_frame *x, const struct spec *s, uint64_t f) {
    must(trj_frame_resize(x, s->atoms, &err));
    x->source = (uint32_t)(f * s->sources / s->frames);
    x->index = f == 1 ? UINT64_MAX : 7 * f + 3;
    x->step = f % 3 == 1 ? TRJ_NO_STEP : f % 3 ? -5 : INT64_MAX - (int64_t)f;
    x->time = f % 2 ? NAN : 1e-300 * (double)(f + 1) / 3;
    x->unit = s->nm ? 10 : 1;
    x->cell = (struct trj_cell){.h = {{10.1, 0, 0}, {1.0 / 3, 11 + (double)f, 0}, {-0.0, 2, 12}},
                                .periodic = (unsigned)(f % 8)};
    if (!x->cell.periodic) memset(x->cell.h, 0, sizeof x->cell.h);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < s->atoms; i++) {
            uint32_t bits = (uint32_t)(((f * 3 + k) * s->atoms + i + 1) * 2654435761u);
            if ((bits & 0x7f800000u) == 0x7f800000u) bits ^= 0x00800000u; // finite
            if (i == 1) bits = 0x80000000u;                               // -0
            if (i == 2) bits = 1;                                         // subnormal
            memcpy(&x->x[k][i], &bits, 4);
        }
    fill_members(x, s, f);
}

static bool same_bits(const void *a, const void *b, size_t n) {
    return !memcmp(a, b, n);
}

static bool same_frame(const struct trj_frame *a, const struct trj_frame *b) {
    bool good = a->atoms == b->atoms && a->index == b->index && a->source == b->source && a->step == b->step &&
                (isnan(a->time) ? isnan(b->time) : same_bits(&a->time, &b->time, 8)) && a->unit == b->unit &&
                a->cell.periodic == b->cell.periodic && same_bits(a->cell.h, b->cell.h, sizeof a->cell.h);
    for (int k = 0; good && k < 3; k++) good = same_bits(a->x[k], b->x[k], 4 * a->atoms);
    size_t words = !b->members ? 0 : ((b->atoms + 1) / 2 + 31) / 32 + 1; // as fill_members lays them out
    return good && (!words || same_bits(a->members, b->members, words * sizeof *a->members));
}

static void source_name(char name[32], uint32_t k) {
    snprintf(name, 32, "run %u.dcd", k);
}

static struct trj_group *group(struct trj_group *g, const char *name, uint32_t count, uint32_t step) {
    *g = (struct trj_group){
        .name = trj_copy_text(name, &err), .count = count, .atoms = trj_alloc(count, 4, "a group", &err)};
    for (uint32_t i = 0; i < count; i++) g->atoms[i] = i * step;
    return g;
}

static void header(struct trj_stream_header *h, const struct spec *s) {
    *h = (struct trj_stream_header){.atoms = s->atoms, .source_atoms = s->atoms + 5};
    h->group_count = s->groups ? 3 : 1;
    h->groups = trj_alloc(h->group_count, sizeof *h->groups, "groups", &err);
    group(&h->groups[0], "all", s->atoms, 1);
    if (s->groups) {
        group(&h->groups[1], "even", (s->atoms + 1) / 2, 2);
        group(&h->groups[2], "one", 1, 1);
    }
    if (s->dynamic) h->groups[1].dynamic = h->groups[2].dynamic = true;
    h->member_words = trj_groups_lay_out(h->groups, h->group_count);
    if (s->centres) {
        h->centres = 2;
        h->source_atoms = s->atoms - 2;
    }
    // A chain with one omitted atom between two stream atoms. One atom in three of the file is in the stream.
    if (s->bonds) {
        size_t n = h->atoms - h->centres;
        h->number = trj_alloc(n, sizeof *h->number, "numbers", &err);
        for (uint32_t i = 0; i < n; i++) h->number[i] = 3 * i + 1;
        h->source_atoms = 3 * n;
        h->between = n - 1;
        h->bond_count = 2 * (n - 1);
        h->bond = trj_alloc(h->bond_count, sizeof *h->bond, "bonds", &err);
        for (uint32_t i = 0; i < h->bond_count; i++) {
            h->bond[i][0] = (i + 1) / 2;
            h->bond[i][1] = (uint32_t)h->atoms + i / 2;
        }
    }
    for (int k = 0; k < 2; k++) {
        uint32_t **ids = k ? &h->molecule : &h->residue;
        if (!(k ? s->molecules : s->residues)) continue;
        *ids = trj_alloc(s->atoms, 4, "ids", &err);
        for (uint32_t i = 0; i < s->atoms; i++) (*ids)[i] = i / 3 + (uint32_t)k;
    }
    if (s->elements) {
        h->element = trj_alloc(s->atoms, 4, "elements", &err);
        for (uint32_t i = 0; i < s->atoms; i++) h->element[i] = i % 119;
        if (s->nm) h->element_from = trj_copy_text("mass", &err);
    }
    must(trj_stream_header_add_provenance(h, "first 1: first 'an argument'", &err));
    must(trj_stream_header_add_provenance(h, "second 2.0: second", &err));
}

static bool same_header(const struct trj_stream_header *a, const struct trj_stream_header *b) {
    bool good = a->atoms == b->atoms && a->source_atoms == b->source_atoms && a->centres == b->centres &&
                a->group_count == b->group_count && !a->residue == !b->residue && !a->molecule == !b->molecule &&
                !a->number == !b->number && !a->bond == !b->bond && a->bond_count == b->bond_count &&
                a->between == b->between && a->provenance_count == b->provenance_count &&
                a->source_count == b->source_count;
    for (size_t i = 0; good && i < a->group_count; i++)
        good = !strcmp(a->groups[i].name, b->groups[i].name) && a->groups[i].count == b->groups[i].count &&
               a->groups[i].dynamic == b->groups[i].dynamic &&
               same_bits(a->groups[i].atoms, b->groups[i].atoms, 4 * a->groups[i].count);
    if (good && a->residue) good = same_bits(a->residue, b->residue, 4 * a->atoms);
    if (good && a->molecule) good = same_bits(a->molecule, b->molecule, 4 * a->atoms);
    good = good && !a->element == !b->element && !a->element_from == !b->element_from &&
           (!a->element_from || !strcmp(a->element_from, b->element_from));
    if (good && a->element) good = same_bits(a->element, b->element, 4 * a->atoms);
    if (good && a->number) good = same_bits(a->number, b->number, 4 * (a->atoms - a->centres));
    if (good && a->bond) good = same_bits(a->bond, b->bond, 8 * a->bond_count);
    for (size_t i = 0; good && i < a->provenance_count; i++) good = !strcmp(a->provenance[i], b->provenance[i]);
    for (size_t i = 0; good && i < a->source_count; i++)
        good =
            !strcmp(a->sources[i].name, b->sources[i].name) && a->sources[i].fingerprint == b->sources[i].fingerprint;
    return good;
}

// Writes the stream of a spec into the file and made[]. Each source is added before its first frame.
static void make_with_header(const struct spec *s, struct trj_stream_header *h) {
    struct trj_output *out;
    struct trj_stream_writer *w;
    struct trj_frame f = {0};
    header(h, s);
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_stream_writer_open(&w, out, h, s->level, 1 + (unsigned)s->frames % 3, &err));
    for (uint64_t i = 0; i < s->frames; i++) {
        fill(&f, s, i);
        while (h->source_count <= f.source) {
            char name[32];
            source_name(name, (uint32_t)h->source_count);
            must(trj_stream_header_add_source(h, name, UINT64_MAX / (h->source_count + 1), &err));
        }
        must(trj_stream_write(w, &f, &err));
    }
    must(trj_stream_writer_finish(w, &err));
    trj_stream_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    trj_frame_free(&f);
    load();
}

static void make(const struct spec *s) {
    struct trj_stream_header h;
    make_with_header(s, &h);
    trj_stream_header_free(&h);
}

// Reads the file. Returns the number of frames, which must be those of s (if not NULL); *end is the last result, 0 or
// -1.
static uint64_t read_all(const struct spec *s, int *end, bool *good) {
    struct trj_reader *r;
    struct trj_frame f = {0}, want = {0};
    uint64_t n = 0;
    err = (struct trj_error){0};
    *end = trj_reader_open(&r, path, &err);
    if (*end) return 0;
    while ((*end = trj_reader_read(r, &f, &err)) > 0) {
        if (s) {
            fill(&want, s, n);
            *good = *good && n < s->frames && same_frame(&f, &want) && r->next == n + 1;
        }
        n++;
    }
    if (*end == 0) *good = *good && trj_reader_read(r, &f, &err) == 0; // again at the end
    trj_reader_close(r);
    trj_frame_free(&f);
    trj_frame_free(&want);
    return n;
}

static void rejects(const char *what, const char *word) {
    int end;
    bool good = true;
    read_all(NULL, &end, &good);
    ok(end == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, word), "%s: %s", what, err.text);
}

static void accepted(const char *what, const struct spec *s) {
    int end;
    bool good = true;
    uint64_t n = read_all(s, &end, &good);
    ok(end == 0 && good && n == s->frames, "%s%s%s", what, end ? ": " : "", end ? err.text : "");
}

static uint64_t next_random(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// Seeks, reads and skips at random. Each frame must be equal to that of a read from the start.
static void check_seeks(const struct spec *s, const char *name) {
    struct trj_reader *r;
    struct trj_frame f = {0}, want = {0};
    bool good = true;
    uint64_t at = 0;
    for (uint64_t i = 0; good && i <= s->frames + 1; i++) { // seeking first, to each frame and beyond the end
        must(trj_reader_open(&r, path, &err));
        good = r->can_seek && trj_reader_seek(r, i, &err) == (i < s->frames);
        uint64_t there = i < s->frames ? i : 0; // seeking beyond the end keeps the position
        good = good && r->next == there && trj_reader_read(r, &f, &err) == 1;
        fill(&want, s, there);
        good = good && same_frame(&f, &want);
        if (good && i < s->frames) // the header contains all sources, too
            good = f.source < r->header->source_count && r->header->source_count == s->sources;
        while (good && r->next < s->frames) good = trj_reader_skip(r, &err) == 1;
        good = good && trj_reader_skip(r, &err) == 0;
        if (!good) printf("# sought %" PRIu64 " first: %s\n", i, err.text);
        trj_reader_close(r);
    }
    ok(good, "%s: seeking to each frame first, and skipping to the end", name);
    must(trj_reader_open(&r, path, &err));
    for (int i = 0; good && i < 500; i++) {
        uint64_t what = next_random() % 4, to = next_random() % (s->frames + 2);
        bool there = at < s->frames;
        if (what == 0) {
            good = trj_reader_skip(r, &err) == there;
            at += there;
        } else if (what == 1) {
            good = trj_reader_read(r, &f, &err) == there;
            if (there) {
                fill(&want, s, at);
                good = good && same_frame(&f, &want);
            }
            at += there;
        } else {
            good = trj_reader_seek(r, to, &err) == (to < s->frames);
            if (to < s->frames) at = to;
        }
        good = good && r->next == at;
        if (!good) printf("# step %d, %" PRIu64 ", at %" PRIu64 ": %s\n", i, what, at, err.text);
    }
    ok(good, "%s: reading, skipping and seeking in any order", name);
    trj_reader_close(r);
    must(trj_reader_open(&r, path, &err));
    uint64_t passed;
    good = trj_reader_advance(r, s->frames + 4, &passed, &err) == 0 && passed == s->frames &&
           trj_reader_read(r, &f, &err) == 0;
    ok(good, "%s: advanced beyond the end passes %" PRIu64 " frames", name, passed);
    trj_reader_close(r);
    trj_frame_free(&f);
    trj_frame_free(&want);
}

static void check_whole(const struct spec *s, const char *name, size_t frame_blocks) {
    struct trj_stream_header h;
    struct trj_reader *r;
    struct trj_frame f = {0};
    make_with_header(s, &h);
    accepted(name, s);
    must(trj_reader_open(&r, path, &err));
    ok(r->atoms == s->atoms && !strcmp(r->format->name, "trjf") && r->header->source_count == (s->frames ? 1 : 0),
       "%s: format, atoms and sources before the first frame", name);
    while (trj_reader_read(r, &f, &err) > 0) {}
    ok(same_header(&h, r->header), "%s: header, groups, provenance and sources are as written", name);
    trj_reader_close(r);
    size_t n = 0;
    for (size_t k = 0; k < blocks; k++)
        n += !memcmp(made + border[k], "FRAM", 4) || !memcmp(made + border[k], "FRMZ", 4);
    ok(n == frame_blocks, "%s: %zu blocks of frames", name, n);
    if (s->frames) check_seeks(s, name);
    trj_stream_header_free(&h);
    trj_frame_free(&f);
}

static void check_cuts(const struct spec *s, const char *name) {
    make(s);
    bool good = true;
    for (size_t cut = made_size; cut--;) {
        int end;
        bool same = true;
        if (truncate(path, (off_t)cut)) abort();
        uint64_t n = read_all(s, &end, &same);
        if (same && end == -1 && n <= s->frames && err.status == TRJ_BAD_DATA) continue;
        printf("# cut at %zu: %" PRIu64 " frames, %d %s\n", cut, n, end, err.text);
        good = false;
    }
    ok(good, "%s: truncated at each of %zu bytes, read: rejected", name, made_size);
    save(made, made_size);
    for (size_t cut = made_size; cut--;) { // skipping frames by seeking, which reads the end of the file first
        struct trj_reader *r;
        uint64_t passed;
        if (truncate(path, (off_t)cut)) abort();
        err = (struct trj_error){0};
        if (!trj_reader_open(&r, path, &err)) {
            // Complete frames can be skipped: the error occurs at the incomplete frame.
            bool two = !trj_reader_advance(r, 2, &passed, &err);
            if (two && (passed != 2 || !trj_reader_advance(r, s->frames, &passed, &err))) good = false;
            trj_reader_close(r);
        }
        good = good && err.status == TRJ_BAD_DATA;
    }
    ok(good, "%s: truncated at each of %zu bytes, skipped: rejected", name, made_size);
}

static void check_flips(const struct spec *s, const char *name) {
    static const unsigned char patterns[] = {0x01, 0x80, 0xff};
    make(s);
    bool good = true;
    FILE *f = fopen(path, "r+b");
    for (size_t i = 0; i < made_size; i++)
        for (size_t p = 0; p <= sizeof patterns; p++) {
            int end, byte = p < sizeof patterns ? made[i] ^ patterns[p] : made[i];
            bool same = true;
            if (fseek(f, (long)i, SEEK_SET) || fputc(byte, f) == EOF || fflush(f)) abort();
            if (p == sizeof patterns) break;
            read_all(s, &end, &same);
            if (same && end == -1 && err.status == TRJ_BAD_DATA) continue;
            printf("# byte %zu, pattern %02x: %d %s\n", i, patterns[p], end, err.text);
            good = false;
        }
    fclose(f);
    ok(good, "%s: each of %zu bytes damaged in %zu ways: rejected", name, made_size, sizeof patterns);
}

static size_t append(size_t at, size_t k) {
    memcpy(changed + at, made + border[k], border[k + 1] - border[k]);
    return at + border[k + 1] - border[k];
}

static void check_block_order(const struct spec *s, const char *name) {
    make(s);
    memcpy(changed, made, TRJ_STREAM_HEADER);
    bool good = true;
    int tried = 0;
    for (int way = 0; way < 3; way++)
        for (size_t i = 0; i < blocks; i++)
            for (size_t j = i; j < blocks; j++) {
                size_t at = TRJ_STREAM_HEADER;
                if (way == 2 && i == j) continue;
                for (size_t k = 0; k < blocks; k++) { // drops i to j; repeats i to j; swaps i and j
                    if (way == 0 && k >= i && k <= j) continue;
                    at = append(at, way != 2 ? k : k == i ? j : k == j ? i : k);
                    for (size_t m = i; way == 1 && k == j && m <= j; m++) at = append(at, m);
                }
                int end;
                bool same = true;
                save(changed, at);
                read_all(s, &end, &same);
                tried++;
                if (same && end == -1 && err.status == TRJ_BAD_DATA) continue;
                printf("# way %d, %zu to %zu: %d %s\n", way, i, j, end, err.text);
                good = false;
            }
    ok(good && tried > 100, "%s: blocks dropped, repeated, swapped in %d ways: rejected", name, tried);
}

// ---- streams composed of hand-made blocks

struct hand {
    struct trj_output *out;
    struct trj_block_writer *w;
    uint64_t index_number, index_offset;
};

static void begin(struct hand *d, unsigned major, unsigned minor) {
    struct trj_stream_kind k = kind;
    k.major = (uint16_t)major;
    k.minor = (uint16_t)minor;
    must(trj_output_open(&d->out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&d->w, d->out, &k, 0, &err));
}

static void end_hand(struct hand *d) {
    trj_block_writer_close(d->w);
    must(trj_output_commit(d->out, &err));
    trj_output_close(d->out);
}

static void block(struct hand *d, const char *type, bool required, struct trj_bytes *b) {
    must(trj_block_write(d->w, type, required, b, &err));
    trj_bytes_free(b);
}

// The payloads of a small stream of 2 atoms, with `spare` bytes after each.
struct parts {
    uint64_t atoms, source_atoms;
    uint32_t groups, group_atoms[2];
    uint64_t group_count;
    uint32_t frames;    // count in the block
    struct trj_frame f; // written `frames_there` times
    int frames_there;
    uint64_t end_frames;
    const char *source_name, *group_name;
    size_t spare, end_spare; // after the payload of END!, where none are allowed
    const char *unknown;     // type of a block that is inserted after each
    bool unknown_required, no_source, no_end;
    uint32_t changing, changing_group, members; // CHNG, and the membership bits of each frame
    uint64_t centres;
    uint32_t number[2];     // ATOM
    uint64_t absent, sites; // SITE
    uint64_t between, bond_count;
    uint32_t bond[2];             // BOND, of one bond
    uint32_t movements, movement; // MOVE: their number, and the kind of one
    // of blocks: h(EAD) p(ROV) g(RPS) r(ESI) m(OLE) c(HNG) (CEN)t (S)i(TE) a(TOM) b(OND) (MO)v(E) s(RCE) f(RAM) e(ND)
    const char *order;
    size_t ids;       // number of residues and molecules
    uint32_t element; // of all atoms
    unsigned major, minor;
    struct trj_bytes after; // after END!
};

static float coordinates[3][4] = {{1, 2}, {3, 4}, {5, 6}};
static const struct parts whole = {.atoms = 2,
                                   .source_atoms = 2,
                                   .groups = 1,
                                   .group_count = 2,
                                   .group_atoms = {0, 1},
                                   .frames = 1,
                                   .f = {.unit = 1, .atoms = 2, .x = {coordinates[0], coordinates[1], coordinates[2]}},
                                   .frames_there = 1,
                                   .end_frames = 1,
                                   .changing = 1,
                                   .members = 2,
                                   .centres = 1,
                                   .number = {0, 1},
                                   .bond_count = 1,
                                   .bond = {0, 1},
                                   .movements = 1,
                                   .movement = 3,
                                   .source_name = "x",
                                   .group_name = "all",
                                   .order = "hpgsfe",
                                   .ids = 2,
                                   .major = 1};

static void by_hand(const struct parts *p) {
    static const char *const names[] = {['h'] = "HEAD", ['p'] = "PROV", ['g'] = "GRPS", ['r'] = "RESI", ['m'] = "MOLE",
                                        ['c'] = "CHNG", ['t'] = "CENT", ['i'] = "SITE", ['a'] = "ATOM", ['b'] = "BOND",
                                        ['v'] = "MOVE", ['z'] = "ELEM", ['s'] = "SRCE", ['f'] = "FRAM", ['e'] = "END!"};
    struct hand d;
    begin(&d, p->major, p->minor);
    for (const char *o = p->order; *o; o++) {
        struct trj_bytes b = {0};
        switch (*o) {
        case 'h':
            trj_put_u64(&b, p->atoms);
            trj_put_u64(&b, p->source_atoms);
            break;
        case 'p':
            trj_put_u32(&b, 1);
            trj_put_text(&b, "hand");
            break;
        case 'g':
            trj_put_u32(&b, p->groups);
            trj_put_text(&b, p->group_name);
            trj_put_u64(&b, p->group_count);
            trj_put_u32s(&b, p->group_atoms, 2);
            break;
        case 'r':
        case 'm':
            for (size_t i = 0; i < p->ids; i++) trj_put_u32(&b, 0);
            break;
        case 'c':
            trj_put_u32(&b, p->changing);
            trj_put_u32(&b, p->changing_group);
            break;
        case 't':
            trj_put_u64(&b, p->centres);
            break;
        case 'i':
            trj_put_u64(&b, p->absent);
            trj_put_u64(&b, p->sites);
            trj_put_u32s(&b, p->number, p->ids);
            break;
        case 'a':
            trj_put_u32s(&b, p->number, p->ids);
            break;
        case 'b':
            trj_put_u64(&b, p->between);
            trj_put_u64(&b, p->bond_count);
            trj_put_u32s(&b, p->bond, 2);
            break;
        case 'v':
            trj_put_u32(&b, p->movements);
            trj_put_u32(&b, p->movement);
            trj_put_u64(&b, 2);
            trj_put_text(&b, "all");
            trj_put_text(&b, "ref.pdb");
            trj_put_u64(&b, 99);
            trj_put_u64(&b, 4);
            break;
        case 'z':
            trj_put_text(&b, "");
            for (size_t i = 0; i < p->ids; i++) trj_put_u32(&b, p->element);
            break;
        case 's':
            trj_put_text(&b, p->source_name);
            trj_put_u64(&b, 99);
            break;
        case 'f':
            trj_put_u32(&b, p->frames);
            trj_put_u32(&b, 0xffffffff); // reserved: ignored
            for (int i = 0; i < p->frames_there; i++) {
                trj_put_u32(&b, p->f.source);
                trj_put_u32(&b, p->f.cell.periodic);
                trj_put_u64(&b, p->f.index);
                trj_put_i64(&b, p->f.step);
                trj_put_f64(&b, p->f.time);
                trj_put_f64(&b, p->f.unit);
                for (int k = 0; k < 9; k++) trj_put_f64(&b, p->f.cell.h[k / 3][k % 3]);
                for (int k = 0; k < 3; k++) trj_put_f32s(&b, p->f.x[k], p->f.atoms);
                if (strchr(p->order, 'c')) trj_put_u32(&b, p->members);
            }
            break;
        default:
            trj_put_u64(&b, p->end_frames);
            trj_put_u64(&b, trj_block_writer_count(d.w));
            trj_put_u64(&b, 0);
            trj_put_u64(&b, 0);
        }
        for (size_t i = 0; i < (*o == 'e' ? p->end_spare : p->spare); i++) trj_put_raw(&b, "\377", 1);
        block(&d, names[(unsigned char)*o], *o != 'p', &b);
        if (p->unknown && *o != 'e') {
            trj_put_u64(&b, 0xfedcba9876543210u);
            block(&d, p->unknown, p->unknown_required, &b);
        }
    }
    must(trj_output_write(d.out, p->after.data, p->after.size, &err));
    end_hand(&d);
}

static void taken(const char *what, const struct parts *p, uint64_t frames) {
    struct trj_reader *r;
    struct trj_frame f = {0};
    uint64_t n = 0;
    bool good = true;
    by_hand(p);
    err = (struct trj_error){0};
    int end = trj_reader_open(&r, path, &err);
    while (!end && (end = trj_reader_read(r, &f, &err)) > 0) {
        good = good && f.atoms == 2 && f.x[0][1] == 2.0f && f.x[2][0] == 5.0f && r->header->group_count == 1 &&
               !strcmp(r->header->sources[0].name, "x") && r->header->sources[0].fingerprint == 99;
        n++;
        end = 0;
    }
    if (end != -1) trj_reader_close(r);
    ok(end == 0 && good && n == frames, "%s%s%s", what, end ? ": " : "", end ? err.text : "");
    trj_frame_free(&f);
}

static void not_taken(const char *what, const struct parts *p, const char *word) {
    by_hand(p);
    rejects(what, word);
}

static void check_versions(void) {
    struct parts p = whole;
    taken("stream made byte by byte", &p, 1);
    p.minor = 9;
    taken("a newer minor version", &p, 1);
    p.spare = 23;
    taken("a newer minor version with more in every block", &p, 1);
    p.unknown = "new?";
    taken("unknown optional blocks are skipped", &p, 1);
    p.unknown_required = true;
    not_taken("an unknown required block", &p, "block new? at byte 103: is required");
    p = whole;
    p.end_spare = 1;
    not_taken("END block of another size", &p, "has the wrong size");
    static const char *const names[] = {"", "a:b", "a\tb", "caf\xc3\xa9",
                                        "a123456789b123456789c123456789d123456789e123456789f123456789g1234"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        p = whole;
        p.group_name = names[i];
        not_taken("an invalid name of a group", &p, "block GRPS at byte 132: a group's name ");
    }
    p = whole;
    p.major = 2;
    not_taken("a newer major version", &p,
              "version 2, but this program reads version 1; use the trjpipe that wrote it");
}

static void check_order(void) {
    static const struct {
        const char *what, *order, *word;
    } bad[] = {
        {"header missing", "pgsfe", "comes before the header"},
        {"groups before the header", "ghsfe", "comes before the header"},
        {"two headers", "hhgsfe", "second header"},
        {"second header", "hgsfhe", "second header"},
        {"groups missing", "hpsfe", "comes before the groups"},
        {"groups and frames missing", "hpe", "comes before the groups"},
        {"groups twice", "hggsfe", "invalid number of groups"},
        {"groups after frames", "hsfge", "comes before the groups"},
        {"source missing", "hgfe", "source"},
        {"source after its frame", "hgfse", "source"},
        {"residues twice", "hgrrsfe", "wrong size"},
        {"molecules twice", "hgmmsfe", "wrong size"},
        {"numbers twice", "hgaasfe", "wrong size"},
        {"elements after frames", "hgsfzfe", "comes after frames"},
        {"elements before the header", "zhgsfe", "comes before the header"},
        {"bonds twice", "hgbbsfe", "occurs twice"},
        {"provenance after frames", "hgsfpe", "comes after frames"},
        {"movements after frames", "hgsfvfe", "comes after frames"},
        {"movements twice", "hgvvsfe", "occurs twice"},
        {"bonds before the header", "bhgsfe", "comes before the header"},
        {"END missing", "hgsf", "END block missing after 1 frames"},
        {"file header alone", "", "END block missing after 0 frames"},
        {"data after the end", "hgsfee", "data follow the END block"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct parts p = whole;
        p.order = bad[i].order;
        not_taken(bad[i].what, &p, bad[i].word);
    }
    struct parts p = whole;
    p.order = "hgssrmppffe";
    p.end_frames = 2;
    taken("blocks in another order", &p, 2);
    p.order = "hge";
    p.end_frames = 0;
    taken("no frames", &p, 0);
    make(&(struct spec){.atoms = 2, .frames = 1, .sources = 1});
    memcpy(changed, made, made_size);
    memcpy(changed + made_size, made, made_size);
    save(changed, 2 * made_size);
    rejects("two concatenated streams", "data follow the END block");
    save(changed, made_size + 1);
    rejects("one byte after the end", "data follow the END block");
}

static void check_content(void) {
#define BAD(what, word, ...)                                                                                           \
    do {                                                                                                               \
        struct parts p = whole;                                                                                        \
        p.order = "hgrsfe";                                                                                            \
        __VA_ARGS__;                                                                                                   \
        not_taken(what, &p, word);                                                                                     \
    } while (0)
    BAD("no atoms", "atom count", p.atoms = 0);
    BAD("2^32 atoms", "atom count", p.atoms = p.source_atoms = (uint64_t)1 << 32);
    BAD("more atoms than in the source", "more atoms", p.source_atoms = 1);
    BAD("more atoms and centres than in the source", "more atoms", p.source_atoms = 0; p.order = "hgtsfe");
    BAD("more centres than atoms", "number of centres", p.centres = 3; p.order = "hgtsfe");
    BAD("no centres", "number of centres", p.centres = 0; p.order = "hgtsfe");
    BAD("centres twice", "twice", p.order = "hgttsfe");
    BAD("dynamic groups before groups", "before the groups", p.order = "hcgsfe");
    BAD("dynamic groups twice", "twice", p.order = "hgccsfe");
    for (const char *const *late = (const char *const[]){"hgsfcfe", "hgsftfe", "hgsfrfe", "hgsfmfe", NULL}; *late;
         late++)
        BAD(*late, "comes after frames", p.order = *late);
    BAD("number of dynamic groups is 0", "number of groups", p.changing = 0; p.order = "hgcsfe");
    BAD("more dynamic groups than groups", "number of groups", p.changing = 2; p.order = "hgcsfe");
    BAD("dynamic group out of range", "groups are not ascending, or do not exist", p.changing_group = 1;
        p.order = "hgcsfe");
    BAD("member out of range", "marks members after the last atom", p.members = 4; p.order = "hgcsfe");
    BAD("other number of atoms", "ends inside a frame", p.atoms = p.source_atoms = p.ids = 3);
    BAD("groups missing", "number of groups", p.groups = 0);
    BAD("2^32 - 1 groups", "number of groups", p.groups = UINT32_MAX);
    BAD("more groups than in the block", "group", p.groups = 2);
    BAD("an empty group", "group", p.group_count = 0);
    BAD("a group of 2^62 atoms", "group", p.group_count = (uint64_t)1 << 62);
    BAD("group with more atoms than in the block", "group", p.group_count = 3);
    BAD("atom out of range", "ascending", p.group_atoms[1] = 2);
    BAD("an atom twice", "ascending", p.group_atoms[1] = 0);
    BAD("descending atoms", "ascending", p.group_atoms[0] = 1; p.group_atoms[1] = 0);
    BAD("too few residues", "wrong size", p.ids = 1);
    BAD("elements twice", "occurs twice", p.order = "hgzzsfe");
    BAD("too few elements", "wrong size", p.ids = 1; p.order = "hgzsfe");
    BAD("element 119", "an element that does not exist", p.element = 119; p.order = "hgzsfe");
    BAD("more sites than in the block", "number of sites", p.sites = 2; p.ids = 1; p.order = "hgisfe");
    BAD("more sites than atoms", "number of sites", p.sites = 3; p.order = "hgisfe");
    BAD("absent sites beyond the source", "number of sites", p.absent = 1; p.order = "hgisfe");
    BAD("descending sites", "ascending", p.sites = 2; p.number[0] = 1; p.number[1] = 0; p.order = "hgisfe");
    BAD("a site that is no atom", "not in the stream", p.sites = 2; p.number[1] = 2; p.order = "hgisfe");
    BAD("sites twice", "occurs twice", p.order = "hgiisfe");
    BAD("too few numbers of atoms", "wrong size", p.ids = 1; p.order = "hgasfe");
    BAD("descending atom numbers", "ascending", p.number[0] = 1; p.number[1] = 0; p.order = "hgasfe");
    BAD("atom number beyond the source", "not in the source", p.number[1] = 2; p.order = "hgasfe");
    BAD("more bonds than in the block", "number of bonds", p.bond_count = 2; p.order = "hgbsfe");
    BAD("2^62 bonds", "number of bonds", p.bond_count = (uint64_t)1 << 62; p.order = "hgbsfe");
    BAD("more atoms between than bonds", "number of bonds", p.between = 2; p.order = "hgbsfe");
    BAD("2^64 - 1 atoms between", "number of bonds", p.between = UINT64_MAX; p.order = "hgbsfe");
    BAD("bond of an atom out of range", "bonds of atoms that do not exist", p.bond[1] = 2; p.order = "hgbsfe");
    BAD("no movements", "invalid number of movements", p.movements = 0; p.order = "hgvsfe");
    BAD("4 billion movements", "invalid number of movements", p.movements = UINT32_MAX; p.order = "hgvsfe");
    BAD("more movements than in the block", "too short for its content", p.movements = 2; p.order = "hgvsfe");
    BAD("a movement of unknown kind", "a movement that this version does not support", p.movement = 7;
        p.order = "hgvsfe");
    BAD("a movement of kind 0", "a movement that this version does not support", p.movement = 0; p.order = "hgvsfe");
    BAD("4 billion atoms in a small header", "", p.atoms = p.source_atoms = UINT32_MAX; p.order = "hgsfe");
    BAD("4 billion residues", "wrong size", p.atoms = p.source_atoms = UINT32_MAX);
    BAD("block without frames", "no frames", p.frames = 0; p.end_frames = 0);
    BAD("more frames than in the block", "ends inside a frame", p.frames = 2);
    BAD("4 billion frames", "ends inside a frame", p.frames = UINT32_MAX);
    BAD("other total", "END block gives 2 frames, but 1 were read: stream damaged; run trjcat again", p.end_frames = 2);
    BAD("total of 0 frames", "END block gives 0 frames", p.end_frames = 0);
    BAD("another source", "source", p.f.source = 1);
    BAD("a fourth direction", "periodicity", p.f.cell.periodic = 8);
    BAD("period of zero length", "cell vector a is zero", p.f.cell.periodic = 1);
    BAD("unit 0", "unit", p.f.unit = 0);
    BAD("unit -1", "unit", p.f.unit = -1);
    BAD("unit NaN", "unit", p.f.unit = NAN);
    BAD("unit infinite", "unit", p.f.unit = INFINITY);
    BAD("cell with NaN", "not finite", p.f.cell.h[1][1] = NAN);
    BAD("infinite cell", "not finite", p.f.cell.h[2][0] = -INFINITY);
#undef BAD
    struct parts p = whole;
    p.order = "hpgctsfe";
    taken("dynamic groups and centres", &p, 1);
    p.order = "hpgctvsfe";
    taken("movements", &p, 1);
    p.order = "hpgctsfe";
    p.source_atoms = 1;
    taken("centres: not counted as source atoms", &p, 1);
    p.order = "hpgtabsfe";
    p.ids = 1;
    p.between = 1;
    p.bond[1] = 2;
    taken("atom numbers of the source, and a bond to an atom outside the stream", &p, 1);
    p = whole;
    coordinates[1][1] = NAN;
    not_taken("coordinate NaN", &p, "frame 0: y of atom 1");
    coordinates[1][1] = 4;
    // Truncates each block, with correct checksums.
    make(&(struct spec){.atoms = 3,
                        .frames = 2,
                        .sources = 1,
                        .groups = true,
                        .residues = true,
                        .molecules = true,
                        .dynamic = true,
                        .centres = true,
                        .bonds = true,
                        .elements = true});
    bool good = true;
    int tried = 0;
    for (size_t k = 0; k < blocks; k++) {
        size_t size = border[k + 1] - border[k] - TRJ_BLOCK_HEADER;
        if (!memcmp(made + border[k], "INDX", 4)) continue; // a forward reader skips it
        for (size_t n = 0; n < size; n++) {
            struct hand d;
            begin(&d, 1, 0);
            for (size_t m = 0; m < blocks; m++) {
                struct trj_bytes b = {0};
                char type[5] = "";
                memcpy(type, made + border[m], 4);
                trj_put_raw(&b, made + border[m] + TRJ_BLOCK_HEADER,
                            m == k ? n : border[m + 1] - border[m] - TRJ_BLOCK_HEADER);
                block(&d, type, strcmp(type, "INDX") && strcmp(type, "PROV"), &b);
            }
            end_hand(&d);
            int end;
            bool same = true;
            read_all(NULL, &end, &same);
            tried++;
            // Of the END block's 32 bytes, a forward reader needs the first 8.
            if (end == -1 ? err.status == TRJ_BAD_DATA : !memcmp(made + border[k], "END!", 4) && n >= 8) continue;
            printf("# block %zu cut to %zu bytes: %d %s\n", k, n, end, err.text);
            good = false;
        }
    }
    ok(good && tried > 400, "each block truncated in %d ways: rejected", tried);
}

// An index with wrong positions and correct checksums.
static void check_index(void) {
    static const struct spec s = {.atoms = 30000, .frames = 4, .sources = 2};
    make(&s);
    size_t at = border[blocks - 2] + TRJ_BLOCK_HEADER, size = border[blocks - 1] - at;
    // Two sources, then three or four blocks of frames. Each word of the index in turn is changed.
    static unsigned char index[1024];
    memcpy(index, made + at, size);
    bool good = true;
    for (size_t word = 0; word < size / 8; word++)
        for (int way = 0; way < 5; way++) {
            static const uint64_t add[] = {1, UINT64_MAX, 40, (uint64_t)1 << 62, (uint64_t)1 << 32};
            struct hand d;
            uint64_t v = 0;
            for (int i = 8; i--;) v = v << 8 | index[8 * word + (size_t)i];
            v += add[way];
            begin(&d, 1, 0);
            uint64_t number = 0, offset = 0;
            for (size_t m = 0; m < blocks; m++) {
                struct trj_bytes b = {0};
                char type[5] = "";
                memcpy(type, made + border[m], 4);
                if (!strcmp(type, "INDX")) {
                    number = trj_block_writer_count(d.w);
                    offset = trj_block_writer_offset(d.w, number);
                    trj_put_raw(&b, index, size);
                    for (int i = 0; i < 8; i++) b.data[8 * word + (size_t)i] = (unsigned char)(v >> 8 * i);
                } else {
                    trj_put_raw(&b, made + border[m] + TRJ_BLOCK_HEADER, border[m + 1] - border[m] - TRJ_BLOCK_HEADER);
                }
                block(&d, type, strcmp(type, "INDX") && strcmp(type, "PROV"), &b);
            }
            end_hand(&d);
            if (number != blocks - 2 || offset != border[blocks - 2]) abort();
            // Seeking gives the right frame or an error.
            for (uint64_t to = 0; to < s.frames; to++) {
                struct trj_reader *r;
                struct trj_frame f = {0}, want = {0};
                must(trj_reader_open(&r, path, &err));
                int got = trj_reader_seek(r, to, &err);
                if (got == 1) got = trj_reader_read(r, &f, &err);
                fill(&want, &s, to);
                if (got == 1 ? !same_frame(&f, &want) : got == 0 || err.status != TRJ_BAD_DATA) {
                    printf("# word %zu, way %d, to %" PRIu64 ": %d %s\n", word, way, to, got, err.text);
                    good = false;
                }
                trj_reader_close(r);
                trj_frame_free(&f);
                trj_frame_free(&want);
            }
        }
    ok(good, "index with wrong positions: an error or no effect");
    struct parts p = whole;
    struct trj_reader *r;
    by_hand(&p);
    must(trj_reader_open(&r, path, &err));
    ok(trj_reader_seek(r, 0, &err) == -1 && err.status == TRJ_BAD_DATA, "no index: %s", err.text);
    trj_reader_close(r);
}

// A stream after other data in the same file, as stdin that another process has read from.
static void check_offset(void) {
    static const struct spec s = {.atoms = 20000, .frames = 5, .sources = 2};
    make(&s);
    struct trj_reader *r;
    struct trj_frame f = {0}, want = {0};
    memcpy(changed, "something else", 14);
    memcpy(changed + 14, made, made_size);
    save(changed, made_size + 14);
    int old = dup(STDIN_FILENO);
    bool good = freopen(path, "rb", stdin) && lseek(STDIN_FILENO, 14, SEEK_SET) == 14;
    must(trj_reader_open(&r, "-", &err));
    good = good && trj_reader_seek(r, 3, &err) == 1 && trj_reader_read(r, &f, &err) == 1;
    fill(&want, &s, 3);
    ok(good && same_frame(&f, &want), "random access in a stream that begins inside a file");
    trj_reader_close(r);
    trj_frame_free(&f);
    trj_frame_free(&want);
    dup2(old, STDIN_FILENO);
    close(old);
}

static void check_pipe(void) {
    static const struct spec s = {.atoms = 9, .frames = 6, .sources = 3, .level = 3, .groups = true};
    make(&s);
    int fds[2], old = dup(STDIN_FILENO);
    struct trj_reader *r;
    struct trj_frame f = {0}, want = {0};
    if (made_size > 60000 || pipe(fds) || write(fds[1], made, made_size) != (ssize_t)made_size) abort();
    close(fds[1]);
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
    must(trj_reader_open(&r, "-", &err));
    uint64_t passed, n = 0;
    bool good = !r->can_seek && !trj_reader_advance(r, 2, &passed, &err) && passed == 2;
    for (; good && trj_reader_read(r, &f, &err) == 1; n++) {
        fill(&want, &s, 2 + n);
        good = same_frame(&f, &want);
    }
    ok(good && n == 4, "pipe: skips two frames and reads four");
    trj_reader_close(r);
    trj_frame_free(&f);
    trj_frame_free(&want);
    dup2(old, STDIN_FILENO);
    close(old);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) abort();
    close(fd);
    check_whole(&(struct spec){.atoms = 5, .frames = 9, .sources = 1}, "raw", 1);
    check_whole(&(struct spec){.atoms = 5,
                               .frames = 40,
                               .sources = 3,
                               .level = 3,
                               .groups = true,
                               .residues = true,
                               .molecules = true,
                               .nm = true,
                               .elements = true},
                "compressed, three sources, all known, nm", 3);
    check_whole(
        &(struct spec){
            .atoms = 150, .frames = 7, .sources = 1, .groups = true, .dynamic = true, .centres = true, .bonds = true},
        "dynamic groups, centres, bonds", 1);
    check_whole(&(struct spec){.atoms = 1, .frames = 1, .sources = 1}, "one atom", 1);
    check_whole(&(struct spec){.atoms = 3, .frames = 0, .sources = 1, .level = 1}, "no frames", 0);
    // Blocks are closed once they hold 2^18 bytes: here after 5 frames of 60112; and before each new source.
    check_whole(&(struct spec){.atoms = 5000, .frames = 23, .sources = 2}, "several frames a block", 6);
    check_whole(&(struct spec){.atoms = 30000, .frames = 6, .sources = 6, .level = 1}, "a frame a block", 6);
    static const struct spec small = {
        .atoms = 4, .frames = 6, .sources = 2, .groups = true, .residues = true, .molecules = true};
    struct spec packed = small, changing = small;
    packed.level = 3;
    packed.frames = 12;
    changing.dynamic = changing.centres = changing.bonds = changing.elements = true;
    check_cuts(&changing, "dynamic groups");
    check_flips(&changing, "dynamic groups");
    check_cuts(&small, "raw");
    check_cuts(&packed, "zstd");
    check_flips(&small, "raw");
    check_flips(&packed, "zstd");
    check_block_order(&small, "raw");
    check_block_order(&packed, "zstd");
    check_versions();
    check_order();
    check_content();
    check_index();
    check_offset();
    check_pipe();
    unlink(path);
    return done();
}
