// SPDX-License-Identifier: MIT
// Histogram streams: records are read as written, concatenated streams add, and repeated frames and damage are errors.
#include <inttypes.h>
#include <unistd.h>

#include "block_stream.h"
#include "hist_stream.h"
#include "memory.h"
#include "tap.h"

#define STREAM_FILE "/tmp/test_hist_stream.XXXXXX"
#include "stream_file.h"

// Written by the specification, without the library.
static const struct trj_stream_kind kind = {"histogram stream", {0x89, 'R', 'D', 'H', '\r', '\n', 0x1a, '\n'}, 1, 0};

enum { SOURCES = 2, GROUPS = 2, PAIRS = 3 };

struct spec {
    uint64_t bins, first; // first: index of the first frame
    int records, frames;  // frames of each record
    uint64_t fingerprint; // of the first source; that of the second is one greater
    bool dynamic;         // the second group
    bool excludes;        // some pairs
    bool composed;        // the elements are known
    uint64_t lag;         // 0: none
};

static struct trj_source sources[SOURCES] = {{(char[]){"a.dcd"}, 0}, {(char[]){"b.dcd"}, 0}};
static char *provenance[] = {(char[]){"trjcat 1: trjcat a.dcd"}, (char[]){"rdfhist 1: rdfhist"}};
static struct trj_stream_header origin = {.provenance_count = 2, .provenance = provenance, .sources = sources};
static struct rdf_hist_group groups[GROUPS] = {{.name = (char[]){"O"}, .atoms = 10},
                                               {.name = (char[]){"H"}, .atoms = 20}};
static struct rdf_pair pairs[PAIRS] = {{0, 0, 45}, {0, 1, 200}, {1, 1, 190}};

static uint64_t excluded[PAIRS] = {5, 200, 0};
static uint64_t own[PAIRS] = {10, 0, 20};

// Group O contains oxygen atoms, group H 15 hydrogen atoms and 5 atoms of unknown element.
static struct rdf_element_count elements[] = {{8, 10}, {0, 5}, {1, 15}};

static uint32_t oxygens[10], hydrogens[20];
static struct trj_group atoms[GROUPS] = {{.count = 10, .atoms = oxygens},
                                         {.count = 20, .atoms = hydrogens, .dynamic = true}};

static struct rdf_setup setup_of(const struct spec *s) {
    for (uint32_t i = 0; i < 20; i++) {
        hydrogens[i] = 5 + i; // the groups have five atoms in common
        if (i < 10) oxygens[i] = i;
    }
    groups[1].dynamic = s->dynamic;
    groups[0].element_count = s->composed ? 1 : 0;
    groups[1].element_count = s->composed ? 2 : 0;
    groups[0].elements = s->composed ? elements : NULL;
    groups[1].elements = s->composed ? elements + 1 : NULL;
    static char from[] = "mass";
    static char exclusion[] = "bonds:2";
    if (s->lag)
        for (int p = 0; p < PAIRS; p++) pairs[p].pairs = (uint64_t[]){90, 200, 380}[p];
    return (struct rdf_setup){.bins = {0.5, 9.75, s->bins},
                              .group_count = GROUPS,
                              .pair_count = PAIRS,
                              .groups = groups,
                              .pairs = pairs,
                              .exclusion = s->excludes ? exclusion : NULL,
                              .excluded = s->excludes ? excluded : NULL,
                              .system_atoms = s->composed ? 33 : 0,
                              .element_from = s->composed ? from : NULL,
                              .lag = {s->lag, s->lag ? 0.5 : 0, s->lag ? own : NULL, false}};
}

static uint64_t count_of(int record, uint64_t k) {
    return k % 7 ? k * k % 1000 : k % 5 ? (uint64_t)record + k : 0x123456789abcdef0u + k;
}

// Returns the number of excluded pairs among them.
static uint64_t excluded_of(int record, uint64_t k) {
    return k % 3 ? count_of(record, k) / 2 : k % 2 * count_of(record, k);
}

// Displacements in bin k % bins of pair k / bins; zero if the groups have no common atoms.
static uint64_t moved_of(const struct spec *s, int record, uint64_t k) {
    return own[k / s->bins] ? (k + (uint64_t)record) % 4 == 1 : 0;
}

static struct trj_frame frame_of(const struct spec *s, int record, int i) {
    int n = record * s->frames + i;
    struct trj_frame f = {.source = n >= s->records * s->frames / 2, .index = s->first + 3 * (uint64_t)n};
    f.cell = (struct trj_cell){.h = {{10 + n, 0, 0}, {0, 1 / 3.0, 0}, {0, 0.5, 7}}, .periodic = n % 2 ? 3 : 7};
    if (n % 5 == 4) f.cell = (struct trj_cell){.periodic = 0}; // no volume
    return f;
}

// Adds a frame to the record. Every third atom of the dynamic group belongs to it, from a first atom that depends on
// the frame.
static void add_frame(struct rdf_record *r, const struct spec *s, int record, int i) {
    struct trj_frame f = frame_of(s, record, i);
    struct rdf_setup setup = setup_of(s);
    uint32_t members = 0;
    for (unsigned k = (unsigned)(record + i) % 7; k < 20; k += 3) members |= 1u << k;
    f.members = &members;
    must(rdf_record_add_frame(r, &f, &err));
    struct rdf_job job = {.groups = atoms, .pairs = pairs};
    if (s->dynamic) must(rdf_record_add_groups(r, &setup, &job, s->lag ? (uint64_t[PAIRS]){1, 0, 2} : NULL, &f, &err));
    if (s->dynamic && s->excludes) rdf_record_add_excluded(r, &setup, (uint64_t[PAIRS]){3, (uint64_t)i, 0}, &f);
}

static void make(const struct spec *s) {
    struct trj_output *out;
    struct rdf_hist_writer *w;
    struct rdf_setup setup = setup_of(s);
    for (uint64_t k = 0; k < SOURCES; k++) sources[k].fingerprint = s->fingerprint + k;
    origin.source_count = 1;
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(rdf_hist_writer_open(&w, out, &setup, &origin, &err));
    for (int r = 0; r < s->records; r++) {
        struct rdf_record rec = {.frames = 0};
        for (int i = 0; i < s->frames; i++) {
            if (frame_of(s, r, i).source) origin.source_count = 2;
            add_frame(&rec, s, r, i);
        }
        rec.counts = trj_alloc(PAIRS * s->bins, sizeof *rec.counts, "counts", &err);
        for (uint64_t k = 0; k < PAIRS * s->bins; k++) rec.counts[k] = count_of(r, k);
        if (s->excludes) rec.excluded = trj_alloc(PAIRS * s->bins, sizeof *rec.excluded, "counts", &err);
        for (uint64_t k = 0; s->excludes && k < PAIRS * s->bins; k++) rec.excluded[k] = excluded_of(r, k);
        if (s->lag) {
            rec.step = 0.25 + r / 8.0;
            rec.own = trj_alloc(PAIRS, sizeof *rec.own, "counts", &err);
            rec.moved = trj_alloc(PAIRS * s->bins, sizeof *rec.moved, "counts", &err);
            for (int p = 0; p < PAIRS; p++) rec.own[p] = own[p] * (uint64_t)s->frames - (p == 2);
            for (uint64_t k = 0; k < PAIRS * s->bins; k++) rec.moved[k] = moved_of(s, r, k);
        }
        must(rdf_hist_write(w, &rec, &err));
        rdf_record_free(&rec);
    }
    must(rdf_hist_writer_finish(w, &err));
    rdf_hist_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    load();
}

// Adds the file to h and checks that no frame occurs twice.
static int read_more(struct rdf_hist *h) {
    struct trj_input *in;
    err = (struct trj_error){0};
    must(trj_input_open(&in, path, &err));
    int rc = rdf_hist_read(h, in, &err);
    trj_input_close(in);
    return rc || rdf_hist_check_frames(h, &err) ? -1 : 0;
}

