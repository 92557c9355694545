// SPDX-License-Identifier: MIT
// Implements --engine and --stats once for all tools, so that `auto` has one meaning.
#include "engine_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cpu_energy.h"

const struct trj_option trj_engine_name_option[] = {
    {.heading = "Computation",
     TRJ_OPTION_FIELD('e', "engine", CHOICE, struct trj_engine_options, engine, "ENGINE", "compute with this engine")},
    TRJ_OPTION_END,
};

const struct trj_option trj_engine_device_option[] = {
    {TRJ_OPTION_FIELD(0, "devices", TEXT, struct trj_engine_options, devices, "N",
                      "use this GPU (default: the first one that can be used)")},
    TRJ_OPTION_END,
};

const struct trj_option trj_engine_threads_option[] = {
    {TRJ_OPTION_FIELD('j', "threads", COUNT, struct trj_engine_options, threads, "N",
                      "use N threads; 0: all cores that the process may use (default)"),
     .max = 4096},
    TRJ_OPTION_END,
};

const struct trj_option trj_engine_stats_option[] = {
    {TRJ_OPTION_FIELD(0, "stats", FLAG, struct trj_engine_options, stats, NULL,
                      "print statistics and times on standard error")},
    TRJ_OPTION_END,
};

const struct trj_option trj_engine_option_table[] = {
    {.table = trj_engine_name_option},
    {TRJ_OPTION_FIELD(0, "devices", TEXT, struct trj_engine_options, devices, "LIST",
                      "use only these GPUs, such as 0,2 (default: all)")},
    {.table = trj_engine_threads_option},
    {.table = trj_engine_stats_option},
    TRJ_OPTION_END,
};

bool trj_engine_is_auto(const struct trj_engine_options *o) {
    return !strcmp(o->engine, TRJ_ENGINE_AUTO);
}

bool trj_engine_may_use_gpus(const struct trj_engine_options *o) {
    return trj_engine_is_auto(o) || !strcmp(o->engine, "cuda");
}

int trj_engine_check_options(const struct trj_engine_options *o, struct trj_error *err) {
    bool seen[TRJ_LARGEST_DEVICE + 1] = {false};
    unsigned number;
    if (o->stats) work_cpu_energy_begin();
    if (!o->devices) return 0;
    if (!trj_engine_may_use_gpus(o))
        return trj_fail(err, TRJ_USAGE, "--devices: engine %s uses no GPUs; use -e cuda, or leave --devices out",
                        o->engine);
    const char *list = o->devices;
    do {
        if (trj_device_list_next(&list, &number, err)) return -1;
        if (seen[number]) return trj_fail(err, TRJ_USAGE, "--devices: GPU %u is listed twice; remove one", number);
        seen[number] = true;
    } while (*list);
    return 0;
}

int trj_engine_find(const struct trj_engine **engine, const struct trj_engine *const *engines, const char *name,
                    struct trj_error *err) {
    bool best = !strcmp(name, TRJ_ENGINE_AUTO);
    for (; *engines; engines++) {
        if (best ? (*engines)->never_auto : strcmp(name, (*engines)->name) != 0) continue;
        *engine = *engines;
        return 0;
    }
    return trj_fail(err, TRJ_NO_ENGINE, "engine %s: not available in this build; use -e cpu", name);
}

bool trj_engine_fall_back(const struct trj_engine **engine, const struct trj_engine *const *engines, const char *name,
                          const struct trj_error *why) {
    if (strcmp(name, TRJ_ENGINE_AUTO) != 0 || why->status != TRJ_NO_ENGINE) return false;
    while (*engines != *engine) engines++;
    for (engines++; *engines; engines++)
        if (!(*engines)->never_auto) {
            *engine = *engines;
            return true;
        }
    return false;
}

size_t trj_engine_reason(const struct trj_error *why) {
    const char *remedy = strstr(why->text, "; ");
    return remedy ? (size_t)(remedy - why->text) : strlen(why->text);
}

void trj_engine_describe(char *text, const struct trj_engine *engine, unsigned workers) {
    snprintf(text, TRJ_ENGINE_TEXT, "engine %s, %s %u", engine->name, engine->workers, workers);
}

