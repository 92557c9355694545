// SPDX-License-Identifier: MIT
// Runs the threads of emulated kernels as coroutines, and implements the CUDA runtime of cuda_runtime_api.h.
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "cuda_emulation.hh"

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

// ---- coroutines

// Saves the stack pointer and the registers that a called function must preserve, and continues another coroutine.
extern "C" void emulation_switch(void **from, void *to);
asm(R"(
    .text
    .globl emulation_switch
    .type emulation_switch, @function
emulation_switch:
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");

static bool start_launch();

namespace emulation {

dim3 thread_index, block_index, block_size, grid_size;

enum { WARP = 32, RING = 64, STACK = 256 << 10, MAX_THREADS = 1024, SHARED = 256 << 10 };

struct warp {
    uint64_t value[WARP];
    exchanged done[RING]; // exchanges that are complete
    uint64_t exchanges;
    unsigned arrived, ended;
};

struct thread {
    char *stack;
    void *at; // stack pointer
    dim3 index;
    bool ended;
};

static std::mutex lock; // one kernel at a time
static std::vector<thread> threads(MAX_THREADS);
static std::vector<warp> warps(MAX_THREADS / WARP);
static const std::function<void()> *kernel;
static void *scheduler;
// Of the threads of the block: their number, the current one, how many have not ended, and how many are at the barrier.
static unsigned count, current, running, waiting;
static uint64_t barriers;
static uint64_t result_of[MAX_THREADS]; // number of the exchange of a thread; UINT64_MAX: it is not complete
static unsigned mask_of[MAX_THREADS];
static int passed[2]; // whether a value at the last barrier with an even or odd number was not 0
alignas(16) static char shared_memory[SHARED];

static void yield() {
    emulation_switch(&threads[current].at, scheduler);
}

static void release_block() {
    waiting = 0;
    barriers++;
    passed[barriers % 2] = 0;
}

int wait_block(int value) {
    uint64_t mine = barriers;
    passed[mine % 2] |= value != 0;
    waiting++;
    if (waiting == running) release_block();
    while (barriers == mine) yield();
    return passed[mine % 2];
}

static void fail(const char *what) {
    fprintf(stderr, "emulation: block %u, %u, %u: %s\n", block_index.x, block_index.y, block_index.z, what);
    abort();
}

const exchanged &exchange(unsigned mask, uint64_t value) {
    warp &w = warps[current / WARP];
    const unsigned first = current / WARP * WARP, lane = current % WARP;
    if (!(mask >> lane & 1)) fail("a thread takes part in an exchange whose mask does not contain it");
    w.value[lane] = value;
    w.arrived |= 1u << lane;
    mask_of[current] = mask;
    result_of[current] = UINT64_MAX;
    while (result_of[current] == UINT64_MAX) {
        const unsigned lanes = mask & ~w.ended;
        if ((w.arrived & lanes) != lanes) {
            yield();
            continue;
        }
        exchanged &done = w.done[w.exchanges % RING];
        memcpy(done.value, w.value, sizeof done.value);
        done.lanes = lanes;
        w.arrived &= ~lanes;
        for (unsigned i = 0; i < WARP; i++) {
            if (!(lanes >> i & 1)) continue;
            if (mask_of[first + i] != mask) fail("threads of a warp exchange values with different masks");
            result_of[first + i] = w.exchanges;
        }
        w.exchanges++;
    }
    return w.done[result_of[current] % RING];
}

void *dynamic_shared() {
    return shared_memory;
}

extern "C" void emulation_start(void) {
    (*kernel)();
    threads[current].ended = true;
    warps[current / WARP].ended |= 1u << current % WARP;
    running--;
    if (running && waiting == running) release_block();
    for (;;) yield();
}

static void prepare(thread &t, unsigned number) {
    if (!t.stack) t.stack = (char *)mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void **top = (void **)(t.stack + STACK - 64);
    *--top = 0; // aligns the stack as at a call
    *--top = (void *)emulation_start;
    for (int i = 0; i < 6; i++) *--top = 0;
    t.at = top;
    t.ended = false;
    t.index = dim3(number % block_size.x, number / block_size.x % block_size.y, number / block_size.x / block_size.y);
}

static void run_block() {
    static unsigned turn;
    running = count;
    waiting = 0;
    for (unsigned i = 0; i < count; i++) prepare(threads[i], i);
    for (unsigned i = 0; i * WARP < count; i++) {
        unsigned in_warp = std::min((unsigned)WARP, count - i * WARP);
        warps[i].arrived = 0;
        warps[i].ended = in_warp == WARP ? 0 : ~0u << in_warp;
    }
    uint64_t rounds = 0, before = 0;
    while (running) {
        // The order of threads differs between rounds, so that a missing barrier is likely to change results.
        unsigned first = turn++ * 7 % count;
        for (unsigned i = 0; i < count && running; i++) {
            current = turn % 2 ? (first + i) % count : (first + count - i) % count;
            if (threads[current].ended) continue;
            thread_index = threads[current].index;
            emulation_switch(&scheduler, threads[current].at);
        }
        uint64_t progress = barriers + count - running;
        for (unsigned i = 0; i * WARP < count; i++) progress += warps[i].exchanges;
        rounds = progress == before ? rounds + 1 : 0;
        before = progress;
        if (rounds > 1000) fail("the threads wait for each other");
    }
}

void launch(const std::function<void()> &k, dim3 grid, dim3 block, size_t shared, cudaStream_t) {
    if (!start_launch()) return;
    std::lock_guard<std::mutex> guard(lock);
    count = block.x * block.y * block.z;
    if (!count || count > MAX_THREADS || shared > SHARED) {
        fprintf(stderr, "emulation: unsupported block: %u threads, %zu bytes of shared memory\n", count, shared);
        abort();
    }
    kernel = &k;
    block_size = block;
    grid_size = grid;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                block_index = dim3(x, y, z);
                memset(shared_memory, 0xa5, shared);
                run_block();
            }
}

} // namespace emulation

