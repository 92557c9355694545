// SPDX-License-Identifier: MIT
// A GPU driver that cannot be started. The CUDA runtime loads it instead of the real driver if it has the name
// libcuda.so.1 in a folder of LD_LIBRARY_PATH. BROKEN_DRIVER selects what happens then: "hang", "crash", or "absent",
// which means that the driver has no functions. Before, the file DRIVER_LOADED is created.
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
