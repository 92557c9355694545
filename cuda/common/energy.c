// SPDX-License-Identifier: MIT
// Reads the energy counter by NVML, for --stats. NVML is part of the driver, not of the toolkit, so it is loaded at run
// time. The prototypes follow its documented, stable interface (NVML API Reference Guide): results are an enum whose
// NVML_SUCCESS is 0, and a device is an opaque pointer. nvmlShutdown is never called, because the process may read the
// counter until it ends.
#include "energy.h"

#include <math.h>
#include <pthread.h>

#include "optional_library.h"

static int (*nvml_init)(void);
static int (*nvml_device)(const char *pci_bus_id, void **device);
static int (*nvml_energy)(void *device, unsigned long long *millijoules);

static const struct trj_symbol symbols[] = {
    {"nvmlInit_v2", &nvml_init},
    {"nvmlDeviceGetHandleByPciBusId_v2", &nvml_device},
    {"nvmlDeviceGetTotalEnergyConsumption", &nvml_energy},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;

static void start(void) {
    ready =
        trj_library_load("libnvidia-ml.so.1", RTLD_LOCAL, symbols, sizeof symbols / sizeof *symbols) && !nvml_init();
}

double cuda_energy_joules(const char *pci_bus_id) {
    void *device;
    unsigned long long millijoules;
    pthread_once(&once, start);
    if (!ready || nvml_device(pci_bus_id, &device) || nvml_energy(device, &millijoules)) return NAN;
    return (double)millijoules * 1e-3;
}
