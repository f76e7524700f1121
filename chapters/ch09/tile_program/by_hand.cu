// Written by hand: a row stays in the registers of its block and moves 16 bytes at a time, as in
// fused_l2norm; the vector add moves four 16-byte pieces of each operand per thread.
#include <math_constants.h>

#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/common/reduce.cuh"
#include "chapters/ch09/common/row.cuh"
#include "chapters/ch09/tile_program/rows.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch09 {

inline constexpr float log2_e = 1.4426950408889634f;

struct Larger {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

// One row as floats: `count` of the thread's elements are within the row, in whole vectors.
struct RowFloats {
  float at[vectors_per_thread][per_vector<Bf16>];
  __device__ __forceinline__ static bool inside(int j, int vectors) {
    return row_vector(j) < vectors;
  }
};

__device__ __forceinline__ RowFloats load_floats(const uint4* row, int vectors) {
  const RowPart part = load_row(row, vectors);
  RowFloats floats;
#pragma unroll
  for (int j = 0; j < vectors_per_thread; ++j) {
    const Floats<Bf16> values = unpack<Bf16>(part.at[j]);
#pragma unroll
    for (int i = 0; i < per_vector<Bf16>; ++i) floats.at[j][i] = values.at[i];
  }
  return floats;
}

// Reduces f(element) over the block's row; elements beyond the row take no part.
template <class Combine, class Value>
__device__ __forceinline__ float over_row(RowFloats& row, int vectors, float identity,
                                          float* partials, Combine combine, Value value) {
  float mine = identity;
#pragma unroll
  for (int j = 0; j < vectors_per_thread; ++j)
    if (RowFloats::inside(j, vectors))
#pragma unroll
      for (int i = 0; i < per_vector<Bf16>; ++i) mine = combine(mine, value(row.at[j][i]));
  return block_reduce(mine, identity, partials, combine);
}

struct Exponentials {
  float most, sum;
};

// Replaces the row by its exponentials, each less the row's largest element.
__device__ __forceinline__ Exponentials exponentiate(RowFloats& row, int vectors,
                                                     float (&partials)[2][most_warps]) {
  const float most =
      over_row(row, vectors, -CUDART_INF_F, partials[0], Larger{}, [](float& x) { return x; });
  const float offset = most * log2_e;
  const float sum = over_row(row, vectors, 0.0f, partials[1], Plus{}, [&](float& x) {
    x = exp2f(fmaf(x, log2_e, -offset));
    return x;
  });
  return {most, sum};
}

}  // namespace aisp::ch09

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    by_hand_softmax(const uint4* __restrict__ x, uint4* __restrict__ y, int vectors) {
  using namespace ch09;
  __shared__ float partials[2][most_warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  RowFloats row = load_floats(x + first, vectors);
  const float inverse = 1.0f / exponentiate(row, vectors, partials).sum;
  store_row(y + first, vectors, [&](int j, int) {
    Floats<Bf16> values;
#pragma unroll
    for (int i = 0; i < per_vector<Bf16>; ++i) values.at[i] = row.at[j][i] * inverse;
    return pack(values);
  });
}

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    by_hand_layernorm(const uint4* __restrict__ x, const float* __restrict__ gain,
                      const float* __restrict__ shift, uint4* __restrict__ y, int vectors) {
  using namespace ch09;
  __shared__ float partials[2][most_warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  RowFloats row = load_floats(x + first, vectors);
  const float count = static_cast<float>(vectors * per_vector<Bf16>);
  const float mean =
      over_row(row, vectors, 0.0f, partials[0], Plus{}, [](float& v) { return v; }) / count;
  const float squares = over_row(row, vectors, 0.0f, partials[1], Plus{}, [&](float& v) {
    v -= mean;
    return v * v;
  });
  const float scale = rsqrtf(squares / count + layernorm_epsilon);
  store_row(y + first, vectors, [&](int j, int vector) {
    const auto* gains = reinterpret_cast<const float4*>(gain) + 2 * vector;
    const auto* shifts = reinterpret_cast<const float4*>(shift) + 2 * vector;
    const float4 g[2] = {gains[0], gains[1]}, s[2] = {shifts[0], shifts[1]};
    const float gs[8] = {g[0].x, g[0].y, g[0].z, g[0].w, g[1].x, g[1].y, g[1].z, g[1].w};
    const float ss[8] = {s[0].x, s[0].y, s[0].z, s[0].w, s[1].x, s[1].y, s[1].z, s[1].w};
    Floats<Bf16> values;
#pragma unroll
    for (int i = 0; i < per_vector<Bf16>; ++i)
      values.at[i] = fmaf(row.at[j][i] * scale, gs[i], ss[i]);
    return pack(values);
  });
}

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    by_hand_cross_entropy(const uint4* __restrict__ scores, const int* __restrict__ labels,
                          float* __restrict__ loss, int vectors) {
  using namespace ch09;
  __shared__ float partials[2][most_warps];
  const uint4* const first = scores + std::int64_t{blockIdx.x} * vectors;
  RowFloats row = load_floats(first, vectors);
  const Exponentials of_row = exponentiate(row, vectors, partials);
  if (threadIdx.x != 0) return;
  const unsigned bits = reinterpret_cast<const Bf16*>(first)[labels[blockIdx.x]].bits;
  loss[blockIdx.x] = logf(of_row.sum) + of_row.most - __uint_as_float(bits << 16);
}

namespace aisp::ch09 {

inline constexpr int add_threads = 256, add_vectors = 4;
inline constexpr int add_block = add_threads * add_vectors * 4;  // elements of a block

}  // namespace aisp::ch09

extern "C" __global__ void __launch_bounds__(ch09::add_threads)
    by_hand_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                std::int64_t count) {
  using namespace ch09;
  const std::int64_t first = std::int64_t{blockIdx.x} * add_block;
  const auto lane = static_cast<int>(threadIdx.x);
  if (first + add_block <= count) {
    const auto* a4 = reinterpret_cast<const float4*>(a + first);
    const auto* b4 = reinterpret_cast<const float4*>(b + first);
    auto* c4 = reinterpret_cast<float4*>(c + first);
    float4 left[add_vectors], right[add_vectors];
#pragma unroll
    for (int j = 0; j < add_vectors; ++j) {
      left[j] = a4[lane + j * add_threads];
      right[j] = b4[lane + j * add_threads];
    }
#pragma unroll
    for (int j = 0; j < add_vectors; ++j)
      c4[lane + j * add_threads] = {left[j].x + right[j].x, left[j].y + right[j].y,
                                    left[j].z + right[j].z, left[j].w + right[j].w};
    return;
  }
  for (std::int64_t i = first + lane; i < count; i += add_threads) c[i] = a[i] + b[i];
}

namespace {

using namespace ch09;

void run(const lab::Launch& launch) {
  const std::int64_t rows = launch.dim(0), columns = launch.dim(1);
  const RowProgram program = program_of(launch.problem);
  if (program == RowProgram::add) {
    const std::int64_t count = rows * columns;
    by_hand_add<<<blocks_for(count, add_block), add_threads, 0, launch.stream>>>(
        launch.in<float>(0), launch.in<float>(1), launch.out<float>(0), count);
    lab::check_cuda(cudaGetLastError(), "tile_program by_hand_add");
    return;
  }
  const auto vectors = static_cast<int>(columns / per_vector<Bf16>);
  const unsigned blocks = blocks_for(rows, 1);
  const int threads = row_threads(vectors);
  const auto* x = launch.in<uint4>(0);
  if (program == RowProgram::softmax)
    by_hand_softmax<<<blocks, threads, 0, launch.stream>>>(x, launch.out<uint4>(0), vectors);
  else if (program == RowProgram::layernorm)
    by_hand_layernorm<<<blocks, threads, 0, launch.stream>>>(
        x, launch.in<float>(1), launch.in<float>(2), launch.out<uint4>(0), vectors);
  else
    by_hand_cross_entropy<<<blocks, threads, 0, launch.stream>>>(x, launch.in<int>(1),
                                                                 launch.out<float>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "tile_program by_hand");
}

const lab::RungEntry entry{"ch09:tile_program",
                           {.name = "by_hand",
                            .step = 0,
                            .builds_on = "",
                            .idea = "CUDA C++ by hand: a row in registers, 16 bytes per access",
                            .look_at = "all loads of a thread stand before its first reduction",
                            .needs = lab::Needs::sm_80,
                            .prepare = lab::plain(run)}};

}  // namespace