// ---- the runtime

static thread_local cudaError_t last;
static thread_local int device;

static cudaError_t set(cudaError_t e) {
    return e ? last = e : e;
}

static double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Returns the number of GPUs, which tests set, or of those of them that CUDA_VISIBLE_DEVICES lists.
static int devices() {
    const char *text = getenv("EMULATED_GPUS"), *visible = getenv("CUDA_VISIBLE_DEVICES");
    const int all = text ? atoi(text) : 1;
    int listed = 0;
    for (const char *next = visible; next && *next; next = strchr(next, ',') ? strchr(next, ',') + 1 : nullptr)
        listed += atoi(next) < all;
    return visible ? listed : all;
}

// Failures: with EMULATED_FAULT=CALL, the GPU that gets the call with this number, from 0 and of all GPUs together,
// fails in it and in all later calls; with EMULATED_FAULT=CALL:all, all GPUs do. Functions that free something are not
// counted, and never fail. At the end of the process, a line on standard error states the number of calls.
enum { NO_GPU = -1, ALL_GPUS = -2 };
static std::atomic<unsigned> calls;
static std::atomic<int> failed{NO_GPU};

static cudaError_t count_call(int gpu = device) {
    static const char *text = getenv("EMULATED_FAULT");
    static const unsigned fault = text ? (unsigned)atoi(text) : ~0u;
    const unsigned call = calls++;
    if (call == fault) {
        failed = strchr(text, ':') ? ALL_GPUS : gpu;
        fprintf(stderr, "emulation: %s %d fails in call %u\n", failed < 0 ? "with all, GPU" : "GPU", gpu, call);
    }
    return failed == ALL_GPUS || failed == gpu ? set(cudaErrorUnknown) : cudaSuccess;
}

static bool start_launch() {
    return !count_call();
}

static struct report {
    ~report() {
        fprintf(stderr, "emulation: %u calls\n", calls.load());
    }
} report_at_end;

struct emulated_stream {
    int gpu;
};
struct emulated_event {
    double time;
};

