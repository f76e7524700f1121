#include "chapters/ch14/one_sided_exchange/product_kernels.hpp"

#include <algorithm>

#include "comm/one_sided.cuh"
#include "lab/case/rung.hpp"
#include "tile/collective/mainloop/multistage.cuh"

namespace aisp::ch14 {
namespace {

constexpr int tile_size = ProductShape::tile;
constexpr tile::MultistageConfig config{.tile_m = tile_size,
                                        .tile_n = tile_size,
                                        .tile_k = 32,
                                        .stages = 4,
                                        .warps_m = 2,
                                        .warps_n = 4};
using MainLoop = tile::Multistage<tile::MmaSync<tile::Element::bf16>, config>;
using Accumulators = MainLoop::Accumulators;
constexpr int shared_bytes = static_cast<int>(sizeof(MainLoop::Shared)) + 1024;
constexpr int sum_threads = 256;

__device__ __forceinline__ MainLoop::Shared& shared_memory() {
  extern __shared__ char raw[];
  return *reinterpret_cast<MainLoop::Shared*>(
      raw + (1024 - tile::arch::shared_address(raw) % 1024) % 1024);
}

struct TileAt {
  int m = 0, n = 0;  // numbers of tiles
};

__device__ __forceinline__ void multiply(MainLoop& loop, Accumulators& accumulators,
                                         const ProductArguments& arguments, TileAt at) {
  const tile::OperandMatrix a{arguments.a, arguments.slice, 0, arguments.m, arguments.slice};
  const tile::OperandMatrix b{arguments.b, arguments.slice, 0, arguments.n, arguments.slice};
  loop.multiply(accumulators, {a, at.m * tile_size, 0, 0}, {b, at.n * tile_size, 0, 0},
                (arguments.slice + config.tile_k - 1) / config.tile_k);
}

// body(row, column, first, second) for the pairs of neighbours that the thread has, inside of C.
template <class Body>
__device__ __forceinline__ void each_pair(const Accumulators& accumulators,
                                          const ProductArguments& arguments, TileAt at,
                                          Body&& body) {
  using Mma = MainLoop::Mma;
#pragma unroll
  for (int m = 0; m < Mma::m_atoms; ++m)
#pragma unroll
    for (int n = 0; n < Mma::n_atoms; ++n)
#pragma unroll
      for (int i = 0; i < Mma::Atom::accumulators; i += 2) {
        const tile::Cell cell = Mma::accumulator(static_cast<int>(threadIdx.x), m, n, i);
        const int row = at.m * tile_size + cell.row, column = at.n * tile_size + cell.column;
        if (row < arguments.m && column < arguments.n)
          body(row, column, make_float2(accumulators.of[m][n][i], accumulators.of[m][n][i + 1]));
      }
}

__device__ __forceinline__ int owner_of(const ProductArguments& arguments, int tile_row) {
  int owner = 0;
  while (tile_row >= arguments.of[owner].end_tile_row) ++owner;
  return owner;
}

// Where element (row, 0) of C lies in the slot that `owner` has for `source`.
__device__ __forceinline__ float* slot_row(const ProductArguments& arguments, int owner, int source,
                                           int row) {
  const ProductRank& of = arguments.of[owner];
  return of.slots + source * arguments.slot_stride +
         static_cast<std::int64_t>(row - of.first_tile_row * tile_size) * arguments.n;
}

__device__ __forceinline__ void put_tile(const Accumulators& accumulators,
                                         const ProductArguments& arguments, TileAt at, int owner) {
  each_pair(accumulators, arguments, at, [&](int row, int column, float2 pair) {
    *reinterpret_cast<float2*>(slot_row(arguments, owner, arguments.rank, row) + column) = pair;
  });
}

__device__ __forceinline__ float2 plus(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}

// In the order of the ranks, the own part in its place: the same bits whoever comes first.
__device__ __forceinline__ void sum_tile(const Accumulators& accumulators,
                                         const ProductArguments& arguments, TileAt at) {
  const int first_row = arguments.of[arguments.rank].first_tile_row * tile_size;
  each_pair(accumulators, arguments, at, [&](int row, int column, float2 own) {
    float2 sum = own;
    for (int source = 0; source < arguments.ranks; ++source) {
      const float2 part = source == arguments.rank
                              ? own
                              : *reinterpret_cast<const float2*>(
                                    slot_row(arguments, arguments.rank, source, row) + column);
      sum = source == 0 ? part : plus(sum, part);
    }
    float* const to = arguments.result + static_cast<std::int64_t>(row - first_row) * arguments.n;
    *reinterpret_cast<float2*>(to + column) = sum;
  });
}

__global__ void __launch_bounds__(config.threads())
    partial_product(const __grid_constant__ ProductArguments arguments, bool puts) {
  MainLoop loop(shared_memory());
  const TileAt at{static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)};
  Accumulators accumulators;
  multiply(loop, accumulators, arguments, at);
  if (puts) return put_tile(accumulators, arguments, at, owner_of(arguments, at.m));
  each_pair(accumulators, arguments, at, [&](int row, int column, float2 pair) {
    *reinterpret_cast<float2*>(arguments.partial + static_cast<std::int64_t>(row) * arguments.n +
                               column) = pair;
  });
}

__global__ void __launch_bounds__(sum_threads)
    sum_of_slots(const __grid_constant__ ProductArguments arguments, std::int64_t count) {
  const auto i = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x;
  if (i >= count) return;
  const float* const slots = arguments.of[arguments.rank].slots;
  const auto part = [&](int source) {
    return reinterpret_cast<const float2*>(slots + source * arguments.slot_stride)[i];
  };
  float2 sum = part(0);
  for (int source = 1; source < arguments.ranks; ++source) sum = plus(sum, part(source));
  reinterpret_cast<float2*>(arguments.result)[i] = sum;
}

// No block waits before it has put all that others wait for: own tiles come last in every block's
// list, and each wait is for a tile that stands before the own ones in another rank's list.
__global__ void __launch_bounds__(config.threads())
    put_and_sum(const __grid_constant__ ProductArguments arguments) {
  MainLoop loop(shared_memory());
  const ProductRank& own = arguments.of[arguments.rank];
  const int tiles = arguments.m_tiles * arguments.n_tiles;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = static_cast<int>(blockIdx.x); i < tiles; i += static_cast<int>(gridDim.x)) {
    const TileAt at{(i / arguments.n_tiles + own.end_tile_row) % arguments.m_tiles,
                    i % arguments.n_tiles};
    const int tile = at.m * arguments.n_tiles + at.n, owner = owner_of(arguments, at.m);
    Accumulators accumulators;
    multiply(loop, accumulators, arguments, at);
    if (owner != arguments.rank) {
      put_tile(accumulators, arguments, at, owner);
      __syncthreads();
      if (thread == 0) comm::signal(arguments.of[owner].flags + arguments.rank * tiles + tile, 1);
    } else {
      if (thread < arguments.ranks && thread != arguments.rank)
        comm::wait_until(own.flags + thread * tiles + tile, 1);
      __syncthreads();
      sum_tile(accumulators, arguments, at);
    }
  }
}

}  // namespace

