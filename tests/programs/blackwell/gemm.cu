// device: b200,sms=8
// D = A * B^T in bf16 with roles: one warp loads boxes into a ring of stages, one issues
// tcgen05.mma, four put the accumulator out while the next tile is computed in the other half of
// tensor memory. With one block for a tile, and with pairs of blocks that compute one together,
// half of its rows and half of B's rows each; loads announce themselves at the leader's barrier.
// The accumulator passes between the roles at relaxed barriers: its fences order it.
//   gemm [M N K [one|pair]]
#include <cstring>

#include "blackwell.cuh"
#include "maps.hpp"
#include "tests/programs/tensor_cores/gemm_check.hpp"

namespace {

using bf16 = __nv_bfloat16;

constexpr int block_m = 128, tile_n = 128, tile_k = 64, stages = 3, buffers = 2;
constexpr int row_bytes = tile_k * 2;
constexpr int threads = 192;  // four warps of the epilogue, then loads, then products
constexpr int atom = 1024;

template <int group>
struct Shape {  // of what one block holds
  static constexpr int rows_b = tile_n / group;
  static constexpr int a_bytes = block_m * row_bytes, b_bytes = rows_b * row_bytes;
  static constexpr int stage_bytes = a_bytes + b_bytes;
  static constexpr int shared_bytes = stages * stage_bytes + atom;
};

struct Barriers {
  std::uint64_t full[stages], empty[stages], computed[buffers], read[buffers];
};

struct Ring {
  int slot = 0;
  std::uint32_t lap = 0;
  __device__ void advance(int slots) {
    if (++slot < slots) return;
    slot = 0;
    lap ^= 1;
  }
};

// Tiles of this block, or of its pair, one after the other.
struct Work {
  int first, step, count, across, steps;
  __device__ int row(int tile, int rows) const { return tile / across * rows; }
  __device__ int column(int tile) const { return tile % across * tile_n; }
};

template <int group>
__device__ void load(const CUtensorMap& a, const CUtensorMap& b, const Work& work,
                     std::uint32_t start, Barriers* barriers, int rank) {
  using S = Shape<group>;
  Ring ring;
  for (int tile = work.first; tile < work.count; tile += work.step)
#pragma unroll 1  // it waits in every turn
    for (int step = 0; step < work.steps; ++step, ring.advance(stages)) {
      std::uint32_t full = blackwell::shared_address(&barriers->full[ring.slot]);
      blackwell::barrier_wait(blackwell::shared_address(&barriers->empty[ring.slot]), ring.lap ^ 1);
      if (rank == 0) blackwell::barrier_expect(full, group * S::stage_bytes);
      if (group == 2) full = blackwell::of_leader(full);
      const std::uint32_t to = start + ring.slot * S::stage_bytes;
      blackwell::load_box<group>(to, a, step * tile_k,
                                 work.row(tile, group * block_m) + rank * block_m, full);
      blackwell::load_box<group>(to + S::a_bytes, b, step * tile_k,
                                 work.column(tile) + rank * S::rows_b, full);
    }
}

template <int group>
__device__ void multiply(const Work& work, std::uint32_t start, std::uint32_t tensor,
                         Barriers* barriers) {
  using S = Shape<group>;
  constexpr std::uint32_t what = blackwell::bf16_product(group * block_m, tile_n);
  Ring ring, buffer;
  for (int tile = work.first; tile < work.count; tile += work.step, buffer.advance(buffers)) {
    blackwell::barrier_wait_relaxed(blackwell::shared_address(&barriers->read[buffer.slot]),
                                    buffer.lap ^ 1);
    blackwell::after_sync();
    const std::uint32_t d = tensor + buffer.slot * tile_n;
#pragma unroll 1
    for (int step = 0; step < work.steps; ++step, ring.advance(stages)) {
      blackwell::barrier_wait(blackwell::shared_address(&barriers->full[ring.slot]), ring.lap);
      blackwell::after_sync();
      const std::uint32_t a = start + ring.slot * S::stage_bytes;
      for (int k = 0; k < tile_k; k += 16)
        blackwell::multiply<group>(d, blackwell::describe(a + k * 2),
                                   blackwell::describe(a + S::a_bytes + k * 2), what,
                                   step + k != 0);
      blackwell::commit<group>(blackwell::shared_address(&barriers->empty[ring.slot]));
    }
    blackwell::commit<group>(blackwell::shared_address(&barriers->computed[buffer.slot]));
  }
}

template <int group>
__device__ void put_out(const Work& work, std::uint32_t tensor, Barriers* barriers, int rank,
                        float* d, int m, int n) {
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  Ring buffer;
  for (int tile = work.first; tile < work.count; tile += work.step, buffer.advance(buffers)) {
    blackwell::barrier_wait_relaxed(blackwell::shared_address(&barriers->computed[buffer.slot]),
                                    buffer.lap);
    blackwell::after_sync();
    const int row = work.row(tile, group * block_m) + rank * block_m + warp * 32 + lane;
#pragma unroll 1
    for (int column = 0; column < tile_n; column += 8) {
      std::uint32_t values[8];
      blackwell::load_columns(values, tensor + (warp * 32 << 16) + buffer.slot * tile_n + column);
      blackwell::wait_loads();
      for (int i = 0; i < 8; ++i) {
        const int at = work.column(tile) + column + i;
        if (row < m && at < n)
          d[static_cast<std::size_t>(row) * n + at] = __uint_as_float(values[i]);
      }
    }
    blackwell::before_sync();
    const std::uint32_t read = blackwell::shared_address(&barriers->read[buffer.slot]);
    blackwell::barrier_arrive_relaxed(group == 1 ? read : blackwell::of_leader(read));
  }
}

template <int group>
__global__ void __launch_bounds__(threads, 1)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d,
         int m, int n, int steps) {
  extern __shared__ std::uint8_t memory[];
  __shared__ Barriers barriers;
  __shared__ std::uint32_t tensor_base;
  const std::uint32_t start = (blackwell::shared_address(memory) + atom - 1) & ~(atom - 1u);
  const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x / 32), 0);
  const int rank = group == 1 ? 0 : static_cast<int>(blackwell::cluster_rank());
  if (warp == 4 && blackwell::elect()) {
    for (int i = 0; i < stages; ++i) {
      blackwell::barrier_init(blackwell::shared_address(&barriers.full[i]), 1);
      blackwell::barrier_init(blackwell::shared_address(&barriers.empty[i]), 1);
    }
    for (int i = 0; i < buffers; ++i) {
      blackwell::barrier_init(blackwell::shared_address(&barriers.computed[i]), 1);
      blackwell::barrier_init(blackwell::shared_address(&barriers.read[i]), group * 128);
    }
    blackwell::barrier_init_fence();
  }
  __syncwarp();
  if (group == 2) blackwell::cluster_sync();
  if (warp == 5)
    blackwell::allocate<group>(blackwell::shared_address(&tensor_base), buffers * tile_n);
  blackwell::before_sync();
  if (group == 1)
    __syncthreads();
  else
    blackwell::cluster_sync();
  blackwell::after_sync();
  const std::uint32_t tensor = tensor_base;

  const int across = (n + tile_n - 1) / tile_n;
  const int down = (m + group * block_m - 1) / (group * block_m);
  const Work work{static_cast<int>(blockIdx.x) / group, static_cast<int>(gridDim.x) / group,
                  across * down, across, steps};
  if (warp == 4) {
    if (blackwell::elect()) load<group>(a, b, work, start, &barriers, rank);
  } else if (warp == 5) {
    if (rank == 0 && blackwell::elect()) multiply<group>(work, start, tensor, &barriers);
  } else {
    put_out<group>(work, tensor, &barriers, rank, d, m, n);
  }
  __syncwarp();
  blackwell::before_sync();
  if (group == 1)
    __syncthreads();
  else
    blackwell::cluster_sync();
  blackwell::after_sync();
  if (warp == 5) blackwell::give_back<group>(tensor, buffers * tile_n);
  if (group == 2) blackwell::cluster_sync();
}

