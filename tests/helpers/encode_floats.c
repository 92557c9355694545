// SPDX-License-Identifier: MIT
// encode_floats FRAMES ATOMS: reads float32 numbers (x, y, z of each atom) from standard input and writes what
// trj_codec_floats_encode() makes of them.
#include <stdio.h>
#include <stdlib.h>

#include "floats.h"

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    size_t frames = strtoul(argv[1], NULL, 10), atoms = strtoul(argv[2], NULL, 10);
    struct trj_error err;
    struct trj_bytes out = {0};
    float *numbers = malloc(frames * atoms * 3 * sizeof *numbers);
    const float **x = malloc(3 * frames * sizeof *x);
    if (!numbers || !x) return 1;
    for (size_t i = 0; i < 3 * frames; i++) x[i] = numbers + i * atoms;
    for (size_t f = 0; f < frames; f++)
        for (size_t a = 0; a < atoms; a++)
            for (size_t c = 0; c < 3; c++)
                if (fread(&numbers[(3 * f + c) * atoms + a], sizeof *numbers, 1, stdin) != 1) return 1;
    if (trj_codec_floats_encode(&out, x, frames, atoms, &err)) {
        fprintf(stderr, "encode_floats: %s\n", err.text);
        return 1;
    }
    int rc = fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout);
    trj_bytes_free(&out);
    free(numbers);
    free(x);
    return rc;
}