void trj_engine_print_energy(const struct trj_engine_stats *s, uint64_t count, const char *unit, const char *start,
                             void (*print)(const char *text)) {
    const struct work_cpu_energy cpus = work_cpu_energy_read();
    double gpus = s->device_count ? 0 : NAN; // NAN, too, if that of a GPU is unknown
    char text[sizeof(struct trj_error) + 128], of_cpus[64] = "", of_gpus[48] = "";
    for (unsigned i = 0; i < s->device_count; i++) gpus += s->devices[i].joules;
    if (cpus.reason) {
        snprintf(text, sizeof text, "%senergy of the CPUs: cannot be read: %s", start, cpus.reason);
        print(text);
    }
    const bool has_cpus = isfinite(cpus.joules), has_gpus = isfinite(gpus);
    if ((!has_cpus && !has_gpus) || !count) return;
    if (has_cpus)
        snprintf(of_cpus, sizeof of_cpus, "%.4g J of %u CPU package%s", cpus.joules, cpus.packages,
                 cpus.packages == 1 ? "" : "s");
    if (has_gpus) snprintf(of_gpus, sizeof of_gpus, "%s%.4g J of GPUs", has_cpus ? ", " : "", gpus);
    snprintf(text, sizeof text, "%senergy: %s%s: joules a %s %.4g", start, of_cpus, of_gpus, unit,
             ((has_cpus ? cpus.joules : 0) + (has_gpus ? gpus : 0)) / (double)count);
    print(text);
}

void trj_engine_print_stats(const struct trj_engine *kind, const struct trj_engine_stats *s, size_t atoms,
                            uint64_t points, void (*print)(const char *text)) {
    char text[256], points_text[48] = "", with[48] = "";
    if (points)
        snprintf(points_text, sizeof points_text, " at %llu points", (unsigned long long)points);
    else
        snprintf(with, sizeof with, " with %u %s", s->workers, kind->workers);
    snprintf(text, sizeof text, "%llu frames of %zu atoms%s: %.3f s in engine %s%s", (unsigned long long)s->frames,
             atoms, points_text, s->seconds, kind->name, with);
    print(text);
    for (unsigned i = 0; i < s->device_count; i++) {
        const struct trj_device_stats *d = &s->devices[i];
        snprintf(text, sizeof text, "%s: %.1f frames in %.3f s%s", d->name, d->frames, d->busy,
                 d->failed ? ", failed" : "");
        print(text);
    }
    trj_engine_print_energy(s, s->frames, "frame", "", print);
}

void trj_engine_times_text(char *text, size_t size, const struct trj_engine_stats *s, int digits, const char *unit) {
    size_t n = 0;
    *text = 0;
    for (int i = 0; i < TRJ_ENGINE_TIMES && s->times[i].name && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s %.*f%s", i ? ", " : "", s->times[i].name, digits,
                              s->times[i].seconds, unit);
}

const char *trj_engine_versions(const struct trj_engine *const *engines) {
    static char text[256];
    size_t length = 0;
    for (size_t i = 0; engines[i] && length < sizeof text; i++) {
        const char *archs = engines[i]->built_for ? engines[i]->built_for() : NULL;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%s%s%s",
                                   i ? ", " : "engines: ", engines[i]->name, archs ? " (" : "", archs ? archs : "",
                                   archs ? ")" : "");
    }
#ifdef TRJPIPE_CUDA
    static const char end[] = "\n";
#else
    static const char end[] = "; no CUDA\n";
#endif
    if (length < sizeof text) snprintf(text + length, sizeof text - length, "%s", end);
    return text;
}

int trj_device_list_next(const char **list, unsigned *number, struct trj_error *err) {
    const char *end = *list;
    unsigned n = 0;
    while (*end >= '0' && *end <= '9' && n <= TRJ_LARGEST_DEVICE) n = 10 * n + (unsigned)(*end++ - '0');
    bool last = !*end;
    if (end == *list || n > TRJ_LARGEST_DEVICE || !(last || (*end == ',' && end[1])))
        return trj_fail(err, TRJ_USAGE, "--devices: invalid list '%s': expected device numbers, as 0,2", *list);
    *number = n;
    *list = last ? end : end + 1;
    return 0;
}
