// Rung 2: two buffers that TMA fills. One thread asks; addresses, swizzle and edges are TMA's work,
// and a barrier in shared memory counts the bytes that have landed.
#include "chapters/ch10/double_buffered_pipeline/matmul_tile.cuh"
#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "tile/collective/load/loader_sm90.cuh"
#include "tile/device/launch/tensor_map.hpp"

using namespace aisp;

namespace {

namespace arch = tile::arch;

struct TmaArgs {
  CUtensorMap a, b;
  ch10::MatmulArgs matmul;
};

__device__ void start(const TmaArgs& args, ch10::TileBuffer& to, arch::MBarrier* landed,
                      ch10::Corner corner, int k) {
  arch::mbarrier_arrive_expect(landed, sizeof(ch10::TileBuffer));
  tile::load_operand<ch10::a_tile, 1>(to.a, &args.a, landed, corner.row, k, 0, 0, 0);
  tile::load_operand<ch10::b_tile, 1>(to.b, &args.b, landed, corner.column, k, 0, 0, 0);
}

__global__ void __launch_bounds__(ch10::threads) matmul_tma(const __grid_constant__ TmaArgs args) {
  __shared__ arch::MBarrier landed[2];
  ch10::TileBuffer* buffers = ch10::buffers_in_shared();
  const ch10::Corner corner = ch10::block_corner(args.matmul);
  const bool asks = threadIdx.x == 0;
  if (asks) {
    for (auto& barrier : landed) arch::mbarrier_init(&barrier, 1);
    arch::fence_mbarrier_init();
    start(args, buffers[0], &landed[0], corner, 0);
  }
  ch10::MicroTile mine;
  unsigned parity = 0;
  for (int k = 0, now = 0; k < args.matmul.k; k += ch10::tile_k, now ^= 1) {
    __syncthreads();  // nobody reads the other buffer any more; at first: the barriers exist
    if (asks && k + ch10::tile_k < args.matmul.k)
      start(args, buffers[now ^ 1], &landed[now ^ 1], corner, k + ch10::tile_k);
    arch::mbarrier_wait(&landed[now], parity);
    mine.multiply(buffers[now]);
    parity ^= static_cast<unsigned>(now);  // a lap ends with the second buffer
  }
  mine.store(args.matmul, corner);
}

lab::Enqueue bind(const lab::Launch& launch) {
  const ch10::MatmulArgs args = ch10::matmul_args(launch);
  const TmaArgs with_maps{
      tile::device::describe({args.a, args.k, args.m, 1, args.k}, ch10::a_tile, ch10::tile_m),
      tile::device::describe({args.b, args.n, args.k, 1, args.n}, ch10::b_tile, ch10::tile_k),
      args};
  return [with_maps](cudaStream_t stream) {
    matmul_tma<<<ch10::blocks_of(with_maps.matmul), ch10::threads, ch10::shared_bytes<2>, stream>>>(
        with_maps);
    lab::check_cuda(cudaGetLastError(), "matmul_tma");
  };
}

lab::Run prepare(lab::Setup&) {
  ch10::allow_shared_memory<2>(matmul_tma, "matmul_tma");
  return lab::per_buffers(bind);
}

const lab::RungEntry entry{"ch10:double_buffered_pipeline",
                           {.name = "tma_two_buffers",
                            .step = 2,
                            .builds_on = "cp_async_two_buffers",
                            .idea = "two buffers: one thread asks TMA for the next tile",
                            .look_at = "no address arithmetic in the loop; waits on one barrier",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
