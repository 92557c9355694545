// SPDX-License-Identifier: MIT
// Binds threads by hwloc, because the driver does not. It is used with the types of its header, but loaded at run time:
// if it were linked as usual, no tool would start on a machine without it, and its static library requires libudev, for
// which Debian has no static library. Inline functions of the header are not used, because they call others that would
// have to be linked.
#include "thread_affinity.h"

#ifdef TRJPIPE_HWLOC
#include <hwloc.h>
#endif

#if defined HWLOC_API_VERSION && HWLOC_API_VERSION >> 16 == 2
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libraries.h"
#include "optional_library.h"

#ifdef HWLOC_VERSION
// Returns the version of the header, because the library is loaded only when the first GPU is opened.
const char *trj_version_of_hwloc(void) {
    return HWLOC_VERSION;
}
#endif

// The functions, with the types of the header.
static struct {
    __typeof__(hwloc_get_api_version) *get_api_version;
    __typeof__(hwloc_topology_init) *topology_init;
    __typeof__(hwloc_topology_set_type_filter) *topology_set_type_filter;
    __typeof__(hwloc_topology_load) *topology_load;
    __typeof__(hwloc_topology_destroy) *topology_destroy;
    __typeof__(hwloc_get_obj_by_depth) *get_obj_by_depth;
    __typeof__(hwloc_get_cpubind) *get_cpubind;
    __typeof__(hwloc_set_cpubind) *set_cpubind;
    __typeof__(hwloc_bitmap_alloc) *bitmap_alloc;
    __typeof__(hwloc_bitmap_and) *bitmap_and;
    __typeof__(hwloc_bitmap_iszero) *bitmap_iszero;
    __typeof__(hwloc_bitmap_free) *bitmap_free;
} hwloc;

static const struct trj_symbol symbols[] = {
    {"hwloc_get_api_version", &hwloc.get_api_version},
    {"hwloc_topology_init", &hwloc.topology_init},
    {"hwloc_topology_set_type_filter", &hwloc.topology_set_type_filter},
    {"hwloc_topology_load", &hwloc.topology_load},
    {"hwloc_topology_destroy", &hwloc.topology_destroy},
    {"hwloc_get_obj_by_depth", &hwloc.get_obj_by_depth},
    {"hwloc_get_cpubind", &hwloc.get_cpubind},
    {"hwloc_set_cpubind", &hwloc.set_cpubind},
    {"hwloc_bitmap_alloc", &hwloc.bitmap_alloc},
    {"hwloc_bitmap_and", &hwloc.bitmap_and},
    {"hwloc_bitmap_iszero", &hwloc.bitmap_iszero},
    {"hwloc_bitmap_free", &hwloc.bitmap_free},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hwloc_topology_t topology; // NULL: unknown. Kept until the process ends; threads may read it concurrently.

// Besides cores only PCI devices are examined: to find the names of devices, hwloc would start CUDA and NVML itself.
static void start(void) {
    hwloc_topology_t t;
    if (!trj_library_load("libhwloc.so.15", RTLD_LOCAL, symbols, sizeof symbols / sizeof *symbols) ||
        hwloc.get_api_version() >> 16 != HWLOC_API_VERSION >> 16 || hwloc.topology_init(&t))
        return;
    if (hwloc.topology_set_type_filter(t, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
        hwloc.topology_load(t))
        hwloc.topology_destroy(t);
    else
        topology = t;
}

// "0000:1B:00.0": domain, bus, device, function
static bool parse_bus_id(const char *text, unsigned long part[4]) {
    for (int k = 0; k < 4; k++) {
        char *end;
        part[k] = strtoul(text, &end, 16);
        if (end == text || *end != "::."[k]) return false; // including the NUL
        text = end + 1;
    }
    return true;
}

static hwloc_obj_t find_device(const unsigned long part[4]) {
    for (unsigned i = 0;; i++) {
        hwloc_obj_t o = hwloc.get_obj_by_depth(topology, HWLOC_TYPE_DEPTH_PCI_DEVICE, i);
        if (!o) return NULL;
        const struct hwloc_pcidev_attr_s *pci = &o->attr->pcidev;
        if (pci->domain == part[0] && pci->bus == part[1] && pci->dev == part[2] && pci->func == part[3]) return o;
    }
}

void cuda_bind_thread(const char *pci_bus_id) {
    unsigned long part[4];
    pthread_once(&once, start);
    if (!topology || !parse_bus_id(pci_bus_id, part)) return;
    hwloc_obj_t near = find_device(part);
    while (near && !near->cpuset) near = near->parent; // a device has no set of cores, but a parent has
    hwloc_bitmap_t cores = near ? hwloc.bitmap_alloc() : NULL;
    if (!cores) return;
    if (!hwloc.get_cpubind(topology, cores, HWLOC_CPUBIND_THREAD) && !hwloc.bitmap_and(cores, cores, near->cpuset) &&
        !hwloc.bitmap_iszero(cores))
        (void)hwloc.set_cpubind(topology, cores, HWLOC_CPUBIND_THREAD);
    hwloc.bitmap_free(cores);
}
#else
void cuda_bind_thread(const char *pci_bus_id) {
    (void)pci_bus_id;
}
#endif
