// SPDX-License-Identifier: MIT
// Tests properties of stream atoms: they are read as written, found by name, and unknown values are reported.
#include <unistd.h>

#include "element.h"
#include "frame_stream.h"
#include "memory.h"
#include "property.h"
#include "reader.h"
#include "tap.h"

#define STREAM_FILE "/tmp/test_property.XXXXXX"
#include "stream_file.h"

// A header of 4 atoms, of which the last is a centre, and a group of the atoms 1 and 3.
static void make_header(struct trj_stream_header *h) {
    static const uint32_t atoms[] = {1, 3}, numbers[] = {5, 6, 9};
    *h = (struct trj_stream_header){.atoms = 4, .centres = 1, .source_atoms = 12, .group_count = 1};
    h->groups = trj_alloc(1, sizeof *h->groups, "groups", &err);
    h->groups[0] = (struct trj_group){.name = trj_copy_text("W", &err), .count = 2};
    h->groups[0].atoms = trj_alloc(2, sizeof(uint32_t), "atoms", &err);
    memcpy(h->groups[0].atoms, atoms, sizeof atoms);
    h->number = trj_alloc(3, sizeof(uint32_t), "atoms", &err);
    memcpy(h->number, numbers, sizeof numbers);
}

static struct trj_property *add(struct trj_stream_header *h, const char *name, enum trj_property_kind kind) {
    const struct trj_property_definition *d = trj_property_define(name);
    struct trj_property *p = trj_property_add(h, name, d ? d->unit : "u1", "a file", kind, &err);
    if (!p) must(-1);
    return p;
}

static void add_names(struct trj_stream_header *h) {
    static const char *const texts[] = {"", "OW", "HW"};
    static const uint32_t ids[] = {1, 2, 2, 0};
    struct trj_property *p = add(h, "name", TRJ_PROPERTY_TEXT);
    struct trj_text_index index = {.texts = &p->text};
    uint32_t number;
    for (size_t i = 0; i < 3; i++) must(trj_text_index_add(&index, texts[i], &number, &err));
    memcpy(p->text.id, ids, sizeof ids);
    trj_text_index_free(&index);
}

static void write_stream(struct trj_stream_header *h, int level) {
    struct trj_output *out;
    struct trj_stream_writer *w;
    struct trj_frame f = {0};
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(trj_stream_writer_open(&w, out, h, level, 1, &err));
    must(trj_stream_header_add_source(h, "a.dcd", 1, &err));
    must(trj_frame_resize(&f, h->atoms, &err));
    for (int k = 0; k < 3; k++) memset(f.x[k], 0, h->atoms * sizeof *f.x[k]);
    f.unit = 1;
    must(trj_stream_write(w, &f, &err));
    must(trj_stream_writer_finish(w, &err));
    trj_stream_writer_close(w);
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    trj_frame_free(&f);
}

static bool same(const struct trj_property *a, const struct trj_property *b, size_t atoms) {
    if (strcmp(a->name, b->name) || strcmp(a->unit, b->unit) || strcmp(a->origin, b->origin) || a->kind != b->kind)
        return false;
    for (size_t i = 0; i < atoms; i++) {
        bool equal = a->kind == TRJ_PROPERTY_REAL ? !memcmp(&a->real[i], &b->real[i], sizeof(double))
                     : a->kind == TRJ_PROPERTY_INTEGER
                         ? a->integer[i] == b->integer[i]
                         : !strcmp(a->text.text[a->text.id[i]], b->text.text[b->text.id[i]]);
        if (!equal || trj_property_known(a, i) != trj_property_known(b, i)) return false;
    }
    return true;
}

