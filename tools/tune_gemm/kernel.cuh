// A warp-specialised bf16 GEMM in several configurations: D[m][n] = sum over k of A[m][k] *
// B[n][k]. One warp loads, two warpgroups multiply; they share a tile (cooperative) or take turns
// with one each (ping-pong), so that one stores while the other multiplies.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>

#include "tile/arch/cluster.cuh"
#include "tile/arch/matrix.cuh"
#include "tile/arch/tma.cuh"
#include "tile/arch/wgmma.cuh"
#include "tile/pipeline/tma_ring.cuh"
#include "tile/schedule/tile_order.hpp"

namespace tune {

using Bf16 = __nv_bfloat16;
using tile::arch::MatrixKind;
using tile::arch::SharedSwizzle;

struct Config {
  const char* name;
  bool ping_pong;  // each warpgroup has its own tile; else both share one
  int m, n, k, stages, cluster_m, group;
};
constexpr Config configs[] = {
    {"cooperative 128x256", false, 128, 256, 64, 4, 1, 16},
    {"cooperative 128x256, cluster 2", false, 128, 256, 64, 4, 2, 8},
    {"ping-pong 128x128", true, 128, 128, 64, 6, 1, 16},
    {"ping-pong 128x128, cluster 2", true, 128, 128, 64, 6, 2, 8},
};
constexpr int piece = 64;  // the epilogue stores 64x64 elements at a time: rows of 128 bytes

// nvcc takes no struct as template argument of a kernel: the number of the configuration stands
// for it.
template <int which>
struct Shared {
  static constexpr Config config = configs[which];
  alignas(1024) Bf16 a[config.stages][config.m * config.k];
  alignas(1024) Bf16 b[config.stages][config.n * config.k];
  alignas(1024) Bf16 out[2][2][piece * piece];  // per warpgroup: one is stored, one is filled
  tile::TmaRingBarriers<config.stages> ring;
  tile::arch::MBarrier turn[2];
};

struct Work {
  CUtensorMap a, b, out;
  int m, n, k;
};

template <int which>
using Ring = tile::TmaRing<configs[which].stages, configs[which].ping_pong ? 1 : 2,
                           configs[which].cluster_m>;

// 64 rows of a warpgroup's sums -> bf16 -> global memory, in pieces of 64 columns.
template <int count>
TILE_DEVICE void store_rows(const float (&sums)[count], Bf16 (&stage)[2][piece * piece],
                            const CUtensorMap& map, int row, int column, int warpgroup) {
  const int lane = static_cast<int>(threadIdx.x) % 32,
            warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const bool speaks = threadIdx.x % 128 == 0;
  const int line = warp * 16 + lane % 16;
#pragma unroll
  for (int part = 0; part < count / 32; ++part) {
    if (speaks) tile::arch::bulk_wait_read<1>();
    tile::arch::barrier_sync(warpgroup + 1, 128);
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {
      std::uint32_t packed[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int at = part * 32 + pair * 8 + i * 2;
        const __nv_bfloat162 two = __floats2bfloat162_rn(sums[at], sums[at + 1]);
        packed[i] = reinterpret_cast<const std::uint32_t&>(two);
      }
      const int chunk = (pair * 2 + lane / 16) ^ (line & 7);  // the map's 128-byte swizzle
      tile::arch::store_matrices(reinterpret_cast<char*>(stage[part & 1]) + line * 128 + chunk * 16,
                                 packed);
    }
    tile::arch::fence_async_shared();
    tile::arch::barrier_sync(warpgroup + 1, 128);
    if (speaks) {
      tile::arch::tma_store(&map, stage[part & 1], column + part * piece, row, 0);
      tile::arch::bulk_commit();
    }
  }
}

template <int which, int halves, int count>
TILE_DEVICE void multiply(Ring<which>& ring, tile::RingState<configs[which].stages>& at,
                          const Shared<which>& shared, float (&sums)[halves][count], int first_row,
                          int k_tiles) {
  constexpr Config config = configs[which];
  auto before = at;
  for (int k = 0; k < k_tiles; ++k, ++at) {
    ring.wait(at);
    for (auto& half : sums) tile::arch::keep_in_place(half);
    tile::arch::wgmma_fence();
    const auto a = tile::arch::matrix_descriptor(shared.a[at.slot] + first_row * config.k, 16, 1024,
                                                 SharedSwizzle::bytes_128);
    const auto b =
        tile::arch::matrix_descriptor(shared.b[at.slot], 16, 1024, SharedSwizzle::bytes_128);
#pragma unroll
    for (int step = 0; step < config.k / 16; ++step)  // 16 elements are 32 bytes: 2 in a descriptor
#pragma unroll
      for (int half = 0; half < halves; ++half)
        tile::arch::wgmma_instruction<MatrixKind::bf16, false, false>(
            sums[half], a + step * 2 + half * (64 * 128 / 16), b + step * 2, (k | step) != 0);
    tile::arch::wgmma_commit();
    for (auto& half : sums) tile::arch::keep_in_place(half);
    tile::arch::wgmma_wait<1>();
    if (k > 0) ring.release(before);
    before = at;
  }
  tile::arch::wgmma_wait<0>();
  for (auto& half : sums) tile::arch::keep_in_place(half);
  ring.release(before);
}

template <int which>
TILE_DEVICE void load_tiles(Ring<which>& ring, Shared<which>& shared, const Work& work, int first,
                            int step, tile::TileGrid grid, int rank, int k_tiles) {
  constexpr Config config = configs[which];
  constexpr int share = config.n / config.cluster_m;  // rows of B that this block loads for all
  auto at = tile::RingState<config.stages>::writer();
  for (int index = first; index < grid.count(); index += step) {
    const tile::TileCoord tile = tile::grouped_order(index, grid, config.group);
    const int row = (tile.m * config.cluster_m + rank) * config.m, column = tile.n * config.n;
    for (int k = 0; k < k_tiles; ++k, ++at) {
      ring.acquire(at);
      auto* landed = ring.commit(at, (config.m + config.n) * config.k * 2);
      tile::arch::tma_load(shared.a[at.slot], &work.a, landed, k * config.k, row, 0);
      if constexpr (config.cluster_m == 1)
        tile::arch::tma_load(shared.b[at.slot], &work.b, landed, k * config.k, column, 0);
      else
        tile::arch::tma_load_multicast(shared.b[at.slot] + rank * share * config.k, &work.b, landed,
                                       k * config.k, column + rank * share, 0,
                                       (1 << config.cluster_m) - 1);
    }
  }
}

template <int which>
__global__ void __launch_bounds__(384) gemm(const __grid_constant__ Work work) {
  constexpr Config config = configs[which];
  constexpr int cluster = config.cluster_m;
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<Shared<which>*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) &
                                                   ~std::uintptr_t{1023});
  Ring<which> ring(shared.ring);
  if (threadIdx.x == 0) {
    for (auto& turn : shared.turn) tile::arch::mbarrier_init(&turn, 1);
    ring.init();
  }
  cluster > 1 ? tile::arch::cluster_sync() : __syncthreads();
  const int rank = cluster > 1 ? tile::arch::cluster_rank() : 0;
  const tile::TileGrid grid{(work.m + config.m * cluster - 1) / (config.m * cluster),
                            (work.n + config.n - 1) / config.n};
  const int k_tiles = (work.k + config.k - 1) / config.k;
  const int first = static_cast<int>(blockIdx.x) / cluster;
  const int step = static_cast<int>(gridDim.x) / cluster;
  const int warpgroup = tile::arch::warp_uniform(static_cast<int>(threadIdx.x) / 128) - 1;
  if (warpgroup < 0) {
    tile::arch::give_registers_back<40>();
    if (threadIdx.x < 32 && tile::arch::elect_one())
      load_tiles<which>(ring, shared, work, first, step, grid, rank, k_tiles);
  } else {
    tile::arch::take_registers<232>();
    constexpr int halves = config.ping_pong ? 2 : 1;
    float sums[halves][config.n / 2];
    auto at = tile::RingState<config.stages>::reader();
    const int stride = config.ping_pong ? 2 : 1;
    if (config.ping_pong && warpgroup == 1) at += k_tiles;
    unsigned my_turn = warpgroup == 0 ? 1 : 0;
    for (int index = first + (config.ping_pong ? warpgroup * step : 0); index < grid.count();
         index += stride * step) {
      const tile::TileCoord tile = tile::grouped_order(index, grid, config.group);
      const int row = (tile.m * cluster + rank) * config.m, column = tile.n * config.n;
      if constexpr (config.ping_pong) {
        // Without it this warpgroup would wait for a parity that is several laps away.
        tile::arch::mbarrier_wait(&shared.turn[warpgroup], my_turn);
        my_turn ^= 1;
        multiply<which>(ring, at, shared, sums, 0, k_tiles);
        if (threadIdx.x % 128 == 0) tile::arch::mbarrier_arrive(&shared.turn[1 - warpgroup]);
        at += k_tiles;
#pragma unroll
        for (int half = 0; half < halves; ++half)
          store_rows(sums[half], shared.out[warpgroup], work.out, row + half * 64, column,
                     warpgroup);
      } else {
        multiply<which>(ring, at, shared, sums, warpgroup * 64, k_tiles);
        store_rows(sums[0], shared.out[warpgroup], work.out, row + warpgroup * 64, column,
                   warpgroup);
      }
    }
    if (threadIdx.x % 128 == 0) tile::arch::bulk_wait<0>();
  }
  if constexpr (cluster > 1) tile::arch::cluster_sync();  // peers may still write here
}

}  // namespace tune
