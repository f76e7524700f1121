// Rung 0: stream and hot set are read alike. L2 keeps what came last, and most of that is stream.
#include "chapters/ch14/l2_bypass/beside.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch14::beside_threads)
    beside_plain_loads(const uint4* stream, const uint4* hot, uint4* y, std::uint32_t groups,
                       std::uint32_t lines) {
  ch14::sum_beside(stream, hot, y, groups, lines, ch14::PlainLoads{}, ch14::PlainLoads{});
}

namespace {

const lab::RungEntry entry{
    "ch14:l2_bypass",
    {.name = "plain_loads",
     .step = 0,
     .builds_on = "",
     .idea = "both read alike: L2 keeps what came last",
     .look_at = "hits of L2 over hot_KiB: they fall long before the hot set is as large as L2",
     .needs = lab::Needs::sm_80,
     .prepare = [](lab::Setup& setup) { return ch14::run_beside(setup, beside_plain_loads); }}};

}  // namespace
