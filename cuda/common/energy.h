// SPDX-License-Identifier: MIT
// What a GPU has taken, by the driver's own count (NVML).
#ifndef CUDA_ENERGY_H
#define CUDA_ENERGY_H

// Joules since the driver was loaded, of the whole board and everyone who uses it; NAN where the driver cannot say (it
// counts from Volta on). The counter moves on every 20 to 100 ms: differences over less mean little. pci_bus_id as
// cudaDeviceGetPCIBusId writes it. From any thread; the first call takes some milliseconds.
double cuda_energy_joules(const char *pci_bus_id);

#endif
