// Rung 4: the stream is the first to go. What is read once makes room for itself, not for others.
#include "chapters/ch14/l2_bypass/beside.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch14::beside_threads)
    beside_evict_first_stream(const uint4* stream, const uint4* hot, uint4* y, std::uint32_t groups,
                              std::uint32_t lines) {
  ch14::sum_beside(stream, hot, y, groups, lines, ch14::evict_first(), ch14::PlainLoads{});
}

namespace {

const lab::RungEntry entry{
    "ch14:l2_bypass",
    {.name = "evict_first_stream",
     .step = 4,
     .builds_on = "plain_loads",
     .idea = "createpolicy evict_first for the stream: it makes room for itself",
     .look_at = "the policy operand of the stream's loads; hits of L2",
     .needs = lab::Needs::sm_80,
     .prepare = [](lab::Setup& setup) {
       return ch14::run_beside(setup, beside_evict_first_stream);
     }}};

}  // namespace
