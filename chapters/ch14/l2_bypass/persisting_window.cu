// Rung 2: the kernel of rung 0, launched with an access-policy window over the hot set: its lines
// persist in a part of L2 that is set aside for them, and no line of code changes.
#include "chapters/ch14/l2_bypass/beside.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch14::beside_threads)
    beside_persisting_window(const uint4* stream, const uint4* hot, uint4* y, std::uint32_t groups,
                             std::uint32_t lines) {
  ch14::sum_beside(stream, hot, y, groups, lines, ch14::PlainLoads{}, ch14::PlainLoads{});
}

namespace {

const lab::RungEntry entry{
    "ch14:l2_bypass",
    {.name = "persisting_window",
     .step = 2,
     .builds_on = "plain_loads",
     .idea = "an access-policy window over the hot set: its lines persist in L2",
     .look_at = "no other instructions than plain_loads; hits of L2",
     .needs = lab::Needs::sm_80,
     .prepare = [](lab::Setup& setup) {
       return ch14::run_beside(setup, beside_persisting_window, ch14::Window::hot_set);
     }}};

}  // namespace
