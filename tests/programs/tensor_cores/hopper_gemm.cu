// seeds: 20
// D = A * B^T in bf16 with everything Hopper has for it: boxes of tensor maps into a ring of stages
// between one producer warp and two consumer warpgroups, wgmma, and results back through boxes.
// Then the same with clusters of two blocks that load half of B each, for both.
//   hopper_gemm [M N K [single|cluster]]
#include <cstring>
#include <string>

#include "gemm_check.hpp"
#include "hopper.cuh"

namespace {

using bf16 = __nv_bfloat16;

constexpr int tile_m = 128, tile_n = 128, tile_k = 64, stages = 3;
constexpr int box_rows = 64;                     // of A, of half of B, and of D
constexpr int row_bytes = tile_k * 2;            // what the swizzle spans
constexpr int box_bytes = box_rows * row_bytes;  // 64 x 64 elements
constexpr int boxes_m = tile_m / box_rows, boxes_n = tile_n / box_rows;
constexpr int stage_bytes = (boxes_m + boxes_n) * box_bytes;
constexpr int groups = boxes_m;  // of consumers, 64 rows each
constexpr int threads = 128 * (1 + groups);
constexpr int swizzle_atom = 1024;
constexpr int shared_bytes = stages * stage_bytes + boxes_m * boxes_n * box_bytes + swizzle_atom;

struct Ring {  // which stage, and the parity of the lap
  int stage = 0;
  std::uint32_t lap = 0;
  __device__ void advance() {
    if (++stage < stages) return;
    stage = 0;
    lap ^= 1;
  }
};

struct Shared {  // addresses
  std::uint32_t stage, results, full, empty;
  __device__ std::uint32_t a(int slot, int box) const {
    return stage + slot * stage_bytes + box * box_bytes;
  }
  __device__ std::uint32_t b(int slot, int box) const { return a(slot, boxes_m + box); }
  __device__ std::uint32_t is_full(int slot) const { return full + slot * 8; }
  __device__ std::uint32_t is_empty(int slot) const { return empty + slot * 8; }
};

template <int cluster>
__device__ void produce(const CUtensorMap& a, const CUtensorMap& b, int row, int column, int steps,
                        const Shared& shared) {
  const int rank = cluster == 1 ? 0 : static_cast<int>(hopper::cluster_rank());
  Ring ring;
  for (int step = 0; step < steps; ++step, ring.advance()) {
    const std::uint32_t full = shared.is_full(ring.stage);
    hopper::barrier_wait(shared.is_empty(ring.stage), ring.lap ^ 1);
    hopper::barrier_expect(full, stage_bytes);
    for (int box = 0; box < boxes_m; ++box)
      hopper::load_box(shared.a(ring.stage, box), a, step * tile_k, row + box * box_rows, full);
    for (int box = 0; box < boxes_n; ++box) {
      const std::uint32_t to = shared.b(ring.stage, box);
      if (cluster == 1)
        hopper::load_box(to, b, step * tile_k, column + box * box_rows, full);
      else if (box % cluster == rank)
        hopper::load_box_to_all(to, b, step * tile_k, column + box * box_rows, full,
                                (1 << cluster) - 1);
    }
  }
}

// One thread of the warpgroup says for all of it that the stage may be overwritten.
template <int cluster>
__device__ void release(const Shared& shared, int stage) {
  const int lane = static_cast<int>(threadIdx.x % 128);
  if (cluster == 1) {
    if (lane == 0) hopper::barrier_arrive(shared.is_empty(stage));
  } else if (lane < cluster) {
    hopper::barrier_arrive_at(shared.is_empty(stage), lane);
  }
}

template <int cluster>
__device__ void consume(const CUtensorMap& d, int row, int column, int steps, const Shared& shared,
                        int group) {
  float sums[64];
  Ring ring;
  int previous = -1;
  for (int step = 0; step < steps; ++step, ring.advance()) {
    hopper::barrier_wait(shared.is_full(ring.stage), ring.lap);
    hopper::products_fence();
    for (int k = 0; k < tile_k; k += 16)
      hopper::multiply_64x128x16(sums, hopper::describe(shared.a(ring.stage, group) + k * 2),
                                 hopper::describe(shared.b(ring.stage, 0) + k * 2), step + k != 0);
    hopper::commit_products();
    // The products of this step go on while the stage of the one before is given back.
    hopper::wait_products<1>();
    if (previous >= 0) release<cluster>(shared, previous);
    previous = ring.stage;
  }
  hopper::wait_products<0>();

  const int lane = static_cast<int>(threadIdx.x % 32),
            warp = static_cast<int>(threadIdx.x / 32) % 4;
  const int local_row = warp * 16 + lane % 16;
  const std::uint32_t mine = shared.results + group * boxes_n * box_bytes;
  for (int j = 0; j < tile_n / 16; ++j) {
    const int chunk = j * 2 + lane / 16;  // of eight columns
    const std::uint32_t to =
        mine + chunk / 8 * box_bytes + local_row * row_bytes + (chunk % 8 ^ local_row % 8) * 16;
    const float* const s = sums + j * 8;
    hopper::store_matrices(to, hopper::pack(s[0], s[1]), hopper::pack(s[2], s[3]),
                           hopper::pack(s[4], s[5]), hopper::pack(s[6], s[7]));
  }
  hopper::fence_for_async();
  hopper::group_sync(1 + group);
  if (warp == 0 && hopper::elect()) {
    for (int box = 0; box < boxes_n; ++box)
      hopper::store_box(d, column + box * box_rows, row + group * box_rows, mine + box * box_bytes);
    hopper::commit_stores();
    hopper::wait_stores_read();
  }
}

template <int cluster>
__global__ void __launch_bounds__(threads, 1)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
         const __grid_constant__ CUtensorMap d, int steps) {
  extern __shared__ std::uint8_t memory[];
  __shared__ std::uint64_t full[stages], empty[stages];
  const std::uint32_t start =
      (hopper::shared_address(memory) + swizzle_atom - 1) & ~(swizzle_atom - 1u);
  const Shared shared{start, start + stages * stage_bytes, hopper::shared_address(full),
                      hopper::shared_address(empty)};
  const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x / 32), 0);
  if (warp == 0 && hopper::elect()) {
    hopper::prefetch(a);
    hopper::prefetch(b);
    hopper::prefetch(d);
    for (int slot = 0; slot < stages; ++slot) {
      hopper::barrier_init(shared.is_full(slot), 1);
      hopper::barrier_init(shared.is_empty(slot), groups * cluster);
    }
    hopper::barrier_init_fence();
  }
  if (cluster == 1)
    __syncthreads();
  else
    hopper::cluster_sync();

  const int row = static_cast<int>(blockIdx.x) * tile_m,
            column = static_cast<int>(blockIdx.y) * tile_n;
  if (warp < 4) {
    hopper::give_registers<40>();
    if (warp == 0 && hopper::elect()) produce<cluster>(a, b, row, column, steps, shared);
  } else {
    hopper::take_registers<232>();
    consume<cluster>(d, row, column, steps, shared, warp / 4 - 1);
  }
  if (cluster > 1) {  // nobody leaves while another block may write here
    __syncwarp();
    hopper::cluster_sync();
  }
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                            CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);

