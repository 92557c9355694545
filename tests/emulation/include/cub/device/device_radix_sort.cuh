// SPDX-License-Identifier: MIT
// Emulates the function of CUB that cuda/ uses.
#ifndef EMULATED_DEVICE_RADIX_SORT_CUH
#define EMULATED_DEVICE_RADIX_SORT_CUH

#include <numeric>
#include <vector>

namespace cub {
struct DeviceRadixSort {
    template <class K, class V>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, const K *key, K *sorted_key, const V *value,
                                 V *sorted_value, int n, int = 0, int = 0, cudaStream_t = 0) {
        if (!scratch) {
            bytes = 1;
            return cudaSuccess;
        }
        std::vector<int> order((size_t)n);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [key](int a, int b) { return key[a] < key[b]; });
        for (int i = 0; i < n; i++) {
            sorted_key[i] = key[order[(size_t)i]];
            sorted_value[i] = value[order[(size_t)i]];
        }
        return cudaSuccess;
    }
};
} // namespace cub

#endif
