// The same kernel with hand-written loads and stores: L1 is bypassed, L2 fetches 256 bytes ahead.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/inline_ptx/flip.cuh"
#include "chapters/ch09/inline_ptx/ptx.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::flip_threads)
    flip_no_allocate(const uint4* __restrict__ x, uint4* __restrict__ y, std::int64_t vectors) {
  const std::int64_t v = std::int64_t{blockIdx.x} * ch09::flip_block + threadIdx.x;
  if (v < vectors)
    ch09::ptx::store_no_allocate(y + v, ch09::flip(ch09::ptx::load_no_allocate(x + v)));
}

namespace {

using namespace ch09;

void run(const lab::Launch& launch) {
  const std::int64_t vectors = vectors_of(launch);
  flip_no_allocate<<<blocks_for(vectors, flip_block), flip_threads, 0, launch.stream>>>(
      launch.in<uint4>(0), launch.out<uint4>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "inline_ptx no_allocate");
}

const lab::RungEntry entry{"ch09:inline_ptx",
                           {.name = "no_allocate",
                            .step = 1,
                            .builds_on = "plain_cpp",
                            .idea = "ld.global.nc.L1::no_allocate.L2::256B and its store",
                            .look_at = "the cache modifiers of the load in PTX and machine code",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = lab::plain(run)}};

}  // namespace
