// Prints the edges and counts of histogram streams, summed over all records.
//
//   usage: counts FILE...
#include <inttypes.h>
#include <stdio.h>
#include <trjpipe.h>

int main(int argc, char **argv) {
    struct trjpipe_error error;
    trjpipe_histogram *h;
    if (trjpipe_histogram_open(&h, (const char *const *)&argv[1], (size_t)argc - 1, &error)) {
        fprintf(stderr, "counts: %s\n", error.text);
        return error.status;
    }
    printf("# %" PRIu64 " frames in %zu records, libtrjpipe %s\n# from\tto", h->total.frames, h->record_count,
           trjpipe_version());
    for (size_t p = 0; p < h->pair_count; p++)
        printf("\t%s:%s", h->groups[h->pairs[p].a].name, h->groups[h->pairs[p].b].name);
    for (size_t k = 0; k < h->bin_count; k++) {
        printf("\n%g\t%g", h->edges[k], h->edges[k + 1]);
        for (size_t p = 0; p < h->pair_count; p++) printf("\t%" PRIu64, h->total.counts[p * h->bin_count + k]);
    }
    printf("\n");
    trjpipe_histogram_close(h);
    return fflush(stdout) ? TRJPIPE_FAILED : 0;
}
