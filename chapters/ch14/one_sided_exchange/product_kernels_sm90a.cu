#include "chapters/ch14/one_sided_exchange/product_kernels.hpp"

#include <algorithm>
#include <limits>

#include "chapters/ch14/one_sided_exchange/product_epilogue.cuh"
#include "chapters/ch14/one_sided_exchange/product_tiles.hpp"
#include "comm/symmetric.hpp"
#include "lab/case/rung.hpp"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::ch14 {
namespace {

// The library's kernel whose warpgroups take turns: one stores, puts or waits for other ranks while
// the other multiplies.
struct RankProduct {
  static constexpr tile::Sm90Config config{.out = tile::Element::f32,
                                           .tile_m = ProductShape::tile,
                                           .tile_n = ProductShape::tile,
                                           .stages = 6,
                                           .cluster_m = ProductShape::paired,
                                           .roles = tile::Roles::ping_pong,
                                           .store = tile::Store::direct};
  using Schedule = OwnTilesLast;
  using MainLoop = tile::WgmmaOperands<config>;
  using Maps = tile::BatchMaps;
  using Workspace = tile::SplitKWorkspace;
  using Epilogue = ProductEpilogue<config>;
};

constexpr int sum_threads = 256;

__device__ __forceinline__ float2 plus(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ __forceinline__ float4 plus(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// `own`: the own part. Numbers are read and written in so many neighbours at a time.
template <class Neighbours>
__global__ void __launch_bounds__(sum_threads)
    sum_of_slots(const __grid_constant__ ProductArguments arguments, const float* own,
                 std::int64_t count) {
  const auto i = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x;
  if (i >= count) return;
  const float* const slots = arguments.of[arguments.rank].slots;
  const auto part = [&](int source) {
    const float* const from =
        source == arguments.rank ? own : slots + source * arguments.slot_stride;
    return reinterpret_cast<const Neighbours*>(from)[i];
  };
  Neighbours sum = part(0);
  for (int source = 1; source < arguments.ranks; ++source) sum = plus(sum, part(source));
  reinterpret_cast<Neighbours*>(arguments.result)[i] = sum;
}

template <class Neighbours>
void enqueue_sum(const ProductArguments& arguments, const float* own, std::int64_t numbers,
                 cudaStream_t stream) {
  const std::int64_t count = numbers / (sizeof(Neighbours) / sizeof(float));
  const auto blocks = static_cast<unsigned>((count + sum_threads - 1) / sum_threads);
  sum_of_slots<Neighbours><<<blocks, sum_threads, 0, stream>>>(arguments, own, count);
  lab::check_cuda(cudaGetLastError(), "sum_of_slots");
}

}  // namespace

int co_resident_pairs(const std::vector<int>& devices) {
  const auto kernel = tile::device::kernel_of<RankProduct>();
  int least = std::numeric_limits<int>::max();
  for (const int device : devices) {
    const comm::OnDevice on(device);
    const auto here = static_cast<int>(std::ranges::count(devices, device));
    const int fit = tile::device::resident_clusters(kernel);
    if (fit < here)
      base::refuse(base::Exit::environment, "kernels of ", here,
                   " ranks wait for each other on device ", device,
                   " and have to be there at the same time: it has room for ", fit,
                   " pairs of blocks of ", kernel.threads, " threads; use fewer ranks");
    least = std::min(least, fit / here);
  }
  return least;
}

std::function<void(cudaStream_t)> plan_product(const ProductArguments& arguments, int pairs) {
  constexpr tile::Sm90Config config = RankProduct::config;
  constexpr int paired = ProductShape::paired;
  const auto kernel = tile::device::kernel_of<RankProduct>();
  const int fit = tile::device::resident_clusters(kernel);
  const ProductRank& own = arguments.of[arguments.rank];
  tile::GemmParams<RankProduct> params{};
  params.operands =
      tile::device::operand_maps<config>({.m = arguments.m,
                                          .n = arguments.n,
                                          .k = arguments.slice,
                                          .a = {.data = arguments.a, .stride = arguments.slice},
                                          .b = {.data = arguments.b, .stride = arguments.slice}});
  params.epilogue = arguments;
  params.schedule = {
      .grid = {arguments.m_tiles / paired, arguments.n_tiles},
      .first_row = own.end_tile_row / paired,
      .others = (arguments.m_tiles - (own.end_tile_row - own.first_tile_row)) / paired,
      .k_blocks = (arguments.slice + config.tile_k - 1) / config.tile_k,
  };
  const int launched = OwnTilesLast::clusters(params.schedule, pairs > 0 ? pairs : fit);
  return [kernel, params, launched](cudaStream_t stream) {
    tile::device::launch(kernel, params, launched, stream);
  };
}

void enqueue_sum_of_slots(const ProductArguments& arguments, cudaStream_t stream) {
  const ProductRank& own = arguments.of[arguments.rank];
  const int first = std::min(own.first_tile_row * ProductShape::tile, arguments.m);
  const int rows = std::min(own.end_tile_row * ProductShape::tile, arguments.m) - first;
  if (rows == 0) return;
  const std::int64_t n = arguments.n;
  const float* const own_part = arguments.to == Destination::partial
                                    ? arguments.partial + first * n
                                    : own.slots + arguments.rank * arguments.slot_stride;
  const auto enqueue = n % 4 == 0 ? enqueue_sum<float4> : enqueue_sum<float2>;
  enqueue(arguments, own_part, rows * n, stream);
}

}  // namespace aisp::ch14