static void rejects(const char *what, const char *word) {
    struct rdf_hist h = {.records = NULL};
    ok(read_more(&h) == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, word), "%s: %s", what, err.text);
    rdf_hist_free(&h);
}

static bool same_record(const struct rdf_record *r, const struct spec *s, int record, uint32_t base) {
    struct rdf_record want = {.frames = 0};
    for (int i = 0; i < s->frames; i++) add_frame(&want, s, record, i);
    bool good =
        r->frames == want.frames && r->volume_frames == want.volume_frames &&
        !memcmp(&r->volume, &want.volume, sizeof r->volume) &&
        !memcmp(&r->inverse_volume, &want.inverse_volume, sizeof r->inverse_volume) &&
        r->volume_min == want.volume_min && r->volume_max == want.volume_max && r->height_min == want.height_min &&
        r->height_max == want.height_max && !memcmp(r->spacing_min, want.spacing_min, sizeof want.spacing_min) &&
        !memcmp(r->spacing_max, want.spacing_max, sizeof want.spacing_max) && r->periodic_all == want.periodic_all &&
        r->periodic_any == want.periodic_any && r->run_count == want.run_count;
    for (size_t i = 0; good && i < r->run_count; i++) {
        const struct trj_frame_run *a = &r->runs[i], *b = &want.runs[i];
        good = a->source == b->source + base && a->first == b->first && a->step == b->step && a->count == b->count;
    }
    for (uint64_t k = 0; good && k < PAIRS * s->bins; k++) good = r->counts[k] == count_of(record, k);
    good = good && !r->excluded == !s->excludes;
    for (uint64_t k = 0; good && s->excludes && k < PAIRS * s->bins; k++)
        good = r->excluded[k] == excluded_of(record, k);
    good = good && !r->pair_sums == !s->dynamic && !r->group_atoms == !s->dynamic && !r->own == !s->lag &&
           !r->moved == !s->lag && (!s->lag || r->step == 0.25 + record / 8.0);
    for (uint64_t k = 0; good && s->lag && k < PAIRS * s->bins; k++)
        good = r->moved[k] == moved_of(s, record, k) &&
               r->own[k / s->bins] == own[k / s->bins] * (uint64_t)s->frames - (k / s->bins == 2);
    if (good && s->dynamic)
        good = !memcmp(r->group_atoms, want.group_atoms, sizeof(uint64_t[GROUPS])) &&
               !memcmp(r->pair_sums, want.pair_sums, sizeof(struct rdf_pair_sums[PAIRS]));
    rdf_record_free(&want);
    return good;
}

static bool same_setup(const struct rdf_setup *a, const struct spec *s) {
    bool good = a->bins.rmin == 0.5 && a->bins.rmax == 9.75 && a->bins.count == s->bins && a->group_count == GROUPS &&
                a->pair_count == PAIRS;
    for (int i = 0; good && i < GROUPS; i++)
        good = !strcmp(a->groups[i].name, groups[i].name) && a->groups[i].atoms == groups[i].atoms;
    for (int i = 0; good && i < PAIRS; i++)
        good = a->pairs[i].a == pairs[i].a && a->pairs[i].b == pairs[i].b && a->pairs[i].pairs == pairs[i].pairs;
    good = good && a->system_atoms == (s->composed ? 33 : 0) && !a->element_from == !s->composed &&
           (!s->composed || !strcmp(a->element_from, "mass"));
    for (int i = 0; good && i < GROUPS; i++)
        good = a->groups[i].element_count == groups[i].element_count && !a->groups[i].elements == !s->composed &&
               (!s->composed || !memcmp(a->groups[i].elements, groups[i].elements,
                                        groups[i].element_count * sizeof *groups[i].elements));
    good = good && a->lag.frames == s->lag && !a->lag.own == !s->lag && !a->lag.self;
    if (s->lag) good = good && a->lag.time == 0.5 && !memcmp(a->lag.own, own, sizeof own);
    if (!s->excludes) return good && !a->exclusion && !a->excluded;
    return good && !strcmp(a->exclusion, "bonds:2") && !memcmp(a->excluded, excluded, sizeof excluded);
}

static void check_whole(const struct spec *s, const char *name) {
    struct rdf_hist h = {.records = NULL};
    make(s);
    bool good = read_more(&h) == 0 && same_setup(&h.setup, s) && h.record_count == (size_t)s->records;
    for (int r = 0; good && r < s->records; r++) good = same_record(&h.records[r], s, r, 0);
    ok(good, "%s: %zu records are read as written", name, h.record_count);
    good = h.source_count == origin.source_count && h.provenance.count == 2;
    for (size_t i = 0; good && i < h.source_count; i++)
        good = !strcmp(h.sources[i].name, sources[i].name) && h.sources[i].fingerprint == sources[i].fingerprint;
    for (size_t i = 0; good && i < 2; i++) good = !strcmp(h.provenance.text[i], provenance[i]);
    ok(good, "%s: sources and provenance are read as written", name);
    rdf_hist_free(&h);
}

// Checks both parts of counts with excluded pairs.
static void check_parts(const struct spec *s, const char *name) {
    make(s);
    for (int part = RDF_PART_REST; part <= RDF_PART_EXCLUDED; part++) {
        struct rdf_hist h = {.part = (enum rdf_part)part};
        bool rest = part == RDF_PART_REST, good = read_more(&h) == 0;
        for (size_t p = 0; good && p < PAIRS; p++)
            good = h.setup.pairs[p].pairs == pairs[p].pairs - (rest ? excluded[p] : 0) &&
                   h.setup.excluded[p] == excluded[p];
        for (int r = 0; good && r < s->records; r++) {
            struct rdf_record want = {.frames = 0};
            const struct rdf_record *got = &h.records[r];
            for (int i = 0; i < s->frames; i++) add_frame(&want, s, r, i);
            for (uint64_t k = 0; good && k < PAIRS * s->bins; k++)
                good = got->counts[k] == (rest ? count_of(r, k) - excluded_of(r, k) : excluded_of(r, k));
            for (size_t p = 0; good && s->dynamic && p < PAIRS; p++) {
                const struct rdf_pair_sums *a = &got->pair_sums[p], *b = &want.pair_sums[p];
                double out = rest ? trj_exact_value(&b->excluded) : 0;
                double dense = rest ? trj_exact_value(&b->excluded_density) : 0;
                good = trj_exact_value(&a->pairs) == trj_exact_value(&b->pairs) - out &&
                       fabs(trj_exact_value(&a->pair_density) - trj_exact_value(&b->pair_density) + dense) < 1e-12 &&
                       !memcmp(&a->product, &b->product, sizeof a->product);
            }
            rdf_record_free(&want);
        }
        ok(good, "%s: %s", name, rest ? "the remaining counts" : "the counts of excluded pairs");
        rdf_hist_free(&h);
    }
}

// Derives the composition from the elements of a frame stream, whose last two atoms are centres.
static void check_compose(void) {
    uint32_t element[] = {8, 1, 1, 8, 0, 1, 0, 0}, first[] = {0, 3}, second[] = {1, 2, 4, 5, 7};
    struct trj_group of[] = {{.count = 2, .atoms = first}, {.count = 5, .atoms = second}};
    struct rdf_hist_group to[] = {{.atoms = 2}, {.atoms = 5}};
    struct trj_stream_header h = {
        .atoms = 8, .centres = 2, .source_atoms = 9, .groups = of, .group_count = 2, .precision = 0.5};
    struct rdf_setup s = {.groups = to, .group_count = 2};
    must(rdf_setup_compose(&s, &h, &err));
    ok(s.trajectory_atoms == 9 && s.centres == 2, "stream without elements: the number of atoms is known");
    ok(s.precision == 0.5, "the precision is that of the frame stream");
    ok(!s.system_atoms && !to[0].elements, "stream without elements: the composition is unknown");
    h.element = element;
    h.element_from = (char[]){"name"};
    must(rdf_setup_compose(&s, &h, &err));
    const struct rdf_element_count *e = to[1].elements;
    ok(s.system_atoms == 9 && !strcmp(s.element_from, "name") && to[0].element_count == 1 &&
           to[0].elements[0].number == 8 && to[0].elements[0].atoms == 2 && to[1].element_count == 2 &&
           e[0].number == 0 && e[0].atoms == 2 && e[1].number == 1 && e[1].atoms == 3,
       "stream with elements: the composition of each group is known");
    rdf_setup_drop_composition(&s);
    ok(!s.system_atoms && !s.element_from && !to[0].elements && !to[1].element_count,
       "rdf_setup_drop_composition: nothing of the composition remains");
}

