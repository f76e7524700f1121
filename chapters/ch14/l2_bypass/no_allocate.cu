// Rung 3: the stream passes L1 by. On an H200 such loads also yield in L2, which PTX does not say.
#include "chapters/ch14/l2_bypass/beside.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch14::beside_threads)
    beside_no_allocate(const uint4* stream, const uint4* hot, uint4* y, std::uint32_t groups,
                       std::uint32_t lines) {
  ch14::sum_beside(stream, hot, y, groups, lines, ch14::NoAllocateLoads{}, ch14::PlainLoads{});
}

namespace {

const lab::RungEntry entry{
    "ch14:l2_bypass",
    {.name = "no_allocate",
     .step = 3,
     .builds_on = "plain_loads",
     .idea = "ld.global.nc.L1::no_allocate for the stream: L1 is passed by, and L2 yields too",
     .look_at = "hits of L2, which the words of PTX do not promise",
     .needs = lab::Needs::sm_80,
     .prepare = [](lab::Setup& setup) { return ch14::run_beside(setup, beside_no_allocate); }}};

}  // namespace
