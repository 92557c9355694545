// SPDX-License-Identifier: MIT
// Emulates the function of CUB that cuda/ uses.
#ifndef EMULATED_BLOCK_SCAN_CUH
#define EMULATED_BLOCK_SCAN_CUH

namespace cub {
template <class T, int THREADS> struct BlockScan {
    struct TempStorage {
        T value[THREADS];
    };
    TempStorage &storage;
    explicit BlockScan(TempStorage &s) : storage(s) {
    }
    void ExclusiveSum(T in, T &out, T &total) {
        storage.value[threadIdx.x] = in;
        __syncthreads();
        out = total = 0;
        for (unsigned i = 0; i < (unsigned)THREADS; i++) {
            if (i < threadIdx.x) out += storage.value[i];
            total += storage.value[i];
        }
    }
};
} // namespace cub

#endif
