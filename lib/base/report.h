// SPDX-License-Identifier: MIT
// Prints properties of files under stable keys: as a table for people, or as JSON for programs, with the same content.
//
// Table: lines "key TAB value", with an empty line between files. Values that are unknown or empty have no line. An
// object is one line, "C 12, H 24". A list has one line for each item, all with the key of the list; if the item is an
// object, the key of its first field is omitted. Control characters are written as \xHH. JSON: an array with one object
// for each file. Values that are unknown are null.
#ifndef TRJ_REPORT_H
#define TRJ_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"
#include "output.h"

enum { TRJ_REPORT_DEPTH = 4 };

// Ready for use if zeroed except for `json`. trj_bytes_free(&f->text) frees it.
struct trj_report {
    bool json;
    struct trj_bytes text;            // not yet written
    bool unreadable;                  // the content of a file is unknown, because it could not be read
    size_t files;                     // number of files begun
    size_t depth;                     // 1: in a file; 2: in an object or list of a file; 3: in an object of a list
    const char *row;                  // key of the object or list at depth 2
    char open[TRJ_REPORT_DEPTH];      // [depth] its opening bracket
    size_t members[TRJ_REPORT_DEPTH]; // [depth] number of values written in it
};

void trj_report_begin_file(struct trj_report *f);
void trj_report_end_file(struct trj_report *f);
// Writes the text so far to the output. `last` must be set in the last call, and only there. Fails if there was no
// memory for the text, or if it cannot be written.
int trj_report_write(struct trj_report *f, struct trj_output *out, bool last, struct trj_error *err);
// Commits the output. An output file is left as it was, with TRJ_FAILED, if a file could not be read.
int trj_report_commit(const struct trj_report *f, struct trj_output *out, struct trj_error *err);
// Returns whether a file that could not be read is the output itself. The report ends then with that error alone.
bool trj_report_is_output(const char *path, const struct trj_output *out);

// The functions below write one value in the current file, object or list. `key` must stay valid until the file ends,
// and is NULL in lists. A text that is NULL, and a number that is not finite, are unknown.
void trj_report_text(struct trj_report *f, const char *key, const char *text);
void trj_report_count(struct trj_report *f, const char *key, uint64_t n);
void trj_report_integer(struct trj_report *f, const char *key, int64_t n);
void trj_report_real(struct trj_report *f, const char *key, double v);
void trj_report_truth(struct trj_report *f, const char *key, bool truth);
void trj_report_unknown(struct trj_report *f, const char *key);
void trj_report_reals(struct trj_report *f, const char *key, const double *v,
                      size_t n); // n numbers on one line; n is at least 1
void trj_report_words(struct trj_report *f, const char *key, const char *const *word,
                      size_t n);                                                           // n words; n = 0: no line
void trj_report_texts(struct trj_report *f, const char *key, char *const *text, size_t n); // a list of n texts
void trj_report_count_if(struct trj_report *f, const char *key, bool known, uint64_t n);   // unknown unless `known`
void trj_report_fingerprint(struct trj_report *f, uint64_t fingerprint); // key "fingerprint", 16 hexadecimal digits
// Writes the result of reading the file, under the keys "check" and "error": "failed" if its content is invalid,
// "unreadable" after any other error, such as one of a disk, which leaves the content unknown; else "ok", or
// unknown if it was not read completely. `damage` is the error; NULL: none.
void trj_report_check(struct trj_report *f, bool complete, const struct trj_error *damage);
double trj_report_rounded(double v); // returns v rounded to 7 digits, the precision of float32 input

void trj_report_begin_object(struct trj_report *f, const char *key); // in a file or a list
void trj_report_begin_list(struct trj_report *f, const char *key);   // in a file
void trj_report_end(struct trj_report *f);                           // ends the object or list

#endif