Encode find_encode() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer{};
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         &answer));
  expect(found != nullptr && answer == cudaDriverEntryPointSuccess, "cuTensorMapEncodeTiled");
  return reinterpret_cast<Encode>(found);
}

// A row-major matrix in boxes of 64 x 64.
CUtensorMap map_of(bf16* matrix, int rows, int columns) {
  static const Encode encode = find_encode();
  const cuuint64_t sizes[] = {cuuint64_t(columns), cuuint64_t(rows)};
  const cuuint64_t pitch[] = {cuuint64_t(columns) * sizeof(bf16)};
  const cuuint32_t box[] = {tile_k, box_rows}, strides[] = {1, 1};
  CUtensorMap map;
  expect(
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, sizes, pitch, box, strides,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
      "a tensor map of the matrix");
  return map;
}

int tiles(int size, int tile) { return (size + tile - 1) / tile; }

template <int cluster>
void run(int m, int n, int k, const char* what) {
  const auto a = unit_values<bf16>(std::size_t(m) * k, 1),
             b = unit_values<bf16>(std::size_t(n) * k, 2);
  const OnDevice<bf16> device_a(a), device_b(b), device_d(std::size_t(m) * n);
  CHECK(cudaMemset(device_d.get(), 0xff, std::size_t(m) * n * sizeof(bf16)));  // NaNs
  const CUtensorMap map_a = map_of(device_a.get(), m, k), map_b = map_of(device_b.get(), n, k),
                    map_d = map_of(device_d.get(), m, n);
  CHECK(cudaFuncSetAttribute(gemm<cluster>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(tiles(tiles(m, tile_m), cluster) * cluster, tiles(n, tile_n));
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &attribute;
  config.numAttrs = cluster > 1 ? 1 : 0;
  CHECK(cudaLaunchKernelEx(&config, gemm<cluster>, map_a, map_b, map_d, tiles(k, tile_k)));
  CHECK(cudaDeviceSynchronize());
  check_product(a, b, device_d.fetch(), m, n, k, 7, what);
}

}  // namespace

int main(int count, char** words) {
  const int m = count > 3 ? std::atoi(words[1]) : 192, n = count > 3 ? std::atoi(words[2]) : 200,
            k = count > 3 ? std::atoi(words[3]) : 328;
  const std::string variant = count > 4 ? words[4] : "both";
  expect(m > 0 && n > 0 && k > 0 && n % 8 == 0 && k % 8 == 0,
         "sizes: rows of a tensor map are multiples of 16 bytes");
  if (variant != "cluster") run<1>(m, n, k, "single blocks");
  if (variant != "single") run<2>(m, n, k, "clusters of two");
  std::puts("ok");
}