const char *cudaGetErrorString(cudaError_t e) {
    return e == cudaErrorMemoryAllocation ? "out of memory"
           : e == cudaErrorUnknown        ? "the emulated GPU has failed"
           : e                            ? "an error of the emulation"
                                          : "no error";
}
cudaError_t cudaGetLastError() {
    cudaError_t e = last;
    last = cudaSuccess;
    return e;
}
cudaError_t cudaGetDeviceCount(int *n) {
    *n = devices();
    return *n ? cudaSuccess : set(cudaErrorInsufficientDriver);
}
cudaError_t cudaGetDevice(int *d) {
    *d = device;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int d) {
    if (d < 0 || d >= devices()) return set(cudaErrorInvalidValue);
    device = d;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) {
    memset(p, 0, sizeof *p);
    strcpy(p->name, "emulation");
    p->totalGlobalMem = (size_t)4 << 30;
    p->major = 9;
    p->multiProcessorCount = 2;
    p->clockRate = 1000000;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr a, int) {
    if (cudaError_t error = count_call()) return error;
    *value = a == cudaDevAttrMultiProcessorCount            ? 2
             : a == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 227 << 10
             : a == cudaDevAttrComputeCapabilityMajor       ? 9
                                                            : 2;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int d) {
    if (cudaError_t error = count_call()) return error;
    snprintf(text, (size_t)size, "0000:%02x:00.0", d);
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    if (cudaError_t error = count_call()) return error;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *v) {
    *v = 13000;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *v) {
    *v = 13000;
    return cudaSuccess;
}
// New memory is filled with a pattern, so that code that expects zeros fails.
cudaError_t cudaMalloc(void **p, size_t n) {
    if (cudaError_t error = count_call()) return error;
    *p = n <= (size_t)4 << 30 ? malloc(n ? n : 1) : 0;
    if (!*p) return set(cudaErrorMemoryAllocation);
    memset(*p, 0xa5, n);
    return cudaSuccess;
}
cudaError_t cudaFree(void *p) {
    free(p);
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void **p, size_t n) {
    if (cudaError_t error = count_call()) return error;
    *p = aligned_alloc(64, (n + 64) / 64 * 64);
    return *p ? cudaSuccess : set(cudaErrorMemoryAllocation);
}
// Allocates memory for all GPUs, in any thread: not a call of one GPU.
cudaError_t cudaHostAlloc(void **p, size_t n, unsigned) {
    *p = aligned_alloc(64, (n + 64) / 64 * 64);
    return *p ? cudaSuccess : set(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void *p) {
    free(p);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *left, size_t *all) {
    if (cudaError_t error = count_call()) return error;
    *left = *all = (size_t)4 << 30;
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind) {
    if (cudaError_t error = count_call()) return error;
    memcpy(to, from, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t) {
    if (cudaError_t error = count_call()) return error;
    memcpy(to, from, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_row, const void *from, size_t from_row, size_t n, size_t rows,
                              cudaMemcpyKind, cudaStream_t) {
    if (cudaError_t error = count_call()) return error;
    for (size_t i = 0; i < rows; i++) memcpy((char *)to + i * to_row, (const char *)from + i * from_row, n);
    return cudaSuccess;
}
cudaError_t cudaMemset(void *p, int x, size_t n) {
    if (cudaError_t error = count_call()) return error;
    memset(p, x, n);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *p, int x, size_t n, cudaStream_t) {
    if (cudaError_t error = count_call()) return error;
    memset(p, x, n);
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) {
    if (cudaError_t error = count_call()) return error;
    *s = new emulated_stream{device};
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
    delete s;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
    if (cudaError_t error = count_call(s ? s->gpu : device)) return error;
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
    if (cudaError_t error = count_call()) return error;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *e) {
    if (cudaError_t error = count_call()) return error;
    *e = new emulated_event{0};
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) {
    return cudaEventCreate(e);
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
    delete e;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t) {
    if (cudaError_t error = count_call()) return error;
    e->time = now();
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
    if (cudaError_t error = count_call()) return error;
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b) {
    *ms = (float)(1e3 * (b->time - a->time));
    return cudaSuccess;
}
