// SPDX-License-Identifier: MIT
// Chooses an engine and prints its statistics. All filters that have engines share this code, independently of what the
// engines compute.
//
// A filter has an array of pointers to its engines, fastest first, NULL after the last one. `auto` chooses the first,
// and falls back to the next one if opening it fails because it cannot run, for example because another process uses
// the GPU. A named engine never falls back. An engine with a slow start can be started while another one computes
// (engine_start.h).
#ifndef TRJ_ENGINE_CHOICE_H
#define TRJ_ENGINE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "instruction_set.h"
#include "tool.h"

// The part of an engine that does not depend on what it computes. It is the first member of a struct with the
// functions of one kind of job, such as struct rdf_engine, to which a pointer can be converted.
struct trj_engine {
    const char *name;
    const char *workers;            // its workers in messages: "threads", "GPUs"
    const char *(*built_for)(void); // the architectures it has code for, for --version; NULL: the compiler's
    // For engine_start.h: starts the driver, and fails with TRJ_NO_ENGINE and the reason if the engine cannot run here.
    // NULL: there is no driver.
    int (*probe)(struct trj_error *err);
    bool never_auto; // `auto` does not choose it
};
// The engine on the CPU of every analysis, and simple float64 code with which tests compare.
#define TRJ_ENGINE_KIND_CPU                                                                                            \
    { .name = "cpu", .workers = "threads", .built_for = trj_isa_names }
#define TRJ_ENGINE_KIND_REFERENCE                                                                                      \
    { .name = "reference", .workers = "threads", .never_auto = true }

// The engine that a user requests. The caller keeps ownership of texts.
struct trj_engine_options {
    const char *engine;  // a name, or "auto"
    const char *devices; // "0,2": GPUs to use; NULL: all
    uint64_t threads;    // 0: as many as the process may use
    bool stats;
};
#define TRJ_ENGINE_AUTO "auto"
// Initial value of struct trj_engine_options.
#define TRJ_ENGINE_OPTIONS_DEFAULT                                                                                     \
    { .engine = TRJ_ENGINE_AUTO }

// Options for the table of a filter with a static struct trj_engine_options (tool.h): --engine, whose choices the entry
// with the table gives, --devices, --threads and --stats. The other tables contain one option each; that of
// trj_engine_device_option is --devices of an engine that uses one GPU.
extern const struct trj_option trj_engine_option_table[], trj_engine_name_option[], trj_engine_device_option[],
    trj_engine_threads_option[], trj_engine_stats_option[];

bool trj_engine_is_auto(const struct trj_engine_options *o);
bool trj_engine_may_use_gpus(const struct trj_engine_options *o);

// Checks the options before any input is read, and starts to measure the energy of the CPUs for --stats. Fails with
// TRJ_USAGE for an invalid list of devices, and for devices of an engine that uses no GPUs, on every machine and in
// every build.
int trj_engine_check_options(const struct trj_engine_options *o, struct trj_error *err);

// Finds the engine by its name, or for "auto" the first one. It may be unable to run here, which its opening reports.
// Fails with TRJ_NO_ENGINE if it is not available in this build.
int trj_engine_find(const struct trj_engine **engine, const struct trj_engine *const *engines, const char *name,
                    struct trj_error *err);

// Call it after opening *engine has failed with `why`. Returns whether the caller must report `why` as a note and open
// the next engine, to which *engine is set: for "auto", if the failure is TRJ_NO_ENGINE and there is another engine.
bool trj_engine_fall_back(const struct trj_engine **engine, const struct trj_engine *const *engines, const char *name,
                          const struct trj_error *why);

// Returns the number of characters of `why` before "; " and the remedy, such as "use -e cpu", for notes on what is done
// instead.
size_t trj_engine_reason(const struct trj_error *why);

// Writes "engine cuda, GPUs 2", for notes and --stats, to text[TRJ_ENGINE_TEXT].
enum { TRJ_ENGINE_TEXT = 96 };
void trj_engine_describe(char *text, const struct trj_engine *engine, unsigned workers);

// Statistics of one device.
struct trj_device_stats {
    const char *name; // "GPU 0 (NVIDIA H200)", owned by the engine
    double frames;    // number of frames; a slice is a fraction of its frames
    double busy;      // s in which at least one slot computed
    double idle;      // share of the time from its first computation to its last in which no slot computed
    double upload;    // s; uploads overlap computations
    double joules;    // since it was attached, of the whole board, including other processes; NAN: unknown
    bool failed;
    uint64_t evaluated, resolved, counted; // pairs, of engines that count them
};

enum { TRJ_ENGINE_TIMES = 4 };

// Statistics since an engine was opened, for --stats: every analysis has this structure. An engine sets what it
// measures; the rest is 0.
struct trj_engine_stats {
    const struct trj_engine *kind; // what has computed, if that differs from the engine itself; else NULL
    unsigned workers;              // threads or devices
    uint64_t frames;               // or maps
    uint64_t before;               // frames that the first engine had computed when a second one took over
    double start;                  // s, of the second engine until it took over, or of a GPU; 0: nothing was started
    double seconds;                // of the computation
    struct {
        const char *name; // NULL: there are no more
        double seconds;   // of a step, summed over threads
    } times[TRJ_ENGINE_TIMES];
    double terms;                           // atoms times wave vectors
    uint64_t evaluated;                     // pairs whose distance was computed
    uint64_t resolved;                      // pairs among them that were too near an edge for float32
    const struct trj_device_stats *devices; // [device_count], owned by the engine, valid until its next call
    unsigned device_count;
};

// Writes the names and times of the steps: "upload 0.10 s, computation 0.25 s", with this number of digits and unit.
void trj_engine_times_text(char *text, size_t size, const struct trj_engine_stats *s, int digits, const char *unit);

// Passes to `print` a line with the energy of the CPUs (cpu_energy.h) and of all devices, and with their sum for each
// of `count` units: "frame", "map", "job", "run". Nothing is printed if no energy is known; a line gives the reason if
// the CPUs have counters that cannot be read. `start` begins each line.
void trj_engine_print_energy(const struct trj_engine_stats *s, uint64_t count, const char *unit, const char *start,
                             void (*print)(const char *text));

// Prints statistics: `print` gets each line. `atoms` is the number of atoms of the group; `points`, if it is not 0,
// that of the map, which is printed instead of the number of workers.
void trj_engine_print_stats(const struct trj_engine *kind, const struct trj_engine_stats *s, size_t atoms,
                            uint64_t points, void (*print)(const char *text));

// Returns a line for --version, valid until the next call: "engines: cuda (750,800), cpu (avx2,plain), reference", or
// "engines: cpu (plain), reference; no CUDA".
const char *trj_engine_versions(const struct trj_engine *const *engines);

enum { TRJ_LARGEST_DEVICE = 4095 }; // largest accepted number of a device; no host has more

// Reads one number of a list of devices, "0,2", which must not be empty, and sets *list to the rest, which is empty
// after the last number. Fails with TRJ_USAGE for an invalid list.
int trj_device_list_next(const char **list, unsigned *number, struct trj_error *err);

#endif
