// SPDX-License-Identifier: MIT
// Reads and writes files of maps. One table lists the formats, and the grid stream is one of them. Values are passed in
// slabs of planes with axis 0 fastest (map_lattice.h), whatever their order in the file.
//
// Maps in a file whose slowest axis is not axis 2 are stored while they are read or written, in a temporary file if
// they are large (map_reorder.h), so that memory stays bounded.
#ifndef TRJ_MAP_FORMAT_H
#define TRJ_MAP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "grid_stream.h"
#include "input.h"
#include "map.h"
#include "map_reorder.h"
#include "output.h"
#include "tool.h"

// Assumptions and losses that the user should know, for messages "tool: file: note: ...". Each text is added once.
enum { TRJ_MAP_NOTES = 6 };
struct trj_map_notes {
    size_t count;
    char text[TRJ_MAP_NOTES][256];
};

// Selects the words of an MRC header from which the position of the first point is taken.
enum trj_map_origin {
    TRJ_MAP_ORIGIN_AUTO, // ORIGIN if any of its words is not 0, otherwise NSTART
    TRJ_MAP_ORIGIN_NSTART,
    TRJ_MAP_ORIGIN_WORDS, // ORIGIN
    TRJ_MAP_ORIGIN_SUM,
};

struct trj_map_format;

struct trj_map_reader_setup {
    const struct trj_map_format *format; // NULL: detected
    enum trj_map_origin origin;          // for MRC
    bool totals;                         // means of totals stay totals (map_means.h)
    const char *geometry;                // file with the lattice of an .npy file; NULL: NAME.json for NAME.npy
};

struct trj_map_reader {
    const struct trj_map_format *format;
    struct trj_input *in;
    struct trj_map_reader_setup setup;
    struct trj_map map;                     // after open. Quantity and unit are not NULL
    struct trj_map means;                   // after open: of the values of trj_map_reader_to_real (map_means.h)
    double factor;                          // by which these are multiplied
    struct trj_map_order order;             // of the values in the file
    struct trj_map_notes notes;             // so far
    struct trj_grid_record record;          // of the current map; only grid streams have frames. Owned by the format.
                                            // After open: that of the first map, if there is one
    const struct trj_stream_header *origin; // provenance and sources of a grid stream; otherwise NULL
    uint64_t maps;                          // maps begun
    uint64_t planes;                        // planes of the current map that were read from the file
    uint64_t given;                         // planes that the caller has
    struct trj_map_reorder *store;          // NULL: not needed
    unsigned char *slab;                    // [slab_capacity] bytes from the file
    size_t slab_capacity;
    void *state; // of the format
};

// Opens a reader, and takes ownership of the input, which is closed with the reader, or here after an error. Fails with
// TRJ_BAD_DATA if the format is unknown or the header invalid. Errors give line or byte and remedy; the caller adds the
// name of the input.
int trj_map_reader_open(struct trj_map_reader **r, struct trj_input *in, const struct trj_map_reader_setup *setup,
                        struct trj_error *err);
// Moves to the next map of the file; only grid streams can have several. Returns 1, 0 at the end, or -1. Unread planes
// of the previous map are read and checked first, so that 0 means that the whole file is valid.
int trj_map_reader_next(struct trj_map_reader *r, struct trj_error *err);
// Reads the next planes of the map, as values of the type that r->map.kind gives. A map may be read in any number of
// calls.
int trj_map_reader_read(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err);
void trj_map_reader_close(struct trj_map_reader *r); // NULL is allowed
// Reads the lattice of a file. Errors give the name of the file.
int trj_map_read_lattice(struct trj_map_lattice *l, const char *path, const struct trj_map_reader_setup *setup,
                         struct trj_error *err);

// A function that receives the next planes of a map. It returns 0, or -1 with an error.
typedef int trj_map_take(void *arg, const void *values, uint64_t planes, struct trj_error *err);
// Converts n values of the current map to those that r->means describes: float64, and means over the frames if the
// record contains sums.
void trj_map_reader_to_real(const struct trj_map_reader *r, const void *values, size_t n, double *to);
// Reads all planes of the current map, in slabs of about TRJ_MAP_SLAB bytes, and passes them to `take`. With `means`,
// the values are those of trj_map_reader_to_real.
int trj_map_reader_pass(struct trj_map_reader *r, bool means, trj_map_take *take, void *arg, struct trj_error *err);

// Returns the format of a file with these first bytes; NULL: none.
const struct trj_map_format *trj_map_format_of(const unsigned char *head, size_t n, const struct trj_input *in);

