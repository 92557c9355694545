// SPDX-License-Identifier: MIT
// Threads near the GPUs they serve.
#ifndef CUDA_THREAD_AFFINITY_H
#define CUDA_THREAD_AFFINITY_H

// Binds the calling thread to those of its cores that are nearest to a GPU (same NUMA node or PCIe root): memory it
// touches first is then near, too, and transfers do not cross sockets. Never widens what the thread may use, which
// batch systems set; where nothing would be left, or in builds or on machines without hwloc 2, does nothing. pci_bus_id
// as cudaDeviceGetPCIBusId writes it. The first call looks over the machine, which takes some ten milliseconds.
void cuda_bind_thread(const char *pci_bus_id);

#endif