// Checks the self part of pairs of groups with common atoms.
static void check_self(const struct spec *s, const char *name) {
    struct rdf_hist h = {.self = true};
    make(s);
    bool good = read_more(&h) == 0 && h.setup.pair_count == 2 && h.setup.lag.self && h.setup.pairs[0].a == 0 &&
                h.setup.pairs[1].a == 1 && h.setup.pairs[0].pairs == 10 && h.setup.pairs[1].pairs == 20;
    for (int r = 0; good && r < s->records; r++) {
        const struct rdf_record *got = &h.records[r];
        struct rdf_record want = {.frames = 0};
        for (int i = 0; i < s->frames; i++) add_frame(&want, s, r, i);
        good = got->own[0] == 10 * (uint64_t)s->frames && got->own[1] == 20 * (uint64_t)s->frames - 1;
        for (uint64_t k = 0; good && k < s->bins; k++)
            good = got->counts[k] == moved_of(s, r, k) && got->counts[s->bins + k] == moved_of(s, r, 2 * s->bins + k);
        if (s->dynamic) good = good && !memcmp(&got->pair_sums[1], &want.pair_sums[2], sizeof *want.pair_sums);
        rdf_record_free(&want);
    }
    ok(good, "%s: the self part is correct", name);
    rdf_hist_free(&h);
}

