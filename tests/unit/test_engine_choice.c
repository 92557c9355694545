// SPDX-License-Identifier: MIT
// The choice of an engine: order, fall back, named engines, option checks and lists of devices.
#include "engine_choice.h"
#include "tap.h"

static int never_probe(struct trj_error *err) {
    printf("Bail out! a driver is started\n");
    (void)err;
    exit(1);
}

static const char *archs(void) {
    return "900";
}

static const struct trj_engine fast = {.name = "cuda", .workers = "GPUs", .probe = never_probe, .built_for = archs},
                               slow = {.name = "cpu", .workers = "threads"},
                               oracle = {.name = "reference", .workers = "threads", .never_auto = true};
static const struct trj_engine *const engines[] = {&fast, &slow, &oracle, NULL};

static void test_find(void) {
    struct trj_error err;
    const struct trj_engine *e = NULL;
    ok(!trj_engine_find(&e, engines, "auto", &err) && e == &fast,
       "auto: the first engine, without a start of its driver");
    ok(!trj_engine_find(&e, engines, "cuda", &err) && e == &fast, "a named engine, without a start of its driver");
    ok(!trj_engine_find(&e, engines, "reference", &err) && e == &oracle, "never_auto: found by its name");
    ok(trj_engine_find(&e, engines, "abacus", &err) && err.status == TRJ_NO_ENGINE && has_text(err.text, "abacus"),
       "an unknown engine: %s", err.text);
    ok(trj_engine_find(&e, engines + 2, "auto", &err) && err.status == TRJ_NO_ENGINE,
       "auto: never_auto is not chosen, even if no other engine exists");
}

static void test_fall_back(void) {
    const struct trj_error busy = {.status = TRJ_NO_ENGINE}, broken = {.status = TRJ_FAILED};
    const struct trj_engine *e = &fast;
    ok(!trj_engine_fall_back(&e, engines, "cuda", &busy) && e == &fast, "a named engine does not fall back");
    ok(!trj_engine_fall_back(&e, engines, "auto", &broken) && e == &fast, "no fall back after another failure");
    ok(trj_engine_fall_back(&e, engines, "auto", &busy) && e == &slow, "auto falls back to the next engine");
    ok(!trj_engine_fall_back(&e, engines, "auto", &busy) && e == &slow, "auto does not fall back to never_auto");
}

static void test_texts(void) {
    char text[TRJ_ENGINE_TEXT];
    trj_engine_describe(text, &fast, 2);
    ok(!strcmp(text, "engine cuda, GPUs 2"), "%s", text);
    ok(has_text(trj_engine_versions(engines), "engines: cuda (900), cpu, reference"), "the line for --version");
}

static void check_options(const char *engine, const char *devices, bool valid) {
    struct trj_error err = {.text = ""};
    const struct trj_engine_options o = {.engine = engine, .devices = devices};
    bool good = !trj_engine_check_options(&o, &err);
    ok(good == valid && (good || err.status == TRJ_USAGE), "--engine %s --devices %s: %s", engine,
       devices ? devices : "absent", good ? "valid" : err.text);
}

static void test_device_lists(void) {
    struct trj_error err;
    const char *list = "0,12,3";
    unsigned n[3];
    bool good = true;
    for (int i = 0; i < 3; i++) good &= !trj_device_list_next(&list, &n[i], &err);
    ok(good && n[0] == 0 && n[1] == 12 && n[2] == 3 && !*list, "a list of devices");
    static const char *const bad[] = {"", ",", "1,", ",1", "-1", "+1", "x", "1x", "1;2", " 1", "99999999999", "0x1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        list = bad[i];
        good = true;
        do
            if (trj_device_list_next(&list, &n[0], &err)) good = false;
        while (good && *list);
        ok(!good && err.status == TRJ_USAGE, "no list of devices: '%s'", bad[i]);
    }
}

int main(void) {
    test_find();
    test_fall_back();
    test_texts();
    check_options("auto", NULL, true);
    check_options("cpu", NULL, true);
    check_options("auto", "0,1", true);
    check_options("cuda", "3", true);
    check_options("cpu", "0", false);
    check_options("cuda", "", false);
    check_options("auto", "0,", false);
    test_device_lists();
    return done();
}
