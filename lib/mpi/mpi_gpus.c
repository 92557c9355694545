// SPDX-License-Identifier: MIT
// Divides GPUs without starting the driver of CUDA, which takes seconds: NVML takes some hundredths of a second.
#include "mpi_gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optional_library.h"

static void find_uuids(char uuids[TRJ_MPI_GPUS_TEXT]) {
    enum { UUID = 96 };
    int (*init)(void), (*count_of)(unsigned *), (*handle_of)(unsigned, void **), (*uuid_of)(void *, char *, unsigned);
    const struct trj_symbol symbols[] = {{"nvmlInit_v2", &init},
                                         {"nvmlDeviceGetCount_v2", &count_of},
                                         {"nvmlDeviceGetHandleByIndex_v2", &handle_of},
                                         {"nvmlDeviceGetUUID", &uuid_of}};
    char uuid[UUID];
    unsigned count;
    void *device;
    if (!trj_library_load("libnvidia-ml.so.1", RTLD_LOCAL, symbols, sizeof symbols / sizeof *symbols)) return;
    if (init() || count_of(&count)) return;
    for (unsigned i = 0; i < count; i++) {
        size_t n = strlen(uuids);
        if (handle_of(i, &device) || uuid_of(device, uuid, UUID)) continue; // hidden by a scheduler
        if (n + UUID + 1 < TRJ_MPI_GPUS_TEXT)
            snprintf(uuids + n, TRJ_MPI_GPUS_TEXT - n, "%s%.*s", n ? "," : "", UUID - 1, uuid);
    }
}

void trj_mpi_gpus_find(struct trj_mpi_gpus *g) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    memset(g, 0, sizeof *g); // it is compared byte by byte
    if (visible) snprintf(g->visible, sizeof g->visible, "%s", visible);
    find_uuids(g->uuids);
}

void trj_mpi_gpus_divide(char list[TRJ_MPI_GPUS_TEXT], unsigned *sharing, const struct trj_mpi_gpus *all, size_t count,
                         size_t rank) {
    const char *text = *all[rank].visible ? all[rank].visible : all[rank].uuids;
    size_t same = 0, before = 0, gpus = *text ? 1 : 0, number = 0, used = 0;
    for (size_t i = 0; i < count; i++) {
        bool equal = !strcmp(all[i].visible, all[rank].visible) && !strcmp(all[i].uuids, all[rank].uuids);
        same += equal;
        before += equal && i < rank;
    }
    for (const char *c = text; *c; c++) gpus += *c == ',';
    *list = 0;
    *sharing = 1;
    if (same <= 1 || !gpus) return;
    size_t from = before * gpus / same, to = (before + 1) * gpus / same;
    if (gpus < same) {
        to = from + 1;
        *sharing = 0;
        for (size_t i = 0; i < same; i++) *sharing += i * gpus / same == from ? 1 : 0;
    }
    for (const char *c = text; *c; c++) {
        number += *c == ',';
        if (number >= from && number < to && (used || *c != ',')) list[used++] = *c;
    }
    list[used] = 0;
}