// Properties of frames in a record, with independently computed numbers.
static void check_add_frame(void) {
    struct rdf_record r = {.frames = 0};
    struct trj_frame f = {.cell = {.h = {{2, 0, 0}, {0, 3, 0}, {0, 0, 5}}, .periodic = 7}, .index = 4};
    must(rdf_record_add_frame(&r, &f, &err));
    f.cell.h[0][0] = 4; // 4 * 3 * 5, periodic along a and c: 3 thick
    f.cell.periodic = 5;
    f.index = 6;
    must(rdf_record_add_frame(&r, &f, &err));
    f.cell.periodic = 6; // b and c: 8 thick
    f.cell.h[0][0] = 8;
    f.index = 8;
    must(rdf_record_add_frame(&r, &f, &err));
    ok(r.frames == 3 && r.volume_frames == 3 && trj_exact_value(&r.volume) == 30 + 60 + 120 && r.volume_min == 30 &&
           r.volume_max == 120 && fabs(trj_exact_value(&r.inverse_volume) - (1 / 30. + 1 / 60. + 1 / 120.)) < 1e-17,
       "volumes");
    ok(r.height_min == 3 && r.height_max == 8, "thickness of slabs: %g to %g", r.height_min, r.height_max);
    ok(r.spacing_min[0] == 2 && r.spacing_max[0] == 8 && r.spacing_min[1] == 3 && r.spacing_max[1] == 3 &&
           r.spacing_min[2] == 5 && r.spacing_max[2] == 5,
       "distances between faces");
    ok(r.periodic_all == 4 && r.periodic_any == 7, "periodic directions of all frames, and of any frame");
    memset(&f.cell, 0, sizeof f.cell);
    f.index = 10;
    must(rdf_record_add_frame(&r, &f, &err));
    ok(r.frames == 4 && r.volume_frames == 3 && r.volume_min == 30 && r.periodic_all == 0,
       "frame without a cell: counted, without a volume");
    ok(r.run_count == 1 && r.runs[0].first == 4 && r.runs[0].step == 2 && r.runs[0].count == 4,
       "frames at equal distances: one run");
    f.cell = (struct trj_cell){.h = {{1e70, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .periodic = 7};
    ok(rdf_record_add_frame(&r, &f, &err) == -1 && err.status == TRJ_BAD_DATA, "%s", err.text);
    rdf_record_free(&r);

    // Runs contain exactly the frames that were added, in any order.
    static const uint64_t lists[][10] = {{5, 6, 7, 9, 11, 13, 12, 11 << 20, 0, 1},
                                         {9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
                                         {0, UINT64_MAX, 1, UINT64_MAX - 1, 2, 3, 5, 7, 9, 10},
                                         {0, 3ull << 62, 1ull << 63, 4, 5, 6, 1, 2, 3, 9}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        memset(&f.cell, 0, sizeof f.cell);
        bool good = true;
        uint64_t n = 0;
        for (int i = 0; i < 10; i++) {
            f.index = lists[k][i];
            must(rdf_record_add_frame(&r, &f, &err));
        }
        for (size_t i = 0; i < r.run_count; i++)
            for (uint64_t m = 0; m < r.runs[i].count; m++, n++)
                good = good && n < 10 && r.runs[i].first + m * r.runs[i].step == lists[k][n];
        ok(good && n == 10 && r.frames == 10, "list %zu: its frames are in %zu runs", k, r.run_count);
        rdf_record_free(&r);
    }
    for (uint32_t i = 0; i < 4; i++) { // sources alternate: no run contains both
        f.index = i;
        f.source = i % 2;
        must(rdf_record_add_frame(&r, &f, &err));
    }
    ok(r.run_count == 4, "frames of two sources in turn: one run for each");
    rdf_record_free(&r);
}

// ---- damage

// Three frames with none, one, and all of the hydrogen atoms, with volumes of 100, 200 and none.
static void check_add_groups(void) {
    static const uint32_t members[] = {0, 1u << 4, 0xfffff};
    const struct spec s = {.bins = 1, .dynamic = true};
    struct rdf_setup setup = setup_of(&s);
    struct rdf_record r = {.frames = 0};
    for (int i = 0; i < 3; i++) {
        uint32_t mine = members[i];
        struct trj_frame f = {.index = (uint64_t)i, .members = &mine};
        if (i < 2) f.cell = (struct trj_cell){.h = {{10, 0, 0}, {0, 10, 0}, {0, 0, 1 + i}}, .periodic = 7};
        must(rdf_record_add_groups(&r, &setup, &(struct rdf_job){.groups = atoms, .pairs = pairs}, NULL, &f, &err));
    }
    ok(r.group_atoms[0] == 30 && r.group_atoms[1] == 0 + 1 + 20, "sums of the atoms of groups over all frames");
    const struct {
        double pairs, product, pair_density, product_density;
    } want[PAIRS] = {{3 * 45, 3 * 50, 45 / 100.0 + 45 / 200.0, 50 / 100.0 + 50 / 200.0},
                     {0 + 9 + 195, 0 + 10 + 200, 9 / 200.0, 10 / 200.0},
                     {0 + 0 + 190, 0 + 0.5 + 200, 0, 0.5 / 200}};
    for (size_t p = 0; p < PAIRS; p++) {
        const struct rdf_pair_sums *x = &r.pair_sums[p];
        ok(trj_exact_value(&x->pairs) == want[p].pairs && trj_exact_value(&x->product) == want[p].product &&
               fabs(trj_exact_value(&x->pair_density) - want[p].pair_density) < 1e-15 &&
               fabs(trj_exact_value(&x->product_density) - want[p].product_density) < 1e-15,
           "pairs of groups that change, and their densities: %g %g", trj_exact_value(&x->pairs),
           trj_exact_value(&x->product));
    }
    rdf_record_free(&r);
}

static void check_cuts(const struct spec *s, const char *name) {
    make(s);
    bool good = true;
    for (size_t cut = made_size; cut--;) {
        struct rdf_hist h = {.records = NULL};
        if (truncate(path, (off_t)cut)) abort();
        if (read_more(&h) != -1 || err.status != TRJ_BAD_DATA) {
            printf("# cut at %zu: %s\n", cut, err.text);
            good = false;
        }
        rdf_hist_free(&h);
    }
    ok(good, "%s: truncated at each of %zu bytes", name, made_size);
}

static void check_flips(const struct spec *s, const char *name) {
    static const unsigned char patterns[] = {0x01, 0x80, 0xff};
    make(s);
    bool good = true;
    FILE *f = fopen(path, "r+b");
    for (size_t i = 0; i < made_size; i++)
        for (size_t p = 0; p <= sizeof patterns; p++) {
            struct rdf_hist h = {.records = NULL};
            int byte = p < sizeof patterns ? made[i] ^ patterns[p] : made[i];
            if (fseek(f, (long)i, SEEK_SET) || fputc(byte, f) == EOF || fflush(f)) abort();
            if (p == sizeof patterns) break;
            if (read_more(&h) != -1 || err.status != TRJ_BAD_DATA) {
                printf("# byte %zu, pattern %02x: %s\n", i, patterns[p], err.text);
                good = false;
            }
            rdf_hist_free(&h);
        }
    fclose(f);
    ok(good, "%s: each of %zu bytes damaged in %zu ways", name, made_size, sizeof patterns);
}

static size_t append(size_t at, size_t k) {
    memcpy(changed + at, made + border[k], border[k + 1] - border[k]);
    return at + border[k + 1] - border[k];
}

static void check_places(const struct spec *s, const char *name) {
    make(s);
    memcpy(changed, made, TRJ_STREAM_HEADER);
    bool good = true;
    int tried = 0;
    for (int way = 0; way < 3; way++)
        for (size_t i = 0; i < blocks; i++)
            for (size_t j = i; j < blocks; j++) {
                size_t at = TRJ_STREAM_HEADER;
                struct rdf_hist h = {.records = NULL};
                if (way == 2 && i == j) continue;
                for (size_t k = 0; k < blocks; k++) { // i to j removed; i to j repeated; i and j exchanged
                    if (way == 0 && k >= i && k <= j) continue;
                    at = append(at, way != 2 ? k : k == i ? j : k == j ? i : k);
                    for (size_t m = i; way == 1 && k == j && m <= j; m++) at = append(at, m);
                }
                save(changed, at);
                tried++;
                if (read_more(&h) != -1 || err.status != TRJ_BAD_DATA) {
                    printf("# way %d, %zu to %zu: %s\n", way, i, j, err.text);
                    good = false;
                }
                rdf_hist_free(&h);
            }
    ok(good && tried > 50, "%s: blocks removed, repeated, exchanged: %d cases", name, tried);
}

// ---- concatenated streams

// Copies made[] to changed[], from `at` on. Returns the end of the copy.
static size_t append_made(size_t at) {
    memcpy(changed + at, made, made_size);
    return at + made_size;
}

static const struct spec base = {.bins = 40, .records = 2, .frames = 3, .fingerprint = 1000};

static void check_merge(void) {
    struct spec other = base;
    other.first = 100;
    struct rdf_hist h = {.records = NULL};
    make(&base);
    size_t n = append_made(0);
    make(&other);
    save(changed, append_made(n));
    bool good = read_more(&h) == 0 && h.record_count == 4 && h.source_count == 2 && h.provenance.count == 2;
    for (int r = 0; good && r < 4; r++) good = same_record(&h.records[r], r < 2 ? &base : &other, r % 2, 0);
    ok(good, "two streams of the same sources: added: %s", err.text);
    rdf_hist_free(&h);

    struct spec third = base; // the same frames of other files
    third.fingerprint = 2000;
    make(&third);
    save(changed, append_made(n));
    good = read_more(&h) == 0 && h.record_count == 4 && h.source_count == 4;
    for (int r = 0; good && r < 4; r++) good = same_record(&h.records[r], &base, r % 2, r < 2 ? 0 : 2);
    ok(good, "frames of other sources with the same numbers: added");
    make(&other);
    good = read_more(&h) == 0 && h.record_count == 6 && h.source_count == 4 && same_record(&h.records[4], &other, 0, 0);
    ok(good, "another input with known sources: added");
    rdf_hist_free(&h);

    third.fingerprint = 1001; // its first source is the second source of the other stream, with another name
    third.first = 50;
    make(&third);
    save(changed, append_made(n));
    good = read_more(&h) == 0 && h.source_count == 3 && h.records[2].runs[0].source == 1;
    ok(good, "sources are identified by fingerprint, not by number or name");
    rdf_hist_free(&h);

    make(&base);
    save(changed, append_made(n));
    rejects("the same stream twice", "frame 0 of a.dcd is counted twice");
    make(&base);
    good = read_more(&h) == 0 && read_more(&h) == -1;
    ok(good && err.status == TRJ_BAD_DATA && has_text(err.text, "counted twice"), "the same input twice: %s", err.text);
    rdf_hist_free(&h);
    other.first = 6; // frames 6, 9, 12 ... of base are 6, 9 ...
    make(&other);
    save(changed, append_made(n));
    rejects("runs that overlap", "counted twice");
    other.first = 1; // 1, 4, 7 ... and 0, 3, 6 ...
    make(&other);
    save(changed, append_made(n));
    ok(read_more(&h) == 0, "runs that interleave: added");
    rdf_hist_free(&h);

    make(&base);
    save(changed, append_made(n) - 1);
    rejects("the second stream is truncated", "");
    memcpy(changed + made_size, "x", 1);
    save(changed, made_size + 1);
    rejects("a byte after the end", "truncated in the stream header");
    memset(changed + made_size, 0, 100);
    save(changed, made_size + 100);
    rejects("zeros after the end", "is not a trjpipe histogram stream");
    save(changed, 0);
    rejects("empty input", "is empty");
    struct spec none = base;
    none.records = 0;
    make(&none);
    rejects("no records", "contains no record; run rdfhist again");
    size_t at = append_made(0);
    make(&base);
    save(changed, append_made(at));
    ok(read_more(&h) == 0 && h.record_count == 2, "stream without records before one with records: read");
    rdf_hist_free(&h);
}

// Records with different lags cannot be added.
static void check_lags(const struct spec *s) {
    static const struct {
        uint64_t lag;
        double time;
        const char *word;
    } others[] = {{3, 0.5, "expected a lag of 7 frames, found 3"},
                  {7, 0.51, "expected a lag of 0.5 ps, found 0.51 ps"},
                  {7, NAN, "expected a lag of 0.5 ps, found nan ps"},
                  {0, 0, "expected a lag of 7 frames, found 0"},
                  {7, 0.5004, NULL}};
    struct spec other = *s;
    make(s);
    size_t at = append_made(0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct trj_output *out;
        struct rdf_hist_writer *w;
        other.first = 1000;
        struct rdf_setup setup = setup_of(&other);
        setup.lag.frames = others[i].lag;
        setup.lag.time = others[i].time;
        must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
        must(rdf_hist_writer_open(&w, out, &setup, &origin, &err));
        must(rdf_hist_writer_finish(w, &err));
        rdf_hist_writer_close(w);
        must(trj_output_commit(out, &err));
        trj_output_close(out);
        load();
        save(changed, append_made(at));
        struct rdf_hist h = {.records = NULL};
        if (others[i].word)
            rejects("another lag", others[i].word);
        else
            ok(read_more(&h) == 0, "nearly the same time: added");
        rdf_hist_free(&h);
    }
    struct rdf_hist h = {.self = true};
    pairs[0].pairs = 45, pairs[2].pairs = 190;
    make(&base);
    ok(read_more(&h) == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, "no self part"), "%s", err.text);
    rdf_hist_free(&h);
}

static void rejects_setup(const char *what, const char *word, uint64_t bins) {
    struct spec s = base;
    s.bins = bins;
    s.first = 1000;
    make(&s);
    size_t first = 0;
    struct spec b = base;
    memcpy(changed + MAX_BYTES / 2, made, made_size);
    size_t second = made_size;
    // The reference stream has the unchanged set-up.
    struct rdf_hist_group kept[GROUPS];
    struct rdf_pair kept_pairs[PAIRS];
    memcpy(kept, groups, sizeof kept);
    memcpy(kept_pairs, pairs, sizeof kept_pairs);
    groups[0] = (struct rdf_hist_group){.name = (char[]){"O"}, .atoms = 10};
    groups[1] = (struct rdf_hist_group){.name = (char[]){"H"}, .atoms = 20};
    pairs[0] = (struct rdf_pair){0, 0, 45};
    pairs[1] = (struct rdf_pair){0, 1, 200};
    make(&b);
    first = append_made(0);
    memmove(changed + first, changed + MAX_BYTES / 2, second);
    save(changed, first + second);
    rejects(what, word);
}

static void check_setups(void) {
    rejects_setup("other bins",
                  "cannot be added to the previous records: expected 40 bins over [0.5, 9.75) Å, found 41 over [0.5, "
                  "9.75); count each "
                  "stream with rdfhist -r 9.75 -b 40 --rmin 0.5",
                  41);
    groups[0].name = (char[]){"o"};
    rejects_setup("a group of another name", "expected group O, found o", 40);
    groups[1].atoms = 21;
    rejects_setup("a group of other size", "expected 20 atoms in group H, found 21", 40);
    pairs[1].a = 1;
    rejects_setup("other pairs of groups", "expected pair O:H, found H:H", 40);
    pairs[1].pairs = 199;
    rejects_setup("another number of pairs", "expected 200 pairs of atoms in O:H, found 199", 40);
    pairs[1].pairs = 200;
    groups[0].name = (char[]){"O"}; // rejects_setup changed these
    groups[1].name = (char[]){"H"};

    struct spec other = base;
    other.excludes = true;
    make(&other);
    size_t at = append_made(0);
    other.first = 1000;
    excluded[0] = 6;
    make(&other);
    excluded[0] = 5;
    save(changed, append_made(at));
    rejects("another number of excluded pairs", "expected 5 excluded pairs, found 6 (bonds:2)");
    other.excludes = false;
    make(&other);
    save(changed, append_made(at));
    rejects("no excluded pairs", "expected excluded pairs bonds:2, found none");

    other.first = 0;
    other.composed = true;
    make(&other);
    at = append_made(0);
    other.first = 1000;
    elements[0].number = 16;
    make(&other);
    elements[0].number = 8;
    save(changed, append_made(at));
    rejects("other elements", "group O: the elements differ");
    elements[1] = (struct rdf_element_count){0, 4};
    elements[2] = (struct rdf_element_count){1, 16};
    make(&other);
    elements[1] = (struct rdf_element_count){0, 5};
    elements[2] = (struct rdf_element_count){1, 15};
    save(changed, append_made(at));
    rejects("other numbers of atoms of elements", "group H: the elements differ");
    // If one stream lacks the composition, before or after the other one, that of the sum is unknown.
    for (int first = 0; first < 2; first++) {
        struct rdf_hist h = {.records = NULL};
        other.first = 0;
        other.composed = first;
        make(&other);
        at = append_made(0);
        other.first = 1000;
        other.composed = !first;
        make(&other);
        save(changed, append_made(at));
        ok(read_more(&h) == 0 && h.record_count == 4 && !h.setup.system_atoms && !h.setup.element_from &&
               !h.setup.groups[0].element_count && !h.setup.groups[1].elements,
           "elements that only one stream tells");
        rdf_hist_free(&h);
    }
}

// ---- streams made of blocks by hand

struct parts {
    struct rdf_bins bins;
    uint32_t group_count, pair_count;
    struct rdf_pair pair;
    uint64_t frames, volume_frames, run_count, bins_there;
    struct trj_frame_run run;
    uint64_t source; // of the run, 64 bits as stored
    uint64_t second; // a second run of 2^63 plus this number of frames
    uint64_t end[3];
    size_t spare;
    uint32_t dynamic; // block CHNG, and the number of sums in its records
    int sums;
    const char *exclusion; // EXCL, and of how many counts all are excluded
    uint64_t excluded, excluded_there, excluded_less;
    double spacing[6];
    uint64_t system_atoms, element_atoms; // COMP, and of two elements
    uint64_t trajectory_atoms;            // SYST, which may be too short
    bool system_short;
    double precision; // PREC
    uint32_t kinds, element[2];
    uint64_t lag, own, went, moved, moved_there; // block LAGS, number of moved atoms, and of those in each bin
    double lag_time, step;
    const char *order; // s(ETU) (CHN)g (E)x(CL) l(AGS) (COM)q (S)y(ST) k (PREC) p(ROV) c (SRCE) d (SPAC) r(ECO) e(ND)
    const char *unknown;
    bool unknown_required;
    unsigned major, minor;
};

static const struct parts whole = {.bins = {0, 4, 4},
                                   .group_count = 1,
                                   .pair_count = 1,
                                   .pair = {0, 0, 3},
                                   .frames = 2,
                                   .volume_frames = 2,
                                   .run_count = 1,
                                   .bins_there = 4,
                                   .run = {0, 5, 2, 2},
                                   .end = {1, 2, 10},
                                   .dynamic = 1,
                                   .sums = 1 + 4 * TRJ_EXACT_LIMBS,
                                   .exclusion = "residue",
                                   .excluded = 3,
                                   .excluded_there = 4,
                                   .spacing = {1, 2, 3, 3, 4, 5},
                                   .system_atoms = 5,
                                   .trajectory_atoms = 7,
                                   .precision = 0.25,
                                   .element_atoms = 1,
                                   .kinds = 2,
                                   .element = {0, 118},
                                   .lag = 2,
                                   .lag_time = 0.25,
                                   .own = 3,
                                   .went = 6,
                                   .moved = 1,
                                   .moved_there = 4,
                                   .step = 0.5,
                                   .order = "spcre",
                                   .major = 1};

static void by_hand(const struct parts *p) {
    static const char *const names[] = {
        ['s'] = "SETU", ['p'] = "PROV", ['c'] = "SRCE", ['r'] = "RECO", ['g'] = "CHNG", ['x'] = "EXCL",
        ['l'] = "LAGS", ['q'] = "COMP", ['y'] = "SYST", ['k'] = "PREC", ['d'] = "SPAC", ['e'] = "END!"};
    struct trj_stream_kind k = kind;
    struct trj_output *out;
    struct trj_block_writer *w;
    k.major = (uint16_t)p->major;
    k.minor = (uint16_t)p->minor;
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_block_writer_open(&w, out, &k, 0, &err));
    for (const char *o = p->order; *o; o++) {
        struct trj_bytes b = {0};
        switch (*o) {
        case 's':
            trj_put_f64(&b, p->bins.rmin);
            trj_put_f64(&b, p->bins.rmax);
            trj_put_u64(&b, p->bins.count);
            trj_put_u32(&b, p->group_count);
            trj_put_text(&b, "all");
            trj_put_u64(&b, 3);
            trj_put_u32(&b, p->pair_count);
            trj_put_u32(&b, p->pair.a);
            trj_put_u32(&b, p->pair.b);
            trj_put_u64(&b, p->pair.pairs);
            break;
        case 'p':
            trj_put_u32(&b, 1);
            trj_put_text(&b, "hand");
            break;
        case 'c':
            trj_put_text(&b, "x");
            trj_put_u64(&b, 99);
            break;
        case 'r':
            trj_put_u64(&b, p->frames);
            trj_put_u64(&b, p->volume_frames);
            for (int i = 0; i < 2 * TRJ_EXACT_LIMBS; i++) trj_put_u64(&b, 0);
            for (int i = 0; i < 4; i++) trj_put_f64(&b, 0);
            trj_put_u32(&b, 7);
            trj_put_u32(&b, 7);
            trj_put_u64(&b, p->run_count);
            trj_put_u64(&b, p->source);
            trj_put_u64(&b, p->run.first);
            trj_put_u64(&b, p->run.step);
            trj_put_u64(&b, p->run.count);
            if (p->second) trj_put_u64s(&b, (uint64_t[]){0, 0, 1, ((uint64_t)1 << 63) + p->second}, 4);
            for (uint64_t i = 0; i < p->bins_there; i++) trj_put_u64(&b, i + 1);
            for (uint64_t i = 0; strchr(p->order, 'x') && i < p->excluded_there; i++)
                trj_put_u64(&b, i + 1 - p->excluded_less);
            if (strchr(p->order, 'g'))
                for (int i = 0; i < p->sums; i++) trj_put_u64(&b, 0);
            if (!strchr(p->order, 'l')) break;
            trj_put_f64(&b, p->step);
            trj_put_u64(&b, p->went);
            for (uint64_t i = 0; i < p->moved_there; i++) trj_put_u64(&b, p->moved);
            break;
        case 'g':
            trj_put_u32(&b, p->dynamic);
            break;
        case 'x':
            trj_put_text(&b, p->exclusion);
            trj_put_u64(&b, p->excluded);
            break;
        case 'd':
            for (int i = 0; i < 6; i++) trj_put_f64(&b, p->spacing[i]);
            break;
        case 'q':
            trj_put_u64(&b, p->system_atoms);
            trj_put_text(&b, "");
            trj_put_u32(&b, p->kinds);
            trj_put_u32(&b, p->element[0]);
            trj_put_u64(&b, p->element_atoms);
            trj_put_u32(&b, p->element[1]);
            trj_put_u64(&b, 2);
            break;
        case 'y':
            trj_put_u64(&b, p->trajectory_atoms);
            if (!p->system_short) trj_put_u64(&b, 2);
            break;
        case 'k':
            trj_put_f64(&b, p->precision);
            break;
        case 'l':
            trj_put_u64(&b, p->lag);
            trj_put_f64(&b, p->lag_time);
            trj_put_u64(&b, p->own);
            break;
        default:
            trj_put_u64s(&b, p->end, 3);
        }
        for (size_t i = 0; i < p->spare; i++) trj_put_raw(&b, "\377", 1);
        must(trj_block_write(w, names[(unsigned char)*o], !strchr("pdqk", *o), &b, &err));
        b.size = 0;
        trj_put_u64(&b, 1);
        if (p->unknown && *o != 'e') must(trj_block_write(w, p->unknown, p->unknown_required, &b, &err));
        trj_bytes_free(&b);
    }
    trj_block_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
}

static void accepts(const char *what, const struct parts *p, size_t records) {
    struct rdf_hist h = {.records = NULL};
    by_hand(p);
    bool good = read_more(&h) == 0 && h.record_count == records && h.setup.bins.rmax == 4.0 && h.setup.pair_count == 1;
    for (size_t i = 0; good && i < records; i++)
        good = h.records[i].frames == 2 && h.records[i].counts[0] == 1 && h.records[i].counts[3] == 4;
    ok(good, "%s%s%s", what, good ? "" : ": ", good ? "" : err.text);
    rdf_hist_free(&h);
}

static void check_by_hand(void) {
    struct parts p = whole;
    accepts("stream made by hand", &p, 1);
    p.order = "sgpcre";
    accepts("with a dynamic group", &p, 1);
    p.order = "sgxpcre";
    p.sums += 2 * TRJ_EXACT_LIMBS;
    accepts("with a dynamic group and excluded pairs", &p, 1);
    p.order = "sxpcre";
    accepts("with excluded pairs", &p, 1);
    p.order = "spcdre";
    accepts("with distances between cell faces", &p, 1);
    struct rdf_hist spaced = {.records = NULL};
    ok(read_more(&spaced) == 0 && spaced.records[0].spacing_min[0] == 1 && spaced.records[0].spacing_max[0] == 2 &&
           spaced.records[0].spacing_min[2] == 4 && spaced.records[0].spacing_max[2] == 5,
       "distances between cell faces are those of the record");
    rdf_hist_free(&spaced);
    p.order = "sgxqpcre";
    accepts("with excluded pairs, a dynamic group and the elements", &p, 1);
    p.order = "sqpcre";
    accepts("with the elements", &p, 1);
    p.order = "sqypcre";
    accepts("with the elements and the atoms of the system", &p, 1);
    struct rdf_hist system = {.records = NULL};
    ok(read_more(&system) == 0 && system.setup.trajectory_atoms == 7 && system.setup.centres == 2,
       "atoms of the system are those written");
    rdf_hist_free(&system);
    p.order = "sykpcre";
    accepts("with the atoms of the system and a precision", &p, 1);
    p.pair.pairs = 6; // pairs among three atoms, in both orders
    p.order = "sxlpcre";
    accepts("with excluded pairs and a lag", &p, 1);
    p.order = "sgxlpcre";
    accepts("with a dynamic group, excluded pairs and a lag", &p, 1);
    p.excluded = 0;
    p.order = "slpcre";
    p.lag_time = NAN;
    accepts("with a lag", &p, 1);
    p = whole;
    p.minor = 7;
    p.spare = 29;
    p.unknown = "new?";
    accepts("newer minor version: longer blocks, and unknown blocks between them", &p, 1);
    by_hand(&whole);
    load();
    size_t at = append_made(0);
    p.run.first = 6;
    by_hand(&p);
    load();
    save(changed, append_made(at));
    struct rdf_hist h = {.records = NULL};
    ok(read_more(&h) == 0 && h.record_count == 2, "older and newer stream: added");
    rdf_hist_free(&h);
    p.unknown_required = true;
    by_hand(&p);
    rejects("an unknown required block", "block new? at byte ");
    p = whole;
    p.major = 2;
    by_hand(&p);
    rejects("a newer major version", "histogram stream of version 2");

    // A second stream must have a set-up of its own.
    by_hand(&whole);
    load();
    at = append_made(0);
    p = whole;
    p.order = "cre";
    p.run.first = 100;
    by_hand(&p);
    load();
    save(changed, append_made(at));
    rejects("a second stream without a set-up", "before the set-up");
}

static void check_content(void) {
#define BAD(what, word, ...)                                                                                           \
    do {                                                                                                               \
        struct parts p = whole;                                                                                        \
        __VA_ARGS__;                                                                                                   \
        by_hand(&p);                                                                                                   \
        rejects(what, word);                                                                                           \
    } while (0)
    BAD("no set-up", "before the set-up", p.order = "pcre");
    BAD("set-up twice", "second set-up", p.order = "sscre");
    BAD("no source", "frame range", p.order = "spre");
    BAD("source after its record", "frame range", p.order = "sprce");
    BAD("no end", "truncated: END block missing after 1 records; run rdfhist again", p.order = "scr");
    BAD("no records", "contains no record; run rdfhist again", p.order = "sce"; memset(p.end, 0, sizeof p.end));
    BAD("other number of records", "totals", p.end[0] = 2);
    BAD("other number of frames", "totals", p.end[1] = 1);
    BAD("other number of counts", "totals", p.end[2] = 9);
    BAD("no bins", "bins", p.bins.count = 0);
    BAD("2^63 bins", "bins", p.bins.count = (uint64_t)1 << 63);
    BAD("10 million missing bins", "too short", p.bins.count = 10000000);
    BAD("rmin below 0", "rmin", p.bins.rmin = -1);
    BAD("rmin NaN", "rmin", p.bins.rmin = NAN);
    BAD("rmax below rmin", "rmax", p.bins.rmin = 5);
    BAD("rmax infinite", "rmax", p.bins.rmax = INFINITY);
    BAD("no groups", "groups", p.group_count = 0);
    BAD("4 billion groups", "groups", p.group_count = UINT32_MAX);
    BAD("more groups than the block contains", "", p.group_count = 2);
    BAD("no pairs", "pairs", p.pair_count = 0);
    BAD("4 billion pairs", "pairs", p.pair_count = UINT32_MAX);
    BAD("more pairs than the block contains", "invalid number of pairs", p.pair_count = 2);
    BAD("a pair of a missing group", "a pair refers to a missing group", p.pair.b = 1);
    BAD("a pair of no atom pairs", "contains no pair of atoms", p.pair.pairs = 0);
    BAD("no frames", "invalid number of frames or frame ranges", p.frames = 0);
    BAD("more volumes than frames", "invalid number of frames or frame ranges", p.volume_frames = 3);
    BAD("2^60 runs", "invalid number of frames or frame ranges", p.run_count = (uint64_t)1 << 60);
    BAD("2^59 runs", "invalid number of frames or frame ranges", p.run_count = (uint64_t)1 << 59);
    BAD("runs of 2^64 + 2 frames", "invalid frame range", p.run_count = 2; p.run.count = (uint64_t)1 << 63;
        p.run.step = 1; p.second = 2);
    BAD("no runs", "do not add up", p.run_count = 0);
    BAD("runs of fewer frames", "do not add up", p.run.count = 1);
    BAD("a run of a missing source", "frame range", p.source = 1);
    BAD("source 2^32", "frame range", p.source = (uint64_t)1 << 32);
    BAD("stride 0", "frame range", p.run.step = 0);
    BAD("a run of no frames", "frame range", p.run.count = 0);
    BAD("a run beyond 2^64", "frame range", p.run.first = UINT64_MAX - 1);
    BAD("a run around 2^64", "frame range", p.run.step = (uint64_t)1 << 63; p.run.count = 3; p.frames = 3);
    BAD("a dynamic group before the set-up", "before the set-up", p.order = "gspcre");
    BAD("a dynamic group too late", "wrong place", p.order = "spgcre");
    BAD("dynamic groups twice", "wrong place", p.order = "sggpcre");
    BAD("no dynamic group", "no dynamic group", p.order = "sgpcre"; p.dynamic = 0);
    BAD("impossible flags", "flags", p.order = "sgpcre"; p.dynamic = 2);
    BAD("missing sums", "too short", p.order = "sgpcre"; p.sums--);
    BAD("excluded pairs before the set-up", "before the set-up", p.order = "xspcre");
    BAD("excluded pairs too late", "wrong place", p.order = "spxcre");
    BAD("excluded pairs twice", "wrong place", p.order = "sxxcre");
    BAD("dynamic groups after excluded pairs", "wrong place", p.order = "sxgpcre");
    BAD("more excluded pairs than pairs", "more excluded pairs than pairs", p.order = "sxpcre"; p.excluded = 4);
    BAD("more counts of excluded pairs than counts",
        "bin 0 of pair 0: 18446744073709551615 excluded pairs among 1 pairs", p.order = "sxpcre";
        p.excluded_less = 2);
    BAD("missing counts of excluded pairs", "too short", p.order = "sxpcre"; p.excluded_there = 3);
    BAD("missing sums of excluded pairs", "too short", p.order = "sgxpcre");
    BAD("missing counts", "too short", p.bins_there = 3);
    BAD("distances between faces twice", "wrong place", p.order = "spcddre");
    BAD("a SPAC block without a record", "without a record", p.order = "spcrde");
    BAD("a distance of 0 between faces", "distances between cell faces", p.order = "spcdre"; p.spacing[2] = 0);
    BAD("distances between faces in the wrong order", "distances between cell faces", p.order = "spcdre";
        p.spacing[1] = 0.5);
    BAD("infinite distances between faces", "distances between cell faces", p.order = "spcdre";
        p.spacing[5] = INFINITY);
    BAD("distances between faces, NaN", "distances between cell faces", p.order = "spcdre"; p.spacing[4] = NAN);
    BAD("atoms of the system before the set-up", "before the set-up", p.order = "yspcre");
    BAD("atoms of the system too late", "wrong place", p.order = "spycre");
    BAD("atoms of the system twice", "wrong place", p.order = "syypcre");
    BAD("elements after the atoms of the system", "wrong place", p.order = "syqpcre");
    BAD("no atoms in the system", "no atoms in the trajectory", p.order = "sypcre"; p.trajectory_atoms = 0);
    BAD("precision 0", "invalid precision", p.order = "skpcre"; p.precision = 0);
    BAD("precision NaN", "invalid precision", p.order = "skpcre"; p.precision = NAN);
    BAD("precision before the atoms of the system", "in the wrong place", p.order = "skypcre");
    BAD("atoms of the system without centres", "too short", p.order = "sypcre"; p.system_short = true);
    BAD("elements before the set-up", "before the set-up", p.order = "qspcre");
    BAD("elements too late", "wrong place", p.order = "spqcre");
    BAD("elements twice", "wrong place", p.order = "sqqpcre");
    BAD("no atoms at all", "no atoms", p.order = "sqpcre"; p.system_atoms = 0);
    BAD("no elements", "invalid number of elements", p.order = "sqpcre"; p.kinds = 0);
    BAD("4 billion elements", "invalid number of elements", p.order = "sqpcre"; p.kinds = UINT32_MAX);
    BAD("more elements than the block contains", "invalid number of elements", p.order = "sqpcre"; p.kinds = 3);
    BAD("fewer elements than atoms", "do not add up to its number of atoms", p.order = "sqpcre"; p.kinds = 1);
    BAD("an element of no atoms", "invalid composition of group all", p.order = "sqpcre"; p.element_atoms = 0);
    BAD("elements of more atoms", "invalid composition", p.order = "sqpcre"; p.element_atoms = 2);
    BAD("elements of 2^64 atoms", "invalid composition", p.order = "sqpcre"; p.element_atoms = UINT64_MAX);
    BAD("element 119", "invalid composition", p.order = "sqpcre"; p.element[1] = 119);
    BAD("an element twice", "invalid composition", p.order = "sqpcre"; p.element[0] = 118);
#undef BAD
#define BAD(what, word, ...)                                                                                           \
    do {                                                                                                               \
        struct parts p = whole;                                                                                        \
        p.pair.pairs = 6;                                                                                              \
        p.order = "slpcre";                                                                                            \
        __VA_ARGS__;                                                                                                   \
        by_hand(&p);                                                                                                   \
        rejects(what, word);                                                                                           \
    } while (0)
    BAD("a lag before the set-up", "before the set-up", p.order = "lspcre");
    BAD("a lag too late", "wrong place", p.order = "splcre");
    BAD("a lag twice", "wrong place", p.order = "sllpcre");
    BAD("dynamic groups after a lag", "wrong place", p.order = "slgpcre");
    BAD("excluded pairs after a lag", "wrong place", p.order = "slxpcre");
    BAD("a lag of 0 frames", "invalid lag", p.lag = 0);
    BAD("a lag of 0 ps", "invalid lag", p.lag_time = 0);
    BAD("a negative lag", "invalid lag", p.lag_time = -1);
    BAD("an infinite lag", "invalid lag", p.lag_time = INFINITY);
    BAD("other atoms in both groups", "invalid number of atoms in both", p.own = 2);
    BAD("2^63 atoms in both groups", "invalid number of atoms in both", p.own = (uint64_t)1 << 63);
    BAD("a negative step", "invalid step", p.step = -0.5);
    BAD("a step of NaN", "invalid step", p.step = NAN);
    BAD("too many atoms in both groups", "too many atoms in both groups", p.went = 7);
    BAD("more displacements than atoms", "more displacements than atoms in both groups, 6", p.moved = 2);
    BAD("2^63 displacements", "more displacements than atoms in both groups, 6", p.moved = (uint64_t)1 << 63);
    BAD("missing counts of displacements", "too short", p.moved_there = 3);
#undef BAD
}

// ---- frames in two runs, compared with brute force

static uint64_t next_random(void) {
    static uint64_t state = 0x2545f4914f6cdd1d;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// Returns whether rdf_hist_check_frames finds a frame in two of the runs, each of which is a record.
static bool found(const struct trj_frame_run *runs, size_t n, uint64_t *frame) {
    struct rdf_record records[8] = {{.frames = 0}};
    struct rdf_hist h = {.record_count = n, .records = records, .source_count = SOURCES, .sources = sources};
    struct trj_frame_run copy[8];
    for (size_t i = 0; i < n; i++) {
        copy[i] = runs[i];
        records[i].run_count = 1;
        records[i].runs = &copy[i];
    }
    err = (struct trj_error){0};
    int rc = rdf_hist_check_frames(&h, &err);
    const char *number = rc ? strstr(err.text, "frame ") : NULL;
    *frame = number ? strtoull(number + 6, NULL, 10) : 0;
    return rc;
}

static bool holds(const struct trj_frame_run *r, uint64_t frame) {
    return frame >= r->first && (frame - r->first) % r->step == 0 && (frame - r->first) / r->step < r->count;
}

static void check_twice(void) {
    int wrong = 0, hits = 0;
    for (int t = 0; t < 200000; t++) {
        struct trj_frame_run runs[3];
        size_t n = 2 + (size_t)t % 2;
        int held[2][300] = {{0}};
        bool twice = false;
        for (size_t i = 0; i < n; i++) {
            uint64_t span = 1 + next_random() % 30;
            runs[i] = (struct trj_frame_run){(uint32_t)(next_random() % 8 == 0), next_random() % 60,
                                             1 + next_random() % span, 1 + next_random() % 8};
            for (uint64_t k = 0; k < runs[i].count; k++)
                twice |= held[runs[i].source][runs[i].first + k * runs[i].step]++;
        }
        uint64_t frame;
        bool got = found(runs, n, &frame);
        hits += got;
        bool good = got == twice;
        if (got && good) good = held[0][frame] > 1 || held[1][frame] > 1;
        if (!good && wrong++ < 5)
            for (size_t i = 0; i < n; i++)
                printf("# run %zu of test %d: source %u, %" PRIu64 " + %" PRIu64 " * %" PRIu64 "\n", i, t,
                       runs[i].source, runs[i].first, runs[i].step, runs[i].count);
    }
    ok(!wrong && hits > 20000 && hits < 180000, "random runs: as by brute force, %d of 200000 overlap", hits);

    // Numbers of any size: a frame added to both runs is found, or an earlier frame that both contain.
    wrong = 0;
    for (int t = 0; t < 200000; t++) {
        struct trj_frame_run runs[2];
        uint64_t common = next_random() >> next_random() % 64, frame;
        for (int i = 0; i < 2; i++) {
            uint64_t before = next_random() >> next_random() % 64,
                     step = 1 + (next_random() >> (1 + next_random() % 63));
            before = before % (common / step + 1);
            uint64_t capacity = (UINT64_MAX - common) / step, after = next_random() >> next_random() % 64;
            if (after > capacity) after = capacity;
            if (after == UINT64_MAX - before) after--;
            runs[i] = (struct trj_frame_run){0, common - before * step, step, before + after + 1};
        }
        if ((!found(runs, 2, &frame) || !holds(&runs[0], frame) || !holds(&runs[1], frame)) && wrong++ < 5)
            printf("# %" PRIu64 " + %" PRIu64 " * %" PRIu64 ", %" PRIu64 " + %" PRIu64 " * %" PRIu64 ", both %" PRIu64
                   ": %s\n",
                   runs[0].first, runs[0].step, runs[0].count, runs[1].first, runs[1].step, runs[1].count, common,
                   err.text);
    }
    ok(!wrong, "runs of any size with a common frame: found");

    // Fast for large strides, too: two runs without a common frame, since one is even and the other odd.
    uint64_t frame, step = (uint64_t)1 << 32;
    struct trj_frame_run far[2] = {{0, 0, step, UINT32_MAX}, {0, 1, step - 2, UINT32_MAX}};
    ok(!found(far, 2, &frame), "strides of 2^32, even and odd: no common frame");
    far[1].first = 2;
    ok(found(far, 2, &frame) && holds(&far[0], frame) && holds(&far[1], frame),
       "strides of 2^32 with a common frame: found: %s", err.text);
    far[1].source = 1;
    ok(!found(far, 2, &frame), "the same runs of two sources: no common frame");
    struct trj_frame_run ends[2] = {{0, UINT64_MAX, 1, 1}, {0, UINT64_MAX, UINT64_MAX, 1}};
    ok(found(ends, 2, &frame) && frame == UINT64_MAX, "frame 2^64 - 1 in two runs: found");
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) abort();
    close(fd);
    static const struct spec tiny = {.bins = 3, .records = 2, .frames = 2, .fingerprint = 7};
    check_whole(&tiny, "tiny");
    check_whole(&base, "two records");
    check_whole(&(struct spec){.bins = 10000, .records = 5, .frames = 7, .first = 1u << 31, .fingerprint = 1}, "large");
    static const struct spec changing = {.bins = 5, .records = 3, .frames = 2, .fingerprint = 70, .dynamic = true};
    check_whole(&changing, "a group that changes");
    check_cuts(&changing, "a group that changes");
    check_flips(&changing, "a group that changes");
    struct spec excluding = changing;
    excluding.excludes = true;
    check_whole(&excluding, "excluded pairs, and a group that changes");
    check_cuts(&excluding, "excluded pairs, and a group that changes");
    check_flips(&excluding, "excluded pairs, and a group that changes");
    check_parts(&excluding, "excluded pairs, and a group that changes");
    excluding.dynamic = false;
    check_whole(&excluding, "excluded pairs");
    check_parts(&excluding, "excluded pairs");
    struct spec composed = {.bins = 4, .records = 2, .frames = 2, .fingerprint = 71, .composed = true};
    check_whole(&composed, "elements");
    check_cuts(&composed, "elements");
    check_flips(&composed, "elements");
    composed.excludes = composed.dynamic = true;
    check_whole(&composed, "elements, excluded pairs, and a group that changes");
    check_compose();
    check_add_frame();
    check_add_groups();
    struct spec lagging = {.bins = 5, .records = 2, .frames = 2, .fingerprint = 700, .lag = 7};
    check_whole(&lagging, "a lag");
    check_self(&lagging, "a lag");
    lagging.dynamic = lagging.excludes = true;
    check_whole(&lagging, "a lag, excluded pairs, and a group that changes");
    check_self(&lagging, "a lag, excluded pairs, and a group that changes");
    check_cuts(&lagging, "a lag, excluded pairs, and a group that changes");
    check_flips(&lagging, "a lag, excluded pairs, and a group that changes");
    lagging.dynamic = false;
    check_lags(&lagging);
    check_cuts(&tiny, "tiny");
    check_cuts(&base, "compressed");
    check_flips(&tiny, "tiny");
    check_flips(&base, "compressed");
    check_places(&base, "compressed");
    check_merge();
    check_setups();
    check_by_hand();
    check_content();
    check_twice();
    unlink(path);
    return done();
}
