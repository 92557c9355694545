// SPDX-License-Identifier: MIT
// Generates a kernel for a molecule, and compiles and launches it. The functions of NVRTC and of the driver are
// declared here, because their headers can be missing.
#include "kernel_compiler.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.cuh"
#include "memory.h"
#include "optional_library.h"

// ---- source

// "{p.coefficient} exp2({p.exponent} square) + ..."
static void write_radial(FILE *out, const struct kernel_primitive *p, uint32_t primitives) {
    for (uint32_t k = 0; k < primitives; k++)
        fprintf(out, "%s%.9ef * exp2f(%.9ef * square)", k ? " + " : "", (double)p[k].coefficient,
                (double)p[k].exponent);
}

static void write_shell(FILE *out, const struct kernel_shell *shell, const struct kernel_primitive *p, unsigned f) {
    fprintf(out, "        radial = ");
    write_radial(out, p, shell->primitives);
    fprintf(out, ";\n        sum += radial * ");
    if (shell->l == 0)
        fprintf(out, "c[%u];\n", f);
    else if (shell->l == 1)
        fprintf(out, "(c[%u] * x + c[%u] * y + c[%u] * z);\n", f, f + 1, f + 2);
    else
        fprintf(out,
                "(x * (c[%u] * x + c[%u] * y + c[%u] * z) + y * (c[%u] * y + c[%u] * z) +\n"
                "                         c[%u] * (z * z));\n",
                f, f + 1, f + 2, f + 3, f + 4, f + 5);
}

static void write_element(FILE *out, const struct kernel_data *data, const struct kernel_element *element,
                          unsigned unroll) {
    const struct kernel_primitive *p = data->primitive + element->first_primitive;
    unsigned functions = 0;
    fprintf(out,
            "#pragma unroll %u\n"
            "    for (int atom = 0; atom < %u; atom++) {\n"
            "        const float x = px - at->x, y = py - at->y, z = pz - at->z, square = x * x + y * y + z * z;\n"
            "        float radial;\n",
            unroll ? unroll : element->atoms, element->atoms);
    for (uint32_t s = element->first_shell; s < element->end_shell; s++) {
        const struct kernel_shell *shell = &data->shell[s];
        write_shell(out, shell, p, functions);
        p += shell->primitives;
        functions += (shell->l + 1) * (shell->l + 2) / 2;
    }
    fprintf(out, "        at++;\n        c += %u;\n    }\n", functions);
}

int kernel_source(char **source, const struct kernel_data *data, unsigned unroll, struct trj_error *err) {
    size_t bytes;
    FILE *out = open_memstream(source, &bytes);
    if (!out) return trj_fail(err, TRJ_FAILED, "out of memory");
    fprintf(out,
            "struct lattice {\n"
            "    float origin[3], step[3];\n"
            "    unsigned width, height, first;\n"
            "};\n"
            "struct __align__(16) atom_position {\n"
            "    float x, y, z, unused;\n"
            "};\n"
            "extern \"C\" {\n"
            "__constant__ atom_position position[%d];\n"
            "__constant__ float coefficient[%d];\n"
            "__global__ void __launch_bounds__(%d) compiled_kernel(lattice l, float *value) {\n"
            "    const unsigned i = blockIdx.x * %d + threadIdx.x, j = blockIdx.y * %d + threadIdx.y, k = blockIdx.z;\n"
            "    const float px = l.origin[0] + (float)i * l.step[0], py = l.origin[1] + (float)j * l.step[1],\n"
            "                pz = l.origin[2] + (float)(l.first + k) * l.step[2];\n"
            "    const atom_position *at = position;\n"
            "    const float *c = coefficient;\n"
            "    float sum = 0;\n",
            KERNEL_ATOMS, KERNEL_FUNCTIONS, KERNEL_X * KERNEL_Y, KERNEL_X, KERNEL_Y);
    for (uint32_t e = 0; e < data->elements; e++) write_element(out, data, &data->element[e], unroll);
    fprintf(out, "    value[((size_t)k * l.height + j) * l.width + i] = sum;\n}\n}\n");
    if (!fclose(out)) return 0;
    free(*source);
    *source = NULL;
    return trj_fail(err, TRJ_FAILED, "out of memory");
}

// ---- NVRTC

typedef void *program_handle; // nvrtcProgram

