/* SPDX-License-Identifier: MIT */
/*
 * The C interface of libtrjpipe: reads trajectories of all formats of trjcat(1), frame streams, histogram streams and
 * maps, and writes frame streams. It can be included from C and C++. trjpipe(3) is the manual page, with an example.
 *
 * Errors. A function that can fail returns 0, or -1 after an error (trjpipe_reader_read: 1, 0 or -1). It describes the
 * error in *error, unless `error` is NULL. The library prints nothing and never ends the process. After an error, a
 * reader or writer can only be closed.
 *
 * Memory. A handle (reader, writer, histogram, map) owns all that its functions return, until it is closed. Arguments
 * are copied if they are needed after the call, except where a comment states otherwise. Closing NULL has no effect.
 *
 * Threads. A handle may be used by one thread at a time; different handles may be used at the same time.
 *
 * Structures that begin with `struct_size` can get more members at their end in later versions. The caller sets
 * struct_size to the size of the structure, and all members that it does not use to 0. In structures that the library
 * returns, struct_size is the size of the structure in the library.
 *
 * Units are Angstrom and ps. Numbers of atoms, frames and groups start at 0. Texts are UTF-8 and end with a NUL.
 */
#ifndef TRJPIPE_H
#define TRJPIPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. Programs built with it run with every later libtrjpipe.so.0. */
#define TRJPIPE_VERSION       "0.1.0"
#define TRJPIPE_VERSION_MAJOR 0
#define TRJPIPE_VERSION_MINOR 1
#define TRJPIPE_VERSION_PATCH 0

#if defined __GNUC__
#define TRJPIPE_API __attribute__((visibility("default")))
#else
#define TRJPIPE_API
#endif

/* Returns the version of the library, as TRJPIPE_VERSION. */
TRJPIPE_API const char *trjpipe_version(void);

/* The codes are the exit codes of the tools. */
enum trjpipe_status {
    TRJPIPE_OK = 0,
    TRJPIPE_FAILED = 1,     /* a file could not be opened, read or written; no memory; a thread cannot be started */
    TRJPIPE_USAGE = 2,      /* an argument is invalid, such as a selection or a range of frames */
    TRJPIPE_BAD_DATA = 3,   /* the input is damaged, truncated, inconsistent or of the wrong kind */
    TRJPIPE_UNAVAILABLE = 4 /* this build lacks the library that reads the input */
};

enum { TRJPIPE_ERROR_TEXT = 1024 };

struct trjpipe_error {
    int status;                    /* enum trjpipe_status */
    char text[TRJPIPE_ERROR_TEXT]; /* one line: "FILE: frame 3, byte 120: WHAT; REMEDY" */
};

/* ---- headers and frames */

/* A named group of atoms. A dynamic group lists all atoms that can belong to it; its members differ between frames. */
struct trjpipe_group {
    const char *name;
    size_t count;          /* of `atoms` */
    const uint32_t *atoms; /* [count] indices of the atoms in the frame, ascending */
    int dynamic;           /* 1: dynamic, 0: all atoms are members in every frame */
    size_t word; /* of a dynamic group: atoms[i] is a member if members[word + i / 32] of the frame has bit i % 32 */
};

/* A file from which frames were read. Two sources with equal fingerprints are the same. */
struct trjpipe_source {
    const char *name;
    uint64_t fingerprint;
};

/* How the atoms of all frames were moved (trjcat --whole, --centre, --fit, --unwrap). Unwrapped positions have no
 * periodic images: no minimum-image distance may be computed from them. */
enum trjpipe_movement_kind {
    TRJPIPE_WHOLE = 1,
    TRJPIPE_CENTRE = 2,
    TRJPIPE_FIT = 3,
    TRJPIPE_UNWRAP_TOROIDAL = 4,
    TRJPIPE_UNWRAP_FRACTION = 5,
    TRJPIPE_UNWRAP_FLAGS = 6
};
struct trjpipe_movement {
    enum trjpipe_movement_kind kind;
    const char *selection; /* "" for TRJPIPE_WHOLE; what was unwrapped: "molecules" or "atoms" */
    uint64_t atoms;        /* in the selection */
    /* TRJPIPE_FIT: the file of the reference coordinates; TRJPIPE_UNWRAP_FRACTION and TRJPIPE_UNWRAP_FLAGS: the mean
     * cell, nine numbers in Angstrom; otherwise "" */
    const char *reference;
    uint64_t fingerprint; /* of this file */
    uint64_t frame;       /* number of the reference frame in this file */
};

