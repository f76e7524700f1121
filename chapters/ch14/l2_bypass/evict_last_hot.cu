// Rung 1: the hot set is asked to be the last to go, beside a stream that is read as before.
#include "chapters/ch14/l2_bypass/beside.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch14::beside_threads)
    beside_evict_last_hot(const uint4* stream, const uint4* hot, uint4* y, std::uint32_t groups,
                          std::uint32_t lines) {
  ch14::sum_beside(stream, hot, y, groups, lines, ch14::PlainLoads{}, ch14::evict_last());
}

namespace {

const lab::RungEntry entry{
    "ch14:l2_bypass",
    {.name = "evict_last_hot",
     .step = 1,
     .builds_on = "plain_loads",
     .idea = "createpolicy evict_last for the hot set: it is to be the last to go",
     .look_at = "the policy operand of its loads; hits of L2",
     .needs = lab::Needs::sm_80,
     .prepare = [](lab::Setup& setup) { return ch14::run_beside(setup, beside_evict_last_hot); }}};

}  // namespace
