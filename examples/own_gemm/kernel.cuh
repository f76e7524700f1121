// A matrix product from the lower layers of the tile library: one warp loads by TMA into a ring,
// two warpgroups multiply by wgmma. The configuration is a value; the building blocks refuse a
// wrong one while compiling.
#pragma once

#include "tile/arch/warp.cuh"
#include "tile/atom/wgmma.hpp"
#include "tile/collective/epilogue/fragment_memory.hpp"
#include "tile/collective/load/loader_sm90.cuh"
#include "tile/collective/mainloop/accumulators.cuh"

namespace own_gemm {

namespace tile = aisp::tile;

struct Params {
  CUtensorMap a, b;  // (m, k) and (n, k)
  float* d;          // (m, n)
  int m, n, k;
};

template <tile::Sm90Config config>
__device__ void load(const Params& params, tile::Sm90Buffers<config>& shared, int row, int column) {
  tile::Sm90OperandRing<config> ring(shared.ring, {});
  auto at = tile::RingState<config.stages>::writer();
  for (int k = 0; k < params.k; k += config.tile_k, ++at) {
    ring.acquire(at);
    auto* const landed = ring.commit(at, config.stage_bytes());
    tile::load_operand<config.a_tile(), 1>(shared.a[at.slot], &params.a, landed, row, k, 0, 0, 0);
    tile::load_operand<config.b_tile(), 1>(shared.b[at.slot], &params.b, landed, column, k, 0, 0,
                                           0);
  }
}

template <tile::Sm90Config config>
__device__ void multiply(const Params& params, tile::Sm90Buffers<config>& shared,
                         tile::Accumulators<config>& accumulators, int first_row) {
  tile::Sm90OperandRing<config> ring(shared.ring, {});
  auto at = tile::RingState<config.stages>::reader();
  accumulators.keep();
  for (int k = 0; k < params.k; k += config.tile_k, ++at) {
    ring.wait(at);
    tile::arch::wgmma_fence();
    tile::multiply_tiles<config>(accumulators, shared.a[at.slot], shared.b[at.slot], first_row,
                                 k > 0);
    tile::arch::wgmma_commit();
    tile::arch::wgmma_wait<0>();
    ring.release(at);
  }
  accumulators.keep();
}

template <tile::Sm90Config config>
__device__ void store(const Params& params, const tile::Accumulators<config>& accumulators, int row,
                      int column) {
  const int warp_row = static_cast<int>(threadIdx.x) / 32 % 4 * 16;
#pragma unroll
  for (int m = 0; m < accumulators.m_atoms; ++m)
#pragma unroll
    for (int i = 0; i < config.tile_n / 2; i += 4) {  // rows r and r + 8, columns c and c + 1
      const auto& of = accumulators.of[m];
      const tile::Cell cell = tile::wgmma_warp_accumulator(threadIdx.x % 32, i);
      tile::store_fragment<tile::Element::f32>(
          params.d, params.n, 0,
          tile::EpilogueFragment<float>{{{of[i], of[i + 1]}, {of[i + 2], of[i + 3]}}},
          {row + m * 64 + warp_row + cell.row, column + cell.column}, {params.m, params.n});
    }
}

// `Own::config` is the configuration: nvcc 13 cannot compile the call of a __global__ template
// whose argument is a value of class type, so that it travels in a type.
template <class Own>
__global__ void __launch_bounds__(Own::config.threads(), 1)
    kernel(const __grid_constant__ Params params) {
  constexpr tile::Sm90Config config = Own::config;
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<tile::Sm90Buffers<config>*>(
      (reinterpret_cast<std::uintptr_t>(raw) + 1023) & ~std::uintptr_t{1023});
  if (threadIdx.x == 0) tile::Sm90OperandRing<config>::init(shared.ring);
  __syncthreads();

  const int row = blockIdx.y * config.tile_m, column = blockIdx.x * config.tile_n;
  const int warpgroup = tile::arch::warp_uniform(static_cast<int>(threadIdx.x) / 128);
  if (warpgroup == config.math_warpgroups) {
    if (threadIdx.x % 128 == 0) load<config>(params, shared, row, column);
  } else {
    const int first_row = warpgroup * config.rows_of_warpgroup();
    tile::Accumulators<config> accumulators;
    multiply<config>(params, shared, accumulators, first_row);
    store<config>(params, accumulators, row + first_row, column);
  }
}

}  // namespace own_gemm