/* What all frames of a series have in common. A pointer is NULL if its content is unknown. */
struct trjpipe_header {
    size_t struct_size;
    size_t atoms;        /* in each frame, including centres */
    size_t centres;      /* the last of them, which are centres of mass or geometry, not atoms */
    size_t source_atoms; /* in the trajectory from which the atoms were selected */
    size_t group_count;  /* at least 1 */
    const struct trjpipe_group *groups;
    size_t member_words;      /* number of words in trjpipe_frame.members; 0 without dynamic groups */
    const uint32_t *number;   /* [atoms - centres] numbers of the atoms in the trajectory; NULL also if 0, 1, ... */
    const uint32_t *element;  /* [atoms] atomic number; 0: unknown, or a centre */
    const char *element_from; /* property from which elements were guessed, such as "mass"; NULL: not guessed */
    const uint32_t *residue;  /* [atoms] running number of the residue in the topology */
    const uint32_t *molecule; /* [atoms] running number of the bonded molecule */
    size_t bond_count;        /* of `bonds` */
    size_t between;           /* number of atoms that only `bonds` contain; their indices: atoms, ... */
    const uint32_t *bonds;    /* [bond_count][2] indices of the bonded atoms */
    size_t provenance_count;  /* of `provenance` */
    const char *const *provenance; /* a line for each program that processed the data, oldest first */
    size_t source_count;           /* of `sources`; reading frames can add sources */
    const struct trjpipe_source *sources;
    double precision; /* Angstrom: coordinates were rounded, and differ by at most this from the sources; 0: exact */
    size_t movement_count;                    /* of `movements`; 0: the coordinates are those of the sources */
    const struct trjpipe_movement *movements; /* in the order in which they were applied */
    /* 1: the number of atoms changes. The atoms are then places, which belong to other atoms in each frame; a place
     * that is in no group in a frame is absent, and its coordinates are 0. All groups are dynamic. */
    int open_system;
};

#define TRJPIPE_NO_STEP INT64_MIN /* step of a frame of a format without steps */

/* All of a frame except its coordinates. */
struct trjpipe_frame {
    size_t struct_size;
    uint64_t index;          /* number of the frame in its source */
    int64_t step;            /* step of the simulation, or TRJPIPE_NO_STEP */
    double time;             /* ps; NaN: unknown */
    double unit;             /* Angstrom per unit of the coordinates: 1, or 10 for nm */
    double cell[9];          /* Angstrom: the vectors a, b, c, each with its x, y, z; all 0: there is no cell */
    uint32_t source;         /* index in trjpipe_header.sources */
    uint32_t periodic;       /* directions with periodic images: 1 for a, plus 2 for b, plus 4 for c */
    const uint32_t *members; /* [member_words] members of the dynamic groups (trjpipe_group.word); NULL: none */
};

/* Lists the members of a group in a frame, ascending, in atoms[group->count], unless `atoms` is NULL. Returns their
 * number. */
TRJPIPE_API size_t trjpipe_group_members(const struct trjpipe_group *group, const struct trjpipe_frame *frame,
                                         uint32_t *atoms);

/* ---- reading frames */

enum trjpipe_unit {
    TRJPIPE_ANGSTROM = 0, /* coordinates are converted to Angstrom: float32(float64(x) * unit) */
    TRJPIPE_STORED = 1    /* coordinates are the float32 of the file; trjpipe_frame.unit is their unit */
};

