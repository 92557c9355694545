// SPDX-License-Identifier: MIT
// Tests the selection of frames: ranges, numbers counted from the end, segments, times; and repeated frames.
#include "frame_filter.h"

#include <unistd.h>

#include "repeated_frames.h"
#include "segment_note.h"
#include "tap.h"

static struct trj_error err;
static char path[] = "/tmp/test_wanted_XXXXXX";

// Makes an XYZ of n frames with one atom, whose x is the number of the frame.
static void write_frames(int n) {
    FILE *f = fopen(path, "w");
    if (!f) abort();
    for (int i = 0; i < n; i++) fprintf(f, "1\n\nO %d 0 0\n", i);
    fclose(f);
}

// Selects frames of two inputs, which are the same file, and checks their numbers; "": rejected.
static const char *taken(const char *frames, const char *segment) {
    static char list[256];
    char *const paths[] = {path, path};
    struct trj_frame_filter w;
    struct trj_frame f = {0};
    size_t at = 0;
    *list = 0;
    if (trj_frame_filter_parse(&w, frames, NULL, segment, &err) ||
        trj_frame_filter_resolve(&w, paths, 2, trj_format_named("xyz", &err), 0, &err))
        return list;
    for (int i = 0; i < 2; i++) {
        struct trj_reader *r;
        if (trj_reader_open(&r, paths[i], &err)) abort();
        while (trj_frame_filter_more(&w) && trj_frame_filter_first(&w, r, &f, &err) > 0)
            at += (size_t)snprintf(list + at, sizeof list - at, " %llu", (unsigned long long)w.position - 1);
        trj_reader_close(r);
    }
    trj_frame_free(&f);
    return list;
}

static void check_taken(const char *frames, const char *segment, const char *want) {
    const char *got = taken(frames, segment);
    if (!ok(!strcmp(got, want), "frames %s, segment %s:%s", frames ? frames : "all", segment ? segment : "all", want))
        printf("# %s: %s\n", got, err.text);
}

static void check_refused(const char *frames, const char *times, const char *segment, const char *text) {
    struct trj_frame_filter w;
    ok(trj_frame_filter_parse(&w, frames, times, segment, &err) == -1 && err.status == TRJ_USAGE &&
           has_text(err.text, text),
       "%s", err.text);
}

// Compares a time with a range.
static int place(const char *times, double time) {
    struct trj_frame_filter w;
    struct trj_frame f = {.time = time};
    int at = 7;
    if (trj_frame_filter_parse(&w, NULL, times, NULL, &err) || trj_frame_filter_time(&w, &f, &at, &err)) return 9;
    return at;
}

static bool again(struct trj_repeated_frames *r, int64_t step, double time) {
    return trj_repeated_frames_add(r, &(struct trj_frame){.step = step, .time = time});
}

static void check_repeats(void) {
    struct trj_repeated_frames r;
    trj_repeated_frames_start(&r);
    ok(!again(&r, 10, 1) && !again(&r, 20, 2) && !again(&r, 30, 3), "increasing steps: not repeated");
    ok(again(&r, 20, 2) && again(&r, 30, 3) && !again(&r, 40, 4) && r.count == 2 && r.advances,
       "restart: repeated frames are counted");
    ok(!again(&r, -2000000000, 5) && !again(&r, -1999999990, 6), "steps that overflow: not repeated");
    ok(again(&r, TRJ_NO_STEP, 6) && !again(&r, TRJ_NO_STEP, 7) && !again(&r, TRJ_NO_STEP, NAN),
       "unknown steps and times");
    trj_repeated_frames_start(&r);
    ok(!again(&r, 10, 0) && !again(&r, 20, 0) && again(&r, 20, 0) && r.advances, "all times 0, with steps");
    trj_repeated_frames_start(&r);
    ok(!again(&r, TRJ_NO_STEP, 0) && again(&r, TRJ_NO_STEP, 0) && !r.advances, "all times 0, without steps");
}