template <int group>
void run(int m, int n, int k, int blocks, const char* what) {
  const auto a = unit_values<bf16>(std::size_t(m) * k, 1),
             b = unit_values<bf16>(std::size_t(n) * k, 2);
  const OnDevice<bf16> device_a(a), device_b(b);
  const OnDevice<float> device_d(std::size_t(m) * n);
  constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const CUtensorMap map_a = map_of_rows(type, 2, device_a.get(), m, k, block_m);
  const CUtensorMap map_b = map_of_rows(type, 2, device_b.get(), n, k, Shape<group>::rows_b);
  CHECK(cudaFuncSetAttribute(gemm<group>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             Shape<group>::shared_bytes));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {group, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = Shape<group>::shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, gemm<group>, map_a, map_b, device_d.get(), m, n,
                           (k + tile_k - 1) / tile_k));
  finish();
  check_product(a, b, device_d.fetch(), m, n, k, 23, what);
}

}  // namespace

int main(int count, char** words) {
  if (count >= 4) {
    const int m = std::atoi(words[1]), n = std::atoi(words[2]), k = std::atoi(words[3]);
    const bool pair = count > 4 && std::strcmp(words[4], "pair") == 0;
    if (pair)
      run<2>(m, n, k, 8, "pairs");
    else
      run<1>(m, n, k, 8, "single blocks");
    return passed();
  }
  run<1>(300, 264, 200, 2, "single blocks");
  run<2>(520, 264, 136, 4, "pairs");
  return passed();
}