/* The texts have the form of the options of trjcat(1), where they are described. NULL: the option is absent. */
struct trjpipe_reader_options {
    size_t struct_size;
    const char *format;        /* --format */
    const char *topology;      /* --topology: file with names, types, residues, elements, bonds */
    const char *atom_style;    /* --atom-style */
    const char *const *groups; /* [group_count] --group: "NAME=SELECTION"; the frames contain only their atoms */
    size_t group_count;
    const char *by;       /* --by: "element", ... */
    const char *frames;   /* --frames: "START:STOP:STEP" */
    const char *time;     /* --time: "FROM:TO" */
    const char *segment;  /* --segment: "K/N" */
    const char *cell;     /* --cell */
    const char *periodic; /* --periodic */
    int drop_repeated;    /* 1: --repeated drop */
    unsigned threads;     /* --threads: number of threads that decode; 0: one per core that the process may use */
    int unit;             /* enum trjpipe_unit */
    int labels;  /* 1: names are also read from a trajectory that contains them, and must not change between frames */
    int salvage; /* 1: --salvage: damaged parts of frame streams are dropped (trjpipe_reader_losses) */
    const char *carry; /* --carry: "charge,mass", for trjpipe_reader_property */
    const char *open;  /* --open: "auto", or the largest number of atoms; without it, files and frame streams whose
                          number of atoms changes are rejected */
    const char *const *defines;  /* [define_count] --define: "NAME" or "NAME=VALUE", for a GROMACS top file */
    const char *const *includes; /* [include_count] --include: folders of the files that it includes */
    size_t define_count, include_count;
};

typedef struct trjpipe_reader trjpipe_reader;

/* Opens `count` files as one series of frames, and reads up to the first frame that the options select. "-" is standard
 * input; "/dev/fd/N" is an open file descriptor. Compressed files are decompressed. `options` may be NULL.
 * trjpipe_reader_close frees *reader, which is NULL after an error. */
TRJPIPE_API int trjpipe_reader_open(trjpipe_reader **reader, const char *const *paths, size_t count,
                                    const struct trjpipe_reader_options *options, struct trjpipe_error *error);

/* Returns the header, which the reader owns. Reading a frame can change its sources and no other member. */
TRJPIPE_API const struct trjpipe_header *trjpipe_reader_header(const trjpipe_reader *reader);

/* Reads the next frame: its coordinates into x[atoms][3], unless `x` is NULL, and all else into *frame, unless `frame`
 * is NULL; frame->struct_size must be set. frame->members is valid until the next call. Coordinates are finite, and
 * changed only by the conversion of the unit; they can lie outside of the cell. Returns 1; 0 after the last frame; or
 * -1. */
TRJPIPE_API int trjpipe_reader_read(trjpipe_reader *reader, struct trjpipe_frame *frame, float *x,
                                    struct trjpipe_error *error);

/* Returns the next note about the input that was not returned before, such as that elements are guessed; NULL: none. */
TRJPIPE_API const char *trjpipe_reader_note(trjpipe_reader *reader);

/* Fails with TRJPIPE_BAD_DATA if trjpipe_reader_options.salvage has dropped a part of the frame streams that were read;
 * the error contains the numbers of bytes and frames, and a note lists each part. Call it after the last frame, where
 * trjcat --salvage ends with status 3. */
TRJPIPE_API int trjpipe_reader_losses(const trjpipe_reader *reader, struct trjpipe_error *error);

enum trjpipe_label {
    TRJPIPE_NAME = 0,
    TRJPIPE_TYPE = 1,
    TRJPIPE_RESIDUE_NAME = 2,
    TRJPIPE_SEGMENT = 3,
    TRJPIPE_CHAIN = 4,
    TRJPIPE_ELEMENT = 5
};

/* Returns a property of an atom: from the topology, or from the first trajectory if trjpipe_reader_options.labels or a
 * selection required it; if the number of atoms changes, of the frame read last, and only with `labels`. NULL: unknown,
 * or there is no such property, or the atom is a centre or absent. */
TRJPIPE_API const char *trjpipe_reader_label(const trjpipe_reader *reader, int label, size_t atom);

#define TRJPIPE_NO_INTEGER INT64_MIN /* an unknown value of a property with integers */

