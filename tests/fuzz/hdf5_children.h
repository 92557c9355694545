// SPDX-License-Identifier: MIT
// Prepares a fuzzer for HDF5, which reads in child processes (child_reader.h).
#ifndef TRJ_HDF5_CHILDREN_H
#define TRJ_HDF5_CHILDREN_H

// Loads HDF5, so that no child has to load it, and shares the counters of coverage with them, so that libFuzzer
// observes what a child does. A build without HDF5 only shares the counters. Must be called before the first child
// starts.
void prepare_hdf5_children(void);

#endif