void prepare_product_kernels() {
  for (const void* kernel :
       {reinterpret_cast<const void*>(partial_product), reinterpret_cast<const void*>(put_and_sum)})
    lab::check_cuda(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
        "cudaFuncSetAttribute");
}

void enqueue_partial(const ProductArguments& arguments, bool puts, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(arguments.n_tiles),
                    static_cast<unsigned>(arguments.m_tiles));
  partial_product<<<blocks, config.threads(), shared_bytes, stream>>>(arguments, puts);
  lab::check_cuda(cudaGetLastError(), "partial_product");
}

void enqueue_sum_of_slots(const ProductArguments& arguments, cudaStream_t stream) {
  const ProductRank& own = arguments.of[arguments.rank];
  const int rows = std::min(own.end_tile_row * tile_size, arguments.m) -
                   std::min(own.first_tile_row * tile_size, arguments.m);
  const std::int64_t count = std::int64_t{rows} * arguments.n / 2;
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + sum_threads - 1) / sum_threads);
  sum_of_slots<<<blocks, sum_threads, 0, stream>>>(arguments, count);
  lab::check_cuda(cudaGetLastError(), "sum_of_slots");
}

void enqueue_put_and_sum(const ProductArguments& arguments, int blocks, cudaStream_t stream) {
  const int tiles = arguments.m_tiles * arguments.n_tiles;
  put_and_sum<<<static_cast<unsigned>(std::min(blocks, tiles)), config.threads(), shared_bytes,
                stream>>>(arguments);
  lab::check_cuda(cudaGetLastError(), "put_and_sum");
}

const void* put_and_sum_kernel() { return reinterpret_cast<const void*>(put_and_sum); }
int product_threads() { return config.threads(); }
std::size_t product_shared_bytes() { return shared_bytes; }

}  // namespace aisp::ch14
