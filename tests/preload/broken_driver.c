// SPDX-License-Identifier: MIT
// A GPU driver that cannot be started. Under the name libcuda.so.1, in a folder of LD_LIBRARY_PATH, the CUDA runtime
// loads it in place of the driver. BROKEN_DRIVER states what happens then: "hang", "crash", or "absent": the driver has
// no functions. DRIVER_LOADED names a file that is created first.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void start(void) {
    const char *how = getenv("BROKEN_DRIVER"), *loaded = getenv("DRIVER_LOADED");
    if (loaded) close(open(loaded, O_WRONLY | O_CREAT, 0666));
    if (how && !strcmp(how, "crash")) abort();
    while (how && !strcmp(how, "hang")) pause();
}