// Missing segments are those of commands that are equal but for the segment and the output.
static void check_missing_segments(void) {
    char *lines[] = {"trjcat 0.1.0: trjcat --segment 1/4 -o a.1.trjf a.dcd",
                     "rdfhist 0.1.0: rdfhist -o a.1.rdfh a.1.trjf", "trjcat 0.1.0: trjcat --seg=2/4 -oa.2.trjf a.dcd",
                     "trjcat 0.1.0: trjcat --segment=4/4 a.dcd", "trjcat 0.1.0: trjcat --segment 3/4 b.dcd"},
         *complete[] = {"trjcat 0.1.0: trjcat --segment 1/2 a.dcd", "trjcat 0.1.0: trjcat -o x --segment 2/2 a.dcd",
                        "trjcat 0.1.0: trjcat a.dcd", "mapmath 0.1.0: mapmath --segment 1/3"},
         *units[] = {"trjcat 0.1.0: trjcat --segment 1/3/8 a.dcd", "trjcat 0.1.0: trjcat --segment 2/3/8 a.dcd",
                     "trjcat 0.1.0: trjcat --segment 3/3/9 a.dcd"},
         *many[] = {"trjcat 0.1.0: trjcat --segment 2/1000000000000 a.dcd"};
    char text[TRJ_SEGMENT_NOTE];
    ok(has_text(trj_segment_note(text, lines, 4), "note: segment 3 of 4 is missing"), "%s", text);
    ok(has_text(trj_segment_note(text, lines + 4, 1), "note: segments 1, 2, 4 of 4 are missing"), "%s", text);
    ok(has_text(trj_segment_note(text, units, 3), "note: segment 3 of 3 is missing"), "multiples of frames: %s", text);
    ok(!*trj_segment_note(text, complete, 4) && !*trj_segment_note(text, complete, 0), "no segment is missing");
    ok(has_text(trj_segment_note(text, many, 1), "1, 3, 4, 5, 6 and 999999999994 more of 1000000000000 are missing"),
       "%s", text);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) abort();
    close(fd);
    write_frames(5);
    check_taken(NULL, NULL, " 0 1 2 3 4 5 6 7 8 9");
    check_taken("2:9:3", NULL, " 2 5 8");
    check_taken("-3:", NULL, " 7 8 9");
    check_taken("-1", NULL, " 9");
    check_taken("1::2", "1/3", " 1");
    check_taken(NULL, "1/2/4", " 0 1 2 3");
    check_taken(NULL, "2/2/4", " 4 5 6 7 8 9");
    check_taken("1:9:2", "2/2/3", " 7");
    check_taken(NULL, "1/1/18446744073709551615", " 0 1 2 3 4 5 6 7 8 9");
    check_taken(NULL, "1/2/10", "");
    check_taken("1::2", "2/3", " 3 5");
    check_taken("1::2", "3/3", " 7 9");
    check_taken(NULL, "3/4", " 5 6");
    check_taken("20:", "1/2", "");
    ok(err.status == TRJ_BAD_DATA &&
           has_text(err.text, "--frames: the range selects none of the 10 frames; give another one"),
       "%s", err.text);
    check_taken(NULL, "11/20", "");
    check_refused("1:0", NULL, NULL, "--frames: invalid range '1:0': expected START:STOP:STEP");
    check_refused(NULL, "2:1", NULL, "--time: invalid range '2:1': expected FROM:TO");
    check_refused(NULL, NULL, "3/2", "--segment: invalid value '3/2': expected K/N");
    check_refused(NULL, "1:2", "1/2", "--time and --segment");

    ok(place("2:3", 1.9) == -1 && place("2:3", 2) == 0 && place("2:3", 3) == 0 && place("2:3", 3.1) == 1, "times");
    ok(place("2:3", NAN) == 9 && err.status == TRJ_BAD_DATA && has_text(err.text, "has no time"), "%s", err.text);
    ok(place(NULL, NAN) == 0 && place(NULL, -1e9) == 0, "no time range: all frames are selected");
    check_repeats();
    check_missing_segments();
    unlink(path);
    return done();
}
