// Rung 1: the same kernels, launched so that they may start early. Blocks come as those of the
// kernel ahead leave, and wait at once: what is hidden is the launch.
#include "chapters/ch11/programmatic_launch/launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch11::chain::threads)
    chain_waits_first(const __grid_constant__ ch11::chain::Layer layer) {
  if constexpr (tile::arch::has_bulk_copies)
    ch11::chain::run_layer<ch11::chain::Overlap::waits_first>(layer);
  else
    __trap();
}

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch11::chain::prepare_chain(setup, chain_waits_first, true);
}

const lab::RungEntry entry{
    "ch11:programmatic_launch",
    {.name = "waits_first",
     .step = 1,
     .builds_on = "in_order",
     .idea = "programmatic launches that wait at their start: blocks are there when it is time",
     .look_at = "griddepcontrol.wait first of all; the weights still come after it",
     .needs = lab::Needs::sm_90,
     .prepare = prepare}};

}  // namespace
