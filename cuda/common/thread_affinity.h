// SPDX-License-Identifier: MIT
// Binds threads to cores near the GPU that they drive.
#ifndef CUDA_THREAD_AFFINITY_H
#define CUDA_THREAD_AFFINITY_H

// Binds the calling thread to those of its cores that are nearest to a GPU (same NUMA node or PCIe root). Memory that
// the thread touches first is then near, too, and transfers do not cross sockets. The thread never gets cores that it
// may not use, as batch systems restrict them. Does nothing if no core would be left, or without hwloc 2 in the build
// or on the machine. pci_bus_id is the result of cudaDeviceGetPCIBusId. The first call examines the machine, which
// takes about 10 ms.
void cuda_bind_thread(const char *pci_bus_id);

#endif