/* A property of all atoms, including centres, which the reader owns. One of values, integers and text is not NULL. */
struct trjpipe_property {
    size_t struct_size;
    const char *unit;        /* "e"; "": none */
    const char *origin;      /* from where and how the values were obtained */
    const double *values;    /* [atoms] real numbers; NaN: unknown */
    const int64_t *integers; /* [atoms] TRJPIPE_NO_INTEGER: unknown */
    const uint32_t *text;    /* [atoms] the text of atom i is texts[text[i]]; "": unknown */
    size_t text_count;
    const char *const *texts; /* [text_count] each text once */
};

/* Gives a property, such as "charge" or "resname", that the frame stream contains or that trjpipe_reader_options.carry
 * requested; --carry of trjcat(1) lists the names, of which velocity and image, data of frames, are not available
 * here. property->struct_size must be set; what *property points to belongs to the reader, and is valid until it is
 * closed. Fails with TRJPIPE_USAGE if there is no such property, or if it has integers or texts, and struct_size ends
 * before their members. */
TRJPIPE_API int trjpipe_reader_property(const trjpipe_reader *reader, const char *name,
                                        struct trjpipe_property *property, struct trjpipe_error *error);

/* Returns the name of property i, from 0; NULL after the last one. */
TRJPIPE_API const char *trjpipe_reader_property_name(const trjpipe_reader *reader, size_t i);

TRJPIPE_API void trjpipe_reader_close(trjpipe_reader *reader);

/* ---- writing frame streams */

struct trjpipe_writer_options {
    size_t struct_size;
    int level;              /* --compress of trjcat(1); 0: the coordinates are not compressed */
    unsigned threads;       /* number of threads that compress; 0: one per core that the process may use */
    const char *provenance; /* line that describes the calling program, added to those of the header; NULL: none */
    double precision;       /* --precision: Angstrom, largest change by rounding; 0: not rounded */
};

typedef struct trjpipe_writer trjpipe_writer;

/* Opens a frame stream for writing. `path` is a file, "-" for standard output, or "/dev/fd/N". A file is written
 * under a temporary name, and renamed by trjpipe_writer_finish; until then, an existing file stays as it was.
 *
 * The header that a reader returns can be passed on. Otherwise, `atoms` and at least one group are required. Names of
 * groups consist of letters, digits and _ . + -. source_atoms 0 means all atoms that are not centres. The words of
 * dynamic groups follow from the order of the groups: each has (count + 31) / 32 words after those of the dynamic
 * groups before it; trjpipe_group.word and member_words are ignored. The header is not needed after the call.
 * If the precision of the header is not 0, the coordinates have been rounded before; rounding them again is an error.
 * `options` may be NULL. trjpipe_writer_close frees *writer, which is NULL after an error. */
TRJPIPE_API int trjpipe_writer_open(trjpipe_writer **writer, const char *path, const struct trjpipe_header *header,
                                    const struct trjpipe_writer_options *options, struct trjpipe_error *error);

/* Adds a source after those of the header, which copying a stream requires if reading has found further sources.
 * Programs that create frames give their own name, and a fingerprint that differs between different data: frames of
 * equal `index` and of sources with equal fingerprints are taken for the same data, which rdfnorm(1) rejects when
 * streams are added. Fingerprint 0 means a hash of the name. */
TRJPIPE_API int trjpipe_writer_add_source(trjpipe_writer *writer, const char *name, uint64_t fingerprint,
                                          struct trjpipe_error *error);

/* Writes a frame with the coordinates x[atoms][3], which are finite and in units of frame->unit. A frame needs a
 * source. Vectors of the cell that are periodic must be linearly independent. Unused bits in frame->members are
 * ignored. */
TRJPIPE_API int trjpipe_writer_write(trjpipe_writer *writer, const struct trjpipe_frame *frame, const float *x,
                                     struct trjpipe_error *error);

/* Writes the end of the stream, and renames the file. Only trjpipe_writer_close may follow. */
TRJPIPE_API int trjpipe_writer_finish(trjpipe_writer *writer, struct trjpipe_error *error);

