// One pass: the eight steps stay in a register, so the data moves once. Written the short way,
// one float per thread.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/memory_bound/chain.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::chain_threads)
    chain_one_pass(const float* __restrict__ x, float* __restrict__ y, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * ch09::chain_threads + threadIdx.x;
  if (i < count) y[i] = ch09::WholeChain::of(x[i]);
}

namespace {

using namespace ch09;

void run(const lab::Launch& launch) {
  const std::int64_t count = launch.dim(0);
  chain_one_pass<<<blocks_for(count, chain_threads), chain_threads, 0, launch.stream>>>(
      launch.in<float>(0), launch.out<float>(0), count);
  lab::check_cuda(cudaGetLastError(), "memory_bound one_pass");
}

const lab::RungEntry entry{"ch09:memory_bound",
                           {.name = "one_pass",
                            .step = 1,
                            .builds_on = "eight_passes",
                            .idea = "all steps in registers: bytes move once, 4 at a time",
                            .look_at = "one launch; 4 bytes in flight per thread",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = lab::plain(run)}};

}  // namespace