static struct {
    int (*create)(program_handle *program, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(program_handle program, int options, const char *const *option);
    int (*log_size)(program_handle program, size_t *bytes);
    int (*log)(program_handle program, char *text);
    int (*code_size)(program_handle program, size_t *bytes);
    int (*code)(program_handle program, char *code);
    int (*destroy)(program_handle *program);
} nvrtc;

static int load_nvrtc(struct trj_error *err) {
    static const struct trj_symbol symbols[] = {
        {"nvrtcCreateProgram", &nvrtc.create},       {"nvrtcCompileProgram", &nvrtc.compile},
        {"nvrtcGetProgramLogSize", &nvrtc.log_size}, {"nvrtcGetProgramLog", &nvrtc.log},
        {"nvrtcGetCUBINSize", &nvrtc.code_size},     {"nvrtcGetCUBIN", &nvrtc.code},
        {"nvrtcDestroyProgram", &nvrtc.destroy}};
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (trj_library_load(names[i], RTLD_LOCAL, symbols, sizeof symbols / sizeof *symbols)) return 0;
    return trj_fail(err, TRJ_NO_ENGINE, "NVRTC cannot be loaded: %s; add its folder to LD_LIBRARY_PATH", dlerror());
}

// Sets an error with the messages of the compiler.
static int fail_with_log(program_handle program, struct trj_error *err) {
    size_t bytes = 0;
    char *text = nvrtc.log_size(program, &bytes) ? NULL : malloc(bytes + 1);
    if (text && !nvrtc.log(program, text))
        trj_error_set(err, TRJ_NO_ENGINE, "NVRTC: the kernel was not compiled: %.500s", text);
    else
        trj_error_set(err, TRJ_NO_ENGINE, "NVRTC: the kernel was not compiled");
    free(text);
    return -1;
}

static int compile_program(char **code, program_handle program, const char *architecture, struct trj_error *err) {
    const char *const options[] = {architecture, "--ftz=true"};
    size_t bytes = 0;
    if (nvrtc.compile(program, 2, options)) return fail_with_log(program, err);
    if (nvrtc.code_size(program, &bytes) || !bytes)
        return trj_fail(err, TRJ_NO_ENGINE, "NVRTC: no machine code for %s", architecture);
    *code = trj_alloc(bytes, 1, "machine code", err);
    if (!*code) return -1;
    if (!nvrtc.code(program, *code)) return 0;
    free(*code);
    *code = NULL;
    return trj_fail(err, TRJ_NO_ENGINE, "NVRTC: the machine code cannot be copied");
}

// ---- the driver

static struct {
    int (*load)(void **module, const void *code);
    int (*unload)(void *module);
    int (*get_function)(void **function, void *module, const char *name);
    int (*get_global)(unsigned long long *address, size_t *bytes, void *module, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                  unsigned block_z, unsigned shared, cudaStream_t stream, void **parameters, void **extra);
} driver;

static int load_driver(struct trj_error *err) {
    static const struct trj_symbol symbols[] = {{"cuModuleLoadData", &driver.load},
                                                {"cuModuleUnload", &driver.unload},
                                                {"cuModuleGetFunction", &driver.get_function},
                                                {"cuModuleGetGlobal_v2", &driver.get_global},
                                                {"cuLaunchKernel", &driver.launch}};
    if (trj_library_load("libcuda.so.1", RTLD_LOCAL, symbols, sizeof symbols / sizeof *symbols)) return 0;
    return trj_fail(err, TRJ_NO_ENGINE, "the driver cannot be loaded: %s", dlerror());
}

int kernel_compile(char **code, const char *source, struct trj_error *err) {
    struct cudaDeviceProp device;
    program_handle program;
    char architecture[64];
    int number;
    *code = NULL;
    if (load_nvrtc(err) || load_driver(err)) return -1;
    CUDA_CHECK(cudaGetDevice(&number));
    CUDA_CHECK(cudaGetDeviceProperties(&device, number));
    snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d", device.major, device.minor);
    if (nvrtc.create(&program, source, "orbital.cu", 0, NULL, NULL))
        return trj_fail(err, TRJ_NO_ENGINE, "NVRTC: the program cannot be created");
    const int rc = compile_program(code, program, architecture, err);
    nvrtc.destroy(&program);
    return rc;
}

// ---- launches

// Calls a function of the driver, and returns -1 from the calling function if it fails.
#define DRIVER_CHECK(call)                                                                                             \
    do {                                                                                                               \
        const int driver_status = (call);                                                                              \
        if (driver_status) return trj_fail(err, TRJ_NO_ENGINE, "%s: error %d of the driver", #call, driver_status);    \
    } while (0)

static int set_constant(const struct kernel_module *m, const char *name, const void *from, size_t bytes,
                        struct trj_error *err) {
    unsigned long long address = 0;
    size_t size = 0;
    DRIVER_CHECK(driver.get_global(&address, &size, m->module, name));
    if (size != bytes) return trj_fail(err, TRJ_FAILED, "%s has %zu bytes, expected %zu", name, size, bytes);
    CUDA_CHECK(cudaMemcpy((void *)(uintptr_t)address, from, bytes, cudaMemcpyHostToDevice));
    return 0;
}

int kernel_module_load(struct kernel_module *m, const char *code, const struct kernel_data *data,
                       struct trj_error *err) {
    DRIVER_CHECK(driver.load(&m->module, code));
    DRIVER_CHECK(driver.get_function(&m->function, m->module, "compiled_kernel"));
    return set_constant(m, "position", data->position, sizeof data->position, err) ||
                   set_constant(m, "coefficient", data->coefficient, sizeof data->coefficient, err)
               ? -1
               : 0;
}

int kernel_module_launch(const struct kernel_module *m, const struct kernel_lattice *lattice, uint32_t planes,
                         float *value, cudaStream_t stream, struct trj_error *err) {
    struct kernel_lattice copy = *lattice;
    void *parameters[] = {&copy, &value};
    DRIVER_CHECK(driver.launch(m->function, lattice->width / KERNEL_X, lattice->height / KERNEL_Y, planes, KERNEL_X,
                               KERNEL_Y, 1, 0, stream, parameters, NULL));
    return 0;
}

void kernel_module_unload(struct kernel_module *m) {
    if (m->module) driver.unload(m->module);
    *m = (struct kernel_module){NULL, NULL};
}
