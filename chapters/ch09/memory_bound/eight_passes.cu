// Eight passes over memory, one step each, as a framework runs a chain of operators. Each pass is
// a good one by itself (16-byte accesses); together they move the data eight times.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/memory_bound/chain.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch09 {

template <class Step>
__global__ void __launch_bounds__(chain_threads)
    elementwise_pass(const float* x, float* y, std::int64_t count) {
  map_block<Step>(x, y, count);
}

}  // namespace aisp::ch09

namespace {

using namespace ch09;

template <class Step>
void pass(const float* x, float* y, std::int64_t count, cudaStream_t stream) {
  elementwise_pass<Step><<<blocks_for(count, chain_block), chain_threads, 0, stream>>>(x, y, count);
  lab::check_cuda(cudaGetLastError(), "memory_bound elementwise_pass");
}

lab::Run prepare(lab::Setup& setup) {
  const auto bytes = static_cast<std::size_t>(setup.problem().outputs.at(0).tensor.bytes());
  auto* spare = static_cast<float*>(setup.scratch(bytes));
  return [spare](const lab::Launch& launch) {
    const std::int64_t count = launch.dim(0);
    const auto stream = launch.stream;
    auto* out = launch.out<float>(0);
    pass<Scale>(launch.in<float>(0), spare, count, stream);
    pass<Shift>(spare, out, count, stream);
    pass<LeakyRelu>(out, spare, count, stream);
    pass<Square>(spare, out, count, stream);
    pass<PlusOne>(out, spare, count, stream);
    pass<Halve>(spare, out, count, stream);
    pass<Square>(out, spare, count, stream);
    pass<Clamp>(spare, out, count, stream);
  };
}

const lab::RungEntry entry{"ch09:memory_bound",
                           {.name = "eight_passes",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one kernel per step, 16-byte accesses",
                            .look_at = "eight launches, each near the copy bandwidth",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = prepare}};

}  // namespace