/* Frees the writer. A file that was not finished is removed; a pipe then contains a truncated stream, which its reader
 * rejects. */
TRJPIPE_API void trjpipe_writer_close(trjpipe_writer *writer);

/* ---- reading histogram streams */

struct trjpipe_histogram_group {
    const char *name;
    uint64_t atoms; /* of a dynamic group: all atoms that can belong to it */
    int dynamic;
};

/* A pair of groups. The counts of a pair of a group with itself contain each pair of atoms once, those of two groups
 * each ordered pair. With a lag, all pairs are ordered. */
struct trjpipe_histogram_pair {
    size_t a, b; /* indices of the groups */
    uint64_t
        pairs; /* number of pairs of atoms in each frame; of dynamic groups: of all atoms that can belong to them */
    uint64_t excluded; /* of these, the pairs that are excluded, such as those of one molecule */
    int ordered;       /* 1: each pair of atoms counts in both orders, 0: once */
};

/* The counts of some frames. */
struct trjpipe_histogram_record {
    uint64_t frames;
    uint64_t volume_frames;      /* frames with a volume */
    double volume;               /* Angstrom^3, sum over these frames */
    double inverse_volume;       /* Angstrom^-3, sum over these frames */
    uint32_t periodic;           /* directions that are periodic in all frames (trjpipe_frame.periodic) */
    const uint64_t *counts;      /* [pair_count][bin_count] all pairs */
    const uint64_t *excluded;    /* [pair_count][bin_count] excluded pairs, which `counts` contains; NULL: none */
    const uint64_t *group_atoms; /* [group_count] number of members, summed over the frames; NULL: no dynamic groups */
    const double *frame_pairs;   /* [pair_count] number of pairs, summed over the frames; NULL: no dynamic groups */
};

/* The counts of streams with equal bins, groups and pairs. */
typedef struct trjpipe_histogram {
    size_t struct_size;
    size_t bin_count;
    const double *edges; /* [bin_count + 1] Angstrom: bin k contains distances from edges[k] to below edges[k + 1] */
    size_t group_count;
    const struct trjpipe_histogram_group *groups;
    size_t pair_count;
    const struct trjpipe_histogram_pair *pairs;
    const char *exclusion; /* kind of the excluded pairs; NULL: no pairs are excluded */
    uint64_t lag_frames;   /* distances to atoms this number of frames later; 0: in the same frame */
    double lag_time;       /* ps; NaN: unknown */
    struct trjpipe_histogram_record total;
    size_t record_count;
    const struct trjpipe_histogram_record *records; /* in the order of the streams, such as blocks for error bars */
    size_t provenance_count;
    const char *const *provenance;
    size_t source_count;
    const struct trjpipe_source *sources;
    double precision; /* as in trjpipe_header; the largest of the streams */
} trjpipe_histogram;

/* Reads `count` files, each of which contains one or several concatenated histogram streams. Fails with
 * TRJPIPE_BAD_DATA also if the streams cannot be added, or contain the same frame twice. trjpipe_histogram_close frees
 * *histogram, which is NULL after an error. */
TRJPIPE_API int trjpipe_histogram_open(trjpipe_histogram **histogram, const char *const *paths, size_t count,
                                       struct trjpipe_error *error);
TRJPIPE_API void trjpipe_histogram_close(trjpipe_histogram *histogram);

/* ---- reading maps */

/* Type of the stored values. */
enum trjpipe_map_kind {
    TRJPIPE_MAP_FLOAT32 = 0,
    TRJPIPE_MAP_FLOAT64 = 1,
    TRJPIPE_MAP_QUANTA = 2, /* int64_t: the value is this number times the quantum */
    TRJPIPE_MAP_COUNTS = 3  /* uint64_t */
};

enum trjpipe_map_meaning {
    TRJPIPE_MAP_SAMPLES = 0, /* the value at the point */
    TRJPIPE_MAP_MEANS = 1,   /* the mean over the voxel, whose centre is the point */
    TRJPIPE_MAP_TOTALS = 2   /* the integral over the voxel, such as a number of atoms */
};

