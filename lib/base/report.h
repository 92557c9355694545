// SPDX-License-Identifier: MIT
// Facts about files under stable keys: a table for people, JSON for programs, the same facts in both.
//
// Table: lines `key TAB value`, a blank line between files. What is not known has no line, nor has what is empty. An object is one line, "C 12, H 24"; a list
// has a line an item, all with the list's key, and of an item that is an object the first field stands without its key. Control
// characters are written as \xHH.
// JSON: an array of objects, one a file. What is not known is null.
#ifndef TRJ_REPORT_H
#define TRJ_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"
#include "output.h"

enum { TRJ_REPORT_DEPTH = 4 };

// Zeroed, but for json, it is ready. trj_bytes_free(&f->text) frees.
struct trj_report {
    bool json;
    struct trj_bytes text; // not yet written
    size_t files;          // begun
    size_t depth;          // 1: in a file; 2: in an object or list of it; 3: in an object of a list
    const char *row;       // key of what depth 2 is in
    char open[TRJ_REPORT_DEPTH];
    size_t members[TRJ_REPORT_DEPTH]; // so far, of what is open
};

void trj_report_begin_file(struct trj_report *f);
void trj_report_end_file(struct trj_report *f);
// Writes what there is so far, all of it at the last call.
int trj_report_write(struct trj_report *f, struct trj_output *out, bool last, struct trj_error *err);

// The key is NULL in lists. NULL and NaN are what is not known.
void trj_report_text(struct trj_report *f, const char *key, const char *text);
void trj_report_count(struct trj_report *f, const char *key, uint64_t n);
void trj_report_integer(struct trj_report *f, const char *key, int64_t n);
void trj_report_real(struct trj_report *f, const char *key, double v);
void trj_report_truth(struct trj_report *f, const char *key, bool truth);
void trj_report_unknown(struct trj_report *f, const char *key);
void trj_report_reals(struct trj_report *f, const char *key, const double *v, size_t n); // on one line; none: no line
void trj_report_words(struct trj_report *f, const char *key, const char *const *word, size_t n); // the same
void trj_report_texts(struct trj_report *f, const char *key, char *const *text, size_t n);       // a list
void trj_report_count_if(struct trj_report *f, const char *key, bool known, uint64_t n);
void trj_report_fingerprint(struct trj_report *f, uint64_t fingerprint);
double trj_report_rounded(double v); // to the digits that float32 numbers tell, and what is computed of them

void trj_report_begin_object(struct trj_report *f, const char *key); // in a file or a list
void trj_report_begin_list(struct trj_report *f, const char *key);   // in a file
void trj_report_end(struct trj_report *f);                           // of the object or list

#endif
