// The fused pass with 16-byte accesses: a quarter of the memory instructions, four times the bytes
// in flight.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/memory_bound/chain.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::chain_threads)
    chain_sixteen_bytes(const float* x, float* y, std::int64_t count) {
  ch09::map_block<ch09::WholeChain>(x, y, count);
}

namespace {

using namespace ch09;

void run(const lab::Launch& launch) {
  const std::int64_t count = launch.dim(0);
  chain_sixteen_bytes<<<blocks_for(count, chain_block), chain_threads, 0, launch.stream>>>(
      launch.in<float>(0), launch.out<float>(0), count);
  lab::check_cuda(cudaGetLastError(), "memory_bound sixteen_bytes");
}

const lab::RungEntry entry{"ch09:memory_bound",
                           {.name = "sixteen_bytes",
                            .step = 2,
                            .builds_on = "one_pass",
                            .idea = "16-byte loads and stores",
                            .look_at = "LDG.E.128 and STG.E.128 in the machine code",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = lab::plain(run)}};

}  // namespace