/* What values are. Texts are "" if unknown. */
struct trjpipe_map_values {
    const char *quantity; /* "number of atoms" */
    const char *unit;     /* "A^-3" */
    int meaning;          /* enum trjpipe_map_meaning */
    double error_bound;   /* largest absolute error of a mean over the frames; 0: exact or unknown */
};

/* What all records of a map have in common. The point i, j, k is at origin + i step[0] + j step[1] + k step[2], with
 * step[n] = step + 3 n. Component c of its value is number c + components (i + points[0] (j + points[1] k)) of an array
 * of values. A plane consists of the points with the same k. */
struct trjpipe_map_header {
    size_t struct_size;
    uint64_t points[3];               /* numbers of points along the axes 0, 1, 2 */
    double origin[3];                 /* Angstrom: position of the point 0, 0, 0 */
    double step[9];                   /* Angstrom: three vectors, each from a point to the next one along an axis */
    uint32_t periodic;                /* axes whose point points[k] is an image of point 0: 1, plus 2, plus 4 */
    uint32_t components;              /* values of a point: 1, or 3 for a vector */
    int kind;                         /* enum trjpipe_map_kind */
    double quantum;                   /* of TRJPIPE_MAP_QUANTA; otherwise 0 */
    struct trjpipe_map_values stored; /* the values in the file. Those of a sum are sums over its frames */
    struct trjpipe_map_values mean;   /* the means over the frames of a record; reading a record can change error_bound
                                         here and in `stored` */
    size_t provenance_count;
    const char *const *provenance; /* a line for each program that processed the data, oldest first */
    size_t source_count;           /* of `sources`; reading records can add sources */
    const struct trjpipe_source *sources;
};

/* The frames of a record. */
struct trjpipe_map_record {
    size_t struct_size;
    uint64_t frames; /* 0: unknown, as in files of other programs */
    int sum;         /* 1: values are sums of weight times value over the frames; 0: they are not */
    double weight;   /* of a sum: sum of the weights; without weights, the number of frames. Otherwise 0 */
};

typedef struct trjpipe_map trjpipe_map;

struct trjpipe_map_options {
    size_t struct_size;
    int totals; /* --totals of mapconv(1): 1: the mean of totals over voxels is not converted to a density */
};

/* Opens a grid stream, or a map in another format that mapconv(1) reads. "-" is standard input. `options` may be NULL.
 * trjpipe_map_close frees *map, which is NULL after an error. */
TRJPIPE_API int trjpipe_map_open(trjpipe_map **map, const char *path, const struct trjpipe_map_options *options,
                                 struct trjpipe_error *error);

/* Returns the header, which belongs to the map. */
TRJPIPE_API const struct trjpipe_map_header *trjpipe_map_header(const trjpipe_map *map);

/* Moves to the next record, and describes it in *record, unless `record` is NULL; record->struct_size must be set.
 * Planes of the previous record that were not read are checked first. Returns 1; 0 after the last record, when the
 * whole file is valid and no frame occurs twice; or -1. */
TRJPIPE_API int trjpipe_map_next(trjpipe_map *map, struct trjpipe_map_record *record, struct trjpipe_error *error);

/* Reads the next `planes` planes of the record: the stored values into `values`, with the type that `kind` gives, and
 * the means over the frames into `means`, both [planes][points[1]][points[0]][components]. Either may be NULL. A sum is
 * divided by the weight, and totals are converted to densities, as by mapconv(1); other values are converted to double.
 * Fails with TRJPIPE_USAGE if the record has fewer planes left. */
TRJPIPE_API int trjpipe_map_read(trjpipe_map *map, void *values, double *means, uint64_t planes,
                                 struct trjpipe_error *error);

/* Returns the next note about the file that was not returned before, such as an assumption on its origin; NULL: none.
 */
TRJPIPE_API const char *trjpipe_map_note(trjpipe_map *map);

TRJPIPE_API void trjpipe_map_close(trjpipe_map *map);

#ifdef __cplusplus
}
#endif

#endif
