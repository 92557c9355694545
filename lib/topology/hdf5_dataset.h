// SPDX-License-Identifier: MIT
// Finds a dataset in an HDF5 file without the HDF5 library, because damaged files can make the library crash. It
// supports only uncompressed contiguous datasets, as PyTables writes texts by default.
#ifndef TRJ_HDF5_DATASET_H
#define TRJ_HDF5_DATASET_H

#include <stdint.h>

#include "error.h"
#include "input.h"

// Sets *offset and *size to the bytes of a dataset of the root group. The input must be seekable; its position is then
// undefined. Returns 1, 0 if there is no dataset of that name, -1. Fails with TRJ_BAD_DATA if it is stored in another
// way (compressed, in chunks, or in files of the newer formats that h5repack writes), or if the file is damaged.
int trj_hdf5_find_dataset(struct trj_input *in, const char *name, uint64_t *offset, uint64_t *size,
                          struct trj_error *err);

#endif