struct trj_map_writer_setup {
    const struct trj_stream_header *origin; // provenance and sources for grid streams; NULL: none
    int level;                              // of compression, for grid streams
    unsigned threads;                       // that compress (block_stream.h)
    bool no_nstart;                         // MRC files get 0 as NSTART
    const char *path;                       // of the output, from which .npy derives the name of its second file
    const char *program;                    // name and version for comments in files
};

struct trj_map_writer {
    const struct trj_map_format *format;
    struct trj_output *out;
    struct trj_map_writer_setup setup;
    const struct trj_map *map;
    struct trj_map_notes notes;
    uint64_t maps, planes;         // maps begun; planes of the current one
    struct trj_map_reorder *store; // NULL: not needed
    unsigned char *slab;
    size_t slab_capacity;
    void *state; // of the format
};

// Opens a writer, and writes the header. The caller keeps the output and the map, and what the setup points to. Fails
// with TRJ_BAD_DATA if the format cannot represent the map; the message names formats that can.
int trj_map_writer_open(struct trj_map_writer **w, const struct trj_map_format *format, struct trj_output *out,
                        const struct trj_map *map, const struct trj_map_writer_setup *setup, struct trj_error *err);
// Begins a map; `record` may be NULL. A second map is TRJ_BAD_DATA for all formats but grid streams.
int trj_map_writer_begin(struct trj_map_writer *w, const struct trj_grid_record *record, struct trj_error *err);
// Writes the next planes of the map, as values of the type that map->kind gives, with axis 0 fastest.
int trj_map_writer_write(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err);
int trj_map_writer_finish(struct trj_map_writer *w, struct trj_error *err); // without it, the file is incomplete
void trj_map_writer_close(struct trj_map_writer *w);                        // NULL is allowed

// Planes below are those of the slowest axis in the file, and values are in the order of the file.
struct trj_map_format {
    const char *name;
    const char *title, *other_title; // in sentences: "OpenDX"; another name of the format, or NULL
    const char *help;                // of the choice in --to
    const char *endings[4];          // of file names, in lower case; ends with NULL
    enum trj_output_kind kind;
    struct trj_map_order order;        // of the values that `write` gets
    bool series;                       // several maps, with records
    bool scalar;                       // one value for each point
    bool periods;                      // the file states which axes are periodic
    size_t reader_state, writer_state; // bytes of the zeroed states
    // Returns whether the file has this format, from its first bytes, or from its name if these are not conclusive.
    bool (*is)(const unsigned char *head, size_t n, const struct trj_input *in);
    int (*open)(struct trj_map_reader *r, struct trj_error *err); // reads the header: sets map and order
    int (*next)(struct trj_map_reader *r, struct trj_error *err); // as trj_map_reader_next; NULL: there is one map
    int (*read)(struct trj_map_reader *r, void *values, uint64_t planes, struct trj_error *err);
    int (*end)(struct trj_map_reader *r, struct trj_error *err);    // checks what follows the last plane; may be NULL
    void (*close)(struct trj_map_reader *r);                        // frees the members of the state; may be NULL
    int (*create)(struct trj_map_writer *w, struct trj_error *err); // checks the map and writes the header
    int (*begin)(struct trj_map_writer *w, const struct trj_grid_record *record, struct trj_error *err); // may be NULL
    int (*write)(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err);
    int (*finish)(struct trj_map_writer *w, struct trj_error *err); // may be NULL
    void (*destroy)(struct trj_map_writer *w);                      // frees the members of the state; may be NULL
};

extern const struct trj_map_format *const trj_map_formats[]; // ends with NULL; the first is the grid stream

// Returns the names of all formats as choices of an option, which end with a NULL name.
const struct trj_choice *trj_map_format_choices(void);
// Writes "OpenDX, MRC, Gaussian cube and NumPy", the titles of all formats but the grid stream, to
// text[TRJ_MAP_TITLES]; `last` is the word before the last one. Other titles follow after `other`, such as ", "; NULL:
// they are left out. Returns text.
enum { TRJ_MAP_TITLES = 200 };
const char *trj_map_format_titles(char *text, const char *other, const char *last);

// Returns the format for the ending of a file name, or NULL if there is none. The name may be NULL.
const struct trj_map_format *trj_map_format_of_name(const char *path);
// Chooses the format to write: the one with this name, or else the one with the ending of the path. Name and path may
// be NULL. Without a name, the format for standard output and for a path without an ending is the grid stream. Fails
// with TRJ_USAGE if the name is unknown or contradicts the ending, or if the ending is unknown and there is no name.
int trj_map_format_choose(const struct trj_map_format **format, const char *name, const char *path,
                          struct trj_error *err);

#endif
