// SPDX-License-Identifier: MIT
// The energies of pairs that lib/ligand/ligand_kernel.h defines. A half-warp computes an energy: its lanes have the
// partial sums a_m.
#ifndef CUDA_LIGAND_PAIRS_CUH
#define CUDA_LIGAND_PAIRS_CUH

#include "ligand_kernels.h"

static_assert(LIG_LANES == 16, "a half-warp has a lane for each partial sum");

// The correctly rounded 1/x and sqrt(x) of normal numbers whose results are normal, by the steps that the compiler
// takes for such numbers. check_rounding() compares all mantissas with __frcp_rn and __fsqrt_rn.
static __device__ __forceinline__ float inverse(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return __fmaf_rn(__fmaf_rn(-x, y, 1.0f), y, y);
}

static __device__ __forceinline__ float root(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    float s = __fmul_rn(x, y);
    return __fmaf_rn(__fmaf_rn(-s, s, x), __fmul_rn(0.5f, y), s);
}

// Returns r2 of an atom and a site.
static __device__ __forceinline__ float square_distance(float4 atom, const float site_position[3]) {
    float x = __fsub_rn(atom.x, site_position[0]), y = __fsub_rn(atom.y, site_position[1]),
          z = __fsub_rn(atom.z, site_position[2]);
    return fmaxf(__fmaf_rn(z, z, __fmaf_rn(y, y, __fmul_rn(x, x))), LIG_CLOSEST);
}

// Atoms of a list, in the memory of a thread block.
struct atom_list {
    unsigned count;
    const float4 *atom;           // [count]
    const cuda_ligand_pair *pair; // [types][capacity]
    unsigned capacity;
};

// Adds the pairs of one site with this lane's atoms, for each of MANY orientations.
template <int MANY, bool NEAR, bool TYPED, bool CHARGED>
static __device__ __forceinline__ void add_pairs(float (&sum)[MANY], const atom_list &list, const cuda_ligand_args &a,
                                                 const lig_kernel_site &site, const float (&site_position)[MANY][3]) {
    const cuda_ligand_pair *pair = TYPED ? list.pair + (size_t)site.type * list.capacity : nullptr;
#pragma unroll 2
    for (unsigned j = threadIdx.x % LIG_LANES; j < list.count; j += LIG_LANES) {
        const float4 atom = list.atom[j];
        const cuda_ligand_pair p = TYPED ? pair[j] : cuda_ligand_pair{0, 0};
#pragma unroll
        for (int i = 0; i < MANY; i++) {
            float r2 = square_distance(atom, site_position[i]), v = inverse(r2);
            bool inside = r2 < a.cutoff2;
            if (TYPED) {
                float s6 = inside ? __fmul_rn(__fmul_rn(v, v), v) : 0.0f, t = __fmaf_rn(p.c12, s6, p.minus_c6);
                sum[i] = NEAR ? __fadd_rn(sum[i], __fmul_rn(s6, t)) : __fmaf_rn(s6, t, sum[i]);
            }
            if (CHARGED) {
                float w = __fmul_rn(__fsub_rn(__fmaf_rn(a.k, r2, root(v)), a.c), site.charge);
                sum[i] = __fmaf_rn(atom.w, inside ? w : 0.0f, sum[i]);
            }
        }
    }
}

template <int MANY, bool NEAR>
static __device__ void add_sites(float (&sum)[MANY], const atom_list &list, const cuda_ligand_args &a,
                                 const float *const (&position)[MANY], const float *const (&x)[MANY]) {
    for (unsigned s = 0; s < a.sites; s++) {
        float site_position[MANY][3];
        for (int i = 0; i < MANY; i++)
            for (int k = 0; k < 3; k++) site_position[i][k] = __fadd_rn(x[i][k], position[i][3 * s + k]);
        const lig_kernel_site site = a.site[s];
        if (site.type < 0)
            add_pairs<MANY, NEAR, false, true>(sum, list, a, site, site_position);
        else if (site.charge != 0)
            add_pairs<MANY, NEAR, true, true>(sum, list, a, site, site_position);
        else
            add_pairs<MANY, NEAR, true, false>(sum, list, a, site, site_position);
    }
}

// Returns whether the ligand overlaps with a near atom: a Lennard-Jones energy exceeds the cap.
static __device__ bool overlaps(const atom_list &near, const cuda_ligand_args &a, const float *position,
                                const float *x) {
    for (unsigned s = 0; s < a.sites; s++) {
        const lig_kernel_site site = a.site[s];
        if (site.type < 0) continue;
        const cuda_ligand_pair *pair = near.pair + (size_t)site.type * near.capacity;
        float site_position[3];
        for (int k = 0; k < 3; k++) site_position[k] = __fadd_rn(x[k], position[3 * s + k]);
        for (unsigned j = 0; j < near.count; j++) {
            float r2 = square_distance(near.atom[j], site_position), v = inverse(r2);
            float s6 = r2 < a.cutoff2 ? __fmul_rn(__fmul_rn(v, v), v) : 0.0f;
            if (__fmul_rn(s6, __fmaf_rn(pair[j].c12, s6, pair[j].minus_c6)) > a.cap) return true;
        }
    }
    return false;
}

// Sets energy[i], i < many, of orientations without overlap. All lanes of a warp must call it, with equal lists.
template <int MANY>
static __device__ void energies(float (&energy)[MANY], const atom_list &near, const atom_list &far,
                                const cuda_ligand_args &a, const float *const (&position)[MANY],
                                const float *const (&x)[MANY]) {
    for (int i = 0; i < MANY; i++) energy[i] = 0;
    add_sites<MANY, true>(energy, near, a, position, x);
    add_sites<MANY, false>(energy, far, a, position, x);
    for (int i = 0; i < MANY; i++)
        for (int h = LIG_LANES / 2; h; h /= 2)
            energy[i] = __fadd_rn(energy[i], __shfl_xor_sync(0xffffffffu, energy[i], h));
}

#endif