static void check_round_trip(void) {
    for (int level = 0; level <= 3; level += 3) {
        struct trj_stream_header h;
        struct trj_reader *r;
        make_header(&h);
        struct trj_property *p = add(&h, "charge", TRJ_PROPERTY_REAL);
        p->real[0] = -0.8340000000000001;
        p->real[2] = -0.0;
        add(&h, "own.property", TRJ_PROPERTY_INTEGER)->integer[1] = INT64_MIN + 1;
        add_names(&h);
        write_stream(&h, level);
        must(trj_reader_open(&r, path, &err));
        bool good = r->header->property_count == 3;
        for (size_t i = 0; good && i < 3; i++) good = same(&h.properties[i], &r->header->properties[i], 4);
        ok(good, "level %d: real numbers, integers and texts are read as written", level);
        ok(trj_property_find(r->header, "own.property") == &r->header->properties[1] &&
               !trj_property_find(r->header, "mass") && !trj_property_known(&r->header->properties[1], 0) &&
               trj_property_known(&r->header->properties[1], 1) && !trj_property_known(&r->header->properties[2], 3),
           "level %d: properties are found by name, and unknown values are known as such", level);
        trj_reader_close(r);
        trj_stream_header_free(&h);
    }
}

static void check_require(void) {
    struct trj_stream_header h;
    const double *values;
    make_header(&h);
    ok(trj_property_require(&h, "mass", NULL, &values, &err) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "the stream contains no property mass; run trjcat with --carry mass and a "),
       "a missing property: %s", err.text);
    struct trj_property *p = add(&h, "mass", TRJ_PROPERTY_REAL);
    p->real[1] = p->real[3] = 2;
    ok(!trj_property_require(&h, "mass", &h.groups[0], &values, &err) && values == h.properties[0].real,
       "a property that is known for the atoms of the group");
    ok(trj_property_require(&h, "mass", NULL, &values, &err) == -1 && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "mass of atom 5 is unknown; run trjcat --carry mass"),
       "an unknown value: %s", err.text);
    h.element = trj_alloc(4, sizeof *h.element, "elements", &err);
    h.element[1] = 30;
    h.properties[0].real[1] = NAN;
    ok(trj_property_require(&h, "mass", &h.groups[0], &values, &err) == -1 &&
           has_text(err.text, "group W: mass of atom 6 (Zn) is unknown"),
       "with group and element: %s", err.text);
    add_names(&h);
    ok(trj_property_require(&h, "mass", &h.groups[0], &values, &err) == -1 &&
           has_text(err.text, "group W: mass of atom 6 (HW) is unknown"),
       "with group and name: %s", err.text);
    h.properties[0].real[1] = 1;
    h.properties[0].real[3] = NAN;
    ok(trj_property_require(&h, "mass", &h.groups[0], &values, &err) == -1 &&
           has_text(err.text, "mass of centre 0 is unknown; select atoms, or centres of atoms whose mass is known"),
       "of a centre: %s", err.text);
    ok(trj_property_require(&h, "name", NULL, &values, &err) == -1 && has_text(err.text, "is not a real number"),
       "of another kind: %s", err.text);
    ok(!trj_property_add(&h, "mass", "u", "", TRJ_PROPERTY_REAL, &err) &&
           has_text(err.text, "two properties have the name mass"),
       "added twice: %s", err.text);
    ok(!trj_property_add(&h, "a b", "u", "", TRJ_PROPERTY_REAL, &err) && has_text(err.text, "characters that are not"),
       "an invalid name: %s", err.text);
    trj_stream_header_free(&h);
}

static void check_bondi(void) {
    static const struct {
        const char *symbol;
        double radius;
    } known[] = {{"H", 1.20}, {"C", 1.70},  {"N", 1.55},  {"O", 1.52}, {"F", 1.47},  {"P", 1.80},
                 {"S", 1.80}, {"Cl", 1.75}, {"Br", 1.85}, {"I", 1.98}, {"Na", 2.27}, {"Zn", 1.39}};
    bool good = isnan(trj_bondi_radius(0)) && isnan(trj_bondi_radius(26)) && isnan(trj_bondi_radius(118));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        good = good && trj_bondi_radius(trj_element_find(known[i].symbol, strlen(known[i].symbol))) == known[i].radius;
    ok(good, "Bondi radii of common elements; iron has none");
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    check_round_trip();
    check_require();
    check_bondi();
    unlink(path);
    return done();
}
