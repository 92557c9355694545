// SPDX-License-Identifier: MIT
#include "report.h"

#include "json.h"
#include "tap.h"

// Returns the text written so far and empties the buffer.
static const char *read_and_empty(struct trj_bytes *b) {
    static char text[1024];
    size_t n = b->size < sizeof text ? b->size : sizeof text - 1;
    if (n) memcpy(text, b->data, n);
    text[n] = 0;
    b->size = 0;
    return text;
}

static void check_text(const char *text, const char *expected, const char *what) {
    struct trj_bytes b = {0};
    trj_put_json_text(&b, text);
    const char *got = read_and_empty(&b);
    if (!ok(!strcmp(got, expected), "JSON text: %s", what)) printf("# %s, expected %s\n", got, expected);
    trj_bytes_free(&b);
}

static void check_real(double v, const char *expected) {
    struct trj_bytes b = {0};
    trj_put_json_real(&b, v);
    const char *got = read_and_empty(&b);
    if (!ok(!strcmp(got, expected), "JSON number %s", expected)) printf("# %s\n", got);
    trj_bytes_free(&b);
}

// Writes one value of each kind.
static void fill(struct trj_report *f) {
    static const double lengths[] = {1, 2.5, 90};
    static const char *const words[] = {"name", "mass"};
    static char one[] = "one", two[] = "two", *const lines[] = {one, two};
    trj_report_begin_file(f);
    trj_report_text(f, "file", "a\tb\n");
    trj_report_text(f, "note", NULL);
    trj_report_count(f, "atoms", UINT64_MAX);
    trj_report_integer(f, "step", -5);
    trj_report_real(f, "time", 0.25);
    trj_report_real(f, "mass", NAN);
    trj_report_truth(f, "whole", true);
    trj_report_reals(f, "lengths", lengths, 3);
    trj_report_words(f, "columns", words, 2);
    trj_report_words(f, "none", words, 0);
    trj_report_begin_object(f, "elements");
    trj_report_count(f, "C", 3);
    trj_report_count(f, "H", 8);
    trj_report_end(f);
    trj_report_begin_object(f, "nothing");
    trj_report_end(f);
    trj_report_begin_list(f, "groups");
    for (int i = 0; i < 2; i++) {
        trj_report_begin_object(f, NULL);
        trj_report_text(f, "name", i ? "H" : "O");
        trj_report_count(f, "atoms", (uint64_t)i);
        trj_report_unknown(f, "most");
        trj_report_end(f);
    }
    trj_report_end(f);
    trj_report_texts(f, "lines", lines, 2);
    trj_report_count_if(f, "bonds", true, 7);
    trj_report_count_if(f, "molecules", false, 7);
    trj_report_fingerprint(f, 0x1f);
    trj_report_end_file(f);
}

static const char table[] = "file\ta\\x09b\\x0a\n"
                            "atoms\t18446744073709551615\n"
                            "step\t-5\n"
                            "time\t0.25\n"
                            "whole\tyes\n"
                            "lengths\t1 2.5 90\n"
                            "columns\tname mass\n"
                            "elements\tC 3, H 8\n"
                            "groups\tO, atoms 0\n"
                            "groups\tH, atoms 1\n"
                            "lines\tone\n"
                            "lines\ttwo\n"
                            "bonds\t7\n"
                            "fingerprint\t000000000000001f\n";
static const char json[] =
    "[\n  {\n    \"file\": \"a\\u0009b\\u000a\",\n    \"note\": null,\n    \"atoms\": 18446744073709551615,\n    "
    "\"step\": -5,\n"
    "    \"time\": 0.25,\n    \"mass\": null,\n    \"whole\": true,\n    \"lengths\": [1, 2.5, 90],\n"
    "    \"columns\": [\"name\", \"mass\"],\n    \"none\": [],\n    \"elements\": {\"C\": 3, \"H\": 8},\n    "
    "\"nothing\": {},\n"
    "    \"groups\": [{\"name\": \"O\", \"atoms\": 0, \"most\": null}, {\"name\": \"H\", \"atoms\": 1, \"most\": "
    "null}],\n"
    "    \"lines\": [\"one\", \"two\"],\n    \"bonds\": 7,\n    \"molecules\": null,\n"
    "    \"fingerprint\": \"000000000000001f\"\n  }";

int main(void) {
    check_text("", "\"\"", "empty");
    check_text("a\"b\\c/", "\"a\\\"b\\\\c/\"", "quotes and backslashes");
    check_text("\x01\x1f\x7f\n", "\"\\u0001\\u001f\\u007f\\u000a\"", "control characters");
    check_text("\xc3\x85 \xe2\x82\xac \xf0\x9d\x84\x9e", "\"\xc3\x85 \xe2\x82\xac \xf0\x9d\x84\x9e\"",
               "UTF-8 is not changed");
    check_text("\xff"
               "a\xc3",
               "\"\xef\xbf\xbd"
               "a\xef\xbf\xbd\"",
               "an invalid byte, and a truncated character");
    check_text("\xc0\x80\xe0\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
               "overlong encodings");
    check_text("\xed\xa0\x80\xf4\x90\x80\x80",
               "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
               "a surrogate, and a number above U+10FFFF");
    check_text("\xf0\x9d\x84", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
               "a character of four bytes without the last");

    check_real(0, "0");
    check_real(-1.5, "-1.5");
    check_real((double)20.2F, "20.2");
    check_real(0.1, "0.1");
    check_real(1 / 3.0, "0.3333333333");
    check_real(90, "90");
    check_real(50000, "50000");
    check_real((double)1000000.2F, "1000000.2");
    check_real(1e9 / 3, "333333333.3");
    check_real(123456792, "123456792");
    check_real(1e30, "1e+30");
    check_real(-1e-12, "-1e-12");
    check_real(NAN, "null");
    check_real(-INFINITY, "null");

    ok(trj_report_rounded((double)20.2F) == 20.2 && isnan(trj_report_rounded(NAN)),
       "numbers are rounded to the precision of float32");

    struct trj_report f = {.json = false};
    fill(&f);
    ok(!strcmp(read_and_empty(&f.text), table), "table: all kinds of values");
    fill(&f);
    const char *second = read_and_empty(&f.text);
    ok(second[0] == '\n' && !strcmp(second + 1, table), "table: an empty line separates files");
    trj_bytes_free(&f.text);

    f = (struct trj_report){.json = true};
    fill(&f);
    ok(!strcmp(read_and_empty(&f.text), json), "JSON: all kinds of values");
    fill(&f);
    second = read_and_empty(&f.text);
    ok(!strncmp(second, ",\n", 2) && !strcmp(second + 1, json + 1), "JSON: the next file");
    trj_bytes_free(&f.text);
    return done();
}
