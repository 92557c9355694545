// SPDX-License-Identifier: MIT
// Reads the energy counter of a GPU from its driver (NVML).
#ifndef CUDA_ENERGY_H
#define CUDA_ENERGY_H

// Returns the energy in J that the whole board has used since the driver was loaded, including other processes; NAN if
// the driver does not count it, as before Volta. The counter is updated every 20 to 100 ms, so differences over shorter
// times mean little. pci_bus_id is the result of cudaDeviceGetPCIBusId. May be called from any thread; the first call
// takes some milliseconds.
double cuda_energy_joules(const char *pci_bus_id);

#endif
